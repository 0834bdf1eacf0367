"""Write recorded Tensors as a fragment of plain data; the package's docstring describes the format."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.custom import CustomCall
from ..core.op import COPY, OPS, PICK, as_leaf
from ..core.support.conversions import followers
from ..core.support.structure import flatten
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from .as_json import NotData, to_data

Fragment = dict[str, Any]
Known = dict[int, int]  # the numbers of nodes, by the serials of their Tensors


class Unwritable(ValueError):
    """Raised for a graph that cannot be written as data; the message gives the reason."""


def write(params: Sequence[Tensor], outputs: Sequence[Tensor | None], order: int = 2, seed: int = 0) -> Fragment:
    """Return the graph from `params` to `outputs` as data.

    params : the inputs. If an input is a Variable, each read of the Variable is written as this input.
    order : how many times the data will be differentiated. For order 1, the rules of custom gradients are written; for
        order 2, also the rules inside these rules, and so on. Deeper rules are left out. If a rule raises an error,
        the error is written instead.
    seed : the seed for the random upstream gradients that are passed to a rule to record it.

    Two recordings of the same function give the same data, even if its Variables were read before.

    Raises Unwritable if the graph has an op that minigrad does not know and whose function cannot run on Tensors.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> write([x], [x * x])["nodes"]
    [[1, 'op', 'multiply', [{'node': 0}, {'node': 0}], {}]]
    """
    try:
        return _Writer(order, np.random.default_rng(seed)).fragment(params, outputs, {}, 0)[0]
    except NotData as error:
        raise Unwritable(str(error)) from None


class _Writer:
    def __init__(self, order: int, rng: Any) -> None:
        self.order, self.rng, self.count = order, rng, 0

    def number(self, node: Tensor, numbers: Known) -> int:
        numbers[node.serial] = self.count
        self.count += 1
        return numbers[node.serial]

    def fragment(
        self, params: Sequence[Tensor], outputs: Sequence[Tensor | None], numbers: Known, depth: int
    ) -> tuple[Fragment, Known]:
        """Return the fragment that computes `outputs`, and the numbers of all nodes known at its end.

        numbers : the nodes known at its start. The fragment may refer to these nodes and to `params`.
        """
        numbers = dict(numbers)
        parameters = [self.number(p, numbers) for p in params]
        results = [o if o is None else o.read_value() for o in outputs]
        nodes = []
        for node in _arguments_first([o for o in results if o is not None], numbers):
            if node.op is READ and node.args[0].serial in numbers:
                numbers[node.serial] = numbers[node.args[0].serial]
            elif node.serial not in numbers:
                nodes.append(self.node(node, numbers, depth))
        out = [o if o is None else numbers[o.serial] for o in results]
        return {"params": parameters, "nodes": nodes, "out": out}, numbers

    def node(self, t: Tensor, numbers: Known, depth: int) -> list[Any]:
        op: Any = t.op
        if op is None:
            return [self.number(t, numbers), "constant", to_data(t.value)]
        if op is READ:
            v = t.args[0]
            return [self.number(t, numbers), "variable", v.name, bool(v.trainable), to_data(t.value)]
        if op is PICK:
            return [self.number(t, numbers), "output", numbers[t.args[0].serial], int(t.args[1])]
        if op is COPY or OPS.get(op.name) is op:
            options = {k: _argument(v, numbers) for k, v in (t.kwargs or {}).items()}
            args = [_argument(a, numbers) for a in t.args]
            return [self.number(t, numbers), "op", t.op.name, args, options]
        return self.call(t, op, numbers, depth) if isinstance(op, CustomCall) else self.other(t, op, numbers, depth)

    def call(self, t: Tensor, op: CustomCall, numbers: Known, depth: int) -> list[Any]:
        """Return the node for a call to a function with a custom gradient."""
        differentiated = [isinstance(x, Tensor) for x in op.inputs]
        copies = [c.read_value() for c, is_tensor in zip(op.body_inputs, differentiated) if is_tensor]
        differentiated += [True] * len(op.variables)
        rule = lambda upstreams: [g for g, is_in in zip(op.call_grad_fn(upstreams), differentiated) if is_in]
        operands = [a for a, is_in in zip(t.args, differentiated[: len(op.inputs)]) if is_in]
        return self.custom(t, op.name, operands, copies, op.body_outputs, rule, numbers, depth)

    def other(self, t: Tensor, op: Any, numbers: Known, depth: int) -> list[Any]:
        """Return the node for a user's op, or for an op with a different rule, by running its function again."""
        # The function runs on copies of the arguments, so the recorded body ends at the arguments.
        copies = [COPY.call(a) if isinstance(a, Tensor) else a for a in t.args]
        same = OPS.get(op.name)
        y = (same.call if same is not None and same.fn is op.fn else op.fn)(*copies, **(t.kwargs or {}))
        ys = flatten(y) if isinstance(y, (tuple, list)) else [y]
        if not all(isinstance(y, Tensor) for y in ys):
            raise Unwritable(f"{op.name} is not an op of minigrad, and its function cannot run on Tensors")
        tensors = [i for i, a in enumerate(copies) if isinstance(a, Tensor)]

        def rule(upstreams: list[Tensor]) -> list[Any]:
            if op.vjps is not None:
                return [op.vjps[i](upstreams[0], ys[0], *copies, **(t.kwargs or {})) for i in tensors]
            upstream, result = (upstreams, tuple(ys)) if len(ys) > 1 else (upstreams[0], ys[0])
            gradients = op.vjp_all(upstream, result, *copies, **(t.kwargs or {}))
            return [gradients[i] for i in tensors]

        operands, inner = [t.args[i] for i in tensors], [copies[i] for i in tensors]
        return self.custom(t, op.name, operands, inner, ys, rule, numbers, depth)

    def custom(
        self, t: Tensor, name: str, operands: Any, copies: Any, outputs: Any, rule: Any, numbers: Known, depth: int
    ) -> list[Any]:
        given_numbers = [numbers[a.serial] for a in operands]
        body, inside = self.fragment(copies, outputs, numbers, depth)
        written: Any = None
        if depth < self.order:
            upstreams = [as_leaf(self.rng.normal(size=o.shape).astype(o.dtype)[()]) for o in outputs]
            passes = _Passes()
            followers.append(passes)
            try:
                written, _ = self.fragment(upstreams, rule(upstreams), inside, depth + 1)
                written |= {"by_gradients": True} if passes.started else {}
            except (NotImplementedError, NotData, Unwritable):
                raise
            except Exception as error:  # the value may still be right, so the error is raised only when the rule runs
                written = {"raises": f"{type(error).__name__}: {error}"[:600]}
            finally:
                followers.remove(passes)
        return [self.number(t, numbers), "custom", str(name), given_numbers, type(t.value) is tuple, body, written]


class _Passes:
    """A gradient tracker that follows no Tensor; `started` becomes true when any backward pass begins."""

    since, started = math.inf, False

    def begin(self, upstreams: Any) -> None:
        self.started = True

    def follows(self, tensor: Any) -> bool:
        return False

    def check_conversion(self, tensor: Any, kind: str) -> None:
        pass


def _argument(x: Any, numbers: Known) -> Any:
    """Return an argument or option as data; a tuple, such as an index, may contain Tensors."""
    if isinstance(x, Tensor):
        return {"node": numbers[x.serial]}
    return {"tuple": [_argument(item, numbers) for item in x]} if type(x) is tuple else to_data(x)


def _tensors(args: Iterable[Any]) -> Iterator[Tensor]:
    """Yield the Tensors among the arguments, including those inside tuples."""
    for a in args:
        if isinstance(a, Tensor):
            yield a
        elif type(a) is tuple:
            yield from _tensors(a)


def _arguments_first(outputs: Sequence[Tensor], numbered: Collection[int]) -> list[Tensor]:
    """Return the nodes behind `outputs`, arguments first, in an order that depends on the graph but not on serials."""
    ordered: list[Tensor] = []
    visited = set(numbered)
    stack = [(output, False) for output in reversed(outputs)]
    while stack:
        node, ready = stack.pop()
        if ready:
            ordered.append(node)
        elif node.serial not in visited and not isinstance(node, Variable):
            visited.add(node.serial)
            stack.append((node, True))
            above = [*_tensors(node.args), *_tensors((node.kwargs or {}).values())]
            stack.extend((a, False) for a in reversed(above))
    return ordered
