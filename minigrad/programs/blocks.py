"""Elementwise work on large arrays, block by block: what one block needs stays in the processor's cache.

A chain of ufuncs over ten million numbers is limited by memory: each reads and writes all of them. Run over a few
thousand numbers at a time, the chain reads and writes main memory once. An element of a block is computed as ever, and
a sum of all elements is added up in NumPy's own order: halves of halves, of which the blocks are some.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..ops.compare import keep
from .calls import Line, astype, is_ufunc
from .memory import HUGE, Spare

LEAST = 1 << 20  # bytes of an array for which this pays
BLOCK = 1 << 14  # elements at a time: a handful of them fit into the cache of a core


def halves(n: int, begin: int = 0) -> list[tuple[int, int]]:
    """The blocks (begin, end) of `n` elements that are halves of halves as NumPy's pairwise sum makes them.

    >>> halves(40_000)
    [(0, 10000), (10000, 20000), (20000, 30000), (30000, 40000)]
    """
    if n <= BLOCK:
        return [(begin, begin + n)]
    half = n // 2 - n // 2 % 8
    return halves(half, begin) + halves(n - half, begin + half)


def added(sums: list[Any], n: int) -> Any:
    """The sum of the sums of the blocks, in the order in which NumPy adds up `n` elements."""
    parts = iter(sums)

    def tree(n: int) -> Any:
        half = n // 2 - n // 2 % 8
        return next(parts) if n <= BLOCK else tree(half) + tree(n - half)

    return tree(n)


@functools.lru_cache
def in_halves(dtype: Any) -> bool:
    """Whether this NumPy adds up in halves, tried out."""
    x = np.random.default_rng(0).standard_normal(5 * BLOCK + 3).astype(dtype)
    return bool(added([np.add.reduce(x[i:j]) for i, j in halves(x.size)], x.size) == np.add.reduce(x))


def is_total(line: Line) -> bool:
    """Whether the line is the sum of all elements of an array of floats."""
    if line.function != np.add.reduce or line.shape or line.dtype not in (np.float64, np.float32):
        return False
    axis, ndim = line.kwargs.get("axis", 0), len(line.args[0].shape)
    every = axis == tuple(range(ndim)) or (ndim == 1 and axis == 0)
    return every and set(line.kwargs) <= {"axis"} and line.args[0].dtype == line.dtype and in_halves(line.dtype)


class Region:
    """Lines of one shape that are run together, and sums of all elements of some of them.

    kept : those of the lines whose results are needed outside.
    """

    def __init__(self, lines: list[Line], kept: set[Line]) -> None:
        self.lines, self.kept, self.shape = lines, kept, lines[0].shape


def is_piecewise(line: Line) -> bool:
    """Whether the line can be run on a block of its arguments, and is large enough."""
    if line.nbytes < LEAST // (8 if line.dtype == bool else 1):
        return False
    if not line.shape or not (is_ufunc(line) or line.function in (np.where, keep, astype)) or line.kwargs:
        return False
    if not line.contiguous or (
        line.function is astype and isinstance(line.args[0], Line) and line.args[0].dtype is None
    ):
        return False
    return all((a.shape == line.shape and a.contiguous) or a.shape == () for a in line.uses)


def gather(lines: Sequence[Line], outputs: Iterable[Line]) -> list[Line | Region]:
    """The lines in an order in which elementwise work stands together, as Regions where that pays."""
    if not any(map(is_piecewise, lines)):
        return list(lines)
    done: list[Line | Region] = []
    open_: dict[Line, None] = {}
    after: dict[Line, None] = {}  # lines that need what the open ones give
    inside: dict[Line, int] = {}  # how often a line is used by those that are open
    uses = Counter(a for line in lines for a in line.uses)
    wanted = set(outputs)
    shape: tuple[int, ...] = ()

    def close() -> None:
        kept = {line for line in open_ if line in wanted or uses[line] > inside.get(line, 0)}
        pays = sum(not is_total(line) for line in open_) > 2
        done.extend([Region(list(open_), kept)] if pays else open_)
        done.extend(after)
        open_.clear()
        after.clear()
        inside.clear()

    for line in lines:
        used = line.uses
        late = any(a in after or (a in open_ and is_total(a)) for a in used)
        if is_piecewise(line):
            if late or (open_ and line.shape != shape):
                close()
            shape = line.shape
            open_[line] = None
            for a in used:
                inside[a] = inside.get(a, 0) + 1
        elif not late and any(a in open_ for a in used) and is_total(line):
            open_[line] = None
            inside[used[0]] = inside.get(used[0], 0) + 1
        elif late or any(a in open_ for a in used):
            after[line] = None
        else:
            done.append(line)
    close()
    return done


def write(region: Region, to: Any) -> None:
    """The statements of a region, in the function that `to` writes."""
    size = int(np.prod(region.shape))
    own = {line: f"v{to.memory.at[line]}" for line in region.lines}
    taken = [a for line in region.lines for a in line.uses if a.shape == region.shape and a not in own]
    whole = {a: f"w{i}" for i, a in enumerate(dict.fromkeys(taken))}
    parts = {a: f"{name}_" for a, name in whole.items()}
    before, inside, behind = [], [], []
    for a, name in whole.items():
        before.append(f"{name} = {to.operand(a)}.reshape(-1)")
        inside.append(f"{parts[a]} = {name}[i:j]")
    scratch: dict[str, Any] = {}
    free: list[tuple[Any, str]] = []
    last = {a: line for line in region.lines for a in line.uses}

    for line in region.lines:
        args = [parts[a] if isinstance(a, Line) and a in parts else to.argument(a, line) for a in line.args]
        name = own[line]
        for a in dict.fromkeys(line.uses):
            if last[a] is line and parts.get(a) in scratch:
                free.append((a.dtype, parts[a]))
        if is_total(line):
            before.append(f"{name}_ = []")
            inside.append(f"{name}_.append({to.known(line.function)}({args[0]}))")
            behind.append(f"{name} = {to.known(added)}({name}_, {size})")
            continue
        if line in region.kept:
            spare = line.nbytes >= HUGE and to.known(Spare(line.shape, line.dtype), "spare")
            room = f"{to.known(np.empty)}({region.shape!r}, {to.known(line.dtype, 'd')})"
            before.append(f"{name} = {f'{spare}()' if spare else room}")
            before.append(f"{name}w = {name}.reshape(-1)")
            parts[line] = f"{name}_"
            inside.append(f"{name}_ = {name}w[i:j]")
        else:
            found = next((f for f in free if f[0] == line.dtype), None)
            if found is not None:
                free.remove(found)
            parts[line] = found[1] if found else f"s{len(scratch)}"
            scratch.setdefault(parts[line], line.dtype)
        inside.append(_statement(line, args, parts[line], to))
    totals = any(map(is_total, region.lines))
    for name, dtype in scratch.items():
        before.append(f"{name}_ = {to.known(np.empty)}({BLOCK}, {to.known(dtype, 'd')})")
    for statement in before:
        to.say(statement)
    bounds = (
        to.known(halves(size), "b")
        if totals
        else to.known([(i, min(i + BLOCK, size)) for i in range(0, size, BLOCK)], "b")
    )
    to.say(f"for i, j in {bounds}:")
    if scratch:
        to.say(f"    {'; '.join(f'{name} = {name}_[:j - i]' for name in scratch)}")
    for statement in inside:
        to.say(f"    {statement}")
    for statement in behind:
        to.say(statement)
    kept = [line for line in region.lines if line in region.kept]
    names = [*whole.values(), *scratch, *(f"{name}_" for name in scratch), *(parts[a] for a in whole)]
    names += [f"{own[x]}{end}" for x in kept for end in (["_"] if is_total(x) else ["_", "w"])]
    to.say(f"del {', '.join(names)}")
    for line in kept:
        to.call(line, own[line])


def _statement(line: Line, args: list[str], out: str, to: Any) -> str:
    """The call that puts the result of a line for one block where it belongs."""
    if line.function is keep:
        return f"{to.known(keep_to)}({', '.join(args)}, {out})"
    if line.function is np.where:
        return f"{out}[:] = {to.known(np.where)}({', '.join(args)})"
    if line.function is astype:
        return f"{out}[:] = {args[0]}"
    return f"{to.known(line.function)}({', '.join(args)}, out={out})"


def keep_to(x: Any, condition: Any, out: Any) -> None:
    """`out` becomes `x` where the condition holds, and 0 elsewhere."""
    kind = np.int64 if x.itemsize == 8 else np.int32 if x.itemsize == 4 else np.int16
    np.multiply(x.view(kind), condition, out.view(kind))
