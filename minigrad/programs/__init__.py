"""Programs: what a function computes, written down as the NumPy calls that it makes, to be read and to be run.

The contract: a program is a function of the arguments and of the Variables that are read. What else the function uses
is fixed when the program is written, and listed. What the program gives are the engine's bytes. What cannot be so is
refused in a sentence.

How a program comes to be, in the order in which it is best read:
lines, listing : a line is one call of NumPy; a listing carries calls out and writes them down.
standins : what stands for arrays and numbers while a function runs. recording : that run.
rows : Jacobians, all rows at once. surroundings : what else the function uses.
simplify : calls that need not be made. spelling : a line as an expression of Python. naming : names for
lines, and the notes behind them. text : the lines as a teacher would write them. machine : the same lines as a function
that runs fast. blocks : elementwise work on large arrays, in parts that stay in the cache.
arguments : which calls a program serves, and what it returns. program : all of it together.
functions : `mg.source` and `mg.compile`. The calls of a program, one by one, are `source(f, *args).lines`.
"""

from .functions import Compiled, GraphProgram, compile, source
from .listing import NotAProgram
from .program import Program
