"""A seeded search: extreme numbers are typed into `viz.play`, and the page's picture is compared with Python's."""

import math
import re

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.lab import watch
from tests.viz.drag.test_extreme import EXTREMES
from tests.viz.drag.test_recomputed import broken, log1pexp, same

pytestmark = pytest.mark.browser

#: Types each number into the field of x, reads the picture, and reads the one that Python draws there.
PLAY = """async ([code, state, numbers, views]) => {
  const { render } = (await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))).default;
  const heard = {}, el = document.createElement("div"), start = state.view;
  const model = {
    get: (name) => state[name], set: (name, value) => { state[name] = value; }, save_changes() {}, send() {},
    on: (name, act) => (heard[name] ??= new Set()).add(act), off: (name, act) => heard[name]?.delete(act),
  };
  const draw = (view) => {
    Object.assign(state, { view: { ...view, point: "" }, follows: false }); // the point is of recorded numbers
    heard["change:view"].forEach((act) => act());
  };
  const all = (kind) => [...el.querySelectorAll(kind)];
  const read = () => [...all(".mg-stage .n").map((g) => g.ariaLabel),
    ...all(".mg-stage .e").map((e) => e.getAttribute("class")),
    ...[".mg-stage text", ".mg-say"].flatMap((kind) => all(kind).map((text) => text.textContent))];
  document.body.replaceChildren(el);
  const leave = render({ model, el }), exact = el.querySelector("input[type=number]"), found = [];
  numbers.forEach((number, i) => {
    exact.value = number;
    exact.onchange();
    const { follows } = state, sent = Object.is(state.x, -0) ? "-0" : String(state.x), page = read();
    draw(views[i]);
    found.push({ follows, sent, page, python: read() });
    draw(start);
  });
  leave();
  return found;
}"""

FUNCTIONS = {
    "a root": (lambda x: mg.cos(mg.sqrt(x)), {}),
    "quotients": (lambda x, w: w / x + x / w, {"w": 3.0}),
    "powers": (lambda x: x**3 + x**-2 + x**0.5, {}),
    "logarithms": (lambda x: mg.log(x) * x - mg.log1p(x), {}),
    "exponentials": (lambda x: mg.log(1 + mg.exp(x)) + mg.expm1(-x), {}),
    "own rule": (lambda x: log1pexp(x * 2.0), {}),
    "broken rule": (lambda x, w: broken(x, w) + x, {"w": 2.0}),
    "a branch": (lambda x: mg.where(x > 1, mg.sqrt(x - 1), x * x), {}),
    "a decision": (lambda x: x * x if x > 1 else mg.exp(x), {}),
    "bounds": (lambda x: mg.clip(x, -1.0, 1.0) * mg.maximum(x, 0.0) - mg.abs(x), {}),
    "an integer": (lambda x, n: x * n + x / n, {"n": 3}),
    "a mask": (lambda x, m: mg.sum(mg.where(m, x * x, 1 / x)), {"m": np.array([True, False])}),
    "an array": (lambda x, a: mg.sum(mg.softmax(a * x) * a), {"a": np.array([1.0, -2.0, 0.5])}),
    "steps": (lambda x: mg.floor(x) * mg.tanh(x) + x % 3.0, {}),
}
TYPED = [x for x in EXTREMES if np.isfinite(x)]


def _blurred(text):
    """Remove the cause of a nan, which only Python gives; a last digit decides whether elements are equal."""
    text = re.sub(r" appears here.*", " appears here", text)
    return re.sub(r"(\S+)…\1(?= |$)", r"all \1", text)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_at_extreme_numbers_the_page_shows_what_python_draws(name, page):
    pytest.importorskip("anywidget")
    errors, _ = watch(page)
    f, more = FUNCTIONS[name]
    rng, followed = np.random.default_rng([len(name), ord(name[0])]), 0
    for dtype in ("float16", "float32", "float64"):
        numbers = [0.0, -0.0, *map(float, rng.choice(TYPED, 5)), float(rng.normal())]
        play = viz.play(f, x=(1.0, 2.0), dtype=dtype, **more)
        state, views = play.get_state(), []
        for number in numbers:
            play.x = number
            assert play.error == ""
            views.append(play.view)
        kept = ("view", "stop", "step", "controls", "css", "follows", "dtype", "rule", "error", "x", *more)
        state = {key: state[key] for key in kept if key in state}
        answers = page.evaluate(PLAY, [play.code, state, [repr(number) for number in numbers], views])
        for number, answer in zip(numbers, answers, strict=True):
            assert math.copysign(1, float(answer["sent"])) == math.copysign(1, number + 0.0), "there is one zero"
            assert float(answer["sent"]) == number
            followed += answer["follows"]
            close = 2e-2 if dtype == "float16" else 2e-3
            for got, want in zip(answer["page"], answer["python"], strict=True) if answer["follows"] else ():
                assert same(_blurred(got), _blurred(want), close), (dtype, number, got, want)
    assert followed > (3 if name == "a decision" else 18) and errors == []
