"""A line that runs many times, in a JAX or Python loop, gets one edit, found within the time for a search."""

import importlib

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

JAX = """import jax
import jax.numpy as jnp


def lengths(x):
    def body(c, _):
        c = c * 0.9
        return c, jnp.sqrt((c * c).sum())

    return jax.lax.scan(body, x, None, length=50)[1].sum()


def one_of_many(x):
    def body(c, i):
        c = c * 0.9
        return c, jnp.where(i == 30, jnp.log(jnp.sum(jnp.exp(100 * c))), 0.0)

    return jax.lax.scan(body, x, jnp.arange(25) + 10, length=25)[1].sum()


def falls_below_0(x):
    def body(c, _):
        c = c - 0.05
        return c, jnp.where(c > 0, jnp.sqrt(c), 0.0)

    return jax.lax.scan(body, x, None, length=50)[1].sum()


def grows(x):
    return jax.lax.fori_loop(0, 20, lambda i, h: jnp.log(1 + jnp.exp(h * 0.5)), x).sum()


def entropies(x):
    def body(c, _):
        p = jax.nn.softmax(c)
        return c * 1.1, -(p * jnp.log(p)).sum()

    return jax.lax.scan(body, x, None, length=20)[1].sum()
"""

TORCH = """import torch


def lengths(x):
    total = 0.0
    for _ in range(50):
        x = x * 0.9
        total = total + torch.sqrt((x * x).sum())
    return total


def targets(x):
    loss = 0.0
    for t in [0.0, 1.0] * 10:
        p = torch.sigmoid(x)
        loss = loss - (t * torch.log(p) + (1 - t) * torch.log(1 - p)).sum()
        x = x + 0.1
    return loss


def length(v):
    return torch.sqrt((v * v).sum())


def two_calls(x):
    return length(x) + length(x * 2 + 1)
"""


def gradient(framework, f, x):
    if framework == "jax":
        jax = importlib.import_module("jax")
        value, slope = jax.value_and_grad(f)(jax.numpy.asarray(x, "float32"))
        return float(value), np.asarray(slope)
    torch = importlib.import_module("torch")
    x = torch.tensor(x, dtype=torch.float32, requires_grad=True)
    value = f(x)
    value.backward()
    return float(value.detach()), x.grad.numpy()


def array(framework, x):
    if framework == "jax":
        return importlib.import_module("jax").numpy.asarray(x, "float32")
    return importlib.import_module("torch").tensor(x, requires_grad=True)


@pytest.mark.parametrize("framework, text, name, x, other", [
    ("jax", JAX, "lengths", [0.0, 0.0, 0.0], [0.3, -1.0, 2.0]),
    ("jax", JAX, "one_of_many", [1.0, 1.0, 1.0], [0.01, -0.02, 0.03]),
    pytest.param("jax", JAX, "falls_below_0", 1.0, 9.0, marks=pytest.mark.slow),
    ("jax", JAX, "grows", [300.0, 2.0], [-3.0, 4.0]),
    pytest.param("jax", JAX, "entropies", [100.0, 0.0], [0.5, -0.25], marks=pytest.mark.slow),
    ("torch", TORCH, "lengths", [0.0, 0.0], [0.3, -1.0]),
    ("torch", TORCH, "targets", [40.0, 0.5], [0.3, -1.0]),
    ("torch", TORCH, "two_calls", [0.0, 0.0], [0.3, -1.0]),
], ids=lambda v: v if isinstance(v, str) and len(v) < 20 else "")  # fmt: skip
def test_one_edit_mends_all_runs_of_a_line(framework, text, name, x, other):
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    old = programs.executed(text)[name]
    repair = mg.find_nan(old, array(framework, x)).repair
    assert repair and len(repair.lines) == 1, "one line of the body, and an edit of it"
    new = programs.executed(edited(text, repair.edits))[name]
    value, slope = gradient(framework, new, x)
    assert np.isfinite(value) and np.isfinite(slope).all()
    np.testing.assert_allclose(value, repair.after.value, rtol=1e-4, atol=1e-30)
    np.testing.assert_allclose(slope, repair.after.gradients[0], rtol=1e-3, atol=1e-5)
    for a, b in zip(gradient(framework, old, other), gradient(framework, new, other)):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)


def test_runs_that_are_another_function_are_not_rewritten():
    """The line squares its argument in one run, and takes its root in the other."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    text = """import torch


def f(x):
    total = 0.0
    for power in (2.0, 0.5):
        total = total + torch.sqrt((x**power).sum())
    return total
"""
    old = programs.executed(text)["f"]
    x = torch.tensor([0.0, 0.0], requires_grad=True)
    repair = mg.find_nan(old, x).repair
    if repair.lines:
        new = programs.executed(edited(text, repair.edits))["f"]
        for a, b in zip(gradient("torch", old, [0.3, 0.4]), gradient("torch", new, [0.3, 0.4])):
            np.testing.assert_allclose(b, a, rtol=1e-5)


def test_a_lost_number_of_an_elementwise_primitive_is_no_sum():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    f = programs.executed(JAX.replace("length=20", "length=2"))["entropies"]
    report = mg.find_nan(f, jax.numpy.array([100.0, 0.0]))
    assert report.kind == "0 * inf" and "adds" not in report.sentence
