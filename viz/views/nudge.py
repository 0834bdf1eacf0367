"""`viz.nudge`: show slopes by nudging an input: each op stretches the nudge on its way to the result."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from minigrad.core.tensor import Tensor

from ..hosts.html import html, page
from ..model.nudged import Nudged, backwards, forwards, nudged, picture_data, table
from ..render.document import image_style, picture_style, script, static, wrap
from ..render.markup import Html, joined, markup, same_as_text
from ..scene.stretch import Stretched
from .backward import tensor_of
from .binding import bound
from .static_view import StaticView, write

SHOWN = 0.6  #: the nudge of the static picture, as a fraction of the largest
CODE = ("scene", "elements", "stretch", "nudge")


class NudgeView(StaticView):
    """The result of `viz.nudge`: a picture with a slider, and its text; `nudged` has the numbers.

    Show the view by naming it in a notebook cell, or print it. No form of the view needs a kernel or a network.

    >>> import viz
    >>> type(viz.nudge(lambda x: x * x, x=3.0, by=0.1)).__name__
    'NudgeView'
    """

    def __init__(self, result: Nudged, title: str) -> None:
        self.nudged, self.title = result, title
        self._shown = result.middle + round(SHOWN * result.middle)

    @cached_property
    def _data(self) -> dict[str, Any]:
        return picture_data(self.nudged)

    def to_text(self) -> str:
        """Return a sentence about the nudge, a table with a row for each number, and a sentence about the way back."""
        rows = table(self.nudged, self._shown)
        return f"{forwards(self.nudged, self._shown)}\n\n{rows}\n\n{backwards(self.nudged)}"

    def to_svg(self, path: str | Path | None = None) -> str:
        """Return the picture of one nudge; write it to `path` if given."""
        return write(path, self._drawn(picture_style("nudge")))

    def _drawn(self, style: str = "") -> str:
        """Return the picture with a style sheet, by default with only the rules that an image needs."""
        drawn = Stretched(self._data, self._shown, False, 0.0)
        body = drawn.svg()
        summary = forwards(self.nudged, self._shown)
        return wrap(body, drawn.wide, drawn.high, "i", summary, style or image_style(body, "nudge"))

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a separate page with the picture; write it to `path` if given."""
        return write(path, str(page(self._html(), self.title)))

    def _html(self) -> Html:
        image = self._drawn()
        place = f"mg{hashlib.sha256(image.encode()).hexdigest()[:8]}-nudge"
        style = " ".join(" ".join(static(f"{name}.css") for name in ("ink", "view", "nudge")).split())
        code = f"{''.join(map(script, CODE))}nudging(el,d.view)"
        view = {"css": style, "js": code, "title": self.title, "at": self._shown, "data": self._data}
        twin = same_as_text(self.to_text())
        said = markup('<p class="mg-point">{text}</p>', text=forwards(self.nudged, self._shown))
        return html(Html(), image, self.title, said, joined([twin]), {"view": view}, place)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": str(self._html()), "text/plain": self.to_text()}


def nudge(f: Callable[..., Any], *args: Any, by: float = 0.5, of: str | None = None, **inputs: Any) -> NudgeView:
    """Nudge an input of a function of numbers, and see each op stretch the nudge.

    Each op is drawn with its curve along each argument that moves, and with a tangent whose slope comes from the op's
    rule: if a custom gradient is wrong, the line crosses the curve. The thickness of the ribbons along the arrows shows
    the nudge. Read backwards, the thickness shows the gradients, which the same slopes stretch.

    Parameters
    ----------
    f : a function of numbers that returns a Tensor of one number. args, inputs : its arguments.
    by : the largest nudge, up and down. of : the name of the argument to nudge; the default is the first argument.

    Returns a NudgeView. Raises TypeError for arguments that `f` does not take. Raises ValueError for arrays, for more
    than 12 ops, for an argument that does not affect the result, and for a nudge that is not a positive number.

    >>> _, table, backwards = nudge(lambda x: x * x, x=3.0, by=0.1).to_text().split("\\n\\n")
    >>> print(table)
    name      value  moves by  by the slopes               gradient
    x         3      +0.06     0.06                        6
    multiply  9      +0.3636   3 · 0.06 + 3 · 0.06 = 0.36  1
    >>> backwards
    'Read backwards: multiply starts from 1, and each slope stretches the message: x gets 3 + 3 = 6.'
    """
    if not isinstance(by, (int, float)) or isinstance(by, bool) or not (by > 0 and math.isfinite(by)):
        raise ValueError(f"nudge takes by as a number above 0, got {by!r:.60}")
    if not callable(f):
        raise TypeError(f"nudge takes a function and its arguments, as in viz.nudge(f, x=3.0), got {f!r:.60}")
    arguments = bound(f, args, inputs, "nudge")
    y, names, _ = tensor_of(f, arguments, None, "nudge", None)
    moved = of if of is not None else next(iter(arguments), "")
    if moved not in arguments or not isinstance(names.get(moved), Tensor):
        raise ValueError(f"nudge takes of as the name of an argument, {', '.join(arguments)}, got {moved!r}")
    try:
        result = nudged(y, names[moved], float(by), names)
    except ValueError as problem:
        raise ValueError(f"nudge: {problem}") from None
    return NudgeView(result, f"Nudge {moved}")
