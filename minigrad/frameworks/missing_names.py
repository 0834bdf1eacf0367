"""AttributeErrors for names from other libraries, with the code to write instead.

The names are in `missing_names.txt`. They are not defined, so `hasattr` returns False for them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy

from ..core.tensor import Tensor
from ..ops.declare import BY_NUMPY


def _read() -> dict[str, dict[str, str]]:
    """Read the table: heading -> name -> the code to write instead."""
    table: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            here = table[line.strip("[]")] = {}
        elif line and not line.startswith("#"):
            name, _, instead = line.partition(": ")
            here[name] = instead
    return table


MODULE, TENSOR = _read().values()


def no_attribute(module: str, name: str) -> AttributeError:
    """Return the error for a name that is not in `module`, which is minigrad or one of its groups.

    >>> print(no_attribute("minigrad", "jit"))
    minigrad has no 'jit'; write mg.compile(f)
    """
    instead = MODULE.get(f"{module}.{name}".partition(".")[2]) or _found_in(module, name)
    instead = f"write {instead}" if instead else _nearest(module, name)
    sentence = f"{module} has no {name!r}" + (f"; {instead}" if instead else "")
    return AttributeError(sentence, name=name, obj=sys.modules[module])


class MissingAttribute:
    """A descriptor for an attribute that a Tensor lacks.

    Reading or setting the attribute raises an AttributeError with the code to write instead. This is a descriptor
    because NumPy would call `__getattr__` for every protocol that it looks up on a Tensor.
    """

    def __init__(self, name: str, instead: str) -> None:
        self.name, self.instead = name, instead
        self.__doc__ = f"Not here; write {instead}."

    def __get__(self, tensor: Any, owner: type) -> Any:
        sentence = f"a {owner.__name__} has no {self.name!r}; write {self.instead}"
        raise AttributeError(sentence, name=self.name, obj=tensor)

    def __set__(self, tensor: Any, value: Any) -> None:
        self.__get__(tensor, type(tensor))


#: Attributes that completion leaves out: those that the engine sets, and `ref`, which users need only if an error
#: mentions it.
_NOTES = {
    "call", "detached_at", "detached_serial", "growth", "hold", "last_read", "location", "read_value", "ref",
    "resource", "scope", "unrecorded",
}  # fmt: skip


def _attributes(tensor: Tensor) -> list[str]:
    """Return the attribute names of a Tensor that completion offers after a dot."""
    names = {*object.__dir__(tensor)} - _NOTES
    return sorted(name for name in names if name not in TENSOR or hasattr(type(tensor), name))


def _complete_in_ipython() -> None:
    """Make IPython without Jedi complete only the names in `__dir__`, and not every name in the class."""
    from IPython.utils.generics import complete_object

    complete_object.register(Tensor, lambda tensor, names: dir(tensor))


for _name, _instead in TENSOR.items():
    if _name not in vars(Tensor):
        setattr(Tensor, _name, MissingAttribute(_name, _instead))
Tensor.__dir__ = _attributes  # type: ignore[method-assign, assignment]
if "IPython" in sys.modules:
    _complete_in_ipython()


def _found_in(module: str, name: str) -> str:
    """Return the code that reaches `name` elsewhere in minigrad, such as "mg.linalg.norm", or "" if it is nowhere."""
    root = sys.modules["minigrad"]
    groups = {"mg": root, "mg.ops": root.ops, "mg.nn": root.nn, "mg.math": root.math, "mg.linalg": root.linalg}
    for group, holder in groups.items():
        if name in dir(holder):
            return f"{group}.{name}"
    function = getattr(numpy, name, None)
    if callable(function) and not isinstance(function, type) and function in BY_NUMPY:
        return f"np.{name}, after import minigrad.numpy as np"
    return ""


def _nearest(module: str, name: str) -> str:
    """Return a question about a public name with a similar spelling, as in "did you mean relu?", or ""."""
    if name.startswith("_"):
        return ""
    import difflib

    names = [public for public in dir(sys.modules[module]) if not public.startswith("_")]
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
    return f"did you mean {close[0]}?" if close else ""
