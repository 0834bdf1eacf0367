"""Shortcuts for right answers: questions sent together, cached truths, and graphs that were right before.

They only recognise right answers. For all others the checks run one input at a time, as in the notebook, so that their
words are the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.classroom.attempts import Attempt, allowed, in_float32
from minigrad.classroom.compare import agree, called, wrong_kind
from minigrad.classroom.exercises import Check, Exercise
from minigrad.classroom.guard import Outcome, OutOfTime
from minigrad.classroom.inputs import Floats, InVariable, unwrapped
from minigrad.classroom.search import drawn

from .far import Far, tree_of
from .recorded import Recorded
from .session import Session
from .transcript import Transcripts
from .wire import BadMessage


class Memory:
    """A cache for all students: the truths at the fixed inputs, and the graphs that are right at them.

    The result of a graph in this process does not depend on the student.
    """

    def __init__(self) -> None:
        self.truths: dict[tuple[str, int], list[Any]] = {}
        self.shapes: dict[str, dict[Any, Any]] = {}
        self.right: set[bytes] = set()
        self.transcripts = Transcripts()


class Quick:
    """One exercise of one submission, as far as its answer is right. seed : of the inputs that are drawn."""

    def __init__(
        self, exercise: Exercise, answer: Any, replayed: Recorded | None, session: Session, memory: Memory, seed: int
    ) -> None:
        self.exercise, self.answer, self.session, self.memory, self.seed = exercise, answer, session, memory, seed
        self.replayed = replayed if replayed is not None and replayed.order else None
        self.known = self.replayed is not None and self._known(self.replayed)
        self._together = True

    def shortened(self, i: int) -> Check | None:
        """The check with only one of its points if the answer is right at all of them; None if that is not known.

        Inputs that are drawn by the seed are left out if they were tried too.
        """
        check = self.exercise.checks[i]
        if self.known and (check.order is not None or check.dtypes):
            return replace(check, points=check.points[:1], vary=check.vary if check.order is not None else ())
        if not (self._together and self._simple(check)):
            return None
        floats = bool(check.vary) and all(isinstance(domain, Floats) for domain in check.vary)
        rows = [tuple(map(in_float32, row)) for row in drawn(check, self.seed)] if floats else []
        try:
            truths = [*self._truths(i), *_true(check, rows)]
        except Exception:  # found when the check runs
            return None
        self._together = self._right(check, [*_inputs(check), *rows], truths, keep=True)
        if not self._together:
            return None
        self.session.kept.clear()
        return replace(check, points=check.points[:1], vary=() if floats else check.vary)

    def right_again(self, i: int, chosen: Sequence[int]) -> bool | None:
        """Whether the answer is right at some of the points, in this order; None if they cannot be sent together."""
        check = self.exercise.checks[i]
        if not self._simple(check):
            return None
        points, truths = _inputs(check), self._truths(i)
        return self._right(check, [points[k] for k in chosen], [truths[k] for k in chosen])

    def learn(self) -> None:
        """Keep the graphs of an answer that passed every check."""
        if self.replayed is not None and all(len(texts) == 1 for texts in self.replayed.graphs.values()):
            self.memory.shapes.setdefault(self.exercise.name, dict(self.replayed.inputs))
            self.memory.right.add(self._digest(self.replayed))

    def _known(self, replayed: Recorded) -> bool:
        """Whether the graphs, for every shape that the checks try, equal those of an earlier right answer."""
        shapes = self.memory.shapes.get(self.exercise.name)
        if shapes is None:
            return False
        try:
            replayed.record_all(shapes.values())
        except (OutOfTime, Exception):  # found when the check runs
            return False
        return self._digest(replayed) in self.memory.right

    def _digest(self, replayed: Recorded) -> bytes:
        texts = sorted((repr(shapes), sorted(known)) for shapes, known in replayed.graphs.items())
        return hashlib.sha256(repr((self.exercise.name, texts)).encode()).digest()

    def _simple(self, check: Check) -> bool:
        """Whether a check is one call for each of its inputs, which are plain values."""
        plain = check.run is called and isinstance(self.answer, Far) and bool(check.points)
        return plain and not any(isinstance(domain, InVariable) for domain in check.vary)

    def _truths(self, i: int) -> list[Any]:
        key = self.exercise.name, i
        if key not in self.memory.truths:
            self.memory.truths[key] = _true(self.exercise.checks[i], _inputs(self.exercise.checks[i]))
        return self.memory.truths[key]

    def _right(self, check: Check, points: Sequence[Any], wants: Sequence[Any], keep: bool = False) -> bool:
        trees = [tree_of(self.session, self.answer._described(), point, {}) for point in points]
        news = [self.session.given.news(), *[{}] * len(points)]
        questions = [{"do": "evaluate", "tree": tree, **more} for tree, more in zip(trees, news)]
        answers = self.session.replies_together(questions, keep)
        if not all(found.keys() <= {"ok", "printed"} and "ok" in found for found in answers):
            return False
        try:
            gots = [self.session.given.read(found["ok"]) for found in answers]
        except BadMessage:
            return False
        rtol, atol = allowed(check, Attempt((), Outcome()))
        if all(type(got) is float for got in gots) and all(type(want) in (float, np.float64) for want in wants):
            with np.errstate(all="ignore"):
                return bool(np.allclose(gots, np.asarray(wants), rtol, atol, equal_nan=True))
        pairs = zip(gots, wants)
        return all(wrong_kind(got, want) is None and agree(got, want, rtol, atol) for got, want in pairs)


def _inputs(check: Check) -> list[tuple[Any, ...]]:
    """The points of a check as arguments of a student's function."""
    points = [tuple(map(in_float32, point)) for point in check.points] if check.vary else check.points
    return [tuple(map(unwrapped, point)) for point in points]


def _true(check: Check, points: Sequence[tuple[Any, ...]]) -> list[Any]:
    with np.errstate(all="ignore"):
        return [check.true(*point) for point in points]
