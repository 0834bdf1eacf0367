"""Find the simplest input at which an answer is wrong: a fixed grid of simple points, then hypothesis."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .compare import agree, finite, plain, wrong_kind
from .exercises import Check
from .guard import Outcome, call, work_limit
from .mistakes import Mistake, mistake

SEARCH = 1.0  # seconds of work for hypothesis
PATIENCE = 5.0  # seconds of work for all points of the grid together
EVIDENCE = 14  # points that a named mistake has to explain


@dataclass
class Attempt:
    """One call of the student's function, and what is wrong with its result; `ok` if nothing is."""

    inputs: tuple[Any, ...]
    outcome: Outcome
    got: Any = None
    want: Any = None
    words: str = ""
    numbers: bool = False  # got and want can stand side by side

    @property
    def ok(self) -> bool:
        return not (self.outcome.late or self.outcome.failure or self.words or self.numbers)


def attempt(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float) -> Attempt:
    """Try the answer at `inputs`."""
    if check.vary:
        inputs = tuple(_single(x) for x in inputs)
    given = copy.deepcopy(inputs)
    outcome = call(lambda: check.run(answer, *given), seconds)
    tried = Attempt(inputs, outcome)
    if outcome.late or outcome.failure:
        return tried
    tried.got = plain(outcome.value)
    if check.what == "property":
        tried.words = "" if tried.got is True else str(tried.got)
        return tried
    with np.errstate(all="ignore"):
        tried.want = check.true(*inputs)
    kind = wrong_kind(tried.got, tried.want, f"Your {check.what}")
    if kind:
        tried.words = kind
    elif repr(given) != repr(inputs):
        tried.words = "Your function changes its input. Make a copy, or compute a new array instead."
    else:
        tried.numbers = not agree(tried.got, tried.want, check.rtol, check.atol)
    return tried


def first_failure(check: Check, answer: Any, seconds: float) -> Attempt | None:
    """The simplest failing attempt, or None. The search ends at the first call that does not end in time."""
    up = work_limit(PATIENCE)
    for inputs in check.points:
        tried = attempt(check, answer, inputs, seconds)
        if not tried.ok:
            return tried
        if up():
            return None
    return _by_hypothesis(check, answer, seconds) if check.vary else None


def _by_hypothesis(check: Check, answer: Any, seconds: float) -> Attempt | None:
    try:
        from hypothesis import HealthCheck, Phase, Verbosity, given, settings
        from hypothesis import strategies as st
    except ImportError as error:  # without the search, more wrong answers would pass
        raise ModuleNotFoundError(
            "the exercises are checked with hypothesis, which is missing from this Python; "
            "install it with: python -m pip install hypothesis"
        ) from error
    _keep_hypothesis_quiet()
    known: dict[str, Attempt] = {}
    failed: list[Attempt] = []
    up = work_limit(SEARCH)
    late = False

    @settings(
        max_examples=60,
        database=None,
        deadline=None,
        derandomize=True,
        verbosity=Verbosity.quiet,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(st.tuples(*[domain.strategy() for domain in check.vary]))
    def explore(inputs: tuple[Any, ...]) -> None:
        nonlocal late
        key = repr(inputs)
        if key not in known:
            if late or up():
                return
            known[key] = attempt(check, answer, inputs, seconds)
            late = known[key].outcome.late
        if not known[key].ok:
            failed.append(known[key])
            raise AssertionError

    with contextlib.suppress(Exception):  # it has found a failure, whatever it raises
        explore()
    return failed[-1] if failed else None


def _keep_hypothesis_quiet() -> None:
    """Keep hypothesis from making a folder beside the student's notebook."""
    import tempfile
    from pathlib import Path

    from hypothesis import configuration

    configuration.set_hypothesis_home_dir(Path(tempfile.gettempdir(), "minigrad-hypothesis"))


def recognise(check: Check, answer: Any, failed: Attempt, seconds: float) -> Mistake | None:
    """The named mistake that explains every one of several attempts."""
    if not failed.numbers:
        return None
    seen = [failed]
    up = work_limit(SEARCH)
    for inputs in check.points[:EVIDENCE]:
        tried = attempt(check, answer, inputs, seconds)
        if tried.outcome.late or up():
            break
        if tried.ok or tried.numbers:
            seen.append(tried)
    for named, predicted in check.looks_like:
        if all(_predicts(predicted, check, tried) for tried in seen):
            return named
    return mistake.not_finite if finite(failed.want) and not finite(failed.got) else None


def _predicts(predicted: Callable[..., Any], check: Check, tried: Attempt) -> bool:
    try:
        with np.errstate(all="ignore"):
            return agree(tried.got, plain(predicted(*tried.inputs)), check.rtol, check.atol)
    except Exception:
        return False


def _single(x: Any) -> Any:
    """A float rounded to float32, so that the truth is computed at the number that the student's function gets."""
    return float(np.float32(x)) if isinstance(x, float) else x
