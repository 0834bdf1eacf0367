"""Read a file of checks: run it, or raise an error that gives the line."""

from __future__ import annotations

import copy
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from ..runner.timeout import CHECKS
from .compared_values import show
from .exercises import Exercise
from .sealed_answers import attach, hidden_file, merge, sealed_file

FIRST = 20  # at how many inputs a check's true function is tried out when the file is loaded


class AuthoringError(ValueError):
    """Raised if a file of checks cannot be used; the message has the file, the line and the reason."""


def load(path: Path) -> dict[str, Exercise]:
    """Run a file of checks, and return its exercises with the additions from a file next to it.

    That file is either the author's hidden file or the students' sealed answers.

    Raises AuthoringError, with the line, if a file cannot be run.
    """
    exercises, hidden, sealed = _declared(path), hidden_file(path), sealed_file(path)
    if hidden != path and hidden.is_file():
        exercises = merge(exercises, _declared(hidden))
    if sealed != path and sealed.is_file():
        exercises = attach(exercises, sealed.read_text(encoding="utf-8"))
    for exercise in exercises.values():
        if exercise.of and exercise.of not in exercises:
            raise AuthoringError(f"{path.name}: {exercise.name} is of={exercise.of!r}, and there is no such exercise")
        if exercise.of and exercise.function is None:
            exercise.function, exercise.arguments = exercises[exercise.of].function, exercises[exercise.of].arguments
    return exercises


def load_to_grade(path: Path) -> dict[str, Exercise]:
    """Return the exercises that are graded, with the checks of the hidden file, the most hidden ones last.

    For a hidden check without `reveal`, students see its description and whether it passed.
    """
    exercises, hidden = load(path), hidden_file(path)
    for name, extra in (_declared(hidden) if hidden != path and hidden.is_file() else {}).items():
        checks = [replace(c, reveal="message" if c.reveal == "always" else c.reveal) for c in extra.checks]
        exercises[name].checks += checks
        exercises[name].engine &= extra.engine
    for exercise in exercises.values():
        exercise.checks.sort(key=lambda check: check.hidden)
        if exercise.marks_problem:
            raise AuthoringError(f"{path.name}: {exercise.marks_problem}")
    return {name: exercise for name, exercise in exercises.items() if exercise.graded}


def _declared(path: Path) -> dict[str, Exercise]:
    """Run one file of checks, and return its exercises in the order of their definitions."""
    try:
        status = path.stat()
    except OSError as problem:
        raise AuthoringError(f"{path} cannot be read: {problem.strerror or problem}") from None
    return copy.deepcopy(_load(path, status.st_mtime_ns, status.st_size))


@cache
def _load(path: Path, changed: int, size: int) -> dict[str, Exercise]:
    spec = importlib.util.spec_from_file_location(f"{CHECKS}{path.stem}", path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # needed by dataclasses and pickle
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    except Exception as problem:
        raise AuthoringError(_sentence(path, problem)) from problem
    declared = [value for value in vars(module).values() if isinstance(value, Exercise)]
    exercises = {e.name: e for e in declared}
    if not exercises:
        raise AuthoringError(f"{path.name}: no exercise is declared; write @exercise(...) above a function of c")
    if len(exercises) < len({id(e) for e in declared}):
        names = [e.name for e in declared]
        twice = next(name for name in names if names.count(name) > 1)
        raise AuthoringError(f"{path.name}: two exercises are called {twice!r}; give one of them another name")
    return exercises


def _sentence(path: Path, problem: Exception) -> str:
    """Return the error message for a problem in a file: the file, the line and the reason."""
    if isinstance(problem, SyntaxError):
        return f"{path.name}, line {problem.lineno}: SyntaxError: {problem.msg}"
    lines = [row.lineno for row in traceback.extract_tb(problem.__traceback__) if row.filename == str(path)]
    own = traceback.extract_tb(problem.__traceback__)[-1].filename.startswith(os.path.dirname(__file__))
    reason = str(problem) if own and isinstance(problem, (TypeError, ValueError)) else f"{_kind(problem)}: {problem}"
    return f"{path.name}, line {lines[-1]}: {reason}" if lines else f"{path.name}: {reason}"


def _kind(problem: Exception) -> str:
    return type(problem).__name__


def failing_references(exercise: Exercise, path: Path) -> Iterator[str]:
    """Return a sentence for each check whose true function raises an exception, with the first such input."""
    for check in exercise.checks:
        for inputs in check.points[:FIRST]:
            try:
                with np.errstate(all="ignore"):
                    check.true(*inputs)
            except Exception as problem:
                at = ", ".join(map(show, inputs))
                yield f"{_sentence(path, problem)} (the truth of {check.says!r}, {exercise.name}, at {at})"
                break
