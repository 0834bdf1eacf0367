"""Programs whose true value and gradients are known: what is blamed, and that no repair is wrong."""

import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.nan_source import edited
from tests.diagnostics.nan_programs_known import KNOWN
from tests.diagnostics.nan_programs_strangers import STRANGERS
from tests.diagnostics.nan_programs_traps import TRAPS
from tests.diagnostics.test_nan_programs import executed

PROGRAMS = KNOWN | STRANGERS
#: Limits in two numbers at once, one that a loop over elements makes, and what no row of the table holds.
NONE_OFFERED = {
    "log_mean", "mean_exp_integral", "bateman", "resistors", "mean_of_decay", "log_mean_temp", "log_mean_density",
    "divided_difference", "bateman_equal_rates", "pow_two_thirds_sq", "log_prod", "fermi_energy", "mask_times_log",
}  # fmt: skip


def source_of(case):
    return f"import minigrad as mg\nimport minigrad.numpy as np\n\n{case.source}\n\nprogram = f\n"


def run(source, case):
    inputs = [mg.constant(value, dtype=case.dtype) for value in case.inputs]
    return inputs, executed(source)(*inputs)


def reported(case):
    mg.remember_lines()
    try:
        return mg.find_nan(run(source_of(case), case)[1])
    finally:
        mg.remember_lines(False)


def reasons(case):
    """The kinds of a report that agree with a label."""
    words = {"branch": "masked branch", "flow": "overflow|0 * inf|inf / inf", "inf - inf": "inf - inf", "data": "input"}
    found = {kind for word, kinds in words.items() if word in case.reason for kind in kinds.split("|")}
    lost = any(word in case.reason for word in ("0", "domain", "base", "derivative", "negative", "cancellation"))
    return found | ({"domain", "0 / 0", "0 * inf"} if lost else set())


@pytest.mark.parametrize("name", PROGRAMS)
def test_op_and_reason_are_right_and_the_repair_has_the_true_value_and_gradients(name):
    case = PROGRAMS[name]
    report = reported(case)
    repair = report.repair
    assert {report.op, repair.op} & {case.op}
    assert {report.kind, repair.reason} & reasons(case)
    assert bool(repair) == (case.exists != "no" and name not in NONE_OFFERED)
    if not repair:
        assert "o repair is known" in repair.words
        return
    found = [repair.after.value, *repair.after.gradients]
    if repair.edits:
        inputs, y = run(edited(source_of(case), repair.edits), case)
        executed_again = [y.value, *(g.value for g in mg.gradients(y, inputs, unconnected_gradients="zero"))]
        for a, b in zip(executed_again, found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)
    close = {"float16": 3e-3, "float32": 1e-4, "float64": 1e-9}[case.dtype]
    np.testing.assert_allclose(np.sum(found[0].astype(float)), case.value, rtol=close, atol=close)
    gradients = np.concatenate([np.ravel(g) for g in found[1:]]).astype(float)
    if case.exists == "both":
        np.testing.assert_allclose(gradients, case.gradients, rtol=10 * close, atol=10 * close)
    assert np.isfinite(gradients).all()


def numbers(source, case, shift=0.0, dtype=None):
    """The sum of the value and all gradients, flat, with the inputs moved by a number."""
    inputs = [mg.constant(np.asarray(value) + shift, dtype=dtype or case.dtype) for value in case.inputs]
    y = executed(source)(*inputs)
    gradients = mg.gradients(y, inputs, unconnected_gradients="zero")
    return np.concatenate([[np.sum(y.value)], *(np.ravel(g.value) for g in gradients)]).astype(float)


@pytest.mark.parametrize("name", TRAPS)
def test_what_is_offered_is_the_limit_or_the_program_itself_here_and_beside(name):
    case = TRAPS[name]
    repair = reported(case).repair
    if name != "comprehension" or sys.version_info >= (3, 11):  # Python 3.10 does not tell its columns
        assert bool(repair) == case.offered
    if not repair:
        return
    close = {"float16": 3e-3, "float32": 3e-5, "float64": 1e-8}[case.dtype]
    after = np.concatenate([[np.sum(repair.after.value)], *(np.ravel(g) for g in repair.after.gradients)]).astype(float)
    own = numbers(source_of(case), case)[0]
    if "its own where" in repair.checks[-1]:
        assert after[0] == own
    else:
        np.testing.assert_allclose(after[0], case.value, rtol=close, atol=close)
        if case.gradients is not None:
            np.testing.assert_allclose(after[1:], case.gradients, rtol=20 * close, atol=20 * close)
    if not repair.edits:
        return
    source = edited(source_of(case), repair.edits)
    np.testing.assert_allclose(numbers(source, case), after, rtol=1e-5, atol=1e-7)
    for shift in (1e-2, -1e-2, 0.3, -0.3, 1.7):
        old, new = (numbers(text, case, shift, "float64") for text in (source_of(case), source))
        if np.isfinite(old).all():
            np.testing.assert_allclose(new, old, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["walrus", "shadowed mg", "alias", "augmented", "loop whole"])
def test_what_cannot_be_written_in_the_line_is_no_edit(name):
    repair = reported(TRAPS[name]).repair
    assert repair and repair.edits == () and repair.rewrites
