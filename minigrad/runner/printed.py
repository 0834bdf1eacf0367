"""Keep the printed text of a student's code, up to a limit."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator

import numpy as np


class PrintedText(io.StringIO):
    """The printed text, cut off after `most` characters."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most, self.cut = most, False

    def write(self, text: str) -> int:
        room = self.most - self.tell()
        self.cut = self.cut or len(text) > room
        super().write(text[: max(0, room)])
        return len(text)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence the warnings of Python and NumPy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            yield
