"""A program as a Python function: straight-line NumPy, where large arrays are written over once nobody needs them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ops.compare import keep
from . import blocks
from .blocks import Region, gather
from .calls import Line, constant, given, guard, guard_shape, index_add, index_add_each, is_ufunc
from .faster import keep_here
from .memory import FILLING, LARGE, Memory, nbytes
from .spelling import code, name_of, spell, spell_argument, spell_index


class Straight:
    """Writes the statements of a function that runs the lines.

    space : the globals of the function: NumPy's functions, and constants.
    """

    def __init__(self, lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line], owned: int) -> None:
        self.space: dict[str, Any] = {"np": np, "__name__": "minigrad.programs.compiled"}
        self.statements: list[str] = []
        self.names: dict[Line, str] = {line: f"x{i}" for i, line in enumerate(inputs)}
        work = gather(lines, outputs)
        flat = [line for part in work for line in (part.lines if isinstance(part, Region) else [part])]
        self.memory = Memory(flat, outputs, inputs)
        for part in work:
            if isinstance(part, Region):
                blocks.write(part, self)
                for line in part.lines:
                    self._release(line)
            elif part.function not in (given, constant) and not (part in self.memory.inline or part in self.names):
                self.write(part)
        self.results = [self._own(out, outputs[:owned]) for out in outputs[:owned]]
        self.results += [ast.unparse(self.operand(out)) for out in outputs[owned:]]

    # What is written.

    def write(self, line: Line) -> None:
        """The statement of one line."""
        name = f"v{self.memory.at[line]}"
        room = self.memory.room(line) if nbytes(line) >= LARGE and not line.kwargs else None
        if line.function in (guard, guard_shape):
            what, wanted = ast.unparse(self.operand(line.args[0])), line.args[1]
            test = f"({what}){'.shape' * (line.function is guard_shape)} != {wanted!r}"
            self.say(f"if {test}: return None")
            return
        if line.function in FILLING:
            self._fill(line, name)
        elif room is not None and (is_ufunc(line) or line.function is keep):
            name = self.names[room]
            args = ", ".join(ast.unparse(self.argument(a, line)) for a in line.args)
            here = f"{self.known(keep_here)}({args})" if line.function is keep else ""
            self.say(f"{name} = {here or f'{self.known(line.function)}({args}, out={name})'}")
        else:
            self.say(f"{name} = {ast.unparse(self.expression(line))}")
        self.names[line] = name
        self._release(line)

    def say(self, statement: str) -> None:
        self.statements.append(statement)

    def operand(self, line: Line) -> ast.expr:
        if line in self.names:
            return code(self.names[line])
        if line.function is constant:
            return code(self.known(line.value, "c"))
        return self.expression(line)

    def argument(self, x: Any, line: Line | None = None) -> ast.expr:
        return spell_argument(x, self.operand, line)

    spelled = staticmethod(spell_argument)

    def expression(self, line: Line) -> ast.expr:
        function, args = line.function, line.args
        if function is np.matmul and len(args[0].shape) == 2 >= len(args[1].shape):
            return ast.Call(code(self.known(np.dot)), [self.argument(a) for a in args], [])
        if getattr(function, "__name__", "") == "reduce" and set(line.kwargs) <= {"axis", "dtype", "keepdims"}:
            return self._reduction(line)
        return spell(line, self.operand, self.known(function), plain=False)

    def _reduction(self, line: Line) -> ast.expr:
        """Arguments by position, which is faster: (x, axis, dtype, out, keepdims)."""
        options = {"axis": 0, "dtype": None, "out": None, "keepdims": False} | line.kwargs
        if isinstance(options["axis"], tuple) and len(options["axis"]) == len(line.args[0].shape):
            options["axis"] = None
        values = list(options.values())
        while len(values) > 1 and values[-1] in (None, False):
            values.pop()
        return ast.Call(code(self.known(line.function)), [self.argument(x) for x in (*line.args, *values)], [])

    def known(self, value: Any, letter: str = "") -> str:
        """The name of a function or a constant among the globals."""
        name = letter or name_of(value).removeprefix("np.").replace(".", "_")
        if letter or not name.isidentifier() or (name in self.space and self.space[name] != value):
            letter = letter or "f"
            found = (n for n, v in self.space.items() if v is value and n.startswith(letter))
            name = next(found, f"{letter}{len(self.space)}")
        self.space[name] = value
        return name

    # Memory.

    def _fill(self, line: Line, name: str) -> None:
        """A copy of the first argument that is changed at some places; the argument itself, where it dies here."""
        start, key, value = line.args
        if start.function is constant and not np.any(start.value):
            begin = f"{self.known(np.zeros)}({start.shape!r}, {self.known(start.dtype, 'd')})"
        else:
            begin = ast.unparse(self.operand(start))
            if not (self.memory.is_own(start) and self.memory.dies(start, line)):
                begin = f"{self.known(np.array)}({begin})"
        what = ast.unparse(self.argument(value))
        self.say(f"{name} = {begin}")
        if line.function is index_add_each:
            self.space["add_at"] = np.add.at
            self.say(f"add_at({name}, {ast.unparse(self.argument(key))}, {what})")
        else:
            place = ast.unparse(ast.Subscript(code("_"), spell_index(key, self.operand), ast.Load()))[1:]
            self.say(f"{name}{place} {'+=' if line.function is index_add else '='} {what}")

    def _release(self, line: Line) -> None:
        """Forget large arrays that were used for the last time."""
        for root in self.memory.ends.get(self.memory.at[line], ()):
            names = {name for x, name in self.names.items() if root in self.memory.roots(x)}
            self.statements += [f"del {name}" for name in sorted(names - {self.names.get(line)})]
            self.names = {x: name for x, name in self.names.items() if name not in names or x is line}

    def _own(self, out: Line, outputs: Sequence[Line]) -> str:
        """An output, in memory of its own."""
        text = ast.unparse(self.operand(out))
        roots = self.memory.roots(out)
        if not out.shape:
            return text if is_ufunc(out) or getattr(out.function, "__name__", "") == "reduce" else f"{text}[()]"
        alone = sum(bool(roots & self.memory.roots(other)) for other in outputs) == 1
        return text if alone and all(map(self.memory.is_own, roots)) else f"{self.known(np.array)}({text})"


def build(
    lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line], owned: int | None = None
) -> tuple[Any, str]:
    """The function that takes the inputs and returns the tuple of outputs, and its text.

    owned : how many of the outputs, by default all, must lie in memory of their own.
    """
    written = Straight(lines, outputs, inputs, len(outputs) if owned is None else owned)
    body = [*written.statements, f"return ({' '.join(r + ',' for r in written.results)})"]
    names = ", ".join(f"x{i}" for i in range(len(inputs)))
    text = f"def run({names}):\n" + "\n".join(f"    {s}" for s in body)
    exec(compile(text, "<compiled by minigrad>", "exec"), written.space)
    return written.space["run"], text
