"""Watch a PyTorch training loop: each step keeps a log of its calls, and the first step with a nan is run again.

The log refers to the function, the arguments, the result and the place of each call and, for random functions, the
state of the generator. The gradients are checked after `backward`; if they are finite, the log is dropped.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from threading import get_ident
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
from torch.nn.modules import module as torch_module
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode
from torch.overrides import _get_current_function_mode as current_mode

from ..tracing.user_lines import line_at
from .divergence import LastSteps
from .explain import NanFound, explained
from .given import arrays_by_name
from .pytorch import RECORDED, TorchProgram
from .pytorch_call_sites import CallSite, here, is_installed, users_line
from .pytorch_calls import NO_NODE
from .pytorch_compiled import as_written, eager_body, uncompiled, warn_if_compiled
from .pytorch_ops import RANDOM, is_in_place, plain_name
from .pytorch_recorder import recorded
from .pytorch_trial import tried, without_eps
from .rebuilt_program import settled

#: A logged call: the function, its positional and keyword arguments, its result, the place and the modules where it was
#: made, the state of the random generator, and the dtypes of autocast by device.
Call = tuple[Any, Any, Any, Any, Any, Any, Any, Any]

#: The ways to treat a call, in this order: only run it; log it; log it with the state of the random generator; log it
#: with the numbers that it overwrites; run it and check the gradients.
QUIET, LOGGED, DRAWS, WRITES, BACKWARD = "quiet", "logged", "draws", "writes", "backward"


def _kind(func: Any) -> str:
    name = getattr(func, "__name__", "")
    if name in ("backward", "grad") and isinstance(func, FunctionType):
        return BACKWARD
    if name in RANDOM:
        return DRAWS
    quiet = ("__set__", "_set_grad_enabled", "_record_function_enter_new", "_RecordFunction")
    unlogged = plain_name(func) in NO_NODE and name != "requires_grad_"
    if unlogged or name.endswith(quiet) or name.startswith("_amp_"):  # a GradScaler makes `_amp_` calls between steps
        return QUIET
    return WRITES if is_in_place(name) else LOGGED


class WatchedLoop(TorchFunctionMode):
    """A context manager, `with WatchedLoop(models, every, names):`, around a training loop.

    step : the number of backward passes so far.
    skipped : the number of passes whose gradients were not finite at a GradScaler's scale. The GradScaler skips such a
        step and reduces the scale.
    """

    def __init__(self, models: Sequence[Any], every: int, names: Mapping[str, Any]) -> None:
        super().__init__()
        warn_if_compiled(models, "watched")
        models = [*map(as_written, models)]
        self.skipped = 0
        self.scales: dict[int, tuple[Any, Any]] = {}  # id of a scaled loss -> the unscaled loss, and the scale
        self.every, self.step, self.log = every, 0, list[Call]()
        self.shares = False  # whether a backward pass may need results from before the last pass, as in a GAN
        self.older: list[list[Call]] = []  # the logs of the last two passes, if a pass may need older results
        self.last = LastSteps()
        self.logs = True  # whether the calls of this step are logged
        self.kinds: dict[Any, str] = {}
        named = [[*model.named_parameters()] for model in models]
        before = [f"{i}." if len(models) > 1 else "" for i in range(len(models))]
        self.parameters = {start + name: p for start, pairs in zip(before, named) for name, p in pairs}
        self.parameters |= {name: t for name, t in names.items() if isinstance(t, torch.Tensor) and t.requires_grad}
        self.paths = {id(m): ((start + path).rstrip("."), type(m).__name__) for start, model in zip(before, models)
                      for path, m in model.named_modules()}  # fmt: skip
        self.scope: tuple[Any, ...] = ()  # path, class, and outermost caller of each running module
        self.optimizers: dict[int, Any] = {}
        self.updates = 0  # how often an optimizer changed the weights

    def __enter__(self) -> Any:
        self.thread, self.aside, self.own = get_ident(), False, torch.autograd.Function.__dict__["apply"]
        self.log.clear()
        self.older.clear()
        self.last = LastSteps()
        self.stale = not _finite(self.gradients())  # whether .grad is already nonfinite before the next backward pass
        watch, own, zero_grad, scaler = self, self.own, Optimizer.zero_grad, torch.amp.GradScaler
        scale = scaler.scale

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            with torch._C.DisableTorchFunction():
                out = own.__get__(None, cls)(*args, **kwargs)
            if get_ident() == watch.thread and watch.logs and torch.is_grad_enabled():
                watch.note(cls.apply, args, kwargs, out, None)
            return out

        def unseen(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            watch.step_aside(optimizer, (optimizer,))
            try:
                return zero_grad(optimizer, *args, **kwargs)
            finally:
                watch.come_back()

        def scaled(one: Any, outputs: Any) -> Any:
            out = scale(one, outputs)
            if get_ident() == watch.thread and isinstance(out, torch.Tensor) and one.is_enabled():
                watch.scales = {id(out): (outputs, one.get_scale())}
            return out

        with ExitStack() as stack:
            for holder, name, new in (
                (torch.autograd.Function, "apply", classmethod(apply)),
                (Optimizer, "zero_grad", unseen),
                (scaler, "scale", scaled),
            ):
                stack.callback(setattr, holder, name, holder.__dict__[name])
                setattr(holder, name, new)
            stack.callback(register_optimizer_step_pre_hook(self.stepped).remove)
            stack.callback(torch_module.register_module_forward_pre_hook(self.entered).remove)
            stack.callback(torch_module.register_module_forward_hook(self.left, always_call=True).remove)
            stack.callback(register_optimizer_step_post_hook(self.come_back).remove)
            stack.enter_context(uncompiled("watched"))
            self.put_back = stack.pop_all()
        return super().__enter__()

    def __exit__(self, *error: Any) -> Any:
        self.come_back()
        self.put_back.close()
        self.log.clear()
        return super().__exit__(*error)

    def entered(self, module: Any, args: Any) -> None:
        if get_ident() == self.thread and self.logs:
            called = self.scope[0][2] if self.scope else users_line(sys._getframe(1))
            self.scope = (*self.scope, (*self.paths.get(id(module), ("", "")), called))

    def left(self, module: Any, args: Any, out: Any) -> None:
        if get_ident() == self.thread:
            self.scope = self.scope[:-1]

    def stepped(self, optimizer: Optimizer, args: Any, kwargs: Any = None) -> None:
        if get_ident() == self.thread:
            self.optimizers[id(optimizer)] = optimizer
            self.updates += 1
        self.step_aside(optimizer, args, kwargs)

    def step_aside(self, optimizer: Optimizer, args: Any, kwargs: Any = None) -> None:
        """Ignore an optimizer's own calls, which make up most of a small step and are not differentiated."""
        closure = len(args) > 1 or kwargs
        plain = type(optimizer).__module__.startswith("torch.optim") and not optimizer.defaults.get("differentiable")
        if plain and not closure and get_ident() == self.thread and current_mode() is self:
            self.aside = True
            super().__exit__(None, None, None)

    def come_back(self, *_: Any) -> None:
        if self.aside and get_ident() == self.thread:
            self.aside = False
            super().__enter__()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kind = self.kinds.get(func) or self.kinds.setdefault(func, _kind(func))
        if kind is QUIET or RECORDED:
            return func(*args, **kwargs) if kwargs else func(*args)
        if body := eager_body(func):
            with ExitStack() as stack:
                stack.push(super().__exit__)
                super().__enter__()
                return body(*args, **(kwargs or {}))
        # With create_graph=True, the gradients become part of the loss, as in a gradient penalty.
        if kind is BACKWARD and not (kwargs and kwargs.get("create_graph")):
            return self.backward(func, args, kwargs or {})
        if not self.logs or not torch.is_grad_enabled():  # for example, in the user's own optimizer
            return func(*args, **(kwargs or {}))
        if kind is WRITES and isinstance(args[0], torch.Tensor) and args[0].grad_fn is None:
            self.note(torch.clone, (args[0].detach().clone(),), {}, args[0], None)  # the numbers before the call
        state = torch.get_rng_state() if kind is DRAWS else None
        out = func(*args, **(kwargs or {}))
        self.shares = self.shares or (func is DETACH and args[0].requires_grad)
        self.note(func, args, kwargs or {}, out, state)
        return out

    def note(self, func: Any, args: Any, kwargs: Any, out: Any, state: Any) -> None:
        frame, called = here()
        place = frame.f_code, frame.f_lasti, frame.f_globals, called
        casts = autocasts() if torch._C._is_any_autocast_enabled() else ()
        self.log.append((func, args, kwargs, out, place, self.scope, state, casts))

    def backward(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run a backward pass, then check the loss and the gradients."""
        out = func(*args, **kwargs)
        losses = _tensors([args[0] if args else kwargs.get("outputs", kwargs.get("tensors"))])
        self.last.add(_norms([*self.parameters.values()]), [t.detach().sum() if t.ndim else t.detach() for t in losses])
        lost = not _finite([*self.gradients(), *_tensors([out]), *losses])
        if lost and not self.is_left_out(losses):
            raise self.error_for(losses)
        self.skipped, self.stale = self.skipped + lost, lost
        if self.every > 1 and self.logs:
            self.kept = self.log, losses
        self.shares = self.shares or bool(kwargs.get("retain_graph"))
        self.older = [*self.older, self.log][-2:] if self.shares and self.logs else []
        self.log = []
        self.step += 1
        self.logs = self.step % self.every == 0
        return out

    def gradients(self) -> list[torch.Tensor]:
        return [p.grad for p in self.parameters.values() if p.grad is not None]

    def is_left_out(self, losses: Sequence[torch.Tensor]) -> bool:
        """Return whether a GradScaler will skip this step and go on with a smaller scale.

        It does if the loss is finite before scaling, and the scale is above 1.
        """
        before, scale = self.scales.get(id(losses[0]), (None, 1.0)) if len(losses) == 1 else (None, 1.0)
        return before is not None and scale > 1 and _finite([before])

    def error_for(self, losses: Sequence[torch.Tensor]) -> NanFound:
        """Run the logged calls again, and return the NanFound exception to raise, with a report if possible."""
        log, losses = (self.log, losses) if self.logs else self.kept
        log = [*needed([call for one in self.older for call in one], log), *log]
        growth = self.last.growth(self.step)
        log = [call for call in log if not _is_loader(call[4][0], call[4][3])]
        self.log = []  # any further calls do not belong to a training step
        before = torch.get_rng_state()
        try:
            names = {**data_in(log, sys._getframe(1)), **self.parameters}
            program = settled(lambda strange: recorded(lambda p: rerun(p, log, losses[0]), "the loop",
                                                       names, {}, strange))  # fmt: skip
            report = explained(program)
            report = tried(report, program, [*self.optimizers.values()], self.step)
            report = without_eps(report, self.optimizers.values())
        except Exception as error:  # if anything fails, still stop the user's loop, and report the known facts
            why = "the loss or a gradient is not finite; the step could not be run again to explain it"
            return NanFound(self.step, None, f"{why}: {error!s:.200}", growth)
        finally:
            torch.set_rng_state(before)
        if not report and self.stale and self.every == 1:
            return NanFound(self.step, None, STALE, growth)
        if not report:
            again = "the step, run again," if self.every == 1 else "the remembered step"
            why = f"the loss or a gradient is not finite, and {again} is finite{'; ' + ONE if self.every > 1 else ''}"
            return NanFound(self.step, None, why, growth)
        return NanFound(self.step, report, growth=growth)


#: Folders of the code that makes batches, in this process or in worker processes.
LOADER = (os.path.join("torch", "utils", "data", ""), f"{os.sep}multiprocessing{os.sep}")
DETACH = torch.Tensor.detach
STALE = "a gradient was not finite before this step, and backward() adds to it: write optimizer.zero_grad() first"
ONE = "with every=1 the step itself is explained"


def needed(older: Sequence[Call], log: Sequence[Call]) -> list[Call]:
    """Return the calls in `older` whose results are used, directly or through other older calls, in `log`."""
    ids = {id(t) for call in log for t in _tensors([call[1], [*call[2].values()]]) if t.grad_fn is not None}
    calls = []
    for call in reversed(older):
        if any(id(t) in ids for t in _tensors([call[3]])):
            calls.append(call)
            ids |= {id(t) for t in _tensors([call[1], [*call[2].values()]])}
    return calls[::-1]


def rerun(program: TorchProgram, log: Sequence[Call], loss: torch.Tensor) -> torch.Tensor:
    """Repeat the logged calls, each with the new results of the earlier ones, and return the new loss.

    loss : the tensor that was the loss when the calls were logged.
    """
    new: dict[int, torch.Tensor] = {}

    def put(a: Any) -> Any:
        if isinstance(a, torch.Tensor):
            return new.get(id(a), a)
        return type(a)(map(put, a)) if type(a) in (tuple, list) else a

    try:
        for func, args, kwargs, out, (code, at, names, called), scope, state, casts in log:
            if not _tensors([args, [*kwargs.values()]]):
                continue  # the tensor that the call created still exists
            if state is not None:
                torch.set_rng_state(state)
            program.scope = [path for path, _, _ in scope]
            program.classes |= {path: kind for path, kind, _ in scope}
            outer = scope[0][2] if scope and is_installed(code.co_filename) else None
            program.place = CallSite((code, at), names, called, caller=_from(outer))
            with ExitStack() as stack:
                for device, dtype in casts:
                    stack.enter_context(torch.autocast(device, dtype))
                made = func(*put(args), **{k: put(a) for k, a in kwargs.items()})
            for old, t in zip(_tensors([out]), _tensors([made])):
                new[id(old)] = t
    finally:
        program.place, program.scope = None, []
    return new[id(loss)]


def autocasts() -> tuple[tuple[str, torch.dtype], ...]:
    """Return the devices that use autocast, each with autocast's dtype."""
    return tuple((d, torch.get_autocast_dtype(d)) for d in ("cpu", "cuda", "mps") if torch.is_autocast_enabled(d))


def _is_loader(code: CodeType, called: CodeType | None) -> bool:
    """Return whether a call in `code`, to the function with the code `called`, is part of a DataLoader's work."""
    files = code.co_filename, "" if called is None else called.co_filename
    return any(folder in file for folder in LOADER for file in files)


def data_in(log: Sequence[Call], frame: FrameType | None) -> dict[str, torch.Tensor]:
    """Return the tensors that a log uses but does not compute, by their names in the frames of the user's code."""
    computed = {id(t) for call in log for t in _tensors([call[3]])}
    read = {id(t) for call in log for t in _tensors([call[1], [*call[2].values()]])} - computed
    called: dict[int, tuple[str, torch.Tensor]] = {}
    while frame is not None:
        values = {} if is_installed(frame.f_code.co_filename) else frame.f_locals
        # Leave out long lists, such as data sets.
        few = {k: v for k, v in values.items() if not isinstance(v, (list, tuple, dict)) or len(v) < 100}
        for name, t in arrays_by_name(few).items():
            if id(t) in read:
                called.setdefault(id(t), (name, t))
        frame = frame.f_back
    return dict(called.values())


def _from(location: Any) -> str:
    return "" if location is None else f", called from {line_at(location).where}"


def _finite(tensors: Sequence[torch.Tensor]) -> bool:
    """Return whether all numbers of some tensors are finite.

    The sums are checked first, because they are quick to compute; they may overflow even if every number is finite.
    """
    floats = [_dense(t) for t in tensors if t.is_floating_point()]
    sums = [t.sum() for t in floats]
    if not all(t.is_cpu for t in sums):  # add up the sums of each device, because reading a number makes the host wait
        sums = [torch.stack([t for t in sums if t.device == device]).sum() for device in {t.device for t in sums}]
    return math.isfinite(sum(t.item() for t in sums)) or all(bool(t.isfinite().all()) for t in floats)


@torch.no_grad()
def _norms(parameters: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
    dense = [p for p in parameters if p.is_floating_point() and p.layout is torch.strided and p.numel()]
    return torch._foreach_norm(dense) if dense else ()


def _dense(t: torch.Tensor) -> torch.Tensor:
    t = t.detach() if t.requires_grad else t
    return t.coalesce().values() if t.layout is torch.sparse_coo else t


def _tensors(values: Sequence[Any]) -> list[torch.Tensor]:
    """Return the tensors among some values, including those inside lists and tuples, in order."""
    tensors: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            tensors.append(value)
        elif isinstance(value, (tuple, list)):
            tensors += _tensors(value)
    return tensors
