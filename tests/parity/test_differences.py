"""Each row of docs/differences.md is measured: one that no longer differs fails."""

import sys

import numpy as np
import pytest

import minigrad as mg
from tests.parity.differences import DIFFERENCES, PROBES
from tests.parity.expressions import ROWS
from tests.parity.peer_calls import CALLS

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

#: What minigrad gives.
TRUE = {
    "second slope of the norm at 0": [0.0, 0.0],
    "slope in b of the slope in a of a**b at b = 0": 0.5,
    "second slope of sinc at 0": -(np.pi**2) / 3,
    "second slope of elu at 0": 1.0,
    "std of two numbers": 0.5,
    "std where a square overflows": np.inf,
    "median of four numbers": 2.5,
    "eigenvalues of a matrix that is not symmetric": np.float32([5 / 2 - 37**0.5 / 2, 5 / 2 + 37**0.5 / 2]),
    "cholesky of a matrix that is not symmetric": np.float32([[2.0, 0.0], [0.5, 4.75**0.5]]),
    "type of a Python float": 4,
    "type of exp of an int32": True,
    "gradient of an unconnected input": True,
}


@pytest.fixture(autouse=True)
def digits_of_jax():
    """The rows take JAX's float64; the tests of other files in this process do not."""
    before = "jax" in sys.modules and sys.modules["jax"].config.jax_enable_x64
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].config.update("jax_enable_x64", before)


def of_minigrad():
    slope = lambda f, x: mg.gradients(f(x), x)[0]
    return {"mg": mg}, lambda a: mg.constant(a, "float64"), slope


def of_numpy():
    return {"np": np}, np.asarray, None


def of_torch():
    torch = pytest.importorskip("torch")
    slope = lambda f, x: torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]
    return {"torch": torch}, lambda a: torch.tensor(a, dtype=torch.float64, requires_grad=True), slope


def of_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    slope = lambda f, x: jax.grad(lambda x: f(x).sum())(x)
    return {"jax": jax, "jnp": jax.numpy}, lambda a: jax.numpy.asarray(a, "float64"), slope


def of_keras():
    return {"keras": pytest.importorskip("keras")}, np.asarray, None


NAMES = {"minigrad": of_minigrad, "numpy": of_numpy, "torch": of_torch, "jax": of_jax, "keras": of_keras}


def measured(expression, framework):
    names, array, slope = NAMES[framework]()
    names["array"] = array
    names["slope"] = lambda f, a: slope(f, array(a))
    names["second"] = lambda f, a: slope(lambda x: slope(f, x), array(a))
    y = eval(expression, names)
    return np.asarray(y.detach() if hasattr(y, "detach") else getattr(y, "value", y))


@pytest.mark.cases(12)
@pytest.mark.parametrize(("case", "framework"), [(c, f) for c, by in PROBES.items() for f in by if f != "minigrad"])
def test_both_differ(case, framework):
    ours, theirs = measured(PROBES[case]["minigrad"], "minigrad"), measured(PROBES[case][framework], framework)
    assert not np.allclose(ours, theirs), f"both give {ours}: the row of docs/differences.md has had its time"
    if case in TRUE:
        np.testing.assert_allclose(ours, TRUE[case], rtol=1e-12 if ours.dtype != np.float32 else 1e-6)


def test_each_row_is_measured_and_each_measurement_has_a_row():
    expressions = {(name, framework) for name, _, _, by in ROWS for framework in by}
    calls = {(f"`{name}({call})`", framework) for framework, name, call in CALLS}
    probes = {(case, framework) for case, by in PROBES.items() for framework in by if framework != "minigrad"}
    assert set(DIFFERENCES) <= expressions | probes | calls
    assert probes <= set(DIFFERENCES)
