"""Write `minigrad/frameworks/signatures.txt`: what TensorFlow and Keras take under the names that minigrad has too.

`python -m tests.frameworks.read_signatures`, where both are installed, after a new version of one of them or a new
name here.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import minigrad
from minigrad.core.op import OPS
from minigrad.frameworks.install import Group

FILE = Path(minigrad.__file__).parent / "frameworks" / "signatures.txt"
HEAD = """\
# What the functions of TensorFlow and Keras take, as their own signatures say, for the names that minigrad has too.
# Written by tests/frameworks/read_signatures.py.
"""
CLASSES = {"GradientTape": "gradient jacobian batch_jacobian watch stop_recording reset watched_variables"}


def public(holder: Any, prefix: str = "") -> Iterator[str]:
    """The names of the functions and classes in a namespace of minigrad and in its groups."""
    for name in dir(holder):
        value = getattr(holder, name)
        if isinstance(value, Group) and name != "compat":
            yield from public(value, f"{prefix}{name}.")
        elif callable(value) and not isinstance(value, ModuleType):
            yield prefix + name
            yield from (f"{prefix}{name}.{method}" for method in CLASSES.get(name, "").split())


def get(holder: Any, path: str) -> Any:
    """`holder.a.b` for "a.b", or None."""
    for name in path.split("."):
        holder = getattr(holder, name, None)
    return holder


def tensorflow() -> Iterator[tuple[str, Any]]:
    """The functions of TensorFlow, or else of its compat.v1; those that tf.math repeats are listed once.

    An op of ours that TensorFlow has by another name is not meant where a name of its own happens to be there too.
    """
    tf = importlib.import_module("tensorflow")
    ours = {path for path in public(minigrad) if path not in OPS or (OPS[path].facts.names or {}).get("tf") == path}
    for path in sorted(ours):
        theirs = get(tf, path) or get(tf.compat.v1, path)
        repeated = path.startswith("math.") and path.removeprefix("math.") in ours
        if callable(theirs) and not (repeated and get(tf, path.removeprefix("math."))):
            yield path, theirs


def keras() -> Iterator[tuple[str, Any]]:
    """The functions of keras.ops."""
    library = importlib.import_module("keras")
    for path in public(minigrad.ops):
        theirs = get(library.ops, path)
        if callable(theirs) and "." not in path:
            yield path, theirs


def line(path: str, function: Any) -> str:
    """`clip(x, x_min, x_max)`, with the names and the defaults of a function, in the spelling of our defaults."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return f"{path}({', '.join(map(parameter, parameters))})"


def parameter(p: inspect.Parameter) -> str:
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    default = "" if p.default is p.empty else f"={literal(p.default)}"
    return star + p.name + default


def literal(value: Any) -> str:
    """A default without a space: a dtype by its name, a member of an enumeration by its value."""
    if isinstance(value, enum.Enum):
        value = value.value
    elif hasattr(value, "as_numpy_dtype"):
        value = value.name
    return repr(value).replace(" ", "")


def text() -> str:
    """The text of the file."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    parts = [HEAD]
    for read in (tensorflow, keras):
        lines = sorted(line(*each) for each in read())
        version = importlib.import_module(read.__name__).__version__
        parts.append(f"[{read.__name__} {version}]\n" + "".join(f"{each}\n" for each in lines))
    return "\n".join(parts)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
