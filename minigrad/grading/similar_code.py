"""Find pairs of students whose code shares passages that are rare in the class.

A passage is a run of tokens. Passages of the released notebook, and passages that many students share, are not evidence
and are left out. The method is the fingerprinting of Schleimer, Wilkerson and Aiken, "Winnowing" (SIGMOD 2003), without
the thinning that large collections need. There are two passes: one over the tokens as written, and one that treats all
names as equal, which finds copies with changed names.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

LENGTH = {"as written": 6, "with other names": 14}  # number of tokens in a passage
SHARED = {"as written": 20, "with other names": 24}  # minimum number of passages shared by a reported pair
ALIKE = 0.6  # minimum shared fraction of the shorter answer's rare passages in a reported pair
COMMON = 0.15  # a passage is not evidence if more than this fraction of the class, and more than four students, have it
SKIPPED = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}


class Likeness(NamedTuple):
    """Two students with similar code.

    shared, of : how many rare passages they share, and how many the shorter answer has.
    reading : the pass: "as written" or "with other names".
    """

    students: tuple[str, str]
    shared: int
    of: int
    reading: str

    def __str__(self) -> str:
        first, second = self.students
        return f"{first} and {second} share {self.shared} of {self.of} rare passages ({self.reading})"


def similar_pairs(codes: Mapping[str, str], handed_out: str = "") -> list[Likeness]:
    """Return the pairs of students whose code is too similar for chance, the most similar first; a pair is not a proof.

    codes : student -> the code of all answers. handed_out : the released code.

    >>> similar_pairs({"ada": "x = 1", "bob": "x = 1"})
    []
    """
    likest: dict[tuple[str, str], Likeness] = {}
    for reading in LENGTH:
        for pair in _pairs(codes, handed_out, reading):
            likest.setdefault(pair.students, pair)
    return sorted(likest.values(), key=lambda pair: (-pair.shared / pair.of, -pair.shared, pair.students))


def _pairs(codes: Mapping[str, str], handed_out: str, reading: str) -> list[Likeness]:
    passages_handed_out = _passages(handed_out, reading)
    passages = {student: _passages(code, reading) - passages_handed_out for student, code in codes.items()}
    owners = Counter(passage for own in passages.values() for passage in own)
    limit = max(4, int(COMMON * len(codes)))
    rare = {student: {p for p in own if owners[p] <= limit} for student, own in passages.items()}
    pairs = []
    for first, second in combinations(sorted(rare), 2):
        shared, of = len(rare[first] & rare[second]), min(len(rare[first]), len(rare[second]))
        if shared >= SHARED[reading] and shared >= ALIKE * of:
            pairs.append(Likeness((first, second), shared, of, reading))
    return pairs


def _passages(code: str, reading: str) -> set[tuple[str, ...]]:
    tokens, length = _tokens(code, reading), LENGTH[reading]
    return {tuple(tokens[i : i + length]) for i in range(len(tokens) - length + 1)}


def _tokens(code: str, reading: str) -> list[str]:
    """Return the tokens of the code, up to the first syntax error; "name" for each name in the second pass.

    reading : the pass, as in `Likeness`.
    """
    tokens = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type in SKIPPED:
                continue
            named = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
            if reading == "with other names":
                if token.type == tokenize.COMMENT:
                    continue
                tokens.append("name" if named else token.string)
            else:
                tokens.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return tokens
