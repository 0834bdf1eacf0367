"""Training something real: the digits, with one layer whose gradient is written by hand."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.data import digits


@mg.custom_gradient
def tanh_layer(x):
    y = mg.tanh(x)
    return y, lambda dy: dy * (1 - y * y)


def network(weights, x):
    (w1, b1), (w2, b2) = weights
    return tanh_layer(x @ w1 + b1) @ w2 + b2


@pytest.mark.numbers
def test_a_64_32_10_network_learns_the_digits():
    x_train, y_train, x_test, y_test = digits()
    rng = np.random.default_rng(0)
    weights = [
        (rng.normal(0, 0.15, (64, 32)).astype(np.float32), np.zeros(32, np.float32)),
        (rng.normal(0, 0.15, (32, 10)).astype(np.float32), np.zeros(10, np.float32)),
    ]
    speed = mg.nest.map_structure(np.zeros_like, weights)
    loss = lambda w, x, y: mg.mean(mg.softmax_cross_entropy(network(w, x), y))
    step = mg.value_and_grad(loss)
    first = float(loss(weights, x_train, y_train))
    for _ in range(20):
        for batch in np.split(rng.permutation(len(x_train))[:1280], 40):
            _, g = step(weights, x_train[batch], y_train[batch])
            speed = mg.nest.map_structure(lambda v, d: 0.9 * v - 0.1 * d, speed, g)
            weights = mg.nest.map_structure(np.add, weights, speed)
    assert float(loss(weights, x_train, y_train)) < first / 20
    guess = np.asarray(network(weights, x_test)).argmax(axis=1)
    assert (guess == y_test).mean() >= 0.95


def test_the_hand_written_rule_changes_only_the_backward_pass():
    x = mg.constant(np.linspace(-2, 2, 5))
    np.testing.assert_array_equal(tanh_layer(x).value, mg.tanh(x).value)
    np.testing.assert_allclose(mg.gradients(tanh_layer(x), x)[0].value, mg.gradients(mg.tanh(x), x)[0].value)
