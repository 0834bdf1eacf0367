"""Why no program can be made of a run: it changed something, or it does not give the same again."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..structure import flatten
from ..tensor import Tensor
from ..variable import Variable
from ..words import describe
from .pictures import PLAIN, random_state, token, within
from .recorded import Recorded
from .surroundings import Surroundings
from .symbol import Symbol
from .watching import Recording

OTHERWISE = (
    "it gave another result for the same arguments when it ran again, so it reads something else that changes: "
    "random numbers, the time, a counter, a file"
)


class First(NamedTuple):
    """A call of the function as it is: the arguments and results that are arrays, and what Variables held, by id."""

    leaves: list[Any]
    results: list[Any]
    variables: dict[int, Any]


class Around:
    """What there is outside of the function, before and after it runs."""

    def __init__(self, surroundings: Surroundings, leaves: Sequence[Any]) -> None:
        values = surroundings.values()
        self.key = surroundings.key()
        self.random = random_state(values)
        self.variables = [v.value for v in within([values, list(leaves)], Variable)]


def fault(
    kinds: list[str], recording: Recording, before: Around, after: Around, surroundings: Surroundings, changed: bool,
    result: Any,
) -> str:  # fmt: skip
    """Why no program can be made, or nothing."""
    if recording.reasons:
        return f"it {recording.reasons[0]}"
    if changed:
        return "it changes a list or dict among its arguments"
    if before.key != after.key:
        return f"it changes {surroundings.changed(before.key, after.key)}, which it captures"
    if before.random != after.random:
        return "it draws random numbers from a generator that it captures; give the generator as an argument"
    if list(map(id, before.variables)) != list(map(id, after.variables)):
        return "it assigns a Variable; return the new value and assign it outside"
    found = flatten(result)
    if len(found) != len(kinds):
        return "it does not always return as many things"
    for x, kind in zip(found, kinds):
        array = isinstance(x, (np.ndarray, np.generic, Symbol, Tensor)) and not isinstance(x, Variable)
        if array == (kind == "static"):
            return f"it returns now an array, now {describe(x)}"
        if kind == "static" and not isinstance(x, (*PLAIN, Variable, type)) and token(x) != id(x):
            return f"it returns {describe(x)}, an object that is new at each call"
    return ""


def repeats(program: Recorded, first: First) -> bool | None:
    """Whether the program gives what `f` gave; None where it takes another way, or that is not known."""
    if any(isinstance(t, Variable) and id(t) not in first.variables for t in program.outside):
        return None
    extra = [first.variables.get(id(t), t.value) for t in program.outside]
    leaves = [copy.deepcopy(x) if isinstance(x, np.random.Generator) else x for x in first.leaves]
    with np.errstate(all="ignore"):
        found = program.run(*leaves, *extra)
    if found is None:
        return None
    scale = max(map(_largest, [*first.leaves, *first.results]), default=0.0)  # zeros may be differences of such numbers
    pairs = zip(found[: program.count], first.results)
    return len(first.results) == program.count and all(agree(a, b, scale) for a, b in pairs)


def agree(a: Any, b: Any, scale: float = 0.0) -> bool:
    """Whether two results agree in half of their digits, which tells rounding from another result.

    scale : the largest number that they may be differences of.
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype or a.dtype.kind != "f":
        return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    step = float(np.finfo(a.dtype).eps)
    return np.array_equal(a, b) or np.allclose(a, b, 0, step**0.5 * _largest(b) + 1e3 * step * scale, equal_nan=True)


def _largest(x: Any) -> float:
    """The largest finite number in an array of floats."""
    x = np.asarray(x)
    return float(np.max(np.abs(x), initial=0, where=np.isfinite(x))) if x.dtype.kind == "f" else 0.0
