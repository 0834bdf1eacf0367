"""Products of arrays."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..node import OPS
from ..op import BY_NUMPY, defop
from .arithmetic import multiply
from .arrange import diagonal, roll
from .declare import composite, spelled
from .reduce import sum
from .shape import expand_dims, ravel, reshape, transpose

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]]
_ROW = [1.0, 2.0, -0.5]
_SQUARE = [[1.0, 2.0], [3.0, 4.0]]


def _column(x: Any) -> Any:
    return reshape(x, (*x.shape, 1))


def _left(g: Any, y: Any, a: Any, b: Any) -> Any:
    """g @ b.T, with a vector read as a row on the left and a column on the right."""
    if b.ndim == 1:
        return (g if a.ndim == 1 else _column(g)) * b
    if a.ndim == 1:
        return b @ g if b.ndim == 2 else reshape(b @ _column(g), b.shape[:-1])
    return g @ b.swapaxes(-1, -2)


def _right(g: Any, y: Any, a: Any, b: Any) -> Any:
    """a.T @ g, likewise. A batch that meets a single matrix is one long matrix."""
    if b.ndim == 1:
        return a * g if a.ndim == 1 else g @ a if a.ndim == 2 else ravel(g) @ reshape(a, (-1, a.shape[-1]))
    if a.ndim == 1:
        return reshape(g, (*g.shape[:-1], 1, g.shape[-1])) * _column(a)
    if b.ndim == 2 < a.ndim:
        a, g = reshape(a, (-1, a.shape[-1])), reshape(g, (-1, g.shape[-1]))
    return a.swapaxes(-1, -2) @ g


matmul = defop(
    "matmul", np.matmul, operator="matmul",
    vjp=(_left, _right),
    latex="A B", local=("g @ b.T", "a.T @ g"),
    doc="The matrix product of batches, which broadcast; a vector is a row on the left, a column on the right.",
    names=spelled("matmul"),
    samples=(
        (_TABLE, _TALL), (_ROW, _TALL), (_TABLE, _ROW), (_ROW, _ROW), ([_TABLE, _TABLE], _TALL), ([_TABLE], _ROW),
        (_ROW, [_TALL]),
    ),
)


@composite(
    arrays=2, numpy=np.dot, method="dot", latex="a \\cdot b", names=dict(keras="dot", jax="dot"),
    samples=((_TABLE, _TALL), (_ROW, _ROW), (2.0, _ROW), ([_TABLE], [_TALL])),
)
def dot(a: Any, b: Any) -> Any:
    """The sum of products over the last axis of `a` and the last but one of `b`, as in `np.dot`."""
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    return matmul(a, b) if b.ndim <= 2 else tensordot(a, b, (-1, -2))


@composite(
    arrays=2, numpy=np.tensordot, names=spelled("tensordot"),
    samples=((_TABLE, _TALL, 1), ([_TABLE], _TALL, ((1, 2), (1, 0))), (_ROW, _ROW, 0)),
)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The sum of products over pairs of axes.

    axes : a number n for the last n of `a` and the first n of `b`; or a pair, the axes of `a` and those of `b`.
    """
    if isinstance(axes, (int, np.integer)):
        axes = range(a.ndim - int(axes), a.ndim), range(int(axes))
    of_a, of_b = normalize_axis_tuple(axes[0], a.ndim), normalize_axis_tuple(axes[1], b.ndim)
    if [a.shape[i] for i in of_a] != [b.shape[i] for i in of_b]:
        raise ValueError(f"tensordot pairs unequal axes: {list(of_a)} of shape {a.shape}, {list(of_b)} of {b.shape}")
    free_a, free_b = ([i for i in range(x.ndim) if i not in of] for x, of in ((a, of_a), (b, of_b)))
    rows, columns = [a.shape[i] for i in free_a], [b.shape[i] for i in free_b]
    n = int(np.prod([a.shape[i] for i in of_a], dtype=int))
    left = reshape(transpose(a, [*free_a, *of_a]), (int(np.prod(rows, dtype=int)), n))
    right = reshape(transpose(b, [*of_b, *free_b]), (n, int(np.prod(columns, dtype=int))))
    return reshape(left @ right, (*rows, *columns))


@composite(
    arrays=2, numpy=np.outer, latex="a b^T", names=spelled("outer", tf=""), samples=((_ROW, [2.0, 3.0]),)
)
def outer(a: Any, b: Any) -> Any:
    """The table of all products of an element of `a` with one of `b`."""
    return expand_dims(ravel(a), 1) * ravel(b)


@composite(
    arrays=2, numpy=np.inner, latex=r"\sum_i a_i b_i", names=spelled("inner", tf=""),
    samples=((_ROW, _ROW), (_TABLE, _ROW), (2.0, _ROW)),
)
def inner(a: Any, b: Any) -> Any:
    """The sum of products over the last axis of both."""
    return multiply(a, b) if a.ndim == 0 or b.ndim == 0 else tensordot(a, b, (-1, -1))


@composite(arrays=2, numpy=np.vdot, names=spelled("vdot", tf=""), samples=((_TABLE, _TABLE),))
def vdot(a: Any, b: Any) -> Any:
    """The sum of products of all elements."""
    return ravel(a) @ ravel(b)


@composite(
    arrays=2, numpy=np.kron, latex=r"A \otimes B", names=spelled("kron", tf=""),
    samples=((_TABLE, _TALL), (_ROW, _TABLE), (2.0, _ROW)),
)
def kron(a: Any, b: Any) -> Any:
    """The matrix of blocks a[i, j] * b."""
    n = max(a.ndim, b.ndim)
    a_shape, b_shape = (1,) * (n - a.ndim) + a.shape, (1,) * (n - b.ndim) + b.shape
    wide = reshape(a, [k for m in a_shape for k in (m, 1)]) * reshape(b, [k for m in b_shape for k in (1, m)])
    return reshape(wide, [i * j for i, j in zip(a_shape, b_shape)])


@composite(
    arrays=2, numpy=np.cross, latex=r"a \times b", names=spelled("cross", tf="linalg.cross"),
    samples=((_ROW, [2.0, 3.0, 0.5]), (_TABLE, _ROW)),
)
def cross(a: Any, b: Any, axis: int = -1) -> Any:
    """The vector of length |a| |b| sin(angle) at right angles to both, for vectors of three along `axis`."""
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ValueError(f"cross takes vectors of 3 along axis {axis}, got shapes {a.shape} and {b.shape}")
    return roll(a, -1, axis) * roll(b, -2, axis) - roll(a, -2, axis) * roll(b, -1, axis)


@composite(
    numpy=np.trace, method="trace", latex=r"\sum_i A_{ii}",
    names=spelled("trace", tf="linalg.trace"), samples=((_TABLE,), (_TABLE, 1), ([_TALL], 0, 1, 2)),
)
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of a diagonal."""
    return sum(diagonal(x, offset, axis1, axis2), -1)


@composite(
    arrays=2, names=dict(tf="linalg.matvec", torch="mv", jax="matvec"),
    samples=((_TABLE, _ROW), ([_TABLE, _TABLE], [_ROW, _ROW])),
)
def matvec(a: Any, b: Any) -> Any:
    """A matrix times a vector, for batches of both."""
    return reshape(y := a @ expand_dims(b, -1), y.shape[:-1])


# einsum: the rule for an operand is an einsum of the upstream gradient with the other operands.


def _einsum_rule(i: int) -> Any:
    def rule(g: Any, y: Any, *operands: Any, subscripts: str = "") -> Any:
        asked, repeated, spread = _asked(subscripts, i)
        given = [g, *operands[:i], *operands[i + 1 :]]
        given += [np.eye(operands[i].shape[axis], dtype=g.dtype) for axis in repeated]
        given += [np.ones(operands[i].shape[axis], g.dtype) for axis in spread]
        return _einsum(*given, subscripts=asked)

    return rule


@functools.cache
def _asked(subscripts: str, i: int) -> tuple[str, list[int], list[int]]:
    """The subscripts that ask for operand i, and for which of its axes an eye and ones are to be given besides.

    A letter that it has twice is made two by an eye; one that nothing else has is spread by ones.
    """
    inputs, _, output = subscripts.partition("->")
    terms = inputs.split(",")
    have, wanted = [output, *terms[:i], *terms[i + 1 :]], ""
    spare = iter(c for c in _LETTERS if c not in subscripts)
    eyes, ones = {}, {}
    for axis, c in enumerate(terms[i]):
        if c in wanted:
            eyes[axis] = c + (c := next(spare))
        elif c not in "".join(have):
            ones[axis] = c
        wanted += c
    return f"{','.join([*have, *eyes.values(), *ones.values()])}->{wanted}", list(eyes), list(ones)


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

def _contract(*operands: Any, subscripts: str = "") -> Any:
    plan = _plan(subscripts)
    product = _product(*operands, *plan) if plan is not None else None
    if product is not None:
        return product
    with np.errstate(all="ignore"):  # NumPy's einsum computes in modules of its own
        return np.einsum(subscripts, *operands, optimize=len(operands) > 1)


@functools.cache
def _plan(subscripts: str) -> Any:
    """How a sum of products of two arrays is one product of matrices, which is 3 times as fast; None where it is not.

    The order of the axes of each, (in all three, its own, summed) and (in all three, summed, its own), how many of each
    there are, and the order of the axes of the result.
    """
    inputs, _, out = subscripts.partition("->")
    left, _, right = inputs.partition(",")
    if not right or "," in right or any(len({*term}) < len(term) for term in (left, right, out)):
        return None
    if not ({*left} <= {*right, *out} and {*right} <= {*left, *out} and {*out} <= {*left, *right}):
        return None  # an axis of one alone is summed
    shared, summed = ([c for c in left if c in right and (c in out) is kept] for kept in (True, False))
    mine, other = [c for c in left if c not in right], [c for c in right if c not in left]
    orders = [[left.index(c) for c in shared + mine + summed], [right.index(c) for c in shared + summed + other]]
    orders.append([(shared + mine + other).index(c) for c in out])
    return *(None if order == sorted(order) else order for order in orders), len(shared), len(mine), len(summed)


def _product(a: Any, b: Any, of_a: Any, of_b: Any, of_y: Any, shared: int, mine: int, summed: int) -> Any:
    """Both with their axes in order, made into matrices and multiplied; None where lengths do not agree."""
    a = a if of_a is None else a.transpose(of_a)
    b = b if of_b is None else b.transpose(of_b)
    batch, rows, columns = a.shape[:shared], a.shape[shared : shared + mine], b.shape[shared + summed :]
    if a.shape[shared + mine :] != b.shape[shared : shared + summed] or batch != b.shape[:shared]:
        return None  # axes of length 1 beside longer ones, or an error, which np.einsum says
    between = math.prod(b.shape[shared : shared + summed])
    a = a.reshape(*batch, math.prod(rows), between)
    b = b.reshape(*batch, between, math.prod(columns))
    y = (a @ b if summed else a * b).reshape(batch + rows + columns)
    return y if of_y is None else y.transpose(of_y)


_einsum = defop(
    "einsum", _contract,
    vjp=tuple(_einsum_rule(i) for i in range(16)),
    latex=r"\sum a_{ij\ldots} b_{jk\ldots}", local="einsum of g with the other operands",
    names=spelled("einsum"),
    samples=(
        ("ij,jk->ik", _TABLE, _TALL), ("ij->j", _TABLE), ("ii->i", _SQUARE), ("ii", _SQUARE), ("i->i", _ROW),
        ("ij,j,i->", _TABLE, _ROW, [2.0, 3.0]), ("...ij,jk", [_TABLE], _TALL), ("i...,i", _TALL, _ROW),
    ),
)


def einsum(subscripts: str, *operands: Any) -> Any:
    """Sums of products, written with a letter for each axis: letters absent from the result are summed over.

    >>> import minigrad as mg
    >>> mg.einsum("ij,j->i", mg.constant([[1.0, 2.0], [3.0, 4.0]]), [10.0, 1.0]).value
    array([12., 34.], dtype=float32)

    Raises ValueError when the letters do not fit the shapes.
    """
    terms = subscripts.replace(" ", "").partition("->")[0].split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum got {len(operands)} operands for the {len(terms)} terms of {subscripts!r}")
    return _einsum(*operands, subscripts=_explicit(subscripts.replace(" ", ""), tuple(map(np.ndim, operands))))


@functools.cache
def _explicit(subscripts: str, ndims: tuple[int, ...]) -> str:
    """`subscripts` with letters for every `...` and with an arrow: "...i,i" on 2 and 1 axes is "ai,i->a"."""
    inputs, arrow, output = subscripts.partition("->")
    terms = inputs.split(",")
    spare = [c for c in _LETTERS if c not in subscripts]
    widths = [n - len(t.replace("...", "")) for t, n in zip(terms, ndims) if "..." in t]
    dots = "".join(spare[: max(widths, default=0)])
    terms = [t.replace("...", dots[len(dots) - (n - len(t) + 3) :]) if "..." in t else t for t, n in zip(terms, ndims)]
    if not arrow:
        letters = "".join(terms)
        output = "..." * bool(dots) + "".join(sorted(c for c in set(letters) - set(dots) if letters.count(c) == 1))
    return f"{','.join(terms)}->{output.replace('...', dots)}"


BY_NUMPY[np.einsum] = einsum
OPS["einsum"].call = einsum
