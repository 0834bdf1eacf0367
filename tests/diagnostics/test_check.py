"""check_gradients: finds what is wrong, leaves out what cannot be measured, and says so in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import minigrad as mg
from minigrad.diagnostics.finite_differences import numeric_gradient, slope, tends_to
from minigrad.diagnostics.gradient_check import GradientError, check_gradients
from tests.helpers.inner_transforms import INNER
from tests.helpers.random_rules import SIZE, program


def custom(value, rule):
    """A custom gradient of a function of one argument."""

    @mg.custom_gradient
    def f(x):
        return value(x), lambda dy: rule(dy, x)

    return f


def findings(f, *args, **options):
    return "\n".join(check_gradients(f, *args, raises=False, **options).findings)


def test_right_gradients_pass():
    check = check_gradients(lambda x, y: {"a": x * mg.exp(y), "b": [mg.sin(x)]}, 2.0, np.array([0.5, 1.0]))
    assert check.ok and not check.left_out
    assert len(check.rows) == 9 + 9


def test_a_wrong_rule_is_shown_entry_by_entry():
    wrong = custom(lambda x: x * x, lambda dy, x: dy * x)
    with pytest.raises(GradientError) as error:
        check_gradients(wrong, np.array([1.0, 3.0]), order=1)
    text = str(error.value)
    assert "dy[1] / dx[1] |             3 |             6 |            -3" in text
    assert "analytic" in text and "numeric" in text and "difference" in text
    assert "dy[0] / dx[1]" not in text, "only what is wrong is shown"
    assert "test_check.py:" in text and "the cause is the custom rule" in text


def test_structures_are_named_by_the_code_that_reaches_them():
    wrong = custom(lambda x: x * 3.0, lambda dy, x: dy * 2.0)
    text = str(check_gradients(lambda p: wrong(p["w"][1]), {"w": [1.0, 2.0], "n": 3}, order=1, raises=False))
    assert "dy / dp['w'][1]" in text


def test_arguments_that_are_not_floats_are_options():
    assert check_gradients(lambda x, n, name: x**n, 2.0, 3, "cube").ok
    with pytest.raises(TypeError, match="needs a float"):
        check_gradients(lambda n: n, 3)


def test_float32_arguments_are_checked_in_float64():
    assert check_gradients(mg.exp, np.float32([1.0, 2.0])).ok
    assert check_gradients(mg.exp, mg.constant([1.0, 2.0])).ok


def test_a_python_number_is_not_rounded_to_float32():
    seen = []
    check_gradients(lambda x: seen.append(x.numpy().item()) or x * x, 0.1)
    assert 0.1 in seen


def test_a_result_in_float32_is_checked_with_wide_tolerances_and_says_so():
    check = check_gradients(lambda x: mg.cast(mg.exp(x), "float32"), 1.0, order=1)
    assert check.ok and "float32" not in check.findings and "rough" in check.remarks[0]


@pytest.mark.parametrize(
    ("f", "jumps"),
    [
        *[(f, "slope") for f in (mg.absolute, mg.relu, lambda x: mg.maximum(x, 0.0))],
        (mg.floor, "value"),
        (mg.sign, "value"),
    ],
)
def test_a_point_at_or_near_a_kink_or_a_jump_is_left_out(f, jumps):
    for x in (0.0, 3e-5, -2e-5):
        check = check_gradients(f, np.array([x, 1.3]), order=1)
        assert f"dx[0]: the {'value or its slope' if x else jumps} jumps nearby" in check.left_out[0]
        assert len(check.rows) == 3


def test_no_jump_is_told_of_a_function_that_has_none():
    """x² sin(1/x) has a slope at 0 that no finite difference shows; a gradient of 1e-18 is rounding."""
    oscillating = lambda x: mg.where(x == 0, 0.0, x * x * mg.sin(1 / mg.where(x == 0, 1.0, x)))
    checks = [mg.check_gradients(oscillating, 0.0, order=2, raises=False)]
    for seed in (124, 321):
        x, z = 0.7 * np.random.default_rng([seed, 1]).normal(size=(3, 2, SIZE))[0]
        checks.append(mg.check_gradients(program(seed)[0].with_rule, x, z, raises=False))
    for check in checks:
        assert not check.findings and check.left_out
        assert not any("jump" in reason for reason in check.left_out), check.left_out


def test_the_edge_of_the_domain_is_left_out():
    check = check_gradients(lambda x: mg.sum(mg.log(x)), 0.0, order=1, raises=False)
    assert "inf or nan" in check.left_out[0]


@pytest.mark.parametrize("f", [mg.exp, mg.sin, mg.tanh, lambda x: x**3, lambda x: mg.exp(30 * x), mg.sqrt, mg.log])
def test_a_smooth_function_has_no_kink(f):
    for x in (0.01, 0.5, 2.0):
        assert not slope(lambda t, x=x: f(np.float64(x + t))).kink


def test_a_kink_of_the_slope_is_found_at_second_order():
    check = check_gradients(lambda x: mg.relu(x) ** 2, 0.0, raises=False)
    assert any(text.startswith("order 2") for text in check.left_out)


def test_a_forgotten_upstream_is_found():
    assert "does not depend on the upstream; multiply by it" in findings(custom(mg.exp, lambda dy, x: mg.exp(x)), 1.0)


def test_a_rule_that_is_not_linear_is_found():
    assert "grad(u + v) is not grad(u) + grad(v)" in findings(custom(mg.exp, lambda dy, x: dy * dy * mg.exp(x)), 1.0)


def test_a_rule_that_left_the_record_loses_its_second_derivative():
    text = findings(custom(mg.exp, lambda dy, x: dy * np.exp(x.numpy())), 1.0)
    assert "not connected" in text and "order 2" in text and "the cause is the custom rule" in text


def test_a_rule_repaired_once_is_nan_at_second_order():
    @mg.custom_gradient
    def log1pexp(x):
        e = mg.exp(x)
        return mg.softplus(x), lambda dy: dy * (1 - 1 / (1 + e))

    assert "finite, that of order 2 is nan" in findings(log1pexp, 1000.0)
    assert check_gradients(log1pexp, 3.0).ok


def test_a_gradient_repaired_where_the_value_is_inf_is_remarked():
    f = custom(lambda x: mg.log(1 + mg.exp(x)), lambda dy, x: dy * mg.sigmoid(x))
    assert any("finite gradient where the value" in text for text in check_gradients(f, 1000.0, raises=False).remarks)


def test_large_arguments_are_checked_along_random_directions():
    a = np.random.default_rng(0).normal(size=(30, 30))
    check = check_gradients(mg.matmul, a, a)
    assert len(check.rows) == 18
    wrong = custom(lambda x: x * x, lambda dy, x: dy * x)
    assert not check_gradients(wrong, a, raises=False).ok


def test_a_gradient_that_is_zero_because_nothing_is_connected_is_wrong_where_the_value_changes():
    assert "differ" in findings(lambda x: mg.stop_gradient(x * x), 3.0)


@given(arrays(np.float64, 8, elements=st.floats(-2, 2)))
def test_what_a_function_with_a_hole_tends_to_is_exact_for_polynomials_of_degree_7(coefficients):
    def f(t):
        return np.polynomial.polynomial.polyval(t, coefficients) if t else np.nan

    np.testing.assert_allclose(tends_to(f), coefficients[:2], atol=1e-9)


@pytest.mark.parametrize(
    "f",
    [
        lambda t: np.sin(1 / t),
        lambda t: t * np.sin(1 / t),
        lambda t: 1 / t,
        np.sign,
        np.abs,
        lambda t: np.tanh(1 / t),
        lambda t: t * np.log(t),
        np.sqrt,
        lambda t: np.abs(t) ** 1.5,
        lambda t: np.nan,
    ],
)
def test_what_tends_to_no_line_has_no_limit(f):
    assert not np.isfinite(tends_to(f)).any()


def test_where_one_side_is_outside_of_the_domain_the_other_one_counts():
    value, slope = tends_to(lambda t: np.arccos(1 - t) / np.sqrt(1 - (1 - t) ** 2))
    np.testing.assert_allclose((value, slope), (1, 1 / 3), rtol=1e-7)


def test_numeric_gradient():
    np.testing.assert_allclose(numeric_gradient(lambda x: mg.sum(x**3), [1.0, 2.0]), [3, 12], rtol=1e-9)
    assert np.isclose(numeric_gradient(abs, 0.0), 0)


# Variables that the function uses, and checks that compare nothing.


def linear_poly(weights, exchanged):
    """The example in the documentation of `tf.custom_gradient`, in which the two slopes are exchanged."""

    @mg.custom_gradient
    def poly(x):
        def grad_fn(dpoly, variables):
            assert variables[0] is weights
            slopes = [x**1, x**0] if exchanged else [x**0, x**1]
            dy_dw = dpoly * mg.stack(slopes)
            return dpoly * weights[1], [mg.reduce_sum(mg.reshape(dy_dw, [2, -1]), axis=1)]

        return weights[1] * x + weights[0], grad_fn

    return poly


def test_variables_that_the_function_uses_are_varied_and_reported_by_name():
    weights = mg.Variable([1.0, 2.0], name="weights of the polynomial")
    x = np.array([1.0, 2.0, 3.0])
    loss = lambda x: mg.sum(linear_poly(weights, exchanged=True)(x))
    with pytest.raises(GradientError) as error:
        check_gradients(loss, x, order=1)
    text = str(error.value)
    assert f"dy / d{weights.name}[0] |             6 |             3 |" in text
    assert f"dy / d{weights.name}[1] |             3 |             6 |" in text
    assert "the cause is the custom rule" in text
    assert weights.value.tolist() == [1.0, 2.0] and weights.dtype == np.float32
    check = check_gradients(linear_poly(weights, exchanged=False), x)
    assert len([row for row in check.rows if row.name.endswith(f"d{weights.name}[0]")]) == 3 + 5


def test_a_function_of_variables_alone_is_checked():
    w, frozen = mg.Variable(0.5, name="of its own"), mg.Variable(2.0, trainable=False)
    check = check_gradients(lambda: mg.sin(w) * frozen, order=3)
    assert {row.name.rpartition("d")[2] for row in check.rows} == {w.name}
    assert len(check.rows) == 3


def test_variables_hold_what_they_held_after_an_error_too():
    w, calls = mg.Variable(0.5), []

    def f(x):
        calls.append(x)
        if len(calls) > 4:
            raise RuntimeError("enough")
        return w * x

    with pytest.raises(RuntimeError, match="enough"):
        check_gradients(f, 1.0)
    assert w.value == 0.5 and w.dtype == np.float32


def test_where_nothing_could_be_compared_nothing_agrees():
    check = check_gradients(mg.relu, 0.0, raises=False)
    assert not check.ok and not check.findings
    assert "nothing could be compared" in str(check) and "agrees" not in str(check)
    assert "the slope jumps nearby" in str(check)
    with pytest.raises(GradientError, match="nothing could be compared"):
        check_gradients(mg.relu, 0.0)


@pytest.mark.parametrize("f", [lambda x: float(x.value) * 2.0, lambda x: None, lambda x: x > 0.0, lambda x: {}])
def test_a_function_that_returns_no_tensor_of_floats_is_refused(f):
    with pytest.raises(TypeError, match="needs a Tensor of floats in the result of <lambda>, but it returned"):
        check_gradients(f, mg.constant(0.5))


@pytest.mark.parametrize("right", [True, False])
def test_variables_that_the_function_assigns_hold_what_they_held(right):
    w, steps = mg.Variable(3.0), mg.Variable(7, trainable=False)
    rule = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * (2.0 if right else 1.0) * x))

    def f(x):
        y = rule(x) * w
        w.assign(5.0)
        steps.assign_add(1)
        return y

    report = mg.check_gradients(f, 2.0, raises=False)
    assert report.ok is right
    assert (w.value, steps.value) == (3.0, 7)
    assert next(row.analytic for row in report.rows if row.name == "dy / dx") == (12.0 if right else 6.0)


def test_the_second_derivative_of_a_number_is_the_true_one():
    check = check_gradients(lambda x: mg.sum(mg.exp(x) * x), [0.5, 1.0])
    found = {row.name: row.analytic for row in check.rows}
    np.testing.assert_allclose(found["d(dy / dx[0]) / dx[0]"], 2.5 * np.exp(0.5))
    np.testing.assert_allclose(found["d(dy / dx[1]) / dx[1]"], 3 * np.e)
    assert check.remarks == []


def test_the_second_derivative_of_several_numbers_is_told_as_that_of_their_weighted_sum():
    check = check_gradients(lambda x, y: (x * x * y, x + y), 1.0, 2.0, order=3)
    assert "d(d(c * value) / dx) / dy" in {row.name for row in check.rows}
    assert "d(d(c * gradient) / dx) / dx" in {row.name for row in check.rows}
    assert "c stands for their weights" in str(check)


def test_a_gradient_that_is_wrong_on_purpose_is_compared_with_its_surrogate():
    @mg.custom_gradient
    def straight(x):
        return mg.round(x), lambda upstream: upstream

    @mg.custom_gradient
    def shortened(x):
        return mg.identity(x), lambda upstream: mg.clip(upstream, -0.25, 0.25)  # not linear: meant

    def itself(x):
        return x

    def quarter(x):
        return x / 4

    assert not check_gradients(straight, np.array([0.3, 1.7]), raises=False).ok
    assert check_gradients(straight, np.array([0.3, 1.7]), surrogate=itself).ok
    assert check_gradients(shortened, 0.3, surrogate=quarter).ok
    wrong = check_gradients(straight, 0.3, order=1, surrogate=quarter, raises=False)
    assert "is not that of its surrogate quarter" in str(wrong)
    assert (wrong.rows[0].analytic, round(wrong.rows[0].numeric, 9)) == (1.0, 0.25)
    # Also beyond the first derivative: the second one of straight(x) ** 2 is 2, like that of x ** 2.
    assert check_gradients(lambda x: straight(x) ** 2, np.array([1.0, 2.0]), surrogate=lambda x: x**2).ok


# Tolerances follow the size of the function, and of each of its slopes.

SHAPES = [mg.sin, mg.exp, mg.tanh, lambda x: x**3 - x, lambda x: mg.log(1.5 + x * x), lambda x: 1 / (2 + x * x)]


def scaled(f, factor, unit, wrong=1.0):
    """`factor * f(x / unit)` with a rule that is `wrong` times the slope."""

    @mg.custom_gradient
    def scaled(x):
        y = f(x / unit) * factor
        return y, lambda dy: mg.gradients(y, x, grad_ys=dy)[0] * wrong

    return scaled


@pytest.mark.parametrize("power", [-12, -8, -1, 3, 8, 12])
@pytest.mark.parametrize("unit", [1e-8, 1e-4, 1e-2, 1.0, 1e8])
def test_a_right_rule_agrees_and_one_that_is_wrong_by_a_hundredth_is_found_at_every_scale(power, unit):
    x, f = np.array([0.3, -1.1]) * unit, SHAPES[(power + int(np.log10(unit))) % len(SHAPES)]
    assert check_gradients(scaled(f, 10.0**power, unit), x, order=2 if unit == 1 else 1).left_out == []
    for wrong in (1.01, np.array([1, 0.99])):
        check = check_gradients(scaled(f, 10.0**power, unit, wrong), x, order=1, raises=False)
        assert check.findings and not check.left_out


def test_small_slopes_beside_large_ones_are_compared_as_exactly():
    weights = np.array([1e-8, 1.0, 1e8])
    for total in (lambda y: y, lambda y: mg.sum(y[:2]) if y.shape else y):
        for k in range(2):
            wrong = np.ones(3)
            wrong[k] = 1.01
            f = custom(lambda x, total=total: total(mg.sin(x) * weights), lambda dy, x: dy * mg.cos(x) * weights)
            assert check_gradients(lambda x: mg.sin(x) * weights, np.array([0.3, 0.5, 0.7])).ok
            f = custom(lambda x: mg.sin(x) * weights, lambda dy, x, w=wrong: dy * mg.cos(x) * weights * w)
            names = [
                r.name for r in check_gradients(f, np.array([0.3, 0.5, 0.7]), order=1, raises=False).rows if r.wrong
            ]
            assert names == [f"dy[{k}] / dx[{k}]"]


def test_a_slope_that_rounding_hides_is_left_out_and_said_so():
    check = check_gradients(lambda x, w: 1e8 * x + 1e-9 * w, 1.0, 1.0, order=1)
    assert check.remarks == [
        "order 1: 1 of the slopes by the rules is below the rounding of the value; only that was checked"
    ]
    check = check_gradients(lambda x, w: 1e8 * x + 1e-3 * mg.exp(w) ** 0.01, 1.0, 1.0, order=1)
    assert [row.name for row in check.rows] == ["dy / dx"]
    assert check.left_out == ["order 1, dy / dw: it is too small to be seen next to the rounding of the value"]


@pytest.mark.parametrize("steps", [1e3, 1e6, 1e8, 1e10])
def test_no_slope_is_read_off_a_fine_staircase_and_a_rule_that_sends_0_is_not_called_wrong(steps):
    check = check_gradients(lambda x: mg.floor(x * steps) / steps, 0.31415926535, raises=False)
    assert not check.findings and (check.left_out or not any(row.numeric for row in check.rows))


def test_a_slope_of_a_value_that_does_not_move_is_said_to_be_compared_by_its_size_only():
    f = custom(lambda x: 1 - mg.cos(x**6), lambda dy, x: 7 * dy * x**11)  # the slope is 6 x**11 sin(x**6) / x**6
    check = check_gradients(f, 4e-7, order=1)
    assert check.rows[0].numeric == 0 < check.rows[0].analytic and "only that was checked" in str(check)


def test_a_value_that_is_nan_has_no_derivatives_of_any_order():
    for x in (-1.0, np.array([-1.0, -2.0])):
        check = check_gradients(mg.log, x, order=3, raises=False)
        assert not check.ok and not check.rows and "agrees" not in str(check)
        assert "was not checked: nothing could be compared" in str(check)
    check = check_gradients(mg.log, np.array([-1.0, 2.0]), order=2)
    assert {row.name for row in check.rows if row.analytic} == {"dy[1] / dx[1]", "d(d(c * y) / dx)[1] / dx[1]"}
    assert "order 2, d(d(c * y) / dx)[0] / dx[0]: it has no value here" in check.left_out


def test_constants_and_zeros():
    assert check_gradients(lambda x: x * 0.0 + 5.0, np.array([1.0, 2.0])).ok
    assert check_gradients(mg.floor, np.array([0.3, 2.5]), order=1).ok
    assert check_gradients(lambda x: mg.sum(mg.softmax(x)), np.array([1.0, 2.0, 3.0])).ok
    assert check_gradients(mg.cos, 0.0).ok
    assert "differs" in findings(custom(lambda x: x * 0.0 + 5.0, lambda dy, x: dy * 1e-6), 1.0)


@pytest.mark.parametrize("dtype, power", [("float32", 6), ("float32", -6), ("float16", 2), ("float16", -1)])
def test_rough_results_are_compared_at_their_own_scale(dtype, power):
    for wrong in (1.0, 2.0, 0.5, -1.0):
        f = custom(
            lambda x: mg.cast(mg.sin(x) * 10.0**power, dtype), lambda dy, x, w=wrong: dy * mg.cos(x) * 10.0**power * w
        )
        assert check_gradients(f, np.array([0.5, 1.0]), order=1, raises=False).ok is (wrong == 1.0)


def test_a_rule_that_clips_far_away_is_found():
    assert "not linear in the upstream" in findings(
        custom(lambda x: x * 1.0, lambda dy, x: mg.clip(dy, -1e4, 1e4)), 1.0
    )


def test_many_entries_of_very_different_units_are_checked_along_directions():
    units = 10.0 ** np.linspace(-8, 8, 60)
    f = lambda x: mg.sin(x / units)
    x = np.linspace(0.1, 1, 60) * units
    assert check_gradients(f, x, order=1).ok
    wrong = custom(f, lambda dy, x: dy * mg.cos(x / units) / units * 1.02)
    assert findings(wrong, x, order=1)


def test_an_infinite_slope_is_not_checked():
    for f in (mg.cbrt, lambda x: mg.sign(x) * mg.sqrt(mg.abs(x))):
        check = mg.check_gradients(f, 0.0, raises=False)
        assert not check.ok and not check.findings and not check.rows


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_a_function_that_differentiates_inside_agrees_and_a_wrong_rule_around_it_does_not(inner):
    f = lambda x: inner(x) * mg.sin(x)
    assert mg.check_gradients(f, 1.5, order=1).ok

    @mg.custom_gradient
    def wrong(x):
        return f(x), lambda upstream: 1.1 * upstream * mg.grad(f)(x)

    assert not mg.check_gradients(wrong, 1.5, order=1, raises=False).ok


WRONG = [
    lambda u, x, slopes: [1.02 * slopes[0] * u, slopes[1] * u],
    lambda u, x, slopes: [slopes[0] * u, slopes[1] * u * mg.constant([1.0, 1.0, 0.95], "float64")],
    lambda u, x, slopes: [(slopes[0] + x - mg.stop_gradient(x)) * u, slopes[1] * u],  # right to first order only
    lambda u, x, slopes: [slopes[0], slopes[1] * u],  # right for an upstream gradient of 1 only
]


@pytest.mark.cases(4)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore")
def test_random_programs_with_right_rules_agree_and_a_wrong_rule_around_one_does_not(seed):
    (f, twin), _ = program(seed)
    x, z = 0.7 * np.random.default_rng([seed, 1]).normal(size=(2, SIZE))
    check = mg.check_gradients(f, x, z, raises=False)
    assert check.ok and not check.left_out

    @mg.custom_gradient
    def wrong(x, z):
        def rule(u, variables=()):
            slopes = WRONG[seed % len(WRONG)](u, x, mg.grad(twin, argnums=(0, 1))(x, z))
            return (slopes, [mg.zeros_like(v) for v in variables]) if variables else slopes

        return twin(x, z), rule

    assert not mg.check_gradients(wrong, x, z, raises=False).ok
