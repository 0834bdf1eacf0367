"""Names of functions (with file and line), arguments and values (by type and shape) for error messages."""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import os
from collections.abc import Collection
from typing import Any

from ..tensor import Tensor


def name_of(f: Any) -> str:
    """Return the name of a function, of the function inside a partial, or of the class of a callable object."""
    while isinstance(f, functools.partial):
        f = f.func
    return visible(getattr(f, "__name__", type(f).__name__))


def location_of(f: Any) -> str:
    """Return a function's name and location, such as `log1pexp (lesson.py:12)`, or its line in a notebook cell."""
    while isinstance(f, functools.partial):
        f = f.func
    code = getattr(inspect.unwrap(f), "__code__", None) or getattr(type(f).__call__, "__code__", None)
    if code is None:
        return name_of(f)
    return f"{name_of(f)} ({file_and_line(code.co_filename, code.co_firstlineno)})"


def argument_names(f: Any, count: int) -> list[str]:
    """Return the names of a function's first `count` positional arguments; the second of `*xs` is named `xs[1]`."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "input")
    return [*names, *(f"{star}[{i}]" for i in range(count - len(names)))]


#: PyTorch's names for the options of reductions.
_KEYWORDS = {"dim": "axis", "dims": "axis", "keepdim": "keepdims"}


def called_wrongly(name: str, signature: inspect.Signature, why: TypeError) -> TypeError:
    """Return the TypeError to raise for a call that does not fit a signature.

    why : the error that `signature.bind` raised.

    >>> called_wrongly("sum", inspect.Signature(), TypeError("got an unexpected keyword argument 'dim'"))
    TypeError("sum() was called wrongly: got an unexpected keyword argument 'dim'")
    """
    word = str(why).removesuffix("'").rpartition("'")[2]
    hint = keyword_hint(word, signature.parameters) if "unexpected keyword" in str(why) else ""
    shown = str(signature).replace("=<no value>", "")
    return TypeError(f"{name}{shown} was called wrongly: {why}{hint}")


def keyword_hint(word: str, parameters: Collection[str]) -> str:
    """Return advice if `word` is PyTorch's name for one of the `parameters`, or is spelt like one; else "".

    >>> keyword_hint("dim", ["x", "axis"]), keyword_hint("dim", ["x"]), keyword_hint("axes", ["x", "axis"])
    ('; write axis=', '', '; write axis=')
    """
    import difflib  # imported here, because it is needed only for an error

    instead = _KEYWORDS.get(word, "".join(difflib.get_close_matches(word, parameters, 1, 0.7)))
    return f"; write {instead}=" if instead in parameters else ""


def returns_nothing(f: Any) -> bool:
    """Return whether a function written with `def` has no return statement with a value.

    >>> def rule(upstream): 2.0 * upstream
    >>> returns_nothing(rule), returns_nothing(lambda upstream: None)
    (True, False)
    """
    code = getattr(inspect.unwrap(f), "__code__", None)
    if code is None or code.co_name == "<lambda>" or code.co_flags & inspect.CO_GENERATOR:
        return False
    steps = [*dis.get_instructions(code)]
    pairs = [(a, b) for a, b in itertools.pairwise(steps) if b.opname in ("RETURN_VALUE", "RETURN_CONST")]
    ends = [a if b.opname == "RETURN_VALUE" else b for a, b in pairs]
    values = [end for end in ends if end.opname in ("LOAD_CONST", "RETURN_CONST") and end.argval is None]
    return len(values) == len(ends)


def file_and_line(filename: str, line: int) -> str:
    """Return `file.py:12`, or `cell line 12` for a notebook cell, whose file is temporary."""
    if is_cell(filename):
        return f"cell line {line}"
    return f"{os.path.basename(filename)}:{line}"


def is_cell(filename: str) -> bool:
    """Return whether a file name belongs to a notebook cell."""
    return "ipykernel" in filename or filename.startswith("<")


def describe(x: Any) -> str:
    """Return a short description of `x`, such as "a Tensor of shape (2,)"."""
    if isinstance(x, Tensor):
        return f"a {type(x).__name__} of shape {x.shape}"
    if isinstance(x, str):
        return f"the string {x!r:.40}"
    if x is None:
        return "None"
    if isinstance(x, (list, tuple, dict)):
        return f"a {type(x).__name__} of {len(x)}"
    return f"{x!r:.40} of type {type(x).__name__}"


def plural(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


#: Invisible characters that join letters of some scripts, and emoji (a family is four people and three joiners).
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """Return `text` with each nonprinting character, such as a terminal control character, replaced by an escape.

    >>> print(visible("ada" + chr(27) + "[2J"))
    ada\\x1b[2J
    """
    if text.isprintable():
        return text
    shown = [
        c if c.isprintable() or _joins(text, i) else c.encode("unicode_escape").decode() for i, c in enumerate(text)
    ]
    return "".join(shown)


def _joins(text: str, i: int) -> bool:
    """Return whether character `i` is a joiner between two non-ASCII characters, the only place where it matters."""
    return text[i] in _JOINERS and 0 < i < len(text) - 1 and ord(text[i - 1]) > 127 and ord(text[i + 1]) > 127
