"""The optimizations that make calls fast: a switch to disable them, the recorders, and garbage-collector pauses.

Each fast path names the plain function it replaces, and matches it in every bit and every recorded node. The numbers
are speedups: the time without the optimization divided by the time with it.
"""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy import ndarray

from ..op import Op, no_gradient, record
from ..tensor import TENSORS, Tensor
from .calling import RAW, apply, compute, compute_and_record
from .operands import LARGE, keep, saved_copy
from .settings import arranged, form_of
from .tensor_values import Function, quietly

# The switch. A recorder looks up types in `Short` and `Raw` anyway, so turning fast paths off only empties these sets.

#: Whether the fast paths are used.
on = True
#: The type of Tensors, and the types of plain values, for which the fast paths are used.
Short: Any = TENSORS
Raw: Any = RAW


@contextmanager
def off() -> Iterator[None]:
    """Turn the fast paths off during the block, in all threads: calls use `apply`, and the collector is not paused.

    >>> with off():
    ...     y = Tensor(2.0) * Tensor(3.0)
    >>> y
    Tensor(6.0, dtype=float32, op=multiply)
    """
    global on, Short, Raw
    before = on, Short, Raw
    on, Short, Raw = False, frozenset(), frozenset()
    try:
        yield
    finally:
        on, Short, Raw = before


# Recorders: the functions behind `mg.exp` and `+`. They compute and record the same as `apply`, but 2.6 times as fast
# on graphs of single numbers, and 1.4 to 2.1 times as fast on small arrays.

#: Python operators that do the same as these ufuncs, and are 14 times as fast on single numbers.
_OPERATORS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.true_divide: operator.truediv,
    np.negative: operator.neg, np.greater: operator.gt, np.less: operator.lt,
}  # fmt: skip


def unary(op: Op) -> Function:
    """Return a fast equivalent of `lambda x: apply(op, (x,))`, for an op with one argument and no options."""
    fn = _OPERATORS.get(op.fn, op.fn)

    def call(x: Any, *, name: Any = None) -> Any:
        kind = type(x)
        try:
            if kind in Short:
                return record(op, fn(x.value), (x,))
            if kind in Raw:
                return fn(x)
        except RuntimeWarning:
            return quietly(call, x)
        except (TypeError, FloatingPointError):
            pass  # `apply` raises the same error with a readable message, or lets integers overflow silently
        return apply(op, (x,))

    return call


def binary(op: Op) -> Function:
    """Return a fast equivalent of `lambda x, y: apply(op, (x, y))`, for an op with two arguments and no options.

    A Python number is recorded as it is, and takes the dtype of the other argument.
    """
    fn = _OPERATORS.get(op.fn, op.fn)

    def call(x: Any, y: Any, *, name: Any = None) -> Any:
        try:
            if type(x) in Short:
                if type(y) in TENSORS:
                    value = fn(x.value, y.value)
                elif type(y) is ndarray and y.dtype.kind in "fiub":
                    value = fn(x.value, y)
                    y = y.__copy__() if y.nbytes < LARGE else saved_copy(y)
                elif type(y) is int or (type(y) is float and x.value.dtype.kind == "f") or _joins(y, x.value):
                    value = fn(x.value, y)
                else:
                    return apply(op, (x, y))
            elif type(y) in Short:
                if type(x) is ndarray and x.dtype.kind in "fiub":
                    value = fn(x, y.value)
                    x = x.__copy__() if x.nbytes < LARGE else saved_copy(x)
                elif type(x) is int or _joins(x, y.value):
                    value = fn(x, y.value)
                else:
                    return apply(op, (x, y))
            elif type(x) in Raw and type(y) in Raw:
                return fn(x, y)
            else:
                return apply(op, (x, y))
        except RuntimeWarning:
            return quietly(call, x, y)
        except (ValueError, IndexError, TypeError, FloatingPointError, OverflowError):
            return apply(op, (x, y))  # raises the same error with a readable message, or lets integers overflow
        return record(op, value, (x, y))

    return call


def _joins(other: Any, value: Any) -> bool:
    """Return whether `other`, an operand that is not a Tensor, can be used next to `value` without conversion."""
    kind = type(other)
    return kind is int or (kind is float and value.dtype.kind == "f") or (kind in Raw and other.dtype.kind in "fiub")


def reading(op: Op) -> Function:
    """Return a fast equivalent of `lambda x, key: apply(op, (x, key))`, for indexing with keys without Tensors.

    Speedup: 3 on small arrays.
    """

    def call(x: Any, key: Any) -> Any:
        if type(x) not in Short:
            return apply(op, (x, key))
        try:
            value = x.value[key]
        except (ValueError, IndexError, TypeError):
            return apply(op, (x, key))  # raises the same error with a readable message
        if type(key) is not int:
            key = keep(key)
            if type(value) is ndarray and not value.ndim:
                value = value[()]
        return record(op, value, (x, key))

    return call


def general(op: Op, options: Callable[..., Any] | None = None) -> Function:
    """Return a fast equivalent of `apply(op, args, kwargs)`, for an op with options or many arguments.

    It avoids examining each argument if possible. Speedup: 1.6 to 3 on small arrays, 7 on a `reshape` in a rule.

    options : the function to call instead if one of its keyword-only arguments is used.
    """
    operands = tuple(rule is not no_gradient for rule in op.vjps or (None,))
    alone = len(operands) == 1 and op.vjp_all is None  # the op has one operand, and its other arguments are options
    names = getattr(op.fn, "__code__", None)
    by_name = frozenset(names.co_varnames[: min(len(operands), names.co_argcount)] if names is not None else ())
    # Arguments of these types are converted first: see `settings`.
    odd = (Tensor, ndarray, list, np.bool_) if alone else (Tensor, list)
    optional = frozenset(options.__kwdefaults__ or ()) if options is not None else frozenset()
    of_options = form_of(options) if options is not None else None

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and optional and not optional.isdisjoint(kwargs):
            placed, kwargs = arranged(of_options, [*args], kwargs)  # type: ignore
            return options(*placed, **kwargs)  # type: ignore
        if alone and args and type(args[0]) in Short:
            if len(args) == 1 and not kwargs:
                return compute_and_record(op, (args[0].value,), args, None)
            for a in (*args[1:], *kwargs.values()) if kwargs else args[1:]:
                if isinstance(a, odd):
                    return apply(op, args, kwargs)
            return compute_and_record(op, [args[0].value, *args[1:]], args, kwargs or None)
        if args and type(args[0]) in Raw:  # a rule that runs on arrays usually makes such a call
            for a in (*args[1:], *kwargs.values()) if kwargs else args[1:]:
                if isinstance(a, odd):
                    break
            else:
                return compute(op, args, kwargs)
        if op.vjp_all is not None or (kwargs and not by_name.isdisjoint(kwargs)):
            return apply(op, args, kwargs)
        if kwargs or len(args) > len(operands):
            for a in (*args[len(operands) :], *kwargs.values()):
                if isinstance(a, (Tensor, ndarray, list, np.bool_)):
                    return apply(op, args, kwargs)
        if args and Short.issuperset(map(type, args)):
            return compute_and_record(op, [a.value for a in args], args, kwargs or None)
        recorded = met = False  # `met` means that an operand has a dtype, which Python ints can take
        for a, operand in zip_longest(args, operands[: len(args)]):
            kind = type(a)
            if kind in Short:
                recorded = True
            elif kind in Raw:
                if a.dtype.kind not in "fiub":
                    return apply(op, args, kwargs)
            elif isinstance(a, Tensor) or (operand and kind is not int):
                return apply(op, args, kwargs)
            if operand and kind is not int:
                met = True
        if not (recorded and met):
            return apply(op, args, kwargs)
        return compute_and_record(op, [a.value if type(a) in TENSORS else a for a in args], args, kwargs or None)

    return call


class gc_paused:
    """Pause the garbage collector during the block. Speedup: 1.2 on graphs of single numbers.

    Scanning a graph while it grows wastes time, because all of its objects are alive."""

    __slots__ = ("collecting",)

    def __enter__(self) -> Any:
        self.collecting = on and gc.isenabled()
        if self.collecting:  # if collection is already off, the block that paused it, in any thread, will resume it
            gc.disable()

    def __exit__(self, *error: object) -> None:
        if self.collecting:
            gc.enable()
