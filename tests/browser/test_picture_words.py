"""The widths by which the drawing code chooses its words are those of the browser."""

from tests.helpers.pictures import every_view
from viz.render.document import picture_style, wrap
from viz.scene.sheet import HEAVY
from viz.scene.words import wide


def test_no_word_is_wider_than_the_drawing_code_takes_it_for(page):
    figures = []
    for view in every_view().values():
        for lane in view._lanes:
            state = lane.state(len(lane.moments) - 1)
            for width, zoom in ((360, 1.0), (850, 1.0), (850, 2.2)):
                body = lane.scene.draw({**lane.window(width), "zoom": zoom}, state)
                figures.append(wrap(body, width, lane.scene.bottom, "u", "", ""))
    page.set_content(f"<style>{picture_style()}</style>{''.join(figures)}")
    found = page.evaluate(
        "[...document.querySelectorAll('text')].map((t) => [t.textContent, t.classList[0], t.classList.contains('sm'),"
        " getComputedStyle(t).fontSize, t.getComputedTextLength()])"
    )
    assert len(found) > 2000
    for words, look, small, size, width in found:
        assert size == ("11px" if small else "12px")
        assert width <= wide(words, 11 if small else 12, look in HEAVY) + 1, words
