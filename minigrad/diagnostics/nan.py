"""`find_nan`: find where a nan or inf comes from, forward or backward, and why, and suggest a tested repair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..core.graph import ancestors
from ..core.support.error_words import visible
from ..core.support.fast import gc_paused
from ..core.tensor import Tensor
from ..tracing.labels import titles
from ..tracing.numbers import nonfinite
from ..tracing.recorder import backward_trace
from ..tracing.replay import graph_of
from ..tracing.trace_schema import BackwardTrace, Node
from ..tracing.user_lines import line_of
from .domains import finite, numbers_in, value_of
from .edit_spelling import MINIGRAD, Dialect
from .first_overflow import first_overflow, overflow_of
from .forward_words import why_nan
from .lost_digits import lost_digits
from .masks_and_fills import filling, infinite_at, is_fill, is_mask
from .met_numbers import exact_words
from .nan_sentences import NanReport, listed
from .origins import NanOrigin, infinity, nan_origins
from .other_points import sources_of
from .reach import VALUE, Reach
from .repairs import Also, find_cause, find_repair
from .second_derivatives import Twice, twice_differentiated

MOST_NUMBERS = 1_000_000  #: graphs with more numbers than this are not searched for lost digits
MOST_REPORTS = 4  #: the maximum number of origins that are reported, each with the inputs that it affects
OVERFLOW = ", the largest "  #: part of each sentence that names a number outside the range of its dtype


def find_nan(y: Tensor, xs: Iterable[Tensor] | None = None, names: Mapping[str, Any] | None = None) -> NanReport:
    """Find where a nan first appears in `y` or its gradients; without a nan, find where an inf first appears.

    y : the result. xs : the Tensors whose gradients matter; by default all float inputs.
    names : the user's names of the Tensors, as from `locals()`.

    A repair is run before it is offered: it must be finite at this point, and equal to the program in value and
    gradient at other points. If no repair is known, the report may name a usual convention, such as sqrt(var + 1e-05)
    in a batch norm, and how it changes the function; `report.repair` is then false. After `remember_lines`, repairs and
    conventions are edits of the line. Functions with a custom gradient are never rerun, and a repair that can be
    checked only by rerunning one is not offered.

    The values are examined first, in the order they were computed, then the messages of one backward pass.

    Raises TypeError if y is not a Tensor.

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
    report = placed(nan_report(backward_trace(y, xs, names)), y)
    if report:
        return with_repair(report, y, names, xs=xs)
    sources = sources_of(y.read_value()) if xs is None else [x.read_value() for x in xs]
    return with_lost_digits(report, y, sources, names)


def with_lost_digits(
    report: NanReport, y: Tensor, xs: Sequence[Tensor], names: Mapping[str, Any] | None = None, **options: Any
) -> NanReport:
    """If all numbers are finite, add to the report a gradient that lost digits, if there is one.

    options : passed on to `lost_digits`.
    """
    if sum(int(np.size(n.value)) for n in graph_of(y.read_value()) if not isinstance(n.value, tuple)) > MOST_NUMBERS:
        return report
    called = names_of(report.trace, y, names)
    lost = lost_digits(y.read_value(), xs, lambda node: called.get(node.serial, "an input"), **options)
    return report if lost is None else replace(report, sentence=f"{report.sentence}; {lost}.", lost=lost)


def names_of(trace: BackwardTrace, y: Tensor, names: Mapping[str, Any] | None) -> dict[int, str]:
    """Map the serial of each input of `y` to the user's name for it, or to the trace's name if it has none."""
    leaves = [node.name for node in trace.nodes if node.kind == "leaf" and not node.ghost]
    called = {s.serial: name for s, name in zip(sources_of(y.read_value()), leaves)}
    return called | {t.serial: visible(name) for name, t in (names or {}).items() if isinstance(t, Tensor)}


def placed(
    report: NanReport, y: Tensor, within: Mapping[int, str] | None = None, reasons: Mapping[int, Any] | None = None
) -> NanReport:
    """Add to a report the module or iteration of each origin, and the first overflow on the way to a nan.

    within : serial of a node of `y` -> the module, or the iteration of a loop, that contains it.
    reasons : serial of a node whose op is opaque -> the kind of its nan or inf, and the reason.
    """
    within, reasons = within or {}, reasons or {}
    nodes = {report.trace.node_of.get(n.serial): n for n in graph_of(y.read_value())}

    overflows: dict[int, int] = {}  # id of a report's node -> serial of the node with the first overflow

    def one(report: NanReport) -> NanReport:
        node = nodes.get(report.node)
        if node is None:
            return report
        forward, first, outgrown = report.phase == "forward", "", ""
        if forward and report.factors:
            shown, arguments = report.trace.nodes[report.node], _arguments(report.trace, report.node)
            kind, sentence = exact_words(node, shown, arguments, report.word) or (report.kind, report.sentence)
            report = replace(report, kind=kind, sentence=sentence)
        named = report.word == "inf" or (not forward and OVERFLOW in report.sentence)
        overflow = None if named else first_overflow(node if forward else y.read_value())
        if (report.phase, report.word, report.kind) == ("forward", "inf", "overflow"):
            overflows[report.node] = node.serial
        if overflow is not None and (forward or overflow.number is not None):
            overflows[report.node] = overflow.node.serial
            line, place = line_of(overflow.node), within.get(overflow.node.serial, "")
            why = reasons.get(overflow.node.serial)
            where = "on the way to it" if forward else "of the forward pass"
            words = f"The first inf {where}: {overflow}{'' if why is None else f': {why.text}'}"
            first = ", in ".join(filter(None, [words, line.where if line else "", place])) + "."
            outgrown = str(overflow.node.dtype) if forward and overflow.number is not None else ""
        reason, kind, sentence = reasons.get(node.serial), report.kind, report.sentence
        if (report.phase, report.word) == ("forward", "inf") and node.op is not None and node.op.kind == "foreign":
            overflow = overflow_of(node) if finite(*map(value_of, numbers_in(node.args))) else None
            if overflow is not None and overflow.number is not None:
                kind, sentence = "overflow", str(overflow)
        if report.phase == "backward" and kind == "domain" and node.op is not None and node.op.kind == "custom":
            kind = "custom rule"
            sentence = f"{sentence.partition(': ')[0]}: the rule of {node.op.name} returned {report.word}"
        if reason is not None:
            kind, sentence = reason.kind, f"{sentence}: {reason.text}"
        place = within.get(node.serial, "")
        return replace(report, within=place, first=first, outgrown=outgrown, kind=kind, sentence=sentence)

    return _merged([one(each) for each in (report, *report.others)], nodes, overflows)


def _merged(
    reports: Sequence[NanReport], nodes: Mapping[int | None, Tensor], overflows: Mapping[int, int]
) -> NanReport:
    """Merge the reports on inputs that one overflow reaches in several ways: the reader looks for one cause.

    nodes : id of a node in the trace -> the node. overflows : id of a report's node -> the first overflow's serial.
    """
    merged: list[NanReport] = []
    for report in reports:
        i = next((i for i, other in enumerate(merged) if _same_overflow(other, report, nodes, overflows)), None)
        if i is None:
            merged.append(report)
            continue
        ends, reaches = merged[i].ends | report.ends, tuple(dict.fromkeys((*merged[i].reaches, *report.reaches)))
        merged[i] = replace(merged[i], ends=ends, reaches=reaches, what=_what(report.trace, ends))
    return replace(merged[0], others=(*merged[1:],))


def _same_overflow(
    one: NanReport, other: NanReport, nodes: Mapping[int | None, Tensor], overflows: Mapping[int, int]
) -> bool:
    """Return whether two reports are about the same first inf, or about an overflow and its gradient's overflow."""
    if one.node in overflows and overflows[one.node] == overflows.get(other.node):
        return True
    if (one.phase, one.kind, other.phase, other.kind) != ("forward", "overflow", "backward", "overflow"):
        return False
    if one.node not in nodes or other.node not in nodes:
        return False
    return any(node is nodes[other.node] for node in ancestors([nodes[one.node]]))


def with_repair(
    report: NanReport,
    y: Tensor,
    names: Mapping[str, Any] | None = None,
    also: Also | None = None,
    dialect: Dialect = MINIGRAD,
    xs: Iterable[Tensor] | None = None,
    twice: Twice = twice_differentiated,
    blamed: Sequence[Tensor] = (),
) -> NanReport:
    """Add the cause and a repair to a report.

    also, dialect, xs, twice, blamed : see `find_repair`.
    """
    if not report:
        return report
    called = names_of(report.trace, y, names)
    xs = None if xs is None else [*xs]
    name_of = lambda node: called.get(node.serial, "")
    sources, node_of = sources_of(y.read_value()), report.trace.node_of
    born = {node_of.get(node.serial): node for node in graph_of(y.read_value())}

    def place(one: NanReport) -> dict[str, Any]:
        ends = {end for other in reports if other is not one for end in other.ends} - one.ends
        elsewhere = [x for x in sources if node_of.get(x.serial) in ends]
        node, forward = born.get(one.node), one.phase == "forward" or one.kind == "input"
        origins = {"origin": node if forward else None, "sender": None if forward else node}
        return {"op": one.op, "kind": one.kind, "called": name_of, "xs": xs, "elsewhere": elsewhere, **origins}

    reports, forward_nans = (report, *report.others), _forward_origins(report.trace)
    search = partial(find_repair, y.read_value(), also=also, dialect=dialect, twice=twice)
    # A search has only a second or two, and a garbage collection of many objects can take as long as that.
    with gc_paused(), np.errstate(all="ignore"):
        whole = search(**place(report), blamed=blamed)
        origins = {other.node for other in reports} | {n.id for n, word in forward_nans if word == "nan"}
        others = lambda one: [born[id] for id in origins - {one.node} if id in born]
        lone = whole or len(origins) == 1
        repairs = [] if lone else [search(**place(one), apart=others(one)) for one in reports]
        if not any(repairs) and (whole.grade or not repairs):  # one search found the repair for all reports
            repairs = [whole, *(find_cause(y.read_value(), **place(one))[1] for one in report.others)]
    reports = tuple(replace(one, repair=repair) for one, repair in zip(reports, repairs))
    return replace(reports[0], others=reports[1:])


def nan_report(trace: BackwardTrace) -> NanReport:
    """Return the report of `find_nan` on a recorded pass, without a repair."""
    backward, reach, forward = nan_origins(trace), Reach(trace), _forward_origins(trace)
    rows: list[tuple[set[int], Any]] = []
    for word in ("nan", "inf"):
        rows += [
            (reach.of_value(node.id), partial(_forward_report, filling(node, trace, forward), word, trace, backward))
            for node, kind in sorted(forward, key=lambda pair: is_fill(pair[0], trace))
            if kind == word and not (is_mask(node, trace) and not reach.of_value(node.id))
        ]
        rows += [
            (reach.of_origin(origin), partial(_backward_report, origin, trace, backward))
            for origin in backward
            if origin.word == word
        ]
    reports, unreached = list[NanReport](), set(reach.ends)
    for ends, report in [row for row in rows if row[0] & reach.ends] or rows[:1]:
        if len(reports) < MOST_REPORTS and (ends & unreached or not reports):
            reached = frozenset(ends & unreached)
            named = dict.fromkeys(node.name for node in trace.nodes if node.id in reached)
            reports.append(replace(report(), reaches=(*named,), ends=reached, what=_what(trace, reached)))
            unreached -= {*ends, VALUE}  # the first origin alone explains the value
    if not reports:
        masked = next((node for node, _ in forward), None)
        sentence = "every value and every gradient is finite"
        if masked is not None:
            sentence = f"the value and every gradient are finite; {_title(masked, trace)} {infinite_at(masked)}"
        return NanReport("", "", "", "", (), (), sentence, None, backward, trace)
    return replace(reports[0], others=(*reports[1:],))


def _what(trace: BackwardTrace, ends: frozenset[int]) -> str:
    """Describe the nonfinite ends, as in "nan in the value and the gradients of w, b"; return "" if all are finite.

    The value may be infinite and a gradient nan, or the other way round, so each end is described by its own numbers.
    """
    value = next((word for node in trace.nodes if node.output and (word := nonfinite(node.value))), None)
    parts = []
    for word in ("nan", "inf"):
        spoilt = (node for node in trace.nodes if node.id in ends and nonfinite(node.adjoint) == word)
        names = [*dict.fromkeys(node.name for node in spoilt)]
        gradients = [f"the gradient{'s' * (len(names) > 1)} of {listed(names)}"] if names else []
        where = ["the value"] * (value == word and VALUE in ends) + gradients
        parts += [f"{word} in {' and '.join(where)}"] if where else []
    apart = value is None or VALUE not in ends
    return ", ".join(parts) + (f"; the value is {value or 'finite'}" if parts and apart else "")


def _forward_origins(trace: BackwardTrace) -> list[tuple[Node, str]]:
    """Return the nodes where a nan or inf first appears in the forward pass, oldest first, each with "nan" or "inf"."""
    # A plain float is finite, because the trace stores nan and inf as words.
    suspects = [node for node in trace.nodes if not isinstance(node.value, float)]
    bad = {node.id: word for node in suspects if (word := nonfinite(node.value)) is not None}
    if not bad:
        return []
    # In the trace, a call with a rule comes before the nodes of its body (the ghosts), although an edge leads from the
    # body to the call.
    entering = [edge for edge in trace.edges if edge.src in bad and edge.dst in bad and not edge.ghost]
    spoilt = {edge.dst for edge in entering}
    worse = {edge.dst for edge in entering if bad[edge.dst] == bad[edge.src] == "nan"}
    own = {id for id, word in bad.items() if id not in spoilt or (word == "nan" and id not in worse)}
    return [(node, bad[node.id]) for node in trace.nodes if node.id in own and not node.ghost]


def _arguments(trace: BackwardTrace, node: int) -> list[Node]:
    ghost = trace.nodes[node].ghost
    edges = sorted((e for e in trace.edges if e.dst == node and e.ghost == ghost), key=lambda e: e.arg)
    return [trace.nodes[e.src] for e in edges]


def _forward_report(node: Node, word: str, trace: BackwardTrace, origins: tuple[NanOrigin, ...]) -> NanReport:
    call, node = node, _inside(node, word, trace)
    arguments = _arguments(trace, node.id)
    if not arguments:
        kind, sentence = "input", f"{_title(node, trace)} is {word} from the start"
    elif word == "inf":
        kind, sentence = infinity(node, arguments)
    else:
        kind, sentence = why_nan(node, arguments)
    sentence = sentence if node is call else f"inside {call.op}, {sentence}"
    factors = tuple(a.value for a in arguments)
    return NanReport("forward", word, kind, call.op, factors, (), sentence, node.line, origins, trace, node=call.id)


def _title(node: Node, trace: BackwardTrace) -> str:
    """Return a phrase for an input, a constant or a result, such as "the input x"."""
    users = [trace.nodes[edge.dst].op for edge in trace.edges if edge.src == node.id]
    if node.kind == "const" and users:
        return f"a constant of {users[0]}"
    title = titles(trace)[node.id]
    return title if title.startswith("a ") else f"{'the result' if _arguments(trace, node.id) else 'the input'} {title}"


def _inside(call: Node, word: str, trace: BackwardTrace) -> Node:
    """Return the first op in a custom call's body whose value is `word` ("nan" or "inf"), or the call itself."""
    body = (n for n in trace.nodes if n.ghost_of == call.id and nonfinite(n.value) == word)
    return next((n for n in body if _arguments(trace, n.id)), call)


def _backward_report(origin: NanOrigin, trace: BackwardTrace, origins: tuple[NanOrigin, ...]) -> NanReport:
    node, edge = trace.nodes[origin.node], trace.edges[origin.edge]
    factors = (trace.steps[origin.step].g, edge.local_value)
    return NanReport(
        "backward", origin.word, origin.kind, node.op, factors, (), origin.sentence, node.line, origins, trace,
        node=node.id,
    )  # fmt: skip
