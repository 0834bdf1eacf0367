"""NaN programs labelled before the code of the repairs was read: what is blamed, and that no repair is wrong."""

import numpy as np
import pytest

from minigrad.diagnostics.nan_source import edited
from tests.diagnostics.nan_programs_blind import BLIND
from tests.diagnostics.test_nan_programs import executed, reported, source_of, value_and_gradients

#: Programs that lose nothing here: a rounded cosine below 1, slopes that are defined, scores of -inf.
HEALTHY = {
    "angle with rounding", "angle at the origin", "std of a constant", "zero to the zero", "x to the x",
    "attention with one key masked",
}  # fmt: skip
REFUSED = {"inverse of a singular matrix"}


@pytest.mark.parametrize("name", sorted(BLIND.keys() - HEALTHY - REFUSED))
def test_the_cause_is_right_and_no_repair_is_wrong(name):
    program = BLIND[name]
    report, _ = reported(program)
    repair = report.repair
    assert {report.op, repair.op} & set(program.op.split())
    assert {report.kind, repair.reason} & set(program.reason.split("|"))
    if not repair:
        assert not repair.grade or "no repair is known" in repair.words
        return
    exists = program.grade.split("|")
    assert exists != [""], repair
    found = [repair.after.value, *repair.after.gradients]
    if repair.edits:
        source = edited(source_of(program), repair.edits)
        edit = value_and_gradients(executed(source), program.inputs, program.dtype)
        assert all(map(np.array_equal, edit, found))
    assert all(np.isfinite(number).all() for number in found)
    if "value" in exists and program.truth:
        inputs = {k: np.asarray(np.asarray(v, program.dtype), np.float64) for k, v in program.inputs.items()}
        truth = np.sum(eval(program.truth, {"np": np, **inputs}))
        np.testing.assert_allclose(np.sum(found[0], dtype=np.float64), truth, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", sorted(HEALTHY))
def test_nothing_is_offered_where_nothing_is_lost(name):
    report, y = reported(BLIND[name])
    assert np.isfinite(y.value).all() and not report.repair


def test_most_programs_get_a_repair():
    """Counted, so that a change of the checks that silences repairs is seen."""
    assert sum(bool(reported(BLIND[name])[0].repair) for name in BLIND.keys() - REFUSED) >= 66
