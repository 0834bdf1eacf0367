"""The plane of two answers: what it counts, what it draws, and what it refuses."""

import numpy as np
import pytest

import viz

POINTS, LABELS = np.array([[-1.0, 0.0], [1.0, 0.0], [2.0, 1.0], [-2.0, 3.0]]), [0, 1, 0, 0]
LEFT_RIGHT = lambda p: np.stack([-p[:, 0], p[:, 0]], axis=1)


def test_it_counts_the_points_with_the_right_answer_at_each_moment():
    view = viz.plane({"a": LEFT_RIGHT, "b": lambda p: -LEFT_RIGHT(p)}, POINTS, LABELS)
    assert view.right == {"a": 0.75, "b": 0.25}
    assert view.summary == "3 of 4 points have the right answer at a, 1 at b."
    assert [axes.get_title() for axes in view.figure.axes] == ["a: 3 right", "b: 1 right"]
    assert view.to_text().splitlines()[2].split() == ["a", "3", "75%"]


def test_circles_triangles_and_crosses_are_the_points():
    (axes,) = viz.plane({"a": LEFT_RIGHT}, POINTS, LABELS).figure.axes
    circles, triangles, crosses = (marks.get_offsets().tolist() for marks in axes.collections)
    assert (circles, triangles, crosses) == ([[-1, 0], [-2, 3]], [[1, 0]], [[2, 1]])


@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_a_score_that_is_not_finite_is_no_answer(score):
    view = viz.plane({"a": lambda p: np.full((len(p), 2), score)}, POINTS, LABELS)
    assert view.right == {"a": 0.0}
    assert view.to_svg()


@pytest.mark.parametrize(
    ("moments", "points", "labels", "words"),
    [
        ({}, POINTS, LABELS, "1 to 12 moments, got 0"),
        ({"a": LEFT_RIGHT}, POINTS[:, :1], LABELS, r"points as an array of shape \(n, 2\)"),
        ({"a": LEFT_RIGHT}, POINTS, [0, 1], "labels as 4 numbers, each 0 or 1"),
        ({"a": LEFT_RIGHT}, POINTS, [0, 1, 2, 0], "each 0 or 1"),
        ({"a": lambda p: p[:, 0]}, POINTS, LABELS, "'a' returns the shape"),
    ],
)
def test_what_it_cannot_draw_is_named(moments, points, labels, words):
    with pytest.raises(ValueError, match=words):
        viz.plane(moments, points, labels)
