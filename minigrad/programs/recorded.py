"""A recorded run of a function as a program that gives the same for other numbers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ops.compare import keep
from ..structure import flatten, rebuild
from ..tensor import Tensor
from ..variable import Variable
from . import calls
from .calls import Line, constant, draw, guard, guard_shape, lines_in
from .program import needed
from .straight import build
from .symbol import Symbol
from .watching import Recording

#: Functions whose result has a shape that follows from the shapes of their arguments.
_STEADY = {
    calls.given, constant, draw, calls.reshape, calls.transpose, calls.astype, calls.index_add, calls.index_add_each,
    calls.index_set, keep, np.where, np.concatenate, np.matmul, np.einsum, np.broadcast_to, np.vdot,
}  # fmt: skip


LONGEST = 20_000  # lines


class Recorded:
    """A program made of a recording of a function that returned `result`.

    run : the function of the inputs that returns the outputs, or None where a guard fails. text : its source.
    pull : where upstream gradients are given, the function of the residuals and of these that returns gradients;
        residuals are what `run` returns beyond the outputs of the function.
    custom : whether it follows rules of custom gradients. draws : whether it draws random numbers.
    connected : for each source of the gradients, whether it has one.
    outside : Variables that were read, and Tensors that the function captured: inputs besides the arguments.
    like, statics : how the outputs are put together, and those that are no arrays, by number.
    sure : whether it has repeated a result of the function.
    """

    def __init__(
        self, recording: Recording, inputs: Sequence[Line], result: Any, outside: Sequence[Tensor],
        upstreams: Sequence[Tensor], gradients: Sequence[Tensor | None],
    ) -> None:  # fmt: skip
        self._lowering = lowering = recording.lowering
        self.outside = list(outside)
        inputs = [*inputs, *map(lowering.give, outside)]
        ups = [lowering.give(t) for t in upstreams]
        leaves, found = flatten(result), [g for g in gradients if g is not None]
        lowering.lines([x for x in (*leaves, *found) if isinstance(x, Tensor) and not isinstance(x, Variable)])
        lines, backs = [self._line(x) for x in leaves], lowering.lines(found)
        guards = {lowering.line(t): value for t, value in recording.guards}

        self.like, self.sure = rebuild(result, [None] * len(leaves)), False
        self.statics = {i: x for i, (x, line) in enumerate(zip(leaves, lines)) if line is None}
        outputs = [line for line in lines if line is not None]
        program = [*_checked([*outputs, *backs], guards, lowering.program.lines)]
        if len(program) > LONGEST:
            raise ValueError(f"its program would have {len(program):,} lines; loops are written out line by line")
        later = _depending(program, ups)
        residuals = [x for x in dict.fromkeys(lines_in([x.args for x in later])) if x not in later and x not in ups]
        residuals += [x for x in dict.fromkeys(backs) if x not in later and x not in residuals]
        residuals = [x for x in residuals if x.function is not constant]
        now = [x for x in program if x not in later]
        self.custom = recording.custom
        self.draws = any(x.function is draw for x in program)
        self.run, self.text = build(now, [*outputs, *residuals], inputs, len(outputs))
        self.count = len(outputs)
        self.pull = build([x for x in program if x in later], backs, [*residuals, *ups])[0] if ups else None
        self.connected = [g is not None for g in gradients]

    def _line(self, x: Any) -> Line | None:
        if isinstance(x, Variable):
            return None
        if isinstance(x, Symbol):
            return x.line
        if isinstance(x, Tensor):
            return self._lowering.line(x)
        return self._lowering.constant(x) if isinstance(x, (np.ndarray, np.generic)) else None

    def extra(self) -> list[Any]:
        """The present values of what the program needs besides the arguments."""
        return [t.value for t in self.outside]

    def finish_recording(self) -> None:
        """Forget the numbers that were computed while recording."""
        for line in self._lowering.program.lines:
            if line.function is not constant:
                line.value = None
        del self._lowering


def _checked(outputs: list[Line], guards: dict[Line, Any], everything: list[Line]) -> list[Line]:
    """The lines that are needed, each followed by the check that the program depends on, if there is one."""
    drawn = [line for line in everything if line.function is draw]
    decided = [line for line in guards if line.function is not constant]
    lines = []
    for line in needed([*outputs, *drawn, *decided], everything):
        lines.append(line)
        if line in decided:
            lines.append(Line(guard, (line, guards[line]), {}, None))
        if _unsteady(line):
            lines.append(Line(guard_shape, (line, line.shape), {}, None))
    return lines


def _depending(lines: list[Line], sources: Sequence[Line]) -> set[Line]:
    """The lines that depend on the sources."""
    found = set(sources)
    for line in lines:
        if any(a in found for a in lines_in((line.args, line.kwargs))):
            found.add(line)
    return found - set(sources)


def _unsteady(line: Line) -> bool:
    """Whether the shape of the result depends on numbers, as far as is known here."""
    if not isinstance(line.value, np.ndarray) or line.function in _STEADY:
        return False
    if line.function is operator.getitem:
        key = line.args[1] if isinstance(line.args[1], tuple) else (line.args[1],)
        masks = any(isinstance(k, Line) and k.dtype == bool and k.function is not constant for k in key)
        return masks or not isinstance(line.args[0].value, (np.ndarray, np.generic))
    return not isinstance(getattr(line.function, "__self__", line.function), np.ufunc)
