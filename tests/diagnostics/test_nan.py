"""The NaN finder on programs that lose their gradient: where, of what kind, what to write, and that this helps."""

import numpy as np
import pytest

import minigrad as mg
import minigrad.core.lines
from minigrad.diagnostics.nan import find_nan

w = mg.where
total = mg.sum

# name: (program, at, phase, kind, op, words of the repair, the program repaired)
PROGRAMS = {
    "log1pexp": (
        lambda x: mg.log(1 + mg.exp(x)), 100.0,
        "backward", "0 * inf", "exp", "softplus(x)", lambda x: mg.softplus(x),
    ),
    "log1pexp with log1p": (
        lambda x: mg.log1p(mg.exp(x)), 100.0,
        "backward", "0 * inf", "exp", "softplus(x)", lambda x: mg.softplus(x),
    ),
    "log of a sum of exponentials": (
        lambda x: mg.log(total(mg.exp(x))), [1000.0, 1000.0],
        "backward", "0 * inf", "exp", "logsumexp(x)", lambda x: mg.logsumexp(x),
    ),
    "log of two exponentials": (
        lambda x: mg.log(mg.exp(x) + mg.exp(-x)), 100.0,
        "backward", "0 * inf", "exp", "logaddexp", lambda x: mg.logaddexp(x, -x),
    ),
    "softmax": (
        lambda x: total((mg.exp(x) / total(mg.exp(x))) ** 2), [1000.0, 0.0],
        "forward", "inf / inf", "divide", "softmax(x)", lambda x: total(mg.softmax(x) ** 2),
    ),
    "log of a softmax": (
        lambda x: total(mg.log(mg.softmax(x)) * mg.constant([1.0, 0.0])), [0.0, -200.0],
        "forward", "0 * inf", "multiply", "log_softmax(x)",
        lambda x: total(mg.log_softmax(x) * mg.constant([1.0, 0.0])),
    ),
    "sigmoid": (
        lambda x: 1 / (1 + mg.exp(-x)), -100.0,
        "backward", "0 * inf", "exp", "sigmoid(x)", lambda x: mg.sigmoid(x),
    ),
    "sigmoid by a fraction": (
        lambda x: mg.exp(x) / (1 + mg.exp(x)), 100.0,
        "forward", "inf / inf", "divide", "sigmoid(x)", lambda x: mg.sigmoid(x),
    ),
    "log of a sigmoid": (
        lambda x: mg.log(mg.sigmoid(x)), -200.0,
        "backward", "0 * inf", "sigmoid", "-softplus(-x)", lambda x: -mg.softplus(-x),
    ),
    "tanh": (
        lambda x: (mg.exp(x) - mg.exp(-x)) / (mg.exp(x) + mg.exp(-x)), 100.0,
        "forward", "inf / inf", "divide", "tanh(x)", lambda x: mg.tanh(x),
    ),
    "absolute value": (
        lambda x: mg.sqrt(x * x), 0.0,
        "backward", "0 * inf", "multiply", "abs(x)", lambda x: mg.absolute(x),
    ),
    "length of a vector": (
        lambda x: mg.sqrt(total(x * x)), [0.0, 0.0],
        "backward", "0 * inf", "multiply", "norm(x)", lambda x: mg.norm(x),
    ),
    "length by squares": (
        lambda x: mg.sqrt(total(mg.square(x))), [0.0, 0.0],
        "backward", "0 * inf", "square", "norm(x)", lambda x: mg.norm(x),
    ),
    "direction of a vector": (
        lambda x: total(x / mg.sqrt(total(x * x))), [0.0, 0.0],
        "forward", "0 / 0", "divide", "1e-12", lambda x: total(x / mg.sqrt(total(x * x) + 1e-12)),
    ),
    "standard deviation": (
        lambda x: mg.sqrt(mg.mean((x - mg.mean(x)) ** 2)), [1.0, 1.0],
        "backward", "0 * inf", "power", "std(x)", lambda x: mg.std(x),
    ),
    "x log x": (
        lambda x: x * mg.log(x), 0.0,
        "forward", "0 * inf", "multiply", "xlogy(x, x)", lambda x: mg.xlogy(x, x) * w(x > 0, 1.0, 0.0),
    ),
    "sine over x": (
        lambda x: mg.sin(x) / x, 0.0,
        "forward", "0 / 0", "divide", "where(x == 0, 1.0, x)",
        lambda x: w(x == 0, 1.0, mg.sin(x) / w(x == 0, 1.0, x)),
    ),
    "x over x": (
        lambda x: x / x, 0.0,
        "forward", "0 / 0", "divide", "where twice", lambda x: w(x == 0, 0.0, x / w(x == 0, 1.0, x)),
    ),
    "0 times 1 over x": (
        lambda x: 0 * (1 / x), 0.0,
        "forward", "0 * inf", "multiply", "where twice",
        lambda x: 0 * w(x == 0, 0.0, 1 / w(x == 0, 1.0, x)),
    ),
    "one over x": (
        lambda x: 1 / x, 0.0,
        "backward", "domain", "divide", "where twice", lambda x: w(x == 0, 0.0, 1 / w(x == 0, 1.0, x)),
    ),
    "masked log": (
        lambda x: w(x > 0, mg.log(x), 0.0), 0.0,
        "backward", "masked branch", "log", "where twice", lambda x: w(x > 0, mg.log(w(x > 0, x, 1.0)), 0.0),
    ),
    "masked reciprocal": (
        lambda x: w(x != 0, 1 / x, 0.0), 0.0,
        "backward", "masked branch", "divide", "where(b == 0, 1.0, b)",
        lambda x: w(x != 0, 1 / w(x != 0, x, 1.0), 0.0),
    ),
    "masked root": (
        lambda x: w(x > 0, mg.sqrt(x), 0.0), 0.0,
        "backward", "masked branch", "sqrt", "where twice", lambda x: w(x > 0, mg.sqrt(w(x > 0, x, 1.0)), 0.0),
    ),
    "root": (
        lambda x: mg.sqrt(x), 0.0,
        "backward", "domain", "sqrt", "sqrt(x + 1e-12)", lambda x: mg.sqrt(x + 1e-12),
    ),
    "power of a half": (
        lambda x: x**0.5, 0.0,
        "backward", "domain", "power", "(x + 1e-12)", lambda x: (x + 1e-12) ** 0.5,
    ),
    "two roots": (
        lambda x: mg.sqrt(x) - mg.sqrt(x), 0.0,
        "backward", "inf - inf", "sqrt", "sqrt(x + 1e-12)",
        lambda x: mg.sqrt(x + 1e-12) - mg.sqrt(x + 1e-12),
    ),
    "log of a negative number": (
        lambda x: mg.log(x), -1.0,
        "forward", "domain", "log", "where twice", lambda x: w(x > 0, mg.log(w(x > 0, x, 1.0)), 0.0),
    ),
    "difference of exponentials": (
        lambda x: mg.exp(x) - mg.exp(x * 1.0), 100.0,
        "forward", "inf - inf", "subtract", "take out the larger part",
        lambda x: mg.exp(x - 100.0) - mg.exp(x * 1.0 - 100.0),
    ),
    "tower of exponentials": (
        lambda x: mg.exp(mg.exp(x)), 5.0,
        "backward", "overflow", "exp", "float64", lambda x: mg.exp(mg.exp(x * 0.5)),
    ),
}  # fmt: skip


def look(program, at):
    x = mg.constant(at)
    y = program(x)
    return find_nan(y, names={"x": x}), y, mg.gradients(y, x)[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_origin_its_kind_and_the_repair_that_helps(name):
    program, at, phase, kind, op, words, repaired = PROGRAMS[name]
    report, y, slope = look(program, at)
    assert report
    assert (report.phase, report.kind, report.op) == (phase, kind, op)
    assert words in report.repair
    assert not (np.isfinite(y.value).all() and np.isfinite(slope.value).all())
    report, y, slope = look(repaired, at)
    assert not report, str(report)
    assert np.isfinite(y.value).all() and np.isfinite(slope.value).all()


def test_the_report_reads_as_sentences_with_the_line():
    mg.remember_lines()
    try:
        x = mg.constant(100.0)
        e = mg.exp(x)
        y = mg.log(1 + e)
        report = mg.find_nan(y, names=locals())
    finally:
        mg.remember_lines(False)
    assert report.factors == (0.0, "inf")
    assert report.reaches == ("x",)
    assert report.line.text == "e = mg.exp(x)"
    said = str(report)
    for words in ("nan is born in the backward pass", "test_nan.py", "e = mg.exp(x)", "reaches x", "Repair: "):
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
