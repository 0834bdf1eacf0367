"""Install TensorFlow's and Keras's names for the ops, such as `tf.reduce_sum` and `ops.cast`.

The names come from the declarations of the ops. Keywords that differ are translated here.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from .. import ops
from ..core.op import OPS
from ..ops.docstrings import complete
from .framework_tables import KERAS, KERAS_GROUPS, TENSORFLOW
from .missing_names import no_attribute
from .signatures import SIGNATURES, called_as

_ROOT = ops.__name__.rpartition(".")[0]  # minigrad

#: Other frameworks' keywords for the first argument, for the second argument, and for options.
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
    """Wrap `call` to accept the keywords of other frameworks as well, as in `tf.reduce_sum(input_tensor=x)`.

    `name=` is accepted and ignored.

    >>> translated(ops.sum)(input_tensor=[1.0, 2.0], name="total")
    Tensor(3.0, dtype=float32, op=sum)
    """

    @functools.wraps(call)
    def translating(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return call(*args)
        parameters, options = _parameters(call), {}
        if args and parameters[0] not in kwargs and all([key in parameters for key in kwargs]):
            return call(*args, **kwargs)
        for key, value in kwargs.items():
            if key in parameters:
                options[key] = value
            elif key in _FIRST:
                options[parameters[0]] = value
            elif key in _SECOND and len(parameters) > 1:
                options[parameters[1]] = value
            elif key != "name":
                options[_OPTIONS.get(key, key)] = value
        lead = []
        for parameter in parameters[len(args) :]:  # leading arguments are passed by position
            if parameter not in options:
                break
            lead.append(options.pop(parameter))
        return call(*args, *lead, **options)

    return translating


@functools.cache
def _parameters(call: Callable[..., Any]) -> list[str]:
    """Return the names of `call`'s arguments that may be passed by position, in order."""
    return [p.name for p in inspect.signature(call).parameters.values() if p.kind is not p.KEYWORD_ONLY]


class Group(ModuleType):
    """A namespace such as `tf.math`; `from minigrad.math import log` works too."""

    def __init__(self, name: str, members: Mapping[str, Any] = MappingProxyType({})) -> None:
        super().__init__(name)
        vars(self).update(members)
        sys.modules[name] = self

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self.__name__, name)

    def __dir__(self) -> list[str]:
        return public(vars(self))


def public(namespace: dict[str, Any]) -> list[str]:
    """Return a module's public names, without the names of its files."""
    return sorted(name for name in namespace.keys() - files(namespace) if not name.startswith("_"))


def files(namespace: dict[str, Any]) -> set[str]:
    """Return the names in a namespace that are modules, such as the files of a package."""
    return {name for name, value in namespace.items() if type(value) is ModuleType and not name.startswith("_")}


def beside_python(names: Collection[str]) -> list[str]:
    """Return, sorted, the names that clash with neither Python's builtins nor its standard modules."""
    return sorted(name for name in names if not (hasattr(builtins, name) or name in sys.stdlib_module_names))


def _set(root: Any, spelling: str, call: Any) -> None:
    """Set the attribute with a dotted name: for "keras.losses.mse", set `root.keras.losses.mse` to `call`."""
    *groups, name = spelling.split(".")
    for group in groups:
        if group not in vars(root):
            setattr(root, group, Group(f"{root.__name__}.{group}"))
        root = getattr(root, group)
    setattr(root, name, call)


def _install_keras() -> None:
    for op in OPS.values():
        spelling = op.facts.names.get("keras", "")
        if spelling and not hasattr(ops, spelling):
            setattr(ops, spelling, op.call)
    vars(ops).update(KERAS)
    for name in SIGNATURES["keras"].keys() & vars(ops).keys():
        setattr(ops, name, called_as(vars(ops)[name], "keras", name))
    vars(ops)["__dir__"] = lambda: public(vars(ops))
    calls = {name: call for name, call in vars(ops).items() if callable(call)}
    for group, members in KERAS_GROUPS.items():
        also = [name for name in calls if group == "numpy" and hasattr(np, name)]
        setattr(ops, group, Group(f"{ops.__name__}.{group}", {name: calls[name] for name in [*members.split(), *also]}))


def install(namespace: dict[str, Any]) -> None:
    """Add TensorFlow's names to `namespace`, and Keras's to `minigrad.ops`; `math.log` goes into the group `math`.

    >>> import minigrad as tf
    >>> tf.math.log is tf.log
    True
    >>> tf.reduce_sum(tf.constant([1.0, 2.0]), axis=0, keepdims=True).shape
    (1,)
    """
    for op in OPS.values():
        for call in (op.call, TENSORFLOW.get(op.facts.names.get("tf", "")), KERAS.get(op.facts.names.get("keras", ""))):
            if call is not None and call.__module__ != "minigrad":  # written by hand, not made by `defop`
                complete(call, op)
    by_name = {op.facts.names["tf"]: op.call for op in OPS.values() if op.facts.names.get("tf")}
    calls = {spelling: called_as(call, "tensorflow", spelling) for spelling, call in (by_name | TENSORFLOW).items()}
    tf = ModuleType(_ROOT)
    for spelling, call in calls.items():
        _set(tf, spelling, call)
    for spelling, call in calls.items():  # tf.math also contains most of the names without a group
        if "." not in spelling and spelling not in vars(tf.math):
            setattr(tf.math, spelling, call)
    for name in ("norm", "matmul", "einsum", "tensordot", "eye"):
        setattr(tf.linalg, name, calls[name])
    namespace.update({name: call for name, call in vars(tf).items() if not name.startswith("_")})
    root = sys.modules[_ROOT]
    namespace["compat"] = Group(f"{_ROOT}.compat", {"v1": root, "v2": root})
    sys.modules.update({f"{_ROOT}.compat.v1": root, f"{_ROOT}.compat.v2": root})
    _install_keras()
    for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"):
        namespace[name] = np.dtype(name)
    namespace["bool"] = np.dtype(bool)
    namespace["newaxis"] = None


def page(doc: str, namespace: dict[str, Any]) -> str:
    """Return minigrad's docstring with two more groups of names: the ops, and TensorFlow's names.

    A name that `doc` already lists (indented, before its description) is not repeated.
    """
    written = {name for names in re.findall(r"^    (\w+(?:, \w+)*)  ", doc, re.M) for name in names.split(", ")}
    rest = [name for name in public(namespace) if name not in written]
    rest += [name for name in files(namespace) if isinstance(namespace[name], Group)]
    op_names = [name for name in rest if name in OPS]
    others = sorted({*rest} - {*op_names})
    groups = {"Ops: help(mg.exp), or python -m minigrad.ops": op_names, "Names of TensorFlow": others}
    fill = functools.partial(textwrap.fill, width=100, initial_indent="    ", subsequent_indent="    ")
    return doc + "".join(f"\n{title}\n{fill(', '.join(names))}\n" for title, names in groups.items())
