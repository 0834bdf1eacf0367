"""View.strip: the slopes along an input as a matplotlib figure, with nan, wrong and uncertain stretches marked."""

import numpy as np
import pytest

import minigrad as mg
import viz

pytest.importorskip("matplotlib")


def softplus(x):
    e = mg.exp(x)
    return mg.log(1 + e)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def marked(strip):
    """The values of x at which each word stands in the table."""
    head, *lines = strip.to_text().splitlines()[1:]
    found = {}
    for line in lines:
        x, *rest = line.split(maxsplit=len(head.split()) - 1)
        word = " ".join(w for w in rest if w not in ("nan", "inf") and not w.lstrip("-")[0].isdigit())
        found.setdefault(word, []).append(float(x))
    return found


def bands(strip):
    """The stretches that are marked, by the words of the legend, and how each is hatched."""
    axes = strip.figure.axes[0]
    return [(p.get_label(), p.get_hatch(), tuple(p.get_extents().transformed(axes.transData.inverted()).intervalx))
            for p in axes.patches]  # fmt: skip


def test_the_lines_are_the_slopes():
    strip = viz.compare(softplus, 2.0).strip(x="upstream * sigmoid(x)")
    x = strip.points["x"]
    assert (x[0], x[-1], len(x)) == (-20, 20, 121)
    np.testing.assert_allclose(strip.points["true"], sigmoid(x), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(strip.points["derived"], sigmoid(x), rtol=1e-5)
    np.testing.assert_allclose(strip.points["yours"], sigmoid(x), rtol=2e-6)
    assert [line.get_label() for line in strip.axes[0].get_lines()][:3] == ["true", "derived", "yours"]
    assert strip.summary == (
        "Slopes over x from -20 to 20: Right at x = 2: 0.8808; right at all 121 samples from -20 to 20."
    ) and bands(strip) == []  # fmt: skip


def test_where_a_rule_is_nan_the_figure_is_hatched():
    strip = viz.compare(softplus, 100.0).strip(x="upstream * exp(x) / (1 + exp(x))")
    ((word, hatch, (low, high)),) = bands(strip)
    first = np.log(np.finfo("float32").max)  # from which on exp(x) is inf
    assert (word, hatch, high) == ("nan or inf", "///", 150) and abs(low - first) < 2.5  # the samples are 2.5 apart
    x = strip.points["x"]
    assert np.array_equal(np.isnan(strip.points["yours"]), x > first)
    np.testing.assert_allclose(strip.points["true"][x > 0], sigmoid(x[x > 0]), rtol=1e-9)


def test_a_wrong_rule_is_marked_where_it_is_wrong_and_nowhere_else():
    strip = viz.compare(lambda x: mg.sin(x), 1.0).strip(x="upstream * where(x > 10, 0.5, cos(x))")
    assert marked(strip)["wrong"] == [pytest.approx(x, rel=1e-3) for x in strip.points["x"] if x > 10]
    assert {word for word, *_ in bands(strip)} == {"wrong"}


def test_where_the_slope_is_not_sure_there_is_no_true_line():
    strip = viz.backward(lambda x: mg.floor(x) * x, x=0.5).strip()  # it jumps at whole numbers
    x = strip.points["x"]
    whole = np.abs(x - np.round(x)) < 1e-9
    assert np.isnan(strip.points["true"][whole & (x != 0)]).all()
    np.testing.assert_allclose(strip.points["true"][~whole], np.floor(x[~whole]), atol=1e-9)
    assert {word for word, *_ in bands(strip)} == {"not sure", None}  # one of them in the legend
    assert strip.summary.endswith(f"of 121 samples, the slope is not sure at {sum(whole & (x != 0))}.")


def test_a_view_in_another_mode_has_a_strip_of_the_derived_slope():
    view = viz.backward(softplus, x=100.0)
    strip = view.strip()
    assert [*strip.points] == ["x", "true", "derived"]
    assert strip.summary == "Slopes over x from -150 to 150: of 121 samples, the derived slope is nan or inf at 25."
    assert "yours" in view.strip(x="upstream").points
    assert view.try_rule(x="upstream") == viz.backward(softplus, x=100.0, mode="rule").try_rule(x="upstream")


def test_one_entry_of_an_array_is_moved():
    w = np.array([[0.5, 1.0], [2.0, -1.0]])
    strip = viz.backward(lambda w: mg.sum(w * w * w), w=w).strip(1, 0)
    true, moved = strip.points["true"], strip.points["w[1, 0]"]
    sure = ~np.isnan(true)
    assert sure[np.abs(moved) > 0.1].all()  # near 0 the values hardly move, and no slope can be measured
    np.testing.assert_allclose(true[sure], 3 * moved[sure] ** 2, rtol=1e-9)
    with pytest.raises(ValueError, match=r"strip takes an entry of w, whose shape is \(2, 2\), got \(2, 0\)"):
        viz.backward(lambda w: mg.sum(w * w), w=w).strip(2, 0)


def test_a_rule_with_its_own_gradient_is_judged_against_the_function():
    @mg.custom_gradient
    def triple(x):
        return 3 * x, lambda upstream: 30 * upstream

    strip = viz.compare(triple, 1.0).strip()
    assert {*strip.points["yours"]} == {30} and {*strip.points["derived"]} == {3}
    np.testing.assert_allclose(strip.points["true"], 3, rtol=1e-9)
    assert marked(strip)["wrong"] == pytest.approx([*strip.points["x"]], rel=1e-3)


def test_large_slopes_are_drawn_on_a_compressed_axis():
    assert viz.backward(lambda x: mg.exp(x), x=50.0).strip().axes[0].get_yscale() == "asinh"
    assert viz.backward(lambda x: mg.exp(x), x=1.0).strip().axes[0].get_yscale() == "linear"
    assert viz.backward(lambda x: mg.sin(x), x=1.0).strip().axes[0].get_yscale() == "linear"


def test_a_view_of_a_value_says_what_to_write():
    x = mg.constant(1.0)
    with pytest.raises(TypeError, match=r"strip: this view has no field for a rule; viz.compare\(f, 1.0\) has one"):
        viz.backward(x * x).strip()


def test_it_is_shown_as_other_figures_are(tmp_path):
    strip = viz.compare(softplus, 2.0).strip()
    assert set(strip._repr_mimebundle_()) == {"text/html", "text/plain"}
    assert len(strip.to_text(9).splitlines()) == 12 and "left out" in strip.to_text(9)
    assert strip.to_png(tmp_path / "strip.png").stat().st_size > 5000
