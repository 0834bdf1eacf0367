"""Check the second derivative of a repair at the point itself.

An expression that is right to first order may have the wrong curvature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.op import OPS, as_leaf
from ..core.tensor import Tensor
from .domains import gradients_of
from .edit_spelling import MINIGRAD, Dialect
from .edits import texts_of
from .finite_differences import tends_to
from .other_points import Bench, OutOfBudget
from .patterns import Rewrite
from .repair_proof import Offer

#: A function that computes the second derivative of a rewritten graph along one direction. Its arguments are the
#: result, the inputs, and the part of the direction that belongs to each input.
Twice = Callable[[Tensor, Sequence[Tensor], Sequence[Any]], float]

#: The largest relative difference at which two second derivatives count as equal.
SAME = 1e-2


NOT_COMPARED = "its second derivative here is not compared"


def twice_differentiated(y: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> float:
    """Return the second derivative of the sum of `y` along a direction, by the rules of the ops."""
    slopes = pullback([y], [as_leaf(np.ones_like(y.value))], inputs)
    terms = [OPS["sum"].call(g * np.asarray(way, y.dtype)[()]) for g, way in zip(slopes, ways) if g is not None]
    if not terms:
        return 0.0
    along = terms[0]
    for term in terms[1:]:
        along = along + term
    return float(sum(np.sum(g * way) for g, way in zip(gradients_of(along, inputs), ways)))


def on_second_derivatives(
    y: Tensor, offer: Offer, bench: Bench, called: Callable[[Tensor], str], dialect: Dialect = MINIGRAD,
    twice: Twice = twice_differentiated,
) -> str:  # fmt: skip
    """Describe how an offer's second derivative differs from the program's, or return "" if they agree.

    The program's second derivative is the limit, at this point, of the slopes of its gradient nearby. If the program
    has none, as at a kink, return "". Return `NOT_COMPARED` if the limit is not found, or if an op can be
    differentiated only once.
    """
    rng, inputs = np.random.default_rng(11), bench.inputs
    ways = [rng.choice([-1.0, 1.0], s.shape) * rng.uniform(0.5, 1.5, s.shape) for s in inputs]
    if sum(s.size for s in inputs) == 1:
        ways = [np.ones(s.shape) for s in inputs]
    expected = _tends_to(y, inputs, ways)
    value = _tried(twice, offer.new, inputs, ways)
    if expected is None or value is None:
        return "" if expected is None and _has_kink(y, inputs, ways) else NOT_COMPARED
    if _alike(value, expected):
        return ""
    if sum(s.size for s in inputs) == 1:
        words = f"its second derivative here is {value:.6g}, and the program's tends to {expected:.6g}"
    else:
        words = "its second derivatives here are not those that the program tends to"
    pair = _with_one_term_more(offer.rewrites)
    if pair is not None:
        more = _tried(twice, pair[0].apply(), inputs, ways)
        if more is not None and _alike(more, expected):
            curved, line = (
                texts_of(replace(pair[0], template=text, safe="", names={}), called, dialect)[1] for text in pair[1:]
            )
            return f"{words}: if it matters, write {curved} instead of {line}"
    return words


def _alike(value: float, expected: float) -> bool:
    return bool(abs(value - expected) <= SAME * (1 + abs(expected)))  # this is False if `value` is nan


def _along(y: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> Callable[[float], float]:
    """Return a function of a distance from this point along `ways`: the program's slope there, along `ways`."""
    bench, here = Bench(y, 200, 1.0, inputs), {s.serial: np.asarray(s.value, np.float64)[()] for s in inputs}

    def along(t: float) -> float:
        point = {s.serial: here[s.serial] + t * way for s, way in zip(inputs, ways)}
        return sum(float(np.sum(g * way)) for g, way in zip(bench.slopes(y, inputs, point, exact=True)[1], ways))

    return along


def _tends_to(y: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> float | None:
    """Return the limit, at this point, of the program's second derivative along `ways`, or None if none is found."""
    along = _along(y, inputs, ways)
    try:
        for step in (0.02, 0.005, 0.06):  # near this point, digits may be lost; far from it, polynomials may not fit
            _, limit = tends_to(along, step)
            if np.isfinite(limit):
                return float(limit)
    except (OutOfBudget, ValueError):
        pass
    return None


def _has_kink(y: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> bool:
    """Return whether the program has no second derivative here: its slope jumps or bends without bound."""
    along = _along(y, inputs, ways)
    try:
        with np.errstate(all="ignore"):
            steps = [0.02 / 4**k for k in range(4)]
            up, down = ([along(side * h) for h in steps] for side in (1, -1))
    except (OutOfBudget, ValueError):
        return False
    sides = [side for side in (up, down) if np.isfinite(side).all()]
    if not sides:
        return True
    least = 1e-6 * np.max(np.abs(sides))  # smaller differences may be rounding errors
    jumps = [abs(a - b) for a, b in zip(*sides)] if len(sides) == 2 else [0.0]
    bends = [[abs(a - b) for a, b in pairwise(side)] for side in sides]  # 1, 1 / 4 and 1 / 16 if the slope is smooth
    return jumps[-1] > max(0.5 * jumps[0], least) or any(b[0] > least and b[2] > 0.15 * b[0] for b in bends)


def _tried(twice: Twice, new: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> float | None:
    try:
        with np.errstate(all="ignore"):
            return twice(new, inputs, ways)
    except Exception:  # an op may be differentiable only once, and a framework may raise any exception
        return None


def _with_one_term_more(rewrites: Sequence[Rewrite]) -> tuple[Rewrite, str, str] | None:
    """Return a variant of a rewrite that fills a hole, with a quadratic term added to the expression for the hole.

    The result has the new rewrite, and that expression with and without the term.
    Return None if there are several rewrites, or if the term is unknown.
    """
    (rewrite,) = rewrites if len(rewrites) == 1 else (None,)
    if rewrite is None or rewrite.line is None:
        return None
    line, curve = rewrite.line
    try:
        curved = curve()
    except OutOfBudget:
        return None
    template = rewrite.template.replace(f", {line}, ", f", {curved}, ", 1)
    return (replace(rewrite, template=template), curved, line) if curved else None
