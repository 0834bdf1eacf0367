"""The libraries that are compared: one small adapter each.

An adapter is a class `Peer` in a file with

    spell : a namespace of functions with NumPy's names, for `Workload.f`
    prepare(workload, arrays) : a function of no arguments that computes the answer once, however the library likes it.

What it returns, `plain` turns into floats and arrays, to be compared. An adapter returns None for what its library
cannot do.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import Any

import numpy as np

#: Column of the table -> file.
PEERS = {
    "by hand": "hand",
    "minigrad": "minigrad_eager",
    "minigrad compiled": "minigrad_compiled",
    "autograd": "autograd_",
    "PyTorch": "torch_",
    "JAX jit": "jax_",
    "TensorFlow": "tensorflow_",
    "micrograd": "micrograd_",
}


def installed(names: list[str] | None = None) -> dict[str, Any]:
    """The adapters whose library can be imported, by name."""
    found = {}
    for name, file in PEERS.items():
        if names is None or name in names or name == "by hand":
            with suppress(ImportError):
                found[name] = importlib.import_module(f".{file}", __name__).Peer()
    return found


def plain(answer: Any) -> list[Any]:
    """Every number in an answer, as a flat list of float64 arrays."""
    if isinstance(answer, (list, tuple)):
        return [array for part in answer for array in plain(part)]
    if hasattr(answer, "detach"):
        answer = answer.detach()
    return [np.asarray(getattr(answer, "data", answer) if not hasattr(answer, "dtype") else answer, float).ravel()]


def faults(contestants: dict[str, Any]) -> list[tuple[str, str]]:
    """Who fails, or answers otherwise than by hand, and how."""
    reference = contestants["by hand"]()
    found = []
    for name, thunk in contestants.items():
        try:
            if not same(thunk(), reference):
                found.append((name, "gives another answer"))
        except Exception as error:  # whatever a version of a library may raise
            found.append((name, f"raises {type(error).__name__}: {str(error)[:200]}"))
    return found


def same(answer: Any, reference: Any) -> bool:
    """Whether two answers agree to nine digits, relative to the largest number in each array."""
    a, b = (np.concatenate(plain(x)) for x in (answer, reference))
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-8 * (np.abs(b) + np.max(np.abs(b)))))
