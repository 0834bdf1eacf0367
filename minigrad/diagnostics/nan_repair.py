"""A repair as data and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .nan_source import Edit


class Numbers(NamedTuple):
    """The value of a program, and the gradients and the names of its inputs."""

    value: Any
    gradients: tuple[Any, ...]
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"of {name} {_short(g)}" if name else _short(g) for name, g in zip(self.names, self.gradients[:4])]
        gradients = f", gradient {', '.join(parts)}" if parts else ""
        return f"value {_short(self.value)}{gradients}" + ", ..." * (len(self.gradients) > 4)


NOTHING = "The value and all gradients are finite all the same: nothing is to be mended"
WHY = {
    "overflow": "the result is too large for its dtype",
    "domain": "its value or its slope is not finite there",
    "masked branch": "its value or its slope is not finite, in a branch that is not selected",
    "custom rule": "its custom gradient returned it",
}


@dataclass(frozen=True)
class Repair:
    """The cause of a nan or inf, and what to write instead, if a rewrite passed all checks.

    It is false if none did, and for a convention, which replaces a value that does not exist.

    op, at, reason : the oldest op that is outside of its domain, its argument (" of 0"), and why. words : more.
    grade : "same" for the same function; "limit" if its value here is the limit of the program; "convention" if the
        program has no value here; "wider" for a wider dtype; "" for none.
    rewrites : each expression and its replacement, in the user's names. edits : the same as edits of text.
    lines : (file, number, line before, line after). before, after : value and gradients. checks : those that it passed.
    """

    op: str = ""
    reason: str = ""
    words: str = ""
    grade: str = ""
    rewrites: tuple[tuple[str, str], ...] = ()
    edits: tuple[Edit, ...] = ()
    lines: tuple[tuple[str, int, str, str], ...] = ()
    before: Numbers | None = None
    after: Numbers | None = None
    checks: tuple[str, ...] = ()
    at: str = ""

    def __bool__(self) -> bool:
        return self.grade not in ("", "convention")

    @property
    def cause(self) -> str:
        """A sentence about the op, its argument and the reason; or about the data or weights that are not finite."""
        if self.words == NOTHING or not self.op:
            return ""
        if self.reason in ("input", "weights"):
            return f"The cause: {self.words}."
        return f"The cause is {self.op}{self.at}: {WHY.get(self.reason, f'{self.reason} has no value')}."

    @property
    def more(self) -> str:
        """A further sentence: the dtype that helps, or the reason why there is no repair."""
        return f"{self.words[0].upper()}{self.words[1:]}." if self.words and self.words not in self.cause else ""

    @property
    def sentence(self) -> str:
        return " ".join(filter(None, [self.cause, self.more]))

    def rows(self) -> list[tuple[str, str]]:
        """The rows of the report below the cause, as pairs of a head and a text: lines, numbers, checks."""
        rows, write = [], "usual" if self.grade == "convention" else "write"
        for _, no, old, new in self.lines:
            rows += [(f"line {no}", old), (write, new)]
        if not self.lines:
            for old, new in self.rewrites:
                rows += [("instead of", old), (write, new)]
        if self.after is not None:
            rows += [("before", str(self.before)), ("after", str(self.after))]
        return [*rows, ("checked", "; ".join(self.checks))] if self.checks else rows

    def __str__(self) -> str:
        rows = self.rows()
        width = max((len(head) for head, _ in rows), default=0)
        lines = ("\n" + " " * (width + 4)).join
        return "\n".join(filter(None, [self.sentence, *(f"  {h:{width}}: {lines(t.splitlines())}" for h, t in rows)]))


def _short(v: Any) -> str:
    a = np.asarray(v)
    if not a.shape:
        return f"{a:.6g}"
    return f"[{', '.join(f'{n:.4g}' for n in a.ravel()[:6])}{', ...' * (a.size > 6)}]"
