"""Variables: named values that can be assigned, and that a grad_fn receives as `variables=`.

A Variable is a leaf of the graph whose value can change. Each use reads the Variable, and the read is a node with the
value at that moment. So an op keeps the value it was computed with, but a rule that closes over the Variable reads the
value that is current when the rule runs.

>>> w = Variable(3.0, name="w")
>>> y = w * w
>>> w.assign(5.0)
Variable('w', 5.0, dtype=float32)
>>> y
Tensor(9.0, dtype=float32, op=multiply)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .graph import ancestors
from .op import Op, record
from .support import observers
from .support.conversions import followers
from .support.op_facts import OpFacts
from .support.scopes import scoped, state, uses_resource
from .support.tensor_values import as_value, cast, is_python
from .tensor import Tensor, next_serial

#: The op that reads a Variable; the Variable is its argument.
READ = Op("read", lambda value: value, vjps=(lambda g, y, x: g,), elementwise=True, facts=OpFacts(slope=("1",)))


class Variable(Tensor):
    """A Tensor that can be assigned.

    Parameters
    ----------
    initial_value : a value as for Tensor, or a function without arguments that returns such a value.
    trainable : whether tapes watch it automatically, and custom gradients list it in `variables`; a Variable that is
        not trainable is listed only while a tape watches it.
    name : a name for pictures and messages, prefixed with the names of the open variable scopes. Several Variables
        may have the same name, as in TensorFlow 2: running a cell again creates another "w".
    dtype : as for Tensor.

    Raises ValueError if the initial value is missing.

    >>> w = Variable(3.0, name="w")
    >>> w.assign_sub(0.5).value
    np.float32(2.5)
    >>> w.name, w.trainable
    ('w', True)
    """

    __slots__ = ("_pending", "_read", "growth", "last_read", "name", "resource", "trainable")

    def __init__(
        self, initial_value: Any = None, trainable: bool = True, name: str | None = None, dtype: Any = None
    ) -> None:
        if initial_value is None:
            raise ValueError("Variable needs an initial value, for example Variable(0.0) or Variable(np.zeros(3))")
        initial_value = initial_value() if callable(initial_value) else initial_value
        super().__init__(initial_value, dtype)
        self.trainable = trainable
        self.name = scoped(name or "Variable")
        self.resource = uses_resource()
        self.growth: Any = None  # the record of how assignments changed its size, if lines are remembered
        self._read: Tensor | None = None
        self._pending: Any = None  # a warning for the next read: see `_prepare_warning`
        # The serial of the last read of this Variable; `state.last_read` is the latest such serial of all Variables.
        self.last_read = 0
        self._prepare_warning(initial_value)

    def __reduce__(self) -> Any:
        """Pickle the value, `trainable` and the name. Unpickling creates a separate Variable, and so does copying."""
        return Variable, (self.value, self.trainable, self.name)

    def __copy__(self) -> Variable:
        return Variable(self.value, self.trainable, self.name)

    def __deepcopy__(self, memo: Any) -> Variable:
        return self.__copy__()

    def read_value(self) -> Tensor:
        """Note the read, and return the node that holds the value, which stays the same until the next assignment."""
        state.last_read = self.last_read = next_serial()
        for reader in state.readers.values():
            reader[id(self)] = self
        # One node serves all reads until the next assignment, so that the gradients of these reads add up in it.
        if self._read is None:
            if self._pending is not None:
                self._pending.warn()
            self._read = record(READ, self.value, (self,))
        return self._read

    def assign(self, value: Any) -> Variable:
        """Set the value, and return the Variable. Results computed earlier keep the value they read.

        A Variable holds plain numbers, so no gradient flows through the assignment to the Tensors that `value` was
        computed from. Reading the Variable gives a warning while a transform or a tape is still following those
        Tensors.

        Raises ValueError if the shape differs, because an assignment does not broadcast, and TypeError if floats are
        assigned to a Variable of integers.
        """
        new = np.asarray(self._plain(value))
        if new.shape != self.shape:
            raise ValueError(f"the variable {self.name} has shape {self.shape}, cannot assign shape {new.shape}")
        if not np.can_cast(new.dtype, self.dtype, "same_kind"):
            raise TypeError(f"the variable {self.name} has dtype {self.dtype}, cannot assign {new.dtype}")
        new = cast(new, self.dtype)[()]
        for observer in observers.assigned:
            observer(self, new)
        self.hold(new)
        self._prepare_warning(value)
        return self

    def hold(self, value: Any) -> None:
        """Set the value without the checks of `assign`. For internal use: any shape and dtype are accepted."""
        for before in state.restored:
            # Only the first assignment in a block stores the old value, which is the value from before the block.
            before.setdefault(id(self), (self, self.value))
        self.value, self._read = value, None

    def _prepare_warning(self, value: Any) -> None:
        """Prepare a warning for later reads of the Variable: no gradient flows through them to the Tensors in `value`.

        It is prepared only if a transform or a tape is following those Tensors.
        """
        self._pending = None
        for follower in followers[:1]:  # one is enough, because its method checks all followers
            self._pending = follower.pending_warning(self.name, value)

    def _plain(self, value: Any) -> Any:
        """Return `value` as a NumPy array or scalar; Python numbers take the dtype of a float Variable."""
        return as_value(value, self.dtype if self.dtype.kind == "f" and is_python(value) else None)

    def assign_add(self, delta: Any) -> Variable:
        """Add `delta` to the value."""
        self.assign(self.value + self._plain(delta))
        self._prepare_warning(delta)
        return self

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract `delta` from the value: one step of gradient descent."""
        self.assign(self.value - self._plain(delta))
        self._prepare_warning(delta)
        return self

    def __repr__(self) -> str:
        shape = f", shape={self.shape}" if self.shape else ""
        frozen = "" if self.trainable else ", trainable=False"
        value = str(self.value)
        if self.shape:
            value = np.array2string(self.value, separator=", ", threshold=200)
        return f"Variable({self.name!r}, {value}{shape}, dtype={self.dtype}{frozen})"


@contextmanager
def restored_variables() -> Iterator[None]:
    """Restore, at the end of the block, the Variables that were assigned in it."""
    before: dict[int, tuple[Variable, Any]] = {}
    state.restored.append(before)
    try:
        yield
    finally:
        state.restored.pop()
        for variable, value in before.values():
            variable.hold(value)


def used_variables(outputs: Sequence[Tensor], since: int) -> list[Variable]:
    """Return the trainable or watched Variables that `outputs` depend on and that were read after the serial `since`.

    They are sorted by name, then by age. All reads between two assignments share one node, which may be older than
    `since`. The search therefore enters read nodes of any age, and `last_read` shows whether the Variable was read
    after `since`.
    """

    def enter(node: Tensor) -> Any:
        return node.op is READ or (node.serial > since and node.op and node.op.differentiable)

    body = (v for v in ancestors(outputs, enter) if isinstance(v, Variable))
    variables = {id(v): v for v in body if v.dtype.kind == "f" and v.last_read > since}
    watched = (v for v in variables.values() if v.trainable or is_watched(v))
    return sorted(watched, key=lambda v: (v.name, v.serial))


def is_watched(variable: Variable) -> bool:
    """Return whether a tape in this thread watches the Variable because it was passed to the tape's `watch`."""
    return any(v is variable for variables in state.watched.values() for v in variables)
