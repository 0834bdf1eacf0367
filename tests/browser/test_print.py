"""Pictures on paper and on a projector."""

import re

import pytest

import minigrad as mg
import viz
from tests.browser.gallery import log1pexp, many
from tests.browser.test_player_zoom import FAULTS

pytestmark = pytest.mark.browser

CLIPPED = """() => [...document.querySelectorAll('.mg-stage, .mg-code, table, pre, .mg-say')].filter(e =>
    e.getClientRects().length && (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible'
    || e.getBoundingClientRect().right > innerWidth + 1)).map(e => e.className || e.tagName)"""


def chain(x, w, turns=20):
    for _ in range(turns):
        x = mg.tanh(x * w)
    return x


@pytest.mark.parametrize("kind", ["wide", pytest.param("open frame", marks=pytest.mark.smoke), *range(7)])
def test_paper_shows_the_whole_picture_in_light_and_no_buttons(open_view, kind):
    page = open_view(
        viz.backward(chain, x=0.5, w=1.5) if kind == "wide" else many()[4 if kind == "open frame" else kind]
    )
    if kind == "open frame":
        page.locator(".n[aria-expanded=false]:visible").nth(1).click()
        assert page.evaluate(FAULTS) == []
    page.emulate_media(media="print", color_scheme="dark")
    for paper, width in (("A4", 718), ("Letter", 740)):
        page.set_viewport_size({"width": width, "height": 900})
        assert not page.locator(".mg-bar").first.is_visible()
        assert page.evaluate(CLIPPED) == []
        fill = "getComputedStyle(document.querySelector('.mg-stage svg .paper')).fill"
        assert page.evaluate(fill) == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.locator(".mg-stage svg").bounding_box()["width"] <= width
        pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper, print_background=True)))
        assert 1 <= pages <= 3


@pytest.mark.parametrize("paper, width, height", [("A4", 718, 1047), ("Letter", 740, 979)])
def test_a_tall_picture_is_scaled_to_one_page(open_view, paper, width, height):
    view = viz.backward(lambda x, **w: chain_of(x, w.values()), x=0.5, **{f"w{k}": 1 + 0.1 * k for k in range(30)})
    assert view._lanes[0].layout.height > 1.5 * view._lanes[0].layout.width
    page = open_view(view)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": width, "height": height})
    drawn = page.locator(".mg-stage svg").bounding_box()
    below = page.locator(".mg-key").bounding_box()
    assert drawn["height"] <= height and drawn["width"] <= width
    assert drawn["y"] + drawn["height"] <= below["y"] + 1
    looks = "getComputedStyle(document.querySelector('.mg-stage svg'))"
    assert page.evaluate(f"[{looks}.breakInside, {looks}.maxHeight]") == ["avoid", f"{0.84 * height:g}px"]
    sheet = page.pdf(format=paper, margin=dict.fromkeys(("top", "right", "bottom", "left"), "1cm"))
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1  # the sentence, the picture and the notes


def chain_of(x, weights):
    for w in weights:
        x = mg.tanh(x * w)
    return x


@pytest.mark.parametrize("kind", ["small", "lines", "many"])
def test_on_a_projector_words_are_large_where_there_is_room_and_small_pictures_can_be_enlarged(open_view, kind):
    view = {
        "small": lambda: viz.backward(log1pexp, x=1.0),
        "lines": lambda: viz.backward(lambda x, w: chain(x, w, 12), x=0.5, w=1.5),
        "many": lambda: viz.backward(chain, x=0.5, w=1.5),
    }[kind]()
    assert (len(view._lanes[0].drawing.boxes) > 40) == (kind == "many")
    page = open_view(view)
    size = """(css) => { const e = document.querySelector(css), svg = e.closest(".mg-stage svg");
        const zoom = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
        return parseFloat(getComputedStyle(e).fontSize) * zoom; }"""
    assert min(page.evaluate(size, css) for css in (".mg-say", ".mg-count")) >= 14
    drawn = min(page.evaluate(size, css) for css in (".mg-stage .h", ".mg-stage .m"))
    assert drawn >= 11 if kind == "many" else drawn >= 14
    before = page.locator(".mg-stage svg").bounding_box()["width"]
    assert before <= page.locator(".mg-stage").evaluate("e => e.clientWidth")
    page.get_by_role("button", name="Fit").click()
    assert kind != "small" or page.locator(".mg-stage svg").bounding_box()["width"] > before
    stage = page.locator(".mg-stage").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert stage[0] <= stage[1]
