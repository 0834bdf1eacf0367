"""What a custom rule promises, checked the moment it answers: one gradient for each input, of its shape and dtype.

Each complaint names the function, the rule with its file and line, the argument, what was expected and what came.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .structure import children, flatten, is_structure, leaves
from .tensor import Tensor


def name_of(f: Any) -> str:
    """The name of a function, of what a partial wraps, or of a callable object's class."""
    while isinstance(f, functools.partial):
        f = f.func
    return getattr(f, "__name__", type(f).__name__)


def place_of(f: Any) -> str:
    """Where a function is written: `log1pexp (lesson.py:12)`, or the line of the notebook cell."""
    while isinstance(f, functools.partial):
        f = f.func
    code = getattr(inspect.unwrap(f), "__code__", None) or getattr(type(f).__call__, "__code__", None)
    if code is None:
        return name_of(f)
    return f"{name_of(f)} ({file_and_line(code.co_filename, code.co_firstlineno)})"


def file_and_line(filename: str, line: int) -> str:
    """`file.py:12`; for a cell of a notebook, whose file is a temporary one, `cell line 12`."""
    if "ipykernel" in filename or filename.startswith("<"):
        return f"cell line {line}"
    return f"{os.path.basename(filename)}:{line}"


def describe(x: Any) -> str:
    """What `x` is, in the words a student would use."""
    if isinstance(x, Tensor):
        return f"a {type(x).__name__} of shape {x.shape}"
    if isinstance(x, str):
        return f"the string {x!r}"
    if x is None:
        return "None"
    if isinstance(x, (list, tuple)):
        return f"a {type(x).__name__} of {len(x)}"
    return f"{x!r:.40} of type {type(x).__name__}"


def plural(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def check_pair(f: Callable[..., Any], result: Any) -> tuple[Any, Callable[..., Any]]:
    """The pair (value, grad_fn) that `f` must return."""
    place = place_of(f)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        count = f"{plural(len(result), 'value')}" if isinstance(result, (tuple, list)) else describe(result)
        raise TypeError(
            f"{place} must return (value, grad_fn), but returned {count}. Add the gradient function: return y, grad"
        )
    value, grad_fn = result
    if not callable(grad_fn):
        swapped = " The pair seems to be the wrong way round." if callable(value) else ""
        raise TypeError(
            f"{place} must return (value, grad_fn), but returned grad_fn={describe(grad_fn)}, which cannot be called.{swapped}"
        )
    if inspect.isgenerator(value):
        raise TypeError(f"{place} returned a generator as its value; return a list or a tuple of Tensors")
    for path, leaf in leaves(value, "value"):
        if not isinstance(leaf, (Tensor, np.ndarray, np.generic, bool, int, float)):
            raise TypeError(f"{place} must return a Tensor or a structure of Tensors, but {path} is {describe(leaf)}")
    return value, grad_fn


def split_variables(place: str, answer: Any, names: Sequence[str]) -> tuple[Any, list[Any]]:
    """(grad_xs, grad_vars) of a rule that uses variables; grad_vars as a list in the order of `names`."""
    form = f"{place} must return (grad_xs, grad_vars) with grad_vars a list of {len(names)} ({', '.join(names)})"
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise TypeError(f"{form}, got {describe(answer)}")
    grad_xs, grad_vars = answer
    if isinstance(grad_vars, Mapping):
        by_name = {getattr(key, "name", key): value for key, value in grad_vars.items()}
        unknown = sorted(set(by_name) - set(names))
        if unknown:
            raise ValueError(f"{form}; its dict names {', '.join(unknown)} instead")
        return grad_xs, [by_name.get(name) for name in names]
    if not isinstance(grad_vars, (list, tuple)):
        raise TypeError(f"{form}, got {describe(grad_vars)}")
    if len(grad_vars) != len(names):
        raise ValueError(
            f"{place} must return gradient for each variable: expected {len(names)} ({', '.join(names)}), got {len(grad_vars)}"
        )
    return grad_xs, list(grad_vars)


def match_inputs(place: str, called: str, answer: Any, args: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """The answer of a rule as a flat list with one entry for each leaf of the inputs.

    Accepted are one gradient for a single input, a flat sequence with one for each leaf, a sequence with one entry for
    each argument, nested like it (None for all of its leaves), and a dict from argument names to such entries.
    """
    wanted = len(flatten(list(args)))
    if inspect.isgenerator(answer):
        raise ValueError(f"{place} returned a generator; return a list or a tuple of gradients")
    if isinstance(answer, Mapping) and set(answer) <= set(names) and answer:
        answer = [answer.get(name) for name in names]
        return _nested(place, answer, args, names)
    if len(args) == 1 and is_structure(args[0]) and _fits(answer, args[0]):
        return _spread(answer, args[0])
    if not isinstance(answer, (list, tuple)):
        answer = [answer]
    if len(answer) == len(args) and any(is_structure(a) for a in args) and all(map(_fits, answer, args)):
        return _nested(place, answer, args, names)
    if len(answer) == wanted and not any(is_structure(a) for a in answer):
        return list(answer)
    got = len(flatten(answer))
    if got == wanted:
        raise ValueError(
            f"{place} returned {plural(got, 'gradient')} nested otherwise than the inputs of {called} ({', '.join(names)}); "
            f"nest them alike, or return a flat list"
        )
    inputs = f"{plural(wanted, 'input')} ({', '.join(names)})" if wanted else "no inputs"
    raise ValueError(
        f"{place} returned {plural(got, 'gradient')}, but {called} was called with {inputs}. "
        f"Return one per input, None where there is none"
    )


def _fits(answer: Any, arg: Any) -> bool:
    """Whether `answer` is nested like `arg`, where None may stand for a whole branch."""
    if answer is None:
        return True
    if not is_structure(arg) or not is_structure(answer):
        return not is_structure(arg) and not is_structure(answer)
    mine, theirs = children(arg), children(answer)
    return [k for k, _ in mine] == [k for k, _ in theirs] and all(_fits(b, a) for (_, a), (_, b) in zip(mine, theirs))


def _nested(place: str, answer: Sequence[Any], args: Sequence[Any], names: Sequence[str]) -> list[Any]:
    for a, arg, name in zip(answer, args, names):
        if not _fits(a, arg):
            raise ValueError(f"{place}: the gradient for {name} is not nested like {name}")
    return [leaf for a, arg in zip(answer, args) for leaf in _spread(a, arg)]


def _spread(answer: Any, arg: Any) -> list[Any]:
    if answer is None:
        return [None] * len(flatten(arg))
    if not is_structure(arg):
        return [answer]
    return [x for (_, a), (_, b) in zip(children(answer), children(arg)) for x in _spread(a, b)]


def check_gradient(place: str, what: str, gradient: Any, like: Any, outputs: Sequence[tuple[int, ...]]) -> Any:
    """`gradient` as a Tensor of the shape and dtype of `like`; `what` names the input, `outputs` the output shapes."""
    if isinstance(gradient, Tensor):
        gradient = gradient.read_value()
    elif isinstance(gradient, (bool, np.bool_)) or not isinstance(gradient, (np.ndarray, np.generic, int, float)):
        raise TypeError(f"{place}: the gradient for {what} is {describe(gradient)} ({like.dtype} expected)")
    else:
        python = isinstance(gradient, (int, float)) and not isinstance(gradient, np.generic)
        gradient = Tensor(gradient, like.dtype if python else None)
    if gradient.dtype.kind != "f":
        raise TypeError(f"{place}: the gradient for {what} is {gradient.dtype} ({like.dtype} expected)")
    if gradient.shape != like.shape:
        noun = re.sub(r"^(input|variable) ", "", what)
        raise ValueError(
            f"{place}: the gradient for {what} has shape {gradient.shape}, but {noun} has shape {like.shape}. "
            f"{_shape_hint(gradient.shape, like.shape, noun, outputs)}"
        )
    return gradient if gradient.dtype == like.dtype else gradient.astype(like.dtype)


def _shape_hint(got: tuple[int, ...], want: tuple[int, ...], noun: str, outputs: Sequence[tuple[int, ...]]) -> str:
    if any(got == out + want for out in outputs if out):
        return "That looks like the Jacobian; return dy @ J, not J"
    lead = len(got) - len(want)
    if lead >= 0 and all(n == m or n == 1 for n, m in zip(want, got[lead:])):
        axes = [*range(lead), *(lead + i for i, (n, m) in enumerate(zip(want, got[lead:])) if n != m)]
        where = f"axis {axes[0]}" if len(axes) == 1 else f"axes {tuple(axes)}"
        return f"{noun} was broadcast over {where}: sum the gradient over {where}"
    if got == ():
        return (
            f"Return an array with one slope for each element of {noun}; to spread a number write g * ones_like({noun})"
        )
    return "A gradient has the shape of what it is the gradient of"
