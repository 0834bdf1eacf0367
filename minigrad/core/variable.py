"""Variables: named values that can be assigned, and that rules receive as `variables=`.

A Variable is a leaf of the graph whose value changes. Each use reads it: the read is a node holding the value of
that moment, so an op keeps what it saw, while a rule that closes over the Variable sees what it holds later.

>>> w = Variable(3.0, name="w")
>>> y = w * w
>>> w.assign(5.0)
Variable('w', 5.0, dtype=float32)
>>> y
Tensor(9.0, dtype=float32, op=multiply)
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .following import held_by_variable, warn_of_held
from .graph import ancestors
from .op import Op, record
from .tensor import Tensor, as_value, cast, default_dtype, followers, is_python, next_serial

#: Its argument is the Variable; in the gradient of a compiled function also the node that holds the value of then.
READ = Op("read", lambda value: value, vjps=(lambda g, *_: g,) * 2, elementwise=True, slope=("1", "1"))


class Variable(Tensor):
    """A Tensor that can be assigned.

    Parameters
    ----------
    initial_value : what Tensor takes, or a function of no arguments that returns it.
    trainable : whether it is one of the `variables` of a custom gradient and watched by a tape.
    name : a name for pictures and messages, inside the names of the open variable scopes. Several Variables may have
        the same name, as in TensorFlow 2: a cell that is run again makes another "w".
    dtype : as for Tensor.

    Raises ValueError without an initial value.
    """

    __slots__ = ("_held", "_read", "name", "resource", "trainable")

    def __init__(
        self, initial_value: Any = None, trainable: bool = True, name: str | None = None, dtype: Any = None
    ) -> None:
        if initial_value is None:
            raise ValueError("Variable needs an initial value, for example Variable(0.0) or Variable(np.zeros(3))")
        initial_value = initial_value() if callable(initial_value) else initial_value
        super().__init__(initial_value, dtype)
        self.trainable = trainable
        self.name = _scoped(name or "Variable")
        self.resource = uses_resource()
        self._read: Tensor | None = None
        self._take_over(initial_value)

    def __reduce__(self) -> Any:
        """Copies and pickles are Variables of their own."""
        return Variable, (self.value, self.trainable, self.name)

    def __copy__(self) -> Variable:
        return Variable(self.value, self.trainable, self.name)

    def __deepcopy__(self, memo: Any) -> Variable:
        return self.__copy__()

    def read_value(self) -> Tensor:
        """The node that holds the present value; one node serves all reads until the next assignment."""
        state.last_read = next_serial()
        for reader in state.readers.values():
            reader[id(self)] = self
        if self._read is None:
            if self._held is not None:
                warn_of_held(self._held)
            self._read = record(READ, self.value, (self,))
        return self._read

    def assign(self, value: Any) -> Variable:
        """Hold `value` from now on, and return the Variable. Results computed before keep the value they read.

        A Variable holds plain numbers: no gradient passes from it to what `value` was computed from. A warning says so
        where it is read while that is still differentiated.

        Raises ValueError when the shape differs, as nothing is broadcast, and TypeError for floats in a Variable of
        integers.
        """
        given = np.asarray(self._plain(value))
        if given.shape != self.shape:
            raise ValueError(f"the variable {self.name} has shape {self.shape}, cannot assign shape {given.shape}")
        if not np.can_cast(given.dtype, self.dtype, "same_kind"):
            raise TypeError(f"the variable {self.name} has dtype {self.dtype}, cannot assign {given.dtype}")
        self.hold(cast(given, self.dtype)[()])
        self._take_over(value)
        return self

    def hold(self, value: Any) -> None:
        """Hold `value` as it is, whatever its shape and dtype: `assign` without its promises, for the engine's use."""
        for before in state.restored:
            before.setdefault(id(self), (self, self.value))
        self.value, self._read = value, None

    def _take_over(self, value: Any) -> None:
        """Note whether a gradient is lost where the Variable is read, now that it holds plain numbers of `value`."""
        self._held = held_by_variable(self.name, value) if followers else None

    def _plain(self, value: Any) -> Any:
        """`value` as NumPy holds it; Python numbers take the dtype of a Variable of floats."""
        return as_value(value, self.dtype if self.dtype.kind == "f" and is_python(value) else None)

    def assign_add(self, delta: Any) -> Variable:
        """Add `delta` to the value held."""
        self.assign(self.value + self._plain(delta))
        self._take_over(delta)
        return self

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract `delta` from the value held: one step of gradient descent."""
        self.assign(self.value - self._plain(delta))
        self._take_over(delta)
        return self

    def __repr__(self) -> str:
        shape = f", shape={self.shape}" if self.shape else ""
        frozen = "" if self.trainable else ", trainable=False"
        value = np.array2string(self.value, separator=", ", threshold=200) if self.shape else str(self.value)
        return f"Variable({self.name!r}, {value}{shape}, dtype={self.dtype}{frozen})"


# Names and scopes.


class VariableScope:
    """A part of the name of each Variable made inside it, and whether `get_variable` may find existing ones.

    reuse : False makes new variables only, True finds existing ones only, AUTO_REUSE does either.
    """

    def __init__(self, name: str, reuse: Any, use_resource: bool) -> None:
        self.name, self.reuse, self.use_resource = name, reuse, use_resource


AUTO_REUSE = "auto_reuse"


class _State(threading.local):
    """What belongs to one thread."""

    def __init__(self) -> None:
        #: The serial number at which a Variable was last read.
        self.last_read = 0
        #: For each open tape, by its id, the Variables that are read, by theirs.
        self.readers: dict[int, dict[int, Variable]] = {}
        #: The Variables that a tape watches by name, by the id of the tape.
        self.watched: dict[int, list[Variable]] = {}
        #: For each open block that restores Variables, what they held before, by the id of the Variable.
        self.restored: list[dict[int, tuple[Variable, Any]]] = []
        #: The scopes that were ever opened, and how often a name was made unique among them.
        self.opened: set[str] = set()
        self.repeats: Counter[str] = Counter()
        self.scopes = [VariableScope("", False, True)]
        #: The Variables of `get_variable`.
        self.store: dict[str, Variable] = {}


state = _State()


@contextmanager
def restored_variables() -> Iterator[None]:
    """Variables that are assigned while the block runs hold afterwards what they held before."""
    before: dict[int, tuple[Variable, Any]] = {}
    state.restored.append(before)
    try:
        yield
    finally:
        state.restored.pop()
        for variable, value in before.values():
            variable.hold(value)


def used_variables(outputs: Sequence[Tensor], since: int) -> list[Variable]:
    """The Variables that `outputs` depend on through ops younger than `since`: trainable or watched, sorted by name.

    Those of one name are in the order in which they were made.
    """
    body = ancestors(outputs, enter=lambda node: node.op is READ or (node.serial > since and node.op.differentiable))
    found = {id(v): v for v in body if isinstance(v, Variable) and v.dtype.kind == "f"}
    return sorted((v for v in found.values() if v.trainable or is_watched(v)), key=lambda v: (v.name, v.serial))


def is_watched(variable: Variable) -> bool:
    """Whether a tape of this thread watches a Variable that is not trainable."""
    return any(v is variable for variables in state.watched.values() for v in variables)


def uses_resource() -> bool:
    """Whether the present scope asks for resource variables, as custom gradients need."""
    return state.scopes[-1].use_resource


def _scoped(name: str) -> str:
    return "/".join(part for part in (state.scopes[-1].name, name) if part)


def _unique(name: str, taken: Container[str]) -> str:
    """`name` if it is free, else name_1, name_2, ..."""
    if name not in taken:
        return name
    state.repeats[name] += 1
    return _unique(f"{name}_{state.repeats[name]}", taken)


@contextmanager
def variable_scope(
    name: str | VariableScope | None, default_name: str | None = None, reuse: Any = None, use_resource: bool = True
) -> Iterator[VariableScope]:
    """Name the Variables made inside `name/...`.

    name : a name, or a scope that was opened before, to open it again. With None, `default_name` is used and made
        unique: blk, blk_1, ...
    reuse : what `get_variable` does inside: True finds existing Variables, AUTO_REUSE makes those that are missing.
    use_resource : All Variables here are resource variables: a use reads the value of that moment. The flag is
        there for code written for TensorFlow; a custom gradient refuses False, as its documentation asks.

    >>> with variable_scope("layer"):
    ...     w = get_variable("w", shape=(2,))
    >>> w.name
    'layer/w'
    """
    if name is None and default_name is None:
        raise ValueError("variable_scope needs a name, or default_name= for a name that is made unique")
    outer = state.scopes[-1]
    if isinstance(name, VariableScope):
        full = name.name
    else:
        full = _scoped(name) if name is not None else _unique(_scoped(str(default_name)), state.opened)
        state.opened.add(full)
    inner = VariableScope(full, outer.reuse if reuse is None else reuse, use_resource and outer.use_resource)
    state.scopes.append(inner)
    try:
        yield inner
    finally:
        state.scopes.pop()


def get_variable(
    name: str,
    shape: tuple[int, ...] | None = None,
    dtype: Any = None,
    initializer: Callable[..., Any] | Any = None,
    trainable: bool = True,
    use_resource: bool | None = None,
) -> Variable:
    """The Variable of this name in the present scope: made, or found again where the scope says reuse.

    initializer : the initial value, or a function of the shape, if one is given; without one, zeros of `shape`.
    use_resource : False makes a Variable that no custom gradient accepts; by default as the scope says.

    Raises ValueError when it exists and may not be reused, does not exist and may not be made, or is found with
    another shape or dtype.
    """
    scope = state.scopes[-1]
    full = _scoped(name)
    found = state.store.get(full)
    if found is not None and not scope.reuse:
        raise ValueError(
            f"the variable {full} already exists; to share it write variable_scope({scope.name!r}, reuse=True), "
            f"or reuse=AUTO_REUSE"
        )
    if found is not None:
        if shape is not None and tuple(shape) != found.shape:
            raise ValueError(f"the variable {full} has shape {found.shape}, but shape {tuple(shape)} was asked for")
        if dtype is not None and np.dtype(dtype) != found.dtype:
            raise ValueError(f"the variable {full} has dtype {found.dtype}, but {np.dtype(dtype)} was asked for")
        return found
    if scope.reuse is True:
        raise ValueError(f"the variable {full} does not exist, and reuse=True makes none; write reuse=AUTO_REUSE")
    if initializer is None:
        if shape is None:
            raise ValueError(
                f"the variable {full} did not get an initializer, so it needs its shape: "
                f"get_variable({name!r}, shape=...)"
            )
        initializer = np.zeros(shape, dtype or default_dtype())
    elif callable(initializer):
        initializer = initializer(shape) if shape is not None else initializer()
        dtype = dtype or default_dtype()
    made = Variable(initializer, trainable, name, dtype)
    if use_resource is not None:
        made.resource = use_resource
    state.store[full] = made
    return made


def reset_default_graph() -> None:
    """Forget the Variables of `get_variable` and the names of scopes, so that their names can be used anew.

    The Variables themselves stay as they are where they are still used. There is no graph to reset: what was recorded
    is freed with the results.

    >>> first = get_variable("again", shape=(2,))
    >>> reset_default_graph()
    >>> get_variable("again", shape=(3,)).shape
    (3,)
    """
    state.store.clear()
    state.opened.clear()
    state.repeats.clear()
