"""The gradebook adds and never changes; what counts follows from its rows, and nothing is ever half written."""

import contextlib
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.grading.changed_checks import counted
from minigrad.grading.database import TABLES
from minigrad.grading.grade_class import Task, differences, grade_class, judged
from minigrad.grading.gradebook import Gradebook, GradebookError, Newer
from minigrad.grading.late import DAY, LateRule, late_rule
from minigrad.grading.report import Mark, Report
from minigrad.grading.submissions import Submissions
from minigrad.grading.submitted_notebook import Cell, Submission
from tests.helpers.stand_in_judge import StandIn

WORK = Task("hw1", "spec")
ROOT = Path(__file__).parents[2]


def handed_in(student, code="5", received=0.0, **also):
    return Submission(student, f"{student}.ipynb", f"{student} {code}", (Cell(code, 1),), received, **also)


@pytest.fixture
def book(tmp_path):
    with Gradebook(tmp_path / "course.db") as book:
        yield book


def run(book, *submissions, judge=StandIn, work=WORK, jobs=1, **also):
    return grade_class(book, work, Submissions(submissions), partial(judged, judge, work, jobs), **also)


def marks(book):
    return {grade.student: grade.marks for grade in book.grades("hw1")}


def test_a_class_is_graded_once_and_only_what_is_new_is_judged_again(book):
    first = run(book, handed_in("ada", "7"), handed_in("bob", "3"))
    assert (sorted(first.judged), first.kept, marks(book)) == (["ada", "bob"], [], {"ada": 7.0, "bob": 3.0})
    second = run(book, handed_in("ada", "7"), handed_in("bob", "4"), handed_in("cleo", "10"))
    assert (sorted(second.judged), second.kept) == (["bob", "cleo"], ["ada"])
    assert marks(book) == {"ada": 7.0, "bob": 4.0, "cleo": 10.0}
    assert sorted(run(book, handed_in("ada", "7"), again=True).judged) == ["ada"]
    assert sorted(run(book, handed_in("ada", "7"), work=Task("hw1", "spec", seed=1)).judged) == ["ada"]


def test_what_counts_is_the_newest_submission_by_the_newest_checks(book):
    run(book, handed_in("ada", "7"))
    run(book, handed_in("ada", "3"))
    assert marks(book) == {"ada": 3.0}
    back = run(book, handed_in("ada", "7"))
    assert (back.judged, back.kept, marks(book)) == ({}, ["ada"], {"ada": 7.0}), "handed in once more as it was first"
    run(book, handed_in("ada", "7"), judge=lambda: StandIn(1.0, "other"), work=Task("hw1", "other"))
    assert marks(book) == {"ada": 8.0}
    undone = run(book, handed_in("ada", "7"))
    assert (undone.judged, marks(book)) == ({}, {"ada": 7.0}), "the checks were changed back"
    assert [report.marks for report, _ in book.attempts("hw1")] == [7.0, 3.0, 8.0, 7.0]


def test_the_order_of_rows_decides_and_no_clock(book, monkeypatch):
    clock = iter([5e9, 4e9, 3e9, 2e9, 1e9, 0.0, -1e9, -2e9])
    monkeypatch.setattr("minigrad.grading.database.time.time", lambda: next(clock))
    run(book, handed_in("ada", "7", received=1e9))
    run(book, handed_in("ada", "3", received=5e8))
    assert marks(book) == {"ada": 3.0}


def test_what_could_not_be_graded_is_empty_and_no_zero(book):
    book.enroll({"dan": {"id": "dan"}, "ada": {"id": "ada"}})
    empty = handed_in("cleo", unreadable="it is empty")
    class_ = [handed_in("ada", "odd"), handed_in("bob", "boom"), empty, handed_in("eve", "0")]
    done = run(book, *class_)
    grades = {g.student: (g.status, g.marks, g.words) for g in book.grades("hw1")}
    assert grades == {
        "ada": ("not graded", None, ["q1 could not be graded: the check raised"]),
        "bob": ("not graded", None, ["the judge failed: RuntimeError: boom"]),
        "cleo": ("unreadable", None, ["it is empty"]),
        "dan": ("missing", None, []),
        "eve": ("graded", 0.0, []),
    }
    assert done.unclear == ["ada", "bob", "cleo"]
    assert {g.out_of for g in book.grades("hw1")} == {10.0}
    again = run(book, *class_)
    assert sorted(again.judged) == ["bob"], "a judge that failed is tried once more"
    assert again.unclear == ["ada", "bob", "cleo"]


def test_adjustments_say_who_and_why_and_earlier_ones_stay(book):
    run(book, handed_in("ada", "7"), handed_in("bob", "odd"))
    book.adjust("ada", "hw1", 8, "a typing slip", "q1", who="prof")
    book.adjust("ada", "hw1", -0.5, "no name on it", who="assistant")
    book.adjust("bob", "hw1", 4, "read by hand", "q1", who="prof")
    ada, bob = book.grades("hw1")
    assert (ada.marks, bob.marks, bob.status) == (7.5, 4.0, "graded")
    assert ada.words == ["q1: 8 instead of 7, by prof: a typing slip", "-0.5, by assistant: no name on it"]
    book.adjust("ada", "hw1", 7, "it was no slip", "q1", who="prof")
    assert book.grades("hw1")[0].words[-1] == "q1: 7 instead of 8, by prof: it was no slip"
    assert book.rows("SELECT count(*) FROM adjustments") == [(4,)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("eve", "hw1", 1, "why"), "no student 'eve'; there are ada"),
        (("ada", "hw1", 1, "why", "q7"), "no exercise 'q7'; there are q1"),
        (("ada", "hw1", 1, "  "), "needs a reason"),
        (("ada", "hw1", float("nan"), "why"), "must be a number, got nan"),
        (("ada", "hw9", 1, "why"), "hw9 has no student 'ada'"),
    ],
)
def test_an_adjustment_that_means_nothing_is_refused(book, arguments, words):
    run(book, handed_in("ada"))
    with pytest.raises(GradebookError, match=words):
        book.adjust(*arguments)
    assert book.rows("SELECT count(*) FROM adjustments") == [(0,)]


RULE = LateRule(due=0.0, percent=10, grace=30, cap=40, days=7)


@pytest.mark.parametrize(
    ("received", "counts", "words"),
    [
        (0.0, 10.0, ""),
        (-5.0, 10.0, ""),
        (None, 10.0, "not known"),
        (30 * 60, 10.0, "30 min late, within the 30 min of grace: no deduction"),
        (30 * 60 + 1, 9.0, "30 min late, counted as 1 day at 10 %: deduction 10 %, 9 instead of 10"),
        (DAY, 9.0, "1 day late, counted as 1 day at 10 %"),
        (DAY + 1, 8.0, "1 day late, counted as 2 days at 10 %: deduction 20 %, 8 instead of 10"),
        (6.5 * DAY, 6.0, "6 days 12 h late, counted as 7 days at 10 %, at most 40 %: deduction 40 %"),
        (7 * DAY, 6.0, "7 days late"),
        (7 * DAY + 1, 0.0, "late work is accepted for 7 days: 0 instead of 10"),
    ],
)
def test_the_late_rule_is_applied_and_said(received, counts, words, book):
    run(book, handed_in("ada", "10", received))
    book.set_rule("hw1", RULE)
    (ada,) = book.grades("hw1")
    assert ada.marks == counts and words in " ".join(ada.words) and bool(ada.words) == bool(words)
    assert ada.by_exercise == {"q1": 10.0}, "the deduction is from the sum"


@given(st.floats(0, 100), st.floats(0, 1e8), st.floats(0, 1e8), st.floats(0, 100), st.floats(0, 100))
def test_later_is_never_better_and_a_deduction_never_less_than_nothing(marks, one, two, percent, cap):
    rule = LateRule(0.0, percent, cap=cap)
    early, late = (rule.apply(marks, received)[0] for received in sorted((one, two)))
    assert 0 <= late <= early <= marks + 1e-6


def test_the_rule_may_change_and_the_reports_stay(book):
    run(book, handed_in("ada", "10", received=2 * DAY))
    book.set_rule("hw1", LateRule(0.0, 10))
    book.set_rule("hw1", LateRule(0.0, 10))
    assert marks(book) == {"ada": 8.0}
    book.set_rule("hw1", LateRule(0.0, 5))
    assert marks(book) == {"ada": 9.0}
    assert book.rows("SELECT count(*) FROM rules") == [(2,)]


def test_a_file_dated_in_the_future_counts_from_when_it_was_entered(book):
    now = time.time()
    book.set_rule("hw1", LateRule(now - DAY, 10))
    run(book, handed_in("ada", "10", received=now + 100 * DAY))
    (ada,) = book.grades("hw1")
    assert ada.marks == 8.0 and "the file's date is in the future" in ada.words[0]


def test_a_deadline_is_told_with_its_time_zone():
    due = 1_764_633_540.0
    said = LateRule(due).sentence.partition("; ")[0]
    assert re.fullmatch(r"due \d{4}-\d\d-\d\d \d\d:\d\d UTC[+-]\d\d:\d\d", said)
    assert datetime.fromisoformat(said.removeprefix("due ").replace(" UTC", "")).timestamp() == due


@pytest.mark.parametrize(
    ("text", "due", "words"),
    [
        ("percent=x", "2026-01-01", "'percent=x' is not part"),
        ("percnt=3", "2026-01-01", "'percnt=3' is not part"),
        ("percent=-3", "2026-01-01", "is not part"),
        ("percent=nan", "2026-01-01", "is not part"),
        ("percent=3", "", "needs a deadline"),
        ("", "tomorrow", "'tomorrow' is not a date"),
    ],
)
def test_a_late_rule_that_means_nothing_is_refused(text, due, words):
    with pytest.raises(ValueError, match=words):
        late_rule(text, due)


def test_diff_says_who_gains_who_loses_and_why_and_writes_nothing(book):
    class_ = [handed_in("ada", "7"), handed_in("bob", "10"), handed_in("cleo", "odd"), handed_in("dan", "3")]
    run(book, *class_)
    attempts = book.rows("SELECT count(*) FROM attempts")
    new = Task("hw1", "new")
    later = Submissions((*class_[:3], handed_in("dan", "4")))
    changed, students = differences(book, new, later, partial(judged, lambda: StandIn(1.0, "new"), new, 1))
    assert [str(d) for d in changed] == ["ada: 7 -> 8; q1: wrong, 7 of 10, before; now wrong, 8 of 10: bonus 1"]
    assert counted(changed, students) == "of 3 students: 1 gains, 0 lose, 2 keep their marks"
    assert book.rows("SELECT count(*) FROM attempts") == attempts


def test_diff_keeps_marks_that_were_set_by_hand_and_the_late_rule(book):
    run(book, handed_in("ada", "7", received=DAY), handed_in("bob", "3"))
    book.adjust("bob", "hw1", 9, "right in another way", "q1", who="prof")
    book.set_rule("hw1", LateRule(due=0.0, percent=50))
    new, class_ = Task("hw1", "new"), Submissions((handed_in("ada", "7", received=DAY), handed_in("bob", "3")))
    changed, students = differences(book, new, class_, partial(judged, lambda: StandIn(1.0, "new"), new, 1))
    assert [str(d) for d in changed] == [
        "ada: 3.5 -> 4; q1: wrong, 7 of 10, before; now wrong, 8 of 10: bonus 1",
        "bob: 9 -> 9; q1: wrong, 3 of 10, before; now wrong, 4 of 10: bonus 1 (9 by hand, which stays)",
    ]
    assert counted(changed, students) == "of 2 students: 1 gains, 0 lose, 1 keeps their marks"


@pytest.mark.parametrize("jobs", [2, 3])
def test_several_judges_at_once_give_the_same_gradebook_and_are_closed(jobs, tmp_path):
    class_ = [handed_in(f"s{n:02}", code) for n, code in enumerate(["1", "2", "odd", "boom", "7", "10"] * 3)]
    made = []

    def judge():
        made.append(StandIn(delay=0.001))
        return made[-1]

    found = []
    for count in (1, jobs):
        with Gradebook(tmp_path / f"{count}.db") as book:
            run(book, *class_, judge=judge, jobs=count)
            found.append([(g.student, g.status, g.marks, g.words) for g in book.grades("hw1")])
    assert found[0] == found[1] and len(made) == 1 + jobs and all(judge.closed for judge in made)


def one_row_in_each_table(book):
    """Except removals, which take an owner too."""
    book.enroll({"ada": {"id": "ada"}})
    book.set_rule("hw1", RULE)
    run(book, handed_in("ada"))
    book.withdraw(book.adjust("ada", "hw1", 1, "why"))
    book.allow("ada", "hw1", 60, "ill")
    book.set_group("hw1", "A", ["ada"])
    book.note_left_out("hw1", {"x.pdf": "a PDF"})


@pytest.mark.parametrize("table", [table for tables in TABLES.values() for table in tables])
def test_rows_cannot_be_changed_or_deleted(book, table):
    one_row_in_each_table(book)
    book.remove("eve", "left") if table in ("removals", "owners") else None
    for change in (f"UPDATE {table} SET id = 99", f"DELETE FROM {table}"):
        with pytest.raises(sqlite3.IntegrityError, match="not changed; add an adjustment"):
            book.connection.execute(change)
    assert book.rows(f"SELECT count(*) FROM {table}") == [(1,)]


@pytest.mark.parametrize("table", [table for tables in TABLES.values() for table in tables])
def test_no_row_is_replaced_whoever_opens_the_file(tmp_path, table):
    with Gradebook(tmp_path / "course.db") as book:
        one_row_in_each_table(book)
        book.remove("eve", "left")
    with contextlib.closing(sqlite3.connect(tmp_path / "course.db")) as other:  # without any setting of ours
        before = other.execute(f"SELECT * FROM {table}").fetchall()
        names = [row[1] for row in other.execute(f"PRAGMA table_info({table})")]
        others = ", ".join(name for name in names if name != "id")
        for change in (
            f"REPLACE INTO {table} SELECT * FROM {table}",
            f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
            f"INSERT INTO {table} SELECT * FROM {table} WHERE 1 ON CONFLICT DO UPDATE SET id = 99",
            *([f"REPLACE INTO {table} ({others}) SELECT {others} FROM {table}"] * (table == "withdrawals")),
        ):
            with pytest.raises(sqlite3.IntegrityError, match="not changed; add an adjustment"):
                other.execute(change)
        assert other.execute(f"SELECT * FROM {table}").fetchall() == before != []


@pytest.mark.skipif(os.name == "nt", reason="a file has no such mode on Windows")
def test_nobody_else_can_read_the_file_its_log_or_its_copy(tmp_path):
    before = os.umask(0)
    try:
        with Gradebook(tmp_path / "course.db") as book:
            book.enroll({"ada": {}})
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
        assert modes == {"course.db": 0o600, "course.db-wal": 0o600, "course.db-shm": 0o600}
        (tmp_path / "old").mkdir()
        path = version_1(tmp_path / "old" / "course.db")
        Gradebook(path).close()
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        assert modes == {"course.db": 0o600, "course-version-1.db": 0o600}
        path.chmod(0o660)  # shared with a group, on purpose
        Gradebook(path).close()
        assert path.stat().st_mode & 0o777 == 0o660
    finally:
        os.umask(before)


def test_a_number_that_no_row_can_have_is_a_sentence(book):
    with pytest.raises(GradebookError, match="at most 18 digits"):
        book.withdraw(10**30)


def test_a_file_that_is_no_gradebook_of_this_version_is_left_alone(tmp_path):
    newer, other, text = (tmp_path / name for name in ("newer.db", "other.db", "text.db"))
    Gradebook(newer).close()
    for path, statement in ((newer, "PRAGMA user_version = 99"), (other, "CREATE TABLE grade (x)")):
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(statement)
    text.write_text("hello " * 500)
    for path, words in (
        (newer, "newer minigrad"),
        (other, "another program's database"),
        (text, "not a gradebook, or is damaged"),
    ):
        before = path.read_bytes()
        with pytest.raises(GradebookError, match=words):
            Gradebook(path)
        assert path.read_bytes() == before
    with pytest.raises(GradebookError, match="there is no gradebook"):
        Gradebook(tmp_path / "absent.db", make=False)
    assert not (tmp_path / "absent.db").exists()


def version_1(path):
    """A gradebook as version 1 wrote it."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript((ROOT / "tests" / "grading" / "version_1.sql").read_text(encoding="utf-8"))
    return path


OLD_TABLES = TABLES[1]


def rows_of_version_1(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        columns = {"adjustments": "id, student, assignment, exercise, marks, who, why, at"}
        return {t: connection.execute(f"SELECT {columns.get(t, '*')} FROM {t}").fetchall() for t in OLD_TABLES}


def test_a_file_of_version_1_gets_the_new_tables_and_keeps_its_rows_and_a_copy(tmp_path):
    path = version_1(tmp_path / "course.db")
    before = rows_of_version_1(path)
    expected = {"ada": ("graded", 7.65), "bob": ("graded", 4.0), "cleo": ("unreadable", None), "dan": ("missing", None)}
    for write in (False, True, True):
        with Gradebook(path, make=False, write=write) as book:
            assert {g.student: (g.status, g.marks) for g in book.grades("hw1")} == expected
        kept = tmp_path / "course-version-1.db"
        assert kept.exists() == write and rows_of_version_1(path) == before
    assert rows_of_version_1(kept) == before
    with contextlib.closing(sqlite3.connect(kept)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert {file.name for file in tmp_path.iterdir()} == {"course.db", "course-version-1.db"}


CHANGED = """
import sys, time
from minigrad.grading import database
split = database._split
database._split = lambda script: (print("one", flush=True) or time.sleep(0.05) or part for part in split(script))
database.Database("course.db")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no such signal on Windows")
@pytest.mark.parametrize("moment", [0, 1, 5, 9])
def test_a_change_of_version_that_is_killed_is_not_half_done(moment, tmp_path):
    path = version_1(tmp_path / "course.db")
    before = rows_of_version_1(path)
    with subprocess.Popen([sys.executable, "-c", CHANGED], cwd=tmp_path, stdout=subprocess.PIPE) as process:
        for _ in range(moment + 1):
            process.stdout.readline()
        process.kill()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'withdrawals'").fetchall()
    assert rows_of_version_1(path) == before
    with Gradebook(path) as book:
        assert len(book.grades("hw1")) == 4
    assert rows_of_version_1(path) == before


def answered(book, student, code, marks=3.0):
    """Hand in an answer to q1 with this text, and its report."""
    submission = handed_in(student, code)
    book.receive("hw1", submission)
    mark = Mark("q1", "wrong", marks, 10.0, code=code)
    book.record("hw1", Report(student, "hw1", submission.digest, "spec", 0, "graded", [mark]))


def test_a_mark_by_hand_belongs_to_the_answer_that_was_read(book):
    answered(book, "ada", "a first text")
    book.adjust("ada", "hw1", 8, "well said", "q1", who="ann")
    assert marks(book) == {"ada": 8.0}
    answered(book, "ada", "another text", 2.0)
    (ada,) = book.grades("hw1")
    assert (ada.marks, ada.words) == (2.0, ["q1: 8 by ann, for an earlier answer: well said"])
    answered(book, "ada", "a first text")
    assert marks(book) == {"ada": 8.0}, "the text that was read is back"


def test_a_mark_by_hand_is_withdrawn_exactly_and_once(book):
    answered(book, "ada", "text")
    book.adjust("ada", "hw1", 5, "one", "q1", who="ann")
    second = book.adjust("ada", "hw1", 7, "two", "q1", who="bob")
    assert book.withdraw(second, who="bob").marks == 7.0
    assert (marks(book), book.last_adjustment("ada", "hw1", "q1").marks) == ({"ada": 5.0}, 5.0)
    book.withdraw(second)
    assert book.rows("SELECT adjustment, who FROM withdrawals") == [(second, "bob")]
    with pytest.raises(GradebookError, match="no manual mark number 99"):
        book.withdraw(99)


def test_a_newer_mark_of_somebody_else_is_told_and_not_overwritten(book):
    answered(book, "ada", "text")
    first = book.adjust("ada", "hw1", 5, "one", "q1", who="ann", after=0)
    with pytest.raises(Newer, match="not saved, because meanwhile ann gave 5: one") as caught:
        book.adjust("ada", "hw1", 7, "two", "q1", who="bob", after=0)
    assert (caught.value.now.number, marks(book)) == (first, {"ada": 5.0})
    book.adjust("ada", "hw1", 7, "two", "q1", who="bob", after=first)
    assert marks(book) == {"ada": 7.0}


def test_one_student_has_more_time_and_another_is_excused(book):
    book.set_rule("hw1", RULE)
    run(book, handed_in("ada", "10", received=1.5 * DAY), handed_in("bob", "10", received=1.5 * DAY))
    book.allow("ada", "hw1", 2 * DAY, "ill", who="prof")
    book.allow("bob", "hw1", 0, "moved here", who="prof", excused=True)
    ada, bob = book.grades("hw1")
    assert (ada.marks, ada.deduction) == (10.0, 0.0)
    assert ada.words[0].endswith("2 days after the deadline of the others, by prof: ill")
    assert (bob.status, bob.marks, bob.words) == ("excused", None, ["excused, by prof: moved here"])
    book.allow("ada", "hw1", 0, "well again", who="prof")
    assert book.grades("hw1")[0].marks == 8.0
    with pytest.raises(GradebookError, match="and a reason"):
        book.allow("ada", "hw1", 60, " ")


def test_free_days_are_used_from_the_earliest_deadline_on(book):
    for n, name in enumerate(("hw2", "hw1")):  # by deadline, not by name
        book.set_rule(name, LateRule(10 * DAY * n, 10, free=2))
        submission = handed_in("ada", "10", received=10 * DAY * n + 1.5 * DAY * (n + 1))
        book.receive(name, submission)
        book.record(
            name, Report("ada", name, submission.digest, "spec", 0, "graded", [Mark("q1", "right", 10.0, 10.0)])
        )
    (first,), (second,) = book.grades("hw2"), book.grades("hw1")
    assert (first.marks, first.words) == (10.0, ["1 day 12 h late; 2 of 2 free days used here, 0 left: no deduction"])
    assert second.marks == 7.0, "3 days late, and none is left"


def test_the_newest_work_of_a_group_counts_for_all_and_one_can_be_marked_alone(book):
    book.enroll({name: {"id": name, "group": "A" if name < "c" else ""} for name in ("ada", "bob", "cleo")})
    run(book, handed_in("ada", "7", received=1.0), handed_in("bob", "9", received=2.0), handed_in("cleo", "1"))
    assert marks(book) == {"ada": 9.0, "bob": 9.0, "cleo": 1.0}
    assert book.grades("hw1")[0].words == ["handed in by bob, with ada"]
    book.adjust("ada", "hw1", 8, "together", "q1", who="prof")
    assert marks(book) == {"ada": 8.0, "bob": 8.0, "cleo": 1.0}
    book.adjust("ada", "hw1", 3, "was away", "q1", who="prof", alone=True)
    assert marks(book) == {"ada": 3.0, "bob": 8.0, "cleo": 1.0}
    book.set_group("hw1", "B", ["bob", "cleo"])
    assert book.groups("hw1") == dict.fromkeys(("bob", "cleo"), ("bob", "cleo"))
    assert marks(book) == {"ada": 7.0, "bob": 8.0, "cleo": 9.0}, "ada's own work, for which 3 was not given"


def test_a_full_disk_is_said_and_nothing_is_half_written(book):
    run(book, handed_in("ada", "7"))
    (pages,) = book.connection.execute("PRAGMA page_count").fetchone()
    book.connection.execute(f"PRAGMA max_page_count = {pages}")
    large = Report("bob", "hw1", "x", "spec", 0, "graded", [Mark("q1", "right", 1.0, 1.0, words="w" * 100_000)])
    with pytest.raises(GradebookError, match=r"the disk is full\. Earlier grades are kept"):
        book.record("hw1", large)
    assert book.rows("SELECT student FROM attempts") == [("ada",)] and marks(book) == {"ada": 7.0}
    assert book.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


LIMITED = """
import resource, sys
from minigrad.grading.gradebook import Gradebook, GradebookError
from tests.grading.test_gradebook import StandIn, handed_in, run
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
try:
    with Gradebook("course.db") as book:
        for n in range(1000):
            run(book, handed_in(f"s{n:03}", "7" + " " * 5_000))
            print(n)
except GradebookError as problem:
    sys.exit(str(problem))
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no such limit on Windows")
def test_a_file_that_may_not_grow_is_said_and_what_was_graded_is_kept(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "files this large are not allowed here. Earlier grades are kept" in done.stderr
    with Gradebook(tmp_path / "course.db") as book:
        graded = [g.student for g in book.grades("hw1") if g.marks == 7.0]
        assert graded[: len(done.stdout.split())] == [f"s{int(n):03}" for n in done.stdout.split()] and graded
        assert book.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


COUNT = 40
CLASS = Submissions(tuple(handed_in(f"s{n:02}", str(n % 10)) for n in range(COUNT)))
KILLED = """
    import sys
    from functools import partial
    from minigrad.grading.gradebook import Gradebook
    from minigrad.grading.grade_class import grade_class, judged
    from tests.grading.test_gradebook import CLASS, WORK
    from tests.helpers.stand_in_judge import StandIn

    def said(reports, count):
        for report in reports:
            yield report
            print(".", end="", flush=True)  # the report is in the gradebook

    with Gradebook(sys.argv[1]) as book:
        reports = partial(judged, lambda: StandIn(delay=0.002), WORK, 2)
        grade_class(book, WORK, CLASS, reports, progress=said)
"""
HERE = {**os.environ, "PYTHONPATH": str(ROOT)}
MOMENTS = int(os.environ.get("MINIGRAD_KILLS", "6"))  # 50 in the long run


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_run_that_is_killed_leaves_a_gradebook_and_the_next_finishes_the_rest(moment, tmp_path):
    rng = random.Random(moment)
    path = tmp_path / "course.db"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env=HERE)
    done = rng.randrange(1, COUNT - 8)
    assert process.stdout.read(done) == b"." * done
    time.sleep(rng.uniform(0, 0.004))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Gradebook(path) as book:
        assert book.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = sum(1 for _ in book.attempts("hw1"))
        assert kept >= done, "what was said to be graded is there"
        rest = run(book, *CLASS.submissions)
        assert (len(rest.kept), len(rest.judged)) == (kept, COUNT - kept)
        assert marks(book) == {f"s{n:02}": float(n % 10) for n in range(COUNT)}
        assert sum(1 for _ in book.attempts("hw1")) == COUNT, "each was judged once"


def test_two_students_of_the_roster_with_work_are_never_one(tmp_path):
    with Gradebook(tmp_path / "course.db") as book:
        book.enroll({"ada": {"name": "Ada Adams"}, "ben": {"name": "Ben Brown"}, "new": {"name": "Cy Clark"}})
        for student, notes in (("ada", ()), ("ben", ()), ("A. B.", ("not in the roster", "read this"))):
            book.receive("hw1", Submission(student, "a.ipynb", student, notes=notes))
        with pytest.raises(GradebookError, match="ada and ben are both in the roster, and both handed in hw1"):
            book.rename("ada", "ben")
        assert book.removed() == set()
        book.rename("A. B.", "new")
        assert book.rows("SELECT notes FROM submissions WHERE student = 'new'") == [('["read this"]',)]
        book.rename("ben", "A. B.")  # whose number in the roster was wrong
        assert book.removed() == {"ben"}
