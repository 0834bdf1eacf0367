"""`minigrad submit` says what a grader will see of an answer, that is, what is left when all cells have run."""

import json
import shutil

import pytest

from minigrad.__main__ import main
from minigrad.grading.assignment import handed_out
from minigrad.grading.foreseen import foreseen
from minigrad.grading.submitted_notebook import parse
from minigrad.lab.handout import lessons_folder

RIGHT = {
    "sum_of_slopes": "sum_of_slopes = 1.0",
    "xlogx": "import minigrad as mg\n@mg.custom_gradient\ndef xlogx(x):\n    log = mg.log(mg.where(x > 0, x, 1.0))\n"
    "    return x * log, lambda upstream: mg.where(x > 0, upstream * (log + 1), 0.0)",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    for name in ("checks.py", "sealed.json"):
        shutil.copy(lessons_folder() / "assignments" / "hw7" / name, folder / f"hw7_{name}")
    return folder


def lines(folder, *below, **answers):
    cells = [
        {"cell_type": "code", "source": source, "metadata": {"exercise": name}}
        for name, source in {**RIGHT, **answers}.items()
    ]
    cells += [{"cell_type": "code", "source": source, "metadata": {}} for source in below]
    data = json.dumps({"nbformat": 4, "cells": cells}).encode()
    (folder / "hw7.ipynb").write_bytes(data)
    return foreseen(parse(data, "ada", "hw7.ipynb"), handed_out(folder / "hw7.ipynb")).lines


def test_right_answers_are_counted(folder):
    assert lines(folder) == ["right by the checks that you have, when all cells have run: 2 of 2"]
    assert lines(folder, sum_of_slopes="sum_of_slopes = ...") == [
        "right by the checks that you have, when all cells have run: 1 of 1"
    ]


@pytest.mark.always
@pytest.mark.parametrize(
    ("below", "name", "says"),
    [
        ("for sum_of_slopes in range(3): pass", "sum_of_slopes", "right in cell 1, but wrong at the end"),
        ("xlogx = xlogx(mg.constant(2.0))", "xlogx", "right in cell 2, but wrong at the end"),
        ("del xlogx", "xlogx", "right in cell 2, but gone at the end of the notebook"),
        ("del mg", "xlogx", "right in cell 2, but wrong at the end"),
    ],
)
def test_what_a_later_cell_takes_away_is_named(folder, below, name, says):
    first, sentence = lines(folder, below)
    assert first == f"right by the checks that you have, when all cells have run: 1 of {2 - (below == 'del xlogx')}"
    assert sentence.startswith(f"{name}: {says}, because of a cell below.")


def test_an_answer_that_was_never_right_is_not_blamed_on_a_later_cell(folder):
    _, sentence = lines(folder, "x = 1", sum_of_slopes="sum_of_slopes = 0.0")
    assert sentence.startswith("sum_of_slopes: ") and "cell" not in sentence


def test_the_command_counts_it_first(folder, capsys):
    lines(folder, "del xlogx")
    assert main(["submit", str(folder / "hw7.ipynb")]) == 0
    first, right, look, *_ = capsys.readouterr().out.splitlines()
    assert first == "1 of 4 exercises are answered; not yet: entropy_at_0, log_of_sum; 1 needs a look: xlogx"
    assert right == "note: right by the checks that you have, when all cells have run: 1 of 1"
    assert look.startswith("note: xlogx: right in cell 2, but gone at the end of the notebook")


def test_a_module_beside_the_notebook_is_read_and_has_to_be_handed_in_too(folder, tmp_path, capsys):
    for file in folder.glob("hw7_*"):
        shutil.copy(file, tmp_path)
    cells = [
        {"cell_type": "code", "source": "from utils import xlogx\n%run more.py", "metadata": {"exercise": "xlogx"}}
    ]
    (tmp_path / "hw7.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    (tmp_path / "utils.py").write_text(RIGHT["xlogx"])
    (tmp_path / "more.py").write_text(RIGHT["sum_of_slopes"])
    assert main(["submit", str(tmp_path / "hw7.ipynb")]) == 0
    printed = capsys.readouterr().out
    assert (
        "note: hand in utils.py too" in printed and "note: hand in more.py too" in printed and "left out" not in printed
    )
    assert "right by the checks that you have, when all cells have run: 2 of 2" in printed
    (tmp_path / "utils.py").unlink()
    assert main(["submit", str(tmp_path / "hw7.ipynb")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("1 of 4 exercises are answered;") and "; 1 needs a look: xlogx\n" in printed
    assert "note: xlogx: Nothing is defined: Cell 1, line 1: ModuleNotFoundError: No module named 'utils'" in printed


def test_an_answer_under_another_name_is_named_and_a_blank_copy_below_takes_nothing(folder):
    misnamed = RIGHT["xlogx"].replace("def xlogx", "def xLogX")
    assert "xlogx is defined nowhere; there is xLogX" in lines(folder, xlogx=misnamed)
    blank = {"cell_type": "code", "source": "sum_of_slopes = ...", "metadata": {"exercise": "sum_of_slopes"}}
    cells = [{"cell_type": "code", "source": RIGHT["sum_of_slopes"], "metadata": blank["metadata"]}, blank]
    data = json.dumps({"nbformat": 4, "cells": cells}).encode()
    (folder / "hw7.ipynb").write_bytes(data)
    said = foreseen(parse(data, "ada", "hw7.ipynb"), handed_out(folder / "hw7.ipynb"))
    blank = "sum_of_slopes is in cells 1 and 2; the blank one, 2, does not replace the answer"
    assert said.lines == ["right by the checks that you have, when all cells have run: 1 of 1", blank]
    rest = "not yet: entropy_at_0, xlogx, log_of_sum"
    assert said.headline == f"1 of 4 exercises are answered; {rest}; 1 needs a look: sum_of_slopes"
