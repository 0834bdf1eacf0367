"""Declare an op: its NumPy function, its gradient rules and its documentation, in one place.

`defop` declares a primitive, which is an op with a NumPy function and gradient rules. `composite` declares a function
built from other ops: a call records those ops, and their rules give the gradient.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.op import OPS, Op
from ..core.support.error_words import misnamed
from ..core.support.fast import binary, general, unary
from ..core.support.op_facts import Domain, OpFacts
from ..core.support.operands import adopt, float_dtype, holds_tensor
from ..core.support.settings import arranged, form_of
from ..core.support.tensor_values import Function, Rule, as_value, is_placeholder, quietly
from ..core.tensor import Tensor
from .docstrings import document

#: Maps each NumPy function to the op function that replaces it in calls such as `np.exp(tensor)`.
BY_NUMPY: dict[Any, Function] = {}


def defop(
    name: str,
    fn: Function,
    *,
    vjp: Rule | tuple[Rule | None, ...] | None = None,
    vjp_all: Rule | None = None,
    options: Function | None = None,
    elementwise: bool | None = None,
    slope: str | tuple[str, ...] = (),
    edge_cases: str = "",
    domain: Domain | None = None,
    refused: Callable[[Op, Any], str] | None = None,
    latex: str = "",
    says: str = "",
    names: dict[str, str] | None = None,
    numpy: Function | None = None,
    method: str | tuple[str, ...] = (),
    operator: str = "",
    samples: tuple[Any, ...] = (),
    example: tuple[Any, ...] = (),
) -> Function:
    """Declare an op and return its function.

    vjp : the rule `(g, y, *args, **kwargs) -> gradient`, or a tuple with one rule per argument. `vjp_all` is
        a single rule that returns the gradients of all arguments. An op without a gradient has neither.
    options : a function built from other ops, with the same arguments and further keyword-only arguments. It is called
        if one of these keywords is passed. The op takes its signature and docstring from this function.
    numpy : the NumPy function that calls this op when given Tensors, if it is not `fn` itself.
    says : a sentence that describes the op (default: the docstring of `fn`).
    method, operator : the names of the op as a method of Tensor ("sum"; "add" for + with the Tensor on either side).
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
        vjp_all=vjp_all,
        elementwise=ufunc and fn is not np.matmul if elementwise is None else elementwise,
        facts=OpFacts(says, latex, texts(slope), edge_cases, names or {}, samples, example, domain, refused),
    )
    arity = fn.nin if isinstance(fn, np.ufunc) else _operands(fn)
    simple = vjp_all is None and (arity == 2 or (arity == 1 and op.elementwise))
    call = (unary, binary)[arity - 1](op) if simple else general(op, options)
    is_numpys = ufunc or fn.__module__ == "numpy"
    _publish(call, op, options or fn, says, numpy or (fn if is_numpys else None), method)
    if operator:
        setattr(Tensor, f"__{operator}__", call)
        if arity == 2:
            setattr(Tensor, f"__r{operator}__", functools.wraps(call)(lambda x, y: call(y, x)))
    return call


def _publish(
    call: Function, op: Op, fn: Function, doc: str, numpy: Function | None, method: str | tuple[str, ...]
) -> None:
    """Register an op's function by name, as a method of Tensor, and with NumPy."""
    document(call, op, fn, doc)
    op.call, OPS[op.name] = call, op
    if numpy is not None:
        BY_NUMPY[numpy] = call
    for alias in texts(method):
        setattr(Tensor, alias, call)


def texts(text: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return a field of a declaration as a tuple of strings; a single string becomes a tuple of one."""
    return (text,) if isinstance(text, str) else text


def _operands(fn: Function) -> int:
    """Return 1 or 2 if the parameters of `fn` are one or two arrays without options; otherwise return 0."""
    code = getattr(fn, "__code__", None)
    if code is None or fn.__defaults__ or code.co_kwonlyargcount or code.co_flags & inspect.CO_VARARGS:
        return 0
    names = code.co_varnames[: code.co_argcount]
    return len(names) if names in (("x",), ("x", "y")) else 0


def above(low: float) -> Domain:
    """Return the domain of numbers greater than `low`, with a margin of one rounding error."""
    return Domain(0, low=lambda dtype: low + dtype.eps, inside=low + 1.0)


def within(size: float) -> Domain:
    """Return the domain of numbers between -size and size, with a margin of one rounding error."""
    return Domain(0, lambda dtype: dtype.eps - size, lambda dtype: size - dtype.eps, 0.0)


#: The domain of softmax scores. It excludes -inf: such a score removes its element, and has no slope.
LOGITS = Domain(0, lambda dtype: -6e4 if dtype.bits == 16 else -1e9, inside=0.0)


def names_as(name: str, **others: str) -> dict[str, str]:
    """Return an op's names in TensorFlow, Keras, PyTorch and JAX (default: `name`); pass "" if there is none.

    >>> names_as("log", tf="math.log", torch="")
    {'tf': 'math.log', 'keras': 'log', 'jax': 'log'}
    """
    names = dict(tf=name, keras=name, torch=name, jax=name) | others
    return {framework: spelling for framework, spelling in names.items() if spelling}


def plain(x: Any) -> Any:
    """Return the values of `x` as a plain array without a gradient, for indices and conditions."""
    x = x.value if isinstance(x, Tensor) else as_value(x)
    return x if is_placeholder(x) else np.asarray(x)


def composite(
    *,
    arrays: int = 1,
    elementwise: bool = False,
    slope: str | tuple[str, ...] = (),
    edge_cases: str = "",
    latex: str = "",
    names: dict[str, str] | None = None,
    numpy: Function | None = None,
    method: str | tuple[str, ...] = (),
    samples: tuple[Any, ...] = (),
    example: tuple[Any, ...] = (),
) -> Callable[[Function], Function]:
    """Declare the decorated function as an op. The other arguments are the same as for `defop`.

    arrays : the number of leading arguments that are arrays. Before the function is called, numbers and lists among
        them are converted to Tensors, or to arrays if another of them is an array.
    """

    def declare(f: Function) -> Function:
        leading = f.__code__.co_varnames[: min(arrays, f.__code__.co_argcount)]
        form = form_of(f)

        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            for a in (*args[arrays:], *kwargs.values()) if kwargs else args[arrays:]:
                if isinstance(a, (Tensor, np.ndarray, list, np.generic)):
                    args, kwargs = arranged(form, [*args], kwargs)  # type: ignore[assignment]
                    break
            operands = [*args[:arrays], *(kwargs[k] for k in leading if k in kwargs)]
            if not all([isinstance(a, (Tensor, np.ndarray)) for a in operands]):
                dtype = float_dtype([*args, *kwargs.values()])
                is_array = any(isinstance(a, (np.ndarray, np.generic)) for a in operands)
                raw = is_array and not any(map(holds_tensor, operands))
                args = (*(as_operand(a, dtype, raw) for a in args[:arrays]), *args[arrays:])
                kwargs = {k: as_operand(v, dtype, raw) if k in leading else v for k, v in kwargs.items()}
            try:
                return f(*args, **kwargs)
            except RuntimeWarning:
                return quietly(lambda: f(*args, **kwargs))
            except TypeError as error:
                if better := misnamed(f, kwargs, error):
                    raise better from None
                raise

        op = Op(
            name=f.__name__,
            fn=f,
            elementwise=elementwise,
            kind="composite",
            facts=OpFacts("", latex, texts(slope), edge_cases, names or {}, samples, example),
        )
        _publish(call, op, f, inspect.getdoc(f) or "", numpy, method)
        return call

    return declare


def as_operand(a: Any, dtype: Any, raw: bool) -> Any:
    """Return `a` as a Tensor, or as an array if the other arguments are arrays."""
    if a is None or isinstance(a, (Tensor, np.ndarray, np.generic)):
        return a
    value = adopt(a, dtype)
    return value if raw or isinstance(value, Tensor) else Tensor(value)
