"""PyTorch, eager."""

from __future__ import annotations

import operator
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
from torch.nn import functional

torch.set_num_threads(1)


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        e = torch.exp(x)
        ctx.save_for_backward(e)
        return torch.log(1 + e)

    @staticmethod
    def backward(ctx: Any, upstream: Any) -> Any:
        (e,) = ctx.saved_tensors
        return upstream * (1 - 1 / (1 + e))


def _conv(x: Any, kernel: Any) -> Any:
    return functional.conv2d(x.permute(0, 3, 1, 2), kernel.permute(3, 2, 0, 1)).permute(0, 2, 3, 1)


def _avg_pool(x: Any) -> Any:
    return functional.avg_pool2d(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)


spell = SimpleNamespace(
    **{name: getattr(torch, name) for name in (
        "exp", "log", "tanh", "sin", "sqrt", "sum", "mean", "reshape", "swapaxes", "einsum", "relu"
    )},
    zeros=partial(torch.zeros, dtype=torch.float64),
    log_softmax=partial(torch.log_softmax, dim=-1),
    softmax=partial(torch.softmax, dim=-1),
    log_sigmoid=functional.logsigmoid,
    matvec=operator.matmul,
    take_rows=lambda x, rows: x[rows],
    conv=_conv,
    avg_pool=_avg_pool,
    log1pexp=Log1pExp.apply,
)  # fmt: skip


def tensors(a: Any) -> Any:
    """Return a float, an array or a list of floats as leaves."""
    if isinstance(a, list) and isinstance(a[0], float):
        return [tensors(x) for x in a]
    return a if isinstance(a, list) else torch.tensor(a, dtype=torch.float64 if isinstance(a, float) else None)


def leaves_of(given: list[Any], wrt: int) -> list[Any]:
    """Return the tensors in the first `wrt` arguments, which are differentiated."""
    return [x.requires_grad_() for a in given[:wrt] for x in (a if isinstance(a, list) else [a])]


class Peer:
    def prepare(self, workload: Any, arrays: list[Any]) -> Any:
        given = [tensors(a) for a in arrays]
        leaves = leaves_of(given, workload.wrt)
        f = partial(workload.f, spell)
        if workload.task == "gradient":
            return partial(self._gradient, f, given, leaves)
        if workload.task == "hessian":
            return partial(torch.autograd.functional.hessian, f, given[0])
        return partial(self._hvp if workload.task == "hvp" else self._fifth, f, *given)

    def _gradient(self, f: Any, given: list[Any], leaves: list[Any]) -> Any:
        y = f(*given)
        return y, torch.autograd.grad(y, leaves)

    def _hvp(self, f: Any, x: Any, v: Any) -> Any:
        (g,) = torch.autograd.grad(f(x), x, create_graph=True)
        return torch.autograd.grad(g @ v, x)[0]

    def _fifth(self, f: Any, x: Any) -> Any:
        y = f(x)
        for order in range(5):
            (y,) = torch.autograd.grad(y, x, create_graph=order < 4)
        return y
