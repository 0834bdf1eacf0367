"""The calculus: one declaration per op. `from minigrad import ops` also reads as Keras: `ops.exp`, `ops.multiply`.

>>> from minigrad import ops
>>> ops.multiply(2.0, 3.0)
Tensor(6.0, dtype=float32, op=multiply)
"""

from ..op import OPS as _OPS
from . import (
    arithmetic,
    arrange,
    compare,
    conv,
    create,
    decomposition,
    elementwise,
    exponential,
    index,
    linalg,
    nn,
    norm,
    order,
    reduce,
    scan,
    shape,
    trigonometry,
)
from .create import arange, eye, full, ones, zeros
from .shape import unstack

globals().update({name: op.call for name, op in _OPS.items()})
