"""viz: see a backward pass.

>>> import minigrad as mg, viz
>>> x = mg.constant(2.0)
>>> view = viz.backward(mg.exp(x))   # in a notebook: the player
>>> view.trace.steps[-1].g == mg.gradients(mg.exp(x), x)[0].value
np.True_

After this import, each new Tensor records the line of code that created it, which costs about 0.4 microseconds per op;
`minigrad.remember_lines(False)` turns that off.

Importing viz imports only minigrad. Pictures do not need Graphviz, which is imported only by `view.graphviz()`.
"""

from minigrad import __version__

from .public import *
from .public import __all__, __dir__, load_ipython_extension, unload_ipython_extension
