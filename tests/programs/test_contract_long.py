"""Functions that are replaced, and long chains."""

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, over

replaced = Attempts()


@replaced.fixed("sin", "np")
def a_function_of_numpy(compile):
    w, sin = X.copy(), np.sin
    f = compile(lambda x: x * np.sin(w))
    try:
        yield f(X)
        np.sin = np.cos
        yield f(X)
    finally:
        np.sin = sin


@replaced.fixed("tanh", "mg")
def an_op_in_a_gradient(compile):
    tanh = mg.tanh
    f = compile(mg.grad(lambda x: mg.sum(mg.tanh(x))))
    try:
        yield f(X)
        mg.tanh = mg.sin
        yield f(X)
    finally:
        mg.tanh = tanh


@replaced.fixed("len", "builtins", "__builtins__")
def a_builtin(compile):
    f = compile(lambda x: x * len([1, 2]))
    try:
        yield f(X)
        globals()["len"] = lambda x: 7
        yield f(X)
    finally:
        globals().pop("len", None)


@replaced.fixed("Helper", "times")
def a_method_of_a_helper(compile):
    class Helper:
        @staticmethod
        def times(x):
            return x * 2.0

    f = compile(lambda x: Helper.times(x))
    yield f(X)
    Helper.times = staticmethod(lambda x: x * 3.0)
    yield f(X)


@replaced.fixed("f", "g")
def the_code_of_a_function(compile):
    def g(x):
        return x * 2.0

    f = compile(lambda x: mg.sum(g(x)))
    yield f(X)
    g.__code__ = (lambda x: x * 3.0).__code__
    yield f(X)


test_replaced = replaced.test()


long = Attempts()


def chain(n):
    def f(x):
        for _ in range(n):
            x = mg.sin(x) + 0.1
        return mg.sum(x)

    return f


@long.same
def a_chain_of_5000_ops(compile):
    yield from over(compile(chain(2500)), X, Y)


@long.same
def the_gradient_of_a_chain_of_1000_ops(compile):
    yield from over(compile(mg.value_and_grad(chain(500))), X, Y)


@long.same
def the_second_derivative_of_a_chain_of_100_ops(compile):
    yield from over(compile(mg.hessian(chain(50))), X, Y)


@long.same
def a_sum_of_2000_terms(compile):
    f = compile(mg.value_and_grad(lambda x: sum(x * float(k) for k in range(1000))[0]))
    yield from over(f, X, Y)


@long.same
def a_tree_of_sums(compile):
    def f(x):
        xs = [x * k for k in range(256)]
        while len(xs) > 1:
            xs = [a + b for a, b in zip(xs[::2], xs[1::2])]
        return mg.sum(xs[0])

    yield from over(compile(mg.value_and_grad(f)), X, Y)


@long.same
def one_value_read_500_times(compile):
    yield from over(compile(mg.value_and_grad(lambda x: sum(x[k % 3] * k for k in range(500)))), X, Y)


@long.same
def three_hundred_arguments(compile):
    f = compile(mg.value_and_grad(lambda xs: sum(mg.sum(x * k) for k, x in enumerate(xs))))
    yield from over(f, [X] * 300, [Y] * 299 + [Z])


@long.same
def a_structure_100_levels_deep(compile):
    def deep(x):
        for _ in range(100):
            x = [x]
        return x

    def f(x):
        while isinstance(x, list):
            (x,) = x
        return mg.sum(x * x)

    yield from over(compile(f), (deep(X),), (deep(Y),))


test_long = long.test()
