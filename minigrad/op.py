"""Declaring an op: its NumPy function, its derivative rules, and everything said about it, in one place."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .dispatch import binary, general, unary
from .node import OPS, Op
from .tensor import Tensor

#: NumPy function -> op function, for `np.exp(tensor)` and `np.sum(tensor)`.
BY_NUMPY: dict[Any, Callable[..., Any]] = {}


def defop(
    name: str,
    fn: Callable[..., Any],
    *,
    vjp: Callable[..., Any] | tuple[Callable[..., Any] | None, ...] | None = None,
    joint: Callable[..., Any] | None = None,
    options: Callable[..., Any] | None = None,
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
    options : a function of the same arguments and of keyword-only ones, made of other ops: it is called where one of
        those keywords is given. Its signature and its docstring are then those of the op.
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
    arity = fn.nin if isinstance(fn, np.ufunc) else _operands(fn)
    plain = joint is None and (arity == 2 or (arity == 1 and op.elementwise))
    call = (unary, binary)[arity - 1](op) if plain else general(op, options)
    describe(call, op, options or fn, doc)
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


def _operands(fn: Callable[..., Any]) -> int:
    """How many arguments `fn` takes, if it takes nothing else; 0 where it has options, which may come by keyword."""
    code = getattr(fn, "__code__", None)
    if code is None or fn.__defaults__ or code.co_kwonlyargcount or code.co_flags & inspect.CO_VARARGS:
        return 0
    names = code.co_varnames[: code.co_argcount]
    return len(names) if names[1:] in ((), ("y",), ("b",), ("key",)) else 0


def describe(call: Callable[..., Any], op: Op, fn: Callable[..., Any], doc: str) -> None:
    """Give the op function its name, signature and docstring, made from the declaration."""
    call.__name__ = call.__qualname__ = op.name
    call.__module__ = "minigrad"
    own = str(getattr(fn, "__module__", "")).startswith("minigrad")
    call.__doc__ = "\n\n".join(filter(None, [doc or (inspect.getdoc(fn) or "" if own else ""), *_facts(op)]))
    if not isinstance(fn, np.ufunc):
        call.__wrapped__ = fn  # type: ignore[attr-defined]  # whose signature it then has


def complete(call: Callable[..., Any], op: Op) -> None:
    """Add what the declaration of `op` says to the docstring of `call`, a function that is written around the op."""
    doc, facts = call.__doc__ or "", _facts(op)
    if facts and facts[-1] not in doc:
        call.__doc__ = "\n\n".join(filter(None, [inspect.cleandoc(doc), *facts]))


def _facts(op: Op) -> list[str]:
    """What a declaration says, in sentences of a docstring."""
    facts = [f"Formula: {op.latex}"] if op.latex else []
    facts += [f"Local derivative: {'; '.join(op.local)}"] if op.local else []
    facts += [f"At awkward points: {op.domain}"] if op.domain else []
    return facts + (["Elsewhere: " + ", ".join(f"{k}: {v}" for k, v in op.names.items())] if op.names else [])
