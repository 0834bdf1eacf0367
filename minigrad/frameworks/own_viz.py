"""`minigrad.viz`: the pictures, even if `import viz` finds a different package.

The package index contains another package named viz. It installs a folder of the same name, and pip lets each package
overwrite the other. `import minigrad` warns about this, and `minigrad.viz` loads minigrad's files by path, under
another name.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
import warnings
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.tensor import Tensor
from ..core.variable import Variable

FOLDER = Path(__file__).parents[2] / "viz"
_ANOTHER_NAME = "minigrad_viz"
_FIRST_LINE = b'"""viz: see a backward pass.'


def load() -> ModuleType:
    """Return minigrad's module `viz`, named `minigrad_viz` if `import viz` finds a different package.

    Raises ModuleNotFoundError with the command to run if minigrad's folder is missing.
    """
    if foreign() is None and not _is_foreign(sys.modules.get("viz")):
        return importlib.import_module("viz")
    if _ANOTHER_NAME in sys.modules:
        return sys.modules[_ANOTHER_NAME]
    file = FOLDER / "public.py"
    if not file.exists():
        raise ModuleNotFoundError(
            "the folder viz of minigrad is missing; write: pip install --force-reinstall minigrad-kit"
        )
    spec = importlib.util.spec_from_file_location(_ANOTHER_NAME, file, submodule_search_locations=[str(FOLDER)])
    assert spec is not None and spec.loader is not None
    module = sys.modules[_ANOTHER_NAME] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[_ANOTHER_NAME]
        raise
    return module


def foreign() -> str | None:
    """Return the path of the file that `import viz` finds if it belongs to a different package, or None if it does not.

    Return "" if `import viz` finds nothing and minigrad's folder is missing.
    """
    spec = PathFinder.find_spec("viz")
    if spec is None or spec.origin is None:
        return None if FOLDER.is_dir() else ""
    try:
        with open(spec.origin, "rb") as file:
            return None if file.read(len(_FIRST_LINE)) == _FIRST_LINE else spec.origin
    except OSError:  # the file is in a zip file, for example
        return None


def _is_foreign(module: ModuleType | None) -> bool:
    """Return whether a loaded module `viz` belongs to a different package."""
    file = getattr(module, "__file__", None)
    return file is not None and Path(file) != FOLDER / "__init__.py" and not hasattr(module, "trace_nan")


def show_tensors() -> None:
    """Make notebooks show Tensors as tables. The pictures are loaded when the first Tensor is shown."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    for kind in (Tensor, Variable) if shell is not None else ():
        shell.display_formatter.formatters["text/html"].for_type(kind, _table)


def _table(x: Tensor) -> str | None:
    with contextlib.suppress(ModuleNotFoundError):  # if the folder is missing, the Tensor is shown as text
        return importlib.import_module(f"{load().__name__}.render.tensor_table").tensor_html(x)
    return None


def notice() -> None:
    """Warn if `import viz` finds a different package."""
    file = foreign()
    if file:
        warnings.warn(
            f"`import viz` finds another package of that name, {file}; write mg.viz for the pictures of minigrad, or "
            "python -m pip uninstall viz and then python -m pip install --force-reinstall --no-deps minigrad-kit",
            stacklevel=3,
        )
