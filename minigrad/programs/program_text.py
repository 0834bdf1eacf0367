"""The text of a program, as a teacher would write it: a line gets a name, or is written inside another line."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ops.definitions import definition
from ..tracing.names import same_bytes
from .expressions import Speller, atom, name_of, spell_constant
from .instructions import FILLING, Line, constant, is_new, passed_in, repeated, seed
from .naming import Naming, Notes
from .simplify import simplified

WIDTH, MAX_DEPTH = 76, 6  # limits for an expression inside another expression
LONG = 200  # lines: if the text is longer, repeated iterations of a loop are left out

#: Ufuncs whose results for floats are the same as the results of Python's operators.
_PLAIN = {np.add, np.subtract, np.multiply, np.true_divide, np.negative}


@dataclass
class Statement:
    """The code that assigns `name`.

    step : the number of the backward-pass step that the code belongs to, or -1.
    parts : the lines written inside the expression of `line`.
    rows : the numbers of the first and the last row of the code in the text, counted from 1.
    """

    name: str
    line: Line
    code: Sequence[str] = ()
    step: int = -1
    parts: Sequence[Line] = ()
    rows: tuple[int, int] = (0, 0)


class Text(Speller):
    """A program as text.

    text : the code of a function, preceded by the functions that it needs.
    heads : the expression of each input in terms of the function's parameters, with the input's line.
    data : name of a parameter -> the array for it, which is too large to write down.
    statements : the statements of the function. head : the row of its `def`.
    now : recorded line -> the line in the text.
    """

    def __init__(
        self, name: str, signature: Sequence[str], lines: Sequence[Line], outputs: Sequence[Line],
        inputs: Sequence[tuple[Line, str]], notes: Notes, result: Callable[[list[str]], str],
        named_values: Sequence[tuple[str, Any]] = (),
    ) -> None:  # fmt: skip
        super().__init__()
        self.notes, self._known = notes, named_values
        mapped = [line for _, line in notes.nodes] + [line for line, _ in inputs]
        mapped += [x for s in notes.steps for x in (s.value, s.upstream, *(m.line for m in s.sends)) if x is not None]
        self.lines, self.now = simplified(lines, outputs, True, also=mapped)
        final = [self.now[out] for out in outputs]
        self.statements: list[Statement] = []
        self.definitions: dict[str, str] = {}
        self.data: dict[str, Any] = {}
        self._helpers: dict[Any, str] = {}
        self._in: dict[Line, Statement] = {}  # line -> the statement that contains it
        self._inside: list[Line] = []
        self._deep: dict[Line, int] = {}
        self.heads = [(text, self.now[line]) for line, text in inputs]
        self.names |= {line: text for text, line in self.heads[::-1]}
        self._taken = {"np", name, *re.findall(r"\w+", " ".join(signature))}
        self._naming = Naming(notes, lines, self.lines, self.now, final, self.names, self._taken)
        for line in self.lines:
            if line not in self.names and line.function not in (constant, passed_in):
                called = self._naming.name_for(line, self.names)
                if called is not None:
                    self._define(line, called)
        returned = result([self.text_of(out) for out in final])
        self.text = self._layout(name, [*signature, *self.data], f"return {returned}")

    # Statements.

    def operand(self, line: Line) -> ast.expr:
        if line in self.names:
            return atom(self.names[line])
        if line.function is constant:
            return atom(spell_constant(line.value) or self._datum(line))
        spelled = self.spell(line)
        self._deep[line] = 1 + max((self._deep.get(a, 0) for a in line.uses), default=0)
        if self._deep[line] > MAX_DEPTH or len(ast.unparse(spelled)) > WIDTH:
            self._deep[line] = 0
            name = self._naming.fresh("")
            self._append(line, name, [f"{name} = {ast.unparse(spelled)}"])
            return atom(name)
        self._inside.append(line)
        return spelled

    def _define(self, line: Line, called: str) -> None:
        """Write the statement that assigns a line to a name."""
        start = line.args[0] if line.args else line
        if line.function in FILLING:
            name, begin = self.names.get(start, ""), []
            if self._naming.uses[start] != 1 or start.function not in FILLING:  # the unchanged array is needed as well
                name = self._naming.fresh(called)
                needs_copy = start.function is not constant and (start in self.names or not is_new(start))
                copied = ast.Attribute(self.argument(start), "copy()") if needs_copy else self.argument(start)
                begin = [f"{name} = {ast.unparse(copied)}"]
            self._append(line, name, begin + self.changes(line, name))
            return
        total = self._naming.total.get(line)
        if (
            total is not None
            and line.function is np.add
            and self._naming.total.get(start) is total
            and start in self.names
        ):
            name = self.names.pop(start)
            in_place = is_new(start) and start.shape == line.shape
            more = self.argument(line.args[1])
            text = f"+= {ast.unparse(more)}" if in_place else f"= {ast.unparse(ast.BinOp(atom(name), ast.Add(), more))}"
            self._append(line, name, [f"{name} {text}"])
            return
        one = line.function is seed and line.dtype == np.float64 and not line.shape and start.value == 1
        text = "1.0" if one and self._may_be_plain(line) else ast.unparse(self.spell(line))
        name = self._naming.fresh(called)
        self._append(line, name, [f"{name} = {text}"])

    def _may_be_plain(self, line: Line) -> bool:
        """Return whether a Python float can replace the NumPy number of a line without changing any result."""
        if self._naming.uses[line] > sum(
            x.uses.count(line) for x in self._naming.users.get(line, ())
        ):  # the function returns the line
            return False
        for x in self._naming.users.get(line, ()):
            met = [a for a in x.args if a is not line]
            if x.function in (np.broadcast_to, repeated) or any(
                isinstance(a, Line) and a.dtype == np.float64 for a in met
            ):
                continue
            plain = all(type(a) in (int, float) and a != 0 for a in met)
            if not (plain and x.function in _PLAIN and self._may_be_plain(x)):
                return False
        return True

    def _append(self, line: Line, name: str, code: list[str]) -> None:
        """Append the statement that assigns `line` to `name`, and record which lines its code contains."""
        parts = [a for a in dict.fromkeys(self._inside) if a not in self._in]
        statement = Statement(name, line, code, self._naming.step.get(line, -1), parts)
        self._inside = []
        self._in |= dict.fromkeys([*parts, line], statement)
        self.statements.append(statement)
        self.names[line] = name

    def called(self, function: Any) -> str:
        module = getattr(function, "__module__", None) or ""
        if name_of(function).startswith("np.") or module in ("operator", "_operator", "builtins"):
            return name_of(function)
        if function not in self._helpers:
            self._helpers[function] = definition(function, self.definitions)
            self._taken.update(self.definitions)
        return self._helpers[function]

    def _datum(self, line: Line) -> str:
        """Add a parameter for a constant that is too long to write down, and name it as the user does, or "data"."""
        called = next((name for name, value in self._known if _is(value, line)), "data")
        self.names[line] = self._naming.fresh(re.findall(r"\w+", called)[-1])
        self.data[self.names[line]] = line.value
        return self.names[line]

    # Layout.

    def _layout(self, name: str, parameters: list[str], result: str) -> str:
        imports = [text for text in self.definitions.values() if text.startswith(("import ", "from "))]
        defined = [text for text in self.definitions.values() if text not in imports]
        head = "\n\n\n".join(["\n".join([*dict.fromkeys(imports), "import numpy as np"]), *defined])
        rows = [*head.split("\n"), "", "", f"def {name}({', '.join(parameters)}):"]
        self.head = len(rows)
        note, forward = "", not self.statements or self.statements[0].step < 0
        for s in self.statements:
            if s.step >= 0:
                rows += [""] * forward
                forward = False
                before, note = note, self._note(s.step)
                rows += [f"    # {note}"] if note and note != before else []
            s.rows = len(rows) + 1, len(rows) + len(s.code)
            rows += [f"    {line}" for line in s.code]
        return "\n".join([*rows, f"    {result}"])

    def _note(self, k: int) -> str:
        """Return the comment above the statements of backward step `k`.

        It is the forward statement of the step's node, or the name of its rule.
        """
        step = self.notes.steps[k]
        statement = self._in.get(self.now[step.value]) if step.value is not None else None
        note = step.rule or (statement.code[-1] if statement is not None and statement.step < 0 else "")
        return note if len(note) <= WIDTH else note[: WIDTH - 3] + "..."


def _is(value: Any, line: Line) -> bool:
    return getattr(value, "shape", None) == line.shape and same_bytes(value, line.value)


def folded(text: str, most: int = LONG) -> str:
    """Shorten a program with more than `most` rows: only the first two and the last iteration of a loop are shown."""
    rows = text.split("\n")
    alike = [re.sub(r"\d+", "0", row) for row in rows]
    shortened, i = [], 0
    while i < len(rows):
        period, turns = _turns(alike, i) if len(rows) > most else (1, 1)
        end = i + turns * period
        if turns > 1:
            note = f"    # ... iterations 3 to {turns - 1} of {turns}, {(turns - 3) * period} lines, are left out here"
            shortened += [*rows[i : i + 2 * period], note, *rows[end - period : end]]
        else:
            shortened.append(rows[i])
        i = end
    return "\n".join(shortened)


def _turns(rows: Sequence[str], i: int) -> tuple[int, int]:
    """Return (length, count) for the block of rows at row `i` that is repeated directly after itself, or (1, 1).

    In a backward pass, a block begins with a comment.
    """
    for period in range(1, min(60, (len(rows) - i) // 4 + 1)):
        turn, turns = rows[i : i + period], 1
        while rows[i + turns * period : i + (turns + 1) * period] == turn:
            turns += 1
        noted = [row.startswith("    #") for row in turn]
        if turns > 3 and turn[0].strip() and (noted[0] or not any(noted)):
            return period, turns
    return 1, 1
