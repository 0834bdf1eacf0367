"""Facts about an op that no pass reads: for documentation, pictures, reports and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Domain(NamedTuple):
    """The interval where an op's value and slope are finite, for one of its arguments.

    argument : the position of that argument. low, high : the ends, as functions of the dtype's `numpy.finfo`, or None.
    inside : a number far from both ends. hole : whether only 0 is excluded, so the op is defined on both sides of 0.
    """

    argument: int = 0
    low: Callable[[Any], float] | None = None
    high: Callable[[Any], float] | None = None
    inside: float = 1.0
    hole: bool = False


@dataclass
class OpFacts:
    """The description, formula, derivatives, domain and samples of one op.

    says : a sentence that describes the op. latex : the formula. names : its names in TensorFlow, Keras, ...
    slope : for each argument, the local derivative as text, with a, b for the arguments and y for the result.
    edge_cases : notes on unusual points. domain : where value and slope are finite, if not everywhere.
    refused : for an op that raises LinAlgError, a function that takes the op and its arguments and returns the reason.
    samples : arguments of `op.call`, used to check the gradient. Floats and lists of floats are differentiated; a
        tuple of lists is a sequence of arrays; a dict at the end contains keywords; anything else is an option.
    example : the arguments of the docstring's example, in the same form as a sample (default: the first sample).
    """

    says: str = ""
    latex: str = ""
    slope: tuple[str, ...] = ()
    edge_cases: str = ""
    names: dict[str, str] = field(default_factory=dict)
    samples: tuple[Any, ...] = ()
    example: tuple[Any, ...] = ()
    domain: Domain | None = None
    refused: Callable[[Any, Any], str] | None = None

    def __post_init__(self) -> None:
        self.example = self.example or (self.samples[0] if self.samples else ())
