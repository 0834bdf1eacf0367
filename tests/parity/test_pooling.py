"""Pooling compared with PyTorch: windows, strides, margins, and its ceil_mode as margins that differ at the two
ends."""

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.tables import over

torch = pytest.importorskip("torch")
F = torch.nn.functional

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

RNG = np.random.default_rng(0)
SPECIAL = {
    "numbers": RNG.normal(size=(2, 3, 7, 9)),
    "infinities": np.array([[[[np.inf, 1.0, -np.inf], [2.0, -np.inf, -np.inf], [0.0, 5.0, -np.inf]]]]),
    "nan": np.array([[[[np.inf, -np.inf, np.nan], [1.0, 2.0, 3.0], [4.0, -1.0, 0.5]]]]),
}
OURS = {"max": mg.max_pool, "avg": mg.avg_pool}


def both(kind, x, size, strides, padding, margins, ceil_mode=False):
    """Value and gradient of a weighted sum, in minigrad and in PyTorch."""
    a, b = mg.constant(x), torch.tensor(x, requires_grad=True)
    ours = mg.moveaxis(OURS[kind](mg.moveaxis(a, 1, -1), size, strides, margins), -1, 1)
    options = {"ceil_mode": ceil_mode, **({"count_include_pad": False} if kind == "avg" else {})}
    theirs = getattr(F, f"{kind}_pool2d")(b, size, strides, padding, **options)
    np.testing.assert_allclose(ours.value, theirs.detach(), rtol=1e-12)
    weights = np.arange(1.0, theirs.numel() + 1).reshape(theirs.shape)
    (theirs * torch.tensor(weights)).sum().backward()
    (gradient,) = mg.gradients(mg.sum(ours * weights), [a])
    np.testing.assert_allclose(gradient.value, b.grad, rtol=1e-12)


@over(["max", "avg"], [2, (3, 3), (3, 2), (5, 1), (7, 9)], [None, 1, (2, 3)], [0, 1, (1, 0)], quick=8)
def test_windows_strides_and_margins(kind, size, strides, padding):
    each = padding if isinstance(padding, tuple) else (padding, padding)
    if any(2 * p > k for p, k in zip(each, size if isinstance(size, tuple) else (size, size))):
        return  # PyTorch refuses it
    both(kind, SPECIAL["numbers"], size, strides, padding, [(p, p) for p in each])


def ends(n, size, stride, padding):
    """The margins of PyTorch's ceil_mode: no window starts in the margin behind the elements."""
    count = -(-(n + 2 * padding - size) // stride) + 1
    count -= (count - 1) * stride >= n + padding
    return padding, max(0, (count - 1) * stride + size - n - padding)


@over(["max", "avg"], [5, 6, 7, 10], [2, 3, 4], [1, 2, 3], [0, 1], quick=8)
def test_ceil_mode(kind, n, size, stride, padding):
    x = RNG.normal(size=(1, 2, n, n))
    both(kind, x, size, stride, padding, [ends(n, size, stride, padding)] * 2, ceil_mode=True)


@pytest.mark.parametrize("name", ["infinities", "nan"])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_windows_of_infinities_and_nan(kind, name):
    both(kind, SPECIAL[name], 2, 3, 0, "valid")


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_a_window_of_integers_is_not_widened_by_a_margin(dtype):
    x = (np.arange(7) + 1 if dtype == np.uint8 else np.arange(-7, 0)).astype(dtype)
    y = mg.max_pool(mg.constant(x.reshape(1, 7, 1)), 2, 2, [(1, 0)]).value
    assert y.dtype == dtype and y.ravel().tolist() == x[::2].tolist()
    z = mg.nn.max_pool2d(mg.constant(x.reshape(1, 7, 1, 1)), [2, 1], [2, 1], [[0, 0], [1, 0], [0, 0], [0, 0]]).value
    assert z.dtype == dtype and z.ravel().tolist() == x[::2].tolist()
