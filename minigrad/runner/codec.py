"""Encode values as JSON and decode them, at both ends of a channel, with bounds on messages from the other side.

A value of a JSON type is written unchanged, and any other plain value as an object whose first key is the value's kind:

    {"tuple": [...]}  {"dict": [[key, value], ...]}  {"set": [...]}  {"float": "nan"}  {"int": "0x..."}
    {"array": dtype, "shape": [...], "bytes": base64}  {"scalar": dtype, "bytes": base64}

All other values (objects, functions, Tensors) are passed to a function `other`, which writes or reads them.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

MOST_NESTED, MOST_DIGITS = 50, 4096
MOST_COLLIDING = 100  # the maximum number of keys with equal hashes in a dict or set: they are compared in pairs
#: The dtypes that arrays may have. The object dtype is never allowed.
DTYPES = {
    name: np.dtype(name)
    for name in (
        *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
        *("float16", "float32", "float64", "complex128"),
    )
}


class BadMessage(Exception):
    """Raised if a message from the other side is invalid or not plain data; the text is for students and teachers."""


def encode(x: Any, other: Callable[[Any], Any], depth: int = 0) -> Any:
    """Return `x` as data for JSON; instances of subclasses and of all other types are passed to `other`.

    >>> encode((1, float("inf")), repr)
    {'tuple': [1, {'float': 'inf'}]}
    """
    kind = type(x)
    if x is None or kind is bool or kind is str:
        return x
    if kind is int:
        if x.bit_length() > 4 * MOST_DIGITS - 20:
            raise BadMessage(f"an integer of {x.bit_length():,} bits, which is too large to be compared")
        return x if abs(x) < 2**53 else {"int": hex(x)}
    if kind is float:
        return x if math.isfinite(x) else {"float": repr(x)}
    if kind is np.str_:
        return str(x)
    if depth > MOST_NESTED:
        raise BadMessage(f"lists nested more than {MOST_NESTED} deep")
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
    """Decode a value that `encode` wrote, with `other` for objects of other kinds. Raises BadMessage for invalid data.

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
            case {"int": str(digits)}:
                if len(digits) > MOST_DIGITS:
                    raise BadMessage(f"an integer of {len(digits):,} digits")
                return int(digits, 16)
            case {"tuple": list(items)}:
                return tuple([decode(item, other, depth + 1) for item in items])
            case {"dict": list(items)}:
                keys = _apart([decode(k, other, depth + 1) for k, _ in items])
                return dict(zip(keys, [decode(v, other, depth + 1) for _, v in items]))
            case {"set": list(items)}:
                return set(_apart([decode(item, other, depth + 1) for item in items]))
            case {"scalar": str(name), "bytes": str(text)}:
                array = np.frombuffer(base64.b64decode(text, validate=True), DTYPES[name])
                return array[0].item() if data.get("python") else array[0]
            case {"array": str(name), "shape": list(shape), "bytes": str(text)}:
                return np.frombuffer(base64.b64decode(text, validate=True), DTYPES[name]).reshape(_shape(shape)).copy()
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise BadMessage(f"data that cannot be read: {error!s:.100}") from None
    return other(data)


def _text(x: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(x).tobytes()).decode()


def _apart(keys: Sequence[Any]) -> Sequence[Any]:
    """Return the keys of a decoded dict or set; raise BadMessage if two are equal, or many have the same hash."""
    if len({hash(key) for key in keys}) < len(keys) - MOST_COLLIDING:
        raise BadMessage("keys that collide")
    if len(set(keys)) < len(keys):
        raise BadMessage("a key that appears twice")
    return keys


def _shape(shape: Sequence[Any]) -> Sequence[int]:
    if not all(type(n) is int and 0 <= n < 2**31 for n in shape):
        raise ValueError(f"there is no array of shape {shape!r:.40}")
    return shape
