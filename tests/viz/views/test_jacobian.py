"""viz.jacobian: every number at its place, with the names of what it belongs to."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz

pytest.importorskip("matplotlib")


def layer(x, w=2.0):
    return mg.tanh(x * w)


def test_the_matrix_is_the_one_of_the_engine():
    x = np.array([0.1, 0.5, -1.0])
    figure = viz.jacobian(layer, x)
    assert np.array_equal(figure.matrix, mg.jacobian(layer)(x))
    words = [text.get_text() for text in figure.axes[0].texts]
    assert len(words) == 9 and words.count("0") == 6


def test_axes_name_outputs_and_inputs():
    figure = viz.jacobian(lambda v: mg.sum(v, axis=0), np.ones((2, 2)))
    axes = figure.axes[0]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["v[0, 0]", "v[0, 1]", "v[1, 0]", "v[1, 1]"]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["f[0]", "f[1]"]
    assert figure.matrix.shape == (2, 4)


def test_nan_is_crossed_out_named_and_counted():
    figure = viz.jacobian(lambda x: mg.log(1 + mg.exp(x)), np.array([0.0, 100.0], np.float32))
    assert "nan" in [text.get_text() for text in figure.axes[0].texts]
    assert [c.get_hatch() for c in figure.axes[0].collections] == ["xx", "xx"]
    assert "2 are nan" in str(figure)


def test_a_large_matrix_is_told_by_a_summary():
    figure = viz.jacobian(mg.sin, np.zeros(40))
    first, head, row, *_, middle = str(figure).splitlines()[:10]
    assert first == "Jacobian of sin: 40 outputs by 40 inputs, 1560 of 1600 numbers are 0."
    assert head.split() == [*(f"x[{i}]" for i in range(7)), "…", *(f"x[{i}]" for i in range(33, 40))]
    assert row.split() == ["sin[0]", "1", *["0"] * 6, "…", *["0"] * 7]
    assert middle.split() == ["…"] * 16
    assert str(figure).splitlines()[-1] == "The numbers are in view.matrix."
    assert len(figure.axes[0].texts) == 0


def test_one_number_of_one_number_and_whole_numbers():
    assert viz.jacobian(lambda x: x * x, 3.0).matrix.tolist() == [[6.0]]
    assert viz.jacobian(lambda x: x * x, [1, 2]).matrix.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_several_outputs_stand_below_each_other_with_a_line_between():
    x = np.array([0.5, 2.0, 1.0])
    figure = viz.jacobian(lambda x: {"all": mg.sum(x), "each": (x * x, mg.sort(x))}, x)
    found = mg.jacobian(lambda x: {"all": mg.sum(x), "each": (x * x, mg.sort(x))})(x)
    assert np.array_equal(figure.matrix, np.concatenate([found["all"][None], *found["each"]]))
    axes = figure.axes[0]
    rows = ["f['all']", *(f"f['each'][{k}][{i}]" for k in range(2) for i in range(3))]
    assert [t.get_text() for t in axes.get_yticklabels()] == rows
    assert [line.get_ydata()[0] for line in axes.lines] == [0.5, 3.5]
    assert figure.summary == "Jacobian of f: 7 outputs by 3 inputs, 12 of 21 numbers are 0."


def test_rows_and_columns_are_read_out():
    html = viz.jacobian(mg.cumsum, np.ones(3)).to_html()
    words = re.findall('<area [^>]*title="([^"]*)"', html)
    assert words[:3] == ["cumsum[0]: 1 0 0", "cumsum[1]: 1 1 0", "cumsum[2]: 1 1 1"]
    assert [column.partition(": ")[2] for column in words[3:]] == ["1 1 1", "0 1 1", "0 0 1"]


def test_the_text_has_every_number():
    assert viz.jacobian(layer, np.array([0.0, 0.5])).to_text() == (
        "Jacobian of layer: 2 outputs by 2 inputs, 2 of 4 numbers are 0.\n"
        "          x[0]    x[1]\n"
        "layer[0]     2       0\n"
        "layer[1]     0  0.8399"
    )


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        (lambda: viz.jacobian(3.0, 1.0), TypeError, r"viz\.jacobian\(f, x\), got 3\.0"),
        (lambda: viz.jacobian(lambda x: None, np.ones(2)), TypeError, "None"),
        (lambda: viz.jacobian(mg.sum, np.ones(2001)), ValueError, "up to 2000 rows and columns, got 1 by 2001"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()
