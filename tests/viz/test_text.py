"""Every picture of viz has a version in text: what a terminal, a screen reader and a saved notebook show.

The text of `play` is that of the view below its widget.
"""

import re
from urllib.parse import unquote

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.viz.render.test_png import pixels


def product():
    x = mg.constant(2.0, np.float64)
    return x * mg.sin(x)


@mg.custom_gradient
def cube(x):
    return x * x * x, lambda dy: dy * 3.0 * x * x


#: For each function a call, and what its text must say: a number or a name of its picture.
PICTURES = {
    "backward": (lambda: viz.backward(product()), "multiply"),
    "forward": (lambda: viz.forward(product()), "1.819"),
    "compare": (lambda: viz.compare(cube, 2.0), "12"),
    "beside": (lambda: viz.beside(viz.backward(product()), viz.forward(product())), "1.819"),
    "curves": (lambda: viz.curves(mg.sin, x=(-1, 1)), "sin"),
    "jacobian": (lambda: viz.jacobian(lambda v: v * v, np.array([1.0, 3.0])), "6"),
    "matrices": (lambda: viz.matrices(yours=np.eye(2), true=7 * np.eye(2)), "7"),
    "steps": (lambda: viz.steps(mg.sin, x=1.0), "0.5403"),
    "trace_nan": (lambda: viz.trace_nan(mg.log(mg.constant(0.0)) * 0.0), "nan"),
    "nudge": (lambda: viz.nudge(lambda x: mg.sin(x) * x, x=1.0), "sin"),
    "play": (lambda: viz.play(mg.sin, x=(-1, 1)).shown, "sin"),
    "source": (lambda: viz.source(mg.sin, x=1.0), "np.sin(x)"),
    "images": (lambda: viz.images(np.eye(4)), "4 images of 2 x 2"),
    "history": (lambda: viz.history({"loss": [3.0, 1.0]}), "from 3 to 1"),
    "layers": (lambda: viz.layers({"w": np.array([3.0, 4.0])}, what="norm"), "5"),
    "memory": (lambda: viz.memory(mg.tanh, np.ones(5)), "tanh"),
    "schedule": (lambda: viz.schedule(lambda one: one[0], [mg.tanh], np.ones(5)), "0 runs again"),
    "units": (lambda: viz.units(np.eye(3)[:2]), "1 of 3 units is silent"),
    "plane": (lambda: viz.plane({"step 0": lambda p: p * [-1, 1]}, np.eye(2), [0, 1]), "1 of 2 points"),
}


def test_the_table_holds_every_function_of_viz():
    extension = {"load_ipython_extension", "unload_ipython_extension"}
    assert {name for name in dir(viz) if name.islower()} - extension - {"watch", "retrain", "page"} == set(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_every_view_has_all_forms(name, tmp_path):
    view = PICTURES[name][0]()
    assert view.to_text() and view.to_svg().startswith("<svg") and "<html" in view.to_html()
    assert view.to_png(tmp_path / "view.png").read_bytes()[:4] == b"\x89PNG"
    pytest.importorskip("ipywidgets")
    assert view.widget().shown is view


def undefined(svg):
    """The colours that the style of a picture uses and does not define; no browser draws with them."""
    style = svg.partition("<style>")[2].partition("</style>")[0]
    return set(re.findall(r"var\((--\w+)\)", style)) - set(re.findall(r"(--\w+):", style))


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_has_its_colours_in_every_form(name, tmp_path):
    view = PICTURES[name][0]()
    images = re.findall(r'src="data:image/svg\+xml,([^"]*)"', view._repr_mimebundle_()["text/html"])
    assert [undefined(svg) for svg in (view.to_svg(), *map(unquote, images))] == [set()] * (1 + len(images))
    for theme in ("light", "dark"):
        painted = pixels(view.to_png(tmp_path / "view.png", theme).read_bytes())
        paper = painted[1, 1]
        assert (abs(painted - paper).sum(axis=2) > 60).mean() > 0.005, theme  # there is more than paper


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_has_a_version_in_text(name):
    show, words = PICTURES[name]
    bundle = show()._repr_mimebundle_()
    assert words in bundle["text/plain"]
