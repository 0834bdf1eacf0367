"""`viz.steps`: the error of finite differences for steps of different sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.diagnostics import finite_differences
from minigrad.tracing.numbers import short
from minigrad.transforms.gradient import grad
from minigrad.transforms.lost import LostGradient

from ..model.text_table import sampled_table
from ..render.matplotlib_figure import canvas, line_colours
from .binding import float_dtype, known_as
from .figure_view import FigureView

#: A difference at a power of ten can be exact by luck, so the steps include half powers. The steps are parsed from
#: text, so they are the same on every computer.
STEPS = np.array([float(f"{digits}e-{n}") for n in range(17) for digits in ("1", "0.31622776601683794")][:-1])
WAYS = ("forward", "central")


def steps(
    f: Callable[[Any], Any], *, slope: float | None = None, dtypes: str | Sequence[Any] = ("float64", "float32"),
    size: tuple[float, float] = (7.2, 4.6), **inputs: float,
) -> FigureView:  # fmt: skip
    """Plot the error of finite differences of `f` against the step h, on logarithmic axes.

    Parameters
    ----------
    f : a function of one number, such as `mg.exp`, `math.exp` or your own.
    slope : the reference slope. The default is minigrad's gradient in float64 or, for a function such as `math.exp`
        that is not built from minigrad's ops, an extrapolated difference in float64, exact to about 11 digits.
    dtypes : one or more dtypes, to which x + h, f and the difference are rounded.
    size : size of the figure in inches.
    inputs : the one argument of f by name, as in x=1.0.

    Returns a `FigureView`, drawn in the user's style: `view.h` has the steps, `view.errors["float64", "central"]` has
    the absolute errors, and `view.figure` is the matplotlib Figure. The text has a row for each power of ten. Errors of
    exactly 0, which a logarithmic axis cannot show, are drawn as triangles at the bottom.
    Raises TypeError unless f is a function and there is one input, and ImportError if matplotlib is missing.

    >>> import math
    >>> view = steps(math.exp, x=1.0, slope=math.e)
    >>> print(view.summary)
    exp at x = 1: the slope is 2.718. Smallest error in float64: forward 6.6e-9 at h = 1e-8, ...
    """
    if not callable(f):
        raise TypeError(f"steps takes a function and a point, as in viz.steps(f, x=1.0), got {f!r:.60}")
    if len(inputs) != 1:
        got = ", ".join(f"{k}={v!r}" for k, v in inputs.items()) or "none"
        raise TypeError(f"steps takes one input by name, as in viz.steps(f, x=1.0), got {got:.80}")
    ((name, value),) = inputs.items()
    x = _number(name, value)
    kinds = [float_dtype(dtype, "steps", "dtypes") for dtype in ([dtypes] if isinstance(dtypes, str) else dtypes)]
    measured = finite_differences.slope(lambda t: _value(f, np.float64(x + t)), 1e-3 * max(1.0, abs(x)))
    true = _number("slope", slope) if slope is not None else _derived(f, x, float(measured.value))
    with np.errstate(all="ignore"):  # x may be too large for a smaller dtype
        errors = {
            (str(kind), way): np.array([abs(_difference(f, kind.type(x), kind.type(h), way) - true) for h in STEPS])
            for kind in kinds
            for way in WAYS
        }
    called = known_as(f)
    title = f"{called} at {name} = {x:g}"
    if not any(np.isfinite(error).any() for error in errors.values()):
        raise ValueError(f"steps needs a point where the function and its slope are finite numbers, got {name}={x:g}")
    with canvas("steps", *size) as figure:
        _draw(figure, errors, title)
    sides = _sides(f, x) if measured.kink else ""
    best = "; ".join(_best(errors, kind) for kind in kinds)
    summary = f"{title}: the slope is {short(true)}. Smallest error {best}.{sides}"
    return FigureView(figure, title, summary, lambda most: _table(errors, most), h=STEPS, errors=errors)


def _sides(f: Callable[[Any], Any], x: float) -> str:
    """Return a sentence about the slopes on both sides of x if they differ even very close to x, else ""."""
    h = 2.0**-26 * max(1.0, abs(x))  # about 1.5e-8; x + h is exact if x has few digits
    y = {t: float(_value(f, np.float64(x + t * h))) for t in (-1024, -1, 0, 1, 1024)}
    left, right = (y[0] - y[-1]) / h, (y[1] - y[0]) / h
    farther = abs(y[1024] - 2 * y[0] + y[-1024]) / (
        1024 * h
    )  # 1024 times the difference of the two slopes, if f is smooth near x
    room = 8 * np.finfo(float).eps * max(map(abs, y.values())) / h
    if not abs(right - left) > max(0.25 * farther, room):
        return ""
    return (
        f" Between x - h and x the slope is {short(left)}, between x and x + h it is {short(right)}, for "
        f"h = {short(h, 2)}: a kink or a sharp bend, where differences do not give the slope."
    )


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"steps takes {name} as a number, as in {name}=1.0, got {value!r:.60}") from None
    if not np.isfinite(number):
        raise ValueError(f"steps takes {name} as a finite number, got {number}")
    return number


def _value(f: Callable[[Any], Any], x: Any) -> Any:
    y = f(x)
    return y.value if isinstance(y, Tensor) else y


def _derived(f: Callable[[Any], Any], x: float, measured: float) -> float:
    """Return the gradient of f at `x`, or `measured` if f has none because it converts `x` to a plain number."""
    try:
        return float(grad(f)(np.float64(x)))
    except (TypeError, LostGradient):
        return measured


def _difference(f: Callable[[Any], Any], x: Any, h: Any, way: str) -> float:
    """Return the difference quotient of f at x, computed in the dtype of x, or nan if f cannot be evaluated.

    way : "forward" or "central".
    """
    kind = type(x)
    with np.errstate(all="ignore"):
        try:
            up, down = x + h, x if way == "forward" else x - h
            rise = kind(_value(f, up)) - kind(_value(f, down))
        except (ArithmeticError, ValueError):
            return np.nan
        return float(rise / (h if way == "forward" else h + h))


def _draw(figure: Any, errors: dict[tuple[str, str], np.ndarray], title: str) -> None:
    axes = figure.subplots()
    hues = dict(zip(dict.fromkeys(kind for kind, _ in errors), line_colours()))
    seen = np.concatenate([e[np.isfinite(e) & (e > 0)] for e in errors.values()])
    floor = float(seen.min()) / 10 if seen.size else 1e-17
    for (kind, way), error in errors.items():
        style = {"color": hues[kind], "marker": "o" if way == "forward" else "s", "ms": 4}
        drawn = np.where(error > 0, error, np.nan)
        axes.plot(STEPS, drawn, ls="-" if way == "forward" else "--", label=f"{way}, {kind}", **style)
        none = error == 0
        axes.plot(STEPS[none], np.full(none.sum(), floor), ls="", marker="v", color=hues[kind])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("step h")
    axes.set_ylabel("error of the difference")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=4)


def _best(errors: dict[tuple[str, str], np.ndarray], kind: Any) -> str:
    """Return the smallest error of each kind of difference as text, such as "forward 6.6e-9 at h = 1e-8".

    kind : the dtype.
    """
    words = []
    for way in WAYS:
        error = errors[str(kind), way]
        if np.isnan(error).all():
            words.append(f"{way} none")
            continue
        i = int(np.nanargmin(error))
        words.append(f"{way} {short(float(error[i]), 2)} at h = {short(float(STEPS[i]), 2)}")
    return f"in {kind}: {', '.join(words)}"


def _table(errors: dict[tuple[str, str], np.ndarray], most: int | None) -> str:
    """Return a table of the errors at each power of ten, with a column for each dtype and kind of difference."""
    row = lambda k: [f"1e{round(np.log10(STEPS[2 * k]))}", *(short(float(e[2 * k]), 2) for e in errors.values())]
    head = ["h", *(f"{kind} {way}" for kind, way in errors)]
    return sampled_table(head, len(STEPS[::2]), row, most)
