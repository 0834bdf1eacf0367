"""The student's answer and the true one in a small picture, for light and dark backgrounds.

Numbers over a range are curves, one panel for each number of a tuple; arrays (values, gradients, Jacobians) are tables
of colours, yours, the true one, and the difference; graphs are boxes and arrows.
"""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from .attempts import Attempt, attempt
from .clock import work_limit
from .exercises import Check
from .graph_picture import graphs
from .inputs import Floats, show, shown_apart
from .tables import part_name, tables

YOURS, TRUE, INK = "#d97706", "#3b82f6", "#777777"  # told apart by width and dashes too
POINTS = 121
PANELS = 4  # at most, of a tuple


def beside(check: Check, answer: Any, failed: Attempt) -> tuple[str, str] | None:
    """The picture as (data URI, alt text); None where there is none."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    if failed.different is not None:
        drawn = graphs(Figure, failed.got, failed.want, failed.different)
        return (_png(drawn[0]), drawn[1]) if drawn else None
    wanted = _parts(failed.want)
    if not wanted or len(wanted) != len(_parts(failed.got)) or len(wanted) > PANELS:
        return None
    arrays = [x for x in (*wanted, *failed.inputs) if isinstance(x, np.ndarray)]
    if any(map(np.ndim, arrays)):
        with np.errstate(all="ignore"):
            figure, alt = tables(Figure, check, _parts(failed.got), wanted)
        return _png(figure), alt
    if not check.vary or not isinstance(check.vary[0], Floats):
        return None
    xs, yours, true = _curves(check, answer, failed, len(wanted))
    if len(xs) < 10:
        return None
    with np.errstate(all="ignore"):
        figure = Figure(figsize=(5.2, 2.3 * len(wanted)), layout="constrained")
        figure.patch.set_alpha(0)
        panels = figure.subplots(len(wanted), squeeze=False)[:, 0]
        for i, axes in enumerate(panels):
            _draw(figure if i == 0 else None, axes, check, float(failed.inputs[0]), xs, yours[:, i], true[:, i])
            if len(wanted) > 1:
                axes.set_title(part_name(check, i, len(wanted)), color=INK, fontsize=9, loc="left")
        panels[-1].set_xlabel(check.names[0], color=INK)
        return _png(figure), _alt(check, failed, xs, yours, true)


def _parts(value: Any) -> list[Any]:
    """The numbers or arrays of an answer: its items if it is a tuple; nothing if it holds anything else.

    A list of numbers is an array.
    """
    items = list(value) if isinstance(value, (tuple, list)) else [value]
    numeric = (isinstance(x, (int, float, np.number, np.bool_, np.ndarray)) for x in items)
    if not all(numeric) or any(np.asarray(x).dtype.kind not in "fiub" for x in items):
        return []
    return [np.asarray(value)] if isinstance(value, list) and value and not any(map(np.ndim, items)) else items


def _curves(check: Check, answer: Any, failed: Attempt, width: int) -> tuple[Any, Any, Any]:
    """The first input over its range, and for it your numbers and the true ones, in one column for each part."""
    domain, at = check.vary[0], failed.inputs[0]
    low, high = _window(domain, float(at))
    up = work_limit(1.0)
    rows = []
    for x in sorted({*np.linspace(low, high, POINTS).tolist(), float(at)}):
        tried = attempt(check, answer, (float(x), *failed.inputs[1:]), 0.2)
        if tried.outcome.late or up():
            break
        rows.append([float(x), *_numbers(tried.got, width), *_numbers(tried.want, width)])
    columns = np.array(rows).reshape(-1, 1 + 2 * width)
    return columns[:, 0], columns[:, 1 : width + 1], columns[:, width + 1 :]


def _numbers(value: Any, width: int) -> list[float]:
    parts = _parts(value)
    return [float(x) for x in parts] if len(parts) == width and not any(map(np.ndim, parts)) else [np.nan] * width


def _window(domain: Floats, at: float) -> tuple[float, float]:
    """The range to draw: the whole range, or a part around the failure if it is wide."""
    if domain.high - domain.low <= 40:
        return domain.low, domain.high
    reach = max(8.0, 1.6 * abs(at))
    return max(domain.low, -reach), min(domain.high, reach)


def _draw(figure: Any, axes: Any, check: Check, at: float, xs: Any, yours: Any, true: Any) -> None:
    """One panel; with the legend if `figure` is given."""
    axes.set_facecolor("none")
    finite = true[np.isfinite(true)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    inside = yours[np.isfinite(yours)]
    if inside.size:
        reach = 2 * (high - low) + 1
        low, high = max(min(low, inside.min()), low - reach), min(max(high, inside.max()), high + reach)
    margin = 0.08 * (high - low) + 1e-3
    axes.plot(xs, true, color=TRUE, linewidth=5, alpha=0.45, label=check.word.format(check.what), solid_capstyle="butt")
    axes.plot(xs, yours, color=YOURS, linewidth=1.6, linestyle=(0, (4, 2)), label=f"your {check.what}")
    bad = ~np.isfinite(yours) & np.isfinite(true)
    if bad.any():
        axes.fill_between(
            xs, low - margin, high + margin, where=bad, facecolor="none", edgecolor=YOURS, hatch="///", linewidth=0,
            alpha=0.6, label=f"yours is {_words(yours[bad])}",
        )  # fmt: skip
    axes.axvline(at, color=INK, linewidth=0.8, linestyle=":")
    axes.set_ylim(low - margin, high + margin)
    axes.set_xlim(xs[0], xs[-1])
    axes.tick_params(colors=INK, labelsize=9)
    for name, spine in axes.spines.items():
        spine.set_color(INK)
        spine.set_visible(name in ("left", "bottom"))
    if figure is not None:
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper", frameon=False, labelcolor=INK, fontsize=9)


def _png(figure: Any) -> str:
    paper = io.BytesIO()
    figure.savefig(paper, format="png", dpi=144, metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(paper.getvalue()).decode()


def _alt(check: Check, failed: Attempt, xs: Any, yours: Any, true: Any) -> str:
    """The description of the curves in words."""
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
            where = f"for {first} from {show(xs[bad].min(), 4)} to {show(xs[bad].max(), 4)}"
            whose = "Yours" if yours.shape[1] == 1 else f"Your {part_name(check, i, yours.shape[1])}"
            words.append(f"{whose} is {_words(yours[bad, i])} {where if bad.sum() > 1 else 'there'}.")
    return " ".join(words)


def _words(values: Any) -> str:
    kinds = [name for name, found in (("nan", np.isnan(values)), ("inf", np.isinf(values))) if found.any()]
    return " or ".join(kinds)
