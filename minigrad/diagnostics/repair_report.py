"""A repair as data, as text and as HTML."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.support.error_words import visible
from ..core.support.shown_names import ShownNames
from ..tracing.user_lines import SourceLine
from .edits import Edit


class Numbers(NamedTuple):
    """The value of a program, and the gradients and names of its inputs."""

    value: Any
    gradients: tuple[Any, ...]
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        many = len(self.gradients)
        shown = many if many <= 4 else 2
        parts = [f"of {name} {_short(g)}" if name else _short(g) for name, g in zip(self.names, self.gradients[:shown])]
        gradients = f", gradient {', '.join(parts)}" if parts else ""
        return f"value {_short(self.value)}{gradients}" + f", and of {many - shown} more" * (many > shown)


NONE_KNOWN = "no repair is known"
USUAL = "the usual line is a convention"
OF_A_RULE = "a custom rule is not rewritten: change what it returns"
OUT_OF_TIME = "no repair was found in the time allowed"
NOT_ELSEWHERE = f"{NONE_KNOWN}: an op of the program does not run in float64, in which repairs are checked"
NOTHING = "The value and all gradients are finite all the same: nothing needs fixing"
USED = "The value and all gradients are finite all the same, but depend on an inf: check that it is meant"


def without_none_known(words: str) -> str:
    """Remove the statement that no repair is known from the words of a repair.

    >>> without_none_known("the value itself is infinite here; no repair is known")
    'the value itself is infinite here'
    """
    return "; ".join(part for part in words.split("; ") if not part.startswith(NONE_KNOWN))


WHY = {
    "overflow": "the result is too large for its dtype",
    "domain": "its value is not finite there",
    "slope": "its slope is not finite there",
    "masked branch": "its value or its slope is not finite, in a branch that is not selected",
    "custom rule": "its custom gradient returned it",
}


@dataclass(frozen=True)
class Repair(ShownNames):
    """The cause of a nan or inf, and what to write instead, if a rewrite passed all checks.

    The repair is false if no rewrite passed, and for a convention, which is a different function.

    op, at, reason : the oldest op outside its domain, its argument (as in " of 0"), and the reason.
    line : the line of this op, if it is not the line where the nan or inf first appears.
    words : further sentences.
    grade : "same" for the same function; "limit" if the value at this point is the limit of the program's values;
        "convention" for the usual replacement of a program without a value; "wider" for a wider dtype; "" for no
        repair.
    changes : for a convention, a phrase about where it is the same function or how much it differs, and its source.
    rewrites : each expression and its replacement, with the user's names. edits : the rewrites as edits of text.
    lines : (file, number, line before, line after) for each edited line.
    before, after : the value and the gradients before and after the repair.
    checks : the checks that the repair passed.
    tried : for a training loop, a sentence about the further steps that were tried with the repair.
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
    line: SourceLine | None = None
    changes: str = ""
    tried: str = ""

    _shared = frozenset({"edits", "rows"})

    def __post_init__(self) -> None:
        for name in ("op", "words"):
            object.__setattr__(self, name, visible(getattr(self, name)))

    def __bool__(self) -> bool:
        return self.grade not in ("", "convention")

    @property
    def cause(self) -> str:
        """A sentence about the op, its argument and the reason, or about the data or weights that are not finite."""
        if self.words in (NOTHING, USED) or not self.op or self.op == "leaf":
            return ""
        if self.reason in ("input", "weights"):
            return "" if self.words == NONE_KNOWN else f"The cause: {self.words}."
        shown = self.line is None or any(no == self.line.no for _, no, _, _ in self.lines)
        where = "" if shown or self.line is None else f", in {self.line.where}"
        return f"The cause is {self.op}{self.at}{where}: {WHY.get(self.reason, f'{self.reason} has no value')}."

    @property
    def more(self) -> str:
        """A further sentence, for example with a dtype that helps, or with the reason why there is no repair."""
        return f"{self.words[0].upper()}{self.words[1:]}." if self.words and self.words not in self.cause else ""

    @property
    def sentence(self) -> str:
        return " ".join(filter(None, [self.cause, self.more]))

    def rows(self) -> list[tuple[str, str]]:
        """Return the rows of the report as (head, text) pairs: what to write, the results, then the checks."""
        rows, write = [], "usual" if self.grade == "convention" else "write"
        for _, no, old, new in self.lines:
            rows += [(write, new), (f"line {no}", old)]
        if not self.lines:
            for old, new in self.rewrites:
                rows += [(write, new), ("instead of", old)]
        if self.after is not None:
            rows += [("after", str(self.after)), ("before", str(self.before))]
        rows += [("changes", self.changes)] if self.changes else []
        rows += [("checked", "; ".join(self.checks))] if self.checks else []
        rows += [("tried", self.tried)] if self.tried else []
        return [(head, "\n".join(map(visible, text.split("\n")))) for head, text in rows]

    def table(self) -> str:
        """Return the rows as text, or "" if there are none."""
        rows = self.rows()
        width = max((len(head) for head, _ in rows), default=0)
        lines = ("\n" + " " * (width + 4)).join
        return "\n".join(f"  {h:{width}}: {lines(t.splitlines())}" for h, t in rows)

    def __str__(self) -> str:
        return "\n".join(filter(None, [self.table(), self.sentence]))


def _short(v: Any) -> str:
    a = np.asarray(v)
    if not a.shape:
        return f"{a:.6g}"
    if a.size <= 6:
        return f"[{', '.join(f'{n:.4g}' for n in a.ravel())}]"
    shown, lost = a.ravel()[:3], int((~np.isfinite(a)).sum())
    hidden = f"; {lost:,} of {a.size:,} not finite" if lost and np.isfinite(shown).all() else ""
    return f"[{', '.join(f'{n:.4g}' for n in shown)}, ...{hidden}]"


@functools.cache
def _style_and_script() -> tuple[str, str]:
    """Return the CSS of a report, and the script of its buttons, with the placeholder ID for the report's id."""
    style, script = (Path(__file__).with_suffix(end).read_text(encoding="utf-8").strip() for end in (".css", ".js"))
    return f"<style>\n{style}</style>", script.partition("\n")[2]  # the script, without the comment in its first line


def report_html(
    head: Sequence[str], pairs: Sequence[tuple[str, str]], rest: Sequence[str] = (), harmless: bool = False
) -> str:
    """Return sentences, (head, text) pairs and further sentences as HTML; the user's text is escaped.

    harmless : whether nothing needs fixing; the box is then grey instead of red.
    """
    style, script = _style_and_script()
    first, *more = (f"<p>{escape(sentence, quote=False)}</p>" for sentence in head)
    rows = "".join(f"<dt>{row}</dt><dd>{_cell(row, text)}</dd>" for row, text in pairs)
    name = f"mg-why-{hashlib.sha256((first + rows).encode()).hexdigest()[:8]}"
    table = f"<dl>{rows}</dl>" if rows else ""
    if 'class="mg-new"' in rows:
        table += f'<p role="status"></p><script>{script.replace("ID", name)}</script>'
    above = first.replace("<p>", "<p><b>").replace("</p>", "</b></p>") + "".join(more)
    body = above + table + "".join(f"<p>{escape(sentence, quote=False)}</p>" for sentence in rest)
    grey = ' style="border-color:#7a8798;background:#7a879817"' if harmless else ""
    return f'{style}<div class="mg-why"{grey} dir="ltr" id="{name}" role="group" aria-label="Report">{body}</div>'


def saved_page(body: str, title: str, path: str | Path | None = None) -> str:
    """Return a complete HTML page, and write it to `path` unless that is None. title : plain text."""
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f'</head><body style="font:16px/1.5 system-ui,sans-serif;margin:16px auto;max-width:60em">{body}</body></html>'
    )
    if path is not None:
        Path(path).write_text(html, encoding="utf-8")
    return html


def _cell(head: str, text: str) -> str:
    text = escape(text, quote=False)
    if head in ("before", "after"):
        return f"<code>{text}</code>"
    new = ' class="mg-new"' if head in ("write", "usual") else ""
    return text if head in ("changes", "checked", "tried") else f"<code{new}>{text}</code>"
