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

from minigrad import __version__

from .public import *
from .public import __all__, __dir__, load_ipython_extension, unload_ipython_extension
