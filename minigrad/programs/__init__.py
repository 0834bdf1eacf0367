"""Recorded computations as programs of NumPy calls: written down to be read, or to be run faster.

What both are made of, in the order in which it is best read:

calls, program : a line is one call of NumPy; a program is a list of lines. simplify : what need not be computed.
symbol : an op called with stand-ins for arrays says by which calls of NumPy it works.
lowering : the recorded graph, node by node, as lines. spelling : a line as Python code.

To be read, `source`: readable, passed, naming, text, writing, helpers.

To be run, `compile`:
compiled, entry, entrance : which program a call needs, and the short way to it.
making : a run of the function is recorded. watching, drawing : what a run does that the graph does not show.
surroundings, pictures : what the function reads besides its arguments. reasons, keeping : why no program can be made.
recorded : from the recording to a function. connected : its call as a node of a graph.
faster, multiples, rows : calls that give the same in less time. straight, memory, blocks : in place and in blocks.
"""

from .compiled import Compiled, NotCompiled, compile
from .readable import Source, source
