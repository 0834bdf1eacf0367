"""PNGs: the SVG of a view, painted by the rules of its own style sheet."""

from io import BytesIO

import numpy as np
import pytest

import minigrad as mg
import viz

pytest.importorskip("matplotlib")
from matplotlib.image import imread

from viz.render.document import picture_style
from viz.render.png import outline, png, rules_of


def pixels(data):
    return (imread(BytesIO(data))[..., :3] * 255).round().astype(int)


def hexed(pixel):
    return "#" + "".join(f"{part:02x}" for part in pixel)


def variables(theme):
    return rules_of(picture_style(), theme)[1]


def log1pexp(x):
    return mg.log(1 + mg.exp(x))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_box_stands_where_the_svg_has_it_in_the_colours_of_the_theme(theme, tmp_path):
    view = viz.backward(log1pexp, x=100.0)
    image = pixels(view.to_png(tmp_path / "a.png", theme).read_bytes())
    lane = view._lanes[0]
    assert image.shape[:2] == (2 * round(lane.layout.height), 2 * round(lane.layout.width))
    colours = variables(theme)
    assert hexed(image[2, 2]) == {"light": "#ffffff", "dark": "#14181f"}[theme]
    leaf, op = (lane.layout.boxes[key] for key in ("n0", "n1"))
    assert hexed(image[round(2 * (leaf.y + 6)), round(2 * (leaf.x + leaf.w / 2))]) == colours["--leaf"]
    assert hexed(image[round(2 * (op.y + 30)), round(2 * (op.x + op.w - 7))]) == colours["--box"]
    rim = image[round(2 * (leaf.y + leaf.h / 2)), round(2 * leaf.x)]
    assert hexed(rim) == colours["--bad"]  # x holds nan
    tag = lane.layout.boxes["n1"]
    assert hexed(image[round(2 * (tag.y - 5)), round(2 * (tag.x + tag.w - 27))]) == colours["--warnfill"]


def test_a_png_needs_no_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    path = viz.backward(log1pexp, x=1.0, layout="builtin").to_png(tmp_path / "a.png")
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

    assert [middle(""), middle("on"), middle("on later")] == ["#00ff00", "#ff0000", "#ffffff"]


def test_a_child_is_no_descendant():
    rules, _ = rules_of(".a>.b{fill:red}.a .c{fill:blue}", "light")
    a, x, b, c = (("g", frozenset({name})) for name in "axbc")
    found = [[rule.fits(path) for rule in rules] for path in ([a, b], [a, x, b], [a, c], [a, x, c])]
    assert found == [[True, False], [False, False], [False, True], [False, True]]


def test_an_outline_is_read_as_it_is_written():
    points, codes = outline("M10 5V8H2c0-1-2-3-2 4")
    assert points == [(10, 5), (10, 8), (2, 8), (2, 7), (0, 5), (0, 12)]
    assert codes == [1, 2, 2, 4, 4, 4]
    assert np.array_equal(outline("M0 0L7 4z")[0], [(0, 0), (7, 4), (0, 0)])
