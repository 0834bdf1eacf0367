"""Tapes inside and around programs, and programs in programs."""

import functools

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, M, X, Y, Z, over

tapes = Attempts()


@tapes.same
def a_tape_inside(compile):
    def f(x):
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = mg.sum(mg.sin(x) * x)
        return y, tape.gradient(y, x)

    yield from over(compile(f), *map(mg.constant, (X, Y, Z)))


@tapes.same
def a_tape_inside_for_a_variable(compile):
    w = mg.Variable(X)

    def f(x):
        with mg.GradientTape() as tape:
            y = mg.sum(mg.sin(x * w))
        return tape.gradient(y, [w])

    f = compile(f)
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@tapes.same
def a_tape_in_a_tape_inside(compile):
    def f(x):
        with mg.GradientTape() as outer:
            outer.watch(x)
            with mg.GradientTape() as inner:
                inner.watch(x)
                y = mg.sum(mg.sin(x) * x)
            g = inner.gradient(y, x)
        return outer.gradient(g, x)

    yield from over(compile(f), *map(mg.constant, (X, Y, Z)))


@tapes.honest
def a_tape_inside_that_watches_an_array(compile):
    def f(x):
        x = mg.constant(x)
        with mg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = mg.sum(y * x)
        return tape.gradient(z, x), tape.gradient(z, y)

    yield from over(compile(f), X, Y, Z)


@tapes.same
def a_tape_around(compile):
    f = compile(lambda x: mg.sum(mg.sin(x) * x))
    for x in map(mg.constant, (X, X, Y, Z)):
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        yield tape.gradient(y, x)


@tapes.same
def a_persistent_tape_around_two_calls(compile):
    f = compile(lambda x: mg.sin(x) * x)
    for x in map(mg.constant, (X, X, Y, Z)):
        with mg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
            z = mg.sum(f(y))
        yield tape.gradient(z, [x, y])


@tapes.same
def two_tapes_around(compile):
    f = compile(lambda x: mg.sum(mg.sin(x) * x))
    for x in map(mg.constant, (X, X, Y, Z)):
        with mg.GradientTape() as outer:
            outer.watch(x)
            with mg.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            g = inner.gradient(y, x)
        yield outer.gradient(g, x)


@tapes.honest
def a_tape_left_open_around(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.sin(x) * x)))
    for x in map(mg.constant, (X, X, Y, Z)):
        with mg.GradientTape() as tape:
            tape.watch(x)
            value, slope = f(x)
        yield value, slope, tape.gradient(slope, x)


@tapes.honest
def a_tape_that_stops_recording(compile):
    w = mg.Variable(X)

    def f(x):
        with mg.GradientTape() as tape:
            y = x * w
            with tape.stop_recording():
                z = mg.sum(y * w)
            t = mg.sum(y + z)
        return tape.gradient(t, w)

    f = compile(f)
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@tapes.honest
def a_tape_that_is_captured(compile):
    w = mg.Variable(X)
    tape = mg.GradientTape(persistent=True)

    def f(x):
        with tape:
            y = mg.sum(x * w * w)
        return tape.gradient(y, w)

    f = compile(f)
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@tapes.same
def a_gradient_of_a_graph_that_is_captured(compile):
    x = mg.constant(X)
    y = mg.sum(mg.sin(x) * x)
    f = compile(lambda s: mg.gradients(y, x)[0] * s)
    yield from over(f, 2.0, 3.0)


@tapes.same
def a_captured_tensor_is_a_source(compile):
    w = mg.constant(Y)
    f = compile(lambda x: mg.sum(x * w * w))
    for x in (X, X, Z):
        yield mg.gradients(f(mg.constant(x)), w)


@tapes.honest
def a_captured_tensor_with_a_history(compile):
    v = mg.constant(Y)
    w = mg.sin(v)
    f = compile(lambda x: mg.sum(x * w))
    for x in (X, X, Z):
        yield mg.gradients(f(mg.constant(x)), v)


@tapes.honest
def a_tensor_of_an_outer_gradient_is_captured(compile):
    def outer(x):
        f = compile(lambda y: mg.sum(x * y * y))
        return f(Y) + f(Z)

    for x in (X, Y):
        yield mg.grad(outer)(x)


@tapes.honest
def one_program_that_captures_tensors_of_two_gradients(compile):
    held = [None]
    f = compile(lambda y: mg.sum(held[0] * y * y))

    def outer(x):
        held[0] = x
        return f(Y)

    yield mg.grad(outer)(X)
    yield mg.grad(outer)(X)


test_tapes = tapes.test()


programs_in_programs = Attempts()


@programs_in_programs.same
def a_part(compile):
    part = compile(lambda x: mg.sin(x) * x)
    f = compile(lambda x: mg.sum(part(x) + part(x * 2.0)))
    yield from over(f, X, Y, Z)
    yield from over(mg.grad(f), X, Y, Z)


@programs_in_programs.same
def a_part_of_a_gradient(compile):
    part = compile(lambda x: mg.sin(x) * x)
    f = compile(mg.grad(lambda x: mg.sum(part(part(x)))))
    yield from over(f, X, Y, Z)


@programs_in_programs.same
def a_compiled_gradient_as_a_part(compile):
    slope = compile(mg.grad(lambda x: mg.sum(mg.sin(x) * x)))
    f = compile(lambda x: mg.sum(x - 0.1 * slope(x)))
    yield from over(f, X, Y, Z)
    yield from over(mg.grad(f), X, Y, Z)


@programs_in_programs.same
def compiled_twice(compile):
    f = compile(compile(lambda x: mg.sum(mg.sin(x) * x)))
    yield from over(f, X, Y, Z)
    yield from over(mg.grad(f), X, Y, Z)


@programs_in_programs.same
def a_part_with_a_variable(compile):
    w = mg.Variable(X)
    part = compile(lambda x: x * w)
    f = compile(lambda x: mg.sum(part(x) * w))
    for value in (Y, Z, X):
        yield f(X)
        yield part(Y)
        w.assign(value)


@programs_in_programs.refused
def a_part_that_decides(compile):
    part = compile(lambda x: x * 2.0 if x[0] > 0 else x)
    f = compile(lambda x: mg.sum(part(x)))
    yield from over(f, X, Y, Z)


@programs_in_programs.same
def compiled_inside(compile):
    f = compile(lambda x: mg.sum(compile(lambda x: mg.sin(x) * x)(x)))
    yield from over(f, X, Y, Z)


@programs_in_programs.same
def recursion(compile):
    @compile
    def power(x, n=3):
        return functools.reduce(lambda y, _: y * x, range(3), x)

    @compile
    def tree(xs):
        return xs * 2.0 if len(xs) == 1 else mg.concatenate([tree(xs[:1]), tree(xs[1:]) * 3.0])

    yield from over(power, X, Y)
    yield from over(tree, X, Y, np.array([1.0, 2.0, 3.0, 4.0]))


@programs_in_programs.same
def two_shapes_in_a_part(compile):
    part = compile(lambda x: mg.sum(mg.sin(x)))
    f = compile(lambda x: part(x) * part(x[:1]) * part(mg.outer(x, x)))
    yield from over(f, X, Y)
    yield from over(mg.grad(f), X, Y)


@programs_in_programs.same
def a_source_of_a_source(compile):
    f = compile(mg.grad(compile(mg.grad(lambda x: mg.sin(x) * x))))
    yield from over(f, 1.0, 2.0, -0.5)


@programs_in_programs.same
def rows_by_a_compiled_function(compile):
    row = compile(lambda x: mg.sin(x) * mg.sum(x))
    f = compile(lambda m: mg.stack([row(r) for r in m]))
    yield from over(f, M, M * 2)
    yield from over(mg.jacobian(f), M, M * 2)


test_programs_in_programs = programs_in_programs.test()
