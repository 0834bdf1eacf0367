"""Judge an exercise of a submission with the checks of the notebook, and convert the verdict to a mark."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from minigrad.classroom.answer_graph import kind_of
from minigrad.classroom.attempts import all_inputs, first_failure, tensors_at
from minigrad.classroom.examination import examine, told_to_read
from minigrad.classroom.exercises import Check, Exercise
from minigrad.classroom.verdict import CheckLine, Verdict
from minigrad.core.tensor import Tensor
from minigrad.runner.budgets import busy
from minigrad.runner.process import Process, Stopped
from minigrad.runner.timeout import CHECKS, OutOfTime

from .behaviour import behaviour
from .decoys import Recorded, Recordings
from .proxy import Expression, Proxy, ProxyClass, plain
from .report import Criterion, Mark
from .student_requests import Session

LONGEST = 20_000  #: maximum number of characters of an answer that are kept
WITH_MESSAGES = 3.0  # a whole call, including the judge's own work, may take this many times the limit of one reply
AGAIN = 24  # number of inputs that are tried again, in random order
RUNS_ANSWERS: tuple[str, ...] = ("minigrad.graphs.", "minigrad.grading.", "minigrad.core.", "minigrad.classroom.truth")
OTHER_ORDER = "Tried again in another order, it gives a different result for an input where it was right."
BY_GRADIENTS = "its rule is computed by a backward pass of the engine, as by mg.gradients: a note, not a verdict"
OTHER_VALUE = "The recorded graph and the function give different values."


@dataclass
class Examined:
    """The result of judging an exercise.

    stopped, raised : why the student's process stopped, or "", and the error that a check itself raised, or None.
    note : a sentence about a right answer that does not affect the mark.
    """

    mark: Mark
    stopped: str = ""
    raised: Exception | None = None
    note: str = ""


@dataclass
class Judged:
    """The result of checks that were tried in one process.

    graph : the answer's graph, if it fails at some inputs. behaviour : see `Mark`.
    """

    verdict: Verdict
    graph: str = ""
    behaviour: str = ""
    stopped: str = ""
    raised: Exception | None = None
    by_gradients: bool = False


class RightGraphs:
    """The graphs that passed the checks, by exercise: another answer with the same graph also passes."""

    def __init__(self) -> None:
        self._found: set[bytes] = set()
        self._calls: dict[tuple[str, int, int], list[list[Tensor]]] = {}

    def calls(self, exercise: Exercise, seed: int) -> list[list[Tensor]]:
        """Return one call, as its list of Tensors, for each kind of inputs in the checks that use the graph."""
        key = exercise.name, exercise.checks[0].hidden, seed
        if key not in self._calls:
            inputs = ((check, at) for check in exercise.checks if check.by_graph for at in all_inputs(check, seed))
            each = (tensors_at(check, at, dtype) for check, at in inputs for dtype in check.dtypes or ("",))
            self._calls[key] = list({kind_of(xs): xs for xs in each}.values())
        return self._calls[key]

    def key(self, exercise: Exercise, recorded: Recorded, seed: int) -> bytes:
        """Return a digest of the checks and of the graphs recorded ahead; b"" if one failed or two of a kind differ."""
        texts = recorded.texts_ahead()
        checks = [check.says for check in exercise.checks]
        return hashlib.sha256(json.dumps([exercise.name, checks, seed, texts]).encode()).digest() if texts else b""

    def __contains__(self, key: bytes) -> bool:
        return key in self._found

    def add(self, key: bytes, recorded: Recorded) -> None:
        """Add the key of a right answer, unless the checks recorded more than the key covers."""
        if key and recorded.graphs.keys() <= recorded.kinds_ahead and not recorded.varies:
            self._found.add(key)


def judge_exercise(
    exercise: Exercise, process: Callable[[int], Process], seed: int, right: RightGraphs | None = None
) -> Examined:
    """Return the mark for an exercise.

    process : a function that returns a new process for the checks with a given value of `Check.hidden`. seed : the seed
        of the inputs. right : the graphs known to be right.

    Checks that students see in full come first. Each group of checks has its own process, so no text that students see
    can come from a more hidden check. An error in the submission makes the mark "wrong"; an error in a check is raised,
    or stored in `raised`.
    """
    if exercise.by_hand is not None:
        return _for_a_person(exercise, process(0))
    groups = [(hidden, list(checks)) for hidden, checks in groupby(exercise.checks, lambda check: check.hidden)]
    groups = groups or [(0, [])]
    parts: list[Judged] = []
    for hidden, checks in groups:
        part = _judged(replace(exercise, checks=checks), partial(process, hidden), seed, right or RightGraphs())
        if parts and not part.verdict and not any(line.right is False for line in part.verdict.lines):
            part.verdict.status = "wrong"  # no check failed: the process stopped before the first one
            part.verdict.lines = [CheckLine(c.says, None if i else False) for i, c in enumerate(checks)]
        parts.append(part)
        if part.verdict.status == "unanswered" or part.verdict.stopped or part.stopped:
            break
    return _examined(exercise, parts, seen_in_full=groups[0][0] == 0)


def _examined(exercise: Exercise, parts: Sequence[Judged], seen_in_full: bool) -> Examined:
    """Combine the verdicts of all groups of checks into one mark; the first group that fails is reported.

    seen_in_full : whether students see the first group in full. Only then does the mark show what a right answer
    prints.
    """
    failed = next((part for part in parts if not part.verdict), None)
    told = failed or parts[0]
    lines = [line for part in parts for line in part.verdict.lines]
    until_told = parts[: parts.index(told) + 1] if failed or seen_in_full else []
    printed = next((part.verdict.printed for part in until_told if part.verdict.printed), "")
    verdict = replace(told.verdict, lines=lines, printed=printed)
    note = f"{exercise.name}: {BY_GRADIENTS}" if any(part.by_gradients for part in parts) else ""
    graded = replace(mark(exercise, verdict), graph=told.graph, behaviour=told.behaviour)
    return Examined(graded, parts[-1].stopped, told.raised, note)


def _for_a_person(exercise: Exercise, process: Process) -> Examined:
    """Return the result for an answer that a person reads: no mark yet, unless there is nothing to read."""
    session = Session(process, exercise.seconds)
    name = exercise.function or exercise.name
    try:
        described = session.has([name])
    except Stopped as stopped:
        return Examined(mark(exercise, _wrong(exercise, f"Nothing could be tried: {stopped}.")), stopped.how)
    answer = session.codec.read(described[name]) if name in described else None
    if answer is None or answer is ...:
        return Examined(mark(exercise, Verdict(exercise.name, "unanswered", exercise.points)))
    status, words = told_to_read(exercise, (lambda: None) if isinstance(answer, (Proxy, ProxyClass)) else answer)
    made = mark(exercise, Verdict(exercise.name, status, exercise.points, words=words))
    if status == "to read" and exercise.by_hand is not None:
        made = replace(made, marks=None, scale=list(exercise.by_hand.scale))
        made.code = answer[:LONGEST] if isinstance(answer, str) else ""
    return Examined(made)


def _judged(exercise: Exercise, process: Callable[[], Process], seed: int, right: RightGraphs) -> Judged:
    """Return the verdict of one group of checks on an answer; `exercise` has only these checks.

    The quick way is tried first: a single request records the graphs for all kinds of inputs, and if these graphs are
    known to be right, each check runs at a single input. If the process stops meanwhile, it is unknown which call
    stopped it. Then a second process makes one call after another, as the notebook does, and its verdict counts.
    """
    first = process()
    judged, quick = _tried(exercise, first, seed, right)
    if quick and judged.stopped:
        first.end()
        judged, _ = _tried(exercise, process(), seed, None)
    return judged


def _tried(exercise: Exercise, process: Process, seed: int, right: RightGraphs | None) -> tuple[Judged, bool]:
    """Return the verdict on the answer in one process, and whether the answer was tried in the quick way.

    right : the graphs that are known to be right; None to make one call after another.
    """
    session = Session(process, exercise.seconds)
    try:
        answer, also = _answer_of(exercise, session)
    except Stopped as stopped:
        return Judged(_wrong(exercise, f"Nothing could be tried: {stopped}."), stopped=stopped.how), False
    if answer is None:
        return Judged(Verdict(exercise.name, "unanswered", exercise.points)), False
    trial = _Trial(exercise, session, answer, also, seed)
    quick = right is not None and trial.can_be_quick
    try:
        verdict = trial.verdict(right if quick else None)
    except (OutOfTime, Exception) as error:
        if not _of_the_student(error):
            raise
        verdict = _wrong(exercise, "It stopped while its result was examined.")
    if verdict and right is not None and trial.recorded is not None and not (quick and session.stopped):
        right.add(trial.key, trial.recorded)
    raised = trial.raised[0] if trial.raised and not verdict else None
    end = session.stopped  # read now, because the requests below may stop the process too
    does = "" if end else trial.behaviour(verdict)
    return Judged(verdict, trial.graph_at(verdict), does, end, raised, trial.by_gradients(verdict)), quick


class _Trial:
    """The checks of an exercise, which run here on an answer in a student's process.

    answer : plain data, or a stand-in that sends each call to the object in that process. also : the other names that
        the checks use.
    recorded : the answer's graph, recorded in that process and run in this one; None if the answer is not a function.
    raised : errors of the checks themselves. key : identifies a graph that was recorded ahead; b"" if there is none.
    """

    def __init__(self, exercise: Exercise, session: Session, answer: Any, also: dict[str, Any], seed: int) -> None:
        self.exercise, self.also, self.seed = exercise, also, seed
        self.raised: list[Exception] = []
        self.key = b""
        for value in (answer, *also.values()):
            session.note_class(value)
        session.objects = any(check.objects for check in exercise.checks)
        session.graphs = any(check.what == "graph" for check in exercise.checks)
        domains: Sequence[Any] = max((check.vary for check in exercise.checks if check.order), key=len, default=())
        recordings = Recordings(session, np.random.default_rng(seed), domains)
        if session.graphs and isinstance(answer, Tensor):
            answer = recordings.compute(Expression(session, {"global": exercise.function or exercise.name}))
        order = max([0, *[check.order or 0 for check in exercise.checks]])
        self.answer, self.recorded = answer, Recorded(answer, recordings, order) if isinstance(answer, Proxy) else None
        if self.recorded is not None:
            self.recorded.follow(exercise.checks)
        self.can_be_quick = self.recorded is not None and order > 0 and not self.recorded.at_each_input
        self._session, self._seconds = session, WITH_MESSAGES * session.seconds * busy()

    def verdict(self, right: RightGraphs | None) -> Verdict:
        """Return the notebook's verdict; an answer that is right must also pass the judge's requests.

        right : as for `_tried`.
        """
        checks = [replace(c, run=_noting_errors(c.run, self.raised)) for c in self.exercise.checks]
        run = checks if right is None else self._shortened(checks, right)
        watched = replace(self.exercise, checks=run, seconds=self._seconds, told_seconds=self._session.seconds)
        verdict = examine(watched, self.answer, self.also, replayed=self.recorded, seed=self.seed)
        if (verdict or self.exercise.in_parts) and self.exercise.question is None:
            self._ask_further(verdict, checks, run)
        return verdict

    def _shortened(self, checks: Sequence[Check], right: RightGraphs) -> list[Check]:
        """Record the graphs for all kinds of inputs in one message; return the checks, some reduced to one input."""
        if self.recorded is not None and not self.also and not self._session.graphs:
            self.recorded.record_ahead(right.calls(self.exercise, self.seed))
            self.key = right.key(self.exercise, self.recorded, self.seed)
        return [self._at_one_input(check, self.key in right) for check in checks]

    def _at_one_input(self, check: Check, graph_is_right: bool) -> Check:
        """Reduce a check to one input if the recorded graph determines the results at the other inputs.

        A derivative is computed here from the graph, so a right graph needs no further inputs. For a value, the
        function itself is called, and each call is a message. One call is enough if the graph gives all the right
        values; otherwise the function is called at all inputs, and the verdict describes the failure.
        """
        if check.order is not None:
            return replace(check, points=check.points[:1]) if graph_is_right else check
        if check.by_graph and (graph_is_right or not self._fails(replace(check, order=1), self.recorded, search=True)):
            return replace(check, points=check.points[:1], vary=())
        return check

    def _ask_further(self, verdict: Verdict, checks: Sequence[Check], run: Sequence[Check]) -> None:
        """Make the verdict on a right answer wrong if the answer fails the judge's additional requests.

        run : the checks as they were run, some with only one input.
        """
        rng = random.Random(self.seed)
        for i, (check, done, line) in enumerate(zip(checks, run, tuple(verdict.lines))):
            words = self._objection(check, done is not check, rng) if line.right else ""
            if words:
                verdict.words = verdict.words if verdict.detailed else words
                verdict.status, verdict.detailed = "wrong", True
                verdict.lines[i] = CheckLine(check.says, False)
                if not self.exercise.in_parts:
                    return

    def _objection(self, check: Check, shortened: bool, rng: random.Random) -> str:
        """Return the reason why passing a check is not enough, or "" if it is enough.

        Plain values are requested again, in another order. The function's values at Tensors must equal the values of
        the graph that is differentiated; a shortened check has already compared them. Derivatives and properties come
        from the graph.
        """
        if check.what == "property" or check.order is not None:
            return ""
        if not check.dtypes and check.points:
            again = replace(check, points=[rng.choice(check.points) for _ in range(AGAIN)], vary=())
            return OTHER_ORDER if self._fails(again, self.answer) else ""
        if self.recorded is None or not self.recorded.order or not check.vary or shortened:
            return ""
        return OTHER_VALUE if self._fails(replace(check, order=1), self.recorded) else ""

    def _fails(self, check: Check, answer: Any, search: bool = False) -> bool:
        run = partial(check.run, **self.also) if self.also else check.run
        return first_failure(replace(check, run=run), answer, self._seconds, search) is not None

    def graph_at(self, verdict: Verdict) -> str:
        """Return the graph of the answer as text, with inputs where it fails, or "" if there is none."""
        return self.recorded.graph_at(verdict.tried, self.exercise.arguments, verdict.true) if self.recorded else ""

    def behaviour(self, verdict: Verdict) -> str:
        """Return a digest of a wrong answer's behaviour, or "" if the answer cannot be tried."""
        checks = [replace(c, run=partial(c.run, **self.also)) if self.also else c for c in self.exercise.checks]
        try:
            return behaviour(replace(self.exercise, checks=checks), self.answer, self.recorded, verdict, self._seconds)
        except Exception as error:
            if not _of_the_student(error):
                raise
            return ""

    def by_gradients(self, verdict: Verdict) -> bool:
        """Return whether a rule that the exercise requires is right but only calls the engine's backward pass."""
        asked = any(check.what == "property" and check.order for check in self.exercise.checks)
        if not (asked and verdict and self.recorded is not None):
            return False
        return any(graph.by_gradients for graph in self.recorded.all_graphs())


def _wrong(exercise: Exercise, words: str) -> Verdict:
    return Verdict(exercise.name, "wrong", exercise.points, words=words)


def _answer_of(exercise: Exercise, session: Session) -> tuple[Any, dict[str, Any]]:
    """Return the answer, or None if there is none, and a dict of the other values that the exercise uses."""
    names = [exercise.function or exercise.name, *exercise.also]
    described = session.has(names)
    read = {name: session.codec.read(described[name]) for name in names if name in described}
    answer = read.pop(names[0], None)
    return (answer if exercise.question is None else plain(session, answer, exercise.question.kind)), read


def _noting_errors(run: Callable[..., Any], raised: list[Exception]) -> Callable[..., Any]:
    """Wrap the `run` of a check so that an error of the check, not of the student's code, is added to `raised`."""

    def watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(*args, **kwargs)
        except Exception as error:
            raised.extend([] if _of_the_student(error) else [error])
            raise

    return watched


def _of_the_student(error: BaseException) -> bool:
    """Return whether an error was raised by the student's process, or by running a graph that it recorded."""
    if isinstance(error, OutOfTime) or hasattr(error, "failure"):
        return True
    trace, runs, by_answer = error.__traceback__, RUNS_ANSWERS, False
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith(CHECKS):  # an error of the check, or of the answer that it runs
            runs, by_answer = RUNS_ANSWERS[:2], False
        by_answer |= module.startswith(runs) and module != __name__
        trace = trace.tb_next
    return by_answer


def mark(exercise: Exercise, verdict: Verdict) -> Mark:
    """Convert a verdict to a mark."""
    # Checks behind the one that stopped the answer have no line.
    right = ([line.right for line in verdict.lines] + [None] * len(exercise.checks))[: len(exercise.checks)]
    lines = [_criterion(check, passed) for check, passed in zip(exercise.checks, right)]
    marks = exercise.earned(right) if exercise.in_parts else 0.0
    code = f"({verdict.code})" if verdict.code else ""
    sides = [side.value for side in verdict.sides] + ["", ""]
    return Mark(
        exercise.name,
        verdict.status,
        exercise.points if verdict else marks,
        exercise.points,
        lines,
        words=" ".join(filter(None, [verdict.words, code])),
        inputs=verdict.at,
        yours=sides[0],
        true=sides[1],
        mistake=(named.name, named.says) if (named := verdict.mistake) else None,
        printed=verdict.printed,
        picture=(verdict.picture.to_json(), verdict.picture.alt) if verdict.picture else None,
    )


def _criterion(check: Check, passed: bool | None) -> Criterion:
    out_of = check.marks or 0.0
    return Criterion(check.says, passed, out_of if passed else 0.0, out_of, check.reveal)


def ungraded(exercise: Exercise, why: str) -> Mark:
    """Return the mark of an exercise that could not be graded: None, which is not a zero; `why` is the reason."""
    lines = [Criterion(check.says, None, reveal=check.reveal) for check in exercise.checks]
    return Mark(exercise.name, "ungraded", None, exercise.points, lines, why=why)
