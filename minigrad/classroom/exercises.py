"""Exercises as data: their checks or their question, and the wrong answers that are known, but no solutions.

@exercise("tanh_backward", points=3, function="tanh_backward(x, upstream)")
def tanh_backward(c):
    c.example((0.0, 1.0), 1.0)
    c.gradient(forward="tanh", vary=(floats(-4, 4),), upstream=True)
    c.wrong("def tanh_backward(x, upstream): return 1 - math.tanh(x)**2", mistake.no_upstream)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .mistakes import Mistake


@dataclass
class Check:
    """One line of the verdict: `run(answer, *inputs)` is compared with `true(*inputs)`.

    points : inputs that are tried first, in this order, then values drawn from `vary`. names : of the inputs.
    what : the name of what is compared. looks_like : named mistakes, each with the answer that it would give.
    """

    says: str
    run: Callable[..., Any]
    true: Callable[..., Any]
    points: list[tuple[Any, ...]] = field(default_factory=list)
    vary: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    what: str = "value"
    needs: str = ""
    looks_like: list[tuple[Mistake, Callable[..., Any]]] = field(default_factory=list)
    rtol: float = 1e-3
    atol: float = 1e-6


@dataclass
class Question:
    """A prediction to type: the right answer, and a sentence for each expected one."""

    right: Callable[[Any], bool]
    expects: str
    understood: Callable[[Any], bool]
    because: dict[Any, str]
    otherwise: str


@dataclass
class Exercise:
    """A named exercise: either `checks` of a function, or one `question` about a value."""

    name: str
    points: float
    function: str | None
    arguments: tuple[str, ...]
    checks: list[Check] = field(default_factory=list)
    question: Question | None = None
    wrongs: list[tuple[str, Mistake | None]] = field(default_factory=list)
    seconds: float = 2.0
