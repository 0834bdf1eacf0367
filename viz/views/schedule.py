"""`viz.schedule`: when each layer runs, reruns and takes its backward step, and how long its result is kept."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.backward import Observe, Pass, Sends
from minigrad.core.support.error_words import plural
from minigrad.core.support.observers import observing
from minigrad.core.support.tensor_values import as_value
from minigrad.core.tensor import Tensor
from minigrad.ops import sum as reduce_sum
from minigrad.transforms.gradient import grad

from ..model.text_table import sampled_table
from ..render.matplotlib_figure import canvas, colour
from .backward import returned
from .figure_view import FigureView

FIRST, AGAIN, BACK = "runs", "runs again", "step back"
MOST = 100  #: maximum number of layers in one figure


class LayerEvent(NamedTuple):
    """The event in one row of the picture: "runs", "runs again" or "step back", and the layer's number, from 1."""

    what: str
    layer: int


class KeptResult(NamedTuple):
    """The result of a layer's run: the row of the run, and the row where the result is freed."""

    layer: int
    made: int
    gone: int


def schedule(
    build: Callable[[list[Callable[..., Any]]], Callable[..., Any]], layers: Sequence[Callable[..., Any]], x: Any
) -> FigureView:
    """Draw when each layer of a chain runs for a gradient, and how long its result is kept.

    Parameters
    ----------
    build : a function that takes a list of layers and returns the model, a function of `x`. The picture shows how the
        model groups the layers into recomputed pieces.
    layers : up to 100 functions that take a Tensor and return a Tensor with at least one axis.
    x : an array of floats with at least one axis, or a Tensor.

    Returns a `FigureView`. Layers are drawn from left to right, and time goes downwards. A dot is a run of a layer, a
    ring is a repeated run, and a triangle is the layer's step in the backward pass; a line lasts as long as the result
    of the run is in memory. `view.rows` has the event in each row, `view.kept` has the results and their rows, and
    `view.most` is the largest number of results in memory at once. The layers are observed as they run, so the picture
    shows the actual events, not a plan. (Python 3.10 frees the results of a piece only when the piece's pass is over.)
    Raises TypeError unless the layers are functions. Raises ValueError for no layers, more than 100, or a result
    without axes, and ImportError if matplotlib is missing.

    >>> import minigrad as mg
    >>> def run_all(layers):
    ...     def model(x):
    ...         for layer in layers:
    ...             x = layer(x)
    ...         return x
    ...     return model
    >>> view = schedule(lambda layers: mg.recompute_grad(run_all(layers)), [mg.sin, mg.tanh], np.ones(3))
    >>> [*map(tuple, view.rows)][:4]
    [('runs', 1), ('runs', 2), ('runs again', 1), ('runs again', 2)]
    """
    if not callable(build):
        raise TypeError(f"schedule takes a function that makes the model of the layers, got {build!r:.60}")
    layers = list(layers)
    for layer in layers:
        if not callable(layer):
            raise TypeError(f"schedule takes layers as a list of functions of a Tensor, got {layer!r:.60} in it")
    if not 1 <= len(layers) <= MOST:
        raise ValueError(f"schedule takes from 1 to {MOST} layers, got {len(layers)}")
    watch = _Watch()
    model = build([watch.layer(i, layer) for i, layer in enumerate(layers, start=1)])
    with observing(follow=watch.follow):
        grad(lambda x: reduce_sum(returned(model, model(x), "schedule")))(as_value(x) if isinstance(x, Tensor) else x)
    rows, kept = watch.rows, watch.kept()
    at_once = [sum(result.made <= row < result.gone for result in kept) for row in range(len(rows))]
    most = max(at_once)
    with canvas("schedule", 6.4, min(1.3 + 0.11 * len(rows), 7.0)) as figure:
        _draw(figure, len(layers), rows, kept)
    again = sum(row.what == AGAIN for row in rows)
    summary = f"{plural(len(layers), 'layer')}, {plural(again, 'run')} again; at most {plural(most, 'result')} at once."
    runs = lambda i: sum(row.layer == i and row.what != BACK for row in rows)
    spans = lambda i: ", ".join(f"{k.made} to {max(k.gone - 1, k.made)}" for k in kept if k.layer == i)
    line = lambda at: [str(at + 1), str(runs(at + 1)), spans(at + 1)]
    table = lambda limit: sampled_table(["layer", "runs", "kept in rows"], len(layers), line, limit)
    return FigureView(figure, "Schedule", summary, table, rows=rows, kept=kept, most=most)


class _Watch:
    """Records the runs of layers, their backward steps, and when results are freed, as row numbers of the picture."""

    def __init__(self) -> None:
        self.rows: list[LayerEvent] = []
        self._made: list[tuple[int, int]] = []
        self._gone: dict[int, int] = {}
        self._alive: list[Any] = []
        self._outputs: dict[int, int] = {}

    def layer(self, i: int, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return layer number `i` wrapped so that its runs, and the lifetimes of its results, are recorded."""

        def run(x: Any) -> Any:
            y = returned(function, function(x), "schedule")
            value = y.value
            if not isinstance(value, np.ndarray) or not value.ndim:
                raise ValueError(
                    f"schedule follows arrays, and layer {i} returned a single number; give it an x with axes"
                )
            ran = any(row == (FIRST, i) for row in self.rows)
            result = len(self._made)
            self._outputs[y.serial] = i
            self._made.append((i, len(self.rows)))
            self._alive.append(weakref.ref(value, lambda _: self._gone.setdefault(result, len(self.rows))))
            self.rows.append(LayerEvent(AGAIN if ran else FIRST, i))
            return y

        return run

    def follow(self, begun: Pass) -> Observe:
        """Record each step of the backward pass `begun` that belongs to a layer."""

        def observe(node: Tensor, g: Any, sends: Sends) -> None:
            if node.serial in self._outputs:
                self.rows.append(LayerEvent(BACK, self._outputs[node.serial]))

        return observe

    def kept(self) -> list[KeptResult]:
        """Return the result of each run, in the order of the runs."""
        return [KeptResult(i, made, self._gone.get(k, len(self.rows))) for k, (i, made) in enumerate(self._made)]


def _draw(figure: Any, count: int, rows: Sequence[LayerEvent], kept: Sequence[KeptResult]) -> None:
    axes = figure.subplots()
    bar: dict[str, Any] = {"color": colour("soft"), "lw": 3, "alpha": 0.45, "solid_capstyle": "butt"}
    for result in kept:
        axes.plot([result.layer] * 2, [result.made, max(result.gone - 0.5, result.made + 0.5)], **bar)
    marks: dict[str, dict[str, Any]] = {
        FIRST: {"marker": "o", "color": colour("grad")},
        AGAIN: {"marker": "o", "color": colour("now"), "mfc": colour("paper"), "mew": 1.6},
        BACK: {"marker": "<", "color": colour("grad")},
    }
    for what, style in marks.items():
        places = [(row.layer, at) for at, row in enumerate(rows) if row.what == what]
        axes.plot(*zip(*places), ls="", ms=5, label=what, **style) if places else None
    axes.plot([], [], label="its result is kept", **bar)
    axes.set_xlabel("layer")
    axes.set_ylabel("time, in rows")
    axes.set_xlim(0.4, count + 0.6)
    axes.set_ylim(len(rows), -1)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.yaxis.get_major_locator().set_params(integer=True)
    figure.legend(loc="outside upper center", ncols=4)
