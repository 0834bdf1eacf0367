"""The numbers of a class from first principles: shares, correlations, and the mistakes that were made most often."""

import numpy as np
import pytest

from minigrad.grading.exercise_statistics import common_mistakes, exercise_numbers, predictions, unnamed_mistakes
from minigrad.grading.grades import Grade
from minigrad.grading.report import Criterion, Mark, Report

SIGN, UPSTREAM = ("sign", "It has the other sign."), ("no upstream", "It is not multiplied.")


def grade(student, **marks):
    """A student with marks out of 2 for each exercise; None for one that could not be graded."""
    results = [
        Mark(name, "ungraded" if m is None else "right" if m == 2 else "wrong", m, 2.0) for name, m in marks.items()
    ]
    report = Report(student, "hw1", "", "", 0, "graded", results)
    return Grade(student, "graded", report.marks, 2.0 * len(marks), dict(marks), report=report)


def test_difficulty_is_the_mean_share_of_the_marks():
    grades = [grade("a", q=2, r=0), grade("b", q=1, r=0), grade("c", q=0, r=2)]
    q, r = exercise_numbers(grades)
    assert (q.exercise, q.share, r.share) == ("q", 0.5, pytest.approx(1 / 3))
    assert q.states == {"right": 1, "wrong": 2}


def test_discrimination_is_the_correlation_with_the_rest():
    table = [(2, 2, 1), (2, 1, 2), (1, 1, 1), (0, 1, 0), (0, 0, 0)]
    grades = [grade(str(i), q=q, r=r, s=s) for i, (q, r, s) in enumerate(table)]
    rest = np.array([3, 3, 2, 1, 0])
    assert exercise_numbers(grades)[0].discrimination == pytest.approx(np.corrcoef([2, 2, 1, 0, 0], rest)[0, 1])


def test_where_nothing_varies_nothing_is_told_apart():
    assert [n.discrimination for n in exercise_numbers([grade(s, q=2, r=1) for s in "abcd"])] == [None, None]
    assert exercise_numbers([grade("a", q=2, r=1), grade("b", q=0, r=0)])[0].discrimination is None, "two are too few"


def test_what_could_not_be_graded_counts_for_nothing():
    q, r = exercise_numbers([grade("a", q=None, r=2), grade("b", q=2, r=0)])
    assert q.share == 1.0 and q.states == {"ungraded": 1, "right": 1}
    assert r.share == 0.5
    assert exercise_numbers([grade("a", q=None)])[0].share is None
    assert exercise_numbers([Grade("a", "missing", None, 2.0)]) == []


def test_mistakes_come_commonest_first_with_the_shortest_example():
    def wrong(student, mistake, code="", **more):
        report = Report(student, "hw1", "", "", 0, "graded", [Mark("q", "wrong", 0.0, 2.0, mistake=mistake, code=code)])
        return Grade(student, "graded", 0.0, 2.0, {"q": 0.0}, report=report)

    grades = [wrong("a", SIGN, "x"), wrong("b", UPSTREAM, "long code"), wrong("c", UPSTREAM, "code"), wrong("d", None)]
    found = common_mistakes(grades)
    assert [(m.name, m.count, m.example.code) for m in found] == [("no upstream", 2, "code"), ("sign", 1, "x")]
    assert found[0].says == UPSTREAM[1]
    assert unnamed_mistakes(grades) == 1


def test_predictions_are_counted_by_what_was_typed_and_are_not_without_a_name():
    def answered(student, code, state, words="A sentence.", lines=()):
        mark = Mark("q", state, 2.0 * (state == "right"), 2.0, [*lines], words, code=code)
        return Grade(student, "graded", mark.marks, 2.0, report=Report(student, "hw1", "", "", 0, "graded", [mark]))

    typed = [('q = "a"', "wrong")] * 2 + [("q = ' C) '", "right"), ('q = "a"\nq = "c"\ncheck("q")', "right")]
    typed += [("q = 3", "wrong"), ("q = (", "wrong"), ("r = 'b'", "wrong"), ('q = "b"', "unanswered")]
    grades = [answered(str(n), *each) for n, each in enumerate(typed)]
    assert [(p.answer, p.count, p.right) for p in predictions(grades)["q"]] == [("a", 2, False), ("c", 2, True)]
    assert unnamed_mistakes(grades) == 0
    function = answered("f", "def q(x): return x", "wrong", lines=[Criterion("the value", False)])
    assert unnamed_mistakes([*grades, function, answered("g", 'q = "a"', "wrong", words="")]) == 2
    assert predictions([function]) == {}
