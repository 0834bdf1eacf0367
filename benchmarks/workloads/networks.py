"""Networks of matrix products: perceptrons, logistic regression, a recurrent network, attention."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from . import normal, workload

# Perceptrons with softmax and cross entropy.


def layers(*sizes: int, batch: int) -> list[Any]:
    """Weights and biases one after the other, then a batch and its labels as rows of zeros with a one."""
    pairs = [a for n, m in pairwise(sizes) for a in (normal((n, m), scale=n**-0.5)[0], np.zeros(m))]
    labels = np.eye(sizes[-1])[np.arange(batch) % sizes[-1]]
    return [*pairs, *normal((batch, sizes[0]), seed=1), labels]


def cross_entropy(z: Any, labels: Any) -> tuple[Any, Any]:
    """Return the mean cross entropy and its gradient with respect to the logits `z`, which are overwritten."""
    n = len(z)
    z -= z.max(-1, keepdims=True)
    e = np.exp(z)
    total = e.sum(-1, keepdims=True)
    z -= np.log(total)
    value = -(labels * z).sum() / n
    e /= total
    e -= labels
    e /= n
    return value, e


def mlp_by_hand(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, labels: Any) -> Any:
    h = x @ w1
    h += b1
    np.tanh(h, out=h)
    z = h @ w2
    z += b2
    value, dz = cross_entropy(z, labels)
    dw2 = h.T @ dz
    dh = dz @ w2.T
    h *= h
    np.subtract(1, h, out=h)
    dh *= h
    return value, [x.T @ dh, dh.sum(0), dw2, dz.sum(0)]


@workload(
    "mlp", "MLP 64-32-10, batch 32", mlp_by_hand, arrays=lambda: layers(64, 32, 10, batch=32), wrt=4,
    limit="Calls: NumPy takes about a microsecond for each, more than for the numbers in these arrays. Eager adds a "
    "node for each op and an iteration of the loop for each slope; compiled, NumPy's own calls are left.",
)  # fmt: skip
def mlp(xp: Any, w1: Any, b1: Any, w2: Any, b2: Any, x: Any, labels: Any) -> Any:
    h = xp.tanh(x @ w1 + b1)
    return -xp.sum(labels * xp.log_softmax(h @ w2 + b2)) / 32


def medium_by_hand(w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any, x: Any, labels: Any) -> Any:
    h1 = x @ w1
    h1 += b1
    np.maximum(h1, 0, out=h1)
    h2 = h1 @ w2
    h2 += b2
    np.maximum(h2, 0, out=h2)
    z = h2 @ w3
    z += b3
    value, dz = cross_entropy(z, labels)
    dh2 = dz @ w3.T
    dh2 *= h2 > 0
    dh1 = dh2 @ w2.T
    dh1 *= h1 > 0
    return value, [x.T @ dh1, dh1.sum(0), h1.T @ dh2, dh2.sum(0), h2.T @ dz, dz.sum(0)]


@workload(
    "medium", "MLP 784-256-128-10, batch 128", medium_by_hand,
    arrays=lambda: layers(784, 256, 128, 10, batch=128), wrt=6,
    limit="The matrix products; what lies around them is small. A ratio below or above 1 mostly shows faster or "
    "slower products than those of OpenBLAS, which NumPy calls.",
)  # fmt: skip
def medium(xp: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any, x: Any, labels: Any) -> Any:
    h = xp.relu(x @ w1 + b1)
    h = xp.relu(h @ w2 + b2)
    return -xp.sum(labels * xp.log_softmax(h @ w3 + b3)) / 128


# Logistic regression: labels -1 and 1.


def logistic_arrays() -> list[Any]:
    x, w = normal((1000, 50), (50,))
    return [w * 0.1, x, np.sign(x @ np.roll(w, 1) + 0.1)]


def logistic_by_hand(w: Any, x: Any, sign: Any) -> Any:
    z = x @ w
    z *= sign
    e = np.exp(-np.abs(z))
    value = (np.log1p(e) - np.minimum(z, 0)).sum() / len(z)
    slope = np.where(z >= 0, e, 1)
    e += 1
    slope /= e
    slope *= sign
    slope /= -len(z)
    return value, [slope @ x]


@workload(
    "logistic", "logistic regression 1000 x 50", logistic_by_hand, arrays=logistic_arrays,
    limit="Calls, then exp and log1p of a thousand numbers. Eager adds the recording, the loop, and a copy of the "
    "data, which may be changed before the backward pass; compiled adds nothing.",
)  # fmt: skip
def logistic(xp: Any, w: Any, x: Any, sign: Any) -> Any:
    return -xp.mean(xp.log_sigmoid(sign * xp.matvec(x, w)))


# A recurrent network.

STEPS, BATCH, HIDDEN = 50, 16, 64


def rnn_arrays() -> list[Any]:
    wh, wx, b, x = normal((HIDDEN, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN,), (STEPS, BATCH, HIDDEN), scale=HIDDEN**-0.5)
    return [wh, wx, b, 8 * x]


def rnn_by_hand(wh: Any, wx: Any, b: Any, x: Any) -> Any:
    states = [np.zeros((BATCH, HIDDEN))]
    for t in range(STEPS):
        h = states[-1] @ wh
        h += x[t] @ wx
        h += b
        states.append(np.tanh(h, out=h))
    value = (h * h).sum()
    dh = 2 * h
    dwh, dwx, db = np.zeros_like(wh), np.zeros_like(wx), np.zeros_like(b)
    for t in reversed(range(STEPS)):
        h = states[t + 1]
        dh *= 1 - h * h
        dwh += states[t].T @ dh
        dwx += x[t].T @ dh
        db += dh.sum(0)
        dh = dh @ wh.T
    return value, [dwh, dwx, db]


@workload(
    "rnn", "RNN, 50 steps, batch 16, hidden 64", rnn_by_hand, arrays=rnn_arrays, wrt=3,
    limit="250 small matrix products and as many calls around them. Compilers save those calls, which pays only if "
    "their products of 16 rows are as fast as OpenBLAS's.",
)  # fmt: skip
def rnn(xp: Any, wh: Any, wx: Any, b: Any, x: Any) -> Any:
    h = xp.zeros((BATCH, HIDDEN))
    for t in range(STEPS):
        h = xp.tanh(h @ wh + x[t] @ wx + b)
    return xp.sum(h * h)


# One block of attention, a residual connection and a layer norm.

ROWS, WIDTH = 32, 64


def attention_arrays() -> list[Any]:
    wq, wk, wv, wo = normal(*[(WIDTH, WIDTH)] * 4, scale=WIDTH**-0.5)
    (x,) = normal((8, ROWS, WIDTH), seed=1)
    gamma, beta = np.ones(WIDTH), np.zeros(WIDTH)
    return [wq, wk, wv, wo, gamma, beta, x]


def attention_by_hand(wq: Any, wk: Any, wv: Any, wo: Any, gamma: Any, beta: Any, x: Any) -> Any:
    flat = x.reshape(-1, WIDTH)
    q, k, v = ((flat @ w).reshape(x.shape) for w in (wq, wk, wv))
    scores = q @ k.swapaxes(-1, -2)
    scores *= WIDTH**-0.5
    scores -= scores.max(-1, keepdims=True)
    weights = np.exp(scores, out=scores)
    weights /= weights.sum(-1, keepdims=True)
    mixed = weights @ v
    y = (mixed.reshape(-1, WIDTH) @ wo).reshape(x.shape)
    y += x
    y -= y.mean(-1, keepdims=True)
    scale = 1 / np.sqrt((y * y).mean(-1, keepdims=True) + 1e-3)
    normed = y * scale
    out = normed * gamma
    out += beta
    dout = out * out
    value = (dout * out).mean()

    dout *= 3 / dout.size
    dbeta = dout.sum((0, 1))
    dgamma = (dout * normed).sum((0, 1))
    dout *= gamma
    inner = (dout * normed).mean(-1, keepdims=True)
    dout -= dout.mean(-1, keepdims=True)
    normed *= inner
    dout -= normed
    dout *= scale
    dy = dout.reshape(-1, WIDTH)
    dwo = mixed.reshape(-1, WIDTH).T @ dy
    dmixed = (dy @ wo.T).reshape(x.shape)
    dv = weights.swapaxes(-1, -2) @ dmixed
    dweights = dmixed @ v.swapaxes(-1, -2)
    dweights -= (dweights * weights).sum(-1, keepdims=True)
    dweights *= weights
    dweights *= WIDTH**-0.5
    dq = dweights @ k
    dk = dweights.swapaxes(-1, -2) @ q
    grads = [flat.T @ d.reshape(-1, WIDTH) for d in (dq, dk, dv)]
    return value, [*grads, dwo, dgamma, dbeta]


@workload(
    "attention", "attention block + layer norm, 8 x 32 x 64", attention_by_hand, arrays=attention_arrays, wrt=6,
    limit="The matrix products and exp. Eager makes a new array for each op, by hand and compiled most are "
    "overwritten in place.",
)  # fmt: skip
def attention(xp: Any, wq: Any, wk: Any, wv: Any, wo: Any, gamma: Any, beta: Any, x: Any) -> Any:
    q, k, v = x @ wq, x @ wk, x @ wv
    weights = xp.softmax(q @ xp.swapaxes(k, -1, -2) * WIDTH**-0.5)
    y = x + (weights @ v) @ wo
    y = y - xp.mean(y, axis=-1, keepdims=True)
    y = y / xp.sqrt(xp.mean(y * y, axis=-1, keepdims=True) + 1e-3)
    return xp.mean((y * gamma + beta) ** 3)
