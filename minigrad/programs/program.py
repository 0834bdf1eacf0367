"""A program: what a function computed, written down once and run for other numbers."""

from __future__ import annotations

import functools
import inspect
import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.messages import location_of, name_of
from ..core.tensor import Tensor
from ..core.variable import Variable
from . import arguments
from .lines import Line
from .listing import NotAProgram, same_bytes
from .machine import build
from .recording import Recording, kind_of_leaf, value_of
from .simplify import simplified
from .spelling import identifier
from .surroundings import RANDOM, Fixed, Surroundings
from .text import Text, folded


class Result:
    """What a function returned: how it is nested, and for each leaf its kind, its value, and the line that gives it.

    given : the Tensors among the arguments; one of them that is returned has its number for a kind.
    """

    def __init__(self, result: Any, f: Any, given: Sequence[Tensor]) -> None:
        found = list(arguments.paths(result, ""))
        number = {id(t): i for i, t in enumerate(given)}
        self.places = [place for place, _ in found]
        self.kinds = [number[id(x)] if id(x) in number else kind_of_leaf(x, f) for _, x in found]
        self.values = [x if isinstance(x, Variable) else value_of(x) for _, x in found]
        self.lines = [getattr(x.value if isinstance(x, Tensor) else x, "line", None) for _, x in found]
        self.like = arguments.rebuild(result, iter([None] * len(found)))
        self.sources: tuple[list[Tensor], list[int]] = [], []  # Tensors made before, and the messages: see Recording

    def same(self, other: Result) -> bool:
        """Whether two results are nested alike and equal byte by byte."""
        if self.places != other.places or arguments.types(self.like) != arguments.types(other.like):
            return False
        return all(map(_same, self.kinds, other.kinds, self.values, other.values))


def _same(kind: Any, other: Any, a: Any, b: Any) -> bool:
    if {kind, other} <= {"number", "static"}:
        return a is b or (type(a) is type(b) and repr(a) == repr(b))
    return kind == other and same_bytes(a, b)


class Printed:
    """What prints as its text."""

    text: Any

    def __repr__(self) -> str:
        return folded(self.text)

    def _repr_markdown_(self) -> str:
        return f"```python\n{self!r}\n```"


class Program(Printed):
    """A program of NumPy calls, written by `source` or `compile`. It prints as its text.

    text : a function in Python that needs `import numpy as np` and nothing else.
    fixed : what `f` uses besides its arguments and Variables, as (name, value, line): the program keeps these values.
    variables : the Variables that are read anew at each call.

    Called, or by `run`, with arguments of the kind that it was written for, it returns what `f` would, with its bytes.
    It runs the printed lines, and may write a large result into the memory of one that is not needed any more, or run
    elementwise lines block by block: neither changes a bit. What it returns shares no memory with anything else.
    """

    def __init__(
        self, f: Callable[..., Any], recording: Recording, result: Result, around: Surroundings, signature: list[str]
    ) -> None:
        self.f, self.around = f, around
        self.given: Any = None  # the arguments that it was written with, where they are kept
        self.fixed: list[Fixed] = around.fixed
        self.captured, self.slots = result.sources
        self.variables = [variable for variable, _ in recording.variables]
        self.trainable = [variable.trainable for variable in self.variables]
        self.decided = [i for i, line in enumerate(recording.inputs) if line is None]
        self.numbers: list[Any] = []  # the values of the decided numbers
        self.kinds, self.like = result.kinds, result.like
        self.statics: dict[int, Any] = {}
        self._outputs: list[Line] = []
        for i, (kind, value, line) in enumerate(zip(result.kinds, result.values, result.lines)):
            if line is None and kind in ("static", "number"):
                self.statics[i] = value
            else:
                self._outputs.append(line or recording.listing.constant(value))
        self._lines = recording.listing.lines
        self._inputs = [line for line in recording.inputs if line is not None]
        self._inputs += [line for _, line in recording.variables]
        lines, now = simplified(self._lines, self._outputs, False)
        self.compute, self.code = build(lines, [now[out] for out in self._outputs], self._inputs)
        self._texts = [name for name, line in zip(recording.names, recording.inputs) if line is not None]
        self._signature, self._notes = signature, recording.notes

    @functools.cached_property
    def written(self) -> Text:
        """The program as text, and what its lines have to do with the graph."""
        variables: list[str] = []
        for v in self.variables:
            variables.append(identifier(v.name, {*self._signature, *variables}))
        inputs = list(zip(self._inputs, [*self._texts, *variables]))
        known = [(entry.name, getattr(entry.value, "value", entry.value)) for entry in self.fixed]
        parameters = [*self._signature, *variables]
        return Text(title(self.f), parameters, self._lines, self._outputs, inputs, self._notes, self._returned, known)

    @property
    def inputs(self) -> dict[str, Any]:
        """The present values of the parameters of the text that are no arguments: Variables, and large arrays."""
        names = self.written.heads[len(self._texts) :]
        return {name: v.value for (name, _), v in zip(names, self.variables)} | self.written.data

    def _returned(self, values: list[str]) -> str:
        """What the text returns, nested as `f` nests it; a dataclass or a named tuple as a dict or a tuple."""
        found = iter(values)
        leaves = [repr(self.statics[i]) if i in self.statics else next(found) for i in range(len(self.kinds))]
        text = names_as(self.like, iter(leaves))
        return text[1:-1] if isinstance(self.like, tuple) and len(self.like) > 1 else text

    @property
    def text(self) -> str:
        return self.written.text

    @functools.cached_property
    def pullback(self) -> Any:
        """The gradients of what it returns, as a compiled function of upstream gradients and arguments."""
        from .compiled import pullback_of

        return pullback_of(self)

    def check_surroundings(self) -> None:
        """Raise NotAProgram where what `f` uses has changed since the program was written."""
        changed = self.around.changed()
        if changed not in ("", RANDOM):
            raise NotAProgram(
                f"{location_of(self.f)} cannot be differentiated as it was written: {changed}, which it uses, has "
                f"changed since; differentiate before the change, or compile the derivative: mg.compile(mg.grad(f))"
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `f` returns for these arguments; without any, for those that `source` was given."""
        from .compiled import finish

        if self.given and not (args or kwargs):
            args, kwargs = self.given
        leaves: list[Any] = []
        for name, x in zip(argument_names(self.f, args, kwargs), (*args, *kwargs.values())):
            arguments.kind_of(x, leaves, name)
        return finish(self, self.values(leaves), args, kwargs, leaves)

    run = __call__

    def serves(self, leaves: Sequence[Any]) -> bool:
        """Whether the numbers that decided something are those that the program was written for."""
        decided = all(repr(leaves[i]) == repr(x) for i, x in zip(self.decided, self.numbers))
        return decided and self.trainable == [v.trainable for v in self.variables]

    def values(self, leaves: Sequence[Any]) -> list[Any]:
        """The leaves of the result, those that are no arrays included."""
        inputs = [x.value if isinstance(x, Tensor) else x for i, x in enumerate(leaves) if i not in self.decided]
        with np.errstate(all="ignore"):
            found = iter(self.compute(*inputs, *(v.value for v in self.variables)))
        return [self.statics[i] if i in self.statics else next(found) for i in range(len(self.kinds))]


def write(f: Callable[..., Any], args: Any, kwargs: Any, named: bool = False) -> tuple[Program, list[Any]]:
    """A program for a call of `f`, and the leaves of its result, which are compared with those of `f`.

    named : whether its text has the names that code gives to its local variables.

    Raises NotAProgram.
    """
    leaves: list[Any] = []
    names = argument_names(f, args, kwargs)
    for name, x in zip(names, (*args, *kwargs.values())):
        arguments.kind_of(x, leaves, name)
    try:
        around = Surroundings(f, _objects((args, kwargs)), names)
    except NotAProgram as error:
        raise NotAProgram(f"{_whole(f)}: {error}; pass the values as arguments") from None
    recording = _recorded(f, args, kwargs, names, named)
    changed = around.changed()
    written = Result(recording.result, f, recording.given)
    if "node" in written.kinds:
        written.sources = recording.sources()[1:]
    del recording.result
    if not changed:
        again = Result(f(*args, **kwargs), f, [x for x in leaves if type(x) is Tensor])
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
    program = Program(f, recording, written, around, signature_of(f, args, kwargs))
    program.given = (args, kwargs) if named else None
    program.numbers = [leaves[i] for i in program.decided]
    del recording, written
    found = program.values(leaves)
    for kind, a, b in zip(program.kinds, found, again.values):
        if not _same(kind, kind, a, b):
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


def argument_names(f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[str]:
    """What the arguments are called: by the parameters of `f`, `xs[0]` for the first of `*xs`."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][: len(args)]
    star = next((f"{p.name}[{{}}]" for p in parameters if p.kind is p.VAR_POSITIONAL), "x{}")
    return [*names, *(star.format(i) for i in range(len(args) - len(names))), *kwargs]


def signature_of(f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[str]:
    """The parameters of the text, in which the names of the arguments stand."""
    names = argument_names(f, args, kwargs)
    star = next((i for i, name in enumerate(names) if name.endswith("]")), None)
    if star is None:
        return names
    return [*names[:star], "*" + names[star].partition("[")[0], *(n for n in names[star:] if not n.endswith("]"))]


def title(f: Any) -> str:
    """What the text of a function is called: grad_of_loss for what `grad(loss)` returns."""
    kind, inner, _ = getattr(f, "__qualname__", "").partition(".<locals>.wrapped")
    name = title(f.__wrapped__) if inner and hasattr(f, "__wrapped__") else name_of(f)
    name = f"{kind}_of_{name}" if inner and kind.isidentifier() else name
    name = re.sub(r"\W+", "_", name).strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "program"


def names_as(like: Any, leaves: Iterator[str]) -> str:
    """A structure as Python writes it, with these texts for its leaves."""
    inner = arguments.children(like)
    if inner is None:
        return next(leaves)
    parts = [names_as(child, leaves) for _, child in inner]
    if isinstance(like, list):
        return f"[{', '.join(parts)}]"
    if isinstance(like, tuple):
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    keys = like if isinstance(like, dict) else [at[1:] for at, _ in inner]
    return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(keys, parts)) + "}"


def _objects(x: Any) -> list[Any]:
    """The dataclasses among arguments."""
    inner = arguments.children(x)
    if inner is None:
        return []
    own = [x] if hasattr(type(x), "__dataclass_fields__") else []
    return own + [found for _, child in inner for found in _objects(child)]
