"""A comparison follows the input and the rule that is typed: its sentence, its table and its second lane."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.lab import rests

pytestmark = pytest.mark.browser


@mg.custom_gradient
def softplus(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


@mg.custom_gradient
def product(x, w):
    return mg.sin(x) * w, lambda upstream: (upstream * mg.cos(x) * w, upstream * mg.sin(x))


def with_rule(text):
    """`softplus` with another rule."""
    space = {"x": None}

    def f(x):
        rule = lambda upstream: eval(text, {"upstream": upstream, "x": x, "exp": mg.exp, "sigmoid": mg.sigmoid})
        return mg.log(1 + mg.exp(x)), rule

    return mg.custom_gradient(f), space


def compared(f, *args):
    with np.errstate(all="ignore"):
        return viz.compare(f, *args)


def say(page):
    return page.locator(".mg-say").inner_text()


def to_the_end(page):
    page.locator(".mg-bar input[type=range]").first.focus()
    page.keyboard.press("End")


def put(page, name, value):
    """Change an input by a click on its number and typing."""
    page.locator(f".mg-stage .n[aria-label^='{name} (input)'] .ed").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.type(str(value))
    page.keyboard.press("Enter")
    rests(page)


def cells(page):
    return page.locator("table tbody tr").first.locator("th,td").all_inner_texts()


@pytest.mark.smoke
@pytest.mark.parametrize("x", [2.0, -20.0, 100.0])
def test_the_sentence_of_a_changed_input_is_that_of_a_comparison_there(open_view, x):
    page = open_view(compared(softplus, 1.0))
    to_the_end(page)
    assert say(page) == compared(softplus, 1.0).point
    put(page, "x", x)
    to_the_end(page)
    fresh = compared(softplus, x)
    assert say(page) == fresh.point and "arrived" not in say(page)
    assert cells(page)[4] == fresh.rows[0].verdict


def test_the_sentence_follows_the_strip_and_the_slider(open_view):
    page = open_view(compared(product, 1.0, 2.0))
    to_the_end(page)
    marker = page.locator(".mg-strip .marker")
    marker.focus()
    for key, x in [("PageUp", 5.0), ("Home", -20.0), ("ArrowRight", -19.6)]:
        page.keyboard.press(key)
        rests(page)
        assert say(page) == compared(product, np.float32(x), 2.0).point
    page.locator(".mg-bar input[type=range]").first.focus()
    page.keyboard.press("Home")
    assert "derived: " in say(page), "before the end the sentence is about the message"
    page.keyboard.press("End")
    assert say(page) == compared(product, np.float32(-19.6), 2.0).point


RULES = ["upstream * sigmoid(x)", "sigmoid(x)", "upstream * exp(x)", "upstream / (1 + exp(-x)) + 0 * x / x"]


@pytest.mark.parametrize("text", RULES)
def test_the_typed_rule_is_the_one_that_is_compared(open_view, text):
    page = open_view(compared(softplus, 1.0))
    to_the_end(page)
    field = page.get_by_role("textbox", name="Rule for the gradient of x")
    field.fill(text)
    rests(page)
    for x in (1.0, 0.0, -3.0, 100.0):
        if x != 1.0:
            put(page, "x", x)
            to_the_end(page)
        f, _ = with_rule(text)
        fresh = compared(f, x)
        assert say(page) == fresh.point, (text, x)
        assert cells(page) == ["x", *_texts(fresh.rows[0])], (text, x)
        sent = page.locator(".mg-stage svg").nth(1).locator(".n[aria-label^='x (input)']").get_attribute("aria-label")
        assert _texts(fresh.rows[0])[1] in sent, "the second lane has the gradient of the typed rule"
    assert page.locator(".mg-name").nth(1).inner_text() == "custom, as typed"


def _texts(row):
    from viz.render.compare_table import _cells

    return [*_cells(row)[1:]]


def test_a_rule_that_cannot_be_read_leaves_the_last_one_and_the_own_rule_comes_back(open_view):
    page = open_view(compared(softplus, 1.0))
    to_the_end(page)
    field, before = page.get_by_role("textbox", name="Rule for the gradient of x"), say(page)
    own = field.input_value()
    field.fill("upstream * 3")
    typed = say(page)
    assert typed != before and "3" in typed
    field.fill("upstream * 3 *")
    assert say(page) == typed
    field.fill(own)
    assert say(page) == before and page.locator(".mg-name").nth(1).inner_text() == "custom"


def test_of_two_inputs_each_has_its_own_typed_rule(open_view):
    page = open_view(compared(product, 1.0, 2.0))
    to_the_end(page)
    page.get_by_role("textbox", name="Rule for the gradient of w").fill("upstream * cos(x)")
    rests(page)
    other = mg.custom_gradient(lambda x, w: (mg.sin(x) * w, lambda g: (g * mg.cos(x) * w, g * mg.cos(x))))
    assert say(page) == compared(other, 1.0, 2.0).point
    assert re.search(r"of w.*0\.841, the rule 0\.54", say(page)), say(page)
