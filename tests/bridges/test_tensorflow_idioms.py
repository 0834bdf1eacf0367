"""Programs as the documentation of TensorFlow writes them, whose reports were false or a traceback."""

import pytest

import minigrad as mg

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")


def test_code_that_is_not_seen_is_no_input():
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sqrt(x * 0)
        return tf.reduce_sum(tape.jacobian(y, x))

    text = str(mg.find_nan(jacobian, tf.ones(2)))
    assert "a result of a graph is nan, and how it was computed is not recorded" in text and "the input" not in text
    outside = lambda x: tf.reduce_sum(tf.py_function(tf.math.log, [x], tf.float32))
    assert "a result of tf.py_function is nan" in str(mg.find_nan(outside, -tf.ones(2)))


def test_a_root_of_0_below_a_fraction_is_not_too_large():
    text = str(mg.find_nan(lambda x: tf.reduce_sum(tf.math.l2_normalize(x * 0, epsilon=0.0)), tf.ones(3)))
    assert "Rsqrt returns inf" in text and "too large" not in text
