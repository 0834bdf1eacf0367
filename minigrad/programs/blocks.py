"""Elementwise work on large arrays, done block by block, with the same bits.

A chain of ufuncs over ten million numbers is limited by memory: each reads and writes all of them. Run over a few
thousand numbers at a time, what one block needs stays in the cache, and main memory is read and written once.
"""

from __future__ import annotations

import functools
import math
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .lines import Line, astype, is_ufunc

LEAST = 1 << 20  # bytes of an array for which work in blocks pays
HUGE = 1 << 25  # bytes: above, the system allocates each new array page by page, which takes as long as filling it
BLOCK = 1 << 14  # elements at a time: a handful of them fit into the cache of a core


def reorder(lines: Sequence[Line]) -> list[Line | list[Line]]:
    """Reorder lines so that elementwise lines on large arrays are adjacent; three or more of them form a list."""
    done: list[Line | list[Line]] = []
    region: dict[Line, None] = {}
    after: dict[Line, None] = {}  # lines that need results of the region

    def close() -> None:
        done.extend([list(region)] if len(region) > 2 else region)
        done.extend(after)
        region.clear()
        after.clear()

    for line in lines:
        late = any(a in after for a in line.uses)
        if runs_in_blocks(line):
            if late or (region and line.shape != next(iter(region)).shape):
                close()
            region[line] = None
        elif late or any(a in region for a in line.uses):
            after[line] = None
        else:
            done.append(line)
    close()
    return done


def runs_in_blocks(line: Line) -> bool:
    """Whether the line can be run on a block of its arguments, and is large enough."""
    if line.nbytes < LEAST // (8 if line.dtype == bool else 1) or not line.shape or not line.contiguous or line.kwargs:
        return False
    if not (is_ufunc(line) or line.function in (np.where, astype)):
        return False
    return all((a.shape == line.shape and a.contiguous) or a.shape == () for a in line.uses)


class Spare:
    """Memory for a huge result: that of the previous one, if it and all its views are gone."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._last: list[Any] = []

    def __call__(self) -> np.ndarray[Any, Any]:
        try:
            memory, last = self._last.pop()
        except IndexError:  # the first call, or another thread has taken it
            memory, last = None, None
        if memory is None or last() is not None:
            memory = bytearray(math.prod(self._shape) * self._dtype.itemsize)
        array: np.ndarray[Any, Any] = np.ndarray(self._shape, self._dtype, memory)
        self._last.append((memory, weakref.ref(array)))
        return array


def run_in_blocks(
    region: list[Line], uses: Counter[Line], names: dict[Line, str], text: Callable[[Any], str],
    known: Callable[[Any], str],
) -> list[str]:  # fmt: skip
    """The statements that run elementwise lines of one shape together, block by block.

    uses : how often each line is needed. names : the variables of lines, to which those of the results are added.
    text, known : functions from an argument, or from another object, to its text.
    """
    size, within = region[0].size, Counter(a for line in region for a in line.uses)
    last = {a: line for line in region for a in line.uses}
    whole = [a for a in last if a.shape == region[0].shape and a not in region]
    held = {a: f"b{i}" for i, a in enumerate(whole)}  # the variable of the block of each line
    scratch: dict[str, Any] = {}
    free: list[tuple[Any, str]] = []
    statements = [f"w{i} = {text(a)}.reshape(-1)" for i, a in enumerate(whole)]
    body = [f"b{i} = w{i}[i:i + {BLOCK}]" for i in range(len(whole))]
    for line in region:
        args = [(type(a) is Line and held.get(a)) or text(a) for a in line.args]
        free += [(a.dtype, held[a]) for a in dict.fromkeys(line.uses) if last[a] is line and held.get(a) in scratch]
        if uses[line] > within[line]:
            name = names[line] = f"v{len(names)}"
            make = (
                Spare(line.shape, line.dtype)
                if line.nbytes >= HUGE
                else functools.partial(np.empty, line.shape, line.dtype)
            )
            statements += [f"{name} = {known(make)}()", f"{name}w = {name}.reshape(-1)"]
            out = held[line] = f"{name}b"
            body.append(f"{out} = {name}w[i:i + {BLOCK}]")
        else:
            found = next((f for f in free if f[0] == line.dtype), None)
            if found is not None:
                free.remove(found)
            out = held[line] = found[1] if found else f"s{len(scratch)}"
            scratch.setdefault(out, line.dtype)
        call = args[0] if line.function is astype else f"{known(line.function)}({', '.join(args)})"
        body.append(f"{call[:-1]}, out={out})" if is_ufunc(line) else f"{out}[:] = {call}")
    statements += [f"{name}_ = np.empty({BLOCK}, {known(dtype)})" for name, dtype in scratch.items()]
    statements.append(f"for i in range(0, {size}, {BLOCK}):")
    statements += [f"    {row}" for row in (*(f"{name} = {name}_[:{size} - i]" for name in scratch), *body)]
    views = [f"w{i}" for i in range(len(whole))] + [f"{names[a]}w" for a in region if a in names]
    statements.append(f"del {', '.join([*views, *(f'{name}_' for name in scratch), *set(held.values())])}")
    return statements
