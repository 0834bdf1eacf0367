"""Translate JAX primitives to minigrad's ops, and write minigrad's ops as JAX's functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import jax
import numpy as np

from ..core.op import OPS
from .mapped_rows import RowSpelling
from .rebuilt_program import Differs
from .spelling import elementwise

o = {name: op.call for name, op in OPS.items()}

#: JAX functions with their own rule, and primitives, that correspond to an op of a different name.
RULES = {name: name for name in ("relu", "logaddexp", "silu", "softplus", "elu", "logaddexp2", "sinc")}
RULES |= {"xlogy": "xlogy", "_xlogy": "xlogy", "xlog1py": "xlog1py", "_sinc_maclaurin": "sinc", "_det": "det"}
RULES |= {"max": "maximum", "min": "minimum", "stop_gradient": "stop_gradient"}


def _axes(p: Mapping[str, Any], a: Any) -> Any:
    """Return the axes of a reduction as a user writes them: None for all axes, a number for one axis, else a tuple."""
    axes = tuple(map(int, p["axes"]))
    return None if len(axes) == a.ndim else axes if len(axes) != 1 else axes[0]


def keeping_axes(node: Any, shape: Sequence[int]) -> Any:
    """Return a reduction with its axes kept, as in `keepdims=True`, if it then has this shape, else None."""
    if node.op is None or node.op.name not in REDUCTIONS.values() or not node.args[1:]:
        return None
    x, axes = node.args[0], node.args[1]
    reduced = {*range(x.ndim)} if axes is None else {*np.atleast_1d(axes)}
    if tuple(shape) != tuple(1 if i in reduced else n for i, n in enumerate(x.shape)):
        return None
    result = o[node.op.name](x, axes, True)
    result.value = np.reshape(node.value, shape)
    return result


def _dot(p: Mapping[str, Any], a: Any, b: Any) -> Any:
    (ca, cb), (ba, bb) = p["dimension_numbers"]
    if not ba and a.ndim <= 2 and b.ndim <= 2 and tuple(ca) == (a.ndim - 1,) and tuple(cb) == (0,):
        return o["matmul"](a, b)
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    la, lb = [next(letters) for _ in range(a.ndim)], [next(letters) for _ in range(b.ndim)]
    for i, j in [*zip(ca, cb), *zip(ba, bb)]:
        lb[j] = la[i]
    out = [la[i] for i in ba]
    out += [x for i, x in enumerate(la) if i not in (*ca, *ba)] + [x for j, x in enumerate(lb) if j not in (*cb, *bb)]
    return o["einsum"](f"{''.join(la)},{''.join(lb)}->{''.join(out)}", a, b)


def _slice(p: Mapping[str, Any], a: Any) -> Any:
    ends = zip(p["start_indices"], p["limit_indices"], p["strides"] or [1] * a.ndim)
    return o["getitem"](a, tuple(slice(*k) for k in ends))


def _forward(name: str) -> Callable[..., Any]:
    def call(p: Mapping[str, Any], a: Any) -> Any:
        if p["reverse"]:
            raise Differs(f"{name} from the end")
        return o[name](a, int(p["axis"]))

    return call


def _select(p: Mapping[str, Any], c: Any, *xs: Any) -> Any:
    chosen = xs[0]
    for i, x in enumerate(xs[1:], 1):
        chosen = o["where"](c if len(xs) == 2 else o["equal"](c, i), x, chosen)
    return chosen


REDUCTIONS = {"sum": "sum", "max": "max", "min": "min", "prod": "prod", "and": "all", "or": "any"}
OTHER: dict[str, Callable[..., Any]] = {
    f"reduce_{name}": lambda p, a, op=op: o[op](a, _axes(p, a)) for name, op in REDUCTIONS.items()
} | {
    "integer_pow": lambda p, a: a ** p["y"], "argmax": lambda p, a: o["argmax"](a, int(p["axes"][0])),
    "dot_general": _dot, "slice": _slice, "reshape": lambda p, a: o["reshape"](a, tuple(p["new_sizes"])),
    "squeeze": lambda p, a: o["squeeze"](a, tuple(p["dimensions"])),
    "expand_dims": lambda p, a: o["expand_dims"](a, tuple(p["dimensions"])),
    "transpose": lambda p, a: o["transpose"](a, tuple(p["permutation"])), "select_n": _select,
    "concatenate": lambda p, *xs: o["concatenate"](list(xs), axis=p["dimension"]),
    "stack": lambda p, *xs: o["stack"](list(xs), axis=p["axis"]),
    "cumsum": _forward("cumsum"), "cumprod": _forward("cumprod"),
    "clamp": lambda p, low, a, high: o["clip"](a, low, high),
}  # fmt: skip


def is_elementwise(name: str) -> bool:
    """Return whether a primitive works element by element, so that its arguments may be left to broadcasting."""
    kept = ("max", "min", "stop_gradient", "integer_pow", "select_n", "clamp", "convert_element_type")
    return name in kept or (name not in OTHER and elementwise(name) is not None)


def translated(name: str, params: Mapping[str, Any], args: Sequence[Any], dtype: Any) -> Any:
    """Compute an equation with minigrad's ops and return the result; raise Differs if no op corresponds to it.

    name, params : the equation's primitive, and its parameters.
    dtype : the dtype of the result.
    """
    if name == "convert_element_type":
        return o["astype"](args[0], str(dtype))
    if name in OTHER:
        return OTHER[name](params, *args)
    call = o[RULES[name]] if name in RULES else elementwise(name)
    if call is None:
        raise Differs(f"no op for {name}")
    return call(*args)


class JaxSpelling(RowSpelling):
    framework, roots = "jax", MappingProxyType({"jax.numpy": "jnp", "jax": "jax"})
    paths = MappingProxyType({"euclidean_norm": "linalg.norm", "sigmoid_cross_entropy": "nn.softplus"})
    lowered, unlike = MappingProxyType({"std": ("sqrt", "var")}), MappingProxyType({"average": "mean"})
    without_slope_at_0 = frozenset({"norm", "euclidean_norm", "std"})
    shapes = MappingProxyType({
        "concatenate": lambda jnp, *xs, axis=0: jnp.concatenate(xs, axis),
        "index_add": lambda jnp, x, k, v: jnp.asarray(x, v.dtype).at[k].add(v),
    })  # fmt: skip

    def full(self, name: str) -> str:
        return f"jax.{name}" if name.startswith(("nn.", "lax.", "scipy.")) else f"jax.numpy.{name}"

    def spelled(self, name: str, args: list[ast.expr], options: dict[str, Any], at: Any) -> ast.expr | None:
        if name == "sigmoid_cross_entropy":  # JAX has no such function
            softplus = ast.Call(at("jax.nn.softplus"), args[:1], [])
            return ast.BinOp(softplus, ast.Sub(), ast.BinOp(args[1], ast.Mult(), args[0]))
        return None


def is_key(value: Any) -> bool:
    """Return whether a value is a typed random key, and not an array of integers."""
    return bool(jax.dtypes.issubdtype(getattr(value, "dtype", np.float32), jax.dtypes.prng_key))


def plain(value: Any) -> Any:
    """Return a JAX array as a NumPy array, or as a scalar if it has no axes.

    A random key becomes its integers, and a float that NumPy lacks, such as bfloat16, becomes float32.
    """
    array = np.asarray(jax.random.key_data(value) if is_key(value) else value)
    return (array.astype(np.float32) if numpy_lacks(array.dtype) else array)[()]


def numpy_lacks(dtype: Any) -> bool:
    """Return whether a dtype is one of JAX's floats that NumPy lacks, such as bfloat16."""
    return bool(jax.numpy.issubdtype(dtype, jax.numpy.floating)) and np.dtype(dtype).kind == "V"
