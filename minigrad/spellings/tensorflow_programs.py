"""What stands around the mathematics in a TensorFlow program: functions, loops, nested structures, checks, training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import ops, structure
from ..backward import gradients
from ..optim import SGD, Adam
from ..registry import no_gradient
from ..tensor import Tensor
from . import keras
from .shared import cond, convert_to_tensor, is_tensor, over_rows


def function(func: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """`func` as it is, for there is one way to run; also a decorator with options, which are not used."""
    return func if func is not None else lambda decorated: decorated


def executing_eagerly() -> bool:
    """True: every op computes its value at once."""
    return True


def map_fn(fn: Callable[[Any], Any], elems: Any, **options: Any) -> Any:
    """What `fn` returns for each row of `elems`, stacked. The options are not used: a result keeps its dtype."""
    return over_rows(fn, elems)


def hessians(ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "") -> Any:
    """For each of `xs` the second derivatives of the sum of `ys`, of shape x.shape + x.shape: a list.

    None stands where the sum does not depend on x.
    """
    return [_hessian(ys, x) for x in structure.flatten(xs)]


def _hessian(ys: Any, x: Tensor) -> Tensor | None:
    (slope,) = gradients(ys, x)
    if slope is None:
        return None
    rows = [gradients(element, x, unconnected_gradients="zero")[0] for element in ops.unstack(ops.ravel(slope))]
    return ops.reshape(ops.stack(rows), x.shape + x.shape)


def pack_sequence_as(nested: Any, flat_sequence: Sequence[Any]) -> Any:
    """A structure nested like `nested` that holds the members of `flat_sequence` in order."""
    wanted = len(structure.flatten(nested))
    if len(flat_sequence) != wanted:
        raise ValueError(f"the structure has {wanted} places, but {len(flat_sequence)} values are given")
    return structure.rebuild(nested, flat_sequence)


def check_numerics(tensor: Any, message: str, name: str = "") -> Tensor:
    """`tensor` as it is; ValueError, beginning with `message`, if it holds nan or inf."""
    tensor = convert_to_tensor(tensor)
    holes, infinities = int(np.isnan(tensor.value).sum()), int(np.isinf(tensor.value).sum())
    if holes or infinities:
        raise ValueError(f"{message}: of {tensor.size} values {holes} are nan and {infinities} are inf")
    return tensor


def assert_near(
    x: Any, y: Any, rtol: float | None = None, atol: float | None = None, message: str = "", summarize: Any = None,
    name: str = "",
) -> None:  # fmt: skip
    """Raise AssertionError unless |x - y| <= atol + rtol * |y| everywhere; each is 10 units of rounding by default."""
    a, b = np.broadcast_arrays(convert_to_tensor(x).value, convert_to_tensor(y).value)
    unit = 10 * float(np.finfo(np.result_type(a, b, np.float16)).eps)
    allowed = (unit if atol is None else atol) + (unit if rtol is None else rtol) * np.abs(b)
    far = np.argwhere(~((a == b) | (np.abs(a - b) <= allowed)))
    if len(far):
        i = tuple(far[0].tolist())
        where = f"at {i} " if i else ""
        raise AssertionError(
            f"{message or 'the values are not near'}: {where}{a[i]} and {b[i]} differ by more than {allowed[i]:.3g}"
        )


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of (y_pred - y_true)**2 along the last axis."""
    y_pred = convert_to_tensor(y_pred)
    return ops.mean(ops.square(y_pred - ops.astype(y_true, y_pred.dtype)), -1)


def _averaged(loss: Callable[..., Any]) -> Callable[..., Any]:
    def make(name: str = "", **options: Any) -> Callable[[Any, Any], Any]:
        return lambda y_true, y_pred: ops.mean(loss(y_true, y_pred, **options))

    make.__doc__ = f"The function of (y_true, y_pred) that returns the mean of this loss:\n\n{loss.__doc__}"
    return make


NAMES: dict[str, Any] = {
    "is_tensor": is_tensor, "function": function, "executing_eagerly": executing_eagerly, "cond": cond,
    "map_fn": map_fn, "vectorized_map": map_fn, "hessians": hessians,
    "no_gradient": no_gradient, "NotDifferentiable": no_gradient,
    "nest.flatten": structure.flatten, "nest.map_structure": structure.map_structure,
    "nest.pack_sequence_as": pack_sequence_as, "nest.assert_same_structure": structure.check_same,
    "debugging.check_numerics": check_numerics, "debugging.assert_near": assert_near,
    "optimizers.SGD": SGD, "optimizers.Adam": Adam, "keras.optimizers.SGD": SGD, "keras.optimizers.Adam": Adam,
    "keras.losses.mse": mean_squared_error, "keras.losses.mean_squared_error": mean_squared_error,
    "keras.losses.MeanSquaredError": _averaged(mean_squared_error),
    "keras.losses.BinaryCrossentropy": _averaged(keras.binary_crossentropy),
    "keras.losses.CategoricalCrossentropy": _averaged(keras.categorical_crossentropy),
    "keras.losses.SparseCategoricalCrossentropy": _averaged(keras.sparse_categorical_crossentropy),
}  # fmt: skip
