"""minigrad compared with TensorFlow, JAX, Keras and PyTorch: values and gradients of the same expressions, in float64.

`pytest -m parity`, or with --quick for 60 of the rows; a framework that is not installed is skipped.
"""

import functools
import importlib.util
import os
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import minigrad as mg
from minigrad.frameworks import own_ops
from tests.parity.differences import DIFFERENCES
from tests.parity.expressions import FRAMEWORKS, ROWS

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

CASES = [(row, framework) for row in ROWS for framework in FRAMEWORKS if framework in row[3]]
NAMES = {"tensorflow": "TensorFlow", "jax": "JAX", "keras": "Keras", "torch": "PyTorch"}
HERE = [name for name in FRAMEWORKS if importlib.util.find_spec(name)]


def each_case():
    """The rows of the frameworks that are installed, and for each other one a single case, which is skipped."""
    for row, name in CASES:
        if name in HERE:
            yield pytest.param(row, name, id=f"{name}-{row[0]}")
    for name in FRAMEWORKS:
        if name not in HERE:
            why = f"{NAMES[name]} is not installed: {sum(name == other for _, other in CASES)} rows"
            yield pytest.param((), name, id=name, marks=pytest.mark.skip(reason=why))


@functools.cache
def framework_names(name):
    """The names that the expressions of a framework may use."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("KERAS_BACKEND", "jax")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "tensorflow":
            tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
            return {"tf": tf, "np": np}
        if name == "torch":
            torch = pytest.importorskip("torch", reason="PyTorch is not installed")
            torch.set_default_dtype(torch.float64)
            return {"torch": torch, "F": torch.nn.functional, "np": np}
        jax = pytest.importorskip("jax", reason="JAX is not installed")
        jax.config.update("jax_enable_x64", True)
        found = {"jax": jax, "jnp": jax.numpy, "np": np}
        if name == "keras":
            keras = pytest.importorskip("keras", reason="Keras is not installed")
            keras.config.set_floatx("float64")
            importlib.import_module("jax.scipy.special")
            found = {"keras": keras, "np": np}
        return found


# A name that both Keras and this project have stands for our own op; `mg.ops` has Keras's there.
OPS = SimpleNamespace(**vars(mg.ops) | vars(own_ops.ops))

ROOTS = {
    "tensorflow": ("tf", "tf.math"), "jax": ("jnp", "jax"), "keras": ("keras.ops",),
    "torch": ("torch", "torch.nn.functional"),
}  # fmt: skip


def resolve(expression, framework, names):
    """Replace `{tf.math.log}(a)` from a declaration by the first place where the framework has that name."""
    if not expression.startswith("{"):
        return expression
    path, call = expression[1:].split("}")
    path = path.partition(".")[2]
    for root in ROOTS[framework]:
        try:
            eval(f"{root}.{path}", names)
        except AttributeError:
            continue
        return f"{root}.{path}{call}"
    raise AttributeError(f"{framework} has no {path}")


def is_float(a):
    return isinstance(a, float) or (isinstance(a, list) and np.asarray(a).dtype.kind == "f")


def named(args):
    return dict(zip("abc", args))


def of_minigrad(expression, args):
    xs = {k: mg.constant(a, "float64") if is_float(a) else a for k, a in named(args).items()}
    y = eval(expression, {"ops": OPS, "tf": mg, "np": np}, xs)
    sources = [x for x in xs.values() if isinstance(x, mg.Tensor)]
    grads = mg.gradients(y, sources, unconnected_gradients="zero")
    return y.value, [g.value for g in grads]


def of_tensorflow(expression, args):
    names = framework_names("tensorflow")
    tf = names["tf"]
    xs = {k: tf.constant(a, tf.float64) if is_float(a) else a for k, a in named(args).items()}
    sources = [x for x in xs.values() if isinstance(x, tf.Tensor)]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = eval(resolve(expression, "tensorflow", names), names, xs)
    grads = tape.gradient(y, sources, unconnected_gradients="zero")
    return y.numpy(), [tf.convert_to_tensor(g).numpy() for g in grads]


def of_torch(expression, args):
    names = framework_names("torch")
    torch = names["torch"]
    xs = {
        k: torch.tensor(a, dtype=torch.float64, requires_grad=True) if is_float(a) else a
        for k, a in named(args).items()
    }
    sources = [x for x in xs.values() if isinstance(x, torch.Tensor)]
    y = eval(resolve(expression, "torch", names), names, xs)
    grads = torch.autograd.grad(y.sum(), sources, allow_unused=True)
    return y.detach().numpy(), [np.zeros(x.shape) if g is None else g.detach().numpy() for x, g in zip(sources, grads)]


def of_jax(expression, args, framework="jax"):
    names = framework_names(framework)
    jax = framework_names("jax")["jax"]
    keys = [k for k, a in named(args).items() if is_float(a)]
    options = {k: a for k, a in named(args).items() if not is_float(a)}
    call = resolve(expression, framework, names)
    f = lambda *xs: eval(call, names, dict(zip(keys, xs)) | options)
    y, pull = jax.vjp(f, *(jax.numpy.asarray(a, "float64") for k, a in named(args).items() if k in keys))
    return np.asarray(y), [np.asarray(g) for g in pull(jax.numpy.ones_like(y))]


OF = {
    "tensorflow": of_tensorflow,
    "torch": of_torch,
    "jax": of_jax,
    "keras": functools.partial(of_jax, framework="keras"),
}


@pytest.mark.cases(60)
@pytest.mark.parametrize(("row", "framework"), list(each_case()))
def test_values_and_gradients_agree(row, framework):
    name, args, mine, theirs = row
    framework_names(framework)
    value, grads = of_minigrad(mine, args)
    their_value, their_grads = OF[framework](theirs[framework], args)
    np.testing.assert_allclose(value, their_value, rtol=1e-6, atol=1e-8)
    agree = all(np.allclose(a, b, rtol=1e-6, atol=1e-8, equal_nan=True) for a, b in zip(grads, their_grads))
    reason = DIFFERENCES.get((name, framework))
    assert agree == (reason is None), f"minigrad {grads}, {framework} {their_grads}; {reason}"


def test_the_groups_of_keras_hold_what_they_hold_there(subtests):
    keras = framework_names("keras")["keras"]
    for group in ("numpy", "nn", "linalg"):
        theirs, mine = vars(getattr(keras.ops, group)), vars(getattr(mg.ops, group))
        with subtests.test(group):
            assert set(mine) >= {name for name in theirs if callable(getattr(mg.ops, name, None))}
            assert group == "numpy" or set(mine) <= set(theirs)


def test_the_table_is_long_enough():
    assert len(ROWS) > 200  # as the README says
    assert set(NAMES) == set(FRAMEWORKS) == {framework for _, framework in CASES}


#: The operands of Python numbers and lists are float64; `v` makes a Variable, `x` is a Tensor of two numbers.
MEETINGS = [
    "x + [0.1, 0.2]", "[0.1, 0.2] * x", "x ** 0.3", "tf.maximum(x, [0.1, 0.2])", "tf.where([True, False], x, 0.1)",
    "tf.clip_by_value(x, 0.35, 0.61)", "tf.stack([x[0], 0.1])", "tf.concat([x, [0.1]], 0)",
    "tf.stack([[0.1, x[0]], [0.2, 0.3]])", "v(0.0).assign(0.1)", "v([0.0]).assign_add([0.1])", "v(0.0).assign_sub(0.1)",
    "tf.constant(0.1, tf.float64)",
]  # fmt: skip


def test_python_numbers_meet_float64_as_in_tensorflow(subtests):
    tf = framework_names("tensorflow")["tf"]
    for expression in MEETINGS:
        found = []
        for library in (tf, mg):
            x = library.constant([0.3, 0.7], "float64")
            v = lambda value, library=library: library.Variable(value, dtype="float64")
            found.append(np.asarray(eval(expression, {"tf": library, "x": x, "v": v}).numpy()))
        theirs, ours = found
        with subtests.test(expression):
            assert ours.dtype == theirs.dtype == np.float64
            np.testing.assert_allclose(ours, theirs, rtol=1e-15)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gamma_functions_are_those_of_scipy(sign, dtype):
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    rng = np.random.default_rng(0)
    spread = np.concatenate([np.exp(rng.uniform(np.log(1e-30), np.log(60), 500)), [0.0, 1.0, 2.0]])
    x = 0.0 + sign * (spread if sign < 0 else np.concatenate([spread, [1e6, 1e30, np.inf]])).astype(dtype)
    tolerance = dict(rtol=1e-12, atol=1e-12) if dtype == "float64" else dict(rtol=1e-6, atol=1e-6)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(mg.gammaln(x), special.gammaln(x), **tolerance)
        for n in (0, 1, 2, 5):
            np.testing.assert_allclose(
                mg.polygamma(n, x), special.polygamma(n, x.astype("float64")).astype(dtype), **tolerance
            )
