"""The SVG: well-formed, safe, legible, and honest about what is not computed yet."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

import minigrad as mg
from tests.helpers.traces import graphs, log1pexp, repaired
from viz.model.findings import NOT_YET
from viz.render.boxes import text_width
from viz.render.document import picture_style
from viz.views.backward import view_of

SVG = "{http://www.w3.org/2000/svg}"


def parse(text):
    return ElementTree.fromstring(text)


def texts(root, kind):
    return [t.text or "" for t in root.iter(f"{SVG}text") if t.get("class") == kind]


def node(root, number):
    return next(g for g in root.iter(f"{SVG}g") if g.get("data-n") == str(number))


@pytest.mark.parametrize("trace", [log1pexp(), repaired()])
def test_the_svg_parses_has_unique_ids_and_no_script(trace):
    text = view_of(trace, "builtin").to_svg()
    root = parse(text)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert ids and len(set(ids)) == len(ids)
    assert "script" not in text and "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"\son\w+=", text)


def test_two_views_share_no_id():
    ids = [set(re.findall(r" id='([^']+)'", view_of(log1pexp(), "builtin").to_svg())) for _ in range(2)]
    assert not ids[0] & ids[1]


@given(trace=graphs())
@settings(max_examples=25)
def test_every_node_and_edge_of_the_trace_is_drawn(trace):
    root = parse(view_of(trace, "builtin").data()[0]["svg"])  # what the player opens included
    drawn = {int(n) for g in root.iter(f"{SVG}g") for n in (g.get("data-n") or "").split()}
    edges = {int(n) for g in root.iter(f"{SVG}g") for n in (g.get("data-e") or "").split()}
    assert drawn == {n.id for n in trace.nodes} and edges == {e.id for e in trace.edges}


def test_not_computed_yet_never_looks_like_zero():
    root = parse(view_of(log1pexp(), "builtin").step(0).to_svg())
    assert f"ḡ {NOT_YET}" in texts(node(root, 0), "g") and "none" in node(root, 0).get("class")
    assert texts(node(root, 3), "g") == ["ḡ 0 …"]


def test_what_no_gradient_has_reached_at_the_end_is_none():
    x, w = mg.constant(2.0), mg.constant(3.0)
    view = view_of(mg.backward_trace(x * mg.stop_gradient(w), names={"x": x, "w": w}), "builtin")
    (number,) = [n.id for n in view.trace.nodes if n.name == "w"]
    assert texts(node(parse(view.to_svg()), number), "g") == ["ḡ none"]
    assert texts(node(parse(view.step(0).to_svg()), number), "g") == [f"ḡ {NOT_YET}"]


def test_forward_and_backward_marks_differ():
    root = parse(view_of(log1pexp(), "builtin").to_svg())
    exp, x = node(root, 1), node(root, 0)
    assert [t.text for t in exp.iter(f"{SVG}text")][-1] == "inf" and "bad" not in exp.get("class")
    assert "bad" in x.get("class") and texts(x, "g") == ["ḡ nan"]
    assert not any(g.get("class") == "tag" for g in x.iter(f"{SVG}g"))


def test_a_ghost_is_dashed_and_the_rule_is_named():
    root = parse(view_of(repaired(), "builtin").to_svg())
    assert "ghost" in node(root, 2).get("class")
    assert "rule: grad" in [t.text for t in node(root, 1).iter(f"{SVG}text")]
    assert re.search(r"\.ghost>\.b\{stroke-dasharray", picture_style())


def test_text_is_escaped_and_long_names_are_shortened_with_the_full_text_in_the_title():
    trace = log1pexp()
    long = '<img src="x" onerror=alert(1)>&' * 3
    nodes = (replace(trace.nodes[0], name=long), *trace.nodes[1:])
    view = view_of(replace(trace, nodes=nodes), "builtin")
    x = node(parse(view.to_svg()), 0)
    assert x.find(f"{SVG}title").text.startswith(long)
    assert "…" in texts(x, "h")[0]
    html = view.to_html()
    assert '<img src="x"' not in html and "<img src=x" not in html


@given(trace=graphs(most=10))
@settings(max_examples=20)
def test_no_text_is_wider_than_its_box(trace):
    root = parse(view_of(trace, "builtin").to_svg())
    for g in root.iter(f"{SVG}g"):
        if not g.get("data-n"):
            continue
        width = float(g.find(f"{SVG}rect").get("width"))
        rows = {}
        for t in g.findall(f"{SVG}text"):
            rows.setdefault(t.get("y"), []).append(text_width([t.text], 12))
        assert all(sum(row) + 8 <= width for row in rows.values())


def luminance(colour):
    """Relative luminance as WCAG defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    bright, dim = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


THEMES = [
    dict(re.findall(r"--(\w+):(#\w+)", block))
    for block in re.findall(r"\.mgv(?:\[data-theme=dark\])?\{(--paper[^}]*)\}", picture_style())
]


#: An ink, the grounds on which it stands, and the least contrast.
INKS = """
ink   paper box leaf   7
soft  paper box leaf   4.5
grad  paper slot box   4.5
bad   paper badfill    4.5
warn  warnfill         4.5
line  paper            3
rim   paper            3
now   paper            3
"""


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark"])
def test_contrast(theme):
    for row in INKS.strip().splitlines():
        ink, *grounds, least = row.split()
        for ground in grounds:
            assert contrast(theme[ink], theme[ground]) >= float(least), (ink, ground)


def seen_by(colour, matrix):
    digits = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in digits]
    return [sum(m * p for m, p in zip(row, linear)) for row in matrix]


#: Machado, Oliveira and Fernandes (2009), severity 1.0.
BLIND = {
    "deuteranopia": [(0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)],
    "protanopia": [(0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)],
}


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark"])
@pytest.mark.parametrize("kind", BLIND)
def test_gradient_and_nan_stay_apart_for_the_colour_blind(theme, kind):
    a, b = (seen_by(theme[name], BLIND[kind]) for name in ("grad", "bad"))
    assert max(abs(p - q) for p, q in zip(a, b)) > 0.15
