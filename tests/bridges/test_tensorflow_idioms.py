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


def test_a_custom_gradient_that_is_finite_is_not_said_to_be_nan():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    report = mg.find_nan(lambda x: tf.reduce_sum(log1pexp(x)), tf.constant([1.0, 100.0]))
    assert (report.phase, report.word, report.what) == ("forward", "inf", "inf in the value")
    assert "exp(100) is larger than 3.4e38" in report.sentence and "differently" not in str(report)


def test_sentences_about_ops_under_the_names_of_tensorflow():
    def cross_entropy(x):
        p = tf.sigmoid(x)
        return -tf.reduce_mean([0.0, 1.0] * tf.math.log(p) + [1.0, 0.0] * tf.math.log(1 - p))

    report = mg.find_nan(cross_entropy, tf.constant([50.0, -1.0]))
    assert "inf and -inf meet" not in report.sentence and "its product with the slope of Sigmoid" in report.sentence
    negative = mg.find_nan(lambda x: tf.reduce_sum(tf.sqrt(x) * 2), tf.constant([-1.0, 4.0]))
    assert "sqrt(-1) is nan: -1 is outside the domain of sqrt" in negative.sentence.lower()
