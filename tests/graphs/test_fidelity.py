"""A graph that is written, read and run again is the function that was recorded: at other inputs, to second order."""

import json

import numpy as np
import pytest

import minigrad as mg
from minigrad.graphs import Graph, Unwritable, function_of, write
from tests.helpers.op_samples import each_sample, floats, function, outputs, tensors
from tests.helpers.tables import over


def copied(f, *xs, order=2):
    """`f` recorded at `xs`, written, read back and made a function again."""
    text = json.dumps(write(xs, outputs(f(*xs)), order), allow_nan=False)
    return function_of(Graph(text))


def derivatives(f, xs, order=2):
    """The results, their gradients and the gradients of these, as arrays; None if there is none."""
    ys = floats(f(*xs))
    found = [y for y in outputs(f(*xs)) if y.dtype.kind != "f"] + ys
    first = mg.gradients(ys, xs, [mg.constant(np.full(y.shape, 1.5), y.dtype) for y in ys]) if ys else []
    found += first
    bent = [g for g in first if g is not None]
    found += mg.gradients(bent, xs) if order == 2 and bent else []
    return [None if x is None else x.value for x in found]


def assert_same(got, want):
    """Up to the order in which messages are added."""
    assert [g is None for g in got] == [w is None for w in want]
    for g, w in zip(got, want):
        if w is not None:
            assert (g.dtype, g.shape) == (w.dtype, w.shape)
            np.testing.assert_allclose(g, w, 1e-13, 1e-15)


@each_sample
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
def test_each_op_at_other_inputs(op, sample):
    xs = tensors(sample)
    f = function(op, sample)
    nearby = [mg.constant(x.value * (1 + 1e-7), x.dtype) for x in xs]
    assert_same(derivatives(copied(f, *xs), nearby), derivatives(f, nearby))


@mg.custom_gradient
def doubled_rule(x):
    y = mg.exp(x)
    return y, lambda upstream: upstream * y * 2


@mg.custom_gradient
def masked(x):
    y = mg.sqrt(x)
    return y, lambda upstream: mg.where(x > 0, upstream / (2 * y), 0.0)


@mg.custom_gradient
def two_in_two_out(a, b):
    return (a * b, a + b), lambda u, v: (u * b + v, u * a + v)


@mg.custom_gradient
def outer(x):
    y = doubled_rule(x)
    return y * x, lambda upstream: upstream * doubled_rule(x)


@mg.custom_gradient
def itself(x):
    return mg.exp(x), lambda upstream: upstream * itself(x)


@mg.custom_gradient
def of_dict(p):
    return p["a"] * p["b"], lambda upstream: {"a": upstream * p["b"], "b": upstream * p["a"]}


@mg.custom_gradient
def nothing_for_second(x, y):
    return x * y, lambda upstream: (upstream * y, None)


@mg.custom_gradient
def keras_style(x):
    return x * x, lambda *args, upstream: upstream * 3 * args[0]


W = mg.Variable([2.0, 5.0, 7.0], name="W", dtype="float64")


@mg.custom_gradient
def with_variable(x):
    def grad(upstream, variables=None):
        return upstream * W, [10 * upstream * x]

    return x * W, grad


def overridden(x):
    with mg.gradient_override_map({"Square": "Identity"}):
        return mg.square(x)


FUNCTIONS = {
    "no op": (lambda x: x, 1),
    "constants": (lambda x: x * 2 + mg.constant([1.0, 2.0, 3.0], "float64") - np.array([0.5, 1.0, 2.0]), 1),
    "index": (lambda x: x[1:][::-1] * x[np.array([0, 1])] + x[..., 0], 1),
    "custom": (doubled_rule, 1),
    "mask": (masked, 1),
    "two": (lambda a, b: two_in_two_out(a, b)[0] * two_in_two_out(a, b)[1], 2),
    "a rule inside a rule": (outer, 1),
    "a rule that calls its function": (itself, 1),
    "structure": (lambda a, b: of_dict({"a": a, "b": b}), 2),
    "None": (nothing_for_second, 2),
    "keras": (keras_style, 1),
    "variable": (with_variable, 1),
    "override": (overridden, 1),
    "recompute": (mg.recompute_grad(lambda x: mg.sin(mg.exp(x))), 1),
    "stop_gradient": (lambda x: x * mg.stop_gradient(x), 1),
    "a derivative": (lambda x: mg.gradients(mg.sin(x), x)[0], 1),
}


@over(FUNCTIONS)
def test_functions_with_rules(f, arity):
    at = lambda shift: [mg.constant(np.array([0.5, 1.25, 2.0]) + shift + i, "float64") for i in range(arity)]
    again = copied(f, *at(0))
    assert_same(derivatives(again, at(0.25)), derivatives(f, at(0.25)))


def test_the_gradient_of_a_variable_is_replayed_too():
    x = mg.constant([1.0, 2.0, 3.0], "float64")
    again = copied(with_variable, x)
    y = again(x)
    (found,) = mg.gradients(y, again.variables["W"])
    np.testing.assert_array_equal(found.value, [10.0, 20.0, 30.0])


def test_a_variable_may_be_a_param():
    record = lambda held: write([w := mg.Variable(held, name="w"), x], [w * x + w])
    x = mg.constant(3.0)
    assert record(1.0) == record(2.0)
    f = function_of(Graph(json.dumps(record(1.0))))
    w = mg.Variable(5.0)
    y = f(w, x)
    assert (float(y), float(mg.gradients(y, w)[0])) == (20.0, 4.0)


def test_two_recordings_of_one_function_are_one_text():
    record = lambda number: write([x := mg.constant(number)], [itself(outer(x)) + W[0].astype("float32")])
    first = record(1.0)
    W.read_value()
    assert record(2.0) == first
    assert json.dumps(first) == json.dumps(record(-3.0))


def test_an_order_of_one_holds_no_rule_inside_a_rule():
    x = mg.constant(1.0)
    text = lambda order: json.dumps(write([x], [itself(x)], order))
    assert len(text(0)) < len(text(1)) < len(text(2)) < 1500


def test_a_graph_is_run_in_another_dtype():
    f = copied(lambda x: x * mg.constant(0.1) + 1, mg.constant(1.0))
    wide = function_of(Graph(json.dumps(write([x := mg.constant(1.0)], [x * mg.constant(0.1)]))), cast=np.float64)
    assert wide(mg.constant(1.0, "float64")).value == 0.1
    assert f(mg.constant(2.0)).dtype == np.float32


def test_a_conversion_to_float32_stays_one():
    x = mg.constant(0.1, "float64")
    graph = Graph(json.dumps(write([x], [x.astype("float32").astype("float64") * 1.0])))
    assert function_of(graph, cast=np.float64)(x).value == np.float32(0.1)
    assert function_of(graph, cast=np.float32)(mg.constant(0.1)).dtype == np.float32


def test_an_error_in_a_rule_is_raised_where_the_rule_is_run():
    @mg.custom_gradient
    def broken(x):
        return x * x, lambda upstream: upstream[3]

    again = copied(broken, x := mg.constant(2.0))
    assert float(again(x)) == 4.0
    with pytest.raises(RuntimeError, match="IndexError"):
        mg.gradients(again(x), x)


def test_a_rule_that_is_run_twice_keeps_its_numbers_apart():
    @mg.custom_gradient
    def f(x):
        def grad(upstream):
            k = 3 * upstream
            inner = mg.custom_gradient(lambda z: (z * z, lambda g: g * k))
            return inner(x)

        return x * 2, grad

    x = mg.constant(5.0)
    again = copied(f, x)(x)
    first, second = (mg.gradients(again, x, mg.constant(upstream))[0] for upstream in (1.0, 10.0))
    assert [float(mg.gradients(y, x)[0]) for y in (first, second)] == [3.0, 30.0]


def test_what_has_no_form_as_data_is_refused():
    x = mg.constant([1.0, 2.0])
    with pytest.raises(Unwritable, match="of type function cannot be written as data"):
        write([x], [mg.core.op.record(mg.core.op.OPS["exp"], x.value, (x, abs.__class__), {"key": lambda: 0})])
