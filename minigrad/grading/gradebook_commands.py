"""The command `minigrad gradebook`: show grades, change them manually with a reason, export them, write pages.

Modules for a command are imported when it runs.
"""

from __future__ import annotations

import argparse
import difflib
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from minigrad.lab.errors import CommandError

if TYPE_CHECKING:
    from .gradebook import Gradebook
    from .grades import Grade

MOST_NAMED = 8  #: maximum number of students listed in the message about an unknown student
FORMATS = ("csv", "moodle", "moodle-feedback", "canvas", "brightspace", "blackboard", "nbgrader")


def add_gradebook(commands: argparse._SubParsersAction) -> None:
    about = "show a gradebook, adjust marks, export them, or write feedback pages"
    parser = commands.add_parser("gradebook", help=about, description=f"{about.capitalize()}.")
    parser.add_argument("gradebook", type=Path, metavar="FILE", help="as in course.db")
    steps = parser.add_subparsers(title="steps", metavar="STEP", required=True)
    step = steps.add_parser("show", help="the grades of an assignment, with the reason for each deduction")
    step.add_argument("assignment", nargs="?", default="", metavar="ASSIGNMENT", help="default: all")
    step.add_argument("--student", default="", metavar="STUDENT", help="only one student, with every exercise")
    step.set_defaults(run=show)
    step = steps.add_parser("totals", help="the total over all assignments, and work without marks")
    step.add_argument("output", nargs="?", type=Path, metavar="FILE", help="a CSV file to write, as in totals.csv")
    step.set_defaults(run=show_totals)
    step = steps.add_parser("adjust", help="set the marks of an exercise, or add to the total")
    step.add_argument("assignment", metavar="ASSIGNMENT")
    step.add_argument("student", metavar="STUDENT")
    step.add_argument("marks", type=float, metavar="MARKS", help="the exercise's new marks, or the marks to add")
    step.add_argument("--exercise", metavar="NAME", help="without it, the marks are added to the total")
    step.add_argument("--why", required=True, metavar="TEXT", help="the reason, which the student can be shown")
    step.add_argument("--who", default="", metavar="NAME", help="default: your name on this computer")
    step.add_argument("--alone", action="store_true", help="for this student, not for the whole group")
    step.set_defaults(run=adjust)
    step = steps.add_parser("open", help="read and mark the class in a browser on this computer")
    step.add_argument(
        "--who", default="", metavar="NAME", help="stored with your marks (default: your name on this computer)"
    )
    step.add_argument("--port", type=int, default=0, metavar="N", help="default: a free port")
    step.add_argument("--no-browser", action="store_true", help="only print the address")
    step.set_defaults(run=open_desk)
    step = steps.add_parser("withdraw", help="withdraw a manual mark, by its number in `show --student`")
    step.add_argument("number", type=int, metavar="NUMBER")
    step.add_argument("--why", default="undone", metavar="TEXT")
    step.add_argument("--who", default="", metavar="NAME", help="default: your name on this computer")
    step.set_defaults(run=withdraw)
    for name, about in (
        ("extend", "give one student more time"),
        ("excuse", "excuse a student from an assignment: no mark, not a zero"),
    ):
        step = steps.add_parser(name, help=about)
        step.add_argument("assignment", metavar="ASSIGNMENT")
        step.add_argument("student", metavar="STUDENT")
        if name == "extend":
            step.add_argument("time", type=_seconds, metavar="TIME", help="after the deadline, as in 48h or 2d")
        step.add_argument("--why", required=True, metavar="TEXT", help="the reason, which the student can be shown")
        step.add_argument("--who", default="", metavar="NAME", help="default: your name on this computer")
        step.set_defaults(run=allow)
    step = steps.add_parser("group", help="students who hand in together; without students, the group ends")
    step.add_argument("assignment", metavar="ASSIGNMENT")
    step.add_argument("name", metavar="NAME")
    step.add_argument("students", nargs="*", metavar="STUDENT")
    step.set_defaults(run=group)
    step = steps.add_parser("owner", help="name the owner of files that grade could not place")
    step.add_argument("person", metavar="PERSON", help="as grade shows it")
    step.add_argument("student", nargs="?", default="", metavar="STUDENT")
    step.add_argument("--nobody", action="store_true", help="they belong to no student, and are left out")
    step.add_argument("--who", default="", metavar="NAME", help="default: your name on this computer")
    step.set_defaults(run=owner_of)
    step = steps.add_parser("rename", help="move everything stored under a wrong name to the right student")
    step.add_argument("old", metavar="OLD")
    step.add_argument("new", metavar="NEW")
    step.add_argument("--who", default="", metavar="NAME", help="default: your name on this computer")
    step.set_defaults(run=rename)
    step = steps.add_parser("merge", help="merge another assistant's gradebook into this one, and show the differences")
    step.add_argument("other", type=Path, metavar="OTHER", help="as in assistant.db; it is not changed")
    step.add_argument("--who", default="", metavar="NAME", help="default: your name on this computer")
    step.set_defaults(run=merge_other)
    step = steps.add_parser("remove", help="remove a mistaken name, or a student who left, from the tables")
    step.add_argument("student", metavar="NAME")
    step.add_argument("--why", default="removed", metavar="TEXT")
    step.add_argument("--who", default="", metavar="NAME", help="default: your name on this computer")
    step.set_defaults(run=remove)
    step = steps.add_parser("export", help="write the grades in another system's format")
    step.add_argument("assignment", metavar="ASSIGNMENT")
    step.add_argument("to", choices=FORMATS, help="the system; moodle-feedback is a ZIP file of pages")
    step.add_argument("output", type=Path, metavar="FILE", help="the file to write, as in hw1.csv")
    step.add_argument("--column", default="", metavar="TEXT", help='the heading of its marks, as in "hw1 (1234)"')
    step.add_argument("--after", action="store_true", help='in pages, also show what is revealed "after" the deadline')
    step.set_defaults(run=export)
    step = steps.add_parser("feedback", help="write a page for each student, and one for the class")
    step.add_argument("assignment", metavar="ASSIGNMENT")
    step.add_argument("folder", type=Path, metavar="FOLDER", help="where the pages go, as in feedback")
    step.add_argument("--after", action="store_true", help='also show what checks reveal "after" the deadline')
    step.add_argument(
        "--handed-out", type=Path, metavar="NOTEBOOK", help="the released notebook, for the note on similar code"
    )
    step.set_defaults(run=feedback)


@contextmanager
def _opened(path: Path, assignment: str = "", write: bool = False) -> Iterator[Gradebook]:
    """Open the gradebook in a file for reading, or also to `write`.

    Raises CommandError if the file cannot be opened, or if the gradebook does not have the `assignment`.
    """
    from .gradebook import Gradebook, GradebookError

    try:
        with Gradebook(path, make=False, write=write) as book:
            if assignment and assignment not in book.assignments():
                there = ", ".join(book.assignments()) or "none"
                raise CommandError(f"there is no assignment {assignment!r}; there are {there}")
            yield book
    except GradebookError as problem:
        raise CommandError(str(problem)) from None


def show(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE show`."""
    from .summary import lines_of_student, summary

    with _opened(chosen.gradebook, chosen.assignment) as book:
        for name in [chosen.assignment] if chosen.assignment else book.assignments():
            grades = book.grades(name)
            if chosen.student:
                student = student_named(book, name, chosen.student)
                grades = [g for g in grades if g.student == student]
            rule = book.rule(name).sentence
            lines = lines_of_student(name, grades[0], rule) if chosen.student else summary(name, grades, rule=rule)
            print("\n".join(lines))
    return 0


def show_totals(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE totals`."""
    from minigrad.lab.files import write_whole

    from .exports.grades_csv import csv_text
    from .totals import cells, headings, lines, totals

    with _opened(chosen.gradebook) as book:
        students, roster = totals(book), book.students()
    names = headings(students)  # taken from all students, so that each assignment has a column
    unknown = [t.student for t in students if roster and t.student not in roster]
    students = [t for t in students if t.student not in unknown] if chosen.output else students
    if chosen.output is None:
        print("\n".join(lines(students)))
        return 0
    try:
        write_whole(chosen.output, b"\xef\xbb\xbf" + csv_text(cells(students, names)).encode())
    except OSError as problem:
        raise CommandError(f"{chosen.output} was not written: {problem.strerror or problem}") from None
    print(f"{chosen.output}: {len(students)} students; {', '.join(names) or 'no assignment'}")
    _print_held_back(unknown)
    return 0


def _print_held_back(unknown: list[str]) -> None:
    from ..core.support.error_words import visible

    if unknown:
        print(f"not exported, because the roster does not have them: {visible(', '.join(unknown))}")


def student_named(book: Gradebook, assignment: str, text: str, follow: bool = True) -> str:
    """Return the student whom `text` identifies: an id, a name, a folder's name, or an unambiguous part of one of them.

    assignment : the assignment whose students are searched, "" for all. follow : whether a name in the path of a file
        also identifies the student whom the teacher chose as the owner of that file.
    """
    from .platforms import owner

    names = [assignment] if assignment else book.assignments()
    grades = list({g.student: g for name in names for g in book.grades(name)}.values())
    path = owner((text, "notebook.ipynb"), assignment)
    part = text.casefold()
    tests: list[Callable[[Grade], bool]] = [
        lambda g: text == g.student,
        lambda g: text == g.name,
        lambda g: part in (g.student.casefold(), g.name.casefold()),
        lambda g: g.student in (follow and book.decided().get(text), *path.logins, *path.names),
        lambda g: bool(part) and (part in g.student.casefold() or part in g.name.casefold()),
        lambda g: bool(part) and _plain_letters(part) in _plain_letters(g.name.casefold()),
    ]
    for test in tests:
        fits = [g for g in grades if test(g)]
        if len(fits) == 1:
            return fits[0].student
        if fits:
            raise CommandError(f"{text!r} may be {' or '.join(g.who for g in fits)}; write more of the name")
    raise CommandError(f"{assignment or 'the gradebook'} has no student {text!r}; {_some_of(grades, part)}")


def _plain_letters(text: str) -> str:
    """Return text without accents, with e for é."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def _some_of(grades: list[Grade], part: str) -> str:
    """Return a phrase that lists the students who may be meant: all if there are few, else those with similar names."""
    if len(grades) <= MOST_NAMED:
        return f"there are {', '.join(g.student for g in grades) or 'none'}"
    names = {name.casefold(): g.who for g in grades for name in (g.student, g.name, *g.name.split())}
    near = dict.fromkeys(names[name] for name in difflib.get_close_matches(part, names, MOST_NAMED))
    return f"similar are {', '.join(near)}" if near else f"show lists all {len(grades)}"


def _who(book: Gradebook, student: str) -> str:
    """Return a student's name and id in the form that the tables show."""
    from .roster import full_name

    name = full_name(book.students().get(student, {}))
    return f"{name} ({student})" if name and name != student else student


def owner_of(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE owner`."""
    with _opened(chosen.gradebook, write=True) as book:
        student = ""
        if not chosen.nobody:
            student = student_named(book, "", chosen.student)
        book.settle(chosen.person, student, chosen.person, chosen.who)
        whose = _who(book, student) or "nobody"
    print(f"{chosen.person}: {whose}, from the next minigrad grade on")
    return 0


def rename(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE rename`."""
    with _opened(chosen.gradebook, write=True) as book:
        old = student_named(book, "", chosen.old, follow=False)
        try:
            new = student_named(book, "", chosen.new)
        except CommandError:
            if len(book.students()):  # a class with a roster contains only the students in it
                raise
            new = chosen.new
        if new == old:  # happens for example if the new name is a part of the old one
            new = chosen.new
        was = _who(book, old)
        book.rename(old, new, chosen.who)
        now = _who(book, new)
    print(f"{was} is now {now}, with all manual marks, and in later runs too")
    return 0


def merge_other(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE merge`."""
    from ..core.support.error_words import visible
    from .class_list import user
    from .merging import merge

    with _opened(chosen.other) as other, _opened(chosen.gradebook, write=True) as book:
        differ = merge(book, other, chosen.who or user())
    count = "1 mark differs" if len(differ) == 1 else f"{len(differ) or 'no'} marks differ"
    print("\n".join([*map(visible, differ), f"{chosen.gradebook} has what {chosen.other} has; {count}"]))
    return 0


def remove(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE remove`."""
    with _opened(chosen.gradebook, write=True) as book:
        student = student_named(book, "", chosen.student, follow=False)
        was = _who(book, student)
        book.remove(student, chosen.why, chosen.who)
    print(f"{was} no longer appears in tables and exports; the rows stay in {chosen.gradebook}")
    return 0


def adjust(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE adjust`."""
    from ..core.support.error_words import visible

    with _opened(chosen.gradebook, write=True) as book:
        student = student_named(book, chosen.assignment, chosen.student)
        whose = (student, chosen.assignment)
        book.adjust(*whose, chosen.marks, chosen.why, chosen.exercise, chosen.who, alone=chosen.alone)
        (grade,) = [g for g in book.grades(chosen.assignment) if g.student == student]
        together = [s for s in grade.group if s != student]
        also = f"the same for {', '.join(together)}, of the same group; use --alone for one student"
        print("\n".join(map(visible, [*grade.words, *([also] if together and not chosen.alone else [])])))
    return 0


def open_desk(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE open`."""
    from .desk.local import serve
    from .gradebook import GradebookError

    try:
        serve(chosen.gradebook, chosen.who, chosen.port, not chosen.no_browser)
    except GradebookError as problem:
        raise CommandError(str(problem)) from None
    return 0


def withdraw(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE withdraw`."""
    with _opened(chosen.gradebook, write=True) as book:
        gone = book.withdraw(chosen.number, chosen.why, chosen.who)
    print(f"withdrawn: {gone.exercise or 'the sum'}, {gone.marks:g} by {gone.who}: {gone.why}")
    return 0


def allow(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE extend` or `excuse`."""
    seconds = getattr(chosen, "time", None)
    with _opened(chosen.gradebook, chosen.assignment, write=True) as book:
        student = student_named(book, chosen.assignment, chosen.student)
        whose = (student, chosen.assignment)
        book.allow(*whose, seconds or 0.0, chosen.why, chosen.who, excused=seconds is None)
        (grade,) = [g for g in book.grades(chosen.assignment) if g.student == student]
        print("\n".join([f"{grade.who}, {chosen.assignment}: {grade.status}", *grade.words]))
    return 0


def group(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE group`."""
    with _opened(chosen.gradebook, chosen.assignment, write=True) as book:
        students = [student_named(book, chosen.assignment, student) for student in chosen.students]
        book.set_group(chosen.assignment, chosen.name, students)
    print(f"{chosen.assignment}, {chosen.name}: {', '.join(students) or 'nobody'}")
    return 0


def _seconds(text: str) -> float:
    number, unit = text[:-1], text[-1:]
    try:
        return float(number) * {"m": 60.0, "h": 3600.0, "d": 86_400.0}[unit]
    except (ValueError, KeyError):
        raise argparse.ArgumentTypeError(f"expected a time as in 90m, 48h or 2d, got {text!r}") from None


def export(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE export`."""
    from minigrad.lab.files import write_whole

    from .exports import formgrader, grades_csv, moodle_feedback

    with _opened(chosen.gradebook, chosen.assignment) as book:
        grades, roster = book.grades(chosen.assignment), book.students()
        rule, unread = book.rule(chosen.assignment).sentence, book.left_out(chosen.assignment)
    unknown = [g.student for g in grades if roster and g.student not in roster]
    grades = [g for g in grades if g.student not in unknown]
    left_out: list[str] = []
    try:
        if chosen.to == "nbgrader":
            formgrader.write(chosen.output, chosen.assignment, grades)
        elif chosen.to == "moodle-feedback":
            data, left_out = moodle_feedback.feedback_files(chosen.assignment, grades, roster, rule, chosen.after)
            write_whole(chosen.output, data)
        elif chosen.to == "csv":
            write_whole(chosen.output, b"\xef\xbb\xbf" + grades_csv.spreadsheet(grades, roster, unread).encode())
        else:
            text = getattr(grades_csv, chosen.to)(chosen.assignment, grades, roster, chosen.column)
            write_whole(chosen.output, text.encode())
    except ModuleNotFoundError:
        raise CommandError("nbgrader is missing from this Python: python -m pip install nbgrader") from None
    except OSError as problem:
        raise CommandError(f"{chosen.output} was not written: {problem.strerror or problem}") from None
    empty = sum(g.marks is None for g in grades)
    print(f"{chosen.output}: {len(grades) - len(left_out)} students" + f", {empty} without marks" * bool(empty))
    _print_held_back(unknown)
    if left_out:
        why = "their numbers in Moodle are not known; use its grading worksheet as the roster"
        print(f"not in it, because {why}: {', '.join(left_out)}")
    return 0


def feedback(chosen: argparse.Namespace) -> int:
    """Run `minigrad gradebook FILE feedback`."""
    from .pages import write_pages
    from .submitted_notebook import read

    handed_out = "\n".join(cell.source for cell in read(chosen.handed_out).cells) if chosen.handed_out else ""
    try:
        with _opened(chosen.gradebook, chosen.assignment) as book:
            written = write_pages(book, chosen.assignment, chosen.folder, due_over=chosen.after, handed_out=handed_out)
    except OSError as problem:
        raise CommandError(f"{problem.filename or chosen.folder}: {problem.strerror or problem}") from None
    print(f"written: {written[0]}, and {len(written) - 1} pages for students in {chosen.folder / 'students'}")
    return 0
