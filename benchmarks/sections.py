"""The measurements as sections of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from . import goals
from .contest import Peaks, Race, Table
from .growth import Growth
from .picture import PASS, PICTURE, STAGES, Drawn
from .recompute import Traded
from .stage import Staged
from .watch import MISSING, PLAIN, WAYS, Watched
from .workloads import WORKLOADS


class Grid(NamedTuple):
    """A table with the sentence above it."""

    text: str
    head: list[str]
    rows: list[list[str]]

    @property
    def right(self) -> list[bool]:
        """Return which columns are aligned on the right: those with numbers."""
        number = re.compile(r"($|none|n\^|x )?[\d.,]*( [kMG]?B| m?s| µs| each)?$")
        cells = [[row[i] for row in self.rows] for i in range(len(self.head))]
        return [any(column) and all(map(number.match, column)) for column in cells]


class Section(NamedTuple):
    """A part of the report. `name` is also the name of its marks in a page and of its plot."""

    name: str
    title: str
    grids: list[Grid]


def number(x: float | None) -> str:
    """Return a ratio with three digits; empty for what was not run."""
    if x is None:
        return ""
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def size(n: float) -> str:
    """Return a number of bytes with a unit, in powers of 1000."""
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n:.0f} {unit}" if n >= 100 or unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.2f} GB"


def duration(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def columns(table: Table) -> list[str]:
    """Return the contestants that ran, in their order, without the one by hand, which is 1 everywhere."""
    return [name for name in dict.fromkeys(name for row in table.values() for name in row) if name != "by hand"]


def limits(names: Iterable[str]) -> Grid:
    return Grid(
        "What limits each row.", ["workload", "limit"], [[WORKLOADS[w].title, WORKLOADS[w].limit] for w in names]
    )


def times_section(result: Race) -> Section:
    table, names = result.table, columns(result.table)
    rows = [
        [WORKLOADS[w].title, duration(result.by_hand[w]), *(number(row.get(name)) for name in names)]
        for w, row in table.items()
    ]
    text = (
        "CPU time of one result, its value and gradients: written by hand in NumPy, or for scalar graphs in Python "
        "floats, and all others as multiples of that. Smaller is faster; an empty cell was not run."
    )
    if result.faults:
        text += f" Left out: {'; '.join(result.faults)}."
    grids = [
        Grid(text, ["workload", "by hand", *names], rows),
        limits(table),
        Grid("Goals, as ratios of times.", goals.HEAD, goals.time_goals(table)),
    ]
    return Section("times", "Time", grids)


def growth_section(growths: list[Growth]) -> Section:
    head = ["with n =", "from, to", "time", "memory", "time at the end", "peak at the end", "bytes for each n"]
    rows = [
        [
            f"{g.name}: {g.unit}", f"{g.sizes[0]:,} to {g.sizes[-1]:,}", *g.laws, duration(g.seconds[-1]),
            size(g.bytes[-1]), "" if g.name == "order" else f"{g.bytes[-1] / g.sizes[-1]:,.0f}",
        ]
        for g in growths
    ]  # fmt: skip
    points = [[g.name, f"{n:,}", duration(t), size(b)] for g in growths for n, t, b in zip(g.sizes, g.seconds, g.bytes)]
    text = (
        "How the time and the peak memory of minigrad grow, by slopes fitted to their logarithms. "
        "A power of 1 is the best a graph can do; each order of a derivative multiplies both."
    )
    grids = [
        Grid(text, head, rows),
        Grid("Goals.", goals.HEAD, goals.growth_goals(growths)),
        Grid("The points of the plot.", ["grows with", "n", "time", "peak memory"], points),
    ]
    return Section("growth", "Growth", grids)


def memory_section(peaks: Peaks, traded: list[Traded]) -> Section:
    rows = [
        [WORKLOADS[w].title, who, size(peak.later), number(peak.later / row["by hand"].later), size(peak.first)]
        for w, row in peaks.items()
        for who, peak in row.items()
    ]
    whole = next((t for t in traded if not t.segments), None)
    trades = [
        [
            str(t.segments or "none"), size(t.bytes),
            *([f"{t.bytes / whole.bytes:.2f}", f"{t.seconds / whole.seconds:.2f}"] if whole else ["", ""]),
        ]
        for t in traded
    ]  # fmt: skip
    grids = [
        Grid(
            "Peak memory of value and gradients, beyond the arguments and the library: what the system counts as "
            "resident, each in a separate process. Compiled contestants need more in their first calls.",
            ["workload", "contestant", "peak", "of that by hand", "in the first calls"], rows,
        ),
        limits(peaks),
        Grid("Goals.", goals.HEAD, goals.memory_goals(peaks)),
        Grid(
            f"{WORKLOADS['deep'].title}, in segments that `recompute_grad` forgets and computes again: bytes counted "
            "by tracemalloc, of Python and of NumPy's arrays.",
            ["segments", "peak", "of the peak without", "of the time without"], trades,
        ),
    ]  # fmt: skip
    return Section("memory", "Memory", grids)


def import_section(times: Mapping[str, float]) -> Section:
    rows = [[m, f"{t:.0f}", number(t / times["numpy"])] for m, t in times.items()]
    grids = [
        Grid("CPU time of `import`, in a fresh interpreter.", ["library", "ms", "of NumPy's"], rows),
        Grid("Goals.", goals.HEAD, goals.import_goals(times)),
    ]
    return Section("import", "Import", grids)


def picture_section(drawn: list[Drawn]) -> Section:
    rows = [
        [
            f"{d.program}, {d.ops:,} ops", *(duration(d.seconds[stage]) for stage in STAGES),
            number(d.seconds[PICTURE] / d.seconds[PASS]), size(d.bytes),
        ]
        for d in drawn
    ]  # fmt: skip
    text = (
        "CPU time of a backward pass, and, from its graph on, of the trace, the picture (an SVG) and the page with the "
        "player; a step is a further picture of the same pass. All in one run, taking turns."
    )
    grids = [
        Grid(text, ["graph", *STAGES, "picture, of the pass", "the page"], rows),
        Grid("Goals, in seconds.", goals.HEAD, goals.picture_goals(drawn)),
    ]
    return Section("picture", "Pictures", grids)


def stage_section(staged: list[Staged]) -> Section:
    rows = [[s.picture, f"{s.first:.0f} ms", f"{s.step:.1f} ms", number(s.step / s.svg), size(s.bytes)] for s in staged]
    text = (
        "Pictures in Chromium: the time from the output of a cell to the first picture, of a step, and of a step as a "
        "multiple of what the browser takes to show the same SVG from its text; and the bytes that a saved cell holds. "
        "Medians, all in one page, taking turns."
    )
    head = ["picture", "the first", "a step", "a step, of its SVG", "the cell"]
    grids = [
        Grid(text, head, rows) if staged else Grid(text, ["picture"], [["left out, because there is no Chromium"]]),
        Grid("Goals.", goals.HEAD, goals.stage_goals(staged)),
    ]
    return Section("stage", "Pictures in a browser", grids)


def watch_section(loops: list[Watched]) -> Section:
    head = ["loop", "a step", *WAYS[1:]]
    rows = [
        [w.loop, duration(w.seconds[PLAIN]), *(number(w.seconds[way] / w.seconds[PLAIN]) for way in WAYS[1:])]
        for w in loops
    ]
    text = (
        "CPU time of a training step of PyTorch, in float32, and multiples of that time for the same "
        "step in a TorchFunctionMode that only passes each call on, in `viz.watch(net)`, and under "
        "`detect_anomaly`. All in one run, taking turns; the least of each."
    )
    grids = [
        Grid(text, head, rows) if loops else Grid(text, ["loop"], [[MISSING]]),
        Grid("Goals.", goals.HEAD, goals.watch_goals(loops)),
    ]
    return Section("watch", "A watched training loop", grids)
