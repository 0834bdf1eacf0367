"""Pictures of a training run: images, the history of a loss, gradient sizes per layer, and silent units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.core.support.structure import leaves
from minigrad.core.support.tensor_values import as_value
from minigrad.tracing.numbers import short
from minigrad.tracing.table import text_table

from ..model.text_table import sampled_table
from ..render.heat_map import hues
from ..render.matplotlib_figure import canvas, colour
from .figure_view import FigureView

LARGEST = 400  #: maximum number of images in one figure
NO_GRADIENT = "none"


def images(
    rows: Any, *, shape: tuple[int, int] | None = None, columns: int = 8, titles: Sequence[Any] | None = None
) -> FigureView:
    """Draw rows of numbers as grey images: digits, or the weights of a layer's units.

    rows : an array of shape (count, pixels) or (count, height, width). For the weights W of a layer, pass `W.T`.
    shape : (height, width) of an image; by default, images are square. columns : number of images per row.
    titles : a word for each image, drawn above it.

    Returns a `FigureView`, whose `figure` is the matplotlib Figure. 0 has the background colour. If no number is
    negative, the largest number is black; otherwise, positive numbers are blue and negative numbers are orange. Raises
    TypeError unless rows is an array of numbers, ValueError for other shapes or more than 400 images, and ImportError
    if matplotlib is missing.

    >>> print(images([[0.0, 1.0, 0.5, 0.0], [1.0, 1.0, 0.0, 0.0]], titles=["a", "b"]))
    2 images of 2 x 2, numbers from 0 to 1.
    image  title  least   mean  largest
        0      a      0  0.375        1
        1      b      0    0.5        1
    """
    stack = _numbers("images", "rows", rows)
    if stack.ndim == 2:
        side = round(stack.shape[1] ** 0.5)
        height, width = shape or (side, side)
        if height * width != stack.shape[1]:
            raise ValueError(
                f"images has {stack.shape[1]} numbers in a row, and an image of {height} x {width} has "
                f"{height * width}; write shape=(height, width)"
            )
        stack = stack.reshape(-1, height, width)
    if stack.ndim != 3 or not stack.size:
        raise ValueError(f"images takes an array of shape (count, pixels) or (count, height, width), got {stack.shape}")
    if len(stack) > LARGEST:
        raise ValueError(f"images draws up to {LARGEST} images, got {len(stack)}; take a part of them")
    named = ["" if titles is None else str(t) for t in (titles if titles is not None else range(len(stack)))]
    if len(named) != len(stack):
        raise ValueError(f"images has {len(stack)} images and {len(named)} titles; write one title for each image")
    low, high = float(np.nanmin(stack)), float(np.nanmax(stack))
    most = max(abs(low), abs(high)) or 1.0
    signed = low < 0
    across = min(columns, len(stack))
    down = -(-len(stack) // across)
    with canvas("images", 0.3 + 0.82 * across, 0.3 + (1.02 if titles is not None else 0.82) * down) as figure:
        panels = np.ravel(figure.subplots(down, across, squeeze=False))
        for axes in panels:
            axes.axis("off")
        for axes, image, title in zip(panels, stack, named):
            axes.imshow(image, hues() if signed else "Greys", vmin=-most if signed else 0.0, vmax=most)
            axes.set_title(title, fontsize=9, pad=2)
    size = " x ".join(map(str, stack.shape[1:]))
    many = f"{len(stack)} image{'s' * (len(stack) != 1)} of {size}"
    summary = f"{many}, numbers from {short(low)} to {short(high)}."
    head = ["image", *["title"] * (titles is not None), "least", "mean", "largest"]
    numbers = lambda i: [short(float(k(stack[i]))) for k in (np.min, np.mean, np.max)]
    row = lambda i: [str(i), *[named[i]] * (titles is not None), *numbers(i)]
    table = lambda most: sampled_table(head, len(stack), row, most)
    return FigureView(figure, "Images", summary, table)


def history(
    series: Mapping[str, Any], *, smooth: int = 1, log: bool = False, along: tuple[str, Any] | None = None
) -> FigureView:
    """Draw numbers of a training run, such as the loss at each step, as lines.

    series : name of a line -> list of its numbers, one per step. smooth : the number of steps to average over; the
        original numbers are drawn faintly behind the mean.
    log : whether to use a logarithmic axis. along : the label and the values of the horizontal axis if it does not show
        steps, as in `("rate", [0.1, 0.2, 0.5])`.

    Returns a `FigureView`; `view.smoothed` is a dict of the drawn numbers. Raises TypeError unless series is a dict of
    lists of numbers. Raises ValueError for an empty line, `smooth` below 1, or a line that is not as long as `along`,
    and ImportError if matplotlib is missing.

    >>> print(history({"loss": [3.0, 2.0, 1.0, 1.0]}).summary)
    loss: from 3 to 1 in 4 steps, least 1 at step 2.
    """
    if not isinstance(series, Mapping) or not series:
        raise TypeError(f'history takes a dict of lists, as in viz.history({{"loss": losses}}), got {series!r:.60}')
    if smooth < 1:
        raise ValueError(f"history takes smooth as a number of steps, 1 or more, got {smooth!r}")
    lines = {str(name): np.ravel(_numbers("history", str(name), values)) for name, values in series.items()}
    for name, values in lines.items():
        if not values.size:
            raise ValueError(f"history has no numbers for {name!r}: the list is empty")
    word, places = ("step", None) if along is None else (along[0], np.ravel(_numbers("history", "along", along[1])))
    for name, values in lines.items():
        if places is not None and len(values) != len(places):
            raise ValueError(f"history has {len(values)} numbers for {name!r} and {len(places)} for {word!r}")
    smoothed = {name: _means(values, smooth) for name, values in lines.items()}
    with canvas("history", 6.4, 3.0) as figure:
        axes = figure.subplots()
        for name, values in lines.items():
            at = np.arange(len(values)) if places is None else places
            (drawn,) = axes.plot(at, smoothed[name], label=name, lw=1.8)
            if smooth > 1:
                axes.plot(at, values, color=drawn.get_color(), alpha=0.25, lw=0.8)
        axes.set_xlabel(word)
        if log:
            axes.set_yscale("log")
        if len(lines) > 1:
            axes.legend()
        else:
            axes.set_ylabel(next(iter(lines)))
        axes.grid(alpha=0.3)
    summary = " ".join(_told(name, values, word, places) for name, values in smoothed.items())
    label = lambda i: str(i) if places is None else short(float(places[i]))
    cell = lambda values, i: short(float(values[i])) if i < len(values) else ""
    row = lambda i: [label(i), *(cell(values, i) for values in smoothed.values())]
    longest = max(map(len, lines.values()))
    table = lambda most: sampled_table([word, *smoothed], longest, row, min(most or 12, 12))
    return FigureView(figure, "History", summary, table, smoothed=smoothed)


def layers(slopes: Any, *, what: str = "rms") -> FigureView:
    """Draw the size of the gradient of each parameter as a bar.

    The axis is logarithmic if the sizes differ by a factor of 10 or more.

    slopes : a structure of gradients, as returned by `grad` and `value_and_grad`. what : "rms", the root of the mean
        square; "max", the largest absolute value; or "norm", the root of the sum of squares.

    Returns a `FigureView`; `view.sizes` is a dict from the names of the parameters to the sizes. A gradient of 0 or
    None has no bar; "0" or "none" is written instead. Raises ValueError for any other `what`, or if every gradient is
    missing, and ImportError if matplotlib is missing.

    >>> view = layers([{"W": np.ones((2, 2))}, {"W": np.full(3, 0.01)}])
    >>> print(view)
    The gradient is largest at [0]['W'] (1) and least at [1]['W'] (0.01), 100 times smaller.
    parameter   rms
     [0]['W']     1
     [1]['W']  0.01
    """
    measures: dict[str, Callable[[Any], Any]] = {
        "rms": lambda g: np.sqrt(np.mean(g * g)),
        "max": lambda g: np.max(np.abs(g)),
        "norm": np.linalg.norm,
    }
    if what not in measures:
        raise ValueError(f"what must be one of {', '.join(measures)}, got {what!r}")
    gradients = [
        (path or "gradient", None if g is None else np.asarray(as_value(g), float)) for path, g in leaves(slopes, "")
    ]
    sizes = {path: None if g is None else float(measures[what](g)) for path, g in gradients}
    if not sizes:
        raise ValueError("layers takes a structure of gradients, as mg.grad returns it; there is none in this one")
    with canvas("layers", 6.4, 0.9 + 0.32 * len(sizes)) as figure:
        axes = figure.subplots()
        bars = [size if size and np.isfinite(size) else np.nan for size in sizes.values()]
        axes.barh(range(len(sizes)), bars, color=colour("grad"))
        axes.set_yticks(range(len(sizes)), list(sizes))
        axes.set_ylim(len(sizes) - 0.5, -0.5)
        if np.isfinite(bars).any() and np.nanmax(bars) >= 10 * np.nanmin(bars):
            low, high = np.ceil(np.log10(np.nanmin(bars))) - 1, np.ceil(np.log10(np.nanmax(bars)))
            axes.set_xscale("log")
            axes.set_xlim(10**low, 10 ** max(high, low + 1))  # limits at powers of 10 keep the smallest bar visible
        for i, (size, bar) in enumerate(zip(sizes.values(), bars)):
            if np.isnan(bar):
                words = NO_GRADIENT if size is None else short(size)
                axes.text(0.01, i, words, transform=axes.get_yaxis_transform(), va="center", color=colour("bad"))
        axes.set_xlabel(f"size of the gradient ({what})")
    told = lambda size: NO_GRADIENT if size is None else short(size)
    table = lambda most: text_table(["parameter", what], [[path, told(size)] for path, size in sizes.items()])
    return FigureView(figure, "Layers", _sizes_told(sizes), table, sizes=sizes)


def units(h: Any, *, silent: float = 0.0) -> FigureView:
    """Draw the units of a layer: a column for each unit, and a row for each example.

    The text counts the silent units and marks them.

    h : the values after the activation, an array of shape (examples, units). silent : a unit counts as silent if none
        of its values is farther from 0 than this.

    Returns a `FigureView` with the units ordered from the most active to the silent ones; `view.silent` lists the
    indices of the silent units. Raises ValueError for any other shape, and ImportError if matplotlib is missing.

    >>> view = units([[0.0, 1.0, 0.0], [0.0, 2.0, 3.0]])
    >>> print(view.summary, view.silent)
    1 of 3 units is silent for all 2 examples. [0]
    """
    values = _numbers("units", "h", h)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"units takes an array of shape (examples, units), got {values.shape}")
    size = np.abs(values)
    quiet = size.max(axis=0) <= silent
    order = np.argsort(-size.mean(axis=0), kind="stable")
    most = float(size.max()) or 1.0
    signed = bool((values < 0).any())
    with canvas("units", 6.4, 2.6) as figure:
        axes = figure.subplots()
        image = axes.imshow(
            values[:, order], hues() if signed else "Greys", aspect="auto", vmin=-most if signed else 0.0, vmax=most,
            interpolation="nearest",
        )  # fmt: skip
        figure.colorbar(image, ax=axes, fraction=0.046, pad=0.02)
        axes.set_xlabel("units, the most active first")
        axes.set_ylabel("examples")
    count = int(quiet.sum())
    verb = "is" if count == 1 else "are"
    summary = f"{count} of {values.shape[1]} units {verb} silent for all {len(values)} examples."
    unit = lambda i: [str(i), short(float(size[:, i].mean())), "silent" if quiet[i] else ""]
    table = lambda limit: sampled_table(["unit", "mean size", ""], len(order), lambda k: unit(int(order[k])), limit)
    return FigureView(figure, "Units", summary, table, silent=[int(i) for i in np.flatnonzero(quiet)])


def _numbers(who: str, name: str, values: Any) -> np.ndarray:
    try:
        return np.asarray(as_value(values), np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{who} takes {name} as an array of numbers, got {values!r:.60}") from None


def _means(values: np.ndarray, count: int) -> np.ndarray:
    """Return the running mean: element i is the mean of the last `count` values up to and including value i."""
    sums = np.cumsum(np.concatenate([[0.0], values]))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - count, 0)
    return (sums[ends] - sums[starts]) / (ends - starts) if count > 1 else values


def _told(name: str, values: np.ndarray, word: str, places: np.ndarray | None) -> str:
    where = lambda i: f"{word} {i if places is None else short(float(places[i]))}"
    if not np.isfinite(values).all():
        first = int(np.argmin(np.isfinite(values)))
        return f"{name}: {short(float(values[first]))} at {where(first)}."
    begin, end, least = (short(float(n)) for n in (values[0], values[-1], values.min()))
    ends = f"from {begin} to {end} in {len(values)} steps"
    if places is not None:
        ends = f"{begin} at {where(0)}, {end} at {where(-1)}"
    return f"{name}: {ends}, least {least} at {where(int(np.argmin(values)))}."


def _sizes_told(sizes: Mapping[str, float | None]) -> str:
    nonzero = {path: size for path, size in sizes.items() if size}
    bad = [path for path, size in nonzero.items() if not np.isfinite(size)]
    if bad:
        return f"The gradient at {bad[0]} is {short(nonzero[bad[0]])}."
    if not nonzero:
        return "Every gradient is 0 or none."
    most, least = max(nonzero, key=lambda path: nonzero[path]), min(nonzero, key=lambda path: nonzero[path])
    nothing = [path for path, size in sizes.items() if not size]
    none = f" There is none at {', '.join(nothing[:3])}{', …' * (len(nothing) > 3)}." * bool(nothing)
    if len(nonzero) == 1:
        return f"The gradient at {most} has the size {short(nonzero[most])}.{none}"
    times = f"{short(nonzero[most] / nonzero[least], 3)} times smaller"
    return (
        f"The gradient is largest at {most} ({short(nonzero[most])}) and least at {least} ({short(nonzero[least])}), "
        f"{times}.{none}"
    )
