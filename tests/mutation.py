"""How many small breaks of the code do the tests notice? Run as ``python -m tests.mutation --help``.

A break is one small change of one function or declaration, such as a wrong sign or a dropped term, made in a copy of
the repository. Places and changes are chosen by a hash, so a run can be repeated, and every room has its share. For
each break, the tests nearest to its room run first, then the others, until one fails.

Each break is listed with the test that noticed it. Read the breaks that nobody noticed: one that changes nothing a user
could see (an equivalent program, another order of keys) is not a gap.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from minigrad.classroom.mutants import Mutant, mutants_of

ROOT = Path(__file__).parent.parent
#: Files -> in how many places they are broken, and the tests nearest to them, the nearest first.
SHARES = {
    "minigrad/core/*.py": (10, "core transforms ops frameworks"),
    "minigrad/core/custom*.py": (4, "core transforms ops frameworks"),
    "minigrad/ops/*.py": (8, "ops core"),
    "minigrad/transforms/*.py": (6, "transforms core"),
    "minigrad/tracing/*.py": (5, "tracing viz graphs"),
    "minigrad/graphs/*.py": (2, "graphs grading"),
    "minigrad/diagnostics/*.py": (7, "diagnostics core"),
    "minigrad/programs/*.py": (4, "programs"),
    "minigrad/frameworks/**/*.py": (2, "frameworks ops"),
    "minigrad/classroom/*.py": (6, "classroom lessons grading"),
    "minigrad/grading/**/*.py": (7, "grading hostile lab"),
    "viz/**/*.py": (5, "viz browser"),
}
#: Seconds after which a run of tests counts as one that does not end.
PATIENCE = 1800


@dataclass(frozen=True)
class Break:
    """Lines first to last of a file, and their replacement."""

    room: str
    file: str
    name: str
    first: int
    last: int
    indent: int
    mutant: Mutant

    def put(self, tree: Path) -> str:
        """Break the file in a copy of the repository; return the original text."""
        path = tree / self.file
        before = path.read_text(encoding="utf-8")
        lines = before.splitlines()
        lines[self.first - 1 : self.last] = textwrap.indent(self.mutant.source, " " * self.indent).splitlines()
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return before


def breaks(tree: Path, word: str) -> list[Break]:
    """The breaks of a run, each in another function, chosen by the hash of their names and of a word."""
    found = []
    for room, (share, _) in SHARES.items():
        places = [
            (path.relative_to(tree).as_posix(), name, node)
            for path in tree.glob(room)
            for name, node in definitions(ast.parse(path.read_text(encoding="utf-8")))
        ]
        chosen = 0
        for file, name, node in sorted(places, key=lambda place: rank(word, *place[:2])):
            # A result that is negated, doubled or rounded would be noticed by whoever calls the function at all.
            mutants = [
                m for m in mutants_of(ast.unparse(without_docstring(node))) if not m.change.startswith("return ")
            ]
            if mutants and chosen < share:
                chosen += 1
                mutant = min(mutants, key=lambda m: rank(word, file, name, m.change, m.source))
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
                found.append(Break(room, file, name, first, node.end_lineno, node.col_offset, mutant))
            elif chosen == share:
                break
    return found


def definitions(tree: ast.Module):
    """(name, node) of the functions and methods of a file, and of its statements that hold a lambda, such as a rule."""
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for part in inner:
            if isinstance(part, ast.FunctionDef):
                yield f"{getattr(node, 'name', '')}.{part.name}" if part is not node else part.name, part
            elif part is node and any(isinstance(n, ast.Lambda) for n in ast.walk(node)):
                yield f"line of {ast.unparse(node).partition('(')[0]}", node


def without_docstring(node):
    if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) and len(node.body) > 1:
        node.body = node.body[1:]
    return node


def rank(*words: str) -> bytes:
    return hashlib.blake2b(" ".join(words).encode(), digest_size=8).digest()


def first_failure(tree: Path, arguments: list[str], python: str) -> str | None:
    """The first failing test of a run of pytest in a tree, or None if all pass."""
    command = [python, "-m", "pytest", "-q", "-x", "--tb=no", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        run = subprocess.Popen(command, cwd=tree, env=environment, stdout=said, stderr=subprocess.STDOUT,
                               start_new_session=True)  # fmt: skip
        try:
            code = run.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            return "does not end"
        said.seek(0)
        words = said.read()
    if code in (0, 5):  # all passed, or nothing was chosen
        return None
    names = re.findall(r"^(?:SUBFAILED.*?|FAILED|ERROR) (tests/.*?)(?: - .*)?$", words, re.MULTILINE)
    return names[0] if names else words.strip().splitlines()[-1]


def noticed_by(tree: Path, room: str, extra: list[str], python: str, near: bool) -> str | None:
    """The test that notices the break in a tree: the nearest tests are run first, then all others."""
    nearest = [f"tests/{name}" for name in SHARES[room][1].split()]
    found = next(filter(None, (first_failure(tree, [place, *extra], python) for place in nearest)), None)
    if found or near:
        return found
    return first_failure(tree, ["tests", *(f"--ignore={place}" for place in nearest), *extra], python)


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=["quick", "all"], default="quick")
    parser.add_argument("--word", default="", help="chooses other breaks")
    parser.add_argument("--only", nargs="*", type=int, help="the numbers of the breaks to try (default: all)")
    parser.add_argument("--near", action="store_true", help="run only the tests of the rooms nearest to a break")
    parser.add_argument("--tests", type=Path, default=ROOT, help="a clone whose tests are tried on this code")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs them")
    parser.add_argument("--save", type=Path, help="write the result of each break into this file, as JSON lines")
    parser.add_argument("--list", action="store_true", help="only list the breaks")
    given = parser.parse_args(arguments)
    every = list(enumerate(breaks(ROOT, given.word), 1))
    chosen = [(i, b) for i, b in every if given.only is None or i in given.only]
    if given.list:
        for i, change in chosen:
            print(f"{i:3} {change.file}:{change.first} {change.name}: {change.mutant.change}")
        return
    extra = ["-n", "auto", "--dist", "loadgroup", "--no-loadscope-reorder"] + ["--quick"] * (given.mode == "quick")
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "minigrad-copy"
        ignored = shutil.ignore_patterns(".venv", ".git", "__pycache__", "screenshots", ".*_cache")
        shutil.copytree(ROOT, tree, ignore=ignored)
        if given.tests != ROOT:
            shutil.rmtree(tree / "tests")
            shutil.copytree(given.tests / "tests", tree / "tests", ignore=ignored)
            extra = [word for word in extra if word != "--quick"]
        for i, change in tqdm(chosen, unit="break"):
            before = change.put(tree)
            test = noticed_by(tree, change.room, extra, given.python, given.near)
            (tree / change.file).write_text(before, encoding="utf-8")
            missed += test is None
            tqdm.write(
                f"{i:3} {change.file}:{change.first} {change.name}: {change.mutant.change}\n    {test or 'MISSED'}"
            )
            if given.save:
                with given.save.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"break": i, "mode": given.mode, "noticed by": test}) + "\n")
    print(f"{len(chosen) - missed} of {len(chosen)} breaks are noticed ({given.mode}).")


if __name__ == "__main__":
    main()
