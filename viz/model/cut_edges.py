"""Cut edges: a rule turned a Tensor into a plain number, so gradients of gradients end there.

A gradient is itself a graph. `float(x)` or `x.numpy()` inside a rule returns a plain number without a record, and the
engine notes the line. This file turns the note into a cut edge in the picture of the gradient.

A cut edge is drawn if all of these conditions are true:

- The Tensor that left the graph still exists, or a call keeps a copy of it.
- The result depends on an op that the same code ran on that line or a later one. The op computes with a number that is
  not a literal in the code, or with a Tensor made from such a number.
- The code is a rule: a function inside another function, or a function with an argument called dy, g, grad or upstream.
  In other code, the op must be on that very line, as in `w * math.sqrt(x)`, or compute with the number that left. An op
  of a rule inside that code must compute with the number that left.

So a number that is only compared, as in `if float(x) > 0: return 2 * dy`, draws no edge. The record cannot show whether
a number came from this Tensor or from somewhere else in the same code.

The result of `grad` or another transform outside the function is also cut off: it has no record of its inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import CodeType
from typing import Any

import numpy as np

from minigrad.core.custom import CustomCall
from minigrad.core.gradients import unrecorded_part
from minigrad.core.graph import ancestors, inputs
from minigrad.core.support.detached import detached, detached_copies
from minigrad.core.support.error_words import visible
from minigrad.core.support.user_frames import line_number
from minigrad.core.tensor import Tensor
from minigrad.core.variable import READ, Variable
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import BackwardTrace, Edge, Node
from minigrad.tracing.user_lines import line_at

CUT = -1000  #: the argument index of an edge that is missing from the graph
INSIDE = 0x10  #: the code flag of a function inside another function, such as a rule
UPSTREAM = {"dy", "g", "grad", "upstream", "dys", "grads"}


#: A Tensor that left the graph as a plain number, and the op that computes with it.
Cut = tuple[Tensor, Tensor]


def cuts_behind(y: Tensor) -> list[Cut]:
    """Return the cuts behind `y`: each Tensor that a rule turned into a plain number, and the op that uses the number.

    The oldest Tensor comes first.
    """
    if not detached and not detached_copies:
        return []
    graph = [t for t in ancestors([y.read_value()], parents=_parents) if not isinstance(t, Variable)]
    tensors = {**detached_copies, **detached}  # each dict is copied in one step, because other threads may free Tensors
    return [(lost, target) for _, lost in sorted(tensors.items()) if (target := _target(lost, graph)) is not None]


def _parents(node: Tensor) -> list[Tensor]:
    """Return the inputs of a node; for a custom call, add the outputs of its body, because the body is drawn too."""
    return [*inputs(node), *node.op.body_outputs] if isinstance(node.op, CustomCall) else inputs(node)


def with_cuts(trace: BackwardTrace, names: Mapping[str, Any], cuts: Sequence[Cut]) -> tuple[BackwardTrace, str]:
    """Return `trace` with an edge for each of `cuts`, and a sentence about these edges ("" if there are none)."""
    if not cuts:
        return trace, ""
    box_of = trace.node_of
    called = {t.serial: name for name, t in names.items() if isinstance(t, Tensor)}
    nodes, edges, notes = list(trace.nodes), list(trace.edges), []
    for lost, target in cuts:
        line = line_at(lost.detached_at)
        name = visible(called.get(lost.serial, "")) or (lost.op.name if lost.op is not None else "an input")
        if target.serial not in box_of:
            continue  # the pass did not reach this body
        src = box_of.get(lost.serial)
        if src is None:
            src = len(nodes)
            value = np.asarray(lost.value)
            nodes.append(Node(src, "cut", name, "const", number(value), value.shape, str(value.dtype), line=line))
        edges.append(Edge(len(edges), src, box_of[target.serial], CUT, ghost=True))
        notes.append(f"{name} left the graph as a plain number at {line.where}: {line.text}")
    if not notes:
        return trace, ""
    if all(nodes[edge.dst].ghost for edge in edges[len(trace.edges) :]):
        order = "The derived gradients, which the rule replaces, do"
    else:
        in_rule = any(
            _is_rule(lost.detached_at[0]) or target.location[0] is not lost.detached_at[0] for lost, target in cuts
        )
        order = "Gradients of this gradient do" if in_rule else "Gradients do"
    words = f"{'; '.join(notes)}. {order} not pass there."
    return replace(trace, nodes=tuple(nodes), edges=tuple(edges)), words


def with_unrecorded(y: Tensor, trace: BackwardTrace) -> tuple[BackwardTrace, str]:
    """Add an edge from each input to the result that a transform computed from it without recording how.

    Returns the trace, and sentences about these edges.
    """
    y, box_of = y.read_value(), trace.node_of
    leaves = [t for t in ancestors([y]) if t.op in (None, READ) and t.serial in box_of]
    reached = [t for t in leaves if trace.nodes[box_of[t.serial]].adjoint is not None]
    sources = [t.args[0] if t.op is READ else t for t in reached]
    if unrecorded_part([y], sources) is None:
        return trace, ""
    edges, notes = list(trace.edges), []
    for t, x in zip(reached, sources):
        part = unrecorded_part([y], [x])
        if part is not None and part.serial in box_of:
            src, dst = box_of[t.serial], box_of[part.serial]
            edges.append(Edge(len(edges), src, dst, CUT, ghost=True))
            name = trace.nodes[src].name
            notes.append(
                f"The gradient of {name} is incomplete: grad, vjp, a tape or another transform computed "
                f"{trace.nodes[dst].name} from {name} without recording how. Draw the function that does both, or "
                "write gradients(...) instead of the transform."
            )
    return replace(trace, edges=tuple(edges)), " ".join(notes)


def _target(lost: Tensor, graph: list[Tensor]) -> Tensor | None:
    """Return the first op of `graph` that computes with the number taken out of `lost`, or None.

    The op must be in the same rule, on the same line or a later one; the module's docstring has the conditions.
    """
    code, line = lost.detached_at[0], line_number(lost.detached_at)
    near = _is_rule(code)
    rules = [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    for node in graph:
        if node.serial > lost.serial and any(_computes_with(lost, rule, node) for rule in rules):
            return node
        if node.serial > lost.serial and _stands_in(code, line, node) and any(_made_there(a, lost) for a in node.args):
            if not (near or line_number(node.location) == line or any(_is_number(a, lost) for a in node.args)):
                continue
            return node
    return None


def _computes_with(lost: Tensor, rule: CodeType, node: Tensor) -> bool:
    """Return whether `rule`, an inner function, made `node` from the number that the code around it took out of `lost`.

    An equal literal in the rule does not count.
    """
    return _stands_in(rule, 0, node) and any(
        _is_number(a, lost) and not (np.ndim(a) == 0 and a in rule.co_consts) for a in node.args
    )


def _is_number(a: Any, lost: Tensor) -> bool:
    """Return whether the argument `a` of an op is a plain number or array that equals the value of `lost`."""
    return not isinstance(a, Tensor) and np.array_equal(a, lost.value)


def _made_there(a: Any, lost: Tensor) -> bool:
    """Return whether the argument `a` of an op can come from the number taken out of `lost`.

    It can if it is a number that is not a literal in the code or equals that number, or an input Tensor made later.
    """
    if isinstance(a, Tensor):  # ones are excluded, because a backward pass begins with a Tensor of ones
        return a.op is None and a.serial > lost.serial and not np.all(np.asarray(a.value) == 1)
    if not isinstance(a, (int, float, np.ndarray, np.generic)):
        return False
    spelled = np.ndim(a) == 0 and a in lost.detached_at[0].co_consts
    return not spelled or np.array_equal(a, lost.value)


def _stands_in(code: CodeType, line: int, node: Tensor) -> bool:
    """Return whether `code` made the node on line `line` or a later one."""
    location = getattr(node, "location", None)
    return location is not None and location[0] is code and line_number(location) >= line


def _is_rule(code: CodeType) -> bool:
    arguments = set(code.co_varnames[: code.co_argcount])
    return bool(code.co_flags & INSIDE) or bool(arguments & UPSTREAM)


def seed_name(y: Tensor, names: Mapping[str, Any], cuts: Sequence[Cut]) -> dict[str, Tensor]:
    """Name the upstream gradient that a recorded backward pass began with: an input of ones without a name.

    The upstream gradient is newer than the ops of the forward pass. This is not checked if there are cuts, because the
    graph may then lack these ops.
    """
    graph = ancestors([y.read_value()])
    named_ids = {id(t) for t in names.values()}
    first = min((t.serial for t in graph if t.op not in (None, READ)), default=0)
    unnamed = [t for t in graph if t.op is None and not isinstance(t, Variable) and id(t) not in named_ids]
    ones = [t for t in unnamed if np.all(np.asarray(t.value) == 1)]
    seeds = [t for t in ones if cuts or t.serial > first > 0]
    return {"dy": seeds[0]} if len(seeds) == 1 and "dy" not in names else {}
