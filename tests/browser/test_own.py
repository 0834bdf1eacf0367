"""The player of a learner's own pass: the reported messages, one by one, and the marks."""

import pytest

import viz
from tests.helpers.own_engines import Number, assigning, backward, double_counting, first_come

pytestmark = pytest.mark.browser

SAID = "(boxes) => Object.fromEntries(boxes.map((box) => [box.dataset.n, box.ariaLabel.split(', gradient ')[1]]))"
LINES = "(lines) => Object.fromEntries(lines.map((line) => [line.dataset.e, line.getAttribute('class').split(' ')[1]]))"


def told(by):
    x = Number(3.0)
    b = 2 * x
    y = b + b * b
    return viz.backward(y, by=by)


@pytest.mark.parametrize("by", [backward, assigning, double_counting, first_come])
def test_every_stop_shows_what_was_told_and_marks_what_cannot_be(open_view, by):
    view = told(by)
    page = open_view(view)
    lane = view._lanes[0]
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="To the start").click(force=True)
    for at, moment in enumerate(lane.moments):
        frame, last = lane.frame(at), at + 1 == len(lane.moments)
        assert page.locator(".mg-say").inner_text() == ((last and view.point) or moment.words)
        said = page.locator(".mg-stage .n[aria-label*=', gradient ']").evaluate_all(SAID)
        for n, text in said.items():
            held, more = frame.held.get(int(n)), "…" * (int(n) in frame.late)  # more messages arrive later
            assert text == (f"{held}{more}" if held else "none" if frame.over else "none yet")
        lines = page.locator(".mg-stage path.e").evaluate_all(LINES)
        drawn = {e for e in frame.messages if str(e) in lines}  # a constant in a box has no line
        assert {int(e) for e, look in lines.items() if look != "no"} == drawn
        wrong = {e for e, message in frame.messages.items() if "≠" in message.value}
        assert {int(e) for e, look in lines.items() if look == "bad"} == wrong
        assert sum("≠" in text for text in page.locator(".mg-stage text.lv").all_text_contents()) == len(wrong)
        marked = page.locator(".mg-stage .n.isbad").evaluate_all("(boxes) => boxes.map((box) => +box.dataset.n)")
        arrived = [moment.message for moment in lane.moments[: at + 1] if moment.message]
        spoilt = {message.send.to: message.spoils for message in arrived}
        assert set(marked) == {n for n, spoils in spoilt.items() if spoils}
        if not last:
            page.get_by_role("button", name="One step forward").click()


def test_a_card_adds_up_what_arrived_without_the_marks(open_view):
    view = told(double_counting)
    page = open_view(view)
    page.get_by_role("button", name="More").click()
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
    page.get_by_label("More").click()
    page.get_by_label("To the end").click()
    assert note.is_visible()
    page.get_by_label("One step back").click()
    assert not note.is_visible()
