"""A table of expressions that lose a value or a gradient, with equal expressions that keep it.

In a row `left -> right`, the left side is searched for in the recorded graph, and the right side is both computed and
printed. A letter stands for any expression, except that w must be positive for all inputs, and o must be 0 somewhere.
`**k` stands for the options of the call, and N for the number of elements that the call reduces. A row with `~>` means
that the right side is also defined for other numbers. No row is trusted: each rewrite is checked on the graph.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input, replay
from .domains import op_of, suspects, value_of
from .other_points import Bench

#: Both terms of a binary cross entropy of labels a and logits x, with either sign.
_CROSS = "a * log(sigmoid(x)) + (1 - a) * log(1 - sigmoid(x))"
_MINUS = "-a * log(sigmoid(x)) - (1 - a) * log(1 - sigmoid(x))"

TABLE = f"""
-mean({_CROSS}, **k) -> mean(sigmoid_cross_entropy(x, a), **k)
-sum({_CROSS}, **k) -> sum(sigmoid_cross_entropy(x, a), **k)
mean(-({_CROSS}), **k) -> mean(sigmoid_cross_entropy(x, a), **k)
-({_CROSS}) -> sigmoid_cross_entropy(x, a)
{_MINUS} -> sigmoid_cross_entropy(x, a)
{_CROSS} -> a * x - softplus(x)
log(sigmoid(x)) -> log_sigmoid(x)
log(1 - sigmoid(x)) -> log_sigmoid(-x)
log(where(c, sigmoid(x), 1 - sigmoid(x))) -> log_sigmoid(where(c, x, -x))
log(sigmoid(x) / (1 - sigmoid(x))) -> x
exp(x) / (1 + exp(x)) ** 2 -> sigmoid(x) * sigmoid(-x)
exp(x) / (1 + exp(x)) -> sigmoid(x)
1 / (1 + exp(-x)) -> sigmoid(x)
1 / (1 + exp(x)) -> sigmoid(-x)
a * exp(x) / (1 + exp(x)) -> a * sigmoid(x)
exp(x) / (exp(x) + exp(z)) -> sigmoid(x - z)
a / (1 + exp(-x)) -> a * sigmoid(x)
log(1 + exp(x)) -> softplus(x)
log1p(exp(x)) -> softplus(x)
log(softmax(x, **k)) -> log_softmax(x, **k)
log(softmax(x, **k)[i]) -> log_softmax(x, **k)[i]
exp(x) / sum(exp(x), **k) -> softmax(x, **axis)
exp(x)[i] / sum(exp(x), **k) -> softmax(x, **axis)[i]
log(exp(x) + exp(z)) -> logaddexp(x, z)
log(sum(exp(x), **k)) -> logsumexp(x, **k)
log(mean(exp(x), **k)) -> logsumexp(x, **k) - log(N)
log(sum(w * exp(x), **k)) -> logsumexp(x + log(w), **k)
log(sum(w * exp(x) / z, **k)) -> logsumexp(x + log(w) - log(z), **k)
log(a * exp(x)) -> x + log(a)
log(exp(x) / sum(exp(z), **k)) -> x - logsumexp(z, **k)
log(exp(x) / a) -> x - log(a)
log(exp(x)) -> x
(exp(x) - exp(-x)) / (exp(x) + exp(-x)) -> tanh(x)
(exp(x) - 1) / (exp(x) + 1) -> tanh(x / 2)
a / (exp(x) - 1) -> a * exp(-x) / -expm1(-x)
exp(x) / exp(z) -> exp(x - z)
log(1 - tanh(x) ** 2) -> 2 * (0.6931471805599453 - x - softplus(-2 * x))
arctanh(tanh(x)) -> x
log(exp(x) - exp(z)) -> x + log(-expm1(z - x))
log(exp(x) - 1) -> x + log(-expm1(-x))
log(expm1(x)) -> x + log(-expm1(-x))
log(1 - exp(x)) -> log(-expm1(x))
log(cosh(x)) -> logaddexp(x, -x) - 0.6931471805599453
1 / cosh(x) -> 2 * exp(-abs(x)) / (1 + exp(-2 * abs(x)))
a / (1 / x + z) -> a * x / (1 + x * z)
a / (z + 1 / x) -> a * x / (1 + x * z)
x * (log(x) - log(z)) -> xlogy(x, x) - xlogy(x, z)
a * log(x) -> xlogy(a, x)
x * log(x) -> x * log(where(x == 0, 1.0, x))
x * log(x / z) -> x * log(where(x == 0, 1.0, x / z))
x * (log(x) - log(z)) -> x * (log(where(x == 0, 1.0, x)) - log(z))
a * log2(x) -> xlogy(a, x) / 0.6931471805599453
x * log2(x) -> x * log2(where(x == 0, 1.0, x))
a * log10(x) -> xlogy(a, x) / 2.302585092994046
sqrt(var(x, **k)) -> std(x, **k)
sqrt(mean((x - mean(x)) ** 2, **k)) -> std(x, **k)
sqrt(mean(x ** 2, **k) - mean(x) ** 2) -> std(x, **k)
sqrt(sum(x ** 2, **k)) -> norm(x, **k)
sqrt(w * sum(x ** 2, **k)) -> sqrt(w) * norm(x, **k)
sqrt(sum(x ** 2, **k) / w) -> norm(x, **k) / sqrt(w)
sqrt(sum(x ** 2, **k)) ** 2 -> sum(x ** 2, **k)
norm(x, **k) ** 2 -> sum(x ** 2, **k)
sqrt(x ** 2 + z ** 2) -> hypot(x, z)
sqrt(x ** 2) -> abs(x)
x * rsqrt(x) -> sqrt(x)
x / sqrt(x) -> sqrt(x)
x * rsqrt(x) -> where(x == 0, 0.0, sqrt(where(x == 0, 1.0, x)))
x / sqrt(x) -> where(x == 0, 0.0, sqrt(where(x == 0, 1.0, x)))
sin(3.141592653589793 * x) / (3.141592653589793 * x) -> sinc(x)
sin(x) / x -> sinc(x / 3.141592653589793)
a * sin(x) / x -> a * sinc(x / 3.141592653589793)
log(det(x)) ~> slogdet(x)[1]
log(prod(x, **k)) ~> sum(log(abs(x)), **k)
log(cumprod(x, **k)) ~> cumsum(log(abs(x)), **k)
x ** 0.3333333333333333 ~> cbrt(x)
log(x ** a) ~> a * log(abs(x))
exp(x) - 1 -> expm1(x)
1 - exp(x) -> -expm1(x)
log(1 + x) -> log1p(x)
log(1 - x) -> log1p(-x)
1 - cos(x) -> 2 * sin(x / 2) ** 2
sqrt(1 + x) - 1 -> x / (sqrt(1 + x) + 1)
x ** o -> where(logical_and(x == 0, o == 0), 1.0, x) ** o
"""

#: A name in templates that differs from the op's own name -> the op's name.
NAMES = {"abs": "absolute"}
BINARY = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}


@dataclass
class Rewrite:
    """A plan to compute node `at` of the graph of `y` by `template`, with the values of its letters in `bound`.

    kind : "same", "continued", "masked", "limit", "end" or "usual".
    guard : the argument that is kept inside its domain, and its lowest and highest value; for a masked branch, the
        condition, None and the selected side.
    was : the left side of the row that the rewrite comes from.
    safe : an expression that moves x away from a hole; the letter f in the template is the node computed at this x.
    line : the expression that fills the hole, and a function that returns it with a quadratic term, or "".
    holds : for a convention, a phrase about where it is the same function or how much it differs, and its source.
    names : letter -> the name to assign its expression to, if the template needs a long expression several times.
    equal : the number of other points where the rewritten node was found to be equal.
    by_operands : whether only the values of the letters were varied, because the program loses its digits at all other
        inputs too.
    by_differences : whether the gradient was compared with slopes of the program's values, because the program's own
        gradient is finite at none of these points.
    made, now : after `apply`, the node that the template created, and a map from an old node's serial to the new node.
    """

    y: Tensor
    at: Tensor
    template: str
    bound: dict[str, Any]
    kind: str
    guard: tuple[Any, ...] = ()
    was: str = ""
    equal: int = 0
    by_operands: bool = False
    by_differences: bool = False
    now: Mapping[int, Tensor] = field(default_factory=dict)
    safe: str = ""
    line: tuple[str, Callable[[], str]] | None = None
    holds: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def made(self) -> Tensor:
        return self.now[self.at.serial]

    def apply(self) -> Tensor:
        """Replay the graph with the rewrite and return its result. An op raises if the template does not fit."""
        self.now = replay(self.y, instead={self.at.serial: self.compute})
        return self.now[self.y.serial]

    def compute(self, now: Mapping[int, Tensor]) -> Tensor:
        """Evaluate the template with the new nodes of the letters; `now` maps an old node's serial to its new node."""
        letters = {k: now.get(v.serial, v) if isinstance(v, Tensor) else v for k, v in self.bound.items()}
        if self.safe:
            moved = compute_template(self.safe, letters)
            letters["f"] = replay(self.at, instead={self.bound["x"].serial: lambda _: moved})[self.at.serial]
        return compute_template(self.template, letters)


def compute_template(template: str, letters: Mapping[str, Any]) -> Any:
    """Evaluate an expression of ops; `letters` maps each letter to its Tensor, number or option."""
    ops = {name: op.call for name, op in OPS.items()} | {short: OPS[name].call for short, name in NAMES.items()}
    return eval(template, ops, dict(letters))


def number(v: Any) -> float | None:
    """Return `v` as a float if it is a single constant number, else None."""
    if isinstance(v, Tensor) and v.op is None and v.shape == ():
        v = v.value
    if not isinstance(v, (int, float, np.generic, np.ndarray)) or np.ndim(v) or np.asarray(v).dtype.kind not in "fi":
        return None
    return float(v)


def same(a: Any, b: Any) -> bool:
    """Return whether two arguments are the same expression."""
    if a is b:
        return True
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return number(a) is not None and number(a) == number(b)
    alike = a.op is b.op and not is_input(a) and len(a.args) == len(b.args) and a.kwargs == b.kwargs
    return alike and all(map(same, a.args, b.args))


def options_of(node: Tensor, operands: int) -> dict[str, Any]:
    """Return the options of a node by name; the first `operands` arguments are its operands and are left out."""
    names = list(inspect.signature(node.op.call).parameters)[operands:] if node.args[operands:] else []
    return {**dict(zip(names, node.args[operands:])), **(node.kwargs or {})}


def readings(node: Tensor) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield each way to read a node: the name of an op, and its operands.

    For example, x * x is also a square, x ** 0.5 a root, x ** -1 a division, and a + b also b + a.
    """
    name, args = op_of(node), list(node.args)
    yield name, args
    n = number(args[1]) if name == "power" else None
    if n == 2 or (name == "multiply" and same(*args)):
        yield "square", args[:1]
    if n == 0.5:
        yield "sqrt", args[:1]
    if name == "reciprocal" or n == -1:
        yield "divide", [1, args[0]]
    if name in ("add", "multiply"):
        yield name, args[::-1]


def reads(v: Any, op: str) -> Sequence[Any] | None:
    """Return the operands if `v` can be read as the op `op`, such as [x] for x * x and "square", else None."""
    if not isinstance(v, Tensor) or is_input(v):
        return None
    return next((args for name, args in readings(v) if name == op), None)


#: Ops that add up products.
SUMS = {"sum", "mean", "dot", "vdot", "inner", "matmul"}


def is_sum(v: Any) -> bool:
    """Return whether `v` is a sum over elements, or is computed from one by adding, subtracting or selecting."""
    if op_of(v) in ("add", "subtract"):
        return any(map(is_sum, v.args))
    return op_of(v) in SUMS or (op_of(v) in ("getitem", "transpose", "reshape") and is_sum(v.args[0]))


def is_sum_of_squares(v: Any) -> bool:
    """Return whether `v` is a sum or mean of squares, or the product of a vector with itself."""
    if op_of(v) in ("sum", "mean"):
        return reads(v.args[0], "square") is not None
    return op_of(v) in SUMS and same(*v.args[:2])


def _positive(v: Any) -> bool:
    """Return whether `v` is positive for all inputs: a positive constant, or the result of an op like exp."""
    if isinstance(v, Tensor):
        return op_of(v) in ("exp", "sigmoid", "softmax", "softplus")
    return bool(np.all(np.asarray(v) > 0))


def _matches(pattern: ast.expr, v: Any, bound: dict[str, Any], inside: set[int]) -> bool:
    """Return whether `v` matches the pattern, the syntax tree of a row's left side.

    If it does, the values of the letters are added to `bound`, and the serials of the matched nodes to `inside`.
    """
    if isinstance(pattern, ast.Constant):
        n, constant = number(v), float(ast.literal_eval(pattern))
        return n is not None and abs(n - constant) < 1e-6
    if isinstance(pattern, ast.Name):
        if (pattern.id == "w" and not _positive(v)) or (pattern.id == "o" and value_of(v).all()):
            return False
        return same(bound.setdefault(pattern.id, v), v)
    if not isinstance(v, Tensor) or is_input(v):
        return False
    options = None
    if isinstance(pattern, ast.BinOp):
        name, want = BINARY[type(pattern.op)], [pattern.left, pattern.right]
    elif isinstance(pattern, ast.UnaryOp):
        name, want = "negative", [pattern.operand]
    elif isinstance(pattern, ast.Subscript):
        name, want = "getitem", [pattern.value, pattern.slice]
    else:
        assert isinstance(pattern, ast.Call) and isinstance(pattern.func, ast.Name)
        name, want, options = pattern.func.id, pattern.args, bool(pattern.keywords)
    if name == "power" and isinstance(want[1], ast.Constant) and want[1].value == 2:
        name, want = "square", want[:1]
    for op, args in readings(v):
        trial, touched = dict(bound), {v.serial}
        if op == name and all(_matches(p, a, trial, touched) for p, a in zip(want, args)):
            if options:
                trial["k"] = options_of(v, len(want))
                axis = trial["k"].get("axis")
                trial["axis"] = {} if axis is None and args[0].ndim == 1 else {"axis": axis}
                trial["N"] = float(args[0].size // max(v.size, 1))  # TensorFlow has no logarithm of an int
            bound.update(trial)
            inside |= touched
            return True
    return False


def _is_0_to_the_0(bound: Mapping[str, Any]) -> bool:
    """Return whether the values of the letters x and o are 0 at the same element, or the row has no letter o."""
    return "o" not in bound or bool(((value_of(bound["x"]) == 0) & (value_of(bound["o"]) == 0)).any())


def _is_labelled(right: str, bound: Mapping[str, Any]) -> bool:
    """Return False only if a row writes a sigmoid cross entropy for logits and labels of different shape or dtype."""
    if "sigmoid_cross_entropy" not in right:
        return True
    logits, labels = value_of(bound["x"]), value_of(bound["a"])
    return labels.shape == logits.shape and labels.dtype == logits.dtype


#: The rows of the table: the pattern of the left side, both sides as text, and the kind of the rewrite.
ROWS = [
    (ast.parse(left, mode="eval").body, left, right, {"-": "same", "~": "continued"}[mark])
    for left, mark, right in (re.split(" ([-~])> ", row) for row in TABLE.strip().splitlines())
]


def rewrites(y: Tensor, bench: Bench, reach: int = 8) -> Iterator[Rewrite]:
    """Yield the table's rewrites of expressions that contain a suspect, or a node at most `reach` ops before one."""
    near: set[int] = set()
    wave = [*suspects(y, bench.inputs), *bench.blamed]
    for _ in range(reach):
        near |= {node.serial for node in wave}
        wave = [a for node in wave for a in node.args if isinstance(a, Tensor) and a.serial not in near]
    nodes = [node for node in reversed(graph_of(y)) if not is_input(node) and not isinstance(node.value, tuple)]
    for pattern, left, right, kind in ROWS:
        for node in nodes:
            bound: dict[str, Any] = {}
            inside: set[int] = set()
            if (
                _matches(pattern, node, bound, inside)
                and inside & near
                and _is_0_to_the_0(bound)
                and _is_labelled(right, bound)
            ):
                yield Rewrite(y, node, right, bound, kind, was=left)
