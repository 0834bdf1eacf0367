"""Idioms of JAX's documentation, programs of public threads, and repairs that experts write, each run in JAX."""

import functools

import numpy as np
import pytest

import minigrad as mg
from minigrad.bridges.rebuilt_program import NotRecorded
from minigrad.diagnostics.edits import edited
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp, lax = jax.numpy, jax.lax

X = jnp.array([0.0, 1.0, 2.0])
ROWS = jnp.array([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]])
LARGE = jnp.array([300.0, -300.0, 0.0])
KEY = jax.random.key(0)

#: Programs whose edited line must run in JAX, be finite, and have the promised value and gradients. The comments name
#: the public threads.
TEXT = """import jax
import jax.numpy as jnp
from jax import lax


def log_of_a_determinant(a):
    return jnp.log(jnp.linalg.det(a))


def rsqrt_times_itself(x):
    return jnp.sum(lax.rsqrt(x) * x)


def over_its_own_root(x):
    return jnp.sum(x / jnp.sqrt(x))


def divergence(p, q):
    return jnp.sum(p * jnp.log(p / q))


def overlap_of_boxes(a, b):
    wh = jnp.clip(jnp.minimum(a[:, 2:], b[:, 2:]) - jnp.maximum(a[:, :2], b[:, :2]), 0, None)
    inter = wh[:, 0] * wh[:, 1]
    area = lambda r: (r[:, 2] - r[:, 0]) * (r[:, 3] - r[:, 1])
    union = area(a) + area(b) - inter
    return jnp.mean(1 - inter / union)


def softmax_by_hand(x):
    p = jnp.exp(x) / jnp.sum(jnp.exp(x))
    return -jnp.log(p[2])


def clipped_angle(x):  # jax#23649
    return jnp.sum(jnp.arccos(jnp.clip(x, -1, 1)))


def selected_root(x):  # jax#5798
    return jnp.sum(jnp.where(x < 1.0, x, jnp.sqrt(x)))


def mapped_log(x):  # jax_xc#29
    def my_log_where(x):
        return jnp.where(x > 0.0, jnp.log(x), 0.0)

    return jax.vmap(my_log_where)(x).sum()


def fidelity(p, q):  # jax#15798
    p = jax.nn.softmax(p)
    q = jax.nn.softmax(q)
    return jnp.arccos(jnp.vdot(jnp.sqrt(p), jnp.sqrt(q)))


def squashed(x):
    a = jnp.tanh(x)
    return jnp.sum(jnp.log(1 - a**2))


def spread_of_a_constant(x):
    return jnp.std(x * 0.5)


def standardised(x):
    return jnp.sum((x - x.mean()) / x.std())
"""
BOXES = jnp.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 2.0]]), jnp.array([[1.0, 1, 1, 1], [1.0, 1, 3, 3]])
#: Name of a program -> its arguments, and a part of the line that is offered.
WRITTEN = {
    "log_of_a_determinant": ((jnp.eye(16) * 1e-3,), "return jnp.linalg.slogdet(a)[1]"),
    "rsqrt_times_itself": ((X,), "jnp.where(x == 0, 0.0, jnp.sqrt(jnp.where(x == 0, 1.0, x)))"),
    "over_its_own_root": ((X,), "jnp.where(x == 0, 0.0, jnp.sqrt(jnp.where(x == 0, 1.0, x)))"),
    "divergence": ((jnp.array([0.0, 0.4, 0.6]), jnp.array([0.2, 0.3, 0.5])), "jnp.where(p == 0, 1.0, p / q)"),
    "overlap_of_boxes": (BOXES, "inter / jnp.where(union == 0, 1.0, union)"),
    "softmax_by_hand": ((LARGE,), "p = jax.nn.softmax(x)"),
    "clipped_angle": ((jnp.array([1.0, 0.2, -2.0]),), "jnp.where(jnp.abs(inside) < 1"),
    "selected_root": ((X,), "jnp.sqrt(jnp.where(x < 1.0, 1.0, x))"),
    "mapped_log": ((X,), "jnp.log(jnp.where(x > 0.0, x, 1.0))"),
    "fidelity": ((X, X), "jnp.arccos(jnp.where(jnp.abs(inside) < 1, inside, 0.0))"),
    "squashed": ((jnp.array([20.0, 1.0]),), "jax.nn.softplus(-2 * x)"),
    "spread_of_a_constant": ((X * 0 + 2,), "inside = jnp.var(x * 0.5)"),
    "standardised": ((X * 0 + 2,), "jnp.sqrt(jnp.var(x) + 1e-05)"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_offered_line_runs_in_jax_and_gives_the_promised_numbers(name):
    args, line = WRITTEN[name]
    repair = mg.find_nan(programs.executed(TEXT)[name], *args).repair
    assert repair.edits and any(line in new for *_, new in repair.lines), repair
    new = programs.executed(edited(TEXT, repair.edits))[name]
    value, gradients = jax.value_and_grad(new, tuple(range(len(args))))(*args)
    assert np.isfinite(value) and all(np.isfinite(g).all() for g in gradients)
    assert np.allclose(value, repair.after.value, rtol=1e-4)
    promised = dict(zip(repair.after.names, repair.after.gradients))
    for parameter, g in zip(new.__code__.co_varnames, gradients):
        assert np.allclose(g, promised[parameter], rtol=1e-3, atol=1e-5), parameter


def test_a_name_is_not_used_above_its_assignment():
    """In the program of jax#654, the mask is assigned after the distances, so no edit of their line may use it."""
    text = """import jax.numpy as jnp


def charges(conf, q):
    dij = jnp.linalg.norm(conf[None] - conf[:, None], axis=-1)
    keep = 1 - jnp.eye(conf.shape[0])
    qij = jnp.where(keep, q[None] * q[:, None], 0.0)
    dij = jnp.where(keep, dij, jnp.zeros_like(dij))
    return jnp.sum(jnp.where(keep, qij / dij, jnp.zeros_like(dij)))
"""
    args = jnp.array([[0.1, 0.2], [1.3, 0.4], [2.0, -1.0]]), X + 1
    report = mg.find_nan(programs.executed(text)["charges"], *args)
    assert "sqrt" in report.sentence
    if report.repair.edits:
        gradients = jax.grad(programs.executed(edited(text, report.repair.edits))["charges"], (0, 1))(*args)
        assert all(np.isfinite(g).all() for g in gradients)


class Layer:
    def __init__(self):
        self.w = X

    def loss(self, x):
        return jnp.sum(jnp.log(self.w * x + 0.0))


@functools.partial(jax.jit, static_argnames="mode")
def static_mode(x, mode="root"):
    return jnp.sum(jnp.sqrt(x)) if mode == "root" else jnp.sum(x)


def printed(x):
    jax.debug.print("{}", x)
    return jnp.sum(jnp.log(x))


def nested_scans(x):
    def outer(c, row):
        d, _ = lax.scan(lambda d, v: (d / v, d), c, row)
        return d, d

    return lax.scan(outer, x[1], jnp.array([[1.0, 2.0], [0.0, 1.0]]) * x[1])[1].sum()


def through_time(x):
    from jax.experimental.ode import odeint

    return jnp.sum(odeint(lambda y, t: jnp.sqrt(y), x, jnp.array([0.0, 1.0])))


def counted_while(x):
    return lax.while_loop(lambda c: c[1] < 3, lambda c: (jnp.sqrt(c[0] - 1), c[1] + 1), (x[1], 0))[0]


#: Program -> its arguments, and a phrase of the report.
TOLD = {
    Layer().loss: ((X,), "log of 0"),
    static_mode: ((X,), "at [0 1 2] the slope of sqrt is infinite"),
    functools.partial(lambda x, p: jnp.sum(x**p), p=0.5): ((X,), "the slope of power is infinite"),
    printed: ((X,), "log(0) is -inf"),
    nested_scans: ((X,), "divide by 0"),
    counted_while: ((X,), "in iteration 2 of the loop"),
    through_time: ((X,), "the custom rule _odeint.bwd of _odeint returned nan for x"),
    lambda x, m: jnp.mean(x[m]): ((X, jnp.zeros(3, bool)), "divide(0, 0) is nan"),
    lambda x, n: jnp.sum(jnp.sqrt(x)) * (2 if n > 3 else 1): ((X, jnp.array(4)), "slope of sqrt is infinite"),
    lambda x: jnp.trace(jax.hessian(lambda v: jnp.sum(v**1.5))(x)): ((X,), "power of 0"),
    lambda x: jnp.trace(jax.jacfwd(lambda v: jnp.sqrt(v) * v)(x)): ((X,), "divide by 0"),
    lambda x: jnp.sum(jnp.linalg.qr(jnp.outer(x, x))[1]): ((X,), "singular up to rounding, of rank 1 of 3"),
    lambda x: jnp.log(jnp.quantile(x, 0.0)): ((X,), "log of 0"),
    lambda x: jnp.sum(jnp.log(lax.top_k(-x, 2)[0])): ((X,), "log(-1) is nan"),
    lambda x: jnp.sum(jax.random.permutation(KEY, jnp.sqrt(x))): ((X,), "slope of sqrt is infinite"),
    lambda x: jax.random.categorical(KEY, x) + jnp.log(x[0]): ((X,), "log(0) is -inf"),
    lambda t: sum(jnp.sum(jnp.log(v)) for v in jax.tree.leaves(t)): (({"a": [X, (ROWS**2,)]},), "t['a'][1][0]"),
    lambda x: jnp.sum(jax.vmap(lambda v: lax.cond(v > 0, jnp.log, lambda u: u * 0, v))(x)): (
        (X,),
        "nothing needs fixing",
    ),
    lambda x: jnp.sum(lax.associative_scan(lambda a, b: a * b, x) / x): ((X,), "divide(0, 0) is nan"),
    lambda x: jnp.sum(jax.checkpoint(lambda v: jnp.log(jnp.sin(v)))(x)): ((X,), "log(0) is -inf"),
}


@pytest.mark.parametrize("f", TOLD)
def test_an_idiom_is_reported(f):
    args, phrase = TOLD[f]
    assert phrase in str(mg.find_nan(f, *args))


def test_no_limit_is_claimed_of_constants_and_no_count_of_inputs():
    """The mean of nothing has no inputs, and a differentiated input is no degree of a graph."""
    empty = mg.find_nan(lambda x, m: jnp.mean(x[m]), X, jnp.zeros(3, bool))
    assert empty.word == "nan" and "depends on the path" not in empty.repair.words
    assert not mg.find_nan(lambda x: jnp.trace(jax.hessian(lambda v: jnp.sum(v**1.5))(x)), X).repair.changes


def test_a_branch_on_a_float_is_refused_with_a_sentence():
    with pytest.raises(NotRecorded, match="converts an array that depends on its float arguments"):
        mg.find_nan(lambda x: jnp.sqrt(x) if x > 0 else jnp.sqrt(-x), jnp.array(0.0))


def test_an_overflow_is_told_with_digits_that_differ_from_the_limit():
    def squares(x):
        for _ in range(7):
            x = x * x
        return jnp.sum(x - x)

    text = str(mg.find_nan(squares, jnp.array([2.0])))
    assert "computes 3.402824e+38, which is above 3.402823e+38, the largest float32" in text


#: Expressions that lose the digits of their gradient, the range of inputs where they do, and the ops to blame.
LOSING = {
    "(1 - m.cos(x)) / x**2": (5e-5, 3e-4, {"cos"}),
    "(m.exp(x) - 1) / x": (3e-7, 3e-6, {"exp"}),
    "m.log(1 + x) / x": (2e-7, 2e-6, {"add"}),
    "(m.sqrt(x * x + 1) - 1) / x": (5e-5, 3e-4, {"sqrt", "add"}),
    "((x + 3e6) - 3e6)**2": (0.05, 0.2, {"add"}),
    "m.tanh(x) * x": (0.3, 3.0, None),
    "m.exp(-x) * m.sin(x)": (0.3, 3.0, None),
}


@pytest.mark.parametrize("text", LOSING)
def test_the_op_that_loses_digits_is_named_beside_mpmath(text):
    import mpmath

    low, high, ops = LOSING[text]
    f, x = eval(f"lambda x: {text}", {"m": jnp}), np.float32(np.random.default_rng(5).uniform(low, high))
    report = mg.find_nan(f, jnp.float32(x))
    with mpmath.workdps(60):
        true = float(
            mpmath.diff(eval(f"lambda x: {text}", {"m": mpmath}), mpmath.mpf(float(x)), h=mpmath.mpf(10) ** -25)
        )
    gradient = float(jax.grad(f)(jnp.float32(x)))
    if ops is None:
        assert report.lost is None and gradient == pytest.approx(true, rel=1e-3)
    else:
        assert report.lost.op in ops and abs(gradient - true) > 0.01 * abs(true)
        assert float(report.lost.exact) == pytest.approx(true, rel=1e-3, abs=1e-3)
