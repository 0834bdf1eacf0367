"""The tables, as Markdown with a plot and on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .growth import Growth
from .workloads import WORKLOADS

Table = dict[str, dict[str, float]]  # workload -> contestant -> ratio to the hand-written answer


def number(x: float | None) -> str:
    """A ratio with the digits it deserves; nothing for what was not run."""
    if x is None:
        return ""
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def columns(table: Table) -> list[str]:
    """The contestants that ran, in the order they came in; the hand-written answer is 1 everywhere."""
    return [name for name in dict.fromkeys(name for row in table.values() for name in row) if name != "by hand"]


def ratio_rows(table: Table) -> list[list[str]]:
    names = columns(table)
    return [[WORKLOADS[w].title, *(number(row.get(name)) for name in names)] for w, row in table.items()]


def growth_rows(growths: list[Growth]) -> list[list[str]]:
    rows = []
    for g in growths:
        each = g.bytes[-1] / g.sizes[-1]
        time, memory = g.power
        if g.name == "order":
            factor = (g.seconds[-1] / g.seconds[0]) ** (1 / (g.sizes[-1] - g.sizes[0]))
            rows.append([g.name, f"1 to {g.sizes[-1]}", f"{factor:.1f} times as long each", "", number(g.seconds[-1])])
        else:
            span = f"{g.sizes[0]:,} to {g.sizes[-1]:,} {g.unit}"
            rows.append([g.name, span, f"{time:.2f}", f"{memory:.2f} ({each:.0f} bytes each)", number(g.seconds[-1])])
    return rows


GROWTH_HEAD = ["grows with", "from, to", "power of time", "power of memory", "seconds at the end"]


def markdown(table: Table, growths: list[Growth], imports: dict[str, float], versions: str) -> str:
    """The whole report as Markdown."""
    parts = ["# Measured\n", versions + "\n"]
    if table:
        parts += [
            "CPU time of one answer as a multiple of the hand-written one: smaller is faster. Scalar graphs are "
            "measured against Python floats.\n",
            grid(["workload", *columns(table)], ratio_rows(table)),
        ]
    if growths:
        parts += ["\n## Growth\n", grid(GROWTH_HEAD, growth_rows(growths))]
    if imports:
        parts += ["\n## Import\n", grid(["library", "ms"], [[m, f"{t:.0f}"] for m, t in imports.items()])]
    return "\n".join(parts) + "\n"


def grid(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; numbers stand on the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *rows])


def show(console: Any, head: list[str], rows: list[list[str]], title: str) -> None:
    """A table on the terminal."""
    from rich.table import Table as Grid

    grid = Grid(title=title, title_justify="left")
    for i, name in enumerate(head):
        grid.add_column(name, justify="right" if i else "left")
    for row in rows:
        grid.add_row(*row)
    console.print(grid)


def plot(table: Table, growths: list[Growth], path: Path) -> None:
    """The ratios as dots on a logarithmic axis, one row for each workload, and the growth beside them."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    names, workloads = columns(table), list(table)
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(13, 1.5 + 0.4 * max(len(workloads), 8)), width_ratios=(3, 2), layout="constrained"
    )
    for k, name in enumerate(names):
        points = [(table[w][name], i) for i, w in enumerate(workloads) if name in table[w]]
        ours = name.startswith("minigrad")
        left.scatter(*zip(*points), label=name, s=70 if ours else 35, marker="oD"[ours], color=f"C{k}", zorder=3 + ours)
    left.axvline(1, color="0.5", lw=1)
    left.set_xscale("log")
    left.set_yticks(range(len(workloads)), [WORKLOADS[w].title for w in workloads])
    left.invert_yaxis()
    left.grid(axis="x", color="0.9")
    left.set_xlabel("CPU time, hand-written = 1")
    left.legend(fontsize=8)
    for g in growths:
        if g.name != "order":
            right.loglog(g.sizes, g.seconds, "o-", label=f"{g.name}: power {g.power[0]:.2f}")
    right.set_xlabel("ops, elements or uses")
    right.set_ylabel("seconds of minigrad, value and gradient")
    right.grid(color="0.9")
    right.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
