"""`mg.compile`: a function runs as the programs that were written for the kinds of its arguments."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.backward import backward
from ..core.custom_call import as_leaf, ignoring, make_outputs
from ..core.messages import location_of, name_of
from ..core.op import Op, record
from ..core.scattered import Scattered
from ..core.tensor import Tensor, default_dtype
from ..core.variable import READ
from ..frameworks.registered_gradients import state as registered
from ..ops.copies import connected_copy
from ..transforms.gradient import check_function, nest
from . import arguments
from .arguments import kind_of
from .entrance import MISS, entrance
from .listing import NotAProgram, here
from .program import Program, argument_names, write
from .recording import edges, outputs_in, reading
from .surroundings import Compilable

WAYS = 3  # how many quick ways are tried before the long one
MOST = 64  # programs that are kept; of more, the one that was not used for longest is forgotten


def compile(f: Callable[..., Any]) -> Compiled:
    """The same function, run as programs: the lines of NumPy that `source` prints.

    Parameters
    ----------
    f : a function of its arguments and of the Variables that it uses. It may be what a transform returns:
        `compile(value_and_grad(loss))` holds the backward pass too, and is the fastest.

    Arguments are numbers, arrays, Tensors, Variables, and lists, tuples, named tuples, dicts and dataclasses of these.
    The first call with arguments of a new kind (structure, shapes, dtypes) writes a program and compares its result
    with that of `f`, byte by byte; later calls run it. Arguments and Variables are read anew at each call. A Python
    number that decides something, such as a count of turns, is part of the kind, and so are strings, None, True and
    False. Everything else that `f` uses is fixed when the program is written, and listed in `program.fixed`; the
    programs are in `compile(f).programs`.

    A compiled function can be differentiated like any other; inside another compiled function it is part of that.

    Raises TypeError for what is not a function, and when it is called NotAProgram, a TypeError that says where and what
    to write instead: where an argument is another object; where a value decides (`if x > 0`) or leaves the graph
    (`float(x)`, `.numpy()`, formatting); where a Variable is assigned; where two runs give different bytes.

    >>> import minigrad as mg
    >>> step = compile(mg.value_and_grad(lambda x: mg.sum(mg.exp(x))))
    >>> step(np.zeros(2))
    (np.float64(2.0), array([1., 1.]))
    >>> step(np.zeros(3))
    (np.float64(3.0), array([1., 1., 1.]))
    >>> len(step.programs)
    2
    """
    check_function(f, "compile")
    return Compiled(f)


class Compiled(Compilable):
    """A compiled function. `programs` are those that were written, `f` is the function."""

    def __init__(self, f: Callable[..., Any], before: Callable[[], None] = lambda: None) -> None:
        functools.update_wrapper(self, f, ("__module__", "__name__", "__qualname__", "__doc__"), ())
        self.f, self._before = f, before
        self._kinds: OrderedDict[Any, list[Program]] = OrderedDict()
        self._quick: tuple[Callable[..., Any], ...] = ()
        self._lock = threading.RLock()

    @property
    def programs(self) -> list[Program]:
        return [program for programs in self._kinds.values() for program in programs]

    @property
    def fixed(self) -> list[Any]:
        """What the programs keep: see `Program.fixed`."""
        return [entry for program in self.programs for entry in program.fixed]

    def __repr__(self) -> str:
        return f"<compiled {location_of(self.f)}>"

    def __reduce__(self) -> Any:
        """Copies and pickles hold the function; its programs stay behind."""
        return compile, (self.f,)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            for enter in self._quick:
                found = enter(*args)
                if found is not MISS:
                    return found
        if getattr(here, "listing", None) is not None:  # it becomes part of the program that is being written
            return self.f(*args, **kwargs)
        leaves: list[Any] = []
        key = self._key(args, kwargs, leaves)
        for program in self._kinds.get(key, ()):
            if program.serves(leaves):
                break
        else:
            self._before()
            with self._lock:
                program, found = write(self.f, args, kwargs)
                self._kinds.setdefault(key, []).append(program)
                if len(self._kinds) > MOST:
                    self._kinds.popitem(last=False)
            return finish(program, found, args, kwargs, leaves)
        try:
            found = program.values(leaves)
        except NotAProgram:
            raise
        except Exception as error:
            self.f(*args, **kwargs)  # raises it with a better message
            raise NotAProgram(
                f"{location_of(self.f)} cannot be written as a program: where {type(error).__name__} is raised "
                f"({error}) it runs other code; check the arguments outside"
            ) from error
        if not kwargs:
            way = entrance(program, args)
            self._quick = (*([way] if way is not None else []), *self._quick)[:WAYS]
        return finish(program, found, args, kwargs, leaves)

    def _key(self, args: Any, kwargs: dict[str, Any], leaves: list[Any]) -> Any:
        """What a program is written for; what is read anew is added to `leaves`."""
        if {"raise", "call", "print", "log"} & set(np.geterr().values()):
            raise NotAProgram(
                f"{location_of(self.f)} cannot run as a program while np.errstate or np.seterr is set to act on "
                f"floating point errors; leave it at 'ignore' or 'warn'"
            )
        names = argument_names(self.f, args, kwargs) if kwargs else [f"argument {i}" for i in range(len(args))]
        try:
            kinds = tuple([kind_of(x, leaves, name) for name, x in zip(names, (*args, *kwargs.values()))])
        except NotAProgram as error:
            raise NotAProgram(f"{location_of(self.f)}: {error}") from None
        overrides = tuple(registered.overrides.values())
        return kinds, tuple(kwargs), nest(0) > 0, default_dtype(), ignoring(), overrides


def finish(program: Program, found: list[Any], args: Any, kwargs: Any, leaves: Sequence[Any]) -> Any:
    """The result of a call, nested and of the kinds that `f` returns."""
    nodes = [i for i, kind in enumerate(program.kinds) if kind == "node"] if program.slots else []
    if nodes:
        if program.captured:  # which may belong to another derivative by now
            program.check_surroundings()
        given = [x for x in leaves if type(x) is Tensor and x.dtype.kind == "f"]
        reads = [v.read_value() for v in program.variables if v.dtype.kind == "f"]
        sources = [*given, *reads, *program.captured]
        rule = Pulled(program, args, kwargs, given, reads)
        operands = [sources[k] for k in program.slots]
        for i, node in zip(nodes, _emitted(program.f, rule, [found[i] for i in nodes], operands)):
            found[i] = node
    tensors = [x for x in leaves if type(x) is Tensor]
    found = [tensors[kind] if type(kind) is int else x for kind, x in zip(program.kinds, found)]
    leaf = [kind in ("tensor", "node") and not isinstance(x, Tensor) for kind, x in zip(program.kinds, found)]
    return arguments.rebuild(program.like, iter([as_leaf(x) if bare else x for x, bare in zip(found, leaf)]))


class Pulled:
    """The rule of a call: each message that a backward pass sends to an input, by a program of its own.

    tensors : the Tensors of floats among the arguments. reads : the nodes that hold what Variables held.
    """

    def __init__(
        self, program: Program, args: Any, kwargs: Any, tensors: Sequence[Tensor], reads: Sequence[Tensor]
    ) -> None:
        self.program, self.given, self.tensors, self.reads = program, (args, kwargs), tensors, reads

    def __call__(self, upstream: Any, y: Any, *values: Any) -> list[Any]:
        upstreams = upstream if type(upstream) is list else [upstream]
        recorded = any(isinstance(u, Tensor) for u in upstreams)
        now = [*self.tensors, *self.reads]
        for k, value in zip(self.program.slots, values):
            if k < len(now):
                now[k] = value if isinstance(value, Tensor) else as_leaf(value)
        tensors = iter(now)
        leaves = [x for _, x in arguments.paths(self.given, "")]
        leaves = [next(tensors) if type(x) is Tensor and x.dtype.kind == "f" else x for x in leaves]
        args, kwargs = arguments.rebuild(self.given, iter(leaves))
        found = self.program.pullback(upstreams, args, kwargs, [t if recorded else as_leaf(t.value) for t in tensors])
        return [g.value if isinstance(g, Tensor) and not recorded else g for g in found]


def pullback_of(program: Program) -> Compiled:
    """The compiled function that gives the messages which a backward pass through a program sends to its inputs."""
    f, read = program.f, [v for v in program.variables if v.dtype.kind == "f"]

    def pullback(upstreams: list[Any], args: Any, kwargs: Any, values: list[Tensor]) -> list[Any]:
        leaves = [x for _, x in arguments.paths((args, kwargs), "")]
        leaves = [connected_copy(x) if type(x) is Tensor and x.dtype.kind == "f" else x for x in leaves]
        again, options = arguments.rebuild((args, kwargs), iter(leaves))
        reads = [record(READ, x.value, (v, x)) for v, x in zip(read, values)]
        with reading(read, reads):
            outputs = outputs_in(f(*again, **options), leaves)
        given = [x for x in leaves if type(x) is Tensor and x.dtype.kind == "f"]
        sources = [*given, *reads, *program.captured]
        ends = {x.serial for x in sources}
        messages: dict[Any, Any] = {}
        with np.errstate(all="ignore"):
            used = [(y, u) for y, u in zip(outputs, upstreams) if u is not None]
            for node, _, sends in backward([y for y, _ in used], [u for _, u in used], sources, ends):
                messages |= {(node.serial, i): g for i, a, g in sends if a.serial in ends}
        found = [messages.get((node, i)) for node, i, _ in edges(outputs, sources)]
        return [g.dense() if isinstance(g, Scattered) else g for g in found]

    pullback.__name__ = f"gradient of {name_of(f)}"
    pullback.__wrapped__ = f  # type: ignore[attr-defined]  # whose line messages name
    return Compiled(pullback, program.check_surroundings)


def _emitted(f: Any, rule: Any, values: Sequence[Any], operands: Sequence[Tensor]) -> list[Tensor]:
    """Tensors that hold the values, made by one op with this rule."""
    outputs = [as_leaf(value) for value in values]
    made = make_outputs(
        Op(name_of(f), f, vjp_all=rule, partial=True),
        outputs[0] if len(outputs) == 1 else [None] * len(outputs),
        outputs,
        operands,
    )
    return made if isinstance(made, list) else [made]
