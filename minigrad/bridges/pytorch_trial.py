"""Try the line offered in a watched PyTorch loop: take further optimizer steps with the rewritten program.

A copy of the optimizer takes the steps on copies of the weights, from the point where the loop stopped, with the loop's
batch. The user's weights, optimizer and generator are unchanged.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ..core.tensor import Tensor
from ..diagnostics.nan import NanReport
from .divergence import SECONDS, TRIED, trial_words
from .rebuilt_program import ForeignProgram

#: The maximum number of weights that are copied.
MOST = 10_000_000


def tried(report: NanReport, program: ForeignProgram, optimizers: Sequence[Any], step: int) -> NanReport:
    """Train a few more steps with the report's repair, and add the losses to the report.

    The report is returned unchanged if it has no repair, or if the loop does not have exactly one optimizer.
    """
    after, (optimizer, *others) = report.repair.after, [*optimizers, None]
    if optimizer is None or any(others) or report.others or not report.repair.lines or after is None:
        return report
    try:
        offered = program.offered(after.value)
        losses = [] if offered is None else steps_with(*offered, optimizer)
    except (
        RuntimeError,
        TypeError,
        ValueError,
        ArithmeticError,
    ):  # a copy failed, or the program cannot run again
        return report
    words = trial_words(losses, f"of {type(optimizer).__name__}", f"batch of step {step}")
    return replace(report, repair=replace(report.repair, tried=words))


#: The names of an optimizer's state whose root it divides by.
DIVISORS = ("exp_avg_sq", "square_avg", "sum", "exp_inf")


def without_eps(report: NanReport, optimizers: Iterable[Any]) -> NanReport:
    """Add to a report on nan weights that an optimizer without eps divided 0 by 0 at these weights, if it did."""
    for optimizer in optimizers if report.repair.reason == "weights" else ():
        weights = [p for group in optimizer.param_groups if group.get("eps") == 0 for p in group["params"]]
        states = [(p, optimizer.state.get(p, {}).get(name)) for p in weights for name in DIVISORS]
        alike = [(p, s) for p, s in states if isinstance(s, torch.Tensor) and s.shape == p.shape]
        if sum(int(((s == 0) & p.isnan()).sum()) for p, s in alike):
            name = type(optimizer).__name__
            why = f"the eps of {name} is 0, and it divided 0 by 0 where each gradient was 0; give an eps such as 1e-8"
            return replace(report, repair=replace(report.repair, words=f"{report.repair.words}; {why}"))
    return report


def steps_with(program: ForeignProgram, new: Tensor, optimizer: Any) -> list[float]:
    """Train copies of the weights with a rewritten program; return the loss before each step and after the last.

    program, new : the recorded program, and its rewritten graph.
    """
    trained = [p for group in optimizer.param_groups for p in group["params"]]
    if sum(p.numel() for p in trained) > MOST:
        return []
    mine = copy.deepcopy(optimizer)
    copies = {id(p): q for p, q in zip(trained, (q for group in mine.param_groups for q in group["params"]))}
    leaves = {serial: copies.get(id(t), t) for serial, t in program.leaves.items()}
    if not any(id(t) in copies for t in program.leaves.values()):
        return []
    losses, end = list[float](), time.monotonic() + SECONDS
    constant = lambda value: torch.as_tensor(np.array(value))
    with torch.enable_grad():
        while len(losses) <= TRIED and time.monotonic() < end:
            loss = program.evaluated(new, leaves, constant).sum()
            losses.append(float(loss.detach()))
            if not math.isfinite(losses[-1]) or len(losses) > TRIED:
                break
            own = [q for q in copies.values() if q.requires_grad]
            for q, g in zip(own, torch.autograd.grad(loss, own, allow_unused=True)):
                q.grad = g
            mine.step()
            if not all(bool(q.isfinite().all()) for q in own):
                return [*losses, math.nan]
    return losses
