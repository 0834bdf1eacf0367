"""The checks of hw8: students receive this file next to their notebook. It holds no answer; see hidden.py."""

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise


def differs(what, got, true):
    """A sentence about a gradient that is not the true one, or None."""
    if true is None:
        return None if got is None else f"the gradient of {what} is {text(got)}. It should be None."
    if got is None:
        return f"the gradient of {what} is None. It should be {text(true)}."
    got = np.asarray(got.numpy(), dtype=float)
    if got.shape != np.shape(true) or not np.allclose(got, true, rtol=1e-9):
        return f"the gradient of {what} is {text(got)}. It should be {text(true)}."
    return None


def text(value):
    return np.array2string(np.asarray(value, dtype=float), separator=", ", precision=6).replace("\n", "")


def gradients_of(function, x, variables, upstream):
    """The gradients of x and of the variables through the student's function, the value, and the Tensor x itself."""
    x = mg.constant(x, dtype="float64")
    y = function(x)
    upstream = mg.constant(np.broadcast_to(upstream, y.shape), dtype="float64")
    return x, y, mg.gradients(y, [x, *variables], grad_ys=[upstream])


def compared(where, function, x, value, expected, upstream):
    """True, or a sentence about the value, the rule or a gradient. `expected`: (name, Variable or None, gradient)."""
    x, y, got = gradients_of(function, x, [v for _, v, _ in expected if v is not None], upstream)
    if y.shape != np.shape(value) or not np.allclose(y.numpy(), value, rtol=1e-9):
        return f"{where}: the value is {text(y.numpy())}. It should be {text(value)}."
    for (what, _, true), gradient in zip(expected, got):
        wrong = differs(what, gradient, true)
        if wrong:
            return f"{where}: {wrong}"
    own = type(y.op).__name__ == "CustomCall" and any(node is x for node in y.args)
    return own or f"{where}: the result does not come from a rule of your own, for a function of x."


def variable(value, name):
    return mg.Variable(np.array(value, dtype=float), name=name)


def quadratic_is_right(make_quadratic, weights, x, upstream):
    held = variable(weights, "weights")
    x, upstream = np.array(x), np.array(upstream)
    expected = [
        ("x", None, upstream * (weights[1] + 2 * weights[2] * x)),
        ("weights", held, np.array([upstream.sum(), (upstream * x).sum(), (upstream * x * x).sum()])),
    ]
    where = f"weights {text(weights)}, x = {text(x)}, upstream {text(upstream)}"
    value = weights[0] + weights[1] * x + weights[2] * x * x
    return compared(where, make_quadratic(held), x, value, expected, upstream)


@exercise("make_quadratic", points=3, function="make_quadratic(weights, x, upstream)")
def make_quadratic(c):
    points = [
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
        ([2.0, 5.0, -3.0], [1.0, 2.0], [1.0, 10.0]),
        ([0.1, -1.3, 0.7], [0.3, -0.9, 1.1, 0.6, 2.2], [0.2, 1.7, -0.4, 0.9, 3.1]),
    ]
    c.property("the gradients of x and of weights, by a rule", quadratic_is_right, vary=(), points=points)


def line_is_right(make_line, w, b, factor, x, upstream, names):
    W, B = variable(w, names[0]), variable(b, names[1])
    x, upstream = np.array(x), np.array(upstream)
    expected = [
        ("x", None, upstream * w),
        ("w", W, factor * (upstream * x).sum()),
        ("b", B, upstream.sum()),
    ]
    where = f"w = {w:g} named {names[0]}, b = {b:g} named {names[1]}, factor {factor:g}, x = {text(x)}"
    return compared(where, make_line(W, B, factor), x, w * x + b, expected, upstream)


@exercise("make_line", points=3, function="make_line(w, b, factor, x, upstream, names)")
def make_line(c):
    points = [
        (2.0, 5.0, 3.0, [1.0, 2.0, 3.0], [1.0, 10.0, 100.0], ("w", "b")),
        (2.0, 5.0, 0.5, 4.0, 2.0, ("w", "b")),
        (0.7, -1.3, 0.1, [0.3, -0.9, 1.1, 0.6, 2.2], [0.2, 1.7, -0.4, 0.9, 3.1], ("slope", "offset")),
    ]
    c.property("the gradients of x, w and b, by a rule", line_is_right, vary=(), points=points)
