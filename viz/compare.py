"""`viz.compare`: two backward passes of the same function side by side, and the finite difference as a judge.

The derived adjoint of a function and the rule that its author wrote are drawn as two lanes of one picture, with what
they share in the same place. Under the custom lane stands the ghost: what the rule replaced, and its numbers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from minigrad.custom import CustomGradient
from minigrad.tensor import Tensor, constant
from minigrad.traces import BackwardTrace
from minigrad.tracing import backward_trace

from .backward import call
from .card import label_widths, lightness
from .difference import Row, rows, table_html, table_text
from .fold import draw_plan
from .lane import Lane
from .layout import Layout, place
from .plan import Drawing, Item, Link
from .svg import arrange
from .view import View


class Comparison(View):
    """Two lanes on one slider, and a table with one row per argument: `rows` holds its numbers."""

    rows: tuple[Row, ...] = ()
    labels: tuple[str, str] = ("derived", "custom")

    def _extra_text(self) -> list[str]:
        return [table_text(self.rows, self.labels)]

    def _extra_html(self) -> str:
        return table_html(self.rows, self.labels)


def compare(*parts: Any, layout: str = "auto", rankdir: str = "LR", **inputs: Any) -> Comparison:
    """Derived and custom gradient of one function, or the gradients of two functions, side by side.

    Parameters
    ----------
    parts : one function decorated with `custom_gradient`, or two functions of the same arguments; then the arguments:
        numbers, arrays or Tensors. Arguments can also be given by name, as `inputs`.
    layout, rankdir : as for `viz.backward`.

    The table holds, for each argument, both gradients, the central difference of the function computed in float64, and
    a verdict in words. Raises TypeError when there is nothing to compare.

    >>> import minigrad as mg
    >>> @mg.custom_gradient
    ... def triple(x):
    ...     return 3.0 * x, lambda dy: 100.0 * dy
    >>> compare(triple, 1.0).rows[0].verdict
    'the custom rule gives another slope than the function has: 100 instead of 3'
    """
    functions = [part for part in parts[:2] if callable(part) and not isinstance(part, Tensor)]
    if not functions or (len(functions) == 1 and not isinstance(functions[0], CustomGradient)):
        got = f"{parts[0]!r:.60}" if parts else "nothing"
        raise TypeError(
            "compare takes a function decorated with custom_gradient and its arguments, as in compare(f, 100.0), "
            f"or two functions, as in compare(f, g, 100.0); got {got}"
        )
    given = _named(functions[0], parts[len(functions) :], inputs)
    if len(functions) == 1:
        custom = functions[0]
        functions = [_value_of(custom), custom]
        labels = ("derived", "custom")
    else:
        labels = (_name(functions[0], "first"), _name(functions[1], "second"))
        labels = labels if labels[0] != labels[1] else (f"{labels[0]} (first)", f"{labels[1]} (second)")
    tensors = {name: x if isinstance(x, Tensor) else constant(x) for name, x in given.items()}
    traces = []
    for f in functions:
        y, own = call(f, tensors, "compare")
        traces.append(backward_trace(y, names=own))
    lanes, layouts = _lanes(traces, labels, layout, rankdir)
    view = Comparison(lanes, layouts, f"{labels[0]} and {labels[1]} gradient of {_name(functions[-1], 'f')}")
    view.labels = labels
    view.rows = rows(functions[0], tensors, traces, labels)
    return view


def _value_of(custom: CustomGradient) -> Callable[..., Any]:
    """The function without its rule, so that its gradient is the derived one."""

    def derived(**inputs: Any) -> Any:
        return custom.f(**inputs)[0]

    derived.__name__ = _name(custom, "f")
    return derived


def _named(f: Callable[..., Any], values: Sequence[Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names that `f` gives them."""
    try:
        return dict(inspect.signature(getattr(f, "f", f)).bind(*values, **inputs).arguments)
    except TypeError as error:
        raise TypeError(f"compare cannot call {_name(f, 'f')} with these arguments: {error}") from None


def _name(f: Callable[..., Any], otherwise: str) -> str:
    name = getattr(f, "__name__", otherwise)
    return otherwise if name == "<lambda>" else name


def _lanes(
    traces: Sequence[BackwardTrace], labels: tuple[str, str], engine: str, rankdir: str
) -> tuple[list[Lane], list[Layout]]:
    """Two lanes laid out as one graph: boxes that compute the same from the same stand in the same place.

    Lanes that share less than half of their ops are laid out apart: there the common graph would be mostly holes.
    """
    lanes = []
    known: dict[Any, str] = {}
    for trace, label in zip(traces, labels):
        plan = draw_plan(trace)
        rename = _structure(trace, plan, known)
        boxes = tuple(replace(item, key=rename[item.key]) for item in plan.items)
        seen: dict[str, int] = {}
        links = []
        for link in plan.links:
            src, dst = rename[link.src], rename[link.dst]
            key = f"{src}>{dst}.{link.arg}"
            seen[key] = seen.get(key, 0) + 1
            links.append(replace(link, key=f"{key}.{seen[key]}", src=src, dst=dst))
        lanes.append(Lane(trace, Drawing(boxes, tuple(links), plan.note), label))
    ops = [{item.key for item in lane.plan.items if not lane.is_source(item)} for lane in lanes]
    if len(ops[0] & ops[1]) * 2 < min(len(own) for own in ops):
        return lanes, [arrange(lane.trace, lane.plan, lane.stops, engine, rankdir)[1] for lane in lanes]
    items: dict[str, Item] = {}
    links_of: dict[str, Link] = {}
    sizes: dict[str, tuple[float, float]] = {}
    widths: dict[str, float] = {}
    light: dict[str, int] = {}
    for lane in lanes:
        items.update({item.key: item for item in lane.plan.items})
        links_of.update({link.key: link for link in lane.plan.links})
        for key, card in lane.cards.items():
            w, h = sizes.get(key, (0.0, 0.0))
            sizes[key] = max(w, card.w), max(h, card.h)
        for key, w in label_widths(lane.plan, lane.stops).items():
            widths[key] = max(w, widths.get(key, 0.0))
        light.update(lightness(lane.cards))
    both = Drawing(tuple(items.values()), tuple(links_of.values()))
    return lanes, [place(both, sizes, widths, engine, rankdir, light)] * 2


def _structure(trace: BackwardTrace, plan: Drawing, known: dict[Any, str]) -> dict[str, str]:
    """Item key -> a key that both lanes give to the same computation: the same op of the same arguments."""
    nodes = {node.id: node for node in trace.nodes}
    arguments: dict[str, list[Link]] = {}
    for link in plan.links:
        arguments.setdefault(link.dst, []).append(link)
    found: dict[str, str] = {}
    count: dict[Any, int] = {}
    for item in sorted(plan.items, key=lambda item: item.nodes[0]):
        node = nodes[item.nodes[0]]
        entering = [link for link in arguments.get(item.key, ()) if node.ghost or not link.ghost]
        sources = tuple(sorted((link.arg, found[link.src]) for link in entering))
        what = node.name if node.kind == "leaf" else str(node.value) if node.kind == "const" else node.op
        content = (node.kind in ("leaf", "const", "custom"), what, node.detail, sources, len(item.nodes))
        count[content] = count.get(content, 0) + 1
        found[item.key] = known.setdefault((content, count[content]), f"s{len(known)}")
    return found
