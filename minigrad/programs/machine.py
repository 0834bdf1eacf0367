"""A program as a Python function that runs fast: the same calls, where large arrays are written over once nobody needs
them, and elementwise work on large arrays is done block by block. Both give the same bits.

A chain of ufuncs over ten million numbers is limited by memory: each reads and writes all of them. Run over a few
thousand numbers at a time, what one block needs stays in the cache, and main memory is read and written once.
"""

from __future__ import annotations

import operator
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from ..tracing.names import identifier
from .lines import (
    FILLING,
    Line,
    astype,
    constant,
    given,
    is_new,
    is_reduction,
    is_ufunc,
    reshape,
    seed,
    transpose,
)
from .listing import NotAProgram
from .spelling import ATOM, Spelled, Speller, name_of

LARGE = 1 << 15  # bytes: below, a new array costs no more than an old one
LEAST = 1 << 20  # bytes of an array for which work in blocks pays
HUGE = 1 << 25  # bytes: above, the system hands out each new array page by page, which costs as much as filling it
BLOCK = 1 << 14  # elements at a time: a handful of them fit into the cache of a core

#: What Python's operators do to single numbers of NumPy as these ufuncs do, 10 times as fast.
_SCALAR = {np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.greater, np.less}

#: Functions whose result has a shape that follows from the shapes of their arguments.
_STEADY = {"reshape", "transpose", "astype", "method", "number", "seed", "getitem", "where", "einsum", "broadcast_to",
           "concatenate", "matmul", "dot", "vdot", "outer", "clip", "swapaxes", "pad", "getattr", "pow", "repeated",
           "each_row"}  # fmt: skip


def build(
    lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line | None], result: Callable[..., str]
) -> tuple[Callable[..., Any], str]:
    """The function that takes the inputs and returns the outputs, each in memory of its own; and its text.

    result : nests the texts of the outputs, and calls the second argument for the names of other objects.
    """
    written = _Machine(lines, outputs, inputs)
    body = "\n    ".join([*written.statements, f"return {result(written.results(outputs), written.known)}"])
    text = f"def run({', '.join(f'x{i}' for i in range(len(inputs)))}):\n    {body}"
    exec(compile(text, "<a program of minigrad>", "exec"), written.space)
    return written.space["run"], text


class _Machine(Speller):
    """Writes the statements of a function that runs the lines.

    space : the globals of the function: NumPy's functions, and constants.
    """

    def __init__(self, lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line | None]) -> None:
        super().__init__()
        self.names = {line: f"x{i}" for i, line in enumerate(inputs) if line is not None}
        self.space: dict[str, Any] = {"np": np, "__name__": "minigrad.programs.run"}
        self.statements: list[str] = []
        self._known: dict[Any, str] = {}
        work = gather(lines, outputs)
        self._plan(work, outputs)
        for k, part in enumerate(work):
            if isinstance(part, list):
                self._blocks(part)
            elif part not in self._inline and part not in self.names and part.function not in (given, constant):
                self._write(part)
            dead = [self.names.get(line, "") for line in self._ends.get(k, ())]
            self.statements += [f"del {name}" for name in dead if name[:1] == "v"]

    def _plan(self, work: Sequence[Line | list[Line]], outputs: Sequence[Line]) -> None:
        """Find which lines are written where they are used, and when memory is not needed any more."""
        flat = [(k, line) for k, part in enumerate(work) for line in (part if isinstance(part, list) else [part])]
        self._uses = Counter([*outputs, *(a for _, line in flat for a in line.uses)])
        user = {a: line for _, line in flat for a in line.uses}
        self._inline: set[Line] = set()
        depth: dict[Line, int] = {}
        for _, line in flat:
            depth[line] = 1 + max((depth[a] for a in line.uses if a in self._inline), default=0)
            small = line.nbytes < LARGE or line.function is transpose
            once = self._uses[line] == 1 and line in user and line.function not in (*FILLING, given, constant, seed)
            if once and small and depth[line] < 30 and not is_unsteady(line):  # Python reads no expression of any depth
                self._inline.add(line)
        self._at: dict[Line, int] = {}
        self._last = dict.fromkeys(outputs, len(work))  # when the memory of a line is used for the last time
        named: dict[Line, int] = {}  # and when its name is
        for k, line in reversed(flat):
            at = self._at[line] = self._at[user[line]] if line in self._inline else k
            for a in line.uses:
                named[a] = max(named.get(a, 0), at)
                kept = 0 if is_new(line) else self._last.get(line, 0)  # it may be a view
                self._last[a] = max(self._last.get(a, 0), at, kept)
        self._ends: dict[int, list[Line]] = {}
        for a, at in named.items():
            if a.nbytes >= LARGE and a not in outputs:
                self._ends.setdefault(at, []).append(a)

    def _room(self, line: Line) -> str | None:
        """The name of an argument of an elementwise line that dies there, and has the memory for the result."""
        for a in line.args if line.shape and line.nbytes >= LARGE and not line.kwargs and is_ufunc(line) else ():
            fits = isinstance(a, Line) and (a.shape, a.dtype, a.strides) == (line.shape, line.dtype, line.strides)
            if fits and self._dies(a, line) and (a.function is not reshape or self._dies(a.args[0], line)):
                return self.names[a]
        return None

    def _dies(self, a: Line, line: Line) -> bool:
        """Whether the memory of `a` is the program's own, and not needed after `line`."""
        own = (is_new(a) or a.function is reshape) and a not in self._inline and self.names[a][0] == "v"
        return own and self._last[a] == self._at[line]

    # Statements.

    def _name(self, line: Line) -> str:
        self.names[line] = f"v{len(self.names)}"
        return self.names[line]

    def _write(self, line: Line) -> None:
        """The statement of one line."""
        if line.function in FILLING:
            self._fill(line)
            return
        room = self._room(line)
        if room is not None:
            text = f"{self.called(line)}({', '.join([*self.arguments(line), f'out={room}'])})"
        else:
            text = self.spell(line)[0]
        name = self._name(line)
        self.statements.append(f"{name} = {text}")
        if is_unsteady(line):
            self.statements.append(f"{self.known(check_shape)}({name}, {line.shape!r}, {name_of(line.function)!r})")

    def _fill(self, line: Line) -> None:
        """A copy of the first argument that is changed at some places; the argument itself, where it dies here."""
        start = line.args[0]
        begin = self.text_of(start)
        if start not in self.names or not (start.function in FILLING or is_new(start)) or not self._dies(start, line):
            begin = f"{self.known(np.array)}({begin})"
        name = f"v{len(self.names)}"
        self.statements += [f"{name} = {begin}", *self.changes(line, name)]
        self.names[line] = name

    def _blocks(self, region: list[Line]) -> None:
        """Elementwise lines of one shape, which are run together on one block after the other."""
        size, within = region[0].size, Counter(a for line in region for a in line.uses)
        last = {a: line for line in region for a in line.uses}
        whole = [a for a in last if a.shape == region[0].shape and a not in region]
        names = {a: f"b{i}" for i, a in enumerate(whole)}  # of what holds a block
        scratch: dict[str, Any] = {}
        free: list[tuple[Any, str]] = []
        self.statements += [f"w{i} = {self.atom(a)}.reshape(-1)" for i, a in enumerate(whole)]
        body = [f"b{i} = w{i}[i:i + {BLOCK}]" for i in range(len(whole))]
        for line in region:
            args = [(type(a) is Line and names.get(a)) or self.text_of(a, line) for a in line.args]
            over = [a for a in dict.fromkeys(line.uses) if last[a] is line and names.get(a) in scratch]
            free += [(a.dtype, names[a]) for a in over]
            if self._uses[line] > within[line]:
                name = self._name(line)
                room = f"{self.known(np.empty)}({line.shape!r}, {self.known(line.dtype)})"
                room = f"{self.known(Spare(line.shape, line.dtype))}()" if line.nbytes >= HUGE else room
                self.statements += [f"{name} = {room}", f"{name}w = {name}.reshape(-1)"]
                out = names[line] = f"{name}b"
                body.append(f"{out} = {name}w[i:i + {BLOCK}]")
            else:
                found = next((f for f in free if f[0] == line.dtype), None)
                if found is not None:
                    free.remove(found)
                out = names[line] = found[1] if found else f"s{len(scratch)}"
                scratch.setdefault(out, line.dtype)
            call = args[0] if line.function is astype else f"{self.called(line)}({', '.join(args)})"
            body.append(f"{call[:-1]}, out={out})" if is_ufunc(line) else f"{out}[:] = {call}")
        make, dtype = self.known(np.empty), self.known
        self.statements += [f"{name}_ = {make}({BLOCK}, {dtype(kind)})" for name, kind in scratch.items()]
        self.statements.append(f"for i in range(0, {size}, {BLOCK}):")
        self.statements += [f"    {row}" for row in (*(f"{name} = {name}_[:{size} - i]" for name in scratch), *body)]
        views = [f"w{i}" for i in range(len(whole))] + [f"{self.names[a]}w" for a in region if a in self.names]
        self.statements.append(f"del {', '.join([*views, *(f'{name}_' for name in scratch), *set(names.values())])}")

    def results(self, outputs: Sequence[Line]) -> list[str]:
        """The outputs, each in memory of its own."""
        memory = [_memory(out) for out in outputs]
        count = Counter(line for lines in memory for line in lines)
        found = []
        for out, lines in zip(outputs, memory):
            text = self.atom(out)
            if out.shape and not all(is_new(line) and count[line] == 1 for line in lines):
                text += ".copy(order='K')"
            elif not out.shape and out.dtype is not None and not (is_ufunc(out) or is_reduction(out)):
                text = f"{self.known(np.asarray)}({text})[()]"
            found.append(text)
        return found

    # Expressions.

    def operand(self, line: Line) -> Spelled:
        if line in self.names:
            return self.names[line], ATOM
        if line.function is not constant:
            return self.spell(line)
        value = line.value
        if getattr(value, "strides", ()) != line.strides:  # one number stands for all
            value = np.array(value)
        self.names[line] = f"c{len(self.names)}"
        self.space[self.names[line]] = value
        return self.names[line], ATOM

    def argument(self, x: Any, line: Line | None = None) -> Spelled:
        if isinstance(x, Line):
            return self.operand(x)
        if isinstance(x, (np.dtype, type)):
            return self.known(x), ATOM
        return super().argument(x, line)

    def called(self, line: Line) -> str:
        return self.known(line.function)

    def has_operator(self, line: Line) -> bool:
        alone = not line.shape and all(not a.shape and a.dtype is not None for a in line.uses)
        return line.function is operator.pow or (alone and line.function in _SCALAR)

    def known(self, value: Any) -> str:
        """The name of a function or another object among the globals."""
        by_value = getattr(type(value), "__hash__", None) and not isinstance(value, float)  # 0.0 is not -0.0
        key = type(value), value if by_value else id(value)
        if key not in self._known:
            name = identifier(getattr(value, "__name__", type(value).__name__.lower()))
            name = f"{name}_{len(self.space)}" if name in self.space or len(name) < 3 else name
            self._known[key], self.space[name] = name, value
        return self._known[key]


def gather(lines: Sequence[Line], outputs: Collection[Line]) -> list[Line | list[Line]]:
    """The lines in an order in which elementwise work on large arrays stands together, three and more as a list."""
    done: list[Line | list[Line]] = []
    region: dict[Line, None] = {}
    after: dict[Line, None] = {}  # lines that need what those of the region give

    def close() -> None:
        done.extend([list(region)] if len(region) > 2 else region)
        done.extend(after)
        region.clear()
        after.clear()

    for line in lines:
        late = any(a in after for a in line.uses)
        if is_piecewise(line):
            if late or (region and line.shape != next(iter(region)).shape):
                close()
            region[line] = None
        elif late or any(a in region for a in line.uses):
            after[line] = None
        else:
            done.append(line)
    close()
    return done


def is_piecewise(line: Line) -> bool:
    """Whether the line can be run on a block of its arguments, and is large enough."""
    if line.nbytes < LEAST // (8 if line.dtype == bool else 1) or not line.shape or not line.contiguous or line.kwargs:
        return False
    if not (is_ufunc(line) or line.function in (np.where, astype)):
        return False
    return all((a.shape == line.shape and a.contiguous) or a.shape == () for a in line.uses)


def is_unsteady(line: Line) -> bool:
    """Whether the shape of an array could depend on numbers, as far as is known here."""
    if line.dtype is None or not line.shape or line.function in (given, constant, *FILLING):
        return False
    ufunc = isinstance(getattr(line.function, "__self__", line.function), np.ufunc)
    return not ufunc and getattr(line.function, "__name__", "") not in _STEADY


def check_shape(x: Any, shape: tuple[int, ...], what: str) -> None:
    """Raise NotAProgram where a result has another shape than when the program was written."""
    if x.shape != shape:
        raise NotAProgram(
            f"{what} gave an array of shape {x.shape} where the program was written for shape {shape}: a length that "
            f"depends on numbers cannot be part of a program"
        )


def _memory(line: Line) -> set[Line]:
    """The lines in whose memory the result of a line may lie."""
    found, stack, seen = set(), [line], set()
    while stack:
        x = stack.pop()
        if is_new(x) or not x.uses:
            found.add(x)
        elif x not in seen:
            seen.add(x)
            stack += x.uses
    return found


class Spare:
    """Memory for a huge result: that of the result before, if nobody else holds it any more, nor a view of it."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._like, self._last = (shape, dtype), [np.empty(0)]

    def __call__(self) -> np.ndarray[Any, Any]:
        try:
            array = self._last.pop()
        except IndexError:  # another thread is just here
            return np.empty(*self._like)
        if array.shape != self._like[0] or _holders(array) > ALONE:
            array = np.empty(*self._like)
        self._last.append(array)
        return array


def _holders(array: Any) -> int:
    return sys.getrefcount(array)


def _held_by_one_name() -> int:
    """What Python counts, which differs between its versions, for an array that only the calling function holds."""
    last = [np.empty(0)]
    array = last.pop()
    count = _holders(array)
    last.append(array)
    return count


ALONE = _held_by_one_name()
