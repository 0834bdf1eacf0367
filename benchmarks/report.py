"""Print sections on the terminal, or write them as Markdown between marks in a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .sections import Grid, Section


def markdown(section: Section, about: str, picture: str = "") -> str:
    """Return a section as Markdown between its marks."""
    parts = [f"<!-- {section.name} -->", f"## {section.title}", about]
    parts += [f"![{section.title}: the numbers are in the tables below]({picture})"] if picture else []
    for grid in section.grids:
        parts += [grid.text, table(grid)] if grid.rows else []
    return "\n\n".join([*parts, f"<!-- end {section.name} -->"])


def table(grid: Grid) -> str:
    """Return a Markdown table."""
    rule = ["---:" if right else "---" for right in grid.right]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [grid.head, rule, *grid.rows])


def put(page: str, name: str, text: str) -> str:
    """Return the page with the section of that name replaced by `text`, or with `text` at the end if there is none."""
    section = re.compile(f"<!-- {name} -->.*?<!-- end {name} -->", re.DOTALL)
    return section.sub(lambda _: text, page) if section.search(page) else f"{page.rstrip()}\n\n{text}\n".lstrip()


def write(path: Path, section: Section, about: str, picture: Path | None = None) -> None:
    """Replace or add a section of the page at `path`, which is made if it does not exist."""
    page = path.read_text(encoding="utf-8") if path.exists() else "# Measured\n"
    text = markdown(section, about, picture.name if picture else "")
    path.write_text(put(page, section.name, text), encoding="utf-8")


def show(console: Any, section: Section) -> None:
    """Print the tables of a section."""
    from rich.table import Table as Rich

    for grid in section.grids:
        if grid.rows:
            shown = Rich(title=f"{section.title}. {grid.text}", title_justify="left")
            for name, right in zip(grid.head, grid.right):
                shown.add_column(name, justify="right" if right else "left")
            for row in grid.rows:
                shown.add_row(*row)
            console.print(shown)
