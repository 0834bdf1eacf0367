"""The player in a real JupyterLab: live, saved, reopened with and without trust, and exported."""

import json
import subprocess
import sys

import pytest

from tests.browser.lab import ROOT, watch

pytestmark = pytest.mark.browser

SETUP = f"""
import sys
sys.path.append({str(ROOT)!r})
import minigrad as mg, viz

@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    def grad(dy):
        return dy * (1 - 1 / (1 + e))
    return mg.log(1 + e), grad
"""
PLAIN = "x = mg.constant(100.0)\ny = mg.log(1 + mg.exp(x))\nviz.backward(y)"
COMPARE = "viz.compare(log1pexp, 100.0)"
SOURCE = "viz.source(lambda x, w: mg.tanh(x * w), x=1.0, w=0.5)"


def run(lab, name, *cells):
    notebook = lab.open(lab.write(name, [SETUP, *cells]))
    assert notebook.run_all()
    notebook.page.wait_for_selector(".mg-bar")
    return notebook


def count(notebook):
    return notebook.page.locator(".mg-count").first.inner_text()


def cells(notebook):
    return notebook.page.locator(".jp-Cell").count()


def test_it_plays_live_and_its_keys_are_its_own(lab):
    notebook = run(lab, "live.ipynb", PLAIN)
    page = notebook.page
    before = cells(notebook)
    page.get_by_role("button", name="To the start").click(force=True)
    page.get_by_role("button", name="Play").focus()
    for key in ("b", "a", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert cells(notebook) == before
    assert count(notebook) == "step 3 of 4"
    assert "nan is born here (0 * inf)" in page.locator(".mg-say").inner_text()
    page.locator('.mg-stage [data-n="1"]').click()
    page.keyboard.press("b")
    assert cells(notebook) == before
    assert "value" in page.locator(".mg-card").inner_text()
    assert notebook.console_errors == [] and notebook.outside_requests == []


def test_it_follows_the_theme_at_once(lab):
    notebook = run(lab, "theme.ipynb", COMPARE)
    paper = "getComputedStyle(document.querySelector('.mg-stage svg .paper')).fill"
    assert notebook.page.evaluate(paper) == "rgb(255, 255, 255)"
    notebook.set_theme(dark=True)
    notebook.page.wait_for_function(f"{paper} === 'rgb(20, 24, 31)'")
    whole = "getComputedStyle(document.querySelector('.jp-OutputArea-output .mg-view')).backgroundColor"
    assert notebook.page.evaluate(whole) == "rgb(20, 24, 31)"
    notebook.page.wait_for_selector(".jp-Splash", state="detached")
    notebook.screenshot("lab-dark")


def test_saved_it_plays_again_without_being_run(lab):
    with run(lab, "saved.ipynb", PLAIN, COMPARE, SOURCE) as notebook:
        path = notebook.save()
    reopened = lab.open(path)
    page = reopened.page
    page.wait_for_selector(".mg-code")
    assert page.locator(".mg-bar").count() == 3
    page.get_by_role("button", name="To the start").first.click(force=True)
    assert count(reopened) == "step 0 of 4"
    page.get_by_role("option", name="np.tanh").first.click()
    assert page.locator(".mg-stage .lit").filter(has_text="tanh").count() == 1
    assert reopened.console_errors == []


def test_without_trust_the_picture_the_table_and_the_text_remain(lab):
    with run(lab, "mine.ipynb", PLAIN, COMPARE, SOURCE) as notebook:
        content = json.loads(notebook.save().read_text(encoding="utf-8"))
    content["cells"][0]["source"] += "\n# as it came from somebody else"
    path = lab.folder / "theirs.ipynb"
    path.write_text(json.dumps(content), encoding="utf-8")
    reopened = lab.open(path)
    page = reopened.page
    image = page.locator(".jp-OutputArea-output img").first
    image.wait_for()
    box = image.bounding_box()
    assert box["width"] > 300 and box["height"] > 60
    assert page.locator(".mg-bar").count() == 0
    assert "nan born" in page.locator(".jp-OutputArea-output pre").first.text_content()
    assert "d_x = d_multiply * w" in page.locator(".jp-OutputArea-output pre").last.text_content()
    assert "the custom rule repairs nan" in page.locator(".jp-OutputArea-output table").inner_text()
    reopened.screenshot("lab-untrusted")


def test_without_trust_a_wide_picture_keeps_its_size_and_scrolls(lab):
    chain = "h = x = mg.constant(0.5)\nfor _ in range(15):\n    h = mg.tanh(h) + mg.sin(h)\nviz.backward(h)"
    with run(lab, "wide.ipynb", chain) as notebook:
        content = json.loads(notebook.save().read_text(encoding="utf-8"))
    content["cells"][0]["source"] += "\n# as it came from somebody else"
    path = lab.folder / "their wide one.ipynb"
    path.write_text(json.dumps(content), encoding="utf-8")
    page = lab.open(path).page
    page.set_viewport_size({"width": 900, "height": 800})
    image = page.locator(".jp-OutputArea-output img")
    image.wait_for()
    sizes = image.evaluate("(i) => [i.getBoundingClientRect().width, i.naturalWidth, i.parentElement.clientWidth]")
    assert sizes[0] == sizes[1] > sizes[2]


def test_every_view_is_exported(lab, page, tmp_path):
    cells = (
        "viz.curves(log1pexp, x=(-50, 150))",
        "viz.jacobian(mg.sin, [1.0, 2.0])",
        "viz.play(log1pexp, x=(-50, 150))",
        SOURCE,
    )
    notebook = run(lab, "views.ipynb", PLAIN, *cells, "viz.trace_nan(y)", "%load_ext viz\nx")
    notebook.page.wait_for_selector(".mg-live")
    command = ["jupyter", "nbconvert", "--to", "html", "--output-dir", str(tmp_path), str(notebook.save())]
    subprocess.run([sys.executable, "-m", *command], check=True, capture_output=True)
    page.context.set_offline(True)
    page.goto((tmp_path / "views.html").as_uri())
    page.wait_for_function("document.querySelectorAll('.mg-bar').length === 4")
    assert page.get_by_role("option", name="np.tanh").first.is_visible()
    assert page.locator("img[alt^='log1pexp for x']").count() == 1
    assert page.locator("img[alt^='Jacobian of sin']").count() == 1
    page.get_by_text("float32, an input").wait_for()


def test_exported_to_html_it_plays_without_a_network(lab, page, tmp_path):
    with run(lab, "export.ipynb", PLAIN, COMPARE) as notebook:
        path = notebook.save()
    command = ["jupyter", "nbconvert", "--to", "html", "--output-dir", str(tmp_path), str(path)]
    subprocess.run([sys.executable, "-m", *command], check=True, capture_output=True)
    errors, _ = watch(page)
    page.context.set_offline(True)
    page.goto((tmp_path / "export.html").as_uri())
    page.wait_for_selector(".mg-bar")
    assert page.locator(".mg-bar").count() == 2
    page.get_by_role("button", name="To the start").first.click(force=True)
    page.get_by_role("button", name="One step forward").first.click()
    assert page.locator(".mg-count").first.inner_text() == "step 1 of 4"
    assert not [error for error in errors if "ERR_INTERNET_DISCONNECTED" not in error]


def test_the_widget_hears_clicks_and_moves_with_python(lab):
    cells = [
        PLAIN.replace("viz.backward(y)", "w = viz.backward(y).widget()\nw"),
        "clicks = []\nw.on_click(clicks.append)",
        "w.stop = 2",
    ]
    notebook = run(lab, "widget.ipynb", *cells)
    page = notebook.page
    page.wait_for_function("document.querySelector('.mg-count').textContent === 'step 2 of 4'")
    page.locator('.mg-stage [data-n="1"]').first.click()
    page.get_by_role("button", name="One step forward").click()
    notebook.run_until("print(clicks, w.selected, w.stop)", "[1] 1 3")
    assert notebook.console_errors == []
