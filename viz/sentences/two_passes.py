"""Two passes beside each other: a derived one and that of a rule, or those of two functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from minigrad.tracing.numbers import short

from ..model.verdicts import CompareRow, worst
from ..scene.ink import is_bad, size_of
from .finished import Finished, Point
from .numbers import in_short, is_close, names_in_a_row, signed


@dataclass(frozen=True)
class Pair:
    """The gradients of an input in two passes, in words; "" where none has arrived."""

    name: str
    scalar: bool
    one: str
    other: str

    @property
    def spoilt(self) -> bool:
        return is_bad(size_of(self.one)) or is_bad(size_of(self.other))

    @cached_property
    def verdict(self) -> str:
        """Whether they "agree" or "differ"; "open" where their words do not tell, "none" where neither has arrived."""
        one, other = self.one, self.other
        if not one or not other:
            return "none" if one == other else "differ"
        first, second = size_of(one), size_of(other)
        if one == other == "[]":
            return "agree"
        if is_bad(first) or is_bad(second):
            if is_bad(first) != is_bad(second):
                return "differ"
            return "open" if not self.scalar else "agree" if one == other else "differ"
        larger = max(first, second)
        if self.scalar or (one.startswith("all ") and other.startswith("all ")):
            close = is_close(float(one.removeprefix("all ")), float(other.removeprefix("all ")), larger)
            return "agree" if close else "differ"
        if not is_close(first, second, larger):
            return "differ"
        listed = [entries(text) for text in (one, other)]
        if not all(listed):
            return "open"
        same = len(listed[0]) == len(listed[1]) and all(is_close(a, b, larger) for a, b in zip(*listed))
        return "agree" if same else "differ"

    def words(self, text: str) -> str:
        """One of the gradients, in three digits where these tell it from the other."""
        if self.verdict != "agree" and text and in_short(self.one, self.scalar) == in_short(self.other, self.scalar):
            return text
        return f"up to {in_short(text, False)}" if "…" in text else signed(text) if text else "nothing"


def entries(text: str) -> list[float]:
    """The entries of an array whose words have all of them, otherwise none."""
    return [float(number) for number in text.strip("[]").split()] if text[0] == "[" and "…" not in text else []


def both_of(
    graphs: Sequence[Any], states: Sequence[Any], names: Sequence[str], equal: bool = True,
    repaired: Sequence[str] = (), table: Sequence[CompareRow] = (),
) -> Point:  # fmt: skip
    """How the gradients of two passes compare.

    names: of the lanes, ("derived", "custom") for a function and its rule, or the names of two functions. equal:
    whether their values are. repaired: the arguments whose gradient only the rule has right, by finite differences.
    table: the verdicts on each argument. With them the sentence says the worst of these.
    """
    first, second = (Finished(graph, state, (), "") for graph, state in zip(graphs, states))
    if first.output < 0 or second.output < 0:
        return Point("")
    rule = tuple(names) == ("derived", "custom")
    pairs, value = pairs_of(first, second), values_of(first, second, names, rule, equal)
    if not pairs:
        return Point(f"{value}. " * bool(value) + "Neither pass sends a gradient to an input.")
    start = f"{value}, two gradients" if value else "Two gradients"
    bad = any(pair.spoilt for pair in pairs)
    row = worst(table)
    if row is not None and row.kind != "neither":
        return Point(judged(start, pairs, table, row, ("the derived pass", "the rule") if rule else names), bad)
    by = {verdict: [pair for pair in pairs if pair.verdict == verdict] for verdict in ("differ", "agree", "open")}
    if len(by["agree"]) == len(pairs):
        same = pairs[0].words(pairs[0].other) if len(pairs) == 1 else f"those of {joined(pairs)}"
        return Point(f"{start}, and they agree: {same}.", bad)
    end = f" Those of {joined(by['agree'])} agree." if by["agree"] else ""
    if not by["differ"]:
        spoilt = [pair for pair in by["open"] if pair.spoilt]
        what = "have nan or inf" if spoilt else "have the same largest entry"
        both = "both" if len(pairs) == 1 else f"both of {joined(spoilt or by['open'])}"
        return Point(f"{start}, and {both} {what}.{end}", bad)
    one = next((pair for pair in by["differ"] if pair.spoilt), by["differ"][0])
    who = ("the derived pass", "the rule") if rule else names
    words = f"{start}{f' of {one.name}' if len(pairs) > 1 else ''}: "
    words += f"{who[0]} sends {one.words(one.one)}, {who[1]} {one.words(one.other)}."
    if not one.spoilt:
        words += " They differ."
    elif rule:
        if one.name in repaired:
            words += f" The rule repairs the {'nan' if 'nan' in one.one else 'inf'}."
        own = [pair for pair in by["differ"] if is_bad(size_of(pair.other)) and not is_bad(size_of(pair.one))]
        if own:
            word = "nan" if any("nan" in pair.other for pair in own) else "inf"
            words += f" The {word}{f' of {joined(own)}' if len(pairs) > 1 else ''} is the rule's own."
    return Point(words + end, bad)


def judged(start: str, pairs: list[Pair], table: Sequence[CompareRow], row: CompareRow, who: Sequence[str]) -> str:
    """The sentence of the worst row: what both send, unless it is the same, and the verdict that the table has."""
    live = [other for other in table if other.kind != "neither"]
    pair = next((pair for pair in pairs if pair.name == row.argument), None)
    sent = [pair.one, pair.other] if pair else ["nothing" if n is None else short(n) for n in (row.first, row.second)]
    verdict, of = row.verdict, f" of {row.argument}" if len(live) > 1 else ""
    if row.agree and row.kind.startswith("both right"):
        same = f"those of {names_in_a_row([r.argument for r in live])}" if len(live) > 1 else signed(sent[1])
        extra = f" {capital_of(verdict)}." if row.kind != "both right" else ""
        return f"{start}, and they agree: {same}.{extra}"
    right = [r.argument for r in live if r.kind.startswith("both right") and r.agree and r is not row]
    end = f" Those of {names_in_a_row(right)} agree." if right else ""
    if row.agree:
        same = pair.words(pair.other) if pair else signed(sent[1])
        return f"{start}{of}, the same here: {same}. {capital_of(verdict)}.{end}"
    words = [pair.words(text) for text in sent] if pair else sent
    spoilt = [bool(text) and text != "nothing" and is_bad(size_of(text)) for text in sent]
    rule = who[1] == "the rule"
    if rule and row.kind == "repaired" and spoilt[0]:
        tail = f"The rule repairs the {'nan' if 'nan' in sent[0] else 'inf'}."
    elif rule and row.kind == "broken":
        tail = f"The {'nan' if 'nan' in sent[1] else 'inf'}{of} is the rule's own."
    else:
        said = any(spoilt) or "unequal" in row.kind or row.kind.startswith("both right,") or row.kind == "many"
        tail = f"{capital_of(verdict)}." if said else f"They differ: {verdict}."
    return f"{start}{of}: {who[0]} sends {words[0]}, {who[1]} {words[1]}. {tail}{end}"


def capital_of(verdict: str) -> str:
    """A verdict as a sentence; the name of a function keeps its letters."""
    return verdict[0].upper() + verdict[1:] if verdict.split(" ")[0] in ("both", "the", "no", "not") else verdict


def pairs_of(first: Finished, second: Finished) -> list[Pair]:
    """The inputs of two passes, those of one name together; of several with one name the first with the first."""
    left = list(second.inputs)
    pairs = []
    for n in first.inputs:
        m = next((m for m in left if second.plain_name(m) == first.plain_name(n)), -1)
        if m >= 0:
            left.remove(m)
        pairs.append(Pair(first.name(n), first.scalar(n), first.gradient(n), second.gradient(m) if m >= 0 else ""))
    pairs += [Pair(second.name(m), second.scalar(m), "", second.gradient(m)) for m in left]
    return [pair for pair in pairs if pair.verdict != "none"]


def joined(pairs: list[Pair]) -> str:
    return names_in_a_row([pair.name for pair in pairs])


def values_of(first: Finished, second: Finished, names: Sequence[str], rule: bool, equal: bool) -> str:
    """How the values of two passes compare, as far as their words tell; "" where they do not."""
    one, other = first.value(first.output), second.value(second.output)
    if one == other and rule:
        return "Same value" if equal else ""
    if is_bad(size_of(one)) or is_bad(size_of(other)) or not first.scalar(first.output):
        return ""
    if one == other:
        return f"{'Same' if equal else 'Nearly the same'} value ({signed(one)})"
    short = [signed(one), signed(other)] if signed(one) != signed(other) else [one, other]
    return f"Two values, {names[0]} {short[0]} and {names[1]} {short[1]}"
