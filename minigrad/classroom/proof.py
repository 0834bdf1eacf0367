"""Prove the checks of an exercise before students get them: all wrong answers and mutants of the solution must fail."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..runner.timeout import call
from .attempts import prepared
from .compared_values import largest, plain, unwrapped
from .examination import examine
from .exercises import Check, Exercise
from .mutants import Mutant, mutants_of

WRONG = 1e-3  # a relative error above this is not caused by rounding
# The time limit in seconds for one call to a mutant. A mutant that exceeds it fails, as mutants should.
SECONDS = 0.5


@dataclass
class Proof:
    """The result of proving one exercise: how its wrong answers were judged, and which mutants the checks found."""

    name: str
    wrongs: int = 0
    named: int = 0
    killed: int = 0
    accepted: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return one line for the author.

        >>> print(Proof("root", wrongs=9, named=7, killed=20))
        root: 9 wrong answers fail, 7 by name; 20 of 20 mutants fail
        """
        count = self.killed + len(self.accepted) + len(self.survivors)
        accepted = f", {len(self.accepted)} accepted" if self.accepted else ""
        mutated = f"; {self.killed} of {count} mutants fail{accepted}" if count else ""
        parts = f"; they get {', '.join(self.parts)}" * bool(self.parts)
        return f"{self.name}: {self.wrongs} wrong answers fail, {self.named} by name{parts}{mutated}"


def proofs(notebook: Any, exercises: Mapping[str, Exercise]) -> Iterator[Proof]:
    """Return the proof of each exercise whose checks take a function.

    notebook : the notebook with its solutions.
    """
    for exercise in exercises.values():
        cells = cells_up_to(notebook, exercise.of or exercise.name)
        if exercise.checks and cells:
            yield prove(exercise, cells, [e for e in exercises.values() if e.of == exercise.name])


def cells_up_to(notebook: Any, name: str) -> list[str]:
    """Return the code of the cells up to the cell of an exercise, or [] if there is no such cell."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    places = [i for i, cell in enumerate(code) if cell.metadata.get("exercise") == name]
    return [cell.source for cell in code[: places[0] + 1]] if places else []


def prove(exercise: Exercise, cells: list[str], others: Sequence[Exercise] = ()) -> Proof:
    """Try the wrong answers and the mutants of an exercise whose checks take a function.

    cells : the code of the notebook with its solutions, up to the cell of the exercise.
    others : exercises about the same function; any of them may find a mutant.

    Each reason against a release becomes a sentence in the result's `problems`.
    """
    proof = Proof(exercise.name)
    proof.problems += [exercise.marks_problem] if exercise.marks_problem else []
    for source, named in exercise.wrongs:
        try:
            exec(source, {"np": np, "mg": importlib.import_module("minigrad"), "math": math})
        except Exception as problem:
            why = f"cannot be run, {type(problem).__name__}: {problem}"
            proof.problems.append(f"a wrong answer to {exercise.name} {why}\n{source}")
            continue
        verdict = _verdict(exercise, [*cells[:-1], "import math\nimport numpy as np\nimport minigrad as mg", source])
        proof.wrongs += verdict.status == "wrong"
        proof.named += verdict.status == "wrong" and verdict.mistake is not None
        seen = verdict.mistake.name if verdict.mistake else "no mistake with a name"
        got = exercise.earned([line.right for line in verdict.lines])
        if exercise.in_parts and verdict.status == "wrong":
            proof.parts.append(f"{got:g} of {exercise.points:g}")
        fixed = exercise.wrong_marks.get(source, got)
        if verdict.status == "wrong" and got != fixed:
            words = f"a wrong answer to {exercise.name} gets {got:g} of {exercise.points:g} marks, not {fixed:g}"
            proof.problems.append(f"{words}:\n{source}")
        if verdict.status != "wrong":
            proof.problems.append(f"a wrong answer to {exercise.name} is {verdict.head}:\n{source}")
        elif named is not None and seen != named:
            words = f"a wrong answer to {exercise.name} is taken for {seen!r}, not for {named!r}"
            proof.problems.append(f"{words}:\n{source}")
    solved = _verdict(exercise, cells)
    if solved.status != "right":
        words = f"with its solutions, {exercise.name} is {solved.status}, not right"
        proof.problems.append(f"{words}:\n{solved.to_text()}\nNo mutant was tried.")
    tried = solved.status == "right" and not exercise.free and not exercise.of
    for mutant in _of_function(exercise, cells[-1]) if tried else ():
        reason = exercise.accepted.get(mutant.change)
        if any(_mutant_fails(e, [*cells[:-1], mutant.source]) for e in (exercise, *others)):
            proof.killed += 1
        elif reason is not None:
            proof.accepted.append(f"{mutant.change} ({reason})")
        else:
            proof.survivors.append(mutant.change)
            proof.lines.append(mutant.line)
    proof.problems += [
        f"the checks of {exercise.name} pass with {change!r} in line {line} of its cell: "
        f"add an input that reveals it, or write c.accept({change!r}, reason)"
        for change, line in zip(proof.survivors, proof.lines)
    ]
    return proof


def _mutant_fails(exercise: Exercise, cells: list[str]) -> bool:
    seconds = exercise.seconds if exercise.trained else SECONDS
    return _verdict(exercise, cells, seconds).status != "right"


def _of_function(exercise: Exercise, cell: str) -> Iterator[Mutant]:
    """Yield the mutants of an exercise's function, given the cell that defines it; other statements are unchanged."""
    tree = ast.parse(cell)
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and statement.name == exercise.function:
            first = min([statement.lineno, *(decorator.lineno for decorator in statement.decorator_list)])
            own = "\n".join(cell.splitlines()[first - 1 : statement.end_lineno])
            yield from (replace(mutant, line=mutant.line + first - 1) for mutant in mutants_of(own))


def _verdict(exercise: Exercise, cells: list[str], seconds: float = math.inf) -> Any:
    space = namespace(cells)
    also = {name: space[name] for name in exercise.also if name in space}
    quick = Exercise(**{**vars(exercise), "seconds": min(exercise.seconds, seconds)})
    return examine(quick, space.get(exercise.function or exercise.name), also, thorough=False)


def namespace(cells: list[str]) -> dict[str, Any]:
    """Return the names that cells define with imports, functions, classes and assignments.

    Other statements in the cells are not run.
    """
    space: dict[str, Any] = {"__name__": "__main__", "np": np, "mg": importlib.import_module("minigrad")}
    space["check"] = SimpleNamespace(picture=lambda *args, **words: SimpleNamespace(answer=None))
    for cell in cells:
        kept = [s for s in ast.parse(_without_magics(cell)).body if _defines(s)]
        for statement in kept:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # compiling a mutant such as `1.0 is None` gives a warning
                exec(compile(ast.Module([statement], []), "<solution>", "exec"), space)
    return space


def _without_magics(cell: str) -> str:
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in cell.splitlines())


def _defines(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        calls = [n for n in ast.walk(statement.value) if isinstance(n, ast.Call)]
        return not any(getattr(c.func, "id", "") in ("lesson", "assignment") for c in calls)
    return isinstance(statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))


def allow(exercise: Exercise, cells: list[str]) -> None:
    """Widen the tolerance of each check as far as the rounding errors of the author's own solution require."""
    answer = namespace(cells).get(exercise.function or exercise.name)
    for check in exercise.checks:
        if check.dtypes and callable(answer):
            check.units = _units(check, answer)


def _units(check: Check, answer: Any) -> float:
    """Return the tolerance for a check, in units: its own, or 30 times the solution's largest error if that is more."""
    worst = 0.0
    function = prepared(check, answer)
    for inputs in check.points:
        for dtype in check.dtypes:
            typed = [x.astype(dtype) if isinstance(x, np.ndarray) else np.dtype(dtype).type(x) for x in inputs]
            outcome = call(lambda: check.run(function, *typed), SECONDS)  # noqa: B023
            if outcome.failure or outcome.late:
                continue
            exact = [np.asarray(x, np.float64)[()] for x in typed]
            with np.errstate(all="ignore"):
                off = _error(check, plain(outcome.value), check.true(*map(unwrapped, exact)), dtype)
            if off * np.finfo(dtype).eps > WRONG:
                return check.units
            worst = max(worst, off)
    return float(max(check.units, np.ceil(30 * worst))) if worst > 4 else check.units


def _error(check: Check, got: Any, want: Any, dtype: str) -> float:
    if isinstance(want, tuple):
        return max(_error(check, g, w, dtype) for g, w in zip(got, want))
    got, want = np.asarray(got, float), np.asarray(want, float)
    scale = (abs(want) + 0.1 * check.usual()) * np.finfo(dtype).eps + np.finfo(dtype).tiny
    off = abs(got - want) / scale
    return largest(off[np.isfinite(off)]) if got.shape == want.shape else 0.0
