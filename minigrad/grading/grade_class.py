"""Grade a class: each submission is judged, and each report is added to the gradebook as soon as it is ready.

If a run is interrupted by Ctrl-C or a crash, the gradebook remains readable; the next run judges only the rest.
"""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Protocol

from .changed_checks import Change, difference
from .gradebook import Gradebook
from .report import Report
from .submissions import Submissions
from .submitted_notebook import Submission


class Judging(Protocol):
    """The interface of a judge, such as `judge.Judge`."""

    def judge(self, submission: Submission, seed: int = 0) -> Report: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Task:
    """The grading task: the assignment's name, the digest of its checks, and the seed of the random inputs."""

    assignment: str
    spec: str
    seed: int = 0


@dataclass
class GradingRun:
    """The result of a run.

    judged : student -> the new report.
    kept : students who already had a report.
    unclear : students whose work could not be read or fully graded, and who have no manual marks.
    """

    judged: dict[str, Report] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


#: A function that judges submissions, and yields their reports as they become ready.
Reports = Callable[[Sequence[Submission]], Generator[Report, None, None]]


def grade_class(
    book: Gradebook,
    task: Task,
    arrived: Submissions,
    reports: Reports,
    again: bool = False,
    progress: Callable[[Iterator[Report], int], Iterable[Report]] = lambda reports, count: reports,
) -> GradingRun:
    """Judge the submissions without a report. Raises GradebookError if a report cannot be added.

    reports : a function that judges, such as `partial(judged, judges, task, jobs)`. again : whether to judge everything
        again. progress : a function that yields the reports, and shows how many of them are ready.
    """
    run = GradingRun()
    for submission in arrived.earlier:
        book.receive(task.assignment, submission, counts=False)
    waiting = []
    for submission in arrived.submissions:
        book.receive(task.assignment, submission)
        report, newest = book.done(task.assignment, submission, task.spec, task.seed)
        if report is None or again:
            waiting.append(submission)
            continue
        run.kept.append(submission.student)
        if not newest:
            book.record(task.assignment, report)
    with contextlib.closing(reports(waiting)) as ready:
        for report in progress(ready, len(waiting)):
            book.record(task.assignment, report)
            run.judged[report.student] = report
    here = {*run.judged, *run.kept}
    unclear = (g for g in book.grades(task.assignment) if g.marks is None and g.status not in ("to read", "excused"))
    run.unclear = [g.student for g in unclear if g.student in here]
    return run


def differences(book: Gradebook, task: Task, arrived: Submissions, reports: Reports) -> tuple[list[Change], int]:
    """Judge again the submissions that have a report, with the current checks; write nothing to the gradebook.

    Return the changes in grades that would result, by student, and the number of submissions judged.
    """
    before = {g.student: g for g in book.grades(task.assignment)}
    digests = {student: g.report.digest for student, g in before.items() if g.report}
    waiting = [s for s in arrived.submissions if digests.get(s.student) == s.digest]
    with contextlib.closing(reports(waiting)) as ready:
        anew = {report.student: report for report in ready}
    after = {g.student: g for g in book.grades(task.assignment, instead=anew)}
    changes = [difference(before[student], after[student]) for student in sorted(anew)]
    return list(filter(None, changes)), len(anew)


def judged(
    judges: Callable[[], Judging], task: Task, jobs: int, submissions: Sequence[Submission]
) -> Generator[Report, None, None]:
    """Yield the reports as they become ready. An error in a judge becomes a report with the error's text.

    If this generator is closed early, by Ctrl-C or an error, the submissions in progress get no report.

    judges : a function that makes a judge. jobs : the number of judges that work at once.
    """
    free: queue.SimpleQueue[Judging] = queue.SimpleQueue()
    made = [judges() for _ in range(min(max(1, jobs), len(submissions)))]
    for judge in made:
        free.put(judge)

    def one(submission: Submission) -> Report:
        judge = free.get()
        try:
            return judge.judge(submission, seed=task.seed)
        except Exception as problem:
            return failed(submission, task, f"the judge failed: {type(problem).__name__}: {problem}")
        finally:
            free.put(judge)

    pool = ThreadPoolExecutor(max(1, len(made)))
    done = False
    try:
        for future in as_completed([pool.submit(one, submission) for submission in submissions]):
            yield future.result()
        done = True
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for judge in [] if done else made:
            judge.stop()
        pool.shutdown()
        for judge in made:
            judge.close()


def failed(submission: Submission, task: Task, why: str) -> Report:
    """Return the report on a submission after the judge itself failed; it has no mark, which is not a zero."""
    s = submission
    return Report(s.student, task.assignment, s.digest, task.spec, task.seed, "failed", notes=[*s.notes, why])
