"""Lesson 7, write the rule yourself: what its exercises compute. Answers and hints are in 07_hidden.py."""

import math

import numpy as np

from minigrad.classroom import exercise, floats, mistake

still_infinite = mistake("the slope at 0 is still infinite", "1 / (2 * sqrt(0)) is inf. Return 0 at 0.")
only_the_rule = mistake(
    "the rule is repaired, the value is not",
    "A rule does not touch the value, and exp(x) is still inf there. Compute the value another way.",
)
one_for_all = mistake(
    "the same gradient for every input", "Each input has a slope of its own: a / length for a, b / length for b."
)
kink = mistake(
    "a kink at 0",
    "Your rule is differentiated, too, and abs and relu have no slope at 0: minigrad takes 0 there. sigmoid is smooth.",
)
swapped = mistake("the gradients are in the wrong order", "They belong in the order of the inputs: first a, then b.")


@exercise("safe_sqrt", points=3, function="safe_sqrt(x)")
def safe_sqrt(c):
    positive = floats(0, 100, also=(4.0, 1.0, 0.0, 1e-3, 1e-12, 1e-30))
    c.value(np.sqrt, vary=(positive,), says="the value is the square root of x")
    c.derivative(
        "the gradient is upstream / (2 sqrt(x)), and 0 at x = 0",
        vary=(positive,),
        slope=lambda x: 0.0 if x == 0 else 0.5 / np.sqrt(x),
        word="{} asked for",
        looks_like={
            still_infinite: lambda x, upstream: np.sign(upstream) * math.inf if x == 0 else upstream / (2 * np.sqrt(x)),
            mistake.value_for_slope: lambda x, upstream: upstream * np.sqrt(x),
        },
    )
    c.custom(vary=(positive,))
    c.linear(vary=(positive,))


@exercise("length", points=3, function="length(a, b)")
def length(c):
    plane = (floats(-10, 10, also=(3.0, 0.0, 0.5, 3e-14)), floats(-10, 10, also=(4.0, 0.0, 0.25, 4e-14)))
    c.value(np.hypot, vary=plane, says="the value is the square root of a * a + b * b")

    def true(a, b):
        way = np.hypot(a, b)
        return (a / way, b / way) if way > 0 else (0.0, 0.0)

    c.derivative(
        "the gradients are upstream * a / length and upstream * b / length, and 0 at the origin",
        vary=plane,
        slope=true,
        word="{} asked for",
        looks_like={
            swapped: lambda a, b, upstream: tuple(upstream * s for s in reversed(true(a, b))),
            one_for_all: lambda a, b, upstream: (upstream * true(a, b)[0],) * 2,
        },
    )
    c.custom(vary=plane)
    c.linear(vary=plane)


@exercise("log1pexp_stable", points=4, function="log1pexp_stable(x)")
def log1pexp_stable(c):
    everywhere = floats(-1000, 1000, also=(100.0, 0.0))
    true = lambda x: np.logaddexp(0, x)
    c.value(
        true,
        vary=(everywhere,),
        says="the value is right from -1000 to 1000",
        looks_like={only_the_rule: lambda x: math.inf if x > 88.72 else true(x)},
    )
    c.derivative("so is the gradient", vary=(everywhere,), forward=true)
    bend = lambda x: np.exp(-abs(x)) / (1 + np.exp(-abs(x))) ** 2
    looks_like = {kink: lambda x: 0.0 if x == 0 else bend(x)}
    c.derivative("and the second derivative", vary=(everywhere,), forward=true, order=2, looks_like=looks_like)
    c.custom(vary=(everywhere,))
    c.without("softplus", "logaddexp", vary=(everywhere,))
    c.linear(vary=(everywhere,))
