"""Grade a class: submissions are read, judged in separate processes, and stored in a gradebook.

A submitted notebook is only input: no mark depends on its saved outputs. Its code runs in a process that has no tests,
and the judge compares the plain data that this process returns. For a function of Tensors, the data is the recorded
graph, from which the judge itself computes values and gradients.
"""
