"""nan in the data, left out too late, is filled before the computation, whose result does not depend on the filling."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from tests.diagnostics.nan_programs import executed, reported

NAN = np.nan
HEAD = "import minigrad as mg\n\n\ndef program(x, t):\n    seen = mg.logical_not(mg.isnan(t))\n"
#: Losses of targets, some of which are missing; the grade of what is offered.
LOSSES = {
    "mg.sum(mg.boolean_mask((x - t) ** 2, seen))": "limit",
    "mg.sum(mg.where(seen, (x - t) ** 2, 0.0))": "limit",
    "mg.sum(mg.where(seen, mg.exp(x) * t, 0.0))": "limit",
    "mg.sum((x - t) ** 2 * mg.cast(seen, x.dtype)) / mg.sum(mg.cast(seen, x.dtype))": "convention",
    "mg.mean((x - t) ** 2)": "",
    "mg.sum(mg.maximum(x, t))": "",
    "mg.sum(mg.where(seen, (x - t) ** 2, 0.0)) + mg.sum(x * t)": "",
}


def data(rng):
    t = rng.standard_normal(6).astype(np.float32)
    t[rng.permutation(6)[:2]] = NAN
    return rng.standard_normal(6).astype(np.float32), t


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_the_filled_program_is_that_of_the_rows_that_are_there(loss, seed):
    x, t = data(np.random.default_rng(seed))
    source = f"{HEAD}    return {loss}\n"
    report, _ = reported(source, [mg.constant(x), mg.constant(t)])
    assert report.repair.grade == LOSSES[loss]
    if not LOSSES[loss]:
        assert "no repair is known" in str(report) and not report.repair.rewrites
        return
    inputs = mg.constant(x), mg.constant(t)
    y = executed(edited(source, report.repair.edits))(*inputs)
    g = mg.gradients(y, [inputs[0]])[0].value
    there = ~np.isnan(t)
    alone = mg.constant(x[there]), mg.constant(t[there])
    z = executed(source)(*alone)
    expected = np.zeros(6, np.float32)
    expected[there] = mg.gradients(z, [alone[0]])[0].value
    np.testing.assert_allclose(g, expected, rtol=1e-6)
    np.testing.assert_allclose(y.value, z.value, rtol=1e-6)
    assert "with 0, 1, a larger and a lower number instead of each nan" in str(report)


def test_nothing_is_offered_where_all_is_finite_all_the_same():
    x, t = mg.constant([1.0, 2.0]), mg.constant([0.0, NAN])
    report = mg.find_nan(mg.sum((x - mg.where(mg.isnan(t), 0.0, t)) ** 2), xs=[x])
    assert not report.repair and "nothing needs fixing" in str(report)


def test_an_input_that_is_only_compared_is_no_obstacle():
    x, t = mg.constant([1.0, -1.0]), mg.constant([NAN, 3.0])
    report = mg.find_nan(mg.sum(mg.cast(x > 0, "float32") * mg.minimum(t, 2.0)))
    assert "is nan at (0,), 1 of 2 elements" in str(report)
