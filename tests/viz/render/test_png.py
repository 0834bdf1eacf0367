"""PNGs: the SVG of a view, painted by the rules of its own style sheet."""

import re
import sys
from io import BytesIO

import numpy as np
import pytest

import minigrad as mg
import viz

pytest.importorskip("matplotlib")
from matplotlib.image import imread

from viz.render.document import picture_style
from viz.render.document import variables as variables_of
from viz.render.png import png


def pixels(data):
    return (imread(BytesIO(data))[..., :3] * 255).round().astype(int)


def hexed(pixel):
    return "#" + "".join(f"{part:02x}" for part in pixel)


def variables(theme):
    return variables_of(picture_style(), theme)


def log1pexp(x):
    return mg.log(1 + mg.exp(x))


def places(lane):
    """The box of each op and input by its title."""
    lane.drawn(len(lane.moments) - 1)
    return {node["title"]: lane.scene.boxes.get(f"n{node['id']}") for node in lane.graph["nodes"]}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_box_stands_where_the_svg_has_it_in_the_colours_of_the_theme(theme, tmp_path):
    view = viz.backward(log1pexp, x=100.0)
    image = pixels(view.to_png(tmp_path / "a.png", theme).read_bytes())
    lane, colours = view._lanes[0], variables(theme)
    boxes = places(lane)

    def at(x, y):
        return hexed(image[round(2 * y), round(2 * x)])

    assert image.shape[:2] == (2 * round(lane.scene.bottom), 2 * 900)
    assert at(1, 1) == {"light": "#ffffff", "dark": "#14181f"}[theme]
    (x, y, w, h), (left, top, wide, high) = boxes["x"], boxes["exp"]
    assert at(x + w / 2, y + 6) == colours["--leaf"] and at(left + wide - 7, top + high / 2) == colours["--box"]
    assert at(x, y + h / 2) == colours["--bad"]  # x holds nan
    tag = re.search(r"<rect class='tag' x='([\d.]+)' y='([\d.]+)' width='[\d.]+' height='([\d.]+)'", view.to_svg())
    assert at(float(tag[1]) + 2.5, float(tag[2]) + float(tag[3]) / 2) == colours["--warnfill"]
    assert at((x + w + left) / 2, y + h / 2) == colours["--bad"]  # the line that carries the nan


def test_ink_is_as_wide_and_as_dark_as_the_message_is_large(tmp_path):
    view = viz.backward(lambda x: mg.exp(mg.tanh(x) * 1e-6) * 1e3, x=0.5)
    image = pixels(view.to_png(tmp_path / "a.png").read_bytes())
    boxes = places(view._lanes[0])
    rows = {}
    for title, before in (("tanh", "x"), ("exp", "multiply")):
        (x, y, _, h), (u, _, wide, _) = boxes[title], boxes[before]
        rows[title] = [hexed(pixel) for pixel in image[round(2 * y) : round(2 * (y + h)), round(x + u + wide)]]
    paper = "#ffffff"
    widths = {title: sum(pixel != paper for pixel in row) for title, row in rows.items()}
    assert widths["exp"] > widths["tanh"] > 0
    assert variables("light")["--t4"] in rows["exp"] and variables("light")["--t4"] not in rows["tanh"]


def test_a_png_needs_no_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    path = viz.backward(log1pexp, x=1.0).to_png(tmp_path / "a.png")
    assert path.read_bytes()[:4] == b"\x89PNG"


def test_another_theme_is_an_error(tmp_path):
    with pytest.raises(ValueError, match='theme must be "light" or "dark"'):
        viz.backward(log1pexp, x=1.0).to_png(tmp_path / "a.png", "blue")


def test_dollars_and_letters_of_other_scripts_are_words(tmp_path, recwarn):
    x = mg.constant(1.0)
    viz.backward(mg.exp(x), names={"$a$": x}).to_png(tmp_path / "a.png")
    viz.backward(mg.exp(x), names={"指数": x}).to_png(tmp_path / "b.png")
    assert not [str(w.message) for w in recwarn if "Glyph" in str(w.message)]


def test_a_rule_with_more_classes_wins_and_hidden_parts_are_not_painted():
    box = "<rect class='b {}' width='10' height='10'/>"
    svg = "<svg xmlns='http://www.w3.org/2000/svg' class='mgv' width='10' height='10'><style>{}</style>{}</svg>"
    sheet = ".mgv{--c:#ff0000} .mgv .b.on{fill:var(--c)} .mgv .b{fill:#00ff00} .mgv .later{visibility:hidden}"

    def middle(classes):
        return hexed(pixels(png(svg.format(sheet, box.format(classes))))[10, 10])

    assert [middle(""), middle("on"), middle("on later")] == ["#00ff00", "#ff0000", "#000000"]  # nothing is painted


def test_opacities_multiply_and_none_is_no_colour():
    rect = "<rect {} width='10' height='10' fill='#ff0000'/>"
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'><style>{}</style><g {}>{}</g></svg>"
    paper = "<rect width='10' height='10' fill='#ffffff'/>"

    def middle(sheet, group, own):
        return hexed(pixels(png(svg.format(sheet, group, rect.format(own)).replace("<g", paper + "<g")))[10, 10])

    assert middle("", "", "") == "#ff0000" and middle("rect.a{fill:#0000ff}", "", "class='a'") == "#0000ff"
    assert middle(".a{fill:transparent}", "", "class='a'") == "#ffffff"
    assert middle("", "", "opacity='.4'") == middle(".a{opacity:.4}", "", "class='a'") == "#ff9999"
    assert middle("", "opacity='.4'", "opacity='.5'") == "#ffcccc"


@pytest.mark.parametrize("package, module", [("resvg-py", "resvg_py"), ("matplotlib", "matplotlib")])
def test_without_a_package_it_says_which_to_install(package, module, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        ImportError, match=rf'{package} is missing: pip install "minigrad-kit\[lab\]"; to_svg needs neither'
    ):
        viz.backward(log1pexp, x=1.0).to_png(tmp_path / "a.png")


def test_code_is_set_in_a_font_of_one_width(tmp_path):
    view = viz.source(lambda x: mg.exp(x), 1.0)
    words = [row.text for row in view.program.rows]
    text = pixels(view.to_png(tmp_path / "a.png").read_bytes())
    head = next(i for i, line in enumerate(words) if line.startswith("def "))
    top = round(2 * (view._figures()[2] + 8 + 18 * head))
    inked = np.flatnonzero((text[top : top + 36] < 128).any(axis=(0, 2)))
    assert inked[-1] - inked[0] == pytest.approx(2 * len(words[head]) * 12 * 0.602, rel=0.03)
