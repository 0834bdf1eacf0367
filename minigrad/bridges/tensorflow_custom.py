"""Record a call of a function with `tf.custom_gradient` as one node with its own rule; its body is kept as a ghost."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import custom_gradient as tensorflows

from ..core.custom import custom_gradient
from ..core.tensor import Tensor, next_serial

#: Run a function that has a custom gradient, and put the gradient on the tape.
RUN: Any = tensorflows._eager_mode_decorator


class NotOneTensor(Exception):
    """Raised if the result of a custom gradient's function is not a single tensor that depends on its arguments."""


@contextmanager
def recording_rules(program: Any) -> Iterator[None]:
    """Return a context manager that records each call of a function with a custom gradient as a node of `program`."""
    tensorflows._eager_mode_decorator = partial(_recorded, program)
    try:
        yield
    finally:
        tensorflows._eager_mode_decorator = RUN


def _recorded(program: Any, f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    if getattr(f, "__qualname__", "").startswith("recompute_grad.") and f.__module__ == tensorflows.__name__:
        return inspect.getclosurevars(f).nonlocals["f"](*args, **kwargs)  # this gradient is the function's own
    nodes = [program.node(a) if isinstance(a, tf.Tensor) else None for a in args]
    moving = [i for i, n in enumerate(nodes) if isinstance(n, Tensor) and args[i].dtype.is_floating]
    if program.busy or kwargs or not moving:
        return RUN(f, args, kwargs)
    results, start = list[Any](), next_serial()

    def body(*copies: Any) -> Any:
        tracked, program.tracked = program.tracked, []
        for i, copy in zip(moving, copies):
            program.of[id(args[i])] = copy
        try:
            results.append(RUN(f, args, kwargs))
        finally:
            inputs = [pair for pair in program.tracked if pair[0].serial in program.leaves]
            program.tracked = tracked + inputs
            for i in moving:
                program.of[id(args[i])] = nodes[i]
        node = program.of.get(id(results[0])) if isinstance(results[0], tf.Tensor) else None
        if not isinstance(node, Tensor):
            raise NotOneTensor
        return (node * 1.0 if any(node is copy for copy in copies) else node), backward

    def backward(g: Any) -> Any:
        leaves, again = [tf.constant(args[i]) for i in moving], list(args)
        for i, leaf in zip(moving, leaves):
            again[i] = leaf
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            y = RUN(f, again, kwargs)
        grads = tape.gradient(y, leaves, tf.constant(np.asarray(getattr(g, "value", g)), y.dtype))
        arrays = [np.zeros(x.shape) if m is None else tf.convert_to_tensor(m).numpy() for m, x in zip(grads, leaves)]
        return arrays if len(arrays) > 1 else arrays[0]

    body.__name__ = getattr(f, "__name__", "custom_gradient")
    backward.__name__ = f"{body.__name__}.grad"
    try:
        node = custom_gradient(body)(*[nodes[i] for i in moving])
    except NotOneTensor:
        return RUN(f, args, kwargs)
    program.place(node, start)
    program.connected.add(node.serial)
    program.tracked.append((node, results[0]))
    program.keep(results[0], node)
    return results[0]
