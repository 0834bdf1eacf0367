"""Translate PyTorch's calls to minigrad's ops, whose names and options may be spelled differently.

A call is translated to an op only if the op computes the same value; derivatives are compared afterwards.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor
from ..diagnostics.missing_data import A_CONSTANT, CHOSEN_BY
from .rebuilt_program import Differs
from .spelling import Spelling, is_number

o = {name: op.call for name, op in OPS.items()}


def _words(text: str) -> set[str]:
    return set(text.split())


#: Ops that are not elementwise, but accept PyTorch's arguments once dim is renamed to axis.
ALIKE = _words("""
    sum prod cumsum cumprod logsumexp matmul dot outer inner vdot kron tril triu trace cross einsum amax amin det
    inv solve cholesky slogdet logdet vecdot matrix_power diag diagonal roll argmax argmin all any
""")

#: PyTorch's name for an option -> minigrad's name for it.
OPTIONS = {"dim": "axis", "keepdim": "keepdims", "correction": "ddof", "dims": "axis"}

#: Functions that return their argument.
SAME = {"contiguous", "clone", "requires_grad_", "alias", "view_as", "positive", "cpu", "to", "type_as", "float",
        "double", "half", "type", "alpha_dropout", "dropout"}  # fmt: skip

#: The names that PyTorch's functions give to their second argument.
SECOND = ("other", "exponent", "mat2", "vec2", "tensor", "tensor2", "vec")


def _names() -> dict[str, Callable[..., Any]]:
    """Map minigrad's and PyTorch's names for each op to the function that calls the op."""
    table: dict[str, Callable[..., Any]] = {}
    for op in OPS.values():
        if op.elementwise or op.name in ALIKE or op.name in ("max", "min"):
            for name in (op.name, op.facts.names.get("torch", op.name).rpartition(".")[2]):
                if name.isidentifier():
                    table.setdefault(name, op.call)
    return table


def _spread(name: str) -> Callable[..., Any]:
    """Return minigrad's op `std` or `var` with PyTorch's default, which divides by n - 1."""

    def call(x: Any, axis: Any = None, ddof: Any = None, keepdims: bool = False, unbiased: Any = None) -> Any:
        if isinstance(axis, bool):
            axis, unbiased = None, axis
        if isinstance(ddof, bool):
            ddof = int(ddof)
        ddof = ddof if ddof is not None else int(unbiased) if unbiased is not None else 1
        return o[name](x, axis=axis, keepdims=keepdims, ddof=ddof)

    return call


def _norm(x: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False, dtype: Any = None, p: Any = None) -> Any:
    ord = 2 if (ord if p is None else p) in (2, "fro", None) else ord if p is None else p
    if axis is None and not keepdims:
        return o["norm"](x if x.ndim < 2 else o["reshape"](x, (-1,)), None if ord == 2 else ord)
    return o["norm"](x, None if ord == 2 else ord, axis, keepdims)


def _extreme(name: str) -> Callable[..., Any]:
    def call(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if isinstance(axis, (Tensor, np.ndarray, float)):
            return o[name + "imum"](x, axis)
        return o[name](x, axis, keepdims)

    return call


def _clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    if min is None or max is None:
        return o["maximum"](x, min) if max is None else o["minimum"](x, max)
    return o["clip"](x, min, max)


def _shape(x: Any, *shape: Any) -> Any:
    return o["reshape"](x, tuple(shape[0]) if isinstance(shape[0], (tuple, list)) else shape)


def _axes(x: Any, *axes: Any) -> Any:
    return o["transpose"](x, tuple(axes[0]) if isinstance(axes[0], (tuple, list)) else axes)


def _expand(x: Any, *shape: Any) -> Any:
    shape = tuple(shape[0]) if isinstance(shape[0], (tuple, list)) else shape
    sizes = (1,) * (len(shape) - x.ndim) + x.shape
    return o["broadcast_to"](x, tuple(b if n == -1 else n for n, b in zip(shape, sizes)))


def _flatten(x: Any, start: int = 0, end: int = -1) -> Any:
    start, end = start % x.ndim, end % x.ndim
    return o["reshape"](x, (*x.shape[:start], -1, *x.shape[end + 1 :]))


def _unflatten(x: Any, axis: int, sizes: Any) -> Any:
    axis %= x.ndim
    return o["reshape"](x, (*x.shape[:axis], *sizes, *x.shape[axis + 1 :]))


def _reduced(y: Any, reduction: str = "mean") -> Any:
    return y if reduction == "none" else o[reduction](y)


def _cross_entropy(
    x: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    indices = np.asarray(getattr(target, "value", target))
    plain = weight is None and not label_smoothing and x.ndim == 2 and indices.dtype.kind in "iu"
    if not plain or (indices == ignore_index).any() or not indices.size:
        raise Differs("a cross-entropy with weights")
    return _reduced(-o["log_softmax"](x, axis=1)[np.arange(len(indices)), indices], reduction)


def _nll(x: Any, target: Any, *rest: Any, reduction: str = "mean", **more: Any) -> Any:
    indices = np.asarray(getattr(target, "value", target))
    if rest or x.ndim != 2 or more.get("weight") is not None or (indices < 0).any():
        raise Differs("a negative log likelihood with weights")
    return _reduced(-x[np.arange(len(indices)), indices], reduction)


def _linear(x: Any, w: Any, b: Any = None) -> Any:
    y = o["matmul"](x, o["transpose"](w))
    return y if b is None else y + b


def _chosen(x: Any, key: Any) -> Any:
    """Return `x[key]`; if the key is a mask, remember it."""
    node = o["getitem"](x, key)
    if isinstance(node, Tensor):
        CHOSEN_BY[node.serial] = key if isinstance(key, Tensor) else A_CONSTANT
    return node


def _divided(a: Any, b: Any, rounding_mode: Any = None) -> Any:
    if rounding_mode is not None:
        raise Differs("a rounded division")
    return a / b


def _logit(x: Any, eps: Any = None) -> Any:
    if eps is not None:
        raise Differs("a logit that clips")
    return o["logit"](x)


def _cosine(a: Any, b: Any, axis: int = 1, eps: float = 1e-8) -> Any:
    lengths = [o["maximum"](o["norm"](x, axis=axis, keepdims=True), eps) for x in (a, b)]
    return o["sum"]((a / lengths[0]) * (b / lengths[1]), axis)


SPECIAL: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, alpha=1: a + (b if alpha == 1 else alpha * b), "mul": lambda a, b: a * b,
    "sub": lambda a, b, alpha=1: a - (b if alpha == 1 else alpha * b),
    "rsub": lambda a, b, alpha=1: b - (a if alpha == 1 else alpha * a),
    "div": _divided, "rdiv": lambda a, b: b / a, "rpow": lambda a, b: b**a, "rmatmul": lambda a, b: b @ a,
    "pow": lambda a, b: a**b, "__getitem__": _chosen, "masked_select": _chosen,
    "std": _spread("std"), "var": _spread("var"),
    "mean": lambda x, axis=None, keepdims=False: o["mean"](x, axis, keepdims),
    "norm": _norm, "vector_norm": _norm, "max": _extreme("max"), "min": _extreme("min"), "amax": o["max"],
    "amin": o["min"], "softmax": lambda x, axis=None, _stacklevel=3: o["softmax"](x, axis=axis),
    "log_softmax": lambda x, axis=None, _stacklevel=3: o["log_softmax"](x, axis=axis),
    "gelu": lambda x, approximate="none": o["gelu"](x, approximate == "tanh"), "logit": _logit,
    "elu": lambda x, alpha=1.0: o["elu"](x, alpha),
    "leaky_relu": lambda x, negative_slope=0.01: o["leaky_relu"](x, negative_slope),
    "softplus": lambda x, beta=1, threshold=20: o["softplus"](x) if beta == 1 else o["softplus"](beta * x) / beta,
    "tanhshrink": lambda x: x - o["tanh"](x), "clamp": _clamp, "clamp_min": o["maximum"], "clamp_max": o["minimum"],
    "masked_fill": lambda x, mask, value: o["where"](mask, value, x), "T": o["transpose"], "t": o["transpose"],
    "transpose": o["swapaxes"], "swapaxes": o["swapaxes"], "mT": lambda x: o["swapaxes"](x, -1, -2),
    "permute": _axes, "reshape": _shape, "flatten": _flatten, "unflatten": _unflatten, "expand": _expand,
    "expand_as": lambda x, y: o["broadcast_to"](x, y.shape), "broadcast_to": o["broadcast_to"],
    "unsqueeze": o["expand_dims"], "squeeze": o["squeeze"], "ravel": lambda x: _shape(x, -1), "linear": _linear,
    "addmm": lambda b, x, w: b + x @ w, "cat": lambda ts, axis=0: o["concatenate"](ts, axis=axis),
    "stack": lambda ts, axis=0: o["stack"](list(ts), axis=axis), "detach": o["stop_gradient"],
    "gather": lambda x, axis, index: o["take_along_axis"](x, index, axis), "take_along_dim": o["take_along_axis"],
    "entr": lambda x: -o["xlogy"](x, x), "cosine_similarity": _cosine,
    "mse_loss": lambda x, t, *a, reduction="mean", **k: _reduced(o["square"](x - t), reduction),
    "l1_loss": lambda x, t, *a, reduction="mean", **k: _reduced(o["absolute"](x - t), reduction),
    "binary_cross_entropy_with_logits": lambda x, t, *a, reduction="mean", **k: _reduced(
        o["softplus"](x) - x * t, reduction
    ),
    "cross_entropy": _cross_entropy, "nll_loss": _nll, "nan_to_num": o["nan_to_num"], "zeros_like": o["zeros_like"],
    "ones_like": lambda x: o["zeros_like"](x) + 1, "deg2rad": lambda x: x * (math.pi / 180),
    "logcumsumexp": lambda x, axis: _no("logcumsumexp"),
}  # fmt: skip
#: Each row has the name of a function, followed by its synonyms.
SYNONYMS = """
    sub subtract, div divide true_divide truediv, rsub __rsub__, rdiv __rdiv__ __rtruediv__, rpow __rpow__,
    rmatmul __rmatmul__, norm linalg_norm, vector_norm linalg_vector_norm, clamp clip, reshape view, cat concat,
    matmul mm bmm mv, detach data, det linalg_det, slogdet linalg_slogdet, inv linalg_inv inverse, entr special_entr,
    solve linalg_solve, cholesky linalg_cholesky, xlogy special_xlogy, xlog1py special_xlog1py, gammaln lgamma
    special_gammaln, logit special_logit, logical_not bitwise_not __invert__, log_sigmoid logsigmoid,
    logical_and bitwise_and __and__, logical_or bitwise_or __or__
"""

#: Op that PyTorch and minigrad differentiate differently -> the same function, written with ops where they agree.
LOWERED: dict[str, Callable[..., Any]] = {
    "std": lambda *a, **k: o["sqrt"](SPECIAL["var"](*a, **k)),
    "logsumexp": lambda x, axis, keepdims=False: o["log"](o["sum"](o["exp"](x), axis, keepdims)),
}


def _no(name: str) -> Any:
    raise Differs(f"no op for {name}")


TABLE = _names() | SPECIAL
TABLE |= {name: TABLE[first] for first, *others in map(str.split, SYNONYMS.split(",")) for name in others}

#: Functions that draw random numbers. The generator is reset before they are run again.
RANDOM = _words("""
    dropout dropout1d dropout2d dropout3d feature_dropout alpha_dropout bernoulli bernoulli_ rand_like randn_like
    multinomial normal normal_ uniform_ rrelu gumbel_softmax poisson exponential_ native_dropout
""")


#: Functions that overwrite all numbers of a tensor.
FILLING = _words("uniform_ normal_ zero_ fill_ exponential_ bernoulli_ random_ trunc_normal_")


def overwrites(func: Any) -> bool:
    """Return whether a call fills its tensor with new numbers, as initializers do."""
    name = getattr(func, "__name__", "")
    return name in FILLING or (name.endswith("_") and getattr(func, "__module__", "") == "torch.nn.init")


def is_in_place(name: str) -> bool:
    """Return whether a function changes its first tensor in place, as `add_`, `__iadd__` and `__setitem__` do."""
    operator = name[3:-2] in AUGMENTED and name.startswith("__i")
    return name == "__setitem__" or operator or (name.endswith("_") and not name.endswith("__"))


def plain_name(func: Any) -> str:
    """Return the plain name of a function: `add` for `add`, `add_`, `__add__` and `__iadd__`, `T` for a property."""
    name = getattr(func, "__name__", "")
    if name == "__get__":
        return str(getattr(getattr(func, "__self__", None), "__name__", ""))
    if name.startswith("__") and name.endswith("__"):
        inner = name[2:-2]
        inner = inner[1:] if inner[:1] == "i" and inner[1:] in AUGMENTED else inner
        return AUGMENTED.get(inner, name)
    return name.rstrip("_") or name


#: Function name -> its operator.
AUGMENTED = {name: name for name in "add sub mul div pow matmul eq ne lt le gt ge neg abs".split()}  # noqa: SIM905
AUGMENTED |= {"truediv": "div", "mod": "remainder"}


def translated(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], lowered: bool = False) -> Any:
    """Compute a call to PyTorch's function `name` with minigrad's ops; raise Differs if no op corresponds to it."""
    f = (LOWERED if lowered else TABLE).get(name)
    if f is None:
        raise Differs(f"no op for {name}")
    args, kwargs = list(args), {k: v for k, v in kwargs.items() if v is not None and k not in ("out", "dtype")}
    for word in ("input", "self"):
        if word in kwargs:
            args.insert(0, kwargs.pop(word))
    for word in SECOND:
        if word in kwargs and len(args) == 1:
            args.append(kwargs.pop(word))
    if name in ARITHMETIC:
        args = _in_floats(args)
    if name != "__getitem__":  # a list of axes, as in sum([1, 2]), becomes a tuple; an index stays a list
        args = [args[0], *(tuple(a) if isinstance(a, list) and is_axes(a) else a for a in args[1:])] if args else args
        kwargs = {k: tuple(v) if isinstance(v, list) and is_axes(v) else v for k, v in kwargs.items()}
    return f(*args, **{OPTIONS.get(k, k): v for k, v in kwargs.items() if k != "inplace"})


def is_axes(a: Sequence[Any]) -> bool:
    return bool(a) and all(isinstance(axis, int) for axis in a)


#: Functions that convert integers among their arguments to the dtype of the floats.
ARITHMETIC = _words("""
    add sub subtract mul multiply div divide true_divide truediv rsub __rsub__ rdiv __rdiv__ __rtruediv__ pow
    maximum minimum
""")


def _in_floats(args: Sequence[Any]) -> list[Any]:
    """Convert integer arguments to the dtype of the float arguments; NumPy would convert all to float64."""
    dtypes = [a.dtype for a in args if isinstance(a, Tensor) and a.dtype.kind == "f"]
    whole = lambda a: isinstance(a, (Tensor, np.ndarray, np.integer)) and a.dtype.kind in "iu"
    computed = lambda a: isinstance(a, Tensor) and a.op is not None
    plain = lambda a: np.asarray(a.value if isinstance(a, Tensor) else a).astype(dtypes[0])
    cast = lambda a: o["astype"](a, dtypes[0]) if computed(a) else plain(a)
    return [cast(a) if dtypes and whole(a) else a for a in args]


def _key(key: Any) -> Any:
    """Convert the NumPy arrays in an index to tensors."""
    if isinstance(key, tuple):
        return tuple(map(_key, key))
    return sys.modules["torch"].as_tensor(key) if isinstance(key, np.ndarray) else key


def assigned(x: Any, key: Any, value: Any) -> Any:
    """Return a copy of a tensor after `x[key] = value`."""
    x = sys.modules["torch"].as_tensor(x).clone()
    x[key] = value
    return x


def added(x: Any, key: Any, value: Any) -> Any:
    """Return a copy of a tensor with `value` added at the positions `key`; a repeated position is added to again."""
    torch = sys.modules["torch"]
    x, at = torch.as_tensor(x).to(value.dtype), torch.arange(np.size(x)).reshape(x.shape)[_key(key)]
    return x.flatten().index_add(0, at.flatten(), value.expand(at.shape).flatten()).reshape(x.shape)


def view_set(x: Any, view: Any, *place: Any) -> Any:
    """Return a copy of a tensor with the elements of one of its views replaced by `view`.

    place : the size, strides and offset of the view.
    """
    x = x.clone()
    x.as_strided(*place).copy_(view)
    return x


def _is_python_number(e: ast.expr) -> bool:
    """Return whether an expression without axes may be a Python number, which `torch.clamp` rejects, as in len(x)."""
    of_a_tensor = isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr not in NUMBERS
    return getattr(e, "is_plain", False) and not of_a_tensor


#: Methods of a tensor that return a Python number.
NUMBERS = _words("item numel size dim __len__")
#: PyTorch's function for a binary cross entropy, which returns the mean unless it is given a reduction.
CROSS_ENTROPY = "nn.functional.binary_cross_entropy_with_logits"


class TorchSpelling(Spelling):
    framework, roots = "torch", MappingProxyType({"torch": "torch"})
    options = MappingProxyType({"axis": "dim", "keepdims": "keepdim", "ddof": "correction"})
    paths = MappingProxyType({
        "norm": "linalg.vector_norm", "euclidean_norm": "linalg.vector_norm", "absolute": "abs", "xlogy": "xlogy",
        "log_sigmoid": "nn.functional.logsigmoid", "logdet": "logdet", "expm1": "expm1", "power": "pow",
        **{name: f"nn.functional.{name}" for name in ("softplus", "silu", "gelu", "elu", "leaky_relu")},
        **dict.fromkeys(("maximum", "minimum", "clip", "stop_gradient"), "clamp"),
    })  # fmt: skip
    shapes = MappingProxyType({
        "getitem": lambda m, x, k: x[_key(k)], "embedding": lambda m, x, i: x[_key(i)],
        "transpose": lambda m, x, axes=None: x.permute(*(axes or range(x.ndim)[::-1])),
        "expand_dims": lambda m, x, a: x.unsqueeze(a), "index_set": lambda m, x, k, v: assigned(x, k, v),
        "index_add": lambda m, x, k, v: added(x, k, v),
        "squeeze": lambda m, x, axis=None: x.squeeze() if axis is None else x.squeeze(axis),
        "astype": lambda m, x, dtype: x.to(getattr(m, str(np.dtype(dtype)))),
        "take_along_axis": lambda m, x, i, axis: m.take_along_dim(x, m.as_tensor(i), axis),
    })  # fmt: skip

    def run(self, node: Tensor, args: Sequence[Any]) -> Any:
        arrays = (np.ndarray, int, float) if node.op.name == "maximum" else np.ndarray  # torch.maximum needs tensors
        tensors = [sys.modules["torch"].as_tensor(a) if isinstance(a, arrays) else a for a in args]
        return super().run(node, args if node.op.name in self.shapes else tensors)

    def spelled(self, name: str, args: list[ast.expr], options: dict[str, Any], at: Any) -> ast.expr | None:
        if name == "maximum" and is_number(args[1]) and _is_python_number(args[0]):
            return ast.Call(ast.Name("max"), args, [])
        if name in ("maximum", "minimum") and is_number(args[1]):
            end = ast.keyword({"maximum": "min", "minimum": "max"}[name], args[1])
            return ast.Call(at("torch.clamp"), args[:1], [end])
        if name in ("maximum", "minimum"):
            return ast.Call(at(f"torch.{name}"), args, [])
        if name == "sigmoid_cross_entropy":
            return ast.Call(at(f"torch.{CROSS_ENTROPY}"), args, [ast.keyword("reduction", ast.Constant("none"))])
        loss = args[0] if name in ("mean", "sum") and not options else None
        if isinstance(loss, ast.Call) and ast.unparse(loss.func).endswith(CROSS_ENTROPY.rpartition(".")[2]):
            reduction = [] if name == "mean" else [ast.keyword("reduction", ast.Constant(name))]
            return ast.Call(loss.func, loss.args, reduction)
        if name == "transpose" and len(args) == 1:  # torch.permute requires the axes
            return ast.Attribute(args[0], "T")
        if name == "stop_gradient":
            return ast.Call(ast.Attribute(args[0], "detach"), [], [])
        if name in ("logsumexp", "softmax", "log_softmax", "cumsum", "cumprod") and options.get("dim") is None:
            options["dim"] = 0 if name == "logsumexp" else -1
        if name in ("std", "var"):
            options.setdefault("correction", 0)
        return None
