"""Operands and settings: the arguments that an op computes with, and the arguments that control it, such as an axis.

A call may pass them by position or by keyword, as a Python value, an array, a Tensor or a Variable. Before an op
computes, operands move to the positions that the rules expect, and settings become plain Python values.
An argument is a setting if its annotation names a type, such as `int` or `str`, or if it has no annotation and comes
after the arguments that have rules. Everything else is an operand.
"""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..tensor import Tensor
from .tensor_values import Function, is_placeholder

if TYPE_CHECKING:
    from ..op import Op


class Form(NamedTuple):
    """A signature in terms of operands and settings.

    names : the arguments allowed by position, in order. defaults : the defaults of optional arguments, by name.
    settings : the names of the settings. many : whether the function takes any number of operands (`*arrays`).
    sure : whether all other arguments are operands; if not, only the arrays and Tensors among them are operands.
    """

    names: tuple[str, ...]
    defaults: dict[str, Any]
    settings: frozenset[str]
    many: bool
    sure: bool = True

    def moves(self, name: str, a: Any) -> bool:
        """Return whether `a`, passed as the keyword `name`, is an operand and must move to its position."""
        return name in self.names and name not in self.settings and (self.sure or isinstance(a, (Tensor, np.ndarray)))


def form_of(fn: Function, operands: int | None = None) -> Form:
    """Return the Form of a function; only its first `operands` arguments (default: all) may be operands.

    >>> form_of(lambda x, high=None, axis=-1: x, 2).settings
    frozenset({'axis'})
    """
    if isinstance(fn, np.ufunc):
        return Form(("x", "y")[: fn.nin], {}, frozenset(), False)
    try:
        parameters = [*inspect.signature(fn).parameters.values()]
    except (TypeError, ValueError):  # a function written in C
        return Form((), {}, frozenset(), True)
    at_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    beyond = set()  # unannotated parameters behind the operands: an op's rules do not count them, so they are options
    if operands is not None:
        beyond = {p.name for p in at_place[operands:] if p.annotation is p.empty}
    settings = {p.name for p in parameters if p.name in beyond or _names_a_type(p.annotation)}
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return Form(tuple(p.name for p in at_place), defaults, frozenset(settings), many)


def _names_a_type(annotation: Any) -> bool:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", repr(annotation))
    return annotation is not inspect.Parameter.empty and not re.search(r"\bAny\b", text)


@functools.lru_cache(maxsize=1024)
def form(op: Op) -> Form:
    """Return the form of an op's function."""
    return form_of(op.fn, None if op.vjps is None else len(op.vjps))._replace(sure=op.vjp_all is None)


def arranged(form: Form, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments, with keyword operands moved to their positions and settings converted to plain values.

    An omitted option that comes before such an operand gets its default: `clip(x, high=3.0)` becomes
    `clip(x, None, 3.0)`.
    """
    names, settings = form.names, form.settings
    moved = []
    if not form.many:  # behind *arrays there are no positions to move to
        moved = [names.index(name) for name, a in kwargs.items() if form.moves(name, a)]
    if moved:
        kwargs = dict(kwargs)
        for name in names[len(args) : max(moved) + 1]:
            if name not in kwargs and name not in form.defaults:
                break  # a required operand is missing, so the call raises an error
            args.append(kwargs.pop(name) if name in kwargs else form.defaults[name])
    if settings:
        for i, name in enumerate(names[: len(args)]):
            if name in settings:
                args[i] = plain_setting(args[i], name)
        kwargs = {name: plain_setting(a, name) if name in settings else a for name, a in kwargs.items()}
    return args, kwargs


def plain_setting(a: Any, name: str = "a setting") -> Any:
    """Return a setting as Python values: numbers, tuples of integers, and arrays of anything else.

    Raises LostGradient for a float Tensor that is being differentiated, and TypeError for any other float Tensor,
    because settings have no gradient.

    >>> plain_setting(np.array([0, 1])), plain_setting(Tensor(-1)), plain_setting(("edge", np.True_))
    ((0, 1), -1, ('edge', True))
    """
    if isinstance(a, Tensor):
        a = a.read_value()
        if a.dtype.kind == "f":
            a._check_conversion("a plain array" if a.shape else "a plain number")
            raise TypeError(
                f"{name} has no gradient and takes plain numbers, got a Tensor of floats of shape {a.shape}; "
                f"write {name}=x.{'numpy' if a.shape else 'item'}() if you want its numbers"
            )
        a = a.value
    if isinstance(a, (list, tuple)) and not hasattr(a, "_fields"):
        if not any(isinstance(item, _ODD) for item in a):
            return a
        return type(a)(plain_setting(item, name) for item in a)
    if not isinstance(a, (np.ndarray, np.generic)) or is_placeholder(a):
        return a
    if not a.shape:
        return a.item()
    return _tuples(a.tolist()) if a.dtype.kind in "iu" else a


_ODD = (Tensor, np.ndarray, np.generic, list, tuple)


def _tuples(rows: Any) -> Any:
    return tuple(map(_tuples, rows)) if isinstance(rows, list) else rows
