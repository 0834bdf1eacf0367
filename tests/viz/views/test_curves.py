"""viz.curves: what a student reads off the plot, and that its text says the same."""

import subprocess
import sys

import numpy as np
import pytest

import minigrad as mg
import viz

pytest.importorskip("matplotlib")


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@mg.custom_gradient
def doubled(x):
    return mg.sin(x), lambda dy: 2 * dy * mg.cos(x)


def lines_of(figure):
    return {line.get_label(): line for line in figure.axes[1].get_lines()}


def notes_of(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_nan_region_of_float32_begins_where_exp_overflows():
    figure = viz.curves(log1pexp, x=(-50, 150))
    assert "derived is nan from x = 88.72 to 150" in figure.summary
    assert "custom" not in figure.summary
    assert "derived nan\nfrom 88.72" in notes_of(figure)
    assert [patch.get_hatch() for patch in figure.axes[1].patches] == ["///"]
    assert [patch.get_hatch() for patch in figure.axes[0].patches] == ["\\\\\\"]


@pytest.mark.parametrize("dtype, at", [("float16", "11.09"), ("float64", "709.8")])
def test_it_begins_elsewhere_in_other_dtypes(dtype, at):
    assert f"derived is nan from x = {at}" in viz.curves(log1pexp, x=(-50, 1500), dtype=dtype).summary


def test_derived_custom_and_finite_differences_are_drawn_apart_not_by_colour_alone():
    lines = lines_of(viz.curves(log1pexp, x=(-5, 5)))
    assert {"derived", "custom", "finite difference in float64"} <= set(lines)
    assert lines["derived"].get_linestyle() == "-" and lines["custom"].get_linestyle() == "--"
    assert lines["finite difference in float64"].get_marker() == "o"
    assert lines["derived"].get_ydata() == pytest.approx(lines["custom"].get_ydata(), abs=1e-5)


@pytest.mark.parametrize("size", [(7.2, 5.2), (3.6, 4.2)])
def test_the_legend_covers_nothing(size):
    figure = viz.curves(log1pexp, x=(-50, 150), size=size).figure
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height
    assert all(axes.get_tightbbox().y1 <= box.y0 for axes in figure.axes)


def test_a_rule_that_is_silently_wrong_is_hatched_and_named():
    figure = viz.curves(doubled, x=(-1, 1))
    assert figure.summary.endswith("in float32: custom is wrong from x = -1 to 1.")
    assert "custom wrong\nfrom -1" in notes_of(figure)


def test_a_rule_is_drawn_where_the_slope_is_the_same_everywhere():
    """A `round` that passes the gradient straight through: 0 is measured, and the rule sends 1."""

    @mg.custom_gradient
    def stairs(x):
        return mg.round(x), lambda upstream: upstream

    low, high = viz.curves(stairs, x=(-2, 2)).figure.axes[1].get_ylim()
    assert low < 0 < 1 < high < 2


def test_a_kink_is_not_called_wrong_and_a_function_may_branch():
    def branch(x):
        return x * 2.0 if x > 0 else x * 0.5

    assert viz.curves(branch, x=(-1.0, 1.0)).summary.endswith(
        "at each of 400 points the value is finite, and every gradient is finite and right."
    )


def test_other_arguments_are_held_still():
    figure = viz.curves(lambda x, w: x * w, x=(0, 1), w=3.0, points=5)
    assert lines_of(figure)["derived"].get_ydata() == pytest.approx([3.0] * 5)


def test_a_gradient_that_is_missing_is_said_to_be():
    assert "derived is missing from x = 0 to 1" in viz.curves(mg.stop_gradient, x=(0, 1)).summary


def test_the_text_has_value_slopes_and_what_differs():
    view = viz.curves(doubled, x=(0, 1), points=5)
    assert view.to_text() == (
        "doubled for x from 0 to 1 in float32: custom is wrong from x = 0 to 1.\n"
        "   x   value  derived  custom  finite difference  differs\n"
        "   0       0        1       2                  1  custom wrong\n"
        "0.25  0.2474   0.9689   1.938             0.9689  custom wrong\n"
        " 0.5  0.4794   0.8776   1.755             0.8776  custom wrong\n"
        "0.75  0.6816   0.7317   1.463             0.7317  custom wrong\n"
        "   1  0.8415   0.5403   1.081             0.5403  custom wrong"
    )


def test_the_text_has_a_row_for_each_circle_and_for_the_ends_of_what_is_wrong():
    view = viz.curves(lambda x: mg.log(1 + mg.exp(x)), x=(-50, 150))
    head, *rows = view.to_text().splitlines()[1:]
    assert head.split() == ["x", "value", "derived", "finite", "difference", "differs"]
    circles = lines_of(view)["finite difference in float64"].get_xdata()
    found = [float(row.split()[0]) for row in rows]
    assert {float(f"{x:.4g}") for x in circles} <= set(found) and found == sorted(found)
    good, bad = ["88.35", "88.35", "1", "1"], ["88.85", "inf", "nan", "1", "value", "inf,", "derived", "nan"]
    assert [row.split() for row in rows if row.split()[0].startswith("88")] == [good, bad]
    *some, note = view.to_text(12).splitlines()[2:]
    assert (
        note == f"... {len(rows) - len(some)} lines are left out here; to_text() has them all ..." and len(some) <= 12
    )
    assert good in map(str.split, some) and bad in map(str.split, some)


def test_an_input_called_value_keeps_its_column():
    view = viz.curves(lambda value: value * 2.0, value=(1, 2), points=3)
    assert view.to_text().splitlines()[1:3] == [
        "value (input)  value  derived  finite difference",
        "            1      2        2                  2",
    ]


def test_where_all_is_right_no_column_says_what_differs():
    view = viz.curves(lambda x: x * x, x=(0, 1), points=3)
    assert str(view).splitlines()[1:] == [
        "  x  value  derived  finite difference",
        "  0      0        0                  0",
        "0.5   0.25        1                  1",
        "  1      1        2                  2",
    ]


def test_a_gradient_that_is_missing_is_none_in_the_text():
    view = viz.curves(mg.stop_gradient, x=(0, 1), points=3)
    assert view.to_text().splitlines()[2].split() == ["0", "0", "none", "1", "derived", "missing"]
    assert np.isnan(view.points["derived"]).all()


def test_the_points_are_the_columns_of_the_text():
    points = viz.curves(doubled, x=(-1, 1), points=5).points
    x = np.linspace(-1, 1, 5)
    assert list(points) == ["x", "value", "derived", "custom", "finite difference"]
    exact = [x, np.sin(x), np.cos(x), 2 * np.cos(x), np.cos(x)]
    assert np.array([*points.values()]) == pytest.approx(np.array(exact), abs=1e-6)


def test_the_style_of_the_user_is_kept(tmp_path):
    import matplotlib.style

    with matplotlib.style.context("dark_background"):
        figure = viz.curves(mg.sin, x=(0, 1), points=5)
    assert figure.get_facecolor()[:3] == (0, 0, 0)
    assert lines_of(figure)["derived"].get_color() != "#0072B2"
    figure.savefig(tmp_path / "a.png")


def test_without_matplotlib_it_says_what_to_install():
    code = "import sys; sys.modules['matplotlib'] = None; import viz, minigrad as mg\n"
    code += "try: viz.curves(mg.sin, x=(0, 1))\nexcept ImportError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith('curves draws with the package matplotlib: pip install "minigrad-kit[lab]";')


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        (lambda: viz.curves(3.0, x=(0, 1)), TypeError, r"curves takes a function and a range.*got 3\.0"),
        (lambda: viz.curves(mg.constant(1.0), x=(0, 1)), TypeError, "takes a function"),
        (lambda: viz.curves(mg.sin), TypeError, r"as in curves\(f, x=\(-5, 5\)\), got nothing"),
        (lambda: viz.curves(mg.sin, x=2.0), TypeError, "got x=2.0"),
        (lambda: viz.curves(mg.sin, x=(1, 0)), ValueError, "from a smaller to a larger"),
        (lambda: viz.curves(mg.sin, x=(0, np.inf)), ValueError, "finite number"),
        (lambda: viz.curves(mg.sin, x=(0, "a")), TypeError, "pair of numbers"),
        (lambda: viz.curves(mg.sin, x=(0, 1), dtype="int32"), TypeError, "float16, float32 or float64"),
        (lambda: viz.curves(mg.sin, x=(0, 1), points=1), TypeError, "whole number, 3 or more"),
        (lambda: viz.curves(lambda x: None, x=(0, 1)), TypeError, "got None of type NoneType; does it lack a return"),
        (lambda: viz.curves(lambda x: x * np.ones(3), x=(0, 1)), TypeError, r"got shape \(3,\)"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


@pytest.mark.parametrize(
    "f, ends, words, gaps",
    [
        (
            lambda x: mg.floor(x) * x,
            (-2.5, 2.5),
            "the value jumps at x = -2, -1, 1, 2; at each of 200 points the value is finite",
            4,
        ),
        (lambda x: 1 / x, (-1, 1.3), "the value has a pole at x = 0; at each of 200 points the value is finite", 1),
        (
            lambda x: 1 / (x * x),
            (-1, 1.3),
            "the value has a pole at x = 0; at each of 200 points the value is finite",
            1,
        ),
        (mg.sign, (-1, 1.1), "the value jumps at x = 0", 1),
        (
            lambda x: mg.tanh(50 * x),
            (-1, 1.1),
            "every gradient is finite; it is right at the 1",
            0,
        ),
        (
            lambda x: mg.abs(x),
            (-1, 1.1),
            "at each of 200 points the value is finite, and every gradient is finite and right.",
            0,
        ),
    ],
)
def test_no_line_joins_the_two_sides_of_a_jump_or_a_pole(f, ends, words, gaps):
    view = viz.curves(f, x=ends, points=200, dtype="float64")
    assert words in view.summary
    for axes, line in ((0, 0), (1, 1)):
        assert np.isnan(view.figure.axes[axes].get_lines()[line].get_ydata()).sum() == gaps


def test_a_rule_that_is_wrong_is_named_at_every_scale():
    for scale in (1e-8, 1.0, 1e8):
        f = mg.custom_gradient(lambda x, scale=scale: (scale * x * x, lambda dy: dy * 4 * scale * x))
        assert "custom is wrong from x = -1 to 1" in viz.curves(f, x=(-1, 1)).summary


@pytest.mark.parametrize("factor, wrong", [(2.0, False), (2.0002, True), (2.01, True)])
def test_a_rule_that_is_a_little_wrong_is_named(factor, wrong):
    f = mg.custom_gradient(lambda x: (x * x, lambda dy: dy * factor * x))
    assert ("custom is wrong" in viz.curves(f, x=(-1, 1), points=50).summary) == wrong


def test_a_jump_has_no_slope_in_the_table():
    view = viz.curves(mg.floor, x=(-3, 3), points=50)
    assert "jump" in str(view).splitlines()[2] and np.isnan(view.points["finite difference"][0])
