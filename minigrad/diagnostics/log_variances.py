"""The convention for a log variance whose exponential overflows: the network's output is clipped.

A variational autoencoder computes exp of a network's output, and adds that output itself in its Kullback-Leibler term.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.tensor import Tensor
from ..tracing.replay import graph_of
from .domains import op_of, users_of, value_of
from .other_points import Bench
from .patterns import Rewrite, number

#: The ends of a log variance in AutoencoderKL of diffusers.
LOW, HIGH = -30.0, 20.0
HOLDS = f"it is the same where {{}} lies between {LOW:g} and {HIGH:g} (log variances in AutoencoderKL of diffusers)"
#: Ops that only scale a log variance or change its shape, and ops that add it to the loss.
SCALES, ADDS = {"multiply", "divide", "negative"}, {"add", "subtract", "sum", "mean"}


def log_variances(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """Yield rewrites that clip a log variance, for each one whose exponential is too large or too small."""
    users = users_of(y)
    for node in graph_of(y):
        if op_of(node) != "exp" or not isinstance(node.args[0], Tensor):
            continue
        h, most = _unscaled(node.args[0]), np.sqrt(np.finfo(node.dtype).max)
        inside = ((value_of(h) >= LOW) & (value_of(h) <= HIGH)).all()
        far = (value_of(node) > most) | (value_of(node) < 1 / most)
        if inside or most < np.exp(HIGH) or not far.any():
            continue
        outside = {op_of(user) for user in users.get(h.serial, [])} & ADDS
        scaled = (user for user in users.get(h.serial, []) if op_of(user) in SCALES)
        added = {op_of(user) for one in scaled for user in users.get(one.serial, [])} & ADDS
        if outside or added:
            yield Rewrite(y, h, f"clip(h, {LOW}, {HIGH})", {"h": h}, "usual", (h, LOW, HIGH), "h",
                          holds=HOLDS.format("the log variance"))  # fmt: skip


def _unscaled(a: Tensor) -> Tensor:
    """Return the node that `a` is a multiple of, as in 0.5 * h."""
    while op_of(a) in SCALES:
        factors = [b for b in a.args if number(b) is None and isinstance(b, Tensor)]
        if len(factors) != 1 or (op_of(a) == "divide" and factors[0] is not a.args[0]):
            break
        a = factors[0]
    return a
