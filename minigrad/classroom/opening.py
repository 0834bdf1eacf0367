"""Open the exercises in the first cell of a notebook: `lesson("06")`, or `assignment("hw1")`.

>>> check = lesson("06")
>>> check("gradient_at_100", "d").status
'right'
"""

from __future__ import annotations

from pathlib import Path

from minigrad.lab.handout import lessons_folder

from .check import Lesson
from .kernel import folder_of_the_notebook, protect
from .loading import load
from .other_process import prepare


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
    places = list(dict.fromkeys([Path.cwd(), folder_of_the_notebook()]))
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


def _open(path: Path) -> Lesson:
    path = path.absolute()
    name = path.stem.removesuffix("_checks")
    opened = Lesson(path.parent.name if name in ("checks", "hidden") else name, load(path), path)
    prepare()
    protect(opened)
    return opened


def _is_path(name: str | int | Path) -> bool:
    return isinstance(name, Path) or str(name).endswith(".py")
