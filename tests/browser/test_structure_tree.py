"""The tree of a structure opens on demand: by click, by key, on paper, in light and dark."""

import pytest

from tests.viz.render.test_structure_tree import view

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme, ink", [("light", "rgb(26, 35, 48)"), ("dark", "rgb(233, 238, 245)")])
def test_the_tree_opens_by_key_and_is_printed_when_open(open_view, theme, ink):
    page = open_view(view())
    page.emulate_media(color_scheme=theme)
    tree = page.get_by_role("list").first
    assert not tree.is_visible()
    page.get_by_text("p as a tree").focus()
    page.keyboard.press("Enter")
    assert tree.is_visible()
    assert page.get_by_role("listitem").filter(has_text="'w'").last.inner_text() == "'w': 2×3, float32"
    assert page.get_by_role("list").count() == 3  # p, 'layers', and its first layer
    assert tree.evaluate("e => getComputedStyle(e).color") == ink
    assert float(tree.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 14
    page.emulate_media(media="print")
    assert tree.is_visible()
