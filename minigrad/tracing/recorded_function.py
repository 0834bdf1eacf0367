"""A recorded computation, with its backward pass, as a function of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.calling import compute
from ..core.custom_call import CustomCall
from ..core.graph import ancestors
from ..core.op import PICK
from ..core.pullback import pullback
from ..core.structure import flatten
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from .names import captured_by, identifier


class RecordedFunction:
    """The value and the gradients of a Tensor as a function of its inputs.

    y, sources : the Tensor to differentiate, and with respect to which ones; by default all float inputs.
    names : the user's names of Tensors, by serial. arrays : the arrays that ops were called with, by the user's names.
    graph : all nodes that `y` was computed from, oldest first. inputs : the values of the inputs, by name.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> square = RecordedFunction(x * x, names={x.serial: "x"})
    >>> square({"x": np.float32(5.0)})
    (np.float32(25.0), [np.float32(10.0)])
    """

    def __init__(
        self,
        y: Tensor,
        sources: Sequence[Tensor] | None = None,
        names: Mapping[int, str] | None = None,
        arrays: Mapping[str, Any] | None = None,
    ) -> None:
        self.y, self.names = y, names or {}
        self.graph = [t for t in made_from([y]) if not isinstance(t, Variable)]
        floats = [t for t in self.graph if (not t.args or t.op is READ) and t.dtype.kind == "f"]
        self.sources = [x.read_value() for x in (floats if sources is None else sources)]
        known = {*self.names, *(x.serial for x in self.sources)}
        given = [t for t in self.graph if t.op is READ or (t.op is None and (t.serial in known or t.size > 12))]
        called = {t.serial: self.names.get(t.serial) or (t.args[0].name if t.op is READ else "x") for t in given}
        order = {name: i for i, name in reversed([*enumerate(self.names.values())])}
        given.sort(key=lambda t: order.get(called[t.serial], len(order)))
        self.inputs: dict[str, Any] = {}
        self._given = {t.serial: self._add(called[t.serial], t.value) for t in given}
        used = [a for t in self.graph for a in t.args if type(a) is np.ndarray]
        mine = {name: x for name, x in (arrays or {}).items() if any(_same(x, a) for a in used)}
        self._arrays = [(x, self._add(name, x)) for name, x in mine.items()]

    def _add(self, name: str, value: Any) -> str:
        name = identifier(name, {"np", "value_and_gradients", *self.inputs})
        self.inputs[name] = value
        return name

    def __call__(
        self, inputs: Mapping[str, Any], note: Callable[[Tensor, Any], None] | None = None
    ) -> tuple[Any, list[Any]]:
        """Return the value and the list of gradients, None for a source that is not connected.

        note : a function to call with each node, oldest first, and its value for these inputs.
        """
        value, args = Tensor.__dict__["value"], Tensor.__dict__["args"]
        held, found = [(t.value, t.args) for t in self.graph], dict[int, Any]()
        try:
            with np.errstate(all="ignore"):
                for t in self.graph:
                    found[t.serial] = self._value(t, found, inputs)
                    if note is not None:
                        note(t, found[t.serial])
                for t in self.graph:  # nodes hold these values while the backward pass runs
                    value.__set__(t, found[t.serial])
                    args.__set__(t, tuple([a if isinstance(a, Tensor) else self._raw(a, inputs) for a in t.args]))
                gradients = pullback([self.y], [np.ones(self.y.shape, self.y.dtype)[()]], self.sources)
        finally:
            for t, (before, parts) in zip(self.graph, held):
                value.__set__(t, before)
                args.__set__(t, parts)
        return found[self.y.serial], gradients

    def _value(self, t: Tensor, found: Mapping[int, Any], inputs: Mapping[str, Any]) -> Any:
        """The value of a node, computed from the values of its arguments."""
        op = t.op
        if t.serial in self._given:
            return inputs[self._given[t.serial]]
        if op is None:
            return t.value
        if isinstance(op, CustomCall):
            outputs = [found[out.read_value().serial] for out in op.body_outputs]
            return tuple(outputs) if isinstance(t.value, tuple) else outputs[0]
        if op is PICK:
            return found[t.args[0].serial][t.args[1]]
        now = [found[a.serial] if isinstance(a, Tensor) else self._raw(a, inputs) for a in t.args]
        if all(new is (old.value if isinstance(old, Tensor) else old) for new, old in zip(now, t.args)):
            return t.value
        value = compute(op, now, t.kwargs)
        return tuple(value) if isinstance(t.value, tuple) else value

    def _raw(self, a: Any, inputs: Mapping[str, Any]) -> Any:
        """The value of an argument that is no Tensor: that of the input with its bytes, as nodes keep copies."""
        named = (name for x, name in self._arrays if _same(x, a)) if type(a) is np.ndarray else iter(())
        return next((inputs[name] for name in named), a)


def _same(a: Any, b: Any) -> bool:
    return (a.shape, a.dtype) == (b.shape, b.dtype) and a.tobytes() == b.tobytes()


def made_from(targets: Iterable[Tensor]) -> list[Tensor]:
    """All Tensors that the targets were computed from, oldest first, also inside calls with custom gradients."""
    return ancestors(targets, parents=_parents)


def _parents(node: Tensor) -> list[Tensor]:
    """The Tensors that `node` was computed from; for a call with a custom gradient, the outputs in its body, and the
    Tensors that its rule has captured."""
    if isinstance(node.op, CustomCall):
        values = captured_by(node.op.grad_fn).values()
        captured = [x for v in values for x in (flatten(v) if isinstance(v, (list, tuple)) else [v])]
        inner = [x for x in captured if type(x) is Tensor and x.serial < node.serial]
        return [*(out.read_value() for out in node.op.body_outputs), *inner]
    return [a for a in node.args if isinstance(a, Tensor)] if not isinstance(node, Variable) else []
