"""Rules that only Python can try: texts with any op of minigrad, and the rule that a function has."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.core.custom import CustomGradient
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.diagnostics.finite_differences import Inputs
from minigrad.tracing.numbers import short
from minigrad.tracing.trace_fields import number

from ..model.measured_call import MeasuredCall, Seed
from .variables import content_of

BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b, ast.MatMult: lambda a, b: a @ b,
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b,
}  # fmt: skip
#: The functions that a rule may call, by their names in minigrad.
CALLED = frozenset({
    "abs", "absolute", "arccos", "arcsin", "arctan", "arctan2", "argmax", "broadcast_to", "cbrt", "ceil", "clip",
    "concat", "cos", "cosh", "cumsum", "diag", "dot", "erf", "exp", "exp2", "expand_dims", "expm1", "floor",
    "full_like", "hypot", "log", "log10", "log1p", "log2", "log_softmax", "logaddexp", "logsumexp", "matmul", "max",
    "maximum", "mean", "min", "minimum", "moveaxis", "multiply", "norm", "ones_like", "outer", "power", "prod",
    "reciprocal", "reduce_max", "reduce_mean", "reduce_min", "reduce_sum", "relu", "reshape", "rsqrt", "sigmoid",
    "sign", "sin", "sinh", "softmax", "softplus", "sqrt", "square", "squeeze", "stack", "std", "sum", "tan", "tanh",
    "tensordot", "trace", "transpose", "tril", "triu", "var", "where", "zeros_like",
})  # fmt: skip
LARGEST = 2000  #: maximum number of syntax nodes in a rule


class OpsRule:
    """A rule written with minigrad's ops, such as "upstream @ transpose(W)". Raises ValueError if it cannot be read.

    names : the names that the text may use, apart from functions. constants : name -> value of others. steps : name ->
    the text of local names. The attribute `used` has the names in the text.
    """

    def __init__(
        self, text: str, names: Sequence[str], constants: Mapping[str, Any], steps: Mapping[str, str] | None = None
    ) -> None:
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError("it is not an expression of Python") from None
        nodes = [*ast.walk(self.tree)]
        if len(nodes) > LARGEST:
            raise ValueError("it is too long")
        self.steps = steps or {}
        allowed = {*names, *constants, *self.steps}
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        inside = {id(n.value) for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
        self.used = [n.id for n in nodes if isinstance(n, ast.Name) and n.id in allowed]
        self.text, self.constants, self.names = text, constants, names
        for node in nodes:
            unknown = isinstance(node, ast.Name) and id(node) not in called and node.id not in allowed
            if isinstance(node, ast.Name) and unknown and (node.id != "mg" or id(node) not in inside):
                raise ValueError(f"there is no {node.id} here; the names are {', '.join([*names, *constants])}")

    def value(self, numbers: Mapping[str, Any]) -> Any:
        """Compute the rule. numbers : name -> its value, for the names of inputs, results and upstream gradients."""
        self.numbers: dict[str, Any] = {name: Tensor(np.asarray(value)[()]) for name, value in numbers.items()}
        result = self._of(self.tree)
        return result.value if isinstance(result, Tensor) else np.asarray(result, np.float64)

    def _of(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(bool() | int() | float() | None as value):
                return value
            case ast.Name(id):
                if id not in self.numbers and id in self.steps:
                    self.numbers[id] = self._of(ast.parse(self.steps[id], mode="eval").body)
                return self.numbers[id] if id in self.numbers else self.constants[id]
            case ast.UnaryOp(ast.USub(), a):
                return -self._of(a)
            case ast.UnaryOp(ast.UAdd(), a):
                return self._of(a)
            case ast.BinOp(a, op, b) if type(op) in BINARY:
                return self._binary(op, self._of(a), self._of(b))
            case ast.Compare(a, [op], [b]) if type(op) in BINARY:
                return self._binary(op, self._of(a), self._of(b))
            case ast.Tuple(parts) | ast.List(parts):
                return tuple(map(self._of, parts))
            case ast.Attribute(a, "T"):
                return mg.transpose(self._of(a))
            case ast.Attribute(a, "shape"):
                return self._of(a).shape
            case ast.Subscript(a, index):
                return self._of(a)[self._of(index)]
            case ast.Slice(first, last, step):
                return slice(*(None if part is None else self._of(part) for part in (first, last, step)))
            case ast.Call(f, arguments, keywords):
                return self._called(f, [self._of(a) for a in arguments], keywords)
        raise ValueError(f"{ast.unparse(node):.40} is beyond the rules that are tried here")

    def _binary(self, op: Any, a: Any, b: Any) -> Any:
        plain = [v for v in (a, b) if not isinstance(v, Tensor)]
        if isinstance(op, ast.Pow) and len(plain) == 2 and not all(abs(v) < 1e3 for v in plain):
            raise ValueError("a power of two large numbers is not computed")
        return BINARY[type(op)](a, b)

    def _called(self, f: ast.expr, arguments: list[Any], keywords: list[ast.keyword]) -> Any:
        match f:
            case ast.Name(name) | ast.Attribute(ast.Name("mg"), name) if name in CALLED:
                return getattr(mg, name)(*arguments, **{k.arg: self._of(k.value) for k in keywords if k.arg})
            case ast.Name(name) | ast.Attribute(_, name):
                raise ValueError(f"a rule cannot call {name}")
        raise ValueError("only functions of minigrad are called here")


class OwnRule:
    """The rule that a function has: its gradients, at any inputs. `used` is None because the rule is code.

    arguments : the arguments by name. variables : the Variables that the function reads, by name.
    """

    used: Sequence[str] | None = None

    def __init__(self, f: CustomGradient, arguments: Mapping[str, Any], variables: Mapping[str, Variable]) -> None:
        self.call = MeasuredCall(f, {name: x for name, x in arguments.items() if name not in variables})
        self.variables = [*variables.values()]

    def sent(self, arguments: Mapping[str, Any]) -> list[list[str]]:
        """Return rows [name, gradient from the rule], for an upstream gradient of 1 at the values of `arguments`.

        Return no rows if the rule raises an error: the picture is drawn all the same.
        """
        floats = {name: x for name, x in arguments.items() if isinstance(x, Tensor) and x.dtype.kind == "f"}
        values, dtypes = [x.value for x in floats.values()], [x.dtype for x in floats.values()]
        try:
            with np.errstate(all="ignore"):
                result = [self.gradient(values, i, 1.0, dtypes) for i in range(len(values))]
        except Exception:
            return []
        return [[name, short(number(g))] for name, g in zip(floats, result)]

    def gradient(self, values: Sequence[Any], i: int, seed: Seed, dtypes: Sequence[Any]) -> Any:
        """Return the gradient of input `i` at `values`, computed in `dtypes`, with the Variables as the last inputs."""
        values_before = [v.value for v in self.variables]
        inputs = Inputs([], [], self.variables)
        try:
            xs = inputs.at([np.asarray(v).astype(dtype)[()] for v, dtype in zip(values, dtypes)])
            result = self.call.gradient(xs, i, seed)
        finally:
            for v, value in zip(self.variables, values_before):
                v.hold(value)
        return np.zeros(np.shape(values[i])) if result is None else result


def constants_in(f: Any) -> dict[str, Any]:
    """Return the numbers and float arrays that the code of `f` names in its globals or closure, by name."""
    body = f.f if isinstance(f, CustomGradient) else f
    if not isinstance(body, FunctionType):
        return {}
    around = body.__globals__
    names = {name: around[name] for name in body.__code__.co_names if name in around}
    for name, cell in zip(body.__code__.co_freevars, body.__closure__ or ()):
        names[name] = content_of(cell)
    plain = (int, float, np.ndarray, np.floating)
    return {
        name: value
        for name, value in names.items()
        if (isinstance(value, (*plain, Tensor)) and not isinstance(value, (bool, Variable)))
        and np.asarray(value.value if isinstance(value, Tensor) else value).dtype.kind in "fi"
    }
