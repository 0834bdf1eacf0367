"""PyTorch: turn the result of each call into a minigrad node, with the user's line that created it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
import torch

from ..core.custom import custom_gradient
from ..core.op import OPS, as_leaf
from ..core.tensor import Tensor, next_serial
from ..diagnostics.domains import op_of
from ..diagnostics.user_expressions import source_of, span_of
from ..tracing.replay import graph_of, is_input
from .derivatives import adjoints_of, derivative_words
from .pytorch_call_sites import CallSite, called_from, here, place_of
from .pytorch_calls import (
    CASTS,
    NO_NODE,
    NOISE,
    PASS_NAN,
    CallAgain,
    array,
    as_list,
    at_place,
    derived,
    flat,
    gradients,
    is_lost,
    is_moving,
    is_sparse_constant,
    places,
    results_in,
    version_of,
)
from .pytorch_ops import SAME, TABLE, TorchSpelling, assigned, overwrites, plain_name, translated, view_set
from .pytorch_other_calls import with_other_call
from .pytorch_reasons import reason_of
from .rebuilt_program import REFUSED, ForeignProgram, NotRecorded, agreed, close
from .spelling import LAYER


class TorchProgram(ForeignProgram):
    """A record of PyTorch's calls.

    kept : all tensors seen, so that no new tensor gets the id of an old one.
    """

    framework = "PyTorch"
    hidden = "torch.func, TorchScript or a nested tensor"

    def __init__(self, strange: Collection[Any] = ()) -> None:
        super().__init__(strange)
        self.dialect = TorchSpelling()
        self.of: dict[int, tuple[Any, Any]] = {}  # id of a tensor -> its node or constant, and its stamp
        self.kept: list[Any] = []
        self.writes: dict[int, int] = {}  # storage -> how often it was changed in place
        self.made: dict[int, Any] = {}  # inputs created by the program, such as the points of a gradient penalty
        self.scope = list[str]()
        self.classes: dict[str, str] = {}  # path of a module -> its class
        self.result: Any = None
        self.place: CallSite | None = None  # while a call is repeated: where it was made

    # Tensors and their nodes.

    def node(self, t: torch.Tensor) -> Any:
        """Return the node of a tensor, or its array if it does not depend on the inputs."""
        node, stamp = self.of.get(id(t), (None, None))
        # A computed tensor that was changed in place gets a new node even if its numbers stayed equal.
        alike = not t.requires_grad or t.is_leaf
        current = node is not None and (
            stamp == self.stamp(t) or (alike and close(getattr(node, "value", node), array(t), 0.0))
        )
        if node is not None and alike and not isinstance(node, Tensor):  # a constant may have become an input
            self.keep(t, node if current else array(t))
        elif node is not None and not current and t._base is not None:  # the base of this view was changed in place
            at = t.size(), t.stride(), t.storage_offset()
            self.bind_as(t, torch.as_strided, (t._base, *at), (self.node(t._base), *at))
        elif node is not None and not current and t.requires_grad and not t.is_leaf:  # t was changed under no_grad
            self.bind(t, OPS["add"].call(node, array(t) - node.value), next_serial(), "", None)
        elif not current:
            self.keep(t, leaf := as_leaf(array(t)))
            self.names = {name: leaf if n is node else n for name, n in self.names.items()}
            if t.requires_grad:
                self.leaves[leaf.serial] = t
                self.tracked.append((leaf, t))
            elif t.is_leaf:
                self.name_constant(leaf)
            if t.grad_fn is not None:  # t is a result of ops that were not seen, for example in TorchScript
                self.unseen[leaf.serial] = t.grad_fn.name()
                self.names.setdefault(f"a result of {t.grad_fn.name()}", leaf)
        return self.of[id(t)][0]

    def keep(self, t: torch.Tensor, node: Any) -> None:
        """Associate a node or a constant with a tensor; a constant that is differentiated becomes an input."""
        if t.requires_grad and t.is_leaf and t.is_complex():
            raise NotRecorded("a complex input is not recorded: pass its parts, and write torch.complex(x, y)")
        if t.requires_grad and t.is_leaf and not isinstance(node, Tensor):
            node = as_leaf(node)
            self.made[node.serial] = t
            self.tracked.append((node, t))
        self.of[id(t)] = node, self.stamp(t)
        self.kept.append(t)

    def is_current(self, t: torch.Tensor) -> bool:
        """Return whether PyTorch's gradient of a tensor is the gradient of its node.

        The two differ for a view whose base was changed after the view was recorded.
        """
        return t.is_leaf or self.of[id(t)][1] == self.stamp(t)

    def stamp(self, t: torch.Tensor) -> Any:
        """Return a key that changes when a tensor's numbers are changed in place, even through `t.data`."""
        return version_of(t), self.writes.get(t.untyped_storage().data_ptr(), 0)

    def bind_as(self, t: torch.Tensor, func: Any, args: Any, before: Any) -> None:
        """Record a tensor as the result of `func(*args)`, which has the same numbers.

        before : the nodes of `args`.
        """
        start, moving = next_serial(), [(i, None) for i, node in enumerate(before) if isinstance(node, Tensor)]
        function = CallAgain(func, args, {}, moving, lambda out: out, None, None)
        self.bind(t, self.left(func.__name__, function, [before[i] for i, _ in moving], array(t)), start, "", None)

    def written(self, t: torch.Tensor) -> None:
        """Record that a tensor was changed in place.

        If the tensor is a view, its base gets a new node. Views of the tensor get new nodes when they are read.
        """
        pointer, base, at = t.untyped_storage().data_ptr(), t._base, (t.size(), t.stride(), t.storage_offset())
        self.writes[pointer] = self.writes.get(pointer, 0) + 1
        self.of[id(t)] = self.of[id(t)][0], self.stamp(t)
        self.tracked = [(n, u) for n, u in self.tracked if u is not t or base is None]  # the base is tracked instead
        old = None if base is None else self.of.get(id(base))
        if base is not None and old is not None and isinstance(self.of[id(t)][0], Tensor):
            self.bind_as(base, view_set, (base, t, *at), (old[0], self.of[id(t)][0], *at))

    def lifted(self, a: Any) -> Any:
        """Return an argument with each tensor replaced by its node, or by its number if it is a constant scalar."""
        if isinstance(a, torch.Tensor) and not is_sparse_constant(a):
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

    def note(self, func: Any, args: Any, kwargs: Any, out: Any, before: Any, state: Any) -> None:
        """Record a call that PyTorch has made."""
        name = plain_name(func)
        if name == "register_hook":
            self.hooked(args[0], [args[1] if len(args) > 1 else kwargs["hook"]])
        if func is torch.autograd.grad:
            self.differentiated(before, [out] if isinstance(out, torch.Tensor) else out)
        if name in NO_NODE:
            return
        tensors = [t for t in flat(args, kwargs) if isinstance(t, torch.Tensor)]
        changed = [t for t in tensors if id(t) in self.of and self.of[id(t)][1][0] != version_of(t)]
        if any(t.requires_grad for t in changed) and not torch.is_grad_enabled():
            return  # autograd does not see the change
        if name == "__setitem__":
            self.put(before, args)
            return
        if (pairs := results_in(out)) and all(is_sparse_constant(t) for t, _ in pairs):
            return
        if tensors and overwrites(func):  # as in `t.normal_()`, the old numbers of t do not matter
            self.of.pop(id(tensors[0]), None)
            return
        noise = name in NOISE
        self.random = self.random or noise
        if not tensors or noise or "empty" in name:  # a constant such as torch.ones(3), or not filled yet
            for t, _ in pairs:
                self.keep(t, array(t))
            return
        ids, start = {id(t) for t in tensors}, next_serial()
        before = self.placed(args, kwargs, before, [t for t, _ in pairs])
        nodes = self.translated(name, before, [t for t, _ in pairs], flat(args, kwargs))
        for (t, pick), node in zip(pairs, nodes):
            if id(t) in ids and self.of[id(t)][1] == self.stamp(t):
                continue  # the call returned its argument
            if node is None:
                node = self.foreign(func, args, kwargs, before, t, name, pick, state)
            if not torch.is_grad_enabled() and isinstance(node, Tensor) and t.is_floating_point():
                node = OPS["stop_gradient"].call(node)
            self.bind(t, node, start, name, before)
            self.explain(func, args, kwargs, t)
        for t in changed:
            self.written(t)
        self.at += 1

    def placed(self, args: Any, kwargs: Any, before: Any, results: Sequence[torch.Tensor]) -> Any:
        """Return the arguments of a call, with constants as input nodes if the call makes numbers nonfinite.

        The call does so if it returns a nan, or an infinity although all its arguments are finite. The report can
        then name the constant that is to blame.
        """
        entering = [t for p in places(args, kwargs) if not is_sparse_constant(t := at_place(args, kwargs, p))]
        fixed = not any(isinstance(at_place(before[0], before[1], p), Tensor) for p in places(args, kwargs))
        numbers = [t for t in entering if t.dtype != torch.bool and self.of[id(t)][1] == self.stamp(t)]
        if not fixed or not numbers or not any(map(is_lost, results)):
            return before
        if not any(bool(torch.isnan(t).any()) for t in results) and any(map(is_lost, numbers)):
            return before  # the call merely passes on a mask of -inf
        for t in numbers:
            # Convert integers, such as counts, to the dtype of the result.
            value = array(t) if t.is_floating_point() else array(t).astype(array(results[0]).dtype)
            self.of[id(t)] = leaf, _ = as_leaf(value), self.stamp(t)
            self.name_constant(leaf)
        return [self.lifted(a) for a in args], {k: self.lifted(a) for k, a in kwargs.items()}

    def hooked(self, t: torch.Tensor, hooks: Iterable[Any]) -> None:
        """Record each of a tensor's hooks as a custom gradient of the identity."""
        for hook in hooks:

            def with_hook(x: Any, hook: Any = hook) -> Any:
                def rule(g: Any) -> Any:
                    upstream = torch.as_tensor(np.array(getattr(g, "value", g))).to(t.dtype)
                    with torch._C.DisableTorchFunction(), torch.no_grad():
                        new = hook(upstream)
                    return g if new is None else array(new)

                rule.__name__ = getattr(hook, "__name__", type(hook).__name__)
                return OPS["add"].call(x, np.zeros((), x.dtype)), rule

            with_hook.__name__ = "register_hook"
            node = custom_gradient(with_hook)(self.node(t))
            node.location = place_of(*here()).location
            if any(self.scope):
                self.within[node.serial] = f"{self.scope[-1]} ({self.classes[self.scope[-1]]})"
            # PyTorch reports the gradient of a computed tensor as it is before the hook changes it
            self.tracked = [(n, u) for n, u in self.tracked if u is not t or t.is_leaf]
            self.keep(t, node)

    def explain(self, func: Any, args: Any, kwargs: Any, t: Any) -> None:
        """Record why the result of a call is not finite, if known; a result that is just an argument is skipped."""
        node = self.of.get(id(t), (None, None))[0]
        if not isinstance(node, Tensor) or any(self.of.get(id(a), (None,))[0] is node for a in flat(args, kwargs)):
            return
        reason = reason_of(func, args, kwargs, t)
        if reason is not None:
            of_this_call = (n.serial for n in graph_of(node) if self.calls.get(n.serial) == self.at)
            for serial in (node.serial, *of_this_call):
                self.reasons.setdefault(serial, reason)

    def differentiated(self, before: Any, results: Sequence[torch.Tensor | None]) -> None:
        """Record, with minigrad's own pass, gradients that the user differentiates again, as in a gradient penalty."""
        bound = dict(zip(names := ("outputs", "inputs", "grad_outputs"), before[0])) | before[1]
        ys, xs, upstreams = (as_list(bound.get(name)) for name in names)
        wanted = any(t is not None and t.requires_grad for t in results) and self.at not in self.strange
        if wanted and all(isinstance(node, Tensor) for node in (*ys, *xs)):
            start, pairs = next_serial(), zip_longest(ys, upstreams)
            gs = [g if isinstance(g, Tensor) else as_leaf(np.ones_like(y.value) if g is None else g) for y, g in pairs]
            try:
                adjoints, of = adjoints_of(ys, gs, xs)
            except REFUSED:  # the pass contains a foreign op, which can be differentiated only once
                adjoints, of = [], {}
            for node, t in zip(adjoints, results):
                if t is not None and isinstance(node, Tensor) and close(node.value, array(t)):
                    self.bind(t, node, start, "", None)
            self.within |= {new: derivative_words(n, self.within.get(n.serial, "")) for new, n in of.items()}
        self.at += 1

    def translated(self, name: str, before: Any, results: list[torch.Tensor], theirs: Any = ()) -> list[Any]:
        """Return a call's results as minigrad nodes, with None for each result that minigrad computes differently.

        theirs : PyTorch's arguments.
        """
        values, args = [array(t) for t in results], before[0]
        if any(isinstance(t, torch.Tensor) and t.is_complex() for t in (*results, *theirs)):
            return [None] * len(values)
        if name in PASS_NAN and args and np.isnan(getattr(args[0], "value", 0.0)).any():
            return [None] * len(values)
        if name in SAME and args and isinstance(args[0], Tensor) and len(values) == 1:
            if args[0].dtype == values[0].dtype and close(args[0].value, values[0], 0.0):
                return [args[0]]
            if name in CASTS and values[0].dtype.kind == "f":
                return [OPS["astype"].call(args[0], values[0].dtype)]
        return agreed(lambda: translated(name, args, before[1], self.at in self.strange), values, args)

    def bind(self, t: torch.Tensor, node: Any, start: int, name: str, before: Any) -> None:
        """Associate a node with a tensor, and record the node's line and its expression in that line."""
        if isinstance(node, Tensor):
            new = [n for n in graph_of(node) if n.serial > start and not is_input(n)]
            place = self.place or place_of(*here())
            self.dialect.globals.setdefault(place.location[0].co_filename, place.names)
            caller = place.caller if self.place else called_from() if any(self.scope) else ""
            for n in new:
                n.location = place.location
                self.calls[n.serial] = self.at
                if any(self.scope):
                    n.scope = tuple(filter(None, self.scope))
                    self.within[n.serial] = f"{n.scope[-1]} ({self.classes[n.scope[-1]]}){caller}"
                else:
                    n.call = place.call
            casts = {a.serial for n in new for a in n.args if isinstance(a, Tensor) and op_of(a) == "astype"}
            self.dialect.hidden |= casts & {n.serial for n in new}  # the line does not write the cast of a count
            if before is not None:
                self.read(new, name, before, place.module)
            if t.requires_grad:
                self.tracked = [(n, u) for n, u in self.tracked if u is not t]  # only the last version is tracked
                self.tracked.append((node, t))
        self.keep(t, node)

    def read(self, new: list[Tensor], name: str, before: Any, module: bool) -> None:
        """Record which arguments of the user's call became the arguments of its nodes."""
        span = span_of(new[-1]) if new else None
        e = span and source_of(span[0]).expressions.get(span)
        if not isinstance(e, ast.Call) or span is None:
            return
        if module:
            tensors = sum(isinstance(a, Tensor) for a in new[0].args)
            if len(new) == 1 and len(e.args) == 1 and not e.keywords and tensors == 1:  # for example, `self.act(h)`
                self.dialect.order[span, new[0].op.name] = LAYER
            return
        written = self.dialect.name_of(e, span[0])
        if name not in (written, written.rstrip("_")) and TABLE.get(written) is not TABLE.get(name, e):
            return  # the user wrote another call, for example `sum(list_of_tensors)`, which calls add
        written_args, positions = self.dialect.arguments(e, span), {**dict(enumerate(before[0])), **before[1]}
        if len(new) == 1:
            order = [next((k for k, v in positions.items() if v is a), None) for a in new[0].args]
            self.dialect.order[span, new[0].op.name] = order
        else:
            tensors_at = {k: v for k, v in positions.items() if isinstance(v, Tensor)}
            entering = {v.serial: written_args[k] for k, v in tensors_at.items() if k in written_args}
            self.dialect.synthesize(new, entering)

    def foreign(
        self, func: Any, args: Any, kwargs: Any, before: Any, result: torch.Tensor, name: str, pick: Any, state: Any
    ) -> Any:
        """Return a call as an op that PyTorch computes and differentiates."""
        moving = [
            p for p in places(args, kwargs) if is_moving(at_place(before[0], before[1], p), at_place(args, kwargs, p))
        ]
        if not moving or not (result.is_floating_point() or result.is_complex()):
            return array(result)
        self.random = self.random or state is not None
        function = CallAgain(func, args, kwargs, moving, pick, state, result)
        return self.left(name, function, [at_place(before[0], before[1], p) for p in moving], array(result))

    def put(self, before: Any, args: Any) -> None:
        """Record `x[key] = value`."""
        (x, key, value), (t, *_) = before[0], args
        if not isinstance(x, Tensor) and not isinstance(value, Tensor):
            self.keep(t, array(t))
        else:
            start, plain = next_serial(), lambda k: getattr(k, "value", k)
            key = tuple(map(plain, key)) if isinstance(key, tuple) else plain(key)
            (node,) = agreed(lambda: OPS["index_set"].call(x, key, value), [array(t)], [x, value])
            if node is None:
                node = self.foreign(assigned, args, {}, before, t, "index_set", lambda out: out, None)
            self.bind(t, node, start, "__setitem__", before)
        self.written(t)
        self.at += 1

    # Comparison.

    def with_other_call(self, report: Any) -> Any:
        return with_other_call(report, self)

    def dtypes(self) -> dict[int, str]:
        return {node.serial: "bfloat16" for node, t in self.tracked if getattr(t, "dtype", None) == torch.bfloat16}

    def adjoints(self, keys: Sequence[Any]) -> list[Any]:
        try:
            return derived(self.result, keys, torch.ones_like(self.result))
        except RuntimeError as error:  # for example, a checkpoint with use_reentrant=True cannot be differentiated here
            raise NotRecorded(f"PyTorch cannot differentiate this program: {error}") from error

    def run(self, new: Tensor, inputs: Sequence[Tensor]) -> tuple[Any, list[Any]]:
        leaves = [torch.as_tensor(np.array(node.value)).requires_grad_() for node in inputs]
        tensors = {node.serial: t for node, t in zip(inputs, leaves)}
        y = self.evaluated(new, tensors, lambda value: torch.as_tensor(np.array(value)))
        grads = gradients(y, leaves, np.ones(new.shape))
        return array(y), [np.zeros(node.shape) if g is None else g for node, g in zip(inputs, grads)]

    def twice(self, new: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> float:
        leaves = [torch.as_tensor(np.array(node.value)).requires_grad_() for node in inputs]
        along = [torch.as_tensor(np.array(way)).to(x.dtype) for way, x in zip(ways, leaves)]
        now = {node.serial: t for node, t in zip(inputs, leaves)}
        y = self.evaluated(new, now, lambda value: torch.as_tensor(np.array(value))).sum()
        derive = partial(torch.autograd.grad, inputs=leaves, create_graph=True, allow_unused=True)
        total = lambda grads: sum((g * way).sum() for g, way in zip(grads, along) if g is not None)
        slope: Any = total(derive(y))
        return float(total(derive(slope)).detach()) if getattr(slope, "requires_grad", False) else 0.0


#: The programs that are being recorded. A watched loop ignores the calls of a recording inside it.
RECORDED: list[Any] = []
