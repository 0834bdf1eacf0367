"""What declarations are made with, beside `defop`: composite ops, and names in other frameworks.

A composite is a function made of other ops, declared like them so that tables, tests and names know it too. It
records nothing of its own; what it calls is recorded, and its gradient is theirs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..mixed import adopt, float_dtype, holds_tensor
from ..node import OPS, Op
from ..op import BY_NUMPY, describe
from ..tensor import Tensor, as_value, quietly


def spelled(name: str, **elsewhere: str) -> dict[str, str]:
    """The names of an op that TensorFlow, Keras, PyTorch and JAX call `name`, but for those given; "" stands for none.

    >>> spelled("log", tf="math.log", torch="")
    {'tf': 'math.log', 'keras': 'log', 'jax': 'log'}
    """
    names = dict(tf=name, keras=name, torch=name, jax=name) | elsewhere
    return {framework: spelling for framework, spelling in names.items() if spelling}


def plain(x: Any) -> Any:
    """The values of `x` as an array, for a function that decides by them: no gradient passes through a decision."""
    x = x.value if isinstance(x, Tensor) else as_value(x)
    return x if hasattr(type(x), "as_value") else np.asarray(x)  # what stands for an array stays


def composite(
    *,
    arrays: int = 1,
    elementwise: bool = False,
    local: str | tuple[str, ...] = (),
    domain: str = "",
    latex: str = "",
    names: dict[str, str] | None = None,
    numpy: Callable[..., Any] | None = None,
    method: str | tuple[str, ...] = (),
    samples: tuple[Any, ...] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the decorated function an op; the arguments are those of `defop`.

    arrays : how many leading arguments are arrays. Numbers and lists among them become Tensors, or arrays where
        another of them is one, before the function sees them.
    """

    def declare(f: Callable[..., Any]) -> Callable[..., Any]:
        leading = f.__code__.co_varnames[: min(arrays, f.__code__.co_argcount)]

        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = [*args[:arrays], *(kwargs[k] for k in leading if k in kwargs)]
            for a in given:
                if not isinstance(a, (Tensor, np.ndarray)):
                    break
            else:
                try:
                    return f(*args, **kwargs)
                except RuntimeWarning:
                    return quietly(lambda: f(*args, **kwargs))
            dtype = float_dtype([*args, *kwargs.values()])
            raw = any(isinstance(a, (np.ndarray, np.generic)) for a in given) and not any(map(holds_tensor, given))
            args = (*(_array(a, dtype, raw) for a in args[:arrays]), *args[arrays:])
            return f(*args, **{k: _array(v, dtype, raw) if k in leading else v for k, v in kwargs.items()})

        op = Op(
            name=f.__name__, fn=f, elementwise=elementwise, domain=domain, latex=latex, names=names or {},
            local=(local,) if isinstance(local, str) else local, samples=samples, kind="composite",
        )
        describe(call, op, f, inspect.getdoc(f) or "")
        op.call = call
        OPS[op.name] = op
        if numpy is not None:
            BY_NUMPY[numpy] = call
        for alias in (method,) if isinstance(method, str) else method:
            setattr(Tensor, alias, call)
        return call

    return declare


def _array(a: Any, dtype: Any, raw: bool) -> Any:
    """`a` as something with a shape and a dtype: a Tensor, or an array where the others are arrays."""
    if a is None or isinstance(a, (Tensor, np.ndarray, np.generic, str)):
        return a
    value = adopt(a, dtype)
    return value if raw or isinstance(value, Tensor) else Tensor(value)
