"""The object with which an exercise is described: one method for each kind of check."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.core.op import OPS

from .compare import plain
from .exercises import Check, Exercise, Question
from .inputs import floats, grid
from .mistakes import Mistake, mistake
from .truth import differentiate, slopes, usual_mistakes, values_at

#: Upstream gradients with which a forgotten one, a doubled one and a flipped sign give different results.
UPSTREAM = floats(-4, 4, also=(2.0, 1.0, 3.0))
OPTIONS = ("points", "needs", "looks_like", "rtol", "atol")


def exercise(
    name: str, *, points: float = 1, function: str | None = None, seconds: float = 2.0
) -> Callable[..., Exercise]:
    """Decorator: the function below fills in the checks of the exercise called `name`.

    function : the function that the student writes, as `"name"` or `"name(x, upstream)"`; without it the exercise is
        a value, held by the variable `name`. seconds : how long one call may take.

    >>> from minigrad.classroom import floats
    >>> @exercise("double", function="double(x)")
    ... def double(c):
    ...     c.value(lambda x: 2 * x, vary=(floats(-1, 1),), says="twice x")
    >>> double.checks[0].says
    'twice x'
    """
    called, _, rest = (function or "").partition("(")
    arguments = tuple(re.findall(r"\w+", rest))
    made = Exercise(name, points, called or None, arguments, seconds=seconds)

    def fill(build: Callable[[Collector], Any]) -> Exercise:
        build(Collector(made))
        if not made.checks and made.question is None:
            raise ValueError(f"the exercise {name!r} has no checks")
        return made

    return fill


class Collector:
    """The argument `c` of the function of an exercise: each method adds one check."""

    def __init__(self, made: Exercise) -> None:
        self._made = made
        self._tables: dict[str, list[tuple[str, Any]]] = {}

    def example(self, args: tuple[Any, ...], expected: Any, says: str = "the examples", **more: Any) -> None:
        """The function of `args` is `expected`. Examples with the same words make one check."""
        known = next((c for c in self._made.checks if c.says == says and not c.vary), None)
        if known is None:
            table: list[tuple[str, Any]] = []
            true = lambda *xs: next(expected for text, expected in table if text == repr(xs))
            known = self._add(says, lambda f, *xs: plain(f(*xs)), true, (), len(args), "answer", more, [])
            self._tables[says] = table
        self._tables[says].append((repr(args), expected))
        known.points.append(args)

    def value(self, true: Callable[..., Any], vary: Sequence[Any], says: str, **more: Any) -> None:
        """The value of the function at Tensors is `true` of the numbers."""
        looks = [
            (mistake.sign, lambda *xs: -np.asarray(true(*xs))),
            (mistake.twice, lambda *xs: 2 * np.asarray(true(*xs))),
        ]
        self._add(says, values_at, true, vary, len(vary), "value", more, looks)

    def derivative(
        self,
        says: str,
        vary: Sequence[Any],
        forward: Any = None,
        slope: Callable[..., Any] | None = None,
        order: int = 1,
        upstream: bool = True,
        **more: Any,
    ) -> None:
        """The gradient that minigrad finds through the student's function of Tensors is the true one.

        forward : the function whose derivative is the truth, found by differences; or slope : the derivative itself.
        order : 2 for the derivative of the gradient. upstream : try several upstream gradients.
        """
        upstream = upstream and order == 1

        def run(f: Callable[..., Any], *args: Any) -> Any:
            return differentiate(f, args[:-1] if upstream else args, args[-1] if upstream else 1.0, order)

        self._slopes(says, run, vary, forward, slope, order, upstream, more)

    def gradient(
        self,
        forward: Any,
        vary: Sequence[Any],
        upstream: bool = True,
        says: str = "upstream times the local derivative",
        **more: Any,
    ) -> None:
        """The student's function is itself a rule of plain numbers: f(*inputs, upstream) is the gradient.

        forward : a function, or the name of an op, whose derivative is found by differences.
        """
        self._slopes(says, lambda f, *args: plain(f(*args)), vary, forward, None, 1, upstream, more)

    def property(self, says: str, holds: Callable[..., Any], vary: Sequence[Any], **more: Any) -> None:
        """`holds(f, *inputs)` is True, or a sentence about what is not as it should be."""
        self._add(says, lambda f, *xs: holds(f, *xs), lambda *xs: True, vary, len(vary), "property", more, [])

    def choice(self, answer: str, because: Mapping[str, str]) -> None:
        """One of the letters in `because`, which holds for each the reason why it is right or wrong."""
        letters = list(because)
        self._made.question = Question(
            right=lambda got: _letter(got) == answer,
            expects=f"Type one of {', '.join(repr(k) for k in letters)}.",
            understood=lambda got: _letter(got) in letters,
            because={_letter(k): v for k, v in because.items()},
            otherwise="",
        )

    def number(
        self, answer: float, within: float = 0.0, because: Mapping[float, str] | None = None, otherwise: str = ""
    ) -> None:
        """A number, right when it is at most `within` away. `because` holds a sentence for each expected answer."""
        same = lambda got, n: (np.isnan(n) and np.isnan(got)) or got == n or abs(got - n) <= within
        self._made.question = Question(
            right=lambda got: same(float(got), answer),
            expects="Type a number.",
            understood=lambda got: not isinstance(got, (bool, str)) and np.ndim(plain(got)) == 0 and _floats(got),
            because={float(k): v for k, v in (because or {}).items()},
            otherwise=otherwise,
        )

    def wrong(self, source: str, named: Mistake | None = None) -> None:
        """A wrong answer that must fail, and be recognised as `named`; it is tried when the lesson is released."""
        self._made.wrongs.append((source, named))

    def _slopes(
        self, says: str, run: Any, vary: Sequence[Any], forward: Any, slope: Any, order: int, upstream: bool, more: Any
    ) -> None:
        op = OPS[forward] if isinstance(forward, str) else None
        forward = op.fn if op is not None else forward
        true = slopes(forward, slope, order, upstream)
        looks = usual_mistakes(true, forward if order == 1 else None, op, len(vary), upstream)
        drawn = (*vary, UPSTREAM) if upstream else tuple(vary)
        what = "gradient" if order == 1 else "second derivative"
        self._add(says, run, true, drawn, len(vary), what, more, looks)

    def _add(
        self,
        says: str,
        run: Any,
        true: Any,
        vary: Sequence[Any],
        arity: int,
        what: str,
        more: dict[str, Any],
        looks: Any,
    ) -> Check:
        unknown = set(more) - set(OPTIONS)
        if unknown:
            raise TypeError(f"unknown option {', '.join(sorted(unknown))}; a check takes {', '.join(OPTIONS)}")
        names = self._names(arity) if len(vary) <= arity else (*self._names(arity), "upstream")
        points = [*more.pop("points", []), *(grid(vary) if vary else [])]
        looks = [*dict(more.pop("looks_like", {})).items(), *looks]
        check = Check(says, run, true, points, tuple(vary), names, what, looks_like=looks, **more)
        self._made.checks.append(check)
        return check

    def _names(self, count: int) -> tuple[str, ...]:
        spare = ("x", "y", "z") if count <= 3 else tuple(f"x{i}" for i in range(count))
        return (self._made.arguments + spare[len(self._made.arguments) :])[:count]


def _letter(got: Any) -> str:
    return got.strip().strip(".()").lower() if isinstance(got, str) else ""


def _floats(got: Any) -> bool:
    try:
        float(got)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
