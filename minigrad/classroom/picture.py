"""Draw the student's answer and the true one in a small picture, for light and dark backgrounds.

Numbers over a range are drawn as curves, with one panel for each number of a tuple. Arrays (values, gradients,
Jacobians) are tables of colours: the student's array, the true one, and the difference. Graphs are boxes and arrows. A
picture is stored as data until it is opened, because a thousand graded answers have many pictures, and a teacher opens
only a few. `beside` makes the data of a failure; `curves`, `tables` and `graphs` draw them with matplotlib.
"""

from __future__ import annotations

import base64
import io
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..runner.budgets import work_limit
from .attempts import Attempt, both_at, prepared
from .compared_values import show, shown_apart
from .exercises import Check
from .graph_rows import Difference, Rows
from .inputs import Floats

POINTS = 121
PANELS = 4  # maximum number of panels for a tuple
INK, YOURS, TRUE = "#777777", "#d97706", "#3b82f6"  # width and dashes distinguish the curves too
CELLS = 24  # maximum number of rows, and of columns, in a drawn table
NAMED = 3  # maximum number of entries that the description lists
WIDE = 6  # two graphs are drawn one above the other if one has at least this many columns, else side by side
BOXES = 40  # a graph with more boxes is not drawn


@dataclass(frozen=True)
class Picture:
    """A picture of a failure, which is drawn when it is needed.

    kind : "curves", "tables" or "graphs".
    data : the argument of the function in DRAWN that draws this kind; it can be written as JSON.
    alt : a description of the picture.
    """

    kind: str
    data: dict[str, Any]
    alt: str

    @cached_property
    def address(self) -> str:
        """The drawing as a data URL; empty without matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return ""
        paper = io.BytesIO()
        with np.errstate(all="ignore"):
            DRAWN[self.kind](Figure, self.data).savefig(paper, format="png", dpi=144, metadata={"Software": None})
        return "data:image/png;base64," + base64.b64encode(paper.getvalue()).decode()

    def draw(self) -> None:
        """Draw the picture in this process, which has imported matplotlib; the data URL is pickled with the picture."""
        _ = self.address

    def to_json(self) -> str:
        """Return the picture as JSON, without its description."""
        return json.dumps([self.kind, self.data])

    @classmethod
    def from_json(cls, text: str, alt: str) -> Picture:
        """Return the picture that `to_json` wrote."""
        kind, data = json.loads(text)
        return cls(kind, data, alt)


def beside(check: Check, answer: Any, failed: Attempt) -> Picture | None:
    """Return the picture of a failure, or None if the answer is of a kind that cannot be drawn."""
    if failed.different is not None:
        drawn = of_graphs(failed.got, failed.want, failed.different)
        return Picture("graphs", *drawn) if drawn else None
    wanted = _parts(failed.want)
    if not wanted or len(wanted) != len(_parts(failed.got)) or len(wanted) > PANELS:
        return None
    arrays = [x for x in (*wanted, *failed.inputs) if isinstance(x, np.ndarray)]
    if any(map(np.ndim, arrays)):
        if not any(map(np.ndim, wanted)):
            return None  # the tables would have only one number
        return Picture("tables", *of_tables(check, _parts(failed.got), wanted))
    if not check.vary or not isinstance(check.vary[0], Floats):
        return None
    xs, yours, true = _curves(check, answer, failed, len(wanted))
    if len(xs) < 10:
        return None
    data = {
        "xs": xs.tolist(), "yours": yours.tolist(), "true": true.tolist(), "at": float(failed.inputs[0]),
        "x": check.names[0], "what": check.what, "wanted": check.word.format(check.what),
        "parts": [part_name(check, i, len(wanted)) for i in range(len(wanted))],
    }  # fmt: skip
    return Picture("curves", data, _curves_in_words(check, failed, xs, yours, true))


def _parts(value: Any) -> list[Any]:
    """Return the numbers or arrays of an answer, such as the items of a tuple, or [] if it contains anything else.

    A list of numbers counts as an array.
    """
    items = list(value) if isinstance(value, (tuple, list)) else [value]
    numeric = (isinstance(x, (int, float, np.number, np.bool_, np.ndarray)) for x in items)
    if not all(numeric) or any(np.asarray(x).dtype.kind not in "fiub" for x in items):
        return []
    return [np.asarray(value)] if isinstance(value, list) and value and not any(map(np.ndim, items)) else items


def _curves(check: Check, answer: Any, failed: Attempt, width: int) -> tuple[Any, Any, Any]:
    """Return values of the first input, and the student's and the true results at them.

    The results are arrays with a row for each value, and a column for each of the answer's `width` numbers.
    """
    domain, at = check.vary[0], failed.inputs[0]
    low, high = _range_to_draw(domain, float(at))
    up = work_limit(1.0)
    answer, rows = prepared(check, answer), []
    for x in sorted({*np.linspace(low, high, POINTS).tolist(), float(at)}):
        got, want, in_time = both_at(check, answer, (float(x), *failed.inputs[1:]), 0.2, failed.dtype)
        if not in_time or up():
            break
        rows.append([float(x), *_numbers(got, width), *_numbers(want, width)])
    columns = np.array(rows).reshape(-1, 1 + 2 * width)
    return columns[:, 0], columns[:, 1 : width + 1], columns[:, width + 1 :]


def _numbers(value: Any, width: int) -> list[float]:
    parts = _parts(value)
    return [float(x) for x in parts] if len(parts) == width and not any(map(np.ndim, parts)) else [np.nan] * width


def _range_to_draw(domain: Floats, at: float) -> tuple[float, float]:
    """Return the range to draw: the whole domain, or the part around the failure if the domain is wide."""
    if domain.high - domain.low <= 40:
        return domain.low, domain.high
    reach = max(8.0, 1.6 * abs(at))
    return max(domain.low, -reach), min(domain.high, reach)


def _curves_in_words(check: Check, failed: Attempt, xs: Any, yours: Any, true: Any) -> str:
    """Return a text that describes the curves to those who cannot see them."""
    first, *rest = check.names
    fixed = "".join(f", {name} = {show(x)}" for name, x in zip(rest, failed.inputs[1:]))
    got, want = shown_apart(failed.got, failed.want)
    words = [
        f"The {check.word.format(check.what)} (broad line) and yours (dashed)"
        f" for {first} from {show(xs[0])} to {show(xs[-1])}{fixed}.",
        f"At {first} = {show(failed.inputs[0])} yours is {got} and the {check.word.format('one')} {want}.",
    ]
    for i in range(yours.shape[1]):
        bad = ~np.isfinite(yours[:, i]) & np.isfinite(true[:, i])
        if bad.any():
            whose = "Yours" if yours.shape[1] == 1 else f"Your {part_name(check, i, yours.shape[1])}"
            words.append(f"{whose} is {not_finite(yours[bad, i])} {_where(first, xs, bad, failed.inputs[0])}.")
    return " ".join(words)


def _where(name: str, xs: Any, bad: Any, at: Any) -> str:
    """Return a phrase about the ranges of `xs` where the mask `bad` is true, apart from the point `at`.

    >>> _where("x", np.arange(6.0), np.array([True, True, False, False, True, True]), 0.0)
    'for x from 0 to 1 and from 4 to 5'
    """
    runs = [run for run in np.split(np.arange(len(xs)), np.flatnonzero(np.diff(bad)) + 1) if bad[run[0]]]
    spans = [f"from {show(xs[run[0]], 4)} to {show(xs[run[-1]], 4)}" for run in runs if len(run) > 1]
    if len(spans) == len(runs) <= 2:
        return f"for {name} {' and '.join(spans)}"
    if bad.sum() == 1:
        return "there" if xs[bad][0] == at else f"at {name} = {show(xs[bad][0], 4)}"
    return f"at {bad.sum()} of {len(xs)} points from {show(xs[0], 4)} to {show(xs[-1], 4)}"


def curves(Figure: Any, data: dict[str, Any]) -> Any:
    """Return a figure with a panel for each number of the answer.

    data : "xs", and the failing input "at"; "yours" and "true", with a row of numbers for each x; the name "x" of the
        input; the names "what" and "wanted" of your numbers and of the true ones; and the titles "parts" of the panels.
    """
    xs, yours, true = (np.array(data[name], np.float64) for name in ("xs", "yours", "true"))
    panels = yours.shape[1]
    figure = Figure(figsize=(5.2, 2.3 * panels), layout="constrained")
    figure.patch.set_alpha(0)
    column = figure.subplots(panels, squeeze=False)[:, 0]
    for i, axes in enumerate(column):
        _panel(axes, data, xs, yours[:, i], true[:, i])
        if panels > 1:
            axes.set_title(data["parts"][i], color=INK, fontsize=9, loc="left")
    handles, labels = column[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False, labelcolor=INK, fontsize=9)
    column[-1].set_xlabel(data["x"], color=INK)
    return figure


def _panel(axes: Any, data: dict[str, Any], xs: Any, yours: Any, true: Any) -> None:
    axes.set_facecolor("none")
    finite = true[np.isfinite(true)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    inside = yours[np.isfinite(yours)]
    if inside.size:
        reach = 2 * (high - low) + 1
        low, high = max(min(low, inside.min()), low - reach), min(max(high, inside.max()), high + reach)
    margin = 0.08 * (high - low) + 1e-3
    axes.plot(xs, true, color=TRUE, linewidth=5, alpha=0.45, label=data["wanted"], solid_capstyle="butt")
    axes.plot(xs, yours, color=YOURS, linewidth=1.6, linestyle=(0, (4, 2)), label=f"your {data['what']}")
    bad = ~np.isfinite(yours) & np.isfinite(true)
    if bad.any():
        axes.fill_between(
            xs, low - margin, high + margin, where=bad, facecolor="none", edgecolor=YOURS, hatch="///", linewidth=0,
            alpha=0.6, label=f"yours is {not_finite(yours[bad])}",
        )  # fmt: skip
    axes.axvline(data["at"], color=INK, linewidth=0.8, linestyle=":")
    axes.set_ylim(low - margin, high + margin)
    axes.set_xlim(xs[0], xs[-1])
    axes.tick_params(colors=INK, labelsize=9)
    for name, spine in axes.spines.items():
        spine.set_color(INK)
        spine.set_visible(name in ("left", "bottom"))


def not_finite(values: Any) -> str:
    """Return which of the words "nan" and "inf" occur among the values."""
    kinds = [name for name, mask in (("nan", np.isnan(values)), ("inf", np.isinf(values))) if mask.any()]
    return " or ".join(kinds)


def of_tables(check: Check, got: list[Any], want: list[Any]) -> tuple[dict[str, Any], str]:
    """Return the data for `tables` from an answer's arrays, and a description."""
    parts = []
    for i, (yours, true) in enumerate(zip(map(_flat, got), map(_flat, want))):
        with np.errstate(invalid="ignore"):  # inf - inf gives a warning
            apart = np.where((yours == true) | (np.isnan(yours) & np.isnan(true)), 0, yours - true)
        name = part_name(check, i, len(want))
        titles = (f"your {name}", check.word.format(name), "difference")
        reach = _reach(true), _reach(true), _reach(apart)
        shown = [x[:CELLS, :CELLS].tolist() for x in (yours, true, apart)]
        parts.append({"rows": max(len(true), 1), "panels": list(zip(titles, shown, reach))})
    return {"parts": parts}, _tables_in_words(check, got, want)


def tables(Figure: Any, data: dict[str, Any]) -> Any:
    """Return a figure with three tables for each array.

    data : for each array, the title, the numbers and the colour range of each table.
    """
    from viz.render.heat_map import draw_heat_map

    high = [min(part["rows"], 8) for part in data["parts"]]
    figure = Figure(figsize=(6.4, 0.7 + sum(0.34 * rows + 0.35 for rows in high)), layout="constrained")
    figure.patch.set_alpha(0)
    grid = figure.subplots(len(high), 3, squeeze=False, gridspec_kw={"height_ratios": high})
    for row, part in zip(grid, data["parts"]):
        for axes, (title, values, reach) in zip(row, part["panels"]):
            matrix = np.array(values, np.float64)
            if matrix.size:
                rows, columns = map(_labels, matrix.shape)
                draw_heat_map(axes, matrix, rows, columns, reach)
            else:
                axes.text(0.5, 0.5, "no entries", color=INK, ha="center", va="center", fontsize=9)
            axes.tick_params(colors=INK, labelsize=8, length=0)
            axes.set_frame_on(False)
            axes.set_title(title, color=INK, fontsize=9, loc="left")
    return figure


def _labels(count: int) -> list[str]:
    """Return the labels of `count` rows or columns: their indices, with "" for most of them if there are many."""
    return ["" if count == 1 or i % -(-count // 8) else str(i) for i in range(count)]


def part_name(check: Check, i: int, of: int) -> str:
    """Return a name for the i-th of the `of` numbers in an answer, such as "gradient of a" or "value 2"."""
    if of == 1:
        return check.what
    return f"{check.what} of {check.names[i]}" if of <= len(check.names) else f"{check.what} {i + 1}"


def _flat(x: Any) -> Any:
    """Return an array in two dimensions: a number as one cell, a vector as one row.

    If there are more than two dimensions, all except the last are joined.
    """
    x = np.asarray(x, np.float64)
    return x.reshape(-1, x.shape[-1]) if x.ndim > 2 else np.atleast_2d(x)


def _reach(values: Any) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _tables_in_words(check: Check, got: list[Any], want: list[Any]) -> str:
    """Describe the entries that differ, and name the indices of the first ones."""
    words = [
        f"Your {check.what} and the {check.word.format('one')} as tables of colours, and the difference between them."
    ]
    for i, (y, t) in enumerate(zip(got, want)):
        whose = "" if len(want) == 1 else f" of the {part_name(check, i, len(want))}"
        y, t = np.asarray(y, np.float64), np.asarray(t, np.float64)
        apart = ~np.isclose(y, t, 1e-3, 1e-6, equal_nan=True)
        places = np.argwhere(apart)
        if len(places):
            words.append(f"{len(places)} of {t.size} entries{whose} differ.")
        for place in map(tuple, places[:NAMED].tolist()):
            at = f"At index {', '.join(map(str, place))}" if place else "There"
            mine, true = shown_apart(y[place], t[place])
            words.append(f"{at} yours is {mine} and the {check.word.format('one')} {true}.")
    return " ".join(words)


def of_graphs(mine: Rows, true: Rows, first: Difference) -> tuple[dict[str, Any], str] | None:
    """Return the data for `graphs` and a description, or None if a graph is too large to be read."""
    if max(len(mine.rows), len(true.rows)) > BOXES:
        return None
    marked = [f"{name}, box {n}" for name, n in (("yours", first.mine), ("the true one", first.true))]
    return (
        {"mine": mine.rows, "true": true.rows, "marked": (first.mine, first.true)},
        f"Your graph: {mine}. The true graph: {true}. Marked is the first difference: in {' and in '.join(marked)}.",
    )


def graphs(Figure: Any, data: dict[str, Any]) -> Any:
    """Return a figure with both graphs.

    data : for each graph, its rows (a label and the indices of earlier rows), and the row "marked" in colour.
    """
    both = [Rows(tuple((label, tuple(used)) for label, used in data[name])) for name in ("mine", "true")]
    columns = [_columns(graph) for graph in both]
    high = max(len(column) for graph in columns for column in graph)
    stacked = max(map(len, columns)) >= WIDE
    size = (6.4, 2 * (0.6 + 0.55 * high)) if stacked else (6.4, 0.6 + 0.55 * high)
    figure = Figure(figsize=size, layout="constrained")
    figure.patch.set_alpha(0)
    panels = figure.subplots(2, 1) if stacked else figure.subplots(1, 2)
    colors = (YOURS, "your graph"), (TRUE, "true graph")
    for axes, graph, placed, row, (color, title) in zip(panels, both, columns, data["marked"], colors):
        axes.set_title(title, color=INK, fontsize=9, loc="left")
        axes.set_axis_off()
        axes.set_xlim(-0.6, max(map(len, columns)) - 0.4)
        axes.set_ylim(-high / 2 - 0.1, high / 2 + 0.1)
        _draw(axes, graph, placed, row, color)
    return figure


def _columns(graph: Rows) -> list[list[int]]:
    """Arrange the rows in columns: an op to the right of its arguments, an input just before its first use."""
    depth: list[int] = []
    for _, used in graph.rows:
        depth.append(1 + max((depth[i] for i in used), default=-1))
    for i, (_, used) in enumerate(graph.rows):
        users = [depth[j] for j, (_, others) in enumerate(graph.rows) if i in others]
        if not used and users:
            depth[i] = min(users) - 1
    columns = [[i for i, d in enumerate(depth) if d == column] for column in range(max(depth) + 1)]
    height: dict[int, float] = {}
    for column in columns:  # place each box near the middle of its arguments, so that few arrows cross
        middle = {i: [height[j] for j in graph.rows[i][1]] for i in column}
        column.sort(key=lambda i: sum(middle[i]) / len(middle[i]) if middle[i] else i)
        height.update((i, k - (len(column) - 1) / 2) for k, i in enumerate(column))
    return columns


def _draw(axes: Any, graph: Rows, columns: list[list[int]], marked: int, color: str) -> None:
    places = {
        row: (column, (len(rows) - 1) / 2 - k) for column, rows in enumerate(columns) for k, row in enumerate(rows)
    }
    boxes = {}
    for row, (label, _) in enumerate(graph.rows):
        here = row == marked
        ink, width = (color, 3) if here else (INK, 1)
        look = {"boxstyle": "round,pad=0.35", "facecolor": "none", "edgecolor": ink, "linewidth": width}
        text = label if len(label) < 15 else f"{label[:13]}…"
        style = {"ha": "center", "va": "center", "fontsize": 9, "weight": "bold" if here else "normal"}
        boxes[row] = axes.text(*places[row], text, color=ink, bbox=look, **style).get_bbox_patch()
    for row, (_, used) in enumerate(graph.rows):
        for k, i in enumerate(used):
            far = places[row][0] - places[i][0] > 1
            bend = 0.2 * far if used.count(i) == 1 else 0.25 if used.index(i) == k else -0.25
            line = {"arrowstyle": "-|>", "color": INK, "linewidth": 1, "connectionstyle": f"arc3,rad={bend}"}
            ends = {"patchA": boxes[i], "patchB": boxes[row], "shrinkA": 2, "shrinkB": 2}
            axes.annotate("", places[row], places[i], annotation_clip=False, arrowprops={**line, **ends})


DRAWN = {"curves": curves, "tables": tables, "graphs": graphs}  #: kind of picture -> the function that draws it
