"""Salvage the whole cells of a notebook whose JSON is broken, and both versions of one with marks of a merge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_BEGIN = re.compile(r'"(?:cells)"\s*:\s*\[')
_CELL = re.compile(r'\{\s*"(?:cell_type|attachments)"')
_MARK = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$", re.MULTILINE)
_DECODER = json.JSONDecoder(strict=False, parse_int=float)
ATTEMPTS = 200  #: after so many broken cells the rest of a file is skipped


def whole_cells(text: str) -> list[dict[str, Any]]:
    """The cells that can be read by themselves, in their order; a broken one is left out.

    >>> [cell["source"] for cell in whole_cells('{"cells": [{"cell_type": "code", "source": "x = 1"}, {"cell_ty')]
    ['x = 1']
    """
    return list(_whole(text))


def _whole(text: str) -> Iterator[dict[str, Any]]:
    begin = _BEGIN.search(text)
    at, broken = (begin.end() if begin else 0), 0
    while broken < ATTEMPTS:
        at += len(text[at : at + 1000]) - len(text[at : at + 1000].lstrip(" \t\r\n,"))
        try:
            cell, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            broken += 1
            following = _CELL.search(text, at + 1)
            if following is None:
                return
            at = following.start()
        else:
            if not isinstance(cell, dict):
                return
            yield cell


def merge_marks(text: str) -> list[int]:
    """The line numbers of the marks that an unresolved merge leaves; empty if they are incomplete.

    >>> merge_marks("a\\n<<<<<<< HEAD\\nb\\n=======\\nc\\n>>>>>>> theirs\\n")
    [2, 4, 6]
    """
    found = list(_MARK.finditer(text))
    kinds = {mark.group()[0] for mark in found}
    return [text.count("\n", 0, mark.start()) + 1 for mark in found] if {"<", "=", ">"} <= kinds else []


def versions(text: str) -> tuple[str, str]:
    """The two texts of an unresolved merge.

    >>> versions("a\\n<<<<<<< HEAD\\nb\\n=======\\nc\\n>>>>>>> theirs\\n")
    ('a\\nb\\n', 'a\\nc\\n')
    """
    first: list[str] = []
    second: list[str] = []
    into = [first, second]
    for line in text.splitlines(keepends=True):
        mark = line[0] if _MARK.match(line.rstrip("\n")) else ""
        if mark:
            into = {"<": [first], "|": [], "=": [second], ">": [first, second]}[mark]
        else:
            for side in into:
                side.append(line)
    return "".join(first), "".join(second)
