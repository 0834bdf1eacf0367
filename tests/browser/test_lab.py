"""A notebook opens, runs and saves in a real JupyterLab."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

import minigrad
from tests.browser.lab import PATIENCE, ROOT, watch

pytestmark = pytest.mark.browser


def test_one_plus_one_is_seen_to_be_two(lab):
    notebook = lab.open(lab.write("one plus one.ipynb", ["1 + 1"]))
    assert notebook.run_all()
    output = notebook.page.locator(".jp-OutputArea-executeResult .jp-RenderedText")
    output.wait_for()
    assert output.inner_text().strip() == "2"
    saved = json.loads(notebook.save().read_text(encoding="utf-8"))
    assert saved["cells"][0]["outputs"][0]["data"]["text/plain"] == ["2"]
    assert notebook.console_errors == []
    assert notebook.outside_requests == []


def test_a_cell_that_raises_is_reported_and_the_theme_is_restored(lab, tmp_path):
    source = lab.write("raises.ipynb", ["1 / 0"]).rename(tmp_path / "raises.ipynb")
    with lab.open(source) as notebook:
        notebook.set_theme(dark=True)
        assert not notebook.run_all()
        (output,) = notebook.read()["cells"][0]["outputs"]
        assert output["ename"] == "ZeroDivisionError"
    body = lab.open(lab.write("light.ipynb", ["1"])).page.locator("body")
    assert body.get_attribute("data-jp-theme-light") == "true"


PICTURE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import minigrad as mg, viz
viz.compare(lambda x: mg.log(1 + mg.exp(x)), 1.0)
"""


def test_a_click_anywhere_in_a_picture_gives_it_the_keys(lab, subtests):
    notebook = lab.open(lab.write("keys.ipynb", [PICTURE, "1", "2"]))
    assert notebook.run_all()
    page = notebook.page
    page.locator(".mg-strip").wait_for()
    cells = "return [panel.content.activeCellIndex, panel.content.widgets.length, panel.content.mode]"
    for part in (".mg-stage", ".mg-say", ".mg-count", ".mg-legend", ".mg-stage .n >> nth=0", ".mg-strip"):
        with subtests.test(part):
            page.locator(".jp-CodeCell").nth(1).locator(".cm-content").click()
            page.keyboard.press("Escape")
            place = page.locator(part).first
            place.scroll_into_view_if_needed()
            place.click(position={"x": 5, "y": 5}, force=True)
            for key in ("ArrowDown", "ArrowDown", "ArrowUp", "j", "b", "m"):
                page.keyboard.press(key)
            assert notebook.do(cells) == [0, 3, "command"]
    page.locator(".mg-say").click()
    page.keyboard.press("Home")
    assert page.locator(".mg-count").inner_text().startswith("0 of")
    page.keyboard.press("ArrowRight")
    assert page.locator(".mg-count").inner_text().startswith("1 of")
    assert notebook.console_errors == []


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
def test_minigrad_lab_opens_a_lesson_without_pop_ups_finds_minigrad_and_stops_with_its_kernel(lab, page, tmp_path):
    cell = "import os; print(f'kernel {os.getpid()}.')\n!minigrad --version"
    lesson = lab.write("lessons/01_graph.ipynb", [cell])
    folders = ["JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"]
    settings = ["JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"]
    environment = {**os.environ, **{name: str(tmp_path / name) for name in folders + settings}}
    environment |= {"PATH": os.defpath, "SHELL": shutil.which("bash") or "/bin/sh"}  # as of a new terminal
    assert shutil.which("minigrad", path=os.defpath) is None
    program = (
        "import pathlib, sys; from minigrad import __main__ as cli; from minigrad.lab import launch;"
        f"launch.lessons_folder = lambda: pathlib.Path({str(lesson.parent)!r});"
        f"sys.exit(cli.main(['lab', '--no-browser', '--folder', {str(tmp_path / 'mine')!r}]))"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = next(line for line in process.stdout if line.startswith("JupyterLab: ")).split()[1]
            errors, outside = watch(page, own=address.partition("lab/tree")[0])
            page.goto(address)
            page.get_by_text("| Idle").wait_for()
            page.locator(".jp-Notebook .jp-Cell").click()
            page.keyboard.press("Shift+Enter")
            output = page.locator(".jp-OutputArea-output", has_text=re.compile(r"minigrad \d+\.\d+"))
            kernel, version = re.search(r"kernel (\d+)\.\s+(minigrad \S+)", output.inner_text()).groups()
            assert version == f"minigrad {minigrad.__version__}"
            page.keyboard.press("Escape")  # in a cell the next key means something else
            page.keyboard.press("Control+Shift+L")
            page.locator(".jp-LauncherCard", has_text="Terminal").click()
            page.locator(".jp-Terminal:visible .xterm-screen").click()
            page.keyboard.type(
                "minigrad --version > said.txt && ls 01_graph.ipynb >> said.txt; mv said.txt whole.txt\n"
            )
            told, end = tmp_path / "mine" / "whole.txt", time.monotonic() + PATIENCE
            while not told.exists() and time.monotonic() < end:
                page.evaluate("() => new Promise(requestAnimationFrame)")
            assert told.read_text().split("\n") == [version, "01_graph.ipynb", ""]
            assert page.locator(".Toastify__toast").count() == 0
            assert errors == []
            assert outside == []
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
            with pytest.raises(ProcessLookupError):
                os.kill(int(kernel), 0)
        finally:
            process.kill()
