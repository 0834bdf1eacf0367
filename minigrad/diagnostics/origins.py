"""Find the origins of nan and inf in a recorded backward pass, with their kinds and paths.

A nan originates in a message, or where the message is added, if neither the upstream gradient nor the sum so far is
nan. The trace contains the numbers at that point (the upstream gradient g, the slope and the values), which determine
the kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..core.op import OPS
from ..tracing.labels import Formulas
from ..tracing.numbers import is_zero, nonfinite, number_of, short
from ..tracing.trace_schema import BackwardTrace, Edge, Node, Num, Send, Step, Summary
from .op_names import PRIMITIVES, PRODUCTS, is_elementwise

MASKS = {"where", "select", "maximum", "minimum", "max", "min", "amax", "amin", "relu", "clip", "abs"}
DIVISIONS = {"divide", "true_divide", "truediv", "div"}
#: Ops that are infinite at some finite numbers, and ops that are infinite at an argument of 0.
POLES = {"log", "log2", "log10", "log1p", "xlogy", "xlog1py", "logit", "gammaln", "digamma", "polygamma", "arctanh",
         "tan", "slogdet", "logdet"}  # fmt: skip
POLES_AT_0 = {*DIVISIONS, "floor_divide", "divmod", "power", "reciprocal", "rsqrt", "float_power"}
CURE = ". Make the argument"  #: the start of the advice in the sentence about a masked branch
SUMS = {"add", "sum", "cumsum", "trace"}  #: ops whose slopes are 1 or 0, and whose messages only add
EITHER = "0 * inf or inf - inf"  #: the kind of a nan in a sum of products; the trace has no single products
ZERO = np.logical_not
MOST = 100  #: the maximum number of origins that are reported
LARGEST = {"float16": "65504", "float32": "3.4e38", "float64": "1.8e308"}


@dataclass(frozen=True)
class NanOrigin:
    """A message where a nan or inf first appears in a backward pass.

    kind: "0 * inf", "inf - inf", "0 * inf or inf - inf", "0 / 0", "domain", "overflow", "masked branch" or
        "custom rule".
    reason: the cause in words; sentence: the message, then the cause.
    paths: for each leaf that the nan or inf reaches, the nodes from the sender to the leaf.
    """

    word: str
    kind: str
    step: int
    edge: int
    node: int
    to: int
    reason: str
    sentence: str
    paths: tuple[tuple[int, ...], ...]
    ghost: bool = False


def nan_origins(
    trace: BackwardTrace, steps: Sequence[Step] | None = None, ghost: bool = False
) -> tuple[NanOrigin, ...]:
    """Return the first hundred origins of nan and inf in `steps` (default: the steps of the trace), in order.

    ghost : whether the steps belong to a derived pass that a custom rule replaced.
    """
    steps = trace.steps if steps is None else steps
    origins: list[NanOrigin] = []
    tables = None
    for step in steps:
        for send in step.sends:
            if send.event in ("nan-born", "inf-born"):
                word = send.event.partition("-")[0]
                if len(origins) == MOST:
                    return tuple(origins)
                tables = tables or _Known(trace)
                case = _Case(tables, steps, step, send)
                kind, reason = case.verdict(word)
                paths, sentence = case.paths(), f"{case.message()}: {reason}"
                origins.append(
                    NanOrigin(word, kind, step.i, send.edge, step.node, send.to, reason, sentence, paths, ghost)
                )
    return tuple(origins)


class _Known:
    """Tables for looking up nodes, edges and formulas of a trace, shared by all its origins."""

    def __init__(self, trace: BackwardTrace) -> None:
        self.nodes = {node.id: node for node in trace.nodes}
        self.edges = {edge.id: edge for edge in trace.edges}
        self.formulas = Formulas(trace)
        self._arguments: dict[int, list[Node]] = {}
        for edge in trace.edges:
            self._arguments.setdefault(edge.dst, []).append(self.nodes[edge.src])

    def arguments(self, node: int) -> list[Node]:
        return self._arguments.get(node, [])


class _Case:
    """One origin of a nan or inf: the step of the pass, the message, and the node that sent it, with its arguments."""

    def __init__(self, tables: _Known, steps: Sequence[Step], step: Step, send: Send) -> None:
        self.tables, self.steps, self.step, self.send = tables, steps, step, send
        self.nodes, self.formulas, self.name = tables.nodes, tables.formulas, tables.formulas.name
        self.sender: Node = tables.nodes[step.node]
        self.edge: Edge = tables.edges[send.edge]
        self.arguments = tables.arguments(step.node)

    def message(self) -> str:
        """Return the message in words, with its two factors if they are known."""
        factors = ""
        if self.edge.local_value is not None and not self.step.rule.startswith("custom:"):
            factors = f"{short(self.step.g)} · {short(self.edge.local_value)} = "
        return f"{self.name[self.sender.id]} sends {factors}{short(self.send.value)} to {self.name[self.send.to]}"

    def verdict(self, word: str) -> tuple[str, str]:
        """Return the kind of this origin, such as "0 * inf", and the reason in words; `word` is "nan" or "inf"."""
        send = self.send
        who, to = self.name[self.sender.id], self.name[send.to]
        sum_of = f"{short(send.before)} + {short(send.value)}"
        if word == "nan" and nonfinite(send.value) != "nan":
            return "inf - inf", f"at {to}, {sum_of} is nan: two infinities of opposite sign meet"
        if nonfinite(send.value) is None:
            return "overflow", f"at {to}, the sum {sum_of} is {beyond(send.after, self.nodes[send.to])}"
        if self.step.rule.startswith("custom:"):
            rule = self.step.rule.partition(":")[2]
            return "custom rule", f"the custom rule {rule} of {who} returned {word} for {to}"
        return self._nan(who) if word == "nan" else self._inf()

    def _nan(self, who: str) -> tuple[str, str]:
        g, local = self.step.g, self.edge.local_value
        factor = self._factor() if local is None else local
        near = [node.value for node in (self.sender, *self.arguments)] if factor is None else [factor]
        infinite = "inf" in map(nonfinite, near)
        slope = f"the slope{self._formula()} is"
        one = local is not None or factor is None  # the message is no sum of products with `factor`
        if infinite and (self._paired(ZERO, np.isinf) if local is None else meet(g, local, is_zero, _is_inf)):
            product = f"the upstream gradient is 0, {slope} {self._slope_here()}"
            mask = self._mask()
            if mask is None:
                return "0 * inf", product + self._source_of_inf()
            chooser = self.name[mask]
            cure = f"{CURE} of {who} safe before {chooser} selects"
            return "masked branch", f"{product}. It is 0 because {chooser} selected the other side{cure}"
        if nonfinite(g) == "inf" and local is not None and meet(local, g, is_zero, _is_inf):
            return "0 * inf", f"the upstream gradient is inf, {slope} 0"
        if (nonfinite(g) == "inf" or (infinite and not one)) and not any(nonfinite(v) == "nan" for v in near):
            alike = _shape(self.sender) == _shape(self.nodes[self.send.to])
            pairs = self.sender.op in ("max", "min")  # in JAX these ops compare two arrays element by element
            if self.sender.op == "prod" or (alike and (pairs or is_elementwise(self.sender.op))):
                # Each element of the message is one product.
                return "0 * inf", f"the upstream gradient is inf, and its product with the slope of {who} is nan"
            by_zero = self._paired(np.isinf, ZERO)
            if by_zero:
                return "0 * inf", f"the upstream gradient is inf, and {who} multiplies it by 0"
            if by_zero is False or (factor is not None and not is_zero(factor) and not infinite):
                return "inf - inf", "in the sum of its products with the upstream gradient, inf and -inf meet"
            some = "in the sum of its products with the upstream gradient"
            return EITHER, f"{some}, inf is multiplied by 0, or inf and -inf meet"
        values = [argument.value for argument in self.arguments]
        if self.sender.op in DIVISIONS and len(values) > 1 and is_zero(values[0]) and is_zero(values[1]):
            return "0 / 0", f"{who} divides 0 by 0, which has no slope"
        if factor is not None and nonfinite(factor) is nonfinite(g) is None:
            dtype = self.nodes[self.send.to].dtype
            return "overflow", f"some products are too large for {dtype}, and inf and -inf among them are added"
        lost = first_bad(self.send.value, "nan")
        if local is None and is_elementwise(self.sender.op) and is_zero(at_element(g, lost)):
            return "0 * inf", f"it is nan where the upstream gradient is 0: the slope of {who} is not finite there"
        element = first_bad(local, "nan")
        at = ", ".join(
            f"{self.name[a.id]} = {short(at_element(a.value, element))}" if a.kind != "const" else short(a.value)
            for a in self.arguments
        )
        begins = nonfinite(self.sender.value) == "nan" and all(nonfinite(a.value) != "nan" for a in self.arguments)
        outside = f", outside the domain of {self.sender.op}" if begins else ""
        spoilt = begins or "nan" in map(nonfinite, near)
        return "domain", f"{slope if spoilt else f'the message of {who} is'} nan at {at}{outside}"

    def _factor(self) -> Num | None:
        """Return the other factor of the products with the upstream gradient in this message, if it is known."""
        op, others = PRIMITIVES.get(self.sender.op, self.sender.op), len(self.arguments)
        if op in SUMS or (op == "linear" and self.edge.arg == 2):
            return 1.0
        if (op in PRODUCTS or op == "multiply") and self.edge.arg < 2 <= others and (others == 2 or op == "linear"):
            return self.arguments[1 - self.edge.arg].value
        return None

    def _paired(self, of: Callable[[Any], Any], with_: Callable[[Any], Any]) -> bool | None:
        """Return whether this message multiplies an element of g that passes the test `of` by one that passes `with_`.

        None if the trace does not contain all elements, or the op is not known.
        """
        factor = self._factor()
        a, b = whole(self.step.g), None if factor is None else whole(factor)
        if a is None or b is None:
            return None
        if not of(a).any() or not with_(b).any():
            return False
        op, first = PRIMITIVES.get(self.sender.op, self.sender.op), self.edge.arg == 0
        if op in SUMS or op == "multiply":
            return bool((of(a) & with_(b)).any())
        second = self.arguments[1].shape
        if op not in ("matmul", "linear") or len(second) > 2 or not a.size:
            return None
        columns = first and op == "matmul"  # linear multiplies by the transpose
        width = 1 if len(second) < 2 else second[-1 if op == "matmul" else 0]
        other = b.reshape(-1, width if columns else self.arguments[0].shape[-1])
        added = of(a.reshape(-1, width)).any(0 if first else 1)
        return bool((added & with_(other).any(0 if columns else 1)).any())

    def _inf(self) -> tuple[str, str]:
        g, local = self.step.g, self.edge.local_value
        if nonfinite(local) == "inf":
            sound = not any(nonfinite(a.value) or is_zero(a.value) for a in self.arguments)
            pole = infinity(self.sender, self.arguments)[0] == "domain"
            if sound and not pole and nonfinite(self.sender.value) == "inf":
                slope = f"the slope{self._formula()} is {self._slope_here()}"
                return "overflow", slope + self._source_of_inf()
            at = ", ".join(short(argument.value) for argument in self.arguments)
            return "domain", f"at {at} the slope of {self.sender.op} is infinite"
        product = "a product" if local is None else f"{short(g)} · {short(local)}"
        return "overflow", f"{product} is {beyond(self.send.value, self.nodes[self.send.to])}"

    def _slope_here(self) -> str:
        local = self.edge.local_value
        return local if isinstance(local, str) else "inf"

    def _formula(self) -> str:
        """Return the slope's formula as text to put after "the slope", such as " 1 / x" or " (the value of y)"."""
        formula = self.formulas.of(self.edge)
        return f" (the value of {formula})" if formula in self.name.values() else f" {formula}" if formula else ""

    def _source_of_inf(self) -> str:
        """Return a sentence about the node that first computed the inf in the forward pass, or "" if there is none."""
        node, before = self.sender, self.tables.arguments(self.sender.id)
        while worse := [n for n in before if nonfinite(n.value)]:
            node, before = worse[0], self.tables.arguments(worse[0].id)
        if nonfinite(node.value) != "inf" or not before:
            return ""
        what = node.value if isinstance(node.value, str) else "inf"
        return f". The {what} is the value of {self.name[node.id]}: {infinity(node, before)[1]}"

    def _mask(self) -> int | None:
        """Return the id of the op (where, maximum, ...) that masked the sender by sending 0 towards it, or None."""
        zeros = {self.sender.id}
        for step in reversed([s for s in self.steps if s.i < self.step.i]):
            for send in step.sends:
                if send.to in zeros and is_zero(send.value):
                    if self.nodes[step.node].op in MASKS:
                        return step.node
                    if is_zero(step.g):
                        zeros.add(step.node)
        return None

    def paths(self) -> tuple[tuple[int, ...], ...]:
        """Return the paths of nonfinite messages from the sender to the leaves."""
        way: dict[int, tuple[int, ...]] = {self.send.to: (self.sender.id, self.send.to)}
        for step in self.steps:
            if step.node in way and step.i > self.step.i:
                for send in step.sends:
                    if nonfinite(send.value) and send.to not in way:
                        way[send.to] = (*way[step.node], send.to)
        return tuple(path for end, path in way.items() if self.nodes[end].kind == "leaf")


def _shape(node: Node) -> Any:
    return getattr(node.value, "shape", ())


def whole(value: Num) -> Any:
    """Return a recorded value as an array if the trace contains all its elements, else None."""
    if not isinstance(value, Summary):
        return np.float64(value)
    complete = len(value.sample) == prod(value.shape)
    return np.array([float(v) for v in value.sample]).reshape(value.shape) if complete else None


def _is_inf(value: Num | None) -> bool:
    return nonfinite(value) == "inf"


def meet(a: Num, b: Num | None, first: Callable[[Num], bool], second: Callable[[Num | None], bool]) -> bool:
    """Return whether an element of `a` that passes the test `first` is paired with one of `b` that passes `second`.

    If the trace does not contain all elements, the tests are applied to the arrays as a whole.
    """
    if isinstance(a, Summary) and isinstance(b, Summary) and a.shape == b.shape and len(a.sample) == prod(a.shape):
        return any(first(x) and second(y) for x, y in zip(a.sample, b.sample))
    return first(a) and (b is None or second(b))


def first_bad(value: Num | None, word: str) -> int | None:
    """Return the index of the first recorded element that is `word`, or None if there is none."""
    sample = value.sample if isinstance(value, Summary) else ()
    return next((i for i, element in enumerate(sample) if nonfinite(element) == word), None)


def at_element(value: Num, element: int | None) -> Num:
    """Return an element of an array; a single number is returned unchanged."""
    if isinstance(value, Summary) and element is not None and element < len(value.sample):
        return value.sample[element]
    return value


def infinity(node: Node, arguments: Sequence[Node]) -> tuple[str, str]:
    """Return the kind ("overflow" or "domain") of an inf that was computed from finite arguments, and the reason."""
    element, op = first_bad(node.value, "inf"), OPS.get(node.op)
    value, numbers = at_element(node.value, element), [at_element(a.value, element) for a in arguments]
    call = f"{node.op}({', '.join(short(number) for number in numbers)})"
    paired = is_elementwise(node.op) or all(prod(a.shape) == 1 for a in arguments)
    if not paired:
        shapes = " and ".join(f"shape {a.shape}" for a in arguments)
        call = f"{node.op} of {'arrays' if len(arguments) > 1 else 'an array'} of {shapes}"
    if op is None and node.op not in DIVISIONS:  # a framework's op, unknown to minigrad
        return "domain", f"{call} is {short(value)}"
    if node.op in POLES or (node.op in POLES_AT_0 and any(number_of(number) == 0 for number in numbers)):
        return "domain", f"{call} is {short(value)}"
    return "overflow", f"{call} is {beyond(value, node)}"


def beyond(value: Num, node: Node) -> str:
    """Describe how a number exceeds the dtype of a node, as in "larger than 3.4e38, the largest float32"."""
    dtype = node.value.dtype if isinstance(node.value, Summary) else node.dtype
    most = f"{LARGEST[dtype]}, " if dtype in LARGEST else ""
    if value == "-inf":
        return f"below {'-' * bool(most)}{most}the lowest {dtype}"
    return f"larger than {most}the largest {dtype}"
