"""SciPy's names for what the engine has: `minigrad.scipy.special`."""

from . import special


def __dir__() -> list[str]:
    return ["special"]
