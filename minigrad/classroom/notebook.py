"""Make a student's notebook from the source of a lesson: without solutions, and with an id for each cell."""

from __future__ import annotations

import ast
import hashlib
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from minigrad.lab.handout import AFTER_PREDICTION

AFTER = "# Runs after the prediction {name}."
LOCKED = "locked"  #: the key of a text that students can read only after a prediction
READ = "check.read({name!r})"
READ_MORE = "check.read({name!r}, {number})"
#: The question before the text about a picture: `**Look: why does x stay at 2?** It ...`
LOOK = re.compile(r"\*\*(Look: (?:[^*]|\*(?!\*))*\?)\*\*\s*")
MORE = re.compile(r"^## More\b", re.MULTILINE)  #: the title of the part beyond the core of a lesson
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
STUB = 'raise NotImplementedError("your code goes here")'
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class SourceError(ValueError):
    """Raised if the source of a lesson cannot be turned into a notebook; the message has the line and the reason."""


def read(path: Path) -> Any:
    """Read a py:percent file as a notebook with solutions, without metadata about this machine."""
    import jupytext

    _check_markers(path)
    notebook = jupytext.read(path, fmt="py:percent")
    notebook.metadata = dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key in ("exercise", "tags")}
    _hold_back(notebook)
    _name_cells(notebook)
    return notebook


def _hold_back(notebook: Any) -> None:
    """Hold back cells that give away a prediction until the prediction is made.

    A tagged code cell gets a first line with the name of the prediction: `kernel` runs the cell only after the
    prediction. Tagged text is locked: it becomes a cell that shows the text after the prediction. The first paragraph
    after a tagged picture is folded, in a separate cell, under the question at its beginning.
    """
    exercise, held = None, False
    cells: list[Any] = []
    for cell in notebook.cells:
        exercise = cell.metadata.get("exercise", exercise)
        tagged = AFTER_PREDICTION in cell.metadata.get("tags", ()) and exercise is not None
        if cell.cell_type == "markdown":
            if tagged:
                cell = _locked(cell.source, exercise, sum(_reads(other, exercise) for other in cells))
            elif held and (look := LOOK.match(cell.source)):
                first, _, cell.source = cell.source.partition("\n\n")
                cells.append(_markdown(_folded(look[1], first[look.end() :])))
        else:
            held = tagged
            if held:
                cell.source = f"{AFTER.format(name=exercise)}\n{cell.source}"
        if cell.source:
            cells.append(cell)
    notebook.cells = cells


def _markdown(text: str) -> Any:
    import nbformat

    return nbformat.v4.new_markdown_cell(text)


def _folded(question: str, text: str) -> str:
    """Return a paragraph folded under a question, for the reader to open."""
    label = re.sub(r"`([^`]+)`", r"<code>\1</code>", question.replace("\n", " "))
    return f"<details><summary>{label}</summary>\n\n{text}\n\n</details>"


def _locked(text: str, exercise: str, before: int) -> Any:
    """Return a cell that shows a text after the prediction.

    before : how many texts of the same prediction precede it.
    """
    import nbformat

    read = READ_MORE.format(name=exercise, number=before + 1) if before else READ.format(name=exercise)
    cell = nbformat.v4.new_code_cell(f"{AFTER.format(name=exercise)}\n{read.replace(chr(39), chr(34))}")
    cell.metadata = {"tags": [AFTER_PREDICTION], LOCKED: text}
    return cell


def _reads(cell: Any, exercise: str) -> bool:
    """Return whether a cell shows a locked text of this prediction."""
    return LOCKED in cell.metadata and cell.source.startswith(AFTER.format(name=exercise))


def locked_texts(cells: Iterable[Any]) -> dict[str, list[str]]:
    """Map each prediction to the texts locked behind it, in order, given the cells of a notebook with solutions."""
    texts: dict[str, list[str]] = {}
    name = None
    for cell in cells:
        name = cell.metadata.get("exercise", name)
        if name is not None and LOCKED in cell.metadata:
            texts.setdefault(name, []).append(cell.metadata[LOCKED])
    return texts


def beyond_the_core(cells: Iterable[Any]) -> set[str]:
    """Return the names of the exercises below the title "More"."""
    more, names = False, set()
    for cell in cells:
        more |= cell.cell_type == "markdown" and MORE.search(cell.source) is not None
        if more and "exercise" in cell.metadata:
            names.add(cell.metadata["exercise"])
    return names


def _check_markers(path: Path) -> None:
    """Raise SourceError, with the line, if a solution lacks its begin marker, or its end marker in the same cell."""
    begun = 0
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), "# %%"], start=1):
        marker = line.strip()
        if begun and (marker == BEGIN or line.startswith("# %%")):
            raise SourceError(f"{path.name}, line {begun}: a solution does not end; write {END} below it")
        if marker == END and not begun:
            raise SourceError(f"{path.name}, line {number}: a solution ends that has not begun; write {BEGIN} above it")
        begun = number if marker == BEGIN else 0 if marker == END else begun


def blank(notebook: Any) -> Any:
    """Return a copy of a notebook with a stub instead of each solution."""
    import copy

    blanked = copy.deepcopy(notebook)
    for cell in blanked.cells:
        cell.metadata.pop(LOCKED, None)
        if cell.cell_type == "code":
            cell.source = without_solutions(cell.source)
    _name_cells(blanked)
    return blanked


def without_solutions(source: str) -> str:
    """Return the source with each marked solution replaced by a stub.

    A solution that only assigns names becomes `name = ...`; one that sets an attribute of a picture is left out; any
    other becomes a stub that raises NotImplementedError.

    >>> print(without_solutions("### BEGIN SOLUTION\\nlimit = 88.7\\n### END SOLUTION"))
    limit = ...
    """
    lines: list[str] = []
    solution: list[str] | None = None
    for number, line in enumerate(source.splitlines(), start=1):
        marker = line.strip()
        if marker == BEGIN:
            if solution is not None:
                raise SourceError(f"line {number}: a solution begins inside a solution:\n{source}")
            solution = []
        elif marker == END:
            if solution is None:
                raise SourceError(f"line {number}: a solution ends that has not begun:\n{source}")
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + stub for stub in _stub(solution)]
            solution = None
        elif solution is not None:
            solution.append(line)
        else:
            lines.append(line)
    if solution is not None:
        raise SourceError(f"a solution does not end:\n{source}")
    return "\n".join(lines)


def _stub(solution: list[str]) -> list[str]:
    try:
        statements = ast.parse(textwrap.dedent("\n".join(solution))).body
    except SyntaxError:
        return [STUB]  # for example, a `return` alone is not a complete program
    if statements and all(isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Attribute) for s in statements):
        return []  # the student answers in a picture instead
    names = [s.targets[0].id for s in statements if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)]
    if names and len(names) == len(statements) and not solution[0].startswith(" "):
        return [f"{name} = ..." for name in names]
    return [STUB]


def _name_cells(notebook: Any) -> None:
    """Give each cell an id, derived from its exercise or its text; the id changes only with the cell."""
    taken: set[str] = set()
    for cell in notebook.cells:
        name = cell.metadata.get("exercise") or hashlib.sha256(cell.source.encode()).hexdigest()[:10]
        name = base = re.sub(r"[^a-zA-Z0-9-]+", "-", name)[:60]
        number = 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name)
        cell["id"] = name
