"""No verdict calls a rule right that fails for another upstream gradient, at inputs whose slope is 0 too."""

import linecache
import re

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.helpers.node import TAPE, run_js
from tests.viz.rule.test_tried import skeleton

FILES = (*TAPE, "numbers", "measured", "rule", "boxrule", "tried")
LOOK = """
return data.map(({ lane, rule, op, texts }) => {
  const run = tape(lane.drag.code);
  run.run();
  const tried = triedOf({ lane, run, rule });
  if (op && !tried.aimed(lane.drag.ops.findIndex(([name]) => name === op))) return null;
  const [{ name }] = tried.inputs, y = Object.keys(tried.names).pop();
  return texts.map((text) => {
    const first = text.replaceAll("{a}", name).replaceAll("{y}", y);
    const good = tried.read([first, ...tried.inputs.slice(1).map((input) => input.text)]);
    return good ? tried.looked(tried.entries[0], [-20, 20]).found : { refused: tried.inputs.map(({ wrong }) => wrong) };
  });
});
"""
logistic = lambda a: 1 / (1 + np.exp(-a))
#: Op -> the slope of its box as text, the function, the slope, and inputs at which the slope is 0 or has no size.
OPS = {
    "sin": ("cos({a})", np.sin, np.cos, [np.pi / 2, 0.0]),
    "cos": ("-sin({a})", np.cos, lambda a: -np.sin(a), [0.0, np.pi]),
    "tanh": ("(1 - tanh({a}) ** 2)", np.tanh, lambda a: 1 - np.tanh(a) ** 2, [0.0, 1.5]),
    "exp": ("exp({a})", np.exp, np.exp, [0.0, -1.0]),
    "square": ("2 * {a}", np.square, lambda a: 2 * a, [0.0, 1.0]),
    "sigmoid": ("{y} * (1 - {y})", logistic, lambda a: logistic(a) * (1 - logistic(a)), [0.0]),
}
#: What is done with the box b; the gradient that arrives there is 1, or another number, or depends on the inputs.
AROUND = ["b", "b + x", "2 * b", "b * w", "b * b", "x * b", "b - w * x", "mg.sin(b) + x", "b / (1 + x * x)"]
INSIDE = ["x", "x * w", "x + w", "x * x", "mg.sin(x)"]
RIGHT = "upstream * {s}"
WRONG = ["{s}", "-upstream * {s}", "upstream * upstream * {s}", "abs(upstream) * {s}", "upstream * {s} + 1 - upstream"]


class Numpy:
    sin, exp = np.sin, np.exp


class Program:
    """A function of x and w with one box of an op, and its gradient of x with another rule for the box, in float64."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.op = [*OPS][rng.integers(len(OPS))]
        self.slope, self.value, self.derivative, still = OPS[self.op]
        self.around, self.inside = AROUND[rng.integers(len(AROUND))], INSIDE[rng.integers(len(INSIDE))]
        if self.op in self.around + self.inside:
            self.around, self.inside = "b * w", "x"
        self.x, self.w = (
            float(np.float32(rng.choice([*still, 0.0, 1.0, -0.7]))),
            float(rng.choice([1.0, -2.0, 0.5, 0.0])),
        )
        self.source = (
            f"def f(x, w):\n    a = {self.inside}\n    b = mg.{self.op}(a)\n    return {self.around} + 0 * w\n"
        )
        name, space = f"<upstream {seed}>", {"mg": mg}
        linecache.cache[name] = (len(self.source), None, self.source.splitlines(True), name)
        exec(compile(self.source, name, "exec"), space)
        self.f = space["f"]

    def parts(self, x, w, b=None):
        a = eval(self.inside, {"mg": Numpy, "x": x, "w": w})
        b = self.value(a) if b is None else b
        return a, b, eval(self.around, {"mg": Numpy, "x": x, "w": w, "b": b})

    def gradient(self, x, w, u, rule):
        """The gradient of x for the upstream gradient `u`, with `rule` for the box; and its true gradient."""
        h, (a, b, _) = 1e-6, self.parts(x, w)
        slope = lambda f: (f(h) - f(-h)) / (2 * h)
        arrives = u * slope(lambda t: self.parts(x, w, b + t)[2])
        direct = u * slope(lambda t: self.parts(x + t, w, b)[2])
        space = {"upstream": arrives, "abs": abs, "s": self.derivative(a)}
        sent = eval(rule.replace("{s}", "s"), {"__builtins__": {}}, space)
        return sent * slope(lambda t: self.parts(x + t, w)[0]) + direct, u * slope(lambda t: self.parts(x + t, w)[2])


SAYS = re.compile(
    r"[Ff]or an upstream gradient of (-?\d+)(?: it gives|:) (\S+) instead of ([^\s;]+)"
    r"(?: at x = ([^\s,;]+?)(?=[,;.]? |[,;]|\.$))?"
)
TRIED = [RIGHT, *WRONG]
GROUP = 20


@pytest.mark.parametrize("group", range(8))
def test_a_box_whose_rule_forgets_or_bends_the_upstream_gradient_is_not_told_right(group):
    cases = [Program(seed) for seed in range(group * GROUP, (group + 1) * GROUP)]
    jobs = []
    for case in cases:
        view = viz.backward(case.f, x=case.x, w=case.w, mode="rule")
        texts = [text.format(s=f"({case.slope})") for text in TRIED]
        jobs.append({"lane": view.data()[0]["lanes"][0], "rule": view.rule, "op": case.op, "texts": texts})
    judged = 0
    for case, found in zip(cases, run_js(FILES, LOOK, jobs)):
        for rule, one in zip(TRIED, found):
            about = (case.source, case.x, case.w, rule, one)
            if rule == RIGHT:
                assert one["kind"] in ("right", "rounded", "corner", "blurred", "far", "unknown here"), about
                assert "instead" not in one["words"] or one["kind"] in ("rounded", "far"), about
            else:
                assert one["kind"] not in ("right", "corner"), about
                whole = re.search(r"[Rr]ight at all \d+ samples from \S+ to \S+[;.]", one["words"])
                assert not whole or one["kind"] in ("far", "others"), about
            if said := SAYS.search(one["words"]):
                u, got, want, x = (float(v) if v else case.x for v in said.groups())
                x = case.x if abs(x - case.x) < 1e-3 * max(1, abs(x)) else x  # it is written with four digits
                if " w = " not in one["words"]:
                    mine, true = case.gradient(x, case.w, u, rule)
                    assert got == pytest.approx(mine, rel=5e-3, abs=1e-5), about
                    assert want == pytest.approx(true, rel=5e-3, abs=1e-5), about
            judged += 1
    assert judged == GROUP * len(TRIED)


WHOLE = [(op, x) for op in OPS for x in (*OPS[op][3], 1.25)]


@pytest.mark.parametrize("op, x", WHOLE, ids=[f"{op}, {x:.3g}" for op, x in WHOLE])
def test_a_rule_of_the_function_that_forgets_upstream_is_told_so_by_the_page_and_by_python(op, x):
    view = viz.compare(lambda x: getattr(mg, op)(x), np.float32(x))
    rules = [text.format(s=f"({OPS[op][0].format(a='x', y='y')})") for text in TRIED]
    job = {"lane": view.data()[0]["lanes"][0], "rule": view.rule, "op": "", "texts": rules}
    for rule, page in zip(rules, run_js(FILES, LOOK, [job])[0]):
        assert skeleton(page["words"]) == skeleton(view.try_rule(x=rule)), rule
        right = rule.startswith("upstream *") and rule.count("upstream") == 1
        assert (page["kind"] in ("right", "rounded", "far")) == right, (rule, page)
