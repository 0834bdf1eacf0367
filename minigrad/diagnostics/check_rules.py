"""Checks of custom rules that need no finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.custom_call import CustomCall
from ..core.graph import ancestors
from ..core.messages import location_of
from ..core.tensor import Tensor
from .check_report import GradientCheck


def custom_calls(outputs: list[tuple[str, Tensor]]) -> list[Any]:
    """The calls with custom gradients among the ancestors of the outputs."""
    return [node for node in ancestors([y for _, y in outputs]) if isinstance(node.op, CustomCall)]


def rule_name(node: Any) -> str:
    """The custom rule of a node, by name and location."""
    return f"the custom rule {location_of(node.op.grad_fn)} of {node.op.name}"


def lint(check: GradientCheck, outputs: list[tuple[str, Tensor]], rng: np.random.Generator) -> None:
    """Report rules that are not linear in the upstream gradient, or finite at a value that is not finite."""
    for node in custom_calls(outputs):
        problem = _nonlinear(node.op, rng)
        if problem:
            check.findings.append(f"{rule_name(node)} is not linear in the upstream: {problem}")
        elif _half_repaired(node.op):
            check.remarks.append(
                f"{rule_name(node)} gives a finite gradient where the value of {node.op.name} is inf or nan"
            )


def _gradients(call: Any, upstreams: list[Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        return [None if g is None else g.value for g in call.call_grad_fn([Tensor(u) for u in upstreams])]


def _nonlinear(call: Any, rng: np.random.Generator) -> str:
    """A sentence if grad(u + v) is not grad(u) + grad(v), as it is for every gradient, else ""."""
    u, v = ([np.asarray(rng.normal(size=y.shape), y.dtype)[()] for y in call.body_outputs] for _ in "uv")
    found = (_gradients(call, w) for w in (u, v, [a + b for a, b in zip(u, v)]))
    for of_u, of_v, of_both in zip(*found):
        if of_u is None or of_v is None or of_both is None or not np.isfinite(of_u + of_v).all():
            continue
        scale = 1e-4 * (1 + float(np.max(np.abs(of_u) + np.abs(of_v), initial=0)))
        if np.max(np.abs(of_u + of_v - of_both), initial=0) > scale:
            if np.array_equal(of_u, of_v):
                return "its result does not depend on the upstream; multiply by it"
            return "grad(u + v) is not grad(u) + grad(v)"
    return ""


def _half_repaired(call: Any) -> bool:
    values = [y.value for y in call.body_outputs]
    found = [g for g in _gradients(call, [np.ones_like(y) for y in values]) if g is not None]
    bad = not all(np.isfinite(y).all() for y in values)
    return bad and bool(found) and all(np.isfinite(g).all() for g in found)
