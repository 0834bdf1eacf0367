"""The checks of hw7: students receive this file next to their notebook. It holds no answer; see hidden.py."""

import numpy as np

from minigrad.classroom import exercise, floats, mistake

at_0 = mistake("not finite at 0", "log(0) is -inf, and 0 times -inf is nan. Choose before the logarithm.")
swapped = mistake("the gradients are in the wrong order", "They belong in the order of the inputs: first a, then b.")
one_for_all = mistake("the same gradient for both inputs", "Each input has a slope of its own; together they are 1.")

positive = floats(0, 50, also=(2.0, 1.0, 0.0))
near = (floats(-20, 20, also=(1.0, 0.0)), floats(-20, 20, also=(0.0, 2.0)))


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


@exercise("xlogx", points=3, function="xlogx(x)")
def xlogx(c):
    c.value(
        lambda x: x * np.log(x) if x > 0 else 0.0,
        vary=(positive,),
        says="the value is x log x, and 0 at 0",
        looks_like={at_0: lambda x: x * np.log(x) if x > 0 else np.nan},
    )
    c.derivative(
        "the gradient is upstream * (log(x) + 1), and 0 at 0",
        vary=(positive,),
        slope=lambda x: np.log(x) + 1 if x > 0 else 0.0,
        word="{} asked for",
    )
    c.custom(vary=(positive,))
    c.small(nodes=100, constants=16, vary=(positive,), says="made of a few ops, without a table of numbers")
    c.linear(vary=(positive,))


@exercise("log_of_sum", points=4, function="log_of_sum(a, b)")
def log_of_sum(c):
    c.value(np.logaddexp, vary=near, says="the value is log(exp(a) + exp(b))")
    c.derivative(
        "the gradients are upstream * sigmoid(a - b) and upstream * sigmoid(b - a)",
        vary=near,
        slope=lambda a, b: (sigmoid(a - b), sigmoid(b - a)),
        looks_like={
            swapped: lambda a, b, upstream: (upstream * sigmoid(b - a), upstream * sigmoid(a - b)),
            one_for_all: lambda a, b, upstream: (upstream * sigmoid(a - b),) * 2,
        },
    )
    c.custom(vary=near)
    c.small(nodes=100, constants=16, vary=near, says="made of a few ops, without a table of numbers")
    c.without("logaddexp", "softplus", "logsumexp", vary=near)
    c.linear(vary=near)
