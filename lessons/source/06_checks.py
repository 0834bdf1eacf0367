"""Lesson 6, where NaNs come from: what its exercises ask and accept."""

import math

import numpy as np

from minigrad import Message
from minigrad.classroom import exercise, floats, mistake

NAN, INF = math.nan, math.inf

one_where = mistake(
    "the branch not taken sends a nan",
    "The value is right, the gradient is not: where computes both branches, and 0 * inf comes back from the one it did "
    "not take. Make the argument of exp safe as well.",
)
no_where = mistake(
    "exp(x) is still computed for large x", "There it is inf, so the value is inf and the gradient is nan."
)
messenger = mistake(
    "took a messenger for the culprit",
    "Here the upstream gradient is nan already: this node passes on a nan that was born before.",
)
infinity = mistake(
    "took an infinity for a nan", "An inf is not a nan yet. It becomes one only when it meets a 0, or another inf."
)


@exercise("gradient_at_100")
def gradient_at_100(c):
    c.choice(
        "d",
        because={
            "a": "1.0 is the true slope to 43 digits, but the backward pass does not compute it so. Run the next cell.",
            "b": "A 0 does come up on the way, and then it meets something. Run the next cell.",
            "c": "An inf does come up on the way, and then it meets something. Run the next cell.",
            "d": "Yes, nan. The next cell shows it, and the picture after it shows where it comes from.",
        },
    )


@exercise("which_factors")
def which_factors(c):
    c.choice(
        "b",
        because={
            "a": "Two infinite factors would give inf. Read what arrives at exp: it is the message of add.",
            "b": "Yes. log sends 1 / (1 + inf) = 0, add passes it on, and the slope of exp is its own value, inf.",
            "c": "There is no subtraction here: the rule of exp multiplies. Read the stop at which exp sends.",
            "d": "The other way round: the upstream gradient is the one that comes from log, by way of add.",
        },
    )


@exercise("breaks_at")
def breaks_at(c):
    c.number(
        88.72,
        within=0.3,
        because={
            88.72: "Yes: the logarithm of 3.4e38 is 88.72. At 89, value and gradient are gone.",
            38: "3.4e38 is a power of ten, and exp is a power of e: take the natural logarithm, np.log.",
            709.78: "That is the limit of float64. The largest float32 is 3.4e38.",
            100: "At 100 it is broken already. Below which x is e**x still less than 3.4e38?",
        },
        otherwise="Not quite: exp(x) becomes inf where e**x passes the largest float32, 3.4e38. Solve e**x = 3.4e38.",
    )


@exercise("at_88")
def at_88(c):
    c.choice(
        "a",
        because={
            "a": "Yes: e**88 is 1.65e38, which is large and still a float32, so nothing is lost.",
            "b": "e**88 is 1.65e38, and the largest float32 is 3.4e38: there is room. Run the next cell.",
            "c": "The slope would be lost if 1 / e**88 were rounded to 0. Some systems do so; NumPy does not.",
        },
    )


@exercise("dead_branch")
def dead_branch(c):
    c.choice(
        "d",
        because={
            "a": "That is the slope of the branch taken. The other branch is computed too: look at the picture.",
            "b": "0 is what where sends into the branch not taken. It does not stay 0. Look at the picture.",
            "c": "The inf is in the branch not taken, and it is multiplied by something. Look at the picture.",
            "d": "Yes: where sends a 0 into the branch not taken, it meets the inf of exp there, and 1 + nan is nan.",
        },
    )


@exercise("shared_weight")
def shared_weight(c):
    c.choice(
        "c",
        because={
            "a": "A sum does not leave out the entries that are broken: 0.2 + nan is nan.",
            "b": "Nothing sets a broken entry to 0. It stays nan, and it is added to the others.",
            "c": "Yes: w receives one message from each entry and adds them, and a number plus nan is nan.",
        },
    )


@exercise("safe_log1pexp", points=3, function="safe_log1pexp(x)")
def safe_log1pexp(c):
    everywhere = floats(-60, 1000, also=(100.0, 0.0))
    c.value(
        lambda x: np.logaddexp(0, x),
        vary=(everywhere,),
        says="the value is log(1 + exp(x)), also where exp(x) is inf",
        needs="For large x return x itself: log(1 + exp(x)) and x differ by less than float32 can hold.",
        looks_like={no_where: lambda x: INF if x > 88.72 else np.logaddexp(0, x)},
    )
    c.derivative(
        "the gradient is finite and right on both sides",
        vary=(everywhere,),
        forward=lambda x: np.logaddexp(0, x),
        needs="Two where: one around the argument of exp, so that exp never sees a large number, and one at the end.",
        looks_like={
            one_where: lambda x, upstream: NAN if x > 88.72 else upstream / (1 + np.exp(-x)),
        },
    )
    c.wrong("def safe_log1pexp(x): return mg.log(1 + mg.exp(x))", no_where)
    c.wrong("def safe_log1pexp(x): return mg.where(x > 50, x, mg.log(1 + mg.exp(x)))", one_where)
    c.wrong("def safe_log1pexp(x): return mg.log(1 + mg.exp(mg.minimum(x, 50.0)))")
    c.wrong("def safe_log1pexp(x): return 2 * mg.softplus(x)", mistake.twice)


def row(node, upstream, local):
    """What `mg.messages` gives for a node with one argument."""
    return Message(node, "x", upstream, local, upstream * local)


@exercise("first_nan", points=3, function="first_nan(messages)")
def first_nan(c):
    looks_like = {
        messenger: lambda messages: next((m for m in messages if math.isnan(m.message)), None),
        infinity: lambda messages: next((m for m in messages if not math.isfinite(m.message)), None),
    }
    found = "returns the row at which a nan is born"
    needs = "Go through the rows in order; return the first whose message is nan while its upstream gradient is not."
    exp = row("exp", 0.0, INF)
    c.example(([exp],), exp, says=found, needs=needs, looks_like=looks_like)
    c.example(([row("log", 1.0, 0.0), row("add", 0.0, 1.0), exp],), exp, says=found)
    c.example(([row("sqrt", 1.0, INF), row("multiply", INF, 0.0)],), row("multiply", INF, 0.0), says=found)
    c.example(([row("log", 1.0, NAN), row("exp", NAN, 2.0)],), row("log", 1.0, NAN), says=found)
    carried = "passes over a nan that was born before"
    c.example(([row("multiply", NAN, 2.0)],), None, says=carried, needs=needs, looks_like=looks_like)
    c.example(([row("multiply", NAN, 2.0), exp],), exp, says=carried)
    none = "returns None where no nan is born"
    c.example(([row("log", 1.0, 0.5), row("exp", 0.5, 2.0)],), None, says=none, needs=needs, looks_like=looks_like)
    c.example(([row("sqrt", 1.0, INF)],), None, says=none)
    c.example(([],), None, says=none)
    loop = "def first_nan(messages):\n    for m in messages:\n        "
    c.wrong(loop + "if math.isnan(m.message): return m", messenger)
    c.wrong(loop + "if not math.isfinite(m.message): return m", infinity)
    c.wrong("def first_nan(messages): return None")
