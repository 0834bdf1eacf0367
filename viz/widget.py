"""The same player as a Jupyter widget: for when Python wants to hear of clicks or to move the slider."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

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

        _esm = module(parts)
        view = traitlets.Dict().tag(sync=True)
        stop = traitlets.Int(0).tag(sync=True)
        step = traitlets.Int(-1).tag(sync=True)
        selected = traitlets.Int(None, allow_none=True).tag(sync=True)

        def on_click(self, callback: Callable[[int], Any]) -> None:
            """Call `callback` with the number of each node that is clicked."""

            def received(_: Any, content: Any, buffers: Any) -> None:
                if content.get("type") == "node-click":
                    callback(content["node"])

            self.on_msg(received)

    return Player


def widget(view: View) -> Any:
    """The widget of a view. Raises ImportError where anywidget is missing.

    The widget talks to a running kernel and is blank in a saved notebook; a view is not.
    """
    data, stop = view.data()
    return widget_class(view.parts)(view=data, stop=stop, step=data["lanes"][0]["stops"][stop][0])
