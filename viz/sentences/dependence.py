"""Sentences about the messages that add up to a gradient, and about how the result depends on its inputs."""

from __future__ import annotations

from math import prod
from typing import Any

from minigrad.tracing.numbers import number_of, short
from minigrad.tracing.trace_schema import Num, Summary

from ..scene.rates import TERMS, added_up, rate, rates
from ..scene.words import figure
from .compared import LISTED
from .finished import Finished
from .number_words import signed, size_of, uniform


def dependence(of: Finished) -> str:
    """Describe how fast the result changes with its inputs, and which messages add up to one of their gradients."""
    return " ".join(filter(None, [rated(of), added_up(facts(of))]))


def facts(of: Finished) -> list[list[Any]]:
    """Return a row for each input with elements, as `viz.scene.rates.added_up` expects it."""
    sent = {n: [plain(of.sent(edge)) for edge in of.uses[n]] for n in of.inputs}
    return [[of.name(n), of.scalar(n), plain(of.gradient(n)), sent[n]] for n in of.inputs if not of.empty(n)]


def plain(value: Num | None) -> float | None:
    """Return `value` as a float, or the largest magnitude in it if it is an array; None for None."""
    return size_of(value) if isinstance(value, Summary) else number_of(value)


def rated(of: Finished) -> str:
    """Return the sentence about the gradients of all inputs: rates of change, or a list if they may not be slopes."""
    moved = [n for n in of.inputs if of.size(n) > 0]
    zeros = [n for n in of.inputs if of.size(n) == 0 and not of.empty(n)]
    if moved and len(of.inputs) == 1:
        return alone(of, moved[0])
    said = without(of)
    words = rates(*changes(of), facts(of)) if of.trusted else ""
    if moved and words:
        return "; ".join([words, *said]) + "."
    if zeros:
        said.insert(0, of.tell(zeros, "the gradient of {} is 0", "the gradients of {} are 0"))
    if moved:
        said.insert(0, listed_gradients(of, moved))
    return of.said("; ".join(said)) + "."


def without(of: Finished) -> list[str]:
    """Return clauses about inputs without a gradient, such as "w is not used"; they contain no numbers."""
    silent = [n for n in of.inputs if of.size(n) < 0 and of.uses[n]]
    unused = [n for n in of.inputs if of.size(n) < 0 and not of.uses[n]]
    empty = [n for n in of.inputs if of.empty(n)]
    return [
        *["no input takes a gradient"] * (not of.inputs),
        *[f"no gradient reaches {of.names(silent)}"] * bool(silent),
        *[of.tell(unused, "{} is not used", "{} are not used")] * bool(unused),
        *[of.tell(empty, "{} has no elements", "{} have no elements")] * bool(empty),
    ]


def changes(of: Finished) -> tuple[str, str]:
    """Return the first two arguments of `viz.scene.rates.rates`: the text before, such as "y = 6.", and the result."""
    return (of.equation(), "it") if of.scalar(of.output) else ("", of.differentiated())


def listed_gradients(of: Finished, inputs: list[int]) -> str:
    """Return a clause that lists the gradients of some inputs; it does not claim that they are slopes."""
    said = [
        f"that of {of.name(n)} "
        + (f"is {short(of.gradient(n))}" if of.scalar(n) else f"goes up to {figure(of.size(n))}")
        for n in inputs[:TERMS]
    ]
    more = f" and {len(inputs) - TERMS} more have one" * (len(inputs) > TERMS)
    return "the gradient" + ", ".join(said).removeprefix("that") + more


def alone(of: Finished, n: int) -> str:
    """Return the sentence about the gradient of the only input, which is node `n`."""
    name, gradient = of.name(n), of.gradient(n)
    if isinstance(gradient, Summary) and prod(gradient.shape) > LISTED:
        low, high = figure(float(gradient.min)), figure(float(gradient.max))
        if uniform(gradient) is not None:
            return of.said(f"each entry of {name} has the gradient {low}") + "."
        return of.said(f"the entries of the gradient of {name} go from {low} to {high}") + "."
    if n == of.output and of.trusted and of.scalar(n):
        return f"{name} is the result itself, so its gradient is {signed(gradient)}."
    if not of.trusted or not of.scalar(n):
        return of.said(f"the gradient of {name} is {signed(gradient)}") + "."
    verb, rest = rate([name, True, plain(gradient)])
    return f"By its gradient, {of.differentiated()} {verb} {rest}."
