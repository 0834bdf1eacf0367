"""Record or compute: what happens when an op is called.

Called on Tensors, an op computes and records; called on raw arrays, it is simply its NumPy function. So one rule,
written with ops and operators, serves both a fast backward pass on arrays and a recorded backward pass.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph import ancestors
from ..op import Op, needing_record, no_gradient, pick, record
from ..tensor import TENSORS, Tensor
from . import observers
from .error_words import called_wrongly, visible
from .operands import FIXED, adopt, float_dtype, keep
from .settings import arranged, form
from .tensor_values import as_value, quietly

# This library teaches about overflow and 0 * inf. The trace and the NaN finder show them, so NumPy's warnings would
# only clutter the student's cell. The filter is for minigrad's own modules only.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

RAW = frozenset({np.ndarray, np.float64, np.float32, np.float16, np.bool_, np.int32, np.int64})
_KEPT_AS_IT_IS = FIXED | TENSORS
_PYTHON = (int, float, bool)


def apply(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """Compute `op` on any mixture of arguments; record the call if one of them is a Tensor or none is a NumPy value."""
    kwargs = kwargs or {}
    operands = [*args]
    raw = not any([isinstance(a, Tensor) for a in (*args, *kwargs.values())])
    # An operand can be passed by keyword, or a setting by position, only in these cases.
    if kwargs or op.vjps is None or len(operands) > len(op.vjps):
        operands, kwargs = arranged(form(op), operands, kwargs)
    operands = [a.read_value() if isinstance(a, Tensor) else a for a in operands]
    typed = _typed(op, operands)
    others = _non_tensors(op, operands, typed)
    if raw and any([isinstance(a, (np.ndarray, np.generic)) for a in operands]):  # a rule usually makes such a call
        for i in others:
            operands[i] = np.asarray(operands[i]) if isinstance(operands[i], list) else operands[i]
        return compute(op, operands, kwargs)
    hosts = [operands[i] for i in typed if isinstance(operands[i], Tensor)]
    if not op.differentiable:  # in a comparison, for example, every Tensor's dtype counts
        hosts = [a for a in operands if isinstance(a, Tensor)]
    for i in others:
        # Each operand takes the dtype of the operands converted before it.
        other = _converted(operands[i], hosts, op)
        operands[i] = other = Tensor(other) if raw and not hosts and not isinstance(other, Tensor) else other
        if isinstance(other, (Tensor, np.ndarray, np.generic)):
            hosts.append(other)
    values = [a.value if isinstance(a, Tensor) else a for a in operands]
    return compute_and_record(op, values, tuple(operands), kwargs or None)


def _typed(op: Op, operands: Sequence[Any]) -> list[int]:
    """Return the positions of the operands that determine the result's dtype, which conditions and options do not."""
    if op.vjps is not None:
        return [i for i, (_, rule) in enumerate(zip(operands, op.vjps)) if rule is not no_gradient]
    if op.vjp_all:  # one rule for all arguments
        return [*range(len(operands))]
    return [0] if operands else []


def _non_tensors(op: Op, operands: Sequence[Any], typed: Sequence[int]) -> list[int]:
    """Return the positions of the operands that are not Tensors and must be converted to the dtype of the Tensors.

    The positions are in the order of conversion: first arrays, then floats, then ints. The order matters, because each
    operand also takes the dtype of the operands converted before it.
    """
    others = [i for i in typed if not isinstance(operands[i], Tensor)]
    if others and len(typed) > 1 and (defaults := form(op).defaults):  # alpha=1.0 must not turn integers into floats
        names = form(op).names

        def is_option(i: int) -> bool:
            return i > 0 and type(operands[i]) in _PYTHON and defaults.get(names[i]) is not None

        others = [i for i in others if not is_option(i)]
    return sorted(others, key=lambda i: _rank(operands[i]))


def _rank(a: Any) -> int:
    if isinstance(a, (np.ndarray, np.generic)):
        return 0
    return 1 if isinstance(a, (float, list, tuple)) else 2


def _converted(other: Any, hosts: list[Any], op: Op) -> Any:
    """Convert `other`, an operand that is not a Tensor, to the dtype of the operands in `hosts`.

    A Python number is returned unchanged if there are hosts, because NumPy converts it.
    """
    if other is not None and (not isinstance(other, (bool, int, float)) or isinstance(other, np.generic)):
        return adopt(other, float_dtype(hosts))
    if not hosts:
        return Tensor(other)
    if isinstance(other, float) and op.differentiable and not any([host.dtype.kind == "f" for host in hosts]):
        # Multiplying a count of matches by 0.5 is reasonable; with other integers, a float is more likely a mistake.
        if not all(map(is_count, hosts)):
            raise TypeError(
                f"the float {other} would change the dtype of a Tensor of {hosts[0].dtype}; "
                f"write astype(x, 'float32') first if that is what you want"
            )
        return as_value(other)
    return other


def is_count(x: Any) -> bool:
    """Return whether an array or Tensor holds truth values or was computed only from them, like a count of matches."""
    if not isinstance(x, Tensor) or x.dtype.kind == "b":
        return x.dtype.kind == "b"

    def is_number(node: Tensor) -> bool:
        return node.dtype.kind != "b"

    numbers = filter(is_number, ancestors([x], is_number))  # the search stops at truth values
    return all(any(isinstance(a, Tensor) for a in node.args) for node in numbers)


def compute(op: Op, values: Sequence[Any], kwargs: dict[str, Any] | None) -> Any:
    try:
        value = op.fn(*values, **kwargs) if kwargs else op.fn(*values)
    # A user's filter may turn NumPy's warnings into errors, but here an inf or nan is a normal result.
    except RuntimeWarning:
        return quietly(compute, op, values, kwargs)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        for compute_instead in observers.compute:
            computed = compute_instead(op, values, kwargs)
            if computed is not None:
                return computed
        raise _sentence(op, error, values, kwargs or {}) from None
    # Some NumPy functions return an array of shape (), others return a number.
    if type(value) is np.ndarray and not value.shape:
        return value[()]
    if type(value) is list:
        return tuple(value)
    return value


def _sentence(op: Op, error: Exception, values: Sequence[Any], kwargs: dict[str, Any]) -> Exception:
    """Return NumPy's error with a better message, which names the op and the shapes of its arguments.

    If the call does not fit the op's signature, the message shows the signature instead.
    """
    if isinstance(error, TypeError):
        signature = inspect.signature(op.call)
        try:
            signature.bind(*values, **kwargs)
        except TypeError as why:
            return called_wrongly(op.name, signature, why, kwargs)
        if type(error) is not TypeError:  # a subclass means that NumPy's ufunc does not support these types
            odd = [v for v in values if np.asarray(v).dtype.kind not in "fiub"]
            if not odd:
                dtypes = ", ".join(dict.fromkeys(str(np.asarray(v).dtype) for v in values))
                return TypeError(f"{op.name} has no result for {dtypes}; write astype(x, 'float32') for its numbers")
            return TypeError(f"{op.name} takes numbers and truth values, got {', '.join(f'{v!r:.40}' for v in odd)}")
    refused = op.facts.refused if isinstance(error, np.linalg.LinAlgError) else None
    if refused is not None and (reason := refused(op, values)):
        error = np.linalg.LinAlgError(reason)
    shapes = ", ".join(str(np.shape(v)) for v in values if isinstance(v, (np.ndarray, np.generic)))
    printable = _unequal_axes(error, values) or "\n".join(map(visible, str(error).split("\n")))
    what = f"arguments of shape {shapes}" if shapes else "these arguments"
    return type(error)(f"{op.name} cannot work on {what}: {printable}{_no_integers(op, error, values, kwargs)}")


def _unequal_axes(error: Exception, values: Sequence[Any]) -> str:
    """Return NumPy's error about the core dimension of a product in a learner's words, or "" for another error."""
    sizes = re.search(r"core dimension.*size (\d+) is different from (\d+)", str(error))
    if not sizes:
        return ""
    second, first = map(int, sizes.groups())
    turned = len(values) == 2 and np.ndim(values[1]) > 1 and np.shape(values[1])[-1] == first
    advice = "; write x @ y.mT for the transpose of the second" if turned else ""
    return f"it adds up over one axis of each, and their lengths are {first} and {second}{advice}"


def _no_integers(op: Op, error: Exception, values: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """Return a note that lists the settings with floats if NumPy's error demands integers; otherwise return ""."""
    if not isinstance(error, TypeError) or "integer" not in str(error):
        return ""
    names, _, settings, *_ = form(op)
    passed = [(n, a) for n, a in (*zip(names, values), *kwargs.items()) if n in settings]
    odd = [f"{n}={a!r:.40}" for n, a in passed if a is not None and np.asarray(a).dtype.kind not in "iub"]
    return f" (got {', '.join(odd)})" if odd else ""


def compute_and_record(op: Op, values: Sequence[Any], operands: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """Compute `op` on `values`, and record the result as made from `operands`."""
    value = compute(op, values, kwargs)
    if not _KEPT_AS_IT_IS.issuperset(map(type, operands)):
        operands = tuple(map(keep, operands))
    if kwargs:
        kwargs = {name: keep(option) for name, option in kwargs.items()}
    if type(value) in RAW or not isinstance(value, tuple):
        return record(op, value, operands, kwargs)
    if op.by_record:
        needing_record.add(op)
    node = record(op, tuple(value), operands, kwargs)
    outputs = [pick(node, i) for i in range(len(value))]
    return tuple(outputs) if type(value) is tuple else type(value)(*outputs)  # a namedtuple keeps its type
