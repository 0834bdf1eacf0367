"""`compile`: a function runs as the straight-line NumPy that an earlier call was recorded as."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Collection
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ..call import ignoring
from ..node import hooks
from ..structure import flatten
from ..tensor import Tensor, default_dtype
from ..transforms import check_function, nest
from ..variable import Variable
from ..words import place_of
from .entrance import MISS
from .entry import LIMIT, Entry
from .making import is_input
from .pictures import token
from .surroundings import Surroundings


class NotCompiled(UserWarning):
    """Said once, where a compiled function runs as it is, and why."""


def compile(f: Callable[..., Any]) -> Compiled:
    """The same function, recorded and from then on run as a program of NumPy calls.

    Parameters
    ----------
    f : a function of arrays, Tensors, Variables and nested structures of them. It may be what a transform returns:
        `compile(value_and_grad(loss))` compiles the backward pass too, and is the fastest. The other way round works
        as well: a compiled function can be differentiated like any other.

    The first call with arguments of new shapes and dtypes runs `f` as it is, the second records it, and its program
    must repeat the first result; after that the program runs. Its numbers may differ from those of `f` in the last
    digit. Where Python decides by a number (`if x > 0`), the program holds for that decision, and another decision is
    recorded as another program. Python numbers and strings among the arguments, and what `f` captures, are part of the
    program: with others, `f` is recorded again. Numbers that change from call to call are given as NumPy values.
    A NumPy random generator given as an argument is drawn from anew in each call; Variables are read anew.

    What `f` captures, the attributes of objects and the numbers in arrays included, is compared at each call: large
    arrays are better given as arguments. What it reads from files or the environment is read when it is recorded.

    What cannot be compiled runs as it is, after a NotCompiled warning that says why: when numbers leave the graph
    (`.numpy()`, `float(x)`), when `f` changes something that it captures, prints, or gives another result for the same
    arguments, when there would be more than 8 programs.

    Raises TypeError for what is not a function.

    >>> import minigrad as mg
    >>> step = compile(mg.value_and_grad(lambda x: mg.sum(mg.exp(x))))
    >>> for _ in range(3):
    ...     value, gradient = step(np.zeros(2))
    >>> value, gradient
    (np.float64(2.0), array([1., 1.]))
    """
    check_function(f, "compile")
    return Compiled(f)


class Compiled:
    """A compiled function.

    reason : why it runs as it is, if it does. programs : how many programs were recorded.
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f, ("__module__", "__name__", "__qualname__", "__doc__"), ())
        self.f = f
        self.reason = ""
        self.surroundings = Surroundings(f)
        self.quick: tuple[Callable[..., Any], ...] = ()  # short ways into the programs that ran last
        self._entries: dict[Any, Entry] = {}

    @property
    def programs(self) -> int:
        return sum(len(entry.programs) for entry in self._entries.values())

    def __repr__(self) -> str:
        return f"<compiled {place_of(self.f)}>"

    def __reduce__(self) -> Any:
        """Copies and pickles hold the function; its programs stay behind."""
        return compile, (self.f,)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            for enter in self.quick:
                found = enter(*args)
                if found is not MISS:
                    return found
        if self.reason:
            return self.f(*args, **kwargs)
        return self._find(args, kwargs)

    def _find(self, args: Any, kwargs: dict[str, Any]) -> Any:
        if not _usual():
            return self.f(*args, **kwargs)
        leaves: list[Any] = []
        key = self._key(args, kwargs, leaves)
        if key not in self._entries:  # functions that f calls may have been defined, or others, since it was looked at
            self.surroundings = Surroundings(self.f)
            leaves.clear()
            key = self._key(args, kwargs, leaves)
        if self.surroundings.prints:
            return self.give_up(f"{self.surroundings.prints} prints")(*args, **kwargs)
        entry = self._entries.get(key)
        if entry is None:
            if len(self._entries) >= LIMIT:
                return self.give_up(self._too_many(key))(*args, **kwargs)
            fixed = [x for x in flatten((args, kwargs)) if not is_input(x)]
            entry = self._entries[key] = Entry(self, [fixed, self.surroundings.values()])
        return entry.call(args, kwargs, leaves)

    def _key(self, args: Any, kwargs: dict[str, Any], leaves: list[Any]) -> Any:
        """What a program is written for; what may change from call to call is added to `leaves`."""
        shown = picture((args, kwargs), leaves, self.surroundings.names)
        return shown, self.surroundings.key(), nest(0) > 0, default_dtype()

    def give_up(self, reason: str) -> Callable[..., Any]:
        """Run as it is from now on, and say why."""
        self.reason, self.quick = reason, ()
        self._entries.clear()
        warnings.warn(f"{place_of(self.f)} is not compiled and runs as it is: {reason}", NotCompiled, stacklevel=4)
        return self.f

    def _too_many(self, key: Any) -> str:
        """What is different from call to call."""
        parts = (
            "the shapes, dtypes or Python values of its arguments",
            "what it captures",
            "where it is called",
            "dtype",
        )
        i = next(i for i in range(4) if len({k[i] for k in self._entries} | {key[i]}) > 1)
        name = self.surroundings.changed(list(self._entries)[-1][1], key[1]) if i == 1 else ""
        what = f"{parts[i]} ({name})" if name else parts[i]
        return f"it was recorded {LIMIT} times because {what} changed; give numbers that change as NumPy values"


def picture(x: Any, leaves: list[Any], names: Collection[str] = ()) -> Any:
    """A hashable picture of arguments, equal where one program serves; what may change is added to `leaves`."""
    if isinstance(x, (list, tuple)):
        return type(x), tuple([picture(item, leaves, names) for item in x])
    if isinstance(x, dict):
        return dict, tuple([(key, picture(x[key], leaves, names)) for key in x])
    if isinstance(x, Variable):
        leaves.append(x)
        return "variable", id(x)
    if is_input(x):
        leaves.append(x)
        return "tensor" if isinstance(x, Tensor) else type(x), x.shape, x.dtype
    if isinstance(x, np.random.Generator):
        leaves.append(x)
        return "generator"
    if isinstance(x, (FunctionType, MethodType, functools.partial)):
        return id(x), Surroundings(x).key()
    return token(x, names)


def _usual() -> bool:
    """Whether nobody has a say in what ops do: no gradient_override_map, no ignore_custom_gradients, no other
    recording, of which `f` then becomes a part, and NumPy does not raise FloatingPointError."""
    followed = any(hook.__module__ not in ("minigrad.lines", "minigrad.scope") for hook in hooks)
    return not (followed or ignoring() or {"raise", "call", "print", "log"} & set(np.geterr().values()))
