"""The inputs that `check_gradients` varies: the floats among the arguments, and the Variables that are used."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.structure import flatten, leaves, rebuild
from ..core.tensor import Tensor
from ..core.values import as_value
from ..core.variable import Variable

#: A function from the inputs to its named outputs.
NamedFunction = Callable[[list[Tensor]], list[tuple[str, Tensor]]]


class Inputs:
    """The float leaves of the arguments of a function and the Variables that it uses, as float64.

    names, values : of all inputs, the arguments first.
    """

    def __init__(self, names: list[str], values: list[Any], variables: list[Variable]) -> None:
        self.names, self.variables = names, variables
        self.values = values + [np.array(v.value, np.float64) for v in variables]

    def at(self, values: list[Any]) -> list[Tensor]:
        """The inputs at these values: new Tensors for the arguments, and the Variables, which are set to them."""
        count = len(values) - len(self.variables)
        for variable, value in zip(self.variables, values[count:]):
            variable.hold(np.array(value)[()])
        return [*(Tensor(value) for value in values[:count]), *self.variables]


def prepare(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[str], list[Any], NamedFunction]:
    """The float leaves of the arguments, their names, and `f` as a function of a list of Tensors."""
    names: list[str] = []
    values: list[Any] = []
    positions: list[int | None] = []
    for name, arg in zip(_names(f, len(args)), args):
        for path, leaf in leaves(arg, name):
            is_float = isinstance(leaf, (float, np.ndarray, np.generic, Tensor)) and np.asarray(leaf).dtype.kind == "f"
            positions.append(len(values) if is_float else None)
            if is_float:
                names.append(path)
                values.append(np.array(as_value(leaf), np.float64))

    root = "value" if "y" in names else "y"

    def call(tensors: list[Tensor]) -> list[tuple[str, Tensor]]:
        mixed = [leaf if i is None else tensors[i] for i, leaf in zip(positions, flatten(list(args)))]
        found = [(path, y) for path, y in leaves(f(*rebuild(list(args), mixed)), root) if isinstance(y, Tensor)]
        return [(path, y.read_value()) for path, y in found if y.dtype.kind == "f"]

    return names, values, call


def _names(f: Callable[..., Any], count: int) -> list[str]:
    try:
        names = [p.name for p in inspect.signature(f).parameters.values() if p.kind is not p.VAR_POSITIONAL]
    except (TypeError, ValueError):
        names = []
    return (names + [f"argument {i}" for i in range(len(names), count)])[:count]
