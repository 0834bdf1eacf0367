"""Reasons: programs that are known to end in nan or inf, and what is said about them."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.origins import nan_origins
from minigrad.tracing.labels import titles
from tests.helpers.traces import log1pexp, repaired

F32 = np.float32


def born(y, **names):
    return nan_origins(mg.backward_trace(y, names=names))


def x(value):
    return mg.constant(value)


@mg.custom_gradient
def returns_nan(a):
    return a * 1.0, lambda dy: dy * float("nan")


PROGRAMS = {
    "log of 1 + exp": (lambda a: mg.log(1 + mg.exp(a)), 100.0, "nan", "0 * inf", "exp"),
    "exp of -inf side": (lambda a: mg.exp(-mg.exp(a)), 100.0, "nan", "0 * inf", "exp"),
    "tanh of exp": (lambda a: mg.tanh(mg.exp(a)), 100.0, "nan", "0 * inf", "exp"),
    "root of square at 0": (lambda a: mg.sqrt(a * a), 0.0, "inf", "domain", "sqrt"),
    "root at 0": (lambda a: mg.sqrt(a), 0.0, "inf", "domain", "sqrt"),
    "log at 0": (lambda a: mg.log(a), 0.0, "inf", "domain", "log"),
    "reciprocal at 0": (lambda a: 1.0 / a, 0.0, "inf", "domain", None),
    "log below 0": (lambda a: mg.sqrt(a), -1.0, "nan", "domain", "sqrt"),
    "x over x at 0": (lambda a: a / a, 0.0, "inf", "domain", "divide"),
    "where around log": (lambda a: mg.where(a > 0, mg.log(a), 0.0 * a), 0.0, "nan", "masked branch", "log"),
    "where around root": (lambda a: mg.where(a > 0, mg.sqrt(a), a), 0.0, "nan", "masked branch", "sqrt"),
    "maximum beside root": (lambda a: mg.maximum(mg.sqrt(a), 1.0 + a), 0.0, "nan", "masked branch", "sqrt"),
    "product too large": (lambda a: (a * 1e30) * 1e30, 1e-30, "inf", "overflow", "multiply"),
    "exp alone": (lambda a: mg.exp(a), 100.0, "inf", "overflow", "exp"),
    "inf minus inf": (lambda a: mg.log(a) - 2.0 * mg.log(a), 0.0, None, "inf - inf", None),
    "a rule that returns nan": (returns_nan, 1.0, "nan", "custom rule", "returns_nan"),
}


def test_the_origin_is_found_and_named(subtests):
    for name, (f, at, word, kind, op) in PROGRAMS.items():
        with subtests.test(name):
            a = x(F32(at))
            trace = mg.backward_trace(f(a), names={"a": a})
            found = nan_origins(trace)
            assert kind in [origin.kind for origin in found]
            origin = next(b for b in found if b.kind == kind)
            assert word in (None, origin.word)
            if op is not None:
                assert trace.nodes[origin.node].op == op
            assert origin.sentence and not origin.sentence.endswith(".")


def test_the_sentence_holds_the_numbers_and_the_origin():
    (origin,) = nan_origins(log1pexp())
    assert origin.kind == "0 * inf" and origin.word == "nan"
    assert origin.sentence == (
        "exp sends 0 · inf = nan to x: the upstream gradient is 0, the slope exp(x) is inf. "
        "The inf is the value of exp: exp(100) is larger than 3.4e38, the largest float32"
    )
    assert origin.paths == ((1, 0),)


@pytest.mark.parametrize(
    ("f", "at", "words"),
    [
        (lambda a: mg.exp(mg.log1p(a)), -1.0, "The -inf is the value of log1p: log1p(-1) is -inf"),
        (
            lambda a: mg.sqrt(a),
            -1.0,
            "1 / (2 · sqrt(a)) is nan at a = -1, outside the domain of sqrt",
        ),
        (lambda a: mg.sum(mg.sqrt(a)), [4.0, -1.0, 9.0], "is nan at a = -1, outside the domain of sqrt"),
        (lambda a: -mg.exp(a) * mg.exp(a), 80.0, "is below -3.4e38, the lowest float32"),
        (lambda a: mg.exp(1.0 / a) * 0.0, 0.0, "is inf"),
    ],
)
def test_the_sentence_names_the_number_that_left_and_is_true(f, at, words):
    a = x(at)
    said = [origin.sentence for origin in born(f(a), a=a)]
    assert any(words in sentence for sentence in said), said
    assert not any("log1p(-1) is larger" in sentence or "sqrt is outside" in sentence for sentence in said)


def test_a_ghost_has_its_own_births_and_the_real_pass_none():
    trace = repaired()
    assert nan_origins(trace) == ()
    (origin,) = nan_origins(trace, trace.ghosts[0].steps, ghost=True)
    assert origin.ghost and origin.kind == "0 * inf"


def test_the_path_leads_to_every_leaf_that_the_nan_reaches():
    a, b, c = x(0.0), x(2.0), x(3.0)
    y = mg.sqrt(a * b) * 0.0 + c
    trace = mg.backward_trace(y, names={"a": a, "b": b, "c": c})
    (origin, *_) = nan_origins(trace)
    ends = {trace.nodes[path[-1]].name for path in origin.paths}
    assert ends == {"a", "b"}
    assert all(path[0] == origin.node for path in origin.paths)


def test_a_finite_pass_has_no_births():
    assert born(mg.exp(x(1.0)) * 2.0) == ()


def test_arrays_are_judged_too():
    a = mg.constant(np.array([100.0, 1.0], np.float32))
    (origin,) = [b for b in born(mg.log(1 + mg.exp(a)).sum(), a=a) if b.word == "nan"]
    assert origin.kind == "0 * inf"


def test_titles_are_unique_and_short():
    a = x(1.0)
    trace = mg.backward_trace((a + a) * (a + 2.0), names={"a": a})
    name = titles(trace)
    ops = [name[n.id] for n in trace.nodes if n.kind != "const"]
    assert len(set(ops)) == len(ops) and "a" in ops


def test_products_that_overflow_and_are_added_are_no_slope_of_nan():
    """x is broadcast: its gradient adds 1e30 · 1e30 and -1e30 · 1e30, both beyond float32."""
    x = mg.constant(np.float32(0.0))
    a = np.array([1e30, -1e30], np.float32)
    report = mg.find_nan(mg.sum(mg.constant(np.array([1e30, 1e30], np.float32)) * (a * x)), xs=[x])
    assert (report.phase, report.word, report.kind) == ("backward", "nan", "overflow")
    assert "some products are too large for float32, and inf and -inf among them are added" in report.sentence
    assert "is nan at" not in report.sentence


def test_an_op_that_is_infinite_elsewhere_is_not_called_the_cause_of_a_nan():
    def log_density(x, log_width):
        width = mg.exp(log_width)
        return -mg.log(width) - x**2 / (2 * width**2)

    report = mg.find_nan(log_density, mg.constant(0.0), mg.constant(-104.0))
    assert (report.op, report.kind) == ("divide", "0 / 0")
    assert "log of 0" not in str(report)
    behind = mg.find_nan(lambda x: mg.log(x) * x, mg.constant(0.0))
    assert behind.repair.op == "log" and "multiply" in str(behind)


def test_a_nan_in_a_matrix_product_is_told_by_its_own_products():
    """Zeros are planted in either operand; the kind is counted from the products in numpy."""
    random, kinds = np.random.default_rng(3), []
    for n in range(50):
        a, w, g = (random.normal(size=shape) for shape in ((3, 4), (4, 2), (3, 2)))
        for array in (a, w)[: n % 3]:
            array[random.random(array.shape) < 0.15] = 0.0
        g[random.random(g.shape) < 0.5] *= np.inf
        left, right = mg.constant(a), mg.constant(w)
        with np.errstate(all="ignore"):
            found = born(mg.sum((left @ right) * g))
            products = {1: g[:, None, :] * w[None], 2: a[:, :, None] * g[:, None, :]}
        for origin in [o for o in found if o.sentence.startswith("matmul") and o.word == "nan"]:
            arg = 1 if origin.to == 0 else 2
            lost = np.isnan(products[arg]).any()
            assert origin.kind == ("0 * inf" if lost else "inf - inf"), (n, origin.sentence)
            assert ("multiplies it by 0" in origin.sentence) == lost
            kinds.append(origin.kind)
    assert min(kinds.count("0 * inf"), kinds.count("inf - inf")) > 5


def test_a_zero_in_another_operand_is_not_the_factor():
    random = np.random.default_rng(0)
    x, w = mg.constant(random.normal(size=(6, 4))), mg.constant(random.normal(size=(4, 3)))
    with np.errstate(all="ignore"):
        report = mg.find_nan(mg.sum(mg.exp(mg.relu(x) @ w + 950.0)), xs=[x])
    assert report.kind == "inf - inf" and "by 0" not in report.sentence
