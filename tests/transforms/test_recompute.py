"""recompute_grad, grad_pass_through and stop_gradient."""

import gc
import threading
import warnings
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg
from tests.helpers.gradients import values
from tests.helpers.tables import over


@pytest.fixture
def x():
    return mg.constant(3.0)


# stop_gradient.


def test_stop_gradient_stops(x):
    assert values(mg.gradients(x * mg.stop_gradient(x), x)) == [3.0]
    assert values(mg.gradients(mg.stop_gradient(x), x)) == [None]


def test_stop_gradient_stops_nan_where_a_factor_of_zero_does_not():
    x = mg.constant(0.0)
    bad = mg.sqrt(x)
    assert values(mg.gradients(x + mg.stop_gradient(bad) * 0.0, x)) == [1.0]
    assert np.isnan(values(mg.gradients(x + bad * 0.0, x)))


# recompute_grad.


def counted(f):
    runs = []

    def counting(*args, **kwargs):
        runs.append(args)
        return f(*args, **kwargs)

    return mg.recompute_grad(counting), runs


def test_it_runs_once_forward_and_once_per_backward_pass(x):
    f, runs = counted(lambda x: x * x)
    y = f(x)
    assert (float(y), len(runs)) == (9.0, 1)
    assert values(mg.gradients(y, x)) == [6.0]
    assert len(runs) == 2
    mg.gradients(y, x)
    assert len(runs) == 3
    mg.gradients(x * 2.0, x)
    assert len(runs) == 3


def test_the_name_is_kept_and_the_function_is_at_hand():
    def f(x):
        """Documented."""
        return x

    wrapped = mg.recompute_grad(f)
    assert (wrapped.__name__, wrapped.__doc__, wrapped.__wrapped__) == ("f", "Documented.", f)
    for decorator in (mg.recompute_grad, mg.grad_pass_through):
        with pytest.raises(TypeError, match=rf"{decorator.__name__} takes a function of Tensors, got 3\.0"):
            decorator(3.0)


def test_the_second_derivative_of_a_fourth_power():
    """y = x^4 at 4: the first derivative is 4 x^3 = 256, the second 12 x^2 = 192."""
    f = mg.recompute_grad(lambda x: x * x * x * x)
    x = mg.constant(4.0)
    (g,) = mg.gradients(f(x), x)
    assert values(mg.gradients(g, x)) == [192.0]


def test_the_second_derivative_where_the_upstream_depends_on_x():
    """y = (x^3)^2 at 2: the first derivative is 6 x^5 = 192, the second 30 x^4 = 480."""
    f = mg.recompute_grad(lambda x: x * x * x)
    x = mg.constant(2.0)
    y = f(x)
    (g,) = mg.gradients(y * y, x)
    assert values([g]) == [192.0]
    assert values(mg.gradients(g, x)) == [480.0]
    assert float(mg.grad(mg.grad(lambda x: f(x) * f(x)))(2.0)) == 480.0


def test_the_intermediate_results_are_not_kept():
    inside = []

    @mg.recompute_grad
    def f(x):
        y = mg.exp(x)
        inside.append(weakref.ref(y))
        return mg.sin(y) * y

    gc.disable()  # reference counting frees them, without the collector
    try:
        x = mg.constant(np.ones(1000))
        y = f(x)
        assert inside[0]() is None
        mg.gradients(y, x)
        mg.grad(lambda x: mg.sum(f(x)))(x)
        del y
        assert all(ref() is None for ref in inside[2:])
    finally:
        gc.enable()


def test_variables_are_handled(x):
    w = mg.Variable(2.0)
    f = mg.recompute_grad(lambda x: x * x * w)
    gx, gw = mg.gradients(f(x), [x, w])
    assert values([gx, gw]) == [12.0, 9.0]
    assert values(mg.gradients(gx, [x, w])) == [4.0, 6.0]
    assert values(mg.gradients(gw, x)) == [6.0]


def test_a_variable_assigned_in_between_is_read_anew(x):
    w = mg.Variable(2.0)
    y = mg.recompute_grad(lambda x: x * w)(x)
    w.assign(10.0)
    assert values(mg.gradients(y, [x, w])) == [10.0, 3.0]


def test_a_variable_made_by_the_first_run(x):
    @mg.recompute_grad
    def f(x):
        with mg.variable_scope("recompute", reuse=mg.AUTO_REUSE):
            return x * mg.get_variable("w", initializer=2.0)

    y = f(x)
    with mg.variable_scope("recompute", reuse=True):
        w = mg.get_variable("w")
    assert values(mg.gradients(y, [x, w])) == [2.0, 3.0]


def test_a_variable_as_argument(x):
    w = mg.Variable(2.0)
    f = mg.recompute_grad(lambda x, w: x * w * w)
    assert values(mg.gradients(f(x, w), [x, w])) == [4.0, 12.0]


def test_captured_tensors_have_their_gradient(x):
    k = mg.constant(2.0)
    j = k * 5.0
    f = mg.recompute_grad(lambda x: x * j + k)
    assert values(mg.gradients(f(x), [x, j, k])) == [10.0, 3.0, 16.0]


def test_a_tensor_that_is_argument_and_captured_counts_both(x):
    f = mg.recompute_grad(lambda y: x * y * y)
    (g,) = mg.gradients(f(x), x)
    assert values([g]) == [27.0]
    assert values(mg.gradients(g, x)) == [18.0]


def test_an_argument_made_from_a_captured_tensor_is_not_counted_twice():
    k = mg.constant(2.0)
    f = mg.recompute_grad(lambda x: x * k)
    (g,) = mg.gradients(f(k * k), k)  # k^3
    assert values([g]) == [12.0]
    assert values(mg.gradients(g, k)) == [12.0]


def test_the_same_tensor_twice(x):
    f = mg.recompute_grad(lambda a, b: a * a * b)
    assert values(mg.gradients(f(x, x), x)) == [27.0]


def test_an_unused_argument_has_gradient_zero(x):
    z = mg.constant([1.0, 2.0])
    f = mg.recompute_grad(lambda x, z: x * 2.0)
    assert values(mg.gradients(f(x, z), [x, z])) == [2.0, [0.0, 0.0]]
    assert mg.grad(lambda z: f(x, z))(z).value.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("f", "words"), [
    (lambda x: mg.constant(3.0), "the result does not depend on x"),
    (lambda x: mg.round(x), "the connection ends at round"),
    (lambda x, n=2, *, k=1.0: mg.constant(3.0) * k, "the result does not depend on x"),
])  # fmt: skip
def test_a_function_that_ignores_its_inputs_warns_as_without_recomputing(f, words):
    for run in (f, mg.recompute_grad(f)):
        with pytest.warns(UserWarning, match=f"the gradient of <lambda> is 0: .*{words}"):
            assert float(mg.grad(run)(2.0)) == 0.0


def test_a_function_that_uses_a_variable_in_place_of_its_input_warns_as_without_recomputing():
    w = mg.Variable(3.0)

    def f(x):
        return w * 2.0

    for run in (f, mg.recompute_grad(f)):
        with pytest.warns(UserWarning, match="the gradient of f is 0: the result does not depend on x"):
            assert float(mg.grad(run)(2.0)) == 0.0


def ignores(x):
    return mg.constant(5.0)


def rounds(x):
    return mg.round(x) * 2.0


def returns_none(x):
    return mg.custom_gradient(lambda x: (x * 3.0, lambda dy: None))(x)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("again", [lambda f: f, mg.recompute_grad])
@pytest.mark.parametrize("f", [ignores, rounds, returns_none, lambda x: mg.Variable(3.0) * 2.0])
def test_a_gradient_that_arrives_on_another_way_does_not_warn(f, again, x):
    """Only a result that depends on none of the inputs has a gradient of 0 to warn of."""
    g, at_3 = again(f), float(f(mg.constant(3.0)))
    assert float(mg.grad(lambda x: g(x) * x)(3.0)) == at_3
    assert float(mg.grad(lambda x: g(x) + x)(3.0)) == 1.0
    assert mg.jacobian(lambda x: mg.stack([g(x), x]))(np.float32(3.0)).tolist() == [0.0, 1.0]
    assert float(mg.vjp(lambda x: g(x) + x, 3.0)[1](1.0)[0]) == 1.0
    assert mg.grad(lambda x, w: g(x) * w, argnums=(0, 1))(3.0, 2.0)[1].value == at_3
    assert values(mg.gradients(g(x) * x, [x])) == [float(f(x))]
    if f is not returns_none:
        assert float(mg.grad(mg.grad(lambda x: g(x) * x))(3.0)) == 0.0


@over(
    [
        lambda g: mg.grad(lambda x: g(x))(3.0),
        lambda g: mg.grad(lambda x: g(x * 2.0) * 3.0)(3.0),
        lambda g: mg.grad(lambda x: g(x) + g(x * 2.0))(3.0),
        lambda g: mg.vjp(g, 3.0)[1](1.0)[0],
        lambda g: mg.jacobian(g)(3.0),
        lambda g: mg.jacobian(lambda x: mg.stack([g(x), 4.0]))(3.0),
        lambda g: mg.grad(lambda x, w: g(x) * w)(3.0, 2.0),
    ],
    [ignores, rounds, lambda x: mg.Variable(3.0) * 2.0],
)
def test_a_gradient_that_is_lost_warns_as_without_recomputing(whole, f):
    nested = mg.recompute_grad(lambda x: mg.recompute_grad(f)(x))
    for g in (f, mg.recompute_grad(f), nested):
        with pytest.warns(UserWarning, match="is 0: (the result does not depend on|the connection ends at round)"):
            assert not np.any(np.asarray(whole(g)))


def test_a_pass_that_failed_leaves_no_warning_to_the_next():
    def fails(dy):
        raise ZeroDivisionError

    bad = mg.custom_gradient(lambda x: (x * 1.0, fails))
    with pytest.raises(ZeroDivisionError):
        mg.grad(lambda x: bad(x) + mg.recompute_grad(ignores)(x))(3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mg.grad(lambda x: x * x)(0.0).value == 0.0


@pytest.mark.filterwarnings("error")
def test_a_gradient_of_the_variable_alone_does_not_warn_of_the_input(x):
    w = mg.Variable(3.0)
    f = mg.recompute_grad(lambda x: w * w)
    assert values(mg.gradients(f(x), w)) == [6.0]
    with mg.GradientTape() as tape:
        y = f(x)
    assert tape.gradient(y, w).value == 6.0
    assert mg.grad(lambda v: f(x) * v)(2.0).value == 9.0


@pytest.mark.parametrize("other", [2, 2.0, np.float64(2.0)])
def test_plain_numbers_stay_what_they_are(other, x):
    seen = []

    @mg.recompute_grad
    def f(x, n, name=None):
        seen.append(n)
        return x * n

    assert values(mg.gradients(f(x, other, name="double"), x)) == [2.0]
    assert seen[0] is other and seen[1] is other


def test_keywords_and_structures(x):
    f = mg.recompute_grad(lambda p, *, k: {"y": p["w"] * p["b"][0] * k, "n": 3})
    w, b = mg.constant(2.0), mg.constant(5.0)
    out = f({"w": w, "b": [b]}, k=x)
    assert list(out) == ["y", "n"]
    assert values(mg.gradients(out["y"], [w, b, x])) == [15.0, 6.0, 10.0]


def test_an_unused_output(x):
    f = mg.recompute_grad(lambda x: (x * x, x * x * x))
    (g,) = mg.gradients(f(x)[1], x)
    assert values([g]) == [27.0]
    assert values(mg.gradients(g, x)) == [18.0]


def test_random_numbers_are_the_same_again_and_the_generator_goes_on():
    @mg.recompute_grad
    def dropout(x):
        return x * np.random.rand(100)

    x = mg.constant(np.ones(100))
    np.random.seed(0)
    y = dropout(x)
    after = np.random.rand()
    np.random.seed(0)
    np.random.rand(100)
    assert np.random.rand() == after
    state = np.random.get_state()[1].copy()
    (g,) = mg.gradients(y, x)
    np.testing.assert_array_equal(g.value, y.value)
    np.testing.assert_array_equal(np.random.get_state()[1], state)


def test_rules_inside_are_followed(x):
    inner = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * x * 100.0))
    f = mg.recompute_grad(lambda x: inner(x) * 2.0)
    (g,) = mg.gradients(f(x), x)
    assert values([g]) == [600.0]
    assert values(mg.gradients(g, x)) == [200.0]


def test_inside_another(x):
    inner, runs = counted(lambda x: mg.sin(x))
    outer = mg.recompute_grad(lambda x: inner(x) * x)
    (g,) = mg.gradients(outer(x), x)
    np.testing.assert_allclose(g.value, np.sin(3) + 3 * np.cos(3), rtol=1e-6)
    assert len(runs) == 3  # forward; again for the outer one; and once more for itself


@given(st.lists(st.sampled_from(["sin", "exp", "square", "tanh"]), min_size=1, max_size=4), st.floats(-1, 1))
def test_no_derivative_changes(names, x):
    def f(x):
        for name in names:
            x = getattr(mg, name)(x)
        return x

    x = np.float64(x)
    for derivative in (mg.grad, lambda f: mg.grad(mg.grad(f))):
        want, got = derivative(f)(x), derivative(mg.recompute_grad(f))(x)
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


# grad_pass_through.


def test_the_upstream_gradient_passes_through(x):
    y = mg.grad_pass_through(lambda x: mg.round(x / 2.0))(x)
    assert float(y) == 2.0
    assert values(mg.gradients(y * 5.0, x)) == [5.0]


def test_several_inputs_and_outputs(x):
    z = mg.constant(2.0)
    f = mg.grad_pass_through(lambda a, b: (b, a))
    first, second = f(x, z)
    assert values(mg.gradients(first * 10.0 + second, [x, z])) == [10.0, 1.0]


def test_as_many_outputs_as_inputs(x):
    f = mg.grad_pass_through(lambda a, b: a + b)
    with pytest.raises(ValueError, match=r"returned 1 gradient, but <lambda> was called with 2 inputs"):
        mg.gradients(f(x, x), x)


def test_the_shapes_must_agree():
    x = mg.constant([1.0, 2.0])
    with pytest.raises(ValueError, match=r"has shape \(\), but .* has shape \(2,\)"):
        mg.gradients(mg.grad_pass_through(mg.sum)(x), x)


def test_variables_inside_have_no_gradient(x):
    w = mg.Variable(2.0)
    y = mg.grad_pass_through(lambda x: x * w)(x)
    assert values(mg.gradients(y, [x, w])) == [1.0, None]


def test_an_assignment_passes_the_gradient_through():
    v, z = mg.Variable(0.0), mg.constant(3.0)
    y = mg.grad_pass_through(v.assign)(z**2)
    assert (float(y), float(v)) == (9.0, 9.0)
    assert values(mg.gradients(y, z)) == [6.0]


def in_a_thread(run):
    other = threading.Thread(target=run)
    other.start()
    other.join()


@pytest.mark.parametrize("where", [lambda run: run(), in_a_thread], ids=["in the same thread", "in another thread"])
def test_the_warning_is_of_the_pass_that_recomputed(where):
    """Another pass, run between the recomputation and the end of the first, neither loses nor gets the warning."""
    seen = []

    def fine():
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            seen.append(mg.grad(lambda x: x * x)(3.0).value)
        seen.append(len(found))

    @mg.custom_gradient
    def hold(x):
        def rule(dy):
            where(fine)
            return 0.0 * dy

        return x * 1.0, rule

    x = mg.constant(3.0)
    y = hold(x) + mg.recompute_grad(ignores)(x)  # the newer one comes first in the pass
    with pytest.warns(UserWarning, match="the gradient of ignores is 0: the result does not depend on x"):
        assert mg.gradients(y, x)[0].value == 0.0
    assert seen == [6.0, 0]


@pytest.mark.parametrize("order", [1, 2])
def test_a_second_run_with_other_numbers_is_an_error(order):
    rng = np.random.default_rng(0)

    @mg.recompute_grad
    def noisy(x):
        return mg.sum(x * x * rng.standard_normal(3))

    transform = mg.grad if order == 1 else mg.hessian
    with pytest.raises(ValueError, match="noisy was run again by recompute_grad and gave other values"):
        transform(noisy)(np.ones(3))
    x = mg.constant([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="draw the numbers outside"):
        mg.gradients(noisy(x), x)


@pytest.mark.parametrize("dtype, size", [("float64", 1e-6), ("float32", 1e-3), ("float16", 0.1)])
def test_a_small_difference_of_the_second_run_is_an_error_too(dtype, size):
    rng = np.random.default_rng(0)
    noisy = mg.recompute_grad(lambda x: x * (1 + np.asarray(size, dtype) * rng.uniform(1, 2, 3).astype(dtype)))
    x = mg.constant(np.array([1.0, 20.0, 300.0], dtype))
    with pytest.raises(ValueError, match="gave other values"):
        mg.gradients(noisy(x), x)


def test_values_that_are_not_numbers_are_the_same_again():
    x = mg.constant([0.0, -1.0, 4.0])
    root = mg.recompute_grad(lambda x: mg.sqrt(x) / x)
    with np.errstate(all="ignore"):
        assert np.isnan(mg.gradients(root(x), x)[0].value[:2]).all()
