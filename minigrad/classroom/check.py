"""The function `check("name")`, which students call after each answer, and the verdict on an answer."""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..runner.timeout import Outcome, failure, method_that_raised
from .answer_graph import Misused, NotConnected, Replayed
from .attempts import Attempt, attempt, true_where_wrong, with_an_array
from .counterexample import first_failure
from .exercises import Check, Exercise
from .film import film_of
from .hints import Help, Note, Reading
from .inputs import show, shown_apart
from .mistakes import mistake
from .other_process import Hopeless, Unable, examine_apart
from .own_engine import OURS, keep
from .questionnaire import Questions, questionnaire
from .recognise_mistake import recognise
from .student_progress import after, record
from .verdict import CheckLine, LessonSummary, Side, Verdict

_missing: Any = object()


class Lesson:
    """The exercises of one lesson. Calling it checks one of them, or all without a name.

    The answer is found in the notebook by its name: a function, or a variable; or pass it as the second argument.
    Returns a Verdict, which a notebook shows. Raises ValueError if the lesson has no exercise of that name.
    """

    def __init__(self, number: str, exercises: dict[str, Exercise], path: Path | None = None) -> None:
        self.number, self.exercises, self.path = number, exercises, path
        self.title = f"lesson {number}" if number[:1].isdigit() else number
        self._help = Help()

    def __repr__(self) -> str:
        return f"<{self.title}: {', '.join(self.exercises)}>"

    def __call__(self, name: str | None = None, answer: Any = _missing) -> Verdict | LessonSummary:
        caller = sys._getframe(1)
        found = {**caller.f_globals, **caller.f_locals}
        if name is None:
            verdicts = [self._examine(e, found.get(_variable(e), _missing), found) for e in self.exercises.values()]
            return LessonSummary(self.title, verdicts)
        exercise = self._exercise(name)
        answer = found.get(_variable(exercise), _missing) if answer is _missing else answer
        verdict = self._examine(exercise, answer, found)
        self._help.note(exercise.name, verdict.status)
        return verdict

    def hint(self, name: str) -> Note:
        """The next hint for an exercise: first a question, at last nearly the line itself."""
        return self._help.hint(self._exercise(name))

    def solution(self, name: str) -> Note:
        """The solution and its reason, if the exercise is right, or was tried and all hints were seen."""
        return self._help.solution(self._exercise(name))

    def read(self, name: str, number: int = 1) -> Reading:
        """A text that is locked behind a prediction: the first one, or that of the given number."""
        texts = self._exercise(name).texts
        if not 1 <= number <= len(texts):
            raise ValueError(
                f"{name} has {len(texts) or 'no'} text{'s' * (len(texts) != 1)} to read; {number} was given"
            )
        return Reading(self._exercise(name).text(number - 1))

    def questions(self, given: Sequence[Any] | None = None) -> Questions:
        """The questions at the end of the lesson, as a form. given : the answers, where forms cannot be shown."""
        return questionnaire(self.number, given)

    def picture(self, name: str, view: Any, *boxes: str, words: str = "") -> Any:
        """The picture `view` with the prediction `name`, to be answered in it: by clicks on a box or on arrows, or by
        numbers that are typed into `boxes`. Then the page says whether it is right, and plays the pass.

        Returns a widget whose `answer` is what was said; it can be set. An answer counts for the progress of the lesson
        at once. Without ipywidgets and anywidget it is the view, whose `answer` can be set too. words : the question.
        Raises ValueError for a prediction of letters, for a number without a box, and for a box that is not there.
        """
        question = self._exercise(name).question
        if question is None:
            raise ValueError(f"{name} is a function to build; a picture can ask for a prediction only")
        shown = view.ask(question.for_page(boxes, words))
        if question.kind == "order" and sorted(question.arrows) != sorted(shown.arrows):
            raise ValueError(f"{name} is about the arrows {list(question.arrows)}, and the picture has {shown.arrows}")
        try:
            made = shown.widget()
        except ImportError:
            return shown

        def answered(_: Any) -> None:
            verdict = self._examine(self.exercises[name], made, {})
            self._help.note(name, verdict.status)

        made.observe(answered, ["chosen", "typed", "clicked"])
        return made

    def finished(self, name: str) -> bool:
        """Whether the exercise is right, or was tried and every hint was seen."""
        return self._help.finished(self._exercise(name))

    def _exercise(self, name: str) -> Exercise:
        if name not in self.exercises:
            close = difflib.get_close_matches(str(name), self.exercises, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(self.exercises)}"
            raise ValueError(f"{self.title} has no exercise {name!r}; {hint}")
        return self.exercises[name]

    def _examine(self, exercise: Exercise, answer: Any, found: Mapping[str, Any]) -> Verdict:
        """The verdict on an answer, which counts for the progress of a lesson that comes from a file."""
        also = {name: found[name] for name in exercise.also if name in found}
        if self.path is None:
            return examine(exercise, answer, also)
        verdict = self._examine_apart(exercise, answer, also)
        verdict.film = film_of(exercise, answer, verdict)
        new = verdict.status != "unanswered" and record(
            self.number, exercise.name, verdict.status == "right", list(self.exercises)
        )
        if verdict and exercise.name in OURS and OURS[exercise.name].lesson == self.number:
            verdict.kept = keep(exercise.name, answer, self.number)
        if verdict and new and not exercise.more:
            verdict.after = after(self.number)
        return verdict

    def _examine_apart(self, exercise: Exercise, answer: Any, also: Mapping[str, Any]) -> Verdict:
        """The verdict on a function, from another process if that is possible."""
        assert self.path is not None
        if callable(answer) and exercise.question is None:
            try:
                return examine_apart(self.path, exercise.name, answer, also)
            except Unable:
                pass
            except Hopeless:
                return Verdict(exercise.name, "wrong", exercise.points, words="It ends each process that tries it.")
        return examine(exercise, answer, also)


def examine(
    exercise: Exercise,
    answer: Any,
    also: Mapping[str, Any] | None = None,
    thorough: bool = True,
    replayed: Replayed | None = None,
    seed: int | None = None,
) -> Verdict:
    """The verdict on an answer.

    also : the values of further names of the notebook that the exercise uses. thorough : search beyond the simple
        inputs, and draw a picture of a failure. replayed : the answer as its graph, where that is recorded in another
        process. seed : of the inputs that are searched; None for those of the notebook.
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
    if answer is _missing:
        verdict.words = f"There is no {_variable(exercise)} yet. Run the cell that defines it, then this one again."
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
        verdict.words = f"{exercise.function} should be a function, and it is {show(answer)}."
        return verdict
    missing = next((name for name in exercise.also if name not in also), None)
    if missing is not None:
        verdict.words = f"It is used together with {missing}, which is not there yet. Run the cell that defines it."
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
    """The status of an answer that a person reads, and the words about it."""
    assert exercise.by_hand is not None
    if callable(answer):
        return "to read", ""
    if not isinstance(answer, str):
        return "wrong", f"{exercise.name} is a text, in quotation marks, and it is {show(answer)}."
    count = len(answer.split())
    if not count:
        return "unanswered", ""
    least, most = exercise.by_hand.words
    expected = f"from {least:g} to {most:g} are" if math.isfinite(most) else f"at least {least:g} are" if least else ""
    return "to read", f"{count} word{'s' * (count != 1)}" + (f"; {expected} expected." if expected else ".")


def _examine_value(exercise: Exercise, answer: Any, verdict: Verdict) -> Verdict:
    question = exercise.question
    assert question is not None
    typed, answer = hasattr(answer, "numbers"), question.given(answer)
    if answer is ...:
        verdict.words = question.missing
        return verdict
    verdict.status = "wrong"
    if typed and isinstance(answer, list) and None in answer:
        verdict.words = f"Of {len(answer)} messages, {answer.count(None)} were shown before a number was typed."
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
    """Add the result of one check to the verdict; return whether further checks make sense."""
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
    of_its_own = check.what == "property" and check.order is None  # no later check has more to say than its sentence
    if failed is None or failed.outcome.late or failed.slow:
        return failed is None
    return exercise.in_parts or not (failed.outcome.failure or of_its_own)


def _not_seen(check: Check, failed: Attempt | None) -> bool:
    """Whether a property of the graph could not be looked at, as there is no graph, or no number in it."""
    if failed is None or check.what != "property" or check.order is None:
        return False
    return bool(failed.outcome.failure) or failed.outcome.late or failed.mistake == mistake.not_finite


def _detail(exercise: Exercise, check: Check, answer: Any, failed: Attempt, verdict: Verdict, thorough: bool) -> None:
    """Describe a failure: the inputs, the result and the expected result."""
    from .picture import beside

    verdict.detailed, verdict.tried = True, tuple(failed.inputs) if check.by_graph else ()
    verdict.true = true_where_wrong(check, failed)
    verdict.where = _where(exercise, failed)
    verdict.at = ", ".join(f"{name} = {show(x)}" for name, x in zip(check.names, failed.inputs))
    told_by_graph = failed.mistake is not None and not (failed.numbers or failed.outcome.failure)
    if check.what == "graph" or (check.order is not None and told_by_graph and failed.mistake != mistake.not_linear):
        verdict.at = ""  # the result at these inputs may be right
    if verdict.at and len(check.dtypes) > 1 and failed.dtype not in ("", check.dtypes[0]):
        verdict.at += f", in {failed.dtype}"
    outcome = failed.outcome
    if outcome.late:
        seconds = exercise.told_seconds or exercise.seconds
        limit = f"within {seconds:g} second{'s' * (seconds != 1)}"
        within = limit if outcome.value is None else "in time for all inputs together"
        verdict.words = f"It did not end {within} and was stopped."
    elif outcome.failure is not None:
        whole = outcome.failure.kind == NotConnected.__name__
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
    """The numbers of the check and of its point from which the inputs of a failure are."""
    for i, check in enumerate(exercise.checks):
        for j, point in enumerate(check.points):
            if len(point) == len(failed.inputs) and all(a is b for a, b in zip(point, failed.inputs)):
                return i, j
    return None


def _printed(check: Check, answer: Any, failed: Attempt | None, seconds: float) -> str:
    if failed is not None:
        return failed.outcome.printed
    if check.what == "property" and check.order is not None:
        return ""  # it reads the recorded graph
    function = answer.f if isinstance(answer, Replayed) else answer
    again: Outcome = attempt(replace(check, order=None), function, check.points[0], seconds).outcome
    return again.printed


def _first_hint(exercise: Exercise) -> str:
    return f'For a hint: check.hint("{exercise.name}").' if exercise.hints else ""


def _variable(exercise: Exercise) -> str:
    return exercise.function or exercise.name
