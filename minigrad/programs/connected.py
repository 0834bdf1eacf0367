"""Results of a program that are connected with what went in: one node of the graph, whose rule runs the function again.

A call of a program computes values. Where the function would have returned Tensors that can be differentiated, these
are made by one node. Its rule records the function when a backward pass arrives, and hands on each message that the
pass of the function itself would send to an input, one by one: so gradients are added up in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.backward import backward
from ..core.custom_call import as_leaf, make_outputs
from ..core.graph import ancestors, between
from ..core.messages import name_of
from ..core.op import Op, record
from ..core.scattered import Scattered
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from ..ops.copies import connected_copy
from .arguments import leaves, rebuild, tensors_in
from .listing import here
from .recording import watching


def connect(program: Any, found: Sequence[Any], args: Any, kwargs: Any) -> list[Any]:
    """The results of a call, with nodes in the places of those that are connected."""
    if program.captured:  # which may belong to another derivative by now
        program.check_surroundings()
    given = _floats(tensors_in((args, kwargs)))
    reads = [v.read_value() for v in _floats(program.variables)]
    sources = [*given, *reads, *program.captured]
    places = [i for i, kind in enumerate(program.kinds) if kind == "node"]
    outputs = [as_leaf(found[i]) for i in places]

    def rule(upstream: Any, y: Any, *values: Any) -> list[Any]:
        """The messages that the backward pass of `f` sends to what went in."""
        program.check_surroundings()
        upstreams = upstream if type(upstream) is list else [upstream]
        recorded = any(isinstance(u, Tensor) for u in upstreams)
        now = list(sources)
        for k, value in zip(program.slots, values):
            now[k] = now[k] if k >= len(given) + len(reads) else value if isinstance(value, Tensor) else as_leaf(value)
        again, nodes = [connected_copy(t) if recorded else as_leaf(t.value) for t in now[: len(given)]], []
        for v, t in zip(_floats(program.variables), now[len(given) :]):
            nodes.append(record(READ, t.value, (v, t) if recorded else (v,)))
        new = iter(again)
        inner = [next(new) if type(x) is Tensor and x.dtype.kind == "f" else x for _, x in leaves((args, kwargs))]
        arguments, options = rebuild((args, kwargs), iter(inner))
        with watching(nodes={**here.nodes, **{id(v): node for v, node in zip(_floats(program.variables), nodes)}}):
            results = outputs_in(program.f(*arguments, **options), tensors_in((arguments, options)))
        ends = [*again, *nodes, *program.captured]
        serials = {t.serial for t in ends}
        used = [(y, u) for y, u in zip(results, upstreams) if u is not None]
        messages: dict[Any, Any] = {}
        with np.errstate(all="ignore"):
            for node, _, sends in backward([y for y, _ in used], [u for _, u in used], ends, serials):
                messages |= {(node.serial, i): g for i, a, g in sends if a.serial in serials}
        sent = [messages.get((node, i)) for node, i, _ in edges(results, ends)]
        sent = [g.dense() if isinstance(g, Scattered) else g for g in sent]
        return [g.value if isinstance(g, Tensor) and not recorded else g for g in sent]

    op = Op(name_of(program.f), program.f, vjp_all=rule, partial=True)
    nest = outputs[0] if len(outputs) == 1 else [None] * len(outputs)
    made = make_outputs(op, nest, outputs, [sources[k] for k in program.slots])
    results = list(found)
    for i, node in zip(places, made if isinstance(made, list) else [made]):
        results[i] = node
    return results


def _floats(tensors: Sequence[Any]) -> list[Any]:
    return [t for t in tensors if t.dtype.kind == "f"]


def outputs_in(result: Any, given: Sequence[Any]) -> list[Tensor]:
    """The connected Tensors of floats among the leaves of a result, without those that were given."""
    found = [x for x in _floats(tensors_in(result)) if x.op is not None]
    return [x for x in found if not any(x is y for y in given)]


def edges(outputs: Sequence[Tensor], sources: Sequence[Tensor]) -> list[tuple[int, int, int]]:
    """The edges of the graph that end at the sources, in the order in which a backward pass sends messages along them:
    (the node, the number of its argument, the number of the source)."""
    number = {t.serial: k for k, t in enumerate(sources)}
    order, _ = between(outputs, sources)
    return [
        (node.serial, i, number[a.serial])
        for node in reversed(order)
        for i, a in enumerate(node.args)
        if isinstance(a, Tensor) and a.serial in number
    ]


def sources_of(recording: Any) -> tuple[list[Tensor], list[int]]:
    """What the connected results of a recording are made from, besides its arguments and Variables: Tensors that were
    made before. And for each message that a backward pass sends to what went in, in order, the number of the one that
    it is for: among the Tensors of floats in the arguments, the Variables, and the Tensors made before.
    """
    outputs, tensors = outputs_in(recording.result, recording.given), _floats(recording.given)
    reads = [recording.read(v)[1] for v, _ in recording.variables if v.dtype.kind == "f"]
    own = {t.serial for t in (*tensors, *reads)}
    found = ancestors(outputs, enter=lambda t: t.serial > recording.since and t.serial not in own)
    before = _floats([t for t in found if t.serial < recording.since and not isinstance(t, Variable)])
    return before, [k for _, _, k in edges(outputs, [*tensors, *reads, *before])]
