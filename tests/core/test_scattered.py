"""Messages through an index: as large as the part read, added in place, with the bits of adding whole zero arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.core.backward import backward, start
from minigrad.core.support.observers import observing
from minigrad.core.support.scattered import Scattered, add_each
from tests.helpers.tables import over

KEYS = [
    0, -1, slice(1, None), slice(None, None, -2), None, Ellipsis, (0, 1), (slice(None), [0, 0, 2]),
    ([1, 0, 1], [2, 2, 2]), [[0, 1], [1, 1]], (Ellipsis, None, 0), np.array([True, False]),
    (np.array([1, 1]), slice(0, 2)), np.array([], int), (slice(0, 0),), np.int64(1), (1, [0, 0]),
    np.array([[True, False, True], [False, True, True]]),
]  # fmt: skip


@given(st.lists(st.integers(-1, len(KEYS) - 1), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_the_pass_over_arrays_has_the_bits_of_the_recorded_pass(uses, seed):
    rng = np.random.default_rng(seed)
    x = mg.constant(rng.normal(size=(2, 3)))
    ys = [x * -1.0 if i < 0 else mg.ops.getitem(x, KEYS[i]) for i in uses]
    upstreams = [np.round(rng.normal(size=y.shape), 1) * rng.integers(0, 2) for y in ys]
    upstreams = [-u[()] for u in upstreams]  # -0.0 among them
    raw = mg.vjp(lambda t: [t * -1.0 if i < 0 else t[KEYS[i]] for i in uses], x.value)[1](upstreams)[0]
    (recorded,) = mg.gradients(ys, x, grad_ys=[mg.constant(u) for u in upstreams])
    assert raw.tobytes() == recorded.value.tobytes()


@given(st.lists(st.integers(-1, len(KEYS) - 1), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_the_recorded_sum_has_the_bits_of_whole_arrays_added_newest_first(uses, seed):
    rng = np.random.default_rng(seed)
    x = mg.constant(rng.normal(size=(2, 3)))
    ys = [x * -1.0 if i < 0 else mg.ops.getitem(x, KEYS[i]) for i in uses]
    upstreams = [(-np.round(rng.normal(size=y.shape), 1) * rng.integers(0, 2))[()] for y in ys]
    zeros = np.zeros((2, 3))
    whole = [u * -1.0 if i < 0 else mg.ops.index_add(zeros, KEYS[i], u) for i, u in zip(uses, upstreams)]
    want = whole.pop()
    while whole:
        want = want + whole.pop()
    (found,) = mg.gradients(ys, x, grad_ys=[mg.constant(u) for u in upstreams])
    assert found.value.tobytes() == want.tobytes()


@given(st.lists(st.integers(-1, len(KEYS) - 1), min_size=1, max_size=4))
@settings(max_examples=50)
def test_second_derivatives_through_reads_are_right(uses):
    def f(x):
        return sum(mg.sum(mg.sin(x * -1.0 if i < 0 else x[KEYS[i]]) * (n + 1.0)) for n, i in enumerate(uses))

    x = np.arange(6.0).reshape(2, 3) / 7
    assert mg.check_gradients(f, x, order=3).ok
    np.testing.assert_allclose(mg.jvp(f, [x], [x])[1], np.sum(mg.grad(f)(x) * x), rtol=1e-12, atol=1e-12)


@over(KEYS)
def test_added_in_place_it_is_its_dense_array(key):
    rng = np.random.default_rng(0)
    total = rng.normal(size=(2, 3))
    taken = mg.constant(total)[key]
    piece = Scattered((2, 3), taken.args[1], rng.normal(size=taken.shape))
    want = total + mg.ops.index_add(np.zeros((2, 3)), key, piece.value)
    piece.add_to(total)
    np.testing.assert_array_equal(total, want)


READS = {
    "rows": lambda x: [x[i] for i in range(len(x))],
    "elements": lambda x: [x[i, j] for i in range(len(x)) for j in range(x.shape[1])],
    "iteration": lambda x: list(x),
    "unstack": lambda x: list(mg.ops.unstack(x, axis=1)),
    "split": lambda x: list(mg.ops.split(x, 20)),
    "strided slices": lambda x: [x[i::10] for i in range(10)],
    "masks": lambda x: [x[np.arange(40) % 8 == i] for i in range(8)],
    "repeated rows": lambda x: [x[[i, i]] for i in range(len(x))],
}


@pytest.mark.parametrize("name", READS)
def test_what_is_sent_back_is_as_large_as_what_was_read(name):
    x = mg.constant(np.arange(200.0).reshape(40, 5))
    read = READS[name](x)
    sent = []
    begun = start([mg.sum(y * y) for y in read], [np.float64(1.0)] * len(read), [x])
    backward(begun, lambda node, g, sends: sent.extend(c for _, a, c in sends if a is x))
    assert sum(np.size(c.value if isinstance(c, Scattered) else c) for c in sent) <= 2 * x.size
    np.testing.assert_array_equal(
        mg.grad(lambda t: sum(mg.sum(y * y) for y in READS[name](t)))(x.value),
        x.value * (4 if name == "repeated rows" else 2),
    )


def test_the_buffer_is_the_loops_own():
    x = np.ones(3)
    kept = []

    @mg.custom_gradient
    def f(t):
        def grad(dy):
            kept.append(dy)
            return dy

        return t * 1.0, grad

    g = mg.grad(lambda t: mg.sum(f(t)) + t[0] + t[1])(x)
    assert g.tolist() == [2.0, 2.0, 1.0]
    assert kept[0].value.tolist() == [1.0, 1.0, 1.0]


def test_a_trace_shows_the_whole_message():
    x = mg.constant([1.0, 2.0, 3.0])
    trace = mg.backward_trace(x[1] * 2.0, names={"x": x})
    sends = [s for step in trace.steps for s in step.sends]
    assert sends[-1].value.sample == (0.0, 2.0, 0.0)


def _by_tapes(f, x):
    with mg.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        slope = inner.gradient(y, x)
        z = mg.sum(slope * slope)
    return outer.gradient(z, x)


RECORDED = {
    "gradients": lambda f, x: mg.gradients(f(x), x),
    "nested grad": lambda f, x: mg.grad(lambda t: mg.sum(mg.grad(f)(t) ** 2))(x),
    "persistent tape": _by_tapes,
    "jvp": lambda f, x: mg.jvp(f, [x], [x]),
}


def work(way, reads, n):
    """The number of elements of all the Tensors that are recorded while a derivative of n reads is computed."""
    x, sizes = mg.constant(np.arange(n * 5.0).reshape(n, 5)), []
    with observing(created=lambda node: sizes.append(np.size(node.value))):
        RECORDED[way](lambda t: sum(mg.sum(r * r) for r in reads(t)), x)
    return sum(sizes)


@over(RECORDED, ["rows", "elements", "iteration", "repeated rows"])
def test_a_recorded_pass_over_many_reads_makes_arrays_in_proportion_to_what_was_read(way, name):
    assert work(way, READS[name], 80) <= 2.1 * work(way, READS[name], 40)


DTYPES = (np.float16, np.float32, np.float64)


@over(range(40))
def test_rows_are_added_as_numpy_adds_them(seed):
    rng = np.random.default_rng(seed)
    shape = (*rng.integers(1, 9, 1), *rng.integers(1, 30, rng.integers(0, 3)))
    key = rng.integers(-shape[0], shape[0], rng.integers(1, 60, rng.integers(1, 3)))
    key = key.astype(rng.choice([np.int8, np.int32, np.int64]))
    before = rng.normal(size=shape).astype(DTYPES[seed % 3])
    value = (rng.normal(size=(*key.shape, *shape[1:])) * 10.0 ** rng.integers(-3, 3)).astype(before.dtype)
    value[rng.random(value.shape) < 0.1] = rng.choice([np.nan, np.inf, -0.0])
    if seed % 4 == 0:  # in another order of memory
        before, value = np.asfortranarray(before), np.asfortranarray(value)
    expected, found = before.copy(order="K"), before.copy(order="K")
    with np.errstate(all="ignore"):
        np.add.at(expected, key, value)
        add_each(found, key, value)
    assert found.tobytes("A") == expected.tobytes("A")


@pytest.mark.parametrize("row", [7, -8, 2**40])
def test_a_row_that_is_not_there_is_named(row):
    table = np.zeros((7, 50))
    with pytest.raises(IndexError, match=f"index {row} is out of bounds for axis 0 with size 7"):
        add_each(table, np.array([0, 1, row]), np.ones((3, 50)))
    assert not table.any()


def test_values_that_are_broadcast_are_added_to_each_row():
    table = np.zeros((7, 200))
    add_each(table, np.array([0, 1, 1]), np.ones(200))
    assert table.sum(1).tolist() == [200, 400, 0, 0, 0, 0, 0]
