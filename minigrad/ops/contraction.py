"""Einstein sums: the rule for an operand is the einsum of the upstream gradient and all other operands."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.support.operands import float_dtype, holds_tensor
from ..core.support.tensor_values import Function
from ..core.tensor import Tensor
from .declare import BY_NUMPY, as_operand, defop, names_as
from .shapes import broadcast_to

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]]
_ROW = [1.0, 2.0, -0.5]
_SQUARE = [[1.0, 2.0], [3.0, 4.0]]


def _einsum_rule(i: int) -> Any:
    def rule(g: Any, y: Any, *operands: Any, subscripts: str = "") -> Any:
        sent, shape = contribution(g, operands, subscripts), operands[i].shape
        if sent.shape == shape:
            return sent
        # If all other operands have length 1 along an axis, so does `sent`, and each element gets the same gradient.
        return broadcast_to(sent, np.broadcast_shapes(sent.shape, shape))

    def contribution(g: Any, operands: Any, subscripts: str) -> Any:
        if type(g) is np.ndarray and len(operands) == 2:
            other = operands[1 - i]
            product = _rule_product(subscripts, i, g.shape, other.shape)
            if product is not None:
                return product(g, other)
        terms, repeated, spread = _rule_subscripts(subscripts, i)
        factors = [g, *operands[:i], *operands[i + 1 :]]
        if repeated or spread:
            factors += [np.eye(operands[i].shape[axis], dtype=g.dtype) for axis in repeated]
            factors += [np.ones(operands[i].shape[axis], g.dtype) for axis in spread]
        return (_contract if type(g) is np.ndarray else _einsum)(*factors, subscripts=terms)

    return rule


@functools.cache
def _rule_subscripts(subscripts: str, i: int) -> tuple[str, list[int], list[int]]:
    """Return the subscripts of the einsum that computes the gradient of operand i, and its additional operands.

    These are given as two lists of axes of operand i: axes that need an identity matrix, because their letter occurs
    twice in the operand, and axes that need a vector of ones, because their letter occurs in no other term.
    """
    inputs, _, output = subscripts.partition("->")
    terms = inputs.split(",")
    have, needed = [output, *terms[:i], *terms[i + 1 :]], ""
    spare = iter(c for c in _LETTERS if c not in subscripts)
    eyes, ones = {}, {}
    for axis, c in enumerate(terms[i]):
        if c in needed:
            # The identity matrix has the old letter and a new one; the new letter denotes this axis from here on.
            eyes[axis] = c + (c := next(spare))
        elif c not in "".join(have):
            ones[axis] = c
        needed += c
    return f"{','.join([*have, *eyes.values(), *ones.values()])}->{needed}", list(eyes), list(ones)


@functools.lru_cache(maxsize=1024)
def _rule_product(subscripts: str, i: int, of_g: tuple[int, ...], of_other: tuple[int, ...]) -> Function | None:
    """Return a function of g and the other operand that computes the gradient of operand i as one matrix product.

    The einsum has two operands. of_g, of_other : the shapes. Returns None if one matrix product is not enough.
    """
    terms, repeated, spread = _rule_subscripts(subscripts, i)
    return None if repeated or spread else _matrix_product(terms, of_g, of_other)


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _contract(*operands: Any, subscripts: str = "") -> Any:
    if len(operands) == 2:
        a, b = operands
        product = _matrix_product(subscripts, a.shape, b.shape)
        if product is not None:
            return product(a, b)
    with np.errstate(all="ignore"):  # np.einsum computes in other modules, which the warning filter does not cover
        return np.einsum(subscripts, *operands, optimize=len(operands) > 1)


@functools.lru_cache(maxsize=1024)
def _matrix_product(subscripts: str, of_a: tuple[int, ...], of_b: tuple[int, ...]) -> Function | None:
    """Return a function that computes an einsum of two arrays of these shapes as one matrix product, 3 times as fast.

    The axes of the first array are put in this order: axes in all three terms, axes only in this array, summed axes.
    The order for the second array is: axes in all three terms, summed axes, axes only in this array.

    Returns None if the sum is not one matrix product, or if a letter has two different lengths; np.einsum is called
    then, and broadcasts or raises an error.
    """
    inputs, _, out = subscripts.partition("->")
    left, _, right = inputs.partition(",")
    terms = (left, right, out)
    if any(len({*term}) < len(term) for term in terms) or [len(left), len(right)] != [len(of_a), len(of_b)]:
        return None
    size = dict(zip(left + right, of_a + of_b))
    if [size[c] for c in left] != [*of_a] or {*left, *right} != {*out} | ({*left} & {*right}):
        return None  # a letter has two different lengths, or an axis that only one array has is summed
    shared, summed = ([c for c in left if c in right and (c in out) is in_result] for in_result in (True, False))
    mine, other = [c for c in left if c not in right], [c for c in right if c not in left]
    order_a, order_b = _order(shared + mine + summed, left), _order(shared + summed + other, right)
    order_y = _order(out, shared + mine + other)
    if order_y is not None and _order(out, shared + other + mine) is None:
        # If the operands are exchanged, the axes of the product are already in order, which saves a transpose.
        exchanged = _matrix_product(f"{right},{left}->{out}", of_b, of_a)
        return lambda a, b: exchanged(b, a)  # type: ignore[misc]
    batch, rows, between, columns = ([size[c] for c in axes] for axes in (shared, mine, summed, other))
    n = math.prod(between)
    as_a, as_b, shape = (*batch, math.prod(rows), n), (*batch, n, math.prod(columns)), (*batch, *rows, *columns)
    multiplied = np.matmul if summed else np.multiply

    def product(a: Any, b: Any) -> Any:
        a = a if order_a is None else a.transpose(order_a)
        b = b if order_b is None else b.transpose(order_b)
        y = multiplied(a.reshape(as_a), b.reshape(as_b))
        y = y if y.shape == shape else y.reshape(shape)
        return y if order_y is None else y.transpose(order_y)

    return product


def _order(target: Sequence[str], axes: Sequence[str]) -> list[int] | None:
    """Return the permutation that brings `axes` into the order `target`, or None if they already have that order."""
    order = [axes.index(c) for c in target]
    return None if order == sorted(order) else order


_einsum = defop(
    "einsum",
    _contract,
    vjp=tuple(_einsum_rule(i) for i in range(16)),
    latex=r"\sum a_{ij\ldots} b_{jk\ldots}",
    slope="einsum of g with the other operands",
    names=names_as("einsum"),
    samples=(
        ("ij,jk->ik", _TABLE, _TALL),
        ("ij->j", _TABLE),
        ("ii->i", _SQUARE),
        ("ii", _SQUARE),
        ("i->i", _ROW),
        ("ij,j,i->", _TABLE, _ROW, [2.0, 3.0]),
        ("...ij,jk", [_TABLE], _TALL),
        ("i...,i", _TALL, _ROW),
    ),
)


def einsum(subscripts: Any, *operands: Any, optimize: Any = None) -> Any:
    """Sums of products, written with a letter for each axis: letters absent from the result are summed over.

    Instead of letters, a list of axis numbers may follow each operand, with one more list for the result at the end:
    einsum(x, [0], y, [0, 1], [1]). `optimize` has no effect: more than two operands are always contracted in pairs.

    >>> import minigrad as mg
    >>> mg.einsum("ij,j->i", mg.constant([[1.0, 2.0], [3.0, 4.0]]), [10.0, 1.0]).value
    array([12., 34.], dtype=float32)

    Raises ValueError if the letters do not fit the shapes.
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _lettered(subscripts, *operands)
    if any(isinstance(a, (int, float)) for a in operands):
        raw = any(isinstance(a, (np.ndarray, np.generic)) for a in operands) and not any(map(holds_tensor, operands))
        operands = tuple(as_operand(a, float_dtype(operands), raw) for a in operands)
    ndims = tuple(map(_ndim, operands)) if "..." in subscripts else (0,) * len(operands)
    return _einsum(*operands, subscripts=_explicit(subscripts, ndims))


def _ndim(a: Any) -> int:
    value = a.value if isinstance(a, Tensor) else a
    return value.ndim if type(value) is np.ndarray else np.ndim(value)


def _lettered(*arguments: Any) -> tuple[str, tuple[Any, ...]]:
    """Convert axis numbers to letters: (x, [0], y, [0, 1], [1]) becomes "a,ab->b" with the operands x and y."""
    terms = []
    for numbers in [*arguments[1::2], *arguments[-1:] * (len(arguments) % 2)]:
        if not isinstance(numbers, (list, tuple)):
            raise TypeError(
                f"einsum takes letters and arrays, einsum('ij,j', a, b), or arrays and lists of axes, "
                f"einsum(a, [0, 1], b, [1]); instead of a list it got {numbers!r:.60}"
            )
        terms.append("".join("..." if n is Ellipsis else _LETTERS[n] for n in numbers))
    inputs = arguments[: len(arguments) // 2 * 2 : 2]
    return ",".join(terms[: len(inputs)]) + "->" * (len(arguments) % 2) + "".join(terms[len(inputs) :]), inputs


@functools.cache
def _explicit(subscripts: str, ndims: tuple[int, ...]) -> str:
    """`subscripts` with letters for each `...` and with an arrow: "...i,i" for 2 and 1 axes becomes "ai,i->a".

    ndims : the number of axes of each operand; it is needed only for `...`.
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ndims):
        raise ValueError(f"einsum got {len(ndims)} operands for the {len(terms)} terms of {subscripts!r}")
    spare = [c for c in _LETTERS if c not in subscripts]
    widths = [n - len(t.replace("...", "")) for t, n in zip(terms, ndims) if "..." in t]
    dots = "".join(spare[: max(widths, default=0)])
    terms = [t.replace("...", dots[len(dots) - (n - len(t) + 3) :]) if "..." in t else t for t, n in zip(terms, ndims)]
    if not arrow:
        letters = "".join(terms)
        once = [c for c in set(letters) - set(dots) if letters.count(c) == 1]
        output = "..." * bool(dots) + "".join(sorted(once))
    return f"{','.join(terms)}->{output.replace('...', dots)}"


BY_NUMPY[np.einsum] = einsum
OPS["einsum"].call = einsum
