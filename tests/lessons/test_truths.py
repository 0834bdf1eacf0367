"""What checks take for true, where it is a formula: compared with the derivative of the loop that it replaces."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom import lesson


def middle(x):
    y = mg.mean(x)
    for _ in range(200):
        w = 1 / mg.sqrt(1 + ((x - y) / 3) ** 2)
        y = mg.sum(w * x) / mg.sum(w)
    return y


@pytest.mark.lesson14
@pytest.mark.parametrize("points", [[0.0, 1.0, 10.0], [1.0, 2.0, 3.0, 50.0], [-2.5, 0.25, 0.5, 1.0, 7.0]])
def test_the_say_of_a_point_is_the_gradient_through_200_steps(points):
    value, say = lesson("14").exercises["robust_middle"].checks[:2]
    points = np.array(points)
    assert value.true(points) == pytest.approx(middle(mg.constant(points)).item(), rel=1e-9)
    assert say.true(points, -3.0) == pytest.approx(-3.0 * np.asarray(mg.grad(middle)(points)), rel=1e-6)
