"""The calculus: one declaration per op. `from minigrad import ops` also reads as Keras: `ops.exp`, `ops.multiply`.

>>> from minigrad import ops
>>> ops.multiply(2.0, 3.0)
Tensor(6.0, dtype=float32, op=multiply)
"""

from . import numpy_order, shorthand  # NumPy's own spellings find their ops
from .arithmetic import (
    absolute,
    add,
    cbrt,
    divide,
    divmod,
    floor_divide,
    fmod,
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
from .arrange import diag, diag_embed, diagflat, diagonal, flip, meshgrid, pad, repeat, roll, rot90, tile, tril, triu
from .compare import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    ceil,
    clip,
    equal,
    floor,
    fmax,
    fmin,
    greater,
    greater_equal,
    invert,
    isfinite,
    isinf,
    isnan,
    left_shift,
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
    right_shift,
    round,
    select,
    trunc,
    where,
)  # fmt: skip
from .contraction import einsum
from .convolution import avg_pool, conv, conv_transpose, fold, max_pool, windows
from .copies import copy, identity, stop_gradient
from .create import arange, eye, full, full_like, linspace, ones, ones_like, zeros, zeros_like
from .cumulative import cummax, cumprod, cumsum, cumulative_prod, cumulative_sum, diff
from .curves import convolve, correlate, interp, polyval, trapezoid
from .decomposition import cholesky, eigh, eigvalsh, qr, svd, svdvals
from .exponential import (
    erf,
    exp,
    exp2,
    expm1,
    log,
    log1p,
    log2,
    log10,
    log_sigmoid,
    logaddexp,
    logaddexp2,
    sigmoid,
    softplus,
    xlogy,
)  # fmt: skip
from .extreme import logsumexp, max, min, nanmax, nanmin
from .gamma import gammaln, polygamma
from .index import (
    delete,
    embedding,
    getitem,
    index_add,
    index_set,
    insert,
    one_hot,
    put_along_axis,
    scatter_sum,
    take,
    take_along_axis,
)
from .join import array_split, block, concatenate, split, stack, unstack
from .least_squares import condition_number, lstsq, pinv
from .nans import nancumprod, nancumsum, nanmean, nanprod, nanstd, nansum, nanvar
from .neural import (
    dropout,
    elu,
    gelu,
    glu,
    layer_norm,
    leaky_relu,
    log_softmax,
    relu,
    sigmoid_cross_entropy,
    silu,
    softmax,
    softmax_cross_entropy,
)  # fmt: skip
from .norms import all, any, clip_by_norm, euclidean_norm, norm
from .order import argmax, argmin, argsort, searchsorted, sort, top_k
from .products import cross, dot, inner, kron, matmul, matvec, outer, tensordot, trace, vdot, vecdot
from .reduce import mean, prod, product_of_others, std, sum, var
from .shapes import (
    astype,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_to,
    expand_dims,
    moveaxis,
    ravel,
    reshape,
    rollaxis,
    squeeze,
    sum_to,
    swapaxes,
    transpose,
)  # fmt: skip
from .special import erfc, logit, xlog1py
from .statistics import corrcoef, cov, median, nanmedian, nanpercentile, nanquantile, percentile, quantile
from .systems import cofactor, det, inv, inverse_or_inf, logdet, matrix_power, slogdet, solve, triangular_solve
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
