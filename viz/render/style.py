"""Style sheets: the files of `viz/static`, and the part of them that one picture needs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files


def static(name: str) -> str:
    """A file of `viz/static` as text."""
    return (files("viz") / "static" / name).read_text(encoding="utf-8")


@cache
def picture_style() -> str:
    """The style of a picture that is a file of its own."""
    return " ".join(static("picture.css").split())


def image_style(body: str) -> str:
    """The rules that an image of `body` needs, and no more: they are saved with each view.

    An image sees the theme of the system, not of its page.
    """
    lines = [line for line in static("picture.css").splitlines() if not line.startswith(".mgv[")]
    style = "".join(needed_rules(lines, classes_of(body) | {f"m{mark}" for mark in marks(body)}))
    style = style.replace(".mgv:not([data-theme=light])", "svg").replace("svg.mgv", "svg")
    style = style.replace(".mgv ", "").replace(".mgv{", "svg{")
    unused = set(re.findall(r"(--\w+):", style)) - set(re.findall(r"var\((--\w+)\)", style))
    return re.sub(rf"({'|'.join(unused)}):[^;}}]*;?", "", style) if unused else style


def needed_rules(lines: Iterable[str], present: Collection[str]) -> list[str]:
    """Select the CSS rules, one a line, whose classes are all present; rules for a theme stay whole."""
    known = {"mgv", "paper", *present}
    return [
        line
        for line in lines
        if line.startswith(("@", ".mgv[")) or set(re.findall(r"\.([A-Za-z]+)", line.partition("{")[0])) <= known
    ]


def classes_of(body: str) -> set[str]:
    return set(" ".join(re.findall(r"class='([^']*)'", body)).split())


def marks(body: str) -> str:
    """The arrow heads in `body`: forward (f), back (b), and back with a nan or inf (x)."""
    looks = [set(found.split()) for found in re.findall(r"class='(e[ \w]*)'", body)]
    bad, sent = (any(word in look for look in looks) for word in ("bad", "sent"))
    return "f" * any("sent" not in look for look in looks) + "b" * sent + "x" * bad
