"""Words and boxes: none lies on another, in the pictures of the gallery, of lessons 1 to 9, and more."""

import contextlib
import io

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.classroom.notebook import read
from minigrad.classroom.release import sources
from tests.browser import gallery
from tests.helpers.pictures import exchanged
from viz.views.forms import Forms

pytestmark = pytest.mark.browser

#: The widths of the windows; only 1280 for the pictures of the lessons.
WIDTHS = (390, 800, 1280)

#: The overlaps in a picture, and what reaches beyond its box or the picture, in words.
FAULTS = """() => {
    const faults = [], of = (e) => e.getBoundingClientRect(), said = (e) => e.ariaLabel || e.textContent;
    const within = (a, b, by) => a.left >= b.left - by && a.right <= b.right + by
        && a.top >= b.top - by && a.bottom <= b.bottom + by;
    const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    for (const svg of document.querySelectorAll(".mg-stage svg")) {
        const boxes = [...svg.querySelectorAll(".n, .f:not(.open)")]
            .map((g) => [g, of(g.querySelector(":scope > :is(.b, .fb)"))]);
        const words = [...svg.querySelectorAll("text")].filter((t) => t.textContent).map((t) => [t, of(t)]);
        for (const [g, b] of boxes) {
            if (!within(b, of(svg), 1)) faults.push(`outside: ${said(g)}`);
            for (const t of g.querySelectorAll("text:not(.tagt)"))
                if (!within(of(t), b, 3)) faults.push(`clipped: ${said(t)} of ${said(g)}`);
        }
        for (const [t, a] of words) if (!within(a, of(svg), 1)) faults.push(`outside: ${said(t)}`);
        const all = [...boxes, ...words];
        all.forEach(([g, a], i) => all.slice(i + 1).forEach(([h, b]) => {
            if (!g.contains(h) && !h.matches(".tagt") && hit(a, b)) faults.push(`${said(g)} on ${said(h)}`);
        }));
    }
    return faults;
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
    for flow in ("right", "down"):
        yield viz.backward(rosenbrock, x=-1.2, y=1.0, flow=flow)
        yield viz.backward(scoped, x=0.5, flow=flow).fold("pair")


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


def faults(page, tmp_path, views):
    """The overlaps at the end of each of `views`, by number, title and width."""
    found = {}
    for number, (view, widths) in enumerate(views):
        view.to_html(tmp_path / "view.html")
        page.goto((tmp_path / "view.html").as_uri())
        page.wait_for_selector(".mg-bar")
        page.locator("[aria-label='To the end']").evaluate("button => button.click()")
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            if wrong := page.evaluate(FAULTS):
                found[number, view.title, width] = wrong
    return found


@pytest.mark.smoke
def test_nothing_lies_on_something_else_in_close_pictures(page, tmp_path):
    assert faults(page, tmp_path, [(view, WIDTHS) for view in more()]) == {}


def emoji():
    family = mg.Variable([1.0, 2.0], name="\U0001f469\u200d\U0001f469\u200d\U0001f467")
    balloon = mg.Variable(2.0, name="\U0001f388 balloon " + "\u2764\ufe0f" * 12)
    with mg.scope("\U0001f3e0 house"):
        return viz.backward(mg.sum(mg.tanh(balloon * family) * family) + mg.exp(balloon))


def test_names_of_emoji_lie_on_nothing_also_at_200_percent(page, tmp_path):
    assert faults(page, tmp_path, [(emoji(), (*WIDTHS, 640))]) == {}
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for view in [emoji(), viz.compare(exponential(), 2.0)]:
        view.to_html(tmp_path / "view.html")
        page.set_viewport_size({"width": 640, "height": 450})  # 1280 pixels at 200 %
        page.goto((tmp_path / "view.html").as_uri())
        page.wait_for_selector(".mg-bar")
        assert page.evaluate(wide) == 0
        assert "\\u200d" not in page.content()


def exponential():
    @mg.custom_gradient
    def f(x):
        return mg.exp(x), lambda upstream: upstream * mg.exp(x)

    return f


def test_nothing_lies_on_something_else_in_the_gallery(page, tmp_path):
    assert faults(page, tmp_path, [(view, WIDTHS) for view in gallery.drawn().values()]) == {}


def test_nothing_lies_on_something_else_in_the_lessons(page, tmp_path):
    views = taught()
    assert len(views) > 20
    assert faults(page, tmp_path, [(view, (1280,)) for view in views]) == {}


def steps(count):
    def loop(a):
        y = a
        for _ in range(count):
            y = (y + a / y) / 2.0
        return y

    return viz.backward(loop, 4.0, fold="none")


def on_a_phone():
    """Pictures of several passes, and of a nudge."""
    weights = mg.Variable([1.0, 2.0], name="weights")
    yield "compare", viz.compare(exchanged(weights), np.float32([1, 2, 3]))
    yield "beside", viz.beside(steps(4), steps(1), names=["4 steps of the loop", "one step"])
    yield "nudge", viz.nudge(lambda x: 2 * x + (2 * x) * (2 * x), x=3.0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_several_passes_and_a_nudge_are_whole(page, tmp_path, theme):
    page.emulate_media(color_scheme=theme)
    for name, view in on_a_phone():
        view.to_html(tmp_path / "view.html")
        for width in (390, 300):
            page.set_viewport_size({"width": width, "height": 844})
            page.goto((tmp_path / "view.html").as_uri())
            page.wait_for_function("document.images.length || document.querySelector('.mg-stage text')")
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            assert page.evaluate(FAULTS) == [], (name, width)
            words = page.locator(".mg-stage text").evaluate_all(
                "all => all.map((t) => [t.textContent, parseFloat(getComputedStyle(t).fontSize)])"
            )
            assert [text for text, size in words if "…" in text or size < 11] == [], (name, width)
            sizes = page.locator("img").evaluate_all(
                "all => all.map((i) => [i.getBoundingClientRect().right, i.width / i.naturalWidth])"
            )
            assert all(right <= width for right, _ in sizes), (name, width)
            assert not sizes or max(by for _, by in sizes) == pytest.approx(min(by for _, by in sizes), rel=0.02)
