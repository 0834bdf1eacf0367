"""Programs: the NumPy calls that a function makes, recorded as code to read and to run.

The contract: a program contains the calls that a function made for arguments of one kind (structure, shapes and
dtypes). Arguments and Variables are read at each call; everything else is fixed, and the fixed constants are listed. A
program's results equal the engine's bit for bit. If that is impossible, because the function branches on an array's
value or takes the value out of the program, an error explains why.

The files, in the best order for reading:
instructions, listing : a line is one NumPy call; a listing performs calls and records them as lines.
refusals : the error messages about code that a program cannot contain.
standins : stand-ins for arrays and numbers while a function runs. recording : records the run of a function.
jacobian_rows : computes all rows of a Jacobian at once. simplify : removes unnecessary calls.
expressions : a line as a Python expression. executable : the lines as a function that runs fast, with elementwise work
    on large arrays in parts that stay in the cache.
naming : names for lines, and the notes on which they are based. program_text : the lines as a teacher would write them.
arguments : the calls that a program serves, and the structure of its result. comparing : whether a program and its
function agree, and where they differ. program : the class of programs, which can be called and printed.
write_program : writes a program, compares it with its function, and raises an error if they differ.
compile_and_source : `mg.source` and `mg.compile`. The calls of a program, one by one, are `source(f, *args).lines`.
"""

from .compile_and_source import Compiled, GraphProgram, compile, source
from .program import Program
from .refusals import NotAProgram
