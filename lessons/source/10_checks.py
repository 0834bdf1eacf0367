"""Lesson 10, one function, four frameworks: what its exercises compute. Answers and hints are in 10_hidden.py."""

import math

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, floats, mistake
from minigrad.core.graph import ancestors

zero_there = mistake("0 at the kink", "That is the choice of three of the four. JAX has the slope 1 at 0.")
minus_there = mistake("-1 at the kink", "JAX takes the slope of the right side: 1.")


@exercise("abs_like_jax", points=2, function="abs_like_jax(x)")
def abs_like_jax(c):
    real = floats(-10, 10, also=(2.0, -2.0, 0.0, -1e-4, -1e-36))
    c.value(abs, vary=(real,), says="the value is |x|")
    c.derivative(
        "the gradient is that of JAX",
        vary=(real,),
        slope=lambda x: 1.0 if x >= 0 else -1.0,
        word="{} in JAX",
        looks_like={
            zero_there: lambda x, u: u * np.sign(x),
            minus_there: lambda x, u: u * (1.0 if x > 0 else -1.0),
        },
    )
    c.custom(vary=(real,))
    c.linear(vary=(real,))


bare_sqrt = mistake("0 * inf at sqrt", "The slope of sqrt at 0 is inf, and 0 * inf is nan. Make its argument safe.")
origin = mistake("the value at the origin", "There sqrt gets the 1 that was put in. Choose a second time, at the end.")


def has_no_rule(f, a, b):
    y = f(mg.constant(a), mg.constant(b))
    rules = [n for n in ancestors([y]) if type(n.op).__name__ == "CustomCall"]
    return not rules or mistake("a rule of your own", "The other frameworks write rules in another way. Use where.")


@exercise("length_everywhere", points=3, function="length_everywhere(a, b)")
def length_everywhere(c):
    plane = (floats(-10, 10, also=(3.0, 3e-14, 0.0)), floats(-10, 10, also=(4.0, 4e-14, 0.0)))
    c.value(
        np.hypot, vary=plane, says="the value is the length", looks_like={origin: lambda a, b: np.hypot(a, b) or 1.0}
    )

    def true(a, b):
        way = np.hypot(a, b)
        return (a / way, b / way) if way > 0 else (0.0, 0.0)

    c.derivative(
        "the gradients are finite, and 0 at the origin",
        vary=plane,
        slope=true,
        word="{} asked for",
        looks_like={bare_sqrt: lambda a, b, u: tuple(u * s for s in true(a, b)) if a or b else (math.nan,) * 2},
    )
    c.property("without a rule of your own", has_no_rule, vary=(), points=[(3.0, 4.0)])
    c.without("hypot", "norm", vary=plane)


N = math.nan


def rows_that(differ):
    return lambda table: [name for name, row in table.items() if differ(row)]


def agree(a, b):
    return np.isclose(a, b, rtol=1e-5, equal_nan=True)


nan_differs = mistake("nan is unlike nan", "nan == nan is False. Two frameworks that both say nan agree.")
nan_unseen = mistake(
    "a nan is not seen", "A nan beside a number is a disagreement, though every comparison with it is False."
)
exact = mistake("last digits count", "0.33333334 and 0.3333333 are rounding, no choice.")
two_only = mistake("only the first two", "Compare each of the four with the first.")
agreeing = mistake("the rows that agree", "Asked for are the others.")
absolute = mistake(
    "an absolute difference", "1e-5 is the relative difference: of 2000 that is 0.02, of 1e-6 it is 1e-11."
)
infs = mistake("inf minus inf", "inf - inf is nan, not a difference. Two frameworks that both say inf agree.")


@exercise("disagreements", points=2, function="disagreements(table)")
def disagreements(c):
    ok = lambda row: all(agree(n, row[0]) for n in row)
    finite = lambda row: [n for n in row if math.isfinite(n)]
    like = {
        nan_differs: rows_that(lambda row: any(n != row[0] for n in row)),
        nan_unseen: rows_that(lambda row: any(abs(n - row[0]) > 1e-5 for n in row)),
        exact: rows_that(lambda row: not all(n == row[0] or (n != n and row[0] != row[0]) for n in row)),
        two_only: rows_that(lambda row: not agree(row[0], row[1])),
        agreeing: rows_that(ok),
        mistake("first and last only", "The two in the middle can differ."): rows_that(
            lambda row: not agree(row[0], row[-1])
        ),
        mistake("a row with a nan", "A nan in all four is agreement."): rows_that(lambda row: any(n != n for n in row)),
        infs: rows_that(lambda row: not ok(row) or math.inf in row),
        absolute: rows_that(lambda row: not ok(row) if finite(row) != row else max(row) - min(row) > 1e-5),
    }
    tables = [
        {
            "abs": [0.0, 0.0, 1.0, 0.0],
            "max": [0.5, 1.0, 0.5, 0.5],
            "maximum": [0.5, 0.5, 0.5, 1.0],
            "where": [N, N, N, 0.0],
            "relu": [0.0, 0.0, 0.0, 0.0],
        },
        {"norm": [0.0, 0.0, N, N], "log1pexp": [N, N, N, N]},
        {"mean": [0.33333334, 0.3333333, 0.33333334, 0.33333334], "maximum": [0.5, 0.5, 0.5, 1.0]},
        {"norm": [0.0, 0.0, N, N], "sqrt": [math.inf, math.inf, math.inf, math.inf]},
        {"large": [2000.0, 2000.0, 2000.001, 2000.0], "small": [1e-6, 3e-6, 1e-6, 1e-6]},
        {},
    ]
    for t in tables:
        c.example(
            (t,), rows_that(lambda row: not ok(row))(t), says="the names of the rows that differ", looks_like=like
        )


def log1pexp(x):
    e = math.exp(x)
    return math.log(1 + e), lambda u: u * (1 - 1 / (1 + e))


def cube(x):
    return x * x * x, lambda u: u * 3 * x * x


def lying(x):
    return float(round(x)), lambda u: u * 7.0


def clipping(x):
    return x, lambda u: min(max(u, -1.0), 1.0)


class Named:
    """A rule as a pair. clips : whether it shortens the upstream gradient to -1 .. 1, so that it is not linear."""

    def __init__(self, text, f, value, slope, clips=False):
        self.text, self.f, self.value, self.slope, self.clips = text, f, value, slope, clips

    def back(self, x, upstream):
        return self.slope(x) * (min(max(upstream, -1.0), 1.0) if self.clips else upstream)

    def __repr__(self):
        return self.text


RULES = [
    Named("cube", cube, lambda x: x**3, lambda x: 3 * x * x),
    Named("log1pexp", log1pexp, lambda x: np.log1p(np.exp(x)), lambda x: 1 / (1 + np.exp(-x))),
    Named("round, with slope 7", lying, np.round, lambda x: 7.0),
    Named("x, with a rule that clips", clipping, lambda x: x, lambda x: 1.0, clips=True),
]


def pair_right(to_pair, rule, x, upstream):
    where = f"{rule}, x = {x:g}, upstream = {upstream:g}"
    made = to_pair(rule.f)
    if not (isinstance(made, (tuple, list)) and len(made) == 2):
        return mistake("no pair", f"{where}: to_pair returns two functions, fwd and bwd.")
    fwd, bwd = made
    got = fwd(x)
    if not (isinstance(got, tuple) and len(got) == 2):
        return mistake("nothing is kept", f"{where}: fwd returns a pair, the value and what bwd needs.")
    value, kept = got
    if callable(value):
        return mistake("value and kept exchanged", f"{where}: the value comes first.")
    if isinstance(value, (tuple, list)):
        return mistake("the value is a pair", f"{where}: f(x) is a pair, and its first part is the value.")
    if value is None:
        return mistake("no value", f"{where}: the value is None.")
    numbers = (mg.Tensor, float, int, np.ndarray, type(None))
    bad = [leaf for leaf in mg.nest.flatten(kept) if not isinstance(leaf, numbers)]
    if bad:
        return mistake("a function is kept", f"{where}: JAX keeps numbers and arrays, not a {type(bad[0]).__name__}.")
    if not np.isclose(float(value), rule.value(x)):
        return f"{where}: the value is {float(value):g}. It should be {rule.value(x):g}."
    fwd(x + 1.0)  # a second call must not disturb the first
    try:
        back = bwd(kept, upstream)
    except TypeError as error:
        if "positional argument" not in str(error):
            raise
        return mistake("bwd takes two", f"{where}: it stopped with TypeError: {error}. bwd(kept, upstream).")
    if not isinstance(back, tuple):
        return mistake("no tuple", f"{where}: bwd returns a tuple, one gradient for each input.")
    if len(back) != 1:
        return mistake("one for each input", f"{where}: f has one input, and bwd returned {len(back)} gradients.")
    if back[0] is None:
        return mistake("no gradient", f"{where}: the gradient is None.")
    true, g = rule.back(x, upstream), float(back[0])
    if np.isclose(g, true):
        return True
    words = f"{where}: the gradient is {g:g}. It should be {true:g}."
    if rule.clips and np.isclose(g, upstream * rule.back(x, 1.0)):
        return mistake(
            "the rule is called with 1", f"{words} Call the rule with upstream itself; it need not be linear."
        )
    names = {
        "forgot the upstream gradient": rule.slope(x),
        "remembered outside": rule.back(x + 1, upstream),
        "kept and upstream exchanged": x * rule.slope(upstream),
        "the derived gradient": upstream * {"round, with slope 7": 0.0}.get(rule.text, math.nan),
        "the value instead of the gradient": rule.value(x),
    }
    return next((mistake(n, words) for n, w in names.items() if np.isclose(g, w)), words)


@exercise("to_pair", points=3, function="to_pair(rule, x, upstream)")
def to_pair(c):
    c.property(
        "the rule as JAX wants it",
        pair_right,
        vary=(),
        points=[(r, x, u) for r in RULES for x, u in ((2.0, 1.0), (0.5, -3.0))],
    )
