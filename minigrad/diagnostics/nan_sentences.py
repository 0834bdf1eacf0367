"""The report on the origin of a nan or inf, as data, as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..core.support.shown_names import ShownNames
from ..tracing.trace_schema import BackwardTrace, Num
from ..tracing.user_lines import SourceLine
from .lost_digits import LostDigits
from .origins import CURE, NanOrigin
from .repair_report import NOTHING, USED, Repair, report_html, saved_page


@dataclass(frozen=True, repr=False)
class NanReport(ShownNames):
    """A report on the origin of a computation's first nan, or, without a nan, of its first inf.

    The report is false if the computation has neither.

    phase : "forward" if the origin is the value of a node, "backward" if it is a message of the backward pass.
    word : "nan" or "inf".
    kind : "0 * inf", "inf - inf", "0 * inf or inf - inf", "0 / 0", "domain", "overflow" or others.
    op : the op where the nan or inf first appears.
    factors : for a message, its two factors: the upstream gradient and the local derivative; for the value of a node,
        the arguments of the node.
    reaches : the inputs whose gradients become nonfinite because of this origin.
    what : a phrase that lists the nonfinite value and gradients.
    sentence : the reason.
    line : the user's line.
    repair : the cause, and what to write instead, if a rewrite of the program passed all checks; see `Repair`.
    origins : all origins in the backward pass.
    trace : the backward pass itself.
    ends : the ids, in the trace, of the inputs in `reaches`, and -1 if this origin makes the value nonfinite.
    node : the id of the origin's node.
    within : the module, or the iteration of a loop, that contains the node.
    first : a sentence about the first number that exceeded the range of its dtype on the way to a nan.
    outgrown : the dtype of this number.
    lost : for a finite program, the gradient that differs most from its value in float64.
    others : reports on inputs that this origin does not reach.

    >>> import minigrad as mg
    >>> report = mg.find_nan(lambda x: mg.log(1 + mg.exp(x)), 100.0)
    >>> report.phase, report.word, report.kind, report.op
    ('backward', 'nan', '0 * inf', 'exp')
    """

    phase: str
    word: str
    kind: str
    op: str
    factors: tuple[Num | None, ...]
    reaches: tuple[str, ...]
    sentence: str
    line: SourceLine | None
    origins: tuple[NanOrigin, ...]
    trace: BackwardTrace
    repair: Repair = field(default_factory=Repair)
    ends: frozenset[int] = frozenset()
    node: int = -1
    others: tuple[NanReport, ...] = ()
    within: str = ""
    first: str = ""
    outgrown: str = ""
    what: str = ""
    lost: LostDigits | None = None

    _shared = frozenset({"ends", "head", "node", "outgrown", "rest"})

    def __bool__(self) -> bool:
        return bool(self.word)

    @property
    def harmless(self) -> bool:
        """Whether the value and all gradients are finite despite the nan or inf."""
        return self.repair.words in (NOTHING, USED)

    def head(self) -> list[str]:
        """Return the first sentences: the nonfinite numbers, where the nan or inf begins, and why.

        They also name the line and the module of the origin, and the first inf on the way to it.
        """
        if not self:
            return [self.sentence]
        lines = [f"{self.what}."] if self.what else []
        sentence = self.sentence.partition(CURE)[0] if self.harmless else self.sentence
        lines += [f"{self.word} first appears in the {self.phase} pass ({self.kind}): {sentence}."]
        lines += [self._computed(self.line)] if self.line else []
        lines += [f"It is in {self.within}."] if self.within else []
        lines += [self.first] if self.first else []
        return lines + ([f"It reaches {listed(self.reaches)}."] if self.reaches and not self.what else [])

    def rest(self) -> list[str]:
        """Return the cause, unless the head already states it, and a sentence about a repair."""
        stated = self.repair.op == self.op and self.repair.reason not in ("input", "weights")
        # If an argument outside a domain causes an inf / inf, the cause is a different division, not stated so far.
        stated = stated and not (self.kind == "inf / inf" and self.repair.reason == "domain")
        stated = stated or f": {self.repair.op} returns inf: " in self.first
        # The sentence about the first inf has already stated the cause.
        stated = stated or bool(self.outgrown and self.repair.reason == "overflow")
        return [*filter(None, ["" if stated else self.repair.cause, self.repair.more])] if self else []

    def sentences(self) -> list[str]:
        """Return the head and the rest of this report and of the reports on other inputs."""
        return [line for report in (self, *self.others) for line in (*report.head(), *report.rest())]

    def _computed(self, line: SourceLine) -> str:
        """Return a sentence that names the user's line, and quotes its code unless the repair shows that already."""
        shown = any((no, old.strip()) == (line.no, line.text) for _, no, old, _ in self.repair.lines)
        return f"It was computed in {line.where}" + (f": {line.text}" if line.text and not shown else ".")

    def __str__(self) -> str:
        parts = [*self.head(), self.repair.table(), *self.rest()]
        return "\n\n".join(["\n".join(filter(None, parts)), *map(str, self.others)])

    __repr__ = __str__

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the report as a page for any browser, and write it to `path` unless that is None."""
        return saved_page(self._repr_html_(), "Where the nan comes from", path)

    def _repr_html_(self) -> str:
        reports = (self, *self.others)
        return "".join(report_html(one.head(), one.repair.rows(), one.rest(), one.harmless) for one in reports)


def listed(names: Sequence[str]) -> str:
    """List the first five names, and the number of further names."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
