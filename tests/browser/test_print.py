"""Pictures on paper."""

import re

import pytest

import minigrad as mg
import viz
from tests.browser.gallery import many
from tests.browser.test_labels import FAULTS

pytestmark = pytest.mark.browser

CLIPPED = """() => [...document.querySelectorAll('.mg-stage, .mg-code, table, pre, .mg-say')].filter(e =>
    e.getClientRects().length && (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible'
    || e.getBoundingClientRect().right > innerWidth + 1)).map(e => e.className || e.tagName)"""


def chain(x, w, turns=20):
    for _ in range(turns):
        x = mg.tanh(x * w)
    return x


def layer(x, turns=20):
    for _ in range(turns):
        x = mg.tanh(x * 0.9)
    return x


def layers():
    return viz.backward(lambda x: layer(layer(x)), x=0.5, fold="layer")


@pytest.mark.parametrize("kind", ["wide", pytest.param("open frame", marks=pytest.mark.smoke), *range(7)])
def test_paper_shows_the_whole_picture_in_light_and_no_buttons(open_view, kind):
    views = {"wide": lambda: viz.backward(chain, x=0.5, w=1.5), "open frame": layers}
    page = open_view(views[kind]() if kind in views else many()[kind])
    if kind == "open frame":
        page.locator(".f[aria-expanded=false]").nth(1).click()
        assert page.evaluate(FAULTS) == []
    page.emulate_media(media="print", color_scheme="dark")
    for paper, width in (("A4", 718), ("Letter", 740)):
        page.set_viewport_size({"width": width, "height": 900})
        assert not page.locator(".mg-bar").first.is_visible()
        assert page.evaluate(CLIPPED) == []
        fill = "getComputedStyle(document.querySelector('.mg-stage svg .paper')).fill"
        assert page.evaluate(fill) == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert max(svg.bounding_box()["width"] for svg in page.locator(".mg-stage svg").all()) <= width
        pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper, print_background=True)))
        assert 1 <= pages <= 3


@pytest.mark.parametrize("paper, width, height", [("A4", 718, 1047), ("Letter", 740, 979)])
def test_a_tall_picture_is_scaled_to_one_page(open_view, paper, width, height):
    view = viz.backward(lambda x, **w: chain_of(x, w.values()), x=0.5, **{f"w{k}": 1 + 0.1 * k for k in range(30)})
    page = open_view(view)
    page.set_viewport_size({"width": 390, "height": 844})
    stage = "document.querySelector('.mg-stage svg').getBoundingClientRect()"
    page.wait_for_function(f"(({{ width, height }}) => width < 390 && height > 1.5 * width)({stage})")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": width, "height": height})
    drawn = page.locator(".mg-stage svg").bounding_box()
    assert drawn["height"] <= height and drawn["width"] <= width
    looks = "getComputedStyle(document.querySelector('.mg-stage svg'))"
    assert page.evaluate(f"[{looks}.breakInside, {looks}.maxHeight]") == ["avoid", f"{0.84 * height:g}px"]
    sheet = page.pdf(format=paper, margin=dict.fromkeys(("top", "right", "bottom", "left"), "1cm"))
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1  # the sentence, the picture and the notes


def chain_of(x, weights):
    for w in weights:
        x = mg.tanh(x * w)
    return x


def test_of_a_picture_that_is_near_paper_shows_the_whole(open_view):
    page = open_view(viz.backward(chain, x=0.5, w=1.5))
    page.get_by_role("button", name="Nearer (+)").click()
    assert page.locator(".mg-stage .map").is_visible()
    page.emulate_media(media="print")
    assert not page.locator(".mg-stage .map").is_visible()
    page.emulate_media(media="screen")
    page.pdf()
    assert page.locator(".mg-stage .map").count() == 0, "the whole is printed, and stays"
