"""The libraries that are compared: one small adapter each.

An adapter is a class `Peer` in a file with

    spell : a namespace of functions with NumPy's names, for `Workload.f`
    prepare(workload, arrays) : a function of no arguments that computes the result once, as the library does it best.

`plain` turns the result into arrays, to be compared. An adapter returns None for a workload that its library cannot do.
Its file raises ImportError if the library, or one that it needs, is not installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: Column of the table -> module.
PEERS = {
    column: f"{__name__}.{file}"
    for column, file in {
        "by hand": "hand",
        "minigrad": "minigrad_eager",
        "mg.gradients": "minigrad_gradients",
        "minigrad compiled": "minigrad_compiled",
        "autograd": "autograd_",
        "PyTorch": "torch_",
        "torch.compile": "torch_compiled",
        "JAX jit": "jax_",
        "tf.function": "tensorflow_",
        "TF eager": "tensorflow_eager",
        "micrograd": "micrograd_",
    }.items()
}


def plain(result: Any) -> list[Any]:
    """Every number in a result, as flat float64 arrays; a list of numbers is one array."""
    if isinstance(result, (list, tuple)):
        parts = [array for part in result for array in plain(part)]
        return [np.concatenate(parts)] if parts and all(part.size == 1 for part in parts) else parts
    if hasattr(result, "detach"):
        result = result.detach()
    return [np.asarray(getattr(result, "data", result) if not hasattr(result, "dtype") else result, float).ravel()]


def same(result: Any, reference: Any) -> bool:
    """Return whether two results agree to eight digits, relative to the largest number in the reference array."""
    parts = plain(reference)
    a, b = np.concatenate(plain(result)), np.concatenate(parts)
    if a.shape != b.shape:
        return False
    scale = np.repeat([np.max(np.abs(part)) for part in parts], [part.size for part in parts])
    return bool(np.all(np.abs(a - b) <= 1e-8 * scale))
