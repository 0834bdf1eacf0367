"""Hand out the lessons: copy them into a student's folder and never overwrite the student's own work.

A small file in that folder records the original copies. A copy that the student has not changed is replaced when the
lesson changes. A copy that the student has worked on stays, and the newer lesson is put next to it, once.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .files import one_at_a_time, write_whole

RECORD = ".minigrad-lessons.json"
LOCK = ".minigrad-lessons.lock"
NOT_FOR_STUDENTS = {
    "source",
    "assignments",
    "TEACHING.md",
    "GRADING.md",
    "AUTHORING.md",
    "HUB.md",
    "mine.py",
}
#: The parts of an assignment that students get: the notebook written by `minigrad assign release`, and the checks.
RELEASED = re.compile(r"assignments/([^/]+)/(?:release/(\1\.ipynb)|(checks\.py|sealed\.json))")
AFTER_PREDICTION = "after-prediction"  #: the tag of a cell whose output gives away a prediction

NEWER = re.compile(r" \(newer( \d+)?\)")  #: the end of the name of a newer lesson next to the student's file


class Handout(NamedTuple):
    """The result of :func:`hand_out`: the names of the files, relative to the student's folder."""

    new: list[str]
    updated: list[str]
    beside: list[tuple[str, str]]  # (the student's file, the newer lesson put next to it)


def lessons_folder() -> Path:
    """Return the source folder of the copied lessons: in the installed package, or ``lessons/`` in a clone.

    >>> lessons_folder().name in ("_lessons", "lessons")
    True
    """
    package = Path(__file__).resolve().parents[1]
    installed = package / "_lessons"
    return installed if installed.is_dir() else package.parent / "lessons"


def hand_out(lessons: Path, folder: Path, kernel: dict[str, Any] | None = None) -> Handout:
    """Update ``folder`` from ``lessons``, but leave every file that the student has changed.

    A file that was handed out but is no longer among the lessons is removed, unless the student has changed it.

    kernel : the notebook metadata "kernelspec" and "language_info" of the kernel that will run the lessons.
        JupyterLab writes them into a notebook on opening it, and marks the notebook as unsaved if that changes it.

    Raises ``OSError`` if the folder cannot be created or written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as temporary:
    ...     lessons, mine = Path(temporary, "lessons"), Path(temporary, "mine")
    ...     lessons.mkdir()
    ...     _ = (lessons / "01_graph.txt").write_text("first edition")
    ...     hand_out(lessons, mine).new
    ['01_graph.txt']
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = Handout([], [], [])
    if folder.samefile(lessons):
        return done
    with one_at_a_time(folder / LOCK):  # if two runs start at once, the second finds the files of the first
        record = _read_record(folder)
        names = dict(_files(lessons))
        gone = [name for name in record if NEWER.sub("", name) not in names and _untouched(folder, name, record)]
        for name in gone:  # most of these were renamed, and two notebooks for one lesson would be confusing
            (folder / name).unlink(missing_ok=True)
            del record[name]
        for name, source in names.items():
            _hand_out_one(_for_student(source.read_bytes(), name, kernel or {}), name, folder, record, done)
        write_whole(folder / RECORD, json.dumps(record, indent=1, sort_keys=True).encode())
    return done


def _for_student(data: bytes, name: str, kernel: dict[str, Any]) -> bytes:
    """Return the content of a lesson as a student gets it.

    A notebook gets the metadata `kernel`, and loses its execution counts, and the outputs that would give away what the
    student is asked to predict.
    """
    if not name.endswith(".ipynb"):
        return data
    try:
        notebook = json.loads(data)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                hidden = AFTER_PREDICTION in cell["metadata"].get("tags", ())
                cell["outputs"], cell["execution_count"] = [] if hidden else cell["outputs"], None
                for output in cell["outputs"]:
                    output.update({"execution_count": None} if "execution_count" in output else {})
        notebook["metadata"].update(kernel)
    except (ValueError, KeyError, TypeError, AttributeError):
        return data  # not a readable notebook
    if notebook == json.loads(data):
        return data
    return (json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def _hand_out_one(lesson: bytes, name: str, folder: Path, record: dict, done: Handout) -> None:
    content = _content(lesson, name)
    if _untouched(folder, name, record):
        existed = (folder / name).exists()
        if not existed or _sha(lesson) != record[name]["file"]:
            write_whole(folder / name, lesson)
            (done.updated if existed else done.new).append(name)
        record[name] = {"file": _sha(lesson), "lesson": content}
    elif _content((folder / name).read_bytes(), name) == content:
        record[name] = {"file": _sha(lesson), "lesson": content}
    elif record.get(name, {}).get("lesson") != content:
        # The student has changed the file, so the newer edition is put next to it; the record prevents a second copy.
        other = _free_name(folder, name, record)
        write_whole(folder / other, lesson)
        record[other] = {"file": _sha(lesson), "lesson": content}
        record[name] = {"file": record.get(name, {}).get("file", ""), "lesson": content}
        done.beside.append((name, other))


def _free_name(folder: Path, name: str, record: dict) -> str:
    """Return a name such as ``01_graph (newer).ipynb``, with a number if the student has worked on that file too."""
    path = Path(name)
    number = 1
    while True:
        mark = "newer" if number == 1 else f"newer {number}"
        other = path.with_name(f"{path.stem} ({mark}){path.suffix}").as_posix()
        if _untouched(folder, other, record):
            return other
        number += 1


def _untouched(folder: Path, name: str, record: dict) -> bool:
    path = folder / name
    return not path.exists() or _sha(path.read_bytes()) == record.get(name, {}).get("file")


def _content(data: bytes, name: str) -> str:
    """Return a digest of a lesson's content; for a notebook, of its cells without their outputs."""
    if name.endswith(".ipynb"):
        try:
            cells = json.loads(data)["cells"]
            contents = [[cell["cell_type"], "".join(cell["source"]), _authored(cell)] for cell in cells]
            data = json.dumps(contents, sort_keys=True).encode()
        except (ValueError, KeyError, TypeError):
            pass  # not a readable notebook, so the digest covers all bytes
    return _sha(data)


def _authored(cell: dict) -> dict:
    """Return the metadata that the author wrote, without the times that a run adds."""
    return {key: value for key, value in cell.get("metadata", {}).items() if key != "execution"}


def _files(lessons: Path) -> Iterator[tuple[str, Path]]:
    """Yield (name in the student's folder, path) for each file that students get."""
    for path in sorted(lessons.rglob("*")):
        name = path.relative_to(lessons)
        if not path.is_file() or any(part.startswith(".") or part == "__pycache__" for part in name.parts):
            continue
        if released := RELEASED.fullmatch(name.as_posix()):
            assignment, notebook, beside = released.groups()
            yield f"assignments/{notebook or f'{assignment}_{beside}'}", path
        elif not NOT_FOR_STUDENTS.intersection(name.parts):
            yield name.as_posix(), path


def _read_record(folder: Path) -> dict:
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # without a record, every existing file counts as changed by the student
    if not isinstance(record, dict):
        return {}
    return {name: entry for name, entry in record.items() if isinstance(entry, dict)}


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
