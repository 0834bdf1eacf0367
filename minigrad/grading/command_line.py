"""The command `minigrad grade`, and functions that find its assignment. Modules are imported when the command runs."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad.lab.errors import CommandError, missing
from minigrad.lab.output import bar, say

if TYPE_CHECKING:
    from .assignment import Assignment
    from .judge import Judge
    from .roster import Roster
    from .submissions import Submissions

UNCLEAR = 3  #: the exit code if some submissions could not be read or graded in full


def add_grade(commands: argparse._SubParsersAction) -> None:
    about = "grade the submissions of a class"
    parser = commands.add_parser(
        "grade",
        help=about,
        description=f"{about.capitalize()}; graded submissions are not graded again.",
        epilog="Exit codes: 0 all graded, 1 not possible, 3 some could not be read, fully graded, or assigned.",
    )
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="its folder, as in hw1, or a lesson, as in 06")
    parser.add_argument("submissions", nargs="?", type=Path, help="the exported folder or ZIP file")
    parser.add_argument("--gradebook", type=Path, default=Path("course.db"), metavar="FILE", help="default: course.db")
    parser.add_argument(
        "-j", "--jobs", type=_jobs, default=os.cpu_count() or 1, metavar="N", help="submissions graded at once"
    )
    parser.add_argument(
        "--roster", type=Path, metavar="CSV", help="the class list, with a line of headings; the gradebook remembers it"
    )
    parser.add_argument("--due", default="", metavar="DATE", help="the deadline, as in 2026-11-20T23:59, or a day")
    parser.add_argument(
        "--late", default="", metavar="RULE", help="for late work, as in percent=10,grace=30,cap=50,days=7"
    )
    parser.add_argument("--yes", action="store_true", help="ask no questions; list who could not be assigned")
    parser.add_argument("--sandbox", default="auto", metavar="LAYERS", help="default: auto; minigrad doctor lists them")
    parser.add_argument("--i-trust-these", action="store_true", help="grade even if the sandbox leaves something open")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random inputs (default: 0)")
    parser.add_argument("--limit", action="append", default=[], metavar="NAME=N", help="as in statement=10 (seconds)")
    parser.add_argument("--again", action="store_true", help="grade again what is graded already")
    parser.add_argument("--diff", action="store_true", help="only report what the current checks would change")
    parser.add_argument("--dask", metavar="ADDRESS", help="address of a Dask scheduler, whose workers grade")
    one = "grade one notebook, or one student's folder, and store nothing"
    parser.add_argument("--one", type=Path, metavar="FILE", help=one)
    parser.add_argument("--json", action="store_true", help="with --one: print the report as JSON")
    parser.set_defaults(run=grade)


def grade(chosen: argparse.Namespace) -> int:
    """Run `minigrad grade`; return the exit code."""
    from minigrad.classroom.loading import AuthoringError

    from .gradebook import GradebookError
    from .roster import RosterError
    from .submissions import SubmissionsError

    try:
        return _grade_one(chosen) if chosen.one else _grade_class(chosen)
    except (AuthoringError, SubmissionsError, GradebookError, RosterError) as problem:
        raise CommandError(str(problem)) from None
    except ModuleNotFoundError as problem:
        raise CommandError(missing(problem.name)) from None
    except OSError as problem:
        raise CommandError(f"{problem.filename or chosen.assignment}: {problem.strerror or problem}") from None


def _grade_one(chosen: argparse.Namespace) -> int:
    from .answered_cells import answers_any
    from .handed_modules import with_modules
    from .submissions import of_one
    from .submitted_notebook import read
    from .summary import lines_of

    with _judge(chosen) as judge:
        if chosen.one.is_dir():
            answers = answers_any(judge.assignment.exercises)
            submission = of_one(chosen.one, chosen.one.resolve().name, judge.assignment.name, answers)
        elif chosen.one.is_file():  # pass no modules: the folder's other files may not belong to this notebook
            submission = with_modules(read(chosen.one), {})
        else:
            raise CommandError(f"{chosen.one} is neither a notebook nor a folder")
        report = judge.judge(submission, chosen.seed)
    say(report.to_json() if chosen.json else "\n".join(lines_of(report)))
    return 0 if report.marks is not None else UNCLEAR


def _grade_class(chosen: argparse.Namespace) -> int:
    from ..core.support.error_words import visible
    from .changed_checks import counted
    from .grade_class import Task, differences, grade_class, judged
    from .gradebook import Gradebook
    from .late import late_rule
    from .preview import ask
    from .roster import read_roster, roster_of
    from .summary import summary

    if chosen.submissions is None:
        raise CommandError("name the folder or the ZIP file with the submissions, or one file with --one")
    try:
        rule = late_rule(chosen.late, chosen.due) if chosen.due or chosen.late else None
    except ValueError as problem:
        raise CommandError(str(problem)) from None
    first = _judge(chosen)
    if first.caution:  # the warning appears before anything is run
        say(f"{first.caution} You trust these submissions.")
    task = Task(first.assignment.name, first.assignment.spec, chosen.seed)
    roster = read_roster(chosen.roster) if chosen.roster else None
    for row in roster.skipped if roster else ():
        say(row)
    decided: dict[str, str] = {}
    if chosen.gradebook.is_file():
        with Gradebook(chosen.gradebook, write=False) as book:
            decided = book.decided()
            if roster is None and (students := book.students()):
                roster = roster_of(students)
    arrive = functools.partial(_arrived, chosen, first.assignment, roster)
    arrived = arrive(decided)
    with Gradebook(chosen.gradebook, make=not chosen.diff) as book:
        asks = sys.stdin.isatty() and sys.stdout.isatty() and not (chosen.yes or chosen.diff)
        while asks and roster and arrived.unplaced and ask(book, arrived, roster, input):
            arrived = arrive(book.decided())
        if chosen.dask:
            from .dask_workers import judged_by_dask

            settings = (chosen.sandbox, first.limits, chosen.i_trust_these)
            reports = functools.partial(judged_by_dask, chosen.dask, first.assignment.path, task, *settings)
        else:
            reports = functools.partial(judged, functools.partial(_judge, chosen), task, chosen.jobs)
        if chosen.diff:
            changed, students = differences(book, task, arrived, reports)
            say("\n".join([*(visible(str(change)) for change in changed), counted(changed, students)]))
            return 0
        book.enroll(roster.rows if roster else {})
        if rule is not None:
            book.set_rule(task.assignment, rule)
        unplaced = {person: why for person, why in arrived.unplaced.values()}
        book.note_left_out(task.assignment, {**unplaced, **arrived.left_out})
        run = grade_class(book, task, arrived, reports, chosen.again, _progress)
        rule_in_words = book.rule(task.assignment).sentence
        say("\n".join(summary(task.assignment, book.grades(task.assignment), run, rule_in_words)))
        if lost := [*unplaced, *arrived.unowned]:
            say(f"\nNot placed: {visible(', '.join(lost))}. {PLACE.format(book=chosen.gradebook)}")
        say(f"\nSandbox: {', '.join(first.layers) or 'none'}.")
    return UNCLEAR if run.unclear or lost else 0


#: The command with which a teacher assigns unplaced files to a student.
PLACE = "To name the student: minigrad gradebook {book} owner PERSON STUDENT"


def _arrived(
    chosen: argparse.Namespace,
    assignment: Assignment,
    roster: Roster | None,
    decided: Mapping[str, str],
) -> Submissions:
    """Read the submissions, and print how their names and files were understood, before any of them is run."""
    from .answered_cells import answers_any
    from .late import is_day
    from .other_assignment import other_assignment
    from .preview import preview
    from .submissions import submissions_in

    name, exercises = assignment.name, assignment.exercises
    arrived = submissions_in(chosen.submissions, name, roster, decided, answers_any(exercises))
    if not arrived.submissions:
        raise CommandError(f"{chosen.submissions} holds no submission: neither a notebook nor a student's folder")
    if why := other_assignment(arrived.submissions, name, exercises, assignment.checks):
        raise CommandError(f"{chosen.submissions}: {why}")
    lines = preview(name, arrived, roster)
    lines += [f"--due {chosen.due} is the end of that day."] * is_day(chosen.due)
    if not chosen.diff:
        say("\n".join([*lines, ""]))
    return arrived


def _judge(chosen: argparse.Namespace) -> Judge:
    from minigrad.classroom.loading import AuthoringError

    from .judge import Judge

    path, limits = assignment_path(chosen.assignment), _limits(chosen.limit)
    try:
        return Judge(path, chosen.sandbox, limits, chosen.i_trust_these)
    except AuthoringError:
        raise
    except ValueError as problem:
        raise CommandError(str(problem)) from None


def assignment_path(name: str) -> Path:
    """Return the path for `name`: the folder of an assignment, a file of checks, or the checks of a lesson.

    Raises CommandError if there is none.
    """
    from minigrad.lab.handout import lessons_folder

    lesson = lessons_folder() / "source" / f"{name.zfill(2)}_checks.py"
    for folder in (Path(name), lessons_folder() / "assignments" / name):
        if folder.is_dir() and (folder / "checks.py").is_file():
            return folder.absolute()
    folder = Path(name)
    if folder.is_file() and name.endswith("_checks.py"):
        return folder.absolute()
    if name.isdecimal() and lesson.is_file():
        return lesson
    raise CommandError(f"{name} is not an assignment: there is no {folder / 'checks.py'}, and no lesson of that number")


def write_autograder(system: str, name: str) -> list[Path]:
    """Write what "gradescope" or "github" needs to grade the assignment in the folder `name`; return the files."""
    from minigrad.classroom.loading import load
    from minigrad.lab.files import write_whole

    from .exports import github, gradescope, wheel

    folder = assignment_path(name)
    if not folder.is_dir():
        raise CommandError(f"{name} is not the folder of an assignment; minigrad assign new makes one")
    if system == "gradescope":
        files = {Path(f"{folder.name}-gradescope.zip"): gradescope.autograder(folder)}
    else:
        exercises = {e.name: float(e.points) for e in load(folder / "checks.py").values() if not e.by_hand}
        workflow = github.workflow(folder.name, exercises).encode()
        files = {Path(f"{folder.name}-classroom.yml"): workflow, Path(wheel.FILE): wheel.wheel()}
    for path, data in files.items():
        write_whole(path, data)
    return list(files)


def _limits(parts: Iterable[str]) -> Any:
    """Return the resource limits, changed by settings from the command line such as "call=10"."""
    from minigrad.runner.budgets import Limits

    types = {field.name: field.type for field in dataclasses.fields(Limits)}
    changed: dict[str, float | int] = {}
    for part in parts:
        name, _, value = part.partition("=")
        if name not in types:
            raise CommandError(f"there is no limit {name!r}; the limits are {', '.join(types)}")
        try:
            changed[name] = int(value) if types[name] == "int" else float(value)
        except ValueError:
            raise CommandError(f"the limit {name} is a number, as in {name}=10, not {value!r}") from None
    return Limits(**changed)  # type: ignore[arg-type]


def _progress(reports: Iterator[Any], count: int) -> Iterable[Any]:
    return bar(reports, count, desc="graded", unit="submission")


def _jobs(text: str) -> int:
    if text.isdecimal() and 0 < int(text) <= 256:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 256, got {text!r}")
