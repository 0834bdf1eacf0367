"""Gradients that are recorded when they are used: nobody notices, but for the time and the memory."""

import copy
import gc
import pickle
import re
import threading
import tracemalloc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
import viz
from minigrad.core.graph import ancestors
from minigrad.core.op import replacing
from minigrad.core.tensor import Unrecorded
from minigrad.ops.declare import defop
from minigrad.tracing.calls_and_scopes import scope_of
from minigrad.tracing.lines import line_of
from tests.helpers.random_programs import arrays, programs


@pytest.fixture
def at_once():
    """A function to compute gradients with a pass that is recorded at once."""

    def gradients(*args, **kwargs):
        replacing.append("a test")
        try:
            return mg.gradients(*args, **kwargs)
        finally:
            replacing.remove("a test")

    return gradients


def graph(*tensors):
    """The ops, arguments and values behind Tensors, as numbers that are equal for equal graphs."""
    known = {}

    def of(a):
        return known[a.serial] if isinstance(a, mg.Tensor) else repr(a)

    for node in ancestors([t for t in tensors if t is not None]):
        values = node.value if isinstance(node.value, tuple) else (node.value,)
        bits = [(v.dtype, v.shape, v.tobytes()) for v in values]
        known[node.serial] = hash(repr((node.op and node.op.name, [*map(of, node.args)], node.kwargs, bits)))
    return [t if t is None else known[t.serial] for t in tensors], len(known)


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


def same_bits(a, b):
    assert [x is None for x in a] == [x is None for x in b]
    for x, y in zip(a, b):
        assert x is None or (x.dtype == y.dtype and x.value.tobytes() == y.value.tobytes())


# What is recorded later is what would have been recorded at once.


@given(programs(), arrays(), arrays())
@settings(max_examples=60)
def test_derivatives_of_three_orders_have_the_bits_and_the_graph_of_a_recorded_pass(program, a, b):
    x, y = mg.constant(a), mg.constant(b)

    def orders(gradients):
        out = mg.sum(program(x, y))
        for _ in range(3):
            found = gradients(out, [x, y])
            yield found
            parts = [mg.sum(g * g) for g in found if g is not None]
            if not parts:
                return
            out = mg.add_n(parts)

    replaced = replacing.copy()
    lazy = list(orders(mg.gradients))
    replacing.append("a test")
    try:
        known = list(orders(mg.gradients))
    finally:
        replacing[:] = replaced
    for one, other in zip(lazy, known, strict=True):
        same_bits(one, other)
        for a, b in zip(one, other):
            assert a is None or graph(a) == graph(b)


@mg.custom_gradient
def two(x, y):
    a = x * y
    return (mg.sin(a), a + x), lambda u, v: (u * mg.cos(a) * y + v * y + v, u * mg.cos(a) * x + v * x)


@mg.custom_gradient
def shown(x):
    """The sine, with a rule that uses the record of its upstream gradient while the pass runs."""

    def grad(dy):
        assert dy.op is not None or not dy.args
        return dy * mg.cos(x)

    return mg.sin(x), grad


#: Functions of two Tensors, most of them with rules of their own.
MOVES = [
    lambda a, b: [a * b], lambda a, b: [a + b], lambda a, b: [mg.sum(a) * b], lambda a, b: [log1pexp(a)],
    lambda a, b: two(a, b), lambda a, b: [mg.custom_gradient(lambda x: (x * 1.0, lambda dy: dy))(a)],
    lambda a, b: [mg.recompute_grad(lambda x: mg.tanh(x) * x)(a)], lambda a, b: [shown(a)],
    lambda a, b: [a[np.array([0, 0])] * b], lambda a, b: [mg.recompute_grad(lambda x: shown(x) * b)(a)],
]  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, len(MOVES) - 1), st.integers(0, 99), st.integers(0, 99)), max_size=8))
@settings(max_examples=100, deadline=None)
def test_rules_of_the_users_keep_the_bits_of_three_orders(moves):
    def orders():
        values = [mg.constant([0.5, -0.3]), mg.constant([1.1, 0.7])]
        for move, i, j in moves:
            values += MOVES[move](values[i % len(values)], values[j % len(values)])
        xs = [*values[:2], values[len(values) // 2]]  # an intermediate result too
        out = mg.sum(values[-1] * values[-2])
        for _ in range(3):
            found = mg.gradients(out, xs)
            yield found
            sizes.append([g if g is None else len(ancestors([g])) for g in found])
            parts = [mg.sum(g * g) for g in found if g is not None]
            if not parts:
                return
            out = mg.add_n(parts)

    sizes = []
    lazy = list(orders())
    replacing.append("a test")
    try:
        known = list(orders())
    finally:
        replacing.remove("a test")
    for one, other in zip(lazy, known, strict=True):
        same_bits(one, other)
    assert sizes[: len(lazy)] == sizes[len(lazy) :]  # nothing is recorded twice


@pytest.mark.parametrize("f", [
    lambda x: mg.sum(log1pexp(x) * log1pexp(x * 2.0)),
    lambda x: mg.sum(mg.custom_gradient(lambda x: ((x * x, x + 1.0), lambda a, b: a * x + b))(x)[0]),
    lambda x: mg.sum(mg.recompute_grad(lambda x: mg.sin(mg.exp(x)))(x)),
    lambda x: mg.sum(x[1:] * x[:-1] + x[1:]),
    lambda x: mg.sum(mg.concatenate(mg.split(x, 2)[::-1]) * x),
    lambda x: mg.sum(mg.grad_pass_through(mg.round)(x) * x),
    lambda x: mg.sum(x + x),
])  # fmt: skip
def test_the_graph_of_a_gradient_is_that_of_a_recorded_pass(f, at_once):
    x = mg.constant([0.1, 0.7, 1.3, -0.4])
    y = f(x)
    lazy, known = mg.gradients(y, x), at_once(y, x)
    assert type(lazy[0]) is Unrecorded
    same_bits(lazy, known)
    assert graph(*lazy) == graph(*known)


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


def test_stopped_and_unconnected_gradients_are_those_of_a_recorded_pass(at_once):
    a = mg.constant(2.0)
    b = a * a
    for kwargs in ({}, {"stop_gradients": b}, {"stop_gradients": [a, b]}, {"unconnected_gradients": "zero"}):
        c = mg.constant(1.0)
        lazy, known = (f(a * b * b, [a, b, c], **kwargs) for f in (mg.gradients, at_once))
        same_bits(lazy, known)
        assert graph(*lazy) == graph(*known)


# Rules of the user's.


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


#: What a rule may do with its upstream gradient, which is recorded then.
USES = [
    repr, lambda dy: dy.op.name, lambda dy: len(dy.args), lambda dy: dy.kwargs, lambda dy: len(ancestors([dy])),
    lambda dy: mg.explain_none(dy, mg.constant(1.0)).sentence, lambda dy: mg.gradients(dy * dy, dy)[0].value,
]  # fmt: skip


def test_a_rule_may_use_the_record_of_its_upstream_gradient(at_once, subtests):
    for use in USES:
        found = []
        for gradients in (mg.gradients, at_once):
            seen = []

            @mg.custom_gradient
            def cube(x, seen=seen, use=use):
                def grad(dy):
                    seen.append(use(dy))
                    return dy * 3.0 * x * x

                return x * x * x, grad

            x = mg.constant(0.5)
            y = mg.sin(cube(mg.sin(cube(x) * 2.0) * x)) * cube(mg.cos(x))
            for _ in range(3):
                (y,) = gradients(y, x)
                found.append((y.value, len(ancestors([y]))))
            found.append(seen)
        with subtests.test():
            assert found[:4] == found[4:]
            assert use is not USES[1] or "multiply" in found[3]


def test_what_a_rule_keeps_can_be_used_after_an_error_in_another_rule(at_once):
    """Its record is that of the pass up to there, and the rule with the error is not called again for it."""

    @mg.custom_gradient
    def kept(x):
        return mg.sin(x), lambda dy: passed.append(dy) or dy * mg.cos(x)

    @mg.custom_gradient
    def failing(x):
        def grad(dy):
            passed.append(dy)
            raise KeyError("not today")

        return x * 1.0, grad

    found = []
    for gradients in (mg.gradients, at_once):
        passed = []
        x = mg.constant(0.5)
        with pytest.raises(KeyError, match="not today"):
            gradients(kept(kept(failing(x) * x) * x), x)
        assert len(passed) == 3
        found.append([(dy.op and dy.op.name, dy.value, len(ancestors([dy]))) for dy in [*passed]])
    assert found[0] == found[1]


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


# What is told about gradients.


def test_printing_shows_the_op():
    x = mg.constant(3.0)
    assert repr(mg.gradients(x * x, x)[0]) == "Tensor(6.0, dtype=float32, op=add)"
    assert type(mg.gradients(x * x, x)[0]).__name__ == "Tensor"


def test_pictures_and_lines_are_those_of_a_recorded_pass():
    mg.remember_lines()

    def picture_and_lines():
        x = mg.constant(0.5)
        y = log1pexp(x) * mg.sin(x)
        with mg.scope("slope"):
            (slope,) = mg.gradients(y, x)
        mg.sin(slope)  # another line, outside of the scope
        svg = viz.backward(slope, names={"x": x, "slope": slope}).to_svg()
        noted = [(line_of(t).text, scope_of(t)) for t in ancestors([slope]) if line_of(t)]
        return re.sub(r"mg\d+-\w+", "", svg), noted

    lazy = picture_and_lines()
    replacing.append("a test")
    try:
        assert picture_and_lines() == lazy
    finally:
        replacing.remove("a test")


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


def test_the_reason_of_a_none_is_that_of_a_recorded_pass(at_once):
    leaves = mg.custom_gradient(lambda x: (x * 1.0, lambda dy: dy * float(x)))
    reasons = []
    for gradients in (mg.gradients, at_once):
        x, z = mg.constant(3.0), mg.constant(2.0)
        (first,) = gradients(leaves(x) * 2.0, x)
        (second,) = gradients(x * x * z, z)
        plain = mg.constant(np.sin(float(second)))
        reasons.append([mg.explain_none(y, x).reason for y in (first, second, plain)])
    assert reasons[0] == reasons[1] and reasons[0][-1] == "left the graph"


# Copies, threads, errors, memory.


def test_copies_and_pickles():
    x = mg.constant([1.0, 2.0])
    (g,) = mg.gradients(mg.sum(x * x), x)
    assert copy.copy(g) is g and copy.deepcopy([g])[0] is g
    assert pickle.loads(pickle.dumps(g)).value.tolist() == [2.0, 4.0]
    assert mg.gradients(g, x)[0].value.tolist() == [2.0, 2.0]


def test_two_threads_may_need_one_record_at_a_time():
    for _ in range(20):
        x = mg.constant(1.5)
        (g,) = mg.gradients(log1pexp(mg.sin(x) * mg.exp(x)), x)
        barrier, found = threading.Barrier(4), []

        def work(g=g, x=x, barrier=barrier, found=found):
            barrier.wait()
            found.append(mg.gradients(g * g, x)[0].value)

        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert len(found) == 4 and len(set(found)) == 1


def test_an_error_of_the_recorded_pass_is_raised_at_each_use_and_harms_nothing():
    def rule(g, y, x):
        if isinstance(g, mg.Tensor) and not fixed:
            raise ArithmeticError("this rule works on arrays only")
        return g * 2.0

    fixed = []
    double = defop("double_of_arrays", lambda x: 2.0 * x, vjp=rule)
    x = mg.constant(1.0)
    (g,) = mg.gradients(double(x) * x, x)
    assert float(g) == 4.0
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="arrays only"):
            mg.gradients(g, x)
    fixed.append(True)
    assert mg.gradients(g, x)[0].value == 4.0


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


def test_the_gradients_of_a_deep_network_take_the_memory_of_value_and_grad():
    def f(x):
        for _ in range(30):
            x = mg.tanh(x) * 1.01
        return mg.sum(x)

    def peak(run):
        run()
        tracemalloc.start()
        run()
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    a = np.ones(100_000)
    x = mg.constant(a)
    assert peak(lambda: mg.gradients(f(x), x)) < 1.08 * peak(lambda: mg.value_and_grad(f)(a))


def test_recomputing_saves_memory_under_gradients():
    def layers(x):
        for _ in range(10):
            x = mg.tanh(x) * 1.01
        return x

    def peak(part):
        x = mg.constant(np.ones(50_000))
        tracemalloc.start()
        mg.gradients(mg.sum(part(part(part(part(x))))), x)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(mg.recompute_grad(layers)) < 0.5 * peak(layers)


def test_a_long_chain_is_recorded_later_without_recursion():
    x = mg.constant(1.0)
    y = x
    for _ in range(3000):
        y = mg.sin(y) * 1.001
    (g,) = mg.gradients(y, x)
    assert mg.gradients(g, x)[0] is not None
