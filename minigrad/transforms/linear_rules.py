"""Call a gradient rule to test whether it is linear in its upstream gradient, as every derivative is.

A rule that clips, normalises or ignores its upstream gradient still returns a gradient. But it cannot give a
forward-mode product J v or a second derivative along a vector: both are computed by differentiating the rule with
respect to the upstream gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..core.backward import messages_of
from ..core.support.scattered import Scattered
from ..core.tensor import Tensor

#: A rule on raw values: it takes one upstream gradient for each output, and returns one gradient or None per input.
RawRule = Callable[[list[Any]], Sequence[Any]]

#: The entries of the upstreams to try; they are all different, have both signs, and are not sorted.
FIRST = (0.71, -1.32, 0.43, -0.58, 1.87, 0.94, -0.27)
SECOND = (-0.63, 0.38, 1.21, 0.83, -1.54, 0.29, 1.69, -0.47, -0.91, 0.55, 1.07)


def nonlinearity(rule: RawRule, outputs: Iterable[Any], quick: bool = False) -> str:
    """Return a sentence that describes how a rule differs from a linear one, or "" if no difference is found.

    outputs : the values whose upstream gradients the rule takes; only their shapes and dtypes are used.
    quick : whether to skip upstreams of equal size; the rule is then called three times.

    The rule is called with upstreams u and v whose entries are around 1, then with entries around 1e-9 and 1e9 (in
    float16, 0.004 and 256), and with sums of u and v. Clipping is therefore found if its threshold lies between these
    sizes. A rule that is nonlinear only beyond these sizes, or only at certain entries of a large upstream, is not
    detected.

    >>> nonlinearity(lambda upstreams: [np.clip(upstreams[0], -100, 100)], [np.float32(1.0)])
    'grad(a * u + v) is not a * grad(u) + grad(v) for a = -1.2e+18'
    """
    values = [np.asarray(y) for y in outputs]
    u, v = ([_filled(numbers, y) for y in values] for numbers in (FIRST, SECOND))
    with np.errstate(all="ignore"):
        if not quick and (problem := _of_sum(rule, u, v, 1.0)):
            return problem
        size = 2.0**8 if any(y.dtype == np.float16 for y in values) else 2.0**30
        return _of_sum(
            rule, [(a / size).astype(a.dtype) for a in u], [(a * size).astype(a.dtype) for a in v], -size * size
        )


def _of_sum(rule: RawRule, u: list[Any], v: list[Any], factor: float) -> str:
    """Return a sentence if the rule's gradient for factor * u + v is not factor * grad(u) + grad(v), else ""."""
    both = [(factor * a.astype(np.float64) + b).astype(a.dtype) for a, b in zip(u, v)]
    rows = [row for row in zip(*(_called(rule, w) for w in (u, v, both))) if not any(g is None for g in row)]
    if not any(_differ(of_u, of_v, of_both, factor) for of_u, of_v, of_both in rows):
        return ""
    coarse = _coarse(rule, both)
    noise = _noise(rule, both, coarse)
    for of_u, of_v, of_both in rows:
        if _differ(of_u, of_v, of_both, factor, noise, coarse):
            if np.array_equal(of_u, of_v):
                return "its result does not depend on the upstream; multiply by it"
            if factor == 1:
                return "grad(u + v) is not grad(u) + grad(v)"
            return f"grad(a * u + v) is not a * grad(u) + grad(v) for a = {factor:.2g}"
    return ""


def _filled(numbers: tuple[float, ...], y: Any) -> Any:
    """Return an array with the shape and dtype of `y`, filled with repetitions of `numbers`."""
    tiled = np.tile(np.asarray(numbers, y.dtype), y.size // len(numbers) + 1)
    return tiled[: y.size].reshape(y.shape)


def _called(rule: RawRule, upstreams: list[Any]) -> list[Any]:
    """Call a rule; return its gradients as arrays, with None for each argument without a gradient."""
    gradients = rule([u.copy()[()] for u in upstreams])
    return [None if g is None else np.asarray(getattr(g, "value", g)) for g in gradients]


def _differ(of_u: Any, of_v: Any, of_both: Any, factor: float, noise: float = 0.0, coarse: float = 0.0) -> bool:
    """Return whether a finite entry of `of_both` differs from factor * of_u + of_v by more than rounding explains.

    noise : the size of numbers that cancel inside the rule. coarse : a lower bound on the rule's rounding error.
    """
    type_ = of_both.dtype
    first, second, got = (g.astype(np.float64) for g in (of_u, of_v, of_both))
    # Each difference is compared with the terms of its own entry, so a large entry cannot hide an error in a small one.
    size = abs(factor) * np.abs(first) + np.abs(second) + noise
    gap = np.abs(got - (factor * first + second))
    eps, least = max(float(np.finfo(type_).eps), coarse), float(np.finfo(type_).smallest_subnormal)
    wrong = gap > np.sqrt(eps) * size + 8 * least * (1 + abs(factor))
    if not wrong.any():
        return False
    finite = np.isfinite(gap)
    return bool(np.any(wrong & finite & (gap > 8 * eps * np.max(size[finite], initial=0))))


def _coarse(rule: RawRule, upstreams: list[Any]) -> float:
    """Return the rounding error of float32 if the rule takes float64 but computes in float32; otherwise return 0."""
    if any(u.dtype != np.float64 for u in upstreams):
        return 0.0
    before, moved = _called(rule, upstreams), _called(rule, [u * (1 + 2.0**-40) for u in upstreams])
    return float(np.finfo(np.float32).eps) if _equal(before, moved) else 0.0


def _equal(some: list[Any], others: list[Any]) -> bool:
    return all(a is b or np.array_equal(a, b, equal_nan=True) for a, b in zip(some, others))


def _noise(rule: RawRule, upstreams: list[Any], coarse: float) -> float:
    """Estimate the size of the numbers that cancel inside a rule, from the effect of rounding errors on its results.

    Returns 0 if two calls with the same upstream differ, for example because the rule uses random numbers.
    """
    before = _called(rule, upstreams)
    if not _equal(before, _called(rule, upstreams)):
        return 0.0
    # A rule that subtracts large numbers loses digits, but is still linear. Changing the upstreams by a rounding error
    # shows how many digits it loses.
    rng, sizes = np.random.default_rng(0), [0.0]

    def rounding(dtype: Any) -> float:
        return max(float(np.finfo(dtype).eps), coarse)

    def moved(u: Any) -> Any:
        return (u * (1 + 8 * rounding(u.dtype) * rng.uniform(-1, 1, u.shape))).astype(u.dtype)

    for _ in range(6):
        for a, b in zip(before, _called(rule, [moved(u) for u in upstreams])):
            if a is not None and b is not None:
                gap = np.abs(a - b)
                largest = np.max(gap[np.isfinite(gap)], initial=0)
                sizes.append(float(largest / np.sqrt(rounding(a.dtype))))
    return (8 if any(u.dtype == np.float16 for u in upstreams) else 32) * max(sizes)


def by_user(node: Tensor) -> bool:
    """Return whether a node has a user-written rule."""
    return node.op is not None and node.op.by_user


def node_nonlinearity(node: Tensor, quick: bool = False) -> str:
    """Return the `nonlinearity` of a graph node's rule, at the values of the node's arguments."""
    serials = {a.serial for a in node.args if isinstance(a, Tensor)}
    several = type(node.value) is tuple

    def rule(upstreams: list[Any]) -> list[Any]:
        upstream = dict(enumerate(upstreams)) if several else upstreams[0]
        gradients: list[Any] = [None] * len(node.args)
        for i, _, sent in messages_of(node, node.op, upstream, serials, False):
            gradients[i] = sent.dense() if isinstance(sent, Scattered) else sent
        return gradients

    return nonlinearity(rule, node.value if several else [node.value], quick)


def require_linear(node: Tensor, transform: str) -> None:
    """Raise TypeError if a test shows that a node's rule is not linear in its upstream gradient."""
    problem = node_nonlinearity(node, quick=True)
    if problem:
        raise TypeError(
            f"{transform} cannot run the gradient rule of {node.op.name} forward: it is not linear in its upstream "
            f"gradient, so it is not a derivative ({problem}); write a rule that multiplies dy, or use vjp"
        )
