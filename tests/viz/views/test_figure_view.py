"""FigureView: one figure in every form, in the colours of the other pictures, and what a user draws into it."""

import copy
import re
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
import viz
from viz.render.matplotlib_figure import narrowed

pytest.importorskip("matplotlib")
from matplotlib import style
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread

from viz.render.matplotlib_figure import dark_map, palette

VIEWS = {
    "curves": lambda: viz.curves(mg.sin, x=(-1, 1), points=20),
    "jacobian": lambda: viz.jacobian(lambda x: x * x, np.array([1.0, -2.0])),
    "matrices": lambda: viz.matrices(yours=np.eye(2), true=np.ones((2, 2))),
    "steps": lambda: viz.steps(mg.exp, x=1.0),
}


@pytest.fixture(scope="module", params=VIEWS)
def view(request):
    return VIEWS[request.param]()


def pixels(path):
    return imread(BytesIO(path.read_bytes()))[..., :3]


def test_every_form_is_there(view, tmp_path):
    assert isinstance(view, viz.FigureView) and type(view.figure) is Figure
    assert str(view) == repr(view) == view.to_text() and view.to_text().startswith(view.summary)
    assert view.to_svg(tmp_path / "a.svg") == (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert view.to_html(tmp_path / "a.html") == (tmp_path / "a.html").read_text(encoding="utf-8")
    assert view.to_png(tmp_path / "a.png") == tmp_path / "a.png"
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"] == view.to_text(12) and "<script" not in bundle["text/html"]


def test_the_svg_is_a_file_of_its_own_called_by_its_summary(view):
    root = ElementTree.fromstring(view.to_svg())
    assert root.get("role") == "img" and root.get("aria-label").endswith(view.summary)
    w, h = 96 * view.figure.get_size_inches()
    assert (root.get("width"), root.get("height")) == (f"{w:.0f}", f"{h:.0f}")


def test_the_page_has_the_summary_and_the_text(view):
    html = view.to_html()
    assert html.startswith("<!doctype html>") and re.search("<title>[^<]+</title>", html)
    text = re.search("<details>.*?<pre [^>]*>(.*?)</pre></details>", html, re.DOTALL)[1]
    assert (
        re.sub("</?span[^>]*>", "", text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        == view.to_text()
    )


def test_a_png_is_twice_as_large_as_on_a_page_on_the_paper_of_the_theme(view, tmp_path):
    for theme, paper in (("light", "#ffffff"), ("dark", "#14181f")):
        image = pixels(view.to_png(tmp_path / "a.png", theme))
        w, h = view.figure.get_size_inches()
        assert image.shape[:2] == pytest.approx((192 * h, 192 * w), abs=1)
        assert to_hex(image[1, 1]) == palette(theme)["paper"].replace("#fff", "#ffffff") == paper


def test_the_map_takes_the_light_palette_to_the_dark_one():
    for name, far in {"paper": 0, "ink": 12, "soft": 12, "line": 14, "grad": 12, "now": 14, "bad": 20}.items():
        found = np.clip([*to_rgb(palette("light")[name]), 1] @ dark_map(), 0, 1)
        assert 255 * np.abs(found - to_rgb(palette("dark")[name])).max() <= far + 1e-6, name


def test_lines_have_the_colours_of_the_other_pictures():
    lines = viz.curves(mg.sin, x=(-1, 1), points=20).figure.axes[1].get_lines()
    light = palette("light")
    assert {line.get_label(): line.get_color() for line in lines} == {
        "derived": light["grad"],
        "finite difference in float64": light["soft"],
    }
    image = viz.jacobian(lambda x: x * x, np.arange(20.0) - 9).figure.axes[0].images[0]
    assert [to_hex(image.cmap(at)) for at in (0.0, 1.0)] == [light["now"], light["grad"]]


def test_what_a_user_draws_is_in_every_form(tmp_path):
    view = VIEWS["curves"]()
    before = view.to_svg(), view._repr_mimebundle_()["text/html"], pixels(view.to_png(tmp_path / "a.png", "dark"))
    view.axes[0].set_title("mine")
    assert view.figure.axes[0].get_title() == "mine"
    assert before[0] != view.to_svg() and before[1] != view._repr_mimebundle_()["text/html"]
    assert not np.array_equal(before[2], pixels(view.to_png(tmp_path / "a.png", "dark")))
    view.savefig(tmp_path / "mine.pdf")
    assert (tmp_path / "mine.pdf").read_bytes().startswith(b"%PDF")


def test_a_figure_in_a_dark_style_stays_as_it_is(tmp_path):
    with style.context("dark_background"):
        view = VIEWS["jacobian"]()
    light, dark = (pixels(view.to_png(tmp_path / "a.png", theme)) for theme in ("light", "dark"))
    assert np.abs(light - dark).mean() < 0.02 and light[1, 1].max() == dark[1, 1].max() == 0
    assert "prefers-color-scheme" not in view.to_svg()
    ticks = [tick.label1 for tick in view.axes[0].yaxis.get_major_ticks()]
    assert {to_hex(label.get_color()) for label in ticks} == {"#ffffff"}  # drawn outside of the style


def test_settings_of_the_user_for_saving_do_not_move_the_areas():
    with style.context({"savefig.bbox": "tight"}):
        tight = VIEWS["matrices"]().to_html()
    assert tight == VIEWS["matrices"]().to_html()


def test_a_copy_is_a_view_and_other_names_are_errors():
    view = VIEWS["steps"]()
    assert copy.copy(view).to_text() == view.to_text()
    with pytest.raises(AttributeError, match="twin"):
        _ = view.twin
    with pytest.raises(ValueError, match='theme must be "light" or "dark", got \'blue\''):
        view.to_png("never.png", "blue")


def test_text_of_a_name_is_escaped():
    def f(x):
        return x * x

    f.__name__ = "<b>&"
    html = viz.jacobian(f, [1.0]).to_html()
    assert "<b>" not in html and 'alt="Jacobian of &lt;b&gt;&amp;: 1 output by 1 input' in html


def test_on_a_phone_the_numbers_of_a_logarithmic_axis_do_not_overlap():
    figure = Figure()
    axes = figure.subplots()
    axes.barh(["a", "b"], [4e-3, 8e-3])
    axes.set(xscale="log", xlim=(1e-3, 1e-2))

    def overlapping():
        figure.draw_without_rendering()
        shown = [t for t in axes.get_xticklabels(which="both") if t.get_text() and 1e-3 <= t.get_position()[0] <= 1e-2]
        boxes = [t.get_window_extent() for t in shown]
        return sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]), len(boxes)

    wide = overlapping()
    with narrowed(figure):
        assert overlapping() == (0, 2)
    assert overlapping() == wide and wide[1] == 6, "afterwards it is as before"


def test_a_narrow_picture_keeps_the_shape_of_images_and_its_lines_free_of_the_legend():
    digits = viz.images(np.ones((16, 64)), titles=range(16)).figure
    shape = lambda: np.divide(*digits.get_size_inches())
    wide = shape()
    with narrowed(digits) as fits:
        assert fits and shape() == pytest.approx(wide)
    assert shape() == wide
    lines = viz.history({"one": [0.0, 1.0], "two": [1.0, 0.0]}).figure
    (axes,) = lines.axes
    with narrowed(lines):
        (outside,) = lines.legends
        assert [text.get_text() for text in outside.get_texts()] == ["one", "two"]
        assert not axes.get_legend().get_visible()
        assert not outside.get_window_extent().overlaps(axes.get_window_extent())
    assert axes.get_legend().get_visible() and not lines.legends


def test_in_a_narrow_picture_numbers_stay_in_their_cells_and_labels_beside_their_axes():
    heat = viz.jacobian(lambda x: mg.sum(x * np.float32([0.151, 0.236, 0.31, 0.302, 0.000161])), np.ones(5)).figure
    long = viz.history({"one": [0.0, 1.0]}).figure
    long.axes[0].set_ylabel("kept, in arrays like x (262 kB), which is long")
    long.axes[0].set_xlim(0, 0.01)
    sizes = [text.get_size() for text in heat.axes[0].texts]
    with narrowed(heat) as fits:
        (start, _), (end, _) = heat.axes[0].transData.transform([(0, 0), (1, 0)])
        assert fits and max(t.get_window_extent().width for t in heat.axes[0].texts) < end - start
    assert [text.get_size() for text in heat.axes[0].texts] == sizes
    with narrowed(long):
        (axes,) = long.axes
        assert axes.yaxis.label.get_window_extent().height <= axes.get_window_extent().height
        assert len([tick for tick in axes.get_xticks() if 0 <= tick <= 0.01]) <= 5
    assert axes.get_ylabel().endswith("is long") and len(axes.get_xticks()) > 5


def test_jupyterlab_breaks_no_word_of_a_text():
    for view in (viz.history({"a": [1.0]}), viz.backward(mg.exp(mg.constant(1.0)))):
        assert 'style="word-break:normal;overflow-wrap:anywhere"' in view._repr_mimebundle_()["text/html"]
