"""A browser, a page, and a JupyterLab that all browser tests share."""

import os

import pytest

from tests.browser.lab import CHROMIUM_FLAGS, PATIENCE, Lab, find_chromium, new_page, unwatch, watch

REQUIRED = "MINIGRAD_REQUIRE_BROWSER"


@pytest.fixture(scope="session")
def browser():
    """Chromium, driven by Playwright; if either is missing, the test is skipped, or fails if a browser is required."""
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


failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Note a failure, after which no other test gets the page."""
    report = yield
    item.stash[failed] = item.stash.get(failed, False) or report.failed
    return report


@pytest.fixture(scope="session")
def _window(browser):
    """A list with the page that tests share, because a new window takes a second to open; empty before the first."""
    pages = []
    yield pages
    for page in pages:
        page.context.close()


@pytest.fixture
def page(browser, request, _window):
    """An empty page for pages that need no server; a test that adds an init script opens its own instead."""
    if not _window:
        _window.append(new_page(browser))
    (page,) = _window
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(media="screen", color_scheme="light", reduced_motion="no-preference")
    yield page
    if request.node.stash.get(failed, False):
        _window.pop().context.close()
        return
    page.context.set_offline(False)
    page.context.clear_permissions()
    page.evaluate("try { localStorage.clear(); sessionStorage.clear() } catch { /* a page without storage */ }")
    page.goto("about:blank")
    unwatch(page)


@pytest.fixture
def open_view(page, tmp_path):
    """Open a view as a file, and assert at the end that the page logged no error and made no request."""
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
def _close_what_the_test_opened(request):
    if "lab" not in request.fixturenames:
        yield
        return
    lab = request.getfixturevalue("lab")
    before = [*lab.notebooks]
    yield
    if request.node.stash.get(failed, False) and all(notebook.own for notebook in before):
        lab.forget()
    for notebook in [*lab.notebooks]:
        if notebook not in before:
            notebook.close()


def _absent(reason):
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{reason} ({REQUIRED}=1 forbids skipping)", pytrace=False)
    pytest.skip(reason)
