"""The player as a Jupyter widget: clicks are sent to Python, and Python can move the slider.

If anywidget is missing, importing this file raises an ImportError that names the package to install.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

try:
    import anywidget
    import traitlets
except ImportError:
    raise ImportError(
        'widget() needs the package anywidget: pip install "minigrad-kit[lab]"; the view itself does not'
    ) from None

from ..render.document import script
from .displayed import display_both


class Player(anywidget.AnyWidget):
    """The player. `stop` is the position of the slider and `step` the engine's step at that position; both can be set.

    `selected` is the node that was clicked last, or None. `answer` is the reader's answer to `View.ask`. If the
    view asks a question or was made with `predict`, `edge`, `numbers` and `order` are the arrow that the reader chose,
    the numbers typed and the boxes clicked.
    """

    shown: Any  #: the view that the widget shows now
    _esm = traitlets.Unicode(script("loader")).tag(sync=True)
    code = traitlets.Unicode(help="the module of the player, which the loader runs").tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    stop = traitlets.Int(0).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    saved = traitlets.Unicode(help="the mark of the view that is saved below the widget").tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    chosen = traitlets.List(traitlets.Unicode(), help="the names of the two ends of each arrow").tag(sync=True)
    typed = traitlets.List(traitlets.Unicode(), help="the numbers that were typed, as text").tag(sync=True)
    clicked = traitlets.List(traitlets.Unicode(), help="the names of the boxes chosen to send next").tag(sync=True)

    @traitlets.default("saved")
    def _mark(self) -> str:
        return uuid4().hex[:12]

    def _pairs(self) -> list[tuple[str, str]]:
        return list(zip(self.chosen[::2], self.chosen[1::2]))

    @property
    def edge(self) -> tuple[str, str] | None:
        """The chosen arrow (the names of its sender and receiver), or None before the reader chooses. It can be set."""
        return next(iter(self._pairs()), None)

    @edge.setter
    def edge(self, ends: Any) -> None:
        self.chosen = [] if ends is None or ends is ... else list(ends)

    @property
    def numbers(self) -> list[float | None] | None:
        """The numbers typed so far (None for each number shown instead of typed), or None before the first number."""
        return [float(text) if text else None for text in self.typed] or None

    @numbers.setter
    def numbers(self, typed: Any) -> None:
        self.typed = [] if typed is None or typed is ... else ["" if x is None else _typed(x) for x in typed]

    @property
    def order(self) -> list[str | None] | None:
        """The boxes chosen to send next, by name (None for a box shown instead), or None before the first choice."""
        return [name or None for name in self.clicked] or None

    @order.setter
    def order(self, names: Any) -> None:
        self.clicked = [] if names is None or names is ... else [name or "" for name in names]

    @property
    def answer(self) -> Any:
        """The answer to the view's question, or None before it is given. It can be set.

        An answer is the name of a box, the names of an arrow's sender and receiver, a list of boxes or arrows, a
        number, or a list of numbers.
        """
        kind = self.view["ask"]["kind"] if "ask" in self.view else ""
        if kind == "box":
            return next(iter(self.clicked), None)
        if kind in ("number", "numbers"):
            return self.numbers and (self.numbers[0] if kind == "number" else self.numbers)
        return self.edge if kind not in ("edges", "order") else self._pairs() or None

    @answer.setter
    def answer(self, said: Any) -> None:
        kind = self.view["ask"]["kind"] if "ask" in self.view else ""
        said = [] if said is None or said is ... else [said] if kind in ("box", "number") else list(said)
        if kind == "box":
            self.clicked = said
        elif kind in ("number", "numbers"):
            self.numbers = said
        else:
            self.chosen = said if kind not in ("edges", "order") else [end for pair in said for end in pair]

    def on_click(self, callback: Callable[[int], Any]) -> None:
        """Register `callback`, which is called with the number of each node that is clicked."""

        def received(_: Any, content: Any, buffers: Any) -> None:
            if content.get("type") == "node-click":
                callback(content["node"])

        self.on_msg(received)

    def _ipython_display_(self, **options: Any) -> None:
        """Display the widget, and below it the saved view, which is shown if the widget cannot run."""
        saved = self.shown._repr_mimebundle_()
        words = "The widget needs a running kernel. Without one:"
        display_both(self, options, words, self.saved, saved["text/html"], saved["text/plain"])


def _typed(number: Any) -> str:
    """Return a number as a learner types it: 3, not 3.0."""
    return repr(float(number)).removesuffix(".0")
