"""Named mistakes, each with a sentence that helps the student."""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """A known mistake: its name, and the sentence that the student reads."""

    name: str
    says: str


class _Mistakes:
    """The common ones by name; `mistake("name", "sentence")` makes one of your own.

    >>> mistake.sign.name
    'the sign is flipped'
    """

    no_upstream = Mistake(
        "forgot the upstream gradient",
        "The result does not change with the upstream gradient. A rule returns upstream times the local derivative.",
    )
    no_local = Mistake(
        "passed the upstream gradient on unchanged",
        "The local derivative is missing: the result is the upstream gradient itself.",
    )
    upstream_twice = Mistake(
        "multiplied by the upstream gradient twice", "The upstream gradient belongs into the product once."
    )
    upstream_added = Mistake(
        "added the upstream gradient", "The chain rule multiplies: upstream times the local derivative, not plus."
    )
    sign = Mistake("the sign is flipped", "Every value is the true one times -1.")
    twice = Mistake("counted twice", "Every value is twice the true one.")
    half = Mistake("counted half", "Every value is half the true one.")
    value_for_slope = Mistake(
        "returned the value in place of the derivative", "This is what the function computes, not its slope."
    )
    input_for_output = Mistake(
        "used the input where the output belongs", "The rule is written with the result y, and here it got x."
    )
    output_for_input = Mistake(
        "used the output where the input belongs", "The rule is written with the input x, and here it got the result y."
    )
    not_finite = Mistake(
        "a number on the way is not finite",
        "Somewhere a number became inf or nan, and everything computed from it went wrong.",
    )

    def __call__(self, name: str, says: str) -> Mistake:
        return Mistake(name, says)


mistake = _Mistakes()
