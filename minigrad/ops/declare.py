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

from ..dispatch import holds_tensor
from ..node import OPS, Op
from ..op import BY_NUMPY, describe
from ..tensor import Tensor, as_value


def spelled(name: str, **elsewhere: str) -> dict[str, str]:
    """The names of an op that TensorFlow, Keras, PyTorch and JAX call `name`, but for those given; "" stands for none.

    >>> spelled("log", tf="math.log", torch="")
    {'tf': 'math.log', 'keras': 'log', 'jax': 'log'}
    """
    names = dict(tf=name, keras=name, torch=name, jax=name) | elsewhere
    return {framework: spelling for framework, spelling in names.items() if spelling}


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
        leading = tuple(inspect.signature(f).parameters)[:arrays]

        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = [*args[:arrays], *(kwargs[k] for k in leading if k in kwargs)]
            for a in given:
                if not isinstance(a, (Tensor, np.ndarray)):
                    break
            else:
                return f(*args, **kwargs)
            args = (*(_array(a, given) for a in args[:arrays]), *args[arrays:])
            return f(*args, **{k: _array(v, given) if k in leading else v for k, v in kwargs.items()})

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


def _array(a: Any, given: list[Any]) -> Any:
    """`a` as something with a shape and a dtype: a number among Tensors or arrays adopts their dtype."""
    if a is None or isinstance(a, (Tensor, np.ndarray, np.generic, str)):
        return a
    if holds_tensor(a):
        return OPS["stack"].call([_array(row, given) if isinstance(row, (list, tuple)) else row for row in a])
    known = [x.dtype for x in given if isinstance(x, (Tensor, np.ndarray, np.generic))]
    if not known:
        return Tensor(a)
    floating = [dtype for dtype in known if dtype.kind == "f"]
    return as_value(a).astype(floating[0]) if floating else as_value(a)
