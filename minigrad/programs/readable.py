"""`mg.source`: the program of a function, or of a finished computation and its backward pass, to be read and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.structure import flatten
from ..core.tensor import Tensor
from ..tracing.finished import Finished
from .listing import NotAProgram, StandIn, here, real, same_bytes
from .program import Program, Result, write
from .recording import Recording, watching


def source(y: Any, *args: Any, names: Mapping[str, Any] | None = None, **kwargs: Any) -> Any:
    """The program of a call `y(*args, **kwargs)`, or of a Tensor `y` and its gradients.

    Parameters
    ----------
    y : a function, with its arguments: numbers, arrays, Tensors, Variables, and structures of these. Or a Tensor, with
        the Tensors to differentiate with respect to as the next argument, by default every float that went in; where
        it has several elements, their sum is differentiated.
    names : of a Tensor, what the user calls Tensors and arrays, as `locals()` gives it. Of a function they are known.

    Returns a Program. It prints as a function in Python that needs NumPy alone, and runs what it prints:
    `program(*args)`, or `program.run(*args)`, gives the bytes that `y(*args)` gives, and of a Tensor
    `program.run(name=array, ...)` its value and the list of its gradients. What else `y` uses is fixed, and listed in
    `program.fixed`.

    Raises NotAProgram, a TypeError that says where and what to write instead, where a value leaves the program and
    decides or comes back; see `compile`. Raises TypeError when `y` is neither a Tensor nor a function.

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
        return GraphProgram(Finished(y.read_value(), flatten(args[0]) if args else None, called, arrays))
    if not callable(y):
        raise TypeError(f"source takes a Tensor or a function, got {y!r:.60} of type {type(y).__name__}")
    if here.listing is not None:
        return Inner(y)
    program = write(y, args, kwargs, named=True)[0]
    program.given = args, kwargs
    return program


class Inner:
    """What `source` gives while another program is written: the function itself, which becomes a part of that."""

    fixed = ()  # it is listed there

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = self.run = self.__wrapped__ = f

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*args, **kwargs)


class GraphProgram(Program):
    """The program of a Tensor and its gradients. It prints as its text, a function `value_and_gradients`."""

    def __init__(self, finished: Finished) -> None:
        def value_and_gradients(**inputs: Any) -> Any:
            with watching(recording=None):
                return finished(inputs, note)

        def note(t: Tensor, x: Any) -> None:
            for now, before in zip(x, t.value) if isinstance(x, tuple) else [(x, t.value)]:
                if not same_bytes(real(now), before):
                    raise NotAProgram(f"the op {t.op.name} gives other numbers each time, so it has no program")
            if issubclass(type(x), StandIn):
                notes = x.listing.notes
                notes.nodes.append((t.serial, x.line))
                if t.serial in finished.names:
                    notes.names.setdefault(x.line, finished.names[t.serial])

        self.given = (), finished.inputs
        recording = Recording(value_and_gradients, (), finished.inputs, list(finished.inputs))
        result = Result(recording.result, value_and_gradients)
        super().__init__(value_and_gradients, (), finished.inputs, recording, result, [])

    @property
    def inputs(self) -> dict[str, Any]:
        """The values that the parameters had."""
        return self.given[1] | self.written.data

    def run(self, **inputs: Any) -> Any:
        """The value and the list of gradients. Inputs that are not given keep their values.

        Raises TypeError for an input that the program does not have, ValueError for one of another shape.
        """
        held = self.given[1]
        unknown = [name for name in inputs if name not in held]
        if unknown:
            raise TypeError(f"the program has no input {', '.join(unknown)}; it has {', '.join(held)}")
        now = {name: np.asarray(inputs.get(name, old), old.dtype)[()] for name, old in held.items()}
        for name, old in held.items():
            if now[name].shape != old.shape:
                raise ValueError(
                    f"the program was written for {name} of shape {old.shape}, got shape {now[name].shape}"
                )
        with np.errstate(all="ignore"):
            return self.compute([*now.values()], (), now)

    __call__ = run
