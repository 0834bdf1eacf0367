"""Grading a class: submissions are read, judged in processes of their own, and kept in a gradebook.

The notebook that a student hands in is input and decides nothing. What it defines runs in a process that knows no
test, and the judge compares the plain data that comes from there. Of a function of Tensors that is the recorded graph:
its values and gradients are computed by the judge.
"""
