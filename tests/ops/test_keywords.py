"""NumPy's keywords mean what they mean in NumPy, as keywords of ops, of methods and of NumPy's own functions."""

import inspect

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import OPS
from minigrad.diagnostics.gradient_check import check_gradients
from tests.helpers.tables import over

X = np.array([[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]])
MASK = np.array([[True, False, True], [True, True, False]])

REDUCTIONS = ["sum", "prod", "mean", "max", "min", "var", "std", "nansum", "nanmean", "nanmax", "nanmin", "nanvar"]
INITIAL = {"max": 0.7, "min": 0.7, "nanmax": 0.7, "nanmin": 0.7}  # NumPy needs it there together with a mask


@over(REDUCTIONS, [None, 0, -1, (0, 1)])
def test_where_chooses_the_elements_that_count(name, axis):
    keywords = dict(where=MASK) | ({"initial": INITIAL[name]} if name in INITIAL else {})
    theirs, ours = getattr(np, name), getattr(mg, name)
    expected = theirs(X, axis=axis, keepdims=True, **keywords)
    x = mg.constant(X)
    for got in (theirs(x, axis=axis, keepdims=True, **keywords), ours(x, axis, True, **keywords)):
        np.testing.assert_allclose(got.value, expected, rtol=1e-14)
    np.testing.assert_allclose(ours(X, axis, True, **keywords), expected, rtol=1e-14)
    check_gradients(lambda x: ours(x, axis, **keywords), X)
    away = mg.gradients(ours(x, axis, **keywords), x)[0].value[~MASK]
    np.testing.assert_array_equal(away, 0)


def test_a_mask_may_be_a_tensor_and_a_row():
    x = mg.constant(X)
    np.testing.assert_allclose(mg.sum(x, 1, where=x > 0).value, [2.0, 3.8])
    np.testing.assert_allclose(x.mean(axis=1, where=[True, False, True]).value, [1.0, 1.4])
    assert mg.any(x > 2, where=MASK).value == np.any(X > 2, where=MASK)
    assert mg.all(x > 0, where=MASK).value == np.all(X > 0, where=MASK)


def test_the_mean_of_no_elements_is_nan():
    with np.errstate(all="ignore"):
        assert np.isnan(mg.mean(mg.constant(X), where=np.zeros_like(MASK)).value)


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_a_mask_that_may_leave_nothing_needs_an_initial_value(name):
    with pytest.raises(ValueError, match=rf"{name} with where= may be left without elements; write initial="):
        getattr(mg, name)(mg.constant(X), where=MASK)


@pytest.mark.parametrize(
    ("name", "initial", "expected"),
    [("sum", 10.0, [10.0, 13.8]), ("prod", 2.0, [-3.0, 1.5]), ("max", 2.0, [2.0, 2.5]), ("min", 0.0, [-2.0, 0.0])],
)
def test_initial_is_one_element_more_and_has_a_gradient(name, initial, expected):
    np.testing.assert_allclose(getattr(np, name)(mg.constant(X), axis=1, initial=initial).value, expected)
    check_gradients(lambda x, first: getattr(mg, name)(x, 1, initial=first), X, initial)


def test_the_largest_shares_with_an_equal_initial_value():
    assert mg.grad(lambda x: mg.max(x, initial=2.0))(np.array([1.0, 2.0])).tolist() == [0.0, 0.5]


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "cumsum", "cumprod", "nansum", "nanmean"])
def test_dtype_is_what_the_elements_are_converted_to_first(name):
    x = mg.constant(X, "float32")
    y = getattr(np, name)(x, axis=0, dtype=np.float64)
    expected = getattr(np, name)(x.value, axis=0, dtype=np.float64)
    assert y.dtype == expected.dtype == np.float64
    np.testing.assert_allclose(y.value, expected, rtol=1e-14)
    assert mg.gradients(y, x)[0].dtype == np.float32
    total = getattr(np, name)(mg.constant([[1, 2], [3, 4]]), axis=0, dtype="float32")
    assert total.dtype == np.float32


def test_the_sum_of_halves_in_single_precision_does_not_overflow():
    x = mg.constant(np.full(4, 40000.0, np.float16))
    assert np.sum(x, dtype=np.float32).value == 160000.0


@pytest.mark.parametrize("name", ["var", "std"])
def test_correction_is_ddof(name):
    x = mg.constant(X)
    np.testing.assert_array_equal(getattr(mg, name)(x, correction=1).value, getattr(mg, name)(x, ddof=1).value)


@pytest.mark.parametrize(("call", "expected"), [
    (lambda x: np.sum(x, 0, np.float64, None, True), [[1.8, -1.0, 3.0]]),
    (lambda x: np.max(x, 1, None, True), [[1.5], [2.5]]),
    (lambda x: np.var(x, 1, None, None, 1), np.var(X, 1, ddof=1)),
    (lambda x: np.median(x, 1, None, False, True), [[0.5], [1.0]]), (lambda x: np.argmax(x, 1), [0, 2]),
    (lambda x: np.cumsum(x, 1, np.float64), np.cumsum(X, 1)),
    (lambda x: np.take(x, [7, -9], None, None, "wrap"), [-2.0, 0.3]),
    (lambda x: np.sum(a=x, axis=1), [0.0, 3.8]),
])  # fmt: skip
def test_numpys_order_of_arguments_is_kept(call, expected):
    got = call(mg.constant(X))
    assert isinstance(got, mg.Tensor)
    np.testing.assert_allclose(got.value, expected, atol=1e-12)


def test_a_result_is_not_written_into_an_array():
    with pytest.raises(TypeError, match=r"np\.sum does not take out=.* the gradient would be lost; write y = np\.sum"):
        np.sum(mg.constant(X), axis=0, out=np.zeros(3))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "max", "min", "var", "std", "eigh", "pinv", "reshape"])
def test_help_shows_the_keywords(name):
    parameters = inspect.signature(getattr(mg, name)).parameters
    keywords = [p for p in parameters.values() if p.kind is p.KEYWORD_ONLY]
    text = getattr(mg, name).__doc__
    assert keywords and all(p.name in text or "see `var`" in text for p in keywords)


# Order of elements.


@pytest.mark.parametrize("shape", [(3, 2), (2, -1), -1, (1, 6)], ids=repr)
def test_reshape_in_fortrans_order(shape):
    expected = np.reshape(X, shape, order="F")
    x = mg.constant(X)
    for y in (np.reshape(x, shape, "F"), np.reshape(x, shape, order="F"), mg.reshape(x, shape, order="F")):
        np.testing.assert_array_equal(y.value, expected)
    np.testing.assert_array_equal(x.reshape(3, 2, order="F").value, X.reshape(3, 2, order="F"))
    np.testing.assert_array_equal(np.ravel(x, "F").value, np.ravel(X, "F"))
    np.testing.assert_array_equal(x.flatten(order="F").value, X.flatten(order="F"))


@pytest.mark.parametrize(
    "call", [lambda x: np.ravel(x, "K"), lambda x: x.reshape(6, order="A"), lambda x: x.ravel("A")]
)
def test_an_order_in_memory_is_an_error(call):
    with pytest.raises(ValueError, match=r"the order is 'C' .* or 'F' .* is not a property of a Tensor"):
        call(mg.constant(X))


# Ends of differences, sums of products in lists, places out of range, triangles.


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize(
    "ends",
    [dict(prepend=2.0), dict(append=-1), dict(prepend=0, append=[[7.0], [8.0]]), dict(prepend=X[:, :2], append=1.0)],
    ids=["number", "integer", "list", "array"],
)
def test_diff_with_ends(ends, n):
    np.testing.assert_allclose(np.diff(mg.constant(X), n, **ends).value, np.diff(X, n, **ends))
    check_gradients(lambda x: mg.diff(x, n, **ends), X, order=1)


def test_the_ends_of_a_difference_have_a_gradient():
    check_gradients(lambda x, a, b: mg.diff(x, 2, 0, prepend=a, append=b), X, 2.0, X[:1])


@pytest.mark.parametrize(("lists", "letters"), [
    ((X, [0, 1]), "ab->"), ((X, [0, 1], [1, 0]), "ab->ba"), ((X, [0, 1], X, [0, 2]), "ab,ac->bc"),
    ((X, [0, 1], X, [0, 1], [1]), "ab,ab->b"), ((X, [Ellipsis, 3], X[0], [3]), "...d,d"),
    ((X @ X.T, [5, 5]), "ff"),
])  # fmt: skip
def test_einsum_with_lists_of_axes(lists, letters):
    lists = (*lists, []) if letters.endswith(">") else lists
    arrays = [a for a in lists if isinstance(a, np.ndarray)]

    def with_lists(*xs):
        return np.einsum(*(xs[i // 2] if isinstance(a, np.ndarray) else a for i, a in enumerate(lists)))

    got = with_lists(*map(mg.constant, arrays))
    np.testing.assert_allclose(got.value, np.einsum(letters, *arrays))
    np.testing.assert_allclose(got.value, np.einsum(*lists))
    check_gradients(with_lists, *arrays)


def test_einsum_that_mixes_letters_up_says_how_it_is_called():
    with pytest.raises(TypeError, match=r"einsum takes letters and arrays, .* or arrays and lists of axes"):
        mg.einsum(mg.constant(X), mg.constant(X))


@pytest.mark.parametrize("optimize", [True, False, "greedy", "optimal"])
def test_einsum_takes_optimize(optimize):
    y = np.einsum("ij,kj,kl->il", mg.constant(X), mg.constant(X), mg.constant(X), optimize=optimize)
    np.testing.assert_allclose(y.value, X @ X.T @ X)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_take_out_of_range(mode, axis):
    places = [-8, 7, 0, 3]
    expected = np.take(X, places, axis, mode=mode)
    np.testing.assert_array_equal(np.take(mg.constant(X), places, axis, mode=mode).value, expected)
    check_gradients(lambda x: mg.take(x, places, axis, mode), X, order=1)


def test_take_knows_its_modes():
    with pytest.raises(ValueError, match="the mode of take must be 'raise', 'wrap' or 'clip', got 'fill'"):
        mg.take(mg.constant(X), 0, mode="fill")
    with pytest.raises(IndexError):
        mg.take(mg.constant(X), 9)


@pytest.mark.parametrize("UPLO", ["L", "U"])
def test_only_the_named_triangle_counts(UPLO):
    a = np.array([[4.0, 9.0, -7.0], [2.0, 3.0, 5.0], [0.3, 0.5, 1.0]])
    np.testing.assert_allclose(np.linalg.eigvalsh(mg.constant(a), UPLO).value, np.linalg.eigvalsh(a, UPLO))
    for ours, theirs in zip(np.linalg.eigh(mg.constant(a), UPLO), np.linalg.eigh(a, UPLO)):  # signs of vectors as well
        np.testing.assert_allclose(ours.value, theirs)
    check_gradients(lambda x: mg.eigvalsh(x, UPLO) ** 2, a)
    check_gradients(lambda x: mg.eigh(x, UPLO=UPLO)[1] ** 2, a)
    unused = np.triu(np.ones((3, 3)), 1) if UPLO == "L" else np.tril(np.ones((3, 3)), -1)
    slope = mg.grad(lambda x: mg.sum(mg.eigvalsh(x, UPLO) ** 3))(a)
    np.testing.assert_array_equal(slope[unused == 1], 0)
    with pytest.raises(ValueError, match="UPLO must be 'L' for the lower or 'U' for the upper triangle, got 'X'"):
        mg.eigh(mg.constant(a), UPLO="X")


@pytest.mark.parametrize("axes", [dict(axis=0), dict(axisa=0, axisb=0), dict(axisa=0, axisb=0, axisc=0)], ids=repr)
def test_cross_along_axes(axes):
    a, b = X.T, np.array([[2.0, -1.0], [0.3, 0.7], [1.0, 4.0]])
    np.testing.assert_allclose(np.cross(mg.constant(a), mg.constant(b), **axes).value, np.cross(a, b, **axes))
    check_gradients(lambda a, b: mg.cross(a, b, **axes), a, b)


def test_vectors_of_another_length_have_no_cross_product():
    with pytest.raises(
        ValueError, match=r"cross takes vectors of 3 along axis -1 of the first and axis -1 of the second"
    ):
        mg.cross(mg.constant([1.0, 2.0]), mg.constant([3.0, 4.0]))


@pytest.mark.parametrize("keyword", ["rcond", "rtol"])
@pytest.mark.parametrize("cutoff", [1e-10, 0.05, 0.5])
def test_pinv_leaves_out_small_singular_values(keyword, cutoff):
    """The values below the cutoff are left out, so the space spanned by the others rotates with the matrix."""
    rng = np.random.default_rng(0)
    u, v = np.linalg.qr(rng.normal(size=(4, 3)))[0], np.linalg.qr(rng.normal(size=(3, 3)))[0]
    a = u * np.array([2.0, 0.7, 0.03]) @ v
    expected = np.linalg.pinv(a, rcond=cutoff)
    np.testing.assert_allclose(np.linalg.pinv(mg.constant(a), **{keyword: cutoff}).value, expected)
    check_gradients(lambda a: mg.pinv(a, **{keyword: cutoff}), a, order=1)


def test_pinv_of_a_matrix_of_lower_rank():
    a = np.outer([1.0, 2.0, 3.0], [1.0, -1.0]) + 0.0
    y = mg.pinv(mg.constant(a), rcond=1e-10)
    np.testing.assert_allclose(y.value, np.linalg.pinv(a, rcond=1e-10), rtol=1e-12)
    along = np.outer([0.3, -1.0, 2.0], [1.0, -1.0])  # a step that keeps the rank
    slope = np.sum(mg.grad(lambda a: mg.sum(mg.pinv(a, rcond=1e-10) * a.T))(a) * along)
    assert slope == pytest.approx(0.0, abs=1e-9)  # trace(pinv(a) a) is the rank


def test_arguments_go_by_the_names_that_the_signature_shows(subtests):
    for op in OPS.values():
        parameters = list(inspect.signature(op.call).parameters.values())
        single = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        for sample in op.facts.samples[:1]:
            arguments = [mg.constant(np.array(a)) if is_float(a) else a for a in sample if not isinstance(a, dict)]
            options = sample[-1] if isinstance(sample[-1], dict) else {}
            names = {p.name: a for p, a in zip(single, arguments)}
            if len(names) == len(arguments) and not any(isinstance(a, tuple) for a in sample):
                with subtests.test(op.name):
                    assert alike(op.call(**names, **options), op.call(*arguments, **options))


def is_float(a):
    return isinstance(a, float) or (isinstance(a, list) and np.asarray(a).dtype.kind == "f")


def alike(a, b):
    if isinstance(a, (list, tuple)):
        return all(map(alike, a, b))
    return np.array_equal(getattr(a, "value", a), getattr(b, "value", b), equal_nan=True)


@pytest.mark.parametrize("axis", [0, -1])
def test_a_number_is_a_line_of_one_for_running_sums(axis):
    x = mg.constant(3.0)
    for op in (mg.ops.cumsum, mg.ops.cumprod):
        assert op(x, axis).value.tolist() == [3.0]
        assert mg.gradients(op(x, axis) * 2.0, x)[0].value == 2.0
        with pytest.raises(np.exceptions.AxisError):
            op(x, 1)
