"""Joining and splitting: concatenate and split, which are each other's rules, and functions built on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..core.op import OPS
from ..core.support.error_words import advised
from ..core.support.operands import adopt, adopt_all, float_dtype
from ..core.support.settings import plain_setting
from .declare import BY_NUMPY, composite, defop, names_as
from .identities import astype
from .shapes import along, expand_dims, moveaxis, ravel, reshape

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


def _cut(g: Any, sizes: Sequence[int], axis: int) -> list[Any]:
    """Consecutive slices of `g` of these sizes along `axis`."""
    keys = [along(g, axis, slice(int(end) - size, int(end))) for size, end in zip(sizes, np.cumsum(sizes))]
    return [g[key] for key in keys]


def _concatenated(*arrays: Any, axis: int = 0) -> Any:
    return np.concatenate(arrays, axis)


_concatenate = defop(
    "concatenate", _concatenated,
    vjp_all=lambda g, y, *arrays, axis=0: _cut(g, [a.shape[axis] for a in arrays], axis),
    slope="1",
    names=names_as("concatenate", tf="concat", torch="cat"),
    samples=(((_TABLE, [[1.0, 2.0, 3.0]]),), ((_TABLE, [[1.0], [2.0]]), -1)),
)


@advised
def concatenate(
    arrays: Sequence[Any], axis: int | None = 0, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:  # fmt: skip
    """Join arrays along an existing axis; None joins all their elements in C order.

    dtype : the dtype that the arrays are converted to. casting : the conversions that are allowed, as in NumPy
    ("same_kind" allows conversions between float dtypes).
    Raises TypeError if `casting` does not allow the conversion.

    >>> import minigrad as mg
    >>> mg.concatenate([mg.constant([1.0]), mg.constant([2.0, 3.0])]).value
    array([1., 2., 3.], dtype=float32)
    """
    if np.ndim(axis if axis is not None else 0):  # concatenate(x, y)
        raise TypeError("concatenate takes the arrays as one list: write concatenate([x, y])")
    for i, a in enumerate(arrays if axis is not None else ()):
        if isinstance(a, (bool, int, float)):
            raise ValueError(f"concatenate joins along axis {axis}, and array {i} is the number {a}; write [{a}]")
    if dtype is not None:
        arrays = [_converted(a, dtype, casting) for a in arrays]
    if axis is None:
        return _concatenate(*map(ravel, adopt_all(arrays)), axis=0)
    return _concatenate(*arrays, axis=axis)


def _converted(a: Any, dtype: Any, casting: Any) -> Any:
    """`a` as an array or Tensor of type `dtype`. Raises TypeError if `casting` does not allow the conversion."""
    a = adopt(a, dtype if np.dtype(dtype).kind == "f" else None)
    if not np.can_cast(a.dtype, dtype, casting):
        raise TypeError(
            f"concatenate cannot convert {a.dtype} to {np.dtype(dtype)} with casting={casting!r}; "
            f"write astype(x, {str(np.dtype(dtype))!r}) first if that is what you want"
        )
    return astype(a, dtype)


BY_NUMPY[np.concatenate] = concatenate


def _split_at(x: Any, ends: tuple[int, ...] = (), axis: int = 0) -> Any:
    return tuple(np.split(x, ends, axis))


_split = defop(
    "split", _split_at,
    vjp_all=lambda g, y, a, ends=(), axis=0: [concatenate(g, axis)],
    slope="1",
    names=names_as("split"),
    samples=((_TABLE, 2), (_TABLE, (1, 2), -1)),
)


@advised
def split(x: Any, indices_or_sections: int | Sequence[int], axis: int = 0) -> tuple[Any, ...]:
    """Cut `x` along `axis`, into a number of equal parts or before each index. Returns a tuple.

    >>> import minigrad as mg
    >>> [part.shape for part in mg.ops.split(mg.constant([1.0, 2.0, 3.0]), [1])]
    [(1,), (2,)]
    """
    indices_or_sections = plain_setting(indices_or_sections)
    n = _length(np.shape(x), axis, indices_or_sections)
    if isinstance(indices_or_sections, (int, np.integer)) and n % indices_or_sections:
        raise ValueError(f"split cannot cut an axis of length {n} into {indices_or_sections} equal parts")
    return array_split(x, indices_or_sections, axis)


def _length(shape: tuple[int, ...], axis: int, sections: Any) -> int:
    """The length of the axis to cut. Raises ValueError if the axis does not exist, or if no part is requested."""
    if not shape:
        raise ValueError("split cuts along an axis, and a single number has none; write reshape(x, (1,)) first")
    if isinstance(sections, (int, np.integer)) and sections < 1:
        raise ValueError(f"split cuts into 1 or more parts, got {sections}")
    return shape[normalize_axis_index(axis, len(shape))]


@composite(numpy=np.array_split, names=names_as("array_split", tf="", torch="tensor_split"), samples=((_TABLE, 2, 1),))
def array_split(x: Any, indices_or_sections: int | Sequence[int], axis: int = 0) -> tuple[Any, ...]:
    """Cut `x` along `axis` like `split`, but allow parts of unequal length, the longer ones first."""
    ends: Any = indices_or_sections
    n = _length(x.shape, axis, ends)
    if isinstance(ends, (int, np.integer)):
        size, more = divmod(n, int(ends))
        ends = np.cumsum([size + 1] * more + [size] * (int(ends) - more))[:-1]
    ends = tuple(int(end) for end in np.asarray(ends))
    stops = [slice(end).indices(n)[1] for end in ends]
    if stops == sorted(stops):
        return _split(x, ends=ends, axis=axis)
    spans = zip([0, *stops], [*stops, n])  # decreasing indices give overlapping or empty parts, each cut separately
    return tuple(_split(x, ends=(start, max(start, stop)), axis=axis)[1] for start, stop in spans)


BY_NUMPY[np.split] = split
OPS["concatenate"].call, OPS["split"].call = concatenate, split


@composite(
    arrays=0, numpy=np.stack, names=names_as("stack"),
    samples=((([1.0, 2.0], [3.0, 4.0]),), (([1.0, 2.0], [3.0, 4.0]), -1)),
)
def stack(arrays: Sequence[Any], axis: int = 0, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """Join arrays of the same shape along a new axis. dtype, casting : as for concatenate.

    >>> import minigrad as mg
    >>> mg.stack([mg.constant([1.0, 2.0]), mg.constant([3.0, 4.0])], axis=1).value
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """
    arrays = adopt_all(arrays)
    shapes = {np.shape(a) for a in arrays}
    if len(shapes) > 1:
        raise ValueError(f"stack joins arrays of one shape, got {', '.join(map(str, sorted(shapes)))}")
    return concatenate([expand_dims(a, axis) for a in arrays], axis, dtype=dtype, casting=casting)


@composite(
    numpy=getattr(np, "unstack", None),  # new in NumPy 2.1
    names=names_as("unstack", torch="unbind"), samples=((_TABLE,), (_TABLE, dict(axis=-1))),
)
def unstack(x: Any, num: int | None = None, axis: int = 0) -> tuple[Any, ...]:
    """Cut `x` into its slices along `axis`, and drop that axis: the inverse of `stack`.

    num : the expected number of slices, as in TensorFlow and Keras. Raises ValueError if the actual number differs.
    """
    rows = moveaxis(x, axis, 0)
    if num not in (None, rows.shape[0]):
        raise ValueError(f"axis {axis} of shape {x.shape} has {rows.shape[0]} slices, not num={num}")
    return tuple(rows[i] for i in range(rows.shape[0]))


@composite(
    arrays=0, numpy=np.block, names=dict(jax="block"), example=([[1.0, 2.0], [3.0, 4.0]],),
    samples=((([1.0, 2.0], [3.0]),), ((_TABLE, [[4.0], [5.0]]),)),
)
def block(arrays: Any) -> Any:
    """Join blocks in nested lists into one array.

    The innermost lists are joined along the last axis, the lists around them along the axis before, and so on.

    >>> import minigrad as mg
    >>> a = mg.constant([[2.0]])
    >>> mg.block([[a, mg.zeros((1, 2))], [mg.ones((1, 3))]]).value
    array([[2., 0., 0.],
           [1., 1., 1.]], dtype=float32)
    """
    depth, dtype = _depth(arrays), float_dtype([arrays])
    return _block(arrays, depth, max(depth, *map(np.ndim, _blocks(arrays))), dtype)


def _depth(arrays: Any) -> int:
    if not isinstance(arrays, (list, tuple)):
        return 0
    depths = {_depth(a) for a in arrays}
    if len(depths) != 1:
        raise ValueError("block takes lists that are all nested to the same depth, none of them empty")
    return depths.pop() + 1


def _blocks(arrays: Any) -> list[Any]:
    """Return all blocks, in order."""
    if not isinstance(arrays, (list, tuple)):
        return [arrays]
    return [one for inner in arrays for one in _blocks(inner)]


def _block(arrays: Any, depth: int, ndim: int, dtype: Any) -> Any:
    if not depth:
        shape = np.shape(arrays)
        block = arrays if dtype is None else adopt(arrays, dtype)
        return reshape(block, (1,) * (ndim - len(shape)) + shape)
    return concatenate([_block(a, depth - 1, ndim, dtype) for a in arrays], -depth)
