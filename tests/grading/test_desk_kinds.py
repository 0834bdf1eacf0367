"""Three further cases of each kind at the desk: who may open it, what no server expects, groups, rows that stay."""

import contextlib
import os
import sqlite3
import subprocess
import sys

import pytest
import requests

from minigrad import __main__ as cli
from minigrad.grading.desk.desk import Desk
from minigrad.grading.desk.local import Keys
from minigrad.grading.desk.wrong import behaviour_of, wrong_marks
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.report import Report
from minigrad.grading.submitted_notebook import Submission
from tests.grading.test_desk import OF, WHY, form_of, groups_of, shown, text_of
from tests.helpers.read_class import fill

GIVE = {"marks": "1", "why": "half of the rule"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("course") / "course.db", 8)


@pytest.fixture
def path(filled, tmp_path):
    copy = tmp_path / "course.db"
    copy.write_bytes(filled.read_bytes())
    return copy


@pytest.fixture
def desk(path):
    with Gradebook(path, make=False) as book:
        yield Desk(book)


@contextlib.contextmanager
def served(path):
    """The address of a desk in a separate process, and a function for the next one that it prints."""
    command = [sys.executable, "-m", "minigrad", "gradebook", str(path), "open", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = iter(process.stdout.readline, "")
        yield lambda: next(line.strip() for line in lines if line.startswith("http"))
        process.terminate()


# Who may open it


def test_a_token_and_a_cookie_of_one_desk_open_no_other(path, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "course.db").write_bytes(path.read_bytes())
    with served(path) as mine, served(tmp_path / "other" / "course.db") as theirs:
        mine, theirs = mine(), theirs()
        (at, token), (there, _) = mine.split("?"), theirs.split("?")
        assert requests.get(f"{there}?{token}").status_code == 403, "which uses up no token of the first"
        session = requests.Session()
        assert session.get(f"{at}class?{token}").status_code == 200
        assert session.get(f"{there}class").status_code == 403
        (cookie,) = [cookie for cookie in session.cookies if cookie.value not in token]
        stolen = {cookie.name.replace(at.split(":")[2][:-1], there.split(":")[2][:-1]): cookie.value}
        assert requests.get(f"{there}class", cookies=stolen).status_code == 403
        assert session.get(theirs).status_code == session.get(f"{at}class").status_code == 200


def test_no_other_user_reads_what_opens_the_desk_or_the_marks(tmp_path, monkeypatch):
    before = os.umask(0)
    try:
        path = fill(tmp_path / "course.db", 1)
        keys = Keys("http://127.0.0.1:1/")
        file = keys.file(tmp_path)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        other = keys.file(tmp_path / "absent")
        with Gradebook(path) as book:
            book.adjust("s000", "hw1", 1, "x")
            modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir() if each.is_file()}
    finally:
        os.umask(before)
    assert {"course.db", file.name, other.name} <= modes.keys()
    assert set(modes.values()) == {0o600} or os.name == "nt", modes
    keys.remove_files()
    assert not file.exists() and not other.exists()


def test_an_address_is_used_up_by_any_request_and_the_file_with_it(tmp_path):
    keys = Keys("http://127.0.0.1:1/")
    file = keys.file(tmp_path)
    (token,) = keys._unused
    assert token in file.read_text(encoding="utf-8") and keys.cookie not in file.read_text(encoding="utf-8")
    assert not any(keys.open(wrong) for wrong in ("", "x", token[:-1], f"{token} ", "\u00fc", keys.cookie))
    assert file.exists() and keys.open(token) and not file.exists() and not keys.open(token)


# What no server expects


@pytest.fixture(scope="module")
def session(filled, tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "course.db"
    path.write_bytes(filled.read_bytes())
    with served(path) as address:
        opened, where = requests.Session(), address()
        opened.get(where)
        opened.at = where.partition("?")[0]
        opened.headers["Origin"] = opened.at[:-1]
        opened.form = form_of(opened.get(f"{opened.at}read", params={**WHY, "student": "s001"}).text)
        yield opened


@pytest.mark.parametrize("number", ["9223372036854775808", "-9223372036854775809", "1e309", "-inf", "9" * 9000])
def test_a_number_beyond_64_bits_is_an_answer_below_500(number, session):
    for page, query in (("read", WHY), ("student", OF), ("class", OF), ("play", OF)):
        names = ("undo", "number", "sort", "student") if len(number) < 100 else ("undo",)
        asked = {**query, "student": "s001", **dict.fromkeys(names, number)}
        assert session.get(f"{session.at}{page}", params=asked).status_code < 500
    for name in ("marks", "after", "number", "decision"):
        form = {**session.form, "marks": "1", "why": "x", "number": "1", name: number}
        for page in ("mark", "undo", "all") if name in ("number", "decision") else ("mark",):
            reply = session.post(f"{session.at}{page}", data=form, allow_redirects=False)
            assert reply.status_code in (303, 404, 409), (page, name)
            assert reply.status_code != 303 or name in ("number", "decision", "after")


@pytest.mark.parametrize("path", ["a" * 30_000, "%00", "%ff", "..%2f..%2fetc/passwd", "class/%F0%9F%98%80", "desk.js/"])
def test_a_path_that_nothing_has_is_an_answer_below_500(path, session):
    assert session.get(session.at + path).status_code in (400, 403, 404)
    assert session.post(session.at + path, data=session.form).status_code in (400, 403, 404)


@pytest.mark.parametrize(
    "body", [b"", b"why=%ff&marks=%00", b"&".join([b"why=x"] * 500), b"marks=1&" * 300 + b"of=%ed%a0%80", b"\xff" * 50]
)
def test_a_form_that_no_page_has_is_an_answer_below_500(body, session):
    head = {"Content-Type": "application/x-www-form-urlencoded", "X-Xsrftoken": session.form["_xsrf"]}
    for page in ("mark", "undo", "all"):
        assert 400 <= session.post(f"{session.at}{page}", data=body, headers=head).status_code < 500


# Groups of wrong answers


def decide(desk, who="ann", **form):
    return desk.answer("POST", "all", form={**OF, "exercise": "safe_sqrt", **GIVE, **form}, who=who)


def sqrt_marks(desk):
    return {s: g.by_exercise.get("safe_sqrt") for s, g in desk.grades("hw1").items()}


def group_one(desk):
    """The fields that decide the first group, and its students."""
    fields = groups_of(desk, exercise="safe_sqrt")[0][0]
    members = [g.student for g, mark in wrong_marks(desk, "hw1") if behaviour_of(mark) == fields["behaviour"]]
    return fields, members


def test_a_later_mark_for_one_of_a_group_stays_when_the_group_is_undone(desk):
    fields, (first, *others) = group_one(desk)
    decide(desk, behaviour=fields["behaviour"])
    desk.book.adjust(first, "hw1", 3, "seen with the student", "safe_sqrt", who="bob")
    undo = form_of(shown(desk, "wrong", **OF), "undo")
    assert desk.answer("POST", "undo", form=undo, who="ann").status == 303
    marks = sqrt_marks(desk)
    assert marks[first] == 3 and {marks[other] for other in others} == {0.0}


def test_two_decisions_one_after_the_other_are_undone_one_by_one(desk):
    fields, members = group_one(desk)
    for marks in ("1", "2"):
        assert decide(desk, behaviour=fields["behaviour"], marks=marks).status == 303
        assert {sqrt_marks(desk)[s] for s in members} == {float(marks)}
        assert decide(desk, behaviour=fields["behaviour"], marks="3").status == 404, "all have a manual mark"
        undo = form_of(shown(desk, "wrong", **OF), "undo")
        assert desk.answer("POST", "undo", form=undo, who="bob").status == 303
        assert {sqrt_marks(desk)[s] for s in members} == {0.0}
    count = len(members)
    assert desk.book.rows("SELECT count(*), count(DISTINCT adjustment) FROM withdrawals") == [(2 * count, 2 * count)]


def test_who_hands_in_another_answer_leaves_the_group_and_its_mark(desk):
    fields, (first, *others) = group_one(desk)
    decide(desk, behaviour=fields["behaviour"])
    report = desk.grade("hw1", first).report
    sqrt, why = report.results
    new = sqrt.__class__(**{**vars(sqrt), "code": "def safe_sqrt(x):\n    return x", "behaviour": "b" * 24})
    desk.book.receive("hw1", Submission(first, "hw1.ipynb", "f" * 64, (), 9e5))
    desk.book.record("hw1", Report(first, "hw1", "f" * 64, "spec", 0, "graded", [new, why], started=99.0))
    assert sqrt_marks(desk)[first] == 0.0 and {sqrt_marks(desk)[s] for s in others} == {1.0}
    sizes = sorted(int(text.split()[1]) for _, text in groups_of(desk, exercise="safe_sqrt"))
    assert sizes == [1, len(others), 3] and "1 for 2, ann" in text_of(shown(desk, "wrong", **OF))


# `show` after reading


def test_show_says_what_was_read_and_what_is_left(path, capsys):
    def said(*more):
        assert cli.main(["gradebook", str(path), "show", "hw1", *more]) == 0
        return " ".join(capsys.readouterr().out.split())

    assert "12 to read" in said() and "why: to read, no marks yet" in said("--student", "s001")
    with Gradebook(path, make=False) as book:
        book.adjust("s001", "hw1", 2, "Names the reason.", "why", who="ann")
    assert "11 to read" in said()
    text = said("--student", "s001")
    assert "why: read, 2 of 4" in text and "by ann: Names the reason." in text and "no marks yet" not in text
    with Gradebook(path, make=False) as book:
        book.withdraw(1, who="ann")
    assert "12 to read" in said() and "why: to read, no marks yet" in said("--student", "s001")


# Rows that stay


@pytest.mark.parametrize(
    "change",
    [
        "REPLACE INTO withdrawals (adjustment, who, why, at) SELECT adjustment, 'eve', 'x', 0 FROM withdrawals",
        "INSERT OR REPLACE INTO adjustments (rowid, student, assignment, marks, who, why, at)"
        " SELECT id, student, assignment, 4, 'eve', why, at FROM adjustments",
        "REPLACE INTO {table} SELECT * FROM {table}",
        "INSERT INTO withdrawals SELECT * FROM withdrawals WHERE true"
        " ON CONFLICT (adjustment) DO UPDATE SET who = 'eve'",
        "UPDATE OR REPLACE {table} SET id = id + 1",
        "DELETE FROM {table}",
    ],
)
def test_no_statement_changes_a_mark_or_its_withdrawal(change, path):
    with Gradebook(path, make=False) as book:
        for marks in (1, 2):
            book.adjust("s001", "hw1", marks, "read", "why", who="ann")
        book.withdraw(1, who="ann")
    for table in ("adjustments", "withdrawals"):
        with contextlib.closing(sqlite3.connect(path)) as database:
            before = database.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
            with pytest.raises(sqlite3.Error):
                database.execute(change.format(table=table))
            assert before and database.execute(f"SELECT * FROM {table} ORDER BY id").fetchall() == before
