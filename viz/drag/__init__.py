"""Numbers that can be changed in a page without a kernel: a recorded pass as instructions that the page runs again.

tape : the instructions. lowering : NumPy calls as instructions. decisions, replayed : the NumPy calls of
a recorded pass. composed : calls without an instruction, written as calls that have one.
draggable : which results of the instructions are the numbers of a picture.
"""
