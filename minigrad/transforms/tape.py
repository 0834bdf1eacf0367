"""GradientTape: gradients through the ops that were called while a tape was recording.

Every op is recorded, with or without a tape. A tape's gradient passes through the ops that were called while the tape
was recording and that depend on a Tensor it watches. Everything else is constant.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.gradients import (
    UnconnectedGradients,
    fill_unconnected,
    mark_unrecorded,
    upstreams_of,
)
from ..core.support.array_memory import unshared
from ..core.support.structure import leaves, rebuild
from ..core.tensor import Tensor, next_serial
from ..core.variable import Variable
from ..ops.join import stack
from ..ops.shapes import reshape
from .lost import followed
from .nesting import differentiating
from .tape_record import TapeRecord


class GradientTape(TapeRecord):
    """A context for gradients with respect to watched Tensors and trainable Variables.

    Parameters
    ----------
    persistent : whether `gradient` and `jacobian` may be called more than once.
    watch_accessed_variables : whether trainable Variables are watched without calling `watch`.

    `gradients(y, x)` needs no tape: it uses the whole graph, and returns gradients for constants too. With a tape, a
    gradient is None unless the target was computed from a watched source while the tape was recording.

    A gradient computed inside the context of a second tape is itself recorded, so tapes nest for higher derivatives.

    >>> import minigrad as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    Tensor(6.0, dtype=float32)
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__(watch_accessed_variables)
        self._persistent = persistent
        self._entered = self._used = False

    # Recording.

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("the tape is still recording; to record again, make another GradientTape()")
        if self._used and not self._persistent:
            self.reset()
        self._start()
        self._entered = True
        return self

    def __exit__(self, *error: Any) -> None:
        if self._recording:
            self._stop()

    def watch(self, tensor: Any) -> None:
        """Treat a Tensor, a Variable, or each leaf of a nested structure as an input from now on.

        Raises ValueError for anything else, and RuntimeError outside `with`. Integers give a warning, because they have
        no gradient.

        >>> import minigrad as mg
        >>> x = mg.constant(3.0)
        >>> with mg.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> float(tape.gradient(y, x))
        6.0
        """
        if not self._entered:
            raise RuntimeError("the tape is not recording yet; write tape.watch(x) inside `with ... as tape:`")
        for path, leaf in leaves(tensor, "tensor"):
            if not isinstance(leaf, Tensor):
                raise ValueError(
                    f"{path} is {leaf!r:.60} of type {type(leaf).__name__}, which cannot be watched; "
                    f"write x = constant({leaf!r:.20}) and watch x"
                )
            if leaf.dtype.kind != "f":
                warnings.warn(
                    f"{path} has dtype {leaf.dtype}; only floats have gradients, so its gradient is None", stacklevel=2
                )
            self._watched.setdefault(leaf.serial, next_serial())
            if isinstance(leaf, Variable):
                self._given.append(leaf)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Pause recording during the block; results computed in the block are constants for this tape.

        >>> import minigrad as mg
        >>> x = mg.Variable(3.0)
        >>> with mg.GradientTape() as tape:
        ...     with tape.stop_recording():
        ...         factor = x * x
        ...     y = factor * x
        >>> float(tape.gradient(y, x))  # `factor` counts as the constant 9
        9.0
        """
        if not self._recording:
            raise ValueError("the tape is not recording, so it cannot stop")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forget everything that was recorded and watched, and continue recording.

        >>> import minigrad as mg
        >>> x = mg.Variable(3.0)
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        ...     tape.reset()
        ...     z = 5 * x
        >>> float(tape.gradient(z, x))
        5.0
        """
        self._marks = [next_serial()] if self._recording else []
        self._used = False
        for forgotten in (self._watched, self._given, self._read):
            forgotten.clear()

    def watched_variables(self) -> tuple[Variable, ...]:
        """Return the watched Variables, oldest first: those passed to `watch`, and trainable Variables that were read.

        >>> import minigrad as mg
        >>> x = mg.Variable(3.0, name="x")
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        >>> [v.name for v in tape.watched_variables()]
        ['x']
        """
        read = [v for v in self._read.values() if v.trainable] if self._automatic else []
        oldest_first = sorted((*read, *self._given), key=lambda v: v.serial)
        return tuple({v.serial: v for v in oldest_first}.values())

    # Gradients.

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None,
        unconnected_gradients: str = UnconnectedGradients.NONE,
    ) -> Any:  # fmt: skip
        """Return the gradient of the sum of `target` with respect to each source, nested like `sources`.

        Parameters
        ----------
        target : a Tensor, or a nested structure of Tensors.
        sources : a watched Tensor or Variable, a Tensor computed from one, or a nested structure of these.
        output_gradients : the upstream gradient of each target, with the same shape and dtype; None means ones.
        unconnected_gradients : "none" or "zero": what to return for a source that no target depends on.

        Raises RuntimeError if a tape that is not persistent is used twice, and TypeError for anything but Tensors.

        >>> import minigrad as mg
        >>> w = {"a": mg.Variable(3.0), "b": mg.Variable(2.0)}
        >>> with mg.GradientTape() as tape:
        ...     y = w["a"] * w["b"]
        >>> {name: float(g) for name, g in tape.gradient(y, w).items()}
        {'a': 2.0, 'b': 3.0}
        """
        self._use_up()
        targets, into = _tensors(target, "target"), _tensors(sources, "sources")
        targets = [t.read_value() for t in targets]
        upstreams = upstreams_of(targets, output_gradients, "output_gradients", "target")
        with differentiating() as nested:
            nested = nested or followed(targets, self._follower)
            seeds: Sequence[Any] = upstreams if nested else [u.value for u in upstreams]
            gradients = [_result(g, into, nested) for g in self._pull(targets, seeds, into)]
            gradients = unshared(gradients, [u.value for u in upstreams])
        return rebuild(sources, fill_unconnected(gradients, into, unconnected_gradients))

    def jacobian(
        self, target: Tensor, sources: Any, unconnected_gradients: str = UnconnectedGradients.NONE,
        parallel_iterations: Any = None, experimental_use_pfor: bool = True,
    ) -> Any:  # fmt: skip
        """Return the Jacobian of `target` with respect to each source, nested like `sources`.

        Each Jacobian has the shape target.shape + source.shape.

        target : one Tensor; there is one backward pass for each of its elements. `sources` and `unconnected_gradients`
        are the same as for `gradient`. The other arguments exist in TensorFlow, and have no effect here.

        >>> import minigrad as mg
        >>> x = mg.Variable([1.0, 2.0])
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        >>> tape.jacobian(y, x).value
        array([[2., 0.],
               [0., 4.]], dtype=float32)
        """
        self._use_up()
        if not isinstance(target, Tensor):
            raise TypeError(f"target must be a Tensor, got {target!r:.60} of type {type(target).__name__}")
        into, y = _tensors(sources, "sources"), target.read_value()
        with differentiating() as nested:
            nested = nested or followed([y], self._follower)
            rows = [self._pull([y], [Tensor(seed) if nested else seed], into) for seed in _seeds(y)]
            jacobians = [
                None if column[0] is None else _result(_stacked(column, y, source), into, nested)
                for source, column in zip(into, zip(*rows))
            ]
        if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
            jacobians = [
                Tensor(np.zeros(y.shape + s.shape, s.dtype)) if j is None else j for s, j in zip(into, jacobians)
            ]
        return rebuild(sources, jacobians)

    def batch_jacobian(
        self, target: Tensor, source: Tensor, unconnected_gradients: str = "none",
        parallel_iterations: Any = None, experimental_use_pfor: bool = True,
    ) -> Any:  # fmt: skip
        """Return the Jacobian of each row of `target` with respect to the same row of `source`, stacked.

        target, source : Tensors with one row for each example. The result has the shape (rows, *target.shape[1:],
        *source.shape[1:]).

        Raises ValueError unless target and source have the same number of rows, and at least two axes each.

        >>> import minigrad as mg
        >>> x = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).value[1]  # of the second row
        array([[6., 0.],
               [0., 8.]], dtype=float32)
        """
        for name, tensor in (("target", target), ("source", source)):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"{name} must be a Tensor, got {tensor!r:.60} of type {type(tensor).__name__}")
            if tensor.ndim < 2:
                raise ValueError(
                    f"batch_jacobian needs a {name} of rows, with two axes or more, got shape {tensor.shape}; "
                    f"for one example, write tape.jacobian(target, source)"
                )
        if len(target) != len(source):
            raise ValueError(
                f"batch_jacobian needs a source row for each target row, got target of shape {target.shape} and source "
                f"of shape {source.shape}; for all pairs of rows, write tape.jacobian(target, source)"
            )
        whole = self.jacobian(target, source, unconnected_gradients)
        rows = np.arange(len(target))
        diagonal = (rows, *[slice(None)] * (target.ndim - 1), rows)
        return whole if whole is None else whole[diagonal]

    def _use_up(self) -> None:
        if self._used and not self._persistent:
            raise RuntimeError("this tape was already used; GradientTape(persistent=True) can be used again")
        self._used = True
        if self._recording and not self._persistent:
            self._stop()

    def _pull(self, targets: Sequence[Tensor], seeds: Sequence[Any], sources: Sequence[Tensor]) -> list[Any]:
        """Run a backward pass through the ops on this tape, and return the adjoints of the sources."""
        live, cut = self._split(targets)
        floats = [(t, u) for t, u in zip(targets, seeds) if t.dtype.kind == "f"]
        # A target counts as connected, because its gradient with respect to itself exists.
        connected = {*live, *self._watched, *(t.serial for t in targets)}
        may_reach = lambda source: source.serial in connected or isinstance(source, Variable)
        reachable = [source for source in sources if source.dtype.kind == "f" and may_reach(source)]
        pulled = pullback([t for t, _ in floats], [u for _, u in floats], reachable, cut)
        adjoints = {s.serial: g for s, g in zip(reachable, pulled)}
        return [adjoints.get(s.serial) for s in sources]


def _tensors(x: Any, name: str) -> list[Tensor]:
    tensors = []
    for path, leaf in leaves(x, name):
        if not isinstance(leaf, Tensor):
            raise TypeError(
                f"{path} must be a Tensor, got {leaf!r:.60} of type {type(leaf).__name__}; "
                f"make it one with constant(...) before it is used"
            )
        tensors.append(leaf)
    return tensors


def _seeds(y: Tensor) -> Iterator[Any]:
    """Yield, for each element of `y`, an upstream gradient of 1 there and 0 elsewhere, one array at a time.

    Even a target without elements needs one pass, to find which sources it is connected to.
    """
    for i in range(max(1, y.size)):
        seed = np.zeros(y.shape, y.dtype)
        seed.flat[i : i + 1] = 1
        yield seed[()]


def _stacked(rows: Sequence[Any], y: Tensor, source: Tensor) -> Any:
    """Return the Jacobian stacked from its rows, one for each element of `y`."""
    shape = y.shape + source.shape
    return reshape(stack(rows), shape) if y.size else np.zeros(shape, source.dtype)


def _result(adjoint: Any, sources: Sequence[Tensor], nested: bool) -> Tensor | None:
    if adjoint is None or (nested and isinstance(adjoint, Tensor)):
        return adjoint
    return mark_unrecorded(adjoint if isinstance(adjoint, Tensor) else Tensor(adjoint), sources)
