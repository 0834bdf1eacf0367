"""Decode text of unknown encoding, as editors and mail programs may have changed a notebook, with a note."""

from __future__ import annotations

import codecs

_MARKS = [
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
]


def decode(data: bytes) -> tuple[str, list[str]]:
    """The text of a file, and a note for each thing that is unusual about its bytes. All bytes can be decoded.

    >>> decode("x = 'é'".encode("latin-1"))
    ("x = 'é'", ['the file is not UTF-8; it was read as Latin-1'])
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None) or _without_mark(data)
    notes = [f"the file is {encoding.upper()}, not UTF-8"] if encoding.startswith(("utf-16", "utf-32")) else []
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("latin-1")
        notes = ["the file is not UTF-8; it was read as Latin-1"]
    if "\0" in text:
        notes.append(f"the file holds {text.count(chr(0))} NUL characters, which were left out")
        text = text.replace("\0", "")
    return text, notes


def _without_mark(data: bytes) -> str:
    """Detect UTF-16 without a mark: every other byte is zero in a text that begins with ASCII, such as JSON."""
    start = data[:64]
    if len(start) >= 4 and len(start) % 2 == 0 and start.isascii():
        if not any(start[1::2]) and all(start[::2]):
            return "utf-16-le"
        if not any(start[::2]) and all(start[1::2]):
            return "utf-16-be"
    return "utf-8"


def printable(text: str) -> str:
    """`text` with each lone surrogate, which UTF-8 cannot write, written as its number.

    >>> print(printable("a" + chr(0xD800)))
    a\\ud800
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
