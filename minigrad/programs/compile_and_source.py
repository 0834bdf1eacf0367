"""`mg.source` writes a function as a program to read and run; `mg.compile` makes a function run as programs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.support.error_words import location_of
from ..core.support.structure import flatten
from ..core.tensor import Tensor
from ..tracing.names import same_bytes
from ..tracing.overlay import Overlay
from ..tracing.recorded_function import RecordedFunction
from ..transforms.gradient import check_function
from .arguments import Result, split_call
from .listing import StandIn, here, real
from .program import Program
from .recording import RecordedRun
from .refusals import NotAProgram
from .write_program import write

MOST_PROGRAMS = 64  # the maximum number of programs of a compiled function; a new program then replaces the oldest


def source(y: Any, *args: Any, names: Mapping[str, Any] | None = None, **kwargs: Any) -> Program:
    """Return the program of a call `y(*args, **kwargs)`, or of a Tensor `y` and its gradients.

    Parameters
    ----------
    y : a function, followed by its arguments: numbers, arrays, Tensors, Variables, and structures of these. Or a
        Tensor, followed by a list of the Tensors to differentiate with respect to (by default, every float input). If
        the Tensor `y` has several elements, their sum is differentiated.
    names : for a Tensor, the user's names for Tensors and arrays, as in `locals()`. For a function, the engine collects
        the names while the function runs.

    Returns a Program, which contains the function's calls for arguments of this kind. It prints as a Python function
    that needs only NumPy, and runs the lines that it prints. For a function, `program(*args)` or `program.run(*args)`
    returns the result of `y(*args)`, bit for bit. For a Tensor, `program.run(name=array, ...)` returns the value and
    the list of gradients. Arguments and Variables are read at each call; everything else is fixed, and the constants
    are listed in `program.fixed`.

    Raises NotAProgram, a TypeError that names the place and the fix, if code branches on an array's value, or takes the
    value out of the program; see `compile`. Raises TypeError if `y` is neither a Tensor nor a function.

    >>> import minigrad as mg
    >>> x = np.array([1.0, 2.0])
    >>> print(source(mg.value_and_grad(lambda x: mg.sum(mg.exp(x) * x)), x))
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def value_and_grad_of_program(x):
        t1 = np.exp(x)
        value = np.sum(t1 * x)
    <BLANKLINE>
        # value = np.sum(t1 * x)
        d_value = 1.0
        d_t1 = d_value * x
        # t1 = np.exp(x)
        d_x = d_value * t1 + d_t1 * t1
        return value, d_x
    """
    if isinstance(y, Tensor):
        if len(args) > 1 or kwargs:
            raise TypeError("source takes a Tensor and the Tensors to differentiate with respect to, as one list")
        called = {x.read_value().serial: n for n, x in (names or {}).items() if isinstance(x, Tensor) and n[:1] != "_"}
        arrays = {name: x for name, x in (names or {}).items() if type(x) is np.ndarray}
        return GraphProgram(RecordedFunction(y.read_value(), flatten(args[0]) if args else None, called, arrays))
    if not callable(y):
        raise TypeError(f"source takes a Tensor or a function, got {y!r:.60} of type {type(y).__name__}")
    if here.listing is not None:
        here.listing.refuse("it writes a program", "write it outside")
    program = write(y, args, kwargs, named=True)[0]
    program.written_for = args, kwargs
    return program


class GraphProgram(Program):
    """The program for a Tensor and its gradients. It prints as a function named `value_and_gradients`."""

    def __init__(self, finished: RecordedFunction) -> None:
        def value_and_gradients(**inputs: Any) -> Any:
            with Overlay({}):
                return finished(inputs, note)

        def note(t: Tensor, x: Any) -> None:
            for now, before in zip(x, t.value) if isinstance(x, tuple) else [(x, t.value)]:
                if not same_bytes(real(now), before):
                    raise NotAProgram(
                        f"the op {t.op.name} gives different numbers on each call, so it cannot be part of a program"
                    )
            if issubclass(type(x), StandIn):
                notes = x.listing.notes
                notes.nodes.append((t.serial, x.line))
                if t.serial in finished.names:
                    notes.names.setdefault(x.line, finished.names[t.serial])

        self.written_for = (), finished.inputs
        recording = RecordedRun(value_and_gradients, (), finished.inputs, list(finished.inputs))
        recording.notes.rename({new: old for old, new in finished.now.items()})
        result = Result(recording.result, value_and_gradients)
        super().__init__(value_and_gradients, (), finished.inputs, recording, result)
        del result  # otherwise this name would keep a stand-in alive
        recording.forget()

    @property
    def inputs(self) -> dict[str, Any]:
        """The values of the parameters when the program was written."""
        return self.written_for[1] | self.written.data

    def run(self, **inputs: Any) -> Any:
        """Return the value and the list of gradients; inputs that are not passed keep their values.

        Raises TypeError for an unknown input, and ValueError for an input with a different shape.
        """
        current = self.written_for[1]
        unknown = [name for name in inputs if name not in current]
        if unknown:
            raise TypeError(f"the program has no input {', '.join(unknown)}; it has {', '.join(current)}")
        now = {name: np.asarray(inputs.get(name, old), old.dtype)[()] for name, old in current.items()}
        for name, old in current.items():
            if now[name].shape != old.shape:
                raise ValueError(
                    f"the program was written for {name} of shape {old.shape}, got shape {now[name].shape}"
                )
        with np.errstate(all="ignore"):
            return self.compute([*now.values()], (), now)

    __call__ = run


def compile(f: Callable[..., Any], check: bool = False) -> Compiled:
    """Return a function with the results of `f`; it runs programs, which are the NumPy code that `source` prints.

    A program consists of the calls that `f` makes for arguments of one kind: structure, shapes and dtypes.
    Arguments and Variables are read at each call; everything else is fixed, and the constants are listed in
    `program.fixed`.

    Parameters
    ----------
    f : a function that depends only on its arguments and Variables. It may be the result of a transform:
        `compile(value_and_grad(loss))` includes the backward pass, and is the fastest. `f` should have no side
        effects: it runs a few times when its program is written, and not at all in later calls.
    check : whether each call also runs `f` and compares the results. The first difference raises NotAProgram, which
        names the NumPy call and its argument. Use this if values other than arguments and Variables might change.

    Arguments are numbers, arrays, Tensors, Variables, and lists, tuples, named tuples, dicts and dataclasses of these.
    The first call with arguments of a new kind writes a program and compares it with `f`, byte by byte, for these
    numbers and for others; later calls run the program. A Python number that affects control flow, such as an iteration
    count, a length or a comparison, is part of the kind, and so are strings, None, True and False. The programs are in
    `compile(f).programs`.

    If `f` returns Tensors, each call runs `f` itself, because a program's result cannot be differentiated. Compile a
    function that returns arrays instead, such as the result of `grad`. If a compiled function calls another one, the
    inner function becomes part of the outer program.

    Raises TypeError if `f` is not a function. A call raises the errors of `f`, and NotAProgram, a TypeError that names
    the place and the code to write instead, if an argument is any other object; if code branches on the value of an
    array or a Tensor (`if x > 0`) or takes the value out of the graph (`float(x)`, `.numpy()`, formatting); if an
    argument or a Variable is changed; or if `f` and its program return different bytes.

    >>> import numpy as np, minigrad as mg
    >>> step = compile(mg.value_and_grad(lambda x: mg.sum(mg.exp(x))))
    >>> step(np.zeros(2))
    (np.float64(2.0), array([1., 1.]))
    >>> step(np.zeros(3))
    (np.float64(3.0), array([1., 1., 1.]))
    >>> len(step.programs)
    2
    """
    check_function(f, "compile")
    return Compiled(f, check)


class Compiled:
    """A compiled function.

    f : the original function. programs : the programs that were written for it, oldest first.
    """

    def __init__(self, f: Callable[..., Any], check: bool) -> None:
        functools.update_wrapper(self, f, ("__module__", "__name__", "__qualname__", "__doc__"), ())
        self.f = self.__wrapped__ = f
        self.check = check
        self.programs: list[Program] = []
        self._by_kind: dict[Any, list[Program]] = {}

    @property
    def fixed(self) -> list[Any]:
        """The constants of all programs; see `Program.fixed`."""
        return [entry for program in self.programs for entry in program.fixed]

    def __repr__(self) -> str:
        return f"<compiled {location_of(self.f)}>"

    def __reduce__(self) -> Any:
        """Copy or pickle the function without its programs."""
        return compile, (self.f, self.check)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if here.listing is not None:  # the call becomes part of the program that is being written
            return self.f(*args, **kwargs)
        kind, inputs = split_call(args, kwargs)
        for program in self._by_kind.get(kind, ()):
            if program.serves(inputs):
                return (program.checked if self.check else program.compute)(inputs, args, kwargs)
        program, value = write(self.f, args, kwargs)
        newest = [*self.programs[-MOST_PROGRAMS + 1 :], program]
        self.programs, self._by_kind = newest, {p.kind: [q for q in newest if q.kind == p.kind] for p in newest}
        return value
