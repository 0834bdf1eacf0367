"""The student's answer and the true one in a small picture, for light and dark backgrounds.

Numbers over a range are curves, one panel for each number of a tuple; arrays (values, gradients, Jacobians) are tables
of colours, yours, the true one, and the difference; graphs are boxes and arrows. A picture stays data until it is
opened: a thousand graded answers have many, and a teacher opens few.
"""

from __future__ import annotations

import base64
import io
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..runner.budgets import work_limit
from .attempts import Attempt, both_at, prepared
from .exercises import Check
from .figures import curves, graphs, not_finite, of_graphs, of_tables, part_name, tables
from .inputs import Floats, show, shown_apart

POINTS = 121
PANELS = 4  # at most, of a tuple
DRAWN = {"curves": curves, "tables": tables, "graphs": graphs}


@dataclass(frozen=True)
class Picture:
    """A picture of a failure. kind : a name of DRAWN. data : its data as JSON. alt : its description in words."""

    kind: str
    data: dict[str, Any]
    alt: str

    @cached_property
    def address(self) -> str:
        """The drawing as a data URL; empty without matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return ""
        paper = io.BytesIO()
        with np.errstate(all="ignore"):
            DRAWN[self.kind](Figure, self.data).savefig(paper, format="png", dpi=144, metadata={"Software": None})
        return "data:image/png;base64," + base64.b64encode(paper.getvalue()).decode()

    def draw(self) -> None:
        """Make the address in this process, where matplotlib is imported already; it goes wherever the picture goes."""
        _ = self.address

    def to_json(self) -> str:
        """The picture without its words."""
        return json.dumps([self.kind, self.data])

    @classmethod
    def from_json(cls, text: str, alt: str) -> Picture:
        """The picture that `to_json` wrote."""
        kind, data = json.loads(text)
        return cls(kind, data, alt)


def beside(check: Check, answer: Any, failed: Attempt) -> Picture | None:
    """The picture of a failure; None if there is none."""
    if failed.different is not None:
        drawn = of_graphs(failed.got, failed.want, failed.different)
        return Picture("graphs", *drawn) if drawn else None
    wanted = _parts(failed.want)
    if not wanted or len(wanted) != len(_parts(failed.got)) or len(wanted) > PANELS:
        return None
    arrays = [x for x in (*wanted, *failed.inputs) if isinstance(x, np.ndarray)]
    if any(map(np.ndim, arrays)):
        if not any(map(np.ndim, wanted)):
            return None  # tables of one number
        return Picture("tables", *of_tables(check, _parts(failed.got), wanted))
    if not check.vary or not isinstance(check.vary[0], Floats):
        return None
    xs, yours, true = _curves(check, answer, failed, len(wanted))
    if len(xs) < 10:
        return None
    data = {
        "xs": xs.tolist(), "yours": yours.tolist(), "true": true.tolist(), "at": float(failed.inputs[0]),
        "x": check.names[0], "what": check.what, "wanted": check.word.format(check.what),
        "parts": [part_name(check, i, len(wanted)) for i in range(len(wanted))],
    }  # fmt: skip
    return Picture("curves", data, _alt(check, failed, xs, yours, true))


def _parts(value: Any) -> list[Any]:
    """The numbers or arrays of an answer: its items if it is a tuple; nothing if it holds anything else.

    A list of numbers is an array.
    """
    items = list(value) if isinstance(value, (tuple, list)) else [value]
    numeric = (isinstance(x, (int, float, np.number, np.bool_, np.ndarray)) for x in items)
    if not all(numeric) or any(np.asarray(x).dtype.kind not in "fiub" for x in items):
        return []
    return [np.asarray(value)] if isinstance(value, list) and value and not any(map(np.ndim, items)) else items


def _curves(check: Check, answer: Any, failed: Attempt, width: int) -> tuple[Any, Any, Any]:
    """The first input over its range, and for it your numbers and the true ones, in one column for each part."""
    domain, at = check.vary[0], failed.inputs[0]
    low, high = _range_to_draw(domain, float(at))
    up = work_limit(1.0)
    answer, rows = prepared(check, answer), []
    for x in sorted({*np.linspace(low, high, POINTS).tolist(), float(at)}):
        got, want, in_time = both_at(check, answer, (float(x), *failed.inputs[1:]), 0.2, failed.dtype)
        if not in_time or up():
            break
        rows.append([float(x), *_numbers(got, width), *_numbers(want, width)])
    columns = np.array(rows).reshape(-1, 1 + 2 * width)
    return columns[:, 0], columns[:, 1 : width + 1], columns[:, width + 1 :]


def _numbers(value: Any, width: int) -> list[float]:
    parts = _parts(value)
    return [float(x) for x in parts] if len(parts) == width and not any(map(np.ndim, parts)) else [np.nan] * width


def _range_to_draw(domain: Floats, at: float) -> tuple[float, float]:
    """The range to draw: the whole range, or a part around the failure if it is wide."""
    if domain.high - domain.low <= 40:
        return domain.low, domain.high
    reach = max(8.0, 1.6 * abs(at))
    return max(domain.low, -reach), min(domain.high, reach)


def _alt(check: Check, failed: Attempt, xs: Any, yours: Any, true: Any) -> str:
    """The description of the curves in words."""
    first, *rest = check.names
    fixed = "".join(f", {name} = {show(x)}" for name, x in zip(rest, failed.inputs[1:]))
    got, want = shown_apart(failed.got, failed.want)
    words = [
        f"The {check.word.format(check.what)} (broad line) and yours (dashed)"
        f" for {first} from {show(xs[0])} to {show(xs[-1])}{fixed}.",
        f"At {first} = {show(failed.inputs[0])} yours is {got} and the {check.word.format('one')} {want}.",
    ]
    for i in range(yours.shape[1]):
        bad = ~np.isfinite(yours[:, i]) & np.isfinite(true[:, i])
        if bad.any():
            where = f"for {first} from {show(xs[bad].min(), 4)} to {show(xs[bad].max(), 4)}"
            whose = "Yours" if yours.shape[1] == 1 else f"Your {part_name(check, i, yours.shape[1])}"
            words.append(f"{whose} is {not_finite(yours[bad, i])} {where if bad.sum() > 1 else 'there'}.")
    return " ".join(words)
