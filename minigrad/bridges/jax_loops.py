"""Open JAX's loops and branches: replace `scan`, `fori_loop`, `while_loop` and `cond` by the equations that they run.

The program runs once with its numbers to find which branches it takes and how many steps its loops run. Then it is
traced again with these decisions, so each step gets its own equations, with the user's lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as jex

from .jax_equations import INLINE, bind, body_of, literal, rows_of

OPENED = {"scan", "while", "cond"}
#: Programs that would have more equations than this are not opened.
MOST = 1000


#: The prefix that marks an iteration in the stack of names around an equation.
MARK = "minigrad: "


class TooLong(Exception):
    """Raised if the opened program has too many equations."""


def opened(closed: Any, inputs: Sequence[Any]) -> Any:
    """Return a jaxpr with its loops and branches opened, or the same jaxpr if it has none or would become too long."""
    if not _has_loops(closed.jaxpr):
        return closed
    decisions: list[int] = []
    try:
        _Opener(decisions, None).walk(closed.jaxpr, closed.consts, inputs)
        again = lambda *xs: _Opener([], iter(decisions)).walk(closed.jaxpr, closed.consts, xs)[0]
        return jax.make_jaxpr(again)(*inputs)
    except TooLong:
        return closed


def _has_loops(jaxpr: Any) -> bool:
    names = [eqn.primitive.name for eqn in jaxpr.eqns]
    inside = (body_of(eqn)[0] for eqn in jaxpr.eqns if eqn.primitive.name in INLINE)
    return bool(OPENED & {*names}) or any(map(_has_loops, inside))


class _Opener:
    """A walk over equations that replaces loops and branches with the equations that they run.

    A decision is the index of the branch that runs, or whether a `while_loop` continues.

    taken : the decisions of the first run, which computes with numbers, in order.
    decided : those decisions, for the second run, which only traces; None in the first run.
    """

    def __init__(self, taken: list[int], decided: Iterator[int] | None) -> None:
        self.taken, self.decided, self.count = taken, decided, 0
        self.iterations: list[str] = []
        self.rows = 0  # how often `jax.vmap` maps the loops and calls around an equation

    def decide(self, value: Callable[[], Any]) -> int:
        if self.decided is not None:
            return next(self.decided)
        self.taken.append(int(value()))
        return self.taken[-1]

    def walk(self, jaxpr: Any, consts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        env = dict(zip(jaxpr.constvars, consts)) | dict(zip(jaxpr.invars, values))
        read = lambda v: literal(v) if isinstance(v, jex.Literal) else env[v]
        for eqn in jaxpr.eqns:
            entering, name = [read(v) for v in eqn.invars], eqn.primitive.name
            self.count += 1
            if self.count > MOST:
                raise TooLong
            if name in OPENED or (name in INLINE and _has_loops(body_of(eqn)[0])):
                self.rows += rows_of(eqn)
                open_it = getattr(self, f"_{name}", None)
                results = self.walk(*body_of(eqn), entering) if open_it is None else open_it(eqn.params, entering)
                self.rows -= rows_of(eqn)
            else:
                with _line_of(eqn, self.iterations, self.rows):
                    results = bind(eqn, entering)
            env.update(zip(eqn.outvars, results))
        return [read(v) for v in jaxpr.outvars]

    def _cond(self, p: Any, values: list[Any]) -> list[Any]:
        branch = p["branches"][self.decide(lambda: values[0])]
        return self.walk(branch.jaxpr, branch.consts, values[1:])

    def _while(self, p: Any, values: list[Any]) -> list[Any]:
        n, m = p["cond_nconsts"], p["body_nconsts"]
        test, fixed, carry = values[:n], values[n : n + m], values[n + m :]
        closed, body = p["cond_jaxpr"], p["body_jaxpr"]
        goes_on = lambda carry: self.walk(closed.jaxpr, closed.consts, [*test, *carry])[0]
        number = 0
        while self.decide(partial(goes_on, carry)):
            number += 1
            carry = self.iterate(f"iteration {number}", body, [*fixed, *carry])
        return carry

    def iterate(self, name: str, body: Any, values: list[Any]) -> list[Any]:
        self.iterations.append(f"{name} of {'the loop' if not self.iterations else 'the loop in it'}")
        try:
            return self.walk(body.jaxpr, body.consts, values)
        finally:
            self.iterations.pop()

    def _scan(self, p: Any, values: list[Any]) -> list[Any]:
        n, m = p["num_consts"], p["num_carry"]
        fixed, carry, rows = values[:n], values[n : n + m], values[n + m :]
        order = [*range(p["length"])][:: -1 if p["reverse"] else 1]
        outs: dict[int, list[Any]] = {}
        for number, i in enumerate(order, 1):
            name = f"iteration {number} of {len(order)}"
            results = self.iterate(name, p["jaxpr"], [*fixed, *carry, *(row[i] for row in rows)])
            carry, outs[i] = results[:m], results[m:]
        columns = zip(*(outs[i] for i in range(p["length"])))
        stacked = [jnp.stack(column) for column in columns]
        return [*carry, *stacked]


def iteration_of(eqn: Any) -> str:
    """Return the iteration that contained an equation, as in "iteration 2 of 3 of the loop", or "" if there is none."""
    names = [getattr(part, "name", "") for part in getattr(eqn.source_info.name_stack, "stack", ())]
    return next((name.removeprefix(MARK) for name in names if name.startswith(MARK)), "")


def _line_of(eqn: Any, iterations: Sequence[str], rows: int) -> Any:
    """Return a context that gives new equations the line of an equation, and the iterations and `vmap`s around it."""
    try:
        from jax._src import source_info_util

        names = eqn.source_info.name_stack
        names = names.extend(MARK + ", ".join(iterations)) if iterations else names
        for _ in range(rows):
            names = names.extend("vmap")
        return source_info_util.user_context(eqn.source_info.traceback, name_stack=names)
    except (AttributeError, ImportError, TypeError):
        return nullcontext()
