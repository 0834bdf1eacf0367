"""PyTorch: read arrays and gradients of tensors, find the tensors in a call, and repeat a call with other tensors."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import torch
from torch.nn.parameter import is_lazy

from ..core.tensor import Tensor
from .pytorch_ops import is_in_place, plain_name
from .rebuilt_program import Differs, NotRecorded

#: Calls that create no node.
NO_NODE = {"__bool__", "size", "dim", "item", "is_floating_point", "numel", "tolist", "is_complex", "shape", "dtype",
         "device", "requires_grad", "grad", "is_leaf", "grad_fn", "ndim", "stride", "is_contiguous", "__len__",
         "names", "layout", "is_cuda", "storage_offset", "numpy", "__float__", "__int__", "__index__", "__repr__",
         "__format__", "is_sparse",
         "is_nested", "is_quantized", "is_mkldnn", "register_hook", "__contains__"}  # fmt: skip
#: Calls that convert a tensor to another dtype.
CASTS = {"to", "float", "double", "half", "type", "type_as"}
#: Calls that draw numbers and take only the shape of their argument.
NOISE = {"rand_like", "randn_like"}
#: Calls whose gradient at nan is nan in PyTorch, but 0 in minigrad.
PASS_NAN = {"relu", "elu", "abs", "maximum", "minimum", "amax", "amin"}


def array(t: torch.Tensor) -> Any:
    """Return a tensor's numbers as a new NumPy array; bfloat16 becomes float32.

    A complex number becomes two floats on a last axis. PyTorch's gradient of a complex number is, in this form, the
    gradient of the two floats.

    Raises NotRecorded if the tensor is sparse, quantized or nested, or is inside torch.func.
    """
    if t.layout is not torch.strided or t.is_quantized:
        raise NotRecorded(
            "a sparse or quantized tensor is not recorded; .to_dense() or .dequantize() makes a plain one"
        )
    if without_numbers(t):
        raise NotRecorded("a nested tensor, or one inside torch.func, is not recorded")
    with torch._C.DisableTorchFunction():
        t = in_floats(t.detach())
        return (t.float() if t.dtype == torch.bfloat16 else t).cpu().resolve_neg().numpy().copy()[()]


def in_floats(t: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(t.resolve_conj()) if t.is_complex() else t


def with_dtype_of(t: torch.Tensor, floats: torch.Tensor) -> torch.Tensor:
    """Return floats as complex numbers if a tensor has a complex dtype; this undoes `in_floats`."""
    return torch.view_as_complex(floats.contiguous()) if t.is_complex() else floats


def is_derived(t: torch.Tensor) -> bool:
    """Return whether PyTorch can report the gradient of a tensor.

    PyTorch cannot report the gradient of a view that was created under no_grad and changed later.
    """
    try:
        return t.is_leaf or t.grad_fn is not None
    except RuntimeError:
        return False


def is_lost(t: torch.Tensor) -> bool:
    """Return whether a tensor contains a nan or an infinity."""
    dense = t.is_floating_point() and t.layout is torch.strided  # PyTorch cannot examine other layouts
    return dense and not bool(torch.isfinite(t).all())


def is_sparse_constant(t: torch.Tensor) -> bool:
    """Return whether a tensor is a sparse constant, such as the edges of a graph; it is left to PyTorch's calls."""
    return t.layout is not torch.strided and not t.is_nested and not t.requires_grad


def without_numbers(a: Any) -> bool:
    """Return whether a tensor has no array: it is inside torch.func or vmap, nested, or a lazy parameter."""
    if not isinstance(a, torch.Tensor):
        return False
    return torch._C._functorch.is_functorch_wrapped_tensor(a) or a.is_nested or is_lazy(a)


def version_of(t: torch.Tensor) -> int:
    """Return how often a tensor was changed in place.

    PyTorch does not count the changes of a tensor created in inference mode; return 0 for such a tensor.
    """
    return 0 if t.is_inference() else t._version


def derived(y: torch.Tensor, xs: Sequence[torch.Tensor], upstream: torch.Tensor) -> list[Any]:
    """Return PyTorch's gradients as arrays, with None for each x that does not affect y.

    A watched loop does not see this pass.
    """
    with torch._C.DisableTorchFunction():
        grads = torch.autograd.grad(y, list(xs), upstream, retain_graph=True, allow_unused=True) if xs else ()
    return [None if t is None else array(t.to_dense()) for t in grads]  # an embedding may have a sparse gradient


def gradients(y: torch.Tensor, xs: Sequence[torch.Tensor], g: Any) -> list[Any]:
    floats = in_floats(y)
    upstream = torch.as_tensor(np.array(g)).to(floats.dtype).reshape(floats.shape)
    return derived(y, xs, with_dtype_of(y, upstream))


def as_list(value: Any) -> list[Any]:
    return [*value] if isinstance(value, (tuple, list)) else [] if value is None else [value]


def flat(args: Any, kwargs: Any) -> list[Any]:
    return [x for a in (*args, *kwargs.values()) for x in (a if isinstance(a, (tuple, list)) else [a])]


def places(args: Any, kwargs: Any) -> list[tuple[Any, Any]]:
    """Return the place of each tensor in a call: a position or keyword, and an index if the tensor is in a list."""
    positions: list[tuple[Any, Any]] = []
    for place, a in [*enumerate(args), *kwargs.items()]:
        if isinstance(a, torch.Tensor):
            positions.append((place, None))
        elif type(a) in (tuple, list):
            positions += [(place, i) for i, x in enumerate(a) if isinstance(x, torch.Tensor)]
    return positions


def at_place(args: Any, kwargs: Any, place: tuple[Any, Any]) -> Any:
    a = args[place[0]] if isinstance(place[0], int) else kwargs[place[0]]
    return a if place[1] is None else a[place[1]]


def is_moving(node: Any, t: torch.Tensor) -> bool:
    return isinstance(node, Tensor) and (t.is_floating_point() or t.is_complex())


def results_in(out: Any, path: tuple[int, ...] = ()) -> list[tuple[torch.Tensor, Callable[[Any], Any]]]:
    """Return the tensors in a call's result, each with a function that picks it from the result."""
    if isinstance(out, torch.Tensor):
        return [(out, lambda out: functools.reduce(lambda x, i: x[i], path, out))]
    if not isinstance(out, (tuple, list)):
        return []
    return [pair for i, inner in enumerate(out) for pair in results_in(inner, (*path, i))]


class CallAgain:
    """A PyTorch call that can be repeated with some tensors replaced and the random generator reset."""

    def __init__(self, func: Any, args: Any, kwargs: Any, moving: Any, pick: Any, state: Any, result: Any) -> None:
        self.func, self.moving, self.pick, self.state, self.result = func, moving, pick, state, result
        self.theirs = [at_place(args, kwargs, place) for place in moving]
        self.versions = [*map(version_of, self.theirs)]
        self.inplace = is_in_place(getattr(func, "__name__", ""))
        copied = lambda t: t.detach().clone() if isinstance(t, torch.Tensor) else t
        self.args = [[copied(x) for x in a] if type(a) in (tuple, list) else copied(a) for a in args]
        self.kwargs = {k: copied(v) for k, v in kwargs.items() if k != "inplace"}
        if plain_name(func) == "rms_norm" and (self.args[3:] or [self.kwargs.get("eps")])[0] is None:
            # without an eps, PyTorch adds that of the dtype in which it computes, and a float64 replay another one
            wide = torch.float64 if self.theirs[0].dtype == torch.float64 else torch.float32
            self.args, self.kwargs = self.args[:3], self.kwargs | {"eps": torch.finfo(wide).eps}

    def instead(self, options: dict[Any, Any], after: Callable[[Any], Any]) -> CallAgain:
        """Return the same call with different options.

        options : keyword or position -> the new value.
        after : computes the new call's result from the tensor that PyTorch returns.
        """
        new = copy.copy(self)
        new.args = [options.get(i, a) for i, a in enumerate(self.args)]
        new.kwargs = self.kwargs | {k: v for k, v in options.items() if isinstance(k, str)}
        new.pick, new.result = lambda out: after(self.pick(out)), None
        return new

    def __call__(self, *tensors: Any) -> Any:
        dtype = functools.reduce(torch.promote_types, [t.dtype for t in tensors])
        cast = lambda t: t.to(dtype) if isinstance(t, torch.Tensor) and t.is_floating_point() else t
        args: list[Any] = [[cast(x) for x in a] if type(a) is list else cast(a) for a in self.args]
        kwargs = {k: cast(v) for k, v in self.kwargs.items()}
        for (place, inner), t in zip(self.moving, map(with_dtype_of, self.theirs, tensors)):
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
            return in_floats(self.pick(self.func(*args, **kwargs)))

    def value(self, *values: Any) -> Any:
        with torch.no_grad():
            return array(self(*[torch.as_tensor(np.array(v)) for v in values]))

    def gradients(self, values: Sequence[Any], g: Any, recorded: bool = False) -> list[Any]:
        needed = [t.requires_grad for t in self.theirs]
        kept = self.result is not None and self.result.requires_grad
        as_read = [*map(version_of, self.theirs)] == self.versions and all(t is not self.result for t in self.theirs)
        # use PyTorch's graph if it still exists, because its gradients are right for dropout too
        if recorded and kept and as_read and _are_apart(self.theirs):
            try:
                return _for(needed, gradients(self.result, [t for t in self.theirs if t.requires_grad], g))
            except RuntimeError:  # a tensor was changed in place after the call
                pass
        for wanted in ([True] * len(needed), needed):
            try:
                return self.slopes(values, wanted, g)
            except RuntimeError:  # some tensors cannot be differentiated, for example a batch norm's running mean
                continue
        raise Differs(f"{plain_name(self.func)} cannot be differentiated again")

    def slopes(self, values: Sequence[Any], wanted: list[bool], g: Any) -> list[Any]:
        with torch.enable_grad():
            leaves = [torch.as_tensor(np.array(v)).requires_grad_(w) for v, w in zip(values, wanted)]
            out = self(*leaves)
            own = [t for t in leaves if t.requires_grad]
            return _for(wanted, gradients(out, own, g) if out.requires_grad else [None] * len(own))


def _are_apart(tensors: Sequence[torch.Tensor]) -> bool:
    """Return whether no tensor in the list was computed from another one in it.

    If B was computed from A, PyTorch's gradient with respect to A includes the path through B.
    """
    moving = [t for t in tensors if t.requires_grad]
    if len(moving) < 2:
        return True
    sources, leaves = {t.grad_fn for t in moving if t.grad_fn is not None}, {id(t) for t in moving if t.is_leaf}
    waiting, seen = [*sources], set[Any]()
    while waiting:
        for before, _ in waiting.pop().next_functions:
            if before in sources or id(getattr(before, "variable", None)) in leaves:
                return False
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)
    return True


def _for(wanted: Sequence[bool], grads: Sequence[Any]) -> list[Any]:
    """Return a list like `wanted`, with the next gradient for each true element and None for each false one."""
    left = iter(grads)
    return [next(left) if w else None for w in wanted]
