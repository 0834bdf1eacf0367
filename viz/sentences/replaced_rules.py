"""Sentences that compare the messages of a rule with those of the pass that it replaces."""

from __future__ import annotations

from typing import Any

from ..scene.ink import is_bad
from ..scene.words import figure
from .births import TRIED, meeting
from .finished import Finished, Point
from .number_words import has, in_short, is_close, signed, size_of, told_apart, total, total_size, uniform


def repaired(of: Finished) -> Point | None:
    """Return a headline about a rule that avoids a nan or inf, or None if there is none.

    The rule sends a finite message, and the ops that it replaces would send nan or inf.
    """
    for birth in [birth for birth in of.births if birth.ghost][:TRIED]:
        edge = of.edges[birth.edge]
        call = of.call.get(edge["dst"], -1)
        for n in of.reached(edge["src"], True):
            # The nan must arrive here: if another op stops it, this rule gets no credit.
            would = [message for message in of.within[n, call] if is_bad(size_of(message))]
            rule = of.ruled(n, call)
            if not would or any(is_bad(size_of(message)) for message in rule):
                continue
            word = "nan" if any(has(message, "nan") for message in would) else "inf"
            product, at = meeting(of, birth)[1], of.title(edge["dst"])
            why = f"{product} at {at}" if word == birth.word and product else f"{birth.word} first appears at {at}"
            sends = " and ".join(map(signed, rule)) if of.scalar(n) or not rule else "finite numbers"
            words = f"The rule sends {sends or 'nothing'} to {of.name(n)}"
            return Point(f"{words}; the pass it replaces would send {word}: {why}.")
    return None


def changed(of: Finished) -> Point | None:
    """Return a headline about a rule and the ops that it replaces, if their messages differ, or None."""
    for node in reversed(of.nodes):
        if node["kind"] != "custom" or node["ghost"]:
            continue
        for edge in of.made[node["id"]]:
            if edge["rule"] and (pair := exchanged(of, edge)):
                words = f"The rule of {node['title']} sends {pair[0]} to {of.name(edge['src'])}"
                return Point(f"{words}; the pass it replaces would send {pair[1]}.")
    return None


def exchanged(of: Finished, edge: Any) -> tuple[str, str] | None:
    """Write the message of a rule along an edge, and the message of the replaced ops, if they differ.

    Returns None if they agree or if one of them is unknown.
    """
    src, call = edge["src"], edge["dst"]
    rule, would = of.ruled(src, call), list(of.within[src, call])
    for other in of.made[call]:
        if other["ghost"] and other["src"] == src and of.nodes[src]["shape"] == of.nodes[call]["shape"]:
            would += [g for g in [of.gradient(call)] if g is not None]  # the body returns this argument
    scale = max(total_size(rule), total_size(would))
    if not would or not (rule or edge["none"]) or is_bad(scale) or scale == 0:
        return None
    if of.scalar(src):
        a, b = total(rule), total(would)
        if is_close(a, b, scale) or is_lost(a, total_size(rule)) or is_lost(b, total_size(would)):
            return None
        if not rule:
            return "nothing", figure(b)
        return told_apart(a, b)
    # Summaries of arrays cannot be added up.
    if len(would) > 1 or len(rule) > 1:
        return None
    if not rule:
        return "nothing", f"up to {in_short(would[0], False)}"
    # An array of equal numbers is compared by its number, any other by its largest.
    both, word = [uniform(rule[0]), uniform(would[0])], "all"
    if None in both:
        both, word = [size_of(rule[0]), size_of(would[0])], "up to"
    a, b = map(float, both)  # type: ignore[arg-type]
    sends, other = told_apart(a, b)
    return None if is_close(a, b, scale) else (f"{word} {sends}", f"{word} {other}")


def is_lost(total: float, size: float) -> bool:
    """Return whether cancelling terms cost a sum too many digits. size : the sum of the terms' absolute values."""
    return total != 0 and abs(total) < 0.01 * size


def shared_out(of: Finished) -> Point | None:
    """Return a headline about a rule that sends messages to Variables, or None if there is none."""
    for node in reversed(of.nodes):
        edges = [edge for edge in of.made[node["id"]] if edge["rule"]]
        sent = [edge for edge in edges if of.sent(edge) is not None]
        if not any(of.nodes[edge["src"]]["kind"] == "var" for edge in sent):
            continue
        silent = [edge["src"] for edge in edges if edge["none"]]
        end = f"; it sends nothing to {of.names(silent)}." if silent else "."
        once = list(dict.fromkeys(edge["src"] for edge in sent))
        names = of.names(once)
        most = max(size_of(of.sent(edge)) for edge in sent)
        best = [edge for edge in sent if is_close(size_of(of.sent(edge)), most, most)]
        one = best[0]["src"]
        text = ("" if of.scalar(one) else "up to ") + in_short(of.sent(best[0]), of.scalar(one))
        what = f"to {names}"
        if most == 0 or len(sent) == 1:
            what = f"{'0' if most == 0 else text} {what}"
        elif len(best) == 1 and len(once) == len(sent):
            what += f"; {of.name(one)} gets most, {text}"
        return Point(f"The rule of {node['title']} sends {what}{end}")
    return None
