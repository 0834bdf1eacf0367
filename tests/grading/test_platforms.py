"""Each platform's export, as its files are named: whose they are, which one counts, and when it was handed in."""

import json
import os
import re
import time
import zipfile

import pytest

from minigrad.grading import platforms
from minigrad.grading.preview import preview
from minigrad.grading.roster import full_name, read_roster_text
from minigrad.grading.submissions import submissions_in
from minigrad.lab.handout import lessons_folder

NOW = time.mktime((2026, 3, 1, 12, 0, 0, 0, 0, -1))
ROSTER = read_roster_text(
    "student,name,identifier\nada,Ada Adams,Participant 11\nben,Ben Brown,Participant 12\ncy,Cy Clark,Participant 13\n"
)


def notebook(source):
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    return json.dumps({"nbformat": 4, "cells": [cell]}).encode()


def export(path, names, when=(2026, 2, 1, 12, 0, 0), step=0, made=NOW):
    """A ZIP file of notebooks, each with its path as its answer, or with the content given.

    step : days between two files. made : when the ZIP file itself was written.
    """
    names = names if isinstance(names, dict) else dict.fromkeys(names)
    with zipfile.ZipFile(path, "w") as archive:
        for number, (name, content) in enumerate(names.items()):
            info = zipfile.ZipInfo(name, (*when[:2], when[2] + step * number, *when[3:]))
            archive.writestr(info, notebook(name) if content is None else content)
    os.utime(path, (made, made))
    return path


def unpacked(path):
    folder = path.with_suffix("")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder


def counted(found):
    return {s.student: s.cells[0].source if s.cells else s.unreadable for s in found.submissions}


SHAPES = {
    "Moodle": ["Ada Adams_7_assignsubmission_file/hw1.ipynb", "Ben Brown_8_assignsubmission_file_/x.ipynb"],
    "Moodle, flat": ["Ada Adams_7_assignsubmission_file_hw1.ipynb", "Ben Brown_8_assignsubmission_file_hw1.ipynb"],
    "Moodle, groups": [
        "Lab 2-Ada Adams_7_assignsubmission_file/a.ipynb",
        "A-Ben Brown_8_assignsubmission_file/a.ipynb",
    ],
    "Moodle, by number": ["Ada B. Adams_11_assignsubmission_file/a.ipynb", "Brown_12_assignsubmission_file/a.ipynb"],
    "Moodle, blind": ["Participant_11_assignsubmission_file/a.ipynb", "Teilnehmer_12_assignsubmission_file/a.ipynb"],
    "Canvas": ["adamsada_501_9001_hw1.ipynb", "brownben_LATE_502_9002_hw1-1.ipynb"],
    "Blackboard": [
        "HW 1_ada_attempt_2026-02-01-10-00-00_hw1.ipynb",
        "HW 1_ben_attempt_2026-02-01-11-00-00_my hw1.ipynb",
    ],
    "Brightspace": [
        "93-2011 - Ada Adams - Feb 1, 2026 1148 PM/hw1.ipynb",
        "94-2012 - Ben Brown - 1 February, 2026 801 AM/hw1.ipynb",
    ],
    "Sakai": [
        "Homework 1/Adams, Ada(ada)/Submission attachment(s)/hw1.ipynb",
        "Homework 1/B, Ben (ben)/Submission attachment(s)/hw1.ipynb",
    ],
    "Teams": ["Submitted files/Ada Adams/HW 1/Version 1/a.ipynb", "Submitted files/Ben Brown/HW 1/Version 2/a.ipynb"],
    "Google Classroom": ["Ada Adams - hw1.ipynb", "Copy of Ben Brown - hw1.ipynb"],
    "Colab": ["ada/Copy of hw1.ipynb", "ben/Kopie von hw1.ipynb"],
    "GitHub Classroom": ["hw1-submissions/hw1-ada/hw1.ipynb", "hw1-submissions/hw1-ben/hw1.ipynb"],
    "ILIAS": ["Abgaben/Adams_Ada_ada_77/20260201100000_hw1.ipynb", "Abgaben/B_Ben_ben_78/20260201100000_hw1.ipynb"],
    "nbgrader, as submitted": [
        "inbound/ada+hw1+2026-02-01 10:00:00 UTC+x9/hw1.ipynb",
        "inbound/ben+hw1+2026-02-01 10:00:00.123456 UTC/hw1.ipynb",
    ],
    "nbgrader": ["submitted/ada/hw1/hw1.ipynb", "submitted/ben/hw1/hw1.ipynb"],
    "folders": ["all/ada/hw1.ipynb", "all/Ben Brown/deep/hw1.ipynb"],
    "files": ["ada.ipynb", "hw1_ben (1).ipynb"],
}


@pytest.mark.parametrize("unpack", [False, True])
@pytest.mark.parametrize("kind", SHAPES)
def test_whose_they_are(kind, unpack, tmp_path):
    where = export(tmp_path / "class.zip", SHAPES[kind])
    found = submissions_in(unpacked(where) if unpack else where, "hw1", ROSTER)
    assert counted(found) == dict(zip(("ada", "ben"), SHAPES[kind]))
    assert (found.missing, found.unplaced, found.left_out) == (("cy",), {}, {})


BESIDE = {"Abgaben.xlsx": b"PK\x05\x06", "index.html": b"<html>", "grades.csv": b"a,b"}


@pytest.mark.parametrize("kind", ["ILIAS", "Sakai", "Brightspace", "folders", "Canvas"])
def test_what_a_platform_puts_beside_them_is_named_and_nobodys(kind, tmp_path):
    found = submissions_in(export(tmp_path / "x.zip", {**dict.fromkeys(SHAPES[kind]), **BESIDE}), "hw1", ROSTER)
    assert counted(found) == dict(zip(("ada", "ben"), SHAPES[kind]))
    assert set(found.left_out) == set(BESIDE) and all(found.left_out.values())


NAMES = ["Mary-Ann Lee", "José Ñúñez", "Lee - Park", "O'Brien, Seán", "李 小龙", "Ada (old) Adams", "van der Berg, Jo"]
WRITTEN = {
    "Moodle": "{name}_{n}_assignsubmission_file/hw1.ipynb",
    "Brightspace": "9{n}-5 - {name} - Feb 1, 2026 1148 PM/hw1.ipynb",
    "Blackboard": "HW 1_{login}_attempt_2026-02-01-10-00-00_hw1.ipynb",
    "Sakai": "HW 1/{name}({login})/Submission attachment(s)/hw1.ipynb",
    "Sakai, another language": "HW 1/{name}({login})/Anhang/hw1.ipynb",
    "Teams": "Submitted files/{name}/HW 1/Version 2/hw1.ipynb",
    "Canvas": "{plain}_{n}_77{n}_hw1.ipynb",
    "Google Classroom": "{name} - hw1.ipynb",
    "ILIAS": "Abgaben/A_B_{login}_{n}/20260201100000_hw1.ipynb",
    "GitHub Classroom": "hw1-{login}/hw1.ipynb",
    "folders": "{name}/hw1.ipynb",
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_sixty_students_are_the_same_from_each_platform(kind, tmp_path):
    names = [f"{name} {'ABCDEFGHI'[n]}" for n in range(9) for name in NAMES][:60]
    people = [
        {"name": name, "n": 100 + n, "login": f"s_{n:03}", "plain": "".join(filter(str.isalnum, name.lower()))}
        for n, name in enumerate(names)
    ]
    roster = read_roster_text("\n".join(["username\tname", *(f"{p['login']}\t{p['name']}" for p in people)]))
    paths = {p["login"]: WRITTEN[kind].format(**p) for p in people}
    found = submissions_in(export(tmp_path / "x.zip", paths.values()), "hw1", roster)
    assert counted(found) == paths and (found.missing, found.unplaced, found.left_out) == ((), {}, {})


ATTEMPTS = {
    "Brightspace": [
        "93-1 - Ada Adams - Feb 2, 2026 130 PM/hw1.ipynb",
        "93-1 - Ada Adams - Feb 2, 2026 1148 AM/hw1.ipynb",
    ],
    "Blackboard": [f"HW_ada_attempt_2026-02-0{day}-10-00-00_hw1.ipynb" for day in (3, 2)],
    "Teams": [f"Ada Adams/HW 1/Version {n}/hw1.ipynb" for n in (10, 9)],
    "Canvas": ["adamsada_501_9010_hw1-1.ipynb", "adamsada_501_9009_hw1.ipynb"],
    "Canvas, names hidden": ["anon_x7Tq2_9010_hw1.ipynb", "anon_x7Tq2_9009_hw1.ipynb"],
    "ILIAS": [f"Adams_Ada_ada_7/2026020{day}100000_hw1.ipynb" for day in (3, 2)],
    "nbgrader": [f"ada+hw1+2026-02-0{day} 10:00:00 UTC/hw1.ipynb" for day in (3, 2)],
}


@pytest.mark.parametrize("kind", ATTEMPTS)
def test_the_latest_attempt_counts_whatever_the_zip_file_says(kind, tmp_path):
    found = submissions_in(export(tmp_path / "x.zip", ATTEMPTS[kind], step=1), "hw1")
    (ada,) = found.submissions
    assert ada.cells[0].source == ATTEMPTS[kind][0] and len(found.earlier) == 1
    assert "counts, not:" in ada.notes[0] and "(earlier)" in ada.notes[0]


@pytest.mark.parametrize(
    ("kind", "known"),
    [("Blackboard", True), ("Brightspace", True), ("ILIAS", True), ("Canvas", False), ("GitHub Classroom", False)]
    + [("Teams", False), ("folders", True), ("Moodle", True)],
)
def test_the_time_is_the_platforms_or_not_known(kind, known, tmp_path):
    found = submissions_in(export(tmp_path / "x.zip", SHAPES[kind], step=1), "hw1", ROSTER)
    times = [s.received for s in found.submissions]
    assert all(when is not None for when in times) if known else times == [None, None]
    assert bool(found.times) == (not known)
    if kind == "Brightspace":
        assert times[0] == time.mktime((2026, 2, 1, 23, 48, 0, 0, 0, -1))


@pytest.mark.parametrize("how", [{}, {"when": (1980, 1, 1, 0, 0, 0)}, {"when": (2026, 5, 1, 0, 0, 0), "step": 1}])
def test_equal_times_those_of_1980_and_those_after_the_export_are_not_known(how, tmp_path):
    names = ["ada/hw1.ipynb", "ben/hw1.ipynb", "cy/hw1.ipynb"]
    found = submissions_in(export(tmp_path / "x.zip", names, **how), "hw1", ROSTER)
    assert [s.received for s in found.submissions] == [None] * 3


def test_a_time_that_the_student_wrote_does_not_count(tmp_path):
    early = b"20200101000000000"
    names = {
        "Adams, Ada(ada)/timestamp.txt": b"20260202000000000",
        "Adams, Ada(ada)/Submission attachment(s)/hw1.ipynb": None,
        "Adams, Ada(ada)/Submission attachment(s)/timestamp.txt": early,
        "Brown, Ben(ben)/Submission attachment(s)/hw1.ipynb": None,
        "Brown, Ben(ben)/Submission attachment(s)/timestamp.txt": early,
    }
    ada, ben = submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER).submissions
    assert (ada.received, ben.received) == (1769990400.0, None)
    inner = tmp_path / "inner.zip"
    export(inner, ["hw1.ipynb"], when=(2020, 1, 1, 0, 0, 0))
    names = {
        "HW_ada_attempt_2026-02-03-10-00-00_all.zip": inner.read_bytes(),
        "HW_ben_attempt_2026-02-03-10-00-00_hw1.ipynb": None,
    }
    ada, ben = submissions_in(export(tmp_path / "y.zip", names), "hw1", ROSTER).submissions
    assert ada.received == ben.received and ada.cells


BLANK, CUT = notebook(""), notebook("x = 1")[:40]
ANSWERED = lambda s: any(cell.source for cell in s.cells)


@pytest.mark.parametrize("bad", [b"", BLANK, CUT, b"<html>log in", b"PK\x03\x04 no"])
def test_nothing_counts_before_an_answered_one(bad, tmp_path):
    for name, content, when in (("hw1.ipynb", notebook("good"), 1e9), ("hw1 (1).ipynb", bad, 1.1e9)):
        path = tmp_path / "ada" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (when, when))
    found = submissions_in(tmp_path, "hw1", answers=ANSWERED)
    (ada,) = found.submissions
    assert ada.cells[0].source == "good" and "hw1 (1).ipynb" in ada.notes[0]
    assert [s.file for s in found.earlier] == ["hw1 (1).ipynb"]


@pytest.mark.parametrize(
    "other", ["hw1_old.ipynb", "old hw1.ipynb", "hw1-Copy1.ipynb", "Copy of hw1.ipynb", "hw1.ipynb.txt"]
)
def test_at_one_time_the_exact_name_counts(other, tmp_path):
    names = [f"{who}/{name}" for who in ("ada", "ben") for name in ("hw1.ipynb", other)]
    found = submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER)
    assert counted(found) == {"ada": "ada/hw1.ipynb", "ben": "ben/hw1.ipynb"}


@pytest.mark.parametrize("name", ["hw1.ipynb.txt", "hw1.ipynb.json", "hw1.json", "hw1.ipynb.part", "hw1.IPYNB", "hw1"])
def test_a_notebook_is_known_by_its_content(name, tmp_path):
    flat = name.replace("hw1", "ben")
    found = submissions_in(export(tmp_path / "x.zip", {f"ada/{name}": notebook("a"), flat: notebook("b")}), "hw1")
    assert counted(found) == {"ada": "a", "ben": "b"}


def test_what_is_no_notebook_is_named_with_the_reason(tmp_path):
    files = {"dee.rar": b"Rar!\x1a", "eve.pdf": b"%PDF-1", "fay.py": b"x", "notes.txt": b"{}", "ada.pdf": b"%PDF-1"}
    found = submissions_in(export(tmp_path / "x.zip", {"ben.ipynb": None, **files}), "hw1", ROSTER)
    assert counted(found) == {"ada": "no notebook among the files: ada.pdf", "ben": "ben.ipynb"}
    assert found.left_out["dee.rar"] == "a RAR archive, not a notebook" and set(found.left_out) == {*files} - {
        "ada.pdf"
    }


def test_what_the_platform_or_the_assignment_puts_in_is_not_told(tmp_path):
    ours = ["hw1_checks.py", "hw1_sealed.json", "hw1-receipt.json"]
    names = {f"ada/{name}": b"{}" for name in ours} | {"ada/hw1.ipynb": None, "ada/data.csv": b"1"}
    (ada,) = submissions_in(export(tmp_path / "x.zip", names), "hw1").submissions
    assert ada.notes == ("not read, because they are not notebooks: data.csv",)
    names = {
        "HW_ada_attempt_2026-02-01-10-00-00.txt": b"Name: Ada",
        "HW_ada_attempt_2026-02-01-10-00-00_hw1.ipynb": None,
    }
    (ada,) = submissions_in(export(tmp_path / "y.zip", names), "hw1").submissions
    assert ada.notes == () and ada.student == "ada"


def test_two_people_are_never_merged(tmp_path):
    roster = read_roster_text("student,name\n12-3,A\n123,B\na-b,C\nab,D\nBen,E\nben,F\nकि,G\nका,H\n0045,I")
    names = ["12-3", "123", "a-b", "ab", "Ben", "ben", "कि", "का", "45"]
    found = submissions_in(export(tmp_path / "x.zip", [f"{name}/hw1.ipynb" for name in names]), "hw1", roster)
    assert {s.student: s.cells[0].source for s in found.submissions} == {
        "0045" if name == "45" else name: f"{name}/hw1.ipynb" for name in names
    }
    assert found.missing == () and found.unplaced == {}


def test_who_is_only_similar_to_somebody_with_a_file_is_not_placed(tmp_path):
    found = submissions_in(export(tmp_path / "x.zip", ["ada/hw1.ipynb", "ADA/hw1.ipynb"]), "hw1", ROSTER)
    assert counted(found) == {"ada": "ada/hw1.ipynb", "ADA": "ADA/hw1.ipynb"}
    assert found.unplaced == {"ADA": ("ADA", "the name is similar to ada, and so is ada")}
    found = submissions_in(export(tmp_path / "y.zip", ["Ada/hw1.ipynb", "ADA/hw1.ipynb"]), "hw1", ROSTER)
    assert set(found.unplaced) == {"Ada", "ADA"} and "ada" in found.missing


def test_two_of_one_name_are_told_apart_by_their_ids(tmp_path):
    rows = ["Student,ID,SIS Login ID", "  Points Possible,,", '"Rossi, Lea",501,lr1', '"Rossi, Lea",502,lr2']
    roster = read_roster_text("\n".join(rows))
    names = ["rossilea_501_1_hw1.ipynb", "rossilea_502_2_hw1.ipynb", "rossilea_503_3_hw1.ipynb"]
    found = submissions_in(export(tmp_path / "x.zip", names), "hw1", roster)
    assert counted(found) == {"501": names[0], "502": names[1], "rossilea": names[2]}
    assert found.unplaced == {"rossilea": ("rossilea (503)", "the name fits 501 and 502")}


def test_what_the_teacher_decided_holds_later(tmp_path):
    names = ["A. Adams_7_assignsubmission_file/hw1.ipynb", "test_8_assignsubmission_file/hw1.ipynb"]
    first = submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER)
    assert {person: why for person, why in first.unplaced.values()} == {
        "A. Adams (7)": "not in the roster",
        "test (8)": "not in the roster",
    }
    decided = {"A. Adams (7)": "ada", "A. Adams": "ada", "test (8)": ""}
    found = submissions_in(tmp_path / "x.zip", "hw1", ROSTER, decided)
    assert counted(found) == {"ada": names[0]} and found.unplaced == {}
    assert found.left_out == {names[1]: "you decided that it is nobody's"}
    names = ["A. Adams_99_assignsubmission_file/hw2.ipynb"]  # Moodle's numbers are others in each assignment
    assert counted(submissions_in(export(tmp_path / "z.zip", names), "hw2", ROSTER, decided)) == {"ada": names[0]}


@pytest.mark.parametrize("text", ["sep=;\nstudent;name\n007;Ada", "student\tname\n007\tAda", "Student,Name\n007,Ada"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_rosters_as_spreadsheets_write_them(text, encoding, tmp_path):
    from minigrad.grading.roster import read_roster

    (tmp_path / "r.csv").write_bytes(text.replace("\n", "\r\n").encode(encoding))
    roster = read_roster(tmp_path / "r.csv")
    assert list(roster.rows) == ["007"] and roster.fits("7") == ("007",) and roster.fits("ada") == ("007",)


def test_the_row_of_the_guide_makes_a_platform_known(tmp_path, monkeypatch):
    guide = (lessons_folder() / "AUTHORING.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^(Shape\(.*\)),$", guide, re.MULTILINE)
    monkeypatch.setattr(platforms, "SHAPES", (eval(row, {"Shape": platforms.Shape}), *platforms.SHAPES))
    (name,) = re.findall(r"For folders such as `(.*?)`, write", guide)
    found = submissions_in(export(tmp_path / "x.zip", [name, "7C Somebody (ben)/hw7.ipynb"]), "hw7", ROSTER)
    assert counted(found)["ada"] == name and found.missing == ("cy",) and not found.unplaced


def test_each_row_of_the_table_has_files_of_its_kind_here():
    more = ["submission_7/hw1.ipynb", "anon_x7Tq2_9010_hw1.ipynb", "Ada Adams (ada)/hw1.ipynb"]
    names = [name for several in SHAPES.values() for name in several] + more
    platforms_here = set()
    for name in names:
        parts = tuple(name.split("/"))
        platforms_here |= {platforms.owner(parts[n:], "hw1").shape.platform for n in range(len(parts))}
    assert platforms_here == {shape.platform for shape in platforms.SHAPES}


def test_drafts_in_teams_are_not_handed_in(tmp_path):
    names = ["Submitted files/Ada Adams/HW 1/Version 2/a.ipynb", "Working files/Ada Adams/HW 1/b.ipynb"]
    read = submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER)
    assert counted(read) == {"ada": names[0]} and list(read.left_out) == names[1:]
    assert "draft" in read.left_out[names[1]] and read.unowned == ()


@pytest.mark.parametrize("name", ["hw1.ipynb - Ada Adams.ipynb", "Kopie von hw1.ipynb - Ada Adams.ipynb"])
def test_the_assignment_in_a_name_may_have_its_ending(name, tmp_path):
    assert counted(submissions_in(export(tmp_path / "x.zip", [name]), "hw1", ROSTER)) == {"ada": name}


def test_that_no_time_is_known_is_said(tmp_path):
    names = ["ada/hw1.ipynb", "ben/hw1.ipynb"]
    read = submissions_in(export(tmp_path / "x.zip", names, when=(1980, 1, 1, 0, 0, 0)), "hw1", ROSTER)
    assert read.times == "the files have no date, or one later than the ZIP file's own"


def test_what_a_computer_adds_to_a_folder_is_nobodys(tmp_path):
    names = dict.fromkeys(["ada/hw1.ipynb"]) | {"Thumbs.db": b"x", "ada/desktop.ini": b"x", "eve.rar": b"Rar!"}
    read = submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER)
    assert read.unowned == ("eve.rar",) == tuple(read.left_out)
    decided = submissions_in(tmp_path / "x.zip", "hw1", ROSTER, {"eve.rar": ""})
    assert decided.unowned == () and "nobody's" in decided.left_out["eve.rar"]


def test_a_roster_of_canvas_has_names_and_no_test_student():
    lines = ["Student,ID,SIS User ID,SIS Login ID,Section,hw1 (12)", "    Points Possible,,,,,9.0"]
    lines += ['"Adams, Ada",1040,s1,ada,A,', '"Student, Test",9999,,abc,A,']
    roster = read_roster_text("\n".join(lines))
    assert {student: full_name(row) for student, row in roster.rows.items()} == {"1040": "Ada Adams"}
    assert "test student" in roster.skipped[0] and roster.fits("Ada Adams") == roster.fits("ada") == ("1040",)
    two = read_roster_text("\n".join([*lines[:3], '"Adams, Ada",1041,s2,al,A,']))  # of one name: told apart by number
    assert {student: full_name(row) for student, row in two.rows.items()} == dict.fromkeys(
        ["1040", "1041"], "Ada Adams"
    )


def test_a_roster_of_brightspace_has_no_signs_before_the_names():
    lines = ["OrgDefinedId,Username,Last Name,First Name,End-of-Line Indicator", "#007,#ada,Adams,Ada,#"]
    roster = read_roster_text("\n".join(lines))
    assert [*roster.rows] == ["ada"]
    assert {roster.fits(name) for name in ("007", "#007", "#ada", "Ada Adams")} == {("ada",)}
    alone = read_roster_text("\n".join(line.replace(",Username", "").replace(",#ada", "") for line in lines))
    assert [*alone.rows] == ["007"] and roster.rows["ada"]["orgdefinedid"] == "#007"  # which its import expects


def test_of_two_with_one_name_the_whole_path_is_shown(tmp_path):
    for number in (101, 102):
        folder = tmp_path / f"{number}-7 - Lea Rossi - Nov 19, 2026 1005 AM"
        folder.mkdir()
        (folder / "hw1.ipynb").write_text("{}")
    arrived = submissions_in(tmp_path, "hw1", read_roster_text("student,name\nlr1,Lea Rossi\nlr2,Lea Rossi"))
    said = "\n".join(preview("hw1", arrived, None))
    assert "101-7 - Lea Rossi - Nov 19, 2026 1005 AM/hw1.ipynb" in said and "102-7 - Lea Rossi" in said
