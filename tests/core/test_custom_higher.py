"""custom_gradient: rules are built from recorded ops, so they have derivatives of every order themselves."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg


def orders(f, x, n):
    """The value and n derivatives; None once the result no longer depends on x."""
    x = mg.constant(x)
    found = [f(x)]
    while len(found) <= n and found[-1] is not None:
        found += mg.gradients(found[-1], x)
    return [None if v is None else float(v) for v in found]


def test_a_rule_in_terms_of_x():
    f = mg.custom_gradient(lambda x: (x**3, lambda dy: dy * 3.0 * x**2))
    assert orders(f, 2.0, 3) == [8.0, 12.0, 12.0, 6.0]


def test_a_rule_that_uses_what_f_computed_stays_connected():
    @mg.custom_gradient
    def f(x):
        e = mg.exp(x)
        return e, lambda dy: dy * e

    assert orders(f, 1.0, 4) == pytest.approx([np.e] * 5, rel=1e-6)


def test_an_intermediate_kept_for_the_rule_has_the_right_second_derivative():
    @mg.custom_gradient
    def fourth(x):
        square = x * x
        return square * square, lambda dy: dy * 4.0 * square * x

    assert orders(fourth, 2.0, 4) == [16.0, 32.0, 48.0, 48.0, 24.0]


def test_several_outputs_of_a_custom_or_recomputed_function_are_used_nonlinearly():
    def pair(x):
        return mg.sin(x), mg.cos(x)

    @mg.custom_gradient
    def custom(x):
        s, c = pair(x)
        return (s, c), lambda ds, dc: ds * c - dc * s

    def number(f):
        def of(x):
            s, c = f(x)
            return s * s * c + mg.exp(c) * s

        return of

    plain = orders(number(pair), np.float64(0.7), 4)
    assert orders(number(custom), np.float64(0.7), 4) == pytest.approx(plain)
    assert orders(number(mg.recompute_grad(pair)), np.float64(0.7), 4) == pytest.approx(plain)


@pytest.mark.parametrize("rule", [
    lambda x: lambda dy: dy * 5.0, lambda x: lambda dy: mg.constant(5.0), lambda x: lambda dy: dy * float(x),
    lambda x: lambda dy: dy * x.numpy(), lambda x: lambda dy: dy * mg.stop_gradient(x),
])  # fmt: skip
def test_a_rule_that_does_not_depend_on_x_has_no_second_derivative(rule):
    f = mg.custom_gradient(lambda x: (x * 5.0, rule(x)))
    assert orders(f, 5.0, 2) == [25.0, 5.0, None]


def test_the_upstream_gradient_is_differentiated_too():
    f = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * 10.0 * x))
    x = mg.constant(3.0)
    y = f(x) * x  # dy/dx = f(x) + x * 10 x = 9 + 90; its derivative 10 x + 20 x = 90
    (g,) = mg.gradients(y, x)
    (h,) = mg.gradients(g, x)
    assert (float(g), float(h)) == (99.0, 90.0)


def test_the_rule_is_called_once_for_two_orders():
    runs = []

    @mg.custom_gradient
    def f(x):
        def grad(dy):
            runs.append(dy)
            return dy * x

        return x * x, grad

    assert orders(f, 3.0, 2) == [9.0, 3.0, 1.0]
    assert len(runs) == 1


def test_a_chain_of_three_rules():
    """Each rule is a function with a rule of its own: x^3, 3 x^2, then slopes 12 and -6 as written, then nothing."""

    @mg.custom_gradient
    def second(x):
        return 6.0 * x, lambda dy: dy * -6.0

    @mg.custom_gradient
    def first(x):
        return 3.0 * x**2, lambda dy: dy * second(x)

    @mg.custom_gradient
    def cube(x):
        return x**3, lambda dy: dy * first(x)

    assert orders(cube, 2.0, 4) == [8.0, 12.0, 12.0, -6.0, None]


def test_decorating_the_rule_itself_customises_its_derivative_in_dy_only():
    ran = []

    @mg.custom_gradient
    def f(x):
        @mg.custom_gradient
        def grad(dy):
            def second(ddy):
                ran.append(ddy)
                return ddy * 1000.0

            return dy * 5.0, second

        return x * 5.0, grad

    assert orders(f, 3.0, 2) == [15.0, 5.0, None]
    assert ran == []
    x = mg.constant(3.0)
    y = f(x)
    (g,) = mg.gradients(y * y, x)  # the upstream gradient 2 y depends on x: now the inner rule runs
    assert float(g) == 150.0
    assert float(mg.gradients(g, x)[0]) == 2.0 * 1000.0 * 5.0
    assert len(ran) == 1


def test_the_documented_way_to_customise_the_second_derivative():
    @mg.custom_gradient
    def f(x):
        def grad(dy):
            @mg.custom_gradient
            def slope(unused_x):
                return mg.constant(5.0), lambda ddy: ddy * 1000.0

            return dy * slope(x)

        return x * 5.0, grad

    assert orders(f, 3.0, 2) == [15.0, 5.0, 1000.0]


def test_the_outer_of_two_nested_rules_wins_and_the_inner_one_appears_at_the_second_order():
    @mg.custom_gradient
    def inner(x):
        return x * x, lambda dy: dy * 100.0

    @mg.custom_gradient
    def outer(x):
        y = inner(x)
        return y * 2.0, lambda dy: dy * y

    assert orders(outer, 3.0, 2) == [18.0, 9.0, 100.0]


def test_several_outputs_and_inputs():
    @mg.custom_gradient
    def f(a, b):
        return (a * b, a + b), lambda p, s: (p * b + s, p * a + s)

    a, b = mg.constant(3.0), mg.constant(2.0)
    p, s = f(a, b)
    (ga,) = mg.gradients(p * s, a)  # s b + p = 5 * 2 + 6
    gaa, gab = mg.gradients(ga, [a, b])  # 2 b, and d/db (2 a b + b^2) = 2 a + 2 b
    assert (float(ga), float(gaa), float(gab)) == (16.0, 4.0, 10.0)


def test_inside_nested_transforms():
    f = mg.custom_gradient(lambda x: (x**3, lambda dy: dy * 3.0 * x**2))
    assert float(mg.grad(mg.grad(f))(2.0)) == 12.0
    assert float(mg.grad(lambda x: x * mg.grad(lambda y: f(x) * y)(1.0))(2.0)) == 32.0


def test_a_gradient_inside_f():
    @mg.custom_gradient
    def slope_of_cube(x):
        (g,) = mg.gradients(x**3, x)
        return g, lambda dy: dy * x * 100.0

    assert orders(slope_of_cube, 2.0, 2) == [12.0, 200.0, 100.0]


def test_variables_at_the_second_order():
    w = mg.Variable(2.0)

    @mg.custom_gradient
    def f(x):
        return x * x * w, lambda dy, variables=None: (dy * 2.0 * x * w, [dy * x * x])

    x = mg.constant(3.0)
    gx, gw = mg.gradients(f(x), [x, w])
    assert (float(gx), float(gw)) == (12.0, 9.0)
    assert [float(g) for g in mg.gradients(gx, [x, w])] == [4.0, 6.0]
    assert float(mg.gradients(gw, x)[0]) == 6.0


def test_a_call_is_freed_with_its_result_by_reference_counting_alone():
    f = mg.custom_gradient(lambda x: (mg.exp(x), lambda dy: dy * x))
    gc.disable()
    try:
        x = mg.constant(1.0)
        y = f(x)
        mg.gradients(y, x)
        inside = weakref.ref(y.op.body_outputs[0])
        del y
        assert inside() is None
    finally:
        gc.enable()


polynomials = st.lists(st.integers(-5, 5), min_size=2, max_size=5)


@given(polynomials, st.integers(-3, 3))
def test_a_true_rule_changes_no_derivative_of_any_order(coefficients, x):
    """Horner's scheme, once with the derived rule and once with the rule for polynomials."""

    def horner(x, cs):
        y = x * 0.0
        for c in cs:
            y = y * x + float(c)
        return y

    n = len(coefficients) - 1
    slopes = [c * (n - i) for i, c in enumerate(coefficients[:-1])]

    @mg.custom_gradient
    def custom(x):
        return horner(x, coefficients), lambda dy: dy * horner(x, slopes)

    x = np.float64(x)
    derived = orders(lambda x: horner(x, coefficients), x, 3)
    assert orders(custom, x, 3)[: len(derived)] == derived[: len(orders(custom, x, 3))]


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-2, 2), st.floats(-2, 2))
def test_the_gradient_is_linear_in_the_upstream_gradient(a, b, u, v):
    f = mg.custom_gradient(lambda a, b: (mg.sin(a) * b, lambda dy: (dy * mg.cos(a) * b, dy * mg.sin(a))))
    a, b, u, v = (mg.constant(np.float64(t)) for t in (a, b, u, v))
    y = f(a, b)
    both = mg.gradients(y, [a, b], grad_ys=u + v)
    one, other = mg.gradients(y, [a, b], grad_ys=u), mg.gradients(y, [a, b], grad_ys=v)
    for whole, p, q in zip(both, one, other):
        np.testing.assert_allclose(whole.value, p.value + q.value, rtol=1e-12, atol=1e-12)
