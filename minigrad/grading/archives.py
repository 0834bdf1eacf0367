"""Read the files in a folder or a ZIP file, with their paths and dates, and report unsafe files.

Nothing is written to disk. Paths that leave the folder, links, and files larger than the limits are not read.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from .submitted_notebook import LARGEST, regular_bytes

MEMBERS = 50_000  #: maximum number of files in a ZIP file
TOTAL = 4_000_000_000  #: maximum number of bytes unpacked from one ZIP file
EMPTY, HIDDEN = "(empty folder)", "(only hidden files)"  #: shown for a folder without readable files
_SKIPPED = {"__MACOSX", ".ipynb_checkpoints", "__pycache__", "Thumbs.db", "desktop.ini"}


class SubmissionsError(ValueError):
    """Raised if a folder or ZIP file cannot be used at all; the message gives the reason, and what to pass instead."""


@dataclass
class Found:
    """A file in a folder or ZIP file.

    parts : the parts of its path.
    load : reads its bytes, or raises ValueError or OSError with the reason.
    written : the date, in seconds since 1970; None if it is unknown. The date of an entry in a ZIP file counts as
        unknown if it is in 1980, or later than the date of the ZIP file.
    """

    parts: tuple[str, ...]
    load: Callable[[], bytes] = field(repr=False)
    written: float | None = None


def files(where: Path | str) -> Iterator[Found]:
    """Return all files in a folder or ZIP file, ordered by path. Raises SubmissionsError if `where` is neither."""
    where = Path(where)
    if where.is_dir():
        return _in_folder(where)
    if not where.exists():
        raise SubmissionsError(f"{where} does not exist; name the folder or the ZIP file with the submissions")
    if not zipfile.is_zipfile(where):
        raise SubmissionsError(f"{where} is neither a folder nor a complete ZIP file")
    return _in_zip(zipfile.ZipFile(where), _Budget(), where.stat().st_mtime)


def inner_files(data: bytes) -> list[Found]:
    """Return the files in a submitted ZIP file. Raises ValueError if it cannot be read."""
    try:
        return list(_in_zip(zipfile.ZipFile(io.BytesIO(data)), _Budget(LARGEST)))
    except zipfile.BadZipFile:
        raise ValueError("it is not a complete ZIP file") from None
    except SubmissionsError as problem:
        raise ValueError(str(problem)) from None


def _in_folder(top: Path) -> Iterator[Found]:
    for folder, folders, names in os.walk(top, followlinks=False):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        names += [name for name in folders if _is_skipped(name)]
        folders[:] = sorted(name for name in folders if not _is_skipped(name) and name not in links)
        for name in sorted([*names, *links]):
            if not _is_skipped(name):
                path = Path(folder, name)
                yield Found(path.relative_to(top).parts, partial(_bytes, path), _written(path))
        if not folders and all(map(_is_skipped, names)) and Path(folder) != top:
            yield Found((*Path(folder).relative_to(top).parts, HIDDEN if names else EMPTY), bytes)


def _bytes(path: Path) -> bytes:
    return regular_bytes(path)[0]


def _written(path: Path) -> float | None:
    try:
        return path.lstat().st_mtime
    except OSError:
        return None


def _is_skipped(name: str) -> bool:
    return name in _SKIPPED or name.startswith(".")


class _Budget:
    """A counter of the bytes that may still be unpacked."""

    def __init__(self, left: int = TOTAL) -> None:
        self.left = left


def _in_zip(archive: zipfile.ZipFile, budget: _Budget, made: float = math.inf) -> Iterator[Found]:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MEMBERS:
        raise SubmissionsError(f"the ZIP file holds {len(members):,} files; at most {MEMBERS:,} are read")
    shown: set[tuple[str, ...]] = set()
    hiding: set[tuple[str, ...]] = set()
    for member in sorted(members, key=lambda member: member.filename):
        name = _name(member).replace("\\", "/")
        parts = tuple(part for part in PurePosixPath(name).parts if part not in ("/", ".."))
        above = tuple(itertools.takewhile(lambda part: not _is_skipped(part), parts))
        if above != parts:
            hiding.add(above)
        elif parts:
            shown |= {parts[:n] for n in range(len(parts))}
            yield Found(parts, partial(_unpacked, archive, member, name, budget), _clock(member, made))
    for folder in sorted(hiding - shown - {()}):
        yield Found((*folder, HIDDEN), bytes)


def _name(member: zipfile.ZipInfo) -> str:
    """Return the path of a file, decoded as UTF-8 if possible: many programs write UTF-8 without declaring it."""
    try:
        return member.filename if member.flag_bits & 0x800 else member.filename.encode("cp437").decode()
    except UnicodeError:
        return member.filename


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, budget: _Budget) -> bytes:
    if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":":
        raise ValueError(f"its path in the ZIP file, {name[:100]!r}, leaves the folder")
    if (member.external_attr >> 16) & 0o170000 == 0o120000:
        raise ValueError("it is a link to another file, which is not followed")
    if member.file_size > LARGEST:
        raise ValueError(f"it unpacks to {member.file_size / 1e6:.0f} MB; at most {LARGEST / 1e6:.0f} MB are read")
    if budget.left <= 0:
        raise ValueError("the ZIP file unpacks to more data than is read in all")
    try:
        with archive.open(member) as file:
            data = file.read(LARGEST + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as problem:
        raise ValueError(f"this file is damaged or locked in the ZIP file: {problem}") from None
    except Exception as problem:  # zlib, bz2 and lzma each raise their own errors
        raise ValueError(f"this file is damaged in the ZIP file: {problem}") from None
    budget.left -= len(data)
    if len(data) > LARGEST:
        raise ValueError(f"it unpacks to more than {LARGEST / 1e6:.0f} MB, and at most that is read")
    return data


def _clock(member: zipfile.ZipInfo, made: float) -> float | None:
    """Return when a file in a ZIP file was written, or None if its date is not plausible.

    A ZIP file stores the local time of the computer that made it. made : when the ZIP file was written.
    """
    try:
        written = time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return None
    return written if member.date_time[0] > 1980 and written <= made + 60 else None
