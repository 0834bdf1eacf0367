"""The reader types the next message before it is shown."""

import pytest

import minigrad as mg
import viz
from tests.browser.gallery import log1pexp

pytestmark = pytest.mark.browser


@pytest.mark.smoke
def test_each_message_is_hidden_until_it_is_typed(open_view):
    view = viz.backward(lambda x, w: mg.exp(x * w) + x, x=2.0, w=0.5, predict=True)
    page = open_view(view)
    moments = view._lanes[0].moments
    say, ask, field = page.locator(".mg-say"), page.locator(".mg-ask"), page.get_by_label("The next message")
    assert say.inner_text() == moments[0].words and not ask.is_visible()
    page.get_by_label("To the end").click()  # no way leads around the question
    assert say.inner_text() == moments[0].words
    assert ask.locator("label").inner_text().strip() == "add sends to exp: ḡ · 1 ="
    assert field.evaluate("f => f === document.activeElement")
    field.fill("1")
    field.press("Enter")
    assert say.inner_text() == f"Right (1 of 1). {moments[1].words}"
    assert not ask.is_visible()
    page.keyboard.press("Enter")  # the focus is on the button that goes on
    field.fill("5")
    field.press("Enter")
    assert say.inner_text() == f"Not 5 (1 of 2). {moments[2].words}"
    page.keyboard.press("Enter")
    assert "exp sends to multiply: ḡ · exp(multiply) =" in ask.inner_text()
    field.fill("2.72")
    field.press("Enter")
    assert say.inner_text().startswith("Right (2 of 3). exp sends to multiply: ḡ · exp(multiply) = 1 · 2.718 = 2.718.")
    page.get_by_label("One step back").click()
    assert say.inner_text() == moments[2].words and not ask.is_visible()
    page.get_by_label("One step forward").click()
    assert say.inner_text() == moments[3].words  # it is known already
    page.get_by_label("One step forward").click()
    page.get_by_role("button", name="Show", exact=True).click()
    assert say.inner_text() == moments[4].words


def test_keys_suffice_and_the_field_is_named_by_its_question(open_view):
    page = open_view(viz.backward(lambda x: mg.exp(x) * 2.0, x=1.0, predict=True))
    page.get_by_label("One step forward").focus()
    for typed in ("1 × 2", "2"):  # the first is no number: the field keeps the focus
        page.keyboard.press("Enter")
        assert page.get_by_role("textbox", name="The next message: multiply sends to exp: ḡ · 2.0 =").is_visible()
        page.keyboard.type(typed)
    page.keyboard.press("Enter")
    said = page.get_by_role("status").get_by_text("Right (1 of 1). multiply sends to exp")
    assert said.is_visible() and page.locator(":focus").get_attribute("aria-label") == "One step forward"


def test_a_nan_is_typed_as_a_word_and_a_rule_has_its_question(open_view):
    page = open_view(viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0, predict=True))
    field = page.get_by_label("The next message")
    for typed in ("0", "0", "nan"):
        page.get_by_label("One step forward").click()
        field.fill(typed)
        field.press("Enter")
    assert (
        page.locator(".mg-say").inner_text().startswith("Right (3 of 3). exp sends to x: ḡ · exp(x) = 0 · inf = nan.")
    )
    page = open_view(viz.backward(log1pexp, x=0.0, predict=True))
    page.get_by_label("One step forward").click()
    assert "The custom rule grad stands in for log1pexp and sends to x:" in page.locator(".mg-ask").inner_text()
    page.get_by_label("The next message").fill("0.5")
    page.keyboard.press("Enter")
    assert page.locator(".mg-say").inner_text().startswith("Right (1 of 1).")


def test_the_question_follows_inputs_that_are_changed(open_view):
    page = open_view(viz.backward(lambda x: x * 3.0 + 1.0, x=2.0, predict=True))
    page.get_by_label("One step forward").click()
    page.get_by_label("The next message").fill("1")
    page.keyboard.press("Enter")
    spin = page.get_by_role("spinbutton")
    spin.fill("5")
    spin.press("Enter")
    page.get_by_label("One step forward").click()
    page.get_by_label("The next message").fill("3")
    page.keyboard.press("Enter")
    assert page.locator(".mg-say").inner_text().startswith("Right (2 of 2). multiply sends to x: ḡ · 3.0 = 1 · 3 = 3.")
