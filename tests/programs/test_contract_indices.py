"""What stays in the graph has a program: masks, sorts and indices."""

import numpy as np
import pytest

import minigrad as mg
from tests.programs.contract import BOTH, Attempts, M, X, Y, Z, outcome, over, picture

in_the_graph = Attempts()
in_the_graph.functions(
    "same",
    {
        "where": lambda x: mg.where(x > 0, x, x * 0.1),
        "a mask by comparison": lambda x: x * (x > 0),
        "a mask cast": lambda x: x * mg.cast(x > mg.mean(x), "float64"),
        "maximum": lambda x: mg.maximum(x, 0.5),
        "sort": lambda x: mg.sort(x) * mg.constant([1.0, 2.0, 3.0], "float64"),
        "argsort and take": lambda x: mg.take(x, mg.argsort(x)),
        "argmin and one_hot": lambda x: x * mg.cast(mg.one_hot(mg.argmin(x), 3), "float64"),
        "one hot by comparison": lambda x: x * mg.cast(mg.equal(np.arange(3), mg.argmax(x)), "float64"),
        "top_k": lambda x: mg.top_k(x, 2)[0],
        "take along an axis": lambda x: mg.take_along_axis(x, mg.argsort(x), 0),
        "searchsorted": lambda x: x * mg.cast(mg.searchsorted(np.array([-1.0, 0.0, 1.0]), x), "float64"),
        "max": lambda x: mg.max(x) * x,
        "clip": lambda x: mg.clip(x, -1.0, 1.5),
        "abs": lambda x: mg.abs(x),
        "sign": lambda x: mg.sign(x) * x,
        "isnan": lambda x: mg.where(mg.isnan(x), 0.0, x),
        "floor": lambda x: x - mg.floor(x),
        "cummax": lambda x: mg.cummax(x) * x,
        "median": lambda x: mg.median(x) * x,
        "stop_gradient": lambda x: mg.stop_gradient(x) * x,
    },
    *BOTH,
    orders=1,
)
test_in_the_graph = in_the_graph.test()

doubled = mg.custom_gradient(lambda x: (x * 1.0, lambda dy: mg.constant(2.0, dy.dtype)))

reads = Attempts()
reads.functions(
    "same",
    {
        "elements": lambda x: x[0] * x[1] + x[2] * x[2],
        "elements and the whole": lambda x: x[0] * x[1] * x + x[[0, 0, 1]],
        "a read whose gradient is a number": lambda x: doubled(x[0]) + x[1] * x[1] * x[0] + doubled(x[2]),
    },
    *BOTH,
    orders=2,
)
test_reads = reads.test()


indices = Attempts()
indices.functions(
    "honest",
    {
        "argmax and gather": lambda x: mg.gather(x, mg.argmax(x)),
        "a boolean mask": lambda x: mg.sum(x[x > 0]),
        "a boolean mask by mg": lambda x: mg.sum(mg.boolean_mask(x, x > 0)),
        "a boolean mask returned": lambda x: x[x > 0] * 2.0,
        "a mask by NumPy": lambda x: x * (np.asarray(x) > 0),
        "np.where by hand": lambda x: x * np.where(np.asarray(x) > 0, 1.0, 0.1),
        "np.argsort": lambda x: x[np.argsort(np.asarray(x))],
        "np.argmax": lambda x: x[np.argmax(np.asarray(x))],
        "np.nonzero": lambda x: mg.sum(x[np.nonzero(np.asarray(x > 0))[0]]),
        "np.unique": lambda x: mg.sum(mg.constant(np.unique(np.asarray(x)))) * x,
        "np.sort": lambda x: np.sort(np.asarray(x)) * x,
        "an argmax as an index": lambda x: x[mg.argmax(x)],
        "an argsort as an index": lambda x: x[mg.argsort(x)],
        "an argsort used twice": lambda x: sorted_twice(x),
        "an argmax used twice": lambda x: x[mg.argmax(x)] * x[mg.argmax(x)] + x,
        "an index computed by a cast": lambda x: x[mg.cast(mg.abs(x[:1]) * 0.6, "int32")],
        "a mask used twice": lambda x: masked_twice(x),
        "index_set with a mask": lambda x: mg.where(x < 0, 0.0, x) + mg.index_add(x, 0, 1.0),
        "a slice that ends where a value says": lambda x: mg.sum(x[: int(mg.argmax(x)) + 1]),
        "a repeat by a value": lambda x: mg.repeat(x, np.asarray(mg.cast(mg.abs(x), "int32"))),
        "np.bincount": lambda x: x * np.bincount(np.asarray(mg.cast(mg.abs(x), "int32")), minlength=9)[:3],
        "np.digitize": lambda x: x * np.digitize(np.asarray(x), [0.0, 1.0]),
    },
    *BOTH,
)


def sorted_twice(x):
    order = mg.argsort(x)
    return x[order] * x[order][::-1]


def masked_twice(x):
    mask = x > 0
    return mg.sum(x[mask]) * mg.sum((x * 2.0)[mask])


@indices.same
def an_array_of_integers_as_argument(compile):
    f = compile(mg.value_and_grad(lambda x, i: mg.sum(mg.square(mg.gather(x, i)))))
    yield from over(f, (X, np.array([0, 1])), (X, np.array([2, 2])), (Y, np.array([1, 0])))


@indices.same
def an_index_argument_used_twice(compile):
    f = compile(mg.value_and_grad(lambda x, i: mg.sum(x[i] * (x * x)[i])))
    yield from over(f, (X, np.array([0, 1])), (X, np.array([2, 2])), (Y, np.array([1, 0])))


@indices.same
def an_index_argument_used_for_two_arrays(compile):
    f = compile(lambda a, b, i: mg.take(a, i) - mg.take(b, i))
    yield from over(f, (X, Y, np.array([0, 1])), (Y, X, np.array([2, 2])), (Z, Z, np.array([1, 0])))


@indices.same
def an_index_argument_that_is_a_view(compile):
    f, i = compile(lambda x, i: x[i] + x[i[::-1]]), np.arange(6)
    yield from over(f, (X, i[:3]), (X, i[:6:2] // 2), (Y, i[2::-1]))


@indices.same
def labels_and_a_table_of_embeddings(compile):
    f = compile(mg.value_and_grad(lambda w, i: mg.sum(mg.square(mg.embedding(w, i)))))
    yield from over(f, (M, np.array([0, 1, 1])), (M, np.array([1, 1, 1])), (M * 2, np.array([0, 0, 1])))


@indices.honest
def a_mask_as_argument(compile):
    f = compile(mg.value_and_grad(lambda x, m: mg.sum(mg.square(x[m]))))
    masks = np.array([[True, False, True], [False, True, True], [True, True, True], [False, False, False]])
    yield from over(f, *((X, m) for m in masks), (Y, masks[0]))


@indices.honest
def an_integer_variable_as_index_of_both(compile):
    i = mg.Variable(np.array([0, 1]))
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.gather(x, i) * mg.gather(x * x, i))))
    for value in ([0, 1], [2, 2], [1, 0]):
        i.assign(np.array(value))
        yield f(X)


@indices.honest
def one_array_as_index_and_as_values(compile):
    f = compile(lambda i: mg.gather(i, i))
    yield from over(f, np.array([2, 0, 1]), np.array([1, 2, 0]))


@indices.honest
def an_index_beyond_the_end(compile):
    f = compile(lambda x, i: mg.gather(x, i))
    yield f(X, np.array([0, 1]))
    yield outcome(f, X, np.array([0, 7]))
    yield f(Y, np.array([2, 1]))


test_indices = indices.test()


@pytest.mark.parametrize(
    "f",
    [
        lambda x, n: np.repeat(x, n),
        lambda x, n: np.delete(x, n),
        lambda x, n: np.tile(x, n),
        lambda x, n: np.pad(x, n),
        lambda x, n: np.split(x, n)[0],
    ],
)
def test_a_length_that_an_array_of_integers_gives_is_refused(f):
    with pytest.raises(mg.NotAProgram, match="length depends on numbers"):
        mg.compile(f)(X, np.array([1, 1, 2]))


def test_a_length_that_a_plain_integer_gives_is_written_for_each_of_them():
    functions = {
        "raw": lambda x, n: x[:n] * 2.0,
        "length": lambda x, n: mg.sum(x[n:] * 2.0) / len(x[n:]),
        "window": lambda x, n: mg.sum(mg.constant(x)[n : n + 2]),
        "gradient": mg.grad(lambda x, n: mg.sum(x[:n] ** 2)),
        "repeated": lambda x, n: np.repeat(x, n) * 2.0,
        "tiled": lambda x, n: np.tile(x, n + 1) * 2.0,
    }
    for f in functions.values():
        g = mg.compile(f)
        for n in (1, 2, 1, 0):
            assert picture(g(X, n)) == picture(f(X, n))


def test_a_slice_whose_bounds_are_values_is_refused_where_its_length_changes():
    window = mg.compile(lambda x, n: x[n : n + 2] * 2.0)
    for n in (0, 1):
        assert window(X, np.int64(n)).tolist() == (X[n : n + 2] * 2.0).tolist()
    mean = mg.compile(lambda x: mg.sum(x[np.searchsorted(x, 0.0) :]) / len(x[np.searchsorted(x, 0.0) :]))
    assert float(mean(np.array([-1.0, 1.0, 2.0]))) == 1.5
    for f, args in ((window, (X, np.int64(2))), (mean, (np.array([-1.0, -1.0, 2.0]),))):
        with pytest.raises(mg.NotAProgram, match=r"a slice gave an array of shape .* pass the bounds"):
            f(*args)


def test_a_number_of_a_subclass_is_a_number():
    class Metres(np.float64):
        pass

    f = mg.compile(lambda a, b: a * b)
    assert [float(f(Metres(a), 2.0)) for a in (3.0, 4.0)] == [6.0, 8.0]
