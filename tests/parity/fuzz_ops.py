"""The ops that the fuzzer calls: how their arguments are drawn, and PyTorch's call of the same meaning.

Options are drawn by minigrad's names, which are NumPy's; each is left out at times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

try:
    import torch
except ImportError:  # then only values are compared
    torch = None  # type: ignore[assignment]

# A row stays on one line, so that the table can be read as one.
# ruff: noqa: E501

FLOATS = ("float64", "float32", "float16")


class Row(NamedTuple):
    """An op: its name, what draws (arrays, options), and PyTorch's call, or None for values alone.

    numpy : NumPy's function, if it has another name than the op. dtypes : those drawn, if not all.
    listed : whether the arrays are one argument. lenient : whether NumPy may raise where minigrad does not.
    """

    name: str
    draw: Callable[[np.random.Generator, str], tuple[list[Any], dict[str, Any]]]
    torch: Callable[..., Any] | None = None
    numpy: Callable[..., Any] | None = None
    dtypes: tuple[str, ...] = ()
    listed: bool = False
    lenient: bool = False


def shape(rng: np.random.Generator, least: int = 0, most: int = 3) -> tuple[int, ...]:
    """A shape of `least` to `most` axes; now and then an axis is empty, and often it is 1 long."""
    return tuple(
        int(n) for n in rng.choice([0, 1, 2, 3, 4], rng.integers(least, most + 1), p=[0.06, 0.24, 0.25, 0.25, 0.2])
    )


def array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, where: str = "anywhere") -> Any:
    """An array of numbers anywhere (now and then with ties and 0), positive, inside (-1, 1), above 1, or all different."""
    if dtype == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    if dtype.startswith("int"):
        low = {"anywhere": -4, "positive": 1, "inside": 0, "above 1": 2}[where]
        return np.asarray(rng.integers(low, low + (1 if where == "inside" else 8), shape), dtype)
    x = rng.standard_normal(shape) * 1.5
    if where == "anywhere" and rng.random() < 0.2:
        x = np.round(x)
    x = {
        "anywhere": x,
        "uneven": x,
        "positive": np.exp(x / 2) + 0.05,
        "inside": np.tanh(x / 2) * 0.95,
        "above 1": 1.05 + np.exp(x / 2),
    }[where]
    return np.asarray(x, dtype)


def narrowed(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts to `shape`."""
    kept = shape[int(rng.integers(len(shape) + 1)) if shape and rng.random() < 0.4 else 0 :]
    return tuple(1 if rng.random() < 0.25 else n for n in kept)


def drawn(rng: np.random.Generator, options: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """Each option with a probability of one half."""
    return {name: make() for name, make in options.items() if rng.random() < 0.5}


def axis_of(rng: np.random.Generator, x: Any, several: bool = False) -> Any:
    """An axis from either end; None at times, and a tuple where several are allowed."""
    if not x.ndim or rng.random() < 0.15:
        return None
    if several and rng.random() < 0.3:
        count = int(rng.integers(0, x.ndim + 1))
        return tuple(int(i) - (x.ndim if rng.random() < 0.3 else 0) for i in rng.permutation(x.ndim)[:count])
    return int(rng.integers(-x.ndim, x.ndim))


def one(where: str = "anywhere"):
    """One array of any shape, without options."""
    return lambda rng, dtype: ([array(rng, shape(rng), dtype, where)], {})


def two(first: str = "anywhere", second: str = "anywhere", numbers: bool = True):
    """Two arrays that broadcast; the second may be a number."""

    def draw(rng, dtype):
        whole = shape(rng)
        a, b = narrowed(rng, whole), whole
        if rng.random() < 0.5:
            a, b = b, a
        x, y = array(rng, a, dtype, first), array(rng, b, dtype, second)
        if numbers and rng.random() < 0.2 and dtype != "bool":
            y = array(rng, (), dtype, second).item()
        return [x, y], {}

    return draw


def reduced(where: str = "anywhere", **more: Callable[..., Any]):
    """An array, and perhaps axis, keepdims and `more` options, functions of (rng, array)."""

    def draw(rng, dtype):
        x = array(rng, shape(rng), dtype, where)
        makers = {"axis": lambda: axis_of(rng, x, True), "keepdims": lambda: bool(rng.integers(2))}
        return [x], drawn(rng, makers | {k: (lambda make=make: make(rng, x)) for k, make in more.items()})

    return draw


def ranged(least: int = 0, several: bool = False, **more: Callable[..., Any]):
    """An array of at least `least` axes, and options, functions of (rng, array); axis is one of them."""

    def draw(rng, dtype):
        x = array(rng, shape(rng, least), dtype)
        return [x], drawn(rng, {k: (lambda make=make: make(rng, x)) for k, make in more.items()})

    return draw


def always(draw, **options):
    """As `draw`, with options that are never left out."""

    def with_options(rng, dtype):
        arrays, some = draw(rng, dtype)
        return arrays, {**{k: make(rng, arrays[0]) for k, make in options.items()}, **some}

    return with_options


def joined(rng, dtype):
    """Arrays that differ along one axis."""
    whole = list(shape(rng, 1))
    axis = int(rng.integers(len(whole)))
    arrays = [
        array(rng, (*whole[:axis], int(n), *whole[axis + 1 :]), dtype) for n in rng.integers(0, 4, rng.integers(1, 4))
    ]
    return arrays, {"axis": axis - len(whole) if rng.random() < 0.5 else axis} if axis or rng.random() < 0.5 else {}


def stacked(rng, dtype):
    whole = shape(rng)
    axis = int(rng.integers(-len(whole) - 1, len(whole) + 1))
    return [array(rng, whole, dtype) for _ in range(rng.integers(1, 4))], {"axis": axis} if axis else {}


def product(rng, dtype):
    """Two operands of matmul."""
    n, m, k = (int(i) for i in rng.choice([0, 1, 2, 3], 3, p=[0.05, 0.25, 0.35, 0.35]))
    lead = shape(rng, 0, 2)
    a = (*narrowed(rng, lead), n, m) if rng.random() < 0.8 else (m,)
    b = (*lead, m, k) if rng.random() < 0.8 else (m,)
    return [array(rng, a, dtype), array(rng, b, dtype)], {}


def square(count: int = 1, symmetric: bool = False):
    """Matrices of full rank, and right-hand sides."""

    def draw(rng, dtype):
        n, lead = int(rng.integers(1, 4)), shape(rng, 0, 1)
        a = array(rng, (*lead, n, n), dtype) / 4 + np.eye(n, dtype=dtype) * np.asarray(rng.choice([2, 3]), dtype)
        a = (a + np.swapaxes(a, -1, -2)) / 2 + np.diag(np.arange(n)) if symmetric else a
        b = [array(rng, (*lead, n, 2), dtype)] if count == 2 else []
        return [np.asarray(a, dtype), *b], {}

    return draw


def by_dim(name, every=False, none=()):
    """PyTorch's reduction `name`, with the options of NumPy. every : whether it takes no axis only for all of them."""

    def call(x, axis=None, keepdims=False, **more):
        if axis == ():
            raise NotImplementedError
        f = getattr(torch, name)
        if axis is None:
            axis = tuple(range(x.ndim))
        if every:
            axes = (axis,) if isinstance(axis, int) else tuple(axis)
            for i in sorted((i % x.ndim for i in axes), reverse=True):
                x = f(x, dim=i, keepdim=keepdims)
                x = x if isinstance(x, torch.Tensor) else x.values
            return x
        return f(x, dim=axis, keepdim=keepdims, **more) if x.ndim else f(x[None], dim=0, **more)

    return call


def spread_by(name):
    def call(x, axis=None, keepdims=False, ddof=0):
        return by_dim(name)(x, axis, keepdims, correction=ddof)

    return call


def along_all(name):
    """PyTorch's running function: None runs through all elements."""
    return lambda x, axis=None: getattr(torch, name)(x.reshape(-1) if axis is None else x, dim=axis or 0)


def masked(name):
    """An array, an option `where` and others; the mask keeps what `name` needs."""

    def draw(rng, dtype):
        x = array(rng, shape(rng), dtype)
        options = {"axis": axis_of(rng, x, True), "where": array(rng, narrowed(rng, x.shape), "bool")}
        if name in ("max", "min") or (rng.random() < 0.3 and name != "mean"):
            options["initial"] = np.asarray(rng.choice([-2, 1, 3]), dtype).item()
        return [x], options

    return draw


def by_where(name):
    """The reduction of PyTorch of an array whose other elements are replaced by what changes nothing."""

    def call(x, axis=None, where=True, initial=None):
        keep = torch.broadcast_to(torch.as_tensor(where), x.shape)
        if name == "mean":
            return by_where("sum")(x, axis, where) / by_where("sum")(keep.to(x.dtype), axis)
        rest = {"sum": 0.0, "prod": 1.0, "max": -torch.inf, "min": torch.inf}[name]
        x = torch.where(keep, x, rest)
        y = {"sum": by_dim("sum"), "prod": by_dim("prod", True), "max": by_dim("amax"), "min": by_dim("amin")}[name](
            x, axis
        )
        if initial is None:
            return y
        if name in ("sum", "prod"):
            return y + initial if name == "sum" else y * initial
        raise NotImplementedError  # a tie with the initial value is a choice

    return call


def power_of_norm(rng, x):
    return [1, 2, 3, 1.5, np.inf, -np.inf][int(rng.integers(6))]


def taken(rng, dtype):
    x = array(rng, tuple(max(n, 1) for n in shape(rng, 1)), dtype)
    axis = some_axis(rng, x)
    n = x.shape[axis]
    return [x], {"indices": rng.integers(-n, n, rng.integers(0, 5)).tolist() or [0], "axis": axis}


def key_of_torch(key: Any) -> tuple[Any, ...]:
    """A key in PyTorch's spelling. Beside an array NumPy takes a number for an array, too, and PyTorch does not."""
    beside_array = any(isinstance(k, (list, np.ndarray)) for k in key)
    key = [[k] if beside_array and type(k) is int else k for k in key]
    return tuple(torch.as_tensor(k) if isinstance(k, np.ndarray) else k for k in key)


def keyed(rng, dtype):
    """An array and an index of one of the kinds that NumPy has."""
    x = array(rng, shape(rng, 1), dtype)
    kinds = [
        lambda n: int(rng.integers(-n, n)), lambda n: slice(*sorted(rng.integers(0, n + 1, 2).tolist())),
        lambda n: slice(None, None, int(rng.choice([-2, -1, 2]))), lambda n: rng.integers(-n, n, 3).tolist(), lambda n: None,
    ]  # fmt: skip
    used, key = 0, []
    for n in x.shape[: int(rng.integers(1, x.ndim + 1))]:
        kind = kinds[int(rng.integers(len(kinds)))] if n else (lambda n: slice(None))
        key.append(kind(n))
        used += isinstance(key[-1], list)
    if used > 1 or rng.random() < 0.2:
        key = [np.asarray(rng.random(x.shape) < 0.5)]
    elif rng.random() < 0.2:
        key.append(...)
    return [x], {"key": tuple(key)}


def framed(mode):
    def draw(rng, dtype):
        x = array(rng, tuple(int(n) for n in rng.integers(2, 5, rng.integers(1, 3))), dtype)
        return [x], {"pad_width": [(int(a), int(b)) for a, b in rng.integers(0, 2, (x.ndim, 2))], "mode": mode}

    return draw


def framed_by(mode):
    def call(x, pad_width, mode=mode):
        return _pad(
            x, [n for pair in pad_width[::-1] for n in pair], {"edge": "replicate", "wrap": "circular"}.get(mode, mode)
        )

    return call


def _pad(x, widths, mode):
    rows = x[None, None] if x.ndim == 2 else x[None]
    return torch.nn.functional.pad(rows, widths, mode).reshape(
        [n + a + b for n, (a, b) in zip(x.shape, list(zip(widths[::2], widths[1::2]))[::-1])]
    )


def clipped(rng, dtype):
    x = array(rng, shape(rng), dtype)
    ends = {"low": -1, "high": 1}
    makers = {
        k: (
            lambda v=v: (
                v if dtype[0] in "bi" else array(rng, narrowed(rng, x.shape), dtype, "inside") + np.asarray(v, dtype)
            )
        )
        for k, v in ends.items()
    }
    return [x, makers["low"](), makers["high"]()], {}


def ddof(rng, x):
    return int(rng.integers(0, 2))


def some_axis(rng, x):
    axis = axis_of(rng, x)
    return -1 if axis is None else axis


def elementwise(where: str, names: str, **options) -> list[Row]:
    return [
        Row(n, one(where), getattr(torch, t or n, None), **options)
        for n, _, t in (pair.partition(":") for pair in names.split())
    ]


ROWS = [
    *elementwise("anywhere", "negative exp expm1 exp2 square absolute:abs sign sin cos sinh cosh tanh arctan arcsinh deg2rad rad2deg", dtypes=FLOATS),
    *elementwise("anywhere", "negative square absolute:abs sign", dtypes=("int32", "int64")), *elementwise("uneven", "sinc", dtypes=FLOATS), *elementwise("anywhere", "floor ceil trunc"),
    *elementwise("anywhere", "sin cos tanh exp arctan", dtypes=("int32", "int64")),
    *elementwise("positive", "log log2 log10 log1p sqrt reciprocal", dtypes=FLOATS), *elementwise("inside", "arcsin arccos arctanh tan", dtypes=FLOATS),
    *elementwise("above 1", "arccosh", dtypes=FLOATS), *elementwise("anywhere", "logical_not isnan isfinite isinf"),
    *[Row(n, two(), getattr(torch, t, None), dtypes=FLOATS + ("int32", "int64")) for n, t in [("add", "add"), ("subtract", "sub"), ("multiply", "mul")]],
    *[Row(n, two("anywhere", "positive"), getattr(torch, t, None), dtypes=FLOATS) for n, t in [("divide", "div"), ("arctan2", "atan2"), ("logaddexp", "logaddexp"), ("logaddexp2", "logaddexp2"), ("hypot", "hypot")]],
    Row("power", two("positive", "uneven"), None if torch is None else torch.pow, dtypes=FLOATS), Row("mod", two("anywhere", "positive"), None if torch is None else torch.remainder, dtypes=FLOATS + ("int32",)),
    Row("floor_divide", two("anywhere", "positive"), dtypes=FLOATS + ("int64",)), Row("fmod", two("anywhere", "positive"), None if torch is None else torch.fmod, dtypes=FLOATS),
    *[Row(n, two(numbers=False), getattr(torch, n, None), dtypes=FLOATS + ("int32",)) for n in ("maximum", "minimum")],
    *[Row(n, two()) for n in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor")],
    *[Row(n, two(), dtypes=("int32", "int64", "bool")) for n in ("bitwise_and", "bitwise_or", "bitwise_xor")],
    Row("clip", clipped, lambda x, low, high: torch.clamp(x, low, high), dtypes=FLOATS + ("int32",)),
    *[Row(n, reduced(), by_dim(n)) for n in ("sum", "mean")], Row("prod", reduced(), by_dim("prod", True)),
    *[Row(n, reduced(), by_dim(t)) for n, t in [("max", "amax"), ("min", "amin")]], *[Row(n, reduced(ddof=ddof), spread_by(n), dtypes=FLOATS) for n in ("std", "var")],
    *[Row(n, reduced(), None) for n in ("any", "all")], *[Row(n, reduced(), by_dim(n), dtypes=FLOATS) for n in ("nansum", "nanmean")],
    Row("median", reduced(), None, dtypes=FLOATS, lenient=True), *[Row(n, ranged(axis=axis_of, keepdims=ddof), None) for n in ("argmax", "argmin")],
    Row("cumsum", ranged(axis=axis_of), along_all("cumsum")), Row("cumprod", ranged(axis=axis_of), along_all("cumprod"), dtypes=FLOATS),
    Row("diff", ranged(1, n=lambda rng, x: int(rng.integers(0, 3)), axis=some_axis), lambda x, n=1, axis=-1: torch.diff(x, n, axis), dtypes=FLOATS + ("int32",)),
    Row("sort", ranged(1, axis=some_axis), lambda x, axis=-1: torch.sort(x, dim=axis, stable=True).values), Row("argsort", ranged(1, axis=some_axis), numpy=lambda x, axis=-1: np.argsort(x, axis, stable=True)),
    Row("transpose", ranged(axes=lambda rng, x: tuple(int(i) for i in rng.permutation(x.ndim))), lambda x, axes=None: x.permute(axes or tuple(range(x.ndim)[::-1]))),
    Row("flip", ranged(axis=lambda rng, x: axis_of(rng, x, True)), lambda x, axis=None: torch.flip(x, tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,))),
    Row("roll", always(ranged(axis=axis_of), shift=lambda rng, x: int(rng.integers(-4, 5))), lambda x, shift, axis=None: torch.roll(x, shift, axis)),
    Row("ravel", one(), lambda x: x.reshape(-1)), Row("reshape", always(one(), shape=lambda rng, x: (-1,) if x.size else x.shape[::-1]), lambda x, shape: torch.reshape(x, shape)),
    Row("expand_dims", always(one(), axis=lambda rng, x: int(rng.integers(-x.ndim - 1, x.ndim + 1))), lambda x, axis: torch.unsqueeze(x, axis)),
    Row("squeeze", one(), lambda x: torch.squeeze(x)), Row("tril", ranged(2, k=lambda rng, x: int(rng.integers(-2, 3))), lambda x, k=0: torch.tril(x, k)),
    Row("triu", ranged(2, k=lambda rng, x: int(rng.integers(-2, 3))), lambda x, k=0: torch.triu(x, k)), Row("trace", ranged(2), lambda x: torch.diagonal(x).sum(-1)),
    Row("diagonal", ranged(2, offset=lambda rng, x: int(rng.integers(-2, 3))), lambda x, offset=0: torch.diagonal(x, offset)),
    Row("swapaxes", lambda rng, dtype: ([x := array(rng, shape(rng, 1), dtype)], {"axis1": some_axis(rng, x), "axis2": some_axis(rng, x)}), lambda x, axis1, axis2: torch.swapaxes(x, axis1, axis2)),
    Row("moveaxis", lambda rng, dtype: ([x := array(rng, shape(rng, 1), dtype)], {"source": some_axis(rng, x), "destination": some_axis(rng, x)}), lambda x, source, destination: torch.movedim(x, source, destination)),
    Row("repeat", always(ranged(axis=axis_of), repeats=lambda rng, x: int(rng.integers(0, 4))), lambda x, repeats, axis=None: torch.repeat_interleave(x, repeats, axis)),
    Row("tile", always(one(), reps=lambda rng, x: tuple(int(n) for n in rng.integers(0, 3, rng.integers(1, 4)))), lambda x, reps: torch.tile(x, reps)),
    Row("concatenate", joined, lambda xs, axis=0: torch.cat(xs, axis), listed=True), Row("stack", stacked, lambda xs, axis=0: torch.stack(xs, axis), listed=True),
    Row("pad", always(one(), pad_width=lambda rng, x: [(int(a), int(b)) for a, b in rng.integers(0, 3, (x.ndim, 2))]), lambda x, pad_width: torch.nn.functional.pad(x, [n for p in pad_width[::-1] for n in p])),
    Row("where", lambda rng, dtype: ((lambda s: [array(rng, narrowed(rng, s), "bool"), array(rng, s, dtype), array(rng, narrowed(rng, s), dtype)])(shape(rng)), {}), lambda c, a, b: torch.where(c, a, b)),
    Row("matmul", product, lambda a, b: torch.matmul(a, b), dtypes=FLOATS + ("int32",)), Row("outer", lambda rng, dtype: ([array(rng, shape(rng, 1, 1), dtype), array(rng, shape(rng, 1, 1), dtype)], {}), lambda a, b: torch.outer(a, b)),
    Row("kron", lambda rng, dtype: ([array(rng, shape(rng, 1, 2), dtype), array(rng, shape(rng, 1, 2), dtype)], {}), lambda a, b: torch.kron(a, b), dtypes=FLOATS),
    Row("vecdot", two(numbers=False), None, dtypes=FLOATS, lenient=True), Row("nan_to_num", one(), lambda x: torch.nan_to_num(x), dtypes=FLOATS),
    *[Row(n, square(), getattr(torch and torch.linalg, n), numpy=getattr(np.linalg, n), dtypes=FLOATS[:2]) for n in ("inv", "det")], Row("solve", square(2), lambda a, b: torch.linalg.solve(a, b), numpy=np.linalg.solve, dtypes=FLOATS[:2]),
    *[Row(n, square(1, True), getattr(torch and torch.linalg, n), numpy=getattr(np.linalg, n), dtypes=FLOATS[:2]) for n in ("cholesky", "eigvalsh")], Row("svdvals", square(), lambda a: torch.linalg.svdvals(a), numpy=np.linalg.svdvals, dtypes=("float64",)),
    *[Row(n, masked(n), by_where(n), dtypes=FLOATS) for n in ("sum", "mean", "prod", "max", "min")],
    Row("norm", lambda rng, dtype: ([x := array(rng, shape(rng, 1), dtype, "uneven")], {"ord": power_of_norm(rng, x), "axis": some_axis(rng, x)}), lambda x, ord, axis: torch.linalg.vector_norm(x, ord, axis), numpy=np.linalg.norm, lenient=True, dtypes=FLOATS),
    Row("take", taken, lambda x, indices, axis: torch.index_select(x, axis, torch.tensor(indices) % max(x.shape[axis], 1)), dtypes=FLOATS + ("int32",)),
    Row("getitem", keyed, lambda x, key: x[key_of_torch(key)], numpy=lambda x, key: x[key]),
    *[Row("pad", framed(mode), framed_by(mode), dtypes=FLOATS) for mode in ("reflect", "edge", "wrap")],
    *[Row("pad", framed(mode), None, dtypes=FLOATS) for mode in ("symmetric", "maximum", "minimum", "mean", "median", "linear_ramp")],
    Row("tensordot", lambda rng, dtype: ([array(rng, (2, 3), dtype), array(rng, (3, 2), dtype)], {"axes": [1, ([1], [0]), 0][int(rng.integers(3))]}), lambda a, b, axes: torch.tensordot(a, b, dims=axes), dtypes=FLOATS),
    Row("cross", lambda rng, dtype: ([array(rng, (*(s := shape(rng, 0, 1)), 3), dtype), array(rng, (*s, 3), dtype)], {}), lambda a, b: torch.linalg.cross(a, b), dtypes=FLOATS),
    Row("quantile", lambda rng, dtype: ([x := array(rng, shape(rng, 1), dtype, "uneven")], {"q": float(rng.random()), "axis": axis_of(rng, x), "keepdims": bool(rng.integers(2))}), lambda x, q, axis, keepdims: torch.quantile(x, q, axis, keepdims), lenient=True, dtypes=FLOATS[:2]),
    Row("trapezoid", lambda rng, dtype: ([x := array(rng, shape(rng, 1), dtype)], {"dx": 0.5, "axis": some_axis(rng, x)}), lambda y, dx, axis: torch.trapezoid(y, dx=dx, dim=axis), dtypes=FLOATS),
    Row("cov", lambda rng, dtype: ([array(rng, (2, 4), dtype)], {"ddof": ddof(rng, None)}), lambda x, ddof: torch.cov(x, correction=ddof), dtypes=FLOATS[:2]),
    Row("norm", reduced("uneven"), lambda x, axis=None, keepdims=False: torch.linalg.vector_norm(x, 2, axis, keepdims), numpy=np.linalg.norm, dtypes=FLOATS, lenient=True),
]  # fmt: skip
if torch is not None:
    import torch.nn.functional as F
    from scipy import special

    ROWS += [
        Row("sigmoid", one(), lambda x: torch.sigmoid(x), special.expit, FLOATS), Row("softplus", one(), lambda x: F.softplus(x), lambda x: np.logaddexp(x, x.dtype.type(0)), FLOATS),
        Row("relu", one(), lambda x: F.relu(x), lambda x: np.maximum(x, 0), FLOATS + ("int32",)), Row("log_sigmoid", one(), lambda x: F.logsigmoid(x), special.log_expit, FLOATS),
        Row("softmax", ranged(1, axis=some_axis), lambda x, axis=-1: torch.softmax(x, axis), lambda x, axis=-1: special.softmax(x, axis) if x.size else x, FLOATS), Row("erf", one(), lambda x: torch.erf(x), special.erf, FLOATS),
        Row("log_softmax", ranged(1, axis=some_axis), lambda x, axis=-1: torch.log_softmax(x, axis), lambda x, axis=-1: special.log_softmax(x, axis) if x.size else x, FLOATS),
        Row("logsumexp", reduced(), by_dim("logsumexp"), lambda x, axis=None, keepdims=False: np.log(np.sum(np.exp(x.astype("float64")), axis, keepdims=keepdims)).astype(x.dtype), FLOATS), Row("silu", one(), lambda x: F.silu(x), lambda x: x * special.expit(x), FLOATS),
        Row("elu", always(one("uneven"), alpha=lambda rng, x: 0.7), lambda x, alpha=1.0: F.elu(x, alpha), lambda x, alpha=1.0: np.where(x > 0, x, x.dtype.type(alpha) * np.expm1(x)), FLOATS), Row("xlogy", two("positive", "positive", False), lambda a, b: torch.xlogy(a, b), special.xlogy, FLOATS),
        Row("leaky_relu", ranged(negative_slope=lambda rng, x: 0.3), lambda x, negative_slope=0.2: F.leaky_relu(x, negative_slope), lambda x, negative_slope=0.2: np.where(x > 0, x, x.dtype.type(negative_slope) * x), FLOATS),
        Row("gelu", one(), lambda x: F.gelu(x), lambda x: x * special.ndtr(x), ("float64", "float32")), Row("rsqrt", one("positive"), lambda x: torch.rsqrt(x), lambda x: 1 / np.sqrt(x), FLOATS), Row("gammaln", one("positive"), lambda x: torch.lgamma(x), special.gammaln, ("float32",)),
    ]  # fmt: skip
