"""Variable names: find the names in the user's code, and create names that are not yet taken."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..core.support.structure import is_structure, leaves
from ..core.tensor import Tensor
from .overlay import stored_value

_OURS = str(Path(__file__).parent.parent)


def identifier(text: str, taken: Any = (), fallback: str = "x") -> str:
    """Return a Python name that resembles `text` and is not yet taken.

    >>> identifier("params['w']"), identifier("x", {"x"})
    ('params_w', 'x_1')
    """
    name = re.sub(r"\W+", "_", text).strip("_") or fallback
    name = f"{fallback}_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
    return next(n for n in (name, *(f"{name}_{k}" for k in range(1, len(taken) + 2))) if n not in taken)


def serial_of(x: Any) -> Any:
    """Return the serial of a Tensor, or None if `x` is not a Tensor."""
    return x.serial if isinstance(x, Tensor) else None


def name_in(frame: FrameType, x: Any) -> str:
    """Return the name of the object `x` in a frame, or else in the frame's module, or "" if no variable refers to `x`.

    >>> price = Tensor(3.0)
    >>> name_in(sys._getframe(), price)
    'price'
    """
    named = [*frame.f_locals.items(), *frame.f_globals.items()]
    return next((name for name, value in named if value is x and name.isidentifier() and name[0] != "_"), "")


def named_in(frame: FrameType) -> dict[str, Tensor]:
    """Return the Tensors in a frame's variables, by variable name; a local hides a global of the same name."""
    named = {**frame.f_globals, **frame.f_locals}
    return {name: value for name, value in named.items() if isinstance(value, Tensor) and name[0] != "_"}


def path_in(frame: FrameType, x: Any) -> str:
    """Return code for a constant, such as `model.w`, that begins with a name in a frame; return "" if there is none.

    A literal has no such code. Arrays are also found by their bytes, because ops store copies.

    >>> weights = {"w": [np.ones(2), 0.5]}
    >>> path_in(sys._getframe(), weights["w"][1])
    "weights['w'][1]"
    """
    if not isinstance(x, (np.ndarray, np.generic)) and x in frame.f_code.co_consts:
        return ""
    used = {name: frame.f_globals[name] for name in frame.f_code.co_names if name in frame.f_globals}
    for name, v in {**used, **frame.f_locals}.items():
        with suppress(Exception):  # a user's object may raise an error when it is inspected
            parts = leaves(v, name) if is_structure(v) else _attributes(v, name)
            for path, part in islice(chain([(name, v)], parts), 1000):
                part = stored_value(part) if isinstance(part, Tensor) else part
                if part is x or (type(part) is type(x) is np.ndarray and same_bytes(part, x)):
                    return path if name.isidentifier() else ""
    return ""


def _attributes(x: Any, name: str) -> list[tuple[str, Any]]:
    attributes: dict[str, Any] = {}
    if not isinstance(x, (type, FunctionType, ModuleType)):
        with suppress(AttributeError):
            attributes = object.__getattribute__(x, "__dict__")
    return [(f"{name}.{key}", part) for key, part in attributes.items()]


def same_bytes(a: Any, b: Any) -> bool:
    """Return whether two arrays or numbers are equal bit for bit, including NaN and the sign of zero."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.nbytes <= 4096:
        return a.tobytes() == b.tobytes()
    bits = np.dtype(f"V{a.dtype.itemsize}") if a.dtype.itemsize > 8 else np.dtype(f"u{a.dtype.itemsize}")
    return bool(np.array_equal(np.ascontiguousarray(a).view(bits), np.ascontiguousarray(b).view(bits)))


def captured_by(f: Any) -> dict[str, Any]:
    """Return the values that a function captured from enclosing functions, by name. Unset variables are left out.

    >>> def outer(scale):
    ...     return lambda x: scale * x
    >>> captured_by(outer(2.0)), captured_by(len)
    ({'scale': 2.0}, {})
    """
    contents = {}
    code = getattr(f, "__code__", None)
    for name, cell in zip(code.co_freevars, f.__closure__ or ()) if code is not None else ():
        with suppress(ValueError):
            contents[name] = cell.cell_contents
    return contents


@contextmanager
def collect_names(names: dict[Any, str], key_of: Callable[[Any], Any] = serial_of) -> Iterator[None]:
    """Collect a name for each Tensor during the block: its first name in the outermost function that has one.

    names : the dict to fill, which maps `key_of(value)` to the name; values with the key None are left out.

    >>> def f(x):
    ...     z = x * x
    ...     return z
    >>> with collect_names(names := {}):
    ...     z = f(Tensor(3.0))
    >>> names[z.serial]
    'z'
    """
    nearest: dict[Any, tuple[int, str]] = {}

    def look(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename.startswith(_OURS) or frame.f_globals.get("__name__", "").startswith("numpy"):
            return None
        depth = None
        for name, value in frame.f_locals.items():
            key = key_of(value) if name[:1] != "_" else None
            if key is not None:
                depth = depth or _depth(frame)
                if nearest.get(key, (1e9,))[0] > depth:
                    nearest[key] = depth, name
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)
        names.update({key: name for key, (_, name) in sorted(nearest.items(), key=lambda item: -item[1][0])})


def _depth(frame: Any) -> int:
    depth = 1
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
