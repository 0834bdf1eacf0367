"""JAX's programs as graphs of minigrad: networks, its names, rules of its own, and functions that are watched."""

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.bridges import NotRecorded, program_of
from minigrad.diagnostics.edits import edited
from minigrad.tracing.replay import graph_of
from tests.diagnostics.nan_programs import executed
from tests.helpers.tables import over
from tests.parity import bridge_programs as programs

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def _float32():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", False)
    yield
    jax.config.update("jax_enable_x64", before)


def record(f, *args):
    return program_of(f, args, {}, "find_nan")


def foreign(program):
    return {node.op.name for node in graph_of(program.y) if node.op is not None and node.op.kind == "foreign"}


@jax.custom_vjp
def safe_root(x):
    return jnp.sqrt(x)


safe_root.defvjp(lambda x: (jnp.sqrt(x), x), lambda x, g: (g * 0.5 / jnp.sqrt(jnp.maximum(x, 1e-3)),))


@jax.custom_jvp
def clipped(x):
    return jnp.clip(x, -1.0, 1.0)


@clipped.defjvp
def _(primals, tangents):
    return clipped(*primals), tangents[0]


def normal(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


W, V, X = normal(4, 4) * 0.5, normal(4, seed=1), normal(3, 4, seed=2)


def attention(w):
    scores = (X @ w) @ X.T
    mask = jnp.tril(jnp.ones((3, 3), bool))
    return (jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1) @ X).sum()


def layer_norm(x):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (((x - mean) * jax.lax.rsqrt(var + 1e-5)) ** 3).sum()


def lstm_cell(w):
    h = c = jnp.zeros(1)
    for x in (0.3, -1.0):
        i, f, g, o = jnp.split(w @ jnp.concatenate([h, jnp.array([x, 1.0, 0.5])]), 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return h.sum()


def scanned(w):
    return jax.lax.scan(lambda h, x: (jnp.tanh(w @ h + x), h.sum()), jnp.zeros(4), X)[0].sum()


def convolved(k):
    image = normal(1, 1, 6, 6, seed=4)
    return (jax.lax.conv(image, k.reshape(1, 1, 2, 2), (1, 1), "VALID") ** 2).mean()


FAITHFUL = [
    ("MLP", lambda w: jnp.mean(jax.nn.relu(X @ w) @ V), (W,)), ("attention", attention, (W,)),
    ("layer norm", layer_norm, (X,)), ("LSTM cell", lstm_cell, (W,)), ("scan", scanned, (W,)),
    ("cond", lambda x: jax.lax.cond(x[0] > 0, lambda y: y.sum(), lambda y: (y * y).sum(), x), (V,)),
    ("convolution", convolved, (V,)), ("custom_vjp", lambda x: safe_root(x).sum(), (jnp.array([0.0, 4.0]),)),
    ("custom_jvp", lambda x: (clipped(x) * x).sum(), (V,)), ("jit", jax.jit(lambda x: jnp.tanh(x) @ x), (V,)),
    ("vmap", lambda x: jax.vmap(lambda row: jax.nn.logsumexp(row))(x).sum(), (X,)),
    ("checkpoint", lambda x: jax.checkpoint(lambda y: jnp.sin(y) * y)(x).sum(), (V,)),
    ("gather", lambda x: (x[jnp.array([2, 0, 2])] ** 2).sum(), (V,)),
    ("scatter", lambda x: jnp.zeros(6).at[jnp.array([1, 4, 1, 0])].add(x).cumsum().sum(), (V,)),
    ("sort and take", lambda x: jnp.sort(x)[:2].prod(), (V,)),
    ("linear algebra", lambda a: jnp.linalg.det(a + 3 * jnp.eye(4)) + jnp.linalg.inv(a + 3 * jnp.eye(4)).sum(), (W,)),
    ("a tree", lambda p, x: ((x @ p["w"]) * p["b"]).sum(), ({"w": W, "b": V}, X)),
]  # fmt: skip


@over(FAITHFUL)
def test_every_adjoint_of_a_network_is_equal_and_it_is_drawn(what, f, args):
    program = record(f, *args)
    assert program.caveat() == "", what
    assert viz.backward(f, *args).to_svg().startswith("<svg")


def test_what_has_no_op_is_foreign_and_the_rest_is_not():
    assert foreign(record(attention, W)) == set()
    assert "erf_inv" in foreign(record(lambda x: jax.lax.erf_inv(x / 10).sum(), V))


# Loops and branches.


def stepped(x):
    """Each second iteration takes the other branch."""
    body = lambda i, c: jax.lax.cond(i % 2 == 0, lambda v: jnp.sin(v) * x, lambda v: v + jnp.sqrt(v * v + 1), c)
    return jax.lax.fori_loop(0, 5, body, x).sum()


def backwards(x):
    def step(carry, row):
        carry = jnp.tanh(carry * row[0] + row[1])
        return carry, carry * row[0]

    last, all_ = jax.lax.scan(step, x, (jnp.arange(3.0), jnp.ones(3)), reverse=True)
    return (last.sum() + (all_ * jnp.arange(3.0)[:, None]).sum()) ** 2


@jax.jit
def until(x):
    return jax.lax.while_loop(lambda c: jnp.max(c) < 50, lambda c: c * c + x, 1.5 + jnp.abs(x)).sum()


LOOPS = [("branches", stepped), ("in reverse", backwards), ("scan in jit", jax.jit(backwards)), ("switch", lambda x: (
    jax.lax.switch(2, [jnp.sin, jnp.cos, jnp.exp], x).sum()))]  # fmt: skip


@over(LOOPS)
def test_the_iterations_are_ops_with_the_value_and_the_gradient_of_jax(what, f):
    program = record(f, V)
    assert program.caveat() == "" and not foreign(program) & {"scan", "while", "cond"}
    np.testing.assert_allclose(program.y.value, f(V), rtol=1e-6)


def test_a_while_loop_is_opened_as_often_as_it_runs():
    program = record(lambda x: jnp.sum(x * jax.lax.stop_gradient(until(x))), V)
    np.testing.assert_allclose(program.y.value, (V * until(V)).sum(), rtol=1e-6)


def test_a_loop_with_many_iterations_is_one_box():
    long = lambda x: jax.lax.fori_loop(0, 2000, lambda i, c: jnp.sin(c) * 1.01, x).sum()
    assert "scan" in foreign(record(long, V))


ROOTED = """import jax
import jax.numpy as jnp


def program(x):
    def step(c, _):
        r = jnp.sqrt(jnp.sum(c ** 2))
        return c * 0.5 - 0.1 * r * c, r

    return jnp.sum(jax.lax.scan(step, x, None, length=3)[1])
"""


def test_the_line_of_a_loop_is_edited_where_each_iteration_has_the_same_edit():
    x = jnp.zeros(2)
    repair = mg.find_nan(executed(ROOTED), x).repair
    assert repair.op == "sqrt" and len(repair.lines) == 1
    new = executed(edited(ROOTED, repair.edits))
    np.testing.assert_array_equal(jax.grad(new)(x), 0)
    other = jnp.array([0.3, -2.0])
    np.testing.assert_allclose(new(other), executed(ROOTED)(other), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(new)(other), jax.grad(executed(ROOTED))(other), rtol=1e-5)


# Programs whose gradient is nan only in JAX.


def focal(z, gamma):
    return jax.nn.softplus(-z) * (1 - jax.nn.sigmoid(z)) ** gamma


@over([("an array", jnp.array(0.0)), ("a number", 0.0)])
def test_a_base_of_0_whose_exponent_is_0_is_made_safe(what, gamma):
    z = jnp.array([1000.0, 0.5])
    report = mg.find_nan(lambda z: focal(z, gamma).sum(), z)
    assert report.op == "pow" and "logical_and" in report.repair.rewrites[0][1]
    np.testing.assert_allclose(report.repair.after.gradients[0], [0.0, -jax.nn.sigmoid(-0.5)], rtol=1e-6)


def test_a_contraction_runs_again_in_jax():
    def penalty(w):
        g = jax.vmap(jax.grad(lambda v: jax.nn.relu(v @ w).sum()))(jnp.array([[1.0, 2.0], [-3.0, 1.0]]))
        return ((jnp.sqrt((g**2).sum(1)) - 1) ** 2).mean()

    w = jnp.array([[1.0], [0.5]])
    repair = mg.find_nan(penalty, w).repair
    n = 1.25**0.5  # of the sample that is on: mean((n - 1) ** 2), and 1 of the other
    np.testing.assert_allclose(repair.after.gradients[0], (n - 1) / n * w, rtol=1e-5)


def test_inputs_have_their_names():
    assert [*record(FAITHFUL[-1][1], *FAITHFUL[-1][2]).names] == ["p['b']", "p['w']", "x"]


def test_a_custom_vjp_is_a_custom_gradient_with_its_body_as_the_ghost():
    view = viz.backward(lambda x: safe_root(x).sum(), jnp.array([0.0, 4.0]))
    (call,) = [node for node in view.trace.nodes if node.kind == "custom"]
    assert call.op in ("safe_root", "custom")  # JAX 0.4 does not keep the name
    assert [node.op for node in view.trace.nodes if node.ghost and node.op == "sqrt"] == ["sqrt"]


ALIASES = """exp exp2 expm1 log log2 log10 log1p sqrt cbrt square sin cos tan sinh cosh tanh arcsin arccos arctan
arcsinh arctanh abs negative reciprocal sum mean prod max min cumsum cumprod std var sort flip nn.relu nn.sigmoid
nn.softplus nn.softmax nn.log_softmax nn.log_sigmoid nn.logsumexp nn.silu nn.elu nn.gelu nn.leaky_relu lax.rsqrt
scipy.special.erf scipy.special.erfc scipy.special.gammaln scipy.special.logit linalg.norm sinc deg2rad"""
TWO = """add subtract multiply divide power maximum minimum fmax fmin arctan2 hypot logaddexp logaddexp2 dot inner
outer matmul scipy.special.xlogy scipy.special.xlog1py mod fmod"""


def function_of(path):
    home = jax if path.startswith(("nn.", "lax.", "scipy.")) else jnp
    for part in path.split("."):
        home = getattr(home, part)
    return home


@over([(name, n) for n, names in ((1, ALIASES), (2, TWO)) for name in names.split()])
def test_every_alias_gives_the_value_and_the_slope_at_three_points(name, n):

    f = function_of(name)
    for point in ([0.3, 0.55, 0.8], [0.71, 0.12, 0.35], [0.9, 0.44, 0.23]):
        program = record(f, *[jnp.array(point), jnp.array([0.6, 0.25, 0.95])][:n])
        assert program.caveat() == ""


def test_an_edit_of_a_line_that_ran_for_each_row_is_written_for_one_row():
    text = (
        "import jax\nimport jax.numpy as jnp\nf = lambda x: jax.vmap(lambda r: jnp.log(jnp.sum(jnp.exp(r))))(x).sum()"
    )
    repair = mg.find_nan(programs.executed(text)["f"], jnp.array([[95.0, 0.0], [1.0, 2.0]])).repair
    assert [edit.text for edit in repair.edits] == ["jax.nn.logsumexp(r)"]
    named = text.replace("jnp.exp(r))", "jnp.exp(r), axis=0)")  # an axis of the row is another axis of all rows
    repair = mg.find_nan(programs.executed(named)["f"], jnp.array([[95.0, 0.0], [1.0, 2.0]])).repair
    assert repair.edits == ()
    assert "logsumexp" in repair.rewrites[0][1]


def test_a_wider_dtype_names_the_switch_of_jax():
    assert "jax_enable_x64" in mg.find_nan(lambda x: jnp.exp(x).sum(), jnp.array([95.0])).repair.sentence


@over(
    [(lambda x: None, "lack a return"), (lambda x: (x, x), r"f\(\*args\)\[0\]"), (lambda x: x > 0, "tensor of floats")]
)
def test_what_cannot_be_recorded_is_told(f, words):
    with pytest.raises(NotRecorded, match=words):
        viz.trace_nan(f, V)


def test_a_finished_result_is_told_what_to_write():
    with pytest.raises(NotRecorded, match=r"write viz.trace_nan\(f, \*args\)"):
        viz.trace_nan(jnp.log(V))


def losses(w, x):
    return -jnp.log(jax.nn.sigmoid(x @ w)).mean()


@over([jax.value_and_grad(losses), jax.jit(jax.value_and_grad(losses))])
def test_a_watched_function_stops_at_the_first_nan(f):
    step, x = viz.watch(f), jnp.array([[1.0, 2.0]])
    w = jnp.array([0.1, 0.1])
    value, gradient = step(w, x)
    assert float(value) == pytest.approx(float(losses(w, x)))
    step(w + gradient, x)
    with pytest.raises(viz.NanFound, match="log of 0") as found:
        step(jnp.array([-60.0, -60.0]), x)
    assert found.value.step == 2
    assert found.value.report.repair.grade == "same"
    assert found.value.report.reaches == ("w",)


KEY = jax.random.PRNGKey(0)
WITHOUT_A_NAN = {
    "hessian": lambda x: jnp.trace(jax.hessian(lambda v: jnp.sqrt((v**2).sum()))(x)),
    "second derivative": lambda x: (jax.vmap(jax.grad(jax.grad(lambda t: jnp.tanh(t) * x[0])))(x) ** 2).sum(),
    "normal": lambda x: (jax.random.normal(KEY, (2,)) * x).sum(),
    "new key": lambda x: (jax.random.bernoulli(jax.random.split(jax.random.key(1))[0], 0.5, (2,)) * x).sum(),
    "select": lambda x: jnp.select([x > 2, x > 1], [x, x**2], 0.5 * x).sum(),
}


@pytest.mark.parametrize("name", WITHOUT_A_NAN)
def test_ordinary_code_is_recorded(name):
    program = record(WITHOUT_A_NAN[name], jnp.array([1.0, 2.0]))
    assert program.caveat() == "" and not mg.find_nan(WITHOUT_A_NAN[name], jnp.array([1.0, 2.0]))


def test_a_key_is_data():
    f = lambda x, key: jnp.sqrt(jnp.sum((x * jax.random.normal(key, (2,))) ** 2))
    for key in (KEY, jax.random.key(0)):
        report = mg.find_nan(f, jnp.zeros(2), key)
        assert report.reaches == ("x",) and report.repair.op == "sqrt"


def test_complex_numbers_are_told():
    with pytest.raises(NotRecorded, match="complex numbers"):
        record(lambda x: jnp.abs(jnp.fft.fft(x)).sum(), jnp.ones(2))
