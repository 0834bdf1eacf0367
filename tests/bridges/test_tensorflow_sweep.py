"""Idioms of TensorFlow's documentation, programs of public threads, and repairs that experts write, each run there."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.bridges.rebuilt_program import NotRecorded
from minigrad.diagnostics.edits import edited
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
keras = pytest.importorskip("keras", reason="Keras is not installed")

X = tf.constant([0.0, 1.0, 2.0])
ROWS = tf.constant([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]])
LARGE = tf.constant([300.0, -300.0, 0.0])

#: Programs whose edited line must run in TensorFlow, be finite, and have the promised value and gradients.
TEXT = """import tensorflow as tf


def log_of_a_determinant(a):
    return tf.math.log(tf.linalg.det(a))


def rsqrt_times_itself(x):
    return tf.reduce_sum(tf.math.rsqrt(x) * x)


def over_its_own_root(x):
    return tf.reduce_sum(x / tf.sqrt(x))


def overlap_of_boxes(a, b):
    wh = tf.maximum(tf.minimum(a[:, 2:], b[:, 2:]) - tf.maximum(a[:, :2], b[:, :2]), 0.0)
    inter = wh[:, 0] * wh[:, 1]
    area = lambda r: (r[:, 2] - r[:, 0]) * (r[:, 3] - r[:, 1])
    union = area(a) + area(b) - inter
    return tf.reduce_mean(1 - inter / union)


def softmax_by_hand(x):
    p = tf.exp(x) / tf.reduce_sum(tf.exp(x))
    return -tf.math.log(p[2])


def log_of_a_mean(x):
    return tf.math.log(tf.reduce_mean(tf.exp(x)))


def moments(x):
    m, v = tf.nn.moments(x, axes=[0])
    return tf.reduce_sum((x - m) / tf.sqrt(v))


def mapped(x):
    return tf.reduce_sum(tf.map_fn(lambda v: tf.sqrt(v) * 2, x))


def recomputed(x):
    return tf.reduce_sum(tf.recompute_grad(lambda z: tf.sqrt(z))(x))


def power_of_an_exponential(a):  # tf#38349
    return tf.reduce_sum(tf.where(a > 15.0, a, tf.math.pow(10.0, tf.math.exp(a))))


def logarithm_of_negatives(x, alpha):  # tf#27684
    return tf.reduce_sum(tf.where(x >= 0, alpha * tf.math.log(x), tf.zeros_like(x)))


def gamma_of_an_image(y):  # tf#2295
    y = tf.minimum(tf.maximum(y, 0.0), 1.0)
    return tf.reduce_sum(tf.pow(y, tf.constant(1.0 / 2.4, tf.float32)))


def selected_angle(x):  # tf#57786
    return tf.reduce_sum(tf.acos(x)[0:1])


def triplets(a, b):  # tf#42889
    d = tf.sqrt(tf.reduce_sum(tf.square(a - b), axis=-1))
    return tf.reduce_mean(tf.maximum(d - 0.2, 0.0) + d)


def dice(t, p):  # tf_unet#74
    return 1 - 2 * tf.reduce_sum(t * p) / (tf.reduce_sum(t) + tf.reduce_sum(p))
"""
BOXES = tf.constant([[0.0, 0, 0, 0], [0, 0, 2, 2]]), tf.constant([[1.0, 1, 1, 1], [1, 1, 3, 3]])
#: Name of a program -> its arguments, and a part of the line that is offered.
WRITTEN = {
    "log_of_a_determinant": ((tf.eye(16) * 1e-3,), "return tf.linalg.slogdet(a)[1]"),
    "rsqrt_times_itself": ((X,), "tf.where(x == 0, 0.0, tf.sqrt(tf.where(x == 0, 1.0, x)))"),
    "over_its_own_root": ((X,), "tf.where(x == 0, 0.0, tf.sqrt(tf.where(x == 0, 1.0, x)))"),
    "overlap_of_boxes": (BOXES, "inter / tf.where(union == 0, 1.0, union)"),
    "softmax_by_hand": ((LARGE,), "p = tf.nn.softmax(x)"),
    "log_of_a_mean": ((LARGE,), "return tf.reduce_logsumexp(x) - 1.098612289"),
    "moments": ((X * 0 + 1,), "tf.sqrt(v + 1e-05)"),
    "mapped": ((X,), "tf.sqrt(tf.where(v > 0, v, 1.0))"),
    "recomputed": ((X,), "tf.sqrt(tf.where(z > 0, z, 1.0))"),
    "power_of_an_exponential": ((tf.constant([100.0, 2.0]),), "tf.where(a > 15.0, 0.0, a)"),
    "logarithm_of_negatives": ((tf.constant([-1.0, 0.5, 2.0]), tf.constant(1.0)), "tf.where(x >= 0, x, 1.0)"),
    "gamma_of_an_image": ((X,), "tf.where(y > 0, y, 1.0) **"),
    "selected_angle": ((X,), "tf.where(tf.abs(x) < 1, x, 0.0)"),
    "triplets": ((ROWS, ROWS + tf.constant([[0.0], [1.0], [0.0]])), "d = tf.where(d2 > 0"),
    "dice": ((X * 0, X * 0), "tf.where(divisor == 0, 1.0, divisor)"),
}


def graded(f, args):
    copies = [tf.identity(a) for a in args]
    with tf.GradientTape() as tape:
        tape.watch(copies)
        y = f(*copies)
    return y, tape.gradient(y, copies, unconnected_gradients="zero")


@pytest.mark.parametrize("name", WRITTEN)
def test_the_offered_line_runs_in_tensorflow_and_gives_the_promised_numbers(name):
    args, line = WRITTEN[name]
    repair = mg.find_nan(programs.executed(TEXT)[name], *args).repair
    assert repair.edits and any(line in new for *_, new in repair.lines), repair
    new = programs.executed(edited(TEXT, repair.edits))[name]
    value, gradients = graded(new, args)
    assert np.isfinite(value) and all(np.isfinite(g).all() for g in gradients)
    assert np.allclose(value, repair.after.value, rtol=1e-4)
    promised = dict(zip(repair.after.names, repair.after.gradients))
    for parameter, g in zip(new.__code__.co_varnames, gradients):
        assert np.allclose(g, promised[parameter], rtol=1e-3, atol=1e-5), parameter


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda g: g * (1 - 1 / (1 + e))


@tf.custom_gradient
def root(x):
    return tf.sqrt(x), lambda g: g / (2 * tf.sqrt(x))


@tf.custom_gradient
def clipped(x):
    return tf.identity(x), lambda g: tf.clip_by_norm(g, 1.0)


@tf.function
def summed(x):
    s = 0.0
    for v in x:
        s += tf.sqrt(v)
    return s


@tf.function
def halved(x):
    c = x[1]
    while c > 0.3:
        c = tf.math.log(c * 0.0)
    return c


def mixed():
    keras.mixed_precision.set_global_policy("mixed_float16")
    net = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1, dtype="float32")])
    net.build((None, 2))
    keras.mixed_precision.set_global_policy("float32")
    return lambda x: tf.reduce_mean(net(x * 1e5) ** 2)


#: Program -> its arguments, and a phrase of the report.
TOLD = {
    lambda x: tf.reduce_sum(tf.py_function(lambda v: v * 2, [x], tf.float32)): ((X,), "every gradient is finite"),
    lambda x: tf.reduce_sum(tf.py_function(tf.sqrt, [x], tf.float32)): ((X,), "not recorded, a result of tf.py_func"),
    lambda x: tf.reduce_sum(log1pexp(x * 100)): ((X,), "inside log1pexp, exp(100) is larger than 3.4e38"),
    lambda x: tf.reduce_sum(root(x) ** 2): ((X,), "the custom rule root.grad of root returned nan for x"),
    lambda x: tf.reduce_sum(clipped(tf.sqrt(x))): ((X,), "[0.577 0.577 0.577]"),
    summed: ((X,), "the slope of sqrt is infinite"),
    halved: ((X,), "log of 0"),
    mixed(): ((ROWS,), "astype computes 300,000, which is above 65,504, the largest float16"),
    lambda d: tf.reduce_sum(d["a"] / d["b"][0]): (({"a": X, "b": [X, 1]},), "inf in the gradient of d['a']"),
    lambda x: tf.linalg.logdet(tf.matmul(x, x, transpose_b=True)): ((ROWS,), "the matrix is not positive definite"),
    lambda x: tf.cond(x[0] <= 0, lambda: tf.reduce_sum(tf.math.log(x)), lambda: x[0]): ((X,), "log(0) is -inf"),
    lambda x: tf.reduce_mean(tf.boolean_mask(x, x > 10)): ((X,), "no number is left to average"),
    lambda x: tf.reduce_sum(tf.scan(lambda a, v: a + tf.math.log(v), x, initializer=0.0)): ((X,), "log(0) is -inf"),
}


@pytest.mark.parametrize("f", TOLD)
def test_an_idiom_is_reported(f):
    args, phrase = TOLD[f]
    assert phrase in str(mg.find_nan(f, *args))


def test_a_variable_that_is_read_twice_is_one_input():
    net = keras.Sequential([keras.layers.Dense(1)])
    net.build((None, 2))
    report = mg.find_nan(lambda x: tf.reduce_sum(tf.math.log(net(x) * 0.0) + net(x)), ROWS)
    names = [name.rpartition("/")[2] for name in report.reaches]
    assert "kernel" in names and not any(name.startswith("x1") for name in names), report


def test_a_gradient_that_tensorflow_cannot_compute_is_told():
    with pytest.raises(NotRecorded, match="cannot compute the gradient of this program: Input is not invertible"):
        mg.find_nan(lambda x: tf.math.log(tf.linalg.det(tf.ones((2, 2)) * x[1])), X)


def test_data_are_no_mask():
    report = mg.find_nan(lambda x: tf.reduce_sum(x * tf.math.rsqrt(tf.reduce_sum(x * x))), X * 0)
    assert report.word == "nan" and "mask" not in str(report)


#: Expressions that lose the digits of their gradient, the range of inputs where they do, and the ops to blame.
LOSING = {
    "(1 - m.cos(x)) / x**2": (5e-5, 3e-4, {"cos"}),
    "(m.exp(x) - 1) / x": (3e-7, 3e-6, {"exp"}),
    "m.log(1 + x) / x": (2e-7, 2e-6, {"add"}),
    "((x + 3e6) - 3e6)**2": (0.05, 0.2, {"add"}),
    "m.tanh(x) * x": (0.3, 3.0, None),
}


@pytest.mark.parametrize("text", LOSING)
def test_the_op_that_loses_digits_is_named_beside_mpmath(text):
    import mpmath

    low, high, ops = LOSING[text]
    f, x = eval(f"lambda x: {text}", {"m": tf.math}), np.float32(np.random.default_rng(5).uniform(low, high))
    report = mg.find_nan(f, tf.constant(x))
    exact = eval(f"lambda x: {text}", {"m": mpmath})
    with mpmath.workdps(60):
        true = float(mpmath.diff(exact, mpmath.mpf(float(x)), h=mpmath.mpf(10) ** -25))
    gradient = float(graded(f, [tf.constant(x)])[1][0])
    if ops is None:
        assert report.lost is None and gradient == pytest.approx(true, rel=1e-3)
    else:
        assert report.lost.op in ops and abs(gradient - true) > 0.01 * abs(true)
        assert float(report.lost.exact) == pytest.approx(true, rel=1e-3, abs=1e-3)
