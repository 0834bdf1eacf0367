"""Structures of arrays and numbers are arguments: their nesting, keys and classes included."""

import collections
import dataclasses
import functools
import typing

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, over

structures = Attempts()
Params = collections.namedtuple("Params", "w b")


class Typed(typing.NamedTuple):
    w: object
    b: object = 1.0


@dataclasses.dataclass
class Dense:
    w: object
    b: object

    factor = 2.0

    @property
    def both(self):
        return self.w + self.b

    def __call__(self, x):
        return mg.sum(x * self.w + self.b)


@dataclasses.dataclass(frozen=True)
class Frozen:
    layers: list
    scale: float


@structures.same
def a_dict(compile):
    f = compile(lambda p: mg.sum(p["w"] * p["b"]))
    yield from over(f, {"w": X, "b": Y}, {"w": Y, "b": Z})


@structures.same
def a_dict_filled_in_another_order(compile):
    f = compile(lambda p: mg.sum(p["w"] / p["b"]))
    yield from over(f, {"w": X, "b": Y}, {"b": X, "w": Y}, {"b": Z, "w": Y})


@structures.honest
def a_dict_whose_order_is_used(compile):
    f = compile(lambda p: functools.reduce(lambda a, b: a / b, p.values()))
    yield from over(f, {"w": X, "b": Y}, {"b": Y, "w": X}, {"b": X, "w": Y})


@structures.honest
def a_dict_whose_keys_are_returned_in_order(compile):
    f = compile(lambda p: {key: value * 2.0 for key, value in p.items()})
    yield from over(f, {"w": X, "b": Y}, {"b": Y, "w": X})


@structures.honest
def a_dict_whose_keys_decide(compile):
    f = compile(lambda p: p["w"] * 2.0 if "w" in p else p["v"] * 3.0)
    yield from over(f, {"w": X}, {"v": X}, {"w": Y}, {"v": Y})


@structures.honest
def keys_that_are_equal_and_of_other_types(compile):
    f = compile(lambda p: {type(key).__name__: value * 2.0 for key, value in p.items()})
    yield from over(f, {1: X}, {1.0: X}, {True: Y})


@structures.same
def a_list_of_tuples(compile):
    f = compile(lambda ps: sum(mg.sum(w * b) for w, b in ps))
    yield from over(f, [(X, Y), (Z, X)], [(Y, Y), (X, Z)])


@structures.same
def a_list_that_grows(compile):
    f = compile(lambda ps: sum(mg.sum(p) for p in ps) * len(ps))
    yield from over(f, [X], [X, Y], [Y, Z, X], [Z])


@structures.same
def a_named_tuple(compile):
    f = compile(lambda p: Params(p.w * 2.0, p.b + p.w))
    yield from over(f, Params(X, Y), Params(Z, X))


@structures.same
def a_typed_named_tuple_with_a_default(compile):
    f = compile(lambda p: p.w * p.b)
    yield from over(f, Typed(X), Typed(Y), Typed(X, 2.0))


@structures.same
def two_named_tuples_with_the_same_fields(compile):
    other = collections.namedtuple("Other", "w b")
    f = compile(lambda p: p.w * 2.0 if isinstance(p, Params) else p.w * 3.0)
    yield from over(f, Params(X, Y), other(X, Y), Params(Y, Y), other(Y, Y))


@structures.same
def a_dataclass(compile):
    f = compile(lambda p: mg.sum(p.w * 2.0 + p.b))
    yield from over(f, Dense(X, Y), Dense(Y, Z))


@structures.same
def a_method_of_a_dataclass(compile):
    f = compile(lambda p, x: p(x) * p.w)
    yield from over(f, (Dense(X, Y), Z), (Dense(Y, Z), X))


@structures.same
def a_property_of_a_dataclass(compile):
    f = compile(lambda p: p.both * 2.0)
    yield from over(f, Dense(X, Y), Dense(Y, Z))


@structures.same
def a_frozen_dataclass_in_a_dataclass(compile):
    f = compile(lambda p: p.layers[0](X) * p.scale + mg.sum(p.layers[1].w))
    yield from over(f, Frozen([Dense(X, Y), Dense(Y, Z)], 2.0), Frozen([Dense(Z, Y), Dense(X, Z)], 3.0))


@structures.same
def the_gradient_in_a_dataclass_by_hand(compile):
    f = compile(mg.grad(lambda w, b: Dense(w, b)(Z), (0, 1)))
    yield from over(f, (X, Y), (Y, Z))


@structures.fixed("factor")
def a_class_attribute_of_a_dataclass(compile):
    f = compile(lambda p: p.w * p.factor)
    try:
        yield f(Dense(X, Y))
        Dense.factor = 3.0
        yield f(Dense(X, Y))
    finally:
        Dense.factor = 2.0


@structures.honest
def an_attribute_of_a_dataclass_that_is_no_field(compile):
    f = compile(lambda p: p.w * p.extra)
    p = Dense(X, Y)
    p.extra = 2.0
    yield f(p)
    p.extra = 3.0
    yield f(p)


@structures.honest
def a_field_that_is_a_function(compile):
    f = compile(lambda p: p.b(p.w))
    yield from over(f, Dense(X, mg.sin), Dense(X, mg.cos))


@structures.honest
def a_field_that_is_a_string(compile):
    f = compile(lambda p: p.w * 2.0 if p.b == "twice" else p.w)
    yield from over(f, Dense(X, "twice"), Dense(X, "once"))


@structures.honest
def a_list_with_an_attribute(compile):
    class Named(list):
        scale = 2.0

    f = compile(lambda xs: xs[0] * xs.scale)
    xs = Named([X])
    yield f(xs)
    xs.scale = 3.0
    yield f(xs)


@structures.honest
def a_dict_with_a_method(compile):
    class Scaled(dict):
        def __missing__(self, key):
            return X

    f = compile(lambda p: p["w"] * p["other"])
    yield from over(f, Scaled(w=X), Scaled(w=Y))


@structures.honest
def a_dict_that_f_fills(compile):
    def f(p, x):
        p["cache"] = x * 2.0
        return p["cache"] + 1.0

    f, p = compile(f), {"w": X}
    yield f(p, X)
    yield sorted(p)
    yield f({"w": X}, Y)


@structures.honest
def a_list_that_f_appends_to(compile):
    def f(xs):
        xs.append(X)
        return sum(mg.sum(x) for x in xs)

    f, xs = compile(f), [X]
    for _ in range(3):
        yield f(xs)
        yield len(xs)


@structures.honest
def leaves_that_are_none(compile):
    f = compile(lambda p: p["w"] if p["b"] is None else p["w"] + p["b"])
    yield from over(f, {"w": X, "b": None}, {"w": X, "b": Y}, {"w": Y, "b": None})


@structures.same
def empty_structures(compile):
    f = compile(lambda p: (mg.sum(p[0]) * len(p[1]) + len(p[2]), [], {}, ()))
    yield from over(f, [X, [], {}], [Y, [X], {}], [Y, [], {"a": X}], [Z, [], {}])


@structures.same
def a_tuple_instead_of_a_list(compile):
    f = compile(lambda p: p)
    yield from over(f, [X, Y], ((X, Y),), [Y, X])


@structures.honest
def strings_as_keys_that_are_returned(compile):
    f = compile(lambda p: list(p))
    yield from over(f, {"a": X}, {"b": X})


test_structures = structures.test()
