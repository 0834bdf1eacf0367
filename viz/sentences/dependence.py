"""Which messages add up to a gradient, and how the result depends on its inputs."""

from __future__ import annotations

from typing import Any

from ..scene.rates import rate, rates
from .finished import Finished, Point
from .number_words import figure, is_close, signed, total, total_size

TERMS = 6  #: maximum number of terms of a sum that is written out


def added_up(of: Finished) -> Point | None:
    """The sum of messages to an input with many uses, if there are one or two inputs; else None."""
    scalars = [n for n in of.inputs if of.scalar(n)]
    if not scalars or len(of.inputs) > 2:
        return None
    best = max(scalars, key=lambda n: len(of.messages(n)))
    texts, count = of.messages(best), len(of.messages(best))
    if count < 3 or not total_size(texts):
        return None
    whole = float(of.gradient(best))
    if not is_close(total(texts), whole, abs(whole)):
        return None
    terms = [signed(text) for text in texts]
    words = " + ".join(terms if count <= TERMS else [*terms[: TERMS - 1], "…"]).replace("+ -", "- ")
    same = "=" if count > TERMS or figure(total(terms)) == figure(whole) else "≈"
    uses = f"is used {count} times" if count == len(of.uses[best]) else f"gets {count} messages"
    return Point(f"{of.name(best)} {uses}, so its gradient is a sum: {words} {same} {figure(whole)}.")


def dependence(of: Finished) -> str:
    """How fast the result changes with its inputs, by their gradients."""
    moved = [n for n in of.inputs if of.size(n) > 0]
    empty = [n for n in of.inputs if of.gradient(n) == "[]"]
    zeros = [n for n in of.inputs if of.size(n) == 0 and n not in empty]
    silent = [n for n in of.inputs if of.size(n) < 0 and of.uses[n]]
    unused = [n for n in of.inputs if of.size(n) < 0 and not of.uses[n]]
    if moved and len(of.inputs) == 1:
        return alone(of, moved[0])
    said = []
    if not of.inputs:
        said.append("no input takes a gradient")
    if silent:
        said.append(f"no gradient reaches {of.names(silent)}")
    if unused:
        said.append(of.tell(unused, "{} is not used", "{} are not used"))
    rated = rates(*facts) if (facts := changes(of)) else ""
    if moved and rated:
        return "; ".join([rated, *said]) + "."
    if empty:
        said.append(of.tell(empty, "{} has no elements", "{} have no elements"))
    if zeros:
        said.insert(0, of.tell(zeros, "the gradient of {} is 0", "the gradients of {} are 0"))
    if moved:
        said.insert(0, listed_gradients(of, moved))
    return of.said("; ".join(said)) + "."


def changes(of: Finished) -> tuple[str, str, list[list[Any]]] | None:
    """The arguments of `viz.scene.rates.rates`, if gradients are slopes; else None."""
    if not of.trusted:
        return None
    inputs = [[of.name(n), of.scalar(n), of.gradient(n)] for n in of.inputs]
    return (of.equation(), "it", inputs) if of.scalar(of.output) else ("", of.differentiated(), inputs)


def listed_gradients(of: Finished, inputs: list[int]) -> str:
    """The sizes of the inputs' gradients, for a result whose gradients may not be slopes."""
    said = [
        f"that of {of.name(n)} " + (f"is {of.gradient(n)}" if of.scalar(n) else f"goes up to {figure(of.size(n))}")
        for n in inputs[:TERMS]
    ]
    more = f" and {len(inputs) - TERMS} more have one" * (len(inputs) > TERMS)
    return "the gradient" + ", ".join(said).removeprefix("that") + more


def alone(of: Finished, n: int) -> str:
    """How the result depends on its only input."""
    name, text = of.name(n), of.gradient(n)
    if not of.scalar(n):
        low, _, high = text.partition("…")
        if text.startswith("all "):
            words = f"each entry of {name} has the gradient {text[4:]}"
        elif high:
            words = f"the entries of the gradient of {name} go from {low} to {high}"
        else:
            words = f"the gradient of {name} is {text}"
        return of.said(words) + "."
    if n == of.output and of.trusted:
        return f"{name} is the result itself, so its gradient is {signed(text)}."
    if not of.trusted:
        return of.said(f"the gradient of {name} is {signed(text)}") + "."
    verb, rest = rate([name, True, text])
    return f"By its gradient, {of.differentiated()} {verb} {rest}."
