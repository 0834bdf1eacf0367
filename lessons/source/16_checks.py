"""Lesson 16, a rule is a claim: what its exercises compute. Answers and hints are in 16_hidden.py."""

import math

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, floats, mistake


def log_cosh_of(x):
    size = abs(x)
    return size + math.log1p(math.exp(-2 * size)) - math.log(2)


anywhere = floats(-1000, 1000, also=(0.0, 1.0, -2.0, 1000.0, -1000.0))
near = floats(-3, 3, also=(0.5, -1.0, 2.0))

overflow = mistake("exp of a large number", "cosh(1000) is inf. Write the value as |x| + log(1 + exp(-2|x|)) - log(2).")
two = mistake("log(2) is left in", "cosh(0) is 1, so the value at 0 is 0.")
sign_of_x = mistake("the slope far away", "That is the slope of |x|. Near 0 the slope is tanh(x), which is about x.")
slope_of_slope = mistake("the slope's own slope", "The slope of log(cosh(x)) is tanh(x); 1 - tanh(x)² is the next one.")


@exercise("log_cosh", points=3, function="log_cosh(x)")
def log_cosh(c):
    c.value(
        log_cosh_of,
        vary=(anywhere,),
        says="the value is log(cosh(x)), at every size",
        looks_like={two: lambda x: log_cosh_of(x) + math.log(2)},
    )
    c.custom(vary=(anywhere,))
    c.derivative(
        "the gradient is upstream * tanh(x)",
        vary=(anywhere,),
        slope=lambda x: math.tanh(x),
        looks_like={
            sign_of_x: lambda x, upstream: upstream * np.sign(x),
            slope_of_slope: lambda x, upstream: upstream * (1 - math.tanh(x) ** 2),
        },
    )
    curvature = lambda x: 1 - math.tanh(x) ** 2
    c.derivative("and the second derivative", vary=(near,), slope=curvature, order=2)
    c.derivative("which is finite far away", vary=(anywhere,), slope=curvature, order=2)
    c.linear(vary=(near,), order=2)


def text(v):
    return np.array2string(np.asarray(v, float), separator=", ", precision=5).replace("\n", "")


def loss_is_right(make_loss, width, x, upstream, name):
    """The value of a loss, and its gradients for x and for the Variable, by a rule."""
    held = mg.Variable(np.array(width), name=name)
    x, u = np.array(x), np.array(upstream)
    where = f"x = {text(x)}, width {width:g}, upstream {text(u)}"
    t = mg.constant(x, dtype="float64")
    y = make_loss(held)(t)
    value = np.vectorize(log_cosh_of)(width * x)
    if not isinstance(y, mg.Tensor) or y.shape != value.shape or not np.allclose(y.numpy(), value):
        return f"{where}: the value is {y!r}. It should be {text(value)}."
    if type(y.op).__name__ != "CustomCall":
        return mistake(mistake.no_rule.name, f"{where}: the result does not come from a rule of your own.")
    found = mg.gradients(y, [t, held], grad_ys=[mg.constant(u, dtype="float64")])
    slope = np.tanh(width * x)
    cases = {
        "x": (
            u * slope * width,
            {"forgot the upstream gradient": slope * width, "without the inner slope": u * slope},
        ),
        "width": (
            np.sum(u * slope * x),
            {
                "forgot the upstream gradient": np.sum(slope * x),
                "without the inner slope": np.sum(u * slope),
                "the gradient is not added up": u * slope * x,
            },
        ),
    }
    for g, (what, (true, usual)) in zip(found, cases.items()):
        if g is None:
            return f"{where}: no gradient arrives at {what}."
        g = g.numpy()
        if g.shape != np.shape(true) or not np.allclose(g, true):
            words = f"{where}: the gradient of {what} is {text(g)}. It should be {text(true)}."
            near = [n for n, v in usual.items() if np.shape(v) == g.shape and np.allclose(g, v)]
            return mistake(near[0], words) if near else words
    return True


def second_is_right(make_loss, width, x, upstream, name):
    """How the gradient of x depends on the Variable, and both gradients on the upstream gradient."""
    width_of_loss = mg.Variable(np.array(width), name=name)
    x, u = np.array(x), np.array(upstream)
    where = f"x = {text(x)}, width {width:g}, upstream {text(u)}"
    t = mg.constant(x, dtype="float64")
    arrived = mg.constant(u, dtype="float64")
    slope_of_x, slope_of_width = mg.gradients(make_loss(width_of_loss)(t), [t, width_of_loss], grad_ys=arrived)
    (mixed,) = mg.gradients(mg.sum(slope_of_x), width_of_loss)
    with np.errstate(over="ignore"):
        bend = 1 / np.cosh(width * x) ** 2
    by_both = u * (np.tanh(width * x) + width * x * bend)
    true = np.sum(by_both)
    if mixed is None or not np.allclose(mixed.numpy(), true):
        got = "None" if mixed is None else text(mixed.numpy())
        words = f"{where}: the gradient of x depends on width by {got}. It should be {text(true)}."
        return mistake(
            "width is taken for a number", f"{words} Compute with the Variable itself, not with float(width)."
        )
    for what, slope, trues in (
        ("x", mg.sum(slope_of_x), (u * width**2 * bend, true)),
        ("width", slope_of_width, (by_both, np.sum(u * x**2 * bend))),
    ):
        for by, got, true in zip(("x", "width"), mg.gradients(slope, [t, width_of_loss]), trues):
            if got is None or got.shape != np.shape(true) or not np.allclose(got.numpy(), true):
                got = "None" if got is None else text(got.numpy())
                words = f"{where}: the gradient of {what} depends on {by} by {got}. It should be {text(true)}."
                return mistake(mistake.second_lost.name, words)
    backs = [mg.gradients(slope, arrived)[0] for slope in (slope_of_x, slope_of_width)]
    trues = [np.tanh(width * x) * width, np.tanh(width * x) * x]
    if any(back is None or not np.allclose(back.numpy(), true) for back, true in zip(backs, trues)):
        lost = mistake.upstream_lost
        return mistake(lost.name, f"{where}: the gradients are right. {lost.says}")
    return True


LOSSES = [
    (1.0, [0.5, -1.0], [1.0, 1.0], "width"),
    (2.0, [0.5, -1.0, 3.0], [1.0, -2.0, 10.0], "w"),
    (0.3, [[1.0, 2.0], [-4.0, 0.0]], [[1.0, 10.0], [100.0, 7.0]], "scale"),
    (1.0, [1000.0, -1000.0], [2.0, 3.0], "width"),
]


@exercise("make_loss", points=3, function="make_loss(width, x, upstream, name)")
def make_loss(c):
    c.property("the gradients of x and of the Variable, by a rule", loss_is_right, vary=(), points=LOSSES)
    c.property("and the second derivative, for both", second_is_right, vary=(), points=LOSSES)
