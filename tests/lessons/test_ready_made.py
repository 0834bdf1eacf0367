"""Functions of minigrad that are the answer to an exercise: each of them is refused, in a notebook and in grading."""

from dataclasses import replace
from functools import partial

import pytest

import minigrad as mg
from minigrad.classroom import mistake
from minigrad.classroom.answer_graph import Replayed
from minigrad.classroom.attempts import attempt
from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load
from minigrad.classroom.proof import cells_up_to, namespace
from minigrad.core.tensor import Tensor
from minigrad.grading.author_answers import _submitted, _with
from minigrad.grading.judge import Judge
from minigrad.lab.handout import lessons_folder
from minigrad.tracing.user_lines import remember_lines
from tests.lessons.breaks import course
from tests.lessons.test_breaks import NUMBERS


def numbers(y):
    """A result without its Tensors."""
    if isinstance(y, (tuple, list)):
        return type(y)(map(numbers, y))
    return y.numpy() if isinstance(y, Tensor) else y


#: The ways in which a function of minigrad may be called to solve an exercise.
WAYS = {
    "as it is": lambda f: f,
    "as numbers": lambda f: lambda *args: numbers(f(*args)),
    "curried": lambda f: lambda first, *rest: f(first)(*rest),
    "the first argument last": lambda f: lambda first, *rest: f(*rest, first),
}


#: Functions that change settings of the process, which no exercise asks for.
SETTINGS = {"set_default_dtype", "remember_lines", "reset_default_graph"}


def functions():
    """The public functions of minigrad by name, also of its modules for trees and layers."""
    spaces = {"mg": mg, "mg.nest": mg.nest, "mg.nn": mg.nn, "mg.linalg": mg.linalg, "mg.math": mg.math}
    for space, module in spaces.items():
        for name in dir(module):
            f = getattr(module, name)
            if callable(f) and name not in SETTINGS and not name.startswith("_") and not isinstance(f, type):
                yield f"{space}.{name}", f


def is_first_right(exercise, answer, also):
    """Whether an answer passes the first check at its first input, which few do."""
    check = exercise.checks[0]
    check = replace(check, run=partial(check.run, **also)) if also else check
    answer = Replayed(answer) if check.order is not None else answer
    return not check.points or attempt(check, answer, check.points[0], 0.5).ok


def solving(exercise, also):
    """Yield the names of the functions that solve an exercise, each with the words of its verdict."""
    for name, f in functions():
        for way in WAYS.values():
            answer = way(f)
            if is_first_right(exercise, answer, also):
                verdict = examine(replace(exercise, seconds=0.5), answer, also, thorough=False)
                if verdict or verdict.mistake == mistake.library_answer:
                    yield name, verdict.to_text()


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_no_function_of_minigrad_solves_an_exercise(number):
    remember_lines(False)
    (found,) = [(notebook, exercises) for n, notebook, exercises in course() if n == number]
    notebook, exercises = found
    for exercise in exercises.values():
        cells = cells_up_to(notebook, exercise.of or exercise.name)
        if not cells or not exercise.checks or exercise.question or exercise.trained or not exercise.function:
            continue
        space = namespace(cells)
        also = {name: space[name] for name in exercise.also if name in space}
        assert [*solving(exercise, also)] == [], exercise.name


#: By lesson: an exercise, and an answer that uses minigrad's function for it.
READY = [
    ("05", "unbroadcast", "def unbroadcast(g, shape):\n    return mg.sum_to(g, shape)"),
    ("05", "unbroadcast", "add = mg.sum_to\n\n\ndef unbroadcast(g, shape):\n    return add(g, shape)"),
    ("11", "hvp", "def hvp(f, x, v):\n    return mg.hvp(f)(x, v)"),
    ("11", "hessian", "def hessian(f, x):\n    return (lambda: mg.hessian(f)(x))()"),
    ("13", "dropout", "def dropout(x, rate, seed):\n    return mg.dropout(x, rate, seed=seed)"),
]


@pytest.mark.parametrize("number, name, code", READY)
def test_the_judge_refuses_what_is_ready(number, name, code):
    path = lessons_folder() / "source" / f"{number}_checks.py"
    exercise = load(path)[name]
    with Judge(path, consent=True) as judge:
        cells = judge.assignment.solved_cells
        (right,) = judge.judge(_submitted(cells), only=[name]).results
        (mark,) = judge.judge(_submitted(_with(cells, exercise, code)), only=[name]).results
    assert right.state == "right" and mark.state == "wrong"
    assert "minigrad" in (mark.mistake or ("", ""))[1]
