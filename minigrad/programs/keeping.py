"""Whether a function put Tensors of its run somewhere outside: a list that grows, an attribute."""

from __future__ import annotations

import gc
from types import CellType, FunctionType, MethodType
from typing import Any

from ..node import Op
from ..tensor import Tensor
from ..variable import READ, Variable
from .watching import Recording


def kept_outside(recording: Recording, own: Any) -> str:
    """The reason against a program, where Tensors of the run are alive that neither its result nor its rules hold."""
    mine = {id(x) for x in reachable(own)}
    if not _strangers(recording, mine):
        return ""
    gc.collect()  # what only a cycle holds is not held
    return "it keeps a Tensor of its run, in a list or an attribute outside" if _strangers(recording, mine) else ""


def _strangers(recording: Recording, mine: set[int]) -> list[Tensor]:
    alive = [ref() for ref in recording.born]
    return [node for node in alive if node is not None and id(node) not in mine and node.op is not READ]


def reachable(start: Any) -> list[Tensor]:
    """The Tensors that a value holds: through the graph, through custom rules, and through what these capture."""
    found, seen, stack = [], set(), [start]
    while stack:
        x = stack.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, Tensor):
            found.append(x)
            stack += [*x.args, x.op] if not isinstance(x, Variable) else [x._read]
        elif isinstance(x, Op):
            stack += [y for y in gc.get_referents(x) if not isinstance(y, type)]
        elif isinstance(x, FunctionType):
            stack += [*(x.__closure__ or ()), *(x.__defaults__ or ())]
        elif isinstance(x, MethodType):
            stack += [x.__func__, x.__self__]
        elif isinstance(x, CellType):
            stack += gc.get_referents(x)
        elif isinstance(x, (list, tuple, set)):
            stack += x
        elif isinstance(x, dict):
            stack += x.values()
        elif type(x).__module__ not in ("builtins", "numpy"):
            stack += getattr(x, "__dict__", {}).values()
    return found
