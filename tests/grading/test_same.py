"""The same submission gets the same report, whatever was graded before: data kept for a class change nothing."""

import contextlib
import json
from pathlib import Path

import pytest

from minigrad.classroom.loading import load
from minigrad.classroom.notebook import read
from minigrad.grading.assignment import Assignment
from minigrad.grading.judge_exercise import RightGraphs
from minigrad.grading.worker import Worker
from minigrad.runner.budgets import Limits
from tests.hostile.assignment import CHECKS, HIDDEN, Q1, Q2, Q3, SETUP, SOURCE

ASSIGNMENTS = Path(__file__).parents[2] / "lessons" / "assignments"
OTHER_Q3 = Q3.replace("upstream / (2 * safe)", "0.5 * upstream / safe")


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    for name, text in (("checks.py", CHECKS), ("hidden.py", HIDDEN), ("hw1.py", SOURCE)):
        (folder / name).write_text(text, encoding="utf-8")
    worker = Worker(Assignment(folder), Limits(), ("limits",))
    yield worker
    worker.close()


def reported(worker, q1=Q1, q2=Q2, q3=Q3, student="ada"):
    """Everything that a worker reports about a submission, as text."""
    cells = [{"source": source, "number": i, "exercise": None} for i, source in enumerate((SETUP, q1, q2, q3), 1)]
    said = []
    worker.judge({"student": student, "seed": 0, "cells": cells, "done": []}, lambda **told: said.append(told))
    return json.dumps(said, default=vars)


def judged(worker, q1=Q1, q2=Q2, q3=Q3, student="ada"):
    """The marks, and words, of a submission."""
    sources = (SETUP, q1, q2, q3)
    cells = [{"source": source, "number": i, "exercise": None} for i, source in enumerate(sources, 1)]
    said = []
    worker.judge({"student": student, "seed": 0, "cells": cells, "done": []}, lambda **told: said.append(told))
    marks = [told["mark"] for told in said if "mark" in told]
    return [mark["marks"] for mark in marks], [mark["words"] for mark in marks]


def test_a_wrong_answer_after_right_ones_is_wrong(worker):
    wrong = Q3.replace("mg.where(x > 0, upstream / (2 * safe), 0.0)", "mg.where(x > 0, upstream / safe, 0.0)")
    assert judged(worker)[0] == judged(worker, q3=OTHER_Q3)[0] == [2, 3, 5]
    assert judged(worker, q3=wrong)[0] == [2, 3, 0]
    assert judged(worker, q3=wrong) == judged(worker, q3=wrong), "and is told as before"
    assert judged(worker, q3=Q3.replace("y = mg.sqrt(x)", "y = mg.cbrt(x)"))[0] == [2, 3, 0]


def test_the_report_has_the_same_bytes_whatever_was_graded_before(worker):
    """A right graph that was seen before, a wrong one, and none at all: the words of the next are the same."""
    scaled = Q3.replace("upstream / (2 * safe)", "upstream / safe")
    others = [{}, {"q3": OTHER_Q3}, {"q3": scaled}, {"q1": Q1.replace("upstream *", "")}, {"q2": "mean_square = None"}]
    for answers in ({}, {"q3": scaled, "q1": Q1.replace("- ", "+ ")}):
        for other in others:
            reported(worker, student="bob", **other)
        with contextlib.closing(Worker(worker.assignment, Limits(), ("limits",))) as fresh:
            assert reported(worker, **answers) == reported(fresh, **answers)


STATEFUL = "calls = []\ndef mean_square(numbers):\n    calls.append(numbers)\n    {}"
RIGHT = "sum(n * n for n in numbers) / len(numbers)"


@pytest.mark.parametrize(
    "q2, marks",
    [
        (STATEFUL.format(f"return {RIGHT}"), 3),
        (STATEFUL.format(f"return {RIGHT} if len(calls) > 1 else None"), 0),
        (STATEFUL.format(f"return {RIGHT} if len(calls) < 4 else 0.0"), 0),
        (STATEFUL.format(f"return {RIGHT} if calls.count(numbers) < 2 else 0.0"), 0),
        pytest.param(
            "import time\n" + STATEFUL.format(f"time.sleep(0.1)\n    return {RIGHT}"), 3, marks=pytest.mark.slow
        ),
        ("import sys\n" + STATEFUL.format(f"print(len(calls))\n    return {RIGHT}"), 3),
    ],
    ids=["right", "wrong at first", "wrong from the fourth on", "wrong when called again", "slow", "prints"],
)
def test_answers_that_depend_on_earlier_calls(worker, q2, marks):
    assert judged(worker, q2=q2)[0] == [2, marks, 5]


def test_an_input_that_is_changed_is_seen(worker):
    marks, words = judged(
        worker, q2=f"def mean_square(numbers):\n    result = {RIGHT}\n    numbers[0] = 7.0\n    return result"
    )
    assert marks == [2, 0, 5] and "changes its input" in words[1]


def test_a_result_that_changes_later_is_taken_as_it_was(worker):
    body = "kept[0] = upstream * (1 - math.tanh(x) ** 2)\n    return kept"
    q1 = f"import math\nkept = [0.0]\ndef tanh_backward(x, upstream):\n    {body}"
    marks, words = judged(worker, q1=q1)
    assert marks == [0, 3, 5] and "list" in words[0]


@pytest.fixture(scope="module")
def samples():
    """A function that returns a sample assignment as (worker, source cells)."""
    made = {}

    def sample(name):
        if name not in made:
            cells = read(ASSIGNMENTS / name / f"{name}.py").cells
            worker = Worker(Assignment(ASSIGNMENTS / name), Limits(), ("limits",))
            made[name] = worker, [cell.source for cell in cells if cell.cell_type == "code"]
        return made[name]

    yield sample
    for worker, _ in made.values():
        worker.close()


@pytest.fixture(params=["hw7", "hw8"])
def sample(request, samples):
    return samples(request.param)


@pytest.fixture
def classes(samples):
    """hw4, whose answers are a class and functions of its objects."""
    return samples("hw4")


def marks_of(worker, sources, student):
    """The marks of a submission by exercise, as data."""
    cells = [{"source": source, "number": i, "exercise": None} for i, source in enumerate(sources, 1)]
    said = []
    worker.judge({"student": student, "seed": 0, "cells": cells, "done": []}, lambda **told: said.append(told))
    return {told["mark"]["exercise"]: told["mark"] for told in said if "mark" in told}


@pytest.mark.cases(1)
def test_a_right_answer_is_told_the_same_whoever_was_judged_before(sample):
    worker, sources = sample
    worker.right = RightGraphs()
    first = marks_of(worker, sources, "ada")
    assert all(mark["state"] == "right" for mark in first.values())
    marks_of(worker, sources, "bob")
    assert json.dumps(marks_of(worker, sources, "eve"), default=vars) == json.dumps(first, default=vars)


OTHER_PARENT = """
_right = tanh
def tanh(x):
    y = _right(x)
    return Value(y.value, (Value(x.value),), y.slopes)
"""
OTHER_VALUE = """
_Value, _right = Value, tanh
_Value.__repr__ = lambda self: "a value"
class Value(_Value): pass
def tanh(x):
    y = _right(x)
    return _Value(y.value, y.parents, y.slopes)
"""


@pytest.mark.parametrize("added", [OTHER_PARENT, OTHER_VALUE], ids=["another parent", "another class"])
def test_an_object_that_only_looks_like_the_one_of_a_right_answer_is_another(classes, added):
    worker, sources = classes
    worker.right = RightGraphs()
    alone = marks_of(worker, [*sources, added], "eve")
    assert alone["tanh"]["state"] == "wrong"
    for student in ("ada", "bob"):
        assert marks_of(worker, sources, student)["tanh"]["state"] == "right"
    assert marks_of(worker, [*sources, added], "eve") == alone


def told_otherwise(worker, sources, tried):
    """Wrong answers that pass, or get other words after right ones were judged; both versions."""

    def told(wrong):
        return marks_of(worker, [*sources, wrong], "eve")

    alone = {}
    for _, wrong in tried:
        worker.right = RightGraphs()
        alone[wrong] = told(wrong)
    worker.right = RightGraphs()
    for student in ("ada", "bob", "cid"):
        marks_of(worker, sources, student)
    assert alone
    pairs = [(name, wrong, alone[wrong], told(wrong)) for name, wrong in tried]
    return [pair for pair in pairs if pair[2] != pair[3] or pair[2][pair[0]]["state"] != "wrong"]


def test_a_wrong_class_is_told_the_same_whoever_was_judged_before(classes, sampled):
    worker, sources = classes
    known = load(worker.assignment.path / "hidden.py").values()
    tried = [(exercise.name, wrong) for exercise in known for wrong, _ in exercise.wrongs[1:12:3]]
    assert told_otherwise(worker, sources, sampled(tried, 1)) == []


@pytest.mark.cases(1)
def test_a_wrong_answer_is_told_the_same_whoever_was_judged_before(sample, sampled):
    worker, sources = sample
    known = [e for e in load(worker.assignment.path / "hidden.py").values() if e.wrongs]
    assert len(known) == 2
    tried = [(exercise.name, wrong) for exercise in known for wrong, _ in exercise.wrongs[1:10:2]]
    assert told_otherwise(worker, sources, sampled(tried, 1)) == []


@pytest.mark.cases(1)
@pytest.mark.parametrize("calls", [1, 3, 4, 30])
def test_an_answer_that_is_right_for_its_first_calls_only_is_wrong(calls, samples):
    turns = """
_right, _calls = make_line, []
def make_line(w, b, factor):
    _calls.append(w)
    return _right(w, b, factor) if len(_calls) <= CALLS else lambda x: w * x + b
""".replace("CALLS", str(calls))
    worker, sources = samples("hw8")
    worker.right = RightGraphs()
    before = marks_of(worker, [*sources, turns], "eve")
    for student in ("ada", "bob"):
        marks_of(worker, sources, student)
    after = marks_of(worker, [*sources, turns], "eve")
    assert before["make_line"]["state"] == after["make_line"]["state"]
    assert after["make_line"]["state"] == ("wrong" if calls < 12 else "right")
