"""NumPy, or Python floats, written by hand: the measure of all others."""

from __future__ import annotations

from functools import partial
from typing import Any


class Peer:
    def prepare(self, workload: Any, arrays: list[Any]) -> Any:
        return partial(workload.by_hand, *arrays)
