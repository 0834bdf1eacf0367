"""Grading a class: submissions are read, judged in processes of their own, and kept in a gradebook.

The notebook that a student hands in is input, and no mark depends on what it says. What it defines runs in a process
without tests, and the judge compares the plain data that comes from there. Of a function of Tensors that is the
recorded graph: its values and gradients are computed by the judge.
"""
