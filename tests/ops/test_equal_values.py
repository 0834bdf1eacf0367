"""Matrices with equal eigenvalues or singular values, up to rounding.

A function that does not depend on the choice of their vectors has its gradient, computed by hand or by the formula of
Daleckii and Krein; one that does raises an error.
"""

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import OPS

SPECTRA = [[3, 2, 2, 1], [2, 2, 2, 1], [2, 2, 2, 2], [3, 0, 0, 1], [0, 0, 0, 0], [3, 3, 1, 1], [4, 3, 2, 1]]
DTYPES = ["float32", "float64"]


def rotation(n, rng):
    return np.linalg.qr(rng.normal(size=(n, n)))[0]


def symmetric(values, dtype, rng):
    v = rotation(len(values), rng)
    a = (v * np.array(values, float)) @ v.T
    return ((a + a.T) / 2).astype(dtype)


def room(dtype, size=1):
    return dict(rtol=0, atol=500 * size * np.finfo(dtype).eps)


def of_matrix(f, w):
    """The sum of `w` times V f(values) V.T."""

    def loss(a):
        values, v = mg.eigh(a)
        return mg.sum(w * ((v * mg.expand_dims(f(values), -2)) @ mg.swapaxes(v, -1, -2)))

    return loss


def daleckii_krein(a, w, f, df):
    """V (quotients * (V.T w V)) V.T: the divided differences of f at the eigenvalues, df where they are equal."""
    values, v = np.linalg.eigh(np.asarray(a, np.float64))
    i, j = values[:, None], values
    equal = np.abs(i - j) < 1e-4
    quotients = np.where(equal, df((i + j) / 2), (f(i) - f(j)) / np.where(equal, 1, i - j))
    return v @ (quotients * (v.T @ ((w + w.T) / 2) @ v)) @ v.T


FUNCTIONS = {
    "the values": (lambda x: x, lambda x: x, lambda x: 1 + 0 * x),
    "their cubes": (lambda x: x**3, lambda x: x**3, lambda x: 3 * x**2),
    "their exponentials": (mg.exp, np.exp, np.exp),
    "their sines": (mg.sin, np.sin, np.cos),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("values", SPECTRA, ids=str)
def test_a_function_of_a_symmetric_matrix_has_the_gradient_of_daleckii_and_krein(values, dtype, subtests):
    rng = np.random.default_rng(0)
    a, w = symmetric(values, dtype, rng), rng.normal(size=(4, 4)).astype(dtype)
    for name, (f, g, dg) in FUNCTIONS.items():
        with subtests.test(name):
            truth = daleckii_krein(a, w.astype(float), g, dg)
            np.testing.assert_allclose(mg.grad(of_matrix(f, w))(a), truth, **room(dtype, 1 + np.abs(truth).max()))


@pytest.mark.parametrize("gap", [0, 2e-16, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-2])
def test_the_gradient_is_right_at_every_gap(gap):
    rng = np.random.default_rng(1)
    a, w = symmetric([1, 1 + gap, 2, 3], "float64", rng), rng.normal(size=(4, 4))
    exact = daleckii_krein(a, w, np.exp, np.exp)
    atol = 1e-8 if gap in (1e-7, 1e-5) else 1e-11
    np.testing.assert_allclose(mg.grad(of_matrix(mg.exp, w))(a), exact, rtol=0, atol=atol)


def rebuilt(w, power=1):
    """The sum of `w` times U s**power V.T."""

    def loss(a):
        u, s, vt = mg.svd(a, full_matrices=False)
        return mg.sum(w * ((u * mg.expand_dims(s**power, -2)) @ vt))

    return loss


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 4), (6, 4), (4, 6)], ids=str)
@pytest.mark.parametrize("values", SPECTRA, ids=str)
def test_what_is_rebuilt_from_singular_values_has_the_gradient_of_the_matrix(values, shape, dtype):
    rng = np.random.default_rng(2)
    u, v = (rotation(n, rng)[:, :4] for n in shape)
    a, w = ((u * np.array(values, float)) @ v.T).astype(dtype), rng.normal(size=shape).astype(dtype)
    np.testing.assert_allclose(mg.grad(rebuilt(w))(a), w, **room(dtype))
    cubed = mg.grad(lambda a: mg.sum(w * (a @ mg.transpose(a) @ a)))(a)
    np.testing.assert_allclose(mg.grad(rebuilt(w, 3))(a), cubed, **room(dtype, 1 + np.abs(cubed).max()))


def test_the_sum_of_a_rebuilt_matrix_has_the_gradient_of_ones():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        a = (rotation(4, rng) * [3.0, 2.0, 2.0, 1.0]) @ rotation(4, rng).T
        np.testing.assert_allclose(mg.grad(rebuilt(1.0))(a), np.ones((4, 4)), atol=1e-13)


def test_of_a_batch_one_matrix_may_have_equal_values():
    rng = np.random.default_rng(3)
    a = np.stack([symmetric(values, "float64", rng) for values in ([3, 2, 2, 1], [4, 3, 2, 1], [1, 1, 1, 1])])
    w = rng.normal(size=a.shape)
    np.testing.assert_allclose(mg.grad(rebuilt(w))(a), w, atol=1e-12)
    each = np.stack([daleckii_krein(m, v, np.exp, np.exp) for m, v in zip(a, w)])
    np.testing.assert_allclose(mg.grad(of_matrix(mg.exp, w))(a), each, atol=1e-11)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_projection_on_the_space_of_equal_values_has_its_gradient(dtype):
    rng = np.random.default_rng(4)
    a, w = symmetric([1, 1, 3, 4], dtype, rng), rng.normal(size=(4, 4)).astype(dtype)

    def loss(a):
        v = mg.eigh(a)[1][:, :2]
        return mg.sum(w * (v @ mg.transpose(v)))

    truth = daleckii_krein(a, w.astype(float), lambda x: 1.0 * (x < 2), lambda x: 0 * x)
    np.testing.assert_allclose(mg.grad(loss)(a), truth, **room(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("values", [[3, 2, 2, 1], [2, 2, 2, 2], [3, 0, 0, 1]], ids=str)
def test_a_function_that_depends_on_the_choice_of_vectors_raises(values, dtype):
    rng = np.random.default_rng(5)
    a, w = symmetric(values, dtype, rng), rng.normal(size=(4, 4)).astype(dtype)
    with pytest.raises(ValueError, match=r"eigenvalues . and . are equal"):
        mg.grad(lambda a: mg.sum(w * mg.eigh(a)[1]))(a)
    with pytest.raises(ValueError, match=r"singular values . and . are equal|number . of the singular values is 0"):
        mg.grad(lambda a: mg.sum(w * mg.svd(a, full_matrices=False)[0]))(a)


def test_vectors_of_one_eigenvalue_may_be_used_beside_equal_ones():
    rng = np.random.default_rng(6)
    a = symmetric([1, 2, 2, 5], "float64", rng)

    def loss(a):
        v = mg.eigh(a)[1][:, 3]
        return mg.sum(v * v * np.arange(4.0))

    direction = symmetric([1, -1, 0.5, 2], "float64", rng)
    h = 1e-6
    slope = (float(loss(a + h * direction)) - float(loss(a - h * direction))) / (2 * h)
    assert np.sum(mg.grad(loss)(a) * direction) == pytest.approx(slope, rel=1e-7)


def test_every_way_to_a_gradient_is_right():
    x = np.diag([2.0, 2.0, 1.0])
    loss, ones = rebuilt(1.0), np.ones((3, 3))
    a = mg.Variable(x)
    with mg.GradientTape() as tape:
        y = loss(a)
    np.testing.assert_allclose(tape.gradient(y, a), ones, atol=1e-14)
    t = mg.constant(x)
    np.testing.assert_allclose(mg.gradients(loss(t), [t])[0].value, ones, atol=1e-14)
    np.testing.assert_allclose(mg.vjp(loss, x)[1](1.0)[0], ones, atol=1e-14)


def test_a_second_derivative_raises_instead_of_a_wrong_number():
    with pytest.raises(ValueError, match="no second derivative"):
        mg.hessian(of_matrix(mg.exp, np.ones((3, 3))))(np.eye(3))


def test_matrices_of_which_no_values_are_equal_need_no_recorded_pass(monkeypatch):
    monkeypatch.setattr("minigrad.core.backward._rerun_recorded", lambda *given: pytest.fail("a second pass"))
    rng = np.random.default_rng(7)
    mg.grad(of_matrix(mg.exp, rng.normal(size=(4, 4))))(symmetric([4, 3, 2, 1], "float64", rng))
    assert {OPS["eigh"], OPS["svd"]} >= {op for op in OPS.values() if op.by_record}


DEPENDENT = {
    "the same column twice": ([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]], 1),
    "a sum of two": ([[1.0, 2.0, 3.0], [0.5, 1.0, 1.5], [3.0, 0.1, 3.1]], 2),
    "a column of zeros": ([[0.0, 1.0], [0.0, 2.0]], 0),
    "only zeros": ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], 0),
}


@pytest.mark.parametrize("name", DEPENDENT)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("part", [0, 1])
def test_qr_of_dependent_columns_has_no_gradient(name, dtype, part):
    rows, column = DEPENDENT[name]
    x = mg.constant(rows, dtype)
    y = mg.qr(x)[part]
    seed = np.random.default_rng(0).normal(size=y.shape).astype(dtype)
    with pytest.raises(ValueError, match=f"column {column} is a combination of the columns before it"):
        mg.gradients(mg.sum(y * seed), x)
    with pytest.raises(ValueError, match="full column rank"):
        mg.grad(lambda x: mg.sum(mg.qr(x)[part] * seed))(np.asarray(rows, dtype))


def test_qr_beside_dependent_columns():
    """Unused matrices of a batch may be anything, and nearly dependent columns are independent."""
    good, bad = np.array([[2.0, 0.5], [-0.3, 1.5]]), np.ones((2, 2))
    both = mg.constant(np.stack([good, bad]))
    alone = mg.grad(lambda x: mg.sum(mg.qr(x)[1] ** 3))(good)
    (g,) = mg.gradients(mg.sum(mg.qr(both)[1][0] ** 3), both)
    np.testing.assert_allclose(g.value[0], alone, rtol=1e-12)
    np.testing.assert_array_equal(g.value[1], 0)
    near = mg.constant(bad + np.diag([0, 1e-6]))
    assert np.isfinite(mg.gradients(mg.sum(mg.qr(near)[1] ** 3), near)[0].value).all()
