"""What a function uses besides its arguments and Variables is fixed when the program is written, and listed."""

import collections
import functools
import types

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y

SCALE = 2.0
LATE = None
TABLE = {"scale": 2.0}


names = Attempts()


@names.fixed("scale")
def a_closure_rebound(compile):
    scale = 2.0
    f = compile(lambda x: mg.sum(x * scale))
    yield f(X)
    scale = 7.0
    yield f(X)
    yield f(Y)


@names.fixed("w")
def an_array_in_a_closure_rebound(compile):
    w = X
    f = compile(mg.grad(lambda x: mg.sum(x * x * w)))
    yield f(X)
    w = Y
    yield f(X)


@names.fixed("g", "scale")
def a_function_in_a_closure_rebound(compile):
    g = mg.sin
    f = compile(lambda x: mg.sum(g(x)))
    yield f(X)
    g = mg.cos
    yield f(X)


@names.fixed("k")
def a_loop_variable(compile):
    k = 0
    f = compile(lambda x: x * k)
    for turn in range(4):
        k = turn
        yield f(X)


@names.fixed("outer")
def a_closure_of_a_closure(compile):
    outer = 2.0

    def inner(x):
        return x * outer

    f = compile(lambda x: mg.sum(inner(x)))
    yield f(X)
    outer = 3.0
    yield f(X)


@names.fixed("SCALE")
def a_global_changed(compile):
    global SCALE
    f = compile(lambda x: mg.sum(x * SCALE))
    try:
        yield f(X)
        SCALE = 3.0
        yield f(X)
    finally:
        SCALE = 2.0


@names.fixed("LATE")
def a_global_that_decides(compile):
    global LATE
    f = compile(lambda x: mg.sum(x) if LATE is None else mg.sum(x * LATE))
    try:
        yield f(X)
        LATE = Y
        yield f(X)
    finally:
        LATE = None


@names.fixed("later")
def a_global_function_defined_later(compile):
    namespace = {"mg": mg}
    exec("def f(x): return mg.sum(later(x))", namespace)
    f = compile(namespace["f"])
    exec("def later(x): return x * 2.0", namespace)
    yield f(X)
    exec("def later(x): return x * 3.0", namespace)
    yield f(X)


@names.fixed("late")
def a_global_that_appears_later(compile):
    namespace = {"mg": mg}
    exec("def f(x):\n    try:\n        return x * late\n    except NameError:\n        return x", namespace)
    f = compile(namespace["f"])
    yield f(X)
    namespace["late"] = 3.0
    yield f(X)


@names.fixed("late")
def a_global_looked_up_in_globals(compile):
    namespace = {"mg": mg}
    exec("def f(x): return x * globals().get('late', 1.0)", namespace)
    f = compile(namespace["f"])
    yield f(X)
    namespace["late"] = 3.0
    yield f(X)


@names.fixed("TABLE", "scale")
def a_dict_of_a_module(compile):
    f = compile(lambda x: mg.sum(x * TABLE["scale"]))
    try:
        yield f(X)
        TABLE["scale"] = 3.0
        yield f(X)
    finally:
        TABLE["scale"] = 2.0


@names.fixed("setting", "scale")
def an_attribute_of_a_module(compile):
    setting = types.ModuleType("setting")
    setting.scale = 2.0
    f = compile(lambda x: x * setting.scale)
    yield f(X)
    setting.scale = 3.0
    yield f(X)


@names.fixed("pi", "np")
def an_attribute_of_numpy(compile):
    f, pi = compile(lambda x: x * np.pi), np.pi
    try:
        yield f(X)
        np.pi = 3.0
        yield f(X)
    finally:
        np.pi = pi


@names.fixed("sin", "mg")
def an_op_replaced(compile):
    sin = mg.sin
    f = compile(lambda x: mg.sum(mg.sin(x)))
    try:
        yield f(X)
        mg.sin = mg.cos
        yield f(X)
    finally:
        mg.sin = sin


@names.fixed("scales")
def a_list_changed(compile):
    scales = [2.0, 3.0]
    f = compile(lambda x: x * scales[1])
    yield f(X)
    scales[1] = 7.0
    yield f(X)


@names.fixed("scales")
def a_list_that_grows(compile):
    scales = [2.0]
    f = compile(lambda x: functools.reduce(mg.multiply, scales, x))
    yield f(X)
    scales.append(3.0)
    yield f(X)


@names.fixed("setting")
def a_number_deep_inside(compile):
    setting = ({"layers": [{"scale": 2.0}]},)
    f = compile(lambda x: x * setting[0]["layers"][0]["scale"])
    yield f(X)
    setting[0]["layers"][0]["scale"] = 7.0
    yield f(X)


@names.fixed("order")
def a_dict_whose_order_changes(compile):
    order = {"a": 2.0, "b": 3.0}
    f = compile(lambda x: functools.reduce(lambda y, n: mg.sin(y * n), order.values(), x))
    yield f(X)
    order["a"] = order.pop("a")
    yield f(X)


@names.fixed("members")
def a_set(compile):
    members = {1.0, 2.0}
    f = compile(lambda x: x * sum(members))
    yield f(X)
    members.add(3.0)
    yield f(X)


@names.fixed("held")
def a_tensor_in_a_list(compile):
    held = [mg.constant(X)]
    f = compile(lambda x: x * held[0])
    yield f(X)
    held[0] = mg.constant(Y)
    yield f(X)


@names.fixed("tensor")
def a_captured_tensor_rebound(compile):
    tensor = mg.constant(X)
    f = compile(mg.value_and_grad(lambda x: mg.sum(x * tensor)))
    yield f(X)
    tensor = mg.constant(Y)
    yield f(X)


@names.fixed("queue")
def a_deque(compile):
    queue = collections.deque([1.0, 2.0])
    f = compile(lambda x: x * queue[0])
    yield f(X)
    queue.rotate()
    yield f(X)


@names.fixed("defaults")
def a_defaultdict(compile):
    defaults = collections.defaultdict(lambda: 2.0)
    f = compile(lambda x: x * defaults["scale"])
    yield f(X)
    defaults["scale"] = 3.0
    yield f(X)


test_names = names.test()
