"""The result of a gradient check, printed as a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from itertools import chain

from ..core.support.error_words import visible
from ..tracing.table import Table


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
    """One compared derivative: its name, and its value according to the rules and to finite differences."""

    name: str
    analytic: float
    numeric: float
    wrong: bool


@dataclass
class GradientCheck:
    """The outcome of `check_gradients`. It prints as a table, also in a notebook.

    ok : whether derivatives were compared and all of them agree. rows : the compared derivatives, of all orders.
    surrogate : the name of the surrogate, whose finite differences were compared instead of the function's, or "".
    left_out : the derivatives that could not be compared, each with the reason, such as a kink.
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

    def _head(self) -> str:
        if not self.rows and not self.findings:
            return f"The gradient of {self.name} was not checked: nothing could be compared."
        head = "is wrong" if self.findings else "agrees with finite differences"
        if self.surrogate:
            head = f"{'is not' if self.findings else 'is'} that of its surrogate {self.surrogate}"
        compared = "1 number" if len(self.rows) == 1 else f"{len(self.rows)} numbers"
        return f"The gradient of {self.name} {head} ({compared} compared)."

    def _shown(self) -> tuple[list[Row], str]:
        """Return the first twelve rows (only wrong rows, if there are any), and a note that counts the other rows."""
        rows = [row for row in self.rows if row.wrong] or self.rows
        return rows[:12], f"and {len(rows) - 12} more" if len(rows) > 12 else ""

    def _sentences(self) -> list[list[str]]:
        groups = (("Wrong", self.findings), ("Left out", self.left_out), ("Note", self.remarks))
        return [[f"{title}: {text}" for text in texts[:6]] for title, texts in groups]

    def __str__(self) -> str:
        rows, more = self._shown()
        width = max((len(row.name) for row in rows), default=0)
        lines = [self._head()]
        if rows:
            lines += ["", f"  {'entry':{width}} | {'analytic':>13} | {'numeric':>13} | {'difference':>13}"]
            lines += [
                f"  {r.name:{width}} | {r.analytic:13.7g} | {r.numeric:13.7g} | {r.analytic - r.numeric:13.3g}"
                for r in rows
            ]
            lines += [f"  {more}"] if more else []
        for texts in self._sentences():
            lines += [""] * bool(texts) + texts
        return "\n".join(map(visible, lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows, more = self._shown()
        cells = [
            (visible(row.name), f"{row.analytic:.7g}", f"{row.numeric:.7g}", f"{row.analytic - row.numeric:.3g}")
            for row in rows
        ]
        table = Table(("entry", "analytic", "numeric", "difference"), cells)._repr_html_() if cells else ""
        above, *below = (
            f"<p>{escape(visible(text), quote=False)}</p>"
            for text in (self._head(), *filter(None, [more]), *chain(*self._sentences()))
        )
        return f'<div dir="ltr">{above}{table}{"".join(below)}</div>'
