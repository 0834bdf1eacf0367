"""Statements: lines get names, or stand inside other lines where they are used once."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from .calls import Line, constant, index_add, index_add_each, index_set, lines_in
from .helpers import helper
from .spelling import code, identifier, name_of, spell, spell_argument, spell_constant, spell_index

WIDTH = 76  # of an expression that stands inside another
COLUMN = 60  # of the notes at most

_IN_PLACE = {index_add: "{0}{1} += {2}", index_add_each: "np.add.at({0}, {1}, {2})", index_set: "{0}{1} = {2}"}


@dataclass
class Link:
    """What a statement has to do with the graph; nodes are named by their births.

    lines : the first and the last line of the text that it takes, counted from 1. name : the variable that it sets.
    of : the node that it is written for, in the forward pass or, where `backward` is true, in the step of that node.
    nodes : the nodes whose value the variable then has.
    sends : the messages that it computes, as (node, number of the argument); `adjoint` is the node whose adjoint,
        as far as it has arrived, the variable then has. A statement on the way to another one has neither.
    """

    name: str
    of: int = -1
    backward: bool = False
    nodes: tuple[int, ...] = ()
    sends: tuple[tuple[int, int], ...] = ()
    adjoint: int | None = None
    lines: tuple[int, int] = (0, 0)


class Statement(NamedTuple):
    """Code that gives `name` its value, what is said about it, and what it has to do with the graph."""

    name: str
    code: list[str]
    note: str
    link: Link


class Writer:
    """Writes the statements of a program in the order in which they are asked for.

    uses : how often each line is used. Lines without a name that are used once stand where they are used.
    """

    def __init__(self, uses: Counter[Line]) -> None:
        self.uses = uses
        self.statements: list[Statement] = []
        self.names: dict[Line, str] = {}
        self.called: dict[str, list[Line]] = {}  # the same the other way round
        self.numbers: Counter[str] = Counter()  # the last number behind a name, by what stands before it
        self.taken = {"np", "value_and_gradients"}
        self.helpers: dict[Any, str] = {}  # functions that are not NumPy's, by name
        self.definitions: dict[str, str] = {}  # and their sources
        self.data: dict[str, Any] = {}  # constants that are too long to write down, by the names they got
        self.instead: dict[Line, str] = {}  # adjoints that are values of the forward pass too: called so once, first
        self.of, self.backward, self.note = -1, False, ""  # the node and the pass that is written, and what is said

    def parameter(self, line: Line, name: str) -> None:
        """Call a given line by a name of its own."""
        self.call(line, self.fresh(name))

    def fresh(self, name: str) -> str:
        """A name that is not taken; "" for t1, t2, ..."""
        stem = identifier(name) + "_" if name else "t"
        found = stem[:-1]
        while not found or found in self.taken:
            self.numbers[stem] += 1
            found = f"{stem}{self.numbers[stem]}"
        self.taken.add(found)
        return found

    def call(self, line: Line, name: str) -> None:
        """From now on the line is called `name`."""
        self.names[line] = name
        self.called.setdefault(name, []).append(line)

    def assign(self, line: Line, name: str) -> None:
        """A statement `name = ...` for what the line gives; for a line that has a name, another name."""
        if line in self.names or line.function is constant:
            self._append(name, [f"{name} = {ast.unparse(self.operand(line))}"])
        else:
            self._define(line, name)

    def add_to(self, name: str, line: Line) -> None:
        """A statement that adds what the line gives to what `name` holds."""
        for known in self.called.pop(name, ()):  # it holds that line no more
            if self.names.get(known) == name:
                del self.names[known]
        self._append(name, [f"{name} = {ast.unparse(ast.BinOp(code(name), ast.Add(), self.operand(line)))}"])

    def operand(self, line: Line) -> ast.expr:
        """A line as it stands in an expression."""
        known = self.instead.get(line) or self.names.get(line)
        if line in self.names:
            self.instead.pop(line, None)
        if known:
            return code(known)
        if line.function is constant:
            text = spell_constant(line.value)
            return code(text if text else self._datum(line))
        if self.uses[line] > 1 or line.function in _IN_PLACE:
            return self._named(line)
        expression = self._spell(line)
        if len(ast.unparse(expression)) > WIDTH:
            return self._named(line, expression)
        return expression

    def _named(self, line: Line, expression: ast.expr | None = None) -> ast.expr:
        name = self.fresh("")
        self._define(line, name, expression)
        return code(name)

    def _define(self, line: Line, name: str, expression: ast.expr | None = None) -> None:
        if line.function in _IN_PLACE:
            start, key, value = line.args
            begin = ast.unparse(self.operand(start)) + ("" if start.function is constant else ".copy()")
            place = ast.unparse(spell_argument(key, self.operand))
            if line.function is not index_add_each:
                place = ast.unparse(ast.Subscript(code("_"), spell_index(key, self.operand), ast.Load()))[1:]
            change = _IN_PLACE[line.function].format(name, place, ast.unparse(spell_argument(value, self.operand)))
            lines = [f"{name} = {begin}", change]
        else:
            lines = [f"{name} = {ast.unparse(expression or self._spell(line))}"]
        self._append(name, lines)
        self.call(line, name)

    @property
    def last(self) -> Link:
        """What the statement that was written last has to do with the graph."""
        return self.statements[-1].link

    def _append(self, name: str, lines: list[str]) -> None:
        self.statements.append(Statement(name, lines, self.note, Link(name, self.of, self.backward)))

    def _spell(self, line: Line) -> ast.expr:
        function = line.function
        if name_of(function).startswith("np.") or function.__module__ in (
            "operator",
            "_operator",
            f"{__package__}.calls",
        ):
            return spell(line, self.operand)
        if function not in self.helpers:
            self.helpers[function] = helper(function, self.definitions)
            self.taken.update(self.definitions)
        return spell(line, self.operand, self.helpers[function])

    def _datum(self, line: Line) -> str:
        self.call(line, self.fresh("data"))
        self.data[self.names[line]] = line.value
        return self.names[line]


def count_uses(outputs: list[Line], lines: list[Line]) -> Counter[Line]:
    """How often each line is used by those given and by the outputs."""
    uses = Counter(outputs)
    for line in lines:
        uses.update(lines_in((line.args, line.kwargs)))
    return uses


def living(statements: list[Statement], result: str) -> list[Statement]:
    """The statements whose names are read later, or by the result."""
    wanted, kept = _names(result), []
    for statement in reversed(statements):
        if statement.name in wanted:
            first, *more = statement.code
            wanted.discard(statement.name)
            wanted |= _names(first.partition(" = ")[2])
            wanted |= {name for line in more for name in _names(line)} - {statement.name}
            kept.append(statement)
    return kept[::-1]


def _names(text: str) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}


def _short(note: str) -> str:
    return note if len(note) <= 50 else note[:47] + "..."


def layout(statements: list[Statement], start: int) -> list[str]:
    """The lines of the statements, with the notes in a column, or above a line that is too long for one.

    start : the number of the first line; the links are told which lines are theirs.
    """
    column = min(max((len(s.code[0]) for s in statements if s.note), default=0), COLUMN)
    rows: list[str] = []
    for statement in statements:
        (first, *more), note, begin = statement.code, _short(statement.note), start + len(rows)
        if note and len(first) > COLUMN:
            rows.append(f"# {note}")
        rows += [f"{first:<{column}}  # {note}" if note and len(first) <= COLUMN else first, *more]
        statement.link.lines = (begin, start + len(rows) - 1)
    return rows
