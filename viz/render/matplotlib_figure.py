"""matplotlib figures in the colours of the other pictures, as SVG and PNG for light and dark themes.

A figure is drawn once, on light paper. In a dark theme, an affine map converts its colours from the light palette of
ink.css to the dark palette. So everything in a figure follows the theme, including anything that users draw into it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from html import escape
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.tracing.numbers import short

from .document import picture_style, printable, variables
from .markup import Html, joined, markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The names of the colours to which `dark_map` is fitted. It maps the colour of the paper exactly.
FITTED = ("paper", "ink", "soft", "line", "grad", "bad", "now", "warn", "varrim")
#: The smallest size of a number in a narrow cell, relative to other text; a picture with less room stays wide.
SMALLEST = 0.7
#: The colours of lines, in order, unless the user's style sets its own.
LINES = ("grad", "now", "soft", "varrim")
#: The colours of everything around the lines, each used only if the user's style keeps matplotlib's default.
AROUND = {
    "ink": ("text.color", "axes.labelcolor", "xtick.color", "ytick.color"),
    "line": ("axes.edgecolor", "grid.color", "legend.edgecolor"),
}
PER_INCH = 96  #: pixels per inch of a page; a PNG has twice as many
NARROW = 266  #: width in pixels of a JupyterLab output on a phone
Readout = tuple[Any, str, int, str]  #: the axes of a heat map, "row" or "column", its index, its text


@cache
def palette(theme: str) -> dict[str, str]:
    """Return the colours of ink.css in a theme, by name."""
    return {name.removeprefix("--"): colour for name, colour in variables(picture_style(), theme).items()}


@contextmanager
def canvas(who: str, width: float, height: float) -> Iterator[Figure]:
    """Return an empty figure in the user's style, with its size in inches.

    Settings that the style leaves at matplotlib's default get our colours. Raises ImportError if matplotlib is
    missing.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
        from matplotlib.rcsetup import cycler
        from matplotlib.ticker import FuncFormatter, ScalarFormatter
    except ImportError:
        raise ImportError(
            f'{who} draws with the package matplotlib: pip install "minigrad-kit[lab]"; '
            "viz.backward and viz.compare do not"
        ) from None
    light = palette("light")
    own: Any = {key: light[name] for name, keys in AROUND.items() for key in keys}
    own["axes.prop_cycle"] = cycler(color=[light[name] for name in LINES])
    style: Any = matplotlib.rcParams
    with matplotlib.rc_context({k: own[k] for k in own if style[k] == matplotlib.rcParamsDefault[k]}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        # Ticks that are created later get these colours too.
        for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
            if isinstance(axis.get_major_formatter(), ScalarFormatter):
                axis.set_major_formatter(FuncFormatter(partial(tick_text, axis)))
            ink, words = (style[f"{axis.axis_name}tick.{key}"] for key in ("color", "labelcolor"))
            axis.set_tick_params("both", color=ink, labelcolor=ink if words == "inherit" else words)


def tick_text(axis: Any, value: float, place: int | None = None) -> str:
    """Return the text of a number at an axis, with as many digits as it takes to distinguish the ticks.

    axis : the axis, whose ticks are read. value : the number. place : the index of the tick, which is not used.
    """
    ticks = np.asarray(axis.get_majorticklocs(), float)
    apart = float(np.diff(ticks).min()) if len(ticks) > 1 else 0.0
    value = 0.0 if abs(value) < 1e-9 * apart else float(value)
    digits = 4 if not (apart > 0 and value) else max(4, int(np.ceil(np.log10(abs(value) / apart))) + 2)
    return short(value, min(digits, 15))


def on_dark(colour: Any) -> bool:
    """Return whether a paper colour is dark."""
    from matplotlib.colors import to_rgb

    return sum(to_rgb(colour)) < 1.5


def colour(name: str) -> str:
    """Return a colour of ink.css for the paper of the active style."""
    from matplotlib import rcParams

    return palette("dark" if on_dark(rcParams["axes.facecolor"]) else "light")[name]


def line_colours() -> list[str]:
    """Return the colours of lines in the active style."""
    from matplotlib import rcParams

    return [*rcParams["axes.prop_cycle"].by_key().get("color", []), *map(colour, LINES)]


@cache
def dark_map() -> np.ndarray:
    """Return the map from light to dark, for `[r, g, b, 1] @ dark_map()` with colours from 0 to 1."""
    from matplotlib.colors import to_rgb

    light, dark = (np.array([to_rgb(palette(theme)[name]) for name in FITTED]) for theme in ("light", "dark"))
    linear = np.linalg.lstsq(light - light[0], dark - dark[0], rcond=None)[0]
    return np.vstack([linear, dark[0] - light[0] @ linear])


@contextmanager
def narrowed(figure: Figure) -> Iterator[bool]:
    """Make the figure as narrow as a phone inside a `with` statement; text keeps its size, except in narrow cells.

    A figure of images without axes keeps its proportions; any other figure keeps its height.
    Yields whether the narrow figure is free of overlapping text.
    """
    (width, height), legends = figure.get_size_inches(), [*figure.legends]
    crowded = [axes for axes in figure.axes if _crowded(axes)]
    turned = [axes.get_xticklabels()[0].get_rotation() for axes in crowded]
    decades = [axes.xaxis for axes in figure.axes if _has_decades(axes)]
    between = [axis.get_minor_formatter() for axis in decades]
    by = 1.0 if any(axes.axison for axes in figure.axes) else NARROW / PER_INCH / width
    figure.set_size_inches(NARROW / PER_INCH, by * height)
    for axes in crowded:
        axes.tick_params("x", rotation=90)
    for axis in decades:
        axis.set_minor_formatter("")
    inside = [legend for axes in figure.axes if (legend := axes.get_legend())]
    inside = inside if len(inside) == 1 else []  # in a narrow figure, the legend would cover lines
    for legend in inside:
        legend.set_visible(False)
    for legend in legends:
        legend.remove()
    for legend in (*legends, *inside):
        names = [text.get_text() for text in legend.get_texts()]
        handles: Any = legend.legend_handles
        figure.legend(handles, names, loc="outside upper center")
    try:
        with _shorter_words(figure):
            words = [text for axes in figure.axes for text in (axes.title, *axes.texts) if text.get_text()]
            boxes = [text.get_window_extent() for text in words]
            yield not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    finally:
        figure.set_size_inches(width, height)
        for axes, angle in zip(crowded, turned):
            axes.tick_params("x", rotation=angle)
        for axis, formatter in zip(decades, between):
            axis.set_minor_formatter(formatter)
        figure.legends[:] = legends
        for legend in inside:
            legend.set_visible(True)


@contextmanager
def _shorter_words(figure: Figure) -> Iterator[None]:
    """Inside a `with` statement, axes have few numbers and short vertical labels, and cells have what fits in them."""
    from matplotlib.ticker import AutoLocator

    cells = [(axes, text, text.get_fontsize()) for axes in figure.axes if axes.images for text in axes.texts]
    labels = [(axes, axes.get_ylabel()) for axes in figure.axes]
    locators = [axes.xaxis.get_major_locator() for axes in figure.axes]
    automatic = [locator for locator in locators if isinstance(locator, AutoLocator)]
    for locator in automatic:
        locator.set_params(nbins=4)
    figure.draw_without_rendering()
    for axes, text, size in cells:
        (start, _), (end, _) = axes.transData.transform([(0, 0), (1, 0)])
        room = (end - start - 4) / text.get_window_extent().width
        text.set_fontsize(size * min(1.0, max(room, SMALLEST)))
    for axes, name in labels:
        if axes.yaxis.label.get_window_extent().height > axes.get_window_extent().height:
            axes.set_ylabel(textwrap.fill(name, len(name) // 2 + 4))
    figure.draw_without_rendering()
    try:
        yield
    finally:
        for _, text, size in cells:
            text.set_fontsize(size)
        for axes, name in labels:
            axes.set_ylabel(name)
        for locator in automatic:
            locator.set_params(nbins="auto")


def _has_decades(axes: Any) -> bool:
    """Return whether the horizontal axis is logarithmic and shows at least two powers of 10 as ticks."""
    low, high = sorted(axes.get_xlim())
    return axes.get_xscale() == "log" and sum(low <= tick <= high for tick in axes.get_xticks()) > 1


def _crowded(axes: Any) -> bool:
    """Return whether the column labels of a heat map are wider than its columns on a phone."""
    words = [label.get_text() for label in axes.get_xticklabels()] if axes.images else []
    return sum(map(len, words)) + len(words) > 20 and not all(word.lstrip("−").isdigit() for word in words)


def svg(figure: Figure, words: str) -> str:
    """Return the figure as an SVG with the title `words`; its `data-theme` or the system selects light or dark.

    When printed, the figure uses the light theme. A figure whose background is already dark does not change.
    """
    import matplotlib

    file = StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "viz", "savefig.bbox": None}):
        figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    body = file.getvalue().partition("<svg ")[2].partition(">")[2]
    body = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|\*\{[^}]*\}", "", body, flags=re.S)
    body = re.sub(r'="([^"\']*)"', r"='\1'", re.sub(r"\s*\n\s*", " ", body))
    body = body.replace("> <", "><").replace("base64, ", "base64,")
    body = re.sub(r" d='[^']*'", lambda d: re.sub(r"-?\d+\.\d{3,}", lambda n: f"{float(n[0]):.2f}", d[0]), body)
    w, h = figure.get_size_inches()
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' class='mg-plot' "
        f"width='{PER_INCH * w:.0f}' height='{PER_INCH * h:.0f}' viewBox='0 0 {72 * w:g} {72 * h:g}' role='img' "
        f"aria-label='{escape(printable(words))}' stroke-linejoin='round' stroke-linecap='butt'>"
        f"<!--Matplotlib {matplotlib.__version__}-->"
        f"{'' if on_dark(figure.get_facecolor()) else _theme()}{body.strip()}"
    )


@cache
def _theme() -> str:
    """Return the SVG filter that applies the dark map, and the style rules that select it."""
    values = " ".join(f"{r:.3f} {g:.3f} {b:.3f} 0 {one:.3f}" for r, g, b, one in dark_map().T)
    return (
        "<filter id='mg-dark' color-interpolation-filters='sRGB' x='0' y='0' width='1' height='1'>"
        f"<feColorMatrix values='{values} 0 0 0 1 0'/></filter>"
        "<style>@media screen and (prefers-color-scheme:dark){.mg-plot:not([data-theme=light])>g{filter:url(#mg-dark)}}"
        "@media screen{.mg-plot[data-theme=dark]>g{filter:url(#mg-dark)}}</style>"
    )


def png(figure: Figure, theme: str = "light") -> bytes:
    """Return the bytes of a PNG of the figure. Raises ValueError for a theme other than "light" and "dark"."""
    from matplotlib import rc_context
    from matplotlib.image import imread, imsave

    if theme not in ("light", "dark"):
        raise ValueError(f'theme must be "light" or "dark", got {theme!r}')
    file, mapped = BytesIO(), BytesIO()
    with rc_context({"savefig.bbox": None}):
        figure.savefig(file, format="png", dpi=2 * PER_INCH)
    if theme == "light" or on_dark(figure.get_facecolor()):
        return file.getvalue()
    file.seek(0)
    image = imread(file)
    image[..., :3] = np.clip(image[..., :3] @ dark_map()[:3] + dark_map()[3], 0, 1)
    imsave(mapped, image, format="png")
    return mapped.getvalue()


def areas(figure: Figure, readouts: Iterable[Readout]) -> Html:
    """Return HTML <area> elements that show text when the pointer is on a row of a heat map or on a column's label.

    A row's area includes its label. A column's area is only its label, because its cells belong to the rows.
    """
    scale, height, markups = PER_INCH / figure.dpi, figure.bbox.height, []
    area = '<area shape="rect" coords="{coords}" title="{words}" alt="{words}">'
    for axes, kind, number, words in readouts:
        inner, outer = axes.bbox, axes.get_tightbbox()
        (left, top), (right, bottom) = axes.transData.transform([(number - 0.5,) * 2, (number + 0.5,) * 2])
        if kind == "row":
            left, right = outer.x0, inner.x1
        else:
            top, bottom = outer.y1, inner.y1
        corners = (left, height - top, right, height - bottom)
        coords = ",".join(str(round(scale * corner)) for corner in corners)
        markups.append(markup(area, coords=coords, words=words))
    return joined(markups)
