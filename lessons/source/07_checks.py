"""Lesson 7, custom_gradient: what its exercises ask and accept."""

import math

import numpy as np

from minigrad.classroom import exercise, floats, mistake

still_infinite = mistake("the slope at 0 is still infinite", "1 / (2 * sqrt(0)) is inf. At 0 the rule should answer 0.")
only_the_rule = mistake(
    "the rule is repaired, the value is not", "custom_gradient does not touch the value: exp(x) is still inf there."
)
one_for_all = mistake(
    "the same gradient for every input", "Each input has a slope of its own: a / length for a, b / length for b."
)
swapped = mistake("the gradients are in the wrong order", "They belong in the order of the inputs: first a, then b.")


@exercise("slope_with_rule")
def slope_with_rule(c):
    c.number(
        1.0,
        because={
            1.0: "Yes: 1 - 1 / (1 + inf) is 1 - 0, and no 0 meets an inf.",
            0.0: "1 / (1 + inf) is 0, and the rule subtracts it from 1.",
            math.nan: "That is what the derived adjoint gives. The rule computes 1 - 1 / (1 + inf).",
            math.inf: "The inf is divided into 1 here: 1 / (1 + inf) is 0.",
        },
        otherwise="Put e = inf into the rule: upstream * (1 - 1 / (1 + e)), with upstream 1.",
    )


@exercise("value_with_rule")
def value_with_rule(c):
    c.choice(
        "b",
        because={
            "a": "That is the true value, but it is still computed as log(1 + exp(100)): the rule is for the gradient.",
            "b": "Yes: custom_gradient replaces the adjoint and nothing else. The value is computed as before.",
            "c": "log(1 + inf) is inf: no nan comes up on the way forward.",
        },
    )


@exercise("upstream_number")
def upstream_number(c):
    c.number(
        3.0,
        because={
            3.0: "Yes: L changes by 3 when f changes by 1, and that is what the upstream gradient says.",
            1.0: "1 is the adjoint of L itself. Between L and f stands a multiplication by 3.",
            0.5: "0.5 is the local derivative of f at 0, which grad itself computes.",
            1.5: "1.5 is what grad answers. What does it get?",
        },
        otherwise="The upstream gradient of f is how much L changes when the value of f changes by 1.",
    )


@exercise("how_many")
def how_many(c):
    c.choice(
        "c",
        because={
            "a": "a and b are two inputs with two slopes; their sum belongs to neither.",
            "b": "One gradient for each output comes in; what goes out is one for each input.",
            "c": "Yes: one gradient for each input, in the order of the inputs.",
        },
    )


@exercise("second_at_100")
def second_at_100(c):
    c.choice(
        "d",
        because={
            "a": "That is the true one, as near as float32 can say. But the rule is made of ops, and e is inf in them.",
            "b": "1 is the slope. The second derivative asks how the slope changes.",
            "c": "The inf of e is there, and it does not stay alone.",
            "d": "Yes: the rule 1 - 1 / (1 + e) is differentiated like any function, and e = exp(100) is inf in it.",
        },
    )


@exercise("safe_sqrt", points=3, function="safe_sqrt(x)")
def safe_sqrt(c):
    positive = floats(0, 100, also=(4.0, 1.0, 0.0))
    c.value(np.sqrt, vary=(positive,), says="the value is the square root of x", needs="Return mg.sqrt(x), grad.")
    c.derivative(
        "the gradient is upstream / (2 sqrt(x)), and 0 at x = 0",
        vary=(positive,),
        forward=np.sqrt,
        slope=lambda x: 0.0 if x == 0 else 0.5 / np.sqrt(x),
        needs="In the rule, choose with mg.where between upstream / (2 * y) and 0.",
        looks_like={
            still_infinite: lambda x, upstream: np.sign(upstream) * math.inf if x == 0 else upstream / (2 * np.sqrt(x)),
        },
    )
    rule = "@mg.custom_gradient\ndef safe_sqrt(x):\n    y = mg.sqrt(x)\n    return y, lambda upstream: "
    c.wrong("def safe_sqrt(x): return mg.sqrt(x)", still_infinite)
    c.wrong(rule + "upstream / (2 * y)", still_infinite)
    c.wrong(rule + "mg.where(x > 0, 1 / (2 * y), 0.0)", mistake.no_upstream)
    c.wrong(rule + "mg.where(x > 0, -upstream / (2 * y), 0.0)", mistake.sign)
    c.wrong(rule + "mg.where(x > 0, upstream / y, 0.0)", mistake.twice)
    c.wrong(rule + "mg.where(x > 0, upstream / (2 * x), 0.0)")
    c.wrong(rule + "mg.where(x > 0, upstream * y, 0.0)", mistake.value_for_slope)


@exercise("length", points=3, function="length(a, b)")
def length(c):
    plane = (floats(-10, 10, also=(3.0, 0.0)), floats(-10, 10, also=(4.0, 0.0)))
    c.value(np.hypot, vary=plane, says="the value is the square root of a * a + b * b")

    def true(a, b):
        way = np.hypot(a, b)
        return (a / way, b / way) if way > 0 else (0.0, 0.0)

    c.derivative(
        "the gradients are upstream * a / length and upstream * b / length, and 0 at the origin",
        vary=plane,
        slope=true,
        needs="Divide by a length that is never 0, such as mg.where(y > 0, y, 1.0), and return a pair.",
        looks_like={
            swapped: lambda a, b, upstream: tuple(upstream * s for s in reversed(true(a, b))),
            one_for_all: lambda a, b, upstream: (upstream * true(a, b)[0],) * 2,
        },
    )
    rule = (
        "@mg.custom_gradient\ndef length(a, b):\n    y = mg.sqrt(a * a + b * b)\n    d = mg.where(y > 0, y, 1.0)\n"
        "    return y, lambda upstream: "
    )
    c.wrong("def length(a, b): return mg.sqrt(a * a + b * b)", mistake.not_finite)
    c.wrong(rule + "(a / d, b / d)", mistake.no_upstream)
    c.wrong(rule + "(upstream * b / d, upstream * a / d)", swapped)
    c.wrong(rule + "(upstream * a / d, upstream * a / d)", one_for_all)
    c.wrong(rule + "upstream * a / d")


@exercise("log1pexp_stable", points=4, function="log1pexp_stable(x)")
def log1pexp_stable(c):
    everywhere = floats(-1000, 1000, also=(100.0, 0.0))
    true = lambda x: np.logaddexp(0, x)
    c.value(
        true,
        vary=(everywhere,),
        says="the value is right from -1000 to 1000",
        needs="Compute the value as max(x, 0) + log(1 + exp(-|x|)): this exp never overflows.",
        looks_like={only_the_rule: lambda x: math.inf if x > 88.72 else true(x)},
    )
    c.derivative(
        "so is the gradient",
        vary=(everywhere,),
        forward=true,
        needs="The slope is sigmoid(x), and mg.sigmoid does not overflow.",
    )
    c.derivative(
        "and the second derivative",
        vary=(everywhere,),
        forward=true,
        order=2,
        rtol=1e-2,
        atol=1e-4,
        needs="Write the rule with ops that stay finite when they are differentiated themselves.",
    )
    stable = "    y = mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x)))\n"
    head = "@mg.custom_gradient\ndef log1pexp_stable(x):\n    e = mg.exp(x)\n"
    c.wrong(head + "    return mg.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))", only_the_rule)
    c.wrong(head + stable + "    return y, lambda upstream: upstream * (1 - 1 / (1 + e))", mistake.not_finite)
    c.wrong(head + stable + "    return y, lambda upstream: mg.sigmoid(x)", mistake.no_upstream)
    c.wrong(head + stable + "    return y, lambda upstream: upstream", mistake.no_local)
