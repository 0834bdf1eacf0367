"""Names of variables: those that the user's code gives to values, and new ones that are still free."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from ..core.tensor import Tensor

_OURS = str(Path(__file__).parent.parent)


def identifier(text: str, taken: Any = (), fallback: str = "x") -> str:
    """A Python name that resembles `text` and is none of those taken.

    >>> identifier("params['w']"), identifier("x", {"x"})
    ('params_w', 'x_1')
    """
    name = re.sub(r"\W+", "_", text).strip("_") or fallback
    name = f"{fallback}_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
    return next(n for n in (name, *(f"{name}_{k}" for k in range(1, len(taken) + 2))) if n not in taken)


def serial_of(x: Any) -> Any:
    """The serial of a Tensor, None for everything else."""
    return x.serial if isinstance(x, Tensor) else None


def name_in(frame: FrameType, x: Any) -> str:
    """The name of the object `x` in a frame, or else in its module; "" if it has none.

    >>> price = Tensor(3.0)
    >>> name_in(sys._getframe(), price)
    'price'
    """
    named = [*frame.f_locals.items(), *frame.f_globals.items()]
    return next((name for name, value in named if value is x and name.isidentifier() and name[0] != "_"), "")


def captured_by(f: Any) -> dict[str, Any]:
    """The values that a function has captured from enclosing functions, by name, except those that are set later.

    >>> def outer(scale):
    ...     return lambda x: scale * x
    >>> captured_by(outer(2.0)), captured_by(len)
    ({'scale': 2.0}, {})
    """
    found = {}
    code = getattr(f, "__code__", None)
    for name, cell in zip(code.co_freevars, f.__closure__ or ()) if code is not None else ():
        with suppress(ValueError):
            found[name] = cell.cell_contents
    return found


@contextmanager
def collect_names(names: dict[Any, str], key_of: Callable[[Any], Any] = serial_of) -> Iterator[None]:
    """Collect the first name that each Tensor gets in the block, in the outermost function.

    names : the dict to fill, from `key_of(value)` to the name; values with the key None are left out.

    >>> def f(x):
    ...     z = x * x
    ...     return z
    >>> with collect_names(names := {}):
    ...     z = f(Tensor(3.0))
    >>> names[z.serial]
    'z'
    """
    found: dict[Any, tuple[int, str]] = {}

    def look(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename.startswith(_OURS) or frame.f_globals.get("__name__", "").startswith("numpy"):
            return None
        depth = None
        for name, value in frame.f_locals.items():
            key = key_of(value) if name[:1] != "_" else None
            if key is not None:
                depth = depth or _depth(frame)
                if found.get(key, (1e9,))[0] > depth:
                    found[key] = depth, name
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)
        names.update({key: name for key, (_, name) in sorted(found.items(), key=lambda item: -item[1][0])})


def _depth(frame: Any) -> int:
    depth = 1
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
