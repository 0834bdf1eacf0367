"""`mg.compile`: a function runs as the programs that were written for the kinds of its arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.messages import location_of
from ..transforms.gradient import check_function
from .arguments import sorted_out
from .listing import here
from .program import Program, write

MOST = 64  # programs that are kept; of more, the oldest is forgotten


def compile(f: Callable[..., Any]) -> Compiled:
    """The same function, run as programs: the lines of NumPy that `source` prints.

    Parameters
    ----------
    f : a function of its arguments and of the Variables that it uses. It may be what a transform returns:
        `compile(value_and_grad(loss))` holds the backward pass too, and is the fastest.

    Arguments are numbers, arrays, Tensors, Variables, and lists, tuples, named tuples, dicts and dataclasses of these.
    The first call with arguments of a new kind (structure, shapes, dtypes) writes a program and compares its result
    with that of `f`, byte by byte; later calls run it. Arguments and Variables are read anew at each call. A Python
    number that decides something, such as a count of turns, is part of the kind, and so are strings, None, True and
    False. Everything else that `f` uses is fixed when the program is written, and listed in `program.fixed`; the
    programs are in `compile(f).programs`.

    Where `f` returns Tensors, which can be differentiated, `f` itself is run: compile what returns arrays, as `grad`
    does. Inside another compiled function a compiled function is part of that.

    Raises TypeError for what is not a function, and when it is called NotAProgram, a TypeError that says where and what
    to write instead: where an argument is another object; where a value decides (`if x > 0`) or leaves the graph
    (`float(x)`, `.numpy()`, formatting); where a Variable is assigned; where two runs give different bytes.

    >>> import numpy as np, minigrad as mg
    >>> step = compile(mg.value_and_grad(lambda x: mg.sum(mg.exp(x))))
    >>> step(np.zeros(2))
    (np.float64(2.0), array([1., 1.]))
    >>> step(np.zeros(3))
    (np.float64(3.0), array([1., 1., 1.]))
    >>> len(step.programs)
    2
    """
    check_function(f, "compile")
    return Compiled(f)


class Compiled:
    """A compiled function. `programs` are those that were written, the oldest first; `f` is the function."""

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f, ("__module__", "__name__", "__qualname__", "__doc__"), ())
        self.f = self.__wrapped__ = f
        self.programs: list[Program] = []
        self._by_kind: dict[Any, list[Program]] = {}

    @property
    def fixed(self) -> list[Any]:
        """What the programs keep: see `Program.fixed`."""
        return [entry for program in self.programs for entry in program.fixed]

    def __repr__(self) -> str:
        return f"<compiled {location_of(self.f)}>"

    def __reduce__(self) -> Any:
        """Copies and pickles hold the function; its programs stay behind."""
        return compile, (self.f,)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if here.listing is not None:  # it becomes part of the program that is being written
            return self.f(*args, **kwargs)
        kind, inputs = sorted_out(args, kwargs)
        for program in self._by_kind.get(kind, ()):
            if program.serves(inputs):
                return program.compute(inputs, args, kwargs)
        program, found = write(self.f, args, kwargs)
        kept = [*self.programs[-MOST + 1 :], program]
        by_kind: dict[Any, list[Program]] = {}
        for p in kept:
            by_kind.setdefault(p.kind, []).append(p)
        self.programs, self._by_kind = kept, by_kind
        return found
