"""Judge submissions, each in separate processes; messages from these processes are not trusted.

with Judge("hw1") as judge:
    report = judge.judge(submission)
"""

from __future__ import annotations

import dataclasses
import json
import platform
import queue
import re
import sys
import time
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np

from minigrad import __version__
from minigrad.classroom.examination import told_to_read
from minigrad.classroom.exercises import Exercise
from minigrad.runner.budgets import Limits, busy
from minigrad.runner.child import Child
from minigrad.runner.servers import ROOT

from .answered_cells import defined_in, without_blank_copies
from .assignment import Assignment
from .judge_exercise import LONGEST, ungraded
from .report import Mark, Report, mark_of
from .sandbox_canary import CONSENT, choose, danger
from .submitted_notebook import Submission
from .unseen_answers import bound_again, reasons
from .written_text import around, text_for

STARTING = 120.0
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
LOST = "The file is broken, and the answer is not in the intact part."
TOO_HEAVY = "Computing with the graph that it recorded took too long or too much memory."


class Judge:
    """The judge of an assignment. It is a context manager, because it owns processes.

    folder : the folder of the assignment, or the file of checks of a lesson. sandbox : "auto" for every layer that
        works on this computer, names of layers, or "none". limits : the resources that a submission may use. consent :
        whether to judge even if the layers leave something open to a submission, such as the grader's files.

    layers : the working layers. caution : a sentence about everything that they leave open, or "".

    Raises AuthoringError if the checks cannot be used, and ValueError for a sandbox that does not work here, or that
    leaves something open without consent.
    """

    def __init__(
        self, folder: str | Path, sandbox: str = "auto", limits: Limits | None = None, consent: bool = False
    ) -> None:
        self.assignment, self.limits = Assignment(Path(folder)), limits or Limits()
        self.layers = choose(sandbox).layers
        self.caution = danger(self.layers)
        if self.caution and not consent:
            raise ValueError(f"{self.caution} {CONSENT}")
        self._worker: Child | None = None
        self._stopped = False

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def worker(self) -> int:
        """The id of the process that judges, or 0 if there is none."""
        return self._worker.process.pid if self._worker is not None else 0

    def close(self) -> None:
        """End all processes of the judge."""
        if self._worker is not None:
            self._worker.close(10)
            self._worker = None

    def stop(self) -> None:
        """Stop the judge from another thread. The current submission gets no report; the judge cannot be used again."""
        self._stopped = True
        if (worker := self._worker) is not None:
            worker.process.kill()  # this also ends its servers

    def judge(self, submission: Submission, seed: int = 0, only: Collection[str] = ()) -> Report:
        """Judge a submission and return the report. The same submission, checks and seed give the same marks.

        only : the exercises to judge; all by default.

        Errors in a submission are not raised; the report lists what could not be graded.
        """
        started, began = time.time(), time.monotonic()
        report = Report(
            submission.student,
            self.assignment.name,
            submission.digest,
            self.assignment.spec,
            seed,
            "graded",
            notes=list(submission.notes),
            sandbox=self.layers,
            versions={"python": platform.python_version(), "numpy": np.__version__, "minigrad": __version__},
            started=started,
        )
        exercises = {name: e for name, e in self.assignment.exercises.items() if name in only or not only}
        if submission.unreadable:
            report.status = "unreadable"
            report.results = [ungraded(e, submission.unreadable) for e in exercises.values()]
            return report
        submission, blank = without_blank_copies(submission, self.assignment.exercises)
        noted = [*blank, *reasons(submission, self.assignment.exercises, self.assignment.path)]
        report.notes += [sentence for _, sentence in noted]
        cells = [dataclasses.asdict(cell) for cell in submission.cells]
        task = {"student": submission.student, "seed": seed, "cells": cells}
        notes = self._examine(task, report.results, self.assignment.exercises.keys() - exercises.keys())
        if notes is None:
            report.status = "failed"
            done = {mark.exercise for mark in report.results}
            missing = [e for name, e in exercises.items() if name not in done]
            report.results += [ungraded(e, "The judging process ended each time.") for e in missing]
        report.notes += notes or []
        for at, mark in enumerate(report.results):
            mark = _with_error(mark, self.assignment.exercises[mark.exercise], submission, notes or [])
            report.results[at] = self._to_read(mark, submission)
        for mark in report.results if submission.texts else ():
            text = around(mark.exercise, submission, self.assignment.received)[:LONGEST]
            mark.around = text if text not in mark.code else ""
        if submission.broken:  # part of the file is lost, and may have contained an answer
            results = report.results
            report.results = [ungraded(exercises[m.exercise], LOST) if m.state == "unanswered" else m for m in results]
        missed = [exercises[m.exercise] for m in report.results if m.state in ("wrong", "unanswered")]
        report.notes += (again := [*filter(None, (bound_again(submission, e) for e in missed))])
        if not again and all(mark.state == "unanswered" for mark in report.results):
            report.notes.append("Nothing is answered.")
        report.seconds = time.monotonic() - began
        return report

    def _examine(self, task: dict[str, Any], results: list[Mark], left_out: Collection[str]) -> list[str] | None:
        """Let the worker judge all exercises, restarting it if it dies; add a mark for each exercise to `results`.

        Return the notes on the submission, or None if the worker died too often.
        """
        dead: list[str] = []
        while len(dead) <= len(self.assignment.exercises) and not self._stopped:
            self._send({**task, "done": [*left_out, *(mark.exercise for mark in results)]})
            current = ""
            while True:
                message = self._receive(self.limits.exercise * busy())
                if message is None:
                    self._kill()
                    dead.append(current)
                    if not current:
                        return [] if len(results) + len(left_out) == len(self.assignment.exercises) else None
                    results.append(self._lost(current))
                    break
                current = message.get("begins", current)
                if "mark" in message:
                    results.append(mark_of(message["mark"]))
                    current = ""
                if "notes" in message:
                    return list(message["notes"])
        return None

    def _to_read(self, mark: Mark, submission: Submission) -> Mark:
        """If a person reads the exercise and its variable has no text, return the mark with text from other cells.

        Otherwise, return the mark unchanged.
        """
        exercise = self.assignment.exercises[mark.exercise]
        if exercise.by_hand is None or mark.state not in ("unanswered", "wrong"):
            return mark
        text, where = text_for(exercise, submission, self.assignment.received)
        if not text:
            return mark
        scale, code = list(exercise.by_hand.scale), text[:LONGEST]
        words = f"{told_to_read(exercise, text)[1]} The text is {where}."
        return dataclasses.replace(mark, state="to read", marks=None, scale=scale, code=code, words=words)

    def _lost(self, name: str) -> Mark:
        """Return the mark of an exercise during whose judging the worker died or hung.

        If a check differentiates the answer, its graph is taken to be too slow, which is wrong; otherwise, the reason
        is unknown and the exercise is not graded.
        """
        exercise = self.assignment.exercises[name]
        mark = ungraded(exercise, "The judging process did not end.")
        if any(check.order for check in exercise.checks):
            mark = dataclasses.replace(mark, state="wrong", marks=0.0, words=TOO_HEAVY, why="")
        return mark

    def _start(self) -> Child:
        paths = [str(ROOT), *(p for p in sys.path if p)]
        self._worker = Child("minigrad.grading.worker.main", _line, _read_line, paths, ONE_THREAD)
        if self._stopped:  # `stop` was called before this worker existed
            self._worker.process.kill()
        limits = dataclasses.asdict(self.limits)
        self._worker.send({"assignment": str(self.assignment.path), "limits": limits, "layers": self.layers})
        ready = self._receive(STARTING)
        if not ready or "ready" not in ready:
            self._kill()
            raise RuntimeError(f"the judging process did not start: {(ready or {}).get('failed', 'it ended')}")
        return self._worker

    def _send(self, task: dict[str, Any]) -> None:
        worker = self._start() if self._worker is None or self._worker.ended else self._worker
        worker.send(task)

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message of the worker, or None if the worker has ended or no message came in time."""
        assert self._worker is not None
        try:
            return self._worker.messages.get(timeout=seconds)
        except queue.Empty:
            return None

    def _kill(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()


def _with_error(mark: Mark, exercise: Exercise, submission: Submission, notes: list[str]) -> Mark:
    """Add an error to the mark of an unanswered exercise, if its cell or a cell that defines it raised one."""
    name = exercise.function or exercise.name
    numbers = [c.number for c in submission.cells if c.exercise == exercise.name or name in defined_in(c)]
    errors = [note for note in notes if any(re.match(rf"Cell {n}(, line \d+)?: \w+(:|$)", note) for n in numbers)]
    if mark.state != "unanswered" or not errors or "NotImplementedError" in errors[0]:
        return mark
    return dataclasses.replace(mark, words=f"Nothing is defined: {errors[0]}")


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _read_line(pipe: IO[bytes]) -> dict[str, Any]:
    return dict(json.loads(pipe.readline()))
