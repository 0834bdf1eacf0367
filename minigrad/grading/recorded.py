"""Compute derivatives in the judge from graphs that a student's process recorded at decoys: numbers no check uses.

The graph is recorded several times at decoys, and must be the same each time. It is then run here, at the inputs of the
checks, so that every value and gradient is computed by this process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.classroom.inputs import Floats
from minigrad.classroom.mistakes import mistake
from minigrad.classroom.replayed import Misused, Replayed, difference, outputs_of
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.graphs import Graph, function_of

from .errors import student_error
from .expression import Expression
from .far import Far
from .given import tensor_data
from .session import Session
from .transcript import AtDecoys

RECORDINGS = 3
ORDER = 2


class Recordings:
    """Computes the calls of a session in which Tensors occur. rng : draws the decoys. domains : of the inputs."""

    def __init__(self, session: Session, rng: np.random.Generator, domains: Sequence[Any] = ()) -> None:
        self.session, self.rng, self.domains = session, rng, domains
        session.recorded = self.compute

    def compute(self, expression: Expression) -> Any:
        """The result of a call: Tensors computed here from its graph, or a function that can be called in turn."""
        params, questions = self.questions(expression, [None] * RECORDINGS)
        answers = list(self.found(questions))
        data, graphs = answers[0], [str(found.get("graph", "")) for found in answers]
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
        """The structure of a result, with the Tensors computed here; functions in it can be called in turn."""
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
        return self.session.given.read(data, outputs)

    def text_in(self, data: dict[str, Any]) -> str:
        """The text of the graph in an answer. Raises as `outputs_of` does."""
        if "graph" not in data:
            outputs_of(self.session.given.read(data["out"]))
        stand_ins = [Tensor(0.0)] * 100
        outputs_of(self.session.given.read(data["out"], stand_ins))
        text = data["graph"]
        if not isinstance(text, str):
            raise student_error("BadMessage", "Its graph is no text.")
        return text

    def questions(
        self, expression: Expression, points: Sequence[Sequence[Any] | None], order: int = ORDER, **more: bool
    ) -> tuple[list[Tensor], list[dict[str, Any]]]:
        """The Tensors of an expression, and the questions that record it: at values, or at decoys in place of None."""
        given = self.session.given
        given.params = []
        try:
            tree = expression.tree()
            params = list(given.params)
        finally:
            given.params = None
        requests = []
        for values in points:
            sent = self.decoys(params) if values is None else list(map(_sent, params, values))
            question = {"do": "evaluate", "tree": tree, "params": sent, "order": order, **more, **given.news()}
            requests.append(AtDecoys(question) if values is None else question)
            if isinstance(requests[-1], AtDecoys):
                requests[-1].base = params
        return params, requests

    def decoys(self, params: Sequence[Tensor]) -> list[dict[str, Any]]:
        """Decoys for some Tensors, as data."""
        return [_sent(p, self.decoy(i, p)) for i, p in enumerate(params)]

    def found(self, questions: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The recordings that answer the questions, one after another."""
        for answer in self.session.replies_to(questions):
            data = answer["ok"]
            yield data if isinstance(data, dict) else {"out": None}

    def decoy(self, number: int, x: Tensor) -> Any:
        """Other numbers of the same shape and sign, or of the domain where that is known."""
        value = np.asarray(x.value)
        if value.dtype.kind != "f":
            return self.rng.permutation(value.ravel()).reshape(value.shape)
        if number < len(self.domains) and isinstance(self.domains[number], Floats):
            return np.reshape(self.domains[number].draw(self.rng, value.size), value.shape)
        return np.where(value == 0, 1.0, value) * self.rng.uniform(0.5, 1.5, value.shape)


class Recorded(Replayed):
    """A student's function of Tensors in another process, run here as its graph, recorded there at decoys."""

    recordings = 0, 0

    def __init__(self, far: Far, recordings: Recordings, order: int) -> None:
        super().__init__(self._called, order)
        self._far, self._recordings = far, recordings
        self.inputs: dict[Any, Sequence[Tensor]] = {}
        self._called_at: dict[str, dict[str, Any]] = {}
        self._expression = Expression(recordings.session, far._described())

    def _called(self, *xs: Tensor) -> Any:
        """The function itself; an error in its rule is raised as it is there, with the student's line."""
        session, question = self._recordings.session, self._question(xs, differentiate=True)
        text = json.dumps(question)
        if not session.together or text not in self._called_at:  # one call of each gives its printed text
            self._called_at[text] = session.exchange(question)
        session.checked(self._called_at[text])
        once = session.together and len(self.graphs.get(tuple([x.shape for x in xs]), ())) == 1
        return self(*xs) if once else self._far(*xs)

    def __call__(self, *xs: Tensor) -> Any:
        self.record_all([xs])
        return super().__call__(*xs)

    def record_all(self, calls: Iterable[Sequence[Tensor]]) -> None:
        """Record the graph, several times at decoys, for the shapes of these inputs that have none yet."""
        todo = {key: xs for xs in calls if (key := tuple([x.shape for x in xs])) not in self.graphs}
        requests, decoy = [], self._recordings.decoy
        for xs in todo.values():
            for _ in range(RECORDINGS):
                at = [_like(x, decoy(i, x)) for i, x in enumerate(xs)]
                question = AtDecoys(self._question(at))
                question.base = xs
                requests.append((at, question))
        for (at, _), data in zip(requests, self._recordings.found([question for _, question in requests])):
            self.keep(at, self._recordings.text_in(data))
        self.inputs.update(todo)

    def _question(self, xs: Sequence[Tensor], **more: bool) -> dict[str, Any]:
        step = self._expression.then("call", tuple(xs), {})
        return self._recordings.questions(step, [[x.value for x in xs]], self.order, **more)[1][0]

    def text_of(self, xs: Sequence[Tensor]) -> str:
        """The graph of one call, recorded in the student's process."""
        return self._recordings.text_in(next(self._recordings.found([self._question(xs)])))

    def graph_at(self, inputs: Sequence[Any], names: Sequence[str], true: Sequence[Any] = ()) -> str:
        """The recorded graph, with the inputs at which it fails; empty if there is no such graph.

        true : the true gradient for each input, None if that of the answer is right.
        """
        for shapes, known in self.graphs.items():
            values = [np.asarray(x).tolist() for x in inputs]  # the last may be an upstream gradient
            if known and tuple(map(np.shape, values[: len(shapes)])) == shapes:
                slopes = [None if g is None else np.asarray(g).tolist() for g in true]
                named = {"names": names[: len(shapes)], "true": slopes}
                return json.dumps({"graph": next(iter(known)), "inputs": values, **named})
        return ""

    def takes_out(self, xs: Sequence[Tensor]) -> bool:
        """Whether the recordings at decoys differ in a number."""
        return self.changes([x.value for x in xs]) is mistake.taken_out


def _like(x: Tensor, value: Any) -> Tensor:
    value = np.asarray(value, x.dtype)
    return Variable(value, x.trainable, x.name) if isinstance(x, Variable) else Tensor(value)


def _sent(x: Tensor, value: Any) -> dict[str, Any]:
    return tensor_data(x, _in_float64(np.asarray(value)))


def _in_float64(value: Any) -> Any:
    return value.astype(np.float64) if value.dtype.kind == "f" else value
