"""The calculus: one declaration per op. `from minigrad import ops` also reads as Keras: `ops.exp`, `ops.multiply`.

>>> from minigrad import ops
>>> ops.multiply(2.0, 3.0)
Tensor(6.0, dtype=float32, op=multiply)
"""

from . import shorthand  # NumPy's shorthands find their ops
from .arithmetic import (
    absolute,
    add,
    cbrt,
    divide,
    floor_divide,
    hypot,
    mod,
    multiply,
    negative,
    positive,
    power,
    reciprocal,
    rsqrt,
    sign,
    sqrt,
    square,
    subtract,
)  # fmt: skip
from .arrange import diag, diag_embed, diagonal, flip, meshgrid, pad, repeat, roll, rot90, tile, tril, triu
from .compare import (
    ceil,
    clip,
    equal,
    floor,
    greater,
    greater_equal,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    nan_to_num,
    not_equal,
    round,
    trunc,
    where,
)  # fmt: skip
from .conv import avg_pool, conv, fold, max_pool, windows
from .create import arange, eye, full, full_like, linspace, ones, ones_like, zeros, zeros_like
from .decomposition import cholesky, eigh, eigvalsh, qr, svd, svdvals
from .elementwise import copy, identity, stop_gradient
from .exponential import (
    erf,
    exp,
    exp2,
    expm1,
    gammaln,
    log,
    log1p,
    log2,
    log10,
    log_sigmoid,
    logaddexp,
    polygamma,
    sigmoid,
    softplus,
    xlogy,
)  # fmt: skip
from .index import embedding, getitem, index_add, index_set, one_hot, put_along_axis, take, take_along_axis
from .linalg import cross, dot, einsum, inner, kron, matmul, matvec, outer, tensordot, trace, vdot
from .nn import (
    dropout,
    elu,
    gelu,
    layer_norm,
    leaky_relu,
    log_softmax,
    relu,
    sigmoid_cross_entropy,
    silu,
    softmax,
    softmax_cross_entropy,
)  # fmt: skip
from .norm import all, any, clip_by_norm, euclidean_norm, median, norm
from .order import argmax, argmin, argsort, searchsorted, sort, top_k
from .reduce import logsumexp, max, mean, min, prod, product_of_others, std, sum, var
from .scan import cummax, cumprod, cumsum, diff
from .shape import (
    array_split,
    astype,
    atleast_1d,
    atleast_2d,
    broadcast_to,
    concatenate,
    expand_dims,
    moveaxis,
    ravel,
    reshape,
    split,
    squeeze,
    stack,
    sum_to,
    swapaxes,
    transpose,
    unstack,
)  # fmt: skip
from .systems import cofactor, det, inv, inverse_or_inf, matrix_power, pinv, slogdet, solve, triangular_solve
from .trigonometry import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cos,
    cosh,
    deg2rad,
    rad2deg,
    sin,
    sinc,
    sinh,
    tan,
    tanh,
)  # fmt: skip

__all__ = [name for name, value in list(globals().items()) if callable(value)]
