"""viz.play in a real JupyterLab: sliders, menus, clicks, links, and how fast the picture follows."""

import pytest

from tests.browser.lab import ROOT

pytestmark = pytest.mark.browser

SETUP = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import ipywidgets, minigrad as mg, viz

@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

def sixty(x, w):
    h = x
    for _ in range(15):
        h = mg.tanh(h * w) + mg.sin(h)
    return h
"""


def run(lab, name, *cells):
    notebook = lab.open(lab.write(name, [SETUP, *cells]))
    assert notebook.run_all()
    notebook.page.wait_for_selector(".mg-live")
    return notebook


def test_sliders_menus_clicks_and_steps(lab):
    notebook = run(lab, "play.ipynb", "w = viz.play(log1pexp, x=(-50, 150))\nclicks = []\nw.on_click(clicks.append)\nw")
    page = notebook.page
    page.get_by_role("spinbutton", name="x, exact").fill("100")
    page.keyboard.press("Enter")
    page.get_by_text("= 100").first.wait_for()
    page.get_by_role("combobox", name="rule").select_option("derived")
    page.locator(".mg-stage .n.leaf.bad").wait_for()
    page.get_by_role("combobox", name="dtype").select_option("float64")
    page.wait_for_function("!document.querySelector('.mg-stage .n.bad')")
    page.locator('.mg-stage [data-n="1"]').first.click()
    page.get_by_role("button", name="To the start").click(force=True)
    page.get_by_role("button", name="One step forward").click()
    notebook.run_until("print(clicks, w.selected, w.step, w.x, w.dtype, w.rule)", "[1] 1 0 100.0 float64 derived")
    notebook.run_until("w.step = 2\nprint('moved')", "moved")
    page.wait_for_function("document.querySelector('.mg-count').textContent === 'step 3 of 4'")
    notebook.run_until("@w.rule_of\ndef mine(dy, x):\n    return dy * 7.0\nprint(w.rule)", "mine")
    page.get_by_text("ḡ 7").first.wait_for()
    assert page.get_by_role("combobox", name="rule").input_value() == "mine"
    notebook.screenshot("play")
    notebook.set_theme(dark=True)
    notebook.page.wait_for_selector(".jp-Splash", state="detached")
    notebook.screenshot("play-dark")
    assert notebook.console_errors == [] and notebook.outside_requests == []


def test_the_keyboard_moves_the_slider_and_the_slider_stays_focused(lab):
    notebook = run(lab, "keys.ipynb", "w = viz.play(lambda x: x * x, x=(0, 4))\nw")
    page = notebook.page
    page.get_by_role("slider", name="x", exact=True).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.value === '2.03'")
    page.get_by_text("= 2.03").first.wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "x"


def test_a_negative_zero_is_the_zero_that_python_receives(lab):
    notebook = run(lab, "zero.ipynb", "viz.play(lambda x: 1 / x, x=(-1.0, 2.0))")
    page = notebook.page
    page.get_by_role("spinbutton", name="x, exact").fill("-0")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="divide, value inf", exact=True).wait_for()


def test_it_is_linked_with_other_widgets(lab):
    cells = (
        "w = viz.play(lambda x: x * x, x=(0, 4))\nw",
        "s = ipywidgets.FloatSlider(min=0, max=4, step=0.5)\nipywidgets.jslink((w, 'x'), (s, 'value'))\ns",
        "ipywidgets.interact(lambda x: setattr(w, 'x', x), x=(0.0, 4.0, 0.5));",
    )
    notebook = run(lab, "links.ipynb", *cells)
    page = notebook.page
    page.get_by_role("spinbutton", name="x, exact").fill("3.5")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "[...document.querySelectorAll('.widget-readout')].some(e => e.textContent.trim() === '3.50')"
    )
    assert notebook.console_errors == []


def test_the_picture_of_sixty_ops_follows_every_move_of_a_slider(lab):
    notebook = run(lab, "speed.ipynb", "viz.play(sixty, x=(-2.0, 2.0), w=1.5)")
    times = notebook.do(
        """
            const slider = document.querySelector(".mg-live input[type=range]"), times = [];
            const shown = () => document.querySelector(".mg-stage").textContent;
            const svg = document.querySelector(".mg-stage svg");
            for (let i = 0; i < 24; i++) {
                const old = shown(), begin = performance.now();
                slider.value = -1.5 + i * 0.1;
                slider.dispatchEvent(new Event("input"));
                while (shown() === old) await new Promise((r) => setTimeout(r, 1));
                await new Promise(requestAnimationFrame);
                times.push(performance.now() - begin);
                await new Promise((r) => setTimeout(r, 60));
            }
            if (document.querySelector(".mg-stage svg") !== svg) throw new Error("Python drew the picture again");
            return times.slice(4).sort((a, b) => a - b);
        """
    )
    middle = times[len(times) // 2]
    print(f"round trip: median {middle:.0f} ms, of {len(times)} from {times[0]:.0f} to {times[-1]:.0f} ms")
    notebook.page.get_by_text("0.8", exact=True).first.wait_for()  # where the slider went


def test_what_the_page_cannot_follow_python_draws(lab):
    source = "w = viz.play(lambda x: x * x if x > 1 else mg.exp(x), x=(0.0, 4.0))\nw"
    notebook = run(lab, "fallback.ipynb", source)
    page, exact = notebook.page, notebook.page.get_by_role("spinbutton", name="x, exact")
    for value, op, shown in (("3", "multiply", "= 9"), ("0.5", "exp", "= 1.649"), ("0.25", "exp", "= 1.284")):
        exact.fill(value)
        exact.press("Enter")
        page.locator(".mg-stage .n").filter(has_text=op).filter(has_text=shown).wait_for()
        assert page.locator(".mg-strayed").count() == 0
    assert page.locator(".mg-field:visible").count() == 0  # the sliders are the fields
    notebook.run_until("print(w.trace.nodes[0].value, w.x)", "0.25 0.25")
    assert notebook.console_errors == []


def test_a_saved_widget_shows_its_view_where_no_kernel_answers(lab):
    notebook = run(lab, "reopened.ipynb", "viz.play(log1pexp, x=(50.0, 150.0))", "viz.backward(mg.sin, x=1.0).widget()")
    notebook.page.wait_for_function("document.querySelectorAll('.mg-bar:not(.mg-live)').length === 4")
    assert [bar.is_visible() for bar in notebook.page.locator("[data-saved] .mg-bar").all()] == [False, False]
    path = notebook.save()
    notebook.close()
    page = lab.open(path).page
    page.wait_for_function("document.querySelectorAll('.mg-bar').length === 2")
    page.get_by_role("button", name="To the start").first.click(force=True)
    assert "Start: the adjoint" in page.locator(".mg-say").first.inner_text()
