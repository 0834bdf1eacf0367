"""Calls with the signatures of TensorFlow and Keras: argument names, order and defaults.

`signatures.txt` lists the arguments of both frameworks' functions. `called_as` binds a call to such a signature and
passes the arguments to minigrad's function: required arguments by position, and options under their own name or under
minigrad's name for them in `SYNONYMS`. If minigrad's function does not have an option, any value other than the default
raises an error that names the option.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..core.op import OPS
from ..core.support.error_words import advised, keyword_hint
from ..ops.docstrings import Signature, Word

Function = Callable[..., Any]


class Parameter(NamedTuple):
    """An argument in the text of a signature.

    default : the default as text, or "" if the argument is required.
    """

    name: str
    default: str

    @property
    def value(self) -> Any:
        """The default as a Python value; a dtype is represented by its name."""
        return ast.literal_eval(self.default)


def _read() -> dict[str, dict[str, str]]:
    """Read the table: framework -> function name -> the text between the parentheses of its signature."""
    signatures: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            here = signatures[line[1:].partition(" ")[0]] = {}
        elif line and not line.startswith("#"):
            name, _, rest = line[:-1].partition("(")
            here[name] = rest
    return signatures


SIGNATURES = _read()

#: Options that have no effect in minigrad: names, hints about speed and memory, conjugates of real numbers.
WITHOUT_EFFECT = frozenset(
    [
        "a_is_sparse",
        "aggregation_method",
        "autograph",
        "b_is_sparse",
        "conjugate",
        "dtype_hint",
        "experimental_attributes",
        "experimental_autograph_options",
        "experimental_compile",
        "experimental_follow_type_hints",
        "experimental_implements",
        "experimental_relax_shapes",
        "experimental_use_pfor",
        "fallback_to_while_loop",
        "fast",
        "gate_gradients",
        "grad_a",
        "grad_b",
        "infer_shape",
        "input_signature",
        "jit_compile",
        "layout",
        "name",
        "optimize",
        "parallel_iterations",
        "reduce_retracing",
        "shape_invariants",
        "sorted",
        "summarize",
        "swap_memory",
        "synchronized",
        "validate_args",
        "validate_indices",
        "warn",
    ]
)
#: Options that have a different name in minigrad.
SYNONYMS = {
    "alpha": "negative_slope", "dilation_rate": "dilation", "multiples": "reps", "perm": "axes", "x1": "x", "x2": "y",
    "M": "m",
}  # fmt: skip


def parameters(signature: str) -> list[Parameter]:
    """Return the arguments of a signature that can be passed by position.

    >>> parameters("x, axis=-1, *rest")
    [Parameter(name='x', default=''), Parameter(name='axis', default='-1')]
    """
    parts = [part.partition("=") for part in signature.split(", ") if part]
    return [Parameter(name, default) for name, _, default in parts if not name.startswith("*")]


def called_as(call: Function, framework: str, spelling: str) -> Function:
    """Return `call` with the signature of the framework function `spelling`, or unchanged if the signatures agree.

    >>> from minigrad.core.op import OPS
    >>> called_as(OPS["arctan2"].call, "tensorflow", "math.atan2")(x=1.0, y=0.0)
    Tensor(0.0, dtype=float32, op=arctan2)
    """
    signature = SIGNATURES[framework].get(spelling)
    if not isinstance(call, FunctionType):
        return call
    if signature is None or _agrees(call, signature):
        of_op = call.__name__ in OPS and OPS[call.__name__].call is call  # it gives advice itself
        return call if of_op or {"axis", "keepdims"}.isdisjoint(call.__code__.co_varnames) else advised(call)
    if re.search(r"(^|, )\*\w", signature):  # any number of arguments, like tf.einsum
        return _nameless(call) if framework == "tensorflow" else call
    binding = Binding(call, spelling, signature)

    @functools.wraps(call)
    def bound(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) <= binding.alike:
            return call(*args)
        lead, options = binding.bind(args, kwargs)
        return call(*lead, **options)

    bound.__signature__ = BoundSignature(binding)  # type: ignore[attr-defined]
    return bound


def _nameless(call: Function) -> Function:
    """Wrap `call` to accept an additional option `name`, which has no effect."""

    @functools.wraps(call)
    def nameless(*args: Any, name: Any = None, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    return nameless


def _agrees(call: Function, signature: str) -> bool:
    """Return whether the arguments of `call` begin with a signature's arguments, with the same names and defaults.

    An argument that is required in the signature may have a default in `call`.

    The code object is inspected, because `inspect.signature` takes much longer.
    """
    if call.__code__.co_flags & inspect.CO_VARARGS:  # `call` wraps an op's function, which has the named arguments
        call = inspect.unwrap(call)
    code = getattr(call, "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS:
        return False
    defaults = [_text(default) for default in call.__defaults__ or ()]
    ours = [*zip(code.co_varnames, [""] * (code.co_argcount - len(defaults)) + defaults)]
    named = "name" in code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    theirs = [p for p in parameters(signature) if not (named and p.name == "name")]
    pairs = [*zip(ours, theirs)]
    same = all(name == p.name and (default == p.default or not p.default) for (name, default), p in pairs)
    return same and len(pairs) == len(theirs)


def _text(default: Any) -> str:
    return repr(default).replace(" ", "")


class Binding:
    """A translator from calls with a framework's signature to calls to minigrad's function."""

    def __init__(self, call: Function, spelling: str, signature: str) -> None:
        self.call, self.shown = call, f"{spelling}({signature})"
        self.spelling, self.theirs = spelling, parameters(signature)

    @functools.cached_property
    def ours(self) -> dict[str, inspect.Parameter]:
        """Name of an argument of minigrad's function -> its `inspect.Parameter`."""
        return dict(inspect.signature(self.call).parameters)

    @functools.cached_property
    def order(self) -> list[str]:
        """The names of minigrad's arguments that can be passed by position, in order."""
        return [p.name for p in self.ours.values() if p.kind is p.POSITIONAL_OR_KEYWORD]

    @functools.cached_property
    def targets(self) -> dict[str, str]:
        """The framework's name for an argument -> minigrad's name for it."""
        targets = {p.name: ours for p, ours in zip(self.theirs, self.order) if not p.default}
        taken = {*targets.values()}
        for p in self.theirs:
            for name in (p.name, SYNONYMS.get(p.name, "")):
                if p.name not in targets and name in self.ours.keys() - taken:
                    targets[p.name] = name
        return targets

    @functools.cached_property
    def defaults(self) -> dict[str, str]:
        """Minigrad's name for an argument -> the framework's default as text, if it differs from minigrad's."""
        texts = {name: _text(p.default) for name, p in self.ours.items()}
        pairs = [(self.targets[p.name], p.default) for p in self.theirs if p.default and p.name in self.targets]
        return {name: text for name, text in pairs if text not in ("None", texts[name]) and "type" not in name}

    @functools.cached_property
    def alike(self) -> int:
        """The number of leading arguments that are the same in both signatures, or -1 if a default differs."""
        if self.defaults:
            return -1
        pairs = [*zip((self.targets.get(p.name) for p in self.theirs), self.order)]
        return next((i for i, (theirs, ours) in enumerate(pairs) if theirs != ours), len(pairs))

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Translate a call's arguments; return the positional and keyword arguments for minigrad's function."""
        if len(args) > len(self.theirs) or not self._named(args):  # minigrad's own order, as in round(x, 2)
            return [*args], kwargs
        by_name = {p.name: value for p, value in zip(self.theirs, args)}
        translated: dict[str, Any] = {}
        for name, value in kwargs.items():
            if name in by_name:
                raise TypeError(f"{self.shown} got {name!r} twice, by position and by name")
            theirs = any(name == p.name for p in self.theirs)
            if not theirs and name not in self.ours:
                required = [p.name for p in self.theirs if not p.default]
                hint = keyword_hint(name, [*(p.name for p in self.theirs), *self.ours], required)
                raise TypeError(f"{self.shown} has no argument {name!r}{hint}")
            (by_name if theirs else translated)[name] = value
        return self._ordered(self._translated(by_name, translated))

    def _named(self, args: Sequence[Any]) -> bool:
        """Return whether positional arguments fit the framework's parameter `name`, which takes a string or None."""
        return all(value is None or isinstance(value, str) for p, value in zip(self.theirs, args) if p.name == "name")

    def _translated(self, theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments by minigrad's names.

        theirs : the arguments that are passed under the framework's names. ours : those under minigrad's names.
        """
        values = dict(ours)
        for p in self.theirs:
            target = self.targets.get(p.name)
            if p.name not in theirs:
                if not p.default and target not in ours:
                    raise TypeError(f"{self.shown} needs {p.name!r}")
            elif target in ours:
                raise TypeError(f"{self.shown} got {p.name!r} twice: {target!r} is its name here")
            elif target:
                if not (theirs[p.name] is None and p.default == "None"):  # for None, minigrad's own default applies
                    values[target] = theirs[p.name]
            elif p.name not in WITHOUT_EFFECT and not _same(theirs[p.name], p.value):
                raise TypeError(
                    f"{self.shown}: {p.name}={theirs[p.name]!r:.60} is not available here; leave it at {p.default}"
                )
        for name, text in self.defaults.items():
            if name not in values:
                values[name] = ast.literal_eval(text)
        return values

    def _ordered(self, values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        lead = []
        for name in self.order:
            if name not in values:
                break
            lead.append(values.pop(name))
        return lead, values


def _same(value: Any, default: Any) -> bool:
    """Return whether the value of an option equals its default, given as in a signature; a dtype is given by name."""
    if value is None or default is None or isinstance(value, (bool, int, float, str, list, tuple)):
        return type(value) is type(default) and value == default
    return np.dtype(value) == default


class BoundSignature(Signature):
    """The signature that `help` shows: first the framework's arguments, then minigrad's further options.

    It is created when it is first read.
    """

    def __init__(self, binding: Binding) -> None:
        self.binding = binding

    @functools.cached_property
    def whole(self) -> inspect.Signature:
        binding, shown = self.binding, []
        for p in binding.theirs:
            ours = binding.ours.get(binding.targets.get(p.name, ""))
            kind, default = inspect.Parameter.POSITIONAL_OR_KEYWORD, p.value if p.default else inspect.Parameter.empty
            annotation = Word("Any") if ours is None else ours.annotation
            shown.append(inspect.Parameter(p.name, kind, default=default, annotation=annotation))
        names = {p.name for p in binding.theirs} | {*binding.targets.values()}
        rest = [p.replace(kind=p.KEYWORD_ONLY) for p in binding.ours.values() if p.name not in names]
        returns = inspect.signature(binding.call).return_annotation
        return inspect.Signature([*shown, *rest], return_annotation=returns)
