"""The function that students call, `check("name")` after each answer, and the verdict on an answer."""

from __future__ import annotations

import contextlib
import difflib
import sys
from pathlib import Path
from typing import Any

from .apart import Unable, examine_apart
from .exercises import Check, Exercise
from .guard import Outcome, call
from .inputs import show
from .mistakes import mistake
from .search import Attempt, first_failure, recognise
from .truth import NotConnected
from .verdict import CheckLine, LessonSummary, Side, Verdict

_missing: Any = object()


class Lesson:
    """The exercises of one lesson. Calling it checks one of them, or all when no name is given.

    The answer is found in the notebook by its name: a function, or a variable; or pass it as the second argument.
    Returns a Verdict, which a notebook shows. Raises ValueError when the lesson has no exercise of that name.
    """

    def __init__(self, number: str, exercises: dict[str, Exercise], path: Path | None = None) -> None:
        self.number, self.exercises, self.path = number, exercises, path
        self.title = f"lesson {number}" if number[:1].isdigit() else number

    def __repr__(self) -> str:
        return f"<{self.title}: {', '.join(self.exercises)}>"

    def __call__(self, name: str | None = None, answer: Any = _missing) -> Verdict | LessonSummary:
        caller = sys._getframe(1)
        found = {**caller.f_globals, **caller.f_locals}
        if name is None:
            verdicts = [self._examine(e, found.get(_variable(e), _missing)) for e in self.exercises.values()]
            return LessonSummary(self.title, verdicts)
        if name not in self.exercises:
            close = difflib.get_close_matches(str(name), self.exercises, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(self.exercises)}"
            raise ValueError(f"{self.title} has no exercise {name!r}; {hint}")
        exercise = self.exercises[name]
        return self._examine(exercise, found.get(_variable(exercise), _missing) if answer is _missing else answer)

    def _examine(self, exercise: Exercise, answer: Any) -> Verdict:
        """The verdict on an answer: on a function, from a process of its own where that is possible."""
        if callable(answer) and exercise.question is None and self.path is not None:
            with contextlib.suppress(Unable):
                return examine_apart(self.path, exercise.name, answer)
        return examine(exercise, answer)


def examine(exercise: Exercise, answer: Any) -> Verdict:
    """The verdict on an answer."""
    verdict = Verdict(exercise.name, "unanswered", exercise.points)
    if answer is _missing:
        verdict.words = f"There is no {_variable(exercise)} yet. Run the cell that defines it, then this one again."
        return verdict
    if answer is ... or (answer is None and exercise.function is None):
        return verdict
    if exercise.question is not None:
        return _examine_value(exercise, answer, verdict)
    if not callable(answer):
        verdict.status = "wrong"
        verdict.words = f"{exercise.function} should be a function, and it is {show(answer)}."
        return verdict
    for check in exercise.checks:
        if not _try(exercise, check, answer, verdict):
            break
    if verdict.status != "unanswered":
        rights = [line.right for line in verdict.lines]
        verdict.status = "right" if all(rights) and len(rights) == len(exercise.checks) else "wrong"
        verdict.lines += [CheckLine(check.says, None) for check in exercise.checks[len(rights) :]]
    return verdict


def _examine_value(exercise: Exercise, answer: Any, verdict: Verdict) -> Verdict:
    question = exercise.question
    assert question is not None
    answer = getattr(answer, "value", answer)
    verdict.status = "wrong"
    if not question.understood(answer):
        verdict.words = f"{question.expects} Your answer is {show(answer)}."
        return verdict
    verdict.status = "right" if question.right(answer) else "wrong"
    key = answer.strip().strip(".()").lower() if isinstance(answer, str) else float(answer)
    near = (words for known, words in question.because.items() if known == key or (known != known and key != key))
    verdict.words = f"Your answer: {show(answer)}. " + next(
        near, next(iter(question.because.values()), "") if verdict.status == "right" else question.otherwise
    )
    return verdict


def _try(exercise: Exercise, check: Check, answer: Any, verdict: Verdict) -> bool:
    """Add the result of one check to the verdict; return whether further checks make sense."""
    failed = first_failure(check, answer, exercise.seconds)
    if failed is not None and (failed.outcome.unanswered or failed.got is ...):
        verdict.status = "unanswered"
        verdict.lines = [CheckLine(c.says, None) for c in exercise.checks]
        return False
    verdict.status = "wrong"
    verdict.lines.append(CheckLine(check.says, failed is None))
    if failed is not None and not verdict.detailed:
        _detail(exercise, check, answer, failed, verdict)
    if failed is not None and verdict.mistake in (None, mistake.not_finite):
        verdict.mistake = recognise(check, answer, failed, exercise.seconds) or verdict.mistake
    if not verdict.printed:
        verdict.printed = _printed(check, answer, failed, exercise.seconds)
    return failed is None or not (failed.outcome.late or failed.outcome.failure)


def _detail(exercise: Exercise, check: Check, answer: Any, failed: Attempt, verdict: Verdict) -> None:
    """Describe the first failure, the only one that is shown in full."""
    from .picture import beside

    verdict.detailed = True
    verdict.at = ", ".join(f"{name} = {show(x)}" for name, x in zip(check.names, failed.inputs))
    outcome = failed.outcome
    if outcome.late:
        verdict.words = (
            f"It did not end within {exercise.seconds:g} seconds and was stopped. Is there a loop that never ends?"
        )
    elif outcome.failure is not None:
        stopped = "" if outcome.failure.kind == NotConnected.__name__ else "It stopped with "
        verdict.words = stopped + outcome.failure.words
        if outcome.failure.code:
            verdict.code = f"line {outcome.failure.line}: {outcome.failure.code}"
    else:
        verdict.words = failed.words
    if failed.numbers:
        yours, true = show(failed.got), show(failed.want)
        if yours == true:
            yours, true = show(failed.got, 9), show(failed.want, 9)
        verdict.sides = (Side(f"your {check.what}", yours), Side(f"true {check.what}", true))
        verdict.picture = beside(check, answer, failed)
    verdict.needs = check.needs


def _printed(check: Check, answer: Any, failed: Attempt | None, seconds: float) -> str:
    if failed is not None:
        return failed.outcome.printed
    again: Outcome = call(lambda: check.run(answer, *check.points[0]), seconds)
    return again.printed


def _variable(exercise: Exercise) -> str:
    return exercise.function or exercise.name
