"""Arguments and results that share memory, or are one object."""

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, over

aliases = Attempts()


@aliases.same
def one_array_twice_and_then_two(compile):
    f = compile(lambda a, b: a * 2.0 - b)
    yield from over(f, (X, X), (X, Y), (Y, Y), (Z, X))


@aliases.same
def two_arrays_and_then_one_twice(compile):
    f = compile(mg.grad(lambda a, b: mg.sum(a * a * b), (0, 1)))
    yield from over(f, (X, Y), (Y, Y), (Z, X))


@aliases.same
def one_tensor_twice(compile):
    f = compile(mg.grad(lambda a, b: mg.sum(a * a * b), (0, 1)))
    x, y = mg.constant(X), mg.constant(Y)
    yield from over(f, (x, x), (x, y), (y, y), (y, x))


@aliases.honest
def a_function_that_compares_identities(compile):
    f = compile(lambda a, b: a * 2.0 if a is b else a + b)
    yield from over(f, (X, X), (X, Y), (Y, Y), (Z, X))


@aliases.same
def one_array_twice_in_a_dict(compile):
    f = compile(lambda p: p["a"] * 2.0 - p["b"])
    yield from over(f, {"a": X, "b": X}, {"a": X, "b": Y}, {"a": Z, "b": Z})


@aliases.same
def one_array_as_argument_and_captured(compile):
    w = X.copy()
    f = compile(lambda x: x * 2.0 - w)
    yield from over(f, w, Y, w.copy())


@aliases.same
def overlapping_views(compile):
    f, data = compile(lambda a, b: a - 2.0 * b), np.arange(6.0)
    yield from over(f, (data[:3], data[3:]), (data[:3], data[1:4]), (data[2:5], data[::2]), (data[::-1][:3], data[:3]))


@aliases.same
def a_view_of_the_other_argument(compile):
    f = compile(lambda a, b: mg.sum(a * b))
    data = np.arange(9.0).reshape(3, 3)
    yield from over(f, (data, data), (data, data.T), (data.T, data + 1))


@aliases.same
def arguments_that_are_exchanged(compile):
    f = compile(lambda a, b: (b, a))
    yield from over(f, (X, Y), (Y, X), (Z, Z))


@aliases.same
def an_argument_returned_untouched(compile):
    f = compile(lambda x: x)
    yield from over(f, X, Y, mg.constant(X), mg.constant(Y), np.float32(2), 2.0, 3, True)


@aliases.same
def an_argument_returned_twice(compile):
    f = compile(lambda x, y: [x, {"again": x, "other": x * y}])
    yield from over(f, (X, Y), (Y, Z))


@aliases.same
def an_argument_returned_among_gradients(compile):
    f = compile(lambda x: (x, mg.grad(lambda x: mg.sum(x))(x), mg.grad(lambda x: mg.sum(x * x))(x)))
    yield from over(f, X, Y)


@aliases.same
def a_captured_array_returned(compile):
    w = X.copy()
    f = compile(lambda x: (w, x * w))
    yield from over(f, X, Y)


@aliases.honest
def a_captured_array_returned_and_changed_by_the_caller(compile):
    f = compile(lambda x: (mg.constant(X) * 1.0, x * 2.0))
    yield f(Y)
    value, _ = f(Y)
    value.numpy()[:] = 7.0
    yield f(Y)


@aliases.same
def a_result_kept_while_the_program_runs_on(compile):
    f = compile(lambda x: mg.sin(x * 2.0 + 1.0))
    first, second = f(X), f(Y)
    third = f(Z)
    yield first, second, third


@aliases.same
def a_large_result_kept_while_the_program_runs_on(compile):
    f, x = compile(lambda x: mg.sin(x * 2.0 + 1.0) * x), np.linspace(-3, 3, 100_000)
    first, second = f(x), f(x * 2)
    third = f(x * 3)
    yield first[::1000], second[::1000], third[::1000]


@aliases.same
def gradients_kept_while_the_program_runs_on(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.exp(x) * x)))
    first, second = f(X), f(Y)
    third = f(Z)
    yield first, second, third


@aliases.same
def a_result_changed_by_the_caller(compile):
    f = compile(lambda x: x * 2.0 + 1.0)
    for _ in range(3):
        y = f(X)
        yield y
        y[:] = 99.0


@aliases.same
def a_gradient_of_constants_changed_by_the_caller(compile):
    f = compile(mg.grad(lambda x: mg.sum(x * 2.0)))
    for _ in range(3):
        y = f(X)
        yield y
        y[:] = 99.0


@aliases.same
def a_result_that_is_constant_changed_by_the_caller(compile):
    f = compile(lambda x: (mg.sum(x), np.ones(3)))
    for _ in range(3):
        _, ones = f(X)
        yield ones
        ones[:] = 99.0


@aliases.same
def two_equal_results_one_of_them_changed(compile):
    f = compile(lambda x: (x * 2.0, x * 2.0))
    for _ in range(3):
        a, b = f(X)
        a[:] = 99.0
        yield b


@aliases.same
def two_equal_gradients_one_of_them_changed(compile):
    f = compile(mg.grad(lambda a, b: mg.sum(mg.sin(a + b)), (0, 1)))
    for _ in range(3):
        a, b = f(X, Y)
        a[:] = 99.0
        yield b


@aliases.same
def a_structure_in_the_result_changed_by_the_caller(compile):
    f = compile(lambda x: {"y": x * 2.0, "list": [1]})
    for _ in range(3):
        d = f(X)
        yield d
        d["list"].append(2)
        d["more"] = 3


@aliases.same
def an_argument_changed_in_place_after_the_call(compile):
    f, x = compile(lambda x: (x * 1.0, x + 0.0, mg.sin(x))), X.copy()
    for _ in range(3):
        y = f(x)
        x += 1.0
        yield y


@aliases.same
def an_argument_changed_in_place_between_calls(compile):
    f, x = compile(lambda x: mg.sum(x * x)), X.copy()
    for _ in range(3):
        yield f(x)
        x[0] += 1.0


@aliases.same
def an_argument_changed_before_its_gradient(compile):
    f, x = compile(lambda x: mg.sum(x * x * x)), X.copy()
    for _ in range(3):
        y, pullback = mg.vjp(f, mg.constant(x))
        x += 1.0
        yield y, pullback(1.0)


test_aliases = aliases.test()
