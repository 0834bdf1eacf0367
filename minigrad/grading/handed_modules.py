"""Modules submitted with a notebook: `utils.py`, files that a `%%writefile` cell writes, and files that `%run` runs.

They are sent to the student's process as the first cell, so the other cells can import them; nothing is written to
disk. Installed modules take precedence, and no submitted module can replace a package that students may not import.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from minigrad.runner.cell_statements import parsed
from minigrad.runner.servers import ENGINES

from .submitted_notebook import CODE, Cell, Submission, decode

FIRST = 0  #: the number of the cell with the modules; cells of a notebook have larger numbers
#: Files that students receive next to the notebook, or that `minigrad submit` writes there.
HANDED_OUT = re.compile(r"(?:_checks\.py|_sealed\.json|-receipt\.json)$")
_WRITES = re.compile(r"\s*%%(?:writefile|file)(?:[ \t]+-a)?[ \t]+(\S+)[ \t]*\n?")
_RUNS = re.compile(r"^([ \t]*)%run[ \t]+(?:-\w[ \t]+)*[\"']?(?:\./)?(\w+)(?:\.py)?[\"']?[ \t]*$", re.MULTILINE)
_IMPORTS = """def _modules_of(sources):
    import importlib.abc, importlib.util, linecache, sys
    class Handed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name, path=None, target=None):
            return importlib.util.spec_from_loader(name, self, origin=name + ".py") if name in sources else None
        def exec_module(self, module):
            source, file = sources[module.__name__], module.__name__ + ".py"
            linecache.cache[file] = len(source), None, source.splitlines(True), file
            exec(compile(source, file, "exec"), vars(module))
    sys.meta_path.append(Handed())
_modules_of({sources})
del _modules_of"""


def module_name(file: str) -> str:
    """Return the name that imports a file, or "" if the file is not a module.

    >>> module_name("hw7/utils.py"), module_name("utils-1.py"), module_name("hw 7.py"), module_name("notes.txt")
    ('utils', 'utils', '', '')
    """
    stem, dot, kind = PurePosixPath(file).name.rpartition(".")
    stem = re.sub(r"(?:-\d+| ?\(\d+\))$", "", stem)  # a number that a platform adds to a copy
    return stem if dot and kind.lower() == "py" and stem.isidentifier() else ""


def with_modules(submission: Submission, files: Mapping[str, bytes]) -> Submission:
    """Return a submission with the modules that its cells can import.

    files : the files submitted with it, by name.

    >>> ada = Submission("ada", "x", "00", (Cell("%%writefile utils.py\\ny = 2", 1), Cell("%run utils.py", 2)))
    >>> [cell.source for cell in with_modules(ada, {}).cells[1:]]
    ['from utils import *']
    """
    modules = {name: decode(data)[0] for file, data in files.items() if (name := module_name(file))}
    cells: list[Cell] = []
    for cell in submission.cells:
        written = _WRITES.match(cell.source)
        name = module_name(written[1]) if written else ""
        if written and name:
            modules[name] = cell.source[written.end() :]
            cells += [replace(cell, source=f"# {written[0].strip()}")] * bool(cell.exercise)
        else:
            cells.append(cell)
    modules = {name: source for name, source in modules.items() if name not in ENGINES}
    if not modules or sum(map(len, modules.values())) > CODE:
        return submission
    run = lambda match: f"{match[1]}from {match[2]} import *" if match[2] in modules else match[0]
    cells = [replace(cell, source=_RUNS.sub(run, cell.source)) for cell in cells]
    first = Cell(_IMPORTS.replace("{sources}", repr(modules)), FIRST)
    digest = hashlib.sha256(json.dumps([submission.digest, modules]).encode()).hexdigest()
    beside = sorted({module_name(file) for file in files} - {""})
    notes = [f"also read, as modules: {', '.join(f'{name}.py' for name in beside)}"] if beside else []
    return replace(
        submission,
        cells=(first, *cells),
        digest=digest if beside else submission.digest,
        notes=(*submission.notes, *notes),
    )


def imported_beside(submission: Submission, folder: Path) -> dict[str, bytes]:
    """Return the modules in a notebook's folder that it imports or runs, by file name, to submit with it."""
    named = {match[2] for cell in submission.cells for match in _RUNS.finditer(cell.source)}
    for cell in submission.cells:
        with contextlib.suppress(SyntaxError):
            for node in ast.walk(parsed(cell.source, cell.number, [])):
                if isinstance(node, ast.Import):
                    named |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    named.add((node.module or "").partition(".")[0])
    files = [folder / f"{name}.py" for name in sorted(named)]
    return {file.name: file.read_bytes() for file in files if file.is_file() and not HANDED_OUT.search(file.name)}
