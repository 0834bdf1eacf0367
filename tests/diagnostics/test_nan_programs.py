"""Programs that lose a value or a gradient: the cause, and a repair that is executed as an edit of the source."""

import re

import numpy as np
import pytest

from minigrad.diagnostics.edits import edited
from tests.diagnostics.nan_programs import executed, read, reported, source_of, tensors, value_and_gradients

PROGRAMS = read("adversary", "formulas", "held_out", "attack", "lectures", "students")
MATRICES = read("matrices")
#: Programs labelled before the code of the repairs was read.
BLIND = read("blind")
#: The programs among these that lose nothing here: a rounded cosine below 1, slopes that are defined, scores of -inf.
HEALTHY = {
    "angle with rounding", "angle at the origin", "std of a constant", "zero to the zero", "x to the x",
    "attention with one key masked",
}  # fmt: skip
REFUSED = "inverse of a singular matrix"
#: Programs with a value and no repair.
MISSED = {
    "kl of equal zeros", "huber by hand", "where and log", "gelu by hand overflows",
    "cube root of negative", "logistic map runs away", "compound interest", "great circle through arccos",
}  # fmt: skip
GROUPS = 12


def report_on(program):
    inputs = tensors(program.inputs, program.dtype)
    return reported(source_of(program), inputs.values(), inputs)


def true(program, inputs):
    return float(np.sum(eval(program.value, {"np": np, **inputs})))


def in_float64(program):
    return {name: np.asarray(np.asarray(v, program.dtype), np.float64) for name, v in program.inputs.items()}


def slopes_of(program, inputs, name):
    """The slopes of the true value along the elements of an input, by finite differences."""
    found = np.zeros(inputs[name].shape)
    for i in np.ndindex(found.shape):
        step = np.zeros(found.shape)
        step[i] = 1e-6 * max(1.0, abs(inputs[name][i]))
        up, down = (true(program, inputs | {name: inputs[name] + s}) for s in (step, -step))
        found[i] = (up - down) / (2 * step[i])
    return found


def the_op_and_the_reason_are_right(program, report):
    assert report
    assert {report.op, report.repair.op} & set(program.op.split())
    reason = report.repair.reason.replace("slope", "domain")  # the files have one word for a value and a slope
    assert {report.kind, reason} & set(program.reason.split("|"))


def a_repair_is_offered_where_one_is_known_and_none_otherwise(program, repair, said):
    assert (repair.grade or "none") in program.repair.split("|")
    if not repair:
        reasons = "[nN]o repair is known", "usual line is a convention", "rule is not rewritten", "nothing needs fixing"
        assert re.search("|".join((*reasons, "depend on an inf", "the same loss falls")), said)
    if not repair.grade:
        assert not repair.edits and repair.after is None
    elif repair.grade != "wider" and repair.rewrites[0][0] not in program.inputs:  # an input is computed in no line
        assert bool(repair.edits) == ("for _ in" not in program.body)


def the_repair_gives_the_promised_numbers_and_the_true_value(program, repair, source):
    inputs, dtype = program.inputs, program.dtype
    if repair.grade == "wider":
        inputs, dtype = {name: np.asarray(value, dtype) for name, value in inputs.items()}, repair.after.value.dtype
    found = value_and_gradients(executed(source), inputs, dtype)
    after = repair.after
    gradients = [g for name, g in zip(after.names, after.gradients) if name in program.inputs]  # a number has one too
    for mine, promised in zip(found, [after.value, *gradients], strict=True):
        np.testing.assert_allclose(mine, promised, rtol=1e-6)  # an expression that is written twice is computed twice
        assert np.isfinite(mine).all()
    inputs = in_float64(program)
    if program.value and np.isfinite(true(program, inputs)):
        np.testing.assert_allclose(np.sum(found[0].astype(float)), true(program, inputs), rtol=2e-3, atol=2e-3)
    if program.slopes:
        for name, gradient in zip(inputs, found[1:], strict=True):
            np.testing.assert_allclose(gradient, slopes_of(program, inputs, name), rtol=2e-2, atol=2e-3)


def elsewhere_the_edited_source_is_the_same_function(program, source):
    old, new = executed(source_of(program)), executed(source)
    rng, compared = np.random.default_rng(11), 0
    for low, high in [*[(0.2, 0.8), (1.2, 3.0), (-0.8, 0.8)] * 4, (45, 55), (46, 56)]:
        if compared and low > 40:  # only for what underflows at small numbers
            break
        inputs = {name: rng.uniform(low, high, np.shape(value)) for name, value in program.inputs.items()}
        before, after = (value_and_gradients(function, inputs, "float64") for function in (old, new))
        if np.isfinite(before[0]).all():
            compared += 1
            for his, mine in zip(before, after, strict=True):
                if np.isfinite(his).all():
                    close = 1e-9 if "float32" not in source else 3e-7  # the last bit of a float32 constant's log
                    np.testing.assert_allclose(mine, his, rtol=1e-6, atol=close)
    assert compared


@pytest.mark.cases(2)
@pytest.mark.parametrize("group", range(GROUPS))
def test_the_cause_is_right_and_the_repair_is_true_here_and_elsewhere(group, subtests):
    for program in list(PROGRAMS.values())[group::GROUPS]:
        with subtests.test(program.name):
            report, _ = report_on(program)
            repair = report.repair
            the_op_and_the_reason_are_right(program, report)
            a_repair_is_offered_where_one_is_known_and_none_otherwise(program, repair, str(report))
            source = edited(source_of(program), repair.edits)
            if repair.edits or repair.grade == "wider":
                the_repair_gives_the_promised_numbers_and_the_true_value(program, repair, source)
            if repair.edits and repair:
                elsewhere_the_edited_source_is_the_same_function(program, source)


@pytest.mark.parametrize("group", range(GROUPS))
def test_the_cause_of_a_blind_program_is_right_and_no_repair_is_wrong(group, subtests):
    for program in list(BLIND.values())[group::GROUPS]:
        if program.name == REFUSED:
            continue
        with subtests.test(program.name):
            report, y = report_on(program)
            repair = report.repair
            if program.name in HEALTHY:
                assert np.isfinite(y.value).all() and not repair
                continue
            the_op_and_the_reason_are_right(program, report)
            exists = program.repair.split("|")
            assert repair or "value" not in exists or program.name in MISSED
            if not repair:
                assert not repair.grade or ("convention" in repair.words and repair.changes)
            if not repair.grade:
                continue
            assert exists != ["none"] or not repair
            found = [repair.after.value, *repair.after.gradients]
            if repair.edits:
                function = executed(edited(source_of(program), repair.edits))
                assert all(map(np.array_equal, value_and_gradients(function, program.inputs, program.dtype), found))
            assert all(np.isfinite(number).all() for number in found)
            if "value" in exists and program.value and repair:
                mine, right = np.sum(found[0], dtype=np.float64), true(program, in_float64(program))
                np.testing.assert_allclose(mine, right, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", MATRICES)
def test_a_refused_matrix_is_named_with_a_ridge_that_was_tried(name):
    program = MATRICES[name]
    with pytest.raises(np.linalg.LinAlgError) as error:
        report_on(program)
    assert str(error.value).split()[0] == program.op
    assert any(reason in str(error.value) for reason in program.reason.split("|"))
    assert re.search(r"\+ \S+ \* eye\(\d\).* is finite, and so is its gradient", str(error.value))


def test_the_programs_that_are_named_here_are_there():
    assert HEALTHY | MISSED | {REFUSED} <= BLIND.keys()
