"""Programs that lose a value or a gradient: what is to blame, which repair is known, and the true value."""

from typing import Any, NamedTuple


class Program(NamedTuple):
    """The body of `def program(...)`, its inputs in float32, and what is expected of the report.

    op, reason : names that are right, separated by spaces and by "|". grade : of the repair, "" where none is known.
    truth : the true value as an expression of NumPy in float64, "" where there is none. slopes : whether its
    derivatives are the true gradients. want : what a right repair is.
    """

    body: str
    inputs: dict[str, Any]
    op: str
    reason: str
    grade: str
    truth: str = ""
    dtype: str = "float32"
    slopes: bool = False
    want: str = ""


def row(body, op, reason, grade, truth="", dtype="float32", **inputs):
    return Program(body if "return " in body else f"return {body}", inputs, op, reason, grade, truth, dtype)


def held(body, op, reason, grade, want, truth="", slopes=False, dtype="float32", **inputs):
    return row(body, op, reason, grade, truth, dtype, **inputs)._replace(slopes=slopes, want=want)


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
    "log of a probability of 0": row("-mg.mean(mg.log(x))", "log", "domain", "", x=[0.5, 0.0]),
    "log2 of a probability of 0": row("mg.sum(mg.log2(x))", "log2", "domain", "", x=[0.5, 0.0]),
    "log10 of 0": row("mg.sum(mg.log10(x))", "log10", "domain", "", x=[0.5, 0.0]),
    "log1p at -1": row("mg.sum(mg.log1p(x))", "log1p", "domain", "", x=[0.5, -1.0]),
    "log of a negative number": row("mg.log(x)", "log", "domain", "", x=-1.0),
    "log of counts": row("mg.sum(mg.log(x) * t)", "log multiply", "domain|0 * inf", "convention|limit|same",
        x=[3.0, 0.0], t=[1.0, 0.0]),
    "log of a clipped difference": row(
        "mg.sum(mg.log(mg.relu(x)))", "log", "domain", "", x=[1.0, -1.0],
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
        "mg.arccos(mg.sum(x * x) / (mg.norm(x) * mg.norm(x)))", "arccos", "domain|0 * inf|inf - inf", "limit",
        "0.0", x=[0.6, 0.8],
    ),
    "arcsin at its end": row("mg.sum(mg.arcsin(x))", "arcsin", "domain|0 * inf", "limit|convention", "np.pi / 2",
        x=[1.0, 0.0]),
    "arccos outside": row("mg.arccos(x)", "arccos", "domain", "", x=1.5),
    "arccosh at its end": row("mg.arccosh(x)", "arccosh", "domain", "limit|convention", "0.0", x=1.0),
    "arctanh at its end": row("mg.arctanh(x)", "arctanh", "domain", "", x=1.0),
    "root": row("mg.sum(mg.sqrt(x))", "sqrt", "domain", "limit|convention", "2.0", x=[0.0, 4.0]),
    "root of a negative number": row("mg.sqrt(x)", "sqrt", "domain", "", x=-1.0),
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
        "mg.sum((x - mg.mean(x, axis=0)) / mg.std(x, axis=0) * t)", "divide", "0 / 0", "",
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
    "gamma likelihood at 0": row("mg.sum((k - 1) * mg.log(x) - x - mg.gammaln(k))", "log", "domain", "",
        x=[0.0, 1.0], k=[2.0, 2.0]),
    "log of a determinant": row(
        "mg.log(mg.det(x))", "det log", "overflow|0 * inf|domain", "same|limit", "2 * np.log(1e30)",
        x=[[1e30, 0.0], [0.0, 1e30]],
    ),
    "log gamma at 0": row("mg.sum(mg.gammaln(x))", "gammaln", "domain", "", x=[0.0, 2.0]),
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
        "mg.sum(mg.where(x > 0, mg.sqrt(x), 0.0))", "sqrt", "masked branch|domain", "limit", "2.0", x=[0.0, 4.0],
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
        "mg.sum(mg.where(x > 0, x ** 0.5, 0.0))", "power", "masked branch|domain", "limit", "2.0", x=[0.0, 4.0],
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
    "data with a nan": row("mg.sum(x * x)", "leaf input", "input", "", x=[1.0, float("nan"), 2.0]),
    "data with an inf": row("mg.mean(x * 0.5)", "leaf input", "input", "", x=[1.0, float("inf")]),
    "tower of exponentials": row("mg.exp(mg.exp(x))", "exp", "overflow", "wider", "np.exp(np.exp(5.0))", x=5.0),
    "exponential of half precision": row("mg.exp(x)", "exp", "overflow", "wider", "np.exp(12.0)", "float16", x=12.0),
    "sum of squares of half precision": row("mg.sum(x * x)", "multiply", "overflow", "wider", "np.sum(x * x)",
        "float16", x=[300.0, 1.0]),
    "large powers": row("mg.sum(x ** 20)", "power", "overflow", "wider", "1e40", x=[100.0, 0.0]),
    "a row of scores without an entry": row(
        "mg.sum(mg.softmax(x) * t)", "softmax leaf input", "domain|input|inf - inf", "convention",
        x=[float("-inf"), float("-inf")],
        t=[1.0, 2.0],
    ),
    "difference of exponentials": row("mg.exp(x) - mg.exp(z)", "exp subtract", "overflow|inf - inf", "wider",
        "np.exp(100.0) - np.exp(99.0)", x=100.0, z=99.0),
    "log of an integer power": row("mg.log(x ** 30)", "power log", "overflow|0 * inf", "same|limit",
        "30 * np.log(1e3)", x=1e3),
    "logit at its end": row("mg.logit(x)", "logit", "domain", "", x=1.0),
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
    "harmonic mean": row("2 / (1 / a + 1 / b)", "divide", "domain|0 * inf", "same", "0.0", a=0.0, b=1.0),
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
    "log gamma of a count": row("mg.sum(mg.gammaln(x + 1) - mg.gammaln(x))", "gammaln", "domain", "",
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
        "mg.log(1 - mg.cos(x))", "log", "domain", "same", "np.log(0.5e-8)", x=1e-4,
    ),
    "direction behind a where": row(
        """
        n = mg.sqrt(mg.sum(x ** 2))
        return mg.sum(mg.where(n > 0, x / n, 0.0))
        """, "sqrt divide", "0 / 0|domain|masked branch", "same|limit|", "0.0", x=[0.0, 0.0],
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

#: The first 61 were written before the table of patterns was read, the others after it was mended once.
HELD_OUT = {
    "poisson loss of a tiny rate": held(
        """
        rate = mg.exp(X @ w)
        return mg.mean(rate - y * mg.log(rate))
        """,
        "log exp", "domain|0 * inf|overflow", "same", "y * (X @ w)", "np.mean(np.exp(X @ w) - y * (X @ w))", True,
        X=[[1.0, 0.5], [2.0, -60.0]], w=[0.3, 2.0], y=[2.0, 1.0],
    ),
    "beta log-likelihood at an end": held(
        "-mg.mean((a - 1) * mg.log(x) + (b - 1) * mg.log(1 - x))", "log", "domain|0 * inf", "limit", "0 * log(0) is 0",
        "-np.mean([np.log(0.5), 0.0])", a=2.0, b=1.0, x=[0.5, 1.0],
    ),
    "cosine similarity of an empty row": held(
        "mg.sum(a * b) / (mg.norm(a) * mg.norm(b))", "divide norm", "0 / 0|domain", "convention",
        "a floor for the norm, value 0", "0.0", a=[0.0, 0.0, 0.0], b=[1.0, 2.0, 2.0],
    ),
    "cosine similarity by square roots": held(
        """
        length = np.sqrt(np.sum(a ** 2, axis=1) * np.sum(b ** 2, axis=1))
        return np.mean(1 - np.sum(a * b, axis=1) / length)
        """,
        "divide sqrt", "0 / 0|domain|0 * inf", "convention", "a floor for the length",
        a=[[1.0, 2.0], [0.0, 0.0]], b=[[2.0, 1.0], [3.0, 4.0]],
    ),
    "angle between equal vectors": held(
        """
        u = a / mg.norm(a)
        v = b / mg.norm(b)
        return mg.arccos(mg.dot(u, v))
        """,
        "arccos", "domain|0 * inf", "limit", "keep the cosine inside of [-1, 1]", "0.0", a=[3.0, 4.0], b=[3.0, 4.0],
    ),
    "angle with a cosine above 1": held(
        """
        c = (a @ b) / mg.sqrt((a @ a) * (b @ b))
        return mg.arccos(1.0000001 * c)
        """,
        "arccos", "domain", "convention", "keep the cosine inside of [-1, 1]", "0.0",
        a=[1.0, 2.0, 3.0], b=[2.0, 4.0, 6.0],
    ),
    "batch norm of a constant column": held(
        """
        mu = X.mean(axis=0)
        sd = X.std(axis=0)
        Z = (X - mu) / sd
        return (Z ** 2).sum()
        """,
        "divide std", "0 / 0|domain", "", "a floor for sd", "3.0", X=[[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]],
    ),
    "layer norm of equal activations": held(
        """
        m = mg.mean(h)
        v = mg.mean((h - m) ** 2)
        return mg.sum(g * (h - m) / mg.sqrt(v))
        """,
        "divide sqrt std", "0 / 0|domain", "convention", "a floor for the variance", "0.0",
        h=[0.5, 0.5, 0.5, 0.5], g=[1.0, 2.0, 3.0, 4.0],
    ),
    "scalar Kalman filter without noise": held(
        """
        m, P = m0, P0
        for z in [1.0, 1.2, 0.9]:
            K = P / (P + R)
            m = m + K * (z - m)
            P = (1 - K) * P
        return m
        """,
        "divide", "0 / 0|domain", "", "none, or the gain 0 where nothing is uncertain", "1.0", m0=0.0, P0=1.0, R=0.0,
    ),
    "linear recurrence that blows up": held(
        """
        h = h0
        for _ in range(120):
            h = W @ h
        return mg.mean(h ** 2)
        """,
        "matmul power multiply square", "overflow", "wider", "a smaller W; float64 holds it",
        W=[[1.9, 0.4], [0.3, 1.7]], h0=[1.0, 1.0],
    ),
    "RNN of relu that blows up": held(
        """
        h = 0 * u
        total = 0.0
        for x in xs:
            h = mg.relu(x * u + 40 * h)
            total = total + mg.sum(h ** 2)
        return total
        """,
        "power square multiply", "overflow", "wider", "a smaller factor; float64 holds it",
        xs=[1.0] * 30, u=[1.0, 2.0, 3.0],
    ),
    "descent with a step that is too long": held(
        """
        w = mg.Variable(np.array([1.0, -1.0], np.float32))
        for _ in range(60):
            loss = mg.sum((X @ w - y) ** 2)
            g, = mg.gradients(loss, [w])
            w.assign(w - 0.5 * g)
        return mg.sum((X @ w - y) ** 2)
        """,
        "input leaf w matmul power square subtract", "weights|overflow|input", "", "a smaller step length",
        X=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], y=[1.0, 2.0, 3.0],
    ),
    "missing value in the features": held(
        """
        prediction = X @ w + b
        return np.mean((prediction - y) ** 2)
        """,
        "input leaf", "input", "", "leave the row out",
        X=[[1.0, 2.0], [float("nan"), 1.0], [0.5, 0.1]], y=[1.0, 2.0, 3.0], w=[0.1, 0.2], b=0.0,
    ),
    "missing value in the targets": held(
        """
        error = mg.abs(y - w * x)
        return mg.mean(error)
        """,
        "input leaf", "input", "", "leave the value out", x=[1.0, 2.0, 3.0], y=[1.0, float("nan"), 3.5], w=1.1,
    ),
    "log of zero counts taken with numpy": held(
        """
        with np.errstate(divide="ignore"):
            features = np.log(np.array([0.0, 3.0, 5.0], np.float32))
        return mg.sum(w * features)
        """,
        "input leaf multiply constant", "input|0 * inf|overflow", "", "log1p of the counts, outside of the graph",
        w=[0.0, 1.0, 2.0],
    ),
    "square root as a power at zero": held(
        "mg.sum(x ** 0.5)", "power", "domain|0 * inf|overflow", "limit", "keep x above 0; the true slope is infinite",
        "3.0", x=[0.0, 1.0, 4.0],
    ),
    "a power of a negative number": held(
        "mg.sum(a * x ** 1.5)", "power", "domain", "", "none; the power does not exist", x=[-2.0, 1.0], a=[1.0, 2.0],
    ),
    "entropy of a softmax": held(
        """
        p = mg.softmax(z)
        return -mg.sum(p * mg.log(p))
        """,
        "log", "domain|0 * inf", "same", "log_softmax or xlogy", "0.0", True, z=[0.0, 200.0, -50.0],
    ),
    "binary entropy": held(
        """
        h = -p * np.log2(p) - (1 - p) * np.log2(1 - p)
        return np.mean(h)
        """,
        "log2", "domain|0 * inf", "limit", "xlogy; the true slope is infinite", "0.5", p=[0.5, 1.0],
    ),
    "KL divergence with a zero": held(
        "mg.sum(p * (mg.log(p) - mg.log(q)))", "log", "domain|0 * inf|inf - inf", "limit", "xlogy",
        "np.log(2) * 0.5 + 0.5 * np.log(1.0)", p=[0.0, 0.5, 0.5], q=[0.25, 0.25, 0.5],
    ),
    "KL divergence against a zero": held(
        "np.sum(p * np.log(p / q))", "divide", "overflow|domain", "", "none: it is infinite",
        p=[0.5, 0.5], q=[1.0, 0.0],
    ),
    "Jensen-Shannon of disjoint supports": held(
        """
        m = 0.5 * (p + q)
        return 0.5 * mg.sum(p * mg.log(p / m)) + 0.5 * mg.sum(q * mg.log(q / m))
        """,
        "log", "domain|0 * inf", "limit", "xlogy", "np.log(2.0)", p=[1.0, 0.0], q=[0.0, 1.0],
    ),
    "geometric mean with a zero": held(
        "mg.exp(mg.mean(mg.log(x)))", "log", "domain|0 * inf", "limit", "keep x above 0", "0.0", x=[0.0, 2.0, 4.0],
    ),
    "geometric mean by a product": held(
        "mg.prod(x) ** (1 / 8)", "prod", "overflow", "wider", "exp(mean(log(x)))", "np.exp(np.mean(np.log(x)))", True,
        x=[1000000.0, 2000000.0, 3000000.0, 1000000.0, 2000000.0, 3000000.0, 1000000.0, 5000000.0],
    ),
    "harmonic mean with a zero": held(
        "3 / mg.sum(1 / x)", "divide", "overflow|domain|0 * inf", "", "keep x above 0; its slope there is 3", "0.0",
        x=[0.0, 2.0, 4.0],
    ),
    "a row of attention that is masked": held(
        """
        scores = mg.where(mask > 0, q @ k.T, -np.inf)
        e = mg.exp(scores - mg.max(scores, axis=1, keepdims=True))
        a = e / mg.sum(e, axis=1, keepdims=True)
        return mg.sum(a @ v)
        """,
        "subtract where max constant input", "inf - inf|input", "", "a large finite number for -inf",
        q=[[1.0, 0.5], [0.3, 0.2]], k=[[0.1, 0.4], [0.7, 0.2]], v=[[1.0], [2.0]], mask=[[1.0, 1.0], [0.0, 0.0]],
    ),
    "attention with the log of its mask": held(
        """
        scores = (q @ k.T) / np.sqrt(2.0) + mg.log(mask)
        return mg.sum(mg.softmax(scores, axis=-1) @ v)
        """,
        "log", "domain|0 * inf", "", "keep the mask above 0",
        q=[[1.0, 0.5], [0.3, 0.2]], k=[[0.1, 0.4], [0.7, 0.2]], v=[[1.0], [2.0]], mask=[[1.0, 0.0], [1.0, 1.0]],
    ),
    "softmax by hand in half precision": held(
        """
        e = mg.exp(s)
        p = e / mg.sum(e)
        return mg.sum(p * v)
        """,
        "exp divide", "overflow|inf / inf", "same", "mg.softmax(s)",
        "np.sum(np.exp(s - s.max()) / np.sum(np.exp(s - s.max())) * v)", True, dtype="float16",
        s=[12.0, 3.0, 11.0], v=[1.0, 2.0, 3.0],
    ),
    "softmax with a temperature": held(
        """
        weights = np.exp(x / T)
        weights = weights / np.sum(weights, axis=-1, keepdims=True)
        return np.mean(weights[:, 0])
        """,
        "exp divide", "overflow|inf / inf", "same", "softmax(x / T)",
        "np.mean((np.exp((x - x.max(-1, keepdims=True)) / T) / np.exp((x - x.max(-1, keepdims=True)) / "
        "T).sum(-1, keepdims=True))[:, 0])", True, x=[[1.0, 0.9], [0.2, 0.1]], T=0.01,
    ),
    "negative log-likelihood by hand": held(
        """
        e = mg.exp(logits)
        return -mg.log(e[1] / e.sum())
        """,
        "exp log divide getitem", "overflow|inf / inf|domain|0 * inf", "same", "log_softmax",
        "np.log(np.sum(np.exp(logits - logits.max()))) + logits.max() - logits[1]", True, logits=[1.0, 120.0, 90.0],
    ),
    "cross entropy by a difference": held(
        """
        lse = np.log(np.sum(np.exp(z), axis=1))
        return np.mean(lse - np.sum(onehot * z, axis=1))
        """,
        "exp", "overflow", "same", "logsumexp",
        "np.mean(np.log(np.sum(np.exp(z - z.max(1)[:, None]), 1)) + z.max(1) - np.sum(onehot * z, 1))", True,
        z=[[100.0, 2.0], [1.0, 3.0]], onehot=[[0.0, 1.0], [0.0, 1.0]],
    ),
    "focal loss": held(
        """
        p = mg.sigmoid(x)
        return -mg.mean((1 - p) ** 2 * mg.log(p))
        """,
        "log sigmoid", "domain|0 * inf", "same", "log_sigmoid",
        "np.mean((1 / (1 + np.exp(np.minimum(x, 500)))) ** 2 * np.logaddexp(0, -x))", True, x=[-150.0, 2.0],
    ),
    "cross entropy of sure probabilities": held(
        "-mg.mean(t * mg.log(p) + (1 - t) * mg.log(1 - p))", "log", "domain|0 * inf", "limit", "xlogy",
        "np.mean([0.0, -np.log(0.7)])", p=[1.0, 0.3], t=[1.0, 0.0],
    ),
    "distances of all pairs": held(
        """
        D = mg.sqrt(mg.sum((X[:, None] - X[None]) ** 2, axis=-1))
        return mg.mean(D)
        """,
        "sqrt", "domain|0 * inf", "same", "the norm with slope 0 at zero",
        "np.mean(np.sqrt(np.sum((X[:, None] - X[None]) ** 2, -1)))", X=[[0.0, 1.0], [2.0, 0.5], [1.0, 1.0]],
    ),
    "triplet loss of an equal pair": held(
        """
        near = mg.sqrt(mg.sum((a - p) ** 2))
        far = mg.sqrt(mg.sum((a - n) ** 2))
        return mg.maximum(0.0, near - far + 3.0)
        """,
        "sqrt", "domain|0 * inf", "same", "the norm with slope 0 at zero", "3 - np.sqrt(2.0)",
        a=[1.0, 2.0], p=[1.0, 2.0], n=[2.0, 3.0],
    ),
    "deviation from two means": held(
        """
        variance = mg.mean(x ** 2) - mg.mean(x) ** 2
        return mg.sqrt(variance)
        """,
        "sqrt", "domain", "same", "mg.std(x)", "np.std(x)", x=[1000.1, 1000.1, 1000.1, 1000.1, 1000.1],
    ),
    "correlation with a constant": held(
        """
        dx, dy = x - x.mean(), y - y.mean()
        return (dx * dy).sum() / mg.sqrt((dx ** 2).sum() * (dy ** 2).sum())
        """,
        "divide sqrt", "0 / 0|domain|0 * inf", "convention", "a floor for the divisor",
        x=[1.0, 2.0, 3.0], y=[4.0, 4.0, 4.0],
    ),
    "gaussian likelihood of a tiny sigma": held(
        """
        sigma = mg.exp(log_sigma)
        return mg.mean(0.5 * ((x - mu) / sigma) ** 2 + mg.log(sigma))
        """,
        "exp divide log power", "overflow|domain|0 / 0|0 * inf", "wider", "float64, or a bound for log_sigma",
        x=[1.0, 1.5], mu=1.25, log_sigma=-120.0,
    ),
    "gaussian likelihood of sigma zero": held(
        """
        z = (x - mu) / sigma
        return 0.5 * mg.sum(z * z) + 2 * mg.log(sigma)
        """,
        "divide", "overflow|domain|0 / 0", "", "none: it is infinite", x=[1.0, 1.5], mu=1.0, sigma=0.0,
    ),
    "mixture of gaussians far away": held(
        """
        p = np.sum(weight * np.exp(-0.5 * (x - mu) ** 2))
        return -np.log(p)
        """,
        "log exp", "domain|overflow|0 * inf", "wider", "logsumexp", x=30.0, mu=[-1.0, 1.0], weight=[0.4, 0.6],
    ),
    "likelihood as a product": held(
        """
        p = mg.sigmoid(t * (X @ w))
        return -mg.log(mg.prod(p))
        """,
        "log prod", "domain|overflow|0 * inf", "limit", "the sum of logs", "np.sum(np.logaddexp(0, -t * (X @ w)))",
        True, X=[[1.0, 0.5], [2.0, -1.0], [0.5, 3.0]] * 10, w=[3.0, 4.0], t=[-1.0, 1.0, -1.0] * 10,
    ),
    "divergence of a variational posterior": held(
        "-0.5 * mg.sum(1 + logvar - mu ** 2 - mg.exp(logvar))", "exp", "overflow", "wider", "float64 holds it",
        "-0.5 * np.sum(1 + logvar - mu ** 2 - np.exp(logvar))", mu=[0.1, 0.2], logvar=[1.0, 100.0],
    ),
    "mish by hand": held(
        "mg.sum(x * mg.tanh(mg.log(1 + mg.exp(x))))", "exp", "overflow|0 * inf", "same", "softplus",
        "np.sum(x * np.tanh(np.logaddexp(0, x)))", True, x=[1.0, 95.0],
    ),
    "logit of a sigmoid": held(
        """
        p = mg.sigmoid(x)
        return mg.sum(mg.log(p / (1 - p)))
        """,
        "divide log sigmoid", "overflow|domain|0 * inf", "same", "x itself", "np.sum(x)", True, x=[0.5, 40.0],
    ),
    "sinc by hand": held(
        "mg.sum(mg.sin(np.pi * x) / (np.pi * x))", "divide", "0 / 0|domain", "same", "mg.sinc(x)",
        "np.sum(np.sinc(x))", True, x=[0.0, 0.5],
    ),
    "one minus cosine over the square": held(
        "(1 - mg.cos(x)) / x ** 2", "divide", "0 / 0|domain", "same", "0.5 at zero", "0.5", True, x=0.0,
    ),
    "Box-Cox at lambda zero": held(
        """
        z = (x ** lam - 1) / lam
        return mg.mean(z)
        """,
        "divide", "0 / 0|domain", "", "log(x) at zero", "np.mean(np.log(x))", x=[0.5, 2.0, 3.0], lam=0.0,
    ),
    "Renyi entropy of order one": held(
        "mg.log(mg.sum(p ** q)) / (1 - q)", "divide", "0 / 0|domain", "", "Shannon's entropy",
        "-np.sum(p * np.log(p))", p=[0.25, 0.25, 0.5], q=1.0,
    ),
    "Fisher's z of a full correlation": held(
        """
        z = 0.5 * mg.log((1 + r) / (1 - r))
        return mg.mean(z)
        """,
        "divide log", "overflow|domain", "", "none: it is infinite", r=[0.2, 1.0],
    ),
    "PSNR of equal images": held(
        """
        mse = np.mean((a - b) ** 2)
        return 10 * np.log10(1.0 / mse)
        """,
        "divide", "overflow|domain", "", "none: it is infinite", a=[0.1, 0.2, 0.3], b=[0.1, 0.2, 0.3],
    ),
    "rotation vector of no rotation": held(
        """
        theta = mg.sqrt(mg.sum(v ** 2))
        axis = v / theta
        return mg.sum(mg.sin(theta) * axis)
        """,
        "divide sqrt", "0 / 0|domain|0 * inf", "limit", "0, with slope 1", "0.0", v=[0.0, 0.0, 0.0],
    ),
    "forces between bodies": held(
        """
        d = X[:, None] - X[None]
        r = mg.norm(d, axis=-1)
        pair = mg.where(np.eye(3) == 1, 0.0, 1 / r)
        return mg.sum(pair)
        """,
        "divide norm", "masked branch|overflow|domain|0 / 0|0 * inf", "same", "1 / where(eye, 1, r)",
        "np.sum([1 / np.hypot(*(X[i] - X[j])) for i in range(3) for j in range(3) if i != j])", True,
        X=[[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]],
    ),
    "Lennard-Jones with itself": held(
        """
        r2 = mg.sum((X[:, None] - X[None]) ** 2, axis=-1)
        inv6 = 1 / r2 ** 3
        return mg.sum(inv6 ** 2 - inv6)
        """,
        "divide", "overflow|domain", "", "none: it is infinite", X=[[0.0, 0.0], [1.0, 0.0]],
    ),
    "Euler steps of a finite-time blow-up": held(
        """
        x = x0
        for _ in range(40):
            x = x + 0.5 * x * x
        return x
        """,
        "multiply", "overflow", "", "none: a smaller step", x0=2.0,
    ),
    "average over an empty mask": held(
        """
        loss = (prediction - target) ** 2
        return (loss * mask).sum() / mask.sum()
        """,
        "divide", "0 / 0|domain", "", "a floor for the count, value 0",
        prediction=[1.0, 2.0], target=[0.5, 2.5], mask=[0.0, 0.0],
    ),
    "dice loss of empty masks": held(
        """
        overlap = mg.sum(p * t)
        return 1 - 2 * overlap / (mg.sum(p) + mg.sum(t))
        """,
        "divide", "0 / 0|domain", "limit", "a floor for the divisor", "1.0", p=[0.0, 0.0], t=[0.0, 0.0],
    ),
    "partial likelihood of Cox": held(
        """
        risk = mg.log(mg.cumsum(mg.exp(eta)))
        return -mg.mean(eta - risk)
        """,
        "exp", "overflow", "wider", "a running logsumexp; float64 holds it",
        "-np.mean(eta - np.logaddexp.accumulate(eta))", True, eta=[1.0, 100.0, 3.0],
    ),
    "mean squared error in half precision": held(
        "np.mean(np.square(x - y))", "square mean", "overflow", "wider", "float32", "np.mean((x - y) ** 2)", True,
        dtype="float16", x=[300.0, 2.0], y=[0.0, 1.0],
    ),
    "power mean of a high order": held(
        "mg.mean(x ** 60) ** (1 / 60)", "power", "overflow", "wider", "float64 holds it",
        "np.mean(x ** 60) ** (1 / 60)", True, x=[3.0, 7.0, 9.0],
    ),
    "inverse of softplus": held(
        "mg.sum(mg.log(mg.exp(y) - 1))", "exp", "overflow", "same", "y + log(-expm1(-y))",
        "np.sum(y + np.log(-np.expm1(-y)))", True, y=[1.0, 95.0],
    ),
    "gumbel noise of zero": held(
        """
        g = -mg.log(-mg.log(u))
        return mg.sum(mg.softmax((logits + g) / 0.5) * v)
        """,
        "log", "domain|overflow|0 * inf", "limit|", "keep u inside of (0, 1)",
        u=[0.3, 0.0, 0.9], logits=[1.0, 2.0, 0.5], v=[1.0, 2.0, 3.0],
    ),
    "log of a masked ratio": held(
        """
        safe = mg.where(n > 0, k / n, 0.0)
        return mg.sum(safe)
        """,
        "divide", "masked branch|0 / 0|domain", "same", "k / where(n > 0, n, 1)", "0.75", k=[3.0, 0.0], n=[4.0, 0.0],
    ),
    "contrastive loss of large similarities": held(
        """
        s = (a @ b.T) / tau
        positive = mg.exp(mg.diagonal(s))
        return -mg.mean(mg.log(positive / mg.sum(mg.exp(s), axis=1)))
        """,
        "exp divide diagonal", "overflow|inf / inf", "same", "log_softmax of s, its diagonal",
        "np.mean(np.log(np.sum(np.exp(a @ b.T / tau - np.max(a @ b.T / tau, 1)[:, None]), 1)) + np.max(a @ b.T / "
        "tau, 1) - np.diagonal(a @ b.T / tau))", True,
        a=[[3.0, 1.0], [1.0, 2.0]], b=[[2.5, 1.0], [0.5, 2.5]], tau=0.05,
    ),
    "policy gradient with a sure action": held(
        """
        z = logits - mg.max(logits, axis=1, keepdims=True)
        p = mg.exp(z) / mg.sum(mg.exp(z), axis=1, keepdims=True)
        chosen = mg.sum(p * actions, axis=1)
        return -mg.mean(advantage * mg.log(chosen))
        """,
        "log", "domain|0 * inf", "", "log_softmax, then the chosen one",
        logits=[[0.0, 130.0], [1.0, 2.0]], actions=[[1.0, 0.0], [0.0, 1.0]], advantage=[1.0, 0.5],
    ),
    "hinge on the norm of weights": held(
        "mg.maximum(mg.norm(w) - 1.0, 0.0) + mg.sqrt(mg.sum(w * w))", "sqrt", "domain|0 * inf", "same",
        "the norm with slope 0 at zero", "0.0", w=[0.0, 0.0],
    ),
    "group lasso with an empty group": held(
        "np.sum(np.sqrt(np.sum(W ** 2, axis=0)))", "sqrt", "domain|0 * inf", "same", "the norm with slope 0 at zero",
        "np.sqrt(5.0)", W=[[1.0, 0.0], [2.0, 0.0]],
    ),
    "elo probability far away": held(
        """
        expected = 1 / (1 + 10 ** ((rb - ra) / 4))
        return (score - expected) ** 2
        """,
        "power", "overflow|0 * inf", "wider", "sigmoid; float64 holds it", "score ** 2.0", ra=0.0, rb=200.0, score=1.0,
    ),
    "log-normal density at zero": held(
        """
        z = (mg.log(x) - mu) / s
        return mg.exp(-0.5 * z ** 2) / (x * s * np.sqrt(2 * np.pi))
        """,
        "log divide", "domain|0 / 0|0 * inf", "limit", "0 at zero", "0.0", x=0.0, mu=0.0, s=1.0,
    ),
    "gamma log-likelihood at zero": held(
        "mg.sum((k - 1) * mg.log(x) - x / theta) - 2 * mg.gammaln(k)", "log", "domain|0 * inf", "limit",
        "xlogy where k is 1, else none", x=[0.0, 1.5], k=1.0, theta=2.0,
    ),
    "negative binomial with a probability of one": held(
        "-mg.mean(k * mg.log(1 - p) + r * mg.log(p))", "log", "domain|0 * inf", "limit", "xlogy", "0.0",
        k=[0.0, 0.0], p=1.0, r=2.0,
    ),
    "cosine of an angle by the law of cosines": held(
        """
        c = (a * a + b * b - d * d) / (2 * a * b)
        return mg.arccos(c)
        """,
        "arccos divide", "domain|0 * inf|0 / 0", "limit", "keep c inside of [-1, 1]", "0.0", a=2.0, b=1.0, d=1.0,
    ),
    "haversine of antipodes": held(
        """
        h = mg.sin((lat2 - lat1) / 2) ** 2 + mg.cos(lat1) * mg.cos(lat2) * mg.sin((lon2 - lon1) / 2) ** 2
        return 2 * mg.arcsin(mg.sqrt(h))
        """,
        "sqrt arcsin", "domain|0 * inf", "limit", "keep h above 0: both are the same place", "0.0",
        lat1=0.5, lat2=0.5, lon1=1.0, lon2=1.0,
    ),
    "signal to noise in decibels of silence": held(
        """
        power = np.mean(signal ** 2)
        return 10 * np.log10(power / np.mean(noise ** 2))
        """,
        "log10", "domain", "", "none: it is infinite; or a floor, said to be one",
        signal=[0.0, 0.0, 0.0], noise=[0.1, -0.2, 0.1],
    ),
    "mean absolute percentage error": held(
        "100 * np.mean(np.abs((y - prediction) / y))", "divide", "overflow|domain|0 * inf", "",
        "none: the error has no percentage of 0", y=[1.0, 0.0, 2.0], prediction=[1.1, 0.2, 2.0],
    ),
    "symmetric percentage error of two zeros": held(
        "mg.mean(2 * mg.abs(y - f) / (mg.abs(y) + mg.abs(f)))", "divide", "0 / 0|domain", "",
        "a floor for the divisor", y=[1.0, 0.0], f=[1.5, 0.0],
    ),
    "returns of a price of zero": held(
        """
        r = mg.diff(mg.log(prices))
        return mg.std(r)
        """,
        "log subtract diff getitem", "domain|inf - inf", "", "none: there is no such return",
        prices=[1.0, 0.0, 2.0],
    ),
    "sharpe ratio of a constant return": held(
        "mg.mean(r) / mg.std(r)", "divide std", "overflow|domain", "", "none: it is infinite", r=[0.25, 0.25, 0.25],
    ),
    "interest by logarithms of negative balance": held(
        "mg.log(balance / start) / years", "log", "domain", "", "none", balance=-50.0, start=100.0, years=3.0,
    ),
    "Newton's method at a flat point": held(
        """
        x = x0
        for _ in range(3):
            x = x - (x ** 3 - 3 * x + 3) / (3 * x ** 2 - 3)
        return x
        """,
        "divide", "overflow|domain|inf - inf", "", "none: another start", x0=1.0,
    ),
    "logistic map with a wrong rate": held(
        """
        x = x0
        for _ in range(30):
            x = r * x * (1 - x)
        return x
        """,
        "multiply", "overflow|inf - inf|0 * inf", "", "none: r is larger than 4", x0=0.3, r=5.5,
    ),
    "LSTM-like gate with exponentials": held(
        """
        f = mg.exp(a) / (mg.exp(a) + mg.exp(b))
        return mg.sum(f * c + (1 - f) * c ** 2)
        """,
        "exp divide", "overflow|inf / inf", "same", "sigmoid(a - b)",
        "np.sum(c / (1 + np.exp(b - a)) + (1 - 1 / (1 + np.exp(b - a))) * c ** 2)", True,
        a=[95.0, 0.3], b=[94.0, 0.2], c=[0.5, 2.0],
    ),
    "partition function of low temperature": held(
        """
        Z = mg.sum(mg.exp(-energy / kT))
        return -kT * mg.log(Z)
        """,
        "exp log", "overflow|domain|0 * inf", "same", "logsumexp",
        "-kT * (np.log(np.sum(np.exp((energy.min() - energy) / kT))) - energy.min() / kT)", True,
        energy=[10.0, 11.0, 12.0], kT=0.05,
    ),
    "mean energy of low temperature": held(
        """
        w = np.exp(-E / T)
        return np.sum(E * w) / np.sum(w)
        """,
        "divide exp", "0 / 0|domain", "wider", "softmax(-E / T)",
        "np.sum(E * np.exp((E.min() - E) / T)) / np.sum(np.exp((E.min() - E) / T))", True, E=[12.0, 13.0, 15.0], T=0.1,
    ),
    "Planck's law at a low frequency": held(
        "nu ** 3 / (mg.exp(nu / T) - 1)", "divide", "0 / 0|domain", "limit", "0 at zero", "0.0", nu=0.0, T=1.5,
    ),
    "Langevin function at zero": held(
        "mg.cosh(x) / mg.sinh(x) - 1 / x", "divide subtract", "inf - inf|overflow|domain", "same", "0 at zero",
        "0.0", x=0.0,
    ),
    "speed of light reached": held(
        """
        gamma = 1 / mg.sqrt(1 - v ** 2)
        return m * (gamma - 1)
        """,
        "sqrt divide", "domain|overflow|0 * inf", "", "none: it is infinite", v=1.0, m=2.0,
    ),
    "thin lens at its focus": held(
        "1 / (1 / f - 1 / d)", "divide", "overflow|domain", "", "none: it is infinite", f=2.0, d=2.0,
    ),
    "parallel resistors with a short": held(
        "1 / (1 / r1 + 1 / r2)", "divide", "overflow|domain|0 * inf", "same", "r1 * r2 / (r1 + r2)", "0.0",
        r1=0.0, r2=10.0,
    ),
    "spline knot difference of zero": held(
        """
        t = (x - left) / (right - left)
        return mg.where(right > left, t, 0.0) * 2.0
        """,
        "divide", "0 / 0|masked branch|domain", "same", "a where around the divisor", "0.0",
        x=1.0, left=1.0, right=1.0,
    ),
    "gradient clipping of a zero gradient": held(
        """
        g = w * 0.0
        scale = mg.minimum(1.0, 1.0 / mg.norm(g))
        return mg.sum(scale * g + w ** 2)
        """,
        "divide", "overflow|domain|0 * inf", "", "a floor for the norm", "5.0", w=[1.0, 2.0],
    ),
    "embedding scaled to length one": held(
        """
        rows = E[np.array([0, 2])]
        unit = rows / mg.sqrt(mg.sum(rows ** 2, axis=1, keepdims=True))
        return mg.sum(unit * target)
        """,
        "divide sqrt", "0 / 0|domain", "convention", "a floor for the length",
        E=[[0.0, 0.0], [1.0, 1.0], [3.0, 4.0]], target=[[1.0, 0.0], [0.0, 1.0]],
    ),
    "precision matrix of equal columns": held(
        """
        C = X.T @ X / 4
        return mg.logdet(C)
        """,
        "logdet log slogdet", "domain|overflow|0 * inf", "", "none: the matrix is singular",
        X=[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [0.0, 0.0]],
    ),
    "huber loss through a square root": held(
        """
        r = y - x
        return mg.sum(mg.where(mg.abs(r) > 1, mg.abs(r) ** 0.5, r ** 2))
        """,
        "power", "masked branch|domain|0 * inf", "same", "a where around the power", "1.25 + np.sqrt(2.0) - 1.0",
        x=[1.0, 0.5, 0.0], y=[1.0, 1.0, 2.0],
    ),
    "infinite boundary of an interval": held(
        """
        width = upper - lower
        return mg.sum((x - lower) / width)
        """,
        "input leaf", "input|inf / inf|domain", "", "none: the interval is infinite",
        x=[0.5, 1.0], lower=[0.0, 0.0], upper=[1.0, float("inf")],
    ),
}  # fmt: skip

#: Programs whose matrix is refused.
MATRICES = {
    "Kalman filter with a singular S": held(
        """
        S = H @ P @ H.T
        K = P @ H.T @ mg.inv(S)
        return mg.sum(K @ z)
        """,
        "inv", "singular", "matrix", "S + small * eye",
        H=[[1.0, 0.0], [1.0, 0.0]], P=[[1.0, 0.2], [0.2, 1.0]], z=[1.0, 1.0],
    ),
    "normal equations of twin columns": held(
        "mg.sum(mg.solve(X.T @ X, X.T @ y))", "solve", "singular", "matrix", "X.T @ X + small * eye",
        X=[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], y=[1.0, 2.0, 3.0],
    ),
    "gaussian process with twin points": held(
        """
        K = mg.exp(-0.5 * (x[:, None] - x[None]) ** 2)
        L = mg.cholesky(K)
        return mg.sum(mg.log(mg.diagonal(L)))
        """,
        "cholesky", "singular|definite", "matrix", "K + small * eye", x=[0.0, 1.0, 1.0],
    ),
    "whitening with a singular covariance": held(
        """
        C = X.T @ X
        return mg.sum(mg.inv(mg.cholesky(C)))
        """,
        "cholesky", "singular|definite", "matrix", "C + small * eye", X=[[1.0, 2.0], [2.0, 4.0]],
    ),
}  # fmt: skip

PROGRAMS = ADVERSARY | LOSSES | HYPERBOLIC | ENTROPIES | LENGTHS | STATISTICS | HOLES | BRANCHES | OTHERS | HELD_OUT
