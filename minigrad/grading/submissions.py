"""Find the submissions of a class in a folder or ZIP file: `submissions_in(path)` finds one for each student.

The names come from the paths (see `platforms`), or from the roster, if any (see `owners`). The newest readable file of
a student counts if it has an answer. Every other file is listed with the reason why it does not count.
"""

from __future__ import annotations

import bisect
import contextlib
import hashlib
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .archives import Found, SubmissionsError, files, inner_files
from .handed_modules import HANDED_OUT, module_name, with_modules
from .owners import placed
from .platforms import Owner, by_number, common_folder, exactness, gradescope_owners, is_named, owner, seconds
from .roster import Roster
from .submitted_notebook import Submission, is_notebook, kind_of, parse, reason, unread

__all__ = ["Submissions", "SubmissionsError", "submissions_in"]

WITHIN = ": "  #: the text between the name of a ZIP file and a path in it
SPELLED = (
    "the name is written in two ways that look the same, with accents as part of a letter or apart; they count as one"
)
NOBODYS = "you decided that it is nobody's"
DRAFTS = "a draft in Teams, which was not handed in"
#: Files that a platform puts next to the files of a class, such as a table of marks.
_OF_PLATFORM = re.compile(r"\.(?:html?|csv|xlsx?|ods|tsv|ya?ml|txt|log)$|^timestamp\b", re.IGNORECASE)
EXPORTED, COPIED = 600.0, 2.0  #: files written within this many seconds come from one export, or one copy of a folder
Answers = Callable[[Submission], bool]
_Owned = tuple[Owner, Found]


@dataclass(frozen=True)
class Submissions:
    """The submissions that were found.

    submissions : student -> the submission that counts. earlier : the students' other files. missing : students of the
        roster without a file.
    unplaced : name under which the files of a person who could not be placed are stored -> the name in the paths, and
        the reason why it matches no student. paths : unplaced person -> the path of a file.
    left_out : file without an owner -> the reason why it is not read. platforms : platform -> number of files. times :
        a sentence about the dates of the files.
    """

    submissions: tuple[Submission, ...]
    earlier: tuple[Submission, ...] = ()
    missing: tuple[str, ...] = ()
    unplaced: dict[str, tuple[str, str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    platforms: dict[str, int] = field(default_factory=dict)
    times: str = ""
    paths: dict[str, str] = field(default_factory=dict)

    @property
    def unowned(self) -> tuple[str, ...]:
        """The files that were not read, but may belong to a student."""
        return tuple(
            f for f, why in self.left_out.items() if why not in (NOBODYS, DRAFTS) and not _OF_PLATFORM.search(f)
        )

    @property
    def unknown(self) -> tuple[str, ...]:
        """The names under which the files of people who could not be placed are stored."""
        return tuple(self.unplaced)


def has_code(submission: Submission) -> bool:
    """Return whether a submission has any code. This is used if the exercises are unknown."""
    return bool(submission.cells)


def submissions_in(
    where: Path | str,
    assignment: str = "",
    roster: Roster | None = None,
    decided: Mapping[str, str] | None = None,
    answers: Answers = has_code,
) -> Submissions:
    """Read every submission in a folder or ZIP file. Raises SubmissionsError if there is none.

    assignment : the assignment's name, such as hw1. If a student has notebooks named after it, other notebooks are
        ignored as scratch work.
    decided : person -> the student whom the teacher chose (see `placed`). answers : a function that tests whether a
    notebook answers any exercise.
    """
    arrived = _Arrived(list(files(where)), Path(where), assignment, roster)
    places = placed({person: own[0][0] for person, own in arrived.of.items()}, roster, decided)
    counted: list[Submission] = []
    earlier: list[Submission] = []
    left_out = {name: NOBODYS if name in (decided or {}) else why for name, why in arrived.left_out.items()}
    theirs: dict[str, list[_Owned]] = defaultdict(list)
    for person, place in places.items():
        if place.nobody:
            left_out |= {"/".join(file.parts): NOBODYS for _, file in arrived.of[person]}
        else:
            theirs[place.student] += arrived.of[person]
    why = {place.student: place.why for place in places.values() if place.why}
    for student in sorted(theirs, key=lambda name: (name.casefold(), name)):
        latest, others = _chosen(student, theirs[student], assignment, arrived, answers)
        if student in why:
            latest = replace(latest, asides=(why[student],))
        counted.append(_noted(latest, SPELLED) if _in_two_spellings(theirs[student]) else latest)
        earlier += others
    return Submissions(
        tuple(_with_twins(counted, answers)),
        tuple(earlier),
        tuple(student for student in roster.rows if student not in theirs) if roster else (),
        {place.student: (person, place.why) for person, place in places.items() if place.why},
        left_out,
        dict(Counter(whose.shape.platform for own in arrived.of.values() for whose, _ in own)),
        arrived.times,
        {student: "/".join(theirs[student][-1][1].parts) for student in why},
    )


def of_one(where: Path, student: str, assignment: str = "", answers: Answers = has_code) -> Submission:
    """Return the submission of a student, whose files are all in the folder `where`; the newest file counts."""
    own = [(Owner(student, "/".join(file.parts)), file) for file in files(where)]
    if not own:
        return unread(student, where.name, "no file was handed in")
    return _chosen(student, own, assignment, _Arrived([], where), answers)[0]


class _Arrived:
    """The files by person, and the platform's data about them. left_out : file -> the reason why it has no owner."""

    def __init__(self, files: list[Found], where: Path, assignment: str = "", roster: Roster | None = None) -> None:
        depth = common_folder([file.parts for file in files], where.stem, assignment)
        self.left_out = {
            "/".join(f.parts): "it is next to the folder of the class" for f in files if len(f.parts) <= depth
        }
        files = [replace(file, parts=file.parts[depth:]) for file in files if len(file.parts) > depth]
        self._gradescope, self._stamps = _tables(files, assignment)
        self.of: dict[str, list[_Owned]] = defaultdict(list)
        for file in files:
            whose = owner(file.parts, assignment, self._gradescope)
            if len(file.parts) > 2 and file.parts[0].casefold() == "working files":
                self.left_out["/".join(file.parts)] = DRAFTS
                continue
            if not whose.file or _is_stamp(file, whose) or file.parts == ("submission_metadata.yml",):
                continue
            is_somebodys = whose.shape.platform != "files" or (roster and roster.fits(whose.name))
            if not (is_somebodys or _may_be(file)):
                self.left_out["/".join(file.parts)] = _kind(file)
                continue
            self.of[whose.person].append((whose, file))
        self.times = self._about_times(COPIED if where.is_dir() else EXPORTED)

    def _about_times(self, moment: float) -> str:
        """Return a sentence if the files' dates cannot be submission times: they are missing, or too close together."""
        self._are_known = True
        own = [each for files in self.of.values() for each in files]
        silent = {whose.shape.platform for whose, _ in own if not (whose.shape.written or whose.received is not None)}
        silent -= {whose.shape.platform for whose, _ in own if whose.shape.stamp or "(?P<time>" in whose.shape.path}
        sentences = [f"{name}'s files have the time of the export" for name in sorted(silent)]
        written = [
            [file.written for whose, file in files if whose.shape.written and file.written is not None]
            for files in self.of.values()
        ]
        people, times = sum(map(bool, written)), sorted(when for each in written for when in each)
        if own and not times and all(whose.shape.written and whose.received is None for whose, _ in own):
            sentences.append("the files have no date, or one later than the ZIP file's own")
        span = max(times, default=0.0) - min(times, default=0.0)
        if people > 1 and span <= (moment if people > 2 else 2.0):
            self._are_known = False
            sentences.append(f"all files were written within {math.ceil(span)} s, as an export or a copy writes them")
        elif people > 2 and 2 * (most := _at_once(map(max, filter(None, written)))) > people:
            self._are_known = False  # files with later dates were probably opened by a teacher after the copy
            sentences.append(f"the files of {most} of {people} were written within {COPIED:g} s, as a copy writes them")
        return "; ".join(sentences)

    def received(self, whose: Owner, file: Found) -> float | None:
        """Return when a file was submitted: the platform's time, or else the date of the file if it is plausible."""
        stamp = self._stamps.get(whose.person)
        written = file.written if whose.shape.written and self._are_known else None
        if stamp is not None and whose.shape.stamp:
            return stamp
        return whose.received if whose.received is not None else written


def _at_once(times: Iterable[float]) -> int:
    """Return how many of the times, at most, lie within `COPIED` seconds of each other."""
    several = sorted(times)
    return max((bisect.bisect_right(several, when + COPIED) - n for n, when in enumerate(several)), default=0)


def _tables(files: Iterable[Found], assignment: str) -> tuple[dict[str, Owner], dict[str, float]]:
    """Read the platform's own files; return folder -> its owner, and person -> the time of submission."""
    owners: dict[str, Owner] = {}
    times: dict[str, float] = {}
    for file in files:
        if file.parts[-1] not in ("submission_metadata.yml", "timestamp.txt"):
            continue
        try:
            text = file.load().decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
        whose = owner(file.parts, assignment)
        if file.parts == ("submission_metadata.yml",):
            owners = gradescope_owners(text)
        elif _is_stamp(file, whose) and (when := seconds(text)) is not None:
            times[whose.person] = when
    return owners, times


def _is_stamp(file: Found, whose: Owner) -> bool:
    return bool(re.fullmatch(whose.shape.stamp, "/".join(file.parts)))


_BY_NAME = (".ipynb", ".zip")
_BY_CONTENT = re.compile(r"\.ipynb\b|\.(?:json|txt|part|download)$|^[^.]*$", re.IGNORECASE)


def _may_be(file: Found) -> bool:
    """Return whether a file may be a notebook or a ZIP file, by its name or, for other extensions, by its content."""
    name = file.parts[-1].lower()
    if name.endswith(_BY_NAME):
        return True
    try:
        return bool(_BY_CONTENT.search(name)) and is_notebook(file.load())
    except (OSError, ValueError):
        return False


def _kind(file: Found) -> str:
    try:
        return ", ".join(filter(None, [kind_of(file.load()[:100]), "not a notebook"]))
    except (OSError, ValueError) as problem:
        return reason(problem)


@dataclass(frozen=True)
class _Candidate:
    """A file that could count as the submission. order : a sort key; the file with the largest key counts.

    flaw : the reason why a better file counts instead. attempt : the number of the attempt, 0 if there is none.
    """

    submission: Submission
    flaw: str
    named: bool
    order: tuple[float, ...]
    attempt: int = 0


def _chosen(
    student: str, own: list[_Owned], assignment: str, arrived: _Arrived, answers: Answers
) -> tuple[Submission, list[Submission]]:
    """Return the submission that counts for a student, with notes on the student's other files, and these files."""
    candidates: list[_Candidate] = []
    unused: list[str] = []
    modules = {whose.file: file for whose, file in own if module_name(whose.file) and not HANDED_OUT.search(whose.file)}
    for whose, file in own:
        if _may_be(file):
            candidates += _candidates(student, whose, file, assignment, arrived, answers, _loaded(modules))
        elif whose.file in modules:
            continue
        elif not HANDED_OUT.search(whose.file):
            unused.append(whose.file)
    if not candidates:
        names = _some(unused or [whose.file for whose, _ in own])
        times = [when for each in own if (when := arrived.received(*each)) is not None]
        return unread(student, names, f"no notebook among the files: {names}", received=max(times, default=None)), []
    *others, best = sorted(candidates, key=lambda each: (each.order, by_number(each.submission.file)))
    latest = best.submission
    if others:
        label = _labels(candidates)
        why = ", ".join(f"{label(each)} ({_why_not(each, best, assignment)})" for each in others)
        latest = _noted(latest, f"{len(candidates)} files; {label(best)} counts, not: {why}")
    if unused:
        latest = _noted(latest, f"not read, because they are not notebooks: {_some(unused)}")
    return latest, [each.submission for each in others if each.named or not best.named]


def _labels(candidates: list[_Candidate]) -> Callable[[_Candidate], str]:
    """Return a function that returns the name of a candidate's file, with the attempt's number if names repeat."""
    names = Counter(each.submission.file for each in candidates)
    numbered = lambda each: bool(each.attempt) and names[each.submission.file] > 1
    return lambda each: each.submission.file + f" of attempt {each.attempt}" * numbered(each)


def _candidates(
    student: str,
    whose: Owner,
    file: Found,
    assignment: str,
    arrived: _Arrived,
    answers: Answers,
    modules: Mapping[str, bytes],
) -> Iterator[_Candidate]:
    """Return the notebook in a file, or all notebooks in a ZIP file, with the ZIP file's time of submission.

    modules : the modules in files next to `file`.
    """
    received = arrived.received(whose, file)

    def candidate(submission: Submission, written: float | None = None) -> _Candidate:
        submission = submission if submission.unreadable else with_modules(submission, modules)
        answered = not submission.unreadable and answers(submission)
        flaw = submission.unreadable or ("" if answered else "nothing is answered in it")
        flaw = flaw or "a part of it is lost" * submission.broken
        quality = 0 if submission.unreadable else 1 if not answered else 2 if submission.broken else 3
        named = bool(assignment) and is_named(submission.file, assignment)
        when = (whose.attempt, received or 0.0, written or 0.0)
        note = [whose.note] if whose.note else []
        submission = replace(submission, notes=(*submission.notes, *note))
        nearness = -len(re.split(r"[/\\]|: ", submission.file))  # a file in a subfolder, such as old/, may be a copy
        order = (quality, named, *when, exactness(submission.file, assignment), nearness)
        return _Candidate(submission, flaw, named, order, whose.attempt)

    try:
        data = file.load()
        inside = (
            inner_files(data) if kind_of(data) == "a ZIP archive" or file.parts[-1].lower().endswith(".zip") else []
        )
    except (OSError, ValueError) as problem:
        yield candidate(unread(student, whose.file, reason(problem), received=received))
        return
    notebooks = [inner for inner in inside if _may_be(inner) and not inner.parts[-1].lower().endswith(".zip")]
    if inside and not notebooks:
        names = _some("/".join(inner.parts) for inner in inside)
        yield candidate(unread(student, whose.file, f"no notebook among the files: {names}", received=received))
    elif not inside:
        yield candidate(parse(data, student, whose.file, received))
    modules = {**modules, **_loaded({"/".join(inner.parts): inner for inner in inside})}
    for inner in notebooks:
        name = f"{whose.file}{WITHIN}{'/'.join(inner.parts)}"
        try:
            yield candidate(parse(inner.load(), student, name, received), inner.written)
        except (OSError, ValueError) as problem:
            yield candidate(unread(student, name, reason(problem), received=received), inner.written)


def _loaded(files: Mapping[str, Found]) -> dict[str, bytes]:
    """Return the modules among files, by name; unreadable modules are left out."""
    loaded = {}
    for name, file in files.items():
        if module_name(name) and not HANDED_OUT.search(name):
            with contextlib.suppress(OSError, ValueError):
                loaded[name] = file.load()
    return loaded


def _why_not(other: _Candidate, best: _Candidate, assignment: str) -> str:
    """Return the reason why `best` counts and `other` does not: the first difference that decides."""
    if other.flaw and other.order[0] < best.order[0]:
        return other.flaw
    if best.named and not other.named:
        return f"not named after {assignment}"
    *when, exact, near = other.order[2:]
    *when_best, exact_best, near_best = best.order[2:]
    if when != when_best:
        mine = next(mine for mine, its in zip(when, when_best) if mine != its)
        return "earlier" if mine else "its time is not known"  # an unknown time is 0
    if exact < exact_best:
        return "the other name fits better"
    return "in a folder further down" if near < near_best else "as good; the last by name counts"


def _some(names: Iterable[str]) -> str:
    several = sorted(names)
    return ", ".join(several[:5]) + f" and {len(several) - 5} more" * (len(several) > 5)


def _in_two_spellings(own: Iterable[_Owned]) -> bool:
    ways = defaultdict(set)
    for _, file in own:
        ways[unicodedata.normalize("NFC", file.parts[0])].add(file.parts[0])
    return any(len(spelled) > 1 for spelled in ways.values())


def _with_twins(submissions: list[Submission], answers: Answers) -> Iterable[Submission]:
    """Yield the submissions, with a note on each file that is identical, byte for byte, to another student's.

    Submissions without answers, such as the released notebook, get no note.
    """
    same: dict[str, list[str]] = defaultdict(list)
    for s in submissions:
        same[s.digest].append(s.student)
    for s in submissions:
        others = [name for name in same[s.digest] if name != s.student] if s.digest not in ("", _EMPTY) else []
        others = others if s.unreadable or (others and answers(s)) else []
        twins = f"identical to the file of {', '.join(others)}"
        yield replace(s, asides=(*s.asides, twins)) if others else s


_EMPTY = hashlib.sha256(b"").hexdigest()


def _noted(submission: Submission, note: str) -> Submission:
    return replace(submission, notes=(*submission.notes, note))
