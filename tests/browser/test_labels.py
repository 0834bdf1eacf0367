"""Words at lines: none lies on another or on a box, in the pictures of the gallery, of lessons 1 to 9, and more."""

import contextlib
import io

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.classroom.notebook import read
from minigrad.classroom.release import sources
from tests.browser import gallery
from viz.views.forms import Forms

pytestmark = pytest.mark.browser

#: The widths of the windows, for the pictures of the lessons 1280 alone; from 1200 on the smallest words are larger.
WIDTHS = (800, 1024, 1280, 1920)

#: The pairs of words at lines, and of such words and boxes, that lie on each other; numbers of arguments are in a box.
CLASHES = """() => {
    const of = (e) => e.getBoundingClientRect(), clashes = [];
    const shown = (e) => e.getClientRects().length && getComputedStyle(e).visibility !== "hidden";
    const seen = (e) => e.textContent.trim() && shown(e);
    const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
    for (const svg of document.querySelectorAll(".mg-stage svg")) {
        const all = (css) => [...svg.querySelectorAll(css)].filter(seen), words = all(".m, .d, .k, .w");
        const boxes = all(".n:not(.open)").map((g) => g.querySelector(".b")), inner = all(".n > text");
        words.forEach((word, i) => {
            const others = [...words.slice(i + 1), ...(word.matches(".k") ? inner : boxes)];
            for (const other of others) if (hit(of(word), of(other)))
                clashes.push(`${word.textContent} on ${(other.closest(".n") || other).textContent}`);
        });
    }
    return clashes;
}"""


def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


def network(x, w1, b, w2):
    return mg.mean((mg.relu(x @ w1 + b) @ w2) ** 2)


def attention(q, k, v):
    return mg.sum(mg.softmax(q @ mg.transpose(k) / 2.0) @ v)


def normed(x):
    centred = x - mg.mean(x)
    return mg.sum(centred / mg.sqrt(mg.mean(centred**2) + 1e-5) * mg.constant([1.0, 2.0, 3.0]))


def scoped(x):
    with mg.scope("pair"):
        t = x * 2.0
        a, b = mg.sin(t), mg.cos(t)
    return a * b


def joined(x):
    with mg.scope("pair"):
        t = x * 2.0
        parts = [op(t) for op in (mg.sin, mg.cos, mg.tanh, mg.exp)]
    return mg.sum(mg.concat(parts, 0))


def more():
    """Graphs with close lines: many arguments, long numbers, matrices, lines downwards, a frame with two results."""
    rng = np.random.default_rng(1)
    matrices = rng.normal(size=(4, 3)), rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=(5, 2))
    yield viz.backward(network, **dict(zip(("x", "w1", "b", "w2"), matrices)))
    yield viz.backward(attention, **{name: rng.normal(size=(3, 2)) for name in "qkv"})
    yield viz.backward(normed, x=rng.normal(size=3))
    yield viz.backward(
        lambda z, t: -mg.sum(t * mg.log(mg.exp(z) / mg.sum(mg.exp(z)))), z=rng.normal(size=4), t=np.eye(4)[1]
    )
    yield viz.backward(lambda x: 3 * x**3 - 2 * x**2 + x - 5, x=1.2345678)
    yield viz.backward(lambda a, b, c: (a - b) * (b - c) * (c - a), a=-1234.5, b=1e-7, c=3.3e8)
    yield viz.backward(lambda a, b, c, d, e: a * b + b * c + c * d + d * e + e * a, a=1.0, b=2.0, c=3.0, d=4.0, e=5.0)
    yield viz.backward(lambda a, b, c: mg.maximum(mg.maximum(a, b), mg.minimum(b, c)) * c, a=1.0, b=1.0, c=1.0)
    yield viz.backward(lambda x: sum((x * float(k) for k in range(2, 12)), x), x=1.5)
    yield viz.backward(lambda x: mg.stack([x * 1.5, x, x * -2.0, x])[1] * x, x=1.5)
    for direction in ("LR", "TB"):
        yield viz.backward(rosenbrock, x=-1.2, y=1.0, rankdir=direction)
        yield viz.backward(scoped, x=0.5, rankdir=direction).fold("pair")


def taught():
    """The pictures that the cells of lessons 1 to 9 make, with their solutions."""
    from IPython.core.interactiveshell import InteractiveShell

    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Forms, "__init__", lambda self, *args, was=Forms.__init__: made.append(self) or was(self, *args))
        for source in sources():
            shell = InteractiveShell()
            with contextlib.redirect_stdout(io.StringIO()):
                for cell in read(source).cells:
                    assert cell.cell_type != "code" or shell.run_cell(cell.source).success
    return made


def test_no_words_at_lines_lie_on_each_other_or_on_a_box(page, tmp_path):
    drawn = [*gallery.drawn().values(), *more()]
    views = [*((view, WIDTHS) for view in drawn), *((view, (1280,)) for view in taught())]
    assert len(views) > 55
    clashes = {}
    for number, (view, widths) in enumerate(views):
        view.to_html(tmp_path / "view.html")
        page.goto((tmp_path / "view.html").as_uri())
        page.wait_for_selector(".mg-bar")
        page.get_by_role("button", name="To the end").click(force=True)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            if found := page.evaluate(CLASHES):
                clashes[number, view.title, width] = found
    assert clashes == {}


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_a_line_says_which_arguments_it_carries(open_view, direction):
    view = viz.backward(scoped, x=0.5, rankdir=direction).fold("pair")
    page = open_view(view)
    assert page.locator(".mg-stage .k:visible").all_text_contents() == ["1, 2"]
    assert ">1, 2</text>" in view.to_svg()
    view = viz.backward(joined, x=[0.5, 1.0], rankdir=direction).fold("pair")
    assert open_view(view).locator(".mg-stage .k:visible").all_text_contents() == ["1–4"]
