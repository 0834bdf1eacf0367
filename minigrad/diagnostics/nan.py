"""`find_nan`: where a nan or inf comes from, forward or backward, why, and a repair that was run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.support.error_words import visible
from ..core.tensor import Tensor
from ..tracing.labels import titles
from ..tracing.lines import SourceLine
from ..tracing.numbers import nonfinite, short
from ..tracing.recorder import backward_trace
from ..tracing.trace_schema import BackwardTrace, Node, Num
from .edit_spelling import MINIGRAD, Dialect
from .origins import NanOrigin, at_element, first_bad, infinity, nan_origins
from .other_points import sources_of
from .repairs import Also, find_repair
from .report import Repair, report_html


@dataclass(frozen=True, repr=False)
class NanReport:
    """The origin of the first nan of a computation, or of the first inf if there is no nan. False if there is neither.

    phase : "forward" when it is the value of a node, "backward" when it is a message of the backward pass.
    word : "nan" or "inf". kind : "0 * inf", "inf - inf", "0 / 0", "domain", "overflow", "masked branch" or
        "custom rule". op : the op where it first appears. factors : backward, the upstream gradient and the local
        derivative that are multiplied; forward, the arguments. reaches : the inputs whose gradient it makes non-finite.
    sentence : what happened. line : the user's line, if known.
    repair : the cause, and what to write instead, if a rewrite of the program passed all checks; see `Repair`.
    origins : all origins in the backward pass. trace : the backward pass itself.

    >>> import minigrad as mg
    >>> report = mg.find_nan(lambda x: mg.log(1 + mg.exp(x)), 100.0)
    >>> report.phase, report.word, report.kind, report.op
    ('backward', 'nan', '0 * inf', 'exp')
    """

    phase: str
    word: str
    kind: str
    op: str
    factors: tuple[Num | None, ...]
    reaches: tuple[str, ...]
    sentence: str
    line: SourceLine | None
    origins: tuple[NanOrigin, ...]
    trace: BackwardTrace
    repair: Repair = field(default_factory=Repair)

    def __bool__(self) -> bool:
        return bool(self.word)

    def sentences(self) -> list[str]:
        """What happened, where it was computed, what it reaches, and the cause."""
        if not self:
            return [self.sentence]
        told = self.repair.op == self.op and self.repair.reason not in ("input", "weights")
        lines = [f"{self.word} is born in the {self.phase} pass ({self.kind}): {self.sentence}."]
        lines += [self._computed(self.line)] if self.line else []
        lines += [f"It reaches {', '.join(self.reaches)}."] if self.reaches else []
        return [*lines, *filter(None, ["" if told else self.repair.cause, self.repair.more])]

    def _computed(self, line: SourceLine) -> str:
        """Where it was computed, with the code where the repair does not show it."""
        shown = any((no, old.strip()) == (line.no, line.text) for _, no, old, _ in self.repair.lines)
        return f"It was computed in {line.where}" + (f": {line.text}" if line.text and not shown else ".")

    def __str__(self) -> str:
        return "\n".join([*filter(None, [self.repair.table()]), *self.sentences()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return report_html(self.sentences(), self.repair.rows())


def find_nan(y: Tensor, xs: Iterable[Tensor] | None = None, names: Mapping[str, Any] | None = None) -> NanReport:
    """Find the origin of the first nan of `y` or of its gradients, or of the first inf if there is no nan.

    y : the result. xs : the Tensors whose gradients matter; by default every float that went in.
    names : what the user calls the Tensors, as `locals()` gives it.

    A repair is run before it is offered: it is finite here, and equals the program in value and gradient at other
    points. Where none is known, the report may name a usual convention, such as sqrt(var + 1e-05) in a batch norm, and
    how it changes the function; `report.repair` is false then. After `remember_lines` both are edits of the line.
    Functions with a custom gradient are not run again: there is no repair where a check would have to.

    The values are examined first, in the order in which they were computed, then the messages of one backward pass.
    Raises TypeError when y is not a Tensor.

    >>> import minigrad as mg
    >>> x = mg.constant(100.0)
    >>> report = find_nan(mg.log(1 + mg.exp(x)), names={"x": x})
    >>> report.phase, report.kind, report.op, report.factors
    ('backward', '0 * inf', 'exp', (0.0, 'inf'))
    >>> print(report.repair)
      write     : softplus(x)
      instead of: log(1 + exp(x))
      after     : value 100, gradient of x 1
      before    : value inf, gradient of x nan
      checked   : equal to the program at 20 other points, in value and gradient; its gradient here lies between the \
gradients at nearby points
    The cause is exp of 100: the result is too large for its dtype.
    """
    xs = None if xs is None else [*xs]
    return with_repair(nan_report(backward_trace(y, xs, names)), y, names, xs=xs)


def with_repair(
    report: NanReport,
    y: Tensor,
    names: Mapping[str, Any] | None = None,
    also: Also | None = None,
    dialect: Dialect = MINIGRAD,
    xs: Iterable[Tensor] | None = None,
) -> NanReport:
    """A report with the cause and a repair. also, dialect, xs : as for `find_repair`."""
    if not report:
        return report
    leaves = [node.name for node in report.trace.nodes if node.kind == "leaf" and not node.ghost]
    called = {s.serial: name for s, name in zip(sources_of(y.read_value()), leaves)}
    called |= {t.serial: visible(name) for name, t in (names or {}).items() if isinstance(t, Tensor)}
    name_of = lambda node: called.get(node.serial, "")
    repair = find_repair(y.read_value(), report.op, report.kind, name_of, also=also, dialect=dialect, xs=xs)
    return replace(report, repair=repair)


def nan_report(trace: BackwardTrace) -> NanReport:
    """What `find_nan` says of a pass that is recorded already, without a repair."""
    backward = nan_origins(trace)
    forward = _forward_origins(trace)
    for word in ("nan", "inf"):
        node = next((node for node, own in forward if own == word), None)
        origin = next((origin for origin in backward if origin.word == word), None)
        if node is not None and (word == "nan" or origin is None):
            return _forward_report(node, word, trace, backward)
        if origin is not None:
            return _backward_report(origin, trace, backward)
    return NanReport("", "", "", "", (), (), "every value and every gradient is finite", None, backward, trace)


def _forward_origins(trace: BackwardTrace) -> list[tuple[Node, str]]:
    """The nodes that are nan or inf although everything they were made from is finite, oldest first, with the word."""
    suspects = [node for node in trace.nodes if not isinstance(node.value, float)]  # what is not finite is in words
    bad = {node.id: word for node in suspects if (word := nonfinite(node.value)) is not None}
    if not bad:
        return []
    entering = [edge for edge in trace.edges if edge.src in bad and edge.dst in bad]
    spoilt = {edge.dst for edge in entering if not edge.ghost}
    worse = {edge.dst for edge in entering if bad[edge.dst] == bad[edge.src] == "nan"}
    own = {id for id, word in bad.items() if id not in spoilt or (word == "nan" and id not in worse)}
    return [(node, bad[node.id]) for node in trace.nodes if node.id in own and not node.ghost]


def _arguments(trace: BackwardTrace, node: int) -> list[Node]:
    ghost = trace.nodes[node].ghost
    edges = sorted((e for e in trace.edges if e.dst == node and e.ghost == ghost), key=lambda e: e.arg)
    return [trace.nodes[e.src] for e in edges]


def _forward_report(node: Node, word: str, trace: BackwardTrace, found: tuple[NanOrigin, ...]) -> NanReport:
    call, node = node, _inside(node, word, trace)
    arguments = _arguments(trace, node.id)
    if not arguments:
        kind, sentence = "input", f"the input {titles(trace)[node.id]} is {word} from the start"
    elif word == "inf":
        kind, sentence = infinity(node, arguments)
    else:
        values = [nonfinite(a.value) for a in arguments]
        kind = _forward_kind(node.op, arguments, values)
        element = first_bad(node.value, "nan")
        numbers = [_digits(at_element(a.value, element), a.dtype) for a in arguments]
        sentence = f"{node.op}({', '.join(numbers)}) is nan"
        if len(numbers) == 1 and not (node.op in OPS and OPS[node.op].elementwise):
            holding = f", which holds {values[0]}," if values[0] else ""
            sentence = f"{node.op} of an array of shape {np.shape(arguments[0].value)}{holding} is nan"
            sentence += ": it subtracts the largest score, and inf - inf is nan" if kind == "inf - inf" else ""
        elif kind == "domain" and len(numbers) == 1:
            sentence += f": {numbers[0]} is outside the domain of {node.op}"
    sentence = sentence if node is call else f"inside {call.op}, {sentence}"
    reaches = tuple(n.name for n in trace.nodes if n.kind == "leaf" and n.adjoint is not None and nonfinite(n.adjoint))
    factors = tuple(a.value for a in arguments)
    return NanReport("forward", word, kind, call.op, factors, reaches, sentence, node.line, found, trace)


def _digits(v: Num, dtype: str) -> str:
    """A number in a few digits; in all those of its dtype if it is beside 1 or -1, as 1.0000001."""
    text = short(v)
    return str(np.dtype(dtype).type(v)) if text in ("1", "-1") and isinstance(v, float) and abs(v) != 1 else text


def _inside(call: Node, word: str, trace: BackwardTrace) -> Node:
    """The op in the body of a custom call that is first nan or inf; `call` itself where there is none."""
    body = (n for n in trace.nodes if n.ghost_of == call.id and nonfinite(n.value) == word)
    return next((n for n in body if _arguments(trace, n.id)), call)


def _forward_kind(op: str, arguments: list[Node], values: list[str | None]) -> str:
    if "inf" in values and op in ("subtract", "add", "sum", "mean", "softmax", "log_softmax"):
        return "inf - inf"
    if "inf" in values and op in ("multiply", "divide"):
        return "0 * inf" if op == "multiply" else "inf / inf"
    if op == "divide":
        return "0 / 0"
    return "domain"


def _backward_report(origin: NanOrigin, trace: BackwardTrace, found: tuple[NanOrigin, ...]) -> NanReport:
    node, edge = trace.nodes[origin.node], trace.edges[origin.edge]
    reaches = tuple(dict.fromkeys(trace.nodes[path[-1]].name for path in origin.paths))
    factors = (trace.steps[origin.step].g, edge.local_value)
    return NanReport(
        "backward", origin.word, origin.kind, node.op, factors, reaches, origin.sentence, node.line, found, trace
    )
