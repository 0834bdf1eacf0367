"""A page that reads from right to left: pictures in it are as in any other page."""

import pytest

import minigrad as mg
import viz
from minigrad.classroom.examination import examine
from minigrad.classroom.exercises import Exercise
from tests.browser.lab import rests
from viz.render.tensor_table import tensor_html

pytestmark = pytest.mark.browser

VIEWS = {
    "backward": lambda: viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=1.0),
    "nudge": lambda: viz.nudge(lambda x: x * x, x=3.0),
    "source": lambda: viz.source(lambda x: mg.sin(x) * x, 3.0),
}
#: Each text and its edges, from the left edge of the picture: a picture that is too wide leaves a page on another side.
PLACES = """() => {
    const from = document.querySelector('.place svg').getBoundingClientRect().left;
    return [...document.querySelectorAll('.place :is(text, button)')]
        .filter((e) => e.checkVisibility() && e.textContent.trim())
        .map((e) => [e.textContent, e.getBoundingClientRect()])
        .map(([text, at]) => [text, Math.round(at.left - from), Math.round(at.right - from)]);
}"""


ASKED = Exercise("slope_at_3", 1, None, ())


@pytest.mark.parametrize("name", [*VIEWS, "svg"])
def test_texts_stand_where_they_stand_from_left_to_right(browser, name):
    html = VIEWS["backward"]().to_svg() if name == "svg" else VIEWS[name]()._repr_mimebundle_()["text/html"]
    page = browser.new_page(viewport={"width": 800, "height": 700})
    places = {}
    for direction in ("ltr", "rtl"):
        page.set_content(f'<!doctype html><html dir={direction}><body><div class="place" style="width: 700px; '
                         f'position: absolute; left: 20px">{html}</div></body></html>')  # fmt: skip
        rests(page)
        places[direction] = page.evaluate(PLACES)
    page.close()
    assert places["ltr"] and places["rtl"] == places["ltr"]


def test_numbers_and_code_run_from_left_to_right(browser):
    x = mg.constant([[0.0, 1.0]])
    y = mg.sum(mg.sqrt(x))
    pairs = viz.matrices(yours=x, true=x)._repr_mimebundle_()["text/html"]
    parts = [tensor_html(x), mg.messages(y)._repr_html_(), mg.saved(y)._repr_html_(), pairs]
    parts.append(mg.find_nan(mg.sum(mg.sqrt(x) * 0.0))._repr_html_())
    parts.append(examine(ASKED, "6").to_html())
    page = browser.new_page()
    page.set_content(f"<!doctype html><html dir=rtl><body>{''.join(map('<section>{}</section>'.format, parts))}")
    script = "e => e.map(e => getComputedStyle(e.querySelector('td, pre, dd, code, p') ?? e).direction)"
    directions = page.eval_on_selector_all("section", script)
    page.close()
    assert directions == ["ltr"] * len(parts)
