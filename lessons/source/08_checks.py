"""Lesson 8, the inputs that nobody passed: what its exercises compute. Answers and hints are in 08_hidden.py."""

import contextlib

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake


def same(got, true):
    if got is None or true is None:
        return got is true
    return np.shape(got) == np.shape(true) and np.allclose(got, true, rtol=1e-5)


def named(got, true, plain, others):
    """The name of the mistake that gives these gradients; None if there is none.

    plain : the true ones for upstream gradients of 1. others : for each gradient what a usual mistake makes of it.
    """
    pairs = [
        (g, t, p, o) for g, t, p, o in zip(got, true, plain, others or [{}] * len(got), strict=True) if not same(g, t)
    ]
    if all(g is None for g, *_ in pairs):
        return "no gradient for an input that has one"
    if all(t is None for _, t, *_ in pairs):
        return "a gradient where None is asked for"
    if all(same(g, p) for g, _, p, _ in pairs):
        return "forgot the upstream gradient"
    if len(pairs) > 1 and same(pairs[0][0], pairs[1][1]) and same(pairs[1][0], pairs[0][1]):
        return "the gradients are in the wrong order"
    (g, _, _, usual), *more = pairs
    return None if more else next((name for name, other in usual.items() if same(g, other)), None)


def text(value):
    if value is None or np.ndim(value) == 0:
        return "None" if value is None else f"{float(value):.6g}"
    return np.array2string(np.asarray(value, dtype=float), separator=", ", precision=6).replace("\n", "")


def gradients_of(function, x, variables, upstream):
    """The gradients of x and of the variables through the student's function, and the value."""
    x = mg.constant(x, dtype="float64")
    y = function(x)
    if not isinstance(y, mg.Tensor) or y.shape != np.shape(upstream):
        return y, None
    return y, mg.gradients(y, [x, *variables], grad_ys=[mg.constant(upstream, dtype="float64")])


def compared(where, function, x, value, variables, expected, upstream, others=None):
    """True, or what is wrong with the value, the rule or a gradient.

    expected : returns the gradients of x and of the Variables for an upstream gradient. others : see `named`.
    """
    if not callable(function):
        return f"{where}: {function!r} is returned; a function of x is expected."
    y, found = gradients_of(function, x, variables, upstream)
    if isinstance(y, tuple) and len(y) == 2 and callable(y[1]):
        return mistake.no_decorator
    if not isinstance(y, mg.Tensor):
        return f"{where}: the function returns {y!r}; a Tensor is expected."
    if found is None:
        return f"{where}: the value has shape {y.shape}. It should have shape {np.shape(value)}."
    got = [None if d is None else np.asarray(d.numpy(), dtype=float) for d in found]
    if not np.allclose(y.numpy(), value):
        return f"{where}: the value is {text(y.numpy())}. It should be {text(value)}."
    true, plain = expected(upstream), expected(np.ones_like(upstream))
    for what, gradient, right in zip(["x", *(v.name for v in variables)], got, true):
        if not same(gradient, right):
            words = f"{where}: the gradient of {what} is {text(gradient)}. It should be {text(right)}."
            name = named(got, true, plain, others)
            return mistake(name, words) if name else words
    if type(y.op).__name__ == "CustomCall":
        return True
    return mistake(mistake.no_rule.name, f"{where}: the result does not come from a rule of your own.")


def variable(value, name):
    return mg.Variable(np.array(value, dtype=float), name=name)


LINES = [
    ([1.0, 1.0], [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
    ([2.0, 5.0], [1.0, 2.0, 3.0], [1.0, 10.0, 100.0]),
    ([2.0, 5.0], [-1.0, 0.0], [3.0, -2.0]),
    ([0.0, 3.0], 2.0, 1.0),
    ([2.0, 5.0], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [2.0, 10.0]]),
]


def line_is_right(make_linear_poly, weights, x, upstream):
    held = variable(weights, "weights")
    x, upstream = np.array(x), np.array(upstream)
    expected = lambda u: [u * weights[1], np.array([u.sum(), (u * x).sum()])]
    others = [
        {"the other weight": upstream * weights[0], "added up for x too": np.sum(upstream * weights[1])},
        {
            "the gradients are in the wrong order": expected(upstream)[1][::-1],
            "the mean instead of the sum": np.array([upstream.mean(), (upstream * x).mean()]),
        },
    ]
    where = f"weights {text(weights)}, x = {text(x)}, upstream {text(upstream)}"
    value = weights[1] * x + weights[0]
    return compared(where, make_linear_poly(held), x, value, [held], expected, upstream, others)


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
    """True, or what is wrong; a gradient that fits the other Variable is named as that."""
    try:
        return layer(dense_with_rule, weights, names)
    except ValueError as error:
        if "truth value of an array" in str(error):
            words = (
                "An array was asked whether it is true. Which Variable v is, `v is W` says; == compares their numbers."
            )
            return mistake("compared with ==", words)
        if (
            "the gradient for variable" not in str(error)
            or outcome(layer, dense_with_rule, weights, names[::-1]) is not True
        ):
            raise
        first, second = sorted(names)
        words = (
            f"Variables named {names[0]} and {names[1]}: here variables is [{first}, {second}], sorted by name, and "
            f"the first gradient is that of {second}. Find out which Variable it is, with `is`."
        )
        return mistake("the gradients are in the wrong order", words)


def outcome(function, *inputs):
    with contextlib.suppress(Exception):
        return function(*inputs)


def layer(dense_with_rule, weights, names):
    weights = np.array(weights)
    W, b = variable(weights, names[0]), variable([0.5, -0.5], names[1])
    rows = 2 if len(weights) == 3 else 4
    x = np.arange(1.0, rows * len(weights) + 1).reshape(rows, -1)
    upstream = np.array([[10.0, 1.0], [100.0, -1000.0], [-2.0, 5.0], [3.0, 7.0]])[:rows]
    expected = lambda u: [u @ weights.T, x.T @ u, u.sum(axis=0)]
    others = [
        {"not transposed": upstream @ weights} if weights.shape == (2, 2) else {},
        {"rows and columns are swapped": upstream.T @ x},
        {"the mean instead of the sum": upstream.mean(axis=0), "added up along the wrong axis": upstream.sum(axis=1)},
    ]
    where = f"Variables named {names[0]} and {names[1]}, W of shape {weights.shape}"
    value = x @ weights + [0.5, -0.5]
    return compared(where, dense_with_rule(W, b), x, value, [W, b], expected, upstream, others)


@exercise("dense_with_rule", points=3, function="dense_with_rule(weights, names)")
def dense_with_rule(c):
    c.property(
        "the gradients of x, W and b, whatever the Variables are called",
        layer_is_right,
        vary=(),
        points=LAYERS,
    )


FROZEN = [
    (2.0, 5.0, [1.0, 2.0, 3.0], [10.0, 1.0, 100.0], ("w", "b")),
    (2.0, 5.0, [1.0, 2.0, 3.0], [10.0, 1.0, 100.0], ("a", "z")),
    (3.0, 1.0, 4.0, 2.0, ("w", "b")),
    (0.0, 0.0, [1.0, 2.0], [1.0, 1.0], ("w10", "w9")),
]


def one_is_frozen(freeze_by_rule, w, b, x, upstream, names):
    W, B = variable(w, names[0]), variable(b, names[1])
    x, upstream = np.array(x), np.array(upstream)
    expected = lambda u: [u * w, None, u.sum()]
    others = [{"forgot the slope": upstream}, {}, {}]
    where = (
        f"w = {w:g} (a Variable named {names[0]}), b = {b:g} (one named {names[1]}), x = {text(x)}, "
        f"upstream {text(upstream)}"
    )
    return compared(where, freeze_by_rule(W, B), x, w * x + b, [W, B], expected, upstream, others)


@exercise("freeze_by_rule", points=2, function="freeze_by_rule(w, b, x, upstream, names)")
def freeze_by_rule(c):
    c.property(
        "b and x get their gradients, w gets None",
        one_is_frozen,
        vary=(),
        points=FROZEN,
    )
