"""Grading a class: submissions are read, judged in separate processes, and stored in a gradebook. The submitted
notebook is input, and no mark depends on its outputs. Its code runs in a process without tests, and the judge compares
the plain data that this process returns. For a function of Tensors, this data is the recorded graph: the judge
itself computes values and gradients.
"""
