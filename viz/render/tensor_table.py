"""The display of a Tensor in a notebook: its numbers in a table tinted like a heat map, and its shape, dtype and op."""

from __future__ import annotations

import base64
import io
from importlib.util import find_spec
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.tracing.numbers import short
from minigrad.tracing.user_lines import line_of

from .heat_map import PALE, extent_of
from .markup import Html, joined, markup
from .matplotlib_figure import palette

FEW = 8  #: maximum number of rows and columns of numbers that are shown
PIXELS = 512  #: maximum number of rows and columns of a larger matrix that are drawn as pixels

KINDS = "fiu"  #: the kinds of dtypes whose numbers have a tint: floats and integers


def tensor_html(x: Tensor) -> str:
    """Return a Tensor as a small table of its numbers, with its shape and dtype and the op and line that created it.

    Positive numbers are blue and negative numbers are orange, in a stronger colour if they are larger. Numbers that are
    not finite are red. A matrix with more than eight rows or columns also has a picture of all its numbers.

    >>> tensor_html(Tensor(2.0))
    '<div dir="ltr"><b>2</b><br><small>float32, an input</small></div>'
    """
    value = np.asarray(x.value if not isinstance(x.value, tuple) else x.value[0])
    facts = [f"shape {value.shape}"] if value.shape else []
    facts += [str(value.dtype), f"made by {x.op.name}" if x.op is not None else _origin(x)]
    if (line := line_of(x)) is not None:
        facts.append(f"at {line.file}:{line.no}")
    template, end = '<div dir="ltr">{value}{end}<small>{facts}</small></div>', Html("<br>" * (value.ndim == 0))
    return str(markup(template, value=_numbers(value), end=end, facts=", ".join(facts)))


def _origin(x: Tensor) -> str:
    return f"the variable {x.name}" if isinstance(x, Variable) else "an input"


def _numbers(value: np.ndarray) -> Html:
    if value.ndim == 0:
        return markup("<b>{number}</b>", number=_number(value[()]))
    if value.ndim > 2 or value.size == 0:
        return markup("<pre>{text}</pre>", text=np.array2string(value, threshold=64, edgeitems=2, precision=4))
    table = np.atleast_2d(value)
    pictured = value.ndim == 2 and value.dtype.kind in KINDS and FEW < max(table.shape) <= PIXELS
    # A tint compares a number with the numbers that can be seen beside it: in the table, or in the picture below it.
    strength = _strength(table if pictured else table[:FEW, :FEW])
    rows = [[_cell(v, s) for v, s in zip(*pair)] for pair in zip(table[:FEW, :FEW], strength)]
    if table.shape[1] > FEW:
        rows = [[*row, markup("<td>…</td>")] for row in rows]
    if table.shape[0] > FEW:
        more = '<td colspan="{columns}" style="text-align: left">… {count} more rows</td>'
        rows.append([markup(more, columns=len(rows[0]), count=len(table) - FEW)])
    body = joined(markup("<tr>{cells}</tr>", cells=joined(row)) for row in rows)
    shown = markup('<table style="margin: 0"><tbody>{body}</tbody></table>', body=body)
    return joined([shown, _picture(strength)]) if pictured else shown


def _strength(table: np.ndarray) -> np.ndarray:
    """Return each number divided by the largest magnitude, from -1 to 1.

    The result is nan for numbers that are not finite, and for dtypes without a tint.
    """
    if table.dtype.kind not in KINDS:
        return np.full(table.shape, np.nan)
    numbers = table.astype(float)
    return np.where(np.isfinite(numbers), numbers, np.nan) / extent_of(numbers)


def _cell(v: Any, strength: float) -> Html:
    if not strength or v.dtype.kind not in KINDS:
        return markup("<td>{v}</td>", v=_number(v))
    hue = palette("light")["now" if strength < 0 else "grad" if strength > 0 else "bad"]
    percent = 100 * PALE * (1 if np.isnan(strength) else abs(strength))
    tint = f"background: color-mix(in srgb, {hue} {percent:.0f}%, transparent)"
    return markup('<td style="{tint}">{v}</td>', tint=tint, v=_number(v))


def _number(v: Any) -> str:
    text = short(float(v), 6) if v.dtype.kind == "f" else str(v)
    return text if v.dtype.kind != "f" or np.isfinite(v) else markup("<b>{text}</b>", text=text)


def _picture(strength: np.ndarray) -> Html:
    """Draw all numbers as pixels, with nan and inf in red; return "" if matplotlib is missing."""
    if find_spec("matplotlib") is None:
        return Html("")
    from matplotlib.colors import to_rgba
    from matplotlib.image import imsave

    low, high, bad = (np.array(to_rgba(palette("light")[name])) for name in ("now", "grad", "bad"))
    pixels = np.where((strength < 0)[..., None], low, high)
    pixels[..., 3] = np.abs(strength)
    pixels[np.isnan(strength)] = bad
    imsave(file := io.BytesIO(), pixels, format="png")
    rows, columns = strength.shape
    scale = max(1, 160 // max(rows, columns))
    return markup(
        '<img src="data:image/png;base64,{data}" width="{width}" height="{height}" alt="{alt}" '
        'style="image-rendering: pixelated; margin: 6px 0; display: block; outline: 1px solid #8888">',
        data=base64.b64encode(file.getvalue()).decode(), width=columns * scale, height=rows * scale,
        alt=f"all {rows} by {columns} numbers: {_counts(strength)}",
    )  # fmt: skip


def _counts(strength: np.ndarray) -> str:
    """Return a text with the counts of positive, negative, zero and nonfinite elements."""
    kinds = {
        "positive": strength > 0,
        "negative": strength < 0,
        "zero": strength == 0,
        "not finite": strength != strength,
    }
    return ", ".join(f"{count} {kind}" for kind, at in kinds.items() if (count := int(at.sum())))
