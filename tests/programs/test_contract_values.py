"""A value that leaves the graph and comes back, or decides, has no program."""

import copy
import json
import math
import statistics

import numpy as np

import minigrad as mg
from tests.programs.contract import BOTH, Attempts, X, Y, Z, over

leaving = Attempts()
leaving.functions(
    "refused",
    {
        "float": lambda x: x * float(x[0]),
        "int": lambda x: x * int(x[2]),
        "round": lambda x: x * round(float(x[2])),
        "item": lambda x: x * x[0].item(),
        "tolist of NumPy": lambda x: x * np.asarray(x).tolist()[0],
        "np.asarray": lambda x: x * np.asarray(x),
        "np.array": lambda x: x * np.array(x)[::-1],
        "np.array of elements": lambda x: x * np.array([x[0], x[1], x[2]]),
        "a NumPy array filled by hand": lambda x: x * filled(x),
        "a function of math": lambda x: x * math.sin(x[0]),
        "math.sqrt of a sum": lambda x: x / math.sqrt(mg.sum(x * x)),
        "math.fsum": lambda x: x * math.fsum(x),
        "math.isnan": lambda x: x if not math.isnan(x[0]) else -x,
        "statistics.mean": lambda x: x * statistics.mean([float(v) for v in x]),
        "formatting": lambda x: x * float(f"{float(x[0]):.1f}"),
        "str": lambda x: x * len(str(x)),
        "repr": lambda x: x * len(repr(x)),
        "json": lambda x: x * json.loads(json.dumps(float(x[0]))),
        "np.vectorize": lambda x: x * np.vectorize(lambda v: v * 2.0)(np.asarray(x)),
        "np.interp": lambda x: x * np.interp(0.5, [0.0, 1.0], [float(x[0]), float(x[1])]),
        "np.median of the values": lambda x: x * np.median(np.asarray(x)),
        "np.linalg of the values": lambda x: x / np.linalg.norm(np.asarray(x)),
        "np.float64": lambda x: x * np.float64(x[0]),
        "the memory": lambda x: x * np.frombuffer(np.asarray(x).tobytes())[0],
        "a list of floats": lambda x: x * np.array([float(v) for v in x]),
        "a constant of floats": lambda x: x * mg.constant([float(v) for v in x]),
        "hash": lambda x: x * (hash(float(x[0])) % 10),
        "divmod": lambda x: x * divmod(float(x[0]), 0.3)[1],
        "complex": lambda x: x * complex(x[0]).real,
        "a copy of the values": lambda x: x * copy.copy(np.asarray(x)),
        "a deep copy of the values": lambda x: x * copy.deepcopy(np.asarray(x)),
    },
    *BOTH,
)


def filled(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i]
    return y


@leaving.refused
def by_numpy(compile):
    f = compile(lambda x: x * x.numpy())
    yield from over(f, *BOTH[3:])


@leaving.honest
def by_value(compile):
    f = compile(lambda x: x * x.value)
    yield from over(f, *BOTH[3:])


@leaving.honest
def by_value_of_an_intermediate(compile):
    f = compile(lambda x: x * mg.sin(mg.constant(x)).value)
    yield from over(f, *BOTH[3:])


@leaving.refused
def by_numpy_of_an_intermediate(compile):
    f = compile(lambda x: mg.sum(x) * mg.exp(x * 2.0).numpy().max())
    yield from over(f, *BOTH[3:])


@leaving.refused
def by_a_list_outside(compile):
    kept = []

    def f(x):
        kept.append(float(mg.sum(x)))
        return x * kept[-1]

    yield from over(compile(f), X, Y, Z)


@leaving.refused
def inside_a_gradient(compile):
    f = compile(mg.grad(lambda x: mg.sum(x * x) * float(mg.constant(7.0) + mg.sum(mg.stop_gradient(x)).item())))
    yield from over(f, X, Y, Z)


@leaving.refused
def a_gradient_by_hand_with_numpy(compile):
    f = compile(lambda x: x - 0.1 * np.asarray(mg.grad(lambda x: mg.sum(x * x))(x)))
    yield from over(f, X, Y, Z)


@leaving.refused
def clipping_by_a_norm_as_a_number(compile):
    def f(x):
        g = mg.grad(lambda x: mg.sum(x * x * x))(x)
        return g / max(1.0, float(mg.sqrt(mg.sum(g * g))))

    yield from over(compile(f), X, Y * 0.01, Z)


test_leaving = leaving.test()


deciding = Attempts()
deciding.functions(
    "refused",
    {
        "if": lambda x: x * 2.0 if x[0] > 0 else x,
        "if of a sum": lambda x: x * 2.0 if mg.sum(x) > 0 else x,
        "if equal": lambda x: x * 2.0 if x[0] == 1.0 else x,
        "if not": lambda x: x if not x[0] > 0 else -x,
        "and": lambda x: x * 2.0 if x[0] > 0 and x[1] > 0 else x,
        "or": lambda x: x * 2.0 if x[0] < 0 or x[1] < 0 else x,
        "bool": lambda x: x * bool(x[0] > 0),
        "a number for its truth": lambda x: x if mg.sum(mg.relu(x[:1])) else -x,
        "while": lambda x: halved(x),
        "max of Python": lambda x: x * max(x[0], x[1]),
        "min of Python": lambda x: x * min(x[0], 0.5),
        "abs by hand": lambda x: mg.stack([v if v > 0 else -v for v in x]),
        "sorted": lambda x: mg.stack(sorted(x)),
        "in a list": lambda x: x * 2.0 if x[0] in [1.0, 2.0] else x,
        "any": lambda x: x * 2.0 if any(v > 5 for v in x) else x,
        "all": lambda x: x * 2.0 if all(v > -1 for v in x) else x,
        "filter": lambda x: sum(filter(lambda v: v > 0, x)),
        "a sum of positive elements": lambda x: sum(v for v in x if v > 0),
        "assert": lambda x: checked(x),
        "an early return": lambda x: early(x),
        "np.all of a comparison": lambda x: x * 2.0 if np.all(np.asarray(x > 0)) else x,
        "mg.any": lambda x: x * 2.0 if mg.any(x > 5) else x,
        "np.allclose": lambda x: x * 2.0 if np.allclose(np.asarray(x), X) else x,
        "an index": lambda x: x[int(mg.argmax(x))],
        "a key": lambda x: x * {True: 2.0, False: 3.0}[bool(x[0] > 0)],
        "match": lambda x: matched(x),
        "chained comparison": lambda x: x * 2.0 if 0 < x[0] < 2 else x,
        "the length of what is selected": lambda x: x * len(x[x > 0]),
        "a shape of what is selected": lambda x: x * x[x > 0].shape[0],
        "an isinstance beside a decision": lambda x: x if isinstance(x, (np.ndarray, mg.Tensor)) and x[1] > 1 else -x,
    },
    *BOTH,
)


def halved(x):
    while mg.sum(x * x) > 0.5:
        x = x * 0.5
    return x


def checked(x):
    assert x[1] != 0.5
    return (x * 2.0) if x[2] != 8.0 else x


def early(x):
    for i in range(3):
        if x[i] < 0:
            return x * i
    return x


def matched(x):
    match bool(x[0] > 0):
        case True:
            return x * 2.0
        case _:
            return x


@deciding.honest
def newton_until_it_converges(compile):
    def f(a):
        y = a
        while abs(y * y - a) > 1e-6:
            y = 0.5 * (y + a / y)
        return y

    yield from over(compile(f), 2.0, 9.0, 0.01)


@deciding.refused
def a_branch_inside_a_gradient(compile):
    f = compile(mg.grad(lambda x: mg.sum(x * x) if mg.sum(x) > 0 else mg.sum(x)))
    yield from over(f, X, Y, Z)


@deciding.refused
def a_branch_in_a_rule(compile):
    @mg.custom_gradient
    def clipped(x):
        return mg.identity(x), lambda dy: dy if mg.sum(dy) < 3 else dy * 0.5

    f = compile(mg.grad(lambda x: mg.sum(mg.square(clipped(x)))))
    yield from over(f, X, Y, Z)


@deciding.same
def a_branch_in_a_rule_of_a_compiled_function(compile):
    @mg.custom_gradient
    def clipped(x):
        return mg.identity(x), lambda dy: dy if mg.sum(dy) < 3 else dy * 0.5

    f = compile(lambda x: mg.sum(mg.square(clipped(x))))
    for x in (X, Y, Z):
        yield mg.grad(f)(x)


@deciding.honest
def a_branch_on_a_number_argument(compile):
    f = compile(lambda x, n: x * 2.0 if n > 1.0 else x)
    yield from over(f, (X, 2.0), (X, 0.5), (Y, 2.0))


@deciding.refused
def a_branch_on_a_gradient(compile):
    def f(x):
        g = mg.grad(lambda x: mg.sum(x * x))(x)
        return x - g if g[0] > 0 else x + g

    yield from over(compile(f), X, Y, Z)


@deciding.refused
def a_guard_against_nan(compile):
    f = compile(lambda x: mg.zeros(3) if mg.any(mg.isnan(x)) else x * 2.0)
    yield from over(f, X, X * np.nan, Y)


test_deciding = deciding.test()
