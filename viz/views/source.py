"""`viz.source`: a backward pass as a program, with each line linked to its part of the picture."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor
from minigrad.core.variable import READ, Variable
from minigrad.programs.compile_and_source import GraphProgram
from minigrad.tracing.names import collect_names
from minigrad.tracing.recorded_function import RecordedFunction
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.replay import made_from
from minigrad.transforms.nesting import call_recorded

from ..model.cut_edges import cuts_behind, seed_name, with_cuts, with_unrecorded
from ..model.text_table import shortened
from ..render.code_rows import CodeListing, as_html, links_of, listing_of, svg_of
from ..render.document import picture_style, wrap
from ..render.markup import Html, markup
from .backward import as_tensors, leaves_of, returned, tensor_of, unreached, view_of
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
    **inputs: Any,
) -> SourceView:
    """Show the backward pass from `y` next to the NumPy program of `minigrad.source`.

    Parameters
    ----------
    y : a float Tensor of any shape, or a function that returns one, followed by its arguments in order or by name.
        Every argument except an int is converted to a Tensor.
    flow, fold, names : as for `viz.backward`.

    Each line of the program is linked to the picture: a line of the forward pass to the node whose value it computes,
    and a line of the backward pass to the messages that it sends. Selecting a line highlights its node or messages, and
    selecting a node highlights its lines; at each step, the player marks the line that runs. Boxes are named after the
    program's variables. The program computes the same gradients as the engine, bit for bit.

    Returns a SourceView; `source` is the program, and printing the view prints it.
    Raises TypeError if `y` is neither a Tensor nor a function that returns one, or if an op has no source.

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
    inner: dict[int, str] = {}
    if callable(y):
        named = as_tensors(bound(y, args, inputs, "source"), (int,))
        with collect_names(inner):
            value = call_recorded(y, **named)
        y = returned(y, value, "source")
        names = {**leaves_of(named), **(names or {})}
    else:
        if args:
            raise TypeError(f"source got {args[0]!r:.40} next to a value; arguments go with a function")
        y, names, _ = tensor_of(y, inputs, names, "source", sys._getframe(1))
    cuts = cuts_behind(y)
    names = {**names, **seed_name(y, names, cuts)}
    called = {x.read_value().serial: n for n, x in names.items() if isinstance(x, Tensor) and n[:1] != "_"}
    arrays = {n: x for n, x in names.items() if type(x) is np.ndarray}
    y = y.read_value()
    graph = [t for t in ancestors([y]) if not isinstance(t, Variable)]
    leaves = [t for t in graph if (t.op is None or t.op is READ) and t.dtype.kind == "f"]
    written = GraphProgram(RecordedFunction(y, leaves, inner | called, arrays))
    called = {serial: link.name for link in links_of(written) for serial in link.nodes}
    first = [*reversed(made_from([y])), *reversed(graph)]  # custom calls come before the ops in their bodies
    trace = backward_trace(y, names={called[t.serial]: _named(t) for t in first if t.serial in called})
    trace, note = with_cuts(trace, names, cuts)
    trace, lost = with_unrecorded(y, trace)
    plain = view_of(trace, flow, fold, reasons=unreached(y, trace))
    view = SourceView(plain._lanes, f"{plain.title}, as a program")
    view.source, view.program = written, listing_of(written, trace)
    view.note, view.report = " ".join(filter(None, [note, lost])), plain.report
    return view


def _named(t: Tensor) -> Any:
    """Return the object under whose name a trace shows `t`: the Variable if `t` is a read of one, else `t`."""
    return t.args[0] if t.op is READ else t
