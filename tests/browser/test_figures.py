"""Figures in a page: a row or a column shows its numbers when the pointer rests on it, without a script."""

from io import BytesIO

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.lab import watch
from viz.render.matplotlib_figure import NARROW, PER_INCH, palette

pytest.importorskip("matplotlib")
from matplotlib import image, style
from matplotlib.colors import to_rgb
from matplotlib.text import Text

pytestmark = pytest.mark.browser

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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_of_its_own_has_the_colours_of_the_other_pictures(page, tmp_path, theme):
    errors, outside = watch(page)
    views = {
        "curves": viz.curves(mg.sin, x=(-1, 1), points=20),
        "jacobian": viz.jacobian(lambda x: x * x, np.arange(20.0) - 9.5),
        "matrices": viz.matrices(yours=np.eye(2), true=[[1.0, np.nan], [0.0, 1.0]]),
        "steps": viz.steps(mg.exp, x=1.0),
    }
    page.emulate_media(color_scheme=theme)
    for name, view in views.items():
        view.to_html(tmp_path / "a.html")
        page.goto((tmp_path / "a.html").as_uri())
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == rgb(palette(theme)["paper"])
        seen = image.imread(BytesIO(page.locator("img").screenshot()))[..., :3]
        assert np.array_equal(np.round(255 * seen[2, 2]), np.round(255 * np.array(to_rgb(palette(theme)["paper"])))), (
            name
        )
        view.to_png(tmp_path / "a.png", theme)
        painted = image.imread(BytesIO((tmp_path / "a.png").read_bytes()))[..., :3]
        assert np.abs(blocks(seen, 12) - blocks(painted, 24)).mean() < 0.02, name
        for word in {"jacobian": ("grad", "now"), "curves": ("grad",), "steps": ("grad", "now")}.get(name, ()):
            far = np.abs(seen - to_rgb(palette(theme)[word])).max(axis=-1)
            assert (far < 0.06).sum() > 100, (name, word)
    assert errors == [] and outside == []


def rgb(colour):
    return f"rgb({', '.join(str(round(255 * part)) for part in to_rgb(colour))})"


def blocks(pixels, size):
    """The mean colour of each square in a corner of a picture: each program smooths letters in a different way."""
    return pixels[: 16 * size, : 20 * size].reshape(16, size, 20, size, 3).mean(axis=(1, 3))


#: How many pictures are wider than the box that shows them.
NOT_FITTING = """() => [...document.querySelectorAll("[role=group]")]
    .filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 1).length"""


def test_a_page_fits_a_phone_or_scrolls_its_picture_alone(page, tmp_path):
    page.set_viewport_size({"width": 390, "height": 800})
    dense = viz.jacobian(mg.cumprod, np.linspace(0.1234, 0.9, 9))
    for view, fits in ((viz.curves(mg.sin, x=(-1, 1), points=20), True), (dense, False)):
        view.to_html(tmp_path / "a.html")
        page.goto((tmp_path / "a.html").as_uri())
        page.get_by_text("The same as text").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator("details").bounding_box()["width"] <= 390
        assert (page.evaluate(NOT_FITTING) == 0) == fits
    assert page.locator("img").bounding_box()["width"] > 390  # its areas keep their places


def test_a_figure_of_a_lesson_fits_a_phone_with_its_letters_as_large(page):
    """In JupyterLab on a phone an output is 266 pixels wide."""
    moments = {f"step {k}": lambda points: points for k in (0, 20, 100, 400)}
    figures = [
        viz.curves(mg.sin, x=(-1, 1), points=20),
        viz.steps(mg.exp, x=1.0),
        viz.jacobian(lambda a: mg.sum(a, axis=0), np.ones((2, 3))),
        viz.images(np.eye(16), columns=8),
        viz.plane(moments, np.eye(2), [0, 1]),
        viz.history({"loss": [3.0, 2.0], "a share": [0.1, 0.9]}),
    ]
    widths = [view.figure.get_figwidth() for view in figures]
    for view in figures:
        page.set_content(f'<div style="width:266px">{view._repr_mimebundle_()["text/html"]}</div>')
        assert page.evaluate(NOT_FITTING) == 0
        assert page.locator(".mg-narrow").bounding_box()["width"] == NARROW and not page.locator("img").is_visible()
        for theme in ("light", "dark") if view is figures[0] else ():
            page.emulate_media(color_scheme=theme)
            paper = image.imread(BytesIO(page.locator(".mg-narrow").screenshot()))[2, 2, :3]
            assert (paper.min() > 0.95) == (theme == "light") and (paper.max() < 0.13) == (theme == "dark"), paper
        words = [text for text in view.figure.findobj(Text) if text.get_text() and text.get_visible()]
        assert all(PER_INCH / 72 * text.get_size() > 11 for text in words)
        page.set_content(view.to_html())
        assert page.locator("img").is_visible() and not page.locator(".mg-narrow").is_visible()
    assert [view.figure.get_figwidth() for view in figures] == widths
    (legend,) = figures[0].figure.legends
    assert legend._ncols == 3, "the figure is as it was drawn"


BODIES = {
    "": None,  # the theme of the system
    "data-jp-theme-light=true": "light",
    "data-jp-theme-light=false": "dark",
    "data-vscode-theme-kind=vscode-dark": "dark",
    "data-vscode-theme-kind=vscode-high-contrast": "dark",
    "data-vscode-theme-kind=vscode-high-contrast-light": "light",
    "data-theme=light": "light",
    "data-theme=dark": "dark",
}


@pytest.fixture(scope="module")
def plots():
    figures = {
        "curves": viz.curves(mg.sin, x=(-1, 1), points=20),
        "jacobian": viz.jacobian(lambda x: x * x, np.array([1.0, 2.0])),
        "matrices": viz.matrices(yours=np.eye(2), true=np.ones((2, 2))),
        "steps": viz.steps(mg.exp, x=1.0),
    }
    return {name: figure._repr_mimebundle_()["text/html"] for name, figure in figures.items()}


#: Shows one figure after another in the page, so that all are drawn in the same place.
SHOW = """kind => document.querySelectorAll("[data-kind]").forEach(e => { e.hidden = e.dataset.kind !== kind })"""


@pytest.mark.parametrize("body", BODIES)
def test_figures_follow_the_theme(page, plots, body):
    page.set_content(f"<body {body}>" + "".join(f"<div data-kind={kind}>{html}</div>" for kind, html in plots.items()))
    for system in ("light", "dark"):
        page.emulate_media(media="screen", color_scheme=system)
        dark = (BODIES[body] or system) == "dark"
        for kind in plots:
            page.evaluate(SHOW, kind)
            corner = page.locator(f"[data-kind={kind}] img").bounding_box()
            corner = {"x": corner["x"] + 1, "y": corner["y"] + 1, "width": 4, "height": 4}
            paper = image.imread(BytesIO(page.screenshot(clip=corner)))[2, 2, :3].mean()
            assert (paper < 0.12) == dark and (paper > 0.95) != dark, (system, kind, paper)
            page.emulate_media(media="print", color_scheme=system)
            assert image.imread(BytesIO(page.screenshot(clip=corner)))[2, 2, :3].min() == 1, (system, kind)
            page.emulate_media(media="screen", color_scheme=system)


def test_a_figure_in_a_dark_style_stays_as_it_is(page):
    page.emulate_media(color_scheme="dark")
    with style.context("dark_background"):
        figure = viz.curves(mg.sin, x=(-1, 1), points=20)
        page.set_content(figure._repr_mimebundle_()["text/html"])
    assert image.imread(BytesIO(page.locator("img").screenshot()))[2, 2, :3].mean() < 0.05


def test_the_picture_of_steps_has_its_table_as_text(page):
    figure = viz.steps(mg.exp, x=1.0)
    page.set_content(figure.to_html())
    page.get_by_text("The same as text").click()
    assert page.locator("pre").text_content() == str(figure)
    assert page.locator("img").get_attribute("alt") == figure.summary
