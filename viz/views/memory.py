"""`viz.memory`: the bytes in memory while a function and its backward pass run, for several ways to compute it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.core.support.structure import flatten
from minigrad.core.support.tensor_values import as_value
from minigrad.core.tensor import Tensor
from minigrad.ops import sum as reduce_sum
from minigrad.tracing.memory_use import MemoryWatch, bytes_text
from minigrad.tracing.numbers import short
from minigrad.tracing.table import text_table
from minigrad.transforms.gradient import grad

from ..render.matplotlib_figure import canvas, colour, line_colours
from .backward import returned
from .binding import known_as
from .figure_view import FigureView

STYLES = ("-", (0, (6, 2)), (0, (2, 1.5)))  #: line styles, used if there are more lines than colours


def memory(f: Callable[..., Any], x: Any, /, *others: Callable[..., Any], names: Sequence[str] = ()) -> FigureView:
    """Plot the bytes in memory after each op and after each step of the backward pass.

    The plot has a line for each way to compute the gradient.

    Parameters
    ----------
    f : a function of `x` that returns a Tensor of any shape; the sum of its elements is differentiated.
    x : an array of floats, a Tensor, or a nested structure of them.
    others : other ways to compute the same result, such as `mg.recompute_grad(f)`.
    names : a name for each way; the default is the names of the functions.

    Returns a `FigureView`. A triangle marks the beginning of the backward pass. A dot marks the end of a call to a
    function with a rule, such as a recomputed piece, or the end of its backward step. `view.kept` has the bytes after
    each step by name, `view.peaks` has their maximum by name, and `view.unit` is the number of bytes of `x`. An array
    is counted from the op or message that creates it until it is freed. Scalars and the intermediate results of an op
    are not counted, so the numbers are the same on every computer. (Python 3.10 keeps the arguments of a call until the
    call returns, so a pass frees the graph only at its end.) Raises TypeError unless each way is a function. Raises
    ValueError for a wrong number of names, or if no array is kept, and ImportError if matplotlib is missing.

    >>> import minigrad as mg
    >>> wave = lambda x: mg.sin(mg.exp(mg.sin(mg.exp(x))))
    >>> view = memory(wave, np.ones(1000), mg.recompute_grad(wave), names=["as it is", "recomputed"])
    >>> view.unit, view.peaks["recomputed"] > view.peaks["as it is"]
    (8000, True)
    >>> print(view)  # doctest: +SKIP
    Kept at the peak, in arrays like x (8 kB): as it is 6, recomputed 8.
           way  peak  bytes  when it turns  steps
      as it is     6  48 kB              5     11
    recomputed     8  64 kB              2     18
    """
    ways = [f, *others]
    for way in ways:
        if not callable(way):
            raise TypeError(
                f"memory takes a function, x, and other functions of x, as in memory(f, x, mg.recompute_grad(f)); "
                f"got {way!r:.60} of type {type(way).__name__}"
            )
    called = [str(name) for name in names] or _distinct([known_as(way) for way in ways])
    if len(called) != len(ways) or len({*called}) != len(called):
        raise ValueError(f"memory takes names, a different one for each of the {len(ways)} ways, got {called}")
    x = as_value(x) if isinstance(x, (Tensor, list)) else x
    unit = sum(int(np.asarray(as_value(leaf)).nbytes) for leaf in flatten(x))
    runs = [_run(way, x) for way in ways]
    kept = {name: np.array(watch.kept) for name, (watch, _) in zip(called, runs)}
    peaks = {name: int(numbers.max()) for name, numbers in kept.items()}
    if not all(peaks.values()):
        raise ValueError("memory counts arrays, but here are only single numbers; give it an x with axes")
    with canvas("memory", 6.4, 3.4) as figure:
        _draw(figure, called, runs, unit)
    arrays = lambda count: short(count / unit, 3)
    size = bytes_text(unit)
    told = ", ".join(f"{name} {arrays(peak)}" for name, peak in peaks.items())
    summary = f"Kept at the peak, in arrays like x ({size}): {told}."
    rows = [
        [name, arrays(peaks[name]), bytes_text(peaks[name]), arrays(watch.kept[turn]), str(len(watch.kept))]
        for name, (watch, turn) in zip(called, runs)
    ]
    table = text_table(["way", "peak", "bytes", "when it turns", "steps"], rows)
    return FigureView(figure, "Memory", summary, lambda most: table, kept=kept, peaks=peaks, unit=unit)


def _run(f: Callable[..., Any], x: Any) -> tuple[MemoryWatch, int]:
    """Compute the gradient of the sum of `f`; return the bytes kept, and the last step before the backward pass."""
    turns = []

    def total(x: Any) -> Any:
        y = returned(f, f(x), "memory")
        y = reduce_sum(y) if y.shape else y
        turns.append(len(watch.kept) - 1)
        return y

    with MemoryWatch() as watch:
        grad(total)(x)
    return watch, max(turns[0], 0)


def _distinct(names: list[str]) -> list[str]:
    """Return the names, with a number added to repeated names."""
    return [name if names.count(name) == 1 else f"{name} {i + 1}" for i, name in enumerate(names)]


def _draw(figure: Any, names: Sequence[str], runs: Sequence[tuple[MemoryWatch, int]], unit: int) -> None:
    axes, colours = figure.subplots(), line_colours()
    for i, (name, (watch, turn)) in enumerate(zip(names, runs)):
        ink, style = colours[i % len(colours)], STYLES[i // len(colours) % len(STYLES)]
        heights = np.array(watch.kept) / unit
        axes.step(range(len(heights)), heights, where="post", color=ink, ls=style, lw=1.6, label=name)
        axes.plot(watch.calls, heights[watch.calls], ".", color=ink, ms=5)
        axes.plot(turn, heights[turn], "v", color=ink, ms=7)
    axes.plot([], [], "v", color=colour("soft"), ms=7, label="the backward pass begins")
    if any(watch.calls for watch, _ in runs):
        axes.plot([], [], ".", color=colour("soft"), ms=5, label="a call with a rule ends")
    axes.set_xlabel("ops, then steps back")
    axes.set_ylabel(f"kept, in arrays like x ({bytes_text(unit)})")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2)
