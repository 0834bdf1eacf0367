"""Questions that come back: five at the end of each lesson, and up to three old ones a day.

Each answer is judged right or wrong at once. Nothing is graded, and nothing depends on answering. A question comes back
after a day, then after three days, a week and three weeks. After a wrong answer, the series starts over.

Recalling a fact on several days helps more than reading it again: Latimier, Peyre and Ramus, Educational Psychology
Review 33 (2021). The growing intervals follow the card boxes of Leitner, So lernt man lernen (1972).
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from minigrad.lab.files import write_whole
from minigrad.lab.handout import lessons_folder

from .compared_values import show
from .questions import Question
from .student_progress import append, entries
from .verdict import MARKS, Displayed, code, filled

#: Days until a question comes back: after the first right answer, after the second, and so on. After a wrong answer,
#: the series starts over.
DAYS = (1, 3, 7, 21, 60)
A_DAY, OF_ONE_LESSON = 3, 2


@dataclass(frozen=True)
class Asked:
    """A question as students see it.

    options : the texts of a choice, a to d; () if the answer is a number.
    """

    text: str
    options: tuple[str, ...]
    question: Question


def ask(text: str, answer: float | str, why: str, *options: str, within: float = 0.0) -> Asked:
    """Return a question with its answer and the reason.

    options : the options of a choice, whose answer is a letter.
    within : how far a number may be from the answer.

    >>> ask("The slope of x·x at 3?", 6, "2x.").question.verdict(6)
    (True, '2x.')
    """
    if isinstance(answer, str):
        because = dict.fromkeys("abcd"[: len(options)], why)
        if answer not in because:
            raise ValueError(f"the answer {answer!r} names none of the {len(options)} options of {text!r}")
        return Asked(text, options, Question.of_letters(text, answer, because))
    return Asked(text, (), Question.of_numbers(text, "number", {answer: why}, [answer], within, why))


def to_text(questions: dict[str, list[Asked]]) -> str:
    """Return the questions of all lessons as JSON, with their answers sealed.

    questions : number of a lesson -> its questions.
    """
    data = {
        part: [{**asdict(asked), "question": asked.question.to_data()} for asked in questions[part]]
        for part in questions
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


@cache
def questions_of_the_course() -> dict[str, tuple[Asked, ...]]:
    """Return the questions of each lesson by its number."""
    try:
        text = (lessons_folder() / "source" / "questions_sealed.json").read_text(encoding="utf-8")
    except OSError:
        return {}
    return {
        part: tuple(Asked(a["text"], tuple(a["options"]), Question.of_data(a["question"])) for a in entries)
        for part, entries in json.loads(text).items()
    }


def questionnaire(part: str, answers: Sequence[Any] | None = None) -> Questions:
    """Return the five questions of a lesson as a form.

    answers : your answers; pass them here if forms cannot be displayed.

    Raises ValueError for a lesson without questions, or for a wrong number of answers.
    """
    asked = questions_of_the_course().get(part, ())
    if not asked:
        raise ValueError(f"lesson {part} has no questions")
    keys = [Key(part, n) for n in range(1, len(asked) + 1)]
    return _with_answers(Questions(f"{_count(len(asked))} on this lesson", keys, "check.questions"), answers)


def three_a_day(replies: Sequence[Any] | None = None, today: date | None = None) -> Questions:
    """Return up to three questions that are due today, from lessons whose questions you have answered before.

    replies : your answers; pass them here if forms cannot be displayed.
    """
    today = today or date.today()
    kept = [answer for answer in answers() if 1 <= answer.key.number <= len(_of(answer.key.part))]
    keys = due(kept, today)
    if keys:
        return _with_answers(Questions(f"{_count(len(keys))} from earlier lessons", keys, "three_a_day"), replies)
    later = [day for day in next_days(kept).values() if day > today]
    then = f"The next one is on {min(later):%d %B %Y}." if later else "Answer those at the end of a lesson first."
    return Questions(f"No question is due today. {then}", [], "three_a_day")


def _of(part: str) -> tuple[Asked, ...]:
    return questions_of_the_course().get(part, ())


def _count(n: int) -> str:
    return "One question" if n == 1 else f"{('', '', 'Two', 'Three', 'Four', 'Five')[n]} questions"


def _with_answers(questions: Questions, answers: Sequence[Any] | None) -> Questions:
    if answers is not None:
        if isinstance(answers, str) or len(answers) != len(questions.keys):
            raise ValueError(f"give a list of {len(questions.keys)} answers, in the order of the questions")
        for i, answer in enumerate(answers):
            questions.answer(i, answer)
    return questions


class Questions(Displayed):
    """Questions with their verdicts, shown as a form in a notebook and as text elsewhere."""

    page = "questions.html"

    def __init__(self, head: str, keys: Sequence[Key], call: str) -> None:
        self.head, self.keys, self.call = head, list(keys), call
        self.asked = [_of(key.part)[key.number - 1] for key in keys]
        self.said: list[tuple[bool | None, str]] = [(None, "")] * len(self.keys)

    def answer(self, i: int, value: Any) -> tuple[bool | None, str]:
        """Check the answer to question `i`, store it in the progress file, and return the verdict."""
        question = self.asked[i].question
        value = _number(value) if question.kind == "number" else value
        if value is None or value is ... or value == "":
            self.said[i] = (None, "")
        elif not question.understood(value):
            self.said[i] = (None, f"{question.expects} Your answer is {show(value)}.")
        else:
            right, why = question.verdict(value)
            self.said[i] = (right, why)
            keep(Answer(self.keys[i], right, date.today()))
        return self.said[i]

    @property
    def rows(self) -> list[tuple[str, list[str], str]]:
        """Return, for each question, its number and text, its options, and the verdict on the answer."""
        return [
            (
                f"{i}. {asked.text}",
                [f"{letter}) {option}" for letter, option in zip("abcd", asked.options)],
                f"{MARKS[right]} {words}" if words else "",
            )
            for i, (asked, (right, words)) in enumerate(zip(self.asked, self.said), start=1)
        ]

    @property
    def how(self) -> str:
        if not self.keys or any(words for _, words in self.said):
            return ""
        return f"Answer with {self.call}([{', '.join(['...'] * len(self.keys))}]), with a number or a letter for each."

    def to_text(self) -> str:
        lines = [self.head]
        for text, options, said in self.rows:
            lines += [text.replace("`", ""), *("   " + option for option in options), *["   " + said] * bool(said)]
        return "\n".join([*lines, *[self.how] * bool(self.how)])

    def _ipython_display_(self) -> None:
        from IPython.display import display

        form = _form(self) if self.how else None
        display(form or self._repr_mimebundle_(), raw=form is None)


def _number(typed: Any) -> Any:
    """Convert typed text such as "3,5" or "1/6" to a number; return None for empty text, and other text unchanged."""
    if not isinstance(typed, str):
        return typed
    text = typed.strip().replace("−", "-").replace(",", ".")
    fraction = re.fullmatch(r"(-?\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)", text)
    with contextlib.suppress(ValueError, ZeroDivisionError):
        return float(fraction[1]) / float(fraction[2]) if fraction else float(text)
    return typed if text else None


def _form(questions: Questions) -> Any:
    """Return a form with a button that checks all answers, for keyboard and mouse, or None without ipywidgets."""
    try:
        import ipywidgets
    except ImportError:
        return None
    rows: list[Any] = [ipywidgets.HTML(filled("form.html", head=questions.head))]
    fields, lines = [], []
    for (text, options, _), asked in zip(questions.rows, questions.asked):
        if options:
            letters = [(option, letter) for option, letter in zip(options, "abcd")]
            field = ipywidgets.RadioButtons(options=letters, index=None, layout={"width": "auto"})
        else:
            field = ipywidgets.Text(placeholder="a number", continuous_update=False, layout={"width": "9em"})
        field.tooltip = asked.text
        line = ipywidgets.HTML()
        rows += [ipywidgets.HTML(f"<div style='max-width:46em;line-height:1.45'>{code(text)}</div>"), field, line]
        fields.append(field)
        lines.append(line)
    button = ipywidgets.Button(description="Check", button_style="primary")

    def check(_: Any) -> None:
        for i, (field, line) in enumerate(zip(fields, lines)):
            right, words = questions.answer(i, field.value)
            line.value = filled("said.html", right=right, words=words) if words else ""

    button.on_click(check)
    return ipywidgets.VBox([*rows, button])


def sources_of_questions(folder: Path) -> dict[str, list[Asked]]:
    """Return the questions in all files `questions_NN.py` of a folder, by the number of the lesson."""
    import runpy

    files = sorted(folder.glob("questions_[0-9]*.py"))
    return {part: asked for file in files for part, asked in runpy.run_path(str(file))["QUESTIONS"].items()}


def write_sealed(folder: Path) -> Path:
    """Write `questions_sealed.json` next to the files of the questions, and return its path."""
    path = folder / "questions_sealed.json"
    write_whole(path, to_text(sources_of_questions(folder)).encode())
    questions_of_the_course.cache_clear()
    return path


class Key(NamedTuple):
    """The identity of a question: the number of its lesson, and its own number, counted from 1."""

    part: str
    number: int


class Answer(NamedTuple):
    """One stored answer: the question, whether it was right, and the day."""

    key: Key
    right: bool
    day: date


def answers() -> list[Answer]:
    """Return the answers in the student's progress file; broken lines are skipped."""
    stored = []
    for entry in entries():
        with contextlib.suppress(ValueError, KeyError, TypeError):
            key = Key(str(entry["part"]), int(entry["question"]))
            stored.append(Answer(key, entry["right"] is True, date.fromisoformat(entry["day"])))
    return stored


def keep(answer: Answer) -> None:
    """Append an answer to the progress file, unless the question was answered on that day or later."""
    key, right, day = answer
    if not any(other.key == key and other.day >= day for other in answers()):
        append({"part": key.part, "question": key.number, "right": right, "day": day.isoformat()})


def next_days(history: Iterable[Answer]) -> dict[Key, date]:
    """Return the day when each answered question comes back, without questions that were right five times in a row.

    Only the first answer of a day counts. If the clock was set back, later answers count as answers of the latest day
    before the change.

    >>> key, monday = Key("07", 1), date(2026, 1, 5)
    >>> next_days([Answer(key, True, monday), Answer(key, True, monday + timedelta(1))])
    {Key(part='07', number=1): datetime.date(2026, 1, 9)}
    """
    boxes: dict[Key, int] = {}
    days: dict[Key, date] = {}
    last = date.min
    for key, right, day in history:
        last = max(last, day)
        if days.get(key) != last:
            boxes[key] = boxes.get(key, 0) + 1 if right else 0
            days[key] = last
    return {k: day + timedelta(DAYS[max(boxes[k] - 1, 0)]) for k, day in days.items() if boxes[k] < len(DAYS)}


def due(history: Sequence[Answer], today: date) -> list[Key]:
    """Return the questions for a day: those that have been due longest, at most two of them from one lesson.

    Answers on the day itself are ignored, so the questions of a day remain the same.
    """
    waiting = next_days(answer for answer in history if answer.day < today)
    chosen: list[Key] = []
    for key in sorted((key for key, day in waiting.items() if day <= today), key=lambda key: (waiting[key], key)):
        if len(chosen) < A_DAY and sum(key.part == other.part for other in chosen) < OF_ONE_LESSON:
            chosen.append(key)
    return chosen
