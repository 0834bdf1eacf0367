"""Twenty programs in each mode, at three widths, in both themes: every box has its name, and no word covers another."""

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.gallery import log1pexp
from tests.browser.lab import rests
from tests.browser.test_labels import FAULTS, WIDTHS, attention, emoji, normed, rosenbrock
from tests.helpers.random_programs import transformer

pytestmark = [pytest.mark.browser, pytest.mark.slow]
rng = np.random.default_rng(0)

#: Boxes without a word, words that are too small, and a page that is wider than its window.
MORE = """() => {
    const faults = [], shown = (e) => e.checkVisibility() && e.getBoundingClientRect().width;
    for (const g of document.querySelectorAll(".mg-stage :is(.n,.f:not(.open))")) {
        const name = [...g.querySelectorAll("text")].find((t) => /[\\p{L}\\p{N}\\p{S}\\p{P}]/u.test(t.textContent));
        if (!name) faults.push(`no name: ${g.ariaLabel}`);
    }
    for (const e of document.querySelectorAll(".mg-view *")) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
        if (!own || !shown(e) || e.closest("style, script")) continue;
        const scale = e.ownerSVGElement ? e.getScreenCTM().a : 1;
        const size = parseFloat(getComputedStyle(e).fontSize) * scale;
        if (size < 10.99) faults.push(`${size} px: ${e.textContent}`);
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) faults.push(`${scrollWidth - clientWidth} px too wide`);
    return faults;
}"""

#: The words through which an arrow passes, or on which its head is.
CROSSED = """() => [...document.querySelectorAll(".mg-stage svg")].flatMap((svg) => {
    const words = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim());
    const places = words.map((t) => [t, t.getBoundingClientRect()]);
    const across = svg.clientWidth > 500; // in a narrow picture, numbers are at the sides of arrows that go down
    const heads = [...svg.querySelectorAll("path.h")].filter(() => across).flatMap((head) => {
        const h = head.getBoundingClientRect();
        return places.filter(([, b]) => h.left < b.right - 1 && b.left < h.right - 1 && h.top < b.bottom - 4
            && b.top < h.bottom - 4).map(([t]) => `an arrowhead on ${t.textContent}`);
    });
    return [...heads, ...[...svg.querySelectorAll("path.e")].flatMap((e) => {
        const m = e.getScreenCTM(), half = parseFloat(getComputedStyle(e).strokeWidth) / 2, points = [];
        for (let s = 0; s <= e.getTotalLength(); s += 3) points.push(e.getPointAtLength(s).matrixTransform(m));
        const through = (b) => points.some(({ x, y }) => x + half > b.left + 1 && x - half < b.right - 1
            && y + half > b.top + 4 && y - half < b.bottom - 4);
        return places.filter(([, b]) => through(b)).map(([t]) => `an arrow through ${t.textContent}`);
    })];
})"""


def chain(x):
    for k in range(40):
        x = mg.sin(x) if k % 2 else x * 1.1
    return x


def recurrent(x, w):
    h = x
    for _ in range(200):
        h = mg.tanh(h * w + x)
    return h


def skips(x, w1, w2, w3):
    for w in (w1, w2, w3):
        x = x + mg.relu(x @ w)
    return mg.mean(x * x)


def lenet(image, k1, k2, w1, w2):
    x = mg.max_pool(mg.relu(mg.conv(image, k1)), 2)
    x = mg.max_pool(mg.relu(mg.conv(x, k2)), 2)
    return mg.sum(mg.softmax(mg.relu(mg.reshape(x, (1, -1)) @ w1) @ w2) ** 2)


def network(x, w1, b, w2):
    return mg.mean((mg.relu(x @ w1 + b) @ w2) ** 2)


def entropy(logits):
    return mg.mean(mg.nn.sparse_softmax_cross_entropy_with_logits(np.array([0, 1, 2, 0]), logits))


def long_names(the_learning_rate_of_the_last_layer, regularisation_strength_in_total):
    a_very_long_intermediate_result = the_learning_rate_of_the_last_layer * regularisation_strength_in_total
    another_even_longer_intermediate_result = mg.exp(a_very_long_intermediate_result) + a_very_long_intermediate_result
    return another_even_longer_intermediate_result * the_learning_rate_of_the_last_layer


def fan(x):
    return sum((x * float(k) for k in range(2, 12)), x)


def arrays(*shape):
    return rng.normal(size=shape)


#: Name -> a function that returns the view.
PROGRAMS = {
    "square": lambda: viz.backward(lambda x: x * x, x=3.0),
    "rule": lambda: viz.backward(log1pexp, 100.0),
    "nan": lambda: viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0),
    "rosenbrock": lambda: viz.backward(rosenbrock, x=-1.2, y=1.0),
    "tiny and huge": lambda: viz.backward(lambda a, b, c: (a - b) * (b - c) * (c - a), a=-1234.5, b=1e-7, c=3.3e8),
    "fan": lambda: viz.backward(fan, x=1.5),
    "chain of 40": lambda: viz.backward(chain, x=0.5),
    "recurrent, 200": lambda: viz.backward(recurrent, x=0.5, w=0.9),
    "transformer, 6": lambda: viz.backward(lambda x: transformer(x, 6), x=0.5),
    "network": lambda: viz.backward(network, arrays(4, 3), arrays(3, 5), arrays(5), arrays(5, 2)),
    "attention": lambda: viz.backward(attention, arrays(3, 2), arrays(3, 2), arrays(3, 2)),
    "normed": lambda: viz.backward(normed, arrays(3)),
    "skips": lambda: viz.backward(skips, arrays(2, 3), arrays(3, 3), arrays(3, 3), arrays(3, 3)),
    "lenet": lambda: viz.backward(
        lenet, arrays(1, 14, 14, 1), arrays(3, 3, 1, 2), arrays(3, 3, 2, 3), arrays(12, 6), arrays(6, 3)
    ),
    "entropy": lambda: viz.backward(entropy, arrays(4, 3)),
    "long names": lambda: viz.backward(long_names, 0.5, 1.5),
    "emoji": lambda: emoji(),
    "down": lambda: viz.backward(lambda x, w: mg.exp(x * w) + mg.sin(x) * w, 1.0, 0.5, flow="down"),
    "source": lambda: viz.source(network, arrays(4, 3), arrays(3, 5), arrays(5), arrays(5, 2)),
    "comparison": lambda: viz.compare(log1pexp, 100.0),
}
#: The modes of a page, and the click that opens one.
MODES = """() => [...document.querySelectorAll(".mg-modes input")].map((input) => input.value)"""
TO = """(mode) => document.querySelector(`.mg-modes [value=${mode}]`)?.click()"""


def faults(page, name, html):
    """The faults of one page, with the program's name, the mode, the theme and the width."""
    found, count = {}, 0
    page.set_content(html)
    page.wait_for_selector(".mg-bar")
    for mode in page.evaluate(MODES) or [""]:
        page.evaluate(TO, mode)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                count += 1
                wrong = [*page.evaluate(FAULTS), *page.evaluate(MORE)]
                if wrong := [*wrong, *(page.evaluate(CROSSED) if theme == "light" else [])]:
                    found[name, mode, theme, width] = wrong
    return found, count


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_box_has_its_name_and_nothing_covers_a_word(page, name):
    found, count = faults(page, name, PROGRAMS[name]().to_html())
    assert found == {}
    assert count >= 6


def test_the_words_of_a_page_from_right_to_left_are_whole_too(page):
    html = PROGRAMS["network"]().to_html().replace("<html ", "<html dir=rtl ", 1)
    assert faults(page, "rtl", html)[0] == {}


def test_a_box_without_a_name_a_small_word_and_a_moved_word_are_found(page):
    page.set_content(PROGRAMS["rosenbrock"]().to_html())
    page.wait_for_selector(".mg-bar")
    rests(page)
    assert [*page.evaluate(FAULTS), *page.evaluate(MORE), *page.evaluate(CROSSED)] == []
    page.evaluate("""() => {
        const [first, second] = document.querySelectorAll(".mg-stage .n");
        first.querySelectorAll("text").forEach((text) => { text.textContent = ""; });
        const word = second.querySelector("text");
        word.style.fontSize = "9px";
        word.setAttribute("x", word.getAttribute("x") - 60);
        document.body.style.width = "3000px";
    }""")
    words = "\n".join([*page.evaluate(FAULTS), *page.evaluate(MORE)])
    assert all(fault in words for fault in ("no name: ", "clipped: ", "9 px: ", "px too wide"))
    page.evaluate("""() => {
        const arrow = document.querySelector("path.e"), word = document.querySelector(".mg-stage .n:last-of-type text");
        const { x, y } = arrow.getPointAtLength(arrow.getTotalLength() / 2);
        [["x", x - 8], ["y", y + 5], ["class", ""]].forEach(([name, value]) => word.setAttribute(name, value));
    }""")
    assert any(fault.startswith("an arrow through ") for fault in page.evaluate(CROSSED))
