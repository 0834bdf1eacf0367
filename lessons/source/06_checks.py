"""Lesson 6, where NaNs come from: what its exercises compute. Answers and hints are in 06_hidden.py."""

import math

import numpy as np

from minigrad import Message
from minigrad.classroom import exercise, floats, mistake

NAN, INF = math.nan, math.inf

one_where = mistake(
    "the branch not taken sends a nan",
    "Both branches are computed, and the one not taken sends 0 * inf. Make the argument of exp safe, too.",
)
no_where = mistake("exp(x) is still computed for large x", "There exp(x) is inf, so the value is inf.")
kink = mistake(
    "a kink at 0",
    "relu and abs have no slope at 0; minigrad takes 0 there. mg.maximum(x, 0.0) takes half of each side.",
)
messenger = mistake(
    "returned a row that only passes a nan on",
    "Its upstream gradient is nan already: the nan began earlier. Ask for both, a nan message and no nan upstream.",
)
infinity = mistake(
    "took an infinity for a nan", "An inf is not a nan. It becomes one in 0 * inf, inf - inf and inf / inf."
)
last_origin = mistake(
    "returned the last row where one begins", "A nan begins in more than one of these rows. Return the first of them."
)


@exercise("safe_log1pexp", points=3, function="safe_log1pexp(x)")
def safe_log1pexp(c):
    limits = (50.0, 20.0, 30.0, 16.0, 80.0, 88.0)  # where two halves may meet
    everywhere = floats(-60, 1000, also=(100.0, 0.0, 13.0, 15.5, 89.0, *limits))
    overflows = lambda x: x > 88.72  # in float32
    c.value(
        lambda x: np.logaddexp(0, x),
        vary=(everywhere,),
        says="the value is log(1 + exp(x)), also where exp(x) is inf",
        rtol=1e-8,  # of float32: from x = 16 on, x is as near as it can hold
        looks_like={no_where: lambda x: INF if overflows(x) else np.logaddexp(0, x)},
    )
    c.derivative(
        "the gradient is finite and right on both sides",
        vary=(everywhere,),
        forward=lambda x: np.logaddexp(0, x),
        rtol=2e-7,
        looks_like={
            one_where: lambda x, upstream: NAN if overflows(x) else upstream / (1 + np.exp(-x)),
            kink: lambda x, upstream: 0.0 if x == 0 else upstream / (1 + np.exp(-x)),
        },
    )
    c.without("softplus", "logaddexp", vary=(everywhere,))


def row(node, upstream, local):
    """What `mg.messages` gives for a node with one argument."""
    return Message(node, "x", upstream, local, upstream * local)


def origins(messages):
    return [m for m in messages if math.isnan(m.message) and not math.isnan(m.upstream)]


@exercise("first_nan", points=3, function="first_nan(messages)")
def first_nan(c):
    looks_like = {
        messenger: lambda messages: next((m for m in messages if math.isnan(m.message)), None),
        infinity: lambda messages: next((m for m in messages if not math.isfinite(m.message)), None),
        last_origin: lambda messages: (origins(messages) or [None])[-1],
    }
    found = "returns the row in which a nan begins"
    exp = row("exp", 0.0, INF)
    c.example(([exp],), exp, says=found, looks_like=looks_like)
    c.example(([row("log", 1.0, 0.0), row("add", 0.0, 1.0), exp],), exp, says=found)
    c.example(([row("sqrt", 1.0, INF), row("multiply", INF, 0.0)],), row("multiply", INF, 0.0), says=found)
    c.example(([row("log", 1.0, NAN), row("exp", NAN, 2.0)],), row("log", 1.0, NAN), says=found)
    first = "returns the first such row"
    twice = [exp, row("multiply", INF, 0.0)]
    c.example((twice,), exp, says=first, looks_like=looks_like)
    c.example(([row("sqrt", 1.0, INF), *twice],), exp, says=first)
    c.example((twice[::-1],), twice[1], says=first)
    carried = "passes over a nan that began before"
    c.example(([row("multiply", NAN, 2.0)],), None, says=carried, looks_like=looks_like)
    c.example(([row("multiply", NAN, 2.0), exp],), exp, says=carried)
    none = "returns None if no nan begins"
    c.example(([row("log", 1.0, 0.5), row("exp", 0.5, 2.0)],), None, says=none, looks_like=looks_like)
    c.example(([row("sqrt", 1.0, INF)],), None, says=none)
    c.example(([],), None, says=none)
