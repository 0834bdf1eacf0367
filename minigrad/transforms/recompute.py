"""`recompute_grad`, also called gradient checkpointing, and `grad_pass_through`, the straight-through estimator."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.custom import custom_gradient, make_outputs, outputs_in
from ..core.graph import ancestors
from ..core.op import Op, as_leaf
from ..core.support import unused_inputs
from ..core.support.error_words import name_of
from ..core.support.operands import keep
from ..core.support.structure import flatten, rebuild
from ..core.support.tensor_values import Function, is_placeholder
from ..core.tensor import Tensor, next_serial
from ..core.variable import READ, Variable
from ..ops.identities import connected_copy
from .lost import Run, copies


def recompute_grad(f: Function) -> Function:
    """Wrap `f` to save memory: a backward pass runs `f` again instead of storing its results.

    This trades time for memory. `f` takes and returns Tensors, or nested structures of them; other arguments are passed
    on unchanged. The derivatives of every order are the same as those of `f`, also with respect to captured Tensors and
    Variables.

    The second run starts from the same state of NumPy's global random generator as the first. Side effects happen
    twice, and if a Variable is assigned between the runs, the second run reads its new value. The gradient of an
    argument that `f` does not use is 0; a warning is given if the result depends on no argument. A recorded pass, as in
    `gradients` or in a nested transform, stores the recomputed values, so it saves no memory.

    Raises TypeError if `f` is not callable. A backward pass raises ValueError if the second run gives values that
    differ by more than rounding.

    >>> import minigrad as tf
    >>> @tf.recompute_grad
    ... def wave(x):
    ...     return tf.sin(tf.exp(x))
    >>> x = tf.constant(0.0)
    >>> tf.gradients(wave(x), x)[0]
    Tensor(0.5403023, dtype=float32, op=...)
    """
    if not callable(f):
        raise TypeError(f"recompute_grad takes a function of Tensors, got {f!r:.60} of type {type(f).__name__}")

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        arguments = (args, kwargs)
        inputs = [keep(x) for x in flatten(arguments)]
        # Both runs must draw the same random numbers; otherwise dropout would use two different masks.
        numbers = np.random.get_state()
        since = next_serial()

        def run(values: Sequence[Any], fresh: Callable[[Any], Tensor]) -> tuple[list[Any], Any]:
            """Run `f` with fresh Tensors instead of its Tensor arguments; pass on Variables and all other arguments."""
            tensors = [isinstance(x, Tensor) and not isinstance(x, Variable) for x in inputs]
            copies = [fresh(v) if copied else x for x, v, copied in zip(inputs, values, tensors)]
            again, options = rebuild(arguments, copies)
            return copies, f(*again, **options)

        with _followed_copies() as copy:
            _, value = run(inputs, copy)
        outputs = outputs_in(value)
        captured = _captured(outputs, inputs, since)
        # The values of Variables now: if one is assigned before the second run, the results are not compared.
        read = [(v, v.value) for v in (*inputs, *captured) if isinstance(v, Variable)]

        def rule(upstream: Any, y: Any, *values: Any) -> list[Any]:
            upstreams = upstream if type(upstream) is list else [upstream]
            recorded = any(isinstance(u, Tensor) for u in upstreams)
            if recorded:
                upstreams = [u if isinstance(u, Tensor) else as_leaf(u) for u in upstreams]
            with _random_numbers(numbers):
                copies, value = run(values, connected_copy if recorded else as_leaf)
            everything = [*copies, *captured]
            sources = [x for x in everything if isinstance(x, Tensor)]
            # This pass ends at the sources: the pass that called the rule continues from them.
            outputs = outputs_in(value)
            if all(v.value is before for v, before in read):
                _check_same(f, y if type(y) is tuple else (y,), outputs)
            cut = {source.serial for source in sources}
            gradients = pullback(outputs, upstreams, sources, cut=cut, part=True)
            arity = sum(isinstance(x, Tensor) for x in copies)
            if all(g is None for g in gradients[:arity]):
                again = rebuild(arguments, copies)[0]
                only_tensors = lambda argument: all(isinstance(x, Tensor) for x in flatten(argument))
                positions = [i for i, argument in enumerate(again) if only_tensors(argument)]
                if positions:
                    own_run = Run(f, again, positions, flatten([again[i] for i in positions]))
                    unused_inputs.notice(own_run.why_zero(outputs[0]))
            adjoints = iter(gradients)
            return [_adjoint(next(adjoints), x, recorded) if isinstance(x, Tensor) else None for x in everything]

        def flat(*leaves: Any) -> Any:
            args, kwargs = rebuild(arguments, leaves[: len(inputs)])
            return f(*args, **kwargs)

        # Only the nesting is stored, without the leaves, because the value would keep the graph alive.
        nested = rebuild(value, [None] * len(outputs))
        op = Op(name_of(f), flat, vjp_all=rule)
        return make_outputs(op, nested, outputs, (*inputs, *captured))

    return functools.update_wrapper(wrapped, f)


def _check_same(f: Function, before: Sequence[Any], again: Sequence[Tensor]) -> None:
    """Raise ValueError if the two runs of `f` gave different values."""
    for old, new in zip(before, again):
        old, new = old.value if isinstance(old, Tensor) else old, new.value
        if is_placeholder(old) or is_placeholder(new):
            continue
        rounding = np.sqrt(np.finfo(old.dtype).eps) if old.dtype.kind == "f" else 0
        room = 1e-2 * rounding * np.max(np.abs(old), initial=0)
        if old.shape != new.shape or not np.allclose(old, new, rounding, room, equal_nan=True):
            raise ValueError(
                f"{name_of(f)} was run again by recompute_grad and gave other values, so its gradient would be wrong: "
                f"its own random generator has advanced, for example; draw the numbers outside and pass them as "
                f"an argument"
            )


@contextmanager
def _followed_copies() -> Iterator[Callable[[Tensor], Tensor]]:
    """Yield a function that copies Tensors. During the block, the copies are followed like their originals."""
    serials = []

    def copy(x: Tensor) -> Tensor:
        leaf = as_leaf(x.value)
        copies[leaf.serial] = x
        serials.append(leaf.serial)
        return leaf

    try:
        yield copy
    finally:
        for serial in serials:
            del copies[serial]


def _captured(outputs: Sequence[Tensor], inputs: Sequence[Any], since: int) -> list[Tensor]:
    """Return the Variables, and the Tensors older than `since`, that the outputs depend on, without the inputs."""
    body = ancestors(outputs, enter=lambda node: node.op is READ or node.serial > since)
    arguments = {id(x) for x in inputs if isinstance(x, Variable)}
    return [
        node
        for node in body
        if (isinstance(node, Variable) or (node.serial < since and node.op is not READ))
        and id(node) not in arguments
        and node.dtype.kind == "f"
    ]


def _adjoint(adjoint: Any, x: Tensor, recorded: bool) -> Any:
    """Return `adjoint`, or zeros like the input `x` if it is None, because no output depends on `x`.

    recorded : whether the zeros must be a Tensor.
    """
    if adjoint is not None or x.dtype.kind != "f":
        return adjoint
    zeros = np.zeros_like(x.value)
    return as_leaf(zeros) if recorded else zeros


@contextmanager
def _random_numbers(state: Any) -> Iterator[None]:
    """Set NumPy's global generator to `state` for the block, and restore it afterwards."""
    now = np.random.get_state()
    np.random.set_state(state)
    try:
        yield
    finally:
        np.random.set_state(now)


def grad_pass_through(f: Function) -> Function:
    """Give `f` the gradient of the identity: upstream gradients pass through unchanged.

    This is the straight-through estimator for functions such as `round`. `f` must return as many outputs as it has
    inputs, with the same shapes; otherwise a backward pass raises ValueError. Variables in `f` have no gradient.

    >>> import minigrad as tf
    >>> x = tf.constant(2.7)
    >>> y = tf.grad_pass_through(tf.round)(x)
    >>> y.value, tf.gradients(y, x)[0].value
    (np.float32(3.0), np.float32(1.0))
    """

    if not callable(f):
        raise TypeError(f"grad_pass_through takes a function of Tensors, got {f!r:.60} of type {type(f).__name__}")

    @custom_gradient
    @functools.wraps(f)
    def passed(*args: Any, **kwargs: Any) -> Any:
        def upstreams(*dys: Any, variables: Any = None) -> Any:
            return dys if variables is None else (dys, [None] * len(variables))

        return f(*args, **kwargs), upstreams

    return passed
