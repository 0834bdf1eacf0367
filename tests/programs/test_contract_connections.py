"""What depends on what is the same for a program as for its function; results of each form are given back."""

import collections
import dataclasses
import functools
import operator

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, M, X, Y, Z, over, variable

connected = Attempts()


def slopes(f, *xs):
    """The gradients of the sum of f(*xs) with respect to Tensors; None where nothing is connected."""
    xs = [mg.constant(x) for x in xs]
    return mg.gradients(mg.sum(f(*xs)), xs)


UNUSED = {
    "not used": lambda a, b: a * 2.0,
    "cut": lambda a, b: a * mg.stop_gradient(b),
    "cast to integers": lambda a, b: a * mg.cast(mg.cast(b, "int32"), "float64"),
    "compared": lambda a, b: mg.where(b > 0, a, a * 2.0),
    "used by shape": lambda a, b: a * len(b),
    "times zero": lambda a, b: a + 0.0 * b,
    "rounded": lambda a, b: a * mg.round(b),
    "an index": lambda a, b: mg.gather(a, mg.argmax(b)),
    "in a result of its own": lambda a, b: mg.sum(a) + 0.0 * mg.sum(b),
}


def gradients_where(f):
    def attempt(compile):
        g = compile(f)
        for xs in ((X, Y), (X, Y), (Z, X)):
            yield slopes(g, *xs)

    return attempt


for name, f in UNUSED.items():
    attempt = gradients_where(f)
    attempt.__name__ = f"gradients where an argument is {name}"
    (connected.honest if name == "an index" else connected.same)(attempt)


@connected.same
def a_gradient_of_one_of_two_results(compile):
    f = compile(lambda a, b: (a * 2.0, b * 3.0))
    for xs in ((X, Y), (Y, X)):
        a, b = map(mg.constant, xs)
        y, z = f(a, b)
        yield mg.gradients(y, [a, b]), mg.gradients(z, [a, b]), mg.gradients([y, z], [a, b])


@connected.same
def gradients_through_an_argument_returned_untouched(compile):
    f = compile(lambda x: x)
    for x in map(mg.constant, (X, X, Y)):
        yield mg.gradients(mg.sum(f(x) * x), x)


@connected.same
def one_result_twice_with_two_upstreams(compile):
    def f(x):
        y = mg.sin(x)
        return y, y

    f = compile(f)
    for x in map(mg.constant, (X, X, Y)):
        a, b = f(x)
        yield mg.gradients(mg.sum(a * 2.0 + b * b), x)


@connected.same
def an_argument_that_is_used_and_returned(compile):
    f = compile(lambda x: (x, mg.sin(x)))
    for x in map(mg.constant, (X, X, Y)):
        a, b = f(x)
        yield mg.gradients(mg.sum(a * b), x)


@connected.same
def one_tensor_as_two_arguments(compile):
    f = compile(lambda a, b: mg.sum(a * b * b))
    for x, y in ((X, Y), (Y, Z)):
        a, b = mg.constant(x), mg.constant(y)
        yield mg.gradients(f(a, a), a), mg.gradients(f(a, b), [a, b]), mg.gradients(f(b, a), [a, b])


@connected.same
def the_variables_that_a_tape_watched(compile):
    v, w, frozen = variable(), variable(Y), mg.Variable(Z, trainable=False)
    f = compile(lambda x: mg.sum(v * x * frozen))
    for _ in range(3):
        with mg.GradientTape() as tape:
            y = f(X)
        yield [any(u is s for s in tape.watched_variables()) for u in (v, w, frozen)]
        yield tape.gradient(y, [v, w, frozen])
        v.assign_add(Y)


@connected.same
def a_variable_behind_a_cut(compile):
    v, w = variable(), variable(Y)
    f = compile(lambda x: mg.sum(v * x * mg.stop_gradient(w)))
    for _ in range(3):
        with mg.GradientTape() as tape:
            y = f(X)
        yield tape.gradient(y, [v, w])
        w.assign_add(X)


@connected.same
def a_variable_as_argument_under_a_tape(compile):
    v, w = variable(), variable(Y)
    f = compile(lambda a, b: mg.sum(a * a * b))
    for a, b in ((v, w), (v, w), (w, v), (v, v)):
        with mg.GradientTape() as tape:
            y = f(a, b)
        yield tape.gradient(y, [v, w])


@connected.same
def a_custom_gradient_whose_body_is_compiled_and_reads_a_variable(compile):
    w = variable()
    body = compile(lambda x: x * w)

    @mg.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            return dy * w * 0.5, [dy * x * 3.0 for _ in variables]

        return body(x), grad

    for value in (X, Y, Z):
        with mg.GradientTape() as tape:
            y = mg.sum(scaled(Y))
        yield y, tape.gradient(y, w)
        w.assign(value)


@connected.same
def recompute_grad_of_a_compiled_function_with_a_variable(compile):
    w = variable()
    body = compile(lambda x: mg.sin(x * w))
    for value in (X, Y, Z):
        with mg.GradientTape() as tape:
            y = mg.sum(mg.recompute_grad(body)(mg.constant(Y)))
        yield y, tape.gradient(y, w)
        w.assign(value)


@connected.same
def upstreams_of_another_dtype(compile):
    f = compile(lambda x: mg.sin(x) * x)
    for x in (np.float16(X), np.float32(X), X, np.float32(Y)):
        t = mg.constant(x)
        yield mg.gradients(mg.sum(mg.cast(f(t), "float64") * 0.1), t)


@connected.same
def upstreams_that_broadcast(compile):
    f = compile(lambda x: mg.sum(mg.sin(x), axis=0))
    for m in (M, M, M * 2):
        t = mg.constant(m)
        yield mg.gradients(f(t) * M, t), mg.gradients(f(t), t, grad_ys=mg.constant(X))


@connected.same
def a_pullback_with_several_upstreams(compile):
    f = compile(lambda a, b: (mg.sin(a) * b, {"c": a + b}))
    for a, b in ((X, Y), (X, Y), (Y, Z)):
        _, pull = mg.vjp(f, a, b)
        yield pull((Z, {"c": X})), pull((X * 0, {"c": Z}))


@connected.same
def map_fn_and_vectorized_map(compile):
    row = compile(lambda r: mg.sin(r) * mg.sum(r))
    for m in (M, M * 2):
        yield mg.map_fn(row, m)
        yield compile(lambda m: mg.map_fn(lambda r: mg.sin(r) * mg.sum(r), m))(m)


test_connected = connected.test()


results = Attempts()
Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Made:
    a: object
    b: object


results.functions(
    "same",
    {
        "a named tuple": lambda x: Pair(x * 2.0, x),
        "a dict in another order": lambda x: {"z": x, "a": x * 2.0},
        "a dict with numbers as keys": lambda x: {2: x, 1: x * 2.0},
        "nested empties": lambda x: [x * 2.0, [], {"a": ()}],
        "None": lambda x: None,
        "None among others": lambda x: (x * 2.0, None),
        "a number of the shape": lambda x: (x * 2.0, len(x), x.ndim),
        "a string": lambda x: (x * 2.0, "name"),
        "a comparison": lambda x: x > 0.5,
        "integers": lambda x: mg.argsort(x),
        "a constant Tensor": lambda x: mg.constant([1.0, 2.0]),
        "a constant array": lambda x: np.arange(3.0),
        "an element": lambda x: x[1],
        "elements": lambda x: list(x),
        "a view": lambda x: x[1:],
        "a view that is reversed": lambda x: x[::-1],
        "its transpose": lambda x: mg.transpose(mg.reshape(x, (3, 1))),
        "its shape": lambda x: x.shape,
        "a bool": lambda x: len(x) == 3,
        "one value in two places": lambda x: (lambda y: (y, [y]))(mg.sin(x)),
    },
    X, mg.constant(X), Y, mg.constant(Y),
)  # fmt: skip
results.functions(
    "honest",
    {
        "a dataclass": lambda x: Made(x * 2.0, x),
        "a set": lambda x: {len(x)},
        "an ordered dict": lambda x: collections.OrderedDict(b=x * 2.0, a=x),
        "a defaultdict": lambda x: collections.defaultdict(list, a=x * 2.0),
        "a deque": lambda x: list(collections.deque([x * 2.0])),
        "a dtype": lambda x: (x * 2.0, str(x.dtype)),
    },
    X, mg.constant(X), Y, mg.constant(Y),
)  # fmt: skip


@results.honest
def a_function(compile):
    f = compile(lambda x: lambda y: x * y)
    yield f(X)(Y)
    yield f(X)(Y)
    yield f(Z)(Y)


@results.honest
def a_generator(compile):
    def f(x):
        yield x * 2.0
        yield x * 3.0

    f = compile(f)
    for x in (X, X, Y):
        yield list(f(x))


@results.honest
def an_iterator(compile):
    f = compile(lambda x: map(mg.sin, [x, x * 2.0]))
    for x in (X, X, Y):
        yield list(f(x))


@results.honest
def an_object(compile):
    class Model:
        def __init__(self, w):
            self.w = w

    f = compile(lambda x: Model(x * 2.0))
    for x in (X, X, Y):
        yield f(x).w


@results.honest
def the_argument_itself(compile):
    f = compile(lambda p: p)
    for p in ({"w": X}, {"w": X}, {"w": Y}):
        yield f(p)


@results.honest
def a_list_that_is_captured(compile):
    kept = [X]
    f = compile(lambda x: [*kept, x * 2.0])
    yield from over(f, X, Y)


@results.same
def another_structure_for_another_shape(compile):
    f = compile(lambda x: [x * 2.0] if len(x) > 2 else {"x": x * 2.0})
    yield from over(f, X, X[:2], Y, Y[:2])


test_results = results.test()


callables = Attempts()


class Model:
    def __call__(self, x):
        return mg.sin(x) * 2.0

    @staticmethod
    def run(x):
        return mg.sin(x) * 3.0


for name, f in {
    "an op": mg.sin,
    "an op of several arguments": functools.partial(mg.maximum, 0.5),
    "a function of NumPy": np.tanh,
    "an operator": operator.neg,
    "an object": Model(),
    "a bound method": Model().__call__,
    "a static method": Model.run,
    "a partial": functools.partial(mg.multiply, 2.0),
    "a partial of a partial": functools.partial(functools.partial(mg.add, 1.0)),
    "an itemgetter": operator.itemgetter(1),
    "a method of the argument": operator.methodcaller("sum"),
    "a transform": mg.grad(mg.sum),
    "a wrapped function": functools.wraps(mg.sin)(lambda x: mg.sin(x) * 5.0),
    "a cached function": functools.lru_cache(lambda x: mg.sin(x) * 2.0).__wrapped__,
    "a custom gradient": mg.custom_gradient(lambda x: (mg.sin(x), lambda dy: dy)),
    "a recomputed function": mg.recompute_grad(mg.sin),
}.items():
    callables.functions("honest", {name: f})


@callables.honest
def a_class(compile):
    yield from over(compile(Pair), (X, Y), (Y, Z))


@callables.honest
def a_coroutine(compile):
    async def f(x):
        return x * 2.0

    f = compile(f)
    for x in (X, X, Y):
        try:
            f(x).send(None)
        except StopIteration as stop:
            yield stop.value


test_callables = callables.test()
