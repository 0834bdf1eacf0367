"""TensorFlow's functions for whole programs: loops, nested structures, checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.gradients import gradients
from ...core.support import structure
from ...core.support.scopes import variable_scope
from ...core.tensor import Tensor
from .. import tensorflow_and_keras
from ..own_ops import ops
from ..registered_gradients import no_gradient
from ..tensorflow_and_keras import cond, convert_to_tensor, is_tensor, over_rows, rows_of, stacked


def function(func: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Return `func` unchanged, because every op runs at once. Options are ignored; without `func`, return a decorator.

    >>> import minigrad as mg
    >>> square = mg.function(lambda x: x * x)
    >>> float(square(mg.constant(3.0)))
    9.0
    """
    return func if func is not None else lambda decorated: decorated


def executing_eagerly() -> bool:
    """Return True: every op computes its value at once.

    >>> executing_eagerly()
    True
    """
    return True


def map_fn(
    fn: Callable[[Any], Any], elems: Any, dtype: Any = None, back_prop: bool = True, fn_output_signature: Any = None
) -> Any:
    """Call `fn` on each row of `elems`, and return the stacked results.

    back_prop : False to make the results constants. dtype, fn_output_signature : ignored, because a result keeps its
        dtype.

    >>> import minigrad as mg
    >>> mg.map_fn(mg.sum, mg.constant([[1.0, 2.0], [3.0, 4.0]])).value
    array([3., 7.], dtype=float32)
    """
    return _cut(over_rows(fn, elems), back_prop)


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, back_prop: bool = True,
    maximum_iterations: int | None = None,
) -> Any:  # fmt: skip
    """Replace `loop_vars` with body(*loop_vars) as long as cond(*loop_vars) is true, and return the last values.

    maximum_iterations : the number of iterations after which to stop. back_prop : False to make the results constants.

    >>> import minigrad as mg
    >>> int(mg.while_loop(lambda n: n < 100, lambda n: (2 * n,), (mg.constant(3),))[0])
    192
    """
    return _cut(tensorflow_and_keras.while_loop(cond, body, loop_vars, maximum_iterations), back_prop)


def _cut(results: Any, back_prop: bool) -> Any:
    return results if back_prop else structure.map_structure(ops.stop_gradient, results)


def _states(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, reverse: bool) -> list[Any]:
    """Call state = fn(state, row) for each row of `elems`, starting from `initializer`, and return the new states.

    Without `initializer`, the first row is the first state, and is returned too.
    """
    rows = rows_of(elems)[:: -1 if reverse else 1]
    states = [rows.pop(0)] if initializer is None else []
    state = states[0] if states else structure.map_structure(convert_to_tensor, initializer)
    for row in rows:
        state = fn(state, row)
        states.append(state)
    return states


def scan(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, back_prop: bool = True, reverse: bool = False,
) -> Tensor:  # fmt: skip
    """Call state = fn(state, row) for each row of `elems`, and return the stacked states, one for each row.

    elems, initializer : Tensors, or nested structures. Without `initializer`, the first row is the first state.
    reverse : whether to begin with the last row; the states are still returned in the order of the rows.
    back_prop : False to make the results constants.

    >>> scan(lambda total, x: total + x, Tensor([1.0, 2.0, 3.0])).value
    array([1., 3., 6.], dtype=float32)
    """
    return _cut(stacked(_states(fn, elems, initializer, reverse)[:: -1 if reverse else 1]), back_prop)


def foldl(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, back_prop: bool = True,
) -> Any:  # fmt: skip
    """Call state = fn(state, row) for each row of `elems`, from first to last, and return the last state; see `scan`.

    >>> float(foldl(lambda total, x: 10 * total + x, Tensor([1.0, 2.0, 3.0])))
    123.0
    """
    return _cut(_states(fn, elems, initializer, reverse=False)[-1], back_prop)


def foldr(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, back_prop: bool = True,
) -> Any:  # fmt: skip
    """Call state = fn(state, row) for each row of `elems`, from last to first, and return the last state; see `scan`.

    >>> float(foldr(lambda total, x: 10 * total + x, Tensor([1.0, 2.0, 3.0])))
    321.0
    """
    return _cut(_states(fn, elems, initializer, reverse=True)[-1], back_prop)


def hessians(
    ys: Any,
    xs: Any,
) -> list[Any]:
    """Return a list with the Hessian of the sum of `ys` for each x in `xs`, of shape x.shape + x.shape.

    If the sum does not depend on an x, the entry for that x is None.

    >>> import minigrad as mg
    >>> x = mg.constant([1.0, 2.0])
    >>> mg.hessians(mg.sum(x**3), x)[0].value
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)
    """
    return [_hessian(ys, x) for x in structure.flatten(xs)]


def _hessian(ys: Any, x: Tensor) -> Tensor | None:
    (slope,) = gradients(ys, x)
    if slope is None:
        return None
    rows = [gradients(element, x, unconnected_gradients="zero")[0] for element in ops.unstack(ops.ravel(slope))]
    return ops.reshape(ops.stack([row for row in rows if row is not None]), x.shape + x.shape)


def pack_sequence_as(nested: Any, flat_sequence: Sequence[Any]) -> Any:
    """Return a structure nested like `nested`, with the members of `flat_sequence` as its leaves, in order.

    >>> import minigrad as mg
    >>> mg.nest.pack_sequence_as({"w": 1, "b": [2, 3]}, [10, 20, 30])
    {'w': 30, 'b': [10, 20]}
    """
    expected = len(structure.flatten(nested))
    if len(flat_sequence) != expected:
        raise ValueError(f"the structure has {expected} leaves, but {len(flat_sequence)} values are given")
    return structure.rebuild(nested, flat_sequence)


def check_numerics(tensor: Any, message: str) -> Tensor:
    """Return `tensor`, or raise ValueError, with `message` first, if it contains nan or inf.

    >>> import minigrad as mg
    >>> mg.debugging.check_numerics(mg.log(mg.constant([1.0, 0.0])), "loss")
    Traceback (most recent call last):
    ValueError: loss: of 2 values 0 are nan and 1 are inf
    """
    tensor = convert_to_tensor(tensor)
    holes, infinities = int(np.isnan(tensor.value).sum()), int(np.isinf(tensor.value).sum())
    if holes or infinities:
        raise ValueError(f"{message}: of {tensor.size} values {holes} are nan and {infinities} are inf")
    return tensor


def assert_near(
    x: Any, y: Any, rtol: float | None = None, atol: float | None = None, message: str = "", summarize: Any = None,
) -> None:  # fmt: skip
    """Raise AssertionError unless |x - y| <= atol + rtol * |y| everywhere; both default to 10 times machine epsilon.

    >>> import minigrad as mg
    >>> mg.debugging.assert_near(mg.constant(1.0), 1.0000001)
    >>> mg.debugging.assert_near(mg.constant(1.0), 1.1)
    Traceback (most recent call last):
    AssertionError: the values are not near: 1.0 and 1.100000023841858 differ by more than 2.5e-06
    """
    a, b = np.broadcast_arrays(convert_to_tensor(x).value, convert_to_tensor(y).value)
    unit = 10 * float(np.finfo(np.result_type(a, b, np.float16)).eps)
    allowed = (unit if atol is None else atol) + (unit if rtol is None else rtol) * np.abs(b)
    with np.errstate(all="ignore"):
        far = np.argwhere(~((a == b) | (np.abs(a - b) <= allowed)))
    if len(far):
        i = tuple(far[0].tolist())
        where = f"at {i} " if i else ""
        raise AssertionError(
            f"{message or 'the values are not near'}: {where}{a[i]} and {b[i]} differ by more than {allowed[i]:.3g}"
        )


NAMES: dict[str, Any] = {
    "is_tensor": is_tensor, "function": function, "executing_eagerly": executing_eagerly, "cond": cond,
    "variable_scope": variable_scope, "while_loop": while_loop, "scan": scan, "foldl": foldl, "foldr": foldr,
    "map_fn": map_fn, "vectorized_map": over_rows, "hessians": hessians,
    "no_gradient": no_gradient, "NotDifferentiable": no_gradient,
    "nest.flatten": structure.flatten, "nest.map_structure": structure.map_structure,
    "nest.pack_sequence_as": pack_sequence_as, "nest.assert_same_structure": structure.check_same,
    "debugging.check_numerics": check_numerics, "debugging.assert_near": assert_near,
}  # fmt: skip
