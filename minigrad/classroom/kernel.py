"""What a lesson changes in its notebook: its own names come back when a cell assigns them, and exit() ends nothing."""

from __future__ import annotations

import sys
from typing import Any

LOST = "{name!r} is the name with which answers are checked, so it was put back. Write the answer under its own name."
STAYS = "exit() is left out here: it would end the kernel, and with it everything you have computed."


def protect(tool: Any) -> None:
    """Put `tool` back, under the name that the notebook gives it, after each cell that replaces it.

    Does nothing outside of a notebook.
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

    shell.events.register("post_run_cell", after_cell)
    shell.ask_exit = lambda: print(STAYS)
