"""Errors and warnings about conversions of a Tensor to plain numbers that would lose its gradient.

`float(x)`, `math.sin(x)`, `np.asarray(x)` and `array[0] = x` convert a Tensor to numbers that have no gradient, so the
derivative would silently be 0. Inside a transform such a conversion is an error; under a tape it is a warning. This
applies to followed Tensors. A Tensor is followed if it depends, through ops that have a gradient, on an input of a
running transform or on something that a recording tape watches.

`x.item()`, `x.numpy()` and `x.value` are allowed, because they leave the graph on purpose. Printing, formatting,
comparing, plotting, `if` and `math.isnan` are allowed, because they only read a value. In the body of a custom gradient
everything is allowed, because the user writes the rule. The check takes time only in such conversions, not in ops.
"""

from __future__ import annotations

import inspect
import linecache
import math
import re
import sys
from collections import ChainMap
from collections.abc import Iterator, Sequence
from itertools import islice
from opcode import opmap, opname
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.gradients import reason_for_none
from ..core.graph import ancestors
from ..core.op import OPS
from ..core.support.conversions import followers
from ..core.support.detached import custom_body
from ..core.support.error_words import LACKS_RETURN, argument_names, name_of
from ..core.support.structure import flatten, leaves
from ..core.support.user_frames import caller_frame, warn
from ..core.tensor import Tensor

if TYPE_CHECKING:
    from ..tracing.user_lines import SourceLine

#: Serial of a copied Tensor -> the original. `recompute_grad` fills this while it runs a function on copies.
copies: dict[int, Tensor] = {}


class LostGradient(RuntimeError):
    """Raised if a Tensor is converted to plain numbers in a way that would lose its gradient."""


class Follower:
    """Base class of gradient trackers: a transform's run of a function, and a recording tape.

    A tracker has an attribute `since`, the serial at its start, and a method `follows(tensor)`, which returns whether
    the tensor's gradient is needed, so that it must not be converted to plain numbers.
    """

    __slots__ = ()

    def begin(self, upstreams: Sequence[Any]) -> None:
        """Called when a backward pass starts while this tracker is active. upstreams : its upstream gradients."""

    def check_conversion(self, tensor: Tensor, kind: str) -> None:
        """Raise LostGradient if converting to `kind`, such as "a plain number", loses a gradient; warn under a tape."""
        if not passes_gradient(tensor) or formats(sys._getframe(3)):
            return
        frame = caller_frame()
        follower = _follower_of(tensor)
        if frame is None or follower is None or tests(frame):
            return
        line = _line(frame)
        lost = f"{_what(tensor)} became {kind} at {line.where} ({line.text})"
        advice = advice_on(line, kind)
        if isinstance(follower, Run):
            raise LostGradient(f"{lost} while {follower.name} is differentiated: its gradient would be lost. {advice}")
        warn(f"{lost} while a tape records: its gradient is lost. {advice}", frame)

    def pending_warning(self, name: str, value: Any) -> PendingWarning | None:
        """Return the warning for later reads of the Variable `name`, or None if no Tensor in `value` is followed.

        value : the value that is assigned to the Variable. The assignment itself is allowed, as in TensorFlow, because
        moving averages and counters are read only in a later run.
        """
        for tensor in flatten(value):
            may_have = isinstance(tensor, Tensor) and has_gradient(tensor)
            follower = _follower_of(tensor) if may_have else None
            frame = caller_frame() if follower is not None else None
            if follower is not None and frame is not None:
                line = _line(frame)
                doing = "a tape records"
                if isinstance(follower, Run):
                    doing = f"{follower.name} is differentiated"
                return PendingWarning(
                    follower.since,
                    f"the Variable {name} is read, which took the value of {_what(tensor)} at {line.where} "
                    f"({line.text}) while {doing}: a Variable holds plain numbers, so no gradient passes through it to "
                    f"what they were made from. Compute with the Tensor itself, and assign it afterwards",
                )
        return None


class PendingWarning(NamedTuple):
    """A warning for reads of a Variable that was assigned the value of a followed Tensor."""

    since: int  # the attribute `since` of the follower; `warn` finds the follower by it
    message: str

    def warn(self) -> None:
        """Give the warning, unless the follower that was active when the Variable was assigned has ended."""
        if any(f.since == self.since for f in [*followers]):
            warn(self.message, caller_frame())


class Run(Follower):
    """The context of a transform's run of the function `f`; Tensors that depend on `sources` are followed inside it.

    args, positions : the arguments of `f`, and the positions of those that contain the sources.
    started : the serials of the upstream gradients of backward passes that ran inside.
    """

    __slots__ = ("args", "f", "positions", "since", "sources", "started")

    def __init__(self, f: Any, args: Sequence[Any], positions: Sequence[int], sources: Sequence[Tensor]) -> None:
        self.f, self.args, self.positions, self.sources = f, args, positions, sources
        # The first source is the oldest, and no Tensor older than it depends on a source.
        self.since = sources[0].serial if sources else 0
        self.started: set[int] = set()

    def __enter__(self) -> Run:
        followers.append(self)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        followers.remove(self)
        cause = error and error.__cause__
        if isinstance(cause, LostGradient):  # NumPy raises "setting an array element with a sequence" instead
            raise cause from None

    @property
    def name(self) -> str:
        return name_of(inspect.unwrap(self.f))

    def begin(self, upstreams: Sequence[Any]) -> None:
        self.started.update([t.serial for t in upstreams if isinstance(t, Tensor)])

    def names(self) -> list[str]:
        """Return the name of each source, written as code, such as `p['w']`."""
        names = argument_names(self.f, len(self.args))
        return [path for i in self.positions for path, _ in leaves(self.args[i], names[i])]

    def follows(self, tensor: Tensor) -> bool:
        """Return whether a Tensor depends on one of the sources through ops whose gradient is not always 0."""
        serials = {source.serial for source in self.sources}
        return any(node.serial in serials for node in _behind(tensor, self.since))

    def unreached(self, y: Tensor | str) -> None:
        """Warn that the result `y` of the function depends on none of the sources. A string `y` is the warning itself.

        If y was computed from a derivative, no warning is given: the derivative of a linear function is constant.
        """
        if isinstance(y, str):
            if not self.started:
                warn(y, caller_frame())
        elif self.sources and not any(node.serial in self.started for node in ancestors([y])):
            reason = self.why_zero(y)
            if not reason.endswith(LACKS_RETURN):  # the backward pass has warned of that already
                warn(reason, caller_frame())

    def why_zero(self, y: Tensor) -> str:
        """Return a sentence that explains why the gradient of the function is 0."""
        reason = reason_for_none[-1](y, self.sources, self.names())
        return f"the gradient of {self.name} is 0: {reason}"


def followed(tensors: Sequence[Tensor], by: Any = None) -> bool:
    """Return whether a follower other than `by` follows one of the Tensors, so that its gradient must be recorded.

    Comparing nesting depths would be faster, but each thread has its own depth, and the other transforms and tapes may
    run in a different thread.
    """
    others = [follower for follower in [*followers] if follower is not by]
    return any(follower.follows(t) for follower in others for t in tensors)


def begin(upstreams: Sequence[Any]) -> None:
    """Call `begin(upstreams)` of all active followers, because a backward pass starts."""
    for follower in followers:
        follower.begin(upstreams)


def _behind(tensor: Tensor, oldest: int) -> Iterator[Tensor]:
    """Yield a Tensor and the ancestors that its gradient can reach, up to the serial `oldest`.

    For a copy in `copies`, the search continues at its original.
    """
    seen: set[int] = set()
    stack = [tensor]
    while stack:
        node = stack.pop()
        if node.serial in seen or node.serial < oldest or not passes_gradient(node):
            continue
        seen.add(node.serial)
        yield node
        if node.serial in copies:
            stack.append(copies[node.serial])
        stack += [a for a in node.args if isinstance(a, Tensor)]


def has_gradient(node: Tensor) -> bool:
    """Return whether a node can have a gradient: it holds floats, and it is a leaf or its op is differentiable."""
    return holds_floats(node) and (node.op is None or node.op.differentiable)


def passes_gradient(node: Tensor) -> bool:
    """Return whether a gradient other than 0 may pass through a node; through an op such as `sign`, none does."""
    return has_gradient(node) and (node.op is None or node.op.facts.slope != ("0",))


def holds_floats(node: Tensor) -> bool:
    """Return whether a node holds floats, or a tuple with the values of several outputs."""
    dtype = getattr(node.value, "dtype", None)
    return dtype is None or dtype.kind == "f"


def originals(tensor: Tensor) -> list[Tensor]:
    """Return a list with a Tensor, and the originals of the copies that it depends on."""
    return [tensor, *(copies[node.serial] for node in _behind(tensor, 0) if node.serial in copies)]


def _follower_of(tensor: Tensor) -> Any:
    """Return the first follower of a Tensor, or None.

    In the body of a custom gradient, followers that were active before the body began are ignored.
    """
    active = (f for f in [*followers] if f.since > custom_body.since)
    return next((f for f in active if f.follows(tensor)), None)


def _what(tensor: Tensor) -> str:
    if tensor.op is None or tensor.op.name == "identity":
        return "an input"
    return f"the result of {tensor.op.name}"


# Inspecting the line that converts a Tensor: whether it only reads a value, and the code to write instead.


def _line(frame: FrameType) -> SourceLine:
    """Return the line that a frame is executing."""
    from ..tracing.user_lines import line_at  # slow to import, because it defines a dataclass, and needed only here

    return line_at((frame.f_code, frame.f_lasti))


# Since Python 3.11, `%` is BINARY_OP with the argument 6; before 3.11, it was an instruction without an argument.
_PERCENT = {opmap.get("BINARY_OP"): 6, opmap.get("BINARY_MODULO"): None}


def formats(frame: FrameType) -> bool:
    """Return whether a frame is executing string formatting with `%`, as in `"%.2f" % x`.

    Any `%` that converts a Tensor is formatting, because `x % 2` is an op.
    """
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at] in _PERCENT and _PERCENT[code[at]] in (None, code[at + 1])


#: Python functions of numbers that return a bool, so that no gradient is lost.
_TESTS = (math.isnan, math.isinf, math.isfinite, math.isclose)


def tests(frame: FrameType) -> bool:
    """Return whether a frame is calling one of `_TESTS`, judged by the call's source. Return False on Python 3.10."""
    code, at = frame.f_code, frame.f_lasti
    if not hasattr(code, "co_positions") or "CALL" not in opname[code.co_code[at]]:
        return False
    # Each instruction takes two bytes, and has one entry in co_positions.
    line, last, start, end = next(islice(code.co_positions(), at // 2, None))
    if line != last:
        return False
    source = linecache.getline(code.co_filename, line or 0).encode()[start:end].decode()
    name = re.match(r"([\w.]+)\(", source)
    if name is None:
        return False
    first, *attributes = name[1].split(".")
    called = ChainMap(frame.f_locals, frame.f_globals).get(first)
    for attribute in attributes:
        called = getattr(called, attribute, None)
    return any(called is test for test in _TESTS)


def advice_on(line: SourceLine, kind: str) -> str:
    """Return a sentence with the code to write instead of a line that converts a Tensor to `kind`."""
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
