"""Compute slopes by finite differences, and detect kinks and nonfinite values.

A slope computed this way needs no gradient rules, only calls to the function at nearby points. Gradients can therefore
be checked against these slopes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.support.structure import flatten, leaves, rebuild
from ..core.support.tensor_values import as_value
from ..core.tensor import Tensor
from ..core.variable import Variable
from ..transforms.nesting import call_recorded


class Slope(NamedTuple):
    """The slope of a function along one direction, with one entry for each element of its value.

    value : the slopes.
    kink : true for an element whose slope jumps nearby.
    edge : true for an element with a value of inf or nan nearby.
    """

    value: Any
    kink: Any
    edge: Any


def slope(f: Callable[[float], Any], step: float = 1e-4, noise: float = 1e-6) -> Slope:
    """Return the slope at 0 of a function of one number that returns an array.

    Central differences with two steps cancel the error of order step**2 (Richardson's extrapolation). For a smooth
    function, halving the step halves the difference between the slopes on both sides, and quarters the difference
    between two central slopes. If it does not, the function or its slope has a kink or a jump.

    noise : the largest difference between slopes that is attributed to rounding, relative to the scale of the values.

    >>> slope(lambda t: np.array([t**3 + 2 * t, abs(t)])).kink
    array([False,  True])
    """
    with np.errstate(all="ignore"):
        here = np.asarray(f(0.0), np.float64)
        means, (wide, middle, near) = _both_sides(f, step)
        value = (4 * middle - wide) / 3
        bends = [2 * (mean - here) / (step / part) for mean, part in zip(means, (1, 2, 4))]
        scale = noise * (1 + np.abs(value) + np.abs(here))
        smooth = np.abs(middle - near - (wide - middle) / 4) <= scale / 10
        for bend, part in zip(bends[1:], (2, 4)):
            smooth &= np.abs(bend - bends[0] / part) <= scale + 1e-4 * np.abs(bends[0])
        edge = ~np.isfinite(value + here)
    return Slope(value, ~smooth & ~edge, edge)


def tends_to(f: Callable[[float], Any], step: float = 0.02) -> tuple[Any, Any]:
    """Return the limits at 0 of a smooth function and of its slope, or nan if there is no limit.

    Only values near 0 are used, not the value at 0. On each side, two polynomials are fitted through eight points each,
    at two distances, and all of them must agree. The result combines both sides. If the function is nan everywhere on
    one side, this side is outside its domain, and only the other side counts.

    >>> value, slope = tends_to(lambda t: np.expm1(t) / t)
    >>> value.round(9), slope.round(9)
    (np.float64(1.0), np.float64(0.5))
    """
    one_sided, centered = [], []
    with np.errstate(all="ignore"):
        for h in (step, step / 4):
            up, down = (np.array([f(side * k) for k in range(1, 9)], np.float64) for side in (h, -h))
            for values, side in ((up, h), (down, -h)):
                if not np.isnan(values).all():
                    level, tilt = np.tensordot(_THROUGH_EIGHT, values, 1)
                    one_sided.append((level, tilt / side))
            even, odd = (up + down) / 2, (up - down) / (2 * h)
            centered.append((np.tensordot(_CENTERED, even, 1), np.tensordot(_CENTERED / np.arange(1, 9), odd, 1)))
        if not one_sided:
            return np.nan, np.nan
        far, near = (np.mean(each, axis=0) for each in np.split(np.array(one_sided), 2))
        if len(one_sided) == 4:
            smooth = _agree(np.array(centered), 1e-9, 2e-8)
            far, near = (np.where(smooth, c, one) for c, one in zip(centered, (far, near)))
        agree = _agree(np.array(one_sided), 1e-7, 1e-5) & _agree(np.array([far, near]), 1e-8, 1e-6)
    value, slope = np.where(agree, far, np.nan)
    return value[()], slope[()]


def curvature(f: Callable[[float], Any], step: float = 0.04) -> Any:
    """Return the limit at 0 of the second derivative of a smooth function, or nan if there is no limit.

    Only values near 0 are used, not the value at 0. Two polynomials, at two distances, are fitted through eight points
    on each side, and must agree.

    >>> curvature(lambda t: np.expm1(t) / t).round(7)
    np.float64(0.3333333)
    """
    with np.errstate(all="ignore"):
        means = ([(np.asarray(f(h * k), np.float64) + f(-h * k)) / 2 for k in range(1, 9)] for h in (step, step / 2))
        far, near = (2 * np.tensordot(_BEND, np.array(values), 1) / h**2 for values, h in zip(means, (step, step / 2)))
        return np.where(np.abs(far - near) <= 1e-6 * (1 + np.abs(far)), far, np.nan)[()]


def _agree(pairs: Any, level: float, tilt: float) -> Any:
    """Return, for each element, whether the values in several (value, slope) pairs agree, and the slopes too.

    level, tilt : the allowed differences of values and of slopes, relative to 1 + abs(value) + abs(slope).
    """
    scale = 1 + np.abs(pairs[0]).sum(axis=0)
    return (np.ptp(pairs[:, 0], axis=0) <= level * scale) & (np.ptp(pairs[:, 1], axis=0) <= tilt * scale)


#: Weights of the values at 1 to 8 that give the value and the slope at 0 of the polynomial through them.
_THROUGH_EIGHT = np.linalg.inv(np.vander(np.arange(1.0, 9.0), increasing=True))[:2]
#: Weights of the values at 1 to 8 that give the value at 0 and the quadratic coefficient of the even polynomial
#: through them.
_CENTERED, _BEND = np.linalg.inv(np.vander(np.arange(1.0, 9.0) ** 2, increasing=True))[:2]


def _both_sides(f: Callable[[float], Any], step: float) -> tuple[list[Any], list[Any]]:
    """Return (f(h) + f(-h)) / 2 and (f(h) - f(-h)) / (2 * h) for h = step, step / 2 and step / 4, as two lists."""
    steps = (step, step / 2, step / 4)
    sides = [(np.asarray(f(h), np.float64), np.asarray(f(-h), np.float64)) for h in steps]
    return [(up + down) / 2 for up, down in sides], [(up - down) / (2 * h) for (up, down), h in zip(sides, steps)]


def numeric_gradient(f: Callable[..., Any], x: Any, step: float = 1e-4) -> np.ndarray[Any, Any]:
    """Return the gradient of a function of one array, computed with central differences in float64.

    The function must return one number. Each element of `x` costs six calls to `f`. An element at a kink gets the mean
    of the slopes on both sides.

    step : the distance from `x` to the points where `f` is called; for an element larger than 1, it is relative to the
        element's size.

    >>> numeric_gradient(lambda x: (x * x).sum(), np.array([1.0, 2.0])).round(6)
    array([2., 4.])
    """

    def value(x: Any) -> Any:
        y = f(Tensor(x))
        return y.value if isinstance(y, Tensor) else y

    return elementwise_slopes(value, x.value if isinstance(x, Tensor) else x, step)


def elementwise_slopes(f: Callable[[Any], Any], x: Any, step: float = 1e-4) -> Any:
    """Return the slope of a function along each element of an array, in the shape of the array.

    The function takes the array and returns one number.
    """
    x = np.asarray(x, np.float64)
    slopes = np.zeros_like(x)
    for index in np.ndindex(*x.shape):

        def along(t: float, index: Any = index) -> Any:
            moved = x.copy()
            moved[index] += t
            return f(moved)

        slopes[index] = slope(along, step * max(1.0, abs(float(x[index])))).value
    return slopes[()]


# The inputs of a function to vary, and the directions to move them in.

#: A function from the inputs to its named outputs.
NamedFunction = Callable[[list[Tensor]], list[tuple[str, Tensor]]]


class Inputs:
    """The float leaves of a function's arguments, and the Variables that the function uses, as float64.

    names, values : the names and values of all inputs, with the arguments before the Variables.
    """

    def __init__(self, names: list[str], values: list[Any], variables: list[Variable]) -> None:
        self.names, self.variables = names, variables
        self.values = values + [np.array(v.value, np.float64) for v in variables]

    def at(self, values: list[Any]) -> list[Tensor]:
        """Set the Variables to their part of `values`; return a Tensor for each argument, followed by the Variables."""
        count = len(values) - len(self.variables)
        for variable, value in zip(self.variables, values[count:]):
            variable.hold(np.array(value)[()])
        return [*(Tensor(value) for value in values[:count]), *self.variables]


def prepare(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[str], list[Any], NamedFunction]:
    """Return the names and the values of the float leaves in `args`, and `f` as a function of a list of such leaves.

    That function takes Tensors, and returns the float outputs of `f` with their names.
    """
    names: list[str] = []
    values: list[Any] = []
    positions: list[int | None] = []
    for name, arg in zip(_names(f, len(args)), args):
        for path, leaf in leaves(arg, name):
            is_float = isinstance(leaf, (float, np.ndarray, np.generic, Tensor)) and np.asarray(leaf).dtype.kind == "f"
            positions.append(len(values) if is_float else None)
            if is_float:
                names.append(path)
                values.append(np.array(leaf if isinstance(leaf, float) else as_value(leaf), np.float64))

    root = "value" if "y" in names else "y"

    def call(tensors: list[Tensor]) -> list[tuple[str, Tensor]]:
        mixed = [leaf if i is None else tensors[i] for i, leaf in zip(positions, flatten(list(args)))]
        result = call_recorded(f, *rebuild(list(args), mixed))
        tensors_out = [(path, y) for path, y in leaves(result, root) if isinstance(y, Tensor)]
        return [(path, y.read_value()) for path, y in tensors_out if y.dtype.kind == "f"]

    return names, values, call


def _names(f: Callable[..., Any], count: int) -> list[str]:
    try:
        names = [p.name for p in inspect.signature(f).parameters.values() if p.kind is not p.VAR_POSITIONAL]
    except (TypeError, ValueError):
        names = []
    return (names + [f"argument {i}" for i in range(len(names), count)])[:count]


class Probes(NamedTuple):
    """The directions for comparing arrays: their names, and a function that multiplies a flat array by all of them.

    The directions are the elements themselves, or a few random directions if there are many elements.
    """

    names: list[str]
    directions: Any
    product: Callable[[Any], Any]


def elements(paths: list[tuple[str, tuple[int, ...]]]) -> Probes:
    names = [
        path + (f"[{', '.join(map(str, index))}]" if shape else "")
        for path, shape in paths
        for index in np.ndindex(*shape)
    ]
    return Probes(names, np.eye(len(names)), np.asarray)  # multiplying by the identity would turn 0 * inf into nan


def random_directions(what: str, units: Any, rng: np.random.Generator) -> Probes:
    """Draw three random directions. what : their name in reports. units : the size of a step in each entry."""
    directions = rng.normal(size=(3, len(units))) * units
    return Probes([f"{what} along direction {i}" for i in range(3)], directions, directions.__matmul__)


def flat(arrays: list[Any]) -> Any:
    return np.concatenate([np.ravel(a) for a in arrays]) if arrays else np.zeros(0)


def parts(whole: Any, like: list[Any]) -> list[Any]:
    """Split a flat array into parts with the shapes of `like`."""
    ends = np.cumsum([0, *(a.size for a in like)])
    return [whole[begin:end].reshape(a.shape) for a, begin, end in zip(like, ends, ends[1:])]
