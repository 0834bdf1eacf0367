"""Chains of elementwise functions: on tiny arrays, where calls dominate, and on large ones, where memory does."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import normal, workload

TURNS = 40


def chain_by_hand(x: Any) -> Any:
    inner = []
    for _ in range(TURNS):
        a = np.tanh(x)
        b = np.sin(a)
        inner.append((a, b))
        x = b * b * 1.01 + 0.5
    value = x.sum()
    g = np.ones_like(x)
    for a, b in reversed(inner):
        g = 2.02 * g * b * np.cos(a) * (1 - a * a)
    return value, [g]


@workload(
    "chain", "chain of 200 elementwise ops, size 10", chain_by_hand, arrays=lambda: [np.linspace(-1, 1, 10)],
    limit="One call of NumPy for each op and each slope: nothing that is made of calls can be much faster than by "
    "hand. JAX turns the chain into one loop of machine code over ten numbers, out of reach of pure NumPy. "
    "torch.compile takes more than eight minutes to compile it, and is left out.",
)  # fmt: skip
def chain(xp: Any, x: Any) -> Any:
    for _ in range(TURNS):
        x = xp.tanh(x)
        x = xp.sin(x)
        x = x * x
        x = x * 1.01
        x = x + 0.5
    return xp.sum(x)


def large_by_hand(x: Any) -> Any:
    t = x * x
    t += 1
    t *= 0.5
    t -= x
    u = t * t
    u += x
    u *= 0.1
    u -= 1
    value = np.dot(u, x)
    # u x = (0.1 (t^2 + x) - 1) x with t = (x^2 + 1) / 2 - x
    t *= 0.2
    t *= x - 1
    t += 0.1
    t *= x
    t += u
    return value, [t]


@workload(
    "large", "10 cheap ufuncs on 1e7 doubles", large_by_hand, arrays=lambda: normal((10_000_000,)),
    tiny=lambda: normal((10,)),
    limit="Memory, which the system hands out page by page. Eager keeps each intermediate result, since it is the "
    "value of a node. Compiled, the ufuncs run over blocks that stay in the cache, and main memory is read and "
    "written once; torch.compile does so without calls.",
)  # fmt: skip
def large(xp: Any, x: Any) -> Any:
    t = x * x + 1
    t = t * 0.5 - x
    t = (t * t + x) * 0.1 - 1
    return xp.sum(t * x)
