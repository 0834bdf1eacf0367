"""`View.strip`: a matplotlib figure of the true slope, the derived slope and a rule's slope along one input."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.tracing.numbers import short

from ..drag.page_tape import TYPES
from ..model.text_table import sampled_table
from ..model.tolerance import right_slopes, word_of
from ..render.matplotlib_figure import canvas, colour, line_colours
from ..rule.rule_verdict import SAMPLES, span
from ..rule.tried import Tried
from .figure_view import FigureView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BENT = 1e3  #: the axis is compressed if the largest slope is at least this many times larger than most slopes
WORDS = {
    "nan": "nan or inf", "wrong": "wrong", "rounded": "lost to rounding", "unknown": "not sure",
}  # fmt: skip
HATCHES = {"nan": "///", "wrong": "\\\\\\", "rounded": "\\\\\\", "unknown": ""}


def strip_figure(tried: Tried, texts: Mapping[str, str], name: str, index: tuple[int, ...]) -> FigureView:
    """Draw the slopes along the entry `index` of the input `name`. texts : input -> its rule, if it has one."""
    rules, i = tried.rules(texts) if texts else {}, tried.names.index(name)
    shape = tried.inputs.values[i].shape
    index = index or (0,) * len(shape)
    if len(index) != len(shape) or not all(0 <= k < n for k, n in zip(index, shape)):
        raise ValueError(f"strip takes an entry of {name}, whose shape is {shape}, got {index}")
    x, rule = float(tried.inputs.values[i][index]), rules.get(i)
    low, high = span(x, TYPES[tried.dtypes[i]])
    with np.errstate(all="ignore"):
        places = [low + (high - low) * k / (SAMPLES - 1) for k in range(SAMPLES)]
        rows = [
            tried.row(rule, i, index, place) if rule else {**tried.slope(i, index, place, 1.0), "mine": nan}
            for place in places
        ]
    for row in rows:
        row["slope"] = right_slopes(row)
        row["kind"] = _kind(row, rule is not None)
    called = tried.entry(i, index)
    points = {called: np.array([row["x"] for row in rows]), "true": np.array([*map(_true, rows)])}
    points["derived"] = np.array([row["derived"] for row in rows])
    if rule:
        points["yours"] = np.array([row["mine"] for row in rows])
    title = f"Slopes over {called} from {short(low)} to {short(high)}"
    words = tried.verdict(texts, name, index)["words"] if rule else _counts(rows)
    with canvas("strip", 7.2, 3.2) as figure:
        _draw(figure, rows, points, called, x)
    return FigureView(figure, title, f"{title}: {words}", lambda most: _table(points, rows, most), points=points)


def _kind(row: Mapping[str, Any], ruled: bool) -> str:
    """Return the mark of a sample, such as "wrong", or "" for none.

    ruled : whether the sample is judged by its rule, or else by the derived gradient.
    """
    if not isfinite(row["mine"] if ruled else row["derived"]):
        return "nan"
    word = word_of(row) if ruled else ""
    return word if word in WORDS else "" if row["slope"] and word != "blurred" else "unknown"


def _true(row: Mapping[str, Any]) -> float:
    """Return the true slope, or nan at a corner or if the slope is uncertain."""
    slope = row["slope"]
    return slope["low"] if slope and slope["low"] == slope["high"] else nan


def _counts(rows: list[dict[str, Any]]) -> str:
    """Return a sentence with the number of samples that have each mark, for a strip without a rule."""
    counts = [(sum(row["kind"] == kind for row in rows), kind) for kind in ("nan", "unknown")]
    parts = [f"the {'derived slope' if kind == 'nan' else 'slope'} is {WORDS[kind]} at {n}" for n, kind in counts if n]
    return f"of {len(rows)} samples, {' and '.join(parts)}." if parts else f"{len(rows)} samples, all finite and sure."


def _draw(figure: Figure, rows: list[dict[str, Any]], points: Mapping[str, np.ndarray], called: str, x: float) -> None:
    axes = figure.subplots()
    first, second, third, *_ = line_colours()
    xs = points[called]
    half = (xs[1] - xs[0]) / 2
    labelled = set()
    for kind, stretch in groupby(rows, lambda row: row["kind"]):
        ends = [row["x"] for row in stretch]
        if not kind:
            continue
        ink = colour({"nan": "bad", "unknown": "soft"}.get(kind, "warn"))
        label = None if kind in labelled else WORDS[kind]
        labelled.add(kind)
        look: Any = {"facecolor": ink, "alpha": 0.12} if kind == "unknown" else {"facecolor": "none", "alpha": 0.5}
        low, high = max(xs[0], ends[0] - half), min(xs[-1], ends[-1] + half)
        axes.axvspan(low, high, edgecolor=ink, hatch=HATCHES[kind], lw=0, label=label, **look)
    drawn = {name: np.where(np.abs(y) < rows[0]["least"], 0.0, y) for name, y in points.items()}  # rounding errors
    axes.plot(xs, _broken(rows, drawn["true"]), color=third, lw=5, alpha=0.45, label="true")
    axes.plot(xs, drawn["derived"], color=first, lw=2, label="present rule" if rows[0]["replaced"] else "derived")
    if "yours" in points:
        axes.plot(xs, drawn["yours"], color=second, lw=2, ls=(0, (5, 2)), label="yours")
    axes.axvline(x, color=colour("ink"), lw=0.8, ls=":")
    axes.set_xlim(xs[0], xs[-1])
    axes.set_xlabel(called)
    axes.set_ylabel("slope")
    _scale(axes, rows, points.get("yours"))
    figure.legend(loc="outside upper center", ncols=6)


def _broken(rows: list[dict[str, Any]], true: np.ndarray) -> np.ndarray:
    """Return the true slope, with a gap at each corner and each uncertain sample."""
    return np.array([value if row["slope"] else nan for row, value in zip(rows, true)])


def _scale(axes: Any, rows: list[dict[str, Any]], mine: np.ndarray | None) -> None:
    """Set limits of the slope axis that cover all true slopes, and all slopes of a rule that are not far from them."""
    sure = [
        end for row in rows if row["slope"] for end in (row["slope"]["low"], row["slope"]["high"]) if abs(end) < inf
    ]
    size = max(map(abs, sure), default=0.0)
    room = (max([*sure, 0.0]) - min([*sure, 0.0])) or 1.0
    near = [] if mine is None else [v for v in mine if isfinite(v) and abs(v) < 2 * room + size]
    typical = sorted(map(abs, sure))[int(0.9 * (len(sure) - 1))] if sure else 1.0
    low, high = min([0.0, *sure, *near]), max([0.0, *sure, *near])
    if size > BENT * (typical or 1.0):
        axes.set_yscale("asinh", linear_width=typical or 1.0)
        axes.set_ylabel("slope, on a logarithmic scale", fontsize="small")
        axes.set_ylim(1.6 * low, 1.6 * high)
    else:
        axes.set_ylim(low - 0.1 * (high - low or 1.0), high + 0.1 * (high - low or 1.0))


def _table(points: Mapping[str, np.ndarray], rows: list[dict[str, Any]], most: int | None) -> str:
    """Return a table with a line for each sample and the word for its mark."""
    columns = [*points.values()]
    line = lambda k: [*(short(float(column[k])) for column in columns), WORDS.get(rows[k]["kind"], "")]
    return sampled_table([*points, "marked"], len(rows), line, most, words={len(columns)})
