"""The functions of minigrad.scipy.special have SciPy's values and arguments, and gradients."""

import mpmath
import numpy as np
import pytest
import scipy.special as theirs

import minigrad as mg
import minigrad.scipy.special as special
from minigrad.diagnostics.gradient_check import check_gradients

X = np.array([0.3, 0.7, 0.95])
TABLE = np.array([[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]])
ONE = [
    "expit", "logit", "log_expit", "erf", "erfc", "gammaln", "digamma", "psi", "entr", "expm1", "log1p", "exp2",
    "exp10", "cbrt", "sinc",
]  # fmt: skip
TWO = ["xlogy", "xlog1py", "betaln", "rel_entr"]


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_number(name):
    f = getattr(special, name)
    np.testing.assert_allclose(f(mg.constant(X)).value, getattr(theirs, name)(X), rtol=1e-12)
    np.testing.assert_allclose(f(X), getattr(theirs, name)(X), rtol=1e-12)
    check_gradients(f, X)


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_numbers(name):
    f, y = getattr(special, name), np.array([1.5, 0.4, 2.0])
    np.testing.assert_allclose(f(mg.constant(X), y).value, getattr(theirs, name)(X, y), rtol=1e-12)
    check_gradients(f, X, y)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_functions_of_many_numbers(name, axis):
    f = getattr(special, name)
    np.testing.assert_allclose(f(mg.constant(TABLE), axis).value, getattr(theirs, name)(TABLE, axis), rtol=1e-12)
    check_gradients(lambda x: f(x, axis), TABLE)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_logsumexp_with_factors(axis, keepdims):
    b = np.array([[1.0, 0.0, 2.0], [0.5, 3.0, 1.0]])
    got = special.logsumexp(mg.constant(TABLE), axis, b, keepdims)
    np.testing.assert_allclose(got.value, theirs.logsumexp(TABLE, axis, b, keepdims), rtol=1e-12)
    check_gradients(lambda x: special.logsumexp(x, axis, b, keepdims), TABLE)
    value, sign = special.logsumexp(mg.constant(TABLE), axis, -b, keepdims, return_sign=True)
    np.testing.assert_allclose(value.value, got.value, rtol=1e-12)
    np.testing.assert_array_equal(sign.value, -1)


def test_polygamma_has_its_order_first():
    for n in (0, 1, 2):
        np.testing.assert_allclose(special.polygamma(n, mg.constant(X)).value, theirs.polygamma(n, X), rtol=1e-10)


def test_multigammaln():
    a = np.array([1.5, 3.0])
    np.testing.assert_allclose(special.multigammaln(mg.constant(a), 3).value, theirs.multigammaln(a, 3), rtol=1e-12)
    check_gradients(lambda a: special.multigammaln(a, 3), a)
    with pytest.raises(ValueError, match="multigammaln of 3 dimensions takes numbers above 1"):
        special.multigammaln(mg.constant(0.5), 3)


@pytest.mark.parametrize("x", [0.0, -1.0])
@pytest.mark.parametrize("name", ["entr", "rel_entr"])
def test_entropies_outside_of_their_domain(name, x):
    args = (x,) if name == "entr" else (x, 2.0)
    f = getattr(special, name)
    assert f(*map(mg.constant, args)).value == getattr(theirs, name)(*args)
    assert all(np.isfinite(g) for g in mg.grad(f, tuple(range(len(args))))(*map(np.float64, args))) or x == 0


def test_the_slope_of_entr_is_infinite_at_0():
    x = np.array([0.0, -0.0, 1.0, np.nan])
    np.testing.assert_array_equal(special.entr(x), [0.0, 0.0, 0.0, np.nan])
    slope = mg.elementwise_grad(special.entr)
    np.testing.assert_array_equal(slope(x), [np.inf, np.inf, -1.0, np.nan])
    np.testing.assert_array_equal(mg.elementwise_grad(slope)(x), [-np.inf, -np.inf, -1.0, np.nan])


def test_the_complement_of_erf_is_exact_where_erf_is_nearly_one():
    assert mg.erfc(mg.constant(10.0, "float64")).value == pytest.approx(2.088487583762545e-45, rel=1e-12)


def test_everything_listed_is_there_and_takes_lists():
    others = {"betaln": [[0.5, 2.0]], "multigammaln": [1], "rel_entr": [[0.5, 2.0]], "xlogy": [2.0], "xlog1py": [2.0]}
    for name in special.__all__:
        more = [0, [0.5, 0.25]] if name == "polygamma" else [[0.5, 0.25], *others.get(name, [])]
        expected = getattr(theirs, name, None)
        found = getattr(special, name)(*more)
        assert isinstance(found, mg.Tensor) and found.dtype == np.float32, name
        if expected is not None:
            np.testing.assert_allclose(found.value, expected(*more), rtol=1e-5, err_msg=name)
    assert mg.scipy.special is special


def test_betaln_keeps_its_digits_beside_large_numbers():
    large = np.geomspace(1.0, 1e30, 61)
    for b in (1.0, 0.25, 3.5):
        with mpmath.workdps(60):  # SciPy's own has 11 digits at 1e5
            truth = [float(mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(mpmath.mpf(a) + b)) for a in large]
        np.testing.assert_allclose(special.betaln(mg.constant(large), b).value, truth, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(special.betaln(b, mg.constant(large)).value, truth, rtol=1e-12, atol=1e-14)
    slopes = mg.elementwise_grad(lambda x: special.betaln(x, 1.0))(large)  # betaln(x, 1) is -log(x)
    np.testing.assert_allclose(slopes, -1 / large, rtol=1e-11)
    seconds = mg.elementwise_grad(mg.elementwise_grad(lambda x: special.betaln(x, 1.0)))(large[:31])
    np.testing.assert_allclose(seconds, 1 / large[:31] ** 2, rtol=1e-9)
    check_gradients(special.betaln, np.array([20.0, 17.0, 300.0, 16.0]), np.array([18.0, 0.3, 250.0, -1.5]))


def test_special_functions_of_integers_and_nan():
    assert special.exp10(mg.constant([0, 3])).value.tolist() == [1.0, 1000.0]
    assert np.isnan(special.rel_entr(mg.constant([np.nan, -1.0]), [-1.0, np.nan]).value).all()
