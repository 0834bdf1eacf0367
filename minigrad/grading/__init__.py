"""Grading a class: submissions are read, judged in processes of their own, and kept in a gradebook.

The notebook that a student hands in is input and decides nothing. What it defines runs in a process that knows no
test; the judge works with plain data from there, and computes every value and gradient itself.
"""
