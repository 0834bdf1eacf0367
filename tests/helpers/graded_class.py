"""A small class, of honest, wrong, harmful and broken submissions, and what a gradebook says about it."""

import json

from minigrad.classroom.authoring import new
from minigrad.grading.submissions import submissions_in

RIGHT = "import math\ndef tanh_backward(x, upstream):\n    return upstream * (1 - math.tanh(x) ** 2)"
#: By student, the cells of a notebook, or the whole text of a file.
CLASS = {
    "right": ["slope_at_3 = 6", RIGHT],
    "another way": [
        "slope_at_3 = 2 * 3.0",
        RIGHT.replace("(1 - math.tanh(x) ** 2)", "math.cosh(min(abs(x), 300)) ** -2"),
    ],
    "a wrong number": ["slope_at_3 = 9", RIGHT],
    "no upstream": ["slope_at_3 = 6", RIGHT.replace("upstream * ", "")],
    "a flipped sign": ["slope_at_3 = 6", RIGHT.replace("return ", "return -")],
    "never ends": ["slope_at_3 = 6", "def tanh_backward(x, upstream):\n    while True: pass"],
    "ends the process": ["import os\nos._exit(0)", "slope_at_3 = 6", RIGHT],
    "raises": ["slope_at_3 = 6", "def tanh_backward(x, upstream): return 1 / 0"],
    "nothing": [],
    "right by a table": ["slope_at_3 = 6", "def tanh_backward(x, upstream): return {0.0: 1.0}.get(x, 0.0) * upstream"],
    "no notebook": "this is not a notebook",
    "cut off": '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "slope_at_3 = 6", "metadata": {}}, {"cell',
}


def class_in(folder):
    """Write the assignment hw1 and the class's submissions into a folder; return both: the path, and what arrived."""
    new(folder / "hw1")
    (folder / "all").mkdir()
    for student, cells in CLASS.items():
        text = cells
        if isinstance(cells, list):
            made = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
            text = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})
        (folder / "all" / f"{student}.ipynb").write_text(text)
    return folder / "hw1", submissions_in(folder / "all", "hw1")


def contents(book):
    """Everything that a gradebook holds about hw1, except the times of judging: grades in words, and full reports."""
    grades = [(g.student, g.status, g.marks, g.by_exercise, g.words) for g in book.grades("hw1")]
    reports = [{**json.loads(report.to_json()), "started": 0, "seconds": 0} for report, _ in book.attempts("hw1")]
    return grades, sorted(reports, key=lambda report: report["student"])
