"""Build a wheel of this package from its files on disk, to ship with an assignment; no package index has it."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from minigrad import __version__

NAME = "minigrad_kit"
FILE = f"{NAME}-{__version__}-py3-none-any.whl"
PACKAGE = Path(__file__).resolve().parents[2]
LEFT_OUT = {"__pycache__", ".venv", "release", "gallery", "_lessons"}
_WHEEL = "Wheel-Version: 1.0\nGenerator: minigrad\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel() -> bytes:
    """Return the wheel, without the lessons. The same files give the same bytes."""
    about = f"{NAME}-{__version__}.dist-info"
    files = {
        f"{top.name}/{path.relative_to(top).as_posix()}": path.read_bytes()
        for top in (PACKAGE, PACKAGE.parent / "viz")
        for path in files_in(top)
    }
    files[f"{about}/METADATA"] = _metadata().encode()
    files[f"{about}/WHEEL"] = _WHEEL.encode()
    files[f"{about}/entry_points.txt"] = b"[console_scripts]\nminigrad = minigrad.__main__:main\n"
    listed = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{about}/RECORD"] = "\n".join([*listed, f"{about}/RECORD,,", ""]).encode()
    paper = io.BytesIO()
    with zipfile.ZipFile(paper, "w") as archive:
        for name, data in files.items():
            put(archive, name, data)
    return paper.getvalue()


def requirements() -> list[str]:
    """Return the requirements of the extra "classroom", each with the installed version, if any."""
    names = ["numpy"]
    for line in importlib.metadata.distribution(NAME).requires or ():
        if match := re.match(r"([\w.-]+).*extra == ['\"]classroom['\"]", line):
            names.append(match[1])
    return [_pinned(name) for name in dict.fromkeys(names)]


def _pinned(name: str) -> str:
    try:
        return f"{name}=={importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return name


def _metadata() -> str:
    """Return the installed package's metadata, with the version replaced by the version of this code."""
    text = importlib.metadata.distribution(NAME).read_text("METADATA") or ""
    head = text.partition("\n\n")[0]
    return re.sub(r"(?m)^Version: .*$", f"Version: {__version__}", head) + "\n"


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def files_in(top: Path) -> Iterator[Path]:
    """Return the files below a folder, in order, without generated files."""
    for path in sorted(top.rglob("*")):
        parts = path.relative_to(top).parts
        if path.is_file() and not any(part in LEFT_OUT or part.startswith(".") for part in parts):
            yield path


def put(archive: zipfile.ZipFile, name: str, data: bytes, mode: int = 0o644) -> None:
    """Add a file with a fixed time, so that the same input gives the same bytes."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.external_attr = (0o100000 | mode) << 16  # a plain file with these permissions, for unzip on Unix
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
