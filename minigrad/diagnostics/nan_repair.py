"""What a repair is, as data and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .nan_source import Edit


class Numbers(NamedTuple):
    """The value of a program, and the gradients of what went in, with its names."""

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

    It is false when none did, and for a convention, which takes the place of a value that does not exist.

    op, at, reason : the oldest op that is outside of its domain, its argument (" of 0"), and why. words : more.
    grade : "same" for the same function; "limit" where its value here is what the program tends to; "convention" where
        the program has no value here; "wider" for a wider dtype; "" for none.
    rewrites : each expression and what takes its place, in the user's names. edits : the same as replacements of text.
    lines : (file, number, line before, line after). before, after : value and gradients. checks : what was passed.
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
        """A sentence about the op, its argument, and why; of data and weights, what they are."""
        if self.words == NOTHING or not self.op:
            return ""
        if self.reason in ("input", "weights"):
            return f"The cause: {self.words}."
        return f"The cause is {self.op}{self.at}: {WHY.get(self.reason, f'{self.reason} has no value')}."

    @property
    def more(self) -> str:
        """A sentence about what else is known: the dtype that helps, or why there is no repair."""
        return f"{self.words[0].upper()}{self.words[1:]}." if self.words and self.words not in self.cause else ""

    @property
    def sentence(self) -> str:
        return " ".join(filter(None, [self.cause, self.more]))

    def rows(self) -> list[tuple[str, str]]:
        """What is told below the cause, as pairs of a head and a text: lines, numbers, checks."""
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
