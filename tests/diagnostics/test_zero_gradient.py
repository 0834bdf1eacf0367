"""Why a gradient is 0: the op, its line and the reason; each sentence is true, and near misses have another."""

import re

import mpmath
import numpy as np
import pytest

import minigrad as mg
from minigrad.tracing.user_lines import remember_lines
from tests.helpers.tables import over

V = [1.0, 2.0]
MASK = np.array([0.0, 0.0], np.float32)
#: A function, its argument, and the reason and the op of its gradient of 0.
ZEROS = {
    "a silent relu": (lambda x: mg.sum(mg.relu(x)), [-3.0, -1.0], "slope 0", "relu"),
    "outside of a clip": (lambda x: mg.clip(x, 0.0, 1.0), 3.3, "slope 0", "clip"),
    "a square at 0": (lambda x: mg.sum(x**2), [0.0, 0.0], "slope 0", "power"),
    "a cosine at 0": (mg.cos, 0.0, "slope 0", "cos"),
    "a variance of equals": (mg.var, [2.0, 2.0], "slope 0", "var"),
    "a product with itself": (lambda x: x * x, 0.0, "factor 0", "multiply"),
    "a matrix of zeros": (lambda x: mg.sum(mg.matmul(np.zeros((2, 2), np.float32), x)), V, "factor 0", "matmul"),
    "a mask": (lambda x: mg.sum(x * MASK), V, "masked", "multiply"),
    "a where": (lambda x: mg.sum(mg.where(np.array([True, True]), mg.constant(V), x)), V, "masked", "where"),
    "a saturated sigmoid": (lambda x: mg.sum(mg.sigmoid(x)), [-2000.0, 2000.0], "saturated", "sigmoid"),
    "an exp that underflows": (lambda x: mg.exp(-x * x), 20.0, "saturated", "exp"),
    "a sure softmax": (lambda x: mg.softmax(x)[0], [900.0, 0.0], "saturated", "softmax"),
    "a slope that underflows": (lambda x: mg.sum(x**3), [1e-25, 1e-30], "rounding", "power"),
    "an elu far below 0": (lambda x: mg.sum(mg.elu(x)), [-300.0, -200.0], "rounding", "elu"),
    "a denominator of inf": (lambda x: x / mg.constant(np.inf), 3.0, "factor 0", "divide"),
    "a mask of a softmax": (lambda x: mg.sum(mg.softmax(x)[0]), [3.0, -np.inf], "rule", "softmax"),
    "weights of an element that is taken twice": (
        lambda x: mg.sum(mg.take(x, np.array([0, 0])) * mg.constant([1.0, -1.0])), V, "cancels", "getitem",
    ),
    "a product that underflows": (lambda x: (x * 1e-30) * 1e-30, 3.0, "rounding", "multiply"),
    "two ways that cancel": (lambda x: x - x, 3.0, "cancels", ""),
    "a sum of probabilities": (lambda x: mg.sum(mg.softmax(x) * 2), V, "cancels", "softmax"),
    "a broadcast that cancels": (lambda x: mg.sum(mg.constant([1.0, -1.0]) * x), 3.3, "cancels", "multiply"),
    "a stop": (lambda x: mg.stop_gradient(x) + x * 0, 3.0, "cut", "stop_gradient"),
}  # fmt: skip
#: Programs that are almost those above, but whose gradient is not 0.
OTHERS = {
    "one unit is active": (lambda x: mg.sum(mg.relu(x)), [-3.0, 1.0]),
    "one is inside": (lambda x: mg.sum(mg.clip(x, 0.0, 1.0)), [3.3, 0.5]),
    "the mask has a 1": (lambda x: mg.sum(x * np.array([0.0, 1.0], np.float32)), V),
    "the ways differ by a bit": (lambda x: x - x * 1.0000001, 3.0),
    "weights of probabilities": (lambda x: mg.sum(mg.softmax(x) * np.array([2.0, 2.001], np.float32)), V),
    "a small product": (lambda x: (x * 1e-20) * 1e-20, 3.0),
}


def of(f, x, dtype="float32"):
    x = mg.constant(x, dtype=dtype)
    y = f(x)
    return mg.explain_zero(y, x), np.asarray(mg.gradients(y, [x])[0].value)


@over([(name, *row) for name, row in ZEROS.items()])
def test_the_reason_and_the_op(name, f, x, reason, op):
    explanation, gradient = of(f, x)
    assert not gradient.any(), "as the table means it"
    assert explanation and (explanation.reason, explanation.op) == (reason, op)
    assert str(explanation).startswith("the gradient of x is 0: ")


@over([(name, *row) for name, row in OTHERS.items()])
def test_a_gradient_with_one_number_other_than_0_is_not_explained_away(name, f, x):
    explanation, gradient = of(f, x)
    count = np.count_nonzero(gradient)
    assert not explanation and explanation.reason == "not zero"
    assert str(explanation) == f"the gradient of x is not 0: {count} of {gradient.size} elements are not"


#: The slope of an op in mpmath, and numbers at which the slope in float32 is 0 or nearly 0.
SLOPES = {
    "exp": (mpmath.exp, [-300, -90, 3]), "square": (lambda v: 2 * v, [0, 1e-45, 5e-46]),
    "elu": (lambda v: 1 if v > 0 else mpmath.exp(v), [-300, -800, 2]), "relu": (lambda v: v > 0, [-3, -1e-40, 0]),
    "power": (lambda v: 3 * v * v, [0, 1e-25, -1e-30]), "cos": (lambda v: -mpmath.sin(v), [0, 1e-40]),
    "tanh": (lambda v: 1 / mpmath.cosh(v) ** 2, [20, -90]), "sign": (lambda v: 0, [2.5, 0]),
    "sigmoid": (lambda v: 1 / (2 + 2 * mpmath.cosh(v)), [120, -300]), "absolute": (mpmath.sign, [0, 1e-40]),
    "reciprocal": (lambda v: -1 / mpmath.mpf(v) ** 2, [1e30, -1e25, 3]), "clip": (lambda v: 0, [-4, 7]),
}  # fmt: skip
CALLS = {"power": lambda x: x**3, "clip": lambda x: mg.clip(x, 0.0, 1.0)}


@over([(name, slope, at) for name, (slope, points) in SLOPES.items() for at in points])
def test_a_slope_is_called_0_only_where_it_is(name, slope, at):
    """Compared with mpmath: "is 0" without a dtype means the slope itself, not what rounding leaves of it."""
    explanation, gradient = of(CALLS.get(name) or getattr(mg, name), at)
    exact, text = slope(mpmath.mpf(float(np.float32(at)))), str(explanation)
    assert bool(explanation) == (not gradient.any())
    if explanation and exact:
        assert not re.search(r"slope .* is 0$", text.partition("; in float64")[0])
    if "slope" in text and not exact:
        assert "is 0" in text and "rounded" not in text


@over([(name, row[0], row[1]) for name, row in ZEROS.items()])
def test_what_it_is_in_float64_is_told_only_where_it_is_something_else(name, f, x):
    text = str(of(f, x)[0])
    wide = of(f, x, "float64")[1]
    exact = wide.ravel()[np.argmax(np.abs(wide))]
    assert ("in float64 it is" in text) == bool(exact)
    if exact:
        assert float(text.rpartition(" ")[2]) == pytest.approx(exact, rel=1e-3)


def test_each_way_is_told_with_its_own_end():
    x = mg.constant(3.3)
    explanation = mg.explain_zero(mg.maximum(x, 5.0) + mg.relu(-x), x)
    assert "the slope of maximum at 3.3 is 0" in str(explanation) and "the slope of relu at -3.3 is 0" in str(
        explanation
    )


def test_an_op_that_sends_something_is_not_blamed_for_one_that_does_not():
    x = mg.constant([-1.0, -2.0])
    dead = mg.relu(x)
    explanation = mg.explain_zero(mg.sum(mg.sigmoid(dead * 3.0) * 2.0), x)
    assert explanation.op == "relu" and "sigmoid" not in str(explanation)


def test_a_slope_that_is_lost_only_where_nothing_arrives_is_not_the_reason():
    """The relu is silent where the mask has a 0, and active where it has a 0 too: the mask is the reason."""
    x = mg.constant([-1.0, 2.0])
    explanation = mg.explain_zero(mg.sum(mg.relu(x) * np.zeros(2, np.float32)), x)
    assert (explanation.reason, explanation.op) == ("masked", "multiply") and "relu" not in str(explanation)


def test_the_line_is_told():
    remember_lines()
    try:
        x = mg.constant(-3.0)
        y = mg.relu(x)
    finally:
        remember_lines(False)
    explanation = mg.explain_zero(y, x)
    assert explanation.line.text == "y = mg.relu(x)" and "y = mg.relu(x)" in str(explanation)


def test_a_rule_of_the_users_that_returns_0_is_named():
    @mg.custom_gradient
    def quiet(x):
        return x * 2.0, lambda g: g * 0.0

    x = mg.constant(3.0)
    explanation = mg.explain_zero(quiet(x), x)
    assert explanation.reason == "rule" and "quiet" in str(explanation)


def test_a_gradient_of_none_is_that_of_explain_none():
    x = mg.constant(3.0)
    y = mg.stop_gradient(x) * 2.0
    assert mg.explain_zero(y, x) == mg.explain_none(y, x)
    with pytest.raises(TypeError, match="x must be a Tensor"):
        mg.explain_zero(y, 3.0)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_false_or_name_an_op_at_which_the_gradient_ends(seed):
    """An independent pass: what the named op receives is not 0, and what it sends towards x is."""
    rng = np.random.default_rng(seed)
    x = mg.constant(rng.choice([-1.0, 0.0, 0.5, 2.0], 3).astype(np.float32))
    y = x
    steps = [
        mg.relu,
        lambda h: h * rng.integers(0, 2, 3).astype(np.float32),
        lambda h: mg.clip(h, 0.0, 1.0),
        lambda h: h**2,
        lambda h: mg.where(rng.integers(0, 2, 3) > 0, h, 0.0),
        mg.sin,
        lambda h: h - 0.5,
    ]
    for k in rng.integers(0, len(steps), 4):
        y = steps[k](y)
    explanation = mg.explain_zero(mg.sum(y), x)
    gradient = mg.gradients(mg.sum(y), [x])[0].value
    assert bool(explanation) == (not gradient.any())
    if explanation:
        assert explanation.op in {"relu", "multiply", "clip", "power", "where"}


# Programs of other frameworks.


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
def test_a_dead_layer_of_pytorch_is_told_for_each_parameter_whose_gradient_is_0():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    with torch.no_grad():
        net[0].bias.fill_(-50.0)
    explanation = mg.explain_zero(net, torch.randn(5, 3))
    assert (explanation.reason, explanation.op) == ("slope 0", "relu")
    assert str(explanation).startswith("the gradients of 0.weight, 0.bias are 0: the slope of relu at 20 numbers from ")
    assert "the gradient of 2.weight is 0: the other factor of matmul is 0" in str(explanation)
    with torch.no_grad():
        net[0].bias[2] = 50.0
    assert not mg.explain_zero(net[:2], torch.randn(5, 3))


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
def test_what_pytorch_and_jax_send_as_0():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.tensor([20.0, -200.0], requires_grad=True)
    assert mg.explain_zero(lambda x: torch.sigmoid(x * 10).sum(), x).reason == "saturated"
    assert mg.explain_zero(lambda x: torch.clamp(x, 0, 1).sum(), x).op == "clip"
    assert "round" in str(mg.explain_zero(lambda x: torch.round(x).sum(), x))
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = jax.numpy.array([-1.0, -2.0])
    assert mg.explain_zero(lambda x: jax.numpy.where(x > 0, x, 0.0).sum(), x).reason == "masked"
    assert not mg.explain_zero(lambda x: jax.nn.relu(-x).sum(), x)


def test_an_empty_gradient_is_not_0():
    x = mg.constant(np.zeros((0, 3)))
    found = mg.explain_zero(mg.sum(x * 2), x)
    assert not found and str(found) == "x has no elements, and so has its gradient"
