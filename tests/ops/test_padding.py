"""Padding in every mode of NumPy: values, gradients, and what is refused."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.gradient_check import check_gradients
from tests.helpers.tables import over

X = np.array([[1.5, -2.0, 0.5, 0.7], [0.3, 1.0, 2.5, -0.4], [2.2, 0.1, -1.3, 0.9]])
PAIRS = ((1.0, 2.0), (3.0, 4.0))
STATISTICS = ["maximum", "minimum", "mean", "median"]
OPTIONS = {
    "constant": dict(constant_values=PAIRS), "linear_ramp": dict(end_values=PAIRS),
    **{mode: dict(stat_length=((2, 1), (3, 2))) for mode in STATISTICS},
    **{mode: dict(reflect_type="odd") for mode in ("reflect", "symmetric")}, "edge": {}, "wrap": {},
}  # fmt: skip
CALLS = [(mode, {}) for mode in OPTIONS] + [(mode, options) for mode, options in OPTIONS.items() if options]
WIDTHS = [0, 1, 3, (1, 2), ((0, 2), (5, 1)), ((2,), (1,))]


@over(CALLS, WIDTHS)
def test_every_mode_has_numpys_values_and_a_right_gradient(call, width):
    mode, options = call
    expected = np.pad(X, width, mode, **options)
    np.testing.assert_allclose(mg.pad(mg.constant(X), width, mode, **options).value, expected, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(mg.pad(X, width, mode, **options), expected, rtol=1e-13, atol=1e-15)
    check_gradients(lambda x: mg.pad(x, width, mode, **options), X)


@over(CALLS)
def test_integers_are_padded_as_in_numpy(mode, options):
    whole = np.round(X * 10).astype(np.int32)
    y = mg.pad(mg.constant(whole), (1, 2), mode, **options)
    np.testing.assert_array_equal(y.value, np.pad(whole, (1, 2), mode, **options))
    assert y.dtype == np.int32


@over(list(OPTIONS))
def test_halves_stay_halves(mode):
    x = mg.constant(X, "float16")
    y = mg.pad(x, 1, mode)
    assert y.dtype == mg.gradients(y, x)[0].dtype == np.float16


@pytest.mark.parametrize("fill", [0.5, [0.5, 1.5], [[0.5], [1.5]], PAIRS], ids=str)
@pytest.mark.parametrize("mode", ["constant", "linear_ramp"])
def test_what_is_added_has_a_gradient(mode, fill):
    name = {"constant": "constant_values", "linear_ramp": "end_values"}[mode]
    check_gradients(lambda x, fill: mg.pad(x, ((1, 2), (3, 0)), mode, **{name: fill}), X, np.asarray(fill))


def test_the_sum_of_a_table_padded_by_its_means():
    slope = mg.grad(lambda x: mg.sum(mg.pad(x, 1, "mean")))(np.array([[3.0, 1.0], [2.0, 4.0]]))
    np.testing.assert_allclose(slope, np.full((2, 2), 4.0))


def test_equal_largest_elements_share():
    slope = mg.grad(lambda x: mg.sum(mg.pad(x, (0, 1), "maximum")))(np.array([2.0, 1.0, 2.0]))
    np.testing.assert_array_equal(slope, [1.5, 1.0, 1.5])


@pytest.mark.parametrize("width", [{0: 2, -1: (0, 3)}, {1: (0, 3), 0: (2, 2)}, ((2, 2), (0, 3))], ids=str)
@pytest.mark.parametrize("form", [lambda width: width, np.asarray, mg.constant])
def test_the_width_of_each_axis(width, form):
    width = width if isinstance(width, dict) else form(width)
    expected = np.pad(X, ((2, 2), (0, 3)))
    np.testing.assert_array_equal(mg.pad(mg.constant(X), width).value, expected)
    np.testing.assert_array_equal(mg.gradients(mg.pad(x := mg.constant(X), width), x)[0].value, np.ones_like(X))


@pytest.mark.parametrize(("arguments", "options", "sentence"), [
    ((1, "empty"), {}, "pad has no mode 'empty': its elements are arbitrary; write mode='constant'"),
    ((1, "round"), {}, "pad has no mode 'round'; its modes are constant, edge"),
    ((1, np.mean), {}, "pad has no mode <function mean"),
    ((1, "edge"), dict(constant_values=3.0), "constant_values belongs to the mode constant of pad, got mode='edge'"),
    ((1, "wrap"), dict(reflect_type="odd"), "or 'odd' with mode reflect or symmetric; got 'odd', mode='wrap'"),
    ((1, "edge"), dict(stat_length=2), "stat_length belongs to the mode maximum or minimum or mean or median of pad"),
    ((1, "mean"), dict(stat_length=0), "stat_length must be at least 1, got 0"),
    (({2: 1},), {}, "pad_width names axis 2, but the array has 2 axes"),
])  # fmt: skip
def test_what_is_refused_is_named(arguments, options, sentence):
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        mg.pad(mg.constant(X), *arguments, **options)


@pytest.mark.parametrize("mode", [*STATISTICS, "linear_ramp"])
def test_an_axis_without_elements_cannot_be_extended(mode):
    with pytest.raises(
        ValueError, match=rf"pad cannot extend axis 0 of shape \(0, 2\), which has no elements, by its {mode}"
    ):
        mg.pad(mg.ones((0, 2)), 1, mode)
