"""The plots of the report; every number in them is in its tables as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .contest import Peaks, Table
from .growth import Growth
from .recompute import Traded
from .sections import columns
from .workloads import WORKLOADS

# Wong's colours, which the colour-blind can tell apart; ours are large, in the two that stand out.
COLOURS = {
    "minigrad": "#D55E00", "minigrad compiled": "#0072B2", "autograd": "#009E73", "PyTorch": "#CC79A7",
    "torch.compile": "#9A4F7C", "JAX jit": "#56B4E9", "tf.function": "#E69F00", "TF eager": "#A87500",
    "micrograd": "#000000", "by hand": "#777777",
}  # fmt: skip
MARKS = {"minigrad": "o", "minigrad compiled": "D", "torch.compile": "P", "JAX jit": "^", "tf.function": "v"}
MARKS |= {"autograd": "s", "PyTorch": "p", "TF eager": "<", "micrograd": "X"}


def canvas(width: float, height: float, parts: int = 1) -> tuple[Any, Any, Any]:
    """pyplot, a figure and its axes, drawn quietly."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, parts, figsize=(width, height), layout="constrained", squeeze=False)
    for ax in axes[0]:
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_axisbelow(True)
        ax.grid(color="0.92")
    return plt, figure, axes[0]


def save(plt: Any, figure: Any, path: Path) -> Path:
    figure.savefig(path, dpi=110, facecolor="white")
    plt.close(figure)
    return path


def plot_times(table: Table, path: Path) -> Path:
    """Return the ratios as dots on a logarithmic axis, one row for each workload."""
    workloads = list(table)
    plt, figure, (ax,) = canvas(11, 1.6 + 0.42 * max(len(workloads), 3))
    for name in columns(table):
        x, y = zip(*((table[w][name], i) for i, w in enumerate(workloads) if name in table[w]))
        ours = name.startswith("minigrad")
        ax.scatter(x, y, label=name, s=80 if ours else 50, marker=MARKS.get(name, "o"), color=COLOURS.get(name, "0.5"),
                   zorder=4 if ours else 3, edgecolor="white", linewidth=0.6, alpha=0.85)  # fmt: skip
    ax.axvline(1, color="0.35", lw=1.2)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_yticks(range(len(workloads)), [WORKLOADS[w].title for w in workloads])
    ax.set_ylim(len(workloads) - 0.5, -0.5)
    ax.set_xlabel("CPU time, by hand = 1; smaller is faster")
    figure.legend(loc="outside right upper", frameon=False)
    return save(plt, figure, path)


def plot_growth(growths: list[Growth], path: Path) -> Path:
    """Time and memory over n, and over the order."""
    plt, figure, (time, memory, orders) = canvas(13, 4, 3)
    powers = [g for g in growths if g.name != "order"]
    for k, g in enumerate(powers):
        style = {"marker": "osD"[k % 3], "ls": ("-", "-", "--")[k % 3], "color": f"C{k}"}  # two lines may be one
        time.loglog(g.sizes, g.seconds, label=f"{g.name}, {g.laws[0]}", **style)
        memory.loglog(g.sizes, g.bytes, label=f"{g.name}, {g.laws[1]}", **style)
    for g in growths:
        if g.name == "order":
            orders.semilogy(g.sizes, [t / g.seconds[0] for t in g.seconds], "o-", label=f"seconds, {g.laws[0]}")
            orders.semilogy(g.sizes, [b / g.bytes[0] for b in g.bytes], "s--", label=f"peak bytes, {g.laws[1]}")
    for ax, title, below in (
        (time, "seconds", "n: ops, elements or uses"),
        (memory, "peak bytes", "n: ops, elements or uses"),
        (orders, "derivatives of tanh, the first = 1", "order"),
    ):
        ax.set_title(title, loc="left")
        ax.set_xlabel(below)
        if ax.lines:
            ax.legend(frameon=False)
    return save(plt, figure, path)


def plot_memory(peaks: Peaks, traded: list[Traded], path: Path) -> Path:
    """Peak bytes by contestant, and the memory and time of recomputing."""
    plt, figure, axes = canvas(13, 4, len(peaks) + bool(traded))
    for ax, (name, row) in zip(axes, peaks.items()):
        ax.barh(list(row), [peak.first / 1e6 for peak in row.values()], color="0.88", label="in the first calls")
        ax.barh(list(row), [peak.later / 1e6 for peak in row.values()], color=[COLOURS.get(who, "0.5") for who in row])
        ax.legend(frameon=False, loc="lower right")
        ax.invert_yaxis()
        ax.set_title(WORKLOADS[name].title, loc="left", fontsize=10)
        ax.set_xlabel("peak, MB")
    if traded:
        ax, kept = axes[-1], [t for t in traded if not t.segments]
        parts = [t for t in traded if t.segments]
        at = range(len(parts))
        ax.plot(at, [t.bytes / 1e6 for t in parts], "o-", color=COLOURS["minigrad compiled"], label="peak, MB")
        for t in kept:
            ax.axhline(t.bytes / 1e6, color="0.5", ls="--", label="peak without recompute_grad")
        ax.set_xticks(at, [str(t.segments) for t in parts])
        ax.set_ylim(0)
        ax.set_xlabel("segments that are recomputed")
        ax.set_title("recompute_grad, 100 layers", loc="left", fontsize=10)
        ax.legend(frameon=False, loc="upper right", bbox_to_anchor=(1, 0.88))
    return save(plt, figure, path)
