"""If an array is changed in place after it was used, the gradient still belongs to the computed value."""

import gc
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
import minigrad.numpy as mnp
from minigrad.core.support import operands
from tests.helpers.op_samples import NAMED, arrays, floats, function, is_array
from tests.helpers.tables import over

X = mg.constant(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]))
WAYS = {
    "gradients": lambda f: mg.gradients(f(X), X)[0],
    "grad": lambda f: mg.grad(f)(X),
    "tape": lambda f: _by_tape(f),
    "value_and_grad of an array": lambda f: mg.value_and_grad(f)(X.value)[1],
    "vjp": lambda f: mg.vjp(f, X)[1](mg.constant(1.0, "float64"))[0],
    "second order": lambda f: mg.grad(lambda x: mg.sum(mg.grad(f)(x) * X))(X),
}


def _by_tape(f):
    with mg.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    return tape.gradient(y, X)


scaled = mg.custom_gradient(lambda x, by: (x * x * by, lambda dy: (dy * 2.0 * x * by, None)))
closing = mg.custom_gradient(lambda x, by: (x * x * mg.constant(by), lambda dy: (dy * 2.0 * x * by, None)))
named = mg.custom_gradient(lambda x, *, by: (x * x * by[0], lambda dy: dy * 2.0 * x * by[0]))
nested = mg.custom_gradient(lambda x, p: (x * x * p["by"][0], lambda dy: (dy * 2.0 * x * p["by"][0], None)))
again = mg.recompute_grad(lambda x, by: x * x * by)
again_named = mg.recompute_grad(lambda x, by: x * x * by)

#: The term that an iteration adds to a sum, and the array in it, which the next iteration changes.
USES = {
    "T * raw": (lambda x, b: x * x * b, [1.0, 2.0, 3.0]),
    "raw * T": (lambda x, b: b * (x * x), [1.0, 2.0, 3.0]),
    "raw / T": (lambda x, b: b / x, [1.0, 2.0, 3.0]),
    "T @ raw": (lambda x, b: x * x @ b, [1.0, 2.0, 3.0]),
    "raw @ T": (lambda x, b: b @ (x * x), [[1.0, 2.0], [3.0, 4.0]]),
    "power": (lambda x, b: x**b, [1.0, 2.0, 3.0]),
    "maximum": (lambda x, b: mg.maximum(x * x, b), [1.0, 2.0, 3.0]),
    "clip": (lambda x, b: mg.clip(x * x, b, 40.0), [1.0, 2.0, 3.0]),
    "where": (lambda x, b: mg.where(b > 1, x * x, 2.0 * x), [1.0, 2.0, 3.0]),
    "where mask": (lambda x, m: mg.where(m, x * x, 2.0 * x), [True, False, True]),
    "index": (lambda x, i: (x * x)[i], [0, 1, 1]),
    "index in a tuple": (lambda x, i: (x * x)[:, i], [0, 1, 1]),
    "two indices": (lambda x, i: (x * x)[i, i], [0, 1, 1]),
    "mask": (lambda x, m: (x * x)[:, m], [True, False, True]),
    "take": (lambda x, i: mg.take(x * x, i, axis=1), [0, 1, 1]),
    "index_add": (lambda x, i: mg.index_add(x * 0.0, 0, 1.0) + mg.index_set(x * x, (0, i), 1.0), [0, 1, 1]),
    "keyword": (lambda x, m: mg.sum(x * x, axis=1, where=m), [True, False, True]),
    "einsum": (lambda x, b: mg.einsum("ij,j->i", x * x, b), [1.0, 2.0, 3.0]),
    "stack": (lambda x, b: mg.prod(mg.stack([x[0] * x[1], b]), axis=0), [1.0, 2.0, 3.0]),
    "a NumPy function": (lambda x, b: np.multiply(b, x * x), [1.0, 2.0, 3.0]),
    "minigrad.numpy": (lambda x, b: mnp.dot(x * x, b), [1.0, 2.0, 3.0]),
    "convolve": (lambda x, b: mg.ops.convolve(x[0] * x[0], b), [1.0, 2.0]),
    "custom": (scaled, [1.0, 2.0, 3.0]),
    "custom by closure": (closing, [1.0, 2.0, 3.0]),
    "custom by name": (lambda x, b: named(x, by=[b]), [1.0, 2.0, 3.0]),
    "custom in a dict": (lambda x, b: nested(x, {"by": [b]}), [1.0, 2.0, 3.0]),
    "recompute": (again, [1.0, 2.0, 3.0]),
    "recompute by name": (lambda x, b: again_named(x, by=b), [1.0, 2.0, 3.0]),
}


def turns(use, start, change):
    """The sum over three iterations, with the array changed in place, or a new array in each iteration."""

    def f(x):
        array, total = np.array(start), 0.0
        for _ in range(3):
            total = total + mg.sum(use(x, array))
            array = change(array)
        return total

    return f


def changed(array):
    array[...] = array[..., ::-1] if array.dtype.kind in "bi" else array + 1.0
    array[:1] = array[-1:]
    return array


@over(USES, WAYS)
def test_a_buffer_that_each_turn_changes_gives_the_gradient_of_arrays_of_their_own(use, way):
    call, start = USES[use]
    got = WAYS[way](turns(call, start, changed))
    want = WAYS[way](turns(call, start, lambda a: changed(a.copy())))
    assert np.asarray(getattr(got, "value", got)).tobytes() == np.asarray(getattr(want, "value", want)).tobytes()


@over(
    {
        f"{name}-{i}": (op, sample, i)
        for name, (op, sample) in NAMED.items()
        for i in range(len(arrays(sample)))
        if len(arrays(sample)) > 1 or any(isinstance(a, np.ndarray) for a in sample)
    }
)
def test_every_op_keeps_the_arrays_that_it_was_given(op, sample, i):
    def gradient(spoil):
        given = [np.array(a) for a in arrays(sample)]
        options = [a.copy() if isinstance(a, np.ndarray) and not is_array(a) else a for a in sample]
        x = given[i] = mg.constant(given[i])
        ys = [y for y in floats(function(op, options)(*given)) if isinstance(y, mg.Tensor)]
        for a in (*given, *options):
            if spoil and isinstance(a, np.ndarray):
                a[...] = 0
        return mg.gradients(ys, x)[0]

    got, want = gradient(True), gradient(False)
    assert want is got is None or got.value.tobytes() == want.value.tobytes()


@pytest.mark.parametrize("n", [3, 6000])
def test_an_argument_that_the_function_changes(n):
    x = np.ones(n)

    def f(t):
        y = mg.sum(t * t)
        x[:] = 7.0
        return y

    assert mg.grad(f)(x).tolist() == [2.0] * n
    assert mg.jacobian(f)(x).tolist() == [14.0] * n


def test_what_a_custom_function_writes_into_stays_what_the_caller_gave():
    @mg.custom_gradient
    def logged(x, log=None):
        log.append(x.shape)
        return x * 1.0, lambda dy: dy

    log = []
    logged(X, log=log)
    assert log == [(2, 3)]


# Memory.


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, np.nan]), min_size=1, max_size=8), st.booleans())
@settings(max_examples=50)
def test_a_large_array_is_copied_once_for_each_content(contents, transposed):
    buffer, x = np.ones((60, 80)), mg.constant(np.ones((80, 60) if transposed else (60, 80)))
    copies, seen = [], []
    for value in contents:
        buffer[3, 5] = value
        copies.append((x * (buffer.T if transposed else buffer)).args[1])
        seen.append(buffer.tobytes())
    assert [c.T.tobytes() if transposed else c.tobytes() for c in copies] == seen
    runs = len(list(itertools.groupby(seen)))
    assert len({id(c) for c in copies}) == runs


def test_a_copy_lives_as_long_as_the_record():
    gc.collect()
    before = len(operands._copies)
    y = mg.constant(np.ones(6000)) * np.ones(6000)
    assert len(operands._copies) == before + 1
    del y
    assert len(operands._copies) == before


def _unlocked(a):
    a.flags.writeable = False
    return a, lambda: a.setflags(write=True)


def _locked_beside_a_view(a):
    view = a[:]
    a.flags.writeable = False
    return a, lambda: view.fill(7.0)


READ_ONLY = {
    "unlocked later": _unlocked,
    "written through a view": _locked_beside_a_view,
    "sliding window": lambda a: (np.lib.stride_tricks.sliding_window_view(a, len(a) - 1)[1], lambda: None),
    "strided": lambda a: (np.lib.stride_tricks.as_strided(a, writeable=False), lambda: None),
    "memory view": lambda a: (np.asarray(memoryview(a).toreadonly()), lambda: None),
    "broadcast": lambda a: (np.broadcast_to(a, (1, len(a))), lambda: None),
}


@pytest.mark.parametrize("n", [3, 6000])
@pytest.mark.parametrize("form", READ_ONLY)
def test_a_read_only_array_that_changes_all_the_same(form, n):
    data = np.arange(1.0, n + 1)
    array, unlock = READ_ONLY[form](data)
    x = mg.constant(np.ones(array.shape))
    before, y = array.copy(), mg.sum(x * array)
    unlock()
    if data.flags.writeable:
        data.fill(7.0)
    assert array.ravel()[0] == 7.0
    assert np.array_equal(mg.gradients(y, x)[0].value, before)


def test_the_bounds_of_a_slice_are_kept():
    start, stop, x = np.array(0), np.array(2), mg.constant([1.0, 2.0, 3.0])
    y = mg.sum(x[start:stop] ** 2) + mg.sum(x[(slice(start, stop),)])
    start += 1
    stop += 1
    assert mg.gradients(y, x)[0].value.tolist() == [3.0, 5.0, 0.0]


def test_the_layout_of_an_array_is_kept():
    for n in (3, 200):
        raw = np.asfortranarray(np.arange(n * n * 1.0).reshape(n, n))
        assert (mg.constant(raw) @ raw).args[1].flags.f_contiguous
