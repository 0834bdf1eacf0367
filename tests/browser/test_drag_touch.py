"""A finger drags a number and types one; the page scrolls only if nothing is dragged."""

import pytest

import minigrad as mg
import viz
from tests.browser.lab import new_page, watch

pytestmark = pytest.mark.browser


BOX = ".mg-stage .n[aria-label^='x ']"


@pytest.fixture
def phone(browser, tmp_path):
    """A narrow page with a touch screen, long enough to scroll, and a function that sends touches to it."""
    page = new_page(
        browser, has_touch=True, is_mobile=True, reduced_motion="reduce", viewport={"width": 420, "height": 500}
    )
    errors, outside = watch(page)
    view = viz.backward(lambda x, w: mg.exp(x * w), x=2.0, w=0.5)
    html = view.to_html().replace("</body>", "<div style='height:3000px'></div></body>")
    (tmp_path / "view.html").write_text(html, encoding="utf-8")
    page.goto((tmp_path / "view.html").as_uri())
    page.get_by_role("button", name="More").tap()
    page.wait_for_selector(".mg-field")
    touches = page.context.new_cdp_session(page)

    def swipe(target, dx, dy):
        """A finger goes down in the middle of a target, moves in ten steps, and goes up."""
        box = target.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        send = lambda kind, *points: touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [*points]})
        send("touchStart", {"x": x, "y": y})
        for k in range(1, 11):
            send("touchMove", {"x": x + dx * k / 10, "y": y + dy * k / 10})
        send("touchEnd")

    yield page, swipe
    assert errors == [] and outside == []
    page.context.close()


def scrolled(page):
    return page.evaluate("[scrollX, scrollY, document.querySelector('.mg-stage').scrollLeft]")


@pytest.mark.parametrize("target", [".mg-field", BOX])
def test_a_finger_that_moves_sideways_drags_and_nothing_scrolls(phone, target):
    page, swipe = phone
    target = page.locator(target).first
    target.scroll_into_view_if_needed()
    before, count = scrolled(page), page.locator(".mg-count").inner_text()
    swipe(target, 60, 20)
    page.wait_for_function("+document.querySelector('.mg-field').value >= 2.5")
    assert float(page.locator(".mg-field").first.input_value()) <= 2.6
    page.wait_for_function("document.querySelector('.mg-say').getAttribute('aria-live') === 'polite'")
    assert scrolled(page) == before
    assert page.locator(".mg-count").inner_text() == count


@pytest.mark.parametrize("target", [".mg-field", BOX])
def test_a_finger_that_moves_up_scrolls_the_page_and_changes_nothing(phone, target):
    page, swipe = phone
    swipe(page.locator(target).first, 0, -150)
    page.wait_for_function("scrollY > 50")
    assert page.locator(".mg-field").first.input_value() == "2"
    assert page.locator(".mg-scrubbing").count() == 0
    assert page.locator(".mg-say").get_attribute("aria-live") == "polite"


def test_the_number_in_a_box_is_a_target_of_44_pixels_for_a_finger_and_24_for_a_mouse(phone, open_view):
    page, _ = phone
    target = page.locator(f"{BOX} .et")
    size = target.bounding_box()
    assert size["width"] >= 44 and size["height"] >= 44
    for y in (4, 40):  # all of it opens the field
        target.tap(position={"x": size["width"] / 2, "y": y})
        page.wait_for_function("document.activeElement.ariaLabel === 'x'")
        page.evaluate("document.activeElement.blur()")
    assert page.locator(".mg-field").first.bounding_box()["height"] >= 44
    desk = open_view(viz.backward(mg.exp, x=2.0))
    assert desk.locator(f"{BOX} .et").bounding_box()["height"] >= 24


def test_a_tap_opens_the_keyboard_for_numbers_and_what_is_typed_is_taken(phone):
    page, _ = phone
    field = page.get_by_role("spinbutton", name="x", exact=True)
    field.tap()
    assert field.evaluate("f => f === document.activeElement") and field.get_attribute("inputmode") == "decimal"
    field.fill("4")
    page.locator(".mg-say").tap()
    assert field.get_attribute("aria-valuetext") == "4"
    assert page.locator(".mg-stage .n[aria-label^='exp, value 7.389']").is_visible()
