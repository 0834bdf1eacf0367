"""The pages of the lessons, from the saved notebooks, and the statements of the assignments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .text import Pages, relinked, toctree

ROOT = Path(__file__).parent.parent
LESSONS = ROOT / "lessons"
ASSIGNMENTS = sorted(
    (path for path in (LESSONS / "assignments").iterdir() if (path / f"{path.name}.py").is_file()),
    key=lambda path: (len(path.name), path.name),
)

#: The sentence below the title of a lesson, if the course was built next to the site.
OPEN = '<a href="../course/notebooks/index.html?path={name}"><b>Open it in your browser</b></a>: nothing is installed.'
READ = (
    "This page shows the released lesson, for reading: its pictures can be stepped through and changed here. "
    "Its answers are checked in JupyterLab, {how}."
)
LOCAL = "after `python start.py`"
#: The forms of an output that a page shows, the richest first.
_KEPT = ("text/html", "image/svg+xml", "text/markdown", "text/plain")


def pages(course: bool = False) -> Pages:
    """Return a notebook for each lesson and assignment, and an index.

    course : whether each lesson links to itself in the course that runs in a browser.
    """
    found: Pages = {}
    titles, times = [], {}
    for path in sorted(LESSONS.glob("[0-9]*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        titles.append((path.stem, _title(notebook)))
        times[path.stem] = _time(notebook)
        found[f"lessons/{path.name}"] = _page(notebook, path.name, course)
    for path in ASSIGNMENTS:
        found[f"lessons/{path.name}.ipynb"] = _page(statement(path), f"{path.name}.ipynb", False)
    lines = [f"- [{title}]({name}.ipynb)" + f": {times[name]}" * bool(times[name]) for name, title in titles]
    work = [f"- [{_title(statement(path))}]({path.name}.ipynb)" for path in ASSIGNMENTS]
    tree = toctree([*(name for name, _ in titles), *(path.name for path in ASSIGNMENTS)])
    found["lessons/index.md"] = "\n\n".join(
        [
            "# Lessons",
            "Each lesson is a notebook with one idea. You predict, look and build; every answer is checked as you go.",
            "\n".join(lines),
            "## Assignments",
            "Assignments as teachers release them; further checks run at grading. See [grading](../guides/GRADING.md).",
            "\n".join(work),
            tree,
        ]
    )
    return found


def _title(notebook: dict[str, Any]) -> str:
    return "".join(notebook["cells"][0]["source"]).partition("\n")[0].lstrip("# ")


def _time(notebook: dict[str, Any]) -> str:
    """Return the line below the title with a lesson's duration, or ""."""
    found = re.search(r"^\*(\d+ minutes[^*]*)\*$", "".join(notebook["cells"][0]["source"]), re.MULTILINE)
    return found[1] if found else ""


def statement(path: Path) -> dict[str, Any]:
    """Return the notebook of an assignment as students get it, not run."""
    from minigrad.classroom import notebook

    return json.loads(json.dumps(notebook.blank(notebook.read(path / f"{path.name}.py"))))


def _page(notebook: dict[str, Any], name: str, course: bool) -> str:
    how = f"{LOCAL} or in the browser" if course and name[0].isdigit() else LOCAL
    link = [OPEN.format(name=name)] if course and name[0].isdigit() else []
    note = " ".join([*link, READ.format(how=how)]) if name[0].isdigit() else ""
    cells = list(_cells(notebook["cells"]))
    if note:
        title, _, rest = "".join(cells[0]["source"]).partition("\n")
        cells[0]["source"] = f"{title}\n\n{note}\n{rest}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _cells(cells: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The cells for a page: cells locked by a prediction are folded, and links lead to pages."""
    for number, cell in enumerate(cells):
        cell = {**cell, "id": f"cell-{number}", "source": "".join(cell["source"])}
        tags = cell["metadata"].get("tags", [])
        cell["metadata"] = {"tags": ["hide-output"] if "after-prediction" in tags and cell.get("outputs") else []}
        if cell["cell_type"] == "markdown":
            cell["source"] = relinked(cell["source"], lambda target: target)
        else:
            cell["outputs"] = [_output(output) for output in cell["outputs"]]
        yield cell


def _output(output: dict[str, Any]) -> dict[str, Any]:
    """Return an output in the richest form that a page shows."""
    if "data" not in output:
        return output
    data = {kind: "".join(output["data"][kind]) for kind in _KEPT if kind in output["data"]}
    richest = next(iter(data), "text/plain")
    shown = re.sub(r"href=(['\"])(\d\d_\w+)\.ipynb", r"href=\1\2.html", data.get(richest, ""))
    return {**output, "data": {richest: shown}, "metadata": {}}
