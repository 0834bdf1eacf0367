"""What a compiled function, or a program, uses is fixed in the program that it is part of too, and listed there."""

import functools

import numpy as np
import pytest

import minigrad as mg
from tests.programs.contract import X, picture, words_of


class Layer:
    """An object that holds a compiled function."""

    def __init__(self, f):
        self.f = f

    def run(self, x):
        return self.f(x)

    def __call__(self, x):
        return self.f(x)


def calling(f):
    return lambda x: f(x) + 1.0


def running(layer):
    return lambda x: layer.run(x)


def listed(functions):
    return lambda x: functions[0](x)


@pytest.mark.parametrize("door", [mg.compile, lambda f: mg.source(f, X)], ids=["compile", "source"])
@pytest.mark.parametrize(
    "around",
    [
        pytest.param(calling, id="called"),
        pytest.param(mg.compile, id="compiled twice"),
        pytest.param(lambda inner: calling(Layer(inner).run), id="called by a method"),
        pytest.param(lambda inner: running(Layer(inner)), id="called by a method of an object"),
        pytest.param(Layer, id="called by an object"),
        pytest.param(lambda inner: listed([inner]), id="in a list"),
        pytest.param(functools.partial, id="in a partial"),
        pytest.param(lambda inner: mg.grad(lambda x: mg.sum(inner(x) ** 2)), id="differentiated"),
        pytest.param(lambda inner: mg.hessian(lambda x: mg.sum(inner(x) ** 3)), id="differentiated twice"),
        pytest.param(lambda inner: mg.recompute_grad(lambda x: inner(x) * x), id="recomputed"),
        pytest.param(lambda inner: calling(mg.source(inner, X)), id="in a program"),
    ],
)
def test_a_closure_variable_of_a_function_inside_is_fixed_and_listed_in_the_outer_one(door, around):
    scale = np.ones(3)
    inner = mg.compile(lambda x: x * scale)
    inner(X)
    outer = door(around(inner))
    before = picture(outer(X))
    scale = np.zeros(3)
    assert picture(outer(X)) == before
    assert "scale" in words_of(outer.fixed)
