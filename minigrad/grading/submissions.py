"""Find the submissions of a class in a folder or ZIP file: `submissions_in(path)`, one for each student.

The names come from the paths (see `names`). With a roster, students who are missing or not in the class are listed.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from .archives import Found, SubmissionsError, files, inner_files
from .owners import Owner, common_folder, gradescope_owners, is_named, owner, seconds
from .roster import Roster
from .submitted_notebook import Submission, parse, reason, unread

__all__ = ["Submissions", "SubmissionsError", "submissions_in"]

WITHIN = ": "  #: between the name of a ZIP file and the path in it
SPELLED = "the name stands here in two ways that look the same, with letters and accents in one or apart; taken for one"


@dataclass(frozen=True)
class Submissions:
    """The submissions that were found. submissions : the one that counts, by student. earlier : their other files.

    missing : students of the roster without a file. unknown : students who are not in the roster.
    """

    submissions: tuple[Submission, ...]
    earlier: tuple[Submission, ...] = ()
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def submissions_in(where: Path | str, assignment: str = "", roster: Roster | None = None) -> Submissions:
    """Read every submission in a folder or ZIP file. Raises SubmissionsError if there is none.

    assignment : its name, such as hw1: a student's notebooks named after it are read, the others are scratch work.
    """
    handed_in = _by_student(list(files(where)), Path(where).stem, assignment, roster)
    counted: list[Submission] = []
    earlier: list[Submission] = []
    for student in sorted(handed_in, key=lambda name: (name.casefold(), name)):
        *before, latest = sorted(handed_in[student], key=_in_order)
        if before:
            others = ", ".join(s.file for s in before)
            latest = _noted(latest, f"{len(before) + 1} files; {latest.file} counts, the latest; also kept: {others}")
        earlier += before
        counted.append(latest)
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    if roster is not None:
        missing = tuple(student for student in roster.rows if student not in handed_in)
        unknown = tuple(s.student for s in counted if s.student not in roster.rows)
        counted = [_noted(s, "not in the roster") if s.student in unknown else s for s in counted]
    return Submissions(tuple(_with_twins(counted)), tuple(earlier), missing, unknown)


def _by_student(found: list[Found], stem: str, assignment: str, roster: Roster | None) -> dict[str, list[Submission]]:
    """The submissions of each student. A student without a notebook has one whose `unreadable` gives the reason."""
    depth = common_folder([file.parts for file in found], stem, assignment)
    found = [replace(file, parts=file.parts[depth:]) for file in found]
    known, times = _tables(found)
    of: dict[str, list[tuple[Owner, Found]]] = defaultdict(list)
    people: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    spelled: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file in found:
        whose = owner(file.parts, assignment, known)
        of_nobody = len(file.parts) == 1 and not whose.ids and not _may_be(file)
        if of_nobody or file.parts[-1] in ("submission_metadata.yml", "timestamp.txt"):
            continue
        of[whose.name].append((whose, file))
        people[whose.name].add(whose.ids)
        spelled[whose.name, unicodedata.normalize("NFC", file.parts[0])].add(file.parts[0])
    twice = {name for (name, _), ways in spelled.items() if len(ways) > 1}
    read: dict[str, list[Submission]] = defaultdict(list)
    for name, each in of.items():
        for ids in sorted(people[name]):
            student = (roster.find([*ids, name]) if roster else None) or (
                f"{name} ({ids[0]})" if ids and len(people[name]) > 1 else name
            )
            own = [(whose, file) for whose, file in each if whose.ids == ids]
            those = _read(student, own, assignment, times)
            read[student] += [_noted(s, SPELLED) for s in those] if name in twice else those
    return read


def of_one(where: Path, student: str, assignment: str = "") -> Submission:
    """The submission of one student whose files are all in the folder `where`; the latest one counts."""
    own = [(Owner(student, file.parts[-1]), file) for file in files(where)]
    if not own:
        return unread(student, where.name, "no file was handed in")
    return sorted(_read(student, own, assignment, {}), key=_in_order)[-1]


def _in_order(submission: Submission) -> tuple[float, str]:
    return submission.received or 0.0, submission.file


def _tables(found: Iterable[Found]) -> tuple[dict[str, Owner], dict[tuple[str, ...], float]]:
    """The contents of Gradescope's and nbgrader's own files: the owner of each folder, and when it was handed in."""
    known: dict[str, Owner] = {}
    times: dict[tuple[str, ...], float] = {}
    for file in found:
        if file.parts[-1] in ("submission_metadata.yml", "timestamp.txt"):
            try:
                text = file.load().decode("utf-8", "replace")
            except (OSError, ValueError):
                continue
            if file.parts[-1] == "submission_metadata.yml" and len(file.parts) == 1:
                known = gradescope_owners(text)
            elif (when := seconds(text)) is not None:
                times[file.parts[:-1]] = when
    return known, times


def _may_be(file: Found) -> bool:
    return file.parts[-1].lower().endswith((".ipynb", ".zip"))


def _read(
    student: str, own: list[tuple[Owner, Found]], assignment: str, times: dict[tuple[str, ...], float]
) -> list[Submission]:
    """The notebooks of one student, including those in a ZIP file; an unreadable submission if there is none."""
    opened: list[tuple[Owner, Found]] = []
    failed: list[Submission] = []
    for whose, file in own:
        if file.parts[-1].lower().endswith(".zip"):
            try:
                inside = inner_files(file.load())
            except (OSError, ValueError) as problem:
                failed.append(unread(student, whose.file, str(problem), received=file.written))
            else:
                opened += [(replace(whose, file=f"{whose.file}{WITHIN}{'/'.join(f.parts)}"), f) for f in inside]
        else:
            opened.append((whose, file))
    notebooks = [(whose, file) for whose, file in opened if file.parts[-1].lower().endswith(".ipynb")]
    named = [(whose, file) for whose, file in notebooks if assignment and is_named(whose.file, assignment)]
    read = [_one(student, whose, file, times) for whose, file in named or notebooks]
    if read or failed:
        return _without_bad_members(read) + failed
    names = ", ".join(sorted(whose.file for whose, _ in opened)[:5])
    times_ = [file.written for _, file in own if file.written is not None]
    return [unread(student, names, f"no notebook among the files: {names}", received=max(times_, default=None))]


def _without_bad_members(read: list[Submission]) -> list[Submission]:
    """The submissions, without those that cannot be read and stand in a ZIP file with others that can, which say so."""
    container = lambda s: s.file.partition(WITHIN)[0] if WITHIN in s.file else None
    good = {container(s) for s in read if not s.unreadable} - {None}
    bad = [s for s in read if s.unreadable and container(s) in good]
    for lost in bad:
        why = f"{lost.file} could not be read: {lost.unreadable}"
        read = [_noted(s, why) if container(s) == container(lost) and s not in bad else s for s in read]
    return [s for s in read if s not in bad]


def _one(student: str, whose: Owner, file: Found, times: dict[tuple[str, ...], float]) -> Submission:
    received = whose.received or times.get(file.parts[:-1]) or file.written
    try:
        submission = parse(file.load(), student, whose.file, received)
    except (OSError, ValueError) as problem:
        submission = unread(student, whose.file, reason(problem), received=received)
    return _noted(submission, whose.note) if whose.note else submission


def _with_twins(submissions: list[Submission]) -> Iterable[Submission]:
    """The submissions, with a note, which is no verdict, on those that equal another student's byte for byte."""
    same: dict[str, list[str]] = defaultdict(list)
    for s in submissions:
        same[s.digest].append(s.student)
    for s in submissions:
        others = [name for name in same[s.digest] if name != s.student] if s.digest not in ("", _EMPTY) else []
        yield _noted(s, f"the same bytes as the file of {', '.join(others)}") if others else s


_EMPTY = hashlib.sha256(b"").hexdigest()


def _noted(submission: Submission, note: str) -> Submission:
    return replace(submission, notes=(*submission.notes, note))
