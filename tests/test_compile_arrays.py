"""Compiled functions and the arrays that go in and come out: all kinds, nobody's memory, and no change in place."""

import threading

import numpy as np
import pytest

import minigrad as mg
from tests.test_compile import assert_compiles, close, refused

X = np.array([1.0, 2.0, -3.7])


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


KINDS = {
    "float64": X,
    "float32": X.astype("f4"),
    "float16": X.astype("f2"),
    "longdouble": X.astype(np.longdouble),
    "big-endian": X.astype(">f8"),
    "integers": np.arange(3),
    "bytes": np.arange(3, dtype=np.uint8),
    "booleans": np.array([True, False, True]),
    "without axes": np.array(2.0),
    "a NumPy number": np.float64(2.0),
    "empty": np.zeros((0, 3)),
    "Fortran order": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "every second": np.arange(12.0).reshape(2, 6)[:, ::2],
    "reversed": X[::-1],
    "read-only": frozen(X),
    "one number, repeated": np.broadcast_to(2.0, (3,)),
    "nan and inf": np.array([np.nan, np.inf, -np.inf]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_array(kind):
    x = KINDS[kind]
    plain = lambda x: (mg.sum(x * 2), mg.relu(x) if x.dtype.kind == "f" else x)
    with np.errstate(all="ignore"):
        for f in (plain, mg.value_and_grad(lambda x: mg.sum(mg.tanh(x) * x + x + x)))[: 1 + (x.dtype.kind == "f")]:
            compiled = mg.compile(f)
            for _ in range(4):
                assert close(compiled(x), f(x))
            assert not compiled.reason


def test_one_program_for_all_orders_in_memory():
    rows = np.arange(6.0).reshape(2, 3)
    f = mg.value_and_grad(lambda x: mg.sum(mg.reshape(x, (6,)) * np.arange(6.0)))
    assert_compiles(f, *[(a,) for a in (rows, rows, rows, np.asfortranarray(rows), rows[:, ::-1])], programs=1)


def test_a_file_of_numbers(tmp_path):
    x = np.memmap(tmp_path / "x", np.float64, "w+", shape=(3,))
    x[:] = X
    assert_compiles(mg.value_and_grad(lambda x: mg.sum(x * x)), *[(x,)] * 4)


def test_dtypes_that_change():
    f = mg.value_and_grad(lambda x: mg.sum(x * x))
    assert_compiles(f, *[(X.astype(t),) for t in ("f4", "f8", "f2", "f8", "f4", "f2") * 3], programs=3)


def test_the_default_dtype_may_change():
    f = lambda x: mg.constant(1.5) * mg.sum(x)
    compiled, before = mg.compile(f), mg.default_dtype()
    try:
        for dtype in ("float32", "float64") * 4:
            mg.set_default_dtype(dtype)
            assert close(compiled(mg.constant([1.0, 2.0])), f(mg.constant([1.0, 2.0])))
    finally:
        mg.set_default_dtype(before)


def test_half_precision_overflows_where_it_did():
    f = mg.value_and_grad(lambda x: mg.sum((x * 256) * 0.5))
    assert_compiles(f, *[(np.array([300.0, 1.0], np.float16),)] * 4)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_and_masked_arrays_mean_something_else_by_their_operators():
    matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    masked = np.ma.array(X, mask=[0, 1, 0])
    power, total = mg.compile(lambda x: x * x), mg.compile(mg.value_and_grad(lambda x: mg.sum(x * x)))
    for _ in range(4):
        assert np.array_equal(power(matrix), matrix * matrix)
        assert close(total(masked), total.f(masked))


# Nobody's memory.


def test_results_are_the_callers_own():
    f = lambda x: (np.arange(3.0), np.arange(300.0), x * 2, x, x[1:], mg.sum(x) * np.ones(3), np.ones(3))
    compiled, x = mg.compile(f), X.copy()
    for _ in range(6):
        found = compiled(x)
        assert close(found, f(X))
        for part in found:
            part[...] = 77.0
        x[...] = X  # the first call may return it as it is


def test_gradients_are_the_callers_own():
    f = mg.compile(mg.grad(lambda a, b: mg.sum(a + b), (0, 1)))
    for _ in range(5):
        da, db = f(X, X)
        assert da.tolist() == db.tolist() == [1.0, 1.0, 1.0]
        da += 5.0


def test_a_result_does_not_change_with_the_next_call():
    f = mg.compile(lambda x: (x * 2, x, mg.exp(x)))
    for _ in range(3):
        f(X)
    x = X.copy()
    kept = f(x)
    before = [np.array(part) for part in kept]
    x += 1
    f(x)
    assert all(map(np.array_equal, kept, before))


def test_arguments_in_one_memory():
    w = np.arange(6.0)
    f = lambda a, b: mg.sum(a * b) + mg.sum(a)
    pairs = [(w[:3], w[:3]), (w[:3], w[:3]), (w[:3], w[3:]), (w[1:4], w[:3]), (X, X)]
    assert_compiles(f, *pairs, programs=1)


def test_a_captured_array_in_the_memory_of_an_argument():
    w = np.arange(6.0)
    for f in (lambda a: mg.sum(a * w[:3]) + mg.sum(w), lambda a: mg.sum(mg.tanh(a) * w[:3])):
        assert_compiles(f, *[(a,) for a in (w[:3], w[:3], X, w[3:], X)], programs=1)


def test_a_captured_tensor_as_argument():
    w = mg.constant(X)
    f = lambda a: mg.sum(a * w)
    compiled = mg.compile(f)
    for a in (w, w, mg.constant(X + 1), w, mg.constant(X + 2)):
        ours, theirs = ([g.value for g in mg.gradients(h(a), [a, w])] for h in (compiled, f))
        assert close(ours, theirs)


def test_parameters_that_are_trained_in_place():
    x = np.random.default_rng(0).normal(size=(20, 3))
    f = mg.value_and_grad(lambda w: mg.mean((x @ w - x @ X) ** 2))
    compiled, w = mg.compile(f), np.zeros(3)
    for _ in range(20):
        found = compiled(w)
        assert close(found, f(w))
        w -= 0.1 * found[1]
    assert not compiled.reason


def test_views_of_integer_arguments_as_indices():
    f = lambda table, i: mg.sum(table[i.reshape(2, 2)]) + mg.sum(table[i[1:]])
    table = mg.constant(np.arange(10.0))
    compiled = mg.compile(f)
    for k in range(6):
        i = np.array([k, k + 1, k + 2, 0])
        assert close(compiled(table, i), f(table, i))


# Changes in place.


def test_an_array_that_has_two_names():
    def f(x):
        y = x * 2
        z = y
        y += 1
        return z * x

    results = refused(
        f, *[(X + i,) for i in range(5)], match=r"changes an array in place \(test_compile_arrays.py:\d+\)"
    )
    assert all(close(r, ((X + i) * 2 + 1) * (X + i)) for i, r in enumerate(results))


def test_in_place_operators_on_tensors_only_make_new_ones():
    def f(w, x):
        y = x @ w
        y += 1.0
        total = 0.0
        for part in y:
            total += part * part
        return total

    calls = [(X + i, np.ones((2, 3))) for i in range(4)]
    assert_compiles(mg.value_and_grad(f), *calls)


def test_an_argument_that_is_changed_in_one_branch():
    def f(x):
        if np.sum(x) > 5:
            x += 1
        return mg.sum(x * x)

    compiled = mg.compile(f)
    with pytest.warns(mg.NotCompiled, match="changes an array in place"):
        for value in ([1.0, 1.0], [1.0, 2.0], [0.0, 1.0], [4.0, 4.0], [4.0, 5.0], [1.0, 1.0], [5.0, 5.0]):
            ours, theirs = np.array(value), np.array(value)
            assert close(compiled(ours), f(theirs)) and np.array_equal(ours, theirs)


def test_a_list_and_a_dict_that_are_changed():
    def in_list(p):
        p[0] = p[0] * 2
        return mg.sum(p[0])

    def in_dict(p):
        p["n"] = mg.sum(p["x"])
        return p["x"] * 2

    for f, make in ((in_list, lambda: [X.copy()]), (in_dict, lambda: {"x": X})):
        compiled = mg.compile(f)
        with pytest.warns(mg.NotCompiled, match="changes a list or dict among its arguments"):
            for _ in range(4):
                ours, theirs = make(), make()
                assert close(compiled(ours), f(theirs)) and close(ours, theirs)


# Threads.


def test_threads_with_huge_results():
    f = mg.compile(lambda x: mg.exp(x * 2 + 1) - x * x)
    wrong = []

    def work(i):
        for k in range(6):
            a = 0.1 * i + 0.01 * k
            if not np.allclose(f(np.full(4_500_000, a)), np.exp(a * 2 + 1) - a * a):
                wrong.append((i, k))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and not f.reason
