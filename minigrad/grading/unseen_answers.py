"""Sentences about answers that a grader does not see: under another name, overwritten later, or in another notebook."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from minigrad.classroom.exercises import Exercise

from .answered_cells import Noted, bound_in, defined_in, unanswered
from .submitted_notebook import Submission


def reasons(submission: Submission, exercises: Mapping[str, Exercise], assignment: Path) -> Iterator[Noted]:
    """Yield (exercise, sentence) for each answer that a grader does not see, because its name or notebook is wrong.

    If the whole notebook belongs to another assignment, there is one sentence, for the exercise "".
    """
    names = {cell.exercise for cell in submission.cells if cell.exercise}
    open_ = unanswered(submission.cells, exercises)
    if names and not names & exercises.keys() and len(open_) == len(exercises):
        foreign = ", ".join(sorted(names)[:4])
        yield "", f"this is the notebook of {_whose(names, assignment)}: its exercises are {foreign}"
        return
    defined = {name for cell in submission.cells for name in defined_in(cell)}
    for name in open_:
        wanted = exercises[name].function or name
        cells = [c for c in submission.cells if c.exercise == name]
        if any(cell.source.startswith("# %%") for cell in cells):
            yield name, f"the cell of {name} writes a file, and defines nothing: import {wanted} from the file below it"
            continue
        near = [other for cell in cells for other, answers in defined_in(cell).items() if answers]
        others = sorted(defined - set(exercises))
        near = difflib.get_close_matches(wanted, near, 1, 0.0) or difflib.get_close_matches(wanted, others, 1, 0.7)
        if near and wanted not in defined:
            yield name, f"{wanted} is defined nowhere; there is {near[0]}"


def bound_again(submission: Submission, exercise: Exercise) -> str:
    """Return a sentence if a cell below the answer to an exercise rebinds or deletes its name, else "".

    >>> from .submitted_notebook import Cell
    >>> ada = Submission("ada", "x", "", (Cell("q1 = 2", 3, "q1"), Cell("for q1 in range(9): pass", 5)))
    >>> bound_again(ada, Exercise("q1", 1, None, ()))
    'q1 of cell 3 is bound again in cell 5: its value at the end of the notebook counts'
    """
    name = exercise.function or exercise.name
    answered = [c.number for c in submission.cells if c.exercise == exercise.name and defined_in(c).get(name)]
    others = [c for c in submission.cells if answered and c.number > answered[-1] and c.exercise != exercise.name]
    if numbers := [c.number for c in others if name in bound_in(c)]:
        again = f"{name} of cell {answered[-1]} is bound again in cell {numbers[-1]}"
        return f"{again}: its value at the end of the notebook counts"
    return ""


def _whose(names: set[str], assignment: Path) -> str:
    """Return the name of the assignment or lesson that has some of the exercises `names`, or "another assignment".

    Assignments are looked for in the folders next to `assignment`.
    """
    from minigrad.lab.handout import lessons_folder

    lessons = (lessons_folder() / "source").glob("*_sealed.json")
    for sealed in [*sorted(assignment.parent.glob("*/sealed.json")), *sorted(lessons)]:
        if names & json.loads(sealed.read_text(encoding="utf-8")).keys():
            lesson = f"lesson {sealed.name.partition('_')[0]}"
            return sealed.parent.name if sealed.name == "sealed.json" else lesson
    return "another assignment"
