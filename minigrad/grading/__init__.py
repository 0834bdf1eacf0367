"""Grading a class: submissions are read, judged in processes of their own, and kept in a gradebook.

The notebook that a student hands in is input, and no mark depends on its outputs. Its code runs in a process without
tests, and the judge compares the plain data that this process returns. For a function of Tensors these data are the
recorded graph: the judge itself computes values and gradients from it.
"""
