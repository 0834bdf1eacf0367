"""Submissions graded in a second: this judge with its sandbox, beside nbgrader in an environment of its own.

`python -m benchmarks.grading --nbgrader PYTHON` takes a Python in which nbgrader is installed. Both grade the same
honest answers, round by round in turn; what is printed is the median of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from minigrad.classroom.authoring import new
from minigrad.classroom.notebook import read
from minigrad.grading.judge import Judge
from minigrad.grading.submission import Cell, Submission

ANSWER = "import math\n\n\ndef tanh_backward(x, upstream):\n    {}"
SOLUTION = "return upstream * (1 - math.tanh(x) ** 2)"
TESTS = """for x in (0.0, 1.0, -2.0, 4.0):
    for u in (1.0, -3.0):
        h = 1e-5
        true = u * (math.tanh(x + h) - math.tanh(x - h)) / (2 * h)
        assert abs(tanh_backward(x, u) - true) < 1e-6"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grading", description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="honest submissions in a round (50)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median is taken (3)")
    parser.add_argument("--nbgrader", metavar="PYTHON", help="a Python that has nbgrader")
    parser.add_argument("--peer-count", type=int, default=5, help="submissions of a round for nbgrader (5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        hw1 = new(Path(folder, "hw1"))
        cells = [cell for cell in read(hw1 / "hw1.py").cells if cell.cell_type == "code"]
        numbered = tuple(Cell(cell.source, i, cell.metadata.get("exercise")) for i, cell in enumerate(cells, 1))
        submissions = [Submission(f"s{i}", f"s{i}.ipynb", f"{i:02}", numbered) for i in range(options.count)]
        ours: list[float] = []
        peers: list[float] = []
        with Judge(hw1) as judge:
            judge.judge(submissions[0])  # its processes are started
            for turn in range(options.rounds):
                began = time.perf_counter()
                reports = [judge.judge(submission, seed=turn) for submission in submissions]
                ours.append((time.perf_counter() - began) / options.count)
                assert all(report.marks == report.out_of for report in reports)
                if options.nbgrader:
                    peers.append(nbgrader(Path(folder, f"course{turn}"), options.nbgrader, options.peer_count))
            held = ", ".join(judge.layers)
        print(f"minigrad ({held}): {statistics.median(ours) * 1e3:.0f} ms a submission")
        if peers:
            ratio = statistics.median(p / o for p, o in zip(peers, ours))
            each = statistics.median(peers) * 1e3
            print(f"nbgrader (no sandbox): {each:.0f} ms a submission, {ratio:.1f} times as long")


def nbgrader(course: Path, python: str, count: int) -> float:
    """Seconds for a submission, of a course with `count` of them, all right."""
    (course / "source" / "hw1").mkdir(parents=True)
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'course'\n")
    stub = ANSWER.format("### BEGIN SOLUTION\n    " + SOLUTION + "\n    ### END SOLUTION")
    write(course / "source" / "hw1" / "hw1.ipynb", stub)
    run(course, python, "generate_assignment", "hw1")
    for i in range(count):
        target = course / "submitted" / f"s{i}" / "hw1"
        shutil.copytree(course / "release" / "hw1", target)
        notebook = json.loads((target / "hw1.ipynb").read_text(encoding="utf-8"))
        notebook["cells"][0]["source"] = ANSWER.format(SOLUTION)
        (target / "hw1.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    began = time.perf_counter()
    run(course, python, "autograde", "hw1", "--create")
    return (time.perf_counter() - began) / count


def run(course: Path, python: str, *words: str) -> None:
    """Run a command of nbgrader in the folder of a course."""
    path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
    home = {**os.environ, "PATH": path, "HOME": str(course)}
    subprocess.run([python, "-m", "nbgrader", *words], cwd=course, env=home, check=True, capture_output=True)


def write(path: Path, stub: str) -> None:
    """A notebook in nbgrader's form: an answer and its tests."""
    marked = lambda name, **more: {"nbgrader": {"grade_id": name, "schema_version": 3, "task": False, **more}}
    solution = marked("answer", grade=False, solution=True, locked=False)
    test = marked("test", grade=True, solution=False, locked=True, points=3)
    cell: Any = lambda name, source, metadata: {
        **{"cell_type": "code", "id": name, "metadata": metadata, "source": source},
        **{"execution_count": None, "outputs": []},
    }
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [cell("answer", stub, solution), cell("test", TESTS, test)]
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


if __name__ == "__main__":
    main()
