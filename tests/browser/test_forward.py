"""The player of a forward pass: played from its start, each press adds one box and what leads to it."""

import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser

SEEN = """() => [...document.querySelectorAll(".mg-stage .n")].map(g => g.querySelector("text").textContent)"""
LINES = "() => document.querySelectorAll('.mg-stage path.e[data-e]').length"


def test_it_grows_box_by_box(open_view):
    x = mg.constant(3.0)
    s = x * x
    page = open_view(viz.forward(s * 0.5 + x).start())
    say, count = page.locator(".mg-say"), page.locator(".mg-count")
    assert (say.inner_text(), count.inner_text()) == ("x is an input: 3.", "1 of 4")
    assert (page.evaluate(SEEN), page.evaluate(LINES)) == (["x"], 0)
    growth = [(["x", "s"], 2), (["x", "s", "multiply 0.5"], 3)]
    for boxes, lines in growth:
        page.get_by_role("button", name="One box forward").click()
        assert (page.evaluate(SEEN), page.evaluate(LINES)) == (boxes, lines)
    assert (count.inner_text(), page.get_by_role("slider").get_attribute("aria-valuetext")) == ("3 of 4", "box 3 of 4")
    page.keyboard.press("End")
    assert page.evaluate(LINES) == 5
    page.keyboard.press("Home")
    assert page.evaluate(SEEN) == ["x"]


def test_a_card_has_no_adjoint(open_view):
    page = open_view(viz.forward(lambda x: mg.exp(x), x=1.0))
    page.locator("[data-n='1']").click()
    card = page.locator(".mg-card").inner_text()
    assert "value" in card and "adjoint" not in card
