"""Programs run twice, word for word: with TensorFlow or JAX, and with minigrad under the same names.

A program leaves its numbers in `out`: None, arrays, and lists or dicts of them. Some rows raise in both.
"""

import textwrap
import types

import numpy as np
import pytest

import minigrad as mg

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

TENSORFLOW = {
    "what was computed on the way is a source as well": """
        with tf.GradientTape() as t:
            t.watch(x); a = x * x; b = a + x; y = a * b
        out = t.gradient(y, [y, b, a, x])""",
    "one output of several": """
        with tf.GradientTape() as t:
            t.watch(x); first, second = tf.unstack(tf.stack([x * 2.0, x**3])); y = second
        out = t.gradient(y, x)""",
    "targets of a structure are summed": """
        with tf.GradientTape() as t:
            t.watch(x); ys = {"a": x * x, "b": [x, 3.0 * x]}
        out = t.gradient(ys, {"x": x, "again": [x]})""",
    "upstream gradients for each target": """
        with tf.GradientTape() as t:
            t.watch(x); ys = [x * x, tf.stack([x, x])]
        out = t.gradient(ys, x, output_gradients=[one * 5.0, tf.constant([1.0, 10.0], tf.float64)])""",
    "unconnected sources as zeros": """
        with tf.GradientTape() as t:
            t.watch([x, w]); y = x * 2.0
        out = t.gradient(y, [x, w], unconnected_gradients=tf.UnconnectedGradients.ZERO)""",
    "unconnected sources as None": """
        with tf.GradientTape() as t:
            t.watch([x, w]); y = x * 2.0
        out = t.gradient(y, [x, w])""",
    "a target that no source reaches": """
        with tf.GradientTape() as t:
            t.watch(x); y = w * w
        out = t.gradient(y, x)""",
    "a source that was not watched": """
        with tf.GradientTape() as t:
            t.watch(w); y = w * x
        out = t.gradient(y, [x, w])""",
    "the recording stops for a block": """
        with tf.GradientTape(persistent=True) as t:
            t.watch(x); a = x * x
            with t.stop_recording():
                b = a * x; inner = 4.0 * x
            y = a * b * inner
        out = [t.gradient(y, x), t.gradient(b, x), t.gradient(a, x)]""",
    "a tape that was reset": """
        with tf.GradientTape() as t:
            t.watch(x); y = x * x; t.reset(); t.watch(x); z = x**3 + y
        out = t.gradient(z, x)""",
    "a tape inside a tape": """
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x); y = x**3 * tf.sin(x)
            g = inner.gradient(y, x)
        out = [g, outer.gradient(g, x)]""",
    "a gradient that is part of the target": """
        with tf.GradientTape(persistent=True) as t:
            t.watch(w); y = tf.reduce_sum(w**3); g = t.gradient(y, w); z = y + tf.reduce_sum(g * g)
        out = t.gradient(z, w)""",
    "three tapes": """
        with tf.GradientTape() as c:
            c.watch(x)
            with tf.GradientTape() as b:
                b.watch(x)
                with tf.GradientTape() as a:
                    a.watch(x); y = tf.exp(2.0 * x) * x
                g = a.gradient(y, x)
            h = b.gradient(g, x)
        out = [g, h, c.gradient(h, x)]""",
    "variables are watched when they are read": """
        v, u = tf.Variable(one * 2.0), tf.Variable(one * 3.0, trainable=False)
        with tf.GradientTape() as t:
            y = v * u * v
        out = t.gradient(y, [v, u])""",
    "a variable that is assigned in between": """
        v = tf.Variable(one * 2.0)
        with tf.GradientTape() as t:
            y = v * v; v.assign(one * 5.0); z = y + v * 3.0
        out = [t.gradient(z, v), v * 1.0]""",
    "a variable that is assigned a function of itself": """
        v = tf.Variable(one * 2.0)
        with tf.GradientTape() as t:
            t.watch(x); v.assign_add(x); y = v * x
        out = t.gradient(y, [v, x])""",
    "a loop and a branch of Python": """
        with tf.GradientTape() as t:
            t.watch(x); y = one
            for i in range(5):
                y = y * x if i % 2 else y + x
        out = t.gradient(y, x)""",
    "rows that are gathered twice": """
        with tf.GradientTape() as t:
            t.watch(w); y = tf.reduce_sum(tf.gather(w, [1, 1, 0]) * tf.constant([1.0, 10.0, 100.0], tf.float64))
        out = tf.convert_to_tensor(t.gradient(y, w))""",
    "the same tensor many times": """
        with tf.GradientTape() as t:
            t.watch(x); y = tf.add_n([x, x, x * x])
        out = t.gradient(y, x)""",
    "stop_gradient on one of two ways": """
        with tf.GradientTape() as t:
            t.watch(x); y = x * tf.stop_gradient(x * x)
        out = t.gradient(y, x)""",
    "a jacobian": """
        with tf.GradientTape() as t:
            t.watch(w); y = tf.stack([w[0] * w[1], w[1] ** 3])
        out = t.jacobian(y, w)""",
    "a jacobian to several sources, one of them unconnected": """
        with tf.GradientTape() as t:
            t.watch([x, w]); y = w * w
        out = t.jacobian(y, {"w": w, "x": x})""",
    "the hessian of a quadratic form": """
        with tf.GradientTape() as outer:
            outer.watch(w)
            with tf.GradientTape() as inner:
                inner.watch(w); y = tf.reduce_sum(w * tf.linalg.matvec(m, w))
            g = inner.gradient(y, w)
        out = outer.jacobian(g, w)""",
    "one jacobian for each row": """
        with tf.GradientTape() as t:
            t.watch(m); y = m**2 * tf.reduce_sum(m, 1, keepdims=True)
        out = t.batch_jacobian(y, m)""",
    "a rule that clips": """
        @tf.custom_gradient
        def f(x):
            return x * x, lambda dy: tf.clip_by_value(dy * 2.0 * x, -1.0, 1.0)
        with tf.GradientTape() as t:
            t.watch(w); y = f(w)
        out = t.gradient(y, w)""",
    "a rule for two inputs and two outputs": """
        @tf.custom_gradient
        def f(a, b):
            return (a * b, a + b), lambda da, db: (da * 10.0, db * 100.0)
        with tf.GradientTape() as t:
            t.watch([x, w]); p, q = f(x, x * 2.0); y = p + 3.0 * q
        out = t.gradient(y, x)""",
    "a rule that gives None to one input": """
        @tf.custom_gradient
        def f(a, b):
            return a * b, lambda dy: (tf.reduce_sum(dy * b), None)
        with tf.GradientTape() as t:
            t.watch([x, w]); y = f(x, w)
        out = t.gradient(y, [x, w])""",
    "a rule whose function reads a variable": """
        v = tf.Variable(one * 2.0)
        @tf.custom_gradient
        def f(x):
            def rule(dy, variables=None):
                return dy * 5.0, [dy * 7.0 for _ in variables]
            return x * v, rule
        with tf.GradientTape() as t:
            t.watch(x); y = f(x) * 2.0
        out = t.gradient(y, [x, v])""",
    "a rule inside a rule": """
        @tf.custom_gradient
        def inner(x):
            return x * x, lambda dy: dy * 100.0
        @tf.custom_gradient
        def f(x):
            y = inner(x)
            return y, lambda dy: dy * inner(x)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as t:
                t.watch(x); y = f(x)
            g = t.gradient(y, x)
        out = [g, outer.gradient(g, x)]""",
    "a rule that knows the second slope": """
        @tf.custom_gradient
        def f(x):
            @tf.custom_gradient
            def first(x):
                return 3.0 * x * x, lambda dy: dy * 0.5
            return x**3, lambda dy: dy * first(x)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as t:
                t.watch(x); y = f(x)
            g = t.gradient(y, x)
        out = [g, outer.gradient(g, x)]""",
    "a function that is run again": """
        f = tf.recompute_grad(lambda a: tf.sin(a) * a)
        with tf.GradientTape() as t:
            t.watch(x); y = f(f(x))
        out = t.gradient(y, x)""",
    "a function with a variable that is run again": """
        v = tf.Variable(one * 2.0)
        f = tf.recompute_grad(lambda a: tf.tanh(v * a) * v)
        with tf.GradientTape() as t:
            t.watch(x); y = f(x) + f(2.0 * x)
        out = t.gradient(y, [x, v])""",
    "an integer target": """
        with tf.GradientTape() as t:
            t.watch(x); y = tf.cast(x, tf.int32)
        out = t.gradient(y, x)""",
    "no elements": """
        e = tf.zeros([0, 3], tf.float64)
        with tf.GradientTape() as t:
            t.watch(e); y = tf.reduce_sum(e * e)
        out = t.gradient(y, e)""",
    "raises: a plain tape used twice": """
        with tf.GradientTape() as t:
            t.watch(x); y = x * x
        t.gradient(y, x); t.gradient(y, x)""",
    "raises: a tape entered twice": """
        with tf.GradientTape() as t:
            with t:
                pass""",
    "raises: rows and sources of other numbers": """
        with tf.GradientTape() as t:
            t.watch(m); y = m[:1]
        t.batch_jacobian(y, m)""",
    "raises: a rule with too few gradients": """
        @tf.custom_gradient
        def f(a, b):
            return a * b, lambda dy: dy
        with tf.GradientTape() as t:
            t.watch(x); y = f(x, x * 2.0)
        t.gradient(y, x)""",
}

JAX = {
    "structures": "out = grad(lambda p: p['a'] * p['b'][0] ** 2 + p['b'][1])({'a': x, 'b': (x, 2.0 * x)})",
    "two arguments": "out = grad(lambda a, b: a**2 * b, argnums=(1, 0))(x, 3.0 * x)",
    "auxiliary output": "out = list(grad(lambda a: (a**3, {'twice': 2.0 * a}), has_aux=True)(x))",
    "value and gradient": "out = list(value_and_grad(lambda a: np.sin(a) * a)(x))",
    "value, gradient and auxiliary output": "out = flat(value_and_grad(lambda a: (a**3, a), has_aux=True)(x))",
    "a keyword": "out = grad(lambda a, scale=1.0: scale * a**2)(x, scale=5.0)",
    "not the same as its own inside": "out = grad(lambda a: a * grad(lambda b: a + b)(1.0))(x)",
    "inside another to any order": "out = grad(grad(grad(lambda a: a**5)))(x)",
    "an argument that does not matter": "out = grad(lambda a, b: a, argnums=1)(x, w)",
    "jacobian of two arguments": "out = jacobian(lambda a, b: a * b + b**2, argnums=(0, 1))(w, 2.0 * w)",
    "jacobian to a structure": "out = jacobian(lambda p: {'s': p['a'] * p['b'], 't': p['a']})({'a': w, 'b': 3.0 * w})",
    "jacobian of a number": "out = jacobian(lambda a: np.sin(a))(x)",
    "hessian": "out = hessian(lambda a: np.sum(a**3) * a[0])(w)",
    "hessian of a structure": "out = hessian(lambda p: p['a'] * p['b'] ** 2)({'a': x, 'b': x + 1.0})",
    "hessian of two arguments": "out = hessian(lambda a, b: np.sum(a * b**2), argnums=(0, 1))(w, w + 1.0)",
    "jacobian of a gradient": "out = jacobian(grad(lambda a: np.prod(a)))(w)",
    "vjp": "y, pull = vjp(lambda a, b: (a * b, np.sin(a)), w, 2.0 * w)\nout = [y, pull((w, w**2))]",
    "vjp of a structure": "y, pull = vjp(lambda p: {'y': p['a'] * p['b']}, dict(a=w, b=w))\nout = [y, pull({'y': w})]",
    "vjp of no argument that matters": "y, pull = vjp(lambda a: w, x)\nout = [y, pull(w)]",
    "jvp": "out = flat(jvp(lambda a, b: a * np.sin(b), (w, 2.0 * w), (w**2, w)))",
    "jvp of a structure": "out = flat(jvp(lambda p: {'y': p['a'] * p['b']}, (dict(a=w, b=w),), (dict(a=w, b=w),)))",
    "jvp of a gradient": "out = flat(jvp(grad(lambda a: np.sum(a**3)), (w,), (w**2,)))",
    "gradient of a jvp": "out = grad(lambda a: jvp(lambda b: b**3, (a,), (a,))[1])(x)",
    "gradient of a vjp": "out = grad(lambda a: vjp(lambda b: b**3, a)[1](a)[0])(x)",
    "raises: an output of several numbers": "grad(lambda a: a * w)(x)",
    "raises: an integer argument": "grad(lambda a: a * 2.0)(3)",
    "raises: argnums beyond the arguments": "grad(lambda a: a, argnums=1)(x)",
    "raises: an upstream gradient of another structure": "vjp(lambda a: (a, a), x)[1](x)",
    "raises: an upstream gradient of another shape": "vjp(lambda a: a * 2.0, w)[1](np.ones(3))",
    "raises: a tangent of another structure": "jvp(lambda a: a, (x,), ((x, x),))",
    "raises: a tangent of another shape": "jvp(lambda a: a * 2.0, (w,), (np.ones(3),))",
    "raises: as many tangents as arguments": "jvp(lambda a, b: a * b, (x, x), (x,))",
    "raises: no function": "grad(3.0)(x)",
}


def flat(y):
    if isinstance(y, dict):
        return [part for key in sorted(y) for part in flat(y[key])]
    return [part for z in y for part in flat(z)] if isinstance(y, (list, tuple)) else [y]


def result(program, names):
    """The numbers that a program leaves in `out`, in one list; None if it raises."""
    space = names | {"flat": flat}
    try:
        exec(textwrap.dedent(program), space)
    except (TypeError, ValueError, RuntimeError, IndexError):
        return None
    parts = flat(space.get("out"))
    return [None if part is None else np.asarray(getattr(part, "value", part), "float64") for part in parts]


def by_tensorflow(library):
    x, w = library.constant(1.5, library.float64), library.constant([2.0, -0.5], library.float64)
    return {"tf": library, "x": x, "w": w, "one": x * 0.0 + 1.0, "m": library.stack([w, w * w])}


def by_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    np_ = jax.numpy
    names = {name: getattr(jax, name) for name in ("grad", "value_and_grad", "hessian", "vjp", "jvp", "jacobian")}
    return names | {"np": np_, "x": np_.asarray(1.5), "w": np_.asarray([2.0, -0.5])}


def by_minigrad():
    names = {name: getattr(mg, name) for name in ("grad", "value_and_grad", "hessian", "vjp", "jvp", "jacobian")}
    np_ = types.SimpleNamespace(sin=mg.sin, sum=mg.sum, prod=mg.prod, ones=lambda n: mg.constant(np.ones(n)))
    return names | {"np": np_, "x": mg.constant(1.5, "float64"), "w": mg.constant([2.0, -0.5], "float64")}


def agree(name, program, ours, theirs):
    mine, reference = result(program, ours), result(program, theirs)
    assert (reference is None) == name.startswith("raises"), "the framework itself does otherwise"
    assert (mine is None) == (reference is None), f"minigrad {mine}, the framework {reference}"
    if reference is not None:
        assert [a is None for a in mine] == [a is None for a in reference], (
            f"minigrad {mine}, the framework {reference}"
        )
        for a, b in zip(mine, reference, strict=True):
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", TENSORFLOW)
def test_tapes_rules_and_variables_of_tensorflow(name):
    tf = pytest.importorskip("tensorflow")
    agree(name, TENSORFLOW[name], by_tensorflow(mg), by_tensorflow(tf))


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", JAX)
def test_transforms_of_jax(name):
    agree(name, JAX[name], by_minigrad(), by_jax())
