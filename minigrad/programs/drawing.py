"""Random numbers in a recorded run: each draw from a generator among the arguments becomes a line of the program."""

from __future__ import annotations

from typing import Any

import numpy as np

from .calls import Line, draw
from .lowering import address
from .program import Program
from .symbol import Symbol
from .watching import Unrecordable, here


class Drawn(Symbol):
    """Random numbers that a recorded function has drawn: what NumPy does with them is written down too."""

    __slots__ = ()

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        recording, value = here.recording, self.line.value
        if not isinstance(value, np.ndarray):
            recording.leak("decides by a single random number")
            return np.asarray(value)
        recording.lowering.lend(value, self.line)
        recording.lent.add(address(value))
        return value


class Draws(np.random.Generator):
    """A generator whose draws are written down in a program, with the state of the one it stands for."""

    def __init__(self, generator: np.random.Generator, program: Program, line: Line) -> None:
        super().__init__(generator.bit_generator)
        self._program, self.line = program, line


def _drawing(method: str) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if method in ("shuffle", "spawn", "bytes") or kwargs.get("out") is not None:
            raise Unrecordable(f"it calls {method} of a random generator, which gives no new array; try permutation")
        line = self._program.add(draw, (self.line, method, *args), kwargs, again=True)
        return Drawn(self._program, line)

    return call


for _method in dir(np.random.Generator):
    if not _method.startswith("_") and _method != "bit_generator":
        setattr(Draws, _method, _drawing(_method))
