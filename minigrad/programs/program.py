"""A program: the NumPy calls of a function, written down once and run for other numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.messages import location_of
from ..tracing.names import identifier
from .arguments import (
    ARRAYS,
    Result,
    children,
    is_input,
    leaves,
    names_of,
    nested,
    rebuild_from,
    signature_of,
    split_call,
    title,
)  # fmt: skip
from .lines import Line
from .listing import NotAProgram, StandIn, here
from .machine import build
from .recording import Recording
from .simplify import simplified
from .surroundings import RANDOM, Fixed, Surroundings
from .text import Text, folded


class Program:
    """A program of NumPy calls, written by `source` or `compile`. It prints as its text.

    text : a function in Python that needs `import numpy as np` and nothing else.
    fixed : values that `f` uses besides its arguments and Variables, as (name, value, line): the program keeps them.
    variables : the Variables that are read anew at each call. code : the function that runs, as text.
    lines : the calls in order. Each Line has NumPy's `function`, `args` and `kwargs` with the Lines whose results it
        takes, and the `shape` and `dtype` of its result; the functions `given` and `constant` stand for outside values.

    Called, or by `run`, with arguments of the kind that it was written for, it returns the result of `f`, bit for bit.
    It runs the printed lines, and may write a large result into memory that is no longer needed, or run elementwise
    lines block by block: neither changes a bit. Its result shares no memory with anything else.
    If `f` returns Tensors, which can be differentiated, `f` itself is run.

    Raises NotAProgram for arguments of another kind.
    """

    given: Any = None  # the arguments that it was written with; None if they are not kept

    def __init__(
        self, f: Callable[..., Any], args: Any, kwargs: Any, recording: Recording, result: Result, fixed: list[Fixed]
    ) -> None:
        self.f = self.__wrapped__ = f
        self.fixed, self.connected = fixed, result.connected
        self.variables = [variable for variable, _ in recording.variables]
        self.kind, values = split_call(args, kwargs)
        self._decided = [(i, repr(values[i])) for i, line in enumerate(recording.inputs) if line is None]
        self._trainable = [v.trainable for v in self.variables]
        self._names, self._count = names_of(f, args, kwargs), len(args)
        self._paths, self._notes = recording.names, recording.notes
        self._inputs = [*recording.inputs, *(line for _, line in recording.variables)]
        self._like, constant = result.like, recording.listing.constant
        self._leaves = [
            x.line if issubclass(type(x), StandIn) else constant(x) if isinstance(x, ARRAYS) else x
            for x in result.leaves
        ]
        self.lines, self._outputs = recording.listing.lines, [x for x in self._leaves if type(x) is Line]
        lines, now = simplified(self.lines, self._outputs, False)
        outputs = [now[out] for out in self._outputs]
        self._run, self.code = build(lines, outputs, self._inputs, self._returned)

    def _returned(self, texts: list[str], known: Callable[[Any], str]) -> str:
        """The text of the result in the function that runs, nested as `f` nests it."""
        found = iter(texts)
        return nested(
            self._like, iter([next(found) if type(x) is Line else known(x) for x in self._leaves]),
            lambda key: repr(key) if type(key) in (str, int) else known(key),
            lambda like, parts: f"{known(rebuild_from)}({known(like)}, ({''.join(f'{text}, ' for text in parts)}))",
        )  # fmt: skip

    def serves(self, inputs: Sequence[Any]) -> bool:
        """Whether the numbers on which code branches are unchanged, and `trainable` of each Variable too."""
        for i, text in self._decided:
            if repr(inputs[i]) != text:
                return False
        return not self._trainable or [v.trainable for v in self.variables] == self._trainable

    def compute(self, inputs: Sequence[Any], args: Any, kwargs: Any) -> Any:
        """The result of `f` for arguments that the program serves; `inputs` are the numbers and arrays in them."""
        if self.connected:
            return self.f(*args, **kwargs)
        try:
            return self._run(*inputs, *[v.value for v in self.variables] if self.variables else ())
        except NotAProgram:
            raise
        except Exception as error:
            check_errors_are_ignored(self.f)
            self.f(*args, **kwargs)  # it raises its own error, which says more
            raise NotAProgram(
                f"{_refusal(self.f)}: where {type(error).__name__} is raised ({error}) it runs other code; "
                f"check the arguments outside"
            ) from error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of `f` for these arguments; without any, for those that `source` was given."""
        if self.given and not (args or kwargs):
            args, kwargs = self.given
        if here.listing is not None:  # it becomes part of the program that is being written
            return self.f(*args, **kwargs)
        given = dict(zip(names_of(self.f, args, kwargs), (*args, *kwargs.values())))
        if given.keys() == set(self._names):  # by position or by name, as when it was written
            first, rest = self._names[: self._count], self._names[self._count :]
            args, kwargs = tuple(given[name] for name in first), {name: given[name] for name in rest}
        kind, inputs = split_call(args, kwargs)
        if kind != self.kind or not self.serves(inputs):
            raise NotAProgram(
                f"the program of {location_of(self.f)} was written for arguments of another structure, shape, layout "
                f"or dtype, for other plain values among them, or under other settings; write another one for these"
            )
        return self.compute(inputs, args, kwargs)

    run = __call__

    @functools.cached_property
    def written(self) -> Text:
        """The program as text, with the lines that each statement computes."""
        signature = signature_of(self._names, self._count)
        variables: list[str] = []
        for v in self.variables:
            variables.append(identifier(v.name, {*signature, *variables}))
        heads = [(line, name) for line, name in zip(self._inputs, [*self._paths, *variables]) if line is not None]
        known = [(entry.name, getattr(entry.value, "value", entry.value)) for entry in self.fixed]
        signature += variables
        return Text(title(self.f), signature, self.lines, self._outputs, heads, self._notes, self._printed, known)

    def _printed(self, texts: list[str]) -> str:
        """The result in the text, nested as `f` nests it; a dataclass as a dict, a named tuple as a tuple."""
        found = iter(texts)
        leaves = iter([next(found) if type(x) is Line else repr(x) for x in self._leaves])
        text = nested(self._like, leaves, repr, _plain)
        return text[1:-1] if isinstance(self._like, tuple) and len(self._like) > 1 else text

    @property
    def text(self) -> str:
        return self.written.text

    @property
    def inputs(self) -> dict[str, Any]:
        """The current values of the parameters that the text has besides the arguments: Variables, and large arrays."""
        names = [name for name, _ in self.written.heads[len(self.written.heads) - len(self.variables) :]]
        return {name: v.value for name, v in zip(names, self.variables)} | self.written.data

    def __repr__(self) -> str:
        return folded(self.text)

    def _repr_markdown_(self) -> str:
        return f"```python\n{self!r}\n```"


def _plain(like: Any, parts: list[str]) -> str:
    if isinstance(like, tuple):
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    keys = like if isinstance(like, dict) else [at[1:] for at, _ in children(like) or ()]
    return "{" + ", ".join(f"{key!r}: {text}" for key, text in zip(keys, parts)) + "}"


def write(f: Callable[..., Any], args: Any, kwargs: Any, named: bool = False) -> tuple[Program, Any]:
    """Write the program for a call of `f`, and compare its result with that of `f`; return both.

    named : whether the text uses the names of local variables in the user's code.

    Raises NotAProgram.
    """
    check_errors_are_ignored(f)
    names = names_of(f, args, kwargs)
    try:
        for name, x in zip(names, (*args, *kwargs.values())):
            for path, leaf in leaves(x, name):
                is_input(leaf, path)
    except NotAProgram as error:
        raise NotAProgram(f"{location_of(f)}: {error}") from None
    try:
        surroundings = Surroundings(f, _objects((args, kwargs)))
    except NotAProgram as error:
        raise NotAProgram(f"{_refusal(f)}: {error}; pass the values as arguments") from None
    recording = _recorded(f, args, kwargs, names, named)
    changed = surroundings.changed()
    recorded = Result(recording.result, f)
    if not changed:
        plain = Result(found := f(*args, **kwargs), f)
        changed = surroundings.changed()
    if changed == RANDOM:
        raise NotAProgram(f"{_refusal(f)}: it draws random numbers; draw them outside and pass them as an argument")
    if changed:
        raise NotAProgram(f"{_refusal(f)}: it changes {changed}, which it captures; return the new value instead")
    if not recorded.same(plain):
        raise NotAProgram(
            f"{_refusal(f)}: it gave another result when it ran again at the same arguments, so it uses something that "
            f"changes (random numbers, the time, a counter), or depends on the type of an array; pass it as an argument"
        )
    program = Program(f, args, kwargs, recording, recorded, surroundings.fixed)
    del recording, recorded
    if not program.connected:
        found = program(*args, **kwargs)
        if not plain.same(Result(found, f)):
            raise NotAProgram(f"{_refusal(f)}: its program gives other bytes than the function; leave it uncompiled")
    return program, found


def _recorded(f: Any, args: Any, kwargs: Any, names: Sequence[str], named: bool) -> Recording:
    """Run `f` on stand-ins, and run it again each time that code branched on another number among the arguments."""
    decided: frozenset[int] = frozenset()
    while True:
        try:
            recording = Recording(f, args, kwargs, names, decided, named)
        except NotAProgram:
            raise
        except Exception as error:
            f(*args, **kwargs)  # if it raises an error too, that one is shown
            what = f"{type(error).__name__}: {error}"
            raise NotAProgram(f"{_refusal(f)}: while it was written it raised {what}") from error
        if recording.decided() == decided:
            return recording
        decided |= recording.decided()


def _refusal(f: Any) -> str:
    return f"{location_of(f)} cannot be written as a program"


def check_errors_are_ignored(f: Any) -> None:
    """Raise NotAProgram while floating point errors do more than warn."""
    if {"raise", "call", "print", "log"} & set(np.geterr().values()):
        raise NotAProgram(
            f"{location_of(f)} cannot run as a program while np.errstate or np.seterr is set to act on "
            f"floating point errors; leave it at 'ignore' or 'warn'"
        )


def _objects(x: Any) -> list[Any]:
    """The dataclasses among arguments."""
    inner = children(x) or ()
    own = [x] if hasattr(type(x), "__dataclass_fields__") else []
    return own + [found for _, child in inner for found in _objects(child)]
