"""SciPy's names for the ops: `minigrad.scipy.special`."""

from . import special


def __dir__() -> list[str]:
    return ["special"]
