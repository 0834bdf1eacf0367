"""Recording a run of a function: where numbers leave the graph, and where Python decides by them.

While a function is recorded its Tensors are of a class that notices when a plain number is taken out of one. A
decision (`if x > 0`, an integer used as an index) becomes a guard of the program; any other number that leaves makes
the function one that cannot be compiled.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..call import CustomCall
from ..dispatch import next_failure
from ..graph import ancestors
from ..jacobians import row_makers
from ..node import OPS, hooks
from ..place import line_number, user_place
from ..tensor import Tensor
from ..transforms import nest
from ..words import file_and_line
from .lowering import Lowering, address
from .program import Program
from .rows import rows_at_once

_raw = Tensor.__dict__["value"].__get__

#: Modules that compute with the values of Tensors and record what they do.
_CORE = {
    "minigrad." + name
    for name in (
        "tensor", "op", "node", "dispatch", "operation", "interop", "graph", "backward", "call", "contract", "custom",
        "transforms", "jacobians", "variable", "tape", "recompute", "registry", "structure", "numpy.dispatch",
        "programs.lowering", "programs.passed", "programs.making", "programs.connected", "programs.rows",
        "programs.watching", "programs.drawing",
    )
}  # fmt: skip

here = threading.local()  # whose `recording` is the one that this thread is in


class Unrecordable(Exception):
    """Raised where a recorded run would go on otherwise than a plain one."""


class Recording:
    """One run of a function that is being recorded.

    reasons : why it cannot be compiled. guards : (Tensor, the plain value that was decided by), in order.
    custom : whether there was a custom gradient.
    """

    def __init__(self, connected: bool = False) -> None:
        self.connected = connected  # whether the result is to be differentiated again
        self.lowering = Lowering(Program(fold=4096, fast=True))
        self.reasons: list[str] = []
        self.guards: list[tuple[Any, Any]] = []
        self.lent: set[int] = set()
        self.custom = False
        self.plain: set[int] = set()
        self.forgiven = 0  # failures of ops that are not those of the function
        self.born: list[weakref.ref[Tensor]] = []
        self.thread = threading.get_ident()

    @contextmanager
    def running(self) -> Iterator[None]:
        """While the block runs, every new Tensor of this thread is watched."""
        before, here.recording = getattr(here, "recording", None), self
        hooks.append(self._watch)
        row_makers.append(self._rows)
        try:
            yield
        finally:
            row_makers.remove(self._rows)
            hooks.remove(self._watch)
            here.recording = before
            for ref in self.born:
                node = ref()
                if node is not None:
                    node.__class__ = Tensor

    def _watch(self, node: Tensor) -> None:
        if threading.get_ident() == self.thread and type(node) is Tensor:
            self.custom |= isinstance(node.op, CustomCall)
            node.__class__ = Watched
            self.born.append(weakref.ref(node))

    def _rows(self, y: Tensor, sources: list[Tensor]) -> list[Tensor] | None:
        """The blocks of a Jacobian, all rows at once where nothing will differentiate them again."""
        mine = threading.get_ident() == self.thread and not self.connected
        return rows_at_once(self, y, sources) if mine and nest(0) == 2 and y.size > 1 else None

    def lines(self, tensors: Iterable[Tensor]) -> list[Any]:
        """The lines of Tensors, found while the function still runs; ops that fail on the way are not its own."""
        before = next_failure()
        lines = self.lowering.lines(tensors)
        self.forgiven += next_failure() - before + 1
        return lines

    def watch(self, tensor: Tensor, plain: bool = False) -> Tensor:
        """Watch a Tensor that no op made. plain : whether it stands for a NumPy array."""
        self._watch(tensor)
        if plain:
            self.plain.add(tensor.birth)
        return tensor

    def change(self, tensor: Tensor) -> None:
        """`y += x`: a Tensor is replaced by another, but a plain array, which might stand here, changes everywhere."""
        known = lambda t: t.birth in self.plain or (t.args and t.op is not OPS["identity"])
        if tensor.shape and all(map(known, ancestors([tensor]))):
            raise Unrecordable(f"it changes an array in place ({_line()}); write y = y + x instead of y += x")

    def leak(self, what: str) -> None:
        self.reasons.append(f"{what} ({_line()})")

    def decide(self, tensor: Tensor, value: Any) -> Any:
        """A plain value that Python decides by: the program holds for this value."""
        self.guards.append((tensor, value))
        return value

    def lend(self, tensor: Tensor, raw: Any) -> Any:
        """A plain array that an op takes out of a Tensor, to use it as an index: it is known again by its memory."""
        if isinstance(raw, np.ndarray):
            self.lowering.lend(raw, self.lines([tensor])[0])
            self.lent.add(address(raw))
            return raw
        if raw.dtype.kind in "iub":
            return self.decide(tensor, raw)
        self.leak("uses a number as an option")
        return raw

    @property
    def lost(self) -> bool:
        """Whether an array was taken out and did not come back as the argument of an op."""
        return not self.lent <= self.lowering.met


class Watched(Tensor):
    """A Tensor of a run that is recorded."""

    __slots__ = ()

    @property
    def value(self) -> Any:
        raw = _raw(self, Tensor)
        frame = sys._getframe(1)
        module = frame.f_globals.get("__name__", "")
        if module.startswith("minigrad.ops"):
            return here.recording.lend(self, raw)
        if module not in _CORE or frame.f_code.co_name in ("as_value", "_plain", "_values"):
            here.recording.leak("takes the numbers out of a Tensor")
        return raw

    def _leave(self) -> Any:
        here.recording.leak("takes the numbers out of a Tensor")
        return _raw(self, Tensor)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raw = _raw(self, Tensor)
        if sys._getframe(1).f_globals.get("__name__", "").startswith("minigrad.ops") and dtype in (None, raw.dtype):
            return np.asarray(here.recording.lend(self, raw))
        return np.array(self._leave(), dtype=dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in (np.shape, np.ndim, np.size):
            return function(np.broadcast_to(False, args[0].shape), *args[1:], **kwargs)
        return super().__array_function__(function, types, args, kwargs)  # type: ignore[misc]

    def __bool__(self) -> bool:
        return here.recording.decide(self, bool(_raw(self, Tensor)))

    def __index__(self) -> int:
        return here.recording.decide(self, _raw(self, Tensor).__index__())

    def __int__(self) -> int:
        raw = _raw(self, Tensor)
        return here.recording.decide(self, int(raw)) if raw.dtype.kind in "iub" else int(self._leave())

    def __repr__(self) -> str:
        here.recording.leak("prints a Tensor")
        return repr(Tensor(_raw(self, Tensor)))


def _in_place() -> Any:
    def change(self: Watched, other: Any) -> Any:
        here.recording.change(self)
        return NotImplemented  # go on with y = y + x

    return change


for _operator in ("add", "sub", "mul", "truediv", "pow", "matmul", "mod", "floordiv"):
    setattr(Watched, f"__i{_operator}__", _in_place())


def _line() -> str:
    """The line of the user's code that is being run."""
    place = user_place()
    return file_and_line(place[0].co_filename, line_number(place))
