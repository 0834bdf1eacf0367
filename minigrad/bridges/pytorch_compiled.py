"""Functions and modules of `torch.compile`: while a program is recorded or watched, they run uncompiled.

Compiled code has no calls that a function mode sees. `torch.compiler.set_stance("force_eager")` runs the code that the
user wrote.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from ..tracing.user_lines import line_at
from .pytorch_call_sites import users_line

#: The attributes under which a compiled module, and a compiled function, keep what was compiled.
ORIGINALS = ("_orig_mod", "_torchdynamo_orig_callable")


def as_written(value: Any) -> Any:
    """Return the module or function that was compiled; anything else unchanged."""
    attributes = getattr(value, "__dict__", {})
    inside = attributes.get("_modules", {})
    return next((place[name] for name in ORIGINALS for place in (inside, attributes) if name in place), value)


def is_compiled(value: Any) -> bool:
    """Whether a function is compiled, or a module or one of its parts."""
    parts = value.modules() if isinstance(value, torch.nn.Module) else [value]
    return any(as_written(part) is not part or getattr(part, "_compiled_call_impl", None) for part in parts)


def warn_if_compiled(values: Iterable[Any], how: str) -> None:
    """Warn, at the user's line, if one of the values is compiled. how : what is done with the program meanwhile."""
    if "torch._dynamo" not in sys.modules or not any(map(is_compiled, values)):
        return
    location = users_line(sys._getframe(1))
    file, line = ("", 0) if location is None else (location[0].co_filename, line_at(location).no)
    words = "it takes longer, and a nan that only the compiled code computes is not found"
    warnings.warn_explicit(f"code of torch.compile runs uncompiled while it is {how}: {words}", UserWarning, file, line)


def uncompiled() -> AbstractContextManager[Any]:
    """A context in which compiled code runs as it is written."""
    started = "torch._dynamo" in sys.modules  # else nothing was compiled yet
    return torch.compiler.set_stance("force_eager") if started else nullcontext()
