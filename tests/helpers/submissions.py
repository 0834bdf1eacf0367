"""Submissions for the tests of grading: a notebook with its solutions, some of its cells replaced."""

import hashlib
import json
from functools import cache
from pathlib import Path

from minigrad.classroom.notebook import read
from minigrad.grading.submitted_notebook import Cell, Submission, parse

ROOT = Path(__file__).parent.parent.parent
SOURCES = ROOT / "lessons" / "source"


def checks(lesson):
    """The file of checks of a lesson."""
    return SOURCES / f"{lesson}_checks.py"


@cache
def _cells(source):
    code = [cell for cell in read(source).cells if cell.cell_type == "code"]
    return tuple(Cell(cell.source, i + 1, cell.metadata.get("exercise")) for i, cell in enumerate(code))


def solved(lesson):
    """The cells of a lesson with its solutions."""
    (source,) = (p for p in SOURCES.glob(f"{lesson}_*.py") if p.stem not in (f"{lesson}_checks", f"{lesson}_hidden"))
    return _cells(source)


def submitted(cells, student="ada", **answers):
    """A submission of these cells, those of the exercises in `answers` replaced by these sources."""
    made = [Cell(answers.get(cell.exercise, cell.source), cell.number, cell.exercise) for cell in cells]
    digest = hashlib.sha256(repr(made).encode()).hexdigest()
    return Submission(student, f"{student}.ipynb", digest, tuple(made))


def of_cells(*cells):
    """The submission of a notebook whose cells have these types, sources and exercises, the last perhaps None."""
    notebook = [
        {"cell_type": kind, "source": source, "metadata": {"exercise": name} if name else {}}
        for kind, source, name in cells
    ]
    return parse(json.dumps({"nbformat": 4, "cells": notebook}).encode(), "ada", "hw1.ipynb")
