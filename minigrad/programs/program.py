"""A program: a function's NumPy calls, which are recorded once and can be run for other numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.support.error_words import location_of
from ..core.support.shown_names import ShownNames
from ..core.support.structure import children, with_children
from ..tracing.names import identifier
from .arguments import ARRAYS, Result, names_of, nested, signature_of, split_call, title
from .comparing import parting, same
from .executable import build
from .instructions import Line
from .listing import Fixed, StandIn, here
from .program_text import Text, folded
from .recording import RecordedRun
from .refusals import NotAProgram, refusal
from .simplify import simplified


class Program(ShownNames):
    """The NumPy calls that a function made for one kind of arguments. It prints as its text.

    text : a Python function that needs only `import numpy as np`.
    fixed : the constants that `f` used when it was recorded, as (name, value, line); the program always uses these
        values. The name of an unnamed array is "".
    variables : the Variables, which each call reads again. code : the text of the function that runs.
    lines : the calls in order. Each Line has NumPy's `function`, `args` and `kwargs` with the Lines whose results it
        takes, and the `shape` and `dtype` of its result; `passed_in` and `constant` represent outside values.

    To run a program, call it, or call its `run`. For arguments of the program's kind, the result equals the result of
    `f`, bit for bit, as long as everything except arguments and Variables is unchanged. A program runs the printed
    lines. It may write a large result into memory that is no longer needed, or run elementwise lines block by block;
    neither of these changes a bit. The result shares no memory with other objects. If `f` returns Tensors, which can be
    differentiated, `f` itself is run.

    Raises NotAProgram for arguments of any other kind.
    """

    _shared = frozenset({"checked", "compute", "connected", "kind", "recording", "serves", "written", "written_for"})
    written_for: Any = None  # the arguments that the program was written for, or None if they were not kept

    def __init__(self, f: Callable[..., Any], args: Any, kwargs: Any, recording: RecordedRun, result: Result) -> None:
        self.f = self.__wrapped__ = f
        self.recording, self.connected = recording, result.connected
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

    def _returned(self, texts: list[str], global_name: Callable[[Any], str]) -> str:
        """Return the expression of the result for the function that runs: `texts` in the structure of the result.

        texts : the expressions of the result's leaves. global_name : a function that returns the name of an object.
        """
        remaining = iter(texts)
        leaves = iter([next(remaining) if type(x) is Line else global_name(x) for x in self._leaves])

        def call(like: Any, parts: list[str]) -> str:
            inner = "".join(f"{text}, " for text in parts)
            return f"{global_name(with_children)}({global_name(like)}, ({inner}))"

        return nested(self._like, leaves, call)

    def serves(self, inputs: Sequence[Any]) -> bool:
        """Return whether the program is valid for these inputs.

        The numbers that decided branches, and the `trainable` of each Variable, must be as when it was written.
        """
        for i, text in self._decided:
            if repr(inputs[i]) != text:
                return False
        return not self._trainable or [v.trainable for v in self.variables] == self._trainable

    def compute(self, inputs: Sequence[Any], args: Any, kwargs: Any) -> Any:
        """Return the result of `f` for arguments that the program serves.

        inputs : the numbers and arrays among the arguments.
        """
        if self.connected:
            return self.f(*args, **kwargs)
        try:
            return self._run(*inputs, *[v.value for v in self.variables] if self.variables else ())
        except NotAProgram:
            raise
        except Exception as error:
            self.f(*args, **kwargs)  # run `f`, because it usually raises an error that is more informative
            raise NotAProgram(
                f"{refusal(self.f)}: it runs other code when {type(error).__name__} is raised ({error}); "
                f"check the arguments outside"
            ) from error

    def checked(self, inputs: Sequence[Any], args: Any, kwargs: Any) -> Any:
        """Return the result of `compute` after comparing it with `f`'s result. Raises NotAProgram if they differ."""
        value = self.compute(inputs, args, kwargs)
        if not (self.connected or same(value, self.f(*args, **kwargs))):
            raise NotAProgram(f"{location_of(self.f)}: {parting(self.f, args, kwargs, self.recording)}")
        return value

    @property
    def fixed(self) -> list[Fixed]:
        return self.recording.listing.fixed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result of `f` for these arguments, or by default for the arguments passed to `source`."""
        if self.written_for and not (args or kwargs):
            args, kwargs = self.written_for
        if here.listing is not None:  # the call becomes part of the program that is being written
            return self.f(*args, **kwargs)
        by_name = dict(zip(names_of(self.f, args, kwargs), (*args, *kwargs.values())))
        if by_name.keys() == set(self._names):  # pass arguments by position or by name as when the program was written
            first, rest = self._names[: self._count], self._names[self._count :]
            args, kwargs = tuple(by_name[name] for name in first), {name: by_name[name] for name in rest}
        kind, inputs = split_call(args, kwargs)
        if kind != self.kind or not self.serves(inputs):
            raise NotAProgram(
                f"the program of {location_of(self.f)} was written for arguments with a different structure, shape, "
                "layout or dtype, for different plain values, or under different settings; write a program for "
                "these arguments"
            )
        return self.compute(inputs, args, kwargs)

    run = __call__

    @functools.cached_property
    def written(self) -> Text:
        """The program as text, with the lines that each of its statements computes."""
        signature = signature_of(self._names, self._count)
        variables: list[str] = []
        for v in self.variables:
            variables.append(identifier(v.name, {*signature, *variables}))
        heads = [(line, name) for line, name in zip(self._inputs, [*self._paths, *variables]) if line is not None]
        named = [(entry.name, entry.value) for entry in self.fixed if entry.name]
        signature += variables
        return Text(title(self.f), signature, self.lines, self._outputs, heads, self._notes, self._printed, named)

    def _printed(self, texts: list[str]) -> str:
        """Return the expression of the result for the printed text; dataclasses become dicts, named tuples tuples.

        texts : the expressions of the result's leaves.
        """
        remaining = iter(texts)
        leaves = iter([next(remaining) if type(x) is Line else repr(x) for x in self._leaves])
        text = nested(self._like, leaves, _plain)
        return text[1:-1] if isinstance(self._like, tuple) and len(self._like) > 1 else text

    @property
    def text(self) -> str:
        return self.written.text

    @property
    def inputs(self) -> dict[str, Any]:
        """The values of the text's additional parameters, which `f` does not have: Variables and large arrays."""
        names = [name for name, _ in self.written.heads[len(self.written.heads) - len(self.variables) :]]
        return {name: v.value for name, v in zip(names, self.variables)} | self.written.data

    def __repr__(self) -> str:
        return folded(self.text)

    def _repr_markdown_(self) -> str:
        return f"```python\n{self!r}\n```"


def _plain(like: Any, parts: list[str]) -> str:
    if isinstance(like, tuple):
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    return "{" + ", ".join(f"{key!r}: {text}" for (key, _), text in zip(children(like), parts)) + "}"
