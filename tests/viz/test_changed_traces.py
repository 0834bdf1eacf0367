"""Saved traces with a changed field: refused, or drawn with no element, attribute or script that was not there."""

import json
from html.parser import HTMLParser

import pytest

import minigrad as mg
import viz
from tests.helpers.changed_traces import SCRIPT, changed, documents, paths

DOCUMENTS = documents()


class Seen(HTMLParser):
    """The elements of a page, and the names of their attributes."""

    def __init__(self, text):
        super().__init__()
        self.seen, self.scripts = set(), 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.seen |= {(tag, name) for name, _ in attrs} | {(tag, "")}


def drawn(data):
    view = viz.backward(mg.BackwardTrace.from_json(json.dumps(data)))
    return view.to_svg(), view.to_html()


def texts(data):
    """The paths of all texts of a document."""
    for path in paths(data):
        found = data
        for key in path:
            found = found[key]
        if isinstance(found, str) and path != ("schema",):
            yield path


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_text_of_a_script_adds_nothing_to_a_picture(name, sampled):
    data = DOCUMENTS[name]
    known = set().union(*(Seen(text).seen for other in DOCUMENTS.values() for text in drawn(other)))
    known |= {(tag, name) for tag in ("g", "path", "rect", "text") for name in ("", "class", "x", "y", "rx", "d")}
    count = 0
    for path in sampled(list(texts(data)), 12):
        try:
            pictures = drawn(changed(data, path, SCRIPT))
        except ValueError:
            continue
        count += 1
        for text in pictures:
            seen = Seen(text)
            assert not [pair for pair in seen.seen - known if pair[1].startswith("on") or pair[0] in ("script", "img")]
            assert seen.scripts <= 1
    assert count or name == "arrays"


def test_a_kind_that_no_reader_checked_is_escaped():
    """The trace was made by hand, with a kind that is markup: where attributes are written it stays text."""
    from dataclasses import replace

    trace = mg.BackwardTrace.from_json(json.dumps(DOCUMENTS["overflow"]))
    nodes = tuple(replace(node, kind=SCRIPT) for node in trace.nodes)
    svg = viz.backward(replace(trace, nodes=nodes)).to_svg()
    assert "<script" not in svg and "<img" not in svg
    assert not {name for _, name in Seen(svg).seen if name.startswith("on")}
