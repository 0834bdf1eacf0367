"""viz.page: words, source and views in one file."""

import re

import pytest

import minigrad as mg
import viz


@mg.custom_gradient
def doubled(x):
    return 2 * x, lambda upstream: 2 * upstream


def test_the_parts_stand_in_their_order_and_nothing_is_taken_for_markup(tmp_path):
    view = viz.backward(mg.exp(mg.constant(2.0)))
    target = tmp_path / "rule.html"
    page = viz.page("A < b", "First <b>words</b>.\n\nAnd\nmore.", doubled, view, {"x": 2}, path=target)
    html = target.read_text("utf-8")
    assert html == page.to_html() and html.startswith("<!doctype html>")
    parts = [
        "<title>A &lt; b</title>", "<h1>A &lt; b</h1>", "<p>First &lt;b&gt;words&lt;/b&gt;.</p>", "<p>And more.</p>",
        "<pre>@mg.custom_gradient\ndef doubled(x):", "exp", "<pre>{'x': 2}</pre>",
    ]  # fmt: skip
    places = [html.find(part) for part in parts]
    assert -1 not in places and places == sorted(places), places
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", html)
    assert re.fullmatch(r"A page of \d+ kB, 'A < b', written to rule.html\.", repr(page))


@pytest.mark.parametrize(
    "text, shown",
    [
        ("**Bold** and `x**2`.", "<strong>Bold</strong> and <code>x**2</code>."),
        ("2**3 and 4**5", "2**3 and 4**5"),
        ("a ** b ** c, 5 * 4", "a ** b ** c, 5 * 4"),
        ("**two words**, `a < b`", "<strong>two words</strong>, <code>a &lt; b</code>"),
        ("**<i>**", "<strong>&lt;i&gt;</strong>"),
        ("one ` alone and **", "one ` alone and **"),
    ],
)
def test_code_and_bold_words_are_marked_and_powers_are_not(text, shown):
    assert f"<p>{shown}</p>" in viz.page("Marks", text).to_html()


def test_a_tensor_is_shown_as_its_table():
    assert ">2.5</td>" in viz.page("Numbers", mg.constant([1.0, 2.5])).to_html()


def test_a_page_can_be_written_later(tmp_path):
    page = viz.page("Later", "Words.")
    assert repr(page).endswith("not written yet: page.to_html(path) does it.")
    page.to_html(tmp_path / "later.html")
    assert "<p>Words.</p>" in (tmp_path / "later.html").read_text("utf-8")


def test_what_cannot_be_shown_is_told():
    space = {}
    exec("def f(x): return x", space)
    with pytest.raises(TypeError, match="the source of f is not known: pass it as text"):
        viz.page("Title", space["f"])
    with pytest.raises(TypeError, match="title should be a string, got CustomGradient"):
        viz.page(doubled, "words")
