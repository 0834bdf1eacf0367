"""Check the arguments of views: the arguments of a function, the flow, the name of a dtype."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.core.support.error_words import visible

FLOWS = ("auto", "right", "down")
FORMER = ("layout", "rankdir")  #: earlier options of views, replaced by `flow`


def check_flow(flow: str, who: str, inputs: Mapping[str, Any] | None = None, f: Any = None) -> None:
    """Raise an error for an invalid `flow`, or for a former option among `inputs` that `f` does not take.

    inputs : the other keyword arguments of the view. f : the function that is drawn, if any.

    Raises ValueError for an unknown flow, and TypeError for an option that `flow` replaced.

    >>> check_flow("auto", "backward", {"rankdir": "TB"})
    Traceback (most recent call last):
    TypeError: backward has no rankdir: the window chooses the direction; write flow="down" or flow="right" to choose it
    """
    if flow not in FLOWS:
        raise ValueError(f'flow must be "auto", "right" (the result on the right) or "down", got {flow!r:.60}')
    for word in FORMER:
        if word in (inputs or {}) and word not in parameters_of(f):
            raise TypeError(
                f'{who} has no {word}: the window chooses the direction; write flow="down" or flow="right" to choose it'
            )


def parameters_of(f: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function by name, or {} if they are unknown, as with some functions written in C."""
    try:
        return inspect.signature(f).parameters
    except (TypeError, ValueError):
        return {}


def bound(
    f: Callable[..., Any], values: Sequence[Any], inputs: Mapping[str, Any], who: str, shown: str = ""
) -> dict[str, Any]:
    """Return the arguments of `f` by name: `values` in order, then `inputs`.

    shown : the text before the arguments in an error message; the default is the name of `f`.
    Raises TypeError if the arguments do not match the parameters of `f`, or belong to its `*args`.

    >>> bound(lambda x, w: x * w, (2.0,), {"w": 3.0}, "compare")
    {'x': 2.0, 'w': 3.0}
    >>> bound(lambda x: x * x, (), {}, "play")
    Traceback (most recent call last):
    TypeError: play cannot call f with these arguments: missing a required argument: 'x'; write viz.play(f, x=1.0)
    """
    try:
        signature = inspect.signature(f)
    except ValueError:  # functions written in C may have no signature
        return dict(inputs)
    try:
        arguments = dict(signature.bind(*values, **inputs).arguments)
    except TypeError as error:
        own = inspect.unwrap(f)  # an op with TensorFlow's signature also takes minigrad's names
        if own is not f and own.__module__.startswith("minigrad"):
            try:
                return dict(inspect.signature(own).bind(*values, **inputs).arguments)
            except TypeError:
                pass
        name = known_as(f)
        every = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        names = [p.name for p in every if p.name in inputs or p.default is p.empty]
        hint = f"write viz.{who}({', '.join([shown or name, *(f'{word}=1.0' for word in names)])})"
        if any(p.kind is p.POSITIONAL_ONLY for p in every):
            hint = f"write lambda {', '.join(names)}: {name}({', '.join(names)}) instead of {name}"
        raise TypeError(f"{who} cannot call {name} with these arguments: {error}; {hint}") from None
    for p in signature.parameters.values():
        if p.kind is p.VAR_KEYWORD:
            arguments |= arguments.pop(p.name, {})
        elif p.kind is p.VAR_POSITIONAL and p.name in arguments:
            words, name = ", ".join(f"{p.name}{i}" for i, _ in enumerate(arguments[p.name])), known_as(f)
            raise TypeError(
                f"{who} needs a name for each argument, and *{p.name} gives none; write lambda {words}: {name}({words})"
            )
    return arguments


def known_as(f: Any, otherwise: str = "f") -> str:
    """Return the name of a function for titles and sentences, or `otherwise` for a function without a name.

    >>> known_as(np.sin), known_as(lambda x: x)
    ('sin', 'f')
    """
    return visible(getattr(f, "__name__", otherwise).replace("<lambda>", otherwise))


def range_of(name: str, value: Any) -> tuple[float, float]:
    """Return the ends of the range of an argument.

    Raises TypeError unless the range is a pair of numbers, and ValueError unless both are finite and the first is the
    smaller one.

    >>> range_of("x", (-5, 5))
    (-5.0, 5.0)
    """
    try:
        low, high = map(float, value)
    except (TypeError, ValueError):
        raise TypeError(
            f"the range {name} must be a pair of numbers, as in {name}=(-5, 5), got {value!r:.60}"
        ) from None
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"the range {name} must go from a smaller to a larger finite number, got {value}")
    return low, high


def float_dtype(dtype: Any, who: str, word: str) -> np.dtype[Any]:
    """Convert a name or a type to a dtype. Raises TypeError unless the result is float16, float32 or float64.

    >>> float_dtype("float32", "curves", "dtype")
    dtype('float32')
    """
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = np.dtype(object)
    if kind.kind != "f" or kind.itemsize > 8:
        raise TypeError(f"{who} takes {word} float16, float32 or float64, got {dtype!r:.60}")
    return kind
