"""Programs that lose a value or a gradient: what is to blame, which repair is known, and the true value."""

from typing import Any, NamedTuple


class Program(NamedTuple):
    """The body of `def program(...)`, its inputs in float32, and what is expected of the report.

    op, reason : names that are right, separated by spaces and by "|". grade : of the repair, "" where none is known.
    truth : the true value as an expression of NumPy in float64, "" where there is none.
    """

    body: str
    inputs: dict[str, Any]
    op: str
    reason: str
    grade: str
    truth: str = ""
    dtype: str = "float32"


def row(body, op, reason, grade, truth="", dtype="float32", **inputs):
    return Program(body if "return " in body else f"return {body}", inputs, op, reason, grade, truth, dtype)


LARGE = [2.0, 100.0]

LOSSES = {
    "softplus by hand": row("mg.log(1 + mg.exp(x))", "exp", "overflow|0 * inf", "same", "np.logaddexp(0, x)", x=100.0),
    "logistic loss": row(
        "mg.mean(mg.log(1 + mg.exp(-t * x)))", "exp", "overflow|0 * inf", "same", "np.mean(np.logaddexp(0, -t * x))",
        x=[3.0, -200.0], t=[1.0, 1.0],
    ),
    "logistic loss with log1p": row(
        "mg.sum(mg.log1p(mg.exp(-x)))", "exp", "overflow|0 * inf", "same", "np.sum(np.logaddexp(0, -x))",
        x=[3.0, -200.0],
    ),
    "cross entropy of a sigmoid": row(
        "-mg.mean(mg.log(mg.sigmoid(x)))", "log sigmoid", "domain|0 * inf", "same", "np.mean(np.logaddexp(0, -x))",
        x=[1.0, -150.0],
    ),
    "cross entropy of 1 - sigmoid": row(
        "-mg.mean(mg.log(1 - mg.sigmoid(x)))", "log sigmoid", "domain|0 * inf", "same", "np.mean(np.logaddexp(0, x))",
        x=[1.0, 60.0],
    ),
    "sigmoid by hand": row("1 / (1 + mg.exp(-x))", "exp", "overflow|0 * inf", "same", "0.0", x=-100.0),
    "sigmoid by a fraction": row(
        "mg.exp(x) / (1 + mg.exp(x))", "exp divide", "overflow|inf / inf", "same", "1.0", x=100.0,
    ),
    "log of a sigmoid by hand": row(
        """
        p = 1 / (1 + mg.exp(-x))
        return mg.log(p)
        """, "exp log", "overflow|0 * inf|domain", "same", "-np.logaddexp(0, -x)", x=-120.0,
    ),
    "a gate by hand": row(
        "mg.sum(x / (1 + mg.exp(-x)))", "exp", "overflow|0 * inf|inf / inf", "same",
        "np.sum([2 / (1 + np.exp(-2.0)), 0.0])",
        x=[2.0, -100.0],
    ),
    "a step by a steep sigmoid": row(
        "mg.sum(1 / (1 + mg.exp(-50.0 * x)))", "exp", "overflow|0 * inf", "same", "np.sum([0.0, 1.0])", x=[-3.0, 3.0],
    ),
    "cross entropy of a softmax": row(
        "-mg.sum(t * mg.log(mg.softmax(x)))", "log multiply softmax", "domain|0 * inf", "same", "200.0",
        x=[0.0, -200.0], t=[0.0, 1.0],
    ),
    "softmax by hand": row(
        "mg.sum((mg.exp(x) / mg.sum(mg.exp(x))) ** 2)", "exp divide", "overflow|inf / inf", "same", "1.0",
        x=[1000.0, 0.0],
    ),
    "softmax of rows by hand": row(
        """
        e = mg.exp(x)
        p = e / mg.sum(e, axis=1, keepdims=True)
        return mg.sum(p * p)
        """, "exp divide", "overflow|inf / inf", "same", "1.5", x=[[100.0, 0.0], [0.0, 0.0]],
    ),
    "log of a sum of exponentials": row(
        "mg.log(mg.sum(mg.exp(x)))", "exp", "overflow|0 * inf", "same", "1000 + np.log(2)", x=[1000.0, 1000.0],
    ),
    "log of a sum that vanishes": row(
        "mg.log(mg.sum(mg.exp(x)))", "log", "domain|0 * inf", "same", "-1000 + np.log(2)", x=[-1000.0, -1000.0],
    ),
    "log of sums of rows": row(
        "mg.sum(mg.log(mg.sum(mg.exp(x), axis=1)))", "exp", "overflow|0 * inf", "same", "200 + 2 * np.log(2)",
        x=[[100.0, 100.0], [100.0, 100.0]],
    ),
    "log of a mean of exponentials": row(
        "mg.log(mg.mean(mg.exp(x)))", "exp", "overflow|0 * inf", "same", "np.logaddexp.reduce(x) - np.log(3)",
        x=[100.0, 101.0, 99.0],
    ),
    "log of two exponentials": row(
        "mg.sum(mg.log(mg.exp(x) + mg.exp(z)))", "exp", "overflow|0 * inf", "same", "np.sum(np.logaddexp(x, z))",
        x=LARGE, z=[1.0, 90.0],
    ),
    "log of weighted exponentials": row(
        "mg.log(mg.sum(w * mg.exp(x)))", "exp", "overflow|0 * inf", "wider", "100 + np.log(0.5 + 0.5 * np.exp(-1))",
        x=[100.0, 99.0], w=[0.5, 0.5],
    ),
    "log of exponentials with fixed weights": row(
        """
        w = np.array([0.5, 0.5], "float32")
        return mg.log(mg.sum(w * mg.exp(x)))
        """, "exp", "overflow|0 * inf", "same", "100 + np.log(0.5 + 0.5 * np.exp(-1))", x=[100.0, 99.0],
    ),
    "negative log likelihood of a Poisson count": row(
        "mg.mean(mg.exp(x) - t * mg.log(mg.exp(x)))", "log exp", "domain|0 * inf", "same",
        "(0 + 300 + np.exp(1) - 2) / 2",
        x=[-150.0, 1.0], t=[2.0, 2.0],
    ),
    "loss of a margin in two lines": row(
        """
        z = -x * t
        return mg.sum(mg.log(1.0 + mg.exp(z)))
        """, "exp", "overflow|0 * inf", "same", "np.sum(np.logaddexp(0, -x * t))", x=[200.0, 1.0], t=[-1.0, 1.0],
    ),
    "methods instead of functions": row(
        "(1 + x.exp()).log().sum()", "exp", "overflow|0 * inf", "same", "np.sum(np.logaddexp(0, x))", x=LARGE,
    ),
    "a log of an exponential and a factor": row(
        "mg.sum(mg.log(w * mg.exp(x)))", "exp log", "overflow|0 * inf|domain", "same", "np.sum(x + np.log(w))",
        x=LARGE, w=[0.5, 2.0],
    ),
    "slope of a sigmoid by hand": row(
        "mg.sum(mg.exp(x) / (1 + mg.exp(x)) ** 2)", "exp divide", "overflow|inf / inf", "same",
        "np.exp(2.0) / (1 + np.exp(2.0)) ** 2",
        x=LARGE,
    ),
}  # fmt: skip

HYPERBOLIC = {
    "tanh by hand": row(
        "(mg.exp(x) - mg.exp(-x)) / (mg.exp(x) + mg.exp(-x))", "exp divide", "overflow|inf / inf", "same", "1.0",
        x=100.0,
    ),
    "tanh by one exponential": row(
        "(mg.exp(2 * x) - 1) / (mg.exp(2 * x) + 1)", "exp divide", "overflow|inf / inf", "same", "1.0", x=60.0,
    ),
    "log cosh": row("mg.log(mg.cosh(x))", "cosh", "overflow|0 * inf", "same", "100 - np.log(2)", x=100.0),
    "log cosh of errors": row(
        "mg.mean(mg.log(mg.cosh(x - t)))", "cosh", "overflow|0 * inf|inf - inf", "same",
        "np.mean(np.logaddexp(x - t, t - x) - np.log(2))", x=[1.0, 150.0], t=[0.0, 0.0],
    ),
    "one over cosh": row("mg.sum(1 / mg.cosh(x))", "cosh", "overflow|0 * inf", "same", "1 / np.cosh(2.0)", x=LARGE),
    "arctanh of tanh": row("mg.arctanh(mg.tanh(x))", "arctanh", "domain|0 * inf", "same", "20.0", x=20.0),
    "log of the slope of tanh": row(
        "mg.sum(mg.log(1 - mg.tanh(x) ** 2))", "log tanh", "domain|0 * inf", "same",
        "np.sum(2 * (np.log(2) - x - np.logaddexp(0, -2 * x)))", x=[0.5, 30.0],
    ),
    "log of a difference of exponentials": row(
        "mg.log(mg.exp(x) - mg.exp(z))", "exp subtract", "overflow|inf - inf", "same", "100 + np.log(1 - np.exp(-1))",
        x=100.0, z=99.0,
    ),
    "inverse of softplus": row(
        "mg.log(mg.exp(x) - 1)", "exp", "overflow|0 * inf", "same", "100.0", x=100.0,
    ),
    "inverse of softplus with expm1": row(
        "mg.log(mg.expm1(x))", "expm1", "overflow|0 * inf", "same", "100.0", x=100.0,
    ),
    "a quotient of exponentials": row(
        "mg.exp(x) / mg.exp(z)", "exp divide", "overflow|inf / inf", "same", "np.exp(1.0)", x=100.0, z=99.0,
    ),
}  # fmt: skip

ENTROPIES = {
    "x log x": row("x * mg.log(x)", "log multiply", "domain|0 * inf", "convention|limit", "0.0", x=0.0),
    "entropy": row(
        "-mg.sum(x * mg.log(x))", "log multiply", "domain|0 * inf", "convention|limit|same", "np.log(2)",
        x=[0.5, 0.5, 0.0],
    ),
    "cross entropy with a target of 0": row(
        "-mg.sum(t * mg.log(x))", "log multiply", "domain|0 * inf", "limit|convention|same", "np.log(2)",
        x=[0.5, 0.0], t=[1.0, 0.0],
    ),
    "divergence of distributions": row(
        "mg.sum(x * mg.log(x / z))", "log multiply divide", "domain|0 * inf", "limit|convention|same", "np.log(2)",
        x=[1.0, 0.0], z=[0.5, 0.5],
    ),
    "divergence by a difference of logarithms": row(
        "mg.sum(x * (mg.log(x) - mg.log(z)))", "log multiply", "domain|0 * inf", "limit|convention|same", "np.log(2)",
        x=[1.0, 0.0], z=[0.5, 0.5],
    ),
    "binary entropy": row(
        "-mg.sum(x * mg.log(x) + (1 - x) * mg.log(1 - x))", "log multiply", "domain|0 * inf", "convention|limit",
        "-np.log(0.5)", x=[0.5, 1.0],
    ),
    "log of a probability of 0": row("-mg.mean(mg.log(x))", "log", "domain", "convention", x=[0.5, 0.0]),
    "log2 of a probability of 0": row("mg.sum(mg.log2(x))", "log2", "domain", "convention", x=[0.5, 0.0]),
    "log10 of 0": row("mg.sum(mg.log10(x))", "log10", "domain", "convention", x=[0.5, 0.0]),
    "log1p at -1": row("mg.sum(mg.log1p(x))", "log1p", "domain", "convention", x=[0.5, -1.0]),
    "log of a negative number": row("mg.log(x)", "log", "domain", "convention", x=-1.0),
    "log of counts": row("mg.sum(mg.log(x) * t)", "log multiply", "domain|0 * inf", "convention|limit|same",
        x=[3.0, 0.0], t=[1.0, 0.0]),
    "log of a clipped difference": row(
        "mg.sum(mg.log(mg.relu(x)))", "log", "domain", "convention", x=[1.0, -1.0],
    ),
    "focal loss": row(
        "-mg.sum((1 - x) ** 2 * mg.log(x))", "log", "domain|overflow", "convention", x=[0.7, 0.0],
    ),
}  # fmt: skip

LENGTHS = {
    "absolute value": row("mg.sqrt(x * x)", "sqrt multiply", "domain|0 * inf", "same|limit", "0.0", x=0.0),
    "absolute value by a power": row("mg.sum(mg.sqrt(x ** 2))", "sqrt power", "domain|0 * inf", "same|limit", "3.0",
        x=[0.0, -3.0]),
    "absolute value by powers": row("(x ** 2) ** 0.5", "power sqrt", "domain|0 * inf", "same|limit", "0.0", x=0.0),
    "length of a vector": row("mg.sqrt(mg.sum(x * x))", "sqrt multiply", "domain|0 * inf", "same|limit", "0.0",
        x=[0.0, 0.0]),
    "length by squares": row("mg.sqrt(mg.sum(mg.square(x)))", "sqrt square", "domain|0 * inf", "same|limit", "0.0",
        x=[0.0, 0.0]),
    "lengths of rows": row(
        "mg.sum(mg.sqrt(mg.sum(x ** 2, axis=1)))", "sqrt power", "domain|0 * inf", "same|limit", "5.0",
        x=[[3.0, 4.0], [0.0, 0.0]],
    ),
    "length of two parts": row("mg.sqrt(x ** 2 + z ** 2)", "sqrt power", "domain|0 * inf", "same|limit", "0.0", x=0.0,
        z=0.0),
    "distance of points": row(
        "mg.sqrt(mg.sum((x - z) ** 2))", "sqrt power", "domain|0 * inf", "same|limit", "0.0", x=[1.0, 2.0],
        z=[1.0, 2.0],
    ),
    "distances between all points": row(
        """
        d = mg.expand_dims(x, 0) - mg.expand_dims(x, 1)
        return mg.sum(mg.sqrt(mg.sum(d * d, axis=-1)))
        """, "sqrt multiply", "domain|0 * inf", "same|limit", "2 * np.sqrt(2)", x=[[0.0, 0.0], [1.0, 1.0]],
    ),
    "direction of a vector": row(
        "mg.sum(x / mg.sqrt(mg.sum(x * x)))", "sqrt divide", "domain|0 / 0", "convention", x=[0.0, 0.0],
    ),
    "direction by the norm": row("mg.sum(x / mg.norm(x))", "divide", "0 / 0", "convention", x=[0.0, 0.0]),
    "cosine of an angle": row(
        "mg.sum(x * z) / (mg.norm(x) * mg.norm(z))", "divide", "0 / 0", "convention", x=[0.0, 0.0], z=[1.0, 2.0],
    ),
    "angle of equal vectors": row(
        "mg.arccos(mg.sum(x * x) / (mg.norm(x) * mg.norm(x)))", "arccos", "domain|0 * inf|inf - inf", "",
        x=[0.6, 0.8],
    ),
    "arcsin at its end": row("mg.sum(mg.arcsin(x))", "arcsin", "domain|0 * inf", "limit|convention", "np.pi / 2",
        x=[1.0, 0.0]),
    "arccos outside": row("mg.arccos(x)", "arccos", "domain", "convention", x=1.5),
    "arccosh at its end": row("mg.arccosh(x)", "arccosh", "domain", "limit|convention", "0.0", x=1.0),
    "arctanh at its end": row("mg.arctanh(x)", "arctanh", "domain", "convention", x=1.0),
    "root": row("mg.sum(mg.sqrt(x))", "sqrt", "domain", "limit|convention", "2.0", x=[0.0, 4.0]),
    "root of a negative number": row("mg.sqrt(x)", "sqrt", "domain", "convention", x=-1.0),
    "power of a half": row("x ** 0.5", "power", "domain", "limit|convention", "0.0", x=0.0),
    "power of three quarters": row("mg.sum(x ** 0.75)", "power", "domain", "limit|convention", "1.0", x=[0.0, 1.0]),
    "cubic root by a power": row("x ** (1 / 3)", "power", "domain", "convention|limit", x=-8.0),
    "cubic root": row("mg.cbrt(x)", "cbrt", "domain", "limit|convention", "0.0", x=0.0),
    "one over a root": row("mg.rsqrt(x)", "rsqrt", "domain", "", x=0.0),
    "two roots": row("mg.sqrt(x) - mg.sqrt(z)", "sqrt", "domain|inf - inf", "limit|convention", "0.0", x=0.0, z=0.0),
    "area by three sides": row(
        """
        s = (a + b + c) / 2
        return mg.sqrt(s * (s - a) * (s - b) * (s - c))
        """, "sqrt", "domain|0 * inf", "limit|convention", "0.0", a=1.0, b=1.0, c=2.0,
    ),
}  # fmt: skip

STATISTICS = {
    "spread of equal numbers": row(
        "mg.sqrt(mg.mean((x - mg.mean(x)) ** 2))", "sqrt power", "domain|0 * inf", "same|limit", "0.0",
        x=[1.0, 1.0, 1.0],
    ),
    "root of a variance": row("mg.sqrt(mg.var(x))", "sqrt var", "domain|0 * inf", "same|limit", "0.0", x=[2.0, 2.0]),
    "spreads of columns": row(
        "mg.sum(mg.sqrt(mg.var(x, axis=0)))", "sqrt var", "domain|0 * inf", "same|limit", "1.0",
        x=[[2.0, 1.0], [2.0, 3.0]],
    ),
    "spread by the mean of squares": row(
        "mg.sqrt(mg.mean(x ** 2) - mg.mean(x) ** 2)", "sqrt power", "domain|0 * inf", "same|limit", "0.0", x=[2.0, 2.0],
    ),
    "normalised columns": row(
        "mg.sum((x - mg.mean(x, axis=0)) / mg.std(x, axis=0) * t)", "divide", "0 / 0", "convention",
        x=[[2.0, 1.0], [2.0, 3.0]], t=[[1.0, 2.0], [3.0, 5.0]],
    ),
    "correlation with a constant": row(
        """
        a, b = x - mg.mean(x), z - mg.mean(z)
        return mg.sum(a * b) / mg.sqrt(mg.sum(a * a) * mg.sum(b * b))
        """, "sqrt divide", "0 / 0|domain", "convention", x=[1.0, 1.0, 1.0], z=[1.0, 2.0, 4.0],
    ),
    "coefficient of variation": row("mg.std(x) / mg.mean(x)", "divide", "0 / 0|domain", "", x=[1.0, -1.0]),
    "geometric mean": row(
        "mg.exp(mg.mean(mg.log(x)))", "log", "domain|0 * inf", "limit|convention", x=[4.0, 0.0],
    ),
    "log of a product": row(
        "mg.log(mg.prod(x))", "prod log", "overflow|domain|0 * inf", "same|limit", "np.sum(np.log(x))",
        x=[1e20, 1e20, 2.0],
    ),
    "log of a product that vanishes": row(
        "mg.log(mg.prod(x))", "prod log", "domain|0 * inf", "same|limit", "np.sum(np.log(x))", x=[1e-25, 1e-25, 2.0],
    ),
    "share of a total": row("mg.sum(x / mg.sum(x) * t)", "divide", "0 / 0", "convention", x=[0.0, 0.0], t=[1.0, 2.0]),
    "weighted mean without weights": row(
        "mg.sum(w * x) / mg.sum(w)", "divide", "0 / 0", "convention", x=[1.0, 2.0], w=[0.0, 0.0],
    ),
    "density of a normal number without spread": row(
        "-0.5 * ((x - m) / s) ** 2 - mg.log(s)", "divide log", "domain|0 / 0", "", x=1.0, m=0.0, s=0.0,
    ),
    "gamma likelihood at 0": row("mg.sum((k - 1) * mg.log(x) - x - mg.gammaln(k))", "log", "domain", "convention",
        x=[0.0, 1.0], k=[2.0, 2.0]),
    "log of a determinant": row(
        "mg.log(mg.det(x))", "det log", "overflow|0 * inf|domain", "same|limit", "2 * np.log(1e30)",
        x=[[1e30, 0.0], [0.0, 1e30]],
    ),
    "log gamma at 0": row("mg.sum(mg.gammaln(x))", "gammaln", "domain", "convention", x=[0.0, 2.0]),
    "mean of no elements": row("mg.mean(x[x > 5.0]) + mg.sum(x)", "mean", "domain", "", x=[1.0, 2.0]),
}  # fmt: skip

HOLES = {
    "sine over x": row("mg.sin(x) / x", "divide", "0 / 0", "same", "1.0", x=0.0),
    "sines over x": row("mg.sum(mg.sin(x) / x)", "divide", "0 / 0", "same", "1 + np.sin(1.0)", x=[0.0, 1.0]),
    "expm1 over x": row("mg.expm1(x) / x", "divide", "0 / 0", "same", "1.0", x=0.0),
    "exponential minus 1 over x": row("(mg.exp(x) - 1) / x", "divide", "0 / 0", "same", "1.0", x=0.0),
    "one minus cosine over the square": row("(1 - mg.cos(x)) / x ** 2", "divide", "0 / 0", "same", "0.5", x=0.0),
    "log over x - 1": row("mg.log(x) / (x - 1)", "divide", "0 / 0", "same", "1.0", x=1.0),
    "tangent over x": row("mg.tan(x) / x", "divide", "0 / 0", "same", "1.0", x=0.0),
    "log1p over x": row("mg.sum(mg.log1p(x) / x)", "divide", "0 / 0", "same", "1 + np.log(2)", x=[0.0, 1.0]),
    "a sixth": row("(x - mg.sin(x)) / x ** 3", "divide", "0 / 0", "same", "1 / 6", x=0.0),
    "power of 2 minus 1 over x": row("(2.0 ** x - 1) / x", "divide", "0 / 0", "same", "np.log(2)", x=0.0),
    "x over x": row("x / x", "divide", "0 / 0", "same", "1.0", x=0.0),
    "squares over a difference": row("(x ** 2 - 1) / (x - 1)", "divide", "0 / 0", "same", "2.0", x=1.0),
    "sign by a quotient": row("x / mg.abs(x)", "divide", "0 / 0", "", x=0.0),
    "one over x": row("1 / x", "divide", "domain", "", x=0.0),
    "one over x squared": row("mg.sum(1 / x ** 2)", "divide power", "domain|0 * inf|overflow", "", x=[0.0, 1.0]),
    "reciprocal": row("mg.reciprocal(x)", "reciprocal", "domain", "", x=0.0),
    "0 times 1 over x": row("0 * (1 / x)", "divide multiply", "domain|0 * inf", "convention|limit|same", "0.0", x=0.0),
    "negative power": row("x ** -2", "power", "domain", "", x=0.0),
}  # fmt: skip

BRANCHES = {
    "masked log": row(
        "mg.sum(mg.where(x > 0, mg.log(x), 0.0))", "log", "masked branch|domain", "same", "np.log(2)", x=[0.0, 2.0],
    ),
    "masked reciprocal": row(
        "mg.sum(mg.where(x != 0, 1 / x, 0.0))", "divide", "masked branch|domain", "limit", "0.5", x=[0.0, 2.0],
    ),
    "masked root": row(
        "mg.sum(mg.where(x > 0, mg.sqrt(x), 0.0))", "sqrt", "masked branch|domain", "same", "2.0", x=[0.0, 4.0],
    ),
    "masked quotient": row(
        "mg.sum(mg.where(z > 0, x / z, 0.0))", "divide", "masked branch|0 / 0|domain", "same", "0.5", x=[1.0, 0.0],
        z=[2.0, 0.0],
    ),
    "masked exponential": row(
        "mg.sum(mg.where(x < 10, mg.exp(x), 0.0))", "exp", "masked branch|overflow", "same", "np.exp(1.0)",
        x=[1.0, 200.0],
    ),
    "masked on the other side": row(
        "mg.sum(mg.where(x <= 0, 0.0, mg.log(x)))", "log", "masked branch|domain", "same", "np.log(2)", x=[0.0, 2.0],
    ),
    "masked power": row(
        "mg.sum(mg.where(x > 0, x ** 0.5, 0.0))", "power", "masked branch|domain", "same", "2.0", x=[0.0, 4.0],
    ),
    "masked sine over x": row(
        "mg.sum(mg.where(x == 0, 1.0, mg.sin(x) / x))", "divide", "masked branch|0 / 0", "same", "1 + np.sin(2) / 2",
        x=[0.0, 2.0],
    ),
    "elu by hand": row(
        "mg.sum(mg.where(x > 0, x, mg.exp(x) - 1))", "exp", "masked branch|overflow|0 * inf", "same",
        "100 + np.exp(-1) - 1", x=[100.0, -1.0],
    ),
    "masked scores": row(
        """
        s = mg.where(m > 0, x, -mg.exp(x))
        return mg.sum(mg.exp(s))
        """, "exp", "overflow|0 * inf", "limit|wider", "np.exp(1.0)", x=[1.0, 100.0], m=[1.0, 0.0],
    ),
    "two selections": row(
        """
        safe = mg.where(x > 1, mg.sqrt(x - 1), 0.0)
        return mg.sum(mg.where(x < 5, safe, 0.0))
        """, "sqrt", "masked branch|domain", "same", "1.0", x=[0.5, 2.0],
    ),
}  # fmt: skip

OTHERS = {
    "data with a nan": row("mg.sum(x * x)", "leaf input", "input", "data", x=[1.0, float("nan"), 2.0]),
    "data with an inf": row("mg.mean(x * 0.5)", "leaf input", "input", "data", x=[1.0, float("inf")]),
    "tower of exponentials": row("mg.exp(mg.exp(x))", "exp", "overflow", "wider", "np.exp(np.exp(5.0))", x=5.0),
    "exponential of half precision": row("mg.exp(x)", "exp", "overflow", "wider", "np.exp(12.0)", "float16", x=12.0),
    "sum of squares of half precision": row("mg.sum(x * x)", "multiply", "overflow", "wider", "np.sum(x * x)",
        "float16", x=[300.0, 1.0]),
    "large powers": row("mg.sum(x ** 20)", "power", "overflow", "wider", "1e40", x=[100.0, 0.0]),
    "a row of scores without an entry": row(
        "mg.sum(mg.softmax(x) * t)", "softmax leaf input", "domain|input|inf - inf", "convention|data",
        x=[float("-inf"), float("-inf")],
        t=[1.0, 2.0],
    ),
    "difference of exponentials": row("mg.exp(x) - mg.exp(z)", "exp subtract", "overflow|inf - inf", "wider",
        "np.exp(100.0) - np.exp(99.0)", x=100.0, z=99.0),
    "log of an integer power": row("mg.log(x ** 30)", "power log", "overflow|0 * inf", "same|limit",
        "30 * np.log(1e3)", x=1e3),
    "logit at its end": row("mg.logit(x)", "logit", "domain", "convention", x=1.0),
    "double precision": row("mg.log(1 + mg.exp(x))", "exp", "overflow|0 * inf", "same", "800.0", "float64", x=800.0),
    "half precision": row("mg.log(1 + mg.exp(x))", "exp", "overflow|0 * inf", "same", "20.0", "float16", x=20.0),
    "half precision root": row("mg.sum(mg.sqrt(x))", "sqrt", "domain", "limit|convention", "2.0", "float16",
        x=[0.0, 4.0]),
    "double precision entropy": row("-mg.sum(x * mg.log(x))", "log multiply", "domain|0 * inf",
        "limit|convention|same", "np.log(2)", "float64", x=[0.5, 0.5, 0.0]),
}  # fmt: skip

#: Written to find a repair that is offered and wrong; the first ones were, before the checks that refuse them.
ADVERSARY = {
    "power transform at 0": row("(x ** k - 1) / k", "divide", "0 / 0", "", x=2.0, k=0.0),
    "entropy of an order": row("(1 - mg.sum(x ** q)) / (q - 1)", "divide", "0 / 0", "", x=[0.5, 0.5], q=1.0),
    "another entropy of an order": row(
        "mg.log(mg.sum(x ** a)) / (1 - a)", "divide", "0 / 0", "", x=[0.25, 0.75], a=1.0,
    ),
    "angle of a point on an axis": row("mg.arctan(b / a)", "divide", "domain|0 * inf", "", a=0.0, b=1.0),
    "harmonic mean": row("2 / (1 / a + 1 / b)", "divide", "domain|0 * inf", "", a=0.0, b=1.0),
    "scaled to the range": row(
        "mg.sum((x - mg.min(x)) / (mg.max(x) - mg.min(x)) * t)", "divide", "0 / 0", "", x=[1.0, 1.0], t=[1.0, 3.0],
    ),
    "attention without a key": row(
        """
        s = mg.where(m > 0, x, -np.inf)
        return mg.sum(mg.softmax(s) * t)
        """, "softmax", "domain", "convention", x=[[1.0, 2.0], [3.0, 4.0]], m=[[1.0, 1.0], [0.0, 0.0]],
        t=[[1.0, 2.0], [3.0, 4.0]],
    ),
    "log gamma of a count": row("mg.sum(mg.gammaln(x + 1) - mg.gammaln(x))", "gammaln", "domain", "convention",
        x=[0.0]),
    "angle of nothing": row("mg.arctan(b / a)", "divide", "0 / 0", "convention", a=0.0, b=0.0),
    "a derivative by a quotient": row("(z ** 2 - x ** 2) / (z - x)", "divide", "0 / 0", "", x=1.0, z=1.0),
    "density in logarithms": row(
        "mg.sum(mg.log(mg.exp(-0.5 * x ** 2)))", "exp log", "domain|0 * inf", "same", "np.sum(-0.5 * x ** 2)",
        x=[30.0, 1.0],
    ),
    "density with its factor": row(
        "mg.log(mg.exp(-0.5 * x ** 2) / 2.5)", "exp log", "domain|0 * inf", "same", "-450 - np.log(2.5)", x=30.0,
    ),
    "a choice of two": row(
        "mg.exp(x) / (mg.exp(x) + mg.exp(z))", "exp divide", "overflow|inf / inf", "same", "1 / (1 + np.exp(-1))",
        x=100.0, z=99.0,
    ),
    "log of a choice of two": row(
        "mg.log(mg.exp(x) / (mg.exp(x) + mg.exp(z)))", "exp divide", "overflow|0 * inf", "same", "-299.0",
        x=-200.0, z=99.0,
    ),
    "occupation of a state": row("x / (mg.exp(x) - 1)", "exp", "overflow|0 * inf", "same", "0.0", x=100.0),
    "occupation of the lowest state": row("x / (mg.exp(x) - 1)", "divide", "0 / 0", "same", "1.0", x=0.0),
    "a gate with its exponential": row(
        "x * mg.exp(x) / (1 + mg.exp(x))", "exp divide", "overflow|inf / inf", "same", "100.0", x=100.0,
    ),
    "mish": row("x * mg.tanh(mg.log(1 + mg.exp(x)))", "exp", "overflow|0 * inf", "same", "100.0", x=100.0),
    "binary cross entropy at both ends": row(
        "-mg.mean(t * mg.log(x) + (1 - t) * mg.log(1 - x))", "log multiply", "domain|0 * inf", "limit|convention",
        "-np.log(0.5) / 3", x=[0.0, 1.0, 0.5], t=[0.0, 1.0, 1.0],
    ),
    "binary cross entropy of logits": row(
        """
        p = mg.sigmoid(x)
        return -mg.mean(t * mg.log(p) + (1 - t) * mg.log(1 - p))
        """, "log sigmoid", "domain|0 * inf", "same", "90.0", x=[60.0, -120.0], t=[0.0, 1.0],
    ),
    "triplets": row(
        """
        d1 = mg.sqrt(mg.sum((x - z) ** 2, axis=1))
        d2 = mg.sqrt(mg.sum((x - w) ** 2, axis=1))
        return mg.mean(mg.relu(d1 - d2 + 1.0))
        """, "sqrt power", "domain|0 * inf", "same", "2.0", x=[[1.0, 2.0], [0.0, 1.0]],
        z=[[1.0, 2.0], [3.0, 1.0]], w=[[0.0, 0.0], [0.0, 1.0]],
    ),
    "divergence to the mean": row(
        """
        m = 0.5 * (x + z)
        return 0.5 * mg.sum(x * mg.log(x / m)) + 0.5 * mg.sum(z * mg.log(z / m))
        """, "log multiply", "domain|0 * inf", "limit|convention", "np.log(2)", x=[1.0, 0.0], z=[0.0, 1.0],
    ),
    "mutual information": row(
        "mg.sum(x * mg.log(x / (mg.sum(x, axis=0, keepdims=True) * mg.sum(x, axis=1, keepdims=True))))",
        "log multiply", "domain|0 * inf", "limit|convention", "np.log(2)", x=[[0.5, 0.0], [0.0, 0.5]],
    ),
    "rotation by nothing": row(
        """
        a = mg.norm(x)
        return mg.sum(x * mg.sin(a) / a)
        """, "divide", "0 / 0", "same", "0.0", x=[0.0, 0.0, 0.0],
    ),
    "x over tan x": row("mg.sum(x / mg.tan(x))", "divide", "0 / 0", "same", "1 + 1 / np.tan(1.0)", x=[0.0, 1.0]),
    "forces of a bond of no length": row(
        """
        r = mg.norm(x)
        return (1 / r) ** 12 - (1 / r) ** 6
        """, "divide subtract", "domain|inf - inf", "", x=[0.0, 0.0],
    ),
    "a small chance of failure": row(
        "mg.log(1 - mg.exp(-x))", "log", "domain", "same", "np.log(1e-9)", x=1e-9,
    ),
    "a small chance of a square": row(
        "mg.log(1 - mg.cos(x))", "log", "domain", "wider", "np.log(0.5e-8)", x=1e-4,
    ),
    "direction behind a where": row(
        """
        n = mg.sqrt(mg.sum(x ** 2))
        return mg.sum(mg.where(n > 0, x / n, 0.0))
        """, "sqrt divide", "0 / 0|domain|masked branch", "same|limit", "0.0", x=[0.0, 0.0],
    ),
    "transitions that cannot happen": row(
        "mg.logsumexp(mg.log(x))", "log", "domain|0 * inf", "", x=[[1.0, 0.0], [0.5, 0.5]],
    ),
    "a slope that is hidden by a relu": row(
        "mg.mean(mg.sqrt(mg.relu(1 - x)))", "sqrt", "domain", "", x=[2.0, 0.5],
    ),
    "a bump": row(
        "mg.sum(mg.where(x > 0, mg.exp(-1 / x), 0.0))", "divide", "masked branch|domain", "same", "np.exp(-1.0)",
        x=[0.0, 1.0],
    ),
    "test of a constant": row("mg.mean(x) / (mg.std(x) / 2.0)", "divide std", "domain|0 * inf", "", x=[1.0, 1.0]),
    "coefficients of a line": row(
        "(-b + mg.sqrt(b ** 2 - 4 * a * c)) / (2 * a)", "divide", "0 / 0", "", a=0.0, b=1.0, c=1.0,
    ),
    "a hypotenuse that overflows": row(
        "mg.sqrt(x ** 2 + z ** 2)", "power", "overflow", "same", "np.hypot(x, z)", x=1e30, z=1e30,
    ),
    "cross entropy of similarities": row(
        """
        s = x @ mg.transpose(x) / 0.01
        return -mg.mean(mg.log(mg.exp(mg.diagonal(s)) / mg.sum(mg.exp(s), axis=1)))
        """, "exp divide", "overflow|inf / inf", "same|wider", "0.0", x=[[1.0, 0.0], [0.0, 2.0]],
    ),
}  # fmt: skip

PROGRAMS = ADVERSARY | LOSSES | HYPERBOLIC | ENTROPIES | LENGTHS | STATISTICS | HOLES | BRANCHES | OTHERS
