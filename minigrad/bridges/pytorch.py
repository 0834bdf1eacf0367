"""PyTorch: the result of each call becomes a node of minigrad, with the line of the user that made it."""

from __future__ import annotations

import ast
import functools
import itertools
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np
import torch

from ..core.backward import pullback
from ..core.op import OPS, as_leaf
from ..core.support.frames import OWN, Location
from ..core.tensor import Tensor, next_serial
from ..diagnostics.source import source_of, span_of
from ..tracing.lines import call_in
from ..tracing.replay import graph_of, is_input
from .program import REFUSED, Differs, ForeignProgram, NotRecorded, agreed, close
from .pytorch_ops import SAME, TABLE, TorchSpelling, overwrites, plain_name, translated
from .spelling import LAYER

FOLDER = os.path.dirname(torch.__file__) + os.sep
#: Code in these folders is not the user's.
NOT_USERS = (FOLDER, *OWN)
#: What a module is called through.
CALLS = {"_wrapped_call_impl", "_call_impl", "__call__"}
#: Calls that convert to another dtype.
CASTS = {"to", "float", "double", "half", "type", "type_as"}
#: Calls that make no node.
NO_NODE = {"__bool__", "size", "dim", "item", "is_floating_point", "numel", "tolist", "is_complex", "shape", "dtype",
         "device", "requires_grad", "grad", "is_leaf", "grad_fn", "ndim", "stride", "is_contiguous", "__len__",
         "names", "layout", "is_cuda", "storage_offset", "numpy", "__float__", "__int__", "__index__", "__repr__",
         "__format__", "is_sparse",
         "is_nested", "is_quantized", "is_mkldnn", "register_hook", "__contains__"}  # fmt: skip


def array(t: torch.Tensor) -> Any:
    """The numbers of a tensor, copied; those of bfloat16 in float32. Raises NotRecorded unless it is a plain one."""
    if t.layout is not torch.strided or t.is_quantized:
        raise NotRecorded(
            "a sparse or quantized tensor is not recorded; .to_dense() or .dequantize() makes a plain one"
        )
    with torch._C.DisableTorchFunction():
        t = t.detach()
        return (t.float() if t.dtype == torch.bfloat16 else t).cpu().resolve_neg().numpy().copy()[()]


class CallSite(NamedTuple):
    """Where a call was made: its location, the names known there, what was called if it is PyTorch's own code, and the
    calls around it."""

    location: Location
    names: Mapping[str, Any]
    called: CodeType | None
    call: Any = None

    @property
    def module(self) -> bool:
        """Whether a module was called there."""
        return self.called is not None and self.called.co_name in CALLS and FOLDER in self.called.co_filename


def here() -> tuple[FrameType, CodeType | None]:
    """The innermost frame outside of PyTorch and minigrad, and the code that it called."""
    frame, called = sys._getframe(2), None
    while frame.f_back is not None:
        code = frame.f_code
        library = LIBRARY.get(code.co_filename)  # looked up by name: the hash of a code object is slow
        if library is None:
            library = LIBRARY[code.co_filename] = code.co_filename.startswith(NOT_USERS)
        if not library:
            break
        frame, called = frame.f_back, code
    return frame, called


#: Files that were asked for, and whether their code is not the user's.
LIBRARY: dict[str, bool] = {}


def place_of(frame: FrameType, called: CodeType | None) -> CallSite:
    return CallSite((frame.f_code, frame.f_lasti), frame.f_globals, called, call_in(frame, NOT_USERS))


class TorchProgram(ForeignProgram):
    """A record of PyTorch's calls. kept : the tensors that were seen, so that no other takes the id of one."""

    framework = "PyTorch"

    def __init__(self, strange: Collection[Any] = ()) -> None:
        super().__init__(strange)
        self.dialect = TorchSpelling()
        self.of: dict[int, tuple[Any, int]] = {}  # id of a tensor -> its node or constant, and its version
        self.kept: list[Any] = []
        self.scope = list[str]()
        self.result: Any = None
        self.place: CallSite | None = None  # of a call that is made again

    # Tensors and their nodes.

    def node(self, t: torch.Tensor) -> Any:
        """The node of a tensor, or its array where nothing that was given determines it."""
        found = self.of.get(id(t))
        if found is not None and (found[1] == t._version or close(getattr(found[0], "value", found[0]), array(t))):
            return found[0]
        leaf = as_leaf(array(t))
        self.keep(t, leaf)
        if t.requires_grad:
            self.leaves[leaf.serial] = t
            self.tracked.append((leaf, t))
        if t.grad_fn is not None:  # TorchScript, for example, whose ops are not seen
            self.names.setdefault(f"a result of {t.grad_fn.name()}", leaf)
        return leaf

    def keep(self, t: torch.Tensor, node: Any) -> None:
        self.of[id(t)] = node, t._version
        self.kept.append(t)

    def lifted(self, a: Any) -> Any:
        """An argument with nodes for its tensors, taken while the values are still these; a constant is a number."""
        if isinstance(a, torch.Tensor):
            node = self.node(a)
            fixed = not isinstance(node, Tensor) or (node.op is None and not a.requires_grad)
            if fixed and not a.ndim:
                return a.item()
            return node
        if isinstance(a, slice):
            return slice(*[x.item() if isinstance(x, torch.Tensor) else x for x in (a.start, a.stop, a.step)])
        if isinstance(a, torch.Size):
            return tuple(a)
        if isinstance(a, (tuple, list)):
            return type(a)(map(self.lifted, a)) if type(a) in (tuple, list) else a
        return a

    # Calls.

    def note(self, func: Any, args: Any, kwargs: Any, out: Any, before: Any, state: Any) -> None:
        """Record a call that PyTorch has made."""
        name = plain_name(func)
        if func is torch.autograd.grad:
            self.differentiated(before, [out] if isinstance(out, torch.Tensor) else out)
        if name in NO_NODE:
            return
        if name == "__setitem__":
            self.put(before, args)
            return
        tensors = [t for t in flat(args, kwargs) if isinstance(t, torch.Tensor)]
        pairs = _results(out)
        if tensors and overwrites(func):  # `t.normal_()`: what t was does not matter
            self.of.pop(id(tensors[0]), None)
            return
        if not tensors:  # torch.ones(3): a constant
            for t, _ in pairs:
                self.keep(t, array(t))
            return
        known, start = {id(t) for t in tensors}, next_serial()
        nodes = self.translated(name, before, [t for t, _ in pairs])
        for (t, pick), node in zip(pairs, nodes):
            if id(t) in known and self.of[id(t)][1] == t._version:
                continue  # it returned its argument
            if node is None:
                node = self.foreign(func, args, kwargs, before, t, name, pick, state)
            if not torch.is_grad_enabled() and isinstance(node, Tensor) and t.is_floating_point():
                node = OPS["stop_gradient"].call(node)
            self.bind(t, node, start, name, before)
        self.at += 1

    def differentiated(self, before: Any, results: Sequence[torch.Tensor | None]) -> None:
        """Record gradients that the user differentiates again, as in a gradient penalty, by minigrad's own pass."""
        given = dict(zip(("outputs", "inputs", "grad_outputs"), before[0])) | before[1]
        ys, xs, upstreams = (_listed(given.get(k)) for k in ("outputs", "inputs", "grad_outputs"))
        wanted = any(t is not None and t.requires_grad for t in results) and self.at not in self.strange
        if wanted and all(isinstance(node, Tensor) for node in (*ys, *xs)):
            start, pairs = next_serial(), itertools.zip_longest(ys, upstreams)
            ones = [np.ones_like(y.value) if g is None else g for y, g in pairs]
            try:
                found = pullback(ys, [g if isinstance(g, Tensor) else as_leaf(g) for g in ones], xs)
            except REFUSED:  # a foreign op is derived once
                found = []
            for node, t in zip(found, results):
                if t is not None and isinstance(node, Tensor) and close(node.value, array(t)):
                    self.bind(t, node, start, "", None)
        self.at += 1

    def translated(self, name: str, before: Any, results: list[torch.Tensor]) -> list[Any]:
        """The results of a call as nodes of minigrad, where these compute the same value; else None."""
        values, args = [array(t) for t in results], before[0]
        if name in SAME and args and isinstance(args[0], Tensor) and len(values) == 1:
            if args[0].dtype == values[0].dtype and close(args[0].value, values[0], 0.0):
                return [args[0]]
            if name in CASTS and values[0].dtype.kind == "f":
                return [OPS["astype"].call(args[0], values[0].dtype)]
        return agreed(lambda: translated(name, args, before[1], self.at in self.strange), values, args)

    def bind(self, t: torch.Tensor, node: Any, start: int, name: str, before: Any) -> None:
        """Make a node that of a tensor: with its number, to the last digit, its line, and what stands for it there."""
        if isinstance(node, Tensor):
            new = [n for n in graph_of(node) if n.serial > start and not is_input(n)]
            place = self.place or place_of(*here())
            self.dialect.globals.setdefault(place.location[0].co_filename, place.names)
            for n in new:
                n.location = place.location
                self.calls[n.serial] = self.at
                if any(self.scope):
                    n.scope = tuple(filter(None, self.scope))
                else:
                    n.call = place.call
            if before is not None:
                self.read(new, name, before, place.module)
            if t.requires_grad:
                self.tracked = [(n, u) for n, u in self.tracked if u is not t]  # changed in place: the last version
                self.tracked.append((node, t))
        self.keep(t, node)

    def read(self, new: list[Tensor], name: str, before: Any, module: bool) -> None:
        """Note which arguments of the user's call are those of its nodes."""
        span = span_of(new[-1]) if new else None
        e = span and source_of(span[0]).expressions.get(span)
        if not isinstance(e, ast.Call) or span is None:
            return
        if module:
            tensors = sum(isinstance(a, Tensor) for a in new[0].args)
            if len(new) == 1 and len(e.args) == 1 and not e.keywords and tensors == 1:  # an activation, `self.act(h)`
                self.dialect.order[span, new[0].op.name] = LAYER
            return
        written = self.dialect.name_of(e, span[0])
        if name not in (written, written.rstrip("_")) and TABLE.get(written) is not TABLE.get(name, e):
            return  # `sum(list of tensors)`, for example, which adds
        given, positions = self.dialect.given(e, span), {**dict(enumerate(before[0])), **before[1]}
        if len(new) == 1:
            order = [next((k for k, v in positions.items() if v is a), None) for a in new[0].args]
            self.dialect.order[span, new[0].op.name] = order
        else:
            entering = {v.serial: given[k] for k, v in positions.items() if isinstance(v, Tensor) and k in given}
            self.dialect.synthesize(new, entering)

    def foreign(
        self, func: Any, args: Any, kwargs: Any, before: Any, result: torch.Tensor, name: str, pick: Any, state: Any
    ) -> Any:
        """The call as an op that PyTorch computes and derives."""
        moving = [p for p in _places(args, kwargs) if is_moving(_at(before[0], before[1], p), _at(args, kwargs, p))]
        if not moving or not result.is_floating_point():
            return array(result)
        self.random = self.random or state is not None
        function = CallAgain(func, args, kwargs, moving, pick, state, result)
        return self.left(name, function, [_at(before[0], before[1], p) for p in moving], array(result))

    def put(self, before: Any, args: Any) -> None:
        """Record `x[key] = value`."""
        x, key, value = before[0]
        start = next_serial()
        try:
            node = OPS["index_set"].call(x, key, value)
        except (TypeError, ValueError, IndexError):
            return
        if close(node.value, array(args[0])):
            self.bind(args[0], node, start, "__setitem__", before)
            self.at += 1

    # Comparison.

    def adjoints(self, keys: Sequence[Any]) -> list[Any]:
        return derived(self.result, keys, torch.ones_like(self.result))

    def run(self, new: Tensor, inputs: Sequence[Tensor]) -> tuple[Any, list[Any]]:
        leaves = [torch.as_tensor(np.array(node.value)).requires_grad_() for node in inputs]
        given = {node.serial: t for node, t in zip(inputs, leaves)}
        y = self.evaluated(new, given, lambda value: torch.as_tensor(np.array(value)))
        found = gradients(y, leaves, np.ones(new.shape))
        return array(y), [np.zeros(node.shape) if g is None else g for node, g in zip(inputs, found)]


class CallAgain:
    """A call of PyTorch with other tensors in place of some, and its generator set back."""

    def __init__(self, func: Any, args: Any, kwargs: Any, moving: Any, pick: Any, state: Any, result: Any) -> None:
        self.func, self.moving, self.pick, self.state, self.result = func, moving, pick, state, result
        self.theirs = [_at(args, kwargs, place) for place in moving]
        self.inplace = getattr(func, "__name__", "").endswith("_") and not getattr(func, "__name__", "").endswith("__")
        copied = lambda t: t.detach().clone() if isinstance(t, torch.Tensor) else t
        self.args = [[copied(x) for x in a] if type(a) in (tuple, list) else copied(a) for a in args]
        self.kwargs = {k: copied(v) for k, v in kwargs.items() if k != "inplace"}

    def __call__(self, *tensors: Any) -> Any:
        dtype = functools.reduce(torch.promote_types, [t.dtype for t in tensors])
        cast = lambda t: t.to(dtype) if isinstance(t, torch.Tensor) and t.is_floating_point() else t
        args: list[Any] = [[cast(x) for x in a] if type(a) is list else cast(a) for a in self.args]
        kwargs = {k: cast(v) for k, v in self.kwargs.items()}
        for (place, inner), t in zip(self.moving, tensors):
            holder: Any = args if isinstance(place, int) else kwargs
            if inner is not None:
                holder[place][inner] = t
            else:
                holder[place] = t
        if self.inplace:
            args[0] = args[0].clone()
        with ExitStack() as stack:
            if self.state is not None:
                stack.enter_context(torch.random.fork_rng(devices=[]))
                torch.set_rng_state(self.state)
            return self.pick(self.func(*args, **kwargs))

    def value(self, *values: Any) -> Any:
        with torch.no_grad():
            return array(self(*[torch.as_tensor(np.array(v)) for v in values]))

    def gradients(self, values: Sequence[Any], g: Any, recorded: bool = False) -> list[Any]:
        needed = [t.requires_grad for t in self.theirs]
        if recorded and self.result.requires_grad:  # the graph of PyTorch is still there: also for dropout
            try:
                return _for(needed, gradients(self.result, [t for t in self.theirs if t.requires_grad], g))
            except RuntimeError:  # changed in place since
                pass
        for wanted in ([True] * len(needed), needed):
            try:
                return self.slopes(values, wanted, g)
            except RuntimeError:  # not differentiable for all, as a batch norm for its running mean
                continue
        raise Differs(f"{plain_name(self.func)} cannot be derived again")

    def slopes(self, values: Sequence[Any], wanted: list[bool], g: Any) -> list[Any]:
        with torch.enable_grad():
            leaves = [torch.as_tensor(np.array(v)).requires_grad_(w) for v, w in zip(values, wanted)]
            out = self(*leaves)
            own = [t for t in leaves if t.requires_grad]
            return _for(wanted, gradients(out, own, g) if out.requires_grad else [None] * len(own))


def _for(wanted: Sequence[bool], found: Sequence[Any]) -> list[Any]:
    """The gradients that were found at their positions; None at the others."""
    left = iter(found)
    return [next(left) if w else None for w in wanted]


#: The programs that are recorded now: a loop that is watched around them does not look at their calls.
RECORDED: list[Any] = []


def derived(y: torch.Tensor, xs: Sequence[torch.Tensor], upstream: torch.Tensor) -> list[Any]:
    """PyTorch's gradients as arrays, None where y does not depend on x; unseen by a loop that is watched."""
    with torch._C.DisableTorchFunction():
        found = torch.autograd.grad(y, list(xs), upstream, retain_graph=True, allow_unused=True) if xs else ()
    return [None if t is None else array(t.to_dense()) for t in found]  # an embedding may have a sparse one


def gradients(y: torch.Tensor, xs: Sequence[torch.Tensor], g: Any) -> list[Any]:
    upstream = torch.as_tensor(np.array(g)).to(y.dtype).reshape(y.shape)
    return derived(y, xs, upstream)


def _listed(value: Any) -> list[Any]:
    return [*value] if isinstance(value, (tuple, list)) else [] if value is None else [value]


def flat(args: Any, kwargs: Any) -> list[Any]:
    return [x for a in (*args, *kwargs.values()) for x in (a if isinstance(a, (tuple, list)) else [a])]


def _places(args: Any, kwargs: Any) -> list[tuple[Any, Any]]:
    """Where tensors stand in a call: a position or keyword, and the index in a list there or None."""
    found: list[tuple[Any, Any]] = []
    for place, a in [*enumerate(args), *kwargs.items()]:
        if isinstance(a, torch.Tensor):
            found.append((place, None))
        elif type(a) in (tuple, list):
            found += [(place, i) for i, x in enumerate(a) if isinstance(x, torch.Tensor)]
    return found


def _at(args: Any, kwargs: Any, place: tuple[Any, Any]) -> Any:
    a = args[place[0]] if isinstance(place[0], int) else kwargs[place[0]]
    return a if place[1] is None else a[place[1]]


def is_moving(node: Any, t: torch.Tensor) -> bool:
    return isinstance(node, Tensor) and t.is_floating_point()


def _results(out: Any, path: tuple[int, ...] = ()) -> list[tuple[torch.Tensor, Callable[[Any], Any]]]:
    """The tensors that a call returned, those in tuples too, each with a function that picks it."""
    if isinstance(out, torch.Tensor):
        return [(out, lambda results: functools.reduce(lambda x, i: x[i], path, results))]
    if not isinstance(out, (tuple, list)):
        return []
    return [pair for i, inner in enumerate(out) for pair in _results(inner, (*path, i))]
