"""custom_gradient: arguments of every kind, by position and by name, and which of them need a gradient."""

import numpy as np
import pytest

import minigrad as mg


def values(gradients):
    return [None if g is None else g.value.tolist() for g in gradients]


def scaled(*factors):
    """A rule that sends the upstream gradient to each input, multiplied by the factor of that input."""
    return lambda dy: [None if n is None else dy * n for n in factors]


@pytest.fixture
def xs():
    return [mg.constant(v) for v in (3.0, 2.0, 5.0)]


# By position.


def test_one_gradient_for_each_positional_tensor(xs):
    f = mg.custom_gradient(lambda x, y, z: (x * y * z, scaled(1.0, 10.0, 100.0)))
    assert values(mg.gradients(f(*xs), xs)) == [1.0, 10.0, 100.0]


def test_a_default_that_is_not_passed_is_no_input(xs):
    f = mg.custom_gradient(lambda x, k=2.0: (x * k, scaled(7.0)))
    assert values(mg.gradients(f(xs[0]), xs[:1])) == [7.0]


def test_a_variable_number_of_arguments(xs):
    f = mg.custom_gradient(lambda *xs: (xs[0] * xs[1] * xs[2], lambda dy: tuple(dy * n for n in (1.0, 2.0, 3.0))))
    assert values(mg.gradients(f(*xs), xs)) == [1.0, 2.0, 3.0]


def test_no_inputs():
    f = mg.custom_gradient(lambda: (mg.constant(4.0), lambda dy: ()))
    assert float(f()) == 4.0
    assert values(mg.gradients(f(), mg.constant(1.0))) == [None]


def test_a_call_on_plain_numbers_gives_a_tensor():
    f = mg.custom_gradient(lambda x: (x * x, scaled(1.0)))
    y = f(3.0)
    assert type(y) is mg.Tensor and float(y) == 9.0


def test_the_same_tensor_twice_gets_both_gradients(xs):
    f = mg.custom_gradient(lambda x, y: (x * y, scaled(10.0, 100.0)))
    assert values(mg.gradients(f(xs[0], xs[0]), xs[0])) == [110.0]


class Thing:
    pass


@pytest.mark.parametrize("thing", [2.0, 3, True, "mode", None, Thing(), len, Thing, slice(2)])
def test_any_python_argument_is_handed_on_as_it_is_and_needs_a_place_in_the_answer(thing, xs):
    seen = []

    @mg.custom_gradient
    def f(x, thing):
        seen.append(thing)
        return x * 2.0, scaled(7.0, None)

    assert values(mg.gradients(f(xs[0], thing), xs[:1])) == [7.0]
    assert seen[0] is thing


def test_an_object_that_comes_first_has_a_place_too(xs):
    f = mg.custom_gradient(lambda thing, x: (x * 2.0, scaled(None, 7.0)))
    assert values(mg.gradients(f(Thing(), xs[0]), xs[:1])) == [7.0]


def test_a_gradient_for_a_python_argument_is_ignored(xs):
    f = mg.custom_gradient(lambda x, k: (x * k, scaled(7.0, 8.0)))
    assert values(mg.gradients(f(xs[0], 2.0), xs[:1])) == [7.0]


def test_a_forgotten_place_for_a_python_argument_is_an_error(xs):
    f = mg.custom_gradient(lambda x, k: (x * k, scaled(7.0)))
    with pytest.raises(ValueError, match=r"returned 1 gradient, but <lambda> was called with 2 inputs \(x, k\)"):
        mg.gradients(f(xs[0], 2.0), xs[0])


def test_a_numpy_argument_stays_an_array_and_has_a_place(xs):
    seen = []

    @mg.custom_gradient
    def f(x, a):
        seen.append(a)
        return x * a, lambda dy: (mg.sum(dy * a), None)

    a = np.array([1.0, 2.0], "float32")
    assert values(mg.gradients(f(xs[0], a), xs[:1])) == [3.0]
    assert type(seen[0]) is np.ndarray and seen[0] is not a  # a copy: `a` may change before the backward pass


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_integers_and_bools_have_no_gradient(dtype, xs):
    f = mg.custom_gradient(lambda x, n: (x * 2.0, lambda dy: (dy * 7.0, dy * 8.0)))
    n = mg.constant(1, dtype)
    assert values(mg.gradients(f(xs[0], n), [xs[0], n])) == [7.0, None]


def test_all_inputs_integers():
    f = mg.custom_gradient(lambda n: (n * 2, scaled(7.0)))
    n = mg.constant(3)
    with pytest.warns(UserWarning, match="ys has dtype int32, xs has dtype int32"):
        assert values(mg.gradients(f(n), n)) == [None]


def test_an_empty_array():
    f = mg.custom_gradient(lambda x: (x * 2.0, lambda dy: dy * 7.0))
    x = mg.constant(np.zeros((0, 3)))
    assert mg.gradients(f(x), x)[0].shape == (0, 3)


# Nested structures.


def test_a_list_of_python_numbers_has_one_place_each(xs):
    f = mg.custom_gradient(lambda x, shape: (mg.broadcast_to(x, shape), lambda dy: (mg.sum(dy), None, None)))
    y = f(xs[0], [2, 2])
    assert y.shape == (2, 2)
    assert values(mg.gradients(y, xs[:1])) == [4.0]


@pytest.mark.parametrize(
    "form",
    [
        lambda b, w: [b, w],
        lambda b, w: (b, w),
        lambda b, w: {"w": w, "b": b},
        lambda b, w: {"b": b, "w": w},
        lambda b, w: [{"w": w, "b": b}],
        lambda b, w: {"params": {"w": w, "b": b}},
    ],
)
def test_a_dict_argument_takes_gradients_by_sorted_key_or_as_a_dict(form, xs):
    seen = []

    @mg.custom_gradient
    def f(params):
        seen.append(params)
        return params["w"] * params["b"], lambda dy: form(dy * 10.0, dy * 100.0)

    w, b = xs[:2]
    y = f({"w": w, "b": b})
    assert values(mg.gradients(y, [b, w])) == [10.0, 100.0]
    assert list(seen[0]) == ["w", "b"] and isinstance(seen[0], dict)


@pytest.mark.parametrize("returned", [{"w": 1.0, "c": 1.0}, {"w": 1.0}, {"w": 1.0, "b": 1.0, "c": 1.0}])
def test_a_dict_with_other_keys_than_the_argument(returned, xs):
    f = mg.custom_gradient(lambda params: (params["w"] * params["b"], lambda dy: returned))
    with pytest.raises(ValueError, match=r"dict that names .*; <lambda> was called with the inputs params"):
        mg.gradients(f({"w": xs[0], "b": xs[1]}), xs[0])


NESTED = [
    lambda d: ([d, d * 2.0], d * 3.0),
    lambda d: [(d, d * 2.0), d * 3.0],
    lambda d: (d, d * 2.0, d * 3.0),
    lambda d: {"pair": [d, d * 2.0], "z": d * 3.0},
]


@pytest.mark.parametrize("grad_fn", NESTED)
def test_nested_lists_take_gradients_nested_alike_or_flat(grad_fn, xs):
    f = mg.custom_gradient(lambda pair, z: (pair[0] * pair[1] * z, grad_fn))
    x, y, z = xs
    assert values(mg.gradients(f([x, y], z), xs)) == [1.0, 2.0, 3.0]


def test_another_nesting_is_an_error_even_with_the_right_count(xs):
    f = mg.custom_gradient(lambda pair, z: (pair[0] * pair[1] * z, lambda d: (d, [d, d])))
    with pytest.raises(ValueError, match=r"nested differently from the inputs of <lambda> \(pair\[0\], pair\[1\], z\)"):
        mg.gradients(f([xs[0], xs[1]], xs[2]), xs)


def test_none_may_stand_for_a_whole_structure(xs):
    f = mg.custom_gradient(lambda pair, z: (pair[0] * pair[1] * z, lambda d: (None, d)))
    assert values(mg.gradients(f([xs[0], xs[1]], xs[2]), xs)) == [None, None, 1.0]


def test_a_namedtuple_argument_arrives_as_one(xs):
    from collections import namedtuple

    Point = namedtuple("Point", "x y")
    f = mg.custom_gradient(lambda p: (p.x * p.y, lambda dy: Point(dy * 1.0, dy * 2.0)))
    assert values(mg.gradients(f(Point(xs[0], xs[1])), xs[:2])) == [1.0, 2.0]


# Captured from outside.


def test_a_captured_tensor_has_no_gradient_through_the_call(xs):
    x, k, _ = xs
    f = mg.custom_gradient(lambda x: (x * k, scaled(7.0)))
    y = f(x)
    assert values(mg.gradients(y, [x, k])) == [7.0, None]
    assert values(mg.gradients(y * k, k)) == [6.0]


def test_what_f_computed_and_leaked_is_not_on_the_way_from_the_output(xs):
    leaked = []

    @mg.custom_gradient
    def f(x):
        leaked.append(x * 5.0)
        return leaked[0] * 2.0, scaled(7.0)

    x = xs[0]
    y = f(x)
    assert values(mg.gradients(y, leaked)) == [None]
    assert values(mg.gradients(leaked[0], x)) == [5.0]


# By keyword.


@mg.custom_gradient
def product(x, y, mode="a"):
    def grad(dy):
        return dy * 100.0, dy * 1000.0

    return (x * y if mode == "a" else x + y), grad


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: product(x, y),
        lambda x, y: product(x, y=y),
        lambda x, y: product(x=x, y=y),
        lambda x, y: product(y=y, x=x),
        lambda x, y: product(x, y, mode="b"),
        lambda x, y: product(mode="b", y=y, x=x),
    ],
)
def test_keywords_use_the_rule_in_the_order_of_the_signature(call, xs):
    x, y = xs[:2]
    assert values(mg.gradients(call(x, y), [x, y])) == [100.0, 1000.0]


def test_keywords_of_python_values_have_no_place(xs):
    assert float(product(xs[0], xs[1], mode="b")) == 5.0
    f = mg.custom_gradient(lambda x, k: (x * k, scaled(7.0)))
    assert values(mg.gradients(f(xs[0], k=2.0), xs[:1])) == [7.0]


def test_keyword_only_tensors_come_after_the_positional_ones_in_signature_order(xs):
    @mg.custom_gradient
    def f(x, *, z, y):
        return x * y * z, scaled(1.0, 10.0, 100.0)

    x, y, z = xs
    assert values(mg.gradients(f(x, y=y, z=z), [x, z, y])) == [1.0, 10.0, 100.0]


def test_tensors_among_any_keywords(xs):
    f = mg.custom_gradient(lambda x, **kw: (x * kw["b"] * kw["a"], scaled(1.0, 10.0, 100.0)))
    x, a, b = xs
    assert values(mg.gradients(f(x, b=b, a=a), [x, b, a])) == [1.0, 10.0, 100.0]


def test_a_variable_by_keyword_is_an_input_like_a_tensor(xs):
    w = mg.Variable(2.0)
    assert values(mg.gradients(product(xs[0], y=w), [xs[0], w])) == [100.0, 1000.0]


def test_a_structure_by_keyword(xs):
    f = mg.custom_gradient(lambda x, pair: (x * pair[0] * pair[1], lambda d: (d, [d * 2.0, d * 3.0])))
    x, a, b = xs
    assert values(mg.gradients(f(x, pair=[a, b]), xs)) == [1.0, 2.0, 3.0]


def test_f_sees_its_keywords_under_their_names(xs):
    seen = {}

    @mg.custom_gradient
    def f(x, **kw):
        seen.update(kw)
        return x, lambda *_: (None, None)

    f(xs[0], k=xs[1], mode="b")
    assert seen["mode"] == "b" and float(seen["k"]) == 2.0


@pytest.mark.parametrize("kwargs", [{"z": 1.0}, {"x": 1.0}])
def test_a_wrong_keyword_fails_as_without_the_decorator(kwargs, xs):
    with pytest.raises(TypeError, match="argument"):
        product(xs[0], xs[1], **kwargs)


# By name in the result.


def test_gradients_by_name(xs):
    f = mg.custom_gradient(lambda x, y, k: (x * y * k, lambda dy: {"y": dy * 10.0, "x": dy}))
    x, y, _ = xs
    assert values(mg.gradients(f(x, y, 2.0), [x, y])) == [1.0, 10.0]
    assert values(mg.gradients(f(x, k=2.0, y=y), [x, y])) == [1.0, 10.0]


def test_a_name_that_is_no_argument_and_one_left_out_are_errors(xs):
    f = mg.custom_gradient(lambda x, y: (x * y, lambda dy: {"x": dy, "yy": dy}))
    with pytest.raises(ValueError, match=r"dict that names yy; <lambda> was called with the inputs x, y"):
        mg.gradients(f(*xs[:2]), xs)
    f = mg.custom_gradient(lambda x, y: (x * y, lambda dy: {"x": dy}))
    with pytest.raises(ValueError, match=r"dict that has no entry for y; .* None where there is none"):
        mg.gradients(f(*xs[:2]), xs)
