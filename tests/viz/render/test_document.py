"""The image that a cell shows without scripts carries the style that it needs."""

import re

import pytest

from tests.helpers.pictures import program
from viz.render.document import classes_of, image_style, picture_style


def image_of(view):
    return view._image(view._figures())


@pytest.mark.parametrize("name", ["mlp", "attention", "recurrent", "rule_with_variables", "behind_where"])
def test_an_image_has_every_rule_for_its_classes_and_no_other(name):
    image = image_of(program(name))
    body = image.partition("</style>")[2]
    present = classes_of(body)
    rules = {selector.removeprefix(".mgv ") for selector in re.findall(r"(\.mgv \S[^{]*)\{", picture_style())}
    needed = {rule for rule in rules if set(re.findall(r"\.(\w+)", rule)) <= present}
    style = image_style(body)
    selectors = {name for heads in re.findall(r"([^{}]+)\{", style) for name in heads.split(",")}
    assert rules & selectors == needed
    assert {".e", ".e.b1"} & needed
    assert {f"--{name}" for name in re.findall(r"var\(--(\w+)\)", style)} <= set(re.findall(r"(--\w+):", style))


def test_the_cells_of_an_image_have_their_colours():
    image = image_of(program("mlp"))
    for sign, colour in (("a", "minus"), ("d", "minus"), ("1", "plus"), ("4", "plus")):
        assert f"class='q{sign}'" in image
        assert re.search(rf"\.q{sign}\b[^{{}}]*\{{fill:none;stroke:var\(--{colour}\)\}}", image)
    assert "--plus:" in image


def test_an_image_has_nothing_that_only_a_script_reads():
    assert " data-" not in image_of(program("recurrent"))
