"""The same honest submissions graded by this judge, by nbgrader and by otter.

`python -m benchmarks.grading --nbgrader PYTHON --otter PYTHON` needs Pythons with these installed. Each grader
is started once and prepared before anything is timed; then every submission is graded by each of them, one after
another, and this judge grades all of them in a row as well. The medians of the times are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from minigrad.classroom.authoring import new
from minigrad.classroom.notebook import read
from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission

TESTS = """for x in (0.0, 1.0, -2.0, 4.0):
    for u in (1.0, -3.0):
        h = 1e-5
        true = u * (math.tanh(x + h) - math.tanh(x - h)) / (2 * h)
        assert abs(tanh_backward(x, u) - true) < 1e-6"""
#: The peer's program: it reads names of students, and sends the marks of each.
NBGRADER = """
import sys, io, contextlib
from traitlets.config import Config
from nbgrader.apps import NbGraderAPI
c = Config()
c.CourseDirectory.root, c.CourseDirectory.course_id = sys.argv[1], "course"
api = NbGraderAPI(config=c)
api.generate_assignment("hw1")
def grade(name):
    assert api.autograde("hw1", name, create=True)["success"]
    with api.gradebook as book:
        return book.find_submission("hw1", name).score
"""
OTTER = """
import sys
from otter.api import grade_submission
def grade(name):
    return grade_submission(f"{sys.argv[1]}/submitted/{name}/hw1/hw1.ipynb", f"{sys.argv[1]}/autograder.zip").total
"""
SERVE = """
import contextlib, io, os
told = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
print("ready", file=told, flush=True)
for line in sys.stdin:
    print(grade(line.strip()), file=told, flush=True)
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grading", description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="honest submissions (50)")
    parser.add_argument("--nbgrader", metavar="PYTHON", help="a Python that has nbgrader")
    parser.add_argument("--otter", metavar="PYTHON", help="a Python that has otter-grader")
    parser.add_argument("--minutes", type=float, default=25.0, help="after which no further submission is started (25)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        hw1 = new(Path(folder, "hw1"))
        sources = [cell.source for cell in read(hw1 / "hw1.py").cells if cell.cell_type == "code"]
        peers = {}
        if options.nbgrader:
            peers["nbgrader"] = Peer(options.nbgrader, NBGRADER, nbgrader(Path(folder, "nbgrader"), options.count))
        if options.otter:
            peers["otter"] = Peer(options.otter, OTTER, otter(Path(folder, "otter"), options.count, options.otter))
        with Judge(hw1) as judge:
            measure(judge, sources, peers, options)
        for peer in peers.values():
            peer.close()


def measure(judge: Judge, sources: list[str], peers: dict[str, Any], options: argparse.Namespace) -> None:
    """Grade every submission with each grader, and print the medians."""
    ours = [submission(sources, number) for number in range(options.count)]
    judge.judge(ours[0])  # its processes are started
    times: dict[str, list[float]] = {name: [] for name in ("minigrad in a row", "minigrad", *peers)}
    for peer in peers.values():
        peer.grade("s0")
    began = time.perf_counter()
    for number, one in enumerate(ours):
        if time.perf_counter() - began > 60 * options.minutes:
            break
        if number % 10 == 0:
            at = time.perf_counter()
            assert all(report.marks == report.out_of for report in map(judge.judge, ours))
            times["minigrad in a row"].append((time.perf_counter() - at) / len(ours))
        at = time.perf_counter()
        judge.judge(one, seed=1)
        times["minigrad"].append(time.perf_counter() - at)
        for name, peer in peers.items():
            at = time.perf_counter()
            assert peer.grade(f"s{number}") > 0
            times[name].append(time.perf_counter() - at)
    print(f"{len(times['minigrad'])} submissions each; load {os.getloadavg()[0]:.1f}; {', '.join(judge.layers)}")
    for name, found in times.items():
        per = [f"{statistics.median(found) / statistics.median(times[n]):.0f}" for n in list(times)[:2]]
        total = f"{sum(found):.1f} s together" if name != "minigrad in a row" else f"{len(found)} batches"
        print(f"{name}: median {statistics.median(found) * 1e3:.1f} ms, {total}; times as long: {', '.join(per)}")


def answer(number: int) -> str:
    """Return the rule of one student, who uses different names."""
    lines = ["t = math.tanh(x)", "return upstream * (1 - t * t)"]
    return f"import math\n\n\ndef tanh_backward(x, upstream):\n    # answer {number}\n    {lines[0]}\n    {lines[1]}"


def submission(sources: list[str], number: int) -> Submission:
    """The files that one student submits to this judge."""
    cells = [answer(number) if "def tanh_backward" in source else source for source in sources]
    return Submission(f"s{number}", f"s{number}.ipynb", f"{number}", tuple(map(Cell, cells, range(1, 1 + len(cells)))))


class Peer:
    """A grader in a separate process."""

    def __init__(self, python: str, program: str, folder: Path) -> None:
        home = {**os.environ, "PATH": f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}
        command = [python, "-c", program + SERVE, str(folder)]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, cwd=folder, env=home, text=True, **pipes)
        assert self._line() == "ready"

    def grade(self, student: str) -> float:
        """Return the marks of a student."""
        assert self.process.stdin is not None
        self.process.stdin.write(student + "\n")
        self.process.stdin.flush()
        return float(self._line())

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


def nbgrader(course: Path, count: int) -> Path:
    """Return a course with an assignment, and with what `count` students handed in."""
    marked = lambda name, **more: {"nbgrader": {"grade_id": name, "schema_version": 3, "task": False, **more}}
    solution = marked("answer", grade=False, solution=True, locked=False)
    test = marked("test", grade=True, solution=False, locked=True, points=3)
    stub = "import math\n\n\ndef tanh_backward(x, upstream):\n    ### BEGIN SOLUTION\n    pass\n    ### END SOLUTION"
    write(course / "source" / "hw1" / "hw1.ipynb", (stub, solution), (TESTS, test))
    for number in range(count):
        handed_in = course / "submitted" / f"s{number}" / "hw1" / "hw1.ipynb"
        write(handed_in, (answer(number), solution), (TESTS, test))
    return course


def otter(course: Path, count: int, python: str) -> Path:
    """Return a course for otter, whose tests are a file."""
    tests = course / "tests"
    tests.mkdir(parents=True)
    case = ">>> " + TESTS.replace("\n", "\n... ")
    suite = {"type": "doctest", "cases": [{"code": case, "hidden": False, "locked": False}]}
    test = {"name": "q1", "points": 3, "suites": [suite]}
    (tests / "q1.py").write_text(f"OK_FORMAT = True\ntest = {test!r}\n", encoding="utf-8")
    command = [
        python,
        "-m",
        "otter",
        "generate",
        "-t",
        str(tests),
        "-o",
        str(course / "autograder.zip"),
        "--no-environment",
    ]
    subprocess.run([*command, "--no-environment", "--no-requirements"], cwd=course, check=True, capture_output=True)
    for number in range(count):
        write(course / "submitted" / f"s{number}" / "hw1" / "hw1.ipynb", (answer(number), {}))
    return course


def write(path: Path, *sources: tuple[str, Any]) -> None:
    """A notebook of these cells, each with its metadata."""
    path.parent.mkdir(parents=True)
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": metadata, "source": source, "execution_count": None}
        for i, (source, metadata) in enumerate(sources)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    whole = {"cells": [{**cell, "outputs": []} for cell in cells], "metadata": kernel}
    path.write_text(json.dumps({**whole, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")


if __name__ == "__main__":
    main()
