"""`numpy.linalg` with gradients."""

from __future__ import annotations

from typing import Any

import numpy.linalg as _linalg

from .dispatch import find as _find


def __getattr__(name: str) -> Any:
    value = globals()[name] = _find(_linalg, name)  # stored, so that later lookups do not call this function
    return value


def __dir__() -> list[str]:
    return list(_linalg.__all__)
