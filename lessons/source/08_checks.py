"""Lesson 8, rules with variables: what its exercises compute. Answers and hints are in 08_hidden.py."""

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
    if got.shape != np.shape(true) or not np.allclose(got, true, rtol=1e-5):
        return f"the gradient of {what} is {text(got)}. It should be {text(true)}."
    return None


def text(value):
    return np.array2string(np.asarray(value, dtype=float), separator=", ", precision=6).replace("\n", "")


def gradients_of(function, x, variables, upstream):
    """The gradients of x and of the variables through the student's function, and the value."""
    x = mg.constant(x, dtype="float64")
    y = function(x)
    upstream = mg.constant(np.broadcast_to(upstream, y.shape), dtype="float64")
    return y, mg.gradients(y, [x, *variables], grad_ys=[upstream])


def compared(where, function, x, value, expected, upstream):
    """True, or a sentence about the value, the rule or a gradient. `expected`: (name, Variable or None, gradient)."""
    y, got = gradients_of(function, x, [v for _, v, _ in expected if v is not None], upstream)
    if not np.allclose(y.numpy(), value):
        return f"{where}: the value is {text(y.numpy())}. It should be {text(value)}."
    for (what, _, true), gradient in zip(expected, got):
        wrong = differs(what, gradient, true)
        if wrong:
            return f"{where}: {wrong}"
    return type(y.op).__name__ == "CustomCall" or f"{where}: the result does not come from a rule of your own."


def variable(value, name):
    return mg.Variable(np.array(value, dtype=float), name=name)


LINES = [
    ([1.0, 1.0], [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
    ([2.0, 5.0], [1.0, 2.0, 3.0], [1.0, 10.0, 100.0]),
    ([2.0, 5.0], [-1.0, 0.0], [3.0, -2.0]),
    ([0.0, 3.0], 2.0, 1.0),
    ([2.0, 5.0], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 10.0]]),
]


def line_is_right(make_linear_poly, weights, x, upstream):
    held = variable(weights, "weights")
    x, upstream = np.array(x), np.array(upstream)
    expected = [
        ("x", None, upstream * weights[1]),
        ("weights", held, np.array([upstream.sum(), (upstream * x).sum()])),
    ]
    where = f"weights {text(weights)}, x = {text(x)}, upstream {text(upstream)}"
    return compared(where, make_linear_poly(held), x, weights[1] * x + weights[0], expected, upstream)


@exercise("make_linear_poly", points=3, function="make_linear_poly(weights, x, upstream)")
def make_linear_poly(c):
    c.property(
        "the gradients of x and of weights, by a rule",
        line_is_right,
        vary=(),
        points=LINES,
    )


LAYERS = [
    ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ("W", "b")),
    ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ("w", "b")),
    ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ("kernel", "bias")),
    ([[1.0, 2.0], [3.0, 4.0]], ("w2", "w10")),
]


def layer_is_right(dense_with_rule, weights, names):
    weights = np.array(weights)
    W, b = variable(weights, names[0]), variable([0.5, -0.5], names[1])
    x = np.arange(1.0, 2 * len(weights) + 1).reshape(2, -1)
    upstream = np.array([[1.0, 10.0], [100.0, 1000.0]])
    expected = [("x", None, upstream @ weights.T), ("W", W, x.T @ upstream), ("b", b, upstream.sum(axis=0))]
    where = f"Variables named {names[0]} and {names[1]}, W of shape {weights.shape}"
    return compared(where, dense_with_rule(W, b), x, x @ weights + [0.5, -0.5], expected, upstream)


@exercise("dense_with_rule", points=3, function="dense_with_rule(weights, names)")
def dense_with_rule(c):
    c.property(
        "the gradients of x, W and b, whatever the Variables are called",
        layer_is_right,
        vary=(),
        points=LAYERS,
    )


FROZEN = [
    (2.0, 5.0, [1.0, 2.0, 3.0], [1.0, 10.0, 100.0], ("w", "b")),
    (2.0, 5.0, [1.0, 2.0, 3.0], [1.0, 10.0, 100.0], ("a", "z")),
    (3.0, 1.0, 4.0, 2.0, ("w", "b")),
    (0.0, 0.0, [1.0, 2.0], [1.0, 1.0], ("w10", "w9")),
]


def one_is_frozen(freeze_by_rule, w, b, x, upstream, names):
    W, B = variable(w, names[0]), variable(b, names[1])
    x, upstream = np.array(x), np.array(upstream)
    expected = [("x", None, upstream * w), ("w", W, None), ("b", B, upstream.sum())]
    where = f"w = {w:g} named {names[0]}, b = {b:g} named {names[1]}, x = {text(x)}, upstream {text(upstream)}"
    return compared(where, freeze_by_rule(W, B), x, w * x + b, expected, upstream)


@exercise("freeze_by_rule", points=2, function="freeze_by_rule(w, b, x, upstream, names)")
def freeze_by_rule(c):
    c.property(
        "b and x get their gradients, w gets None",
        one_is_frozen,
        vary=(),
        points=FROZEN,
    )
