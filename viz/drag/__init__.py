"""Let readers change the inputs of a saved picture: a recorded pass becomes instructions that the page runs again.

page_tape : the instructions. lowering : converts NumPy calls to instructions. decisions, replayed : find the
NumPy calls of a recorded pass. composed : rewrites calls without an instruction as calls that have one.
followed_page : maps the numbers in a picture to results of the instructions.
"""
