"""The checks that a rewrite passes before it is offered.

1. At other points the rewritten node equals the old one, in value and gradient, wherever its guard does nothing.
2. The value and all gradients are finite here, in the dtype of the program. 3. The gradient here lies between those
beside this point. 4. If the value or the gradient of the program has a limit here, the repair gives that limit; if the
program jumps away from its own value on one side, there is no repair.
5. If it tends to infinity, no number replaces it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.tensor import Tensor
from .nan_bench import Bench, close, other_points
from .nan_beside import BETWEEN, BRANCH, JUMPS, NO_VALUE, Around
from .nan_domains import finite, gradients_of, value_of
from .nan_guards import is_inactive
from .nan_patterns import Rewrite


class Offer(NamedTuple):
    """Rewrites that passed the checks, the result of the rewritten graph, the grade of the repair, and sentences.

    The grade is "" if the program itself is infinite, and only an arbitrary number could replace it.
    jumps : whether it has a value here that is not its limit.
    """

    rewrites: list[Rewrite]
    new: Tensor
    grade: str
    checks: tuple[str, ...]
    jumps: bool = False


def equal_points(rewrite: Rewrite, result: Tensor, bench: Bench) -> int:
    """The number of other points at which the rewritten node equals the old one in value and gradient; 0 if it differs.

    The node itself is compared, element by element wherever the guard of the rewrite does nothing: the result may hide
    a difference, which is later multiplied by 0, or squared.
    """
    varied, rng, seen = bench.varied([rewrite]), np.random.default_rng(2), []
    tops = (rewrite.y, result) if rewrite.kind == "masked" else (rewrite.at, rewrite.made)
    for ordinary, point in other_points(varied, rng):
        old, new = (bench.nodes(top, point) for top in tops)
        at, made = old[rewrite.at.serial], new[rewrite.made.serial]
        v, w = value_of(at), value_of(made)
        if v.shape != w.shape:
            return 0
        free = is_inactive(rewrite, old) if rewrite.guard else np.True_
        counts = np.isfinite(v) & (free if free.shape == v.shape else free.all())
        if counts.any():
            upstream = rng.standard_normal(v.shape) * counts
            expected, got = (bench.gradients(top, nodes, varied, upstream) for top, nodes in ((at, old), (made, new)))
            equal = close(w[counts], v[counts]) and all(
                close(g[k], e[k], 1e-5) for g, e, k in zip(got, expected, map(np.isfinite, expected))
            )
            seen.append(equal)
            if not equal and (rewrite.guard or ordinary or not finite(w[counts])):
                return 0
    return len(seen) if sum(seen) > 0.6 * len(seen) else 0


def verify(y: Tensor, new: Tensor, rewrites: list[Rewrite], bench: Bench) -> Offer | None:
    """Check the rewrites that turn the graph of `y` into that of `new`; None if they may not be offered."""
    if not finite(new.value, *gradients_of(new, bench.inputs)):
        return None
    around = Around(y, new, rewrites, bench)
    if not around.keeps_its_digits():
        return None
    grade, value = around.value()
    slope = around.slope(value == NO_VALUE, any(r.kind == "floor" for r in rewrites))
    if not slope or not value:
        return None
    if grade and slope == BETWEEN and value != JUMPS and all(r.kind in ("same", "masked", "limit") for r in rewrites):
        grade, value = "same", BRANCH if value == BRANCH else ""
    equal = f"equal to the program at {min(r.equal for r in rewrites)} other points, in value and gradient"
    said = [value] if value == BRANCH else [] if value in (NO_VALUE, JUMPS) else [slope, value]
    return Offer(rewrites, new, grade, tuple(filter(None, [equal, *said])), value == JUMPS)
