"""Rewrite all runs of a line that ran several times, for example in a loop: an edit of the line changes every run.

Every run computes the same function of its operands, so one proof covers all runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input, replay
from .guards import masked_at
from .patterns import Rewrite, number

#: The maximum number of rewrites of a single run to try for each line, if rewriting all its runs together fails.
ALONE = 2
#: The maximum number of nodes to compare in a rewritten expression.
MOST = 100


def families(candidates: Iterable[Rewrite]) -> Iterator[list[Rewrite]]:
    """Yield lists of rewrites to try: for each candidate, all runs of its line, and then only the candidate."""
    tried, alone = set[Any](), Counter[Any]()
    for rewrite in candidates:
        key = home_of(rewrite.at), rewrite.at.op, rewrite.template, rewrite.was, rewrite.kind
        if key[0] is None:
            yield [rewrite]
            continue
        if key not in tried:
            tried.add(key)
            runs = runs_of(rewrite)
            if len(runs) > 1:
                yield runs
        alone[key] += 1
        if alone[key] <= ALONE:
            yield [rewrite]


def home_of(node: Tensor) -> Any:
    """Return a key shared by all nodes that one instruction of the user's code created, or None if it is unknown."""
    code, at = getattr(node, "location", None) or (None, 0)
    return None if code is None else (id(code), at)  # the id is hashed, because hashing a code object is slow


def by_line(rewrites: Iterable[Rewrite]) -> list[tuple[Rewrite, int]]:
    """Group rewrites by line: return the first rewrite of each line, and the number of the line's rewrites."""
    lines: dict[Any, list[Rewrite]] = {}
    for rewrite in rewrites:
        home = home_of(rewrite.at)
        lines.setdefault((home, rewrite.template) if home else id(rewrite), []).append(rewrite)
    return [(runs[0], len(runs)) for runs in lines.values()]


def runs_of(rewrite: Rewrite) -> list[Rewrite]:
    """Return a rewrite of one run of a line as a list of the same rewrite for each run of the line, oldest first."""
    at, home = rewrite.at, home_of(rewrite.at)
    others = [n for n in graph_of(rewrite.y) if n.op is at.op and n is not at and home_of(n) == home]
    runs = [rewrite, *filter(None, (_moved(rewrite, node) for node in others))]
    return sorted(runs, key=lambda one: one.at.serial)


def _moved(rewrite: Rewrite, node: Tensor) -> Rewrite | None:
    """Return a rewrite transferred to another run's node, or None if that node computes a different function."""
    if rewrite.kind == "masked":
        home = home_of(rewrite.guard[0]) if isinstance(rewrite.guard[0], Tensor) else None
        alike = (one for one in masked_at(rewrite.y, node) if one.template == rewrite.template)
        return next((one for one in alike if home in (None, home_of(one.guard[0]))), None)
    pairs: dict[int, Any] = {}
    if not _paired(rewrite.at, node, {id(v) for v in rewrite.bound.values()} - {id(rewrite.at)}, pairs):
        return None
    if any(isinstance(v, Tensor) and id(v) not in pairs for v in rewrite.bound.values()):
        return None
    bound = {letter: pairs.get(id(v), v) for letter, v in rewrite.bound.items()}
    guard = tuple(pairs.get(id(v), v) if isinstance(v, Tensor) else v for v in rewrite.guard)
    return replace(rewrite, at=node, bound=bound, guard=guard, now={})


def _paired(a: Any, b: Any, letters: set[int], pairs: dict[int, Any]) -> bool:
    """Return whether the expressions `a` and `b` are the same function of a rewrite's letters.

    letters : the ids of the parts of `a` that are the values of the rewrite's letters.
    pairs : a dict to fill: id of a part of `a` -> the corresponding part of `b`.
    """
    if id(a) in pairs:
        return pairs[id(a)] is b or not isinstance(a, Tensor)
    letter, alike = id(a) in letters, _shape(a) == _shape(b)
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        pairs |= {id(a): b} if letter else {}
        return alike and not isinstance(a, Tensor) and not isinstance(b, Tensor) and (letter or _equal(a, b))
    pairs[id(a)] = b
    if letter or not alike:
        return alike
    if is_input(a) or is_input(b):
        return a is b or (number(a) is not None and number(a) == number(b))
    alike = a.op is b.op and len(a.args) == len(b.args) and len(pairs) < MOST and _equal(a.kwargs, b.kwargs)
    return alike and all(_paired(x, z, letters, pairs) for x, z in zip(a.args, b.args))


def _shape(v: Any) -> Any:
    return (v.shape, v.dtype) if isinstance(v, Tensor) and not isinstance(v.value, tuple) else np.shape(v)


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


def apply_all(runs: Sequence[Rewrite]) -> Tensor:
    """Replay the graph with several rewrites and return the result."""
    y = runs[0].y
    now = replay(y, instead={one.at.serial: one.compute for one in runs})
    for one in runs:
        one.now = now
    return now[y.serial]


def to_prove(runs: Sequence[Rewrite]) -> list[Rewrite]:
    """Return the runs to prove: the oldest run, and each run with a different constant for a letter.

    All other runs compute the same function as the oldest, so they need no proof.
    """
    first, *others = runs
    plain = lambda one: [v for v in one.bound.values() if not isinstance(v, (Tensor, dict))]
    masked = first.kind == "masked"  # masked elements are not compared, so a constant condition makes no difference
    return [first, *(o for o in others if not masked and not all(map(_equal, plain(first), plain(o))))]
