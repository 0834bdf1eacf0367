"""Figures in a page: a row or a column is read out where the pointer rests on it, without a script."""

import numpy as np
import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser
pytest.importorskip("matplotlib")

TITLE_AT = "([x, y]) => document.elementFromPoint(x, y)?.title ?? ''"


def opened(page, figure):
    """The page of a figure, and where the pixel under a point of an axes is on it."""
    page.set_content(figure._repr_mimebundle_()["text/html"])
    image = page.locator("img").bounding_box()
    scale = image["width"] / figure.bbox.width

    def pixel(axes, x, y):
        left, low = axes.transData.transform((x, y))
        return [image["x"] + left * scale, image["y"] + image["height"] - low * scale]

    return pixel


def test_each_cell_reads_out_its_row_and_each_label_its_column(page):
    figure = viz.matrices(yours=np.arange(6.0).reshape(2, 3), true=np.ones((2, 3)))
    pixel = opened(page, figure)
    for axes in figure.axes[:3]:
        for i, words in enumerate(("row 0:\nyours 0 1 2\ntrue 1 1 1", "row 1:\nyours 3 4 5\ntrue 1 1 1")):
            for j in range(3):
                assert page.evaluate(TITLE_AT, pixel(axes, j, i)).startswith(words)
        for j in range(3):
            x, y = pixel(axes, j, -0.5)
            words = page.evaluate(TITLE_AT, [x, y - 10])
            assert words.startswith(f"column {j}:\nyours {j} {j + 3}\ntrue 1 1\n")


def test_a_jacobian_of_two_outputs_reads_out_its_rows(page):
    figure = viz.jacobian(lambda x: (x * x, mg.sum(x)), np.array([1.0, 2.0]))
    pixel = opened(page, figure)
    shown = [page.evaluate(TITLE_AT, pixel(figure.axes[0], 0, i)) for i in range(3)]
    assert shown == ["f[0][0]: 2 0", "f[0][1]: 0 4", "f[1]: 1 1"]


def test_the_picture_of_steps_has_its_table_as_text(page):
    figure = viz.steps(mg.exp, x=1.0)
    page.set_content(figure._repr_mimebundle_()["text/html"])
    page.get_by_text("The same as text").click()
    assert page.locator("pre").inner_text().strip() == str(figure)
    assert page.locator("img").get_attribute("alt") == figure.summary
