"""Programs as the documentation of JAX writes them, whose edits did not run, or whose reports were false."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy

TEXT = """import jax
import jax.numpy as jnp


def lengths(x):
    return jnp.sum(jax.vmap(lambda r: jnp.linalg.norm(r))(x))


@jax.jit
def log_of_sum(r):
    return jnp.log(jnp.sum(jnp.exp(100 * r)))


def compiled_rows(x):
    return jnp.sum(jax.vmap(log_of_sum)(x))


def spreads(x):
    return jnp.sum(jax.vmap(lambda r: jnp.std(r))(x))


def distances(x):
    dist = lambda a, b: jnp.sqrt(jnp.sum((a - b) ** 2))
    return jax.vmap(lambda a: jax.vmap(lambda b: dist(a, b))(x))(x).mean()


def loops_of_rows(x):
    def one(r):
        def body(c, _):
            return c * 0.5, jnp.sqrt(jnp.sum(c * c))

        return jax.lax.scan(body, r, None, length=3)[1].sum()

    return jnp.sum(jax.vmap(one)(x))


def gradient_penalty(x):
    g = jax.vmap(jax.grad(lambda v: jnp.sum(v**3)))(x)
    n = jnp.sqrt(jnp.sum(g**2, axis=1))
    return jnp.mean((n - 1) ** 2)


def charges(x):
    d = x[:, None] - x[None]
    r = jnp.linalg.norm(d, axis=-1)
    return jnp.where(jnp.eye(len(x), dtype=bool), 0.0, 1.0 / r).sum()


def rotation(x):
    v = x[0]
    theta = jnp.linalg.norm(v)
    axis = jnp.where(theta == 0, v, v / theta)
    return (jnp.cos(theta) + jnp.sin(theta) * jnp.cross(jnp.eye(2), axis)).sum()


def unit_rows(x):
    return jnp.sum((x / jnp.linalg.norm(x, axis=1, keepdims=True)) ** 3)


def unit_by_row(x):
    return jnp.sum(jax.vmap(lambda r: r / jnp.linalg.norm(r))(x) ** 3)
"""
ROWS = [[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]]


@pytest.mark.parametrize("name", [line[4:].partition("(")[0] for line in TEXT.splitlines() if line.startswith("def ")
                                  and not line.startswith("def log_of_sum")])  # fmt: skip
def test_the_edited_program_runs_and_is_the_same_function(name):
    module = programs.executed(TEXT)
    x = jnp.array(ROWS)
    report = mg.find_nan(module[name], x)
    assert report.repair.lines, report
    new = programs.executed(edited(TEXT, report.repair.edits))[name]
    value, gradient = jax.value_and_grad(new)(x)
    assert np.isfinite(value) and np.isfinite(gradient).all()
    after = report.repair.after
    assert np.allclose(value, after.value, rtol=1e-4) and np.allclose(
        gradient, after.gradients[0], rtol=1e-3, atol=1e-5
    )
    near = x * 0.01 + jnp.array([[0.3, -0.2], [0.1, 0.25], [-0.15, 0.05]])
    other, old = (jax.value_and_grad(f)(near) for f in (new, module[name]))
    finite = np.isfinite(old[1])  # a distance to itself has no gradient in the program
    assert np.allclose(other[0], old[0], rtol=1e-4) and np.allclose(
        np.where(finite, other[1] - old[1], 0), 0, atol=1e-3
    )


def test_bfloat16_is_seen():
    x = jnp.zeros(3, jnp.bfloat16)
    report = mg.find_nan(lambda x: jnp.sqrt(jnp.sum(x**2)), x)
    assert np.isnan(np.asarray(jax.grad(lambda x: jnp.sqrt(jnp.sum(x**2)))(x), np.float32)).all()
    assert report.word == "nan" and report.repair.op == "sqrt"
    assert not mg.find_nan(lambda x: jnp.sum(jnp.tanh(x * 0.3) ** 2), x + jnp.bfloat16(0.7))


def test_a_scalar_bound_without_a_gradient_is_differentiated():
    assert not mg.find_nan(lambda x: jnp.percentile(x, jnp.array([25.0, 50.0])).sum(), jnp.arange(3.0))


def test_a_divisor_that_is_cast_is_written_as_the_user_wrote_it():
    text = """import jax.numpy as jnp
LABELS = jnp.array([-100, -100])


def loss(x):
    m = LABELS != -100
    return jnp.sum(jnp.take_along_axis(x, jnp.where(m, LABELS, 0)[:, None], 1)[:, 0] * m) / jnp.sum(m)
"""
    repair = mg.find_nan(programs.executed(text)["loss"], jnp.ones((2, 3))).repair
    assert "/ jnp.maximum(jnp.sum(m), 1.0)" in repair.lines[0][3]


def test_sentences_about_ops_under_the_names_of_jax():
    def cross_entropy(x):
        p = jax.nn.sigmoid(x)
        return -jnp.mean(jnp.array([0.0, 1.0]) * jnp.log(p) + jnp.array([1.0, 0.0]) * jnp.log(1 - p))

    report = mg.find_nan(cross_entropy, jnp.array([50.0, -1.0]))
    assert "inf and -inf meet" not in report.sentence and "its product with the slope of logistic" in report.sentence
    from jax.scipy import special

    assert "digamma(0) is nan" in mg.find_nan(lambda x: special.digamma(x).sum(), jnp.array([0.0, 2.0])).sentence
    assert "erf_inv(1) is inf" in mg.find_nan(lambda x: special.erfinv(x).sum(), jnp.array([0.3, 1.0])).sentence
    eps = mg.find_nan(lambda x: (jax.nn.standardize(x, epsilon=0.0) ** 3).sum(), jnp.array([[2.0, 2.0]]))
    assert "mask" not in str(eps)
    half = mg.find_nan(lambda x: jnp.sum(x * x), jnp.array([300.0], jnp.float16))
    assert "make the inputs float32" in str(half) and "enable_x64" not in str(half)


def test_constants_inside_a_function_of_jax_are_not_told():
    f = lambda a: jax.scipy.stats.beta.logpdf(jnp.array([0.2, 0.5]), a, 1.0).sum()
    assert str(mg.find_nan(f, jnp.array(1.0))) == "every value and every gradient is finite"
