"""Signs and multiples in front of products and sums: fewer calls, and the same numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad.programs.program import Program, needed

STEPS = ("add", "subtract", "multiply", "negative", "times")
NUMBERS = (2.0, -1.0, 4, 0.5, -3.0, 0.25, 1.5, 0.1, 100.0, -0.0)
ENTRIES = st.sampled_from([1.0, -2.0, 0.3, 1e-3, 7.0, np.inf, np.nan, 1e5])


def lines_of(f, *values):
    """The calls of a program of `f`, written to be fast, and its result."""
    program = Program(fold=4096, fast=True)
    inputs = [program.given(np.asarray(v)) for v in values]
    out = program.lower(f, inputs)
    return [line for line in needed([out], program.lines) if line.args], out


def composed(steps):
    """The function that takes these steps; and a bound for all numbers that are added up on the way."""

    def f(*xs):
        known = list(xs)
        for name, i, j, n in steps:
            a, b = known[i], known[j]
            known.append(-a if name == "negative" else n * a if name == "times" else getattr(np, name)(a, b))
        return known[-1]

    def bound(*xs):
        known = [np.where(np.isfinite(x), np.abs(x), 1.0) for x in xs]
        for name, i, j, n in steps:
            a, b = known[i], known[j]
            known.append(
                a if name == "negative" else abs(n) * a if name == "times" else a * b if name[0] == "m" else a + b
            )
        return known[-1]

    return f, bound


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from([np.float32, np.float64]))
def test_any_sums_and_products_keep_their_values(data, dtype):
    shapes = data.draw(st.lists(st.sampled_from([(), (3,), (2, 3)]), min_size=2, max_size=3))
    entries = [data.draw(st.lists(ENTRIES, min_size=6, max_size=6)) for _ in shapes]
    values = [np.array(e, dtype)[: int(np.prod(s))].reshape(s) for e, s in zip(entries, shapes)]
    steps = []
    for k in range(len(values), len(values) + data.draw(st.integers(1, 12))):
        pick, name = st.integers(0, k - 1), data.draw(st.sampled_from(STEPS))
        steps.append((name, data.draw(pick), data.draw(pick), data.draw(st.sampled_from(NUMBERS))))
    f, bound = composed(steps)
    with np.errstate(all="ignore"):
        expected, largest = f(*values), bound(*values)
    _, out = lines_of(f, *values)
    assert out.shape == expected.shape and out.dtype == expected.dtype
    sure = np.broadcast_to(largest < 1e30, expected.shape)
    ours, theirs = np.asarray(out.value)[sure], np.asarray(expected)[sure]
    finite = np.isfinite(theirs)
    assert np.array_equal(ours[~finite], theirs[~finite], equal_nan=True)
    steps_apart = np.abs(ours[finite] - theirs[finite]) / np.finfo(dtype).eps
    assert np.all(steps_apart <= 100 * np.broadcast_to(largest, expected.shape)[sure][finite])


@pytest.mark.parametrize(
    ("f", "count"),
    [
        (lambda a, b: -a * -b, 1),
        (lambda a, b: (2 * a) * (2 * b), 2),
        (lambda a, b: a + b + b, 2),
        (lambda a, b: (a - b) - b, 2),
        (lambda a, b: a + a + a + a, 1),
        (lambda a, b: (2 * a) * b - b * (2 * a) * -3, 2),
        (lambda a, b: -a + b, 1),
        (lambda a, b: -(-a - a), 1),
        (lambda a, b: (2 * a + 2 * b) * 0.5, 1),
        (lambda a, b: a + b + b - 2 * a, 3),  # a and -2a are not put together: with inf this is nan
    ],
)
def test_the_number_of_calls(f, count):
    lines, out = lines_of(f, np.array([1.0, 2.0]), np.array([0.5, -3.0]))
    assert len(lines) == count
    assert np.allclose(out.value, f(np.array([1.0, 2.0]), np.array([0.5, -3.0])))


def test_signs_of_zeros_stay():
    zero, one = np.array([0.0, -0.0]), np.array([1.0, 1.0])
    for f in (lambda a, b: -a * -b, lambda a, b: a + a, lambda a, b: -(-a - a), lambda a, b: 2 * a + 2 * b - 4 * b):
        for args in ((zero, one), (one, zero), (zero, zero), (one, one)):
            _, out = lines_of(f, *args)
            assert np.array_equal(np.signbit(out.value), np.signbit(f(*args)))


def test_half_precision_is_left_alone_because_it_overflows_early():
    a = np.array([40000.0], np.float16)
    _, out = lines_of(lambda a, b: (a + a) * b, a, np.array([0.5], np.float16))
    assert np.isinf(out.value).all()
