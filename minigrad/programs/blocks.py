"""Elementwise work on large arrays, block by block: what one block needs stays in the processor's cache.

A chain of ufuncs over ten million numbers is limited by memory: each reads and writes all of them. Run over a few
thousand numbers at a time, the chain reads and writes main memory once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..ops.compare import keep
from .calls import Line, astype, draw, is_ufunc, lines_in
from .memory import HUGE, Spare, nbytes

LEAST = 1 << 20  # bytes of an array for which this pays
BLOCK = 1 << 14  # elements at a time: a handful of them fit into the cache of a core


class Region:
    """Lines of one shape that are run together, and sums over all elements of some of them.

    kept : those of the lines whose results are needed outside.
    """

    def __init__(self, lines: list[Line], kept: set[Line]) -> None:
        self.lines, self.kept = lines, kept
        self.shape = next(line.shape for line in lines if not is_total(line))


def is_total(line: Line) -> bool:
    """Whether the line is the sum of all elements of a float array, or of the products of two."""
    if line.function is np.vdot:
        return True
    if line.function != np.add.reduce or line.shape or line.dtype.kind != "f" or set(line.kwargs) > {"axis"}:
        return False
    axis, ndim = line.kwargs.get("axis", 0), len(line.args[0].shape)
    return axis == tuple(range(ndim)) or (ndim == 1 and axis == 0)


def is_piecewise(line: Line) -> bool:
    """Whether the line can be run on a block of its arguments, and is large enough."""
    if line.size * getattr(line.dtype, "itemsize", 0) < LEAST // (8 if line.dtype == bool else 1):
        return False
    if not line.shape or not (is_ufunc(line) or line.function in (np.where, keep, astype)) or line.kwargs:
        return False
    return all(a.shape in (line.shape, ()) for a in lines_in(line.args))


def gather(lines: Sequence[Line], outputs: Iterable[Line]) -> list[Line | Region]:
    """The lines in an order in which elementwise work stands together, as Regions where that pays."""
    done: list[Line | Region] = []
    open_: list[Line] = []
    after: list[Line] = []  # lines that need what the open ones give
    shape: tuple[int, ...] = ()

    def close() -> None:
        used = {a for line in lines if line not in open_ for a in lines_in((line.args, line.kwargs))}
        kept = {line for line in open_ if line in used or line in wanted}
        pays = sum(not is_total(line) for line in open_) > 2
        done.extend([Region(list(open_), kept)] if pays else open_)
        done.extend(after)
        open_.clear()
        after.clear()

    wanted = set(outputs)
    for line in lines:
        used = lines_in((line.args, line.kwargs))
        late = any(a in after or (a in open_ and is_total(a)) for a in used)
        late |= line.function is draw and any(other.function is draw for other in after)
        fits = is_piecewise(line) and (not open_ or line.shape == shape)
        if is_piecewise(line) and (late or not fits):
            close()
            late = False
        if is_piecewise(line):
            shape = line.shape
            open_.append(line)
        elif is_total(line) and shape == used[0].shape and any(a in open_ for a in used) and not late:
            open_.append(line)
        elif late or any(a in open_ for a in used):
            after.append(line)
        else:
            done.append(line)
    close()
    return done


def write(region: Region, to: Any) -> None:
    """The statements of a region, in the function that `to` writes."""
    size = int(np.prod(region.shape))
    own = {line: f"v{to.memory.at[line]}" for line in region.lines}
    taken = [a for line in region.lines for a in lines_in(line.args) if a.shape == region.shape and a not in own]
    whole = {a: f"w{i}" for i, a in enumerate(dict.fromkeys(taken))}
    parts = {a: f"{name}_" for a, name in whole.items()}
    before, inside, behind = [], [], []
    for a, name in whole.items():
        before.append(f"{name} = {ast.unparse(to.operand(a))}.reshape(-1)")
        inside.append(f"{parts[a]} = {name}[i:j]")
    scratch: dict[str, Any] = {}
    free: list[tuple[Any, str]] = []
    last = {a: line for line in region.lines for a in lines_in(line.args)}

    def operand(a: Line) -> ast.expr:
        return ast.parse(parts[a], mode="eval").body if a in parts else to.operand(a)

    for line in region.lines:
        args = [ast.unparse(to.spelled(a, operand, line)) for a in line.args]
        name = own[line]
        if is_total(line):
            before.append(f"{name}_ = {to.known(np.empty)}({-(-size // BLOCK)}, {to.known(line.dtype, 'd')})")
            inside.append(f"{name}_[i // {BLOCK}] = {to.known(line.function)}({', '.join(args)})")
            behind.append(f"{name} = {to.known(np.add.reduce)}({name}_)")
        for a in dict.fromkeys(lines_in(line.args)):
            if last[a] is line and parts.get(a) in scratch:
                free.append((a.dtype, parts[a]))
        if is_total(line):
            continue
        if line in region.kept:
            spare = nbytes(line) >= HUGE and to.known(Spare(line.shape, line.dtype), "spare")
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
    for name, dtype in scratch.items():
        before.append(f"{name} = {to.known(np.empty)}({BLOCK}, {to.known(dtype, 'd')})")
    shorter = "; ".join(f"{name} = {name}[:j - i]" for name in scratch)
    for statement in before:
        to.say(statement)
    to.say(f"for i in range(0, {size}, {BLOCK}):")
    to.say(f"    j = min(i + {BLOCK}, {size})")
    if shorter and size % BLOCK:
        to.say(f"    if j - i < {BLOCK}: {shorter}")
    for statement in inside:
        to.say(f"    {statement}")
    for statement in behind:
        to.say(statement)
    names = [*whole.values(), *scratch, *(f"{own[x]}w" for x in region.kept if not is_total(x))]
    names += [*(parts[a] for a in whole), *(f"{own[x]}_" for x in region.kept if not is_total(x))]
    to.say(f"del {', '.join(names)}")
    to.names.update({line: own[line] for line in region.lines if line in region.kept})


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
