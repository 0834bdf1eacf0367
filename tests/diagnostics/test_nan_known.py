"""Programs whose true value and gradients are known: what is blamed, and that no repair is wrong."""

import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from tests.diagnostics import nan_programs
from tests.diagnostics.nan_programs import executed, read, reported

PROGRAMS = read("known", "strangers")
TRAPS = read("traps")
GROUPS = 12
#: Limits in two numbers at once, one that is made by a loop over elements, and some that are in no row of the table.
NONE_OFFERED = {
    "log_mean", "mean_exp_integral", "bateman", "resistors", "mean_of_decay", "log_mean_temp", "log_mean_density",
    "divided_difference", "bateman_equal_rates", "pow_two_thirds_sq", "log_prod", "fermi_energy", "mask_times_log",
    "sin_recip",
}  # fmt: skip
#: The traps that are repaired, but whose repair cannot be written in its line.
NO_EDIT = {"walrus", "shadowed mg", "alias", "augmented", "loop whole"}


def source_of(program):
    return nan_programs.source_of(program, "minigrad.numpy")


def inputs_of(program):
    return [mg.constant(value, dtype=program.dtype) for value in program.inputs.values()]


def reasons(program):
    """The kinds of a report that agree with a label."""
    words = {"branch": "masked branch", "flow": "overflow|0 * inf|inf / inf", "inf - inf": "inf - inf", "data": "input"}
    found = {kind for word, kinds in words.items() if word in program.reason for kind in kinds.split("|")}
    lost = any(word in program.reason for word in ("0", "domain", "base", "derivative", "negative", "cancellation"))
    return found | ({"domain", "0 / 0", "0 * inf"} if lost else set())


@pytest.mark.cases(2)
@pytest.mark.parametrize("group", range(GROUPS))
def test_op_and_reason_are_right_and_the_repair_has_the_true_value_and_gradients(group, subtests):
    for program in list(PROGRAMS.values())[group::GROUPS]:
        with subtests.test(program.name):
            report, _ = reported(source_of(program), inputs_of(program))
            repair = report.repair
            assert {report.op, repair.op} & {program.op}
            assert {report.kind, repair.reason} & reasons(program)
            assert bool(repair) == (program.repair != "none" and program.name not in NONE_OFFERED)
            if repair:
                the_repair_has_the_true_value_and_gradients(program, repair)
            else:
                assert ("usual line is a convention" if repair.grade else "o repair is known") in repair.words
            if repair.grade == "convention":
                assert repair.changes
                it_gives_the_promised_numbers(program, repair)


def it_gives_the_promised_numbers(program, repair):
    found = [repair.after.value, *repair.after.gradients]
    assert all(np.isfinite(number).all() for number in found)
    if repair.edits:
        inputs = inputs_of(program)
        y = executed(edited(source_of(program), repair.edits))(*inputs)
        executed_again = [y.value, *(g.value for g in mg.gradients(y, inputs, unconnected_gradients="zero"))]
        for a, b in zip(executed_again, found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def the_repair_has_the_true_value_and_gradients(program, repair):
    it_gives_the_promised_numbers(program, repair)
    found = [repair.after.value, *repair.after.gradients]
    close = {"float16": 3e-3, "float32": 1e-4, "float64": 1e-9}[program.dtype]
    np.testing.assert_allclose(np.sum(found[0].astype(float)), float(program.value), rtol=close, atol=close)
    gradients = np.concatenate([np.ravel(g) for g in found[1:]]).astype(float)
    if program.repair == "both":
        np.testing.assert_allclose(gradients, program.gradients, rtol=10 * close, atol=10 * close)


def numbers(source, program, shift=0.0, dtype=None):
    """The sum of the value and all gradients, flat, with the inputs moved by a number."""
    dtype = dtype or program.dtype
    inputs = [mg.constant(np.asarray(value) + shift, dtype=dtype) for value in program.inputs.values()]
    y = executed(source)(*inputs)
    gradients = mg.gradients(y, inputs, unconnected_gradients="zero")
    return np.concatenate([[np.sum(y.value)], *(np.ravel(g.value) for g in gradients)]).astype(float)


@pytest.mark.parametrize("group", range(GROUPS))
def test_what_is_offered_is_the_limit_or_the_program_itself_here_and_beside(group, subtests):
    for trap in list(TRAPS.values())[group::GROUPS]:
        with subtests.test(trap.name):
            repair = reported(source_of(trap), inputs_of(trap))[0].repair
            if trap.name != "comprehension" or sys.version_info >= (3, 11):  # Python 3.10 does not give the columns
                assert bool(repair) == (trap.repair == "offered")
            if trap.name in NO_EDIT:
                assert repair and repair.edits == () and repair.rewrites
            if repair.grade == "convention":
                it_gives_the_promised_numbers(trap, repair)
            if repair:
                the_repair_is_the_limit_or_the_program_itself(trap, repair)


def the_repair_is_the_limit_or_the_program_itself(trap, repair):
    close = {"float16": 3e-3, "float32": 3e-5, "float64": 1e-8}[trap.dtype]
    after = np.concatenate([[np.sum(repair.after.value)], *(np.ravel(g) for g in repair.after.gradients)]).astype(float)
    own = numbers(source_of(trap), trap)[0]
    if "its own where" in repair.checks[-1]:
        assert after[0] == own
    else:
        np.testing.assert_allclose(after[0], float(trap.value), rtol=close, atol=close)
        if trap.gradients is not None:
            np.testing.assert_allclose(after[1:], trap.gradients, rtol=20 * close, atol=20 * close)
    if repair.edits:
        source = edited(source_of(trap), repair.edits)
        np.testing.assert_allclose(numbers(source, trap), after, rtol=1e-5, atol=1e-7)
        for shift in (1e-2, -1e-2, 0.3, -0.3, 1.7):
            old, new = (numbers(text, trap, shift, "float64") for text in (source_of(trap), source))
            if np.isfinite(old).all():
                np.testing.assert_allclose(new, old, rtol=1e-6, atol=1e-7)


def test_the_programs_that_are_named_here_are_there():
    assert PROGRAMS.keys() >= NONE_OFFERED and TRAPS.keys() >= NO_EDIT
