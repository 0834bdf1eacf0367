"""Polynomials, linear interpolation, the trapezoidal rule, and convolution in one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.support.operands import adopt, float_dtype
from ..core.support.tensor_values import as_value
from .arrange import flip
from .axes import in_floats
from .choose import where
from .convolution import windows
from .cumulative import diff
from .declare import composite
from .index import getitem, take
from .padding import pad
from .reduce import sum
from .shapes import along, expand_dims, moveaxis, reshape

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_XP, _FP = [0.0, 1.0, 2.5], [2.0, -1.0, 0.5]


@composite(
    arrays=2, numpy=np.polyval, latex=r"\sum_i a_i b^{n - 1 - i}", names=dict(jax="polyval"),
    samples=(([2.0, -1.0, 0.5], [0.3, 1.5]), ([2.0, -1.0], 0.5)),
)
def polyval(p: Any, x: Any) -> Any:
    """The polynomial with coefficients `p`, highest power first, evaluated at `x` by Horner's scheme."""
    y = 0 * x
    for i in range(p.shape[0]):
        y = y * x + getitem(p, i)
    return y


@composite(
    arrays=3, numpy=np.interp, names=dict(jax="interp"),
    edge_cases="at a given point the slope is the slope of the next segment; at the last point, of the last one",
    samples=(([0.3, 1.7, 2.0], _XP, _FP), ([-1.0, 0.5, 4.0], _XP, _FP), ([-1.0, 4.0], _XP, _FP, -3.0, 3.0),
             ([-0.7, 0.4, 3.5, 7.0], _XP, _FP, dict(period=3.0))),
)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None) -> Any:
    """Linear interpolation at `x` between the points (xp, fp), differentiable in all three.

    xp, fp : shape (n,), with xp increasing. left, right : the values below xp[0] and above xp[-1], by default fp[0] and
    fp[-1]. period : the period, if the curve is periodic; xp may then be in any order.

    >>> import minigrad as mg
    >>> float(mg.grad(lambda x: mg.ops.interp(x, [0.0, 1.0, 3.0], [0.0, 5.0, 9.0]))(2.0))
    2.0
    """
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError(
            f"interp takes xp and fp of one shape (n,), a number of fp for each point of xp, "
            f"got shapes {xp.shape} and {fp.shape}"
        )
    if period is not None:
        x, xp, left, right = x % period, xp % period, None, None
        order = np.argsort(as_value(xp), kind="stable")
        around = np.concatenate([order[-1:], order, order[:1]])  # repeat the last point in front, the first at the end
        turns = np.zeros(len(around), xp.dtype)
        turns[[0, -1]] = -period, period
        xp, fp = take(xp, around) + turns, take(fp, around)
    n = xp.shape[0]
    if n == 1:
        y = 0 * x + getitem(fp, 0)
    else:
        i = np.clip(np.searchsorted(as_value(xp), as_value(x), "right"), 1, n - 1)
        begin, length = take(xp, i - 1), take(xp, i) - take(xp, i - 1)
        low, flat = take(fp, i - 1), as_value(length) == 0
        y = low + where(flat, 1, (x - begin) / where(flat, 1, length)) * (take(fp, i) - low)
    first, last = getitem(xp, 0), getitem(xp, -1)
    y = where(as_value(x < first), getitem(fp, 0) if left is None else left, y)
    return where(as_value(x > last), getitem(fp, -1) if right is None else right, y)


@composite(
    numpy=np.trapezoid, latex=r"\sum_i \frac{a_i + a_{i + 1}}{2} (b_{i + 1} - b_i)",
    names=dict(keras="trapezoid", torch="trapezoid", jax="trapezoid"),
    samples=(([1.5, -2.0, 0.5],), (_TABLE, dict(dx=0.5, axis=0)), (_TABLE, dict(x=[0.0, 1.0, 3.0]))),
)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of `y` along `axis` by the trapezoidal rule.

    x : the sample points of `y`, of shape (n,) or the shape of `y`; by default they are `dx` apart.
    """
    y = in_floats(y)
    step = dx
    if x is not None:
        x = in_floats(adopt(x, float_dtype([y])))
        step = diff(x, axis=axis if x.ndim > 1 else -1)
        if x.ndim == 1 and y.ndim > 1:
            step = moveaxis(expand_dims(step, tuple(range(y.ndim - 1))), -1, axis)
    pairs = getitem(y, along(y, axis, slice(1, None))) + getitem(y, along(y, axis, slice(None, -1)))
    return sum(step * pairs, axis) / 2


def _rows(name: str, *arrays: Any) -> list[Any]:
    """The arrays as rows; a number becomes a row of one element."""
    if any(a.ndim > 1 for a in arrays):
        raise ValueError(f"{name} takes two rows, got shapes {' and '.join(str(a.shape) for a in arrays)}")
    return [a if a.ndim else reshape(a, (1,)) for a in arrays]


@composite(
    arrays=2, numpy=np.convolve, latex=r"\sum_j a_j b_{i - j}", names=dict(jax="convolve"),
    samples=(([1.5, -2.0, 0.5, 1.0], [0.3, 1.0]), ([1.5, -2.0], [0.3, 1.0, 2.0], "same"),
             ([1.5, -2.0, 0.5, 1.0], [0.3, 1.0, 2.0], "valid")),
)
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """The convolution of two one-dimensional arrays; see `conv` for network layers.

    a, v : shapes (n,) and (m,). mode : "full" for all n + m - 1 shifts where the arrays overlap, "same" for the
    middle max(n, m) of these shifts, "valid" for the shifts where the shorter array lies within the longer one.

    >>> import minigrad as mg
    >>> mg.ops.convolve(mg.constant([1.0, 2.0, 3.0]), [1.0, 1.0]).value  # (1 + 2x + 3x²)(1 + x)
    array([1., 3., 5., 3.], dtype=float32)
    """
    a, v = _rows("convolve", a, v)
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    m = v.shape[0]
    if mode not in ("full", "same", "valid") or not m:
        raise ValueError(f"convolve takes rows with elements and mode 'full', 'same' or 'valid', got {mode!r}")
    before = {"full": m - 1, "same": m // 2, "valid": 0}[mode]
    after = {"full": m - 1, "same": m - 1 - m // 2, "valid": 0}[mode]
    pieces = windows(reshape(pad(a, ((before, after),)), (1, -1, 1)), (m,), (1,), (1,))
    return reshape(pieces, (-1, m)) @ flip(v)


@composite(
    arrays=2, numpy=np.correlate, latex=r"\sum_j a_{i + j} b_j", names=dict(keras="correlate", jax="correlate"),
    samples=(([1.5, -2.0, 0.5, 1.0], [0.3, 1.0]), ([1.5, -2.0], [0.3, 1.0, 2.0], "full")),
)
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The cross-correlation of two one-dimensional arrays; `mode` as in `convolve`."""
    a, v = _rows("correlate", a, v)
    if a.shape[0] < v.shape[0]:
        return flip(correlate(v, a, mode))
    return convolve(a, flip(v), mode)
