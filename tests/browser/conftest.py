"""A browser, a page, and a JupyterLab that all browser tests share."""

import os

import pytest

from minigrad.core.lines import remember_lines
from tests.browser.lab import CHROMIUM_FLAGS, PATIENCE, Lab, find_chromium, new_page, watch

REQUIRED = "MINIGRAD_REQUIRE_BROWSER"


def pytest_collection_modifyitems(items):
    """Run browser tests last: the quick ones answer first, and Playwright's event loop troubles nobody."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session")
def browser():
    """Chromium, driven by Playwright; without either the test is skipped, or fails where it is required."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _absent("Playwright is not installed: python -m pip install playwright")
    program = find_chromium()
    if program is None:
        _absent("Chromium was not found: install it, or set MINIGRAD_CHROMIUM to the program")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS, timeout=PATIENCE * 1000)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """An empty page in a window of its own, for pages that need no server."""
    page = new_page(browser)
    yield page
    page.context.close()


@pytest.fixture
def open_view(page, tmp_path):
    """Open a view as a file, and say at the end that the page was quiet and asked nobody for anything."""
    errors, outside = watch(page)

    def open_it(view):
        view.to_html(tmp_path / "view.html")
        page.goto((tmp_path / "view.html").as_uri())
        page.wait_for_selector(".mg-bar")
        return page

    yield open_it
    assert errors == []
    assert outside == []


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """A running JupyterLab; ``lab.open(path)`` opens a notebook in it."""
    pytest.importorskip("jupyterlab")
    lab = Lab(tmp_path_factory.mktemp("lab"), browser)
    yield lab
    lab.stop()


@pytest.fixture(autouse=True)
def _lines():
    """Pictures show the user's lines, as they do wherever viz has been imported."""
    remember_lines()


@pytest.fixture(autouse=True)
def _close_what_the_test_opened(request):
    if "lab" not in request.fixturenames:
        yield
        return
    lab = request.getfixturevalue("lab")
    before = [*lab.notebooks]
    yield
    for notebook in [*lab.notebooks]:
        if notebook not in before:
            notebook.close()


def _absent(reason):
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{reason} ({REQUIRED}=1 forbids skipping)", pytrace=False)
    pytest.skip(reason)
