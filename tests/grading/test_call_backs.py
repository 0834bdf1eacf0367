"""A judge's function that an answer calls with its own objects computes with these objects, as in the notebook."""

import pytest

from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission

CHECKS = """
from minigrad.classroom import exercise, floats, samples

def cube(x):
    return x * x * x

class Node:
    pass

def is_slope(slope):
    got = slope(cube, 2.0)
    return abs(got - 12.0) < 1e-3 or f"The slope is {got:g}. It should be 12."

@exercise("slope", points=1, function="slope(f, x)")
def slope(c):
    c.property("the slope of a cube", is_slope, vary=(), points=[()])

def is_measured(Length):
    y = Length(2.0) + Length(0.5)
    if not isinstance(y, Length):
        return "The sum should be a Length."
    return y.metres == 2.5 or f"It has {y.metres:.3f} metres. It should have 2.500."

@exercise("Length", points=1, function="Length(metres)")
def length(c):
    c.property("a sum of lengths", is_measured, vary=(), points=[()])
"""
SOURCE = '# %% exercise="slope"\nslope = ...\n\n# %% exercise="Length"\nLength = ...\n'
DUAL = """class Dual:
    def __init__(self, value, slope): self.value, self.slope = value, slope
    def __mul__(self, other):
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)
def slope(f, x): return f(Dual(x, 1.0)).slope"""
DIFFERENCE = "def slope(f, x):\n    x, h = Number(x), Number('1e-6')\n    return float((f(x + h) - f(x - h)) / (2 * h))"
BAD = "class Bad:\n    def __mul__(self, other): {0}\ndef slope(f, x):\n    "
LENGTH = """from fractions import Fraction
class Length:
    def __init__(self, metres): self.metres = {0}
    def __add__(self, other): return {1}(self.metres + other.metres)
class Sum({2}): pass
"""


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    (folder / "checks.py").write_text(CHECKS)
    (folder / "hw1.py").write_text(SOURCE)
    with Judge(folder, consent=True) as judge:
        yield judge


@pytest.mark.parametrize(
    "exercise, state, code",
    [
        ("slope", "right", DUAL),
        ("slope", "right", "from fractions import Fraction as Number\n" + DIFFERENCE),
        ("slope", "right", "from decimal import Decimal as Number\n" + DIFFERENCE),
        ("slope", "right", BAD.format("raise ValueError") + "try: f(Bad())\n    except ValueError: return 12.0"),
        ("slope", "wrong", BAD.format("raise StopIteration") + "return f(Bad())"),
        ("slope", "wrong", BAD.format("import os; os._exit(0)") + "return f(Bad())"),
        ("slope", "wrong", BAD.format("return again(self)") + "global again; again = f; return f(Bad())"),
        ("Length", "right", LENGTH.format("metres", "Length", "Length")),
        ("Length", "right", LENGTH.format("Fraction(metres)", "Sum", "Length")),
        ("Length", "wrong", LENGTH.format("metres", "Sum", "object")),
        ("Length", "wrong", LENGTH.format("Fraction(metres) + 1", "Length", "Length")),
    ],
)
def test_objects_of_the_students(exercise, state, code, judge):
    (mark,) = judge.judge(Submission("ada", "a.ipynb", "00", (Cell(code, 1),)), only=[exercise]).results
    assert mark.state == state, mark
    assert "Proxy" not in mark.words
