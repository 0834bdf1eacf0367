"""`viz.curves`: plot a function of one number, and its slope according to each rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.tracing.numbers import short
from minigrad.tracing.table import text_table

from ..model.sampled_slopes import MISSING, Slopes, Stretch
from ..model.text_table import noted, spread
from ..render.matplotlib_figure import canvas, colour, line_colours
from .binding import bound, float_dtype, known_as, range_of
from .figure_view import FigureView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HATCHES = {"nan": "///", "inf": "\\\\\\", "wrong": "xx", "missing": ".."}


def curves(
    f: Callable[..., Any], *, dtype: Any = "float32", points: int = 400, size: tuple[float, float] = (7.2, 5.2),
    **inputs: Any,
) -> FigureView:  # fmt: skip
    """Plot `f` along one argument, with its derived, custom and measured slopes below.

    Parameters
    ----------
    f : a function of numbers; if it uses `custom_gradient`, both gradients are drawn.
    dtype : the dtype of the computation in f: "float16", "float32" or "float64".
    points : the number of points at which f is evaluated, 3 or more. size : size of the figure in inches.
    inputs : the arguments of f by name. One argument is a pair of numbers, the range (smaller, larger); the others are
        numbers or arrays.

    Returns a `FigureView`, drawn in the user's matplotlib style: `view.figure` is the Figure, `view.summary` the first
    line of the text, and `view.points` has an array for each column of the text, such as `view.points["derived"]`. The
    text has a row for each circle in the plot, and two rows where a faulty range begins or ends. Where a gradient is
    nan or inf, or differs from the slope, the plot is hatched and labelled. Finite differences are in float64. No
    line crosses a jump or a pole, and the summary mentions each of them. A jump is not detected if it is smaller than
    the normal change from one point to the next.

    Raises TypeError unless exactly one argument has a range and f returns a Tensor of one number. Raises ValueError for
    an empty or infinite range, and ImportError if matplotlib is missing.

    >>> import minigrad as mg
    >>> view = curves(lambda x: mg.log(1 + mg.exp(x)), x=(-50, 150))
    >>> print(view.summary)
    f for x from -50 to 150 in float32: value is inf from x = 88.72 to 150; derived is nan from x = 88.72 to 150.
    """
    name, ends = _range(f, inputs)
    kind = float_dtype(dtype, "curves", "dtype")
    if not isinstance(points, int) or points < 3:
        raise TypeError(f"curves takes points as a whole number, 3 or more, got {points!r}")
    bound(f, (), inputs, "curves")
    others = {k: v for k, v in inputs.items() if k != name}
    sampled = Slopes(f, name, ends, others, kind, points)
    stretches = sampled.stretches()
    called = known_as(f)
    with canvas("curves", *size) as figure:
        _draw(figure, sampled, stretches, called)
    title = f"{called} for {name} from {short(ends[0], 6)} to {short(ends[1], 6)} in {kind}"
    news = _news(sampled, stretches)
    column = f"{name} (input)" if name in sampled.curves else name
    columns = {column: sampled.x, **sampled.curves, "finite difference": sampled.difference}
    numbers = {key: np.where(y == MISSING, np.nan, y) for key, y in columns.items()}
    return FigureView(figure, title, f"{title}: {news}.", lambda most: _table(sampled, columns, most), points=numbers)


def _range(f: Any, inputs: dict[str, Any]) -> tuple[str, tuple[float, float]]:
    """Return the name of the argument that has a range, and its range."""
    if not callable(f):
        raise TypeError(f"curves takes a function and a range, as in curves(f, x=(-5, 5)), got {f!r:.60}")
    pairs = {k: v for k, v in inputs.items() if isinstance(v, tuple)}
    if len(pairs) != 1:
        got = ", ".join(f"{k}={v!r}" for k, v in inputs.items()) or "nothing"
        raise TypeError(f"curves takes one argument as a range, as in curves(f, x=(-5, 5)), got {got:.80}")
    ((name, ends),) = pairs.items()
    return name, range_of(name, ends)


def _news(sampled: Slopes, stretches: list[Stretch]) -> str:
    """Return the summary of the plot: the faulty stretches, the jumps and poles, or that all points are right."""
    parts = list(map(str, stretches))
    for kind, words in (("jump", "the value jumps at"), ("pole", "the value has a pole at")):
        of_kind = [b.at for b in sampled.breaks if b.kind == kind]
        places = [short(at if abs(at) > 1e-9 * np.ptp(sampled.x) else 0.0) for at in of_kind]
        if places:
            more = f" and {len(places) - 4} more" if len(places) > 4 else ""
            parts.append(f"{words} {sampled.name} = {', '.join(places[:4])}{more}")
    if stretches:
        return "; ".join(parts)
    count, judged = len(sampled.x), int(sampled.judged.sum())
    news = f"at each of {count} points the value is finite, and every gradient is finite"
    if judged == count:
        news += " and right"
    elif judged:
        news += f"; it is right at the {judged} where the slope could be measured"
    else:
        news += "; the slope could be measured at none of them"
    return "; ".join([*parts, news])


def _broken(sampled: Slopes, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points (x, y) of a curve with a nan inserted at each jump and pole, so that no line crosses it."""
    places = [b.i + 1 for b in sampled.breaks]
    return np.insert(x, places, [b.at for b in sampled.breaks]), np.insert(y, places, np.nan)


def _every(sampled: Slopes) -> int:
    """Return the number of points from one circle to the next."""
    return max(1, len(sampled.x) // 28)


def _draw(figure: Figure, sampled: Slopes, stretches: list[Stretch], called: str) -> None:
    from matplotlib import rcParams

    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(2, 3))
    first, second, third, *_ = line_colours()
    x, every = sampled.x, _every(sampled)
    top.plot(*_broken(sampled, x, sampled.value), color=rcParams["text.color"], lw=2)
    top.set_ylabel(f"{called}({sampled.name})")
    circles = {"mfc": "none", "color": third, "ms": 6, "label": "finite difference in float64"}
    bottom.plot(x[::every], sampled.difference[::every], "o", **circles)
    derived = np.where(sampled.derived == MISSING, np.nan, sampled.derived)
    bottom.plot(*_broken(sampled, x, derived), color=first, lw=2.4, label="derived")
    if sampled.custom is not None:
        bottom.plot(*_broken(sampled, x, sampled.custom), color=second, lw=2.2, ls=(0, (5, 2)), label="custom")
    bottom.set_ylabel(f"slope of {called}")
    bottom.set_xlabel(f"{sampled.name}  ({sampled.dtype})")
    bottom.set_xlim(x[0], x[-1])
    bottom.set_ylim(*_limits(sampled))
    for panel, own in ((top, ("value",)), (bottom, ("derived", "custom"))):
        mine = {name: y for name, y in sampled.curves.items() if name in own}
        mine |= {"difference": sampled.difference} if panel is bottom else {}
        _hatch(panel, [s for s in stretches if s.curve in own], sampled.x, list(mine.values()))
    figure.legend(loc="outside upper center", ncols=3 if figure.get_figwidth() > 5 else 1)


def _hatch(panel: Any, stretches: list[Stretch], x: np.ndarray, lines: list[np.ndarray]) -> None:
    """Hatch the stretches where a curve is wrong, and put their labels into the half of the plot without curves.

    panel : the axes. x, lines : the points, and the values of the drawn curves there.
    """
    from matplotlib import rcParams

    paper, width = rcParams["axes.facecolor"], x[-1] - x[0]
    bottom, top = panel.get_ylim()
    for i, s in enumerate(stretches):
        low, high = (s.low, s.high) if s.high > s.low else (s.low - width / 400, s.high + width / 400)
        ink = colour("bad" if s.what in ("nan", "inf") else "warn")
        panel.axvspan(low, high, facecolor="none", edgecolor=ink, alpha=0.4, hatch=HATCHES[s.what], lw=0)
        panel.axvline(low, color=ink, lw=0.8, ls=":")
        left = low < x[0] + 0.7 * width
        inside = np.concatenate([y[(x >= low) & (x <= high)] for y in lines])
        inside = inside[(inside > bottom) & (inside < top)]
        high_up = inside.size == 0 or inside.mean() < (bottom + top) / 2
        panel.annotate(
            f"{s.curve} {s.what}\n{'from' if s.high > s.low else 'at'} {short(s.low)}",
            (low if left else high, (0.96 if high_up else 0.42) - 0.17 * (i % 3)),
            (4 if left else -4, 0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="left" if left else "right",
            va="top",
            fontsize="small",
            bbox={"facecolor": paper, "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
        )


def _limits(sampled: Slopes) -> tuple[float, float]:
    """Return the ends of the slope axis: they include all finite differences, and all gradients not far from these.

    "Far" means more than twice the range of the differences, or twice their size (at least 2) if they are all equal.
    """
    judge = sampled.difference[np.isfinite(sampled.difference)]
    rules = [y for y in (sampled.derived, sampled.custom) if y is not None]
    everything = np.concatenate([y[np.isfinite(y) & (y != MISSING)] for y in rules])
    judge = judge if judge.size else everything if everything.size else np.zeros(1)
    low, high = float(judge.min()), float(judge.max())
    size = max(abs(low), abs(high))
    room = high - low if high - low > 1e-3 * max(size, 1e-6) else max(size, 1.0)
    near = everything[(everything > low - 2 * room) & (everything < high + 2 * room)]
    low, high = min([low, *near]), max([high, *near])
    margin = 0.08 * max(high - low, room)
    return low - margin, high + margin


def _table(sampled: Slopes, columns: dict[str, np.ndarray], most: int | None) -> str:
    """Return a table with a row for each circled point, and for the points on both sides of each change of a verdict.

    columns : header -> the numbers of all points. most : the maximum number of rows, or None.
    """
    verdicts = {curve: sampled.verdicts(curve) for curve in sampled.curves}
    words = [
        ", ".join(f"{curve} {word}" for curve, word in zip(verdicts, at) if word) for at in zip(*verdicts.values())
    ]
    ends = {k for i in range(1, len(words)) if words[i] != words[i - 1] for k in (i - 1, i)}
    circles = [*range(0, len(words), _every(sampled)), len(words) - 1]
    every = sorted({*circles, *ends})
    kept = sorted({*(circles[k] for k in spread(len(circles), most and max(2, most - len(ends)))), *ends})
    rows = [[*(_word(y[i], name, sampled.state[i]) for name, y in columns.items()), words[i]] for i in kept]
    named = any(words)
    head = [*columns, *["differs"] * named]
    table = text_table(head, [row[: len(head)] for row in rows], words={len(columns)})
    return noted(table, len(every) - len(rows))


def _word(number: float, column: str, state: str) -> str:
    unmeasured = column == "finite difference" and np.isnan(number)
    if unmeasured and state == "jump":
        return "jump"
    return "none" if unmeasured or number == MISSING else short(float(number))
