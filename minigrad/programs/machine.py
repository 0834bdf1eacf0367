"""A program as a Python function that runs fast: the same calls, but large arrays that are no longer needed are
overwritten, and elementwise work on large arrays is done block by block. Neither changes a bit.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .blocks import reorder, run_in_blocks
from .expressions import Speller
from .lines import FILLING, Line, constant, given, is_new, is_reduction, is_ufunc, lines_in, reshape, transpose
from .refusals import NotAProgram

LARGE = 1 << 15  # bytes: for smaller arrays, reusing memory saves no time

#: Ufuncs that equal Python's operators on single NumPy numbers, which are 10 times as fast.
_ON_NUMBERS = {np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.greater, np.less}


def build(
    lines: Sequence[Line], outputs: Sequence[Line], inputs: Sequence[Line | None], result: Callable[..., str]
) -> tuple[Callable[..., Any], str]:
    """Build the function from the inputs to the outputs, each in memory of its own; return it and its text.

    result : a function that nests the texts of the outputs; its second argument gives the names of other objects.
    """
    written = _Machine(lines, outputs, inputs)
    body = "\n    ".join([*written.statements, f"return {result(written.results(outputs), written.known)}"])
    text = f"def run({', '.join(f'x{i}' for i in range(len(inputs)))}):\n    {body}"
    exec(compile(text, "<a program of minigrad>", "exec"), written.space)
    return written.space["run"], text


class _Machine(Speller):
    """The statements of a function that runs the lines.

    names : the variable of each line. space : the globals of the function: NumPy's functions, and constants.
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
        self._last = dict.fromkeys(outputs, len(parts))  # the position at which the memory of a line is last used
        named: dict[Line, int] = {}  # the position at which its variable is last used
        for k, line in reversed(flat):
            for a in line.uses:
                named.setdefault(a, k)
                kept = 0 if is_new(line) else self._last.get(line, 0)  # its result may be a view of a
                self._last[a] = max(self._last.get(a, 0), k, kept)
        ends: dict[int, list[Line]] = {}
        for a, k in named.items():
            if a.shape and a not in outputs:
                ends.setdefault(k, []).append(a)
        for k, part in enumerate(parts):
            if isinstance(part, list):
                self.statements += run_in_blocks(part, uses, self.names, self.text_of, self.known)
            elif part.function is not given and part.function is not constant:
                self._append(part)
            unneeded = [name for line in ends.get(k, ()) if (name := self.names.get(line, ""))[:1] == "v"]
            self.statements += [f"del {', '.join(unneeded)}"] if unneeded else []

    # Memory.

    def _is_free(self, a: Any, line: Line) -> bool:
        """Whether the memory of an argument is the program's own, and not needed after `line`."""
        if not isinstance(a, Line) or self.names.get(a, "")[:1] != "v" or self._last[a] != self._at[line]:
            return False
        return is_new(a) or (a.function is reshape and self._is_free(a.args[0], line))

    def _reusable(self, line: Line) -> Line | None:
        """An argument whose memory can hold the result of an elementwise line; None if there is no such argument."""
        for a in line.args if line.shape and line.nbytes >= LARGE and not line.kwargs and is_ufunc(line) else ():
            if self._is_free(a, line) and (a.shape, a.dtype, a.strides) == (line.shape, line.dtype, line.strides):
                return a
        return None

    def results(self, outputs: Sequence[Line]) -> list[str]:
        """The outputs, each in memory of its own."""
        owners = [owner(out) for out in outputs]
        found = []
        for out, memory in zip(outputs, owners):
            text = self.text_of(out)
            if out.shape and not (is_new(memory) and owners.count(memory) == 1):
                text += ".copy(order='K')"
            elif not out.shape and out.dtype is not None and not (is_ufunc(out) or is_reduction(out)):
                text = f"np.asarray({text})[()]"
            found.append(text)
        return found

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
            text = f"{self.known(line.function)}({', '.join(args)})"
        name = self.names[line] = f"v{len(self.names)}"
        self.statements.append(f"{name} = {text}")
        keys = line.args[1] if line.function is operator.getitem else ()
        if lines_in([key for key in (keys if type(keys) is tuple else (keys,)) if type(key) is slice]):
            self.statements.append(f"{self.known(check_length)}({name}, {line.shape!r})")

    # Expressions.

    def operand(self, line: Line) -> ast.expr:
        if line not in self.names:  # a constant; one that is stored as one number is filled out
            value = line.value if getattr(line.value, "strides", ()) == line.strides else np.array(line.value)
            self.names[line] = self.known(value)
        return super().operand(line)

    def other(self, x: Any) -> str:
        return repr(x) if type(x) in (int, str, bool, type(None)) else self.known(x)

    def known(self, value: Any) -> str:
        """The name of a function or another object, which is added to the globals if needed."""
        if id(value) not in self._known:
            name = getattr(value, "__name__", "")
            name = name if hasattr(np, name) and name not in self.space else f"k{len(self.space)}"
            self._known[id(value)], self.space[name] = name, value
        return self._known[id(value)]


def owner(line: Line) -> Line:
    """The line that allocates the memory of a result, as far as is known."""
    return owner(line.args[0]) if line.function in (reshape, transpose) else line


def check_length(x: Any, shape: tuple[int, ...]) -> None:
    """Raise NotAProgram if a slice whose bounds are computed has another shape than when the program was written."""
    if x.shape != shape:
        raise NotAProgram(
            f"a slice gave an array of shape {x.shape} where the program was written for shape {shape}: a length that "
            f"depends on numbers cannot be part of a program; pass the bounds as plain integers"
        )
