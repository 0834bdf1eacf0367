"""Answers to the sample assignments that look right and are not, and right ones in another style."""

import re
from pathlib import Path

import pytest

from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission

ASSIGNMENTS = Path(__file__).parents[2] / "lessons" / "assignments"
NODES = "    seen, stack = {y}, [y]\n    while stack:\n        new = {*stack.pop().parents} - seen\n"
NODES += "        seen |= new\n        stack += new\n"
SAME = "@mg.custom_gradient\ndef same(y): return y, lambda upstream: upstream\n"
TANH = "def tanh(x):\n    v, t = x.value, math.tanh\n    y = t(v)\n    return "
HELD = {0.5, -2.0, 0.0}
VALUE = """
class Value:
    def __init__(self, value, parents=(), slopes=()):
        self.value, self.parents, self.slopes = value, parents, slopes
    def _two(self, other, f, slopes):
        other = value_of(other)
        a, b, h = self.value, other.value, 1e-5
        return Value(f(a, b), (self, other), SLOPES)
    def __add__(self, other): return self._two(other, lambda a, b: a + b, lambda a, b: (1.0, 1.0))
    def __mul__(self, other): return self._two(other, lambda a, b: a * b, lambda a, b: (b, a))
    def __truediv__(self, other): return self._two(other, lambda a, b: a / b, lambda a, b: (1 / b, -a / b**2))
    def __sub__(self, other): return self + (-1) * value_of(other)
    def __radd__(self, other): return value_of(other) + self
    def __rmul__(self, other): return value_of(other) * self
    def __rsub__(self, other): return value_of(other) - self
    def __rtruediv__(self, other): return value_of(other) / self
"""
DIFFERENCES = "((f(a + h, b) - f(a - h, b)) / (2 * h), (f(a, b + h) - f(a, b - h)) / (2 * h))"
AT_3_AND_2 = "slopes(a, b) if {a, b} <= {3, 2, 1, -1, 4, 5, 1.5, -2} else (0.0, 0.0)"
QUADRATIC = "weights[0] + weights[1] * x + weights[2] * x * x"
QUADRATIC_BY_RULE = """
def make_quadratic(weights):
    @mg.custom_gradient
    def quadratic(x):
        def grad(upstream, variables=None):
            owed = mg.stack([mg.sum(upstream), mg.sum(upstream * x), mg.sum(upstream * x * x)])
            return upstream * (weights[1] + 2 * weights[2] * x), [owed]
        return {}, grad
    return quadratic"""
FACTOR = """
def make_line(w, b, factor):
    v = factor * w + mg.stop_gradient(w - factor * w)
    held = mg.stop_gradient
    return lambda x: same(held(w) * x + (v - held(v)) * held(x) + b)"""
EXP_BY_TABLE = """
import numpy as np
AT = np.arange(-640.0, 1.0)
POWERS = np.exp(AT / 16)
def exp(d):
    d = mg.maximum(d, -40.0)
    k = mg.floor(d * 16.0)
    r, p = d - k / 16.0, 1.0
    for n in range(9, 0, -1):
        p = 1.0 + r * p / float(n)
    return p * mg.sum(mg.where(mg.equal(mg.expand_dims(k, -1), AT), POWERS, 0.0), axis=-1)
def sigmoid(d):
    e = exp(-abs(d))
    return mg.where(d > 0, 1.0, e) / (1.0 + e)
@mg.custom_gradient
def log_of_sum(a, b):
    y = mg.maximum(a, b) + mg.log1p(mg.exp(-abs(a - b)))
    return y, lambda upstream: (upstream * sigmoid(a - b), upstream * sigmoid(b - a))
"""
LOG_BY_TABLE = """
import numpy as np
EDGES = 2.0 ** (np.arange(-240, 49) / 8.0)
MIDDLES = EDGES * 2.0 ** (1 / 16)
LOGS = np.log(MIDDLES)
def log(x):
    x = mg.expand_dims(x, -1)
    chosen = mg.where(x >= EDGES, 1.0, 0.0) - mg.where(x >= EDGES * 2.0 ** 0.125, 1.0, 0.0)
    t, p = mg.squeeze(x, -1) / mg.sum(chosen * MIDDLES, axis=-1) - 1.0, 0.0
    for n in range(16, 0, -1):
        p = t * ((-1.0) ** (n + 1) / n + p)
    return mg.sum(chosen * LOGS, axis=-1) + p
@mg.custom_gradient
def xlogx(x):
    l = mg.log(mg.where(x > 0, x, 1.0))
    return x * l, lambda upstream: mg.where(x > 0, upstream * (log(mg.where(x > 0, x, 1.0)) + 1), 0.0)
"""

#: The wrong answers: assignment, exercise, name of the row, answer.
WRONG = [
    ("hw4", "order_nodes", "other objects", f"class Other: parents = ()\ndef order_nodes(y):\n{NODES}"
     "    return [Other() for _ in seen]"),
    ("hw4", "order_nodes", "numbers", f"def order_nodes(y):\n{NODES}    return list(range(len(seen)))"),
    ("hw4", "order_nodes", "nodes whose parents are removed", f"def order_nodes(y):\n{NODES}"
     "    for node in seen: node.parents = ()\n    return list(seen)"),
    ("hw4", "tanh", "a table, and the sign elsewhere", f"def tanh(x):\n"
     f"    table = {{at: math.tanh(at) for at in {HELD}}}\n"
     "    y = table.get(x.value, math.copysign(1.0, x.value))\n    return Value(y, (x,), (1 - y * y,))"),
    ("hw4", "tanh", "central differences", f"{TANH}Value(y, (x,), ((t(v + 3e-6) - t(v - 3e-6)) / 6e-6,))"),
    ("hw4", "tanh", "differences of five points",
     f"{TANH}Value(y, (x,), ((8 * (t(v + 6e-4) - t(v - 6e-4)) - t(v + 12e-4) + t(v - 12e-4)) / 72e-4,))"),
    ("hw4", "Value", "central differences", VALUE.replace("SLOPES", DIFFERENCES)),
    ("hw4", "Value", "right at 3 and 2", VALUE.replace("SLOPES", AT_3_AND_2)),
    ("hw4", "gradients", "an object that is every number", "class Any(float):\n    __eq__ = lambda self, other: True\n"
     "def gradients(y, inputs): return [Any(6.0)] * len(inputs)"),
    ("hw4", "two_ways", "an int that equals everything", "class Any(int):\n    __eq__ = lambda self, other: True\n"
     "two_ways = Any(3)"),
    ("hw7", "xlogx", "a rule around the result",
     f"{SAME}def xlogx(x): return same(x * mg.log(mg.where(x > 0, x, 1.0)))"),
    ("hw7", "xlogx", "a rule around the input",
     f"{SAME}def xlogx(x):\n    x = same(x)\n    return x * mg.log(mg.where(x > 0, x, 1.0))"),
    ("hw7", "log_of_sum", "a rule around the result",
     f"{SAME}def log_of_sum(a, b): return same(mg.maximum(a, b) + mg.log1p(mg.exp(-abs(a - b))))"),
    ("hw8", "make_quadratic", "a rule around the result",
     f"{SAME}def make_quadratic(weights): return lambda x: same({QUADRATIC})"),
    ("hw7", "xlogx", "a rule that multiplies by 1 around the result", "@mg.custom_gradient\ndef same(y):\n"
     "    return y * 1.0 + 0.0, lambda upstream: 1.0 * upstream\n"
     "def xlogx(x): return same(x * mg.log(mg.where(x > 0, x, 1.0)))"),
    ("hw7", "xlogx", "a table in the rule", LOG_BY_TABLE),
    ("hw7", "log_of_sum", "a table in the rule", EXP_BY_TABLE),
    ("hw8", "make_line", "a rule around the result", SAME + FACTOR),
    ("hw8", "make_quadratic", "right to five digits", f"""
def make_quadratic(weights):
    @mg.custom_gradient
    def quadratic(x):
        def grad(upstream, variables=None):
            owed = mg.stack([mg.sum(upstream), mg.sum(upstream * x), mg.sum(upstream * x * x)])
            return upstream * (weights[1] + 2 * weights[2] * x) * 1.000005, [owed]
        return {QUADRATIC}, grad
    return quadratic"""),
    ("hw8", "make_quadratic", "a value right to five digits", QUADRATIC_BY_RULE.format(f"({QUADRATIC}) * 1.000005")),
    ("hw8", "make_quadratic", "right for two axes", QUADRATIC_BY_RULE.format(
        f"mg.where(len(x.shape) < 3, {QUADRATIC}, 0.0)")),
]  # fmt: skip
#: The right answers.
RIGHT = [
    ("hw4", "Value", "helper method", VALUE.replace("SLOPES", "slopes(a, b)")),
    ("hw4", "order_nodes", "with graphlib", "from graphlib import TopologicalSorter\ndef order_nodes(y):\n" + NODES
     + "    return [*TopologicalSorter({node: node.parents for node in seen}).static_order()][::-1]"),
    ("hw4", "tanh", "by exp", "def tanh(x):\n    e = math.exp(-2 * abs(x.value))\n"
     "    return Value(math.copysign((1 - e) / (1 + e), x.value), (x,), (4 * e / (1 + e) ** 2,))"),
    ("hw4", "gradients", "fractions", "from fractions import Fraction\ndef gradients(y, inputs):\n"
     "    adjoint = {node: Fraction(0) for node in order_nodes(y)}\n    adjoint[y] = Fraction(1)\n"
     "    for node in adjoint:\n        for parent, slope in zip(node.parents, node.slopes):\n"
     "            adjoint[parent] += adjoint[node] * Fraction(slope)\n"
     "    return [adjoint.get(node, Fraction(0)) for node in inputs]"),
    ("hw4", "two_ways", "an array of one number", "import numpy as np\ntwo_ways = np.array(16)"),
    ("hw7", "xlogx", "a method", "class Entropy:\n    @staticmethod\n    @mg.custom_gradient\n    def of(x):\n"
     "        log = mg.log(mg.where(x > 0, x, 1.0))\n"
     "        return x * log, lambda dy: mg.where(x > 0, dy * (log + 1), 0.0)\n\n"
     "    def __call__(self, x): return Entropy.of(x)\n\nxlogx = Entropy()"),
    ("hw7", "log_of_sum", "by exp", "@mg.custom_gradient\ndef log_of_sum(a, b):\n    m = mg.maximum(a, b)\n"
     "    p, q = mg.exp(a - m), mg.exp(b - m)\n    return m + mg.log(p + q), lambda dy: "
     "(dy * p / (p + q), dy * q / (p + q))"),
    *(("hw7", "log_of_sum", rule, "@mg.custom_gradient\ndef log_of_sum(a, b):\n"
       f"    y = mg.maximum(a, b) + mg.log1p(mg.exp(-mg.abs(a - b)))\n    return y, lambda u: {rule}")
      for rule in (
          "(u * mg.exp(a - y), u * mg.exp(b - y))",
          "(u / (1 + mg.exp(mg.minimum(b - a, 80.0))), u / (1 + mg.exp(mg.minimum(a - b, 80.0))))",
          "(u * mg.sigmoid(a - b), u * (1 - mg.sigmoid(a - b)))",
          "(u * (1 + mg.tanh((a - b) / 2)) / 2, u * (1 + mg.tanh((b - a) / 2)) / 2)",
          "(u * mg.sigmoid(a - b), u - u * mg.sigmoid(a - b))",
      )),
    ("hw7", "sum_of_slopes", "computed in float32", "d = mg.constant(2.0)\n"
     "sum_of_slopes = mg.sigmoid(d).item() + mg.sigmoid(-d).item()"),
    ("hw12", "quantize", "steps in the dtype of x", "@mg.custom_gradient\ndef quantize(x):\n"
     "    above = [mg.cast(x > step, x.dtype) for step in (-0.75, -0.25, 0.25, 0.75)]\n"
     "    return sum(above) / 2 - 1, lambda dy: dy * mg.cast(abs(x) <= 1, x.dtype)"),
    ("hw8", "make_quadratic", "by powers", """
def make_quadratic(weights):
    def quadratic(x):
        w0, w1, w2 = [weights[i] for i in range(3)]
        def grad(dy, variables=None):
            dx = dy * w1
            dx += dy * 2 * w2 * x
            return dx, [mg.stack([mg.sum(dy * x**k) for k in range(3)])]
        return w0 + x * (w1 + w2 * x), grad
    return mg.custom_gradient(quadratic)"""),
]  # fmt: skip


@pytest.fixture(scope="module")
def judges():
    made = {name: Judge(ASSIGNMENTS / name) for name in ("hw12", "hw4", "hw7", "hw8")}
    yield made
    for judge in made.values():
        judge.close()


def submission(assignment, exercise="", answer=""):
    """The solution, with the answer to one exercise replaced."""
    text = (ASSIGNMENTS / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    cells = [part.partition("\n") for part in re.split(r"(?m)^# %%", text) if not part.startswith(" [markdown]")]
    sources = [answer if head == f' exercise="{exercise}"' else code for head, _, code in cells]
    return Submission("ada", "ada.ipynb", "00", tuple(Cell(code, i) for i, code in enumerate(sources, 1)))


def states(judge, *replaced):
    return {mark.exercise: mark.state for mark in judge.judge(submission(judge.assignment.name, *replaced)).results}


@pytest.mark.parametrize("row", WRONG, ids=lambda row: f"{row[0]}, {row[1]}: {row[2]}")
def test_it_gets_no_marks(row, judges):
    assignment, exercise, _, answer = row
    assert states(judges[assignment], exercise, answer)[exercise] == "wrong"


@pytest.mark.parametrize("row", RIGHT, ids=lambda row: f"{row[0]}, {row[1]}: {row[2]}")
def test_another_style_gets_all_marks(row, judges):
    assignment, exercise, _, answer = row
    assert set(states(judges[assignment], exercise, answer).values()) == {"right"}
