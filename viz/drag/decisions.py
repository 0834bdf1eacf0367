"""Stand-ins for arrays that record decisions: an `if` on one adds a guard; taking a number out raises an error."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from minigrad.core.support.calling import compute
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.programs.instructions import Line
from minigrad.programs.listing import Listing, StandIn, here
from minigrad.programs.recording import Reads
from minigrad.programs.refusals import NotAProgram
from minigrad.programs.standins import Array
from minigrad.tracing.overlay import stored_value

from .composed import written
from .page_tape import NotFollowed

ENGINE = ("numpy", "minigrad.", "viz.")  #: prefixes of the modules that are not the user's


def value_of(x: Tensor) -> Any:
    """Return the stored value of a node, or of the node that replaces it in a running replay; overlays are ignored."""
    watch = here.listing
    return stored_value(watch.instead.get(x.serial, x) if isinstance(watch, Watch) else x)


class Guard(NamedTuple):
    """A decision of the user's code that depends on a number, such as an `if`.

    line : the program line that computes the number. value : the outcome of the decision. where : the decision's line
        in the user's code, such as "line 3", or the text to show if the outcome changes.
    """

    line: Line
    value: int
    where: str


class _Watched(Array):
    """A stand-in for an array that records a guard whenever it is used as a truth value or as an index."""

    __slots__ = ()
    listing: Watch

    def __bool__(self) -> bool:
        truth: Any = self if self.real_value.dtype == bool or self.real_value.size != 1 else self != 0
        return bool(truth._decide(bool, "a value decides which code runs"))

    def __index__(self) -> int:
        return int(self._decide(operator.index, "a value is used as a plain integer"))

    def some(self) -> bool:
        """Return whether any element is true, and record a guard. A quantile uses this to skip its handling of nans."""
        return bool(np.logical_or.reduce(self, axis=None))

    def _decide(self, kind: Callable[[Any], int], what: str) -> int:
        value = kind(self.real_value)
        if any(frame.f_code is compute.__code__ for frame in _frames(ENGINE)):  # the op is recorded as one line instead
            self.listing.refuse(what, "")
        self.listing.guards.append(Guard(self.line, int(value), f"line {_frame(ENGINE).f_lineno}"))
        return value


class _Plain(StandIn):
    """Raise an error when a plain Python number is taken out of an array, because the page could not follow it."""

    __slots__ = ()

    def __init__(self, listing: Any, line: Line, value: Any) -> None:
        listing.refuse("a plain number is taken out of an array", "")


class Watch(Listing, Reads):
    """A list of NumPy calls whose stand-ins record decisions; user code that reads a Tensor gets a stand-in for it.

    instead : serial of a recorded Tensor -> the replayed node whose value is read instead.
    """

    stand_ins: ClassVar = {"array": _Watched, "number": _Plain}
    acts: ClassVar = {*Listing.acts, "warn"}

    def __init__(self) -> None:
        Listing.__init__(self)
        Reads.__init__(self, {})
        self.guards: list[Guard] = []
        self.reads: dict[int, Tensor] = {}  # id of a Variable -> the node that reads it

    @property
    def listing(self) -> Any:  # type: ignore[override]
        return self

    def start(self, value: Any) -> Any:
        """Return a stand-in for an input value."""
        return Listing.add_input(self, value)

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        made = super().call(function, args, kwargs)
        other = written(function, args, {k: v for k, v in (kwargs or {}).items() if v is not vars(np)["_NoValue"]})
        return made if other is None else self.stand_in(other.line, made.real_value)

    def require(self, truth: Any, otherwise: str) -> None:
        """Record a guard: `truth` must stay true for changed inputs; if not, the page shows the text `otherwise`."""
        self.guards.append(Guard(truth.line, 1, otherwise))

    def refuse(self, what: str, instead: str) -> Any:
        """Raise NotAProgram for a step that the page cannot repeat; the message names the step and the user's line.

        what : the step and its reason. instead : unused here.
        """
        error = NotAProgram(f"{what.partition(', and they change')[0]} (line {_frame(ENGINE).f_lineno})")
        inner = _frame(("numpy", "minigrad.programs")).f_globals.get("__name__", "")
        if not inner.startswith("minigrad.ops"):  # inside minigrad.ops, the op may be recorded as one line instead
            self.refusals.append(error)
        raise error

    def reading(self, variable: Variable) -> Tensor:
        if id(variable) not in self.reads:
            raise NotFollowed(f"the Variable {variable.name} is read where it was not before")
        return self.reads[id(variable)]


def _frame(passed: tuple[str, ...]) -> FrameType:
    """Return the innermost frame that is not in this file or in a module whose name begins with one of `passed`."""
    return [*_frames(passed)][-1]


def _frames(passed: tuple[str, ...]) -> Iterator[FrameType]:
    """Yield the innermost frames in this file and in the modules `passed`, then the first frame outside them."""
    frame: FrameType | None = sys._getframe(1)
    while frame:
        yield frame
        frame = frame.f_back if frame.f_globals.get("__name__", "").startswith((*passed, __name__)) else None
