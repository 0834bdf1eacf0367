"""The sum over all assignments: an assignment without marks is named with the reason, and is not a zero."""

import csv

import pytest

from minigrad import __main__ as cli
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.report import Mark, Report
from minigrad.grading.submitted_notebook import Submission
from minigrad.grading.totals import totals


@pytest.fixture
def course(tmp_path, monkeypatch):
    """ada did both, ben one, cy's is to read, dee was excused from hw2; eve is not in the roster."""
    monkeypatch.chdir(tmp_path)
    with Gradebook("course.db") as book:
        book.enroll({name: {"student": name, "name": name.title()} for name in ("ada", "ben", "cy", "dee", "=fay")})
        for name, handed_in in (
            ("hw1", {"ada": 3.0, "ben": 2.5, "cy": 1.0, "dee": 4.0}),
            ("hw2", {"ada": 0.0, "cy": None, "eve": 5.0}),
        ):
            for student, marks in handed_in.items():
                out_of = 4.0 if name == "hw1" else 5.0
                mark = Mark("q1", "wrong" if marks is not None else "to read", marks, out_of)
                book.receive(name, Submission(student, "f", student))
                book.record(name, Report(student, name, student, "11", 0, "graded", [mark]))
        book.allow("dee", "hw2", 0, "moved", excused=True)
    return tmp_path


def test_what_has_no_marks_counts_neither_way(course):
    with Gradebook("course.db", make=False, write=False) as book:
        sums = {t.student: (t.marks, t.out_of, t.lacks) for t in totals(book)}
    assert sums == {
        "ada": (3.0, 9.0, ""),
        "ben": (2.5, 4.0, "hw2: missing"),
        "cy": (1.0, 4.0, "hw2: to read"),
        "dee": (4.0, 4.0, "hw2: excused"),
        "=fay": (0, 0, "hw1: missing; hw2: missing"),
        "eve": (5.0, 5.0, ""),
    }


def test_the_command_prints_them(course, capsys):
    assert cli.main(["gradebook", "course.db", "totals"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["student", "hw1", "hw2", "total", "of"]
    sums = {row.split()[0]: row.split()[1:] for row in rows}
    assert sums["ada"] == ["Ada", "3", "0", "3", "9"]
    assert sums["ben"] == ["Ben", "2.5", "2.5", "4", "hw2:", "missing"]


def test_the_file_holds_back_who_is_not_in_the_roster_and_defuses_formulas(course, capsys):
    assert cli.main(["gradebook", "course.db", "totals", "out/totals.csv"]) == 0
    printed = capsys.readouterr().out
    assert "5 students; hw1, hw2" in printed and "the roster does not have them: eve" in printed
    rows = list(csv.reader((course / "out" / "totals.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert rows[0] == ["student", "name", "hw1", "hw2", "total", "out of", "without marks"]
    assert rows[1] == ["'=fay", "'=Fay", "", "", "0", "0", "hw1: missing; hw2: missing"]
    assert rows[2] == ["ada", "Ada", "3", "0", "3", "9", ""] and len(rows) == 6
