"""Loops, normalisation and convolution in the words of TensorFlow and Keras."""

import numpy as np
import pytest

import minigrad as tf
from minigrad import ops
from minigrad.diagnostics.gradient_check import check_gradients
from minigrad.frameworks.own_ops import ops as own
from tests.helpers.tables import over

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])


@pytest.mark.parametrize("while_loop", [tf.while_loop, ops.while_loop], ids=["tensorflow", "keras"])
def test_while_loop(while_loop):
    def power_above_100(x):
        return while_loop(lambda y, n: y < 100, lambda y, n: (y * x, n + 1), (x, 1))

    y, n = power_above_100(tf.constant(3.0))
    assert (float(y), int(n)) == (243.0, 5)
    assert tf.grad(lambda x: power_above_100(x)[0])(3.0).value == 5 * 3.0**4
    assert float(while_loop(lambda x: x < 10, lambda x: 2 * x, tf.constant(3.0))) == 12.0
    assert isinstance(while_loop(lambda x: x < 10, lambda x: [2 * x], [tf.constant(3.0)]), list)
    assert float(while_loop(lambda x: x < 100, lambda x: 2 * x, tf.constant(3.0), maximum_iterations=2)) == 12.0


def test_while_loop_without_back_propagation_cuts():
    x = tf.constant(3.0)
    assert tf.gradients(tf.while_loop(lambda y: y < 100, lambda y: y * x, x, back_prop=False), x) == [None]


def test_scan_and_folds():
    x = tf.constant(X[0])
    horner = lambda total, digit: 10 * total + digit
    np.testing.assert_array_equal(tf.scan(horner, x).value, [1.0, 8.0, 83.0])
    np.testing.assert_array_equal(tf.scan(horner, x, 1.0).value, [11.0, 108.0, 1083.0])
    np.testing.assert_array_equal(tf.scan(horner, x, reverse=True).value, [281.0, 28.0, 3.0])
    assert float(tf.foldl(horner, x)) == 83.0 and float(tf.foldr(horner, x)) == 281.0
    assert float(tf.foldl(horner, x, initializer=tf.constant(1.0))) == 1083.0
    check_gradients(lambda x, first: tf.scan(lambda s, row: s * row, x, first), X, X[1])
    check_gradients(lambda x: tf.foldr(lambda s, row: tf.sin(s) * row, x), X)


def test_scan_of_nested_structures():
    fibonacci = tf.scan(lambda state, _: (state[1], state[0] + state[1]), tf.zeros(5), (0.0, 1.0))
    np.testing.assert_array_equal(fibonacci[0].value, [1, 1, 2, 3, 5])
    pairs = tf.foldl(lambda total, row: total + row["a"] * row["b"], {"a": X[0], "b": X[1]}, 0.0)
    assert float(pairs) == pytest.approx(X[0] @ X[1])


def test_a_scan_over_nothing_is_an_error():
    with pytest.raises(ValueError, match="the same number of rows, at least one"):
        tf.scan(lambda s, row: s, tf.zeros((0, 2)), 1.0)


def test_unstack_says_how_many():
    assert [row.tolist() for row in tf.unstack(X, num=3, axis=1)] == X.T.tolist()
    assert len(ops.unstack(X, 2)) == 2
    with pytest.raises(ValueError, match=r"axis 0 of shape \(2, 3\) has 2 slices, not num=3"):
        tf.unstack(X, 3)


@pytest.mark.parametrize("given", [(None, None), (2.0, None), (None, 3.0), (2.0, 3.0)], ids=repr)
def test_batch_normalization(given):
    offset, scale = given
    mean, variance = X.mean(0), X.var(0)
    expected = (X - mean) / np.sqrt(variance + 0.1) * (scale or 1.0) + (offset or 0.0)
    np.testing.assert_allclose(tf.nn.batch_normalization(X, mean, variance, offset, scale, 0.1).value, expected)
    rows = [None if a is None else np.full(3, a) for a in given]
    np.testing.assert_allclose(ops.batch_normalization(X, mean, variance, -1, *rows, epsilon=0.1).value, expected)
    check_gradients(lambda x, m, v: tf.nn.batch_normalization(x, m, v, offset, scale, 0.1), X, mean, variance)


def test_moments_and_normalize():
    mean, variance = ops.moments(tf.constant(X), axes=[0], keepdims=True)
    np.testing.assert_allclose([mean.value, variance.value], [X.mean(0, keepdims=True), X.var(0, keepdims=True)])
    np.testing.assert_allclose(ops.normalize(X), X / np.linalg.norm(X, axis=1, keepdims=True))
    np.testing.assert_allclose(ops.normalize(X, axis=0, order=1), X / np.abs(X).sum(0))
    np.testing.assert_array_equal(ops.normalize(np.zeros(2)), [0.0, 0.0])
    assert np.isfinite(tf.grad(lambda x: tf.sum(ops.normalize(x, epsilon=0.5)))(np.zeros(2))).all()
    with pytest.raises(ValueError, match=r"normalize takes an order of 1, 2, .* got 0"):
        ops.normalize(X, order=0)


def test_fmod_logdet_glu():
    np.testing.assert_array_equal(ops.fmod([5.0, -5.0], 3.0).value, [2.0, -2.0])
    assert ops.logdet([[2.0, 0.0], [0.0, 3.0]]).value == pytest.approx(np.log(6))
    np.testing.assert_allclose(ops.glu([1.0, 2.0, 0.0, 0.0]).value, [0.5, 1.0])


@over([1, 2, 3, 4], [1, 2, 3], ["valid", "same"])
def test_conv_transpose_is_the_transpose_of_conv(size, strides, padding):
    """<conv(x), y> is <x, conv_transpose(y)>, where the lengths are those that conv_transpose gives."""
    rng = np.random.default_rng(size + strides)
    kernel, y = rng.normal(size=(size, 2, 3)), rng.normal(size=(1, 4, 3))
    back = ops.conv_transpose(y, kernel, strides, padding)
    assert back.shape == (1, 4 * strides if padding == "same" else 3 * strides + max(size, strides), 2)
    x = rng.normal(size=back.shape)
    forward = ops.conv(x, kernel, strides, padding)
    if forward.shape == y.shape:
        assert np.sum(forward * y) == pytest.approx(np.sum(x * back))
    else:  # the kernel is shorter than a stride: the last place of conv lies beyond what conv_transpose was given
        assert padding == "valid" and size < strides


def test_the_op_conv_transpose_wants_channels_last():
    with pytest.raises(ValueError, match="channels come last here, got data_format='channels_first'"):
        own.conv_transpose(X[None], np.ones((1, 3, 3)), data_format="channels_first")
