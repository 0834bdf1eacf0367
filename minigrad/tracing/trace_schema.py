"""The record of one backward pass as plain data. Every picture, report and test is made from this record.

`minigrad.backward_trace(y)` runs the engine's own backward loop once and records each step: the node, its upstream
gradient, and every message to its arguments. Nothing here computes a gradient, so a picture drawn from a trace cannot
disagree with the engine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Union

from ..core.support.error_words import visible
from .trace_json import read_trace
from .user_lines import SourceLine

SCHEMA = "minigrad.backward/1"
VARIABLE = "Variable"  #: the `detail` of a leaf that was read from a Variable

COPIED = "made by the engine"  #: the `detail` of a connected copy of a Tensor, which the engine made for a rule

#: A number in a trace: a float, one of "nan", "inf", "-inf", or an array's summary.
Num = Union[float, str, "Summary"]


@dataclass(frozen=True)
class Summary:
    """An array in a trace: its shape, dtype and range, and at most 64 of its elements in C order."""

    shape: tuple[int, ...]
    dtype: str
    min: float | str
    max: float | str
    mean: float | str
    zeros: int
    nan: int
    inf: int
    sample: tuple[float | str, ...]


@dataclass(frozen=True)
class Node:
    """One box of the picture.

    kind: "leaf" (an input), "const" (a number or an array that gets no gradient), "op", "custom" (a call with a rule
    that the user wrote) or "output" (an op that was differentiated). `output` is true for the node that was
    differentiated, whatever its kind. `detail` contains options such as "axis=0", the `variables` of a custom call's
    rule, "Variable" for a leaf that was read from a Variable, or "made by the engine" for a copy of an argument that
    the engine made for a rule. `scope` names the scopes and function calls around the node. A ghost belongs to the body
    of the custom call `ghost_of`: the node ran, but its derived adjoint was replaced.

    Some texts come from users. Nonprinting characters in them are replaced by escapes such as "\\x1b".
    """

    id: int
    op: str
    name: str
    kind: str
    value: Num
    shape: tuple[int, ...]
    dtype: str
    adjoint: Num | None = None
    scope: tuple[str, ...] = ()
    line: SourceLine | None = None
    ghost: bool = False
    ghost_of: int | None = None
    custom: str | None = None
    output: bool = False
    detail: str = ""

    def __post_init__(self) -> None:
        if not "".join((self.op, self.name, self.custom or "", self.detail, *self.scope)).isprintable():
            words = {"op": self.op, "name": self.name, "detail": " ".join(self.detail.split())}
            words |= {"custom": self.custom} if self.custom else {}
            for field_name, text in words.items():
                object.__setattr__(self, field_name, visible(text))
            object.__setattr__(self, "scope", tuple(map(visible, self.scope)))


@dataclass(frozen=True)
class Edge:
    """Argument number `arg` of node `dst` is node `src`. `local` is the local derivative as text, such as "1 / a"."""

    id: int
    src: int
    dst: int
    arg: int
    local: str | None = None
    local_value: Num | None = None
    ghost: bool = False


@dataclass(frozen=True)
class Send:
    """One message along an edge, from `dst` to `src`: `after` is `before` plus `value`.

    `before` is None, which is not the same as 0.0, if this is the first message.
    event: "first", "accumulate", "nan-born", "inf-born", "carries" (a nan or inf, passed on) or "stops" (only zeros).
    """

    edge: int
    to: int
    value: Num
    before: Num | None
    after: Num
    event: str


@dataclass(frozen=True)
class Step:
    """One step of the pass: it visits `node`, whose adjoint `g` is complete, and sends a message along each edge.

    rule: "derived", or "custom:NAME" if a grad_fn called NAME returned the messages.
    """

    i: int
    node: int
    rule: str
    g: Num
    sends: tuple[Send, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", visible(self.rule))


@dataclass(frozen=True)
class Ghost:
    """The derived backward pass through the body of custom call `of`, which the custom rule replaced.

    raised : the error, if a rule in the body raised one; there are then no steps. Only this pass calls such a rule.
    """

    of: int
    steps: tuple[Step, ...] = ()
    raised: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "raised", visible(self.raised))


@dataclass(frozen=True)
class BackwardTrace:
    """One backward pass. `nodes` are listed oldest first, and `steps` in the order of the pass.

    node_of : the number of each Tensor's node, by the Tensor's serial; empty for a trace that was read from JSON.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> trace = mg.backward_trace(x * x)
    >>> [node.op for node in trace.nodes], len(trace.steps)
    (['leaf', 'multiply'], 2)
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    steps: tuple[Step, ...]
    ghosts: tuple[Ghost, ...] = ()
    schema: str = field(default=SCHEMA)
    node_of: Mapping[int, int] = field(default_factory=dict, repr=False, compare=False)

    def to_json(self) -> str:
        """Return the trace as JSON; numbers that JSON cannot represent become the strings "nan", "inf" and "-inf"."""
        data = {name: value for name, value in asdict(self).items() if name != "node_of"}
        return json.dumps(data, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> BackwardTrace:
        """Read the trace that `to_json` wrote.

        Raises ValueError for a different schema and for a wrong field; the message for a field contains its path, the
        expected value and the actual value.

        >>> BackwardTrace.from_json('{"schema": "minigrad.backward/1", "nodes": 3}')
        Traceback (most recent call last):
            ...
        ValueError: nodes of a trace must be a list, got 3
        """
        trace: BackwardTrace = read_trace(cls, text)
        return trace
