"""Convert op arguments and options to and from JSON: numbers, arrays, slices, dtypes, nested tuples and lists."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from typing import Any

import numpy as np

#: The allowed dtypes.
DTYPES = frozenset({"bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"})
FLOATS, RECORDED = ("float32", "float64"), "float64"
LONGEST = 200  # the maximum length of a string
MOST_NESTED = 50  # the maximum depth of nested lists


class NotData(ValueError):
    """Raised for a value that cannot be written as data, and for data that cannot be read."""


def to_data(x: Any) -> Any:
    """Return an argument or option of an op as JSON data. Numbers, strings, None and lists need no conversion.

    Raises NotData for anything but numbers, strings, arrays, slices, dtypes and structures of these.

    >>> to_data((1, 2.5)), to_data(np.float32(3))
    ({'tuple': [1, 2.5]}, {'array': 'float32', 'shape': [], 'number': 3.0})
    """
    if x is None or type(x) in (bool, str) or (type(x) is int and abs(x) < 2**63):
        return x
    if type(x) is float:
        return x if math.isfinite(x) else {"float": repr(x)}
    if isinstance(x, (np.ndarray, np.generic)):
        return _array_data(np.asarray(x))
    if type(x) is slice:
        return {"slice": [to_data(x.start), to_data(x.stop), to_data(x.step)]}
    if x is Ellipsis:
        return {"ellipsis": True}
    if isinstance(x, tuple):
        return {"tuple": [to_data(item) for item in x]}
    if type(x) in (list, range):
        return [to_data(item) for item in x]
    if isinstance(x, (np.dtype, type)):
        try:
            return {"dtype": str(np.dtype(x))}
        except TypeError:
            pass
    raise NotData(f"an option of type {type(x).__name__} cannot be written as data")


def _array_data(a: np.ndarray[Any, Any]) -> Any:
    if str(a.dtype) not in DTYPES:
        raise NotData(f"an array of {a.dtype} cannot be written as data")
    data: dict[str, Any] = {"array": str(a.dtype), "shape": list(a.shape)}
    if a.dtype.kind == "f" and a.size == 1 and np.isfinite(a).all():  # a single number is written as readable text
        return {**data, "number": float(a.reshape(())[()])}
    return {**data, "bytes": base64.b64encode(a.tobytes()).decode()}


def from_data(data: Any, node: Callable[[Any], Any], cast: Any = None, depth: int = 0) -> Any:
    """Return the argument that `data` describes.

    node : a function that returns the value of a node, given the number in `{"node": number}`.
    cast : a float dtype to use instead of float64, the dtype of recorded graphs. Arrays of other float dtypes are
        converted to `cast` too.

    Raises NotData if `data` is not an argument.

    >>> from_data({"slice": [None, 2, None]}, node=lambda number: None)
    slice(None, 2, None)
    """
    if data is None or type(data) in (bool, float) or (type(data) is int and abs(data) < 2**63):
        return data
    if type(data) is str:
        if len(data) > LONGEST:
            raise NotData(f"a string has more than {LONGEST} characters")
        return str(np.dtype(cast)) if cast is not None and data == RECORDED else data
    if depth > MOST_NESTED:
        raise NotData(f"lists are nested more than {MOST_NESTED} deep")
    if type(data) is list:
        return [from_data(item, node, cast, depth + 1) for item in data]
    if type(data) is not dict or not data:
        raise NotData(f"{data!r:.40} is not an argument")
    kind, inner = next(iter(data.items()))
    if kind == "array":
        return _array(data, cast)
    if len(data) == 1:
        if kind == "node":
            return node(inner)
        if kind == "float" and inner in ("nan", "inf", "-inf"):
            return float(inner)
        if kind == "slice" and type(inner) is list and len(inner) == 3:
            return slice(*[from_data(item, node, cast, depth + 1) for item in inner])
        if kind == "tuple" and type(inner) is list:
            return tuple([from_data(item, node, cast, depth + 1) for item in inner])
        if kind == "ellipsis":
            return Ellipsis
        if kind == "dtype" and type(inner) is str and inner in DTYPES:
            return np.dtype(cast if cast is not None and inner == RECORDED else inner)
    raise NotData(f"{data!r:.40} is not an argument")


def _array(data: dict[str, Any], cast: Any) -> Any:
    try:
        dtype, shape = data["array"], data["shape"]
        if dtype not in DTYPES or not all(type(n) is int and n >= 0 for n in shape):
            raise NotData(f"there is no array of {dtype!r:.20} and shape {shape!r:.40}")
        if "number" in data:
            if math.prod(shape) != 1:
                raise NotData(f"one number is not an array of shape {shape!r:.40}")
            a = np.full(shape, float(data["number"]), dtype)
        else:
            a = np.frombuffer(base64.b64decode(data["bytes"], validate=True), dtype).reshape(shape)
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise NotData(f"an array cannot be read: {error}") from None
    if cast is None or str(a.dtype) not in FLOATS:
        return a[()]
    if np.dtype(cast) == np.float64 and a.dtype == np.float32:  # so that 0.1 in float32 becomes 0.1 in float64
        return np.array([float(str(x)) for x in a.ravel()]).reshape(a.shape)[()]
    return a.astype(cast)[()]


def numbers_in(data: Any) -> int:
    """Return how many numbers an argument contains. An array of equal numbers counts as one number."""
    if type(data) is list:
        return sum(map(numbers_in, data))
    if type(data) is dict:
        if "array" in data:
            count = math.prod(data["shape"])
            raw = base64.b64decode(data.get("bytes", ""))
            same = count > 1 and raw == raw[: len(raw) // count] * count  # such as the 1s that start a backward pass
            return 1 if same else count
        return sum(numbers_in(inner) for kind, inner in data.items() if kind in ("tuple", "slice"))
    return int(type(data) in (int, float))
