"""The functions that PyTorch tests with its own samples, as calls of minigrad with PyTorch's arguments.

A call that minigrad has no equal for, because of an option, raises `NoEqual`. Functions that are missing here are taken
from the table of the bridge, and from the names in the declarations of the ops.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import minigrad as mg
from minigrad.bridges.pytorch_ops import TABLE
from minigrad.bridges.rebuilt_program import Differs
from minigrad.core.op import OPS

# A call stays on one line, so that the table can be read as one.
# ruff: noqa: E501

o = SimpleNamespace(**{name: op.call for name, op in OPS.items()})
NoEqual = Differs


def only(condition, option="this option"):
    """Raise unless the call is one that minigrad has."""
    if not condition:
        raise NoEqual(option)


def axes(dim):
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def reduction(name):
    def call(x, dim=None, keepdim=False, dtype=None):
        return getattr(o, name)(x, axes(dim) if dim != [] else None, keepdim)

    return call


def extreme(name):
    def call(x, dim=None, keepdim=False):
        two = isinstance(dim, mg.Tensor)
        return getattr(o, name + "imum")(x, dim) if two else getattr(o, name)(x, dim, keepdim)

    return call


def spread(name, with_mean=False):
    def call(x, dim=None, unbiased=True, keepdim=False, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        dim = axes(dim) or None if dim != 0 else 0
        y = getattr(o, name)(x, dim, keepdim, int(unbiased) if correction is None else correction)
        return (y, o.mean(x, dim, keepdim)) if with_mean else y

    return call


def sizes(n, count):
    """One number for each of `count` axes."""
    n = [n] if isinstance(n, int) else list(n)
    return tuple(n * count if len(n) == 1 else n)


def with_channels_last(call, x, count):
    """Call for a batch whose channels come last, on one whose channels come first, or on a single image."""
    single = x.ndim == count + 1
    y = o.moveaxis(call(o.moveaxis(x[None] if single else x, 1, -1)), -1, 1)
    return y[0] if single else y


def framed(x, padding, count):
    return o.pad(x, [(0, 0), *((n, n) for n in sizes(padding, count)), (0, 0)])


def convolution(count):
    def call(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        only(groups == 1, "groups")
        kernel = o.transpose(weight, (*range(2, 2 + count), 1, 0))
        how = padding if isinstance(padding, str) else "valid"

        def last(x):
            x = x if isinstance(padding, str) else framed(x, padding, count)
            y = o.conv(x, kernel, sizes(stride, count), how, sizes(dilation, count))
            return y if bias is None else y + bias

        return with_channels_last(last, x, count)

    return call


def pooling(name, count):
    def call(x, kernel_size, stride=None, padding=0, *rest, **options):
        plain = {"dilation": 1, "ceil_mode": False, "return_indices": False}
        plain |= {"count_include_pad": True, "divisor_override": None}
        only(not rest and all(set(np.ravel(v)) == {plain[k]} for k, v in options.items()))
        only(name == "avg_pool" or not any(sizes(padding, count)), "padding with -inf")
        steps = sizes(stride, count) if stride else None
        return with_channels_last(
            lambda x: getattr(o, name)(framed(x, padding, count), sizes(kernel_size, count), steps), x, count
        )

    return call


def pad(x, pad, mode="constant", value=0):
    only(min(pad) >= 0, "negative widths")
    widths = [(0, 0)] * (x.ndim - len(pad) // 2) + list(zip(pad[::2], pad[1::2]))[::-1]
    if mode == "constant":
        return o.pad(x, widths, "constant", value or 0)
    return o.pad(x, widths, {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode])


def norm(x, p="fro", dim=None, keepdim=False, dtype=None):
    if dim is None and p != "nuc":
        y = o.norm(o.reshape(x, (-1,)), None if p == "fro" else p)
        return o.reshape(y, (1,) * x.ndim) if keepdim else y
    dim = axes(dim)
    only(dim != (), "no axis")
    several = isinstance(dim, tuple) and len(dim) > 1
    only(p in ("fro", "nuc", None) or not several, "a vector norm over several axes")
    if p == "nuc":
        return o.norm(x, p, dim, keepdim)
    return o.norm(x, p if p != "fro" else None, dim if several or not isinstance(dim, tuple) else dim[0], keepdim)


def linalg_norm(x, ord=None, dim=None, keepdim=False, dtype=None):
    return o.norm(x, ord, axes(dim), keepdim)


def split(x, split_size_or_sections, dim=0):
    n = split_size_or_sections
    return o.split(x, list(range(n, x.shape[dim], n)) if isinstance(n, int) else list(np.cumsum(n)[:-1]), dim)


def tensor_split(x, indices_or_sections, dim=0):
    n = indices_or_sections
    return o.array_split(x, n if isinstance(n, int) else np.asarray(n).tolist(), dim)


def along(x, dim, index):
    only(x.ndim > 0, "an index into a number")
    return (slice(None),) * (dim % x.ndim) + (np.atleast_1d(index),)


def triangular(a, b, upper=False, left=True, unitriangular=False):
    only(left and not unitriangular)
    return o.triangular_solve(a, b, not upper)


def quantiles(name):
    def call(x, q, dim=None, keepdim=False, interpolation="linear"):
        return getattr(o, name)(x, q, dim, method=interpolation, keepdims=keepdim)

    return call


def svd(a, full_matrices=True, driver=None):
    """The values, and the vectors up to their signs, without those that the matrix does not determine."""
    u, s, vt = o.svd(a, False)
    return o.absolute(u), s, o.absolute(vt)


def qr(a, some=True, mode="reduced"):
    only(some and mode == "reduced", "qr with a square Q")
    return o.qr(a)


def eigh(a, UPLO="L"):
    only(UPLO == "L", "the upper triangle of a matrix that is not symmetric")
    w, v = o.eigh(a)
    return w, o.absolute(v)


def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5):
    return o.layer_norm(x, weight, bias, tuple(range(-len(normalized_shape), 0)), eps)


def quotient(a, b, rounding_mode=None):
    return {None: o.divide, "floor": o.floor_divide, "trunc": lambda a, b: o.trunc(a / b)}[rounding_mode](a, b)


def by_name(*names):
    return {name: getattr(o, name) for name in names}


CALLS = {
    **by_name("hypot", "inner", "kron", "logdet", "matmul", "outer", "tril", "triu", "vdot", "fmod", "fmax", "fmin"),
    # Elements.
    "add": lambda a, b, alpha=1: a + alpha * b, "sub": lambda a, b, alpha=1: a - alpha * b,
    "rsub": lambda a, b, alpha=1: b - alpha * a, "__radd__": lambda a, b: b + a, "__rsub__": lambda a, b: b - a,
    "__rmul__": lambda a, b: b * a, "__rdiv__": lambda a, b: b / a, "__rpow__": lambda a, b: b**a, "__rmod__": lambda a, b: b % a,
    "div": quotient, "true_divide": quotient, "pow": lambda a, b: a**b, "float_power": lambda a, b: a**b, "clamp_min": o.maximum, "clamp_max": o.minimum,
    "remainder": o.mod, "clamp": lambda x, min=None, max=None: o.clip(x, min, max), "round": lambda x, decimals=0: o.round(x, decimals),
    "addcmul": lambda a, b, c, value=1: a + value * b * c, "addcdiv": lambda a, b, c, value=1: a + value * b / c,
    "lerp": lambda a, b, weight: a + weight * (b - a), "logit": lambda x, eps=None: (only(eps is None), o.logit(x))[1],
    "nan_to_num": lambda x, nan=None, posinf=None, neginf=None: o.nan_to_num(x, nan or 0.0, posinf, neginf),
    "polygamma": lambda x, n: o.polygamma(n, x), "special.polygamma": lambda x, n: o.polygamma(n, x), "digamma": lambda x: o.polygamma(0, x),
    "special.entr": lambda x: -1.0 * o.xlogy(x, x), "where": lambda a, condition, b: o.where(condition, a, b), "clone": o.copy,
    # Reductions and sums along the way.
    **{name: reduction(name) for name in ("sum", "mean", "prod", "nansum", "nanmean", "all", "any", "argmax", "argmin")},
    "amax": reduction("max"), "amin": reduction("min"), "max": extreme("max"), "min": extreme("min"),
    "std": spread("std"), "var": spread("var"), "std_mean": spread("std", True), "var_mean": spread("var", True),
    "logsumexp": lambda x, dim, keepdim=False: (only(x.ndim), o.logsumexp(x, axes(dim), keepdim))[1],
    "cumsum": lambda x, dim, dtype=None: o.reshape(o.cumsum(x, dim), x.shape), "cumprod": lambda x, dim, dtype=None: o.reshape(o.cumprod(x, dim), x.shape),
    "cummax": lambda x, dim: (only(x.ndim), o.cummax(x, dim))[1], "diff": lambda x, n=1, dim=-1, prepend=None, append=None: o.diff(x, n, dim, prepend, append),
    "trapezoid": lambda y, x=None, dx=1.0, dim=-1: o.trapezoid(y, x, dx, dim), "trapz": lambda y, x=None, dx=1.0, dim=-1: o.trapezoid(y, x, dx, dim),
    "quantile": quantiles("quantile"), "nanquantile": quantiles("nanquantile"), "corrcoef": o.corrcoef,
    "cov": lambda x, correction=1, fweights=None, aweights=None: (only(aweights is None, "weights of float32"), o.cov(x, ddof=correction, fweights=fweights))[1],
    "norm": norm, "linalg.norm": linalg_norm, "linalg.vector_norm": lambda x, ord=2, dim=None, keepdim=False, dtype=None: norm(x, ord, dim, keepdim),
    "linalg.matrix_norm": lambda x, ord="fro", dim=(-2, -1), keepdim=False, dtype=None: o.norm(x, ord, axes(dim), keepdim),
    "dist": lambda a, b, p=2: norm(a - b, p), "sum_to_size": lambda x, *shape: o.sum_to(x, axes(shape[0]) if shape and not isinstance(shape[0], int) else shape),
    # Shapes.
    "broadcast_tensors": o.broadcast_arrays, "meshgrid": lambda *x, indexing="ij": o.meshgrid(*(x[0] if isinstance(x[0], (list, tuple)) else x), indexing=indexing),
    "reshape": o.reshape, "reshape_as": lambda x, y: o.reshape(x, y.shape), "view_as": lambda x, y: o.reshape(x, y.shape),
    "view": lambda x, *shape: o.reshape(x, shape if isinstance(shape[0], int) else shape[0]), "flatten": lambda x, start_dim=0, end_dim=-1: (only(x.ndim), TABLE["flatten"](x, start_dim, end_dim))[1],
    "squeeze": lambda x, dim=None: (only(dim is None or (x.ndim and all(x.shape[i] == 1 for i in np.atleast_1d(dim))), "axes that are longer"), o.squeeze(x, axes(dim)))[1],
    "unsqueeze": o.expand_dims, "permute": lambda x, dims: o.transpose(x, axes(dims)), "transpose": lambda x, a, b: (only(x.ndim), o.swapaxes(x, a, b))[1],
    "movedim": o.moveaxis, "T": o.transpose, "t": o.transpose, "mT": lambda x: o.swapaxes(x, -1, -2), "flip": lambda x, dims: o.flip(x, axes(dims)),
    "roll": lambda x, shifts, dims=None: o.roll(x, shifts, dims), "rot90": lambda x, k=1, dims=(0, 1): o.rot90(x, k, axes(dims)),
    "cat": lambda xs, dim=0: (only(all(x.ndim == xs[1 % len(xs)].ndim for x in xs), "an empty vector among matrices"), o.concatenate(xs, dim))[1], "stack": o.stack, "hstack": mg.ops.hstack, "vstack": mg.ops.vstack,
    "unbind": lambda x, dim=0: o.unstack(x, None, dim), "split": split, "split_with_sizes": split, "unsafe_split": split, "tensor_split": tensor_split,
    "chunk": lambda x, n, dim=0: split(x, -(-x.shape[dim] // n) or 1, dim), "repeat": lambda x, *n: o.tile(x, n if isinstance(n[0], int) else axes(n[0])), "tile": o.tile,
    "repeat_interleave": lambda x, repeats, dim=None, output_size=None: o.repeat(x, repeats, dim), "nn.functional.pad": pad, "constant_pad_nd": lambda x, widths, value=0: pad(x, widths, value=value),
    "diag": o.diag, "diagflat": lambda x, offset=0: o.diagflat(x, offset), "diagonal": lambda x, offset=0, dim1=0, dim2=1: o.diagonal(x, offset, dim1, dim2),
    "linalg.diagonal": lambda x, offset=0, dim1=-2, dim2=-1: o.diagonal(x, offset, dim1, dim2),
    "diag_embed": lambda x, offset=0, dim1=-2, dim2=-1: (only((dim1, dim2) == (-2, -1)), o.diag_embed(x, offset))[1],
    # Places.
    "gather": lambda x, dim, index, sparse_grad=False: (only(x.ndim == index.ndim > 0), o.take_along_axis(x, index, dim))[1],
    "take_along_dim": lambda x, index, dim=None: (only(dim is not None), o.take_along_axis(x, index, dim))[1], "take": o.take,
    "index_add": lambda x, dim, index, source, alpha=1: o.index_add(x, along(x, dim, index), alpha * source),
    "index_copy": lambda x, dim, index, source: o.index_set(x, along(x, dim, index), source),
    "index_fill": lambda x, dim, index, value: o.index_set(x, along(x, dim, index), value), "index_select": lambda x, dim, index: (only(x.ndim), o.take(x, np.atleast_1d(index), dim))[1],
    "index_put": lambda x, key, value, accumulate=False: (o.index_add if accumulate else o.index_set)(x, tuple(key), value),
    "__getitem__": lambda x, key: o.getitem(x, key), "select": lambda x, dim, i: o.take(x, i, dim), "masked_fill": TABLE["masked_fill"],
    "masked_select": lambda x, mask: (lambda shape: o.broadcast_to(x, shape)[np.broadcast_to(mask, shape)])(np.broadcast_shapes(x.shape, mask.shape)),
    "topk": lambda x, k, dim=-1, largest=True, sorted=True: (only(largest and x.ndim and dim in (-1, x.ndim - 1)), o.top_k(x, k, sorted))[1],
    "sort": lambda x, dim=-1, descending=False, stable=False: (only(not descending and x.ndim), o.sort(x, dim))[1], "msort": lambda x: o.sort(x, 0),
    # Matrices.
    "mv": o.matvec, "mm": o.matmul, "bmm": o.matmul, "__rmatmul__": lambda a, b: b @ a, "tensordot": lambda a, b, dims=2: (only(a.shape != (1, 1, 1)), o.tensordot(a, b, dims))[1],
    "addmm": lambda c, a, b, beta=1, alpha=1: beta * c + alpha * (a @ b), "addmv": lambda c, a, b, beta=1, alpha=1: beta * c + alpha * (a @ b),
    "baddbmm": lambda c, a, b, beta=1, alpha=1: beta * c + alpha * (a @ b), "addr": lambda c, a, b, beta=1, alpha=1: beta * c + alpha * o.outer(a, b),
    "einsum": lambda operands, equation: o.einsum(equation, *operands), "cross": lambda a, b, dim=-1: o.cross(a, b, axis=dim), "linalg.cross": lambda a, b, dim=-1: o.cross(a, b, axis=dim),
    "linalg.vecdot": lambda a, b, dim=-1: o.vecdot(a, b, dim), "linalg.det": o.det, "linalg.slogdet": o.slogdet, "linalg.inv": o.inv,
    "linalg.solve": lambda a, b, left=True: (only(left and (b.ndim == 1 or b.ndim == a.ndim)), o.solve(a, b))[1], "linalg.solve_triangular": triangular,
    "cholesky": lambda a, upper=False: o.swapaxes(o.cholesky(a), -1, -2) if upper else o.cholesky(a), "linalg.matrix_power": o.matrix_power, "matrix_power": o.matrix_power,
    "linalg.cholesky": lambda a, upper=False: o.swapaxes(o.cholesky(a), -1, -2) if upper else o.cholesky(a), "qr": qr, "linalg.qr": qr,
    "linalg.svd": svd, "linalg.svdvals": lambda a, driver=None: o.svdvals(a), "linalg.eigh": eigh, "linalg.eigvalsh": lambda a, UPLO="L": eigh(a, UPLO)[0],
    "pinverse": lambda a, rcond=1e-15: o.pinv(a), "linalg.cond": o.condition_number,
    # Networks.
    **{f"nn.functional.conv{n}d": convolution(n) for n in (1, 2, 3)}, **{f"nn.functional.avg_pool{n}d": pooling("avg_pool", n) for n in (1, 2, 3)},
    **{f"nn.functional.max_pool{n}d": pooling("max_pool", n) for n in (1, 2, 3)},
    "nn.functional.layer_norm": layer_norm, "nn.functional.linear": lambda x, w, bias=None: TABLE["linear"](x, w, bias),
    "nn.functional.relu": lambda x, inplace=False: o.relu(x), "nn.functional.relu6": lambda x, inplace=False: mg.ops.relu6(x), "nn.functional.selu": lambda x, inplace=False: mg.ops.selu(x),
    "nn.functional.silu": lambda x, inplace=False: o.silu(x), "nn.functional.softsign": mg.ops.softsign, "nn.functional.logsigmoid": o.log_sigmoid, "nn.functional.tanhshrink": TABLE["tanhshrink"],
    "nn.functional.leaky_relu": lambda x, negative_slope=0.01, inplace=False: o.leaky_relu(x, negative_slope), "nn.functional.elu": lambda x, alpha=1.0, inplace=False: o.elu(x, alpha),
    "nn.functional.prelu": lambda x, weight: (only(x.ndim > 0), o.leaky_relu(x, o.reshape(weight, (-1,) + (1,) * max(0, x.ndim - 2))))[1],
    "nn.functional.gelu": lambda x, approximate="none": o.gelu(x, approximate == "tanh"), "nn.functional.glu": lambda x, dim=-1: o.glu(x, dim),
    "nn.functional.softplus": lambda x, beta=1, threshold=20: (only(threshold == 20, "a threshold"), o.softplus(beta * x) / beta)[1],
    "softmax": lambda x, dim, dtype=None: o.softmax(x, dim), "log_softmax": lambda x, dim, dtype=None: o.log_softmax(x, dim),
    "nn.functional.softmin": lambda x, dim, dtype=None: o.softmax(-x, dim), "nn.functional.cosine_similarity": lambda a, b, dim=1, eps=1e-8: (only(a.shape == b.shape), TABLE["cosine_similarity"](a, b, dim, eps))[1],
    "nn.functional.normalize": lambda x, p=2.0, dim=1, eps=1e-12: x / o.maximum(norm(x, p, dim, True), eps),
    "nn.functional.cross_entropy": TABLE["cross_entropy"], "nn.functional.mse_loss": TABLE["mse_loss"], "nn.functional.l1_loss": TABLE["l1_loss"],
    "nn.functional.binary_cross_entropy_with_logits": lambda x, t, weight=None, reduction="mean", pos_weight=None: (only(weight is None is pos_weight), (lambda y: y if reduction == "none" else getattr(o, reduction)(y))(o.sigmoid_cross_entropy(x, t)))[1],
    "nn.functional.nll_loss": lambda x, t, weight=None, ignore_index=-100, reduction="mean": (only(weight is None and ignore_index < 0), TABLE["nll_loss"](x, t, reduction=reduction))[1],
}  # fmt: skip

#: Functions that draw at random, create an input, or compute only with integers.
LEFT_OUT = set(
    """item arange bitwise_not bitwise_left_shift bitwise_right_shift bitwise_and bitwise_or bitwise_xor equal linspace
    median nanmedian nn.functional.dropout nn.functional.alpha_dropout nn.functional.one_hot nn.functional.embedding
    nn.functional.unfold unfold slice fill full_like zeros_like ones_like full zeros ones eye to scatter searchsorted
    argsort svd triangular_solve linalg.pinv linalg.lstsq atleast_1d atleast_2d atleast_3d nn.functional.conv_transpose2d
    nn.functional.conv_transpose1d nn.functional.conv_transpose3d gradient""".split()  # noqa: SIM905
)  # fmt: skip


def call_of(name):
    """The call of minigrad for a function of PyTorch, None if there is none."""
    if name in LEFT_OUT or name.startswith(("masked.", "signal.")):
        return None
    short = name.rpartition(".")[2]
    own = [op.call for op in OPS.values() if op.facts.names.get("torch", "").rpartition(".")[2] == short]
    return CALLS.get(name) or TABLE.get(name) or next(iter(own), None) or getattr(o, name, None)
