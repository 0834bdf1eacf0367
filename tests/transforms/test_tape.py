"""GradientTape: what it records, how often it can be used, and how tapes nest."""

import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg
from minigrad.core.support.conversions import followers
from tests.helpers.gradients import values


@pytest.fixture
def x():
    return mg.constant(3.0)


# What is watched.


def test_a_watched_constant(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    g = tape.gradient(y, x)
    assert float(g) == 6.0 and g.op is None


def test_an_unwatched_constant_has_none_although_gradients_sees_it(x):
    k = mg.constant(2.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = k * x
    assert tape.gradient(y, k) is None
    assert values(mg.gradients(y, k)) == [3.0]


def test_what_is_computed_from_unwatched_constants_only_is_constant_too():
    k = mg.constant(2.0)
    with mg.GradientTape() as tape:
        m = k * 3.0
        y = m * m
    assert tape.gradient(y, m) is None


def test_trainable_variables_are_watched_when_they_are_read():
    w, frozen, n = mg.Variable(2.0), mg.Variable(5.0, trainable=False), mg.Variable(3)
    with mg.GradientTape() as tape:
        y = w * frozen * n
    assert values(tape.gradient(y, [w, frozen, n])) == [15.0, None, None]
    names = [v.name for v in tape.watched_variables()]
    assert names == [w.name, n.name]


def test_variables_are_not_watched_by_themselves_where_that_is_switched_off():
    w, v = mg.Variable(2.0), mg.Variable(5.0)
    with mg.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = w * v
    assert values(tape.gradient(y, [w, v])) == [None, 2.0]
    (only,) = tape.watched_variables()
    assert only is v


def test_an_untrainable_variable_can_be_watched():
    frozen = mg.Variable(5.0, trainable=False)
    with mg.GradientTape() as tape:
        tape.watch(frozen)
        y = frozen * frozen
    assert float(tape.gradient(y, frozen)) == 10.0


@pytest.mark.parametrize("trainable", [False, True])
def test_watching_a_variable_counts_for_later_ops_only(trainable):
    v = mg.Variable(3.0, trainable=trainable)
    with mg.GradientTape(persistent=True, watch_accessed_variables=not trainable) as tape:
        before = v * v
        tape.watch(v)
        after = v * v
        mixed = before * v
    assert values([tape.gradient(y, v) for y in (before, after, mixed)]) == [None, 6.0, 9.0]


def test_a_watched_untrainable_variable_is_one_of_the_variables_of_a_custom_gradient(x):
    frozen = mg.Variable(5.0, trainable=False)

    @mg.custom_gradient
    def f(x):
        return x * frozen, lambda dy, variables=None: (dy, [dy * 100.0]) if variables else dy

    with mg.GradientTape() as tape:
        tape.watch(frozen)
        y = f(x)
    assert float(tape.gradient(y, frozen)) == 100.0
    assert values(mg.gradients(f(x), [x, frozen])) == [1.0, None]


def test_watch_takes_structures():
    p = {"w": mg.constant(2.0), "b": [mg.constant(3.0)]}
    with mg.GradientTape() as tape:
        tape.watch(p)
        y = p["w"] * p["b"][0]
    g = tape.gradient(y, p)
    assert float(g["w"]) == 3.0 and float(g["b"][0]) == 2.0


@pytest.mark.parametrize("thing", [2.0, np.ones(2), None, "x", [mg.constant(1.0), 2.0]])
def test_only_tensors_can_be_watched(thing):
    with mg.GradientTape() as tape, pytest.raises(ValueError, match="cannot be watched; write x = constant"):
        tape.watch(thing)


def test_watching_integers_warns():
    n = mg.constant(3)
    with mg.GradientTape() as tape:
        with pytest.warns(UserWarning, match="dtype int32; only floats have gradients"):
            tape.watch(n)
        y = n * n
    assert tape.gradient(y, n) is None


def test_watch_before_entering(x):
    with pytest.raises(RuntimeError, match=r"inside `with"):
        mg.GradientTape().watch(x)


def test_watching_after_the_op_counts_for_later_ops_only(x):
    with mg.GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = x * 12.0
    assert float(tape.gradient(y + z, x) or 0.0) == 0.0  # the sum was made after the tape
    with mg.GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = y + x * 12.0
    assert float(tape.gradient(z, x)) == 12.0


# What is recorded.


def test_only_what_is_computed_inside_counts(x):
    y = x * x
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = y * x
    assert values(tape.gradient(z, [x, y])) == [9.0, 3.0]
    assert tape.gradient(z * 2.0, x) is None


def test_stop_recording(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = x * x
        z = x * 12.0 + y
    assert float(tape.gradient(z, x)) == 12.0
    with pytest.raises(ValueError, match="not recording"), tape.stop_recording():
        pass


def test_reset_forgets_what_was_recorded_and_watched(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        unwatched = x * 5.0
        tape.watch(x)
        z = x * 12.0
        total = y + unwatched + z
    assert float(tape.gradient(total, x)) == 12.0


def test_a_tape_cannot_be_entered_twice(x):
    with mg.GradientTape() as tape, pytest.raises(ValueError, match="still recording"), tape:
        pass


def test_numpy_inside_leaves_the_tape(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.constant(np.sin(x.numpy())) * 2.0
    assert tape.gradient(y, x) is None


def test_a_variable_that_becomes_a_tensor_in_a_loop():
    v, found = mg.Variable(1.0), []
    for _ in range(2):
        with mg.GradientTape() as tape:
            y = v * v
        found.append(tape.gradient(y, v))
        v = v + 1.0
    assert values(found) == [2.0, None]


def test_both_reads_of_an_assigned_variable_lead_to_it():
    v = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = v * 4.0
        v.assign(5.0)
        y = y + v * 10.0
    assert float(tape.gradient(y, v)) == 14.0


def test_a_variable_read_before_the_tape():
    v = mg.Variable(3.0)
    early = v * 5.0
    with mg.GradientTape() as tape:
        y = v * 4.0 + early
    assert float(tape.gradient(y, v)) == 4.0


def test_a_custom_rule_is_followed(x):
    f = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * 7.0))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x)) == 7.0


def test_a_rule_does_not_run_for_what_is_not_watched(x):
    f = mg.custom_gradient(lambda x: (x * x, lambda dy: 1 / 0))
    with mg.GradientTape() as tape:
        y = f(x)
    assert tape.gradient(y, x) is None


# Targets and sources.


def test_sources_are_mirrored(x):
    a = mg.constant(2.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([x, a])
        y = x * a
    assert values(tape.gradient(y, [x, a])) == [2.0, 3.0]
    assert isinstance(tape.gradient(y, (x,)), tuple)
    assert float(tape.gradient(y, {"a": {"b": x}})["a"]["b"]) == 2.0
    assert tape.gradient(y, []) == []


def test_targets_are_summed(x):
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, x * mg.constant([1.0, 2.0])
    assert float(tape.gradient([y, {"z": z}], x)) == 9.0
    assert float(tape.gradient([y, y], x)) == 12.0


def test_intermediate_sources_and_a_target_that_is_a_source(x):
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 4.0
        z = y * y
    assert values(tape.gradient(z, [x, y])) == [96.0, 24.0]
    assert values(tape.gradient([x, y], [x])) == [5.0]


def test_a_variable_as_target():
    v = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        pass
    assert tape.gradient(v, v).value.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("target", "sources"), [(None, "x"), (2.0, "x"), ([None], "x"), ("y", 2.0), ("y", [None])])
def test_targets_and_sources_must_be_tensors(target, sources, x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    target, sources = ({"x": x, "y": y}.get(t, t) if isinstance(t, str) else t for t in (target, sources))
    with pytest.raises(TypeError, match=r"(target|sources)(\[0\])? must be a Tensor, got .* of type"):
        tape.gradient(target, sources)


def test_an_integer_target_has_no_gradient(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.astype(x, "int32")
    assert tape.gradient(y, x) is None


def test_output_gradients(x):
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ys = [x * mg.constant([1.0, 10.0]), x * 100.0]
    assert float(tape.gradient(ys, x, output_gradients=[mg.constant([1.0, 2.0]), None])) == 121.0
    assert float(tape.gradient(ys[1], x, output_gradients=mg.constant(2.0))) == 200.0
    with pytest.raises(ValueError, match="output_gradients has 1 entries for 2 target"):
        tape.gradient(ys, x, output_gradients=[mg.constant([1.0, 2.0])])
    with pytest.raises(ValueError, match=r"output_gradients\[0\] has shape \(\), but target\[0\] has shape \(2,\)"):
        tape.gradient(ys, x, output_gradients=[mg.constant(1.0), None])


def test_unconnected_gradients(x):
    z = mg.constant([1.0, 2.0])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = x * x
    assert values(tape.gradient(y, [x, z])) == [6.0, None]
    for zero in ("zero", mg.UnconnectedGradients.ZERO):
        assert values(tape.gradient(y, [x, z], unconnected_gradients=zero)) == [6.0, [0.0, 0.0]]
        assert values(mg.gradients(y, [z], unconnected_gradients=zero)) == [[0.0, 0.0]]
    with pytest.raises(ValueError, match="unconnected_gradients must be 'none' or 'zero', got 'nonsense'"):
        tape.gradient(y, x, unconnected_gradients="nonsense")


# How often.


def test_a_plain_tape_can_be_used_once(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    for ask in (tape.gradient, tape.jacobian):
        with pytest.raises(RuntimeError, match=r"already used; GradientTape\(persistent=True\) can be used again"):
            ask(y, x)


def test_a_used_tape_that_is_entered_again_is_new(x):
    tape = mg.GradientTape()
    for _ in range(2):
        with tape:
            tape.watch(x)
            y = x * x
        assert float(tape.gradient(y, x)) == 6.0


def test_a_persistent_tape_that_is_entered_again_goes_on(x):
    tape = mg.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0
    with tape:
        z = y * x
    assert float(tape.gradient(z, x)) == 27.0


def test_a_persistent_tape_can_be_used_again(x):
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert [float(tape.gradient(t, x)) for t in (y, z, y)] == [6.0, 108.0, 6.0]


def test_after_an_error_a_persistent_tape_still_works(x):
    broken = [True]

    def grad(dy):
        if broken.pop():
            raise KeyError("text")
        return dy * 7.0

    f = mg.custom_gradient(lambda x: (x, grad))
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    with pytest.raises(KeyError):
        tape.gradient(y, x)
    broken.append(False)
    assert float(tape.gradient(y, x)) == 7.0


# Inside the context, and nested.


def test_gradient_inside_the_context_ends_the_recording_of_a_plain_tape(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        assert float(tape.gradient(y, x)) == 6.0
        with mg.GradientTape() as other:
            other.watch(x)
            z = x * x
    assert other.gradient(z, x).op is None


def test_gradient_inside_a_persistent_context_is_recorded(x):
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        g = tape.gradient(y, x)
        h = tape.gradient(g, x)
    assert (float(g), float(h), float(tape.gradient(h, x))) == (27.0, 18.0, 6.0)


def test_nested_tapes_for_higher_derivatives(x):
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        g = inner.gradient(y, x)
    assert (float(g), float(outer.gradient(g, x))) == (27.0, 18.0)


def test_a_transform_inside_a_tape_is_recorded_and_the_outermost_is_raw(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        g = mg.grad(lambda x: x**3)(x)
    assert float(tape.gradient(g, x)) == 18.0
    assert mg.grad(lambda x: x**3)(x).op is None


def test_tapes_may_end_in_any_order(x):
    outer, inner = mg.GradientTape(), mg.GradientTape()
    outer.__enter__()
    inner.__enter__()
    outer.watch(x)
    y = x * x
    assert float(outer.gradient(y, x)) == 6.0
    inner.__exit__(None, None, None)
    assert mg.grad(lambda x: x * x)(x).op is None


def test_a_tape_inside_a_transform():
    def f(x):
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.gradient(y, x)

    assert float(mg.grad(f)(3.0)) == 18.0


def test_an_error_inside_ends_the_recording(x):
    with pytest.raises(KeyError), mg.GradientTape():
        raise KeyError
    assert mg.grad(lambda x: x * x)(x).op is None


# Jacobians.


def test_jacobian():
    x = mg.constant([1.0, 2.0])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = mg.stack([x * x, x * x[0]])
        s = mg.sum(x * x)
    j = tape.jacobian(y, x)
    assert j.shape == (2, 2, 2)
    assert j.value.tolist() == [[[2.0, 0.0], [0.0, 4.0]], [[2.0, 0.0], [2.0, 1.0]]]
    assert tape.jacobian(s, {"x": x})["x"].value.tolist() == [2.0, 4.0]


def test_jacobian_of_what_is_not_connected():
    x, z = mg.constant([1.0, 2.0]), mg.constant([1.0, 2.0, 3.0])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = x * x
    assert tape.jacobian(y, z) is None
    zeros = tape.jacobian(y, z, unconnected_gradients=mg.UnconnectedGradients.ZERO)
    assert zeros.shape == (2, 3) and not zeros.value.any()
    with pytest.raises(TypeError, match="target must be a Tensor, got"):
        tape.jacobian([y], x)
    with pytest.raises(ValueError, match="nonsense"):
        tape.jacobian(y, x, unconnected_gradients="nonsense")


def test_the_jacobian_of_a_gradient_is_the_hessian():
    x = mg.constant([1.0, 2.0])
    with mg.GradientTape() as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = x[0] * x[0] * x[1]
        g = inner.gradient(y, x)
    assert outer.jacobian(g, x).value.tolist() == [[4.0, 2.0], [2.0, 0.0]]


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=4))
def test_a_tape_around_everything_agrees_with_gradients(numbers):
    x = mg.constant(np.array(numbers))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = mg.sum(mg.sin(x) * mg.exp(x) + x * mg.sum(x))
    np.testing.assert_array_equal(tape.gradient(y, x).value, mg.gradients(y, x)[0].value)


def test_long_records():
    x = mg.constant(1.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(20_000):
            y = y + 1.0
    assert float(tape.gradient(y, x)) == 1.0


def test_a_batch_jacobian_is_one_jacobian_for_each_row():
    x = mg.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = mg.stack([x[:, 0] * x[:, 1], x[:, 0], x[:, 1] ** 2], 1)
    j = tape.batch_jacobian(y, x)
    assert j.shape == (3, 3, 2)
    assert j[1].value.tolist() == [[4.0, 3.0], [1.0, 0.0], [0.0, 8.0]]
    assert tape.batch_jacobian(mg.ones((3, 1)), x) is None
    assert tape.batch_jacobian(mg.ones((3, 4)), x, "zero").shape == (3, 4, 2)


@pytest.mark.parametrize(
    "f, shape, words",
    [
        (lambda x: x[:2], (3, 2), r"target of shape \(2, 2\) and source of shape \(3, 2\)"),
        (lambda x: mg.concatenate([x, x]), (3, 2), r"target of shape \(6, 2\) and source of shape \(3, 2\)"),
        (lambda x: x[:1], (3, 2), "a source row for each target row"),
        (lambda x: mg.sum(x, 1), (3, 2), r"a target of rows, with two axes or more, got shape \(3,\)"),
        (lambda x: mg.reshape(x, (3, 1)), (3,), r"a source of rows, with two axes or more, got shape \(3,\)"),
        (lambda x: mg.sum(x), (3, 2), r"a target of rows, with two axes or more, got shape \(\)"),
        (lambda x: x, (), r"a target of rows"),
    ],
)
def test_a_batch_jacobian_needs_rows_and_equally_many(f, shape, words):
    x = mg.constant(np.ones(shape))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    with pytest.raises(ValueError, match=words):
        tape.batch_jacobian(y, x)
    assert tape.gradient(y, x) is not None, "a refused call does not use up the tape"


def test_jacobians_of_nothing():
    x, none = mg.constant(np.ones((3, 2))), mg.constant(np.ones((0, 2)))
    with mg.GradientTape(persistent=True) as tape:
        tape.watch([x, none])
        y, z = x[:0], none * 2.0
    assert tape.jacobian(y, x).shape == (0, 2, 3, 2)
    assert tape.jacobian(z, none).shape == (0, 2, 0, 2)
    assert tape.batch_jacobian(z, none).shape == (0, 2, 2)
    assert tape.batch_jacobian(x[:, :0], x) is None, "made after the tape"
    assert tape.jacobian(mg.ones((0, 2)), x) is None
    assert tape.jacobian(mg.ones((0, 2)), x, "zero").shape == (0, 2, 3, 2)
    assert [j.shape for j in tape.jacobian(y, [x, x])] == [(0, 2, 3, 2)] * 2


def test_a_jacobian_of_many_outputs_needs_no_square_of_their_number():
    n = 4000
    x = mg.constant(2.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * np.arange(n, dtype="float32")
    tracemalloc.start()
    jacobian = tape.jacobian(y, x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert jacobian.value.tolist() == list(range(n))
    assert peak < n * n, "an identity matrix would take 4 * n * n bytes"


def test_a_target_is_its_own_source():
    x, w = mg.constant(3.0), mg.Variable(2.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * 2.0
        cut = mg.stop_gradient(x)
        constant = mg.constant(1.0) * 1.0
    for t in (x, y, w, cut, constant):
        assert float(tape.gradient(t, t)) == 1.0
    assert [float(g) for g in tape.gradient([y, z], [x, y, z])] == [18.0, 3.0, 1.0]


@pytest.mark.parametrize(("behind", "connected"), [
    (mg.stop_gradient, False),
    (lambda x: mg.stop_gradient(x * 1.0) * 1.0, False),
    (lambda x: mg.cast(mg.cast(x, "int32"), "float32"), False),
    (lambda x: mg.cast(x > 0.0, "float32") * 3.0, False),
    (lambda x: mg.round(x) * 1.0, True),  # recorded, as in TensorFlow, though its gradient is None
    (mg.identity, True),
])  # fmt: skip
def test_a_source_behind_a_cut_is_connected_only_if_it_is_watched(behind, connected):
    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        z = behind(x)
        y = z * x
    slope, other = tape.gradient(y, [x, z])
    assert float(slope) == (6.0 if behind is mg.identity else 3.0)
    assert (other is not None and float(other) == 3.0) is connected
    with mg.GradientTape() as tape:
        z = behind(x)
        tape.watch(z)
        y = z * x
    assert float(tape.gradient(y, z)) == 3.0


def test_a_watched_variable_that_is_frozen_does_not_oblige_a_rule_to_take_variables():
    frozen, w = mg.Variable(5.0, trainable=False), mg.Variable(2.0, name="w")

    @mg.custom_gradient
    def f(x):
        return x * frozen, lambda dy: dy * 7.0

    @mg.custom_gradient
    def g(x):
        return x * frozen * w, lambda dy: dy * 7.0

    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        tape.watch([x, frozen])
        y = f(x)
        with pytest.raises(TypeError, match=r"uses the variable w,"):
            g(x)
    slope, other = tape.gradient(y, [x, frozen])
    assert float(slope) == 7.0
    assert other is None


def test_a_tape_can_be_left_in_another_thread():
    tape = mg.GradientTape()
    tape.__enter__()
    thread = threading.Thread(target=tape.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    assert isinstance(mg.grad(lambda x: mg.sum(x * x))(np.ones(2)), np.ndarray)
    x = mg.constant(2.0)
    assert float(x) == 2.0
    assert mg.gradients(mg.grad(lambda v: v * v)(x), x) == [None]


def test_a_tape_that_is_dropped_while_it_records_is_closed():
    x = mg.constant(3.0)
    before = len(followers)
    for _ in range(3):
        tape = mg.GradientTape()
        tape.__enter__()
        tape.watch(x)
        y = x * x
    assert len(followers) == before + 1 and float(tape.gradient(y, x)) == 6.0
    tape = mg.GradientTape(persistent=True)
    tape.__enter__()
    del tape
    assert len(followers) == before
    assert mg.value_and_grad(lambda x: x * x)(3.0)[1].op is None  # not recorded, as no tape is open
