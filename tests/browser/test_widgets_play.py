"""Widgets in a real JupyterLab: sliders, menus, clicks, links, and that the picture follows every move."""

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
CELLS = {
    "play": "w = viz.play(log1pexp, x=(-50, 150))\nclicks = []\nw.on_click(clicks.append)\nw",
    "keys": "viz.play(lambda x: x * x, x=(0, 4))",
    "zero": "viz.play(lambda x: 1 / x, x=(-1.0, 2.0))",
    "linked": "v = viz.play(lambda x: x * x, x=(0, 4))\nv",
    "slider": "s = ipywidgets.FloatSlider(min=0, max=4, step=0.5)\nipywidgets.jslink((v, 'x'), (s, 'value'))\ns",
    "interact": "ipywidgets.interact(lambda x: setattr(v, 'x', x), x=(0.0, 4.0, 0.5));",
    "sixty": "viz.play(sixty, x=(-2.0, 2.0), w=1.5)",
    "decides": "d = viz.play(lambda x: x * x if x > 1 else mg.exp(x), x=(0.0, 4.0))\nd",
    "led": "led = viz.play(lambda x: x * x if x < 3 else mg.exp(x), x=(0, 4))\ns2 = ipywidgets.FloatSlider(max=4)\n"
    "ipywidgets.link((s2, 'value'), (led, 'x'))\nled",
    "backward": "b = viz.backward(log1pexp(mg.constant(100.0))).widget()\nchosen = []\nb.on_click(chosen.append)\nb",
    "moved": "b.stop = 1",
}


def run(lab, name, *cells, fresh=False):
    notebook = lab.open(lab.write(name, [SETUP, *cells]), fresh)
    assert notebook.run_all()
    notebook.page.wait_for_selector(".mg-bar")
    return notebook


@pytest.mark.smoke
def test_sliders_menus_clicks_keys_and_links(lab, subtests):
    notebook = run(lab, "widgets.ipynb", *CELLS.values())
    page = notebook.page

    def of(kind):
        output = page.locator(".jp-CodeCell").nth(1 + [*CELLS].index(kind)).locator(".jp-OutputArea-output")
        return output.first

    def type_exactly(kind, number):
        exact = of(kind).get_by_role("spinbutton", name="x, exact")
        exact.fill(number)
        exact.press("Enter")

    of("backward").locator(".mg-bar").wait_for()

    with subtests.test("sliders, menus, clicks and steps"):
        shown = of("play")
        type_exactly("play", "100")
        shown.get_by_text("= 100").first.wait_for()
        shown.get_by_role("combobox", name="rule").select_option("derived")
        shown.locator(".mg-stage .n.leaf.isbad").first.wait_for()
        shown.get_by_role("combobox", name="dtype").select_option("float64")
        shown.locator(".mg-stage .n.isbad").first.wait_for(state="detached")
        shown.locator('.mg-stage [data-n="1"]').first.click()
        shown.get_by_role("button", name="More").click()
        shown.get_by_role("button", name="To the start").click(force=True)
        shown.get_by_role("button", name="One step forward").click()
        notebook.run_until("print(clicks, w.selected, w.step, w.x, w.dtype, w.rule)", "[1] 1 0 100.0 float64 derived")
        notebook.run_until("w.step = 2\nprint('moved')", "moved")
        shown.locator(".mg-count", has_text="3 of 4").wait_for()
        notebook.run_until("@w.rule_of\ndef mine(dy, x):\n    return dy * 7.0\nprint(w.rule)", "mine")
        shown.locator(".mg-stage .n[aria-label$='gradient 7']").first.wait_for()
        assert shown.get_by_role("combobox", name="rule").input_value() == "mine"

    with subtests.test("the keyboard moves the slider, which stays focused"):
        of("keys").get_by_role("slider", name="x", exact=True).focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        page.wait_for_function("document.activeElement.value === '2.03'")
        of("keys").locator(".mg-stage .n[aria-label^='x (input), value 2.03']").wait_for()
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "x"

    with subtests.test("a negative zero is the zero that Python receives"):
        type_exactly("zero", "-0")
        of("zero").get_by_role("button", name="divide, value inf, gradient 1", exact=True).wait_for()

    with subtests.test("it is linked with other widgets"):
        type_exactly("linked", "3.5")
        of("slider").locator(".widget-readout", has_text="3.50").wait_for()
        assert of("interact").get_by_role("slider").count() == 1

    with subtests.test("it follows a slider of ipywidgets that is linked, in the page or by Python"):
        of("linked").locator(".mg-stage svg").evaluate("svg => { svg.dataset.first = 1 }")
        of("slider").locator(".noUi-handle").focus()
        page.keyboard.press("ArrowLeft")
        of("linked").locator(".mg-stage .n[aria-label^='x (input), value 3']").first.wait_for()
        notebook.run_until("print(v.x, v.trace.nodes[0].value)", "3.0 3.0")
        assert of("linked").locator("[data-first]").count() == 1  # Python has not drawn it again
        for number, value, again in ((1, "1", True), (2, "4", False), (3.5, "33.12", True), (3.25, "25.79", True)):
            of("led").locator(".mg-stage svg").evaluate("svg => { svg.dataset.first = 1 }")
            notebook.run_until(f"s2.value = {number}\nprint('moved')", "moved")
            of("led").locator(f".mg-stage .n[aria-label*=', value {value}']").first.wait_for()
            assert of("led").locator(".mg-strayed").count() == 0
            if not again:
                assert of("led").locator("[data-first]").count() == 1
        notebook.run_until("print(led.x, led.trace.nodes[0].value, led.error)", "3.25 3.25")

    with subtests.test("what the page cannot follow Python draws"):
        for value, said in (("3", "multiply, value 9"), ("0.5", "exp, value 1.649"), ("0.25", "exp, value 1.284")):
            type_exactly("decides", value)
            of("decides").locator(f".mg-stage .n[aria-label^='{said}']").wait_for()
            assert of("decides").locator(".mg-strayed").count() == 0
        assert of("decides").locator(".mg-field:visible").count() == 0  # the sliders are the fields
        notebook.run_until("print(d.trace.nodes[0].value, d.x)", "0.25 0.25")

    with subtests.test("the widget of a picture hears clicks and moves with Python"):
        shown = of("backward")
        shown.locator(".mg-count", has_text="1 of").wait_for()
        shown.locator('.mg-stage [data-n="1"]').first.click()
        shown.get_by_role("button", name="One step forward").click()
        notebook.run_until("print(chosen, b.selected, b.stop)", "[1] 1 2")

    with subtests.test("the picture of sixty ops follows every move, and Python does not draw it again"):
        moved = of("sixty").evaluate(
            """async (output) => {
                const slider = output.querySelector(".mg-live input[type=range]"), kernel = jupyterapp.shell
                    .currentWidget.context.sessionContext.session.kernel, svg = output.querySelector(".mg-stage svg");
                const shown = () => output.querySelector(".mg-stage .leaf").ariaLabel;
                for (let i = 0; i < 8; i++) {
                    const old = shown();
                    slider.value = -1.5 + i * 0.1;
                    slider.dispatchEvent(new Event("input"));
                    while (shown() === old) await new Promise(requestAnimationFrame);
                    await kernel.requestKernelInfo();  // Python has heard of it
                }
                return output.querySelector(".mg-stage svg") === svg;
            }"""
        )
        assert moved
        # where the slider went
        of("sixty").locator(".mg-stage .n[aria-label^='x (input), value -0.8']").first.wait_for()
    assert notebook.console_errors == [] and notebook.outside_requests == []


def test_a_saved_widget_shows_its_view_where_no_kernel_answers(lab):
    notebook = run(
        lab, "reopened.ipynb", "viz.play(log1pexp, x=(50.0, 150.0))", "viz.backward(mg.sin, x=1.0).widget()", fresh=True
    )
    notebook.page.wait_for_function("document.querySelectorAll('.mg-bar:not(.mg-live)').length === 4")
    assert [bar.is_visible() for bar in notebook.page.locator("[data-saved] .mg-bar").all()] == [False, False]
    path = notebook.save()
    notebook.close()
    page = lab.open(path, fresh=True).page
    page.wait_for_function("document.querySelectorAll('.mg-bar').length === 2")
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("button", name="To the start").first.click(force=True)
    assert "Start: the gradient" in page.locator(".mg-say").first.inner_text()


def test_saved_runs_of_a_retraining_are_shown_where_no_kernel_answers(lab):
    train = "lambda rate, kind: viz.history({'loss': [rate, rate / 2]})"
    call = f"viz.retrain({train}, rate=(0.0, 1.0), kind=['tanh', 'relu'], show=[{{'rate': 0.25}}])"
    notebook = lab.open(lab.write("retrained.ipynb", [SETUP, call]), fresh=True)
    assert notebook.run_all()
    page = notebook.page
    lines = page.locator("[data-saved] > details > summary")
    page.locator(".widget-vbox img.mg-plot").wait_for()
    page.wait_for_function("document.querySelectorAll('[data-saved] > details').length === 2")
    assert not lines.first.is_visible()  # the widget lives
    page.set_viewport_size({"width": 390, "height": 900})  # a wide figure scrolls, and the text beside it breaks
    fits = "(e => e.clientWidth < 390 && e.scrollWidth <= e.clientWidth)(document.querySelector('.widget-vbox'))"
    page.wait_for_function(fits)
    page.locator(".widget-dropdown select").select_option("relu")
    path = notebook.save()
    notebook.close()
    page = lab.open(path, fresh=True).page
    lines = page.locator("[data-saved] > details > summary")
    lines.last.wait_for()
    assert [text.split(" · ")[0] for text in lines.all_inner_texts()] == [
        "rate = 0.5, kind = tanh", "rate = 0.25, kind = tanh",
    ]  # fmt: skip
    pictures = page.locator("[data-saved] > details img.mg-plot")
    assert [picture.is_visible() for picture in pictures.all()] == [True, False]
    lines.last.click()
    pictures.last.wait_for()
