"""Treat the Variables of a function as arguments, so that each has a field for its rule, like an input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CellType, FunctionType
from typing import Any

from minigrad.core.custom import CustomGradient
from minigrad.core.support.custom_checks import check_pair
from minigrad.core.support.error_words import name_of
from minigrad.core.variable import Variable


def variables_of(f: Callable[..., Any]) -> dict[str, Variable]:
    """Return the trainable float Variables that the code of `f` uses, by their names in its globals or closure.

    >>> w = Variable(3.0)
    >>> variables_of(lambda x: x * w)
    {'w': Variable('Variable', 3.0, dtype=float32)}
    """
    body = f.f if isinstance(f, CustomGradient) else f
    if not isinstance(body, FunctionType):
        return {}
    names = {name: body.__globals__[name] for name in body.__code__.co_names if name in body.__globals__}
    for name, cell in zip(body.__code__.co_freevars, body.__closure__ or ()):
        names[name] = content_of(cell)
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, Variable) and value.trainable and value.dtype.kind == "f"
    }


def opened(f: Callable[..., Any], variables: Mapping[str, Variable]) -> Callable[..., Any]:
    """Return `f` without its rule, if any, and with each of `variables` as an additional keyword argument."""
    body: Any = f.f if isinstance(f, CustomGradient) else f

    def with_variables(**inputs: Any) -> Any:
        values = {name: inputs.pop(name) for name in variables if name in inputs}
        y = (_bound(body, values) if values else body)(**inputs)
        return check_pair(f.f, y)[0] if isinstance(f, CustomGradient) else y

    with_variables.__name__ = name_of(f)
    with_variables.body = body  # type: ignore[attr-defined]
    return with_variables


def _bound(body: FunctionType, values: Mapping[str, Any]) -> FunctionType:
    """Return a copy of the function whose globals and closure have other values. values : name -> value."""
    cells = tuple(
        CellType(values[name]) if name in values else cell
        for name, cell in zip(body.__code__.co_freevars, body.__closure__ or ())
    )
    changed = FunctionType(body.__code__, {**body.__globals__, **values}, body.__name__, body.__defaults__, cells)
    changed.__kwdefaults__ = body.__kwdefaults__
    return changed


def content_of(cell: Any) -> Any:
    """Return the value of a name in a closure, or None if it is not assigned yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
