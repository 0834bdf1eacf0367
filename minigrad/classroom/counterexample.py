"""Find the simplest input at which an answer is wrong: a fixed grid of simple points, then hypothesis."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import numpy as np

from ..runner.budgets import work_limit
from .attempts import Attempt, attempt, in_float32, prepared
from .exercises import Check
from .inputs import numbers_only
from .mistakes import mistake

SEARCH = 0.3  # seconds of work for hypothesis
PATIENCE = 10.0  # seconds of work for all points of the grid together
MANY = 64  # numbers that are tried in one array


def first_failure(
    check: Check, answer: Any, seconds: float, search: bool = True, seed: int | None = None
) -> Attempt | None:
    """The simplest failing attempt, or None. The search ends at the first call that does not end in time.

    seed : of what is tried after the simple points; None for the same everywhere.
    """
    up = work_limit(PATIENCE)
    answer = prepared(check, answer)
    for inputs in check.points:
        tried = attempt(check, answer, inputs, seconds)
        if not tried.ok:
            return tried
        if up():
            return replace(tried, outcome=replace(tried.outcome, late=True), mistake=mistake.too_slow)
    if check.dtypes and numbers_only(check.vary) and check.branches == 1:
        return _by_arrays(check, answer, seconds, seed or 0)
    of_graph = check.what == "property" and check.order is not None  # the same at every input
    numbers = _drawn(check, seed) if seed is not None and numbers_only(check.vary) and not of_graph else []
    if numbers and all(attempt(check, answer, row, seconds).ok for row in numbers):
        return None  # and nothing to be made simpler by hypothesis
    return _by_hypothesis(check, answer, seconds, seed) if check.vary and search and not of_graph else None


def all_inputs(check: Check, seed: int) -> list[tuple[Any, ...]]:
    """The inputs at which a check by the graph is tried, unless it fails."""
    return [*check.points, *([_columns(check, seed)] if check.dtypes and numbers_only(check.vary) else [])]


def _drawn(check: Check, seed: int) -> list[tuple[float, ...]]:
    """The numbers that are tried after the points, by a seed, where all inputs are numbers."""
    columns = [domain.draw(np.random.default_rng([seed, i]), MANY).tolist() for i, domain in enumerate(check.vary)]
    return list(zip(*columns))


def _by_arrays(check: Check, answer: Any, seconds: float, seed: int) -> Attempt | None:
    """Try many numbers in one array; where that fails, the first of them that fails by itself."""
    columns = _columns(check, seed)
    together = attempt(check, answer, columns, seconds)
    if together.ok or together.outcome.late:
        return None if together.ok else together
    up = work_limit(SEARCH)
    for row in sorted(zip(*[column.tolist() for column in columns]), key=lambda row: sum(map(abs, row))):
        alone = attempt(check, answer, row, seconds)
        if not alone.ok:
            return alone
        if up():
            break
    return together


def _columns(check: Check, seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return tuple(in_float32(domain.draw(rng, MANY)) for domain in check.vary)


def _by_hypothesis(check: Check, answer: Any, seconds: float, seed: int | None) -> Attempt | None:
    try:
        from hypothesis import HealthCheck, Phase, Verbosity, given, settings
        from hypothesis import seed as seeded
        from hypothesis import strategies as st
    except ImportError as error:  # without the search, more wrong answers would pass
        raise ModuleNotFoundError(
            "the exercises are checked with hypothesis, which is missing from this Python; "
            'install it with: python -m pip install "minigrad-kit[lab]"'
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
        derandomize=seed is None,
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

    if seed is not None:
        explore = seeded(seed)(explore)
    with contextlib.suppress(Exception):  # it has found a failure, whatever it raises
        explore()
    return failed[-1] if failed else None


def _keep_hypothesis_quiet() -> None:
    """Keep hypothesis from making a folder beside the student's notebook."""
    import tempfile
    from pathlib import Path

    from hypothesis import configuration

    configuration.set_hypothesis_home_dir(Path(tempfile.gettempdir(), "minigrad-hypothesis"))
