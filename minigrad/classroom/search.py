"""Find the simplest input at which an answer is wrong: a fixed grid of simple points, then hypothesis."""

from __future__ import annotations

import contextlib
import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.tensor import constant
from ..core.variable import Variable
from .compare import agree, largest, plain, wrong_kind
from .exercises import Check
from .guard import Outcome, call, work_limit
from .inputs import Floats, InVariable, unwrapped
from .mistakes import Mistake, mistake
from .replayed import Misused, Replayed

SEARCH = 0.3  # seconds of work for hypothesis
PATIENCE = 10.0  # seconds of work for all points of the grid together
MANY = 64  # numbers that are tried in one array


@dataclass
class Attempt:
    """One call of the student's function, and what is wrong with its result; `ok` if nothing is.

    dtype : of the inputs, where several are tried. mistake : the one that the result itself shows.
    """

    inputs: tuple[Any, ...]
    outcome: Outcome
    got: Any = None
    want: Any = None
    words: str = ""
    numbers: bool = False  # got and want can stand side by side
    dtype: str = ""
    mistake: Mistake | None = None

    @property
    def ok(self) -> bool:
        return not (self.outcome.late or self.outcome.failure or self.words or self.numbers or self.mistake)


def prepared(check: Check, answer: Any) -> Any:
    """What a check runs: the answer itself, or for a derivative the answer replayed from its graph."""
    return answer if check.order is None or isinstance(answer, Replayed) else Replayed(answer, check.order)


def attempt(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float) -> Attempt:
    """Try the answer at `inputs`: in each dtype of the check, up to the first that fails."""
    if check.vary:
        inputs = tuple(_single(x) for x in inputs)
    answer = prepared(check, answer)
    for dtype in check.dtypes or ("",):
        tried = _attempt(check, answer, inputs, seconds, dtype)
        if not tried.ok:
            break
    return tried


def _attempt(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float, dtype: str) -> Attempt:
    typed = tuple(_typed(x, dtype) for x in inputs)
    given = copy.deepcopy(tuple(map(unwrapped, typed)))
    kept = copy.deepcopy(given)
    held = _held(check, given)
    failures: list[BaseException] = []
    outcome = call(lambda: _noted(failures, check, answer, held), seconds)
    tried = Attempt(inputs, outcome, dtype=dtype)
    if outcome.late or outcome.failure:
        tried.mistake = _of_failure(outcome, failures)
        return tried
    if check.what == "property":
        tried.got = outcome.value
        if isinstance(outcome.value, Mistake):
            tried.mistake = outcome.value
        else:
            tried.words = "" if outcome.value is True or outcome.value is np.True_ else str(outcome.value)
        return tried
    tried.got = plain(outcome.value)
    with np.errstate(all="ignore"):
        tried.want = check.true(*map(unwrapped, inputs))
    kind = wrong_kind(tried.got, tried.want, f"Your {check.what}")
    if kind:
        tried.words = kind
    elif dtype == "float64" and str(getattr(tried.got, "dtype", dtype)) in ("float16", "float32"):
        tried.words = f"Your {check.what} is of dtype {tried.got.dtype}, which has fewer digits than the input."
    elif repr(given) != repr(kept):
        tried.words = "Your function changes its input. Make a copy, or compute a new array instead."
    else:
        tried.numbers = not agree(tried.got, tried.want, *allowed(check, tried), dtype or None)
    if isinstance(answer, Replayed):
        tried = _recorded_here(check, answer, tried, held, seconds)
    return tried


def _recorded_here(check: Check, answer: Replayed, tried: Attempt, held: Any, seconds: float) -> Attempt:
    """The attempt with the graph that the function has at these very inputs, where it is another one."""
    tensors = [x if isinstance(x, Variable) else constant(x) for x in held[: _arity(check)]]
    if tried.numbers and not call(lambda: answer.record(tensors), seconds).failure:
        again = call(lambda: check.run(answer, *held), seconds)
        if not (again.late or again.failure):
            tried = replace(tried, got=plain(again.value), outcome=again)
            tried.numbers = not agree(tried.got, tried.want, *allowed(check, tried), tried.dtype or None)
    if not tried.numbers and not tried.words:
        tried.mistake = answer.changes(held[: _arity(check)])
    return tried


def _arity(check: Check) -> int:
    return len(check.names) - ("upstream" in check.names[-1:])


def allowed(check: Check, tried: Attempt) -> tuple[float, float]:
    """How far a result may be from the truth, in relation and absolutely."""
    if not tried.dtype:
        return check.rtol, check.atol * max(check.usual(), 1e-3) if check.vary else check.atol
    info = np.finfo(tried.dtype)
    upstream = largest(tried.inputs[-1]) if "upstream" in check.names[-1:] else 1.0
    rounding = check.units * float(info.eps)
    return rounding + check.rtol, rounding * 0.1 * check.usual() * upstream + check.atol + float(info.tiny)


def first_failure(check: Check, answer: Any, seconds: float, search: bool = True) -> Attempt | None:
    """The simplest failing attempt, or None. The search ends at the first call that does not end in time."""
    up = work_limit(PATIENCE)
    answer = prepared(check, answer)
    for inputs in check.points:
        tried = attempt(check, answer, inputs, seconds)
        if not tried.ok:
            return tried
        if up():
            return replace(tried, outcome=replace(tried.outcome, late=True), mistake=mistake.too_slow)
    if check.dtypes and check.vary and all(isinstance(domain, Floats) for domain in check.vary):
        return _by_arrays(check, answer, seconds)
    of_graph = check.what == "property" and check.order is not None  # the same at every input
    return _by_hypothesis(check, answer, seconds) if check.vary and search and not of_graph else None


def _by_arrays(check: Check, answer: Any, seconds: float) -> Attempt | None:
    """Try many numbers in one array; where that fails, the first of them that fails by itself."""
    rng = np.random.default_rng(0)
    columns = tuple(_single(domain.draw(rng, MANY)) for domain in check.vary)
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


def _of_failure(outcome: Outcome, failures: list[BaseException]) -> Mistake | None:
    """The named mistake that an exception shows."""
    if outcome.late:
        return mistake.too_slow
    error = failures[0] if failures else None
    words = str(error)
    if isinstance(error, Misused):
        return error.mistake
    if isinstance(error, RecursionError):
        return mistake.too_deep
    if isinstance(error, ValueError) and "truth value of an array" in words:
        return mistake.python_if
    if isinstance(error, ValueError) and "has shape ()" in words and "one slope for each element" in words:
        return mistake.summed
    return None


def _noted(failures: list[BaseException], check: Check, answer: Any, given: tuple[Any, ...]) -> Any:
    try:
        return check.run(answer, *given)
    except Exception as error:
        failures.append(error)
        raise


def _held(check: Check, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs, in Variables where a check says so."""
    domains = (*check.vary, *[None] * len(given))
    return tuple(Variable(x, name=d.name) if isinstance(d, InVariable) else x for x, d in zip(given, domains))


def _typed(x: Any, dtype: str) -> Any:
    if not dtype:
        return x
    if isinstance(x, float):
        return np.dtype(dtype).type(x)
    return x.astype(dtype) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


def _single(x: Any) -> Any:
    """Floats rounded to float32, so that the truth is computed at the numbers that the student's function gets."""
    if isinstance(x, float):
        return float(np.float32(x))
    single = isinstance(x, np.ndarray) and x.dtype == np.float64
    return x.astype(np.float32).astype(np.float64) if single else x
