"""Situations of a class that arrives: names that are nearly the same, many versions, and edges of what is read."""

import contextlib
import json
import sqlite3

import pytest

from minigrad.grading.desk.desk import Desk
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.roster import read_roster_text
from minigrad.grading.submissions import submissions_in
from minigrad.grading.submitted_notebook import parse
from minigrad.runner.cell_statements import statements
from tests.helpers.read_class import fill


def notebook(source):
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def write(folder, files):
    for path, source in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(notebook(source) if source is not None else "<html>log in", encoding="utf-8")


@pytest.mark.parametrize(
    "names",
    [
        ("Strauß", "Strauss", "STRAUSS2"),  # one casefold
        ("Wei Li", "Li Wei", "Wei-Li"),  # the same words in another order
        ("Ｂｅｎ", "Ben", "Bén"),  # full width, and an accent
        ("İlker", "ilker", "Ilker"),  # dotted and dotless
    ],
)
def test_names_that_are_nearly_one_are_several_people(names, tmp_path):
    roster = read_roster_text("id,name\n" + "\n".join(f"s{n},{name}" for n, name in enumerate(names)))
    write(tmp_path, {f"{name}_{n}_assignsubmission_file/hw1.ipynb": name for n, name in enumerate(names)})
    found = submissions_in(tmp_path, "hw1", roster)
    assert {s.student: s.cells[0].source for s in found.submissions} == {f"s{n}": name for n, name in enumerate(names)}
    assert found.missing == () and found.unplaced == {}


def test_of_eleven_versions_the_newest_that_answers_counts(tmp_path):
    versions = {f"Submitted files/Ada Adams/HW/Version {n}/hw1.ipynb": f"x = {n}" for n in range(1, 10)}
    versions |= {"Submitted files/Ada Adams/HW/Version 10/hw1.ipynb": ""}
    versions |= {"Submitted files/Ada Adams/HW/Version 11/hw1.ipynb": None}
    write(tmp_path, versions)
    roster = read_roster_text("id,name\nada,Ada Adams")
    answers = lambda submission: any(cell.source for cell in submission.cells)
    (ada,) = submissions_in(tmp_path, "hw1", roster, answers=answers).submissions
    assert (ada.student, ada.cells[0].source) == ("ada", "x = 9")
    (note,) = ada.notes
    assert note.startswith("11 files; hw1.ipynb of attempt 9 counts, not: ")
    assert "of attempt 11 (it is a web page" in note and "of attempt 10 (nothing is answered in it)" in note


def test_a_login_of_one_is_not_the_name_of_another(tmp_path):
    roster = read_roster_text("login,name\nlee,Ada Park\npark,Bo Lee\nkim,Lee")
    write(tmp_path, {f"hw1-{login}/hw1.ipynb": login for login in ("lee", "park", "kim")})
    found = submissions_in(tmp_path, "hw1", roster)
    assert {s.student: s.cells[0].source for s in found.submissions} == {name: name for name in ("lee", "park", "kim")}


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("x = 17\\\n % 5\n!pip install \\\n  torch\ny = '''\n%time\n'''", {"x": 2, "y": "\n%time\n"}),
        ("%%capture out\n%time x = [n\n  % 3 for n in (4, 5)]\ny = 1", {"y": 1}),
        ("s = f\"{'%s'\n % 1}\"\n?s\nz = 7", {"z": 7}),
        ("%matplotlib inline\r\nx = (9\r\n % 4)\r\n", {"x": 1}),
    ],
)
def test_a_percent_sign_that_begins_a_line_is_no_magic_in_an_expression(source, values):
    space, (found, notes) = {}, statements(source, 1)
    for code in found:
        with contextlib.suppress(NameError):
            exec(code, space)
    assert {name: space.get(name) for name in values} == values or any("SyntaxError" in note for note in notes)


def test_a_notebook_of_strange_cells_loses_none_that_can_be_read():
    cells = [
        {"cell_type": "code", "source": ["x = 1\n", "y = 2"], "metadata": None},
        {"cell_type": "code", "source": "z = 3", "metadata": {"exercise": "no name"}},
        {"cell_type": "markdown", "source": ["text"], "metadata": {"exercise": "q1"}},
        {"cell_type": "raw", "source": "w = 1"},
        {"source": "lost = 1"},
        "a string",
    ]
    read = parse(json.dumps({"nbformat": 4, "cells": cells}).encode("utf-16"), "ada", "hw1.ipynb")
    assert [cell.source for cell in read.cells] == ["x = 1\ny = 2", "z = 3"] and read.cells[1].exercise is None
    assert "cell 3, for q1, is a text cell (markdown), and none of it is run" in read.notes
    assert sum("cell 5" in note or "cell 6" in note for note in read.notes) == 2


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    path = fill(tmp_path_factory.mktemp("course") / "course.db", 4)
    with Gradebook(path) as opened:
        for marks in (1, 2):
            opened.adjust("s001", "hw1", marks, "read", "why", who="ann")
        opened.withdraw(1, who="ann")
    return path


@pytest.mark.parametrize(
    "change",
    [
        "REPLACE INTO {table} SELECT * FROM {table}",
        "UPDATE OR REPLACE {table} SET id = id + 1",
        "INSERT OR REPLACE INTO {table} SELECT * FROM {table} WHERE id = 1",
        "INSERT INTO {table} SELECT * FROM {table} WHERE true ON CONFLICT DO UPDATE SET id = id + 100",
        "DELETE FROM {table}",
        "WITH x AS (SELECT 1) DELETE FROM {table} WHERE id IN (SELECT min(id) FROM {table})",
    ],
)
@pytest.mark.parametrize("table", ["attempts", "adjustments", "withdrawals"])
def test_what_was_recorded_stays(table, change, book):
    with contextlib.closing(sqlite3.connect(book)) as database:
        before = database.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
        assert before
        with contextlib.suppress(sqlite3.Error):
            database.execute(change.format(table=table))
        assert database.execute(f"SELECT * FROM {table} ORDER BY id").fetchall() == before


@pytest.mark.parametrize(
    "value", ["9" * 400, "-" + "9" * 30, "1e999", "0x10", "\0", "٣", "'; DROP TABLE attempts --", ""]
)
def test_no_value_of_a_form_is_an_error_of_the_desk(value, book):
    with Gradebook(book, make=False) as opened:
        desk = Desk(opened)
        for page in ("mark", "undo"):
            form = {"of": "hw1", "student": value, "exercise": value, "marks": value, "why": value, "answer": value}
            form |= {"after": value, "number": value}
            assert desk.answer("POST", page, {}, form, who="ann", secret="s").status < 500
        for page in ("class", "student", "read", "play"):
            query = {"of": "hw1", "student": value, "exercise": value, "after": value, "number": value, "sort": value}
            assert desk.answer("GET", page, query, who="ann", secret="s").status < 500
