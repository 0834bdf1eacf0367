"""Examine an answer: try its checks one after another, explain the first failure, and find the mistake behind it.

A named mistake is recognised if it gives the student's numbers at every point that was tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..runner.budgets import work_limit
from ..runner.timeout import Outcome, failure, method_that_raised
from .allowance import tolerances
from .answer_graph import Misused, NotConnected, Replayed
from .attempts import SEARCH, Attempt, attempt, first_failure, true_where_wrong, with_an_array
from .compared_values import agree, finite, plain, show, shown_apart, unwrapped
from .exercises import Check, Exercise
from .mistakes import Mistake, mistake
from .picture import beside
from .verdict import CheckLine, Side, Verdict

MISSING: Any = object()  #: the answer to an exercise whose name is missing from the notebook
EVIDENCE = 14  # maximum number of points that a named mistake must explain
NEAR = 1e-4  # an answer shows a mistake if it is this close to the mistake's own answer, relative to its size


def examine(
    exercise: Exercise,
    answer: Any,
    also: Mapping[str, Any] | None = None,
    thorough: bool = True,
    replayed: Replayed | None = None,
    seed: int | None = None,
) -> Verdict:
    """Return the verdict on an answer.

    also : name of another notebook variable that the exercise uses -> its value.
    thorough : whether to search beyond the simple inputs, and to draw a picture of a failure.
    replayed : the answer's graph, if it is recorded in another process.
    seed : seed of the searched inputs; None for the inputs that the notebook searches.
    """
    try:
        return _examined(exercise, answer, also or {}, thorough, replayed, seed)
    except Exception as error:
        method = method_that_raised(error)
        if not method:
            raise
        words = f"Your answer cannot be examined, as its {method} raises {failure(error).words}."
        return Verdict(exercise.name, "wrong", exercise.points, words=words)


def _examined(
    exercise: Exercise, answer: Any, also: Mapping[str, Any], thorough: bool, replayed: Replayed | None,
    seed: int | None,
) -> Verdict:  # fmt: skip
    verdict = Verdict(exercise.name, "unanswered", exercise.points)
    if answer is MISSING:
        verdict.words = f"There is no {variable_of(exercise)} yet. Run the cell that defines it, then this one again."
        return verdict
    if answer is ... or (answer is None and exercise.function is None):
        return verdict
    if exercise.by_hand is not None:
        verdict.status, verdict.words = told_to_read(exercise, answer)
        return verdict
    if exercise.question is not None:
        return _examine_value(exercise, answer, verdict)
    if not callable(answer) and any(check.what != "graph" for check in exercise.checks):
        verdict.status = "wrong"
        verdict.words = f"{exercise.function} should be a function, but it is {show(answer)}."
        return verdict
    missing = next((name for name in exercise.also if name not in also), None)
    if missing is not None:
        verdict.words = f"It is used together with {missing}, which is not defined yet. Run the cell that defines it."
        return verdict
    replayed = replayed or Replayed(answer, max((check.order or 0 for check in exercise.checks), default=0))
    replayed.follow(exercise.checks)
    for check in exercise.checks:
        if also:
            check = replace(check, run=partial(check.run, **also))
        if not _try(exercise, check, answer if check.order is None else replayed, verdict, thorough, seed):
            verdict.stopped = True
            break
    if verdict.status != "unanswered":
        rights = [line.right for line in verdict.lines]
        verdict.status = "right" if all(rights) and len(rights) == len(exercise.checks) else "wrong"
        verdict.lines += [CheckLine(check.says, None) for check in exercise.checks[len(rights) :]]
    return verdict


def told_to_read(exercise: Exercise, answer: Any) -> tuple[str, str]:
    """Return the status of an answer that a person will read, and a sentence for the student, or ""."""
    assert exercise.by_hand is not None
    if callable(answer):
        return "to read", ""
    if not isinstance(answer, str):
        return "wrong", f"{exercise.name} should be a text, in quotation marks, but it is {show(answer)}."
    count = len(answer.split())
    if not count:
        return "unanswered", ""
    least, most = exercise.by_hand.words
    expected = f"from {least:g} to {most:g} are" if math.isfinite(most) else f"at least {least:g} are" if least else ""
    return "to read", f"{count} word{'s' * (count != 1)}" + (f"; {expected} expected." if expected else ".")


def _examine_value(exercise: Exercise, answer: Any, verdict: Verdict) -> Verdict:
    question = exercise.question
    assert question is not None
    typed, answer = hasattr(answer, "numbers"), question.answer_in(answer)
    if answer is ...:
        verdict.words = question.missing
        return verdict
    verdict.status = "wrong"
    if typed and isinstance(answer, list) and None in answer:
        early = answer.count(None)
        was = "was" if early == 1 else "were"
        verdict.words = f"{early} of {len(answer)} messages {was} shown before a number was typed."
        verdict.words += " Run the cell of the picture again, and type each of them."
        return verdict
    if not question.understood(answer):
        verdict.words = f"{question.expects} Your answer is {show(answer)}."
        return verdict
    right, words = question.verdict(answer)
    verdict.status = "right" if right else "wrong"
    verdict.words = f"Your answer: {show(answer)}. {words}".rstrip()
    verdict.hint = _first_hint(exercise) if not right else ""
    return verdict


def _try(
    exercise: Exercise, check: Check, answer: Any, verdict: Verdict, thorough: bool, seed: int | None = None
) -> bool:
    """Try the answer against one check, add the result to the verdict, and return whether to try the next check."""
    failed = first_failure(check, answer, exercise.seconds, thorough, seed)
    if failed is not None and (failed.outcome.unanswered or failed.got is ...):
        verdict.status = "unanswered"
        verdict.lines = [CheckLine(c.says, None) for c in exercise.checks]
        return False
    verdict.status = "wrong"
    verdict.lines.append(
        CheckLine(check.says, None if verdict.detailed and _not_seen(check, failed) else failed is None)
    )
    if failed is not None and not verdict.detailed:  # only the first failure is explained and shown in full
        failed = with_an_array(check, answer, failed, exercise.seconds)
        verdict.mistake = recognise(check, answer, failed, exercise.seconds)
        _detail(exercise, check, answer, failed, verdict, thorough)
    if not verdict.printed:
        verdict.printed = _printed(check, answer, failed, exercise.seconds)
    # After an error or a failed property, later checks would add nothing to the explanation. They are tried only if
    # the checks have separate marks.
    of_its_own = check.what == "property" and check.order is None
    if failed is None or failed.outcome.late or failed.slow:
        return failed is None
    return exercise.in_parts or not (failed.outcome.failure or of_its_own)


def _not_seen(check: Check, failed: Attempt | None) -> bool:
    """Return whether a property could not be checked, because there is no graph or its numbers are not finite."""
    if failed is None or check.what != "property" or check.order is None:
        return False
    return bool(failed.outcome.failure) or failed.outcome.late or failed.mistake == mistake.not_finite


def _detail(exercise: Exercise, check: Check, answer: Any, failed: Attempt, verdict: Verdict, thorough: bool) -> None:
    """Describe a failure in the verdict: the inputs, the result, the expected result and, if possible, a picture."""
    verdict.detailed, verdict.tried = True, tuple(failed.inputs) if check.by_graph else ()
    verdict.true = true_where_wrong(check, failed)
    verdict.where = _where(exercise, failed)
    verdict.at = ", ".join(f"{name} = {show(x)}" for name, x in zip(check.names, failed.inputs))
    told_by_graph = failed.mistake is not None and not (failed.numbers or failed.outcome.failure)
    if check.what == "graph" or (check.order is not None and told_by_graph and failed.mistake != mistake.not_linear):
        verdict.at = ""  # name no inputs, because the result at them may be right
    if verdict.at and len(check.dtypes) > 1 and failed.dtype not in ("", check.dtypes[0]):
        verdict.at += f", in {failed.dtype}"
    outcome = failed.outcome
    if outcome.late:
        seconds = exercise.told_seconds or exercise.seconds
        limit = f"within {seconds:g} second{'s' * (seconds != 1)}"
        within = limit if outcome.value is None else "in time for all inputs together"
        verdict.words = f"It did not end {within} and was stopped."
    elif outcome.failure is not None:
        whole = outcome.failure.kind in (NotConnected.__name__, "BadMessage")  # the message is a whole sentence
        if outcome.failure.kind != Misused.__name__ and verdict.mistake not in (mistake.summed, mistake.python_if):
            verdict.words = ("" if whole else "It stopped with ") + outcome.failure.words
        if outcome.failure.code:
            verdict.code = f"line {outcome.failure.line}: {outcome.failure.code}"
    elif failed.words or not failed.mistake:
        verdict.words = failed.words
    if failed.numbers:
        yours, true = shown_apart(failed.got, failed.want)
        verdict.sides = (Side(f"your {check.what}", yours), Side(check.word.format(check.what), true))
    if (failed.numbers or failed.different) and check.drawn and thorough:
        verdict.picture = beside(check, answer, failed)
    verdict.hint = _first_hint(exercise)


def _where(exercise: Exercise, failed: Attempt) -> tuple[int, int] | None:
    """Return the indices of the failed check and of its failing point, or None if that is not one of its points."""
    for i, check in enumerate(exercise.checks):
        for j, point in enumerate(check.points):
            if len(point) == len(failed.inputs) and all(a is b for a, b in zip(point, failed.inputs)):
                return i, j
    return None


def _printed(check: Check, answer: Any, failed: Attempt | None, seconds: float) -> str:
    if failed is not None:
        return failed.outcome.printed
    if check.what == "property" and check.order is not None:
        return ""  # such a check reads the recorded graph instead of calling the function
    function = answer.f if isinstance(answer, Replayed) else answer
    again: Outcome = attempt(replace(check, order=None), function, check.points[0], seconds).outcome
    return again.printed


def _first_hint(exercise: Exercise) -> str:
    return f'For a hint: check.hint("{exercise.name}").' if exercise.hints else ""


def variable_of(exercise: Exercise) -> str:
    """Return the name by which the answer is looked up in the notebook."""
    return exercise.function or exercise.name


def recognise(check: Check, answer: Any, failed: Attempt, seconds: float) -> Mistake | None:
    """Return the named mistake whose answer equals the student's at the failing inputs and several others, or None."""
    if (
        failed.mistake is not None
        or failed.outcome.late
        or failed.outcome.failure
        or check.what in ("property", "graph")
    ):
        return failed.mistake
    if check.what == "answer" and _differs_again(check, answer, failed, seconds):
        return mistake.kept
    if failed.slow:
        return None
    seen = [failed]
    up = work_limit(SEARCH)
    for inputs in check.points[:EVIDENCE]:
        tried = attempt(replace(check, dtypes=(failed.dtype,) if failed.dtype else ()), answer, inputs, seconds)
        if tried.outcome.late or up():
            failed.slow = tried.outcome.late
            break
        if tried.outcome.failure or tried.mistake:
            return _not_finite(failed)
        seen.append(tried)
    for named, predicted in check.looks_like:
        if all(_predicts(predicted, check, tried, tried is failed) for tried in seen):
            return named
    return (_shifted(seen) or _transposed(seen) or _not_finite(failed)) if failed.numbers else None


def _differs_again(check: Check, answer: Any, failed: Attempt, seconds: float) -> bool:
    """Return whether one more call with the same inputs gives a different result.

    Return False for objects without their own repr.
    """
    first = repr(failed.got)  # the next call may change this object
    again = attempt(check, answer, failed.inputs, seconds)
    failed.slow = again.outcome.late
    return not (again.outcome.late or again.outcome.failure or " at 0x" in first) and repr(again.got) != first


def _predicts(predicted: Callable[..., Any], check: Check, tried: Attempt, exactly: bool) -> bool:
    """Return whether a mistake gives the numbers that the student got.

    predicted : the function that computes with the mistake.
    exactly : whether the numbers must also differ from the true ones, and small numbers must not count as 0.
    """
    try:
        with np.errstate(all="ignore"):
            expected = plain(predicted(*map(unwrapped, tried.inputs)))
            rtol, atol = tolerances(check, tried.inputs, tried.dtype)
            if exactly and agree(expected, plain(tried.want), max(rtol, NEAR), atol):
                return False  # at these inputs the mistake gives the true result
            return agree(tried.got, expected, max(rtol, NEAR), 0.0 if exactly else atol, tried.dtype or None)
    except Exception:
        return False


def _shifted(seen: list[Attempt]) -> Mistake | None:
    """Return the mistake `shifted` if all results are off by the same small number, else None."""
    if not all(t.ok or t.numbers for t in seen) or any(isinstance(t.want, (tuple, list, str, dict)) for t in seen):
        return None
    if any(t.want is None for t in seen):
        return None
    flat = lambda values: np.concatenate([np.ravel(np.asarray(v, float)) for v in values])
    got, want = flat(t.got for t in seen), flat(t.want for t in seen)
    if got.shape != want.shape or not np.isfinite(got - want).all() or not 0 < abs(off := got[0] - want[0]) < 1e-2:
        return None
    clear = 4 * np.finfo(seen[0].dtype or float).eps * abs(want) < 0.1 * abs(off)  # entries with little rounding
    return mistake.shifted if clear.sum() > 2 and bool(np.all(abs(got - want - off)[clear] <= 0.2 * abs(off))) else None


def _transposed(seen: list[Attempt]) -> Mistake | None:
    tables = [t for t in seen if _is_table(t.want)]
    same = tables and all(_is_table(t.got) and agree(np.transpose(t.got), t.want) for t in tables)
    return mistake.transposed if same and all(t.ok or _is_table(t.want) for t in seen) else None


def _is_table(x: Any) -> bool:
    try:
        return np.ndim(x) == 2
    except ValueError:  # the lists have different lengths
        return False


def _not_finite(failed: Attempt) -> Mistake | None:
    return mistake.not_finite if finite(failed.want) and not finite(failed.got) else None
