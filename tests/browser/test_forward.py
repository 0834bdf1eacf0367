"""The player of a forward pass: played from its start, each press adds one box and what leads to it."""

import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser

SEEN = """() => [...document.querySelectorAll(".mg-stage [data-n]")]
    .filter(g => getComputedStyle(g).visibility === "visible").map(g => g.querySelector("text").textContent)"""
LINES = """() => [...document.querySelectorAll(".mg-stage [data-e] path")]
    .filter(g => getComputedStyle(g).visibility === "visible").length"""


def test_it_grows_box_by_box(open_view):
    x = mg.constant(3.0)
    s = x * x
    page = open_view(viz.forward(s * 0.5 + x).start())
    assert page.locator(".mg-say").inner_text() == "Nothing is computed yet."
    assert page.evaluate(SEEN) == [] and page.evaluate(LINES) == 0
    more = page.get_by_role("button", name="One box forward")
    growth = [(["x"], 0), (["x", "multiply"], 2), (["x", "multiply", "0.5", "multiply"], 4)]
    for boxes, lines in growth:
        more.click()
        assert (page.evaluate(SEEN), page.evaluate(LINES)) == (boxes, lines)
    assert page.locator(".mg-count").inner_text() == "box 3 of 4"
    page.get_by_role("button", name="To the end").click()
    assert page.evaluate(LINES) == 6
    page.get_by_role("button", name="To the start").click()
    assert page.evaluate(SEEN) == []


def test_a_card_has_no_adjoint(open_view):
    page = open_view(viz.forward(lambda x: mg.exp(x), x=1.0))
    page.locator("[data-n='1']").click()
    card = page.locator(".mg-card").inner_text()
    assert "value" in card and "adjoint" not in card
