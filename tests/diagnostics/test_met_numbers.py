"""The numbers that meet in a nan: in large arrays too, they are the ones that a count of all terms finds."""

import re

import numpy as np
import pytest

import minigrad as mg

INF = np.inf
#: Each op on two arrays, and the factors of the terms of one element.
PRODUCTS = {
    "matmul": (lambda a, b: mg.matmul(a, b), lambda a, b, i, j: (a[i], b[:, j])),
    "einsum": (lambda a, b: mg.einsum("ij,kj->ik", a, b), lambda a, b, i, j: (a[i], b[j])),
}
SUMS = {"sum": mg.sum, "mean": mg.mean}


def planted(rng, shape):
    """An array of which a few elements are 0, inf or -inf, far behind the first 64."""
    a = rng.normal(size=shape)
    for _ in range(int(rng.integers(1, 9))):
        a[tuple(rng.integers(0, n) for n in shape)] = rng.choice([0.0, INF, -INF, INF])
    return a


def words_of(f, *arrays):
    with np.errstate(all="ignore"):
        report = mg.find_nan(lambda *args: mg.sum(mg.tanh(f(*args))), *map(mg.constant, arrays))
    return report if report.phase == "forward" and report.word == "nan" else None


def index_in(sentence):
    (words,) = re.findall(r"in (?:row (\d+), column (\d+)|element \((\d+), (\d+)\)|element (\d+))", sentence)
    return tuple(int(n) for n in words if n)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", PRODUCTS)
def test_the_factors_of_a_sum_of_products_are_those_that_met(name, seed):
    f, terms = PRODUCTS[name]
    rng = np.random.default_rng(seed)
    shapes = ((20, 30), (30, 25)) if name == "matmul" else ((20, 30), (25, 30))
    a, b = (planted(rng, shape) for shape in shapes)
    report = words_of(f, a, b)
    with np.errstate(all="ignore"):
        result = np.einsum("ij,jk->ik" if name == "matmul" else "ij,kj->ik", a, b)
    if not np.isnan(result).any() or report is None:
        assert not np.isnan(result).any() and report is None
        return
    left, right = terms(a, b, *index_in(report.sentence))
    with np.errstate(all="ignore"):
        products = left * right
    if report.kind == "0 * inf":
        factors = re.search(r"(\S+) · (\S+) is nan", report.sentence).groups()
        assert {*map(float, factors)} & {0.0} and any({x, y} == {*map(float, factors)} for x, y in zip(left, right))
    else:
        assert report.kind == "inf - inf" and not np.isnan(products).any()
        assert INF in products and -INF in products


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("name", SUMS)
def test_a_sum_is_nan_where_inf_and_minus_inf_are_added(name, seed):
    a = planted(np.random.default_rng(seed), (8, 40))
    report = words_of(lambda a: SUMS[name](a, axis=1), a)
    meet = [i for i in range(8) if INF in a[i] and -INF in a[i]]
    assert (report is not None) == bool(meet)
    if meet:
        assert report.kind == "inf - inf" and index_in(report.sentence) == (meet[0],)


@pytest.mark.parametrize("f", [mg.sum, mg.mean])
def test_parts_of_a_sum_that_overflow_are_no_infinities_of_the_data(f):
    x = np.array([3e38] * 500 + [-3e38] * 500, np.float32)  # pairwise sums of both halves overflow
    report = words_of(f, x)
    assert report.kind == "overflow" and report.sentence.endswith(": a part of the sum is too large for float32")


@pytest.mark.parametrize("seed", range(20))
def test_the_numbers_of_an_element_behind_those_of_the_trace(seed):
    """An elementwise op in a large array: the two numbers are those of the element that is nan or inf."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(1, 2, 500), rng.uniform(1, 2, 500)
    i, j = rng.choice(np.arange(100, 500), 2, replace=False)
    y[i], x[j] = 0.0, INF
    both = seed % 2
    if both:
        x[i] = 0.0
    with np.errstate(all="ignore"):
        report = mg.find_nan(lambda x, y: mg.sum(x / y), mg.constant(x), mg.constant(y))
    assert report.word == ("nan" if both else "inf")
    if both:
        assert (report.kind, report.sentence) == ("0 / 0", "divide(0, 0) is nan")
    with np.errstate(all="ignore"):
        report = mg.find_nan(lambda y: mg.sum(1.0 / y), mg.constant(y))
    assert (report.kind, report.sentence) == ("domain", "divide(1, 0) is inf")
