"""Messages between the judge and a student's process: a length, then JSON with plain data, never pickle."""

from __future__ import annotations

import json
import math
import select
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, NoReturn

from .codec import MOST_DIGITS, BadMessage

MOST_BYTES, MOST_ITEMS = 4_000_000, 1_000_000


class Late(Exception):
    """Raised if no message came in time."""


class Ended(Exception):
    """Raised if the other process has ended."""


class Channel:
    """One end of a connection. A message is four bytes with its length, then JSON.

    >>> ours, theirs = socket.socketpair()
    >>> Channel(ours).send({"do": "run"})
    >>> Channel(theirs).receive(1.0)
    {'do': 'run'}
    >>> ours.close(), theirs.close()
    (None, None)
    """

    def __init__(self, connection: socket.socket, most: int = MOST_BYTES) -> None:
        self.connection, self.most = connection, most
        self._ready = _waiting(connection)
        self._arrived = b""

    def send(self, message: Any) -> None:
        """Send one message. Raises BadMessage if it is too large, and Ended if the other process has ended."""
        text = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        if len(text) > self.most:
            raise BadMessage(f"data of {len(text):,} bytes, more than {self.most:,}")
        try:
            self.connection.sendall(struct.pack(">I", len(text)) + text)
        except OSError:
            raise Ended from None

    def receive(self, seconds: float | None = None) -> Any:
        """Return the next message.

        Raises Late if no message comes in time, Ended if the other process has ended, and BadMessage if the message is
        invalid.
        """
        end = None if seconds is None else time.monotonic() + seconds
        (size,) = struct.unpack(">I", self._read(4, end))
        if size > self.most:
            raise BadMessage(f"a message of {size:,} bytes, more than {self.most:,}")
        text = self._read(size, end)
        if text.count(b",") > MOST_ITEMS:
            raise BadMessage(f"a message of more than {MOST_ITEMS:,} items")
        try:
            return json.loads(text, parse_constant=_no_constant, parse_int=_integer)
        except (ValueError, RecursionError) as error:
            raise BadMessage(f"a message that is not JSON: {error!s:.100}") from None

    def pending(self) -> bool:
        """Return whether there is unread data."""
        return bool(self._arrived or self._ready(0.0))

    def _read(self, count: int, end: float | None) -> bytes:
        parts, size = [self._arrived], len(self._arrived)
        while size < count:
            remaining = None if end is None else max(0.0, end - time.monotonic())
            if not self._ready(remaining):
                self._arrived = b"".join(parts)
                raise Late
            try:
                part = self.connection.recv(1 << 16)
            except OSError:
                raise Ended from None
            if not part:
                raise Ended
            parts.append(part)
            size += len(part)
        arrived = b"".join(parts)
        self._arrived = arrived[count:]
        return arrived[:count]


def _waiting(connection: socket.socket) -> Callable[[float | None], Any]:
    """Return a function of a number of seconds (None for no limit) that waits for data; it is true if any arrived."""
    if not hasattr(select, "poll"):
        return lambda seconds: select.select([connection], [], [], seconds)[0]
    poll = select.poll()  # use poll, because select rejects descriptors above 1023
    poll.register(connection, select.POLLIN)
    return lambda seconds: poll.poll(None if seconds is None else math.ceil(seconds * 1000))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:  # the time to parse an integer grows with the square of its length
        raise ValueError(f"an integer of {len(digits):,} digits")
    return int(digits)
