"""Measure how far the numbers of a pass move if one element of an input moves: an array has no single slope."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.tracing.overlay import Overlay, stored_value
from minigrad.tracing.replay import made_from, replay
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import BackwardTrace, Node
from minigrad.transforms.nesting import call_recorded

from ..model.findings import Moves
from .followed_page import MOST
from .replayed import CalledWith, same_ops

NOTHING = 1e-9  #: a move below this fraction of the largest move is attributed to rounding


def measured_moves(y: Tensor, call: CalledWith | None, trace: BackwardTrace, inputs: Sequence[Node]) -> Moves | None:
    """Run the ops behind `y` again in float64 with an input moved up and down; return None if this is not possible.

    call : the call that made `y`; with either moved input, the code must take the same branches as in that call.
    inputs : the nodes that may move. The first element of the first node with at most 64 elements is moved.

    >>> import minigrad as mg
    >>> x = mg.constant([3.0, 4.0])
    >>> y = mg.sum(x * x)
    >>> trace = mg.backward_trace(y)
    >>> moves = measured_moves(y, None, trace, trace.nodes[:1])
    >>> [round(x, 6) for x in moves.by[1].sample], round(moves.by[2], 6)
    ([6.0, 0.0], 6.0)
    """
    source = next((n for n in inputs if 0 < np.prod(n.shape) <= MOST), inputs[0])
    behind = {t.serial: t for t in made_from([y.read_value()])}
    moving = next(t for serial, t in behind.items() if trace.node_of.get(serial) == source.id)
    x = np.array(stored_value(moving), np.float64)
    step = 1e-4 * max(1.0, abs(float(x.flat[0])))
    sides = []
    for side in (step, -step):
        there = x.copy()
        there.flat[0] += side
        if call is not None and not _decides_alike(y, call, moving, there):
            return Moves(source.id, step, {})
        try:
            now = replay(y.read_value(), {moving.serial: there[()]}, number=np.float64, inside=True)
        except Exception:  # the user's function may raise anything when it is called again
            return None
        sides.append({trace.node_of[s]: np.asarray(t.value, np.float64) for s, t in now.items() if s in trace.node_of})
    with np.errstate(all="ignore"):
        by = {n: (up - sides[1][n]) / (2 * step) for n, up in sides[0].items()}
    finite = [np.abs(move[np.isfinite(move)]).max(initial=0.0) for move in by.values()]
    least = NOTHING * max(finite)
    return Moves(source.id, step, {n: number(np.where(np.abs(move) < least, 0.0, move)) for n, move in by.items()})


def _decides_alike(y: Tensor, call: CalledWith, moving: Tensor, there: np.ndarray) -> bool:
    """Return whether the function takes the same branches, i.e. runs the same ops, if `moving` has the value `there`.

    y : the recorded result. call : the call that made `y`.
    """
    other = Tensor(there.astype(moving.dtype)[()])
    try:
        with Overlay({moving.serial: other}), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            result = call_recorded(call.f, **call.inputs)
    except Exception:  # an error counts as a different branch
        return False
    return isinstance(result, Tensor) and same_ops(y.read_value(), result.read_value())
