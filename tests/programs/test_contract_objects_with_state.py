"""Copies of programs, subclasses with a state, and caches."""

import copy
import functools
import pickle

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, over


class Scaled:
    """A model with a number."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return mg.sum(x * self.scale)


copies = Attempts()


@copies.honest
def a_copy_of_a_compiled_function(compile):
    f = compile(lambda x: mg.sum(x * 2.0))
    yield f(X)
    g = copy.copy(f)
    yield from over(g, X, Y)


@copies.honest
def a_deep_copy_of_a_compiled_function(compile):
    f = compile(lambda x: mg.sum(x * 2.0))
    yield f(X)
    yield from over(copy.deepcopy(f), X, Y)


def module_level(x):
    return mg.sum(x * 2.0)


@copies.honest
def a_pickle_of_a_compiled_function(compile):
    f = compile(module_level)
    yield f(X)
    yield from over(pickle.loads(pickle.dumps(f)), X, Y)


@copies.honest
def a_deep_copy_of_a_model_with_a_compiled_method(compile):
    model = Scaled(2.0)
    model.run = compile(lambda x: model(x))
    yield model.run(X)
    other = copy.deepcopy(model)
    yield other.run(Y)


@copies.honest
def a_deep_copy_of_a_model_whose_bound_method_is_compiled(compile):
    model = Scaled(2.0)
    model.run = compile(model.__call__)
    yield model.run(X)
    other = copy.deepcopy(model)
    other.scale = 5.0
    yield other.run(X)
    yield model.run(X)


@copies.same
def two_compilations_of_one_function(compile):
    def f(x):
        return mg.sum(mg.sin(x))

    g, h = compile(f), compile(f)
    yield from over(g, X, Y)
    yield from over(h, X, Z)


@copies.same
def a_copy_of_the_argument(compile):
    f = compile(lambda x: mg.sum(x * copy.deepcopy(2.0)))
    yield from over(f, X, Y)


copies.functions(
    "honest",
    {
        "a copy of a Tensor inside": lambda x: copy.copy(x) * 2.0,
        "a deep copy of a Tensor inside": lambda x: copy.deepcopy({"x": x})["x"] * 2.0,
        "a pickle of a Tensor inside": lambda x: pickle.loads(pickle.dumps(x)) * 2.0,
        "mg.copy of a Tensor inside": lambda x: mg.copy(x) * 2.0,
    },
    X, Y, mg.constant(X), mg.constant(Y),
)  # fmt: skip


test_copies = copies.test()


class Unit(mg.Tensor):
    """A Tensor with a state."""

    __slots__ = ("factor",)

    def __init__(self, value, factor):
        super().__init__(value)
        self.factor = factor


class Decayed(mg.Variable):
    """A Variable with a state."""

    __slots__ = ("decay",)

    def __init__(self, value, decay):
        super().__init__(value)
        self.decay = decay


class Tagged(np.ndarray):
    """An array with a state."""

    factor = 1.0

    def __array_finalize__(self, obj):
        self.factor = getattr(obj, "factor", 1.0)


def tagged(x, factor):
    x = x.copy().view(Tagged)
    x.factor = factor
    return x


subclasses = Attempts()


@subclasses.honest
def a_tensor_with_a_state(compile):
    f = compile(lambda x: x * x.factor)
    yield from over(f, Unit(X, 2.0), Unit(X, 3.0), Unit(Y, 3.0))


@subclasses.honest
def a_variable_with_a_state(compile):
    f, w = compile(lambda w: w * w.decay), Decayed(X, 2.0)
    yield f(w)
    w.decay = 3.0
    yield f(w)
    yield f(Decayed(X, 4.0))


@subclasses.fixed("w", "decay")
def a_captured_variable_with_a_state(compile):
    w = Decayed(X, 2.0)
    f = compile(lambda x: x * w * w.decay)
    yield f(X)
    w.assign(Y)
    now = f(X)
    w.decay = 3.0
    yield now
    yield f(X)


@subclasses.honest
def an_array_with_a_state(compile):
    f = compile(lambda x: mg.multiply(np.asarray(x), x.factor))
    yield from over(f, tagged(X, 2.0), tagged(X, 3.0), tagged(Y, 3.0))


@subclasses.fixed("w", "factor")
def a_captured_array_with_a_state(compile):
    w = tagged(X, 2.0)
    f = compile(lambda x: x * np.asarray(w) * w.factor)
    yield f(X)
    w.factor = 3.0
    yield f(X)


@subclasses.honest
def a_masked_array(compile):
    f = compile(lambda x: mg.sum(x * 2.0))
    for mask in ([0, 0, 1], [0, 1, 0]):
        try:
            yield f(np.ma.array(X, mask=mask))
        except TypeError as error:
            if "Program" in type(error).__name__:
                raise
            yield "refused by the engine"


@subclasses.honest
def a_matrix(compile):
    f = compile(lambda m: m * m)
    for m in ([[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]]):
        yield f(np.array(m))
        yield np.asarray(f(np.asmatrix(m)))


@subclasses.honest
def a_record_array(compile):
    f = compile(lambda r: mg.multiply(r["a"], r["b"]))
    kind = [("a", "f8"), ("b", "f8")]
    yield from over(f, np.array([(1.0, 2.0)], kind), np.array([(3.0, 2.0)], kind))


@subclasses.honest
def a_float_with_a_state(compile):
    class Rate(float):
        factor = 1.0

    a, b = Rate(2.0), Rate(2.0)
    b.factor = 3.0
    f = compile(lambda x, rate: x * rate * rate.factor)
    yield from over(f, (X, a), (X, b))


@subclasses.honest
def an_int_with_a_state(compile):
    class Count(int):
        def __mul__(self, other):
            return other * 7.0

        __rmul__ = __mul__

    f = compile(lambda x, n: n * x)
    yield from over(f, (X, 2), (X, Count(2)), (X, 2))


test_subclasses = subclasses.test()


caches = Attempts()


@caches.honest
def lru_cache_of_a_number(compile):
    state = [2.0]

    @functools.lru_cache
    def scale(n):
        return state[0] * n

    f = compile(lambda x: x * scale(3))
    yield f(X)
    state[0] = 5.0
    yield f(X)
    yield f(Y)


@caches.fixed("scale", "state")
def lru_cache_that_is_cleared(compile):
    state = [2.0]

    @functools.lru_cache
    def scale():
        return state[0]

    f = compile(lambda x: x * scale())
    yield f(X)
    state[0] = 5.0
    scale.cache_clear()
    yield f(X)


@caches.honest
def lru_cache_of_a_tensor(compile):
    cached = functools.lru_cache(lambda key: mg.constant(X) * 2.0)
    f = compile(lambda x: mg.sum(x * cached("w")))
    yield from over(f, X, Y)
    yield mg.grad(f)(mg.constant(Z))


@caches.honest
def a_result_cached_by_the_first_argument(compile):
    cache = {}

    def f(x):
        if "y" not in cache:
            cache["y"] = mg.sum(x * 2.0)
        return x * cache["y"]

    yield from over(compile(f), X, Y, Z)


@caches.honest
def a_result_cached_by_identity(compile):
    cache = {}

    def f(x):
        if id(x) not in cache:
            cache[id(x)] = mg.sum(x * 2.0)
        return x * cache[id(x)]

    f, (x, y) = compile(f), (X.copy(), Y.copy())
    yield f(x)
    yield f(x)
    x[0] = 9.0
    yield f(x)
    yield f(y)


@caches.honest
def a_cached_property(compile):
    class Model:
        scale = 2.0

        @functools.cached_property
        def twice(self):
            return self.scale * 2.0

    model = Model()
    f = compile(lambda x: x * model.twice)
    yield f(X)
    model.scale = 5.0
    yield f(X)


@caches.honest
def a_memo_of_what_a_former_call_computed(compile):
    last = [X]

    def f(x):
        y = mg.sum(x * last[0])
        last[0] = x
        return y

    yield from over(compile(f), X, Y, Z)


test_caches = caches.test()
