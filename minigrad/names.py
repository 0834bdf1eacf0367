"""The names of TensorFlow and Keras for the ops, made from the declarations: `tf.reduce_sum`, `ops.cast`.

Where a name is all that differs, the declaration says it. What takes other keywords, or arguments in another order,
is translated here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import ops
from .node import OPS
from .spellings import KERAS, KERAS_GROUPS, TENSORFLOW

#: Keywords of other frameworks for the first and the second argument, and for options.
_FIRST = {
    "a", "features", "input", "input_tensor", "inputs", "logits", "matrix", "params", "t", "tensor", "value", "values",
    "x", "x1",
}  # fmt: skip
_SECOND = {"b", "multiples", "paddings", "rhs", "x2", "y"}
_OPTIONS = {
    "a_max": "high", "a_min": "low", "alpha": "negative_slope", "clip_value_max": "high", "clip_value_min": "low",
    "dilation_rate": "dilation", "dilations": "dilation", "dim": "axis", "filters": "kernel", "ksize": "pool_size",
    "perm": "axes", "x_max": "high", "x_min": "low", "equation": "subscripts",
}  # fmt: skip


def translated(call: Callable[..., Any]) -> Callable[..., Any]:
    """`call` that also understands the keywords of other frameworks: `tf.reduce_sum(input_tensor=x)`.

    `name=` is accepted and not used.

    >>> translated(ops.sum)(input_tensor=[1.0, 2.0], name="total")
    Tensor(3.0, dtype=float32, op=sum)
    """

    @functools.wraps(call)
    def translating(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return call(*args)
        parameters, given = _parameters(call), {}
        for key, value in kwargs.items():
            if key in parameters:
                given[key] = value
            elif key in _FIRST:
                given[parameters[0]] = value
            elif key in _SECOND and len(parameters) > 1:
                given[parameters[1]] = value
            elif key != "name":
                given[_OPTIONS.get(key, key)] = value
        lead = []
        for parameter in parameters[len(args) :]:  # what stands first is handed on by position
            if parameter not in given:
                break
            lead.append(given.pop(parameter))
        return call(*args, *lead, **given)

    return translating


@functools.cache
def _parameters(call: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(call).parameters)


def _fast(call: Callable[..., Any]) -> bool:
    """Whether `call` is written out for speed; then its arguments are called x and y already."""
    code = call.__code__
    return code.co_varnames[: code.co_argcount] in (("x",), ("x", "y"))


def _place(root: Any, spelling: str, call: Any) -> None:
    """Make `root.keras.losses.mse` be `call`, for "keras.losses.mse"."""
    *groups, name = spelling.split(".")
    for group in groups:
        if not hasattr(root, group):
            setattr(root, group, SimpleNamespace())
        root = getattr(root, group)
    setattr(root, name, call)


def _install_keras() -> None:
    for op in OPS.values():
        spelling = op.names.get("keras", "")
        if spelling and not hasattr(ops, spelling):
            setattr(ops, spelling, op.call)
    for name, call in KERAS.items():
        setattr(ops, name, call)
    known = {name: call for name, call in vars(ops).items() if callable(call)}
    for group, members in KERAS_GROUPS.items():  # `ops.nn` is then this group, and no longer the file of that name
        also = [name for name in known if group == "numpy" and hasattr(np, name)]
        setattr(ops, group, SimpleNamespace(**{name: known[name] for name in [*members.split(), *also]}))


def install(namespace: dict[str, Any]) -> None:
    """Add TensorFlow's names to `namespace`, and Keras's to `minigrad.ops`; `math.log` goes into a namespace `math`.

    >>> import minigrad as tf
    >>> tf.math.log is tf.log
    True
    >>> tf.reduce_sum(tf.constant([1.0, 2.0]), axis=0, keepdims=True).shape
    (1,)
    """
    known = {op.names["tf"]: op.call for op in OPS.values() if op.names.get("tf")}
    adapted = {spelling: call if _fast(call) else translated(call) for spelling, call in known.items()} | TENSORFLOW
    tf = SimpleNamespace()
    for spelling, call in adapted.items():
        _place(tf, spelling, call)
    for spelling, call in adapted.items():  # tf.math has most of the names without a group as well
        if "." not in spelling and not hasattr(tf.math, spelling):
            setattr(tf.math, spelling, call)
    for name in ("norm", "matmul", "einsum", "tensordot", "eye"):
        setattr(tf.linalg, name, adapted[name])
    namespace.update(vars(tf))
    _install_keras()
    for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"):
        namespace[name] = np.dtype(name)
    namespace["bool"] = np.dtype(bool)
    namespace["newaxis"] = None
