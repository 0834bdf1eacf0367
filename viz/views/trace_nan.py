"""`viz.trace_nan`: a sentence about the origin of a nan or inf, a repair, and a picture with the path marked."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

from minigrad.bridges import explained, program_of
from minigrad.diagnostics.nan import NanReport, find_nan
from minigrad.tracing.numbers import nonfinite
from minigrad.tracing.trace_schema import BackwardTrace

from ..drag.followed_page import Followed
from ..model.cut_edges import cuts_behind, with_unrecorded
from ..render.document import printable
from ..rule.field import ruled
from .backward import tensor_of, view_of
from .binding import check_flow
from .view import View


class NanView(View):
    """The view of a backward pass, opened at its first nan or inf; the view is false if there is none.

    `report` is the engine's report. For each input that the nan or inf reaches, `paths` has the names on the way to it.
    The other attributes come from the report: phase, word, kind, op, sentence, repair, line, reaches.

    >>> import minigrad as mg
    >>> import viz
    >>> view = viz.trace_nan(lambda x: mg.log(1 + mg.exp(x)), x=100.0)
    >>> bool(view), view.phase, view.op
    (True, 'backward', 'exp')
    """

    report: Any
    paths: tuple[tuple[str, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.report)

    phase = property(lambda self: self.report.phase)
    word = property(lambda self: self.report.word)
    kind = property(lambda self: self.report.kind)
    op = property(lambda self: self.report.op)
    sentence = property(lambda self: self.report.sentence)
    repair = property(lambda self: str(self.report.repair))
    reaches = property(lambda self: self.report.reaches)
    line = property(lambda self: self.report.line)

    def _point(self) -> str:
        return super()._point() if self.report else "Every value and every gradient is finite."

    def _cause(self) -> str:
        return "\n".join([super()._cause(), *(f"Path: {' -> '.join(path)}" for path in self.paths)])

    @cached_property
    def _summary(self) -> str:
        return printable(" ".join("\n".join([*self.report.sentences(), self.report.repair.table()]).split()))


def trace_nan(
    y: Any,
    /,
    *args: Any,
    names: Mapping[str, Any] | None = None,
    flow: str = "auto",
    **inputs: Any,
) -> NanView:
    """Find and draw the first nan in `y` or its gradients, and say what to write instead.

    If there is no nan, the first inf is reported.

    y : a float Tensor of any shape; a function that returns one, which is called with `args` and `inputs` converted to
        Tensors; or a PyTorch, JAX or TensorFlow function or a PyTorch module, with arrays of that framework.
    names, flow : as for `viz.backward`.

    Returns a NanView, which is true if there is a nan or inf: `if viz.trace_nan(loss): ...`. For a program in another
    framework, the repair uses that framework's names, and is run in that framework before it is offered.
    Raises TypeError if y is not a Tensor, or for inputs that the function does not take.

    >>> import minigrad as mg
    >>> found = trace_nan(lambda x: mg.log(1 + mg.exp(x)), x=100.0)
    >>> found.kind, found.op, found.paths
    ('0 * inf', 'exp', (('exp', 'x'),))
    >>> bool(trace_nan(lambda x: x * x, x=100.0))
    False
    """
    check_flow(flow, "trace_nan", inputs, y)
    program, called = program_of(y, args, inputs, "viz.trace_nan"), None
    if program is not None:
        report = explained(program)
    else:
        f = y
        y, names, called = tensor_of(y, inputs, names, "trace_nan", sys._getframe(1), args)
        report = find_nan(y, names=names)
    ways = _ways(report)
    plain = view_of(report.trace, flow, report=report)
    (lane,) = plain._lanes
    marked = frozenset(pair for way in ways for pair in pairwise(way))
    what = f"{report.word} in the {report.phase} pass" if report else "No nan and no inf"
    view = NanView([lane.drawn_as(way=marked)], f"{what}: {plain.title}")
    view.report = report
    view.paths = tuple(tuple(lane.findings.names[n] for n in way) for way in ways)
    whole = called and not cuts_behind(y) and not with_unrecorded(y, report.trace)[1]
    if called and whole and report.word == "nan" and report.phase == "backward":
        view.followed, view.mode = (Followed(y, report.trace, called),), "gradient"
        view.ruled = ruled(f, y, called, report)
        view.rule, view.tried = view.ruled() if view.ruled else ({}, None)
    return view


def _ways(report: NanReport) -> list[tuple[int, ...]]:
    """Return the paths of a nan or inf as node numbers: from its origin to each affected input.

    In a forward pass, the only path goes from the result back to the origin.
    """
    if not report:
        return []
    if report.phase == "backward":
        first = next((origin for origin in report.origins if origin.word == report.word), None)
        # `first` is None if the origin is in another framework's code, which was not recorded.
        return [] if first is None else list(first.paths) or [(first.node, first.to)]
    return _forward_way(report.trace, report)


def _forward_way(trace: BackwardTrace, report: NanReport) -> list[tuple[int, ...]]:
    bad = {n.id for n in trace.nodes if nonfinite(n.value) and not n.ghost}
    born = next(n.id for n in trace.nodes if n.id in bad and n.op == report.op and nonfinite(n.value) == report.word)
    way = [born]
    while onward := [e.dst for e in trace.edges if e.src == way[-1] and e.dst in bad]:
        way.append(onward[0])
    return [tuple(reversed(way))]
