"""Random calls to ops: shapes with axes of length 0 and 1, dtypes, options in any place and as any kind of value.

`CALLS` has a generator for each op that NumPy has as well, and for some others a NumPy function that computes the same.
"""

import math
from dataclasses import dataclass, field

import numpy as np

import minigrad as mg
from minigrad import ops
from minigrad.core.op import OPS

DTYPES = ["float64"] * 6 + ["float32", "float16", "int64", "bool"]


@dataclass
class Call:
    """A call to the op `name`: its operands, and its options by name in their order; None in the order: by keyword."""

    name: str
    operands: list
    options: dict = field(default_factory=dict)
    reference: object = None
    many: bool = False  # whether the operands are one sequence
    hard: bool = False  # whether a small step may cross a jump of the function

    def __str__(self):
        shapes = ", ".join(f"{np.asarray(a).dtype}{np.shape(a)}" for a in self.operands)
        return f"{self.name}({shapes}; {', '.join(f'{k}={v!r}' for k, v in self.options.items())})"


def shape(rng, low=0, high=3):
    return tuple(
        int(rng.choice([0, 1, 2, 3, 4], p=[0.07, 0.2, 0.3, 0.3, 0.13])) for _ in range(rng.integers(low, high + 1))
    )


def array(rng, size, dtype="float64", low=-2.0, high=2.0):
    values = rng.uniform(low, high, size)
    return (
        (values > 0.3)
        if dtype == "bool"
        else np.asarray(np.round(values * 3) if dtype == "int64" else values).astype(dtype)
    )


def some_dtype(rng):
    return str(rng.choice(DTYPES))


def an_axis(rng, ndim, several=True, none=True):
    """An axis, sometimes one that does not exist."""
    kind = rng.random()
    if none and kind < 0.2:
        return None
    if several and kind < 0.4 and ndim:
        return tuple(
            int(a) - int(rng.random() < 0.3) * ndim for a in rng.permutation(ndim)[: rng.integers(0, ndim + 1)]
        )
    if kind < 0.43:
        return ndim + 1
    return int(rng.integers(-ndim, ndim)) if ndim else -1


def maybe(rng, options, name, value, p=0.4):
    if rng.random() < p:
        options[name] = value() if callable(value) else value


UNARY = {
    "exp": (-2, 2), "expm1": (-2, 2), "exp2": (-2, 2), "log": (0.2, 3), "log1p": (-0.7, 3), "log2": (0.2, 3),
    "log10": (0.2, 3), "negative": (-2, 2), "positive": (-2, 2), "square": (-2, 2), "sqrt": (0.2, 3), "cbrt": (0.2, 3),
    "absolute": (-2, 2), "sign": (-2, 2), "sin": (-2, 2), "cos": (-2, 2), "tan": (-1, 1), "arcsin": (-0.8, 0.8),
    "arccos": (-0.8, 0.8), "arctan": (-2, 2), "sinh": (-2, 2), "cosh": (-2, 2), "tanh": (-2, 2), "arcsinh": (-2, 2),
    "arccosh": (1.2, 3), "arctanh": (-0.8, 0.8), "sinc": (-2, 2), "deg2rad": (-2, 2), "rad2deg": (-2, 2),
    "reciprocal": (0.3, 2), "floor": (-2, 2), "ceil": (-2, 2), "trunc": (-2, 2), "isnan": (-2, 2), "isinf": (-2, 2),
    "isfinite": (-2, 2), "logical_not": (-2, 2), "copy": (-2, 2), "atleast_1d": (-2, 2), "atleast_2d": (-2, 2),
    "atleast_3d": (-2, 2), "zeros_like": (-2, 2), "ones_like": (-2, 2),
}  # fmt: skip
BINARY = [
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "logaddexp", "logaddexp2", "hypot",
    "arctan2", "power", "mod", "fmod", "floor_divide", "equal", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "logical_and", "logical_or", "logical_xor",
]  # fmt: skip
REDUCTIONS = ["sum", "prod", "mean", "var", "std", "max", "min", "any", "all", "nansum", "nanprod", "nanmean", "nanvar",
              "nanstd", "nanmax", "nanmin", "argmax", "argmin", "median", "nanmedian", "logsumexp"]  # fmt: skip


def unary(rng, name):
    low, high = UNARY[name]
    dtype = some_dtype(rng) if name != "reciprocal" else "float64"  # NumPy's is 0 for most integers
    return Call(name, [array(rng, shape(rng), dtype, low, high)], hard=name == "sign")


def binary(rng, name):
    full = shape(rng)
    part = full[rng.integers(0, len(full) + 1) :]
    part = tuple(1 if rng.random() < 0.3 else n for n in part)
    low = 0.4 if name in ("power", "mod", "fmod", "divide", "floor_divide") else -2.0
    pair = [array(rng, full, some_dtype(rng), low), array(rng, part, some_dtype(rng), low)]
    if rng.random() < 0.5:
        pair.reverse()
    return Call(name, pair, hard=name in ("mod", "fmod"))


def reduction(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    o = {}
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=name not in ("argmax", "argmin")), 0.8)
    maybe(rng, o, "keepdims", lambda: bool(rng.random() < 0.5))
    if name.endswith(("var", "std")):
        maybe(rng, o, "ddof", lambda: int(rng.integers(0, 2)))
    can = name not in ("argmax", "argmin", "median", "nanmedian", "logsumexp")
    if can and name not in ("any", "all", "nansum", "nanprod", "nanmean", "nanvar", "nanstd", "mean", "var", "std"):
        maybe(rng, o, "initial", 0.75 if x.dtype.kind == "f" else 1)
    if can and rng.random() < 0.3:
        o["where"] = rng.random(x.shape) < 0.7
        if name in ("max", "min", "nanmax", "nanmin"):
            o.setdefault("initial", 0.75 if x.dtype.kind == "f" else 1)
    reference = None
    if name == "logsumexp":
        reference = lambda x, **o: np.log(np.sum(np.exp(x if x.dtype.kind == "f" else x.astype(float)), **o))
    return Call(name, [x], o, reference)


def cumulative(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    o = {}
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False), 0.8)
    return Call(name, [x], o)


def diff(rng, name):
    x = array(rng, shape(rng, 1), some_dtype(rng))
    o = {}
    maybe(rng, o, "n", lambda: int(rng.integers(0, 3)))
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False, none=False))
    maybe(rng, o, "prepend", 1)
    maybe(rng, o, "append", 2)
    return Call(name, [x], o)


def _clipped(x, low=None, high=None):
    return x if low is None and high is None else np.clip(x, low, high)


def clip(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    kind = float if x.dtype.kind == "f" else int
    o = {}
    maybe(rng, o, "low", lambda: kind(rng.integers(-2, 2)), 0.7)
    maybe(rng, o, "high", lambda: kind(rng.integers(-2, 2)), 0.7)
    return Call(name, [x], o, _clipped)


def where(rng, name):
    full = shape(rng)
    part = tuple(1 if rng.random() < 0.3 else n for n in full)
    return Call(name, [rng.random(full) < 0.5, array(rng, part, some_dtype(rng)), array(rng, full, some_dtype(rng))])


def nan_to_num(rng, name):
    x = array(rng, shape(rng), str(rng.choice(["float64", "float32", "float16", "int64"])))
    if x.dtype.kind == "f" and x.size:
        x = np.where(rng.random(x.shape) < 0.5, rng.choice(np.array([np.nan, np.inf, -np.inf], x.dtype), x.shape), x)
    o = {}
    for option, value in (("nan", 0.5), ("posinf", 1.5), ("neginf", -1.5)):
        maybe(rng, o, option, value)
    return Call(name, [x], o, hard=True)


def reshape(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    shapes = [(-1,), (1, *x.shape), x.shape[::-1], (math.prod(x.shape), 1), (2, -1)]
    o = {"shape": shapes[rng.integers(len(shapes))]}
    maybe(rng, o, "order", lambda: str(rng.choice(["C", "F"])))
    return Call(name, [x], o)


def transpose(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    o = {}
    maybe(rng, o, "axes", lambda: tuple(int(i) for i in rng.permutation(x.ndim)), 0.7)
    return Call(name, [x], o)


def two_axes(rng, name):
    x = array(rng, shape(rng, 1), some_dtype(rng))
    names = ("axis1", "axis2") if name == "swapaxes" else ("source", "destination")
    return Call(name, [x], {n: an_axis(rng, x.ndim, several=False, none=False) for n in names})


def with_axis(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    o = {}
    if name == "squeeze" or name == "flip":
        maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim), 0.6)
    elif name == "sort":
        maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False), 0.6)
    else:
        o["axis"] = an_axis(rng, x.ndim, none=False)
    return Call(name, [x], o)


def roll(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    o = {"shift": int(rng.integers(-4, 5))}
    if rng.random() < 0.3 and x.ndim > 1:
        o = {"shift": (1, -2), "axis": (0, -1)}
    else:
        maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False))
    return Call(name, [x], o)


def rot90(rng, name):
    x = array(rng, shape(rng, 2), some_dtype(rng))
    o = {}
    maybe(rng, o, "k", lambda: int(rng.integers(-3, 6)))
    maybe(rng, o, "axes", (1, 0))
    return Call(name, [x], o)


def triangle(rng, name):
    x = array(rng, shape(rng, 1), some_dtype(rng))
    o = {}
    maybe(rng, o, "k", lambda: int(rng.integers(-3, 4)))
    return Call(name, [x], o)


def tile(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    return Call(name, [x], {"reps": [2, 0, (2, 1), (1, 3, 2), 1][rng.integers(5)]})


def repeat(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    o = {"repeats": int(rng.integers(0, 4))}
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False))
    return Call(name, [x], o)


def pad(rng, name):
    x = array(rng, shape(rng), str(rng.choice(["float64", "float64", "float32", "int64"])))
    widths = [1, 2, (1, 2), (0, 3), 0, tuple((int(rng.integers(0, 3)), int(rng.integers(0, 3))) for _ in x.shape)]
    o = {"pad_width": widths[rng.integers(len(widths))]}
    modes = ["constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean", "median", "linear_ramp"]
    o["mode"] = str(rng.choice(modes))
    if o["mode"] == "constant":
        maybe(rng, o, "constant_values", 2)
    if o["mode"] in ("maximum", "minimum", "mean", "median"):
        maybe(rng, o, "stat_length", lambda: int(rng.integers(1, 4)))
    if o["mode"] == "linear_ramp":
        maybe(rng, o, "end_values", 3)
    if o["mode"] in ("reflect", "symmetric"):
        maybe(rng, o, "reflect_type", "odd")
    return Call(name, [x], o)


def diagonal(rng, name):
    x = array(rng, shape(rng, 2), some_dtype(rng))
    o = {}
    maybe(rng, o, "offset", lambda: int(rng.integers(-3, 4)))
    if rng.random() < 0.3:
        o |= {"axis1": -1, "axis2": 0}
    return Call(name, [x], o)


def diag(rng, name):
    x = array(rng, shape(rng, 1, 2), some_dtype(rng))
    o = {}
    maybe(rng, o, "k", lambda: int(rng.integers(-3, 4)))
    return Call(name, [x], o)


def joined(rng, name):
    full = list(shape(rng, 1))
    o, axis = {}, int(rng.integers(-len(full), len(full)))
    if rng.random() < 0.8:
        o["axis"] = axis
    else:
        axis = 0
    parts = []
    for _ in range(rng.integers(1, 4)):
        if name == "concatenate":
            full[axis] = int(rng.integers(0, 3))
        parts.append(array(rng, tuple(full), some_dtype(rng)))
    return Call(name, parts, o, many=True)


def array_split(rng, name):
    x = array(rng, shape(rng, 1), some_dtype(rng))
    o = {"indices_or_sections": [1, 2, 3, (1, 2), (0,)][rng.integers(5)]}
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False, none=False))
    return Call(name, [x], o)


def take(rng, name):
    x = array(rng, shape(rng, 1), some_dtype(rng))
    o = {"indices": [0, -1, [0, 0, 1], [[1, 0]], 5][rng.integers(5)]}
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False))
    maybe(rng, o, "mode", lambda: str(rng.choice(["wrap", "clip"])))
    return Call(name, [x], o)


def delete(rng, name):
    x = array(rng, shape(rng, 1), some_dtype(rng))
    o = {"obj": [0, -1, [0, 1], slice(None, None, 2)][rng.integers(4)]}
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False))
    return Call(name, [x], o)


def product(rng, name):
    n, m, k = (int(rng.choice([0, 1, 2, 3], p=[0.1, 0.2, 0.3, 0.4])) for _ in range(3))
    batch = shape(rng, 0, 2)
    a, b = [(n, m), (m,), (*batch, n, m)][rng.integers(3)], [(m, k), (m,), (*batch, m, k)][rng.integers(3)]
    dtype = some_dtype(rng)
    return Call(name, [array(rng, a, dtype), array(rng, b, dtype)])


def outer(rng, name):
    return Call(name, [array(rng, shape(rng, 0, 2), some_dtype(rng)), array(rng, shape(rng, 0, 2), some_dtype(rng))])


def inner(rng, name):
    n = int(rng.integers(0, 4))
    return Call(
        name, [array(rng, (*shape(rng, 0, 2), n), some_dtype(rng)), array(rng, (*shape(rng, 0, 1), n), some_dtype(rng))]
    )


def tensordot(rng, name):
    a = shape(rng, 1)
    k = int(rng.integers(0, len(a) + 1))
    return Call(name, [array(rng, a), array(rng, (*a[len(a) - k :], *shape(rng, 0, 1)))], {"axes": k})


def vecdot(rng, name):
    full = shape(rng, 1)
    o = {}
    maybe(rng, o, "axis", lambda: an_axis(rng, len(full), several=False, none=False))
    return Call(name, [array(rng, full, some_dtype(rng)), array(rng, full, some_dtype(rng))], o)


def cross(rng, name):
    full = (*shape(rng, 0, 1), 3)
    return Call(name, [array(rng, full, some_dtype(rng)), array(rng, (3,), some_dtype(rng))])


def quantile(rng, name):
    x = array(rng, shape(rng), str(rng.choice(["float64", "float64", "float32", "int64"])))
    x = x if x.size or name != "nanquantile" else array(rng, (2, 3))  # of nothing NumPy forgets the axes of q
    q = [0.25, 0.0, 1.0, [0.125, 0.75], 0.5][rng.integers(5)]
    o = {"q": (np.asarray(q) * (100 if "percentile" in name else 1)).tolist()}
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim))
    maybe(rng, o, "method", lambda: str(rng.choice(["linear", "lower", "higher", "midpoint", "hazen"])))
    maybe(rng, o, "keepdims", True)
    return Call(name, [x], o)


def linspace(rng, name):
    full = shape(rng, 0, 2)
    o = {}
    maybe(rng, o, "num", lambda: int(rng.integers(0, 6)), 0.8)
    maybe(rng, o, "endpoint", lambda: bool(rng.random() < 0.5))
    maybe(rng, o, "axis", lambda: int(rng.integers(-len(full) - 1, len(full) + 1)))
    return Call(name, [array(rng, full), array(rng, full)], o)


def trapezoid(rng, name):
    x = array(rng, shape(rng, 1), str(rng.choice(["float64", "float32"])))
    o = {}
    maybe(rng, o, "dx", 0.5)
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False, none=False))
    return Call(name, [x], o)


def convolve(rng, name):
    o = {}
    maybe(rng, o, "mode", lambda: str(rng.choice(["full", "same", "valid"])))
    return Call(name, [array(rng, (int(rng.integers(0, 5)),)), array(rng, (int(rng.integers(1, 5)),))], o)


def interp(rng, name):
    n = int(rng.integers(1, 5))
    o = {}
    maybe(rng, o, "left", -1.0)
    maybe(rng, o, "right", 3.0)
    return Call(name, [array(rng, shape(rng, 0, 2)), np.sort(array(rng, (n,))), array(rng, (n,))], o)


def norm(rng, name):
    x = array(rng, shape(rng, 1, 2), str(rng.choice(["float64", "float64", "float32", "int64"])))
    o = {}
    maybe(rng, o, "ord", lambda: [None, 1, 2, np.inf, -np.inf, 0, 3, "fro"][rng.integers(8)])
    maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim, several=False, none=False))
    maybe(rng, o, "keepdims", True)
    return Call(name, [x], o, np.linalg.norm)


def cov(rng, name):
    x = array(rng, (int(rng.integers(2, 4)), int(rng.integers(2, 5))))  # of one row NumPy 2.0 and 2.4 differ
    o = {}
    maybe(rng, o, "rowvar", lambda: bool(rng.random() < 0.5))
    if name == "cov":
        maybe(rng, o, "bias", True)
        maybe(rng, o, "ddof", 0)
    return Call(name, [x], o)


def trace(rng, name):
    call = diagonal(rng, name)
    return call


def broadcast_to(rng, name):
    full = shape(rng)
    part = tuple(1 if rng.random() < 0.3 else n for n in full[rng.integers(0, len(full) + 1) :])
    return Call(name, [array(rng, part, some_dtype(rng))], {"shape": full})


def round_(rng, name):
    o = {}
    maybe(rng, o, "decimals", lambda: int(rng.integers(-1, 3)))
    return Call(name, [array(rng, shape(rng), str(rng.choice(["float64", "float32", "int64"])))], o)


def full_like(rng, name):
    return Call(name, [array(rng, shape(rng), some_dtype(rng))], {"fill_value": 2})


def kron(rng, name):
    return Call(name, [array(rng, shape(rng, 0, 2)), array(rng, shape(rng, 0, 2))])


def searchsorted(rng, name):
    o = {}
    maybe(rng, o, "side", lambda: str(rng.choice(["left", "right"])))
    return Call(name, [np.sort(array(rng, (int(rng.integers(0, 5)),))), array(rng, shape(rng, 0, 2))], o)


def activation(rng, name):
    x = array(rng, shape(rng), some_dtype(rng))
    o = {}
    if name == "leaky_relu":
        maybe(rng, o, "negative_slope", 0.25)
    if name == "elu":
        maybe(rng, o, "alpha", 0.25)
    if name in ("softmax", "log_softmax"):
        maybe(rng, o, "axis", lambda: an_axis(rng, x.ndim), 0.6)
        x = x.reshape(1) if not x.ndim else x
    return Call(name, [x], o, ACTIVATIONS[name])


def _softmax(x, axis=-1):
    e = np.exp(x.astype(float))
    return e / np.sum(e, axis=axis, keepdims=True)


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x, negative_slope=0.2: np.where(x > 0, x, negative_slope * x.astype(float)),
    "elu": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(x.astype(float))),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x.astype(float))),
    "softplus": lambda x: np.log1p(np.exp(x.astype(float))),
    "silu": lambda x: x / (1 + np.exp(-x.astype(float))),
    "softmax": _softmax,
    "log_softmax": lambda x, axis=-1: np.log(_softmax(x, axis)),
}

EINSUMS = [
    "ij,jk->ik",
    "ij->j",
    "ii->i",
    "ii",
    "ij,j",
    ",ij->ji",
    "ij,ij->",
    "...i,i",
    "i,j->ij",
    "ijk,kj->i",
    "i->",
    "ij,jk,kl->il",
]


def einsum(rng, name):
    subscripts = str(rng.choice(EINSUMS))
    size = {c: int(rng.choice([0, 1, 2, 3], p=[0.1, 0.2, 0.3, 0.4])) for c in "ijkl"}
    batch = shape(rng, 0, 2)
    terms = subscripts.partition("->")[0].split(",")
    shapes = [(batch if "..." in t else ()) + tuple(size[c] for c in t.replace("...", "")) for t in terms]
    dtype = str(rng.choice(["float64", "float64", "float32", "int64"]))
    operands = [array(rng, s, dtype) for s in shapes]
    return Call(f"einsum {subscripts}", operands, {}, lambda *xs: np.einsum(subscripts, *xs))


CALLS = {
    **dict.fromkeys(UNARY, unary), **dict.fromkeys(BINARY, binary), **dict.fromkeys(REDUCTIONS, reduction),
    **dict.fromkeys(["cumsum", "cumprod", "nancumsum", "nancumprod"], cumulative), "diff": diff, "clip": clip,
    "where": where, "nan_to_num": nan_to_num, "reshape": reshape, "transpose": transpose, "swapaxes": two_axes,
    "moveaxis": two_axes, "squeeze": with_axis, "flip": with_axis, "sort": with_axis, "expand_dims": with_axis,
    "roll": roll, "rot90": rot90, "tril": triangle, "triu": triangle, "tile": tile, "repeat": repeat, "pad": pad,
    "diagonal": diagonal, "diag": diag, "diagflat": diag, "trace": trace, "concatenate": joined, "stack": joined,
    "array_split": array_split, "split": array_split, "take": take, "delete": delete, "matmul": product,
    "dot": product, "outer": outer, "inner": inner, "tensordot": tensordot, "vecdot": vecdot, "cross": cross,
    **dict.fromkeys(["quantile", "percentile", "nanquantile"], quantile), "linspace": linspace,
    "trapezoid": trapezoid, "convolve": convolve, "correlate": convolve, "interp": interp, "norm": norm, "cov": cov,
    "broadcast_to": broadcast_to, "round": round_, "full_like": full_like, "kron": kron,
    "searchsorted": searchsorted, **dict.fromkeys(ACTIVATIONS, activation), "einsum": einsum,
}  # fmt: skip


def function_of(call):
    """The op of a call."""
    if call.name.startswith("einsum"):
        subscripts = call.name.split()[1]
        return lambda *xs: mg.einsum(subscripts, *xs)
    return OPS[call.name].call if call.name in OPS else getattr(ops, call.name)


def reference_of(call):
    """NumPy's function of a call."""
    return call.reference or getattr(np, {"absolute": "abs"}.get(call.name, call.name))


def given(rng, value):
    """An option in one of the forms that a user may give it in."""
    kind = rng.integers(4)
    number = isinstance(value, (bool, int, float)) and not math.isinf(value)
    if kind == 0 or not (
        number
        or isinstance(value, np.ndarray)
        or (isinstance(value, tuple) and value and all(type(n) is int for n in value))
    ):
        return value
    dtype = "float32" if isinstance(value, float) else None  # as wide as no operand: a number given as an array counts
    return (
        np.array(value, dtype)
        if kind == 1
        else mg.constant(value, dtype)
        if kind == 2
        else mg.Variable(np.array(value, dtype))
    )
