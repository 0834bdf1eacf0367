"""Ops under the names that SciPy gives them; see `minigrad.scipy.special`."""

from . import special


def __dir__() -> list[str]:
    return ["special"]
