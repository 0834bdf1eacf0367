"""The worker process of a judge, which runs the checks and all recorded graphs within its own limits.

`judge` starts it. It gets submissions as JSON on its standard input, and reports the start and the end of each
exercise. If it dies, nothing is lost: the judge starts another, which continues with the next exercise.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import hmac
import json
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from minigrad.classroom.exercises import Exercise
from minigrad.runner.budgets import BUSIEST, Limits
from minigrad.runner.child import limit_memory
from minigrad.runner.process import SERVER_ENDED, Process, Processes
from minigrad.runner.servers import OneByOne, Server, Starter

from .assignment import Assignment
from .handed_modules import FIRST
from .judge_exercise import LONGEST, RightGraphs, judge_exercise, ungraded
from .report import Mark
from .submitted_notebook import Cell


def main() -> None:
    """Judge the submissions that arrive on standard input, one after the other, until the input ends."""
    tasks = os.fdopen(os.dup(0), encoding="utf-8")
    messages = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")  # UTF-8 has no code for a lone surrogate
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nowhere, number)

    def send(**message: Any) -> None:
        messages.write(json.dumps(message, default=vars, ensure_ascii=False) + "\n")
        messages.flush()

    setup = json.loads(tasks.readline())
    limits = Limits(**setup["limits"])
    limit_memory(limits.judge_memory)
    try:
        work = Worker(Assignment(Path(setup["assignment"])), limits, tuple(setup["layers"]))
    except Exception as problem:
        send(failed=f"{type(problem).__name__}: {problem}")
        return
    send(ready=True)
    for line in tasks:
        work.judge(json.loads(line), send)
    work.close()


def _end_with(parent: int) -> None:
    """Wait until the process `parent`, which started this one, has died; then end this process and its children."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


class Worker:
    """An assignment, and the servers that run students' processes: one with minigrad, one without."""

    def __init__(self, assignment: Assignment, limits: Limits, layers: tuple[str, ...] = ()) -> None:
        self.assignment, self.limits, self.layers = assignment, limits, layers
        self.right = RightGraphs()
        self._servers: dict[bool, Starter] = {}
        self._kind: type[Starter] = Server if hasattr(os, "fork") else OneByOne

    def server(self, engine: bool) -> Starter:
        """Return the server with minigrad (if `engine` is true) or without; start it if it is not running."""
        server = self._servers.get(engine)
        if server is None or not server.alive:
            data = str(self.assignment.data) if self.assignment.data.is_dir() else ""
            self._servers[engine] = server = self._kind(engine, self.limits, self.layers, data, self.assignment.imports)
        return server

    def close(self) -> None:
        """End the servers."""
        for server in self._servers.values():
            server.close()

    def judge(self, task: dict[str, Any], send: Any) -> None:
        """Judge one submission: send the mark of each exercise that is not in `task["done"]`, then the notes.

        send : a function that writes its keyword arguments to the judge as a message.
        """
        cells = [Cell(**cell) for cell in task["cells"]]
        processes = Processes(cells, self.server)
        with contextlib.closing(processes):
            for name, exercise in self.assignment.exercises.items():
                if name in task["done"]:
                    continue
                send(begins=name)
                self._end_at_the_latest()
                seed = _seed(self.assignment.spec, task, exercise)
                for engine in self._engines(exercise):
                    mark, note = self._mark(exercise, partial(processes.new, engine), seed)
                    if mark.state == "right":
                        break
                processes.notes += [note] if note else []
                mark.code = mark.code or _cell_of(exercise, cells)
                mark.group = exercise.of or name * any(e.of == name for e in self.assignment.exercises.values())
                send(mark=vars(mark))
        faulthandler.cancel_dump_traceback_later()
        send(notes=processes.notes)

    def _end_at_the_latest(self) -> None:
        """Start a timer that ends this process if judging the exercise takes far too long, even if NumPy blocks."""
        faulthandler.dump_traceback_later(BUSIEST * self.limits.exercise, exit=True)

    def _engines(self, exercise: Exercise) -> tuple[bool, ...]:
        """Return which servers to try, in order: True for the one with minigrad, False for the one without.

        The answer to a question is first read in the process for functions, so one process is often enough.
        """
        others = [e for e in self.assignment.exercises.values() if e.question is None]
        bare = bool(others) and exercise.question is not None and not any(e.engine for e in others)
        return (False, True) if bare else (exercise.engine,)

    def _mark(self, exercise: Exercise, process: Callable[[int], Process], seed: int) -> tuple[Mark, str]:
        """Return the mark, and a note about it ("" if there is none)."""
        try:
            examined = judge_exercise(exercise, process, seed, self.right)
        except Exception as error:
            return ungraded(exercise, f"The check could not be run: {type(error).__name__}: {error}"[:400]), ""
        ends = {"spent": f"the submission used up its {self.limits.submission:g} seconds", "lost": SERVER_ENDED}
        if examined.stopped in ends and examined.mark.state != "right":
            return ungraded(exercise, f"Not tried to the end: {ends[examined.stopped]}."), ""
        raised = examined.raised
        if raised is not None and not self.assignment.solution_is_right(exercise.name):
            why = f"A check raised {type(raised).__name__}: {raised}; the solution fails it too, or there is none."
            return ungraded(exercise, why[:400]), ""
        return examined.mark, examined.note


def _seed(spec: str, task: dict[str, Any], exercise: Exercise) -> int:
    """Return the seed for an exercise's random inputs: a hash of the student, the exercise and the run's seed.

    spec : a text that depends on all checks, including hidden ones; it is the key of the hash. For graphs and
        properties, the seed is the same for all students, so equal graphs are judged only once.
    """
    student = "" if exercise.of_graphs else task["student"]
    text = f"{student}\0{exercise.name}\0{task['seed']}"
    return int.from_bytes(hmac.new(spec.encode(), text.encode(), hashlib.sha256).digest()[:4], "big")


def _cell_of(exercise: Exercise, cells: list[Cell]) -> str:
    """Return the source of the cell that was released for an exercise, or else of the last cell that defines it."""
    name = exercise.function or exercise.name
    cells = [cell for cell in cells if cell.number != FIRST]
    tagged = [cell.source for cell in cells if cell.exercise in (exercise.name, exercise.of) and cell.exercise]
    named = [cell.source for cell in cells if f"def {name}" in cell.source or f"{name} =" in cell.source]
    return ["", *named, *tagged][-1][:LONGEST]


if __name__ == "__main__":
    main()
