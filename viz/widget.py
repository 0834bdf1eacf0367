"""The same player as a Jupyter widget: for when Python wants to hear of clicks or to move the slider."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from .player import module

if TYPE_CHECKING:
    from .view import View


@cache
def widget_class(parts: tuple[str, ...] = ()) -> type:
    """The class of the player with some parts. Raises ImportError in a sentence where anywidget is missing."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError(
            "widget() needs the package anywidget: pip install anywidget; the view itself does not"
        ) from None

    class Player(anywidget.AnyWidget):
        """`stop` is the place of the slider and `step` its step of the engine, both ways.

        `selected` is the node that was clicked last, or None.
        """

        shown: View  #: the view that it was made of, or that it shows now
        _esm = module(parts)
        view = traitlets.Dict().tag(sync=True)
        stop = traitlets.Int(0).tag(sync=True)
        step = traitlets.Int(-1).tag(sync=True)
        saved = traitlets.Unicode(help="the mark of what is saved below the widget").tag(sync=True)
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
            """The widget, and below it the view as it stands, which shows itself where the widget cannot."""
            from IPython.display import display

            live: Any = self._repr_mimebundle_(**options)
            saved = self.shown._repr_mimebundle_()
            live = live[0] if isinstance(live, tuple) else live
            live = {kind: form for kind, form in live.items() if kind.startswith("application/")}
            display({**live, "text/plain": "The widget needs a running kernel. Without one:"}, raw=True)
            html = f'<div data-saved="{self.saved}">{saved["text/html"]}</div>'
            display({"text/html": html, "text/plain": saved["text/plain"]}, raw=True)

    return Player


def widget(view: View) -> Any:
    """The widget of a view. Raises ImportError where anywidget is missing.

    The widget talks to a running kernel; a notebook saves the view beside it, for when none runs.
    """
    data, stop = view.data()
    made = widget_class(view.parts)(view=data, stop=stop, step=data["lanes"][0]["stops"][stop][0])
    made.shown = view
    return made
