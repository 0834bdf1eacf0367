"""Functions that lessons 10, 12 and 18 call without showing their code, because it would solve an exercise."""

from __future__ import annotations

import importlib
from typing import Any

mg: Any = importlib.import_module("minigrad")


def with_a_filler_of_0(a: Any, b: Any) -> Any:
    """Return √(a² + b²) with a useless `where`: at the origin, sqrt still gets 0. For lesson 10."""
    square = a * a + b * b
    safe = mg.where(square > 0, square, 0.0)
    return mg.where(square > 0, mg.sqrt(safe), 0.0)


@mg.custom_gradient
def stairs(x: Any) -> Any:
    """Round x, with a rule that returns the upstream gradient unchanged. For lesson 12."""
    return mg.round(x), lambda upstream: upstream


def by_astype(x: Any) -> Any:
    """Round x to float16 and return it as float32; the gradient is rounded too. For lesson 18."""
    return mg.astype(mg.astype(x, "float16"), "float32")
