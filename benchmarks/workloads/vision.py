"""LeNet: two convolutions with average pooling, three layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import normal, workload
from .networks import cross_entropy

BATCH = 32


def lenet_arrays() -> list[Any]:
    k1, k2 = normal((5, 5, 1, 6), (5, 5, 6, 16), scale=0.1)
    w1, w2, w3 = (normal((n, m), scale=n**-0.5)[0] for n, m in ((256, 120), (120, 84), (84, 10)))
    (x,) = normal((BATCH, 28, 28, 1), seed=1)
    return [k1, k2, w1, w2, w3, x, np.eye(10)[np.arange(BATCH) % 10]]


def pieces(x: Any, n: int) -> Any:
    """Return the n x n windows of an image (batch, height, width, channels), one in each row."""
    b, h, w, c = x.shape
    windows = np.lib.stride_tricks.sliding_window_view(x, (n, n), (1, 2)).transpose(0, 1, 2, 4, 5, 3)
    return windows.reshape(b * (h - n + 1) * (w - n + 1), n * n * c)


def pool(x: Any) -> Any:
    return 0.25 * (x[:, ::2, ::2] + x[:, 1::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, 1::2])


def unpool(g: Any) -> Any:
    b, h, w, c = g.shape
    return np.broadcast_to((0.25 * g)[:, :, None, :, None], (b, h, 2, w, 2, c)).reshape(b, 2 * h, 2 * w, c)


def lenet_by_hand(k1: Any, k2: Any, w1: Any, w2: Any, w3: Any, x: Any, labels: Any) -> Any:
    p1 = pieces(x, 5)
    c1 = (p1 @ k1.reshape(25, 6)).reshape(BATCH, 24, 24, 6)
    np.tanh(c1, out=c1)
    s1 = pool(c1)
    p2 = pieces(s1, 5)
    c2 = (p2 @ k2.reshape(150, 16)).reshape(BATCH, 8, 8, 16)
    np.tanh(c2, out=c2)
    f = pool(c2).reshape(BATCH, 256)
    h1 = np.tanh(f @ w1)
    h2 = np.tanh(h1 @ w2)
    value, dz = cross_entropy(h2 @ w3, labels)

    dw3 = h2.T @ dz
    dh2 = dz @ w3.T
    dh2 *= 1 - h2 * h2
    dw2 = h1.T @ dh2
    dh1 = dh2 @ w2.T
    dh1 *= 1 - h1 * h1
    dw1 = f.T @ dh1
    dc2 = unpool((dh1 @ w1.T).reshape(BATCH, 4, 4, 16))
    dc2 *= 1 - c2 * c2
    dc2 = dc2.reshape(-1, 16)
    dk2 = (p2.T @ dc2).reshape(k2.shape)
    dp2 = (dc2 @ k2.reshape(150, 16).T).reshape(BATCH, 8, 8, 5, 5, 6)
    ds1 = np.zeros_like(s1)
    for i in range(5):
        for j in range(5):
            ds1[:, i : i + 8, j : j + 8] += dp2[:, :, :, i, j]
    dc1 = unpool(ds1)
    dc1 *= 1 - c1 * c1
    dk1 = (p1.T @ dc1.reshape(-1, 6)).reshape(k1.shape)
    return value, [dk1, dk2, dw1, dw2, dw3]


@workload(
    "lenet", "LeNet 28 x 28, batch 32", lenet_by_hand, arrays=lenet_arrays, wrt=5,
    limit="Copying the windows of the convolutions into rows and adding them back: NumPy has no convolution. PyTorch "
    "has one in machine code, for which autograd has no counterpart.",
)  # fmt: skip
def lenet(xp: Any, k1: Any, k2: Any, w1: Any, w2: Any, w3: Any, x: Any, labels: Any) -> Any:
    h = xp.avg_pool(xp.tanh(xp.conv(x, k1)))
    h = xp.avg_pool(xp.tanh(xp.conv(h, k2)))
    h = xp.tanh(xp.reshape(h, (BATCH, 256)) @ w1)
    h = xp.tanh(h @ w2)
    return -xp.sum(labels * xp.log_softmax(h @ w3)) / BATCH
