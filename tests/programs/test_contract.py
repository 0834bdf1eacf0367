"""The contract of `mg.compile` and `mg.source`: attempts to break it, and what it says beside them."""

import functools
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from tests.programs.contract import EXPECTED, X, judge, picture, read, words_of

FILES = sorted((Path(__file__).parent / "contracts").glob("*.txt"))
assert FILES


@pytest.mark.cases(len(FILES))
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_program_gives_what_its_function_gives_or_is_refused_or_lists_what_is_fixed(file, sampled, subtests):
    attempts = read(file)
    assert len(attempts) >= 13
    for attempt in sampled(attempts, 6, name=lambda attempt: attempt.name):
        with subtests.test(f"{attempt.name}, {attempt.place}"):
            judge(attempt.run, attempt.expected, attempt.names)


def test_the_judge_fails_an_attempt_that_ends_otherwise():
    def attempt(compile):
        scale = 2.0
        f = compile(lambda x: x * scale)
        yield f(X)
        scale = 7.0
        yield f(X)

    judge(attempt, EXPECTED["fixed"], ["scale"])
    for kind, names in (("same", []), ("refused", []), ("either", []), ("fixed", ["x"])):
        with pytest.raises(AssertionError, match="differs: turn 1 gave"):
            judge(attempt, EXPECTED[kind], names)


# What a compiled function, or a program, uses is fixed in the program that it is part of too, and listed there.


class Layer:
    """An object that holds a compiled function."""

    def __init__(self, f):
        self.f = f

    def run(self, x):
        return self.f(x)

    def __call__(self, x):
        return self.f(x)


def calling(f):
    return lambda x: f(x) + 1.0


def running(layer):
    return lambda x: layer.run(x)


def listed(functions):
    return lambda x: functions[0](x)


AROUND = {
    "called": calling,
    "compiled twice": mg.compile,
    "called by a method": lambda inner: calling(Layer(inner).run),
    "called by a method of an object": lambda inner: running(Layer(inner)),
    "called by an object": Layer,
    "in a list": lambda inner: listed([inner]),
    "in a partial": functools.partial,
    "differentiated": lambda inner: mg.grad(lambda x: mg.sum(inner(x) ** 2)),
    "differentiated twice": lambda inner: mg.hessian(lambda x: mg.sum(inner(x) ** 3)),
    "recomputed": lambda inner: mg.recompute_grad(lambda x: inner(x) * x),
    "in a program": lambda inner: calling(mg.source(inner, X)),
}


@pytest.mark.parametrize("door", [mg.compile, lambda f: mg.source(f, X)], ids=["compile", "source"])
def test_a_closure_variable_of_a_function_inside_is_fixed_and_listed_in_the_outer_one(door, subtests):
    for name, around in AROUND.items():
        with subtests.test(name):
            scale = np.ones(3)
            inner = mg.compile(lambda x: x * scale)  # noqa: B023
            inner(X)
            outer = door(around(inner))
            before = picture(outer(X))
            scale = np.zeros(3)
            assert picture(outer(X)) == before
            assert "scale" in words_of(outer.fixed)


def test_of_an_object_only_the_attribute_that_is_read_is_fixed():
    class Model:
        def __init__(self):
            self.scale, self.batches = 2.0, iter([X])

    model = Model()
    program = mg.source(lambda x: x * model.scale, X)
    assert [(name, value) for name, value, _ in program.fixed] == [("model.scale", 2.0)]


# Lengths, bounds and numbers.


@pytest.mark.parametrize(
    "f",
    [
        lambda x, n: np.repeat(x, n),
        lambda x, n: np.delete(x, n),
        lambda x, n: np.tile(x, n),
        lambda x, n: np.pad(x, n),
        lambda x, n: np.split(x, n)[0],
    ],
)
def test_a_length_that_an_array_of_integers_gives_is_refused(f):
    with pytest.raises(mg.NotAProgram, match="length depends on numbers"):
        mg.compile(f)(X, np.array([1, 1, 2]))


def test_a_length_that_a_plain_integer_gives_is_written_for_each_of_them():
    functions = {
        "raw": lambda x, n: x[:n] * 2.0,
        "length": lambda x, n: mg.sum(x[n:] * 2.0) / len(x[n:]),
        "window": lambda x, n: mg.sum(mg.constant(x)[n : n + 2]),
        "gradient": mg.grad(lambda x, n: mg.sum(x[:n] ** 2)),
        "repeated": lambda x, n: np.repeat(x, n) * 2.0,
        "tiled": lambda x, n: np.tile(x, n + 1) * 2.0,
    }
    for f in functions.values():
        g = mg.compile(f)
        for n in (1, 2, 1, 0):
            assert picture(g(X, n)) == picture(f(X, n))


def test_a_slice_whose_bounds_are_values_is_refused_where_its_length_changes():
    window = mg.compile(lambda x, n: x[n : n + 2] * 2.0)
    for n in (0, 1):
        assert window(X, np.int64(n)).tolist() == (X[n : n + 2] * 2.0).tolist()
    mean = mg.compile(lambda x: mg.sum(x[np.searchsorted(x, 0.0) :]) / len(x[np.searchsorted(x, 0.0) :]))
    assert float(mean(np.array([-1.0, 1.0, 2.0]))) == 1.5
    for f, args in ((window, (X, np.int64(2))), (mean, (np.array([-1.0, -1.0, 2.0]),))):
        with pytest.raises(mg.NotAProgram, match=r"a slice gave an array of shape .* pass the bounds"):
            f(*args)


def test_a_number_of_a_subclass_is_a_number():
    class Metres(np.float64):
        pass

    f = mg.compile(lambda a, b: a * b)
    assert [float(f(Metres(a), 2.0)) for a in (3.0, 4.0)] == [6.0, 8.0]


def test_a_function_that_catches_floating_point_errors_is_refused():
    @mg.compile
    def f(x):
        with np.errstate(all="raise"):
            try:
                return mg.exp(x)
            except FloatingPointError:
                return x

    with pytest.raises(mg.NotAProgram, match="acts on floating point errors"):
        f(mg.constant(2.0))
