"""The graph behind a Tensor as plain nodes for a hand-written walk, each with a value, parents and a slope per parent.

A slope multiplies a gradient on its way to an argument. Here a slope is an object whose `*` runs the op's rule, so the
same walk, which adds up `adjoint * slope`, works for numbers, arrays and custom gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import mul
from typing import Any

import numpy as np

from ..core.backward import messages_of
from ..core.graph import ancestors
from ..core.support.scattered import Scattered
from ..core.tensor import Tensor

Tell = Callable[[Any, int, Any, Any], Any]


class WalkNode:
    """A node of the graph for a walk; its `serial` is larger than the serials of its parents, as in lesson 4."""

    def __init__(
        self, value: Any, op: str = "", parents: tuple[WalkNode, ...] = (), name: str = "", serial: int = 0
    ) -> None:
        self.value, self.op, self.parents, self.name, self.serial = value, op, parents, name, serial
        self.slopes: tuple[WalkSlope, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.name or self.op}>"


class WalkSlope:
    """The slope of a node with respect to parent number `i`; `g * slope` calls `rule(g)` and returns its message.

    noted : a function that observes each product: it is called with the node, i, g and the message. None for no
        observer.
    """

    noted: Callable[[WalkNode, int, Any, Any], None] | None = None

    def __init__(self, node: WalkNode, i: int, rule: Callable[[Any], Any]) -> None:
        self.node, self.i, self.rule = node, i, rule

    def __mul__(self, g: Any) -> Any:
        with np.errstate(all="ignore"):  # no warnings, because lessons show nan and inf
            message = self.rule(g)
        if self.noted is not None:
            self.noted(self.node, self.i, g, message)
        return message

    __rmul__ = __mul__

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Return the message for `array * slope`. In any other formula, a NumberSlope acts as a plain number."""
        if ufunc is np.multiply and method == "__call__" and len(inputs) == 2:
            return self * next(x for x in inputs if x is not self)
        if not isinstance(self, float):
            return NotImplemented
        return getattr(ufunc, method)(*(float(x) if x is self else x for x in inputs), **options)


class NumberSlope(WalkSlope, float):
    """The slope of a number with respect to a number; it can be drawn and printed as a number."""

    def __new__(cls, node: WalkNode, i: int, rule: Callable[[Any], Any]) -> NumberSlope:
        with np.errstate(all="ignore"):
            return float.__new__(cls, rule(1.0))

    __mul__, __rmul__ = WalkSlope.__mul__, WalkSlope.__rmul__


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Return the sum of `g` over the axes along which an array of `shape` was broadcast."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(axis for axis, size in enumerate(shape) if size == 1), keepdims=True)


def nodes_of(
    y: Tensor,
    names: Mapping[str, Any] | None = None,
    unbroadcast: Callable[[Any, Any], Any] = unbroadcast,
) -> dict[int, WalkNode]:
    """Return the nodes behind `y`, oldest first, by the serials of their Tensors.

    names : Tensors by name. unbroadcast : a function that is called as unbroadcast(g, shape) if a message does not have
        the shape of its argument because of broadcasting; by default the engine's function.

    Raises TypeError if an op has several results, as in `mg.split`.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> *_, top = nodes_of(x * x).values()
    >>> top.op, top.slopes, 2.0 * top.slopes[0]
    ('multiply', (3.0, 3.0), 6.0)
    """
    called = {getattr(t, "serial", None): name for name, t in (names or {}).items() if isinstance(t, Tensor)}
    nodes: dict[int, WalkNode] = {}
    for number, t in enumerate(ancestors([y.read_value()])):
        if isinstance(t.value, tuple):
            raise TypeError(f"{t.op.name} has several results; a walk over nodes takes ops with one")
        arguments = [(i, a) for i, a in enumerate(t.args) if isinstance(a, Tensor)] if _differentiable(t) else []
        parents = tuple(nodes[a.serial] for _, a in arguments)
        node = WalkNode(t.value, t.op.name if t.op is not None else "", parents, called.get(t.serial, ""), number)
        slopes = (_slope(node, n, t, i, a, unbroadcast) for n, (i, a) in enumerate(arguments))
        node.slopes = tuple(slopes)
        nodes[t.serial] = node
    return nodes


def copied(y: Any, names: Mapping[int, str]) -> WalkNode:
    """Copy the graph behind `y`, whose objects have a value, parents and slopes, to nodes with observable slopes.

    names : the names of objects, by their ids.
    """
    nodes: dict[int, WalkNode] = {}
    stack = [y]
    while stack:
        one = stack[-1]
        missing = [parent for parent in one.parents if id(parent) not in nodes]
        if missing:
            stack += missing
            continue
        stack.pop()
        if id(one) in nodes:
            continue
        parents = tuple(nodes[id(parent)] for parent in one.parents)
        called = names.get(id(one)) or str(getattr(one, "name", ""))
        node = WalkNode(one.value, getattr(one, "op", ""), parents, called, getattr(one, "serial", len(nodes)))
        node.slopes = tuple(NumberSlope(node, i, partial(mul, slope)) for i, slope in enumerate(one.slopes))
        nodes[id(one)] = node
    return nodes[id(y)]


def telling(walk: Callable[..., Any]) -> Callable[[WalkNode, Tell], Any]:
    """Wrap a walk so that it reports its messages, even if it takes only one argument.

    A walk with two arguments is called as `walk(y, tell)`, and reports its messages itself. For any other walk, the
    products `adjoint * slope` are observed: each reveals a message and the sender's adjoint. The message is reported
    with the receiver's adjoint after the message. If the receiver sends before its next message arrives, that adjoint
    appears in the receiver's products. If the receiver neither sends nor receives again, its adjoint is the returned
    adjoint. Otherwise the sum of the messages so far is reported.

    >>> def careless(y):
    ...     return {y: 1.0, y.parents[0]: 1.0 * y.slopes[0]}
    >>> x = WalkNode(3.0, name="x")
    >>> y = WalkNode(9.0, "square", (x,))
    >>> y.slopes = (NumberSlope(y, 0, lambda g: 6.0 * g),)
    >>> _ = telling(careless)(y, lambda node, i, message, held: print(node, i, message, held))
    <square> 0 6.0 6.0
    """

    def telling_walk(y: WalkNode, tell: Tell) -> Any:
        heard: list[Any] = []
        seen: list[tuple[WalkNode, int, Any, Any]] = []

        def forward_message(*message: Any) -> None:
            heard.append(message)
            tell(*message)

        every = behind(y)
        for node in every:
            for slope in node.slopes:
                slope.noted = lambda node, i, g, message: seen.append((node, i, copied_array(g), copied_array(message)))
        try:
            returned = walk(y, forward_message) if takes_tell(walk) else walk(y)
        finally:
            for node in every:
                for slope in node.slopes:
                    slope.noted = None
        if not heard:
            for message in _inferred(seen, returned):
                tell(*message)
        return returned

    telling_walk.__name__ = getattr(walk, "__name__", "walk")
    return telling_walk


def copied_array(x: Any) -> Any:
    """Copy an array, because a walk may add to it in place; return anything else unchanged."""
    return x.copy() if isinstance(x, np.ndarray) else x


def takes_tell(walk: Callable[..., Any]) -> bool:
    """Return whether a walk can be called as walk(y, tell)."""
    import inspect

    try:
        inspect.signature(walk).bind(None, None)
    except (TypeError, ValueError):
        return False
    return True


def _inferred(seen: list[tuple[WalkNode, int, Any, Any]], returned: Any) -> list[tuple[WalkNode, int, Any, Any]]:
    """Return a tuple (node, i, message, adjoint of the receiver after the message) for each observed product.

    seen : the observed products, as (node, i, g, message). returned : the result of the walk.
    """
    at_end = returned if isinstance(returned, Mapping) else {}
    messages: list[tuple[WalkNode, int, Any, Any]] = []
    sums: dict[WalkNode, Any] = {}
    for number, (node, i, _, message) in enumerate(seen):
        to = node.parents[i]
        sums[to] = total = sums.get(to, 0.0) + message
        # The sum is a guess, because a walk may assign instead of adding. A later message from the receiver reveals its
        # adjoint.
        for later, _, g, _ in seen[number + 1 :]:
            if later is to:
                total = g  # the receiver sends before its next message arrives, so g is its adjoint now
                break
            if later.parents and to in later.parents:
                break
        else:
            total = at_end.get(to, total)
        messages.append((node, i, message, total))
    return messages


def behind(y: WalkNode) -> list[WalkNode]:
    """Return the node and its ancestors, oldest first."""
    ancestors_of_y, stack = {y}, [y]
    while stack:
        new = set(stack.pop().parents) - ancestors_of_y
        ancestors_of_y |= new
        stack += new
    return sorted(ancestors_of_y, key=lambda node: node.serial)


def _differentiable(t: Tensor) -> bool:
    return t.op is not None and t.op.differentiable


def _slope(node: WalkNode, n: int, t: Tensor, i: int, a: Tensor, unbroadcast: Any) -> WalkSlope:
    """Return the slope for `a`, which is argument number `i` of the Tensor `t`, and parent number `n` of the node."""
    number = np.ndim(t.value) == 0 and np.ndim(a.value) == 0

    def rule(g: Any) -> Any:
        try:
            g = np.broadcast_to(np.asarray(g, t.value.dtype), t.shape)
        except ValueError:
            words = f"the gradient of {node!r} has shape {np.shape(g)}, and its value {t.shape}"
            raise ValueError(f"{words}; they must be the same") from None
        sent = {k: message for k, _, message in messages_of(t, t.op, g[()], {a.serial}, False)}
        message = sent.get(i, 0.0)
        message = message.dense() if isinstance(message, Scattered) else message
        if np.shape(message) != a.shape:
            message = unbroadcast(np.asarray(message), a.shape)
        return float(message) if number else np.array(message)  # a copy, because a walk may add to it in place

    return (NumberSlope if number else WalkSlope)(node, n, rule)
