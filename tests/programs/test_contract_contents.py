"""Odd numbers, shapes that change, and arrays that are changed in place."""

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, M, X, Y, Z, outcome, over

contents = Attempts()
ODD = [
    np.array([0.0, -0.0, 1.0]),
    np.array([-0.0, 0.0, -1.0]),
    np.array([np.inf, -np.inf, np.nan]),
    np.array([0x7FF8DEADBEEF0001, 0xFFF8000000000002, 0x3FF0000000000000], "u8").view("f8"),
    np.array([5e-324, 1e308, -1e-310]),
    np.array([np.nan, 1.0, np.nan]),
]
contents.functions(
    "same",
    {
        "a product by zero": lambda x: x * 0.0,
        "a product by one": lambda x: x * 1.0,
        "a sum with zero": lambda x: x + 0.0,
        "a sum with negative zero": lambda x: x + (-0.0),
        "zero minus it": lambda x: 0.0 - x,
        "its negative": lambda x: -x,
        "twice negative": lambda x: mg.negative(-x),
        "it minus itself": lambda x: x - x,
        "it by itself": lambda x: x / x,
        "a maximum": lambda x: mg.maximum(x, 0.0),
        "a minimum with itself reversed": lambda x: mg.minimum(x, x[::-1]),
        "relu": lambda x: mg.relu(x),
        "abs": lambda x: mg.abs(x),
        "a sum": lambda x: mg.sum(x),
        "a power of 2": lambda x: x**2,
        "a power of a half": lambda x: x**0.5,
        "a power of 0": lambda x: x**0,
        "a power of 1": lambda x: x**1,
        "a power of -1": lambda x: x**-1.0,
        "two scales": lambda x: (x * 1e200) * 1e200,
        "two scales of opposite size": lambda x: (x * 1e-200) * 1e200,
        "a sum that is not associative": lambda x: (x + 1e16) - 1e16,
        "a division by 3 and by 7": lambda x: x / 3.0 / 7.0,
        "a division by a constant": lambda x: x / 10.0,
        "a log of exp": lambda x: mg.log(mg.exp(x)),
        "where": lambda x: mg.where(mg.isnan(x), 1.0, x),
        "a clip": lambda x: mg.clip(x, -1.0, 1.0),
        "a sort": lambda x: mg.sort(x),
        "a running sum": lambda x: mg.cumsum(x),
    },
    *ODD,
    orders=1,
)


@contents.same
def a_sum_of_many_in_the_order_of_numpy(compile):
    f, rng = (
        compile(mg.value_and_grad(lambda x: mg.sum(mg.mean(x * 0.1, axis=0) * mg.sum(x)))),
        np.random.default_rng(0),
    )
    for _ in range(3):
        yield f(rng.normal(size=(37, 41)).astype("f4"))


@contents.same
def a_product_of_matrices_of_one_row(compile):
    f = compile(mg.value_and_grad(lambda x, w, b: mg.sum(mg.tanh(x @ w + b)), (0, 1, 2)))
    rng = np.random.default_rng(0)
    for rows in (1, 1, 2, 1):
        yield f(rng.normal(size=(rows, 5)), rng.normal(size=(5, 3)), rng.normal(size=3))


@contents.same
def large_arrays_in_blocks(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.tanh(x * 1.5 + 0.1) * mg.sin(x) / (x * x + 1))))
    for scale in (1.0, 2.0, -3.0):
        value, slope = f(np.linspace(-2, 2, 300_001) * scale)
        yield value, slope[::1000]


test_contents = contents.test()


shapes = Attempts()
shapes.functions(
    "same",
    {
        "a length": lambda x: x * len(x),
        "an attribute": lambda x: x * x.shape[0] + x.ndim + x.size,
        "a shape that decides": lambda x: x if x.shape[0] > 2 else -x,
        "a loop over its rows": lambda x: sum(mg.sum(row) * (i + 1) for i, row in enumerate(x)),
        "a loop over a range": lambda x: sum(x[i] * i for i in range(x.shape[0])),
        "a reshape by its shape": lambda x: mg.reshape(x, (x.shape[0], -1)),
        "rows unpacked": lambda x: mg.stack(list(x)) * 2.0,
        "zip of rows": lambda x: mg.stack([a * b for a, b in zip(x, x[::-1])]),
        "its middle": lambda x: x[len(x) // 2],
        "a slice with NumPy integers": lambda x: x[np.int64(0) : np.int64(0) + 2] * 2.0,
        "a constant of its shape": lambda x: x * np.arange(x.size, dtype=float).reshape(x.shape),
        "recursion over halves": lambda x: halves(x),
        "reversed": lambda x: mg.stack(list(reversed(list(x)))),
    },
    X, Y, X[:2], M, M[:, :1], M[:1], X[:1],
    orders=1,
)  # fmt: skip


def halves(x):
    """The sum by recursion over halves."""
    return mg.sum(x) if len(x) <= 1 else halves(x[: len(x) // 2]) * 2.0 + halves(x[len(x) // 2 :])


@shapes.same
def empty_arrays(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(x * 2.0 + 1.0)))
    yield from over(f, np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)), X, np.zeros(0))


@shapes.same
def an_empty_array_and_a_product_of_matrices(compile):
    f = compile(lambda a, b: mg.matmul(a, b))
    yield from over(f, (np.zeros((0, 3)), np.ones((3, 2))), (np.zeros((2, 0)), np.ones((0, 2))), (M, M.T))


@shapes.same
def shapes_that_broadcast(compile):
    f = compile(mg.grad(lambda a, b: mg.sum(a * b * b), (0, 1)))
    yield from over(f, (X, 2.0), (2.0, X), (X, M), (M, X[:1]), (M[:, :1], X), (np.array(2.0), M), (X, Y))


@shapes.same
def a_generator_of_shapes(compile):
    f = compile(mg.value_and_grad(lambda x: mg.mean(mg.tanh(x) * x)))
    for n in [1, 2, 3, 5, 8, 13, 21, 34, 55, 3, 2, 1]:
        yield f(np.linspace(-1, 1, n))


@shapes.honest
def an_error_of_shapes(compile):
    f = compile(lambda a, b: a * b)
    yield f(X, Y)
    yield outcome(f, X, X[:2])
    yield f(Y, X)


test_shapes = shapes.test()


in_place = Attempts()


@in_place.fixed("w")
def a_captured_array(compile):
    w = X.copy()
    f = compile(lambda x: mg.sum(x * w))
    yield f(Y)
    w[0] = 7.0
    yield f(Y)


@in_place.fixed("w")
def a_view_of_a_captured_array(compile):
    w = M.copy()
    f = compile(lambda x: x * w[0])
    yield f(Y)
    w[0, 0] = 7.0
    yield f(Y)


@in_place.fixed("w")
def a_captured_array_in_a_gradient(compile):
    w = X.copy()
    f = compile(mg.grad(lambda x: mg.sum(x * x * w)))
    yield f(Y)
    w *= 2.0
    yield f(Y)


@in_place.honest
def an_argument_that_f_changes(compile):
    def f(x):
        x[0] = 7.0
        return x * 2.0

    f = compile(f)
    for _ in range(3):
        x = X.copy()
        yield f(x)
        yield x


@in_place.honest
def an_argument_that_f_adds_to(compile):
    def f(x):
        x += 1.0
        return x * 2.0

    f = compile(f)
    for _ in range(3):
        x = X.copy()
        yield f(x)
        yield x


@in_place.honest
def an_argument_that_f_sorts(compile):
    def f(x):
        x.sort()
        return x * 2.0

    f = compile(f)
    for start in (X, Y, Z):
        x = start.copy()
        yield outcome(f, x)
        yield x


@in_place.honest
def a_captured_array_that_f_writes_to(compile):
    log = np.zeros(3)

    def f(x):
        log[:] += 1.0
        return x * 2.0

    f = compile(f)
    for _ in range(3):
        yield f(X)
        yield log


@in_place.honest
def an_out_argument(compile):
    out = np.zeros(3)
    f = compile(lambda x: np.multiply(x, 2.0, out=out))
    for x in (X, Y, Z):
        yield outcome(f, x)
        yield out


@in_place.honest
def an_array_filled_by_hand(compile):
    def f(x):
        y = np.zeros(3)
        for i in range(3):
            y[i] = x[i] * 2.0
        return mg.sum(y * x)

    yield from over(compile(f), X, Y, Z)


test_in_place = in_place.test()
