"""What a reader wants to know about the lines of a program: what the user calls them, and where gradients pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..core.backward import backward
from ..core.custom_call import CustomCall
from ..core.op import as_leaf, hooks
from ..core.pullback import passes
from ..core.scattered import Scattered
from ..core.tensor import Tensor
from ..tracing.names import looking
from .lines import Line, seed
from .listing import Listing, StandIn, here


class NotedSend(NamedTuple):
    """A message to argument number `number` of a node, which the node with serial `to` gets. line : None if fixed."""

    number: int
    to: int
    line: Line | None


class NotedStep(NamedTuple):
    """A step of a backward pass: the node, what arrived there, what it sends, and which lines were written for it."""

    node: int
    op: str
    value: Line | None
    rule: str
    upstream: Line | None
    sends: list[NotedSend]
    begin: int
    end: int


class Notes:
    """What is noted while lines are written.

    names : what the user calls a line. nodes : (serial, line) for each Tensor that was made. steps : of all passes.
    """

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        listing.notes = self
        self.names: dict[Line, str] = {}
        self.nodes: list[tuple[int, Line]] = []
        self.steps: list[NotedStep] = []

    @contextmanager
    def taking(self, named: bool = False) -> Iterator[None]:
        """While the block runs, notes are taken; `named` : also of the names of local variables, which is slow."""
        hooks.append(self._node)
        passes.append(self.steps_of)
        found: dict[Any, str] = {}
        try:
            with looking(found, _key) if named else nullcontext():
                yield
        finally:
            passes.remove(self.steps_of)
            hooks.remove(self._node)
            by_serial = dict(self.nodes)
            for key, name in found.items():
                line = by_serial.get(key) if isinstance(key, int) else key
                if line is not None:
                    self.names[line] = name

    def _node(self, node: Tensor) -> None:
        line = line_of(node)
        if line is not None and here.listing is self.listing:
            self.nodes.append((node.serial, line))

    def steps_of(
        self, targets: Any, upstreams: Any, sources: Any, cut: Any = (), unreached: Any = None
    ) -> Iterator[Any]:
        """A backward pass; upstream gradients that are known are lines of their own, so that one sees them."""
        if here.listing is not self.listing:  # of another thread
            yield from backward(targets, upstreams, sources, cut, unreached)
            return
        lines = self.listing.lines
        begin = len(lines)
        steps = backward(targets, [self._seed(u) for u in upstreams], sources, cut, unreached)
        del targets, upstreams
        for node, upstream, sends in steps:
            found = [NotedSend(i, a.serial, line_of(c)) for i, a, c in sends if not isinstance(a.value, tuple)]
            arrived = None if isinstance(upstream, dict) else line_of(upstream)
            name, end = node.op.name if node.op else "", len(lines)
            self.steps.append(NotedStep(node.serial, name, line_of(node), _rule(node), arrived, found, begin, end))
            begin = len(lines)
            yield node, upstream, sends
            del node, upstream, sends

    def _seed(self, upstream: Any) -> Any:
        tensor = isinstance(upstream, Tensor)
        value = upstream.value if tensor else upstream
        if not isinstance(value, (np.ndarray, np.generic)) or line_of(value) or (tensor and upstream.op is not None):
            return upstream
        found = self.listing.call(seed, (value,))
        return as_leaf(found) if tensor else found


def line_of(x: Any) -> Line | None:
    """The line that gives the value of a Tensor, or what a stand-in stands for."""
    part = x.value if isinstance(x, Scattered) else x
    value = part.value if isinstance(part, Tensor) else part
    return value.line if issubclass(type(value), StandIn) else None


def _rule(node: Tensor) -> str:
    """What is said about a rule that the user wrote."""
    return f"{getattr(node.op.grad_fn, '__name__', 'rule')} of {node.op.name}" if type(node.op) is CustomCall else ""


def _key(x: Any) -> Any:
    return x.serial if isinstance(x, Tensor) else x.line if issubclass(type(x), StandIn) else None
