"""`pullback`: a backward pass from targets to sources, which is a vector-Jacobian product (VJP)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from threading import get_ident
from typing import Any

import numpy as np

from .backward import Pass, backward, start
from .callers import caller_frame, warn
from .following import begin, ignored
from .op import COPY, record
from .tensor import Tensor, followers
from .types import Upstream

#: Functions that run a pass in place of `backward`; the last one is used. The writer of a program notes passes by one.
passes: list[Callable[..., dict[int, Any]]] = []


def pullback(
    targets: Sequence[Tensor],
    upstreams: Sequence[Upstream],
    sources: Sequence[Tensor],
    cut: Collection[int] = (),
    unreached: Callable[[Tensor | str], None] | None = None,
    run: Callable[[Pass], dict[int, Any]] = backward,
) -> list[Any]:
    """Return the adjoint of each source, None if no target depends on it: raw values or Tensors, as the upstreams are.

    unreached : called if all are None, with the Tensor at which the connection ends or a target; or if all are 0
        because a recomputed function does not use its inputs, with a sentence about that.
    run : runs the pass, in place of `backward`.
    """
    if followers:
        begin(upstreams)
    outer = ignored.pop(get_ident(), None) if ignored and not cut else None  # a pass with cuts is part of another
    unreached = None if passes else unreached  # the run of the function itself gives the warning
    with np.errstate(all="ignore"):
        if passes:
            found = passes[-1](targets, upstreams, sources, cut)
        else:
            begun = start(targets, upstreams, sources, cut, unreached)
            del targets  # so that each node can be freed after its step
            found = run(begun)
    sentence = ignored.pop(get_ident(), None) if ignored and not cut else None
    values = [g.value if isinstance(g, Tensor) else g for g in found.values()] if sentence is not None else []
    if sentence is not None and not passes and not any(map(np.any, values)):
        unreached(sentence) if unreached is not None else warn(sentence, caller_frame())
    if outer is not None:
        ignored[get_ident()] = outer
    return [found.get(source.serial) for source in sources]


def unshared(gradients: Sequence[Any], lent: Sequence[Any]) -> list[Any]:
    """The gradients, copied where they share memory with each other or with the values in `lent`."""
    taken = {id(_memory(value)) for value in lent}
    own = []
    for g in gradients:
        value = g.value if isinstance(g, Tensor) else g
        if type(value) is np.ndarray:
            if id(_memory(value)) in taken:
                value = value.copy()
                g = record(COPY, value, (g,)) if isinstance(g, Tensor) else value
            taken.add(id(_memory(value)))
        own.append(g)
    return own


def _memory(value: Any) -> Any:
    """The array that owns the memory of an array."""
    while getattr(value, "base", None) is not None:
        value = value.base
    return value
