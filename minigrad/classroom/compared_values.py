"""Show the values of an answer in a few characters, and compare them with the true ones.

The kinds are compared first; if they differ, a sentence describes the difference. Then the numbers are compared.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor

MOST_NESTED = 20  #: maximum number of levels of nested lists that are shown
MOST_ENTRIES = 20  #: an array with more numbers is shown in part


@dataclass(frozen=True)
class Shown:
    """An input, and its text in a verdict."""

    value: Any
    text: str

    def __repr__(self) -> str:
        return self.text


def unwrapped(x: Any) -> Any:
    """Return an input as the student's function receives it: without its display text, if it is a Shown."""
    return x.value if isinstance(x, Shown) else x


def plain(x: Any) -> Any:
    """Return `x` with its Tensors replaced by their values."""
    if isinstance(x, Tensor):
        return x.value
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (tuple, list)) and any(isinstance(item, (Tensor, tuple, list, dict)) for item in x):
        return type(x)(plain(item) for item in x) if type(x) in (tuple, list) else tuple(map(plain, x))
    return x


def called(f: Any, *xs: Any, **also: Any) -> Any:
    """Call a student's function of plain values. This is the `run` of a check that needs only one call."""
    return plain(f(*xs, **also))


def in_form(got: Any, want: Any) -> Any:
    """Return `got` in the form of `want`, if that is equivalent: an array for a list, a list for an array, 1 for True.

    >>> in_form(np.array([1.0, 2.0]), (1.0, 2.0)), in_form(1, True)
    ([1.0, 2.0], True)
    >>> in_form([[1, 0], [1, 1]], np.zeros((2, 2))).shape
    (2, 2)
    """
    if isinstance(want, np.ndarray) and want.ndim and _is_sequence(got):
        with contextlib.suppress(ValueError):  # NumPy raises it if the rows have different lengths
            made = np.array(got)
            return made if _is_numeric(made) and made.shape == want.shape else got
    if _is_sequence(want) and isinstance(got, np.ndarray) and got.ndim:
        return got.tolist()
    if isinstance(want, bool) and np.ndim(got) == 0 and isinstance(got, (int, np.integer, np.ndarray)):
        return bool(got) if got in (0, 1) else got
    return got


def wrong_kind(got: Any, want: Any, what: str = "It") -> str | None:
    """Return a sentence if `got` is of a different kind from `want`, or None if the two can be compared.

    >>> wrong_kind("3", 3.0)
    "It is the string '3'; a number is expected."
    >>> wrong_kind(np.zeros(2), np.zeros(3))
    'It has shape (2,); shape (3,) is expected.'
    """
    if got is None and want is not None:
        return f"{what} is None; {_kind(want)} is expected. A function that ends without return gives None."
    if not _same_kind(got, want):
        return f"{what} is {_describe(got)}; {_kind(want)} is expected."
    if _is_sequence(want) or isinstance(want, dict):
        keys, label = (want, "Its") if isinstance(want, dict) else (range(len(want)), "Its item")
        return next((words for k in keys if (words := wrong_kind(got[k], want[k], f"{label} {k!r}"))), None)
    if want is None or isinstance(want, (str, bool)):
        return None
    if np.shape(got) != np.shape(want):
        if not np.shape(want):
            return f"{what} has shape {np.shape(got)}; one number is expected."
        return f"{what} has shape {np.shape(got)}; shape {np.shape(want)} is expected."
    return None


def _same_kind(got: Any, want: Any) -> bool:
    """Return whether `got` has the type that `want` requires, and the same length or keys."""
    if _is_sequence(want):
        return _is_sequence(got) and len(got) == len(want)
    if isinstance(want, dict):
        return isinstance(got, dict) and list(got) == list(want)
    if isinstance(want, (str, bool)):
        return isinstance(got, (type(want), np.bool_))
    if isinstance(want, int) and not _is_numeric(want):
        return isinstance(got, int)
    return got is None if want is None else _is_numeric(got)


def agree(got: Any, want: Any, rtol: float = 1e-6, atol: float = 1e-9, dtype: Any = None) -> bool:
    """Return whether two answers of the same kind agree; nan agrees with nan, and inf with inf.

    dtype : a float dtype; a number in `want` that is too large for it is compared as inf.

    >>> agree((1, float("nan")), (1.0, float("nan"))), agree(1.0, 1.1)
    (True, False)
    """
    if _is_sequence(want):
        return _same_kind(got, want) and all(agree(g, w, rtol, atol, dtype) for g, w in zip(got, want))
    if isinstance(want, dict):
        return _same_kind(got, want) and all(agree(got[k], want[k], rtol, atol, dtype) for k in want)
    if want is None or isinstance(want, str):
        return got is None if want is None else isinstance(got, str) and got == want
    if isinstance(want, int) and not _is_numeric(want):  # too large for a float
        return isinstance(got, int) and got == want
    if not _is_numeric(got) or np.shape(got) != np.shape(want):
        return False
    with np.errstate(all="ignore"):
        g, w = np.asarray(got, float), np.asarray(want, float)
        if dtype is not None:
            w = np.where(abs(w) > np.finfo(dtype).max, w.astype(dtype), w)
        return bool(np.allclose(g, w, rtol, atol, equal_nan=True))


def same(a: Any, b: Any) -> bool:
    """Return whether two values are equal to the last bit: nan equals nan, but 0.0 differs from -0.0.

    >>> same([float("nan")], [float("nan")]), same(np.zeros(2), -np.zeros(2))
    (True, False)
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype.kind != "O":
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    if type(a) in (tuple, list) and type(a) is type(b):
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is int or type(b) is int:  # Python writes at most 4300 digits
        return type(a) is type(b) and bool(a == b)
    try:
        return repr(a) == repr(b)
    except Exception:  # if its repr fails, an object equals only itself
        return a is b


def finite(x: Any) -> bool:
    """Return whether every number in `x` is finite."""
    if _is_sequence(x):
        return all(map(finite, x))
    return not _is_numeric(x) or bool(np.isfinite(np.asarray(x, float)).all())


def _is_sequence(x: Any) -> bool:
    return isinstance(x, (tuple, list))


def _is_numeric(x: Any) -> bool:
    if isinstance(x, int) and x.bit_length() > 1023:  # too large for a float
        return False
    return isinstance(x, (int, float, np.number, np.bool_)) or (isinstance(x, np.ndarray) and x.dtype.kind in "fiub")


def _kind(want: Any) -> str:
    if hasattr(want, "_fields"):
        return f"a {type(want).__name__}"
    if _is_sequence(want):
        name = "list" if isinstance(want, list) else "tuple"
        return f"a {name} of {len(want)}" if want else f"an empty {name}"
    if isinstance(want, dict):
        return f"a dict with the keys {', '.join(map(repr, want))}" if want else "an empty dict"
    if isinstance(want, np.ndarray) and want.shape:
        return f"an array of shape {want.shape}"
    return {str: "a string", bool: "True or False", type(None): "None"}.get(type(want), "a number")


def _describe(got: Any) -> str:
    if got is None:
        return "None"
    if isinstance(got, str):
        return f"the string {got!r:.60}"
    if isinstance(got, (bool, np.bool_)):
        return str(bool(got))
    if hasattr(got, "_fields"):
        return show(got)
    if _is_sequence(got):
        return f"a {type(got).__name__} of {len(got)}: {show(got)}"
    if isinstance(got, dict):
        return f"the dict {show(got)}"
    if isinstance(got, np.ndarray):
        return f"an array of shape {got.shape}"
    if isinstance(got, int) and not _is_numeric(got):
        return f"{show(got)}, too large for a float"
    if isinstance(got, (int, float, np.number)):
        return f"the number {show(got)}"
    if isinstance(got, type):
        return f"the class {got.__name__}"
    if callable(got):
        return f"the function {getattr(got, '__name__', '?')}"
    return f"of type {type(got).__name__}"


def largest(x: Any) -> float:
    """Return the largest magnitude of a finite number in `x`, or 0 if there is none."""
    if _is_sequence(x):
        return max(map(largest, x), default=0.0)
    if not _is_numeric(x):
        return 0.0
    a = abs(np.asarray(x, float))
    return float(np.max(a[np.isfinite(a)], initial=0.0))


def show(value: Any, digits: int = 6, depth: int = 0) -> str:
    """Return a value as a short text for a table; `depth` is the number of lists that contain the value.

    >>> show(0.30000001), show(np.float32(100)), show((1, float("inf")))
    ('0.3', '100', '(1, inf)')
    """
    if isinstance(value, (bool, np.bool_, str)) or value is None:
        return repr(value)[:120]
    if isinstance(value, (int, np.integer)):
        whole = int(value)
        return str(whole) if abs(whole) < 10**40 else f"about {'-' if whole < 0 else ''}1e{math.log10(abs(whole)):.0f}"
    if isinstance(value, (float, np.floating)):
        return f"{float(value) + 0.0:.{digits}g}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        named = (f"{name}={show(item, digits, depth + 1)}" for name, item in zip(vars(type(value))["_fields"], value))
        return f"{type(value).__name__}({', '.join(named)})"
    if isinstance(value, (tuple, list, dict)) and depth > MOST_NESTED:
        return "..."
    if isinstance(value, (tuple, list)):
        inside = ", ".join(show(item, digits, depth + 1) for item in value[:12]) + ", ..." * (len(value) > 12)
        if isinstance(value, tuple):
            return f"({inside}{',' * (len(value) == 1)})"
        return f"[{inside}]"
    if isinstance(value, np.ndarray) and not value.ndim:
        return show(value[()], digits, depth)
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return f"array({show(value.tolist(), digits, depth + 1)})"
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=digits, separator=", ", threshold=MOST_ENTRIES, floatmode="maxprec")
    if isinstance(value, Shown):
        return value.text
    if isinstance(value, dict):
        shown = (f"{_key(k, depth)}: {show(v, digits, depth + 1)}" for k, v in list(value.items())[:12])
        return "{" + ", ".join(shown) + "}"
    if hasattr(value, "value") and hasattr(value, "op"):  # a Tensor
        return show(value.value, digits, depth)
    try:
        return repr(value)[:120]
    except Exception as error:  # the student's __repr__ raised it, or an int has more digits than Python writes
        return f"of type {type(value).__name__}, whose __repr__ raises {type(error).__name__}"


def _key(key: Any, depth: int) -> str:
    return repr(key) if isinstance(key, (float, np.generic)) else show(key, depth=depth + 1)


def shown_apart(got: Any, want: Any) -> tuple[str, str]:
    """Return two values as short texts, with all digits if fewer would not distinguish them.

    For two large tables, only the entry with the largest difference is shown.

    >>> shown_apart(1.0, 1.5), shown_apart(1.0, 1.0 + 2**-40)
    (('1', '1.5'), ('1', '1.0000000000009095'))
    >>> shown_apart(np.eye(40), np.eye(40)[::-1])
    ('1 in row 0, column 0', '0 in row 0, column 0')
    """
    entry = _differing_entry(got, want)
    if entry is not None:
        got, want = got[entry], want[entry]
    short = show(got), show(want)
    shown = short if short[0] != short[1] else (show(got, 17), show(want, 17))
    where = "" if entry is None else f" in row {entry[0]}, column {entry[1]}"
    return shown[0] + where, shown[1] + where


def _differing_entry(got: Any, want: Any) -> tuple[int, int] | None:
    """Return the row and column where two large tables of one shape differ most, or None for any other values."""
    tables = (got, want)
    if not all(isinstance(x, np.ndarray) and x.ndim == 2 and _is_numeric(x) for x in tables):
        return None
    if got.shape != want.shape or got.size <= MOST_ENTRIES:
        return None
    with np.errstate(all="ignore"):
        off = abs(np.asarray(got, float) - np.asarray(want, float))
    row, column = divmod(int(np.argmax(np.where(np.isnan(off), np.inf, off))), got.shape[1])
    return row, column
