"""The changes that a lesson makes to the kernel of its notebook.

The lesson's own names are restored after a cell assigns them, exit() is disabled, and a cell that gives away a
prediction runs only after the prediction.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .exercises import Exercise
from .notebook import AFTER

LOST = "{name!r} is the function that checks answers, so it was put back. Give the answer its own name."
HOLDS = re.compile(re.escape(AFTER).replace(r"\{name\}", r"(\w+)"))
HELD = "Predict first: type your answer instead of the ... in `{name} = ...`, and run that cell. Then run this one."
ABSENT = "Predict first: there is no {name} yet. Run the cell that asks for it, answer there, and run this one again."
UNREAD = "Predict first: `{name}` is not an answer yet. {expects} Then run that cell, and this one."
IN_PICTURE = "Predict first: answer in the picture {name}, and press Check. Then run this cell."
BUILT = "Build {name} first. This cell runs when {name} is right, or when you have tried and seen every hint."
STAYS = "exit() is left out here: it would end the kernel, and with it everything you have computed."


def protect(tool: Any) -> None:
    """Register hooks that restore `tool` under its name after any cell that replaces it, and hold back marked cells.

    Do nothing outside a notebook.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return
    names: list[str] = []

    def after_cell(result: Any = None) -> None:
        for name in names:
            now = shell.user_ns.get(name, tool)
            if now is not tool and not isinstance(now, type(tool)):
                shell.user_ns[name] = tool
                print(LOST.format(name=name))
        names[:] = [name for name, value in shell.user_ns.items() if value is tool and not name.startswith("_")]

    def before_cell(lines: list[str]) -> list[str]:
        """Return the lines of a cell, or one line that prints why the cell is held back."""
        mark = HOLDS.match(lines[0]) if lines else None
        exercise = tool.exercises.get(mark[1]) if mark else None
        says = held_back(tool, exercise, shell.user_ns) if exercise is not None else ""
        return [f"print({says!r})\n"] if says else lines

    shell.events.register("post_run_cell", after_cell)
    shell.input_transformers_cleanup.append(before_cell)
    shell.ask_exit = lambda: print(STAYS)


def held_back(tool: Any, exercise: Exercise, names: Mapping[str, Any]) -> str:
    """Return a sentence on what to do before a held cell runs or a locked text opens, or "" if that was done.

    names : the variables of the notebook.
    """
    value = names.get(exercise.name, ...)
    if os.environ.get("MINIGRAD_PREDICTED"):  # set while a lesson is being released
        return ""
    if exercise.question is None:
        return "" if tool.finished(exercise.name) else BUILT.format(name=exercise.name)
    answer = exercise.question.answer_in(value)
    if exercise.name not in names:
        return ABSENT.format(name=exercise.name)
    if answer is ...:
        return (IN_PICTURE if hasattr(value, "answer") else HELD).format(name=exercise.name)
    if not exercise.question.understood(answer):
        return UNREAD.format(name=exercise.name, expects=exercise.question.expects)
    return ""


def folder_of_the_notebook() -> Path:
    """Return the notebook's folder according to Jupyter or VS Code, or else the folder where the kernel was started."""
    names = [os.environ.get("JPY_SESSION_NAME", ""), vars(sys.modules["__main__"]).get("__vsc_ipynb_file__", "")]
    folders = (Path(name).absolute().parent for name in names if name)
    return next((folder for folder in folders if folder.is_dir()), Path.cwd())
