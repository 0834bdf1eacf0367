"""custom_gradient: arguments of every kind, by position and by name, and which of them need a gradient."""

from collections import namedtuple

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.gradients import values
from tests.helpers.tables import over

Point = namedtuple("Point", "x y")


def scaled(*factors):
    """A rule that sends the upstream gradient to each input, multiplied by the factor of that input."""
    return lambda dy: [None if n is None else dy * n for n in factors]


@pytest.fixture
def xs():
    return [mg.constant(v) for v in (3.0, 2.0, 5.0)]


#: A function, a call of it on x, y and z, and the gradients of these.
GRADIENTS = {
    "one for each positional Tensor": (
        lambda x, y, z: (x * y * z, scaled(1.0, 10.0, 100.0)), lambda f, x, y, z: f(x, y, z), [1.0, 10.0, 100.0],
    ),
    "a default that is not passed is no input": (
        lambda x, k=2.0: (x * k, scaled(7.0)), lambda f, x, y, z: f(x), [7.0, None, None],
    ),
    "a variable number of arguments": (
        lambda *xs: (xs[0] * xs[1] * xs[2], lambda dy: tuple(dy * n for n in (1.0, 2.0, 3.0))),
        lambda f, x, y, z: f(x, y, z), [1.0, 2.0, 3.0],
    ),
    "the same Tensor twice gets both gradients": (
        lambda x, y: (x * y, scaled(10.0, 100.0)), lambda f, x, y, z: f(x, x), [110.0, None, None],
    ),
    "an object that comes first has a place too": (
        lambda thing, x: (x * 2.0, scaled(None, 7.0)), lambda f, x, y, z: f(object(), x), [7.0, None, None],
    ),
    "a gradient for a Python argument is ignored": (
        lambda x, k: (x * k, scaled(7.0, 8.0)), lambda f, x, y, z: f(x, 2.0), [7.0, None, None],
    ),
    "None may stand for a whole structure": (
        lambda pair, z: (pair[0] * pair[1] * z, lambda d: (None, d)), lambda f, x, y, z: f([x, y], z),
        [None, None, 1.0],
    ),
    "a namedtuple argument arrives as one": (
        lambda p: (p.x * p.y, lambda dy: Point(dy * 1.0, dy * 2.0)), lambda f, x, y, z: f(Point(x, y)),
        [1.0, 2.0, None],
    ),
    "keywords of Python values have no place": (
        lambda x, k: (x * k, scaled(7.0)), lambda f, x, y, z: f(x, k=2.0), [7.0, None, None],
    ),
    "keyword-only Tensors come after the positional ones in the order of the signature": (
        lambda x, *, z, y: (x * y * z, scaled(1.0, 10.0, 100.0)), lambda f, x, y, z: f(x, y=y, z=z), [1.0, 100.0, 10.0],
    ),
    "Tensors among any keywords, in the order of the call": (
        lambda x, **kw: (x * kw["b"] * kw["a"], scaled(1.0, 10.0, 100.0)), lambda f, x, y, z: f(x, b=z, a=y),
        [1.0, 100.0, 10.0],
    ),
    "a structure by keyword": (
        lambda x, pair: (x * pair[0] * pair[1], lambda d: (d, [d * 2.0, d * 3.0])),
        lambda f, x, y, z: f(x, pair=[y, z]), [1.0, 2.0, 3.0],
    ),
    "gradients by name": (
        lambda x, y, k: (x * y * k, lambda dy: {"y": dy * 10.0, "x": dy}), lambda f, x, y, z: f(x, y, 2.0),
        [1.0, 10.0, None],
    ),
    "gradients by name of arguments by name": (
        lambda x, y, k: (x * y * k, lambda dy: {"y": dy * 10.0, "x": dy}), lambda f, x, y, z: f(x, k=2.0, y=y),
        [1.0, 10.0, None],
    ),
} | {
    f"nested lists take gradients nested alike or flat, {n}": (
        lambda pair, z, grad_fn=grad_fn: (pair[0] * pair[1] * z, grad_fn), lambda f, x, y, z: f([x, y], z),
        [1.0, 2.0, 3.0],
    )
    for n, grad_fn in enumerate([
        lambda d: ([d, d * 2.0], d * 3.0), lambda d: [(d, d * 2.0), d * 3.0], lambda d: (d, d * 2.0, d * 3.0),
        lambda d: {"pair": [d, d * 2.0], "z": d * 3.0},
    ])
}  # fmt: skip


@over(GRADIENTS)
def test_the_gradients_of_the_inputs(f, call, wanted):
    xs = [mg.constant(v) for v in (3.0, 2.0, 5.0)]
    assert values(mg.gradients(call(mg.custom_gradient(f), *xs), xs)) == wanted


#: A function, a call of it on x, y and z, and the words of the error when its gradients are taken.
ERRORS = {
    "a forgotten place for a Python argument": (
        lambda x, k: (x * k, scaled(7.0)), lambda f, x, y, z: f(x, 2.0),
        r"returned 1 gradient, but <lambda> was called with 2 inputs \(x, k\)",
    ),
    "another nesting even with the right count": (
        lambda pair, z: (pair[0] * pair[1] * z, lambda d: (d, [d, d])), lambda f, x, y, z: f([x, y], z),
        r"nested differently from the inputs of <lambda> \(pair\[0\], pair\[1\], z\)",
    ),
    "a name that is no argument": (
        lambda x, y: (x * y, lambda dy: {"x": dy, "yy": dy}), lambda f, x, y, z: f(x, y),
        "dict that names yy; <lambda> was called with the inputs x, y",
    ),
    "a name left out": (
        lambda x, y: (x * y, lambda dy: {"x": dy}), lambda f, x, y, z: f(x, y),
        r"dict that has no entry for y; .* None if there is none",
    ),
} | {
    f"a dict with the keys {', '.join(keys)} for one with the keys w, b": (
        lambda params, keys=keys: (params["w"] * params["b"], lambda dy: dict.fromkeys(keys, 1.0)),
        lambda f, x, y, z: f({"w": x, "b": y}), "dict that names .*; <lambda> was called with the inputs params",
    )
    for keys in (["w", "c"], ["w"], ["w", "b", "c"])
}  # fmt: skip


@over(ERRORS)
def test_gradients_that_do_not_fit_the_inputs_are_an_error(f, call, words):
    xs = [mg.constant(v) for v in (3.0, 2.0, 5.0)]
    with pytest.raises(ValueError, match=words):
        mg.gradients(call(mg.custom_gradient(f), *xs), xs)


# By position.


def test_no_inputs():
    f = mg.custom_gradient(lambda: (mg.constant(4.0), lambda dy: ()))
    assert float(f()) == 4.0
    assert values(mg.gradients(f(), mg.constant(1.0))) == [None]


def test_a_call_on_plain_numbers_gives_a_tensor():
    f = mg.custom_gradient(lambda x: (x * x, scaled(1.0)))
    y = f(3.0)
    assert type(y) is mg.Tensor and float(y) == 9.0


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


@pytest.mark.parametrize("form", [
    lambda b, w: [b, w], lambda b, w: (b, w), lambda b, w: {"w": w, "b": b}, lambda b, w: {"b": b, "w": w},
    lambda b, w: [{"w": w, "b": b}], lambda b, w: {"params": {"w": w, "b": b}},
])  # fmt: skip
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


@pytest.mark.parametrize("call", [
    lambda x, y: product(x, y), lambda x, y: product(x, y=y), lambda x, y: product(x=x, y=y),
    lambda x, y: product(y=y, x=x), lambda x, y: product(x, y, mode="b"),
    lambda x, y: product(mode="b", y=y, x=x),
])  # fmt: skip
def test_keywords_use_the_rule_in_the_order_of_the_signature(call, xs):
    x, y = xs[:2]
    assert values(mg.gradients(call(x, y), [x, y])) == [100.0, 1000.0]


def test_a_keyword_of_a_python_value_reaches_the_function(xs):
    assert float(product(xs[0], xs[1], mode="b")) == 5.0


def test_a_variable_by_keyword_is_an_input_like_a_tensor(xs):
    w = mg.Variable(2.0)
    assert values(mg.gradients(product(xs[0], y=w), [xs[0], w])) == [100.0, 1000.0]


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
