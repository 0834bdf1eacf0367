"""Random programs for the laws: straight-line code over a few inputs, run on Tensors or on arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import minigrad as mg

#: name -> (number of arguments, function). All are smooth, with values of moderate size.
MOVES = {
    "add": (2, lambda a, b: a + b),
    "subtract": (2, lambda a, b: a - b),
    "multiply": (2, lambda a, b: a * b),
    "scale": (1, lambda a: 0.5 * a),
    "shift": (1, lambda a: a + 0.25),
    "tanh": (1, mg.tanh),
    "sin": (1, mg.sin),
    "sigmoid": (1, mg.sigmoid),
    "smooth_abs": (1, lambda a: mg.sqrt(a * a + 1)),
    "divide": (2, lambda a, b: a / (b * b + 1)),
    "square": (1, lambda a: mg.tanh(a) ** 2),
}


def straight_line(draw, moves, inputs, most):
    """Random moves on the existing values: the steps, and a function that runs them and returns all values."""
    steps = []
    for k in range(inputs, inputs + draw(st.integers(1, most))):
        name = draw(st.sampled_from(sorted(moves)))
        steps.append((name, [draw(st.integers(0, k - 1)) for _ in range(moves[name][0])]))

    def values(xs):
        known = list(xs)
        for name, arguments in steps:
            known.append(moves[name][1](*(known[i] for i in arguments)))
        return known

    return steps, values


@st.composite
def programs(draw, inputs=2, most=12):
    """A function of `inputs` Tensors of one shape that returns a Tensor of that shape."""
    steps, values = straight_line(draw, MOVES, inputs, most)

    def run(*xs):
        return values(xs)[-1] + 0.0 * xs[0] + 0.0 * xs[-1]

    run.steps = steps
    return run


def transformer(x, blocks):
    """Blocks of two named parts each, as large models have."""
    for block in range(blocks):
        with mg.scope(f"block {block}"):
            with mg.scope("attention"):
                x = mg.tanh(x * 0.5) + x
            with mg.scope("mlp"):
                x = mg.sin(mg.exp(x * 0.1)) + x * 0.5
    return x


def arrays(shape=(3,)):
    """Arrays of float64 with entries between -2 and 2."""
    size = int(np.prod(shape))
    entries = st.floats(-2, 2, allow_nan=False, width=32)
    return st.lists(entries, min_size=size, max_size=size).map(lambda v: np.array(v, float).reshape(shape))


def numeric_gradient(f, *xs, step=1e-6):
    """Central differences of the number f(*xs) with respect to each element of each of the float64 arrays xs."""
    grads = []
    for i, x in enumerate(xs):
        g = np.zeros_like(x)
        for place in np.ndindex(x.shape):
            sides = []
            for sign in (1, -1):
                moved = [np.array(other) for other in xs]
                moved[i][place] += sign * step
                sides.append(float(f(*(mg.constant(m) for m in moved))))
            g[place] = (sides[0] - sides[1]) / (2 * step)
        grads.append(g)
    return grads
