"""The programs of a compiled function for arguments of one kind, and how they are run."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..call import as_leaf
from ..structure import flatten, rebuild
from ..tensor import Tensor
from ..variable import Variable
from .connected import Call
from .entrance import entrance
from .making import make, plain
from .pictures import nesting, within
from .reasons import OTHERWISE, First, repeats
from .recorded import Recorded

LIMIT = 8
FAILED = object()
WAYS = 3  # how many short ways are tried before the long one


class Entry:
    """The first result for arguments of one kind, then programs, one for each way that Python took through `f`.

    owner : the compiled function. alive : what must live on, because it is known by its id.
    kinds : for each leaf of the result, what it is: "numpy", "tensor", "node" if it is connected, or "static".
    first : the leaves of the first arguments and of the first result, and the Variables' values at that time, by id;
        None once a program has repeated it.
    """

    def __init__(self, owner: Any, alive: Any) -> None:
        self.owner, self.alive = owner, alive
        self.kinds: list[str] | None = None
        self.first: First | None = None
        self.programs: list[Recorded] = []

    def call(self, args: Any, kwargs: Any, leaves: list[Any]) -> Any:
        """What the compiled function returns."""
        if self.kinds is None:
            result, self.first = self._plainly(args, kwargs, leaves)
            return result
        for program in self.programs:
            found = self.run(program, leaves)
            if found is FAILED:  # as `f` will, with a better message; or it catches the error
                return self.owner.f(*args, **kwargs)
            if found is not None:
                enter = entrance(self, program, args, kwargs)
                self.owner.quick = (*([enter] if enter else []), *self.owner.quick)[:WAYS]
                return self.finish(program, found, (args, kwargs), leaves)
        if len(self.programs) >= LIMIT:
            ways = f"it took {LIMIT} different ways through its code, as Python decided by numbers in Tensors"
            return self.owner.give_up(f"{ways}; mg.where decides without Python")(*args, **kwargs)
        made, result, reason = make(self, args, kwargs, leaves)
        if made is None:
            self.owner.give_up(reason)
            return result
        if made.sure:
            self.first = None
            self.programs.append(made)
            return self.finish(made, self.run(made, leaves), (args, kwargs), leaves)
        result, here = self._plainly(args, kwargs, leaves)  # a way that was not taken before is run as it is, too
        if not self.owner.reason and not repeats(made, here._replace(variables=values_of(made.outside))):
            self.owner.give_up(OTHERWISE)
        self.programs.append(made)
        return result

    def _plainly(self, args: Any, kwargs: Any, leaves: list[Any]) -> tuple[Any, First]:
        """A call of `f` as it is, and what went in and came out, to check programs with."""
        before, nested, around = list(map(snapshot, leaves)), nesting((args, kwargs)), self.owner.surroundings
        key, variables = around.key(), values_of(within([around.values(), args, kwargs], Variable))
        result = self.owner.f(*args, **kwargs)
        found = flatten(result)
        kinds = list(map(kind_of, found))
        self.kinds = self.kinds or kinds
        changed = around.changed(key, around.key())
        if changed:
            self.owner.give_up(f"it changes {changed}, which it captures")
        elif nested != nesting((args, kwargs)):
            self.owner.give_up("it changes a list or dict among its arguments")
        elif not all(map(_unchanged, before, leaves)):
            self.owner.give_up("it changes an array among its arguments in place")
        return result, First(before, [snapshot(x) for x, kind in zip(found, kinds) if kind != "static"], variables)

    def run(self, program: Recorded, leaves: Sequence[Any]) -> Any:
        """The outputs of a program; None where a guard fails, FAILED where a call does: then nothing was drawn."""
        generators = [x for x in leaves if isinstance(x, np.random.Generator)] if program.draws else []
        states = [g.bit_generator.state for g in generators]
        try:
            with np.errstate(all="ignore"):
                found = program.run(*map(plain, leaves), *program.extra())
        except Exception:
            found = FAILED
        if found is None or found is FAILED:
            for g, state in zip(generators, states):
                g.bit_generator.state = state
        return found

    def finish(self, program: Recorded, found: Sequence[Any], given: Any, leaves: Sequence[Any]) -> Any:
        """The result, nested and of the kinds of the first."""
        kinds, values = self.kinds or [], iter(found)
        every = [program.statics[i] if kind == "static" else next(values) for i, kind in enumerate(kinds)]
        nodes = [i for i, kind in enumerate(kinds) if kind == "node" and every[i].dtype.kind == "f"]
        if nodes and program.pull is not None:
            call = Call(self.owner.f, program, given, leaves, [every[i] for i in nodes], found[program.count :])
            for i, node in zip(nodes, call.outputs):
                every[i] = node
        done = [
            as_leaf(x) if k in ("tensor", "node") and not isinstance(x, Tensor) else x for x, k in zip(every, kinds)
        ]
        return rebuild(program.like, done)


def kind_of(x: Any) -> str:
    """What a leaf of a result is."""
    if isinstance(x, Tensor) and not isinstance(x, Variable):
        return "tensor" if x.op is None else "node"
    return "numpy" if isinstance(x, (np.ndarray, np.generic)) else "static"


def values_of(variables: Sequence[Any]) -> dict[int, Any]:
    return {id(v): v.value for v in variables}


def snapshot(x: Any) -> Any:
    """A copy that later changes do not reach."""
    return copy.deepcopy(x) if isinstance(x, np.random.Generator) else np.array(plain(x))[()]


def _unchanged(before: Any, now: Any) -> bool:
    if isinstance(now, np.random.Generator):
        return True
    return np.asarray(before).tobytes() == np.asarray(plain(now)).tobytes()
