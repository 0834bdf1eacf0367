"""Graphs of single numbers, against Python floats: what micrograd is made for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from . import workload

LINKS = 33_333


def links_by_hand(x: list[float]) -> Any:
    """Three nodes for each iteration; the slope is the product of all factors."""
    (a,) = x
    g = 1.0
    for _ in range(LINKS):
        g *= 0.5 * (2 * a)
        a = (a * a + 1.0) * 0.5
    return a, [g]


@workload(
    "scalar-chain", "scalar chain of 100,000 nodes", links_by_hand, arrays=lambda: [[0.3]],
    limit="One Python object and one iteration of the loop for each node; floats by hand need neither. micrograd "
    "recurses over its graph, and this one is too deep for it.",
)  # fmt: skip
def links(xp: Any, x: list[Any]) -> Any:
    (a,) = x
    for _ in range(LINKS):
        a = (a * a + 1.0) * 0.5
    return a


SIZES, SAMPLES = (2, 16, 16, 1), 100


def network_arrays() -> list[Any]:
    rng = np.random.default_rng(0)
    count = sum((n + 1) * m for n, m in pairwise(SIZES))
    points = rng.standard_normal((SAMPLES, 2))
    return [rng.uniform(-0.5, 0.5, count).tolist(), points.tolist(), np.sign(points.prod(1)).tolist()]


def network_by_hand(p: list[float], points: list[list[float]], labels: list[float]) -> Any:
    grads, total = [0.0] * len(p), 0.0
    for point, label in zip(points, labels):
        inputs, h, start = [], point, 0
        for n, m in pairwise(SIZES):
            inputs.append((h, start))
            out = []
            for j in range(m):
                at = start + j * (n + 1)
                s = p[at + n]
                for i in range(n):
                    s += p[at + i] * h[i]
                out.append(s if m == 1 or s > 0 else 0.0)
            start += m * (n + 1)
            h = out
        gap = h[0] - label
        total += gap * gap
        dh = [2 * gap / SAMPLES]
        for (before, start), n in zip(reversed(inputs), reversed(SIZES[:-1])):
            back = [0.0] * n
            for j, d in enumerate(dh):
                if d:
                    at = start + j * (n + 1)
                    grads[at + n] += d
                    for i in range(n):
                        grads[at + i] += d * before[i]
                        back[i] += d * p[at + i]
            dh = [d if x > 0 else 0.0 for d, x in zip(back, before)]
    return total / SAMPLES, [grads]


@workload(
    "scalar-mlp", "scalar MLP 2-16-16-1, 100 points, about 68,000 nodes", network_by_hand, arrays=network_arrays,
    limit="One Python object and one iteration of the loop for each node. micrograd, PyTorch and autograd make several "
    "objects for each.",
)  # fmt: skip
def network(xp: Any, p: list[Any], points: Any, labels: Any) -> Any:
    total = 0.0
    for point, label in zip(points, labels):
        h, start = point, 0
        for n, m in pairwise(SIZES):
            out = []
            for j in range(m):
                at = start + j * (n + 1)
                s = p[at + n]
                for i in range(n):
                    s = s + p[at + i] * h[i]
                out.append(s if m == 1 else xp.relu(s))
            start += m * (n + 1)
            h = out
        gap = h[0] - label
        total = gap * gap + total
    return total * (1 / SAMPLES)
