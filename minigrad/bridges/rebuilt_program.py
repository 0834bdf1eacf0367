"""A program of another framework, rebuilt as a recorded graph of minigrad and compared with the original.

Each node has the framework's numbers. After one backward pass on each side, all adjoints are compared. If minigrad has
no op for a call, or differentiates it differently, the call becomes a foreign op, which the framework computes and
differentiates.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.op import Op, record
from ..core.tensor import Tensor
from ..tracing.replay import NotReplayable, graph_of, is_input

#: The largest relative difference at which float32 numbers of minigrad and of the framework count as equal.
TOLERANCE = 2e-4
#: Numbers smaller than this, relative to the largest adjoint of a program, count as rounding errors. An example is a
#: bias before a batch norm: its exact gradient is 0.
ROUNDED = 5e-6
#: Adjoints that pass through float16 or bfloat16 are rounded to three digits, and sums of them to fewer.
HALF = 1e-2
#: For programs with more elements than this, only the adjoints are compared, and no repair is searched for.
LARGEST = 1_000_000


#: The beginning of the name of a constant that the user's code does not name.
CONSTANT = "a constant"


class Differs(Exception):
    """Raised if minigrad computes a different value from the framework's."""


class NotRecorded(TypeError):
    """Raised if the program cannot be run and recorded; the message says what to write instead."""


def close(a: Any, b: Any, tolerance: float = TOLERANCE, floor: float = 0.0) -> bool:
    """Return whether two arrays are equal up to rounding, relative to the largest finite element; nan equals nan.

    Numbers below the smallest normal number count as 0, because some frameworks round them to 0.
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        return bool((a == b).all())
    floor += float(np.finfo(b.dtype if b.dtype.kind == "f" else np.float32).tiny)
    a, b = a.astype(np.float64), b.astype(np.float64)
    size = float(np.max(np.abs(b), initial=0, where=np.isfinite(b)))
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * size + floor, equal_nan=True))


#: The errors raised when the arguments of a call do not fit an op.
REFUSED = (Differs, ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError)


def agreed(make: Callable[[], Any], values: Sequence[Any], operands: Sequence[Any] = ()) -> list[Any]:
    """Return the results of `make`, with None for each one whose value or dtype differs from the framework's.

    make : computes the results of one call with minigrad's ops.
    values : the framework's results of the same call.

    A new node that is not among `operands` gets the framework's exact number, because a difference within the
    tolerance can matter later: the logarithm of 1e-40 is finite, but the logarithm of 0 is not.
    """
    try:
        with np.errstate(all="ignore"):
            made = make()
    except REFUSED:
        return [None] * len(values)
    nodes = [*(made if isinstance(made, tuple) else [made]), *[None] * len(values)]
    return [_agreed(node, value, operands) for node, value in zip(nodes, values)]


def _agreed(node: Any, value: Any, operands: Sequence[Any]) -> Any:
    own = np.asarray(getattr(node, "value", node))
    alike = own.dtype == value.dtype or value.dtype.kind != "f" or not isinstance(node, Tensor)
    if node is None or not alike or not close(own, value):
        return None
    if not isinstance(node, Tensor):
        return value
    if own.dtype == value.dtype and all(node is not a for a in operands):
        node.value = value
    return node


def foreign(
    name: str,
    fn: Callable[..., Any],
    vjp: Callable[..., Any],
    operands: Sequence[Any],
    value: Any,
    kind: str = "foreign",
) -> Tensor:
    """Return a node that the framework computes with `fn(*values)` and differentiates with `vjp(g, y, *values)`.

    `vjp` returns the gradients of all values at once.

    kind : "custom" if the node must not be rerun; the repair search skips such a node.
    """
    op = Op(name, fn, vjp_all=vjp, kind=kind)
    op.call = lambda *values: record(op, fn(*[getattr(v, "value", v) for v in values]), values)
    return record(op, value, tuple(operands))


class ForeignProgram:
    """A user's program in another framework, recorded as a minigrad graph.

    y : the node of the result.
    names : the inputs by the user's names.
    leaves : serial -> the framework's array of a differentiated input.
    tracked : pairs of a node and the key with which the framework finds the node's adjoint.
    calls : serial of a node -> the framework's call that created it.
    strange : the calls that minigrad differentiates differently, and that are therefore lowered to simpler ops or left
        to the framework.
    wrong : the nodes whose adjoints still differ.
    """

    framework = ""
    hidden = ""  # the framework's features whose calls minigrad cannot see, as named in a message
    y: Tensor
    dialect: Any  # a Spelling

    def __init__(self, strange: Collection[Any] = ()) -> None:
        self.strange = strange
        self.names: dict[str, Tensor] = {}
        self.leaves: dict[int, Any] = {}
        self.tracked: list[tuple[Tensor, Any]] = []
        self.calls: dict[int, Any] = {}
        self.again: dict[Any, Any] = {}  # foreign op -> the framework's function
        self.at = 0  # the index of the current call
        self.reasons: dict[int, Any] = {}  # serial -> why the framework's call returned nan or inf
        self.within: dict[int, str] = {}  # serial -> the node's module, or its iteration of a loop
        self.wrong: list[Tensor] = []
        self.plain: Any = (
            None  # the first record, before calls were lowered or left to the framework; None if none were
        )
        self.weights: set[str] = set()  # the inputs that are parameters, by their names
        self.unseen: dict[int, str] = {}  # serial -> the unrecorded op that created the value
        self.random = False  # whether the program draws random numbers
        self.repeats: Callable[[], bool] = lambda: True  # whether another run draws the same random numbers
        # A function that runs the whole program in a wider dtype, and returns the value and the gradients.
        self.wider: Callable[[Any], Any] | None = None
        # A function that records the whole program, including parts without a gradient.
        self.whole: Callable[[], ForeignProgram] | None = None
        self.repaired: Tensor | None = None  # the last rewritten graph that passed `holds`
        self.refused: list[str] = []  # why the framework's run refuted some repairs

    def name_constant(self, leaf: Tensor) -> None:
        """Name a constant that contains a nan and that the user's code does not name."""
        if not np.isnan(leaf.value).any():
            return
        many = sum(name.startswith(CONSTANT) for name in self.names)
        self.names[f"{CONSTANT}{f' {many + 1}' * bool(many)} of shape {leaf.shape}"] = leaf

    def left(self, name: str, function: Any, operands: Sequence[Any], value: Any) -> Tensor:
        """Record a call as a foreign op, whose value and derivative the framework computes.

        operands : the nodes of the call's arguments. value : the call's result, in NumPy.
        function : the call, as a function of the framework's arrays. `function.value(*values)` takes NumPy arrays, and
            `function.gradients(values, g, recorded)` returns its gradients; `recorded` is true if the values come from
            the recorded run.
        """
        plain = lambda v: getattr(v, "value", v)

        def vjp(g: Any, y: Any, *values: Any) -> Any:
            return run(function.gradients, [*map(plain, values)], plain(g), y is node.value)

        def run(f: Any, *args: Any) -> Any:
            try:
                return f(*args)
            except Exception as error:  # the framework may raise any exception at other numbers
                raise NotReplayable(f"{name} cannot be run again: {type(error).__name__}: {error!s:.150}") from error

        node = foreign(name, partial(run, function.value), vjp, operands, value)
        self.again[node.op] = function
        return node

    def evaluated(self, new: Tensor, arrays: Mapping[int, Any], constant: Callable[[Any], Any]) -> Any:
        """Compute a graph in the framework, and return its result.

        arrays : serial of a node -> its array, for nodes that need not be computed.
        constant : converts the number of any other input to the framework's array.
        """
        now = dict(arrays)
        for node in graph_of(new):
            if node.serial not in now:
                args = [now[a.serial] if isinstance(a, Tensor) else a for a in node.args]
                f = self.again.get(node.op)
                own = lambda f=f, node=node, args=args: f(*args) if f is not None else self.dialect.run(node, args)
                now[node.serial] = constant(node.value) if is_input(node) else own()
        return now[new.serial]

    def adjoints(self, keys: Sequence[Any]) -> list[Any]:
        """Return the adjoints that the framework computes, with None for a value that does not affect the result.

        keys : the framework's keys for the values, as in `tracked`.
        """
        raise NotImplementedError

    def run(self, new: Tensor, inputs: Sequence[Tensor]) -> tuple[Any, list[Any]]:
        """Compute a rewritten graph in the framework; return its value and its gradients for these inputs."""
        raise NotImplementedError

    def twice(self, new: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> float:
        """Compute the second derivative of a rewritten graph in the framework, along the direction `ways`."""
        raise NotImplementedError

    @property
    def inputs(self) -> list[Tensor]:
        """The differentiated inputs."""
        return [node for node in graph_of(self.y) if is_input(node) and node.serial in self.leaves]

    def offered(self, value: Any) -> tuple[ForeignProgram, Tensor] | None:
        """Find the repaired graph whose value is the object `value`; return the record it belongs to, and the graph.

        The record is this one or `plain`. Return None if neither has such a graph, or if the repair changes the dtype.
        """
        records = [(record, record.repaired) for record in (self, self.plain) if record is not None]
        alike = ((r, new) for r, new in records if new is not None and new.value is value and new.dtype == r.y.dtype)
        return next(alike, None)

    def size(self) -> int:
        return sum(int(np.size(node.value)) for node in graph_of(self.y) if not isinstance(node.value, tuple))

    def caveat(self) -> str:
        """Describe where minigrad differentiates the program differently; return "" if all adjoints are equal."""
        if not self.wrong:
            return ""
        ops = sorted({node.op.name for node in self.wrong if node.op is not None})
        what = f"at {', '.join(ops)}" if ops else "at an input"
        return f"minigrad differentiates this program differently from {self.framework} {what}; no repair is looked for"

    def differing(self) -> list[Tensor]:
        """Return the nodes whose adjoint in minigrad differs from the framework's, newest first."""
        alive = {node.serial for node in graph_of(self.y)}
        alive |= {node.serial for node in self.names.values()}  # include inputs whose use was not recorded
        tracked = [(node, key) for node, key in self.tracked if node.serial in alive]
        theirs = self.adjoints([key for _, key in tracked])  # ask the framework first, because it may raise
        mine = pullback([self.y], [np.ones_like(self.y.value)], [node for node, _ in tracked]) if tracked else []
        finite = [np.abs(b[np.isfinite(b)]) for b in map(np.asarray, theirs) if b.dtype.kind == "f"]
        size = max([0.0, *(float(b.max()) for b in finite if b.size)])
        small = ROUNDED * size
        pairs = {node.serial: (np.zeros(node.shape) if a is None else a, np.zeros(node.shape) if b is None else b)
                 for (node, _), a, b in zip(tracked, mine, theirs)}  # fmt: skip
        half = bool(self.dtypes()) or any(np.asarray(b).dtype == np.float16 for b in theirs)
        alike = partial(close, tolerance=HALF if half else TOLERANCE, floor=small)
        wrong = [node for node, _ in tracked if not alike(*pairs[node.serial])]
        # An infinite slope times a rounding error is inf or -inf, and an infinite slope times 0 is nan. These three
        # therefore count as equal in the arguments of a node whose adjoint is only a rounding error.
        noise = {a.serial for n, _ in tracked if (np.abs(pairs[n.serial][1]) <= small).any() for a in n.args
                 if isinstance(a, Tensor)}  # fmt: skip
        unsigned = lambda g: np.where(np.isfinite(g), g, np.inf)
        unlike = lambda a, b: not alike(unsigned(a), unsigned(b))
        wrong = [node for node in wrong if node.serial not in noise or unlike(*pairs[node.serial])]
        return sorted(wrong, key=lambda node: -node.serial)

    def suspects(self) -> set[Any]:
        """Return the calls that may be derived differently: those that use the newest node with a differing adjoint."""
        self.wrong = self.differing()
        if not self.wrong:
            return set()
        users = [node for node in graph_of(self.y) if any(a is self.wrong[0] for a in node.args)]
        return {self.calls[node.serial] for node in users if node.serial in self.calls}

    def with_other_call(self, report: Any) -> Any:
        """Add to a report a different call instead of the one at fault; a framework that knows any overrides this."""
        return report

    def dtypes(self) -> dict[int, str]:
        """Map the serial of a node to its dtype, for dtypes that NumPy lacks."""
        return {}

    def wider_results(self) -> list[Any]:
        """Return the value and the gradients that the framework computes in float64, or [] if it cannot."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return [] if self.wider is None else list(self.wider(np.dtype(np.float64)))
        except Exception as error:  # the program cannot run in this dtype, for example if weights have another dtype
            self.refused.append(f"{type(error).__name__}: {error!s:.150}")
            return []

    def is_finite_in(self, dtype: Any) -> bool:
        """Return whether the program has a finite value and gradients when the framework runs it in a wider dtype.

        The program is run from the start, because the numbers of the recorded run are already rounded: a rounded
        constant may hide a 0 / 0.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self.wider is not None and all(np.isfinite(v).all() for v in self.wider(dtype))
        except Exception as error:  # the program cannot run in this dtype, for example if weights have another dtype
            self.refused.append(f"{type(error).__name__}: {error!s:.150}")
            return False

    def holds(self, new: Tensor, inputs: Sequence[Tensor]) -> bool:
        """Return whether a rewritten graph has the same finite value and gradients in the framework as in minigrad."""
        mine = pullback([new], [np.ones_like(new.value)], inputs)
        if new.dtype != self.y.dtype and not self.is_finite_in(new.dtype):
            return False
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value, theirs = self.run(new, inputs)
        except Exception as error:  # a rewrite that fails in the framework is not a repair
            self.refused.append(f"{type(error).__name__}: {error!s:.150}")
            return False
        pairs = [(np.zeros(node.shape) if g is None else g, h) for node, g, h in zip(inputs, mine, theirs)]
        finite = all(np.isfinite(v).all() for v in (value, *theirs))
        largest = max([0.0, *(float(np.max(np.abs(g), initial=0)) for g in theirs)])
        alike = partial(close, floor=ROUNDED * largest)  # the sum of messages that cancel may be a rounding error
        if finite and close(new.value, value) and all(alike(g, h) for g, h in pairs):
            self.repaired = new
            return True
        self.refused.append(f"its value in {self.framework} is {value!s:.60}" if finite else "it is not finite there")
        return False


def settled(
    make: Callable[[Collection[Any]], ForeignProgram], first: ForeignProgram | None = None, most: int = 4
) -> ForeignProgram:
    """Record a program, and repeat this, at most `most` times, until all its adjoints equal the framework's.

    make : records the program, given the calls to lower to simpler ops or to leave to the framework. After each
        attempt, the calls responsible for a difference are added to them.
    """
    strange: frozenset[Any] = frozenset()
    program = first = first or make(strange)
    for left in range(most, -1, -1):
        more = program.suspects()
        if more <= strange or not left:
            break
        strange |= more
        again = make(strange)
        if len(again.unseen) > len(program.unseen):  # a gradient that is differentiated again needs minigrad's rules
            break
        program = again
    program.plain = None if first is program else first
    return program
