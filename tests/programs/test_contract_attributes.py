"""Attributes of captured objects, methods and properties are fixed, and listed."""

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y

SCALE = 2.0


class Scaled:
    """A model with a number, an array and a part."""

    bias = 1.0

    def __init__(self, scale, part=None):
        self._scale, self.w, self.part = scale, np.ones(3), part

    @property
    def scale(self):
        return self._scale

    def __call__(self, x):
        x = x * self.scale * self.w + self.bias
        return mg.sum(x) if self.part is None else self.part(x)

    def loss(self, x):
        return mg.sum(self(x))

    @classmethod
    def shifted(cls, x):
        return x + cls.bias

    @staticmethod
    def twice(x):
        return x * SCALE


attributes = Attempts()


@attributes.fixed("model", "_scale", "scale")
def a_number(compile):
    model = Scaled(2.0)
    f = compile(lambda x: model(x))
    yield f(X)
    model._scale = 7.0
    yield f(X)


@attributes.fixed("model", "w")
def an_array_in_place(compile):
    model = Scaled(2.0)
    f = compile(lambda x: model(x))
    yield f(X)
    model.w[0] = 7.0
    yield f(X)


@attributes.fixed("model", "part")
def a_part(compile):
    model = Scaled(2.0, Scaled(3.0))
    f = compile(lambda x: model(x))
    yield f(X)
    model.part = Scaled(4.0)
    yield f(X)


@attributes.fixed("self", "model", "scale", "_scale")
def a_compiled_model(compile):
    model = Scaled(2.0)
    f = compile(model)
    yield f(X)
    model._scale = 7.0
    yield f(X)


@attributes.fixed("self", "model", "scale", "_scale")
def a_bound_method(compile):
    model = Scaled(2.0)
    f = compile(model.loss)
    yield f(X)
    model._scale = 7.0
    yield f(X)


@attributes.fixed("cls", "bias")
def a_class_method(compile):
    f = compile(Scaled.shifted)
    try:
        yield f(X)
        Scaled.bias = 7.0
        yield f(X)
    finally:
        Scaled.bias = 1.0


@attributes.fixed("SCALE")
def a_static_method(compile):
    global SCALE
    f = compile(Scaled.twice)
    try:
        yield f(X)
        SCALE = 7.0
        yield f(X)
    finally:
        SCALE = 2.0


@attributes.fixed("model", "bias")
def an_attribute_of_the_class(compile):
    model = Scaled(2.0)
    f = compile(lambda x: model(x))
    try:
        yield f(X)
        Scaled.bias = 7.0
        yield f(X)
    finally:
        Scaled.bias = 1.0


@attributes.fixed("model", "__call__")
def a_method_replaced(compile):
    class Model(Scaled):
        pass

    model = Model(2.0)
    f = compile(lambda x: model(x))
    yield f(X)
    Model.__call__ = lambda self, x: mg.sum(x * 9.0)
    yield f(X)


@attributes.fixed("model")
def a_property_that_reads_something_else(compile):
    source = {"scale": 2.0}

    class Model:
        @property
        def scale(self):
            return source["scale"]

    model = Model()
    f = compile(lambda x: x * model.scale)
    yield f(X)
    source["scale"] = 3.0
    yield f(X)


@attributes.honest
def a_property_that_counts(compile):
    class Model:
        n = 0

        @property
        def scale(self):
            self.n += 1
            return float(self.n)

    model = Model()
    f = compile(lambda x: x * model.scale)
    for _ in range(4):
        yield f(X)


@attributes.fixed("model", "scale")
def slots(compile):
    class Model:
        __slots__ = ("scale",)

    model = Model()
    model.scale = 2.0
    f = compile(lambda x: x * model.scale)
    yield f(X)
    model.scale = 3.0
    yield f(X)


@attributes.fixed("layers")
def a_list_of_models(compile):
    layers = [Scaled(2.0), Scaled(3.0)]
    f = compile(lambda x: sum(layer(x) for layer in layers))
    yield f(X)
    layers[1]._scale = 7.0
    yield f(X)
    layers.append(Scaled(1.0))
    yield f(X)


@attributes.fixed("f", "scale")
def an_attribute_of_the_function_itself(compile):
    def f(x):
        return x * f.scale

    f.scale = 2.0
    g = compile(f)
    yield g(X)
    f.scale = 3.0
    yield g(X)


@attributes.honest
def one_decorated_method_and_two_models(compile):
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @compile
        def loss(self, x):
            return mg.sum(x * self.scale)

    a, b = Model(2.0), Model(3.0)
    yield a.loss(X)
    yield b.loss(X)
    a.scale = 4.0
    yield a.loss(X)


@attributes.honest
def a_compiled_method_of_each_of_two_models(compile):
    a, b = Scaled(2.0), Scaled(3.0)
    f, g = compile(a.loss), compile(b.loss)
    for x in (X, Y):
        yield f(x)
        yield g(x)


class Lazy:
    """A model whose attributes stand in a table."""

    def __init__(self, **table):
        self.table = table

    def __getattr__(self, name):
        return self.__dict__["table"][name]


@attributes.fixed("scale")
def an_attribute_from_a_table_of_the_object(compile):
    model = Lazy(scale=2.0)
    f = compile(lambda x: x * model.scale)
    yield f(X)
    model.table["scale"] = 5.0
    yield f(X)


@attributes.fixed("scale")
def an_attribute_from_a_table_elsewhere(compile):
    table = {"scale": 2.0}

    class Far:
        def __getattr__(self, name):
            return table[name]

    model = Far()
    f = compile(lambda x: x * model.scale)
    yield f(X)
    table["scale"] = 5.0
    yield f(X)


@attributes.fixed("scale")
def an_attribute_from_the_table_of_a_part(compile):
    model = Lazy(part=Lazy(scale=2.0))
    f = compile(lambda x: x * model.part.scale)
    yield f(X)
    model.part.table["scale"] = 5.0
    yield f(X)


@attributes.fixed("scale")
def an_attribute_that_a_method_uses(compile):
    class Model:
        scale = 2.0

        def run(self, x):
            return x * self.scale

    model = Model()
    f = compile(lambda x: model.run(x))
    yield f(X)
    model.scale = 5.0
    yield f(X)


test_attributes = attributes.test()
