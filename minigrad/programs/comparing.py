"""Compare a program's results with its function's, also for other numbers, and find the first call that differs."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ..core.op import as_leaf, record
from ..core.support.structure import children, flatten, is_structure, rebuild
from ..core.tensor import Tensor
from ..core.variable import READ, Variable, restored_variables
from ..tracing.names import same_bytes
from ..tracing.overlay import Overlay
from .arguments import ARRAYS, is_tensor
from .expressions import name_of
from .instructions import EachRow, Line, constant, passed_in
from .listing import Listing, real
from .recording import RecordedRun

# Results.


def same(a: Any, b: Any) -> bool:
    """Return whether two results have the same structure and are equal byte by byte."""
    if is_structure(a):
        if type(a) is not type(b) or (isinstance(a, Mapping) and [*map(repr, a)] != [*map(repr, b)]):
            return False
        pairs = [*zip(children(a), children(b))]
        return len(pairs) == len(children(a)) == len(children(b)) and all(
            repr(key) == repr(other) and same(x, y) for (key, x), (other, y) in pairs
        )
    array = is_tensor(a) or isinstance(a, ARRAYS)
    if array is not (is_tensor(b) or isinstance(b, ARRAYS)):
        return False
    a, b = (real(x.value if is_tensor(x) else x) for x in (a, b))
    if not array:
        return a is b or (type(a) is type(b) and repr(a) == repr(b))
    return same_bytes(a, b) or same_bytes(_unsigned_nan(a), _unsigned_nan(b))


def _unsigned_nan(x: Any) -> Any:
    """Return `x` with a positive sign for each nan: the sign of nan + nan differs between NumPy scalars and arrays."""
    x = np.asarray(x)
    return np.where(np.isnan(x), x.dtype.type(np.nan), x) if x.dtype.kind == "f" else x


# Other numbers.


def other_number(x: Any) -> Any:
    """Return different numbers of the same kind: floats with the same signs, an array of integers in reverse order.

    >>> other_number(np.array([2.0, 0.0])), other_number(np.array([0, 2, 1])), other_number(3)
    (array([1.75 , 0.125]), array([1, 2, 0]), 4)
    """
    if type(x) in (int, float):
        return x + 1 if type(x) is int else 0.875 * x + 0.125 * (x == 0)
    kind = np.asarray(x).dtype.kind
    others = np.flip(x) if kind != "f" else x * x.dtype.type(0.875) + (x == 0) * x.dtype.type(0.125)
    if isinstance(x, np.generic):
        return x.dtype.type(others)
    like = np.empty_like(x)
    like[...] = others
    return like


def other_arguments(arguments: Any, fixed: Sequence[bool]) -> Any:
    """Return arguments of the same kind with different numbers, to compare a program with its function there.

    fixed : for each leaf, whether it stays unchanged. Variables stay too.
    """
    leaves = []
    for x, stays in zip(flatten(arguments), fixed):
        if stays or isinstance(x, Variable):
            leaves.append(x)
        else:
            leaves.append(as_leaf(other_number(x.value)) if isinstance(x, Tensor) else other_number(x))
    return rebuild(arguments, leaves)


def other_variables(variables: Sequence[Variable]) -> Overlay:
    """Return a context that makes this thread read different numbers from the Variables."""
    return Overlay({v.serial: record(READ, other_number(v.value), (v,)) for v in variables})


# Calls.


def first_difference(program: Listing, function: Listing) -> str:
    """Return a phrase about the first NumPy call that differs between two runs of a function, or "" if none does.

    program : the calls of the run that became the program.
    function : the calls of another run, which may be later or with other numbers.
    """
    numbers: dict[Line, int] = {}
    pairs = zip_longest(*([line for line in listing.lines if line.function is not constant]
                          for listing in (program, function)))  # fmt: skip
    for i, (old, new) in enumerate(pairs):
        if old is None or new is None:
            return f"{_at(function, new)} has no counterpart in it" if new else f"{_at(program, old)} is missing now"
        numbers[old] = numbers[new] = i
        if not _same_function(old.function, new.function):
            return f"{_at(function, new)}; the program has {_name(old)}"
        if old.function is passed_in:
            continue
        pairs_of = [(str(n), a, b) for n, (a, b) in enumerate(zip_longest(old.args, new.args))]
        pairs_of += [(repr(k), old.kwargs.get(k), new.kwargs.get(k)) for k in {**old.kwargs, **new.kwargs}]
        for which, a, b in pairs_of:
            if not _same_argument(a, b, numbers):
                name = program.names.get(id(a), "")
                return (
                    f"{_at(function, new)}: its argument {which}{f' ({name})' if name else ''} is {_shown(b)}, "
                    f"and {_shown(a)} in the program"
                )
    return ""


def _same_function(f: Any, g: Any) -> bool:
    if isinstance(f, EachRow) and isinstance(g, EachRow):
        f, g = f.line.function, g.line.function
    return f is g or f == g


def _same_argument(a: Any, b: Any, numbers: dict[Line, int]) -> bool:
    if isinstance(a, Line) and isinstance(b, Line):
        if a.function is constant and b.function is constant:
            return same_bytes(a.value, b.value)
        return numbers.get(a, -1) == numbers.get(b, -2)
    if isinstance(a, (tuple, list)) and type(a) is type(b):
        return len(a) == len(b) and all(_same_argument(x, y, numbers) for x, y in zip(a, b))
    if type(a) is slice and type(b) is slice:
        return all(_same_argument(getattr(a, end), getattr(b, end), numbers) for end in ("start", "stop", "step"))
    return type(a) is type(b) and repr(a) == repr(b)


def _name(line: Line) -> str:
    f = line.function.line.function if isinstance(line.function, EachRow) else line.function
    return "an index" if f is operator.getitem else name_of(f)


def _at(listing: Listing, line: Line) -> str:
    where = listing.places.get(line)
    return f"{_name(line)} ({where})" if where else _name(line)


def _shown(x: Any) -> str:
    x = x.value if isinstance(x, Line) and x.function is constant else x
    if isinstance(x, Line):
        return f"a result of {_name(x)}" if x.function is not passed_in else "an argument or a Variable"
    return f"{x:.6g}" if isinstance(x, (float, np.floating)) else f"{x!r:.60}"


def parting(f: Any, args: Any, kwargs: Any, program: RecordedRun) -> str:
    """Run and record `f` again, and return a sentence about the first call that differs from its program.

    args, kwargs : the arguments of the call. program : the run that became the program.
    """
    what = ""
    with contextlib.suppress(Exception), restored_variables():
        again = RecordedRun(f, args, kwargs, program.argument_names, program.decided(), located=True)
        what = first_difference(program.listing, again.listing)
        again.forget()
    return (
        f"it differs from its program at {what or 'a result that no call to NumPy computes'}. A program keeps "
        "everything except its arguments and Variables as it was when it was written: pass what changes as an argument"
    )
