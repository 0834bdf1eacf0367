"""How far a right answer may be from the truth: the rounding of the dtype in which it computes.

The allowance has two parts. Any result may be off by a few units in its last place, or in the last place of a result of
the usual size. This part by itself is too strict if the result is a difference of larger numbers. The slope of y =
log(exp(a) + exp(b)) is exp(a - y), and near a = -1000 in float32 neither a nor y is known to better than 3e-5. So the
second part is the change in the truth when each input moves by a few units in its own last place. One unit in the last
place of the largest input is added, because intermediate numbers may be that large, as in the value
x + log(1 + exp(-x)) and in its slope 1 - exp(-y).

A jump adds no tolerance: each input is moved both up and down, and the smaller effect counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .compared_values import agree, largest, unwrapped
from .exercises import Check

UNITS = 4.0  # error allowed in each input, in units in the last place: about one for each rounding in a formula


def tolerances(check: Check, inputs: Sequence[Any], dtype: str) -> tuple[float, float]:
    """Return the relative and the absolute tolerance of every result.

    dtype : dtype of the inputs; "" for plain numbers.
    """
    if not dtype:
        return check.rtol, check.atol * max(check.usual(), 1e-3) if check.vary else check.atol
    info = np.finfo(dtype)
    upstream = largest(inputs[-1]) if _has_upstream(check) else 1.0
    rounding = check.units * float(info.eps)
    return rounding + check.rtol, rounding * 0.1 * check.usual() * upstream + check.atol + float(info.tiny)


def is_right(check: Check, got: Any, want: Any, inputs: Sequence[Any], dtype: str) -> bool:
    """Return whether an answer of the right kind equals the truth up to rounding."""
    rtol, atol = tolerances(check, inputs, dtype)
    if not dtype and _is_single(got):
        rtol = max(rtol, UNITS * float(np.finfo(np.float32).eps))  # a float32 result cannot be more precise
    near = lambda x: agree(x, want, rtol, atol, dtype or None)
    return near(got) or (bool(dtype and check.vary) and near(_nearer(got, want, _room(check, want, inputs, dtype))))


def _room(check: Check, want: Any, inputs: Sequence[Any], dtype: str) -> Any:
    """Return, nested like `want`, how far each number of the true result can move if the inputs are rounded."""
    xs = [np.asarray(unwrapped(x), float) for x in inputs]
    step = UNITS * float(np.finfo(dtype).eps)
    room = _each(np.zeros_like, want)
    with np.errstate(all="ignore"):
        for i, x in enumerate(xs[: len(xs) - _has_upstream(check)]):
            up, down = (
                _each(_distance, check.true(*xs[:i], x * factor, *xs[i + 1 :]), want) for factor in (1 + step, 1 - step)
            )
            room = _each(np.add, room, _each(np.fmin, up, down))
    times = [abs(xs.pop())] if _has_upstream(check) else []
    usual = 1.0 if check.what == "value" else check.usual()
    last_place = lambda w, r: r + step / UNITS * usual * np.prod([_sizes(xs, w), *(_sizes([u], w) for u in times)], 0)
    return _each(last_place, want, room)


def _sizes(xs: Sequence[Any], want: Any) -> Any:
    """Return the size of the largest input at each element of `want`, or the largest overall if the shapes differ."""
    if {np.shape(x) for x in xs} == {np.shape(want)}:
        return np.max(np.abs(xs), axis=0)
    return np.full(np.shape(want), max(map(largest, xs), default=0.0))


def _distance(moved: Any, want: Any) -> Any:
    return np.nan_to_num(abs(np.asarray(moved, float) - want), nan=0.0, posinf=0.0)


def _nearer(got: Any, want: Any, room: Any) -> Any:
    """Return `got`, moved towards `want` by at most `room`."""
    with np.errstate(all="ignore"):
        return _each(lambda g, w, r: np.where(abs(g - w) <= r, w, g - r * np.sign(g - w)), got, want, room)


def _each(f: Any, *values: Any) -> Any:
    """Return `f(*values)` for numbers or arrays; for tuples, the tuple of the results for corresponding items."""
    if isinstance(values[0], (tuple, list)):
        return tuple(_each(f, *items) for items in zip(*values))
    return f(*[np.asarray(x, float) for x in values])


def _is_single(got: Any) -> bool:
    """Return whether an answer, or each item of it, has the dtype float32."""
    if isinstance(got, (tuple, list)):
        return bool(got) and all(map(_is_single, got))
    return getattr(got, "dtype", None) == np.float32


def _has_upstream(check: Check) -> bool:
    return "upstream" in check.names[-1:]
