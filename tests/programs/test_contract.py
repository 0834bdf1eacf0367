"""The contract of `mg.compile` and `mg.source`: attempts to break it, and its messages."""

import functools
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from tests.programs.contract import EXPECTED, X, Y, judge, picture, read

FILES = sorted((Path(__file__).parent / "contracts").glob("*.txt"))
assert FILES


@pytest.mark.cases(len(FILES))
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_program_gives_what_its_function_gives_or_gave_then_or_is_refused(file, sampled, subtests):
    attempts = read(file)
    assert len(attempts) >= 13
    for attempt in sampled(attempts, 6, name=lambda attempt: attempt.name):
        with subtests.test(f"{attempt.name}, {attempt.place}"):
            judge(attempt.run, attempt.expected)


def test_the_judge_fails_an_attempt_that_ends_otherwise():
    def attempt(compile):
        scale = 2.0
        f = compile(lambda x: x * scale)
        yield f(X)
        scale = 7.0
        yield f(X)

    judge(attempt, EXPECTED["then"])
    for kind in ("same", "refused", "either"):
        with pytest.raises(AssertionError, match="differs: turn 1 gave"):
            judge(attempt, EXPECTED[kind])


def test_a_check_names_the_call_and_its_argument():
    scale, weights = 2.0, [np.ones(3)]
    f = mg.compile(lambda x: mg.exp(x * scale) + weights[0], check=True)
    assert picture(f(X)) == picture(f(X))
    scale = 7.0
    with pytest.raises(
        mg.NotAProgram, match=r"np.multiply \(test_contract.py:\d+\): its argument 1 \(scale\) is 7, and 2 in"
    ):
        f(X)
    scale, weights[0] = 2.0, np.zeros(3)
    with pytest.raises(
        mg.NotAProgram, match=r"np.add .* argument 1 \(weights\[0\]\) is array.*, and array.* in the program"
    ):
        f(X)
    weights[0] = np.ones(3)
    assert picture(f(Y)) == picture(mg.exp(Y * 2.0) + 1.0)


def test_a_check_names_a_call_that_is_new_or_missing_or_another():
    turns = [mg.sin, mg.sin]
    f = mg.compile(lambda x: functools.reduce(lambda a, g: g(a), turns, x), check=True)
    f(X)
    for change, words in (
        (lambda: turns.append(mg.exp), r"np.exp \(.*\) has no counterpart in it"),
        (
            lambda: turns.__setitem__(slice(None), [mg.cos, mg.sin]),
            r"differs from its program at np.cos \(.*\); the program has np.sin",
        ),
        (lambda: turns.__setitem__(slice(None), [mg.sin]), r"np.sin is missing now"),
    ):
        change()
        with pytest.raises(mg.NotAProgram, match=words):
            f(X)


def test_a_program_is_compared_at_other_numbers_too():
    known = {X.tobytes(): 2.0}  # its work for X tells nothing about other numbers

    def f(x):
        return x * known.get(getattr(x, "real_value", x).tobytes(), 3.0)

    with pytest.raises(mg.NotAProgram, match=r"with other numbers, .* np.multiply .*: its argument 1 .*is 3, and 2"):
        mg.compile(f)(X)


# The values that a compiled function or a program uses are fixed, and listed, in any program that contains it.


class Layer:
    """An object that holds a compiled function."""

    def __init__(self, f):
        self.f = f

    def __call__(self, x):
        return self.f(x)


AROUND = {
    "called": lambda inner: lambda x: inner(x) + 1.0,
    "compiled twice": mg.compile,
    "called by an object": Layer,
    "called by a method": lambda inner: Layer(inner).__call__,
    "in a partial": functools.partial,
    "differentiated": lambda inner: mg.grad(lambda x: mg.sum(inner(x) ** 2)),
    "differentiated twice": lambda inner: mg.hessian(lambda x: mg.sum(inner(x) ** 3)),
    "recomputed": lambda inner: mg.recompute_grad(lambda x: inner(x) * x),
    "in a program": lambda inner: mg.source(lambda x: inner(x) + 1.0, X),
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
            assert "scale" in [name for name, _, _ in outer.fixed]


def test_what_entered_is_listed_with_its_name_its_value_and_its_line_and_nothing_else():
    class Model:
        def __init__(self):
            self.w, self.unused = np.array([1.0, 2.0, 3.0]), np.ones(5)

    model, scale, table = Model(), 2.0, {"shift": [1.0, 4.0]}
    bias = mg.constant(np.array([0.5, 0.0, 0.25]))

    def f(x):
        x = x * scale + table["shift"][1]
        return np.add(x * model.w, np.arange(3.0)) * bias.value * 5.0

    program = mg.source(f, X)
    start = f.__code__.co_firstlineno
    assert [(name, np.asarray(value).tolist(), line - start) for name, value, line in program.fixed] == [
        ("scale", 2.0, 1), ("table['shift'][1]", 4.0, 1), ("model.w", [1.0, 2.0, 3.0], 2), ("", [0.0, 1.0, 2.0], 2),
        ("bias", [0.5, 0.0, 0.25], 2),
    ]  # fmt: skip


# Lengths, bounds and numbers.


@pytest.mark.parametrize(
    "f",
    [
        lambda x, n: np.repeat(x, n),
        lambda x, n: np.delete(x, n),
        lambda x, n: np.tile(x, n),
        lambda x, n: np.pad(x, n[:2]),
        lambda x, n: np.split(x, n)[0],
    ],
)
def test_a_length_that_an_array_of_integers_gives_is_refused(f):
    with pytest.raises(mg.NotAProgram, match="length depends on"):
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

    with pytest.raises(mg.NotAProgram, match="reacts to floating-point errors"):
        f(mg.constant(2.0))
