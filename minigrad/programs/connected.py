"""A call of a compiled function as a node of the graph, with the compiled backward pass as its rule."""

from __future__ import annotations

import functools
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
from .reasons import agree
from .recorded import Recorded


class Call:
    """A call of a compiled function: its rule, the rule of its rule, and so on.

    given : the arguments. leaves : the arrays and Tensors in them. values : the connected outputs; residuals : what the
    compiled backward pass needs besides the upstream gradients.
    """

    def __init__(
        self, f: Callable[..., Any], program: Recorded, given: Any, leaves: Sequence[Any], values: Sequence[Any],
        residuals: Sequence[Any],
    ) -> None:  # fmt: skip
        self.f, self.program, self.given, self.residuals = f, program, given, residuals
        self.inputs, self.outside = differentiable(leaves), differentiable(program.outside)
        self.outputs = _emitted(name_of(f), f, self.rule, values, [*self.inputs, *self.outside])

    def rule(self, upstream: Any, y: Any, *values: Any) -> list[Any]:
        """The gradients of the inputs, by the compiled backward pass."""
        upstreams = upstream if type(upstream) is list else [upstream]
        if ignoring():
            return self._plainly(upstreams)[0]
        assert self.program.pull is not None
        with np.errstate(all="ignore"):
            raw = self.program.pull(*self.residuals, *(u.value if isinstance(u, Tensor) else u for u in upstreams))
        if any(isinstance(u, Tensor) for u in upstreams):
            tensors = [u if isinstance(u, Tensor) else as_leaf(u) for u in upstreams]
            rule = functools.partial(self._second, tensors, raw)
            operands = [*tensors, *self.inputs, *self.outside]
            raw = _emitted(f"gradient of {name_of(self.f)}", self.f, rule, raw, operands) if raw else []
        found = iter(raw)
        return [next(found) if connected else None for connected in self.program.connected]

    def _second(
        self, upstreams: list[Tensor], answers: Sequence[Any], upstream: Any, y: Any, *values: Any
    ) -> list[Any]:
        """The gradients of the gradients: these are computed once more, by way of the ops themselves."""
        copies = [identity(u) for u in upstreams]
        found, sources = self._plainly(copies)
        gradients = [g for g in found if g is not None]
        if len(gradients) != len(answers) or not all(agree(g.value, a) for g, a in zip(gradients, answers)):
            raise RuntimeError(
                f"what {name_of(self.f)} reads has changed since it was called, so that its gradient cannot be "
                f"differentiated; ask before the change, or compile the derivative: compile(grad({name_of(self.f)}))"
            )
        seeds = upstream if type(upstream) is list else [upstream]
        return pull_once(gradients, seeds, [*copies, *sources])

    def _plainly(self, upstreams: Sequence[Any]) -> tuple[list[Any], list[Tensor]]:
        """The gradients without the program, recorded if the upstream gradients are Tensors; and their sources."""
        if self.program.draws:
            raise TypeError(
                f"{name_of(self.f)} is compiled and draws random numbers, so it cannot be run again for a second "
                f"derivative or without its custom gradients; compile the derivative instead: "
                f"compile(grad({name_of(self.f)}))"
            )
        copies: dict[int, list[Tensor]] = {id(x): [] for x in self.inputs}
        leaves = flatten(self.given)  # in another order than the inputs
        for i, x in enumerate(leaves):
            if id(x) in copies:
                leaves[i] = x if isinstance(x, Variable) else identity(x)
                copies[id(x)].append(leaves[i])
        args, kwargs = rebuild(self.given, leaves)
        outputs = [y for y in outputs_in(self.f(*args, **kwargs)) if y.dtype.kind == "f"]
        sources = [x.read_value() for x in (*(copies[id(x)].pop(0) for x in self.inputs), *self.outside)]
        return pull_once(outputs, upstreams, sources), sources


def _emitted(name: str, f: Any, rule: Any, values: Sequence[Any], operands: Sequence[Tensor]) -> list[Tensor]:
    """Tensors that hold the values, made by one op with this rule."""
    outputs = [as_leaf(value) for value in values]
    made = emit(Op(name, f, joint=rule), outputs[0] if len(outputs) == 1 else [None] * len(outputs), outputs, operands)
    return made if isinstance(made, list) else [made]


def differentiable(leaves: Sequence[Any]) -> list[Tensor]:
    """The Tensors of floats among leaves."""
    return [x for x in leaves if isinstance(x, Tensor) and x.dtype.kind == "f"]


def pull_once(outputs: Sequence[Tensor], upstreams: Any, sources: Sequence[Tensor]) -> list[Any]:
    """The gradients of the sources; of one that is there twice it is the gradient once, and None."""
    found = dict(zip([x.birth for x in sources], pull(outputs, upstreams, sources, {x.birth for x in sources})))
    return [found.pop(x.birth, None) for x in sources]
