"""The tolerance is a few units of rounding: differences instead of a derivative are coarser, in any precision."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom import exercise, floats
from minigrad.classroom.examination import examine


@exercise("tanh", function="tanh(x)", seconds=20)
def tanh(c):
    c.derivative("the gradient", vary=(floats(-4, 4),), forward=np.tanh)


#: Central differences: the weights of f(x + h), f(x + 2 h), ..., which are subtracted with the sign of the distance.
WEIGHTS = {2: [1 / 2], 4: [2 / 3, -1 / 12], 6: [3 / 4, -3 / 20, 1 / 60]}


def by_differences(points, h):
    def rule(x, g):
        pairs = ((w, (k + 1) * h) for k, w in enumerate(WEIGHTS[points]))
        return g * sum(w * (mg.tanh(x + d) - mg.tanh(x - d)) for w, d in pairs) / h

    return mg.custom_gradient(lambda x: (mg.tanh(x), lambda g: rule(x, g)))


@pytest.mark.parametrize("h", [1e-6, 1e-4, 1e-2, 5e-2])
@pytest.mark.parametrize("points", sorted(WEIGHTS))
def test_differences_are_no_derivative(points, h):
    assert examine(tanh, by_differences(points, h)).status == "wrong"


RIGHT = {
    "1 - y**2": lambda x, y: 1 - y**2,
    "(1 - y)(1 + y)": lambda x, y: (1 - y) * (1 + y),
    "1 / cosh**2": lambda x, y: 1 / mg.cosh(x) ** 2,
    "4 / (e^x + e^-x)**2": lambda x, y: 4 / (mg.exp(x) + mg.exp(-x)) ** 2,
    "from sigmoid": lambda x, y: 4 * mg.sigmoid(2 * x) * mg.sigmoid(-2 * x),
    "sech by exp": lambda x, y: (2 * mg.exp(-abs(x)) / (1 + mg.exp(-2 * abs(x)))) ** 2,
}


@pytest.mark.parametrize("name", RIGHT)
def test_other_formulas_are_right(name):
    answer = mg.custom_gradient(lambda x: (y := mg.tanh(x), lambda g: g * RIGHT[name](x, y)))
    assert examine(tanh, answer).to_text().startswith("tanh: right")


@pytest.mark.parametrize("off", [1e-12, 1e-10, 1e-7])
def test_a_relative_error_above_rounding_is_seen(off):
    answer = mg.custom_gradient(lambda x: (mg.tanh(x), lambda g: g * (1 - mg.tanh(x) ** 2) * (1 + off)))
    assert examine(tanh, answer).at.endswith("in float64")
