"""Indexing, its transpose `index_add`, and functions built on both."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.support.calling import apply
from ..core.support.fast import reading
from ..core.support.operands import adopt, float_dtype
from ..core.support.scattered import Scattered, add_at, recorders, repeats
from ..core.support.tensor_values import is_placeholder
from ..core.tensor import Tensor
from .choose import where
from .declare import composite, defop, names_as, plain
from .join import concatenate
from .shapes import along, broadcast_to, moveaxis, reshape

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


#: Types of index that contain no Tensor.
_PLAIN_KEYS = frozenset({int, slice, np.ndarray, type(None), type(...)})


def _key(key: Any) -> Any:
    """Return an index with each Tensor replaced by its value, because indices have no gradient."""
    if isinstance(key, tuple):
        return key if _PLAIN_KEYS.issuperset(map(type, key)) else tuple(map(_key, key))
    if isinstance(key, list):
        return np.asarray([_key(k) for k in key], dtype=None if key else int)
    return key.read_value().value if isinstance(key, Tensor) else key


def _holds_tensor(key: Any) -> bool:
    return any(isinstance(k, Tensor) for k in (key if type(key) is tuple else (key,)))


def _argument(key: Any) -> Any:
    """Return an index as an op records it: unchanged inside `recorded_indices()`, else with values for Tensors."""
    if not recorders or not _holds_tensor(key):
        return _key(key)
    read = lambda k: k.read_value() if isinstance(k, Tensor) else k
    return tuple(map(read, key)) if type(key) is tuple else read(key)


def _stand_in(key: Any) -> Any:
    """The first placeholder in an index, or None. (`in` cannot find it, because arrays compare elementwise.)"""
    return next(filter(is_placeholder, key if type(key) is tuple else (key,)), None)


def _getitem_of(x: Any, key: Any) -> Any:
    position = None if is_placeholder(x) else _stand_in(key)
    return x[_key(key)] if position is None else position.listing.call(operator.getitem, (x, key))


def _index_add(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `value` added at `x[key]`; if `key` repeats an element, each value is added to it."""
    x, key = np.array(x), _key(key)
    if repeats(key):
        np.add.at(x, key, value)
    else:
        x[key] += value
    return x[()]


def _index_set(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `x[key]` replaced by `value`, as `x[key] = value` would do in an array."""
    x = np.array(x)
    x[_key(key)] = value
    return x[()]


def _last(g: Any, shape: tuple[int, ...], key: Any) -> Any:
    """`g[key]`, but 0 for each value that was overwritten by a later one, because `key` repeats the element."""
    sent, key = _getitem(g, key), _key(key)
    if not repeats(key):
        return sent
    # Number the values and write the numbers at `key`; a value whose number is not read back was overwritten.
    turns = np.arange(sent.size).reshape(sent.shape)
    return where(_getitem(_set_at(np.zeros(shape, int), key, turns), key) == turns, sent, 0)


def _scatter_sum(*values: Any, shape: tuple[int, ...], keys: tuple[Any, ...]) -> Any:
    """Zeros of shape `shape`, with `values[i]` added at `keys[i]` for each i: the gradient of several indexings of `x`.

    >>> import minigrad as mg
    >>> mg.ops.scatter_sum([5.0, 6.0], 1.0, shape=(3,), keys=(slice(0, 2), 0)).value
    array([6., 6., 0.], dtype=float32)
    """
    total = np.zeros(shape, values[0].dtype)
    for key, value in zip(keys, values):
        total = add_at(total, _key(key), value)
    return total


def _scattered(shape: tuple[int, ...], key: Any, g: Any) -> Scattered:
    return Scattered(shape, key if isinstance(g, Tensor) else _key(key), g)


_getitem = defop(
    "getitem", _getitem_of,
    vjp=lambda g, y, a, key: _scattered(a.shape, key, g) if a.shape else _add_at(np.zeros((), g.dtype), key, g),
    latex="a[k]", slope="1 where taken, else 0",
    names=names_as("x[k]", tf="gather_nd", keras="get_item"),
    samples=(
        (_TABLE, -1), (_TABLE, (slice(None), 1)), (_TABLE, (..., None, slice(None, None, -2))), (_TABLE, [0, 0, 1]),
        (_TABLE, [[True, False, True], [True, True, False]]), (_TABLE, ([1, 1], [2, 2])),
    ),
)
_read = reading(OPS["getitem"])
scatter_sum = defop(
    "scatter_sum", _scatter_sum,
    vjp_all=lambda g, y, *values, shape, keys: [getitem(g, key) for key in keys],
    slope="1",
    samples=(([3.0, 4.0], [0.5, 1.0, 2.0], 2.0, dict(shape=(2, 3), keys=((slice(None), 1), 0, (0, [1, 1])))),),
)
_add_at = defop(
    "index_add", _index_add,
    vjp=(lambda g, y, a, key, value: g, None, lambda g, y, a, key, value: _getitem(g, key)),
    slope=("1", "", "1"),
    names=dict(tf="tensor_scatter_nd_add", torch="index_add", jax="x.at[k].add"),
    samples=((_TABLE, (slice(None), 1), [3.0, 4.0]), (_TABLE, [0, 0], 2.0), (_TABLE, 1, [3.0, 4.0, 5.0])),
)
_set_at = defop(
    "index_set", _index_set,
    vjp=(
        lambda g, y, a, key, value: _set_at(g, key, 0),
        None,
        lambda g, y, a, key, value: _last(g, a.shape, key),
    ),
    slope=("0 where replaced, else 1", "", "1"),
    edge_cases="if `key` names an element twice, the last value counts, and gets the gradient",
    names=names_as("index_put", tf="tensor_scatter_nd_update", keras="scatter_update", jax="x.at[k].set"),
    samples=(
        (_TABLE, (slice(None), 1), [3.0, 4.0]), (_TABLE, [1, 0], 2.0), (_TABLE, [1, 0, 1], 2.0),
        (_TABLE, (0, [1, 1]), [3.0, 4.0]),
    ),
)


def getitem(x: Any, key: Any) -> Any:
    """`x[key]` with every kind of NumPy index: ints, slices, None, ..., masks, arrays of integers.

    >>> import minigrad as mg
    >>> mg.getitem(mg.constant([1.0, 2.0, 3.0]), [0, 0]).value
    array([1., 1.], dtype=float32)
    """
    if type(key) in _PLAIN_KEYS:
        return _read(x, key)
    at = _argument(key)
    if at is not key or type(at) is not tuple:  # a plain tuple, such as (0, slice(None)), is the most common index
        if recorders and _holds_tensor(at):
            x = x if isinstance(x, Tensor) else Tensor(x)
        elif _stand_in(at) is None:
            return _read(x, at)
        return apply(OPS["getitem"], (x, at))
    return _read(x, at)


def index_add(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `value` added at `x[key]`; if `key` repeats an element, each value is added to it.

    >>> import minigrad as mg
    >>> mg.index_add(mg.constant([0.0, 0.0]), [1, 1], 1.0).value
    array([0., 2.], dtype=float32)
    """
    return _add_at(x, _argument(key), value)


def index_set(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `x[key]` replaced by `value`: the functional form of `x[key] = value`.

    >>> import minigrad as mg
    >>> mg.index_set(mg.constant([1.0, 2.0]), 0, 5.0).value
    array([5., 2.], dtype=float32)
    """
    return _set_at(x, _argument(key), value)


for _call in (getitem, index_add, index_set):
    OPS[_call.__name__].call = _call
Tensor.__getitem__ = getitem  # type: ignore[method-assign]


def _indices(indices: Any) -> Any:
    """Indices as an array, or as a Tensor while indices are recorded."""
    if recorders and isinstance(indices, Tensor):
        return _argument(indices)
    return plain(_key(indices))


@composite(
    numpy=np.take, method="take", names=names_as("take", tf="gather"),
    samples=(
        (_TABLE, [0, 0, 5]), (_TABLE, [[2, 2], [0, 1]], -1), (_TABLE, 1, 0), (_TABLE, [-4, 3], 1, "wrap"),
        (_TABLE, [-4, 3], 1, "clip"),
    ),
)
def take(x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    """The elements, rows or planes of `x` at `indices` along `axis`; None takes from all elements in C order.

    mode : what happens to an index out of range: "raise" an IndexError, "wrap" around, or "clip" to the ends.
    """
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    indices = _indices(indices)
    if mode in _MODES:
        indices = _MODES[mode](indices, x.shape[axis])
    elif mode != "raise":
        raise ValueError(f"the mode of take must be 'raise', 'wrap' or 'clip', got {mode!r}")
    return getitem(x, along(x, axis, indices))


_MODES = {"wrap": lambda i, n: i % n, "clip": lambda i, n: np.clip(i, 0, n - 1)}


@composite(
    numpy=np.delete, names=dict(jax="delete"),
    samples=((_TABLE, 1), (_TABLE, [0, -1], 1), (_TABLE, slice(None, None, 2), 1)),
)
def delete(x: Any, obj: Any, axis: int | None = None) -> Any:
    """`x` without the rows at `obj` (an int, several ints, a slice or a mask) along `axis`; None flattens `x` first.

    >>> import minigrad as mg
    >>> mg.delete(mg.constant([1.0, 2.0, 3.0, 4.0]), [0, -1]).value
    array([2., 3.], dtype=float32)
    """
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    return getitem(x, along(x, axis, np.delete(np.arange(x.shape[axis]), _key(obj))))


@composite(
    numpy=np.insert, names=dict(jax="insert"),
    samples=((_TABLE, 1, 7.0), (_TABLE, 1, [7.0, 8.0, 9.0], 0), (_TABLE, [0, 2], [[7.0, 8.0], [1.0, 2.0]], 1)),
)
def insert(x: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """`x` with `values` inserted before the rows at `obj` (an int, several ints, a slice or a mask) along `axis`.

    An axis of None flattens `x` first.

    >>> import minigrad as mg
    >>> mg.insert(mg.constant([1.0, 3.0]), 1, 2.0).value
    array([1., 2., 3.], dtype=float32)
    """
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    values = adopt(values, float_dtype([x]))
    values = reshape(values, (1,) * (x.ndim - values.ndim) + values.shape)
    key, n = _key(obj), x.shape[axis]
    one = not isinstance(key, slice) and np.size(key) == 1 and np.asarray(key).dtype.kind != "b"
    if one and np.ndim(key) == 0:
        values = moveaxis(values, 0, axis)
    many = values.shape[axis] if one else len(np.insert(np.arange(n), key, 0)) - n
    values = broadcast_to(values, (*x.shape[: axis % x.ndim], many, *x.shape[axis % x.ndim + 1 :]))
    order = np.insert(np.arange(n), key, n + np.arange(many))  # indices into `x` joined with `values`
    return take(concatenate([x, values], axis), order, axis)


@composite(names=dict(tf="nn.embedding_lookup", torch="nn.functional.embedding"), samples=((_TABLE, [0, 1, 1]),))
def embedding(table: Any, indices: Any) -> Any:
    """Row number `i` of `table` for each `i` in `indices`: shape `indices.shape + table.shape[1:]`."""
    return take(table, indices, 0)


def _along(x: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    """The index of the elements that `take_along_axis` takes."""
    indices = _indices(indices)
    if indices.ndim != x.ndim:
        raise ValueError(f"the indices have {indices.ndim} axes, the array has {x.ndim}; the numbers must be equal")
    key = list(np.ogrid[tuple(slice(n) for n in x.shape)])
    key[axis] = indices
    return tuple(key)


@composite(
    numpy=np.take_along_axis,
    names=names_as("take_along_axis", tf="gather", torch="take_along_dim"),
    samples=((_TABLE, np.array([[2, 2, 0], [0, 1, 1]]), 1), (_TABLE, np.array([[1, 0, 1]]), 0),
             (_TABLE, np.array([0, 5]), None)),
)
def take_along_axis(x: Any, indices: Any, axis: int | None = -1) -> Any:
    """From each row of `x` along `axis`, the elements at the indices in the same row of `indices`."""
    if axis is None:
        return take(x, indices)
    return getitem(x, _along(x, indices, axis))


@composite(names=dict(torch="scatter", jax="put_along_axis"), samples=((_TABLE, [[2], [0]], [[9.0], [8.0]], 1),))
def put_along_axis(x: Any, indices: Any, values: Any, axis: int = -1) -> Any:
    """A copy of `x` with `values` written to each row along `axis`, at the indices in the same row of `indices`."""
    return index_set(x, _along(x, indices, axis), values)
