"""viz: see a backward pass.

>>> import minigrad as mg, viz
>>> x = mg.constant(2.0)
>>> view = viz.backward(mg.exp(x))   # in a notebook: the player
>>> view.trace.steps[-1].g == mg.gradients(mg.exp(x), x)[0].value
np.True_

From this import on every new Tensor remembers the line of code that made it, which costs about 0.4 microseconds an
op; `minigrad.lines.remember_lines(False)` turns that off.

Importing viz imports nothing but minigrad: Graphviz is loaded when it is asked for positions, and is not needed.
"""

from typing import Any

from minigrad.lines import remember_lines

from .backward import backward
from .compare import Comparison, compare
from .curves import curves
from .matrix import jacobian
from .nans import NanView, trace_nan
from .play import play
from .source import SourceView, source
from .view import View

__all__ = [
    "backward", "compare", "curves", "trace_nan", "play", "jacobian", "source",
    "View", "Comparison", "NanView", "SourceView",
]  # fmt: skip

remember_lines()


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext viz` in a notebook: the cell magic `%%backward`, and Tensors shown with shape, dtype and op."""
    from .notebook import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext viz`."""
    from .notebook import unload

    unload(shell)
