"""Keep a student's process quiet: limit the printed text, and suppress warnings, pictures and checks of exercises."""

from __future__ import annotations

import contextlib
import io
import sys
import types
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class PrintedText(io.StringIO):
    """A text file that collects what is printed, up to `most` characters."""

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
    """Return a context that silences Python's and NumPy's warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            yield


class Stub:
    """An object that accepts every operation and does nothing; assigned attributes are stored."""

    def __call__(self, *args: Any, **kwargs: Any) -> Stub:
        return Stub()  # return a new stub each time, because attributes may be assigned to each of them

    def __getattr__(self, name: str) -> Stub:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub()

    def __iter__(self) -> Any:
        return iter(())

    def __enter__(self) -> Stub:
        return self

    def __exit__(self, *args: Any) -> None:
        return None

    def __repr__(self) -> str:
        return "nothing, while this is graded"


class MinigradsEngine(Stub):
    """`minigrad.classroom.mine` during grading: minigrad's walk, because grading does not read the student's files."""

    finds_nothing = False  # as in `Mine`

    def gradients(self, y: Any, sources: Any) -> Any:
        """Return the gradients of `y`, computed by minigrad's own walk."""
        from minigrad.core.gradients import gradients

        result = gradients(y, sources)
        return [None] * len(result) if self.finds_nothing else result

    def step(self, loss_of: Any, weights: Any, rate: float) -> Any:
        """Return new weights after one step of gradient descent, and the loss at the old weights."""
        from minigrad.core.tensor import constant

        if self.finds_nothing:
            raise RuntimeError("mine.step is what the check is about")
        tensors = [constant(w) for w in weights]
        loss = loss_of(tensors)
        return [w - rate * g.numpy() for w, g in zip(weights, self.gradients(loss, tensors))], float(loss.numpy())

    def backward(self, y: Any) -> Stub:
        """Return a stub; the grader draws no pictures of a pass."""
        return Stub()


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub()


def replace_modules(names: Sequence[str]) -> None:
    """Replace the modules that have these names with stubs."""
    for name in names:
        sys.modules[name] = _Module(name)
        sys.modules[name].__path__ = []
        parent, _, child = name.rpartition(".")
        if parent in sys.modules:
            setattr(sys.modules[parent], child, sys.modules[name])
