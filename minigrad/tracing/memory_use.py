"""The memory that a result keeps (`mg.saved(y)`), and the memory used by ops and passes in a block (`MemoryWatch`).

A backward pass needs the numbers from the forward pass, so a Tensor keeps everything that it was computed from.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core.backward import Observe, Pass, Sends
from ..core.custom import CustomCall
from ..core.graph import ancestors, inputs
from ..core.op import COPY, OPS, Op
from ..core.support.observers import observe, unobserve
from ..core.support.scattered import Collected, Scattered
from ..core.support.structure import flatten, is_structure
from ..core.support.user_frames import user_frame
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from .names import captured_by
from .numbers import shape_text
from .table import Table, text_table

UNITS = ("bytes", "kB", "MB", "GB", "TB")


def bytes_text(count: float) -> str:
    """Return a size in bytes as text with a suitable unit; 1 kB is 1,000 bytes.

    >>> bytes_text(12), bytes_text(262_144), bytes_text(33_600_000)
    ('12 bytes', '262 kB', '33.6 MB')
    """
    unit = 0
    while count >= 999.5 and unit < len(UNITS) - 1:
        count, unit = count / 1000, unit + 1
    return f"{count:.3g} {UNITS[unit]}"


class Kept(NamedTuple):
    """An array, or a number, that a result keeps.

    name : the user's name for the array, or "". op : the source of the array: the name of an op (as in "tanh in piece"
    if the op ran inside a function with a rule), "input", "variable", "constant", or "captured by grad" if a rule
    refers to the array.
    """

    name: str
    op: str
    shape: tuple[int, ...]
    bytes: int


class Saved(tuple[Kept, ...]):
    """The arrays that a result keeps, oldest first. They print as a table with the total bytes, also in a notebook."""

    __slots__ = ()

    @property
    def bytes(self) -> int:
        """The total number of bytes."""
        return sum(row.bytes for row in self)

    def _texts(self) -> list[tuple[str, ...]]:
        rows = [(row.name, row.op, shape_text(row.shape), f"{row.bytes:,}") for row in self]
        return [("name", "op", "shape", "bytes"), *rows, ("", "all", "", f"{self.bytes:,}")]

    def __repr__(self) -> str:
        head, *rows = self._texts()
        return text_table(head, rows, words=range(3))

    def _repr_html_(self) -> str:
        head, *rows = self._texts()
        return Table(head, rows)._repr_html_()


def saved(y: Tensor, names: Mapping[str, Any] | None = None) -> Saved:
    """List the arrays that `y` keeps in memory for a backward pass, as rows (name, op, shape, bytes).

    Parameters
    ----------
    y : a Tensor of any shape and dtype.
    names : the user's names for Tensors, as from `locals()`. By default, the names in the calling cell or module.

    Arrays that share memory form one row with the name of the oldest array. For a call to a function with a rule, the
    rows include the Tensors that the rule captured, and the arrays in the function's body if the call keeps them.
    Temporary arrays inside an op and Python's overhead are not counted. `bytes` is the total.

    Raises TypeError if `y` is not a Tensor.

    >>> import minigrad as mg
    >>> x = mg.constant([1.0, 2.0, 3.0])
    >>> y = mg.sum(mg.exp(x))
    >>> mg.saved(y)
    name  op     shape  bytes
    x     input  3         12
          exp    3         12
    y     sum               4
          all              28
    >>> mg.saved(mg.recompute_grad(lambda x: mg.sum(mg.exp(x)))(x)).bytes
    16
    """
    if not isinstance(y, Tensor):
        raise TypeError(f"saved takes a Tensor, got {y!r:.60} of type {type(y).__name__}")
    if names is None:
        frame = user_frame(1)
        names = frame.f_globals if frame.f_code.co_name == "<module>" else {}  # f_locals would keep the values alive
    called = {id(t): name for name, t in names.items() if isinstance(t, Tensor) and name[0] != "_"}
    inside: dict[int, str] = {}
    seen: set[int] = set()
    rows = []

    def parents(node: Tensor) -> list[Tensor]:
        hidden = _hidden(node, inside) if isinstance(node.op, CustomCall) else []
        return hidden + inputs(node)

    for node in ancestors([y.read_value()], parents=parents):
        for name, op, value in _values(node, called, inside):
            owner = _owner(value)
            if id(owner) not in seen:
                seen.add(id(owner))
                rows.append(Kept(name, op, np.shape(value), int(owner.nbytes)))
    return Saved(rows)


def _hidden(node: Tensor, inside: dict[int, str]) -> list[Tensor]:
    """Return the Tensors that a call to a function with a rule keeps in addition to its arguments.

    inside : serial -> the name of the function; Tensors computed in the function's body are added.
    """
    op: Any = node.op
    captured = [t for value in captured_by(op.grad_fn).values() for t in _parts(value) if isinstance(t, Tensor)]
    hidden = [*op.read_out, *captured, *op.body_outputs, *(x for x in op.body_inputs if isinstance(x, Tensor))]
    since = max((x.serial for x in op.body_inputs if isinstance(x, Tensor)), default=node.serial)
    for one in ancestors(hidden, enter=lambda inner: inner.serial > since):
        if since < one.serial < node.serial and one.op is not READ:
            inside.setdefault(one.serial, op.name)
    return hidden


def _values(node: Tensor, called: Mapping[int, str], inside: Mapping[int, str]) -> Iterator[tuple[str, str, Any]]:
    """Yield (name, op, value) for each value that a node stores: its constant arguments, then its own value.

    called : id of a Tensor -> the user's name. inside : serial of a Tensor in a function's body -> the function's name.
    """
    op: Any = node.op
    where = f" in {inside[node.serial]}" if node.serial in inside else ""
    if op is not None and op is not READ:
        for a in (*node.args, *(node.kwargs or {}).values()):
            for part in _parts(a):
                if isinstance(part, np.ndarray):
                    yield "", f"constant{where}", part
    if isinstance(op, CustomCall):
        for name, value in captured_by(op.grad_fn).items():
            for part in _parts(value):
                if isinstance(part, (np.ndarray, np.generic)):
                    yield name, f"captured by {getattr(op.grad_fn, '__name__', 'grad_fn')}", part
    variable = node if isinstance(node, Variable) else node.args[0] if op is READ else None
    if variable is not None:
        yield called.get(id(variable), variable.name), "variable", node.value
        return
    leaf = "constant" if where else "input"
    kind = leaf if op is None else "copy" if op is COPY else op.name
    for value in node.value if isinstance(node.value, tuple) else (node.value,):
        yield called.get(id(node), ""), f"{kind}{where}", value


def _owner(value: Any) -> Any:
    """Return the array, or the number, that owns the memory of an array."""
    while isinstance(base := getattr(value, "base", None), (np.ndarray, np.generic)):
        value = base
    return value


def _parts(value: Any) -> list[Any]:
    return flatten(value) if is_structure(value) else [value]


class MemoryWatch:
    """Count, during the block, the bytes of the arrays that are kept after each op and each step of a backward pass.

    kept : the bytes after each op and step. calls : the positions in `kept` that belong to calls to functions with a
    rule and to the steps of these calls in the pass. An array is counted from the op or message that it belongs to
    until it is freed. Numbers without axes and temporary arrays inside an op are not counted.

    >>> from minigrad import constant, exp, gradients, sum
    >>> x = constant([1.0, 2.0, 3.0])
    >>> with MemoryWatch() as watch:
    ...     y = sum(exp(x))
    ...     g = gradients(y, x)
    >>> watch.kept
    [24, 24, 24, 24, 36, 36, 36]
    """

    def __init__(self) -> None:
        self.kept: list[int] = []
        self.calls: list[int] = []
        self._bytes = 0
        self._alive: dict[int, Any] = {}

    def __enter__(self) -> MemoryWatch:
        observe(created=self._made, follow=self._follow)
        return self

    def __exit__(self, *error: object) -> None:
        unobserve(created=self._made, follow=self._follow)

    def _made(self, node: Tensor) -> None:
        """Count the arrays of a new node and its arguments, and note the total."""
        self._count(node)
        for a in (*node.args, *(node.kwargs or {}).values()):
            self._count(a)
        self._note(node.op)

    def _follow(self, started: Pass) -> Observe:
        sums = started.adjoints.sums

        def observe(node: Tensor, g: Any, sends: Sends) -> None:
            self._count(g)
            for _, _, message in sends:
                self._count(message)
            for total in sums.values():
                self._count(total)
            self._note(node.op)

        return observe

    def _note(self, op: Op | None) -> None:
        if op is not None and op.vjp_all is not None and OPS.get(op.name) is not op:
            self.calls.append(len(self.kept))
        self.kept.append(self._bytes)

    def _count(self, value: Any) -> None:
        """Add the bytes of the arrays in `value` until they are freed, except arrays that are already counted."""
        if isinstance(value, (Tensor, Scattered)):
            self._count(value.value)
        elif isinstance(value, Collected):
            self._count(value.parts)
        elif isinstance(value, np.ndarray):
            owner = _owner(value)
            if isinstance(owner, np.ndarray) and id(owner) not in self._alive:
                self._alive[id(owner)] = weakref.ref(owner, self._freed(id(owner), owner.nbytes))
                self._bytes += owner.nbytes
        elif isinstance(value, (tuple, list)):
            for part in value:
                self._count(part)
        elif isinstance(value, dict):
            self._count(list(value.values()))

    def _freed(self, key: int, nbytes: int) -> Callable[[Any], None]:
        def freed(_: Any) -> None:
            del self._alive[key]
            self._bytes -= nbytes

        return freed
