"""Recording a call of a function, and the reasons why no program can be made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..call import as_leaf
from ..dispatch import next_failure
from ..ops.elementwise import identity
from ..structure import flatten, rebuild
from ..tensor import Tensor, next_birth
from ..transforms import differentiating
from ..variable import READ, Variable
from .connected import differentiable, pull_once
from .drawing import Draws
from .keeping import kept_outside
from .passed import made_from
from .pictures import nesting
from .reasons import OTHERWISE, Around, fault, repeats
from .recorded import Recorded
from .symbol import Symbol, Unknowable
from .watching import Recording, Unrecordable

Made = tuple[Recorded | None, Any, str]


def make(entry: Any, args: Any, kwargs: Any, leaves: Sequence[Any]) -> Made:
    """Run the function on stand-ins for its arguments: a program; or none, the result of this run, and the reason."""
    f, surroundings = entry.owner.f, entry.owner.surroundings
    recording, since = Recording("node" in entry.kinds), next_birth()
    generators = [x for x in leaves if isinstance(x, np.random.Generator)]
    states = [g.bit_generator.state for g in generators]
    before = Around(surroundings, leaves)
    ups: list[Tensor] = []
    backs: list[Any] = []
    outside: list[Tensor] = []
    try:
        with differentiating(), recording.running():
            stand_ins = [_stand_in(recording, x) for x in leaves]
            lines = [x.line if isinstance(x, Draws) else recording.lowering.give(x) for x in stand_ins]
            again, options = _replaced((args, kwargs), iter(stand_ins))
            asked = nesting((again, options))
            failed = next_failure()
            result = f(*again, **options)
            failed = next_failure() - failed - 1 - recording.forgiven
            changed = asked != nesting((again, options))
            outside = _outside(recording, result, since)
            if "node" in entry.kinds:
                ups, backs = _backward(recording, result, stand_ins, outside)
                outside = _outside(recording, [result, *(b for b in backs if b is not None)], since)
    except Exception as error:  # it may be the recording that the function cannot stand: then it runs without
        _restore(generators, states)
        raised = f"while it was recorded it raised {type(error).__name__}: {error}"
        return None, f(*args, **kwargs), str(error) if isinstance(error, (Unrecordable, Unknowable)) else raised
    if failed:
        recording.reasons.insert(0, "catches the error of an op, which other numbers may not raise")
    reason = fault(entry.kinds, recording, before, Around(surroundings, leaves), surroundings, changed, result)
    if not reason:
        try:
            program = Recorded(recording, lines, result, outside, ups, backs)
        except (TypeError, ValueError) as error:
            reason = f"it cannot be written as NumPy: {error}"
    if not reason and recording.lost:
        reason = "an op takes the numbers out of a Tensor and computes with them apart from the graph"
    same = None if reason or entry.first is None else repeats(program, entry.first)
    if same is False:
        _restore(generators, states)
        return None, f(*args, **kwargs), OTHERWISE
    if not reason:
        recording.guards.clear()
        reason = kept_outside(recording, [result, stand_ins, ups, backs])
    if reason:
        return None, _as_recorded(entry.kinds, result), reason
    _restore(generators, states)
    program.sure = same is True
    program.finish_recording()
    return program, None, ""


# Stand-ins for the arguments.


def _stand_in(recording: Recording, x: Any) -> Any:
    """What is recorded in the place of an argument. A Variable stays itself: reading it is recorded."""
    if isinstance(x, Variable):
        return x
    if isinstance(x, np.random.Generator):
        line = recording.lowering.program.given(x)
        return Draws(x, recording.lowering.program, line)
    value = np.array(plain(x))[()]  # memory of its own, by which it is known again
    if not isinstance(x, Tensor):
        return recording.watch(as_leaf(value), plain=True)
    node = identity(x)
    Tensor.__dict__["value"].__set__(node, value)
    return node


def _replaced(x: Any, stand_ins: Iterator[Any]) -> Any:
    """The arguments, with stand-ins in the place of what may change, in the order of `picture`."""
    if isinstance(x, (list, tuple)):
        parts = [_replaced(item, stand_ins) for item in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {key: _replaced(x[key], stand_ins) for key in x}
    return next(stand_ins) if is_input(x) or isinstance(x, np.random.Generator) else x


def plain(x: Any) -> Any:
    """The value of a Tensor; everything else as it is."""
    return x.value if isinstance(x, Tensor) else np.asarray(x) if isinstance(x, np.memmap) else x


def is_input(x: Any) -> bool:
    """Whether an argument may hold other numbers from call to call; masked arrays and matrices are objects."""
    array = isinstance(x, (Tensor, np.generic, np.memmap)) or type(x) is np.ndarray
    return array and x.dtype.kind in "fiub"


def _outside(recording: Recording, result: Any, since: int) -> list[Tensor]:
    """The Variables that were read, and the Tensors made before the call that are not its arguments."""
    known = recording.lowering.known
    targets = [x for x in (*flatten(result), *(t for t, _ in recording.guards)) if isinstance(x, Tensor)]
    behind = made_from(targets, stop=lambda t: t.birth in known or (t.birth < since and t.op is not READ))
    return [t for t in behind if t.birth not in known and t.birth < since and t.op is not READ]


def _backward(recording: Recording, result: Any, stand_ins: list[Any], outside: list[Tensor]) -> Any:
    """Upstream gradients for the connected outputs, and the gradients of the inputs they give."""
    outputs = [y for y in flatten(result) if isinstance(y, Tensor) and y.op is not None and y.dtype.kind == "f"]
    ups = [recording.watch(as_leaf(np.ones(y.shape, y.dtype)[()])) for y in outputs]
    leaves = [x for x in stand_ins if not isinstance(x, Draws) and isinstance(x, Tensor)]
    sources = [x.read_value() for x in (*_connected(leaves), *differentiable(outside))]
    return ups, pull_once(outputs, ups, sources)


def _connected(leaves: list[Any]) -> list[Tensor]:
    """The stand-ins for Tensors, which are connected, without those for plain arrays."""
    return [x for x in differentiable(leaves) if isinstance(x, Variable) or x.op is not None]


def _as_recorded(kinds: list[str], result: Any) -> Any:
    """The result of a run that was recorded, in the kinds of the first."""
    found = flatten(result)
    kinds = kinds if len(kinds) == len(found) else ["node"] * len(found)
    plain = [x.line.value if isinstance(x, Symbol) else x for x in found]
    done = [
        x
        if not isinstance(x, Tensor) or kind == "node"
        else as_leaf(x.value)
        if kind == "tensor"
        else np.array(x.value)[()]
        for x, kind in zip(plain, kinds)
    ]
    return rebuild(result, done)


def _restore(generators: list[Any], states: list[Any]) -> None:
    for g, state in zip(generators, states):
        g.bit_generator.state = state
