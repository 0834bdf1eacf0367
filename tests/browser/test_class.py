"""An assignment from start to end: a student fails, corrects and submits; the teacher grades and reads the pages."""

import shutil
import subprocess
import sys

import nbformat
import pytest

from minigrad.__main__ import main
from minigrad.classroom.notebook import read
from minigrad.lab.handout import lessons_folder
from tests.browser.lab import new_page, screenshot, watch

pytestmark = pytest.mark.browser

HEAD = "@mg.custom_gradient\ndef xlogx(x):\n"
FAILS = HEAD + "    return x * mg.log(x), lambda upstream: upstream * (mg.log(x) + 1)\n"
NO_UPSTREAM = (
    HEAD + "    l = mg.log(mg.where(x > 0, x, 1.0))\n    return x * l, lambda upstream: mg.where(x > 0, l + 1, 0.0)\n"
)
SOURCE = lessons_folder() / "assignments" / "hw7" / "hw7.py"
SOLVED = {c.metadata.exercise: c.source for c in read(SOURCE).cells if c.metadata.get("exercise")}


@pytest.fixture
def teacher(tmp_path, monkeypatch):
    """The teacher's folder, in which hw7 is released."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SOURCE.parent, "hw7")
    assert main(["assign", "release", "hw7"]) == 0
    return tmp_path


def write(notebook, exercise, code):
    """Type an answer into the cell of an exercise, run it, and return what the cell shows."""
    page = notebook.page
    place = next(n for n, c in enumerate(notebook.read()["cells"]) if c["metadata"].get("exercise") == exercise)
    cell = page.locator(".jp-Notebook .jp-Cell").nth(place)
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(f'{code.rstrip()}\n\n\ncheck("{exercise}")')
    page.keyboard.press("Control+Enter")
    notebook.do("await session.session.kernel.requestKernelInfo()")  # the kernel replies in order: the cell has run
    return cell.locator(".mg-check")


def run_first_cell(notebook):
    first = next(n for n, c in enumerate(notebook.read()["cells"]) if c["cell_type"] == "code")
    notebook.do(f"panel.content.activeCellIndex = {first}; await app.commands.execute('notebook:run-cell')")


def hand_in(student, **answers):
    """A student whose released notebook holds these answers, in the teacher's folder of submissions."""
    notebook = nbformat.read("hw7/release/hw7.ipynb", 4)
    for cell in notebook.cells:
        cell.source = {**SOLVED, **answers}.get(cell.metadata.get("exercise"), cell.source)
    nbformat.write(notebook, f"submissions/{student}.ipynb")


def test_from_the_released_notebook_to_the_page_of_the_class(teacher, lab, browser):
    place = lab.folder / "hw7"
    shutil.copytree("hw7/release", place)
    notebook = lab.open(place / "hw7.ipynb")
    run_first_cell(notebook)

    said = write(notebook, "xlogx", FAILS)
    said.get_by_text("not yet").wait_for()
    assert "It fails at x = 0, the simplest input found." in said.inner_text()
    assert "not finite at 0" in said.inner_text()
    said = write(notebook, "xlogx", NO_UPSTREAM)
    said.get_by_text("forgot the upstream gradient").wait_for()
    said.scroll_into_view_if_needed()
    notebook.screenshot("class-student-fails")
    said = write(notebook, "xlogx", SOLVED["xlogx"].partition("\n\n\ncheck")[0])
    said.get_by_text("xlogx: right").wait_for()
    for exercise in ("entropy_at_0", "sum_of_slopes", "log_of_sum"):
        said = write(notebook, exercise, SOLVED[exercise].partition("\ncheck")[0])
        said.get_by_text(f"{exercise}: right").wait_for()
    notebook.screenshot("class-student-passes")
    notebook.save()
    assert notebook.console_errors == []

    done = subprocess.run(
        [sys.executable, "-m", "minigrad", "submit", "hw7.ipynb"], cwd=place, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 of 4 exercises are answered" in done.stdout

    (teacher / "submissions" / "ada").mkdir(parents=True)
    shutil.copy(place / "hw7-submission.ipynb", "submissions/ada")
    hand_in("ben", xlogx=NO_UPSTREAM)
    hand_in("cem", xlogx=NO_UPSTREAM, log_of_sum="def log_of_sum(a, b):\n    while True: pass")
    (teacher / "roster.csv").write_text(
        "student,name\nada,Ada Adams\nben,Ben Brown\ncem,Cem Can\ndee,Dee Dunn\n", "utf-8"
    )
    assert main(["grade", "hw7", "submissions", "--roster", "roster.csv", "-j", "1", "--limit", "statement=2"]) == 0
    assert main(["gradebook", "course.db", "feedback", "hw7", "feedback"]) == 0

    for theme in ("light", "dark"):
        page = new_page(browser, viewport={"width": 1280, "height": 900}, color_scheme=theme)
        errors, outside = watch(page)
        page.goto((teacher / "feedback" / "class.html").as_uri())
        body = page.locator("body")
        assert "4 students: 3 graded, 1 missing" in body.inner_text()
        mistake = page.get_by_role("row", name="forgot the upstream gradient")
        assert mistake.is_visible() and "2" in mistake.locator("td").first.inner_text()
        assert page.get_by_text("An example of: forgot the upstream gradient (xlogx)").is_visible()
        paper = body.evaluate("e => getComputedStyle(e).backgroundColor")
        assert paper == ("rgb(255, 255, 255)" if theme == "light" else "rgb(18, 22, 28)")
        screenshot(page, f"class-{theme}")
        page.get_by_role("link", name="ben").click()
        assert page.get_by_text("forgot the upstream gradient").is_visible()
        page.get_by_text("The backward pass of xlogx, step by step").click()
        frame = page.frame_locator("iframe")
        frame.locator(".mg-stage .n[aria-label^='x (input)']").wait_for()
        screenshot(page, f"class-student-{theme}")
        page.go_back()
        page.get_by_role("link", name="ada").click()
        assert page.get_by_text("9 of 9").is_visible()
        assert page.locator("section.right").count() == 4
        assert (errors, outside) == ([], [])
        page.context.close()
