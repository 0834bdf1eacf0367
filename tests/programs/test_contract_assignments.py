"""A function that assigns a Variable has no program."""

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, over, variable

written = Attempts()


@written.refused
def a_counter(compile):
    n = mg.Variable(0.0)

    def f(x):
        n.assign_add(1.0)
        return x * n

    f = compile(f)
    for _ in range(3):
        yield f(X)


@written.refused
def an_assignment_that_ends_where_it_began(compile):
    w = variable()

    def f(x):
        before = w.read_value()
        w.assign(x)
        y = mg.sum(w * x)
        w.assign(before)
        return y

    yield from over(compile(f), X, Y, Z)


@written.refused
def an_assignment_of_the_same_value(compile):
    w = variable()

    def f(x):
        w.assign(x)
        return mg.sum(w * w)

    f = compile(f)
    for x in (X, X, Y):
        yield f(x)
        yield w


@written.refused
def an_assignment_of_a_constant(compile):
    w = variable(np.ones(3))

    def f(x):
        y = w * x
        w.assign(np.ones(3))
        return y

    f = compile(f)
    yield f(X)
    w.assign(Y)
    yield f(X)
    yield f(X)


@written.refused
def a_running_mean(compile):
    mean = variable()

    def f(x):
        mean.assign(mean * 0.9 + x * 0.1)
        return x - mean

    f = compile(f)
    for x in (X, Y, Z):
        yield f(x)
        yield mean


@written.refused
def an_optimizer_inside(compile):
    w, opt = variable(), mg.optim.SGD(0.1)

    def step(x):
        value, slope = mg.value_and_grad(lambda w: mg.sum(w * w * x))(w)
        opt.step(w, slope)
        return value

    step = compile(step)
    for _ in range(3):
        yield step(X)
        yield w


@written.refused
def adam_inside(compile):
    w, opt = variable(), mg.optim.Adam(0.1)

    def step(x):
        value, slope = mg.value_and_grad(lambda w: mg.sum(w * w * x))(w)
        opt.step(w, slope)
        return value

    step = compile(step)
    for _ in range(3):
        yield step(X)
        yield w


@written.refused
def an_argument_assigned(compile):
    def f(w, x):
        w.assign_add(x)
        return w * 2.0

    f, w = compile(f), variable()
    for _ in range(3):
        yield f(w, X)
        yield w


@written.refused
def an_assignment_in_a_rule(compile):
    seen = variable()

    @mg.custom_gradient
    def watched(x):
        def grad(dy):
            seen.assign(dy)
            return dy

        return mg.identity(x), grad

    f = compile(mg.grad(lambda x: mg.sum(mg.square(watched(x)))))
    for x in (X, Y, Z):
        yield f(x)
        yield seen


@written.refused
def an_assignment_by_a_tape_of_another_transform(compile):
    w = variable()

    def f(x):
        with mg.GradientTape() as tape:
            loss = mg.sum(w * w * x)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    f = compile(f)
    for x in (X, Y, Z):
        yield f(x)
        yield w


@written.honest
def a_variable_made_inside(compile):
    f = compile(lambda x: mg.sum(mg.Variable(X) * x))
    yield from over(f, X, Y, Z)


@written.honest
def a_variable_made_inside_from_an_argument(compile):
    f = compile(lambda x: mg.sum(mg.Variable(x) * 2.0))
    yield from over(f, X, Y, Z)


@written.honest
def a_variable_made_inside_and_assigned(compile):
    def f(x):
        w = mg.Variable(np.zeros(3))
        w.assign(x)
        return mg.sum(w * x)

    yield from over(compile(f), X, Y, Z)


@written.honest
def a_variable_made_at_the_first_call(compile):
    made = []

    def f(x):
        if not made:
            made.append(variable())
        return mg.sum(made[0] * x)

    f = compile(f)
    for x in (X, Y, Z):
        yield f(x)
        made[0].assign(x)


test_written = written.test()
