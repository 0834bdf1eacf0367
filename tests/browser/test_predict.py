"""The reader predicts what comes next before it is shown: a message, the gradient of a box, the box that sends."""

import pytest

import minigrad as mg
import viz
from tests.browser.gallery import log1pexp
from tests.browser.test_widgets_play import run

pytestmark = pytest.mark.browser


@pytest.mark.smoke
def test_each_message_is_hidden_until_it_is_typed(open_view):
    view = viz.backward(lambda x, w: mg.exp(x * w) + x, x=2.0, w=0.5, predict=True)
    page = open_view(view)
    moments = view._lanes[0].moments
    say, ask, field = page.locator(".mg-say"), page.locator(".mg-ask"), page.get_by_label("The next message")
    assert say.inner_text() == moments[0].words and not ask.is_visible()
    page.keyboard.press("Tab")
    page.get_by_role("slider", name="Step").press("End")  # no way leads around the question
    assert say.inner_text() == moments[0].words
    assert ask.locator("label").inner_text().strip() == "add sends to exp:"
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
    assert "exp sends to multiply:" in ask.inner_text()
    field.fill("2.72")
    field.press("Enter")
    assert say.inner_text().startswith("Right (2 of 3). exp sends to multiply: 1 · 2.718 = 2.718.")
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
        assert page.get_by_role("textbox", name="The next message: multiply sends to exp:").is_visible()
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
    assert page.locator(".mg-say").inner_text().startswith("Right (3 of 3). exp sends to x: 0 · inf = nan.")
    page = open_view(viz.backward(log1pexp, x=0.0, predict=True))
    page.get_by_label("One step forward").click()
    assert "instead of the ops inside log1pexp. It sends to x:" in page.locator(".mg-ask").inner_text()
    page.get_by_label("The next message").fill("0.5")
    page.keyboard.press("Enter")
    assert page.locator(".mg-say").inner_text().startswith("Right (1 of 1).")


def test_the_question_follows_inputs_that_are_changed(open_view):
    page = open_view(viz.backward(lambda x: x * 3.0 + 1.0, x=2.0, predict=True))
    page.get_by_label("One step forward").click()
    page.get_by_label("The next message").fill("1")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="More").click()
    spin = page.get_by_role("spinbutton")
    spin.fill("5")
    spin.press("Enter")
    page.get_by_label("One step forward").click()
    page.get_by_label("The next message").fill("3")
    page.keyboard.press("Enter")
    assert page.locator(".mg-say").inner_text().startswith("Right (2 of 2). multiply sends to x: 1 · 3 = 3.")


def sums(x, w):
    """x gets two messages: the first from sin."""
    return mg.exp(x * w) + mg.sin(x)


def forward(page):
    page.get_by_label("One step forward").click()


def test_the_gradient_of_each_box_is_asked_for_when_its_last_message_comes(open_view):
    page = open_view(viz.backward(sums, x=2.0, w=0.5, predict="boxes"))
    say, ask, field = page.locator(".mg-say"), page.locator(".mg-ask"), page.get_by_label("The gradient:")
    for sender, box, typed, verdict in (
        ("add", "exp", "1", "Right (1 of 1). add sends to exp"),
        ("add", "sin", "2", "Not 2 (1 of 2). add sends to sin"),
        (None, None, None, "sin sends to x: 1 · -0.4161 = -0.4161."),  # another one is still to come
        ("exp", "multiply", "2.718", "Right (2 of 3). exp sends to multiply"),
        ("multiply", "x", "0.943", "Right (3 of 4). multiply sends to x: 2.718 · 0.5 = 1.359. At x so far: -0.4161 +"),
        ("multiply", "w", "5.44", "Right (4 of 5). multiply sends to w: 2.718 · 2 = 5.437."),
    ):
        forward(page)
        assert ask.is_visible() == bool(sender)
        if sender:
            question = f"{sender} sends the last message to {box}. The gradient of {box}, now complete:"
            assert ask.locator("label").inner_text().strip() == question
            field.fill(typed)
            field.press("Enter")
        assert say.inner_text().startswith(verdict)


def test_the_box_that_sends_next_is_clicked_or_chosen_and_any_that_may_is_right(open_view):
    page = open_view(viz.backward(sums, x=2.0, w=0.5, predict="order"))
    say, ask, choice = page.locator(".mg-say"), page.locator(".mg-ask"), page.get_by_label("The next box")
    box = lambda name: page.locator(f".mg-stage .n[aria-label^='{name}']").first
    forward(page)
    assert choice.locator("option").all_inner_texts() == ["", "add", "exp", "multiply", "sin"]  # sorted by name
    page.keyboard.press("Enter")  # nothing is chosen
    ask.get_by_role("button", name="Check").click()
    assert page.locator(".mg-count").inner_text() == "0 of 8"
    box("multiply").click()
    assert say.inner_text().startswith("Not multiply (0 of 1). It still waits for exp. add sends to exp")
    forward(page)
    assert not ask.is_visible()
    forward(page)
    box("exp").focus()
    page.keyboard.press("Enter")
    both = "Right (1 of 2). exp has its whole gradient too; this pass takes sin first. sin sends to x"
    assert say.inner_text().startswith(both)
    forward(page)
    choice.select_option("sin")
    ask.get_by_role("button", name="Check").click()
    assert say.inner_text().startswith("Not sin (1 of 3). It has sent already. exp sends to multiply")
    forward(page)
    box("x (input)").click()
    assert say.inner_text().startswith("Not x (1 of 4). It still waits for multiply. multiply sends to x")
    page.get_by_label("More").click()
    page.get_by_label("To the end").click()
    assert page.locator(".mg-count").inner_text() == "8 of 8"


def test_an_answer_may_be_shown_and_going_back_asks_nothing_again(open_view):
    for kind in ("messages", "boxes", "order"):
        page = open_view(viz.backward(sums, x=2.0, w=0.5, predict=kind))
        forward(page)
        page.get_by_role("button", name="Show", exact=True).click()
        assert page.locator(".mg-say").inner_text().startswith("add sends to exp: 1 · 1 = 1.")
        page.get_by_label("One step back").click()
        forward(page)
        assert page.locator(".mg-count").inner_text() == "1 of 8" and not page.locator(".mg-ask").is_visible()


def test_the_answers_reach_python(lab):
    """What was typed and clicked in widgets; see `view.widget()`."""
    boxes = "boxes = viz.backward(lambda x: mg.exp(x) * x, x=0.0, predict='boxes').widget()\nboxes"
    order = "order = viz.backward(lambda x: mg.exp(x) * x, x=0.0, predict='order').widget()\norder"
    notebook = run(lab, "predict.ipynb", boxes, order)
    page = notebook.page
    notebook.run_until("print(boxes.numbers, order.order)", "None None")
    shown = page.locator(".jp-OutputArea-output .mg-view:visible").filter(has=page.locator(".mg-ask input"))
    shown.get_by_label("One step forward").click()
    shown.get_by_label("The gradient").fill("0")
    shown.get_by_label("The gradient").press("Enter")
    shown = page.locator(".jp-OutputArea-output .mg-view:visible").filter(has=page.locator(".mg-ask select"))
    shown.get_by_label("One step forward").click()
    shown.locator(".mg-stage .n[aria-label^='exp,']").click()
    notebook.run_until("print(boxes.numbers, order.order)", "[0.0] ['exp']")
    assert notebook.console_errors == []
