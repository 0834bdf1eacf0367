"""Lesson 11, derivatives of derivatives: what its exercises compute. Answers and hints are in 11_hidden.py."""

import dis

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, floats, mistake

near = floats(-5, 3, also=(1.0, 0.0, -2.0))
cut = mistake("the edge through e is missing", "The rule uses e as a constant: x * e has a second way to x, through e.")


@exercise("times_exp", points=3, function="times_exp(x)")
def times_exp(c):
    f = lambda x: x * np.exp(x)
    c.value(f, vary=(near,), says="the value is x * exp(x)")
    c.derivative("the gradient is (1 + x) exp(x)", vary=(near,), slope=lambda x: (1 + x) * np.exp(x))
    c.derivative(
        "the second derivative is (2 + x) exp(x)",
        vary=(near,),
        order=2,
        slope=lambda x: (2 + x) * np.exp(x),
        looks_like={
            cut: lambda x: np.exp(x),
            mistake("the edge through x is missing", "x was taken for a constant."): lambda x: (1 + x) * np.exp(x),
        },
    )
    c.custom(vary=(near,))
    c.linear(vary=(near,), order=2)


class Formula:
    def __init__(self, text, f, gradient, matrix):
        self.text, self.f, self.gradient, self.matrix = text, f, gradient, matrix

    def __repr__(self):
        return self.text


BOWL = Formula(
    "x[0]**2 * x[1]",
    lambda x: x[0] ** 2 * x[1],
    lambda x: np.array([2 * x[0] * x[1], x[0] ** 2]),
    lambda x: np.array([[2 * x[1], 2 * x[0]], [2 * x[0], 0.0]]),
)
ROSEN = Formula(
    "(1 - x[0])**2 + 100 * (x[1] - x[0]**2)**2",
    lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2,
    lambda x: np.array([-2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] ** 2), 200 * (x[1] - x[0] ** 2)]),
    lambda x: np.array([[2 - 400 * x[1] + 1200 * x[0] ** 2, -400 * x[0]], [-400 * x[0], 200.0]]),
)
PRODUCT = Formula(
    "x[0] * x[1] * x[2]",
    lambda x: x[0] * x[1] * x[2],
    lambda x: np.array([x[1] * x[2], x[0] * x[2], x[0] * x[1]]),
    lambda x: np.array([[0, x[2], x[1]], [x[2], 0, x[0]], [x[1], x[0], 0]]),
)
SINES = Formula("sum(sin(x))", lambda x: mg.sum(mg.sin(x)), lambda x: np.cos(x), lambda x: np.diag(-np.sin(x)))
LONG = Formula("sum(sin(x)) + sum(x)**2 of 20,000 numbers", lambda x: mg.sum(mg.sin(x)) + mg.sum(x) ** 2, None, None)


def text(v):
    return np.array2string(np.asarray(v, float), precision=5, separator=", ", threshold=6).replace("\n", "")


def by_hessian(hvp):
    """The mistake if a function calls the student's own hessian, which is right but builds the whole table."""
    code = getattr(hvp, "__code__", by_hessian.__code__)
    own = {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    if "hessian" in own and "minigrad" not in getattr(hvp.__globals__.get("hessian"), "__module__", ""):
        return mistake("the whole table is built", "hessian builds the whole table. H v needs no more than two walks.")
    return None


def numbers_of(got):
    return np.asarray(got.value if isinstance(got, mg.Tensor) else got, float)


def named(where, got, true, wrong):
    if isinstance(got, (list, tuple)) and len(got) == 1:
        return mistake("a list of one", f"{where}: mg.gradients returns a list. Take the gradient out of it: [0].")
    if got is None:
        return mistake("no gradient", f"{where}: the result is None.")
    got = numbers_of(got)
    if got.shape == np.shape(true) and np.allclose(got, true, rtol=1e-4, atol=1e-4):
        return True
    words = f"{where}: {text(got)}. It should be {text(true)}."
    return next(
        (
            mistake(n, words)
            for n, w in wrong.items()
            if np.shape(w) == got.shape and np.allclose(got, w, rtol=1e-4, atol=1e-4)
        ),
        words,
    )


PRODUCTS = [
    (BOWL, [3.0, 5.0], [1.0, 10.0]),
    (ROSEN, [-1.2, 1.0], [1.0, 0.0]),
    (PRODUCT, [2.0, 3.0, 5.0], [1.0, -1.0, 2.0]),
    (SINES, [0.5, 1.0, 2.0], [1.0, 1.0, -2.0]),
]


def product(hvp, formula, x, v):
    if found := by_hessian(hvp):
        return found
    x, v = np.array(x), np.array(v)
    where = f"f = {formula}, x = {text(x)}, v = {text(v)}"
    g, H = formula.gradient(x), formula.matrix(x)
    beside = []

    def f(at):
        beside.append(0 < np.abs(numbers_of(at) - x).max() < 0.1)
        return formula.f(at)

    verdict = named(
        where,
        hvp(f, x, v),
        H @ v,
        {
            "the gradient": g,
            "the gradient along v": g @ v,
            "the gradient times v": g * v,
            "v is not used": H @ np.ones(len(v)),
            "the diagonal only": np.diag(H) * v,
            "the whole matrix": H,
            "the sum of all": (H @ v).sum(),
            "v comes twice": H @ (v * v),
            "v on both sides": v @ H @ v,
        },
    )
    if verdict is True and any(beside):
        return mistake(
            "finite differences", f"{where}: f is called beside x. That comes near H v, and depends on the step."
        )
    return verdict


def long_product(hvp, formula):
    x = np.linspace(0, 1, 20_000)
    v = np.cos(x)
    return named(f"f = {formula}", hvp(formula.f, x, v), -np.sin(x) * v + 2 * v.sum(), {})


@exercise("hvp", points=3, function="hvp(f, x, v)")
def hvp(c):
    c.property("the matrix of second derivatives times v", product, vary=(), points=PRODUCTS)
    c.property("without the matrix", long_product, vary=(), points=[(LONG,)])
    c.unaided("hvp", "hessian", "jacobian")


def matrix(hessian, formula, x):
    x = np.array(x)
    H, g = formula.matrix(x), formula.gradient(x)
    return named(
        f"f = {formula}, x = {text(x)}",
        hessian(formula.f, x),
        H,
        {
            "the gradient": g,
            "the sum of each row": H.sum(axis=0),
            "the diagonal": np.diag(H),
            "the diagonal as a matrix": np.diag(np.diag(H)),
            "the products of slopes": np.outer(g, g),
            "the sum of all": H.sum(),
            "row 0 only": H[0],
            "the last row only": H[-1],
            "half": H / 2,
        },
    )


@exercise("hessian", points=2, function="hessian(f, x)")
def hessian(c):
    c.property("a row for each slope", matrix, vary=(), points=[p[:2] for p in PRODUCTS])
    c.unaided("hvp", "hessian", "jacobian", "jvp")


@exercise("newton_step", points=1, function="newton_step(slopes, matrix, x)")
def newton_step(c):
    H, g, x = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([4.0, 7.0]), np.array([1.0, 10.0])
    like = {
        mistake("the wrong way", "A step goes against the slopes: minus."): lambda g, H, x: x + np.linalg.solve(H, g),
        mistake("multiplied by the matrix", "Solve: the matrix times the step is the slopes."): lambda g, H, x: (
            x - H @ g
        ),
        mistake("only the diagonal", "The other entries turn the step."): lambda g, H, x: x - g / np.diag(H),
        mistake("the step alone", "x minus the step."): lambda g, H, x: np.linalg.solve(H, g),
        mistake("a step of gradient descent", "The matrix is not used."): lambda g, H, x: x - g,
        mistake("divided by each entry", "A matrix does not divide entry by entry."): lambda g, H, x: x - g / H,
    }
    for args in (
        (g, H, x),
        (np.array([1.0]), np.array([[4.0]]), np.array([0.0])),
        (g, np.array([[0.0, 2.0], [2.0, 1.0]]), x),
        (
            np.array([1.0, -2.0, 3.0]),
            np.array([[4.0, 1.0, 0.0], [1.0, -3.0, 2.0], [0.0, 2.0, 5.0]]),
            np.array([1.0, 0.0, 2.0]),
        ),
    ):
        a = tuple(map(np.asarray, args))
        c.example(a, a[2] - np.linalg.solve(a[1], a[0]), says="x minus the step that solves it", looks_like=like)
