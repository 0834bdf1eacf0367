"""A class of sixty, as Moodle, Canvas and Brightspace export it, has the same marks, and grade asks about nobody."""

import io
import json
import os
import time
import zipfile

import pytest

from minigrad import __main__ as cli
from minigrad.classroom.authoring import new
from minigrad.grading.gradebook import Gradebook

FIRST = ["Ada", "José", "Mary-Ann", "Seán", "李", "Zoë", "Nur", "Ben", "Łukasz", "Ana María"]
LAST = ["Adams", "O'Brien", "van der Berg", "Ñúñez", "Lee", "Park-Kim"]
RIGHT = "import math\ndef tanh_backward(x, upstream):\n    return upstream / math.cosh(x) ** 2 if abs(x) < 300 else 0.0"
ANSWERS = [
    (RIGHT, "slope_at_3 = 6.0", 4.0),
    (RIGHT, "slope_at_3 = ...", 3.0),
    ("def tanh_backward(x, upstream):\n    return upstream", "slope_at_3 = 6.0", 1.0),
    ("def tanh_backward(x, upstream): return 1 / 0", "slope_at_3 = 5.0", 0.0),
    ("def tanh_backward(x, upstream):\n    ...", "slope_at_3 = ...", 0.0),
]
STUDENTS = [(first, last) for last in LAST for first in FIRST]


def notebook(n):
    answer, slope, _ = ANSWERS[n % len(ANSWERS)]
    cells = [{"cell_type": "code", "source": s, "metadata": {}, "outputs": []} for s in (f"# no. {n}", slope, answer)]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def moodle(n, first, last):
    return f"{first} {last}_{1000 + n}_assignsubmission_file/hw1.ipynb"


def canvas(n, first, last):
    plain = "".join(filter(str.isalnum, f"{last}{first}".lower()))
    return f"{plain}_{'LATE_' * (n % 7 == 3)}{500 + n}_{9000 + n}_hw1{'-1' * (n % 5 == 0)}.ipynb"


def brightspace(n, first, last):
    return f"{93000 + n}-201155 - {first} {last} - Nov 20, 2026 {1 + n % 12}{n:02} PM/hw1.ipynb"


def csv(head, line):
    return "\n".join([head, *(line.format(n=n, first=f, last=ln) for n, (f, ln) in enumerate(STUDENTS))])


#: By platform: the path of a file, the roster that it exports, and what else lies in the ZIP file.
PLATFORMS = {
    "Moodle": (
        moodle,
        "Identifier,Full name,Email address,Status,Grade\n"
        + csv("", 'Participant 1{n:03},"{first} {last}",s{n:02}@x.org,Submitted for grading,').lstrip("\n"),
        {},
    ),
    "Canvas": (
        canvas,
        csv(
            "Student,ID,SIS User ID,SIS Login ID,Section,hw1 (77)\nPoints Possible,,,,,3",
            '"{last}, {first}",5{n:02},0{n:03},s{n:02},A,',
        ),
        {},
    ),
    "Brightspace": (
        brightspace,
        csv(
            "OrgDefinedId,Username,Last Name,First Name,End-of-Line Indicator",
            '#0{n:03},s{n:02},"{last}","{first}",#',
        ),
        {"index.html": "<html>"},
    ),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """By platform, the exit code of the first run, what it printed, and the marks by name."""
    folder, runs = tmp_path_factory.mktemp("course"), {}
    new(folder / "hw1")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, (path, roster, beside) in PLATFORMS.items():
            with zipfile.ZipFile(f"{name}.zip", "w") as archive:
                when = time.localtime(1.76e9)[:6]
                for n, (first, last) in enumerate(STUDENTS):
                    at = (*when[:4], n, 0) if name == "Moodle" else when
                    archive.writestr(zipfile.ZipInfo(path(n, first, last), at), notebook(n))
                for file, content in beside.items():
                    archive.writestr(file, content)
            (folder / f"{name}.csv").write_text(roster, encoding="utf-8-sig")
            printed = io.StringIO()
            with pytest.MonkeyPatch.context() as out:
                out.setattr("sys.stdout", printed)
                arguments = ["--roster", f"{name}.csv", "--gradebook", f"{name}.db", "-j", str(os.cpu_count() or 1)]
                code = cli.main(["grade", "hw1", f"{name}.zip", *arguments])
            with Gradebook(f"{name}.db", make=False, write=False) as book:
                marks = {frozenset((g.name or g.student).replace(",", "").split()): g.marks for g in book.grades("hw1")}
            runs[name] = code, printed.getvalue(), marks
    return runs


@pytest.mark.slow
@pytest.mark.xdist_group("class of sixty")
@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_first_run_needs_no_answer_and_everybody_has_the_marks_of_the_notebook(platform, graded):
    code, printed, marks = graded[platform]
    assert f"60 files in the form of {platform}, 60 students of 60." in printed
    assert code == 0 and "Who is it?" not in printed and "Missing" not in printed
    assert marks == {
        frozenset(f"{first} {last}".split()): ANSWERS[n % len(ANSWERS)][2] for n, (first, last) in enumerate(STUDENTS)
    }
