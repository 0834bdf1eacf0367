"""Messages between the judge and a student's process: a length, then JSON with plain data, never pickle.

This file, student, objects, columns, printed, server and the sandbox run in the student's process as well, where there
may be no minigrad; they import each other, NumPy and the standard library only.

A value that JSON has is written as it is, any other as an object with one key, its kind:

    {"tuple": [...]}  {"dict": [[key, value], ...]}  {"set": [...]}  {"float": "nan"}  {"int": "0x..."}
    {"array": dtype, "shape": [...], "bytes": base64}  {"scalar": dtype, "bytes": base64}
"""

from __future__ import annotations

import base64
import json
import math
import select
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

MOST_BYTES, MOST_NESTED, MOST_DIGITS = 4_000_000, 50, 4096
#: The dtypes that arrays may have; never objects.
DTYPES = {
    name: np.dtype(name)
    for name in (
        *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
        *("float16", "float32", "float64", "complex128"),
    )
}


class BadMessage(Exception):
    """A message from the other side is invalid, or not plain data; the text is for students and teachers."""


class Late(Exception):
    """No message came in time."""


class Ended(Exception):
    """The other process has ended."""


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
        """Send one message. Raises BadMessage if it is too large, Ended if the other process has ended."""
        text = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        if len(text) > self.most:
            raise BadMessage(f"it has {len(text):,} bytes as data, more than {self.most:,}")
        try:
            self.connection.sendall(struct.pack(">I", len(text)) + text)
        except OSError:
            raise Ended from None

    def receive(self, seconds: float | None = None) -> Any:
        """The next message. Raises Late, Ended, or BadMessage if it is invalid."""
        end = None if seconds is None else time.monotonic() + seconds
        (size,) = struct.unpack(">I", self._read(4, end))
        if size > self.most:
            raise BadMessage(f"a message of {size:,} bytes, more than {self.most:,}")
        try:
            return json.loads(self._read(size, end), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise BadMessage(f"a message that is no JSON: {error!s:.100}") from None

    def pending(self) -> bool:
        """Whether data have arrived that were not read."""
        return bool(self._arrived or self._ready(0.0))

    def _read(self, count: int, end: float | None) -> bytes:
        parts, found = [self._arrived], len(self._arrived)
        while found < count:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not self._ready(left):
                self._arrived = b"".join(parts)
                raise Late
            try:
                part = self.connection.recv(1 << 16)
            except OSError:
                raise Ended from None
            if not part:
                raise Ended
            parts.append(part)
            found += len(part)
        arrived = b"".join(parts)
        self._arrived = arrived[count:]
        return arrived[:count]


def _waiting(connection: socket.socket) -> Callable[[float | None], Any]:
    """A function that waits for data, some seconds or for ever, and returns whether there are any."""
    if not hasattr(select, "poll"):
        return lambda seconds: select.select([connection], [], [], seconds)[0]
    poll = select.poll()  # select itself takes no descriptor above 1023
    poll.register(connection, select.POLLIN)
    return lambda seconds: poll.poll(None if seconds is None else math.ceil(seconds * 1000))


def encode(x: Any, other: Callable[[Any], Any], depth: int = 0) -> Any:
    """`x` as JSON. Only exact types are plain data; anything else is passed to `other`, which returns JSON.

    >>> encode((1, float("inf")), repr)
    {'tuple': [1, {'float': 'inf'}]}
    """
    kind = type(x)
    if x is None or kind is bool or kind is str:
        return x
    if kind is int:
        if x.bit_length() > 4 * MOST_DIGITS - 20:
            raise BadMessage(f"an integer of {x.bit_length():,} bits is too large to be compared")
        return x if abs(x) < 2**53 else {"int": hex(x)}
    if kind is float:
        return x if math.isfinite(x) else {"float": repr(x)}
    if kind is np.str_:
        return str(x)
    if depth > MOST_NESTED:
        raise BadMessage(f"lists are nested more than {MOST_NESTED} deep")
    if kind is list:
        return [encode(item, other, depth + 1) for item in x]
    if kind is tuple:
        return {"tuple": [encode(item, other, depth + 1) for item in x]}
    if kind is dict:
        return {"dict": [[encode(k, other, depth + 1), encode(v, other, depth + 1)] for k, v in x.items()]}
    if kind is set or kind is frozenset:
        return {"set": [encode(item, other, depth + 1) for item in x]}
    if kind is complex:
        return {"scalar": "complex128", "bytes": _text(np.complex128(x)), "python": True}
    if kind is np.ndarray and x.dtype.name in DTYPES:
        return {"array": x.dtype.name, "shape": list(x.shape), "bytes": _text(x)}
    if isinstance(x, np.generic) and x.dtype.name in DTYPES and kind is x.dtype.type:
        return {"scalar": x.dtype.name, "bytes": _text(x)}
    return other(x)


def decode(data: Any, other: Callable[[dict[str, Any]], Any], depth: int = 0) -> Any:
    """Decode a value written by `encode`; other objects go to `other`. Raises BadMessage for anything else.

    >>> decode({"tuple": [1, {"float": "inf"}]}, dict)
    (1, inf)
    """
    if data is None or isinstance(data, (bool, str, int, float)):
        return data
    if depth > MOST_NESTED + 10:
        raise BadMessage("data that is nested too deeply")
    if isinstance(data, list):
        return [decode(item, other, depth + 1) for item in data]
    try:
        match data:
            case {"float": "nan" | "inf" | "-inf" as name}:
                return float(name)
            case {"int": str(digits)} if len(digits) <= MOST_DIGITS:
                return int(digits, 16)
            case {"tuple": list(items)}:
                return tuple([decode(item, other, depth + 1) for item in items])
            case {"dict": list(items)}:
                return {decode(k, other, depth + 1): decode(v, other, depth + 1) for k, v in items}
            case {"set": list(items)}:
                return {decode(item, other, depth + 1) for item in items}
            case {"scalar": str(name), "bytes": str(text)}:
                found = np.frombuffer(base64.b64decode(text, validate=True), DTYPES[name])
                return found[0].item() if data.get("python") else found[0]
            case {"array": str(name), "shape": list(shape), "bytes": str(text)}:
                return np.frombuffer(base64.b64decode(text, validate=True), DTYPES[name]).reshape(shape).copy()
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise BadMessage(f"data that cannot be read: {error!s:.100}") from None
    return other(data)


def _text(x: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(x).tobytes()).decode()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
