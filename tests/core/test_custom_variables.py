"""custom_gradient and Variables: for which of them a rule must return gradients, in which order, and in which form."""

import re

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.gradients import values


@pytest.fixture
def x():
    return mg.constant(3.0)


@pytest.fixture
def w():
    return mg.Variable(2.0, name="w")


def using(w, form=lambda dy, n: (dy * 10.0, [dy * 100.0] * n), value=lambda x, w: x * w):
    """A function that uses the Variable `w` and notes the `variables` its rule was given."""
    given = []

    @mg.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            given.append(variables)
            return form(dy, len(variables or ()))

        return value(x, w), grad

    return f, given


# What goes in and what comes out.


def test_variables_are_the_users_own_objects_and_the_answer_a_pair(x, w):
    f, given = using(w)
    assert values(mg.gradients(f(x), [x, w])) == [10.0, 100.0]
    (variables,) = given
    assert isinstance(variables, list) and len(variables) == 1 and variables[0] is w


def test_only_the_variable_is_asked_for(x, w):
    f, _ = using(w)
    assert values(mg.gradients(f(x), w)) == [100.0]


@pytest.mark.parametrize("grad", [
    lambda dy, *, variables: (dy * 10.0, [dy * 100.0 for _ in variables]),
    lambda dy, *, variables=None: (dy * 10.0, [dy * 100.0 for _ in variables]),
    lambda dy, variables: (dy * 10.0, [dy * 100.0 for _ in variables]),
    lambda dy, **kw: (dy * 10.0, [dy * 100.0 for _ in kw["variables"]]),
    lambda *dys, variables=None: (dys[0] * 10.0, [dys[0] * 100.0 for _ in variables]),
    lambda x, *, upstream, variables=None: (upstream * 10.0, [upstream * 100.0 for _ in variables]),
])  # fmt: skip
def test_the_ways_to_accept_variables(grad, x, w):
    f = mg.custom_gradient(lambda x: (x * w, grad))
    assert values(mg.gradients(f(x), [x, w])) == [10.0, 100.0]


@pytest.mark.parametrize("grad", [lambda dy: dy, lambda *dys: dys[0], mg.negative, lambda dy, options=None: dy])
def test_a_rule_that_does_not_accept_variables_is_refused_at_the_call(grad, x):
    kernel, bias = mg.Variable(2.0, name="kernel"), mg.Variable(1.0, name="bias")
    k, b = re.escape(kernel.name), re.escape(bias.name)

    @mg.custom_gradient
    def dense(x):
        return x * kernel, grad

    name = getattr(grad, "__name__", "")
    with pytest.raises(TypeError) as caught:
        dense(x)
    assert re.fullmatch(
        rf"dense \(test_custom_variables\.py:\d+\) uses the variable {k}, so its grad_fn {name} \([\w.]+:\d+\) must "
        rf"accept it: def grad\(dy, variables=None\) and return \(grad_xs, \[grad_{k}\]\)",
        str(caught.value),
    )

    @mg.custom_gradient
    def both(x):
        return x * kernel + bias, grad

    with pytest.raises(TypeError, match=rf"variables {b}, {k}, .* must accept them.*\[grad_{b}, grad_{k}\]"):
        both(x)


@pytest.mark.parametrize("variables", [None, [], ()])
def test_no_variables_used(variables, x):
    given = []

    @mg.custom_gradient
    def f(x):
        def grad(dy, variables=variables, **kw):
            given.append((variables, kw))
            return dy * 10.0

        return x * 2.0, grad

    assert values(mg.gradients(f(x), x)) == [10.0]
    assert given == [(variables, {})]


def test_insisting_on_variables_where_none_are_used(x):
    f = mg.custom_gradient(lambda x: (x, lambda dy, variables: dy))
    with pytest.raises(
        TypeError, match=r"<lambda> \(.*\) requires variables, but .* uses no variables.*variables=None"
    ):
        mg.gradients(f(x), x)


@pytest.mark.parametrize("empty", [[], ()])
def test_an_empty_list_of_gradients_where_no_variables_are_used(empty, x):
    f = mg.custom_gradient(lambda x: (x, lambda dy, variables=None: (dy * 10.0, empty)))
    assert values(mg.gradients(f(x), x)) == [10.0]


# The form of the result.


@pytest.mark.parametrize("pair", [
    lambda dx, dw, w: (dx, [dw]), lambda dx, dw, w: [dx, (dw,)], lambda dx, dw, w: ([dx], [dw]),
    lambda dx, dw, w: (dx, {w.name: dw}), lambda dx, dw, w: (dx, {w.ref(): dw}),
    lambda dx, dw, w: ({"x": dx}, [dw]),
])  # fmt: skip
def test_forms_of_the_pair(pair, x, w):
    f, _ = using(w, lambda dy, n: pair(dy * 10.0, dy * 100.0, w))
    assert values(mg.gradients(f(x), [x, w])) == [10.0, 100.0]


@pytest.mark.parametrize(("form", "said"), [
    (lambda dy: dy, r"got a Tensor of shape \(\)"), (lambda dy: (dy, dy), r"got a Tensor of shape \(\)"),
    (lambda dy: (dy, mg.stack([dy])), r"got a Tensor of shape \(1,\)"),
    (lambda dy: (dy, dy, dy), "got a tuple of 3"), (lambda dy: (dy, None), "got None"),
    (lambda dy: None, "got None"),
])  # fmt: skip
def test_anything_but_a_pair_with_a_list_is_refused(form, said, x, w):
    f, _ = using(w, lambda dy, n: form(dy))
    message = (
        rf"grad_fn grad \(.*\) of f must return \(grad_xs, grad_vars\) with grad_vars a list of 1 \({w.name}\), {said}"
    )
    with pytest.raises(TypeError, match=message):
        mg.gradients(f(x), x)


def test_a_wrong_number_of_gradients_for_variables(x, w):
    f, _ = using(w, lambda dy, n: (dy, [dy, dy]))
    with pytest.raises(ValueError, match=rf"must return a gradient for each variable: expected 1 \({w.name}\), got 2"):
        mg.gradients(f(x), x)


def test_a_dict_with_another_name(x, w):
    f, _ = using(w, lambda dy, n: (dy, {"v": dy}))
    with pytest.raises(ValueError, match=rf"a list of 1 \({w.name}\); its dict names v"):
        mg.gradients(f(x), x)


def twins():
    """Two Variables with the same name, and a third that was made after them but comes first by name."""
    older, younger = mg.Variable(2.0, name="w"), mg.Variable(5.0, name="w")
    other = mg.Variable(7.0, name="a")
    return older, younger, other


def test_where_names_tie_the_variables_come_in_the_order_in_which_they_were_made(x):
    older, younger, other = twins()
    f, given = using(None, value=lambda x, _: x * younger * other * older)
    mg.gradients(f(x), x)
    assert [id(v) for v in given[0]] == [id(other), id(older), id(younger)]


def test_a_dict_cannot_tell_variables_of_one_name_apart_but_by_ref(x):
    older, younger, _ = twins()
    by_name, _ = using(None, lambda dy, n: (dy, {"w": dy}), lambda x, _: x * younger * older)
    with pytest.raises(ValueError, match=r"several variables are called w: write v.ref\(\) for the key of each"):
        mg.gradients(by_name(x), x)
    by_ref, _ = using(
        None, lambda dy, n: (dy, {younger.ref(): dy * 3.0, older.ref(): dy * 4.0}), lambda x, _: x * younger * older
    )
    assert values(mg.gradients(by_ref(x), [older, younger])) == [4.0, 3.0]


def test_a_dict_with_a_name_too_many(x, w):
    f, _ = using(w, lambda dy, n: (dy, {w.name: dy, "v": dy}))
    with pytest.raises(ValueError, match=rf"its dict names {w.name}, v"):
        mg.gradients(f(x), x)


def test_a_wrong_shape_names_the_variable(x):
    w = mg.Variable([1.0, 2.0], name="kernel")
    f, _ = using(w, lambda dy, n: (mg.sum(dy), [mg.sum(dy)]))
    message = (
        rf"grad_fn grad \(.*\) of f: the gradient for variable {w.name} has shape \(\), but {w.name} has shape \(2,\)"
    )
    with pytest.raises(ValueError, match=message):
        mg.gradients(f(x), w)


def test_none_for_a_variable(x, w):
    f, _ = using(w, lambda dy, n: (dy, [None]))
    assert values(mg.gradients(f(x), [x, w])) == [1.0, None]


def test_a_wrong_number_of_gradients_for_the_inputs_beside_variables(x, w):
    f, _ = using(w, lambda dy, n: ((dy, dy), [dy]))
    with pytest.raises(ValueError, match=r"returned 2 gradients, but f was called with 1 input \(x\)"):
        mg.gradients(f(x), x)


# Which variables count.


def test_an_untrainable_variable_is_a_constant(x):
    w, frozen = mg.Variable(2.0), mg.Variable(5.0, trainable=False)
    f = mg.custom_gradient(lambda x: (x * frozen, lambda dy: dy * 7.0))
    assert values(mg.gradients(f(x), [x, frozen])) == [7.0, None]
    f, given = using(w, value=lambda x, w: x * w * frozen)
    mg.gradients(f(x), x)
    ((only,),) = given
    assert only is w
    assert values(mg.gradients(frozen * frozen, frozen)) == [10.0]


def test_an_integer_variable_is_a_constant(x):
    n = mg.Variable(2)
    f = mg.custom_gradient(lambda x: (x * n, lambda dy: dy * 7.0))
    assert values(mg.gradients(f(x), [x, n])) == [7.0, None]


@pytest.mark.parametrize("touch", [
    lambda w, x: w * 2.0, lambda w, x: w.numpy(), lambda w, x: w.assign(4.0), lambda w, x: w.shape,
    lambda w, x: mg.gradients(w * w, w),
])  # fmt: skip
def test_a_variable_that_is_only_touched_does_not_count(touch, x, w):
    @mg.custom_gradient
    def f(x):
        touch(w, x)
        return x * 2.0, lambda dy: dy * 7.0

    assert values(mg.gradients(f(x), x)) == [7.0]


def test_a_variable_behind_stop_gradient_does_not_count(x, w):
    f = mg.custom_gradient(lambda x: (x * mg.stop_gradient(w), lambda dy: dy * 7.0))
    assert values(mg.gradients(f(x), [x, w])) == [7.0, None]


def test_a_variable_behind_a_captured_tensor_does_not_count(x, w):
    k = w * 3.0
    f, given = using(w, value=lambda x, w: (w * 2.0, x * k)[1])
    assert values(mg.gradients(f(x), w)) == [None]
    assert given == []


def test_a_variable_behind_an_argument_does_not_count(w):
    u = w * 3.0
    v = mg.Variable(5.0)
    f, given = using(v, value=lambda x, v: x * v)
    assert values(mg.gradients(f(u), [w, v])) == [30.0, 100.0]
    assert len(given[0]) == 1 and given[0][0] is v


def test_a_captured_variable_that_is_the_value(x, w):
    f, given = using(w, value=lambda x, w: w)
    assert values(mg.gradients(f(x), [x, w])) == [10.0, 100.0]
    assert given[0][0] is w


def test_a_variable_used_twice_is_listed_once(x, w):
    f, given = using(w, value=lambda x, w: x * w * w)
    assert values(mg.gradients(f(x), w)) == [100.0]
    assert len(given[0]) == 1


def test_variables_come_sorted_by_name(x):
    with mg.variable_scope(None, default_name="sorted"):
        vs = [mg.Variable(float(i), name=f"v{i}") for i in (2, 1, 10, 0)]
    names = []

    @mg.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            names.extend(v.name.rpartition("/")[2] for v in variables)
            return dy, [dy * float(n[1:]) for n in names]

        return x * vs[0] * vs[1] * vs[2] + vs[3], grad

    assert values(mg.gradients(f(x), vs)) == [2.0, 1.0, 10.0, 0.0]
    assert names == ["v0", "v1", "v10", "v2"]


def test_a_variable_created_inside_is_made_anew_on_every_call(x):
    made = []

    @mg.custom_gradient
    def f(x):
        w = mg.Variable(2.0)
        made.append(w)
        return x * w, lambda dy, variables=None: (dy, [dy * 100.0 for _ in variables])

    first, second = f(x), f(x)
    assert made[0] is not made[1]
    assert values(mg.gradients(first, made)) == [100.0, None]
    assert values(mg.gradients(second, made)) == [None, 100.0]


def test_a_variable_read_only_in_the_rule_counts_at_the_second_order(x, w):
    given = []

    @mg.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            given.append(variables)
            return dy * w * x

        return x * x, grad

    (g,) = mg.gradients(f(x), x)
    assert given == [None]
    assert values(mg.gradients(f(x), w)) == [None]
    assert values(mg.gradients(g, [w, x])) == [3.0, 2.0]


# Variables as arguments.


def test_a_variable_argument_is_seen_as_itself_and_is_no_member_of_variables(x, w):
    seen = []

    @mg.custom_gradient
    def f(x, v):
        seen.append(v)
        return x * v, lambda dy: (dy * 10.0, dy * 100.0)

    assert values(mg.gradients(f(x, w), [x, w])) == [10.0, 100.0]
    assert seen[0] is w


def test_an_argument_that_is_captured_as_well_is_an_argument_only(w):
    f = mg.custom_gradient(lambda v: (v * w, lambda dy: dy * 100.0))
    assert values(mg.gradients(f(w), w)) == [100.0]


def test_variables_inside_structures(x, w):
    b = mg.Variable(1.0)
    f = mg.custom_gradient(lambda p, x: (x * p["w"] + p["b"], lambda dy: (dy, dy * 2.0, dy * 3.0)))
    assert values(mg.gradients(f({"w": w, "b": b}, x), [b, w, x])) == [1.0, 2.0, 3.0]


# Assignment between forward and backward.


def test_a_rule_sees_the_present_value_and_an_op_the_one_it_read(x, w):
    f, _ = using(w, lambda dy, n: (dy * w, [dy * x]))
    y, z = f(x), x * w
    w.assign(50.0)
    assert values(mg.gradients(y, x)) == [50.0]
    assert values(mg.gradients(z, x)) == [2.0]


# Nesting.


def test_the_outer_rule_answers_for_the_variables_of_the_inner_one(x, w):
    inner, ran = using(w)

    @mg.custom_gradient
    def outer(x):
        return inner(x), lambda dy, variables=None: (dy * 1.0, [dy * 2.0 for _ in variables])

    assert values(mg.gradients(outer(x), [x, w])) == [1.0, 2.0]
    assert ran == []


def test_an_outer_rule_that_does_not_accept_the_variables_of_the_inner_one(x, w):
    inner, _ = using(w)
    outer = mg.custom_gradient(lambda x: (inner(x), lambda dy: dy))
    with pytest.raises(TypeError, match=rf"uses the variable {w.name}"):
        outer(x)


def test_ignoring_the_rule_counts_a_variable_behind_an_argument_once(w):
    u = w * 3.0
    f, _ = using(w, value=lambda u, w: u * w)
    y = f(u)  # 3 w^2
    with mg.ignore_custom_gradients():
        assert values(mg.gradients(y, w)) == [12.0]


def test_ignoring_the_rule_counts_a_variable_given_twice_once(w):
    product = mg.custom_gradient(lambda a, b: (a * b, lambda dy: (dy * b, dy * a)))
    y = product(w, w)  # w^2
    with mg.ignore_custom_gradients():
        assert values(mg.gradients(y, w)) == [4.0]
    assert values(mg.gradients(y, w)) == [4.0]


# Identity and equality.


def test_variables_compare_elementwise_and_cannot_be_hashed(w):
    assert bool(w == mg.Variable(2.0)) is True
    with pytest.raises(TypeError, match="unhashable"):
        hash(w)
    assert {w.ref(): 1}[w.ref()] == 1


# Resource variables.


def test_a_scope_without_resource_variables_is_refused(x):
    w = mg.Variable(2.0, name="w")
    f, _ = using(w)
    with mg.variable_scope("ref", use_resource=False), pytest.raises(TypeError, match=rf"{w.name}.*use_resource"):
        f(x)
    f(x)


def test_a_variable_made_inside_without_resource_is_refused(x):
    @mg.custom_gradient
    def f(x):
        w = mg.get_variable("ref_inside", initializer=2.0, use_resource=False)
        return x * w, lambda dy, variables=None: (dy, [dy])

    with pytest.raises(TypeError, match="uses the variables ref_inside, made with use_resource=False"):
        f(x)


def test_a_variable_made_outside_without_resource_is_accepted(x):
    with mg.variable_scope("ref_outside", use_resource=False):
        w = mg.get_variable("w", initializer=2.0)
    f, _ = using(w)
    assert values(mg.gradients(f(x), w)) == [100.0]


def test_gradients_of_variables_have_their_shape_and_dtype(x):
    w = mg.Variable(np.ones((2, 3)), name="w")
    f, _ = using(w, lambda dy, n: (mg.sum(dy), [dy]))
    (g,) = mg.gradients(f(x), w)
    assert (g.shape, g.dtype) == ((2, 3), np.float64)


@pytest.mark.parametrize("another", [False, True])
def test_a_value_that_was_read_before_the_call_is_no_variable_of_it(another):
    v, w = mg.Variable(2.0, name="v"), mg.Variable(3.0, name="w")
    read, seen = w.read_value(), []

    @mg.custom_gradient
    def f(x):
        def rule(upstream, variables=None):
            seen.append([one.name for one in variables or ()])
            return (upstream, [upstream] * len(variables)) if variables else upstream

        return (x * read * v if another else x * read), rule

    x = mg.constant(1.0)
    mg.gradients(f(x), x)
    assert seen == [["v"] if another else []]


def test_a_variable_that_is_read_again_in_the_call_is_one_of_it():
    w = mg.Variable(3.0, name="w")
    before = w * 2.0

    @mg.custom_gradient
    def f(x):
        return x * w, lambda upstream, variables: (upstream * w, [upstream * x])

    x = mg.constant(5.0)
    assert mg.gradients(f(x) + before, [x, w]) == [3.0, 7.0]
