"""Arguments: numbers, arrays, Tensors, Variables and structures of them, and which of them one program serves."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..core.variable import Variable
from .listing import NotAProgram


def children(x: Any) -> list[tuple[str, Any]] | None:
    """The (path, child) pairs of a list, tuple, named tuple, dict or dataclass; None for everything else."""
    kind = type(x)
    if kind in (list, tuple):
        return [(f"[{i}]", child) for i, child in enumerate(x)]
    if kind in (dict, OrderedDict):
        return [(f"[{key!r}]", child) for key, child in x.items()]
    if isinstance(x, tuple) and hasattr(kind, "_fields") and not getattr(x, "__dict__", None):
        return [(f".{name}", child) for name, child in zip(kind._fields, x)]
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        names = [f.name for f in dataclasses.fields(x)]
        if set(getattr(x, "__dict__", ())) <= set(names):
            return [(f".{name}", getattr(x, name)) for name in names]
    return None


def leaves(x: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The (path, leaf) pairs of an argument or a result, in order."""
    inner = children(x)
    if inner is None:
        yield path, x
    for at, child in inner or ():
        yield from leaves(child, path + at)


def tensors_in(x: Any) -> list[Tensor]:
    """The Tensors among the leaves, without Variables."""
    return [leaf for _, leaf in leaves(x) if type(leaf) is Tensor]


def rebuild(like: Any, new: Iterator[Any]) -> Any:
    """A structure like `like` with other leaves, in the order of `leaves`."""
    inner = children(like)
    if inner is None:
        return next(new)
    return rebuild_from(like, [rebuild(child, new) for _, child in inner])


def rebuild_from(like: Any, new: Sequence[Any]) -> Any:
    """A structure like `like` with other children."""
    kind = type(like)
    if kind in (list, tuple):
        return kind(new)
    if kind in (dict, OrderedDict):
        return kind(zip(like, new))
    if isinstance(like, tuple):
        return tuple.__new__(kind, new)
    made = object.__new__(kind)
    for field, value in zip(dataclasses.fields(like), new):
        object.__setattr__(made, field.name, value)
    return made


def nesting(x: Any, leaf: Callable[[Any], Any]) -> Any:
    """How a structure is nested: its types and keys, with `leaf` of each leaf."""
    inner = children(x)
    if inner is None:
        return leaf(x)
    return type(x), list(x) if isinstance(x, dict) else (), [nesting(child, leaf) for _, child in inner]


def is_input(x: Any, path: str) -> bool:
    """Whether a leaf is read anew at each call, and not a Variable, or a value that a program is written for.

    path : the code that reaches it. Raises NotAProgram for an object that no program takes.
    """
    kind = type(x)
    if kind in (Variable, bool, str, type(None)):
        return False
    array = kind in (np.ndarray, Tensor) or isinstance(x, np.generic)
    if kind in (int, float) or (array and x.dtype.kind in "fiub"):
        return True
    what = f"an object of type {kind.__name__}"
    if isinstance(x, np.ndarray):
        what = f"an array of dtype {x.dtype}" if kind is np.ndarray else f"an array of class {kind.__name__}"
    elif getattr(x, "__name__", ""):
        what = f"{x.__name__!r} of type {kind.__name__}"
    raise NotAProgram(
        f"{path} cannot be an argument of a program: it is {what}, neither a number, an array, a Tensor, "
        f"a Variable nor a list, tuple, dict or dataclass of these; pass its arrays, or close over it: what a "
        f"function closes over is fixed when its program is written"
    )


class Entrance:
    """Python that tests whether a program serves the arguments of a call, and finds its inputs in them.

    tests : conditions. inputs : an expression for each leaf that is read anew. space : the globals of both.
    tensors : an expression for each Tensor among the leaves.
    """

    def __init__(self, args: Sequence[Any], kwargs: dict[str, Any], decided: Collection[int]) -> None:
        self.tests = ["not more", f"list(options) == {list(kwargs)}" if kwargs else "not options"]
        self.inputs: list[str] = []
        self.tensors: list[str] = []
        self.space: dict[str, Any] = {}
        self._decided, self._leaf = decided, -1
        for i, x in enumerate(args):
            self._take(f"x{i}", x)
        for key, x in kwargs.items():
            self._take(f"options[{key!r}]", x)

    def known(self, value: Any) -> str:
        """The name of a value among the globals."""
        name = f"k{len(self.space)}"
        self.space[name] = value
        return name

    def key(self, key: Any) -> str:
        """A key of a dict."""
        return repr(key) if type(key) in (str, int) else self.known(key)

    def _take(self, text: str, x: Any) -> None:
        """Test whether `text` stands for an argument that is like `x`."""
        kind, inner = type(x), children(x)
        if kind is Variable:
            self.tests.append(f"{text} is {self.known(x)}")
            return
        self.tests.append(f"type({text}) is {self.known(kind)}")
        if inner is None:
            self._take_leaf(text, x)
        elif isinstance(x, dict):
            keys = [self.key(key) for key in x]
            self.tests.append(f"list({text}) == [{', '.join(keys)}]")
            if any(type(key) is not str for key in x):  # 1 and 1.0 are equal
                self.tests.append(f"list(map(type, {text})) == {self.known(list(map(type, x)))}")
            for key, child in zip(keys, x.values()):
                self._take(f"{text}[{key}]", child)
        else:
            self.tests += [f"len({text}) == {len(x)}"] if isinstance(x, (list, tuple)) else []
            for at, child in inner:
                self._take(text + at, child)

    def _take_leaf(self, text: str, x: Any) -> None:
        if type(x) in (bool, str, type(None)):
            self.tests.append(f"{text} == {x!r}")
            return
        self._leaf += 1
        if type(x) is Tensor:
            self.tensors.append(text)
        if self._leaf in self._decided:
            self.tests.append(f"repr({text}) == {repr(x)!r}")
            return
        if type(x) is Tensor:
            text, x = f"{text}.value", x.value
            self.tests.append(f"type({text}) is {self.known(type(x))}")
        self.inputs.append(text)
        if isinstance(x, np.ndarray):
            layout = [f"{text}.shape == {x.shape!r}", f"{text}.dtype == {self.known(x.dtype)}"]
            self.tests += [*layout, f"{text}.strides == {x.strides!r}"]


def nested(like: Any, parts: Iterator[str], key: Callable[[Any], str], other: Callable[[Any, list[str]], str]) -> str:
    """A structure as Python writes it, with these texts for its leaves.

    key : writes a key of a dict. other : writes a structure that is neither a list, a tuple nor a dict.
    """
    inner = children(like)
    if inner is None:
        return next(parts)
    found = [nested(child, parts, key, other) for _, child in inner]
    if type(like) is list:
        return f"[{', '.join(found)}]"
    if type(like) is tuple:
        return f"({', '.join(found)}{',' * (len(found) == 1)})"
    if type(like) is dict:
        return "{" + ", ".join(f"{key(k)}: {text}" for k, text in zip(like, found)) + "}"
    return other(like, found)
