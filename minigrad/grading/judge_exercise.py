"""Judge one exercise of a submission with the checks that run in the notebook, and turn the verdict into a mark."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from minigrad.classroom.answer_graph import Replayed, kind_of
from minigrad.classroom.attempts import tensors_at
from minigrad.classroom.check import examine, told_to_read
from minigrad.classroom.counterexample import all_inputs, first_failure
from minigrad.classroom.exercises import Check, Exercise
from minigrad.classroom.verdict import CheckLine, Verdict
from minigrad.core.tensor import Tensor
from minigrad.runner.budgets import busy
from minigrad.runner.process import Process, Stopped
from minigrad.runner.timeout import CHECKS, OutOfTime

from .decoys import Recorded, Recordings
from .proxy import Expression, Proxy, ProxyClass, plain
from .report import Criterion, Mark
from .student_requests import Session

LONGEST = 20_000  #: characters of an answer that are kept
WITH_MESSAGES = 3.0  # a call may take this times its limit with the judge's own work; each reply has the limit itself
AGAIN = 24  # inputs that are tried once more, in random order
RUNS_ANSWERS: tuple[str, ...] = ("minigrad.graphs.", "minigrad.grading.", "minigrad.core.", "minigrad.classroom.truth")
OTHER_ORDER = "Tried again in another order, it gives something else at an input where it was right."
BY_GRADIENTS = "its rule is computed by a backward pass of the engine, as by mg.gradients: a note, no verdict"
OTHER_VALUE = "The graph that it records has another value than the function returns."


@dataclass
class Examined:
    """A mark, the reason why the student's process stopped, if it did, and an error that a check itself raised.

    note : a sentence about a right answer, which changes no mark.
    """

    mark: Mark
    stopped: str = ""
    raised: Exception | None = None
    note: str = ""


@dataclass
class Judged:
    """The result of checks that were tried in one process. graph : that of the answer, if it fails at some inputs."""

    verdict: Verdict
    graph: str = ""
    stopped: str = ""
    raised: Exception | None = None
    by_gradients: bool = False


class RightGraphs:
    """The graphs that passed the checks, by exercise: whether a graph passes depends on nothing but the graph."""

    def __init__(self) -> None:
        self._found: set[bytes] = set()
        self._calls: dict[tuple[str, int, int], list[list[Tensor]]] = {}

    def calls(self, exercise: Exercise, seed: int) -> list[list[Tensor]]:
        """One call for each kind of inputs with which the checks run the graph."""
        key = exercise.name, exercise.checks[0].hidden, seed
        if key not in self._calls:
            inputs = ((check, at) for check in exercise.checks if check.by_graph for at in all_inputs(check, seed))
            each = (tensors_at(check, at, dtype) for check, at in inputs for dtype in check.dtypes or ("",))
            self._calls[key] = list({kind_of(xs): xs for xs in each}.values())
        return self._calls[key]

    def key(self, exercise: Exercise, recorded: Recorded, seed: int) -> bytes:
        """A digest of the checks and of all that was recorded for them; empty if a recording failed or differs."""
        texts = recorded.texts_ahead()
        checks = [check.says for check in exercise.checks]
        return hashlib.sha256(json.dumps([exercise.name, checks, seed, texts]).encode()).digest() if texts else b""

    def __contains__(self, key: bytes) -> bool:
        return key in self._found

    def add(self, key: bytes, recorded: Recorded) -> None:
        """Keep the key of an answer that is right, if no check recorded anything else."""
        if key and recorded.graphs.keys() <= recorded.kinds_ahead and not recorded.varies:
            self._found.add(key)


def judge_exercise(
    exercise: Exercise, process: Callable[[int], Process], seed: int, right: RightGraphs | None = None
) -> Examined:
    """The mark for an exercise. process : gives a new process for checks of a `Check.hidden`. seed : of the inputs.

    Checks that students see in full come first. What a process shows it was not told by a check that is more hidden.
    right : the graphs that are known to be right.
    An error of the submission makes the mark "wrong". An error of a check is raised, or is in `raised`.
    """
    if exercise.by_hand is not None:
        return _for_a_person(exercise, process(0))
    groups = [(hidden, list(checks)) for hidden, checks in groupby(exercise.checks, lambda check: check.hidden)]
    groups = groups or [(0, [])]
    parts: list[Judged] = []
    for hidden, checks in groups:
        some = replace(exercise, checks=checks)
        part = _judged(some, process(hidden), seed, right or RightGraphs()) or _judged(
            some, process(hidden), seed, None
        )
        assert part is not None
        parts.append(part)
        if parts[1:] and not part.verdict and not any(line.right is False for line in part.verdict.lines):
            part.verdict.status = "wrong"
            part.verdict.lines = [CheckLine(c.says, None if i else False) for i, c in enumerate(checks)]
        if part.verdict.status == "unanswered" or part.verdict.stopped or part.stopped:
            break
    failed = next((part for part in parts if not part.verdict), None)
    told = failed or parts[0]
    lines = [line for part in parts for line in part.verdict.lines]
    printed = [part.verdict.printed for part in parts[: parts.index(told) + 1] if failed or not groups[0][0]]
    verdict = replace(told.verdict, lines=lines, printed=next(filter(None, printed), ""))
    note = f"{exercise.name}: {BY_GRADIENTS}" if any(part.by_gradients for part in parts) else ""
    return Examined(replace(mark(exercise, verdict), graph=told.graph), parts[-1].stopped, told.raised, note)


def _for_a_person(exercise: Exercise, process: Process) -> Examined:
    """The mark for an answer that a person reads: none yet, unless there is nothing to read."""
    session = Session(process, exercise.seconds)
    name = exercise.function or exercise.name
    try:
        found = session.has([name])
    except Stopped as stopped:
        return Examined(mark(exercise, _wrong(exercise, f"Nothing could be tried: {stopped}.")), stopped.how)
    answer = session.given.read(found[name]) if name in found else None
    if answer is None or answer is ...:
        return Examined(mark(exercise, Verdict(exercise.name, "unanswered", exercise.points)))
    status, words = told_to_read(exercise, (lambda: None) if isinstance(answer, (Proxy, ProxyClass)) else answer)
    made = mark(exercise, Verdict(exercise.name, status, exercise.points, words=words))
    if status == "to read" and exercise.by_hand is not None:
        made = replace(made, marks=None, scale=list(exercise.by_hand.scale))
        made.code = answer[:LONGEST] if isinstance(answer, str) else ""
    return Examined(made)


def _judged(exercise: Exercise, process: Process, seed: int, right: RightGraphs | None) -> Judged | None:
    """The verdict on an answer by some of the checks, which are those of the exercise here.

    None if the process stopped. Then another one is tried with `right` None: it is asked one question after the other,
    as in the notebook, and no graphs are recorded ahead.
    """
    session = Session(process, exercise.seconds)
    try:
        answer, also = _answer_of(exercise, session)
    except Stopped as stopped:
        return Judged(_wrong(exercise, f"Nothing could be tried: {stopped}."), stopped=stopped.how)
    if answer is None:
        return Judged(Verdict(exercise.name, "unanswered", exercise.points))
    session.of_classes = any(isinstance(x, ProxyClass) for x in (answer, *also.values()))
    session.of_classes |= any(check.objects for check in exercise.checks)
    raised: list[Exception] = []
    checks = [replace(c, run=_noting_errors(c.run, raised)) for c in exercise.checks]
    seconds = WITH_MESSAGES * session.seconds * busy()
    watched = replace(exercise, checks=checks, seconds=seconds, told_seconds=session.seconds)
    domains: Sequence[Any] = max((check.vary for check in exercise.checks if check.order), key=len, default=())
    recordings = Recordings(session, np.random.default_rng(seed), domains)
    session.graphs = any(check.what == "graph" for check in exercise.checks)
    order = max([0, *[check.order or 0 for check in exercise.checks]])
    if session.graphs and isinstance(answer, Tensor):
        answer = recordings.compute(Expression(session, {"global": exercise.function or exercise.name}))
    replayed = Recorded(answer, recordings, order) if isinstance(answer, Proxy) else None
    if replayed is not None:
        replayed.follow(exercise.checks)
    ahead = right is not None and replayed is not None and order > 0 and not replayed.at_each_input
    key = b""
    try:
        if ahead and right is not None and replayed is not None:
            if not also and not session.graphs:
                replayed.record_ahead(right.calls(exercise, seed))
                key = right.key(exercise, replayed, seed)
            watched.checks = [_once(check, replayed, watched, also, key in right) for check in checks]
        verdict = examine(watched, answer, also, replayed=replayed, seed=seed)
        watched.checks, called = checks, watched.checks
        if (verdict or exercise.in_parts) and exercise.question is None:
            _further_checks(watched, called, answer, replayed, also, verdict, random.Random(seed))
    except (OutOfTime, Exception) as error:
        if not _of_the_student(error):
            raise
        verdict = _wrong(exercise, "It stopped while its result was looked at.")
    if ahead and session.stopped:
        process.end()
        return None
    if replayed is not None and right is not None and key and verdict:
        right.add(key, replayed)
    graph = replayed.graph_at(verdict.tried, exercise.arguments, verdict.true) if replayed else ""
    asks_for_rule = any(check.what == "property" and check.order for check in exercise.checks)
    graphs = replayed.all_graphs() if replayed is not None and asks_for_rule and verdict else []
    lent = any(graph.by_gradients for graph in graphs)
    return Judged(verdict, graph, session.stopped, raised[0] if raised and not verdict else None, lent)


def _wrong(exercise: Exercise, words: str) -> Verdict:
    return Verdict(exercise.name, "wrong", exercise.points, words=words)


def _answer_of(exercise: Exercise, session: Session) -> tuple[Any, dict[str, Any]]:
    """The answer, and the other names that the exercise uses; None if the submission has none."""
    names = [exercise.function or exercise.name, *exercise.also]
    found = session.has(names)
    read = {name: session.given.read(found[name]) for name in names if name in found}
    answer = read.pop(names[0], None)
    return (answer if exercise.question is None else plain(session, answer, exercise.question.kind)), read


def _noting_errors(run: Callable[..., Any], raised: list[Exception]) -> Callable[..., Any]:
    """Wrap the run of a check, to note errors that the student's process did not raise."""

    def watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(*args, **kwargs)
        except Exception as error:
            raised.extend([] if _of_the_student(error) else [error])
            raise

    return watched


def _of_the_student(error: BaseException) -> bool:
    """Whether an error was raised by the student's process, or by running a graph that it recorded."""
    if isinstance(error, OutOfTime) or hasattr(error, "failure"):
        return True
    trace, runs, found = error.__traceback__, RUNS_ANSWERS, False
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith(CHECKS):  # either its own error, or one of the answer that it runs
            runs, found = RUNS_ANSWERS[:2], False
        found |= module.startswith(runs) and module != __name__
        trace = trace.tb_next
    return found


def _once(check: Check, replayed: Replayed, exercise: Exercise, also: Mapping[str, Any], known: bool) -> Check:
    """The check at a single input, if the recorded graph is known to be right at all of them.

    That of a value calls the function: it is at all inputs if the graph is wrong, for the words of the verdict.
    """
    if not check.by_graph or (check.order is not None and not known):
        return check
    if not known and _fails(replace(check, order=1), replayed, also, exercise):
        return check
    return replace(check, points=check.points[:1], vary=check.vary if check.order is not None else ())


def _further_checks(
    exercise: Exercise,
    called: Sequence[Check],
    answer: Any,
    replayed: Replayed | None,
    also: Mapping[str, Any],
    verdict: Verdict,
    rng: random.Random,
) -> None:
    """Further checks of a right answer: other orders of the inputs, and a value that its graph has too.

    called : the checks that ran; those of `_once` have the value of the graph.
    """
    for i, check in enumerate(exercise.checks):
        if check.what == "property" or check.order is not None or verdict.lines[i].right is not True:
            continue
        words = ""
        if not check.dtypes and check.points:
            again = replace(check, points=[rng.choice(check.points) for _ in range(AGAIN)], vary=())
            words = OTHER_ORDER if _fails(again, answer, also, exercise) else ""
        elif replayed is not None and replayed.order and check.vary and called[i] is check:
            words = OTHER_VALUE if _fails(replace(check, order=1), replayed, also, exercise) else ""
        if words:
            verdict.words = verdict.words if verdict.detailed else words
            verdict.status, verdict.detailed = "wrong", True
            verdict.lines[i] = CheckLine(check.says, False)
            if not exercise.in_parts:
                return


def _fails(check: Check, answer: Any, also: Mapping[str, Any], exercise: Exercise) -> bool:
    run = partial(check.run, **also) if also else check.run
    return first_failure(replace(check, run=run), answer, exercise.seconds, search=False) is not None


def mark(exercise: Exercise, verdict: Verdict) -> Mark:
    """The verdict as a mark."""
    right = [*(line.right for line in verdict.lines), *[None] * len(exercise.checks)][: len(exercise.checks)]
    lines = [
        Criterion(c.says, r, (c.marks or 0.0) if r else 0.0, c.marks or 0.0, c.reveal)
        for c, r in zip(exercise.checks, right)
    ]
    sides = [side.value for side in verdict.sides] + ["", ""]
    return Mark(
        exercise.name,
        verdict.status,
        exercise.points if verdict else exercise.earned(right) if exercise.in_parts else 0.0,
        exercise.points,
        lines,
        words=" ".join(filter(None, [verdict.words, f"({verdict.code})" if verdict.code else ""])),
        inputs=verdict.at,
        yours=sides[0],
        true=sides[1],
        mistake=(named.name, named.says) if (named := verdict.mistake) else None,
        printed=verdict.printed,
        picture=(verdict.picture.to_json(), verdict.picture.alt) if verdict.picture else None,
    )


def ungraded(exercise: Exercise, why: str) -> Mark:
    """No mark, which is no zero; `why` says the reason."""
    lines = [Criterion(check.says, None, reveal=check.reveal) for check in exercise.checks]
    return Mark(exercise.name, "ungraded", None, exercise.points, lines, why=why)
