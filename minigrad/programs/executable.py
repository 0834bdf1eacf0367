"""A program as a fast Python function: the same calls, with less memory traffic.

Large arrays that are no longer needed are overwritten, and elementwise work on large arrays is done block by block.
Neither of these changes a single bit of the result.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .expressions import Speller
from .instructions import (
    FILLING,
    Line,
    astype,
    constant,
    is_new,
    is_reduction,
    is_ufunc,
    lines_in,
    passed_in,
    reshape,
    transpose,
)
from .refusals import NotAProgram

LARGE = 1 << 15  # bytes: for smaller arrays, reusing memory saves no time
LEAST = 1 << 20  # bytes: for larger arrays, working in blocks saves time
HUGE = 1 << 25  # bytes: for larger arrays, allocating memory takes as long as filling it
BLOCK = 1 << 14  # elements per block: a few blocks fit into a core's cache together

#: Ufuncs that are written as Python's operators for single NumPy numbers: equal results, in a tenth of the time.
_ON_NUMBERS = {np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.greater, np.less}


def build(
    lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line | None], result: Callable[..., str]
) -> tuple[Callable[..., Any], str]:
    """Build the function that computes the outputs from the inputs; return the function and its text.

    Each output is in separate memory.

    result : a function that nests the texts of the outputs. Its second argument is a function that names other objects.
    """
    written = _Machine(lines, outputs, inputs)
    body = "\n    ".join([*written.statements, f"return {result(written.results(outputs), written.global_name)}"])
    text = f"def run({', '.join(f'x{i}' for i in range(len(inputs)))}):\n    {body}"
    exec(compile(text, "<a program of minigrad>", "exec"), written.space)
    return written.space["run"], text


class _Machine(Speller):
    """Writes the Python statements that run the lines of a program.

    names : line -> the variable for its result. space : the globals of the statements, such as NumPy's functions and
        constants. statements : the statements.
    """

    def __init__(self, lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line | None]) -> None:
        self.names = {line: f"x{i}" for i, line in enumerate(inputs) if line is not None}
        self.space: dict[str, Any] = {"np": np, "__name__": "minigrad.programs.run"}
        self.statements: list[str] = []
        self._known: dict[Any, str] = {}
        parts = reorder(lines)
        flat = [(k, line) for k, part in enumerate(parts) for line in (part if isinstance(part, list) else [part])]
        self._at = {line: k for k, line in flat}
        uses = Counter([*outputs, *(a for _, line in flat for a in line.uses)])
        self._last = dict.fromkeys(outputs, len(parts))  # line -> the position at which its memory is last used
        named: dict[Line, int] = {}  # line -> the position at which its variable is last used
        for k, line in reversed(flat):
            for a in line.uses:
                named.setdefault(a, k)
                view_use = 0 if is_new(line) else self._last.get(line, 0)  # the line's result may be a view of `a`
                self._last[a] = max(self._last.get(a, 0), k, view_use)
        ends: dict[int, list[Line]] = {}
        for a, k in named.items():
            if a.shape and a not in outputs:
                ends.setdefault(k, []).append(a)
        for k, part in enumerate(parts):
            if isinstance(part, list):
                self.statements += run_in_blocks(part, uses, self.names, self.text_of, self.global_name)
            elif part.function is not passed_in and part.function is not constant:
                self._append(part)
            unneeded = [name for line in ends.get(k, ()) if (name := self.names.get(line, ""))[:1] == "v"]
            self.statements += [f"del {', '.join(unneeded)}"] if unneeded else []

    # Memory.

    def _is_free(self, a: Any, line: Line) -> bool:
        """Return whether `line` may overwrite its argument `a`: the program allocated it, and nothing uses it later."""
        if not isinstance(a, Line) or self.names.get(a, "")[:1] != "v" or self._last[a] != self._at[line]:
            return False
        return is_new(a) or (a.function is reshape and self._is_free(a.args[0], line))

    def _reusable(self, line: Line) -> Line | None:
        """Return an argument that an elementwise line may overwrite with its result, or None if there is none."""
        for a in line.args if line.shape and line.nbytes >= LARGE and not line.kwargs and is_ufunc(line) else ():
            if self._is_free(a, line) and (a.shape, a.dtype, a.strides) == (line.shape, line.dtype, line.strides):
                return a
        return None

    def results(self, outputs: Sequence[Line]) -> list[str]:
        """Return the expressions of the outputs; an output that shares memory with another object is copied."""
        owners = [owner(out) for out in outputs]
        texts = []
        for out, memory in zip(outputs, owners):
            text = self.text_of(out)
            if out.shape and not (is_new(memory) and owners.count(memory) == 1):
                text += ".copy(order='K')"
            elif not out.shape and out.dtype is not None and not (is_ufunc(out) or is_reduction(out)):
                text = f"np.asarray({text})[()]"
            texts.append(text)
        return texts

    # Statements.

    def _append(self, line: Line) -> None:
        """Write the statement of one line."""
        numbers = not line.shape and all(not a.shape and a.dtype is not None for a in line.uses)
        if numbers and line.function in _ON_NUMBERS and any(a.function is not constant for a in line.uses):
            text = ast.unparse(self.spell(line))
        else:
            args = [self.text_of(a, line) for a in line.args]
            args += [f"{key}={self.text_of(value)}" for key, value in line.kwargs.items()]
            reused = self._reusable(line)
            args += [f"out={self.names[reused]}"] if reused is not None else []
            args += ["True"] if line.function in FILLING and line.shape and self._is_free(line.args[0], line) else []
            text = f"{self.global_name(line.function)}({', '.join(args)})"
        name = self.names[line] = f"v{len(self.names)}"
        self.statements.append(f"{name} = {text}")
        keys = line.args[1] if line.function is operator.getitem else ()
        if lines_in([key for key in (keys if type(keys) is tuple else (keys,)) if type(key) is slice]):
            self.statements.append(f"{self.global_name(check_length)}({name}, {line.shape!r})")

    # Expressions.

    def operand(self, line: Line) -> ast.expr:
        if line not in self.names:  # the line is a constant, and an array stored as one number must be expanded
            value = line.value if getattr(line.value, "strides", ()) == line.strides else np.array(line.value)
            self.names[line] = self.global_name(value)
        return super().operand(line)

    def other(self, x: Any) -> str:
        return repr(x) if type(x) in (int, str, bool, type(None)) else self.global_name(x)

    def global_name(self, value: Any) -> str:
        """Return the name of a function or another object; add the object to the globals if needed."""
        if id(value) not in self._known:
            name = getattr(value, "__name__", "")
            name = name if hasattr(np, name) and name not in self.space else f"k{len(self.space)}"
            self._known[id(value)], self.space[name] = name, value
        return self._known[id(value)]


def owner(line: Line) -> Line:
    """Return the line that allocates the memory of the result of `line`, which may be a view of an earlier result."""
    return owner(line.args[0]) if line.function in (reshape, transpose) else line


def check_length(x: Any, shape: tuple[int, ...]) -> None:
    """Raise NotAProgram if a slice with computed bounds does not have the shape that the program was written for."""
    if x.shape != shape:
        raise NotAProgram(
            f"a slice gave an array of shape {x.shape} but the program was written for shape {shape}: a length that "
            f"depends on the numbers cannot be part of a program; pass the bounds as plain integers"
        )


# Elementwise work on large arrays. A chain of ufuncs over ten million numbers is limited by memory: each ufunc reads
# and writes all of them. If the chain runs over a few thousand numbers at a time, a block's data stays in the cache,
# and main memory is read and written once.


def reorder(lines: Sequence[Line]) -> list[Line | list[Line]]:
    """Move elementwise lines on large arrays of one shape next to each other; three or more of them form a list."""
    done: list[Line | list[Line]] = []
    region: dict[Line, None] = {}
    after: dict[Line, None] = {}  # lines to put after the region, because they need its results

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
    """Return whether the line can run on blocks of its arguments and is large enough for blocks to save time."""
    if line.nbytes < LEAST // (8 if line.dtype == bool else 1) or not line.shape or not line.contiguous or line.kwargs:
        return False
    if not (is_ufunc(line) or line.function in (np.where, astype)):
        return False
    return all((a.shape == line.shape and a.contiguous) or a.shape == () for a in line.uses)


class Spare:
    """An allocator for a huge result; it reuses the previous result's memory if that result and its views are gone."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._last: list[Any] = []

    def __call__(self) -> np.ndarray[Any, Any]:
        try:
            memory, last = self._last.pop()
        except IndexError:  # this is the first call, or another thread has taken the memory
            memory, last = None, None
        if memory is None or last() is not None:
            memory = bytearray(math.prod(self._shape) * self._dtype.itemsize)
        array: np.ndarray[Any, Any] = np.ndarray(self._shape, self._dtype, memory)
        self._last.append((memory, weakref.ref(array)))
        return array


def run_in_blocks(
    region: list[Line], uses: Counter[Line], names: dict[Line, str], text: Callable[[Any], str],
    global_name: Callable[[Any], str],
) -> list[str]:  # fmt: skip
    """Return the statements that run elementwise lines of one shape together, block by block.

    uses : how many times each line is needed.
    names : line -> its variable; variables for the results are added.
    text : a function that returns the expression of an argument. global_name : a function that returns the name of an
        object among the globals.
    """
    size, within = region[0].size, Counter(a for line in region for a in line.uses)
    last = {a: line for line in region for a in line.uses}
    whole = [a for a in last if a.shape == region[0].shape and a not in region]
    block_names = {a: f"b{i}" for i, a in enumerate(whole)}  # line -> the variable of its block
    scratch: dict[str, Any] = {}
    free: list[tuple[Any, str]] = []
    statements = [f"w{i} = {text(a)}.reshape(-1)" for i, a in enumerate(whole)]
    body = [f"b{i} = w{i}[i:i + {BLOCK}]" for i in range(len(whole))]
    for line in region:
        args = [(type(a) is Line and block_names.get(a)) or text(a) for a in line.args]
        free += [
            (a.dtype, block_names[a])
            for a in dict.fromkeys(line.uses)
            if last[a] is line and block_names.get(a) in scratch
        ]
        if uses[line] > within[line]:
            name = names[line] = f"v{len(names)}"
            make = (
                Spare(line.shape, line.dtype)
                if line.nbytes >= HUGE
                else functools.partial(np.empty, line.shape, line.dtype)
            )
            statements += [f"{name} = {global_name(make)}()", f"{name}w = {name}.reshape(-1)"]
            out = block_names[line] = f"{name}b"
            body.append(f"{out} = {name}w[i:i + {BLOCK}]")
        else:
            reusable = next((f for f in free if f[0] == line.dtype), None)
            if reusable is not None:
                free.remove(reusable)
            out = block_names[line] = reusable[1] if reusable else f"s{len(scratch)}"
            scratch.setdefault(out, line.dtype)
        call = args[0] if line.function is astype else f"{global_name(line.function)}({', '.join(args)})"
        body.append(f"{call[:-1]}, out={out})" if is_ufunc(line) else f"{out}[:] = {call}")
    statements += [f"{name}_ = np.empty({BLOCK}, {global_name(dtype)})" for name, dtype in scratch.items()]
    statements.append(f"for i in range(0, {size}, {BLOCK}):")
    statements += [f"    {row}" for row in (*(f"{name} = {name}_[:{size} - i]" for name in scratch), *body)]
    views = [f"w{i}" for i in range(len(whole))] + [f"{names[a]}w" for a in region if a in names]
    statements.append(f"del {', '.join([*views, *(f'{name}_' for name in scratch), *set(block_names.values())])}")
    return statements
