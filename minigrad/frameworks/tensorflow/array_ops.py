"""TensorFlow's array functions: shapes, creation, indexing, sorting and sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.op import OPS
from ...core.support.tensor_values import as_value
from ...core.tensor import Tensor
from ...ops.declare import plain
from ...ops.shapes import along
from ...ops.sorting import descending
from ..own_ops import ops
from ..tensorflow_and_keras import convert_to_tensor, nd_key, part, tensor_scatter_nd_update, unsorted_segment_sum


def shape(input: Any, out_type: Any = None) -> Tensor:
    """Return the shape of `input` as a Tensor of integers, int32 by default; `x.shape` is a tuple.

    >>> import minigrad as mg
    >>> mg.shape([[1.0, 2.0]]).value
    array([1, 2], dtype=int32)
    """
    return Tensor(np.array(np.shape(input), out_type or np.int32))


def size(input: Any, out_type: Any = None) -> Tensor:
    """Return the number of elements of `input`, as a Tensor of integers, int32 by default.

    >>> import minigrad as mg
    >>> int(mg.size([[1.0, 2.0]]))
    2
    """
    return Tensor(np.array(np.size(input), out_type or np.int32))


def rank(input: Any) -> Tensor:
    """Return the number of axes of `input`, as a Tensor.

    >>> import minigrad as mg
    >>> int(mg.rank([[1.0, 2.0]]))
    2
    """
    return Tensor(np.ndim(input))


def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None) -> Tensor:
    """Return the numbers from `start` up to but not including `limit`.

    >>> import minigrad as mg
    >>> mg.range(0, 10, 3).value
    array([0, 3, 6, 9], dtype=int32)
    """
    start, limit, delta = (x if x is None else np.asarray(x).item() for x in (start, limit, delta))
    return ops.arange(start, limit, delta, dtype)


def fill(dims: Any, value: Any) -> Tensor:
    """Return `value` repeated to fill the shape `dims`.

    >>> import minigrad as mg
    >>> mg.fill((2,), 3.0).value
    array([3., 3.], dtype=float32)
    """
    if not np.ndim(dims):
        raise TypeError(f"dims of fill must be a list of lengths, got {dims!r:.60}; write fill([{dims}], value)")
    return ops.full(tuple(int(n) for n in dims), value)


def eye(num_rows: int, num_columns: int | None = None, batch_shape: Any = None, dtype: Any = None) -> Tensor:
    """Return the identity matrix, or a Tensor of identity matrices whose leading axes are `batch_shape`.

    >>> import minigrad as mg
    >>> mg.eye(2).value
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    if int(num_rows) != num_rows or (num_columns is not None and int(num_columns) != num_columns):
        raise TypeError(f"eye takes whole numbers of rows and columns, got {num_rows} and {num_columns}")
    matrix = ops.eye(int(num_rows), num_columns if num_columns is None else int(num_columns), dtype=dtype)
    return matrix if batch_shape is None else ops.broadcast_to(matrix, (*map(int, batch_shape), *matrix.shape))


def where(condition: Any, x: Any = None, y: Any = None) -> Tensor:
    """Return `x` where the condition is true, else `y`; without `x` and `y`, return the int64 indices as rows.

    >>> where([[True, False], [True, True]]).value
    array([[0, 0],
           [1, 0],
           [1, 1]])
    """
    if (x is None) != (y is None):
        raise ValueError("where takes both x and y, or only a condition")
    return Tensor(np.argwhere(as_value(condition)).astype(np.int64)) if x is None else ops.where(condition, x, y)


def split(value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None) -> tuple[Tensor, ...]:
    """Cut `value` along `axis` into a number of equal parts, or into parts of given sizes; one -1 means the rest."""
    if isinstance(num_or_size_splits, (int, np.integer)):
        return ops.split(value, num_or_size_splits, axis)
    sizes, value = np.array(num_or_size_splits, np.int64), convert_to_tensor(value)
    rest = sizes == -1
    if rest.sum() == 1:
        sizes[rest] = value.shape[axis] - sizes[~rest].sum()
    if (sizes < 0).any() or sizes.sum() != value.shape[axis]:
        raise ValueError(f"split cuts an axis of length {value.shape[axis]}, got the sizes {num_or_size_splits}")
    return ops.split(value, np.cumsum(sizes)[:-1], axis)


def gather(params: Any, indices: Any, axis: int | None = None, batch_dims: int = 0) -> Tensor:
    """Return the elements of `params` at `indices` along `axis`, which is `batch_dims` by default.

    batch_dims : the number of leading axes that both arrays have in common; each entry along these axes has its own
        indices.

    >>> import minigrad as mg
    >>> mg.gather([[1.0, 2.0], [3.0, 4.0]], [[1], [0]], batch_dims=1).value
    array([[2.],
           [3.]], dtype=float32)
    """
    axis = batch_dims if axis is None else axis
    if not batch_dims:
        return ops.take(params, indices, axis)
    params, indices = convert_to_tensor(params), np.asarray(as_value(indices))
    batch, axis = batch_dims + indices.ndim * (batch_dims < 0), axis % params.ndim
    if params.shape[:batch] != indices.shape[:batch] or axis < batch:
        raise ValueError(
            f"gather with batch_dims={batch} needs the same {batch} leading axes in both, and an axis after them; "
            f"got shapes {params.shape} and {indices.shape} and axis {axis}"
        )
    rows = ops.getitem(ops.moveaxis(params, axis, batch), (*_grid(indices, batch), indices))
    index_dims = indices.ndim - batch
    return ops.moveaxis(rows, tuple(range(batch, indices.ndim)), tuple(range(axis, axis + index_dims)))


def _grid(indices: np.ndarray[Any, Any], batch: int) -> list[Any]:
    """Return an index array for each of the `batch` leading axes, in shapes that broadcast with `indices`."""
    grids = np.ogrid[tuple(slice(n) for n in indices.shape[:batch])] if batch else []
    return [grid.reshape(grid.shape + (1,) * (indices.ndim - batch)) for grid in grids]


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int | None = None, dtype: Any = None
) -> Tensor:
    """Return a row of length `depth` for each index, with `on_value` at the index and `off_value` elsewhere."""
    axis = -1 if axis is None else axis
    if on_value is None and off_value is None:
        return ops.one_hot(indices, int(depth), axis, dtype)
    on, off = (default if value is None else value for value, default in ((on_value, 1), (off_value, 0)))
    if dtype is None:
        dtype = as_value(off if on_value is None else on).dtype
    hot = ops.one_hot(indices, int(depth), axis, bool)
    return ops.where(hot, convert_to_tensor(on, dtype), convert_to_tensor(off, dtype))


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING") -> Tensor:
    """Return the elements in sorted order along `axis`."""
    if _ascending(direction):
        return ops.sort(values, axis)
    values = convert_to_tensor(values)
    return ops.take_along_axis(values, descending(values, axis), axis)


def _ascending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"the direction must be 'ASCENDING' or 'DESCENDING', got {direction!r}")
    return direction == "ASCENDING"


def argsort(values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False) -> Tensor:
    """Return the indices that sort the elements along `axis`; equal elements keep their order, even if not `stable`."""
    values = convert_to_tensor(values)
    order = ops.argsort(values, axis) if _ascending(direction) else descending(values, axis)
    return ops.astype(order, "int32")


def boolean_mask(tensor: Any, mask: Any, axis: int | None = None) -> Tensor:
    """Return the elements or rows of `tensor` where `mask` is true; `mask` covers the axes from `axis` on.

    >>> import minigrad as mg
    >>> mg.boolean_mask([1.0, 2.0, 3.0], [True, False, True]).value
    array([1., 3.], dtype=float32)
    """
    tensor = convert_to_tensor(tensor)
    axis = (axis or 0) % tensor.ndim
    return ops.getitem(tensor, (slice(None),) * axis + (np.asarray(as_value(mask), bool),))


def gather_nd(params: Any, indices: Any, batch_dims: int = 0) -> Tensor:
    """Return the elements or rows of `params` at the positions in the last axis of `indices`.

    batch_dims : the number of leading axes that both arrays have in common; each entry along these axes has its own
        positions.

    >>> gather_nd([1.0, 2.0, 3.0], [[0], [2]]).value
    array([1., 3.], dtype=float32)
    """
    params = convert_to_tensor(params)
    key = nd_key(indices, params.ndim - batch_dims)
    return ops.getitem(params, (*_grid(np.broadcast_arrays(*key)[0], batch_dims), *key) if batch_dims else key)


def scatter_nd(indices: Any, updates: Any, shape: Any) -> Tensor:
    """Return zeros of shape `shape` with `updates` added at the positions in the last axis of `indices`.

    >>> import minigrad as mg
    >>> mg.scatter_nd([[0], [2]], [5.0, 6.0], (3,)).value
    array([5., 0., 6.], dtype=float32)
    """
    updates = convert_to_tensor(updates)
    zeros = np.zeros(tuple(int(n) for n in shape), updates.dtype)
    return ops.index_add(zeros, nd_key(indices, zeros.ndim), updates)


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any) -> Tensor:
    """Return a copy of `tensor` with `updates` added at the positions in the last axis of `indices`."""
    tensor = convert_to_tensor(tensor)
    return ops.index_add(tensor, nd_key(indices, tensor.ndim), updates)


def top_k(input: Any, k: int = 1, index_type: Any = None) -> Any:
    """Return the `k` largest elements along the last axis and their indices, int32 by default."""
    values, indices = ops.top_k(input, k)
    return values, ops.astype(indices, index_type or "int32")


def argmax(input: Any, axis: int | None = None, output_type: Any = None) -> Tensor:
    """Return the index (int64 by default) of the largest element along `axis` (the first axis by default)."""
    return ops.astype(ops.argmax(input, axis or 0), output_type or "int64")


def argmin(input: Any, axis: int | None = None, output_type: Any = None) -> Tensor:
    """Return the index (int64 by default) of the smallest element along `axis` (the first axis by default)."""
    return ops.astype(ops.argmin(input, axis or 0), output_type or "int64")


def searchsorted(sorted_sequence: Any, values: Any, side: Any = "left", out_type: Any = None) -> Tensor:
    """Return the positions, int32 by default, for inserting `values` so that the sequence stays sorted.

    If there are several axes, the last one is searched: the values in each row are searched for in the same row of
    `sorted_sequence`.

    >>> import minigrad as mg
    >>> mg.searchsorted([1.0, 3.0, 5.0], [0.0, 4.0]).value
    array([0, 2], dtype=int32)
    """
    if np.ndim(plain(sorted_sequence)) == 1:  # an op also works on a program's placeholders
        return ops.astype(ops.searchsorted(sorted_sequence, values, side), out_type or "int32")
    rows, targets = (np.asarray(plain(x)) for x in (sorted_sequence, values))
    if rows.shape[:-1] != targets.shape[:-1]:
        raise ValueError(f"searchsorted takes the same rows in both, got shapes {rows.shape} and {targets.shape}")
    pairs = zip(rows.reshape(-1, rows.shape[-1]), targets.reshape(-1, targets.shape[-1]))
    places = [np.searchsorted(row, each, side) for row, each in pairs]
    return Tensor(np.array(places, out_type or np.int32).reshape(targets.shape))


def _running(call: Any) -> Any:
    def scan(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Tensor:
        x = x if isinstance(x, np.ndarray) else convert_to_tensor(x)
        x = ops.flip(x, axis) if reverse else x
        if exclusive:  # shift the elements by one, so that each result leaves out its own element
            first = ops.getitem(x, along(x, axis, slice(0, 1)))
            unit = ops.zeros_like(first) if call is ops.cumsum else ops.ones_like(first)
            x = ops.concatenate([unit, ops.getitem(x, along(x, axis, slice(0, -1)))], axis)
        y = call(x, axis)
        return ops.flip(y, axis) if reverse else y

    scan.__name__ = scan.__qualname__ = call.__name__
    scan.__doc__ = (
        f"{OPS[call.__name__].facts.says}\n\nexclusive: leave out the element itself. reverse: start at the end."
    )
    return scan


def add_n(inputs: Sequence[Any]) -> Tensor:
    """Return the sum of Tensors of the same shape.

    >>> import minigrad as mg
    >>> mg.add_n([mg.constant([1.0, 2.0]), mg.constant([3.0, 4.0])]).value
    array([4., 6.], dtype=float32)
    """
    return ops.sum(ops.stack(inputs), 0)


def segment_sum(data: Any, segment_ids: Any) -> Tensor:
    """Sum the rows of `data` that have the same id. There is one id for each row, and the ids must be ascending.

    >>> import minigrad as mg
    >>> mg.math.segment_sum([1.0, 2.0, 5.0], [0, 0, 1]).value
    array([3., 5.], dtype=float32)
    """
    ids = np.asarray(as_value(segment_ids))
    if ids.ndim != 1 or np.any(np.diff(ids) < 0) or np.any(ids < 0):
        raise ValueError("segment_sum takes ascending ids from 0 up, one for each row; see unsorted_segment_sum")
    return unsorted_segment_sum(data, ids, ids.max(initial=-1) + 1)


def squared_difference(x: Any, y: Any) -> Any:
    """(x - y)**2

    >>> import minigrad as mg
    >>> float(mg.math.squared_difference(5.0, 3.0))
    4.0
    """
    return ops.square(ops.subtract(x, y))


def divide_no_nan(x: Any, y: Any) -> Any:
    """x / y, but 0 with slopes 0 where y is 0.

    >>> import minigrad as mg
    >>> mg.math.divide_no_nan([6.0, 6.0], [2.0, 0.0]).value
    array([3., 0.], dtype=float32)
    """
    hole = ops.equal(y, 0)
    return ops.where(hole, 0, x) / ops.where(hole, 1, y)


def digamma(x: Any) -> Any:
    """Return the derivative of the logarithm of the gamma function.

    >>> import minigrad as mg
    >>> float(mg.math.digamma(1.0))  # minus Euler's constant
    -0.5772156715393066
    """
    return ops.polygamma(0, x)


NAMES: dict[str, Any] = {
    "convert_to_tensor": convert_to_tensor, "shape": shape, "size": size, "rank": rank, "range": range_,
    "zeros": ops.zeros, "ones": ops.ones, "fill": fill, "eye": eye, "where": where, "slice": part,
    "split": split, "gather": gather, "one_hot": one_hot, "sort": sort,
    "argsort": argsort, "boolean_mask": boolean_mask, "scatter_nd": scatter_nd,
    "gather_nd": gather_nd, "tensor_scatter_nd_add": tensor_scatter_nd_add,
    "tensor_scatter_nd_update": tensor_scatter_nd_update, "truediv": ops.divide,
    "math.top_k": top_k, "nn.top_k": top_k, "argmax": argmax, "argmin": argmin, "searchsorted": searchsorted,
    "add_n": add_n,
    "cumsum": _running(ops.cumsum), "math.cumprod": _running(ops.cumprod),
    "math.segment_sum": segment_sum, "math.unsorted_segment_sum": unsorted_segment_sum,
    "math.squared_difference": squared_difference, "math.divide_no_nan": divide_no_nan, "math.digamma": digamma,
}  # fmt: skip
