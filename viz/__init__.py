"""viz: see a backward pass.

>>> import minigrad as mg, viz
>>> x = mg.constant(2.0)
>>> view = viz.backward(mg.exp(x))   # in a notebook: the player
>>> view.trace.steps[-1].g == mg.gradients(mg.exp(x), x)[0].value
np.True_

From this import on the line of code that made a new Tensor is recorded, which costs about 0.4 microseconds an
op; `minigrad.remember_lines(False)` turns that off.

Importing viz imports nothing but minigrad: Graphviz is loaded by `view.graphviz()`, and is not needed for a picture.
"""

from typing import Any

from minigrad.bridges.watch import NanFound, watch
from minigrad.tracing.lines import remember_lines

from .views.backward import backward
from .views.beside import Beside, beside
from .views.compare import Comparison, compare
from .views.curves import curves
from .views.figure_view import FigureView
from .views.forward import forward
from .views.jacobian import jacobian
from .views.learner import ForwardView, LearnerView
from .views.matrices import matrices
from .views.memory import memory
from .views.nans import NanView, trace_nan
from .views.nudge import NudgeView, nudge
from .views.page import Page, page
from .views.play import play
from .views.retrain import retrain
from .views.source import SourceView, source
from .views.steps import steps
from .views.training import history, images, layers, units
from .views.view import View

__all__ = [
    "backward", "forward", "compare", "beside", "curves", "nudge", "trace_nan", "play", "jacobian", "matrices", "steps",
    "source",
    "images", "history", "layers", "units", "memory", "retrain", "page",
    "watch", "View", "Beside", "ForwardView", "LearnerView", "Comparison", "NanView", "SourceView", "FigureView",
    "NudgeView",
    "Page", "NanFound",
]  # fmt: skip

remember_lines()


def __dir__() -> list[str]:
    """The public names, without the files of the package."""
    return sorted([*__all__, "load_ipython_extension", "unload_ipython_extension"])


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext viz` in a notebook: the cell magic `%%backward`, and Tensors shown with shape, dtype and op.

    >>> get_ipython().run_line_magic("load_ext", "viz")  # doctest: +SKIP
    """
    from .ipython import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext viz`: the magic is gone, and Tensors are shown as before.

    >>> get_ipython().run_line_magic("unload_ext", "viz")  # doctest: +SKIP
    """
    from .ipython import unload

    unload(shell)
