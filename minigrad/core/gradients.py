"""`gradients`: the gradients of Tensors with respect to other Tensors, with the signature of `tf.gradients`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from itertools import compress
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .backward import pullback
from .graph import ancestors, between
from .op import as_leaf
from .support.array_memory import unshared
from .support.fast import gc_paused
from .support.operands import adopt
from .support.structure import flatten
from .tensor import Tensor

#: Functions that explain why a result has no gradient with respect to some sources; the last one is used. Each function
#: takes the result, the sources, and the names of the sources.
reason_for_none: list[Callable[[Tensor, Sequence[Tensor], Sequence[str]], str]] = []


class UnconnectedGradients(str, Enum):
    """The choice of gradient for an x that no y depends on: None, or zeros with the shape and dtype of x.

    >>> import minigrad as mg
    >>> x, y = mg.constant(3.0), mg.constant(1.0)
    >>> mg.gradients(y, x)
    [None]
    >>> mg.gradients(y, x, unconnected_gradients=mg.UnconnectedGradients.ZERO)
    [Tensor(0.0, dtype=float32)]
    """

    NONE = "none"
    ZERO = "zero"


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: str = UnconnectedGradients.NONE,
    *,
    name: str = "",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[Tensor | None]:
    """Return the gradients of the sum of `ys` with respect to each of `xs`, as in TensorFlow.

    Parameters
    ----------
    ys : a Tensor or a list of Tensors, of any shape.
    xs : a Tensor or a list of Tensors, which may be intermediate results or Variables.
    grad_ys : the upstream gradient of each of `ys`, with the same shape and dtype; None means ones.
    stop_gradients : Tensors to treat as constants.
    unconnected_gradients : "none" or "zero": what to return for an x that no y depends on.
    name, gate_gradients, aggregation_method : TensorFlow's parameters, accepted and ignored.

    Always returns a list, with one gradient for each x, of the same shape and dtype as x. None, which is not zero,
    means that the x is not connected, or holds no floats. The gradients can be differentiated again, because their pass
    is recorded and stores its intermediate results. If one derivative is enough, `value_and_grad` and a tape take less
    memory. If all gradients are None because ys and xs were swapped or hold integers, a warning explains this.

    Raises TypeError if ys, xs or stop_gradients contain anything but Tensors, or if a grad_ys has the wrong dtype.
    Raises ValueError if grad_ys has the wrong length or shape. Also raises it if ys depend on an x through a result of
    `grad` or `vjp` that has no record, so that part of a gradient would be missing, or zeros would be returned instead
    of it. If the function passed to `grad` or `vjp` closes over x, this is not detected.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> (dy,) = gradients(x * x, x)
    >>> dy, gradients(dy, x)[0]
    (Tensor(6.0, dtype=float32, op=add), Tensor(2.0, dtype=float32, op=add))
    """
    targets, sources = [y.read_value() for y in tensors_in(ys, "ys")], tensors_in(xs, "xs")
    stopped = () if stop_gradients is None else tensors_in(stop_gradients, "stop_gradients")
    cut = {t.read_value().serial for t in stopped}
    upstreams = upstreams_of(targets, grad_ys)
    # Integers have no gradients: they are left out of the pass, and their gradients are None.
    float_ys = [y.value.dtype.kind == "f" for y in targets]
    float_xs = [x.dtype.kind == "f" for x in sources]
    ends = [*compress(targets, float_ys)], [*compress(upstreams, float_ys)]
    with gc_paused():
        pulled = pullback(*ends, [*compress(sources, float_xs)], cut)
        # Copy gradients that share memory, because the caller may change one of them in place.
        adjoints = iter(unshared(pulled, [u.value for u in upstreams]))
    results = [next(adjoints) if is_float else None for is_float in float_xs]
    if results and all([g is None for g in results]):
        _warn_of_nones(ys, xs, tensors_in(ys, "ys"), sources)
    zeros = unconnected_gradients == UnconnectedGradients.ZERO  # zeros claim that nothing is missing; None does not
    answered = [x for x, g in zip(sources, results) if g is not None or (zeros and x.dtype.kind == "f")]
    if unrecorded_part(targets, answered, cut) is not None:
        raise ValueError(
            "ys use the result of grad, vjp, a tape or another transform of xs, which is not recorded, so a part of "
            "the gradient would be missing: write grad of a function that computes ys from xs, or gradients(...) "
            "instead of the inner transform; or stop_gradient(...) around its result to treat it as a constant"
        )
    return fill_unconnected(results, sources, unconnected_gradients)


def fill_unconnected(
    results: list[Tensor | None], sources: Sequence[Tensor], unconnected_gradients: str
) -> list[Tensor | None]:
    """Return the results, with each None replaced by zeros if the caller asked for zeros."""
    if unconnected_gradients is UnconnectedGradients.NONE:
        return results
    if unconnected_gradients == UnconnectedGradients.ZERO:
        pairs = zip(sources, results)
        return [Tensor(np.zeros_like(source.value)) if g is None else g for source, g in pairs]
    if unconnected_gradients != UnconnectedGradients.NONE:
        raise ValueError(f"unconnected_gradients must be 'none' or 'zero', got {unconnected_gradients!r}")
    return results


def tensors_in(x: Any, name: str) -> list[Tensor]:
    tensors = list(x) if isinstance(x, (list, tuple)) else [x]
    for i, item in enumerate(tensors):
        if not isinstance(item, Tensor):
            path = f"{name}[{i}]" if isinstance(x, (list, tuple)) else name
            raise TypeError(
                f"{path} must be a Tensor, got {item!r:.60} of type {type(item).__name__}; "
                f"make it one with constant(...) before it is used"
            )
    return tensors


def upstreams_of(targets: Sequence[Tensor], grad_ys: Any, name: str = "grad_ys", target: str = "ys") -> list[Tensor]:
    """Check the upstream gradients and return one for each target, in its shape and dtype; None becomes ones."""
    entries = [None] * len(targets) if grad_ys is None else flatten(grad_ys)
    if len(entries) != len(targets):
        raise ValueError(
            f"{name} has {len(entries)} entries for {len(targets)} {target}: give one each, or None for ones"
        )
    upstreams = []
    for i, (y, g) in enumerate(zip(targets, entries)):
        if g is None:
            dtype = y.dtype
            upstreams.append(as_leaf(np.ones(y.shape, dtype) if y.shape else dtype.type(1)))
            continue
        adopted = adopt(g, y.dtype)
        upstream = adopted.read_value() if isinstance(adopted, Tensor) else Tensor(adopted)
        if upstream.shape != y.shape:
            raise ValueError(f"{name}[{i}] has shape {upstream.shape}, but {target}[{i}] has shape {y.shape}")
        if upstream.dtype != y.dtype:
            raise TypeError(f"{name}[{i}] has dtype {upstream.dtype}, but {target}[{i}] has dtype {y.dtype}")
        upstreams.append(upstream)
    return upstreams


#: All live results of an outermost `grad(f)(x)` or of a tape, keyed by serial. These results have no record. The
#: attribute `unrecorded` of each contains the Tensors that it was computed from, so `gradients` can notice that part
#: of a gradient would be missing.
unrecorded: WeakValueDictionary[int, Tensor] = WeakValueDictionary()


def mark_unrecorded(result: Tensor, sources: Sequence[Tensor]) -> Tensor:
    """Mark the result of an outermost transform as unrecorded, and store the Tensors that produced it."""
    result.unrecorded = tuple(sources)
    unrecorded[result.serial] = result
    return result


def unrecorded_part(targets: Sequence[Tensor], sources: Sequence[Tensor], cut: Collection[int] = ()) -> Tensor | None:
    """Return an unrecorded transform result that lies between a source and a target, or None if there is none."""
    oldest = min([x.serial for x in sources], default=0)

    def enter(node: Tensor) -> bool:
        passes = node.op is None or node.op.differentiable
        return passes and node.serial > oldest and node.serial not in cut

    for node in ancestors(targets, enter) if sources and unrecorded else ():
        if node.serial in unrecorded and node.serial not in cut and between(node.unrecorded, sources, cut)[0]:
            return node
    return None


# Warnings for a None that is caused by the call to `gradients` itself.


def _warn_of_nones(ys: Any, xs: Any, targets: Sequence[Tensor], sources: Sequence[Tensor]) -> None:
    """Warn if `ys` or `xs` hold integers, or if `xs` were computed from `ys`.

    ys, xs : the arguments of `gradients`. targets, sources : their Tensors.
    """
    typed = [*_names("ys", ys, targets), *_names("xs", xs, sources)]
    whole = [f"{name} has dtype {t.dtype}" for name, t in typed if t.dtype.kind != "f"]
    if whole:
        warnings.warn(
            f"gradients(ys, xs): {', '.join(whole)}, and only floats have gradients, so the result is None; "
            f"use floats from the start, for example constant(3.0) instead of constant(3)",
            stacklevel=3,
        )
        return
    exchanged = [(y, x) for y in targets for x in sources if _depends(x, y)]
    if exchanged:
        y, x = (f"{t!r:.80}" for t in exchanged[0])
        warnings.warn(
            f"gradients(ys, xs) differentiates ys with respect to xs, but here xs was computed from ys, and ys does "
            f"not depend on xs: ys is {y}, xs is {x}. To differentiate xs with respect to ys, write gradients(xs, ys)",
            stacklevel=3,
        )


def _depends(x: Tensor, y: Tensor) -> bool:
    """Return whether `x` was computed from `y` by ops that have gradients."""
    nodes, _ = between([x], [y])
    return bool(nodes) and nodes[-1] is x


def _names(name: str, argument: Any, tensors: Sequence[Tensor]) -> list[tuple[str, Tensor]]:
    several = isinstance(argument, (list, tuple))
    return [(f"{name}[{i}]" if several else name, t) for i, t in enumerate(tensors)]
