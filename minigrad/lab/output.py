"""Output of commands that go on if nobody reads it, as with `| head`."""

import os
import sys


def say(text: str) -> None:
    """Print a text at once. If nobody reads on, the rest of the output is discarded, and the command goes on."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
    """Send what is printed from now on nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
