"""The student's curve and the true one in a small picture, for light and dark backgrounds."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from .exercises import Check
from .guard import work_limit
from .inputs import Floats, show
from .search import Attempt, attempt

YOURS, TRUE, INK = "#d97706", "#3b82f6", "#777777"  # told apart by width and dashes too
POINTS = 121


def beside(check: Check, answer: Any, failed: Attempt) -> tuple[str, str] | None:
    """A plot over the first input, the others as in the failure, as (data URI, alt text); None where there is none."""
    if (
        not check.vary
        or not isinstance(check.vary[0], Floats)
        or np.ndim(failed.want)
        or any(map(np.ndim, failed.inputs))
        or isinstance(failed.want, tuple)
    ):
        return None
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    xs, yours, true = _curves(check, answer, failed)
    if len(xs) < 10:
        return None
    with np.errstate(all="ignore"):
        return _draw(Figure, check, failed, xs, yours, true)


def _curves(check: Check, answer: Any, failed: Attempt) -> tuple[Any, Any, Any]:
    domain, at = check.vary[0], failed.inputs[0]
    low, high = _window(domain, float(at))
    up = work_limit(1.0)
    rows = []
    for x in sorted({*np.linspace(low, high, POINTS).tolist(), float(at)}):
        tried = attempt(check, answer, (float(x), *failed.inputs[1:]), 0.2)
        if tried.outcome.late or up():
            break
        got = tried.got if tried.got is not None and not tried.words and np.ndim(tried.got) == 0 else np.nan
        want = tried.want if tried.want is not None else np.nan
        rows.append((float(x), float(got), float(want)))
    columns = np.array(rows).reshape(-1, 3)
    return columns[:, 0], columns[:, 1], columns[:, 2]


def _window(domain: Floats, at: float) -> tuple[float, float]:
    """The range to draw: the whole range, or a part around the failure if it is wide."""
    if domain.high - domain.low <= 40:
        return domain.low, domain.high
    reach = max(8.0, 1.6 * abs(at))
    return max(domain.low, -reach), min(domain.high, reach)


def _draw(Figure: Any, check: Check, failed: Attempt, xs: Any, yours: Any, true: Any) -> tuple[str, str]:
    figure = Figure(figsize=(5.2, 2.3), layout="constrained")
    figure.patch.set_alpha(0)
    axes = figure.add_subplot(facecolor="none")
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
    axes.axvline(float(failed.inputs[0]), color=INK, linewidth=0.8, linestyle=":")
    axes.set_ylim(low - margin, high + margin)
    axes.set_xlim(xs[0], xs[-1])
    axes.set_xlabel(check.names[0], color=INK)
    axes.tick_params(colors=INK, labelsize=9)
    for name, spine in axes.spines.items():
        spine.set_color(INK)
        spine.set_visible(name in ("left", "bottom"))
    figure.legend(loc="outside right upper", frameon=False, labelcolor=INK, fontsize=9)
    paper = io.BytesIO()
    figure.savefig(paper, format="png", dpi=144, metadata={"Software": None})
    uri = "data:image/png;base64," + base64.b64encode(paper.getvalue()).decode()
    return uri, _alt(check, failed, xs, yours[bad], xs[bad])


def _alt(check: Check, failed: Attempt, xs: Any, bad: Any, bad_at: Any) -> str:
    """The description of the picture in words."""
    first, *rest = check.names
    fixed = "".join(f", {name} = {show(x)}" for name, x in zip(rest, failed.inputs[1:]))
    words = [
        f"The {check.word.format(check.what)} (broad line) and yours (dashed)"
        f" for {first} from {show(xs[0])} to {show(xs[-1])}{fixed}.",
        f"At {first} = {show(failed.inputs[0])} yours is {show(failed.got)}"
        f" and the {check.word.format('one')} {show(failed.want)}.",
    ]
    if len(bad):
        where = f"for {first} from {show(bad_at.min(), 4)} to {show(bad_at.max(), 4)}"
        words.append(f"Yours is {_words(bad)} {where if len(bad) > 1 else 'there'}.")
    return " ".join(words)


def _words(values: Any) -> str:
    kinds = [name for name, found in (("nan", np.isnan(values)), ("inf", np.isinf(values))) if found.any()]
    return " or ".join(kinds)
