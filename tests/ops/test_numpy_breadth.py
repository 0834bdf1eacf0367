"""NumPy's less common functions beyond the samples of their declarations: edge cases, forms, errors."""

import warnings

import numpy as onp
import pytest

import minigrad as mg
import minigrad.numpy as np
from minigrad.diagnostics.gradient_check import check_gradients
from tests.helpers.tables import over

A = onp.array([[0.5, -1.5, 2.0], [1.0, 3.0, -0.5]])
NAN = onp.nan


@pytest.mark.parametrize(("name", "a", "b", "expected"), [
    ("fmax", 1.0, 1.0, (0.5, 0.5)), ("fmax", NAN, 1.0, (0.0, 1.0)), ("fmax", 1.0, NAN, (1.0, 0.0)),
    ("fmax", NAN, NAN, (0.5, 0.5)), ("fmax", -onp.inf, onp.inf, (0.0, 1.0)), ("fmin", 1.0, 1.0, (0.5, 0.5)),
    ("fmin", NAN, 1.0, (0.0, 1.0)), ("fmin", 1.0, NAN, (1.0, 0.0)), ("fmin", 1.0, 2.0, (1.0, 0.0)),
    ("logaddexp2", -onp.inf, -onp.inf, (0.5, 0.5)),
])  # fmt: skip
def test_slopes_at_ties_and_beside_nan(name, a, b, expected):
    f = getattr(mg, name)
    onp.testing.assert_array_equal(mg.grad(f, (0, 1))(onp.float64(a), onp.float64(b)), expected)
    onp.testing.assert_array_equal(f(mg.constant(a), mg.constant(b)).value, getattr(onp, name)(a, b))


@pytest.mark.parametrize(("name", "x", "expected"), [
    ("nanmax", [2.0, NAN, 2.0], [0.5, 0.0, 0.5]), ("nanmin", [2.0, NAN, 3.0], [1.0, 0.0, 0.0]),
    ("nanmax", [NAN, NAN], [0.0, 0.0]), ("nansum", [NAN, NAN], [0.0, 0.0]),
    ("nanprod", [0.0, NAN, 3.0], [3.0, 0.0, 0.0]),
    ("nanstd", [1.0, NAN, 1.0], [0.0, 0.0, 0.0]), ("median", [1.0, NAN, 2.0], [0.0, 0.0, 0.0]),
    ("nanmedian", [1.0, NAN, 2.0], [0.5, 0.0, 0.5]), ("median", [4.0, 1.0, 3.0, 2.0], [0.0, 0.0, 0.5, 0.5]),
])  # fmt: skip
def test_slopes_of_reductions_beside_nan(name, x, expected):
    f, x = getattr(mg, name), onp.array(x)
    onp.testing.assert_array_equal(mg.grad(f)(x), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, about slices that are all nan
        expected = getattr(onp, name)(x)
    onp.testing.assert_array_equal(f(mg.constant(x)).value, expected)


METHODS = [
    "linear", "hazen", "weibull", "interpolated_inverted_cdf", "median_unbiased", "normal_unbiased", "inverted_cdf",
    "averaged_inverted_cdf", "closest_observation", "lower", "higher", "nearest", "midpoint",
]  # fmt: skip


@over(METHODS, [1, 2, 5, 8])
def test_quantiles_are_numpys(method, n):
    x = onp.random.default_rng(n).normal(size=(2, n))
    q = onp.array([0.0, 0.125, 0.3, 0.5, 0.625, 0.99, 1.0])
    expected = onp.quantile(x, q, axis=1, method=method)
    onp.testing.assert_allclose(np.quantile(mg.constant(x), q, axis=1, method=method).value, expected, atol=1e-14)
    onp.testing.assert_allclose(np.percentile(mg.constant(x), 100 * q, 1, method=method).value, expected, atol=1e-14)
    with_hole = onp.concatenate([x, onp.full((2, 1), NAN)], 1)
    onp.testing.assert_allclose(mg.nanquantile(with_hole, q, 1, method), expected, atol=1e-14)
    assert onp.isnan(mg.quantile(with_hole, q, 1, method)).all()


def test_quantiles_between_equal_elements():
    x = onp.array([2.0, 1.0, 2.0, 5.0])
    slope = mg.grad(lambda x: mg.quantile(x, 0.5))(x)  # of the two middle ones, in their order
    assert slope.tolist() == [0.5, 0.0, 0.5, 0.0]


def test_a_quantile_has_a_slope_in_q():
    x = onp.array([3.0, 1.0, 7.0])
    assert mg.grad(lambda q: mg.quantile(x, q))(0.25).value == pytest.approx(4.0)  # 2 places times (3 - 1)
    check_gradients(lambda x, q: mg.quantile(x, q, method="hazen"), x, onp.array([0.4, 0.6]))


@pytest.mark.parametrize(("call", "words"), [
    (lambda x: mg.quantile(x, 0.5, method="sharp"), "quantile has no method 'sharp'; its methods are linear"),
    (lambda x: mg.quantile(x, 1.5), "quantile takes numbers from 0 to 1"),
    (lambda x: mg.percentile(x, [50, 101]), "percentile from 0 to 100"),
    (lambda x: mg.select([x > 0], [x, x]), "as many conditions as choices, got 1 and 2"),
    (lambda x: mg.convolve(x[0], x[1], "all"), "mode 'full', 'same' or 'valid', got 'all'"),
    (lambda x: mg.glu(x), "glu halves axis -1, whose length is odd"),
    (lambda x: x[0].mT, "mT transposes the matrices of the last two axes, got shape"),
    (lambda x: mg.cumulative_sum(x), "needs axis=, the axis to accumulate along"),
    (lambda x: mg.block([[x], x]), "nested to the same depth"),
    (lambda x: mg.rollaxis(x, 0, 3), "start must be from -2 to 2 for 2 axes, got 3"),
])  # fmt: skip
def test_errors_name_what_was_expected(call, words):
    with pytest.raises(ValueError, match=words):
        call(mg.constant(A))


def test_blocks():
    x = mg.constant(A)
    got = np.block([[x, np.ones((2, 2))], [np.zeros((1, 4)), mg.constant([[7.0]])]])
    onp.testing.assert_array_equal(
        got.value, onp.block([[A, onp.ones((2, 2))], [onp.zeros((1, 4)), onp.array([[7.0]])]])
    )
    check_gradients(lambda a, b: mg.block([[a, b], [b, a]]), A[:, :2], A[:, 1:])
    onp.testing.assert_array_equal(np.block([mg.constant(1.0), 2.0]).value, [1.0, 2.0])


@pytest.mark.parametrize("obj", [1, -1, [0, 2], [1], slice(0, 2), [True, False]], ids=repr)
@pytest.mark.parametrize("axis", [0, None])
def test_rows_put_in_and_taken_out(obj, axis):
    if obj != [True, False] or axis == 0:
        onp.testing.assert_array_equal(np.delete(mg.constant(A), obj if obj != [0, 2] else [0, 1], axis).value,
                                       onp.delete(A, obj if obj != [0, 2] else [0, 1], axis))  # fmt: skip
        if isinstance(obj, (int, list)) and obj != [True, False]:
            for values in (9.0, [9.0, 8.0, 7.0][: 1 if axis is None else 3]):
                got = np.insert(mg.constant(A), obj, values, axis)
                onp.testing.assert_array_equal(got.value, onp.insert(A, obj, values, axis))
    check_gradients(lambda x, v: mg.insert(x, [0, 2], v, 1), A, A[:, :2], order=1)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(5, 2), (5, 3), (2, 5), (3, 3), (1, 4)])
def test_convolution_of_rows(n, m, mode):
    rng = onp.random.default_rng(n * m)
    a, v = rng.normal(size=n), rng.normal(size=m)
    onp.testing.assert_allclose(np.convolve(mg.constant(a), v, mode).value, onp.convolve(a, v, mode), atol=1e-14)
    onp.testing.assert_allclose(np.correlate(a, mg.constant(v), mode).value, onp.correlate(a, v, mode), atol=1e-14)


@pytest.mark.parametrize("x", [0.0, 1.0, 3.0, -1.0, 4.0, 2.0])
def test_interpolation_at_its_points_and_beyond(x):
    xp, fp = onp.array([0.0, 1.0, 3.0]), onp.array([0.0, 5.0, 9.0])
    slope = {0.0: 5.0, 1.0: 2.0, 3.0: 2.0, -1.0: 0.0, 4.0: 0.0, 2.0: 2.0}[
        x
    ]  # to the right, at the last point to the left
    assert mg.grad(lambda x: np.interp(x, xp, fp))(onp.float64(x)) == slope
    assert np.interp(mg.constant(x), xp, fp).value == onp.interp(x, xp, fp)


def test_least_squares_and_its_facts():
    rng = onp.random.default_rng(1)
    for shape in ((4, 2), (2, 4), (3, 3)):
        a, b = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
        for right in (b, b[:, 0]):
            for got, expected in zip(np.linalg.lstsq(mg.constant(a), right), onp.linalg.lstsq(a, right)):
                onp.testing.assert_allclose(got.value, expected, atol=1e-12)
                assert got.value.shape == onp.shape(expected)


def test_whole_and_rest():
    x = mg.constant([7.5, -7.5])
    for got in (divmod(x, 2), np.divmod(x, 2.0)):
        onp.testing.assert_array_equal([part.value for part in got], divmod(onp.array([7.5, -7.5]), 2))
    assert [part.value for part in divmod(7.0, mg.constant(2.0))] == [3.0, 1.0]
    assert mg.grad(lambda y: divmod(7.0, y)[1])(2.0).value == -3.0


def test_a_tensor_as_lists_places_and_matrices():
    x = mg.constant([[1.0, 0.0], [2.0, 3.0]])
    assert x.tolist() == [[1.0, 0.0], [2.0, 3.0]] and mg.constant(2).tolist() == 2
    assert [places.tolist() for places in x.nonzero()] == [[0, 1, 1], [0, 0, 1]]
    onp.testing.assert_array_equal(mg.stack([x, x]).mT.value, onp.stack([x.value.T] * 2))
    for same in (x.real, x.conj(), x.conjugate(), np.conj(x), np.real(x)):
        assert mg.gradients(mg.sum(same), x)[0].value.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert x.imag.value.tolist() == np.imag(x).value.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert np.angle(mg.constant([-1.0, 2.0]), deg=True).value.tolist() == [180.0, 0.0]


def test_methods_of_elementwise_functions_on_arrays():
    assert np.add.reduce([1, 2, 3]) == 6
    assert np.multiply.outer([1, 2], [3, 4]).tolist() == [[3, 4], [6, 8]]
    assert np.maximum.accumulate([1, 3, 2]).tolist() == [1, 3, 3]
    assert np.add.reduceat([1, 2, 3, 4], [0, 2]).tolist() == [3, 7]
    counts = onp.zeros(2)
    np.add.at(counts, [1, 1], 1)
    assert counts.tolist() == [0.0, 2.0]
    assert np.add.identity == 0 and np.exp.nin == 1


@pytest.mark.parametrize("numpy", [np, onp], ids=["minigrad.numpy", "numpy"])
@pytest.mark.parametrize(("call", "write"), [
    (lambda np, x: np.add.reduce(x), r"np\.sum\(x, axis=0\)"),
    (lambda np, x: np.maximum.accumulate(x), r"mg\.cummax\(x, axis=0\)"),
    (lambda np, x: np.multiply.outer(x, x), r"np\.outer\(a, b\)"),
    (lambda np, x: np.subtract.outer(x, x), r"np\.subtract\(a\[:, None\], b\)"),
    (lambda np, x: np.add.at(onp.zeros(2), [0], x), r"mg\.index_add\(x, key, values\)"),
])  # fmt: skip
def test_methods_of_elementwise_functions_on_tensors_say_what_to_write(numpy, call, write):
    with pytest.raises(TypeError, match=rf"has no gradient here; write .*{write}"):
        call(numpy, mg.constant([1.0, 2.0]))


def test_a_name_of_numpy_is_the_same_object_each_time():
    for module, name in ((np, "tanh"), (np.linalg, "norm")):
        vars(module).pop(name, None)
        assert getattr(module, name) is getattr(module, name)


@pytest.mark.parametrize("where", [onp.where, np.where])
def test_where_of_a_condition_alone_gives_the_places_as_numpy_does(where):
    values = onp.array([[0.0, 2.0, 3.0], [4.0, 1.0, 0.0]])
    t = mg.constant(values)
    for found, wanted in ((where(t > 1), onp.where(values > 1)), (where(t), onp.where(values))):
        assert [(a.dtype, a.tolist()) for a in found] == [(a.dtype, a.tolist()) for a in wanted]
    assert mg.grad(lambda v: mg.sum(v[where(v > 1)] ** 2))(values).tolist() == [[0.0, 4.0, 6.0], [8.0, 0.0, 0.0]]
    assert where(t > 1, t, 0.0).value.tolist() == [[0.0, 2.0, 3.0], [4.0, 0.0, 0.0]]
