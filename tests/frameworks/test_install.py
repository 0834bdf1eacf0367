"""The names of TensorFlow, Keras and NumPy: all from the declarations, and meaning what they mean there."""

import importlib
import pkgutil
import pydoc
import subprocess
import sys

import numpy
import pytest

import minigrad as tf
import minigrad.numpy as np
import viz
from minigrad import ops
from minigrad.core.op import OPS
from minigrad.frameworks.own_ops import ops as own
from minigrad.ops.declare import BY_NUMPY
from tests.helpers.tables import over

X = [[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]


def get(root, path):
    for name in path.split("."):
        root = getattr(root, name)
    return root


SPELLED = [
    (root, name, op)
    for op in OPS.values()
    for root, name in ((tf, op.facts.names.get("tf")), (ops, op.facts.names.get("keras")), (own, op.name))
    if name
]


@over(SPELLED)
def test_each_name_of_a_declaration_exists_and_its_help_shows_what_the_declaration_says(root, name, op):
    found = get(root, name)
    assert callable(found)
    shown = pydoc.plain(pydoc.render_doc(found))
    slopes = "; ".join(slope or "none" for slope in op.facts.slope)
    facts = [("Formula", op.facts.latex), ("Local derivative", slopes), ("Edge cases", op.facts.edge_cases)]
    for title, fact in facts:
        assert not fact or shown.count(f"{title}: {fact}") == 1, title
    elsewhere = "Also known as: " + ", ".join(f"{library}: {spelling}" for library, spelling in op.facts.names.items())
    assert not op.facts.names or shown.count(elsewhere) == 1


@over(list(BY_NUMPY))
def test_every_numpy_function_of_a_declaration_is_in_the_numpy_namespace_and_has_the_help_too(function):
    found = getattr(np.linalg if function.__module__ == "numpy.linalg" else np, function.__name__)
    assert found is not function
    assert found.__doc__ == (BY_NUMPY[function].__doc__ or function.__doc__)


def test_help_of_matmul():
    for matmul in (tf.matmul, ops.matmul, np.matmul):
        assert "Formula: A B" in matmul.__doc__ and "Local derivative: g @ b.T; a.T @ g" in matmul.__doc__
        assert "Letters: a, b for the arguments, g for the upstream gradient" in matmul.__doc__


@pytest.mark.parametrize(("op", "letters"), [
    (ops.log, "a for the argument"), (ops.divide, "a, b for the arguments, y for the result"),
    (ops.where, "a, b, c for the arguments"), (ops.exp, "a for the argument, y for the result"),
])  # fmt: skip
def test_help_explains_the_letters_of_the_formula(op, letters):
    assert f"\nLetters: {letters}\n" in op.__doc__


GUIDE = """
    exp math.log math.exp reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_logsumexp reduce_any
    reduce_all math.reduce_variance math.reduce_std where clip_by_norm clip_by_value clip_by_global_norm stack
    unstack linspace einsum nn.sigmoid sigmoid nn.relu nn.leaky_relu nn.elu nn.gelu nn.silu nn.softmax
    nn.log_softmax nn.conv2d nn.convolution nn.max_pool nn.avg_pool nn.dropout nn.embedding_lookup nn.l2_loss
    nn.moments nn.sigmoid_cross_entropy_with_logits nn.tanh nn.softmax_cross_entropy_with_logits
    nn.sparse_softmax_cross_entropy_with_logits math.softplus math.log1p math.sigmoid math.log_sigmoid
    math.xlogy math.top_k math.cumsum math.cumprod math.squared_difference math.divide_no_nan math.rsqrt
    math.erf math.lgamma linalg.solve linalg.inv linalg.det linalg.slogdet linalg.logdet linalg.cholesky
    linalg.eigh linalg.svd linalg.qr linalg.trace linalg.diag linalg.diag_part linalg.norm linalg.matmul
    linalg.matvec linalg.cross linalg.pinv linalg.matrix_transpose linalg.triangular_solve cast concat
    convert_to_tensor shape size rank range zeros ones fill eye zeros_like ones_like reshape transpose
    expand_dims squeeze tile repeat pad reverse roll meshgrid gather gather_nd split sort argsort argmax argmin
    one_hot cumsum norm matmul tensordot pow abs sign square sqrt maximum minimum floor round stop_gradient
    identity add subtract multiply divide negative add_n tensor_scatter_nd_add tensor_scatter_nd_update
    searchsorted float16 float32 float64 int32 int64 bool random.normal random.uniform random.Generator
    broadcast_to sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh math.atan2 constant Variable
    GradientTape gradients custom_gradient is_tensor function executing_eagerly cond slice map_fn vectorized_map
    hessians no_gradient NotDifferentiable nest.flatten nest.map_structure nest.pack_sequence_as
    debugging.check_numerics debugging.assert_near random.set_seed optimizers.SGD optimizers.Adam
    keras.optimizers.SGD keras.optimizers.Adam keras.losses.mse keras.losses.mean_squared_error
""".split()  # noqa: SIM905


@over(GUIDE)
def test_the_names_a_tensorflow_user_expects(name):
    assert get(tf, name) is not None


@over([
    (lambda x: tf.reduce_sum(input_tensor=x, axis=1, keepdims=True, name="s"), [[2.0], [3.5]]),
    (lambda x: tf.transpose(a=x, perm=[1, 0])[0], [1.0, 0.5]),
    (lambda x: tf.cast(x=x, dtype=tf.int32)[0], [1, -2, 3]),
    (lambda x: tf.clip_by_value(x, clip_value_min=0.0, clip_value_max=2.0)[0], [1.0, 0.0, 2.0]),
    (lambda x: tf.split(x, [1, 2], axis=1)[1][0], [-2.0, 3.0]),
    (lambda x: tf.split(x, 3, 1)[2][:, 0], [3.0, -1.0]),
    (lambda x: tf.gather(x, [1])[0], [0.5, 4.0, -1.0]),
    (lambda x: tf.gather(params=x, indices=[2, 2], axis=1)[0], [3.0, 3.0]),
    (lambda x: tf.cumsum(x)[1], [1.5, 2.0, 2.0]),
    (lambda x: tf.cumsum(x, axis=1, exclusive=True)[0], [0.0, 1.0, -1.0]),
    (lambda x: tf.cumsum(x, axis=1, reverse=True)[0], [2.0, 1.0, 3.0]),
    (lambda x: tf.argmax(x), [0, 1, 0]),
    (lambda x: tf.sort(x, direction="DESCENDING")[0], [3.0, 1.0, -2.0]),
    (lambda x: tf.matmul(a=x, b=x, transpose_b=True)[0], [14.0, -10.5]),
    (lambda x: tf.concat(values=[x, x], axis=0)[2], [1.0, -2.0, 3.0]),
    (lambda x: tf.where(condition=x > 0, x=x, y=0.0)[0], [1.0, 0.0, 3.0]),
    (lambda x: tf.where(x > 0, 1.0, 0.0)[0], [1.0, 0.0, 1.0]),
    (lambda x: tf.reshape(tensor=x, shape=[3, 2])[0], [1.0, -2.0]),
    (lambda x: tf.reshape(x, tf.shape(tf.transpose(x)))[0], [1.0, -2.0]),
    (lambda x: tf.expand_dims(x, axis=0)[0, 0], [1.0, -2.0, 3.0]),
    (lambda x: tf.pad(x, paddings=[[0, 0], [1, 0]], mode="CONSTANT")[0], [0.0, 1.0, -2.0, 3.0]),
    (lambda x: tf.norm(x, ord=1), 11.5),
    (lambda x: tf.one_hot([1], 3, on_value=5.0, off_value=-1.0)[0], [-1.0, 5.0, -1.0]),
    (lambda x: tf.linalg.trace(tf.stack([x[:, :2], x[:, 1:]])), [5.0, -3.0]),
    (lambda x: tf.linalg.diag_part(tf.stack([x[:, :2], x[:, 1:]]))[1], [-2.0, -1.0]),
    (lambda x: tf.nn.leaky_relu(x, alpha=0.5)[0], [1.0, -1.0, 3.0]),
    (lambda x: tf.math.divide_no_nan(x, [1.0, 0.0, 2.0])[0], [1.0, 0.0, 1.5]),
    (lambda x: tf.add_n([x, x])[0], [2.0, -4.0, 6.0]),
    (lambda x: tf.einsum("ij->j", x), [1.5, 2.0, 2.0]),
    (lambda x: tf.range(3), [0, 1, 2]),
    (lambda x: tf.convert_to_tensor([x[0, 0], 2.0]), [1.0, 2.0]),
    (lambda x: tf.nn.bias_add(x, [1.0, 2.0, 3.0])[0], [2.0, 0.0, 6.0]),
    (lambda x: tf.nn.bias_add(x, [1.0, 2.0, 3.0], data_format="NCHW")[0], [2.0, 0.0, 6.0]),
    (lambda x: tf.math.l2_normalize([[3.0, 4.0], [0.0, 0.0]], axis=1), [[0.6, 0.8], [0.0, 0.0]]),
    (lambda x: tf.nn.l2_normalize([3.0, 4.0]), [0.6, 0.8]),
    (lambda x: tf.math.segment_sum(x, [0, 0]), [[1.5, 2.0, 2.0]]),
    (lambda x: tf.math.segment_sum([1.0, 2.0, 4.0], [0, 2, 2]), [1.0, 0.0, 6.0]),
    (lambda x: tf.math.unsorted_segment_sum([1, 2, 4, 8], [2, 0, 2, -1], 3), [2, 0, 5]),
    (lambda x: tf.math.unsorted_segment_sum(x, [[0, 1, 0], [1, 1, 1]], 2), [4.0, 1.5]),
    (lambda x: tf.math.digamma(1.0), -numpy.euler_gamma),
    (lambda x: tf.linalg.band_part(tf.ones((3, 3)), -1, 0), [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    (lambda x: tf.linalg.band_part(tf.ones((3, 3)), 0, 1), [[1, 1, 0], [0, 1, 1], [0, 0, 1]]),
    (lambda x: tf.slice(x, [0, 1], [2, -1]), [[-2.0, 3.0], [4.0, -1.0]]),
    (lambda x: tf.argsort(x, direction="DESCENDING")[0], [2, 0, 1]),
    (lambda x: tf.boolean_mask(x, x > 0), [1.0, 3.0, 0.5, 4.0]),
    (lambda x: tf.boolean_mask(x, [True, False, True], axis=1)[0], [1.0, 3.0]),
    (lambda x: tf.scatter_nd([[1], [1], [0]], [2.0, 3.0, 4.0], [3]), [4.0, 5.0, 0.0]),
    (lambda x: tf.tensor_scatter_nd_add([1.0, 2.0, 3.0], [[1], [1], [0]], [5.0, 6.0, 7.0]), [8.0, 13.0, 3.0]),
    (lambda x: tf.tensor_scatter_nd_update([1.0, 2.0, 3.0], [[2], [0]], [5.0, 6.0]), [6.0, 2.0, 5.0]),
    (
        lambda x: tf.tensor_scatter_nd_update([[1.0, 2.0], [3.0, 4.0]], [[1]], [[5.0, 6.0]]),
        [[1.0, 2.0], [5.0, 6.0]],
    ),
    (
        lambda x: tf.tensor_scatter_nd_update([[1.0, 2.0], [3.0, 4.0]], [[1, 0], [0, 0]], [5.0, 6.0]),
        [[6.0, 2.0], [5.0, 4.0]],
    ),
    (
        lambda x: tf.tensor_scatter_nd_update([1.0, 2.0, 3.0], tf.where([True, False, True]), [5.0, 6.0]),
        [5.0, 2.0, 6.0],
    ),
    (lambda x: ops.scatter_update([1.0, 2.0, 3.0], [[2], [0]], [5.0, 6.0]), [6.0, 2.0, 5.0]),
    (lambda x: tf.gather_nd([1.0, 2.0, 3.0], [[0], [2]]), [1.0, 3.0]),
    (lambda x: tf.gather_nd([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [1, 0]]), [2.0, 3.0]),
    (lambda x: tf.nn.relu6(3.0 * x)[1], [1.5, 6.0, 0.0]),
    (lambda x: tf.nn.selu(x)[0, :2], [1.05070099, -1.52016640]),
    (lambda x: tf.nn.softsign(x)[0], [0.5, -2 / 3, 0.75]),
    (lambda x: tf.cond(x[0, 0] > 0, lambda: x[0], lambda: x[1]), [1.0, -2.0, 3.0]),
    (lambda x: tf.map_fn(lambda row: row[0] * row, x), [[1.0, -2.0, 3.0], [0.25, 2.0, -0.5]]),
    (lambda x: tf.vectorized_map(lambda rows: rows["a"] + rows["b"], {"a": x[:, 0], "b": x[:, 1]}), [-1.0, 4.5]),
    (lambda x: tf.map_fn(lambda row: (row, 2.0 * row), x)[1][0], [2.0, -4.0, 6.0]),
    (lambda x: tf.debugging.check_numerics(x, "x"), X),
    (lambda x: tf.keras.losses.mse([1, 2], [[1.0, 4.0], [3.0, 2.0]]), [2.0, 2.0]),
    (lambda x: tf.keras.losses.MeanSquaredError()([0.0, 0.0], [1.0, 3.0]), 5.0),
    (lambda x: tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)([1], [[0.0, 0.0]]), numpy.log(2)),
])  # fmt: skip
def test_tensorflow_meaning(call, expected):
    numpy.testing.assert_allclose(call(tf.constant(X)).value, expected, rtol=1e-6)


def test_cross_entropies_take_labels_first():
    logits, labels = tf.constant([[2.0, 1.0]]), [[0.25, 0.75]]
    a = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    b = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    numpy.testing.assert_allclose(a.value, b.value)
    numpy.testing.assert_allclose(a.value, numpy.log(1 + numpy.exp(-1)) + 0.75, rtol=1e-6)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=logits)
    numpy.testing.assert_allclose(sparse.value, numpy.log(1 + numpy.exp(-1)), rtol=1e-6)


@over([
    (lambda x: tf.where(x > 0, x, 0.0), [[1, 0, 1], [1, 1, 0]]),
    (lambda x: tf.nn.bias_add(tf.ones((4, 3)), x[0]), [[4, 4, 4], [0, 0, 0]]),
    (lambda x: 5**1.5 * tf.math.l2_normalize(x[:, :2], 1)[0], [[6, 3, 0], [0, 0, 0]]),
    (lambda x: tf.math.unsorted_segment_sum(x, [-1, 1], 2) * 2.0, [[0, 0, 0], [2, 2, 2]]),
    (lambda x: tf.linalg.band_part(x, 0, 0), [[1, 0, 0], [0, 1, 0]]),
    (lambda x: tf.slice(x, [0, 1], [1, 2]), [[0, 1, 1], [0, 0, 0]]),
    (lambda x: tf.map_fn(lambda row: row[0] * row[1], x), [[-2, 1, 0], [4, 0.5, 0]]),
    (lambda x: tf.debugging.check_numerics(x, "x"), [[1, 1, 1], [1, 1, 1]]),
    (lambda x: tf.function(lambda x: 2.0 * x)(x), [[2, 2, 2], [2, 2, 2]]),
    (lambda x: tf.keras.losses.mse([0.0, 0.0, 0.0], x) * 1.5, [[1, -2, 3], [0.5, 4, -1]]),
    (lambda x: ops.average(x, 1, [1.0, 2.0, 1.0]), [[0.25, 0.5, 0.25], [0.25, 0.5, 0.25]]),
    (lambda x: ops.hstack([x, 2.0 * x]), [[3, 3, 3], [3, 3, 3]]),
    (lambda x: ops.vstack([x[0], x[1] * 2.0]), [[1, 1, 1], [2, 2, 2]]),
    (lambda x: ops.append(x, x[0]), [[2, 2, 2], [1, 1, 1]]),
    (lambda x: 6.0 * ops.hard_sigmoid(2.0 * x), [[2, 0, 0], [2, 0, 2]]),
    (lambda x: ops.segment_sum(x, [1, 0])[1], [[1, 1, 1], [0, 0, 0]]),
])  # fmt: skip
def test_gradients_flow_through_them(call, expected):
    x = tf.constant(X)
    numpy.testing.assert_allclose(tf.gradients(call(x), x)[0].value, expected, atol=1e-6)


def test_where_of_a_condition_alone_says_where_it_holds():
    places = tf.where(tf.constant(X) > 2)
    assert places.value.tolist() == [[0, 2], [1, 1]] and places.dtype == tf.int64
    assert tf.where([False]).shape == (0, 1)
    with pytest.raises(ValueError, match="both x and y"):
        tf.where([True], 1.0)


def test_function_is_one_mode():
    f = lambda x: x
    assert tf.function(f) is f and tf.function(jit_compile=True)(f) is f and tf.executing_eagerly()


def test_a_tensor_is_one():
    answers = [tf.is_tensor(x) for x in (tf.constant(1.0), tf.Variable(1.0), numpy.ones(1), 1.0)]
    assert answers == [True, True, False, False] and ops.is_tensor is tf.is_tensor


def test_hessians():
    x, y = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    z = tf.constant(1.0)
    of_x, of_y, of_z = tf.hessians(x[0] ** 2 * x[1] * y + 5.0 * y, [x, y, z])
    assert of_x.value.tolist() == [[12.0, 6.0], [6.0, 0.0]] and of_y.value == 0.0 and of_z is None
    (square,) = tf.hessians([x**3], x)
    assert square.value.tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_nested_structures():
    nested = {"b": (1, [2]), "a": 3}
    assert tf.nest.flatten(nested) == [3, 1, 2]
    assert tf.nest.map_structure(lambda a, b: a + b, nested, nested) == {"b": (2, [4]), "a": 6}
    assert tf.nest.pack_sequence_as(nested, [0, 8, 9]) == {"b": (8, [9]), "a": 0}
    with pytest.raises(ValueError, match="3 leaves, but 2 values"):
        tf.nest.pack_sequence_as(nested, [0, 8])


def test_checks_say_what_they_found():
    with pytest.raises(ValueError, match="after the log: of 4 values 1 are nan and 2 are inf"):
        tf.debugging.check_numerics([1.0, numpy.nan, numpy.inf, -numpy.inf], "after the log")
    tf.debugging.assert_near([1.0, numpy.inf], [1.0 + 1e-7, numpy.inf])
    tf.debugging.assert_near(1.0, 1.4, atol=0.5)
    with pytest.raises(AssertionError, match=r"the values are not near: at \(1,\) 2.0 and 3.0 differ by more than"):
        tf.debugging.assert_near([1.0, 2.0], [1.0, 3.0])
    with pytest.raises(AssertionError, match="slopes: nan and nan"):
        tf.debugging.assert_near(numpy.nan, numpy.nan, message="slopes")


@pytest.mark.parametrize(("call", "message"), [
    (lambda: tf.map_fn(lambda x: x, [1.0, 2.0]), "no rows"),
    (lambda: tf.map_fn(lambda x: x, (tf.ones(2), tf.ones(3))), "same number of rows"),
    (lambda: tf.math.segment_sum([1.0, 2.0], [1, 0]), "ascending ids"),
    (lambda: tf.math.unsorted_segment_sum([1.0, 2.0], [1, 0, 0], 2), "must begin"),
    (lambda: tf.nn.bias_add(tf.ones((2, 3)), [1.0]), "each channel"),
    (lambda: tf.slice([1.0, 2.0], [1], [2]), "not inside"),
    (lambda: ops.fold(tf.ones((1, 5, 1)), 2, 2), "fold takes x of shape .batch, channels . 4, 1."),
    (lambda: tf.numpy.linalg.diagonal(tf.ones(2)), "a diagonal needs at least two axes"),
])  # fmt: skip
def test_wrong_calls_are_sentences(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_optimizers_of_tensorflow():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    tf.keras.optimizers.SGD(learning_rate=0.25).apply_gradients([(tape.gradient(loss, v), v)])
    assert v.value.tolist() == [0.5, 1.0]
    assert tf.optimizers.Adam is tf.keras.optimizers.Adam


def test_svd_in_tensorflow_gives_the_singular_values_first():
    a = tf.constant(X)
    s, u, v = tf.linalg.svd(a)
    numpy.testing.assert_allclose((u * s @ tf.transpose(v)).value, X, atol=1e-5)


def test_random_numbers_come_from_a_seed():
    a, b = tf.random.normal((3,), seed=1), tf.random.normal((3,), seed=1)
    assert (a.value == b.value).all() and a.dtype == "float32"
    g = tf.random.Generator.from_seed(1)
    assert (g.normal((2,)).value != g.normal((2,)).value).all()


def test_set_seed_begins_anew_what_is_drawn_without_a_seed():
    tf.random.set_seed(3)
    first, second, own = tf.random.normal((2,)), tf.random.uniform((2,)), tf.random.normal((2,), seed=1)
    assert (own.value == tf.random.normal((2,), seed=1).value).all()
    tf.random.set_seed(3)
    assert (first.value == tf.random.normal((2,)).value).all() and (second.value == tf.random.uniform((2,)).value).all()
    assert (first.value != tf.random.normal((2,)).value).all()


def test_clipping_several_gradients_together():
    (a, b), length = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    numpy.testing.assert_allclose([a.value, b.value, [length.value]], [[0.6], [0.8], [5.0]], rtol=1e-6)


def test_keras_spellings():
    x = tf.constant(X)
    assert ops.cast(x, "float64").dtype == "float64"
    assert ops.average_pool(ops.ones((1, 4, 1)), 2).shape == (1, 2, 1)
    numpy.testing.assert_allclose(ops.layer_normalization(x).value.mean(-1), 0, atol=1e-6)
    assert ops.categorical_crossentropy([[0.0, 1.0]], tf.constant([[0.5, 0.5]])).shape == (1,)


LOG2 = float(numpy.log(2))


@over([
    (lambda: ops.average([1.0, 2.0, 6.0]), 3.0),
    (lambda: ops.average([1.0, 2.0, 6.0], weights=[1.0, 0.0, 1.0]), 3.5),
    (lambda: ops.hstack([[1.0], [2.0]]), [1.0, 2.0]), (lambda: ops.vstack([[1.0], [2.0]]), [[1.0], [2.0]]),
    (lambda: ops.append([[1.0]], [[2.0, 3.0]]), [1.0, 2.0, 3.0]),
    (lambda: ops.append([[1.0]], [[2.0]], axis=0), [[1.0], [2.0]]),
    (lambda: ops.hard_sigmoid([-4.0, 0.0, 1.5, 4.0]), [0.0, 0.5, 0.75, 1.0]),
    (lambda: ops.vectorized_map(lambda x: 2.0 * x, ops.ones(2)), [2.0, 2.0]),
    (lambda: ops.slice([1.0, 2.0, 3.0], [1], [2]), [2.0, 3.0]),
    (lambda: ops.cond(False, lambda: ops.ones(1), lambda: ops.zeros(1)), [0.0]),
    (lambda: ops.segment_sum([1.0, 2.0, 4.0], [2, 0, 2]), [2.0, 0.0, 5.0]),
    (lambda: ops.binary_crossentropy([1.0, 0.0], [0.5, 0.5]), [LOG2, LOG2]),
    (lambda: ops.binary_crossentropy([1, 0], [0.0, 0.0], from_logits=True), [LOG2, LOG2]),
    (lambda: ops.binary_crossentropy([1.0], [0.0]), [-numpy.log(1e-7)]),
    (lambda: ops.sparse_categorical_crossentropy([1], [[2.0, 2.0]]), [LOG2]),
    (lambda: ops.sparse_categorical_crossentropy([[1]], [[2.0, 2.0]], from_logits=True), [LOG2]),
    (lambda: ops.sparse_categorical_crossentropy([1], [[2.0], [2.0]], axis=0), [LOG2]),
    (lambda: ops.categorical_crossentropy([[0, 1]], [[3.0, 3.0]], from_logits=True), [LOG2]),
])  # fmt: skip
def test_keras_meaning(call, expected):
    numpy.testing.assert_allclose(call().value, expected, rtol=1e-6)


def test_keras_groups_hold_the_same_functions():
    assert ops.numpy.sum is ops.sum and ops.nn.relu is ops.relu and ops.linalg.inv is ops.inv
    assert ops.numpy.vstack is ops.vstack and ops.nn.conv is ops.conv
    assert not hasattr(ops.nn, "inv") and not hasattr(ops.linalg, "relu") and not hasattr(ops.numpy, "softmax")


def test_keras_groups_are_modules():
    import minigrad.compat.v1
    import minigrad.keras.losses
    import minigrad.ops.nn as nn
    from minigrad.math import log

    assert nn is ops.nn is sys.modules["minigrad.ops.nn"] and nn.relu is ops.relu
    assert log is tf.math.log and minigrad.keras.losses is tf.keras.losses and minigrad.compat.v1 is tf
    assert dir(tf.keras) == ["losses", "optimizers"]


@pytest.mark.parametrize("package", [tf, ops, viz], ids=lambda package: package.__name__)
def test_no_file_bears_the_name_of_something_public(package):
    """`import minigrad.ops.nn` and `minigrad.ops.nn` are then one thing, whatever was imported before."""
    for file in {file.name for file in pkgutil.iter_modules(package.__path__)} & {*dir(package)}:
        assert getattr(package, file) is importlib.import_module(f"{package.__name__}.{file}"), file


def test_dir_lists_public_names_only():
    """In a separate process, before and after everything that is imported late has been imported."""
    code = """
import types, minigrad as mg
before = dir(mg)
modules = {name for name in before if isinstance(getattr(mg, name), types.ModuleType)}
import viz, minigrad.numpy as np, minigrad.classroom, minigrad.diagnostics.gradient_check, minigrad.__main__
assert dir(mg) == before, {*dir(mg)} ^ {*before}
groups = {"compat", "debugging", "image", "keras", "linalg", "math", "nest", "nn", "optimizers", "random"}
assert modules >= {"data", "numpy", "ops", "optim", "scipy", "viz"} | groups, modules
files = [name for name in modules - groups if getattr(getattr(mg, name), "__file__", "")]
assert sorted(files) == ["data", "numpy", "ops", "optim", "scipy", "viz"], files
for space in (mg, mg.ops, np, np.linalg, mg.scipy, mg.scipy.special, viz, mg.nn, mg.ops.nn):
    assert not [name for name in dir(space) if name.startswith("_") or not hasattr(space, name)], space
    assert not {"Any", "sys", "importlib", "words", "TYPE_CHECKING", "annotations", "dispatch"} & {*dir(space)}, space
assert not [n for n in dir(mg.ops) if getattr(getattr(mg.ops, n), "__file__", "")]
assert not [name for name in dir(viz) if isinstance(getattr(viz, name), types.ModuleType)]
for name in ("nan", "backward", "tensor", "graph", "call", "tape", "names", "sys", "Any", "importlib"):
    assert not hasattr(mg, name), name
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_imported_late_is_offered_and_overwrites_nothing():
    code = """
import minigrad as mg, sys
late = {"minigrad.diagnostics.nan", "minigrad.tracing.trace_schema", "minigrad.programs", "numpy.random"}
assert not late & {*sys.modules}
before = {name: value for name, value in vars(mg).items()}
for name in dir(mg):
    assert getattr(mg, name) is not None or name == "newaxis", name
print([name for name, value in before.items() if getattr(mg, name) is not value])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert {"find_nan", "source", "compile", "backward_trace"} <= {*dir(tf)}


def test_a_star_import_leaves_python_its_own_names():
    names = {}
    exec("from minigrad import *", names)
    assert names["square"] is tf.square and names["GradientTape"] is tf.GradientTape and names["float32"] is tf.float32
    for name in ("sum", "max", "abs", "round", "range", "bool", "slice", "math", "random", "copy", "sys", "tensor"):
        assert name not in names, name


def test_numpy_on_raw_arrays_is_numpy():
    assert type(np.sum([1.0, 2.0])) is numpy.float64
    assert type(np.exp(1.0)) is numpy.float64
    assert np.concatenate([[1], [2]]).tolist() == [1, 2]
    assert np.pi == numpy.pi and np.float32 == numpy.float32 and np.newaxis is None and np.inf == numpy.inf
    for name in ("array", "zeros", "ones", "arange", "eye", "linspace", "full", "e", "nan", "ndarray", "int64"):
        assert hasattr(np, name)
    with pytest.raises(AttributeError):
        np.no_such_name  # noqa: B018


def test_numpy_with_tensors_records():
    x = tf.constant([1.0, 2.0], "float64")
    y = np.sum(np.exp(x), axis=0)
    numpy.testing.assert_allclose(tf.gradients(y, x)[0].value, numpy.exp([1.0, 2.0]))
    z = np.array([x[0], x[1] * 2.0])
    numpy.testing.assert_allclose(tf.gradients(z, x)[0].value, [1, 2])
    assert np.linalg.norm(x).op.name == "euclidean_norm"
    assert np.clip(a=x, a_min=0.0, a_max=1.0).op.name == "clip"
    assert np.stack([x, x]).shape == (2, 2)
    assert np.median(x).value == 1.5
    assert np.random.default_rng(0).normal() == numpy.random.default_rng(0).normal()


def test_a_numpy_function_without_a_rule_says_so():
    with pytest.raises(TypeError, match="unwrap"):
        np.unwrap(tf.constant([1.0, 2.0]))
