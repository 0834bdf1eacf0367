"""The checks notice each break of each solution, except those named here with the reason."""

import pytest

from minigrad.classroom.release import sources
from minigrad.lab.handout import lessons_folder
from tests.lessons.breaks import BREAKS, course, trials

EXACT = "the answers are whole numbers, 0, 1 or half of 1, and float32 has them"
FLAT = "the answer is the same number in each entry: 1 / n"
ENOUGH = "the exercise accepts float32: c.accept has the reason"
DEFAULT = "a pass may compute in float32, the default dtype"
DIFFERENCES = "a quotient of differences has no more digits than float32"
ITERATED = "the truth is where a loop settles, which holds six digits"
WITH_DTYPE = "the dtype of the answer is float32, or is chosen by a threshold that is right in float32"
ONE_SIZE = "the answer has one size"
SYMMETRIC = "the matrix is its own transpose"
RANDOM = "the numbers are drawn, and another draw is as right"
WRAPPED = "the answer is a class, or its graph is looked at, which another op changes"

#: By lesson, exercise and break: why it may pass, or why it makes no difference to any probe.
REASONS = {
    "00": {("slope_by_nudging", "float32 only"): DIFFERENCES},
    "01": {("count_arrows", "float32 only"): EXACT, ("count_paths", "float32 only"): EXACT},
    "02": {
        ("backprop_by_hand", "float32 only"): EXACT,
        ("backprop", "float32 only"): EXACT,
        **{(name, "this size only"): ONE_SIZE for name in ("slopes_of", "backprop_by_hand")},
    },
    "03": {("numerical_grad", "float32 only"): DIFFERENCES, ("check_direction", "float32 only"): DIFFERENCES},
    "04": {("exp", "none"): WRAPPED, ("Number", "float32 only"): EXACT, ("Number", "this size only"): ONE_SIZE},
    "05": {
        **{("jac_mean", change): FLAT for change in ("one row for all", "transposed", "sorted")},
        **{(name, "float32 only"): EXACT for name in ("jac_cumsum", "jac_sort")},
    },
    "06": {("safe_log1pexp", "float32 only"): WITH_DTYPE},
    "08": {(name, "float32 only"): EXACT for name in ("make_linear_poly", "dense_with_rule", "freeze_by_rule")},
    "09": {
        ("flatten", "float32 only"): EXACT,
        **{(name, "none"): WRAPPED for name in ("split", "portable", "rebuild")},
    },
    "10": {("length_everywhere", "none"): WRAPPED},
    "11": {
        ("hessian", "transposed"): SYMMETRIC,
        **{(name, "float32 only"): ENOUGH for name in ("hessian", "hvp", "newton_step")},
    },
    "13": {
        **{(name, "float32 only"): EXACT for name in ("kept", "longest")},
        ("in_pieces", "none"): WRAPPED,
        ("recompute", "float32 only"): DEFAULT,
        ("dropout", "float32 only"): ENOUGH,
    },
    "14": {("robust_middle", "float32 only"): ITERATED, ("make_ridge", "float32 only"): DEFAULT},
    "15": {
        ("silent_units", "float32 only"): EXACT,
        **{("start_weights", change): RANDOM for change in ("sign", "transposed", "sorted", "off by one")},
        ("start_weights", "float32 only"): WITH_DTYPE,
    },
    "16": {("make_loss", "float32 only"): DEFAULT},
    "17": {("Dual", "float32 only"): EXACT},
    "18": {
        ("as_half", "float32 only"): WITH_DTYPE,
        ("careful_step", "float32 only"): WITH_DTYPE,
    },
    "hw16": {("capstone", "float32 only"): DEFAULT},
    "hw8": {(name, "none"): WRAPPED for name in ("make_quadratic", "make_line")},
    "hw4": {
        **{(name, "float32 only"): EXACT for name in ("gradients", "Value")},
        ("Value", "this size only"): ONE_SIZE,
        ("tanh", "none"): WRAPPED,
    },
}
NUMBERS = [source.name[:2] for source in sources()]
NUMBERS += sorted(folder.name for folder in (lessons_folder() / "assignments").iterdir() if folder.is_dir())


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_breaks_are_seen(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # lesson 16 writes a page
    (results,) = [list(trials(notebook, exercises)) for n, notebook, exercises in course() if n == number]
    unseen = {(e, change) for e, _, change, result in results if result not in ("seen", "not tried", "no rows")}
    assert unseen == set(REASONS.get(number, {}))


@pytest.mark.slow
def test_every_break_is_seen_somewhere():
    (results,) = [list(trials(notebook, exercises)) for number, notebook, exercises in course() if number == "12"]
    assert {change for _, _, change, result in results if result == "seen"} == set(BREAKS)
