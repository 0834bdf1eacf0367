"""No zero without a word: a cell of text, a blank copy, another name, another notebook."""

import json

import pytest

from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import parse
from minigrad.lab.handout import lessons_folder
from tests.helpers.submissions import of_cells

HW7 = lessons_folder() / "assignments" / "hw7"
RIGHT, BLANK = "sum_of_slopes = 1.0", "sum_of_slopes = ..."


@pytest.fixture(scope="module")
def judge():
    with Judge(HW7) as judge:
        yield judge


def report(judge, *cells):
    found = judge.judge(of_cells(*cells), only=["sum_of_slopes", "xlogx"])
    return {mark.exercise: mark.marks for mark in found.results}, " ".join(found.notes)


def test_a_blank_copy_below_does_not_replace_an_answer(judge):
    marks, notes = report(judge, ("code", RIGHT, "sum_of_slopes"), ("code", BLANK, "sum_of_slopes"))
    assert marks["sum_of_slopes"] == 1.0
    assert "sum_of_slopes is in cells 1 and 2; the blank one, 2, does not replace the answer" in notes
    marks, notes = report(judge, ("code", BLANK, "sum_of_slopes"), ("code", RIGHT, "sum_of_slopes"))
    assert marks["sum_of_slopes"] == 1.0 and "blank" not in notes
    marks, notes = report(judge, ("code", RIGHT, "sum_of_slopes"), ("code", "sum_of_slopes = 2.0", "sum_of_slopes"))
    assert marks["sum_of_slopes"] == 0.0, "another answer replaces it"


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_cell_of_text_is_named(judge, kind):
    marks, notes = report(judge, (kind, RIGHT, "sum_of_slopes"), ("markdown", "# xlogx", None))
    assert marks["sum_of_slopes"] == 0.0
    assert (
        f"cell 1, for sum_of_slopes, is a text cell ({kind}), and none of it is run" in notes and "cell 2" not in notes
    )


def test_another_name_and_another_notebook_are_named(judge):
    assert (
        "xlogx is defined nowhere; there is x_log_x" in report(judge, ("code", "def x_log_x(x): return x", "xlogx"))[1]
    )
    assert "xlogx is defined nowhere; there is xlog_x" in report(judge, ("code", "def xlog_x(x): return x", None))[1]
    assert "defined nowhere" not in report(judge, ("code", "def xlogx(x): return x", "xlogx"))[1]
    other = ("code", "what_is_returned = 'a'", "what_is_returned")
    assert "this is the notebook of hw8: its exercises are what_is_returned" in report(judge, other)[1]


def test_lines_that_lost_their_ends_are_read():
    cell = {"cell_type": "code", "source": ["x = 1", "y = 2"], "metadata": {}}
    (read,) = parse(json.dumps({"nbformat": 4, "cells": [cell]}).encode(), "ada", "x").cells
    assert read.source == "x = 1\ny = 2"


def test_a_source_that_was_cut_into_single_signs_is_put_together():
    source = "x = 1\n\ny = 'ab'"
    for signs in (list(source), [sign.strip("\n") for sign in source]):
        cell = {"cell_type": "code", "source": signs, "metadata": {}}
        submission = parse(json.dumps({"nbformat": 4, "cells": [cell]}).encode(), "ada", "hw1.ipynb")
        assert submission.cells[0].source == source
    cell["source"] = ["x", "", "y"]
    submission = parse(json.dumps({"nbformat": 4, "cells": [cell]}).encode(), "ada", "hw1.ipynb")
    assert submission.cells[0].source == "x\n\ny", "three short lines are lines"


@pytest.mark.parametrize("blank", ["...", "pass", '"what it does"', '"what it does"\n    ...'])
def test_a_function_that_does_nothing_is_blank(blank, judge):
    right = ("code", "def xlogx(x): return 1", "xlogx")
    _, notes = report(judge, right, ("code", f"def xlogx(x):\n    {blank}", "xlogx"))
    assert "xlogx is in cells 1 and 2; the blank one, 2, does not replace the answer" in notes


def test_of_two_answers_it_is_said_which_counts(judge):
    cells = [("code", f"def xlogx(x): return {n}", "xlogx") for n in (1, 2)]
    assert "xlogx is written in cells 1 and 2; the lower one counts" in report(judge, *cells)[1]
    assert "counts" not in report(judge, cells[0], cells[0])[1]


BLOCKS = ["if True:\n    {}", "try:\n    {}\nexcept ValueError:\n    pass", "for _ in [1]:\n    {}"]


@pytest.mark.parametrize("block", BLOCKS)
def test_what_is_defined_in_a_block_is_defined(block, judge):
    cell = ("code", block.format("def xlogx(x): return 1"), "xlogx")
    assert "defined nowhere" not in report(judge, cell)[1]
    inner = ("code", "def helper():\n    xlogx = 3\n    def log_x_x(x): return x", None)
    assert "there is" not in report(judge, inner)[1], "names in a function are its own"
