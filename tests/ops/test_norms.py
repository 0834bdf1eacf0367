"""Norms of numbers whose powers overflow or vanish: lengths, slopes and second slopes as of numbers near 1."""

import numpy as np
import pytest

import minigrad as mg

RATIOS = np.array([[3.0, -4.0], [0.5, 2.0]])
SIZES = {"float16": [2.0**10, 2.0**-10], "float32": [3e25, 3e-30, 1e38, 1e-36], "float64": [3e200, 3e-220]}


def p_norm(x, p):
    """The norm of the rows and its slopes, by the formula, in float64."""
    y = (np.abs(x) ** p).sum(-1, keepdims=True) ** (1 / p)
    return y, np.sign(x) * (np.abs(x) / y) ** (p - 1)


@pytest.mark.parametrize(("dtype", "size"), [(dtype, size) for dtype, sizes in SIZES.items() for size in sizes])
@pytest.mark.parametrize("p", [2, 3, 1.5])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_norm_far_from_1(dtype, size, p, keepdims):
    size = np.dtype(dtype).type(size) / (4 if size > 1 else 1)
    x = mg.constant(RATIOS * float(size), dtype)
    y = mg.norm(x, p, -1, keepdims)
    lengths, slopes = p_norm(RATIOS, p)
    room = dict(rtol=16 * np.finfo(dtype).eps)
    np.testing.assert_allclose(y.value.astype(float) / float(size), lengths if keepdims else lengths[:, 0], **room)
    assert y.dtype == dtype
    np.testing.assert_allclose(mg.gradients(y, x)[0].value, slopes, **room)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("size", [3e25, 3e-30])
def test_what_is_made_of_a_norm_far_from_1(size):
    x = np.array([3.0, 4.0], np.float32) * np.float32(size)
    np.testing.assert_allclose(mg.compile(mg.grad(mg.norm))(x), [0.6, 0.8], rtol=1e-6)
    second = np.array([[16, -12], [-12, 9]]) / 125 / size
    np.testing.assert_allclose(mg.hessian(mg.norm)(x), second, rtol=1e-5)
    np.testing.assert_allclose(mg.clip_by_norm(x, np.float32(size)), x / 5, rtol=1e-6)
    np.testing.assert_allclose(mg.norm(x[None], "fro"), 5 * size, rtol=1e-6)


def test_norms_without_a_scale():
    rows = mg.constant([[0.0, 0.0], [np.inf, 1.0], [np.nan, 1.0], [3e25, 4e25]])
    for p in (2, 3):
        y = mg.norm(rows, p, 1)
        np.testing.assert_array_equal(y.value[:3], [0, np.inf, np.nan])
        assert np.isfinite(y.value[3])
        np.testing.assert_array_equal(mg.gradients(y, rows)[0].value[0], [0, 0])
    assert mg.norm(mg.zeros((0,))).value == mg.norm(mg.zeros((0,)), 3).value == 0
