"""The course that runs in a browser: its own Python, answers that are judged correctly, and no request to another site.

Pyodide's own packages are not on the package index, but open-webui brings the ones that the course needs in its wheel:

    pip download --no-deps --only-binary=:all: --python-version 3.12 open-webui==0.8.12
    MINIGRAD_PYODIDE_PACKAGES=open_webui-0.8.12-py3-none-any.whl python -m pytest --rest tests/browser/test_course.py

A folder with wheels of Pyodide 0.29 will do as well. Without either the tests are skipped.
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

PACKAGES = os.environ.get("MINIGRAD_PYODIDE_PACKAGES")
REASON = "set MINIGRAD_PYODIDE_PACKAGES to wheels for Pyodide 0.29, and install the extra course"
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("course")]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site with the course in it, and its address; lessons 4 and 7 are solved."""
    if not PACKAGES:
        pytest.skip(REASON)
    out = tmp_path_factory.mktemp("course") / "out"
    command = [sys.executable, "-m", "docs", out, "--browser", "--packages", PACKAGES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for number in SOLVED:
        (source,) = (ROOT / "lessons" / "source").glob(f"{number}_[a-z]*_*.py")
        (file,) = (out / "course" / "files").glob(f"{number}_*.ipynb")
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


SOLVED = ["04", "07"]
RIGHT = (
    "[...document.querySelectorAll('.jp-OutputArea-output')].map(e => e.innerText.match(/(\\d+) of (\\d+) right/))"
    ".filter(Boolean)"
)
ERROR = "[data-mime-type='application/vnd.jupyter.error']"
#: What is typed instead of `...` in lesson 1 and in hw7, and instead of the line that raises; < steps out of a block.
PREDICTED = {
    "boxes_at_1_5": "5",
    "arrows_into_square": "2",
    "size_of_graph": '"a"',
    "multiplications_shared": "2",
    "name_moved": '"a"',
    "arrows_after_sqrt": "1",
    "paths": '"c"',
    "entropy_at_0": '"c"',
    "sum_of_slopes": "1.0",
}
BUILT = {
    "draw_by_hand": [
        'return [("a", []), ("b", []), ("add", [0, 1]), (1.0, []), ("add", [1, 3]), ("multiply", [2, 4])]'
    ],
    "count_arrows": ["return sum(len(arguments) for op, arguments in graph)"],
    "count_paths": [
        *("paths = [0] * (len(graph) - 1) + [1]", "for row in reversed(range(len(graph))):"),
        *("for argument in graph[row][1]:", "paths[argument] += paths[row]", "<<return paths[0]"),
    ],
    "evaluate_graph": [
        *("values = []", "for op, arguments in graph:", "given = [values[a] for a in arguments]"),
        *("values.append(OPS[op](*given) if given else inputs.get(op, op))", "<return values[-1]"),
    ],
}


def cell_of(page, number):
    """The cell with this number, from 0, in the page's notebook."""
    return page.locator(f".jp-Cell[data-windowed-list-index='{number}']")


def wait_until_idle(page):
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for()


def type_answer(page, cell):
    """Type the answer into a cell of lesson 1 that waits for one, with the keys that a person presses."""
    source = cell.locator(".cm-content").inner_text()
    if found := re.search(r"^(\w+) = \.\.\.$", source, re.MULTILINE):
        cell.locator(".cm-line", has_text=found[0]).click()
        page.keyboard.press("End")
        for _ in "...":
            page.keyboard.press("Backspace")
        page.keyboard.type(PREDICTED[found[1]])
    elif "raise NotImplementedError" in source:
        cell.locator(".cm-line", has_text="raise NotImplementedError").click()
        page.keyboard.press("End")
        page.keyboard.press("Shift+Home")
        first, *lines = BUILT[re.search(r"def (\w+)", source)[1]]
        page.keyboard.type(first)
        for line in lines:
            page.keyboard.press("Enter")
            for _ in range(len(line) - len(line.lstrip("<"))):
                page.keyboard.press("Backspace")
            page.keyboard.type(line.lstrip("<"))


def answer_in_picture(cell, **numbers):
    """Type a number into each of these boxes, and press the button."""
    asked = cell.locator(".mg-ask").locator("visible=true")
    asked.wait_for()
    for name, number in numbers.items():
        cell.get_by_label(f"The number for {name}").locator("visible=true").fill(str(number))
    asked.get_by_role("button", name="Check", exact=True).click()
    asked.locator("[role=status]", has_text="Right").wait_for()


def test_a_stranger_opens_the_site_and_answers_lesson_1(site, page):
    out, address = site
    (file,) = (out / "course" / "files").glob("01_*.ipynb")
    errors, outside = watch(page, address)
    page.goto(f"{address}/index.html")
    page.get_by_role("link", name="Open lesson 1 in your browser").click()
    wait_until_idle(page)
    cell_of(page, 0).click()
    for number, cell in enumerate(json.loads(file.read_text(encoding="utf-8"))["cells"]):
        shown = cell_of(page, number)
        shown.and_(page.locator(".jp-mod-active")).wait_for()
        if cell["cell_type"] == "code":
            type_answer(page, shown)
        page.keyboard.press("Shift+Enter")
        if "check.picture(" in "".join(cell["source"]):
            answer_in_picture(shown, s=1, x=3)
            cell_of(page, number + 1).click()
            page.keyboard.press("Escape")
    page.wait_for_function(f"() => {RIGHT}.length")
    assert page.evaluate(f"() => {RIGHT}.map(found => found[0])") == ["12 of 12 right"]
    assert page.locator(ERROR).count() == 0
    assert (errors, outside) == ([], [])
    unwatch(page)


def retype(page, cell, old, new):
    """Replace an answer of lesson 1, a number or a letter, and run the cell."""
    cell.locator(".cm-line", has_text=f"boxes_at_1_5 = {old}").click()
    page.keyboard.press("End")
    for _ in old:
        page.keyboard.press("Backspace")
    page.keyboard.type(new)
    page.keyboard.press("Shift+Enter")


def test_answers_are_kept_when_the_page_is_reloaded(site, page):
    out, address = site
    (file,) = (out / "course" / "files").glob("01_*.ipynb")
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    first = next(i for i, cell in enumerate(cells) if cell["cell_type"] == "code")
    asked = next(i for i, cell in enumerate(cells) if "boxes_at_1_5 = ..." in "".join(cell["source"]))
    page.goto(f"{address}/course/notebooks/index.html?path={file.name}")
    wait_until_idle(page)
    cell_of(page, first).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    cell = cell_of(page, asked)
    for old, new, verdict in [("...", "4", "you left out x itself"), ("4", "5", "Yes: 1.5")]:
        retype(page, cell, old, new)
        cell.locator(".jp-OutputArea-output", has_text=verdict).first.wait_for()
    page.keyboard.press("Control+s")
    page.locator(".jp-Toolbar, .jp-NotebookCheckpoint", has_text="Last Checkpoint").first.wait_for()
    page.reload()
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    assert "boxes_at_1_5 = 5" in cell.locator(".cm-content").inner_text()
    assert "Yes: 1.5" in cell.locator(".jp-OutputArea-output").first.inner_text()


@pytest.mark.parametrize("number", SOLVED)
def test_the_solutions_of_a_lesson_are_right_in_the_browser(site, page, number):
    out, address = site
    (file,) = (out / "course" / "files").glob(f"{number}_*.ipynb")
    errors, outside = watch(page, address)
    page.goto(f"{address}/course/notebooks/index.html?path={file.name}")
    wait_until_idle(page)
    page.get_by_text("Run", exact=True).first.click()
    page.get_by_text("Run All Cells", exact=True).first.click()
    page.wait_for_function(f"() => {RIGHT}.length")
    right, of = page.evaluate(f"() => {RIGHT}.at(-1).slice(1)")
    assert right == of and int(of) > 5
    assert page.locator(ERROR).count() == 0
    assert (errors, outside) == ([], [])
    unwatch(page)


LONG = """import minigrad as mg
x = y = mg.constant(0.5)
for step in range(10_000):
    y = mg.tanh(y)
slope = mg.gradients(y, x)
del x, y, slope
print("freed", 10_000)"""


def test_a_graph_of_10_000_steps_is_freed_in_a_page(site, page):
    _, address = site
    page.goto(f"{address}/course/notebooks/index.html?path=hw8.ipynb")
    wait_until_idle(page)
    cell_of(page, 1).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(LONG)
    page.keyboard.press("Shift+Enter")
    page.locator(".jp-OutputArea-output", has_text="freed 10000").wait_for()


def test_what_a_student_downloads_is_graded(site, page, tmp_path):
    out, address = site
    page.goto(f"{address}/course/index.html")
    to_submit = page.locator("pre").inner_text()
    page.get_by_role("link", name="rules that stay finite").click()
    wait_until_idle(page)
    cell_of(page, 0).click()
    for number, cell in enumerate(json.loads((out / "course/files/hw7.ipynb").read_text(encoding="utf-8"))["cells"]):
        shown = cell_of(page, number)
        shown.and_(page.locator(".jp-mod-active")).wait_for()
        if "= ..." in "".join(cell["source"]):
            type_answer(page, shown)
        page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"() => {RIGHT}.length")
    page.keyboard.press("Control+s")
    page.locator(".jp-Toolbar, .jp-NotebookCheckpoint", has_text="Last Checkpoint").first.wait_for()
    page.keyboard.insert_text(to_submit)
    page.keyboard.press("Shift+Enter")
    said = page.locator(".jp-OutputArea-output", has_text="written: hw7-submission.ipynb")
    assert "2 of 4 exercises are answered; not yet: xlogx, log_of_sum" in said.inner_text()
    page.get_by_text("File", exact=True).first.click()
    with page.expect_download() as downloading:
        page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Download$")).click()
    (tmp_path / "submissions").mkdir()
    downloading.value.save_as(tmp_path / "submissions" / "ada.ipynb")
    command = [sys.executable, "-m", "minigrad", "grade", ROOT / "lessons" / "assignments" / "hw7", "submissions"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert re.search(r"ada\b.*\b2\b", done.stdout), done


def test_a_reader_is_told_where_the_files_are(site, page):
    _, address = site
    page.goto(f"{address}/course/index.html")
    assert "in this browser only" in page.inner_text("body")
    assert page.get_by_role("link", name=re.compile("Write the rule yourself")).count() == 1
