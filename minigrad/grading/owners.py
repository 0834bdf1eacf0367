"""Find the student a file belongs to from its path, as Moodle, Canvas, Gradescope, nbgrader or others write it.

| who wrote it | path |
|---|---|
| Moodle | `Ada Lovelace_123_assignsubmission_file/hw1.ipynb`, before 4.1 with a last `_`, or flat with `_hw1.ipynb` |
| Canvas | `lovelaceada_12345_67890_hw1.ipynb`, with `_LATE_` after the name when it came late |
| Gradescope | `assignment_9_export/submission_123/hw1.ipynb`, with `submission_metadata.yml` above |
| nbgrader | `submitted/ada/hw1/hw1.ipynb`, with `timestamp.txt` beside it |
| folders | `ada/hw1.ipynb`; flat: `ada.ipynb`, `hw1_ada.ipynb`, `ada-hw1 (2).ipynb` |
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..core.support.error_words import visible

_MOODLE = re.compile(r"^(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?$")
_CANVAS = re.compile(r"^(?P<name>[^\W\d_][^_]*?)_(?P<late>LATE_)?(?P<id>\d+)_(?P<attempt>\d+)_(?P<file>.+)$")
NOBODY = "the name of the file says no student: put it into a folder named after the student"
_WRAPPER = re.compile(r"^(submitted|submissions|assignment_\d+_export)$")
_AGAIN = re.compile(r"(?:[ _]?\(\d+\)|-\d+)$")


@dataclass(frozen=True)
class Owner:
    """The student a file belongs to. name : as in the path. ids : other names for a roster. file : its name."""

    name: str
    file: str
    ids: tuple[str, ...] = ()
    note: str = ""
    received: float | None = field(default=None, repr=False)


def owner(parts: tuple[str, ...], assignment: str = "", gradescope: Mapping[str, Owner] | None = None) -> Owner:
    """The owner of the file at `parts`, relative to the folder of the class.

    >>> owner(("Ada Lovelace_123_assignsubmission_file_", "hw1.ipynb"))
    Owner(name='Ada Lovelace', file='Ada Lovelace_123_assignsubmission_file_/hw1.ipynb', ids=('123',), note='')
    >>> owner(("hw1_ada (2).ipynb",), "hw1").name
    'ada'
    """
    parts = tuple(visible(unicodedata.normalize("NFC", part)) for part in parts)
    if gradescope and parts[0] in gradescope:
        known = gradescope[parts[0]]
        return Owner(known.name, parts[-1], known.ids, known.note, known.received)
    if moodle := _MOODLE.match(parts[0]):
        return Owner(moodle["name"], "/".join(parts), (moodle["id"],))
    if len(parts) > 1:
        return Owner(parts[0].strip() or parts[0], parts[-1])
    canvas = _CANVAS.match(parts[0])
    if canvas and canvas["name"].casefold() != assignment.casefold():  # hw1_2026_11_ada.ipynb is not Canvas's
        note = "Canvas marks the file as late" if canvas["late"] else ""
        return Owner(canvas["name"], canvas["file"], (canvas["id"],), note)
    stem = parts[0].rpartition(".")[0] or parts[0]
    name = _flat(stem, assignment)
    return Owner(name or stem, parts[0], note="" if name else NOBODY)


def _flat(stem: str, assignment: str) -> str:
    """The student in the name of a file, without the assignment and the count of downloads; "" if there is none."""
    name, before = _AGAIN.sub("", stem.strip()) if stem.endswith(")") else stem.strip(), ""
    word = rf"(?:{re.escape(assignment)}|submission)"
    marked = rf"(?:^{word}(?:[-_ ]+|$)|[-_ ]+{word}$)"
    while assignment and name != before:
        name, before = re.sub(marked, "", name, flags=re.IGNORECASE).strip(" -_"), name
    return name.strip(" -_")


def is_named(file: str, assignment: str) -> bool:
    """Whether a file is named after the assignment: `hw1.ipynb`, `hw1 (1).ipynb`, `my_hw1-submission.ipynb`.

    >>> is_named("HW1-1.ipynb", "hw1"), is_named("hw10.ipynb", "hw1")
    (True, False)
    """
    return bool(re.search(rf"(?:^|[\W_]){re.escape(assignment)}(?:$|[\W_])", file.rpartition(".")[0], re.IGNORECASE))


def common_folder(paths: Collection[tuple[str, ...]], stem: str = "", assignment: str = "") -> int:
    """The number of folders that all `paths` begin with, which contain the class and name no student.

    stem : the name of a ZIP file, which often holds one folder of that name.

    >>> common_folder([("hw1", "ada", "hw1.ipynb"), ("hw1", "bob", "hw1.ipynb")])
    1
    >>> common_folder([("ada", "hw1", "hw1.ipynb"), ("ada", "hw2", "hw2.ipynb")], assignment="hw1")
    0
    """
    depth = 0
    while paths and all(len(path) > depth + 1 for path in paths) and len({path[depth] for path in paths}) == 1:
        (first,) = {path[depth] for path in paths}
        within = {path[depth + 1] for path in paths if path[-1].lower().endswith((".ipynb", ".zip"))}
        flat = any(_CANVAS.match(name) or _MOODLE.match(name) for name in within)
        around = flat or (len(within) > 1 and not {assignment, f"{assignment}.ipynb"} & within)
        if _MOODLE.match(first) or not (around or _WRAPPER.match(first) or first == stem):
            break
        depth += 1
    return depth


def gradescope_owners(text: str) -> dict[str, Owner]:
    """By folder, the submitter in Gradescope's `submission_metadata.yml`: the first of several, with a note.

    >>> text = "submission_7:\\n  :submitters:\\n  - :name: Ada\\n    :sid: '1'\\n    :email: a@b.c\\n"
    >>> gradescope_owners(text)["submission_7"]
    Owner(name='Ada', file='', ids=('1', 'a@b.c'), note='')
    """
    found: dict[str, Owner] = {}
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
        found[folder] = Owner(name, "", ids, note, seconds(_value(when[1])) if when else None)
    return found


def _value(text: str) -> str:
    return text.strip().strip("'\"")


def seconds(text: str) -> float | None:
    """Seconds since 1970 of a date that Gradescope or nbgrader wrote, taken as UTC unless it names an offset.

    >>> seconds("1970-01-02 00:00:00.500000000 Z"), seconds("1970-01-01 01:00:00 +01:00"), seconds("soon")
    (86400.5, 0.0, None)
    """
    import datetime as dt

    match = re.match(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,6})?\d*\s*([+-]\d\d:?\d\d)?", text.strip())
    if not match:
        return None
    day, clock, fraction, offset = match.groups()
    offset = (offset or "+0000").replace(":", "")
    try:
        moment = dt.datetime.strptime(f"{day} {clock}{offset}", "%Y-%m-%d %H:%M:%S%z")
    except ValueError:
        return None
    return moment.timestamp() + float(fraction or 0)


def without_count(stem: str) -> str:
    """The name of a file without the number of a copy, such as " (2)".

    >>> without_count("hw1 (2)"), without_count("hw1-Copy1"), without_count("hw1")
    ('hw1', 'hw1', 'hw1')
    """
    return re.sub(r"(?:[ _]?\(\d+\)|-Copy\d*|-submission)+$", "", stem.strip()) or stem
