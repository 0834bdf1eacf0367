"""Of what a gradient is the sum, and how the result depends on its inputs."""

from __future__ import annotations

from .finished import Finished, Point
from .numbers import figure, in_short, is_close, signed, total, total_size

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
    more = [
        *["no input takes a gradient"] * (not of.inputs),
        *[f"no gradient reaches {of.names(silent)}"] * bool(silent),
        *[f"{of.names(unused)} {are(unused)} not used"] * bool(unused),
    ]
    if not found and not zeros:
        return of.said("; ".join(more)) + "."
    end = "".join(f"; {one}" for one in more) + "."
    none = f"of {of.names(zeros)} {are(zeros)} 0"
    if not found:
        return of.said(f"the gradient{plural(zeros)} {none}") + end
    if len(of.inputs) == 1:
        return alone(of, found[0])
    sizes = [of.size(n) for n in found]
    most = [n for n in found if is_close(of.size(n), max(sizes), max(sizes))]
    least = [n for n in found if is_close(of.size(n), min(sizes), min(sizes))]
    if of.trusted:
        it = f"{of.equation()} By its gradient{plural(found)}, it" if of.scalar(of.output) else ""
        words = it or f"By its gradient{plural(found)}, {of.differentiated()}"
        end = f", not at all on {of.names(zeros)} (gradient 0)" * bool(zeros) + end
        if len(most) == len(found):
            how = "" if len(most) == 1 else "about equally "
            return f"{words} depends {how}on {of.names(most)} ({largest(of, most)}){end}"
        low = "" if zeros else f", least on {of.names(least)} ({common(of, least)})"
        return f"{words} depends most on {of.names(most)} ({largest(of, most)}){low}{end}"
    end = f", {those(zeros)} {none}" * bool(zeros) + end
    if len(found) == 1:
        verb = "is" if of.scalar(found[0]) else "goes up to"
        return of.said(f"the gradient of {of.names(found)} {verb} {common(of, found)}") + end
    if len(most) == len(found):
        return of.said(f"the gradients of {of.names(most)} are about equally large ({common(of, most)})") + end
    words = f"the largest gradient{plural(most)} {are(most)} {those(most)} of {of.names(most)} ({common(of, most)})"
    if not zeros:
        words += f", the smallest {those(least)} of {of.names(least)} ({common(of, least)})"
    return of.said(words) + end


def plural(some: list[int]) -> str:
    return "" if len(some) == 1 else "s"


def are(some: list[int]) -> str:
    return "is" if len(some) == 1 else "are"


def those(some: list[int]) -> str:
    return "that" if len(some) == 1 else "those"


def common(of: Finished, some: list[int]) -> str:
    """The size that the gradients of some inputs have in common, of numbers with its sign where that is one."""
    texts = {in_short(of.gradient(n), of.scalar(n)) for n in some}
    return texts.pop() if len(texts) == 1 else f"{figure(of.size(some[0]))} in size"


def largest(of: Finished, some: list[int]) -> str:
    return f"{'' if all(map(of.scalar, some)) else 'largest '}gradient {common(of, some)}"


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
