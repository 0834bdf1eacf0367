"""Rules written by hand are part of a program: with their state, their reads and their errors."""

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, cubed, outcome, over, twice


@mg.custom_gradient
def both(a, b):
    def grad(d_sum, d_product):
        return d_sum + d_product * b, d_sum + d_product * a

    return (a + b, a * b), grad


rules = Attempts()
rules.functions(
    "same",
    {
        "another gradient": lambda x: twice(x) * x,
        "a rule of what was computed": lambda x: cubed(mg.sin(x)),
        "one rule twice": lambda x: twice(cubed(x)) + cubed(twice(x)),
        "a rule of several outputs": lambda x: mg.multiply(*both(x, mg.sin(x))),
        "a rule one of whose outputs is used": lambda x: both(x, x * x)[1],
        "an output that is not used": lambda x: both(x, mg.exp(x))[0] + x,
        "stop_gradient": lambda x: mg.stop_gradient(x) * x,
        "stop_gradient of all": lambda x: mg.stop_gradient(mg.sin(x)) + 0.0 * x,
        "straight through": lambda x: x + mg.stop_gradient(mg.round(x) - x),
        "grad_pass_through": lambda x: mg.grad_pass_through(mg.round)(x) * x,
        "recompute_grad": lambda x: mg.recompute_grad(lambda x: mg.sin(x) * mg.exp(x))(x),
        "recompute_grad twice": lambda x: mg.recompute_grad(mg.recompute_grad(mg.tanh))(x) * x,
        "a rule in recompute_grad": lambda x: mg.recompute_grad(lambda x: cubed(x) * x)(x),
        "a rule defined inside": lambda x: mg.custom_gradient(lambda v: (v * v, lambda dy: dy * v))(x),
    },
    X, Y, Z, mg.constant(X),
    orders=2,
)  # fmt: skip


@rules.fixed("slope")
def a_rule_with_a_number_of_a_closure(compile):
    slope = 2.0
    sloped = mg.custom_gradient(lambda x: (mg.identity(x), lambda dy: dy * slope))
    f = compile(mg.grad(lambda x: mg.sum(sloped(x))))
    yield f(X)
    slope = 3.0
    yield f(X)


@rules.honest
def a_rule_with_a_number_of_a_closure_of_a_compiled_function(compile):
    slope = [2.0]
    sloped = mg.custom_gradient(lambda x: (mg.identity(x), lambda dy: dy * slope[0]))
    f = compile(lambda x: mg.sum(sloped(x)))
    for x in (X, Y, Z):
        yield mg.grad(f)(x)


@rules.fixed("state", "w")
def a_rule_with_an_array(compile):
    w = X.copy()
    sloped = mg.custom_gradient(lambda x: (mg.identity(x), lambda dy: dy * w))
    f = compile(mg.grad(lambda x: mg.sum(sloped(x))))
    yield f(X)
    w[0] = 7.0
    yield f(X)


@rules.same
def a_rule_with_a_variable(compile):
    w = mg.Variable(X, trainable=False)
    sloped = mg.custom_gradient(lambda x: (mg.identity(x), lambda dy: dy * w))
    f = compile(mg.grad(lambda x: mg.sum(mg.square(sloped(x)))))
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@rules.same
def a_rule_that_returns_gradients_of_variables(compile):
    w = mg.Variable(X)

    @mg.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            return dy * w * 0.5, [dy * x * 3.0 for _ in variables]

        return x * w, grad

    f = compile(lambda x: mg.sum(scaled(x)))
    for value in (Y, Z, X):
        with mg.GradientTape() as tape:
            y = f(Y)
        yield y
        yield tape.gradient(y, w)
        w.assign(value)


@rules.refused
def a_rule_that_reads_a_value_of_the_forward_pass(compile):
    sloped = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * float(x[0])))
    f = compile(mg.grad(lambda x: mg.sum(sloped(x))))
    yield from over(f, X, Y, Z)


@rules.refused
def a_rule_that_reads_its_upstream(compile):
    sloped = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * float(dy[0])))
    f = compile(mg.grad(lambda x: mg.sum(mg.square(sloped(x)))))
    yield from over(f, X, Y, Z)


@rules.refused
def a_rule_that_works_in_numpy(compile):
    sloped = mg.custom_gradient(lambda x: (x * x, lambda dy: np.asarray(dy) * np.sign(np.asarray(x))))
    f = compile(mg.grad(lambda x: mg.sum(mg.square(sloped(x)))))
    yield from over(f, X, Y, Z)


@rules.refused
def a_forward_pass_that_works_in_numpy(compile):
    sloped = mg.custom_gradient(lambda x: (mg.constant(np.sin(np.asarray(x))), lambda dy: dy * mg.cos(x)))
    f = compile(mg.value_and_grad(lambda x: mg.sum(sloped(x))))
    yield from over(f, X, Y, Z)


@rules.refused
def a_rule_that_counts(compile):
    n = [0]

    def grad(dy):
        n[0] += 1
        return dy * n[0]

    counted = mg.custom_gradient(lambda x: (mg.identity(x), grad))
    f = compile(mg.grad(lambda x: mg.sum(counted(x))))
    for _ in range(3):
        yield f(X)


@rules.honest
def a_rule_that_keeps_its_upstream(compile):
    kept = []

    @mg.custom_gradient
    def watched(x):
        return mg.identity(x), lambda dy: kept.append(dy) or dy * (1.0 if len(kept) < 5 else 2.0)

    f = compile(mg.grad(lambda x: mg.sum(watched(x))))
    for _ in range(8):
        yield f(X)


@rules.honest
def a_rule_that_raises_for_large_values(compile):
    @mg.custom_gradient
    def limited(x):
        def grad(dy):
            if mg.sum(x) > 5:
                raise ValueError("too large")
            return dy

        return mg.identity(x), grad

    f = compile(mg.grad(lambda x: mg.sum(limited(x))))
    for x in (X, X, Y, Z):
        yield outcome(f, x)


@rules.honest
def a_rule_that_returns_none(compile):
    cut = mg.custom_gradient(lambda a, b: (a * b, lambda dy: (dy * b, None)))
    f = compile(mg.grad(lambda a, b: mg.sum(cut(a, b) + b), (0, 1)))
    for args in ((X, Y), (X, Y), (Y, Z)):
        yield outcome(f, *args)


@rules.fixed("rule")
def a_rule_that_is_replaced(compile):
    rule = twice
    f = compile(mg.grad(lambda x: mg.sum(rule(x))))
    yield f(X)
    rule = cubed
    yield f(X)


test_rules = rules.test()
