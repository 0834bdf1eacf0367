"""An index that is computed from values is part of a recorded graph, which is run at other numbers."""

import json

import numpy as np
import pytest

import minigrad as mg
from minigrad.graphs import Graph, function_of, recorded_indices, write

RECORDED, RUN = np.random.default_rng(0).normal(size=(2, 4, 3))
INDEXED = {
    "x[k]": lambda x: x[mg.argmin(x, axis=0)],
    "x[k] for one k": lambda x: x[mg.argmin(x[:, 0])],
    "x[k, i]": lambda x: x[mg.argmax(x, axis=0), np.arange(3)],
    "an element twice": lambda x: x[0 * mg.argmax(x, axis=0), 1],
    "a mask": lambda x: x[x > 0],
    "gather": lambda x: mg.gather(x, mg.argmin(x, axis=0)),
    "gather of constants": lambda x: mg.gather(np.eye(4), mg.argmin(x, axis=0)) @ x,
    "take along an axis": lambda x: mg.take(x, mg.argmin(x, axis=1), axis=1),
    "take of all": lambda x: mg.take(x, mg.argmin(x, axis=1)),
    "take to the ends": lambda x: mg.take(x, mg.argmin(x, axis=0) + 2, axis=1, mode="clip"),
    "take around": lambda x: mg.take(x, mg.argmin(x, axis=0) + 2, axis=1, mode="wrap"),
    "take_along_axis": lambda x: mg.take_along_axis(x, mg.argsort(x, axis=1), axis=1),
    "sort": lambda x: mg.sort(x, axis=1),
    "embedding": lambda x: mg.embedding(x, mg.argmin(x, axis=0)),
    "index_add": lambda x: mg.index_add(x, mg.argmin(x, axis=0), 2 * x[0]),
    "index_set": lambda x: mg.index_set(x, (mg.argmax(x, axis=0), np.arange(3)), 3 * x[1]),
    "index_set of an element twice": lambda x: mg.index_set(x, (0 * mg.argmax(x, axis=0), 1), 3 * x[1]),
    "put_along_axis": lambda x: mg.put_along_axis(
        x, mg.expand_dims(mg.argmin(x, axis=1), 1), mg.sum(x, axis=1, keepdims=True), 1
    ),
}


def constant(x):
    return mg.constant(x, dtype="float64")


def recorded(f, at):
    with recorded_indices():
        x = constant(at)
        return json.dumps(write([x], [f(x)]))


def to_second_order(f):
    """The value of f, the gradient of the sum of its cubes, and the gradient of the sum of that gradient's squares."""
    x = constant(RUN)
    y = f(x)
    (first,) = mg.gradients(mg.sum(y * y * y), [x])
    return [y.numpy(), first.numpy(), mg.gradients(mg.sum(first * first), [x])[0].numpy()]


@pytest.mark.parametrize("name", INDEXED)
def test_one_recording_gives_the_numbers_at_any_input(name):
    f = INDEXED[name]
    text = recorded(f, RECORDED)
    assert text == recorded(f, RUN)
    for got, true in zip(to_second_order(function_of(Graph(text))), to_second_order(f)):
        np.testing.assert_allclose(got, true, rtol=1e-14)


def by_gradients(x):
    y = x[mg.argmin(x, axis=0)]
    return y, lambda upstream: mg.gradients(y, [x], grad_ys=[upstream])[0]


def by_index_add(x):
    k = mg.argmin(x, axis=0)
    return x[k], lambda upstream: mg.index_add(mg.zeros_like(x), k, upstream)


@pytest.mark.parametrize("f", [by_gradients, by_index_add])
def test_a_rule_may_use_such_an_index(f):
    g = function_of(Graph(recorded(mg.custom_gradient(f), RECORDED)))
    for got, true in zip(to_second_order(g), to_second_order(INDEXED["x[k]"])):
        np.testing.assert_allclose(got, true, rtol=1e-14)


def test_elsewhere_an_index_is_recorded_as_numbers():
    x = constant(RECORDED)
    k = mg.argmin(x, axis=0)
    assert isinstance(x[k].args[1], np.ndarray)
    with recorded_indices():
        assert isinstance(x[k].args[1], mg.Tensor)
    assert isinstance(mg.take(x, k, 0).args[1], (np.ndarray, tuple))
