"""Variables are read anew at each call, wherever they are kept."""

import copy

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, outcome, over, variable

assigned = Attempts()


@assigned.same
def assigned_between_calls(compile):
    w = variable()
    f = compile(lambda x: mg.sum(w * x))
    for value in (X, X, Y, Z):
        w.assign(value)
        yield f(X)


@assigned.same
def assign_add_and_assign_sub(compile):
    w = variable()
    f = compile(mg.value_and_grad(lambda x: mg.sum(w * w * x)))
    for _ in range(3):
        yield f(X)
        w.assign_add(Y)
        yield f(X)
        w.assign_sub(X)


@assigned.same
def its_value_replaced(compile):
    w = variable()
    f = compile(lambda x: mg.sum(w * x))
    yield f(X)
    w.value = Y.copy()
    w._read = None
    yield f(X)


@assigned.same
def one_variable_twice(compile):
    w = variable()
    f = compile(lambda x: w * x + w)
    for value in (X, Y, Z):
        yield f(X)
        w.assign(value)


@assigned.same
def two_variables_added(compile):
    a, b = variable(X), variable(Y)
    f = compile(lambda: a + b)
    for _ in range(3):
        yield f()
        a.assign(b)
        yield f()
        b.assign(Z)


@assigned.same
def two_variables_with_equal_values(compile):
    a, b = variable(X), variable(X)
    f = compile(lambda x: (a - b) * x)
    yield f(X)
    b.assign(Y)
    yield f(X)


@assigned.same
def a_variable_returned(compile):
    w = variable()
    f = compile(lambda x: (w.read_value(), x * 2.0))
    yield f(X)
    w.assign(Y)
    yield f(X)


@assigned.honest
def a_variable_itself_returned(compile):
    w = variable()
    f = compile(lambda x: w)
    yield f(X)
    w.assign(Y)
    yield f(X)


@assigned.same
def a_variable_read_through_identity(compile):
    w = variable()
    f = compile(lambda x: mg.identity(w) * x)
    yield f(X)
    w.assign(Y)
    yield f(Z)


@assigned.same
def a_number_in_a_variable(compile):
    rate = mg.Variable(0.1)
    f = compile(lambda x: x * rate)
    for value in (0.2, 0.3, -0.0):
        yield f(X)
        rate.assign(value)


@assigned.same
def an_integer_variable(compile):
    n = mg.Variable(2)
    f = compile(lambda x: x * n)
    yield f(X)
    n.assign(3)
    yield f(X)


@assigned.same
def an_untrainable_variable(compile):
    w = mg.Variable(X, trainable=False)
    f = compile(mg.grad(lambda x: mg.sum(x * x * w)))
    yield f(X)
    w.assign(Y)
    yield f(X)


@assigned.honest
def the_trainable_flag_changes(compile):
    w = variable()

    @mg.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            return dy * w, [mg.sum(dy * x) * len(variables) * mg.ones_like(v) for v in variables]

        return x * w, grad

    f = compile(mg.grad(lambda x: mg.sum(scaled(x))))
    for trainable in (True, False, True):
        w.trainable = trainable
        yield outcome(f, X)


@assigned.same
def a_variable_of_another_dtype(compile):
    w = mg.Variable(np.float16([0.1, 0.2, 0.3]))
    f = compile(lambda x: w * x)
    yield from over(f, X, np.float32(X), np.float16(X))
    w.assign(np.float16([3, 2, 1]))
    yield f(X)


@assigned.same
def a_gradient_with_respect_to_a_captured_variable(compile):
    w = variable()
    f = compile(lambda x: mg.sum(w * w * x))
    for value in (X, Y, Z):
        w.assign(value)
        with mg.GradientTape() as tape:
            y = f(X)
        yield tape.gradient(y, w)


@assigned.same
def a_variable_assigned_between_forward_and_backward(compile):
    w = variable()
    f = compile(lambda x: mg.sum(w * w * x))
    for value in (X, Y, Z):
        with mg.GradientTape() as tape:
            y = f(X)
        w.assign(value)
        yield tape.gradient(y, w)


@assigned.same
def training_by_hand(compile):
    w, b = variable(), mg.Variable(0.0, dtype="float64")
    step = compile(mg.value_and_grad(lambda w, b, x: mg.mean(mg.square(mg.tanh(w * x + b) - 0.5)), (0, 1)))
    for _ in range(5):
        value, (dw, db) = step(w, b, X)
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        yield value, dw, db, w, b


@assigned.same
def training_by_an_optimizer_outside(compile):
    params = {"w": variable(), "b": mg.Variable(0.0, dtype="float64")}
    step = compile(mg.value_and_grad(lambda p, x: mg.mean(mg.square(p["w"] * x + p["b"]))))
    opt = mg.optim.Adam(0.1)
    for _ in range(4):
        value, slopes = step(params, X)
        opt.step(params, slopes)
        yield value, slopes, params["w"], params["b"]


test_assigned = assigned.test()


as_arguments = Attempts()


@as_arguments.same
def a_variable_and_then_another(compile):
    f = compile(lambda w, x: mg.sum(w * x))
    yield from over(f, (variable(X), Y), (variable(Z), Y), (variable(Y), X))


@as_arguments.same
def a_variable_assigned_between(compile):
    w, f = variable(), compile(lambda w, x: mg.sum(w * x))
    for value in (Y, Z, X):
        yield f(w, X)
        w.assign(value)


@as_arguments.same
def a_variable_then_an_array(compile):
    f = compile(mg.value_and_grad(lambda w, x: mg.sum(w * w * x)))
    yield from over(f, (variable(X), Y), (Z, Y), (variable(Y), X), (mg.constant(X), Y))


@as_arguments.same
def one_variable_as_two_arguments(compile):
    v, w = variable(X), variable(Y)
    f = compile(lambda a, b: a * 2.0 - b)
    yield from over(f, (v, v), (v, w), (w, w), (w, v))


@as_arguments.same
def gradients_of_one_variable_as_two_arguments(compile):
    v, w = variable(X), variable(Y)
    f = compile(mg.grad(lambda a, b: mg.sum(a * a * b), (0, 1)))
    yield from over(f, (v, v), (v, w), (w, w), (w, v))


@as_arguments.same
def a_variable_as_argument_and_captured(compile):
    v, w = variable(X), variable(Y)
    f = compile(lambda a: mg.sum(a * w * w))
    for a in (v, w, v):
        yield f(a)
        with mg.GradientTape() as tape:
            y = f(a)
        yield tape.gradient(y, [v, w])
        w.assign_add(X)


@as_arguments.same
def in_a_list(compile):
    ws = [variable(X), variable(Y)]
    f = compile(lambda ws, x: sum(mg.sum(w * x) for w in ws))
    for _ in range(3):
        yield f(ws, X)
        ws[0].assign_add(Z)
    yield f(ws[::-1], X)


@as_arguments.same
def in_a_dict(compile):
    p = {"w": variable(X), "b": variable(Y)}
    f = compile(mg.value_and_grad(lambda p, x: mg.sum(p["w"] * p["w"] * x + p["b"])))
    for _ in range(3):
        yield f(p, X)
        p["w"].assign_add(Z)


@as_arguments.same
def in_a_captured_list(compile):
    ws = [variable(X), variable(Y)]
    f = compile(lambda x: sum(mg.sum(w * x) for w in ws))
    for _ in range(3):
        yield f(X)
        ws[1].assign_add(Z)


@as_arguments.fixed("ws")
def a_captured_list_of_variables_that_grows(compile):
    ws = [variable(X), variable(Y)]
    f = compile(lambda x: sum(mg.sum(w * x) for w in ws))
    yield f(X)
    ws.append(variable(Z))
    yield f(X)


@as_arguments.fixed("ws")
def a_variable_of_a_captured_dict_that_is_replaced(compile):
    ws = {"w": variable(X)}
    f = compile(lambda x: mg.sum(ws["w"] * x))
    yield f(X)
    ws["w"] = variable(Y)
    yield f(X)


@as_arguments.fixed("w")
def a_captured_variable_that_is_replaced(compile):
    w = variable(X)
    f = compile(lambda x: mg.sum(w * x))
    yield f(X)
    w = variable(Y)
    yield f(X)


@as_arguments.fixed("model", "Model", "w")
def a_variable_of_a_captured_model_that_is_replaced(compile):
    class Model:
        def __init__(self):
            self.w = variable(X)

        def __call__(self, x):
            return mg.sum(self.w * x)

    model = Model()
    f = compile(lambda x: model(x))
    yield f(X)
    model.w.assign(Y)
    now = f(X)
    model.w = variable(Z)
    yield now
    yield f(X)


@as_arguments.same
def a_copy_of_a_variable_as_argument(compile):
    w, f = variable(), compile(lambda w, x: mg.sum(w * x))
    for other in (copy.copy(w), copy.deepcopy(w), w):
        other.assign_add(Y)
        yield f(other, X)


@as_arguments.same
def get_variable_with_reuse(compile):
    with mg.variable_scope("contract", reuse=mg.AUTO_REUSE):
        mg.get_variable("w", shape=(3,), dtype="float64").assign(X)

    def f(x):
        with mg.variable_scope("contract", reuse=mg.AUTO_REUSE):
            return mg.get_variable("w", shape=(3,), dtype="float64") * x

    f = compile(f)
    yield f(X)
    with mg.variable_scope("contract", reuse=mg.AUTO_REUSE):
        mg.get_variable("w", shape=(3,), dtype="float64").assign(Y)
    yield f(X)


test_as_arguments = as_arguments.test()
