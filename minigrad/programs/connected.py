"""A call of a compiled function as a node of the graph, with the compiled backward pass as its rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backward import pull
from ..call import as_leaf, emit, ignoring, outputs_in
from ..node import Op
from ..ops.elementwise import identity
from ..structure import flatten, rebuild
from ..tensor import Tensor
from ..variable import Variable
from ..words import name_of
from .recorded import Recorded


def connect(
    f: Callable[..., Any], program: Recorded, given: Any, leaves: Sequence[Any], values: Sequence[Any],
    residuals: Sequence[Any],
) -> list[Tensor]:  # fmt: skip
    """The outputs of a call of `f` as Tensors that are connected to the Tensors among its inputs.

    given : the arguments. leaves : the arrays and Tensors in them. values : the outputs, residuals beyond them.
    """
    inputs, outside = differentiable(leaves), differentiable(program.outside)

    def rule(upstream: Any, y: Any, *values: Any) -> list[Any]:
        upstreams = upstream if type(upstream) is list else [upstream]
        if not any(isinstance(u, Tensor) for u in upstreams) and not ignoring():
            assert program.pull is not None
            with np.errstate(all="ignore"):
                found = iter(program.pull(*residuals, *upstreams))
            return [next(found) if connected else None for connected in program.connected]
        if program.draws:
            raise TypeError(
                f"{name_of(f)} is compiled and draws random numbers, so it cannot be run again for a second derivative "
                f"or without its custom gradients; compile the derivative instead: compile(grad({name_of(f)}))"
            )
        return _again(f, given, inputs, outside, upstreams)

    outputs = [as_leaf(value) for value in values]
    like = outputs[0] if len(outputs) == 1 else [None] * len(outputs)
    made = emit(Op(name_of(f), f, joint=rule), like, outputs, [*inputs, *outside])
    return made if isinstance(made, list) else [made]


def differentiable(leaves: Sequence[Any]) -> list[Tensor]:
    """The Tensors of floats among leaves."""
    return [x for x in leaves if isinstance(x, Tensor) and x.dtype.kind == "f"]


def _again(f: Callable[..., Any], given: Any, inputs: list[Tensor], outside: list[Tensor], upstreams: Any) -> Any:
    """The gradients by way of the ops themselves; recorded, where the upstream gradients are Tensors."""
    recorded = any(isinstance(u, Tensor) for u in upstreams)
    upstreams = [as_leaf(u) if recorded and not isinstance(u, Tensor) else u for u in upstreams]
    copies = {id(x): x if isinstance(x, Variable) else identity(x) for x in inputs}
    args, kwargs = rebuild(given, [copies.get(id(x), x) for x in flatten(given)])
    outputs = [y for y in outputs_in(f(*args, **kwargs)) if y.dtype.kind == "f"]
    sources = [*(copies[id(x)] for x in inputs), *outside]
    return pull_once(outputs, upstreams, [x.read_value() for x in sources])


def pull_once(outputs: Sequence[Tensor], upstreams: Any, sources: Sequence[Tensor]) -> list[Any]:
    """The gradients of the sources; of one that is there twice it is the gradient once, and None."""
    found = dict(zip([x.birth for x in sources], pull(outputs, upstreams, sources, {x.birth for x in sources})))
    return [found.pop(x.birth, None) for x in sources]
