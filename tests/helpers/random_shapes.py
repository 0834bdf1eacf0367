"""Random programs whose values have different shapes, all of which broadcast to (2, 3)."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import minigrad as mg
from tests.helpers.random_programs import straight_line

SHAPES = [(), (1,), (3,), (1, 3), (2, 1), (2, 3)]


@mg.custom_gradient
def cubed(x):
    """x**3 with its rule written by hand, from what the function computed."""
    y = x * x

    def grad(dy):
        slope = 3.0 * y
        return dy * slope

    return y * x, grad


@mg.custom_gradient
def sum_and_gap(a, b):
    def grad(d_sum, d_gap):
        return mg.sum_to(d_sum + d_gap, a.shape), mg.sum_to(d_sum - d_gap, b.shape)

    return (a + b, a - b), grad


MOVES = {
    "add": (2, lambda a, b: a + b),
    "subtract": (2, lambda a, b: a - b),
    "multiply": (2, lambda a, b: a * b),
    "divide": (2, lambda a, b: a / (b * b + 1)),
    "maximum": (2, mg.maximum),
    "where": (2, lambda a, b: mg.where(a > b, a, b)),
    "scale": (1, lambda a: a * 0.5),
    "negative": (1, lambda a: -a),
    "tanh": (1, mg.tanh),
    "exp": (1, lambda a: mg.exp(mg.sin(a))),
    "sigmoid": (1, mg.sigmoid),
    "relu": (1, mg.relu),
    "square": (1, lambda a: mg.tanh(a) ** 2),
    "power": (1, lambda a: (mg.tanh(a) + 2.0) ** 1.5),
    "sum": (1, lambda a: mg.sum(a) * 0.25),
    "mean": (1, lambda a: mg.mean(a, axis=-1, keepdims=True) if a.ndim else a),
    "max": (1, lambda a: mg.max(a, axis=0, keepdims=True) if a.ndim else a),
    "softmax": (1, lambda a: mg.softmax(a) if a.ndim else a),
    "logsumexp": (1, lambda a: mg.logsumexp(a, keepdims=True)),
    "var": (1, lambda a: mg.var(a, axis=-1, keepdims=True) if a.ndim else a),
    "reverse": (1, lambda a: a[..., ::-1] if a.ndim else a),
    "take": (1, lambda a: a[..., [2, 2, 0]] if a.shape[-1:] == (3,) else a),
    "first": (1, lambda a: a[..., :1] if a.ndim else a),
    "rows": (1, lambda a: a[[1, 0, 1]][:2] if a.shape == (2, 3) else a),
    "product": (2, lambda a, b: mg.tanh(mg.swapaxes(a, 0, 1) @ b)[:2] if a.shape == b.shape == (2, 3) else a * b),
    "joined": (2, lambda a, b: mg.concatenate([a, b], 0)[:2] if a.shape == b.shape == (1, 3) else a + b),
    "reshaped": (1, lambda a: mg.transpose(mg.reshape(a, (3, 2))) if a.size == 6 else a),
    "cubed": (1, lambda a: cubed(mg.tanh(a))),
    "both": (2, lambda a, b: mg.multiply(*sum_and_gap(a, b))),
    "one": (2, lambda a, b: sum_and_gap(a, b)[1]),
}  # fmt: skip


@st.composite
def shaped_programs(draw, inputs=2, most=8):
    """A function of `inputs` Tensors that returns a Tensor of shape ()."""
    steps, values = straight_line(draw, MOVES, inputs, most)

    def run(*xs):
        *_, a, b = values(xs)
        return mg.sum(b * a)

    run.__name__ = " ".join(f"{name}{tuple(arguments)}" for name, arguments in steps)
    return run


@st.composite
def shaped_arrays(draw, count=2, dtypes=(np.float32, np.float64)):
    """Arrays of one dtype and of shapes that broadcast to (2, 3), with entries between -2 and 2."""
    dtype = draw(st.sampled_from(dtypes))
    shapes = [draw(st.sampled_from(SHAPES)) for _ in range(count)]
    entries = st.floats(-2, 2, allow_nan=False, width=16)
    return [
        np.array(draw(st.lists(entries, min_size=n, max_size=n)), dtype).reshape(shape)[()]
        for shape, n in zip(shapes, (int(np.prod(shape)) for shape in shapes))
    ]
