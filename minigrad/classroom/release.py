"""Build the lessons that students open, from lessons/source: `python -m minigrad.classroom.release`.

A lesson is written only if it passes. With its solutions, every check must be right; without solutions, every exercise
must be "not answered yet". Each wrong answer that is declared in the checks must fail, and must be recognised as the
declared mistake. No mutant of a solution may pass unless it is accepted with a reason, and nothing near a prediction
may give the answer away.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from minigrad.lab.files import write_whole

from .exercises import Exercise
from .giveaways import given_away
from .loading import failing_references, load
from .notebook import SourceError, blank, read
from .proof import Proof, allow, cells_up_to, proofs
from .questionnaire import write_sealed
from .run_notebook import LESSONS, NotReleased, execute, verdicts
from .sealed_answers import answers_in_clear, sealed_file, to_text

#: A function like `tqdm`: it takes steps, their number and their name, yields the steps, and shows the progress.
Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]


@dataclass(frozen=True)
class Work:
    """The files that a release is made from.

    source : the notebook with its solutions.
    checks, hidden : the file of checks, and the file with the hidden ones, which is not released.
    beside : name -> the file to place under this name next to the notebook when the notebook runs.
    """

    source: Path
    checks: Path
    hidden: Path | None = None
    beside: dict[str, Path] = field(default_factory=dict)


def release(source: Path, target: Path | None = None) -> Path:
    """Test the lesson at `source` and write its notebook.

    Raises NotReleased, with every reason, if the lesson fails.
    """
    number = source.name.partition("_")[0]
    target = target or _path_of(source)
    student, _ = prove(Work(source, source.with_name(f"{number}_checks.py")))
    write(student, target)
    return target


def is_up_to_date(source: Path) -> bool:
    """Return whether the notebook of the lesson at `source` equals the result of a new run, byte for byte.

    Different versions of Python, NumPy or Matplotlib give different bytes, even if a reader sees no difference.
    """
    return _path_of(source).read_bytes() == _bytes(execute(blank(read(source))))


def _path_of(source: Path) -> Path:
    return source.parents[1] / f"{source.stem}.ipynb"


def prove(work: Work, progress: Progress = lambda steps, count, what: steps) -> tuple[Any, list[str]]:
    """Return the student's notebook, with outputs, and a line for each proof.

    Writes the sealed answers next to the checks. Raises NotReleased, with every reason, if anything is wrong.
    """
    exercises = load(work.checks)
    hidden = {name: e for name, e in (load(work.hidden) if work.hidden else {}).items() if e.checks}
    full = read(work.source)
    student = blank(full)
    for file, declared in ((work.checks, exercises), (work.hidden, hidden)):
        if problems := [words for e in declared.values() if file for words in failing_references(e, file)]:
            raise NotReleased("\n".join(problems))
    seal(full, exercises, work.checks, student if work.beside else None)
    both = {**exercises, **{name: _both(exercises.get(name), e) for name, e in hidden.items()}}
    provable = [e for e in both.values() if e.checks and cells_up_to(full, e.of or e.name)]
    proved: list[Proof] = list(progress(proofs(full, both), len(provable), "exercises proven"))
    problems = [*answers_in_clear(work.checks), *(problem for proof in proved for problem in proof.problems)]
    runs = [
        lambda: _expect(execute(full, work.beside, private=True), exercises, "right", "with its solutions"),
        lambda: _expect(execute(student, work.beside), exercises, "unanswered", "without its solutions"),
    ]
    if not problems:
        problems = [words for run in progress(runs, len(runs), "notebooks run") for words in run()]
        problems += given_away(full, student, exercises)
    if not problems and work.hidden:
        judged = execute(_with_hidden(read(work.source), work.hidden), work.beside, private=True)
        problems += _expect(judged, hidden, "right", "with its solutions, in the hidden checks")
    if problems:
        raise NotReleased("\n".join(problems))
    return student, _lines(exercises, hidden, proved)


def _both(shown: Exercise | None, hidden: Exercise) -> Exercise:
    """Return an exercise with its visible and its hidden checks.

    shown : the exercise with its visible checks; None if all its checks are hidden.
    """
    if shown is None:
        return hidden
    wrong_marks = {**shown.wrong_marks, **hidden.wrong_marks}
    checks, wrongs = [*shown.checks, *hidden.checks], [*shown.wrongs, *hidden.wrongs]
    return replace(shown, checks=checks, wrongs=wrongs, wrong_marks=wrong_marks)


def _lines(exercises: Mapping[str, Exercise], hidden: Mapping[str, Exercise], proved: Sequence[Proof]) -> list[str]:
    """Return the lines that the author reads about a proof that succeeded."""
    count = f"{len(exercises)} of {len(exercises)}"
    wrong = [named for e in (*exercises.values(), *hidden.values()) for _, named in e.wrongs]
    return [
        f"with the solutions: {count} right"
        + (f", {len(hidden)} of {len(hidden)} in the hidden checks" * bool(hidden)),
        f"without them: {count} not answered yet",
        f"known wrong answers: {len(wrong)} of {len(wrong)} fail, {sum(map(bool, wrong))} of them as the mistake named",
        *map(str, proved),
        *[MUTANTS] * any("mutants" in str(proof) for proof in proved),
    ]


#: Explanations of the terms in a proof.
MUTANTS = (
    "A mutant is a solution with one small change, such as a flipped sign; the checks must fail it. An accepted "
    "mutant is as right as the solution, for the reason that c.accept gives."
)


def _with_hidden(notebook: Any, hidden: Path) -> Any:
    """Return the notebook with one more cell, which shows the verdicts of the hidden checks."""
    import nbformat

    look = f"from minigrad.classroom import assignment\nfor verdict in assignment({str(hidden)!r})().verdicts:\n"
    notebook.cells.append(nbformat.v4.new_code_cell(look + "    display(verdict)"))
    return notebook


def seal(notebook: Any, exercises: Mapping[str, Exercise], checks: Path, handed_out: Any = None) -> None:
    """Write the answers, hints and solutions, sealed, next to the checks, in the order of the notebook.

    handed_out : the students' notebook; its cells are stored, so that `minigrad restore` can restore them.
    """
    for exercise in exercises.values():
        allow(exercise, cells_up_to(notebook, exercise.name))
    places = [cell.metadata.get("exercise") for cell in notebook.cells]
    in_order = sorted(exercises, key=lambda name: places.index(name) if name in places else len(places))
    received = handed_out.cells if handed_out else ()
    text = to_text({name: exercises[name] for name in in_order}, notebook.cells, received)
    sealed_file(checks).write_text(text, encoding="utf-8", newline="\n")


def write(notebook: Any, path: Path) -> None:
    """Write a notebook atomically; the same notebook always gives the same bytes."""
    write_whole(path, _bytes(notebook))


def _bytes(notebook: Any) -> bytes:
    import nbformat

    nbformat.validate(notebook)
    return (json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def _expect(notebook: Any, exercises: dict[str, Exercise], status: str, when: str) -> Iterable[str]:
    said = verdicts(notebook)
    for name in exercises:
        if name not in said:
            yield f"no cell checks {name}"
        elif said[name]["status"] != ("to read" if exercises[name].by_hand and status == "right" else status):
            yield f"{when}, {name} is {said[name]['status']}, not {status}" + _details(said[name])


def _details(verdict: dict[str, Any]) -> str:
    return f":\n{verdict['text']}" if verdict["status"] == "wrong" else ""


def sources(numbers: Sequence[str] = ()) -> list[Path]:
    """Return the sources of the lessons with these numbers, or of all lessons."""
    paths = sorted(p for p in (LESSONS / "source").glob("[0-9]*.py") if not p.stem.endswith(("_checks", "_hidden")))
    if not paths:
        raise NotReleased("the sources of the lessons are not here; they are in a clone of the repository")
    chosen = [p for p in paths if not numbers or p.name.partition("_")[0] in numbers]
    missing = set(numbers) - {p.name.partition("_")[0] for p in chosen}
    if missing:
        raise NotReleased(f"there is no lesson {', '.join(sorted(missing))}; write its number as in 06")
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if every lesson was written or, with --check, if every lesson is up to date."""
    from tqdm import tqdm

    parser = argparse.ArgumentParser(
        prog="python -m minigrad.classroom.release", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("lessons", nargs="*", help="numbers of lessons, as in 06 (default: all)")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and check that a run reproduces each lesson byte for byte"
    )
    chosen = parser.parse_args(arguments)
    failed = 0
    try:
        # The start page comes last: its map has the titles, the times and the exercises of all other lessons.
        in_order = sorted(sources(chosen.lessons), key=lambda source: source.name.startswith("00"))
        progress = tqdm(in_order, unit="lesson", disable=None)
    except NotReleased as problem:
        parser.error(str(problem))
    if not chosen.check:
        write_sealed(LESSONS / "source")
    for source in progress:
        progress.set_description(source.stem)
        try:
            if not chosen.check:
                progress.write(f"{release(source).name}: written")
            elif is_up_to_date(source):
                progress.write(f"{_path_of(source).name}: up to date")
            else:
                raise NotReleased(f"{_path_of(source).name} is stale; write it with the same command without --check")
        except (NotReleased, SourceError) as problem:
            failed += 1
            progress.write(str(problem) if chosen.check else f"{source.name} was not released.\n{problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
