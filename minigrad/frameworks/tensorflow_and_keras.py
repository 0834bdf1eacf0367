"""Functions that TensorFlow and Keras share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.support.operands import adopt, holds_tensor
from ..core.support.structure import flatten, map_structure, rebuild
from ..core.support.tensor_values import as_value
from ..core.tensor import Tensor
from .own_ops import ops


def convert_to_tensor(value: Any, dtype: Any = None) -> Tensor:
    """Return `value` as a Tensor; a Tensor is returned unchanged unless `dtype` differs from its dtype.

    >>> import minigrad as mg
    >>> mg.convert_to_tensor([1.0, 2.0])
    Tensor([1., 2.], shape=(2,), dtype=float32)
    """
    if isinstance(value, Tensor):
        return value if dtype is None or value.dtype == np.dtype(dtype) else ops.astype(value, dtype)
    if holds_tensor(value):
        return adopt(value) if dtype is None else ops.astype(adopt(value), dtype)
    return Tensor(value, dtype)


def is_tensor(x: Any) -> bool:
    """Return whether `x` is a Tensor. A Variable is a Tensor, but an array is not.

    >>> import minigrad as mg
    >>> mg.is_tensor(mg.constant(1.0)), mg.is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, Tensor)


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """Call `true_fn()` if `pred` is true and `false_fn()` otherwise, and return the result.

    >>> import minigrad as mg
    >>> float(mg.cond(mg.constant(2.0) > 0, lambda: mg.constant(1.0), lambda: mg.constant(-1.0)))
    1.0
    """
    return true_fn() if pred else false_fn()


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: int | None = None
) -> Any:
    """Replace `loop_vars` with body(*loop_vars) as long as cond(*loop_vars) is true, and return the last values.

    loop_vars : a list or tuple, which may be nested, or one Tensor. maximum_iterations : the number of iterations after
        which to stop.

    >>> while_loop(lambda x, n: x < 100, lambda x, n: (x * x, n + 1), (Tensor(3.0), 0))
    (Tensor(6561.0, dtype=float32, op=multiply), Tensor(3, dtype=int32, op=add))
    """
    several, turns = isinstance(loop_vars, (list, tuple)), 0
    state = map_structure(convert_to_tensor, loop_vars if several else (loop_vars,))
    # Plain numbers become Tensors, both in the initial variables and in the variables that `body` returns.
    while (maximum_iterations is None or turns < maximum_iterations) and cond(*state):
        after = body(*state)
        state = rebuild(state, flatten(after if isinstance(after, (list, tuple)) else (after,)))
        state, turns = map_structure(convert_to_tensor, state), turns + 1
    return state if several else state[0]


def part(x: Any, begin: Sequence[Any], size: Sequence[Any]) -> Tensor:
    """Return the block of `x` that starts at `begin` and has the shape `size`; a size of -1 means the rest of the axis.

    >>> import minigrad as mg
    >>> mg.slice(mg.constant([[1.0, 2.0], [3.0, 4.0]]), [0, 1], [-1, 1]).value
    array([[2.],
           [4.]], dtype=float32)
    """
    x = convert_to_tensor(x)
    begin, size = ([int(n) for n in np.ravel(as_value(lengths))] for lengths in (begin, size))
    ends = [extent if n == -1 else b + n for extent, b, n in zip(x.shape, begin, size)]
    if not len(begin) == len(size) == x.ndim or any(b < 0 or e > n for b, e, n in zip(begin, ends, x.shape)):
        raise ValueError(f"the block that starts at {begin} and has the shape {size} is not inside shape {x.shape}")
    return ops.getitem(x, tuple(map(slice, begin, ends)))


def nd_key(indices: Any, axes: int) -> tuple[Any, ...]:
    """Convert TensorFlow's `indices` to an index for NumPy; their last axis has one integer for each indexed axis."""
    rows = np.asarray(as_value(indices))
    if not rows.ndim or rows.shape[-1] > axes:
        raise ValueError(
            f"the last axis of the indices holds positions of at most {axes} integers for {axes} axes, got indices of "
            f"shape {rows.shape}; for the rows 0 and 2 write [[0], [2]]"
        )
    return tuple(np.moveaxis(rows, -1, 0))  # NumPy takes one array of positions for each axis


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any) -> Tensor:
    """Return a copy of `tensor` with `updates` at the positions in the last axis of `indices`.

    >>> tensor_scatter_nd_update([1.0, 2.0, 3.0], [[0], [2]], [5.0, 6.0]).value
    array([5., 2., 6.], dtype=float32)
    """
    tensor = convert_to_tensor(tensor)
    return ops.index_set(tensor, nd_key(indices, tensor.ndim), updates)


def over_rows(f: Callable[[Any], Any], elements: Any) -> Any:
    """Call `f` on each row of `elements`, and return the stacked results. Both may be nested structures.

    >>> over_rows(lambda row: row[0] * row[1], Tensor([[1.0, 2.0], [3.0, 4.0]])).value
    array([ 2., 12.], dtype=float32)
    """
    return stacked([f(row) for row in rows_of(elements)])


def rows_of(elements: Any) -> list[Any]:
    """Split the Tensors in a nested structure into rows, and return a list with one structure for each row."""
    columns = [convert_to_tensor(column) for column in flatten(elements)]
    lengths = {column.shape[:1] for column in columns}
    if () in lengths:
        raise ValueError("a single number has no rows to map over; make the list a Tensor: constant([1.0, 2.0])")
    if len(lengths) != 1 or lengths == {(0,)}:
        raise ValueError(f"map over Tensors that have the same number of rows, at least one; got {sorted(lengths)}")
    return [rebuild(elements, row) for row in zip(*map(ops.unstack, columns))]


def stacked(rows: Sequence[Any]) -> Any:
    """Combine structures with the same nesting into one, by stacking their leaves."""
    return map_structure(lambda *results: ops.stack(results), *rows)


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return `num_segments` rows; row k is the sum of the rows of `data` with id k. Negative ids are ignored.

    >>> unsorted_segment_sum([1.0, 2.0, 4.0], [1, 0, 1], 3).value
    array([2., 5., 0.], dtype=float32)
    """
    data, ids = convert_to_tensor(data), np.asarray(as_value(segment_ids))
    if data.shape[: ids.ndim] != ids.shape:
        raise ValueError(f"the shape of the data, {data.shape}, must begin with the ids' shape {ids.shape}")
    valid = np.nonzero(ids >= 0)
    zeros = np.zeros((int(num_segments), *data.shape[ids.ndim :]), data.dtype)
    return ops.index_add(zeros, ids[valid], data[valid])


def relu6(x: Any) -> Tensor:
    """`x` clipped to the range from 0 to 6; the slope at 0 and at 6 is 0.

    >>> import minigrad as mg
    >>> mg.ops.relu6(mg.constant([-1.0, 3.0, 9.0])).value
    array([0., 3., 6.], dtype=float32)
    """
    x = convert_to_tensor(x)
    return ops.where(x >= 6, 6, ops.relu(x))  # not clip, whose slope at 0 and 6 is 1


def selu(x: Any) -> Tensor:
    """elu scaled so that layers keep mean 0 and variance 1 (Klambauer et al. 2017).

    >>> import minigrad as mg
    >>> mg.ops.selu(mg.constant([-1.0, 1.0])).value
    array([-1.1113307,  1.050701 ], dtype=float32)
    """
    return 1.0507009873554805 * ops.elu(convert_to_tensor(x), 1.6732632423543772)


def softsign(x: Any) -> Tensor:
    """x / (1 + |x|)

    >>> import minigrad as mg
    >>> mg.ops.softsign(mg.constant([-1.0, 3.0])).value
    array([-0.5 ,  0.75], dtype=float32)
    """
    x = convert_to_tensor(x)
    return x / (1 + ops.absolute(x))
