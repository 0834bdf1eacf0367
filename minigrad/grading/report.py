"""The report on one submission: plain data, which is kept as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

#: States of an exercise. Only the first three are verdicts on the student's work.
STATES = ("right", "wrong", "unanswered", "ungraded")


@dataclass
class Criterion:
    """One check. right : None if it was not tried.

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
    """An exercise. marks : None if it could not be graded, which is not a zero; `why` then has the reason.

    inputs, yours, true : the simplest failure as text. mistake : the name of the named mistake, and its sentence.
    code : the answer's cell. picture : the data of a `classroom.picture`, as JSON, with its words; earlier versions
    kept the drawing. graph : the recorded graph of the answer, and the inputs at which it fails, as JSON.
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


@dataclass
class Report:
    """Every exercise of one submission. status : "graded", "unreadable", or "failed" if the judge itself could not.

    spec : SHA-256 of the checks. sandbox : the layers that held. versions : of Python, NumPy and minigrad.
    started : seconds since 1970. seconds : the time it took.
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
        """The sum of the marks; None if an exercise could not be graded."""
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
        """The report that `to_json` wrote.

        >>> report = Report("ada", "hw1", "00", "11", 0, "graded", [Mark("q1", "right", 2.0, 2.0)])
        >>> Report.from_json(report.to_json()) == report
        True
        """
        data: dict[str, Any] = json.loads(text)
        results = []
        for r in data.pop("results"):
            pairs = {key: tuple(r[key]) if r[key] else None for key in ("mistake", "picture")}
            results.append(Mark(**{**r, **pairs, "lines": [Criterion(**line) for line in r["lines"]]}))
        return cls(**{**data, "results": results, "sandbox": tuple(data["sandbox"])})
