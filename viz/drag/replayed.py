"""Replay a recorded pass on stand-ins for its numbers, so that every value and every message is a NumPy call.

The values of the new nodes are stand-ins, and all rules, including custom rules, compute with these stand-ins. If a
decision in Python code depends on a number, it becomes a guard. If a number leaves the graph, the pass cannot be
followed.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.support.observers import observing
from minigrad.core.tensor import Tensor, next_serial
from minigrad.core.variable import READ, Variable
from minigrad.programs.instructions import Line
from minigrad.programs.listing import real, writing
from minigrad.programs.refusals import NotAProgram
from minigrad.tracing.names import same_bytes
from minigrad.tracing.overlay import stored_value
from minigrad.tracing.replay import is_input, made_from, parents, replay
from minigrad.transforms.nesting import call_recorded

from .decisions import Guard, Watch, value_of
from .page_tape import NotFollowed


class CalledWith(NamedTuple):
    """A function call: the function, its arguments, and the serial of the first node that the call may create."""

    f: Callable[..., Any]
    inputs: Mapping[str, Any]
    since: int


class Replay:
    """A copy of the graph of `y` whose values are stand-ins; it exists inside `with replay.running()`.

    If user code is called again, an overlay gives it stand-ins when it reads the recorded nodes.

    y : the result in the copy; with `call`, the result of calling the function again. recorded : serial of a Tensor
        in the copy -> serial of the recorded Tensor.
    inputs : the float leaves, each with the line of its stand-in.
    guards : the decisions.
    """

    def __init__(self, y: Tensor, call: CalledWith | None) -> None:
        self.y, self._call, self._watch = y, call, Watch()
        self.recorded: dict[int, int] = {}
        self._graph = [t for t in made_from([y]) if not isinstance(t, Variable)]
        self._serials = {t.serial for t in self._graph}
        self.inputs: list[tuple[Tensor, Line]] = []

    @property
    def guards(self) -> list[Guard]:
        return self._watch.guards

    def start(self, value: Any) -> Any:
        """Return a stand-in for an input value."""
        return self._watch.start(value)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Replay the graph on stand-ins, which record calls until the `with` block ends. Raises NotFollowed."""
        try:
            with self._watch, writing(self._watch), np.errstate(all="ignore"):
                since = self._call.since if self._call else next_serial()
                self._replay([t for t in self._graph if t.serial < since or t.op is READ])
                if self._call:
                    self._run(self._call)
                with observing(created=lambda node: self._check(node, since)):
                    yield
                if self._watch.refusals:
                    raise self._watch.refusals[0]
        except NotAProgram as error:
            raise NotFollowed(str(error)) from None
        except NotFollowed:
            raise
        except Exception as error:  # with stand-ins, the user's code may raise anything; the picture is shown anyway
            for refusal in self._watch.refusals:
                raise NotFollowed(str(refusal)) from error
            raise NotFollowed(f"the pass raises {type(error).__name__} when it is run again") from error

    def _replay(self, graph: list[Tensor]) -> None:
        """Compute recorded nodes again, with stand-ins for the float inputs among them."""
        inputs = [t for t in graph if is_input(t)]
        put = {t.serial: self._watch.start(t.value) if t.dtype.kind == "f" else t.value for t in inputs}
        now = self._watch.instead = replay(graph, put, note=_agrees, inside=True)
        if not self._call:
            self.recorded = {new.serial: old for old, new in now.items()}
            self.y = now[self.y.serial]
        for t in inputs:
            node = t if self._call else now[t.serial]
            if t.op is READ:
                self._watch.reads[id(t.args[0])] = node
            if t.dtype.kind == "f":
                self.inputs.append((node, put[t.serial].line))

    def _run(self, call: CalledWith) -> None:
        """Call the function again, and check that it records the same graph with the same numbers."""
        begin, first, here, elsewhere = next_serial(), self.y, get_ident(), set[int]()
        see = lambda node: elsewhere.add(node.serial) if get_ident() != here else None
        with contextlib.redirect_stdout(io.StringIO()), observing(created=see):
            y = call_recorded(call.f, **call.inputs)
        if self._watch.refusals:  # the function may have caught the error
            raise self._watch.refusals[0]
        other = NotFollowed("the function gives different numbers when it is called again")
        if not isinstance(y, Tensor):
            raise other
        self.y = y.read_value()
        for was, now in _paired(first, self.y):
            if was is None or now is None or _kind(was) != _kind(now):
                raise other
            if call.since <= now.serial < begin and now.op is not READ:
                raise NotFollowed("the function returns what it kept from its first call")
            if now.serial in elsewhere:
                raise NotFollowed("the function computes in another thread")
            if not _equal(value_of(now), stored_value(was)):
                raise other
            self.recorded[now.serial] = was.serial
        self._serials |= set(self.recorded)

    def _check(self, node: Tensor, since: int) -> None:
        """Reject a rule that computes with a value from outside the graph: such a value would look like a constant."""
        for a in node.args:
            outside = isinstance(a, Tensor) and a.serial < since and a.serial not in self._serials
            if outside and a.op is not None and a.op is not READ and a.dtype.kind == "f":
                raise NotFollowed(f"a rule computes with {a.op.name}, which is not part of the picture")


def _agrees(old: Tensor, new: Tensor) -> None:
    if not _equal(stored_value(new), stored_value(old)):
        raise NotFollowed(f"{old.op.name} gives different numbers when it is called again")


def _paired(first: Tensor, second: Tensor) -> Iterator[tuple[Tensor | None, Tensor | None]]:
    """Yield the pairs of Tensors at corresponding positions in two graphs, with None if the graphs do not correspond.

    Serials cannot be used to pair them: a Variable that the first call read is older than all nodes of the second call.
    """
    pending: list[tuple[Tensor | None, Tensor | None]] = [(first, second)]
    partner: dict[int, Tensor | None] = {}
    while pending:
        was, now = pending.pop()
        if was is not None and was.serial in partner:
            if partner[was.serial] is not now:
                yield was, None
            continue
        yield was, now
        if was is None or now is None:
            continue
        partner[was.serial] = now
        ours, theirs = ([t for t in parents(y) if not isinstance(t, Variable)] for y in (was, now))
        pending += zip_longest(ours, theirs)


def same_ops(first: Tensor, second: Tensor) -> bool:
    """Return whether two Tensors come from the same ops in the same order, on arrays of equal shapes and dtypes."""
    return all(was is not None and now is not None and _kind(was) == _kind(now) for was, now in _paired(first, second))


def _kind(t: Tensor) -> Any:
    name = t.op.name if t.op is not None else ""
    value = value_of(t)
    return name, [np.shape(v) for v in value] if isinstance(value, tuple) else (t.shape, t.dtype)


def _equal(result: Any, value: Any) -> bool:
    """Return whether recomputed values have the same bytes as the recorded ones, apart from the signs of nans."""
    for a, b in zip(result, value) if isinstance(value, tuple) else [(result, value)]:
        a = real(a)
        if not same_bytes(a, b) and not (np.shape(a) == np.shape(b) and np.array_equal(a, b, equal_nan=True)):
            return False
    return True
