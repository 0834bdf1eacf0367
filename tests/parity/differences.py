"""Where minigrad differs on purpose: the rows of docs/differences.md, and measurements for those of them that need one.

A row belongs to a case of `tests.parity.expressions`, or to a case of PROBES.
"""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
FRAMEWORKS = {"TensorFlow": "tensorflow", "JAX": "jax", "Keras": "keras", "PyTorch": "torch", "NumPy": "numpy"}


def rows():
    """(case, framework): whom minigrad follows instead, and why."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {
        (case, FRAMEWORKS[name]): reason
        for case, names, reason in cells
        if case != "case"
        for name in names.split(", ")
    }


DIFFERENCES = rows()

#: By case, an expression for minigrad and one for each framework; each is a number or an array. `slope` is the first
#: slope of a function at a place, and `second` the second.
PROBES = {
    "second slope of the norm at 0": {
        "minigrad": "second(mg.norm, [0.0, 0.0])",
        "torch": "second(torch.linalg.vector_norm, [0.0, 0.0])",
        "jax": "second(jnp.linalg.norm, [0.0, 0.0])",
    },
    "slope in b of the slope in a of a**b at b = 0": {
        "minigrad": "slope(lambda b: slope(lambda a: a**b, 2.0), 0.0)",
        "torch": "slope(lambda b: slope(lambda a: a**b, 2.0), 0.0)",
    },
    "second slope of sinc at 0": {"minigrad": "second(mg.sinc, 0.0)", "torch": "second(torch.sinc, 0.0)"},
    "second slope of elu at 0": {
        "minigrad": "second(mg.elu, 0.0)",
        "torch": "second(torch.nn.functional.elu, 0.0)",
    },
    "std of two numbers": {"minigrad": "mg.std(array([1.0, 2.0]))", "torch": "torch.std(array([1.0, 2.0]))"},
    "std where a square overflows": {
        "minigrad": "mg.std(mg.constant([1e25, 3e25], 'float32'))",
        "torch": "torch.std(torch.tensor([1e25, 3e25]), correction=0)",
    },
    "median of four numbers": {
        "minigrad": "mg.median(array([1.0, 2.0, 3.0, 4.0]))",
        "torch": "torch.median(array([1.0, 2.0, 3.0, 4.0]))",
    },
    "eigenvalues of a triangle": {
        "minigrad": "slope(lambda a: mg.eigvalsh(a, 'L')[0], [[2.0, 1.0], [1.0, 3.0]])",
        "torch": "slope(lambda a: torch.linalg.eigvalsh(a, 'L')[0], [[2.0, 1.0], [1.0, 3.0]])",
    },
    "eigenvalues of a matrix that is not symmetric": {
        "minigrad": "mg.eigvalsh(mg.constant([[2.0, 5.0], [1.0, 3.0]]))",
        "numpy": "np.linalg.eigvalsh([[2.0, 5.0], [1.0, 3.0]])",
        "torch": "torch.linalg.eigvalsh(torch.tensor([[2.0, 5.0], [1.0, 3.0]]))",
    },
    "cholesky of a matrix that is not symmetric": {
        "minigrad": "mg.cholesky(mg.constant([[4.0, 0.0], [2.0, 5.0]]))",
        "numpy": "np.linalg.cholesky([[4.0, 0.0], [2.0, 5.0]])",
        "torch": "torch.linalg.cholesky(torch.tensor([[4.0, 0.0], [2.0, 5.0]]))",
    },
    "type of a Python float": {
        "minigrad": "mg.constant(0.1).dtype.itemsize",
        "numpy": "np.asarray(0.1).dtype.itemsize",
    },
    "type of exp of an int32": {
        "minigrad": "str(mg.exp(mg.constant([1], 'int32')).dtype) == 'float64'",
        "torch": "torch.exp(torch.tensor([1], dtype=torch.int32)).dtype == torch.float64",
        "keras": "keras.backend.standardize_dtype(keras.ops.exp([1]).dtype) == 'float64'",
    },
    "gradient of an unconnected input": {
        "minigrad": "mg.gradients(mg.constant(1.0), mg.constant(2.0))[0] is None",
        "jax": "jax.grad(lambda x: 1.0)(2.0) is None",
    },
}
