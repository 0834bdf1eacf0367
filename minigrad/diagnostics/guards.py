"""Rewrites that keep an argument inside its op's domain, with a `where` or a clamp, or fill a hole with a limit."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_call, is_input
from .domains import Bounds, bounds_of, finite, gradients_of, op_of, outside, suspects, users_of, value_of
from .finite_differences import curvature, tends_to
from .other_points import TINY, Bench
from .patterns import Rewrite, is_sum, is_sum_of_squares, options_of

#: Templates of the ops with two operands; every other op is a call with one operand.
OPERATORS = {"divide": "a / b", "power": "a ** b", "xlogy": "xlogy(a, b)"}
COMPARED = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}


def guards(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """Yield rewrites that keep the argument of a suspect node inside its op's domain, the oldest suspect first."""
    users = users_of(y)
    for node in suspects(y, bench.inputs):
        bounds = bounds_of(node)
        if bounds is None:
            continue
        x, call, bound = node.args[bounds.argument], *_call(node)
        yield from masked_at(y, node, users)
        if node.op.name == "divide" and isinstance(x, Tensor):
            hole: Any = (value_of(node.args[0]) == 0) & (value_of(x) == 0)
            for alone in islice(_sole_arguments(node), 1):
                for line, where, _ in _tangents(node, alone, hole, bench):
                    template = f"where({where}, {line[0]}, a / where({where}, 1.0, b))"
                    yield Rewrite(y, node, template, bound | {"x": alone}, "limit", (), call, line=line)
        if bounds.low is not None and (finite(node.value) or not bounds.hole):
            yield _end(y, node, bounds, call, bound)
        if bounds.low is not None and not finite(node.value) and finite(y.value):
            yield _left_out(y, node, bounds, call, bound)
    yield from _safe_branches(y, {node.serial for node in suspects(y, bench.inputs)})


def _call(node: Tensor) -> tuple[str, dict[str, Any]]:
    """Return a node as a template, such as "log(a)" or "a / b", and the values of its letters."""
    letters = "ab" if node.op.name in OPERATORS else "a"
    call = OPERATORS.get(node.op.name, f"{node.op.name}(a, **k)")
    return call, dict(zip(letters, node.args)) | {"k": options_of(node, len(letters))}


def masked_at(y: Tensor, node: Tensor, users: Mapping[int, list[Tensor]] | None = None) -> Iterator[Rewrite]:
    """Yield a rewrite of a node for each `where` that depends on it.

    The rewritten node gets a safe argument for each element that the `where` takes from its other branch.
    """
    bounds, (call, bound) = bounds_of(node), _call(node)
    if bounds is None:
        return
    x, arg = node.args[bounds.argument], "ab"[bounds.argument]
    for condition, selected in _selections(node, x, users_of(y) if users is None else users):
        reread = _condition_at(condition, node)
        if reread is not None:
            text, more = reread
            inside = f"where({text}, {arg}, {bounds.inside})" if selected else f"where({text}, {bounds.inside}, {arg})"
            yield Rewrite(y, node, _with(call, arg, inside), bound | more, "masked", (condition, None, selected), call)


def _end(y: Tensor, node: Tensor, bounds: Bounds, call: str, bound: dict[str, Any]) -> Rewrite:
    """Return a rewrite of a node whose slope is 0 if its argument is not inside the domain, such as for sqrt at 0.

    The value stays the same, except that a root becomes 0 if rounding made the sum under it negative.
    call, bound : the node's template, and the values of its letters.
    """
    x, arg = node.args[bounds.argument], "ab"[bounds.argument]
    end, high = float(round(bounds.low or 0.0)), None if bounds.high is None else 1.0
    within = f"{arg} != 0" if bounds.hole else f"{arg} > {end:g}" if high is None else f"abs({arg}) < 1"
    safe, fixed = (_with(call, arg, e) for e in (f"where({within}, {arg}, {bounds.inside})", f"stop_gradient({arg})"))
    name, holds = "inside", ""
    if node.op.name == "sqrt" and is_sum(x):
        fixed, name = "0.0", "d2"
        holds = "" if is_sum_of_squares(x) else "it is 0 where the radicand is below 0 by rounding, and yours is nan"
    template, guard = f"where({within}, {safe}, {fixed})", (x, end, high)
    return Rewrite(y, node, template, bound, "end", guard, call, holds=holds, names={arg: name})


def _safe_branches(y: Tensor, bad: set[int]) -> Iterator[Rewrite]:
    """Yield rewrites that give a safe argument to a branch of a `where` with several suspects, or one without bounds.

    The argument's elements are unchanged if the branch is selected for them, and replaced by a selected element if not.
    """
    for node in graph_of(y):
        condition = value_of(node.args[0]) if op_of(node) == "where" else np.True_
        branches = ((True, node.args[1]), (False, node.args[2])) if condition.any() and not condition.all() else ()
        for selected, branch in branches:
            behind = ancestors([branch]) if isinstance(branch, Tensor) else []
            lost = [n for n in behind if n.serial in bad]
            if not lost or (len(lost) == 1 and _is_bounded(lost[0])):  # `masked_at` covers this case
                continue
            for x in filter(is_input, behind):
                chosen = x.value[condition == selected] if x.shape == condition.shape and x.dtype.kind == "f" else []
                if x is not branch and len(chosen) and finite(chosen[0]):
                    reread = _condition_at(node.args[0], branch)
                    if reread is not None:
                        text, more = reread
                        safe, at = f"{chosen[0]:.9g}", f"where({text}, {{}}, {{}})"
                        bound = {"x": x, "f": branch} | more
                        yield Rewrite(y, branch, "f", bound, "masked", (node.args[0], None, selected), "f",
                                      safe=at.format(*(("x", safe) if selected else (safe, "x"))))  # fmt: skip


def _is_bounded(node: Tensor) -> bool:
    """Return whether a node's op has a domain, and the argument with the bounds is not a constant."""
    bounds = bounds_of(node)
    return bounds is not None and isinstance(node.args[bounds.argument], Tensor)


def _left_out(y: Tensor, node: Tensor, bounds: Bounds, call: str, bound: dict[str, Any]) -> Rewrite:
    """Return a rewrite that replaces arguments outside a node's domain by one inside, so the value is finite.

    The rewrite suits results that do not depend on the infinite value, because an index leaves that value out or later
    code overwrites it.
    """
    arg = "ab"[bounds.argument]
    outside = f"{arg} == 0" if bounds.hole else f"{arg} <= {float(round(bounds.low or 0.0)):g}"
    high = None if bounds.high is None else 1.0
    if high is not None:
        outside = f"abs({arg}) >= 1"
    guard = (node.args[bounds.argument], float(round(bounds.low or 0.0)), high)
    template = _with(call, arg, f"where({outside}, {bounds.inside}, {arg})")
    return Rewrite(y, node, template, bound, "left out", guard, call)


def _with(call: str, arg: str, inside: str) -> str:
    """Replace the letter `arg` in the template `call` with the expression `inside`."""
    return re.sub(rf"\b{arg}\b", inside, call)


def _selections(node: Tensor, x: Any, users: Mapping[int, list[Tensor]]) -> Iterator[tuple[Any, bool]]:
    """Yield, for each `where` that depends on a node, its condition, and whether the node is in its true branch."""
    wave, seen = [node], {node.serial}
    while wave:
        now = wave.pop()
        for user in users.get(now.serial, []):
            condition = user.args[0]
            if op_of(user) == "where" and condition is not now and np.shape(condition) == np.shape(x):
                yield condition, user.args[1] is now
            if user.serial not in seen:
                seen.add(user.serial)
                wave.append(user)


def _condition_at(condition: Any, node: Tensor) -> tuple[str, dict[str, Any]] | None:
    """Return a condition as a template with its letters, or None if it cannot be computed before the node.

    If the program computes the condition only after the node, the template recomputes it from its operands.
    """
    older = lambda v: not isinstance(v, Tensor) or v.serial < node.serial
    if older(condition):
        return "c", {"c": condition}
    if op_of(condition) not in COMPARED or not all(map(older, condition.args)):
        return None
    return f"p {COMPARED[condition.op.name]} q", dict(zip("pq", condition.args))


def is_inactive(rewrite: Rewrite, nodes: dict[int, Tensor]) -> Any:
    """Return, for each element, whether a rewrite's guard has no effect at a replayed point."""
    argument, low, high = rewrite.guard
    a = value_of(nodes[argument.serial] if isinstance(argument, Tensor) else argument)
    if rewrite.kind == "masked":
        return a == high
    bounds = bounds_of(rewrite.at) if rewrite.at.op is not None else None
    floored = rewrite.kind == "usual" and "maximum" in rewrite.template  # a count or a length is never below 0
    a = abs(a) if bounds is not None and bounds.hole and not floored else a
    # Do not compare points at an end of the range.
    return (True if low is None else a > low) & (True if high is None else a < high)


def holes(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """Yield rewrites of whole expressions that have a limit but no value at this point, starting with the shortest."""
    lost: dict[int, Any] = {}
    point = {s.serial: np.asarray(s.value, np.float64)[()] for s in bench.cut}
    exact = bench.nodes(y, point, exact=True)  # a value that only overflows in its dtype is not a hole
    for node in graph_of(y):
        if node.serial in point or node.serial not in exact or isinstance(node.value, tuple) or node.dtype.kind != "f":
            continue
        value = exact[node.serial].value
        hole = ~np.isfinite(value) | _infinite_slopes(node)
        for a in node.args:
            if isinstance(a, Tensor) and a.serial in lost:
                hole = hole | (lost[a.serial] if a.shape == node.shape else True)
        if hole.any():
            lost[node.serial] = hole
            if np.isinf(value).any():  # a pole, or a 0 / 0 that rounding turned into 1e-17 / 0
                continue
            for x in islice(_sole_arguments(node), 3 * (len(lost) < 12 and op_of(node) != "where")):
                for line, where, safe in _tangents(node, x, hole, bench):
                    template = f"where({where}, {line[0]}, f)"
                    yield Rewrite(y, node, template, {"x": x, "f": node}, "limit", (), "f", safe=safe, line=line)


def _infinite_slopes(node: Tensor) -> Any:
    """Return a mask of the elements of a node whose value is finite but whose slope is not, as for sqrt at 0."""
    bounds = bounds_of(node)
    if bounds is None or not node.op.elementwise or not outside(node):
        return np.False_
    x = node.args[bounds.argument]
    slopes = gradients_of(node, [x])[0] if isinstance(x, Tensor) else np.zeros(())
    return np.isfinite(node.value) & ~np.isfinite(slopes) if slopes.shape == node.shape else np.False_


def fraction_text(v: Any, digits: int) -> str:
    """Format a measured limit with `digits` digits; if a simple fraction, such as 1/6, is very close, use it."""
    fraction = float(Fraction(float(v)).limit_denominator(24))
    return f"{fraction if abs(v - fraction) < 1e-8 * (1 + abs(v)) else v:.{digits}g}"


def _tangents(
    node: Tensor, x: Tensor, hole: Any, bench: Bench
) -> Iterator[tuple[tuple[str, Callable[[], str]], str, str]]:
    """Yield the tangent of a node at a hole, the condition of the hole, and a safe `x`, all as text.

    The tangent is paired with a function that returns the tangent and its quadratic term. Nothing is yielded if the
    elements are different functions of `x`, or if the limits from both sides differ. The limit is valid only at this
    point; other holes remain.
    """
    hole = np.broadcast_to(hole, node.shape)
    if not hole.any() or not finite(x.value) or np.ptp(x.value[hole]):
        return
    center = float(x.value[hole][0]) + 0.0  # not -0
    if 0 < abs(center) < TINY:  # the hole is at 0, but rounding makes it wider
        return

    def at(v: float) -> Any:
        values = bench.nodes(node, {x.serial: np.full(x.shape, v)[()]})[node.serial].value
        return np.ravel(values)

    near = np.concatenate([at(center + h) for h in (1e-5, 3e-5, -1e-5, -3e-5)])
    near = near[~np.isnan(near)]
    if not near.size or not finite(near) or np.ptp(near) > 1e-2 * (1 + np.abs(near[0])):
        return
    digits, step = (7 if np.finfo(node.dtype).bits < 64 else 11), 0.02
    level, tilt = tends_to(lambda h: at(center + h), step)
    if not finite(level, tilt):  # try a smaller distance, in case the function is more curved
        level, tilt = tends_to(lambda h: at(center + h), step / 4)
    away = [center + h for h in (1.0, -1.0, 0.5, -0.5, 0.1, -0.1)]
    safe = next((v for v in away if finite(at(v))), None)
    if safe is None or not finite(level, tilt) or np.ptp(level) > 1e-7 or np.ptp(tilt) > 1e-6:
        return
    side = lambda h: 3 * at(center + h) - 3 * at(center + 2 * h) + at(center + 3 * h)
    gaps = np.array([np.abs(side(h) - side(-h)) for h in (1e-3, 2e-3, 4e-3)])
    # If the gap between both sides does not shrink, the function jumps.
    if ((gaps.min(axis=0) > 1e-9) & (gaps.max(axis=0) < 1.5 * gaps.min(axis=0))).any():
        return
    number, slope, where = fraction_text(level.mean(), digits), fraction_text(tilt.mean(), digits), f"x == {center:.9g}"
    away_from = f"(x - {center:.9g})" if center else "x"
    terms = [number, f"{slope} * {away_from}"]

    def curved() -> str:
        bend = curvature(lambda h: at(center + h))
        if not finite(bend) or np.ptp(bend) > 1e-6:
            return ""
        return _added([*terms, f"{fraction_text(bend.mean() / 2, digits)} * {away_from} ** 2"])

    yield (_added(terms), curved), where, f"where({where}, {safe:.9g}, x)"


def _added(terms: Sequence[str]) -> str:
    """Join the terms of a sum as a person would write them: without zeros, factors of 1 and "+ -"."""
    terms = [t for t in terms if float(t.partition(" ")[0])] or ["0"]
    terms = [t.removeprefix("1 * ").replace("-1 * ", "-", 1) if t.startswith(("1 * ", "-1 * ")) else t for t in terms]
    return " + ".join(terms).replace("+ -", "- ")


def _sole_arguments(node: Tensor) -> Iterator[Tensor]:
    """Yield each node x such that the given node is an elementwise function of x only, newest first."""
    for x in reversed(graph_of(node)[:-1]):
        if isinstance(x.value, tuple) or x.shape != node.shape or x.dtype.kind not in "fiu":
            continue
        behind = [n for n in ancestors([node], enter=partial(operator.is_not, x)) if n is not x]
        if not any(is_input(n) or is_call(n) or (x.ndim and not n.op.elementwise) for n in behind):
            yield x
