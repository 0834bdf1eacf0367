"""Primitives of JAX as ops of minigrad, the names of its functions, and how it writes minigrad's ops."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.op import OPS, PICK
from ..core.tensor import Tensor
from .program import Differs
from .spelling import Spelling, constant

o = {name: op.call for name, op in OPS.items()}

#: Primitives with another name than the op; all other names of ops are the same.
SAME = {
    "neg": "negative", "sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power", "logistic": "sigmoid",
    "abs": "absolute", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "atan2": "arctan2", "max": "maximum", "min": "minimum", "lgamma": "gammaln", "eq": "equal",
    "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    "is_finite": "isfinite", "and": "logical_and", "or": "logical_or", "not": "logical_not",
}  # fmt: skip
SAME |= {name: name for name in (
    "add", "exp", "exp2", "log", "log1p", "expm1", "sqrt", "rsqrt", "cbrt", "square", "tanh", "sin", "cos", "tan",
    "sinh", "cosh", "sign", "floor", "ceil", "round", "erf", "erfc", "stop_gradient",
)}  # fmt: skip
#: Functions of JAX with a rule of their own.
RULES = {name: name for name in ("relu", "logaddexp", "silu", "softplus", "elu", "logaddexp2", "sinc")}
RULES |= {"xlogy": "xlogy", "_xlogy": "xlogy", "xlog1py": "xlog1py", "_sinc_maclaurin": "sinc"}


def _axes(p: Mapping[str, Any], a: Any) -> Any:
    """The axis of a reduction as it is written: None for all, a number for one."""
    axes = tuple(map(int, p["axes"]))
    return None if len(axes) == a.ndim else axes if len(axes) != 1 else axes[0]


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
    if len(xs) != 2:
        raise Differs("a choice of more than two")
    return o["where"](c, xs[1], xs[0])


OTHER: dict[str, Callable[..., Any]] = {
    "integer_pow": lambda p, a: a ** p["y"], "reduce_sum": lambda p, a: o["sum"](a, _axes(p, a)),
    "reduce_max": lambda p, a: o["max"](a, _axes(p, a)), "reduce_min": lambda p, a: o["min"](a, _axes(p, a)),
    "reduce_prod": lambda p, a: o["prod"](a, _axes(p, a)), "reduce_and": lambda p, a: o["all"](a, _axes(p, a)),
    "reduce_or": lambda p, a: o["any"](a, _axes(p, a)), "argmax": lambda p, a: o["argmax"](a, int(p["axes"][0])),
    "dot_general": _dot, "slice": _slice, "reshape": lambda p, a: o["reshape"](a, tuple(p["new_sizes"])),
    "squeeze": lambda p, a: o["squeeze"](a, tuple(p["dimensions"])),
    "expand_dims": lambda p, a: o["expand_dims"](a, tuple(p["dimensions"])),
    "transpose": lambda p, a: o["transpose"](a, tuple(p["permutation"])), "select_n": _select,
    "concatenate": lambda p, *xs: o["concatenate"](list(xs), axis=p["dimension"]),
    "cumsum": _forward("cumsum"), "cumprod": _forward("cumprod"),
    "clamp": lambda p, low, a, high: o["clip"](a, low, high),
}  # fmt: skip
ELEMENTWISE = {*SAME, "integer_pow", "select_n", "clamp", "convert_element_type"}


def translated(name: str, params: Mapping[str, Any], args: Sequence[Any], dtype: Any, lowered: bool = False) -> Any:
    """An equation as nodes of minigrad; raises Differs where there is no op."""
    if lowered:
        raise Differs(f"{name} is derived differently")
    if name == "convert_element_type":
        return o["astype"](args[0], str(dtype))
    if name in SAME or name in RULES:
        return o[SAME.get(name) or RULES[name]](*args)
    if name in OTHER:
        return OTHER[name](params, *args)
    raise Differs(f"no op for {name}")


def _named() -> dict[str, str]:
    """The names of JAX's functions, with the op that each is."""
    found: dict[str, str] = {}
    for op in OPS.values():
        if "jax" in op.names:
            found.setdefault(op.names["jax"].rpartition(".")[2], op.name)
    known = {"expit": "sigmoid", "amax": "max", "amin": "min", "average": "mean", "acos": "arccos", "asin": "arcsin"}
    known |= {"atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "pow": "power", "true_divide": "divide"}
    return found | known | {"logsumexp": "logsumexp", "std": "std", "var": "var", "norm": "norm"}


NAMED = _named()
#: Calls that are recorded as several ops where minigrad's own op has another slope.
LOWERED = {"std": ("sqrt", "var")}
#: Ops of shapes, which no repair writes, computed by JAX; np : jax.numpy.
RUN: dict[str, Callable[..., Any]] = {
    "getitem": lambda np, x, k: x[k], "identity": lambda np, x: x, "copy": lambda np, x: x,
    "output": lambda np, x, i: x[i], "reshape": lambda np, x, s: np.reshape(x, s),
    "broadcast_to": lambda np, x, s: np.broadcast_to(x, s), "squeeze": lambda np, x, a=None: np.squeeze(x, a),
    "expand_dims": lambda np, x, a: np.expand_dims(x, a), "transpose": lambda np, x, axes=None: np.transpose(x, axes),
    "astype": lambda np, x, dtype: x.astype(dtype), "concatenate": lambda np, *xs, axis=0: np.concatenate(xs, axis),
    "einsum": lambda np, s, *xs, **k: np.einsum(s, *xs), "stack": lambda np, *xs, axis=0: np.stack(xs, axis),
    "swapaxes": lambda np, x, a, b: np.swapaxes(x, a, b),
}  # fmt: skip


class JaxSpelling(Spelling):
    framework, roots = "jax", {"jax.numpy": "jnp", "jax": "jax"}
    named, lowered = NAMED, LOWERED

    def path(self, name: str) -> str:
        known = OPS[name].names.get("jax", "") if name in OPS else ""
        if name == "euclidean_norm":
            known = "linalg.norm"
        if not known.replace(".", "").isidentifier():
            return ""
        return f"jax.{known}" if known.startswith(("nn.", "lax.", "scipy.")) else f"jax.numpy.{known}"


def run_op(spelling: JaxSpelling, node: Tensor, args: Sequence[Any]) -> Any:
    """An op of minigrad, computed by JAX as it would be written; args : arrays and constants."""
    import jax
    import jax.numpy as jnp
    import jax.scipy.special

    if node.op is PICK or node.op.name in RUN:
        return RUN[node.op.name](jnp, *args, **(node.kwargs or {}))
    names = {f"a{i}": a for i, a in enumerate(args)}
    plain = (bool, int, float, tuple, str, type(None))
    whole = [constant(a) if isinstance(a, plain) else ast.Name(name) for name, a in names.items()]
    e = spelling.expression(node, whole)
    if e is None:
        raise Differs(f"{node.op.name} is not written in JAX")
    known = {"jax": jax, "jnp": jnp, "inf": math.inf, "nan": math.nan}
    return eval(ast.unparse(ast.fix_missing_locations(e)), known, names)


def plain(value: Any) -> Any:
    """An array of JAX as one of NumPy, a scalar where it has no axes."""
    return np.asarray(value)[()]
