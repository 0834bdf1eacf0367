"""All ops, under minigrad's names and under Keras's: `ops.exp`, `ops.multiply`.

>>> from minigrad import ops
>>> ops.multiply(2.0, 3.0)
Tensor(6.0, dtype=float32, op=multiply)

Each op is declared once, in one of the files in this folder. The declaration makes the op's name available here and in
`minigrad`, and is all that the pictures and the tests need. `declare` explains the fields of a declaration; read
`arithmetic` and `shapes` after it. `python -m minigrad.ops` lists all ops by file.
"""

import typing as _typing

from ..core.op import OPS as _OPS
from . import (
    arithmetic,
    arrange,
    axes,
    choose,
    comparison,
    contraction,
    convolution,
    create,
    cumulative,
    decomposition,
    exponential,
    extreme,
    identities,
    index,
    join,
    least_squares,
    logits,
    nans,
    neural,
    norms,
    numpy_linalg,
    numpy_methods,
    numpy_order,
    one_dimensional,
    padding,
    products,
    reduce,
    shapes,
    shorthand,
    sigmoid_and_tanh,
    sorting,
    special_functions,
    statistics,
    systems,
    trigonometry,
)
from .create import arange, eye, full, ones, zeros  # functions that return constants, not ops

globals().update({op.name: op.call for op in _OPS.values()})

__all__ = ["arange", "eye", "full", "ones", "zeros", *_OPS]

if _typing.TYPE_CHECKING:
    from .names import *  # type: ignore[assignment]  # Keras's eye names its arguments N and M
