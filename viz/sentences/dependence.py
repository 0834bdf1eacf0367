"""Sentences about the messages that add up to a gradient, and about how the result depends on its inputs."""

from __future__ import annotations

from math import prod
from typing import Any

from minigrad.tracing.numbers import number_of, short
from minigrad.tracing.trace_schema import Num, Summary

from ..scene.rates import TERMS, added_up, rate, rates
from ..scene.words import figure
from .finished import Finished
from .number_words import LISTED, signed, size_of, uniform


def dependence(of: Finished) -> str:
    """Describe how fast the result changes with its inputs, and which messages add up to one of their gradients."""
    return " ".join(filter(None, [rated(of), added_up(facts(of))]))


def facts(of: Finished) -> list[list[Any]]:
    """Return the inputs in the form that `viz.scene.rates` expects."""
    sent = {n: [plain(of.sent(edge)) for edge in of.uses[n]] for n in of.inputs}
    return [[of.name(n), of.scalar(n), plain(of.gradient(n)), sent[n]] for n in of.inputs]


def plain(value: Num | None) -> float | None:
    """Return a number; for an array, return the magnitude of its largest entry."""
    return size_of(value) if isinstance(value, Summary) else number_of(value)


def rated(of: Finished) -> str:
    """Describe how fast the result changes with its inputs, or list the gradients if they may not be slopes."""
    moved = [n for n in of.inputs if of.size(n) > 0]
    empty = [n for n in of.inputs if of.empty(n)]
    zeros = [n for n in of.inputs if of.size(n) == 0 and n not in empty]
    if moved and len(of.inputs) == 1:
        return alone(of, moved[0])
    said = without(of)
    words = rates(*changes(of), facts(of)) if of.trusted else ""
    if moved and words:
        return "; ".join([words, *said]) + "."
    if empty:
        said.append(of.tell(empty, "{} has no elements", "{} have no elements"))
    if zeros:
        said.insert(0, of.tell(zeros, "the gradient of {} is 0", "the gradients of {} are 0"))
    if moved:
        said.insert(0, listed_gradients(of, moved))
    return of.said("; ".join(said)) + "."


def without(of: Finished) -> list[str]:
    """Return sentences about inputs without a gradient; the sentences stay true if the numbers change."""
    silent = [n for n in of.inputs if of.size(n) < 0 and of.uses[n]]
    unused = [n for n in of.inputs if of.size(n) < 0 and not of.uses[n]]
    return [
        *["no input takes a gradient"] * (not of.inputs),
        *[f"no gradient reaches {of.names(silent)}"] * bool(silent),
        *[of.tell(unused, "{} is not used", "{} are not used")] * bool(unused),
    ]


def changes(of: Finished) -> tuple[str, str]:
    """Return the text before the sentence of `viz.scene.rates.rates`, and the name of the result for that sentence."""
    return (of.equation(), "it") if of.scalar(of.output) else ("", of.differentiated())


def listed_gradients(of: Finished, inputs: list[int]) -> str:
    """Write the sizes of the inputs' gradients, for a result whose gradients may not be slopes."""
    said = [
        f"that of {of.name(n)} "
        + (f"is {short(of.gradient(n))}" if of.scalar(n) else f"goes up to {figure(of.size(n))}")
        for n in inputs[:TERMS]
    ]
    more = f" and {len(inputs) - TERMS} more have one" * (len(inputs) > TERMS)
    return "the gradient" + ", ".join(said).removeprefix("that") + more


def alone(of: Finished, n: int) -> str:
    """Describe how the result depends on its only input."""
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
