"""Finished pictures as a widget, to be placed beside sliders and buttons of ipywidgets."""

from __future__ import annotations

from typing import Any


class AsWidget:
    """A view that needs no kernel, with `widget()` like those that do."""

    def widget(self) -> Any:
        """The view in an ipywidgets.Output, for a box beside other widgets; `shown` is the view itself.

        Raises ImportError without ipywidgets.
        """
        try:
            import ipywidgets
        except ImportError:
            raise ImportError(
                'widget() needs the package ipywidgets: pip install "minigrad-kit[lab]"; the view itself does not'
            ) from None
        view: Any = self
        made = ipywidgets.Output()
        made.outputs = ({"output_type": "display_data", "data": view._repr_mimebundle_(), "metadata": {}},)
        made.shown = self
        return made
