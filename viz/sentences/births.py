"""Sentences about the origin of a nan or inf: the node, the reason, and the inputs that the nan or inf reaches."""

from __future__ import annotations

from math import inf

from minigrad.tracing.numbers import nonfinite
from minigrad.tracing.trace_schema import Num, Summary

from ..scene.ink import is_bad
from .finished import GIVEN, Birth, Finished, Point
from .number_words import has, signed, size_of

TRIED = 20  #: maximum number of origins examined
HALF = 60_000  #: slightly less than the largest float16; a product larger than this may overflow


def born(of: Finished) -> Point | None:
    """Return a headline about the origin of a nan or inf, or None if the pass has neither.

    It is about the first origin whose nan or inf arrives at an input; if there is none, about the first origin of all.
    If an inf arrives at inputs only as nan, the sentence is about the inf that caused the nan, and then about the nan.
    """
    origins = [(b, of.reached(of.edges[b.edge]["src"], False)) for b in of.births if not b.ghost][:TRIED]
    if not origins:
        return None
    birth, ends = next((pair for pair in origins if pair[1]), origins[0])
    at, why = origin_of(of, birth)
    if birth.word == "nan" or not ends or not all(has(of.gradient(n), "nan") for n in ends):
        return birth_at(of, birth.word, at, why, ends)
    # The inf came first, but the nan is what the reader sees: the sentence leads from one to the other.
    nan = next((b for b, reached in origins if b.word == "nan" and {*reached} & {*ends}), None)
    if nan is None:
        return birth_at(of, "inf", at, why, ends, " as nan")
    source = f"The inf comes from {place_of(of, at)[0]}{why and ': '}{why}. It"
    return birth_at(of, "nan", *origin_of(of, nan), ends, " as nan", source)


def origin_of(of: Finished, birth: Birth) -> tuple[int, str]:
    """Return the node where a nan or inf first appears, and the reason as text, or ""."""
    edge, word = of.edges[birth.edge], birth.word
    at, (why, product) = edge["dst"], meeting(of, birth)
    if not has(of.sent(edge), word):
        return edge["src"], "messages of inf and -inf add up there"
    slope = signed(birth.slope) if of.scalar(at) else "inf"
    if product == f"0 × {slope}" and behind_where(of, at):
        words = f"the branch that was not taken sends 0 into {of.title(at)}, where the slope is {slope}"
        return at, f"{words}, and {product} = nan"
    return at, why


def forward(of: Finished) -> Point | None:
    """Return a headline about the op or input where the nan in the result first appears, or None if it has no nan."""
    if not has(of.value(of.output), "nan"):
        return None
    bad = [n for n in of.inputs if is_bad(of.size(n))]
    end = ""
    if bad:
        end = of.tell(bad, " The gradient of {} has nan or inf too.", " The gradients of {} have nan or inf too.")
    elif any(of.size(n) >= 0 for n in of.inputs):
        end = " The gradients stay finite."
    for n, node in enumerate(of.nodes):
        made = [edge["src"] for edge in of.made[n]]
        # The first nan is the one that no argument explains.
        if node["ghost"] or not has(of.value(n), "nan") or any(has(of.value(m), "nan") for m in made):
            continue
        if node["kind"] in GIVEN:
            return Point(f"The input {of.name(n)} has nan, and so has the result.{end}")
        where, loop, turn = place_of(of, n)
        of_what = f": {of.title(n)} of {signed(of.value(made[0]))} is nan" if len(made) == 1 and of.scalar(n) else ""
        return Point(f"A nan first appears in the forward pass, at {where}{of_what}.{end}", loop, turn)
    return None


def place_of(of: Finished, n: int) -> tuple[str, str, int]:
    """Return a phrase that names a node and its iteration, the key of the loop, and the iteration's index."""
    loop, turn = of.place(n)
    name = of.name(n) if of.nodes[n]["kind"] in GIVEN else of.op(n)
    return f"{name} ({of.turn(loop, turn)})" if loop else name, loop, turn


def birth_at(of: Finished, word: str, at: int, why: str, ends: list[int], how: str = "", it: str = "It") -> Point:
    """Return the sentence about an origin: the node and its iteration, the reason, and the affected inputs.

    how : a phrase for the way the nan or inf arrives at the inputs. it : the subject of the sentence about the inputs.
    """
    where, loop, turn = place_of(of, at)
    reason = f": {why}." if why else "."
    an = "An inf" if word == "inf" else "A nan"
    others = [n for n in of.inputs if is_bad(of.size(n)) and n not in ends]
    more = of.tell(others, "; {} has nan or inf too", "; {} have nan or inf too") if others else ""
    words = f"{an} first appears at {where}{reason} {it} reaches {of.names(ends) or 'no input'}{how}{more}."
    return Point(words, loop, turn)


def overflown(of: Finished) -> Point | None:
    """Return a headline about a nan or inf without a recorded origin, or None if the pass has no nan or inf.

    Such an inf may be the sum of finite messages; any other nan or inf is reported without a cause.
    """
    for node in reversed(of.nodes):
        n, messages = node["id"], of.messages(node["id"])
        summed = len(messages) > 1 and not any(is_bad(size_of(message)) for message in messages)
        if summed and not node["ghost"] and is_bad(of.size(n)):
            why = "the messages to it are finite, and their sum is too large a number"
            return birth_at(of, "inf", n, why, of.reached(n, False))
    bad = [n for n in of.inputs if is_bad(of.size(n))]
    if not bad:
        return None
    word = nonfinite(of.gradient(bad[0])) or ""
    same = [n for n in bad if has(of.gradient(n), word)]
    if len(same) > 1:
        return Point(f"The gradients of {of.names(same)} have {word}.")
    verb = f"is {signed(of.gradient(same[0]))}" if of.scalar(same[0]) else f"has {word}"
    return Point(f"The gradient of {of.names(same)} {verb}.")


def meeting(of: Finished, birth: Birth) -> tuple[str, str]:
    """Return the reason why a message is nan or inf, and its product, such as "0 × inf"; each is "" if unknown."""
    edge, word = of.edges[birth.edge], birth.word
    gradient, slope = signed(birth.gradient), signed(birth.slope)
    size, steepness = size_of(birth.gradient), size_of(birth.slope)
    if edge["rule"]:
        return f"its rule sends {word}", ""
    if has(birth.slope, "nan"):
        return "the slope there is nan", ""
    steep = has(birth.slope, "inf")
    if not of.scalar(edge["dst"]):
        if not steep or is_bad(size) or edge["sum"]:
            return "", ""
        if word == "nan":
            return "where the gradient is 0, the slope is inf, and 0 × inf = nan", "0 × inf"
        return "the slope there is inf", ""
    product = f"{gradient} × {slope}"
    both = f"the gradient {gradient} meets the slope {slope}, and"
    if word == "nan" and ((size == 0 and steep) or (steepness == 0 and is_bad(size))):
        return f"{both} {product} = nan", product
    if word == "inf" and steep:
        return f"{both} {product} = {signed(of.sent(edge))}", product
    if word == "inf" and not is_bad(size) and size * steepness > HALF:
        return f"{both} their product is too large a number", product
    return "", ""


def behind_where(of: Finished, n: int) -> bool:
    """Return whether a node's gradient is 0 because a `where` did not take its branch."""
    if not of.scalar(n):
        edges = of.uses_of(n)
        dst = edges[0]["dst"] if len(edges) == 1 and not edges[0]["sum"] else n
        return of.title(dst) == "where" and has_no_zero(of.gradient(dst))
    reaches_where, queue, seen = False, [n], {n}
    while queue:
        for edge in of.uses_of(queue.pop()):
            dst = edge["dst"]
            if dst in seen:
                continue
            # A message other than 0 shows that the branch was taken after all.
            if size_of(of.sent(edge)) != 0:
                return False
            if of.size(dst) == 0:
                seen.add(dst)
                queue.append(dst)
            elif of.title(dst) == "where" and of.scalar(dst):
                reaches_where = True
            else:
                return False
    return reaches_where


def has_no_zero(value: Num | None) -> bool:
    """Return whether a number, or each entry of an array, is finite and not 0."""
    return 0 < size_of(value) < inf and not (isinstance(value, Summary) and value.zeros)
