"""StaticView: the part that all views have in common: their page, PNG and ipywidgets forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..hosts.html import page
from ..render.markup import markup

LINES = 12  #: number of table lines saved below the picture and as plain text; lines with origins are always saved


class StaticView:
    """A view that needs no kernel. Each kind of view defines `to_text`, `to_svg` and its notebook form, `_html`."""

    title: str
    summary: str
    to_text: Any
    to_svg: Any
    _html: Any

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a separate page with the picture, its summary and its text; write it to `path` if given."""
        summary = markup('<p class="mg-note">{summary}</p>', summary=self.summary)
        view = markup('<div class="mg-view">{view}</div>', view=self._html(self.to_text(), summary))
        return write(path, str(page(view, self.title)))

    def to_png(self, path: str | Path, theme: str = "light") -> Path:
        """Write the picture of `to_svg` to `path` as a PNG, "light" or "dark". Needs resvg-py and matplotlib."""
        from ..render.png import png

        Path(path).write_bytes(png(self.to_svg(), theme))
        return Path(path)

    def widget(self) -> Any:
        """Return the view in an ipywidgets.Output, to place it next to other widgets; `shown` is the view itself.

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

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        text = self.to_text(LINES)
        return {"text/html": str(self._html(text)), "text/plain": text}

    def __str__(self) -> str:
        return str(self.to_text())

    __repr__ = __str__


def write(path: str | Path | None, text: str) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
