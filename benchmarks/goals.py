"""Goals, compared with the measurements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .contest import Peaks, Table
from .growth import Growth
from .picture import PICTURE, SIZES, Drawn
from .stage import Staged
from .watch import ANOMALY, PLAIN, WATCH, Watched
from .workloads import WORKLOADS

#: Workload -> the most time for minigrad, and for minigrad compiled, as a multiple of the time by hand; None: no goal.
TIMES: dict[str, tuple[float | None, float | None]] = {
    "mlp": (2.8, 1.15), "medium": (1.05, None), "lenet": (1.4, None), "logistic": (2.6, None), "rnn": (1.4, 1.15),
    "attention": (1.4, 1.15), "einsum": (2.0, None), "indexing": (2.0, None), "chain": (2.8, None), "large": (2.0, 0.4),
    "hessian": (None, 20),
}  # fmt: skip

BYTES_A_NODE, OF_NUMPYS_IMPORT, OF_MEMORY_BY_HAND = 320, 1.2, 2.0
LARGE_PICTURE = 1.0  #: seconds, at the largest size
FIRST_PICTURE, A_FRAME, A_CELL = 150.0, 1000 / 60, 60.0  #: milliseconds, milliseconds, kilobytes
WATCHED = (2.1, 1.7, 1.25, 1.3)  #: for each loop, of the plain one


class Faster(NamedTuple):
    """Return minigrad's time on a workload over another contestant's, on the same workload or on another."""

    workload: str
    than: str
    most: float
    of: str = ""  # the other workload
    who: str = "minigrad"

    def measured(self, table: Table) -> float | None:
        one, other = table.get(self.workload, {}), table.get(self.of or self.workload, {})
        return one[self.who] / other[self.than] if self.who in one and self.than in other else None


BESIDE = [
    Faster("mlp", "PyTorch", 1 / 1.3),
    *(Faster(name, "PyTorch", 1) for name in ("chain", "rnn", "attention", "medium", "indexing")),
    *(Faster(name, "PyTorch", 1 / 1.5) for name in ("hvp", "hessian", "fifth")),
    Faster("scalar-mlp", "micrograd", 1 / 5.5),
    Faster("custom", "minigrad", 1.30, of="primitives"),
    *(Faster(name, "minigrad", 1.08, who="mg.gradients") for name in ("mlp", "chain", "rnn", "large")),
]

HEAD = ["goal for", "of", "beside", "at most", "measured", ""]


def verdict(measured: float, most: float) -> str:
    """Return whether a goal is met, to the two decimals that are shown."""
    return "met" if round(measured, 2) <= round(most, 2) else "missed"


def row(what: str, who: str, beside: str, most: float, measured: float) -> list[str]:
    shown = f"{measured:.2f}" if measured < 100 else f"{measured:,.0f}"
    return [what, who, beside, f"{most:.2f}" if most < 100 else f"{most:,.0f}", shown, verdict(measured, most)]


def time_goals(table: Table) -> list[list[str]]:
    """Return the goals against the times by hand, then those against others, as far as they were measured."""
    rows = []
    for name, goals in TIMES.items():
        for who, most in zip(("minigrad", "minigrad compiled"), goals):
            if most is not None and who in table.get(name, {}):
                rows.append(row(WORKLOADS[name].title, who, "by hand", most, table[name][who]))
    for goal in BESIDE:
        measured = goal.measured(table)
        if measured is not None:
            beside = WORKLOADS[goal.of].title if goal.of else goal.than
            rows.append(row(WORKLOADS[goal.workload].title, goal.who, beside, goal.most, measured))
    return rows


def growth_goals(growths: list[Growth]) -> list[list[str]]:
    return [
        row("bytes for each node of the longest chain", "minigrad", "", BYTES_A_NODE, g.bytes[-1] / g.sizes[-1])
        for g in growths
        if g.name == "depth"
    ]


def memory_goals(peaks: Peaks) -> list[list[str]]:
    found = peaks.get("large", {})
    return [
        row(WORKLOADS["large"].title, who, "by hand", OF_MEMORY_BY_HAND, found[who].later / found["by hand"].later)
        for who in ("minigrad", "minigrad compiled")
        if who in found and "by hand" in found
    ]


def import_goals(times: Mapping[str, float]) -> list[list[str]]:
    if not {"minigrad", "numpy"} <= set(times):
        return []
    return [row("import", "minigrad", "import numpy", OF_NUMPYS_IMPORT, times["minigrad"] / times["numpy"])]


def picture_goals(drawn: list[Drawn]) -> list[list[str]]:
    return [
        row(f"a picture of {d.ops:,} ops, {d.program}", "minigrad", "", LARGE_PICTURE, d.seconds[PICTURE])
        for d in drawn
        if d.ops == SIZES[-1]
    ]


def stage_goals(staged: list[Staged]) -> list[list[str]]:
    """Compare pictures in a browser with the time of the eye and of the screen, and their cells with a size."""
    return [
        row(f"{s.picture}: {what}", "minigrad", "", most, measured)
        for s in staged
        for what, most, measured in (
            ("the first, in ms", FIRST_PICTURE, s.first),
            ("a step, in ms", A_FRAME, s.step),
            ("the cell, in kB", A_CELL, s.bytes / 1000),
        )
    ]


def watch_goals(loops: list[Watched]) -> list[list[str]]:
    """Compare the watched loops with the plain ones, and with PyTorch's own search for a nan."""
    plain = [row(w.loop, "watch", PLAIN, most, w.seconds[WATCH] / w.seconds[PLAIN]) for w, most in zip(loops, WATCHED)]
    return plain + [row(w.loop, "watch", ANOMALY, 1.0, w.seconds[WATCH] / w.seconds[ANOMALY]) for w in loops]
