"""The data sets have the shapes, dtypes and order that the lessons rely on."""

import numpy as np
import pytest

from minigrad.data import DIGITS_FILE, digits, two_moons


def test_digits_have_the_promised_shapes_and_dtypes():
    data = digits()
    assert data.train_images.shape == (1297, 64)
    assert data.test_images.shape == (500, 64)
    assert data.train_labels.shape == (1297,)
    assert data.test_labels.shape == (500,)
    assert data.train_images.dtype == data.test_images.dtype == np.float32
    assert data.train_labels.dtype == data.test_labels.dtype == np.int64


def test_digits_run_from_zero_to_one_and_hold_every_digit():
    data = digits()
    for images in (data.train_images, data.test_images):
        assert images.min() == 0
        assert images.max() == 1
    assert set(data.train_labels) == set(data.test_labels) == set(range(10))


def test_digits_are_the_original_ones():
    with np.load(DIGITS_FILE) as stored:
        images, labels = stored["images"], stored["labels"]
    assert list(labels[:10]) == list(range(10))
    assert list(images[0, :8]) == [0, 0, 5, 13, 9, 1, 0, 0]
    assert images.sum(dtype=int) == 561718
    assert list(np.bincount(labels)) == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_digits_split_every_image_once():
    data = digits(seed=3)
    with np.load(DIGITS_FILE) as stored:
        stored_rows = sorted(map(bytes, stored["images"]))
    together = np.concatenate([data.train_images, data.test_images]) * 16
    assert sorted(map(bytes, together.astype(np.uint8))) == stored_rows


def test_digits_repeat_for_a_seed_and_differ_between_seeds():
    assert all(np.array_equal(one, two) for one, two in zip(digits(1), digits(1), strict=True))
    assert not np.array_equal(digits(1).train_images, digits(2).train_images)


def test_changing_the_digits_changes_nobody_elses():
    digits().train_images[:] = 7
    assert digits().train_images.max() == 1


def test_digits_file_is_small():
    assert DIGITS_FILE.stat().st_size < 50_000


def test_a_linear_classifier_learns_the_digits():
    data = digits()
    answers = np.eye(10, dtype=np.float32)[data.train_labels]
    weights, *_ = np.linalg.lstsq(data.train_images, answers, rcond=None)
    right = (data.test_images @ weights).argmax(axis=1) == data.test_labels
    assert right.mean() > 0.9


def test_two_moons_are_balanced_and_repeat():
    points, labels = two_moons(101, noise=0.1, seed=5)
    again, _ = two_moons(101, noise=0.1, seed=5)
    assert points.shape == (101, 2)
    assert points.dtype == np.float32
    assert labels.dtype == np.int64
    assert np.array_equal(points, again)
    assert np.bincount(labels).tolist() == [51, 50]


def test_two_moons_without_noise_lie_on_half_circles():
    points, labels = two_moons(50, noise=0, seed=0)
    centre = np.where(labels[:, None] == 0, [0, 0], [1, 0.5])
    assert np.allclose(np.linalg.norm(points - centre, axis=1), 1, atol=1e-6)


def test_two_moons_of_no_points():
    points, labels = two_moons(0)
    assert points.shape == (0, 2)
    assert labels.shape == (0,)


@pytest.mark.parametrize(("arguments", "named"), [({"n": -1}, "n is"), ({"noise": -0.1}, "noise is")])
def test_two_moons_refuse_negative_arguments(arguments, named):
    with pytest.raises(ValueError, match=named):
        two_moons(**arguments)
