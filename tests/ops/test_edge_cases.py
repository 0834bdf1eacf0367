"""The gradient at edge cases: ties, zeros, edges of the domain. Where frameworks differ, this table decides."""

import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.graph import ancestors
from minigrad.diagnostics.gradient_check import check_gradients
from tests.helpers.tables import over

inf, nan = np.inf, np.nan
SINGULAR = [[1.0, 1.0], [1.0, 1.0]]

TABLE = [
    # name, function, arguments, the gradient of the summed result with respect to each
    ("maximum at a tie", mg.maximum, (1.0, 1.0), (0.5, 0.5)),
    ("minimum at a tie", mg.minimum, (1.0, 1.0), (0.5, 0.5)),
    ("maximum with the number 0 at 0", lambda x: mg.maximum(x, 0.0), (0.0,), (0.5,)),
    ("max with a tie", mg.max, ([1.0, 2.0, 2.0],), ([0, 0.5, 0.5],)),
    ("min with a tie", mg.min, ([1.0, 1.0, 2.0],), ([0.5, 0.5, 0],)),
    ("max with a nan, as PyTorch's", mg.max, ([nan, 1.0, 2.0],), ([1, 0, 0],)),
    ("min with two nan", lambda x: mg.min(x, 1), ([[nan, 1, nan], [3, 2, 2]],), ([[0.5, 0, 0.5], [0, 0.5, 0.5]],)),
    ("nanmax with a nan", mg.ops.nanmax, ([nan, 1.0, 2.0],), ([0, 0, 1],)),
    ("max along an axis", lambda x: mg.max(x, 1), ([[1.0, 1.0], [0.0, 3.0]],), ([[0.5, 0.5], [0, 1]],)),
    ("relu at 0", mg.relu, (0.0,), (0,)),
    ("abs at 0", mg.absolute, (0.0,), (0,)),
    ("sign", mg.sign, (0.0,), (0,)),
    ("sqrt at 0", mg.sqrt, (0.0,), (inf,)),
    ("sqrt(x)**2 at 0", lambda x: mg.sqrt(x) ** 2, (0.0,), (nan,)),
    ("sqrt(x*x) at 0", lambda x: mg.sqrt(x * x), (0.0,), (nan,)),
    ("0**0", mg.power, (0.0, 0.0), (0, 0)),
    ("0**2", mg.power, (0.0, 2.0), (0, 0)),
    ("0**0.5", mg.power, (0.0, 0.5), (inf, 0)),
    ("(-2)**3", mg.power, (-2.0, 3.0), (12, nan)),
    ("x**0 at 0", lambda x: x**0, (0.0,), (0,)),
    ("x**0.0 at 0", lambda x: x**0.0, (0.0,), (0,)),
    ("x**0.5 at 0", lambda x: x**0.5, (0.0,), (inf,)),
    ("x**3.0 at -2", lambda x: x**3.0, (-2.0,), (12,)),
    ("0.0**x at 2", lambda x: 0.0**x, (2.0,), (0,)),
    ("where(x > 0, log(x), 0) at 0", lambda x: mg.where(x > 0, mg.log(x), 0.0), (0.0,), (nan,)),
    ("where(x < 1, x, sqrt(x)) at 0", lambda x: mg.where(x < 1, x, mg.sqrt(x)), (0.0,), (nan,)),
    ("where(x != 0, 1/x, 0) at 0", lambda x: mg.where(x != 0, 1 / x, 0.0), (0.0,), (nan,)),
    ("double where", lambda x: mg.where(x > 0, mg.log(mg.where(x > 0, x, 1.0)), 0.0), (0.0,), (0,)),
    ("norm at 0", mg.norm, ([0.0, 0.0],), ([0, 0],)),
    ("norm 1", lambda x: mg.norm(x, 1), ([0.0, 1.0],), ([0, 1],)),
    ("norm squared at 0", lambda x: mg.norm(x) ** 2, ([0.0, 0.0],), ([0, 0],)),
    ("norm 3 at 0", lambda x: mg.norm(x, 3), ([0.0, 0.0],), ([0, 0],)),
    ("norm inf with a tie", lambda x: mg.norm(x, inf), ([1.0, -1.0],), ([0.5, -0.5],)),
    ("prod with a zero", mg.prod, ([0.0, 2.0, 3.0],), ([6, 0, 0],)),
    ("prod with two zeros", mg.prod, ([0.0, 0.0, 3.0],), ([0, 0, 0],)),
    ("cumprod with a zero", mg.cumprod, ([2.0, 0.0, 3.0],), ([1, 8, 0],)),
    ("cummax with a tie", mg.cummax, ([1.0, 1.0, 0.0],), ([3, 0, 0],)),
    ("sort with a tie", lambda x: mg.sort(x) * np.array([1.0, 2.0, 3.0]), ([1.0, 1.0, 0.0],), ([2, 3, 1],)),
    ("cummax from a nan on", mg.cummax, ([1.0, nan, 3.0],), ([1, 2, 0],)),
    ("top_k with a nan", lambda x: mg.top_k(x, 2)[0], ([1.0, nan, 3.0],), ([0, 1, 1],)),
    ("split at ends that go back", lambda x: mg.concat(mg.ops.split(x, [3, 1]), 0), (np.ones(4),), ([1, 2, 2, 1],)),
    ("median of -inf and a number", mg.median, ([-inf, 5.0],), ([1, 0],)),
    ("median of four", mg.median, ([1.0, 2.0, 3.0, 4.0],), ([0, 0.5, 0.5, 0],)),
    ("clip", lambda x: mg.clip(x, 0.0, 1.0), ([-1.0, 0.0, 0.5, 1.0, 2.0],), ([0, 1, 1, 1, 0],)),
    ("std of equal numbers", mg.std, ([1.0, 1.0, 1.0],), ([0, 0, 0],)),
    ("std of one number", mg.std, ([2.0],), ([0],)),
    ("arcsin at 1", mg.arcsin, (1.0,), (inf,)),
    ("arccos at -1", mg.arccos, (-1.0,), (-inf,)),
    ("arccosh at 1", mg.arccosh, (1.0,), (inf,)),
    ("arctanh at 1", mg.arctanh, (1.0,), (inf,)),
    ("arctan2 at the origin", mg.arctan2, (0.0, 0.0), (0, 0)),
    ("hypot at the origin", mg.hypot, (0.0, 0.0), (0, 0)),
    ("cbrt at 0", mg.cbrt, (0.0,), (inf,)),
    ("sinc at 0", mg.sinc, (0.0,), (0,)),
    ("logaddexp of -inf", mg.logaddexp, (-inf, -inf), (0.5, 0.5)),
    ("logaddexp of 0 and -inf", mg.logaddexp, (0.0, -inf), (1, 0)),
    ("logsumexp of -inf", mg.logsumexp, ([-inf, -inf],), ([0, 0],)),
    ("logsumexp of large numbers", mg.logsumexp, ([1000.0, 1000.0],), ([0.5, 0.5],)),
    ("log(sum(exp)) of large numbers", lambda x: mg.log(mg.sum(mg.exp(x))), ([1000.0, 1000.0],), ([nan, nan],)),
    ("log(1 + exp(x)) at 1000", lambda x: mg.log(1 + mg.exp(x)), (1000.0,), (nan,)),
    ("softplus at 1000", mg.softplus, (1000.0,), (1,)),
    ("softplus at -1000", mg.softplus, (-1000.0,), (0,)),
    ("sigmoid written out at -1000", lambda x: 1 / (1 + mg.exp(-x)), (-1000.0,), (nan,)),
    ("sigmoid at -1000", mg.sigmoid, (-1000.0,), (0,)),
    ("log_sigmoid at -1000", mg.log_sigmoid, (-1000.0,), (1,)),
    ("elu at 1000", mg.elu, (1000.0,), (1,)),
    ("tanh at 1000", mg.tanh, (1000.0,), (0,)),
    ("x log x at 0", lambda x: x * mg.log(x), (0.0,), (nan,)),
    ("xlogy at 0", lambda x: mg.xlogy(x, x), (0.0,), (0,)),
    ("xlogy(0, 2)", mg.xlogy, (0.0, 2.0), (np.log(2), 0)),
    ("0 * (1/x) at 0", lambda x: 0.0 * (1 / x), (0.0,), (nan,)),
    ("sin(x)/x at 0", lambda x: mg.sin(x) / x, (0.0,), (nan,)),
    ("mod", mg.mod, (5.0, 2.0), (1, -2)),
    ("nan_to_num", mg.nan_to_num, ([1.0, nan, inf],), ([1, 0, 0],)),
    ("det of a singular matrix", mg.det, (SINGULAR,), ([[1, -1], [-1, 1]],)),
    ("det of zeros", mg.det, ([[0.0, 0.0], [0.0, 0.0]],), ([[0, 0], [0, 0]],)),
    ("slogdet of a singular matrix", lambda a: mg.slogdet(a)[1], (SINGULAR,), ([[inf, inf], [inf, inf]],)),
    (
        "cholesky is symmetric", mg.cholesky, ([[4.0, 2.0], [2.0, 3.0]],),
        ([[0.21338835, 0.07322330], [0.07322330, 0.35355339]],),
    ),
    ("eigenvalues of the identity", mg.eigvalsh, (np.eye(2),), (np.eye(2),)),
    ("singular values of the identity", mg.svdvals, (np.eye(2),), (np.eye(2),)),
    ("max_pool with a tie", lambda x: mg.max_pool(x, 2), ([[[1.0], [1.0]]],), ([[[0.5], [0.5]]],)),
    ("max_pool with a nan", lambda x: mg.max_pool(x, 2), ([[[nan], [1.0]]],), ([[[1], [0]]],)),
    ("layer_norm of equal numbers", mg.layer_norm, ([1.0, 1.0, 1.0],), ([0, 0, 0],)),
]  # fmt: skip


@over(TABLE)
def test_gradient_at_an_edge_case(name, f, args, expected):
    xs = [mg.constant(a, "float64") for a in args]
    for got, want in zip(mg.gradients(f(*xs), xs), expected):
        np.testing.assert_allclose(got.value, want, rtol=1e-7, atol=1e-12)


def second(f, x):
    return mg.hessian(lambda x: mg.sum(f(x)))(np.asarray(x, np.float64))


SECOND = [
    ("prod with a zero", mg.prod, [0.0, 2.0, 3.0], [[0, 3, 2], [3, 0, 0], [2, 0, 0]]),
    ("prod with two zeros", mg.prod, [0.0, 0.0, 3.0], [[0, 3, 0], [3, 0, 0], [0, 0, 0]]),
    ("cumprod with a zero", lambda x: mg.cumprod(x)[2], [0.0, 2.0, 3.0], [[0, 3, 2], [3, 0, 0], [2, 0, 0]]),
    ("norm squared", lambda x: mg.sum(x * x), [0.0, 0.0], [[2, 0], [0, 2]]),
    ("norm at 0", mg.norm, [0.0, 0.0], [[0, 0], [0, 0]]),
    ("x**2.0 at 0", lambda x: x**2.0, 0.0, 2),
    ("x**n at 0, n a Tensor", lambda x: mg.power(x, mg.constant(2.0, "float64")), 0.0, 2),
    ("sinc at 0", mg.sinc, 0.0, -(np.pi**2) / 3),
    ("logaddexp at a tie", lambda x: mg.logaddexp(x, 0.5), 0.5, 0.25),
    ("softplus at 0", mg.softplus, 0.0, 0.25),
]


@pytest.mark.parametrize(("name", "f", "x", "expected"), SECOND, ids=[row[0] for row in SECOND])
def test_second_derivative_at_an_edge_case(name, f, x, expected):
    np.testing.assert_allclose(second(f, x), expected, rtol=1e-7, atol=1e-12)


def test_third_derivative_of_a_product_with_zeros():
    third = mg.grad(lambda x: mg.grad(lambda x: mg.grad(mg.prod)(x)[0])(x)[1])
    np.testing.assert_allclose(third(np.array([0.0, 0.0, 0.0])), [0, 0, 1])


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), np.ones((3, 3)), np.arange(9.0).reshape(3, 3)])
def test_all_derivatives_of_det_at_singular_matrices(matrix):
    check_gradients(mg.det, matrix, order=3)


def test_the_vectors_of_equal_eigenvalues_have_no_derivative_and_the_error_names_the_pair():
    a = mg.constant(np.diag([1.0, 2.0, 2.0]))
    with pytest.raises(ValueError, match=r"eigenvalues 1 and 2 are equal \(2\)"):
        mg.gradients(mg.eigh(a)[1] * np.arange(9.0).reshape(3, 3), a)
    with pytest.raises(ValueError, match="singular values 0 and 1 are equal"):
        mg.gradients(mg.svd(a)[0] * np.arange(9.0).reshape(3, 3), a)


def test_full_vectors_of_a_tall_matrix_have_no_derivative():
    a = mg.constant([[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]])
    with pytest.raises(ValueError, match="full_matrices"):
        mg.gradients(mg.svd(a)[0], a)
    assert mg.gradients(mg.svd(a)[1], a)[0].shape == (3, 2)


def test_a_power_with_a_constant_exponent_never_asks_for_a_logarithm():
    x = mg.constant(-2.0)
    assert mg.gradients(x**3, x)[0].value == 12
    (g,) = mg.gradients(x**3.0, x)
    assert "log" not in {node.op.name for node in ancestors([g]) if node.op}


def test_dropout_drops_the_same_elements_for_the_same_seed():
    x = mg.constant(np.ones(100))
    a, b = mg.dropout(x, 0.5, seed=3), mg.dropout(x, 0.5, seed=3)
    np.testing.assert_array_equal(a.value, b.value)
    assert set(np.unique(a.value)) == {0, 2}
    assert (mg.dropout(x, 0.5, seed=4).value != a.value).any()


def test_to_an_integer_there_is_no_gradient():
    x = mg.constant([1.5, 2.5])
    assert mg.gradients(mg.cast(mg.cast(x, "int32"), "float32") * 2.0, x) == [None]


def test_a_variance_of_nothing():
    for f in (mg.var, np.var, mg.std):
        assert mg.grad(lambda x, f=f: f(x))(np.zeros(0)).shape == (0,)
        assert np.isnan(mg.grad(lambda x, f=f: f(x, ddof=1))(np.ones(1))).all()
        assert np.isinf(mg.constant([1.0, 2.0]).var(ddof=2).value)
    np.testing.assert_allclose(mg.grad(lambda x: mg.var(x, ddof=1))(np.array([1.0, 3.0])), [-2.0, 2.0])
    assert mg.grad(lambda x: mg.var(x))(np.array([1, 3], np.float32)).dtype == np.float32


def test_a_tensor_and_a_string_are_different():
    t, v = mg.constant(1.0), mg.constant([1.0, 2.0])
    for x in (t, v):
        assert (x == "a") is False
        assert (x != "a") is True
        assert ("a" == x) is False  # noqa: SIM300
        with pytest.raises(TypeError, match="less takes numbers and truth values, got 'a'"):
            x < "a"  # noqa: B015
    assert "a" not in [t]
    assert t in ["a", t]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_the_median_of_nothing_is_nan(axis, keepdims):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for median in (np.median, np.nanmedian):
            got = median(mg.constant(np.zeros((2, 0))), axis=axis, keepdims=keepdims)
            expected = median(np.zeros((2, 0)), axis=axis, keepdims=keepdims)
            assert got.shape == expected.shape
            np.testing.assert_array_equal(got.value, expected)


@pytest.mark.parametrize("ord", [0.5, 1.5, 3, -1, -2])
@pytest.mark.parametrize(("at", "slopes"), [([0.0, 0.0], [0.0, 0.0]), ([0.0, 2.0], [0.0, 1.0])])
def test_a_p_norm_has_slope_0_where_an_element_is_0(ord, at, slopes):
    x = mg.constant(np.array(at))
    (g,) = mg.gradients(mg.norm(x, ord), [x])
    np.testing.assert_allclose(g.value, slopes if ord > 0 else [0.0, 0.0], atol=1e-15)
    np.testing.assert_array_equal(mg.gradients(mg.sum(g * g), x)[0].value, 0.0)


def test_a_value_that_a_later_one_replaces_has_no_gradient():
    x, v = mg.constant(np.zeros(3)), mg.constant(np.array([5.0, 7.0, 9.0]))
    y = mg.index_set(x, [2, 0, 2], v)
    assert y.value.tolist() == [7.0, 0.0, 9.0]
    assert mg.gradients(y, v)[0].value.tolist() == [0.0, 1.0, 1.0]
    one = mg.constant(5.0, "float64")
    assert mg.gradients(mg.index_set(x, [0, 0], one), one)[0].value == 1.0
    rows, w = mg.constant(np.zeros((2, 2))), mg.constant(np.arange(4.0).reshape(2, 2))
    assert mg.gradients(mg.index_set(rows, ([1, 1],), w), w)[0].value.tolist() == [[0.0, 0.0], [1.0, 1.0]]
    f = mg.compile(lambda x, v, i: mg.gradients(mg.index_set(x, i, v), v)[0])
    assert [f(x, v, np.array(i)).value.tolist() for i in ([2, 0, 2], [0, 1, 2])] == [[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


@pytest.mark.parametrize("ord", [None, 1, 2, 3])
def test_the_norm_of_nothing_is_0(ord):
    x = mg.constant(np.zeros((2, 0)))
    y = mg.norm(x, ord, axis=1)
    assert y.value.tolist() == [0.0, 0.0]
    assert mg.gradients(y, x)[0].shape == (2, 0)


def slopes_of_einsum(subscripts, arrays, weights, i):
    """The exact slopes for operand i, in which einsum is linear."""
    slopes = np.zeros_like(arrays[i])
    for index in np.ndindex(slopes.shape):
        basis = [*arrays]
        basis[i] = np.zeros_like(slopes)
        basis[i][index] = 1.0
        slopes[index] = np.sum(weights * np.einsum(subscripts, *basis))
    return slopes


@pytest.mark.parametrize(("subscripts", "shapes"), [
    ("i,i", [(3,), (1,)]), ("ij,ij->j", [(3, 4), (1, 4)]), ("ij,ij->ij", [(3, 1), (1, 4)]),
    ("ij,jk->ik", [(3, 4), (1, 2)]), ("acb,,b->c", [(2, 3, 4), (), (1,)]), ("acb,,b->c", [(2, 3, 1), (), (4,)]),
    ("ii,i->i", [(3, 3), (1,)]), ("ii,i->i", [(1, 1), (3,)]), ("iij,j->i", [(3, 3, 4), (1,)]),
    ("ij,jk,ik", [(3, 1), (4, 2), (1, 2)]), ("i...,i...", [(3, 2), (1, 1)]),
    ("bij,bjk->bik", [(1, 2, 3), (5, 1, 2)]),
])  # fmt: skip
def test_einsum_broadcasts_axes_of_length_1_and_so_do_its_gradients(subscripts, shapes):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in shapes]
    expected = np.einsum(subscripts, *arrays)
    weights = rng.normal(size=expected.shape)
    np.testing.assert_allclose(mg.einsum(subscripts, *map(mg.constant, arrays)).value, expected)
    for i, array in enumerate(arrays):
        f = mg.grad(lambda *a: mg.sum(mg.einsum(subscripts, *a) * weights), i)
        for gradient in (f(*arrays), mg.compile(f)(*arrays)):
            assert gradient.shape == array.shape
            np.testing.assert_allclose(gradient, slopes_of_einsum(subscripts, arrays, weights, i), atol=1e-12)
    check_gradients(lambda *a: mg.einsum(subscripts, *a), *arrays, order=2)


ROW, MATRIX, NUMBER = mg.constant([1.0, 2.0, 3.0]), mg.constant([[1.0, 2.0], [3.0, 4.0]]), mg.constant(1.0)
IMAGE, KERNEL = mg.constant(np.ones((1, 4, 4, 1))), mg.constant(np.ones((2, 2, 1, 1)))


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: mg.trace(ROW), ValueError, r"at least two axes, got shape \(3,\)"),
    (lambda: mg.diagonal(ROW), ValueError, r"at least two axes, got shape \(3,\)"),
    (lambda: np.trace(ROW), ValueError, r"at least two axes, got shape \(3,\)"),
    (lambda: mg.ops.diagonal(MATRIX, 0, 0, 2), ValueError, "axis 2 is out of bounds"),
    (lambda: mg.cross(NUMBER, NUMBER), ValueError, "cross takes vectors of 3"),
    (lambda: mg.cross(ROW, NUMBER), ValueError, "cross takes vectors of 3"),
    (lambda: mg.concat([ROW, 1.0], 0), ValueError, r"array 1 is the number 1.0; write \[1.0\]"),
    (lambda: mg.split(NUMBER, 1), ValueError, "split cuts along an axis, and a single number has none"),
    (lambda: mg.array_split(NUMBER, 1), ValueError, "a single number has none"),
    (lambda: mg.split(ROW, 3, 1), ValueError, "axis 1 is out of bounds"),
    (lambda: mg.split(ROW, 0), ValueError, "1 or more parts, got 0"),
    (lambda: mg.array_split(ROW, 0), ValueError, "1 or more parts, got 0"),
    (lambda: mg.array_split(ROW, -1), ValueError, "1 or more parts, got -1"),
    (lambda: mg.clip_by_global_norm([], 1.0), ValueError, "one or more Tensors, got an empty list"),
    (lambda: mg.interp(ROW, [1.0, 2.0], [1.0]), ValueError, r"one shape \(n,\).*\(2,\) and \(1,\)"),
    (lambda: mg.interp(ROW, [], []), ValueError, r"one shape \(n,\)"),
    (lambda: mg.arange(0, 1, 0), ValueError, "step 0"),
    (lambda: mg.arange(0.0, 1.0, 0.0), ValueError, "step 0"),
    (lambda: mg.range(0, 1, 0), ValueError, "step 0"),
    (lambda: mg.nn.conv2d(IMAGE, KERNEL, 0, "VALID"), ValueError, "strides and dilations must be at least 1"),
    (lambda: mg.nn.conv2d(IMAGE, KERNEL, 0, "SAME"), ValueError, "strides and dilations must be at least 1"),
    (lambda: mg.nn.conv2d(IMAGE, KERNEL, 1, "VALID", dilations=0), ValueError, "dilations must be at least 1"),
    (lambda: mg.ops.conv_transpose(IMAGE, KERNEL, 0), ValueError, "strides and dilations must be at least 1"),
    (lambda: mg.ops.max_pool(IMAGE, 2, 0), ValueError, "strides and dilations must be at least 1"),
    (lambda: mg.nn.conv2d(IMAGE, KERNEL, 1, 1), ValueError, "padding is 'VALID', 'SAME' or a pair.*got 1"),
    (lambda: mg.avg_pool(ROW, 2), ValueError, r"a pool takes x of shape.*\(3,\)"),
    (lambda: mg.kron(ROW, "a"), TypeError, "got the string 'a'"),
    (lambda: mg.cross(ROW, "a"), TypeError, "got the string 'a'"),
    (lambda: mg.fill(2, 1.0), TypeError, r"dims of fill.*got 2; write fill\(\[2\], value\)"),
    (lambda: mg.pad(ROW, {"a": 1}), ValueError, "pad_width names axis 'a'"),
    (lambda: mg.tensordot(MATRIX, MATRIX, 3), ValueError, "axes=3"),
    (lambda: mg.repeat(ROW, 1.5), TypeError, "repeats must be an integer"),
    (lambda: mg.repeat(ROW, -1), ValueError, "repeats must be at least 0, got -1"),
    (lambda: mg.get_variable(5, shape=2), TypeError, "takes a name first, got 5"),
    (lambda: mg.get_variable("w", shape=(2, None)), TypeError, r"integers only, got \(2, None\)"),
    (lambda: mg.ops.lstsq(np.ones((0, 0)), np.ones(0)), ValueError, r"matrix with elements.*\(0, 0\)"),
    (lambda: mg.ops.lstsq(ROW, ROW), ValueError, r"matrix with elements.*\(3,\)"),
    (lambda: mg.norm(ROW, "fro"), ValueError, "norm of a vector takes a number as ord.*got 'fro'"),
    (lambda: mg.norm(MATRIX, "fro", axis=1), ValueError, "norm of a vector takes a number as ord"),
    (lambda: mg.eye(1.5), TypeError, "whole numbers of rows and columns, got 1.5"),
    (lambda: mg.one_hot(1, -1), ValueError, "depth must be at least 0, got -1"),
    (lambda: mg.top_k(mg.constant([]), 1), ValueError, r"got k=1 and shape \(0,\)"),
    (lambda: mg.top_k(ROW, 4), ValueError, r"got k=4 and shape \(3,\)"),
])  # fmt: skip
def test_a_call_without_a_result_is_refused_in_a_sentence(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert not isinstance(caught.value, IndexError) or "out of bounds" in words


def test_around_is_round():
    x = mg.constant([0.4, 1.5, -2.26])
    assert np.around(x).value.tolist() == [0.0, 2.0, -2.0]
    np.testing.assert_array_equal(np.around(x, 1).value, np.round(x.value, 1))
    assert mg.gradients(np.around(x), x) == [None]


@over([
    (lambda x: mg.cummax(x), [1.0, nan, 3.0, 2.0], [1.0, nan, nan, nan]),
    (lambda x: mg.cummax(x), [nan, 1.0, nan], [nan, nan, nan]),
    (lambda x: mg.median(x), [inf, inf], inf),
    (lambda x: mg.median(x), [-inf, 5.0], -inf),
    (lambda x: mg.median(x), [-inf, inf], nan),
    (lambda x: mg.ops.nanmedian(x), [inf, nan, inf], inf),
    (lambda x: mg.quantile(x, 0.25), [-inf, 5.0], -inf),
    (lambda x: mg.quantile(x, 0.75), [1.0, inf], inf),
    (lambda x: mg.quantile(x, 1.0), [-inf, 5.0], 5.0),
    (lambda x: mg.top_k(x, 2)[0], [1.0, nan, 3.0], [nan, 3.0]),
    (lambda x: np.angle(x), [nan, -nan, -1.0, -0.0, 2.0], [nan, nan, np.pi, np.pi, 0.0]),
    (lambda x: mg.ops.cov(x, ddof=5), [1.0, 2.0], inf),
])  # fmt: skip
def test_values_at_infinity_and_nan(f, x, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(f(mg.constant(x)).value, np.asarray(expected, "float32"))


@over([
    (lambda: mg.ops.convolve(mg.constant(np.ones((2, 3))), [1.0, 2.0]), ValueError, "takes two rows, got shapes"),
    (lambda: mg.ops.correlate([1.0], mg.constant(np.ones((2, 3)))), ValueError, "takes two rows, got shapes"),
    (lambda: mg.ops.diff(mg.constant([1.0, 2.0]), -1), ValueError, "n=-1"),
    (lambda: mg.ops.diag(mg.constant(np.ones((2, 2, 2)))), ValueError, "takes a row or a matrix"),
    (lambda: mg.linalg.eigh(mg.constant(np.ones((2, 1, 3)))), ValueError, "not square"),
    (lambda: mg.linalg.eigvalsh(mg.constant(np.ones((2, 1, 3)))), ValueError, "not square"),
    (lambda: mg.cholesky(mg.constant(np.ones((1, 3)))), ValueError, "not square"),
    (lambda: mg.ops.matrix_power(mg.constant([1.0, 2.0]), 2), ValueError, "square matrices"),
    (lambda: mg.ops.matrix_power(mg.constant(np.ones((2, 3))), 1), ValueError, "square matrices"),
    (lambda: mg.ops.matrix_power(mg.constant(np.eye(2)), 1.5), TypeError, "integer"),
    (lambda: mg.std(mg.constant([1.0, 2.0]), ddof=1, correction=1), ValueError, "two names of one setting"),
    (lambda: mg.split(mg.constant([1.0, 2.0, 3.0]), [1, 1]), ValueError, r"length 3, got the sizes \[1, 1\]"),
    (lambda: mg.split(mg.constant([1.0, 2.0, 3.0]), [-1, -1]), ValueError, "length 3, got the sizes"),
    (lambda: mg.split(mg.constant([1.0, 2.0, 3.0]), [4, -1]), ValueError, "length 3, got the sizes"),
    (lambda: mg.nn.sparse_softmax_cross_entropy_with_logits([-1], [[1.0, 2.0]]), IndexError, "label -1 is out of"),
    (lambda: mg.nn.sparse_softmax_cross_entropy_with_logits([0, 2], np.ones((2, 2))), IndexError, "label 2 is out of"),
    (lambda: mg.nn.sigmoid_cross_entropy_with_logits(np.ones(2), np.ones((2, 1))), ValueError, "of one shape"),
    (lambda: mg.linalg.matmul(np.eye(2), np.eye(2), transpose_a=True, adjoint_a=True), ValueError, "not both"),
    (lambda: mg.ops.binary_crossentropy(np.ones((2, 3)), np.ones(3) / 2), ValueError, "of one shape"),
])  # fmt: skip
def test_what_has_no_meaning_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_number_is_convolved_as_a_row_of_one():
    x = mg.constant(3.0)
    assert mg.ops.convolve(x, [1.0, 2.0]).value.tolist() == [3.0, 6.0]


def test_one_size_of_a_split_may_be_the_rest():
    parts = mg.split(mg.constant([1.0, 2.0, 3.0, 4.0]), [1, -1, 1])
    assert [part.value.tolist() for part in parts] == [[1.0], [2.0, 3.0], [4.0]]
