"""The values and slopes of elementwise ops keep their digits: compared with exact arithmetic, over the range of each
float.

An error of a few distances between floats is allowed, times the condition number: by how much more the true number
moves, relatively, than its argument. The error of a difference of nearly equal numbers, as in 1 - tanh(x)**2, is far
beyond that.
"""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import minigrad as mg
from minigrad.core.op import OPS
from tests.helpers.tables import over
from tests.helpers.true_slopes import TRUTH, derivatives

#: The tolerance, in distances between floats.
FEW = 8

CALLS = {name: op.call for name, op in OPS.items()} | {
    "digamma": lambda x: mg.ops.polygamma(0, x), "trigamma": lambda x: mg.ops.polygamma(1, x),
    "gelu_tanh": lambda x: mg.gelu(x, True),
}  # fmt: skip

#: Ops of two arguments.
TWO = {
    "logaddexp", "logaddexp2", "xlogy", "xlog1py", "divide", "multiply", "power", "hypot", "arctan2", "mod", "fmod",
    "sigmoid_cross_entropy",
}  # fmt: skip
GAMMA = {"gammaln", "digamma", "trigamma"}
#: Straight lines, up to a kink or a jump: the slope is a constant, which differences across the kink are not.
STRAIGHT = {"relu", "leaky_relu", "absolute", "deg2rad", "rad2deg", "mod", "fmod", "multiply"}

#: Numbers at which kinds of functions bend, saturate or have poles.
SPECIAL = [0.25, 0.5, 1, 2, 3, 2.5, np.pi, np.pi / 2, 1e-3, 1.5e-3, 0.9, 0.99, 1.1, 9.01, 9.5, 12, 15, 17, 19.5, 25, 50]
SPECIAL += [88, 100, 300, 700, 740, 1.4616321, 0.997, 1.003]


def points(name, dtype):
    """Numbers of all sizes and both signs, and some near 1."""
    info = np.finfo(dtype)
    low, high = np.log10(float(info.smallest_subnormal)), np.log10(float(info.max))
    if name in TWO:
        sizes = [float(info.tiny) * 1e3, 0.3, 0.999, 2.5, 20, 900, 10 ** (high / 2 - 1)]
    else:
        ends = [float(info.smallest_subnormal), float(info.tiny), float(info.eps), float(info.max) / 4]
        decades = [
            *10 ** np.linspace(low + 1, -2, 14),
            *10 ** np.linspace(-2, 2, 48),
            *10 ** np.linspace(2, high - 1, 9),
        ]
        sizes = [*ends, *decades, *SPECIAL, 1 - float(info.epsneg), 1 + float(info.eps), 0.5 + float(info.eps)]
    with np.errstate(over="ignore"):
        numbers = np.unique(np.array([*sizes, *np.negative(sizes)]).astype(dtype))
    numbers = numbers[np.isfinite(numbers) & (numbers != 0)]
    if name in GAMMA:
        whole = (numbers < 0) & (np.round(numbers) == numbers)
        numbers = numbers[(np.abs(numbers) > 1e-25) & (numbers < 1e18) & (numbers > -60) & ~whole]
    if name not in TWO:
        return [numbers]
    a, b = (column.ravel() for column in np.meshgrid(numbers, numbers))
    kept = (b >= 0) & (b <= 1) if name == "sigmoid_cross_entropy" else np.ones(len(a), bool)
    kept &= (np.abs(b) > 0.1) & (np.abs(a) < 1e6) if name == "power" else True
    kept &= np.hypot(a, b) > 1e-3 if name == "arctan2" else True  # nearer to the origin a slope of order 2 overflows
    return [a[kept], b[kept]]


def computed(f, columns, orders):
    """By order, the partial derivatives of `f` at each point."""
    xs = [mg.constant(column) for column in columns]
    by_order = {(0,) * len(xs): f(*xs)}
    for order in sorted(orders, key=sum)[1:]:
        i = max(k for k, n in enumerate(order) if n)
        before = tuple(n - (k == i) for k, n in enumerate(order))
        (g,) = mg.gradients(by_order[before], [xs[i]])
        by_order[order] = mg.constant(np.zeros_like(columns[0])) if g is None else g
    return {order: np.broadcast_to(y.value, columns[0].shape) for order, y in by_order.items()}


def spacing(y, info):
    return max(abs(y) * mpf(float(info.eps)), mpf(float(info.smallest_subnormal)))


def condition(f, numbers, order, y, info):
    """The sum over the arguments of the relative change of the derivative by their relative change."""
    total = mpf(0)
    for i, x in enumerate(numbers):
        step = abs(mpf(x)) * mpf(float(info.eps))
        moved = [[mpf(z) + sign * step * (k == i) for k, z in enumerate(numbers)] for sign in (1, -1)]
        around = [derivatives(f, m, [order])[0] for m in moved]
        if any(map(mpmath.isnan, around)):
            return mpf("inf")
        total += max(abs(z - y) for z in around) / spacing(y, info)
    return total


def right(got, y, info):
    """Whether `got` is within a few distances between floats of `y`; anything passes if there is no true number."""
    if mpmath.isnan(y):
        return True
    if abs(y) < float(info.tiny):  # subnormal: its operand has few digits itself
        return bool(abs(got) < 2 * float(info.tiny))
    if abs(y) > float(info.max) * 0.99:
        return not abs(got) < float(info.max) * 0.9  # nan where the slope of lower order is inf
    return np.isfinite(got) and abs(mpf(float(got)) - y) <= FEW * spacing(y, info)


def lost(name, dtype):
    """The points at which the value or a slope has lost its digits."""
    f, columns, info = TRUTH[name], points(name, dtype), np.finfo(dtype)
    orders = [(0,), (1,), (2,)] if name not in TWO else [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
    orders = [order for order in orders if name not in STRAIGHT or not sum(order)]
    by_order = computed(CALLS[name], columns, orders)
    with mpmath.workdps(60):
        for k, numbers in enumerate(zip(*[map(float, column) for column in columns])):
            for order, y in zip(orders, derivatives(f, numbers, orders)):
                got = by_order[order][k]
                if not right(got, y, info):
                    allowed = FEW * (1 + condition(f, numbers, order, y, info)) * spacing(y, info)
                    if not (np.isfinite(got) and abs(mpf(float(got)) - y) <= allowed) and allowed < mpf("inf"):
                        yield f"{order} at {numbers}: {float(got):.9g} for {mpmath.nstr(y, 10)}"


@over(list(TRUTH), ["float64", "float32"], quick=2)
def test_values_and_slopes_of_orders_1_and_2_keep_their_digits(name, dtype):
    assert list(lost(name, dtype)) == []


@pytest.mark.parametrize(("name", "wrong"), [
    ("sigmoid", lambda g, y, a: g * (y * (1 - y))), ("tanh", lambda g, y, a: g * (1 - y * y)),
    ("expm1", lambda g, y, a: g * (y + 1)), ("arcsinh", lambda g, y, a: g / mg.sqrt(1 + a * a)),
])  # fmt: skip
def test_a_difference_of_nearly_equal_numbers_would_be_found(name, wrong, monkeypatch):
    monkeypatch.setattr(OPS[name], "vjps", (wrong,))
    assert list(lost(name, "float32"))


def test_every_elementwise_op_with_a_curved_graph_is_in_the_table():
    left = {
        "where",
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "clip",
        "nan_to_num",
        "add",
        "subtract",
        "negative",
        "positive",
    }
    left |= {
        "sign",
        "identity",
        "copy",
        "astype",
        "polygamma",
        "sigmoid_slope",
        "tanh_slope",
        "cosine",
        "sinc_derivative",
    }
    assert {op.name for op in OPS.values() if op.elementwise and op.kind != "constant"} - TRUTH.keys() == left


FAR = [[20.0, 0.0], [0.0, 20.0], [3.0, -15.0, -16.0], [-1.0, -30.0], [0.3, 0.1, -0.2], [8.0, 8.0, -9.0]]


def exact_probabilities(x):
    e = [mpmath.exp(mpf(v)) for v in x]
    return [v / mpmath.fsum(e) for v in e]


@over(FAR, ["float32", "float64"])
def test_softmax_and_its_kin_keep_their_digits_where_one_score_wins(x, dtype):
    with mpmath.workdps(60):
        p, n = exact_probabilities(x), len(x)
        slopes = [
            [p[i] * (mpmath.fsum(p[k] for k in range(n) if k != i) if i == j else -p[j]) for j in range(n)]
            for i in range(n)
        ]
        of_logs = [
            [(i == j) - p[j] if i != j else mpmath.fsum(p[k] for k in range(n) if k != i) for j in range(n)]
            for i in range(n)
        ]
        logs = [mpmath.log(v) for v in p]
        total = mpmath.log(mpmath.fsum(mpmath.exp(mpf(v)) for v in x))
        want = [np.array(table, object).astype(float) for table in (p, slopes, logs, of_logs, [total], p, slopes)]
    x = np.array(x, dtype)
    got = [mg.softmax(x), mg.jacobian(mg.softmax)(x), mg.log_softmax(x), mg.jacobian(mg.log_softmax)(x)]
    got += [mg.logsumexp(x), mg.grad(mg.logsumexp)(x), mg.hessian(mg.logsumexp)(x)]
    for y, true in zip(got, want):
        np.testing.assert_allclose(np.reshape(y, true.shape), true, rtol=64 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_second_derivatives_of_softmax_keep_their_digits(dtype):
    small = 1 / (1 + mpmath.exp(20)) / (1 + mpmath.exp(-20)) * mpmath.tanh(10)
    got = mg.hessian(lambda x: mg.softmax(x)[0])(np.array([20.0, 0.0], dtype))
    np.testing.assert_allclose(got, float(small) * np.array([[-1, 1], [1, -1]]), rtol=64 * np.finfo(dtype).eps)


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_the_binary_cross_entropy_of_a_sure_answer_keeps_its_digits(label):
    x = np.float32(20 if label else -20)
    f = lambda x: mg.ops.sigmoid_cross_entropy(x, np.float32(label))
    np.testing.assert_allclose(f(x), np.log1p(np.exp(-20.0)), rtol=1e-6)
    np.testing.assert_allclose(mg.grad(f)(x), -np.sign(x) * np.exp(-20.0), rtol=1e-6)


@pytest.mark.parametrize(("dtype", "one", "flat"), [("float32", 10, 53), ("float64", 20, 374)])
def test_the_page_of_tanh_says_where_it_is_saturated(dtype, one, flat):
    assert f"above {one} in float32" in mg.tanh.__doc__ or f", {one} in float64" in mg.tanh.__doc__
    assert f"above {flat} in float32" in mg.tanh.__doc__ or f", {flat} in float64" in mg.tanh.__doc__
    x = np.linspace(one, 1000, 5001, dtype=dtype)
    assert np.all(mg.tanh(x) == 1)
    slopes = lambda x: mg.grad(lambda x: mg.sum(mg.tanh(x)))(np.asarray(x, dtype))
    assert np.all(slopes(x[x > flat]) == 0)
    near = np.linspace(one, flat - 10, 50, dtype=dtype)
    np.testing.assert_allclose(slopes(near), 4 * np.exp(-2 * near.astype(float)), rtol=1e-5)


def test_the_page_of_exp_says_where_it_overflows():
    for dtype, limit, below in (("float32", 88.73, 88.72), ("float64", 709.79, 709.78), ("float16", 11.1, 11.08)):
        with np.errstate(over="ignore"):
            assert np.isinf(mg.exp(np.asarray(limit, dtype)))
            assert np.isfinite(mg.exp(np.asarray(below, dtype)))
        assert f"{limit} in {dtype}" in mg.exp.__doc__
