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

@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

b = 2 * Number(3.0)

def layer(x):
    for _ in range(20):
        x = mg.tanh(x * 0.9)
    return x
"""

#: Cell, the words at the slider after a step forward (none for a figure), and words of the text below.
KINDS = {
    "backward": ("viz.backward(lambda x: x * x + x, x=3.0)", "step 1 of 5", "x += 1 · 3 = 3"),
    "nan": ("viz.trace_nan(lambda x: mg.log(1 + mg.exp(x)), x=100.0)", "step 1 of 4", "nan born: 0 * inf"),
    "compare": ("viz.compare(log1pexp, 100.0)", "step 1 of 5", "the custom rule repairs nan"),
    "source": ("viz.source(lambda x, w: mg.tanh(x * w), x=1.0, w=0.5)", "step 1 of 5", "d_x = d_multiply * w"),
    "forward": ("viz.forward(lambda x: x * x + x, x=3.0)", "box 1 of 3", "add(multiply, x)"),
    "own": ("viz.backward(b + b * b, by=assigning)", "step 1 of ", "sends to b"),
    "frames": (
        "viz.backward(lambda x: layer(layer(layer(layer(x)))), x=0.5)",
        "step 1 of ",
        "layer, call 2 of 4: 40 ",
    ),
    "curves": ("viz.curves(log1pexp, x=(-50, 150))", None, "derived"),
    "jacobian": ("viz.jacobian(mg.sin, [1.0, 2.0])", None, "sin[0]  0.5403"),
    "matrices": ("viz.matrices(yours=np.eye(2), true=np.ones((2, 2)))", None, "2 of 4 numbers differ"),
    "steps": ("viz.steps(mg.exp, x=1.0)", None, "float64 forward"),
}
PLAYS = ["live", "trusted", "exported", "vscode"]
STILL = ["untrusted", "github"]


@pytest.fixture(scope="module")
def saved(lab):
    """A notebook with one cell for each kind, run and saved; its page stays open."""
    notebook = lab.open(lab.write("hosts.ipynb", [SETUP, *(cell for cell, _, _ in KINDS.values())]))
    assert notebook.run_all()
    notebook.save()
    yield notebook
    notebook.close()


@pytest.fixture(scope="module")
def outputs(saved):
    """The HTML of each kind as the notebook holds it."""
    cells = json.loads(saved.path.read_text(encoding="utf-8"))["cells"][1:]
    return {kind: "".join(cell["outputs"][0]["data"]["text/html"]) for kind, cell in zip(KINDS, cells)}


@pytest.fixture(scope="module", params=[*PLAYS, *STILL])
def host(request, lab, browser, saved, outputs, tmp_path_factory):
    """The name of a place, and what finds a kind there."""
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
        notebook = lab.open(path)
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
        yield name, lambda kind: cells.nth(1 + [*KINDS].index(kind)).locator(".jp-OutputArea-output").first
    elif name == "exported":
        cells = page.locator(".jp-CodeCell")
        yield name, lambda kind: cells.nth(1 + [*KINDS].index(kind)).locator(".jp-OutputArea-output").first
    else:
        yield name, lambda kind: page.locator("body > div").nth([*KINDS].index(kind))
    if notebook is not None:
        assert notebook.console_errors == [] and notebook.outside_requests == []
        if notebook is not saved:
            notebook.close()
    else:
        network = "ERR_INTERNET_DISCONNECTED"  # what a page of nbconvert fetches for itself
        assert not [error for error in errors if network not in error]
        assert name == "exported" or not outside
        page.context.close()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_view_stands_in_every_host(host, kind):
    name, place = host
    view, (_, after, words) = place(kind), KINDS[kind]
    view.wait_for(state="attached")
    view.scroll_into_view_if_needed()
    if name in PLAYS and after:
        view.get_by_role("button", name="To the start").click(force=True)
        view.get_by_role("button", name=f"One {after.split()[0]} forward").click(force=True)
        assert view.locator(".mg-count").inner_text().startswith(after)
        assert view.locator(".mg-stage svg").bounding_box()["width"] > 200
        assert view.locator("img").count() == 0
    else:
        image = view.locator("img")
        image.wait_for()
        assert image.evaluate("i => i.decode().then(() => i.naturalWidth)") > 200
        assert view.locator(".mg-bar").count() == 0
    twin = view.locator(".mg-code" if kind == "source" and name in PLAYS else "pre").first.text_content()
    assert words in twin or words in view.text_content()


@pytest.mark.parametrize("kind", ["backward", "compare"])
def test_inputs_are_changed_wherever_scripts_run_and_are_named_for_who_listens(host, kind):
    name, place = host
    view = place(kind)
    view.wait_for(state="attached")
    fields = view.get_by_role("spinbutton")
    if name in STILL:
        assert fields.count() == 0
        return
    field = view.get_by_role("group", name="Inputs").get_by_role("spinbutton", name="x", exact=True)
    field.fill("1.5")
    field.press("Enter")
    spoken = [field.get_attribute(f"aria-{what}") for what in ("valuenow", "valuetext")]
    assert spoken == ["1.5", "1.5"] and fields.count() == 1
    assert view.locator(".mg-stage .n").first.get_attribute("aria-label") == "x (input), value 1.5"
    view.get_by_role("button", name="To the end").click(force=True)
    assert "ḡ " + {"backward": "4", "compare": "0.8176"}[kind] in view.locator(".mg-stage .n").first.text_content()
    if kind == "compare":
        assert "both are right" in view.locator("tbody").inner_text()
    view.get_by_role("button", name="Recorded numbers").click(force=True)
    assert field.input_value() == {"backward": "3", "compare": "100"}[kind]


def test_a_frame_opens_in_every_host_that_runs_scripts_and_is_text_in_the_others(host):
    name, place = host
    view = place("frames")
    view.scroll_into_view_if_needed()
    if name in PLAYS:
        view.get_by_role("button", name="To the start").click(force=True)
        view.get_by_role("button", name="frame layer, call 2 of 4, 40 ops, closed").focus()
        view.page.keyboard.press("Enter")
        opened = view.get_by_role("button", name="frame layer, call 2 of 4, 40 ops, open")
        assert opened.get_attribute("aria-expanded") == "true"
        inner = view.get_by_role("button", name="frame turn 1, 2 ops, closed").first
        assert inner.is_visible()
        view.page.keyboard.press("Enter")
        assert not inner.is_visible()
    else:
        text = view.locator("pre").text_content()
        assert "opened, it shows turn 1; turn 2;" in text
