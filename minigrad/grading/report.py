"""The report on a submission, as plain data stored in JSON, and the part of the report that a student sees."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any

#: States of an exercise. Only the first three are verdicts. Answers "to read" have no marks until a person reads them.
STATES = ("right", "wrong", "unanswered", "ungraded", "to read")


@dataclass
class Criterion:
    """A check and its result.

    right : whether the check passed; None if it was not tried.
    reveal : the part that students see: "always", "message", "counterexample", "after" the deadline, or "never".
    """

    says: str
    right: bool | None
    marks: float = 0.0
    out_of: float = 0.0
    reveal: str = "always"
    message: str = ""


@dataclass
class Mark:
    """The mark of an exercise.

    marks : None if the answer could not be graded, which is not a zero; `why` then has the reason.
    inputs, yours, true : the simplest failure as text. mistake : the name of the named mistake, and its sentence.
    code : the answer's cell, or the text that a person reads. picture : the data of a `classroom.picture`, as JSON,
        with its texts; earlier versions stored the drawing.
    graph : the recorded graph of the answer, and the inputs where it fails, as JSON. behaviour : a digest of a wrong
        answer's behaviour. around : text that the student wrote around the cell.
    scale : the marks that a person can give, each with its meaning. group : the exercise with the function, if several
        exercises are about one function.
    """

    exercise: str
    state: str
    marks: float | None
    out_of: float
    lines: list[Criterion] = field(default_factory=list)
    words: str = ""
    inputs: str = ""
    yours: str = ""
    true: str = ""
    mistake: tuple[str, str] | None = None
    printed: str = ""
    code: str = ""
    picture: tuple[str, str] | None = None
    graph: str = ""
    why: str = ""
    scale: list[tuple[float, str]] = field(default_factory=list)
    group: str = ""
    behaviour: str = ""
    around: str = ""

    @property
    def in_parts(self) -> bool:
        """Whether the checks have separate marks, and only some of the marks were earned."""
        return self.state == "wrong" and bool(self.marks)

    @property
    def answer(self) -> str:
        """SHA-256 of the answer; a manual mark belongs to the answer with this digest."""
        return hashlib.sha256(self.code.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class Report:
    """The marks of all exercises in a submission.

    status : "graded", "unreadable", or "failed" if the judge failed.
    spec : SHA-256 of the checks. sandbox : the working layers. versions : the versions of Python, NumPy and minigrad.
    started : seconds since 1970. seconds : the time that judging took.
    """

    student: str
    assignment: str
    digest: str
    spec: str
    seed: int
    status: str
    results: list[Mark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sandbox: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    started: float = 0.0
    seconds: float = 0.0

    @property
    def marks(self) -> float | None:
        """The sum of the marks, or None if an exercise could not be graded."""
        if self.status != "graded" or any(r.marks is None for r in self.results):
            return None
        return sum(r.marks for r in self.results if r.marks is not None)

    @property
    def out_of(self) -> float:
        return sum(r.out_of for r in self.results)

    def to_json(self) -> str:
        return json.dumps(vars(self), default=vars, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Return the report that `to_json` wrote.

        >>> report = Report("ada", "hw1", "00", "11", 0, "graded", [Mark("q1", "right", 2.0, 2.0)])
        >>> Report.from_json(report.to_json()) == report
        True
        """
        data: dict[str, Any] = json.loads(text)
        results = [mark_of(mark) for mark in data.pop("results")]
        return cls(**{**data, "results": results, "sandbox": tuple(data["sandbox"])})


def mark_of(data: dict[str, Any]) -> Mark:
    """Return the Mark with the attributes in `data`, which were read from JSON."""
    pairs = {key: tuple(data[key]) if data[key] else None for key in ("mistake", "picture")}
    scale = [(marks, says) for marks, says in data.get("scale", ())]
    return Mark(**{**data, **pairs, "scale": scale, "lines": [Criterion(**line) for line in data["lines"]]})


NOT_SHOWN = "a check that is not shown"
#: The beginning of a `why` that continues with the text of an error, which may contain a hidden input.
ERRORS = ("The check could not be run", "A check raised")


def visible_part(mark: Mark, after: bool = False) -> Mark:
    """Return the mark without the parts that its checks hide.

    after : whether the deadline has passed.

    The words and the simplest failure belong to the first check that failed. If that check reveals only its message, or
    nothing, the words, the failure and the printed text are left out, because they may contain the input.

    >>> hidden = Criterion("0 at 800", False, reveal="never")
    >>> mark = Mark("q1", "wrong", 0.0, 2.0, [hidden], "overflow", inputs="x = 800", true="0")
    >>> found = visible_part(mark)
    >>> found.words, found.inputs, found.true, found.lines[0].says
    ('Right in what is shown; a check that is not shown failed.', '', '', 'a check that is not shown')
    """
    lines = [_line(line, after) for line in mark.lines]
    if any(_reveals(line, after) in ("message", "never") for line in mark.lines):
        mark = replace(mark, why=next((f"{begin}." for begin in ERRORS if mark.why.startswith(begin)), mark.why))
    failed = next((line for line in mark.lines if line.right is False), None)
    if failed is None or _reveals(failed, after) in ("always", "counterexample"):
        return replace(mark, lines=lines)
    words = "" if _reveals(failed, after) == "message" else HIDDEN
    nothing: dict[str, Any] = dict.fromkeys(("inputs", "yours", "true", "printed", "graph", "behaviour"), "")
    return replace(mark, lines=lines, words=words, mistake=None, picture=None, **nothing)


HIDDEN = f"Right in what is shown; {NOT_SHOWN} failed."


def _line(line: Criterion, after: bool) -> Criterion:
    return replace(line, says=NOT_SHOWN, message="") if _reveals(line, after) == "never" else line


def _reveals(line: Criterion, after: bool) -> str:
    if line.reveal == "after":
        return "always" if after else "never"
    return line.reveal
