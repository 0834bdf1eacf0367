"""Lesson 12, lying on purpose: what its exercises compute. Answers and hints are in 12_hidden.py."""

import math

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, floats, mistake

real = floats(-20, 20, also=(3.0, 0.5, -3.0))
dead = mistake("no slope beyond 1", "Where the error is large the loss is flat, and nothing is learned.")
unhalved = mistake("without the half", "The slopes of the two parts must meet at 1: 0.5 * delta * delta.")
no_shift = mistake("the parts do not meet", "At 1 the first part is 0.5: abs(delta) - 0.5.")


@exercise("dqn_loss", points=2, function="dqn_loss(delta)")
def dqn_loss(c):
    value = lambda d: 0.5 * d * d if abs(d) < 1 else abs(d) - 0.5
    c.value(
        value,
        vary=(real,),
        says="half the square up to 1, and a straight line beyond",
        looks_like={
            dead: lambda d: min(max(d, -1.0), 1.0) ** 2,
            mistake("no slope beyond 1, halved", dead.says): lambda d: 0.5 * min(max(d, -1.0), 1.0) ** 2,
            unhalved: lambda d: d * d if abs(d) < 1 else abs(d) - 0.5,
            no_shift: lambda d: 0.5 * d * d if abs(d) < 1 else abs(d),
            mistake(
                "half the square everywhere", "Beyond 1 the loss is a straight line: abs(delta) - 0.5."
            ): lambda d: 0.5 * d * d,
        },
    )
    c.derivative(
        "the gradient is the error, clipped to -1 .. 1",
        vary=(real,),
        slope=lambda d: min(max(d, -1.0), 1.0),
        given_value=True,
        looks_like={dead: lambda d, u: u * (d if abs(d) < 1 else 0.0)},
    )


def text(v):
    return np.array2string(np.asarray(v, float), precision=5, separator=", ")


#: Rounding of float64, so that a rule in float32 is not enough.
NEAR = {"rtol": 1e-12, "atol": 1e-15}


def ruled(f, where, x, upstream, more, true, slope, named):
    """The verdict on a function with the value x and the gradient `true`, whose slope for the upstream is `slope`."""
    at, u = mg.constant(x, dtype="float64"), mg.constant(upstream, dtype="float64")
    y = f(at, *more)
    if isinstance(y, tuple) and len(y) == 2 and callable(y[1]):
        return mistake.no_decorator
    if not isinstance(y, mg.Tensor):
        what = "None" if y is None else "a function" if callable(y) else f"of type {type(y).__name__}"
        return f"{where}: the result is {what}. It should be a Tensor, with the value {text(x)}."
    if y.shape != np.shape(x) or not np.allclose(y.value, x, **NEAR):
        return mistake("the value is changed", f"{where}: the value is {text(y.value)}. It should stay {text(x)}.")
    try:
        (found,) = mg.gradients(y, at, grad_ys=u)
    except ValueError as error:
        if "returned None" in str(error):
            return mistake.rule_none
        if "returned 1 gradient" in str(error):
            return mistake(
                "nothing is returned for the second input", f"{error}. Return a pair: the gradient, and None."
            )
        raise
    if found is None:
        return mistake("no gradient for x", f"{where}: the gradient of x is None.")
    g = found.numpy()
    if g.shape == np.shape(true) and np.allclose(g, true, **NEAR):
        (back,) = mg.gradients(found, u)
        slopes = np.broadcast_to(slope, np.shape(true))
        if not np.allclose(0.0 if back is None else back.numpy(), slopes, **NEAR):
            lost = mistake.upstream_lost
            return mistake(lost.name, f"{where}: the gradient is right. {lost.says}")
        return True
    words = f"{where}: the gradient is {text(g)}. It should be {text(true)}."
    return next((mistake(n, words) for n, w in named.items() if np.shape(w) == g.shape and np.allclose(g, w)), words)


CLIPS = [
    ([0.5, 3.0, -2.0], [5.0, -7.0, 0.25], 2.0),
    ([3.0, -2.0, 0.5], [5.0, -7.0, 0.25], 6.0),
    (2.0, 0.5, 0.1),
    ([[1.0, 9.0]], [[-0.3, 0.2]], 0.25),
    ([[1.0, 9.0, 0.1], [0.7, -2.0, 4.0]], [[-0.3, 0.2, 0.7], [0.1, -0.9, 0.4]], 0.6),
]


def clips(clip_gradient, x, upstream, limit):
    x, u = np.array(x), np.array(upstream)
    norm = np.sqrt(np.sum(u * u))
    where = f"x = {text(x)}, upstream {text(u)}, limit {limit:g}"
    return ruled(
        clip_gradient,
        where,
        x,
        u,
        (limit,),
        np.clip(u, -limit, limit),
        1.0 * (abs(u) <= limit),
        {
            "the limit is not used": np.clip(u, -1, 1),
            "the value is clipped, not the gradient": np.where(abs(x) <= limit, u, 0.0),
            "nothing is clipped": u,
            "only from above": np.minimum(u, limit),
            "only from below": np.maximum(u, -limit),
            "large gradients are dropped": np.where(abs(u) <= limit, u, 0.0),
            "only the sign is left": limit * np.sign(u),
            "the input is clipped": np.clip(x, -limit, limit),
            "clipped by its length": u * min(1.0, limit / norm),
            "the sign is flipped": -np.clip(u, -limit, limit),
        },
    )


@exercise("clip_gradient", points=2, function="clip_gradient(x, upstream, limit)")
def clip_gradient(c):
    c.property("the value stays, the gradient is clipped", clips, vary=(), points=CLIPS)


@exercise("straight_through", points=2, function="straight_through(x)")
def straight_through(c):
    c.value(
        np.round,
        vary=(real,),
        says="the value is rounded",
        looks_like={
            mistake("the value is not rounded", "The lie is in the gradient; the value is round(x)."): lambda x: x,
            mistake("rounded down", "mg.round, not mg.floor."): np.floor,
        },
    )
    c.derivative(
        "the gradient is that of x itself",
        vary=(real,),
        slope=lambda x: 1.0,
        word="{} asked for",
        given_value=True,
        looks_like={mistake("the true slope", "round is flat: that is why it cannot learn."): lambda x, u: 0.0 * u},
    )
    c.linear(vary=(real,), order=2)


outside = mistake(
    "also outside of -1 .. 1", "Beyond 1 the gradient is 0: weights that are far out stay where they are."
)


@exercise("binarize", points=2, function="binarize(x)")
def binarize(c):
    near = floats(-3, 3, also=(-2.0, 2.0, 0.5, 1.0, 0.0, -1.0, 0.75))
    c.value(
        lambda x: 1.0 if x >= 0 else -1.0,
        vary=(near,),
        says="1 or -1, and 1 at 0",
        looks_like={
            mistake("0 at 0", "sign(0) is 0. A weight of one bit has only two values."): np.sign,
            mistake("0 and 1", "The two values are -1 and 1."): lambda x: 1.0 if x >= 0 else 0.0,
        },
    )
    c.derivative(
        "upstream where |x| is at most 1, 0 elsewhere",
        vary=(near,),
        slope=lambda x: 1.0 * (abs(x) <= 1),
        given_value=True,
        word="{} asked for",
        looks_like={
            outside: lambda x, u: u,
            mistake("the ends are left out", "At 1 and at -1 the gradient passes."): lambda x, u: u * (abs(x) < 1),
            mistake("only from above", "Below -1 it is 0 as well."): lambda x, u: u * (x <= 1),
            mistake("inside out", "Inside it passes, outside it does not."): lambda x, u: u * (abs(x) > 1),
            mistake("the slope of tanh", "A softer lie; asked for is the plain one."): lambda x, u: (
                u * (1 - np.tanh(x) ** 2)
            ),
        },
    )
    c.custom(vary=(near,))
    c.linear(vary=(floats(-1, 1, also=(0.5, -0.75)),), order=2)  # where something passes


TURNS = [
    ([3.0, -2.0], [5.0, -7.0], 0.25),
    ([3.0, -2.0], [5.0, -7.0], 1.0),
    (2.0, 3.0, 0.0),
    ([1.0, 2.0], [0.0, 4.0], 2.0),
    ([[0.1, -2.0, 0.7], [3.0, 0.3, -0.9]], [[0.3, 5.0, -0.1], [0.7, -2.0, 0.9]], 0.6),
]


def turns(reverse_gradient, x, upstream, strength):
    x, u = np.array(x), np.array(upstream)
    where = f"x = {text(x)}, upstream {text(u)}, strength {strength:g}"
    return ruled(
        reverse_gradient,
        where,
        x,
        u,
        (strength,),
        -strength * u,
        -strength,
        {
            "not reversed": strength * u,
            "the strength is not used": -u,
            "passed on unchanged": u,
            "forgot the upstream gradient": -strength + 0 * u,
            "added instead of multiplied": u - strength,
            "the input is reversed": -strength * x,
            "divided by the strength": -u / strength if strength else math.nan * u,
            "multiplied by the input": -strength * u * x,
            "one divided by it": -1 / (strength * u) if strength and np.all(u) else math.nan * u,
        },
    )


@exercise("reverse_gradient", points=2, function="reverse_gradient(x, upstream, strength)")
def reverse_gradient(c):
    c.property("the value stays, the gradient is turned round", turns, vary=(), points=TURNS)
