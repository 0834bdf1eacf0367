"""Numbers over a range as curves: the true ones as a broad line, yours dashed, a panel for each number of a tuple."""

from __future__ import annotations

from typing import Any

import numpy as np

YOURS, TRUE, INK = "#d97706", "#3b82f6", "#777777"  # told apart by width and dashes too


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
