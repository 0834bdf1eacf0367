"""Names of functions (with file and line), arguments and values (by type and shape) for error messages."""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import itertools
import os
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from ..tensor import Tensor
from .tensor_values import Function


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


#: PyTorch's names for the options of reductions, and for the first and second operand.
_OPTIONS = {"dim": "axis", "dims": "axis", "keepdim": "keepdims"}
_OPERANDS = {"input": 0, "tensors": 0, "other": 1}


def called_wrongly(name: str, signature: inspect.Signature, why: object, keywords: Collection[str] = ()) -> TypeError:
    """Return the TypeError to raise for a call that does not fit a signature.

    why : the error that `signature.bind` raised. keywords : the names of the call's keyword arguments. If one of them
        is another framework's name for an argument, the error names it, and not the argument that is missing.

    >>> called_wrongly("sum", inspect.Signature(), TypeError("got an unexpected keyword argument 'dim'"), ["dim"])
    TypeError("sum() was called wrongly: got an unexpected keyword argument 'dim'")
    """
    parameters = signature.parameters.values()
    required = [p.name for p in parameters if p.default is p.empty]
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        for word in [word for word in keywords if word not in signature.parameters]:
            hint = keyword_hint(word, signature.parameters, required)
            if hint or word in str(why):
                why = f"got an unexpected keyword argument {word!r}{hint}"
                break
    bare = inspect.Signature([p.replace(annotation=p.empty) for p in parameters])
    shown = str(bare).replace("=<no value>", "")
    return TypeError(f"{name}{shown} was called wrongly: {why}")


def advised(f: Function) -> Function:
    """Wrap `f` to raise an error with advice if it is called with another framework's keyword."""

    @functools.wraps(f)
    def advising(*args: Any, **kwargs: Any) -> Any:
        try:
            return f(*args, **kwargs)
        except TypeError as error:
            if better := misnamed(f, kwargs, error):
                raise better from None
            raise

    return advising


def misnamed(f: Any, kwargs: Mapping[str, Any], error: TypeError) -> TypeError | None:
    """Return an error with advice if `error` is about a keyword in a call to `f` that nobody takes; else None.

    The keyword may have been rejected by another function, which `f` called.

    >>> def total(x, axis=0): ...
    >>> misnamed(total, {"dim": 0}, TypeError("total() got an unexpected keyword argument 'dim'"))
    TypeError("total(x, axis=0) was called wrongly: got an unexpected keyword argument 'dim'; write axis=")
    """
    signature = inspect.signature(f)
    named = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    rejected = re.search(r"unexpected keyword argument '(\w+)'|missing \d+ required", str(error))
    unknown = [word for word in kwargs if word not in signature.parameters]
    if not rejected or not unknown or rejected[1] not in (None, *unknown):
        return None
    return called_wrongly(name_of(f), inspect.Signature(named), error, [rejected[1] or unknown[0]])


def keyword_hint(word: str, parameters: Collection[str], required: Sequence[str] = ()) -> str:
    """Return advice if `word` is PyTorch's name for one of the `parameters`, or is spelt like one; else "".

    required : the parameters without a default, in order.

    >>> keyword_hint("dim", ["x", "axis"]), keyword_hint("dim", ["x"]), keyword_hint("axes", ["x", "axis"])
    ('; write axis=', '', '; write axis=')
    >>> keyword_hint("other", ["x", "y"], ["x", "y"]), keyword_hint("other", ["x", "axis"], ["x"])
    ('; write y=', '')
    """
    import difflib  # imported here, because it is needed only for an error

    position = _OPERANDS.get(word, len(required))
    alike = difflib.get_close_matches(word, parameters, 1, 0.7)
    instead = _OPTIONS.get(word) or "".join(required[position : position + 1] or alike)
    return f"; write {instead}=" if instead in parameters else ""


#: The end of a message about a rule that returned None and has no `return`.
LACKS_RETURN = "; does it lack a return?"


def returns_nothing(f: Any) -> bool:
    """Return whether a function written with `def` has no return statement, or only bare ones.

    An explicit `return None` is intended. If the source is not available, it looks like a missing return.

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
    return len(values) == len(ends) and not _has_return(code)


def _has_return(code: CodeType) -> bool:
    """Return whether the source of a function has `return` with a value; False if the source is missing."""
    try:
        (function,) = ast.parse(textwrap.dedent(inspect.getsource(code))).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return False
    return any(isinstance(node, ast.Return) and node.value is not None for node in _own_nodes(function))


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function's tree, except inside nested functions and classes."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield node
            yield from _own_nodes(node)


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
    return "".join(c if c.isprintable() or _joins(text, i) else _escaped(c) for i, c in enumerate(text))


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _joins(text: str, i: int) -> bool:
    """Return whether character `i` is a joiner between two non-ASCII characters, the only place where it matters."""
    return text[i] in _JOINERS and 0 < i < len(text) - 1 and ord(text[i - 1]) > 127 and ord(text[i + 1]) > 127
