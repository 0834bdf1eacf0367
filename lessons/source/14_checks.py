"""Lesson 14, differentiate the answer: what its exercises compute. Answers and hints are in 14_hidden.py."""

import math

import numpy as np

import minigrad as mg
from minigrad.classroom import arrays, exercise, floats, mistake
from minigrad.classroom.truth import each

frozen = mistake(
    "stopped one step after the answer",
    "That is how far one more step moves the answer. It must move until the equation holds again: divide by 1 "
    "minus the slope of the step.",
)
value = mistake("the 2 is missing", "If y is nudged by dy, y * y changes by 2 y dy: the slope is 1 / (2 y).")
swapped = mistake("the gradients are in the wrong order", "They belong in the order of the inputs.")
sine_lost = mistake("the same gradient for M and e", "E = M + e sin(E): a step moves by 1 per M, and by sin(E) per e.")
plus = mistake(
    "the sign of the step's slope",
    "slope = slope of the step * slope + ...: bring it to the left side, and it is 1 minus.",
)

positive = floats(0.01, 400, also=(4.0, 1.0, 9.0, 0.25))


@exercise("newton_sqrt", points=2, function="newton_sqrt(a)")
def newton_sqrt(c):
    c.value(np.sqrt, vary=(positive,), says="the value is the square root of a")
    c.derivative(
        "the gradient is upstream / (2 sqrt(a))",
        vary=(positive,),
        slope=lambda a: 0.5 / np.sqrt(a),
        given_value=True,
        looks_like={
            value: lambda a, upstream: upstream / np.sqrt(a),
            mistake(
                "divided by a instead of its root", "2 y dy = da: the slope is 1 / (2 y), with one y. y * y is a."
            ): lambda a, upstream: upstream / (2 * a),
        },
    )
    c.derivative(
        "and the second derivative", vary=(positive,), slope=lambda a: -0.25 * a**-1.5, order=2, given_value=True
    )
    c.custom(vary=(positive,))
    c.without("sqrt", "rsqrt", "cbrt", "norm", "hypot", vary=(positive,))
    c.small(nodes=40, constants=20, vary=(positive,), part="rule", says="the rule does not go back through the loop")
    c.linear(vary=(positive,), order=2)


def anomaly(M, e):
    E = float(M)
    for _ in range(200):
        E = M + e * math.sin(E)
    return E


sky = (floats(0.5, 3.0, also=(1.0, 2.0)), floats(0.0, 0.5, also=(0.5, 0.2056, 0.0)))


def slopes(M, e):
    E = anomaly(M, e)
    v = 1 / (1 - e * math.cos(E))
    return v, v * math.sin(E)


def on_orbit(M, e):
    """The anomaly, with right first and second derivatives: a step of Newton's method adds at least one order."""
    E = mg.constant(each(anomaly, M.numpy(), e.numpy()))
    for _ in range(2):
        E = E - (E - e * mg.sin(E) - M) / (1 - e * mg.cos(E))
    return E


@exercise("kepler", points=3, function="kepler(M, e)")
def kepler(c):
    c.value(anomaly, vary=sky, says="the value solves E = M + e sin(E)")
    one = lambda M, e: (1.0, math.sin(anomaly(M, e)))
    minus = lambda M, e: tuple(s / (1 + e * math.cos(anomaly(M, e))) for s in one(M, e))
    c.derivative(
        "the gradients for M and e",
        vary=sky,
        slope=slopes,
        given_value=True,
        looks_like={
            frozen: lambda M, e, upstream: tuple(upstream * s for s in one(M, e)),
            swapped: lambda M, e, upstream: tuple(upstream * s for s in slopes(M, e)[::-1]),
            sine_lost: lambda M, e, upstream: (upstream * slopes(M, e)[0],) * 2,
            plus: lambda M, e, upstream: tuple(upstream * s for s in minus(M, e)),
        },
    )
    c.custom(vary=sky)
    c.small(nodes=40, constants=20, vary=sky, part="rule", says="the rule does not go back through the loop")
    c.linear(vary=sky, order=2)
    c.bends(on_orbit, vary=sky)


TABLES = [
    ([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1.0, 2.0, 4.0], 1.0, [1.0, 10.0]),
    ([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], [1.0, -1.0, 2.0], 0.5, [1.0, -3.0]),
    (
        [[1.0, 2.0, 3.0], [0.0, 1.0, -1.0], [2.0, 2.0, 0.5], [1.0, 0.0, 0.0]],
        [3.0, 1.0, -2.0, 1.0],
        2.0,
        [1.0, 10.0, 100.0],
    ),
]


def text(v):
    return np.array2string(np.asarray(v, float), separator=", ", precision=5).replace("\n", "")


def ridge_is_right(make_ridge, X, y, strength, upstream):
    X, y, u = np.array(X), np.array(y), np.array(upstream)
    A = X.T @ X + strength * np.eye(X.shape[1])
    w = np.linalg.solve(A, X.T @ y)
    v = np.linalg.solve(A, u)
    yt, st = mg.constant(y, dtype="float64"), mg.constant(strength, dtype="float64")
    got = make_ridge(X)(yt, st)
    where = f"X of shape {X.shape}, y = {text(y)}, strength {strength:g}, upstream {text(u)}"
    if got.shape != w.shape or not np.allclose(got.numpy(), w, rtol=1e-6):
        return f"{where}: the value is {text(got.numpy())}. It should be {text(w)}."
    found = mg.gradients(got, [yt, st], grad_ys=[mg.constant(u, dtype="float64")])
    true = [X @ v, -np.sum(v * w)]
    usual = [
        {
            "not solved: multiplied by the matrix": X @ (A @ u),
            "the system was left out": X @ u,
            "forgot the upstream gradient": X @ np.linalg.solve(A, np.ones_like(u)),
            "the sign is flipped": -true[0],
        },
        {
            "the sign is flipped": np.sum(v * w),
            "the system was left out": -np.sum(u * w),
            "forgot the upstream gradient": -np.sum(np.linalg.solve(A, np.ones_like(u)) * w),
            "the gradient is not added up": -v * w,
        },
    ]
    for what, g, t, names in zip(("y", "strength"), found, true, usual):
        if g is None:
            return f"{where}: no gradient arrives at {what}."
        g = g.numpy()
        if g.shape != np.shape(t) or not np.allclose(g, t, rtol=1e-6, atol=1e-9):
            words = f"{where}: the gradient of {what} is {text(g)}. It should be {text(t)}."
            name = next((n for n, o in names.items() if np.shape(g) == np.shape(o) and np.allclose(g, o)), None)
            return mistake(name, words) if name else words
    if type(got.op).__name__ != "CustomCall":
        return mistake(mistake.no_rule.name, f"{where}: the result does not come from a rule of your own.")
    return ridge_bends(make_ridge, X, y, strength, u, where)


def ridge_bends(make_ridge, X, y, strength, u, where):
    """Whether the gradients of the gradients are right: for y, the strength and the upstream gradient."""

    def derived(y, strength):
        A = X.T @ X + strength * mg.eye(X.shape[1], dtype=X.dtype)
        return mg.solve(A, X.T @ y)

    def bends(ridge):
        xs = [mg.constant(a, dtype="float64") for a in (y, strength, u)]
        of_y, of_strength = mg.gradients(ridge(*xs[:2]), xs[:2], grad_ys=xs[2])
        return mg.gradients(mg.sum(of_y * mg.sin(of_y)) + mg.square(of_strength), xs)

    for what, g, t in zip(("y", "the strength", "the upstream gradient"), bends(make_ridge(X)), bends(derived)):
        if g is None or g.shape != t.shape or not np.allclose(g.value, t.value, rtol=1e-5, atol=1e-8):
            return mistake(
                "the second derivative is lost",
                f"{where}: the gradients are right, and their own gradients for {what} are not. Let the rule compute "
                "with the Tensors A, w and upstream, not with their numbers.",
            )
    return True


@exercise("make_ridge", points=3, function="make_ridge(X, y, strength, upstream)")
def make_ridge(c):
    c.property("the gradients of y and strength, by a rule", ridge_is_right, vary=(), points=TABLES)


def middle_of(x):
    x = np.asarray(x, float)
    y, before = np.mean(x), np.inf
    while abs(y - before) > 1e-14 * abs(y):
        w = 1 / np.sqrt(1 + ((x - y) / 3) ** 2)
        y, before = np.sum(w * x) / np.sum(w), y
    return y


@mg.custom_gradient
def settled(x):  # by the formula, since 30 steps back at each input take seconds; a test compares the two
    def grad(upstream):
        b = (1 + ((x - settled(x)) / 3) ** 2) ** -1.5
        return upstream * b / mg.sum(b)

    return mg.constant(middle_of(getattr(x, "value", x))), grad


mean_say = mistake("every point has the same say", "1 / n each is the gradient of the mean.")
weights = mistake(
    "the weights were taken as fixed",
    "They move with the answer. The say of a point is the second derivative of its distance, not its weight.",
)


def bend(x, power):
    y = middle_of(x)
    b = (1 + ((np.asarray(x) - y) / 3) ** 2) ** power
    return b / b.sum()


not_shared = mistake(
    "the says are not divided by their sum",
    "The slopes of all points add up to 1: if all move, the middle moves with them.",
)


@exercise("robust_middle", points=3, function="robust_middle(x)")
def robust_middle(c):
    some = arrays((3,), (4,), (5,))
    first = [(np.array([0.0, 1.0, 10.0]),), (np.array([1.0, 2.0, 3.0, 50.0]),)]
    c.value(middle_of, vary=(some,), at=first, says="the value is the robust middle", rtol=1e-6)
    c.derivative(
        "the say of each point",
        vary=(some,),
        at=[(x[0], 2.0) for x in first],
        forward=settled,
        rtol=1e-5,
        given_value=True,
        looks_like={
            mean_say: lambda x, upstream: upstream * np.full(np.shape(x), 1 / np.size(x)),
            weights: lambda x, upstream: upstream * bend(x, -0.5),
            not_shared: lambda x, upstream: upstream * (1 + ((np.asarray(x) - middle_of(x)) / 3) ** 2) ** -1.5,
        },
    )
    c.custom(vary=(some,))
    c.small(nodes=120, constants=60, vary=(some,), part="rule", says="the rule does not go back through the loop")
    c.linear(vary=(some,), order=2)
    c.bends(settled, vary=(some,))
