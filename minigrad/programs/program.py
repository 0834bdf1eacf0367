"""A program: what a function computed, written down once and run for other numbers."""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.custom_call import as_leaf
from ..core.ignoring import ignoring
from ..core.messages import argument_names, describe, location_of, name_of
from ..core.tensor import Tensor
from ..core.values import defaults
from ..core.variable import Variable
from ..frameworks.registered_gradients import state as registered
from ..transforms.nesting import depth
from .arguments import Entrance, children, is_input, leaves, nested, nesting, rebuild, rebuild_from
from .connected import connect, sources_of
from .lines import Line
from .listing import NotAProgram, StandIn, here, same_bytes
from .machine import build
from .recording import Recording
from .simplify import simplified
from .spelling import identifier
from .standins import Number
from .surroundings import RANDOM, Compilable, Fixed, Surroundings
from .text import Text, folded

MISS = object()  # what an entrance returns where the program does not serve the arguments


class Result:
    """What a function returned: how it is nested, and for each leaf its kind, its value, and the line that gives it.

    kinds : "node" for a connected Tensor, "tensor", "array", "number", "static", or the number of the argument that it
        is among the Tensors `given`.
    """

    def __init__(self, result: Any, f: Any, given: Sequence[Tensor]) -> None:
        found = [x for _, x in leaves(result)]
        number = {id(t): i for i, t in enumerate(given)}
        self.kinds = [number[id(x)] if id(x) in number else kind_of(x, f) for x in found]
        held = [x.value if isinstance(x, Tensor) and not isinstance(x, Variable) else x for x in found]
        self.lines = [getattr(x, "line", None) for x in held]
        self.values = [x.held if issubclass(type(x), StandIn) else x for x in held]
        self.like = rebuild(result, iter([None] * len(found)))

    def same(self, other: Result) -> bool:
        """Whether two results are nested alike and equal byte by byte."""
        if nesting(self.like, repr) != nesting(other.like, repr):
            return False
        return all(map(_same, self.kinds, other.kinds, self.values, other.values))


def kind_of(x: Any, f: Any) -> str:
    """The kind of a leaf of a result. Raises NotAProgram for other objects."""
    if isinstance(x, Tensor) and type(x) is not Variable:
        return "tensor" if x.op is None or x.dtype.kind != "f" else "node"
    if isinstance(x, (np.ndarray, np.generic)):
        return "array"
    if issubclass(type(x), Number):
        return "number"
    if isinstance(x, (Variable, int, float, str, type(None), np.dtype, type, slice, range)):
        return "static"
    raise NotAProgram(
        f"{location_of(f)} cannot be written as a program: it returns {describe(x)}, which is neither a Tensor, an "
        f"array, a number nor a structure of these; return its arrays"
    )


def _same(kind: Any, other: Any, a: Any, b: Any) -> bool:
    if {kind, other} <= {"number", "static"}:
        return a is b or (type(a) is type(b) and repr(a) == repr(b))
    return kind == other and (same_bytes(a, b) or same_bytes(_unsigned_nan(a), _unsigned_nan(b)))


def _unsigned_nan(x: Any) -> Any:
    """`x` with each nan positive: NumPy's numbers and its arrays differ in the sign of a nan that meets another."""
    x = np.asarray(x)
    return np.where(np.isnan(x), x.dtype.type(np.nan), x) if x.dtype.kind == "f" else x


class Printed:
    """What prints as its text."""

    text: Any

    def __repr__(self) -> str:
        return folded(self.text)

    def _repr_markdown_(self) -> str:
        return f"```python\n{self!r}\n```"


class Program(Printed, Compilable):
    """A program of NumPy calls, written by `source` or `compile`. It prints as its text.

    text : a function in Python that needs `import numpy as np` and nothing else.
    fixed : what `f` uses besides its arguments and Variables, as (name, value, line): the program keeps these values.
    variables : the Variables that are read anew at each call.

    Called, or by `run`, with arguments of the kind that it was written for, it returns what `f` would, with its bytes.
    It runs the printed lines, and may write a large result into the memory of one that is not needed any more, or run
    elementwise lines block by block: neither changes a bit. What it returns shares no memory with anything else.

    Raises NotAProgram for arguments of another kind.
    """

    def __init__(
        self, f: Callable[..., Any], args: Any, kwargs: Any, recording: Recording, result: Result, around: Surroundings
    ) -> None:
        self.f, self._around = f, around
        self.given: Any = None  # the arguments that it was written with, where they are kept
        self.fixed: list[Fixed] = around.fixed
        self.variables = [variable for variable, _ in recording.variables]
        self.kinds, self._like = result.kinds, result.like
        self.captured, self.slots = sources_of(recording) if "node" in self.kinds else ([], [])
        self._statics: dict[int, Any] = {}
        self._outputs: list[Line] = []
        for i, (kind, value, line) in enumerate(zip(result.kinds, result.values, result.lines)):
            if line is None and kind in ("static", "number"):
                self._statics[i] = value
            else:
                self._outputs.append(line or recording.listing.constant(value))
        self._lines, self._notes = recording.listing.lines, recording.notes
        self._names = [name for name, line in zip(recording.names, recording.inputs) if line is not None]
        self._inputs = [line for line in recording.inputs if line is not None]
        self._inputs += [line for _, line in recording.variables]
        self._signature = signature_of(f, args, kwargs)
        self._pattern = names_of(f, args, kwargs), len(args)
        lines, now = simplified(self._lines, self._outputs, False)
        self._compute, self.code = build(lines, [now[out] for out in self._outputs], self._inputs)
        decided = [i for i, line in enumerate(recording.inputs) if line is None]
        self.enter = self._entrance(Entrance(args, kwargs, decided), len(args))

    def _entrance(self, way: Entrance, count: int) -> Callable[..., Any]:
        """A function of the arguments that returns the result, or `MISS` where they are of another kind."""
        variables = {f"v{i}": v for i, v in enumerate(self.variables)}
        way.space |= {"run": self._compute, "MISS": MISS, "as_leaf": as_leaf, "rebuild": rebuild_from} | variables
        way.space |= {"connect": functools.partial(connect, self), "ignoring": ignoring, "depth": depth}
        way.space |= {"registered": registered, "defaults": defaults}
        tests = [*way.tests, f"depth.count[0] {'>' if depth.count[0] else '=='} 0", f"ignoring() is {ignoring()}"]
        tests += [f"defaults['float'] is {way.known(defaults['float'])}"]
        tests += [f"registered.overrides == {way.known(registered.overrides)}"]
        tests += [f"{name}.trainable is {v.trainable}" for name, v in variables.items()]
        names = [f"x{i}" for i in range(count)]
        body = f"y = run({', '.join([*way.inputs, *(f'{v}.value' for v in variables)])})"
        if self.slots:
            body += f"; y = connect(y, ({''.join(f'{name}, ' for name in names)}), options)"
        parts, numbers = [], iter(range(len(self.kinds)))
        for i, kind in enumerate(self.kinds):
            text = way.known(self._statics[i]) if i in self._statics else f"y[{next(numbers)}]"
            leaf = kind == "tensor" or (kind == "node" and not self.slots)
            parts.append(way.tensors[kind] if type(kind) is int else f"as_leaf({text})" if leaf else text)
        result = nested(
            self._like, iter(parts), way.key,
            lambda like, found: f"rebuild({way.known(like)}, ({''.join(f'{text}, ' for text in found)}))",
        )  # fmt: skip
        text = (
            f"def enter({''.join(f'{name}=MISS, ' for name in names)}*more, **options):\n"
            f"    if not ({' and '.join(tests)}): return MISS\n    {body}\n    return {result}"
        )
        exec(compile(text, "<a program of minigrad>", "exec"), way.space)
        return way.space["enter"]

    def failed(self, error: Exception, args: Any, kwargs: Any) -> NotAProgram:
        """What is raised where the program raises `error`; the errors that `f` itself raises say more."""
        if isinstance(error, NotAProgram):
            return error
        check_errors_are_ignored(self.f)
        self.f(*args, **kwargs)
        return NotAProgram(
            f"{location_of(self.f)} cannot be written as a program: where {type(error).__name__} is raised ({error}) "
            f"it runs other code; check the arguments outside"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `f` returns for these arguments; without any, for those that `source` was given."""
        if self.given and not (args or kwargs):
            args, kwargs = self.given
        if here.listing is not None:  # it becomes part of the program that is being written
            return self.f(*args, **kwargs)
        given = dict(zip(names_of(self.f, args, kwargs), (*args, *kwargs.values())))
        names, count = self._pattern
        if given.keys() == set(names):  # by position or by name, as when it was written
            args, kwargs = tuple(given[name] for name in names[:count]), {name: given[name] for name in names[count:]}
        try:
            found = self.enter(*args, **kwargs)
        except Exception as error:
            raise self.failed(error, args, kwargs) from error
        if found is MISS:
            raise NotAProgram(
                f"the program of {location_of(self.f)} was written for arguments of another structure, shape, layout "
                f"or dtype, for other plain values among them, or under other settings; write another one for these"
            )
        return found

    run = __call__

    @functools.cached_property
    def written(self) -> Text:
        """The program as text, and what its lines have to do with the graph."""
        variables: list[str] = []
        for v in self.variables:
            variables.append(identifier(v.name, {*self._signature, *variables}))
        inputs = list(zip(self._inputs, [*self._names, *variables]))
        known = [(entry.name, getattr(entry.value, "value", entry.value)) for entry in self.fixed]
        parameters = [*self._signature, *variables]
        return Text(title(self.f), parameters, self._lines, self._outputs, inputs, self._notes, self._returned, known)

    @property
    def text(self) -> str:
        return self.written.text

    @property
    def inputs(self) -> dict[str, Any]:
        """The present values of the parameters of the text that are no arguments: Variables, and large arrays."""
        names = self.written.heads[len(self._names) :]
        return {name: v.value for (name, _), v in zip(names, self.variables)} | self.written.data

    def _returned(self, values: list[str]) -> str:
        """What the text returns, nested as `f` nests it; a dataclass as a dict, a named tuple as a tuple."""
        found = iter(values)
        parts = [repr(self._statics[i]) if i in self._statics else next(found) for i in range(len(self.kinds))]
        text = nested(self._like, iter(parts), repr, _plain)
        return text[1:-1] if isinstance(self._like, tuple) and len(self._like) > 1 else text

    def check_surroundings(self) -> None:
        """Raise NotAProgram where what `f` uses has changed since the program was written."""
        changed = self._around.changed()
        if changed not in ("", RANDOM):
            raise NotAProgram(
                f"{location_of(self.f)} cannot be differentiated as it was written: {changed}, which it uses, has "
                f"changed since; differentiate before the change, or compile the derivative: mg.compile(mg.grad(f))"
            )


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
    given = [leaf for name, x in zip(names, (*args, *kwargs.values())) for leaf in leaves(x, name)]
    try:
        for path, x in given:
            is_input(x, path)
    except NotAProgram as error:
        raise NotAProgram(f"{location_of(f)}: {error}") from None
    try:
        around = Surroundings(f, _objects((args, kwargs)), names)
    except NotAProgram as error:
        raise NotAProgram(f"{_whole(f)}: {error}; pass the values as arguments") from None
    recording = _recorded(f, args, kwargs, names, named)
    changed = around.changed()
    written = Result(recording.result, f, recording.given)
    if not changed:
        again = Result(f(*args, **kwargs), f, [x for _, x in given if type(x) is Tensor])
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
    program = Program(f, args, kwargs, recording, written, around)
    program.given = (args, kwargs) if named else None
    del recording, written
    found = program(*args, **kwargs)
    values = Result(found, f, ()).values
    if not all(map(_same, again.kinds, again.kinds, values, again.values)):
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


def signature_of(f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[str]:
    """The parameters of the text, in which the names of the arguments stand."""
    names = names_of(f, args, kwargs)
    stars = [f"*{name.partition('[')[0]}" for name in names if name.endswith("]")]
    plain = [name for name in names if not name.endswith("]")]
    count = len(args) - len(stars)
    return [*plain[:count], *stars[:1], *plain[count:]]


def title(f: Any) -> str:
    """What the text of a function is called: grad_of_loss for what `grad(loss)` returns."""
    kind, inner, _ = getattr(f, "__qualname__", "").partition(".<locals>.wrapped")
    name = title(f.__wrapped__) if inner and hasattr(f, "__wrapped__") else name_of(f)
    name = f"{kind}_of_{name}" if inner and kind.isidentifier() else name
    name = re.sub(r"\W+", "_", name).strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "program"


def _objects(x: Any) -> list[Any]:
    """The dataclasses among arguments."""
    inner = children(x)
    if inner is None:
        return []
    own = [x] if hasattr(type(x), "__dataclass_fields__") else []
    return own + [found for _, child in inner for found in _objects(child)]
