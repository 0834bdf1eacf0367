"""The course that runs in a browser: its own Python, answers that are judged right, and no request to elsewhere.

NumPy for Pyodide is not on the package index. Where the environment names a wheel of it, these tests run:
MINIGRAD_PYODIDE_NUMPY=/path/to/numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl
"""

import functools
import http.server
import json
import os
import re
import subprocess
import sys
import threading

import pytest

from docs.browser import shorter
from minigrad.classroom import notebook
from tests.browser.lab import ROOT, unwatch, watch

NUMPY = os.environ.get("MINIGRAD_PYODIDE_NUMPY")
REASON = "set MINIGRAD_PYODIDE_NUMPY to a wheel of NumPy for Pyodide 0.29, and install the extra course"
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("course")]


@pytest.fixture(scope="session")
def course(tmp_path_factory):
    """The address of the course, served from a folder, with three lessons solved."""
    if not NUMPY:
        pytest.skip(REASON)
    out = tmp_path_factory.mktemp("course") / "out"
    command = [sys.executable, "-m", "docs.browser", out, "--numpy", NUMPY]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for number in SOLVED:
        (source,) = (ROOT / "lessons" / "source").glob(f"{number}_[a-z]*_*.py")
        (file,) = (out / "files").glob(f"{number}_*.ipynb")
        cells = notebook.read(source)
        cells.metadata = json.loads(file.read_text(encoding="utf-8"))["metadata"]
        text = json.dumps(cells)
        file.write_text(shorter(text) if number == "04" else text, encoding="utf-8")
    handler = functools.partial(Quiet, directory=out)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield out, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


SOLVED = ["01", "04", "07"]


@pytest.mark.parametrize("number", SOLVED)
def test_the_solutions_of_a_lesson_are_right_in_the_browser(course, page, number):
    out, address = course
    (file,) = (out / "files").glob(f"{number}_*.ipynb")
    _, outside = watch(page, address)
    page.goto(f"{address}/notebooks/index.html?path={file.name}")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for()
    page.get_by_text("Run", exact=True).first.click()
    page.get_by_text("Run All Cells", exact=True).first.click()
    count = (
        "[...document.querySelectorAll('.jp-OutputArea-output')].map(e => e.innerText.match(/(\\d+) of (\\d+) right/))"
    )
    page.wait_for_function(f"() => {count}.some(Boolean)")
    said = page.evaluate(f"() => {count}.filter(Boolean).map(m => m[0])")
    right, of = re.findall(r"\d+", said[-1])
    assert right == of and int(of) > 5, said
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert outside == []
    unwatch(page)
    page.goto("about:blank")


def test_a_reader_is_told_where_the_files_are(course, page):
    _, address = course
    page.goto(f"{address}/index.html")
    assert "in this browser only" in page.inner_text("body")
    assert page.get_by_role("link", name=re.compile("Write the rule yourself")).count() == 1
