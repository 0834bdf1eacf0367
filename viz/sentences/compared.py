"""The sentence about the worst row of a comparison's table, for Python and for the page.

This file is translated to static/compared.js.
"""

from __future__ import annotations

from typing import Any

LISTED = 4  #: maximum number of names in a list, and of numbers written for an array
FIRST = ("the", "that", "no", "each", "both", "not")  #: first words that get a capital letter; a name keeps its letters
BOTH = "{start}{of}: {who 0} sends {sent 0}, {who 1} {sent 1}."
#: Kind of the worst row in the table -> the sentence about the two passes.
SENTENCES = {
    "agree": "{start}, and they agree here: {same}.",
    "agree, but": "{start}, and they agree here: {same}. {Verdict}.",
    "the same here": "{start}{of}, the same here: {same}. {Verdict}.",
    "repaired": "{both} The rule repairs the {bad 0}.",
    "broken": "{both} The {bad 1}{of} is the rule's own.",
    "judged": "{both} {Verdict}.",
    "differ": "{both} They differ: {verdict}.",
    "another slope": "{both} The derived pass is right here, the rule is not.",
    "second wrong": "{both} Here {who 0} is right.",
    "first wrong": "{both} Here {who 1} is right.",
    "unlike": "{both} They differ.",
    "unknown": "{both}",
}
NOTHING = "Neither pass sends a gradient to an input."


def capital(text: str) -> str:
    return text[0].upper() + text[1:] if text.split(" ")[0] in FIRST else text


def names_in_a_row(names: Any) -> str:
    """Return a list of names such as "x, y, z and 3 more"."""
    count = len(names)
    if count > LISTED:
        return ", ".join(names[: LISTED - 1]) + " and " + str(count - LISTED + 1) + " more"
    if count < 2:
        return names[0] if count > 0 else ""
    return ", ".join(names[: count - 1]) + " and " + names[count - 1]


def compared(value: str, rule: bool, who: Any, table: Any) -> str:
    """Compare the gradients of two passes in a sentence about the worst row of their table.

    value : a phrase about the values of both passes, or "". rule : whether they are the derived pass and a custom rule.
    who : what each of them is called. table : rows as objects with these fields:

    argument, kind, verdict, agree : as in `CompareRow`. rank : place of the kind, from the worst to the best.
    sent : both gradients as text. same : the second one as text. bad : for each, "nan", "inf" or "".
    repeats : whether the verdict adds nothing to the two gradients. unlike : whether they differ, if `kind` is "".
    """
    rows = [row for row in table if row["kind"] != "neither"]
    if len(rows) == 0:
        return value + ". " + NOTHING if value != "" else NOTHING
    row = rows[0]  # the worst decides the sentence, because a reader looks for what is wrong
    for other in rows:
        if other["rank"] < row["rank"]:
            row = other
    kind = found_in(row, rule)
    agreeing = names_in_a_row([other["argument"] for other in rows if found_in(other, rule).find("agree") == 0])
    several = len(rows) > 1
    holes = {
        "both": BOTH,
        "start": value + ", two gradients" if value != "" else "Two gradients",
        "of": " of " + row["argument"] if several else "",
        "who 0": who[0], "who 1": who[1], "sent 0": row["sent"][0], "sent 1": row["sent"][1],
        "bad 0": row["bad"][0], "bad 1": row["bad"][1],
        "same": "those of " + agreeing if several and kind.find("agree") == 0 else row["same"],
        "verdict": row["verdict"], "Verdict": capital(row["verdict"]),
    }  # fmt: skip
    words = SENTENCES[kind]
    for hole in list(holes):
        words = words.replace("{" + hole + "}", holes[hole])
    more = agreeing != "" and kind.find("agree") != 0
    return words + " The gradients of " + agreeing + " agree." if more else words


def found_in(row: Any, rule: bool) -> str:
    """Return the key of `SENTENCES` for a row. rule : whether the passes are derived and custom."""
    kind, bad = row["kind"], row["bad"][0] != "" or row["bad"][1] != ""
    right = kind.find("both right") == 0
    if kind == "":
        return "unlike" if row["unlike"] else "unknown"
    if row["agree"]:
        return "the same here" if not right else "agree" if kind == "both right" else "agree, but"
    if rule and (kind == "broken" or (kind == "repaired" and row["bad"][0] != "")):
        return kind
    if kind in list(SENTENCES) and row["repeats"]:
        return kind
    return "judged" if bad or right or kind == "many" or kind.endswith("unequal") else "differ"
