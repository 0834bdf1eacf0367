"""The user's line that converts a Tensor to plain numbers: whether it only reads them, and what to write instead.

See `following`. Nothing here is called unless a Tensor that is followed is converted.
"""

from __future__ import annotations

import linecache
import math
import re
import sys
import warnings
from collections import ChainMap
from functools import cache
from itertools import islice
from opcode import opmap, opname
from types import FrameType
from typing import TYPE_CHECKING

from .location import OWN
from .op import OPS

if TYPE_CHECKING:
    from .lines import SourceLine


@cache
def _libraries() -> tuple[str, ...]:
    """The folders whose code is not the user's."""
    import sysconfig  # which takes as long to import as all of this package's core

    paths = sysconfig.get_paths()
    return (*OWN, paths["purelib"], paths["platlib"], paths["stdlib"])


#: Modules that only read values, and compute nothing differentiable with them.
_READERS = ("matplotlib.", "mpl_toolkits.", "numpy.testing.", "_pytest.")

_PERCENT = {opmap.get("BINARY_OP"): 6, opmap.get("BINARY_MODULO"): None}


def caller_frame() -> FrameType | None:
    """The innermost frame outside of libraries; None if one of the `_READERS` is nearer."""
    frame: FrameType | None = sys._getframe(1)
    outermost, libraries = frame, _libraries()
    while frame is not None and frame.f_code.co_filename.startswith(libraries):
        if f"{frame.f_globals.get('__name__', '')}.".startswith(_READERS):
            return None
        frame = frame.f_back
    return frame or outermost


def only_reads() -> bool:
    """Whether the caller only reads values, to draw or compare them, as matplotlib does."""
    return caller_frame() is None


def line_of_frame(frame: FrameType) -> SourceLine:
    """The line that a frame is executing."""
    from .lines import line_at  # which takes long to import, as it makes a dataclass, and is for messages only

    return line_at((frame.f_code, frame.f_lasti))


def formats(frame: FrameType) -> bool:
    """Whether a frame is executing `"%.2f" % x`: the only `%` in which a Tensor is converted, as `x % 2` is an op."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at] in _PERCENT and _PERCENT[code[at]] in (None, code[at + 1])


#: Python's functions from a number to a bool, which have no gradient.
_TESTS = (math.isnan, math.isinf, math.isfinite, math.isclose)


def tests(frame: FrameType) -> bool:
    """Whether a frame is calling one of `_TESTS`, by the source of the call; false on Python 3.10."""
    code, at = frame.f_code, frame.f_lasti
    if not hasattr(code, "co_positions") or "CALL" not in opname[code.co_code[at]]:
        return False
    line, last, start, end = next(islice(code.co_positions(), at // 2, None))
    source = linecache.getline(code.co_filename, line or 0).encode()[start:end].decode() if line == last else ""
    name = re.match(r"([\w.]+)\(", source)
    if name is None:
        return False
    first, *attributes = name[1].split(".")
    called = ChainMap(frame.f_locals, frame.f_globals).get(first)
    for attribute in attributes:
        called = getattr(called, attribute, None)
    return any(called is test for test in _TESTS)


def warn(message: str, frame: FrameType | None) -> None:
    """Warn at the user's line, once per line by Python's default filters."""
    if frame is not None:
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        warnings.warn_explicit(message, UserWarning, frame.f_code.co_filename, frame.f_lineno, registry=registry)


def advice_on(line: SourceLine, kind: str) -> str:
    """A sentence on what to write instead of a line that converts a Tensor to `kind`."""
    function = re.search(r"\bmath\.(\w+)\(", line.text)
    if function and function[1] in OPS:
        write = f"Write mg.{function[1]} for math.{function[1]}"
    elif dtype := re.search(r"\.((?:float|u?int)\d+)\(", line.text):
        write = f"Write x.astype({dtype[1]!r})"
    elif re.match(r"[^=(]*\]\s*=[^=]", line.text):
        write = "An array cannot hold Tensors: write y = mg.index_set(y, key, value), or mg.stack of the parts"
    elif kind == "a constant" or re.search(r"\b(array|asarray)\(\s*[\[(]", line.text):
        write = "To join Tensors write mg.stack([...])"
    else:
        write = "Keep it a Tensor: compute with its operators and with the functions of minigrad"
    leave = {"a plain number": "x.item()", "a plain array": "x.numpy()", "a constant": "mg.stop_gradient(x)"}
    return f"{write}; {leave.get(kind, 'x.value')} leaves the graph on purpose"
