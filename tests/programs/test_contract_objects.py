"""Objects that are no structures are refused by name as arguments."""

import enum
import fractions
import functools
import types

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, over


class Layer:
    """An object that is no structure."""

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return mg.sum(x * self.w)


objects = Attempts()


@objects.refused
def a_model_whose_weights_change(compile):
    f = compile(lambda model, x: model(x))
    layer = Layer(X)
    yield f(layer, X)
    layer.w = Y
    yield f(layer, X)


@objects.refused
def another_model_of_one_class(compile):
    f = compile(lambda model, x: model(x))
    yield f(Layer(X), X)
    yield f(Layer(Y), X)


@objects.refused
def a_model_in_a_list(compile):
    f = compile(lambda models, x: sum(m(x) for m in models))
    yield f([Layer(X), Layer(Y)], X)
    yield f([Layer(Z), Layer(Y)], X)


@objects.refused
def a_model_in_a_dict(compile):
    f = compile(lambda d, x: d["model"](x) * d["scale"])
    yield f({"model": Layer(X), "scale": 2.0}, X)
    yield f({"model": Layer(Y), "scale": 2.0}, X)


@objects.refused
def a_model_as_a_keyword(compile):
    f = compile(lambda x, model: model(x))
    yield f(X, model=Layer(X))
    yield f(X, model=Layer(Y))


@objects.refused
def a_method_of_a_class_whose_first_argument_is_self(compile):
    f = compile(Layer.__call__)
    yield f(Layer(X), X)
    yield f(Layer(Y), X)


@objects.refused
def a_decorated_method(compile):
    class Model(Layer):
        loss = compile(Layer.__call__)

    a, b = Model(X), Model(Y)
    yield a.loss(X)
    yield b.loss(X)


@objects.refused
def a_function(compile):
    f = compile(lambda g, x: mg.sum(g(x)))
    yield f(mg.sin, X)
    yield f(mg.cos, X)


@objects.refused
def a_closure_made_in_a_loop(compile):
    f = compile(lambda g, x: mg.sum(g(x)))
    for scale in (1.0, 2.0, 3.0):
        yield f(lambda x, scale=scale: x * scale, X)


@objects.refused
def a_partial(compile):
    f = compile(lambda g, x: mg.sum(g(x)))
    yield f(functools.partial(mg.multiply, 2.0), X)
    yield f(functools.partial(mg.multiply, 3.0), X)


@objects.refused
def a_random_generator(compile):
    f = compile(lambda rng, x: x * rng.normal(size=3))
    yield f(np.random.default_rng(0), X)
    yield f(np.random.default_rng(1), X)


@objects.refused
def an_iterator(compile):
    f = compile(lambda xs: sum(mg.sum(x) for x in xs))
    yield f(iter([X, Y]))
    yield f(iter([X, Z]))


@objects.refused
def a_generator_of_arrays(compile):
    f = compile(lambda xs: sum(mg.sum(x) for x in xs))
    yield f(x for x in (X, Y))
    yield f(x for x in (Y, Z))


@objects.refused
def a_set_of_numbers(compile):
    f = compile(lambda numbers, x: x * sum(numbers))
    yield f({1.0, 2.0}, X)
    yield f({1.0, 3.0}, X)


@objects.refused
def an_object_with_the_array_protocol(compile):
    class Wrapped:
        def __init__(self, data):
            self.data = data

        def __array__(self, dtype=None, copy=None):
            return self.data

    f = compile(lambda w, x: x * np.asarray(w))
    yield f(Wrapped(X), X)
    yield f(Wrapped(Y), X)


@objects.refused
def an_array_of_objects(compile):
    f = compile(lambda models, x: models[0](x) + models[1](x))
    yield f(np.array([Layer(X), Layer(Y)], object), X)
    yield f(np.array([Layer(Z), Layer(Y)], object), X)


@objects.refused
def a_simple_namespace(compile):
    f = compile(lambda p, x: x * p.w)
    yield f(types.SimpleNamespace(w=X), X)
    yield f(types.SimpleNamespace(w=Y), X)


@objects.refused
def an_optimizer(compile):
    f = compile(lambda opt, p, g: opt.step(p, g))
    opt = mg.optim.SGD(0.1, momentum=0.5)
    yield f(opt, X, Y)
    yield f(opt, X, Y)


@objects.refused
def a_class(compile):
    f = compile(lambda kind, x: x * kind.scale)
    yield f(type("A", (), {"scale": 2.0}), X)
    yield f(type("A", (), {"scale": 3.0}), X)


@objects.honest
def a_member_of_an_enum(compile):
    mode = enum.Enum("Mode", "SIN COS")
    f = compile(lambda m, x: mg.sin(x) if m is mode.SIN else mg.cos(x))
    yield from over(f, (mode.SIN, X), (mode.COS, X))


@objects.honest
def a_string(compile):
    f = compile(lambda mode, x: mg.sin(x) if mode == "sin" else mg.cos(x))
    yield from over(f, ("sin", X), ("cos", X))


@objects.honest
def a_fraction(compile):
    f = compile(lambda n, x: x * float(n))
    yield from over(f, (fractions.Fraction(1, 3), X), (fractions.Fraction(2, 3), X))


@objects.honest
def a_slice(compile):
    f = compile(lambda s, x: x[s])
    yield from over(f, (slice(0, 2), X), (slice(1, 3), X))


@objects.honest
def a_range(compile):
    f = compile(lambda r, x: sum(x[i] for i in r))
    yield from over(f, (range(2), X), (range(1, 3), X), (range(3), X))


@objects.honest
def a_dtype(compile):
    f = compile(lambda d, x: mg.cast(x, d))
    yield from over(f, (np.dtype("f4"), X), (np.dtype("f8"), X))


test_objects = objects.test()
