"""The figures of a failed answer, drawn with matplotlib: curves over a range, tables of colours, graphs of boxes.

Each has the student's answer and the true one, for light and dark backgrounds. `picture` chooses one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .exercises import Check
from .graph_rows import Difference, Rows
from .inputs import shown_apart

INK, YOURS, TRUE = "#777777", "#d97706", "#3b82f6"  # told apart by width and dashes too
CELLS = 24  # rows and columns of a table that are drawn
NAMED = 3  # entries that the description names
WIDE = 6  # columns of a graph: wider ones stand one above the other
BOXES = 40  # of a graph that is drawn


def curves(Figure: Any, data: dict[str, Any]) -> Any:
    """A figure with a panel for each number of the answer.

    data : "xs", and the input "at" which it fails; "yours" and "true", a row of numbers for each x; the name "x" of the
    input; the names of your numbers and of the true ones, "what" and "wanted"; and the titles of the panels, "parts".
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
    """Which of nan and inf occur, in words."""
    kinds = [name for name, found in (("nan", np.isnan(values)), ("inf", np.isinf(values))) if found.any()]
    return " or ".join(kinds)


def of_tables(check: Check, got: list[Any], want: list[Any]) -> tuple[dict[str, Any], str]:
    """The data for `tables` from an answer's arrays, and a description in words."""
    parts = []
    for i, (yours, true) in enumerate(zip(map(_flat, got), map(_flat, want))):
        with np.errstate(invalid="ignore"):  # inf - inf
            apart = np.where((yours == true) | (np.isnan(yours) & np.isnan(true)), 0, yours - true)
        name = part_name(check, i, len(want))
        titles = (f"your {name}", check.word.format(name), "difference")
        reach = _reach(true), _reach(true), _reach(apart)
        shown = [x[:CELLS, :CELLS].tolist() for x in (yours, true, apart)]
        parts.append({"rows": max(len(true), 1), "panels": list(zip(titles, shown, reach))})
    return {"parts": parts}, _alt(check, got, want)


def tables(Figure: Any, data: dict[str, Any]) -> Any:
    """A figure with three tables for each array. data : of each its title, its numbers and the largest one in size."""
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
    """The indices of rows or columns: some of many, none of a single one."""
    return ["" if count == 1 or i % -(-count // 8) else str(i) for i in range(count)]


def part_name(check: Check, i: int, of: int) -> str:
    """The name of one part of an answer: the gradient of a, or the second value."""
    if of == 1:
        return check.what
    return f"{check.what} of {check.names[i]}" if of <= len(check.names) else f"{check.what} {i + 1}"


def _flat(x: Any) -> Any:
    """Two dimensions: a number is one cell, a vector one row, of more dimensions the first ones are joined."""
    x = np.asarray(x, np.float64)
    return x.reshape(-1, x.shape[-1]) if x.ndim > 2 else np.atleast_2d(x)


def _reach(values: Any) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _alt(check: Check, got: list[Any], want: list[Any]) -> str:
    """The entries that differ, the first ones by their index."""
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


def of_graphs(mine: Rows, true: Rows, found: Difference) -> tuple[dict[str, Any], str] | None:
    """The data for `graphs`, and a description in words; None if a graph is too large to be read."""
    if max(len(mine.rows), len(true.rows)) > BOXES:
        return None
    marked = [f"{name}, box {n}" for name, n in (("yours", found.mine), ("the true one", found.true))]
    return (
        {"mine": mine.rows, "true": true.rows, "marked": (found.mine, found.true)},
        f"Your graph: {mine}. The true graph: {true}. Marked is the first difference: in {' and in '.join(marked)}.",
    )


def graphs(Figure: Any, data: dict[str, Any]) -> Any:
    """A figure with both graphs, each as rows of a label and the numbers of earlier rows, its "marked" row in color."""
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
    """The rows by columns: an op to the right of its arguments, an input right before its first use."""
    depth: list[int] = []
    for _, used in graph.rows:
        depth.append(1 + max((depth[i] for i in used), default=-1))
    for i, (_, used) in enumerate(graph.rows):
        users = [depth[j] for j, (_, others) in enumerate(graph.rows) if i in others]
        if not used and users:
            depth[i] = min(users) - 1
    columns = [[i for i, d in enumerate(depth) if d == column] for column in range(max(depth) + 1)]
    height: dict[int, float] = {}
    for column in columns:  # each box near the middle of its arguments, so that few arrows cross
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
