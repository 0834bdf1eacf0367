"""Translate TensorFlow's ops to minigrad's, and write minigrad's ops as TensorFlow's functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..core.op import OPS
from .rebuilt_program import Differs
from .spelling import Spelling, elementwise

o = {name: op.call for name, op in OPS.items()}

#: Ops that return their argument.
HANDED_ON = {"Identity", "ReadVariableOp", "CheckNumerics", "EnsureShape", "PreventGradient", "Snapshot"}
#: Ops that are not elementwise, but take the same arguments in TensorFlow and minigrad.
SAME = {
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "StopGradient": "stop_gradient", "ZerosLike": "zeros_like",
    "MatrixInverse": "inv", "MatrixDeterminant": "det", "Cholesky": "cholesky",
}  # fmt: skip
REDUCTIONS = {"Sum": "sum", "Mean": "mean", "Max": "max", "Min": "min", "Prod": "prod", "All": "all", "Any": "any"}


def _reduced(name: str, x: Any, axes: Any, keepdims: bool) -> Any:
    """Call the reduction `name` with its axes as users write them: None for all, a number for one, else a tuple."""
    axes_from_0 = tuple(int(a) % max(x.ndim, 1) for a in np.ravel(axes))
    axis = None if len(axes_from_0) == x.ndim else axes_from_0 if len(axes_from_0) != 1 else axes_from_0[0]
    return o[name](x, axis, keepdims) if keepdims else o[name](x, axis)


def _matmul(p: Mapping[str, Any], a: Any, b: Any) -> Any:
    turned = lambda x, *names: o["swapaxes"](x, -1, -2) if any(p.get(n) for n in names) else x
    return o["matmul"](turned(a, "transpose_a", "adj_x"), turned(b, "transpose_b", "adj_y"))


def _strided_slice(p: Mapping[str, Any], x: Any, begin: Any, end: Any, strides: Any) -> Any:
    has = lambda mask, i: int(p.get(f"{mask}_mask") or 0) >> i & 1

    def key(i: int, low: int, high: int, step: int) -> Any:
        if has("ellipsis", i):
            return Ellipsis
        if has("new_axis", i):
            return None
        if has("shrink_axis", i):
            return low
        return slice(None if has("begin", i) else low, None if has("end", i) else high, None if step == 1 else step)

    keys = [key(i, *map(int, k)) for i, k in enumerate(zip(begin, end, strides))]
    return o["getitem"](x, keys[0] if len(keys) == 1 else tuple(keys))


OTHER: dict[str, Callable[..., Any]] = {
    "MatMul": _matmul, "BatchMatMulV2": _matmul, "Reshape": lambda p, x, s: o["reshape"](x, tuple(map(int, s))),
    "Transpose": lambda p, x, axes: o["transpose"](x, tuple(map(int, axes))),
    "ExpandDims": lambda p, x, axis: o["expand_dims"](x, int(axis)),
    "Squeeze": lambda p, x: o["squeeze"](x, tuple(p.get("squeeze_dims") or ()) or None),
    "BroadcastTo": lambda p, x, s: o["broadcast_to"](x, tuple(map(int, s))),
    "SquaredDifference": lambda p, a, b: o["square"](a - b), "Pack": lambda p, *xs: o["stack"](xs, p.get("axis", 0)),
    "ConcatV2": lambda p, *xs: o["concatenate"](list(xs[:-1]), axis=int(xs[-1])),
    "OnesLike": lambda p, x: o["zeros_like"](x) + 1, "L2Loss": lambda p, x: o["sum"](o["square"](x)) / 2,
    "StridedSlice": _strided_slice, "LeakyRelu": lambda p, x: o["leaky_relu"](x, p["alpha"]),
}  # fmt: skip


def translated(name: str, attributes: Mapping[str, Any], args: Sequence[Any]) -> Any:
    """Compute a TensorFlow op with minigrad's ops and return the result; raise Differs if no op corresponds to it."""
    if name in REDUCTIONS:
        return _reduced(REDUCTIONS[name], args[0], args[1], bool(attributes.get("keep_dims")))
    if name in OTHER:
        return OTHER[name](attributes, *args)
    call = o[SAME[name]] if name in SAME else elementwise(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
    if call is None:
        raise Differs(f"no op for {name}")
    return call(*args)


class TensorFlowSpelling(Spelling):
    framework, roots = "tf", MappingProxyType({"tensorflow": "tf"})
    paths = MappingProxyType({"norm": "norm", "euclidean_norm": "norm"})
    lowered = MappingProxyType({"std": ("sqrt", "var"), "norm": ()})
    unlike = MappingProxyType({"reduce_euclidean_norm": "norm", "l2_normalize": ""})
    shapes = MappingProxyType({
        "identity": lambda tf, x: tf.identity(x), "copy": lambda tf, x: tf.identity(x),
        "astype": lambda tf, x, dtype: tf.cast(x, np.dtype(dtype).name),
        "swapaxes": lambda tf, x, a, b: tf.linalg.matrix_transpose(x),
    })  # fmt: skip

    def spelled(self, name: str, args: list[ast.expr], options: dict[str, Any], at: Any) -> ast.expr | None:
        if name == "sigmoid_cross_entropy":  # TensorFlow's function takes its arguments only by keyword, labels first
            keywords = [ast.keyword("labels", args[1]), ast.keyword("logits", args[0])]
            return ast.Call(at("tensorflow.nn.sigmoid_cross_entropy_with_logits"), [], keywords)
        return None
