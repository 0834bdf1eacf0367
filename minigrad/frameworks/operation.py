"""An op as TensorFlow presents it to registered gradient functions, and rules that call these functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.op import Op, as_leaf
from ..core.support.array_memory import owned_value
from ..core.support.error_words import describe, location_of, plural
from ..core.support.operands import adopt, adopt_all
from ..core.tensor import Tensor

_VALUES = (Tensor, np.ndarray, np.generic)

#: TensorFlow's op types, for ops whose type is not just the capitalised name.
_TYPES = {
    "add": "AddV2", "subtract": "Sub", "multiply": "Mul", "divide": "RealDiv", "negative": "Neg", "power": "Pow",
    "absolute": "Abs", "matmul": "MatMul", "where": "SelectV2", "stack": "Pack", "concatenate": "ConcatV2",
    "getitem": "StridedSlice", "astype": "Cast", "clip": "ClipByValue", "conv": "Conv2D", "mod": "FloorMod",
    "floor_divide": "FloorDiv", "argmax": "ArgMax", "argmin": "ArgMin", "isnan": "IsNan", "isinf": "IsInf",
    "isfinite": "IsFinite", "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan", "arctan2": "Atan2",
}  # fmt: skip


def type_of(op: Op) -> str:
    """Return TensorFlow's name for the type of an op.

    >>> from minigrad.core.op import OPS
    >>> [type_of(OPS[name]) for name in ("square", "divide", "stop_gradient")]
    ['Square', 'RealDiv', 'StopGradient']
    """
    return _TYPES.get(op.name) or "".join(part.capitalize() for part in op.name.split("_"))


class Operation(NamedTuple):
    """One call to an op, in the form that a registered gradient function receives.

    type, name : for example "RealDiv" and "divide". inputs, outputs : Tensors, even for inputs that were numbers.
    attributes : the options of the call, by name.
    """

    type: str
    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attributes: dict[str, Any]

    def get_attr(self, name: str) -> Any:
        """Return the option `name`, such as "axis"; "T" is the dtype of the first input.

        Raises ValueError for an unknown option.
        """
        if name not in self.attributes:
            names = ", ".join(self.attributes)
            raise ValueError(f"the op {self.name} of type {self.type} has no attribute {name!r}; it has {names}")
        return self.attributes[name]


def derived_rule(op: Op) -> Callable[..., list[Any]]:
    """Return an op's own rules as one rule for all arguments, with the signature of `vjp_all`."""

    def vjp_all(upstream: Any, y: Any, *args: Any, **kwargs: Any) -> list[Any]:
        if op.vjp_all is not None:
            return op.vjp_all(upstream, y, *args, **kwargs)
        gradients = [rule(upstream, y, *args, **kwargs) for rule in op.vjps or ()]
        # Arguments after those with rules are settings, such as an axis, and have no gradient.
        return [*gradients, *[None] * len(args)][: len(args)]

    return vjp_all


def registered_rule(op: Op, f: Callable[..., Any]) -> Callable[..., list[Any]]:
    """Return a rule that calls the registered gradient function `f`, with the signature of an op's `vjp_all`."""

    def vjp_all(upstream: Any, y: Any, *args: Any, **kwargs: Any) -> list[Any]:
        upstreams = upstream if type(upstream) is list else [upstream]
        recorded = any(isinstance(u, Tensor) for u in upstreams)  # if so, the gradients must be Tensors too
        arity = len(op.vjps) if op.vjps is not None else sum(isinstance(a, _VALUES) for a in args)
        inputs = tuple(map(_tensor, adopt_all(args[:arity])))
        outputs = tuple(map(_tensor, y if isinstance(y, tuple) else (y,)))
        operation = Operation(type_of(op), op.name, inputs, outputs, _attributes(op, arity, inputs, args, kwargs))
        dys = [*map(_tensor, upstreams)]
        result = f(operation, *dys)
        gradients = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(gradients) != arity:
            raise ValueError(
                f"{location_of(f)} returned {plural(len(gradients), 'gradient')} for {operation.type}, "
                f"which has {plural(arity, 'input')}; return one for each, None if there is none"
            )
        checked = [_check(operation, f, i, g) for i, g in enumerate(gradients)]
        returned = checked if recorded else [g if g is None else owned_value(g, dys) for g in checked]
        return [*returned, *[None] * (len(args) - arity)]

    return vjp_all


def _check(operation: Operation, f: Callable[..., Any], i: int, gradient: Any) -> Tensor | None:
    """Check the gradient that `f` returned for input `i`, and return it as a Tensor, or None.

    It must have the shape of the input, or of an output if the input was broadcast.
    """
    if gradient is None:
        return None
    g = None
    if isinstance(gradient, (Tensor, np.ndarray, np.generic, int, float)):
        g = _tensor(adopt(gradient, operation.inputs[i].dtype))
    if g is None or g.dtype.kind != "f":
        raise TypeError(f"{location_of(f)}: the gradient for input {i} of {operation.type} is {describe(gradient)}")
    # A gradient with the shape of the output is also correct, because the engine sums it over the broadcast axes.
    want = operation.inputs[i].shape
    if g.shape != want and not (g.shape in [y.shape for y in operation.outputs] and _broadcasts(want, g.shape)):
        raise ValueError(
            f"{location_of(f)}: the gradient for input {i} of {operation.type} has shape {g.shape}, "
            f"but the input has shape {want}"
        )
    return g


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    lead = len(to) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, to[lead:]))


def _tensor(x: Any) -> Tensor:
    if isinstance(x, Tensor):
        return x.read_value()
    return as_leaf(x) if isinstance(x, (np.ndarray, np.generic)) else Tensor(x)


def _attributes(op: Op, arity: int, inputs: tuple[Tensor, ...], args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a call by name, and the dtype of the first input under the name "T", as in TensorFlow.

    arity : the number of inputs; later positional arguments are options.
    """
    names = list(inspect.signature(op.call).parameters)
    return {**dict(zip(names[arity:], args[arity:])), **kwargs, **({"T": inputs[0].dtype} if inputs else {})}
