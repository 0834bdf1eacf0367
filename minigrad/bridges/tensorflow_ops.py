"""Ops of TensorFlow as ops of minigrad, the names of its functions, and how it writes minigrad's ops."""

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

#: Ops with the same arguments.
SAME = {
    "Add": "add", "AddV2": "add", "BiasAdd": "add", "Sub": "subtract", "Mul": "multiply", "RealDiv": "divide",
    "Div": "divide", "Pow": "power", "Neg": "negative", "Abs": "absolute", "Reciprocal": "reciprocal",
    "Maximum": "maximum", "Minimum": "minimum", "Atan2": "arctan2", "Xlogy": "xlogy", "Xlog1py": "xlog1py",
    "Asin": "arcsin", "Acos": "arccos", "Atan": "arctan", "Asinh": "arcsinh", "Acosh": "arccosh", "Atanh": "arctanh",
    "Lgamma": "gammaln", "Select": "where", "SelectV2": "where", "StopGradient": "stop_gradient", "Equal": "equal",
    "NotEqual": "not_equal", "Less": "less", "LessEqual": "less_equal", "Greater": "greater",
    "GreaterEqual": "greater_equal", "LogicalAnd": "logical_and", "LogicalOr": "logical_or",
    "LogicalNot": "logical_not", "IsFinite": "isfinite", "IsNan": "isnan", "IsInf": "isinf", "Softplus": "softplus",
    "LogSoftmax": "log_softmax", "ZerosLike": "zeros_like", "ClipByValue": "clip", "MatrixInverse": "inv",
    "MatrixDeterminant": "det", "Cholesky": "cholesky",
}  # fmt: skip
SAME |= {name: name.lower() for name in (
    "Exp", "Expm1", "Log", "Log1p", "Sqrt", "Rsqrt", "Square", "Tanh", "Sin", "Cos", "Tan", "Sinh", "Cosh", "Sign",
    "Floor", "Ceil", "Round", "Erf", "Erfc", "Sigmoid", "Relu", "Elu", "Softmax",
)}  # fmt: skip
#: Ops that hand their argument on.
HANDED_ON = {"Identity", "ReadVariableOp", "CheckNumerics", "EnsureShape", "PreventGradient", "Snapshot"}
REDUCTIONS = {"Sum": "sum", "Mean": "mean", "Max": "max", "Min": "min", "Prod": "prod", "All": "all", "Any": "any"}


def _reduced(name: str, x: Any, axes: Any, keepdims: bool) -> Any:
    """A reduction with its axis as it is written: None for all, a number for one."""
    found = tuple(int(a) % max(x.ndim, 1) for a in np.ravel(axes))
    axis = None if len(found) == x.ndim else found if len(found) != 1 else found[0]
    return o[name](x, axis, keepdims) if keepdims else o[name](x, axis)


def _matmul(p: Mapping[str, Any], a: Any, b: Any) -> Any:
    turned = lambda x, *names: o["swapaxes"](x, -1, -2) if any(p.get(n) for n in names) else x
    return o["matmul"](turned(a, "transpose_a", "adj_x"), turned(b, "transpose_b", "adj_y"))


OTHER: dict[str, Callable[..., Any]] = {
    "MatMul": _matmul, "BatchMatMulV2": _matmul, "Reshape": lambda p, x, s: o["reshape"](x, tuple(map(int, s))),
    "Transpose": lambda p, x, axes: o["transpose"](x, tuple(map(int, axes))),
    "ExpandDims": lambda p, x, axis: o["expand_dims"](x, int(axis)),
    "Squeeze": lambda p, x: o["squeeze"](x, tuple(p.get("squeeze_dims") or ()) or None),
    "BroadcastTo": lambda p, x, s: o["broadcast_to"](x, tuple(map(int, s))),
    "SquaredDifference": lambda p, a, b: o["square"](a - b), "Pack": lambda p, *xs: o["stack"](xs, p.get("axis", 0)),
    "ConcatV2": lambda p, *xs: o["concatenate"](list(xs[:-1]), axis=int(xs[-1])),
    "OnesLike": lambda p, x: o["zeros_like"](x) + 1, "L2Loss": lambda p, x: o["sum"](o["square"](x)) / 2,
    "LeakyRelu": lambda p, x: o["leaky_relu"](x, p["alpha"]),
}  # fmt: skip


def translated(name: str, attributes: Mapping[str, Any], args: Sequence[Any], lowered: bool = False) -> Any:
    """An op of TensorFlow as nodes of minigrad; raises Differs where there is none."""
    if lowered:
        raise Differs(f"{name} is derived differently")
    if name in REDUCTIONS:
        return _reduced(REDUCTIONS[name], args[0], args[1], bool(attributes.get("keep_dims")))
    if name in SAME:
        return o[SAME[name]](*args)
    if name in OTHER:
        return OTHER[name](attributes, *args)
    raise Differs(f"no op for {name}")


def _named() -> dict[str, str]:
    """The names of TensorFlow's functions, with the op that each is."""
    found: dict[str, str] = {}
    for op in OPS.values():
        if "tf" in op.names:
            found.setdefault(op.names["tf"].rpartition(".")[2], op.name)
    return found | {"norm": "norm", "reduce_euclidean_norm": "norm", "pow": "power", "l2_normalize": ""}


NAMED = _named()
#: Ops of shapes, which no repair writes, computed by TensorFlow.
RUN: dict[str, Callable[..., Any]] = {
    "getitem": lambda tf, x, k: x[k], "identity": lambda tf, x: tf.identity(x), "copy": lambda tf, x: tf.identity(x),
    "output": lambda tf, x, i: x[i], "reshape": lambda tf, x, s: tf.reshape(x, s),
    "broadcast_to": lambda tf, x, s: tf.broadcast_to(x, s), "squeeze": lambda tf, x, a=None: tf.squeeze(x, a),
    "expand_dims": lambda tf, x, a: tf.expand_dims(x, a), "transpose": lambda tf, x, axes=None: tf.transpose(x, axes),
    "astype": lambda tf, x, dtype: tf.cast(x, np.dtype(dtype).name),
    "swapaxes": lambda tf, x, a, b: tf.linalg.matrix_transpose(x),
    "concatenate": lambda tf, *xs, axis=0: tf.concat(xs, axis), "stack": lambda tf, *xs, axis=0: tf.stack(xs, axis),
}  # fmt: skip


class TensorFlowSpelling(Spelling):
    framework, roots = "tf", {"tensorflow": "tf"}
    named, lowered = NAMED, {"std": ("sqrt", "var"), "norm": ()}

    def path(self, name: str) -> str:
        known = {"norm": "norm", "euclidean_norm": "norm"}.get(name) or (
            OPS[name].names.get("tf", "") if name in OPS else ""
        )
        return f"tensorflow.{known}" if known.replace(".", "").isidentifier() else ""


def run_op(spelling: TensorFlowSpelling, node: Tensor, args: Sequence[Any]) -> Any:
    """An op of minigrad, computed by TensorFlow as it would be written; args : tensors and constants."""
    import tensorflow as tf

    if node.op is PICK or node.op.name in RUN:
        return RUN[node.op.name](tf, *args, **(node.kwargs or {}))
    names = {f"a{i}": a for i, a in enumerate(args)}
    plain = (bool, int, float, tuple, str, type(None))
    whole = [constant(a) if isinstance(a, plain) else ast.Name(name) for name, a in names.items()]
    e = spelling.expression(node, whole)
    if e is None:
        raise Differs(f"{node.op.name} is not written in TensorFlow")
    return eval(ast.unparse(ast.fix_missing_locations(e)), {"tf": tf, "inf": math.inf, "nan": math.nan}, names)
