"""`source`: a computation and its backward pass as NumPy that can be read, run and changed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..ops.elementwise import identity
from ..structure import flatten, leaves, rebuild
from ..tensor import Tensor
from ..transforms import differentiating
from ..variable import READ
from ..words import name_of
from .calls import Line
from .lowering import Lowering
from .naming import local_names
from .passed import Passed, made_from
from .program import Program
from .text import write
from .writing import Link


class Source:
    """Source of a value and its gradients. It prints as itself.

    text : the source: a function `value_and_gradients` that needs `import numpy as np` and nothing else.
    inputs : the values that the parameters had.
    links : what its lines have to do with the graph, for those who draw it beside the source.
    """

    def __init__(self, text: str, inputs: dict[str, Any], links: Sequence[Link] = ()) -> None:
        self.text, self.inputs, self.links = text, inputs, tuple(links)

    def run(self, **inputs: Any) -> tuple[Any, list[Any]]:
        """Run the source: the value and the list of gradients. Inputs that are not given keep their values.

        Raises TypeError for an input that the source does not have.
        """
        unknown = [name for name in inputs if name not in self.inputs]
        if unknown:
            raise TypeError(f"the source has no input {', '.join(unknown)}; it has {', '.join(self.inputs)}")
        space: dict[str, Any] = {}
        exec(compile(self.text, "<source>", "exec"), space)
        given = {name: np.asarray(value, self.inputs[name].dtype)[()] for name, value in inputs.items()}
        with np.errstate(all="ignore"):
            return space["value_and_gradients"](**{**self.inputs, **given})

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```"


def source(y: Any, *args: Any, names: Mapping[str, Any] | None = None) -> Source:
    """The value of `y` and its gradients as NumPy source.

    Parameters
    ----------
    y : a Tensor, with the Tensors to differentiate with respect to as the next argument (by default every float that
        went in); or a function, with its arguments. Where y has several elements, their sum is differentiated.
    names : what the user calls Tensors and arrays, as `locals()` gives it. Of a function the names are known.

    The source has a line for each op and for each message of the backward pass, with un-broadcasting and custom rules
    written out; what is not needed is left out, and what is used twice is computed once. It is written for the shapes,
    the dtypes and the branches of this run, and a plain number that code took out of a Tensor stays that number.
    Running it gives the gradients of the engine, bit for bit.

    Raises TypeError when `y` is neither a Tensor nor a function that returns one, and when an op has no source.

    >>> import minigrad as mg
    >>> print(source(lambda x: mg.exp(x) * x, 2.0))
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def value_and_gradients(x):
        t1 = np.exp(x)
        t2 = t1 * x
    <BLANKLINE>
        d_t1 = x               # t2 = t1 * x
        d_x = t1               # t2 = t1 * x
        d_x = d_x + d_t1 * t1  # t1 = np.exp(x)
        return t2, [d_x]
    """
    opened = Opened()
    if isinstance(y, Tensor):
        if len(args) > 1:
            raise TypeError("source takes a Tensor and the Tensors to differentiate with respect to, as one list")
        xs = flatten(args[0]) if args else None
    elif callable(y):
        y = opened.call(y, args)
        xs = opened.inputs
    else:
        raise TypeError(f"source takes a Tensor or a function, got {y!r:.60} of type {type(y).__name__}")
    for name, value in (names or {}).items():
        opened.name(name, value)
    return of_graph(y.read_value(), xs, opened)


class Opened:
    """What the source is to call things.

    inputs : the Tensors that the arguments of a function were made into. names : names of Tensors, by birth.
    arrays : raw arrays by name. order : the names in the order of the arguments.
    """

    def __init__(self) -> None:
        self.inputs: list[Tensor] = []
        self.arrays: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        self.order: list[str] = []

    def name(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and not name.startswith("_"):
            self.names[value.read_value().birth] = name
        elif isinstance(value, np.ndarray):
            self.arrays[name] = value

    def call(self, f: Callable[..., Any], args: Sequence[Any]) -> Tensor:
        """The value of `f`, run on fresh Tensors in the place of the floats among its arguments."""
        try:
            parameters = [p.name for p in inspect.signature(f).parameters.values()]
        except (TypeError, ValueError):
            parameters = []
        parameters += [f"x{i}" for i in range(len(parameters), len(args))]
        called = [rebuild(a, [self._fresh(*leaf) for leaf in leaves(a, p)]) for a, p in zip(args, parameters)]
        given = dict(self.names)
        with differentiating(), local_names() as names:
            y = f(*called)
        if not isinstance(y, Tensor):
            raise TypeError(f"{name_of(f)} must return a Tensor to be written as source, but returned {y!r:.60}")
        self.names = names | given
        return y

    def _fresh(self, path: str, leaf: Any) -> Any:
        self.order.append(path)
        dtype = np.dtype(float) if isinstance(leaf, float) else getattr(leaf, "dtype", None)
        if dtype is None or dtype.kind != "f":
            if isinstance(leaf, np.ndarray):
                self.arrays[path] = leaf
            return leaf
        self.inputs.append(identity(leaf) if isinstance(leaf, Tensor) else Tensor(leaf))
        self.names[self.inputs[-1].birth] = path
        return self.inputs[-1]


def of_graph(y: Tensor, xs: Sequence[Tensor] | None, opened: Opened) -> Source:
    """Run the backward pass on Tensors, so that it is recorded too, and write both passes down."""
    fresh = {x.birth for x in opened.inputs}
    graph = made_from([y], stop=lambda t: t.birth in fresh)
    leaf = [t for t in graph if not t.args or t.op is READ or t.birth in fresh]
    xs = [t for t in leaf if t.dtype.kind == "f"] if xs is None else xs
    sources = [x.read_value() for x in xs]
    with local_names() as inner:
        passed = Passed(y, sources)
    names = inner | opened.names

    lowering = Lowering(Program())
    inputs: list[tuple[Line, str]] = []
    for name, array in opened.arrays.items():
        inputs.append((lowering.program.given(array), name))
        lowering.lend(array, inputs[-1][0])
    for t in leaf:
        if t.op is READ or t.birth in names or any(t is s for s in sources) or t.size > 12:
            inputs.append((lowering.give(t), names.get(t.birth) or (t.args[0].name if t.op is READ else "x")))
    inputs.sort(key=lambda pair: opened.order.index(pair[1]) if pair[1] in opened.order else len(opened.order))
    return Source(*write(y, sources, graph, passed, lowering, inputs, names))
