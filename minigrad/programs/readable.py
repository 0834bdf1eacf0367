"""`mg.source`: the program of a function, or of a finished computation and its backward pass, to be read and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.calling import compute
from ..core.custom_call import CustomCall
from ..core.graph import ancestors
from ..core.op import PICK
from ..core.pullback import pullback
from ..core.structure import flatten
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from .lines import each
from .listing import NotAProgram, StandIn, here, real, same_bytes
from .program import Program, Result, write
from .recording import Recording, watching
from .spelling import identifier
from .surroundings import Surroundings, content


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
        return GraphProgram(y.read_value(), flatten(args[0]) if args else None, called, arrays)
    if not callable(y):
        raise TypeError(f"source takes a Tensor or a function, got {y!r:.60} of type {type(y).__name__}")
    if here.listing is not None:
        return Inner(y)
    program = write(y, args, kwargs, named=True)[0]
    program.given = args, kwargs
    return program


class Inner:
    """What `source` gives while another program is written: the function itself, which becomes a part of that."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = self.run = self.__wrapped__ = f
        self.fixed = Surroundings(f).fixed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*args, **kwargs)


class GraphProgram(Program):
    """The program of a Tensor and its gradients. It prints as its text, a function `value_and_gradients`.

    names : what Tensors are called, by serial, and `arrays` by these names.
    """

    def __init__(
        self, y: Tensor, xs: Sequence[Tensor] | None, names: Mapping[int, str], arrays: Mapping[str, Any]
    ) -> None:
        graph = [t for t in made_from([y]) if not isinstance(t, Variable)]
        leaf = [t for t in graph if (not t.args or t.op is READ) and t.dtype.kind == "f"]
        replay = _Replay(y, graph, [x.read_value() for x in (leaf if xs is None else xs)], names, arrays)
        values = replay.inputs
        recording = Recording(replay, (), values, list(values))
        super().__init__(replay, (), values, recording, Result(recording.result, replay), [])
        self.given = (), values

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


class _Replay:
    """A finished computation as a function of its inputs: its ops are called again, and the backward pass runs.

    inputs : the values that went in, by name. They hold the arrays of the user that ops were given, too.
    """

    __qualname__ = __name__ = "value_and_gradients"

    def __init__(
        self, y: Tensor, graph: list[Tensor], sources: list[Tensor], names: Mapping[int, str], arrays: Mapping[str, Any]
    ) -> None:
        self.y, self.graph, self.sources, self._names = y, graph, sources, names
        place = {name: i for i, name in reversed([*enumerate(names.values())])}
        given = [t for t in graph if t.op is READ or (t.op is None and self._is_given(t))]
        called = {t.serial: names.get(t.serial) or (t.args[0].name if t.op is READ else "x") for t in given}
        given.sort(key=lambda t: place.get(called[t.serial], len(place)))
        self.inputs: dict[str, Any] = {}
        self._name = {t.serial: self._take(called[t.serial], t.value) for t in given}
        used = [a for t in graph for a in t.args if type(a) is np.ndarray]
        arrays = {name: x for name, x in arrays.items() if any(same_bytes(x, a) for a in used)}
        self._arrays = [(x, self._take(name, x)) for name, x in arrays.items()]

    def _is_given(self, t: Tensor) -> bool:
        return t.serial in self._names or t.size > 12 or any(t is x for x in self.sources)

    def _take(self, name: str, value: Any) -> str:
        name = identifier(name, {"np", "value_and_gradients", *self.inputs})
        self.inputs[name] = value
        return name

    def __call__(self, **inputs: Any) -> Any:
        """The value and the list of gradients. Nodes hold what stands for their values while the pass runs."""
        notes = here.recording.notes
        found: dict[int, Any] = {}
        value, args, held = Tensor.__dict__["value"], Tensor.__dict__["args"], [(t.value, t.args) for t in self.graph]
        with watching(recording=None), np.errstate(all="ignore"):
            for t in self.graph:
                x = found[t.serial] = self._made(t, found, inputs)
                if issubclass(type(x), StandIn):
                    notes.nodes.append((t.serial, x.line))
                    if t.serial in self._names:
                        notes.names.setdefault(x.line, self._names[t.serial])
            try:
                for t in self.graph:
                    value.__set__(t, found[t.serial])
                    args.__set__(t, tuple([a if isinstance(a, Tensor) else self._argument(a, inputs) for a in t.args]))
                gradients = pullback([self.y], [np.ones_like(real(found[self.y.serial]))], self.sources)
            finally:
                for t, (before, parts) in zip(self.graph, held):
                    value.__set__(t, before)
                    args.__set__(t, parts)
        return found[self.y.serial], gradients

    def _made(self, t: Tensor, found: Mapping[int, Any], inputs: Mapping[str, Any]) -> Any:
        """What stands for the value of a node."""
        op, value = t.op, t.value
        if t.serial in self._name:
            return inputs[self._name[t.serial]]
        if op is None:
            return value
        if isinstance(op, CustomCall):
            outputs = [found[out.read_value().serial] for out in op.body_outputs]
            return tuple(outputs) if isinstance(value, tuple) else outputs[0]
        if op is PICK:
            return found[t.args[0].serial][t.args[1]]
        args = [found[a.serial] if isinstance(a, Tensor) else self._argument(a, inputs) for a in t.args]
        standing: list[Any] = []
        each(lambda a: standing.append(a) if issubclass(type(a), StandIn) else None, (args, t.kwargs or {}))
        if not standing:
            return value
        again = compute(op, args, t.kwargs)
        pairs = zip(again, value) if isinstance(value, tuple) else [(again, value)]
        if not all(same_bytes(real(a), b) for a, b in pairs):
            raise NotAProgram(f"the op {op.name} gave other numbers when it was called again, so it has no program")
        return tuple(again) if isinstance(value, tuple) else again

    def _argument(self, a: Any, inputs: Mapping[str, Any]) -> Any:
        """What stands for an argument that is no Tensor: nodes keep copies of arrays, which have the same bytes."""
        named = (name for x, name in self._arrays if same_bytes(x, a)) if type(a) is np.ndarray else iter(())
        return next((inputs[name] for name in named), a)


def made_from(targets: Iterable[Tensor]) -> list[Tensor]:
    """All Tensors whose values the targets were made from, oldest first, looking into the calls of custom rules."""
    return ancestors(targets, behind=_behind)


def _behind(node: Tensor) -> list[Tensor]:
    """The Tensors that the value of `node` is made from, and those that its rule computes with: for a call of a custom
    rule, what its function returned and what the rule has captured."""
    if isinstance(node.op, CustomCall):
        cells = [content(cell) for cell in getattr(node.op.grad_fn, "__closure__", None) or ()]
        captured = [x for c in cells for x in (flatten(c) if isinstance(c, (list, tuple)) else [c])]
        inner = [x for x in captured if type(x) is Tensor and x.serial < node.serial]
        return [*(out.read_value() for out in node.op.body_outputs), *inner]
    return [a for a in node.args if isinstance(a, Tensor)] if not isinstance(node, Variable) else []
