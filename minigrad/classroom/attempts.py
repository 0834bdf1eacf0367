"""Try an answer at one input: its result, the expected result, and the difference in words."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.tensor import Tensor, constant
from ..core.variable import Variable
from ..runner.timeout import Outcome, call
from .answer_graph import Misused, Replayed
from .compare import agree, in_form, largest, plain, same, wrong_kind
from .exercises import Check
from .graph_rows import Difference, Rows, difference
from .inputs import InVariable, unwrapped
from .mistakes import Mistake, mistake


@dataclass
class Attempt:
    """One call of the student's function, and the fault in its result; `ok` if there is none.

    dtype : of the inputs, where several are tried. mistake : the one that the result shows.
    different : the first difference from the true graph. slow : whether a later call did not end in time.
    """

    inputs: tuple[Any, ...]
    outcome: Outcome
    got: Any = None
    want: Any = None
    words: str = ""
    numbers: bool = False  # got and want can stand side by side
    dtype: str = ""
    mistake: Mistake | None = None
    different: Difference | None = None
    slow: bool = False

    @property
    def ok(self) -> bool:
        return not (self.outcome.late or self.outcome.failure or self.words or self.numbers or self.mistake)


def prepared(check: Check, answer: Any) -> Any:
    """The function that a check runs: the answer itself, or for a derivative the answer replayed from its graph."""
    if check.order is None or isinstance(answer, Replayed):
        return answer
    replayed = Replayed(answer, check.order)
    replayed.follow([check])
    return replayed


def attempt(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float) -> Attempt:
    """Try the answer at `inputs`: in each dtype of the check, up to the first that fails."""
    if check.vary:
        inputs = tuple(in_float32(x) for x in inputs)
    answer = prepared(check, answer)
    for dtype in check.dtypes or ("",):
        tried = _attempt(check, answer, inputs, seconds, dtype)
        if not tried.ok:
            break
    return tried


def _attempt(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float, dtype: str) -> Attempt:
    given = _given(inputs, dtype)
    kept = copy.deepcopy(given)
    held = _held(check, given)
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
    elif dtype == "float64" and str(getattr(tried.got, "dtype", dtype)) in ("float16", "float32"):
        tried.words = f"Your {check.what} is of dtype {tried.got.dtype}, which has fewer digits than the input."
    elif not same(given, kept):
        tried.words = "Your function changes its input. Make a copy, or compute a new array instead."
    else:
        tried.numbers = not agree(tried.got, tried.want, *allowed(check, tried), dtype or None)
    if isinstance(answer, Replayed):
        tried = _recorded_here(check, answer, tried, held, seconds)
    return tried


def both_at(check: Check, answer: Any, inputs: tuple[Any, ...], seconds: float, dtype: str) -> tuple[Any, Any, bool]:
    """The result of an answer at `inputs`, the true result, and whether the answer came in time."""
    inputs = tuple(map(in_float32, inputs)) if check.vary else inputs
    held = _held(check, _given(inputs, dtype))
    outcome = call(lambda: check.run(answer, *held), seconds)
    with np.errstate(all="ignore"):
        return plain(outcome.value), check.true(*map(unwrapped, inputs)), not outcome.late


def _given(inputs: tuple[Any, ...], dtype: str) -> tuple[Any, ...]:
    """A copy of the inputs for the student's function, in the dtype."""
    return copy.deepcopy(tuple([unwrapped(_typed(x, dtype)) for x in inputs]))


def _graph(check: Check, tried: Attempt) -> Attempt:
    """The attempt with the first difference between the graph and the true one."""
    tried.got, tried.want = tried.outcome.value, check.true(*map(unwrapped, tried.inputs))
    tried.words = tried.got if isinstance(tried.got, str) else ""
    if isinstance(tried.got, Rows):
        tried.different = difference(tried.got, tried.want)
        tried.words = tried.different.words if tried.different else ""
    return tried


def _recorded_here(check: Check, answer: Replayed, tried: Attempt, held: Any, seconds: float) -> Attempt:
    """The attempt with the graph of the function at these inputs, if it differs from the recorded one."""
    tensors = _tensors(check, held)
    if tried.numbers and not call(lambda: answer.record(tensors), seconds).failure:
        again = call(lambda: check.run(answer, *held), seconds)
        if not (again.late or again.failure):
            tried = replace(tried, got=plain(again.value), outcome=again)
            tried.numbers = not agree(tried.got, tried.want, *allowed(check, tried), tried.dtype or None)
    if tried.numbers and call(lambda: answer.takes_out(tensors), seconds).value:
        tried.numbers, tried.mistake = False, mistake.taken_out  # the numbers are those of another upstream gradient
    if not tried.numbers and not tried.mistake and not tried.words:
        tried.mistake = answer.changes(held[: _arity(check)])
    return tried


def with_an_array(check: Check, answer: Any, failed: Attempt, seconds: float) -> Attempt:
    """The attempt at an array that fails, where a Python `if` was seen in the graphs of numbers: those may be right.

    The array holds the numbers at which the graph differs, and others.
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
    """The Tensors with which a check calls the answer at `inputs`, in one of its dtypes."""
    return _tensors(check, _held(check, _given(inputs, dtype)))


def _tensors(check: Check, held: tuple[Any, ...]) -> list[Tensor]:
    return [x if isinstance(x, Variable) else constant(x) for x in held[: _arity(check)]]


def true_where_wrong(check: Check, tried: Attempt) -> tuple[Any, ...]:
    """The true gradient for each input, None if that of the answer is right; () if no gradient was compared."""
    if not tried.numbers or check.order != 1:
        return ()
    got, want = (x if isinstance(x, tuple) else (x,) for x in (tried.got, tried.want))
    right = [agree(g, w, *allowed(check, tried), tried.dtype or None) for g, w in zip(got, want)]
    return tuple(None if same else w for w, same in zip(want, right))


def _arity(check: Check) -> int:
    return len(check.names) - ("upstream" in check.names[-1:])


def allowed(check: Check, tried: Attempt) -> tuple[float, float]:
    """The tolerances of a result, relative and absolute."""
    if not tried.dtype:
        return check.rtol, check.atol * max(check.usual(), 1e-3) if check.vary else check.atol
    info = np.finfo(tried.dtype)
    upstream = largest(tried.inputs[-1]) if "upstream" in check.names[-1:] else 1.0
    rounding = check.units * float(info.eps)
    return rounding + check.rtol, rounding * 0.1 * check.usual() * upstream + check.atol + float(info.tiny)


def _of_failure(outcome: Outcome, failures: list[BaseException]) -> Mistake | None:
    """The named mistake that an exception shows."""
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


def _noted(failures: list[BaseException], check: Check, answer: Any, given: tuple[Any, ...]) -> Any:
    try:
        return check.run(answer, *given)
    except Exception as error:
        failures.append(error)
        raise


def _held(check: Check, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs, in Variables if the check requires it."""
    domains = (*check.vary, *[None] * len(given))
    return tuple(Variable(x, name=d.name) if isinstance(d, InVariable) else x for x, d in zip(given, domains))


def _typed(x: Any, dtype: str) -> Any:
    if not dtype:
        return x
    if isinstance(x, float):
        return np.dtype(dtype).type(x)
    return x.astype(dtype) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


def in_float32(x: Any) -> Any:
    """Floats rounded to float32, so that the truth is computed at the numbers that the student's function gets."""
    if isinstance(x, float):
        return float(np.float32(x))
    single = isinstance(x, np.ndarray) and x.dtype == np.float64
    return x.astype(np.float32).astype(np.float64) if single else x


def usual(check: Check) -> float:
    """The usual size of the numbers that a check compares, at most 1: an error much below that is rounding."""
    with np.errstate(all="ignore"):
        sizes = [largest(check.true(*map(unwrapped, point))) for point in check.points[:12]]
    return min(1.0, max(sizes, default=0.0))
