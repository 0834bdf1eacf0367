"""Exports to other systems: an empty cell is not graded, no formula runs, nothing hidden is revealed."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

from minigrad import __main__ as cli
from minigrad.classroom.authoring import new
from minigrad.classroom.loading import load
from minigrad.classroom.sealed_answers import to_text
from minigrad.grading.exports.github import workflow
from minigrad.grading.exports.grades_csv import blackboard, brightspace, canvas, defused, moodle, spreadsheet
from minigrad.grading.exports.gradescope import autograder, main, results, student_of
from minigrad.grading.exports.moodle_feedback import feedback_files
from minigrad.grading.exports.wheel import FILE
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.grades import Grade
from minigrad.grading.report import NOT_SHOWN, Criterion, Mark, Report, visible_part
from minigrad.grading.submitted_notebook import Submission
from minigrad.grading.summary import lines_of, summary

ROSTER = {
    "ada": {"student": "ada", "name": "Ada Lovelace", "email": "ada@x", "id": "7"},
    "bob": {"student": "bob", "name": '=HYPERLINK("x")', "email": "@bob", "id": "8"},
}
GRADES = [
    Grade("ada", "graded", 2.5, 4.0, {"q1": 2.5, "q2": 0.0}, ["q1: 2.5 instead of 2, by prof: a slip"]),
    Grade("bob", "not graded", None, 4.0, {"q1": 1.0, "q2": None}, ["=cmd() could not be graded"]),
    Grade("eve", "graded", 0.0, 4.0, {"q1": 0.0, "q2": 0.0}, ["-1, by prof: why"]),
]


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_a_spreadsheet_has_every_exercise_and_an_empty_cell_for_what_was_not_graded():
    heads, ada, bob, eve = rows(spreadsheet(GRADES, ROSTER))
    assert heads == [
        "student",
        "name",
        "email",
        "id",
        "status",
        "q1",
        "q2",
        "added by hand",
        "deduction",
        "marks",
        "out of",
        "notes",
    ]
    assert ada[4:] == ["graded", "2.5", "0", "0", "0", "2.5", "4", "q1: 2.5 instead of 2, by prof: a slip"]
    assert bob[1:3] == ['\'=HYPERLINK("x")', "'@bob"]
    assert bob[4:] == ["not graded", "1", "", "", "", "", "4", "'=cmd() could not be graded"]
    assert eve[4:] == ["graded", "0", "0", "0", "0", "0", "4", "'-1, by prof: why"]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1", "＝1", "\n=1"])
def test_formulas_are_defused(text):
    assert defused(text) == f"'{text}"


def test_brightspace_and_blackboard_get_their_columns():
    roster = {"ada": {"student": "ada", "student id": "007", "username": "al1"}}
    assert rows(brightspace("hw1", GRADES, roster))[:2] == [
        ["OrgDefinedId", "hw1 Points Grade", "End-of-Line Indicator"],
        ["007", "2.5", "#"],
    ]
    assert rows(brightspace("hw1", GRADES, {}))[1:3] == [["ada", "2.5", "#"], ["bob", "", "#"]]
    assert rows(blackboard("hw1", GRADES, roster, "hw1 |99"))[:2] == [["Username", "hw1 |99"], ["al1", "2.5"]]


def test_what_was_left_out_has_a_row_at_the_end():
    left_out = rows(spreadsheet(GRADES, ROSTER, {"=x.pdf": "a PDF, not a notebook"}))[-1]
    assert (left_out[0], left_out[4], left_out[-1]) == ("'=x.pdf", "left out", "a PDF, not a notebook")
    assert not any(left_out[5:-1])


def test_moodle_and_canvas_get_their_columns():
    assert rows(moodle("hw1", GRADES, ROSTER))[:3] == [
        ["ID number", "Email address", "hw1", "Feedback comments"],
        ["7", "ada@x", "2.5", "q1: 2.5 instead of 2, by prof: a slip"],
        ["8", "'@bob", "", "'=cmd() could not be graded"],
    ]
    assert rows(moodle("hw1", GRADES, {}, "Homework 1"))[:2] == [
        ["Username", "Homework 1", "Feedback comments"],
        ["ada", "2.5", "q1: 2.5 instead of 2, by prof: a slip"],
    ]
    heads, possible, ada, bob, eve = rows(canvas("hw1", GRADES, ROSTER, "hw1 (99)"))
    assert heads == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "hw1 (99)"]
    assert (possible[0], possible[-1]) == ("Points Possible", "4")
    assert ada == ["Ada Lovelace", "7", "", "ada@x", "", "2.5"]
    assert (bob[-1], eve) == ("", ["eve", "", "", "eve", "", "0"])


def failing(reveal):
    lines = [Criterion("slope", True), Criterion("0 at 800", False, reveal=reveal, message="no overflow")]
    return Mark(
        "q1", "wrong", 0.0, 3.0, lines, "off", "x = 800", "nan", "0", ("sign", "the sign is flipped"), "printed"
    )


@pytest.mark.parametrize("reveal", ["never", "after"])
def test_a_check_that_stays_hidden_is_not_told(reveal):
    found = visible_part(failing(reveal))
    text = json.dumps([found.words, found.inputs, found.yours, found.true, found.mistake, found.printed])
    assert not any(secret in text for secret in ("800", "overflow", "nan", "sign", "printed", "off"))
    assert [line.says for line in found.lines] == ["slope", NOT_SHOWN]
    assert (found.marks, found.out_of) == (0.0, 3.0)
    output = results(Report("ada", "hw1", "00", "11", 0, "graded", [failing(reveal)]))["tests"][0]["output"]
    assert "800" not in output and NOT_SHOWN in output


def test_what_is_told_depends_on_the_check_that_failed():
    message = visible_part(failing("message"))
    assert message.lines == failing("message").lines and (message.words, message.inputs, message.printed) == (
        "",
        "",
        "",
    )
    output = results(Report("ada", "hw1", "00", "11", 0, "graded", [failing("message")]))["tests"][0]["output"]
    assert output == "0 at 800: no overflow"
    assert visible_part(failing("always")) == failing("always")
    assert visible_part(failing("counterexample")) == failing("counterexample")
    assert visible_part(failing("after"), after=True).inputs == "x = 800"


def moodle_pages(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info).decode() for info in archive.infolist()}


def test_feedback_for_moodle_carries_the_numbers_of_its_folders_or_of_its_worksheet():
    mark = Mark("q1", "wrong", 0.0, 2.0)
    grades = []
    for student, name, file in (
        ("al1", "Ada_A/dams", "Ada Adams_123_assignsubmission_file/hw1.ipynb"),
        ("bob", "", "bob.ipynb"),
        ("cem", "Cem Can", "cem.ipynb"),
        ("dee", "", "Group A_12_assignsubmission_file_hw1.ipynb"),
    ):
        report = Report(student, "hw_1", "00", "11", 0, "graded", [mark])
        submission = Submission(student, file, "00")
        grades.append(Grade(student, "graded", 0.0, 2.0, {"q1": 0.0}, [], submission, report, name=name))
    grades[3].group = ("dee", "eve")
    data, left_out = feedback_files("hw_1", grades, {"cem": {"identifier": "Participant 77"}})
    pages = moodle_pages(data)
    assert list(pages) == [
        "Ada A dams_123_assignsubmission_file_hw-1-feedback.html",
        "Cem Can_77_assignsubmission_file_hw-1-feedback.html",
    ]
    assert (
        left_out == ["bob", "dee"]
        and "not right, 0 of 2" in pages["Cem Can_77_assignsubmission_file_hw-1-feedback.html"]
    )
    assert data == feedback_files("hw_1", grades, {"cem": {"identifier": "Participant 77"}})[0]


def test_gradescope_gets_a_score_only_where_all_was_graded():
    right, ungraded = Mark("q1", "right", 2.0, 2.0), Mark("q2", "ungraded", None, 3.0, why="the check raised")
    whole = results(Report("ada", "hw1", "00", "11", 5, "graded", [right, failing("always")], ["a note"], seconds=1.5))
    assert (whole["score"], whole["output"]) == (2.0, "a note")
    assert [(t["score"], t["max_score"], t["status"]) for t in whole["tests"]] == [
        (2.0, 2.0, "passed"),
        (0.0, 3.0, "failed"),
    ]
    assert "at x = 800: got nan, expected 0" in whole["tests"][1]["output"]
    part = results(Report("ada", "hw1", "00", "11", 5, "graded", [right, ungraded]))
    assert "score" not in part and "score" not in part["tests"][1] and part["tests"][1]["output"] == "the check raised"


@pytest.fixture
def hw1(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return new(tmp_path / "hw1")


def test_the_autograder_holds_what_it_runs_and_is_the_same_each_time(hw1, tmp_path, capsys):
    assert cli.main(["assign", "gradescope", "hw1"]) == 0
    data = (tmp_path / "hw1-gradescope.zip").read_bytes()
    assert data == autograder(hw1)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = set(archive.namelist())
        assert archive.getinfo("run_autograder").external_attr >> 16 & 0o111 == 0o111
        assert b"minigrad.grading.exports.gradescope hw1" in archive.read("run_autograder")
        with zipfile.ZipFile(io.BytesIO(archive.read(FILE))) as kit:
            packed = set(kit.namelist())
    assert {"setup.sh", "run_autograder", FILE, "hw1/checks.py", "hw1/hidden.py"} <= names
    assert {"minigrad/grading/judge.py", "viz/__init__.py", "viz/static/bundle.json"} <= packed
    assert not any("__pycache__" in name or name.startswith("tests") for name in names | packed)


def test_the_autograder_grades(hw1, tmp_path):
    cell = {"cell_type": "code", "source": "slope_at_3 = 6.0", "metadata": {}, "outputs": []}
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "my hw1.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [cell]}))
    (tmp_path / "who.json").write_text(json.dumps({"users": [{"email": "ada@x", "id": 3}]}))
    assert main([str(hw1), str(tmp_path / "submission"), "results/results.json", "--metadata", "who.json"]) == 0
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    assert [(t["name"], t["score"]) for t in found["tests"]] == [("slope_at_3", 1.0), ("tanh_backward", 0.0)]
    assert found["score"] == 1.0


def test_the_autograder_deducts_nothing_for_late_work_as_gradescope_does_so_itself(hw1, tmp_path):
    solved(tmp_path / "submission" / "hw1.ipynb")
    dates = {"created_at": "2026-12-31T12:00:00+00:00", "assignment": {"due_date": "2026-01-01T12:00:00+00:00"}}
    (tmp_path / "who.json").write_text(json.dumps({"users": [{"email": "ada@x"}], **dates}))
    assert main([str(hw1), str(tmp_path / "submission"), "results.json", "--metadata", "who.json"]) == 0
    found = json.loads((tmp_path / "results.json").read_text())
    assert (found["score"], found["tests"][0]["score"]) == (1.0, 1.0)


#: The fields of results.json that Gradescope documents, and those of its tests.
FIELDS = {"score", "output", "output_format", "test_output_format", "test_name_format"}
FIELDS |= {"stdout_visibility", "visibility", "extra_data", "tests", "leaderboard"}
OF_TESTS = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags"}
OF_TESTS |= {"visibility", "extra_data"}


def solved(path):
    """A notebook that answers the first exercise of the example assignment rightly, and the second wrongly."""
    sources = ("slope_at_3 = 6.0", "def tanh_backward(x, upstream):\n    return upstream")
    cells = [{"cell_type": "code", "source": s, "metadata": {}, "outputs": []} for s in sources]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))


RULE = "import math\ndef tanh_backward(x, upstream):\n    return upstream * (1 - math.tanh(x) ** 2)"
#: By what was handed in, the marks of the two exercises; None if they could not be graded.
HANDED_IN = {
    "right": (["slope_at_3 = 6.0", RULE], [1.0, 3.0]),
    "half": (["slope_at_3 = 6.0", "def tanh_backward(x, upstream):\n    return upstream"], [1.0, 0.0]),
    "nothing": ([], [0.0, 0.0]),
    "no Python": (["slope_at_3 = 6.0", "def tanh_backward(x, upstream)\n    return"], [1.0, 0.0]),
    "no notebook": ("this is not a notebook", [None, None]),
}


def handed_in(path, kind):
    sources, marks = HANDED_IN[kind]
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(sources, list):
        cells = [{"cell_type": "code", "source": s, "metadata": {}, "outputs": []} for s in sources]
        sources = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    path.write_text(sources)
    return marks


def fresh(folder, wheel):
    """A separate Python in `folder`, with the wheel, and other packages as they are installed here."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    packages = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"], capture_output=True, text=True
    )
    (Path(packages.stdout.strip()) / "here.pth").write_text(str(Path(yaml.__file__).parents[1]))
    install = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--force-reinstall", wheel]
    subprocess.run(install, check=True, capture_output=True)
    where = subprocess.run(
        [python, "-c", "import minigrad; print(minigrad.__file__)"], capture_output=True, text=True, cwd="/"
    )
    assert where.stdout.startswith(str(folder))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the autograder is a script for bash")
def test_the_script_runs_in_the_folders_of_gradescope(hw1, tmp_path):
    place = tmp_path / "autograder"
    with zipfile.ZipFile(io.BytesIO(autograder(hw1))) as archive:
        archive.extractall(place / "source")
    shutil.rmtree(hw1)
    setup = (place / "source" / "setup.sh").read_text()
    assert f"/autograder/venv/bin/python -m pip install -q /autograder/source/{FILE} numpy==" in setup
    assert "python3 -m venv /autograder/venv" in setup
    fresh(place / "venv", place / "source" / FILE)
    (place / "results").mkdir()
    (place / "submission_metadata.json").write_text(json.dumps({"users": [{"email": "ada@x", "id": 3}]}))
    script = (place / "source" / "run_autograder").read_text().replace("/autograder", str(place))
    for kind in HANDED_IN:
        marks = handed_in(place / "submission" / "hw1.ipynb", kind)
        done = subprocess.run(["bash", "-c", script], cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = json.loads((place / "results" / "results.json").read_text())
        assert set(found) <= FIELDS and all(set(test) <= OF_TESTS for test in found["tests"])
        assert [test.get("score") for test in found["tests"]] == marks, kind
        assert found.get("score") == (sum(marks) if None not in marks else None)
        assert all(t["visibility"] == "visible" and t["output_format"] == "text" for t in found["tests"])


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the steps are lines for bash")
def test_the_steps_of_the_workflow_run_in_a_students_repository(hw1, tmp_path, monkeypatch):
    assert cli.main(["assign", "github", "hw1"]) == 0
    steps = yaml.safe_load((tmp_path / "hw1-classroom.yml").read_text())["jobs"]["grade"]["steps"]
    place = tmp_path / "repository"
    place.mkdir()
    shutil.copy(FILE, place)
    (place / "hw1_checks.py").write_text((hw1 / "checks.py").read_text())
    (place / "hw1_sealed.json").write_text(to_text(load(hw1 / "checks.py"), []))
    (install,) = [step["run"] for step in steps if "pip install" in step.get("run", "")]
    assert install.startswith(f".venv/bin/python -m pip install -q ./{FILE} numpy==")
    fresh(place / ".venv", place / FILE)
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    for kind in ("right", "half", "no notebook"):
        marks = handed_in(place / "hw1.ipynb", kind)
        results = []
        for step in steps:
            command = step.get("run") or step.get("with", {}).get("command", "")
            if command and "pip install" not in command and "-m venv" not in command:
                environment = {**os.environ, "PATH": path}
                done = subprocess.run(["bash", "-ec", command], cwd=place, env=environment, capture_output=True)
                results.append(done.returncode)
        assert results[0] == 0 and [code == 0 for code in results[1:]] == [
            m == of for m, of in zip(marks, (1.0, 3.0))
        ], kind
    assert steps[-1]["with"]["runners"] == "slope-at-3,tanh-backward"


@pytest.mark.parametrize("text", ["", "[]", '{"users": []}', '{"users": [3]}', '{"users": [{}]}'])
def test_metadata_that_names_nobody(text, tmp_path):
    (tmp_path / "who.json").write_text(text)
    assert student_of(tmp_path / "who.json") == "student"
    assert student_of(tmp_path / "absent.json") == "student"


@pytest.mark.parametrize("user, student", [({"email": "ada@x", "id": 3}, "ada@x"), ({"email": None, "id": 3}, "3")])
def test_metadata_name_a_student_by_address_or_else_by_number(user, student, tmp_path):
    (tmp_path / "who.json").write_text(json.dumps({"users": [user, {"email": "bob@x"}]}))
    assert student_of(tmp_path / "who.json") == student


def test_the_workflow_has_a_step_for_each_exercise(hw1, tmp_path):
    assert cli.main(["assign", "github", "hw1"]) == 0
    text = (tmp_path / "hw1-classroom.yml").read_text()
    assert text == workflow("hw1", {"slope_at_3": 1.0, "tanh_backward": 3.0})
    assert text.count("autograding-command-grader") == 2 and "max-score: 3" in text
    assert "runners: slope-at-3,tanh-backward" in text
    assert "SLOPE-AT-3_RESULTS: ${{ steps.slope-at-3.outputs.result }}" in text
    assert "hidden.py" not in text


def test_the_command_of_a_step_reads_the_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = next(line for line in workflow("hw1", {"q1": 2.0}).splitlines() if "command:" in line)
    command = json.loads(line.partition(":")[2])
    for marks, code in ((2.0, 0), (0.0, 1)):
        report = Report("ada", "hw1", "00", "11", 0, "graded", [Mark("q1", "right", marks, 2.0)])
        (tmp_path / "report.json").write_text(report.to_json())
        assert subprocess.run(command, shell=True, capture_output=True).returncode == code


@pytest.mark.parametrize(
    ("to", "words"), [("csv", "student,status,q1"), ("moodle", "Username"), ("canvas", "Points Possible")]
)
def test_the_command_writes_them(to, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with Gradebook("course.db") as book:
        for student, marks in (("ada", 2.0), ("bob", None)):
            book.receive("hw1", Submission(student, "f", student))
            state = "right" if marks else "ungraded"
            book.record("hw1", Report(student, "hw1", student, "11", 0, "graded", [Mark("q1", state, marks, 2.0)]))
    assert cli.main(["gradebook", "course.db", "export", "hw1", to, "out/hw1.csv"]) == 0
    assert words in (tmp_path / "out" / "hw1.csv").read_text(encoding="utf-8-sig")
    assert "2 students, 1 without marks" in capsys.readouterr().out
    assert cli.main(["gradebook", "course.db", "export", "hw2", to, "hw2.csv"]) == 1
    assert "there is no assignment 'hw2'; there are hw1" in capsys.readouterr().err


def test_nothing_that_a_student_wrote_steers_the_terminal():
    mark = Mark("q1", "wrong", 0.0, 2.0, words="\x1b[2J off")
    report = Report("ada", "hw1", "00", "11", 0, "graded", [mark], ["\x07 bell"])
    grades = [Grade("ada", "graded", 0.0, 2.0, {"q1": 0.0}, ["\x1b]0; why"], report=report)]
    assert all(line.isprintable() for line in [*summary("hw1", grades), *lines_of(report)])


def test_the_columns_of_the_table_are_straight_for_wide_names():
    grades = [Grade(name, "graded", 1.0, 2.0, {"q1": 1.0}) for name in ("ada", "李雷", "Zoe\u0308")]
    _, _, ada, lei, zoe = summary("hw1", grades)
    assert (lei.index("1") + 2, zoe.index("1") - 1) == (ada.index("1"), ada.index("1"))
