"""`viz.plane`: a network's answers for the points of a plane, at several moments of its training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minigrad.core.support.tensor_values import as_value

from ..model.text_table import sampled_table
from ..render.matplotlib_figure import canvas, colour
from .figure_view import FigureView

ACROSS, DOWN = 60, 45  #: numbers of points, across and down, at which each function is evaluated
MOST = 12  #: maximum number of moments in one figure


def plane(moments: Mapping[str, Callable[[np.ndarray], Any]], points: Any, labels: Any) -> FigureView:
    """Draw labelled points in a plane, and a function's answers, at several moments.

    moments : title of a panel, such as "step 0" -> a function that takes an array of shape (n, 2) and returns the
        scores of two answers, also of shape (n, 2). The function's answer is the one with the larger score; the colours
        show the difference of the scores.
    points : an array of shape (n, 2). labels : 0 or 1 for each point, drawn as a circle or a triangle; a point with a
        wrong answer is crossed out.

    Returns a `FigureView`; `view.right` is a dict from titles to the fraction of points with the right answer. Raises
    ValueError for other shapes, for no moments or more than 12, and ImportError if matplotlib is missing.

    >>> view = plane({"by the sign": lambda p: np.stack([-p[:, 0], p[:, 0]], 1)}, [[-1, 0], [1, 0], [2, 1]], [0, 1, 0])
    >>> print(view)
    2 of 3 points have the right answer at by the sign.
         moment  right  share
    by the sign      2    67%
    """
    xy, kinds = np.asarray(as_value(points), float), np.asarray(as_value(labels))
    if xy.ndim != 2 or xy.shape[1] != 2 or not len(xy):
        raise ValueError(f"plane takes points as an array of shape (n, 2), got {xy.shape}")
    if kinds.shape != (len(xy),) or not np.isin(kinds, (0, 1)).all():
        raise ValueError(f"plane takes labels as {len(xy)} numbers, each 0 or 1, got {labels!r:.60}")
    if not 0 < len(moments) <= MOST:
        raise ValueError(f"plane draws 1 to {MOST} moments, got {len(moments)}")
    low, high = xy.min(axis=0), xy.max(axis=0)
    margin = 0.15 * (high - low).max() + 1e-9
    low, high = low - margin, high + margin
    grid = np.stack(np.meshgrid(np.linspace(low[0], high[0], ACROSS), np.linspace(low[1], high[1], DOWN)), axis=-1)
    across = 2 if len(moments) == 4 else min(3, len(moments))
    down = -(-len(moments) // across)
    counts: dict[str, int] = {}
    with canvas("plane", 2.2 * across + 0.2, 2.0 * down) as figure:
        panels = np.ravel(figure.subplots(down, across, squeeze=False))
        for axes in panels:
            axes.axis("off")
        for axes, (name, function) in zip(panels, moments.items()):
            everywhere, answers = _scores(name, function, grid.reshape(-1, 2)), _scores(name, function, xy)
            finite = np.isfinite(answers).all(axis=1)
            right = finite & ((answers[:, 1] > answers[:, 0]) == kinds)
            counts[name] = int(right.sum())
            with np.errstate(all="ignore"):
                surer = np.tanh(everywhere @ [-0.5, 0.5]).reshape(DOWN, ACROSS)
            axes.imshow(
                0.6 * surer, "RdBu_r", vmin=-1, vmax=1, origin="lower", extent=(low[0], high[0], low[1], high[1]),
                aspect="auto",
            )  # fmt: skip
            for kind, marker in ((0, "o"), (1, "^")):
                some = kinds == kind
                axes.scatter(*xy[some & right].T, s=9, marker=marker, c=colour("paper"), ec=colour("ink"), lw=0.5)
            axes.scatter(*xy[~right].T, s=16, marker="x", c=colour("ink"), lw=1.0)
            axes.set_title(f"{name}: {counts[name]} right", fontsize=9, pad=2)
    ends = [*counts.items()]
    summary = f"{ends[0][1]} of {len(xy)} points have the right answer at {ends[0][0]}"
    summary += f", {ends[-1][1]} at {ends[-1][0]}." if len(ends) > 1 else "."
    right_shares = {name: count / len(xy) for name, count in counts.items()}
    row = lambda i: [ends[i][0], str(ends[i][1]), f"{right_shares[ends[i][0]]:.0%}"]
    table = lambda most: sampled_table(["moment", "right", "share"], len(ends), row, most)
    return FigureView(figure, "Plane", summary, table, right=right_shares)


def _scores(name: str, function: Callable[[np.ndarray], Any], xy: np.ndarray) -> np.ndarray:
    scores = np.asarray(as_value(function(xy)), float)
    if scores.shape != (len(xy), 2):
        raise ValueError(f"{name!r} returns the shape {scores.shape} for {len(xy)} points; it should be {(len(xy), 2)}")
    return scores
