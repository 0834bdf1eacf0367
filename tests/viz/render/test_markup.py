"""HTML in pieces: text is escaped everywhere, and hosts get plain text."""

import json

import pytest

import minigrad as mg
import viz
from viz.render.markup import Html, joined, markup
from viz.render.tensor_table import tensor_html

EVIL = "</pre><script>alert(1)</script>'\"&amp; {x}"


def test_text_is_escaped_once_and_pieces_are_not():
    inner = markup('<i title="{x}">{x}</i>', x=EVIL)
    assert "<script>" not in inner and '="</' not in inner and inner.count("&amp;amp;") == 2
    assert markup("<b>{a}{b}</b>", a=inner, b=joined([inner, inner])) == f"<b>{inner * 3}</b>"
    assert markup("{n}", n=1.5) == "1.5" and isinstance(inner, Html)


@pytest.mark.parametrize("figure", [False, True])
def test_what_a_host_gets_is_plain_text(figure):
    if figure:
        pytest.importorskip("matplotlib")
    view = viz.steps(mg.exp, x=1.0) if figure else viz.source(mg.exp, 1.0)
    bundle = view._repr_mimebundle_()
    shown = [*bundle.values(), view.to_html(), view.to_text(), view.to_svg(), tensor_html(mg.constant(1.0))]
    assert {type(text) for text in shown} == {str}
    if not figure:
        texts = [row[0] for row in view.data()[0]["code"]["rows"]]
        assert {type(text) for text in texts} == {str} and json.dumps(texts)
