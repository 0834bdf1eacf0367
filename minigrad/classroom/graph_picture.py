"""Two graphs beside each other, yours and the true one, the first box that differs marked in both."""

from __future__ import annotations

from typing import Any

from .rows import Difference, Rows

INK, YOURS, TRUE = "#777777", "#d97706", "#3b82f6"
WIDE = 6  # columns: wider graphs stand one above the other
MOST = 40  # boxes that are drawn


def of_graphs(mine: Rows, true: Rows, found: Difference) -> tuple[dict[str, Any], str] | None:
    """The data for `graphs`, and a description in words; None if a graph is too large to be read."""
    if max(len(mine.rows), len(true.rows)) > MOST:
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
