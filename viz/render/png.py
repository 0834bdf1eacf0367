"""Convert a picture to PNG: resvg renders the SVG of a view in a theme, with matplotlib's fonts."""

from __future__ import annotations

import re
from pathlib import Path

from .document import variables

SCALE, LONGEST = 2.0, 24_000  #: pixels per unit of the SVG, but fewer if a side would be longer than `LONGEST` pixels
FONTS = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "DejaVuSansMono-Bold")


def png(svg: str, theme: str = "light") -> bytes:
    """Return the bytes of a PNG of `svg`, a picture that includes its style.

    theme : "light" or "dark".

    Raises ValueError for any other theme, and ImportError if resvg-py or matplotlib is missing.
    """
    if theme not in ("light", "dark"):
        raise ValueError(f'theme must be "light" or "dark", got {theme!r}')
    try:
        from matplotlib import get_data_path
        from resvg_py import svg_to_bytes
    except ImportError as missing:
        package = "resvg-py" if missing.name == "resvg_py" else missing.name
        raise ImportError(
            f"to_png paints with resvg-py and the fonts of matplotlib, and {package} is missing: "
            'pip install "minigrad-kit[lab]"; to_svg needs neither'
        ) from None
    head = re.match(r"<svg[^>]* width='([\d.]+)' height='([\d.]+)'", svg)
    wide, high = (float(head[1]), float(head[2])) if head else (1.0, 1.0)
    folder = Path(get_data_path(), "fonts", "ttf")
    return bytes(svg_to_bytes(
        svg_string=plain(svg, theme), width=round(wide * min(SCALE, LONGEST / max(wide, high))),
        font_files=[str(folder / f"{name}.ttf") for name in FONTS], sans_serif_family="DejaVu Sans",
    ))  # fmt: skip


def plain(svg: str, theme: str) -> str:
    """Return the SVG with the colours of a theme instead of variables, and without rules for other themes.

    >>> plain("<style>.mgv{--c:#fff}.mgv[data-theme=dark]{--c:#000}.mgv .b{fill:var(--c)}</style>", "dark")
    '<style>.mgv .b{fill:#000}</style>'
    """
    return re.sub(r"(?<=<style>).*?(?=</style>)", lambda sheet: _in_theme(sheet[0], theme), svg, flags=re.DOTALL)


def _in_theme(sheet: str, theme: str) -> str:
    colors = variables(sheet, theme)
    sheet = re.sub(r"@media[^{]*\{([^{}]*\{[^{}]*\})*\s*\}|[^{}]*\{--[^{}]*\}", "", sheet)
    sheet = re.sub(r"(font:\S+ )[^;}]*(?=DejaVu)", r"\1", sheet)
    while "var(" in sheet:
        sheet = re.sub(r"var\((--\w+)\)", lambda name: colors.get(name[1], "none"), sheet)
    return sheet
