"""Record or compute: what happens when an op is called.

Called on Tensors an op computes and records; called on raw arrays it is its NumPy function. That is why one rule,
written with ops and operators, serves a fast backward pass on arrays and one that is itself recorded.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph import ancestors
from ..op import Op, needing_record, no_gradient, pick, record
from ..tensor import TENSORS, Tensor
from . import observers
from .error_words import visible
from .operands import FIXED, adopt, float_dtype, keep
from .settings import arranged, form
from .tensor_values import as_value, quietly

# Overflow and 0 * inf are what this library teaches; finding them is the work of the trace and the NaN finder,
# not of a warning in the student's cell. The filter is for minigrad's own modules only.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

RAW = frozenset({np.ndarray, np.float64, np.float32, np.float16, np.bool_, np.int32, np.int64})
_KEPT_AS_IT_IS = FIXED | TENSORS
_PYTHON = (int, float, bool)


def apply(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """Compute `op` on any mixture of arguments, and record it if one is a Tensor or none is a NumPy value."""
    kwargs = kwargs or {}
    operands, raw = [*args], not any([isinstance(a, Tensor) for a in (*args, *kwargs.values())])
    if kwargs or op.vjps is None or len(operands) > len(op.vjps):
        operands, kwargs = arranged(form(op), operands, kwargs)
    operands = [a.read_value() if isinstance(a, Tensor) else a for a in operands]
    own = list(range(len(operands)))[: None if op.vjp_all else 1]
    if op.vjps is not None:  # a condition does not determine the dtype of the values that it selects
        own = [i for i, (_, rule) in enumerate(zip(operands, op.vjps)) if rule is not no_gradient]
    met = [operands[i] for i in own if isinstance(operands[i], Tensor)]
    guests = [i for i in own if not isinstance(operands[i], Tensor)] if len(met) < len(own) else []
    if len(own) > 1 and (defaults := form(op).defaults):  # an option such as alpha=1.0 may meet integers, as left out
        names = form(op).names
        guests = [i for i in guests if not i or type(operands[i]) not in _PYTHON or defaults.get(names[i]) is None]
    if raw and any([isinstance(a, (np.ndarray, np.generic)) for a in operands]):
        for i in guests:
            operands[i] = np.asarray(operands[i]) if isinstance(operands[i], list) else operands[i]
        return compute(op, operands, kwargs)
    compared = not op.differentiable  # a comparison, for example, for which the dtype of every Tensor counts
    if compared:
        met = [a for a in operands if isinstance(a, Tensor)]
    for i in sorted(guests, key=lambda i: _rank(operands[i])) if len(guests) > 1 else guests:
        operands[i] = _operand(operands[i], met, compared)
        if raw and not met and not isinstance(operands[i], Tensor):
            operands[i] = Tensor(operands[i])
        if isinstance(operands[i], (Tensor, np.ndarray, np.generic)):
            met.append(operands[i])
    values = [a.value if isinstance(a, Tensor) else a for a in operands]
    return made(op, values, tuple(operands), kwargs or None)


def _rank(a: Any) -> int:
    """The position in which an argument is converted: arrays, floats, ints; each adopts the dtype of earlier ones."""
    if isinstance(a, (np.ndarray, np.generic)):
        return 0
    return 1 if isinstance(a, (float, list, tuple)) else 2


def _operand(a: Any, met: list[Any], compared: bool) -> Any:
    """Convert a guest, an argument that is no Tensor, to the dtype of `met`; Python numbers stay as they are."""
    if a is None or (isinstance(a, (bool, int, float)) and not isinstance(a, np.generic)):
        if not met:
            return Tensor(a)
        if isinstance(a, float) and not compared and not any([t.dtype.kind == "f" for t in met]):
            if all(map(is_count, met)):
                return as_value(a)
            raise TypeError(
                f"the float {a} meets a Tensor of {met[0].dtype} and would change its dtype; "
                f"write astype(x, 'float32') first if that is meant"
            )
        return a
    return adopt(a, float_dtype(met))


def is_count(x: Any) -> bool:
    """Whether an array or a Tensor holds truth values, or is computed from them alone: a number of correct answers."""
    if not isinstance(x, Tensor) or x.dtype.kind == "b":
        return x.dtype.kind == "b"
    whole = [node for node in ancestors([x], lambda node: node.dtype.kind != "b") if node.dtype.kind != "b"]
    return all(any(isinstance(a, Tensor) for a in node.args) for node in whole)


def compute(op: Op, values: Sequence[Any], kwargs: dict[str, Any] | None) -> Any:
    try:
        value = op.fn(*values, **kwargs) if kwargs else op.fn(*values)
    except RuntimeWarning:
        return quietly(compute, op, values, kwargs)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        for compute_instead in observers.compute:
            computed = compute_instead(op, values, kwargs)
            if computed is not None:
                return computed
        raise _sentence(op, error, values, kwargs or {}) from None
    if type(value) is np.ndarray and not value.shape:
        return value[()]
    if type(value) is list:
        return tuple(value)
    return value


def _sentence(op: Op, error: Exception, values: Sequence[Any], kwargs: dict[str, Any]) -> Exception:
    """NumPy's error with the op and the shapes in its message; for a wrong call, with the signature of the op."""
    if isinstance(error, TypeError):
        signature = inspect.signature(op.call)
        try:
            signature.bind(*values, **kwargs)
        except TypeError as why:
            bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
            return TypeError(f"{op.name}{inspect.Signature(bare)} was called wrongly: {why}")
        if type(error) is not TypeError:  # a ufunc without a loop for what it was given
            odd = [v for v in values if np.asarray(v).dtype.kind not in "fiub"]
            if not odd:
                dtypes = ", ".join(dict.fromkeys(str(np.asarray(v).dtype) for v in values))
                return TypeError(f"{op.name} has no result for {dtypes}; write astype(x, 'float32') for its numbers")
            return TypeError(f"{op.name} takes numbers and truth values, got {', '.join(f'{v!r:.40}' for v in odd)}")
    refused = op.facts.refused if isinstance(error, np.linalg.LinAlgError) else None
    if refused is not None and (reason := refused(op, values)):
        error = np.linalg.LinAlgError(reason)
    shapes = ", ".join(str(np.shape(v)) for v in values if isinstance(v, (np.ndarray, np.generic)))
    printable = "\n".join(map(visible, str(error).split("\n")))
    what = f"arguments of shape {shapes}" if shapes else "these arguments"
    return type(error)(f"{op.name} cannot work on {what}: {printable}{_no_integers(op, error, values, kwargs)}")


def _no_integers(op: Op, error: Exception, values: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """The settings that hold floats, where the error is that something is no integer."""
    if not isinstance(error, TypeError) or "integer" not in str(error):
        return ""
    names, _, settings, *_ = form(op)
    given = [(n, a) for n, a in (*zip(names, values), *kwargs.items()) if n in settings]
    odd = [f"{n}={a!r:.40}" for n, a in given if a is not None and np.asarray(a).dtype.kind not in "iub"]
    return f" (got {', '.join(odd)})" if odd else ""


def made(op: Op, values: Sequence[Any], operands: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
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
    return tuple(outputs) if type(value) is tuple else type(value)(*outputs)  # a namedtuple stays one
