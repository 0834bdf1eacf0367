"""custom_gradient: how the rule is called, when it runs, and what it may return."""

import functools
import re
import threading
from collections import namedtuple

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops
from tests.helpers.gradients import values


def rule(grad_fn, value=lambda *xs: functools.reduce(lambda a, b: a * b, xs)):
    """A function of any number of inputs whose rule is `grad_fn`."""

    @mg.custom_gradient
    def f(*xs):
        return value(*xs), grad_fn

    return f


@pytest.fixture
def x():
    return mg.constant(3.0)


# Outputs and upstreams.

Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(("value", "kind"), [
    (lambda x: (x, x * 2.0), tuple), (lambda x: [x, x * 2.0], list), (lambda x: Pair(x, x * 2.0), Pair),
    (lambda x: {"b": x, "a": x * 2.0}, dict),
])  # fmt: skip
def test_the_outputs_keep_their_structure(value, kind, x):
    y = rule(lambda a, b: a, value)(x)
    assert type(y) is kind
    if kind is dict:
        assert list(y) == ["b", "a"]
        y = y.values()
    assert [float(v) for v in y] == [3.0, 6.0]


def test_the_upstreams_of_a_dict_come_by_sorted_key(x):
    y = rule(lambda first, second: first * 10.0 + second, lambda x: {"b": x, "a": x})(x)
    assert values(mg.gradients(y["a"], x)) == [10.0]
    assert values(mg.gradients(y["b"], x)) == [1.0]


def test_a_rule_that_names_the_keys_gets_the_upstreams_by_name(x):
    y = rule(lambda b, a: b * 10.0 + a, lambda x: {"b": x, "a": x})(x)
    assert values(mg.gradients(y["a"], x)) == [1.0]
    assert values(mg.gradients(y["b"], x)) == [10.0]


@pytest.mark.parametrize("recorded", [False, True])
def test_an_unused_output_has_an_upstream_of_zeros(recorded, x):
    arrived = []

    def grad(a, b):
        arrived.extend([a, b])
        return a

    f = rule(grad, lambda x: (x * 2.0, mg.stack([x, x]).astype("float64")))
    if recorded:
        mg.gradients(f(x)[0], x)
    else:
        mg.grad(lambda x: f(x)[0])(x)
    used, unused = arrived
    assert float(used) == 1.0
    assert (unused.shape, unused.dtype, unused.value.tolist()) == ((2,), np.float64, [0.0, 0.0])


def test_a_nan_that_flows_to_an_integer_output_is_0_there():
    @mg.custom_gradient
    def with_its_floor(x):
        def rule(dy, dn):
            assert dn.dtype == np.int32 and dn.value == 0
            return dy * 2

        return (x * 2, mg.astype(x, "int32")), rule

    def f(x):
        double, n = with_its_floor(x)
        return double * n * np.nan + mg.astype(n, "float32") * np.nan

    assert np.isnan(mg.gradients(f(x := mg.constant(2.5)), [x])[0].value)
    assert np.isnan(mg.grad(f)(2.5).value)


def test_an_integer_output_disturbs_nothing(x):
    f = rule(lambda a, n: a * 7.0, lambda x: (x * 2.0, mg.constant([1, 2])))
    y, n = f(x)
    assert n.dtype == np.int32
    assert values(mg.gradients(y, x)) == [7.0]
    with pytest.warns(UserWarning, match="ys has dtype int32"):
        assert values(mg.gradients(n, x)) == [None]


def test_several_outputs_run_the_rule_once(x):
    runs = []

    def grad(a, b):
        runs.append((float(a), float(b)))
        return a + b

    a, b = rule(grad, lambda x: (x * 2.0, x * 3.0))(x)
    assert values(mg.gradients(a * 5.0 + b + b, x)) == [7.0]
    assert runs == [(5.0, 2.0)]


def test_one_tensor_returned_twice_is_two_outputs(x):
    def both(x):
        y = x * 2.0
        return y, y

    y, z = rule(lambda a, b: a * 10.0 + b, both)(x)
    assert y is not z
    assert values(mg.gradients([y, z], x)) == [11.0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_upstream_has_the_dtype_of_the_output_and_the_gradient_that_of_the_input(dtype, x):
    arrived = []

    def grad(dy):
        arrived.append(dy.dtype)
        return dy

    (g,) = mg.gradients(rule(grad, lambda x: x.astype(dtype))(x), x)
    assert arrived == [dtype]
    assert g.dtype == np.float32


@pytest.mark.parametrize(
    ("grad", "takes"), [(lambda a: a, "1"), (lambda a, b, c: a, "3"), (lambda a, b, c, d=0: a, "3 to 4")]
)
def test_a_rule_for_another_number_of_outputs_is_told_so(grad, takes, x):
    y, _ = rule(grad, lambda x: (x, x))(x)
    message = (
        rf"f has 2 outputs, so grad_fn is called with 2 upstreams, but <lambda> \(test_custom_rule.*\) takes {takes}$"
    )
    with pytest.raises(TypeError, match=message):
        mg.gradients(y, x)


# Conventions.


def test_upstream_as_a_required_keyword_is_the_convention_of_keras_on_torch(x):
    @ops.custom_gradient
    def f(x, k, name):
        def grad(*args, upstream):
            a, b, text = args
            assert text == "name" and b == 2.0
            return upstream * a * 100.0, None, None

        return x * k, grad

    assert values(mg.gradients(f(x, 2.0, "name"), x)) == [300.0]


def test_upstream_as_an_optional_keyword_is_the_convention_of_tensorflow(x):
    def grad(*args, upstream=None):
        assert upstream is None
        (upstream,) = args
        return upstream * 7.0

    assert values(mg.gradients(rule(grad)(x), x)) == [7.0]


def test_the_upstream_of_several_outputs_is_structured_like_them(x):
    def grad(x, *, upstream):
        return upstream["b"] * 10.0 + upstream["a"][0]

    y = rule(grad, lambda x: {"b": x, "a": (x,)})(x)
    assert values(mg.gradients([y["b"], y["a"][0]], x)) == [11.0]


class Callable:
    def __call__(self, dy):
        return dy * 7.0

    def method(self, dy):
        return dy * 7.0


@pytest.mark.parametrize("grad", [
    functools.partial(lambda n, dy: dy * n, 7.0), Callable(), Callable().method, lambda dy, n=7.0: dy * n,
    lambda *dys: dys[0] * 7.0, lambda dy, **options: dy * (7.0 + len(options)),
    lambda variables: variables * 7.0,
])  # fmt: skip
def test_anything_that_can_be_called_is_a_rule(grad, x):
    assert values(mg.gradients(rule(grad)(x), x)) == [7.0]


@pytest.mark.parametrize("grad", [mg.negative, np.negative, ops.negative])
def test_library_functions_are_rules(grad, x):
    assert values(mg.gradients(rule(grad)(x), x)) == [-1.0]


# What the rule returns.


@pytest.mark.parametrize("kind", [lambda g: g, lambda g: [g], lambda g: (g,)])
def test_one_input_takes_a_gradient_or_a_sequence_of_one(kind, x):
    assert values(mg.gradients(rule(lambda dy: kind(dy * 7.0))(x), x)) == [7.0]


@pytest.mark.parametrize(("gradient", "value"), [
    (7, 7.0), (7.0, 7.0), (np.float64(7.0), 7.0), (np.float16(7.0), 7.0), (np.array(7.0), 7.0),
    (mg.constant(7.0, "float64"), 7.0), (mg.Variable(7.0), 7.0),
])  # fmt: skip
def test_floats_of_any_kind_are_converted_to_the_dtype_of_the_input(gradient, value, x):
    (g,) = mg.gradients(rule(lambda dy: gradient)(x), x)
    assert isinstance(g, mg.Tensor) and not isinstance(g, mg.Variable)
    assert (g.dtype, float(g)) == (np.float32, value)


def test_an_assignment_after_the_backward_pass_does_not_change_a_gradient(x):
    w = mg.Variable(7.0)
    (g,) = mg.gradients(rule(lambda dy: w)(x), x)
    w.assign(8.0)
    assert float(g) == 7.0


@pytest.mark.parametrize(("gradient", "said"), [
    ("oops", "the string 'oops'"), (mg.constant(7), "int32"), (np.array(7), "int64"),
    (mg.constant(True), "bool"), (True, "True of type bool"), (object(), "of type object"),
])  # fmt: skip
def test_what_is_no_float_is_no_gradient(gradient, said, x):
    place = r"grad_fn <lambda> \(test_custom_rule\.py:\d+\) of f"
    message = rf"{place}: the gradient for input xs\[0\] is .*{said} \(float32 expected\)"
    with pytest.raises(TypeError, match=message):
        mg.gradients(rule(lambda dy: gradient)(x), x)


@pytest.mark.parametrize(("grad_fn", "count"), [
    (lambda dy: dy, "1 gradient,"), (lambda dy: [dy], "1 gradient,"), (lambda dy: [dy, dy, dy], "3 gradients,"),
    (lambda dy: [], "0 gradients,"), (lambda dy: mg.stack([dy, dy]), "1 gradient,"),
    (lambda dy: None, "None,"),
])  # fmt: skip
def test_too_few_or_too_many_gradients(grad_fn, count, x):
    @mg.custom_gradient
    def multiply(a, b):
        return a * b, grad_fn

    message = (
        rf"^grad_fn <lambda> \(test_custom_rule\.py:\d+\) of multiply returned {count} but multiply was called "
        r"with 2 inputs \(a, b\)\. Return one per input, None if there is none$"
    )
    y = mg.constant(2.0)
    for sources in ([x, y], [x]):
        with pytest.raises(ValueError, match=message):
            mg.gradients(multiply(x, y), sources)


def test_a_generator_of_gradients_is_refused(x):
    with pytest.raises(ValueError, match="returned a generator; return a list or a tuple"):
        mg.gradients(rule(lambda dy: (g for g in [dy]))(x), x)


def test_none_means_not_connected(x):
    y = mg.constant(2.0)
    f = rule(lambda dy: (dy, None))
    assert values(mg.gradients(f(x, y), [x, y])) == [1.0, None]
    assert values(mg.gradients(f(x, y), [x, y], unconnected_gradients="zero")) == [1.0, 0.0]
    assert values(mg.gradients(f(x, y) + y, y)) == [1.0]


def test_an_unrecorded_pass_gives_unrecorded_gradients():
    y = mg.constant(2.0)
    f = rule(lambda dy: (dy * 7.0, None))
    g, none = mg.grad(lambda x, y: f(x, y), argnums=(0, 1))(mg.constant(3.0), y)
    assert (float(g), float(none)) == (7.0, 0.0)
    assert g.op is None


@pytest.mark.parametrize(("shape", "grad_fn", "got", "hint"), [
    ((3,), lambda dy: mg.sum(dy), "()", "one slope for each element of xs[0]"),
    ((3,), lambda dy: dy[:2], "(2,)", "A gradient has the same shape as its input"),
    ((3,), lambda dy: np.ones((4, 3)), "(4, 3)", "sum the gradient over axis 0"),
    ((3, 1), lambda dy: np.ones((2, 3, 5)), "(2, 3, 5)", "sum the gradient over axes (0, 2)"),
    ((3,), lambda dy: np.eye(3), "(3, 3)", "looks like the Jacobian; return dy @ J, not J"),
])  # fmt: skip
def test_a_gradient_of_another_shape_is_an_error_with_a_hint(shape, grad_fn, got, hint):
    x = mg.constant(np.ones(shape))
    message = (
        re.escape(f"the gradient for input xs[0] has shape {got}, but xs[0] has shape {shape}. ")
        + f".*{re.escape(hint)}"
    )
    with pytest.raises(ValueError, match=message):
        mg.gradients(rule(grad_fn)(x), x)


def test_the_hint_for_a_variable_of_one_number_whose_gradient_is_not_summed():
    w = mg.Variable(2.0, name="a_weight")

    @mg.custom_gradient
    def scaled(x):
        return w * x, lambda dy, variables=None: (dy * w, [dy * x])

    x = mg.constant([1.0, 2.0])
    with pytest.raises(
        ValueError, match=r"a_weight has shape \(2,\), but a_weight has shape \(\)\..*mg\.sum\("
    ) as error:
        mg.gradients(scaled(x), x)
    assert "Jacobian" not in str(error.value)


def test_the_hint_for_an_unreduced_bias():
    @mg.custom_gradient
    def add_bias(a, b):
        return a + b, lambda dy: (dy, dy)

    a, b = mg.constant(np.ones((3, 2))), mg.constant(np.ones(2))
    message = (
        r"the gradient for input b has shape \(3, 2\), but b has shape \(2,\)\. "
        r"b was broadcast over axis 0: sum the gradient over axis 0"
    )
    with pytest.raises(ValueError, match=message):
        mg.gradients(add_bias(a, b), b)


def test_the_path_to_a_nested_input_stands_in_the_message(x):
    @mg.custom_gradient
    def f(params):
        return params["w"][1] * 1.0, lambda dy: {"w": [None, "oops"]}

    with pytest.raises(TypeError, match=r"for input params\['w'\]\[1\] is the string 'oops'"):
        mg.gradients(f({"w": [x, x]}), x)


def test_what_the_rule_raises_keeps_its_type_says_where_and_can_be_retried(x):
    class Mine(Exception):
        pass

    broken = True

    def grad(dy):
        if broken:
            raise Mine("text")
        return dy * 7.0

    y = rule(grad)(x)
    with pytest.raises(Mine, match="text") as caught:
        mg.gradients(y, x)
    if hasattr(caught.value, "__notes__"):
        assert re.fullmatch(r"while running grad_fn grad \(test_custom_rule\.py:\d+\) of f", caught.value.__notes__[0])
    broken = False
    assert values(mg.gradients(y, x)) == [7.0]


# When the rule runs.


@pytest.fixture
def counted():
    runs = []

    def grad(dy):
        runs.append(float(dy))
        return dy * 10.0

    return rule(grad), runs


def test_the_rule_does_not_run_in_a_forward_pass(counted, x):
    f, runs = counted
    f(x)
    assert runs == []


def test_the_rule_runs_once_with_the_sum_of_all_upstreams(counted, x):
    f, runs = counted
    y = f(x)
    assert values(mg.gradients(y * 2.0 + y * 7.0, x)) == [90.0]
    assert runs == [9.0]


def test_the_rule_runs_anew_for_each_pass(counted, x):
    f, runs = counted
    y = f(x)
    for _ in range(3):
        assert values(mg.gradients(y, x)) == [10.0]
    assert len(runs) == 3


def test_the_rule_does_not_run_when_target_or_source_is_elsewhere(counted, x):
    f, runs = counted
    z = mg.constant(2.0)
    y = f(x)
    assert values(mg.gradients(x * z, x)) == [2.0]
    assert values(mg.gradients(y * z, z)) == [3.0]
    assert runs == []


HELD = {
    "itself": lambda t: t, "identity": mg.identity, "stop_gradient": mg.stop_gradient, "a view": lambda t: t[:],
    "a view of a view": lambda t: mg.identity(t[:]), "in a list": lambda t: [t], "an array": lambda t: t.value,
}  # fmt: skip


@pytest.mark.parametrize("returned", HELD.values(), ids=HELD)
@pytest.mark.parametrize("make", [mg.constant, mg.Variable])
def test_a_gradient_that_the_caller_changes_in_place_is_no_tensor_of_the_rule(returned, make):
    held, given = make([1.0, 2.0]), np.ones(2, "float32")
    f = rule(lambda dy: returned(held), mg.identity)
    _, pull_back = mg.vjp(f, given)
    for slope in (
        pull_back(given)[0], mg.grad(lambda x: mg.sum(f(x)))(given),
        mg.grad(lambda x, y: mg.sum(f(x) * y), (0, 1))(given, given)[0],
        mg.grad(lambda p: f(p["w"])[0])({"w": given})["w"],
    ):  # fmt: skip
        assert slope.tolist() == [1.0, 2.0]
        slope *= 0.0
    assert held.value.tolist() == pull_back(given)[0].tolist() == [1.0, 2.0]


def test_threads_do_not_see_each_other(x):
    def work(n, found):
        f = rule(lambda dy: dy * n)
        x = mg.constant(1.0)
        found[n] = {float(mg.gradients(f(x), x)[0]) for _ in range(200)}

    found = {}
    threads = [threading.Thread(target=work, args=(n, found)) for n in (2.0, 3.0)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == {2.0: {2.0}, 3.0: {3.0}}


def test_ignoring_custom_gradients_follows_what_f_did(x):
    y = rule(lambda dy: dy * 100.0, lambda x: x * x)(x)
    with mg.ignore_custom_gradients():
        assert values(mg.gradients(y, x)) == [6.0]
        with mg.ignore_custom_gradients():
            pass
        (g,) = mg.gradients(y, x)
        assert values(mg.gradients(g, x)) == [2.0]
    assert values(mg.gradients(y, x)) == [100.0]
