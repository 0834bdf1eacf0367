"""Answers that cannot be read at a glance: salted hashes, and texts that can be opened only with the right key.

This only prevents reading by accident: anyone can try the four letters of a choice.

>>> box = seal("Yes, nan.", "letters", "d")
>>> unseal(box, "letters", "d"), "nan" in box
('Yes, nan.', False)
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass


def digest(salt: str, key: str) -> str:
    """Return a salted hash of `key`, which identifies the key without showing it."""
    return hashlib.sha256(f"{salt}\0recognised by\0{key}".encode()).hexdigest()[:24]


def seal(text: str, salt: str, key: str) -> str:
    """Return the text in a form that can be opened only with `key`."""
    data = text.encode()
    return base64.b64encode(bytes(a ^ b for a, b in zip(data, _stream(salt, key, len(data))))).decode()


def unseal(box: str, salt: str, key: str) -> str:
    """Return the text that was sealed with this salt and key; raise ValueError for a wrong key."""
    data = base64.b64decode(box)
    return bytes(a ^ b for a, b in zip(data, _stream(salt, key, len(data)))).decode()


def _stream(salt: str, key: str, size: int) -> bytes:
    blocks = range(size // 32 + 1)
    return b"".join(hashlib.sha256(f"{salt}\0opened by\0{key}\0{block}".encode()).digest() for block in blocks)


@dataclass(frozen=True)
class Solution:
    """A solution and the reason why it is right, sealed with the last hint as the key.

    >>> Solution.of("return 2 * x", "Twice is two times.", "double", "Write 2 *.").open("double", "Write 2 *.")
    ('return 2 * x', 'Twice is two times.')
    """

    code: str
    why: str

    @classmethod
    def of(cls, code: str, why: str, salt: str, hint: str) -> Solution:
        return cls(seal(code, salt, hint), seal(why, salt + " why", hint))

    def open(self, salt: str, hint: str) -> tuple[str, str]:
        return unseal(self.code, salt, hint), unseal(self.why, salt + " why", hint)
