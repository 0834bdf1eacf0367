"""Functions that lessons 10, 12 and 18 run: in the lesson, their lines would give away the solution to an exercise."""

from __future__ import annotations

import importlib
from typing import Any

mg: Any = importlib.import_module("minigrad")


def with_a_filler_of_0(a: Any, b: Any) -> Any:
    """√(a² + b²), and 0 at the origin, although sqrt still gets a 0 there; for lesson 10."""
    square = a * a + b * b
    safe = mg.where(square > 0, square, 0.0)
    return mg.where(square > 0, mg.sqrt(safe), 0.0)


@mg.custom_gradient
def stairs(x: Any) -> Any:
    """x rounded, with a rule that sends the upstream gradient on unchanged; for lesson 12."""
    return mg.round(x), lambda upstream: upstream


def by_astype(x: Any) -> Any:
    """x rounded to float16 and returned in float32; for lesson 18. Its gradient is rounded as well."""
    return mg.astype(mg.astype(x, "float16"), "float32")
