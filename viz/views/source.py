"""`viz.source`: a backward pass as a program, with each line linked to its part of the picture."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from minigrad.core.custom import CustomGradient
from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor, next_serial
from minigrad.core.variable import READ, Variable
from minigrad.programs.compile_and_source import GraphProgram
from minigrad.tracing.names import collect_names
from minigrad.tracing.recorded_function import RecordedFunction
from minigrad.tracing.replay import made_from
from minigrad.transforms.nesting import call_recorded

from ..drag.replayed import CalledWith
from ..model.cut_edges import cuts_behind, seed_name
from ..model.text_table import shortened
from ..render.code_rows import CodeListing, as_html, links_of, listing_of, svg_of
from ..render.document import picture_style, wrap
from ..render.markup import Html, markup
from ..rule.field import ruled
from ..rule.variables import opened
from .backward import MODES, as_tensors, in_mode, leaves_of, pass_of, returned, tensor_of
from .binding import bound, check_flow
from .view import View

SHOWN, FEW = (
    200,
    60,
)  #: the maximum number of a program's lines: first below a picture if scripts do not run, then in plain text


class SourceView(View):
    """The view of a backward pass with its program. `source` is the program: print it, change it, `source.run()` it.

    >>> import viz
    >>> view = viz.source(lambda x: x * x, x=3.0)
    >>> type(view.source).__name__
    'GraphProgram'
    """

    source: GraphProgram
    program: CodeListing
    parts = ("source",)

    def to_text(self, max_lines: int | None = None) -> str:
        """Return the program. max_lines : the approximate maximum number of its lines."""
        return "\n\n".join([self._shortened(max_lines and max(max_lines, FEW)), *self._notes()])

    def _shortened(self, most: int | None) -> str:
        return "\n".join(shortened(self.source.text.split("\n"), most and most + 1, "# "))

    def _twin(self, text: str) -> Html:
        return markup("<pre>{program}</pre>", program=self._shortened(SHOWN))

    def data(self, drag: bool = True) -> tuple[dict[str, Any], int]:
        view, stop = super().data(drag)
        rows = [[str(as_html(row.pieces)), row.nodes, row.edges] for row in self.program.rows]
        code = {"rows": rows, "at": [self.program.at(moment) for moment in self._lanes[0].moments]}
        return {**view, "code": code}, stop

    def _drawn(self) -> str:
        """Return the picture and the program in one file."""
        (lane,), (body, width, height) = self._lanes, self._figures()
        now = self.program.at(lane.moments[lane.after_step(self._step)])
        lines, wide, high = svg_of(self.program.rows, height, now)
        return wrap(body + lines, max(width, wide), high, self._uid, self._summary, picture_style("source"))


def source(
    y: Tensor | Callable[..., Tensor],
    /,
    *args: Any,
    flow: str = "auto",
    fold: str = "auto",
    names: Mapping[str, Any] | None = None,
    drag: bool = True,
    mode: str = "gradient",
    **inputs: Any,
) -> SourceView:
    """Show the backward pass from `y` next to the NumPy program of `minigrad.source`.

    Parameters
    ----------
    y : a float Tensor of any shape, or a function that returns one, followed by its arguments in order or by name.
        Every argument except an int is converted to a Tensor.
    flow, fold, names, drag, mode : as for `viz.backward`; the picture is the same, with the same modes.

    Each line of the program is linked to the picture: a line of the forward pass to the node whose value it computes,
    and a line of the backward pass to the messages that it sends. Pointing at a line highlights its boxes and arrows,
    and pointing at a box or an arrow highlights its lines; selecting one keeps the highlight. At each step, the player
    marks the line that runs. Boxes are named after the program's variables. The program computes the same gradients as
    the engine, bit for bit. With mode="rule", the program is the derived pass, which the rule replaces.

    Returns a SourceView; `source` is the program, and printing the view prints it.
    Raises TypeError if `y` is neither a Tensor nor a function that returns one, if an op has no source, or for
    mode="rule" without a function. Raises ValueError for an unknown flow or mode.

    >>> import minigrad as mg
    >>> view = source(lambda x, w: mg.exp(x * w), x=2.0, w=0.5)
    >>> print(view)
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def value_and_gradients(x, w):
        value = np.exp(x * w)
    <BLANKLINE>
        # value = np.exp(x * w)
        d_value = np.float32(1.0)
        d_multiply = d_value * value
        d_x = d_multiply * w
        d_w = d_multiply * x
        return value, [d_x, d_w]
    """
    check_flow(flow, "source", inputs, y)
    if mode not in MODES:
        raise ValueError(f'mode must be "values", "wiggle", "gradient" or "rule", got {mode!r:.60}')
    if mode == "rule" and not callable(y):
        raise TypeError(
            f'mode="rule" takes a function and its inputs, as in viz.source(f, 1.0, mode="rule"), got {y!r:.60}'
        )
    f, inner, call = y, dict[int, str](), None
    if callable(y):
        named = as_tensors(bound(y, args, inputs, "source"), (int,))
        y = opened(y, {}) if mode == "rule" and isinstance(y, CustomGradient) else y
        call = CalledWith(y, named, next_serial())
        with collect_names(inner):
            value = call_recorded(y, **named)
        y = returned(y, value, "source")
        names = {**leaves_of(named), **(names or {})}
    else:
        if args:
            raise TypeError(f"source got {args[0]!r:.40} next to a value; arguments go with a function")
        y, names, _ = tensor_of(y, inputs, names, "source", sys._getframe(1))
    names = {**names, **seed_name(y, names, cuts_behind(y))}
    written, called = _program(y, names, inner)
    view = cast(SourceView, pass_of(y, called, {}, call, flow, fold, report=False, drag=drag, kind=SourceView))
    view.title = f"{view.title}, as a program"
    view.source, view.program = written, listing_of(written, view.trace)
    view.ruled = ruled(f, y, call, view.report)
    if view.ruled and (mode == "rule" or drag):
        field, tried = view.ruled()
        view.rule = field if mode == "rule" or "inputs" in field else {}
        view.tried = tried if mode == "rule" else None
    in_mode(view, mode)
    return view


def _program(y: Tensor, names: Mapping[str, Any], inner: Mapping[int, str]) -> tuple[GraphProgram, dict[str, Any]]:
    """Return the program of the backward pass from `y`, and the objects of the graph by their names in the program.

    names : the user's names. inner : serial -> the name that a node had inside the function.
    """
    called = {x.read_value().serial: n for n, x in names.items() if isinstance(x, Tensor) and n[:1] != "_"}
    arrays = {n: x for n, x in names.items() if type(x) is np.ndarray}
    y = y.read_value()
    graph = [t for t in ancestors([y]) if not isinstance(t, Variable)]
    leaves = [t for t in graph if (t.op is None or t.op is READ) and t.dtype.kind == "f"]
    written = GraphProgram(RecordedFunction(y, leaves, dict(inner) | called, arrays))
    called = {serial: link.name for link in links_of(written) for serial in link.nodes}
    first = [*reversed(made_from([y])), *reversed(graph)]  # custom calls come before the ops in their bodies
    return written, {called[t.serial]: _named(t) for t in first if t.serial in called}


def _named(t: Tensor) -> Any:
    """Return the object under whose name a trace shows `t`: the Variable if `t` is a read of one, else `t`."""
    return t.args[0] if t.op is READ else t
