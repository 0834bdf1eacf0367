"""The marks of a student in all assignments: their sum, and the assignments without marks, not counted as zeros."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..core.support.error_words import visible
from .changed_checks import shown
from .gradebook import Gradebook
from .grades import Grade
from .summary import table


@dataclass(frozen=True)
class Total:
    """The grades of one student in all assignments, and their sum.

    Assignments without marks count neither in `marks` nor in `out_of`.
    """

    student: str
    name: str
    grades: dict[str, Grade]

    @property
    def _graded(self) -> list[Grade]:
        return [g for g in self.grades.values() if g.marks is not None]

    @property
    def marks(self) -> float:
        return sum(g.marks for g in self._graded if g.marks is not None)

    @property
    def out_of(self) -> float:
        return sum(g.out_of for g in self._graded)

    @property
    def lacks(self) -> str:
        """The assignments without marks, with the reason for each."""
        return "; ".join(f"{name}: {g.status}" for name, g in self.grades.items() if g.marks is None)


def totals(book: Gradebook) -> list[Total]:
    """Return the `Total` of each student who is in the class list or submitted anything, sorted by student."""
    each = {name: {g.student: g for g in book.grades(name)} for name in book.assignments()}
    students = {student: g.name for grades in each.values() for student, g in grades.items()}
    order = sorted(students, key=lambda student: (student.casefold(), student))
    of = {s: {name: grades[s] for name, grades in each.items() if s in grades} for s in order}
    return [Total(student, students[student], of[student]) for student in order]


def headings(students: Sequence[Total]) -> list[str]:
    """Return the names of all assignments that some student has a grade for, sorted."""
    return sorted({name for total in students for name in total.grades})


def lines(students: Sequence[Total]) -> list[str]:
    """Return the totals as the lines of a table."""
    names = headings(students)
    rows = [("student", *names, "total", "of", "without marks, which are not zeros")]
    for t in students:
        rows.append((f"{t.student}  {t.name}".strip(), *map(shown, _row(t, names)), t.lacks))
    return [visible(line) for line in table([tuple("" if c == "not graded" else c for c in row) for row in rows])]


def cells(students: Iterable[Total], names: Sequence[str]) -> list[list[str | float | None]]:
    """Return the totals as the rows of a spreadsheet, after a row of headings. names : the assignments to include."""
    rows = [[t.student, t.name, *_row(t, names), t.lacks] for t in students]
    return [["student", "name", *names, "total", "out of", "without marks"], *rows]


def _row(t: Total, names: Sequence[str]) -> list[float | None]:
    return [*(t.grades[name].marks if name in t.grades else None for name in names), t.marks, t.out_of]
