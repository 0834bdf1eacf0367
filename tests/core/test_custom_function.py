"""custom_gradient: what it decorates, and what the decorated function may return."""

import functools
import inspect

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops


def slope(f, x=3.0):
    x = mg.constant(x)
    (g,) = mg.gradients(f(x), x)
    return None if g is None else float(g)


def times(n):
    return lambda dy: dy * n


# What f returns.


def no_pair(x):
    return x * 2.0


def triple(x):
    return x, times(7.0), None


def no_function(x):
    return x, 3


def nothing(x):
    return x, None


def swapped(x):
    return times(7.0), x


def none(x):
    return None, times(7.0)


def text(x):
    return [x, "y"], times(7.0)


def generator(x):
    return (x for _ in range(2)), times(7.0)


@pytest.mark.parametrize(("f", "message"), [
    (no_pair, r"must return \(value, grad_fn\), but returned a Tensor of shape \(2,\).*return y, grad"),
    (triple, "must return .value, grad_fn., but returned 3 values"),
    (no_function, "grad_fn=3 of type int, which cannot be called"),
    (nothing, "grad_fn=None, which cannot be called"),
    (swapped, r"grad_fn=a Tensor of shape \(2,\), which cannot be called.*swapped"), (none, "value is None"),
    (text, r"value\[1\] is the string 'y'"), (generator, "generator"),
])  # fmt: skip
def test_anything_but_a_value_and_a_function_is_refused_at_the_call(f, message):
    with pytest.raises(TypeError, match=rf"{f.__name__} \(test_custom_function\.py:\d+\).*{message}"):
        mg.custom_gradient(f)(mg.constant([1.0, 2.0]))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(5, np.int32), (5.0, np.float32), (np.ones(2), np.float64), (np.float16(1), np.float16), (True, np.bool_)],
)
def test_a_plain_value_becomes_a_tensor(value, dtype):
    y = mg.custom_gradient(lambda x: (value, times(7.0)))(mg.constant(1.0))
    assert type(y) is mg.Tensor and y.dtype == dtype
    np.testing.assert_array_equal(y.value, value)


def test_returning_the_argument_itself_makes_a_new_tensor_with_the_rule():
    f = mg.custom_gradient(lambda x: (x, times(7.0)))
    x = mg.constant(3.0)
    assert f(x) is not x
    assert slope(f) == 7.0


def test_no_outputs_at_all():
    assert mg.custom_gradient(lambda x: ((), times(7.0)))(mg.constant(1.0)) == ()


def test_f_runs_once_per_call_and_never_in_a_backward_pass():
    runs = []

    @mg.custom_gradient
    def f(x):
        runs.append(x)
        return x * x, times(7.0)

    x = mg.constant(3.0)
    y = f(x)
    mg.gradients(y, x)
    mg.gradients(y, x)
    assert [type(run) for run in runs] == [mg.Tensor]


def test_what_f_raises_is_passed_on_unchanged():
    class Mine(Exception):
        pass

    error = Mine("text")

    @mg.custom_gradient
    def f(x):
        raise error

    with pytest.raises(Mine) as caught:
        f(mg.constant(1.0))
    assert caught.value is error
    assert not getattr(error, "__notes__", [])


# What is decorated.


@pytest.mark.parametrize("thing", [5, "f", [times]])
def test_only_a_function_can_be_decorated(thing):
    with pytest.raises(TypeError, match=r"custom_gradient decorates a function .* got"):
        mg.custom_gradient(thing)


def test_parentheses_are_allowed():
    @mg.custom_gradient()
    def f(x):
        return x, times(7.0)

    assert slope(f) == 7.0


def test_it_is_the_decorator_of_keras_too():
    assert ops.custom_gradient is mg.custom_gradient


@mg.custom_gradient
def documented(x: float, n=2):
    """Doubles."""
    return x * n, times(7.0)


def test_name_documentation_and_signature_are_kept():
    assert documented.__name__ == documented.__qualname__ == "documented"
    assert documented.__doc__ == "Doubles."
    assert documented.__module__ == __name__
    assert str(inspect.signature(documented)) == "(x: float, n=2)"
    assert documented.__wrapped__(1.0)[0] == 2.0
    assert repr(documented).startswith("<custom_gradient documented (test_custom_function.py:")


def test_a_lambda():
    f = mg.custom_gradient(lambda x: (x, times(7.0)))
    assert f.__name__ == "<lambda>"
    assert slope(f) == 7.0


def scaled(n, x):
    return x * n, times(n * 10.0)


class Scale:
    def __init__(self, n):
        self.n = n

    def __call__(self, x):
        return scaled(self.n, x)

    def bound(self, x):
        return scaled(self.n, x)


@pytest.mark.parametrize(("f", "name"), [
    (functools.partial(scaled, 2.0), "scaled"), (functools.partial(functools.partial(scaled), 2.0), "scaled"),
    (Scale(2.0), "Scale"), (Scale(2.0).bound, "bound"),
])  # fmt: skip
def test_partials_callable_objects_and_bound_methods(f, name):
    decorated = mg.custom_gradient(f)
    assert decorated.__name__ == name
    assert slope(decorated) == 20.0
    assert float(decorated(mg.constant(3.0))) == 6.0


def test_the_name_of_a_partial_or_an_object_stands_in_messages():
    decorated = mg.custom_gradient(functools.partial(lambda n, x: n * x, 2.0))
    with pytest.raises(TypeError, match=r"<lambda> \(test_custom_function\.py:\d+\) must return"):
        decorated(mg.constant(1.0))

    class Doubler:
        def __call__(self, x):
            return x * 2.0

    with pytest.raises(TypeError, match=r"Doubler \(test_custom_function\.py:\d+\) must return"):
        mg.custom_gradient(Doubler())(mg.constant(1.0))


class Layer:
    n = 2.0

    @mg.custom_gradient
    def method(self, x):
        return x * self.n, lambda dy: dy * self.n * 10.0

    @classmethod
    @mg.custom_gradient
    def of_class(cls, x):
        return x * cls.n, lambda dy: dy * cls.n * 10.0

    @staticmethod
    @mg.custom_gradient
    def static(x):
        return x * 2.0, times(20.0)

    @mg.custom_gradient
    def __call__(self, x):
        return x * self.n, lambda dy: dy * self.n * 10.0


@pytest.mark.cases(7)
@pytest.mark.parametrize("f", [
    Layer().method, functools.partial(Layer.method, Layer()), Layer.of_class, Layer().of_class, Layer.static,
    Layer().static, Layer(),
])  # fmt: skip
def test_the_object_of_a_method_is_no_input(f):
    assert slope(f) == 20.0


def test_a_tensor_called_self_is_an_input():
    @mg.custom_gradient
    def f(self):
        return self * 2.0, times(20.0)

    assert slope(f) == 20.0


def test_a_method_keeps_its_metadata_without_self():
    assert Layer().method.__name__ == "method"
    assert str(inspect.signature(Layer().method)) == "(x)"


def test_custom_gradient_outside_classmethod_says_the_right_order():
    with pytest.raises(TypeError, match="write @classmethod first, then @custom_gradient"):

        class Wrong:
            @mg.custom_gradient
            @classmethod
            def f(cls, x):
                return x, times(1.0)


def test_custom_gradient_outside_staticmethod_works():
    class Right:
        @mg.custom_gradient
        @staticmethod
        def f(x):
            return x, times(7.0)

    assert slope(Right.f) == 7.0


# Control flow.


@mg.custom_gradient
def branching(x):
    if x > 0:
        return x, times(10.0)
    return -x, times(20.0)


def test_a_branch_may_bring_its_own_rule():
    assert slope(branching, 1.0) == 10.0
    assert slope(branching, -1.0) == 20.0


def test_a_loop_in_f():
    @mg.custom_gradient
    def power(x):
        y = x
        for _ in range(3):
            y = y * x
        return y, lambda dy: dy * 81.0

    assert slope(power, 3.0) == 81.0


def test_recursion_uses_the_outermost_rule_only():
    @mg.custom_gradient
    def factorial(x):
        y = x * factorial(x - 1.0) if x > 1 else x
        return y, times(6.0)

    assert float(factorial(mg.constant(4.0))) == 24.0
    assert slope(factorial, 4.0) == 6.0


def test_python_control_flow_on_the_upstream_gradient():
    @mg.custom_gradient
    def f(x):
        return x, lambda dy: dy if dy > 2 else dy * 0.0

    x = mg.constant(1.0)
    assert float(mg.gradients(f(x) * 3.0, x)[0]) == 3.0
    assert float(mg.gradients(f(x), x)[0]) == 0.0


def test_long_chains_of_custom_calls():
    f = mg.custom_gradient(lambda x: (x + 1.0, lambda dy: dy * 1.0))
    x = mg.constant(0.0)
    y = x
    for _ in range(20_000):
        y = f(y)
    assert float(y) == 20_000.0
    assert float(mg.gradients(y, x)[0]) == 1.0
    del y  # freeing it must not recurse either


@pytest.mark.parametrize("x", [2.0, mg.constant(2.0)])
def test_a_pass_that_ends_at_the_result_of_a_call_needs_no_rule_of_it(x):
    @mg.custom_gradient
    def f(x):
        def rule(upstream):
            raise AssertionError("no gradient of x is requested")

        return x * 2.0, rule

    y = f(x)
    assert mg.gradients(y * y, y)[0] == 8.0


def test_one_function_as_a_rule_and_as_a_method_is_called_by_the_convention_of_each():
    class Owner:
        def rule(self, upstream, second=None):
            return upstream if second is None else second

    @mg.custom_gradient
    def f(x, rule):
        return x * 2.0, rule

    x = mg.constant(1.0)
    for rule, slope in ((Owner().rule, 1.0), (Owner.rule, None), (Owner().rule, 1.0)):
        y = f(x, rule=rule)
        if slope is None:
            with pytest.raises(TypeError, match="takes 2 to 3"):
                mg.gradients(y, x)
        else:
            assert mg.gradients(y, x)[0] == slope
