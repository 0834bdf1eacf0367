"""Sentences of reports on random programs, compared with the parts of each program and with float64."""

import numpy as np
import pytest

import minigrad as mg

pytestmark = pytest.mark.filterwarnings("ignore")

#: An op whose gradient is not finite at a number, with a finite value, and the number.
SLOPES = {
    "sqrt": (mg.sqrt, 0.0),
    "arccos": (mg.arccos, 1.0),
    "arcsin": (mg.arcsin, 1.0),
    "power": (lambda x: x**0.5, 0.0),
}


def reports(y, names):
    report = mg.find_nan(y, names=names)
    return [report, *report.others] if report else []


@pytest.mark.parametrize("seed", range(4))
def test_the_cause_of_each_input_is_the_op_that_it_went_through(seed):
    rng = np.random.default_rng(seed)
    ops = rng.permutation(sorted(SLOPES))[:2]
    healthy = mg.constant(1.5)
    inputs = {f"x{i}": mg.constant(SLOPES[op][1]) for i, op in enumerate(ops)}
    y = mg.sin(healthy)
    for x, op in zip(inputs.values(), ops):
        y = y + float(rng.normal()) * SLOPES[op][0](x * 1.0)
    found = reports(y, {**inputs, "healthy": healthy})
    gradients = mg.gradients(y, [*inputs.values(), healthy])
    lost = {name for name, g in zip(inputs, gradients) if not np.isfinite(np.asarray(g.value))}
    assert {name for report in found for name in report.reaches} == lost, "no more, and no fewer"
    for report in found:
        blamed = {report.op, report.repair.op}
        assert all(ops[int(name[1:])] in blamed for name in report.reaches), report


@pytest.mark.parametrize("op", ["sqrt", "power"])
@pytest.mark.parametrize("seed", range(2))
def test_a_nan_of_one_path_is_not_blamed_on_another(op, seed):
    """One input, two paths: the value is nan by a logarithm of a number below 0, the gradient by a slope at 0."""
    rng = np.random.default_rng(seed)
    x = mg.constant(-abs(rng.normal(size=3)) - 0.5)
    y = mg.sum(mg.log(x)) + mg.sum(SLOPES[op][0](x * 0.0))
    second = [report for report in reports(y, {"x": x}) if report.phase == "backward"]
    assert second and all(report.repair.op == op for report in second)


@pytest.mark.parametrize("seed", range(8))
def test_float64_is_offered_where_the_program_is_finite_there(seed):
    rng = np.random.default_rng(seed)
    scale, x = float(10 ** rng.uniform(1.5, 3.2)), rng.uniform(0.5, 1.5, 3)

    def program(dtype):
        v = mg.constant(x.astype(dtype))
        big = mg.exp(v * np.asarray(scale, dtype))
        return v, mg.sum(mg.sqrt(big) / (1 + big))

    v, y = program(np.float32)
    wide, exact = program(np.float64)
    (slope,) = mg.gradients(exact, [wide])
    finite = np.isfinite(exact.value) and np.isfinite(slope.value).all()
    report = mg.find_nan(y, names={"v": v})
    if "In float64 everything is finite" in str(report):
        assert finite and report.repair.grade == "wider"
        assert np.allclose(report.repair.after.gradients[0], slope.value, rtol=1e-5)
    elif report and not report.repair:
        assert not finite or report.repair.grade == "convention"
