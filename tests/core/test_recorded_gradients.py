"""The gradients of `gradients` are recorded: they can be differentiated again, kept, copied and freed."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.graph import ancestors


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


def test_a_gradient_of_an_intermediate_result_lies_on_the_way_to_those_behind_it():
    x = mg.constant(3.0)
    h = x * x
    dx, dh = mg.gradients(mg.sin(h), [x, h])
    assert mg.gradients(dx, dh)[0].value == 6.0  # dx = dh * 2 x
    dh, dx = mg.gradients(log1pexp(h), [h, x])
    assert mg.gradients(dx, dh)[0].value == 6.0


@pytest.mark.parametrize("order", [1, -1])
def test_what_was_computed_from_a_gradient_before_it_was_recorded_comes_after_it(order):
    x = mg.constant(2.0)
    (slope,) = mg.gradients(x * x * x, x)
    others = [slope * x, mg.sin(slope)][::order]
    assert all(a.serial < t.serial for t in ancestors(others) for a in t.args if isinstance(a, mg.Tensor))
    total = others[0] + others[1]  # d/dx of 3 x^3 + sin(3 x^2)
    np.testing.assert_allclose(mg.gradients(total, x)[0].value, 36 + 12 * np.cos(12), rtol=1e-5)


def test_upstream_gradients_that_are_given_are_differentiated():
    x, u = mg.constant([1.0, 2.0]), mg.constant([3.0, 5.0])
    for y in (x * x, x + 0.0, mg.reshape(x, (2,)), log1pexp(x)):
        (g,) = mg.gradients(y, x, grad_ys=u)
        assert mg.gradients(g, u)[0] is not None
    (g,) = mg.gradients(x, x, grad_ys=u)
    assert mg.gradients(g, u)[0].value.tolist() == [1.0, 1.0]


def test_arrays_may_be_changed_before_a_gradient_is_differentiated():
    x, a, u = mg.constant([1.0, 2.0]), np.array([3.0, 4.0], "float32"), np.array([1.0, 1.0], "float32")
    y = x * x * a
    (g,) = mg.gradients(y, x, grad_ys=u)
    a[:], u[:] = 100.0, 100.0
    assert mg.gradients(g, x)[0].value.tolist() == [6.0, 8.0]


def test_a_variable_may_be_assigned_before_a_gradient_is_differentiated():
    w = mg.Variable(3.0)
    (g,) = mg.gradients(w * w * w, w)
    w.assign(10.0)
    assert mg.gradients(g, w)[0].value == 18.0
    twice = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * 2.0 * x * w))
    x = mg.constant(1.0)
    (g,) = mg.gradients(twice(x), x)
    w.assign(0.0)
    assert mg.gradients(g, x)[0].value == 20.0


def test_gradients_share_no_memory():
    x, y = mg.constant([1.0, 2.0]), mg.constant([1.0, 2.0])
    gx, gy = mg.gradients(x + y, [x, y])
    gx.value[:] = 7.0
    assert gy.value.tolist() == [1.0, 1.0]


def test_a_rule_is_called_once_for_three_orders():
    calls = []

    @mg.custom_gradient
    def cube(x):
        def grad(dy):
            calls.append(dy)
            return dy * 3.0 * x * x

        return x * x * x, grad

    x = mg.constant(2.0)
    (first,) = mg.gradients(cube(x) + x**4 - x * x * x, x)
    (second,) = mg.gradients(first, x)
    (third,) = mg.gradients(second, x)
    assert [float(t) for t in (first, second, third)] == [32.0, 48.0, 48.0]
    assert len(calls) == 1


def test_a_registered_gradient_is_called_once():
    calls = []

    @mg.RegisterGradient("TestLazily")
    def _rule(op, dy):
        calls.append(op)
        return dy * op.inputs[0] * 2.0

    x = mg.constant(3.0)
    with mg.gradient_override_map({"Square": "TestLazily"}):
        y = mg.square(x)
    (g,) = mg.gradients(y * 3.0, x)
    assert mg.gradients(g, x)[0].value == 6.0
    assert len(calls) == 1


def test_what_a_rule_keeps_can_be_differentiated_also_when_the_gradients_are_gone():
    kept = []
    square = mg.custom_gradient(lambda x: (x * x, lambda dy: kept.append(dy * dy) or dy * 2.0 * x))
    x = mg.constant(3.0)
    mg.gradients(square(x * 1.0) * x, x)
    (stored,) = kept  # dy is x
    assert mg.gradients(stored, x)[0].value == 6.0


def test_gradients_inside_a_block_of_overrides_are_recorded_with_them():
    x = mg.constant(0.5)
    with mg.gradient_override_map({"Cos": "Identity"}):
        (g,) = mg.gradients(mg.sin(x), x)
    (plain,) = mg.gradients(mg.sin(x), x)
    with mg.gradient_override_map({"Cos": "Identity"}):
        second = mg.gradients(plain, x)[0]
    assert mg.gradients(g, x)[0].value == 1.0
    np.testing.assert_allclose(second.value, -np.sin(0.5), rtol=1e-6)


def test_custom_gradients_that_are_ignored_stay_ignored():
    bad = mg.custom_gradient(lambda x: (x * x * x, lambda dy: dy * 100.0))
    x = mg.constant(1.0)
    with mg.ignore_custom_gradients():
        (g,) = mg.gradients(bad(x), x)
    assert (float(g), float(mg.gradients(g, x)[0])) == (3.0, 6.0)


def test_printing_shows_the_op():
    x = mg.constant(3.0)
    assert repr(mg.gradients(x * x, x)[0]) == "Tensor(6.0, dtype=float32, op=add)"


def test_a_tape_that_recorded_when_the_gradient_was_computed_differentiates_it():
    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        (g,) = mg.gradients(x * x * x, x)
    assert float(tape.gradient(g, x)) == 18.0
    (g,) = mg.gradients(x * x * x, x)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = g * x
    assert float(tape.gradient(y, x)) == 27.0  # g is older than the tape, a constant for it


def test_copies_and_pickles():
    x = mg.constant([1.0, 2.0])
    (g,) = mg.gradients(mg.sum(x * x), x)
    assert copy.copy(g) is g and copy.deepcopy([g])[0] is g
    assert pickle.loads(pickle.dumps(g)).value.tolist() == [2.0, 4.0]
    assert mg.gradients(g, x)[0].value.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("f", [lambda x: mg.sum(mg.sin(x) * x), lambda x: mg.sum(log1pexp(x) * log1pexp(mg.sin(x)))])
@pytest.mark.parametrize("use", [lambda g, x: None, lambda g, x: mg.gradients(g, x), lambda g, x: repr(g)])
def test_the_graph_is_freed_with_the_gradients(f, use):
    gc.disable()
    try:
        x = mg.constant([1.0, 2.0])
        y = f(x)
        watch = [weakref.ref(node) for node in ancestors([y]) if node is not x]
        (g,) = mg.gradients(y, x)
        use(g, x)
        del y
        assert any(w() is not None for w in watch)
        watch += [weakref.ref(node) for node in ancestors([g]) if node is not x]
        del g
        assert all(w() is None for w in watch)
    finally:
        gc.enable()


def test_a_long_chain_is_differentiated_twice_without_recursion():
    x = mg.constant(1.0)
    y = x
    for _ in range(3000):
        y = mg.sin(y) * 1.001
    (g,) = mg.gradients(y, x)
    assert mg.gradients(g, x)[0] is not None
