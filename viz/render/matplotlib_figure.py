"""Figures drawn with matplotlib: the user's own style, and a text twin that is saved beside the picture."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from io import BytesIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110  #: of the picture that is saved with a notebook

#: A figure on light paper is shown in the dark with its lightness turned around and its hues kept. The theme is that of
#: the notebook, or where the page has none that of the system; print is light.
DARK = "filter:invert(.91) hue-rotate(180deg)"
THEMES = (
    f"@media screen and (prefers-color-scheme:dark){{body:not([data-jp-theme-light],[data-vscode-theme-kind]) "
    f".mg-light{{{DARK}}}}}@media screen{{[data-jp-theme-light=false] .mg-light,"
    f"[data-vscode-theme-kind]:not([data-vscode-theme-kind*=light]) .mg-light{{{DARK}}}}}"
)

#: Colours of Okabe and Ito (2008) that the colour-blind tell apart, on white and on black.
SAFE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")


@cache
def _figure_class() -> type:
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure

    class TwinFigure(Figure):
        """A matplotlib Figure with its content as text: `summary` is a sentence, `to_text()` has lines.

        It does not wait for `plt.show()`: a notebook shows it where it is named, in the dark with its lightness turned
        around; `savefig` writes it to a file.
        """

        summary = ""
        twin = ""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.readouts: list[tuple[Any, str, int, str]] = []  # see `_areas`

        def to_text(self) -> str:
            return f"{self.summary}\n{self.twin}".strip()

        def to_png(self) -> bytes:
            file = BytesIO()
            self.savefig(file, format="png", dpi=DPI)
            return file.getvalue()

        def __str__(self) -> str:
            return self.to_text()

        __repr__ = __str__

        def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
            picture = base64.b64encode(self.to_png()).decode()
            text = escape(self.to_text(), quote=False)
            areas, use = _areas(self), ""
            if areas:
                name = f"mg{hashlib.sha256((areas + picture).encode()).hexdigest()[:8]}"
                areas, use = f'<map name="{name}">{areas}</map>', f' usemap="#{name}"'
            style, look = "", ""
            if sum(to_rgb(self.get_facecolor())) > 1.5:
                style, look = f"<style>{THEMES}</style>", ' class="mg-light"'
            html = (
                f'<div>{style}<img{look} style="max-width: none" alt="{escape(self.summary)}"{use} '
                f'src="data:image/png;base64,{picture}">{areas}'
                f"<details><summary>The same as text</summary><pre>{text}</pre></details></div>"
            )
            return {"text/html": html, "text/plain": self.to_text()}

        def _display_(self) -> Any:
            """The same for marimo, which has another form for matplotlib's figures."""
            return SimpleNamespace(_mime_=lambda: ("text/html", self._repr_mimebundle_()["text/html"]))

    return TwinFigure


def _areas(figure: Any) -> str:
    """The areas of the saved picture that have words: each a row of an axes, or the label of a column.

    A row is as wide as the axes with its labels; of a column only the label, as its cells belong to their rows.
    """
    scale, height = DPI / figure.dpi, figure.bbox.height
    areas = ""
    for axes, kind, number, words in figure.readouts:
        inner, outer = axes.bbox, axes.get_tightbbox()
        (left, top), (right, bottom) = axes.transData.transform([(number - 0.5,) * 2, (number + 0.5,) * 2])
        if kind == "row":
            left, right = outer.x0, inner.x1
        else:
            top, bottom = outer.y1, inner.y1
        corners = (left, height - top, right, height - bottom)
        coords = ",".join(str(round(scale * corner)) for corner in corners)
        areas += f'<area shape="rect" coords="{coords}" title="{escape(words)}" alt="{escape(words)}">'
    return areas


def new_figure(who: str, width: float, height: float) -> Figure:
    """An empty figure in inches. Raises ImportError in a sentence where matplotlib is missing."""
    try:
        kind = _figure_class()
    except ImportError:
        raise ImportError(
            f"{who} draws with the package matplotlib: pip install matplotlib; viz.backward and viz.compare do not"
        ) from None
    return kind(figsize=(width, height), layout="constrained")


def colours() -> list[str]:
    """The colours of the user's style; where that is matplotlib's own, colours that the colour-blind tell apart."""
    from matplotlib import rcParams, rcParamsDefault

    cycle = rcParams["axes.prop_cycle"]
    own = [] if cycle == rcParamsDefault["axes.prop_cycle"] else cycle.by_key().get("color", [])
    return [*own, *SAFE]
