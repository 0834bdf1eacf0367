"""TensorFlow's programs as graphs of minigrad: networks, functions of `tf.function`, and that nothing stays changed."""

import os

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.bridges import NotRecorded, program_of
from minigrad.tracing.replay import graph_of
from tests.helpers.tables import over

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
context = pytest.importorskip("tensorflow.python.eager.context")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def _nothing_stays():
    yield
    assert not tf.config.functions_run_eagerly()
    assert not context.context().op_callbacks


def record(f, *args):
    return program_of(f, args, {}, "find_nan")


def normal(*shape, seed=0):
    return tf.constant(np.random.default_rng(seed).standard_normal(shape), tf.float32)


X, V = normal(3, 4), normal(4, seed=1)
W = tf.Variable(normal(4, 4, seed=2), name="w")
B = tf.Variable(normal(4, seed=3), name="b")


@tf.function
def layer(x):
    return tf.nn.relu(x @ W + B)


def attention(x):
    scores = tf.matmul(x, x, transpose_b=True) / 2.0
    return tf.reduce_sum(tf.nn.softmax(scores) @ x * tf.range(4.0))


def recurrence(w):
    h = tf.zeros(4)
    for i in range(5):
        h = tf.tanh(tf.linalg.matvec(w, h) + float(i))
    return tf.reduce_sum(h)


FAITHFUL = [
    ("dense layers of a tf.function", lambda x: tf.reduce_mean(layer(layer(x)) ** 2), (X,)),
    ("attention", attention, (X,)), ("recurrence", recurrence, (normal(4, 4, seed=5) * 0.5,)),
    ("convolution", lambda x: tf.nn.conv2d(x, tf.ones((2, 2, 1, 3)), 1, "VALID") ** 2, (normal(1, 5, 5, 1),)),
    ("gather and concat", lambda x: tf.reduce_sum(tf.concat([tf.gather(x, [2, 0]), x], 0) ** 2), (V,)),
    ("cross-entropy", lambda x: tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 3], x)), (X,)),
    ("where", lambda x: tf.reduce_sum(tf.where(x > 0, tf.exp(x), tf.tanh(x))), (V,)),
    ("slices", lambda x: x[1] * x[2] + tf.reduce_sum(x[1:] ** 2), (V,)),
    ("dropout", lambda x: tf.reduce_sum(tf.nn.dropout(x, 0.5) ** 2), (normal(30),)),
]  # fmt: skip


@over(FAITHFUL)
def test_every_adjoint_of_a_network_is_equal_and_it_is_drawn(what, f, args):
    program = record(f, *args)
    assert program.caveat() == "", what
    assert viz.backward(f, *args).to_svg().startswith("<svg")


def test_variables_have_their_names_and_a_tf_function_is_looked_into():
    program = record(lambda x: tf.reduce_sum(layer(x)), X)
    assert {"x", "w", "b"} <= program.names.keys()
    assert [n.op.name for n in graph_of(program.y) if n.op] == ["matmul", "add", "relu", "sum"]


SAMPLED = """exp abs sqrt square sin cos tan sinh cosh tanh asin acos atan asinh atanh sigmoid sign math.log math.log1p
math.expm1 math.rsqrt math.erf math.erfc math.lgamma math.reciprocal math.softplus math.log_sigmoid math.xlogy
math.xlog1py math.atan2 nn.relu nn.elu nn.softmax nn.log_softmax reduce_sum reduce_mean reduce_max reduce_min
reduce_prod reduce_logsumexp maximum minimum add subtract multiply divide pow math.reduce_std math.reduce_variance
negative math.squared_difference cumsum norm"""
TWO = "math.xlogy math.xlog1py math.atan2 maximum minimum add subtract multiply divide pow math.squared_difference"


@over(SAMPLED.split())
def test_every_alias_gives_the_value_and_the_slope_at_three_points(name):
    f = tf
    for part in name.split("."):
        f = getattr(f, part)
    for point in ([0.3, 0.55, 0.8], [0.71, 0.12, 0.35], [0.9, 0.44, 0.23]):
        args = [tf.constant(point), tf.constant([0.6, 0.25, 0.95])]
        assert record(f, *args[: 1 + (name in TWO.split())]).caveat() == ""


@over(
    [(lambda x: None, "lack a return"), (lambda x: (x, x), r"f\(\*args\)\[0\]"), (lambda x: x > 0, "tensor of floats")]
)
def test_what_cannot_be_recorded_is_told(f, words):
    with pytest.raises(NotRecorded, match=words):
        viz.trace_nan(f, V)


def test_a_finished_result_is_told_what_to_write():
    with pytest.raises(NotRecorded, match=r"write mg.find_nan\(f, \*args\)"):
        mg.find_nan(tf.math.log(V))


def test_an_exception_inside_passes():
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        mg.find_nan(f, V)


@tf.custom_gradient
def doubled(x):
    return x * 2, lambda g: g / (x * 0)


@over([lambda x: tf.reduce_sum(doubled(x)), lambda x: tf.reduce_sum(tf.vectorized_map(tf.sqrt, x))])
def test_a_gradient_that_passes_what_is_not_recorded_is_told(f):
    """Like a user's rule, whose call TensorFlow does not show, and a graph that it runs as one op."""
    report = mg.find_nan(f, tf.constant([0.0, 1.0]))
    assert report.word == "inf"
    assert "Minigrad differentiates this program differently from TensorFlow" in str(report)
    assert not report.repair
