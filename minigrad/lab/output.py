"""Command output: a command goes on even if the reader of its output stops, as with `| head`."""

import os
import sys


def say(text: str) -> None:
    """Print a text at once. If the reader has stopped, the rest of the output is discarded, and the command goes on."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
    """Discard all further output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
