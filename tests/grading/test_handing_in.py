"""What a student does: submit looks at the notebook as grading will, restore brings a cell back and loses nothing."""

import hashlib
import json

import nbformat
import pytest

from minigrad import __main__ as cli
from minigrad.classroom.authoring import CHECKS, HIDDEN
from minigrad.classroom.loading import load
from minigrad.classroom.sealed_answers import to_text
from minigrad.grading.answered_cells import unanswered
from minigrad.grading.submitted_notebook import Cell
from minigrad.grading.submitting import warnings
from minigrad.lab import files

STUBS = {
    "slope_at_3": 'slope_at_3 = ...\ncheck("slope_at_3")',
    "tanh_backward": 'def tanh_backward(x, upstream):\n    raise NotImplementedError("your code goes here")',
}


def code(source, exercise=None):
    metadata = {} if exercise is None else {"exercise": exercise}
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": [], "execution_count": None}


def save(path, *cells, **also):
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **also}))


@pytest.fixture
def hw1(tmp_path, monkeypatch):
    """What a student of the example assignment has: hw1.ipynb, hw1_checks.py and hw1_sealed.json."""
    (tmp_path / "hidden.py").write_text(HIDDEN)
    (tmp_path / "checks.py").write_text(CHECKS)
    cells = [nbformat.v4.new_code_cell(source, metadata={"exercise": name}) for name, source in STUBS.items()]
    sealed = to_text(load(tmp_path / "checks.py"), [], cells)
    for file in ("hidden.py", "checks.py"):
        (tmp_path / file).unlink()
    (tmp_path / "hw1_checks.py").write_text(CHECKS)
    (tmp_path / "hw1_sealed.json").write_text(sealed)
    save(tmp_path / "hw1.ipynb", code("import math"), *(code(source, name) for name, source in STUBS.items()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cells_of(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]


def test_submit_writes_a_copy_and_a_receipt_and_lists_what_is_open(hw1, capsys):
    save(hw1 / "hw1.ipynb", code("slope_at_3 = 6.0", "slope_at_3"), code(STUBS["tanh_backward"], "tanh_backward"))
    before = (hw1 / "hw1.ipynb").read_bytes()
    assert cli.main(["submit", "hw1.ipynb"]) == 0
    assert "1 of 2 exercises are answered; not yet: tanh_backward; 0 need a look\n" in capsys.readouterr().out
    receipt = json.loads((hw1 / "hw1-receipt.json").read_text())
    assert (hw1 / "hw1-submission.ipynb").read_bytes() == before == (hw1 / "hw1.ipynb").read_bytes()
    assert receipt["sha256"] == hashlib.sha256(before).hexdigest()
    assert receipt["time"].endswith("+00:00") and receipt["not answered"] == ["tanh_backward"]


@pytest.mark.parametrize(
    ("cells", "open_"),
    [
        ([], ["slope_at_3", "tanh_backward"]),
        (["slope_at_3 = ...", "slope_at_3 = 5"], ["tanh_backward"]),
        (["slope_at_3 = 5", "slope_at_3 = ..."], ["slope_at_3", "tanh_backward"]),
        (["%%time\nslope_at_3 = 5"], ["tanh_backward"]),
        (["%%bash\nslope_at_3 = 5"], ["slope_at_3", "tanh_backward"]),
        (["tanh_backward = lambda x, upstream: 1\na, slope_at_3 = 1, 2"], []),
        (["from rules import tanh_backward", "for slope_at_3 in (1, 2): pass"], []),
        (["slope_at_3 = (", "def tanh_backward(x, upstream): return 1"], ["slope_at_3"]),
        (['slope_at_3 = check.picture("slope_at_3", view)'], ["slope_at_3", "tanh_backward"]),
        (['slope_at_3 = check.picture("slope_at_3", view)', 'slope_at_3.answer = "exp"'], ["tanh_backward"]),
    ],
)
def test_what_is_open_is_found_in_the_code(cells, open_, hw1):
    exercises = load(hw1 / "hw1_checks.py")
    assert unanswered([Cell(source, n) for n, source in enumerate(cells, 1)], exercises) == open_


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = input('x?')", "Cell 1 calls input()"),
        ("!ls -l\nx = 1", "Cell 1: '!ls -l' was left out."),
        ("files = !ls", "'files = !ls' was left out."),
        ("%%bash\nls", "the cell of %%bash was left out"),
        ("if True:\n    %pip install torch", "'%pip install torch' was left out"),
        ("x = 1\ny = (", "Cell 1, line 2: SyntaxError"),
        ("%%time\nx = 1", None),
        ("y = 5 % 3\nz = 1 != 2\nobject.input(3)", None),
    ],
)
def test_what_grading_does_otherwise_is_said(source, words):
    said = list(warnings([Cell(source, 1)]))
    assert [words in line for line in said] == [True] if words else said == []


def test_a_notebook_that_cannot_be_read_is_not_copied(hw1, capsys):
    (hw1 / "hw1.ipynb").write_text('{"cells": [')
    assert cli.main(["submit", "hw1.ipynb"]) == 1
    assert "no code cell is complete. Nothing was written." in capsys.readouterr().err
    assert not list(hw1.glob("hw1-*"))
    assert cli.main(["submit", "absent.ipynb"]) == 1
    assert "absent.ipynb: No such file" in capsys.readouterr().err


def test_of_a_damaged_notebook_the_warning_comes_first(hw1, capsys):
    save(hw1 / "hw1.ipynb", code("slope_at_3 = 6.0", "slope_at_3"), code("y = 1"))
    text = (hw1 / "hw1.ipynb").read_text()
    (hw1 / "hw1.ipynb").write_text(text[: text.index("y = 1")])
    assert cli.main(["submit", "hw1.ipynb"]) == 0
    first, second, third, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("warning: the JSON of the file is broken") and second.startswith(
        "warning: a part of the file is lost"
    )
    assert third == "1 of 2 exercises are answered; 1 needs a look: tanh_backward"


def test_without_the_files_of_the_assignment_it_is_said(tmp_path, capsys):
    save(tmp_path / "mine.ipynb", code("x = 1"))
    assert cli.main(["submit", str(tmp_path / "mine.ipynb")]) == 1
    assert "mine_checks.py is missing next to mine.ipynb" in capsys.readouterr().err


def test_restore_brings_back_the_cell_and_keeps_the_file(hw1, capsys):
    save(hw1 / "hw1.ipynb", code("slope_at_3 = 9  # mine", "slope_at_3"), code("# also mine"))
    before = (hw1 / "hw1.ipynb").read_bytes()
    assert cli.main(["restore", "hw1.ipynb", "--exercise", "slope_at_3"]) == 0
    assert cells_of(hw1 / "hw1.ipynb") == [STUBS["slope_at_3"], "# also mine"]
    assert (hw1 / "hw1-before-restore-1.ipynb").read_bytes() == before
    capsys.readouterr()
    assert cli.main(["restore", "hw1.ipynb", "--exercise", "slope_at_3"]) == 0
    assert capsys.readouterr().out == "slope_at_3: cell 1 is as it was released; nothing was written\n"
    assert not (hw1 / "hw1-before-restore-2.ipynb").exists()
    text = {"cell_type": "markdown", "metadata": {"exercise": "slope_at_3"}, "source": STUBS["slope_at_3"]}
    save(hw1 / "hw1.ipynb", text)
    second = (hw1 / "hw1.ipynb").read_bytes()
    assert cli.main(["restore", "hw1.ipynb", "--exercise", "slope_at_3"]) == 0
    assert json.loads((hw1 / "hw1.ipynb").read_text())["cells"][0]["cell_type"] == "code"
    assert (hw1 / "hw1-before-restore-1.ipynb").read_bytes() == before
    assert (hw1 / "hw1-before-restore-2.ipynb").read_bytes() == second


def test_a_deleted_cell_comes_back_where_it_stood(hw1):
    save(hw1 / "hw1.ipynb", code("import math"), code("slope_at_3 = 6.0", "slope_at_3"), code("check()"))
    cli.main(["restore", "hw1.ipynb", "--exercise", "tanh_backward"])
    assert cells_of(hw1 / "hw1.ipynb")[1:3] == ["slope_at_3 = 6.0", STUBS["tanh_backward"]]
    restored = json.loads((hw1 / "hw1.ipynb").read_text())["cells"][2]
    assert (restored["metadata"], restored["id"]) == ({"exercise": "tanh_backward"}, "tanh-backward")


def test_of_copies_of_a_cell_one_is_restored_and_the_others_stay(hw1, capsys):
    save(hw1 / "hw1.ipynb", *(code(f"slope_at_3 = {n}", "slope_at_3") for n in range(3)))
    cli.main(["restore", "hw1.ipynb", "--exercise", "slope_at_3"])
    assert cells_of(hw1 / "hw1.ipynb") == [STUBS["slope_at_3"], "slope_at_3 = 1", "slope_at_3 = 2"]
    assert "slope_at_3: cell 1 is as it was released; also for it, and left as is: cell 2, 3" in capsys.readouterr().out


def test_restore_from_a_lesson_and_from_a_named_notebook(hw1, capsys):
    save(hw1 / "06_where_nans_come_from.ipynb", code("breaks_at = 3", "breaks_at"))
    assert cli.main(["restore", "06_where_nans_come_from.ipynb", "--exercise", "breaks_at"]) == 0
    assert cells_of(hw1 / "06_where_nans_come_from.ipynb") == ['breaks_at = ...\ncheck("breaks_at")']
    save(hw1 / "received.ipynb", code("f = ...", "f"))
    save(hw1 / "other.ipynb", code("f = 3", "f"))
    assert cli.main(["restore", "other.ipynb", "--exercise", "f", "--from", "received.ipynb"]) == 0
    assert cells_of(hw1 / "other.ipynb") == ["f = ..."]


def test_what_cannot_be_restored_changes_nothing(hw1, capsys, monkeypatch):
    before = (hw1 / "hw1.ipynb").read_bytes()
    assert cli.main(["restore", "hw1.ipynb", "--exercise", "q9"]) == 1
    assert "no exercise 'q9'; there are slope_at_3, tanh_backward" in capsys.readouterr().err
    assert cli.main(["restore", ".", "--exercise", "slope_at_3"]) == 1
    assert capsys.readouterr().err == "minigrad: .: it is not an ordinary file\n"
    (hw1 / "hw1 (1).ipynb").write_text("<<<<<<< HEAD")
    assert cli.main(["restore", "hw1 (1).ipynb", "--exercise", "slope_at_3"]) == 1
    assert "cannot be changed: it is not a notebook" in capsys.readouterr().err

    def full(number):
        raise OSError(28, "No space left on device")

    save(hw1 / "hw1.ipynb", code("slope_at_3 = 9", "slope_at_3"))
    before = (hw1 / "hw1.ipynb").read_bytes()
    monkeypatch.setattr(files.os, "fsync", full)
    assert cli.main(["restore", "hw1.ipynb", "--exercise", "slope_at_3"]) == 1
    assert "No space left on device. Your file is as it was." in capsys.readouterr().err
    assert cli.main(["submit", "hw1.ipynb"]) == 1
    assert "was not written: No space left on device" in capsys.readouterr().err
    assert (hw1 / "hw1.ipynb").read_bytes() == before
    assert not list(hw1.glob(".*")) and not list(hw1.glob("hw1-*"))
