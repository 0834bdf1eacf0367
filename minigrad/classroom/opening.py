"""What a first cell opens: `lesson("06")` of the package, or `assignment("hw1")`, whose checks lie beside the notebook.

>>> check = lesson("06")
>>> check("gradient_at_100", "d").status
'right'
"""

from __future__ import annotations

import copy
import os
import sys
import traceback
import types
from functools import cache
from pathlib import Path

from minigrad.lab.handout import lessons_folder

from .apart import prepare
from .check import Lesson
from .exercises import Exercise
from .kernel import protect
from .shipped import attach, hidden_file, merge, sealed_file


class AuthoringError(ValueError):
    """A file of checks cannot be used; the message has the file, the line and the reason."""


def lesson(number: str | int | Path) -> Lesson:
    """The exercises of lesson `number`, wherever the notebook lies, or those of the file of checks at a path.

    Raises ValueError when there is no such lesson.

    >>> lesson("06")
    <lesson 06: gradient_at_100, ...>
    """
    if _is_path(number):
        return _open(Path(str(number)))
    folder = lessons_folder() / "source"
    name = f"{number:02d}" if isinstance(number, int) else str(number)
    path = folder / f"{name}_checks.py"
    if not path.is_file():
        known = ", ".join(sorted(p.name.removesuffix("_checks.py") for p in folder.glob("*_checks.py")))
        raise ValueError(f"there is no lesson {name!r} with exercises; there are {known}")
    return _open(path)


def assignment(name: str | Path) -> Lesson:
    """The exercises of the assignment `name`: its `name_checks.py` lies beside the notebook. Or give the file's path.

    Raises ValueError when the file is missing, AuthoringError when it cannot be used.
    """
    if _is_path(name):
        return _open(Path(name))
    places = list(dict.fromkeys([Path.cwd(), *_folder_of_the_notebook()]))
    for place in places:
        if (place / f"{name}_checks.py").is_file():
            return _open(place / f"{name}_checks.py")
        if (place / f"{name}.py").is_file() and (place / "checks.py").is_file():  # where it is written
            return _open(place / "checks.py")
    where = " or ".join(map(str, places))
    raise ValueError(
        f"the checks of {str(name)!r} are missing: put {name}_checks.py into {where}, "
        f'or name the file: assignment("folder/{name}_checks.py")'
    )


def load(path: Path) -> dict[str, Exercise]:
    """The exercises that a file of checks declares, as the file is now, with what the files beside it say about them.

    Those are the hidden file of the author, and the sealed answers that students have in its place.
    Raises AuthoringError, with the line, when a file cannot be run.
    """
    exercises, hidden, sealed = _declared(path), hidden_file(path), sealed_file(path)
    if hidden != path and hidden.is_file():
        exercises = merge(exercises, _declared(hidden))
    return attach(exercises, sealed.read_text(encoding="utf-8")) if sealed != path and sealed.is_file() else exercises


def _declared(path: Path) -> dict[str, Exercise]:
    """The exercises in one file, in their order."""
    try:
        status = path.stat()
    except OSError as problem:
        raise AuthoringError(f"{path} cannot be read: {problem.strerror or problem}") from None
    return copy.deepcopy(_load(path, status.st_mtime_ns, status.st_size))


@cache
def _load(path: Path, changed: int, size: int) -> dict[str, Exercise]:
    module = types.ModuleType(f"minigrad_checks_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses and pickle look for it
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    except Exception as problem:
        raise AuthoringError(_sentence(path, problem)) from problem
    found = [value for value in vars(module).values() if isinstance(value, Exercise)]
    exercises = {e.name: e for e in found}
    if not exercises:
        raise AuthoringError(f"{path.name}: no exercise is declared; write @exercise(...) above a function of c")
    if len(exercises) < len({id(e) for e in found}):
        names = [e.name for e in found]
        twice = next(name for name in names if names.count(name) > 1)
        raise AuthoringError(f"{path.name}: two exercises are called {twice!r}; give one of them another name")
    return exercises


def _sentence(path: Path, problem: Exception) -> str:
    """The file, the line of it at which the problem arose, and the reason."""
    if isinstance(problem, SyntaxError):
        return f"{path.name}, line {problem.lineno}: SyntaxError: {problem.msg}"
    lines = [row.lineno for row in traceback.extract_tb(problem.__traceback__) if row.filename == str(path)]
    own = traceback.extract_tb(problem.__traceback__)[-1].filename.startswith(os.path.dirname(__file__))
    reason = str(problem) if own and isinstance(problem, (TypeError, ValueError)) else f"{_kind(problem)}: {problem}"
    return f"{path.name}, line {lines[-1]}: {reason}" if lines else f"{path.name}: {reason}"


def _kind(problem: Exception) -> str:
    return type(problem).__name__


def _open(path: Path) -> Lesson:
    path = path.absolute()
    name = path.stem.removesuffix("_checks")
    opened = Lesson(path.parent.name if name in ("checks", "hidden") else name, load(path), path)
    prepare()
    protect(opened)
    return opened


def _is_path(name: str | int | Path) -> bool:
    return isinstance(name, Path) or str(name).endswith(".py")


def _folder_of_the_notebook() -> list[Path]:
    """Where Jupyter and VS Code say that the notebook lies: a kernel may have been started elsewhere."""
    said = [os.environ.get("JPY_SESSION_NAME", ""), vars(sys.modules["__main__"]).get("__vsc_ipynb_file__", "")]
    return [Path(name).absolute().parent for name in said if name and Path(name).parent.is_dir()]
