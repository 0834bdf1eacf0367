"""viz.steps: the error of a difference falls with the step, then grows; where, depends on the dtype."""

import math
from contextlib import nullcontext

import numpy as np
import pytest

import minigrad as mg
import viz
from viz.render.matplotlib_figure import narrowed

pytest.importorskip("matplotlib")


def error(figure, kind, way, h):
    return figure.errors[kind, way][int(np.argmin(np.abs(np.log10(figure.h / h))))]


@pytest.mark.parametrize("f", [math.exp, mg.exp, np.exp])
def test_the_right_arms_have_the_slopes_1_and_2(f):
    figure = viz.steps(f, x=1.0)
    for way, power in (("forward", 1), ("central", 2)):
        ratio = error(figure, "float64", way, 1e-2) / error(figure, "float64", way, 1e-3)
        assert ratio == pytest.approx(10.0**power, rel=0.01)


def test_the_errors_are_those_of_the_quotients():
    figure = viz.steps(math.exp, x=1.0, slope=math.e)
    h = 1e-4
    assert error(figure, "float64", "forward", h) == abs((math.exp(1 + h) - math.exp(1)) / h - math.e)
    assert error(figure, "float64", "central", h) == abs((math.exp(1 + h) - math.exp(1 - h)) / (h + h) - math.e)
    assert error(figure, "float32", "forward", 1e-12) == math.e  # 1 + h is 1


def test_the_floor_is_where_rounding_begins():
    figure = viz.steps(mg.exp, x=1.0)
    best = {key: figure.h[int(np.argmin(e))] for key, e in figure.errors.items()}
    assert 1e-9 < best["float64", "forward"] < 1e-7
    assert 1e-7 < best["float64", "central"] < 1e-4
    assert 1e-5 < best["float32", "forward"] < 1e-2
    assert 1e-4 < best["float32", "central"] < 1e-1


def test_the_slope_is_the_gradient_where_there_is_one_and_measured_otherwise():
    assert "f at x = 2: the slope is 12. Smallest error" in viz.steps(lambda x: x * x * x, x=2.0).summary
    measured = viz.steps(math.sin, x=0.5)
    given = viz.steps(math.sin, x=0.5, slope=math.cos(0.5))
    difference = measured.errors["float64", "central"] - given.errors["float64", "central"]
    assert np.abs(difference).max() < 1e-11


def test_a_kink_is_named_and_errors_of_0_are_drawn():
    figure = viz.steps(abs, x=0.0)
    assert figure.summary.endswith(
        "Between x - h and x the slope is -1, between x and x + h it is 1, for h = 1.5e-8: "
        "a kink or a sharp bend, where differences do not give the slope."
    )
    assert (figure.errors["float64", "central"] == 0).all()
    lines = [line for line in figure.axes[0].lines if line.get_marker() == "v"]
    assert sum(len(line.get_xdata()) for line in lines) == 2 * len(figure.h)


def test_curves_are_told_apart_without_colour():
    lines = [line for line in viz.steps(mg.tanh, t=0.3).axes[0].lines if line.get_marker() != "v"]
    assert [line.get_label() for line in lines] == [
        f"{way}, {kind}" for kind in ("float64", "float32") for way in ("forward", "central")
    ]
    assert [(line.get_marker(), line.get_linestyle()) for line in lines[:2]] == [("o", "-"), ("s", "--")]


def test_steps_out_of_the_domain_have_no_error_but_a_gap():
    figure = viz.steps(math.log, x=0.5, slope=2.0)
    assert np.isnan(error(figure, "float64", "central", 1.0))
    assert figure.to_text().splitlines()[2].split() == ["1e0", "0.9", "nan", "0.9", "nan"]  # log(3) - 2 is -0.9


def test_the_text_has_a_row_for_each_power_of_ten():
    view = viz.steps(lambda x: x * x, x=1.0, slope=2.0, dtypes="float64")
    summary, head, *rows = view.to_text().splitlines()
    assert summary.startswith("f at x = 1: the slope is 2. Smallest error in float64: forward ")
    assert head == "    h  float64 forward  float64 central"
    assert rows[0] == "  1e0                1                0"
    assert rows[-1] == "1e-16                2             0.89"  # 1 + h is 1, and 1 - h is 1 - 1.11 h
    assert [row.split()[0] for row in rows] == [f"1e{-n}" if n else "1e0" for n in range(17)]
    left_out = "... 8 lines are left out here; to_text() has them all ..."
    assert view.to_text(9).splitlines()[2:] == [*rows[::2], left_out]


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        (lambda: viz.steps(2.0, x=1.0), TypeError, r"viz\.steps\(f, x=1\.0\), got 2\.0"),
        (lambda: viz.steps(math.exp), TypeError, "one input by name, .*got none"),
        (lambda: viz.steps(math.exp, x=1.0, y=2.0), TypeError, r"got x=1\.0, y=2\.0"),
        (lambda: viz.steps(math.exp, x=[1.0, 2.0]), TypeError, "takes x as a number"),
        (lambda: viz.steps(math.exp, x=math.nan), ValueError, "x as a finite number, got nan"),
        (lambda: viz.steps(math.exp, x=1.0, dtypes=("int32",)), TypeError, "float16, float32 or float64, got 'int32'"),
    ],
)
def test_mistakes_get_a_sentence(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


@pytest.mark.parametrize(("f", "x", "jumps"), [
    (lambda x: np.logaddexp(0, 1e3 * x) / 1e3, 0.0, False),  # smooth, but not at a step of 1e-3
    (lambda x: np.logaddexp(0, 1e5 * x) / 1e5, 0.0, False),
    (lambda x: np.sqrt(x * x + 1e-10), 0.0, False),
    (lambda x: np.maximum(x, 0) * np.sin(x), 0.0, False),  # its slope has a kink
    (lambda x: np.abs(x) ** 1.5, 0.0, False),
    (np.abs, 0.0, True),
    (lambda x: np.abs(x - 3e6) + 1e6, 3e6, True),
    (lambda x: np.maximum(2 * x, 3 * x), 0.0, True),
])  # fmt: skip
def test_a_kink_is_told_where_the_slopes_on_both_sides_stay_apart(f, x, jumps):
    assert ("a kink or a sharp bend" in viz.steps(f, x=x, slope=0.5).summary) == jumps


def test_the_legend_covers_no_curve_on_a_phone_either():
    figure = viz.steps(math.exp, x=1.0).figure
    for narrow in (False, True):
        with narrowed(figure) if narrow else nullcontext():
            figure.draw_without_rendering()
            (legend,), (axes,) = figure.legends, figure.axes
            assert axes.get_legend() is None and axes.get_tightbbox().y1 <= legend.get_window_extent().y0
