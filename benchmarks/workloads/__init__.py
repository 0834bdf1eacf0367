"""The workloads: each is written once for all libraries, and once by hand."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Every workload by name, in the order of the table.
WORKLOADS: dict[str, Workload] = {}


@dataclass(frozen=True)
class Workload:
    """A function of arrays, and the quantity to compute from it.

    f : `f(xp, *arrays)`, where xp is the library's namespace of functions with NumPy's names.
    by_hand : `by_hand(*arrays)`, the result written by hand: a value and the list of its gradients, or the
        result of `task`.
    arrays : makes the arguments. The first `wrt` of them are differentiated. A list stands for that many scalars.
    task : "gradient" for value and gradients; "hvp" for H v, where v is the last argument; "hessian";
        "fifth" for the fifth derivative.
    limit : where the time or the memory goes and what that bounds, in a sentence or two for the reader of the table.
    tiny : makes small arguments of the same structure, for workloads whose memory is measured.
    timed : whether it has a row in the table of times.
    """

    name: str
    title: str
    f: Callable[..., Any]
    by_hand: Callable[..., Any]
    arrays: Callable[[], list[Any]]
    wrt: int = 1
    task: str = "gradient"
    limit: str = ""
    tiny: Callable[[], list[Any]] | None = None
    timed: bool = True


def workload(name: str, title: str, by_hand: Callable[..., Any], **fields: Any) -> Callable[..., Any]:
    """Declare the decorated function `f(xp, *arrays)` a workload."""

    def declare(f: Callable[..., Any]) -> Callable[..., Any]:
        WORKLOADS[name] = Workload(name, title, f, by_hand, **fields)
        return f

    return declare


def normal(*shapes: tuple[int, ...], scale: float = 1.0, seed: int = 0) -> list[Any]:
    """Arrays of normally distributed float64, the same in every run."""
    rng = np.random.default_rng(seed)
    return [scale * rng.standard_normal(shape) for shape in shapes]


for _file in ("networks", "vision", "products", "elementwise", "higher", "custom", "scalars", "deep"):
    importlib.import_module(f".{_file}", __name__)
