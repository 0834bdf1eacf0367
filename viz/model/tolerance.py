"""How far a gradient may be from the right slope, for the table of a comparison and for a rule in a page.

Translated to static/rule.js. A sample is an object as described in `viz.rule.rule_verdict`.
"""

from __future__ import annotations

from math import inf
from typing import Any

AGREE = 2e-3  #: relative difference up to which a measured and a derived slope, both in float64, agree
#: Type -> the relative difference that rounding may cause, and the smallest number with full precision.
ROOM = {"f": [2e-3, 1.2e-38], "d": [2e-3, 2.3e-308], "e": [2e-2, 6.2e-5]}
SHARP = 1e-5  #: relative difference that rounding may cause in float64
LEAST = 3e-11  #: error that rounding inside a function may cause in a slope measured in float64


def right_slopes(row: Any) -> Any:
    """Return the right slopes at a sample, from `low` to `high`, with a tolerance, or None if they are uncertain.

    The derived gradient in float64 counts as the slope if it agrees with the slope measured from values. If it passes
    through a custom rule, the measured slope decides.
    """
    if row["state"] != "" or row["value"] != row["value"]:
        return None
    if row["low"] < row["high"]:
        return {"low": row["low"], "high": row["high"], "slack": row["error"] + LEAST}
    size = abs(row["exact"])
    # The derived gradient may come from a custom rule, which may be wrong.
    own_rule = row["replaced"] and row["error"] <= SHARP * abs(row["value"]) + LEAST
    if own_rule or size != size or size == inf:
        return {"low": row["value"], "high": row["value"], "slack": row["error"] + LEAST}
    if abs(row["exact"] - row["value"]) > AGREE * size + row["error"] + LEAST:
        return None
    if row["error"] > AGREE * size + LEAST and row["error"] > 0.1 * size:
        return None
    if size > 0 and size <= row["error"]:  # the slope may be 0, and `exact` the rounding error of cancelling terms
        return {"low": row["exact"], "high": row["exact"], "slack": row["error"]}
    return {"low": row["exact"], "high": row["exact"], "slack": 0.0}


def beyond(v: float, slope: Any, row: Any) -> bool:
    """Return whether a gradient is outside the range of right slopes at a sample."""
    dust = row["rounding"] if largest(slope) <= LEAST else 0.0
    room = row["room"] * largest(slope) + slope["slack"] + row["least"] + dust
    return not (v >= slope["low"] - room and v <= slope["high"] + room)


def word_of(row: Any) -> str:
    """Return the state of a rule at a sample: "nan", "inf", "wrong", "unknown", "rounded", "blurred", or "" if right.

    "rounded" means that the rule is right only in float64; "blurred" means that rounding in float64 may hide whether it
    is right.
    """
    slope = right_slopes(row)
    if slope is None:
        return "unknown"
    finite = abs(row["mine"]) < inf
    if not finite and largest(slope) * row["least"] > 1:  # no rule can give a slope that the dtype cannot hold
        return "unknown"
    if row["mine"] != row["mine"]:
        return "nan"
    if not finite:
        return "inf"
    low, high, wide = slope["low"], slope["high"], row["wide"]
    if beyond(row["mine"], slope, row):
        unclear = row["doubt"] < inf and min(abs(wide - low), abs(wide - high)) <= 4 * row["doubt"]
        return "rounded" if not beyond(wide, slope, row) else "blurred" if unclear else "wrong"
    if wide != wide or abs(wide) == inf:
        return ""
    if low < high:
        sharp = SHARP * largest(slope) + LEAST + 4 * row["doubt"] + 0.1 * row["rounding"]
        return "wrong" if wide < low - sharp or wide > high + sharp else ""
    sharp = SHARP * abs(low) + LEAST + 4 * row["doubt"]
    return "wrong" if abs(wide - low) > sharp and abs(wide - row["value"]) > sharp + row["error"] else ""


def largest(slope: Any) -> float:
    return max(abs(slope["low"]), abs(slope["high"]))
