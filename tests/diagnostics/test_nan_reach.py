"""A cause belongs to what it reaches: two origins, the numbers that met, and infinities that are meant."""

import numpy as np
import pytest

import minigrad as mg

pytestmark = pytest.mark.filterwarnings("ignore")
INF = np.float32(np.inf)


def test_two_nans_of_one_program_have_two_causes_and_one_repair_of_both():
    x, y = mg.constant([0.0, 0.0]), mg.constant([0.0, 200.0])
    report = mg.find_nan(mg.norm(x * 0 + 1) + mg.sqrt(mg.sum(x**2)) + mg.log(mg.softmax(y))[0], names={"x": x, "y": y})
    (other,) = report.others
    assert (report.reaches, other.reaches) == (("y",), ("x",))
    assert (report.repair.op, other.repair.op) == ("log", "sqrt")
    assert "log_softmax(y)" in str(report.repair.rewrites) and "norm(x)" in str(report.repair.rewrites)
    assert not other.repair.rewrites and "no repair" not in str(report).lower()


def test_each_of_two_nans_has_its_own_repair_where_an_infinite_slope_stays():
    x, y, z = mg.constant([0.0, 0.0]), mg.constant([0.0, 200.0]), mg.constant([0.0, 4.0])
    y_z = mg.log(mg.softmax(y))[0] + 2 * mg.sum(mg.sqrt(z))
    report = mg.find_nan(mg.sqrt(mg.sum(x**2)) + y_z, names={"x": x, "y": y, "z": z})
    found = {one.reaches: one.repair for one in (report, *report.others)}
    assert found.keys() == {("x",), ("y",), ("z",)}
    assert found["y",].rewrites == (("log(softmax(y))", "log_softmax(y)"),)
    assert ("sqrt(sum(x ** 2))", "norm(x)") in found["x",].rewrites and not found["z",]


@pytest.mark.parametrize("honest", [lambda y: mg.sum(mg.sqrt(y)), lambda y: mg.sum(mg.arccos(1 - y))])
def test_an_infinite_slope_elsewhere_does_not_hide_the_repair(honest):
    x, y = mg.constant([100.0, 2.0]), mg.constant([0.0, 0.5])
    report = mg.find_nan(mg.sum(mg.log(1 + mg.exp(x))) + honest(y), names={"x": x, "y": y})
    assert report.repair and "softplus(x)" in str(report.repair.rewrites) and report.reaches == ("x",)
    assert [(other.word, other.reaches) for other in report.others] == [("inf", ("y",))]


def test_the_nan_of_one_input_is_not_blamed_on_another():
    a, b, c = mg.constant(np.nan), mg.constant([1.0, 2.0]), mg.constant([np.nan, 1.0])
    report = mg.find_nan(mg.sum(c * b) + a, names={"a": a, "b": b, "c": c})
    (other,) = report.others
    assert "the input a is nan" in report.sentence and report.reaches == () and "a is nan" in report.repair.words
    assert "the input c is nan" in other.sentence and other.reaches == ("b",) and "c is nan" in other.repair.words


def test_an_infinite_constant_that_is_meant_is_not_blamed():
    x = mg.constant([0.0, 0.0])
    report = mg.find_nan(mg.minimum(mg.sqrt(mg.sum(x**2)), INF), names={"x": x})
    assert report.repair.rewrites == (("sqrt(sum(x ** 2))", "norm(x)"),) and report.others == ()


def test_a_nan_that_reaches_nothing_is_none():
    x = mg.constant([0.0, 1.0])
    report = mg.find_nan(mg.sum(mg.where(x > 0, mg.where(x > 0, x, np.float32(np.nan)), 1.0)), names={"x": x})
    assert "the input x" not in report.sentence and report.reaches == ()


@pytest.mark.parametrize(
    "make, kind, words",
    [
        (lambda a: mg.sum(mg.matmul(np.float32([[1, 0]]), 1 / a)), "0 * inf", "in row 0, 0 · inf is nan"),
        (lambda a: mg.sum(np.float32([[1, 1]]) @ (mg.log(a / 4) + 1 / (2 - a))), "inf - inf", "adds inf and -inf"),
        (lambda a: mg.sum(mg.concatenate([1 / a, mg.log(a)])), "inf - inf", "adds inf and -inf"),
        (lambda a: mg.mean(mg.concatenate([1 / a, mg.log(a)])), "inf - inf", "adds inf and -inf"),
        (lambda a: mg.sum(mg.softmax(1 / a)), "inf - inf", "subtracts the largest score"),
        (lambda a: mg.sum(mg.reshape(1 / a, (2, 1)) * np.float32([1, 0])), "0 * inf", "multiply(inf, 0)"),
    ],
)  # fmt: skip
def test_the_two_numbers_that_met_are_told(make, kind, words):
    report = mg.find_nan(make(mg.constant([2.0, 0.0])))
    assert report.phase == "forward" and report.kind == kind and words in report.sentence


def test_infinities_of_opposite_sign_that_are_added_for_a_bias():
    b = mg.constant(0.0)
    report = mg.find_nan(mg.sum((np.float32([1e20, -1e20]) + b) ** 4), names={"b": b})
    assert report.kind == "inf - inf" and "slope 1 is nan" not in str(report)


def test_points_at_which_the_program_has_no_gradient_prove_nothing():
    h = mg.constant([1.0, 2.0])
    report = mg.find_nan(mg.sum(mg.sqrt(h - h)), names={"h": h})
    assert not report.repair and "equal to the program" not in str(report)


@mg.custom_gradient
def spoils(x):
    return x * 1.0, lambda upstream: upstream * float("nan")


@mg.custom_gradient
def explodes(x):
    return mg.exp(x * 100.0), lambda upstream: upstream


@mg.custom_gradient
def pair(x):
    return (mg.sqrt(x), mg.log(x)), lambda a, b: a + b


ONE = [
    mg.log, mg.sqrt, mg.relu, mg.sin, mg.stop_gradient, spoils, explodes, lambda t: pair(t)[0], lambda t: 1.0 / t,
    lambda t: mg.exp(t * 100.0), lambda t: mg.where(t > 0, t, mg.log(t)), lambda t: t**0.5, lambda t: t * np.inf,
]  # fmt: skip
TWO = [np.add, np.subtract, np.multiply, np.divide, mg.maximum, mg.power, lambda a, b: mg.where(a > b, a, b)]


def random_pass(seed):
    """The sum of a random program of numbers, arrays, Variables and rules, and its inputs."""
    rng = np.random.default_rng(seed)
    shape = () if seed % 3 else (3,)
    inputs = [mg.constant(rng.choice([0.0, 1.0, -1.0, 2.0, 100.0], shape).astype("float32")) for _ in range(2)]
    made = [*inputs, mg.Variable(float(rng.integers(3)))]
    for _ in range(rng.integers(1, 7)):
        a, b = (made[i] for i in rng.integers(len(made), size=2))
        made.append(ONE[rng.integers(len(ONE))](a) if rng.random() < 0.6 else TWO[rng.integers(len(TWO))](a, b))
    return mg.sum(made[-1]), made[:3]


def test_a_pass_with_nan_or_inf_is_never_called_finite_and_a_second_report_says_the_same():
    bad = 0
    for seed in range(250):
        y, inputs = random_pass(seed)
        numbers = [y, *(g for g in mg.gradients(y, inputs) if g is not None)]
        finite = all(np.isfinite(np.asarray(x)).all() for x in numbers)
        report = mg.find_nan(y)
        assert finite or (report and "is finite" not in report.sentence), seed
        assert str(report) == str(mg.find_nan(y)), seed
        bad += not finite
    assert bad > 80


@pytest.mark.parametrize("size", [3, 100])
def test_a_mask_that_reaches_nothing_is_no_fault(size):
    mask = np.zeros(size, np.float32)
    mask[-1] = -np.inf
    report = mg.find_nan(mg.sum(mg.softmax(mg.constant(np.ones(size, np.float32)) + mask) ** 2))
    assert not report
    assert report.sentence.endswith(f"a constant of add is infinite at 1 of {size} elements")


def test_an_infinity_that_is_not_negative_is_told_although_it_reaches_nothing():
    report = mg.find_nan(mg.sum(mg.constant([1.0, 2.0]) / np.array([np.inf, 1.0])))
    assert report.word == "inf" and "nothing needs fixing" in str(report)


def test_an_infinity_that_a_trace_does_not_keep_is_called_nothing_but_infinite():
    large = np.zeros(1000, np.float32)
    large[500] = np.inf
    x = mg.constant(large)
    report = mg.find_nan(mg.sum(mg.minimum(x, 1.0)))
    assert str(report).startswith(
        "the value and every gradient are finite; the input x is infinite at 1 of 1,000 elements"
    )


def test_a_mask_that_hides_all_is_a_fault():
    assert mg.find_nan(mg.sum(mg.softmax(mg.constant([1.0, 2.0]) + np.array([-np.inf, -np.inf])))).word == "nan"
    assert mg.find_nan(mg.sum(mg.constant([1.0, 2.0]) + np.array([0.0, -np.inf]))).word == "inf"
