"""A prediction is made in the picture, by clicking or typing or with keys; then it is judged and the pass is played."""

import pytest

import minigrad as mg
import viz
from tests.browser.lab import reload, rests
from tests.browser.test_choose import click_edge
from tests.browser.test_widgets_play import run
from tests.classroom.test_pictured import EXERCISES, asked, square_plus

pytestmark = pytest.mark.browser

LESSON = """
from minigrad.classroom import exercise
from minigrad.classroom.check import Lesson

@exercise("sum_at_x")
def sum_at_x(c):
    c.number(7.0, because={7.0: "Yes: 1 + 3 + 3.", 4.0: "One is missing."}, otherwise="Add.")

check = Lesson("here", {"sum_at_x": sum_at_x})
x = mg.constant(3.0)
s = x * x
y = s + x
"""
PICTURE = 'sum_at_x = check.picture("sum_at_x", viz.backward(y), "x", words="Which gradient does x get?")\nsum_at_x'


def judged(page, words):
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".mg-ask [role=status]", has_text=words).wait_for()


def test_a_box_is_chosen_by_a_click_or_by_keys_and_shows_no_card(open_view):
    page = open_view(asked("shared").shown)
    judged(page, "Choose a box first")
    page.locator(".mg-stage .n[aria-label^='s']").click()
    assert page.get_by_label("The box that you choose:").input_value() != ""
    assert not page.locator(".mg-card").is_visible()
    judged(page, "Not yet. One use.")
    page.get_by_role("button", name="Answer again").click()
    assert page.locator(".mg-count").inner_text() == "0 of 5"
    page.locator(".mg-stage .n[aria-label^='x']").focus()
    page.keyboard.press("Enter")
    judged(page, "Right. Yes: three uses.")
    page.locator(".mg-count", has_text="5 of 5").wait_for()  # it was played to the end


def test_arrows_are_clicked_or_ticked(open_view):
    page = open_view(asked("uses").shown)
    click_edge(page, 1)
    assert page.locator(".aim.pick").count() == 2  # both arrows from s to x are one answer
    judged(page, "Not yet. y uses x too.")
    page.get_by_role("button", name="Answer again").click()
    page.get_by_label("y sends to x").check()
    judged(page, "Right.")


@pytest.mark.smoke
def test_messages_are_put_in_order(open_view):
    page = open_view(asked("first_to_last").shown)
    ticks = page.locator(".mg-tick")
    assert ticks.all_inner_texts() == ["s sends to x", "s sends to x", "y sends to s", "y sends to x"]
    for n in (0, 2, 1, 3):
        ticks.nth(n).locator("input").focus()
        page.keyboard.press("Space")
    assert sorted(page.locator("text.mg-no").all_text_contents()) == ["1", "2", "3", "4"]
    judged(page, "Not yet. s sends to x before it has the message from y.")
    page.get_by_role("button", name="Answer again").click()
    ticks.nth(0).locator("input").uncheck()
    ticks.nth(0).locator("input").check()  # it is the last one now
    assert ticks.all_inner_texts() == ["4. s sends to x", "2. s sends to x", "1. y sends to s", "3. y sends to x"]
    judged(page, "Right. Yes: s waits for y.")


def test_numbers_are_typed_into_boxes(open_view):
    page = open_view(asked("two_sums").shown)
    page.get_by_label("The gradient of s").fill("1")
    judged(page, "Type a number into the box x.")
    assert page.get_by_label("The gradient of x").evaluate("f => f === document.activeElement")
    page.keyboard.type("7,0")
    page.keyboard.press("Enter")
    page.locator(".mg-ask [role=status]", has_text="You typed 1, 7. Right.").wait_for()
    assert not page.get_by_label("The gradient of x").is_visible()  # now the gradient itself is shown
    page.get_by_role("button", name="Answer again").click()
    assert [page.get_by_label(f"The gradient of {box}").input_value() for box in "sx"] == ["", ""]


def test_the_field_of_a_variable_at_the_right_edge_is_in_the_picture(open_view):
    w = mg.Variable(2.0, name="w")
    ruled = mg.custom_gradient(lambda x, v: (w * x + v, lambda upstream, variables=None: (upstream, 100 * upstream)))
    question = EXERCISES["sum_at_x"].question.for_page(("w",), "What is the gradient of w?")
    page = open_view(viz.backward(ruled(mg.constant(1.0, name="a"), w)).ask(question))
    page.set_viewport_size({"width": 820, "height": 700})
    rests(page)
    field, stage = (page.locator(part).first.bounding_box() for part in (".mg-slot", ".mg-stage"))
    assert stage["x"] <= field["x"] and field["x"] + field["width"] <= stage["x"] + stage["width"]


def test_the_fields_stay_at_their_boxes_when_the_theme_changes_while_the_picture_is_hidden(open_view):
    page = open_view(asked("two_sums").shown)
    fields = page.locator(".mg-slot")
    before = [field.bounding_box() for field in fields.all()]
    page.evaluate("document.body.style.display = 'none'; document.body.dataset.jpThemeLight = 'false'")
    rests(page)
    page.evaluate("document.body.style.display = ''")
    rests(page)
    assert [field.bounding_box() for field in fields.all()] == before


def test_a_forward_picture_is_whole_while_it_asks(open_view):
    view = square_plus(mg.constant(3.0))
    question = EXERCISES["shared"].question.for_page((), "Which box is shared?")
    page = open_view(viz.forward(lambda x: x * x + x, x=3.0).ask(question))
    assert view.arrows != [] and page.locator(".mg-stage .n").count() == 3
    page.locator(".mg-stage .n[aria-label^='x']").click()
    judged(page, "Right. Yes: three uses.")


def test_the_kernel_learns_the_answer_and_a_saved_page_asks_too(lab):
    notebook = run(lab, "ask.ipynb", LESSON, PICTURE)
    page = notebook.page
    known = "print(sum_at_x.answer, check('sum_at_x').to_text())"
    notebook.run_until(known, "None sum_at_x: not answered yet")
    live = page.locator(".jp-OutputArea-output .mg-view:visible").filter(has=page.locator(".mg-slot")).first
    live.get_by_label("The gradient of x").fill("4")
    live.get_by_label("The gradient of x").press("Enter")
    live.locator("[role=status]", has_text="You typed 4. Not yet. One is missing.").wait_for()
    assert "No kernel" not in live.locator(".mg-ask").inner_text()
    notebook.run_until(known, "4.0 sum_at_x: not yet")
    notebook.run_until("sum_at_x.answer = 7\nprint(check('sum_at_x').to_text())", "Your answer: 7. Yes: 1 + 3 + 3.")
    assert notebook.console_errors == []
    notebook.save()
    reload(page)
    saved = page.locator(".jp-OutputArea-output .mg-view:visible").filter(has=page.locator(".mg-slot")).first
    saved.get_by_label("The gradient of x").fill("7")
    saved.get_by_label("The gradient of x").press("Enter")
    saved.locator("[role=status]", has_text="Right. Yes: 1 + 3 + 3.").wait_for()
