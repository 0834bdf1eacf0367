"""Describe a training run that diverges: the norm of the weights and the loss in the last steps before a nan."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

#: STEPS : how many steps are remembered. TIMES : growth within these steps by at least this factor is reported.
STEPS, TIMES = 6, 10
LARGE = 1e4  #: weights that begin small do not learn a norm above this within a few steps
#: TRIED : how many steps are tried with a repair. SECONDS : after this time, no further step is begun.
TRIED, SECONDS = 50, 10.0
WRITE = "lower the learning rate, or clip the gradients"


class LastSteps:
    """The losses of the last steps, and the norms of the weights before each step.

    The numbers are read from the framework's arrays only when a report is written.

    >>> steps = LastSteps()
    >>> for norms, losses in [([3.0, 4.0], [3.0]), ([6.0], [20.0]), ([3000.0], [float("inf")])]:
    ...     steps.add(norms, losses)
    >>> print(steps.growth(2))
    the training diverges: the norm of all weights before steps 0 to 2 is 5, 6, 3e+03, and grows by a factor of \
500 in step 1; the loss is 3, 20, inf; lower the learning rate, or clip the gradients
    """

    def __init__(self) -> None:
        self.steps = deque[tuple[Sequence[Any], Sequence[Any]]](maxlen=STEPS)

    def add(self, norms: Sequence[Any], losses: Sequence[Any]) -> None:
        self.steps.append((norms, losses))

    def growth(self, step: int) -> str:
        """Return a sentence about weights or a loss that grew tenfold in the last steps, up to `step`, or "".

        Weights that begin near 0 grow as they learn. So if the norm of the weights is below `LARGE`, the run counts as
        diverging only if the loss rose over these steps or reached ten times its first value. An optimizer such as Adam
        limits the steps of the weights; then a loss counts that rises tenfold, and is not finite in the end.
        """
        norms = [math.hypot(*map(float, norms)) for norms, _ in self.steps]
        losses = [sum(map(float, losses)) for _, losses in self.steps]
        finite = [loss for loss in losses if math.isfinite(loss)]
        while norms and math.isinf(norms[-1]):  # weights may be finite while their squares are not
            norms.pop()
        if len(norms) < 2 or not all(map(math.isfinite, norms)) or not norms[-1] >= TIMES * min(norms) > 0:
            return _of_the_loss(losses, norms, step)
        learns = len(finite) > 1 and finite[-1] <= finite[0] and max(finite) < TIMES * abs(finite[0])
        if learns and norms[-1] < LARGE:
            return ""
        first, ratios = step - len(losses) + 1, [b / a for a, b in pairwise(norms)]
        at = ratios.index(max(ratios))
        last = first + len(norms) - 1
        of = f" of steps {first} to {step}" if last < step else ""
        return (
            f"the training diverges: the norm of all weights before steps {first} to {last} is {_listed(norms)}, and "
            f"grows by a factor of {ratios[at]:.3g} in step {first + at}; the loss{of} is {_listed(losses)}; {WRITE}"
        )


def _of_the_loss(losses: Sequence[float], norms: Sequence[float], step: int) -> str:
    """Return a sentence about a loss that rises at least tenfold and is then not finite, or ""."""
    *before, last = losses or [0.0]
    rises = len(before) > 1 and all(0 < a <= b for a, b in pairwise(before)) and before[-1] >= TIMES * before[0]
    if not rises or math.isfinite(last):
        return ""
    steps = f"steps {step - len(before)} to {step}"
    return (
        f"the training diverges: the loss of {steps} is {_listed(losses)}; the norm of all weights before these steps "
        f"is {_listed(norms)}; {WRITE}"
    )


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:.3g}" for number in numbers)


def trial_words(losses: Sequence[float], how: str, batch: str) -> str:
    """Return a sentence about the further steps that were tried, or "" if there were none.

    losses : the loss before each step, and the loss after the last one.

    >>> trial_words([2.0, 1.0, 0.5], "of SGD", "batch of step 3")
    '2 more steps of SGD with it, on the batch of step 3: all is finite, and the loss goes from 2 to 0.5'
    """
    if len(losses) < 2:
        return ""
    many = sum(map(math.isfinite, losses)) - 1
    steps = f"{many} more step{'s' * (many != 1)} {how} with it, on the {batch}"
    if math.isfinite(losses[-1]):
        return f"{steps}: all is finite, and the loss goes from {losses[0]:.2g} to {losses[-1]:.2g}"
    return f"{steps}: all is finite; after the next one the loss or a weight is not"
