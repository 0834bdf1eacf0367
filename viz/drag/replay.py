"""A recorded pass once more, on stand-ins for its numbers: every value and every message becomes a NumPy call.

The nodes hold stand-ins for their values meanwhile, so the rules compute with these, those of custom gradients too.
What Python decides by a number is a guard; where a number leaves the graph, the pass cannot be followed.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.calling import compute
from minigrad.core.custom_call import CustomCall
from minigrad.core.graph import ancestors
from minigrad.core.op import PICK, hooks
from minigrad.core.structure import flatten
from minigrad.core.tensor import Tensor, next_serial
from minigrad.core.variable import READ, Variable
from minigrad.programs.lines import Line
from minigrad.programs.listing import NotAProgram, StandIn, real, same_bytes
from minigrad.programs.recording import watching
from minigrad.tracing.names import captured_by

from .tape import NotFollowed
from .watch import VALUE, Guard, Watch, nans_decide, value_of


class CalledWith(NamedTuple):
    """A function that was called: with what, and a serial from just before."""

    f: Callable[..., Any]
    inputs: Mapping[str, Any]
    since: int


class Replay:
    """The graph of `y` with stand-ins for its values, inside of `with`.

    y : the same as the Tensor that was given; another, made by the same ops, where `call` says how it was made.
    recorded : by the serial of a Tensor behind `y` that of the recorded one, where they differ.
    inputs : the leaves of floats, each with the line that stands for it.
    guards : the decisions. listing : what happened.
    """

    def __init__(self, y: Tensor, call: CalledWith | None) -> None:
        self.y, self._call, self._watch = y, call, Watch()
        self.recorded: dict[int, int] = {}
        self._graph = [t for t in ancestors([y], parents=_parents) if not isinstance(t, Variable)]
        self._serials = {t.serial for t in self._graph}
        self.inputs: list[tuple[Tensor, Line]] = []

    @property
    def guards(self) -> list[Guard]:
        return self._watch.guards

    def start(self, value: Any) -> Any:
        """A stand-in for what comes from outside."""
        return self._watch.start(value)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """While the block runs the nodes hold stand-ins. Raises NotFollowed where the pass cannot be followed."""
        before = [(t, t.value) for t in self._graph]
        try:
            with watching(listing=self._watch, recording=self._watch), np.errstate(all="ignore"), nans_decide():
                since = self._call.since if self._call else next_serial()
                for t, value in before:
                    if t.serial < since or t.op is READ:
                        VALUE.__set__(t, self._made(t, value))
                if self._call:
                    self._run(self._call, {t.serial: value for t, value in before})
                with _seeing(lambda node: self._check(node, since)):
                    yield
                if self._watch.refusals:
                    raise self._watch.refusals[0]
        except NotAProgram as error:
            raise NotFollowed(str(error)) from None
        except NotFollowed:
            raise
        except Exception as error:  # of the user's code, which stand-ins may surprise: the picture is shown anyway
            for refusal in self._watch.refusals:
                raise NotFollowed(str(refusal)) from error
            raise NotFollowed(f"the pass raises {type(error).__name__} when it is run again") from error
        finally:
            for t, value in before:
                VALUE.__set__(t, value)

    def _made(self, t: Tensor, value: Any) -> Any:
        """What stands for the value of a node."""
        op = t.op
        if op is READ or op is None:
            if op is READ:
                self._watch.reads[id(t.args[0])] = t
            if t.dtype.kind != "f":
                return value
            given = self._watch.start(value)
            self.inputs.append((t, given.line))
            return given
        if isinstance(op, CustomCall):
            outputs = tuple(value_of(out.read_value()) for out in op.body_outputs)
            return outputs if isinstance(value, tuple) else outputs[0]
        if op is PICK:
            return value_of(t.args[0])[t.args[1]]
        args = [value_of(a) if isinstance(a, Tensor) else a for a in t.args]
        flat = [x for a in args for x in (a if isinstance(a, tuple) else (a,))]
        if not any(issubclass(type(a), StandIn) for a in flat):
            return value
        found = compute(op, args, t.kwargs)
        if not _equal(found, value):
            raise NotFollowed(f"{op.name} gives other numbers when it is called again")
        return tuple(found) if isinstance(value, tuple) else found

    def _run(self, call: CalledWith, values: Mapping[int, Any]) -> None:
        """Call the function again; its graph must be the one that was recorded, with the same numbers."""
        begin, first = next_serial(), self.y
        with contextlib.redirect_stdout(io.StringIO()):
            y = call.f(**call.inputs)
        if self._watch.refusals:  # the function may have caught it
            raise self._watch.refusals[0]
        other = NotFollowed("the function gives other numbers when it is called again")
        if not isinstance(y, Tensor):
            raise other
        self.y = y.read_value()
        for was, now in _paired(first, self.y):
            if was is None or now is None or _kind(was) != _kind(now):
                raise other
            if call.since <= now.serial < begin and now.op is not READ:
                raise NotFollowed("the function returns what it kept from its first call")
            if not _equal(value_of(now), values[was.serial]):
                raise other
            self.recorded[now.serial] = was.serial
        self._serials |= set(self.recorded)

    def _check(self, node: Tensor, since: int) -> None:
        """A rule must not compute with what was made elsewhere: that would look like a constant."""
        for a in node.args:
            outside = isinstance(a, Tensor) and a.serial < since and a.serial not in self._serials
            if outside and a.op is not None and a.op is not READ and a.dtype.kind == "f":
                raise NotFollowed(f"a rule computes with {a.op.name}, which is no part of the picture")


def _parents(node: Tensor) -> list[Tensor]:
    """What the value of a node is made of, and the Tensors that its rule has captured."""
    args = [a for a in node.args if isinstance(a, Tensor)]
    if isinstance(node.op, CustomCall):
        values = [x for v in captured_by(node.op.grad_fn).values() for x in flatten(v)]
        captured = [x for x in values if type(x) is Tensor and x.serial < node.serial]
        return [*args, *(out.read_value() for out in node.op.body_outputs), *captured]
    return args if not isinstance(node, Variable) else []


def _paired(first: Tensor, second: Tensor) -> Iterator[tuple[Tensor | None, Tensor | None]]:
    """The Tensors behind two that stand at the same place; None where there is none, or another.

    Serials do not tell it: a Variable that the first call read is older than all of the second.
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
        ours, theirs = ([t for t in _parents(y) if not isinstance(t, Variable)] for y in (was, now))
        pending += zip_longest(ours, theirs)


@contextlib.contextmanager
def _seeing(see: Callable[[Tensor], None]) -> Iterator[None]:
    hooks.append(see)
    try:
        yield
    finally:
        hooks.remove(see)


def _kind(t: Tensor) -> Any:
    name = t.op.name if t.op is not None else ""
    value = value_of(t)
    return name, [np.shape(v) for v in value] if isinstance(value, tuple) else (t.shape, t.dtype)


def _equal(found: Any, value: Any) -> bool:
    """Whether what was computed again has the bytes of what was recorded, the signs of nans aside."""
    for a, b in zip(found, value) if isinstance(value, tuple) else [(found, value)]:
        a = real(a)
        if not same_bytes(a, b) and not (np.shape(a) == np.shape(b) and np.array_equal(a, b, equal_nan=True)):
            return False
    return True
