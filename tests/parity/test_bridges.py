"""Programs of PyTorch, JAX and TensorFlow: the op and the reason of a nan, and each offered edit, which is executed."""

import functools
import importlib.util

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
PACKAGES = {"pytorch": "torch", "jax": "jax", "tensorflow": "tensorflow"}
HERE = [name for name, package in PACKAGES.items() if importlib.util.find_spec(package)]


@functools.cache
def done(name):
    return [programs.run(row) for row in programs.read(name)]


def slopes_in_pytorch(f, args, dtype):
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64 if dtype else torch.float32)
    if isinstance(f, torch.nn.Module):
        f = f.to(torch.get_default_dtype())
    try:
        for module in [m for m in getattr(f, "__globals__", {}).values() if isinstance(m, torch.nn.Module)]:
            module.to(torch.get_default_dtype())
        made = [torch.as_tensor(np.asarray(a), dtype=torch.get_default_dtype()) for a in args]
        made = [a.detach().clone().requires_grad_() for a in made]
        y = f(*made)
        found = torch.autograd.grad(y, made, torch.ones_like(y), allow_unused=True)
        return y.detach().numpy(), [np.zeros(x.shape) if g is None else g.numpy() for x, g in zip(made, found)]
    finally:
        torch.set_default_dtype(before)


def slopes_in_jax(f, args, dtype):
    import jax
    import jax.numpy as jnp

    from minigrad.bridges.jax import wide

    with wide(dtype is not None):
        made = [jnp.asarray(np.asarray(a), dtype or jnp.float32) for a in args]
        y, vjp = jax.vjp(f, *made)
        return np.asarray(y), [np.asarray(g) for g in vjp(jnp.ones_like(y))]


def slopes_in_tensorflow(f, args, dtype):
    import tensorflow as tf

    made = [tf.constant(np.asarray(a), tf.float32) for a in args]  # as the variables of a program are
    with tf.GradientTape() as tape:
        tape.watch(made)
        y = f(*made)
    found = tape.gradient(y, made)
    return y.numpy(), [np.zeros(x.shape) if g is None else g.numpy() for x, g in zip(made, found)]


SLOPES = {"pytorch": slopes_in_pytorch, "jax": slopes_in_jax, "tensorflow": slopes_in_tensorflow}


@pytest.mark.parametrize("name", HERE)
def test_all_adjoints_are_equal_or_it_is_told(name):
    for run in done(name):
        assert bool(run.program.wrong) == bool(run.program.caveat()), run.row.name
    different = [run.row.name for run in done(name) if run.program.wrong]
    assert different == []


@pytest.mark.parametrize("name", HERE)
def test_each_program_has_a_nan_and_the_op_and_the_reason_are_right(name):
    runs = done(name)
    assert [run.row.name for run in runs if not run.report] == []
    for right in (programs.says_the_op, programs.says_the_reason):
        missed = [run.row.name for run in runs if not right(run)]
        assert len(missed) <= 0.05 * len(runs), missed


@pytest.mark.parametrize("name", HERE)
def test_each_offered_edit_runs_in_the_framework_and_is_right(name):
    wrong, offered = {}, 0
    for run in done(name):
        if run.report.repair.edits:
            offered += 1
            try:
                why = programs.wrong_edit(run, SLOPES[name])
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
            if why:
                wrong[run.row.name] = why
    assert wrong == {}
    assert offered >= 0.6 * len(done(name))


def test_without_the_run_in_the_framework_some_offers_would_be_wrong(monkeypatch):
    """minigrad's conventions differ from others, such as the slope of x log x at 0: this run tests them."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.setattr("minigrad.bridges.rebuilt_program.ForeignProgram.holds", lambda self, new, inputs: True)
    rows = [row for row in programs.read("pytorch") if row.name in ("entropy", "kl_divergence", "kl_of_logs")]
    runs = [programs.run(row) for row in rows]
    assert all("not finite" in programs.wrong_edit(run, slopes_in_pytorch) for run in runs)


def test_one_function_in_four_frameworks_is_drawn_as_lanes():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
    functions = [
        lambda x: mg.norm(x), lambda x: torch.linalg.vector_norm(x), lambda x: jax.numpy.linalg.norm(x),
        tf.function(lambda x: tf.norm(x)),
    ]  # fmt: skip
    view = viz.compare(*functions, np.float32([0.0, 0.0]))
    assert view.labels == ("minigrad", "PyTorch", "JAX", "TensorFlow")
    assert view.point == (
        "The value is 0 in all; the gradient of x is [0 0] in minigrad and PyTorch, [nan nan] in JAX and TensorFlow."
    )
    assert all(view.to_svg().count(name) for name in view.labels)
