"""Pictures of a learner's own engine: the graph of its objects, and the backward pass that it reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any

from minigrad.core.support.error_words import name_of, visible
from minigrad.core.tensor import Tensor

from ..model.findings import Findings
from ..model.learner_findings import LearnerFindings, learner_table, learner_timeline
from ..model.learner_trace import LearnerTrace, is_node
from ..model.micrograd import backward_of, is_value, names_of, nodes_behind
from ..model.timeline import box_table, growth
from ..render.lane import Lane
from .view import View, picture


def is_learners(y: Any) -> bool:
    """Return whether `y` is an object of a learner's own engine, or a micrograd `Value`."""
    return not isinstance(y, Tensor) and (is_node(y) or is_value(y))


class ForwardView(View):
    """A forward pass, which grows box by box; the text has a row for each value, with the op that computed the value.

    >>> import minigrad as mg
    >>> import viz
    >>> x = mg.constant(3.0)
    >>> type(viz.forward(x * x)).__name__
    'ForwardView'
    """

    unit = "box"
    #: a function that returns the picture of the backward pass, for the switch; None, or it returns None, without one
    backwards: Callable[[], View | None] | None = None
    _shared = View._shared | {"backwards"}

    def data(self, drag: bool = True) -> tuple[dict[str, Any], int]:
        other = None if self.asks or self.backwards is None else self.backwards()
        if other is None:
            return super().data(drag)
        lane = self._lanes[0]
        grown = [
            i for i, moment in enumerate(growth(other._lanes[0].findings)) if not other.trace.nodes[moment.node].ghost
        ]
        return {**other.data(drag)[0], "title": self.title}, grown[self._at(lane)]

    def fold(self, name: str) -> View:
        return self._like(super().fold(name), lambda other: other.fold(name))

    def unfold(self, name: str | None = None) -> View:
        return self._like(super().unfold(name), lambda other: other.unfold(name))

    def _like(self, view: View, change: Callable[[View], View]) -> View:
        """Return `view` after making sure that `change` also applies to its picture of the backward pass.

        view : this view after the change. change : a function that makes the same change in a given view.
        """
        backwards = self.backwards
        if isinstance(view, ForwardView) and backwards is not None:
            view.backwards = cache(lambda: (other := backwards()) and change(other))
        return view

    def _table(self, lane: Lane, max_lines: int | None) -> str:
        return box_table(lane.findings, max_lines)

    @cached_property
    def _summary(self) -> str:
        return f"{self.title}: {len(self.trace.nodes)} nodes and {len(self.trace.edges)} edges."


class LearnerView(View):
    """A backward pass as a learner's engine reports it; its text lists the sentences that the slider shows.

    >>> import viz
    >>> class Number:
    ...     def __init__(self, value, op="", parents=(), slopes=()):
    ...         self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
    >>> def backward(y, tell):
    ...     tell(y, 0, 3.0, 3.0)
    ...     tell(y, 1, 3.0, 3.0)
    >>> x = Number(3.0)
    >>> type(viz.backward(Number(9.0, "multiply", (x, x), (3.0, 3.0)), by=backward)).__name__
    'LearnerView'
    """

    last_word = True

    def _point(self) -> str:
        """Return "" as the headline, because the note below the picture says whether the pass can be right."""
        return ""

    def _table(self, lane: Lane, max_lines: int | None) -> str:
        return learner_table(lane.moments, max_lines)

    def _opening(self) -> int:
        """Return the first moment unless a step was chosen, so that readers can follow the messages one by one."""
        return 0 if self._step is None else super()._opening()


def learner_view(
    y: Any,
    by: Callable[..., Any] | None,
    namespace: Mapping[str, Any],
    flow: str = "auto",
    fold: str = "auto",
    forward: bool = False,
) -> View:
    """Draw the graph behind an object of a learner's engine or, with `by`, the pass that `by(y, tell)` reports.

    `viz.backward` describes the protocol. An object without parents, op or name is a constant. The picture shows the
    reported messages; no gradients are computed. forward : whether to draw only the forward graph, even for micrograd's
    `Value`.

    >>> class Number:
    ...     def __init__(self, value, op="", parents=(), slopes=()):
    ...         self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
    >>> def backward(y, tell):
    ...     tell(y, 0, 3.0, 3.0)
    ...     tell(y, 1, 3.0, 3.0)  # forgot to add
    >>> x = Number(3.0)
    >>> y = Number(9.0, "multiply", (x, x), (3.0, 3.0))
    >>> learner_view(y, backward, {"x": x, "y": y}).note
    '2 messages were recorded. This cannot be right: 3, 3 arrived at x, together 6. But x holds 3.'
    """
    if is_value(y):
        if by is not None:
            raise TypeError(f"by= is not for a {type(y).__name__} with _backward: its own pass is drawn without by=")
        nodes = nodes_behind(y)
        by = None if forward else backward_of(nodes)
        y, namespace = nodes[-1], names_of(nodes, namespace)
    if not is_node(y):
        raise TypeError(
            f"by= goes with an object that has value and parents, got {y!r:.60} of type {type(y).__name__}; for a "
            "Tensor, viz.backward(y) without by= draws the engine's own pass"
        )
    engine = LearnerTrace(y, namespace)
    if by is None:
        return picture(Findings(engine.trace), flow, fold, growth, ForwardView, "Forward pass")
    engine.listen(by)
    findings = LearnerFindings(engine, visible(name_of(by)))
    view = picture(findings, flow, fold, learner_timeline, LearnerView)
    view.note = findings.verdict()
    return view
