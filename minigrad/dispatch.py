"""Record or compute: what happens when an op is called.

Called on Tensors an op computes and records; called on raw arrays it is its NumPy function. That is why one rule,
written with ops and operators, serves a fast backward pass on arrays and one that is itself recorded.
"""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Sequence
from itertools import count, zip_longest
from typing import Any

import numpy as np

from .node import OPS, Op, announce, hooks, no_gradient, pick, record
from .tensor import Tensor, as_value, next_birth

# Overflow and 0 * inf are what this library teaches; finding them is the work of the trace and the NaN finder,
# not of a warning in the student's cell. The filter speaks for minigrad's own modules only.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

_RAW = frozenset({np.ndarray, np.float64, np.float32, np.float16, np.bool_, np.int32, np.int64})
_new = object.__new__

#: Counts calls of ops that failed: `compile` has to know whether some were caught.
next_failure = count(1).__next__

#: Python's operators do what these ufuncs do; on single numbers they are 14 times as fast.
_OPERATORS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.true_divide: operator.truediv,
    np.negative: operator.neg, np.greater: operator.gt, np.less: operator.lt,
}  # fmt: skip


def apply(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """Compute `op` on any mixture of arguments; record it unless all of them are raw NumPy values."""
    operands = [a.read_value() if isinstance(a, Tensor) else a for a in args]
    if kwargs and (any(isinstance(v, Tensor) for v in kwargs.values()) or (not args and _first(op) in kwargs)):
        operands, kwargs = _positional(op, operands, kwargs)
    tensors = [a for a in operands if isinstance(a, Tensor)]
    if not tensors and any(isinstance(a, (np.ndarray, np.generic)) for a in operands):
        return _compute(op, operands, kwargs)
    arity = len(op.vjps) if op.vjps is not None else len(operands) if op.joint else 1
    if op.vjps is not None:  # the dtype of a condition is no example to the values it chooses from
        tensors = [a for a, rule in zip(operands, op.vjps) if isinstance(a, Tensor) and rule is not no_gradient]
    guests = list(enumerate(operands[:arity]))
    if not tensors:  # Python ints last: they adopt the dtype of whatever else there is
        guests.sort(key=lambda guest: type(guest[1]) in (int, bool))
    for i, a in guests:
        if not isinstance(a, Tensor) and (op.vjps is None or op.vjps[i] is not no_gradient):
            operands[i] = _operand(a, tensors)
            if isinstance(operands[i], Tensor):
                tensors.append(operands[i])
    values = [a.value if isinstance(a, Tensor) else a for a in operands]
    return _recorded(op, values, tuple(operands), kwargs or None)


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


def _first(op: Op) -> str:
    """The name of an op's first argument."""
    return next(iter(inspect.signature(op.call).parameters))


def _positional(op: Op, operands: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Move the first argument, and Tensors, from `kwargs` to their places: `sum(x=[1.0])` is `sum([1.0])`."""
    try:
        rest = dict(inspect.signature(op.call).bind(*operands, **kwargs).arguments)
    except TypeError as error:
        raise _sentence(op, error, operands, kwargs) from None
    lead: list[Any] = []
    for name in list(rest):
        if lead and not any(isinstance(v, Tensor) for v in rest.values()):
            break
        lead.append(rest.pop(name))
    return [a.read_value() if isinstance(a, Tensor) else a for a in lead], rest


def _compute(op: Op, values: Sequence[Any], kwargs: dict[str, Any] | None) -> Any:
    try:
        value = op.fn(*values, **kwargs) if kwargs else op.fn(*values)
    except (ValueError, IndexError, TypeError) as error:
        next_failure()
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


def unary(op: Op) -> Callable[..., Any]:
    """The call of an op of one argument and no options. Written out, because it is the hottest code there is."""
    fn = _OPERATORS.get(op.fn, op.fn)

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


def binary(op: Op) -> Callable[..., Any]:
    """The call of an op of two arguments and no options. A Python number stays one, and adopts the other's dtype."""
    fn = _OPERATORS.get(op.fn, op.fn)

    def call(x: Any, y: Any) -> Any:
        try:
            if type(x) is Tensor:
                if type(y) is Tensor:
                    value = fn(x.value, y.value)
                elif (type(y) is float and x.value.dtype.kind == "f") or _joins(y, x.value):
                    value = fn(x.value, y)
                else:
                    return apply(op, (x, y))
            elif type(y) is Tensor and _joins(x, y.value):
                value = fn(x, y.value)
            elif type(x) in _RAW and type(y) in _RAW:
                return fn(x, y)
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


def _joins(guest: Any, value: Any) -> bool:
    """Whether a guest can be computed with beside a Tensor's value as it is: most numbers and arrays can."""
    kind = type(guest)
    return kind is int or (kind is float and value.dtype.kind == "f") or (kind in _RAW and guest.dtype.kind in "fiub")


def general(op: Op) -> Callable[..., Any]:
    """The call of an op with options or many arguments. Arrays and Tensors alone need no look at each of them."""
    operands = tuple(rule is not no_gradient for rule in op.vjps or (None,))

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) in _RAW:  # mostly a rule at work on arrays
            for a in (*args[1:], *kwargs.values()) if kwargs else args[1:]:
                if isinstance(a, Tensor):
                    break
            else:
                return _compute(op, args, kwargs)
        if op.joint is not None or (kwargs and any([isinstance(a, Tensor) for a in kwargs.values()])):
            return apply(op, args, kwargs)
        recorded = False
        for a, operand in zip_longest(args, operands[: len(args)]):
            kind = type(a)
            if kind is Tensor:
                recorded = True
            elif kind not in _RAW and (isinstance(a, Tensor) or (operand and kind is not int)):
                return apply(op, args, kwargs)
        if not recorded:
            return apply(op, args, kwargs)
        return _recorded(op, [a.value if type(a) is Tensor else a for a in args], args, kwargs or None)

    return call


def _recorded(op: Op, values: Sequence[Any], operands: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """The result of `op` on `values`, recorded as made from `operands`."""
    value = _compute(op, values, kwargs)
    if not isinstance(value, tuple):
        return record(op, value, operands, kwargs)
    node = record(op, tuple(value), operands, kwargs)
    outputs = [pick(node, i) for i in range(len(value))]
    return tuple(outputs) if type(value) is tuple else type(value)(*outputs)  # a namedtuple stays one
