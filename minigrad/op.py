"""What an op is: its NumPy function, its derivative rules, and everything said about it, in one declaration.

An op called on Tensors computes and records; called on raw arrays it is its NumPy function. That is why one
rule, written with ops and operators, serves a fast backward pass on arrays and one that is itself recorded.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .tensor import Tensor, as_value, next_birth

# Overflow and 0 * inf are what this library teaches; finding them is the work of the trace and the NaN finder,
# not of a warning in the student's cell. The filter speaks for minigrad's own modules only.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

#: Every op by name.
OPS: dict[str, Op] = {}

#: NumPy function -> op function, for `np.exp(tensor)` and `np.sum(tensor)`.
BY_NUMPY: dict[Any, Callable[..., Any]] = {}

#: Called with each new node while not empty. This is how source lines and gradient overrides are recorded.
hooks: list[Callable[[Tensor], None]] = []

_RAW = frozenset({np.ndarray, np.float64, np.float32, np.float16, np.bool_, np.int32, np.int64})
_new = object.__new__


def no_gradient(g: Any, y: Any, *args: Any, **kwargs: Any) -> None:
    """The rule for an argument that has no gradient, such as the condition of `where`."""


@dataclass(eq=False, slots=True)
class Op:
    """One op. Rules read `(g, y, *args, **kwargs) -> gradient`, where g is the upstream gradient and y the result.

    fn : the NumPy function that computes it.
    vjps : one rule per leading argument, None for an argument without a gradient; None when the op has no
        gradient at all (its result is drawn as a cut edge).
    joint : instead of vjps, one rule that returns the gradients of all arguments at once.
    elementwise : each element of the result depends on the elements at the same place only.
    local : for each argument, the local derivative in words, with a, b for the arguments and y for the result.
    domain : what is to be known about awkward points.
    latex : the formula. names : what TensorFlow, Keras, ... call it. samples : arguments to check its gradient at,
        for `op.call`: floats and lists of floats are differentiated, a tuple of lists is a sequence of arrays, anything
        else is an option, and a dict at the end holds keywords.
    kind : "primitive" with a rule, "composite" if made of other ops, "constant" if it has no gradient.
    """

    name: str
    fn: Callable[..., Any]
    vjps: Any = None
    joint: Callable[..., Any] | None = None
    elementwise: bool = False
    local: tuple[str, ...] = ()
    domain: str = ""
    latex: str = ""
    names: dict[str, str] = field(default_factory=dict)
    samples: tuple[Any, ...] = ()
    kind: str = ""
    call: Callable[..., Any] = field(init=False)
    differentiable: bool = field(init=False)

    def __post_init__(self) -> None:
        if self.vjps is not None:
            self.vjps = tuple(no_gradient if rule is None else rule for rule in self.vjps)
        self.differentiable = self.vjps is not None or self.joint is not None
        self.kind = self.kind or ("primitive" if self.differentiable else "constant")

    def __repr__(self) -> str:
        return f"Op({self.name})"


#: Output number `index` of a node that holds a tuple of values.
PICK = Op("output", lambda values, index: values[index], vjps=())


def record(op: Op, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Tensor:
    """The Tensor that holds `value` and remembers that `op` made it from `args`."""
    node = _new(Tensor)
    node.value = value
    node.op = op
    node.args = args
    node.kwargs = kwargs
    node.birth = next_birth()
    if hooks:
        announce(node)
    return node


def announce(node: Tensor) -> None:
    """Call the hooks with a new node."""
    for hook in hooks:
        hook(node)


def pick(call: Tensor, index: int) -> Tensor:
    """Output `index` of the many-valued node `call`, as a Tensor of its own."""
    return record(PICK, call.value[index], (call, index))


def apply(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """Compute `op` on any mixture of arguments; record it unless all of them are raw NumPy values."""
    operands = [a.read_value() if isinstance(a, Tensor) else a for a in args]
    if kwargs and any(isinstance(v, Tensor) for v in kwargs.values()):
        operands, kwargs = _positional(op, operands, kwargs)
    tensors = [a for a in operands if isinstance(a, Tensor)]
    if not tensors and any(isinstance(a, (np.ndarray, np.generic)) for a in operands):
        return _compute(op, operands, kwargs)
    arity = len(op.vjps) if op.vjps is not None else len(operands) if op.joint else 1
    if op.vjps is not None:  # the dtype of a condition is no example to the values it chooses from
        tensors = [a for a, rule in zip(operands, op.vjps) if isinstance(a, Tensor) and rule is not no_gradient]
    for i, a in enumerate(operands[:arity]):
        if not isinstance(a, Tensor) and (op.vjps is None or op.vjps[i] is not no_gradient):
            operands[i] = _operand(a, tensors)
    values = [a.value if isinstance(a, Tensor) else a for a in operands]
    value = _compute(op, values, kwargs)
    if not isinstance(value, tuple):
        return record(op, value, tuple(operands), kwargs or None)
    node = record(op, tuple(value), tuple(operands), kwargs or None)
    outputs = [pick(node, i) for i in range(len(value))]
    return tuple(outputs) if type(value) is tuple else type(value)(*outputs)  # a namedtuple stays one


def holds_tensor(a: Any) -> bool:
    """Whether `a` is a Tensor or a nested list or tuple with a Tensor in it."""
    return isinstance(a, Tensor) or (isinstance(a, (list, tuple)) and any(map(holds_tensor, a)))


def _operand(a: Any, tensors: list[Tensor]) -> Any:
    """A guest among Tensors: Python numbers stay as they are and adopt the tensor's dtype, the rest is converted."""
    if holds_tensor(a):
        return OPS["stack"].call([_operand(row, tensors) if isinstance(row, (list, tuple)) else row for row in a])
    if not tensors:
        return Tensor(a)
    floating = [t.dtype for t in tensors if t.dtype.kind == "f"]
    if isinstance(a, float) and not floating and not isinstance(a, np.generic):
        raise TypeError(
            f"the float {a} meets a Tensor of {tensors[0].dtype} and would change its dtype; "
            f"write astype(x, 'float32') first if that is meant"
        )
    if a is None or type(a) in (bool, int, float):
        return a
    value = as_value(a)
    return value.astype(floating[0]) if isinstance(a, (list, tuple)) and floating else value


def _positional(op: Op, operands: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Move the Tensors among `kwargs` to their places: `sum(a=x)` is `sum(x)`."""
    bound = inspect.signature(op.call).bind(*operands, **kwargs)
    rest = dict(bound.arguments)
    lead: list[Any] = []
    for name in list(rest):
        if not any(isinstance(v, Tensor) for v in rest.values()):
            break
        lead.append(rest.pop(name))
    return [a.read_value() if isinstance(a, Tensor) else a for a in lead], rest


def _compute(op: Op, values: Sequence[Any], kwargs: dict[str, Any] | None) -> Any:
    try:
        value = op.fn(*values, **kwargs) if kwargs else op.fn(*values)
    except (ValueError, IndexError, TypeError) as error:
        raise _sentence(op, error, values, kwargs or {}) from None
    if type(value) is np.ndarray and not value.shape:
        return value[()]
    if type(value) is list:
        return tuple(value)
    return value


def _sentence(op: Op, error: Exception, values: Sequence[Any], kwargs: dict[str, Any]) -> Exception:
    """The error of NumPy, with the op and the shapes in it; for a wrong call, how the op is called."""
    if isinstance(error, TypeError):
        signature = inspect.signature(op.call)
        try:
            signature.bind(*values, **kwargs)
        except TypeError as why:
            names = [str(p.replace(annotation=p.empty)) for p in signature.parameters.values()]
            return TypeError(f"{op.name}({', '.join(names)}) was called wrongly: {why}")
    shapes = ", ".join(str(np.shape(v)) for v in values if isinstance(v, (np.ndarray, np.generic)))
    what = f"arguments of shape {shapes}" if shapes else "these arguments"
    return type(error)(f"{op.name} cannot work on {what}: {error}")


def _unary(op: Op) -> Callable[..., Any]:
    """The call of an op of one argument and no options. Written out, because it is the hottest code there is."""
    fn = op.fn

    def call(x: Any) -> Any:
        kind = type(x)
        if kind is Tensor:
            node = _new(Tensor)
            node.value = fn(x.value)
            node.op = op
            node.args = (x,)
            node.kwargs = None
            node.birth = next_birth()
            if hooks:
                announce(node)
            return node
        return fn(x) if kind in _RAW else apply(op, (x,))

    return call


def _binary(op: Op) -> Callable[..., Any]:
    """The call of an op of two arguments and no options. A Python number stays one, and adopts the other's dtype."""
    fn = op.fn

    def call(x: Any, y: Any) -> Any:
        try:
            if type(x) is Tensor:
                if type(y) is Tensor:
                    value = fn(x.value, y.value)
                elif type(y) is int or (type(y) is float and x.value.dtype.kind == "f"):
                    value = fn(x.value, y)
                else:
                    return apply(op, (x, y))
            elif type(y) is Tensor and (type(x) is int or (type(x) is float and y.value.dtype.kind == "f")):
                value = fn(x, y.value)
            else:
                return apply(op, (x, y))
        except (ValueError, IndexError, TypeError):
            return apply(op, (x, y))  # fails again, with a sentence
        node = _new(Tensor)
        node.value = value
        node.op = op
        node.args = (x, y)
        node.kwargs = None
        node.birth = next_birth()
        if hooks:
            announce(node)
        return node

    return call


def _general(op: Op) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) in _RAW:  # mostly a rule at work on arrays
            for a in (*args, *kwargs.values()):
                if isinstance(a, Tensor):
                    break
            else:
                return _compute(op, args, kwargs)
        return apply(op, args, kwargs)

    return call


def defop(
    name: str,
    fn: Callable[..., Any],
    *,
    vjp: Callable[..., Any] | tuple[Callable[..., Any] | None, ...] | None = None,
    joint: Callable[..., Any] | None = None,
    elementwise: bool | None = None,
    local: str | tuple[str, ...] = (),
    domain: str = "",
    latex: str = "",
    doc: str = "",
    names: dict[str, str] | None = None,
    numpy: Callable[..., Any] | None = None,
    method: str | tuple[str, ...] = (),
    operator: str = "",
    samples: tuple[Any, ...] = (),
) -> Callable[..., Any]:
    """Declare an op and return its function.

    vjp : the rule `(g, y, *args, **kwargs) -> gradient`, or a tuple with one rule per argument; `joint` for one
        rule that answers for all arguments; neither for an op without gradient.
    numpy : the NumPy function that calls this op when given Tensors, if it is not `fn` itself.
    method, operator : the names under which Tensor has it ("sum"; "add" for +, both ways round).
    Other fields: see Op.

    >>> cube = defop("cube", lambda x: x * x * x, vjp=lambda g, y, x: g * 3 * x * x)
    >>> cube(Tensor(2.0))
    Tensor(8.0, dtype=float32, op=cube)
    """
    ufunc = isinstance(fn, np.ufunc)
    op = Op(
        name=name,
        fn=fn,
        vjps=(vjp,) if callable(vjp) else vjp,
        joint=joint,
        elementwise=ufunc and fn is not np.matmul if elementwise is None else elementwise,
        local=(local,) if isinstance(local, str) else local,
        domain=domain,
        latex=latex,
        names=names or {},
        samples=samples,
    )
    options = inspect.signature(fn).parameters if not ufunc else {}
    required = all(p.default is p.empty for p in options.values())
    arity = fn.nin if isinstance(fn, np.ufunc) else len(options) if required else 0
    variadic = any(p.kind is p.VAR_POSITIONAL for p in options.values())
    operand = ufunc or [*options][1:] in ([], ["y"], ["b"], ["key"])  # not an option, which may come by keyword
    plain = arity in (1, 2) and not variadic and joint is None and operand and (arity == 2 or op.elementwise)
    call = (_unary, _binary)[arity - 1](op) if plain else _general(op)
    _describe(call, op, fn, doc)
    op.call = call
    OPS[name] = op
    if numpy is not None or ufunc or fn.__module__ == "numpy":
        BY_NUMPY[numpy or fn] = call
    for alias in (method,) if isinstance(method, str) else method:
        setattr(Tensor, alias, call)
    if operator:
        setattr(Tensor, f"__{operator}__", call)
        if arity == 2:
            setattr(Tensor, f"__r{operator}__", functools.wraps(call)(lambda x, y: call(y, x)))
    return call


def _describe(call: Callable[..., Any], op: Op, fn: Callable[..., Any], doc: str) -> None:
    """Give the op function its name, signature and docstring, made from the declaration."""
    call.__name__ = call.__qualname__ = op.name
    call.__module__ = "minigrad"
    own = str(getattr(fn, "__module__", "")).startswith("minigrad")
    lines = [doc or (inspect.getdoc(fn) or "" if own else "")]
    lines += [f"Formula: {op.latex}"] if op.latex else []
    lines += [f"Local derivative: {'; '.join(op.local)}"] if op.local else []
    lines += [f"At awkward points: {op.domain}"] if op.domain else []
    lines += ["Elsewhere: " + ", ".join(f"{k}: {v}" for k, v in op.names.items())] if op.names else []
    call.__doc__ = "\n\n".join(line for line in lines if line)
    if isinstance(fn, np.ufunc):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(letter, kind) for letter in "xyz"[: fn.nin]]
        )
    else:
        call.__signature__ = inspect.signature(fn)  # type: ignore[attr-defined]


def _array_ufunc(self: Tensor, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """`np.exp(tensor)` and `array * tensor` record like the op of that name."""
    op = BY_NUMPY.get(ufunc)
    if op is None or method != "__call__" or kwargs:
        if "out" in kwargs:
            raise TypeError(
                f"np.{ufunc.__name__} cannot write a Tensor into an array in place, as a += x would: the gradient "
                f"would be lost; write a = a + x, or np.asarray(x) for the plain value"
            )
        how = "" if method == "__call__" and not kwargs else f" ({method}, {sorted(kwargs)})"
        raise TypeError(f"np.{ufunc.__name__}{how} has no gradient here; x.numpy() computes it on the plain value")
    return op(*args)


def _array_function(self: Tensor, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """`np.sum(tensor, axis=0)` records like the op of that name."""
    op = BY_NUMPY.get(function)
    if function in _QUESTIONS:
        return function(*_values(args), **kwargs)
    if op is None:
        raise TypeError(f"np.{function.__name__} has no gradient here; x.numpy() computes it on the plain value")
    return op(*args, **kwargs)


def _values(args: Any) -> Any:
    return [a.value if isinstance(a, Tensor) else a for a in args]


#: NumPy functions that ask about values and return nothing to differentiate.
_QUESTIONS = {np.allclose, np.isclose, np.array_equal, np.array_equiv, np.shape, np.ndim, np.size, np.array2string,
              np.array_repr, np.array_str, np.count_nonzero, np.result_type, np.save}  # fmt: skip

Tensor.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
Tensor.__array_function__ = _array_function  # type: ignore[attr-defined]
