"""The verdict of a rule: a sentence about its worst fault, made from samples.

The file is translated to static/rule.js. A sample is an object with these fields:

x : the input.
state, value, low, high, error, rounding, bend : the function's measurements at `x`; `bend` is above 0 if the slope
    grows with `x`.
exact : the derived gradient in float64.
mine : the rule's gradient. wide : the rule's gradient in float64. doubt : how much rounding may change `wide`.
over : whether a number that the rule uses is inf in the function's dtype but not in float64.
replaced : whether the function calls a function with a custom rule.
room, least : relative differences below `room` and numbers below `least` are not judged in the function's dtype.
"""

from __future__ import annotations

from math import floor, inf, log10
from typing import Any

from minigrad.tracing.numbers import short

from ..model.tolerance import LEAST, largest, right_slopes, word_of

SAMPLES = 121  #: the number of samples along a range
NARROWED = 4  #: how often a range is narrowed at most
REACH = 20.0  #: samples are taken from -m to m; m is at least REACH, and a fifth larger than the input
FAR = [50.0, 100.0, 1e3, 1e4]  #: distances from 0 at which a rule is tried too if they are outside the range

#: Kind of verdict -> its sentence, with placeholders; ordered from the worst to the best.
SAID = {
    "nan": "wrong at {at}: nan instead of {want}{why}{and_so}",
    "inf": "wrong at {at}: {got} instead of {want}{and_so}",
    "sign": "the sign is wrong: {got} instead of {want} at {at}, and at {n} of the {all} samples",
    "transposed": "transposed: the gradient of {name} has these numbers with rows and columns exchanged",
    "wrong": "wrong at {at}: {got} instead of {want}{and_so}",
    "corner wrong": "wrong at {at}: {got}, where the slope is {left} to the left and {right} to the right: any "
    "number between is a fair answer{and_so}",
    "forgets": "it forgets {upstream}: for {seed} it gives {got} instead of {want}{where}",
    "upstream": "wrong for {seed}: {got} instead of {want} at {at}",
    "others": "wrong for {at}: {got} instead of {want}",
    "rounded": "lost to {how} at {at}: {got} instead of {want}, and right in float64{and_so}",
    "rounded others": "lost to {how} for {at}: {got} instead of {want}, and right in float64",
    "blurred": "not sure at {at}: {got} instead of {want}, perhaps by rounding",
    "corner": "fair at {at}, where the slope is {left} to the left and {right} to the right: any number between is a "
    "fair answer{alone}, and this is {got}{only}",
    "right here": "right at {at}: {got}{derived}{only}",
    "right": "right at all {n} samples{sure} from {low} to {high}{only}",
    "most right": "right at {n} of the {all} samples{and_so}{only}",
    "far": "but not everywhere: {got} instead of {want} at {at}",
    "unknown here": "the slope is not sure at {at}",
    "unknown": "the slope is not sure at any sample",
    "value": "the value itself is {value} at {at}, which no gradient rule repairs",
}  # fmt: skip


def span(x: float, dtype: str) -> Any:
    """Return the range (low, high) of samples for an input `x`. dtype : "e", "f" or "d"."""
    far = max(REACH, 1.2 * abs(x)) if abs(x) < 1e30 else REACH
    digits = floor(log10(far))
    unit = 10.0**digits / 2
    edge = unit * floor(far / unit + 0.999)
    if dtype == "e" and edge > 65504:  # 65504 is the largest float16
        edge = 65504.0
    return [-edge, edge]


def narrowed(low: float, high: float, x: float, inside: Any) -> Any:
    """Return the part of a range where the function has values, if that is a small part around `x`.

    inside : the samples along the range where the function has values. If they are at least a quarter of all
        samples, the result is the same range.
    """
    if 4 * len(inside) >= SAMPLES:
        return [low, high]
    step = (high - low) / (SAMPLES - 1)
    first, last = min([x, *inside]) - step, max([x, *inside]) + step
    unit = 10.0 ** floor(log10(last - first)) / 10
    return [max(low, unit * floor(first / unit)), min(high, -unit * floor(-last / unit))]


def outside(low: float, high: float) -> Any:
    """Return the inputs outside a range at which a rule is tried too."""
    return [x for x in [*FAR, *[-far for far in FAR]] if x < low or x > high]


def moved(x: float, n: int, place: int) -> float:
    """Return the value of the `n`-th entry of all inputs at another place; `place` is 1 or 2, and 0 is `x` itself."""
    if place == 0:
        return x
    start = x if abs(x) < inf else 0.0
    part = (0.7 if place == 1 else -0.45) * (1 + 0.31 * ((3 * n) % 4))
    return start + part * max(1.0, abs(start))


def placed(names: Any, values: Any, k: int) -> str:
    """Describe a place where all inputs have other values. names, values : of all entries. k : the entry to begin with.

    >>> placed(["x", "w"], [1.5, 2.0], 1)
    'w = 2, x = 1.5'
    """
    each = [names[i] + " = " + short(values[i]) for i in range(len(names)) if i != k]
    first = names[k] + " = " + short(values[k])
    return first + ", with other inputs too" if len(each) > 3 else ", ".join([first, *each])


def fill(kind: str, holes: Any) -> str:
    """Return the sentence for a kind of verdict. holes : placeholder -> its text."""
    words = SAID[kind]
    for hole in list(holes):
        words = words.replace("{" + hole + "}", holes[hole])
    return words


def apart(got: float, want: float) -> Any:
    """Return two numbers as text, with the fewest digits that distinguish them."""
    for digits in [4, 6, 9, 17]:
        if short(got, digits) != short(want, digits):
            return [short(got, digits), short(want, digits)]
    return [short(got, 17), short(want, 17)]


def holes_of(row: Any, at: str) -> Any:
    """Return placeholder -> text for a sentence about a sample. at : the place of the sample, in words."""
    slope = right_slopes(row)
    if slope["low"] < slope["high"]:
        size = LEAST * largest(slope)
        low, high = [short(0.0 if abs(v) < size else v) for v in [slope["low"], slope["high"]]]
        before = low if row["bend"] > 0 else high
        mine = row["mine"]
        end = slope["low"] if mine < slope["low"] else slope["high"]
        return {
            "got": apart(mine, end)[0] if (mine - slope["low"]) * (mine - slope["high"]) > 0 else short(mine),
            "want": low if low == high else low + " to " + high,
            "at": at,
            "left": before,
            "right": high if before == low else low,
        }
    pair = apart(row["mine"], slope["low"])
    return {"got": pair[0], "want": pair[1], "at": at}


def far_off(row: Any) -> float:
    """Return the relative error of the rule at a sample; it is inf if the rule gives nan or inf."""
    slope = right_slopes(row)
    off = abs(row["mine"] - slope["low"])
    return off / (abs(slope["low"]) + LEAST) if off == off else inf


def worst_of(some: Any) -> Any:
    """Return the sample with the largest error; among equal errors, the sample nearest to 0."""
    best = some[0]
    for row in some:
        if far_off(row) > far_off(best) or (far_off(row) == far_off(best) and abs(row["x"]) < abs(best["x"])):
            best = row
    return best


def turned_word(row: Any) -> str:
    """Return the state (see `word_of`) that the rule would have at a sample if its sign were the opposite."""
    return word_of({**row, "mine": -row["mine"], "wide": -row["wide"]})


def lost_to(row: Any) -> str:
    """Return the likely reason why a rule that is right in float64 lost its digits."""
    return "overflow or rounding" if row["over"] else "rounding"


def judged(name: str, here: Any, rows: Any, more: Any) -> Any:
    """Return the verdict of a rule, about its worst fault, as `kind` and `words`.

    name : name of the entry along which the samples are taken. here : the sample at the present input. rows : the
        samples along the entry.
    more : an object with these fields:

        value : the function's value if it is nan or inf, else "". derived : the derived gradient at the present input.
        seeds : samples for other upstream gradients, each with `seed` as text, the `name` of the entry, and its
            `place` in words. `forgets` is the upstream gradient that the rule does not use, or "".
        away : such samples at places where all inputs have other values.
        others : samples of the other entries, each with `name` and `seeds`.
        transposed : whether the whole gradient of `array` is transposed.
        far : samples outside the range, and at places where all inputs have other values, each with its `place`.
        why(row) : the operation that makes a nan. alone : whether this is the only entry.
    """
    parts: list[Any] = []
    at = name + " = " + short(here["x"])
    words = [word_of(row) for row in rows]
    sure = [row for row in rows if right_slopes(row) is not None]
    now = word_of(here)
    off = len([word for word in words if word in ("wrong", "rounded")])
    turned = [turned_word(row) for row in sure if abs(right_slopes(row)["low"]) > LEAST or word_of(row) == "wrong"]
    flipped = [word for word in turned if word == ""]
    lost = [word for word in turned if word in ("rounded", "blurred")]
    sign = now == "wrong" and turned_word(here) == "" and len(flipped) > 2 and len(flipped) + len(lost) == len(turned)
    bent = right_slopes(here) is not None and right_slopes(here)["low"] < right_slopes(here)["high"]
    for kind in ["nan", "inf", "wrong", "rounded", "blurred"]:
        some = [row for row in rows if word_of(row) == kind]
        if kind in ("wrong", "rounded", "blurred") and (sign or more["transposed"]):
            continue
        if now != kind and (len(some) == 0 or kind == "blurred"):  # uncertain samples are counted, but decide nothing
            continue
        worst = here if now == kind else worst_of(some)
        holes = holes_of(worst, at if now == kind else name + " = " + short(worst["x"]))
        holes["why"] = ""
        holes["and_so"] = ""
        holes["how"] = lost_to(worst)
        if kind == "nan":
            why = more["why"](worst)
            holes["why"] = ", because " + why if why != "" else ""
        more_at = [row["x"] for row in some if row["x"] != worst["x"]]
        rest = len(more_at)
        if rest == 1:
            holes["and_so"] = "; also at " + name + " = " + short(more_at[0])
        if rest > 1:
            far = short(min(more_at)) + " to " + short(max(more_at))
            count = str(rest) + (" more" if len(some) > rest else "")  # the sample in the sentence is not counted again
            holes["and_so"] = "; also at " + count + " of the " + str(len(rows)) + " samples, from " + far
        if rest > 0 and rest == len([row for row in rows if row["x"] != worst["x"]]):
            holes["and_so"] = "; also at all " + str(len(rows)) + " samples"
        corner = kind == "wrong" and right_slopes(worst)["low"] < right_slopes(worst)["high"]
        parts.append(["corner wrong" if corner else kind, fill("corner wrong" if corner else kind, holes)])
    if sign:
        parts.append(["sign", fill("sign", {**holes_of(here, at), "n": str(off), "all": str(len(rows))})])
    if more["transposed"]:
        parts.append(["transposed", fill("transposed", {"name": more["array"]})])
    others_off = [row for row in more["others"] if word_of(row) not in ("", "unknown", "blurred")]
    worse = [row for row in others_off if word_of(row) != "rounded"]
    if len(others_off) > 0 and not more["transposed"]:
        how = "others" if len(worse) > 0 else "rounded others"
        other = worse[0] if len(worse) > 0 else others_off[0]
        parts.append([how, fill(how, {**holes_of(other, other["name"]), "how": lost_to(other)})])
    wrong_there = len([part for part in parts if part[0] in ("nan", "inf", "wrong", "corner wrong")]) > 0
    seeds = [row for row in more["seeds"] if row["x"] == here["x"] or not wrong_there]
    seeds = [] if now in ("wrong", "nan") or sign else [row for row in seeds if word_of(row) == "wrong"]
    for other in [] if more["transposed"] else more["others"]:
        if word_of(other) not in ("nan", "inf", "wrong"):
            seeds = [*seeds, *[row for row in other["seeds"] if word_of(row) == "wrong"]]
    if len(seeds) == 0 and now not in ("wrong", "nan") and not sign and not more["transposed"]:
        seeds = [row for row in more["away"] if word_of(row) == "wrong"]
    missed = [row for row in seeds if row["forgets"] != "" and largest(right_slopes(row)) > LEAST]
    if len(seeds) > 0:
        row = missed[0] if len(missed) > 0 else seeds[0]
        how = "forgets" if len(missed) > 0 else "upstream"
        where = "" if row["name"] == name and row["x"] == here["x"] else " at " + row["place"]
        holes = {**holes_of(row, row["place"]), "seed": row["seed"], "upstream": row["forgets"], "where": where}
        parts.append([how, fill(how, holes)])
    only = " for " + here["seed"] if len(seeds) > 0 else ""  # what follows holds for this upstream gradient
    order = list(SAID)
    parts.sort(key=lambda part: order.index(part[0]))
    kind = parts[0][0] if len(parts) > 0 else ""
    good = len([word for word in words if word == ""])
    unsure = len([word for word in words if word in ("unknown", "blurred")])
    and_so = ", wrong at " + str(off) + " of them" if more["transposed"] and off > 0 else ""
    and_so += ", not sure at " + str(unsure) + " of them" if unsure > 0 else ""
    if now == "unknown":
        parts.append(["unknown here", fill("unknown here", {"at": at})])
    elif now == "" and bent:
        holes = {**holes_of(here, at), "alone": "" if more["alone"] else " for " + name + " alone", "only": only}
        parts.append(["corner", fill("corner", holes)])
    elif now == "" and not more["transposed"]:
        nan_derived = ", where the derived rule gives " + short(more["derived"])
        repaired = "" if abs(more["derived"]) < inf else nan_derived
        holes = {"got": short(here["mine"]), "at": at, "derived": repaired, "only": only}
        parts.append(["right here", fill("right here", holes)])
    if len(sure) == 0:
        parts.append(["unknown", SAID["unknown"]])
    elif good == len(sure):
        limit = "" if good == len(rows) else " where the slope is sure, of " + str(len(rows))
        range_holes = {"low": short(rows[0]["x"]), "high": short(rows[len(rows) - 1]["x"])}
        parts.append(["right", fill("right", {**range_holes, "n": str(good), "sure": limit, "only": only})])
        for row in [row for row in more["far"] if word_of(row) in ("nan", "inf", "wrong")]:
            # A slope that the function's dtype cannot hold is no fault of the rule.
            if kind == "" and largest(right_slopes(row)) * float(row["least"]) < 1:
                kind = "far"
                parts.append([kind, fill(kind, holes_of(row, row["place"]))])
    elif good > 0 or and_so != "":
        holes = {"n": str(good), "all": str(len(rows)), "and_so": and_so, "only": only}
        parts.append(["most right", fill("most right", holes)])
    if more["value"] != "":
        parts.append(["value", fill("value", {"value": more["value"], "at": at})])
    text = "; ".join([part[1] for part in parts]) + "."
    if kind == "":
        kind = "right" if parts[0][0] == "right here" else parts[0][0]
    return {"kind": kind, "words": text[0:1].upper() + text[1:]}
