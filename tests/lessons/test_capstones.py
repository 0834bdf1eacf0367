"""Capstones of hw16 through the judge get the marks they deserve: right ones, others with one thing changed.

Each of the four has twenty honest spellings.
"""

import re
from pathlib import Path

import pytest

from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission
from minigrad.lab.handout import lessons_folder
from tests.lessons.capstones import DRAWN, RIGHT, WRONG, source

SAMPLE = lessons_folder() / "assignments" / "hw16"
CASES = [(c, "right", 18, []) for c in RIGHT] + [(c, *row) for c, rows in WRONG.items() for row in rows]
WHY = "Because the answer fulfils an equation, and the equation has a slope of its own. " * 4


#: What a spelling of d replaces in the right engine.
PARTS = {
    "fit": r"def fit.*?(?=class Array)", "__getitem__": r"    def __getitem__.*?(?=def array)",
    "concatenate": r"def concatenate.*?(?=def gradients)", "gradients": r"def gradients.*?(?=def capstone)",
}  # fmt: skip


def spellings():
    """For each of the four: the name of a spelling, and its source."""
    text = (Path(__file__).parent / "spellings" / "hw16.txt").read_text("utf-8")
    for head, name, code in re.findall(r"^#: ([^:]*): ([^\n]*)\n(.*?)(?=^#: |\Z)", text, re.MULTILINE | re.DOTALL):
        chosen, _, part = head.partition(" ")
        if part:
            code = re.sub(PARTS[part], lambda _, code=code: code, RIGHT["d"], flags=re.DOTALL)
        yield chosen, f"{part} {name}".strip(), code


SPELLINGS = list(spellings())


def handed_in(chosen, code):
    cells = [
        "import numpy as np\nimport minigrad as mg\nimport viz",
        f'chosen = "{chosen}"',
        code,
        f"def draw():\n    return mg.backward_trace(mg.sum({DRAWN[chosen]})).to_json()",
        f'why = """{WHY}"""',
    ]
    names = ["", "", "capstone", "picture", "why"]
    return Submission(
        "ada", "ada.ipynb", "00", tuple(Cell(s, n, name) for n, (s, name) in enumerate(zip(cells, names)))
    )


def test_lesson_16_says_the_marks_of_two_of_them():
    marks = {name: given + 2 for name, given, _ in WRONG["a"]}  # with a paragraph that deserves both
    said = (lessons_folder() / "source" / "16_a_rule_is_a_claim.py").read_text("utf-8")
    assert f"largest_left_on = {marks['the largest is not taken off']}\n" in said
    assert f"upstream_left_out = {marks['no upstream gradient']}\n" in said


@pytest.fixture(scope="module")
def judge():
    with Judge(SAMPLE) as judge:
        yield judge


@pytest.mark.xdist_group("sample hw16")
@pytest.mark.parametrize("chosen, name, marks, change", CASES, ids=[f"{c}: {n}" for c, n, *_ in CASES])
def test_a_capstone_gets_the_marks_that_it_deserves(chosen, name, marks, change, judge):
    results = judge.judge(handed_in(chosen, source(chosen, change))).results
    given = {mark.exercise: mark.marks for mark in results if mark.exercise != "why"}
    assert sum(m or 0.0 for m in given.values()) == marks, results
    assert next(mark.state for mark in results if mark.exercise == "why") == "to read"


def test_there_are_twenty_spellings_of_each():
    assert all(len({code for c, _, code in SPELLINGS if c == chosen}) >= 20 for chosen in "abcd")


@pytest.mark.xdist_group("sample hw16")
@pytest.mark.parametrize("chosen, name, code", SPELLINGS, ids=[f"{c}: {n}" for c, n, _ in SPELLINGS])
def test_an_honest_spelling_gets_all_marks(chosen, name, code, judge):
    results = judge.judge(handed_in(chosen, code)).results
    assert [mark.exercise for mark in results if mark.state not in ("right", "to read")] == [], results
