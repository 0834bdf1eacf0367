"""The ops with minigrad's names and arguments, even those that a Keras function replaces in `minigrad.ops`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..core.op import OPS
from ..ops import create

ops: Any = SimpleNamespace(
    **{op.name: op.call for op in OPS.values()},
    **{name: getattr(create, name) for name in ("arange", "eye", "full", "ones", "zeros")},
)
