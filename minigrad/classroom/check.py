"""The functions called in the first cell of a notebook, and `check("name")`, called below each answer.

>>> check = lesson("06")
>>> check("gradient_at_100", "d").status
'right'
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from minigrad.lab.handout import lessons_folder
from minigrad.tracing import introduced

from .examination import MISSING, examine, variable_of
from .exercises import Exercise
from .film import film_of
from .helper_process import Hopeless, Unable, examine_apart, prepare
from .hints import Help, Note, Reading
from .kernel import folder_of_the_notebook, held_back, protect
from .loading import load
from .own_engine import OURS, keep
from .questionnaire import Questions, questionnaire
from .student_progress import after, record
from .verdict import LessonSummary, Verdict

BEFORE_GRADIENTS = ("00", "01")  #: lessons before gradients: their `viz.forward` has no switch to gradients


def lesson(number: str | int | Path) -> Lesson:
    """Return the exercises of lesson `number`, or the exercises in the file of checks at the given path.

    A lesson is found from any folder.

    Raises ValueError if there is no such lesson.

    >>> lesson("06")
    <lesson 6: gradient_at_100, ...>
    """
    if _is_path(number):
        return _open(Path(str(number)))
    folder = lessons_folder() / "source"
    name = f"{number:02d}" if isinstance(number, int) else str(number)
    path = folder / f"{name}_checks.py"
    if not path.is_file():
        numbers = ", ".join(sorted(p.name.removesuffix("_checks.py") for p in folder.glob("*_checks.py")))
        raise ValueError(f"there is no lesson {name!r} with exercises; there are {numbers}")
    return _open(path)


def assignment(name: str | Path) -> Lesson:
    """Return the exercises of the assignment `name`, whose `name_checks.py` is next to the notebook.

    `name` may also be the path of the file.

    Raises ValueError if the file is missing, and AuthoringError if it cannot be used.
    """
    if _is_path(name):
        return _open(Path(name))
    places = list(dict.fromkeys([Path.cwd(), folder_of_the_notebook()]))
    for place in places:
        if (place / f"{name}_checks.py").is_file():
            return _open(place / f"{name}_checks.py")
        if (place / f"{name}.py").is_file() and (place / "checks.py").is_file():  # this is the author's folder
            return _open(place / "checks.py")
    where = " or ".join(map(str, places))
    raise ValueError(
        f"the checks of {str(name)!r} are missing: put the files that you received ({name}.ipynb, {name}_checks.py, "
        f"{name}_sealed.json) into one folder. Looked for {name}_checks.py in {where}; "
        f'in another folder, name it: assignment("folder/{name}_checks.py")'
    )


def _open(path: Path) -> Lesson:
    path = path.absolute()
    name = path.stem.removesuffix("_checks")
    opened = Lesson(path.parent.name if name in ("checks", "hidden") else name, load(path), path)
    prepare()
    protect(opened)
    introduced.gradients = opened.number not in BEFORE_GRADIENTS
    return opened


def _is_path(name: str | int | Path) -> bool:
    return isinstance(name, Path) or str(name).endswith(".py")


class Lesson:
    """The exercises of one lesson. Call it with a name to check one exercise, or without a name to check all.

    The answer, a function or a variable, is found in the notebook by its name, or passed as the second argument.

    Returns a Verdict or, without a name, a LessonSummary; a notebook shows either. Raises ValueError if the lesson has
    no exercise of that name.
    """

    def __init__(self, number: str, exercises: dict[str, Exercise], path: Path | None = None) -> None:
        self.number, self.exercises, self.path = number, exercises, path
        self.title = f"lesson {int(number)}" if number.isdigit() else number
        self._help = Help()

    def __repr__(self) -> str:
        return f"<{self.title}: {', '.join(self.exercises)}>"

    def __call__(self, name: str | None = None, answer: Any = MISSING) -> Verdict | LessonSummary:
        caller = sys._getframe(1)
        namespace = {**caller.f_globals, **caller.f_locals}
        if name is None:
            answers = [(e, namespace.get(variable_of(e), MISSING)) for e in self.exercises.values()]
            return LessonSummary(self.title, [self._examine(e, a, namespace) for e, a in answers])
        exercise = self._exercise(name)
        answer = namespace.get(variable_of(exercise), MISSING) if answer is MISSING else answer
        verdict = self._examine(exercise, answer, namespace)
        self._help.note(exercise.name, verdict.status)
        return verdict

    def hint(self, name: str) -> Note:
        """Return the next hint for an exercise: the first is a question, the last is nearly the line of code itself."""
        return self._help.hint(self._exercise(name))

    def solution(self, name: str) -> Note:
        """Return the solution and its reason, if the exercise is right, or was tried and all hints were seen."""
        return self._help.solution(self._exercise(name))

    def read(self, name: str, number: int = 1) -> Reading:
        """Return a text that is locked behind a prediction, given its number, counted from 1.

        Before the prediction, return a sentence on what to do first.
        """
        texts = self._exercise(name).texts
        if not 1 <= number <= len(texts):
            raise ValueError(
                f"{name} has {len(texts) or 'no'} text{'s' * (len(texts) != 1)} to read; {number} was given"
            )
        exercise = self._exercise(name)
        return Reading(held_back(self, exercise, sys._getframe(1).f_globals) or exercise.text(number - 1))

    def questions(self, answers: Sequence[Any] | None = None) -> Questions:
        """Return the questions at the end of the lesson as a form.

        answers : your answers; pass them here if forms cannot be displayed.
        """
        return questionnaire(self.number, answers)

    def picture(self, name: str, view: Any, *boxes: str, words: str = "") -> Any:
        """Return the picture `view` as a widget for the prediction `name`.

        The reader clicks a box or arrows, or types numbers into `boxes`. The page then says whether the answer is
        right, and plays the pass. The answer counts at once towards the progress of the lesson; it is the widget's
        `answer`, which can also be set. Without ipywidgets and anywidget, the result is the view, whose `answer` can be
        set too.

        words : the question.

        Raises ValueError for a prediction of letters, for a number without a box, and for a missing box.
        """
        question = self._exercise(name).question
        if question is None:
            raise ValueError(f"{name} is a function to build; a picture can only ask for a prediction")
        shown = view.ask(question.for_page(boxes, words))
        if question.kind == "order" and sorted(question.arrows) != sorted(shown.arrows):
            raise ValueError(f"{name} is about the arrows {list(question.arrows)}, but the picture has {shown.arrows}")
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
        """Return whether the exercise is right, or was tried and every hint was seen."""
        return self._help.finished(self._exercise(name))

    def _exercise(self, name: str) -> Exercise:
        if name not in self.exercises:
            close = difflib.get_close_matches(str(name), self.exercises, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(self.exercises)}"
            raise ValueError(f"{self.title} has no exercise {name!r}; {hint}")
        return self.exercises[name]

    def _examine(self, exercise: Exercise, answer: Any, namespace: Mapping[str, Any]) -> Verdict:
        """Return the verdict on an answer, and record it in the student's progress if the lesson comes from a file."""
        also = {name: namespace[name] for name in exercise.also if name in namespace}
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
        """Return the verdict on an answer; a function is examined in another process if possible."""
        assert self.path is not None
        if callable(answer) and exercise.question is None:
            try:
                return examine_apart(self.path, exercise.name, answer, also)
            except Unable:
                pass
            except Hopeless:
                return Verdict(exercise.name, "wrong", exercise.points, words="It ends each process that tries it.")
        return examine(exercise, answer, also)
