"""The nudge in a browser: a slider moves the input, and the picture is read backwards; wide, and on a phone."""

import pytest

import viz
from tests.browser.test_widgets_play import run
from tests.viz.views.test_nudge import square_plus

pytestmark = pytest.mark.browser


def opened(page, tmp_path):
    viz.nudge(square_plus, x=3.0).to_html(tmp_path / "nudge.html")
    page.goto((tmp_path / "nudge.html").as_uri())
    page.wait_for_selector(".mg-bar")
    return page


@pytest.mark.smoke
def test_keys_nudge_and_read_backwards(page, tmp_path):
    opened(page, tmp_path)
    say, slider = page.locator(".mg-say"), page.get_by_label("Nudge of x")
    assert say.inner_text().startswith("x moves by +0.3, add by +2.19: 7.3 times as far.")
    slider.press("Home")
    assert say.inner_text().startswith("x moves by -0.5, add by -3.25: 6.5 times as far.")
    slider.press("ArrowRight")
    assert page.locator(".mg-count").inner_text() == slider.get_attribute("aria-valuetext") == "-0.475"
    page.get_by_role("button", name="Read backwards").press("Enter")
    assert say.inner_text().endswith("x gets 3 + 3 + 1 = 7.") and page.locator(".rib.back").count() == 4
    slider.press("End")
    assert page.locator(".rib.back").count() == 0  # a nudge goes forwards


def test_the_result_is_below_where_the_page_is_narrow(page, tmp_path):
    size = lambda: page.locator(".mg-stage svg").evaluate("s => [s.width.baseVal.value, s.height.baseVal.value]")
    opened(page, tmp_path)
    wide, high = size()
    assert wide > high
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function(
        "(s => s.height.baseVal.value > s.width.baseVal.value)(document.querySelector('.mg-stage svg'))"
    )
    assert size()[0] <= 360


def test_a_saved_notebook_is_nudged_without_a_kernel(lab):
    notebook = run(lab, "nudge.ipynb", "viz.nudge(lambda x: x * x + x, x=3.0)")
    page = notebook.page
    slider = page.get_by_label("Nudge of x")
    slider.press("End")
    page.locator(".mg-say", has_text="x moves by +0.5, add by +3.75").wait_for()
    notebook.do("await session.session.kernel.shutdown()")
    slider.press("Home")
    page.locator(".mg-say", has_text="x moves by -0.5, add by -3.25").wait_for()
    assert notebook.console_errors == []
