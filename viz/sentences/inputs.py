"""Of what a gradient is the sum, and how the result depends on its inputs."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.tracing.numbers import short

from .finished import Finished, Point
from .numbers import figure, is_close, signed, total, total_size

TERMS = 6  #: of a sum that is written out


def added_up(of: Finished) -> Point | None:
    """The sum that the gradient of an input with many uses is, where there are one or two inputs; else None."""
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
    """On which inputs the result depends most and least, as far as gradients tell."""
    found = [n for n in of.inputs if of.size(n) > 0]
    zeros = [n for n in of.inputs if of.size(n) == 0]
    silent = [n for n in of.inputs if of.size(n) < 0 and of.uses[n]]
    unused = [n for n in of.inputs if of.size(n) < 0 and not of.uses[n]]
    if found and len(of.inputs) == 1:
        return alone(of, found[0])
    said = []
    if not of.inputs:
        said.append("no input takes a gradient")
    if silent:
        said.append(f"no gradient reaches {of.names(silent)}")
    if unused:
        said.append(of.tell(unused, "{} is not used", "{} are not used"))
    if found and of.trusted:
        return "; ".join([depends(of, found, zeros), *said]) + "."
    if found:
        said = [compared(of, found, zeros), *said]
    elif zeros:
        said = [of.tell(zeros, "the gradient of {} is 0", "the gradients of {} are 0"), *said]
    return of.said("; ".join(said)) + "."


def extremes(of: Finished, found: list[int]) -> tuple[list[int], list[int]]:
    """The inputs with the largest gradients, and those with the smallest."""
    sizes = [of.size(n) for n in found]
    most, least = ([n for n in found if is_close(of.size(n), end, end)] for end in (max(sizes), min(sizes)))
    return most, least


def depends(of: Finished, found: list[int], zeros: list[int]) -> str:
    """How the result depends on its inputs, where gradients are slopes."""
    most, least = extremes(of, found)
    high, low = told_apart(of, most, [] if zeros else least)
    by = "By its gradient" if len(found) == 1 else "By its gradients"
    start = f"{of.equation()} {by}, it" if of.scalar(of.output) else f"{by}, {of.differentiated()}"
    end = f"{of.names(most)} ({'' if all(map(of.scalar, most)) else 'largest '}gradient {high})"
    if zeros:
        end += f", not at all on {of.names(zeros)} (gradient 0)"
    if len(found) == 1:
        return f"{start} depends on {end}"
    if len(most) == len(found):
        return f"{start} depends about equally on {end}"
    return f"{start} depends most on {end}" + ("" if zeros else f", least on {of.names(least)} ({low})")


def compared(of: Finished, found: list[int], zeros: list[int]) -> str:
    """How large the gradients of the inputs are, where they may be no slopes."""
    most, least = extremes(of, found)
    high, low = told_apart(of, most, [] if zeros else least)
    end = of.tell(zeros, ", that of {} is 0", ", those of {} are 0") if zeros else ""
    if len(found) == 1 and of.scalar(found[0]):
        return f"the gradient of {of.names(found)} is {high}{end}"
    if len(found) == 1:
        return f"the gradient of {of.names(found)} goes up to {high}{end}"
    if len(most) == len(found):
        return f"the gradients of {of.names(most)} are about equally large ({high}){end}"
    words = of.tell(most, "the largest gradient is that of {}", "the largest gradients are those of {}")
    end = end or of.tell(least, ", the smallest that of {}", ", the smallest those of {}") + f" ({low})"
    return f"{words} ({high}){end}"


def told_apart(of: Finished, most: list[int], least: list[int]) -> list[str]:
    """The sizes of the largest and the smallest gradients in three digits, or in four where these are the same."""
    words = [common(of, some, figure) for some in (most, least)]
    return words if words[0] != words[1] or most == least else [common(of, some, short) for some in (most, least)]


def common(of: Finished, some: list[int], write: Callable[[float], str]) -> str:
    """The size that the gradients of some inputs have in common, of numbers with its sign where that is one."""
    texts = {write(float(of.gradient(n)) if of.scalar(n) else of.size(n)) for n in some}
    return texts.pop() if len(texts) == 1 else f"{write(of.size(some[0]))} in size" if texts else ""


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
    much = signed(text).removeprefix("-")
    times = "" if much == "1" else f"{much} times "
    verb, end = ("falls", " grows") if text[0] == "-" else ("grows", "")
    return f"By its gradient, {of.differentiated()} {verb} {times}as fast as {name}{end}."
