"""What reports say of random programs, beside 50 digits of mpmath and plain NumPy: points at which a repair is equal,
an infinity that is meant, and the pass in which a nan first appears.

MINIGRAD_RANDOM_PROGRAMS sets how many programs are drawn.
"""

import os

import mpmath
import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from minigrad.diagnostics.repair_proof import ROUNDED
from minigrad.diagnostics.repair_report import NOTHING
from minigrad.tracing.replay import graph_of
from tests.diagnostics.nan_programs import executed, reported

pytestmark = pytest.mark.filterwarnings("ignore")
MANY = int(os.environ.get("MINIGRAD_RANDOM_PROGRAMS", 8))

#: Expressions of x that lose a value or a slope, the number at which they do, and where their true values are compared.
LOST = {
    "mg.log(1 + mg.exp(x))": (100.0, (-8, 8)),
    "mg.log(mg.sigmoid(x))": (-120.0, (-8, 8)),
    "mg.log(1 - mg.sigmoid(x))": (120.0, (-8, 8)),
    "mg.exp(x) / (1 + mg.exp(x))": (100.0, (-8, 8)),
    "(mg.exp(x) - mg.exp(-x)) / (mg.exp(x) + mg.exp(-x))": (95.0, (-8, 8)),
    "mg.sin(x) / x": (0.0, (0.2, 3)),
    "x * mg.log(x)": (0.0, (0.2, 3)),
    "(mg.exp(x) - 1) / x": (0.0, (0.2, 3)),
    "mg.log1p(x) / x": (0.0, (0.2, 3)),
    "mg.sqrt(x ** 2)": (0.0, (0.2, 3)),
    "mg.log(mg.cosh(x))": (100.0, (-8, 8)),
    "(1 - mg.cos(x)) / x ** 2": (0.0, (0.2, 3)),
    "mg.tanh(x) / mg.sin(x)": (0.0, (0.2, 3)),
}
#: What is computed from them; v is their value, a and b are numbers.
AROUND = [
    "{a} * v + {b} * x", "mg.sin(v) + {b} * x ** 2", "v ** 2 * {a}", "mg.tanh({a} * v) + {b}", "(v + {a}) * x + {b}",
]  # fmt: skip


class Exact:
    """minigrad's names in mpmath."""

    def __getattr__(self, name):
        more = {"sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "log1p": lambda x: mpmath.log(1 + x)}
        return more.get(name) or getattr(mpmath, name)


def source_of(rng):
    """The text of a random program, its input, and the ends between which it is compared."""
    inner = str(rng.choice([*LOST]))
    around = str(rng.choice(AROUND)).format(a=round(float(rng.uniform(0.3, 2)), 2), b=round(float(rng.normal()), 2))
    text = f"import minigrad as mg\ndef program(x):\n    v = {inner}\n    return {around}\n"
    return text, *LOST[inner]


@pytest.mark.parametrize("seed", range(MANY))
def test_a_repair_that_is_equal_at_other_points_is_equal_at_further_ones(seed):
    """The offered lines are run at points that the search did not choose; the original has 50 digits there."""
    rng = np.random.default_rng(seed)
    source, bad, ends = source_of(rng)
    report, _ = reported(source, [mg.constant(np.float32(bad))])
    checks = [check for check in report.repair.checks if check.startswith("equal to the program at")]
    if not (report and checks):
        return
    assert report.repair.edits, report
    new = executed(edited(source, report.repair.edits))
    names = {"mg": Exact()}
    exec(source.replace("import minigrad as mg\n", ""), names)
    points = [float(p) for p in rng.uniform(*ends, 5)]
    with mpmath.workdps(50):
        true = [(names["program"](mpmath.mpf(p)), mpmath.diff(names["program"], mpmath.mpf(p))) for p in points]
    for point, (value, slope) in zip(points, true):
        x = mg.constant(np.float64(point))
        y = new(x)
        assert float(y.value) == pytest.approx(float(value), rel=1e-9, abs=1e-9), (point, report)
        if "gradient" in checks[0]:
            (g,) = mg.gradients(y, [x])
            assert float(g.value) == pytest.approx(float(slope), rel=1e-7, abs=1e-7), (point, report)


#: Programs that hold an infinity and need it, with the true value and gradient of each as NumPy computes it.
def masked_softmax(x, hidden):
    return mg.sum(mg.softmax(mg.where(hidden, -np.inf, x)) * np.arange(x.size, dtype=np.float32))


def masked_logsumexp(x, hidden):
    return mg.logsumexp(mg.where(hidden, -np.inf, x))


def running_minimum(x, hidden):
    return mg.min(mg.where(hidden, np.inf, x))


def closest(x, hidden):
    return mg.sum(mg.minimum(np.inf, x))


def largest(x, hidden):
    return mg.max(mg.concatenate([mg.constant(np.array([-np.inf], np.float32)), x]))


HONEST = [masked_softmax, masked_logsumexp, running_minimum, closest, largest]
#: Faults, each with the ops that a report may name.
FAULTS = {
    "sqrt": (lambda z: mg.sum(mg.sqrt(z * 0.0)), {"sqrt"}),
    "log": (lambda z: mg.sum(mg.log(z * 0.0) * 0.0), {"log", "multiply"}),
    "divide": (lambda z: mg.sum((z - z) / (z - z)), {"divide"}),
    "exp": (lambda z: mg.sum(mg.log(1 + mg.exp(z * 0.0 + 200.0))), {"exp"}),
}


@pytest.mark.parametrize("seed", range(MANY))
def test_an_infinity_that_is_meant_is_not_blamed(seed):
    rng = np.random.default_rng(seed)
    honest, fault = HONEST[rng.integers(len(HONEST))], str(rng.choice([*FAULTS, "none", "none"]))
    x, z = (mg.constant(rng.normal(size=4).astype(np.float32)) for _ in range(2))
    hidden = np.array([True, False, False, bool(rng.integers(2))])
    y = honest(x, mg.constant(hidden)) * float(rng.uniform(0.5, 2))
    (slope,) = mg.gradients(y, [x])
    assert np.isfinite(y.value) and np.isfinite(slope.value).all(), "the infinity is right"
    if fault != "none":
        y = y + FAULTS[fault][0](z)
    report = mg.find_nan(y, names={"x": x, "z": z})
    assert bool(report) == (fault != "none"), report
    for one in (report, *report.others) if report else ():
        assert {one.op, one.repair.op} & FAULTS[fault][1], (honest.__name__, report)
        assert "x" not in one.reaches, (honest.__name__, report)
        assert one.kind != "input" and "softmax" not in one.repair.cause, report


#: Elementwise steps of a program, each in minigrad's and in NumPy's names.
STEPS = ["exp({})", "{} * {}", "sqrt({})", "log({})", "1 / {}", "{} - {}", "tanh({})", "{} * 1e20", "{} + 1", "-{}"]


@pytest.mark.parametrize("seed", range(4 * MANY))
def test_a_nan_of_the_backward_pass_has_no_nan_among_the_values(seed):
    """NumPy computes the same steps in float32, and finds the first value that is nan or infinite."""
    rng = np.random.default_rng(seed)
    values = [np.float32(rng.choice([0.0, 1.0, -1.0, 60.0, 3.5]))]
    x = mg.constant(values[0])
    nodes, ops = [x], [""]
    for step in rng.choice(STEPS, 5):
        if rng.integers(3):  # most steps read the last one
            at = len(nodes) - 1
        else:
            at = int(rng.integers(len(nodes)))
        for made, of, holder in ((nodes, nodes[at], mg), (values, values[at], np)):
            names = {name: getattr(holder, name) for name in ("exp", "sqrt", "log", "tanh")}
            with np.errstate(all="ignore"):
                result = eval(str(step).replace("{}", "a"), names, {"a": of})
            made.append(result if holder is mg else np.float32(result))
        ops.append(str(step))
    y = nodes[-1]
    for node, value in zip(nodes, values):
        np.testing.assert_allclose(node.value, value, rtol=1e-5)
    report = mg.find_nan(y, names={"x": x})
    behind = {node.serial for node in graph_of(y)}
    held = [value for node, value in zip(nodes, values) if node.serial in behind]
    (g,) = mg.gradients(y, [x])
    lost = [np.asarray(y.value), np.zeros(()) if g is None else np.asarray(g.value)]
    finite = all(np.isfinite(v) for v in lost)
    assert report or finite, ops
    assert bool(report) != finite or (NOTHING in str(report) and np.isinf(held).any()), (ops, report)
    if not report:
        return
    if report.phase == "backward" and report.word == "nan":
        assert not np.isnan(held).any(), (ops, values, report)
    if report.phase == "forward":
        assert (np.isnan if report.word == "nan" else np.isinf)(held).any(), (ops, values, report)
    if report.word == "inf":
        assert not any(map(np.isnan, lost)), (ops, report)
    if "too large for its dtype" in str(report):
        assert np.isinf(held).any() or not np.isfinite(lost[1]), (ops, values, report)


def test_a_gradient_is_said_to_be_lost_to_rounding_only_where_it_is():
    """Both halves of a cross entropy: 1 - sigmoid(35) has one digit in float64. The oracle is the exact gradient."""

    def loss(z, t):
        p = mg.sigmoid(z)
        return -mg.mean(t * mg.log(p) + (1 - t) * mg.log(1 - p))

    claims = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        logits, labels = rng.uniform(-40, 37, 6), (rng.random(6) > 0.5) * 1.0
        logits[0], labels[0] = rng.uniform(33, 36.7), 0.0
        z = mg.constant(logits.astype("float32"))
        exact = (1 / (1 + np.exp(-z.value.astype("float64"))) - labels) / 6
        repair = mg.find_nan(loss(z, labels.astype("float32")), names={"z": z}).repair
        if ROUNDED in repair.checks:
            wide = mg.constant(z.value.astype("float64"))
            (programs_own,) = mg.gradients(loss(wide, labels), [wide])
            assert np.abs(programs_own.value - exact).max() > 1e-3
            np.testing.assert_allclose(repair.after.gradients[0], exact, atol=1e-7)
            claims += 1
    assert claims >= 8
