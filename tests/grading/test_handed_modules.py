"""Modules next to a notebook are read like the notebook: imported, written by a cell, or run."""

import io
import json
import zipfile

import pytest

from minigrad.__main__ import main
from minigrad.classroom.authoring import new
from minigrad.grading.handed_modules import with_modules
from minigrad.grading.judge import Judge
from minigrad.grading.submissions import submissions_in
from minigrad.grading.submitted_notebook import Cell, Submission

BACKWARD = (
    "import math\ndef tanh_backward(x, upstream):\n    return upstream / math.cosh(x) ** 2 if abs(x) < 300 else 0.0\n"
)
SLOPE = "slope_at_3 = 6.0"


def notebook(*sources):
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    new(folder)
    with Judge(folder) as judge:
        yield judge


def marks(judge, files, where):
    """The marks of one student who handed in these files, by name."""
    for name, content in files.items():
        (where / "ada" / name).parent.mkdir(parents=True, exist_ok=True)
        (where / "ada" / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (ada,) = submissions_in(where, "hw1").submissions
    report = judge.judge(ada)
    return {m.exercise: m.state for m in report.results}, ada, report


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


BESIDE = {
    "imported": {"hw1.ipynb": notebook(SLOPE, "from utils import tanh_backward"), "utils.py": BACKWARD},
    "as a name": {
        "hw1.ipynb": notebook(SLOPE, "import utils as u\ntanh_backward = u.tanh_backward"), "lib/utils.py": BACKWARD
    },
    "one imports another": {
        "hw1.ipynb": notebook(SLOPE, "from utils import *"), "utils.py": "from more import *", "more.py": BACKWARD
    },
    "run": {"hw1.ipynb": notebook(SLOPE, "%matplotlib inline\n%run utils.py"), "utils.py": BACKWARD},
    "run in a block": {"hw1.ipynb": notebook(SLOPE, "if True:\n    %run -i ./utils.py"), "utils.py": BACKWARD},
    "written by a cell": {
        "hw1.ipynb": notebook(SLOPE, f"%%writefile utils.py\n{BACKWARD}", "from utils import tanh_backward")
    },
    "in a ZIP file": {
        "hw1.zip": zipped({"a/hw1.ipynb": notebook(SLOPE, "from utils import *"), "a/utils.py": BACKWARD})
    },
    "with a count": {"hw1.ipynb": notebook(SLOPE, "from utils import *"), "utils-1.py": BACKWARD},
    "latin-1": {"hw1.ipynb": notebook(SLOPE, "from utils import *"), "utils.py": f"# é\n{BACKWARD}".encode("latin-1")},
}  # fmt: skip


@pytest.mark.parametrize("way", BESIDE)
def test_what_a_module_defines_is_graded(way, judge, tmp_path):
    states, _, report = marks(judge, BESIDE[way], tmp_path)
    assert states == {"slope_at_3": "right", "tanh_backward": "right"}, report.notes
    assert not any("left out" in note or "not read" in note for note in report.notes if "matplotlib" not in note)
    beside = [note for note in report.notes if note.startswith("also read, as modules: ")]
    assert len(beside) == (way != "written by a cell") and all("utils.py" in note for note in beside)
    assert all("_modules_of" not in mark.code for mark in report.results)


def test_a_module_that_fails_or_is_not_there_costs_only_what_needs_it(judge, tmp_path):
    states, _, report = marks(
        judge, {"hw1.ipynb": notebook(SLOPE, "from utils import tanh_backward"), "utils.py": "1 / 0"}, tmp_path / "a"
    )
    assert states == {"slope_at_3": "right", "tanh_backward": "unanswered"}
    assert "Cell 2, line 1: ZeroDivisionError: division by zero" in report.notes
    states, _, report = marks(judge, {"hw1.ipynb": notebook(SLOPE, "from utils import *")}, tmp_path / "b")
    assert states["slope_at_3"] == "right" and any("No module named 'utils'" in note for note in report.notes)


@pytest.mark.parametrize("name", ["numpy", "math", "torch", "autograd", "jax"])
def test_a_module_does_not_stand_for_an_installed_or_a_closed_one(name, judge, tmp_path):
    files = {"hw1.ipynb": notebook(f"import {name}\nslope_at_3 = {name}.SIX"), f"{name}.py": "SIX = 6.0"}
    assert marks(judge, files, tmp_path)[0]["slope_at_3"] == "unanswered"


def test_another_module_is_another_hand_in(judge, tmp_path):
    files = {"hw1.ipynb": notebook(SLOPE, "from utils import *"), "utils.py": BACKWARD}
    first = marks(judge, files, tmp_path / "a")[1]
    second = marks(judge, {**files, "utils.py": "tanh_backward = len"}, tmp_path / "b")[1]
    assert first.digest != second.digest
    plain = marks(judge, {"hw1.ipynb": files["hw1.ipynb"]}, tmp_path / "c")[1]
    assert plain.cells[0].number == 1 and plain.digest not in (first.digest, second.digest)


def test_what_students_receive_is_no_module_of_theirs():
    ada = Submission("ada", "x", "00", (Cell("x = 1", 1),))
    assert with_modules(ada, {"notes.txt": b"x", "my file.py": b"x"}) is ada
    assert with_modules(ada, {"big.py": b"#" * 3_000_000}) is ada


def test_one_folder_is_graded_with_its_modules_and_one_file_without(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    new(tmp_path / "hw1")
    (tmp_path / "ada").mkdir()
    for name, text in BESIDE["imported"].items():
        (tmp_path / "ada" / name).write_text(text, "utf-8")
    states = {}
    for where in ("ada", "ada/hw1.ipynb"):
        assert main(["grade", "hw1", "--one", where, "--json"]) == 0
        states[where] = {m["exercise"]: m["state"] for m in json.loads(capsys.readouterr().out)["results"]}
    assert states["ada"]["tanh_backward"] == "right"
    assert states["ada/hw1.ipynb"]["tanh_backward"] == "unanswered"  # utils.py may be somebody else's
