"""StaticView: the common part of views that need no kernel: their text, PNG and ipywidgets forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class StaticView:
    """A view that needs no kernel. Each kind has its own `to_text`, `to_svg` and form in a notebook."""

    to_text: Any
    to_svg: Any
    _repr_mimebundle_: Any

    def to_png(self, path: str | Path, theme: str = "light") -> Path:
        """Write the picture of `to_svg` to `path` as a PNG, "light" or "dark". Needs resvg-py and matplotlib."""
        from ..render.png import png

        Path(path).write_bytes(png(self.to_svg(), theme))
        return Path(path)

    def widget(self) -> Any:
        """The view in an ipywidgets.Output, for a box with more widgets; `shown` is the view itself.

        Raises ImportError if ipywidgets is missing.
        """
        try:
            import ipywidgets
        except ImportError:
            raise ImportError(
                'widget() needs the package ipywidgets: pip install "minigrad-kit[lab]"; the view itself does not'
            ) from None
        made = ipywidgets.Output()
        made.outputs = ({"output_type": "display_data", "data": self._repr_mimebundle_(), "metadata": {}},)
        made.shown = self
        return made

    def __str__(self) -> str:
        return str(self.to_text())

    __repr__ = __str__
