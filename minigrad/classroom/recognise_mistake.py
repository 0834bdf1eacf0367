"""Recognise the named mistake that explains a failure: it must give the student's numbers at every point tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..runner.budgets import work_limit
from .attempts import Attempt, allowed, attempt
from .compare import agree, finite, plain
from .counterexample import SEARCH
from .exercises import Check
from .inputs import unwrapped
from .mistakes import Mistake, mistake

EVIDENCE = 14  # the number of points that a named mistake must explain
NEAR = 1e-4  # how far, in relation, from the answer of a mistake


def recognise(check: Check, answer: Any, failed: Attempt, seconds: float) -> Mistake | None:
    """The named mistake that explains the failure that is shown, and every one of several attempts."""
    if (
        failed.mistake is not None
        or failed.outcome.late
        or failed.outcome.failure
        or check.what in ("property", "graph")
    ):
        return failed.mistake
    if check.what == "answer" and _differs_again(check, answer, failed, seconds):
        return mistake.kept
    if failed.slow:
        return None
    seen = [failed]
    up = work_limit(SEARCH)
    for inputs in check.points[:EVIDENCE]:
        tried = attempt(replace(check, dtypes=(failed.dtype,) if failed.dtype else ()), answer, inputs, seconds)
        if tried.outcome.late or up():
            failed.slow = tried.outcome.late
            break
        if tried.outcome.failure or tried.mistake:
            return _not_finite(failed)
        seen.append(tried)
    for named, predicted in check.looks_like:
        if all(_predicts(predicted, check, tried, tried is failed) for tried in seen):
            return named
    return (_shifted(seen) or _transposed(seen) or _not_finite(failed)) if failed.numbers else None


def _differs_again(check: Check, answer: Any, failed: Attempt, seconds: float) -> bool:
    """Whether one more call with the same inputs gives another result; an object without a repr of its own is none."""
    first = repr(failed.got)  # before the call, which may add to it
    again = attempt(check, answer, failed.inputs, seconds)
    failed.slow = again.outcome.late
    return not (again.outcome.late or again.outcome.failure or " at 0x" in first) and repr(again.got) != first


def _predicts(predicted: Callable[..., Any], check: Check, tried: Attempt, exactly: bool) -> bool:
    """Whether a mistake gives the numbers that the student got. exactly : a small number is no 0."""
    try:
        with np.errstate(all="ignore"):
            expected = plain(predicted(*map(unwrapped, tried.inputs)))
            rtol, atol = allowed(check, tried)
            if exactly and agree(expected, plain(tried.want), max(rtol, NEAR), atol):
                return False  # the mistake makes no difference here
            return agree(tried.got, expected, max(rtol, NEAR), 0.0 if exactly else atol, tried.dtype or None)
    except Exception:
        return False


def _shifted(seen: list[Attempt]) -> Mistake | None:
    """The mistake of a small number that is added, at every point the same."""
    if not all(t.ok or t.numbers for t in seen) or any(isinstance(t.want, (tuple, list, str, dict)) for t in seen):
        return None
    if any(t.want is None for t in seen):
        return None
    flat = lambda values: np.concatenate([np.ravel(np.asarray(v, float)) for v in values])
    got, want = flat(t.got for t in seen), flat(t.want for t in seen)
    if got.shape != want.shape or not np.isfinite(got - want).all() or not 0 < abs(off := got[0] - want[0]) < 1e-2:
        return None
    clear = 4 * np.finfo(seen[0].dtype or float).eps * abs(want) < 0.1 * abs(off)  # where rounding is small enough
    return mistake.shifted if clear.sum() > 2 and bool(np.all(abs(got - want - off)[clear] <= 0.2 * abs(off))) else None


def _transposed(seen: list[Attempt]) -> Mistake | None:
    tables = [t for t in seen if _is_table(t.want)]
    same = tables and all(_is_table(t.got) and agree(np.transpose(t.got), t.want) for t in tables)
    return mistake.transposed if same and all(t.ok or _is_table(t.want) for t in seen) else None


def _is_table(x: Any) -> bool:
    try:
        return np.ndim(x) == 2
    except ValueError:  # lists of different lengths
        return False


def _not_finite(failed: Attempt) -> Mistake | None:
    return mistake.not_finite if finite(failed.want) and not finite(failed.got) else None
