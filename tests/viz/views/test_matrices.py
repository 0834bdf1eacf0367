"""viz.matrices: yours, true and the difference on one scale, described in words, and shown by rows and columns."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import minigrad as mg
import viz
from minigrad.tracing.numbers import short

pytest.importorskip("matplotlib")

NUMBERS = st.integers(-5, 5).map(float)


def drawn(figure):
    return [np.asarray(axes.images[0].get_array()) for axes in figure.axes if axes.images]


def test_three_heat_maps_share_one_scale():
    figure = viz.matrices(yours=[[1, 4], [0, 1]], true=[[1, 0], [-8, 1]])
    assert [m.tolist() for m in drawn(figure)] == [[[1, 4], [0, 1]], [[1, 0], [-8, 1]], [[0, 4], [8, 0]]]
    assert {axes.images[0].get_clim() for axes in figure.axes if axes.images} == {(-8.0, 8.0)}
    assert [axes.get_title() for axes in figure.axes[:3]] == ["yours", "true", "difference"]


def test_the_summary_names_the_first_number_that_differs():
    figure = viz.matrices(yours=[[1, 1], [0, 1]], true=[[1, 1], [2, 1]])
    assert figure.summary == "1 of 4 numbers differs; the first is yours[1, 0] = 0, which should be 2."
    assert viz.matrices(yours=3.0, true=4.0).summary.startswith("1 of 1 number differs; the first is yours = 3,")


def test_rounding_is_no_difference_and_nan_agrees_with_nan():
    assert viz.matrices(yours=[0.1 + 0.2, np.nan], true=[0.3, np.nan]).summary == (
        "All numbers agree to 5 digits: the largest difference is 1.9e-16 of the size."
    )
    assert viz.matrices(yours=np.inf, true=np.inf).difference == 0.0
    assert viz.matrices(yours=[1.0, np.nan], true=[1.0, 2.0]).summary.startswith("1 of 2 numbers differs")


def test_other_shapes_are_drawn_without_a_difference():
    figure = viz.matrices(yours=mg.constant([0.5, 0.5]), true=np.full((1, 2), 0.5))
    assert figure.summary == "The shapes differ: yours is (2,), it should be (1, 2)."
    assert figure.difference is None and len(drawn(figure)) == 2
    assert figure.axes[0].get_title() == "yours, of shape (2,)"


def test_of_more_axes_all_but_the_last_are_rows():
    figure = viz.matrices(yours=np.zeros((2, 2, 3)), true=np.ones((2, 2, 3)))
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["0, 0", "0, 1", "1, 0", "1, 1"]
    assert drawn(figure)[2].tolist() == [[-1.0] * 3] * 4


def test_rows_and_columns_are_read_out_of_all_three():
    html = viz.matrices(yours=[[1, 2], [3, 4]], true=[[1, 0], [3, 0]])._repr_mimebundle_()["text/html"]
    words = re.findall('<area [^>]*title="([^"]*)"', html)
    assert words[1] == "row 1:\nyours 3 4\ntrue 3 0\ndifference 0 4"
    assert words[3] == "column 1:\nyours 2 4\ntrue 0 0\ndifference 2 4"
    assert words == 3 * words[:4]


@pytest.mark.parametrize("columns", [2, 8, 14])
def test_numbers_stay_in_their_cells(columns):
    view = viz.matrices(yours=np.full((2, columns), -1.23e-10), true=np.full((2, columns), np.nan))
    view.figure.draw_without_rendering()
    for axes in view.axes[:3]:
        (left, _), (right, _) = axes.transData.transform([(0, 0), (1, 0)])
        assert max(text.get_window_extent().width for text in axes.texts) <= right - left


def test_large_matrices_are_neither_written_nor_read_out():
    figure = viz.matrices(yours=np.eye(30), true=np.eye(30).T)
    assert str(figure).startswith("All numbers are equal.\nyours  0  1  2  3  4  5  6  …  23  24")
    assert len(str(figure).splitlines()) == 1 + 3 * 16 + 2  # each with a head, 7 rows, a gap and 7 rows
    assert not figure.axes[0].texts and "<area" not in figure._repr_mimebundle_()["text/html"]


@given(arrays(float, array_shapes(max_dims=3, max_side=4), elements=NUMBERS))
@settings(max_examples=10, deadline=None)
def test_yours_is_true_plus_the_difference(yours):
    true = np.round(yours / 2)
    assert np.array_equal(true + viz.matrices(yours=yours, true=true).difference, yours)


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        (lambda: viz.matrices(yours="a", true=1.0), TypeError, "yours as an array of numbers, got 'a'"),
        (lambda: viz.matrices(yours=1.0, true=[[1.0], [2.0, 3.0]]), TypeError, "true as an array of numbers"),
        (lambda: viz.matrices(yours=[], true=1.0), ValueError, r"yours has the shape \(0,\)"),
        (lambda: viz.matrices(yours=np.ones(501), true=1.0), ValueError, "up to 500 rows and columns, got 1 by 501"),
    ],
)
def test_mistakes_get_a_sentence(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


@pytest.mark.parametrize("seed", range(20))
def test_what_is_said_of_random_numbers_is_so(seed):
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(3, 4)) * 10.0 ** rng.integers(-12, 12, (3, 4))
    true[rng.random(true.shape) < 0.2] = rng.choice([0.0, np.inf, np.nan])
    yours = true * (1 + rng.choice([0.0, 1e-16, 1e-9, 9e-6, 2e-5, 1e-2]) * rng.choice([-1, 0, 1], true.shape))
    said = viz.matrices(yours=yours, true=true).summary
    apart = ~((yours == true) | (np.isnan(yours) & np.isnan(true)))
    gaps = np.abs(yours[apart] - true[apart]) / np.abs(true[apart])
    assert ("are equal" in said) == (not apart.any())
    assert ("agree to 5 digits" in said) == bool(apart.any() and gaps.max() <= 1e-5)
    if "agree to" in said:
        assert f"{short(float(gaps.max()), 2)} of the size" in said
    if "differ" in said and "agree" not in said:
        assert said.startswith(f"{(gaps > 1e-5).sum()} of 12 number")
