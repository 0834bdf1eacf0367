"""Find digits that a finite gradient has lost, by recomputing the program in float64.

To find the op that loses them, the program is run in float64 once for each op, with only the result of this op rounded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ..core.gradients import gradients
from ..core.op import PICK
from ..core.tensor import Tensor
from ..tracing.replay import again, graph_of, is_input, replay
from ..tracing.user_lines import SourceLine, line_of
from .domains import finite, gradients_of

#: The smallest difference that is reported: relative to the gradient, and, for a coarse dtype, in units of the dtype's
#: precision. The larger of the two applies.
PART, ULPS = 0.01, 5
#: Gradients smaller than this, relative to the largest one, are rounding errors even in float64.
ROUNDING = 1e-15
#: The number of runs used to measure the uncertainty of a gradient in float64.
RUNS = 4
#: The maximum number of ops to try, and the maximum number of seconds to spend on them.
MOST, SECONDS = 400, 3.0
BFLOAT16 = "bfloat16"


class LostDigits(NamedTuple):
    """A gradient that differs from its float64 value.

    name, dtype : the name of the input, and the program's dtypes as text.
    here, exact : the gradient in the program's dtypes, and in float64.
    unsure : the relative uncertainty of the float64 gradient, due to rounding.
    op, line : the op whose rounding causes most of the difference, and its line; "" and None if no single op does.
    alone, to : the float64 gradient if only the result of `op` is rounded, and the dtype used for the rounding.
    """

    name: str
    dtype: str
    here: Any
    exact: Any
    unsure: float = 0.0
    op: str = ""
    line: SourceLine | None = None
    alone: Any = None
    to: str = ""

    def __str__(self) -> str:
        number = not np.ndim(self.exact)
        percent = lambda a: f"{100 * difference(a, self.exact):.2g} %"
        text = f"the gradient of {self.name} " + (
            f"is {self.here:.6g} in {self.dtype}, and {self._in_float64()} in float64"
            if number
            else f"in {self.dtype} differs from that in float64 by {percent(self.here)}"
        )
        if not self.op:
            return f"{text}: digits are lost, and no single op loses most of them"
        alone = f"it is {self.alone:.6g}" if number else f"it differs by {percent(self.alone)}"
        where = f" ({self.line.where})" if self.line else ""
        return f"{text}: digits are lost. With only the result of {self.op}{where} rounded to {self.to}, {alone}"

    def _in_float64(self) -> str:
        """Return the float64 gradient as text, with only the digits that rounding leaves certain."""
        if self.unsure < 1e-6:
            return f"{self.exact:.6g}"
        if self.unsure < 0.5:
            return f"about {self.exact:.{max(1, int(-np.log10(self.unsure)))}g}"
        return f"0 give or take {abs(self.exact) * (1 + self.unsure):.1g}"


def lost_digits(
    y: Tensor,
    xs: Sequence[Tensor],
    called: Callable[[Tensor], str],
    dtypes: Mapping[int, str] | None = None,
    confirm: Callable[[Any], bool] = lambda gradient: True,
    theirs: Sequence[Any] | None = None,
) -> LostDigits | None:
    """Return the input whose finite gradient differs most from its float64 value, or None if no digits were lost.

    called : returns the user's name of an input.
    dtypes : serial of a node -> its dtype, for dtypes that NumPy lacks.
    confirm : returns whether an independent computation in float64 gives the same gradient.
    theirs : the gradients that a framework computed by its own rules. A gradient is reported only if minigrad's rules
        give the same one.
    """
    dtypes = dtypes or {}
    try:
        exact = _Exact(y, xs, dtypes)
        mine, there = gradients_of(y, xs), exact.exact
        here = mine if theirs is None else [*theirs]
        if not finite(*here, *there) or not exact.decides_alike():
            return None
        dtypes_here = sorted({exact.dtype_of(node) for node in exact.nodes}) or [exact.dtype_of(y)]
        parts, least = [difference(a, b) for a, b in zip(here, there)], max(PART, ULPS * max(map(_eps, dtypes_here)))
        for at in sorted(range(len(xs)), key=lambda i: -parts[i]):
            alike = difference(mine[at], here[at]) < 0.1 * parts[at]
            if parts[at] > least and alike and (unsure := exact.unsure(at)) < parts[at] / 4 and confirm(there[at]):
                lost = LostDigits(called(xs[at]), " and ".join(dtypes_here), here[at], there[at], unsure)
                node, alone = exact.blamed(at)
                if node is not None and 0.5 * parts[at] < difference(alone, there[at]):
                    return lost._replace(op=node.op.name, line=line_of(node), alone=alone, to=exact.dtype_of(node))
                if difference(here[at], exact.gradients(rounds=True)[at]) > least:
                    return lost  # otherwise the difference comes only from rounded constants, as in abs(x - 0.1)
    # If the program cannot be run again, report nothing.
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        pass
    return None


def difference(a: Any, b: Any) -> float:
    """Return the distance between `a` and `b`, relative to the norm of `b`."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    gap, size = float(np.linalg.norm(np.ravel(a - b))), float(np.linalg.norm(np.ravel(b)))
    return gap / size if size else 0.0


def _eps(dtype: str) -> float:
    return 2.0**-7 if dtype == BFLOAT16 else float(np.finfo(dtype).eps)


def rounded(value: Any, dtype: str) -> Any:
    """Round a float64 number or array to the precision of a dtype."""
    if dtype != BFLOAT16:
        return np.asarray(value).astype(dtype).astype(np.float64)[()]
    bits = np.asarray(value).astype(np.float32).view(np.uint32).astype(np.uint64)
    odd = (bits >> np.uint64(16)) & np.uint64(1)
    bits = (bits + np.uint64(0x7FFF) + odd) & np.uint64(0xFFFF0000)  # round to the nearest, ties to even
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)[()]


def _wide(a: Any) -> Any:
    return np.asarray(a, np.float64)[()]


class _Exact:
    """A runner of the program in float64, with or without changes such as rounding one result.

    largest : the largest absolute gradient computed so far, but at least 1.
    """

    def __init__(self, y: Tensor, xs: Sequence[Tensor], dtypes: Mapping[int, str]) -> None:
        self.y, self.xs, self.dtypes = y, xs, dtypes
        self.nodes = _floats(y)
        self.foreign = any(node.op.kind == "foreign" for node in self.nodes)
        self.largest = 1.0

    def dtype_of(self, node: Tensor) -> str:
        return self.dtypes.get(node.serial, str(node.dtype))

    def gradients(self, put: Mapping[int, Any] | None = None, instead: Any = None, rounds: bool = False) -> list[Any]:
        """Run the program in float64, and return its gradients.

        put, instead : values and functions that replace nodes, as in `replay`.
        rounds : whether constants are first rounded to the program's dtype.
        """
        dtype = self.dtype_of(self.y)
        now = replay(self.y, put, instead, number=lambda a: rounded(a, dtype) if rounds else _wide(a))
        gradients = gradients_of(now[self.y.serial], [now[x.serial] for x in self.xs])
        self.largest = max([self.largest, *(float(np.max(np.abs(g), initial=0)) for g in gradients)])
        return gradients

    def decides_alike(self) -> bool:
        """Return whether each comparison has the same result in float64 as in the program.

        If not, the two gradients belong to different branches.
        """
        now = replay(self.y, number=_wide)
        decided = (n for n in graph_of(self.y) if not is_input(n) and not isinstance(n.value, tuple))
        return all(np.array_equal(now[n.serial].value, n.value) for n in decided if n.dtype.kind == "b")

    def unsure(self, at: int) -> float:
        """Return the relative uncertainty of a float64 gradient, due to rounding.

        The uncertainty is the largest change of the gradient in a few runs that move every result by up to two units in
        the last place. It is inf if the gradient consists only of rounding errors.
        """
        before = self.exact[at]
        if np.max(np.abs(before), initial=0) <= ROUNDING * self.largest:
            return np.inf
        # Foreign rules compute with plain arrays, so only the results of the forward pass can be changed.
        runs = (run[at] for run in self.moved) if self.foreign else self._moved_runs(at)
        return max(difference(run, before) for run in runs)

    @cached_property
    def exact(self) -> list[Any]:
        """The gradients in float64."""
        return self.gradients()

    @cached_property
    def moved(self) -> list[list[Any]]:
        """The gradients from a few runs that move all results of the forward pass slightly."""
        instead = _moving(self.nodes)
        return [self.gradients(instead=instead) for _ in range(RUNS)]

    def _moved_runs(self, at: int) -> Iterator[Any]:
        """Yield gradient number `at` from a few float64 runs that change every result of both passes slightly."""
        now = replay(self.y, number=_wide)
        (gradient,) = gradients(now[self.y.serial], now[self.xs[at].serial], unconnected_gradients="zero")
        assert gradient is not None  # an input without effect gets zeros
        instead = _moving(_floats(gradient))
        for _ in range(RUNS):
            yield replay(gradient, instead=instead)[gradient.serial].value

    def blamed(self, at: int) -> tuple[Tensor | None, Any]:
        """Return the op that changes a gradient most if only its result is rounded, and the changed gradient.

        at : the index of the gradient.
        """
        exact, end = self.exact[at], time.monotonic() + SECONDS
        best: tuple[Tensor | None, Any] = None, exact
        if len(self.nodes) > MOST:
            return best
        for node in self.nodes:
            if time.monotonic() > end:
                break
            alone = self.gradients(instead={node.serial: partial(self._rounded, node)})[at]
            if difference(alone, exact) > difference(best[1], exact):
                best = node, alone
        return best

    def _rounded(self, node: Tensor, now: Mapping[int, Tensor]) -> Tensor:
        new = again(node, now, _wide)
        new.value = rounded(new.value, self.dtype_of(node))
        return new


def _floats(y: Tensor) -> list[Tensor]:
    """Return the nodes with float results in the graph of `y`, without inputs."""
    return [
        n
        for n in graph_of(y)
        if not is_input(n) and n.op is not PICK and not isinstance(n.value, tuple) and n.dtype.kind == "f"
    ]


def _moving(nodes: Iterable[Tensor]) -> dict[int, Any]:
    """Return, for each node, a function for `replay` that shifts its result by up to two units in the last place."""
    rng = np.random.default_rng(3)

    def moved(node: Tensor, now: Mapping[int, Tensor]) -> Tensor:
        new = again(node, now, _wide)
        new.value = _wide(new.value * (1 + 2 * _eps("float64") * rng.uniform(-1, 1, new.shape)))
        return new

    return {node.serial: partial(moved, node) for node in nodes}
