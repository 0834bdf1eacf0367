"""NaN programs of students and practitioners, written with their labels before the code of the repairs was read.

Labels that the first run showed to be wrong: "poisson nll" and "inf minus inf" are finite in float64, "arcsin at 1" and
"compound interest" have a value and no slope, "polar angle by arctan" has two limits, "power with negative base" no
slope.
"""

from tests.diagnostics.nan_programs import Program

DOMAIN = "domain|0 * inf|0 / 0|masked branch"
OVERFLOW = "overflow|0 * inf|inf / inf|inf - inf|domain"

BLIND: dict[str, Program] = {}


def row(name, body, op, reason, exists, truth="", slopes=False, dtype="float32", **inputs):
    """exists: "value" of a true finite answer, "convention" where there is only a usual one, "" where none is right."""
    body = "\n".join(body) if isinstance(body, tuple) else f"return {body}"
    BLIND[name] = Program(body, inputs, op, reason, exists, truth, dtype, slopes)


row(
    "hinge of a log",
    "mg.maximum(0.0, 1 - mg.log(x))",
    "log",
    "domain",
    "",
    "",
    x=0.0,
)
row(
    "bce by hand sure and right",
    "-(t * mg.log(p) + (1 - t) * mg.log(1 - p))",
    "log",
    DOMAIN,
    "value",
    "0.0",
    t=1.0,
    p=1.0,
)
row(
    "bce by hand sure and wrong",
    "-(t * mg.log(p) + (1 - t) * mg.log(1 - p))",
    "log",
    DOMAIN,
    "",
    "",
    t=0.0,
    p=1.0,
)
row(
    "bce of logits by hand",
    ("s = 1 / (1 + mg.exp(-z))", "return -mg.mean(t * mg.log(s) + (1 - t) * mg.log(1 - s))"),
    "log exp sigmoid",
    "domain|0 * inf|overflow",
    "value",
    "np.mean(np.logaddexp(0, z) - t * z)",
    slopes=True,
    t=[1.0, 0.0],
    z=[40.0, -120.0],
)
row(
    "bce of logits unsure",
    ("s = mg.sigmoid(z)", "return mg.sum(-t * mg.log(s) - (1 - t) * mg.log(1 - s))"),
    "log sigmoid",
    "domain|0 * inf",
    "value",
    "np.sum(np.logaddexp(0, z) - t * z)",
    slopes=True,
    t=[0.0],
    z=[95.0],
)
row(
    "focal loss of a sure answer",
    ("p = mg.sigmoid(z)", "return -((1 - p) ** 2) * mg.log(p)"),
    "log sigmoid power",
    "domain|0 * inf",
    "value",
    "(1 - 1 / (1 + np.exp(-z))) ** 2 * np.logaddexp(0, -z)",
    z=-110.0,
)
row(
    "focal loss with a root",
    "mg.sum(-mg.sqrt(1 - p) * mg.log(p))",
    "sqrt",
    DOMAIN,
    "value",
    "0.0",
    p=[1.0],
)
row(
    "nll of a softmax by hand",
    ("p = mg.exp(z) / mg.sum(mg.exp(z))", "return -mg.log(p[1])"),
    "exp",
    OVERFLOW,
    "value",
    "np.log(np.sum(np.exp(z - np.max(z)))) + np.max(z) - z[1]",
    slopes=True,
    z=[1.0, 100.0, 3.0],
)
row(
    "nll of an underflow",
    ("p = mg.softmax(z)", "return -mg.log(p[0])"),
    "log softmax",
    "domain|0 * inf",
    "value",
    "200.0",
    slopes=True,
    z=[-100.0, 100.0],
)
row(
    "poisson nll",
    "mg.sum(mg.exp(eta) - y * eta)",
    "exp",
    "overflow",
    "value",
    "np.exp(100.0) + 200 * 0 - 200.0",
    eta=[100.0],
    y=[2.0],
)
row(
    "kl of equal zeros",
    "mg.sum(p * mg.log(p / q))",
    "divide log",
    DOMAIN,
    "value",
    "np.log(2.0) * 0 + 0.5 * np.log(0.5 / 0.5) + 0.5 * np.log(1.0)",
    p=[0.5, 0.5, 0.0],
    q=[0.5, 0.5, 0.0],
)
row(
    "kl with zero in p",
    "mg.sum(p * (mg.log(p) - mg.log(q)))",
    "log",
    DOMAIN,
    "value",
    "np.log(2.0)",
    p=[0.0, 1.0],
    q=[0.5, 0.5],
)
row(
    "kl with zero in q",
    "mg.sum(p * (mg.log(p) - mg.log(q)))",
    "log",
    DOMAIN,
    "",
    "",
    p=[0.5, 0.5],
    q=[0.0, 1.0],
)
row(
    "entropy of a sure thing",
    "-mg.sum(p * mg.log(p))",
    "log",
    DOMAIN,
    "value",
    "0.0",
    p=[1.0, 0.0],
)
row(
    "entropy in bits",
    "-mg.sum(p * mg.log2(p))",
    "log2",
    DOMAIN,
    "value",
    "1.0",
    p=[0.5, 0.5, 0.0],
)
row(
    "entropy of a softmax",
    ("p = mg.softmax(z)", "return -mg.sum(p * mg.log(p))"),
    "log softmax",
    DOMAIN,
    "value",
    "0.0",
    z=[0.0, -150.0],
)
row(
    "jensen shannon",
    ("m = (p + q) / 2", "return mg.sum(p * mg.log(p / m)) + mg.sum(q * mg.log(q / m))"),
    "log",
    DOMAIN,
    "value",
    "2 * np.log(2.0)",
    p=[1.0, 0.0],
    q=[0.0, 1.0],
)
row(
    "huber by hand",
    ("r = x - t", "return mg.sum(mg.where(mg.abs(r) < 1, 0.5 * r ** 2, mg.abs(r) - 0.5))"),
    "power square multiply",
    "overflow",
    "value",
    "1e25 - 0.5",
    x=[1e25],
    t=[0.0],
)
row(
    "pseudo huber",
    "mg.sum(mg.sqrt(r ** 2 + d ** 2) - d)",
    "sqrt",
    DOMAIN,
    "value",
    "np.hypot(r, d) - d",
    r=[0.0],
    d=0.0,
)
row(
    "charbonnier",
    "mg.sum(mg.sqrt(mg.square(x - y)))",
    "sqrt",
    DOMAIN,
    "value",
    "0.0",
    x=[1.0, 2.0],
    y=[1.0, 2.0],
)
row(
    "gauss nll sigma 0",
    "0.5 * ((x - m) / s) ** 2 + mg.log(s)",
    "divide log",
    DOMAIN,
    "",
    "",
    x=1.0,
    m=1.0,
    s=0.0,
)
row(
    "student t nll",
    "0.5 * (n + 1) * mg.log(1 + (x / s) ** 2 / n)",
    "power square multiply",
    "overflow",
    "value",
    "2.5 * (2 * np.log(3e22) - np.log(4.0))",
    x=3e22,
    s=1.0,
    n=4.0,
)
row(
    "cauchy nll",
    "mg.log(1 + x ** 2)",
    "power square",
    "overflow",
    "value",
    "2 * np.log(1e25)",
    x=1e25,
)
row(
    "log cosh loss",
    "mg.mean(mg.log(mg.cosh(y - t)))",
    "cosh",
    "overflow",
    "value",
    "200 - np.log(2.0)",
    slopes=True,
    y=[200.0],
    t=[0.0],
)
row(
    "triplet loss",
    ("d1 = mg.sqrt(mg.sum((a - p) ** 2))", "d2 = mg.sqrt(mg.sum((a - n) ** 2))", "return mg.maximum(0.0, d1 - d2 + 1)"),
    "sqrt",
    DOMAIN,
    "value",
    "1 - np.sqrt(0.5)",
    a=[0.5, 0.5],
    p=[0.5, 0.5],
    n=[0.0, 0.0],
)
row(
    "contrastive temperature 0",
    ("s = (a @ b) / t", "return mg.logsumexp(mg.stack([s, 0.0 * s]))"),
    "divide",
    DOMAIN + "|inf - inf|overflow",
    "",
    "",
    a=[1.0, 2.0],
    b=[1.0, 1.0],
    t=0.0,
)
row(
    "norm of zeros by hand",
    "mg.sqrt(mg.sum(x * x))",
    "sqrt",
    DOMAIN,
    "value",
    "0.0",
    x=[0.0, 0.0],
)
row(
    "unit vector of zeros",
    "mg.sum(x / mg.norm(x))",
    "divide norm",
    DOMAIN,
    "convention",
    "",
    x=[0.0, 0.0],
)
row(
    "cosine with a zero vector",
    "mg.sum(a * b) / mg.sqrt(mg.sum(a * a) * mg.sum(b * b))",
    "divide sqrt",
    DOMAIN,
    "convention",
    "",
    a=[0.0, 0.0],
    b=[1.0, 2.0],
)
row(
    "distance of a matrix to itself",
    ("D = X[:, None, :] - X[None, :, :]", "return mg.sum(mg.sqrt(mg.sum(D ** 2, axis=2)))"),
    "sqrt",
    DOMAIN,
    "value",
    "2 * np.sqrt(8.0)",
    X=[[0.0, 0.0], [2.0, 2.0]],
)
row(
    "angle with rounding",
    "mg.arccos((a @ b) / (mg.norm(a) * mg.norm(b)))",
    "arccos",
    DOMAIN,
    "value|convention",
    "0.0",
    a=[0.1, 0.2, 0.3],
    b=[0.1, 0.2, 0.3],
)
row(
    "arccos above 1",
    "mg.arccos(c)",
    "arccos",
    "domain",
    "convention",
    "",
    c=1.0000002,
)
row(
    "arcsin at 1",
    "mg.arcsin(s) ** 2",
    "arcsin",
    DOMAIN,
    "value",
    "np.pi**2 / 4",
    s=1.0,
)
row(
    "angle at the origin",
    "mg.arctan2(y, x)",
    "arctan2",
    DOMAIN,
    "convention",
    "",
    y=0.0,
    x=0.0,
)
row(
    "polar angle by arctan",
    "mg.arctan(y / x)",
    "divide",
    DOMAIN,
    "",
    "",
    y=2.0,
    x=0.0,
)
row(
    "slope of a vertical line",
    "(y[1] - y[0]) / (x[1] - x[0])",
    "divide",
    DOMAIN,
    "",
    "",
    y=[0.0, 1.0],
    x=[2.0, 2.0],
)
row(
    "haversine of one place",
    ("h = mg.sin((a - b) / 2) ** 2", "return 2 * mg.arcsin(mg.sqrt(h))"),
    "sqrt",
    DOMAIN,
    "value",
    "0.0",
    a=0.7,
    b=0.7,
)
row(
    "great circle through arccos",
    "mg.arccos(mg.sin(a) * mg.sin(a) + mg.cos(a) * mg.cos(a))",
    "arccos",
    DOMAIN,
    "value|convention",
    "0.0",
    a=0.3,
)
row(
    "tanh inverse of 1",
    "mg.arctanh(mg.tanh(x))",
    "arctanh tanh",
    "domain|0 * inf",
    "value",
    "30.0",
    slopes=True,
    x=30.0,
)
row(
    "complex modulus",
    "mg.sqrt(re ** 2 + im ** 2)",
    "sqrt",
    DOMAIN,
    "value",
    "0.0",
    re=0.0,
    im=0.0,
)
row(
    "length of a huge vector",
    "mg.sqrt(mg.sum(x ** 2))",
    "power square sum",
    "overflow",
    "value",
    "5e25",
    slopes=True,
    x=[3e25, 4e25],
)
row(
    "geometric mean",
    "mg.prod(x) ** (1 / 3)",
    "power prod",
    DOMAIN,
    "value",
    "0.0",
    x=[0.0, 2.0, 4.0],
)
row(
    "geometric mean through logs",
    "mg.exp(mg.mean(mg.log(x)))",
    "log",
    DOMAIN,
    "value",
    "0.0",
    x=[0.0, 2.0, 4.0],
)
row(
    "harmonic mean",
    "2 / (1 / a + 1 / b)",
    "divide",
    DOMAIN,
    "value",
    "0.0",
    a=0.0,
    b=4.0,
)
row(
    "z scores of a constant",
    "mg.sum(((x - mg.mean(x)) / mg.std(x)) ** 2)",
    "divide std",
    DOMAIN,
    "convention",
    "",
    x=[3.0, 3.0, 3.0],
)
row(
    "std of a constant",
    "mg.std(x)",
    "std",
    DOMAIN,
    "value",
    "0.0",
    x=[3.0, 3.0, 3.0],
)
row(
    "std by moments",
    "mg.sqrt(mg.mean(x ** 2) - mg.mean(x) ** 2)",
    "sqrt",
    DOMAIN,
    "value",
    "0.0",
    x=[0.1, 0.1, 0.1, 0.1, 0.1],
)
row(
    "coefficient of variation",
    "mg.std(x) / mg.mean(x)",
    "divide",
    DOMAIN,
    "",
    "",
    x=[-1.0, 1.0],
)
row(
    "correlation with a constant",
    ("u = x - mg.mean(x)", "v = y - mg.mean(y)", "return mg.sum(u * v) / mg.sqrt(mg.sum(u ** 2) * mg.sum(v ** 2))"),
    "divide sqrt",
    DOMAIN,
    "convention",
    "",
    x=[1.0, 1.0],
    y=[0.0, 2.0],
)
row(
    "skewness of a constant",
    ("u = x - mg.mean(x)", "return mg.mean(u ** 3) / mg.mean(u ** 2) ** 1.5"),
    "divide",
    DOMAIN,
    "convention",
    "",
    x=[2.0, 2.0],
)
row(
    "r squared of a constant",
    "1 - mg.sum((y - p) ** 2) / mg.sum((y - mg.mean(y)) ** 2)",
    "divide",
    DOMAIN,
    "",
    "",
    y=[1.0, 1.0],
    p=[0.0, 1.0],
)
row(
    "f1 of nothing",
    (
        "tp = mg.sum(p * t)",
        "precision = tp / mg.sum(p)",
        "recall = tp / mg.sum(t)",
        "return 2 * precision * recall / (precision + recall)",
    ),
    "divide",
    DOMAIN,
    "convention",
    "",
    p=[0.0, 0.0],
    t=[0.0, 0.0],
)
row(
    "dice of nothing",
    "2 * mg.sum(p * t) / (mg.sum(p) + mg.sum(t))",
    "divide",
    DOMAIN,
    "convention",
    "",
    p=[0.0, 0.0],
    t=[0.0, 0.0],
)
row(
    "masked mean of nothing",
    "mg.sum(m * x) / mg.sum(m)",
    "divide",
    DOMAIN,
    "convention",
    "",
    m=[0.0, 0.0],
    x=[1.0, 2.0],
)
row(
    "min max scaling of a constant",
    "mg.sum((x - mg.min(x)) / (mg.max(x) - mg.min(x)))",
    "divide",
    DOMAIN,
    "convention",
    "",
    x=[4.0, 4.0],
)
row(
    "where guards the value only",
    "mg.sum(mg.where(x > 0, mg.sqrt(x), 0.0))",
    "sqrt where",
    DOMAIN,
    "value",
    "2.0",
    x=[4.0, 0.0],
)
row(
    "where and log",
    "mg.sum(mg.where(x > 0, mg.log(x), 0.0))",
    "log where",
    DOMAIN,
    "value",
    "0.0",
    x=[1.0, -2.0],
)
row(
    "where and division",
    "mg.sum(mg.where(d == 0, 0.0, n / d))",
    "divide where",
    DOMAIN,
    "value",
    "0.5",
    n=[1.0, 1.0],
    d=[2.0, 0.0],
)
row(
    "where and exp",
    "mg.sum(mg.where(x > 50, x, mg.log(1 + mg.exp(x))))",
    "exp where",
    OVERFLOW + "|masked branch",
    "value",
    "100.0 + np.log(2)",
    x=[100.0, 0.0],
)
row(
    "where and power",
    "mg.sum(mg.where(x > 0, x ** 0.5, 0.0))",
    "power where",
    DOMAIN,
    "value",
    "3.0",
    x=[9.0, -4.0],
)
row(
    "mask by multiplication",
    "mg.sum(m * mg.log(x))",
    "log",
    DOMAIN,
    "value",
    "0.0",
    m=[1.0, 0.0],
    x=[1.0, 0.0],
)
row(
    "inf times mask",
    "mg.sum(m * mg.exp(x))",
    "exp",
    OVERFLOW,
    "value",
    "1.0",
    m=[1.0, 0.0],
    x=[0.0, 100.0],
)
row(
    "softmax by hand",
    ("e = mg.exp(z)", "return (e / mg.sum(e))[0]"),
    "exp",
    OVERFLOW,
    "value",
    "1.0",
    z=[100.0, 0.0],
)
row(
    "softmax with temperature by hand",
    ("e = mg.exp(z / t)", "return mg.sum(v * e / mg.sum(e))"),
    "exp",
    OVERFLOW,
    "value",
    "3.0",
    z=[10.0, 0.0],
    v=[3.0, 5.0],
    t=0.05,
)
row(
    "attention with every key masked",
    ("s = q @ mg.transpose(K) + m", "return mg.sum(mg.softmax(s) @ V)"),
    "softmax add",
    "inf - inf|" + DOMAIN,
    "convention",
    "",
    q=[1.0, 2.0],
    K=[[1.0, 0.0], [0.0, 1.0]],
    V=[[1.0, 2.0], [3.0, 4.0]],
    m=[float("-inf"), float("-inf")],
)
row(
    "attention with one key masked",
    ("s = q @ mg.transpose(K) + m", "return mg.sum(mg.softmax(s) @ V)"),
    "",
    "",
    "",
    "",
    q=[1.0, 2.0],
    K=[[1.0, 0.0], [0.0, 1.0]],
    V=[[1.0, 2.0], [3.0, 4.0]],
    m=[0.0, float("-inf")],
)
row(
    "logsumexp by hand",
    "mg.log(mg.sum(mg.exp(x)))",
    "exp",
    OVERFLOW,
    "value",
    "100.0 + np.log(2.0)",
    slopes=True,
    x=[100.0, 100.0],
)
row(
    "logsumexp of small",
    "mg.log(mg.sum(mg.exp(x)))",
    "log exp",
    DOMAIN,
    "value",
    "-200.0 + np.log(2.0)",
    slopes=True,
    x=[-200.0, -200.0],
)
row(
    "layer norm of equal",
    ("u = h - mg.mean(h)", "return mg.sum(g * u / mg.sqrt(mg.mean(u ** 2)))"),
    "divide sqrt",
    DOMAIN,
    "convention",
    "",
    h=[1.0, 1.0],
    g=[1.0, 2.0],
)
row(
    "batch norm of one row",
    ("u = X - mg.mean(X, axis=0)", "return mg.sum(u / mg.sqrt(mg.var(X, axis=0)))"),
    "divide sqrt var",
    DOMAIN,
    "convention",
    "",
    X=[[1.0, 2.0]],
)
row(
    "rms norm of zeros",
    "mg.sum(x / mg.sqrt(mg.mean(x ** 2)))",
    "divide sqrt",
    DOMAIN,
    "convention",
    "",
    x=[0.0, 0.0],
)
row(
    "rmsprop without epsilon",
    ("v = 0.9 * v0 + 0.1 * g ** 2", "return mg.sum(w - 0.1 * g / mg.sqrt(v))"),
    "divide sqrt",
    DOMAIN,
    "convention",
    "",
    v0=[0.0],
    g=[0.0],
    w=[1.0],
)
row(
    "adam without epsilon",
    ("m = 0.1 * g", "v = 0.001 * g * g", "return mg.sum(w - 0.01 * m / (v ** 0.5))"),
    "divide power",
    DOMAIN,
    "convention",
    "",
    g=[0.0, 1.0],
    w=[1.0, 1.0],
)
row(
    "gelu by hand overflows",
    "0.5 * x * (1 + mg.tanh(0.8 * (x + 0.044715 * x ** 3)))",
    "power",
    "overflow|0 * inf",
    "value",
    "1e13",
    x=10000000000000.0,
)
row(
    "silu by hand",
    "x / (1 + mg.exp(-x))",
    "exp",
    OVERFLOW,
    "value",
    "0.0",
    x=-120.0,
)
row(
    "mish by hand",
    "x * mg.tanh(mg.log(1 + mg.exp(x)))",
    "exp",
    OVERFLOW,
    "value",
    "120.0",
    slopes=True,
    x=120.0,
)
row(
    "swish gate product",
    "mg.exp(x) / (mg.exp(x) + mg.exp(-x))",
    "exp",
    OVERFLOW,
    "value",
    "1.0",
    x=95.0,
)
row(
    "tanh by hand",
    "(mg.exp(x) - mg.exp(-x)) / (mg.exp(x) + mg.exp(-x))",
    "exp",
    OVERFLOW,
    "value",
    "-1.0",
    x=-95.0,
)
row(
    "elu by hand",
    "mg.sum(mg.where(x > 0, x, mg.exp(x) - 1))",
    "exp where",
    OVERFLOW + "|masked branch",
    "value",
    "100.0",
    x=[100.0],
)
row(
    "sqrt at 0",
    "mg.sqrt(x)",
    "sqrt",
    DOMAIN,
    "value",
    "0.0",
    x=0.0,
)
row(
    "cube root of negative",
    "mg.sum(x ** (1 / 3))",
    "power",
    DOMAIN,
    "value|convention",
    "-2.0",
    x=[-8.0],
)
row(
    "power with negative base",
    "mg.sum(x ** p)",
    "power log",
    DOMAIN,
    "",
    "",
    x=[-2.0],
    p=[2.0],
)
row(
    "zero to the zero",
    "x ** y",
    "power log",
    DOMAIN,
    "value|convention",
    "1.0",
    x=0.0,
    y=0.0,
)
row(
    "x to the x",
    "x ** x",
    "power log",
    DOMAIN,
    "value|convention",
    "1.0",
    x=0.0,
)
row(
    "sinc by hand",
    "mg.sin(x) / x",
    "divide",
    DOMAIN,
    "value",
    "1.0",
    slopes=True,
    x=0.0,
)
row(
    "one minus cos",
    "(1 - mg.cos(x)) / x ** 2",
    "divide",
    DOMAIN,
    "value",
    "0.5",
    x=0.0,
)
row(
    "expm1 over x",
    "(mg.exp(x) - 1) / x",
    "divide",
    DOMAIN,
    "value",
    "1.0",
    x=0.0,
)
row(
    "log1p over x",
    "mg.log(1 + x) / x",
    "divide",
    DOMAIN,
    "value",
    "1.0",
    x=0.0,
)
row(
    "difference of poles",
    "1 / x - 1 / mg.sin(x)",
    "divide",
    DOMAIN + "|inf - inf",
    "value",
    "0.0",
    x=0.0,
)
row(
    "logit at 1",
    "mg.log(p / (1 - p))",
    "divide log",
    DOMAIN,
    "",
    "",
    p=1.0,
)
row(
    "bernoulli odds",
    "p / (1 - p)",
    "divide",
    DOMAIN,
    "",
    "",
    p=1.0,
)
row(
    "step from both sides",
    "mg.exp(1 / x) / (1 + mg.exp(1 / x))",
    "divide exp",
    DOMAIN + "|overflow|inf / inf",
    "",
    "",
    x=0.0,
)
row(
    "sign by division",
    "x / mg.abs(x)",
    "divide",
    DOMAIN,
    "convention",
    "",
    x=0.0,
)
row(
    "sin of one over x",
    "mg.sin(1 / x)",
    "divide sin",
    DOMAIN,
    "",
    "",
    x=0.0,
)
row(
    "bump function",
    "mg.exp(-1 / (1 - x ** 2))",
    "divide",
    DOMAIN,
    "",
    "",
    x=1.0,
)
row(
    "gauss of a pole",
    "mg.exp(-1 / x ** 2)",
    "divide",
    DOMAIN,
    "value",
    "0.0",
    x=0.0,
)
row(
    "x log x",
    "x * mg.log(x)",
    "log",
    DOMAIN,
    "value",
    "0.0",
    x=0.0,
)
row(
    "x times one over x",
    "x * (1 / x)",
    "divide",
    DOMAIN,
    "value",
    "1.0",
    x=0.0,
)
row(
    "square over itself",
    "x ** 2 / x",
    "divide",
    DOMAIN,
    "value",
    "0.0",
    x=0.0,
)
row(
    "inf minus inf",
    "mg.exp(a) - mg.exp(b)",
    "exp",
    "overflow|inf - inf",
    "value",
    "np.exp(100.0) - np.exp(90.0)",
    a=100.0,
    b=90.0,
)
row(
    "log ratio of exps",
    "mg.log(mg.exp(a) / mg.exp(b))",
    "exp",
    OVERFLOW,
    "value",
    "10.0",
    slopes=True,
    a=100.0,
    b=90.0,
)
row(
    "compound interest",
    "(1 + 1 / n) ** n",
    "divide power",
    DOMAIN,
    "value",
    "1.0",
    n=0.0,
)
row(
    "float16 square",
    "mg.mean(x ** 2)",
    "power square",
    "overflow",
    "value",
    "90000.0",
    dtype="float16",
    x=[300.0, 300.0],
)
row(
    "float16 exp",
    "mg.log(mg.sum(mg.exp(x)))",
    "exp",
    OVERFLOW,
    "value",
    "12.0",
    dtype="float16",
    x=[12.0],
)
row(
    "float16 sum",
    "mg.sum(x) / 4",
    "sum",
    "overflow",
    "value",
    "40000.0",
    dtype="float16",
    x=[40000.0, 40000.0, 40000.0, 40000.0],
)
row(
    "inverse of a singular matrix",
    "mg.sum(mg.inv(M) @ v)",
    "inv",
    "singular",
    "",
    "",
    M=[[1.0, 2.0], [2.0, 4.0]],
    v=[1.0, 1.0],
)
row(
    "log determinant of an underflow",
    "mg.log(mg.det(M))",
    "log det",
    DOMAIN,
    "value",
    "3 * np.log(1e-20)",
    M=[[1e-20, 0.0, 0.0], [0.0, 1e-20, 0.0], [0.0, 0.0, 1e-20]],
)
row(
    "training blows up",
    ("w = w0", "for _ in range(60):", "    w = w - 0.5 * (2 * x * (x * w - y))", "return mg.sum((x * w - y) ** 2)"),
    "power square multiply subtract",
    "overflow|inf - inf",
    "value|",
    "",
    w0=0.0,
    x=4.0,
    y=1.0,
)
row(
    "logistic map runs away",
    ("x = x0", "for _ in range(12):", "    x = 4.5 * x * (1 - x)", "return x"),
    "multiply",
    "overflow|inf - inf",
    "value|",
    "",
    x0=1.7,
)
row(
    "data with nan",
    "mg.mean((X @ w - y) ** 2)",
    "input",
    "input",
    "convention",
    "",
    X=[[1.0, float("nan")], [2.0, 1.0]],
    w=[1.0, 1.0],
    y=[1.0, 2.0],
)
row(
    "data with inf",
    "mg.std(x)",
    "input",
    "input",
    "convention",
    "",
    x=[1.0, float("inf"), 2.0],
)
