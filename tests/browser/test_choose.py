"""The reader chooses an edge before the first message; in a notebook Python learns which, and what was typed."""

import pytest

import minigrad as mg
import viz
from tests.browser.lab import reload
from tests.browser.test_widgets_play import SETUP, run

pytestmark = pytest.mark.browser

CHOOSE = """
from minigrad.classroom import exercise
from minigrad.classroom.check import Lesson

@exercise("nan_edge")
def nan_edge(c):
    c.edge(("exp", "x"), because={("exp", "x"): "Yes: 0 times inf."}, otherwise="Follow the zeros.")

@exercise("messages")
def messages(c):
    c.numbers([0.0, 0.0, float("nan")], because={(0.0, 0.0, float("nan")): "Yes."}, otherwise="Multiply.")

check = Lesson("here", {"nan_edge": nan_edge, "messages": messages})
x = mg.constant(100.0)
y = mg.log(1 + mg.exp(x))
"""
PICTURE = "nan_edge = viz.backward(y).ask({'kind': 'edge'}).widget()\nnan_edge"
TYPED = "messages = viz.backward(y, predict=True).widget()\nmessages"


def chosen_edge():
    x = mg.constant(100.0)
    return viz.backward(mg.log(1 + mg.exp(x)), names={"x": x}).ask({"kind": "edge"})


def click_edge(where, number):
    """Click the middle of a line; a level line has no height, so Playwright thinks that it is hidden."""
    place = (
        where.locator(".aim")
        .nth(number)
        .evaluate(
            "p => { p.scrollIntoView({block: 'center'}); const m = p.getPointAtLength(p.getTotalLength() / 2)"
            ".matrixTransform(p.getScreenCTM()); return [m.x, m.y] }"
        )
    )
    getattr(where, "page", where).mouse.click(*place)


def say(page):
    return page.locator(".mg-say").first.inner_text()


def test_the_pass_waits_until_an_edge_is_clicked(open_view):
    page = open_view(chosen_edge())
    assert say(page).startswith("Choose an arrow: click it, or take it from the list.")
    page.get_by_label("More").click()
    for button in ("One step forward", "To the end", "Play"):
        page.get_by_label(button, exact=True).click()
        assert page.locator(".mg-count").inner_text() == "0 of 4"
    page.get_by_label("Nearer (+)").click()  # the lines are redrawn
    page.get_by_label("The whole (0)").click()
    click_edge(page, 0)
    assert say(page).startswith("You chose: exp sends to x.")
    assert "No kernel knows it: run the cell of this picture again." in say(page)
    assert page.locator(".aim.pick").count() == 1
    page.get_by_label("To the end").click()
    assert page.locator(".mg-count").inner_text() == "4 of 4"


def test_the_line_of_a_weight_is_chosen_too(open_view):
    w = mg.Variable(2.0, name="w")
    page = open_view(viz.backward(lambda x: mg.exp(x * w), x=1.0).ask({"kind": "edge"}))
    stem = page.locator(".mg-stage .pill").get_attribute("data-e")
    number = [aim.get_attribute("data-edge") for aim in page.locator(".aim").all()].index(stem)
    click_edge(page, number)
    assert say(page).startswith("You chose: multiply sends to w.")


def test_an_edge_is_chosen_without_a_mouse(open_view):
    page = open_view(chosen_edge())
    choice = page.get_by_label("The arrow that you choose:")
    names = choice.locator("option").all_inner_texts()
    assert names == ["none", "log sends to add", "add sends to exp", "exp sends to x"]
    choice.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert say(page).startswith("You chose: add sends to exp.")
    assert choice.evaluate("c => c === document.activeElement")
    choice.select_option(label="none")
    assert say(page).startswith("Choose an arrow")
    assert page.locator(".aim.pick").count() == 0


def test_python_knows_the_edge_and_the_check_judges_it(lab):
    notebook = run(lab, "choose.ipynb", CHOOSE, PICTURE, TYPED)
    page = notebook.page
    known = "print('the edge', nan_edge.edge, check('nan_edge').to_text())"
    notebook.run_until(known, "the edge None nan_edge: not answered yet")
    live = page.locator(".jp-OutputArea-output .mg-view:visible").filter(has=page.locator(".mg-ask select")).first
    click_edge(live, 1)
    notebook.run_until(known, "nan_edge: not yet\nYour answer: ('add', 'exp'). Follow the zeros.")
    live.get_by_label("The arrow that you choose:").select_option(label="exp sends to x")
    notebook.run_until(known, "nan_edge: right\nYour answer: ('exp', 'x'). Yes: 0 times inf.")
    assert "No kernel" not in live.locator(".mg-say").inner_text()
    notebook.run_until("nan_edge.edge = 'log', 'add'; print('set')", "set")
    live.locator(".mg-say", has_text="You chose: log sends to add.").wait_for()

    asked = page.locator(".jp-OutputArea-output .mg-view:visible").filter(has=page.locator(".mg-ask input")).first
    field = asked.get_by_label("The next message")
    for typed in ("0", "5", "nan"):
        asked.get_by_label("One step forward").click()
        field.fill(typed)
        field.press("Enter")
    notebook.run_until("print(check('messages').to_text())", "Your answer: [0, 5, nan]. Multiply.")
    assert notebook.console_errors == []


def test_a_restart_keeps_no_choice_and_says_so(lab):
    notebook = run(lab, "restart.ipynb", CHOOSE, PICTURE, fresh=True)
    page = notebook.page
    live = page.locator(".jp-OutputArea-output .mg-view:visible").filter(has=page.locator(".mg-ask select")).first
    live.get_by_label("The arrow that you choose:").select_option(label="exp sends to x")
    notebook.run_until("print(nan_edge.edge)", "('exp', 'x')")
    notebook.do("await session.session.kernel.restart(); await session.session.kernel.info")
    again = SETUP + CHOOSE + PICTURE.partition("\n")[0]
    notebook.run_until(again + "\nprint(check('nan_edge').to_text())", "Nothing is chosen in the picture")
    notebook.save()
    reload(page)
    saved = page.locator(".jp-OutputArea-output .mg-view").filter(has=page.locator(".mg-ask select")).first
    saved.get_by_label("The arrow that you choose:").select_option(label="exp sends to x")
    page.wait_for_function("document.querySelector('.mg-say').innerText.includes('No kernel knows it')")
