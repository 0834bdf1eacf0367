"""A notebook is read whatever has happened to its file; what cannot be read is kept with the reason."""

import hashlib
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.grading.submitted_notebook import CELLS as MOST_CELLS
from minigrad.grading.submitted_notebook import CODE, LARGEST, Cell, parse, read


def code(source, **metadata):
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": [], "execution_count": None}


def notebook(*cells, **also):
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **also}
    return json.dumps(whole, indent=1, ensure_ascii=False)


TWO = notebook(code(["x = 1\n", "y = 2"], exercise="q1"), {"cell_type": "markdown", "source": "é"}, code("z = 'é'"))
CELLS = (Cell("x = 1\ny = 2", 1, "q1"), Cell("z = 'é'", 3))


def parsed(data):
    return parse(data if isinstance(data, bytes) else data.encode(), "ada", "hw1.ipynb")


def test_cells_stand_as_they_were_written_with_their_place_and_exercise(tmp_path):
    path = tmp_path / "ada lovelace.ipynb"
    path.write_text(TWO, encoding="utf-8")
    found = read(path)
    assert (found.student, found.file) == ("ada lovelace", "ada lovelace.ipynb")
    assert (found.cells, found.notes, found.unreadable, found.broken) == (CELLS, (), "", False)
    assert found.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.received == path.stat().st_mtime


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (TWO.encode("utf-8-sig"), None),
        (TWO.encode("utf-16"), "UTF-16"),
        (TWO.encode("utf-16-le"), "UTF-16"),
        (TWO.encode("utf-16-be"), "UTF-16"),
        (TWO.encode("utf-32"), "UTF-32"),
        (TWO.encode("latin-1"), "Latin-1"),
        (TWO.replace("x = 1", "x =\0 1").encode(), "1 NUL"),
        (TWO.replace('"nbformat": 4', '"nbformat": 9'), "nbformat 9"),
        (TWO.replace('"nbformat": 4', '"nbformat": 5'), "nbformat 5"),
        (TWO.replace('"nbformat": 4', '"nbformat": "four"'), "no version"),
        (TWO.replace('"nbformat": 4', f'"nbformat": {"9" * 5000}'), "nbformat inf"),
        (TWO.replace("\n", "\r\n").replace("\\r", ""), None),
        (
            TWO.replace('"metadata": {},\n "nbformat"', '"metadata": {"kernelspec": {"language": "R"}},\n "nbformat"'),
            "language R",
        ),
    ],
)
def test_what_an_editor_may_do_to_a_file_changes_no_cell(data, note):
    found = parsed(data)
    assert (found.cells, found.unreadable) == (CELLS, "")
    assert len(found.notes) == (note is not None) and (note or "") in "".join(found.notes)


def test_worksheets_of_nbformat_3_are_read():
    cell = {"cell_type": "code", "input": ["x = 1\n", "y = 2"], "metadata": {}, "outputs": []}
    found = parsed(json.dumps({"nbformat": 3, "worksheets": [{"cells": [cell]}, {"cells": [code("z")]}]}))
    assert [c.source for c in found.cells] == ["x = 1\ny = 2", "z"]
    assert found.notes == ("the notebook is written in nbformat 3",)


@given(st.integers(0, len(TWO)))
def test_a_file_that_breaks_off_keeps_the_cells_that_are_whole(length):
    found = parsed(TWO[:length])
    assert found.cells in ((), CELLS[:1], CELLS)
    assert bool(found.unreadable) == (not found.cells)
    assert found.cells or "line" in found.unreadable or "empty" in found.unreadable
    first, last = TWO.index("\n  },"), TWO.rindex("\n  }")
    assert (length > first + 3) == bool(found.cells) and (length > last + 3) == (found.cells == CELLS)


def test_a_broken_cell_loses_itself_only():
    found = parsed(TWO.replace('"x = 1\\n",', '"x = 1\\n"'))
    assert [c.source for c in found.cells] == ["z = 'é'"] and found.broken
    line = TWO[: TWO.index('"y = 2')].count("\n") + 1
    assert f"broken at line {line}; cells that are whole and were read: 2" in found.notes[0]


MERGE = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n"


def test_an_unresolved_merge_of_outputs_is_read_and_one_of_code_is_not():
    counts = TWO.replace(
        '   "execution_count": null\n', MERGE.format('"execution_count": 1', '"execution_count": 2'), 1
    )
    found = parsed(counts)
    assert [c.source for c in found.cells] == [c.source for c in CELLS]
    assert "a merge left its conflict marks in lines" in found.notes[0]
    sources = TWO.replace('    "x = 1\\n",\n', MERGE.format('"x = 1\\n",', '"x = 7\\n",'))
    line = TWO[: TWO.index('"x = 1')].count("\n") + 1
    assert parsed(sources).cells == ()
    assert f"lines {line}, {line + 2}, {line + 4}, and the two versions differ" in parsed(sources).unreadable


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty: 0 bytes"),
        (b" \n ", "3 bytes of white space"),
        (b"\0\0\0\0", "empty: 4 bytes"),
        (b"hello", "not a notebook: line 1 is not JSON"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"%PDF-1.4 ...", "a PDF"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"[1, 2]", "JSON, but not a notebook"),
        (b'{"cells": 3}', "no list of cells"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"cells": [{"cell_type": "co', "no code cell is complete"),
    ],
)
def test_what_is_no_notebook_is_kept_with_the_reason(data, why):
    found = parsed(data)
    assert why in found.unreadable and found.cells == ()
    assert found.digest == hashlib.sha256(data).hexdigest()


def test_images_are_not_taken_along_and_sizes_have_limits(tmp_path):
    cell = code("x = 1")
    cell["outputs"] = [{"output_type": "display_data", "data": {"image/png": "A" * 20_000_000}}]
    assert parsed(notebook(cell)).cells == (Cell("x = 1", 1),)
    assert f"more than {CODE:,} characters" in parsed(notebook(code("#" * (CODE + 1)))).unreadable
    assert f"{MOST_CELLS:,} cells, of code" in parsed(notebook(*[code("x = 1")] * (MOST_CELLS + 1))).unreadable
    text = {"cell_type": "markdown", "source": ""}
    assert len(parsed(notebook(*[text] * MOST_CELLS, cell)).cells) == 1
    large = tmp_path / "large.ipynb"
    with open(large, "wb") as file:
        file.truncate(LARGEST + 1)
    assert "64 MB" in read(large).unreadable


def test_links_devices_and_absent_files_are_not_opened(tmp_path):
    (tmp_path / "secret").write_text(TWO)
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe.ipynb")
    assert "a link" in read(tmp_path / "link.ipynb").unreadable
    assert "not an ordinary file" in read(tmp_path / "pipe.ipynb").unreadable
    assert "not an ordinary file" in read(tmp_path).unreadable
    assert read(tmp_path / "absent.ipynb").unreadable == "No such file or directory"


def test_odd_cells_are_named_and_the_others_read():
    cells = [
        5,
        {"source": "x"},
        {"cell_type": "code", "source": 3},
        {"cell_type": "code"},
        code("a\ud800", exercise=[1]),
    ]
    found = parsed(json.dumps({"nbformat": 4, "cells": cells}))
    assert found.cells == (Cell("", 4), Cell("a\\ud800", 5))
    assert [note.split(" ")[1] for note in found.notes] == ["1", "2", "3"]


@given(st.binary(max_size=300))
def test_any_bytes_give_a_submission(data):
    found = parsed(data)
    assert found.unreadable or found.cells == ()
    json.dumps([*found.notes, found.unreadable]).encode("utf-8")
