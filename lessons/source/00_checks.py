"""The start page: what its exercises compute. Answers and hints are in 00_hidden.py."""

import math

from minigrad.classroom import exercise, mistake

square = mistake("x times x", "That is the square of x: right at 0 and at 2, and nowhere else. Twice x is x + x.")
plus_2 = mistake("x plus 2", "Twice x is x + x.")
itself = mistake("x itself", "You returned x itself. Twice x is x + x.")
size = mistake("the size only", "Twice a negative number is negative.")
whole = mistake("whole numbers only", "Twice 0.5 is 1.")
rounded = mistake("rounded", "Do not round: twice 0.3 is 0.6.")
power = mistake("a power of 2", "2 ** x is a power of 2. Twice x is 2 * x.")
three = mistake("three times", "That is three times x.")


@exercise("double", function="double(x)")
def double(c):
    looks_like = {
        square: lambda x: x * x,
        plus_2: lambda x: x + 2,
        itself: lambda x: x,
        size: lambda x: 2 * abs(x),
        whole: lambda x: 2 * int(x),
        rounded: lambda x: round(2 * x),
        power: lambda x: 2**x,
        three: lambda x: 3 * x,
        mistake.sign: lambda x: -2 * x,
        mistake.half: lambda x: x / 2,
    }
    for x in (1.0, 3.0, -1.0, 0.5, 0.0, 2.0, -2.5, 0.3, 0.123, 1000.0):
        c.example((x,), 2 * x, says="twice x, for every x", looks_like=looks_like, rtol=1e-12)


class Function:
    """A function that is shown to students by its formula."""

    def __init__(self, formula, call):
        self.formula, self.call = formula, call

    def __call__(self, x):
        return self.call(x)

    def __repr__(self):
        return self.formula


SUM = Function("f(x) = x * x + x", lambda x: x * x + x)
LINE = Function("f(x) = 3 * x - 1", lambda x: 3 * x - 1)
DOWN = Function("f(x) = -x * x", lambda x: -x * x)
CUBE = Function("f(x) = x * x * x", lambda x: x * x * x)

not_divided = mistake("not divided by h", "That is how much f grew. How many times as much as x? Divide by h.")
by_x = mistake("divided by x", "You divided by x itself. Divide by how far x moved, which is h.")
brackets = mistake("brackets are missing", "Without brackets only f(x) is divided. Write (f(x + h) - f(x)) / h.")
one_value = mistake("a value instead of a change", "You divided a value. How much did f change? f(x + h) - f(x).")
sign = mistake("the sign is flipped", "You took before minus after. Take after minus before: f(x + h) - f(x).")
own_h = mistake("a step of its own", "You took a step of your own. Use the h that is given.")
left = mistake("a step to the left", "You moved x down. It grows by h: f(x + h) - f(x).")
half_of_two = mistake("two steps, divided by one", "From x - h to x + h are two steps: divide by (2 * h).")
times_h = mistake("brackets are missing", "/ 2 * h divides by 2 and multiplies by h. Write / (2 * h).")
added = mistake("added the two values", "How far apart are the two values? Subtract them.")
upside_down = mistake("upside down", "You divided the change of x by that of f. Turn it round: (f(x + h) - f(x)) / h.")


#: What the usual mistakes give.
SLIPS = {
    not_divided: lambda f, x, h: f(x + h) - f(x),
    by_x: lambda f, x, h: (f(x + h) - f(x)) / x,
    brackets: lambda f, x, h: f(x + h) - f(x) / h,
    one_value: lambda f, x, h: f(x + h) / h,
    sign: lambda f, x, h: (f(x) - f(x + h)) / h,
    left: lambda f, x, h: (f(x) - f(x - h)) / h,
    half_of_two: lambda f, x, h: (f(x + h) - f(x - h)) / h,
    times_h: lambda f, x, h: (f(x + h) - f(x - h)) / 2 * h,
    added: lambda f, x, h: (f(x + h) + f(x - h)) / (2 * h),
    upside_down: lambda f, x, h: h / (f(x + h) - f(x)),
}
NUDGES = [
    *((f, x, 0.5) for f, x in ((SUM, 3.0), (LINE, 2.0), (DOWN, 1.0), (CUBE, 1.0))),
    (CUBE, 1.1, 0.03),
    (SUM, 3.0, 0.001),
]


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)


def measured(slope, f, x, h):
    """True for the slope to the right, or from both sides as in part 1; else what is wrong with it."""
    where = f"{f} at x = {x:g}, h = {h:g}:"
    got = slope(f, x, h)
    try:
        got = float(got)
    except (TypeError, ValueError):
        return f"{where} your slope is {got!r:.60}. It should be a number."
    right, both = (f(x + h) - f(x)) / h, (f(x + h) - f(x - h)) / (2 * h)
    if near(got, right) or near(got, both):
        return True
    words = f"{where} your slope is {got:.6g}. It should be {right:.6g}."
    slips = [slip for slip, other in SLIPS.items() if all(near(slope(*at), other(*at)) for at in NUDGES)]
    if not slips and slope(CUBE, 1.0, 0.5) == slope(CUBE, 1.0, 0.25) and abs(slope(CUBE, 1.0, 0.5) - 3) < 0.1:
        slips = [own_h]
    return mistake(slips[0].name, f"{words} {slips[0].says}") if slips else words


@exercise("slope_by_nudging", function="slope_by_nudging(f, x, h)")
def slope_by_nudging(c):
    c.property("how many times as much f grows", measured, vary=(), points=NUDGES)
