"""Callers: the line of the user's that turns a Tensor into plain numbers, whether it only looks, and what to write.

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


#: Modules that look at values and compute nothing with them that could be differentiated.
_LOOKS = ("matplotlib.", "mpl_toolkits.", "numpy.testing.", "_pytest.")

_PERCENT = {opmap.get("BINARY_OP"): 6, opmap.get("BINARY_MODULO"): None}


def caller_frame() -> FrameType | None:
    """The frame of the user's line that led here; None where a value is only looked at."""
    frame: FrameType | None = sys._getframe(1)
    outermost, libraries = frame, _libraries()
    while frame is not None and frame.f_code.co_filename.startswith(libraries):
        if f"{frame.f_globals.get('__name__', '')}.".startswith(_LOOKS):
            return None
        frame = frame.f_back
    return frame or outermost


def only_looks() -> bool:
    """Whether the code that is running draws or asserts, as matplotlib does."""
    return caller_frame() is None


def line_of_frame(frame: FrameType) -> SourceLine:
    """The line that a frame is executing."""
    from .lines import line_at  # which takes long to import, as it makes a dataclass, and is for messages only

    return line_at((frame.f_code, frame.f_lasti))


def formats(frame: FrameType) -> bool:
    """Whether a frame is executing `%`: on a Tensor that calls an op, so it is `"%.2f" % x` that converts."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at] in _PERCENT and _PERCENT[code[at]] in (None, code[at + 1])


#: Functions of Python that turn numbers into a bool: what is lost there has no gradient.
_TESTS = (math.isnan, math.isinf, math.isfinite, math.isclose)


def tests(frame: FrameType) -> bool:
    """Whether a frame is calling one of `_TESTS`, by the source of the call; Python 3.10 does not know where it is."""
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
    """A warning that belongs to the user's line, once per line as Python's filters have it."""
    if frame is not None:
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        warnings.warn_explicit(message, UserWarning, frame.f_code.co_filename, frame.f_lineno, registry=registry)


def cure(line: SourceLine, kind: str) -> str:
    """What to write instead, as far as the line shows it."""
    function = re.search(r"\bmath\.(\w+)\(", line.text)
    if function and function[1] in OPS:
        write = f"Write mg.{function[1]} for math.{function[1]}"
    elif re.match(r"[^=(]*\]\s*=[^=]", line.text):
        write = "An array cannot hold Tensors: write y = mg.index_set(y, key, value), or mg.stack of the parts"
    elif kind == "a constant" or re.search(r"\b(array|asarray)\(\s*[\[(]", line.text):
        write = "To join Tensors write mg.stack([...])"
    else:
        write = "Keep it a Tensor: compute with its operators and with the functions of minigrad"
    leave = {"a plain number": "x.item()", "a plain array": "x.numpy()", "a constant": "mg.stop_gradient(x)"}
    return f"{write}; {leave.get(kind, 'x.value')} leaves the graph on purpose"
