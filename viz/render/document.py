"""The SVG document around a picture, with only the style rules that it needs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby

from minigrad.core.support.error_words import visible


def printable(text: str) -> str:
    """Replace each unprintable character in `text` with its code; line ends are unchanged.

    >>> print(printable("a" + chr(27) + "b"))
    a\\x1bb
    """
    return "\n".join(map(visible, text.split("\n")))


def wrap(body: str, width: float, height: float, uid: str, summary: str, style: str) -> str:
    """Return a complete <svg> element.

    body : the SVG inside it. uid : a unique part of the element's ids. style : the style sheet of the picture, or "" if
        the page already has it. summary : the title of the picture, or "" if the page shows it.
    """
    w, h = round(width), round(height)
    called = f" id='{uid}'" if uid else ""
    sheet = f"<style>{style}</style>" if style else ""
    said = f" role='img' aria-label='{escape(printable(summary))}'" if summary else ""
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' class='mgv'{called} width='{w}' height='{h}' "
        f"viewBox='0 0 {w} {h}'{said}>{sheet}<rect class='paper' width='{w}' height='{h}'/>{body}</svg>"
    )


def static(name: str) -> str:
    """Return a file of `viz/static` as text."""
    return (files(__package__.partition(".")[0]) / "static" / name).read_text(encoding="utf-8")


@cache
def _bundle() -> dict[str, dict[str, str]]:
    bundle: dict[str, dict[str, str]] = json.loads(static("bundle.json"))
    return bundle


def script(name: str) -> str:
    """Return a JavaScript file of `viz/static`, as minified by viz/bundle.py."""
    return _bundle()[name]["code"]


@cache
def picture_style(*more: str) -> str:
    """Return the style sheet of a picture that is saved as its own file. more : names of sheets besides ink.css."""
    return " ".join(" ".join(static(f"{name}.css") for name in ("ink", *more)).split())


def variables(sheet: str, theme: str) -> dict[str, str]:
    """Return the variables that a style sheet sets for pictures in a theme, as name -> value.

    >>> variables(".mgv{--c:#fff}.mgv[data-theme=dark]{--c:#000}", "dark")
    {'--c': '#000'}
    """
    colors: dict[str, str] = {}
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet):
        if selector.strip() in (".mgv", f".mgv[data-theme={theme}]"):
            colors |= dict(re.findall(r"(--\w+):([^;}]*)", body))
    return colors


def image_style(body: str, *more: str) -> str:
    """Return only the style rules that an image of `body` needs, because each saved view contains a copy of them.

    more : names of style sheets in addition to ink.css. An image follows the theme of the system, not the page's theme.
    """
    sheets = [line for name in ("ink", *more) for line in static(f"{name}.css").splitlines()]
    lines = [line for line in sheets if "[data-theme=dark]" not in line]
    style = "".join(joined_rules(needed_rules(lines, classes_of(body))))
    style = style.replace(".mgv:not([data-theme=light])", "svg").replace("svg.mgv", "svg")
    style = style.replace(".mgv ", "").replace(".mgv{", "svg{")
    unused = set(re.findall(r"(--\w+):", style)) - set(re.findall(r"var\((--\w+)\)", style))
    return re.sub(rf"({'|'.join(unused)}):[^;}}]*;?", "", style) if unused else style


def needed_rules(lines: Iterable[str], present: Collection[str]) -> list[str]:
    """Yield the CSS rules whose classes are all in `present`; a rule that sets a theme's colours is always kept.

    lines : the lines of a style sheet with one rule per line.
    """
    classes = {"mgv", "paper", *present}
    return [
        line
        for line in lines
        if line.startswith(("@", ".mgv[")) or set(re.findall(r"\.([A-Za-z]\w*)", line.partition("{")[0])) <= classes
    ]


def joined_rules(rules: Iterable[str]) -> list[str]:
    """Join neighbouring CSS rules that set the same.

    >>> joined_rules([".a{x:1}", ".b{x:1}", ".c{x:2}"])
    ['.a,.b{x:1}', '.c{x:2}']
    """
    same = groupby((rule.partition("{") for rule in rules), key=lambda parts: parts[2])
    return [f"{','.join(head for head, *_ in heads)}{{{body}" for body, heads in same]


def classes_of(body: str) -> set[str]:
    return set(" ".join(re.findall(r"class='([^']*)'", body)).split())
