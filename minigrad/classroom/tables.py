"""Arrays as tables of colours: yours, the true one, and the difference between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .exercises import Check
from .inputs import show, shown_apart

INK, BAD = "#777777", "#b3261e"  # the words, and the cells that are nan or inf
MOST = 24  # rows and columns that are drawn
NUMBERS = 6  # columns up to which the numbers stand in the cells
NAMED = 3  # entries that the description names


def of_tables(check: Check, got: list[Any], want: list[Any]) -> tuple[dict[str, Any], str]:
    """The data for `tables` from an answer's arrays, and a description in words."""
    parts = []
    for i, (yours, true) in enumerate(zip(map(_flat, got), map(_flat, want))):
        with np.errstate(invalid="ignore"):  # inf - inf
            apart = np.where((yours == true) | (np.isnan(yours) & np.isnan(true)), 0, yours - true)
        name = part_name(check, i, len(want))
        titles = (f"your {name}", check.word.format(name), "difference")
        reach = _reach(true), _reach(true), _reach(apart)
        shown = [x[:MOST, :MOST].tolist() for x in (yours, true, apart)]
        parts.append({"rows": max(len(true), 1), "panels": list(zip(titles, shown, reach))})
    return {"parts": parts}, _alt(check, got, want)


def tables(Figure: Any, data: dict[str, Any]) -> Any:
    """A figure with three tables for each array. data : of each its title, its numbers and the largest one in size."""
    high = [min(part["rows"], 8) for part in data["parts"]]
    figure = Figure(figsize=(6.4, 0.7 + sum(0.34 * rows + 0.35 for rows in high)), layout="constrained")
    figure.patch.set_alpha(0)
    grid = figure.subplots(len(high), 3, squeeze=False, gridspec_kw={"height_ratios": high})
    for row, part in zip(grid, data["parts"]):
        for axes, (title, values, reach) in zip(row, part["panels"]):
            _table(axes, np.array(values, np.float64), reach)
            axes.set_title(title, color=INK, fontsize=9, loc="left")
    return figure


def part_name(check: Check, i: int, of: int) -> str:
    """The name of one part of an answer: the gradient of a, or the second value."""
    if of == 1:
        return check.what
    return f"{check.what} of {check.names[i]}" if of <= len(check.names) else f"{check.what} {i + 1}"


def _flat(x: Any) -> Any:
    """Two dimensions: a number is one cell, a vector one row, of more dimensions the first ones are joined."""
    x = np.asarray(x, np.float64)
    return x.reshape(-1, x.shape[-1]) if x.ndim > 2 else np.atleast_2d(x)


def _reach(values: Any) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _table(axes: Any, values: Any, reach: float) -> None:
    from matplotlib.colors import ListedColormap

    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_frame_on(False)
    if not values.size:
        axes.text(0.5, 0.5, "no entries", color=INK, ha="center", va="center", fontsize=9)
        return
    axes.imshow(np.full(values.shape, 0), cmap=ListedColormap([BAD]), aspect="auto")
    axes.imshow(np.ma.masked_invalid(values), cmap="PuOr_r", vmin=-reach, vmax=reach, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if values.shape[1] <= NUMBERS or not np.isfinite(value):
            color = "white" if not np.isfinite(value) or abs(value) > 0.6 * reach else "black"
            axes.text(column, row, show(value, 3), color=color, ha="center", va="center", fontsize=8)


def _alt(check: Check, got: list[Any], want: list[Any]) -> str:
    """The entries that differ, the first ones by their index."""
    words = [
        f"Your {check.what} and the {check.word.format('one')} as tables of colours, and the difference between them."
    ]
    for i, (y, t) in enumerate(zip(got, want)):
        whose = "" if len(want) == 1 else f" of the {part_name(check, i, len(want))}"
        y, t = np.asarray(y, np.float64), np.asarray(t, np.float64)
        apart = ~np.isclose(y, t, 1e-3, 1e-6, equal_nan=True)
        places = np.argwhere(apart)
        if len(places):
            words.append(f"{len(places)} of {t.size} entries{whose} differ.")
        for place in map(tuple, places[:NAMED].tolist()):
            at = f"At index {', '.join(map(str, place))}" if place else "There"
            mine, true = shown_apart(y[place], t[place])
            words.append(f"{at} yours is {mine} and the {check.word.format('one')} {true}.")
    return " ".join(words)
