"""A seeded search: extreme numbers in the inputs of recorded functions; everything on the page agrees with Python."""

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.numbers import short
from minigrad.tracing.trace_fields import number
from tests.helpers.node import run_js, words
from tests.viz.drag.test_recomputed import broken, check, log1pexp
from tests.viz.drag.test_verdicts import FILES, JUDGE, blurred, forgets
from viz.model.cells import shades

EXTREMES = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1e-320, 1e308, -1.797e308, 3.4e38, -3.5e38, 1e-45, 1.2e-38]
EXTREMES += [65504.0, 65520.0, -65504.0, 6e-8, 6.1e-5, 1.0, -1.0, 2.0, 3.0, 0.5, -0.5, 1e-8, 88.7, 89.0, -104.0, 709.8]
EXTREMES += [2.0**31, 2.0**53, 1e16, 2.5, -2.5, 1e200]
KERNEL = np.array([[1.0, -0.5], [0.25, 2.0]]).reshape(2, 2, 1, 1)

#: Functions, and the shapes of their inputs.
FUNCTIONS = {
    "softmax": (lambda x: mg.sum(mg.softmax(x) * np.array([1.0, 2.0, 3.0])), (3,)),
    "cross-entropy": (lambda x: -mg.sum(np.array([0.0, 1.0, 0.0]) * mg.log(mg.softmax(x))), (3,)),
    "log-sum-exp": (lambda x: mg.logsumexp(x), (3,)),
    "by hand": (lambda x: mg.max(mg.exp(x - mg.max(x)) / mg.sum(mg.exp(x - mg.max(x)))), (4,)),
    "cumulative": (lambda x: mg.sum(mg.cumsum(x) * x) + mg.sum(mg.cumprod(x)), (4,)),
    "conv": (lambda x: mg.sum(mg.nn.conv2d(x, KERNEL, 1, "VALID") ** 2), (1, 3, 3, 1)),
    "ties": (lambda x, w: mg.where(x > w, x * w, mg.where(x == w, x, w)), (), ()),
    "maximum": (lambda x, w: mg.maximum(x, w) * mg.minimum(x, 2 * w), (), ()),
    "largest": (lambda x: mg.max(x) - mg.min(x) * mg.max(x), (4,)),
    "mask": (lambda x: mg.sum(mg.where(np.array([True, False, True]), mg.log(x), 0.0) * x), (3,)),
    "whole powers": (lambda x: x**3 + x**-2 + x**0, ()),
    "roots": (lambda x: x**2.5 + x**0.5, ()),
    "power": (lambda x, w: x**w, (), ()),
    "quotients": (lambda x, w: x / w + w / x, (), ()),
    "remainder": (lambda x, w: x % w + mg.floor(x) * w, (), ()),
    "poles": (lambda x: mg.log1p(x) * mg.expm1(x) + mg.arctanh(x), ()),
    "bounded": (lambda x: mg.tanh(x) * mg.sigmoid(x) - mg.softplus(x) + mg.clip(x, -1.0, 1.0) * x, ()),
    "variance": (lambda x: mg.mean((x - mg.mean(x)) ** 2), (5,)),
    "product": (lambda x: mg.prod(x), (4,)),
    "matrices": (lambda x, w: mg.sum(mg.tanh(x @ w)), (2, 3), (3, 2)),
    "integers": (lambda x: x * 3 + x * np.int32(2) - x / 7, ()),
    "own rule": (lambda x: log1pexp(x * 2.0), ()),
    "broken rule": (lambda x, w: broken(x, w) + x, (), ()),
}
COMPARED = {
    "expm1": ((lambda x, w: mg.tanh(x * w), lambda x, w: mg.exp(x * w) - 1), (), ()),
    "ties": ((lambda x, w: mg.maximum(x, w), lambda x, w: mg.where(x > w, x, w)), (), ()),
    "powers": ((lambda x: x**3, lambda x: x * x * x), ()),
    "softmax": ((lambda x: mg.softmax(x)[0], lambda x: (mg.exp(x) / mg.sum(mg.exp(x)))[0]), (3,)),
    "running": ((lambda x: mg.sum(mg.cumsum(x)), lambda x: mg.sum(x * np.array([3.0, 2.0, 1.0]))), (3,)),
    "upstream": ((forgets,), ()),
    "own rule": ((log1pexp,), ()),
}


def points(rng, shapes, dtype, many):
    """Inputs at which a function is recorded, and `many` with extreme numbers among them."""

    def values(shape, extreme):
        size = int(np.prod(shape))
        numbers = np.where(rng.random(size) < 0.4, rng.normal(size=size), rng.choice(EXTREMES, size))
        if rng.random() < 0.2:
            numbers[:] = numbers[0]
        return (numbers if extreme else rng.choice([0.5, 1, 2, 1.5, 3], size)).reshape(shape).astype(dtype)[()]

    with np.errstate(over="ignore"):
        return [[values(shape, k > 0) for shape in shapes] for k in range(many + 1)]


@pytest.mark.cases(1)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_at_extreme_numbers_the_page_says_what_python_says(dtype, subtests, sampled):
    for name, (f, *shapes) in sampled(FUNCTIONS.items(), 8, name=lambda row: row[0]):
        with subtests.test(name):
            rng = np.random.default_rng([len(name), ord(name[0])])
            check(f, points(rng, shapes, dtype, 5), close=2e-2 if dtype == "float16" else 2e-3, cancels=True)


@pytest.mark.parametrize("name", COMPARED)
def test_at_extreme_numbers_the_table_of_a_comparison_is_that_of_python(name):
    functions, *shapes = COMPARED[name]
    settings = points(np.random.default_rng(len(name)), shapes, "float32", 6)
    view = viz.compare(*functions, *settings[0])
    data, _ = view.data()
    names = [row.argument for row in view.rows]
    told = [
        {k: data[k] for k in ("lanes", "labels", "verdicts")}
        | {"names": names, "setting": dict(zip(names, map(words, xs)))}
        for xs in settings
    ]
    for xs, (headline, *rows) in zip(settings, run_js(FILES, JUDGE, told)):
        fresh = viz.compare(*functions, *xs)
        page, python = (blurred(text).replace("Nearly the same", "Same") for text in (headline, fresh.point))
        assert page == python, xs  # a value may differ by one rounding
        for cells, row in zip(rows, fresh.rows, strict=True):
            values = ["none" if v is None else short(v) for v in (row.first, row.second, row.difference)]
            assert [blurred(c) for c in cells[1:]] == [blurred(c) for c in (*values, row.verdict)], xs


#: Cases that the search has found.
FOUND = {
    "a constant of float16": (lambda x: mg.sinc(x), [np.float16(v) for v in (1, -1.025390625, 1.3974609375)]),
    "a pole": (lambda x: mg.log1p(x) * mg.expm1(x), [np.float32(v) for v in (0.5, -1)]),
    "another pole": (lambda x: mg.arctanh(x) + mg.arctan(x), [0.5, 1.0, -1.0]),
    "a root of -inf": (lambda x: x**2.5 + x**0.5, [np.float32(v) for v in (1, -np.inf, -0.0)]),
}


def test_what_was_found_stays_mended(subtests):
    for case, (f, at) in FOUND.items():
        with subtests.test(case):
            check(f, [[x] for x in at], close=1e-3)


def test_the_cells_of_an_array_have_a_shade_where_the_largest_element_is_nearly_too_large():
    x = [1.7e308, -1e-320, 0.0]
    body = "return data.map((values) => shadesOf({ n: 3, sample: values }));"
    assert run_js(("cells",), body, [x]) == ["4a0"] == [shades(number(np.array(x)))]
