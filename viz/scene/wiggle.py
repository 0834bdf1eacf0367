"""How far each number moves with one input, computed from the slopes or measured, in Python and in the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SIGN = "δ "  #: the sign before the move of a number, as ḡ is the sign before a gradient


def wiggles(edges: list[Any], source: int, rounded: Callable[[int, float], float]) -> Any:
    """Return the move of each node if `source` moves by 1 (`moves`), and the part that each edge passes on (`terms`).

    edges : rows [edge, its source, its end, slope], in the order of computation of their ends. rounded : a function
        that rounds a number to the precision of a node.
    """
    both: Any = {"moves": {}, "terms": {}}
    moves, terms = both["moves"], both["terms"]
    moves["n" + str(source)] = 1.0
    for row in edges:
        before = moves.get("n" + str(row[1]), None)
        if before is None:
            continue
        key = "n" + str(row[2])
        term = rounded(row[2], before * row[3])
        terms["e" + str(row[0])] = term
        total = moves.get(key, None)
        moves[key] = term if total is None else rounded(row[2], total + term)
    return both


def moved(source: str, name: str, products: list[str], total: str, finite: bool) -> str:
    """Return the sentence about the move of one number.

    products : the product at each edge that contributes to the move, such as "2 · 0.5". total : their sum.
    """
    if len(products) == 0:
        return f"A tiny step of {source} does not move {name}, by the slopes."
    words = " + ".join(products).replace("+ -", "- ")
    words += " = " + total
    if finite:
        return f"By the slopes, a tiny step of {source} moves {name} {words} times as far."
    return f"By the slopes, it cannot be said how far a tiny step of {source} moves {name}: {words}."


def measured_move(source: str, step: str, name: str, times: str) -> str:
    """Return the sentence about measured moves. times : the moves as multiples of the step, or "" if nothing moves."""
    how = f"Measured with a step of {step} up and down, {source}"
    return f"{how} does not move {name}." if times == "" else f"{how} moves {name} {times} times as far."


def undecided(source: str) -> str:
    """Return the sentence for a pass that was not measured, because a step of `source` changes the code's branches."""
    return f"Within a step of {source} the code decides otherwise, so nothing is measured."


def steps_of(source: str) -> str:
    """Return the sentence about the input `source` itself, which opens the wiggle."""
    return f"{source} takes a tiny step: how far does each number move, as a multiple of it?"
