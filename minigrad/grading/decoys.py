"""Compute derivatives in the judge, from graphs that a student's process records at decoys: numbers that no check uses.

A graph is recorded at several decoys, and must be the same each time. It is then run here, at the inputs of the checks,
so the judge's process computes all values and gradients.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from minigrad.classroom.answer_graph import Misused, Replayed, difference, kind_of, outputs_of
from minigrad.classroom.inputs import Floats
from minigrad.classroom.mistakes import mistake
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.graphs import Graph, function_of

from .objects import tensor_data
from .proxy import Expression, Proxy, student_error
from .student_requests import Session

RECORDINGS = 3
ORDER = 2
TOGETHER = 0.5  # seconds allowed for all recordings in one message


class Recordings:
    """The part of the judge that computes a session's calls with Tensors, from graphs recorded at decoys.

    rng : the generator that draws the decoys.
    domains : the domains of the inputs.
    """

    def __init__(self, session: Session, rng: np.random.Generator, domains: Sequence[Any] = ()) -> None:
        self.session, self.rng, self.domains = session, rng, domains
        session.recorded = self.compute

    def compute(self, expression: Expression) -> Any:
        """Record a call's graph at decoys, run it in this process, and return the result of the call.

        A student's object in the result is replaced by an expression, which computes it anew in each recording.
        """
        params, question = self.question(expression, [None] * RECORDINGS)
        answers = [self.recording_in(answer) for answer in self.session.recordings(question)]
        data, graphs = answers[0], [str(recording.get("graph", "")) for recording in answers]
        if len(set(graphs)) > 1:
            roots = [Graph(text).root if text else {} for text in graphs]
            first, other = next((a, b) for a in roots for b in roots if a != b)
            raise Misused(difference([first, other]))
        outputs: Any = ()
        if graphs[0]:
            cast = next((p.dtype for p in params if p.dtype.kind == "f"), None)
            made = function_of(Graph(graphs[0]), cast)(*params)
            outputs = made if isinstance(made, tuple) else (made,)
        return self._built(data["out"], outputs, expression)

    def _built(self, data: Any, outputs: Sequence[Tensor], expression: Expression) -> Any:
        """Rebuild a call's result from `data`, with `outputs` as its Tensors, and an expression for each object."""
        inner = lambda key, item: self._built(item, outputs, expression.then("item", key))
        match data:
            case list():
                return [inner(i, item) for i, item in enumerate(data)]
            case {"tuple": list(items)}:
                return tuple([inner(i, item) for i, item in enumerate(items)])
            case {"dict": list(items)}:
                return {key: inner(key, item) for key, item in items if isinstance(key, str)}
            case {"object": int()}:
                return expression
        return self.session.codec.read(data, outputs)

    def text_in(self, data: dict[str, Any]) -> str:
        """Return the graph in a recording as text. Raises the same errors as `outputs_of`."""
        if "graph" not in data:
            outputs_of(self.session.codec.read(data["out"]))
        stand_ins = [Tensor(0.0)] * 100
        outputs_of(self.session.codec.read(data["out"], stand_ins))
        text = data["graph"]
        if not isinstance(text, str):
            raise student_error("BadMessage", "Its graph is not text.")
        return text

    def question(
        self, expression: Expression, points: Sequence[Sequence[Any] | None], order: int = ORDER, **more: bool
    ) -> tuple[list[Tensor], dict[str, Any]]:
        """Return the Tensors in an expression, and the request to record the expression's graph.

        points : the values of these Tensors in each recording; None for decoys.
        """
        codec = self.session.codec
        codec.params = []
        try:
            tree = expression.tree()
            params = list(codec.params)
        finally:
            codec.params = None
        decoys = lambda: [_like(p, self.decoy(i, p)).value for i, p in enumerate(params)]
        sent = [list(map(_sent, params, decoys() if values is None else values)) for values in points]
        return params, {"do": "record", "tree": tree, "points": sent, "order": order, **more, **codec.news()}

    def recording_in(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the recording in an answer of the student's process, or raise the student's error in it."""
        data = self.session.checked(answer)["ok"]
        return data if isinstance(data, dict) else {"out": None}

    def decoy(self, number: int, x: Tensor) -> Any:
        """Return a decoy for `x`: numbers from the domain if it is known, otherwise numbers with the same signs."""
        value = np.asarray(x.value)
        if value.dtype.kind != "f":
            return self.rng.permutation(value.ravel()).reshape(value.shape)
        if number < len(self.domains) and isinstance(self.domains[number], Floats):
            return np.reshape(self.domains[number].draw(self.rng, value.size), value.shape)
        return np.where(value == 0, 1.0, value) * self.rng.uniform(0.5, 1.5, value.shape)


class Recorded(Replayed):
    """A student's function of Tensors in another process; its graph is recorded at decoys, and run in this process."""

    recordings = 0, 0

    def __init__(self, far: Proxy, recordings: Recordings, order: int) -> None:
        super().__init__(self._called, order)
        self._far, self._recordings = far, recordings
        self._called_at: dict[str, dict[str, Any]] = {}
        self._ahead: dict[Any, list[dict[str, Any]]] = {}
        self.kinds_ahead: set[Any] = set()
        self._expression = Expression(recordings.session, far._described())

    def _called(self, *xs: Tensor) -> Any:
        """Call the function in the student's process, differentiate it, and then compute the result here.

        An error in its rule is raised with the student's line.
        """
        at = repr([(x.shape, x.value.tobytes()) for x in xs])
        if at not in self._called_at:
            self._called_at[at] = self._answers([xs], differentiate=True)[0]
        self._recordings.recording_in(self._called_at[at])  # this prints the output of the call
        return self(*xs) if len(self.graphs.get(kind_of(xs), ())) == 1 else self._far(*xs)

    def __call__(self, *xs: Tensor) -> Any:
        if self.at_each_input:
            return self.run_at(xs, self.text_of(xs))
        kind = kind_of(xs)
        if kind not in self.graphs:
            for answer in self._ahead.pop(kind, None) or self._answers(self._decoys(xs)):
                self.keep(xs, self._recordings.text_in(self._recordings.recording_in(answer)))
        return super().__call__(*xs)

    def record_ahead(self, calls: Sequence[Sequence[Tensor]]) -> None:
        """Record the graphs of several kinds of calls at decoys, in one message.

        Raises the same errors as `Session.recordings`.
        """
        decoys = [at for xs in calls for at in self._decoys(xs)]
        answers = iter(self._answers(decoys, TOGETHER) if decoys else ())
        self._ahead = {kind_of(xs): list(islice(answers, RECORDINGS)) for xs in calls}
        self.kinds_ahead = set(self._ahead)

    def _decoys(self, xs: Sequence[Tensor]) -> list[list[Tensor]]:
        return [[_like(x, self._recordings.decoy(i, x)) for i, x in enumerate(xs)] for _ in range(RECORDINGS)]

    def _answers(
        self, points: Sequence[Sequence[Tensor]], seconds: float | None = None, **more: bool
    ) -> list[dict[str, Any]]:
        step = self._expression.then("call", tuple(points[0]), {})
        values = [[x.value for x in xs] for xs in points]
        question = self._recordings.question(step, values, self.order, **more)[1]
        return self._recordings.session.recordings(question, seconds)

    def text_of(self, xs: Sequence[Tensor]) -> str:
        """Return the graph of one call, recorded in the student's process."""
        return self._recordings.text_in(self._recordings.recording_in(self._answers([xs])[0]))

    def texts_ahead(self) -> list[tuple[str, str]]:
        """Return the kinds of calls recorded ahead, with their graphs, or [] if a recording failed or two differ."""
        kinds_and_texts = []
        for kind, answers in self._ahead.items():
            texts = {json.dumps(answer.get("ok")) for answer in answers}
            if len(texts) > 1 or not all("ok" in answer for answer in answers):
                return []
            kinds_and_texts.append((repr(kind), texts.pop()))
        return sorted(kinds_and_texts)

    def graph_at(self, inputs: Sequence[Any], names: Sequence[str], true: Sequence[Any] = ()) -> str:
        """Return, as JSON, the recorded graph and the inputs where the answer fails, or "" if there is no graph.

        true : the true gradient for each input, or None if the answer's gradient is right.
        """
        for (shapes, _), graphs in self.graphs.items():
            values = [np.asarray(x).tolist() for x in inputs]  # these may end with an upstream gradient
            if graphs and tuple(map(np.shape, values[: len(shapes)])) == shapes:
                slopes = [None if g is None else np.asarray(g).tolist() for g in true]
                named = {"names": names[: len(shapes)], "true": slopes}
                return json.dumps({"graph": next(iter(graphs)), "inputs": values, **named})
        return ""

    @property
    def varies(self) -> bool:
        """Return whether different graphs were recorded for inputs of the same kind."""
        return any(len(graphs) > 1 for graphs in self.graphs.values())

    def takes_out(self, xs: Sequence[Tensor]) -> bool:
        """Return whether the recordings at decoys differ only in numbers, as when a number is read out of a Tensor."""
        return self.changes([x.value for x in xs]) is mistake.taken_out


def _like(x: Tensor, value: Any) -> Tensor:
    value = np.asarray(value, x.dtype)
    return Variable(value, x.trainable, x.name) if isinstance(x, Variable) else Tensor(value)


def _sent(x: Tensor, value: Any) -> dict[str, Any]:
    """Return a Tensor as data for a message, with `value` as its value: float32 if `value` is, else float64."""
    value = np.asarray(value)
    is_long = value.dtype.kind == "f" and value.dtype != np.float32
    return tensor_data(x, value.astype(np.float64) if is_long else value)
