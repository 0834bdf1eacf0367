"""Two small data sets to learn with: handwritten digits (included) and two moons (generated).

stored_slopes : slopes from other frameworks, for lesson 10. layer_chain : a chain of 64 layers, for lesson 13.
unshown, small_networks : functions that lessons call without showing their code.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

DIGITS_FILE = Path(__file__).parent / "digits.npz"
TRAINING_SIZE = 1297  # the other 500 images are for testing

__all__ = ["Digits", "digits", "two_moons"]


def __dir__() -> list[str]:
    return __all__


class Digits(NamedTuple):
    """Images of shape (count, 64), float32 from 0 to 1, and labels of shape (count,), int64 from 0 to 9.

    >>> digits().train_images.shape[1]
    64
    """

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def digits(seed: int = 0) -> Digits:
    """Return handwritten digits of 8 x 8 pixels: 1297 for training and 500 for testing.

    An image is a row of 64 float32 numbers from 0 (white) to 1 (black); ``image.reshape(8, 8)`` is the
    picture. ``seed`` determines the split and the order. The arrays are copies, so you may change them.

    >>> train_images, train_labels, test_images, test_labels = digits()
    >>> train_images.shape, train_images.dtype, test_images.shape
    ((1297, 64), dtype('float32'), (500, 64))
    >>> train_labels[:3].shape, train_labels.dtype, int(test_labels.max())
    ((3,), dtype('int64'), 9)

    Source: Alpaydin and Kaynak (1998), Optical Recognition of Handwritten Digits; see DATA.md in this folder.
    """
    images, labels = _stored_digits()
    order = np.random.default_rng(seed).permutation(len(labels))
    train, test = order[:TRAINING_SIZE], order[TRAINING_SIZE:]
    scaled = images.astype(np.float32) / np.float32(16)
    named = labels.astype(np.int64)
    return Digits(scaled[train], named[train], scaled[test], named[test])


def two_moons(n: int = 200, noise: float = 0.1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n`` points on two interleaved half circles in the plane, and a label for each point.

    The points have shape (n, 2) and dtype float32. The labels, 0 or 1 for the half circle, have shape (n,) and
    dtype int64, and are shuffled together with the points. ``noise`` is the standard deviation of the normal
    noise added to both coordinates. Raises ``ValueError`` if ``n`` or ``noise`` is negative.

    >>> points, labels = two_moons(100, noise=0.05, seed=1)
    >>> points.shape, points.dtype, int(labels.sum())
    ((100, 2), dtype('float32'), 50)
    """
    if n < 0:
        raise ValueError(f"two_moons: n is the number of points, 0 or more; got {n}")
    if noise < 0:
        raise ValueError(f"two_moons: noise is a standard deviation, 0 or more; got {noise}")
    random = np.random.default_rng(seed)
    labels = random.permutation(np.arange(n) % 2)
    angle = random.uniform(0, np.pi, n)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    points = np.where(labels[:, None] == 0, upper, lower) + random.normal(0, noise, (n, 2))
    return points.astype(np.float32), labels.astype(np.int64)


@cache
def _stored_digits() -> tuple[np.ndarray, np.ndarray]:
    with np.load(DIGITS_FILE) as stored:
        return stored["images"], stored["labels"]
