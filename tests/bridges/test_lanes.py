"""`viz.compare` of several functions: a lane for each, and a table of the value and the gradients."""

import minigrad as mg
import viz


def safe(x):
    return mg.where(x > 0, mg.sqrt(mg.where(x > 0, x, 1.0)), 0.0)


def test_three_functions_are_three_lanes_with_a_table():
    view = viz.compare(mg.sqrt, safe, lambda x: x**0.5, 0.0)
    assert view.labels == ("sqrt (minigrad)", "safe (minigrad)", "f (minigrad)")
    assert [row.words for row in view.rows] == [("0", "0", "0"), ("inf", "0", "inf")]
    assert view.point == (
        "The value is 0 in all; the gradient of x is inf in sqrt (minigrad) and f (minigrad), 0 in safe (minigrad)."
    )
    assert view.to_svg().count("safe (minigrad)") >= 1
    assert "<td>inf</td>" in view.to_html()
    assert str(view).splitlines()[-1].split()[-3:] == ["inf", "0", "inf"]


def test_two_functions_stay_a_comparison_with_verdicts():
    assert viz.compare(mg.sqrt, safe, 4.0).rows[0].verdict
