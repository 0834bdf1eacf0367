"""Situations that the suites of TensorFlow and JAX test, as programs that run word for word there and in minigrad."""

import pytest

import minigrad as mg
from tests.parity.test_situations import agree, by_jax, by_minigrad, by_tensorflow

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

TENSORFLOW = {
    "ops that change nothing are nodes of their own": """
        a, b, c, d = tf.identity(x), x + 0.0, x - 0.0, x * 1.0
        with tf.GradientTape() as t:
            t.watch([x, a, b, c, d]); y = 2.0 * x + 3.0 * a + 4.0 * b + 5.0 * c + 6.0 * d
        out = t.gradient(y, [x, a, b, c, d])""",
    "a choice by a condition": """
        with tf.GradientTape() as t:
            t.watch(w); y = tf.where(w < 1.0, w, w * w)
        out = t.gradient(y, w)""",
    "a target that is a source, with upstream gradients": """
        with tf.GradientTape() as t:
            t.watch(x); y = x * 2.0
        out = t.gradient([y, x], [x], output_gradients=[one, 5.0 * one])""",
    "the source itself, twice, is the target": """
        with tf.GradientTape() as t:
            t.watch(x); y = x
        out = t.gradient([y, y], x)""",
    "targets and sources overlap": """
        u = 3.0 * one
        with tf.GradientTape() as t:
            t.watch([x, u]); z = u * u
        out = t.gradient([x, u, z], [x, u])""",
    "a variable is target and source": """
        v = tf.Variable(one)
        with tf.GradientTape() as t:
            y = v.read_value()
        out = t.gradient(y, v)""",
    "one variable in terms of another": """
        v, u = tf.Variable(one), tf.Variable(one)
        with tf.GradientTape() as t:
            pass
        out = t.gradient(v, u)""",
    "a position has no gradient": """
        with tf.GradientTape() as t:
            t.watch(w); y = tf.stop_gradient(tf.argmax(w))
        out = t.gradient(y, w)""",
    "the largest of several variables": """
        vs = [tf.Variable(one * k) for k in (2.0, 5.0, 3.0)]
        with tf.GradientTape() as t:
            y = max(vs) * 1.0
        out = t.gradient(y, vs)""",
    "the recording stops and starts again": """
        with tf.GradientTape(persistent=True) as t:
            t.watch(x); a = 2.0 * x
            with t.stop_recording():
                b = a * a
            c = a * a
        out = [t.gradient(b, a), t.gradient(c, a), t.gradient(c, x)]""",
    "a gradient taken while the tape is open": """
        v = tf.Variable(one)
        with tf.GradientTape() as t:
            y = 2.0 * v; g = t.gradient(y, v)
        out = g""",
    "watching is of one tape": """
        v, u = tf.Variable(2.0 * one, trainable=False), tf.Variable(2.0 * one, trainable=False)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                outer.watch(v); inner.watch([v, u]); y = v**3; z = u**2
            g, h = inner.gradient([y, z], [v, u])
        out = [g, h] + outer.gradient([g, h], [v, u])""",
    "a tape that is opened again": """
        t = tf.GradientTape()
        with t:
            t.watch(x); y = 2.0 * x
        with t:
            z = 2.0 * y
        out = t.gradient(z, [x])""",
    "sources that are given twice": """
        with tf.GradientTape(persistent=True) as t:
            t.watch([x, w]); z = x * x + x * tf.reduce_sum(w)
        out = [t.gradient(z, [x, x]), t.gradient(z, [w, x, w])]""",
    "sources in tuples, lists and dicts": """
        a, b, c = 3.0 * one, 3.1 * one, 3.2 * one
        with tf.GradientTape(persistent=True) as t:
            t.watch([a, b, c]); y = a + 2.0 * b + 3.0 * c
        out = [t.gradient(y, s) for s in (a, (a,), [(a, b), (b, c)], (a, b, [a, c]), [a, {"b": b, "c": c}])]""",
    "an inner gradient is a constant of the outer tape": """
        with tf.GradientTape() as t:
            t.watch(x); y = x * x
            with tf.GradientTape() as inner:
                inner.watch(y); z = 2.0 * y
            y += inner.gradient(z, y)
        out = t.gradient(y, x)""",
    "three slopes by one tape": """
        with tf.GradientTape(persistent=True) as t:
            t.watch(x); y = x**3; a = t.gradient(y, x); b = t.gradient(a, x)
        out = [a, b, t.gradient(b, x)]""",
    "a persistent tape in a persistent tape": """
        with tf.GradientTape(persistent=True) as t:
            t.watch(x); y = x * x
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(y); z = 2.0 * y
            first, again = inner.gradient(z, [y, y]); y += first
        out = [first, again, t.gradient(y, x), t.gradient(z, x)]""",
    "zeros for what is not connected, by their name": """
        with tf.GradientTape() as t:
            t.watch([m, x]); z = x * 2.0
        out = t.gradient(z, [m, x], unconnected_gradients="zero")""",
    "zeros behind stop_gradient": """
        f = lambda y: tf.stop_gradient(y * y)
        with tf.GradientTape() as t:
            t.watch(x); y = f(x + 2.0)
        out = t.gradient(y, x, unconnected_gradients="zero")""",
    "variables that are not watched by themselves": """
        v, u = tf.Variable(one), tf.Variable(one)
        with tf.GradientTape(watch_accessed_variables=False) as t:
            t.watch(u); y = v**2; z = u**3
        out = t.gradient([y, z], [v, u]) + [one * float(len(t.watched_variables()))]""",
    "the variables that were watched": """
        v, u = tf.Variable(one), tf.Variable(one)
        with tf.GradientTape() as t:
            counts = [len(t.watched_variables())]; y = v * v; counts.append(len(t.watched_variables()))
            t.reset(); counts.append(len(t.watched_variables())); t.watch(u); counts.append(len(t.watched_variables()))
        t.gradient(u * one, u); counts.append(len(t.watched_variables()))
        out = [one * float(n) for n in counts]""",
    "equal constants are different inputs": """
        a, b = tf.constant(3.0, tf.float64), tf.constant(3.0, tf.float64)
        with tf.GradientTape() as t:
            t.watch([a, b]); y = a + b**2
        out = t.gradient(y, [a, b])""",
    "a loop of the framework": """
        with tf.GradientTape() as t:
            t.watch(x); _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (1, x))
        out = t.gradient(y, x)""",
    "a branch of the framework": """
        with tf.GradientTape() as t:
            t.watch(x); y = tf.cond(x < 1.0, lambda: x, lambda: x * x)
        out = t.gradient(y, x)""",
    "rows that are read three times are multiplied": """
        e = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], tf.float64)
        with tf.GradientTape() as t:
            t.watch(e); y = tf.gather(e, [0, 1]) * tf.gather(e, [2, 3]) * tf.gather(e, [1, 3])
        out = tf.convert_to_tensor(t.gradient(y, e))""",
    "rows and their whole are multiplied": """
        with tf.GradientTape() as t:
            t.watch(m); y = tf.gather(m, [0, 1, 0]) * tf.reduce_sum(m * 2.0)
        out = tf.convert_to_tensor(t.gradient(y, m))""",
    "the jacobian of rows that are read": """
        with tf.GradientTape() as t:
            t.watch(m); y = tf.gather(m, [1, 1])
        out = t.jacobian(y, m)""",
    "the jacobian of a matrix times itself": """
        with tf.GradientTape() as t:
            t.watch(m); y = tf.matmul(m, m)
        out = t.jacobian(y, m)""",
    "the second slopes of a matrix": """
        with tf.GradientTape() as outer:
            outer.watch(m)
            with tf.GradientTape() as inner:
                inner.watch(m); y = tf.reduce_sum(tf.matmul(tf.transpose(m), m) * 0.5)
            g = inner.gradient(y, m)
        out = outer.jacobian(g, m)""",
    "a hessian times a vector": """
        with tf.GradientTape() as outer:
            outer.watch(w)
            with tf.GradientTape() as inner:
                inner.watch(w); y = tf.reduce_sum(w * tf.linalg.matvec(m, w)) ** 2
            g = inner.gradient(y, w)
        out = outer.gradient(g, w, output_gradients=w * w)""",
    "one jacobian for each row, of rows without elements": """
        e = tf.zeros([1, 0], tf.float64)
        with tf.GradientTape() as t:
            t.watch(e); y = e**2
        out = t.batch_jacobian(y, e)""",
    "one half of a split": """
        with tf.GradientTape() as t:
            t.watch(m); a, b = tf.split(tf.matmul(m, m), 2, axis=1); y = tf.concat([b**2, m], axis=1)
        out = t.gradient(y, m)""",
    "a sum of ten": """
        with tf.GradientTape() as t:
            t.watch(x); y = x * 2.0; z = y + y + y + y + y + y + y + y + y + y
        out = t.gradient(z, [x, y])""",
    "a rule around itself": """
        @tf.custom_gradient
        def f(x):
            return x, lambda dy: [3.0 * dy]
        with tf.GradientTape() as t:
            t.watch(x); y = f(f(x))
        out = t.gradient(y, x)""",
    "a rule of a method": """
        class Model:
            @tf.custom_gradient
            def multiply(self, a, b):
                return a * b, lambda dy: (dy * a, dy * b)
        with tf.GradientTape() as t:
            t.watch([x, w]); y = Model().multiply(x, 5.0 * x)
        out = t.gradient(y, x)""",
    "a rule that multiplies by its own arguments, with an array as an argument": """
        @tf.custom_gradient
        def f(a, b):
            return a * b, lambda dy: (dy * a, tf.reduce_sum(dy * b))
        with tf.GradientTape() as t:
            t.watch(x); y = f(tf.constant([1.0, 2.0], tf.float64), x)
        out = t.gradient(y, x)""",
    "a function that takes a gradient itself": """
        @tf.custom_gradient
        def f(a):
            with tf.GradientTape() as t:
                t.watch(a); y = a * a
            return t.gradient(y, a), lambda dy: 7.0 * dy
        with tf.GradientTape() as t:
            t.watch(x); y = f(x)
        out = [y, t.gradient(y, x)]""",
    "a slope and its slope, both by rules": """
        @tf.custom_gradient
        def f(a):
            def first(dz):
                @tf.custom_gradient
                def slope(a):
                    return -1.1 * one, lambda ddz: -2.1 * ddz
                return dz * slope(a)
            return a + 10.0, first
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x); y = f(x) ** 4
            g = inner.gradient(y, x)
        out = [g, outer.gradient(g, x)]""",
    "a rule with a rule, in the upstream gradient as well": """
        @tf.custom_gradient
        def f(a):
            def g(dz):
                @tf.custom_gradient
                def first(a, dz):
                    return 2.1 * one, lambda ddz: (2.2 * one, 3.1 * one)
                return first(a, dz)
            return 2.0 * a, g
        up = one * 1.0
        with tf.GradientTape(persistent=True) as t:
            t.watch([x, up])
            with tf.GradientTape() as inner:
                inner.watch(x); y = f(x)
            g = inner.gradient(y, x, output_gradients=up)
        out = [g, t.gradient(g, x), t.gradient(g, up)]""",
    "a rule with its variables as a keyword only": """
        v = tf.Variable(3.0 * one)
        @tf.custom_gradient
        def f(a):
            def rule(*dys, variables=None):
                return 4.0 * v * dys[0], [5.0 * a * dys[0] for _ in variables]
            return a * v, rule
        u = tf.Variable(6.0 * one)
        with tf.GradientTape() as t:
            y = f(u)
        out = t.gradient(y, [u, v])""",
    "a rule is given the variables that its function reads, and no others": """
        v, u = tf.Variable(3.0 * one), tf.Variable(2.0 * one)
        @tf.custom_gradient
        def f(a):
            def rule(dy, variables=None):
                return dy * 2.0, [dy * 100.0 * len(variables) for _ in variables]
            return a * v, rule
        with tf.GradientTape() as t:
            y = f(u * u * x)
        out = t.gradient(y, [u, v])""",
    "a rule around a rule, of one variable": """
        v = tf.Variable(3.0 * one)
        @tf.custom_gradient
        def inner(a):
            return a * v, lambda dy, variables=None: (dy * 10.0, [dy * 20.0])
        @tf.custom_gradient
        def f(a):
            y = inner(a)
            return y, lambda dy, variables=None: (dy * 30.0, [dy * 40.0])
        with tf.GradientTape() as t:
            t.watch(x); y = f(x)
        out = t.gradient(y, [x, v])""",
    "a rule for a structure of inputs and of outputs": """
        @tf.custom_gradient
        def f(a, pair):
            def rule(*dys):
                return dys[0] * 10.0, dys[1] * 20.0, dys[2] * 30.0
            return {"p": a * 1.0, "q": [pair[0] * 1.0, pair[1] * 1.0]}, rule
        u = 3.0 * one
        with tf.GradientTape() as t:
            t.watch([x, u]); y = f(x, (u, x)); z = y["p"] + 2.0 * y["q"][0] + 3.0 * y["q"][1]
        out = t.gradient(z, [x, u])""",
    "gradient descent by a rule": """
        @tf.custom_gradient
        def multiply(a, b):
            return a * b, lambda dr: [dr * b, dr * a]
        v = tf.Variable(2.0 * one); out = []
        for _ in range(5):
            with tf.GradientTape() as t:
                y = multiply(2.0 * one, v.read_value())
            out.append(y); v.assign_sub(0.25 * t.gradient(y, v))""",
    "log(1 + e**x) by a rule, at 100": """
        @tf.custom_gradient
        def f(a):
            e = tf.exp(a)
            return tf.math.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))
        with tf.GradientTape() as t:
            u = 100.0 * one; t.watch(u); y = f(u)
        out = [y, t.gradient(y, u)]""",
    "arguments that are equal, run again": """
        f = tf.recompute_grad(lambda a, b: a * b)
        with tf.GradientTape() as t:
            t.watch(w); y = f(w, w)
        out = t.gradient(y, w)""",
    "an argument that is not used, run again": """
        f = tf.recompute_grad(lambda a, b: a * 1.0)
        with tf.GradientTape() as t:
            t.watch(w); y = f(w, w)
        out = t.gradient(y, w)""",
    "no elements, run again": """
        f = tf.recompute_grad(lambda a: 2.0 * a); e = tf.zeros([0], tf.float64)
        with tf.GradientTape() as t:
            t.watch(e); y = f(e)
        out = t.gradient(y, e)""",
    "an integer beside a float, run again": """
        f = tf.recompute_grad(lambda i, a: (2 * i, 2.0 * a)); i = tf.constant(1)
        with tf.GradientTape() as t:
            t.watch(x); y = f(i, x)
        out = t.gradient(y[1], x)""",
    "two outputs, run again": """
        f = tf.recompute_grad(lambda a, b: (a * b, 2.0 * a * b))
        with tf.GradientTape() as t:
            t.watch([x, w]); y = f(w, x)
        out = t.gradient(y, [w, x])""",
    "three slopes, run again": """
        f = tf.recompute_grad(lambda a: tf.reduce_prod(tf.tanh(a) ** 2))
        with tf.GradientTape() as c:
            c.watch(x)
            with tf.GradientTape() as b:
                b.watch(x)
                with tf.GradientTape() as a:
                    a.watch(x); y = f(x)
                g = a.gradient(y, x)
            h = b.gradient(g, x)
        out = [g, h, c.gradient(h, x)]""",
    "passed through an assignment": """
        v, u = tf.Variable(one), tf.Variable(3.0 * one)
        with tf.GradientTape() as t:
            y = tf.grad_pass_through(v.assign)(u**2)
        out = [y * 1.0, t.gradient(y, u), v * 1.0]""",
    "passed through a product with a variable": """
        v, u = tf.Variable(2.0 * one), tf.Variable(3.0 * one)
        with tf.GradientTape() as t:
            y = tf.grad_pass_through(lambda a: v * a)(u * 1.0)
        out = t.gradient(y, [v, u])""",
    "a function that failed before": """
        with tf.GradientTape() as t:
            t.watch(x)
            try:
                tf.reshape(w, [7])
            except Exception:
                y = x * x
        out = t.gradient(y, x)""",
    "raises: a rule that returns an empty list": """
        @tf.custom_gradient
        def f(a):
            return a * 1.0, lambda dy: []
        with tf.GradientTape() as t:
            t.watch(x); y = f(x)
        t.gradient(y, x)""",
    "raises: a rule that raises": """
        @tf.custom_gradient
        def f(a):
            def rule(dy):
                raise RuntimeError("by the rule")
            return a * 1.0, rule
        with tf.GradientTape() as t:
            t.watch(x); y = f(x)
        t.gradient(y, x)""",
    "raises: a word that is none for what is not connected": """
        with tf.GradientTape() as t:
            t.watch(x); y = x * 2.0
        t.gradient(y, x, unconnected_gradients="nonsense")""",
    "raises: a number that is watched": """
        tf.GradientTape().watch("text")""",
    "raises: rows of a vector": """
        with tf.GradientTape() as t:
            t.watch(w); y = tf.stack([w, w])
        t.batch_jacobian(y, w)""",
    "raises: rows in a vector": """
        with tf.GradientTape() as t:
            t.watch(m); y = tf.reduce_sum(m, 1)
        t.batch_jacobian(y, m)""",
}

JAX = {
    "a rule that is twice the slope": """
        @custom_gradient
        def f(a):
            return np.sin(a), lambda g: (2.0 * np.cos(a) * g,)
        out = [f(x)] + list(value_and_grad(f)(x)) + [grad(grad(f))(x)]""",
    "a value is the same with and without its gradient, nested": """
        f = ruled(lambda a: np.cos(2.0 * a) / 2.0, lambda args, g: (g * 3.0,))
        f2 = lambda a: value_and_grad(f)(a)[0]
        f3 = lambda a: value_and_grad(f2)(a)[0]
        out = [f(x), f2(x), f3(x), grad(f)(x), grad(f2)(x), grad(f3)(x)]""",
    "a branch in the function and in the rule": """
        f = ruled(lambda a: np.sin(a) if a > 0 else np.cos(a),
                  lambda args, g: (2.0 * g,) if args[0] > 0 else (3.0 * g,))
        out = list(value_and_grad(f)(x)) + list(value_and_grad(f)(-x))""",
    "a dict as argument": """
        @custom_gradient
        def f(p):
            return np.sin(p["a"]), lambda g: ({"a": 2.0 * np.cos(p["a"]) * g},)
        out = grad(f)({"a": x})""",
    "in a loop": """
        f = ruled(np.sin, lambda args, g: (2.0 * np.cos(args[0]) * g,))
        def loop(a):
            for _ in range(3):
                a = f(a)
            return a
        out = [grad(loop)(x), grad(grad(loop))(x)]""",
    "run again": """
        f = ruled(np.sin, lambda args, g: (2.0 * np.cos(args[0]) * g,))
        h = lambda a: f(f(a))
        out = [grad(checkpoint(h))(x), grad(grad(checkpoint(h)))(x), grad(checkpoint(grad(h)))(x),
               grad(grad(grad(checkpoint(h))))(x)]""",
    "a rule for two outputs, of which one is used": """
        f = ruled(lambda a, b: (np.sin(a), a + np.cos(b)), lambda args, gs: (gs[0] * 3.0 + gs[1] * 5.0, gs[1] * 7.0))
        out = [grad(lambda a, b: f(a, b)[0], argnums=(0, 1))(x, x), grad(lambda a, b: f(a, b)[1], argnums=(0, 1))(x, x)]
        out = flat([list(pair) for pair in out])""",
    "a setting beside the argument": """
        def f(k):
            return ruled(lambda a: np.sin(k * a), lambda args, g: (k * np.cos(k * args[0]) * g,))
        out = [f(3.0)(x), grad(f(3.0))(x), grad(checkpoint(f(3.0)))(x), grad(lambda a: f(2.0)(a) * 3.0)(x)]""",
    "a rule that is used more than once, with a constant": """
        f = ruled(lambda a, b: a + b, lambda args, g: (g, 2.0 * g))
        out = [grad(lambda a: f(f(a, 1.0), a))(x), grad(lambda a, b: f(f(a, b), b), argnums=(0, 1))(x, x)[1]]""",
    "a function as a constant": """
        def apply(f, a):
            inner = custom_gradient(lambda a: (f(a), lambda g: (np.cos(a) * g,)))
            return inner(a)
        out = list(value_and_grad(lambda a: apply(lambda b: 2.0 * b, a))(x))""",
    "the rule reads an outer argument": """
        def f(b):
            inner = custom_gradient(lambda a: (2.0 * np.sin(a), lambda g: (2.0 * np.cos(b) * g,)))
            return grad(inner)(x)
        out = [f(x * 2.0), grad(f)(x * 2.0)]""",
    "the function reads an outer number": """
        def outer(k):
            return grad(custom_gradient(lambda a: (k * a, lambda g: (np.cos(a) * g * k,))))
        out = [outer(k)(x) for k in (0.0, 1.0, 2.0)]""",
    "a clipped gradient, with bounds from the argument": """
        def clipped(a):
            inner = custom_gradient(lambda low, high, b: (b * 1.0, lambda g: (None, None, np.clip(g, low, high))))
            return inner(-0.1, a + 0.1, a)
        out = grad(clipped)(x * 0.0 + 0.1)""",
    "a pull-back inside a rule": """
        f = lambda a: a**2
        @custom_gradient
        def h(a):
            y, pull = vjp(f, a)
            return y, lambda g: pull(g)
        y, pull = vjp(h, x)
        out = [y, pull(x), grad(h)(x)]""",
    "a rule that reads no upstream gradient": """
        @custom_gradient
        def f(a, b):
            return a * b, lambda g: (b, a)
        out = list(grad(f, argnums=(0, 1))(x, 4.0 * x))""",
    "a rule that weighs elements": """
        k = w * 0.0 + 3.0
        @custom_gradient
        def f(a):
            return np.sum(np.sin(a)), lambda g: (np.cos(a) * k,)
        out = grad(f)(w)""",
    "one gradient without a tuple, and its slope": """
        @custom_gradient
        def f(a):
            return a**2, lambda g: g * a
        out = [f(x), grad(f)(x), grad(grad(f))(x)]""",
    "None for an argument": """
        @custom_gradient
        def f(a, b):
            return a * np.sin(b), lambda g: (None, 2.0 * np.cos(b) * g)
        out = grad(lambda a: f(a, a))(x)""",
    "None for a pair": """
        @custom_gradient
        def f(pair, b):
            return pair[0] * pair[1] * np.sin(b), lambda g: (None, 2.0 * np.cos(b) * g)
        out = grad(lambda a: f((a, a), a))(x)""",
    "None for a part": """
        @custom_gradient
        def f(p):
            return p[0] * 1.0, lambda g: ((g, (None, None)),)
        out = grad(f)((x, (2.0 * x, 3.0 * x)))""",
    "a list of gradients": """
        @custom_gradient
        def f(a, b):
            return a * b, lambda g: [g * b, a * g]
        out = list(grad(f, argnums=(0, 1))(x, 2.0 * x))""",
    "a dict, run again": """
        @custom_gradient
        def f(p):
            return p["a"] * p["b"], lambda g: ({"a": g * p["b"], "b": g * p["a"]},)
        out = grad(checkpoint(lambda p: np.sin(f(p))))({"a": x, "b": 2.0 * x})""",
    "the jacobian of a rule": """
        f = custom_gradient(lambda a: (a**2, lambda g: (3.0 * a * g,)))
        out = [jacobian(f)(w), hessian(f)(w)]""",
    "the hessian of several outputs": "out = hessian(lambda a: a**3 * np.sum(a))(w)",
    "the hessian of a structure of outputs": """
        out = hessian(lambda a: {"p": np.sum(a**2), "q": [a**3, a[0] * a[1]]})(w)""",
    "the hessian of several outputs of two arguments": """
        out = flat(hessian(lambda a, b: a * b**2, argnums=(0, 1))(x, w))""",
    "raises: two gradients for one argument": """
        f = custom_gradient(lambda a: (a * 1.0, lambda g: (g, g)))
        grad(f)(x)""",
    "raises: a gradient of another shape": """
        f = custom_gradient(lambda a, b: (a * 1.0, lambda g: (np.ones(3), np.ones(3))))
        grad(lambda a, b: np.sum(f(a, b * b)), argnums=1)(w, w)""",
    "raises: gradients in the wrong order": """
        f = custom_gradient(lambda a, b: ((a * 1.0, b * 1.0), lambda gs: (gs[1], gs[0])))
        grad(lambda a: np.sum(f(a, np.ones(3))[0]))(w)""",
}


def jax_names():
    jax = pytest.importorskip("jax")

    def ruled(f, rule):
        """`f` with a rule for its arguments and the upstream gradient; unlike `jax.custom_gradient` it keeps the rule
        where the forward pass is differentiated once more."""
        found = jax.custom_vjp(f)
        found.defvjp(lambda *args: (found(*args), args), rule)
        return found

    return by_jax() | {"custom_gradient": jax.custom_gradient, "checkpoint": jax.checkpoint, "ruled": ruled}


def minigrad_names():
    names = by_minigrad()
    vars(names["np"]).update(cos=mg.cos, clip=mg.clip)

    def ruled(f, rule):
        return mg.custom_gradient(lambda *args: (f(*args), lambda *gs: rule(args, gs if len(gs) > 1 else gs[0])))

    return names | {"custom_gradient": mg.custom_gradient, "checkpoint": mg.recompute_grad, "ruled": ruled}


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", TENSORFLOW)
def test_situations_of_the_suite_of_tensorflow(name):
    tf = pytest.importorskip("tensorflow")
    agree(name, TENSORFLOW[name], by_tensorflow(mg), by_tensorflow(tf))


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", JAX)
def test_situations_of_the_suite_of_jax(name):
    agree(name, JAX[name], minigrad_names(), jax_names())
