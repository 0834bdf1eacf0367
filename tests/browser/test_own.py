"""The player of a learner's own pass: message by message what was told, and the marks."""

import pytest

import viz
from tests.helpers.own_engines import Number, assigning, backward, double_counting, first_come

pytestmark = pytest.mark.browser

SHOWN = """() => [["n", ".g"], ["e", ".m"]].map(([kind, text]) => Object.fromEntries(
    [...document.querySelectorAll(`.mg-stage [data-${kind}]`)].filter(g => g.querySelector(text))
      .map(g => [g.dataset[kind], g.querySelector(text).textContent])))"""


def told(by):
    x = Number(3.0)
    b = 2 * x
    y = b + b * b
    return viz.backward(y, by=by)


@pytest.mark.parametrize("by", [backward, assigning, double_counting, first_come])
def test_every_stop_shows_what_python_draws(open_view, by):
    view = told(by)
    page = open_view(view)
    lane = view._lanes[0]
    slots = {str(n) for n in lane.found.slots}
    for at, moment in enumerate(lane.moments):
        frame = lane.frame(at)
        boxes, lines = page.evaluate(SHOWN)
        assert page.locator(".mg-say").inner_text() == moment.words
        for n in slots:
            done = "" if int(n) in frame.done else " …"
            none = "ḡ none" if frame.over else "ḡ not yet"
            assert boxes[n] == (f"ḡ {frame.held[int(n)]}{done}" if int(n) in frame.held else none)
        assert {e: text for e, text in lines.items() if text} == {
            str(e): message.value for e, message in frame.messages.items()
        }
        marked = page.evaluate("() => [...document.querySelectorAll('.mg-stage .n.bad')].map(g => +g.dataset.n)")
        assert set(marked) == set(frame.bad)
        if at + 1 < len(lane.moments):
            page.get_by_role("button", name="One step forward").click()


def test_a_card_adds_up_what_arrived_without_the_marks(open_view):
    view = told(double_counting)
    page = open_view(view)
    page.get_by_role("button", name="To the end").click()
    (x,) = (node.id for node in view.trace.nodes if node.name == "x")
    page.locator(f"[data-n='{x}']").click()
    card = page.locator(".mg-card").inner_text()
    assert card.count("from b") == 3 and "42" in card
    assert "This cannot be" in page.locator(".mg-note").inner_text()


def test_the_verdict_is_told_with_the_last_message(open_view):
    x = Number(3.0)
    page = open_view(viz.backward(x * x, by=assigning))
    note = page.locator(".mg-note")
    assert "This cannot be" in note.text_content() and not note.is_visible()
    page.get_by_label("To the end").click()
    assert note.is_visible()
    page.get_by_label("One step back").click()
    assert not note.is_visible()
