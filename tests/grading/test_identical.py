"""The gradebook of a class is the same, however many judges work at once and in whatever order."""

from dataclasses import replace
from functools import partial

import pytest

from minigrad.grading.grade_class import Task, grade_class, judged
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.judge import Judge
from minigrad.runner.budgets import Limits
from tests.helpers.graded_class import CLASS, class_in, contents

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The gradebooks of a class: graded by one judge, and by two at once in the opposite order."""
    folder = tmp_path_factory.mktemp("course")
    path, arrived = class_in(folder)
    judges = partial(Judge, path, limits=Limits(call=0.5))
    with judges() as judge:
        task = Task("hw1", judge.assignment.spec)
    found = []
    backwards = replace(arrived, submissions=arrived.submissions[::-1])
    for jobs, those in [(1, arrived), (2, backwards)]:
        with Gradebook(folder / f"{jobs}.db") as book:
            grade_class(book, task, those, partial(judged, judges, task, jobs))
            found.append(contents(book))
    return found


def test_two_judges_at_once_make_the_gradebook_of_one_in_any_order(graded):
    assert graded[1] == graded[0]


def test_the_class_has_the_marks_that_it_deserves(graded):
    marks = {student: marks for student, _, marks, _, _ in graded[0][0]}
    assert marks == {
        "right": 4.0,
        "another way": 4.0,
        "a wrong number": 3.0,
        "no upstream": 1.0,
        "a flipped sign": 1.0,
        "never ends": 1.0,
        "ends the process": 4.0,
        "raises": 1.0,
        "nothing": 0.0,
        "right by a table": 1.0,
        "no notebook": None,
        "cut off": None,
    }
    assert list(marks) == sorted(CLASS)
