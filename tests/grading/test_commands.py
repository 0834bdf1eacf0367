"""`minigrad grade` and `minigrad gradebook`, with the judge itself on the example assignment."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minigrad import __main__ as cli
from minigrad.classroom.authoring import new
from minigrad.grading.gradebook import Gradebook, GradebookError

ROOT = Path(__file__).parent.parent.parent

RIGHT = "import math\ndef tanh_backward(x, upstream):\n    return upstream / math.cosh(x) ** 2 if abs(x) < 300 else 0.0"
WRONG = "def tanh_backward(x, upstream):\n    return upstream"
SLOPE = "slope_at_3 = 6.0"


def notebook(path, *sources):
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))


def filled(folder):
    """The folder, with an assignment hw1 and the submissions of three students, one of them broken."""
    new(folder / "hw1")
    notebook(folder / "all" / "ada" / "hw1.ipynb", SLOPE, RIGHT)
    notebook(folder / "all" / "bob" / "hw1.ipynb", SLOPE, WRONG)
    (folder / "all" / "cleo.ipynb").write_text('{"cells": [')
    for days, name in enumerate(["ada/hw1.ipynb", "bob/hw1.ipynb", "cleo.ipynb"]):
        os.utime(folder / "all" / name, (1.7e9 + 86_400 * days,) * 2)
    (folder / "roster.csv").write_text("student,email\nada,ada@x\nbob,bob@x\ncleo,c@x\ndan,d@x\n")
    return folder


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return filled(tmp_path)


@pytest.fixture(scope="module")
def graded_once(tmp_path_factory):
    folder = filled(tmp_path_factory.mktemp("graded"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert cli.main(["grade", "hw1", "all", "-j", "1"]) == 3
    return folder


@pytest.fixture
def graded(graded_once, tmp_path, monkeypatch):
    """The same course after its submissions were graded."""
    monkeypatch.chdir(shutil.copytree(graded_once, tmp_path, dirs_exist_ok=True))
    return tmp_path


def marks(path):
    with Gradebook(path, make=False) as book:
        return {g.student: (g.status, g.marks, g.by_exercise) for g in book.grades("hw1")}


def test_what_may_be_lost_with_a_part_of_the_file_is_no_zero(course, capsys):
    text = (course / "all" / "ada" / "hw1.ipynb").read_text()
    (course / "all" / "cleo.ipynb").write_text(text[: text.index("import math")])
    assert cli.main(["grade", "hw1", "all", "-j", "1"]) == 3
    said = capsys.readouterr().out
    assert marks("course.db")["cleo"] == ("not graded", None, {"slope_at_3": 1.0, "tanh_backward": None})
    assert "tanh_backward could not be graded: The file is broken, and the answer is not in the intact" in said
    assert "cells that are whole and were read: 1" in said


EXPECTED = {
    "ada": ("graded", 4.0, {"slope_at_3": 1.0, "tanh_backward": 3.0}),
    "bob": ("graded", 1.0, {"slope_at_3": 1.0, "tanh_backward": 0.0}),
    "cleo": ("unreadable", None, {"slope_at_3": None, "tanh_backward": None}),
}


def test_a_class_is_graded_shown_and_adjusted(course, capsys):
    assert cli.main(["grade", "hw1", "all", "-j", "1", "--roster", "roster.csv"]) == 3
    said = capsys.readouterr().out
    assert marks("course.db") == {**EXPECTED, "dan": ("missing", None, {})}
    assert "hw1: 2 graded, 1 missing, 1 unreadable; mean 2.5" in said
    assert "cleo (cleo.ipynb): its JSON is broken at line 1, and no code cell is complete" in said
    assert "Missing: dan" in said and "Sandbox: limits" in said
    assert cli.main(["grade", "hw1", "all", "-j", "2"]) == 3, "still one that needs a look"
    assert "3 were graded before" in capsys.readouterr().out
    adjust = ["gradebook", "course.db", "adjust", "hw1", "bob"]
    assert cli.main([*adjust, "1.5", "--exercise", "tanh_backward", "--why", "half right", "--who", "prof"]) == 0
    assert cli.main([*adjust, "-0.5", "--why", "no name on it", "--who", "prof"]) == 0
    assert "-0.5, by prof: no name on it" in capsys.readouterr().out
    assert cli.main(["gradebook", "course.db", "show", "hw1"]) == 0
    assert marks("course.db")["bob"][1] == 2.0
    assert "tanh_backward: 1.5 instead of 0, by prof: half right" in " ".join(capsys.readouterr().out.split())


def test_the_gradebook_remembers_the_roster(course, capsys):
    (course / "roster.csv").write_text("student,name\nada,Ada Adams\nbob,Bob Brown\n")
    notebook(course / "first" / "Ada Adams" / "hw1.ipynb", SLOPE, WRONG)
    assert cli.main(["grade", "hw1", "first", "-j", "1", "--roster", "roster.csv"]) == 0
    notebook(course / "second" / "Ada Adams" / "hw1.ipynb", SLOPE, RIGHT)
    notebook(course / "second" / "Eve Egger" / "hw1.ipynb", SLOPE, RIGHT)
    capsys.readouterr()
    assert cli.main(["grade", "hw1", "second", "-j", "1"]) == 3, "Eve is not in the roster"
    assert "2 files in the form of folders, 1 student of 2." in capsys.readouterr().out
    assert marks("course.db")["ada"] == EXPECTED["ada"] and marks("course.db")["bob"][0] == "missing"
    assert "Ada Adams" not in marks("course.db")


def test_one_student_is_shown_with_every_exercise_and_adjustment_and_by_name(graded, capsys):
    (graded / "roster.csv").write_text("student,name\nada,Ada Adams\nbob,Bob Brown\n")
    cli.main(["grade", "hw1", "all", "-j", "1", "--roster", "roster.csv"])
    assert "bob   Bob Brown" in capsys.readouterr().out
    for points, why in (("1", "a slip"), ("2", "a small slip")):
        adjust = ["adjust", "hw1", "bob", points, "--exercise", "tanh_backward", "--why", why, "--who", "prof"]
        cli.main(["gradebook", "course.db", *adjust])
    capsys.readouterr()
    for who in ("bob", "Bob Brown"):
        assert cli.main(["gradebook", "course.db", "show", "hw1", "--student", who]) == 0
        said = capsys.readouterr().out.splitlines()
        assert said[0] == "Bob Brown (bob), hw1: 3 of 4" and said[1].startswith("  slope_at_3: right, 1 of 1")
        assert said[2].startswith("  tanh_backward: wrong, 2 of 3") and "at x = " in said[2]
        assert said[3:] == [
            "note: tanh_backward: 1 instead of 0, by prof: a slip",
            "note: tanh_backward: 2 instead of 1, by prof: a small slip",
            "manual mark 1: tanh_backward, 1 by prof",
            "manual mark 2: tanh_backward, 2 by prof",
        ]
    assert cli.main(["gradebook", "course.db", "show", "hw1", "--student", "eve"]) == 1
    assert "hw1 has no student 'eve'; there are ada, bob, cleo" in capsys.readouterr().err


def test_a_gradebook_that_may_not_be_written_is_shown_and_nothing_is_written_beside_it(graded, capsys):
    (graded / "course.db").chmod(0o444)
    before = {path.name: path.stat().st_mtime_ns for path in graded.iterdir()}
    assert cli.main(["gradebook", "course.db", "show", "hw1"]) == 0
    assert "hw1: " in capsys.readouterr().out
    assert {path.name: path.stat().st_mtime_ns for path in graded.iterdir()} == before


@pytest.mark.slow
def test_two_judges_at_once_write_the_same_gradebook(course):
    for name in ("dan", "eve"):
        notebook(course / "all" / f"{name}.ipynb", RIGHT, f"slope_at_3 = {len(name)}")
    found = []
    for jobs in ("1", "2"):
        assert cli.main(["grade", "hw1", "all", "-j", jobs, "--gradebook", f"{jobs}.db"]) == 3
        with Gradebook(f"{jobs}.db") as book:
            rows = [(g.student, g.status, g.marks, g.words, g.report) for g in book.grades("hw1")]
        for *_, report in rows:
            report.started = report.seconds = 0.0
        found.append(rows)
    assert found[0] == found[1] and len(found[0]) == 5


def test_one_notebook_for_other_programs(course, capsys):
    assert cli.main(["grade", "hw1", "--one", "all/bob/hw1.ipynb", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [(m["exercise"], m["marks"]) for m in report["results"]] == [("slope_at_3", 1.0), ("tanh_backward", 0.0)]
    assert cli.main(["grade", "hw1", "--one", "all/cleo.ipynb"]) == 3
    assert "tanh_backward: ungraded, not graded of 3" in capsys.readouterr().out
    assert not (course / "course.db").exists()


def test_diff_says_what_a_changed_check_does_and_changes_nothing(graded, capsys):
    hidden = graded / "hw1" / "hidden.py"
    hidden.write_text(hidden.read_text().replace("(800.0, 1.0), 0.0", "(800.0, 1.0), 2.0"))
    before = marks("course.db")
    capsys.readouterr()
    assert cli.main(["grade", "hw1", "all", "-j", "1", "--diff"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("ada: 4 -> 1; tanh_backward: right, 3 of 3, before; now wrong, 0 of 3")
    assert said[1:] == ["of 3 students: 0 gain, 1 loses, 2 keep their marks"]
    assert marks("course.db") == before == EXPECTED


def test_late_work_costs_what_the_rule_says(course, capsys):
    late = ["--due", "2001-01-01T00:00+00:00", "--late", "percent=10,cap=50"]
    assert cli.main(["grade", "hw1", "all", "-j", "1", *late]) == 3
    assert marks("course.db")["ada"][1] == 2.0
    assert "at most 50 %: deduction 50 %, 2 instead of 4" in " ".join(word for g in _grades() for word in g.words)


def test_where_all_files_have_one_time_it_is_not_that_of_the_hand_in(course, capsys):
    for path in (course / "all").rglob("*.ipynb"):
        os.utime(path, (1.7e9, 1.7e9))
    assert cli.main(["grade", "hw1", "all", "-j", "1", "--due", "2001-01-01", "--late", "percent=10"]) == 3
    assert marks("course.db")["ada"][1] == 4.0
    said = capsys.readouterr().out
    assert "Time not known: all files were written within " in said and "ada" in said
    assert "--due 2001-01-01 is the end of that day." in said and "due 2001-01-01 23:59" in said
    assert "time not known: no deduction" in {word for g in _grades() for word in g.words}


def test_who_could_not_be_placed_is_asked_and_remembered(course, capsys, monkeypatch):
    (course / "all" / "bob").rename(course / "all" / "A. Bob")
    notebook(course / "all" / "tests" / "hw1.ipynb", SLOPE)
    (course / "all" / "about.pdf").write_bytes(b"%PDF")
    command = ["grade", "hw1", "all", "-j", "1", "--roster", "roster.csv"]
    assert cli.main([*command, "--yes"]) == 3
    said = capsys.readouterr().out
    assert said.index("2 people could not be placed") < said.index("graded, 2 missing")
    assert "hw1: 4 files in the form of" in said and "2 students of 4." in said
    assert "A. Bob" in said and "not in the roster" in said and "about.pdf  a PDF, not a notebook" in said
    assert cli.main(["gradebook", "course.db", "export", "hw1", "csv", "marks.csv"]) == 0
    assert "not exported, because the roster does not have them: A. Bob, tests" in capsys.readouterr().out
    rows = (course / "marks.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["ada", "bob", "cleo", "dan", "A. Bob", "tests", "about.pdf"]
    assert cli.main(["gradebook", "course.db", "feedback", "hw1", "pages"]) == 0
    assert "a PDF, not a notebook" in (course / "pages" / "class.html").read_text()
    answers = iter(["no such name", "1", "-"])
    monkeypatch.setattr("builtins.input", lambda question: next(answers))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert cli.main(command) == 3, "cleo's file cannot be read"
    assert "nobody in the roster has that name" in capsys.readouterr().out
    assert next(answers, None) is None
    assert set(marks("course.db")) == {"ada", "bob", "cleo", "dan"} and marks("course.db")["bob"][1] == 1.0
    with Gradebook("course.db") as book:
        assert book.decided()["tests"] == "" and book.left_out("hw1")["tests/hw1.ipynb"]


def test_a_wrong_name_is_renamed_with_its_marks_by_hand(course, capsys):
    (course / "all" / "bob").rename(course / "all" / "A. Bob")
    assert cli.main(["grade", "hw1", "all", "-j", "1", "--roster", "roster.csv"]) == 3
    adjust = ["gradebook", "course.db", "adjust", "hw1", "a. b", "2", "--exercise", "tanh_backward", "--why", "half"]
    assert cli.main(adjust) == 0, "a part of the name that is unique"
    assert cli.main(["gradebook", "course.db", "rename", "A. Bob", "bob"]) == 0
    assert {name: row[1] for name, row in marks("course.db").items()} == {"ada": 4, "bob": 3, "cleo": None, "dan": None}
    assert cli.main(["grade", "hw1", "all", "-j", "1", "--roster", "roster.csv"]) == 3
    assert marks("course.db")["bob"][1] == 3.0 and "A. Bob" not in marks("course.db")
    assert cli.main(["gradebook", "course.db", "rename", "eve", "bob"]) == 1
    assert "has no student 'eve'" in capsys.readouterr().err


def test_one_way_to_name_a_student_in_every_command(course, capsys):
    (course / "roster.csv").write_text("student,name\nada,Ada Adams\nbob,Bob Brown\ncleo,Cleo Clark\n")
    (course / "all" / "bob").rename(course / "all" / "B. B.")
    assert cli.main(["grade", "hw1", "all", "-j", "1", "--roster", "roster.csv"]) == 3
    book = ["gradebook", "course.db"]
    for name in ("ada", "ADA", "Ada Adams", "adams"):
        assert cli.main([*book, "show", "hw1", "--student", name]) == 0
        assert cli.main([*book, "show", "--student", name]) == 0
    capsys.readouterr()
    assert cli.main([*book, "rename", "b. b", "Bob Brown"]) == 0
    assert "B. B. is now Bob Brown (bob)" in capsys.readouterr().out and marks("course.db")["bob"][1] == 1.0
    assert cli.main([*book, "rename", "bob", "Eve"]) == 1, "the roster has no Eve"
    for step in ("rename", "remove"):  # whose name was given away is not the student who got it
        assert cli.main([*book, step, "B. B.", *["ada"] * (step == "rename")]) == 1
    capsys.readouterr()
    assert cli.main([*book, "remove", "clark"]) == 0
    assert "(cleo) no longer appears in tables" in capsys.readouterr().out and set(marks("course.db")) == {"ada", "bob"}
    assert cli.main([*book, "owner", "X. Y.", "adams"]) == 0
    assert "X. Y.: Ada Adams (ada)" in capsys.readouterr().out


def test_a_file_that_may_be_somebodys_is_not_forgotten_and_one_of_the_platform_is(course, capsys):
    (course / "all" / "cleo.ipynb").unlink()
    (course / "all" / "grades.csv").write_text("a,b")
    (course / "all" / "index.html").write_text("<html>")
    command = ["grade", "hw1", "all", "-j", "1"]
    assert cli.main(command) == 0
    (course / "all" / "cleo.rar").write_bytes(b"Rar!")
    capsys.readouterr()
    assert cli.main(command) == 3
    assert "Not placed: cleo.rar." in capsys.readouterr().out
    assert cli.main(["gradebook", "course.db", "owner", "cleo.rar", "--nobody"]) == 0
    assert cli.main(command) == 0


def test_a_name_that_is_removed_takes_no_files_from_their_owner(course):
    (course / "all" / "bob").rename(course / "all" / "A. Bob")
    command = ["grade", "hw1", "all", "-j", "1", "--roster", "roster.csv"]
    assert cli.main(command) == 3
    assert cli.main(["gradebook", "course.db", "owner", "A. Bob", "bob"]) == 0
    with Gradebook("course.db") as book:
        book.remove("A. Bob", "a mistake")
    assert cli.main(command) == 3
    assert marks("course.db")["bob"][1] == 1.0


def test_an_owner_is_given_by_a_command(course, capsys):
    (course / "all" / "bob").rename(course / "all" / "B_ob")
    with (course / "roster.csv").open("a") as file:
        file.write("b-ob,e@x\nbo-b,f@x\n")
    command = ["grade", "hw1", "all", "-j", "1", "--roster", "roster.csv"]
    assert cli.main(command) == 3
    assert "the name fits b-ob and bo-b" in capsys.readouterr().out
    assert cli.main(["gradebook", "course.db", "owner", "B_ob", "bob"]) == 0
    assert cli.main(command) == 3
    assert marks("course.db")["bob"][1] == 1.0


def _grades():
    with Gradebook("course.db") as book:
        return book.grades("hw1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hw9", "all"], "hw9 is not an assignment"),
        (["hw1"], "name the folder or the ZIP file"),
        (["6"], "name the folder or the ZIP file"),
        (["hw1", "absent"], "absent does not exist"),
        (["hw1", "empty"], "holds no submission"),
        (["hw1", "all", "--late", "percent=3"], "needs a deadline"),
        (["hw1", "all", "--limit", "statment=3"], "there is no limit 'statment'; the limits are call, statement"),
        (["hw1", "all", "--limit", "statement=x"], "the limit statement is a number"),
        (["hw1", "all", "--sandbox", "moat"], "unknown sandbox layer 'moat'; choose from limits"),
        (["hw1", "all", "--sandbox", "none"], "if you trust these submissions, with --i-trust-these"),
        (["hw1", "all", "--sandbox", "limits"], "Only limits work here: a submission can read your files, change"),
        (["hw1", "all", "--roster", "absent.csv"], "absent.csv: No such file"),
        (["hw1", "all", "--gradebook", "roster.csv"], "not a gradebook, or is damaged"),
        (["hw1", "all", "--gradebook", "absent/course.db"], "choose a folder where you may write"),
        (["hw1", "all", "--diff"], "there is no gradebook course.db"),
    ],
)
def test_what_cannot_be_graded_is_a_sentence(arguments, words, course, capsys):
    (course / "empty").mkdir()
    assert cli.main(["grade", *arguments]) == 1
    assert words in capsys.readouterr().err


def marked(path, **sources):
    """A notebook whose cells have their exercise in the metadata, as in a release."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [
        {"cell_type": "code", "source": source, "metadata": {"exercise": name}, "outputs": []}
        for name, source in sources.items()
    ]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"entropy_at_0": "entropy_at_0 = ...", "xlogx": ""}, "the notebooks are hw7, not hw1: their exercises are"),
        ({"boxes_at_1_5": "boxes_at_1_5 = 5"}, "the notebooks are lesson 01, not hw1"),
        (
            {"nobody_has_this": ""},
            "the notebooks, such as hw2, are not hw1: their exercises are nobody_has_this, and hw1",
        ),
    ],
)
def test_submissions_of_another_assignment_are_refused(cells, words, course, capsys):
    for student in ("ada", "bob"):
        marked(course / "other" / student / "hw2.ipynb", **cells)
    shutil.make_archive("other", "zip", course / "other")
    for there in ("other", "other.zip"):
        assert cli.main(["grade", "hw1", there]) == 1
        assert words in capsys.readouterr().err
    assert not (course / "course.db").exists() or marks("course.db") == {}


def test_blank_notebooks_of_the_assignment_are_graded(course):
    marked(course / "blank" / "ada" / "hw1.ipynb", slope_at_3="slope_at_3 = ...", tanh_backward="")
    marked(course / "blank" / "bob" / "hw2.ipynb", entropy_at_0="entropy_at_0 = ...")
    assert cli.main(["grade", "hw1", "blank", "-j", "1"]) == 0
    assert {student: points for student, (_, points, _) in marks("course.db").items()} == {"ada": 0.0, "bob": 0.0}


def test_checks_that_cannot_be_used_are_a_sentence(course, capsys):
    (course / "hw1" / "checks.py").write_text("1 +")
    assert cli.main(["grade", "hw1", "all"]) == 1
    assert "checks.py, line 1: SyntaxError" in capsys.readouterr().err


@pytest.mark.usefixtures("graded")
def test_a_gradebook_of_a_newer_version_is_a_sentence(capsys):
    with contextlib.closing(sqlite3.connect("course.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
    for command in (["grade", "hw1", "all"], ["gradebook", "course.db", "show"]):
        assert cli.main(command) == 1
        assert "written by a newer minigrad" in capsys.readouterr().err


FOREVER = "while True: pass"


def test_when_nobody_reads_on_there_is_no_traceback(course):
    reading, writing = os.pipe()
    os.close(reading)  # as after "| head"
    command = [sys.executable, "-m", "minigrad", "grade", "hw1", "all"]
    there = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.run(command, env=there, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (process.returncode, process.stderr) == (3, "")


@pytest.mark.slow
def test_a_key_ends_a_run_at_once_and_the_next_one_judges_the_rest(course):
    notebook(course / "all" / "dan" / "hw1.ipynb", FOREVER, SLOPE, RIGHT)
    limits = ["--limit", "statement=300", "--limit", "submission=600", "--limit", "judging=600"]
    command = [sys.executable, "-m", "minigrad", "grade", "hw1", "all", "-j", "2"]
    process = subprocess.Popen(
        [*command, *limits],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's job in the background ignores it
    )
    judged = set()
    try:
        while judged != {"ada", "bob", "cleo"}:
            time.sleep(0.05)
            assert process.poll() is None, process.stderr.read()
            with contextlib.suppress(GradebookError), Gradebook("course.db", make=False) as book:
                judged = {row[0] for row in book.rows("SELECT student FROM attempts")}
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)  # only dan's first cell has 300 seconds
    finally:
        process.kill()
    assert process.returncode == 130
    assert marks("course.db") == {**EXPECTED, "dan": ("not graded yet", None, {})}
    with contextlib.closing(sqlite3.connect("course.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    cli.main(["grade", "hw1", "all", "--limit", "statement=1"])
    assert marks("course.db") == {**EXPECTED, "dan": EXPECTED["ada"]}


def test_a_closed_pipe_ends_no_run_and_hides_no_file_without_an_owner(graded, monkeypatch):
    """`minigrad grade hw1 all | head` with a reader who has gone."""
    (graded / "all" / "cleo.ipynb").unlink()
    notebook(graded / "all" / "dan" / "hw1.ipynb", SLOPE)
    for file, code in ((None, 0), ("eve.rar", 3)):
        if file:
            (graded / "all" / file).write_bytes(b"Rar!")
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "w", encoding="utf-8") as closed, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", closed)
            assert cli.main(["grade", "hw1", "all", "-j", "1"]) == code
    assert marks("course.db")["dan"][0] == "graded"
