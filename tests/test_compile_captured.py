"""What a compiled function captures may change: the next call sees it, wherever it is kept."""

import collections
import dataclasses
import functools
import types
import warnings

import numpy as np
import pytest

import minigrad as mg
from tests.test_compile import close

X = np.array([1.0, 2.0, -3.7])


class Layer:
    bias = 1.0

    def __init__(self, scale):
        self._scale, self.weights = scale, {"w": np.ones(3)}

    @property
    def scale(self):
        return self._scale

    def __call__(self, x):
        return x * self.scale * self.weights["w"] + self.bias


class Slotted:
    __slots__ = ("scale",)

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return x * self.scale


class Model:
    def __init__(self):
        self.layers = [Layer(2.0), Layer(0.5)]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return mg.sum(x)


def a_closure():
    scale = 2.0

    def set_scale(value):
        nonlocal scale
        scale = value

    return lambda x: mg.sum(x * scale), lambda: set_scale(7.0)


def a_global():
    namespace = {"mg": mg, "scale": 2.0}
    exec("def f(x): return mg.sum(x * scale)", namespace)
    return namespace["f"], lambda: namespace.update(scale=7.0)


def a_global_function():
    namespace = {"mg": mg, "times": lambda x: x * 2.0}
    exec("def f(x): return mg.sum(times(x))", namespace)
    return namespace["f"], lambda: namespace.update(times=lambda x: x * 7.0)


def a_function_defined_after_compile():
    namespace = {"mg": mg, "scale": [2.0]}
    exec("def f(x): return mg.sum(later(x))", namespace)
    compiled = mg.compile(namespace["f"])
    exec("def later(x): return x * scale[0]", namespace)
    return compiled, lambda: namespace["scale"].__setitem__(0, 7.0)


def a_list_in_a_dict_in_a_tuple():
    setting = ({"scales": [1.0, 2.0]},)
    return lambda x: mg.sum(x * setting[0]["scales"][1]), lambda: setting[0]["scales"].__setitem__(1, 7.0)


def an_array_in_place():
    data = np.arange(3.0)
    return lambda x: mg.sum(x * data), lambda: data.__iadd__(1.0)


def a_view_of_an_array():
    data = np.arange(6.0).reshape(2, 3)
    return lambda x: mg.sum(x * data[0]), lambda: data.__iadd__(1.0)


def an_array_of_which_numpy_takes_the_mean():
    data = np.arange(3.0)
    return lambda x: mg.sum(x * data.mean()), lambda: data.__iadd__(1.0)


def a_tensor_in_a_list():
    held = [mg.constant(2.0)]
    return lambda x: mg.sum(x * held[0].astype("float64")), lambda: held.__setitem__(0, mg.constant(7.0))


def an_attribute_of_a_model():
    model = Model()
    return model, lambda: setattr(model.layers[0], "_scale", 7.0)


def an_array_of_a_model():
    model = Model()
    return model, lambda: model.layers[1].weights["w"].__imul__(3.0)


def one_more_layer():
    model = Model()
    return model, lambda: model.layers.append(Layer(3.0))


def another_layer():
    model = Model()
    return lambda x: model(x), lambda: model.layers.__setitem__(1, Layer(7.0))


def an_attribute_of_a_class():
    kind = type("Own", (Layer,), {})
    layer = kind(2.0)
    return lambda x: mg.sum(layer(x)), lambda: setattr(kind, "bias", 7.0)


def an_attribute_of_a_base_class():
    base = type("Base", (), {"scale": 2.0, "__call__": lambda self, x: mg.sum(x * self.scale)})
    model = type("Own", (base,), {})()
    return model, lambda: setattr(base, "scale", 7.0)


def a_constant_of_a_class():
    class Setting:
        scale = 2.0

    return lambda x: mg.sum(x * Setting.scale), lambda: setattr(Setting, "scale", 7.0)


def a_constant_of_a_module():
    module = types.ModuleType("my_settings")
    module.scale = 2.0
    return lambda x: mg.sum(x * module.scale), lambda: setattr(module, "scale", 7.0)


def a_function_of_a_module():
    module = types.ModuleType("my_functions")
    module.mg = mg
    exec("scale = 2.0\ndef f(x): return mg.sum(x * scale)", module.__dict__)
    return lambda x: module.f(x), lambda: setattr(module, "scale", 7.0)


def slots():
    layer = Slotted(2.0)
    return lambda x: mg.sum(layer(x)), lambda: setattr(layer, "scale", 7.0)


def a_method():
    model = Model()
    return model.__call__, lambda: setattr(model.layers[0], "_scale", 7.0)


def a_default_argument():
    def f(x, scales=[2.0]):  # noqa: B006
        return mg.sum(x * scales[0])

    return f, lambda: f.__defaults__[0].__setitem__(0, 7.0)


def a_keyword_default():
    def f(x, *, scale=2.0):
        return mg.sum(x * scale)

    return f, lambda: f.__kwdefaults__.update(scale=7.0)


def a_partial():
    weights = np.ones(3)
    return functools.partial(lambda w, x: mg.sum(x * w), weights), lambda: weights.__imul__(7.0)


def a_rule():
    setting = types.SimpleNamespace(scale=2.0)

    @mg.custom_gradient
    def scaled(x):
        return x * 1.0, lambda dy: dy * setting.scale

    return mg.grad(lambda x: mg.sum(scaled(x))), lambda: setattr(setting, "scale", 7.0)


def a_function_that_is_cached():
    scale = [2.0]
    times = functools.lru_cache(lambda n: n * scale[0])
    return lambda x: mg.sum(x * times(1)), lambda: (scale.__setitem__(0, 7.0), times.cache_clear())


CHANGES = [f for f in list(globals().values()) if isinstance(f, types.FunctionType) and f.__module__ == __name__]


@pytest.mark.parametrize("make", CHANGES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("calls", [1, 2, 4])
def test_the_next_call_sees_a_change(make, calls):
    f, change = make()
    compiled, plain = (f, f.f) if isinstance(f, mg.programs.compiled.Compiled) else (mg.compile(f), f)
    with warnings.catch_warnings():
        warnings.simplefilter("error", mg.NotCompiled)
        for _ in range(calls):
            assert close(compiled(X), plain(X))
        before = plain(X)
        change()
        assert not close(plain(X), before), "the change must matter"
        for _ in range(4):
            assert close(compiled(X), plain(X))
    assert compiled.programs


# Arguments that are no arrays.


def test_attributes_of_an_argument():
    @dataclasses.dataclass
    class Params:
        w: np.ndarray
        scale: float

    f = lambda p, x: mg.sum(x * p.w) * p.scale
    compiled, p = mg.compile(f), Params(np.ones(3), 2.0)
    for i in range(9):
        if i == 3:
            p.scale = 5.0
        if i == 6:
            p.w *= 3.0
        assert close(compiled(p, X), f(p, X))
    assert not compiled.reason


def test_what_a_function_among_the_arguments_captures():
    scale = [2.0]
    f = lambda x, h: mg.sum(h(x))
    compiled, h = mg.compile(f), lambda x: x * scale[0]
    for value in (2.0, 2.0, 2.0, 5.0, 5.0, 2.0):
        scale[0] = value
        assert close(compiled(X, h), f(X, h))
    for h in (np.exp, mg.tanh, np.exp, mg.tanh):
        assert close(compiled(X, h), f(X, h))


@pytest.mark.parametrize(
    "values",
    [
        (None, ..., slice(0, 1), slice(0, 2)),
        (True, 1, 1.0, -0.0),
        (float("nan"), float("inf"), 2.0),
        ("sum", "mean"),
        (complex(1, 2), 3),
        (np.datetime64(1, "D"), np.datetime64(2, "D")),
        (np.array(["a"]), np.array(["bb"])),
        (np.array([2], object), np.array([3], object)),
        (np.array([2j]), np.array([3j])),
        (range(2), range(3)),
    ],
    ids=str,
)
def test_arguments_that_are_neither_floats_nor_arrays(values):
    def f(x, option):
        if option is None or option is ... or isinstance(option, slice):
            return mg.sum(x[option])
        return mg.sum(x) * weigh(option)

    compiled = mg.compile(f)
    for option in values * 3:
        assert close(compiled(mg.constant(X), option), f(mg.constant(X), option))
    assert not compiled.reason


def weigh(option):
    """A number that is different for different options."""
    return float(sum(map(ord, repr(option))))


def test_nested_arguments_of_all_kinds():
    point = collections.namedtuple("point", "w b")
    f = mg.value_and_grad(lambda p, x: mg.sum(p.w["a"][0] * x + p.b))
    compiled = mg.compile(f)
    for i in range(5):
        p = point({"a": [X + i]}, np.float64(i))
        assert close(compiled(p, X), f(p, X))
    assert not compiled.reason


def test_keywords_and_defaults_in_any_order():
    f = lambda a, b=1.0, *, c=2.0: a * b + c
    compiled = mg.compile(f)
    a, b, c = X, X * 3, X * 5
    for _ in range(3):
        for call in (
            lambda h: h(a, b, c=c),
            lambda h: h(a, c=c, b=b),
            lambda h: h(c=c, b=b, a=a),
            lambda h: h(a),
            lambda h: h(a=a, b=b),
        ):
            assert close(call(compiled), call(f))
    assert not compiled.reason


def test_the_order_of_a_dict():
    f = mg.value_and_grad(lambda p: mg.sum(p["a"] * p["b"] * p["b"]))
    compiled = mg.compile(f)
    for i in range(8):
        p = {"a": X, "b": X + i} if i % 2 else {"b": X + i, "a": X}
        assert close(compiled(p), f(p))


def test_installed_packages_are_left_alone():
    places = mg.compile(lambda x: mg.sum(x) * pytest.approx(1.0).expected).surroundings.places
    assert {place.name for place in places} == {"mg", "pytest"}
