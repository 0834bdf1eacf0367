"""User calls that JAX or TensorFlow splits into several ops, such as `jax.nn.softmax(x)`.

If minigrad has one op with the same value, the call becomes one node, and all adjoints are compared afterwards.
Otherwise, the expressions of the operands are recorded in the nodes of the call.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor, next_serial
from ..diagnostics.user_expressions import Span, source_of, span_of
from ..tracing.replay import graph_of, is_input, replay
from .rebuilt_program import ForeignProgram, close


def collapse(program: ForeignProgram) -> None:
    """Replace the ops of each call by one node if that is equivalent, and record the expressions of the operands."""
    groups: dict[Span, list[Tensor]] = {}
    for node in graph_of(program.y):
        if not is_input(node) and (span := span_of(node)) is not None:
            groups.setdefault(span, []).append(node)
    for span in groups:
        e = source_of(span[0]).expressions.get(span)
        if isinstance(e, (ast.Call, ast.Subscript)):
            graph = graph_of(program.y)
            nodes = [n for n in graph if not is_input(n) and span_of(n) == span]
            runs: dict[str, list[Tensor]] = {}  # iteration of a loop -> the nodes of its call
            for node in nodes:
                runs.setdefault(program.within.get(node.serial, ""), []).append(node)
            collapsed = [_collapsed(program, span, e, run, graph) for run in runs.values()]
            calls = [call for call in collapsed if call is not None]
            if calls:
                _replaced(program, _put(program, span, calls), graph)
    groups = {}
    for node in graph_of(program.y):
        if not is_input(node) and (span := span_of(node)) is not None:
            groups.setdefault(span, []).append(node)
    for span, nodes in groups.items():
        e, node = source_of(span[0]).expressions.get(span), nodes[0]
        if not isinstance(e, ast.Call) or any(n.op is not node.op for n in nodes):
            continue  # handle only calls that are a single op each time they run
        if program.dialect.named.get(program.dialect.name_of(e, span[0])) == node.op.name:
            program.dialect.order[span, node.op.name] = [*range(len(node.op.vjps or node.args))]


class _Call(NamedTuple):
    """A user's call whose recorded nodes can be replaced by one op, or by a chain of ops.

    top : the last node of the call.
    make : a function that computes `top` with minigrad's ops; it takes a map from serials to nodes.
    several : whether `make` calls more than one op.
    entering, operand : the node of the call's first operand, and the operand's expression.
    """

    top: Tensor
    make: Callable[[Any], Tensor]
    several: bool
    entering: Tensor
    operand: ast.expr | None


def _collapsed(program: ForeignProgram, span: Span, e: Any, nodes: list[Tensor], graph: list[Tensor]) -> _Call | None:
    """Return the call `e` that created `nodes` if minigrad's ops can compute the same value, else None."""
    inner = {n.serial for n in nodes}
    leaving = [
        n for n in nodes if n is program.y or any(a is n for m in graph if m.serial not in inner for a in m.args)
    ]
    if len(leaving) != 1 or len(nodes) < 2:
        return None
    (top,) = leaving
    entering = list(
        {a.serial: a for n in nodes for a in n.args if isinstance(a, Tensor) and a.serial not in inner}.values()
    )
    name = (
        "getitem"
        if isinstance(e, ast.Subscript)
        else program.dialect.named.get(program.dialect.name_of(e, span[0]), "")
    )
    lower = span in program.strange or (name in program.dialect.without_slope_at_0 and not np.all(top.value))
    parts = program.dialect.lowered.get(name, ()) if lower else (name,) if name else ()
    operands = [] if isinstance(e, ast.Subscript) else [*program.dialect.arguments(e, span).values()]
    made = _called(parts, e, operands, entering, top) if parts else None
    if made is None:
        if isinstance(e, ast.Call) and len(entering) == 1 and operands:
            mask = next((w.value for w in e.keywords if w.arg == "where"), None)
            program.dialect.synthesize(nodes, {entering[0].serial: operands[0]}, mask)
        return None
    return _Call(top, made, len(parts) > 1, entering[0], operands[0] if operands else None)


def _put(program: ForeignProgram, span: Span, calls: Sequence[_Call]) -> dict[int, Tensor]:
    """Replay the program with new ops instead of each call's nodes, and map each old node's serial to its new node."""
    start, now = next_serial(), replay(program.y, instead={call.top.serial: call.make for call in calls})
    for top, _, several, entering, operand in calls:
        new = now[top.serial]
        for node in graph_of(new):  # an op, such as a quantile, may consist of several nodes
            if node.serial >= start and not is_input(node) and span_of(node) in (None, span):
                program.calls[node.serial], node.location = span, top.location
                if top.serial in program.within:
                    program.within.setdefault(node.serial, program.within[top.serial])
        if several and operand is not None:
            first = new.args[0]
            first.location, program.calls[first.serial] = top.location, span
            program.dialect.synthesize([first, new], {entering.serial: operand})
    return now


def _replaced(program: ForeignProgram, now: dict[int, Tensor], graph: list[Tensor]) -> None:
    """Make the nodes in `now` the program's nodes, and copy the calls, numbers and lines of the old ones to them.

    now : serial of an old node -> its new node.
    """
    for old in graph:
        new = now.get(old.serial)
        if new is not None and new is not old:
            program.calls.setdefault(new.serial, program.calls.get(old.serial))
            program.within |= {new.serial: program.within[old.serial]} if old.serial in program.within else {}
            if hasattr(old, "location"):
                new.location = old.location
            if new.op is old.op and new.dtype == old.dtype and not isinstance(old.value, tuple):
                new.value = old.value
    program.tracked = [(now[n.serial], k) for n, k in program.tracked if n.serial in now]
    program.y = now[program.y.serial]


def _called(
    parts: tuple[str, ...], e: Any, operands: list[ast.expr], entering: list[Tensor], top: Tensor
) -> Callable[[Any], Tensor] | None:
    """Return a function that computes a call with minigrad's ops, or None if they do not reproduce its value.

    parts : the names of the ops, the outer op first. e, operands : the expressions of the call and its operands.
    entering, top : the recorded nodes of the operands, and the recorded result.
    """
    try:
        if isinstance(e, ast.Subscript):
            args, keywords = [None], {"key": ast.literal_eval(e.slice)}
        else:
            args = [_literal(a) for a in operands if a not in [w.value for w in e.keywords]]
            keywords = {w.arg: ast.literal_eval(w.value) for w in e.keywords if w.arg}
    except (ValueError, SyntaxError):
        return None
    places = [i for i, a in enumerate(args) if a is None]
    if len(places) != len(entering):
        return None
    for order in itertools.permutations(entering):

        def make(now: Any, order: Any = order) -> Tensor:
            filled = list(args)
            for i, a in zip(places, order):
                filled[i] = now[a.serial]
            *outer, first = parts
            y = OPS[first].call(*filled, **keywords)
            return OPS[outer[0]].call(y) if outer else y

        try:
            with np.errstate(all="ignore"):
                made = make({a.serial: a for a in entering})
                if made.dtype == top.dtype and close(made.value, top.value):
                    return make
        except Exception:  # the op does not accept these arguments
            continue
    return None


def _literal(e: ast.expr) -> Any:
    try:
        return ast.literal_eval(e)
    except (ValueError, SyntaxError):
        return None
