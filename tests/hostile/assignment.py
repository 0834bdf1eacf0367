"""The assignment that hostile submissions are judged by: q1 of plain numbers, q2 of lists, q3 of Tensors."""

CHECKS = """
import numpy as np
from minigrad.classroom import arrays, exercise, floats, samples

@exercise("q1", points=2, function="tanh_backward(x, upstream)")
def q1(c):
    c.example((0.0, 1.0), 1.0)
    c.gradient(forward="tanh", vary=(floats(-4, 4),))

@exercise("q2", points=3, function="mean_square(numbers)")
def q2(c):
    c.answer(
        lambda numbers: sum(n * n for n in numbers) / len(numbers),
        vary=(samples([1.0], [1.0, 2.0], [3.0, 4.0, 5.0], [-2.0, 2.0], [0.5] * 8, [10.0, 0.0]),),
        says="the mean of the squares",
    )
    c.answer(
        lambda numbers: sum(n * n for n in numbers) / len(numbers), vary=(arrays((3,), (5,)),), says="of an array"
    )

@exercise("q3", points=5, function="safe_sqrt(x)")
def q3(c):
    positive = floats(0, 100, also=(4.0, 1.0, 0.0))
    c.value(np.sqrt, vary=(positive,), says="the value is the square root of x")
    c.derivative(
        "the gradient is upstream / (2 sqrt(x)), and 0 at x = 0",
        vary=(positive,),
        slope=lambda x: 0.0 if x == 0 else 0.5 / np.sqrt(x),
    )
    c.custom(vary=(positive,))
    c.without("cbrt", vary=(positive,))
    c.linear(vary=(positive,))
"""
HIDDEN = """
from minigrad.classroom import exercise

@exercise("q1", points=2, function="tanh_backward(x, upstream)")
def q1(c):
    c.example((800.0, 1.0), 0.0, says="no overflow", reveal="never")
"""
SETUP = """import math
import numpy as np
import minigrad as mg
from minigrad.classroom import assignment
check = assignment("hw1")"""
Q1 = "def tanh_backward(x, upstream):\n    return upstream * (1 - math.tanh(x) ** 2)\n\ncheck('q1')"
Q2 = "def mean_square(numbers):\n    return sum(n * n for n in numbers) / len(numbers)\n\ncheck('q2')"
Q3 = """@mg.custom_gradient
def safe_sqrt(x):
    y = mg.sqrt(x)
    safe = mg.where(x > 0, y, 1.0)
    return y, lambda upstream: mg.where(x > 0, upstream / (2 * safe), 0.0)

check('q3')"""
SOURCE = "\n\n".join(
    f'# %% exercise="{name}"\n{code}' if name else f"# %%\n{code}"
    for name, code in (("", SETUP), ("q1", Q1), ("q2", Q2), ("q3", Q3))
)
