"""Traces for the tests of pictures: written by hand if every number matters, drawn at random for general laws."""

from __future__ import annotations

from hypothesis import strategies as st

from minigrad.tracing.trace_schema import BackwardTrace, Edge, Ghost, Node, Send, Step


def log1pexp() -> BackwardTrace:
    """log(1 + exp(100)) in float32: exp overflows, log sends 0, and 0 * inf becomes nan on the way to x."""
    return BackwardTrace(tuple(_body(0)), tuple(_body_edges()), tuple(_body_steps(2)))


def repaired() -> BackwardTrace:
    """The same function with a custom rule that sends 1; the ghost holds what the rule replaced."""
    x = Node(0, "leaf", "x", "leaf", 100.0, (), "float32", 1.0)
    call = Node(1, "log1pexp", "", "custom", "inf", (), "float32", 1.0, custom="grad", output=True)
    body = [_shift(node, 1, 1) for node in _body(1)[1:]]
    edges = [Edge(0, 0, 1, 0)]
    for e in _body_edges():
        edges.append(Edge(e.id + 1, e.src + 1 if e.src else 0, e.dst + 1, e.arg, e.local, e.local_value, True))
    edges.append(Edge(5, 5, 1, -1, ghost=True))
    steps = (
        Step(0, 1, "custom:grad", 1.0, (Send(0, 0, 1.0, None, 1.0, "first"),)),
        Step(1, 0, "derived", 1.0),
    )
    ghost = [
        Step(s.i, s.node + 1, s.rule, s.g, tuple(_moved(send) for send in s.sends)) for s in _body_steps(2) if s.node
    ]
    return BackwardTrace((x, call, *body), tuple(edges), steps, (Ghost(1, tuple(ghost)),))


def _moved(send: Send) -> Send:
    return Send(send.edge + 1, send.to + 1 if send.to else 0, send.value, send.before, send.after, send.event)


def _body(ghosts: int) -> list[Node]:
    kind = "op" if ghosts else "output"
    return [
        Node(0, "leaf", "x", "leaf", 100.0, (), "float32", "nan"),
        Node(1, "exp", "", "op", "inf", (), "float32", 0.0),
        Node(2, "const", "1", "const", 1, (), "int64"),
        Node(3, "add", "", "op", "inf", (), "float32", 0.0),
        Node(4, "log", "", kind, "inf", (), "float32", 1.0, output=not ghosts),
    ]


def _shift(node: Node, by: int, of: int) -> Node:
    return Node(**{**vars(node), "id": node.id + by, "ghost": True, "ghost_of": of})


def _body_edges() -> list[Edge]:
    return [
        Edge(0, 0, 1, 0, "y", "inf"),
        Edge(1, 2, 3, 0),
        Edge(2, 1, 3, 1, "1", 1.0),
        Edge(3, 3, 4, 0, "1 / a", 0.0),
    ]


def _body_steps(add_edge: int) -> list[Step]:
    return [
        Step(0, 4, "derived", 1.0, (Send(3, 3, 0.0, None, 0.0, "stops"),)),
        Step(1, 3, "derived", 0.0, (Send(add_edge, 1, 0.0, None, 0.0, "stops"),)),
        Step(2, 1, "derived", 0.0, (Send(0, 0, "nan", None, "nan", "nan-born"),)),
        Step(3, 0, "derived", "nan"),
    ]


def of_graph(arguments: dict[int, list[int]], leaves: int) -> BackwardTrace:
    """A trace whose op number k has the given arguments; every message is 1."""
    count = leaves + len(arguments)
    kinds = ["leaf" if k < leaves else "output" if k == count - 1 else "op" for k in range(count)]
    nodes = [
        Node(k, "leaf" if k < leaves else "add", f"x{k}" if k < leaves else "", kinds[k], 1.0, (), "float32")
        for k in range(count)
    ]
    edges: list[Edge] = []
    for dst, sources in arguments.items():
        for i, src in enumerate(sources):
            edges.append(Edge(len(edges), src, dst, i, "1", 1.0))
    total: dict[int, float] = {count - 1: 1.0}
    steps = []
    for k in reversed(range(count)):
        if k not in total:
            continue
        sends = []
        for e in edges:
            if e.dst == k:
                before = total.get(e.src)
                total[e.src] = (before or 0.0) + total[k]
                event = "first" if before is None else "accumulate"
                sends.append(Send(e.id, e.src, total[k], before, total[e.src], event))
        steps.append(Step(len(steps), k, "derived", total[k], tuple(sends)))
    return BackwardTrace(tuple(nodes), tuple(edges), tuple(steps))


@st.composite
def graphs(draw, most=24):
    """A random graph: leaves, then ops with one to three arguments that may repeat; all lead to the last op."""
    leaves = draw(st.integers(1, 4))
    arguments: dict[int, list[int]] = {}
    used: set[int] = set()
    for k in range(leaves, leaves + draw(st.integers(1, most))):
        mine = draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=3))
        arguments[k] = mine
        used.update(mine)
    last = leaves + len(arguments)
    arguments[last] = sorted(set(range(last)) - used) or [last - 1]
    return of_graph(arguments, leaves)
