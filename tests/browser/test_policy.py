"""The player in a page that allows scripts, but no code made from text."""

import pytest

import minigrad as mg
import viz
from tests.browser.lab import watch

pytestmark = [pytest.mark.browser, pytest.mark.smoke]

POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; {}">"""


def test_the_player_and_its_fields_run_without_eval(page, tmp_path):
    errors, outside = watch(page)
    html = viz.backward(lambda x, w: mg.exp(x * w), x=2.0, w=0.5).to_html()
    policy = POLICY.format("style-src 'unsafe-inline'; img-src data:")
    attempt = "<script>try{window.made=new Function('return 1')()}catch{window.made=0}</script>"
    (tmp_path / "view.html").write_text(html.replace("<head>", f"<head>{policy}{attempt}"), encoding="utf-8")
    page.goto((tmp_path / "view.html").as_uri())
    page.get_by_role("button", name="More").click()
    field = page.get_by_role("spinbutton", name="x", exact=True)
    field.fill("4")
    field.press("Enter")
    assert page.locator(".mg-stage .n[aria-label='x (input), value 4, gradient 3.695']").count() == 1
    assert page.evaluate("made") == 0
    assert [e for e in errors if "eval" not in e] == [] and outside == []
