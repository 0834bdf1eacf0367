"""A Variable that is read as a number, or decides, has no program."""

import copy

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, variable

read = Attempts()
W, N = variable(), mg.Variable(1)


def while_assigned(f):
    """`f` at X, after W and N changed, and at Y."""

    def attempt(compile):
        W.assign(X)
        N.assign(1)
        g = compile(f)
        yield g(X)
        yield g(X)
        W.assign(Y)
        N.assign(2)
        yield g(X)
        yield g(Y)

    return attempt


for name, function in {
    "as a float": lambda x: x * float(W[0]),
    "as an item": lambda x: x * W[0].item(),
    "as an int": lambda x: x * int(N),
    "as a bool": lambda x: x if bool(W[0] > 0) else -x,
    "by a branch": lambda x: x * 2.0 if W[0] > 0 else x,
    "by a comparison of numbers": lambda x: x * 2.0 if N == 1 else x,
    "by while": lambda x: x * 2.0 if mg.sum(W) > 0 and N < 2 else x,
    "by numpy()": lambda x: x * W.numpy(),
    "by value": lambda x: x * W.value,
    "by its buffer of value": lambda x: x * W.value[0],
    "by np.asarray": lambda x: x * np.asarray(W),
    "by np.array": lambda x: x * np.array(W),
    "by a sum in NumPy of its value": lambda x: x * np.sum(W.value),
    "by a copy of its value": lambda x: x * W.value.copy(),
    "as an index": lambda x: x[N],
    "as an index of a list": lambda x: [x, x * 2.0, x * 3.0][N],
    "as the length of a range": lambda x: sum(x * i for i in range(int(N) + 1)),
    "as the length of a slice": lambda x: x[: int(N) + 1],
    "by formatting": lambda x: x * float(f"{W[0]}"),
    "by str": lambda x: x * len(str(W)),
    "by repr": lambda x: x * len(repr(W)),
    "by deepcopy of its value": lambda x: x * copy.deepcopy(W.value),
    "by round": lambda x: x * round(float(W[1]) * 10),
    "by tolist": lambda x: x * W.value.tolist()[0],
    "by max in Python": lambda x: x * max(W[0], W[1]),
    "by sorted": lambda x: x * sorted([W[0], W[1]])[0],
    "by in": lambda x: x * 2.0 if W[0] in [1.0, 2.0] else x,
    "by any": lambda x: x * 2.0 if any(w > 5 for w in W) else x,
    "as exponent by float": lambda x: mg.abs(x) ** float(W[1]),
    "as an axis": lambda x: mg.sum(mg.stack([x, x * 2.0]), axis=int(N) - 1),
    "as a number of repetitions": lambda x: mg.repeat(x, int(N)),
    "as a key of a dict": lambda x: x * {1: 2.0, 2: 3.0}[int(N)],
    "by its name and value": lambda x: x * (2.0 if "1." in repr(W) else 3.0),
}.items():
    function = while_assigned(function)
    function.__name__ = name
    # `.value` may give a program the value of each call.
    (read.honest if "value" in name else read.refused)(function)


@read.honest
def copied(compile):
    w = variable()
    f = compile(lambda x: mg.sum(copy.copy(w) * x))
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@read.honest
def deep_copied(compile):
    w = variable()
    f = compile(lambda x: mg.sum(copy.deepcopy([w])[0] * x))
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@read.honest
def converted_to_a_constant(compile):
    w = variable()
    f = compile(lambda x: mg.sum(mg.constant(w) * x))
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@read.honest
def converted_to_a_tensor(compile):
    w = variable()
    f = compile(lambda x: mg.sum(mg.convert_to_tensor(w) * x))
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@read.same
def shape_and_dtype(compile):
    w = variable()
    f = compile(lambda x: w * x * w.shape[0] + len(w) + (1.0 if w.dtype == np.float64 else 0.0))
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@read.same
def by_a_mask_in_the_graph(compile):
    w = variable()
    f = compile(lambda x: mg.where(w > 0, x, x * 2.0))
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@read.honest
def by_an_index_in_the_graph(compile):
    n = mg.Variable(1)
    f = compile(lambda x: mg.gather(x, n))
    for value in (2, 0, 1):
        yield f(X)
        n.assign(value)


@read.honest
def as_the_initial_value_of_another(compile):
    w = variable()
    f = compile(lambda x: mg.Variable(w, dtype="float64") * x)
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


test_read = read.test()
