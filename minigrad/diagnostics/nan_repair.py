"""What a repair is, as data and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .nan_source import Edit


class Numbers(NamedTuple):
    """The value of a program, and the gradients of what went in."""

    value: Any
    gradients: tuple[Any, ...]

    def __str__(self) -> str:
        gradients = "; ".join(map(_short, self.gradients[:4])) + ("; ..." if self.gradients[4:] else "")
        return f"value {_short(self.value)}, gradient {gradients}"


@dataclass(frozen=True)
class Repair:
    """The cause of a nan or inf, and what to write instead, if a rewrite passed all checks. It is false when none did.

    op, reason : the oldest op that is outside of its domain, and why. words : more about it.
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

    def __bool__(self) -> bool:
        return bool(self.grade)

    def __str__(self) -> str:
        if not self.op:
            return ""
        rows = [f"{self.op}: {self.reason}" + (f"; {self.words}" if self.words else "") + "."]
        for _, no, old, new in self.lines:
            rows += [f"  line {no}: {_indented(old, no)}", f"  write {' ' * len(str(no))}: {_indented(new, no)}"]
        if not self.lines:
            rows += [f"  write {new} in the place of {old}" for old, new in self.rewrites]
        if self.after is not None:
            rows += [f"  before: {self.before}", f"  after : {self.after}"]
        if self.checks:
            rows += ["  checked: " + "; ".join(self.checks)]
        return "\n".join(rows)


def _indented(text: str, no: int) -> str:
    return text.replace("\n", "\n" + " " * (9 + len(str(no))))


def _short(v: Any) -> str:
    a = np.asarray(v)
    if not a.shape:
        return f"{a:.6g}"
    rows = np.array2string(a.ravel()[:6], precision=4, separator=", ", threshold=6)
    return rows + (" ..." if a.size > 6 else "")
