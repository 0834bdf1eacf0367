"""Judge one exercise of a submission with the checks that run in the notebook, and turn the verdict into a mark."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from minigrad.classroom.check import examine
from minigrad.classroom.exercises import Check, Exercise
from minigrad.classroom.failures import CHECKS
from minigrad.classroom.guard import OutOfTime
from minigrad.classroom.replayed import Replayed
from minigrad.classroom.search import first_failure
from minigrad.classroom.verdict import CheckLine, Verdict
from minigrad.core.tensor import Tensor

from .allowance import busy
from .expression import Expression
from .far import Far
from .predicted import plain
from .process import Process, Stopped
from .quick import Memory, Quick
from .recorded import Recorded, Recordings
from .report import Criterion, Mark
from .session import Session

AGAIN = 24  # inputs that are tried once more, in random order
RUNS_ANSWERS: tuple[str, ...] = ("minigrad.graphs.", "minigrad.grading.", "minigrad.core.", "minigrad.classroom.truth")
OTHER_ORDER = "Tried again in another order, it gives something else at an input where it was right."
OTHER_VALUE = "The graph that it records has another value than the function returns."


@dataclass
class Examined:
    """A mark, the reason why the student's process stopped, if it did, and an error that a check itself raised."""

    mark: Mark
    stopped: str = ""
    raised: Exception | None = None


def judge_exercise(exercise: Exercise, process: Process, seed: int, memory: Memory | None = None) -> Examined:
    """The mark for an exercise. seed : of inputs and decoys. memory : results of earlier submissions.

    An error of the submission makes it "wrong". An error of a check is raised, or is in `raised`.
    """
    if (found := _judged(exercise, process, seed, memory or Memory())) is None:
        process.end()  # no reply: a new process, and one question at a time, as in the notebook
        found = _judged(exercise, process, seed, None)
    assert found is not None
    return found


def _judged(exercise: Exercise, process: Process, seed: int, memory: Memory | None) -> Examined | None:
    """The mark; None if the process stopped while questions were sent together, as they are with a memory."""
    session = Session(process, exercise.seconds, together=memory is not None)
    try:
        answer, also = _answer_of(exercise, session)
    except Stopped as stopped:
        if stopped.how in ("spent", "lost"):
            return Examined(ungraded(exercise, str(stopped)), stopped.how)
        words = f"Nothing could be tried: {stopped}."
        return Examined(mark(exercise, Verdict(exercise.name, "wrong", exercise.points, words=words)), stopped.how)
    if answer is None:
        return Examined(mark(exercise, Verdict(exercise.name, "unanswered", exercise.points)))
    raised: list[Exception] = []
    checks = [replace(c, run=_noting_errors(c.run, raised)) for c in exercise.checks]
    watched = replace(exercise, checks=checks, seconds=session.seconds * busy())
    domains: Sequence[Any] = max((check.vary for check in exercise.checks if check.order), key=len, default=())
    recordings = Recordings(session, np.random.default_rng(seed), domains)
    if memory is not None and memory.transcripts.right(exercise.name, session, recordings.decoys):
        lines = [CheckLine(check.says, True) for check in exercise.checks]
        return Examined(mark(exercise, Verdict(exercise.name, "right", exercise.points, lines)))
    if memory is not None and session.stopped:
        return None
    session.graphs = any(check.what == "graph" for check in exercise.checks)
    order = max([0, *[check.order or 0 for check in exercise.checks]])
    if session.graphs and isinstance(answer, Tensor):
        answer = recordings.compute(Expression(session, {"global": exercise.function or exercise.name}))
    replayed = Recorded(answer, recordings, order) if isinstance(answer, Far) else None
    quick = Quick(exercise, answer, replayed, session, memory, seed) if memory is not None and not also else None
    try:
        if memory is not None:
            watched.checks = _pruned(watched, quick, replayed, also)
        if memory is None or not session.stopped:
            verdict = examine(watched, answer, also, replayed=replayed, seed=seed)
            watched.checks = checks
            if verdict and exercise.question is None:
                _further_checks(watched, answer, replayed, also, verdict, random.Random(seed), quick)
    except (OutOfTime, Exception) as error:
        if not _of_the_student(error):
            raise
        verdict = Verdict(exercise.name, "wrong", exercise.points, words="It stopped while its result was looked at.")
    if memory is not None and session.stopped:
        return None
    if verdict and memory is not None:
        memory.transcripts.learn(exercise, session.transcript, quick is not None and quick.known)
        if quick is not None:
            quick.learn()
    graph = replayed.graph_at(verdict.tried, exercise.arguments, verdict.true) if replayed else ""
    graded = replace(mark(exercise, verdict), graph=graph)
    return Examined(graded, session.stopped, raised[0] if raised and not verdict else None)


def _pruned(whole: Exercise, quick: Quick | None, replayed: Recorded | None, also: Mapping[str, Any]) -> list[Check]:
    """The checks, without points at which the answer is known to be right."""
    checks = list(whole.checks)
    for i, check in enumerate(checks):
        if quick is not None and (shorter := quick.shortened(i)) is not None:
            checks[i] = replace(check, points=shorter.points, vary=shorter.vary)
        elif replayed is not None and replayed.order:
            checks[i] = _known(check, replayed, whole, also)
    return checks


def _answer_of(exercise: Exercise, session: Session) -> tuple[Any, dict[str, Any]]:
    """The answer, and the other names that the exercise uses; None if the submission has none."""
    names = [exercise.function or exercise.name, *exercise.also]
    found = session.begin(names)
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


def _known(check: Check, replayed: Replayed, exercise: Exercise, also: Mapping[str, Any]) -> Check:
    """The check of a value, with a single input if the recorded graph has the right value at all of them.

    Otherwise the answer fails, and the function is called as in the notebook, for the words of the verdict.
    """
    if check.order is not None or not check.dtypes:
        return check
    wrong = _fails(replace(check, order=1), replayed, also, exercise)
    return check if wrong else replace(check, points=check.points[:1], vary=())


def _further_checks(
    exercise: Exercise,
    answer: Any,
    replayed: Replayed | None,
    also: Mapping[str, Any],
    verdict: Verdict,
    rng: random.Random,
    quick: Quick | None,
) -> None:
    """Further checks of a right answer: other orders of the inputs, and a value that its graph has too."""
    for i, check in enumerate(exercise.checks):
        if check.what == "property" or check.order is not None:
            continue
        words = ""
        if not check.dtypes and check.points:
            chosen = [rng.randrange(len(check.points)) for _ in range(AGAIN)]
            right = quick.right_again(i, chosen) if quick is not None else None
            if right is None:
                again = replace(check, points=[check.points[k] for k in chosen], vary=())
                right = not _fails(again, answer, also, exercise)
            words = "" if right else OTHER_ORDER
        elif replayed is not None and replayed.order and check.vary and not (quick is not None and quick.known):
            words = OTHER_VALUE if _fails(replace(check, order=1), replayed, also, exercise) else ""
        if words:
            verdict.status, verdict.words, verdict.detailed = "wrong", words, True
            verdict.lines[i] = CheckLine(check.says, False)
            return


def _fails(check: Check, answer: Any, also: Mapping[str, Any], exercise: Exercise) -> bool:
    run = partial(check.run, **also) if also else check.run
    return first_failure(replace(check, run=run), answer, exercise.seconds, search=False) is not None


def mark(exercise: Exercise, verdict: Verdict) -> Mark:
    """The verdict as a mark."""
    right = [line.right for line in verdict.lines] + [None] * len(exercise.checks)
    sides = [side.value for side in verdict.sides] + ["", ""]
    return Mark(
        exercise.name,
        verdict.status,
        exercise.points if verdict else 0.0,
        exercise.points,
        [Criterion(c.says, r, reveal=c.reveal) for c, r in zip(exercise.checks, right)],
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
