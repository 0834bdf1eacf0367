"""The field of a rule below a picture: by keys and by mouse, in a saved page, light and dark, wide and narrow."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.gallery import log1pexp

pytestmark = pytest.mark.browser


def softplus(x):
    e = mg.exp(x)
    return mg.log(1 + e)


def field(page, name="x"):
    return page.get_by_role("textbox", name=f"Rule for the gradient of {name}")


def verdict(page):
    return page.locator(".mg-verdict").inner_text()


def marker(page):
    return page.locator(".mg-strip .marker")


def compared(f, *args):
    with np.errstate(all="ignore"):
        return viz.compare(f, *args)


@pytest.mark.smoke
def test_a_rule_is_repaired_by_typing_alone(open_view):
    page = open_view(compared(softplus, 100.0))
    assert field(page).input_value() == "upstream / (1 + e) * e"
    assert verdict(page).startswith(
        "Wrong at x = 100 and at 24 of the 121 samples: nan instead of 1, because 0 * inf is nan"
    )
    field(page).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("upstream * sigmoid(x")
    assert field(page).get_attribute("aria-invalid") == "true"
    assert page.locator(".mg-refused").inner_text().endswith("at character 21: a ) is missing")
    page.keyboard.type(")")
    assert verdict(page).startswith("Right at x = 100: 1, where the derived rule gives nan; right at all 121 samples")
    assert field(page).get_attribute("aria-invalid") == "false"
    page.wait_for_timeout(900)
    assert page.locator(".mg-said").inner_text() == verdict(page), "it is spoken when it rests"


def test_the_field_opens_with_the_rule_that_the_function_has(open_view):
    page = open_view(compared(log1pexp, 100.0))
    assert "the rule that the function has" in page.locator(".mg-rule .mg-note").inner_text()
    assert field(page).input_value().startswith("upstream * (1 - 1 / (1 + ")
    assert verdict(page).startswith("Lost to rounding at x = -17.5")


def test_the_marker_moves_by_keys_and_the_picture_with_it(open_view):
    page = open_view(compared(softplus, 1.0))
    marker(page).focus()
    for key, x in [("ArrowRight", "1.4"), ("ArrowLeft", "1"), ("PageUp", "5"), ("Home", "-20"), ("End", "20")]:
        page.keyboard.press(key)
        assert marker(page).get_attribute("aria-valuetext") == f"x = {x}"
    assert page.locator(".mg-stage .n[aria-label^='x (input)']").get_attribute("aria-label").find("20") > 0
    assert "At x = 20: " in page.locator(".mg-three").inner_text()
    assert page.evaluate("document.activeElement.classList.contains('marker')"), "the marker keeps the focus"


def test_the_marker_is_dragged_and_the_field_of_the_input_follows(open_view):
    page = open_view(compared(softplus, 1.0))
    box = page.locator(".mg-strip").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 60, steps=4)
    page.wait_for_timeout(100)
    page.mouse.up()
    x = float(marker(page).get_attribute("aria-valuenow"))
    assert 8 < x < 12
    page.get_by_role("button", name="More").click()
    shown = page.get_by_role("spinbutton", name="x", exact=True).input_value()
    assert float(shown) == pytest.approx(x)


def test_an_input_that_is_changed_in_its_field_moves_the_marker(open_view):
    page = open_view(compared(softplus, 1.0))
    page.get_by_role("button", name="More").click()
    inside = page.get_by_role("spinbutton", name="x", exact=True)
    inside.fill("90")
    inside.press("Enter")
    assert marker(page).get_attribute("aria-valuetext") == "x = 90"
    assert verdict(page).startswith("Wrong at x = 90")


def test_each_input_has_a_field_and_an_entry_is_chosen(open_view):
    def f(W, x):
        return mg.sum(mg.tanh(W * x))

    page = open_view(compared(f, np.float32([[1, 2], [0, -1]]), np.float32([[1, 0.5], [2, 1]])))
    assert field(page, "W").is_visible() and field(page, "x").is_visible()
    field(page, "W").fill("upstream * x * (1 - tanh(W * x) ** 2)")
    field(page, "x").fill("upstream * W * (1 - tanh(W * x) ** 2)")
    page.get_by_role("combobox", name="Slope over").select_option(label="x[0, 1]")
    assert "At x[0, 1] = 0.5" in page.locator(".mg-three").inner_text()
    assert "right at x[0, 1] = 0.5: 0.8399" in verdict(page)
    program = page.locator(".mg-rule details pre").text_content()
    space = {}
    exec(program, space)
    x, w = mg.constant(np.float32([[1, 0.5], [2, 1]])), mg.constant(np.float32([[1, 2], [0, -1]]))
    (got,) = mg.gradients(space["f"](w, x), [x])
    assert np.allclose(got.value, w.value * (1 - np.tanh(w.value * x.value) ** 2))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_nothing_scrolls_sideways_and_no_letter_is_small(open_view, theme):
    page = open_view(compared(softplus, 100.0))
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = """[...document.querySelectorAll('.mg-rule *')].filter((e) => !e.children.length && e.textContent.trim())
        .map((e) => parseFloat(getComputedStyle(e).fontSize)).filter((size) => size < 11)"""
    assert page.evaluate(small) == []


def test_where_the_page_has_no_field_it_says_why():
    def two(x):
        return mg.sin(x), mg.cos(x)

    weight = mg.Variable(2.0, name="weight")
    rows = [(mg.custom_gradient(lambda x: (two(x), lambda a, b: a)), (1.0,), "a function with several results")]
    rows += [(lambda x: x * weight, (1.0,), "variables=")]
    rows += [(lambda p: p["a"] * 2.0, ({"a": 1.0},), "the arrays inside of a dict")]
    rows += [(lambda x: mg.sum(x * x), (np.ones(65),), "more than 64 entries: x has 65")]
    for f, args, why in rows:
        view = compared(f, *args)
        assert why in view.rule["cannot"] and why in view.to_html()
        with pytest.raises(TypeError, match=re.escape(why)):
            view.try_rule(x="upstream")
