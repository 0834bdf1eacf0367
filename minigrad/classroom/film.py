"""The film of a wrong answer: the pass of a student's own walk or rule, opened at its first wrong message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.tensor import Tensor
from ..runner.timeout import call
from ..tracing.nodes import WalkNode, behind, copied, nodes_of
from .own_engine import backward
from .walks import over_rows

if TYPE_CHECKING:
    from .exercises import Exercise
    from .verdict import Verdict

MOST = 30  #: maximum number of boxes in a film


def film_of(exercise: Exercise, answer: Any, verdict: Verdict) -> Any:
    """Return a view of a wrong answer's pass, or None if there is no pass to show or it takes too long to draw."""
    if verdict.status != "wrong" or not callable(answer):
        return None
    of_a_rule = _of_a_rule if any(g is not None for g in verdict.true) else None
    make = _of_a_walk if exercise.walks is not None and verdict.where else of_a_rule
    outcome = call(lambda: make(exercise, answer, verdict), 2 * exercise.seconds) if make else None
    return None if outcome is None or outcome.failure or outcome.late else outcome.value


def _of_a_walk(exercise: Exercise, answer: Any, verdict: Verdict) -> Any:
    from viz.views.wrong_messages import walk_film

    assert exercise.walks is not None and verdict.where is not None
    check, point = verdict.where
    made = exercise.walks.graph(*exercise.checks[check].points[point])
    if made is None:
        return None
    top = [*nodes_of(made, {}).values()][-1] if isinstance(made, Tensor) else copied(made, {})
    every = _named(top)
    if len(every) > MOST:
        return None
    return walk_film(top, over_rows(answer) if exercise.walks.rows else answer, backward)


def _of_a_rule(exercise: Exercise, answer: Any, verdict: Verdict) -> Any:
    import viz
    from viz.views.wrong_messages import WrongView, with_wrong

    names = exercise.arguments
    inputs: dict[str, Any] = {name: np.float32(x) for name, x in zip(names, verdict.tried)}
    upstream = [np.float32(x) for x in verdict.tried[len(inputs) :]]
    true = {name: np.float32(g) for name, g in zip(names, verdict.true) if g is not None}
    # The report of a nan would blame the line of the check.
    view = viz.backward(lambda **named: _weighted(answer(**named), *upstream), report=False, **inputs)
    marked = with_wrong(view, true)
    return marked if isinstance(marked, WrongView) and len(view.trace.nodes) <= MOST else None


def _weighted(result: Any, upstream: Any = None) -> Any:
    result = result[0] if isinstance(result, tuple) else result
    return result if upstream is None else result * upstream


def _named(top: WalkNode) -> list[WalkNode]:
    """Return the nodes behind the result `top`, oldest first; unnamed inputs are given the names x, or x1, x2, ..."""
    every = behind(top)
    inputs = [node for node in every if not node.parents]
    for n, node in enumerate(inputs if not any(node.name for node in inputs) else (), start=1):
        node.name = "x" if len(inputs) == 1 else f"x{n}"
    top.name = top.name or "y"
    return every
