"""Show how `grade` understood an export before anything is run, and ask about the people it could not place."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

from ..core.support.error_words import visible
from .gradebook import Gradebook
from .roster import Roster, full_name
from .submissions import Submissions

HOW = "the number or the name of a student; Enter: later; -: nobody's; q: stop here"


def preview(assignment: str, arrived: Submissions, roster: Roster | None) -> list[str]:
    """Return lines about an export: the counts, the form of the file names, and which people and files are left out.

    The reason is added for each person who could not be placed and each file that was not read.
    """
    return [visible(line) for line in _preview(assignment, arrived, roster)]


def _preview(assignment: str, arrived: Submissions, roster: Roster | None) -> Iterator[str]:
    files = sum(arrived.platforms.values())
    placed = len(arrived.submissions) - len(arrived.unplaced)
    of = f" of {len(roster.rows)}" if roster else ""
    named = ", ".join(arrived.platforms)
    yield f"{assignment}: {_count(files, 'file')} in the form of {named}, {_count(placed, 'student')}{of}."
    if arrived.times:
        yield f"Time not known: {arrived.times}. Nothing is deducted for it."
    if arrived.unplaced:
        yield f"{_count(len(arrived.unplaced), 'person', 'people')} could not be placed. Who is it?"
        rows = [(person, arrived.paths[name], why) for name, (person, why) in arrived.unplaced.items()]
        yield from _table([("in the paths", "file", "why"), *rows])
    if arrived.left_out:
        yield "Not read:"
        yield from _table(list(arrived.left_out.items()))


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


def ask(book: Gradebook, arrived: Submissions, roster: Roster, answer: Callable[[str], str]) -> bool:
    """Ask who owns the files that could not be placed; store each answer at once, and return whether any was given.

    answer : a function that asks a question, such as `input`.

    Raises KeyboardInterrupt if the teacher wants to stop.
    """
    decided = False
    for label, (person, why) in arrived.unplaced.items():
        near = _nearest(person, arrived.missing, roster)
        print(visible(f"\n{person}: {why}"))
        for number, student in enumerate(near, start=1):
            print(visible(f"  {number}  {_shown(student, roster)}"))
        while True:
            reply = answer(f"Who is it? ({HOW}) ").strip()
            if reply.lower() == "q":
                raise KeyboardInterrupt  # like Ctrl-C: answers are stored, nothing is graded
            fits = (near[int(reply) - 1],) if reply.isdecimal() and 0 < int(reply) <= len(near) else roster.fits(reply)
            if not reply or reply == "-" or len(fits) == 1:
                break
            print(f"{visible(reply)}: {' or '.join(fits) if fits else 'nobody in the roster has that name'}")
        if reply:
            book.settle(person, "" if reply == "-" else fits[0], label)
            decided = True
    return decided


def _nearest(person: str, missing: tuple[str, ...], roster: Roster) -> list[str]:
    """Return at most nine students without a file, the most similar names first."""
    alike = lambda student: difflib.SequenceMatcher(None, person.casefold(), _shown(student, roster).casefold()).ratio()
    return sorted(missing, key=alike, reverse=True)[:9]


def _shown(student: str, roster: Roster) -> str:
    name = full_name(roster.rows[student])
    return f"{student}  {name}" if name not in ("", student) else student
