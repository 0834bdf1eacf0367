"""The time of a picture in a browser: until it is there, and of each step, compared with showing the finished SVG.

The peer is the browser itself, which parses and lays out the SVG of the same picture and computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, NamedTuple

import minigrad as mg

#: A page without anything, in the language of a notebook.
EMPTY = '<!doctype html><html lang="en"><body></body></html>'
#: Put the output of a cell into the page, as a notebook does, and wait until the player has drawn the picture.
FIRST = """async (output) => {
    document.body.replaceChildren();
    const start = performance.now();
    document.body.append(document.createRange().createContextualFragment(output));
    let svg = null;
    while (!(svg = document.querySelector(".mg-stage svg"))) await new Promise((done) => setTimeout(done));
    svg.getBoundingClientRect();
    return performance.now() - start;
}"""
#: A step forward, and the finished picture as text, each laid out; so many times, in turn.
STEPS = """async (count) => {
    const slider = document.querySelector(".mg-bar input[type=range]");
    const next = document.querySelector("[aria-label='One step forward']");
    const host = document.body.appendChild(document.createElement("div")), steps = [], shown = [];
    const timed = (times, run) => {
        const start = performance.now();
        run().getBoundingClientRect();
        times.push(performance.now() - start);
    };
    for (let k = 0; k < count; k++) {
        if (slider.value === slider.max) slider.value = 0, slider.oninput();
        await new Promise(requestAnimationFrame);
        timed(steps, () => (next.click(), document.querySelector(".mg-stage svg")));
        const text = document.querySelector(".mg-stage svg").outerHTML;
        await new Promise(requestAnimationFrame);
        timed(shown, () => (host.innerHTML = text, host.firstChild));
    }
    return [steps, shown];
}"""


class Staged(NamedTuple):
    """Medians in milliseconds: the first picture, a step, the browser's time for its SVG. bytes : size of a cell."""

    picture: str
    first: float
    step: float
    svg: float
    bytes: int


def rule() -> Any:
    import viz

    return viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0, mode="rule")


def chain() -> Any:
    import viz

    moves = (mg.tanh, mg.sin, mg.sigmoid, lambda a: a * 1.5, lambda a: a + 0.25)

    def forty(x: Any) -> Any:
        for k in range(40):
            x = moves[k % len(moves)](x)
        return x

    return viz.backward(forty, x=0.5)


def loop() -> Any:
    import viz

    def recurrent(x: Any, w: Any, u: Any) -> Any:
        h = x
        for _ in range(60):
            h = mg.tanh(h * w + x * u)
        return h

    return viz.backward(recurrent, x=0.5, w=0.9, u=0.1)


PICTURES: dict[str, Callable[[], Any]] = {
    "log(1 + exp(x)), with a field for a rule": rule,
    "a chain of 40 ops": chain,
    "a loop of 60 iterations, 240 ops": loop,
}


@contextmanager
def empty_page(program: str, flags: list[str]) -> Iterator[Any]:
    """A page of Chromium without anything in it. program : its path."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        page = browser.new_page()
        page.set_content(EMPTY)
        yield page
        browser.close()


def staged(name: str, page: Any, count: int, steps: int = 40, tick: Callable[[], Any] = lambda: None) -> Staged:
    """Return the medians of `count` first pictures and of their steps. `tick` is called after each picture."""
    output = PICTURES[name]()._repr_mimebundle_()["text/html"]
    firsts, moved, shown = [], list[float](), list[float]()
    for _ in range(count):
        firsts.append(page.evaluate(FIRST, output))
        times = page.evaluate(STEPS, steps)
        moved += times[0]
        shown += times[1]
        tick()
    return Staged(name, median(firsts), median(moved), median(shown), len(output.encode()))
