"""The record of a tape: when the tape was recording, and which Tensors it watches. This decides what is on the tape.

The record stores no ops, only the serials at each start and stop, and the serials of watched Tensors.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Sequence
from weakref import ref

from ..core.graph import ancestors
from ..core.op import OPS
from ..core.support.conversions import followers
from ..core.support.scopes import state
from ..core.tensor import Tensor, next_serial
from ..core.variable import READ, Variable
from .lost import Follower, holds_floats, originals
from .nesting import nest, thread_count


class OpenTape(Follower):
    """The tracker of a recording tape. Its reference to the tape is weak, so a tape that is dropped is closed."""

    __slots__ = ("_tape",)

    def __init__(self, tape: TapeRecord) -> None:
        self._tape = ref(tape)

    @property
    def since(self) -> float:
        """The serial at the start of recording."""
        tape = self._tape()
        return math.inf if tape is None else tape._marks[0]

    def follows(self, tensor: Tensor) -> bool:
        """Return whether the tape would lose a gradient if `tensor` were converted to a plain number."""
        tape = self._tape()
        return tape is not None and any(map(tape.includes, originals(tensor)))

    def close(self) -> None:
        """Stop recording."""
        tape = self._tape()
        if tape is not None:
            tape._stop()


class TapeRecord:
    """When a tape was recording, and which Tensors it watches.

    automatic : whether trainable Variables are watched without calling `watch`.
    """

    def __init__(self, automatic: bool) -> None:
        self._automatic = automatic
        self._marks: list[int] = []  # the serials at which recording started, stopped, started again, ...
        self._watched: dict[int, int] = {}  # maps a watched Tensor's serial to the serial at the `watch` call
        self._given: list[Variable] = []  # the Variables passed to `watch`
        self._read: dict[int, Variable] = {}
        self._follower = OpenTape(self)

    def __del__(self) -> None:
        if self._recording:
            self._stop()

    @property
    def _recording(self) -> bool:
        return len(self._marks) % 2 == 1

    def _start(self) -> None:
        self._marks.append(next_serial())
        # This thread's state is stored, because `_stop` may run in a different thread.
        self._home = state.readers, state.watched, thread_count()
        me = id(self._follower)
        state.readers[me], state.watched[me] = self._read, self._given
        nest(1)
        followers.append(self._follower)

    def _stop(self) -> None:
        self._marks.append(next_serial())
        readers, watched, count = self._home
        del readers[id(self._follower)], watched[id(self._follower)]
        nest(-1, count)
        followers.remove(self._follower)

    def _split(self, targets: Sequence[Tensor]) -> tuple[set[int], set[int]]:
        """Return the serials of the targets' ancestors in two sets: those on this tape, and those not on it."""
        live: set[int] = set()
        cut: set[int] = set()
        first = self._marks[0] if self._marks else 0
        for node in ancestors(targets, enter=lambda node: node.serial > first or node.op is READ):
            on = self.watches(node.args[0]) if node.op is READ else self._records(node, live)
            (live if on else cut).add(node.serial)
        return live, cut

    def includes(self, tensor: Tensor) -> bool:
        """Return whether a Tensor is watched, or was computed from a watched Tensor while the tape was recording."""
        if isinstance(tensor, Variable) and self.watches(tensor):
            return True
        return tensor.serial in self._watched or tensor.serial in self._split([tensor])[0]

    def _records(self, node: Tensor, live: set[int]) -> bool:
        """Return whether `node` was computed from a watched Tensor while the tape was recording, and is not a cut.

        A cut is a `stop_gradient` or a value that is not a float. Other ops are recorded even if they have no gradient.
        """
        cut = node.op is OPS["stop_gradient"] or not holds_floats(node)
        if cut or bisect(self._marks, node.serial) % 2 == 0:
            return False
        for a in node.args:
            if not isinstance(a, Tensor):
                continue
            watched = self.watches(a.args[0], node.serial) if a.op is READ else a.serial in live
            if watched or self._watched.get(a.serial, node.serial) < node.serial:
                return True
        return False

    def watches(self, variable: Variable, at: float = math.inf) -> bool:
        """Return whether the tape watched `variable` when the node with the serial `at` was created (default: now).

        This is true if the Variable had been passed to `watch` by then, or if it is trainable and the tape watches all
        trainable Variables (`automatic`).
        """
        return self._watched.get(variable.serial, at) < at or (self._automatic and variable.trainable)
