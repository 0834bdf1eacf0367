"""The public names of viz.

They are in a separate file, which `minigrad.viz` loads, because another package may install a folder `viz` over ours
and overwrite `__init__.py`.
"""

import sys
from typing import Any

from minigrad.bridges.explain import NanFound
from minigrad.bridges.watch import watch
from minigrad.tracing.user_lines import remember_lines

from .views.backward import backward
from .views.beside import Beside, beside
from .views.compare import Comparison, compare
from .views.curves import curves
from .views.figure_view import FigureView
from .views.forward import forward
from .views.learner import ForwardView, LearnerView
from .views.matrices import jacobian, matrices
from .views.memory import memory
from .views.nudge import NudgeView, nudge
from .views.page import Page, page
from .views.plane import plane
from .views.play import play
from .views.retrain import retrain
from .views.schedule import schedule
from .views.source import SourceView, source
from .views.steps import steps
from .views.trace_nan import NanView, trace_nan
from .views.training import history, images, layers, units
from .views.view import View

__all__ = [
    "backward", "forward", "compare", "beside", "curves", "nudge", "trace_nan", "play", "jacobian", "matrices", "steps",
    "source",
    "images", "history", "layers", "units", "plane", "memory", "schedule", "retrain", "page",
    "watch", "View", "Beside", "ForwardView", "LearnerView", "Comparison", "NanView", "SourceView", "FigureView",
    "NudgeView",
    "Page", "NanFound",
]  # fmt: skip

remember_lines()
if (_shell := getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()) is not None:
    from .ipython import show_tensors

    show_tensors(_shell)


def __dir__() -> list[str]:
    """Return the public names, without the names of the package's files."""
    return sorted([*__all__, "load_ipython_extension", "unload_ipython_extension"])


def load_ipython_extension(shell: Any) -> None:
    """Add the cell magic `%%backward` to a notebook: `%load_ext viz` calls this.

    Importing viz is enough to show Tensors as tables.

    >>> get_ipython().run_line_magic("load_ext", "viz")  # doctest: +SKIP
    """
    from .ipython import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Remove the cell magic and show Tensors as text again: `%unload_ext viz` calls this.

    >>> get_ipython().run_line_magic("unload_ext", "viz")  # doctest: +SKIP
    """
    from .ipython import unload

    unload(shell)
