"""A recorded computation, with its backward pass, as a function of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from .names import identifier
from .replay import again, made_from, replay


class RecordedFunction:
    """The value and the gradients of a Tensor as a function of its inputs.

    y, sources : the Tensor, and the inputs to differentiate with respect to; by default all float inputs.
    names : the user's names for Tensors, by serial. arrays : the arrays that ops were called with, by the user's names.
    graph : all nodes that `y` was computed from, oldest first. inputs : the values of the inputs, by name.
    now : the serials of the new nodes in the last call, by the serials of the nodes in `graph`.

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
        named = {*self.names, *(x.serial for x in self.sources)}
        leaves = [t for t in self.graph if t.op is READ or (t.op is None and (t.serial in named or t.size > 12))]
        called = {t.serial: self.names.get(t.serial) or (t.args[0].name if t.op is READ else "x") for t in leaves}
        order = {name: i for i, name in reversed([*enumerate(self.names.values())])}
        leaves.sort(key=lambda t: order.get(called[t.serial], len(order)))
        self.inputs: dict[str, Any] = {}
        self._given = {t.serial: self._add(called[t.serial], t.value) for t in leaves}
        used = [a for t in self.graph for a in t.args if type(a) is np.ndarray]
        mine = {name: x for name, x in (arrays or {}).items() if any(_same(x, a) for a in used)}
        self._arrays = [(x, self._add(name, x)) for name, x in mine.items()]
        arrays_in = lambda t: any(type(a) is np.ndarray and any(_same(x, a) for x in mine.values()) for a in t.args)
        self._with_arrays = [t for t in self.graph if arrays_in(t)]

    def _add(self, name: str, value: Any) -> str:
        name = identifier(name, {"np", "value_and_gradients", *self.inputs})
        self.inputs[name] = value
        return name

    def __call__(
        self, inputs: Mapping[str, Any], note: Callable[[Tensor, Any], None] | None = None
    ) -> tuple[Any, list[Any]]:
        """Return the value and the list of gradients; the gradient of a source that is not connected is None.

        note : a function that is called with each node, oldest first, and the node's value for these inputs.
        """
        put = {serial: inputs[name] for serial, name in self._given.items()}
        instead = {t.serial: partial(again, t, args=[self._raw(a, inputs) for a in t.args]) for t in self._with_arrays}
        look = None if note is None else lambda t, new: note(t, new.value)
        now = replay(self.y, put, instead, note=look, inside=True)
        self.now = {old: new.serial for old, new in now.items()}
        y = now[self.y.serial]
        seed = np.ones(y.shape, y.dtype)[()]
        return y.value, pullback([y], [seed], [now.get(x.serial, x) for x in self.sources])

    def _raw(self, a: Any, inputs: Mapping[str, Any]) -> Any:
        """Return the new value for an array argument that is a copy of an input; return any other argument unchanged.

        The input is found by its bytes, because nodes store copies.
        """
        named = (name for x, name in self._arrays if _same(x, a)) if type(a) is np.ndarray else iter(())
        return next((inputs[name] for name in named), a)


def _same(a: Any, b: Any) -> bool:
    return (a.shape, a.dtype) == (b.shape, b.dtype) and a.tobytes() == b.tobytes()
