"""A program: what a function computed, written down once and run for other numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.messages import argument_names, describe, location_of
from ..core.tensor import Tensor
from ..core.variable import Variable
from ..tracing.names import identifier
from .arguments import children, is_input, leaves, nested, rebuild, rebuild_from, sorted_out
from .lines import Line
from .listing import NotAProgram, StandIn, here, real, same_bytes
from .machine import build
from .recording import Recording
from .simplify import simplified
from .surroundings import RANDOM, Fixed, Surroundings
from .text import Text, folded, signature_of, title

_PLAIN = (Variable, int, float, str, type(None), np.dtype, type, slice, range)


class Result:
    """What a function returned.

    like : its structure. leaves : what stands in it; values : the arrays and numbers of these.
    connected : whether a Tensor is among them.

    Raises NotAProgram where there is something else.
    """

    def __init__(self, result: Any, f: Any) -> None:
        found = [x for _, x in leaves(result)]
        tensors = [isinstance(x, Tensor) and not isinstance(x, Variable) for x in found]
        self.like, self.connected = rebuild(result, iter([None] * len(found))), any(tensors)
        self.leaves = [x.value if tensor else x for x, tensor in zip(found, tensors)]
        self.values = [real(x) for x in self.leaves]
        self._kinds = [tensor or isinstance(x, _ARRAYS) for x, tensor in zip(self.leaves, tensors)]
        for x, known in zip(self.leaves, self._kinds):
            if not (known or isinstance(x, _PLAIN)):
                raise NotAProgram(
                    f"{location_of(f)} cannot be written as a program: it returns {describe(x)}, which is neither a "
                    f"Tensor, an array, a number nor a structure of these; return its arrays"
                )

    def same(self, other: Result) -> bool:
        """Whether two results are nested alike and equal byte by byte."""
        alike = repr(_types(self.like)) == repr(_types(other.like)) and self._kinds == other._kinds
        return alike and all(map(_same, self._kinds, self.values, other.values))


_ARRAYS = (np.ndarray, np.generic)


def _types(like: Any) -> Any:
    """The types and keys of a structure."""
    inner = children(like)
    return None if inner is None else (type(like), [(at, _types(child)) for at, child in inner])


def _same(array: bool, a: Any, b: Any) -> bool:
    if not array:
        return a is b or (type(a) is type(b) and repr(a) == repr(b))
    return same_bytes(a, b) or same_bytes(_unsigned_nan(a), _unsigned_nan(b))


def _unsigned_nan(x: Any) -> Any:
    """`x` with each nan positive: NumPy's numbers and its arrays differ in the sign of a nan that meets another."""
    x = np.asarray(x)
    return np.where(np.isnan(x), x.dtype.type(np.nan), x) if x.dtype.kind == "f" else x


class Program:
    """A program of NumPy calls, written by `source` or `compile`. It prints as its text.

    text : a function in Python that needs `import numpy as np` and nothing else.
    fixed : what `f` uses besides its arguments and Variables, as (name, value, line): the program keeps these values.
    variables : the Variables that are read anew at each call. code : the function that runs, as text.

    Called, or by `run`, with arguments of the kind that it was written for, it returns what `f` would, with its bytes.
    It runs the printed lines, and may write a large result into the memory of one that is not needed any more, or run
    elementwise lines block by block: neither changes a bit. What it returns shares no memory with anything else.
    Where `f` returns Tensors, which can be differentiated, `f` itself is run.

    Raises NotAProgram for arguments of another kind.
    """

    given: Any = None  # the arguments that it was written with, where they are kept

    def __init__(
        self, f: Callable[..., Any], args: Any, kwargs: Any, recording: Recording, result: Result, fixed: list[Fixed]
    ) -> None:
        self.f = self.__wrapped__ = f
        self.fixed, self.connected = fixed, result.connected
        self.variables = [variable for variable, _ in recording.variables]
        self.kind, values = sorted_out(args, kwargs)
        self._decided = [(i, repr(values[i])) for i, line in enumerate(recording.inputs) if line is None]
        self._trainable = [v.trainable for v in self.variables]
        self._names, self._count = names_of(f, args, kwargs), len(args)
        self._paths, self._notes = recording.names, recording.notes
        self._inputs = [*recording.inputs, *(line for _, line in recording.variables)]
        self._like, constant = result.like, recording.listing.constant
        self._leaves = [
            x.line if issubclass(type(x), StandIn) else constant(x) if isinstance(x, _ARRAYS) else x
            for x in result.leaves
        ]
        self._lines, self._outputs = recording.listing.lines, [x for x in self._leaves if type(x) is Line]
        lines, now = simplified(self._lines, self._outputs, False)
        outputs = [now[out] for out in self._outputs]
        self._run, self.code = build(lines, outputs, self._inputs, self._returned)

    def _returned(self, texts: list[str], known: Callable[[Any], str]) -> str:
        """What the function that runs returns, nested as `f` nests it."""
        found = iter(texts)
        return nested(
            self._like, iter([next(found) if type(x) is Line else known(x) for x in self._leaves]),
            lambda key: repr(key) if type(key) in (str, int) else known(key),
            lambda like, parts: f"{known(rebuild_from)}({known(like)}, ({''.join(f'{text}, ' for text in parts)}))",
        )  # fmt: skip

    def serves(self, inputs: Sequence[Any]) -> bool:
        """Whether numbers that decide are what they were, and Variables as trainable as they were."""
        for i, text in self._decided:
            if repr(inputs[i]) != text:
                return False
        return not self._trainable or [v.trainable for v in self.variables] == self._trainable

    def compute(self, inputs: Sequence[Any], args: Any, kwargs: Any) -> Any:
        """What `f` returns for arguments that the program serves; `inputs` are the numbers and arrays in them."""
        if self.connected:
            return self.f(*args, **kwargs)
        try:
            return self._run(*inputs, *[v.value for v in self.variables] if self.variables else ())
        except NotAProgram:
            raise
        except Exception as error:
            check_errors_are_ignored(self.f)
            self.f(*args, **kwargs)  # an error of its own says more
            raise NotAProgram(
                f"{_whole(self.f)}: where {type(error).__name__} is raised ({error}) it runs other code; "
                f"check the arguments outside"
            ) from error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `f` returns for these arguments; without any, for those that `source` was given."""
        if self.given and not (args or kwargs):
            args, kwargs = self.given
        if here.listing is not None:  # it becomes part of the program that is being written
            return self.f(*args, **kwargs)
        given = dict(zip(names_of(self.f, args, kwargs), (*args, *kwargs.values())))
        if given.keys() == set(self._names):  # by position or by name, as when it was written
            first, rest = self._names[: self._count], self._names[self._count :]
            args, kwargs = tuple(given[name] for name in first), {name: given[name] for name in rest}
        kind, inputs = sorted_out(args, kwargs)
        if kind != self.kind or not self.serves(inputs):
            raise NotAProgram(
                f"the program of {location_of(self.f)} was written for arguments of another structure, shape, layout "
                f"or dtype, for other plain values among them, or under other settings; write another one for these"
            )
        return self.compute(inputs, args, kwargs)

    run = __call__

    @functools.cached_property
    def written(self) -> Text:
        """The program as text, and which lines its statements compute."""
        signature = signature_of(self._names, self._count)
        variables: list[str] = []
        for v in self.variables:
            variables.append(identifier(v.name, {*signature, *variables}))
        heads = [(line, name) for line, name in zip(self._inputs, [*self._paths, *variables]) if line is not None]
        known = [(entry.name, getattr(entry.value, "value", entry.value)) for entry in self.fixed]
        signature += variables
        return Text(title(self.f), signature, self._lines, self._outputs, heads, self._notes, self._printed, known)

    def _printed(self, texts: list[str]) -> str:
        """What the text returns, nested as `f` nests it; a dataclass as a dict, a named tuple as a tuple."""
        found = iter(texts)
        leaves = iter([next(found) if type(x) is Line else repr(x) for x in self._leaves])
        text = nested(self._like, leaves, repr, _plain)
        return text[1:-1] if isinstance(self._like, tuple) and len(self._like) > 1 else text

    @property
    def text(self) -> str:
        return self.written.text

    @property
    def inputs(self) -> dict[str, Any]:
        """The present values of the parameters of the text that are no arguments: Variables, and large arrays."""
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
    """A program for a call of `f`, and its result, which is compared with that of `f`.

    named : whether its text has the names that code gives to its local variables.

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
        around = Surroundings(f, _objects((args, kwargs)))
    except NotAProgram as error:
        raise NotAProgram(f"{_whole(f)}: {error}; pass the values as arguments") from None
    recording = _recorded(f, args, kwargs, names, named)
    changed = around.changed()
    written = Result(recording.result, f)
    if not changed:
        found = f(*args, **kwargs)
        again = Result(found, f)
        changed = around.changed()
    if changed == RANDOM:
        raise NotAProgram(f"{_whole(f)}: it draws random numbers; draw them outside and pass them as an argument")
    if changed:
        raise NotAProgram(f"{_whole(f)}: it changes {changed}, which it captures; return the new value instead")
    if not written.same(again):
        raise NotAProgram(
            f"{_whole(f)}: it gave another result when it ran again at the same arguments, so it uses something that "
            f"changes (random numbers, the time, a counter), or looks at the type of an array; pass it as an argument"
        )
    program = Program(f, args, kwargs, recording, written, around.fixed)
    del recording, written
    if not program.connected:
        found = program(*args, **kwargs)
        if not again.same(Result(found, f)):
            raise NotAProgram(f"{_whole(f)}: its program gives other bytes than the function; leave it uncompiled")
    return program, found


def _recorded(f: Any, args: Any, kwargs: Any, names: Sequence[str], named: bool) -> Recording:
    """A run on stand-ins, and another one each time that a number among the arguments turns out to decide."""
    decided: frozenset[int] = frozenset()
    while True:
        try:
            recording = Recording(f, args, kwargs, names, decided, named)
        except NotAProgram:
            raise
        except Exception as error:
            f(*args, **kwargs)  # an error of its own is raised here
            raise NotAProgram(f"{_whole(f)}: while it was written it raised {type(error).__name__}: {error}") from error
        if recording.decided() == decided:
            return recording
        decided |= recording.decided()


def _whole(f: Any) -> str:
    return f"{location_of(f)} cannot be written as a program"


def check_errors_are_ignored(f: Any) -> None:
    """Raise NotAProgram while floating point errors do more than warn."""
    if {"raise", "call", "print", "log"} & set(np.geterr().values()):
        raise NotAProgram(
            f"{location_of(f)} cannot run as a program while np.errstate or np.seterr is set to act on "
            f"floating point errors; leave it at 'ignore' or 'warn'"
        )


def names_of(f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[str]:
    """What the arguments are called: by the parameters of `f`, `xs[0]` for the first of `*xs`."""
    return [*argument_names(f, len(args)), *kwargs]


def _objects(x: Any) -> list[Any]:
    """The dataclasses among arguments."""
    inner = children(x) or ()
    own = [x] if hasattr(type(x), "__dataclass_fields__") else []
    return own + [found for _, child in inner for found in _objects(child)]
