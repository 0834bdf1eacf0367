"""The op of minigrad that a framework's op is, by the framework's name for it."""

from __future__ import annotations

from ..core.op import OPS, Op

#: Elementwise ops that JAX or TensorFlow records under a name of its own.
PRIMITIVES = {"mul": "multiply", "sub": "subtract", "div": "divide", "add_any": "add", "logistic": "sigmoid",
              "atan2": "arctan2", "lgamma": "gammaln", "pow": "power", "acos": "arccos", "asin": "arcsin"}  # fmt: skip
#: Functions of one number for which minigrad has no op.
FUNCTIONS = {"digamma", "erf_inv", "erfinv", "ndtri", "sqrtgrad"}

#: Ops that add up products of the elements of two arrays.
PRODUCTS = {"matmul", "dot", "vdot", "inner", "tensordot", "einsum", "bmm", "linear", "bilinear", "dot_general",
            "conv1d", "conv2d", "conv3d", "conv_general_dilated"}  # fmt: skip


def op_named(name: str) -> Op | None:
    """Return the op of minigrad that a framework's op is, by its name, or None."""
    return OPS.get(PRIMITIVES.get(name.lower(), name.lower()))


def is_elementwise(name: str) -> bool:
    """Return whether an op of a framework computes each element from the elements at the same place."""
    op = op_named(name)
    return name.lower() in FUNCTIONS or (op is not None and op.elementwise)
