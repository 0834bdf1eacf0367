"""A forecast of a notebook's grading: the students' checks, run in the grader's own processes.

In a notebook, a check sees the current answer. A grader runs all cells first, and a later cell may assign another value
to the name, or delete a name that the answer uses.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from minigrad.classroom.exercises import Exercise

from .answered_cells import defined_in, unanswered, without_blank_copies
from .assignment import HandedOut
from .report import Mark, Report
from .submitted_notebook import Submission
from .unseen_answers import reasons
from .written_text import text_for

if TYPE_CHECKING:
    from .judge import Judge


@dataclass
class Foreseen:
    """The forecast for one notebook.

    exercises : all exercises, in order. answered : the exercises with an answer after all cells have run. right : the
        answered exercises that the students' checks accept; None if the cells could not be run.
    notes : exercise that needs another look -> sentences. to_read : exercise -> the location of the text that a person
        will read.
    """

    exercises: tuple[str, ...]
    answered: set[str]
    right: set[str] | None = None
    unknown: str = ""
    notes: dict[str, list[str]] = field(default_factory=dict)
    to_read: dict[str, str] = field(default_factory=dict)

    @property
    def open(self) -> list[str]:
        """The exercises without an answer."""
        return [name for name in self.exercises if name not in self.answered]

    @property
    def headline(self) -> str:
        """A sentence about how many exercises are answered, and how many need another look.

        >>> Foreseen(("q1", "q2", "q3"), {"q1", "q3"}, notes={"q3": ["q3: not so: the value is 2"]}).headline
        '2 of 3 exercises are answered; not yet: q2; 1 needs a look: q3'
        """
        look = [name for name in self.exercises if name in self.notes]
        open_ = [name for name in self.open if name not in self.notes]
        parts = [f"{len(self.answered)} of {len(self.exercises)} exercises are answered"]
        parts += [f"not yet: {', '.join(open_)}"] * bool(open_)
        parts += [f"{len(look)} need{'s' * (len(look) == 1)} a look" + f": {', '.join(look)}" * bool(look)]
        return "; ".join(parts)

    @property
    def lines(self) -> list[str]:
        """The sentences, in the order of the exercises, without repetitions."""
        if self.right is None:
            lines = [f"the grader may see more or less: the cells were read but not run, because {self.unknown}"]
        else:
            answered = f"{len(self.right)} of {len(self.answered)}"
            lines = [f"right by the checks that you have, when all cells have run: {answered}"] * bool(self.answered)
        lines += [line for name in self.exercises for line in self.notes.get(name, ())]
        lines += [f"{name}: a person reads the text {where}" for name, where in self.to_read.items()]
        return list(dict.fromkeys(lines))


def foreseen(submission: Submission, received: HandedOut) -> Foreseen:
    """Return the forecast for a submission. In a browser, which cannot start a process, the cells are only read."""
    if sys.platform == "emscripten":
        return as_read(submission, received, "no process can be started here")
    from .judge import Judge

    try:
        with Judge(received.checks, "none", consent=True) as judge:  # no sandbox: this is the student's own computer
            return as_run(submission, received, judge)
    except (OSError, RuntimeError) as problem:
        return as_read(submission, received, str(problem))


def as_read(submission: Submission, received: HandedOut, unknown: str) -> Foreseen:
    """Return a forecast made by only reading a submission's cells; `unknown` is the reason for not running them."""
    submission, twice = without_blank_copies(submission, received.exercises)
    open_ = unanswered(submission.cells, received.exercises)
    seen = Foreseen(tuple(received.exercises), received.exercises.keys() - {*open_}, unknown=unknown)
    for exercise, sentence in [*twice, *reasons(submission, received.exercises, received.checks)]:
        for name in [exercise] if exercise else seen.exercises:
            seen.notes.setdefault(name, []).append(sentence)
    for name in open_:
        texts = tuple(f"cell {text.number}, for {name}, " for text in submission.texts if text.exercise == name)
        if received.exercises[name].by_hand is None and (
            sentences := [n for n in submission.notes if n.startswith(texts)]
        ):
            seen.notes.setdefault(name, []).extend(sentences)
        cells = [received.cells[name], *received.below.get(name, ())] if name in received.cells else None
        by_hand, below = received.exercises[name].by_hand is not None, name in received.below
        _, where = text_for(received.exercises[name], submission, cells, below) if by_hand else ("", "")
        if where:
            seen.answered.add(name)
            seen.to_read[name] = where
    return seen


def as_run(submission: Submission, received: HandedOut, judge: Judge) -> Foreseen:
    """Return the forecast of `judge`, which has the students' checks."""
    seen = as_read(submission, received, "")
    written, seen.answered, seen.right = seen.answered, {*seen.to_read}, {*seen.to_read}
    report = judge.judge(submission)
    unseen = {sentence for _, sentence in reasons(submission, received.exercises, received.checks)}
    for mark in (mark for mark in report.results if mark.exercise not in seen.to_read):
        name = mark.exercise
        if mark.state in ("right", "wrong", "to read") or (mark.state == "ungraded" and name in written):
            seen.answered.add(name)
        if mark.state in ("right", "to read"):
            seen.right.add(name)
            _take_back(seen, name, unseen)
        elif mark.state == "unanswered" and name not in written:
            why = "" if name in seen.notes else _why_open(mark, received.exercises[name], report, submission)
            _note(seen, name, why)
        else:
            _note(seen, name, _sentence(mark, judge, submission))
    return seen


def _note(seen: Foreseen, name: str, sentence: str) -> None:
    if sentence:
        seen.notes.setdefault(name, []).append(f"{name}: {sentence}")


def _take_back(seen: Foreseen, name: str, unseen: set[str]) -> None:
    """Remove the notes `unseen` about an exercise, which say that it has no answer.

    They are wrong if running the cells creates the answer, for example with `exec`.
    """
    if others := [sentence for sentence in seen.notes.pop(name, ()) if sentence not in unseen]:
        seen.notes[name] = others


def _why_open(mark: Mark, exercise: Exercise, report: Report, submission: Submission) -> str:
    """Return the reason why a grader finds no answer in the cell of an exercise, or "" for a stub or a missing cell."""
    cells = [cell for cell in submission.cells if cell.exercise == exercise.name]
    stub = any(defined_in(cell).get(exercise.function or exercise.name) is False for cell in cells)
    if mark.words or stub or not cells:
        return mark.words
    number = cells[-1].number
    notes = (note for note in report.notes if note.startswith((f"Cell {number}:", f"Cell {number},")))
    return next(notes, f"a grader finds no answer in cell {number}")


def _sentence(mark: Mark, judge: Judge, submission: Submission) -> str:
    """Return a sentence about an answer's fault, and about a cell below it that changed a right answer, if one did."""
    words = mark.words or mark.why or next((f"not so: {line.says}" for line in mark.lines if line.right is False), "")
    number = max((cell.number for cell in submission.cells if cell.exercise == mark.exercise), default=0)
    until = tuple(cell for cell in submission.cells if cell.number <= number)
    if until and len(until) < len(submission.cells):
        (before,) = judge.judge(replace(submission, cells=until), only=[mark.exercise]).results
        if before.state == "right":
            lost = "but gone at the end of the notebook" if mark.state == "unanswered" else "but wrong at the end"
            return f"right in cell {number}, {lost}, because of a cell below. {words}".rstrip()
    return words or "it is not defined after all cells have run"
