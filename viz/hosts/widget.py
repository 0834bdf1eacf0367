"""The player as a Jupyter widget, whose clicks reach Python and whose slider Python can move."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any
from uuid import uuid4

from .html import module


@cache
def widget_class(parts: tuple[str, ...] = ()) -> type:
    """Make the widget class of the player with `parts`. Raises ImportError where anywidget is missing."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError(
            "widget() needs the package anywidget: pip install anywidget; the view itself does not"
        ) from None

    class Player(anywidget.AnyWidget):
        """The player. `stop` is the position of the slider and `step` the step of the engine there; both can be set.

        `selected` is the node that was clicked last, or None.
        """

        shown: Any  #: the view that it was made of, or that it shows now
        _esm = module(parts)
        view = traitlets.Dict().tag(sync=True)
        stop = traitlets.Int(0).tag(sync=True)
        step = traitlets.Int(-1).tag(sync=True)
        saved = traitlets.Unicode(help="the mark of the view that is saved below the widget").tag(sync=True)
        selected = traitlets.Int(None, allow_none=True).tag(sync=True)

        @traitlets.default("saved")
        def _mark(self) -> str:
            return uuid4().hex[:12]

        def on_click(self, callback: Callable[[int], Any]) -> None:
            """Call `callback` with the number of each node that is clicked."""

            def received(_: Any, content: Any, buffers: Any) -> None:
                if content.get("type") == "node-click":
                    callback(content["node"])

            self.on_msg(received)

        def _ipython_display_(self, **options: Any) -> None:
            """Display the widget, and below it the saved view, which takes over where the widget cannot run."""
            from IPython.display import display

            live: Any = self._repr_mimebundle_(**options)
            saved = self.shown._repr_mimebundle_()
            live = live[0] if isinstance(live, tuple) else live
            live = {kind: form for kind, form in live.items() if kind.startswith("application/")}
            display({**live, "text/plain": "The widget needs a running kernel. Without one:"}, raw=True)
            html = f'<div data-saved="{self.saved}">{saved["text/html"]}</div>'
            display({"text/html": html, "text/plain": saved["text/plain"]}, raw=True)

    return Player
