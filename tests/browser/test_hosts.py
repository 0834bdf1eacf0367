"""Every kind of view in every place that shows one: live, reopened, exported, and where no script or no style runs."""

import json
import re
import subprocess
import sys

import pytest

from tests.browser.lab import ROOT, new_page, watch
from tests.browser.test_many_views import LIKE_VS_CODE

pytestmark = pytest.mark.browser
pytest.importorskip("matplotlib")

SETUP = f"""
import sys
sys.path.append({str(ROOT)!r})
import numpy as np
import minigrad as mg, viz
from tests.helpers.own_engines import Number, assigning
mg.remember_lines()

@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    def grad(dy):
        return dy * (1 - 1 / (1 + e))
    return mg.log(1 + e), grad

b = 2 * Number(3.0)

def layer(x):
    for _ in range(20):
        x = mg.tanh(x * 0.9)
    return x

def many(x):
    for _ in range(15):
        x = mg.tanh(x) + mg.sin(x)
    return x

x = mg.constant(100.0)
y = mg.log(1 + mg.exp(x))
"""

KINDS = {
    "backward": ("viz.backward(lambda x: x * x + x, x=3.0)", "1 of 5", "x += 1 · 3 = 3"),
    "nan": ("viz.trace_nan(lambda x: mg.log(1 + mg.exp(x)), x=100.0)", "1 of 4", "first nan: 0 * inf"),
    "compare": ("viz.compare(log1pexp, 100.0)", "1 of 5", "the custom rule repairs nan"),
    "source": ("viz.source(lambda x, w: mg.tanh(x * w), x=1.0, w=0.5)", "1 of 5", "d_x = d_t1 * w"),
    "forward": ("viz.forward(lambda x: x * x + x, x=3.0)", "2 of 3", "add(multiply, x)"),
    "own": ("viz.backward(b + b * b, by=assigning)", "1 of ", "sends to b"),
    "frames": (
        "viz.backward(lambda x: layer(layer(layer(layer(x)))), x=0.5)",
        "1 of ",
        "layer, call 2 of 4: 40 ",
    ),
    "softplus": ("viz.backward(y)", "1 of 4", "first nan"),
    "wide": ("viz.backward(many, x=0.5)", "1 of ", "tanh"),
    "curves": ("viz.curves(log1pexp, x=(-50, 150))", None, "derived"),
    "jacobian": ("viz.jacobian(mg.sin, [1.0, 2.0])", None, "sin[0]  0.5403"),
    "matrices": ("viz.matrices(yours=np.eye(2), true=np.ones((2, 2)))", None, "2 of 4 numbers differ"),
    "steps": ("viz.steps(mg.exp, x=1.0)", None, "float64 forward"),
}
#: Things that are not views: a report, sliders, the table of a Tensor.
MORE = {
    "report": "mg.find_nan(y, names={'x': x})",
    "play": "viz.play(log1pexp, x=(-50, 150))",
    "tensor": "%load_ext viz\nx",
}
CELLS = [*KINDS, *MORE]
PLAYS = ["live", "trusted", "exported", "vscode"]
STILL = ["untrusted", "github"]


@pytest.fixture(scope="module")
def saved(lab):
    """A notebook with one cell for each kind, run and saved; its page stays open."""
    cells = [SETUP, *(cell for cell, _, _ in KINDS.values()), *MORE.values()]
    notebook = lab.open(lab.write("hosts.ipynb", cells))
    assert notebook.run_all()
    notebook.page.wait_for_selector(".mg-live")
    notebook.save()
    yield notebook
    notebook.close()


@pytest.fixture(scope="module")
def outputs(saved):
    """The HTML of each kind as the notebook holds it."""
    cells = json.loads(saved.path.read_text(encoding="utf-8"))["cells"][1 : len(KINDS) + 1]
    return {kind: "".join(cell["outputs"][0]["data"]["text/html"]) for kind, cell in zip(KINDS, cells, strict=True)}


@pytest.fixture(scope="module", params=[pytest.param("live", marks=pytest.mark.smoke), *PLAYS[1:], *STILL])
def host(request, lab, browser, saved, outputs, tmp_path_factory):
    """The name of a place, and a function that finds a kind of view there."""
    name, folder = request.param, tmp_path_factory.mktemp("hosts")
    notebook = page = None
    if name == "live":
        notebook = saved
    elif name in ("trusted", "untrusted"):
        content = json.loads(saved.path.read_text(encoding="utf-8"))
        if name == "untrusted":
            content["cells"][0]["source"] += "\n# as it came from somebody else"
        path = lab.folder / f"{name}.ipynb"
        path.write_text(json.dumps(content), encoding="utf-8")
        notebook = lab.open(path, fresh=True)
    else:
        page = new_page(browser)
        errors, outside = watch(page)
        page.context.set_offline(True)
    if name == "exported":
        command = ["jupyter", "nbconvert", "--to", "html", "--output-dir", str(folder), str(saved.path)]
        subprocess.run([sys.executable, "-m", *command], check=True, capture_output=True)
        page.goto((folder / "hosts.html").as_uri())
    elif name == "vscode":
        page.set_content("<meta charset=utf-8><body data-vscode-theme-kind=vscode-dark>")
        for html in outputs.values():
            page.evaluate(LIKE_VS_CODE, html)
    elif name == "github":
        plain = [
            re.sub(r"<(script|style)>.*?</\1>| style=\"[^\"]*\"", "", html, flags=re.S) for html in outputs.values()
        ]
        page.set_content("<meta charset=utf-8>" + "".join(f"<div>{html}</div>" for html in plain))
    if notebook is not None:
        cells = notebook.page.locator(".jp-CodeCell")
        yield name, lambda kind: cells.nth(1 + CELLS.index(kind)).locator(".jp-OutputArea-output").first
    elif name == "exported":
        cells = page.locator(".jp-CodeCell")
        yield name, lambda kind: cells.nth(1 + CELLS.index(kind)).locator(".jp-OutputArea-output").first
    else:
        yield name, lambda kind: page.locator("body > div").nth([*KINDS].index(kind))
    if notebook is not None:
        lost = "widget model not found"  # what JupyterLab says about sliders whose kernel is gone; their view stays
        assert not [error for error in notebook.console_errors if name == "live" or lost not in error]
        assert notebook.outside_requests == []
        if notebook is not saved:
            notebook.close()
    else:
        network = "ERR_INTERNET_DISCONNECTED"  # what a page of nbconvert fetches for itself
        assert not [error for error in errors if network not in error]
        assert name == "exported" or not outside
        page.context.close()


def test_every_kind_of_view_stands_in_every_host(host, subtests):
    name, place = host
    for kind, (_, after, words) in KINDS.items():
        with subtests.test(kind):
            view = place(kind)
            view.wait_for(state="attached")
            view.scroll_into_view_if_needed()
            if name in PLAYS and after:
                view.get_by_role("button", name="More").click(force=True)
                view.get_by_role("button", name="To the start").click(force=True)
                view.get_by_role("button", name="One step forward").click(force=True)
                assert view.locator(".mg-count").inner_text().startswith(after)
                assert view.locator(".mg-stage svg").first.bounding_box()["width"] > 200
                assert view.locator("img").count() == 0
            else:
                image = view.locator("img")
                image.wait_for()
                assert image.evaluate("i => i.decode().then(() => i.naturalWidth)") > 200
                assert view.locator(".mg-bar").count() == 0
            twin = view.locator(".mg-code" if kind == "source" and name in PLAYS else "pre").first.text_content()
            assert words in twin or words in view.text_content()
    assert place("curves").locator("img[alt^='log1pexp for x']").count() == 1
    assert place("jacobian").locator("img[alt^='Jacobian of sin']").count() == 1
    if name not in PLAYS:
        image = place("softplus").locator("img").bounding_box()
        assert image["width"] > 300 and image["height"] > 60
        assert place("softplus").page.locator(".mg-bar").count() == 0
    if name == "untrusted":
        page = place("wide").page
        page.set_viewport_size({"width": 900, "height": 800})
        wide = place("wide").locator("img").element_handle()
        page.wait_for_function("i => i.parentElement.clientWidth < 900", arg=wide)
        sizes = "i => [i.getBoundingClientRect().width, i.naturalWidth, i.parentElement.clientWidth]"
        width, natural, room = wide.evaluate(sizes)
        assert width == natural > room, "a wide picture keeps its size and scrolls"
    if name == "exported":  # the sliders as the view that was saved below them
        assert (
            place("play").locator("xpath=ancestor::*[contains(@class, 'jp-CodeCell')]").locator(".mg-bar").count() == 1
        )
        assert place("tensor").get_by_text("float32, an input").is_visible()


def test_inputs_are_changed_wherever_scripts_run_and_are_named_for_who_listens(host, subtests):
    name, place = host
    for kind, slope, recorded in (("backward", "4", "3"), ("compare", "0.8176", "100")):
        with subtests.test(kind):
            view = place(kind)
            view.wait_for(state="attached")
            fields = view.get_by_role("spinbutton")
            if name in STILL:
                assert fields.count() == 0
                continue
            more = view.get_by_role("button", name="More")
            if more.get_attribute("aria-expanded") == "false":
                more.click(force=True)
            field = view.get_by_role("group", name="Inputs").get_by_role("spinbutton", name="x", exact=True)
            cells = view.page.locator(".jp-Cell").count()
            box = view.locator(".mg-stage .n[aria-label^='x (input)']").first
            box.press("ArrowUp")
            field.press("ArrowUp")
            assert field.input_value() != recorded and view.page.locator(".jp-Cell").count() == cells, "no shortcut"
            field.fill("1.5")
            field.press("Enter")
            spoken = [field.get_attribute(f"aria-{what}") for what in ("valuenow", "valuetext")]
            assert spoken == ["1.5", "1.5"] and fields.count() == 1
            view.get_by_role("button", name="To the end").click(force=True)
            said = view.locator(".mg-stage .n[aria-label^='x (input)']").last.get_attribute("aria-label")
            assert said == f"x (input), value 1.5, gradient {slope}"
            if kind == "compare":
                assert "both are right here" in view.locator("tbody").inner_text()
            view.get_by_role("button", name="Recorded numbers").click(force=True)
            assert field.input_value() == recorded


@pytest.mark.cases(0)  # the quick mode opens one in the page of a file
def test_a_frame_opens_in_every_host_that_runs_scripts_and_is_text_in_the_others(host):
    name, place = host
    view = place("frames")
    view.scroll_into_view_if_needed()
    if name in PLAYS:
        frame = view.locator(".mg-stage .f[aria-label^='frame layer, call 2 of 4, 40 ops']")
        other = {"true": "false", "false": "true"}
        for _ in range(2):
            before = frame.get_attribute("aria-expanded")
            frame.focus()
            view.page.keyboard.press("Enter")
            assert frame.get_attribute("aria-expanded") == other[before]
    else:
        assert "layer, call 2 of 4: 40 ops" in view.locator("pre").text_content()


def test_the_keys_of_a_player_are_its_own_and_a_line_lights_its_box(host):
    name, place = host
    view, page = place("softplus"), place("softplus").page
    if name in STILL:
        assert view.get_by_role("button").count() == 0
        return
    before = page.locator(".jp-Cell").count()
    if view.get_by_role("button", name="More").get_attribute("aria-expanded") == "false":
        view.get_by_role("button", name="More").click(force=True)
    view.get_by_role("button", name="To the start").click(force=True)
    view.get_by_role("button", name="Play").focus()
    for key in ("b", "a", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert view.locator(".mg-count").inner_text() == "3 of 4"
    assert "nan first appears here (0 * inf)" in view.locator(".mg-say").inner_text()
    view.locator('.mg-stage [data-n="1"]').click()
    page.keyboard.press("b")
    assert page.locator(".jp-Cell").count() == before
    assert "value" in view.locator(".mg-card").inner_text()
    place("source").get_by_role("option", name="np.tanh").first.click()
    assert place("source").locator(".mg-stage .n.lit").filter(has_text="tanh").count() == 1


def test_a_repaired_line_is_copied_in_every_notebook_that_runs_scripts(host):
    name, place = host
    page = place("softplus").page
    if name in STILL:
        assert page.get_by_role("button", name="Copy y").count() == 0
        return
    if name != "vscode":
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for kind in ("softplus",) if name == "vscode" else ("softplus", "report"):
        place(kind).get_by_role("button", name="Copy y = mg.softplus(x)").press("Enter")
        said = place(kind).locator(".mg-why [role=status]", has_text="Selected" if name == "vscode" else "Copied.")
        said.wait_for(state="attached")
        copied = "getSelection().toString()" if name == "vscode" else "navigator.clipboard.readText()"
        assert page.evaluate(copied) == "y = mg.softplus(x)"
        page.evaluate("navigator.clipboard?.writeText('')")


def test_the_picture_follows_the_theme_of_jupyterlab_at_once(saved):
    paper = "getComputedStyle(document.querySelector('.mg-stage svg .paper')).fill"
    assert saved.page.evaluate(paper) == "rgb(255, 255, 255)"
    saved.set_theme(dark=True)
    saved.page.wait_for_function(f"{paper} === 'rgb(20, 24, 31)'")
    whole = "getComputedStyle(document.querySelector('.jp-OutputArea-output .mg-view')).backgroundColor"
    assert saved.page.evaluate(whole) == "rgb(20, 24, 31)"
    saved.set_theme(dark=False)
    saved.page.wait_for_function(f"{paper} === 'rgb(255, 255, 255)'")
