"""Two assistants, two gradebooks: after `merge`, one has everything, and the later of two marks counts."""

import time

import pytest

from minigrad import __main__ as cli
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.merging import merge
from minigrad.grading.report import Mark, Report
from minigrad.grading.submitted_notebook import Submission


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]

    def tick():
        now[0] += 1
        return now[0]

    monkeypatch.setattr(time, "time", tick)


def graded(book, student, marks, digest="00"):
    book.receive("hw1", Submission(student, f"{student}.ipynb", digest))
    result = [Mark("q1", "right", marks, 3.0, code="x")]
    book.record("hw1", Report(student, "hw1", digest, "11", 0, "graded", result))


def marks(book):
    return {g.student: g.marks for g in book.grades("hw1")}


@pytest.fixture
def two(tmp_path, clock):
    with Gradebook(tmp_path / "a.db") as first, Gradebook(tmp_path / "b.db") as second:
        for book in (first, second):
            graded(book, "ada", 1.0)
        graded(first, "ben", 2.0)
        graded(second, "cy", 3.0)
        yield first, second


def test_the_union_of_both_and_a_second_time_nothing(two):
    first, second = two
    second.allow("cy", "hw1", 3600, "ill")
    second.decide("A. Adams", "ada")
    assert merge(first, second) == []
    assert marks(first) == {"ada": 1.0, "ben": 2.0, "cy": 3.0} and first.decided() == {"A. Adams": "ada"}
    state = first.state()
    assert merge(first, second) == [] and first.state() == state
    assert merge(second, first) == [] and marks(second) == marks(first)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_marks_by_hand_the_later_counts_and_both_are_shown(two, order):
    books = [two[n] for n in order]
    books[0].adjust("ada", "hw1", 2.0, "nearly", "q1", "eve")
    books[1].adjust("ada", "hw1", 0.5, "hardly", "q1", "fay")
    both = {two[0]: "eve" if order == (0, 1) else "fay", two[1]: "fay" if order == (0, 1) else "eve"}
    (said,) = merge(*two)
    given = {"eve": "2 by eve (nearly)", "fay": "0.5 by fay (hardly)"}
    assert said == f"ada, q1: {given[both[two[0]]]} | {given[both[two[1]]]}; the later one counts"
    assert marks(two[0])["ada"] == 0.5
    state = two[0].state()
    assert merge(*two) == [] and two[0].state() == state


def test_a_mark_that_was_taken_back_stays_so(two):
    first, second = two
    second.withdraw(second.adjust("ada", "hw1", 2.0, "nearly", "q1"))
    assert merge(first, second) == [] and marks(first)["ada"] == 1.0


def test_an_earlier_file_does_not_replace_a_later_one(tmp_path, clock):
    with Gradebook(tmp_path / "a.db") as first, Gradebook(tmp_path / "b.db") as second:
        graded(second, "ada", 1.0, "old")
        graded(first, "ada", 3.0, "new")
        merge(first, second)
        assert marks(first) == {"ada": 3.0}
        merge(second, first)
        assert marks(second) == {"ada": 3.0}


def test_the_command_says_what_differs(two, tmp_path, capsys):
    for book, mark in zip(two, (2.0, 0.5)):
        book.adjust("ada", "hw1", mark, "why", "q1", "eve")
    for book in two:
        book.close()
    assert cli.main(["gradebook", str(tmp_path / "a.db"), "merge", str(tmp_path / "b.db")]) == 0
    said = capsys.readouterr().out
    assert "ada, q1: 2 by eve (why) | 0.5 by eve (why)" in said and "1 mark differs" in said
    assert cli.main(["gradebook", str(tmp_path / "a.db"), "merge", str(tmp_path / "absent.db")]) == 1


def test_a_deduction_that_both_have_made_is_shown(two):
    first, second = two
    first.adjust("ada", "hw1", -0.5, "late", who="eve")
    second.adjust("ada", "hw1", -0.5, "late", who="fay")
    (said,) = merge(first, second)
    assert said == "ada, the sum: -0.5 by eve (late) | -0.5 by fay (late); both count"
    assert marks(first)["ada"] == 0.0 and merge(first, second) == [] == merge(second, first)
