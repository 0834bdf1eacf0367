"""Lesson 3, finite differences: what its exercises compute. Answers and hints are in 03_hidden.py."""

import math

import numpy as np

from minigrad.classroom import exercise, mistake


class Function:
    """A function that is shown to students by its formula."""

    def __init__(self, formula, call):
        self.formula, self.call = formula, call

    def __call__(self, x):
        return self.call(x)

    def __repr__(self):
        return self.formula


forward = mistake("a forward difference", "You stepped up only. Step to both sides: (f(x + h) - f(x - h)) / (2 * h).")
backward_side = mistake(
    "a difference to the left", "You stepped down only. Step to both sides: (f(x + h) - f(x - h)) / (2 * h)."
)
by_h = mistake("divided by h", "You divided by h. From x - h to x + h it is 2 * h.")
times_h = mistake("brackets around 2 * h are missing", "/ 2 * h divides by 2 and multiplies by h. Write / (2 * h).")
sign = mistake("the sign is flipped", "You took down minus up. Take up minus down: f(x + h) - f(x - h).")
no_copy = mistake(
    "up and down are one array",
    "up = x makes no copy, so up and down move together. Write up, down = x.copy(), x.copy().",
)
all_moved = mistake("all entries moved at once", "You moved all entries. Move only entry i, and keep the others.")
first_only = mistake(
    "the first entry only", "Only the first entry has a slope in your result. Go through all entries of x."
)
not_put_back = mistake(
    "an entry is not put back",
    "An entry stays moved while you measure the next. Start with a fresh copy of x for each entry.",
)
own_h = mistake("a step of its own", "You took a step of your own. Use the h that is given.")
times_value = mistake(
    "multiplied by the value", "You multiplied by f(x). The slope is the difference divided by 2 * h, no more."
)

SQUARES = Function("f(x) = sum(x * x)", lambda x: float(np.sum(x * x)))
MIXED = Function("f(x) = x[0]**2 + 5 * x[0] * x[1]", lambda x: float(x[0] ** 2 + 5 * x[0] * x[1]))
CUBE = Function("f(x) = x[0]**3", lambda x: float(x[0] ** 3))
CUBES = Function("f(x) = sum(x**3)", lambda x: float(np.sum(x**3)))
SINE = Function("f(x) = sum(sin(x) * x)", lambda x: float(np.sum(np.sin(x) * x)))


def differences(f, x, h, quotient=lambda up, here, down, h: (up - down) / (2 * h), moved=None):
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        step = h * np.eye(len(x))[i] if moved is None else moved(i, h)
        gradient[i] = quotient(f(x + step), f(x), f(x - step), h)
    return gradient


def drifting(f, x, h):
    """The gradient that comes out when the entry is left at x - h."""
    gradient, x = np.zeros_like(x), x.copy()
    for i in range(len(x)):
        x[i] += h
        up = f(x)
        x[i] -= 2 * h
        gradient[i] = (up - f(x)) / (2 * h)
    return gradient


@exercise("numerical_grad", points=3, function="numerical_grad(f, x, h)")
def numerical_grad(c):
    looks_like = {
        forward: lambda f, x, h: differences(f, x, h, lambda up, here, down, h: (up - here) / h),
        backward_side: lambda f, x, h: differences(f, x, h, lambda up, here, down, h: (here - down) / h),
        by_h: lambda f, x, h: differences(f, x, h, lambda up, here, down, h: (up - down) / h),
        times_h: lambda f, x, h: differences(f, x, h, lambda up, here, down, h: (up - down) / 2 * h),
        sign: lambda f, x, h: -differences(f, x, h),
        no_copy: lambda f, x, h: np.zeros_like(x),
        all_moved: lambda f, x, h: differences(f, x, h, moved=lambda i, h: h),
        first_only: lambda f, x, h: differences(f, x, h) * (np.arange(len(x)) == 0),
        times_value: lambda f, x, h: differences(f, x, h) * f(x),
        not_put_back: drifting,
        own_h: lambda f, x, h: differences(f, x, 1e-5),
    }
    says = "the central difference of each entry"
    for f, x, h in (
        (SQUARES, [3.0, -1.0], 0.5),
        (MIXED, [1.0, 2.0], 0.5),
        (CUBE, [1.0], 0.5),
        (SINE, [0.5, 1.0, -2.0], 1e-4),
    ):
        point = np.array(x)
        c.example((f, point, h), differences(f, point, h), says=says, looks_like=looks_like, rtol=1e-6)


v_forgotten = mistake(
    "v is missing in the claim",
    "You added up the gradient without v. Its claim along v is the sum of gradient times v.",
)
everywhere = mistake("moved every entry by h", "You moved each entry by h. Move along v: x + h * v and x - h * v.")
signed = mistake(
    "the result has a sign", "Your result can be negative. How far apart are they? Take the absolute value."
)
other_sign = mistake("added the two", "You added them. How far apart are they? Subtract.")
one_sided = mistake(
    "a forward difference", "You stepped one way. Step to both sides: f(x + h * v) - f(x - h * v), divided by 2 * h."
)
always_zero = mistake(
    "always 0",
    "Your result is 0 for a wrong gradient, too. Compare the difference along v with the sum of gradient times v.",
)
no_direction = mistake(
    "the direction is not used",
    "You compared entry by entry. Move all inputs along v at once, and compare with the sum of gradient times v.",
)
relative = mistake("divided by the claim", "You divided by the claim. Return the distance itself.")


def gap_along(f, gradient, x, v, h, seen=None, claim=None):
    seen = (f(x + h * v) - f(x - h * v)) / (2 * h) if seen is None else seen
    return seen - (gradient @ v if claim is None else claim)


@exercise("check_direction", points=2, function="check_direction(f, gradient, x, v, h)")
def check_direction(c):
    looks_like = {
        v_forgotten: lambda f, g, x, v, h: abs(gap_along(f, g, x, v, h, claim=np.sum(g))),
        everywhere: lambda f, g, x, v, h: abs(gap_along(f, g, x, v, h, seen=(f(x + h) - f(x - h)) / (2 * h))),
        signed: lambda f, g, x, v, h: gap_along(f, g, x, v, h),
        other_sign: lambda f, g, x, v, h: abs(gap_along(f, g, x, v, h, claim=-(g @ v))),
        one_sided: lambda f, g, x, v, h: abs(gap_along(f, g, x, v, h, seen=(f(x + h * v) - f(x)) / h)),
        by_h: lambda f, g, x, v, h: abs(gap_along(f, g, x, v, h, seen=(f(x + h * v) - f(x - h * v)) / h)),
        times_h: lambda f, g, x, v, h: abs(gap_along(f, g, x, v, h, seen=(f(x + h * v) - f(x - h * v)) / 2 * h)),
        no_direction: lambda f, g, x, v, h: np.abs(differences(f, x, h) - g).max(),
        relative: lambda f, g, x, v, h: abs(gap_along(f, g, x, v, h)) / abs(g @ v),
        always_zero: lambda f, g, x, v, h: 0.0,
    }
    says = "the distance between measured and claimed slope along v"
    for f, gradient, v in (
        (SQUARES, [6.0, 1.0], [1.0, 2.0]),
        (SQUARES, [6.0, -2.0], [1.0, 2.0]),
        (SQUARES, [-6.0, 2.0], [1.0, -2.0]),
        (CUBES, [27.0, 3.0], [1.0, 2.0]),
    ):
        args = (f, np.array(gradient), np.array([3.0, -1.0]), np.array(v), 0.25)
        c.example(args, abs(gap_along(*args)), says=says, looks_like=looks_like)


any_gap = mistake(
    "every gap is a kink",
    "You call every gap a kink. A smooth function that bends has one, too, and a smaller one at half the step.",
)
fixed = mistake(
    "a fixed limit",
    "You compare with a fixed limit, but 1e6 * f has a gap 1e6 times as large. Compare the gaps of h and of h / 2.",
)
no_abs = mistake(
    "the absolute value is missing", "Your gap is negative where the slope falls at a kink. Take its absolute value."
)
wrong_way = mistake(
    "the wrong way round", "You return True where the gap halves. There f is smooth; at a kink the gap stays."
)
always_yes = mistake(
    "always a kink", "The result is True for every function that was tried, also for exp, which is smooth."
)
always_no = mistake(
    "never a kink",
    "The result is False for every function that was tried. Of abs at 0 both gaps are 2, and 2 > 0.75 * 2.",
)
no_floor = mistake(
    "rounding taken for a kink", "You take a gap of 1e-12 for a kink. It is rounding: leave out gaps below 1e-6."
)


def gap(f, x, step):
    return (f(x + step) - f(x)) / step - (f(x) - f(x - step)) / step


KINKS = [
    (Function("relu", lambda x: max(x, 0.0)), 0.0, True),
    (Function("abs", abs), 0.0, True),
    (Function("f(x) = -abs(x)", lambda x: -abs(x)), 0.0, True),
    (Function("f(x) = 0.001 * abs(x)", lambda x: 0.001 * abs(x)), 0.0, True),
    (Function("f(x) = 0.00001 * abs(x)", lambda x: 0.00001 * abs(x)), 0.0, True),
    (Function("exp", math.exp), 1.0, False),
    (Function("f(x) = -x**2", lambda x: -(x**2)), 1.0, False),
    (Function("relu", lambda x: max(x, 0.0)), 2.0, False),
    (Function("f(x) = 3 * x", lambda x: 3 * x), 1.0, False),
    (Function("f(x) = x**3", lambda x: x**3), 0.0, False),
    (Function("f(x) = x * abs(x)", lambda x: x * abs(x)), 0.0, False),
    (Function("f(x) = 1e6 * x**2", lambda x: 1e6 * x**2), 0.0, False),
    (Function("f(x) = sin(200 * x)", lambda x: math.sin(200 * x)), 0.3, False),
]


@exercise("has_kink", points=3, function="has_kink(f, x, h)")
def has_kink(c):
    looks_like = {
        any_gap: lambda f, x, h: abs(gap(f, x, h)) > 0,
        fixed: lambda f, x, h: abs(gap(f, x, h)) > 1e-3,
        no_abs: lambda f, x, h: gap(f, x, h / 2) > 0.75 * gap(f, x, h) and gap(f, x, h / 2) > 1e-6,
        wrong_way: lambda f, x, h: abs(gap(f, x, h / 2)) < 0.75 * abs(gap(f, x, h)),
        no_floor: lambda f, x, h: abs(gap(f, x, h / 2)) > 0.75 * abs(gap(f, x, h)),
        always_yes: lambda f, x, h: True,
        always_no: lambda f, x, h: False,
    }
    says = "True at a kink, False where the function is smooth"
    for f, x, kink in KINKS:
        c.example((f, x, 1e-4), kink, says=says, looks_like=looks_like)
