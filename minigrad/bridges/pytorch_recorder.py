"""Record a PyTorch program: a function mode sees each call as the user wrote it, and changes to PyTorch are undone."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from threading import get_ident
from types import FunctionType
from typing import Any

import numpy as np
import torch
from torch.nn.modules import module as torch_module
from torch.nn.modules.batchnorm import _NormBase
from torch.overrides import TorchFunctionMode
from torch.utils import checkpoint as torch_checkpoint

from ..core.custom import custom_gradient
from ..core.support.observers import unannounced
from ..core.support.structure import flatten
from ..core.tensor import Tensor, next_serial
from .given import arrays_by_name, bound_arguments, called, checked, converted, referred, replaced
from .pytorch import RECORDED, TorchProgram
from .pytorch_calls import (
    array,
    flat,
    gradients,
    is_derived,
    is_moving,
    is_sparse_constant,
    results_in,
    without_numbers,
)
from .pytorch_compiled import as_written, eager_body, uncompiled, warn_if_compiled
from .pytorch_ops import RANDOM, TABLE, plain_name
from .rebuilt_program import Differs, ForeignProgram, NotRecorded, close, foreign, settled


class Recorder(TorchFunctionMode):
    """A context manager that records PyTorch's calls, the rules of custom Functions and the paths of modules.

    Its changes to PyTorch (`Function.apply`, two hooks of modules) are undone at the end of the block.
    """

    def __init__(self, program: TorchProgram, paths: Mapping[int, str]) -> None:
        super().__init__()
        self.program, self.paths, self.thread = program, paths, get_ident()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if any(map(without_numbers, flat(args, kwargs))):
            return func(*args, **kwargs)
        if body := eager_body(func):
            with self:
                return body(*args, **kwargs)
        if _hands_over(func):
            with self:  # record the calls inside a composite function, such as multi_head_attention_forward
                out = _opened(func)(*args, **kwargs)
            self.program.explain(func, args, kwargs, out)
            return out
        if getattr(func, "__name__", "") == "backward":
            return func(*args, **{**kwargs, "retain_graph": True})
        program = self.program
        before = [program.lifted(a) for a in args], {k: program.lifted(a) for k, a in kwargs.items()}
        state = torch.get_rng_state() if getattr(func, "__name__", "") in RANDOM else None
        out = func(*args, **kwargs)
        if any(without_numbers(t) for t, _ in results_in(out)):
            return out
        program.note(func, args, kwargs, out, before, state)
        return out

    def entered(self, module: Any, args: Any) -> None:
        if get_ident() == self.thread:
            path = self.paths.get(id(module), "")
            self.program.scope.append(path)
            self.program.classes[path] = type(module).__name__

    def left(self, module: Any, args: Any, out: Any) -> None:
        if get_ident() == self.thread:
            self.program.scope.pop()


@contextmanager
def recording(program: TorchProgram, paths: Mapping[int, str]) -> Iterator[None]:
    """Return a context manager that records the PyTorch calls in its block.

    paths : id of a module -> its path, as in "layers.0".
    """
    recorder, own = Recorder(program, paths), torch.autograd.Function.__dict__["apply"]

    def unseen(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return own.__get__(None, cls)(*args, **kwargs)

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if get_ident() != recorder.thread:
            return unseen(cls, *args, **kwargs)
        return custom(recorder, cls, unseen, args, kwargs)

    with ExitStack() as stack:
        RECORDED.append(program)
        stack.callback(RECORDED.pop)
        for register, hook in (
            (torch_module.register_module_forward_pre_hook, recorder.entered),
            (functools.partial(torch_module.register_module_forward_hook, always_call=True), recorder.left),
        ):
            stack.callback(register(hook).remove)
        torch.autograd.Function.apply = classmethod(apply)  # type: ignore[method-assign, assignment, unused-ignore]
        stack.callback(setattr, torch.autograd.Function, "apply", own)
        module: Any = torch_checkpoint
        if hasattr(module, CHECKPOINTED):
            stack.callback(setattr, module, CHECKPOINTED, getattr(module, CHECKPOINTED))
            setattr(module, CHECKPOINTED, _kept)
        stack.enter_context(unannounced())
        stack.enter_context(uncompiled("recorded"))
        stack.enter_context(recorder)
        yield


#: PyTorch's generator that runs a checkpointed function between its two steps. While recording, `_kept` replaces it, so
#: nothing is recomputed: the calls of the second pass would differ from those recorded in the first.
CHECKPOINTED = "_checkpoint_without_reentrant_generator"


def _kept(*args: Any, **kwargs: Any) -> Iterator[None]:
    yield


def _hands_over(func: Any) -> bool:
    """Return whether a torch.nn.functional function calls others, but shows a function mode only its outer call."""
    if not isinstance(func, FunctionType) or getattr(func, "__module__", "") != "torch.nn.functional":
        return False
    return plain_name(func) not in TABLE and "has_torch_function" in " ".join(func.__code__.co_names)


@functools.lru_cache(maxsize=64)
def _opened(func: Any) -> Any:
    """Return a copy of a torch.nn.functional function that does not check for a function mode."""
    no = lambda *args: False
    names = [n for n in func.__code__.co_names if n.startswith("has_torch_function")]
    f = FunctionType(func.__code__, {**func.__globals__, **dict.fromkeys(names, no)}, func.__name__, func.__defaults__)
    f.__kwdefaults__ = func.__kwdefaults__
    return f


class Context:
    """A substitute for `ctx` while the body of a custom Function is rerun to record its derivative."""

    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


def custom(recorder: Recorder, cls: Any, apply: Any, args: Any, kwargs: Any) -> Any:
    """Record a call to a user's `torch.autograd.Function` as a custom gradient that calls the Function's own rule.

    The nodes of its `forward` are recorded as a ghost.
    """
    program = recorder.program
    before = [program.lifted(a) for a in args]
    with torch._C.DisableTorchFunction():
        out = apply(cls, *args, **kwargs)
    moving = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and is_moving(before[i], a)]
    if not isinstance(out, torch.Tensor) or not moving or not out.requires_grad or kwargs:
        for t in out if isinstance(out, tuple) else [out]:
            if isinstance(t, torch.Tensor) and t.requires_grad:
                _bind_rule(program, cls, apply, args, before, moving, t)
        return out

    def derive(g: Any) -> list[Any]:
        own = [args[i] for i in moving if args[i].requires_grad]
        grads = gradients(out, own, getattr(g, "value", g))
        return [grads.pop(0) if args[i].requires_grad else np.zeros(args[i].shape) for i in moving]

    def body(*copies: Any) -> Any:
        theirs = list(args)
        for i, inner in zip(moving, copies):
            with torch._C.DisableTorchFunction():
                theirs[i] = args[i].detach().clone().requires_grad_()
            program.keep(theirs[i], inner)
        tracked, program.tracked = program.tracked, []
        try:
            with torch.enable_grad(), torch.random.fork_rng(devices=[]), recorder:
                plain = "setup_context" in cls.__dict__
                y = cls.forward(*theirs) if plain else cls.forward(Context(), *theirs)
        finally:
            program.tracked = tracked
        node = program.node(y)
        if not close(node.value, array(out)):
            raise Differs(cls.__name__)

        def backward(g: Any) -> Any:
            grads = derive(g)
            return grads if len(grads) > 1 else grads[0]

        backward.__name__ = f"{cls.__name__}.backward"
        return node, backward

    body.__name__ = cls.__name__
    start = next_serial()
    try:
        node = custom_gradient(body)(*[before[i] for i in moving])
    except Exception:  # the body cannot be run separately, but the rule can
        _bind_rule(program, cls, apply, args, before, moving, out)
        return out
    program.bind(out, node, start, cls.__name__, (before, {}))
    return out


def _bind_rule(program: TorchProgram, cls: Any, apply: Any, args: Any, before: Any, moving: Any, t: Any) -> None:
    """Record a result `t` of a custom Function as a node that is differentiated by calling the Function's rule."""
    theirs, start = [args[i] for i in moving], next_serial()

    def vjp(g: Any, y: Any, *values: Any) -> list[Any]:
        own = [a for a in theirs if a.requires_grad]
        grads = gradients(t, own, getattr(g, "value", g))
        return [grads.pop(0) if a.requires_grad else None for a in theirs]

    def fn(*values: Any) -> Any:
        raise Differs(f"{cls.__name__} has its own rule, and would have to be called again")

    node = foreign(cls.__name__, fn, vjp, [before[i] for i in moving], array(t), kind="custom")
    program.bind(t, node, start, cls.__name__, (before, {}))


def recorded(
    run: Callable[[TorchProgram], Any],
    f: Any,
    names: Mapping[str, torch.Tensor],
    paths: Mapping[int, str],
    strange: Any,
) -> TorchProgram:
    """Record the computation that `run` performs as a program.

    f : the user's function, which error messages name.
    names, paths : the tensors by the user's names, and the paths of modules by their ids.
    strange : the calls to leave to PyTorch, because minigrad's ops differ.
    """
    program = TorchProgram(strange)
    program.names = {name: program.node(t) for name, t in names.items() if not is_sparse_constant(t)}
    program.weights = {name for name, t in names.items() if isinstance(t, torch.nn.Parameter)}
    for t in names.values():
        program.hooked(t, (t._backward_hooks or {}).values())
    with recording(program, paths):
        y = run(program)
    checked(f, y, is_floats)
    program.result, program.y = y, program.node(y)
    program.leaves = program.leaves or program.made
    inside = program.adjoints([*program.made.values()]) if y.requires_grad else []
    if any(g is not None and not np.isfinite(g).all() for g in inside):
        program.leaves |= program.made  # such inputs are, for example, the points of a gradient penalty
    program.tracked = [(node, t) for node, t in program.tracked if is_derived(t) and program.is_current(t)]
    if y.requires_grad and not isinstance(program.y, Tensor):
        raise NotRecorded(
            f"the result of {called(f)} does not depend on a tensor of floats through ops that are recorded"
        )
    return program


def record(f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> ForeignProgram:
    """Record `f(*args, **kwargs)` as a program, and compare all its adjoints with PyTorch's."""
    args, kwargs = tensors(args, kwargs)
    warn_if_compiled([f, *args, *kwargs.values(), *(value for _, value in referred(f))], "recorded")
    f = as_written(f)
    paths, names = named(f, args, kwargs)
    parts = [part for module in modules_of(f, args, kwargs) for part in module.modules()]
    before = [(part, b, b.detach().clone()) for part in parts for b in part.buffers(recurse=False)]
    state = torch.get_rng_state()

    def make(
        strange: Collection[Any], inputs: Any = (args, kwargs, names), start: torch.Tensor = state
    ) -> TorchProgram:
        torch.set_rng_state(start)  # each run draws the same numbers; the last run updates a batch norm
        with torch.no_grad():
            for part, buffer, value in before:
                # an equal buffer is left alone, because a record may need its old version
                if not torch.equal(buffer, value):
                    (buffer.data if isinstance(part, _NormBase) else buffer).copy_(value)
        own_args, own_kwargs, called = inputs
        program = recorded(lambda program: f(*own_args, **own_kwargs), f, called, paths, strange)
        program.wider, program.whole = functools.partial(in_dtype, f, args, kwargs, state), whole
        return program

    def whole() -> TorchProgram:
        inputs = differentiable(args, kwargs, names)
        return make(()) if inputs is None else make((), inputs)

    program: Any = make(())
    draws = not torch.equal(torch.get_rng_state(), state)
    again: Callable[..., TorchProgram] = make
    if not program.result.requires_grad:
        inputs = differentiable(args, kwargs, names)  # find gradients although the user did not request any
        again = functools.partial(make, inputs=inputs)
        program = program if inputs is None else again(())
    if not program.result.requires_grad:
        raise NotRecorded(
            f"the result of {called(f)} does not depend on a tensor with requires_grad, or was computed under "
            "torch.no_grad(): there is no backward pass to look at"
        )
    program = settled(again, program)
    if draws:
        program.repeats = functools.partial(repeats, again)
    return program


def repeats(make: Callable[..., TorchProgram]) -> bool:
    """Return whether a program draws the same random numbers on each run, because it sets its own seed.

    make : runs the program, from the random generator's state `start` if that is given.
    """
    make(())
    end = torch.get_rng_state()
    make((), start=end)
    alike = torch.equal(torch.get_rng_state(), end)
    make(())  # leaves a batch norm's running statistics as the usual run does
    return alike


def in_dtype(f: Any, args: Any, kwargs: Any, state: Any, dtype: Any) -> list[Any]:
    """Run a function with its arguments and modules converted to a dtype; return its value and gradients."""
    wide, before = getattr(torch, str(dtype)), torch.get_default_dtype()
    modules = modules_of(f, args, kwargs)
    cast = lambda t: t.detach().to(wide).requires_grad_() if isinstance(t, torch.Tensor) and is_floats(t) else t
    own_args, own_kwargs = replaced((list(args), dict(kwargs)), cast)
    program = copy.deepcopy(f) if isinstance(f, torch.nn.Module) else f
    if any(module is not f and any(map(is_floats, module.parameters())) for module in modules):
        raise NotRecorded("a module that the function refers to is not run in another dtype")
    try:
        torch.set_default_dtype(wide)
        torch.set_rng_state(state)
        y = (program.to(wide) if isinstance(program, torch.nn.Module) else program)(*own_args, **own_kwargs)
        xs = [t for t in flatten([own_args, own_kwargs]) if isinstance(t, torch.Tensor) and t.requires_grad]
        xs += [*program.parameters()] if isinstance(program, torch.nn.Module) else []
        return [array(y), *gradients(y, xs, np.ones(y.shape))]
    finally:
        torch.set_default_dtype(before)


def modules_of(f: Any, args: Any, kwargs: Any) -> list[torch.nn.Module]:
    """Return the modules among the function itself, its arguments, and the values that its code refers to."""
    values = map(as_written, [f, *args, *kwargs.values(), *(value for _, value in referred(f))])
    return [value for value in values if isinstance(value, torch.nn.Module)]


def named(f: Any, args: Any, kwargs: Any) -> tuple[dict[int, str], dict[str, torch.Tensor]]:
    """Return two dicts: the path of each module, by the module's id, and each tensor, by the user's name for it."""
    values = bound_arguments(getattr(f, "forward", f), args, kwargs)
    values |= {k: v for k, v in referred(f) if not k.startswith("_")}
    modules = {name: as_written(m) for name, m in values.items() if isinstance(m, torch.nn.Module)}
    if isinstance(f, torch.nn.Module):
        modules[""] = f
    paths, names, several = dict[int, str](), dict[str, torch.Tensor](), len({*map(id, modules.values())}) > 1
    for name, module in modules.items():
        before = f"{name}." if several and name else ""
        for path, inner in module.named_modules():
            paths.setdefault(id(inner), before + path or name)
        for path, t in module.named_parameters():
            names.setdefault(before + path, t)
    arrays = {name: t for name, t in arrays_by_name(values).items() if isinstance(t, torch.Tensor)}
    return paths, {**arrays, **names}


def differentiable(args: Any, kwargs: Any, names: Mapping[str, torch.Tensor]) -> Any:
    """Return the arguments with each float tensor as a copy that requires a gradient, and `names` for the copies.

    Return None if no argument is a float tensor.
    """
    new: dict[int, torch.Tensor] = {}

    def copied(t: Any) -> Any:
        if not isinstance(t, torch.Tensor) or not t.is_floating_point():
            return t
        return new.setdefault(id(t), t.detach().clone().requires_grad_())

    copies, more = replaced((list(args), dict(kwargs)), copied)
    return (copies, more, {name: new.get(id(t), t) for name, t in names.items()}) if new else None


def tensors(args: Any, kwargs: Any) -> Any:
    """Convert floats and NumPy arrays of floats among the arguments to tensors, if no argument is a tensor."""
    if any(isinstance(x, torch.Tensor) for x in flatten([*args, *kwargs.values()])):
        return args, kwargs
    return converted((list(args), dict(kwargs)), lambda x: torch.tensor(x, requires_grad=True))


def is_floats(y: Any) -> bool:
    return isinstance(y, torch.Tensor) and y.layout is torch.strided and y.is_floating_point()
