"""The player of a forward pass: played from its start, it adds a box, and the arrows to it, with each press."""

import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser

SEEN = """() => [...document.querySelectorAll(".mg-stage .n")].map(g => g.querySelector("text").textContent)"""
LINES = "() => document.querySelectorAll('.mg-stage path.e[data-e]').length"


def test_it_grows_box_by_box(open_view):
    x = mg.constant(3.0)
    s = x * x
    page = open_view(viz.forward(s * 0.5 + x, gradients=False).start())
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
    page = open_view(viz.forward(lambda x: mg.exp(x), x=1.0, gradients=False))
    page.locator("[data-n='1']").click()
    card = page.locator(".mg-card").inner_text()
    assert "value" in card and "adjoint" not in card


def mode(page, name):
    page.get_by_role("radiogroup", name="What the picture shows").get_by_role("radio", name=name, exact=True).check()


@pytest.mark.smoke
def test_a_switch_leads_from_values_to_gradients_and_back(open_view):
    x = mg.constant(3.0)
    s = x * x
    page = open_view(viz.forward(s * 0.5 + x))
    say, stage = page.locator(".mg-say"), page.locator(".mg-stage")
    assert say.inner_text() == "add(multiply, x) = 7.5." and "ḡ" not in stage.inner_text()
    mode(page, "Gradient")
    assert "ḡ 4" in stage.inner_text()  # of x * x / 2 + x at 3
    mode(page, "Wiggle")
    assert "δ 4" in stage.inner_text()
    mode(page, "Values")
    assert say.inner_text() == "add(multiply, x) = 7.5." and "ḡ" not in stage.inner_text()


def test_an_input_is_changed_and_values_and_gradients_follow(open_view):
    page = open_view(viz.forward(lambda x, w: mg.exp(x * w), x=0.0, w=2.0))
    page.get_by_role("button", name="More").click()
    page.locator(".mg-inputs [aria-label='x']").fill("1")
    page.keyboard.press("Enter")
    assert page.locator(".mg-say").inner_text() == "exp(multiply) = 7.389."
    mode(page, "Gradient")
    assert "ḡ 14.78" in page.locator(".mg-stage").inner_text()  # 2 e^2


@pytest.mark.parametrize("at, seen", [(-1, ["x"]), (0, ["x"]), (1, ["x", "s"]), (2, ["x", "s", "multiply 0.5"])])
def test_it_opens_at_the_box_that_was_chosen_and_grows(open_view, at, seen):
    x = mg.constant(3.0)
    s = x * x
    view = viz.forward(s * 0.5 + x)
    page = open_view(view.start() if at < 0 else view.step(at))
    assert page.evaluate(SEEN) == seen
    page.keyboard.press("Tab")
    page.get_by_role("button", name="One step forward").click()
    assert len(page.evaluate(SEEN)) == len(seen) + 1
