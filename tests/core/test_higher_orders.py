"""Derivatives of any order through a user's rules equal those of the same functions without rules.

Each program is differentiated by `gradients` of `gradients`, by `grad` of `grad`, by tapes in tapes, and by mixtures of
them. Its twin has no rule, and its first derivatives are compared with finite differences.
"""

import os

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.random_rules import ONE_INPUT, SIZE, TWO_INPUTS, program

pytestmark = pytest.mark.filterwarnings("ignore")


def zero(tensor):
    return np.zeros(SIZE) if tensor is None else np.asarray(tensor.value)


def along(gradients, directions):
    """The sum of gradients times directions; gradients that are None count as 0."""
    return mg.add_n([mg.sum(g * d) for g, d in zip(gradients, directions) if g is not None])


def by_gradients(f, xs, directions):
    """The gradients of three orders: the second and third are gradients of a derivative along a direction."""
    y = f(*xs)
    for direction in [*directions, None]:
        slopes = mg.gradients(y, xs)
        yield [*map(zero, slopes)]
        if direction is None or all(slope is None for slope in slopes):
            return
        y = along(slopes, direction)


def by_grad(f, xs, directions):
    for direction in [*directions, None]:
        gradient = mg.grad(f, argnums=(0, 1))
        yield [*map(zero, gradient(*xs))]
        f = lambda x, z, gradient=gradient, direction=direction: along(gradient(x, z), direction)


def by_tapes(f, xs, directions):
    results = []

    def slopes(order):
        with mg.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs) if order == 0 else along(slopes(order - 1), directions[order - 1])
        gradient = [mg.zeros_like(x) if g is None else g for x, g in zip(xs, tape.gradient(y, xs))]
        results.append([*map(zero, gradient)])
        return gradient

    slopes(len(directions))
    return results


def by_gradients_inside_of_grad(f, xs, directions):
    first = lambda x, z: along(mg.gradients(f(x, z), [x, z]), directions[0])
    yield [*map(zero, mg.gradients(f(*xs), xs))]
    yield from by_grad(first, xs, directions[1:])


def by_gradients_inside_of_tapes(f, xs, directions):
    first = lambda x, z: along(mg.gradients(f(x, z), [x, z]), directions[0])
    yield [*map(zero, mg.gradients(f(*xs), xs))]
    yield from by_tapes(first, xs, directions[1:])


def by_products(f, xs, directions):
    """The second order along a direction by `hvp`; the third by `gradients` of nested ones."""
    yield [*map(zero, mg.grad(f, argnums=(0, 1))(*xs))]
    joined = lambda t: f(t[0], t[1])
    yield list(np.asarray(mg.hvp(joined)(mg.stack(xs), mg.stack(directions[0])).value))


WAYS = [by_gradients, by_tapes, by_gradients_inside_of_grad, by_gradients_inside_of_tapes, by_products]


def same(one, other, tolerance, *what):
    scale = max(1.0, *(np.abs(b).max() for b in other))
    for a, b in zip(one, other):
        assert np.allclose(a, b, rtol=tolerance, atol=tolerance * scale), (*what, a, b)


def check(seed):
    (f, twin), names = program(seed)
    rng = np.random.default_rng([seed, 1])
    numbers, *others = 0.7 * rng.normal(size=(3, 2, SIZE))
    xs, directions = [*map(mg.constant, numbers)], [[*map(mg.constant, other)] for other in others]
    truth = [*by_grad(twin, xs, directions)]
    value = lambda at: float(twin(*map(mg.constant, at)).value)
    steps = 1e-5 * np.eye(2 * SIZE).reshape(-1, 2, SIZE)
    numeric = [(value(numbers + step) - value(numbers - step)) / 2e-5 for step in steps]
    same(truth[0], np.reshape(numeric, (2, SIZE)), 1e-6, "the twin", names)
    for way in [by_grad, *WAYS]:
        for order, (ours, right) in enumerate(zip(way(f, xs, directions), truth), 1):
            same(ours, right, 1e-8, f"order {order} {way.__name__}", names)


@pytest.mark.cases(300)
@pytest.mark.parametrize("seed", range(int(os.environ.get("MINIGRAD_RANDOM_PROGRAMS", 1000))))
def test_derivatives_through_rules_are_those_without_them(seed):
    check(seed)


@pytest.mark.parametrize("make", [*ONE_INPUT, *TWO_INPUTS])
def test_each_kind_of_rule_has_the_jacobian_and_the_hessian_of_its_function(make):
    rng = np.random.default_rng(7)
    pair = make(rng)
    xs = [mg.constant(0.5 * rng.normal(size=SIZE)) for _ in range(1 if make in ONE_INPUT else 2)]
    end = mg.constant(rng.normal(size=SIZE))

    def total(f):
        def number(*xs):
            results = f(*xs)
            return mg.add_n([mg.sum(mg.sin(r) * end) for r in (results if isinstance(results, tuple) else [results])])

        return number

    f, twin = map(total, pair)
    np.testing.assert_allclose(mg.hessian(f)(*xs).value, mg.hessian(twin)(*xs).value, rtol=1e-9, atol=1e-12)
    ours, right = (mg.jvp(mg.grad(g), xs, [end] * len(xs))[1].value for g in (f, twin))
    np.testing.assert_allclose(ours, right, rtol=1e-9, atol=1e-12)


# What a rule may do with its upstream gradient.


def test_an_upstream_gradient_that_the_rule_uses_as_something_else_too():
    """The factor that the function captures is also the upstream gradient."""
    u, x0 = mg.constant([1.0, 2.0, 3.0], "float64"), np.array([0.1, 0.2, -0.3])

    @mg.custom_gradient
    def times_u(x):
        return mg.exp(x) * u, lambda w: mg.gradients(mg.exp(x) * u * w, x)[0]

    x = mg.constant(x0)
    (slope,) = mg.gradients(times_u(x), x, grad_ys=u)
    for source, right in ((x, np.exp(x0) * u.value**2), (u, 2 * np.exp(x0) * u.value)):
        np.testing.assert_allclose(mg.gradients(slope, source)[0].value, right)


def test_a_derivative_with_respect_to_the_upstream_gradient():
    x = mg.constant([0.5, -1.0], "float64")

    @mg.custom_gradient
    def f(x):
        return mg.exp(x), lambda u: mg.gradients(mg.exp(x) * u, x)[0] + 0.0 * mg.gradients(u * u, u)[0]

    (slope,) = mg.gradients(mg.square(f(x)), x)
    np.testing.assert_allclose(slope.value, 2 * np.exp(2 * x.value))
    np.testing.assert_allclose(mg.gradients(slope, x)[0].value, 4 * np.exp(2 * x.value))


def test_an_upstream_gradient_that_a_rule_has_kept_is_differentiated_outside_of_it():
    kept = []
    square = mg.custom_gradient(lambda x: (x * x, lambda u: kept.append(u) or 2.0 * x * u))
    x = mg.constant(3.0)
    mg.gradients(square(x) * x, x)  # the upstream gradient is x
    assert mg.gradients(kept[0] * kept[0], x)[0].value == 6.0


def test_a_rule_that_raises_leaves_nothing_behind():
    @mg.custom_gradient
    def failing(x):
        def rule(u):
            raise KeyError("not today")

        return mg.exp(x), rule

    x = mg.constant(1.0)
    y = mg.square(failing(x))
    for _ in range(2):
        with pytest.raises(KeyError, match="not today"):
            mg.gradients(y, x)
    value, gradient = mg.value_and_grad(mg.square)(x)
    assert value.op is gradient.op is None  # no record: the function is not taken for a part of a rule


def test_a_part_of_a_gradient_that_is_not_recorded_is_no_smaller_number():
    x, cubed = mg.constant(2.0), lambda x: x**3
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = cubed(x)
    for y in (
        tape.gradient(z, x) * x, tape.jacobian(z, x) * x,
        mg.grad(cubed)(x) * x, mg.grad(cubed)(x * 1.0) * x, mg.value_and_grad(cubed)(x)[0] * x,
        mg.jvp(cubed, (x,), (x,))[1] + x, x - 0.1 * mg.grad(lambda x, z: x * z)(mg.constant(1.0), x),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="a part of the gradient would be missing"):
            mg.gradients(y, x)
    slope = mg.grad(cubed)(x)
    assert mg.gradients(mg.stop_gradient(slope) * x, x)[0] == 12.0
    assert mg.gradients(slope * slope * x, slope)[0] == 48.0, "the result itself is an input like others"
    assert mg.gradients(slope, x) == [None]
    z = mg.constant(1.0)
    assert mg.gradients(slope * z, [x, z]) == [None, 12.0]
    for y in (slope, slope * z):
        with pytest.raises(ValueError, match="a part of the gradient would be missing"):
            mg.gradients(y, [x, z], unconnected_gradients="zero")
    assert mg.gradients(mg.stop_gradient(slope) * z, [x, z], unconnected_gradients="zero") == [0.0, 12.0]
    assert mg.gradients(slope * z, [x, z], stop_gradients=slope, unconnected_gradients="zero") == [0.0, 12.0]
    assert mg.grad(lambda x: mg.grad(cubed)(x) * x)(x) == mg.gradients(mg.gradients(cubed(x), x)[0] * x, x)[0] == 36.0


@pytest.mark.parametrize("at", [0.0, [0.0], [0.0, 0.0], [1.0, 2.0]])
def test_a_part_that_is_not_recorded_is_found_whatever_its_value(at):
    x = mg.constant(at)
    y = mg.grad(lambda x: mg.sum(x**3))(x) * x
    with pytest.raises(ValueError, match="a part of the gradient would be missing"):
        mg.gradients(y, x)


def test_steps_of_training_are_no_part_of_the_next_gradient():
    w = mg.constant(2.0)
    for _ in range(3):
        w = w - 0.1 * mg.grad(lambda w: w**2)(w)
    assert mg.gradients(w**2, w)[0] == 2 * w
