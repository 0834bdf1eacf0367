"""Pictures of an op: the curves of its value and slope, or its arrays with the slopes of one result as shades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import numpy as np

Array = np.ndarray
WIDE, HIGH, EDGE = 280, 180, 12
SPAN, TOP = 3.0, 4.0
CELL, LINE, GAP = 46, 24, 26


def curves(value: Array, slope: Array | None, x: Array, label: str) -> str:
    """Return the value of a function on [-3, 3] as a solid line and its slope as a dashed one, between -4 and 4."""
    right, up = (WIDE - 2 * EDGE) / (2 * SPAN), (HIGH - 2 * EDGE) / (2 * TOP)

    def path(y: Array) -> str:
        drawn, pen = [], "M"
        for a, b in zip(x, y):
            if not np.isfinite(b) or abs(b) > TOP:
                pen = "M"
                continue
            drawn.append(f"{pen}{EDGE + (a + SPAN) * right:.1f} {EDGE + (TOP - b) * up:.1f}")
            pen = "L"
        return "".join(drawn)

    axes = f"M{EDGE} {HIGH / 2}H{WIDE - EDGE}M{WIDE / 2} {EDGE}V{HIGH - EDGE}"
    ticks = "".join(f"M{WIDE / 2 + n * right:.1f} {HIGH / 2 - 3}v6" for n in (-3, -2, -1, 1, 2, 3))
    ticks += "".join(f"M{WIDE / 2 - 3} {HIGH / 2 - n * up:.1f}h6" for n in (-4, -2, 2, 4))
    lines = f'<path class="axes" d="{axes}{ticks}"/><path class="value" d="{path(value)}"/>'
    lines += f'<path class="slope" d="{path(slope)}"/>' if slope is not None else ""
    return _svg(WIDE, HIGH, label, lines)


def slices(f: Callable[[Array], tuple[Array, Array | None]], label: str) -> str:
    """Return the curves of `f`, a function from x to value and slope; "" if nothing is drawn."""
    x = np.linspace(-SPAN, SPAN, 241)
    value, slope = f(x)
    shown = np.isfinite(value) & (abs(value) <= TOP)
    return curves(value, slope, x, label) if shown.sum() > 5 else ""


def grids(arguments: Sequence[tuple[str, Array, Array | None]], results: Sequence[Array], mark: int, label: str) -> str:
    """Arrays as grids of numbers: the arguments, shaded by slope, above the results; entry `mark` has a thick rim.

    arguments : for each, its name, its values, and the slope of the marked result with respect to each value.
    """
    parts, y, wide = [], 0, 0
    largest = max((float(np.nanmax(abs(s), initial=0)) for _, _, s in arguments if s is not None), default=0)
    for name, values, slopes in [*arguments, *(("y", r, None) for r in results)]:
        rows = _rows(values)
        shades = None if slopes is None else _rows(slopes)
        parts.append(f'<text x="0" y="{y + 16}" class="name">{escape(name)}</text>')
        for i, row in enumerate(rows):
            for j, v in enumerate(row):
                s = 0.0 if shades is None else float(shades[i, j])
                kind = "plus" if s > 0 else "minus"
                depth = 0.0 if not largest else 0.15 + 0.4 * abs(s) / largest if s else 0.0
                here = f'x="{GAP + j * CELL}" y="{y + i * LINE}" width="{CELL}" height="{LINE}"'
                if depth and np.isfinite(s):
                    parts.append(f'<rect {here} class="{kind}" fill-opacity="{depth:.2f}"/>')
                marked = name == "y" and i * row.size + j == mark
                parts.append(f'<rect {here} class="cell{" marked" * marked}"/>')
                middle = GAP + j * CELL + CELL / 2, y + i * LINE + 16
                parts.append(f'<text x="{middle[0]}" y="{middle[1]}" text-anchor="middle">{_short(v)}</text>')
        y, wide = y + len(rows) * LINE + 12, max(wide, GAP + rows.shape[1] * CELL)
        mark = mark if name != "y" else -1  # the mark is in the first result
    return _svg(wide + 2, y - 10, label, "".join(parts))


def _rows(values: Array) -> Array:
    """Return an array of any shape as rows of its last axis."""
    values = np.asarray(values)
    return values.reshape(-1, values.shape[-1]) if values.ndim else values.reshape(1, 1)


def fits(values: Array) -> bool:
    """Return whether an array is small enough to be drawn."""
    return values.size > 0 and _rows(values).shape[0] <= 8 and _rows(values).shape[1] <= 7


def _short(v: float) -> str:
    return str(v) if isinstance(v, (np.bool_, np.integer)) else f"{float(v):.3g}".replace("-", "−")


def _svg(wide: float, high: float, label: str, inside: str) -> str:
    size = f'viewBox="-1 -1 {wide + 2:.0f} {high + 2:.0f}" width="{wide + 2:.0f}" height="{high + 2:.0f}"'
    return f'<svg class="op-picture" role="img" aria-label="{escape(label)}" {size}>{inside}</svg>'
