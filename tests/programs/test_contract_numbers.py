"""Numbers as arguments, and the ways in which arguments are given."""

import functools

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, outcome, over

numbers = Attempts()
numbers.functions(
    "same",
    {
        "a float that scales": lambda x, n: x * n,
        "a float on its own": lambda x, n: n * 2.0 + n,
        "a float that is returned": lambda x, n: (x, n),
        "a float and a float32 array": lambda x, n: mg.cast(x, "float32") * n,
    },
    (X, 2.0), (X, 3.0), (Y, -0.0), (Y, 0.0), (Y, float("inf")), (Z, 0.1),
)  # fmt: skip
numbers.functions(
    "honest",
    {
        "an int that scales": lambda x, n: x * n,
        "an int that divides": lambda x, n: mg.divide(n, x),
        "an int as exponent": lambda x, n: x**n,
        "an int as index": lambda x, n: x[n],
        "an int as index twice": lambda x, n: x[n] + x[n - 1],
        "an int as length of a slice": lambda x, n: x[:n],
        "an int as number of turns": lambda x, n: functools.reduce(lambda a, _: mg.sin(a), range(n), x),
        "an int as shape": lambda x, n: mg.zeros((n,)) + mg.sum(x),
        "an int that decides": lambda x, n: x if n > 1 else -x,
        "an int as shift": lambda x, n: mg.roll(x, n),
        "an int as key": lambda x, n: {1: x, 2: x * 2.0}.get(n, x * 3.0),
    },
    (X, 2), (X, 1), (Y, 2), (Y, 0),
)  # fmt: skip


@numbers.honest
def numbers_that_are_equal_and_of_other_types(compile):
    f = compile(lambda x, n: x * n)
    one = np.array([1, 2, 3])
    yield from over(f, (one, 1), (one, 1.0), (one, True), (one, np.float32(1)), (one, np.int8(1)), (one, np.True_))


@numbers.honest
def zeros_of_both_signs(compile):
    f = compile(lambda x, n: mg.divide(x, n))
    yield from over(f, (X, 0.0), (X, -0.0), (Y, 0.0))


@numbers.honest
def a_flag(compile):
    f = compile(lambda x, training: x * 0.5 if training else x)
    yield from over(f, (X, True), (X, False), (Y, True), (Y, False))


@numbers.same
def numpy_numbers(compile):
    f = compile(lambda x, n: x * n)
    one = np.float32([1, 2])
    yield from over(f, (one, np.float32(0.1)), (one, np.float64(0.1)), (one, np.float16(0.1)), (one, np.int64(3)))


@numbers.same
def a_number_then_an_array_of_no_axes(compile):
    f = compile(lambda x, n: x * n)
    one = np.float32([1, 2])
    yield from over(f, (one, 0.1), (one, np.array(0.1)), (one, np.float64(0.1)), (one, np.array([0.1])))


@numbers.honest
def an_integer_beyond_64_bits(compile):
    f = compile(lambda x, n: x * n)
    for n in (2.0, 2**70, 3.0, 2**71):
        yield outcome(f, X, n)


@numbers.honest
def a_complex_number(compile):
    f = compile(lambda x, n: x * n)
    for n in (2.0, 1j, 2j):
        yield outcome(f, X, n)


@numbers.same
def a_float_in_a_dict_beside_an_array(compile):
    f = compile(lambda p: p["w"] * p["rate"] - p["rate"])
    yield from over(f, {"w": X, "rate": 0.1}, {"w": X, "rate": 0.2}, {"w": Y, "rate": 1e-300})


test_numbers = numbers.test()


signatures = Attempts()


@signatures.same
def a_keyword(compile):
    f = compile(lambda x, scale: x * scale)
    for scale in (2.0, 3.0, 3.0):
        yield f(X, scale=scale)
        yield f(scale=scale, x=Y)
        yield f(Y, scale)


@signatures.same
def a_default_left_out_and_given(compile):
    f = compile(lambda x, scale=2.0: x * scale)
    yield f(X)
    yield f(X, 3.0)
    yield f(X)
    yield f(X, scale=4.0)
    yield f(Y)


@signatures.same
def a_default_that_is_an_array(compile):
    f = compile(lambda x, w=X: x * w)
    yield f(X)
    yield f(X, Y)
    yield f(Y)


@signatures.same
def keywords_in_another_order(compile):
    f = compile(lambda **p: mg.divide(p["a"], p["b"]))
    yield f(a=X, b=Y)
    yield f(b=X, a=Y)
    yield f(b=Z, a=Y)


@signatures.same
def arguments_in_another_number(compile):
    f = compile(lambda *xs: functools.reduce(mg.subtract, xs))
    yield f(X)
    yield f(X, Y)
    yield f(X, Y, Z)
    yield f(Y, Z)


@signatures.same
def positional_and_keyword_only(compile):
    def f(x, /, y, *, scale=2.0):
        return mg.divide(x, y) * scale

    f = compile(f)
    yield f(X, Y)
    yield f(X, y=Z, scale=3.0)
    yield f(X, Y)


@signatures.same
def other_keywords(compile):
    f = compile(lambda x, **options: x * options.get("scale", 1.0) + len(options))
    yield f(X)
    yield f(X, scale=2.0)
    yield f(X, shift=2.0)
    yield f(X, scale=3.0, shift=1.0)


@signatures.same
def too_few_arguments(compile):
    f = compile(lambda x, y: x * y)
    yield f(X, Y)
    yield outcome(f, X)
    yield outcome(f, X, Y, Z)
    yield f(X, Z)


@signatures.same
def no_arguments(compile):
    f = compile(lambda: mg.sin(mg.constant(X)))
    yield f()
    yield f()


@signatures.same
def a_partial_function(compile):
    f = compile(functools.partial(lambda x, y, scale: x * y * scale, X, scale=2.0))
    yield from over(f, X, Y, Z)


@signatures.fixed("scales")
def a_mutable_default_that_changes(compile):
    scales = [2.0]

    def f(x, scales=scales):
        return x * scales[0]

    f = compile(f)
    yield f(X)
    scales[0] = 3.0
    yield f(X)


@signatures.honest
def a_mutable_default_that_counts(compile):
    def f(x, log=[]):  # noqa: B006
        log.append(1)
        return x * len(log)

    f = compile(f)
    for _ in range(4):
        yield f(X)


@signatures.honest
def a_mutable_default_that_remembers_results(compile):
    def f(x, cache={}):  # noqa: B006
        if "first" not in cache:
            cache["first"] = mg.sum(x)
        return x * cache["first"]

    f = compile(f)
    yield from over(f, X, Y, Z)


@signatures.fixed("scale", "__defaults__")
def defaults_that_are_replaced(compile):
    def f(x, scale=2.0):
        return x * scale

    g = compile(f)
    yield g(X)
    f.__defaults__ = (3.0,)
    yield g(X)


test_signatures = signatures.test()
