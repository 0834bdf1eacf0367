"""The ops by our own names and with our own arguments, whatever `minigrad.ops` has by the names of Keras."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..core.op import OPS
from ..ops import create

ops: Any = SimpleNamespace(
    **{op.name: op.call for op in OPS.values()},
    **{name: getattr(create, name) for name in ("arange", "eye", "full", "ones", "zeros")},
)
