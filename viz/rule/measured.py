"""Measure the slope of a function of one number from its values, for comparisons and rules in a page.

This file is translated to static/measured.js. `minigrad.diagnostics.measured_slopes` does the same for arrays, with
more care.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

EPSILON = 2.3e-16


def estimated(f: Callable[[float], float], here: float, h: float) -> Any:
    """Estimate the slope of `f` at 0 from its values at the steps `h` and `h / 2` on both sides. here : f(0)."""
    up, down = f(h), f(-h)
    upper, lower = f(h / 2), f(-h / 2)
    wide, middle = (up - down) / (2 * h), (upper - lower) / h
    right = (4 * (upper - here) - (up - here)) / h
    before = (4 * (here - lower) - (here - down)) / h
    total = up + down + upper + lower + here
    finite = abs(total) < inf
    bend = abs((upper - 2 * here + lower) * 2 - (up - 2 * here + down) / 2) / h
    return {
        "value": (4 * middle - wide) / 3, "left": before, "right": right, "h": h, "finite": finite,
        "size": max(abs(here), abs(up), abs(down), abs(upper), abs(lower)) if finite else nan,
        "moved": max(abs(up - here), abs(down - here)) if finite else nan,
        "gap": 2 * abs(wide - middle) + 3 * bend,
    }  # fmt: skip


def noise(estimate: Any) -> float:
    """Return how much rounding may change the slopes on the left and on the right of 0."""
    return 64 * EPSILON * float(estimate["size"]) / float(estimate["h"])


def uncertain(estimate: Any) -> float:
    """Return the uncertainty of a measured slope."""
    return float(estimate["gap"]) + 4 * EPSILON * float(estimate["size"]) / float(estimate["h"])


def vague(estimate: Any, claim: float) -> bool:
    """Return whether a measured slope is too uncertain to be used. claim : the expected size of the slope."""
    return uncertain(estimate) > 2.5e-3 * max(abs(estimate["value"]), claim, 1e-3 * estimate["moved"] / estimate["h"])


def unmeasured(state: str, value: float) -> Any:
    return {"state": state, "value": value, "low": nan, "high": nan, "error": 0.0, "rounding": 0.0}


def measured(f: Callable[[float], float], unit: float, claim: float) -> Any:
    """Measure the slope of `f` at 0; return a dict with its "value", its "error" and, at a kink, its "low" and "high".

    "state" is the reason why there is no slope, or "". A second, much smaller step shows whether the function bends
    within the first step. unit : the size of a step of 1. claim : the expected size of the slope.
    """
    here, step = f(0.0), 1e-4 * unit
    now = estimated(f, here, step)
    few = 1e-2 * now["moved"] / now["h"] if now["gap"] < 1e-6 else 0.0
    smooth = now["gap"] <= 1e-3 * abs(now["value"]) + noise(now) + few
    if not smooth and now["gap"] * now["h"] > 4e-6 * now["size"]:  # rounding may cause a smaller gap
        coarse, close = now, estimated(f, here, step / 256)
        apart = abs(close["right"] - close["left"])
        bent = apart > 0.5 * abs(coarse["right"] - coarse["left"]) and apart > noise(close)
        if not close["finite"]:
            return unmeasured("edge", nan)
        if bent and close["moved"] > 0.4 * coarse["moved"]:
            return unmeasured("jump", coarse["value"])
        rounding = 4e-7 * close["size"] / unit
        size = max(abs(close["left"]), abs(close["right"]))
        if bent and size > 3 * max(abs(coarse["left"]), abs(coarse["right"])):
            return unmeasured("steep", nan)
        if bent:
            low, high = min(close["left"], close["right"]), max(close["left"], close["right"])
            return {"state": "", "value": coarse["value"], "low": low, "high": high, "error": 0.0, "rounding": rounding}
        grown = abs(close["value"] - coarse["value"]) > 0.1 * abs(close["value"])
        if close["gap"] > 0.1 * abs(close["value"]) and grown:
            return unmeasured("steep", nan)
        now = close
    k = 1
    while k <= 4 and now["finite"] and vague(now, claim):
        wider = estimated(f, here, step * 4**k)
        if uncertain(wider) < uncertain(now):
            now = wider
        k += 1
    error, rounding = uncertain(now), 4e-7 * now["size"] / unit
    if now["finite"] and vague(now, claim) and claim * unit > 1e-14 * now["size"]:
        return {**unmeasured("noise", nan), "error": error, "rounding": rounding}
    state = "" if now["finite"] else "edge"
    return {
        "state": state,
        "value": now["value"],
        "low": now["value"],
        "high": now["value"],
        "error": error,
        "rounding": rounding,
    }
