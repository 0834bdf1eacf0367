"""marimo, the other notebook: a view is shown as a picture, its widget plays, and Python receives every click."""

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from tests.browser.lab import PATIENCE, ROOT, free_port, watch

pytestmark = pytest.mark.browser

CELLS = """
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import minigrad as mg
    import viz

    view = viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0)
    return mg, mo, view, viz


@app.cell
def _(mo, view):
    mo.vstack([mo.md("# static"), mo.as_html(view)])


@app.cell
def _(mg, mo, viz):
    from tests.helpers.own_engines import Number, assigning

    number = Number(3.0)
    forward = viz.forward(lambda x: mg.exp(x), x=1.0)
    own = viz.backward(number * number, by=assigning)
    matrices = viz.matrices(yours=[[1.0]], true=[[2.0]])
    steps = viz.steps(mg.exp, x=1.0)
    mo.vstack([mo.as_html(shown) for shown in (forward, own, matrices, steps)])


@app.cell
def _(mo, view):
    player = mo.ui.anywidget(view.widget())
    player
    return (player,)


@app.cell
def _(mo, player):
    mo.md(f"heard: selected {player.value['selected']}, step {player.value['step']}")


@app.cell
def _(mg, viz):
    viz.play(lambda x: mg.exp(x), x=(0.0, 2.0))


@app.cell
def _(mo, viz):
    from tests.helpers.random_programs import transformer

    framed = mo.ui.anywidget(viz.backward(lambda x: transformer(x, 30), x=0.5).widget())
    framed
    return (framed,)


@app.cell
def _(mg, viz):
    viz.source(lambda x: mg.exp(mg.sin(x)), x=1.0).widget()
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A marimo app of these cells, on this computer."""
    pytest.importorskip("marimo")
    pytest.importorskip("anywidget")
    folder = tmp_path_factory.mktemp("marimo")
    (folder / "views.py").write_text(CELLS.lstrip(), encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "marimo", "--quiet", "run", "views.py", "--headless", "--no-token"]
    log = (folder / "marimo.log").open("wb")
    process = subprocess.Popen(
        [*command, f"--port={port}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    address, end = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        try:
            urllib.request.urlopen(f"{address}/health", timeout=5).close()
            break
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    else:
        pytest.fail(f"marimo did not start; it said:\n{(folder / 'marimo.log').read_text(errors='replace')}")
    yield address
    process.terminate()
    process.wait(PATIENCE)
    log.close()


@pytest.fixture
def notebook(page, address):
    _, outside = watch(page, own=address)
    page.goto(address)
    page.locator(".mg-code").wait_for()
    yield page
    assert outside == []


def test_views_stand_as_pictures_and_widgets_play(notebook):
    # A view is a picture and its text: marimo runs no scripts in outputs.
    picture = notebook.locator("img[alt^='Backward pass of log']")
    assert picture.bounding_box()["width"] > 400
    assert notebook.get_by_text(re.compile("(The same|The recorded numbers) as text")).count() == 5

    for words in ("Forward pass of exp", "Backward pass of multiply", "1 of 1 number differs", "exp at x = 1"):
        assert notebook.locator(f"img[alt*='{words}']").evaluate("i => i.decode().then(() => i.naturalWidth)") > 200

    # A click and a step reach Python.
    player, heard = notebook.locator(".mg-view").filter(has=notebook.locator(".mg-bar")).first, "heard: selected"
    notebook.get_by_text(f"{heard} None, step 2").wait_for()  # it opens where the nan first appears
    player.locator(".mg-stage .n[aria-label^='exp,']").click()
    notebook.get_by_text(f"{heard} 1, step 2").wait_for()
    player.get_by_role("button", name="More").click()
    player.get_by_role("button", name="To the start").click(force=True)
    notebook.get_by_text(f"{heard} 1, step -1").wait_for()

    # Its input is changed in the page.
    field = player.get_by_role("spinbutton", name="x", exact=True)
    field.fill("1")
    field.press("Enter")
    player.locator(".mg-stage .n[aria-label^='exp, value 2.718']").wait_for()

    # The sliders of play are answered by Python.
    exact = notebook.get_by_role("spinbutton", name="x, exact")
    exact.fill("2")
    exact.press("Tab")
    notebook.locator(".mg-stage .n[aria-label^='exp, value 7.389']").first.wait_for()

    # A program is linked with its picture.
    notebook.get_by_role("option", name="np.sin").first.click()
    assert notebook.locator(".mg-stage .n.lit").filter(has_text="sin").count() == 1


def test_a_frame_opens_in_place_by_click_and_by_enter(notebook):
    player = notebook.locator(".mg-view").filter(has=notebook.locator(".f[data-f]")).first
    frame = player.locator(".mg-stage .f:not(.open)").first
    key, drawn = frame.get_attribute("data-f"), player.locator(".mg-stage .n").count()
    frame = player.locator(f".mg-stage .f[data-f='{key}']")
    assert frame.get_attribute("aria-expanded") == "false"
    frame.click()
    player.locator(f".mg-stage .f.open[data-f='{key}']").wait_for()
    assert frame.get_attribute("aria-expanded") == "true" and player.locator(".mg-stage .n").count() > drawn
    frame.press("Enter")
    player.locator(f".mg-stage .f:not(.open)[data-f='{key}']").wait_for()
    assert frame.get_attribute("aria-expanded") == "false" and player.locator(".mg-stage .n").count() == drawn
