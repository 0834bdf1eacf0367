"""Try an answer at one input, or search many inputs for the simplest one at which it is wrong.

An attempt has the result, the expected result, and the difference in words. The search tries a fixed grid of simple
points, then random numbers in one array, or inputs from hypothesis.
"""

from __future__ import annotations

import contextlib
import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.tensor import Tensor, constant
from ..core.variable import Variable
from ..runner.budgets import work_limit
from ..runner.timeout import Outcome, call
from .allowance import is_right, tolerances
from .answer_graph import Misused, Replayed
from .compared_values import agree, in_form, plain, same, unwrapped, wrong_kind
from .exercises import Check
from .graph_rows import Difference, Rows, difference
from .inputs import InVariable, numbers_only
from .mistakes import Mistake, mistake

SEARCH = 0.3  # seconds of computation allowed for hypothesis
PATIENCE = 10.0  # seconds of computation allowed for all points of the grid together
MANY = 64  # how many numbers are tried in one array
LARGE = 2.0**23  # factor by which upstream gradients are scaled in a second try; a power of two changes no digits


@dataclass
class Attempt:
    """One call to the student's function, and the fault in its result, if any; `ok` is false if there is a fault.

    dtype : dtype of the inputs, if several are tried.
    mistake : the mistake that the result shows.
    different : the first difference from the true graph.
    slow : whether a later call did not end in time.
    """

    inputs: tuple[Any, ...]
    outcome: Outcome
    got: Any = None
    want: Any = None
    words: str = ""
    numbers: bool = False  # whether got and want differ and can be shown side by side
    dtype: str = ""
    mistake: Mistake | None = None
    different: Difference | None = None
    slow: bool = False

    @property
    def ok(self) -> bool:
        return not (self.outcome.late or self.outcome.failure or self.words or self.numbers or self.mistake)


def prepared(check: Check, answer: Any) -> Any:
    """Return the function that a check runs: the answer or, for a derivative, the answer replayed from its graph."""
    if check.order is None or isinstance(answer, Replayed):
        return answer
    replayed = Replayed(answer, check.order)
    replayed.follow([check])
    return replayed


def attempt(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float) -> Attempt:
    """Try the answer at `inputs` in each dtype of the check, and stop at the first dtype that fails."""
    answer = prepared(check, answer)
    for dtype in check.dtypes or ("",):
        tried = _attempt(check, answer, inputs, seconds, dtype)
        if not tried.ok:
            break
    return tried


def _attempt(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float, dtype: str) -> Attempt:
    inputs = _rounded(check, inputs, dtype)
    args = _given(inputs, dtype)
    kept = copy.deepcopy(args)
    held = _held(check, args)
    failures: list[BaseException] = []
    outcome = call(lambda: _noted(failures, check, answer, held), seconds)
    tried = Attempt(inputs, outcome, dtype=dtype)
    if outcome.late or outcome.failure:
        tried.mistake = _of_failure(outcome, failures)
        return tried
    if check.what == "graph":
        return _graph(check, tried)
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
    tried.got = in_form(tried.got, tried.want)
    kind = wrong_kind(tried.got, tried.want, f"Your {check.what}")
    if kind:
        tried.words = kind
    elif dtype == "float64" and _lost_digits(tried.got, tried.want):
        tried.words = f"Your {check.what} is of dtype {tried.got.dtype}, which has fewer digits than the input."
    elif not same(args, kept):
        tried.words = "Your function changes its input. Make a copy, or compute a new array instead."
    else:
        tried.numbers = not is_right(check, tried.got, tried.want, inputs, dtype)
    if isinstance(answer, Replayed):
        tried = _recorded_here(check, answer, tried, held, seconds)
    return tried


def _lost_digits(got: Any, want: Any) -> bool:
    """Return whether digits were lost: the dtype is narrower than float64, and a number differs from the true one."""
    narrow = str(getattr(got, "dtype", "")) in ("float16", "float32")
    return narrow and not np.array_equal(got, want, equal_nan=True)


def both_at(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float, dtype: str) -> tuple[Any, Any, bool]:
    """Return the answer's result at `inputs`, the true result, and whether the answer ended in time."""
    inputs = _rounded(check, inputs, dtype)
    held = _held(check, _given(inputs, dtype))
    outcome = call(lambda: check.run(answer, *held), seconds)
    with np.errstate(all="ignore"):
        return plain(outcome.value), check.true(*map(unwrapped, inputs)), not outcome.late


def _given(inputs: tuple[Any, ...], dtype: str) -> tuple[Any, ...]:
    """Return a copy of the inputs, converted to the dtype, for the student's function."""
    return copy.deepcopy(tuple([unwrapped(_typed(x, dtype)) for x in inputs]))


def _graph(check: Check, tried: Attempt) -> Attempt:
    """Add to an attempt the first difference between its graph and the true graph, and return the attempt."""
    tried.got, tried.want = tried.outcome.value, check.true(*map(unwrapped, tried.inputs))
    tried.words = tried.got if isinstance(tried.got, str) else ""
    if isinstance(tried.got, Rows):
        tried.different = difference(tried.got, tried.want)
        tried.words = tried.different.words if tried.different else ""
    return tried


def _recorded_here(check: Check, answer: Replayed, tried: Attempt, held: Any, seconds: float) -> Attempt:
    """Repeat a failed attempt with a graph recorded at exactly its inputs: the graph used before may not fit them."""
    tensors = _tensors(check, held)
    if tried.numbers and not call(lambda: answer.record(tensors), seconds).failure:
        again = call(lambda: check.run(answer, *held), seconds)
        if not (again.late or again.failure):
            tried = replace(tried, got=plain(again.value), outcome=again)
            tried.numbers = not is_right(check, tried.got, tried.want, tried.inputs, tried.dtype)
    if tried.numbers and call(lambda: answer.takes_out(tensors), seconds).value:
        tried.numbers, tried.mistake = False, mistake.taken_out  # these numbers are for another upstream gradient
    if not tried.numbers and not tried.mistake and not tried.words:
        tried.mistake = answer.changes(held[: _arity(check)])
    return tried


def with_an_array(check: Check, answer: Any, failed: Attempt, seconds: float) -> Attempt:
    """Return a failure at an array if the graphs showed a Python `if`, because single numbers may give right results.

    Each array pairs an input of `failed` with another number. If none fails, or if there is no such `if`, return
    `failed`.
    """
    if failed.mistake != mistake.python_if or failed.outcome.failure or not isinstance(answer, Replayed):
        return failed
    numbers = [point for point in check.points if not any(map(np.ndim, (*point, *failed.inputs)))]
    for other in numbers[:8]:
        inputs = tuple(np.array(pair) for pair in zip(failed.inputs, other))
        tried = attempt(replace(check, order=None), answer.f, inputs, seconds)
        if tried.numbers or tried.mistake == mistake.python_if:
            return replace(tried, mistake=mistake.python_if)
    return failed


def tensors_at(check: Check, inputs: tuple[Any, ...], dtype: str) -> list[Tensor]:
    """Return the Tensors with which a check calls the answer at `inputs`, in one of its dtypes."""
    return _tensors(check, _held(check, _given(inputs, dtype)))


def _tensors(check: Check, held: tuple[Any, ...]) -> list[Tensor]:
    return [x if isinstance(x, Variable) else constant(x) for x in held[: _arity(check)]]


def true_where_wrong(check: Check, tried: Attempt) -> tuple[Any, ...]:
    """Return the true gradient for each input, or None for an input whose gradient is right.

    Return () if no gradients were compared.
    """
    if not tried.numbers or check.order != 1:
        return ()
    got, want = (x if isinstance(x, tuple) else (x,) for x in (tried.got, tried.want))
    near = tolerances(check, tried.inputs, tried.dtype)
    right = [agree(g, w, *near, tried.dtype or None) for g, w in zip(got, want)]
    return tuple(None if same else w for w, same in zip(want, right))


def _arity(check: Check) -> int:
    return len(check.names) - ("upstream" in check.names[-1:])


def _of_failure(outcome: Outcome, failures: list[BaseException]) -> Mistake | None:
    """Return the named mistake behind an exception, or None if it shows none."""
    if outcome.late:
        return mistake.too_slow
    error = failures[0] if failures else None
    words = outcome.failure.words if outcome.failure else ""
    if isinstance(error, Misused):
        return error.mistake
    if isinstance(error, RecursionError):
        return mistake.too_deep
    if isinstance(error, ValueError) and " returned None, but " in words:
        return mistake.rule_none
    if isinstance(error, ValueError) and "truth value of an array" in words:
        return mistake.python_if
    if isinstance(error, ValueError) and "has shape ()" in words and "one slope for each element" in words:
        return mistake.summed
    return None


def _noted(failures: list[BaseException], check: Check, answer: Any, args: tuple[Any, ...]) -> Any:
    try:
        return check.run(answer, *args)
    except Exception as error:
        failures.append(error)
        raise


def _held(check: Check, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the inputs, in Variables if the check requires it."""
    domains = (*check.vary, *[None] * len(args))
    return tuple(Variable(x, name=d.name) if isinstance(d, InVariable) else x for x, d in zip(args, domains))


def _typed(x: Any, dtype: str) -> Any:
    if not dtype:
        return x
    if isinstance(x, float):
        return np.dtype(dtype).type(x)
    return x.astype(dtype) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


def _rounded(check: Check, inputs: tuple[Any, ...], dtype: str) -> tuple[Any, ...]:
    """Return the inputs with the digits that the student's function receives, for computing the truth.

    Without a dtype, a number becomes a float32 Tensor, unless the function takes plain numbers.
    """
    plain_numbers = check.order is None and check.what in ("answer", "gradient")
    whole = not check.vary or dtype == "float64" or (plain_numbers and not dtype)
    return inputs if whole else tuple(map(_in_float32, inputs))


def _in_float32(x: Any) -> Any:
    if isinstance(x, float):
        return float(np.float32(x))
    single = isinstance(x, np.ndarray) and x.dtype == np.float64
    return x.astype(np.float32).astype(np.float64) if single else x


def first_failure(
    check: Check, answer: Any, seconds: float, search: bool = True, seed: int | None = None
) -> Attempt | None:
    """Return the simplest failing attempt, or None; the search stops at the first call that does not end in time.

    seed : seed of the inputs tried after the simple points; with None, the same inputs are tried every time.
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
    of_graph = check.what == "property" and check.order is not None  # the result is the same at every input
    numbers = _drawn(check, seed) if seed is not None and numbers_only(check.vary) and not of_graph else []
    if numbers and all(attempt(check, answer, row, seconds).ok for row in numbers):
        return None  # there is no failure that hypothesis could simplify
    return _by_hypothesis(check, answer, seconds, seed) if check.vary and search and not of_graph else None


def all_inputs(check: Check, seed: int) -> list[tuple[Any, ...]]:
    """Return the inputs at which a check of a graph is tried until one fails."""
    return [*check.points, *([_columns(check, seed)] if check.dtypes and numbers_only(check.vary) else [])]


def _drawn(check: Check, seed: int) -> list[tuple[float, ...]]:
    """Draw the numbers that are tried after the simple points, for checks whose inputs are all numbers."""
    columns = [domain.draw(np.random.default_rng([seed, i]), MANY).tolist() for i, domain in enumerate(check.vary)]
    return list(zip(*columns))


def _by_arrays(check: Check, answer: Any, seconds: float, seed: int) -> Attempt | None:
    """Try many numbers in one array; if the array fails, find a number that also fails on its own."""
    columns = _columns(check, seed)
    together = attempt(check, answer, columns, seconds)
    larger = together.ok and check.names[-1:] == ("upstream",)
    if larger:
        columns = (*columns[:-1], LARGE * columns[-1])
        together = attempt(check, answer, columns, seconds)
    if together.ok or together.outcome.late:
        return None if together.ok else together
    up = work_limit(SEARCH)
    rows = [*zip(*[column.tolist() for column in columns])]
    wrong = _wrong_elements(together, len(rows))
    for i in sorted(range(len(rows)), key=lambda i: (not wrong[i], sum(map(abs, rows[i])))):
        alone = attempt(check, answer, rows[i], seconds)
        if not alone.ok:
            return _compared(check, answer, alone, seconds) if larger else alone
        if up():
            break
    return together


def _wrong_elements(together: Attempt, many: int) -> Any:
    """Return a mask of the `many` numbers whose results are clearly wrong; none if the results are not an array."""
    got, want = together.got, together.want
    if not all(isinstance(a, np.ndarray) and a.shape == (many,) and a.dtype.kind in "fiu" for a in (got, want)):
        return np.zeros(many, bool)
    return ~np.isclose(got, want, rtol=1e-3, equal_nan=True)


def _compared(check: Check, answer: Any, failed: Attempt, seconds: float) -> Attempt:
    """Return `failed`, a failure at a large upstream gradient, with the mistake `not_linear` if that explains it.

    It does if the gradient is right at a small upstream gradient, but does not grow in proportion to it.
    """
    small = attempt(check, answer, (*failed.inputs[:-1], failed.inputs[-1] / LARGE), seconds)
    if failed.numbers and small.ok:
        large, less = np.asarray(failed.got, float), np.asarray(small.got, float)
        if np.isfinite(large).all() and not np.allclose(large, LARGE * less, rtol=1e-3, atol=0):
            return replace(failed, mistake=mistake.not_linear)
    return failed


def _columns(check: Check, seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return tuple(domain.draw(rng, MANY) for domain in check.vary)


def _by_hypothesis(check: Check, answer: Any, seconds: float, seed: int | None) -> Attempt | None:
    try:
        from hypothesis import HealthCheck, Phase, Verbosity, given, settings
        from hypothesis import seed as seeded
        from hypothesis import strategies as st
    except ImportError as error:  # do not skip the search: more wrong answers would pass
        raise ModuleNotFoundError(
            "the exercises are checked with hypothesis, which is missing from this Python; "
            'install it with: python -m pip install "minigrad-kit[lab]"'
        ) from error
    _keep_hypothesis_quiet()
    attempts: dict[str, Attempt] = {}
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
        if key not in attempts:
            if late or up():
                return
            attempts[key] = attempt(check, answer, inputs, seconds)
            late = attempts[key].outcome.late
        if not attempts[key].ok:
            failed.append(attempts[key])
            raise AssertionError

    if seed is not None:
        explore = seeded(seed)(explore)
    with contextlib.suppress(Exception):  # hypothesis raises the failure that it found
        explore()
    return failed[-1] if failed else None


def _keep_hypothesis_quiet() -> None:
    """Keep hypothesis from creating a folder next to the student's notebook."""
    import tempfile
    from pathlib import Path

    from hypothesis import configuration

    configuration.set_hypothesis_home_dir(Path(tempfile.gettempdir(), "minigrad-hypothesis"))
