"""Print the output of commands; a command continues even if nobody reads its output any more, as with `| head`."""

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Any


def say(text: str) -> None:
    """Print `text` at once. If the output is closed, as by `| head`, discard this and all further output."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
    """Discard all further output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def bar(things: Iterable[Any], total: int | None = None, **words: str) -> Any:
    """Yield the things while a progress bar in the terminal counts them; show nothing if the output goes elsewhere.

    words : `desc` and `unit` of tqdm.

    A terminal of size 0, as under `script`, counts as 80 by 24, because tqdm would show nothing in it.
    """
    from tqdm import tqdm

    columns, lines = shutil.get_terminal_size()
    return tqdm(things, total=total, disable=None, ncols=columns - 1, nrows=lines, **words)
