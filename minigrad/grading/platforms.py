"""How platforms name the files of a class: `SHAPES` has a row for each way, and `owner` uses the rows to read a path.

To add a platform, add a row above the row "nbgrader".
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..core.support.error_words import visible


@dataclass(frozen=True)
class Shape:
    """One way of naming the files of a class.

    path : a regular expression for a whole path below the folder of the class; {hw} stands for the assignment. Its
        groups are `name`, or `first` and `last`; `id`; `number`, a second id; `attempt`, a number; `time`; `late`, a
        sign of late work; and `file`, the student's part of the path.
    login : a template for a login that identifies the student, such as "{id}". names : templates for other names that a
        roster may have.
    split : characters that may separate a group, or the assignment, from the name. written : whether the date of a file
        can be the time of submission. stamp : a regular expression for the paths of files that are dated by the
        platform, not by the student.
    roster : headings by which the platform's own roster is recognised; the column with the first heading has {id}.
    """

    platform: str
    path: str
    login: str = ""
    names: str = "{name}"
    split: str = ""
    written: bool = False
    stamp: str = ""
    roster: tuple[str, ...] = ()


_MOODLE = r"_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?[/_].*"
_PARTICIPANT = r"(?:Participante?|Partecipante|Teilnehmer(?:/?in)?|Deelnemer|Deltager|Deltagare)"
_CANVAS = r"(?!(?i:{hw})_)(?P<name>\d*[^\W\d_]\w*?)_(?P<late>LATE_)?(?P<id>\d+)"  # a person's or a group's name
SHAPES = (
    Shape("Moodle, names hidden", _PARTICIPANT + _MOODLE, "Participant {id}", "Participant {id}", written=True),
    Shape("Moodle", r"(?P<name>[^/]+?)" + _MOODLE, "Participant {id}", split="-", written=True),
    Shape("Gradescope", r"(?P<name>submission_\d+)/(?P<file>.+)", written=True),
    Shape("Brightspace", r"(?P<id>\d+)-\d+ - (?P<name>[^/]+) - (?P<time>[^/]*\d[^/]*)/(?P<file>.+)"),
    Shape(
        "Blackboard",
        r"(?P<name>[^/]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:[_/](?P<file>.+)|\.txt)",
        login="{name}",
        split="_",
    ),
    Shape(
        "Sakai",
        r"(?P<name>[^/]+?) ?\((?P<id>[^()/]+)\)/"
        r"(?:Submission attachment\(s\)/(?P<file>.+)|timestamp\.txt|comments\.txt|[^/]*Text\.html)",
        login="{id}",
        stamp=r"[^/]+/timestamp\.txt",
    ),
    Shape("Teams", r"(?i:submitted files/)?(?P<name>[^/]+)/(?:[^/]+/)?(?i:versi[oó]n) ?(?P<attempt>\d+)/(?P<file>.+)"),
    Shape(
        "ILIAS",
        r"(?P<last>[^_/]+)_(?P<first>[^_/]+)_(?P<id>[^/]+)_(?P<number>\d+)/(?:(?P<time>\d{14})_)?(?P<file>.+)",
        login="{id}",
        names="{first} {last}",
    ),
    Shape(
        "Canvas, names hidden",
        r"(?P<late>LATE_)?(?P<name>anon_[^_/]+)_(?P<late2>LATE_)?(?P<attempt>\d+)_(?P<file>[^/]+)",
    ),
    Shape("Canvas", _CANVAS + r"_(?P<attempt>\d+)_(?P<file>[^/]+)", roster=("id", "section")),
    Shape("Canvas", _CANVAS + r"_(?P<file>(?:text|link)\.html)", roster=("id", "section")),
    Shape("GitHub Classroom", r"(?P<name>(?i:{hw})[-_][^/]+)/(?P<file>.+)", split="-_"),
    Shape(
        "nbgrader, as submitted",
        r"(?P<name>[^/]+?)\+(?i:{hw})\+(?P<time>\d{4}-\d\d-\d\d [^/+]+)(?:\+[^/]*)?/(?P<file>.+)",
        login="{name}",
    ),
    Shape("nbgrader", r"(?P<name>[^/]+)/(?i:{hw})/(?P<file>.+)", written=True, stamp=r"[^/]+/[^/]+/timestamp\.txt"),
    Shape(
        "folders with logins",
        r"(?P<name>[^/]+?) ?\((?P<id>[^()/]*[^\W\d][^()/]*)\)/(?P<file>.+)",
        login="{id}",
        written=True,
    ),
    Shape("folders", r"(?P<name>[^/]+)/(?P<file>.+)", written=True),
    Shape("files", r"(?P<file>[^/]+)", written=True),
)
_PLAIN = {"nbgrader", "folders with logins", "folders", "files"}  #: shapes that fit any path
NOBODY = "the name of the file does not name a student: put it into a folder named after the student"
LATE = "Canvas marks the file as late, and does not export when it was handed in"
_WRAPPER = re.compile(r"submitted|submitted files|student work|(?:.+[-_ ])?submissions|assignment_\d+_export", re.I)
_COPY = r"(?:copy of|kopie von|kopie van|kopia|copie de|copia de|copia di|cópia de)\s+"
_AGAIN = re.compile(r"(?:[ _]?\(\d+\)|-\d+)$")


@dataclass(frozen=True)
class Owner:
    """The person to whom a file belongs.

    name : the name in the path. file : the student's part of the path, "" for a file of the platform. id : the number
        or login in the path. logins : texts that identify the student. names : texts that a roster may have. attempt :
        the number of the attempt. received : the time of submission, in seconds since 1970, if the path has it.
    """

    name: str
    file: str
    id: str = ""
    logins: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    shape: Shape = field(default=SHAPES[-2], repr=False)
    attempt: int = 0
    note: str = ""
    received: float | None = field(default=None, repr=False)
    number: str = field(default="", repr=False)

    @property
    def person(self) -> str:
        """The person in the export; people with the same name but different ids are distinguished."""
        ids = " ".join(each for each in (self.id, self.number) if each and each not in self.name)
        return f"{self.name} ({ids})" if ids else self.name

    @property
    def short(self) -> str:
        """The name to show. For Blackboard, whose names begin with the assignment's name, it is the login."""
        return self.logins[-1] if self.shape.login == "{name}" else self.name


def owner(parts: tuple[str, ...], assignment: str = "", gradescope: Mapping[str, Owner] | None = None) -> Owner:
    """Return the owner of the file at `parts`, relative to the folder of the class.

    >>> ada = owner(("Ada Lovelace_123_assignsubmission_file_", "hw1.ipynb"))
    >>> ada.person, ada.names, ada.file
    ('Ada Lovelace (123)', ('Ada Lovelace',), 'Ada Lovelace_123_assignsubmission_file_/hw1.ipynb')
    >>> owner(("hw1_ada (2).ipynb",), "hw1").name
    'ada'
    """
    parts = tuple(visible(unicodedata.normalize("NFC", part)) for part in parts)
    if gradescope and parts[0] in gradescope:
        return replace(gradescope[parts[0]], file="/".join(parts[1:]))
    path = "/".join(parts)
    shape, match = next(each for each in _matches(path, assignment))
    got = {key: value or "" for key, value in match.groupdict().items()}
    if shape.platform == "files":
        whole = _stem(path)
        name = _flat(whole, assignment)
        return Owner(name or whole, path, names=(name,) * bool(name), shape=shape, note="" if name else NOBODY)
    names = tuple(filter(None, (text.format(**got).strip() for text in (shape.login, shape.names))))
    logins = [*_endings(names[0], shape.split)] if shape.login == "{name}" else names[: bool(shape.login)]
    return Owner(
        names[-1] or parts[0],
        got.get("file", path),
        got.get("id", ""),
        tuple(logins),
        tuple(_endings(names[-1], shape.split)),
        shape,
        int(got.get("attempt", 0)),
        LATE if got.get("late") or got.get("late2") else "",
        seconds(got.get("time", "")),
        got.get("number", ""),
    )


def _matches(path: str, assignment: str) -> Iterator[tuple[Shape, re.Match[str]]]:
    """Yield the shapes that match a path, the most specific first."""
    for shape in SHAPES:
        if "{hw}" in shape.path and not assignment and shape.platform != "nbgrader":
            continue
        word = re.escape(assignment) or "[^/]+"
        if match := re.fullmatch(shape.path.replace("{hw}", word), path, re.DOTALL):
            yield shape, match


def _endings(name: str, split: str) -> Iterator[str]:
    """Yield a name, and then its part after each character in `split`: "a_b_c", "b_c", "c" for "_"."""
    yield name
    yield from (name[at + 1 :].strip() for at, sign in enumerate(name) if sign in split and name[at + 1 :].strip())


def _platform(path: tuple[str, ...], assignment: str) -> str:
    return next(_matches("/".join(path), assignment))[0].platform


def _stem(file: str) -> str:
    """Return the name of a file without its extension, or both, as in "hw1" for "hw1.ipynb.txt"."""
    stem = file.rpartition(".")[0] or file
    return stem.rpartition(".")[0] if stem.lower().endswith((".ipynb", ".tar")) else stem


def _flat(stem: str, assignment: str) -> str:
    """Return the student's name in the name of a file, such as "ada" in "hw1_ada (2)", or "" if there is none.

    stem : the file's name without its extension.
    """
    name, before = _AGAIN.sub("", stem.strip()) if stem.endswith(")") else stem.strip(), ""
    word = rf"(?:{_COPY})*(?:{re.escape(assignment)}|submission)(?:\.ipynb)?"
    marked = rf"(?:^{word}(?:[-_ ]+|$)|[-_ ]+{word}$)"
    while assignment and name != before:
        name, before = re.sub(marked, "", name, flags=re.IGNORECASE).strip(" -_"), name
    return re.sub(rf"^{_COPY}", "", name.strip(" -_"), flags=re.IGNORECASE)


def is_named(file: str, assignment: str) -> bool:
    """Return whether a file is named after the assignment: `hw1.ipynb`, `hw1 (1).ipynb`, `my_hw1-submission.ipynb`.

    >>> is_named("HW1-1.ipynb", "hw1"), is_named("hw10.ipynb", "hw1")
    (True, False)
    """
    return bool(re.search(rf"(?:^|[\W_]){re.escape(assignment)}(?:$|[\W_])", _stem(file), re.IGNORECASE))


def by_number(name: str) -> list[tuple[int, str]]:
    """Return a sort key for file names that orders the numbers in them by value.

    >>> sorted(["v10", "v2", "10/a", "9/a"], key=by_number)
    ['9/a', '10/a', 'v2', 'v10']
    """
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def exactness(file: str, assignment: str) -> int:
    """Rate how close a file's name is to the expected name: hw1-submission, then hw1, then a copy of hw1.

    >>> [exactness(name, "hw1") for name in ("hw1-submission.ipynb", "hw1.ipynb", "hw1.ipynb.txt", "hw1 (1).ipynb")]
    [7, 5, 4, 3]
    """
    stem = re.sub(rf"^{_COPY}", "", _stem(re.split(r"[/\\]|: ", file)[-1]).casefold())
    word = assignment.casefold()
    rank = [True, word == without_count(stem), word == stem, f"{word}-submission" == stem]
    return 2 * max(n for n, holds in enumerate(rank) if holds) + file.lower().endswith(".ipynb")


def common_folder(paths: Collection[tuple[str, ...]], stem: str = "", assignment: str = "") -> int:
    """Return how many folders all `paths` have in common; these contain the whole class, not single students.

    stem : the name of a ZIP file, which often contains a folder of that name. Files that cannot be submissions, such as
        a table of the platform, may be outside the folders.

    >>> common_folder([("hw1", "ada", "hw1.ipynb"), ("hw1", "bob", "hw1.ipynb"), ("marks.xlsx",)])
    1
    >>> common_folder([("ada", "hw1", "hw1.ipynb"), ("ada", "hw2", "hw2.ipynb")], assignment="hw1")
    0
    """
    depth = 0
    while True:
        paths = [path for path in paths if len(path) > depth + 1 or may_be(path[-1])]
        if not paths or any(len(path) == depth + 1 for path in paths) or len({path[depth] for path in paths}) > 1:
            return depth
        (first,) = {path[depth] for path in paths}
        within = {path[depth + 1] for path in paths if may_be(path[-1])}
        if not _WRAPPER.fullmatch(first):
            platforms = {_platform(path[depth:], assignment) for path in paths} - _PLAIN
            is_class = len(within) > 1 and all(len(path) > depth + 2 for path in paths)
            if platforms - {"GitHub Classroom"} or (platforms and not is_class):
                return depth
            around = any(_platform(path[depth + 1 :], assignment) not in _PLAIN for path in paths) or (
                len(within) > 1 and not {assignment, f"{assignment}.ipynb"} & within
            )
            if not (around or first == stem):
                return depth
        depth += 1


def may_be(file: str) -> bool:
    """Return whether, judging by its name, a file may be a notebook, or a ZIP file with a notebook."""
    return bool(re.search(r"\.(?:ipynb|zip)(?:\.\w+)?$", file, re.IGNORECASE))


def gradescope_owners(text: str) -> dict[str, Owner]:
    """Return folder -> submitter from Gradescope's `submission_metadata.yml`.

    If a submission lists several submitters, the first is used, with a note.

    >>> text = "submission_7:\\n  :submitters:\\n  - :name: Ada\\n    :sid: '1'\\n    :email: a@b.c\\n"
    >>> gradescope_owners(text)["submission_7"]
    Owner(name='Ada', file='', id='', logins=('1', 'a@b.c'), names=('Ada',), attempt=0, note='')
    """
    owners: dict[str, Owner] = {}
    for block in re.split(r"(?m)^(?=submission_\d+:)", text):
        folder, _, rest = block.partition(":")
        above = rest.partition("\n  :history:")[0]
        people = re.split(r"(?m)^\s*- (?=:)", above.partition(":submitters:")[2])[1:]
        said = [{key: _value(line) for key, line in re.findall(r":(name|sid|email):(.*)", p)} for p in people]
        if not said or not folder.startswith("submission_"):
            continue
        first, others = said[0], [person.get("name", "?") for person in said[1:]]
        name = first.get("name") or first.get("email") or folder
        note = f"handed in together with {', '.join(others)}, who need the same mark" if others else ""
        when = re.search(r"(?m)^  :created_at:(.*)$", above)
        ids = tuple(first[key] for key in ("sid", "email") if first.get(key))
        received = seconds(_value(when[1])) if when else None
        owners[folder] = Owner(name, "", "", ids, (name,), SHAPES[2], 0, note, received)
    return owners


def _value(text: str) -> str:
    return text.strip().strip("'\"")


def seconds(text: str) -> float | None:
    """Convert a date that a platform wrote to seconds since 1970; it is in UTC or, on some platforms, local time.

    >>> seconds("1970-01-02 00:00:00.500000000 Z"), seconds("1970-01-01 01:00:00 +01:00"), seconds("soon")
    (86400.5, 0.0, None)
    >>> seconds("19700102000000000")
    86400.0
    """
    text = text.strip()
    if match := re.match(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,6})?\d*\s*([+-]\d\d:?\d\d)?", text):
        day, clock, fraction, offset = match.groups()
        if text[match.end() :].strip() not in ("", "Z", "UTC", "GMT"):
            return None  # the text names a time zone, but not its offset
        moment = _moment(f"{day} {clock}{(offset or '+0000').replace(':', '')}", "%Y-%m-%d %H:%M:%S%z")
        return moment if moment is None else moment + float(fraction or 0)
    if re.fullmatch(r"\d{17}", text):  # Sakai
        return _moment(f"{text[:14]}+0000", "%Y%m%d%H%M%S%z")
    text = re.sub(r"\b(\d{3}) ?([AP]M)", r"0\1 \2", re.sub(r"[\s,:.]+", " ", text), flags=re.IGNORECASE)
    return next(filter(None, (_moment(text, form) for form in _CLOCKS)), None)


#: The date formats of Blackboard, of ILIAS, and of Brightspace in each of its languages.
_CLOCKS = (
    "%Y-%m-%d-%H-%M-%S",
    "%Y%m%d%H%M%S",
    "%b %d %Y %I%M %p",
    "%B %d %Y %I%M %p",
    "%d %B %Y %I%M %p",
    "%d %b %Y %I%M %p",
    "%d %B %Y %H%M",
    "%d %b %Y %H%M",
)


def _moment(text: str, form: str) -> float | None:
    try:
        return datetime.datetime.strptime(text, form).timestamp()
    except (ValueError, OverflowError):
        return None


def without_count(stem: str) -> str:
    """Return the name of a file without the number of a copy, such as " (2)".

    >>> without_count("hw1 (2)"), without_count("hw1-Copy1"), without_count("hw1")
    ('hw1', 'hw1', 'hw1')
    """
    return re.sub(r"(?:[ _]?\(\d+\)|-Copy\d*|-submission)+$", "", stem.strip()) or stem
