"""The backward loop, the only one there is: everything that follows gradients is a consumer of `backward`.

Nodes are visited newest first, so that a node's adjoint is complete, summed over all its uses, when its turn
comes. Each step hands one node's adjoint to the op's rule and sends what the rule answers to the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum
from typing import Any

import numpy as np

from .following import begin
from .graph import between
from .mixed import adopt
from .none_warnings import warn_of_nones
from .op import COPY, OPS, PICK, pick, record
from .scattered import Collected, Scattered
from .structure import flatten
from .tensor import Tensor, followers

Sends = list[tuple[int, Tensor, Any]]

#: What a value without dimensions is.
SINGLE = frozenset({np.float64, np.float32, np.float16})


#: What runs a pass in the place of `backward`, while not empty: the writer of a program takes notes on the way.
passes: list[Callable[..., Iterator[tuple[Tensor, Any, Sends]]]] = []


def backward(
    targets: Sequence[Tensor],
    upstreams: Sequence[Any],
    sources: Collection[Tensor],
    cut: Collection[int] = (),
    unreached: Callable[[Tensor], None] | None = None,
) -> Iterator[tuple[Tensor, Any, Sends]]:
    """Yield `(node, upstream, sends)` for each node between the targets and the sources, newest first.

    upstreams : what arrives at each target. Given as raw arrays the whole pass runs on raw arrays, which is fast;
        given as Tensors every step is itself recorded, and its results can be differentiated again.
    unreached : called with the first target where no target depends on a source, while the graph is still there.
    sends : the messages `(argument number, argument, contribution)` that leave the node. An index sends a
        `Scattered`: the elements that were read, without the zeros around them.
    """
    adjoints = _first(targets, upstreams)
    owned: set[int] = set()  # serials whose adjoint is a buffer made here, which may be added to in place
    scattered: set[int] = set()  # serials whose buffer holds no -0, so that adding zeros would change nothing
    recorded = any(isinstance(u, Tensor) for u in upstreams)
    order, needed = between(targets, sources, cut)
    if unreached is not None and not any(target.serial in needed for target in targets):
        unreached(targets[0])
    del targets, upstreams  # what nobody else holds is freed as the pass goes on
    while order:
        node = order.pop()
        serial = node.serial
        if serial not in adjoints:  # only reached through rules that answered None
            continue
        upstream = adjoints.pop(serial)
        if recorded and type(upstream) is Collected:
            upstream = upstream.dense()
        op, args, y = node.op, node.args, node if recorded else node.value
        sends: Sends = []
        if op is None or not op.differentiable or serial in cut:
            pass
        elif not op.vjps or node.kwargs is not None or len(args) > 2:
            sends = _answers(node, upstream, needed, recorded)
        elif len(args) == 1:  # nearly every step is one of these two; written out the loop is 1.6 times as fast
            (a,) = args
            if a.serial in needed and (c := op.vjps[0](upstream, y, a if recorded else a.value)) is not None:
                sends.append((0, a, c))
        else:
            a, b = args
            left, right = isinstance(a, Tensor), isinstance(b, Tensor)
            u = a.value if left and not recorded else a
            v = b.value if right and not recorded else b
            if left and a.serial in needed and (c := op.vjps[0](upstream, y, u, v)) is not None:
                sends.append((0, a, c))
            if right and b.serial in needed and (c := op.vjps[1](upstream, y, u, v)) is not None:
                sends.append((1, b, c))
        for n, (i, argument, contribution) in enumerate(sends):
            serial, value = argument.serial, argument.value
            given = contribution.value if recorded and isinstance(contribution, Tensor) else contribution
            kind = type(given)
            if kind is not type(value) or kind not in SINGLE:  # a number that meets a number fits
                if op is PICK:  # an output may be picked more than once: by the caller, and by its own rule
                    picked, k = adjoints.setdefault(serial, {}), args[1]
                    picked[k] = picked[k] + contribution if k in picked else contribution
                    continue
                if kind is Scattered:
                    if recorded:
                        before = adjoints.get(serial)
                        if type(before) is Collected:
                            before.append(given)
                        else:
                            adjoints[serial] = Collected(given, before)
                        continue
                    if serial not in scattered:
                        zeros = np.zeros(given.shape, given.dtype)
                        adjoints[serial] = zeros + adjoints[serial] if serial in adjoints else zeros
                        owned.add(serial)
                        scattered.add(serial)
                    adjoints[serial] = given.add_to(adjoints[serial])
                    continue
                if given.shape != value.shape or given.dtype is not value.dtype:
                    contribution = _fit(contribution, argument, node, i)
                    sends[n] = (i, argument, contribution)
            if serial not in adjoints:
                adjoints[serial] = contribution
            elif serial in owned:
                adjoints[serial] += contribution
            else:
                adjoints[serial] = adjoints[serial] + contribution
                owned.add(serial)
        yield node, upstream, sends


def _first(targets: Sequence[Tensor], upstreams: Sequence[Any]) -> dict[int, Any]:
    """What arrives at the targets, by serial; added up for one that is given twice."""
    adjoints: dict[int, Any] = {}
    for target, upstream in zip(targets, upstreams):
        known = adjoints.get(target.serial)
        adjoints[target.serial] = upstream if known is None else known + upstream
    return adjoints


def _answers(node: Tensor, upstream: Any, needed: Collection[int], recorded: bool) -> Sends:
    """What the rules of `node` answer for each argument in `needed`, None left out."""
    op, args, kwargs = node.op, node.args, node.kwargs or {}
    if op is PICK:
        return [(0, args[0], upstream)]
    ways = [i for i, a in enumerate(args) if isinstance(a, Tensor) and a.serial in needed]
    y: Any = node if recorded else node.value
    values = args if recorded else [a.value if isinstance(a, Tensor) else a for a in args]
    if op.vjps is not None:
        answers = {i: op.vjps[i](upstream, y, *values, **kwargs) for i in ways}
    elif ways:
        if type(node.value) is tuple:  # one upstream per output; an output that was not used has zeros
            unused = (lambda v: None) if op.partial else np.zeros_like
            upstream = [upstream[i] if i in upstream else unused(v) for i, v in enumerate(node.value)]
            y = tuple(pick(node, i) for i in range(len(node.value))) if recorded else y
        answers = op.vjp_all(upstream, y, *values, **kwargs)
    return [(i, args[i], answers[i]) for i in ways if answers[i] is not None]


def _fit(contribution: Any, argument: Tensor, node: Tensor, i: int) -> Any:
    """Undo broadcasting and promotion: a gradient has the shape and the dtype of what it is the gradient of."""
    shape = argument.value.shape
    if contribution.shape != shape:
        lead = len(contribution.shape) - len(shape)
        rest = contribution.shape[lead:]
        if lead < 0 or (rest != shape and not all(n in (1, m) for n, m in zip(shape, rest))):
            raise ValueError(
                f"the rule of {node.op} for argument {i} gave a gradient of shape {contribution.shape}, "
                f"but the argument has shape {shape}"
            )
        contribution = OPS["sum_to"].call(contribution, shape)
    return contribution if contribution.dtype == argument.dtype else contribution.astype(argument.dtype)


def pullback(
    targets: Sequence[Tensor],
    upstreams: Sequence[Any],
    sources: Sequence[Tensor],
    cut: Collection[int] = (),
    unreached: Callable[[Tensor], None] | None = None,
) -> list[Any]:
    """The adjoint of each source, None where no target depends on it. Raw or Tensors, as the upstreams are.

    unreached : called where all are None, with the Tensor at which the connection ends or a target.
    """
    wanted = {source.serial for source in sources}
    found = {}
    if followers:
        begin(upstreams)
    unreached = None if passes else unreached  # what is amiss the function's own run says
    steps = (passes[-1] if passes else backward)(targets, upstreams, sources, cut, unreached)
    del targets
    node = None
    with np.errstate(all="ignore"):
        for node, upstream, _ in steps:
            if node.serial in wanted:
                found[node.serial] = upstream
    if unreached is not None and not found and node is not None:
        unreached(node)
    return [found.get(source.serial) for source in sources]


def unshared(gradients: Sequence[Any], lent: Sequence[Any]) -> list[Any]:
    """The gradients, each in memory of its own, which is not that of the values in `lent` either."""
    taken = {id(_memory(value)) for value in lent}
    own = []
    for g in gradients:
        if isinstance(g, Tensor) and type(g.value) is np.ndarray:
            if id(_memory(g.value)) in taken:
                g = record(COPY, g.value.copy(), (g,))
            taken.add(id(_memory(g.value)))
        own.append(g)
    return own


def _memory(value: Any) -> Any:
    """The array that owns the memory of an array."""
    while getattr(value, "base", None) is not None:
        value = value.base
    return value


class UnconnectedGradients(str, Enum):
    """What to answer for an x that no y depends on: None, or zeros of its shape and dtype."""

    NONE = "none"
    ZERO = "zero"


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: str = UnconnectedGradients.NONE,
) -> list[Tensor | None]:
    """The gradients of the sum of `ys` with respect to each of `xs`: the signature and meaning of `tf.gradients`.

    Parameters
    ----------
    ys : a Tensor or a list of Tensors, of any shape.
    xs : a Tensor or a list of Tensors; intermediate results and Variables too.
    grad_ys : the upstream gradient of each of `ys`, of its shape and dtype; None stands for ones.
    stop_gradients : Tensors to treat as constants.
    unconnected_gradients : "none" or "zero": what to answer for an x that no y depends on.

    Returns a list with one gradient for each x, of its shape and dtype: always a list. None means "not connected",
    which is not the same as zero. The gradients are recorded, so they can be differentiated again. A warning says so
    where all are None as ys and xs were exchanged, or as one of them holds integers.

    Raises TypeError for anything that is not a Tensor, ValueError for a grad_ys that does not fit.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> (dy,) = gradients(x * x, x)
    >>> dy, gradients(dy, x)[0]
    (Tensor(6.0, dtype=float32, op=add), Tensor(2.0, dtype=float32, op=add))
    """
    targets, sources = tensors_in(ys, "ys"), tensors_in(xs, "xs")
    cut = (
        {t.read_value().serial for t in tensors_in(stop_gradients, "stop_gradients")}
        if stop_gradients is not None
        else set()
    )
    targets = [target.read_value() for target in targets]
    upstreams = upstreams_of(targets, grad_ys)
    live = [(t, u) for t, u in zip(targets, upstreams) if t.dtype.kind == "f"]
    found = pullback([t for t, _ in live], [u for _, u in live], [s for s in sources if s.dtype.kind == "f"], cut)
    adjoints = iter(unshared(found, [u.value for u in upstreams]))
    results = [next(adjoints) if s.dtype.kind == "f" else None for s in sources]
    if results and all(g is None for g in results):
        warn_of_nones(ys, xs, tensors_in(ys, "ys"), sources)
    return fill_unconnected(results, sources, unconnected_gradients)


def fill_unconnected(
    found: list[Tensor | None], sources: Sequence[Tensor], unconnected_gradients: str
) -> list[Tensor | None]:
    """The gradients that were found, with zeros for None where that is asked for."""
    if unconnected_gradients == UnconnectedGradients.ZERO:
        return [Tensor(np.zeros_like(s.value)) if g is None else g for s, g in zip(sources, found)]
    if unconnected_gradients != UnconnectedGradients.NONE:
        raise ValueError(f"unconnected_gradients is 'none' or 'zero', got {unconnected_gradients!r}")
    return found


def tensors_in(x: Any, name: str) -> list[Tensor]:
    found = list(x) if isinstance(x, (list, tuple)) else [x]
    for i, item in enumerate(found):
        if not isinstance(item, Tensor):
            place = f"{name}[{i}]" if isinstance(x, (list, tuple)) else name
            raise TypeError(
                f"{place} must be a Tensor, got {item!r:.60} of type {type(item).__name__}; "
                f"make it one with constant(...) before it is used"
            )
    return found


def upstreams_of(targets: Sequence[Tensor], grad_ys: Any, name: str = "grad_ys", target: str = "ys") -> list[Tensor]:
    """The given upstream gradients, one of the shape and dtype of each target; ones where None is given."""
    given = [None] * len(targets) if grad_ys is None else flatten(grad_ys)
    if len(given) != len(targets):
        raise ValueError(
            f"{name} has {len(given)} entries for {len(targets)} {target}: give one each, or None for ones"
        )
    upstreams = []
    for i, (y, g) in enumerate(zip(targets, given)):
        adopted = np.ones_like(y.value) if g is None else adopt(g, y.dtype)
        upstream = adopted.read_value() if isinstance(adopted, Tensor) else Tensor(adopted)
        if upstream.shape != y.shape:
            raise ValueError(f"{name}[{i}] has shape {upstream.shape}, but {target}[{i}] has shape {y.shape}")
        if upstream.dtype != y.dtype:
            raise TypeError(f"{name}[{i}] has dtype {upstream.dtype}, but {target}[{i}] has dtype {y.dtype}")
        upstreams.append(upstream)
    return upstreams
