"""The map of the course: its lessons as cards in the order of its parts, each with its progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple


class Stage(NamedTuple):
    """Lessons with one purpose, by their numbers."""

    title: str
    lessons: tuple[str, ...]


STAGES = (
    Stage("See", ("00", "01", "02")),
    Stage("Build", ("03", "04", "05")),
    Stage("Break and replace", ("06", "07", "08", "09")),
    Stage("Go further", ("10", "11", "12", "13", "14")),
    Stage("Use", ("15", "16")),
)
#: Ways through the cores of the course that leave lessons out: how each is marked, and the lessons on it.
WAYS = {
    "a workshop": ("●", ("01", "02", "06", "07")),
    "a class with graded work": ("■", ("04", "07", "08")),
}

STYLE = """<style>
.mg-map{max-width:60em;margin:.4em 0;line-height:1.35;font-family:var(--jp-content-font-family,system-ui,sans-serif);
font-size:var(--jp-content-font-size1,14px);color:var(--jp-content-font-color1,inherit)}
.mg-map p{margin:.4em 0}.mg-map .mg-stages{display:flex;flex-wrap:wrap;gap:.6em 1.8em;align-items:flex-start}
.mg-map section{flex:1 1 15.5em;position:relative}.mg-map h4{margin:.3em 0!important;font-size:1em!important}
.mg-map section+section h4::before{content:"\\2192";position:absolute;left:-1.4em}
.mg-map ol{list-style:none;margin:0!important;padding:0!important}
.mg-map li{border:1px solid #808080;border-radius:6px;padding:.45em .7em;margin:0 0 1.5em!important;position:relative}
.mg-map li:not(:last-child)::after{content:"\\2193";position:absolute;left:50%;bottom:-1.45em}
.mg-map li.mg-done{border:2px solid #2e9e5b}
.mg-map .mg-facts{display:flex;align-items:center;gap:0 .6em;flex-wrap:wrap;margin-top:.25em;font-size:.92em}
.mg-map progress{flex:1 1 3em;min-width:2.5em;width:3em}
@media(max-width:34em){.mg-map section+section h4::before{content:none}}
</style>"""


@dataclass(frozen=True)
class Part:
    """A lesson or an assignment: its name, title and notebook (if known), and how many of its exercises are right.

    more_right, more_of : of those beyond the core. minutes : that the core takes, and what is beyond; 0 if not known.
    """

    name: str
    title: str
    notebook: str
    right: int
    of: int
    more_right: int = 0
    more_of: int = 0
    minutes: tuple[int, int] = (0, 0)

    @property
    def count(self) -> str:
        """The progress in words: "3 of 8 right", or "complete"."""
        return "complete" if 0 < self.of <= self.right else f"{self.right} of {self.of} right"

    @property
    def beyond(self) -> str:
        """The progress beyond the core; "" where there is nothing, as in most lessons."""
        return f", more: {self.more_right} of {self.more_of}" if self.more_of else ""

    @property
    def time(self) -> str:
        """Such as "30 min" or "30 + 10 min"; "" if not known."""
        core, more = self.minutes
        return f"{core} + {more} min" if more else f"{core} min" if core else ""


def map_of(parts: Sequence[Part]) -> str:
    """The map as a fragment of HTML: a list of links for each stage, with a bar of progress for each lesson."""
    known = {part.name: part for part in parts}
    stages = [(stage.title, [known[name] for name in stage.lessons if name in known]) for stage in STAGES]
    placed = {name for stage in STAGES for name in stage.lessons}
    stages.append(("Yours", [part for part in parts if part.name not in placed]))
    columns = "".join(_column(title, inside) for title, inside in stages if inside)
    legend = "".join(f"<p>{escape(way)}</p>" for way in ways(parts))
    return f"{STYLE}<div class='mg-map'><div class='mg-stages'>{columns}</div>{legend}</div>"


def _column(title: str, parts: Sequence[Part]) -> str:
    return f"<section><h4>{escape(title)}</h4><ol>{''.join(map(_card, parts))}</ol></section>"


def _card(part: Part) -> str:
    title = escape(part.title)
    link = f"<a href='{escape(part.notebook)}'>{title}</a>" if part.notebook else title
    signs = [sign for sign, names in WAYS.values() if part.name in names]
    spans = "".join(f"<span>{fact}</span>" for fact in (part.count + part.beyond, part.time, *signs) if fact)
    done = " class='mg-done'" if part.count == "complete" else ""
    return f"<li{done}>{link}<div class='mg-facts'>{meter(part.right, part.of)}{spans}</div></li>"


def ways(parts: Sequence[Part]) -> list[str]:
    """A sentence for each way through the course, for the lessons that are there, with the time of their cores.

    >>> ways([Part(f"0{n}", "", "", 0, 1, minutes=(35, 0)) for n in range(8)])
    ['● a workshop (2 h 20 min): 1, 2, 6, 7']
    """
    known = {part.name: part for part in parts}
    return [
        f"{sign} {way}{_hours(sum(known[name].minutes[0] for name in names))}: {', '.join(str(int(n)) for n in names)}"
        for way, (sign, names) in WAYS.items()
        if known.keys() >= set(names)
    ]


def _hours(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    said = " ".join([*[f"{hours} h"] * bool(hours), *[f"{rest} min"] * bool(rest)])
    return f" ({said})" if said else ""


def meter(right: int, of: int) -> str:
    """A bar, which screen readers read as "3 of 8"."""
    return f"<progress value='{right}' max='{max(of, 1)}' aria-label='{right} of {of} right'>{right} of {of}</progress>"
