"""The result of a check of gradients, as a table that can be printed."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..core.support.error_words import visible


class GradientError(AssertionError):
    """Raised if a gradient disagrees with finite differences; the message is the report.

    >>> import minigrad as mg
    >>> try:
    ...     mg.check_gradients(mg.custom_gradient(lambda x: (x * x, lambda dy: dy * x)), 3.0)
    ... except mg.GradientError as error:
    ...     print("wrong" in str(error))
    True
    """


@dataclass
class Row:
    """One compared number: its name, its derivative by the rules, and its derivative by finite differences."""

    name: str
    analytic: float
    numeric: float
    wrong: bool


@dataclass
class GradientCheck:
    """The outcome of `check_gradients`. `print(check)` shows it as a table.

    ok : whether numbers were compared and all of them agree. rows : the numbers compared, of all orders.
    surrogate : the name of the function whose finite differences were used instead, if one was given.
    left_out : entries that could not be compared, each with the reason: a kink, or a value nearby that is not finite.
    findings : sentences about errors. remarks : all other sentences.

    >>> import minigrad as mg
    >>> check = mg.check_gradients(mg.sin, 0.5)
    >>> check.ok, check.name
    (True, 'sin')
    """

    name: str
    surrogate: str = ""
    rows: list[Row] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return bool(self.rows) and not self.findings

    def __str__(self) -> str:
        head = "is wrong" if self.findings else "agrees with finite differences"
        if self.surrogate:
            head = f"{'is not' if self.findings else 'is'} that of its surrogate {self.surrogate}"
        wrong = [row for row in self.rows if row.wrong]
        shown = (wrong or self.rows)[:12]
        width = max((len(row.name) for row in shown), default=0)
        compared = "1 number" if len(self.rows) == 1 else f"{len(self.rows)} numbers"
        lines = [f"The gradient of {self.name} {head} ({compared} compared)."]
        if not self.rows and not self.findings:
            lines = [f"The gradient of {self.name} was not checked: nothing could be compared."]
        if shown:
            lines += ["", f"  {'entry':{width}} | {'analytic':>13} | {'numeric':>13} | {'difference':>13}"]
            lines += [
                f"  {r.name:{width}} | {r.analytic:13.7g} | {r.numeric:13.7g} | {r.analytic - r.numeric:13.3g}"
                for r in shown
            ]
            more = len(wrong or self.rows) - len(shown)
            lines += [f"  and {more} more"] if more else []
        for title, texts in (("Wrong", self.findings), ("Left out", self.left_out), ("Note", self.remarks)):
            lines += [""] * bool(texts) + [f"{title}: {text}" for text in texts[:6]]
        return "\n".join(map(visible, lines))

    __repr__ = __str__
