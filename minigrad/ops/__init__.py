"""The calculus: one declaration per op. `from minigrad import ops` also reads as Keras: `ops.exp`, `ops.multiply`.

>>> from minigrad import ops
>>> ops.multiply(2.0, 3.0)
Tensor(6.0, dtype=float32, op=multiply)
"""

from .arithmetic import (
    absolute,
    add,
    clip,
    divide,
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    reciprocal,
    sign,
    square,
    subtract,
    where,
)
from .elementwise import (
    ceil,
    cos,
    exp,
    expm1,
    floor,
    identity,
    isfinite,
    isnan,
    log,
    log1p,
    power,
    relu,
    round,
    rsqrt,
    sigmoid,
    sin,
    softplus,
    sqrt,
    stop_gradient,
    tan,
    tanh,
)
from .index import getitem, index_add, index_set
from .linalg import matmul
from .nn import log_softmax, softmax, softmax_cross_entropy
from .reduce import logsumexp, max, mean, min, sum
from .shape import (
    astype,
    broadcast_to,
    concatenate,
    expand_dims,
    reshape,
    squeeze,
    stack,
    sum_to,
    swapaxes,
    transpose,
)
