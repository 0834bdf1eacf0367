"""nbgrader's gradebook, where nbgrader is installed: formgrader shows our marks, and what it must grade by hand."""

import pytest

from minigrad.grading.exports import formgrader
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.late import DAY, LateRule
from minigrad.grading.report import Mark, Report
from minigrad.grading.submitted_notebook import Submission
from tests.helpers.late_class import EXPECTED, fill

api = pytest.importorskip("nbgrader.api")


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
def test_marks_are_theirs_and_writing_twice_changes_nothing(tmp_path):
    with Gradebook(tmp_path / "course.db") as book:
        for student, marks in (("ada", 2.0), ("bob", None), ("eve", 0.0)):
            book.receive("hw1", Submission(student, "f", student, received=1.5 * DAY))
            results = [Mark("q1", "right", marks, 2.0), Mark("q2", "right", 1.0, 3.0)]
            book.record("hw1", Report(student, "hw1", student, "11", 0, "graded", results))
        book.enroll({"dan": {"name": "Dan van Dee"}})
        book.set_rule("hw1", LateRule(0.0, percent=10))
        grades = book.grades("hw1")
    for _ in range(2):
        assert formgrader.write(tmp_path / "gradebook.db", "hw1", grades) == 3
    with api.Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as theirs:
        found = {
            s.student.id: (s.score, s.max_score, s.needs_manual_grade, s.late_submission_penalty)
            for s in theirs.assignment_submissions("hw1")
        }
        assert found == {"ada": (3.0, 5.0, False, 0.6), "bob": (1.0, 5.0, True, 0.0), "eve": (1.0, 5.0, False, 0.2)}
        assert sorted(student.id for student in theirs.students) == ["ada", "bob", "dan", "eve"]
        assert (theirs.find_student("dan").first_name, theirs.find_student("dan").last_name) == ("Dan van", "Dee")


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
def test_late_work_and_marks_by_hand_are_theirs(tmp_path):
    with Gradebook(tmp_path / "course.db") as book:
        grades = fill(book)
    formgrader.write(tmp_path / "gradebook.db", "hw1", grades)
    with api.Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as theirs:
        found = {
            s.student.id: None if s.needs_manual_grade else pytest.approx(s.score - s.late_submission_penalty)
            for s in theirs.assignment_submissions("hw1")
        }
    assert {student: found.get(student) for student in EXPECTED} == EXPECTED
