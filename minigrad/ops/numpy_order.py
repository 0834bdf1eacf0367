"""NumPy's arguments: a function called by its NumPy name takes the same arguments as in NumPy, in the same order.

>>> import numpy as np
>>> from ..core.tensor import constant
>>> BY_NUMPY[np.nan_to_num](constant([np.nan, 1.0]), True, 5.0).value  # the second argument is `copy`
array([5., 1.], dtype=float32)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.support.error_words import called_wrongly
from ..core.support.operands import holds_tensor
from ..core.support.tensor_values import as_value
from ..core.tensor import Tensor
from . import least_squares, nans, numpy_linalg, shorthand, statistics  # noqa: F401  declared before this file runs
from .declare import BY_NUMPY
from .identities import astype
from .numpy_options import BY_FIELD, NO_EFFECT, refusal, spelled

#: The names in minigrad's ops for options that have a different name in NumPy.
_RENAMED: dict[str, dict[str, str]] = {
    "clip": {"a_min": "low", "a_max": "high", "min": "low", "max": "high"},
    "reshape": {"newshape": "shape"},
}

_NONE: Any = vars(np)["_NoValue"]  # the type hints of older NumPy versions do not have this name

#: The arguments of functions for which some NumPy versions since 2.0 have no signature, or a signature without the
#: newest options.
_SIGNATURES: dict[str, Any] = {
    "clip": lambda a, a_min=_NONE, a_max=_NONE, out=None, *, min=_NONE, max=_NONE, **kwargs: None,
    "concatenate": lambda arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind": None,
    "dot": lambda a, b, out=None: None,
    "inner": lambda a, b, /: None,
    "vdot": lambda a, b, /: None,
    "where": lambda condition, x=None, y=None, /: None,
}

#: The defaults of NumPy options that do not appear in the signature because the function takes `**kwargs`.
_DEFAULTS: dict[str, Any] = {"reflect_type": "even", "stat_length": None, "end_values": 0, "casting": "same_kind"}

#: The options that an op with `**keywords` accepts and passes on.
_HANDED_ON = frozenset({"dtype", "initial", "where", "casting", "correction"})

_REQUIRED = inspect.Parameter.empty


@functools.cache
def numpys_signature(theirs: Callable[..., Any]) -> inspect.Signature:
    """The signature of a NumPy function that is not a ufunc."""
    return inspect.signature(_SIGNATURES.get(theirs.__name__, theirs) if theirs in _UNSIGNED else theirs)


_UNSIGNED = {np.clip, np.concatenate, np.dot, np.inner, np.vdot, np.where}


class _Order:
    """The translation of a NumPy function's arguments to minigrad's.

    alike : the number of leading arguments that both functions have in the same positions.
    """

    def __init__(self, theirs: Callable[..., Any], ours: Callable[..., Any]) -> None:
        self.name, self.signature = spelled(theirs), numpys_signature(theirs)
        self.renamed = _RENAMED.get(self.name.removeprefix("np."), {})
        parameters = inspect.signature(ours).parameters
        kinds = {p.kind for p in parameters.values()}
        self.names = {p.name for p in parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
        self.names |= _HANDED_ON if inspect.Parameter.VAR_KEYWORD in kinds else frozenset()
        self.alike = 0
        for mine, p in zip(parameters.values(), self.signature.parameters.values()):
            if p.VAR_POSITIONAL in (p.kind, mine.kind):
                self.alike = 10**6
                break
            by_name = p.default is _NONE or p.KEYWORD_ONLY in (p.kind, mine.kind)
            if by_name or (p.default is not _REQUIRED and p.name != mine.name):
                break
            self.alike += 1

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Translate the arguments of a call to NumPy's function into arguments of minigrad's function."""
        try:
            values = self.signature.bind(*args, **kwargs).arguments
        except TypeError as why:
            raise called_wrongly(self.name, self.signature, why, kwargs) from None
        lead: list[Any] = []
        options: dict[str, Any] = {}
        for name, p in self.signature.parameters.items():
            if name not in values:
                continue
            if p.kind is p.VAR_KEYWORD:
                for option, value in values[name].items():
                    self._add(options, option, value, _DEFAULTS.get(option))
            elif p.kind is p.VAR_POSITIONAL:
                lead += values[name]
            elif p.default is _REQUIRED:
                lead.append(values[name])
            else:
                self._add(options, name, values[name], p.default)
        return lead, options

    def _add(self, options: dict[str, Any], name: str, value: Any, default: Any) -> None:
        """Add an option to minigrad's arguments, or raise TypeError if the option is not allowed."""
        mine = self.renamed.get(name, name)
        if value is _NONE:
            return
        if mine in self.names:
            if mine in options and _same(value, default):
                return
            if mine in options:
                raise TypeError(f"{self.name} was called with {name}= and with another name of the same option")
            options[mine] = value
        elif not _without_effect(self.name, name, value) and not _same(value, default):
            raise refusal(self.name, name, value)


def _without_effect(function: str, name: str, value: Any) -> bool:
    if name == "order" and function.removeprefix("np.") in BY_FIELD:
        return False
    return name in NO_EFFECT and (name != "device" or value in (None, "cpu"))


def _same(value: Any, default: Any) -> bool:
    """Return whether the value that was passed for an option equals NumPy's default, so it has no effect."""
    return value is default or (type(value) is type(default) and not isinstance(value, np.ndarray) and value == default)


_orders = functools.cache(_Order)


def in_numpys_order(theirs: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `ours` with the arguments of NumPy's function `theirs`."""

    @functools.wraps(ours)
    def call(*args: Any, **kwargs: Any) -> Any:
        order = _orders(theirs, ours)
        if not kwargs and 0 < len(args) <= order.alike:  # the most common case
            return ours(*args)
        lead, options = order.arguments(args, kwargs)
        return ours(*lead, **options)

    return call


for _function, _op in list(BY_NUMPY.items()):
    if not isinstance(_function, np.ufunc):
        BY_NUMPY[_function] = in_numpys_order(_function, _op)


# Ufuncs: they all take the same arguments and options.


def call_ufunc(ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a ufunc's op with NumPy's arguments, as in `np.add(x, y, dtype="float64")`.

    dtype : the dtype that the arguments are converted to first, as far as `casting` allows.
    """
    name, op = spelled(ufunc), BY_NUMPY[ufunc]
    if len(args) < ufunc.nin:
        raise TypeError(f"{name} takes {ufunc.nin} arguments, got {len(args)}")
    options = dict(kwargs)
    outs = [*args[ufunc.nin :], *np.atleast_1d(np.array(options.pop("out", None), object))]
    for out in outs:
        if out is not None:
            raise refusal(name, "out", out)
    values = args[: ufunc.nin]
    dtype, casting = options.pop("dtype", None), options.pop("casting", "same_kind")
    if options.pop("where", True) is not True:
        raise refusal(name, "where", kwargs["where"])
    for option in ("order", "subok"):
        options.pop(option, None)
    taken = inspect.signature(op).parameters
    for option, value in list(options.items()):
        if value is _NONE or (option == "keepdims" and value is False):
            del options[option]
        elif option not in taken:
            if option not in _UFUNC_OPTIONS:
                raise TypeError(f"{name} has no option {option}=; it has out, where, casting, order, dtype and subok")
            raise refusal(name, option, value)
    if dtype is None:
        return op(*values, **options)
    dtype = np.dtype(dtype)
    result = op(*(_cast(ufunc, i, x, dtype, casting) for i, x in enumerate(values)), **options)
    for y in result if isinstance(result, tuple) else (result,):
        if y.dtype != dtype:
            raise TypeError(f"{name} does not compute in {dtype}: its result is of dtype {y.dtype}")
    return result


_UFUNC_OPTIONS = {"signature", "sig", "axis", "axes", "keepdims"}


def _cast(ufunc: np.ufunc, i: int, x: Any, dtype: np.dtype[Any], casting: Any) -> Any:
    """Argument i of a ufunc, converted to `dtype`, or unchanged if `dtype` is bool and the ufunc returns bools."""
    if dtype.kind == "b" and ufunc.types[-1].endswith("?"):
        return x
    value = as_value(x) if not isinstance(x, Tensor) else x
    python = isinstance(x, (bool, int, float)) and not isinstance(x, np.generic)
    if not python and not np.can_cast(value.dtype, dtype, casting):
        how = f"from {value.dtype} to {dtype} by casting={casting!r}"
        raise TypeError(f"{spelled(ufunc)} cannot cast argument {i} {how}")
    return astype(x if holds_tensor(x) else value, dtype)
