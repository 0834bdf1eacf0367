"""Late work, manual marks and ungraded work look the same wherever marks are written."""

import csv
import io
import re

import pytest

from minigrad import __main__ as cli
from minigrad.grading.exports.grades_csv import canvas, moodle, spreadsheet
from minigrad.grading.exports.gradescope import results
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.pages.of_class import class_page
from minigrad.grading.pages.of_student import student_page
from tests.helpers.late_class import CLASS, EXPECTED, fill


@pytest.fixture
def grades(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Gradebook("course.db") as book:
        return fill(book)


def number(text):
    return float(text) if text else None


def column(text, who, marks):
    rows = list(csv.DictReader(io.StringIO(text)))
    return {row[who]: number(row[marks]) for row in rows if row[who] in EXPECTED}


def test_the_class_has_the_marks_that_follow(grades):
    assert {g.student: g.marks for g in grades} == EXPECTED


def test_every_table_has_the_same_marks_and_an_empty_cell_where_there_are_none(grades):
    with Gradebook("course.db") as book:
        roster = {student: {"student": student} for student in book.students()}
    assert column(spreadsheet(grades, roster), "student", "marks") == EXPECTED
    assert column(moodle("hw1", grades, roster), "Username", "hw1") == EXPECTED
    assert column(canvas("hw1", grades, roster), "Student", "hw1") == EXPECTED


def test_a_row_of_the_spreadsheet_adds_up(grades):
    for row in csv.DictReader(io.StringIO(spreadsheet(grades, {}))):
        if row["marks"]:
            earned = sum(number(row[name]) or 0.0 for name in ("q1", "q2", "added by hand"))
            assert earned - float(row["deduction"]) == pytest.approx(float(row["marks"]), abs=1e-5), row


def test_pages_and_lines_say_the_same_marks(grades, capsys):
    whole = class_page(grades, "hw1")
    for grade in grades:
        marks = EXPECTED[grade.student]
        words = f"{marks:g} of 8" if marks is not None else "not graded (of 8)"
        row = re.search(rf"<tr><td><a[^>]*><bdi>{grade.student}</bdi></a>.*?</tr>", whole, re.S).group()
        missing = grade.status == "missing" and marks is None
        assert f"<td>{'–' if missing else words}</td>" in row
        page = student_page(grade, "hw1")
        assert ("Nothing was handed in." in page) == (grade.student in ("jan", "kim"))
        assert missing or f"<b>{words}</b>" in page
        assert cli.main(["gradebook", "course.db", "show", "hw1", "--student", grade.student]) == 0
        said = capsys.readouterr().out
        assert said.splitlines()[0].endswith(f": {marks:g} of 8" if marks is not None else f": {grade.status}")
        for sentence in grade.words:
            assert sentence in row and sentence in said and sentence.partition(": ")[2] in page, sentence


def test_a_deduction_and_its_rule_are_in_the_same_words_everywhere(grades, capsys, tmp_path):
    says = "1 day 12 h late, counted as 2 days at 10 %: deduction 20 %, 4.8 instead of 6"
    assert cli.main(["gradebook", "course.db", "show"]) == 0
    assert cli.main(["gradebook", "course.db", "export", "hw1", "csv", "marks.csv"]) == 0
    assert cli.main(["gradebook", "course.db", "export", "hw1", "moodle", "moodle.csv"]) == 0
    assert cli.main(["gradebook", "course.db", "feedback", "hw1", "pages"]) == 0
    shown = capsys.readouterr().out
    files = [tmp_path / name for name in ("marks.csv", "moodle.csv", "pages/class.html", "pages/students/dee.html")]
    texts = [path.read_text("utf-8-sig") for path in files]
    assert all(says in text for text in (shown, *texts))
    rule = "deduction for late work: 10 % for each day or part of a day, at most 50 %, after 30 min of grace, "
    rule += "late work is accepted for 7 days"
    assert all(rule in text for text in (shown, *texts[2:]))


def test_gradescope_gets_the_marks_of_the_checks_and_no_score_where_there_are_none(grades):
    for grade in grades:
        if grade.report is None:
            continue
        found = results(grade.report)
        checked = CLASS[grade.student][1]
        assert found.get("score") == (sum(checked) if checked and None not in checked else None)
        assert [test.get("score") for test in found["tests"]] == list(checked or ())
