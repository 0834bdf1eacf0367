"""A digest of a wrong answer's behaviour: answers that behave the same have the same digest, however they are written.

The digest is computed from the recorded graphs, and from the results at the inputs that a check tries for every
student. Random inputs, which differ between students, are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from minigrad.classroom.answer_graph import Replayed
from minigrad.classroom.attempts import attempt
from minigrad.classroom.compared_values import show
from minigrad.classroom.exercises import Exercise
from minigrad.classroom.verdict import Verdict
from minigrad.runner.budgets import work_limit

POINTS = 8  #: number of inputs of each check whose results are used
WORK = 0.3  #: seconds of computation allowed for all these inputs
DIGITS = 10  # number of digits of a result that count: rounding must not make two equal answers differ


def behaviour(exercise: Exercise, answer: Any, replayed: Replayed | None, verdict: Verdict, seconds: float) -> str:
    """Return the digest of a wrong answer's behaviour, or "" if the answer is not wrong or its results are unknown.

    answer : the answer in the form that the checks run. replayed : its graph, if it was recorded.
    """
    if verdict.status != "wrong" or not verdict.lines:
        return ""
    graphs = sorted(text for recorded in replayed.graphs.values() for text in recorded) if replayed is not None else []
    results = _results(exercise, answer, replayed, seconds)
    if results is None or not (results or graphs):
        return ""
    rights = [(check.says, line.right) for check, line in zip(exercise.checks, verdict.lines)]
    whole = [exercise.name, rights, graphs, results]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:24]


def _results(exercise: Exercise, answer: Any, replayed: Replayed | None, seconds: float) -> list[str] | None:
    """Return the answer's results at the first inputs of each check, as text, or None if they take too long."""
    up, texts = work_limit(WORK), []
    for result in _each_result(exercise, answer, replayed, seconds):
        if up() or not result:
            return None
        texts.append(result)
    return texts


def _each_result(exercise: Exercise, answer: Any, replayed: Replayed | None, seconds: float) -> Iterator[str]:
    """Yield the answer's result, or its error, at each of these inputs as text; "" for a call that did not end."""
    for check in exercise.checks:
        if check.what in ("property", "graph"):
            continue
        for inputs in check.points[:POINTS]:
            tried = attempt(check, replayed if check.order and replayed is not None else answer, inputs, seconds)
            raised = tried.outcome.failure
            yield "" if tried.outcome.late else raised.words if raised else show(tried.got, DIGITS)
