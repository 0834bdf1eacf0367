"""The inputs with which an exercise is tried: simple points first, then points that hypothesis draws from the range."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .compared_values import Shown

#: Points in the order in which a person would try them; the first failing one is shown.
SIMPLE = (1.0, 0.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 10.0, -10.0, 100.0, -100.0, 1000.0, -1000.0)

DETAIL = 1 + 2.0**-33  #: a factor that turns a float32 number into one that float32 cannot represent


@dataclass(frozen=True)
class Floats:
    """A domain: the numbers from `low` to `high`; the points in `also` are always tried, before all others."""

    low: float
    high: float
    also: tuple[float, ...] = ()

    def grid(self) -> list[float]:
        """Return simple points inside the range, then its ends and seven points between them."""
        ends = [self.low, self.high, *np.linspace(self.low, self.high, 9)[1:-1].tolist()]
        return list(dict.fromkeys(p for p in (*self.also, *SIMPLE, *ends) if self.low <= p <= self.high))

    def draw(self, rng: Any, count: int) -> Any:
        """Draw numbers in the range: half of them uniformly, and half spread over all magnitudes."""
        anywhere = rng.uniform(self.low, self.high, count)
        reach = max(abs(self.low), abs(self.high), 1e-3)
        small = rng.choice([-1.0, 1.0], count) * reach * 10 ** rng.uniform(-10, 0, count)
        inside = (small >= self.low) & (small <= self.high) & (np.arange(count) % 2 == 0)
        return np.where(inside, small, anywhere)

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        short = st.floats(_narrow(self.low, 1), _narrow(self.high, -1), allow_nan=False, width=32)
        return short | short.map(lambda x: float(np.clip(x * DETAIL, self.low, self.high)))


@dataclass(frozen=True)
class Arrays:
    """A domain: arrays of one of the given shapes, with small nonzero whole numbers that make a failure readable."""

    shapes: tuple[tuple[int, ...], ...]

    def grid(self) -> list[Any]:
        return [_counting(shape, shift) for shift in (0, 2, 3, 4) for shape in self.shapes]

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        number = st.sampled_from([1.0, 2.0, 3.0, -1.0, -2.0])
        one = lambda shape: st.lists(number, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))).map(
            lambda values: np.reshape(values, shape)
        )
        return st.sampled_from(self.shapes).flatmap(one)


@dataclass(frozen=True)
class Samples:
    """A domain of listed values; some have a text to show instead, written like a student's code."""

    values: tuple[Any, ...]

    def grid(self) -> list[Any]:
        return list(self.values)

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        return st.sampled_from(self.values)


@dataclass(frozen=True)
class InVariable:
    """A domain whose values are passed in a Variable called `name`."""

    domain: Any
    name: str

    def grid(self) -> list[Any]:
        return self.domain.grid()

    def strategy(self) -> Any:
        return self.domain.strategy()


def samples(*values: Any, **shown: Any) -> Samples:
    """Return a domain with only these values; a value given by keyword or in a dict is shown by its name.

    >>> samples([1, [2, 3]], []).grid()
    [[1, [2, 3]], []]
    >>> samples({"b + b*b": 6.0}).grid()
    [b + b*b]
    """
    named = {**(values[0] if len(values) == 1 and isinstance(values[0], dict) else {}), **shown}
    return Samples(tuple(Shown(v, text) for text, v in named.items()) if named else values)


def variable(domain: Any, name: str) -> InVariable:
    """Return the domain with its values passed in a Variable called `name`.

    >>> variable(floats(0, 1), "w").name
    'w'
    """
    return InVariable(domain, name)


def floats(low: float, high: float, also: Sequence[float] = ()) -> Floats:
    """Return a domain with any number from `low` to `high`.

    >>> floats(-1, 4, also=[3.5]).grid()[:5]
    [3.5, 1.0, 0.0, -1.0, 2.0]
    """
    return Floats(float(low), float(high), tuple(float(p) for p in also))


def arrays(*shapes: tuple[int, ...]) -> Arrays:
    """Return a domain with any array of one of these shapes.

    >>> arrays((2,), (2, 2)).grid()[0]
    array([1., 2.])
    """
    return Arrays(shapes)


def grid(domains: Sequence[Any], most: int = 100) -> list[tuple[Any, ...]]:
    """Combine the points of several domains, simple ones first.

    >>> grid([floats(0, 1), floats(2, 3)])[:3]
    [(1.0, 2.0), (1.0, 3.0), (0.0, 2.0)]
    """
    axes = [list(enumerate(domain.grid())) for domain in domains]
    combined = sorted(itertools.product(*axes), key=lambda point: sum(rank for rank, _ in point))
    return [tuple(value for _, value in point) for point in combined[:most]]


#: Shape of an array with which a function of numbers is also tried -> how many such arrays are tried. The first shape
#: is tried more often than it is recorded, so its graph is also run at inputs with which the function was not called.
SHAPES = {(2,): 4, (1,): 2, (0,): 1, (2, 3): 2}
TOGETHER = (((2, 1), (1, 3)), ((3,), ()))  # shapes of two inputs that broadcast


def array_points(domains: Sequence[Any], broadcast: bool) -> list[tuple[Any, ...]]:
    """Return points whose inputs are arrays filled with the domains' first numbers; in each point all shapes are equal.

    broadcast : whether to add points whose two inputs have different shapes that broadcast.

    >>> array_points([floats(0, 4)], broadcast=False)[0]
    (array([1., 0.]),)
    """
    axes = [domain.grid() for domain in domains]
    points = []
    for shape, times in SHAPES.items():
        for turn in range(times):
            points.append(tuple(_filled(axis, shape, 2 * turn + 3 * i) for i, axis in enumerate(axes)))
    if broadcast and len(axes) == 2:
        points += [tuple(_filled(axis, shape, 1) for axis, shape in zip(axes, pair)) for pair in TOGETHER]
    return points


def _filled(numbers: Sequence[float], shape: tuple[int, ...], begin: int) -> Any:
    count = int(np.prod(shape))
    return np.reshape([float(numbers[(begin + i) % len(numbers)]) for i in range(count)], shape)


def _counting(shape: tuple[int, ...], shift: int) -> Any:
    values = (1.0, 2.0, -1.0, 3.0, -2.0)
    return np.reshape([values[(i + shift) % 5] for i in range(int(np.prod(shape)))], shape)


def _narrow(end: float, towards: int) -> float:
    """Return the end of a range as a float32, rounded towards the inside of the range."""
    as32 = float(np.float32(end))
    beyond = (as32 < end) if towards > 0 else (as32 > end)
    return float(np.nextafter(np.float32(end), np.float32(towards * np.inf))) if beyond else as32


def ranges(says: str, vary: Any) -> tuple[Any, ...]:
    """Return `vary` as a tuple of ranges, one for each input, or raise a TypeError that says what to write."""
    if not isinstance(vary, (tuple, list)):
        raise TypeError(f"vary of {says!r} must be a tuple with one range for each input: write vary=({vary!r},)")
    for domain in vary:
        if not hasattr(domain, "grid"):
            raise TypeError(
                f"vary of {says!r} holds {domain!r:.60}, which is not a range of inputs; "
                "write a tuple such as vary=(floats(-4, 4),)"
            )
    return tuple(vary)


def numbers_only(vary: Sequence[Any]) -> bool:
    return bool(vary) and all(isinstance(domain, Floats) for domain in vary)


def with_upstream(point: tuple[Any, ...], shape: Callable[..., Any] | None) -> tuple[Any, ...]:
    """Return a point with its last entry, the upstream gradient, spread to different numbers for the result's elements.

    shape : returns the shape of the result for the other inputs; None if the inputs just broadcast.
    """
    *xs, g = point
    if not any(map(np.ndim, xs)):
        return point
    size = shape(*xs) if shape is not None else np.broadcast_shapes(*map(np.shape, xs))
    spread = [(1.0, 2.0, -1.0, 3.0, -2.0)[i % 5] for i in range(int(np.prod(size)))]
    first = g if np.ndim(g) == 0 else 1.0
    return (*xs, first * np.reshape(spread, size) if size else first)
