"""Read a graph from untrusted data. Everything is checked before anything is run."""

from __future__ import annotations

import inspect
import json
from typing import Any, NamedTuple

import numpy as np

from ..core.op import OPS
from ..core.support.tensor_values import Function
from .as_json import NotData, from_data, numbers_in
from .writer import Fragment

MOST_BYTES, MOST_NODES, MOST_NESTING = 4_000_000, 20_000, 12


class Unreadable(ValueError):
    """Raised for data that is not a runnable graph; the message gives the reason."""


class OpUse(NamedTuple):
    """An op in a graph, and the part of the graph that uses it: "function", or a custom gradient's "body" or "rule"."""

    name: str
    part: str


class Graph:
    """A graph that was read from text and checked.

    root : the outermost fragment. ops, customs : the ops, and the functions with custom gradients. constants : how many
    numbers the graph contains. size : how many nodes it has. of_rules : both counts for rules only; if a rule calls its
    own function again, the body of that function is not counted. variables : the sorted names of the Variables.
    by_gradients : whether a rule ran one of the engine's backward passes.

    Raises Unreadable if the text is not JSON, is too large, contains an unknown op or an invalid call, or refers to a
    node before that node is defined.

    >>> Graph('{"params": [0], "nodes": [[1, "op", "exp", [{"node": 0}], {}]], "out": [1]}').ops
    [OpUse(name='exp', part='function')]
    """

    def __init__(self, text: str) -> None:
        if len(text) > MOST_BYTES:
            raise Unreadable(f"the graph has {len(text):,} bytes, more than {MOST_BYTES:,}")
        try:
            self.root: Fragment = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"the graph is not JSON: {error}") from None
        self.ops: list[OpUse] = []
        self.customs: list[OpUse] = []
        self.constants = 0
        self.of_rules = 0, 0
        self.by_gradients = False
        self._around: list[list[str]] = []
        self._again = 0, 0
        self._names: set[str] = set()
        self._numbers: set[int] = set()
        try:
            self._fragment(self.root, frozenset(), 0, "function")
        except (NotData, RecursionError) as error:
            raise Unreadable(str(error)) from None

    @property
    def size(self) -> int:
        return len(self._numbers)

    @property
    def variables(self) -> list[str]:
        return sorted(self._names)

    def _fragment(self, f: Any, scope: Any, depth: int, part: str) -> set[int]:
        """Check the fragment `f`, and return the numbers of all nodes that are defined at its end.

        scope : the numbers of the nodes defined before it. depth : the number of custom calls around it. part : see
            OpUse.
        """
        _need(depth <= MOST_NESTING, "custom gradients are nested too deeply")
        lists = isinstance(f, dict) and all(type(f.get(key)) is list for key in ("params", "nodes", "out"))
        _need(lists and (len(f) == 3 or part == "rule"), "a fragment must have lists of params, nodes and out")
        scope = set(scope)
        for number in f["params"]:
            self._new(number, scope)
        for node in f["nodes"]:
            _need(type(node) is list and len(node) >= 3, "a node must be a list of number, kind and fields")
            self._node(node, scope, depth, part)
            self._new(node[0], scope)
        for number in f["out"]:
            _need(number is None or (type(number) is int and number in scope), f"there is no node {number!r:.20} here")
        return scope

    def _new(self, number: Any, scope: set[int]) -> None:
        _need(type(number) is int and number not in self._numbers, f"the number {number!r:.20} of a node is taken")
        _need(len(self._numbers) < MOST_NODES, f"the graph has more than {MOST_NODES:,} nodes")
        self._numbers.add(number)
        scope.add(number)

    def _node(self, node: list[Any], scope: set[int], depth: int, part: str) -> None:
        """Check one node. scope : the nodes before it; its arguments must be among them, which rules out cycles."""
        kind: Any = node[1]
        rest: Any = node[2:]
        if kind == "constant" and len(rest) == 1:
            self._argument(rest[0], scope)
        elif kind == "variable" and len(rest) == 3:
            _need(type(rest[0]) is str and type(rest[1]) is bool, "a variable must have a name")
            self._argument(rest[2], scope)
            self._names.add(rest[0])
        elif kind == "output" and len(rest) == 2:
            _here(rest[0], scope)
            _need(type(rest[1]) is int and 0 <= rest[1] < 100, "an output must have an index")
        elif kind == "op" and len(rest) == 3:
            self._op(rest, scope, part)
        elif kind == "custom" and len(rest) == 5:
            self._custom(rest, scope, depth, part)
        else:
            raise Unreadable(f"{kind!r:.20} is not a kind of node")

    def _op(self, rest: Any, scope: set[int], part: str) -> None:
        name, args, options = rest
        recorded = type(name) is str and name in OPS and OPS[name].kind != "composite"
        _need(recorded, f"{name!r:.40} is not an op of minigrad")
        _need(type(args) is list and type(options) is dict, "an op must have arguments and options")
        _need(any(type(a) is dict and "node" in a for a in args), f"{name} has no Tensor among its arguments")
        values = [self._argument(a, scope) for a in args]
        keywords = {k: self._argument(a, scope) for k, a in options.items()}
        _need(_binds(OPS[name].fn, values, keywords), f"{name} is called wrongly")
        self.ops.append(OpUse(name, part))

    def _custom(self, rest: Any, scope: set[int], depth: int, part: str) -> None:
        name, numbers, many, body, rule = rest
        _need(type(name) is str and type(numbers) is list and type(many) is bool, "a custom gradient must have a name")
        for number in numbers:
            _here(number, scope)
        before = self.size, self.constants
        inside = self._fragment(body, scope, depth + 1, "body")
        steps = [node[2] for node in body["nodes"] if node[1] == "op"]
        if part == "rule" and steps in self._around:
            self._again = self._again[0] + self.size - before[0], self._again[1] + self.constants - before[1]
        _need(len(body["params"]) == len(numbers), "a custom gradient must have as many arguments as parameters")
        _need(bool(body["out"]) and None not in body["out"], "a custom gradient must have outputs")
        if type(rule) is dict and set(rule) == {"raises"}:
            _need(type(rule["raises"]) is str, "an error must be a sentence")
        elif rule is not None:
            before = self.size - self._again[0], self.constants - self._again[1]
            self._around.append(steps)
            self._fragment(rule, inside, depth + 1, "rule")
            self._around.pop()
            _need(len(rule) == 3 or rule.get("by_gradients") is True, "a rule must be a fragment")
            self.by_gradients |= len(rule) > 3
            if part != "rule":
                now = self.size - self._again[0], self.constants - self._again[1]
                grown = now[0] - before[0], now[1] - before[1]
                self.of_rules = self.of_rules[0] + grown[0], self.of_rules[1] + grown[1]
            _need(len(rule["params"]) == len(body["out"]), "a rule must have one upstream for each output")
            _need(len(rule["out"]) >= len(numbers), "a rule must have one gradient for each input")
        self.customs.append(OpUse(name, part))

    def _argument(self, data: Any, scope: set[int]) -> Any:
        """Check the JSON data of an argument; return the argument, with None for each reference to a node."""
        value = from_data(data, lambda number: _here(number, scope))
        self.constants += numbers_in(data)
        return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _need(holds: Any, why: str) -> None:
    if not holds:
        raise Unreadable(why)


def _here(number: Any, scope: set[int]) -> None:
    _need(type(number) is int and number in scope, f"a node refers to {number!r:.20}, which does not come before it")


def _binds(fn: Function, args: list[Any], options: dict[str, Any]) -> bool:
    """Return whether a call fits the signature of an op's function; a ufunc may have no options, such as `out=`."""
    if isinstance(fn, np.ufunc):
        return len(args) == fn.nin and not options
    try:
        inspect.signature(fn).bind(*args, **options)
    except TypeError:
        return False
    return True
