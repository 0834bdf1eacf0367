"""Mutated graphs end in a verdict, without an error in the judge and without undeserved marks."""

import json
import random
import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission
from minigrad.graphs import Graph, Unreadable, function_of, write
from minigrad.runner.budgets import Limits
from tests.hostile import mutations
from tests.hostile.assignment import CHECKS, Q1, Q2, Q3, SETUP, SOURCE

POINTS = (0.3, 7.0, 55.0)


@mg.custom_gradient
def safe_sqrt(x):
    y = mg.sqrt(x)
    safe = mg.where(x > 0, y, 1.0)
    return y, lambda upstream: mg.where(x > 0, upstream / (2 * safe), 0.0)


def halves(x):
    parts = mg.split(mg.stack([x, 2 * x]), 2)
    return mg.sum(parts[0] * parts[1]) + mg.einsum("i,i->", mg.stack([x, x]), np.array([1.0, 2.0]))


def text_of(f, *values):
    params = [mg.constant(v, dtype="float64") for v in values]
    return json.dumps(write(params, [f(*params)]))


def is_safe_sqrt(text):
    """Whether the graph computes the square root with its slope, as nothing but a right graph does."""
    function = function_of(Graph(text))
    for x in POINTS:
        leaf = mg.constant(x, dtype="float64")
        y = function(leaf)
        (slope,) = mg.gradients(y, [leaf])
        if not (np.isclose(y.numpy(), x**0.5) and np.isclose(slope.numpy(), 0.5 / x**0.5)):
            return False
    return True


@pytest.mark.parametrize("f", [safe_sqrt, halves])
def test_a_mutated_text_is_a_graph_or_unreadable_and_a_graph_runs_or_raises(f):
    rng, original = random.Random(f.__name__), text_of(f, 2.0)
    read = ran = 0
    for _ in range(3_000):
        text = mutations.mutated(original, rng, rng.choice([1, 1, 2, 5]))
        try:
            graph = Graph(text)
        except Unreadable:
            continue
        read += 1
        leaf = mg.constant(1.7, dtype="float64")
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                y = function_of(graph)(leaf)
                mg.gradients(y, [leaf])
                ran += 1
            except Exception as problem:
                assert str(problem), type(problem)
    assert read > 200 and ran > 50


FORGED = """
import minigrad.graphs
import minigrad.graphs.writer
minigrad.graphs.write = minigrad.graphs.writer.write = lambda *a, **k: json.loads(TEXT)
"""


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    for name, text in (("checks.py", CHECKS), ("hw1.py", SOURCE)):
        (folder / name).write_text(text, encoding="utf-8")
    with Judge(folder, limits=Limits(judging=10.0, submission=20.0)) as judge:
        yield judge


def judged(judge, text):
    forged = f"import json\nTEXT = {text!r}{FORGED}"
    cells = (SETUP, Q1, Q2, Q3, forged)
    return judge.judge(Submission("ada", "ada.ipynb", "00", tuple(Cell(s, n) for n, s in enumerate(cells, 1))))


def test_the_text_that_is_handed_over_is_what_is_judged(judge):
    assert [m.marks for m in judged(judge, text_of(safe_sqrt, 2.0)).results] == [2, 3, 5]
    assert [m.marks for m in judged(judge, text_of(mg.sqrt, 2.0)).results] == [2, 3, 0]


@pytest.mark.cases(1)
@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_graph_has_the_marks_that_it_earns_and_the_other_answers_theirs(judge, seed):
    rng, original = random.Random(seed), text_of(safe_sqrt, 2.0)
    tried = 0
    while tried < 12:
        text = mutations.mutated(original, rng, rng.choice([1, 2]))
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            continue
        tried += 1
        report = judged(judge, text)
        one, two, three = report.results
        assert report.status == "graded" and (one.marks, two.marks) == (2, 3), report.notes
        assert three.marks in (0, 5) or three.state == "ungraded", (text, three)
        assert three.marks != 5 or is_safe_sqrt(text), text
