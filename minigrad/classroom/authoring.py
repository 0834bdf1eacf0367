"""Assignments in a teacher's own folder: create one, prove it, and write the students' files.

hw1/hw1.py        the notebook with its solutions, as py:percent text
hw1/checks.py     the checks, which students receive as hw1_checks.py next to their notebook
hw1/hidden.py     further checks, which they never receive (optional)
hw1/sealed.json   hints, answers and solutions, encoded against accidental reading; generated, and given to students
hw1/data/         files that the notebook reads, which students receive too (optional)
hw1/release/      the files for students, written by `minigrad assign release hw1`

A new assignment has one prediction and one function, with checks, for you to replace.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minigrad.lab.files import write_whole
from minigrad.lab.output import bar

from .release import NotReleased, Work, prove, sources, write
from .sealed_answers import sealed_file


class Refused(Exception):
    """Raised if an assignment could not be created, found or released; the message has the reason and the remedy."""


def new(path: Path) -> Path:
    """Create the folder of a new assignment with a small example, atomically, and return its path.

    Raises Refused if the name cannot be used or the folder exists.
    """
    name = path.name
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise Refused(f"{name!r} cannot name an assignment: write letters, digits and _, as in hw1")
    if re.fullmatch(r"(?i)con|prn|aux|nul|(com|lpt)\d", name):
        raise Refused(
            f"{name!r} cannot name an assignment: Windows reserves that name for a device; write another, as in hw1"
        )
    if path.exists():
        raise Refused(f"{path} exists already; choose another name, or change the files in it")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=path.parent))
    try:
        for file, text in ((f"{name}.py", NOTEBOOK), ("checks.py", CHECKS), ("hidden.py", HIDDEN)):
            (part / file).write_text(text.replace("NAME", name), encoding="utf-8", newline="\n")
        part.chmod(0o755)
        os.rename(part, path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return path


#: A function that grades the folder of a proven assignment, and returns a sentence for each unexpected verdict.
Compared = Callable[[Path], list[str]]


def check(name: str, compared: Compared = lambda path: []) -> list[str]:
    """Prove an assignment, or a lesson, and return a line for each proof. Raises NotReleased or Refused."""
    return _proven(_work(name), compared)[1]


def _proven(work: Work, compared: Compared) -> tuple[Any, list[str]]:
    student, lines = prove(work, lambda steps, count, what: bar(steps, count, desc=what))
    if problems := compared(work.source.parent if work.beside else work.checks):
        raise NotReleased("\n".join(problems))
    return student, lines


def release(name: str, compared: Compared = lambda path: []) -> tuple[list[Path], list[str]]:
    """Prove an assignment and write the files for students; return the files and a line for each proof.

    Each file is written atomically, the checks first. Raises NotReleased or Refused.
    """
    work = _work(name)
    if not work.beside:
        raise Refused(f"{name} is a lesson of the package; write it with python -m minigrad.classroom.release {name}")
    student, proven = _proven(work, compared)
    folder = work.source.parent / "release"
    folder.mkdir(exist_ok=True)
    files = []
    for file, path in work.beside.items():
        if path.is_dir():
            _copy_folder(path, folder / file)
        else:
            write_whole(folder / file, path.read_bytes())
        files.append(folder / file)
    write(student, folder / f"{work.source.stem}.ipynb")
    return [*files, folder / f"{work.source.stem}.ipynb"], proven


def _copy_folder(source: Path, target: Path) -> None:
    """Copy the folder `source` to `target`, and replace an existing folder there.

    If two processes do so at once, `target` is the complete copy that one of them made.
    """
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as beside:
        new = shutil.copytree(source, Path(beside, "new"))
        for attempt in range(100):
            with contextlib.suppress(FileNotFoundError):
                os.rename(target, Path(beside, f"old {attempt}"))
            with contextlib.suppress(OSError):  # a release in another process may have put its folder there
                os.rename(new, target)
                return
        raise NotReleased(f"{target} cannot be replaced")


def _work(name: str) -> Work:
    """Return the assignment in the folder `name`, or the lesson with that number."""
    folder = Path(name).absolute()
    if folder.is_dir():
        source, checks = folder / f"{folder.name}.py", folder / "checks.py"
        for needed in (source, checks):
            if not needed.is_file():
                raise Refused(f"{needed} is missing; minigrad assign new makes a folder with all files")
        hidden, data = folder / "hidden.py", folder / "data"
        sealed = sealed_file(checks)
        beside = {
            f"{folder.name}_checks.py": checks,
            f"{folder.name}_sealed.json": sealed,
            **({"data": data} if data.is_dir() else {}),
        }
        return Work(source, checks, hidden if hidden.is_file() else None, beside)
    try:
        (source,) = sources([name])
    except NotReleased:
        raise Refused(f"there is no folder {name!r} here; make one with minigrad assign new {name}") from None
    return Work(source, source.with_name(f"{name}_checks.py"))


NOTEBOOK = """\
# %% [markdown]
# # NAME
#
# Text is written like this, in comments below a line that says markdown. What is between BEGIN SOLUTION and
# END SOLUTION is removed from the notebook that students receive.

# %%
import math

from minigrad.classroom import assignment

check = assignment("NAME")

# %% [markdown]
# **Predict.** $f(x) = x^2$. What is its slope at $x = 3$?

# %% exercise="slope_at_3"
### BEGIN SOLUTION
slope_at_3 = 6.0
### END SOLUTION
check("slope_at_3")

# %% [markdown]
# **Build.** Write the rule of tanh: the gradient of the input, from the input and the upstream gradient.


# %% exercise="tanh_backward"
def tanh_backward(x, upstream):
    ### BEGIN SOLUTION
    return upstream * (1 - math.tanh(x) ** 2)
    ### END SOLUTION


check("tanh_backward")

# %%
check()
"""

CHECKS = '''\
"""The checks of NAME: students receive this file next to their notebook. It holds no answer; see hidden.py."""

from minigrad.classroom import exercise, floats


@exercise("tanh_backward", points=3, function="tanh_backward(x, upstream)")
def tanh_backward(c):
    c.gradient(forward="tanh", vary=(floats(-4, 4),))
'''

HIDDEN = '''\
"""What students of NAME do not receive: answers, hints, wrong answers that must fail, and further checks."""

from minigrad.classroom import exercise, mistake


@exercise("slope_at_3")
def slope_at_3(c):
    c.number(
        6.0,
        because={
            6.0: "Yes: the slope of x * x is 2 * x.",
            9.0: "9 is the value at 3. The slope says how many times as much it changes as x.",
            3.0: "x * x uses x twice, and each use adds 3.",
        },
    )


@exercise("tanh_backward", points=3, function="tanh_backward(x, upstream)")
def tanh_backward(c):
    c.example((800.0, 1.0), 0.0, says="0 for a large input, and no overflow")
    c.hint("What is the slope of tanh?", "1 - tanh(x)**2, times what arrives.", "return upstream * (1 - ___ ** 2)")
    c.solution("The slope of tanh is 1 - tanh(x)**2, and a rule returns upstream times the slope.")
    c.wrong("def tanh_backward(x, upstream): return 1 - math.tanh(x) ** 2", mistake.no_upstream)
    c.wrong("def tanh_backward(x, upstream): return upstream", mistake.no_local)
    c.wrong("def tanh_backward(x, upstream): return -upstream * (1 - math.tanh(x) ** 2)", mistake.sign)
    c.wrong("def tanh_backward(x, upstream): return upstream * (1 - x ** 2)", mistake.input_for_output)
    c.wrong("def tanh_backward(x, upstream): return upstream * math.tanh(x)", mistake.value_for_slope)
    c.wrong("def tanh_backward(x, upstream): return upstream / math.cosh(x) ** 2")
'''
