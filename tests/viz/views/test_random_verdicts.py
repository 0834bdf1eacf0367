"""Random functions with right and wrong rules: what compare and curves say about them, next to central differences.

The oracle is NumPy alone: each function is written a second time with it, and its gradient is measured in float64.
"""

import re

import numpy as np
import pytest

import minigrad as mg
import viz

SMOOTH = {  # in minigrad, its slope there, and in NumPy
    "sin": (mg.sin, mg.cos, np.sin),
    "exp": (mg.exp, mg.exp, np.exp),
    "tanh": (mg.tanh, lambda z: 1 - mg.tanh(z) ** 2, np.tanh),
    "cube": (lambda z: z * z * z, lambda z: 3 * z * z, lambda z: z**3),
    "softplus": (
        lambda z: mg.log1p(mg.exp(z)),
        lambda z: 1 / (1 + mg.exp(-z)),
        lambda z: np.log1p(np.exp(z)),
    ),
    "root": (
        lambda z: mg.sqrt(4 + z * z),
        lambda z: z / mg.sqrt(4 + z * z),
        lambda z: np.sqrt(4 + z * z),
    ),
}
ONES = lambda u: 0 * u + 1.0
#: The results of right and wrong rules, from the upstream gradient u, the slopes s and the matrix w.
RIGHT = {
    "as it is": lambda u, s, w, x: (u * s) @ w.T,
    "sum": lambda u, s, w, x: mg.sum(u * s * w, axis=1),
    "twice half": lambda u, s, w, x: 2 * ((0.5 * u * s) @ w.T),
}
WRONG = {
    "sign": lambda u, s, w, x: -((u * s) @ w.T),
    "factor": lambda u, s, w, x: ((1 + 1e-3) * u * s) @ w.T,
    "transposed": lambda u, s, w, x: (u * s) @ w,
    "one entry": lambda u, s, w, x: ((u * s) @ w.T) * (1 + 0.3 * np.eye(3)[1]),
    "forgets upstream": lambda u, s, w, x: (ONES(u) * s) @ w.T,
    "clips upstream": lambda u, s, w, x: (mg.clip(u, -9.0, 9.0) * s) @ w.T,
    "size of upstream": lambda u, s, w, x: (mg.abs(u) * s) @ w.T,
    "one dtype": lambda u, s, w, x: ((1.5 if x.dtype == np.float32 else 1.0) * u * s) @ w.T,
    "no slope": lambda u, s, w, x: u @ w.T,
    "here only": lambda u, s, w, x: (u * s.numpy()) @ w.T,
}


def smooth(rng, wrong):
    """y = f(x @ w) of three numbers: the function in minigrad, the rule, the function in NumPy, the point."""
    kind = str(rng.choice([*SMOOTH]))
    f, slope, plain = SMOOTH[kind]
    w, x = rng.uniform(0.3, 1.5, (3, 3)) * rng.choice([-1, 1], (3, 3)), rng.uniform(-1, 1, 3)
    mistake = str(rng.choice([*(WRONG if wrong else RIGHT)]))
    rule, dtype = (WRONG if wrong else RIGHT)[mistake], np.float64
    x = x.astype(np.float32 if mistake == "one dtype" or rng.random() < 0.3 else dtype)
    frozen = slope(mg.constant(x) @ w.astype(x.dtype))

    def value(x):
        return f(x @ w.astype(x.dtype))

    def grad(u, x):
        m = w.astype(x.dtype)
        return rule(u, frozen.astype(x.dtype) if mistake == "here only" else slope(x @ m), m, x)

    return f"{kind}, {mistake}", value, grad, lambda x: plain(x @ w), x


def tie_weights(weights):
    def grad(u, x):
        mine = mg.where(x == mg.reduce_max(x), 1.0, 0.0) * weights
        return u * mine / (mg.sum(mine) if weights[-1] > 0 else 1.0)

    return grad


def bent(rng, wrong):
    """A function at a kink, as the one above."""
    n, t = int(rng.integers(2, 4)), float(rng.uniform(0.1, 0.9))
    t = float(rng.choice([-0.3, 1.2, 1.001])) if wrong else t
    x = np.full(n, float(rng.uniform(-1, 1)))
    signs = rng.choice([-1.0, 1.0], n)
    if rng.random() < 0.25 and not wrong:
        signs = np.ones(n)
    step = lambda z: mg.where(z > 0, 1.0, mg.where(z < 0, 0.0, t))
    spread = np.append(rng.uniform(0.2, 1, n - 1), -1.0) if wrong else rng.uniform(0.2, 1, n)
    kinds = {
        "tie of max": (mg.reduce_max, tie_weights(spread), np.max),
        "relu of a sum": (
            lambda x: mg.relu(mg.sum(x * signs)),
            lambda u, x: u * step(mg.sum(x * signs)) * signs,
            lambda x: np.maximum((x * signs).sum(), 0),
        ),
        "relu of each": (lambda x: mg.relu(x), lambda u, x: u * step(x), lambda x: np.maximum(x, 0)),
        "distance": (
            lambda x: mg.abs(x[0] - x[1]),
            lambda u, x: (
                u * (2 * step(x[0] - x[1]) - 1) * np.eye(n)[0] - u * (2 * step(x[0] - x[1]) - 1) * np.eye(n)[1]
            ),
            lambda x: np.abs(x[0] - x[1]),
        ),
        "one of two": (
            lambda x: mg.maximum(x[0], x[1]),
            lambda u, x: u * (step(x[0] - x[1]) * np.eye(n)[0] + step(x[1] - x[0]) * np.eye(n)[1]),
            lambda x: np.maximum(x[0], x[1]),
        ),
    }
    kind = str(rng.choice([*kinds]))
    if kind == "one of two" and not wrong:
        t = 0.5
    if kind.startswith("relu"):
        x = np.zeros(n)
    return f"{kind}, {t:.4g}, {spread}", *kinds[kind], x


def pair(i):
    rng = np.random.default_rng([36, i])
    return (bent if i % 5 == 0 else smooth)(rng, i % 2 == 1)


def jacobian(f, x, step=1e-5):
    x = np.asarray(x, np.float64)
    return np.stack([(f(x + d) - f(x - d)) / (2 * step) for d in step * np.eye(len(x))], axis=-1)


def sides(f, x, u, d, step=1e-6):
    left, right = ((u * (f(x + s * d) - f(x))).sum() / s for s in (-step, step))
    return min(left, right), max(left, right)


def is_right(grad, f, x):
    """Whether a rule is right: at the point and beside it, for several upstream gradients, in the dtype of x too."""
    rng = np.random.default_rng(0)
    for place in (x, x + 0.5, x - 0.5):
        y = np.asarray(f(np.asarray(place, np.float64)))
        for u in (np.ones(y.shape), *(k + rng.uniform(0, 1, y.shape) for k in (2.0, -1.5, 64.0))):
            for dtype, room in {(np.dtype(np.float64), 1e-5), (x.dtype, 1e-3 if x.dtype == np.float32 else 1e-5)}:
                got = grad(mg.constant(u.astype(dtype)), mg.constant(place.astype(dtype))).numpy()
                directions = [*np.eye(3)[: len(x), : len(x)], np.ones(len(x)), *rng.normal(size=(30, len(x)))]
                for d in directions:
                    low, high = sides(f, np.asarray(place, np.float64), u, d)
                    size = np.abs(u) @ np.abs(jacobian(f, place)) @ np.abs(d) if y.shape else max(abs(low), abs(high))
                    if not low - room * size - 1e-5 <= got @ d <= high + room * size + 1e-5:
                        return False
    return True


SAYS_RIGHT = re.compile(r"both are right|they agree:|finite and right")


def test_compare_calls_no_wrong_rule_right_and_no_right_one_wrong(sampled):
    unknown = []
    for i in sampled(range(300), 40):
        name, value, grad, f, x = pair(i)
        right = is_right(grad, f, x)
        assert right == (i % 2 == 0), f"pair {i} is not what it should be: {name}"
        custom = mg.custom_gradient(lambda x, value=value, grad=grad: (value(x), lambda u: grad(u, x)))
        view = viz.compare(custom, x, drag=False)
        (row,) = view.rows
        said = view.point, row.verdict, view.to_text(), view.to_html() if i % 20 < 2 else ""
        if row.verdict.startswith("no reference"):
            unknown.append((i, name, row.verdict))
        elif right:
            assert row.kind.startswith("both right"), (i, name, row.verdict)
            assert "iffer" not in view.point or "both right, " in row.kind, (i, name, view.point)
        else:
            assert not row.kind.startswith("both right"), (i, name, row.verdict)
            assert not any(map(SAYS_RIGHT.search, said)), (i, name, said[0], row.verdict)
            assert row.verdict[1:] in view.point and row.verdict in view.to_text(), (i, name)
    assert not unknown, unknown


SCALAR_MISTAKES = {
    "sign": lambda u, s, x, t: -u * s,
    "factor": lambda u, s, x, t: 1.001 * u * s,
    "from a point on": lambda u, s, x, t: u * mg.where(x > t, 1.1, 1.0) * s,
    "one dtype": lambda u, s, x, t: u * s * (1.3 if x.dtype == np.float32 else 1.0),
    "upstream": lambda u, s, x, t: u * s + 1.0,
}


@pytest.mark.parametrize("wrong", [False, True])
def test_curves_calls_no_wrong_rule_right_and_no_right_one_wrong(wrong, sampled):
    pytest.importorskip("matplotlib")
    for i in sampled(range(40), 4):
        rng = np.random.default_rng([37, i])
        kind, mistake = str(rng.choice([*SMOOTH])), str(rng.choice([*SCALAR_MISTAKES]))
        f, slope, _ = SMOOTH[kind]
        rule = SCALAR_MISTAKES[mistake] if wrong else lambda u, s, x, t: u * s
        low = float(rng.uniform(-2, 0))
        t = low + float(rng.uniform(0.2, 1))

        def one(x, f=f, slope=slope, rule=rule, t=t):
            return f(x), lambda u: rule(u, slope(x), x, t)

        dtype = "float32" if mistake == "one dtype" else str(rng.choice(["float32", "float64"]))
        view = viz.curves(mg.custom_gradient(one), x=(low, low + 2.0), points=12, dtype=dtype)
        assert ("custom is wrong" in view.summary) == wrong, (i, kind, mistake, view.summary)
        assert bool(SAYS_RIGHT.search(str(view))) == (not wrong), (i, kind, mistake, str(view))
        assert ("custom wrong" in view.to_text()) == wrong, (i, kind, mistake)
