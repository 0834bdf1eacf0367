"""`minigrad submit hw1.ipynb`: write the file to hand in, read as it will be for grading, and a receipt."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from minigrad import __version__
from minigrad.lab.errors import CommandError
from minigrad.lab.files import write_whole

from .handed_out import handed_out
from .looking import unanswered, warnings
from .names import without_count
from .reading import parse, regular_bytes

DAMAGED = "a part of the file is lost; open it in JupyterLab, look at every answer, save it, and run submit again"
LARGE = 5_000_000  #: bytes: for larger files a sentence says how to make them smaller


def submit(notebook: Path, assignment: str = "", now: datetime.datetime | None = None) -> list[str]:
    """Write `hw1-submission.ipynb`, a copy, and `hw1-receipt.json` beside the notebook; return the lines to print.

    Nothing is sent anywhere. Raises CommandError, and writes nothing, if the notebook cannot be read.

    The receipt holds the SHA-256 of the copy and the time of this computer.
    """
    try:
        data, _ = regular_bytes(notebook)
    except (OSError, ValueError) as problem:
        raise CommandError(f"{notebook}: {getattr(problem, 'strerror', None) or problem}") from None
    found = parse(data, "", notebook.name)
    if found.unreadable:
        raise CommandError(f"{notebook} cannot be read for grading: {found.unreadable}. Nothing was written.")
    received = handed_out(notebook, assignment)
    open_ = unanswered(found.cells, received.exercises)
    lines = [*warnings(found.cells)]
    if len(data) > LARGE:
        lines.append(f"the file has {len(data) / 1e6:.0f} MB; clearing the outputs before saving makes it smaller")
    stem = without_count(notebook.stem)
    copy = notebook.with_name(f"{stem}-submission.ipynb")
    receipt = notebook.with_name(f"{stem}-receipt.json")
    now = now or datetime.datetime.now(datetime.timezone.utc)
    said = {
        "assignment": received.name,
        "file": copy.name,
        "sha256": found.digest,
        "bytes": len(data),
        "time": now.astimezone(datetime.timezone.utc).isoformat(timespec="seconds"),
        "not answered": open_,
        "minigrad": __version__,
    }
    if copy.absolute() != notebook.absolute():
        _write(copy, data)
    _write(receipt, (json.dumps(said, indent=1, ensure_ascii=False) + "\n").encode())
    count = len(received.exercises)
    return [
        *(f"warning: {note}" for note in found.notes),
        *[f"warning: {DAMAGED}"] * found.broken,
        f"{count - len(open_)} of {count} exercises are answered" + (f"; not yet: {', '.join(open_)}" * bool(open_)),
        *(f"note: {line}" for line in lines),
        f"written: {copy}, which is what you hand in, and {receipt.name}",
        f"SHA-256 {found.digest}, {said['time']}",
    ]


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as problem:
        raise CommandError(f"{path} was not written: {problem.strerror or problem}") from None
