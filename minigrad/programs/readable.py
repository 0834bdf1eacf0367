"""`mg.source`: the program of a function, or of a finished computation and its backward pass, to be read and run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.calling import compute
from ..core.custom_call import CustomCall
from ..core.graph import ancestors
from ..core.op import PICK
from ..core.structure import flatten
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from .lines import Line, each, needed
from .listing import Listing, NotAProgram, StandIn, here, real, same_bytes
from .machine import build
from .notes import Notes, line_of
from .program import Printed, write
from .recording import watching
from .simplify import simplified
from .spelling import identifier
from .surroundings import Compilable, Surroundings, content
from .text import Text


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
    return write(y, args, kwargs, named=True)[0]


class Inner(Compilable):
    """What `source` gives while another program is written: the function itself, which becomes a part of that."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = self.run = f
        self.fixed = Surroundings(f).fixed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*args, **kwargs)


class GraphProgram(Printed):
    """The program of a Tensor and its gradients. It prints as its text.

    text : a function `value_and_gradients` that needs `import numpy as np` and nothing else.
    inputs : the values that the parameters had. links : what its lines have to do with the graph.
    """

    fixed: tuple[Any, ...] = ()  # what is fixed stands in the text

    def __init__(
        self, y: Tensor, xs: Sequence[Tensor] | None, names: Mapping[int, str], arrays: Mapping[str, Any]
    ) -> None:
        graph = made_from([y])
        leaf = [t for t in graph if (not t.args or t.op is READ) and t.dtype.kind == "f"]
        sources = [x.read_value() for x in (leaf if xs is None else xs)]
        replay = _Replay(graph, {t.serial for t in sources}, names, arrays)
        gradients, lines = replay.gradients(y, sources), replay.listing.lines
        outputs = [replay.line(y.serial), *(g for g in gradients if g is not None)]
        wanted, taken = needed(outputs, lines), {"np", "value_and_gradients"}
        heads, place = [], {name: i for i, name in reversed([*enumerate(names.values())])}
        for line, name, value in sorted(replay.inputs, key=lambda head: place.get(head[1], len(place))):
            if line in wanted or line.dtype.kind == "f":
                heads.append((line, identifier(name, taken), value))
                taken.add(heads[-1][1])
        self._connected = [g is not None for g in gradients]
        text = Text(
            "value_and_gradients", [name for _, name, _ in heads], lines, outputs, [head[:2] for head in heads],
            replay.notes, lambda texts: f"{texts[0]}, [{', '.join(map(str, self._gradients(texts[1:])))}]",
        )  # fmt: skip
        self.text, self.links = text.text, text.links
        self._given = {name: value for _, name, value in heads}
        self.inputs = self._given | text.data
        short, now = simplified(lines, outputs, False)
        self._compute, self.code = build(short, [now[out] for out in outputs], [line for line, _, _ in heads])

    def run(self, **inputs: Any) -> tuple[Any, list[Any]]:
        """The value and the list of gradients. Inputs that are not given keep their values.

        Raises TypeError for an input that the program does not have, ValueError for one of another shape.
        """
        unknown = [name for name in inputs if name not in self._given]
        if unknown:
            raise TypeError(f"the program has no input {', '.join(unknown)}; it has {', '.join(self._given)}")
        now = {name: np.asarray(inputs.get(name, old), old.dtype)[()] for name, old in self._given.items()}
        for name, old in self._given.items():
            if now[name].shape != old.shape:
                raise ValueError(
                    f"the program was written for {name} of shape {old.shape}, got shape {now[name].shape}"
                )
        with np.errstate(all="ignore"):
            value, *found = self._compute(*now.values())
        return value, self._gradients(found)

    __call__ = run

    def _gradients(self, found: Iterable[Any]) -> list[Any]:
        """What was found for the sources that are connected, and None for the others."""
        rest = iter(found)
        return [next(rest) if connected else None for connected in self._connected]


class _Replay:
    """A finished computation written down: its ops are called again, on stand-ins for what went in.

    inputs : the lines of what went in, each with its name, and the value that it held.
    """

    def __init__(
        self, graph: Sequence[Tensor], sources: Collection[int], names: Mapping[int, str], arrays: Mapping[str, Any]
    ) -> None:
        self.listing = Listing()
        self.notes = Notes(self.listing)
        self.inputs: list[tuple[Line, str, Any]] = []
        self._arrays = [(x, self._give(x, name)) for name, x in arrays.items()]
        self._found: dict[int, Any] = {}  # what stands for the value of a node, by serial
        self._graph = [t for t in graph if not isinstance(t, Variable)]
        with watching(listing=self.listing, recording=None), np.errstate(all="ignore"):
            for t in self._graph:
                name = names.get(t.serial, "")
                x = self._found[t.serial] = self._made(t, t.serial in sources, name)
                if issubclass(type(x), StandIn):
                    self.notes.nodes.append((t.serial, x.line))
                    if name:
                        self.notes.names.setdefault(x.line, name)

    def line(self, serial: int) -> Line:
        x = self._found[serial]
        return x.line if issubclass(type(x), StandIn) else self.listing.constant(x)

    def _give(self, value: Any, name: str) -> Any:
        given = self.listing.given(value)
        self.inputs.append((given.line, name, value))
        return given

    def _made(self, t: Tensor, source: bool, name: str) -> Any:
        """What stands for the value of a node."""
        op, value = t.op, t.value
        if op is READ:
            return self._give(value, name or t.args[0].name)
        if op is None:
            return self._give(value, name or "x") if name or source or t.size > 12 else value
        if isinstance(op, CustomCall):
            outputs = [self._found[out.read_value().serial] for out in op.body_outputs]
            return tuple(outputs) if isinstance(value, tuple) else outputs[0]
        if op is PICK:
            return self._found[t.args[0].serial][t.args[1]]
        args = [self._argument(a) for a in t.args]
        standing: list[Any] = []
        each(lambda a: standing.append(a) if issubclass(type(a), StandIn) else None, (args, t.kwargs or {}))
        if not standing:
            return value
        found = compute(op, args, t.kwargs)
        pairs = zip(found, value) if isinstance(value, tuple) else [(found, value)]
        if not all(same_bytes(real(a), b) for a, b in pairs):
            raise NotAProgram(f"the op {op.name} gave other numbers when it was called again, so it has no program")
        return tuple(found) if isinstance(value, tuple) else found

    def _argument(self, a: Any) -> Any:
        """What stands for an argument of an op; the graph keeps copies of arrays, which have the same bytes."""
        if isinstance(a, Tensor):
            return self._found[a.serial]
        named = (stand_in for x, stand_in in self._arrays if same_bytes(x, a)) if type(a) is np.ndarray else iter(())
        return next(named, a)

    def gradients(self, y: Tensor, sources: Sequence[Tensor]) -> list[Line | None]:
        """The lines of the gradients: the backward pass runs while the nodes hold what stands for their values."""
        value, args = Tensor.__dict__["value"], Tensor.__dict__["args"]
        held, found, one = [(t.value, t.args) for t in self._graph], {}, np.ones_like(y.value)
        try:
            for t in self._graph:
                value.__set__(t, self._found[t.serial])
                args.__set__(t, tuple([a if isinstance(a, Tensor) else self._argument(a) for a in t.args]))
            with watching(listing=self.listing, recording=None), self.notes.taking(), np.errstate(all="ignore"):
                for node, upstream, _ in self.notes.steps_of([y], [one], sources, ()):
                    found[node.serial] = upstream
        finally:
            for t, (before, parts) in zip(self._graph, held):
                value.__set__(t, before)
                args.__set__(t, parts)
        gradients = [found.get(x.serial) for x in sources]
        return [None if g is None else line_of(g) or self.listing.constant(g) for g in gradients]


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
