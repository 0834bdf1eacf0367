"""FigureView: a matplotlib figure with its text, in every form that a host shows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..hosts.html import data_uri, page
from ..render.markup import Html, markup, same_as_text, scrolling
from ..render.matplotlib_figure import PER_INCH, Readout, areas, png, svg
from .forms import LINES, write
from .static_view import StaticView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: An image of SVG asks for the theme that its element has: that of the notebook or of the page around it, where these
#: name one, and that of the system otherwise. Print is light.
THEMES = (
    "@media screen{:is([data-theme=dark],[data-jp-theme-light=false],[data-vscode-theme-kind]) .mg-plot"
    "{color-scheme:dark}:is([data-theme=light],[data-jp-theme-light=true],[data-vscode-theme-kind*=light]) .mg-plot"
    "{color-scheme:light}}@media print{.mg-plot{color-scheme:light}}"
)


class FigureView(StaticView):
    """A matplotlib figure and its text, as `viz.curves`, `viz.jacobian`, `viz.matrices` and `viz.steps` return it.

    figure : the `matplotlib.figure.Figure`, which you can draw into. Anything drawn into it appears in every form. Its
        attributes
        are
        also found on the view, as in `view.axes[0].set_title("...")` and `view.savefig("plot.pdf")`.
    summary : a sentence.

    Show the view by naming it in a notebook cell, or print it: its text is the summary and a table.

    >>> import viz
    >>> view = viz.matrices(yours=[1.0, 2.0], true=[1.0, 3.0])
    >>> view.figure.axes[0].get_title()
    'yours'
    >>> view.to_text().splitlines()[0]
    '1 of 2 numbers differs; the first is yours[1] = 2, which should be 3.'
    """

    figure: Figure
    summary: str

    def __init__(
        self, figure: Figure, title: str, summary: str, table: Callable[[int | None], str],
        readouts: Sequence[Readout] = (), **numbers: Any,
    ) -> None:  # fmt: skip
        """table : function that returns the table, with at most about that many lines. numbers : the drawn numbers, as
        attributes."""
        self.figure, self.title, self.summary = figure, title, summary
        self._table, self._readouts = table, readouts
        vars(self).update(numbers)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figure":  # a copy has no figure yet
            raise AttributeError(name)
        return getattr(self.figure, name)

    def to_text(self, max_lines: int | None = None) -> str:
        """The summary and the table, of at most about `max_lines` lines if given."""
        return f"{self.summary}\n{self._table(max_lines)}"

    def to_svg(self, path: str | Path | None = None) -> str:
        """The figure as an SVG that follows the theme of the system; written to `path` if one is given."""
        return write(path, svg(self.figure, self._alt))

    def to_png(self, path: str | Path, theme: str = "light") -> Path:
        """Write the figure to `path` as a PNG, "light" or "dark"; a figure in your own dark style is unchanged."""
        Path(path).write_bytes(png(self.figure, theme))
        return Path(path)

    def to_html(self, path: str | Path | None = None) -> str:
        """A separate page with the figure, its summary and its text; written to `path` if one is given."""
        summary = markup('<p class="mg-note">{summary}</p>', summary=self.summary)
        view = markup('<div class="mg-view">{view}</div>', view=self._html(self.to_text(), summary))
        return write(path, str(page(view, self.title)))

    def _html(self, text: str, note: str = "") -> Html:
        image = data_uri(svg(self.figure, self._alt))
        named = areas(self.figure, self._readouts)
        name = f"mg{hashlib.sha256((named + image).encode()).hexdigest()[:8]}"
        least = 0.8 * PER_INCH * self.figure.get_figwidth()  # below it words are too small, and the figure scrolls
        size, use, lookup = f"max-width: 100%; min-width: {least:.0f}px; height: auto", Html(), Html()
        if named:  # areas keep their size
            size, use = "max-width: none", markup(' usemap="#{name}"', name=name)
            lookup = markup('<map name="{name}">{named}</map>', name=name, named=named)
        figure = markup(
            '<img class="mg-plot" style="{size}" alt="{alt}"{use} src="{image}">{lookup}',
            size=size, alt=self._alt, use=use, image=image, lookup=lookup,
        )  # fmt: skip
        return markup(
            '<div dir="ltr"><style>{themes}</style>{figure}{note}{text}</div>',
            themes=Html(THEMES), figure=scrolling("Figure", figure), note=note, text=same_as_text(text),
        )  # fmt: skip

    @property
    def _alt(self) -> str:
        return self.summary if self.summary.startswith(self.title) else f"{self.title}: {self.summary}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        text = self.to_text(LINES)
        return {"text/html": str(self._html(text)), "text/plain": text}
