"""A report on a nan on the screen: the repaired line is copied with the keyboard; test_hosts does it in notebooks."""

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.lab import new_page, watch

pytestmark = pytest.mark.browser

NEW = "return mg.sum(mg.softplus(z))"


def loss(x, w):
    z = x * w
    return mg.sum(mg.log(1 + mg.exp(z)))


@pytest.fixture
def report():
    mg.remember_lines()
    try:
        tensors = {"x": mg.constant(np.array([50.0, -1.0], np.float32)), "w": mg.constant(np.float32(2.0))}
        yield mg.find_nan(loss(**tensors), names=tensors)
    finally:
        mg.remember_lines(False)


@pytest.fixture
def report_file(tmp_path, report):
    """A page with only the report, which follows the theme of the system."""
    head = '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>report</title>'
    (tmp_path / "report.html").write_text(head + report._repr_html_(), encoding="utf-8")
    return (tmp_path / "report.html").as_uri()


@pytest.fixture
def open_report(page, report_file):
    """Open it, and assert at the end that the page logged no error and made no request."""
    errors, outside = watch(page)

    def open_it():
        page.goto(report_file)
        return page

    yield open_it
    assert errors == []
    assert outside == []


def said(page):
    """What a screen reader announces, once there is something."""
    page.wait_for_function("document.querySelector('.mg-why [role=status]').textContent")
    return page.locator(".mg-why").get_by_role("status").inner_text()


def test_it_shows_line_cause_numbers_and_repair(open_report):
    why = open_report().get_by_role("group", name="Report")
    heads, texts = why.locator("dt").all_inner_texts(), why.locator("dd").all_inner_texts()
    told = dict(zip(heads, texts))
    assert [heads[0], *heads[2:]] == ["write", "after", "before", "checked"]
    assert heads[1].startswith("line ")
    assert told[heads[1]] == "return mg.sum(mg.log(1 + mg.exp(z)))"
    assert told["write"].startswith(NEW)
    assert "nan" in told["before"] and "nan" not in told["after"]
    assert "nan first appears in the backward pass (0 * inf)" in why.inner_text()
    assert why.inner_text().count("exp(100) is larger than 3.4e38") == 1
    assert "The cause is" not in why.inner_text()


def test_the_keyboard_copies_the_repaired_line(open_report):
    for key in ("Enter", "Space"):
        page = open_report()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.evaluate("navigator.clipboard.writeText('')")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"Copy {NEW}"
        page.keyboard.press(key)
        assert said(page) == "Copied."
        assert page.evaluate("navigator.clipboard.readText()") == NEW


REFUSED = {
    "no clipboard": "Object.defineProperty(navigator, 'clipboard', {value: undefined})",
    "not allowed": "navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))",
}


@pytest.mark.parametrize("script", REFUSED.values(), ids=list(REFUSED))
def test_where_the_clipboard_is_refused_the_line_is_selected(browser, report_file, script):
    page = new_page(browser)
    errors, outside = watch(page)
    page.add_init_script(script)
    page.goto(report_file)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert said(page).startswith("Selected")
    assert page.evaluate("getSelection().toString()") == NEW
    assert errors == [] and outside == []
    page.context.close()


def luminance(colour):
    linear = [c / 3294.6 if c <= 10.31 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_text_is_legible_in_light_and_dark(open_report):
    page = open_report()
    for theme, paper in (("light", (255, 255, 255)), ("dark", (18, 18, 18))):
        page.emulate_media(color_scheme=theme)
        behind = [0.09 * red + 0.91 * p for red, p in zip((209, 70, 63), paper)]
        for part in ("p", "dt", "dd", "code", "button"):
            style = "e => [getComputedStyle(e).color, getComputedStyle(e).opacity]"
            colour, opacity = page.locator(f".mg-why {part}").first.evaluate(style)
            ink = [float(n) for n in colour.removeprefix("rgb(").removesuffix(")").split(",")]
            seen = [float(opacity) * i + (1 - float(opacity)) * b for i, b in zip(ink, behind)]
            bright, dim = sorted(map(luminance, (seen, behind)), reverse=True)
            assert (bright + 0.05) / (dim + 0.05) > 4.5, (theme, part)


@pytest.mark.parametrize("name", ["backward", "trace_nan"])
def test_the_picture_has_it_below(open_view, name):
    page = open_view(getattr(viz, name)(loss, x=np.array([50.0, -1.0], np.float32), w=np.float32(2.0)))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name=f"Copy {NEW}").press("Enter")
    assert said(page) == "Copied."
    assert page.locator(".mg-why").bounding_box()["y"] > page.locator(".mg-bar").bounding_box()["y"]


def test_cause_and_line_are_said_once_where_the_picture_has_them_below(open_view):
    page = open_view(viz.backward(loss, x=np.array([50.0, -1.0], np.float32), w=np.float32(2.0)))
    seen = page.locator("body").inner_text()
    assert seen.count("exp(100) is larger than 3.4e38") == 1
    assert seen.count("too large") == 0
    assert seen.count("return mg.sum(mg.log(1 + mg.exp(z)))") == 1
    assert page.locator(".mg-say").inner_text().startswith("A nan first appears at exp: ")
    for way in ("back", "forward"):
        page.get_by_role("button", name=f"One step {way}").click()
    assert page.locator(".mg-say").inner_text().endswith("nan first appears here (0 * inf).")


def test_a_cause_at_another_op_than_the_origin_is_said(open_view):
    page = open_view(viz.trace_nan(lambda x: mg.exp(x) / (1 + mg.exp(x)), x=100.0))
    said = page.locator(".mg-why").inner_text()
    assert "exp computes 2.68812e+43, which is above 3.40282e+38, the largest float32" in said


def test_each_of_two_origins_has_its_reason_on_the_page_once(open_view):
    page = open_view(viz.backward(lambda x, w: mg.log(1 + mg.exp(x)) + mg.log(1 + mg.exp(w * 3.0)), x=100.0, w=50.0))
    slider, told = page.locator("input[type=range]"), []
    for at in range(int(slider.get_attribute("max")) + 1):
        slider.fill(str(at))
        told.append(page.locator(".mg-say").inner_text())
    born = [words.split(". ")[-1] for words in told if "appears here" in words]
    assert born == ["nan first appears here (0 * inf).", "nan also appears here (0 * inf)."]
    reasons = page.locator(".mg-report").text_content()
    assert [reasons.count(f"exp({n}) is larger than 3.4e38") for n in (100, 150)] == [1, 1]
