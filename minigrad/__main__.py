"""The command line: `minigrad lab` opens the lessons, and `minigrad assign` makes assignments.

`python -m minigrad` runs the same commands.

Each command has a function ``_add_...``, which declares the arguments and registers the function to run. A module that
only one command needs is imported when that command runs.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from minigrad import __version__
from minigrad.grading.command_line import add_grade, write_autograder
from minigrad.grading.gradebook_commands import add_gradebook
from minigrad.lab.errors import CommandError, missing
from minigrad.lab.output import bar, discard_output


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 for success, 1 for failure, 2 for wrong usage, 130 if interrupted.

    >>> main([])  # doctest: +ELLIPSIS
    usage: minigrad ...
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # write escapes such as \u2014 for characters that the stream cannot encode
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if not hasattr(chosen, "run"):
        parser.print_help()
        return 0
    code = 0
    try:
        code = chosen.run(chosen)
        print(end="", flush=True)
    except CommandError as error:
        print(f"minigrad: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the program that reads the output, such as `head`, has exited
        discard_output()
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minigrad", description="Gradients you can see, replace and repair: the lessons."
    )
    parser.add_argument("--version", action="version", version=f"minigrad {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_lab(commands)
    _add_assign(commands)
    _add_doctor(commands)
    _add_submit(commands)
    _add_restore(commands)
    add_grade(commands)
    add_gradebook(commands)
    return parser


def _add_lab(commands: argparse._SubParsersAction) -> None:
    about = "open the lessons in JupyterLab"
    parser = commands.add_parser(
        "lab",
        help=about,
        description="Copy the lessons into your own folder, keeping everything you have changed there, "
        "and open them in JupyterLab.",
    )
    parser.add_argument("lesson", nargs="?", help="a lesson's number or name (default: the first)")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("~/minigrad-lessons"),
        metavar="DIR",
        help="your folder for the lessons (default: minigrad-lessons in your home folder)",
    )
    parser.add_argument("--port", type=_port, metavar="N", help="the port to use (default: a free port)")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    parser.set_defaults(run=_lab)


def _lab(chosen: argparse.Namespace) -> int:
    from minigrad.lab.launch import lab

    return lab(chosen.folder, lesson=chosen.lesson, port=chosen.port, browser=not chosen.no_browser)


def _add_assign(commands: argparse._SubParsersAction) -> None:
    about = "write your own assignment for students"
    parser = commands.add_parser("assign", help=about, description=f"{about.capitalize()}, in your own folder.")
    steps = parser.add_subparsers(title="steps", metavar="STEP", dest="step", required=True)
    for step, what in {
        "new": "make the folder NAME with a small example in it",
        "check": "prove that the solutions pass, and that blank and wrong answers do not",
        "release": "prove it, and write what students receive into NAME/release",
        "gradescope": "write NAME-gradescope.zip, an autograder to upload to Gradescope",
        "github": "write NAME-classroom.yml, a workflow for GitHub Classroom, and the wheel that it installs",
    }.items():
        described = steps.add_parser(step, help=what, description=what.capitalize() + ".")
        described.add_argument("name", metavar="NAME", help="the folder of the assignment, as in hw1")
    parser.set_defaults(run=_assign)


def _assign(chosen: argparse.Namespace) -> int:
    try:
        from minigrad.classroom import authoring
        from minigrad.classroom.loading import AuthoringError
        from minigrad.classroom.notebook import SourceError
        from minigrad.classroom.release import NotReleased

        if chosen.step == "new":
            folder = authoring.new(Path(chosen.name))
            print(f"{folder} is made. Change its files, then: minigrad assign check {chosen.name}")
        elif chosen.step == "check":
            print("\n".join([*authoring.check(chosen.name, _graded_alike), GRADED_ALIKE]))
        elif chosen.step in ("gradescope", "github"):
            print("\n".join(f"written: {file}" for file in write_autograder(chosen.step, chosen.name)))
        else:
            files, proven = authoring.release(chosen.name, _graded_alike)
            print("\n".join([*proven, GRADED_ALIKE, *(f"written: {file}" for file in files)]))
    except ModuleNotFoundError as problem:
        raise CommandError(missing(problem.name)) from None
    except (authoring.Refused, AuthoringError, SourceError) as problem:
        raise CommandError(str(problem)) from None
    except NotReleased as problem:
        raise CommandError(f"{chosen.name} cannot be released:\n{problem}") from None
    except OSError as problem:
        raise CommandError(f"{problem.filename or chosen.name}: {problem.strerror or problem}") from None
    return 0


GRADED_ALIKE = "graded by the judge: the solutions are right, and the known wrong answers are not"


def _graded_alike(path: Path) -> list[str]:
    """Grade the answers that an assignment's author wrote, and return a sentence for each unexpected verdict."""
    from minigrad.grading.author_answers import disagreements

    return disagreements(path, lambda tried: bar(tried, desc="graded", unit="answer"))


def _add_submit(commands: argparse._SubParsersAction) -> None:
    about = "look at your notebook as it will be graded, and write the copy that you hand in"
    parser = commands.add_parser("submit", help=about, description=f"{about.capitalize()}. Nothing is sent anywhere.")
    _add_notebook(parser)
    parser.set_defaults(run=_submit)


def _submit(chosen: argparse.Namespace) -> int:
    from minigrad.grading.submitting import submit

    print("\n".join(submit(chosen.notebook, chosen.assignment)))
    return 0


def _add_restore(commands: argparse._SubParsersAction) -> None:
    about = "bring back the cell of an exercise as it was handed out"
    parser = commands.add_parser("restore", help=about, description=f"{about.capitalize()}; your file is kept.")
    _add_notebook(parser)
    parser.add_argument("--exercise", required=True, metavar="NAME", help='as in check("NAME")')
    parser.add_argument("--from", dest="release", type=Path, metavar="FILE", help="the notebook as you received it")
    parser.set_defaults(run=_restore)


def _restore(chosen: argparse.Namespace) -> int:
    from minigrad.grading.restoring import restore

    print("\n".join(restore(chosen.notebook, chosen.exercise, chosen.release, chosen.assignment)))
    return 0


def _add_notebook(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("notebook", type=Path, metavar="FILE", help="your notebook, as in hw1.ipynb")
    parser.add_argument(
        "--assignment", default="", metavar="NAME", help="the assignment's name, if the file has another name"
    )


def _add_doctor(commands: argparse._SubParsersAction) -> None:
    about = "report which layers of the grading sandbox work on this computer"
    parser = commands.add_parser("doctor", help=about, description=about.capitalize() + "; each is tried.")
    parser.set_defaults(run=_doctor)


def _doctor(chosen: argparse.Namespace) -> int:
    from minigrad.grading.sandbox_canary import choose, enough

    sandbox = choose()
    print(f"What a submission runs in when it is graded here:\n{sandbox}\n{enough(sandbox.layers)}")
    return 0


def _port(text: str) -> int:
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 65535, got {text!r}")


if __name__ == "__main__":
    sys.exit(main())
