"""FigureView: a matplotlib figure with its text, in every form that a host can show."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..hosts.html import data_uri
from ..render.markup import Html, markup, same_as_text, scrolling
from ..render.matplotlib_figure import NARROW, PER_INCH, Readout, areas, narrowed, png, svg
from .static_view import StaticView, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: An SVG image follows the theme of its element: the theme of the notebook or page if one is set, otherwise the
#: system's theme. It is light when printed.
THEMES = (
    "@media screen{:is([data-theme=dark],[data-jp-theme-light=false],[data-vscode-theme-kind]) .mg-plot"
    "{color-scheme:dark}:is([data-theme=light],[data-jp-theme-light=true],[data-vscode-theme-kind*=light]) .mg-plot"
    "{color-scheme:light}}@media print{.mg-plot{color-scheme:light}}"
)


#: A figure, and its version for narrow boxes. A host that removes styles, such as GitHub, shows only one of them.
FITTED = '<div class="{name}" style="container-type: inline-size"><div class="mg-wide">{figure}</div>{narrow}</div>'
NARROWER = (
    "<style>.{name} .mg-narrow{{display:none}}@container (max-width:{most}px){{.{name} .mg-wide{{display:none}}"
    '.{name} .mg-narrow{{display:inline-block}}.{name} .mg-narrow::before{{content:url("{image}")}}}}</style>'
    '<span class="mg-plot mg-narrow" role="img" aria-label="{alt}"></span>'
)


class FigureView(StaticView):
    """A matplotlib figure and its text: the result of `viz.curves`, `viz.jacobian`, `viz.matrices` and `viz.steps`.

    figure : the `matplotlib.figure.Figure`. Anything that you draw into it appears in every form of the view. The
        figure's attributes are also available on the view, as in `view.axes[0].set_title("...")` and
        `view.savefig("plot.pdf")`.
    summary : a sentence about the figure.

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
        """table : a function that takes an approximate maximum number of lines and returns the table.

        numbers : the drawn numbers, which become attributes of the view.
        """
        self.figure, self.title, self.summary = figure, title, summary
        self._table, self._readouts = table, readouts
        vars(self).update(numbers)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figure":  # avoid endless recursion: a view being copied has no figure yet
            raise AttributeError(name)
        return getattr(self.figure, name)

    def to_text(self, max_lines: int | None = None) -> str:
        """Return the summary and the table. max_lines : the approximate maximum length of the table."""
        return f"{self.summary}\n{self._table(max_lines)}"

    def to_svg(self, path: str | Path | None = None) -> str:
        """Return the figure as an SVG that follows the theme of the system; write it to `path` if given."""
        return write(path, svg(self.figure, self._alt))

    def to_png(self, path: str | Path, theme: str = "light") -> Path:
        """Write the figure to `path` as a PNG, "light" or "dark"; a figure in your own dark style is unchanged."""
        Path(path).write_bytes(png(self.figure, theme))
        return Path(path)

    def _html(self, text: str, note: str = "") -> Html:
        narrow = self._narrow()  # first, because it changes the layout, and the areas below need the final layout
        image = data_uri(svg(self.figure, self._alt))
        named = areas(self.figure, self._readouts)
        name = f"mg{hashlib.sha256((named + image).encode()).hexdigest()[:8]}"
        use = lookup = Html()
        if named:
            use = markup(' usemap="#{name}"', name=name)
            lookup = markup('<map name="{name}">{named}</map>', name=name, named=named)
        figure = markup(
            '<img class="mg-plot" style="max-width: none" alt="{alt}"{use} src="{image}">{lookup}',
            alt=self._alt, use=use, image=image, lookup=lookup,
        )  # fmt: skip
        narrow = markup(NARROWER, name=name, most=self._width - 1, alt=self._alt, image=narrow) if narrow else narrow
        figure = markup(FITTED, figure=scrolling("Figure", figure), narrow=narrow, name=name)
        return themed(figure, note, text)

    def _narrow(self) -> Html:
        """Return the figure for a narrow box, or empty HTML if it fits a phone as it is or cannot be made to fit."""
        if self._width <= NARROW:
            return Html()
        with narrowed(self.figure) as fits:
            image = data_uri(svg(self.figure, self._alt)) if fits else ""
        return Html(image.replace("<", "%3C"))  # otherwise its </style> would end the page's style

    @property
    def _width(self) -> int:
        """The width of the figure in CSS pixels."""
        return round(PER_INCH * self.figure.get_figwidth())

    @property
    def _alt(self) -> str:
        return self.summary if self.summary.startswith(self.title) else f"{self.title}: {self.summary}"


def themed(figure: Html, note: str, text: str) -> Html:
    """Return a figure with a note and its text, in the theme of the page that contains it."""
    template = '<div dir="ltr"><style>{themes}</style>{figure}{note}{text}</div>'
    return markup(template, themes=Html(THEMES), figure=figure, note=note, text=same_as_text(text))
