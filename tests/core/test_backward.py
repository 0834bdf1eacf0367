"""The backward loop and `gradients`: laws that hold for every program, and the signature of `tf.gradients`."""

import gc
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.core.op import OPS, pick
from minigrad.core.support.fast import gc_paused
from minigrad.ops.declare import defop
from tests.helpers.random_programs import arrays, numeric_gradient, programs

values = lambda tensors: [None if t is None else t.value for t in tensors]


# Laws.


@given(programs(), arrays(), arrays())
@settings(max_examples=100)
def test_gradients_agree_with_finite_differences(program, a, b):
    x, y = mg.constant(a), mg.constant(b)
    got = mg.gradients(mg.sum(program(x, y)), [x, y])
    for g, n in zip(got, numeric_gradient(lambda p, q: mg.sum(program(p, q)), a, b)):
        np.testing.assert_allclose(g.value, n, rtol=1e-5, atol=1e-6)


@given(programs(), arrays(), arrays())
@settings(max_examples=40)
def test_second_derivatives_agree_with_finite_differences_of_the_first(program, a, b):
    def slope(p, q):
        return mg.sum(mg.gradients(mg.sum(program(p, q)), p)[0])

    x, y = mg.constant(a), mg.constant(b)
    got = mg.gradients(slope(x, y), [x, y], unconnected_gradients="zero")
    for g, n in zip(got, numeric_gradient(slope, a, b)):
        np.testing.assert_allclose(g.value, n, rtol=1e-4, atol=1e-5)


@given(programs(), arrays(), arrays(), arrays(), arrays(), st.floats(-3, 3))
@settings(max_examples=60)
def test_the_adjoint_is_linear_in_the_upstream(program, a, b, u, v, factor):
    x, y = mg.constant(a), mg.constant(b)
    out = program(x, y)
    pull = lambda upstream: mg.gradients(out, x, grad_ys=mg.constant(upstream))[0].value
    np.testing.assert_allclose(pull(u + factor * v), pull(u) + factor * pull(v), rtol=1e-9, atol=1e-9)


@given(programs(1), programs(1), arrays())
@settings(max_examples=60)
def test_the_chain_rule(inner, outer, a):
    x = mg.constant(a)
    middle = inner(x)
    whole = mg.gradients(outer(middle), x)[0].value
    cut = mg.constant(middle.value)
    upstream = mg.gradients(outer(cut), cut)[0]
    np.testing.assert_allclose(whole, mg.gradients(middle, x, grad_ys=upstream)[0].value, rtol=1e-10, atol=1e-10)


shapes = st.lists(st.integers(1, 3), max_size=3).map(tuple)


@given(shapes, st.data())
@settings(max_examples=80)
def test_broadcasting_forward_is_summing_backward(shape, data):
    small = tuple(n if data.draw(st.booleans()) else 1 for n in shape)[data.draw(st.integers(0, len(shape))) :]
    a, b = mg.constant(np.full(shape, 2.0)), mg.constant(np.full(small, 3.0))
    got = mg.gradients(a * b, [a, b])
    assert [g.shape for g in got] == [shape, small]
    repeats = int(np.prod(shape)) // int(np.prod(small))
    np.testing.assert_array_equal(got[0].value, np.full(shape, 3.0))
    np.testing.assert_array_equal(got[1].value, np.full(small, 2.0 * repeats))


@given(programs(), arrays(), arrays())
@settings(max_examples=40)
def test_the_raw_pass_and_the_recorded_pass_give_the_same_bits(program, a, b):
    f = lambda p, q: mg.sum(program(p, q))
    x, y = mg.constant(a), mg.constant(b)
    recorded = mg.gradients(f(x, y), [x, y])
    raw = mg.grad(f, argnums=(0, 1))(a, b)
    for r, g in zip(recorded, raw):
        np.testing.assert_array_equal(r.value, g)


# Counting paths.


def test_every_use_counts():
    x = mg.constant(3.0)
    assert values(mg.gradients(x * x, x)) == [6.0]
    assert values(mg.gradients(x + x, x)) == [2.0]
    a = x * x
    assert values(mg.gradients(a * a + a, x)) == [4 * 27.0 + 6.0]


def test_every_pick_of_an_output_counts():
    x = mg.constant(np.array([[2.0, 1.0], [1.0, 3.0]]))
    w, _ = mg.eigh(x)
    again = pick(w.args[0], 0)
    (twice,), (square,) = mg.gradients(mg.sum(w * again), x), mg.gradients(mg.sum(w * w), x)
    np.testing.assert_allclose(twice.value, square.value)
    np.testing.assert_allclose(square.value, 2 * x.value)  # the sum of w**2 is the sum of x**2


def test_a_diamond_chain_has_2_to_the_60_paths_and_60_nodes():
    x = mg.constant(np.float64(1.0))
    y = x
    for _ in range(60):
        y = y + y
    assert values(mg.gradients(y, x)) == [2.0**60]


def test_a_long_chain_needs_no_recursion_forward_backward_or_when_freed():
    x = mg.constant(np.float64(1.0))
    y = x
    for _ in range(200_000):  # several times what the stack of C holds
        y = y * 1.0
    assert values(mg.gradients(y, x)) == [1.0]
    del y
    gc.collect()


def test_ten_thousand_uses_of_one_variable():
    w = mg.Variable(np.float64(2.0))
    y = sum((w * float(i) for i in range(10_000)), mg.constant(np.float64(0)))
    assert values(mg.gradients(y, w)) == [sum(range(10_000))]


def test_the_graph_is_freed_with_its_last_result():
    x = mg.constant(1.0)
    middle = mg.exp(x)
    watch = weakref.ref(middle)
    y = middle * 2
    del middle
    assert watch() is not None
    del y
    gc.collect()
    assert watch() is None


def test_eight_threads_differentiate_at_once():
    results = {}

    def work(k):
        total = 0.0
        for i in range(50):
            x = mg.constant(np.float64(i))
            total += float(mg.grad(lambda t, k=k: mg.grad(lambda s: s * s * s * k)(t))(x))
        results[k] = total

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {k: sum(6.0 * i * k for i in range(50)) for k in range(8)}


# The signature of tf.gradients.


def test_the_answer_is_always_a_list():
    x, z = mg.constant(2.0), mg.constant(3.0)
    y = x * x * z
    assert values(mg.gradients(y, x)) == [12.0]
    assert values(mg.gradients(y, (x, z))) == [12.0, 4.0]
    assert mg.gradients(y, []) == []


def test_several_targets_are_summed_and_duplicates_count_twice():
    x = mg.constant(3.0)
    a = x * x
    assert values(mg.gradients([a, x * 2], x)) == [8.0]
    assert values(mg.gradients([a, a], x)) == [12.0]
    assert values(mg.gradients([a, a * x], x)) == [6.0 + 27.0]


def test_repeated_sources_each_get_the_full_gradient_and_a_target_has_the_slope_one_in_itself():
    x = mg.constant(3.0)
    assert values(mg.gradients(x * x, [x, x])) == [6.0, 6.0]
    assert values(mg.gradients(x, x)) == [1.0]


def test_intermediate_results_are_sources_like_any_other():
    x = mg.constant(2.0)
    h = x * x
    y = h * h
    assert values(mg.gradients(y, [x, h])) == [32.0, 8.0]


def test_none_means_not_connected_and_zero_can_be_asked_for():
    x, z = mg.constant(1.0), mg.constant([1.0, 2.0])
    assert mg.gradients(x * 2, z) == [None]
    (zero,) = mg.gradients(x * 2, z, unconnected_gradients="zero")
    np.testing.assert_array_equal(zero.value, [0.0, 0.0])
    with pytest.raises(ValueError, match="'nonsense'"):
        mg.gradients(x * 2, z, unconnected_gradients="nonsense")


def test_stop_gradients_gives_partial_derivatives():
    a = mg.constant(0.0)
    b = 2 * a
    assert values(mg.gradients(a + b, [a, b])) == [3.0, 1.0]
    assert values(mg.gradients(a + b, [a, b], stop_gradients=[a, b])) == [1.0, 1.0]
    p = mg.constant(1.0)
    q = 2 * p
    r = p * q
    assert values(mg.gradients(r, [p, q])) == [4.0, 1.0]
    assert values(mg.gradients(r, [p, q], stop_gradients=[p, q])) == [2.0, 1.0]


def test_grad_ys_is_the_upstream_gradient():
    x = mg.constant([1.0, 2.0])
    y = x * x
    np.testing.assert_array_equal(mg.gradients(y, x, grad_ys=[mg.constant([1.0, 10.0])])[0].value, [2.0, 40.0])
    np.testing.assert_array_equal(mg.gradients([y, x], x, grad_ys=[None, mg.constant([5.0, 5.0])])[0].value, [7.0, 9.0])
    with pytest.raises(ValueError, match="1 entries for 2 ys"):
        mg.gradients([y, x], x, grad_ys=[None])
    with pytest.raises(ValueError, match=r"shape \(\).*shape \(2,\)"):
        mg.gradients(y, x, grad_ys=mg.constant(1.0))
    with pytest.raises(TypeError, match=r"float64.*float32"):
        mg.gradients(y, x, grad_ys=mg.constant(np.ones(2)))


@pytest.mark.parametrize("bad", [3.0, None, np.ones(2), "x"])
def test_what_is_not_a_tensor_is_named(bad):
    x = mg.constant(1.0)
    with pytest.raises(TypeError, match=r"xs\[1\] must be a Tensor"):
        mg.gradients(x, [x, bad])
    with pytest.raises(TypeError, match="ys must be a Tensor"):
        mg.gradients(bad, x)


def test_integers_have_no_gradient():
    n, x = mg.constant(3), mg.constant(2.0)
    y = mg.astype(n, "float32") * x
    with pytest.warns(UserWarning, match=r"^gradients\(ys, xs\): xs has dtype int32, and only floats have gradients"):
        assert mg.gradients(y, n) == [None]
    with pytest.warns(UserWarning, match=r"ys has dtype int32, .*, so the result is None; .*constant\(3.0\)"):
        assert mg.gradients(mg.astype(x, "int32"), x) == [None]
    with pytest.warns(UserWarning, match=r"ys\[0\] has dtype int32, xs\[0\] has dtype int32"):
        assert mg.gradients([n * n], [n]) == [None]
    with pytest.warns(UserWarning, match="xs has dtype bool"):
        assert mg.gradients(y, x > 1) == [None]
    found, none = mg.gradients(y, [x, n])  # among others an integer is a constant like any other
    assert float(found) == 3.0 and none is None


@pytest.mark.parametrize("unconnected", ["none", "zero"])
def test_exchanged_arguments_are_said_to_be_exchanged(unconnected):
    x, w = mg.constant(2.0), mg.Variable(3.0, name="w")
    y = x * w
    for inner, named in ((x, r"Tensor\(2.0"), (w, r"Variable\('w', 3.0")):
        message = rf"xs was computed from ys.*ys is {named}.*, xs is Tensor\(6.0.*=multiply.*write gradients\(xs, ys\)"
        with pytest.warns(UserWarning, match=message) as caught:
            (found,) = mg.gradients(inner, y, unconnected_gradients=unconnected)
        assert (None if unconnected == "none" else 0.0) == (None if found is None else float(found))
        assert [warning.filename for warning in caught] == [__file__]
    w.assign(5.0)
    with pytest.warns(UserWarning, match="xs was computed from ys"):
        mg.gradients(w, [y])


def test_a_rule_without_return_is_named():
    @mg.custom_gradient
    def square(x):
        def rule(upstream):
            2.0 * x * upstream

        return x * x, rule

    x, w = mg.constant(2.0), mg.Variable(3.0, name="w")
    ending = r"returned None, so no gradient passes through square; does it lack a return\?$"
    message = rf"^grad_fn rule \(.*:\d+\) of square {ending}"

    def taped():
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = square(x) + x
        return [tape.gradient(y, x)]

    cases = [
        (lambda: mg.gradients(square(x * w), [x, w]), [None, None]),
        (lambda: mg.gradients(square(x) + x, x), [1.0]),  # another path is open
        (lambda: mg.gradients(square(x) * w, [x, w]), [None, 4.0]),
        (taped, [1.0]),
        (lambda: [mg.grad(square)(2.0)], [0.0]),
        (lambda: [mg.grad(lambda x: square(x) + x)(2.0)], [1.0]),
        (lambda: mg.value_and_grad(lambda x: square(x) + x)(2.0), [6.0, 1.0]),
    ]
    for call, expected in cases:
        with pytest.warns(UserWarning, match=message) as caught:
            assert [None if g is None else float(g) for g in call()] == expected
        assert [warning.filename for warning in caught] == [__file__]


def test_a_rule_that_returns_none_on_purpose_is_not_named():
    @mg.custom_gradient
    def cut(x):
        def rule(upstream):
            return None

        return x * x, rule

    x = mg.constant(2.0)
    for f in (cut, mg.custom_gradient(lambda x: (x * x, lambda upstream: None))):
        assert mg.gradients(f(x), x) == [None]
        assert float(mg.gradients(f(x) + x, x)[0]) == 1.0


def test_a_rule_of_two_inputs_without_return_is_named():
    @mg.custom_gradient
    def times(x, y):
        def rule(upstream):
            upstream * y, upstream * x

        return x * y, rule

    x, y = mg.constant(2.0), mg.constant(3.0)
    with pytest.raises(ValueError, match=r"was called with 2 inputs \(x, y\); does it lack a return\?$"):
        mg.gradients(times(x, y), [x, y])


def test_none_of_what_is_merely_unrelated_or_cut_comes_without_a_warning():
    x, z = mg.constant(2.0), mg.constant(3.0)
    later = mg.stop_gradient(x) * 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mg.gradients(x * 2.0, z) == [None] == mg.gradients(x, later)
        assert mg.gradients(x * 2.0, []) == []
        assert values(mg.gradients(x * 2.0, [x, x * z])) == [2.0, None]


def test_gradients_can_be_differentiated_again():
    x = mg.constant(2.0)
    d, found = x**4, []
    for _ in range(5):
        (d,) = mg.gradients(d, x)
        found.append(None if d is None else float(d))
        if d is None:
            break
    assert found[:4] == [32.0, 48.0, 48.0, 24.0]


def test_a_rule_with_a_wrong_shape_is_named():
    broken = defop("broken", lambda x: x * 2, vjp=lambda g, y, x: g[:1])
    x = mg.constant([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"broken.*argument 0.*\(1,\).*\(3,\)"):
        mg.gradients(broken(x), x)
    del OPS["broken"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="before Python 3.11 a caller keeps what it hands over")
def test_a_graph_that_nobody_else_holds_is_freed_while_the_pass_goes_on():
    made, alive = [], []

    @mg.custom_gradient
    def first(x):
        def grad(dy):
            alive.extend(ref() is not None for ref in made)
            return dy

        return x * 1.0, grad

    def f(x):
        x = first(x)
        for _ in range(10):
            x = mg.tanh(x)
            made.append(weakref.ref(x))
        return mg.sum(x)

    mg.value_and_grad(f)(np.ones(3))
    assert sum(alive) <= 1  # at most the node that was visited just before


def test_garbage_is_looked_for_again_however_two_threads_interleave(monkeypatch):
    first, second = gc_paused(), gc_paused()
    enabled = gc.isenabled

    def overtaken():
        was = enabled()
        monkeypatch.setattr(gc, "isenabled", enabled)
        first.__exit__()  # the other thread ends its block just now
        return was

    first.__enter__()
    monkeypatch.setattr(gc, "isenabled", overtaken)
    with second:
        pass
    assert gc.isenabled()
