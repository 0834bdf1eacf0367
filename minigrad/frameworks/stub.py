"""The names of ops and of TensorFlow's functions for type checkers and editors, which do not run a program.

`python -m minigrad.frameworks.stub` writes `names.pyi` here and in `minigrad/ops`. Run it after changing a
declaration. A test compares both files with the functions.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..ops.docstrings import Word
from .install import public

HEAD = '''"""Written by `python -m minigrad.frameworks.stub`: {what}."""

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ..core.tensor import Tensor as Tensor, TensorLike as TensorLike

Axis = int | Sequence[int] | None
Each = tuple[int, ...]
Sizes = int | Sequence[int]
Padding = str | Sequence[Sequence[int]]

class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor

class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor
'''

FOLDERS = {"minigrad.ops": "ops", "minigrad": "frameworks"}


#: The files whose functions get their names from a table or a declaration, which type checkers do not see.
BY_TABLE = (
    "minigrad.frameworks.tensorflow.",
    "minigrad.frameworks.tensorflow_and_keras",
    "minigrad.frameworks.keras",
    "minigrad.ops.",
)


def stub(module: ModuleType) -> str:
    """Return the text of the stub of `minigrad.ops` or `minigrad`: functions, dtypes, and groups such as `math`."""
    what = "the ops, by the names that they have here and in Keras"
    if module.__name__ == "minigrad":
        what = "the ops and TensorFlow's functions, as `import minigrad as tf` has them"
    blocks = [HEAD.format(what=what)]
    if module.__name__ == "minigrad":  # `from .frameworks.names import *` must also give the names defined in the code
        blocks.append(
            "import viz as viz\n"
            + "".join(f"from {home} import {name} as {name}\n" for home, name in sorted(_in_the_code(module)))
        )
    for name in public(vars(module)):
        value = getattr(module, name)
        if isinstance(value, FunctionType) and _stubbed(value):
            blocks.append(f"def {name}{_shown(inspect.signature(value))}:\n    {_sentence(value)}\n")
        elif isinstance(value, ModuleType):
            blocks.append(f"{name}: Any\n")
        elif type(value).__module__ == "numpy.dtypes":
            blocks.append(f"{name}: np.dtype[Any]\n")
    return "\n".join(blocks)


def _in_the_code(module: ModuleType) -> set[tuple[str, str]]:
    """Return the public functions and classes that a file of the package defines, as (relative module, name)."""
    stubs = {
        ("..core.tensor", "TensorLike"),
        ("..core.support.scopes", "AUTO_REUSE"),
        *(("..", room) for room in ("data", "numpy", "ops", "optim", "scipy")),
    }
    for name in dir(module):
        value = getattr(module, name)
        home = str(getattr(value, "__module__", ""))
        named = callable(value) and not isinstance(value, np.dtype) and value.__name__ == name
        if named and not (isinstance(value, FunctionType) and _stubbed(value)):
            stubs.add(("." + home.removeprefix("minigrad"), name))
    return stubs


def _stubbed(value: FunctionType) -> bool:
    """Return whether the stub must declare a function itself, because type checkers cannot see it in the code."""
    return value.__module__ == "minigrad" or (value.__module__.startswith(BY_TABLE) and value.__name__ != "defop")


def _shown(signature: inspect.Signature) -> str:
    """Return a signature as text, with types as plain words, not quoted text, and ... for defaults that are objects."""
    parameters = [
        p.replace(annotation=_word(p.annotation, p.default), default=p.default if _plain(p.default) else Word("..."))
        for p in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=_word(signature.return_annotation)))


def _word(annotation: Any, default: Any = ...) -> Any:
    """Return an annotation as an object whose repr is plain text, for use in a signature.

    `bool` becomes `builtins.bool`, because `bool` is a dtype in the stub.
    """
    text = "Any" if annotation is inspect.Signature.empty else str(annotation).strip("'")
    if default is None and text != "Any" and "None" not in text.split(" | "):  # the default is another framework's
        text += " | None"
    return Word(re.sub(r"\bbool\b", "builtins.bool", text))


def _plain(default: Any) -> bool:
    return default is inspect.Parameter.empty or default is None or isinstance(default, (int, float, str, tuple))


def _sentence(value: FunctionType) -> str:
    """Return the first paragraph of a function's docstring as a docstring on one line, with its quotes."""
    sentence = " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    return f'"""{sentence}"""'


def main() -> None:
    """Write both stubs."""
    for module in map(importlib.import_module, FOLDERS):
        folder = Path(__file__).parents[1] / FOLDERS[module.__name__]
        (folder / "names.pyi").write_text(stub(module), encoding="utf-8")


if __name__ == "__main__":
    main()
