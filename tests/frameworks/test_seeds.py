"""The examples and the sentences of the documentation of `tf.custom_gradient` and `keras.ops.custom_gradient`."""

import subprocess
import sys

import numpy as np
import pytest

import minigrad as tf
from minigrad import ops


def same(actual, expected, rtol=1e-6):
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=rtol)


# The examples of tf.custom_gradient, word for word.


def plain():
    def log1pexp(x):
        return tf.math.log(1 + tf.exp(x))

    return log1pexp


def custom():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(dy):
            return dy * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    return log1pexp


def test_the_derived_gradient_at_100_is_nan():
    log1pexp = plain()
    x = tf.constant(100.0)
    y = log1pexp(x)
    dy = tf.gradients(y, x)  # Will be NaN when evaluated.
    assert isinstance(dy, list) and len(dy) == 1
    assert np.isnan(dy[0].value)
    assert np.isposinf(y.value)


def test_the_custom_gradient_at_100_is_one_and_the_value_still_infinite():
    log1pexp = custom()
    x = tf.constant(100.0)
    y = log1pexp(x)
    (dy,) = tf.gradients(y, x)
    assert dy.value == 1.0
    assert np.isposinf(y.value)


@pytest.mark.parametrize(("dtype", "x", "slope"), [
    ("float32", 88.0, 1.0), ("float32", 89.0, np.nan), ("float32", 1000.0, np.nan), ("float64", 100.0, 1.0),
    ("float64", 709.0, 1.0), ("float64", 710.0, np.nan), ("float16", 11.0, 1.0), ("float16", 12.0, np.nan),
])  # fmt: skip
def test_where_the_derived_gradient_breaks_depends_on_the_dtype(dtype, x, slope):
    x = tf.constant(x, dtype)
    (dy,) = tf.gradients(plain()(x), x)
    assert dy.dtype == dtype
    same(dy, slope, rtol=1e-3)
    same(tf.gradients(custom()(x), x)[0], 1.0, rtol=1e-3)


def test_the_derived_gradient_of_a_vector():
    x = tf.constant([-100.0, -1.0, 0.0, 1.0, 20.0, 80.0])
    (dy,) = tf.gradients(plain()(x), x)
    np.testing.assert_allclose(dy.value, [0, 0.26894143, 0.49999997, 0.7310586, 1, 1], rtol=1e-4, atol=1e-40)


def test_no_numpy_warning_is_seen():
    program = "import minigrad as tf; x = tf.constant(1000.); tf.gradients(tf.math.log(1 + tf.exp(x)), x)"
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_the_custom_rule_has_derivatives_of_every_order():
    x = tf.constant(1.0)
    y = custom()(x)
    values = [y]
    for _ in range(4):
        values += tf.gradients(values[-1], x)
    same([v.value for v in values], [1.3132616, 0.7310586, 0.19661194, -0.09085777, -0.035325624], rtol=1e-4)


def test_the_second_derivative_at_100_is_nan_because_the_rule_is_built_from_infinity():
    x = tf.constant(100.0)
    (dy,) = tf.gradients(custom()(x), x)
    (ddy,) = tf.gradients(dy, x)
    assert np.isnan(ddy.value)


def test_a_stable_value_with_a_sigmoid_rule_is_right_everywhere():
    @tf.custom_gradient
    def softplus(x):
        def grad(dy):
            return dy * tf.sigmoid(x)

        return tf.maximum(x, 0.0) + tf.math.log1p(tf.exp(-tf.abs(x))), grad

    x = tf.constant([-100.0, -1.0, 0.5, 1.0, 100.0], dtype="float64")
    y = softplus(x)
    (dy,) = tf.gradients(y, x)
    (ddy,) = tf.gradients(dy, x)
    s = 1 / (1 + np.exp(-x.value))
    same(y, np.logaddexp(0, x.value))
    same(dy, s)
    np.testing.assert_allclose(ddy.value, s * (1 - s), rtol=1e-6, atol=1e-40)


# The sentences of tf.custom_gradient.


def test_the_aliases():
    assert tf.compat.v1.custom_gradient is tf.custom_gradient
    assert tf.compat.v2.custom_gradient is tf.custom_gradient


def test_the_names_around_it_are_where_tensorflow_has_them():
    for name in (
        *("custom_gradient", "gradients", "stop_gradient", "recompute_grad", "grad_pass_through", "constant"),
        *("RegisterGradient", "gradient_override_map", "GradientTape", "UnconnectedGradients"),
        *("Variable", "get_variable", "variable_scope", "AUTO_REUSE"),
    ):
        assert getattr(tf.compat.v1, name) is getattr(tf, name)


def scaled(name):
    @tf.custom_gradient
    def f(x):
        w = tf.get_variable(name, initializer=2.0)

        def grad(dy, variables=None):
            return dy * w, [dy * x for _ in variables]

        return x * w, grad

    return f


def test_a_function_of_variables_needs_a_scope_of_resource_variables():
    f = scaled("w")
    with tf.variable_scope("seeds_resource"):
        assert f(tf.constant(3.0)).value == 6.0
    with (
        tf.variable_scope("seeds_ref", use_resource=False),
        pytest.raises(TypeError, match=r"f \(test_seeds\.py:\d+\).*w.*use_resource"),
    ):
        f(tf.constant(3.0))


def test_grad_ys_hold_the_initial_value_gradients_of_the_same_size_as_y():
    arrived = []

    @tf.custom_gradient
    def f(x):
        def grad(*grad_ys):
            arrived.extend(grad_ys)
            return grad_ys[0] + tf.reduce_sum(grad_ys[1])

        return (x, tf.stack([x, x], axis=0)), grad

    x = tf.constant([1.0, 2.0, 3.0])
    ys = f(x)
    tf.gradients(ys, x, grad_ys=[tf.constant([1.0, 2.0, 3.0]), None])
    assert [g.shape for g in arrived] == [y.shape for y in ys] == [(3,), (2, 3)]
    same(arrived[0], [1, 2, 3])
    same(arrived[1], np.ones((2, 3)))


def test_grad_fn_left_multiplies_the_jacobian_with_grad_ys():
    J = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype="float32")
    row = np.array([10.0, 1.0], dtype="float32")

    @tf.custom_gradient
    def f(x):
        return tf.matmul(J, x), lambda grad_ys: tf.matmul(grad_ys, J)

    x = tf.constant([1.0, 1.0, 1.0])
    (dx,) = tf.gradients(f(x), x, grad_ys=row)
    same(dx, row @ J)


def test_grad_fn_returns_a_list_with_a_derivative_for_each_x():
    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: [dy * 10.0, dy * 20.0]

    a, b = tf.constant(1.0), tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match=r"input a has shape \(2,\), but a has shape \(\)"):
        tf.gradients(f(a, b), a)
    da, db = tf.gradients(f(tf.constant([1.0, 1.0]), b), [b, a])
    same(da, [20, 20])
    assert db is None


def test_variables_through_get_variable():
    f = scaled("w")
    x = tf.constant(3.0)
    with tf.variable_scope("seeds_get", reuse=tf.AUTO_REUSE):
        y = f(x)
        w = tf.get_variable("w")
    assert w.name == "seeds_get/w"
    assert [g.value for g in tf.gradients(y, [x, w])] == [2.0, 3.0]


# The examples of keras.ops.custom_gradient, word for word.


def keras_agnostic():
    @ops.custom_gradient
    def log1pexp(x):
        e = ops.exp(x)

        def grad(*args, upstream=None):
            if upstream is None:
                (upstream,) = args
            return ops.multiply(upstream, 1.0 - 1.0 / ops.add(1, e))

        return ops.log(1 + e), grad

    return log1pexp


def keras_tensorflow_and_jax():
    @ops.custom_gradient
    def log1pexp(x):
        e = ops.exp(x)

        def grad(upstream):
            return ops.multiply(upstream, 1.0 - 1.0 / ops.add(1, e))

        return ops.log(1 + e), grad

    return log1pexp


def keras_torch():
    @ops.custom_gradient
    def log1pexp(x):
        e = ops.exp(x)

        def grad(*args, upstream):
            return ops.multiply(upstream, 1.0 - 1.0 / ops.add(1, e))

        return ops.log(1 + e), grad

    return log1pexp


@pytest.mark.parametrize("example", [keras_agnostic, keras_tensorflow_and_jax, keras_torch])
def test_the_three_conventions_of_keras(example):
    log1pexp = example()
    x = tf.constant([1.0, 100.0])
    y = log1pexp(x)
    (dy,) = tf.gradients(y, x)
    same(y, [1.3132616, np.inf])
    same(dy, [0.7310586, 1.0])
    (ddy,) = tf.gradients(dy, x)
    same(ddy, [0.19661194, np.nan], rtol=1e-4)


# The sentences of keras.ops.custom_gradient.


def test_args_are_nested_structures_and_gradients_are_as_many_as_their_leaves():
    @ops.custom_gradient
    def f(params, x):
        (w, b), scale = params["layer"], params["scale"]

        def grad(upstream):
            return upstream * 1.0, upstream * 2.0, upstream * 3.0, upstream * 4.0

        return (x * w + b) * scale, grad

    w, b, scale, x = (tf.constant(v) for v in (1.0, 2.0, 3.0, 4.0))
    y = f({"scale": scale, "layer": (w, b)}, x)
    assert y.value == 18.0
    assert [g.value for g in tf.gradients(y, [w, b, scale, x])] == [1.0, 2.0, 3.0, 4.0]


def test_the_output_is_a_nested_structure():
    @ops.custom_gradient
    def f(x):
        return {"twice": 2.0 * x, "powers": (x, x * x)}, lambda square, one, twice: square + one + twice

    x = tf.constant(3.0)
    y = f(x)
    assert list(y) == ["twice", "powers"] and isinstance(y["powers"], tuple)
    assert (y["twice"].value, y["powers"][0].value, y["powers"][1].value) == (6.0, 3.0, 9.0)


def test_upstream_is_a_tensor_or_a_sequence_of_tensors():
    arrived = []

    def function(outputs):
        @ops.custom_gradient
        def f(x):
            def grad(*args, upstream):
                arrived.append((args, upstream))
                return x * 0.0

            return outputs(x), grad

        return f

    x = tf.constant(3.0)
    tf.gradients(function(lambda x: x * 1.0)(x), x)
    tf.gradients(function(lambda x: (x, 2.0 * x))(x)[1], x)
    (args, single), (_, several) = arrived
    assert [a.value for a in args] == [3.0]
    assert single.value == 1.0
    assert isinstance(several, tuple) and [u.value for u in several] == [0.0, 1.0]
