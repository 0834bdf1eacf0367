"""Gradescope: the `results.json` for a report, and the ZIP file of an autograder that writes it.

The autograder contains this package and the assignment with its hidden checks, which Gradescope does not show students.
"""

from __future__ import annotations

import argparse
import io
import json
import zipfile
from pathlib import Path
from typing import Any

from ..report import Mark, Report, visible_part
from .wheel import FILE, files_in, put, requirements, wheel

SETUP = """\
#!/usr/bin/env bash
set -e
apt-get update -qq && apt-get install -y -qq python3 python3-venv graphviz
python3 -m venv /autograder/venv
/autograder/venv/bin/python -m pip install -q /autograder/source/{wheel} {packages}
"""
RUN = """\
#!/usr/bin/env bash
cd /autograder/source
/autograder/venv/bin/python -m minigrad.grading.exports.gradescope {name} /autograder/submission \\
  /autograder/results/results.json --metadata /autograder/submission_metadata.json
"""


def results(report: Report) -> dict[str, Any]:
    """Return the results for Gradescope, without a score if anything could not be graded; Gradescope shows that.

    >>> report = Report("ada", "hw1", "00", "11", 0, "graded", [Mark("q1", "right", 2.0, 2.0)])
    >>> results(report)["score"], results(report)["tests"][0]["status"]
    (2.0, 'passed')
    """
    tests = [_test(mark, number) for number, mark in enumerate(report.results, start=1)]
    results_json: dict[str, Any] = {
        "output": "\n".join(report.notes) or "Graded.",
        "output_format": "text",
        "stdout_visibility": "hidden",
        "extra_data": {"spec": report.spec, "digest": report.digest, "seed": report.seed},
        "tests": tests,
    }
    return results_json if report.marks is None else {"score": report.marks, **results_json}


def _test(mark: Mark, number: int) -> dict[str, Any]:
    shown = visible_part(mark)
    failure = [f"at {shown.inputs}: got {shown.yours}, expected {shown.true}"] if shown.inputs and shown.true else []
    named = [shown.mistake[1]] if shown.mistake else []
    failed = [f"{line.says}: {line.message}".removesuffix(": ") for line in shown.lines if line.right is False]
    test: dict[str, Any] = {
        "name": mark.exercise,
        "number": str(number),
        "max_score": mark.out_of,
        "output": "\n".join(filter(None, [mark.why, *failed, shown.words, *failure, *named])),
        "output_format": "text",
        "visibility": "visible",
    }
    if mark.marks is not None:
        test |= {"score": mark.marks, "status": "passed" if mark.marks == mark.out_of else "failed"}
    return test


def autograder(folder: Path) -> bytes:
    """Return the ZIP file to upload: setup.sh, run_autograder, this package as a wheel, and the assignment."""
    paper = io.BytesIO()
    with zipfile.ZipFile(paper, "w", zipfile.ZIP_DEFLATED) as archive:
        setup = SETUP.format(wheel=FILE, packages=" ".join(requirements()))
        put(archive, "setup.sh", setup.encode(), 0o755)
        put(archive, "run_autograder", RUN.format(name=folder.name).encode(), 0o755)
        put(archive, FILE, wheel())
        for path in files_in(folder):
            put(archive, f"{folder.name}/{path.relative_to(folder).as_posix()}", path.read_bytes())
    return paper.getvalue()


def student_of(metadata: Path) -> str:
    """Return the email address of the first student in `submission_metadata.json`, or "student" if there is none."""
    try:
        user = json.loads(metadata.read_text(encoding="utf-8"))["users"][0]
        return str(user.get("email") or user.get("id") or "student")
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return "student"


def main(arguments: list[str] | None = None) -> int:
    """Grade the submission in a folder and write `results.json`. `run_autograder` calls this function."""
    from minigrad.lab.files import write_whole

    from ..answered_cells import answers_any
    from ..judge import Judge
    from ..submissions import of_one

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("assignment", type=Path)
    parser.add_argument("submission", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--metadata", type=Path, default=Path("submission_metadata.json"))
    chosen = parser.parse_args(arguments)
    student = student_of(chosen.metadata)
    with Judge(chosen.assignment, consent=True) as judge:  # Gradescope's container holds only one submission
        answers = answers_any(judge.assignment.exercises)
        report = judge.judge(of_one(chosen.submission, student, chosen.assignment.name, answers))
    write_whole(chosen.results, json.dumps(results(report), ensure_ascii=False, indent=1).encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
