"""Grade on several machines: send batches of submissions to the workers of a Dask scheduler.

A batch is plain data: the files of the assignment, the submissions as JSON, the seed and the limits. Judging has no
side effects, so if a worker dies, another worker judges its batch again.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from minigrad.lab.errors import CommandError
from minigrad.lab.files import temporary_folder

from .grade_class import Task, failed
from .report import Report
from .submitted_notebook import Cell, Submission

PARCEL = 25  #: number of submissions that a worker gets at once
CONNECTING = 20  #: seconds to wait for the scheduler


def judged_by_dask(
    address: str,
    path: Path,
    task: Task,
    sandbox: str,
    limits: Any,
    consent: bool,
    submissions: Sequence[Submission],
) -> Generator[Report, None, None]:
    """Yield the reports as they become ready. Raises CommandError if there is no scheduler.

    path : the folder of the assignment, or the file of checks of a lesson. consent : whether to judge without a
        sandbox.
    """
    try:
        from distributed import Client, as_completed
    except ModuleNotFoundError:
        raise CommandError("grading with Dask needs distributed: python -m pip install distributed") from None
    try:
        client = Client(address, timeout=CONNECTING)
    except (OSError, ValueError) as problem:
        raise CommandError(f"no Dask scheduler answers at {address}: {problem}") from None
    parts = [list(submissions[n : n + PARCEL]) for n in range(0, len(submissions), PARCEL)]
    with client:
        files = client.scatter(files_of(path), broadcast=True)
        settings = (path.name, sandbox, dataclasses.asdict(limits), consent, task.seed)
        futures = {
            client.submit(judge_parcel, files, *settings, [to_json(s) for s in part], pure=False, retries=2): part
            for part in parts
        }
        for future in as_completed(futures):
            if future.status == "finished":
                yield from map(Report.from_json, future.result())
            else:
                why = f"no worker could judge it: {future.exception()}"
                yield from (failed(submission, task, why) for submission in futures[future])


def files_of(path: Path) -> dict[str, bytes]:
    """Return the files of an assignment by their path in its folder; for a lesson, the files with its number."""
    if path.is_dir():
        paths = [p for p in path.rglob("*") if p.is_file() and "release" not in p.relative_to(path).parts]
        return {p.relative_to(path).as_posix(): p.read_bytes() for p in paths if "__pycache__" not in p.parts}
    number = path.name.partition("_")[0]
    return {p.name: p.read_bytes() for p in path.parent.glob(f"{number}_*") if p.is_file()}


def judge_parcel(
    files: dict[str, bytes],
    name: str,
    sandbox: str,
    limits: dict[str, Any],
    consent: bool,
    seed: int,
    submissions: list[str],
) -> list[str]:
    """Judge a batch in a worker, and return the reports as JSON.

    name : the name of the assignment's folder, or of its file of checks.
    """
    from minigrad.runner.budgets import Limits

    from .judge import Judge

    with temporary_folder() as temporary:
        folder = temporary if name.endswith(".py") else temporary / name
        for file, data in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(data)
        with Judge(temporary / name, sandbox, Limits(**limits), consent) as judge:
            return [judge.judge(from_json(text), seed).to_json() for text in submissions]


def to_json(submission: Submission) -> str:
    """Return a submission as JSON text.

    >>> s = Submission("ada", "hw1.ipynb", "00", (Cell("x = 1", 1, "q1"),), 5.0, ("a note",))
    >>> from_json(to_json(s)) == s
    True
    """
    return json.dumps(dataclasses.asdict(submission), ensure_ascii=False)


def from_json(text: str) -> Submission:
    """Return the submission that `to_json` wrote."""
    data = json.loads(text)
    texts = {key: tuple(data[key]) for key in ("notes", "asides")}
    cells = {key: tuple(Cell(**c) for c in data[key]) for key in ("cells", "texts")}
    return Submission(**{**data, **texts, **cells})
