"""Slow facts about a lesson, computed once for all tests of a worker.

Tests that call these belong in one worker: `xdist_group(group(source))`. No test may change the results.
"""

import tempfile
from functools import cache
from pathlib import Path

import nbformat

from minigrad.classroom import lesson
from minigrad.classroom.notebook import read
from minigrad.classroom.proof import proofs
from minigrad.classroom.release import execute
from minigrad.lab.handout import hand_out, lessons_folder


def group(source):
    """The name under which one worker runs all tests of the lesson with this source."""
    return f"lesson{source.name[:2]}"


def handed_out(source):
    """The notebook as `minigrad lab` puts it into a student's folder, anywhere on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        hand_out(lessons_folder(), Path(folder))
        return nbformat.read(Path(folder, f"{source.stem}.ipynb"), as_version=4)


@cache
def seen_by_a_student(source):
    """The notebook as it was handed out, after all cells were run."""
    return execute(handed_out(source))


@cache
def solved(source):
    """The notebook with its solutions, after all cells were run."""
    return execute(read(source), private=True)


@cache
def proven(source):
    """A proof for each exercise: wrong answers and mutants were tried."""
    return list(proofs(read(source), lesson(source.name[:2]).exercises))
