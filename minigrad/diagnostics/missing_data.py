"""nan data that are left out too late: the loss of a nan target has a nan gradient even if it is masked afterwards.

A repair fills the data before the computation. It is offered if nothing depends on the number filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..tracing.replay import NotReplayable, graph_of, is_input, replay
from .domains import finite, gradients_of, op_of, value_of
from .other_points import Bench, close, sources_of
from .patterns import Rewrite, options_of
from .repair_proof import OWN, Offer

#: Ops that look at data, or select, and so are safe for nan.
SAFE = {"where", "isnan", "isfinite", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "matmul": "@", "power": "**"}
INDEPENDENT = "value and gradient are the same with 0, 1, a larger and a lower number in place of each nan"
TOO_LATE = "the result does not depend on what stands there, and is nan all the same"


def filled(y: Tensor, bench: Bench, also: Callable[..., bool] | None) -> Offer | None:
    """Offer to fill the nan in inputs and constants before they are used; None if anything depends on them."""
    most = 2 * max(float(np.max(np.abs(s.value[np.isfinite(s.value)]), initial=5)) for s in sources_of(y))
    first, *others = (_with(y, fill, bench) for fill in (0.0, 1.0, most, -most))
    has_value = bool(np.isfinite(y.value).all())
    if first is None or any(other is None or not _same(other, first) for other in others):
        return None
    if not close(first[0], y.value, 1e-5) if has_value else not _multiplied_by_0(y):
        return None
    now, rewrites = y, list[Rewrite]()
    for _ in range(8):
        rewrite = next(_fills(now), None)
        if rewrite is None:
            break
        try:
            now = rewrite.apply()
        except (NotReplayable, TypeError, ValueError):
            return None
        rewrites.append(rewrite)
    results = [now.value, *gradients_of(now, bench.inputs)]
    if not rewrites or not _same(results, first) or (also is not None and not also(now, bench.inputs)):
        return None
    return Offer(rewrites, now, "limit" if has_value else "convention", (INDEPENDENT, *([OWN] if has_value else [])))


def _with(y: Tensor, fill: float, bench: Bench) -> list[Any] | None:
    """The value and the gradients with a number instead of each nan in the data; None if they are not finite."""
    number = partial(_filled, fill)
    try:
        now = replay(y, _point(y, number), number=number)
    except NotReplayable:
        return None
    inputs = [now.get(s.serial, s) for s in bench.inputs]  # one that is only compared is not computed with again
    results = [now[y.serial].value, *gradients_of(now[y.serial], inputs)]
    return results if finite(*results) else None


def _filled(fill: float, a: Any) -> Any:
    return np.where(np.isnan(a), np.asarray(fill, np.asarray(a).dtype), a)[()] if np.isnan(a).any() else a


def _point(y: Tensor, number: Callable[[Any], Any]) -> dict[int, Any]:
    """The inputs that hold nan, filled; anything but floats is unchanged, such as `isnan(t)`."""
    inputs = {s.serial: number(s.value) for s in sources_of(y) if not is_nan_free(s.value)}
    return inputs | {n.serial: n.value for n in graph_of(y) if not is_input(n) and not is_float(n)}


def _multiplied_by_0(y: Tensor) -> bool:
    """Whether the gradient of each nan is exactly 0 once it is filled: in standardised data its sum only cancels."""
    nans = [s for s in sources_of(y) if not is_nan_free(s.value)]
    now = replay(y, _point(y, partial(_filled, 0.5)))
    slopes = gradients_of(now[y.serial], [now.get(s.serial, s) for s in nans])
    return bool(nans) and not any(g[np.isnan(s.value)].any() for s, g in zip(nans, slopes))


def is_float(node: Tensor) -> bool:
    return isinstance(node.value, tuple) or node.dtype.kind == "f"


def _same(a: list[Any], b: list[Any]) -> bool:
    return finite(*a, *b) and all(close(x, y, 1e-5) for x, y in zip(a, b))


def _holds_nan(a: Any) -> bool:
    data = not isinstance(a, Tensor) or is_input(a)
    return data and isinstance(a, (Tensor, np.ndarray, np.generic, float)) and not is_nan_free(value_of(a))


def is_nan_free(a: Any) -> bool:
    return a.dtype.kind != "f" or not np.isnan(a).any()


def _fills(y: Tensor) -> Iterator[Rewrite]:
    """The ops that compute with nan data, each with the data filled."""
    for node in graph_of(y):
        name = op_of(node)
        if is_input(node) or not name or name in SAFE or isinstance(node.value, tuple):
            continue
        bad = [i for i, a in enumerate(node.args[:2]) if _holds_nan(a)]
        letters = "ab" if name in SIGNS else "a"
        if not bad or bad[-1] >= len(letters):
            continue
        safe = [f"where(isnan({c}), 0.0, {c})" if i in bad else c for i, c in enumerate(letters)]
        write = f" {SIGNS[name]} ".join if letters == "ab" else lambda parts, name=name: f"{name}({parts[0]}, **k)"
        bound = dict(zip(letters, node.args)) | {"k": options_of(node, 1) if letters == "a" else {}}
        holds = "it is the same where no data are nan"
        yield Rewrite(y, node, write(safe), bound, "filled", (), write([*letters]), holds=holds)
