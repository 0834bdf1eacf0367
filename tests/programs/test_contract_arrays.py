"""Arrays of each layout and dtype are what they are to the function."""

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, outcome, over

layouts = Attempts()


def each_layout():
    """One matrix of numbers in several layouts, and with several owners."""
    m = np.arange(12.0).reshape(3, 4) / 7 - 0.6
    readonly = m.copy()
    readonly.flags.writeable = False
    return [
        m,
        np.asfortranarray(m),
        np.repeat(m, 2, axis=1)[:, ::2],
        m[::-1, ::-1].copy()[::-1, ::-1],
        np.ascontiguousarray(m.T).T,
        np.frombuffer(b"x" + m.tobytes(), np.uint8)[1:].view(np.float64).reshape(3, 4),  # not aligned
        np.broadcast_to(m[0], (3, 4)),
        readonly,
        m * 2,
    ]


layouts.functions(
    "same",
    {
        "a sum of products": lambda m: mg.sum(m * m),
        "a sum along an axis": lambda m: mg.sum(m, axis=0) * 2.0,
        "a mean": lambda m: mg.mean(m, axis=1),
        "a product of matrices": lambda m: mg.matmul(m, mg.transpose(m)),
        "a product with its transpose's views": lambda m: m[:2] @ mg.transpose(m[1:]),
        "a reshape": lambda m: mg.reshape(m, (4, 3)) * 2.0,
        "an elementwise chain": lambda m: mg.tanh(mg.sin(m) * m + 1.0),
        "a slice with a step": lambda m: m[::-1, ::2] * 3.0,
    },
    *each_layout(),
    orders=1,
)


@layouts.honest
def bytes_in_the_other_order(compile):
    f = compile(lambda x: x * 2.0 + 1.0)
    for x in (X, X.astype(">f8"), Y, Y.astype(">f8"), Y.astype(">f4")):
        yield outcome(f, x)


@layouts.same
def a_captured_array_that_is_not_contiguous(compile):
    w = np.arange(12.0).reshape(3, 4)[::-1, ::2].T
    f = compile(lambda x: mg.matmul(w, x))
    yield from over(f, X, Y)


@layouts.same
def an_array_with_a_stride_of_zero(compile):
    f = compile(mg.grad(lambda a, b: mg.sum(a * b * a), (0, 1)))
    yield from over(f, (np.broadcast_to(2.0, 3), X), (Y, np.broadcast_to(np.float64(3), (3,))))


@layouts.same
def a_result_whose_layout_shows_in_its_bytes_as_read(compile):
    f = compile(lambda m: mg.transpose(m) * 1.0)
    for m in each_layout():
        yield f(m).ravel(order="K")


test_layouts = layouts.test()


dtypes = Attempts()
ALL = [np.array([1, 2, 3]).astype(d) for d in ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "?")]
dtypes.functions(
    "same",
    {
        "times a Python float": lambda x: x * 0.1,
        "times a Python int": lambda x: x * 3,
        "divided by a Python int": lambda x: mg.divide(x, 3),
        "plus a float32": lambda x: x + np.float32(0.1),
        "plus a float64": lambda x: x + np.float64(0.1),
        "plus a list": lambda x: mg.add(x, [0.1, 0.2, 0.3]),
        "a square": lambda x: mg.square(x),
        "a sum": lambda x: mg.sum(x),
        "a mean": lambda x: mg.mean(mg.cast(x, "float32")),
        "exp": lambda x: mg.exp(mg.cast(x, "float16")) * 0.1,
        "a comparison": lambda x: mg.greater(x, 1),
        "where": lambda x: mg.where(mg.greater(x, 1), x, 0),
    },
    *ALL,
    *(x[::-1] for x in ALL),
)
dtypes.functions(
    "same",
    {
        "a chain in low precision": lambda x: mg.sin(x * 0.1 + 3) / 7,
        "a power in low precision": lambda x: (x + 1.5) ** 2 * 0.3,
        "a softmax in low precision": lambda x: mg.softmax(x * 0.7),
        "constants of each kind": lambda x: x * 2 + 0.1 - np.float16(0.3) + np.array(0.7, "f4"),
        "a constant that float32 rounds": lambda x: mg.sin(x * 0.1) * np.float32(0.1) + mg.constant(0.3, x.dtype),
    },
    np.float16([1, 2, 3]), np.float32([1, 2, 3]), np.float64([1, 2, 3]), np.float32([3, 1, 2]),
    orders=2,
)  # fmt: skip


@dtypes.same
def two_dtypes_in_turn(compile):
    f = compile(lambda a, b: a * b + a)
    a, b = np.float32([0.1, 0.2]), np.float64([0.3, 0.7])
    yield from over(f, (a, a), (a, b), (b, a), (b, b), (a, a), (np.int32([1, 2]), a))


@dtypes.same
def an_array_of_no_axes_a_numpy_number_and_a_python_number(compile):
    f = compile(lambda x: x * np.float32([0.1, 0.2]))
    yield from over(
        f, 0.1, np.float64(0.1), np.array(0.1), np.float32(0.1), np.array([0.1]), 3, np.int8(3), np.array(3)
    )


@dtypes.same
def a_number_as_the_only_argument(compile):
    f = compile(lambda x: mg.sin(x) * x)
    yield from over(f, 2.0, 3.0, 2, np.float32(2), np.array(2.0), mg.constant(2.0), mg.constant(2.0, "float64"))


@dtypes.same
def gradients_of_numbers_of_each_kind(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sin(x) * x))
    yield from over(f, 2.0, 3.0, np.float32(2), np.float16(2), np.array(2.0), mg.constant(2.0))


@dtypes.honest
def the_default_dtype_changes(compile):
    f = compile(lambda x: mg.constant([0.1, 0.2, 0.3]) * x + 0.1)
    before = mg.default_dtype()
    try:
        yield f(2.0)
        mg.set_default_dtype("float64")
        yield f(2.0)
        yield f(np.float32(2))
        mg.set_default_dtype("float32")
        yield f(2.0)
    finally:
        mg.set_default_dtype(before)


@dtypes.honest
def the_default_dtype_changes_for_an_array_of_ones(compile):
    f = compile(lambda x: mg.ones(3) * 0.1 + mg.cast(x, mg.default_dtype()))
    before = mg.default_dtype()
    try:
        for dtype in ("float32", "float64", "float32"):
            mg.set_default_dtype(dtype)
            yield f(X)
    finally:
        mg.set_default_dtype(before)


@dtypes.honest
def the_default_dtype_is_set_by_f(compile):
    def f(x):
        mg.set_default_dtype("float64")
        return mg.constant(0.1) * x

    g, before = compile(f), mg.default_dtype()
    try:
        for _ in range(3):
            mg.set_default_dtype("float32")
            yield g(2.0)
    finally:
        mg.set_default_dtype(before)


@dtypes.same
def dtypes_that_decide(compile):
    f = compile(lambda x: x * 2.0 if x.dtype == np.float32 else x * 3.0)
    yield from over(f, X, np.float32(X), Y, np.float32(Y))


@dtypes.same
def a_cast_to_integers_and_back(compile):
    f = compile(lambda x: mg.cast(mg.cast(x, "int32"), "float64") * x)
    yield from over(f, X, Y, Z * 1.9)


@dtypes.same
def integers_that_overflow(compile):
    f = compile(lambda x: x * x + x)
    yield from over(f, np.int8([100, 3]), np.int8([5, -100]), np.uint8([0, 200]))


@dtypes.honest
def floating_point_errors_that_raise(compile):
    f = compile(lambda x: mg.divide(1.0, x))
    yield f(X)
    yield f(X)
    with np.errstate(all="raise"):
        yield outcome(f, X * 0)
    yield f(Y)


test_dtypes = dtypes.test()
