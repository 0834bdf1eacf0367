"""Lesson 17, forward: what its exercises compute. Answers and hints are in 17_hidden.py."""

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake
from minigrad.classroom.forward_walks import LONG, WALKS, close, is_number, named, walked, written


@exercise("forward", points=3, function="forward(y, seed)")
def forward(c):
    c.property("the tangent of each node", walked, vary=(), points=[(walk,) for walk in WALKS])
    c.property("long graphs, and graphs with many paths", walked, vary=(), points=[(walk,) for walk in LONG])


# Dual numbers.


class Formula:
    """A calculation with + and *, that is shown to students as it is written."""

    def __init__(self, text, build):
        self.text, self.build = text, build

    def __repr__(self):
        return self.text


#: What the tangent of a product is taken for, as a function of a, its tangent, b and its tangent; and what is said.
TANGENTS = {
    "the tangents multiplied": (
        lambda a, da, b, db: da * db,
        "Those are the two tangents multiplied. Each factor moves while the other scales it.",
    ),
    "only the second factor moves": (
        lambda a, da, b, db: a * db,
        "That is the part of the second factor. The first one moves as well.",
    ),
    "only the first factor moves": (
        lambda a, da, b, db: da * b,
        "That is the part of the first factor. The second one moves as well.",
    ),
    "each factor with its own tangent": (
        lambda a, da, b, db: a * da + b * db,
        "Each value is multiplied by its own tangent. Take that of the other factor.",
    ),
    "the tangents added": (
        lambda a, da, b, db: da + db,
        "Tangents are added in a sum. Here each is scaled by the value of the other factor.",
    ),
    "a difference": (lambda a, da, b, db: da * b - a * db, "The two parts are subtracted. Add them."),
    "the other difference": (lambda a, da, b, db: a * db - da * b, "The two parts are subtracted. Add them."),
    "the product of the tangents is added": (
        lambda a, da, b, db: a * db + da * b + da * db,
        "The two tangents multiplied are too much: a tangent is a slope.",
    ),
    "the tangent of the first factor": (
        lambda a, da, b, db: da,
        "The tangent is passed on as it is. Scale it by the other factor.",
    ),
    "the slopes without the tangents": (
        lambda a, da, b, db: a + b,
        "That is what comes out if both factors move by 1.",
    ),
    "the first factor squared": (
        lambda a, da, b, db: 2 * a * da,
        "That is the tangent of a * a, whatever b is.",
    ),
    "no tangent": (lambda a, da, b, db: 0.0, "The product stands still. Hand the tangent to Dual."),
}
FACTORS = [
    (3.0, 1.0, 5.0, 10.0),
    (3.0, 1.0, 3.0, 1.0),
    (2.0, 0.0, 3.0, 1.0),
    (-1.5, 2.0, 0.5, -4.0),
    (4.0, 3.0, 7.0, 0.0),
]


PRODUCTS = [
    Formula("a * b", lambda a, b: a * b),
    Formula("a * a", lambda a, b: a * a),
    Formula("a * 2", lambda a, b: a * 2),
    Formula("2 * a", lambda a, b: 2 * a),
    Formula("0.125 * a", lambda a, b: 0.125 * a),
    Formula("a * b * a", lambda a, b: a * b * a),
    Formula("3 + a * b + b", lambda a, b: 3 + a * b + b),
]
POINTS = [((3.0, 1.0), (5.0, 10.0)), ((3.0, 1.0), (5.0, 0.0)), ((-1.5, 2.0), (0.5, -4.0))]


def tangent_of_product(Dual, factors):
    """The tangent that the student's class gives for a product; None if it gives none."""
    a, da, b, db = factors
    try:
        got = (Dual(a, da) * Dual(b, db)).tangent
    except Exception:
        return None
    return got if is_number(got) else None


def computes(Dual, formula, first, second):
    """True, or what is wrong with the dual number that comes out of the calculation."""
    if not isinstance(Dual, type):
        return f"Dual must be a class, and it is {Dual!r}."
    a, b = Dual(*first), Dual(*second)
    where = f"{formula} with a = Dual({first[0]:g}, {first[1]:g}) and b = Dual({second[0]:g}, {second[1]:g}):"
    try:
        y = formula.build(a, b)
    except AttributeError as error:
        if "has no attribute 'value'" not in str(error) and "has no attribute 'tangent'" not in str(error):
            raise
        words = f"{where} it stopped with AttributeError: {error}. A plain number has neither: other = dual(other)."
        return mistake("a plain number is not converted", words)
    if not isinstance(y, Dual):
        words = f"{where} the result is {written(y)}, of type {type(y).__name__}. It must be a Dual."
        return mistake("the result is not a Dual", words)
    if (a.value, a.tangent, b.value, b.tangent) != (*first, *second):
        words = f"{where} afterwards a or b is another number. Make a new Dual; keep them as they are."
        return mistake("the arguments are changed", words)
    values, tangents = zip((np.float64(first[0]), np.float64(first[1])), (np.float64(second[0]), np.float64(second[1])))
    true = map(float, mg.jvp(formula.build, values, tangents))
    for what, got, want in zip(("value", "tangent"), (y.value, y.tangent), true):
        if not is_number(got):
            return f"{where} its {what} is {written(got)}. It must be a plain number."
        if close(got, want):
            continue
        words = f"{where} its {what} is {got:g}. It should be {want:g}."
        if what == "value":
            return words
        tried = [(factors, tangent_of_product(Dual, factors)) for factors in FACTORS]
        found = named(words, tried, {n: (lambda p, of=of: of(*p), reason) for n, (of, reason) in TANGENTS.items()})
        if found is not words:
            return found
        plain = {"a * 2": 2.0, "2 * a": 2.0, "0.125 * a": 0.125}.get(str(formula))
        if plain and close(got, want + first[0]):
            return mistake("a plain number moves", f"{words} A plain number stands still: its tangent is 0.")
        if plain and close(got, first[1]):
            return mistake("the tangent is not scaled", f"{words} A plain number scales the tangent, too.")
        return words
    return True


@exercise("Dual", points=2, function="Dual(formula, a, b)")
def dual(c):
    c.property(
        "the value and the tangent",
        computes,
        vary=(),
        objects=True,
        points=[(formula, *point) for point in POINTS for formula in PRODUCTS],
    )


# Forward over reverse.


class Function:
    """A function of several numbers, with its gradient and its table of second derivatives.

    run : the function itself, of a library, or the name under which the notebook has it.
    """

    def __init__(self, text, run, value, gradient, matrix):
        self.text, self.run, self.value, self.gradient, self.matrix = text, run, value, gradient, matrix

    def __repr__(self):
        return self.text


CUBIC = Function(
    "cubic",
    "cubic",
    lambda x, z: x * x * z,
    lambda x, z: [2 * x * z, x * x],
    lambda x, z: [[2 * z, 2 * x], [2 * x, 0.0]],
)
VALLEY = Function(
    "valley",
    "valley",
    lambda x, z: (1 - x) ** 2 + 100 * (z - x * x) ** 2,
    lambda x, z: [-2 * (1 - x) - 400 * x * (z - x * x), 200 * (z - x * x)],
    lambda x, z: [[2 - 400 * z + 1200 * x * x, -400 * x], [-400 * x, 200.0]],
)
SQUARE = Function(
    "square",
    "square",
    lambda x, z: x * x,
    lambda x, z: [2 * x, 0.0],
    lambda x, z: [[2.0, 0.0], [0.0, 0.0]],
)
PRODUCT = Function("x * z", np.multiply, lambda x, z: x * z, lambda x, z: [z, x], lambda x, z: [[0.0, 1.0], [1.0, 0.0]])
SUM = Function("x + z", np.add, lambda x, z: x + z, lambda x, z: [1.0, 1.0], lambda x, z: [[0.0, 0.0], [0.0, 0.0]])
DIAMOND = Function("diamond", "diamond", lambda x: 2 * x + 4 * x * x, lambda x: [2 + 8 * x], lambda x: [[8.0]])
FUNCTIONS = [
    (CUBIC, [3.0, 5.0], [1.0, 10.0]),
    (VALLEY, [-1.2, 1.0], [1.0, 0.0]),
    (VALLEY, [0.31, 0.72], [-1.13, 3.1]),
    (PRODUCT, [3.0, 5.0], [0.0, 1.0]),
    (DIAMOND, [3.0], [0.5]),
    (SUM, [3.0, 5.0], [1.0, 1.0]),
    (SQUARE, [3.0, 5.0], [1.0, 1.0]),
]


def listed(numbers):
    return "[" + ", ".join(written(n) for n in numbers) + "]"


def other(of):
    """A function of a probe: `of` the function's gradient and matrix as arrays, and x and v."""
    return lambda probe: of(
        np.array(probe[0].gradient(*probe[1])), np.array(probe[0].matrix(*probe[1]), float), *map(np.array, probe[1:])
    )


#: What an answer gives if it is not H v, and what the verdict says about it.
OTHERS = {
    "the gradient": (other(lambda g, H, x, v: g), "That is the gradient. H v is in the tangents."),
    "v is not used": (
        other(lambda g, H, x, v: H @ np.ones(len(v))),
        "That is H times a vector of ones. Let the inputs move along v.",
    ),
    "the gradient times v": (
        other(lambda g, H, x, v: g * v),
        "That is each slope times its entry of v. H v is in the tangents of the gradients.",
    ),
    "the diagonal only": (
        other(lambda g, H, x, v: np.diag(H) * v),
        "That is the diagonal of H times v. All inputs move in one run.",
    ),
    "v comes twice": (
        other(lambda g, H, x, v: (H @ v) * v),
        "The entries are multiplied by v once more. The tangents have it inside.",
    ),
    "x and v exchanged": (
        lambda probe: np.array(probe[0].matrix(*probe[2]), float) @ np.array(probe[1]),
        "That is H at v, times x. The value comes first in Dual, then the tangent.",
    ),
    "row 0 of H": (other(lambda g, H, x, v: H[0]), "That is row 0 of H. All inputs move in one run, along v."),
    "nothing moves": (other(lambda g, H, x, v: 0 * v), "Nothing has moved. Hand the entries of v to Dual."),
}


def numbers_of(hvp, f, x, v):
    """The numbers of an answer; None for what is not a number."""
    try:
        got = hvp(f, list(x), list(v))
        return np.array([float(n) for n in got]) if len(got) == len(x) and all(map(is_number, got)) else None
    except Exception:
        return None


def product_with_h(hvp, function, x, v, **notebook):
    """True, or what is wrong with the student's H v."""
    f_of = lambda function: notebook[function.run] if isinstance(function.run, str) else function.run
    f = f_of(function)
    if not close(f(*x), function.value(*x)):
        return f"{function} is not the function of the notebook any more. Run its cell as it was."
    where = f"f = {function}, x = {listed(x)}, v = {listed(v)}:"
    try:
        got = hvp(f, list(x), list(v))
    except AttributeError as error:
        if "'float' object has no attribute" not in str(error):
            raise
        words = f"{where} it stopped with AttributeError: {error}. A gradient may be a plain number: dual(gradient)."
        return mistake("a gradient that does not move", words)
    except KeyError:
        if function.text != SQUARE.text:
            raise
        words = f"{where} it stopped with KeyError. An input that f does not use has no gradient in the dict."
        return mistake("an input that is not used", words)
    if is_number(got):
        words = f"{where} it is one number, {got:g}. H v has an entry for each input."
        along = float(np.dot(function.gradient(*x), v))
        return mistake("the gradient along v", f"{words} This is how f moves along v.") if close(got, along) else words
    if not isinstance(got, (list, tuple, np.ndarray)):
        return f"{where} hvp returns a list of numbers, not {type(got).__name__}."
    if len(got) != len(x):
        return f"{where} the list has {len(got)} of {len(x)} entries, one for each input."
    if odd := [n for n in got if not is_number(n)]:
        words = f"{where} an entry is {written(odd[0])}. It must be a plain number."
        if hasattr(odd[0], "tangent"):
            return mistake("a Dual in the list", f"{words} Take its tangent.")
        return words
    true = np.array(function.matrix(*x), float) @ np.array(v)
    room = 1e-12 * max(1.0, *map(abs, true))
    far = [abs(g - t) for g, t in zip(got, true) if not abs(g - t) <= room]
    if not far:
        return True
    words = f"{where} {listed(got)}. It should be {listed(true)}."
    if max(far) < 1e-3 * max(1.0, *map(abs, true)):
        words = f"{where} {listed(got)} is off by {max(far):.1g}. Dual numbers take no step, and have no error of one."
        return mistake("nearly right", words)
    tried = [(probe, numbers_of(hvp, f_of(probe[0]), *probe[1:])) for probe in FUNCTIONS]
    return named(words, tried, OTHERS)


@exercise("hvp", points=3, function="hvp(f, x, v)", also=("cubic", "valley", "square", "diamond"))
def hvp(c):
    c.property("the second derivatives times v", product_with_h, vary=(), objects=True, points=FUNCTIONS)
    c.unaided("hvp", "hessian", "jvp", "jacobian")
