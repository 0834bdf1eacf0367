"""A sentence about how fast a result changes with its inputs at the current numbers, for Python and for the page.

Inputs can have different units, so the sentence does not rank them.
"""

from __future__ import annotations

from typing import Any

from .ink import is_bad
from .words import figure

TOLD = 3  #: maximum number of inputs that a sentence names
TERMS = 6  #: maximum number of terms of a sum that is written out


def rates(start: str, result: str, inputs: list[Any]) -> str:
    """Return the sentence, or "" if a gradient is nan or inf, or if all gradients are 0.

    start : the text before the sentence, such as "y = 6.". result : the name of the result. inputs : rows [name of the
        input, whether it is a single number, its gradient]. For an array, the gradient is the magnitude of its largest
        entry. If no gradient has arrived, the entry in the row is None.
    """
    moving: list[Any] = []
    still: list[str] = []
    for one in inputs:
        if one[2] is None:
            continue
        if is_bad(abs(one[2])):
            return ""
        if one[2] == 0:
            still.append(one[0])
        else:
            moving.append(one)
    if len(moving) == 0:
        return ""
    clauses: list[str] = []
    verb = ""
    for one in moving[:TOLD]:
        clause = rate(one)
        if clause[0] == verb and not one[1]:
            clauses.append(times(one) + "as fast as one of " + one[0])
        else:
            clauses.append(clause[1] if clause[0] == verb else clause[0] + " " + clause[1])
        verb = clause[0]
    words = listed(clauses)
    more = len(moving) - TOLD
    if more > 0:
        words += f"; {more} more inputs have gradients" if more > 1 else "; one more input has a gradient"
    if len(still) > 0:
        named = still[:TOLD]
        if len(still) > TOLD:
            named = still[: TOLD - 1]
            named.append(f"{len(still) - TOLD + 1} more")
        words += (
            f"; the gradient{'s' if len(still) > 1 else ''} of {listed(named)} {'are' if len(still) > 1 else 'is'} 0"
        )
    by = "By its gradient, " if len(moving) == 1 else "By its gradients, "
    return (start + " " if start != "" else "") + by + result + " " + words


def rate(one: Any) -> list[str]:
    """Return the clause about one input in two parts, such as ["grows", "2 times as fast as x"]. one : its row."""
    if not one[1]:
        return ["changes up to", times(one) + "as fast as an entry of " + one[0]]
    if one[2] < 0:
        return ["falls", times(one) + "as fast as " + one[0] + " grows"]
    return ["grows", times(one) + "as fast as " + one[0]]


def times(one: Any) -> str:
    """Return the factor before "as fast", such as "2 times ", or "" for a factor of 1. one : a row of `rates`."""
    size = abs(one[2])
    much = figure(size)
    if size == 1:
        return ""
    return "about " if much == "1" else much + " times "


def listed(parts: list[str]) -> str:
    if len(parts) < 2:
        return parts[0]
    return ", ".join(parts[: len(parts) - 1]) + " and " + parts[len(parts) - 1]


def added_up(inputs: list[Any]) -> str:
    """Return a sentence about the messages that add up to the gradient of an input that is a number used several times.

    The result is "" if there are more than three inputs, if there is no such input, or if the messages do not add up.

    inputs : as for `rates`, with a fourth entry in each row: a list with the message of each use, or None for a use
        that sends nothing.
    """
    best: list[Any] = ["", False, None, []]
    for one in inputs:
        if one[1] and len(one[3]) > len(best[3]):
            best = one
    sent = [message for message in best[3] if message is not None]
    count, whole = len(sent), best[2]
    if count < 2 or len(inputs) > TOLD or whole is None:
        return ""
    exact, size, rounded_sum, terms = 0.0, 0.0, 0.0, ""
    for i in range(count):
        term = figure(sent[i])
        exact += sent[i]
        size += abs(sent[i])
        rounded_sum += 0.0 if abs(sent[i]) < 1e-320 else float(term)  # adds the numbers as the sentence shows them
        if i < TERMS - 1 or count == TERMS:
            terms += term if i == 0 else " - " + term[1:] if term[0] == "-" else " + " + term
    if size == 0 or not (abs(exact - whole) <= 2e-3 * abs(exact)):
        return ""
    same = " + … = " if count > TERMS else " = " if figure(rounded_sum) == figure(whole) else " ≈ "
    often = f"gets {count} messages" if count < len(best[3]) else f"is used {count} times"
    return f"{best[0]} {often}, so its gradient is a sum: {terms}{same}{figure(whole)}."
