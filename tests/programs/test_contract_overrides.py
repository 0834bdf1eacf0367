"""Overrides, ignored rules and recomputation around and inside programs."""

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, cubed, over, twice

overrides = Attempts()


@mg.RegisterGradient("ContractDoubled")
def _doubled(op, dy):
    return dy * 2.0


@overrides.same
def an_override_inside(compile):
    def f(x):
        with mg.gradient_override_map({"Sin": "ContractDoubled"}):
            return mg.sum(mg.sin(x) * x)

    yield from over(compile(mg.value_and_grad(f)), X, Y, Z)


@overrides.honest
def an_override_around_a_call(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.sin(x) * x)))
    yield f(X)
    yield f(X)
    with mg.gradient_override_map({"Sin": "ContractDoubled"}):
        yield f(X)
    yield f(X)


@overrides.honest
def an_override_around_the_first_call(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.sin(x) * x)))
    with mg.gradient_override_map({"Sin": "ContractDoubled"}):
        yield f(X)
        yield f(Y)
    yield f(X)
    yield f(Y)


@overrides.honest
def an_override_around_the_call_of_a_compiled_function(compile):
    f = compile(lambda x: mg.sum(mg.sin(x) * x))
    yield mg.grad(f)(X)
    with mg.gradient_override_map({"Sin": "ContractDoubled"}):
        yield mg.grad(f)(X)
    yield mg.grad(f)(Y)


@overrides.honest
def ignored_rules_around_a_call(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(twice(x) * x)))
    yield f(X)
    yield f(X)
    with mg.ignore_custom_gradients():
        yield f(X)
    yield f(Y)


@overrides.honest
def ignored_rules_around_the_first_call(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(twice(x) * x)))
    with mg.ignore_custom_gradients():
        yield f(X)
        yield f(Y)
    yield f(X)


@overrides.honest
def ignored_rules_around_a_gradient_of_a_compiled_function(compile):
    f = compile(lambda x: mg.sum(twice(x) * x))
    yield mg.grad(f)(X)
    with mg.ignore_custom_gradients():
        yield mg.grad(f)(X)
    yield mg.grad(f)(Y)


@overrides.honest
def ignored_rules_inside(compile):
    def f(x):
        with mg.ignore_custom_gradients():
            return mg.sum(twice(x) * x)

    yield from over(compile(mg.value_and_grad(f)), X, Y, Z)


@overrides.honest
def ignored_rules_of_a_compiled_part(compile):
    part = compile(lambda x: twice(x) * x)

    def f(x):
        with mg.ignore_custom_gradients():
            return mg.sum(part(x))

    yield mg.grad(lambda x: mg.sum(part(x)))(X)
    yield from over(mg.grad(f), X, Y, Z)


@overrides.honest
def a_second_derivative_with_a_rule_ignored_between(compile):
    f = compile(mg.hessian(lambda x: mg.sum(cubed(x))))
    yield f(X)
    with mg.ignore_custom_gradients():
        yield f(X)
    yield f(Y)


@overrides.honest
def recompute_grad_around_a_compiled_function(compile):
    f = compile(lambda x: mg.sin(x) * mg.exp(x))
    yield from over(mg.grad(lambda x: mg.sum(mg.recompute_grad(f)(x))), X, Y, Z)


@overrides.same
def recompute_grad_with_a_variable(compile):
    w = mg.Variable(X)
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.recompute_grad(lambda x: mg.sin(x * w))(x))))
    for value in (Y, Z, X):
        yield f(X)
        w.assign(value)


@overrides.honest
def a_compiled_function_as_a_custom_gradient(compile):
    square = mg.custom_gradient(compile(lambda x: (x * x, lambda dy: dy * x)))
    for x in (X, Y, Z):
        yield mg.grad(lambda x: mg.sum(square(x)))(x)


@overrides.honest
def a_compiled_rule(compile):
    rule = compile(lambda dy, x: dy * x * 5.0)
    square = mg.custom_gradient(lambda x: (x * x, lambda dy: rule(dy, x)))
    for x in (X, Y, Z):
        yield mg.grad(lambda x: mg.sum(mg.sin(square(x))))(x)


test_overrides = overrides.test()
