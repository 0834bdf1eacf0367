"""The NaN finder on programs that lose their gradient: where it begins, and of what kind."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.nan import find_nan
from tests.diagnostics.nan_programs import lines_remembered

w = mg.where
total = mg.sum

# name: (program, at, phase, kind, op)
PROGRAMS = {
    "log1pexp": (lambda x: mg.log(1 + mg.exp(x)), 100.0, "backward", "0 * inf", "exp"),
    "log1pexp with log1p": (lambda x: mg.log1p(mg.exp(x)), 100.0, "backward", "0 * inf", "exp"),
    "log of a sum of exponentials": (lambda x: mg.log(total(mg.exp(x))), [1000.0, 1000.0], "backward", "0 * inf",
        "exp"),
    "log of two exponentials": (lambda x: mg.log(mg.exp(x) + mg.exp(-x)), 100.0, "backward", "0 * inf", "exp"),
    "softmax": (lambda x: total((mg.exp(x) / total(mg.exp(x))) ** 2), [1000.0, 0.0], "forward", "inf / inf", "divide"),
    "log of a softmax": (lambda x: total(mg.log(mg.softmax(x)) * mg.constant([1.0, 0.0])), [0.0, -200.0], "forward",
        "0 * inf", "multiply"),
    "sigmoid": (lambda x: 1 / (1 + mg.exp(-x)), -100.0, "backward", "0 * inf", "exp"),
    "sigmoid by a fraction": (lambda x: mg.exp(x) / (1 + mg.exp(x)), 100.0, "forward", "inf / inf", "divide"),
    "log of a sigmoid": (lambda x: mg.log(mg.sigmoid(x)), -200.0, "backward", "0 * inf", "sigmoid"),
    "tanh": (lambda x: (mg.exp(x) - mg.exp(-x)) / (mg.exp(x) + mg.exp(-x)), 100.0, "forward", "inf / inf", "divide"),
    "absolute value": (lambda x: mg.sqrt(x * x), 0.0, "backward", "0 * inf", "multiply"),
    "length of a vector": (lambda x: mg.sqrt(total(x * x)), [0.0, 0.0], "backward", "0 * inf", "multiply"),
    "length by squares": (lambda x: mg.sqrt(total(mg.square(x))), [0.0, 0.0], "backward", "0 * inf", "square"),
    "direction of a vector": (lambda x: total(x / mg.sqrt(total(x * x))), [0.0, 0.0], "forward", "0 / 0", "divide"),
    "standard deviation": (lambda x: mg.sqrt(mg.mean((x - mg.mean(x)) ** 2)), [1.0, 1.0], "backward", "0 * inf",
        "power"),
    "x log x": (lambda x: x * mg.log(x), 0.0, "forward", "0 * inf", "multiply"),
    "sine over x": (lambda x: mg.sin(x) / x, 0.0, "forward", "0 / 0", "divide"),
    "x over x": (lambda x: x / x, 0.0, "forward", "0 / 0", "divide"),
    "0 times 1 over x": (lambda x: 0 * (1 / x), 0.0, "forward", "0 * inf", "multiply"),
    "one over x": (lambda x: 1 / x, 0.0, "forward", "domain", "divide"),
    "masked log": (lambda x: w(x > 0, mg.log(x), 0.0), 0.0, "backward", "masked branch", "log"),
    "masked reciprocal": (lambda x: w(x != 0, 1 / x, 0.0), 0.0, "backward", "masked branch", "divide"),
    "masked root": (lambda x: w(x > 0, mg.sqrt(x), 0.0), 0.0, "backward", "masked branch", "sqrt"),
    "root": (lambda x: mg.sqrt(x), 0.0, "backward", "domain", "sqrt"),
    "power of a half": (lambda x: x**0.5, 0.0, "backward", "domain", "power"),
    "two roots": (lambda x: mg.sqrt(x) - mg.sqrt(x), 0.0, "backward", "inf - inf", "sqrt"),
    "log of a negative number": (lambda x: mg.log(x), -1.0, "forward", "domain", "log"),
    "difference of exponentials": (lambda x: mg.exp(x) - mg.exp(x * 1.0), 100.0, "forward", "inf - inf", "subtract"),
    "tower of exponentials": (lambda x: mg.exp(mg.exp(x)), 5.0, "forward", "overflow", "exp"),
}  # fmt: skip


def look(program, at):
    x = mg.constant(at)
    y = program(x)
    return find_nan(y, names={"x": x}), y, mg.gradients(y, x)[0]


def test_the_origin_and_its_kind(subtests):
    for name, (program, at, *expected) in PROGRAMS.items():
        with subtests.test(name):
            report, y, slope = look(program, at)
            assert report
            assert [report.phase, report.kind, report.op] == expected
            assert not (np.isfinite(y.value).all() and np.isfinite(slope.value).all())


def test_the_report_reads_as_sentences_with_the_line():
    with lines_remembered():
        x = mg.constant(100.0)
        e = mg.exp(x)
        y = mg.log(1 + e)
        report = mg.find_nan(y, names=locals())
    assert report.factors == (0.0, "inf")
    assert report.reaches == ("x",)
    assert report.line.text == "e = mg.exp(x)"
    said = str(report)
    for words in (
        "nan first appears in the backward pass",
        "test_nan.py",
        "e = mg.exp(x)",
        "nan in the gradient of x; the value is inf",
        "checked",
    ):
        assert words in said


def test_the_first_of_many_and_only_what_it_reaches():
    x, z = mg.constant([1.0, 0.0]), mg.constant(2.0)
    report = find_nan(total(mg.log(x) * np.array([1.0, 0.0], np.float32)) + z, names={"x": x, "z": z})
    assert report.reaches == ("x",)
    assert report.op == "multiply"


def test_inputs_that_are_nan_from_the_start_are_named():
    x = mg.constant([1.0, float("nan")])
    report = find_nan(total(x * 2), names={"x": x})
    assert (report.phase, report.kind) == ("forward", "input")
    assert "the input x is nan" in report.sentence


def test_a_custom_rule_that_answers_nan_is_named():
    @mg.custom_gradient
    def broken(x):
        def zero_over_zero(dy):
            return dy * (x - x) / (x - x)

        return x * 2.0, zero_over_zero

    report = find_nan(broken(mg.constant(1.0)))
    assert (report.kind, report.op) == ("custom rule", "broken")
    assert "zero_over_zero" in report.sentence


def test_nothing_found_is_false_and_says_so():
    report = find_nan(mg.constant(2.0) * 3.0)
    assert not report
    assert str(report) == "every value and every gradient is finite"


def test_what_is_not_a_tensor_is_named():
    with pytest.raises(TypeError, match="y must be a Tensor"):
        find_nan(3.0)


def test_an_inf_inside_a_custom_call_is_that_of_the_op_that_overflows():
    @mg.custom_gradient
    def log1pexp(x):
        e = mg.exp(x)
        return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    @mg.custom_gradient
    def root(x):
        return mg.sqrt(x), lambda dy: dy

    found = mg.find_nan(log1pexp(mg.constant(100.0)))
    assert found.sentence == "inside log1pexp, exp(100) is larger than 3.4e38, the largest float32"
    assert found.op == "log1pexp"
    assert mg.find_nan(root(mg.constant(-1.0))).sentence == (
        "inside root, sqrt(-1) is nan: -1 is outside the domain of sqrt"
    )


def test_a_nan_inside_a_custom_call_is_told_at_that_call_and_not_where_it_is_passed_on():
    @mg.custom_gradient
    def gelu(x):
        y = 0.5 * x * (1 + mg.tanh(x * x * x))
        return y, lambda upstream: upstream * mg.sigmoid(1.702 * x)

    with np.errstate(all="ignore"):
        found = mg.find_nan(lambda x: mg.logsumexp(gelu(x * 1e30)), np.array([-1e10, 2.0], "float32"))
    assert (found.phase, found.op, found.kind) == ("forward", "gelu", "0 * inf")
    assert found.sentence == "inside gelu, multiply(-inf, 0) is nan"
    assert found.what == "nan in the value and the gradient of x"
    assert found.first.startswith("The first inf on the way to it: multiply computes -1e+40, which is below ")


@pytest.mark.parametrize("x", [-1.0, np.float32(-1), np.array([-1.0, 2.0])])
def test_floats_and_arrays_that_a_function_is_given_are_inputs_of_the_report(x):
    found = mg.find_nan(lambda x: mg.sum(mg.log(x)), x)
    assert found.what == "nan in the value" and found.reaches == ()
    assert found.sentence.startswith("log(-1") and [n.name for n in found.trace.nodes if n.kind == "leaf"] == ["x"]


def test_inputs_have_the_names_of_the_parameters_of_a_function():
    f = lambda z, w: mg.log(1 + mg.exp(z * w))
    z, w = mg.constant(100.0), mg.constant(2.0)
    assert mg.find_nan(f, z, w=w).reaches == ("z", "w")
    assert mg.find_nan(f, z, w, names={"price": z}).reaches == ("price", "w")
    assert mg.find_nan(lambda *zs: f(*zs), z, w).reaches == ("zs[0]", "zs[1]")


def test_inputs_are_called_as_the_variables_of_the_caller():
    x, t = mg.constant([1.0, -1.0]), mg.constant([float("nan"), 3.0])
    y = mg.sum(x * mg.minimum(t, 2.0))
    assert "the input t is nan from the start" in str(mg.find_nan(y)) and mg.find_nan(y).reaches == ("x",)
    assert mg.find_nan(y, names={"weights": x}).reaches == ("weights",)

    def elsewhere(hidden):
        t = "another t"  # noqa: F841
        return mg.find_nan(y)

    assert elsewhere(x).reaches == ("hidden",), "not by names that only the caller's caller has"
