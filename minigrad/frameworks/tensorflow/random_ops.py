"""Random Tensors: `tf.random`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.support.tensor_values import default_dtype
from ...core.tensor import Tensor

# The generator for calls without a seed. It is created on first use, because importing `numpy.random` takes 12 ms.
_unseeded: list[np.random.Generator] = []


def set_seed(seed: int | None) -> None:
    """Set the global seed for calls without their own seed; the same global seed gives the same sequence of numbers.

    A call with its own seed draws the same numbers every time, regardless of the global seed.

    >>> import minigrad as mg
    >>> mg.random.set_seed(1)
    >>> first = mg.random.normal([2])
    >>> mg.random.set_seed(1)
    >>> bool(mg.all(mg.random.normal([2]) == first))
    True
    """
    _unseeded[:] = [np.random.default_rng(seed)]


def _generator(seed: Any) -> Generator:
    if seed is None and not _unseeded:
        set_seed(None)
    return Generator(_unseeded[0] if seed is None else np.random.default_rng(seed))


def _lengths(shape: Any) -> tuple[Any, ...]:
    return (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)


class Generator:
    """A generator of random Tensors; `from_seed` creates one.

    >>> import minigrad as mg
    >>> mg.random.Generator.from_seed(1).normal((2, 3)).shape
    (2, 3)
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    @classmethod
    def from_seed(cls, seed: int, alg: Any = None) -> Generator:
        return cls(np.random.default_rng(seed))

    def normal(
        self, shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, name: str | None = None
    ) -> Tensor:
        return Tensor(self.rng.normal(mean, stddev, _lengths(shape)), dtype or default_dtype())

    def uniform(
        self, shape: Any, minval: float = 0, maxval: float | None = None, dtype: Any = None, name: str | None = None
    ) -> Tensor:
        dtype = np.dtype(dtype or default_dtype())
        if dtype.kind == "f":
            return Tensor(self.rng.uniform(minval, 1 if maxval is None else maxval, _lengths(shape)), dtype)
        if maxval is None:
            raise ValueError("uniform of integers needs its maxval: the numbers drawn are all below it")
        return Tensor(self.rng.integers(int(minval), int(maxval), _lengths(shape)), dtype)


def normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    """Return normally distributed random numbers. The same `seed` gives the same numbers; see also `set_seed`.

    >>> import minigrad as mg
    >>> mg.random.normal((2, 3), seed=1).shape
    (2, 3)
    """
    return _generator(seed).normal(shape, mean, stddev, dtype)


def uniform(shape: Any, minval: float = 0, maxval: float | None = None, dtype: Any = None, seed: Any = None) -> Tensor:
    """Return uniformly distributed random numbers. The same `seed` gives the same numbers; see also `set_seed`.

    minval, maxval : the ends of the range, by default 0 and 1. For an integer dtype, numbers are drawn from `minval` up
        to but not including `maxval`, which is required.

    >>> import minigrad as mg
    >>> float(mg.random.uniform((), 5, 6, seed=1)) // 1
    5.0
    """
    return _generator(seed).uniform(shape, minval, maxval, dtype)


NAMES: dict[str, Any] = {
    "random.normal": normal, "random.uniform": uniform, "random.Generator": Generator, "random.set_seed": set_seed,
}  # fmt: skip
