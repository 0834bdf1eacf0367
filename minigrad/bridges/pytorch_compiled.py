"""Run functions and modules compiled by `torch.compile` uncompiled while a program is recorded or watched.

A function mode does not see the calls in compiled code. `torch.compiler.set_stance("force_eager")` runs the code that
the user wrote.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch._ops import HigherOrderOperator

from ..tracing.user_lines import line_at
from .pytorch_call_sites import users_line

#: The attributes of a compiled module or function that contain the original.
ORIGINALS = ("_orig_mod", "_torchdynamo_orig_callable")


def as_written(value: Any) -> Any:
    """Return the module or function that was compiled, or anything else unchanged."""
    attributes = getattr(value, "__dict__", {})
    inside = attributes.get("_modules", {})
    return next((place[name] for name in ORIGINALS for place in (inside, attributes) if name in place), value)


def is_compiled(value: Any) -> bool:
    """Return whether a function, a module or any part of a module is compiled."""
    parts = value.modules() if isinstance(value, torch.nn.Module) else [value]
    return any(as_written(part) is not part or getattr(part, "_compiled_call_impl", None) for part in parts)


def warn_if_compiled(values: Iterable[Any], how: str) -> None:
    """Warn, at the user's line, if one of the values is compiled.

    how : a participle for what minigrad does with the program, such as "recorded".
    """
    if "torch._dynamo" in sys.modules and any(map(is_compiled, values)):
        _warn(how)


def _warn(how: str) -> None:
    location = users_line(sys._getframe(2))
    file, line = ("", 0) if location is None else (location[0].co_filename, line_at(location).no)
    words = "it takes longer, and a nan that only the compiled code computes is not found"
    warnings.warn_explicit(
        f"code compiled by torch.compile runs uncompiled while it is {how}: {words}", UserWarning, file, line
    )


@contextmanager
def uncompiled(how: str) -> Iterator[None]:
    """Return a context that runs compiled code uncompiled, and warns if code is compiled inside the block."""
    compile_, eager = torch.compile, list[Any]()
    with ExitStack() as stack:

        def set_eager() -> None:
            if not eager:
                eager.append(stack.enter_context(torch.compiler.set_stance("force_eager")))

        def compiled(*args: Any, **kwargs: Any) -> Any:
            if not sys._getframe(1).f_globals.get("__name__", "").startswith(CONTROL_FLOW):
                _warn(how)
            set_eager()
            return compile_(*args, **kwargs)

        if "torch._dynamo" in sys.modules:  # otherwise nothing is compiled yet, and the import would take seconds
            set_eager()
        stack.callback(setattr, torch, "compile", compile_)
        torch.compile = compiled  # type: ignore[assignment]
        yield


#: PyTorch modules that compile the functions they are given: torch.cond, while_loop, flex_attention.
CONTROL_FLOW = ("torch._higher_order_ops", "torch.nn.attention")


def eager_body(func: Any) -> Any:
    """Return the uncompiled form of a control-flow operator, such as torch.cond, or None for any other function."""
    if not isinstance(func, HigherOrderOperator):
        return None
    return func.py_kernels.get(torch._C.DispatchKey.CompositeExplicitAutograd)
