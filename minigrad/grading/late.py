"""The deduction for late work: a rule as data, and its effect in a sentence."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass

DAY = 86_400.0


@dataclass(frozen=True)
class LateRule:
    """The late rule of an assignment.

    due : seconds since 1970, None for no deadline. percent : the deduction for each day, or part of a day, after the
        deadline.
    grace : minutes after the deadline without a deduction. cap : the largest deduction in percent. days : the number of
        days for which late work is accepted, None for no limit; later work counts 0. free : the number of late days
        without a deduction in the whole course, used for the earliest deadlines first.
    """

    due: float | None = None
    percent: float = 0.0
    grace: float = 0.0
    cap: float = 100.0
    days: float | None = None
    free: float = 0.0

    @property
    def sentence(self) -> str:
        """The rule as a sentence, or "" without a deadline.

        >>> LateRule(percent=10).sentence
        ''
        >>> LateRule(0.0, percent=10, grace=30).sentence.partition("; ")[2]
        'deduction for late work: 10 % for each day or part of a day, after 30 min of grace'
        """
        if self.due is None:
            return ""
        parts = [f"{self.percent:g} % for each day or part of a day"]
        parts += [f"at most {self.cap:g} %"] * (self.cap < 100)
        parts += [f"after {self.grace:g} min of grace"] * (self.grace > 0)
        parts += [f"after {_days(self.free)} in the course that are free"] * (self.free > 0)
        parts = parts if self.percent else ["none"]
        parts += [f"late work is accepted for {_days(self.days)}"] if self.days is not None else []
        return f"due {moment(self.due)}; deduction for late work: {', '.join(parts)}"

    def free_days(self, received: float | None, used: float) -> float:
        """Return the number of free days that a submission uses, if `used` days were used for earlier deadlines."""
        late = received - self.due if received is not None and self.due is not None else 0.0
        return min(max(0.0, self.free - used), math.ceil(late / DAY)) if late > self.grace * 60 else 0.0

    def apply(self, marks: float, received: float | None, used: float = 0.0) -> tuple[float, str]:
        """Return the marks after the deduction, and a sentence about the deduction, or "" if there is none.

        received : the time of submission in seconds since 1970, None if unknown. used : free days used for earlier
            deadlines.

        >>> LateRule(due=0.0, percent=10).apply(8.0, 86_400 * 1.5)
        (6.4, '1 day 12 h late, counted as 2 days at 10 %: deduction 20 %, 6.4 instead of 8')
        >>> LateRule(due=0.0, percent=10, grace=30).apply(8.0, 29 * 60)
        (8.0, '29 min late, within the 30 min of grace: no deduction')
        >>> LateRule(due=0.0, percent=10, free=4).apply(8.0, 86_400 * 1.5, used=1)
        (8.0, '1 day 12 h late; 2 of 4 free days used here, 1 left: no deduction')
        """
        if self.due is None:
            return marks, ""
        if received is None:
            return marks, "time not known: no deduction"
        late = received - self.due
        if late <= 0:
            return marks, ""
        if late <= self.grace * 60:
            return marks, f"{duration(late)} late, within the {self.grace:g} min of grace: no deduction"
        free = self.free_days(received, used)
        here = f"; {free:g} of {_days(self.free).replace(' ', ' free ')} used here, {self.free - used - free:g} left"
        here = here if free else ""
        if self.days is not None and late - free * DAY > self.days * DAY:
            said = f"{duration(late)} late{here}, and late work is accepted for {_days(self.days)}"
            return min(marks, 0.0), f"{said}: 0 instead of {marks:g}"
        begun = max(0, math.ceil(late / DAY - free))
        taken = min(begun * self.percent, self.cap, 100.0)
        if not taken:
            return marks, f"{duration(late)} late{here}: no deduction"
        counts = min(marks, round(marks * (1 - taken / 100), 6))  # a deduction does not raise negative marks
        most = f", at most {self.cap:g} %" if begun * self.percent > self.cap else ""
        days = f"counted as {_days(begun)} at {self.percent:g} %{most}"
        return counts, f"{duration(late)} late{here}, {days}: deduction {taken:g} %, {counts:g} instead of {marks:g}"


def moment(seconds: float) -> str:
    """Return a time in this computer's time zone, such as '2026-12-01 23:59 UTC+01:00'."""
    text = datetime.datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "minutes")
    return f"{text[:16]} UTC{text[16:]}"


def _days(number: float) -> str:
    return f"{number:g} day{'s' * (number != 1)}"


def duration(seconds: float) -> str:
    """Return a duration in its two largest units.

    >>> duration(59), duration(3 * 3600 + 61), duration(86_400 * 2)
    ('1 min', '3 h 1 min', '2 days')
    """
    # "0 min late" would not explain a deduction.
    minutes = max(1, round(seconds / 60)) if seconds < 3600 else int(seconds // 60)
    days, hours = divmod(minutes // 60, 24)
    parts = [(days, _days(days)), (hours, f"{hours} h"), (minutes % 60, f"{minutes % 60} min")]
    return " ".join([text for number, text in parts if number][:2])


def late_rule(text: str = "", due: str = "") -> LateRule:
    """Parse a rule from the command line. Raises ValueError with the expected form.

    text : the rule, as in "percent=10,grace=30,cap=50,days=7,free=4". due : an ISO date, in this computer's time zone
        by default; without a time of day it is the end of that day.

    >>> late_rule("percent=10, grace=30", "1970-01-02T00:00+00:00")
    LateRule(due=86400.0, percent=10.0, grace=30.0, cap=100.0, days=None, free=0.0)
    """
    numbers: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        try:
            numbers[name.strip()] = float(value)
        except ValueError:
            numbers[name] = math.nan  # the test below rejects it, with the message for an unknown name
        if name.strip() not in ("percent", "grace", "cap", "days", "free") or not numbers[name.strip()] >= 0:
            raise ValueError(f"{part!r} is not part of a late rule; write percent=10,grace=30,cap=50,days=7,free=4")
    if text.strip() and not due:
        raise ValueError("a late rule needs a deadline: write --due 2026-11-20T23:59 too")
    try:
        moment = datetime.datetime.fromisoformat(f"{due}T23:59:59" if is_day(due) else due).timestamp() if due else None
    except ValueError:
        raise ValueError(f"{due!r} is not a date; write it like 2026-11-20T23:59") from None
    return LateRule(moment, **numbers)


def is_day(due: str) -> bool:
    """Return whether a date has no time of day.

    >>> is_day("2026-11-20"), is_day("2026-11-20T23:59")
    (True, False)
    """
    return bool(re.fullmatch(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d-?\d", due.strip()))
