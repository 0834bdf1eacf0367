"""A program as a Python function that runs fast: the same calls, where large arrays are written over once nobody needs
them, and chains of elementwise calls run block by block. Both give the same bits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ops.compare import BITS, keep
from . import blocks
from .blocks import Region, gather
from .calls import (
    FILLING,
    Line,
    astype,
    constant,
    given,
    index_add,
    index_add_each,
    index_add_sum,
    is_reduction,
    is_ufunc,
    method,
    reshape,
    seed,
    transpose,
)
from .listing import NotAProgram
from .memory import LARGE, Memory, is_unsteady
from .spelling import name_of, weak


def keep_here(x: Any, condition: Any) -> Any:
    """What `keep` gives, in the memory of `x`."""
    bits = x.view(BITS[x.dtype.char])
    np.multiply(bits, condition, bits)
    return x


#: What Python's operators do to single numbers of NumPy as these ufuncs do.
_SCALAR = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.true_divide: "/", np.negative: "-", np.greater: ">",
    np.less: "<",
}  # fmt: skip


def check_shape(x: Any, shape: tuple[int, ...], what: str) -> None:
    """Raise NotAProgram where a result has another shape than when the program was written."""
    if x.shape != shape:
        raise NotAProgram(
            f"{what} gave an array of shape {x.shape} where the program was written for shape {shape}: a length that "
            f"depends on numbers cannot be part of a program"
        )


class Straight:
    """Writes the statements of a function that runs the lines.

    space : the globals of the function: NumPy's functions, and constants.
    """

    def __init__(self, lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line]) -> None:
        self.space: dict[str, Any] = {"np": np, "__name__": "minigrad.programs.run"}
        self._fixed: dict[Line, str] = {}
        self._known: dict[Any, str] = {}
        self.statements: list[str] = []
        self.names: dict[Line, str] = {line: f"x{i}" for i, line in enumerate(inputs)}
        self._named: dict[str, list[Line]] = {}
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
        self.results = [self._own(out, outputs) for out in outputs]

    # What is written.

    def write(self, line: Line) -> None:
        """The statement of one line."""
        name = f"v{self.memory.at[line]}"
        room = self.memory.room(line) if line.nbytes >= LARGE and not line.kwargs else None
        if line.function in FILLING:
            self._fill(line, name)
        elif room is not None and (is_ufunc(line) or line.function is keep):
            name = self.names[room]
            args = ", ".join(self.argument(a, line) for a in line.args)
            here = f"{self.known(keep_here)}({args})" if line.function is keep else ""
            self.say(f"{name} = {here or f'{self.known(line.function)}({args}, out={name})'}")
        else:
            self.say(f"{name} = {self.expression(line)}")
            if is_unsteady(line):
                self.say(f"{self.known(check_shape)}({name}, {line.shape!r}, {name_of(line.function)!r})")
        self.call(line, name)
        self._release(line)

    def call(self, line: Line, name: str) -> None:
        self.names[line] = name
        self._named.setdefault(name, []).append(line)

    def say(self, statement: str) -> None:
        self.statements.append(statement)

    def operand(self, line: Line) -> str:
        if line in self.names:
            return self.names[line]
        return self.fixed(line) if line.function is constant else self.expression(line)

    def fixed(self, line: Line) -> str:
        """The name of a constant among the globals."""
        name = self._fixed.get(line)
        if name is None:
            value = line.value
            if getattr(value, "strides", ()) != line.strides:  # one number stands for all
                value = np.array(value)
            name = self._fixed[line] = f"c{len(self.space)}"
            self.space[name] = value
        return name

    def argument(self, x: Any, line: Line | None = None) -> str:
        """An argument as it stands in a call."""
        kind = type(x)
        if kind is Line:
            return (weak(x, line) if line is not None and x.function is constant else None) or self.operand(x)
        if kind is tuple:
            return f"({''.join(f'{self.argument(item, line)}, ' for item in x)})"
        if kind is list:
            return f"[{', '.join(self.argument(item, line) for item in x)}]"
        if kind is slice:
            return f"slice({self.argument(x.start)}, {self.argument(x.stop)}, {self.argument(x.step)})"
        if kind in (int, bool, str, type(None)) or (kind is float and math.isfinite(x)):
            return repr(x)
        return "..." if x is ... else self.known(x, "k")

    def index(self, key: Any) -> str:
        """What stands between brackets."""
        if type(key) is tuple and key:
            return ", ".join(map(self.index, key)) + "," * (len(key) == 1)
        if type(key) is slice:
            ends = ["" if end is None else self.argument(end) for end in (key.start, key.stop, key.step)]
            return ":".join(ends if ends[2] else ends[:2])
        return self.argument(key)

    def expression(self, line: Line) -> str:
        function, args = line.function, line.args
        if function is seed:
            return self.operand(args[0])
        if is_reduction(line) and set(line.kwargs) <= {"axis", "dtype", "keepdims"}:
            return self._reduction(line)
        if function is operator.getitem:
            return f"{self.argument(args[0])}[{self.index(args[1])}]"
        if function in (reshape, transpose, astype):
            what = [""] if function is transpose and args[1] == (1, 0) else map(self.argument, args[1:])
            return f"{self.argument(args[0])}.{function.__name__}({', '.join(what)})"
        if function is getattr:
            return f"{self.argument(args[0])}.{args[1]}"
        if function is operator.pow:
            return f"({self.argument(args[0])} ** {self.argument(args[1])})"
        if function in _SCALAR and not line.shape and all(not a.shape and a.dtype is not None for a in line.uses):
            return self._scalar(line)
        given = [self.argument(a, line) for a in args]
        given += [f"{key}={self.argument(value)}" for key, value in line.kwargs.items()]
        if function is method:
            return f"{given[0]}.{args[1]}({', '.join(given[2:])})"
        return f"{self.known(function)}({', '.join(given)})"

    def _scalar(self, line: Line) -> str:
        """A call on single numbers, by Python's operator, which gives the same and is 10 times as fast."""
        given = [self.argument(a) for a in line.args]
        return f"(-{given[0]})" if len(given) == 1 else f"({given[0]} {_SCALAR[line.function]} {given[1]})"

    def _reduction(self, line: Line) -> str:
        """Arguments by position, which is faster: (x, axis, dtype, out, keepdims)."""
        options = {"axis": 0, "dtype": None, "out": None, "keepdims": False} | line.kwargs
        if isinstance(options["axis"], tuple) and len(options["axis"]) == len(getattr(line.args[0], "shape", ())):
            options["axis"] = None
        values = list(options.values())
        while len(values) > 1 and values[-1] in (None, False):
            values.pop()
        return f"{self.known(line.function)}({', '.join(map(self.argument, (*line.args, *values)))})"

    def known(self, value: Any, letter: str = "") -> str:
        """The name of a function or another object among the globals."""
        key = value if getattr(type(value), "__hash__", None) else id(value)
        name = self._known.get((type(value), key))
        if name is None:
            name = letter or name_of(value).removeprefix("np.").replace(".", "_")
            if letter or not name.isidentifier() or name in self.space:
                name = f"{letter or 'f'}{len(self.space)}"
            self._known[type(value), key] = name
            self.space[name] = value
        return name

    # Memory.

    def _fill(self, line: Line, name: str) -> None:
        """A copy of the first argument that is changed at some places; the argument itself, where it dies here."""
        start, key, value = line.args
        if start.function is constant and not start.nbytes % 8 and not np.any(start.value) and _positive(start.value):
            begin = f"{self.known(np.zeros)}({start.shape!r}, {self.known(start.dtype, 'd')})"
        else:
            begin = self.operand(start)
            if not (self.memory.is_own(start) and self.memory.dies(start, line)):
                begin = f"{self.known(np.array)}({begin})"
        what = self.argument(value)
        self.say(f"{name} = {begin}")
        if line.function is index_add_each:
            self.space["add_at"] = np.add.at
            self.say(f"add_at({name}, {self.argument(key)}, {what})")
        elif line.function is index_add_sum:
            self.space["add_at"] = np.add.at
            place = self.index(key)
            self.say(f"{name}_ = {name}[{place}]; {name}[{place}] = 0")
            self.say(f"add_at({name}, {self.argument(key)}, {what}); {name}[{place}] += {name}_")
        else:
            self.say(f"{name}[{self.index(key)}] {'+=' if line.function is index_add else '='} {what}")

    def _release(self, line: Line) -> None:
        """Forget large arrays that were used for the last time."""
        for root in self.memory.ends.get(self.memory.at[line], ()):
            names = {name for x, name in self.names.items() if root in self.memory.roots(x)}
            self.statements += [f"del {name}" for name in sorted(names - {self.names.get(line)})]
            self.names = {x: name for x, name in self.names.items() if name not in names or x is line}

    def _own(self, out: Line, outputs: Sequence[Line]) -> str:
        """An output, in memory of its own."""
        text = self.operand(out)
        if out.dtype is None:
            return text
        if not out.shape:
            return text if is_ufunc(out) or is_reduction(out) else f"{self.known(np.asarray)}({text})[()]"
        roots = self.memory.roots(out)
        alone = sum(bool(roots & self.memory.roots(other)) for other in outputs) == 1
        return text if alone and all(map(self.memory.is_own, roots)) else f"{text}.copy(order='K')"


def _positive(value: Any) -> bool:
    """Whether no zero among the elements is a negative one."""
    return value.dtype.kind != "f" or not np.any(np.signbit(value))


def build(lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line]) -> tuple[Any, str]:
    """The function that takes the inputs and returns the tuple of outputs, each in memory of its own; and its text."""
    written = Straight(lines, outputs, inputs)
    body = [*written.statements, f"return ({' '.join(r + ',' for r in written.results)})"]
    names = ", ".join(f"x{i}" for i in range(len(inputs)))
    text = f"def run({names}):\n" + "\n".join(f"    {s}" for s in body)
    exec(compile(text, "<a program of minigrad>", "exec"), written.space)
    return written.space["run"], text
