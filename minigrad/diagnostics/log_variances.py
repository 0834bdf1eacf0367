"""The convention for a log variance whose exponential overflows: the network's output is clipped.

A variational autoencoder computes exp of a network's output, and adds that output itself in its Kullback-Leibler term.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.tensor import Tensor
from ..tracing.replay import graph_of
from .domains import finite, op_of, users_of, value_of
from .other_points import Bench
from .patterns import Rewrite, number

#: The ends of a log variance in AutoencoderKL of diffusers.
LOW, HIGH = -30.0, 20.0
SOURCE = "log variances in AutoencoderKL of diffusers"
HOLDS = f"it is the same where the log variance lies between {LOW:g} and {HIGH:g} ({SOURCE})"
#: Ops that only scale a log variance or change its shape, and ops that add it to the loss.
SCALES, ADDS = {"multiply", "divide", "negative"}, {"add", "subtract", "sum", "mean"}


def log_variances(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """Yield rewrites that clip a log variance, for each one whose exponential is too large or too small."""
    users = users_of(y)

    def added(h: Tensor) -> bool:
        """Return whether a node, or a multiple of it, is added to something."""
        near = users.get(h.serial, [])
        multiples = [one for one in near if any(factor is h for factor in [*_unscaled(one)][1:2])]
        far = [user for one in multiples for user in users.get(one.serial, [])]
        return any(op_of(user) in ADDS for user in (*near, *far))

    for node in graph_of(y):
        if op_of(node) != "exp" or not isinstance(node.args[0], Tensor):
            continue
        most = np.sqrt(np.finfo(node.dtype).max)
        h = next((h for h in _unscaled(node.args[0]) if finite(value_of(h)) and added(h)), None)
        far = (value_of(node) > most) | (value_of(node) < 1 / most)
        if h is not None and most > np.exp(HIGH) and far.any() and (np.abs(value_of(h) + 5) > HIGH + 5).any():
            yield Rewrite(y, h, f"clip(h, {LOW}, {HIGH})", {"h": h}, "usual", (h, LOW, HIGH), "h", holds=HOLDS)


def _unscaled(a: Tensor) -> Iterator[Tensor]:
    """Yield a node and the nodes it is a multiple of: 0.5 * h, then h."""
    yield a
    while op_of(a) in SCALES:
        factors = [b for b in a.args if number(b) is None and isinstance(b, Tensor)]
        if len(factors) != 1 or (op_of(a) == "divide" and factors[0] is not a.args[0]):
            return
        (a,) = factors
        yield a
