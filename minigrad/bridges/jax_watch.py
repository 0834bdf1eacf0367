"""Watch a JAX function that returns a value and gradients, and explain the first call whose results are not finite.

A JAX call is pure, so it can be recorded afterwards with the same arguments. Only the norms of the last steps are kept.
"""

from __future__ import annotations

import functools
import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util

from ..core.tensor import Tensor
from ..diagnostics.nan import NanReport
from .divergence import SECONDS, TRIED, LastSteps, trial_words
from .explain import NanFound, explained
from .jax import record
from .jax_equations import floating
from .rebuilt_program import LARGEST, ForeignProgram, NotRecorded


def watched(f: Any) -> Any:
    """Wrap a function so that it raises NanFound if its value or gradients are not finite."""
    finite = jax.jit(lambda xs: jnp.all(jnp.array([jnp.isfinite(x).all() for x in xs] or [True])))
    norm = jax.jit(_norm)
    loop = _Loop(argnums_of(f))

    @functools.wraps(f)
    def step(*args: Any, **kwargs: Any) -> Any:
        weights = loop.weights(args)
        size = [norm(weights)] if weights else []
        results, at = f(*args, **kwargs), next(loop.steps)
        floats = _floats(results)
        loop.last.add(size, floats[:1])
        if not bool(finite(floats)):
            raise explained_step(f, args, kwargs, at, loop)
        loop.remember(weights, results)
        return results

    return step


def _norm(xs: Sequence[Any]) -> Any:
    """Return the norm of all elements, scaling them first because their squares may overflow or underflow."""
    largest = jnp.max(jnp.array([jnp.max(jnp.abs(x), initial=0.0) for x in xs], jnp.float32))
    scale = jnp.where(largest > 0, largest, 1.0)
    return scale * jnp.sqrt(sum(jnp.sum(jnp.square(x.astype(jnp.float32) / scale)) for x in xs))


class _Loop:
    """The state of a watched function between its calls.

    only : the positions of the differentiated arguments.
    before : the weights and the gradients of the last call, or None if they have too many numbers to keep.
    """

    def __init__(self, only: tuple[int, ...]) -> None:
        self.only, self.steps, self.last = only, itertools.count(), LastSteps()
        self.before: tuple[list[Any], list[Any]] | None = None

    def weights(self, args: Sequence[Any]) -> list[Any]:
        return _floats([args[i] for i in self.only if -len(args) <= i < len(args)])

    def remember(self, weights: list[Any], results: Any) -> None:
        gradients = _floats(results[1]) if isinstance(results, tuple) and len(results) == 2 else []
        alike = [w.shape for w in weights] == [g.shape for g in gradients]
        few = sum(w.size for w in weights) <= LARGEST
        self.before = (weights, gradients) if weights and alike and few else None

    def rate(self, weights: Sequence[Any]) -> float | None:
        """Return the learning rate of the last update, or None if the update was not a multiple of the gradients."""
        if self.before is None or [w.shape for w in self.before[0]] != [w.shape for w in weights]:
            return None
        flat = lambda xs: np.concatenate([np.ravel(np.asarray(x, np.float64)) for x in xs])
        old, g, new = flat(self.before[0]), flat(self.before[1]), flat(weights)
        if not np.isfinite(new).all() or not g.any():
            return None
        rate = float((old - new) @ g / (g @ g))
        rounding = 4 * float(np.finfo(self.before[0][0].dtype).eps) * np.maximum(np.abs(old), np.abs(new))
        return rate if rate > 0 and (np.abs(old - rate * g - new) <= rounding + 1e-5 * rate * np.abs(g)).all() else None


def _floats(tree: Any) -> list[Any]:
    return [x for x in tree_util.tree_leaves(tree) if isinstance(x, jax.Array) and floating(x)]


def argnums_of(f: Any) -> tuple[int, ...]:
    """Return the positions of the arguments that `jax.value_and_grad` differentiates, by default the first."""
    only: tuple[int, ...] = (0,)
    while hasattr(f, "__wrapped__"):
        cells = dict(zip(getattr(f, "__code__", NO_CODE).co_freevars, getattr(f, "__closure__", None) or ()))
        if "argnums" in cells:
            numbers = cells["argnums"].cell_contents
            only = (numbers,) if isinstance(numbers, int) else tuple(numbers)
        f = f.__wrapped__
    return only


NO_CODE = (lambda: None).__code__


def explained_step(f: Any, args: Any, kwargs: Any, at: int, loop: _Loop) -> NanFound:
    """Record the function with the arguments of step `at`, and return the NanFound exception to raise for it."""
    inner, growth = f, loop.last.growth(at)
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__

    @functools.wraps(inner)
    def loss(*args: Any, **kwargs: Any) -> Any:
        y = inner(*args, **kwargs)
        return y[0] if isinstance(y, tuple) else y  # with has_aux=True, the result is a pair

    try:
        program = record(loss, args, kwargs, loop.only)
        report = tried(explained(program), program, loop.rate(loop.weights(args)), at)
    except NotRecorded as error:
        why = f"the value or a gradient is not finite; {error}; watch jax.value_and_grad(f) itself"
        return NanFound(at, None, why, growth)
    why = "a gradient is not finite, but the function's own gradients are"
    return NanFound(at, report if report else None, why, growth)


def tried(report: NanReport, program: ForeignProgram, rate: float | None, at: int) -> NanReport:
    """Train a few more steps with the report's repair, and add the losses to the report.

    rate : the learning rate of the last update; with None, or without a repair, the report is returned unchanged.
    """
    after = report.repair.after
    if rate is None or report.others or not report.repair.lines or after is None:
        return report
    offered = program.offered(after.value)
    losses = [] if offered is None else steps_with(*offered, rate)
    words = trial_words(losses, f"of {rate:.3g} times the gradient, as the last update was,", f"arguments of step {at}")
    return replace(report, repair=replace(report.repair, tried=words))


def steps_with(program: ForeignProgram, new: Tensor, rate: float) -> list[float]:
    """Train a rewritten program further; return its losses before each step and after the last.

    If the weights overflow, the last loss is nan. If JAX raises an exception, the list is empty.
    """
    serials = [*program.leaves]
    xs, losses, end = [program.leaves[s] for s in serials], list[float](), time.monotonic() + SECONDS
    loss_of = lambda xs: jnp.sum(program.evaluated(new, dict(zip(serials, xs)), jnp.asarray))
    try:
        both = jax.jit(jax.value_and_grad(loss_of))
        while len(losses) <= TRIED and time.monotonic() < end:
            loss, gradients = both(xs)
            losses.append(float(loss))
            if not math.isfinite(losses[-1]):
                break
            xs = [x - rate * g for x, g in zip(xs, gradients)]
            if not all(bool(jnp.isfinite(x).all()) for x in xs):
                return [*losses, math.nan][: TRIED + 1]
    except Exception:  # JAX may raise any exception at other weights; no steps are reported then
        return []
    return losses
