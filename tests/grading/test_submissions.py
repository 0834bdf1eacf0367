"""Whoever exported a class, each student has one submission that counts, and no file is lost."""

import io
import json
import os
import stat
import unicodedata
import zipfile

import pytest

from minigrad.grading.archives import MEMBERS, TOTAL
from minigrad.grading.roster import RosterError, read_roster, read_roster_text
from minigrad.grading.submissions import SPELLED, SubmissionsError, submissions_in
from minigrad.grading.submitted_notebook import LARGEST


def notebook(source):
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    return json.dumps({"nbformat": 4, "cells": [cell]}).encode()


def put(top, *names, when=None):
    """Files below `top`, each a notebook whose one cell holds its name."""
    for number, name in enumerate(names):
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(notebook(name) if name.endswith(".ipynb") else b"1")
        os.utime(path, (1e9 + number, 1e9 + number) if when is None else (when, when))
    return top


def zipped(path, *names, **contents):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, name in enumerate(names):
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name, (2026, 1, 1 + number, 12, 0, 0))
            archive.writestr(info, contents.get(info.filename, notebook(info.filename)))
    return path


def counted(found):
    return {s.student: s.cells[0].source for s in found.submissions}


EXPORTS = {
    "folders": {"ada": "ada/hw1.ipynb", "bob": "bob/deep/er/hw1.ipynb"},
    "flat": {"ada": "ada.ipynb", "bob": "bob (1).ipynb"},
    "flat, with the assignment": {"ada": "hw1_ada.ipynb", "bob": "bob - HW1.ipynb"},
    "flat, as submit names them": {"ada": "ada_hw1-submission.ipynb", "bob": "hw1-submission-bob.ipynb"},
    "flat, nobody named": {"hw1-submission": "hw1-submission.ipynb", "hw1-submission (1)": "hw1-submission (1).ipynb"},
    "moodle": {
        "Ada Lovelace": "Ada Lovelace_123_assignsubmission_file_/hw1.ipynb",
        "Zoë O'Neil": "Zoë O'Neil_77_assignsubmission_file_/my work.ipynb",
    },
    "moodle 4.1": {
        "Ada Lovelace": "Ada Lovelace_123_assignsubmission_file/hw1.ipynb",
        "Bob B": "Bob B_9_assignsubmission_file/deep/hw1.ipynb",
    },
    "moodle, flat": {"Ada Lovelace": "Ada Lovelace_123_assignsubmission_file_hw1.ipynb"},
    "canvas": {"lovelaceada": "lovelaceada_123_456_hw1.ipynb", "bytebob": "bytebob_LATE_9_10_hw1-2.ipynb"},
    "flat, with numbers": {"2026_1122_ada": "hw1_2026_1122_ada.ipynb", "2026_1122_bob": "HW1_2026_1122_bob.ipynb"},
    "gradescope without its list": {
        "submission_7": "assignment_5_export/submission_7/hw1.ipynb",
        "submission_8": "assignment_5_export/submission_8/hw1.ipynb",
    },
    "nbgrader": {"ada": "submitted/ada/hw1/hw1.ipynb", "bob": "submitted/bob/hw1/hw1.ipynb"},
    "nbgrader, one student": {"ada": "submitted/ada/hw1/hw1.ipynb"},
}


@pytest.mark.parametrize("kind", EXPORTS)
@pytest.mark.parametrize("packed", [False, True])
def test_each_way_of_naming_is_recognised_in_a_folder_and_in_a_zip_file(kind, packed, tmp_path):
    names = EXPORTS[kind].values()
    where = zipped(tmp_path / "class.zip", *names) if packed else put(tmp_path / "class", *names)
    assert counted(submissions_in(where, "hw1")) == EXPORTS[kind]


def test_gradescope_says_who_when_and_with_whom(tmp_path):
    said = """---
submission_7:
  :submitters:
  - :name: Ada Lovelace
    :sid: '42'
    :email: ada@school.org
  - :name: Bob Byte
    :sid: '43'
    :email: bob@school.org
  :created_at: 2026-01-02 00:00:00.000000000 Z
  :history:
  - :id: 3
    :created_at: 2025-01-02 00:00:00.000000000 Z
submission_8:
  :submitters:
  - :name: Eve
    :sid:
    :email: eve@school.org
"""
    where = tmp_path / "x.zip"
    names = ["assignment_1_export/submission_7/hw1.ipynb", "assignment_1_export/submission_8/hw1.ipynb"]
    zipped(
        where,
        *names,
        "assignment_1_export/submission_metadata.yml",
        **{"assignment_1_export/submission_metadata.yml": said},
    )
    roster = read_roster_text("sid,email\n42,ada@school.org\n44,eve@school.org")
    ada, eve = submissions_in(where, "hw1", roster).submissions
    assert (ada.student, ada.received, eve.student) == ("42", 1767312000.0, "44")
    assert ada.notes == ("handed in together with Bob Byte, who need the same mark",)


def test_nbgrader_says_when(tmp_path):
    put(tmp_path, "ada/hw1/hw1.ipynb")
    (tmp_path / "ada/hw1/timestamp.txt").write_text("2026-01-02 00:00:00.500000 UTC")
    assert submissions_in(tmp_path).submissions[0].received == 1767312000.5


def test_of_two_files_the_latest_counts_and_both_are_kept(tmp_path):
    put(tmp_path, "ada/hw1 (1).ipynb", "ada/hw1.ipynb", "ada/scratch.ipynb", "bob.ipynb")
    found = submissions_in(tmp_path, "hw1")
    assert counted(found) == {"ada": "ada/hw1.ipynb", "bob": "bob.ipynb"}
    assert [s.file for s in found.earlier] == ["hw1 (1).ipynb"]
    why = "3 files; hw1.ipynb counts, not: scratch.ipynb (not named after hw1), hw1 (1).ipynb (earlier)"
    assert found.submissions[0].notes == (why,)
    assert counted(submissions_in(tmp_path))["ada"] == "ada/scratch.ipynb", "nothing says which one is the assignment"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"ada/hw1 (1).ipynb": 10, "ada/hw1 (2).ipynb": 20}, "earlier"),
        ({"ada/hw1.ipynb": 10, "ada/hw1 (2).ipynb": 10}, "the other name fits better"),
        ({"ada/hw1 (1).ipynb": 10, "ada/hw1 (2).ipynb": 10}, "as good; the last by name counts"),
        (
            {"Lovelace_Ada_ada_7/hw1 (1).ipynb": 10, "Lovelace_Ada_ada_7/20261101120000_hw1.ipynb": 10},
            "its time is not known",
        ),
    ],
)
def test_why_another_file_counts_is_what_they_differ_in(files, why, tmp_path):
    for path, seconds in files.items():
        put(tmp_path, path, when=1_790_000_000 + seconds)
    put(tmp_path, "zoe/hw1.ipynb")
    ada, _ = submissions_in(tmp_path, "hw1").submissions
    assert ada.notes[0].endswith(f"({why})"), ada.notes


def test_a_roster_says_who_is_missing_and_who_is_not_in_it(tmp_path):
    put(tmp_path, "lovelaceada_1_2_hw1.ipynb", "eve.ipynb", "BB2.ipynb")
    (tmp_path / "roster.csv").write_bytes(
        "id;First name;Last name\nal1;Ada;Lovelace\nbb2;Bob;Byte\ncc3;Cleo;C\n".encode("utf-16")
    )
    found = submissions_in(tmp_path, "hw1", read_roster(tmp_path / "roster.csv"))
    assert [s.student for s in found.submissions] == ["al1", "bb2", "eve"]
    assert (found.missing, found.unknown) == (("cc3",), ("eve",))
    assert found.submissions[2].asides == ("not in the roster",)


def test_a_row_of_the_roster_without_an_id_is_named_and_left_out():
    roster = read_roster_text("id,name\nal1,Ada\n,Bob Byte\n‮cc3,Cleo")
    assert list(roster.rows) == ["al1", "\\u202ecc3"]
    assert roster.skipped == ("row 3 of the roster (Bob Byte) has nothing in the column 'id': left out",)


def test_two_of_one_name_are_two_students():
    roster = read_roster_text("name,mail\nAda Lovelace,a@x\nLovelace Ada,b@x")
    assert roster.fits("lovelaceada") == roster.fits("b@x") == ("Lovelace Ada",)
    assert roster.fits("Ada Lovelace") == ("Ada Lovelace",)
    roster = read_roster_text("id,name\n1,Ada Lovelace\n2,Ada Lovelace")
    assert roster.fits("Ada Lovelace") == ("1", "2")


def test_moodle_exports_of_two_with_one_name_stay_apart(tmp_path):
    names = [f"Ada Lovelace_{n}_assignsubmission_file_/hw1.ipynb" for n in (1, 2)]
    assert counted(submissions_in(put(tmp_path, *names))) == {
        "Ada Lovelace (1)": names[0],
        "Ada Lovelace (2)": names[1],
    }


@pytest.mark.parametrize("text", ["", "\n \n", "id,name\n1,Ada\n1,Bob"])
def test_a_roster_that_cannot_be_used_says_where(text):
    with pytest.raises(RosterError, match=r"empty|row [23]"):
        read_roster_text(text)


def test_names_are_compared_in_one_form_of_unicode(tmp_path):
    composed, apart = unicodedata.normalize("NFC", "Zoë"), unicodedata.normalize("NFD", "Zoë")
    found = submissions_in(put(tmp_path, f"{apart}/a.ipynb", f"{composed}/b.ipynb"))
    (counted,), (earlier,) = found.submissions, found.earlier
    assert counted.student == earlier.student == composed
    assert SPELLED in counted.notes


def test_two_files_of_one_spelling_have_no_note_about_it(tmp_path):
    _, counted = submissions_in(put(tmp_path, "ben/a.ipynb", "Zoë/a.ipynb", "Zoë/b.ipynb")).submissions
    assert counted.notes and SPELLED not in counted.notes


@pytest.mark.parametrize("name", ["../../ada/hw1.ipynb", "/ada/hw1.ipynb", "ada/../../hw1.ipynb", "..\\ada\\hw1.ipynb"])
def test_a_path_that_leaves_the_folder_is_a_row_and_is_not_read(name, tmp_path):
    found = submissions_in(zipped(tmp_path / "class.zip", "bob/hw1.ipynb", name), "hw1")
    ada, bob = found.submissions
    assert (ada.student, bob.unreadable) == ("ada", "")
    assert "leaves the folder" in ada.unreadable and ada.cells == ()


def test_links_are_rows_and_are_not_followed(tmp_path):
    secret = put(tmp_path / "elsewhere", "key.ipynb")
    put(tmp_path / "class", "bob/hw1.ipynb")
    (tmp_path / "class" / "ada").mkdir()
    (tmp_path / "class" / "ada" / "hw1.ipynb").symlink_to(secret / "key.ipynb")
    (tmp_path / "class" / "cleo").symlink_to(secret)
    (ada, bob) = submissions_in(tmp_path / "class", "hw1").submissions
    assert "a link" in ada.unreadable and bob.unreadable == ""
    link = zipfile.ZipInfo("ada/hw1.ipynb", (2026, 1, 1, 0, 0, 0))
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    (ada,) = submissions_in(zipped(tmp_path / "x.zip", link)).submissions
    assert "a link" in ada.unreadable


def test_a_zip_bomb_is_a_row_and_the_others_are_read(tmp_path, monkeypatch):
    names = ["ada/hw1.ipynb", "bob/hw1.ipynb"]
    bomb = {"ada/hw1.ipynb": b" " * (LARGEST + 1)}
    ada, bob = submissions_in(zipped(tmp_path / "class.zip", *names, **bomb)).submissions
    assert "unpacks to 64 MB" in ada.unreadable and bob.cells
    monkeypatch.setattr("minigrad.grading.archives._Budget", lambda left=TOTAL: type("B", (), {"left": 10})())
    ada, bob = submissions_in(zipped(tmp_path / "class.zip", *names)).submissions
    assert ada.cells and "unpacks to more data than is read" in bob.unreadable
    monkeypatch.setattr("minigrad.grading.archives.MEMBERS", 1)
    with pytest.raises(SubmissionsError, match="2 files; at most 1"):
        submissions_in(tmp_path / "class.zip")
    assert MEMBERS > 10_000


def test_a_damaged_or_locked_file_in_a_zip_is_a_row(tmp_path):
    path = zipped(tmp_path / "class.zip", "ada/hw1.ipynb", "bob/hw1.ipynb")
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF  # in the packed bytes of the first
    path.write_bytes(data)
    ada, bob = submissions_in(path).submissions
    assert "damaged" in ada.unreadable and bob.cells


def test_a_zip_of_a_student_is_opened(tmp_path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("work/hw1.ipynb", notebook("inside"))
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "all.zip").write_bytes(inner.getvalue())
    (tmp_path / "bob.zip").write_bytes(b"PK no")
    ada, bob = submissions_in(tmp_path, "hw1").submissions
    assert (ada.cells[0].source, ada.file) == ("inside", "all.zip: work/hw1.ipynb")
    assert (bob.student, bob.unreadable) == ("bob", "it is not a complete ZIP file")


def test_a_bad_file_in_the_zip_of_a_student_loses_no_other(tmp_path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a/hw1.ipynb", notebook("good"))
        archive.writestr("b/hw1.ipynb", "no notebook")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "all.zip").write_bytes(inner.getvalue())
    (ada,) = submissions_in(tmp_path, "hw1").submissions
    assert ada.cells[0].source == "good"
    why = "all.zip: b/hw1.ipynb (it is not a notebook: line 1 is not JSON)"
    assert ada.notes == (f"2 files; all.zip: a/hw1.ipynb counts, not: {why}",)


def test_students_without_a_notebook_are_rows(tmp_path):
    put(
        tmp_path,
        "ada/report.pdf",
        "Bob B_1_assignsubmission_file_report.pdf",
        "notes.txt",
        "__MACOSX/x.ipynb",
        ".x.ipynb",
    )
    (tmp_path / "cleo").mkdir()
    (tmp_path / "dan.ipynb").write_bytes(b"")
    found = {s.student: s.unreadable for s in submissions_in(tmp_path).submissions}
    assert found == {
        "ada": "no notebook among the files: report.pdf",
        "Bob B": "no notebook among the files: Bob B_1_assignsubmission_file_report.pdf",
        "cleo": "no notebook among the files: (empty folder)",
        "dan": "the file is empty: 0 bytes",
    }


def test_identical_bytes_are_noted_on_both(tmp_path):
    for name in ("ada", "bob", "cleo"):
        (tmp_path / f"{name}.ipynb").write_bytes(notebook("x" if name != "cleo" else "y"))
    ada, bob, cleo = submissions_in(tmp_path).submissions
    assert (ada.asides, bob.asides) == (("identical to the file of bob",), ("identical to the file of ada",))
    assert cleo.asides == ()


def test_names_that_are_no_unicode_stay_apart(tmp_path):
    for name in (b"a\xff.ipynb", b"a\xfe.ipynb"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(notebook(repr(name)))
    assert len(submissions_in(tmp_path).submissions) == 2


def test_where_there_is_nothing_it_is_said(tmp_path):
    assert submissions_in(tmp_path).submissions == ()
    with pytest.raises(SubmissionsError, match="does not exist"):
        submissions_in(tmp_path / "absent")
    (tmp_path / "x.zip").write_bytes(b"PK")
    with pytest.raises(SubmissionsError, match="neither a folder nor a complete ZIP file"):
        submissions_in(tmp_path / "x.zip")


def test_a_name_cannot_steer_the_terminal(tmp_path):
    put(tmp_path, "\x1b[2Jada/hw1.ipynb", "b\nob/hw1.ipynb", "\u202eeve.ipynb")
    assert [s.student for s in submissions_in(tmp_path, "hw1").submissions] == ["\\u202eeve", "\\x1b[2Jada", "b\\nob"]
