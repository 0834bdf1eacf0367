"""minigrad compiled: the recorded program as straight-line NumPy."""

from __future__ import annotations

from functools import partial
from typing import Any

import minigrad as mg

from .minigrad_eager import numpy_arguments, question

if not hasattr(mg, "compile"):
    raise ImportError("this minigrad has no compile")


class Peer:
    def prepare(self, workload: Any, arrays: list[Any]) -> Any:
        if workload.name.startswith("scalar-"):  # unrolled, these would be programs of 100,000 lines
            return None
        return partial(mg.compile(question(workload)), *numpy_arguments(arrays))
