"""The numbers at the axes of figures are written as everywhere else."""

import math

import pytest

import viz
from minigrad.tracing.numbers import short

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    "ends", [(-5.0, 5.0), (1e-6, 3e-6), (-4e7, 9e7), (1000.0, 1000.5), (0.1, 0.3), (1e9, 1e9 + 100)]
)
def test_the_ticks_of_an_axis_are_distinct_and_as_short_as_numbers_are(ends):
    axis = viz.curves(lambda x: x * 2.0, x=ends, dtype="float64").figure.axes[1].xaxis
    texts = {place: axis.get_major_formatter()(place) for place in axis.get_majorticklocs()}
    assert len(set(texts.values())) == len(texts) > 2
    for place, text in texts.items():
        digits = [d for d in range(4, 16) if short(float(text), d) == text]
        assert digits and math.isclose(float(text), place, rel_tol=1e-6, abs_tol=1e-9 * (ends[1] - ends[0]))


def test_a_sentence_and_an_axis_write_a_number_alike():
    view = viz.curves(lambda x: x / x, x=(-1e-5, 1e-5))
    assert "1e-5" in view.summary and "1e-05" not in view.summary + view.to_text()
