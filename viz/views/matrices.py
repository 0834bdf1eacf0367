"""`viz.matrices` and `viz.jacobian`: heat maps of two matrices and their difference, and of a Jacobian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core.support.structure import leaves
from minigrad.core.tensor import Tensor
from minigrad.tracing.numbers import short
from minigrad.transforms import jacobians

from ..render.heat_map import WRITTEN, draw_heat_map, extent_of, labels_of, readout, table
from ..render.matplotlib_figure import Readout, canvas, colour
from .binding import known_as, parameters_of
from .figure_view import FigureView

LARGEST = 500  #: maximum number of rows or columns
CLOSE = 1e-5  #: relative difference up to which two numbers count as equal
SIDE = 2000  #: maximum number of rows or columns of the Jacobian
LARGE = "\nThe numbers are in view.matrix."


def matrices(*, yours: Any, true: Any) -> FigureView:
    """Draw heat maps of `yours`, `true` and their difference, all on one colour scale.

    yours, true : arrays of numbers, or anything that `np.asarray` accepts. A single number is drawn as a 1×1 matrix,
        and an array with one axis as a row. If there are more than two axes, all but the last are merged into rows. If
        the shapes differ, both matrices are drawn, but no difference.

    Returns a `FigureView`: `view.difference` is yours - true, or None if the shapes differ; `view.figure` is the
    matplotlib Figure. In a notebook or a page, the numbers of a row or column (up to 14) are shown when the pointer
    rests on it. Numbers count as equal up to a relative difference of 1e-5, and nan counts as equal to nan. Raises
    TypeError unless both are arrays of numbers, ValueError for more than 500 rows or columns, and ImportError if
    matplotlib is missing.

    >>> print(matrices(yours=[[1, 1], [0, 1]], true=[[1, 0], [1, 1]]))
    2 of 4 numbers differ; the first is yours[0, 1] = 1, which should be 0.
    yours  0  1
    0      1  1
    1      0  1
    <BLANKLINE>
    true  0  1
    0     1  0
    1     1  1
    <BLANKLINE>
    difference   0  1
    0            0  1
    1           -1  0
    """
    arrays = {"yours": _array("yours", yours), "true": _array("true", true)}
    same_shape = arrays["yours"].shape == arrays["true"].shape
    difference = _difference(**arrays) if same_shape else None
    if difference is not None:
        arrays["difference"] = difference
    flat = {name: a.reshape(-1, a.shape[-1] if a.ndim else 1) for name, a in arrays.items()}
    tall, wide = max(len(m) for m in flat.values()), max(m.shape[1] for m in flat.values())
    if max(tall, wide) > LARGEST:
        raise ValueError(f"matrices draws up to {LARGEST} rows and columns, got {tall} by {wide}; take a part of them")
    width = len(flat) * min(6.0 if wide <= WRITTEN else 4.5, 1.0 + 0.55 * wide)
    extent = extent_of(*flat.values())
    readouts: list[Readout] = []
    labels = {}
    with canvas("matrices", max(6.0, width + 0.8), min(9.0, max(2.4, 1.5 + 0.45 * tall))) as figure:
        panels = np.ravel(figure.subplots(1, len(flat)))
        for axes, (name, matrix) in zip(panels, flat.items()):
            rows = [", ".join(map(str, index)) for index in np.ndindex(*arrays[name].shape[:-1])]
            columns = [str(j) for j in range(matrix.shape[1])]
            labels[name] = rows, columns
            image = draw_heat_map(axes, matrix, rows, columns, extent)
            axes.set_title(name if same_shape else f"{name}, of shape {arrays[name].shape}")
            named = [f"row {r}" for r in rows], [f"column {c}" for c in columns]
            readouts += readout(axes, flat if same_shape else {name: matrix}, *named)
        figure.colorbar(image, ax=list(panels), fraction=0.046, pad=0.02)
    summary = _summary(arrays["yours"], arrays["true"])
    tables = lambda most: "\n\n".join(table(matrix, *labels[name], name, most) for name, matrix in flat.items())
    return FigureView(figure, "Matrices yours and true", summary, tables, readouts, difference=difference)


def _array(name: str, value: Any) -> np.ndarray:
    """Convert an argument to an array of float64. Raises TypeError, with the argument's name, if this fails."""
    try:
        if value is None:  # NumPy would convert None to nan
            raise TypeError
        array = np.asarray(value.value if isinstance(value, Tensor) else value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"matrices takes {name} as an array of numbers, got {value!r:.60}") from None
    if array.size == 0:
        raise ValueError(f"matrices draws arrays with at least one number; {name} has the shape {array.shape}")
    return array + 0.0  # this turns -0 into 0 in the cells


def _difference(yours: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return yours - true, with 0 where both elements are nan or the same infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isclose(yours, true, 0, 0, equal_nan=True), 0.0, yours - true)


def _summary(yours: np.ndarray, true: np.ndarray) -> str:
    if yours.shape != true.shape:
        return f"The shapes differ: yours is {yours.shape}, it should be {true.shape}."
    wrong = np.argwhere(~np.isclose(yours, true, CLOSE, 0, equal_nan=True))
    if not len(wrong):
        which, gap = "All" if yours.size > 1 else "Both", _difference(yours, true)
        if not gap.any():
            return f"{which} numbers are equal."
        largest = np.max(np.abs(gap[gap != 0]) / np.abs(true[gap != 0]))
        return f"{which} numbers agree to 5 digits: the largest difference is {short(float(largest), 2)} of the size."
    first = tuple(int(i) for i in wrong[0])
    place = f"yours[{', '.join(map(str, first))}]" if first else "yours"
    return (
        f"{len(wrong)} of {yours.size} number{'s' * (yours.size > 1)} differ{'s' * (len(wrong) == 1)}; "
        f"the first is {place} = {short(float(yours[first]))}, which should be {short(float(true[first]))}."
    )


def jacobian(f: Callable[..., Any], x: Any, *others: Any) -> FigureView:
    """Draw the Jacobian of `f` at `x`: rows are elements of f(x), and columns are elements of x.

    f : a function of an array that returns a Tensor or a structure of Tensors (a tuple, list or dict). For a structure,
        the rows of each output are below the rows of the previous output, with a line between them.
    x : an array of floats; ints are converted to float32. others : further arguments, passed to f unchanged.

    Returns a `FigureView`: `view.matrix` is the array, of shape (elements of f(x), elements of x), and `view.figure` is
    the matplotlib Figure. In a notebook or a page, the numbers of a row or column (up to 14) are shown when the pointer
    rests on it. A nan or inf is crossed out and labelled. Raises TypeError if there is no gradient, ValueError for
    no rows or columns or for more than 2000, and ImportError if matplotlib is missing.

    >>> import minigrad as mg
    >>> print(jacobian(lambda x: {"square": x * x, "sum": mg.sum(x)}, np.array([1.0, 2.0])))
    Jacobian of f: 3 outputs by 2 inputs, 2 of 6 numbers are 0.
                    x[0]  x[1]
    f['square'][0]     2     0
    f['square'][1]     0     4
    f['sum']           1     1
    """
    if not callable(f):
        raise TypeError(f"jacobian takes a function and an array, as in viz.jacobian(f, x), got {f!r:.60}")
    x = x if isinstance(x, Tensor) else np.asarray(x)
    x = x.astype(np.float32) if x.dtype.kind in "iub" else x
    called = known_as(f)
    rows: list[str] = []
    blocks = []
    for name, derivative in leaves(jacobians.jacobian(f)(x, *others), called):
        whole = np.asarray(derivative.value if isinstance(derivative, Tensor) else derivative)
        names = labels_of(name, whole.shape[: whole.ndim - x.ndim])
        blocks.append(whole.reshape(len(names), x.size) + 0.0)  # adding 0.0 turns -0 into 0 in the cells
        rows += names
    columns = labels_of(next(iter(parameters_of(f)), "x"), x.shape)
    if not rows or not columns:
        raise ValueError(f"jacobian needs at least one element in x and in f(x), got {len(columns)} and {len(rows)}")
    if max(len(rows), len(columns)) > SIDE:
        raise ValueError(
            f"jacobian draws up to {SIDE} rows and columns, got {len(rows)} by {len(columns)}; "
            "take a part of x or of f(x)"
        )
    matrix = np.concatenate(blocks)
    written = max(matrix.shape) <= WRITTEN  # each number is in its cell, so a colour scale would repeat it
    width = min(10.0, (1.4 if written else 2.4) + 0.68 * len(columns))
    with canvas("jacobian", width, min(9.0, 1.4 + 0.5 * len(rows))) as figure:
        axes = figure.subplots()
        image = draw_heat_map(axes, matrix, rows, columns, extent_of(matrix))
        if not written:
            figure.colorbar(image, ax=axes, fraction=0.046, pad=0.02)
        for end in np.cumsum([len(block) for block in blocks[:-1]]):
            axes.axhline(end - 0.5, color=colour("rim"), lw=2.5)
    text = lambda most: table(matrix, rows, columns, most=most) + LARGE * (not written)
    readouts = readout(axes, {called: matrix}, rows, columns)
    return FigureView(figure, f"Jacobian of {called}", _counted(called, matrix), text, readouts, matrix=matrix)


def _counted(called: str, matrix: np.ndarray) -> str:
    m, n = matrix.shape
    zeros = int((matrix == 0).sum())
    counts = {"nan": int(np.isnan(matrix).sum()), "inf": int(np.isinf(matrix).sum())}
    bad = [f"{count} {'is' if count == 1 else 'are'} {word}" for word, count in counts.items() if count]
    words = ", ".join([f"{zeros} of {matrix.size} numbers {'is' if zeros == 1 else 'are'} 0", *bad])
    return f"Jacobian of {called}: {m} output{'s' * (m != 1)} by {n} input{'s' * (n != 1)}, {words}."
